"""The type of dual numbers: for Numba, with two parts in machine code, and as a class in plain Python."""

from llvmlite import ir
from numba.core import types
from numba.core.datamodel import StructModel, register_default
from numba.core.imputils import lower_cast

from .pack import LANES, _double, _vector, pack


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
