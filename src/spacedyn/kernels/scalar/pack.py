"""The scalar that kernels are written over: a float64, or a pack of them, one lane a robot; in dual.py a third kind.

A kernel receives `zero`, a value of its scalar's type, and passes it on to `load` (memory.py); everything else follows
from types. A pack is an LLVM vector as wide as the CPU's registers, so one instruction serves 2, 4 or 8 robots;
SPACEDYN_LANES forces another width, one included: LLVM splits vectors that are wider than the registers.
Lanes never mix and never branch apart: a choice that depends on values goes through `select`.
With the JIT switched off the same functions are plain Python on floats.
"""

import functools
import itertools
import math
import operator
import os

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import types
from numba.core.cgutils import get_or_insert_function
from numba.core.datamodel import PrimitiveModel, register_default
from numba.core.imputils import lower_builtin, lower_cast
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import type_callable

from ...errors import InputError


def _lanes_of_this_cpu() -> int:
    asked = os.environ.get("SPACEDYN_LANES")
    if asked:
        if asked not in ("1", "2", "4", "8"):
            raise InputError(f"the environment variable SPACEDYN_LANES must be 1, 2, 4 or 8, not {asked!r}")
        return int(asked)
    features = llvm.get_host_cpu_features()
    return 8 if features.get("avx512f") else 4 if features.get("avx2") else 2


LANES = _lanes_of_this_cpu()
"""Robots in a pack."""

ONE, PACK = 0.0, 0
"""What an entry point is called with to work on one robot at a time, or on packs: its *type* selects the code."""


class PackType(types.Type):
    """Numba's type of a pack of float64."""

    def __init__(self):
        super().__init__(name=f"pack{LANES}")

    def can_convert_from(self, typingctx, other):
        """A number is the same in every lane."""
        return Conversion.safe if _is_number(other) else None


class MaskType(types.Type):
    """Numba's type of a comparison of packs."""

    def __init__(self):
        super().__init__(name=f"mask{LANES}")


pack, mask = PackType(), MaskType()
_double, _vector = ir.DoubleType(), ir.VectorType(ir.DoubleType(), LANES)
_lane = ir.IntType(32)


@register_default(PackType)
class _PackModel(PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, _vector)


@register_default(MaskType)
class _MaskModel(PrimitiveModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, ir.VectorType(ir.IntType(1), LANES))


def align_stack(function):
    """Let a function keep packs that do not fit into registers where each is on one cache line.

    LLVM aligns the stack only for what is there before it gives out registers: packs that it puts there for want of
    them would begin anywhere, and in three processes of four each would straddle two lines.
    """
    function.attributes.alignstack = max(16, 8 * LANES)
    function.attributes.add("nounwind")  # true of all kernels; llvmlite writes no alignment where there is no attribute


def _splat(builder, value):
    vector = builder.insert_element(ir.Constant(_vector, ir.Undefined), value, _lane(0))
    order = ir.Constant(ir.VectorType(_lane, LANES), [_lane(0)] * LANES)
    return builder.shuffle_vector(vector, ir.Constant(_vector, ir.Undefined), order)


@lower_cast(types.Float, PackType)
@lower_cast(types.Integer, PackType)
def _cast_number(context, builder, fromty, toty, value):
    return _splat(builder, context.cast(builder, value, fromty, types.float64))


# -- arithmetic and comparison ----------------------------------------------------------------------------------------


def _is_number(t):
    return isinstance(t, types.Float | types.Integer)


def _binary(op, result, build):
    """Give `op` a meaning between packs, and between a pack and a number."""

    @infer_global(op)
    class _Typing(AbstractTemplate):
        def generic(self, args, kws):
            if len(args) == 2 and pack in args and all(a == pack or _is_number(a) for a in args):
                return signature(result, pack, pack)
            return None

    @lower_builtin(op, PackType, PackType)
    def _lower(context, builder, sig, args):
        return build(builder, *args)


