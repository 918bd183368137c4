"""Descriptions of robots that kernels read: `par`, and tables of frames. One for all robots, or one for each.

One for each comes as an array of two axes: a row for each pack, in it LANES neighbours for each number. Its pointer has
a type of its own, by which `shared` loads a vector instead of spreading one number. So kernels are compiled once more
when such a description is first handed in, and nothing changes where robots do not differ.
"""

from llvmlite import ir
from numba.core import types
from numba.core.imputils import lower_builtin
from numba.extending import models, register_model, type_callable

from ..scalar.compiling import inner
from ..scalar.memory import _load_constant, _vector_at, as_numbers, integer, pointer, shared
from ..scalar.pack import LANES, PackType, _double, _vector, pack
from .layout import *  # noqa: F403
from .spatial import shared9


class LanesPointerType(types.Type):
    """Address of a description with a number for each lane."""

    def __init__(self):
        self.dtype = types.float64
        super().__init__("lanes*")


lanes_pointer = LanesPointerType()
register_model(LanesPointerType)(models.PointerModel)


@type_callable(pointer)
def _type_pointer(context):
    return lambda array: lanes_pointer if array.ndim == 2 else None


@type_callable(shared)
def _type_shared(context):
    return lambda array, k, zero: pack if array == lanes_pointer and zero == pack else None


@lower_builtin(shared, LanesPointerType, types.Integer, PackType)
def _lower_shared(context, builder, sig, args):
    value = builder.load(_vector_at(builder, args[0], args[1]), align=8, typ=_vector)
    value.set_metadata("invariant.load", builder.module.add_metadata([]))
    return value


def of_robots(array, size, row):
    """The description, of `size` numbers, of the robots in rows `row`, `row` + 1, ..."""
    return array if array.ndim == 1 else array[row]


def largest(array, k):
    """Number k of a description; of the lane that has the largest."""
    return float(array[k])


def of_lane(array, k, lane):
    """Number k of a description, of one lane."""
    return float(array[k])


def robots_differ(array):
    """Whether a description has numbers for each robot."""
    return array.ndim == 2


@type_callable(robots_differ)
def _type_robots_differ(context):
    return lambda array: types.boolean


@type_callable(of_robots)
def _type_of_robots(context):
    return lambda array, size, row: array


@type_callable(largest)
def _type_largest(context):
    return lambda array, k: types.float64


@type_callable(of_lane)
def _type_of_lane(context):
    return lambda array, k, lane: types.float64


@lower_builtin(of_robots, types.CPointer, types.Integer, types.Integer)
def _lower_of_robots(context, builder, sig, args):
    return args[0]


@lower_builtin(of_robots, LanesPointerType, types.Integer, types.Integer)
def _lower_of_robots_each(context, builder, sig, args):
    return builder.gep(args[0], [builder.mul(args[1], args[2])])  # LANES rows a pack, and LANES doubles a number


@lower_builtin(robots_differ, types.CPointer)
@lower_builtin(robots_differ, LanesPointerType)
def _lower_robots_differ(context, builder, sig, args):
    return ir.Constant(ir.IntType(1), int(sig.args[0] == lanes_pointer))


@lower_builtin(largest, types.CPointer, types.Integer)
def _lower_largest(context, builder, sig, args):
    return _load_constant(builder, args[0], args[1], _double)


@lower_builtin(largest, LanesPointerType, types.Integer)
def _lower_largest_of_lanes(context, builder, sig, args):
    most = None
    for lane in range(LANES):
        value = _load_constant(builder, args[0], _place(builder, args[1], ir.Constant(args[1].type, lane)), _double)
        most = value if most is None else builder.select(builder.fcmp_ordered(">", value, most), value, most)
    return most


@lower_builtin(of_lane, types.CPointer, types.Integer, types.Integer)
def _lower_of_lane(context, builder, sig, args):
    return _load_constant(builder, args[0], args[1], _double)


@lower_builtin(of_lane, LanesPointerType, types.Integer, types.Integer)
def _lower_of_lane_each(context, builder, sig, args):
    return _load_constant(builder, args[0], _place(builder, args[1], args[2]), _double)


def _place(builder, k, lane):
    return builder.add(builder.mul(k, ir.Constant(k.type, LANES)), lane)


@inner
def parameters(tree, par, row):
    """What describes the robots of the rows from `row` on."""
    return of_robots(par, integer(tree, PAR_GRAVITY) + 3, row)


@inner
def joint_frame(tree, par, i, zero):
    """Rotation of body i's joint in its parent; one for a whole pack if robots differ, but not in it.

    Both ways join before it is used, so that robots of a pack are rounded as they are alone.
    """
    at = integer(tree, integer(tree, BODY_AT) + i * BODY_INTS + FRAME_AT)
    if robots_differ(par) and at > 0:
        return shared9(as_numbers(tree), at, zero)
    return shared9(par, i * BODY_PARS + P_ROTATION, zero)
