"""C functions that laws call by name: compiled once, kept on disk, and not compiled anew with every law.

    @linked(DOUBLES, DOUBLES)
    def core(w, settings): ...

Inside a law `core(pointer(w), pointer(p.settings))` is a call of a symbol. `link(core)` makes the symbol known; whoever
makes a law that calls it does so first.
"""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
from numba import types
from numba.core import config

from ....kernels.scalar.compiling import Address

DOUBLES, INTEGERS, DOUBLE = types.CPointer(types.float64), types.CPointer(types.int64), types.float64

_HERE = Path(__file__).parent
_VERSION = hashlib.sha256(b"".join(path.read_bytes() for path in sorted(_HERE.glob("*.py")))).hexdigest()[:16]
_described: dict[str, tuple[Callable, Any]] = {}
_keep: dict[str, Address] = {}


def linked(*arguments: Any) -> Callable[[Callable], Any]:
    """Decorator that makes a function over pointers a C function of these arguments, which laws may call."""

    def make(function: Callable) -> Any:
        symbol, signature = f"spacedyn_{function.__name__}_{_VERSION}", types.void(*arguments)
        _described[symbol] = function, signature
        if config.DISABLE_JIT:
            return function
        return types.ExternalFunction(symbol, signature)

    return make


def link(*functions: Any) -> None:
    """Make C functions known to laws by their names; compiled when they are first needed, and kept on disk."""
    for one in functions:
        if not config.DISABLE_JIT and one.symbol not in _keep:
            function, signature = _described[one.symbol]
            _keep[one.symbol] = Address(function, signature, f"control.{function.__name__}-{_VERSION}")
            llvm.add_symbol(one.symbol, _keep[one.symbol].address)
