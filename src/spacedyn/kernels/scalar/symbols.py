"""C functions that kernels call by name: compiled once, kept on disk, and not compiled anew with every kernel.

    @by_name(DOUBLES, INTEGER)
    def search(work, i): ...

    @entry
    @calling(search)
    def run(...): ...

Inside a kernel `search(work, i)` is a call of a symbol. `calling` says which symbols an entry point or a kind of
elements needs, itself or by what it calls: they are made known before its machine code is made or read from disk.
"""

from typing import Any

import llvmlite.binding as llvm
from numba.core import config, types

from .compiling import SOURCES, Address

DOUBLES, INTEGERS, INTEGER = types.CPointer(types.float64), types.CPointer(types.int64), types.int64

_described: dict[str, Any] = {}
_keep: dict[str, Address] = {}


def by_name(*arguments):
    """Decorator that makes a function over pointers and integers a C function, which returns nothing."""

    def make(function):
        if config.DISABLE_JIT:
            return function
        symbol, signature = f"spacedyn_{function.__name__}_{SOURCES}", types.void(*arguments)
        _described[symbol] = function, signature
        return types.ExternalFunction(symbol, signature)

    return make


def calling(*functions):
    """Decorator that notes which C functions a kernel needs, for `entry` and `kind`."""

    def note(function):
        function.link = lambda: link(*functions)
        return function

    return note


def link(*functions):
    """Register C functions by their names; they are compiled when first needed."""
    for one in functions:
        if not config.DISABLE_JIT and one.symbol not in _keep:
            function, signature = _described[one.symbol]
            made = Address(function, signature, f"{function.__module__.rpartition('.')[2]}.{function.__name__}")
            llvm.add_symbol(one.symbol, made.address)
            _keep[one.symbol] = made
