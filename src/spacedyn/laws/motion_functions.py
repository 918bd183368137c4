"""Functions of time that prescribe a joint: value, rate and acceleration, by a function or made of rotations."""

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from ..errors import InputError, nearest
from ..model.joints import JOINT_KINDS
from ..model.quaternions import conjugate, logarithm, multiply
from ..motion.trajectories import Trajectory, attitude_path_of, sample
from .bytecode import Role, attributes
from .law import Law, LawTemplate

Array = np.ndarray
MOTION = Role(  # of an attitude there is one value more than there are rates: its quaternion
    "motion",
    ("t", "p", "out"),
    {"value": 0, "rate": 0, "acceleration": 0},
)
Parts = tuple[Array, Array, Array]
"""Value, rate and acceleration."""


@dataclass(frozen=True, eq=False)
class Motion(Law):
    """A function of time that prescribes a joint; made by `motion`."""

    role: ClassVar[Role] = MOTION

    def at(self, t: float, size: int) -> Array:
        """(3, size) value, rate and acceleration at a time, by plain Python; of a joint without attitude."""
        return np.array(self.over_times(np.array([t]), size))[:, 0]

    def over_times(self, times: Array, size: int, places: int | None = None) -> Parts:
        """Value (times, places), rate and acceleration (times, size) at many times."""
        value, rate, acceleration = (np.zeros((len(times), n)) for n in (places or size, size, size))
        given = SimpleNamespace(**{k: float(v) if v.ndim == 0 else v for k, v in self.parameters.items()})
        function = getattr(self.function, "py_func", self.function)
        for name in sorted(attributes(function, MOTION, "out", None) - set(MOTION.written)):
            raise InputError(f"motion '{self.name}': out has no '{name}'; {nearest(name, list(MOTION.written))}")
        with np.errstate(all="ignore"):  # as when it is compiled; what is not finite is named by those who ask
            for i, t in enumerate(times):
                function(float(t), given, SimpleNamespace(value=value[i], rate=rate[i], acceleration=acceleration[i]))
        return value, rate, acceleration


@dataclass(frozen=True)
class MotionTemplate(LawTemplate):
    """A motion without its parameters; call it with them to get a `Motion`."""

    @property
    def made(self) -> type[Law]:
        """The class of what a call returns."""
        return Motion


def motion(function: Callable) -> MotionTemplate:
    """Make a prescribed motion of a function f(t, p, out); it is compiled when it is first simulated.

    Parameters
    ----------
    function : callable
        Reads the time `t` [s] and parameters `p`; writes `out.value`, `out.rate` and `out.acceleration`, arrays with an
        entry for each coordinate of the joint. Rate and acceleration must be the derivatives of the value. Of a
        spherical joint the value is a quaternion (x, y, z, w), joint frame <- child, rate and acceleration are those of
        the angular velocity in the child's axes; of a free joint three coordinates of its place come first in each.

    Returns
    -------
    MotionTemplate
        Call it with the parameters.

    Examples
    --------
    >>> import math
    >>> import spacedyn as sd
    >>> @sd.motion
    ... def swing(t, p, out):
    ...     out.value[0] = p.size * math.sin(p.speed * t)
    ...     out.rate[0] = p.size * p.speed * math.cos(p.speed * t)
    ...     out.acceleration[0] = -p.size * p.speed**2 * math.sin(p.speed * t)
    >>> swing(size=0.2, speed=1.5).at(0.0, 1).ravel().round(3).tolist()
    [0.0, 0.3, -0.0]
    """
    return MotionTemplate(function)


def check_derivatives(name: str, given: Motion, size: int, places: int, start: float, end: float) -> None:
    """Raise if rate or acceleration is not the derivative of what it belongs to; isolated kinks are allowed."""
    step = 1e-6 * min(end - start, 1.0)
    times = start + (end - start) * np.linspace(0.013, 0.987, 9)
    near = [given.over_times(times + k * step, size, places) for k in (-1, 0, 1)]
    if not all(np.isfinite(part).all() for parts in near for part in parts):
        raise InputError(f"motion '{given.name}' of joint '{name}' writes numbers that are not finite")
    before, now, after = near
    if places > size and np.abs(np.linalg.norm(now[0][:, -4:], axis=-1) - 1.0).max() > 1e-6:
        raise InputError(f"motion '{given.name}' of joint '{name}' writes a quaternion whose length is not one")
    slopes = [(last - first) / (2 * step) for first, last in zip(before[:2], after[:2], strict=True)]
    if places > size:
        turn = logarithm(multiply(conjugate(before[0][:, -4:]), after[0][:, -4:])) / (2 * step)
        slopes[0] = np.concatenate([slopes[0][:, :-4], turn], axis=-1)
    for k, (what, of) in enumerate((("rate", "value"), ("acceleration", "rate"))):
        slope, written = slopes[k], now[k + 1]
        size_of = np.abs(now[k]).max(axis=-1, keepdims=True)
        room = 1e-4 * (1e-6 + np.abs(slope).max() + np.abs(written).max()) + 1e-9 * size_of / step
        off = np.abs(slope - written) > room
        if np.count_nonzero(off.any(axis=1)) > len(times) // 2:
            i = int(np.argmax(off.any(axis=1)))
            raise InputError(
                f"motion '{given.name}' of joint '{name}': the {what} that it writes at t = {times[i]:g} s, "
                f"{written[i]}, is not the derivative of its {of}, {slope[i]}"
            )


