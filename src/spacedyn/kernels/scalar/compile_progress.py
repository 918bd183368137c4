"""The compile notice: a line on stderr with the present part, its number among all parts, and the time so far.

Parts that are loaded from disk are passed over in silence, and so are the first seconds. On a terminal the line moves
and goes away; elsewhere every part gets a plain line of its own.
"""

import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from types import TracebackType
from typing import Any

QUIET = 2.0  # seconds of compiling before anything is shown

_WORDS = {
    "driver.advance": "simulation loop",
    "flow.one": "right-hand side",
    "flow.pack": "right-hand side, for packs",
    "flow.varied": "right-hand side, for robots that differ",
    "flow.dual": "right-hand side, with derivatives",
    "implicit.step": "implicit step",
    "variational.step": "variational step",
    "guards.one": "guards",
    "guards.pack": "guards, for packs",
    "totals.run": "energy and momentum",
    "inertia.run": "mass matrix",
    "tangents.matrix": "linearisation",
}


class _Thread(threading.local):
    progress: "CompileProgress | None" = None


_here = _Thread()


class CompileProgress:
    """Context in which each compilation in this thread is shown as one of these parts.

    Parameters
    ----------
    parts : callable
        Names of what is needed, in order, as the cache of machine code has them; a law is 'law-' and its name, a user's
        element 'element-' and its. Asked for when something is compiled.
    shown : bool
        Whether anything is shown at all.
    """

    def __init__(self, parts: Callable[[], Iterable[str]] = tuple, shown: bool = True):
        self._needed, self._shown = parts, shown
        self._parts: list[str] = []
        self._lock = threading.Lock()
        self._part, self._visible = "", False
        self._timer: threading.Timer | None = None
        self._line: Any = None
        self._before: CompileProgress | None = None

    def __enter__(self) -> "CompileProgress":
        self._before, _here.progress = _here.progress, self
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _here.progress = self._before
        self.close()

    def begin(self, name: str) -> None:
        """Note that a part, which is not on disk, is being compiled."""
        with self._lock:
            self._part = in_words(name)
            self._parts = self._parts or list(dict.fromkeys(map(in_words, self._needed())))
            if self._part not in self._parts:
                self._parts.append(self._part)
            if self._visible:
                self._show()
            elif self._shown and self._timer is None:
                self._timer = threading.Timer(QUIET, self._appear)
                self._timer.daemon = True
                self._timer.start()

    def close(self) -> None:
        """End the notice."""
        if self._timer is not None:
            self._timer.cancel()
        with self._lock:
            self._shown = self._visible = False
            if self._line is not None:
                self._line.stop()
                self._line = None

    def _appear(self) -> None:
        with self._lock:
            if self._shown:
                self._visible = True
                self._show()

    def _show(self) -> None:
        place, count = self._parts.index(self._part) + 1, len(self._parts)
        text = f"compiling, once for this machine: {self._part}" + (f" ({place} of {count})" if count > 1 else "")
        if not sys.stderr.isatty():
            print(f"spacedyn: {text}", file=sys.stderr, flush=True)
            return
        if self._line is None:
            from rich.console import Console
            from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

            columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
            self._line = Progress(*columns, console=Console(stderr=True), transient=True)
            self._line.add_task(text, total=None)
            self._line.start()
        self._line.update(self._line.task_ids[0], description=text)


@contextmanager
def part(name: str) -> Iterator[None]:
    """Context in which this part is compiled; outside a `CompileProgress` it is the only part."""
    with nullcontext(_here.progress) if _here.progress else CompileProgress() as progress:
        progress.begin(name)
        yield


def in_words(name: str) -> str:
    """The name of a part of the machine code as the notice shows it.

    >>> in_words("law-hold-0123456789abcdef01234567"), in_words("element-brake"), in_words("forward_dynamics.run")
    ("law 'hold'", "element 'brake'", 'forward dynamics')
    """
    function = re.fullmatch(r"(law|element|motion|condition)-(.*?)(-[0-9a-f]{24})?", name)
    if function:
        return f"{function[1]} '{function[2]}'"
    return _WORDS.get(name) or name.partition(".")[0].replace("_", " ")
