"""Functions of time as polynomials between breaks: prescribed motions, and tables that laws read their references from.

@sd.law
def track(t, s, p, out):
    for i in range(s.q.size):
        error, rate = sd.sample(p.path, t, i) - s.q[i], sd.sample(p.path, t, i, 1) - s.qd[i]
        out.tau[i] = p.kp * error + p.kd * rate

laws = [track(path=sd.table(earlier.time, earlier.states.q), kp=50.0, kd=10.0)]
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import factorial
from typing import Any

import numba
import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import BPoly, BSpline, CubicSpline, PchipInterpolator, PPoly, make_interp_spline
from scipy.linalg import LinAlgWarning
from scipy.spatial.transform import Rotation, RotationSpline

from ..errors import InputError
from ..reals import finite_array
from ..signatures import checked_arguments
from .attitude_paths import AttitudePath, ascending_times, of_rotation

Array = np.ndarray
_REST_TOLERANCE = 1e-9  # a lower rate at an end of the motion counts as rest
_TABLES = ("cubic", "quintic", "monotone", "linear", "steps")


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Polynomials between breaks; made by `waypoints` or `table`, or of SciPy's splines.

    Attributes
    ----------
    breaks : (pieces + 1,)
        Times [s], ascending.
    coefficients : (pieces, coordinates, degree + 1)
        Of powers of the time since the piece's beginning, the highest first.
    """

    breaks: Array
    coefficients: Array

    def at(self, t: float, size: int = 1) -> Array:
        """(3, coordinates) value, rate and acceleration at a time.

        >>> waypoints([0, 2], [0.0, 1.0]).at(1.0).ravel().round(4).tolist()
        [0.5, 0.9375, 0.0]
        """
        piece = int(np.clip(np.searchsorted(self.breaks, t, side="right") - 1, 0, len(self.breaks) - 2))
        return self._within(piece, t)

    def over_times(self, times: Array, size: int = 1) -> Array:
        """(3, times, coordinates) the same at many times."""
        path = PPoly(self.coefficients.transpose(2, 0, 1), self.breaks)
        return np.array([path(times, nu=k) for k in range(3)])

    def _within(self, piece: int, t: float) -> Array:
        s = t - self.breaks[piece]
        parts = [np.poly1d(c) for c in self.coefficients[piece]]
        return np.array([[part.deriv(k)(s) if k else part(s) for part in parts] for k in range(3)])

    def over(self, start: float, end: float, joint: str) -> "Trajectory":
        """The trajectory extended by constants to cover a span of time; raise where an end is not at rest."""
        breaks, pieces = list(self.breaks), list(self.coefficients)
        for place, edge, short in ((0, breaks[0], start < breaks[0]), (-1, breaks[-1], end > breaks[-1])):
            if not short:
                continue
            value, rate, _ = self._within(0 if place == 0 else len(pieces) - 1, edge)
            if np.abs(rate).max() > _REST_TOLERANCE * (1.0 + np.abs(value).max()):
                raise InputError(
                    f"joint '{joint}' is prescribed from {self.breaks[0]:g} to {self.breaks[-1]:g} s and still moves "
                    f"there, but the run lasts from {start:g} to {end:g} s"
                )
            held = np.zeros(self.coefficients.shape[1:])
            held[:, -1] = value
            if place == 0:
                breaks, pieces = [start, *breaks], [held, *pieces]
            else:
                breaks, pieces = [*breaks, end], [*pieces, held]
        return Trajectory(np.array(breaks), np.array(pieces))

    def check_smooth(self, start: float, end: float, joint: str) -> None:
        """Raise if value or rate jump where pieces meet within a span of time: a joint could not follow."""
        s = np.diff(self.breaks)[:-1, None]
        value, rate = (np.zeros(self.coefficients[1:, :, 0].shape) for _ in range(2))
        for c in self.coefficients[:-1].transpose(2, 0, 1):  # at the end of each piece, by Horner's rule
            rate = rate * s + value
            value = value * s + c
        later = self.coefficients[1:].transpose(2, 0, 1)
        rate_later = later[-2] if len(later) > 1 else np.zeros_like(rate)
        speed = np.abs(rate) + np.abs(rate_later)
        within = ((self.breaks[1:-1] > start) & (self.breaks[1:-1] < end))[:, None]
        for what, jump, room in (
            ("value", np.abs(later[-1] - value), 1e-8 * (1.0 + np.abs(value) + speed)),
            ("rate", np.abs(rate_later - rate), 1e-6 * (1.0 + speed)),
        ):
            bad = np.argwhere(within & (jump > room))
            if bad.size:
                raise InputError(
                    f"the motion of joint '{joint}' has a {what} that jumps by {jump[tuple(bad[0])]:.3g} at t = "
                    f"{self.breaks[1 + bad[0, 0]]:g} s, where the joint cannot follow; take waypoints(...), or a table "
                    "of the kind 'cubic' or 'monotone'"
                )

    def numbers(self) -> Array:
        """The trajectory as one vector for `sample`: numbers of pieces, columns, powers; breaks; coefficients."""
        return np.concatenate([self.coefficients.shape, self.breaks, self.coefficients.ravel()])


