"""Suspend Python's garbage collection while machine code is compiled.

A compiler makes millions of small objects and keeps most of them: Python's collector searches them again and again and
finds little. That is a tenth of the time in a small program, and more where many objects live.
"""

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_compiling = 0  # number of compilations in progress, in all threads and nested
_was_on = False


@contextmanager
def no_collection() -> Iterator[None]:
    """Context without garbage collection in any thread; the former setting is restored at the end."""
    global _compiling, _was_on
    with _lock:
        if not _compiling:
            _was_on = gc.isenabled()
            gc.disable()
        _compiling += 1
    try:
        yield
    finally:
        with _lock:
            _compiling -= 1
            if not _compiling and _was_on:
                gc.enable()
