"""Linear operators that are applied, not formed: products, sums and transposes of sweeps over a tree."""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from ...errors import InputError
from ...kernels.robot import sweeps as k
from ...quantities.calls import all_finite
from ...reals import real_numbers

if TYPE_CHECKING:
    from ...model.state import State
    from .spatial import SpatialOperators

Array = np.ndarray
_FLOAT64 = np.dtype(np.float64)

DUAL = {
    "rates": "joint forces",
    "motions": "forces",
    "endpoint motions": "endpoint wrenches",
    "normalised": "normalised",
}
DUAL |= {dual: space for space, dual in DUAL.items()}
"""What an operator takes and gives, and what its transpose then gives and takes.

Rates (nv) and joint forces (nv, those on the base included); motions of all bodies and forces on them (6 each); motions
of endpoints and wrenches at them (6 each); and what square-root factors are between (nv)."""


class Operator(ABC):
    """A linear operator at one state, or at each state of a batch. Made by `SpatialOperators`, `@`, `+`, `-`, `.T`.

    `op @ x` applies it to a vector (…, n) or to the columns of a matrix (…, n, m), where … are the state's batch axes;
    an array of the shape (…, n) over the state's own axes is taken as vectors. A number in a sum stands for that many
    times the identity: `1 + H @ phi @ K`. Operators multiply only if the right one gives what the left one takes.

    Attributes
    ----------
    domain, range : str
        What it takes and what it gives, such as 'rates' or 'forces'.
    shape : (int, int)
        As a matrix.
    """

    of: "SpatialOperators"
    domain: str
    range: str
    __array_ufunc__ = None  # an array on the left of an operator is a mistake, not a list of operators

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the matrix."""
        return self.of.size(self.range), self.of.size(self.domain)

    @property
    @abstractmethod
    def T(self) -> "Operator":
        """The transpose."""

    @abstractmethod
    def _apply(self, rows: Array) -> Array:
        """Vectors (count, many, columns) to vectors (count, many, rows)."""

    def dense(self) -> Array:
        """The matrix itself, (…, rows, columns): for inspection, as it takes O(n²) memory.

        >>> import spacedyn as sd
        >>> robot = sd.load("tian_wu")
        >>> ops = sd.operators.SpatialOperators(robot, robot.neutral_state())
        >>> ops.phi.dense().shape
        (24, 24)
        """
        state, n = self.of.state, self.shape[1]
        unit = np.broadcast_to(np.eye(n), (state.count, n, n))
        return np.swapaxes(self._apply(unit).reshape(*state.shape, n, self.shape[0]), -1, -2)

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Operator):
            _same_robot(self, other)
            if self.domain != other.range:
                raise InputError(
                    f"a product of operators: the left one takes {self.domain}, the right one gives {other.range}; "
                    "is a transpose missing?"
                )
            if isinstance(self, Steps) and isinstance(other, Steps):
                return Steps(self.of, other.domain, self.range, (*other.steps, *self.steps))
            return Product(self, other)
        of = self.of
        rows, is_vector = _rows(other, of.size(self.domain), of.state)
        out = self._apply(rows).reshape(*of.state.shape, rows.shape[1], of.size(self.range))
        return out[..., 0, :] if is_vector else np.swapaxes(out, -1, -2)

    def __add__(self, other: Union["Operator", float]) -> "Operator":
        return Sum(self, _operator(other, self), 1.0)

    def __sub__(self, other: Union["Operator", float]) -> "Operator":
        return Sum(self, _operator(other, self), -1.0)

    def __radd__(self, other: float) -> "Operator":
        return Sum(_operator(other, self), self, 1.0)

    def __rsub__(self, other: float) -> "Operator":
        return Sum(_operator(other, self), self, -1.0)

    def __repr__(self) -> str:
        return f"<operator on '{self.of.model.name}': {self.domain} -> {self.range}, {self.shape[0]} × {self.shape[1]}>"


class Steps(Operator):
    """A product of elementary operators: steps of the kernels, in the order in which they are taken."""

    def __init__(self, of: "SpatialOperators", domain: str, range_: str, steps: tuple[int, ...]):
        self.of, self.domain, self.range, self.steps = of, domain, range_, steps

    @property
    def T(self) -> Operator:
        """The transpose."""
        turned = tuple(s if s >= k.ARTICULATED_INERTIA else s ^ 1 for s in reversed(self.steps))
        return Steps(self.of, DUAL[self.range], DUAL[self.domain], turned)

    def _apply(self, rows: Array) -> Array:
        return self.of._run(self.steps, self.domain, self.range, rows)


class Scaling(Operator):
    """A multiple of the identity."""

    def __init__(self, of: "SpatialOperators", space: str, factor: float):
        self.of, self.domain, self.range, self.factor = of, space, space, factor

    @property
    def T(self) -> Operator:
        """The transpose."""
        return Scaling(self.of, DUAL[self.domain], self.factor)

    def _apply(self, rows: Array) -> Array:
        return self.factor * rows


class Product(Operator):
    """left right: the right one is applied first."""

    def __init__(self, left: Operator, right: Operator):
        self.of, self.domain, self.range = left.of, right.domain, left.range
        self.left, self.right = left, right

    @property
    def T(self) -> Operator:
        """The transpose."""
        return self.right.T @ self.left.T

    def _apply(self, rows: Array) -> Array:
        return self.left._apply(self.right._apply(rows))


class Sum(Operator):
    """first + sign second."""

    def __init__(self, first: Operator, second: Operator, sign: float):
        _same_robot(first, second)
        if (first.domain, first.range) != (second.domain, second.range):
            raise InputError(
                f"a sum of operators: one is from {first.domain} to {first.range}, the other from {second.domain} to "
                f"{second.range}"
            )
        self.of, self.domain, self.range = first.of, first.domain, first.range
        self.first, self.second, self.sign = first, second, sign

    @property
    def T(self) -> Operator:
        """The transpose."""
        return Sum(self.first.T, self.second.T, self.sign)

    def _apply(self, rows: Array) -> Array:
        return self.first._apply(rows) + self.sign * self.second._apply(rows)


def _operator(value: Any, like: Operator) -> Operator:
    """An operator unchanged; a number as that multiple of the identity."""
    if isinstance(value, Operator):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"an operator is added to another operator or to a number, got {type(value).__name__}")
    if like.domain != like.range:
        raise InputError(f"a number was added to an operator from {like.domain} to {like.range}: it has no identity")
    return Scaling(like.of, like.domain, float(value))


def _same_robot(left: Operator, right: Operator) -> None:
    if left.of is not right.of:
        raise InputError("operators of different SpatialOperators do not mix: make both from one")


def _rows(value: Any, n: int, state: "State") -> tuple[Array, bool]:
    """Vectors (count, many, n), and whether they came without an axis of columns."""
    usual = type(value) is Array and value.dtype is _FLOAT64 and not state.shape and value.shape == (n,)
    if usual and all_finite(value):
        return value.reshape(1, 1, n), True  # one vector for one robot, kept short
    array = real_numbers("what an operator is applied to", value, f"(…, {n}) or (…, {n}, m)")
    is_vector = array.ndim <= len(state.shape) + 1
    wanted = (*state.shape, n) if is_vector else (*state.shape, n, array.shape[-1])
    fits = array.ndim > 0 and array.shape[-1 if is_vector else -2] == n and array.ndim <= len(wanted)
    try:
        full = array if array.shape == wanted else np.broadcast_to(array, wanted) if fits else None
    except ValueError:
        full = None
    if full is None:
        raise InputError(
            f"what an operator is applied to: expected shape {(*state.shape, n)} or (…, {n}, m), got {array.shape}"
        )
    if not np.isfinite(full).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(full))[0])
        raise InputError(f"what an operator is applied to: {full[place]} at index {place}; every number must be finite")
    columns = full[..., None, :] if is_vector else np.swapaxes(full, -1, -2)
    return np.asarray(columns, dtype=float).reshape(state.count, columns.shape[-2], n), is_vector
