"""Memory of kernels: flat arrays of scalars, no index check, no wrap-around, no reference count.

One float64, or a pack of neighbours, is loaded and stored by the type of `zero`; `gather` and `scatter` go between the
rows that users hand in (one robot a row) and scalars. With the JIT switched off the same functions are plain Python.
"""

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.imputils import lower_builtin
from numba.extending import type_callable

from .pack import LANES, PackType, _double, _is_number, _lane, _splat, _vector, align_stack, pack, value_of


def pointer(array):
    """The bare address of a flat array, as kernels pass it: counting references would cost more than the work."""
    return array


@type_callable(pointer)
def _type_pointer(context):
    return lambda array: types.CPointer(array.dtype) if array.ndim == 1 else None


@lower_builtin(pointer, types.Array)
def _lower_pointer(context, builder, sig, args):
    return context.make_array(sig.args[0])(context, builder, args[0]).data


def later(array, k):
    """The same memory from element k on."""
    return array[k:]


@type_callable(later)
def _type_later(context):
    return lambda array, k: array


@lower_builtin(later, types.CPointer, types.Integer)
def _lower_later(context, builder, sig, args):
    return builder.gep(args[0], [args[1]])


def as_numbers(array):
    """The same memory, the integers in it taken as the bits of numbers."""
    return array.view(float)


@type_callable(as_numbers)
def _type_as_numbers(context):
    return lambda array: types.CPointer(types.float64)


@lower_builtin(as_numbers, types.CPointer)
def _lower_as_numbers(context, builder, sig, args):
    return builder.bitcast(args[0], _double.as_pointer())


ZEROS: dict[type, Any] = {float: 0.0, int: 0.0}
"""Without the JIT: zero of the scalar that a value of this type stands for."""


def zero_of(kind):
    """Zero of the scalar that `kind` (ONE, PACK, or DUAL of dual.py) stands for."""
    return ZEROS[type(kind)]


def lanes_of(zero):
    """Number of robots in a scalar."""
    return 1


def widest_of(zero):
    """Zero of a pack, where one robot's numbers that follow each other in memory can be taken as one; else `zero`."""
    return zero


def load(array, k, zero):
    """Scalar k of a flat array."""
    return type(zero)(array[k])


def store(array, k, value):
    """Write scalar k of a flat array."""
    array[k] = value


def shared(array, k, zero):
    """Number k of a description that no kernel writes: the same in every lane, or each lane's own."""
    return float(array[k])


def shared_at(array, k, index, zero):
    """Number k + index of a description that no kernel writes, for an index that each lane has of its own.

    The index is a scalar with a whole number; the caller must ensure that it is within the table, and not NaN.
    """
    return float(array[k + int(value_of(index))])


@type_callable(zero_of)
def _type_zero_of(context):
    def typer(kind):
        return types.float64 if isinstance(kind, types.Float) else pack if isinstance(kind, types.Integer) else None

    return typer


@lower_builtin(zero_of, types.Float)
@lower_builtin(zero_of, types.Integer)
def _lower_zero_of(context, builder, sig, args):
    zero = ir.Constant(_double, 0.0)
    if sig.return_type == types.float64:
        return zero
    align_stack(builder.function)
    return _splat(builder, zero)


@type_callable(lanes_of)
def _type_lanes_of(context):
    return lambda zero: types.intp


@lower_builtin(lanes_of, types.Float)
def _lower_lanes_of_one(context, builder, sig, args):
    return ir.Constant(ir.IntType(types.intp.bitwidth), 1)


@lower_builtin(lanes_of, PackType)
def _lower_lanes_of(context, builder, sig, args):
    return ir.Constant(ir.IntType(types.intp.bitwidth), LANES)


@type_callable(widest_of)
def _type_widest_of(context):
    return lambda zero: pack if zero == types.float64 else zero


@lower_builtin(widest_of, types.Any)
def _lower_widest_of(context, builder, sig, args):
    return _splat(builder, args[0]) if sig.args[0] == types.float64 else args[0]


@type_callable(load)
def _type_load(context):
    return lambda array, k, zero: zero


@type_callable(shared)
def _type_shared(context):
    return lambda array, k, zero: zero if zero == pack or _is_number(zero) else None


@type_callable(shared_at)
def _type_shared_at(context):
    return lambda array, k, index, zero: zero if zero == pack or _is_number(zero) else None


@type_callable(store)
def _type_store(context):
    return lambda array, k, value: types.none


def _vector_at(builder, array, k):
    first = builder.mul(k, ir.Constant(k.type, LANES))
    return builder.bitcast(builder.gep(array, [first]), _vector.as_pointer())