@checked_arguments()
def waypoints(times: ArrayLike, values: ArrayLike, kind: str = "quintic", *, stop: bool = False) -> Trajectory:
    """A smooth motion through waypoints that begins and ends at rest.

    Parameters
    ----------
    times : (points,)
        When [s], ascending; two or more.
    values : (points,) or (points, coordinates)
        Where [rad, m]. For attitudes of a spherical joint see `attitude_waypoints`.
    kind : 'quintic' or 'cubic'
        Quintic pieces begin and end without acceleration too; cubic ones do not.
    stop : bool
        Whether to come to rest at every waypoint, and not only at both ends.

    Returns
    -------
    Trajectory
        For `simulate(..., prescribed={joint: trajectory})`, or as a law's parameter. Before and after its times the
        joint stands.

    Examples
    --------
    >>> import spacedyn as sd
    >>> path = sd.waypoints([0, 1, 3], [0.0, 0.5, 0.2])
    >>> path.at(1.0)[0].round(12).tolist(), bool(abs(path.at(3.0)[1, 0]) < 1e-12)
    ([0.5], True)
    """
    if kind not in ("quintic", "cubic"):
        raise InputError(f"kind: expected 'quintic' or 'cubic', got {kind!r}")
    if isinstance(values, Rotation):
        raise InputError("values of waypoints: these are attitudes; use attitude_waypoints(times, rotations)")
    t, y = _points("waypoints", times, values)
    return _curve("waypoints", lambda: _from_rest_to_rest(t, y, kind, stop))


def _from_rest_to_rest(t: Array, y: Array, kind: str, stop: bool) -> Trajectory:
    """The curve through waypoints."""
    still = np.zeros(y.shape[1])
    ends = [(1, still), (2, still)]
    if stop:
        rest = [[v, 0 * v] if kind == "cubic" else [v, 0 * v, 0 * v] for v in y]
        return _of_spline(PPoly.from_bernstein_basis(BPoly.from_derivatives(t, rest)))
    if kind == "cubic":
        return _of_spline(CubicSpline(t, y, bc_type="clamped"))
    return _of_b_spline(make_interp_spline(t, y, k=5, bc_type=(ends, ends)))


@checked_arguments()
def table(times: ArrayLike, values: ArrayLike, kind: str = "cubic") -> Trajectory:
    """Values over time, interpolated: a reference for laws, made by hand or of what an earlier run recorded.

    Parameters
    ----------
    times : (points,)
        When [s], ascending; two or more.
    values : (points,) or (points, columns)
        What, such as `run.states.q` or `run["forces"]`, which may have more axes: they are joined into columns.
    kind : str
        'cubic' or 'quintic': the spline through all points, without conditions of its own at the ends; 'monotone': a
        cubic that does not overshoot; 'linear'; 'steps': each value holds up to the next.

    Returns
    -------
    Trajectory
        Give it to a law as a parameter, and read it there by `sample(p.name, t, column)`. Before and after its times
        the first and the last value hold. A table whose rate is continuous can also prescribe a joint.

    Examples
    --------
    >>> import spacedyn as sd
    >>> path = sd.table([0.0, 1.0, 2.0, 3.0], [0.0, 1.0, 8.0, 27.0])
    >>> [round(sd.sample(path.numbers(), 1.5, 0, k), 9) for k in range(3)]
    [3.375, 6.75, 9.0]
    """
    if kind not in _TABLES:
        raise InputError(f"kind: expected one of {', '.join(map(repr, _TABLES))}, got {kind!r}")
    t, y = _points("a table", times, values, joined=True)
    return _curve("a table", lambda: _interpolated(t, y, kind))


