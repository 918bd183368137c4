"""Turn a law into a C function: its wrapper, compiled and cached by its source, or run as Python."""

import ctypes
import os
import re
import warnings
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numba
import numpy as np
from numba import types
from numba.core import config
from numba.core.errors import NumbaError, NumbaWarning
from numba.core.imputils import impl_ret_borrowed, lower_builtin
from numba.extending import type_callable

from ..errors import InputError, RunWarning, nearest, warn_user
from ..kernels.scalar.compiling import PLAIN_FUNCTIONS, Address
from . import faults
from .bytecode import attributes
from .checks import VERSION, LawCompiler, with_checked_calls
from .fingerprint import fingerprint
from .law import MEMORY, SEEN, WRITTEN, Law

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
_own: WeakKeyDictionary[Law, Compiled] = WeakKeyDictionary()  # of laws that refer to what has no fingerprint


def compile_law(law: Law) -> Compiled:
    """The law's C function: from the cache by its source, compiled now, or plain Python if it cannot be compiled."""
    source, fields = _wrapper_source(law)
    key = fingerprint(law.function, f"{_OPTIONS} {VERSION} {source}")
    compiled = _own.get(law) if key is None else _known.get(key)
    if compiled is None:
        compiled = _plain(law, source, fields) if config.DISABLE_JIT else _native(law, source, fields, key)
        if key is None:
            _own[law] = compiled
        else:
            _known[key] = compiled
    if compiled.problem:
        message = f"{law.role.what} '{law.name}' cannot be compiled and runs in Python, slowly: {compiled.problem}"
        warn_user(message, RunWarning)
    return compiled


def check_names(law: Law) -> None:
    """Raise if a law reads or writes unknown names, or lacks a parameter; nothing is compiled."""
    _wrapper_source(law)


def _native(law: Law, source: str, fields: dict[str, Any], key: str | None) -> Compiled:
    """The law as machine code, or as Python with the reason."""
    try:
        function = numba.njit(pipeline_class=LawCompiler, **_OPTIONS)(law.function)
        wrapper = _wrapper(source, fields, function, numba.carray, read_only)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NumbaWarning)
            code = Address(wrapper, _SIGNATURE, f"law-{law.name}" + ("" if key is None else f"-{key}"), key is not None)
        return Compiled(code.address, code)
    except (NumbaError, NotImplementedError, TypeError, ValueError, AttributeError) as error:  # it gives up with these
        if "Cannot modify readonly array" in str(error):
            raise _writing(law, str(error)) from None
        lines = [line for line in str(error).splitlines() if line.strip() and not line.startswith("Failed in")]
        compiled = _plain(law, source, fields)
        compiled.problem = (lines or ["unknown reason"])[0]
        return compiled


def _plain(law: Law, source: str, fields: dict[str, Any]) -> Compiled:
    """The law as a Python function behind a C address; its exceptions are noted for the simulation (faults.py)."""
    name, arrays = law.name, _first if config.DISABLE_JIT else np.ctypeslib.as_array
    wrapper = _wrapper(source, fields, with_checked_calls(law.function), arrays, _locked)

    def guarded(t: float, view: Any, parameters: Any, out: Any, sizes: Any) -> None:
        if faults.ending():  # a law that was interrupted in an endless loop would be in it again
            return
        try:
            wrapper(t, view, parameters, out, sizes)
        except BaseException as error:  # it must not cross the compiled code
            faults.note(error, name)

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
        function = with_checked_calls(law.function)
        _wrapper(source, fields, function, _first, _locked)(t, view.copy(), numbers, out, sizes)
    return out


def _first(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """What `carray` does, for arrays."""
    return array[: shape[0]]


def _locked(array: np.ndarray) -> np.ndarray:
    """What `read_only` does, for arrays."""
    array.flags.writeable = False
    return array


def read_only(array: Any) -> Any:
    """The array as one that compiled code cannot write to: Numba knows that by its type."""


@type_callable(read_only)
def _type_read_only(context: Any) -> Callable:
    return lambda array: array.copy(readonly=True)


@lower_builtin(read_only, types.Array)
def _lower_read_only(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return impl_ret_borrowed(context, builder, sig.return_type, args[0])


def _writing(law: Law, message: str) -> InputError:
    """The error for a law that writes to what it is given; Numba's message says where."""
    package = f"{Path(numba.__file__).parent.name}{os.sep}"
    places = re.findall(r'File "(.+?)", line (\d+)', message)
    where = next((f" ({file}, line {line})" for file, line in places if package not in file and file != "<law>"), "")
    return InputError(
        f"{law.role.what} '{law.name}' writes into its parameters or into what it sees{where}: both are read-only, and "
        f"a copy may be written, p.name.copy(); {MEMORY}"
    )


def _wrapper(source: str, fields: dict[str, Any], function: Any, carray: Any, read_only: Any) -> Callable:
    space: dict[str, Any] = {"__name__": __name__, "law": function, "carray": carray, "read_only": read_only, **fields}
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
    view, p = read_only(carray(view_, (nview,))), read_only(carray(p_, ({max(start, 1)},)))
    o = carray(o_, (no,))
    law({", ".join(handed[argument] for argument in role.arguments)})
"""
    return source, fields