def attitude_path_motion(name: str, kind: str, value: Any, start: float, end: float) -> Motion:
    """What is given for a joint that has an attitude, as a compiled function of time."""
    turn, has_place = attitude_path_of(value), JOINT_KINDS[kind].plain_count > 0
    if turn is None or has_place != (turn.path_breaks.size > 0):
        wanted = "(place, attitude)" if has_place else "an attitude"
        beside = ", beside a path of three coordinates" if has_place else ""
        raise InputError(
            f"prescribed joint '{name}' is {kind}: expected {wanted}, as attitude_waypoints(...), a RotationSpline or "
            f"a Rotation of SciPy{beside}; or a function made by @motion, or 'locked'; got {value!r}"
        )
    turn.check_span(start, end, name)
    place = np.zeros(1)
    if turn.path_breaks.size:
        path = Trajectory(turn.path_breaks, turn.path_coefficients)
        path.check_smooth(start, end, name)
        place = path.over(start, end, name).numbers()
    made = attitude_over_time(place=place, turn=turn.numbers(), knots=turn.knots)
    assert isinstance(made, Motion)
    return made


@motion
def attitude_over_time(t, p, out):  # type: ignore[no-untyped-def]
    """Quaternion, angular velocity and acceleration of A_k exp(phi(t)), with phi in polynomials; before it a place."""
    first = out.value.size - 4
    for j in range(first):
        out.value[j], out.rate[j] = sample(p.place, t, j), sample(p.place, t, j, 1)
        out.acceleration[j] = sample(p.place, t, j, 2)
    low, high = 0, int(p.turn[0])
    while high - low > 1:
        middle = (low + high) // 2
        if p.turn[3 + middle] <= t:
            low = middle
        else:
            high = middle
    x, y, z = sample(p.turn, t, 0), sample(p.turn, t, 1), sample(p.turn, t, 2)
    dx, dy, dz = sample(p.turn, t, 0, 1), sample(p.turn, t, 1, 1), sample(p.turn, t, 2, 1)
    ax, ay, az = sample(p.turn, t, 0, 2), sample(p.turn, t, 1, 2), sample(p.turn, t, 2, 2)
    # series of sin(h)/h and cos(h) of half the angle, of (1 - cos)/angle² and (angle - sin)/angle³, and their slopes
    square = x * x + y * y + z * z
    sinc, cosine, a, b, slope_a, slope_b = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    term, half = 1.0, 1.0  # (-angle²)^k / (2k)!, and the same of half the angle
    for k in range(24):
        cosine += half
        sinc += half / (2 * k + 1)
        a += term / ((2 * k + 1) * (2 * k + 2))
        b += term / ((2 * k + 1) * (2 * k + 2) * (2 * k + 3))
        next_term = -term / ((2 * k + 1) * (2 * k + 2))  # without the square of the angle: what it is the slope by
        slope_a += 2 * (k + 1) * next_term / ((2 * k + 3) * (2 * k + 4))
        slope_b += 2 * (k + 1) * next_term / ((2 * k + 3) * (2 * k + 4) * (2 * k + 5))
        term *= -square / ((2 * k + 1) * (2 * k + 2))
        half *= -0.25 * square / ((2 * k + 1) * (2 * k + 2))
    s = 0.5 * sinc
    qx, qy, qz, qw = p.knots[low, 0], p.knots[low, 1], p.knots[low, 2], p.knots[low, 3]
    out.value[first] = qw * s * x + qx * cosine + s * (qy * z - qz * y)
    out.value[first + 1] = qw * s * y + qy * cosine + s * (qz * x - qx * z)
    out.value[first + 2] = qw * s * z + qz * cosine + s * (qx * y - qy * x)
    out.value[first + 3] = qw * cosine - s * (qx * x + qy * y + qz * z)
    # omega = d - a phi × d + b phi × (phi × d), d the rate of phi; and its derivative
    cx, cy, cz = y * dz - z * dy, z * dx - x * dz, x * dy - y * dx
    ex, ey, ez = y * cz - z * cy, z * cx - x * cz, x * cy - y * cx
    fx, fy, fz = y * az - z * ay, z * ax - x * az, x * ay - y * ax
    gx, gy, gz = y * fz - z * fy, z * fx - x * fz, x * fy - y * fx
    hx, hy, hz = dy * cz - dz * cy, dz * cx - dx * cz, dx * cy - dy * cx
    out.rate[first], out.rate[first + 1] = dx - a * cx + b * ex, dy - a * cy + b * ey
    out.rate[first + 2] = dz - a * cz + b * ez
    along = x * dx + y * dy + z * dz
    a_rate, b_rate = slope_a * along, slope_b * along
    out.acceleration[first] = ax - a_rate * cx - a * fx + b_rate * ex + b * (hx + gx)
    out.acceleration[first + 1] = ay - a_rate * cy - a * fy + b_rate * ey + b * (hy + gy)
    out.acceleration[first + 2] = az - a_rate * cz - a * fz + b_rate * ez + b * (hz + gz)
