"""From a law to a C function: the wrapper around the user's function, compiled and kept by its source, or as Python."""

import ctypes
import warnings
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core import config
from numba.core.errors import NumbaError, NumbaWarning

from . import faults
from .errors import InputError, RunWarning, nearest, warn_user
from .fingerprint import fingerprint
from .kernels.compiling import PLAIN_FUNCTIONS, Address
from .law_names import attributes
from .laws import SEEN, WRITTEN, Law

# An index out of bounds is an error, as in Python: a law that writes beyond its arrays would ruin the simulation's own.
_OPTIONS = {"error_model": "numpy", "boundscheck": True}

_SIGNATURE = types.void(
    types.float64,
    types.CPointer(types.float64),
    types.CPointer(types.float64),
    types.CPointer(types.float64),
    types.CPointer(types.int64),
)
PYTHON_SIGNATURE = ctypes.CFUNCTYPE(
    None,
    ctypes.c_double,
    ctypes.POINTER(ctypes.c_double),
    ctypes.POINTER(ctypes.c_double),
    ctypes.POINTER(ctypes.c_double),
    ctypes.POINTER(ctypes.c_int64),
)


class Compiled:
    """A law as a C function; keep it alive while its address is in use."""

    def __init__(self, address: int, keep: Any):
        self.address, self.keep = address, keep
        self.problem = ""  # why it runs as Python, if that was not asked for


_known: dict[str, Compiled] = {}


def compile_law(law: Law) -> Compiled:
    """The law's C function: from the cache by its source, compiled now, or plain Python if it cannot be compiled."""
    source, fields = _wrapper_source(law)
    key = fingerprint(law.function, f"{_OPTIONS} {source}")
    compiled = None if key is None else _known.get(key)
    if compiled is None:
        compiled = _plain(law, source, fields) if config.DISABLE_JIT else _native(law, source, fields, key)
        if key is not None:
            _known[key] = compiled
    if compiled.problem:
        message = f"{law.role.what} '{law.name}' cannot be compiled and runs in Python, slowly: {compiled.problem}"
        warn_user(message, RunWarning)
    return compiled


def check_names(law: Law) -> None:
    """Raise if a law reads or writes what there is not, or lacks a parameter; it is not compiled."""
    _wrapper_source(law)


def _native(law: Law, source: str, fields: dict[str, Any], key: str | None) -> Compiled:
    """The law as machine code, or as Python with the reason why."""
    try:
        wrapper = _wrapper(source, fields, numba.njit(**_OPTIONS)(law.function), numba.carray)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NumbaWarning)
            code = Address(wrapper, _SIGNATURE, None if key is None else f"law-{law.name}-{key}")
        return Compiled(code.address, code)
    except (NumbaError, NotImplementedError, TypeError, ValueError) as error:  # whatever the compiler gives up with
        lines = [line for line in str(error).splitlines() if line.strip() and not line.startswith("Failed in")]
        compiled = _plain(law, source, fields)
        compiled.problem = (lines or ["unknown reason"])[0]
        return compiled


def _plain(law: Law, source: str, fields: dict[str, Any]) -> Compiled:
    """The law as a Python function behind a C address; what it raises is kept for whoever called the driver."""
    wrapper = _wrapper(source, fields, law.function, _first if config.DISABLE_JIT else np.ctypeslib.as_array)

    def guarded(t: float, view: Any, parameters: Any, out: Any, sizes: Any) -> None:
        try:
            wrapper(t, view, parameters, out, sizes)
        except BaseException as error:  # it must not cross the compiled code
            faults.note(error, law.name)

    if config.DISABLE_JIT:
        PLAIN_FUNCTIONS[id(guarded)] = guarded
        return Compiled(id(guarded), guarded)
    callback = PYTHON_SIGNATURE(guarded)
    return Compiled(ctypes.cast(callback, ctypes.c_void_p).value or 0, callback)


def rehearse(law: Law, t: float, view: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """What a law writes if it is run as plain Python; it raises what it raises there."""
    source, fields = _wrapper_source(law)
    out = np.zeros(int(sizes[-1]))
    numbers = np.concatenate([*(np.ravel(value) for value in law.parameters.values()), [0.0]])
    with np.errstate(all="ignore"):
        _wrapper(source, fields, law.function, _first)(t, view.copy(), numbers, out, sizes)
    return out


def _first(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """What `carray` does, for arrays."""
    return array[: shape[0]]


def _wrapper(source: str, fields: dict[str, Any], function: Any, carray: Any) -> Callable:
    space: dict[str, Any] = {"__name__": __name__, "law": function, "carray": carray, **fields}
    exec(compile(source, "<law>", "exec"), space)
    return space["wrapper"]


def _wrapper_source(law: Law) -> tuple[str, dict[str, Any]]:
    """Source of the function behind the C signature, and the record types that it fills."""
    seen = {name: SEEN[name] for name in SEEN if name in law.sees()}
    first = 0
    own_seen, own_written = {}, {}
    for name, size in law.states.items():
        if name in SEEN or name in WRITTEN:
            raise InputError(f"law '{law.name}': the state '{name}' has the name of something else; rename it")
        own_seen[name] = f"view[at + {first} : at + {first + size}]"
        own_written[name] = f"o[no - ns + {first} : no - ns + {first + size}]"
        first += size
    role, columns_of = law.role, law.role.written
    wanted = attributes(law.function, role, "out", {*columns_of, *law.states})
    written = {name: columns_of[name] for name in columns_of if name in wanted} | own_written
    for what, known in (("s", [*SEEN, *law.states]), ("out", [*columns_of, *law.states])):
        for name in sorted(attributes(law.function, role, what, None) - set(known)):
            raise InputError(f"{role.what} '{law.name}': {what} has no '{name}'; {nearest(name, known)}")
    for name in sorted(attributes(law.function, role, "p", None) - set(law.parameters)):
        raise InputError(f"{role.what} '{law.name}' needs a parameter '{name}'; give it as {law.name}({name}=...)")
    parameters, start = {}, 0
    for name, value in law.parameters.items():
        stop = start + value.size
        shape = f".reshape{value.shape}" if value.ndim > 1 else ""
        parameters[name] = f"p[{start}]" if value.ndim == 0 else f"p[{start}:{stop}]{shape}"
        start = stop
    fields, handed = {}, {"t": "t"}
    for argument, columns in (("s", {**seen, **own_seen}), ("p", parameters), ("out", written)):
        names = list(columns) or ["nothing"]
        fields[f"record_{argument}"] = namedtuple(f"record_{argument}", names)
        handed[argument] = f"record_{argument}({', '.join(columns.values()) or '0.0'})"
    source = f"""
def wrapper(t, view_, p_, o_, sizes_):
    n = carray(sizes_, (9,))
    nx, nj, ne, ni, first, ns, nm, nview, no = n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8]
    at = nx + nj + 15 + first
    view, p, o = carray(view_, (nview,)), carray(p_, ({max(start, 1)},)), carray(o_, (no,))
    law({", ".join(handed[argument] for argument in role.arguments)})
"""
    return source, fields
