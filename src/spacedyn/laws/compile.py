"""Turn a law into a C function: its wrapper, compiled and cached by its source, or run as Python."""

import ctypes
import math
import os
import re
import warnings
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
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
from .bytecode import attributes, check_parts, check_replaced, parts_used
from .checks import VERSION, LawCompiler, with_checked_calls
from .fingerprint import fingerprint
from .law import SEEN, WRITTEN, Law, memory

# An index out of bounds is an error, as in Python: a law that writes beyond its arrays would ruin the simulation's own.
OPTIONS = {"error_model": "numpy", "boundscheck": True}

SIGNATURE = types.void(
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


_RESERVED = "Numba does not compile attributes named 'view', such as p.view; choose another name"


class Compiled:
    """A law as a C function; keep it alive while its address is in use."""

    def __init__(self, address: int, keep: Any):
        self.address, self.keep = address, keep
        self.problem = ""  # why it runs as Python, unless the user has chosen that


_known: dict[str, Compiled] = {}
_own: WeakKeyDictionary[Any, Compiled] = WeakKeyDictionary()  # of laws whose references have no fingerprint


class ElementPorts(NamedTuple):
    """Names that laws may read (channels) and write (commands) of an element.

    `namesakes`: elements of that name; `sensed`: channels that do not depend on commands of the same instant; `states`:
    what conditions of events may read, its states and samples.
    """

    channels: tuple[str, ...]
    commands: tuple[str, ...]
    namesakes: int = 1
    sensed: tuple[str, ...] = ()
    states: tuple[str, ...] = ()


Elements = Mapping[str, ElementPorts]
NONE: Elements = {}


def compile_law(law: Law, elements: Elements = NONE) -> Compiled:
    """The law's C function: from the cache by its source, compiled now, or plain Python if it cannot be compiled."""
    source, fields = source_of(law, elements)
    return compile_function(law, source, fields)


def compile_function(law: Any, source: str, fields: dict[str, Any]) -> Compiled:
    """The C function around a user's function, with `source` as the adapter between them."""
    key = fingerprint(law.function, f"{OPTIONS} {VERSION} {source}")
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


def check_names(law: Law, elements: Elements = NONE) -> None:
    """Raise if a law reads or writes unknown names, or lacks a parameter; compiles nothing."""
    source_of(law, elements)


def _native(law: Any, source: str, fields: dict[str, Any], key: str | None) -> Compiled:
    """The law as machine code, or as Python with the reason why."""
    try:
        function = numba.njit(pipeline_class=LawCompiler, **OPTIONS)(law.function)
        wrapper = wrapper_of(source, fields, function, numba.carray, read_only)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NumbaWarning)
            name = f"{law.role.what}-{law.name}" + ("" if key is None else f"-{key}")
            code = Address(wrapper, SIGNATURE, name, key is not None)
        return Compiled(code.address, code)
    except (NumbaError, NotImplementedError, TypeError, ValueError, AttributeError) as error:  # uncompilable
        if "Cannot modify readonly array" in str(error):
            raise _writing(law, str(error)) from None
        lines = [line for line in str(error).splitlines() if line.strip() and not line.startswith("Failed in")]
        compiled = _plain(law, source, fields)
        compiled.problem = _RESERVED if "'view' can only be called" in str(error) else (lines or ["unknown reason"])[0]
        return compiled


def _plain(law: Any, source: str, fields: dict[str, Any]) -> Compiled:
    """The law as a Python function behind a C address; its exceptions are kept for the caller of the driver."""
    name, arrays = law.name, _first if config.DISABLE_JIT else np.ctypeslib.as_array
    wrapper = wrapper_of(source, fields, with_checked_calls(law.function), arrays, _locked)

    def guarded(t: float, view: Any, parameters: Any, out: Any, places: Any) -> None:
        if faults.ending():  # an interrupted endless loop would start again
            return
        try:
            wrapper(t, view, parameters, out, places)
        except BaseException as error:  # exceptions cannot pass through compiled code
            faults.note(error, name)

    if config.DISABLE_JIT:
        PLAIN_FUNCTIONS[id(guarded)] = guarded
        return Compiled(id(guarded), guarded)
    callback = PYTHON_SIGNATURE(guarded)
    return Compiled(ctypes.cast(callback, ctypes.c_void_p).value or 0, callback)


def rehearse(law: Law, t: float, view: np.ndarray, places: np.ndarray, elements: Elements = NONE) -> np.ndarray:
    """Output of a law run as plain Python, with its exceptions."""
    return rehearse_function(law, *source_of(law, elements), t, view, places)


def rehearse_function(
    law: Any, source: str, fields: dict[str, Any], t: float, view: np.ndarray, places: np.ndarray
) -> np.ndarray:
    """Output of a user's function run as plain Python, with `source` as the adapter."""
    out = np.zeros(int(places[1]))
    numbers = np.concatenate([*(np.ravel(value) for value in law.parameters.values()), [0.0]])
    with np.errstate(all="ignore"):
        function = with_checked_calls(law.function)
        wrapper_of(source, fields, function, _first, _locked)(t, view.copy(), numbers, out, places)
    return out


