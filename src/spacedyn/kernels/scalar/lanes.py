"""Access to single numbers of scalars in memory: one lane of a pack, the value or a tangent of a dual.

Laws are called with plain doubles: these functions read them from scalars of any kind, and write results back.
"""

from llvmlite import ir
from numba.core import types
from numba.core.imputils import lower_builtin
from numba.extending import type_callable

from .dual_type import Dual, DualType
from .pack import LANES, PackType, _double

_word = ir.IntType(types.intp.bitwidth)


def stride_of(zero):
    """Doubles that a scalar takes in memory; the first ones are the robots', or the value."""
    return 1


def directions_in(zero):
    """How many tangents a scalar carries."""
    return 1 if isinstance(zero, Dual) else 0


def number_in(array, k, lane, zero):
    """A robot's number in scalar k of a flat array; a dual's value."""
    return float(array[k])


def add_number(array, k, lane, number, zero):
    """Add a number to a robot's in scalar k; to a dual's value."""
    array[k] = array[k] + number


def tangent_in(array, k, lane):
    """Tangent `lane` of scalar k of a flat array of duals."""
    return array[k].tangent


def add_tangent(array, k, lane, number):
    """Add a number to that tangent."""
    array[k] = Dual(array[k].value, array[k].tangent + number)


@type_callable(stride_of)
def _type_stride_of(context):
    return lambda zero: types.intp


@type_callable(directions_in)
def _type_directions_in(context):
    return lambda zero: types.intp


@type_callable(number_in)
def _type_number_in(context):
    return lambda array, k, lane, zero: types.float64


@type_callable(add_number)
def _type_add_number(context):
    return lambda array, k, lane, number, zero: types.none


@type_callable(tangent_in)
def _type_tangent_in(context):
    return lambda array, k, lane: types.float64


@type_callable(add_tangent)
def _type_add_tangent(context):
    return lambda array, k, lane, number: types.none


def _place(builder, array, k, lane, stride, first=0):
    at = builder.add(builder.mul(k, ir.Constant(k.type, stride)), ir.Constant(k.type, first))
    return builder.gep(array, [builder.add(at, lane)])


def _add(builder, place, number):
    builder.store(builder.fadd(builder.load(place, typ=_double), number), place)


def _register(kind, stride, tangents):
    """The functions that depend on the kind of scalar."""

    @lower_builtin(stride_of, kind)
    def _stride_of(context, builder, sig, args):
        return ir.Constant(_word, stride)

    @lower_builtin(directions_in, kind)
    def _directions_in(context, builder, sig, args):
        return ir.Constant(_word, tangents)

    @lower_builtin(number_in, types.CPointer, types.Integer, types.Integer, kind)
    def _number_in(context, builder, sig, args):
        return builder.load(_place(builder, *args[:3], stride), typ=_double)

    @lower_builtin(add_number, types.CPointer, types.Integer, types.Integer, types.Float, kind)
    def _add_number(context, builder, sig, args):
        _add(builder, _place(builder, *args[:3], stride), args[3])
        return context.get_dummy_value()


_register(types.Float, 1, 0)
_register(PackType, LANES, 0)
_register(DualType, 1 + LANES, LANES)


@lower_builtin(tangent_in, types.CPointer, types.Integer, types.Integer)
def _tangent_in(context, builder, sig, args):
    return builder.load(_place(builder, *args, 1 + LANES, 1), typ=_double)


@lower_builtin(add_tangent, types.CPointer, types.Integer, types.Integer, types.Float)
def _add_tangent(context, builder, sig, args):
    _add(builder, _place(builder, *args[:3], 1 + LANES, 1), args[3])
    return context.get_dummy_value()
