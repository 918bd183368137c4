"""Paths of an endpoint, position and attitude: straight lines, screws, and curves through waypoints.

    position c(t) + E r,  rotation E A,  E = exp(φ(t)×)

with polynomials c (3) and φ (3) of time. On a straight line r = 0, and φ keeps its direction; on a screw c moves along
the axis, φ turns about it and r reaches from the axis to the endpoint.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from ..errors import InputError, nearest
from ..reals import finite_array, one_number
from ..signatures import checked_arguments
from .profiles import minimum_jerk, trapezoidal
from .trajectories import Trajectory, waypoints

Array = np.ndarray


class EndpointMotion(NamedTuple):
    """Where an endpoint is to be, inertial axes."""

    position: Array  # (3,) [m]
    rotation: Array  # (3, 3) endpoint's axes -> inertial axes
    velocity: Array  # (6,) linear [m/s], angular [rad/s]
    acceleration: Array  # (6,) [m/s², rad/s²]


@dataclass(frozen=True, eq=False)
class EndpointPath:
    """A path of an endpoint over time; made by `endpoint_line`, `endpoint_screw`, `endpoint_waypoints`.

    Attributes
    ----------
    curve : Trajectory
        Six columns: c (3) [m] and φ (3) [rad], inertial axes.
    lever : (3,)
        r [m], from c to the endpoint where φ = 0.
    rotation : (3, 3)
        A, the endpoint's axes where φ = 0.
    """

    curve: Trajectory
    lever: Array
    rotation: Array

    def at(self, t: float) -> EndpointMotion:
        """Where the endpoint is to be at a time; before and after the path it stands at its ends.

        >>> import spacedyn as sd
        >>> path = endpoint_line([0, 0, 0], np.eye(3), by=[0, 0, 2.0], duration=4.0)
        >>> path.at(2.0).position.tolist(), float(path.at(2.0).velocity[2])
        ([0.0, 0.0, 1.0], 0.9375)
        """
        t, ends = one_number("at: t", t), (self.curve.breaks[0], self.curve.breaks[-1])
        values = self.curve.at(float(np.clip(t, *ends)))
        if not ends[0] <= t <= ends[1]:
            values[1:] = 0.0
        (c, f), (cd, fd), (cdd, fdd) = (np.split(row, 2) for row in values)
        angle = float(np.linalg.norm(f))
        a, b, da, db = _factors(angle)
        across = np.cross(f, fd)
        twice = np.cross(f, across)
        w = fd + a * across + b * twice
        wd = fdd + a * np.cross(f, fdd) + b * (np.cross(f, np.cross(f, fdd)) + np.cross(fd, across))
        wd += (da * across + db * twice) * (f @ fd)
        E = Rotation.from_rotvec(f).as_matrix()
        r = E @ self.lever
        velocity = np.concatenate([cd + np.cross(w, r), w])
        acceleration = np.concatenate([cdd + np.cross(wd, r) + np.cross(w, np.cross(w, r)), wd])
        return EndpointMotion(c + r, E @ self.rotation, velocity, acceleration)

    def numbers(self) -> Array:
        """The path as one vector for laws."""
        return np.concatenate([self.lever, self.rotation.ravel(), self.curve.numbers()])


def _factors(angle: float) -> tuple[float, float, float, float]:
    """(1 - cos)/θ², (θ - sin)/θ³, and their derivatives over θ."""
    s = angle**2
    if angle < 1e-2:
        return 0.5 - s / 24.0, 1.0 / 6.0 - s / 120.0, -1.0 / 12.0 + s / 180.0, -1.0 / 60.0 + s / 1260.0
    sine, versine = np.sin(angle), 2.0 * np.sin(0.5 * angle) ** 2
    a, b = versine / s, (angle - sine) / (s * angle)
    return a, b, (sine / angle - 2.0 * a) / s, (a - 3.0 * b) / s


def _profile(what: str, size: float, duration: Any, speed: Any, acceleration: Any, begin: Any) -> Trajectory:
    """The share, 0 to 1, of a way of this size over time: minimum jerk of a duration, or within limits."""
    if (duration is None) == (speed is None or acceleration is None) or (speed is None) != (acceleration is None):
        raise InputError(f"{what}: give a duration [s] (minimum jerk), or speed and acceleration (trapezoidal rates)")
    if duration is not None:
        return minimum_jerk(0.0, 1.0, duration, begin=begin)
    fast, quick = one_number(f"{what}: speed", speed), one_number(f"{what}: acceleration", acceleration)
    way = trapezoidal(0.0, size, speed=fast, acceleration=quick, begin=begin)
    with np.errstate(all="ignore"):  # a way of almost zero length is refused in `_along`
        return Trajectory(way.breaks, way.coefficients / size)


def _vector(what: str, name: str, value: Any) -> Array:
    return finite_array(f"{what}: {name}", value, "three finite numbers", [(3,)])


def _rotation(what: str, value: Any) -> Array:
    given = value.as_matrix() if isinstance(value, Rotation) else value
    R = finite_array(f"{what}: rotation", given, "a rotation, or its matrix (3, 3)", [(3, 3)])
    if not np.abs(R @ R.T - np.eye(3)).max() <= 1e-6 or np.linalg.det(R) < 0.0:
        raise InputError(f"{what}: rotation must be a rotation matrix")
    return R


def _along(what: str, share: Trajectory, start: Array, change: Array) -> Trajectory:
    """Six columns start + share × change."""
    with np.errstate(all="ignore"):
        c = share.coefficients * change[None, :, None]
        c[:, :, -1] += start
    if not np.isfinite(c).all():
        raise InputError(f"{what}: these numbers are too large or too small for double precision")
    return Trajectory(share.breaks, c)


@checked_arguments("position", "rotation")
def endpoint_line(
    position: ArrayLike,
    rotation: Any,
    *,
    to: ArrayLike | None = None,
    by: ArrayLike | None = None,
    turn: ArrayLike = (0.0, 0.0, 0.0),
    duration: float | None = None,
    speed: float | None = None,
    acceleration: float | None = None,
    begin: float = 0.0,
) -> EndpointPath:
    """A straight line of an endpoint, from rest to rest, while it turns about one axis.

    Parameters
    ----------
    position, rotation
        Where it begins: (3,) [m], and a Rotation or matrix (3, 3), endpoint's axes -> inertial axes; as `endpoint_pose`
        gives them.
    to, by : (3,)
        Where it ends, or by how much it moves [m], inertial axes: one of them.
    turn : (3,)
        Rotation vector of the turn meanwhile [rad], inertial axes.
    duration : float
        How long it takes [s]: minimum jerk. Or:
    speed, acceleration : float
        Largest along the way [m/s, m/s²] ([rad/s, rad/s²] of a turn on the spot): trapezoidal.
    begin : float
        When it begins [s].

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> pose = sd.endpoint_pose(robot, robot.neutral_state(), "hand")
    >>> path = sd.endpoint_line(pose.position, pose.rotation, by=[0.3, 0, 0], turn=[0, 0, 0.5], duration=10.0)
    >>> (path.at(10.0).position - pose.position).round(12).tolist()
    [0.3, 0.0, 0.0]
    """
    what = "endpoint_line"
    p, R, turned = _vector(what, "position", position), _rotation(what, rotation), _vector(what, "turn", turn)
    if (to is None) == (by is None):
        raise InputError(f"{what}: give either `to`, where it ends, or `by`, how far it goes")
    way = _vector(what, "by", by) if to is None else _vector(what, "to", to) - p
    size = float(np.linalg.norm(way)) or float(np.linalg.norm(turned))
    if not size > 0.0:
        raise InputError(f"{what}: it neither moves nor turns")
    share = _profile(what, size, duration, speed, acceleration, begin)
    return EndpointPath(_along(what, share, np.append(p, np.zeros(3)), np.append(way, turned)), np.zeros(3), R)


@checked_arguments("position", "rotation")
def endpoint_screw(
    position: ArrayLike,
    rotation: Any,
    *,
    point: ArrayLike,
    axis: ArrayLike,
    angle: float,
    pitch: float = 0.0,
    duration: float | None = None,
    speed: float | None = None,
    acceleration: float | None = None,
    begin: float = 0.0,
) -> EndpointPath:
    """A screw of an endpoint, from rest to rest: it turns about an axis in space and advances along it.

    Parameters
    ----------
    position, rotation
        As in `endpoint_line`.
    point, axis : (3,)
        A point of the axis [m] and its direction, inertial axes.
    angle : float
        By how much it turns [rad]; more than a turn is fine.
    pitch : float
        How far it advances in a whole turn [m].
    duration, begin
        As in `endpoint_line`.
    speed, acceleration : float
        Largest of the turn [rad/s, rad/s²], instead of a duration.

    Examples
    --------
    >>> import spacedyn as sd
    >>> half = {"point": [0, 0, 0], "axis": [0, 0, 1], "angle": np.pi, "pitch": 0.2}
    >>> path = sd.endpoint_screw([1, 0, 0], np.eye(3), **half, duration=5.0)
    >>> path.at(5.0).position.round(12).tolist()
    [-1.0, 0.0, 0.1]
    """
    what = "endpoint_screw"
    p, R, c = _vector(what, "position", position), _rotation(what, rotation), _vector(what, "point", point)
    direction, by = _vector(what, "axis", axis), one_number(f"{what}: angle", angle)
    advance = one_number(f"{what}: pitch", pitch)
    if not np.linalg.norm(direction) > 0.0 or by == 0.0:
        raise InputError(f"{what}: it needs an axis, which is no zero vector, and an angle other than zero")
    direction = direction / np.linalg.norm(direction)
    share = _profile(what, abs(by), duration, speed, acceleration, begin)
    change = np.append(direction * (advance * by / (2.0 * np.pi)), direction * by)
    return EndpointPath(_along(what, share, np.append(c, np.zeros(3)), change), p - c, R)


@checked_arguments("position", "rotation")
def endpoint_waypoints(
    position: ArrayLike,
    rotation: Any,
    *,
    times: ArrayLike,
    positions: ArrayLike,
    turns: ArrayLike | None = None,
    relative: bool = False,
    kind: str = "quintic",
    stop: bool = False,
) -> EndpointPath:
    """A smooth curve of an endpoint through waypoints, from rest to rest: splines of position and rotation vector.

    Parameters
    ----------
    position, rotation
        As in `endpoint_line`; `turns` are counted from this rotation.
    times : (points,)
        When [s].
    positions : (points, 3)
        Where [m], inertial axes.
    turns : (points, 3), optional
        Rotation vectors from `rotation` [rad], inertial axes; below a whole turn. None if left out.
    relative : bool
        Whether positions are counted from `position`.
    kind, stop
        As in `waypoints`.

    Examples
    --------
    >>> import spacedyn as sd
    >>> path = sd.endpoint_waypoints([1, 0, 0], np.eye(3), times=[0, 2, 4], positions=[[1, 0, 0], [1, 1, 0], [0, 1, 0]])
    >>> path.at(2.0).position.round(12).tolist()
    [1.0, 1.0, 0.0]
    """
    what = "endpoint_waypoints"
    p, R = _vector(what, "position", position), _rotation(what, rotation)
    where = finite_array(f"{what}: positions", positions, "rows of three finite numbers")
    if where.ndim != 2 or where.shape[1] != 3:
        raise InputError(f"{what}: positions must be rows of three finite numbers, got shape {where.shape}")
    turned = np.zeros_like(where)
    if turns is not None:
        turned = finite_array(f"{what}: turns", turns, f"rows of three finite numbers, {where.shape}", [where.shape])
    values = np.hstack([where + p if relative else where, turned])
    return EndpointPath(waypoints(times, values, kind, stop=stop), np.zeros(3), R)


PATHS: dict[str, Callable[..., EndpointPath]] = {
    "line": endpoint_line,
    "screw": endpoint_screw,
    "waypoints": endpoint_waypoints,
}
"""Kinds of paths, as scenario files name them."""


def path_from(what: str, value: Any, position: Array, rotation: Array) -> EndpointPath:
    """A path as given, or of a table {kind = "line", ...} that begins at a pose."""
    if isinstance(value, EndpointPath):
        return value
    if not isinstance(value, Mapping) or "kind" not in value:
        raise InputError(
            f"{what}: path must be an EndpointPath, as sd.endpoint_line makes it, or a table such as "
            '{kind = "line", by = [0.1, 0, 0], duration = 5.0}'
        )
    options = {str(name): option for name, option in value.items() if name != "kind"}
    kind = value["kind"]
    if not isinstance(kind, str) or kind not in PATHS:
        raise InputError(f"{what}: unknown kind of path {kind!r}; {nearest(str(kind), list(PATHS))}")
    for name in ("position", "rotation"):
        if name in options:
            raise InputError(f"{what}: path has no '{name}' here; it begins where the endpoint is")
    return PATHS[kind](position, rotation, **options)
