"""Kinds of cases by name: how they are made and tried. A new kind is added to MODULES."""

from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, Protocol

MODULES = {
    "robot": "files",
    "scenario": "files",
    "urdf": "files",
    "mjcf": "files",
    "command": "commands",
    "run_file": "run_files",
    "run_folder": "run_files",
    "damaged_run": "damaged",
    "calls": "calls",
    "kills": "kills",
    "checkpoints": "checkpoints",
}
"""The module of this package whose KINDS has a kind."""

FULL = {"robot": 300_000, "scenario": 200_000, "urdf": 240_000, "mjcf": 190_000}
FULL |= {"command": 20_000, "run_file": 20_000, "run_folder": 20_000, "damaged_run": 10_000}
FULL |= {"calls": 100_000, "kills": 200, "checkpoints": 2000}
"""Cases of each kind, if nothing else is asked for."""


class Kind(Protocol):
    """One kind of case."""

    name: str
    suffix: str  # of a file that holds an input

    def prepare(self, folder: Path, bait: tuple[str, ...]) -> None:
        """Before the first case: what cases need in their folder; whatever is slow the first time."""

    def make(self, rng: Random) -> Any:
        """An input."""

    def place(self, given: Any) -> None:
        """Write it where `attempt` finds it."""

    def attempt(self, given: Any) -> None:
        """Give it to the package; WrongResult if what comes back is wrong."""

    def saved(self, given: Any) -> bytes:
        """An input as a file."""


def kind_of(name: str) -> Kind:
    """The kind of that name."""
    module = MODULES.get(name, name)  # faults, which are only tried to show that they are found
    made: Kind = import_module(f".{module}", __package__).KINDS[name]()
    return made
