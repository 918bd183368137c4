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

import functools
import itertools
import operator

from llvmlite import ir
from numba.core import types
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import overload, type_callable

from . import dual_memory  # noqa: F401  (how kernels load and store them)
from .dual_type import Dual, DualType, _join, _parts, dual
from .pack import (
    _double,
    _is_number,
    _splat,
    arctan2,
    exponential,
    fused,
    hyperbolic_tangent,
    library_cos,
    library_sin,
    magnitude,
    nearest_integer,
    power,
    round_down,
    select,
    sqrt,
    value_of,
    with_slope,
)

DUAL = False
"""What an entry point is called with to work on dual numbers: its type selects the code, as ONE and PACK do."""


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


@type_callable(fused)
def _type_fused(context):
    def typer(a, b, c):
        return dual if dual in (a, b, c) and all(x == dual or _is_number(x) for x in (a, b, c)) else None

    return typer


def _lower_fused(context, builder, sig, args):
    args = [a if t == dual else context.cast(builder, a, t, types.float64) for a, t in zip(args, sig.args, strict=True)]
    (a, da), (c, dc), (e, de) = (_parts(builder, x) for x in args)
    terms = [d for d in (de,) if d is not None]
    terms += [builder.fmul(_splat(builder, v), d) for v, d in ((a, dc), (c, da)) if d is not None]
    return _join(builder, builder.fma(a, c, e), functools.reduce(builder.fadd, terms))


for _types in itertools.product((types.Float, types.Integer, DualType), repeat=3):
    if DualType in _types:
        lower_builtin(fused, *_types)(_lower_fused)


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


@_function(power)
def _power(y, x):
    value = value_of(y)
    slope = x * power(select(value > 0.0, value, 1.0), x - 1.0)
    return with_slope(y, power(value, x), select(value > 0.0, slope, 0.0))


@_function(library_sin)
def _library_sin(x):
    return with_slope(x, library_sin(value_of(x)), library_cos(value_of(x)))


@_function(library_cos)
def _library_cos(x):
    return with_slope(x, library_cos(value_of(x)), -library_sin(value_of(x)))
