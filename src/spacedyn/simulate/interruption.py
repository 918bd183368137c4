"""Ctrl-C while a simulation runs: the first ends it after the present steps, the second one ends a law that loops.

Python calls signal handlers between two lines of Python only; a compiled law that never returns would block them. So
the signal also wakes a thread: after a while it names the law, and at the second Ctrl-C it ends the loops of laws
(`end_loops`).
"""

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

from ..laws.checks import end_loops

PATIENCE = 5.0  # seconds that a law may take to return after Ctrl-C before it is named


class Interruption:
    """Context in which a first Ctrl-C only requests an end, and a second one raises KeyboardInterrupt as usual.

    So no law is cut off in the middle, unless it does not return: then the second Ctrl-C ends it at the next round of
    its loop.

    Parameters
    ----------
    at_work : callable, optional
        Returns the name of the law that is being called now, or None.

    Attributes
    ----------
    asked : bool
        Whether Ctrl-C was pressed.
    """

    def __init__(self, at_work: Callable[[], str | None] = lambda: None) -> None:
        self.asked = False
        self._at_work = at_work
        self._before: Any = None
        self._presses, self._named = 0, False

    def __enter__(self) -> "Interruption":
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._note)
            _Listener.attend(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            _Listener.leave()
            signal.signal(signal.SIGINT, self._before)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    @property
    def patience(self) -> float | None:
        """Seconds after which to look whether a law is overdue; None if there is nothing to look for."""
        return PATIENCE if self._presses == 1 and not self._named else None

    def pressed(self) -> None:
        """Handle a Ctrl-C in the listening thread; Python's own handler may be blocked."""
        self._presses += 1
        if self._presses > 1 and self._at_work():
            end_loops(True)

    def waited(self) -> None:
        """Name the law that has not returned within `PATIENCE` seconds after the first Ctrl-C."""
        self._named = True
        if name := self._at_work():  # the steps that Ctrl-C waits for take a tenth of a second together
            text = f"{name} has not returned {PATIENCE:g} s after Ctrl-C (a loop without end?)"
            print(f"spacedyn: {text}; Ctrl-C again ends it, and the run", file=sys.stderr, flush=True)


class _Listener(threading.Thread):
    """The thread that signals wake even while the main thread is blocked: one for the process, idle between runs."""

    only: "_Listener | None" = None

    def __init__(self) -> None:
        super().__init__(name="spacedyn-interruption", daemon=True)
        self._ours, self._theirs = socket.socketpair()
        self._theirs.setblocking(False)
        self._process, self._of = os.getpid(), Interruption()

    @classmethod
    def attend(cls, interruption: Interruption) -> None:
        """Listen for a run; do nothing if another wakeup file descriptor is already set."""
        if cls.only is None or cls.only._process != os.getpid() or not cls.only.is_alive():  # a fork copies no threads
            cls.only = cls()
            cls.only.start()
        cls.only._of = interruption
        before = signal.set_wakeup_fd(cls.only._theirs.fileno(), warn_on_full_buffer=False)
        if before != -1:
            signal.set_wakeup_fd(before)

    @classmethod
    def leave(cls) -> None:
        """Stop listening: the run is over."""
        if cls.only is not None:
            before = signal.set_wakeup_fd(-1)
            if before != cls.only._theirs.fileno():
                signal.set_wakeup_fd(before)
            cls.only._of = Interruption()
        end_loops(False)

    def run(self) -> None:
        """Pass signals to the present `Interruption`."""
        while True:
            of = self._of
            self._ours.settimeout(of.patience)
            try:
                byte = self._ours.recv(1)
            except TimeoutError:
                of.waited()
                continue
            if byte == bytes([signal.SIGINT]):
                self._of.pressed()
