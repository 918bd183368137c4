"""Kinematics: poses, velocities, accelerations, Jacobians and their rates.

Everything is in inertial axes; velocities are (linear; angular). Every function takes one state or a batch.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from ..errors import UnknownName
from ..kernels.robot import frames as _frames
from ..kernels.robot import jacobians as _jacobians
from ..kernels.robot import layout as k
from ..model.flatten import Frames
from ..model.model import Model
from ..model.parts import Endpoint, stacked
from ..model.state import FlatState, State
from ..signatures import readable_signature
from .calls import (
    NOTHING,
    centroid_frame,
    check_model,
    check_state,
    endpoint_frame,
    finite_operand,
    frames,
    point_on,
    run_on_states,
    vector,
)

Array = np.ndarray


class Pose(NamedTuple):
    """A place and an attitude."""

    position: Array  # (…, 3) [m], inertial axes
    rotation: Array  # (…, 3, 3) direction cosines, inertial <- frame

    @property
    def attitude(self) -> Rotation:
        """The same attitude as a SciPy Rotation."""
        return Rotation.from_matrix(self.rotation)


class FrameMotion(NamedTuple):
    """Poses and motion of a family of frames: arrays over (…, frames, …), in the order of the model.

    `velocity` and `acceleration` are (linear; angular), of the frame's origin, in inertial axes; the acceleration is
    None unless accelerations were given.
    """

    names: tuple[str, ...]
    position: Array  # (…, frames, 3) [m]
    rotation: Array  # (…, frames, 3, 3) inertial <- frame
    velocity: Array  # (…, frames, 6) [m/s, rad/s]
    acceleration: Array | None  # (…, frames, 6) [m/s², rad/s²]

    def of(self, name: str) -> "FrameMotion":
        """One of them, without the axis of frames.

        Raises UnknownName if no frame has that name.
        """
        if name not in self.names:
            raise UnknownName("frame", name, self.names)
        i = self.names.index(name)
        acceleration = None if self.acceleration is None else self.acceleration[..., i, :]
        return FrameMotion(
            (name,), self.position[..., i, :], self.rotation[..., i, :, :], self.velocity[..., i, :], acceleration
        )


class Kinematics:
    """All frames of a robot: of its bodies, its joints (fixed to the parents), centroids and endpoints.

    Attributes
    ----------
    bodies, joints, centroids, endpoints : FrameMotion
        Each family of frames, in the order of the model.
    """

    __slots__ = ("_families", "_made", "_rows")

    def __init__(self, families: "tuple[_Family, ...]", rows: Array):
        self._families, self._rows = families, rows
        self._made: dict[int, FrameMotion] = {}

    @property
    def bodies(self) -> FrameMotion:
        """Motion of the bodies' frames, the base first."""
        return self._motion(0)

    @property
    def joints(self) -> FrameMotion:
        """Motion of the joints' frames, fixed to the parents."""
        return self._motion(1)

    @property
    def centroids(self) -> FrameMotion:
        """Motion of the bodies' axes at their centres of mass."""
        return self._motion(2)

    @property
    def endpoints(self) -> FrameMotion:
        """Motion of the endpoints."""
        return self._motion(3)

    def _motion(self, place: int) -> FrameMotion:
        made = self._made.get(place)
        if made is None:  # only what is asked for is taken apart
            family, rows = self._families[place], self._rows
            made = self._made[place] = _parts(
                family.names, rows[family.frames] if rows.ndim == 2 else rows[..., family.frames, :]
            )
        return made

    def __repr__(self) -> str:
        return f"<Kinematics of {self._rows.shape[-2]} frames: bodies, joints, centroids, endpoints>"


