"""The progress bar of a run."""

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

_QUIET = 2.0  # seconds before anything is shown


class Progress:
    """Shows the progress of a run on the terminal once it has lasted for a while."""

    def __init__(self, shown: bool, total: float, observer: Callable[[Any], None] | None = None):
        self.observer = observer  # called with the latest record (robots, columns) of the first stepper
        self._shown, self._total = shown and sys.stderr.isatty(), total
        self._bar: Any = None
        self._task: Any = None
        self._begun: float | None = None

    def __enter__(self) -> "Progress":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def reached(self, simulated: float) -> None:
        """Update the bar: `simulated` is the simulated time so far [s], summed over all steppers."""
        self._begun = self._begun or time.monotonic()
        if not self._shown or time.monotonic() - self._begun < _QUIET:
            return
        if self._bar is None:
            from rich.console import Console
            from rich.progress import Progress

            self._bar = Progress(console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task("simulating", total=self._total)
            self._bar.start()
        self._bar.update(self._task, completed=simulated)