def _interpolated(t: Array, y: Array, kind: str) -> Trajectory:
    """The curve through the points of a table."""
    if kind == "steps":
        return Trajectory(t, np.ascontiguousarray(y[:-1, :, None]))
    if kind == "linear":
        slopes = np.diff(y, axis=0) / np.diff(t)[:, None]
        return Trajectory(t, np.ascontiguousarray(np.stack([slopes, y[:-1]], axis=-1)))
    if kind == "monotone":
        return _of_spline(PchipInterpolator(t, y))
    if kind == "cubic":
        return _of_spline(CubicSpline(t, y) if t.size > 2 else PPoly(_line(t, y), t))
    return _of_b_spline(make_interp_spline(t, y, k=min(5, 2 * ((t.size - 2) // 2) + 1)))


@numba.njit(error_model="numpy")
def sample(table: Array, t: float, column: int = 0, derivative: int = 0) -> float:
    """A table's value at a time, for laws: `sample(p.path, t, i)`.

    Parameters
    ----------
    table : array
        A law's parameter that was given as a table (or waypoints, or a spline of SciPy).
    t : float
        When [s].
    column : int
        Which of the table's columns.
    derivative : int
        0: the value, 1: its rate, 2: its acceleration, and so on.

    Returns
    -------
    float
        Before and after the table's times, its first and last value; derivatives are zero there.
    """
    pieces, columns, powers = int(table[0]), int(table[1]), int(table[2])
    if column < 0 or column >= columns or derivative < 0:
        raise IndexError("sample: the table has no such column, or the derivative is not one")
    first, last = table[3], table[3 + pieces]
    if t < first or t > last:
        if derivative > 0:
            return 0.0
        t = min(max(t, first), last)
    low, high = 0, pieces
    while high - low > 1:
        middle = (low + high) // 2
        if table[3 + middle] <= t:
            low = middle
        else:
            high = middle
    at = 4 + pieces + (low * columns + column) * powers
    s, value = t - table[3 + low], 0.0
    for d in range(powers - derivative):
        factor = table[at + d]
        for k in range(derivative):
            factor *= powers - 1 - d - k
        value = value * s + factor
    return value


def packed(value: Any) -> Array | None:
    """A table, waypoints or a spline of SciPy as the vector that `sample` reads; None of anything else."""
    if not isinstance(value, Trajectory | BSpline | PPoly):
        return None
    return trajectory_of(value).numbers()


def trajectory_of(path: Trajectory | BSpline | PPoly) -> Trajectory:
    """A trajectory unchanged, or a spline of SciPy as a Trajectory."""
    if isinstance(path, Trajectory):
        return path
    return _of_b_spline(path) if isinstance(path, BSpline) else _of_spline(path)


def attitude_path_of(value: Any) -> AttitudePath | None:
    """What is given for a spherical joint, or (place, attitude) for a free one; None if it is anything else."""
    if isinstance(value, AttitudePath):
        return value
    if isinstance(value, Rotation | RotationSpline):
        return of_rotation(value)
    if not (isinstance(value, tuple) and len(value) == 2):
        return None
    turn = attitude_path_of(value[1])
    if turn is None:
        return None
    place = value[0]
    if isinstance(place, Trajectory | BSpline | PPoly):
        path = trajectory_of(place)
    else:
        where = finite_array("the place of a free joint", place, "three finite coordinates", [(3,)])
        path = Trajectory(np.array([0.0, 1.0]), where.reshape(1, -1, 1))
    if path.coefficients.shape[1] != 3 or not np.isfinite(path.coefficients).all():
        raise InputError(
            f"the place of a free joint: expected three finite coordinates, got {path.coefficients.shape[1]}"
        )
    return replace(turn, path_breaks=path.breaks, path_coefficients=path.coefficients)


def _points(what: str, times: ArrayLike, values: ArrayLike, joined: bool = False) -> tuple[Array, Array]:
    """Checked times (points,) and values (points, columns)."""
    t = ascending_times(what, times)
    expected = f"finite numbers ({t.size},) or ({t.size}, n)"
    y = finite_array(f"values of {what}", values, expected)
    if y.shape[:1] != t.shape or (y.ndim > 2 and not joined) or y.size == 0:
        raise InputError(f"values of {what} must be {expected}, got shape {y.shape}")
    return t, y.reshape(t.size, -1)


def _curve(what: str, make: Callable[[], Trajectory]) -> Trajectory:
    """The curve that `make` returns; InputError, beginning with `what`, if it is not finite."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("error", LinAlgWarning)
            made = make()
        fine = bool(np.isfinite(made.coefficients).all())
    except (ValueError, ArithmeticError, np.linalg.LinAlgError, LinAlgWarning):  # of divisions in SciPy
        fine = False
    if not fine:
        raise InputError(f"{what}: times are too close together, or numbers too large, for a curve through the points")
    return made


def _line(t: Array, y: Array) -> Array:
    """Coefficients (2, 1, columns) of the line through two points."""
    return np.array([(y[1] - y[0]) / (t[1] - t[0]), y[0]])[:, None]


def _of_spline(spline: Any) -> Trajectory:
    """From SciPy's piecewise polynomials c (degree + 1, pieces, …)."""
    c = spline.c.reshape(*spline.c.shape[:2], -1)
    return Trajectory(np.array(spline.x), np.ascontiguousarray(c.transpose(1, 2, 0)))


def _of_b_spline(spline: BSpline) -> Trajectory:
    """From a B-spline, by its derivatives at the knots."""
    breaks = np.unique(spline.t[spline.k : len(spline.t) - spline.k])
    powers = [spline(breaks[:-1], nu=d).reshape(len(breaks) - 1, -1) / factorial(d) for d in range(spline.k, -1, -1)]
    return Trajectory(breaks, np.stack(powers, axis=-1))
