"""The third scalar: a dual number, that is a value and the LANES tangents of as many directions.

    f(a + b ε) = f(a) + f'(a) b ε,   ε² = 0

Kernels compiled for it give derivatives that are exact to rounding along LANES directions at once (forward mode;
Griewank & Walther, Evaluating Derivatives, 2008, ch. 3). Comparisons look at the value: the branch that the value takes
is the one that is differentiated. What `shared` loads has no tangents, so it stays a plain number: a kernel that stores
it by itself adds `zero`.

Where a slope is infinite or undefined (the root of 0, the size of 0, the angle of a point at the origin) it counts as
zero: the mean of both sides where they have one, and right for the length of a vector that enters squared.
In memory a dual takes 1 + LANES doubles. With the JIT switched off it is a value and one tangent, in plain Python.
"""

import operator

from llvmlite import ir
from numba.core import types
from numba.core.datamodel import StructModel, register_default
from numba.core.imputils import lower_builtin, lower_cast
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import overload, type_callable

from .memory import (
    _BLOCK_ARGUMENTS,
    _ROW_ARGUMENTS,
    ZEROS,
    _load_constant,
    _row_elements,
    gather,
    lanes_of,
    load,
    scatter,
    scatter_block,
    shared,
    store,
    zero_of,
)
from .pack import (
    LANES,
    _double,
    _is_number,
    _splat,
    _vector,
    arctan2,
    exponential,
    hyperbolic_tangent,
    library_cos,
    library_sin,
    magnitude,
    nearest_integer,
    pack,
    round_down,
    select,
    sqrt,
    value_of,
    with_slope,
)

DUAL = False
"""What an entry point is called with to work on dual numbers: its type selects the code, as ONE and PACK do."""


class DualType(types.Type):
    """Numba's type of a dual number."""

    def __init__(self):
        super().__init__(name=f"dual{LANES}")


dual = DualType()


@register_default(DualType)
class _DualModel(StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("value", types.float64), ("tangents", pack)])


def _parts(builder, x):
    """Value and tangents; none for a plain number."""
    if x.type == _double:
        return x, None
    return builder.extract_value(x, 0), builder.extract_value(x, 1)


def _join(builder, value, tangents):
    empty = ir.Constant(ir.LiteralStructType([_double, _vector]), ir.Undefined)
    return builder.insert_value(builder.insert_value(empty, value, 0), tangents, 1)


_ZEROS = ir.Constant(_vector, [ir.Constant(_double, 0.0)] * LANES)


@lower_cast(types.Float, DualType)
@lower_cast(types.Integer, DualType)
def _cast_number(context, builder, fromty, toty, value):
    return _join(builder, context.cast(builder, value, fromty, types.float64), _ZEROS)


# -- arithmetic and comparison ----------------------------------------------------------------------------------------


def _add(b, x, y):
    (a, da), (c, dc) = _parts(b, x), _parts(b, y)
    return b.fadd(a, c), da if dc is None else dc if da is None else b.fadd(da, dc)


def _subtract(b, x, y):
    (a, da), (c, dc) = _parts(b, x), _parts(b, y)
    return b.fsub(a, c), da if dc is None else b.fneg(dc) if da is None else b.fsub(da, dc)


def _multiply(b, x, y):
    (a, da), (c, dc) = _parts(b, x), _parts(b, y)
    terms = [b.fmul(_splat(b, v), d) for v, d in ((a, dc), (c, da)) if d is not None]
    return b.fmul(a, c), terms[0] if len(terms) == 1 else b.fadd(*terms)


def _divide(b, x, y):
    (a, da), (c, dc) = _parts(b, x), _parts(b, y)
    inverse = b.fdiv(ir.Constant(_double, 1.0), c)
    quotient, scale = b.fdiv(a, c), _splat(b, inverse)
    if dc is None:
        return quotient, b.fmul(da, scale)
    less = b.fmul(_splat(b, quotient), dc)
    return quotient, b.fmul(b.fneg(less) if da is None else b.fsub(da, less), scale)


def _binary(op, result, build):
    """Give `op` a meaning between duals, and between a dual and a number, whose tangents need not be multiplied."""

    @infer_global(op)
    class _Typing(AbstractTemplate):
        def generic(self, args, kws):
            if len(args) == 2 and dual in args and all(a == dual or _is_number(a) for a in args):
                return signature(result, *(a if a == dual else types.float64 for a in args))
            return None

    @lower_builtin(op, DualType, DualType)
    @lower_builtin(op, DualType, types.Float)
    @lower_builtin(op, types.Float, DualType)
    def _lower(context, builder, sig, args):
        return build(builder, *args)


for _operators, _rule in (
    ((operator.add, operator.iadd), _add),
    ((operator.sub, operator.isub), _subtract),
    ((operator.mul, operator.imul), _multiply),
    ((operator.truediv, operator.itruediv), _divide),
):
    for _operator in _operators:
        _binary(_operator, dual, lambda b, x, y, rule=_rule: _join(b, *rule(b, x, y)))
for _comparison, _sign in ((operator.lt, "<"), (operator.le, "<="), (operator.gt, ">"), (operator.ge, ">=")):
    _binary(
        _comparison,
        types.boolean,
        lambda b, x, y, sign=_sign: b.fcmp_ordered(sign, _parts(b, x)[0], _parts(b, y)[0]),
    )


@infer_global(operator.neg)
class _Negation(AbstractTemplate):
    def generic(self, args, kws):
        return signature(dual, dual) if args == (dual,) else None