def _load_constant(builder, array, k, element_type):
    """Load from a description of a robot, which no kernel writes: the compiler need not load it again after a store."""
    value = builder.load(builder.gep(array, [k]), typ=element_type)
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


@lower_builtin(load, types.CPointer, types.Integer, types.Float)
def _lower_load_one(context, builder, sig, args):
    return builder.load(builder.gep(args[0], [args[1]]), typ=_double)


@lower_builtin(load, types.CPointer, types.Integer, PackType)
def _lower_load(context, builder, sig, args):
    return builder.load(_vector_at(builder, args[0], args[1]), align=8, typ=_vector)


@lower_builtin(shared, types.CPointer, types.Integer, types.Float)
def _lower_shared_one(context, builder, sig, args):
    return _load_constant(builder, args[0], args[1], _double)


@lower_builtin(shared, types.CPointer, types.Integer, PackType)
def _lower_shared(context, builder, sig, args):
    return _splat(builder, _load_constant(builder, args[0], args[1], _double))


def _number_at(builder, array, k, index):
    """Number k + index of a description."""
    return _load_constant(builder, array, builder.add(k, builder.fptosi(index, k.type)), _double)


@lower_builtin(shared_at, types.CPointer, types.Integer, types.Float, types.Float)
def _lower_shared_at_one(context, builder, sig, args):
    return _number_at(builder, *args[:3])


@lower_builtin(shared_at, types.CPointer, types.Integer, PackType, PackType)
def _lower_shared_at(context, builder, sig, args):
    array, k, index, _ = args
    value = ir.Constant(_vector, ir.Undefined)
    for lane in range(LANES):
        number = _number_at(builder, array, k, builder.extract_element(index, _lane(lane)))
        value = builder.insert_element(value, number, _lane(lane))
    return value


@lower_builtin(store, types.CPointer, types.Integer, types.Float)
def _lower_store_one(context, builder, sig, args):
    builder.store(args[2], builder.gep(args[0], [args[1]]))
    return context.get_dummy_value()


@lower_builtin(store, types.CPointer, types.Integer, PackType)
def _lower_store(context, builder, sig, args):
    builder.store(args[2], _vector_at(builder, args[0], args[1]), align=8)
    return context.get_dummy_value()


# -- rows of robots (row, component): one row for a float64, a row a lane for a pack -----------------------------


def gather(array, width, row, last, j, zero):
    """Component j of the rows from `row` on; lanes beyond row `last` repeat it."""
    return type(zero)(array[row * width + j])


def scatter(array, width, row, last, j, value):
    """Write component j of the rows from `row` on; lanes beyond row `last` write there too, the same value."""
    array[row * width + j] = value_of(value)


@type_callable(gather)
def _type_gather(context):
    return lambda array, width, row, last, j, zero: zero


@type_callable(scatter)
def _type_scatter(context):
    return lambda array, width, row, last, j, value: types.none


def _row_elements(builder, args, lanes):
    array, width, row, last, j, _ = args
    for lane in range(lanes):
        mine = builder.add(row, ir.Constant(row.type, lane))
        mine = builder.select(builder.icmp_signed("<", mine, last), mine, last) if lane else mine
        yield builder.gep(array, [builder.add(builder.mul(mine, width), j)])


_ROW_ARGUMENTS = (types.CPointer, types.Integer, types.Integer, types.Integer, types.Integer)


@lower_builtin(gather, *_ROW_ARGUMENTS, types.Float)
def _lower_gather_one(context, builder, sig, args):
    (element,) = _row_elements(builder, args, 1)
    return builder.load(element, typ=_double)


@lower_builtin(gather, *_ROW_ARGUMENTS, PackType)
def _lower_gather(context, builder, sig, args):
    value = ir.Constant(_vector, ir.Undefined)
    for lane, element in enumerate(_row_elements(builder, args, LANES)):
        value = builder.insert_element(value, builder.load(element, typ=_double), _lane(lane))
    return value


@lower_builtin(scatter, *_ROW_ARGUMENTS, types.Float)
def _lower_scatter_one(context, builder, sig, args):
    (element,) = _row_elements(builder, args, 1)
    builder.store(args[-1], element)
    return context.get_dummy_value()


@lower_builtin(scatter, *_ROW_ARGUMENTS, PackType)
def _lower_scatter(context, builder, sig, args):
    for lane, element in enumerate(_row_elements(builder, args, LANES)):
        builder.store(builder.extract_element(args[-1], _lane(lane)), element)
    return context.get_dummy_value()


def scatter_block(array, width, row, last, j, work, at, stride, zero):
    """`scatter` scalars at, at + stride, ... of `work`, as many as there are lanes, to components j, j + 1, ..."""
    scatter(array, width, row, last, j, load(work, at, zero))


