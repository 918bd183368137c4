"""The damaged runs of `damaged_runs` as a kind of case: files, folders, checkpoints changed in memory or forged."""

import os
from pathlib import Path
from random import Random

from .damaged_runs import Case, Seeds, damaged_run_cases, try_case
from .violations import WrongResult


class DamagedRuns:
    """Each is a run, or an InputError that names the file."""

    name, suffix = "damaged_run", ".bin"

    def prepare(self, folder: Path, bait: tuple[str, ...]) -> None:
        """Make the runs."""
        self._folder = folder
        (folder / "runs").mkdir()
        self._seeds = Seeds(folder / "runs")

    def make(self, rng: Random) -> Case:
        """One case."""
        return next(damaged_run_cases(rng, self._seeds, 1))

    def place(self, given: Case) -> None:
        """Written where it is tried."""

    def attempt(self, given: Case) -> None:
        """Try it."""
        try:
            try_case(given, self._seeds, self._folder)
        except AssertionError as error:
            raise WrongResult(str(error)[:500]) from error

    def saved(self, given: Case) -> bytes:
        """What it is about, then the damaged content."""
        about = f"{given.kind} of {given.seed}: {given.name} {given.place} {given.value}{os.linesep}"
        return about.encode() + (given.content or b"")


KINDS = {"damaged_run": DamagedRuns}
