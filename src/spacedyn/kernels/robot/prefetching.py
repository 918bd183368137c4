"""Prefetch the description of the next pack of robots that differ, while the present pack is computed.

What forward dynamics reads of one pack does not fit into the first-level cache. So the next pack is prefetched in three
parts, one in each pass over the bodies; all at once, it would displace data of the present pack.
"""

from llvmlite import ir
from numba.core import types
from numba.core.imputils import lower_builtin
from numba.extending import type_callable

from ..scalar.compiling import inner
from ..scalar.memory import _vector_at, integer
from .descriptions import LanesPointerType
from .layout import *  # noqa: F403

_bytes, _int = ir.IntType(8).as_pointer(), ir.IntType(32)
_TO_SECOND_LEVEL = 2  # cache level: the first holds the present pack


def fetch(array, k):
    """Prefetch number k of a description that has a number for each lane."""


@type_callable(fetch)
def _type_fetch(context):
    return lambda array, k: types.none


@lower_builtin(fetch, types.CPointer, types.Integer)
def _lower_fetch_nothing(context, builder, sig, args):
    return context.get_dummy_value()


@lower_builtin(fetch, LanesPointerType, types.Integer)
def _lower_fetch(context, builder, sig, args):
    place = builder.bitcast(_vector_at(builder, args[0], args[1]), _bytes)
    kind = ir.FunctionType(ir.VoidType(), [_bytes, _int, _int, _int])
    prefetch = builder.module.declare_intrinsic("llvm.prefetch", [_bytes], kind)
    builder.call(prefetch, [place, _int(0), _int(_TO_SECOND_LEVEL), _int(1)])  # to read; data
    return context.get_dummy_value()


@inner
def prefetch_numbers(tree, par, i, first, last):
    """Prefetch the numbers from `first` to before `last` of body i's record."""
    record = integer(tree, PAR_GRAVITY) + 3 + i * BODY_PARS
    for k in range(first, last):
        fetch(par, record + k)


@inner
def prefetch_mass(tree, par, i):
    """Prefetch mass and centre of mass of body i."""
    prefetch_numbers(tree, par, i, P_COM, P_INERTIA)


@inner
def prefetch_inertia(tree, par, i):
    """Prefetch the inertia of body i."""
    prefetch_numbers(tree, par, i, P_INERTIA, P_PITCH)


@inner
def prefetch_place(tree, par, i):
    """Prefetch where the joint of body i is in its parent, and its rotation, if each robot has its own."""
    record = integer(tree, BODY_AT) + i * BODY_INTS
    if integer(tree, record + FLAGS) & TURNED and integer(tree, record + FRAME_AT) == 0:
        prefetch_numbers(tree, par, i, P_ROTATION, P_POSITION)
    prefetch_numbers(tree, par, i, P_POSITION, P_COM)