@readable_signature
def forward_kinematics(model: Model, state: State, udot: ArrayLike | None = None) -> Kinematics:
    """Poses and velocities of all bodies, joints, centroids and endpoints; accelerations too, if `udot` is given.

    Parameters
    ----------
    model, state
        The robot; one state or a batch.
    udot : (…, nv), optional
        Accelerations (v̇0, ω̇0, q̈).

    Returns
    -------
    Kinematics
        `bodies` (the base first), `joints`, `centroids` (bodies' axes at their centres of mass), `endpoints`: each
        with names, position, rotation, velocity and acceleration.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> where = sd.forward_kinematics(robot, robot.neutral_state())
    >>> where.bodies.position.shape
    (7, 3)
    >>> where.endpoints.of("hand").position.shape
    (3,)
    """
    here = check_state(model, state)
    families, every = _all_frames(model)
    rates = None if udot is None else finite_operand("udot", udot, here.flat.rates, here)
    return Kinematics(families, _motion(here, every, rates))


class _Family(NamedTuple):
    """Names of frames of one kind, and where they are among all frames."""

    names: tuple[str, ...]
    frames: slice


def _all_frames(model: Model) -> tuple[tuple[_Family, ...], Frames]:
    """The frames of bodies, joints, centroids and endpoints; laid out once."""
    known = model.flat.families
    if not known:
        count, joints, endpoints = len(model.bodies), model.joints, model.endpoints
        every = list(range(count))
        bodies = [*every, *map(model.body_index, (j.parent for j in joints)), *every]
        bodies += [model.body_index(e.body) for e in endpoints]
        names = (model.body_names, model.joint_names, model.body_names, model.endpoint_names)
        stops = np.cumsum([0, *map(len, names)]).tolist()
        families = tuple(_Family(n, slice(stops[i], stops[i + 1])) for i, n in enumerate(names))
        known.append((families, frames(model, bodies, *_poses(model))))
    return known[0]


def _poses(model: Model) -> tuple[Array, Array]:
    """Positions and rotations on their bodies of the frames of bodies, joints, centroids and endpoints."""
    still = [Endpoint("", "", np.zeros(3), np.eye(3))] * len(model.bodies)
    centroids = [Endpoint("", "", body.com, np.eye(3)) for body in model.bodies]
    every = [*still, *model.joints, *centroids, *model.endpoints]
    return stacked(every, "position"), stacked(every, "rotation")


def _motion(state: FlatState, where: Frames, udot: Array | None) -> Array:
    """Rows (…, frames, 18 or 24): position, rotation, velocity and, with accelerations given, acceleration."""
    options, rates, each = k.VELOCITIES, NOTHING, _frames.POSE + _frames.TWIST
    if udot is not None:
        options, rates, each = k.VELOCITIES | k.ACCELERATIONS, udot.reshape(-1), _frames.POSE + 2 * _frames.TWIST
    operands, shape = (rates, where.bodies, where.table), (where.bodies.size, each)
    return run_on_states(_frames.run, state, operands, (options,), shape, each, tables=2)


def _parts(names: tuple[str, ...], rows: Array) -> FrameMotion:
    """Position, rotation, velocity, acceleration out of rows (…, 18 or 24)."""
    *batch, width = rows.shape
    rotation = rows[..., 3:12].reshape(*batch, 3, 3)
    return FrameMotion(names, rows[..., :3], rotation, rows[..., 12:18], rows[..., 18:24] if width > 18 else None)


def frame_motion(
    model: Model,
    state: State,
    name: str,
    body: int,
    position: Array,
    rotation: Array,
    udot: ArrayLike | None = None,
) -> FrameMotion:
    """Pose, velocity and, with accelerations given, acceleration of a frame fixed to a body; over the batch."""
    here = check_state(model, state)
    rates = None if udot is None else finite_operand("udot", udot, model.nv, here)
    where = frames(model, [body], position[..., None, :], rotation[..., None, :, :])
    return _parts((name,), _motion(here, where, rates)[..., 0, :])


def endpoint_pose(model: Model, state: State, endpoint: str) -> Pose:
    """Position and rotation of an endpoint.

    Parameters
    ----------
    model, state
        The robot; one state or a batch.
    endpoint : str
        Its name.

    Returns
    -------
    Pose
        position (…, 3) [m] in inertial axes, rotation (…, 3, 3) inertial <- endpoint.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> position, rotation = sd.endpoint_pose(robot, robot.neutral_state(), "hand")
    >>> position.shape, rotation.shape
    ((3,), (3, 3))
    """
    here = check_state(model, state)
    where = endpoint_frame(model, endpoint)
    operands = (NOTHING, where.bodies, where.table)
    rows = run_on_states(_frames.run, here, operands, (0,), (_frames.POSE,), _frames.POSE, tables=2)
    if not here.shape:
        return Pose(rows[:3], rows[3:].reshape(3, 3))
    return Pose(rows[..., :3], rows[..., 3:].reshape(*here.shape, 3, 3))