def _first(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """`carray` for a run as Python: the first numbers of an array, in a shape."""
    return array[: shape[0]]


def _locked(array: np.ndarray) -> np.ndarray:
    """`read_only` for a run as Python."""
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


def _writing(law: Any, message: str) -> InputError:
    """The error for a law that writes to read-only arrays; Numba's message has the place."""
    package = f"{Path(numba.__file__).parent.name}{os.sep}"
    places = re.findall(r'File "(.+?)", line (\d+)', message)
    where = next((f" ({file}, line {line})" for file, line in places if package not in file and file != "<law>"), "")
    return InputError(
        f"{law.role.what} '{law.name}' writes into its parameters or into what it sees{where}: both are read-only, and "
        f"a copy may be written, p.name.copy(); {memory(law.role.what)}"
    )


def wrapper_of(
    source: str, fields: dict[str, Any], function: Any, carray: Any, read_only: Any, scalars: Any = None
) -> Callable:
    """The function behind the C signature; `scalars` (or `carray`) makes the arrays that a law sees and writes."""
    space: dict[str, Any] = {"__name__": __name__, "law": function, "carray": carray, "read_only": read_only, **fields}
    space["scalars"] = scalars or carray
    exec(compile(source, "<law>", "exec"), space)
    return space["wrapper"]


def used_names(law: Law, elements: Elements = NONE) -> tuple[list[str], list[str]]:
    """Names that a law reads and that it writes, in the order of their places in the table of its function.

    An element's blocks are named 'element.block'. Raises for unknown names.
    """
    role, columns = law.role, law.role.written
    for name in law.states:
        if name in SEEN or name in WRITTEN:
            raise InputError(f"law '{law.name}': the state '{name}' has the name of something else; rename it")
    sees = role.what in ("law", "condition")  # other roles see no elements
    known = {name: one for name, one in elements.items() if sees and one.namesakes == 1}
    channels = {name: readable for name, one in known.items() if (readable := _readable(law, one))}
    commands = {name: one.commands for name, one in known.items() if one.commands and role.what == "law"}
    for argument, parts in (("s", channels), ("out", commands)):
        for name, part in parts_used(law.function.__code__, role.arguments.index(argument)) if parts else ():
            if name in parts and part in parts[name] and (name in SEEN or name in columns):
                raise InputError(
                    f"{role.what} '{law.name}': {argument}.{name} is the robot's, and an element has the same name; "
                    f"rename the element to use its {part}"
                )
    reads = attributes(law.function, role, "s", {*SEEN, *law.states, *channels})
    writes = attributes(law.function, role, "out", {*columns, *law.states, *commands})
    for what, asked, offered in (
        ("s", attributes(law.function, role, "s", None), [*SEEN, *law.states, *channels]),
        ("out", attributes(law.function, role, "out", None), [*columns, *law.states, *commands]),
    ):
        for name in sorted(asked - set(offered)):
            reason = _unusable(law, what, name, elements) or f"{what} has no '{name}'; {nearest(name, offered)}"
            raise InputError(f"{role.what} '{law.name}': {reason}")
    if role.what == "condition":
        for name, part in parts_used(law.function.__code__, role.arguments.index("s")):
            if name in channels and part in known[name].channels and part not in channels[name]:
                raise InputError(
                    f"condition '{law.name}': s.{name}.{part} is known only when the dynamics is solved, and events "
                    f"cannot wait for it; {nearest(part, channels[name])}"
                )
    if sees:
        part = "channel " if role.what == "law" else "channel or state "
        check_parts(f"{role.what} '{law.name}'", law.function, role, "s", part, channels)
    if role.what == "law":
        check_parts(f"law '{law.name}'", law.function, role, "out", "command ", commands)
        places = {one: f"out.{name}.{one}" for name, parts in commands.items() for one in parts}
        check_replaced(f"law '{law.name}'", law.function, places)
    seen = [name for name in SEEN if name in reads] + list(law.states)
    written = [name for name in columns if name in writes] + list(law.states)
    seen += [f"{name}.{block}" for name, blocks in channels.items() if name in reads for block in blocks]
    written += [f"{name}.{block}" for name, blocks in commands.items() if name in writes for block in blocks]
    return seen, written


def _readable(law: Law, one: ElementPorts) -> tuple[str, ...]:
    """Channels of an element that a law may read: those independent of its own output; conditions read states, too."""
    if law.role.what == "condition":
        return (*(one.channels if one.commands else one.sensed), *one.states)
    return one.sensed if law.period is None else one.channels


def _unusable(law: Law, argument: str, name: str, elements: Elements) -> str | None:
    """Why a law cannot use s.<name> or out.<name> of an existing element; None if no element has the name."""
    if name not in elements or law.role.what not in ("law", "condition"):
        return None
    one = elements[name]
    if one.namesakes > 1:
        return f"{one.namesakes} elements are named '{name}', which it cannot tell apart: give each a name of its own"
    if law.role.what == "law" and argument == "out":
        return f"the element '{name}' has no commands, which is what laws write"
    if law.role.what == "law" and not one.channels:
        return f"the element '{name}' has no channels, which is what laws read"
    for element, part in sorted(parts_used(law.function.__code__, law.role.arguments.index("s"))):
        if law.role.what == "law" and element == name and part not in one.channels:
            return f"s.{name} has no channel '{part}'; {nearest(part, list(one.channels))}"
    if one.channels and not _readable(law, one) and law.role.what == "condition":
        return f"it reads s.{name}, known only when the dynamics is solved; give it a period, and read what it holds"
    if one.channels and not _readable(law, one):
        return (
            f"it reads s.{name}, which depends on what laws command at the same instant, and a continuous law "
            "is one of these; sample it (period=...): a sample sees what was there before it. To linearize it as a "
            "continuous one, let it read another element, which has no commands"
        )
    return None


def source_of(law: Law, elements: Elements = NONE) -> tuple[str, dict[str, Any]]:
    """Source of the function behind the C signature, and the record types that it fills."""
    seen, written = used_names(law, elements)
    for name in sorted(attributes(law.function, law.role, "p", None) - set(law.parameters)):
        raise InputError(f"{law.role.what} '{law.name}' needs a parameter '{name}'; give it as {law.name}({name}=...)")
    columns = {**SEEN, **law.role.written}
    return wrapper_source(law.role.arguments, seen, written, law.parameters, columns)


def wrapper_source(
    arguments: Sequence[str], seen: list[str], written: list[str], given: Mapping[str, np.ndarray], columns: Mapping
) -> tuple[str, dict[str, Any]]:
    """Source of the adapter behind the C signature, which cuts flat memory into named arrays.

    `columns`: numbers of columns of arrays that are not flat.
    """
    shapes = tuple((name, np.shape(value)) for name, value in given.items())
    return _source_by_names(tuple(arguments), tuple(seen), tuple(written), shapes, tuple(columns.items()))


Shape = tuple[str, tuple[int, ...]]


@lru_cache(maxsize=1024)
def _source_by_names(
    arguments: tuple[str, ...],
    seen: tuple[str, ...],
    written: tuple[str, ...],
    shapes: tuple[Shape, ...],
    wide_ones: tuple[tuple[str, int], ...],
) -> tuple[str, dict[str, Any]]:
    """The same, cached for laws with the same names: making named tuples takes longer than a short run."""
    columns = dict(wide_ones)

    def cut(array: str, name: str, first: int) -> str:
        start, stop = f"n[{first}]", f"n[{first + 1}]"
        wide = columns.get(name, 0)
        return f"{array}[{start}:{stop}]" + (f".reshape(({stop} - {start}) // {wide}, {wide})" if wide else "")

    parts: dict[str, dict[str, str]] = {"s": {}, "p": {}, "out": {}}
    for i, name in enumerate(seen):
        parts["s"][name] = cut("view", name, 2 + 2 * i)
    for i, name in enumerate(written):
        parts["out"][name] = cut("o", name, 2 + 2 * (len(seen) + i))
    at = 0
    for name, shape in shapes:
        size, formed = math.prod(shape), f".reshape{shape}" if len(shape) > 1 else ""
        parts["p"][name] = f"p[{at}:{at + size}]{formed}" if shape else f"p[{at}]"
        at += size
    fields: dict[str, Any] = {}
    handed = {"t": "t"}
    for argument, texts in parts.items():
        handed[argument] = _record(f"record_{argument}", texts, fields)
    source = f"""
def wrapper(t, view_, p_, o_, places_):
    n = carray(places_, ({2 + 2 * (len(seen) + len(written))},))
    view, p = read_only(scalars(view_, (n[0],))), read_only(carray(p_, ({max(at, 1)},)))
    o = scalars(o_, (n[1],))
    law({", ".join(handed[argument] for argument in arguments)})
"""
    return source, fields


def _record(name: str, texts: dict[str, str], fields: dict[str, Any]) -> str:
    """A named tuple of these expressions, whose type goes to `fields`; 'a.b' and 'a.c' make one of their own, a."""
    groups: dict[str, dict[str, str]] = {}
    for key, text in texts.items():
        head, _, tail = key.partition(".")
        groups.setdefault(head, {})[tail] = text
    made = {
        head: inner[""] if "" in inner else _record(f"{name}_{head}", inner, fields) for head, inner in groups.items()
    }
    fields[name] = namedtuple(name, list(made) or ["nothing"])
    return f"{name}({', '.join(made.values()) or '0.0'})"
