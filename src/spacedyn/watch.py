"""Telling a person that work goes on: a bar for a long run, a word while code is compiled for the first time."""

import sys
import threading
import time
from types import TracebackType
from typing import Any

_QUIET = 2.0  # seconds before anything is shown


class Watch:
    """Shows the progress of a run on the terminal once it has lasted for a while."""

    def __init__(self, shown: bool, total: float):
        self._shown, self._total, self._before = shown and sys.stderr.isatty(), total, 0.0
        self._bar: Any = None
        self._task: Any = None
        self._begun = time.monotonic()
        self._word = threading.Timer(_QUIET, self._say_compiling)
        self._word.daemon = True

    def __enter__(self) -> "Watch":
        self._word.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._word.cancel()
        if self._bar is not None:
            self._bar.stop()

    def _say_compiling(self) -> None:
        print("spacedyn: compiling the simulation loop; this is done once and kept", file=sys.stderr, flush=True)

    def reached(self, time_in_part: float) -> None:
        """So much simulated time of the present part is done."""
        self._word.cancel()
        if not self._shown or time.monotonic() - self._begun < _QUIET:
            return
        if self._bar is None:
            from rich.console import Console
            from rich.progress import Progress

            self._bar = Progress(console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task("simulating", total=self._total)
            self._bar.start()
        self._bar.update(self._task, completed=self._before + time_in_part)

    def finished(self, time_of_part: float) -> None:
        """A part is over."""
        self._before += time_of_part
