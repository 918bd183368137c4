"""Fingerprint of a function: a hash of everything that its machine code depends on, the key of the disk cache.

It covers code, constants and defaults, and the present values of the functions, modules and numbers that it refers to,
since all of these are compiled in. References are names that its byte code loads as globals or from its closure;
attributes (`s.q`, `p.d`) are not references, even if globals have the same names.
"""

import dis
import hashlib
import inspect
import textwrap
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import takewhile
from types import CodeType, FunctionType
from typing import Any

import numba
import numpy as np
from numba.core import types

_LIBRARIES = {"numpy", "numba", "math", "cmath", "builtins"}  # known by their versions
_LOADS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_GLOBALS"}
_ATTRIBUTES = {"LOAD_ATTR", "LOAD_METHOD"}
_MISSING = object()


def fingerprint(function: Callable, surroundings: str) -> str | None:
    """Hash of all that a function's machine code depends on; None if that is not known.

    >>> fingerprint(lambda x: x + 1.0, "") == fingerprint(lambda x: x + 1.0, "")
    True
    """
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__} {surroundings}".encode())
    return digest.hexdigest()[:24] if _feed(digest, function, set()) else None


def source_digest(function: Any) -> str:
    """Hash of a function's source, to tell whether it has been edited; '' if it was typed at a prompt.

    >>> source_digest(len)
    ''
    """
    try:
        text = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        return ""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def references(function: Callable) -> Iterator[tuple[Any, tuple[str, ...], Any]]:
    """The references of a function: root value, chain of attribute names, and the value they lead to.

    >>> import math
    >>> [names for _, names, _ in references(lambda x: math.sin(x.real))]
    [('math', 'sin')]
    """
    for names in sorted(_loaded(function.__code__)):
        found = variables_of(function).get(names[0], function.__globals__.get(names[0], _MISSING))
        if found is not _MISSING:  # else it is built in
            yield found, names, reached(found, names[1:])


def variables_of(function: Callable) -> dict[str, Any]:
    """The variables of a function's closure that have a value."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    return found


def reached(value: Any, names: tuple[str, ...]) -> Any:
    """The value that a chain of names leads to, through modules only: `package.module.function`."""
    for name in names:
        if not inspect.ismodule(value) or _is_library(value.__name__):
            break
        value = getattr(value, name, None)
    return value


@lru_cache(maxsize=1024)
def _loaded(code: CodeType) -> frozenset[tuple[str, ...]]:
    """Names that code, and the code within it, loads from outside; each with the attributes that are then taken."""
    steps = [step for step in dis.get_instructions(code) if step.opname not in ("CACHE", "EXTENDED_ARG", "NOP")]
    found = set()
    for i, step in enumerate(steps):
        if step.opname in _LOADS:
            attributes = takewhile(lambda after: after.opname in _ATTRIBUTES, steps[i + 1 :])
            found.add((step.argval, *(str(after.argval) for after in attributes)))
    inside = (_loaded(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    return frozenset(names for names in found.union(*inside) if names[0] not in code.co_cellvars)


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
    if id(function) in done:
        return True
    done.add(id(function))
    _feed_options(digest, getattr(value, "targetoptions", {}))
    return _feed_function(digest, function, done)


def _feed_function(digest: Any, function: FunctionType, done: set[int]) -> bool:
    """Add a function's code, its defaults and all that it refers to."""
    _feed_code(digest, function.__code__)
    for default in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).items()):
        if not _feed(digest, default, done):
            return False
    for _, names, end in references(function):
        digest.update(" ".join(names).encode())
        if not _feed(digest, end, done):
            return False
        if inspect.ismodule(end) and not _is_library(end.__name__):
            # a user's module, passed as a whole: add all of its attributes that the code may use
            for attribute in sorted(_attributes(function.__code__) & vars(end).keys()):
                digest.update(attribute.encode())
                if not _feed(digest, getattr(end, attribute), done):
                    return False
    return True


def _feed_options(digest: Any, options: dict[str, Any]) -> None:
    """Add how a compiled function is to be compiled; sets have no order of their own."""
    for name, value in sorted(options.items()):
        digest.update(f"{name} {sorted(value) if isinstance(value, set) else value}".encode())


def _is_library(module: str) -> bool:
    return module.partition(".")[0] in _LIBRARIES


def _is_named(digest: Any, value: Any) -> bool:
    """Feed a library's type, such as `np.float64`, by its name."""
    if not isinstance(value, type) or not _is_library(value.__module__):
        return False
    digest.update(f"{value.__module__}.{value.__qualname__}".encode())
    return True


def _feed_code(digest: Any, code: CodeType) -> None:
    """Add code, and the code within it."""
    constants = [c for c in code.co_consts if not isinstance(c, CodeType)]
    digest.update(code.co_code + repr((constants, code.co_names, code.co_varnames)).encode())
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _feed_code(digest, constant)


def _attributes(code: CodeType) -> set[str]:
    """Names of all attributes that code, and the code within it, may take of anything."""
    return set(code.co_names).union(*(_attributes(c) for c in code.co_consts if isinstance(c, CodeType)))
