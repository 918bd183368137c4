"""Motions from one place to another: minimum jerk, and trapezoidal rates within limits of rate and acceleration."""

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..reals import finite_array, one_number
from ..signatures import checked_arguments
from .trajectories import Trajectory, waypoints

Array = np.ndarray


@checked_arguments()
def minimum_jerk(start: ArrayLike, end: ArrayLike, duration: float, *, begin: float = 0.0) -> Trajectory:
    """From rest to rest with the least integral of squared jerk: 10 s³ - 15 s⁴ + 6 s⁵ of the way.

    Parameters
    ----------
    start, end : float or (coordinates,)
        From where to where [rad, m].
    duration : float
        How long it takes [s].
    begin : float
        When it begins [s].

    Returns
    -------
    Trajectory
        All coordinates go in step, so that the way is straight. Flash & Hogan (1985).

    Examples
    --------
    >>> import spacedyn as sd
    >>> sd.minimum_jerk(0.0, 2.0, 4.0).at(2.0).ravel().tolist()
    [1.0, 0.9375, 0.0]
    """
    a, b = _ends("minimum_jerk", start, end)
    lasts, first = one_number("minimum_jerk: duration", duration), one_number("minimum_jerk: begin", begin)
    if not lasts > 0.0:
        raise InputError(f"minimum_jerk: duration must be a positive time [s], got {duration}")
    return waypoints([first, first + lasts], [a, b])


@checked_arguments(velocity="speed", max_speed="speed", max_acceleration="acceleration")
def trapezoidal(
    start: ArrayLike, end: ArrayLike, *, speed: ArrayLike, acceleration: ArrayLike, begin: float = 0.0
) -> Trajectory:
    """From rest to rest as fast as limits of rate and acceleration allow: speed up, go on, slow down.

    Parameters
    ----------
    start, end : float or (coordinates,)
        From where to where [rad, m].
    speed, acceleration : float or (coordinates,)
        The largest rate [rad/s, m/s] and acceleration [rad/s², m/s²] of each.
    begin : float
        When it begins [s].

    Returns
    -------
    Trajectory
        All coordinates go in step, so that the way is straight; the slowest of them decides. Where the way is too short
        for the full rate, the rate is a triangle. Accelerations jump.

    Examples
    --------
    >>> import spacedyn as sd
    >>> path = sd.trapezoidal(0.0, 3.0, speed=1.0, acceleration=2.0)
    >>> float(path.breaks[-1]), path.at(1.0).ravel().tolist()
    (3.5, [0.75, 1.0, 0.0])
    """
    a, b = _ends("trapezoidal", start, end)
    limits = []
    for name, value in (("speed", speed), ("acceleration", acceleration)):
        given = finite_array(
            f"trapezoidal: {name}", value, f"a positive number, or {a.size} of them", [(), (1,), a.shape]
        )
        if not (given > 0.0).all():
            raise InputError(f"trapezoidal: {name} must be positive, got {value!r}")
        limits.append(np.broadcast_to(given, a.shape))
    if not (b - a).any():
        raise InputError("trapezoidal: start and end are the same place; a motion needs a way")
    times, coefficients = _shares(a, b, *limits)
    times += one_number("trapezoidal: begin", begin)
    if not (np.isfinite(coefficients).all() and np.isfinite(times).all() and (np.diff(times) > 0.0).all()):
        raise InputError("trapezoidal: these limits are too large or too small for double precision")
    return Trajectory(times, coefficients)


@np.errstate(all="ignore")  # overflow is refused above
def _shares(a: Array, b: Array, speed: Array, acceleration: Array) -> tuple[Array, Array]:
    """Breaks, and coefficients (pieces, coordinates, 3) of a motion with a trapezoidal rate."""
    way = np.abs(b - a)
    moving = way > 0.0
    v, c = ((limit[moving] / way[moving]).min() for limit in (speed, acceleration))  # of the share of the way
    ramp = min(v / c, 1.0 / np.sqrt(c))
    full = c * ramp
    cruise = 1.0 / full - ramp
    breaks, shares = [0.0, ramp], [[0.5 * c, 0.0, 0.0]]
    if cruise > 1e-12 * ramp:
        breaks.append(ramp + cruise)
        shares.append([0.0, full, 0.5 * c * ramp**2])
    breaks.append(breaks[-1] + ramp)
    shares.append([-0.5 * c, full, 1.0 - 0.5 * c * ramp**2])
    coefficients = np.array(shares)[:, None, :] * (b - a)[:, None]
    coefficients[:, :, -1] += a
    return np.array(breaks), coefficients


def _ends(what: str, start: ArrayLike, end: ArrayLike) -> tuple[Array, Array]:
    """Both ends, (coordinates,) each."""
    ends = []
    for name, value in (("start", start), ("end", end)):
        array = finite_array(f"{what}: {name}", value, "a finite number, or a list of them")
        if array.ndim > 1 or not array.size:
            raise InputError(f"{what}: {name} must be a finite number, or a list of them, got shape {array.shape}")
        ends.append(np.atleast_1d(array))
    if ends[0].shape != ends[1].shape:
        raise InputError(f"{what}: start has {ends[0].size} coordinates and end {ends[1].size}")
    return ends[0], ends[1]
