"""Attitudes as functions of time: from waypoint to waypoint, SciPy's splines of rotations, or a constant.

Between two breaks the attitude is that at the first of them, turned further by a rotation vector whose components are
polynomials of time: A(t) = A_k exp(phi(t - t_k)), in the child's own axes. No angle becomes singular.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation, RotationSpline

from ..errors import InputError
from ..reals import finite_array
from ..signatures import checked_arguments

Array = np.ndarray
_REST_TOLERANCE = 1e-9  # a lower rate at an end of the motion counts as rest


@dataclass(frozen=True, eq=False)
class AttitudePath:
    """An attitude over time, for a spherical or free joint; made by `attitude_waypoints`, or of SciPy's rotations.

    Attributes
    ----------
    breaks : (pieces + 1,)
        Times [s], ascending.
    knots : (pieces, 4)
        Quaternions (x, y, z, w) at the beginning of each piece.
    coefficients : (pieces, 3, degree + 1)
        Of powers of the time since the piece's beginning, the highest first: rotation vectors from there [rad].
    path_breaks, path_coefficients
        The same of the place of a free joint, if it is one: pieces of polynomials of three coordinates [m].
    """

    breaks: Array
    knots: Array
    coefficients: Array
    path_breaks: Array = field(default_factory=lambda: np.empty(0))
    path_coefficients: Array = field(default_factory=lambda: np.empty((0, 3, 1)))

    def numbers(self) -> Array:
        """The polynomials as one vector, which `sample` reads."""
        return np.concatenate([self.coefficients.shape, self.breaks, self.coefficients.ravel()])

    def check_span(self, start: float, end: float, joint: str) -> None:
        """Raise if a run lasts longer than the motion does, and it is not at rest there."""
        length = self.breaks[-1] - self.breaks[-2]
        powers = np.arange(self.coefficients.shape[2] - 1, 0, -1)
        last = (self.coefficients[-1, :, :-1] * powers * length ** (powers - 1)).sum(axis=-1)
        first = self.coefficients[0, :, -2] if powers.size else np.zeros(3)
        for rate, short in ((first, start < self.breaks[0]), (last, end > self.breaks[-1])):
            if short and np.abs(rate).max() > _REST_TOLERANCE:
                raise InputError(
                    f"joint '{joint}' is prescribed from {self.breaks[0]:g} to {self.breaks[-1]:g} s and still turns "
                    f"there, but the run lasts from {start:g} to {end:g} s"
                )


@checked_arguments("attitudes")
def attitude_waypoints(times: ArrayLike, attitudes: Rotation) -> AttitudePath:
    """A motion from attitude to attitude, for a spherical joint: each time a turn about one axis, with a stop at each.

    Parameters
    ----------
    times : (points,)
        When [s], ascending; two or more.
    attitudes : Rotation (points,)
        The child's axes in the joint's frame. Turns take the short way: half a turn at most.

    Returns
    -------
    AttitudePath
        For `simulate(..., prescribed={joint: path})`; of a free joint `(position, path)`. Turns begin and end
        without rate and acceleration (quintic). Where no stop is wanted, SciPy's RotationSpline will do instead.

    Examples
    --------
    >>> import spacedyn as sd
    >>> path = sd.attitude_waypoints([0, 2], sd.Rotation.from_euler("z", [[0], [90]], degrees=True))
    >>> path.coefficients[0, 2].round(4).tolist()
    [0.2945, -1.4726, 1.9635, 0.0, 0.0, 0.0]
    """
    if not isinstance(attitudes, Rotation):
        raise InputError(f"attitude_waypoints: expected rotations (spacedyn.Rotation), got {type(attitudes).__name__}")
    t = ascending_times("waypoints", times)
    if attitudes.single or len(attitudes) != t.size:
        raise InputError(f"values of waypoints: expected {t.size} rotations, one for each time")
    turns = (attitudes[:-1].inv() * attitudes[1:]).as_rotvec()
    lengths = np.diff(t)[:, None]
    with np.errstate(all="ignore"):
        shape = np.stack([6.0 / lengths**5, -15.0 / lengths**4, 10.0 / lengths**3, *3 * [0.0 * lengths]], axis=-1)
        coefficients = turns[:, :, None] * shape
    if not np.isfinite(coefficients).all():
        raise InputError("waypoints: times are too close together, or too large, for a turn between them")
    return AttitudePath(t, attitudes[:-1].as_quat(), coefficients)


def ascending_times(what: str, times: ArrayLike) -> Array:
    """Two or more times (points,) [s], as a new array."""
    t = finite_array(f"times of {what}", times, "two or more, finite and ascending")
    with np.errstate(over="ignore"):
        steps = np.diff(t) if t.ndim == 1 else np.zeros(1)
    if t.size < 2 or not (steps > 0.0).all() or not np.isfinite(steps).all():
        raise InputError(f"times of {what} must be two or more, finite and ascending")
    return t


def of_rotation(value: Rotation | RotationSpline) -> AttitudePath:
    """A constant attitude, or a spline of SciPy, as an AttitudePath."""
    if isinstance(value, Rotation):
        if not value.single:
            raise InputError("a prescribed attitude: expected one rotation; for several, attitude_waypoints(times, …)")
        return AttitudePath(np.array([0.0, 1.0]), value.as_quat()[None], np.zeros((1, 3, 1)))
    c = value.interpolator.c
    return AttitudePath(np.array(value.times), value.rotations.as_quat()[: c.shape[1]], c.transpose(1, 2, 0).copy())
