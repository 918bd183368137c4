"""Where everything is and how it moves: poses, velocities, accelerations, Jacobians and their rates.

Everything is in inertial axes; velocities are (linear; angular). Every function takes one state or a batch.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from .calls import NOTHING, check_model, check_state, finite_operand, frame_rows, rounds, scalar_kind, vector
from .kernels import frames as _frames
from .kernels import jacobians as _jacobians
from .kernels import tree as k
from .model.model import Model
from .model.parts import stacked
from .model.state import State

Array = np.ndarray


class Pose(NamedTuple):
    """A place and an attitude."""

    position: Array  # (…, 3) [m], inertial axes
    rotation: Array  # (…, 3, 3) direction cosines, inertial <- frame

    @property
    def attitude(self) -> Rotation:
        """The same attitude as a SciPy Rotation."""
        return Rotation.from_matrix(self.rotation)


@dataclass(frozen=True)
class Motion:
    """Poses and motion of a family of frames: arrays over (…, frames, …), in the order of the model.

    `velocity` and `acceleration` are (linear; angular), of the frame's origin, in inertial axes; the acceleration is
    None unless accelerations were given.
    """

    names: tuple[str, ...]
    position: Array  # (…, frames, 3) [m]
    rotation: Array  # (…, frames, 3, 3) inertial <- frame
    velocity: Array  # (…, frames, 6) [m/s, rad/s]
    acceleration: Array | None  # (…, frames, 6) [m/s², rad/s²]

    def of(self, name: str) -> "Motion":
        """One of them, without the axis of frames.

        Raises UnknownName if there is none of that name.
        """
        from .errors import UnknownName

        if name not in self.names:
            raise UnknownName("frame", name, self.names)
        i = self.names.index(name)
        acceleration = None if self.acceleration is None else self.acceleration[..., i, :]
        return Motion(
            (name,), self.position[..., i, :], self.rotation[..., i, :, :], self.velocity[..., i, :], acceleration
        )


@dataclass(frozen=True)
class Kinematics:
    """All frames of a robot: of its bodies, its joints (fixed to the parents), centroids and endpoints."""

    bodies: Motion
    joints: Motion
    centroids: Motion
    endpoints: Motion


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
    check_state(model, state)
    families, frames = _all_frames(model)
    everything = _motion_of(model, state, *frames, udot)
    parts, start = [], 0
    for names, count in families:
        stop = start + count
        mine: list[Any] = [
            None if a is None else a[:, start:stop].reshape(*state.shape, count, *a.shape[2:]) for a in everything
        ]
        parts.append(Motion(names, *mine))
        start = stop
    return Kinematics(*parts)


def _all_frames(model: Model) -> tuple[list[tuple[tuple[str, ...], int]], tuple[Array, Array]]:
    """Names and number of frames of bodies, joints, centroids and endpoints; the kernels' table of all, made once."""
    kept = vars(model).get("_all_frames")
    if kept is None:
        families = _families(model)
        bodies = [b for family in families for b in family[1]]
        positions = _joined([family[2] for family in families], 2)
        rotations = _joined([family[3] for family in families], 3)
        kept = [(family[0], len(family[1])) for family in families], frame_rows(model, bodies, positions, rotations)
        vars(model)["_all_frames"] = kept
    return kept


def _families(model: Model) -> list[tuple[tuple[str, ...], list[int], Array, Array]]:
    """Names, bodies, positions and rotations of the frames of bodies, joints, centroids and endpoints."""
    still, count = np.eye(3), len(model.bodies)
    every = list(range(count))
    turned = np.broadcast_to(still, (count, 3, 3))
    joints, endpoints = model.joints, model.endpoints
    parents = [model.body_index(j.parent) for j in joints]
    hosts = [model.body_index(e.body) for e in endpoints]
    coms = stacked(model.bodies, "com")
    return [
        (model.body_names, every, np.zeros((count, 3)), turned),
        (
            model.joint_names,
            parents,
            _stack(joints, "position", (3,)),
            _stack(joints, "rotation", (3, 3)),
        ),
        (model.body_names, every, coms, turned),
        (
            model.endpoint_names,
            hosts,
            _stack(endpoints, "position", (3,)),
            _stack(endpoints, "rotation", (3, 3)),
        ),
    ]


def _joined(frames: list[Array], axes: int) -> Array:
    """Frames (…, frames, …) one after another; batch axes of those that robots differ in are there for all."""
    batch = np.broadcast_shapes(*(a.shape[: a.ndim - axes] for a in frames))
    whole = [np.broadcast_to(a, (*batch, *a.shape[a.ndim - axes :])) for a in frames]
    return np.concatenate(whole, axis=len(batch))


def _stack(parts: Sequence[Any], field: str, shape: tuple[int, ...]) -> Array:
    return stacked(parts, field) if parts else np.empty((0, *shape))


def _motion(
    model: Model, state: State, bodies: list[int], positions: Array, rotations: Array, udot: ArrayLike | None
) -> tuple[Array, Array, Array, Array | None]:
    """Position, rotation, velocity, acceleration of frames: (count, frames, …)."""
    return _motion_of(model, state, *frame_rows(model, bodies, positions, rotations), udot)


