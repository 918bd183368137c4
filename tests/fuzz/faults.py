"""Cases that do what none may do, one of each sort: they show that the fuzzers find it."""

import ctypes
import time
import warnings
from pathlib import Path
from random import Random

import numpy as np

from .violations import WrongResult

SORTS = ("traceback", "warning", "hang", "memory", "outside", "bait", "crash", "wrong", "")


class Faults:
    """Every case is one of SORTS; the last does no harm."""

    name, suffix = "faults", ".txt"

    def prepare(self, folder: Path, bait: tuple[str, ...]) -> None:
        """Nothing but a link to the bait is needed."""
        self._folder = folder

    def make(self, rng: Random) -> str:
        """Any of them."""
        return rng.choice(SORTS)

    def place(self, given: str) -> None:
        """Nothing to write."""

    def attempt(self, given: str) -> None:
        """Do it."""
        match given:
            case "traceback":
                {}["nothing"]
            case "warning":
                warnings.warn("not one of ours", RuntimeWarning, stacklevel=1)
            case "hang":
                time.sleep(60.0)
            case "memory":
                np.ones(1 << 28)
            case "outside":
                (self._folder.parent / "board").read_bytes()
            case "bait":  # as compiled code reads: no audit event tells of it
                libc = ctypes.CDLL(None)
                libc.open(bytes(self._folder / "link_bait.stl"), 0)
            case "crash":
                ctypes.string_at(0)
            case "wrong":
                raise WrongResult("a result that is wrong")

    def saved(self, given: str) -> bytes:
        """Its name."""
        return given.encode()


KINDS = {"faults": Faults}
