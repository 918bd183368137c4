"""Dual numbers in memory: a value and its LANES tangents in a row; how tangents are set and read."""

from llvmlite import ir
from numba.core import types
from numba.core.imputils import lower_builtin
from numba.extending import type_callable

from .dual_type import _ZEROS, Dual, DualType, _join, _parts, dual
from .memory import (
    _BLOCK_ARGUMENTS,
    _ROW_ARGUMENTS,
    ZEROS,
    _load_constant,
    _number_at,
    _row_elements,
    gather,
    gather_block,
    lanes_of,
    load,
    scatter,
    scatter_block,
    shared,
    shared_at,
    store,
    zero_of,
)
from .pack import LANES, _double, _vector, align_stack, pack

ZEROS[bool] = Dual(0.0)


@type_callable(zero_of)
def _type_zero_of(context):
    return lambda kind: dual if isinstance(kind, types.Boolean) else None


@lower_builtin(zero_of, types.Boolean)
def _lower_zero_of(context, builder, sig, args):
    align_stack(builder.function)
    return _join(builder, ir.Constant(_double, 0.0), _ZEROS)


@lower_builtin(lanes_of, DualType)
def _lower_lanes_of(context, builder, sig, args):
    return ir.Constant(ir.IntType(types.intp.bitwidth), 1)


@type_callable(shared)
def _type_shared(context):
    return lambda array, k, zero: types.float64 if zero == dual else None


@lower_builtin(shared, types.CPointer, types.Integer, DualType)
def _lower_shared(context, builder, sig, args):
    return _load_constant(builder, args[0], args[1], _double)


@type_callable(shared_at)
def _type_shared_at(context):
    return lambda array, k, index, zero: types.float64 if zero == dual else None


@lower_builtin(shared_at, types.CPointer, types.Integer, DualType, DualType)
def _lower_shared_at(context, builder, sig, args):
    return _number_at(builder, args[0], args[1], builder.extract_value(args[2], 0))


def _places(builder, array, k):
    """Addresses of a dual's value and of its tangents."""
    first = builder.mul(k, ir.Constant(k.type, 1 + LANES))
    second = builder.gep(array, [builder.add(first, ir.Constant(k.type, 1))])
    return builder.gep(array, [first]), builder.bitcast(second, _vector.as_pointer())


@lower_builtin(load, types.CPointer, types.Integer, DualType)
def _lower_load(context, builder, sig, args):
    value, tangents = _places(builder, args[0], args[1])
    return _join(builder, builder.load(value, typ=_double), builder.load(tangents, align=8, typ=_vector))


@lower_builtin(store, types.CPointer, types.Integer, DualType)
def _lower_store(context, builder, sig, args):
    places = _places(builder, args[0], args[1])
    value, tangents = _parts(builder, args[2])
    builder.store(value, places[0])
    builder.store(tangents, places[1], align=8)
    return context.get_dummy_value()


@lower_builtin(gather, *_ROW_ARGUMENTS, DualType)
def _lower_gather(context, builder, sig, args):
    (element,) = _row_elements(builder, args, 1)
    return _join(builder, builder.load(element, typ=_double), _ZEROS)


@lower_builtin(scatter, *_ROW_ARGUMENTS, DualType)
def _lower_scatter(context, builder, sig, args):
    (element,) = _row_elements(builder, args, 1)
    builder.store(builder.extract_value(args[-1], 0), element)
    return context.get_dummy_value()


@lower_builtin(scatter_block, *_BLOCK_ARGUMENTS, DualType)
def _lower_scatter_block(context, builder, sig, args):
    (element,) = _row_elements(builder, (*args[:5], None), 1)
    builder.store(builder.load(_places(builder, args[5], args[6])[0], typ=_double), element)
    return context.get_dummy_value()


@lower_builtin(gather_block, *_BLOCK_ARGUMENTS, DualType)
def _lower_gather_block(context, builder, sig, args):
    (element,) = _row_elements(builder, (*args[:5], None), 1)
    value, tangents = _places(builder, args[5], args[6])
    builder.store(builder.load(element, typ=_double), value)
    builder.store(_ZEROS, tangents, align=8)
    return context.get_dummy_value()


# -- tangents ---------------------------------------------------------------------------------------------------------


def seed(array, k, lane, number):
    """Let tangent `lane` of scalar k of a flat array be a number."""
    array[k] = Dual(array[k].value, number)


def tangents_of(x):
    """The tangents of a dual, as a pack."""
    return x.tangent


@type_callable(seed)
def _type_seed(context):
    return lambda array, k, lane, number: types.none


@type_callable(tangents_of)
def _type_tangents_of(context):
    return lambda x: pack if x == dual else None


@lower_builtin(seed, types.CPointer, types.Integer, types.Integer, types.Float)
def _lower_seed(context, builder, sig, args):
    array, k, lane, number = args
    first = builder.mul(k, ir.Constant(k.type, 1 + LANES))
    place = builder.add(builder.add(first, lane), ir.Constant(k.type, 1))
    builder.store(number, builder.gep(array, [place]))
    return context.get_dummy_value()


@lower_builtin(tangents_of, DualType)
def _lower_tangents_of(context, builder, sig, args):
    return builder.extract_value(args[0], 1)