@lower_builtin(operator.neg, DualType)
def _lower_negation(context, builder, sig, args):
    value, tangents = _parts(builder, args[0])
    return _join(builder, builder.fneg(value), builder.fneg(tangents))


@type_callable(select)
def _type_select(context):
    def typer(condition, yes, no):
        return dual if condition == types.boolean and dual in (yes, no) else None

    return typer


@lower_builtin(select, types.Boolean, DualType, DualType)
@lower_builtin(select, types.Boolean, DualType, types.Float)
@lower_builtin(select, types.Boolean, types.Float, DualType)
def _lower_select(context, builder, sig, args):
    (a, da), (c, dc) = (_parts(builder, context.cast(builder, args[k], sig.args[k], dual)) for k in (1, 2))
    return _join(builder, builder.select(args[0], a, c), builder.select(args[0], da, dc))


# -- functions, by their slopes ---------------------------------------------------------------------------------------


@type_callable(value_of)
def _type_value_of(context):
    return lambda x: types.float64 if x == dual else None


@type_callable(with_slope)
def _type_with_slope(context):
    def typer(x, value, slope):
        return signature(dual, dual, types.float64, types.float64) if x == dual else None

    return typer


@lower_builtin(value_of, DualType)
def _lower_value_of(context, builder, sig, args):
    return builder.extract_value(args[0], 0)


@lower_builtin(with_slope, DualType, types.Float, types.Float)
def _lower_with_slope(context, builder, sig, args):
    x, value, slope = args
    return _join(builder, value, builder.fmul(_splat(builder, slope), builder.extract_value(x, 1)))


class Dual:
    """A dual number with one tangent, as kernels use it when the JIT is switched off."""

    __slots__ = ("tangent", "value")

    def __init__(self, value, tangent=0.0):
        self.value, self.tangent = (value.value, value.tangent) if isinstance(value, Dual) else (float(value), tangent)

    def __add__(self, other):
        other = Dual(other)
        return Dual(self.value + other.value, self.tangent + other.tangent)

    def __sub__(self, other):
        return self + -Dual(other)

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        other = Dual(other)
        return Dual(self.value * other.value, self.value * other.tangent + other.value * self.tangent)

    def __truediv__(self, other):
        other = Dual(other)
        quotient = self.value / other.value
        return Dual(quotient, (self.tangent - quotient * other.tangent) / other.value)

    def __rtruediv__(self, other):
        return Dual(other) / self

    def __neg__(self):
        return Dual(-self.value, -self.tangent)

    def __lt__(self, other):
        return self.value < Dual(other).value

    def __le__(self, other):
        return self.value <= Dual(other).value

    def __gt__(self, other):
        return self.value > Dual(other).value

    def __ge__(self, other):
        return self.value >= Dual(other).value

    __radd__, __rmul__ = __add__, __mul__

    def __float__(self):
        return self.value

    def value_of(self):
        """The value alone."""
        return self.value

    def with_slope(self, value, slope):
        """A function of this number, by its value and its slope."""
        return Dual(value, slope * self.tangent)


ZEROS[bool] = Dual(0.0)
_INLINED = {"forceinline": True, "error_model": "numpy"}


def _function(function):
    """The formula that follows is `function` on duals: compiled where a kernel calls it, or a method of a plain one."""

    def register(formula):
        if formula.__code__.co_argcount == 1:
            overload(function, jit_options=_INLINED)(lambda x: formula if x == dual else None)
        else:
            overload(function, jit_options=_INLINED)(lambda y, x: formula if dual in (y, x) else None)
        setattr(Dual, function.__name__, formula)
        return formula

    return register


@_function(sqrt)
def _sqrt(x):
    root = sqrt(value_of(x))
    return with_slope(x, root, select(root > 0.0, 0.5, 0.0) / select(root > 0.0, root, 1.0))


@_function(magnitude)
def _magnitude(x):
    value = value_of(x)
    return with_slope(x, magnitude(value), select(value > 0.0, 1.0, 0.0) - select(value < 0.0, 1.0, 0.0))


@_function(nearest_integer)
def _nearest_integer(x):
    return with_slope(x, nearest_integer(value_of(x)), 0.0)


@_function(round_down)
def _round_down(x):
    return with_slope(x, round_down(value_of(x)), 0.0)


@_function(arctan2)
def _arctan2(y, x):
    a, b = value_of(y), value_of(x)
    square = a * a + b * b
    inverse = select(square > 0.0, 1.0, 0.0) / select(square > 0.0, square, 1.0)
    return with_slope(y, arctan2(a, b), b * inverse) - with_slope(x, 0.0, a * inverse)


@_function(hyperbolic_tangent)
def _hyperbolic_tangent(x):
    value = hyperbolic_tangent(value_of(x))
    return with_slope(x, value, 1.0 - value * value)


@_function(exponential)
def _exponential(x):
    value = exponential(value_of(x))
    return with_slope(x, value, value)


@_function(library_sin)
def _library_sin(x):
    return with_slope(x, library_sin(value_of(x)), library_cos(value_of(x)))


@_function(library_cos)
def _library_cos(x):
    return with_slope(x, library_cos(value_of(x)), -library_sin(value_of(x)))


# -- memory -----------------------------------------------------------------------------------------------------------


@type_callable(zero_of)
def _type_zero_of(context):
    return lambda kind: dual if isinstance(kind, types.Boolean) else None


@lower_builtin(zero_of, types.Boolean)
def _lower_zero_of(context, builder, sig, args):
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