def gather_block(array, width, row, last, j, work, at, stride, zero):
    """`gather` components j, j + 1, ..., as many as there are lanes, to scalars at, at + stride, ... of `work`."""
    store(work, at, gather(array, width, row, last, j, zero))


@type_callable(scatter_block)
@type_callable(gather_block)
def _type_block(context):
    return lambda array, width, row, last, j, work, at, stride, zero: types.none


_BLOCK_ARGUMENTS = (*_ROW_ARGUMENTS, types.CPointer, types.Integer, types.Integer)


@lower_builtin(scatter_block, *_BLOCK_ARGUMENTS, types.Float)
def _lower_scatter_block_one(context, builder, sig, args):
    (element,) = _row_elements(builder, (*args[:5], None), 1)
    builder.store(builder.load(builder.gep(args[5], [args[6]]), typ=_double), element)
    return context.get_dummy_value()


@lower_builtin(gather_block, *_BLOCK_ARGUMENTS, types.Float)
def _lower_gather_block_one(context, builder, sig, args):
    (element,) = _row_elements(builder, (*args[:5], None), 1)
    builder.store(builder.load(element, typ=_double), builder.gep(args[5], [args[6]]))
    return context.get_dummy_value()


def _block_places(builder, args):
    """Addresses of a square of numbers: of each robot's row, and of each scalar in scratch memory."""
    rows = [builder.bitcast(one, _vector.as_pointer()) for one in _row_elements(builder, (*args[:5], None), LANES)]
    (work, at, stride), scalars = args[5:8], []
    for _ in range(LANES):
        scalars.append(_vector_at(builder, work, at))
        at = builder.add(at, stride)
    return rows, scalars


def _turn_over(builder, sources, targets):
    """A square of numbers is turned over in registers, so that each robot's row takes one instruction."""
    square = [builder.load(source, align=8, typ=_vector) for source in sources]
    for vector, target in zip(_transposed(builder, square), targets, strict=True):
        builder.store(vector, target, align=8)


@lower_builtin(scatter_block, *_BLOCK_ARGUMENTS, PackType)
def _lower_scatter_block(context, builder, sig, args):
    rows, scalars = _block_places(builder, args)
    _turn_over(builder, scalars, rows)
    return context.get_dummy_value()


@lower_builtin(gather_block, *_BLOCK_ARGUMENTS, PackType)
def _lower_gather_block(context, builder, sig, args):
    rows, scalars = _block_places(builder, args)
    _turn_over(builder, rows, scalars)
    return context.get_dummy_value()


def _transposed(builder, square):
    """Vectors of lane 0, lane 1, ... of as many vectors as they have lanes: squares of 2, 4, ... are turned over."""
    size = 1
    while size < LANES:
        low = [k if k & size == 0 else LANES + k - size for k in range(LANES)]
        high = [k + size if k & size == 0 else LANES + k for k in range(LANES)]
        orders = [ir.Constant(ir.VectorType(_lane, LANES), [_lane(k) for k in order]) for order in (low, high)]
        turned = list(square)
        for k in range(LANES):
            if k & size == 0:
                a, b = square[k], square[k + size]
                turned[k], turned[k + size] = (builder.shuffle_vector(a, b, order) for order in orders)
        square, size = turned, 2 * size
    return square


def integer(array, k):
    """Integer k of a description that no kernel writes."""
    return int(array[k])


@type_callable(integer)
def _type_integer(context):
    return lambda array, k: types.intp


@lower_builtin(integer, types.CPointer, types.Integer)
def _lower_integer(context, builder, sig, args):
    return _load_constant(builder, args[0], args[1], ir.IntType(64))


def load_counter(counters, k):
    """Counter k; unlike `integer`, of something that changes."""
    return int(counters[k])


def store_counter(counters, k, value):
    """Set counter k."""
    counters[k] = value


@type_callable(load_counter)
def _type_load_counter(context):
    return lambda counters, k: types.intp


@type_callable(store_counter)
def _type_store_counter(context):
    return lambda counters, k, value: types.none


@lower_builtin(load_counter, types.CPointer, types.Integer)
def _lower_load_counter(context, builder, sig, args):
    return builder.load(builder.gep(args[0], [args[1]]), typ=ir.IntType(64))


@lower_builtin(store_counter, types.CPointer, types.Integer, types.Integer)
def _lower_store_counter(context, builder, sig, args):
    value = context.cast(builder, args[2], sig.args[2], types.intp)
    builder.store(value, builder.gep(args[0], [args[1]]))
    return context.get_dummy_value()