for _operators, _build in (
    ((operator.add, operator.iadd), ir.IRBuilder.fadd),
    ((operator.sub, operator.isub), ir.IRBuilder.fsub),
    ((operator.mul, operator.imul), ir.IRBuilder.fmul),
    ((operator.truediv, operator.itruediv), ir.IRBuilder.fdiv),
):
    for _operator in _operators:
        _binary(_operator, pack, _build)
for _comparison, _sign in ((operator.lt, "<"), (operator.le, "<="), (operator.gt, ">"), (operator.ge, ">=")):
    _binary(_comparison, mask, lambda b, x, y, sign=_sign: b.fcmp_ordered(sign, x, y))


@infer_global(operator.neg)
class _Negation(AbstractTemplate):
    def generic(self, args, kws):
        return signature(pack, pack) if args == (pack,) else None


@lower_builtin(operator.neg, PackType)
def _lower_negation(context, builder, sig, args):
    return builder.fneg(args[0])


# -- functions of scalars ---------------------------------------------------------------------------------------------


def select(condition, yes, no):
    """`yes` where the condition holds, else `no`; both are computed."""
    return yes if condition else no


@type_callable(select)
def _type_select(context):
    def typer(condition, yes, no):
        one = condition == types.boolean and _is_number(yes) and _is_number(no)
        return pack if condition == mask else types.float64 if one else None

    return typer


@lower_builtin(select, types.Boolean, types.Float, types.Float)
@lower_builtin(select, MaskType, PackType, PackType)
@lower_builtin(select, MaskType, types.Float, PackType)
@lower_builtin(select, MaskType, PackType, types.Float)
@lower_builtin(select, MaskType, types.Float, types.Float)
def _lower_select(context, builder, sig, args):
    yes, no = (context.cast(builder, args[k], sig.args[k], sig.return_type) for k in (1, 2))
    return builder.select(args[0], yes, no)


def somewhere(condition):
    """True if the condition holds in any lane."""
    return condition


@type_callable(somewhere)
def _type_somewhere(context):
    return lambda condition: types.boolean if condition in (mask, types.boolean) else None


@lower_builtin(somewhere, types.Boolean)
def _lower_somewhere_one(context, builder, sig, args):
    return args[0]


@lower_builtin(somewhere, MaskType)
def _lower_somewhere(context, builder, sig, args):
    bits = builder.bitcast(args[0], ir.IntType(LANES))
    return builder.icmp_unsigned("!=", bits, ir.Constant(ir.IntType(LANES), 0))


def _unary(function, intrinsic):
    """Lower `function` to an LLVM intrinsic that exists for float64 and for vectors."""

    @type_callable(function)
    def _type(context):
        return lambda x: pack if x == pack else types.float64 if _is_number(x) else None

    @lower_builtin(function, types.Float)
    @lower_builtin(function, PackType)
    def _lower(context, builder, sig, args):
        (x,) = args
        suffix = f"v{LANES}f64" if x.type == _vector else "f64"
        function_type = ir.FunctionType(x.type, [x.type])
        return builder.call(get_or_insert_function(builder.module, function_type, f"{intrinsic}.{suffix}"), [x])


def _or_its_own(function):
    """Without the JIT: the function, unless a scalar of another kind than float brings its own by that name."""

    @functools.wraps(function)
    def call(x, *more):
        own = getattr(x, function.__name__, None)
        return function(x, *more) if own is None else own(*more)

    return call


@_or_its_own
def sqrt(x):
    """Square root."""
    return math.sqrt(x)


@_or_its_own
def magnitude(x):
    """Absolute value."""
    return abs(x)


@_or_its_own
def nearest_integer(x):
    """The nearest integer, as a scalar; halves go to the even one."""
    return float(round(x)) if math.isfinite(x) else x


@_or_its_own
def round_down(x):
    """The largest integer not above x, as a scalar."""
    return float(math.floor(x)) if math.isfinite(x) else x


_unary(sqrt, "llvm.sqrt")
_unary(magnitude, "llvm.fabs")
_unary(nearest_integer, "llvm.rint")
_unary(round_down, "llvm.floor")


