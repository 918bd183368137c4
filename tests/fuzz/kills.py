"""Streaming runs killed at random moments, then loaded and resumed: every bit as if nothing had happened."""

import json
import os
import shutil
import signal
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from random import Random

import spacedyn as sd

from .checkpoints import started
from .violations import WrongResult

_END = 20.0  # s simulated, which take some tenths of one


@dataclass(frozen=True)
class Kills:
    """When a run is killed, in parts of the time that it takes; each time it is resumed from what is there."""

    run: int
    moments: tuple[float, ...]


class KilledRuns:
    """Processes that stream a run, killed."""

    name, suffix = "kills", ".json"

    def prepare(self, folder: Path, bait: tuple[str, ...]) -> None:
        """Simulate to the end, and measure how long it takes."""
        self._case, self._started = folder / "case", started()
        self._ends, self._seconds = [], []  # type: tuple[list[bytes], list[float]]
        for i in range(len(self._started)):
            self._go_on(i)
            shutil.rmtree(self._case)
            begin = time.monotonic()
            self._ends.append(self._go_on(i)._rows.tobytes())
            self._seconds.append(time.monotonic() - begin)
            shutil.rmtree(self._case)

    def _go_on(self, run: int) -> sd.Run:
        """Resume what is in the folder, or begin."""
        robot, state, options = self._started[run]
        try:
            loaded = sd.Run.load(self._case) if self._case.exists() else None
            if loaded is not None:
                return loaded if loaded.status == "done" else loaded.resume(progress=False, **options)
        except sd.SpacedynError as error:
            refused = error
        else:
            refused = None
        try:
            return sd.simulate(robot, state, _END, record=0.02, stream=self._case, progress=False, **options)
        except sd.SpacedynError as error:
            raise WrongResult(f"a killed run is a dead end: {refused} And: {error}") from None

    def make(self, rng: Random) -> Kills:
        """One to three moments, the first ones more often than others."""
        moments = tuple(rng.random() ** rng.choice((1, 1, 4)) for _ in range(rng.choice((1, 1, 2, 3))))
        return Kills(rng.randrange(len(self._started)), moments)

    def place(self, given: Kills) -> None:
        """Begin and kill."""
        shutil.rmtree(self._case, ignore_errors=True)
        for moment in given.moments:
            child = os.fork()
            if child == 0:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        self._go_on(given.run)
                    finally:
                        os._exit(0)
            time.sleep(moment * self._seconds[given.run])
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)

    def attempt(self, given: Kills) -> None:
        """Go on to the end, and compare every bit."""
        run = self._go_on(given.run)
        if run.status != "done":
            raise WrongResult(f"a killed run that was resumed is '{run.status}'")
        if run._rows.tobytes() != self._ends[given.run]:
            raise WrongResult("a killed run that was resumed is not the same")

    def saved(self, given: Kills) -> bytes:
        """As JSON."""
        return json.dumps({"run": given.run, "moments": given.moments}).encode()


KINDS = {"kills": KilledRuns}
