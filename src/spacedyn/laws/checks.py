"""Checks that are compiled into laws and the functions they call: index bounds, and interruption of endless loops.

Both are a pass of Numba's compiler. Functions that are compiled already (`numba.njit`) are compiled anew for laws, with
the same checks: other callers keep the original machine code. Loops read a flag in each iteration;
once it is set, the law raises a KeyboardInterrupt.
"""

import ctypes
import hashlib
import inspect
from collections.abc import Callable
from pathlib import Path
from types import CellType, FunctionType
from typing import Any
from weakref import WeakKeyDictionary

import llvmlite.binding as llvm
import llvmlite.ir as llvm_ir
from numba.core import cgutils, ir, postproc, types
from numba.core.analysis import compute_cfg_from_blocks
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.imputils import lower_builtin
from numba.core.ir_utils import build_definitions
from numba.core.registry import CPUDispatcher
from numba.core.untyped_passes import LiteralUnroll
from numba.extending import type_callable

from .fingerprint import fingerprint, references, variables_of

VERSION = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:16]
"""Hash of these checks, part of the cache key of laws."""

_SYMBOL = "spacedyn_end_of_laws"
_flag = ctypes.c_int64(0)
llvm.add_symbol(_SYMBOL, ctypes.addressof(_flag))


def end_loops(ended: bool) -> None:
    """Set or clear the flag that ends the loops of laws, in all threads."""
    _flag.value = int(ended)


def look_at_flag() -> None:
    """Raise KeyboardInterrupt if the flag is set; laws that run as Python are interrupted by Python itself."""


@type_callable(look_at_flag)
def _type_look_at_flag(context: Any) -> Callable:
    return lambda: types.none


@lower_builtin(look_at_flag)
def _lower_look_at_flag(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    word = llvm_ir.IntType(64)
    known = builder.module.globals.get(_SYMBOL)
    flag = known or cgutils.add_global_variable(builder.module, word, _SYMBOL)
    ended = builder.load_atomic(flag, "monotonic", 8, typ=word)  # atomic, so that the compiler does not hoist the load
    with cgutils.if_unlikely(builder, builder.icmp_unsigned("!=", ended, word(0))):
        context.call_conv.return_user_exc(builder, KeyboardInterrupt, ())
    return context.get_dummy_value()


@register_pass(mutates_CFG=False, analysis_only=False)
class LawChecks(FunctionPass):  # type: ignore[misc]
    """The compiler pass: redirects calls to checked functions, and inserts a look at the flag into loops."""

    _name = "spacedyn_law_checks"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Change a function's intermediate code."""
        for block in state.func_ir.blocks.values():
            for statement in block.body:
                if isinstance(statement, ir.Assign):
                    statement.value = _checked_value(state.func_ir, statement.value)
        if not state.flags.auto_parallel.enabled:  # parallel loops are recognised by their form
            _look_in_loops(state.func_ir.blocks)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        postproc.PostProcessor(state.func_ir).run()
        return True


class LawCompiler(CompilerBase):  # type: ignore[misc]
    """Numba's compiler with the pass `LawChecks`."""

    def define_pipelines(self) -> list[Any]:
        """The pipeline: Numba's own, and the pass."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(LawChecks, LiteralUnroll)
        passes.finalize()
        return [passes]


def _checked_value(code: Any, value: Any) -> Any:
    """What a variable is assigned, if that is a compiled function: one with checks."""
    outside = _from_outside(code, value)
    if isinstance(outside, CPUDispatcher | tuple):
        name = value.attr if isinstance(value, ir.Expr) else value.name
        return ir.Global(name, checked(outside), value.loc)
    return value


def _from_outside(code: Any, value: Any) -> Any:
    """The value of a global, a variable of the closure, or an attribute of a module."""
    if isinstance(value, ir.Global | ir.FreeVar):
        return value.value
    if isinstance(value, ir.Expr) and value.op == "getattr":
        definitions = code._definitions.get(value.value.name, ())
        module = _from_outside(code, definitions[0]) if len(definitions) == 1 else None
        return getattr(module, value.attr, None) if inspect.ismodule(module) else None
    return None


def _look_in_loops(blocks: dict[int, Any]) -> None:
    """Call `look_at_flag` where each loop begins anew."""
    for loop in compute_cfg_from_blocks(blocks).loops().values():
        block = blocks[loop.header]
        scope, loc = block.scope, block.loc
        function, nothing = scope.redefine("$look", loc), scope.redefine("$looked", loc)
        block.body[:0] = [
            ir.Assign(ir.Global("look_at_flag", look_at_flag, loc), function, loc),
            ir.Assign(ir.Expr.call(function, (), (), loc), nothing, loc),
        ]


_known: WeakKeyDictionary[Any, tuple[str | None, Any]] = WeakKeyDictionary()


def checked(value: Any) -> Any:
    """A compiled function, or those in a tuple, with the checks of laws; anything else as it is."""
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple(map(checked, value))
    if not isinstance(value, CPUDispatcher) or value._compiler.pipeline_class is LawCompiler:
        return value
    key = fingerprint(value, VERSION)
    if value not in _known or _known[value][0] != key:  # new, or its references have changed
        options = {**value.targetoptions, "boundscheck": True}
        _known[value] = key, CPUDispatcher(value.py_func, value.locals, options, pipeline_class=LawCompiler)
    return _known[value][1]


def with_checked_calls(function: Callable) -> Callable:
    """A function for a run as Python whose calls of compiled functions go to versions with checks."""
    changed = {}
    for value, names, end in references(function):
        if isinstance(end, CPUDispatcher | tuple):
            changed[names[0]] = checked(value) if value is end else _Module(value)
    if not changed:
        return function
    inside = variables_of(function)
    cells = tuple(
        CellType(changed[name]) if name in changed and name in inside else cell
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    )
    space = _Globals(function.__globals__, changed)
    twin = FunctionType(function.__code__, space, function.__name__, function.__defaults__, cells)
    twin.__kwdefaults__ = function.__kwdefaults__
    return twin


class _Globals(dict):
    """A live view of a function's globals in which some names have other values."""

    def __init__(self, others: dict[str, Any], changed: dict[str, Any]):
        super().__init__(changed, __builtins__=others.get("__builtins__", __builtins__))
        self._others = others

    def __missing__(self, name: str) -> Any:
        return self._others[name]


class _Module:
    """A module whose compiled functions have checks."""

    def __init__(self, module: Any):
        self._module = module

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._module, name)
        return _Module(value) if inspect.ismodule(value) else checked(value)
