"""A person who waits: a bar for a long run, a word while code is compiled for the first time, an ear for Ctrl-C."""

import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

from numba.core import config

_QUIET = 2.0  # seconds before anything is shown


class Watch:
    """Shows the progress of a run on the terminal once it has lasted for a while."""

    def __init__(self, shown: bool, total: float, onlooker: Callable[[Any], None] | None = None):
        self.onlooker = onlooker  # is shown the first robots' latest record, (robots, columns)
        self._shown, self._total = shown and sys.stderr.isatty(), total
        self._bar: Any = None
        self._task: Any = None
        self._begun = time.monotonic()
        self._word = threading.Timer(_QUIET, self._say_compiling)
        self._word.daemon = True

    def __enter__(self) -> "Watch":
        if not config.DISABLE_JIT:
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

    def reached(self, simulated: float) -> None:
        """So much simulated time is done, all robots' together."""
        self._word.cancel()
        if not self._shown or time.monotonic() - self._begun < _QUIET:
            return
        if self._bar is None:
            from rich.console import Console
            from rich.progress import Progress

            self._bar = Progress(console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task("simulating", total=self._total)
            self._bar.start()
        self._bar.update(self._task, completed=simulated)


class Interruption:
    """While it lasts, a first Ctrl-C only asks for an end; a second one is a KeyboardInterrupt as ever.

    So no law, which may be Python, is ever cut off in the middle.

    Attributes
    ----------
    asked : bool
        Whether there was one.
    """

    def __init__(self) -> None:
        self.asked = False
        self._before: Any = None

    def __enter__(self) -> "Interruption":
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
