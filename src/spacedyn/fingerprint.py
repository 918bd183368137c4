"""A function's fingerprint: what its machine code depends on, so that it can be kept for other processes.

Its code and constants, and the values, functions and modules that it refers to, as they are now: all are compiled in.
"""

import hashlib
import inspect
from collections.abc import Callable
from types import CodeType
from typing import Any

import numba
import numpy as np
from numba.core import types

_LIBRARIES = {"numpy", "numba", "math", "cmath", "builtins"}  # told by their versions


def fingerprint(function: Callable, surroundings: str) -> str | None:
    """Hash of all that a function's machine code depends on; None if that cannot be told.

    >>> fingerprint(lambda x: x + 1.0, "") == fingerprint(lambda x: x + 1.0, "")
    True
    """
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__} {surroundings}".encode())
    return digest.hexdigest()[:24] if _feed(digest, function, set()) else None


def _feed(digest: Any, value: Any, done: set[int]) -> bool:
    """Add a value that code refers to: a constant, a module, or a function with all that it refers to in turn."""
    if inspect.ismodule(value):
        digest.update(value.__name__.encode())
        return True
    if isinstance(value, tuple):
        digest.update(f"tuple {len(value)}".encode())
        return all([_feed(digest, item, done) for item in value])
    if isinstance(value, np.ndarray):
        digest.update(repr((value.shape, value.dtype)).encode() + value.tobytes())
        return value.dtype.kind != "O"
    if value is None or isinstance(value, bool | int | float | complex | str | np.generic):
        digest.update(repr(value).encode())
        return True
    if isinstance(value, types.ExternalFunction):  # linked by its name, which is all that machine code knows of it
        digest.update(f"{value.symbol} {value.sig}".encode())
        return True
    function = getattr(value, "py_func", value)
    if not inspect.isfunction(function):
        return inspect.isbuiltin(value) or isinstance(value, np.ufunc) or _is_named(digest, value)
    if id(function) not in done:
        done.add(id(function))
        outside = inspect.getclosurevars(function)
        names = _feed_code(digest, function.__code__)
        for name in sorted(names & {*function.__globals__, *outside.nonlocals}):
            found = outside.nonlocals.get(name, function.__globals__.get(name))
            digest.update(name.encode())
            if not _feed(digest, found, done):
                return False
            if inspect.ismodule(found) and found.__name__.partition(".")[0] not in _LIBRARIES:
                # a person's own module: its constants and functions are compiled in as well
                for attribute in sorted(names & {*vars(found), *getattr(found, "__all__", ())}):
                    digest.update(attribute.encode())
                    if not _feed(digest, getattr(found, attribute), done):
                        return False
    return True


def _is_named(digest: Any, value: Any) -> bool:
    """A library's type, such as a kind of number, is told by its name."""
    if not isinstance(value, type) or value.__module__.partition(".")[0] not in _LIBRARIES:
        return False
    digest.update(f"{value.__module__}.{value.__qualname__}".encode())
    return True


def _feed_code(digest: Any, code: CodeType) -> set[str]:
    """Add code, and the code within it; the names that it refers to."""
    constants = [c for c in code.co_consts if not isinstance(c, CodeType)]
    digest.update(code.co_code + repr((constants, code.co_names, code.co_varnames)).encode())
    inside = [_feed_code(digest, c) for c in code.co_consts if isinstance(c, CodeType)]
    return {*code.co_names, *code.co_freevars}.union(*inside)