def endpoint_velocity(model: Model, state: State, endpoint: str) -> Array:
    """Velocity (…, 6) of an endpoint: linear [m/s], then angular [rad/s], inertial axes.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> sd.endpoint_velocity(robot, robot.state(base_velocity=[1, 2, 3]), "hand").tolist()
    [1.0, 2.0, 3.0, 0.0, 0.0, 0.0]
    """
    here = check_state(model, state)
    return _motion(here, endpoint_frame(model, endpoint), None)[..., 0, 12:]


@readable_signature
def endpoint_acceleration(model: Model, state: State, udot: ArrayLike, endpoint: str) -> Array:
    """Acceleration (…, 6) of an endpoint: linear [m/s²], then angular [rad/s²], inertial axes; J u' + J̇ u.

    Parameters
    ----------
    udot : (…, nv)
        Accelerations u' = (v̇0, ω̇0, q̈).
    endpoint : str
        Its name.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> push = np.eye(12)[0]
    >>> sd.endpoint_acceleration(robot, robot.neutral_state(), push, "hand").tolist()
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    here = check_state(model, state)
    rates = finite_operand("udot", udot, here.flat.rates, here)
    return _motion(here, endpoint_frame(model, endpoint), rates)[..., 0, 18:]


def endpoint_jacobian(model: Model, state: State, endpoint: str) -> Array:
    """Jacobian (…, 6, nv) of an endpoint: (v; ω) = J u, inertial axes, base columns first.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state = robot.random_state(np.random.default_rng(0))
    >>> J = sd.endpoint_jacobian(robot, state, "hand")
    >>> np.allclose(J @ state.u, sd.endpoint_velocity(robot, state, "hand"))
    True
    """
    return _jacobian(model, state, endpoint_frame(model, endpoint)[:2], 0)


@readable_signature
def body_jacobian(model: Model, state: State, body: str, point: ArrayLike | None = None) -> Array:
    """Jacobian (…, 6, nv) of a point of a body: (v; ω) = J u, inertial axes, base columns first.

    Parameters
    ----------
    model, state
        The robot; one state or a batch.
    body : str
        Its name.
    point : (3,), optional
        In the body's frame [m]; its centre of mass if left out.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> sd.body_jacobian(robot, robot.neutral_state(), "link3").shape
    (6, 12)
    """
    return _jacobian(model, state, _body_point(model, body, point), 0)


def endpoint_jacobian_rate(model: Model, state: State, endpoint: str) -> Array:
    """Time rate J̇ (…, 6, nv) of an endpoint's Jacobian along the motion of the state.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> sd.endpoint_jacobian_rate(robot, robot.neutral_state(), "hand").any()
    np.False_
    """
    return _jacobian(model, state, endpoint_frame(model, endpoint)[:2], k.VELOCITIES)


@readable_signature
def jacobian_rate(model: Model, state: State, body: str, point: ArrayLike | None = None) -> Array:
    """Time rate J̇ (…, 6, nv) of `body_jacobian` along the motion of the state.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> sd.jacobian_rate(robot, robot.neutral_state(), "link3").shape
    (6, 12)
    """
    return _jacobian(model, state, _body_point(model, body, point), k.VELOCITIES)


def _body_point(model: Model, body: str, point: ArrayLike | None) -> tuple[Array, Array]:
    """Body and position, as the kernels take them."""
    if point is None:
        return centroid_frame(model, body)[:2]
    check_model(model)
    index = model.body_index(body)
    return point_on(model, index, vector("point", point, "in the body's frame"))


def _jacobian(model: Model, state: State, place: tuple[Array, Array], options: int) -> Array:
    here = check_state(model, state)
    nv = here.flat.rates
    return run_on_states(_jacobians.run, here, place, (options,), (6, nv), 6 * nv, tables=2)