def fused(a, b, c):
    """a b + c, rounded once where it is compiled: the same to the bit wherever and in how many lanes it is computed."""
    return a * b + c


@type_callable(fused)
def _type_fused(context):
    def typer(a, b, c):
        known = all(x == pack or _is_number(x) for x in (a, b, c))
        return (pack if pack in (a, b, c) else types.float64) if known else None

    return typer


def _lower_fused(context, builder, sig, args):
    args = [context.cast(builder, a, t, sig.return_type) for a, t in zip(args, sig.args, strict=True)]
    suffix = f"v{LANES}f64" if sig.return_type == pack else "f64"
    function_type = ir.FunctionType(args[0].type, [args[0].type] * 3)
    return builder.call(get_or_insert_function(builder.module, function_type, f"llvm.fma.{suffix}"), args)


for _types in itertools.product((types.Float, types.Integer, PackType), repeat=3):
    lower_builtin(fused, *_types)(_lower_fused)


def _lanewise(function, library_function, count):
    """Lower `function` to the C library's, lane by lane: for rare and cold uses."""

    @type_callable(function)
    def _type(context):
        def one_argument(x):
            return pack if x == pack else types.float64 if _is_number(x) else None

        def two_arguments(x, y):
            return pack if pack in (x, y) else types.float64 if _is_number(x) and _is_number(y) else None

        return one_argument if count == 1 else two_arguments

    def one(context, builder, args):
        sig = signature(types.float64, *[types.float64] * count)
        return context.get_function(library_function, sig)(builder, args)

    @lower_builtin(function, *[types.Float] * count)
    def _lower_one(context, builder, sig, args):
        return one(context, builder, args)

    @lower_builtin(function, *[PackType] * count)
    def _lower(context, builder, sig, args):
        result = ir.Constant(_vector, ir.Undefined)
        for k in range(LANES):
            lane = one(context, builder, [builder.extract_element(a, _lane(k)) for a in args])
            result = builder.insert_element(result, lane, _lane(k))
        return result


@_or_its_own
def arctan2(y, x):
    """Angle of the point (x, y)."""
    return math.atan2(y, x)


@_or_its_own
def hyperbolic_tangent(x):
    """tanh, for dry friction."""
    return math.tanh(x)


@_or_its_own
def exponential(x):
    """e to the power of x."""
    return math.exp(x)


@_or_its_own
def power(x, exponent):
    """x to the power of a plain number, the same in every lane; x is not negative."""
    return math.pow(x, exponent)


@_or_its_own
def library_sin(x):
    """The C library's sine: for arguments beyond the reach of `sincos`."""
    return math.sin(x) if math.isfinite(x) else math.nan


@_or_its_own
def library_cos(x):
    """The C library's cosine: for arguments beyond the reach of `sincos`."""
    return math.cos(x) if math.isfinite(x) else math.nan


_lanewise(arctan2, math.atan2, 2)
_lanewise(hyperbolic_tangent, math.tanh, 1)
_lanewise(exponential, math.exp, 1)
_lanewise(power, math.pow, 2)
_lanewise(library_sin, math.sin, 1)
_lanewise(library_cos, math.cos, 1)


# -- a value and its slope: how a function says its derivative, for scalars that carry tangents -----------------------


@_or_its_own
def value_of(x):
    """A scalar without its tangents."""
    return x


@_or_its_own
def with_slope(x, value, slope):
    """A function's value at `value_of(x)`, and its slope there for the tangents of x."""
    return value


@type_callable(value_of)
def _type_value_of(context):
    return lambda x: x if x == pack or _is_number(x) else None


@type_callable(with_slope)
def _type_with_slope(context):
    return lambda x, value, slope: x if x == pack or _is_number(x) else None


@lower_builtin(value_of, types.Float)
@lower_builtin(value_of, PackType)
def _lower_value_of(context, builder, sig, args):
    return args[0]


@lower_builtin(with_slope, types.Float, types.Float, types.Float)
@lower_builtin(with_slope, PackType, PackType, PackType)
def _lower_with_slope(context, builder, sig, args):
    return args[1]
