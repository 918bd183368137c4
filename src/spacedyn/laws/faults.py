"""Exceptions of laws, which cannot pass through the compiled driver and are kept here until it returns.

A compiled law's error comes as an "unraisable" one, which Python would print; while a simulation runs in this thread,
it is noted instead. So an index out of bounds, or a `raise`, in a law ends the simulation with a reason.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class _Thread(threading.local):
    first: BaseException | None = None
    law: str | None = None
    stop: Callable[[], None] | None = None


_here, _lock = _Thread(), threading.Lock()
_watching = 0
_before: Any = None


@contextmanager
def caught(stop: Callable[[], None]) -> Iterator[None]:
    """Keep exceptions of laws in this thread; `stop` is called at the first one, to end the simulation."""
    global _watching, _before
    _here.first, _here.law, _here.stop = None, None, stop
    with _lock:
        _watching += 1
        if _watching == 1:
            _before, sys.unraisablehook = sys.unraisablehook, _hook
    try:
        yield
    finally:
        _here.stop = None
        with _lock:
            _watching -= 1
            if _watching == 0:
                sys.unraisablehook = _before


def note(error: BaseException, law: str | None = None) -> None:
    """Keep an exception of a law, unless one is kept already."""
    if _here.first is None:
        _here.first, _here.law = error, law
        if _here.stop is not None:
            _here.stop()


def ending() -> bool:
    """Whether the simulation in this thread is ending, so that laws need not be called."""
    return _here.stop is not None and _here.first is not None


def first() -> tuple[BaseException | None, str | None]:
    """The first exception of a law since `caught`, and the law's name, if known."""
    return _here.first, _here.law


def _hook(unraisable: Any) -> None:
    if _here.stop is not None and "numba" in str(unraisable.object):
        note(unraisable.exc_value)
    else:
        _before(unraisable)