def _motion_of(
    model: Model, state: State, places: Array, table: Array, udot: ArrayLike | None
) -> tuple[Array, Array, Array, Array | None]:
    """The same of frames in the kernels' table."""
    options, rates = k.VELOCITIES, NOTHING
    if udot is not None:
        options, rates = options | k.ACCELERATIONS, finite_operand("udot", udot, model.nv, state).reshape(-1)
    each = _frames.POSE + _frames.TWIST * (1 if udot is None else 2)
    flat, (kind, lanes) = model.flat, scalar_kind(state.count)
    out = np.empty(state.count * len(places) * each)
    work = flat.scratch(lanes, each)
    for part, some in rounds(flat, state.count):
        given = part(state._rows), part(rates), places, table
        _frames.run(flat.tree, flat.par, work, *given, part(out), some, options, kind)
    rows = out.reshape(state.count, len(places), each)
    rotation = rows[..., 3:12].reshape(state.count, len(places), 3, 3)
    return rows[..., :3], rotation, rows[..., 12:18], rows[..., 18:24] if udot is not None else None


def frame_motion(
    model: Model,
    state: State,
    name: str,
    body: int,
    position: Array,
    rotation: Array,
    udot: ArrayLike | None = None,
) -> Motion:
    """Pose, velocity and, with accelerations given, acceleration of a frame fixed to a body; over the batch."""
    parts = _motion(model, state, [body], position[..., None, :], rotation[..., None, :, :], udot)
    mine: list[Any] = [None if a is None else a.reshape(*state.shape, *a.shape[2:]) for a in parts]
    return Motion((name,), *mine)


def _endpoint_motion(model: Model, state: State, endpoint: str, udot: ArrayLike | None = None) -> tuple[Any, ...]:
    check_state(model, state)
    e = model.endpoint(endpoint)
    position, rotation = e.position[..., None, :], e.rotation[..., None, :, :]
    parts = _motion(model, state, [model.body_index(e.body)], position, rotation, udot)
    return tuple(None if a is None else a.reshape(*state.shape, *a.shape[2:]) for a in parts)


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
    return Pose(*_endpoint_motion(model, state, endpoint)[:2])


def endpoint_velocity(model: Model, state: State, endpoint: str) -> Array:
    """Velocity (…, 6) of an endpoint: linear [m/s], then angular [rad/s], inertial axes.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> sd.endpoint_velocity(robot, robot.state(base_velocity=[1, 2, 3]), "hand").tolist()
    [1.0, 2.0, 3.0, 0.0, 0.0, 0.0]
    """
    return _endpoint_motion(model, state, endpoint)[2]


def endpoint_acceleration(model: Model, state: State, udot: ArrayLike, endpoint: str) -> Array:
    """Acceleration (…, 6) of an endpoint: linear [m/s²], then angular [rad/s²], inertial axes; J u' + J̇ u.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> push = np.eye(12)[0]
    >>> sd.endpoint_acceleration(robot, robot.neutral_state(), push, "hand").tolist()
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    check_state(model, state)
    return _endpoint_motion(model, state, endpoint, finite_operand("udot", udot, model.nv, state))[3]


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
    e = _known_endpoint(model, endpoint)
    return _jacobian(model, state, model.body_index(e.body), e.position, 0)


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
    return _jacobian(model, state, *_body_point(model, body, point), 0)


def endpoint_jacobian_rate(model: Model, state: State, endpoint: str) -> Array:
    """Time rate J̇ (…, 6, nv) of an endpoint's Jacobian along the motion of the state.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> sd.endpoint_jacobian_rate(robot, robot.neutral_state(), "hand").any()
    np.False_
    """
    e = _known_endpoint(model, endpoint)
    return _jacobian(model, state, model.body_index(e.body), e.position, k.VELOCITIES)


def jacobian_rate(model: Model, state: State, body: str, point: ArrayLike | None = None) -> Array:
    """Time rate J̇ (…, 6, nv) of `body_jacobian` along the motion of the state.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> sd.jacobian_rate(robot, robot.neutral_state(), "link3").shape
    (6, 12)
    """
    return _jacobian(model, state, *_body_point(model, body, point), k.VELOCITIES)


def _known_endpoint(model: Model, endpoint: str) -> Any:
    check_model(model)
    return model.endpoint(endpoint)


def _body_point(model: Model, body: str, point: ArrayLike | None) -> tuple[int, Array]:
    check_model(model)
    index = model.body_index(body)
    if point is None:
        return index, model.bodies[index].com
    return index, vector("point", point, f"in the frame of body '{model.body_names[index]}'")


def _jacobian(model: Model, state: State, body: int, point: Array, options: int) -> Array:
    check_state(model, state)
    places, table = frame_rows(model, [body], point[..., None, :])
    nv = model.nv
    out = np.empty((*state.shape, 6, nv))
    flat, (kind, lanes) = model.flat, scalar_kind(state.count)
    work = flat.scratch(lanes, 6 * nv)
    for part, some in rounds(flat, state.count):
        rows = part(state._rows), places, table, part(out.reshape(-1))
        _jacobians.run(flat.tree, flat.par, work, *rows, some, options, kind)
    return out
