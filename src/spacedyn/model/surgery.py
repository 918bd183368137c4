"""New models from old ones: joints locked, a branch cut off, one robot fixed to another."""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from ..errors import InputError, ModelError, ModelWarning, UnknownName
from .assemble import assemble
from .checks import doubts
from .model import Model
from .parts import Body, Endpoint, Joint
from .rotations import rotation_about, rotation_quaternion
from .values import numbers, rotation_matrix, shown, unit

if TYPE_CHECKING:
    from .state import State

Y, Z = np.eye(3)[1:]
PER_RATE = (
    *("stiffness", "damping", "friction", "friction_speed", "rotor_inertia", "gear"),
    *("lower", "upper", "stop_stiffness", "stop_damping", "max_rate", "max_force"),
)
Pose = tuple[np.ndarray, np.ndarray]


def lock(
    model: Model, joints: str | Iterable[str] | Mapping[str, ArrayLike | None], at: "State | None" = None
) -> Model:
    """The same robot with some joints fixed where they stand.

    A locked joint becomes 'fixed'; its frame moves to where the child's frame was, and no body's frame changes, so
    that positions of endpoints and centres of mass keep their numbers. Springs, motors and limits of the joint go.

    Parameters
    ----------
    model : Model
        The robot.
    joints : str, iterable of str, or mapping
        A joint, several, or ``{joint: coordinates}``: one number, or as many as the joint has coordinates, in the
        order of docs/notation.md [rad, m]; None for a coordinate taken from `at`.
    at : State, optional
        Where the joints stand that come without coordinates; neutral coordinates if left out. One state, not a batch.

    Returns
    -------
    Model
        Joints, bodies and endpoints in the same order and by the same names.

    Raises
    ------
    UnknownName
        For an unknown joint.
    InputError
        For coordinates of the wrong number, not finite, or a quaternion that is not of unit length.

    Examples
    --------
    >>> from spacedyn.model.build import Builder
    >>> robot = Builder("slider")
    >>> robot.base(mass=10, inertia=(1, 2, 2))
    >>> robot.body("stage", mass=1, inertia=(1, 2, 2))
    >>> robot.joint("rail", "prismatic", parent="base", child="stage", position=(1, 0, 0), axis=(0, 0, 1))
    >>> fixed = lock(robot.build(), {"rail": 0.25})
    >>> fixed.joint("rail").kind, fixed.joint("rail").position
    ('fixed', array([1.  , 0.  , 0.25]))
    """
    given = {joints: None} if isinstance(joints, str) else joints
    pairs = given.items() if isinstance(given, Mapping) else ((name, None) for name in given)
    wanted = {model.joint(name).name: value for name, value in pairs}
    q = _coordinates(model, at)
    records = list(model.joints)
    for name, value in wanted.items():
        index = model.joint_index(name)
        joint = records[index]
        coordinates = q[model.q_slice(name)] if value is None else _given(joint, value)
        position, rotation = joint_transform(joint, coordinates)
        records[index] = replace(
            joint,
            kind="fixed",
            position=joint.position + joint.rotation @ position,
            rotation=joint.rotation @ rotation,
            axis=Z,
            pitch=0.0,
            **dict.fromkeys(("rest", *PER_RATE), np.zeros(0)),  # type: ignore[arg-type]
        )
    return assemble_known([model.bodies], model.name, model.base_kind, model.bodies, records, model.endpoints)


def subtree(model: Model, body: str, base_kind: str = "free") -> Model:
    """The robot that a body and everything beyond it make.

    The body becomes the base; its frame, its centre of mass and all names stay as they were.

    Parameters
    ----------
    model : Model
        The robot to cut.
    body : str
        The body that becomes the base. The base of `model` itself gives the whole robot.
    base_kind : str
        How the new base moves: 'free', 'attitude', 'planar' or 'fixed'.

    Returns
    -------
    Model
        Its name is that of the model and the body, joined by a dot.

    Raises
    ------
    UnknownName
        For an unknown body.

    Examples
    --------
    >>> from spacedyn.model.build import Builder
    >>> robot = Builder("probe")
    >>> robot.base(mass=10, inertia=(1, 2, 2))
    >>> for name, parent in [("arm", "base"), ("hand", "arm"), ("dish", "base")]:
    ...     robot.body(name, mass=1, inertia=(1, 2, 2))
    ...     robot.joint(f"to {name}", "revolute", parent=parent, child=name)
    >>> subtree(robot.build(), "arm").body_names
    ('arm', 'hand')
    """
    root = model.body_index(body)
    kept = [index for index in range(len(model.bodies)) if root in _ancestry(model, index)]
    names = {model.bodies[index].name for index in kept}
    return assemble_known(
        [model.bodies],
        f"{model.name}.{body}",
        base_kind,
        [model.bodies[root], *(model.bodies[index] for index in kept if index != root)],
        [model.joints[index - 1] for index in kept if index != root],
        [endpoint for endpoint in model.endpoints if endpoint.body in names],
    )


def attach(
    model: Model,
    other: Model,
    at: str,
    frame: str | tuple[ArrayLike, Rotation | ArrayLike | None] | None = None,
    *,
    prefix: str = "",
) -> Model:
    """Two robots made one: the base of `other` is fixed to a place on `model`.

    Parameters
    ----------
    model : Model
        The robot that carries; the result has its name and its kind of base, and its joints come first.
    other : Model
        The robot that is carried; its kind of base is forgotten. The joint that fixes it is called after its base,
        with ``_mount`` behind, and comes before its own joints.
    at : str
        An endpoint of `model`, or, if none has that name, a body (then: its frame).
    frame : None, str, or (position, rotation)
        What is put there. None: the base frame of `other`. A name: the endpoint on the base of `other` that is to
        coincide with `at`. A pair: position (3,) [m] of the base frame of `other` in the frame of `at`, and its
        rotation (`at` <- base; Rotation, 3x3 or None).
    prefix : str
        Put before every name of `other`.

    Returns
    -------
    Model

    Raises
    ------
    UnknownName
        For an unknown `at` or `frame`.
    InputError
        For an endpoint that is not on the base of `other`, or an invalid position or rotation.
    ModelError
        With all names that both robots have; `prefix` is the way out.

    Examples
    --------
    >>> from spacedyn.model.build import Builder
    >>> bus, tool = Builder("bus"), Builder("tool")
    >>> bus.base("bus", mass=10, inertia=(1, 2, 2))
    >>> bus.endpoint("port", body="bus", position=(0, 0, 1))
    >>> tool.base("grip", mass=1, inertia=(1, 2, 2))
    >>> tool.endpoint("flange", body="grip", position=(0, 0, -0.1))
    >>> both = attach(bus.build(), tool.build(), "port", "flange")
    >>> both.joint("grip_mount").position
    array([0. , 0. , 1.1])
    """
    if not isinstance(other, Model):
        raise InputError(f"other is {shown(other)}: give a Model, such as load('ssrms').")
    if other.shape:
        raise InputError("attach is for one robot; take one of the other ones, other[0], or vary both afterwards")
    body, place = _place(model, at)
    position, rotation = _compose(place, _mounting(other, frame))
    _check_names(model, other, prefix)
    base = other.bodies[0].name
    empty = dict.fromkeys(("rest", *PER_RATE), np.zeros(0))
    mount = Joint(f"{prefix}{base}_mount", "fixed", body, prefix + base, position, rotation, axis=Z, pitch=0.0, **empty)
    bodies = [replace(part, name=prefix + part.name) for part in other.bodies]
    joints = [
        replace(part, name=prefix + part.name, parent=prefix + part.parent, child=prefix + part.child)
        for part in other.joints
    ]
    endpoints = [replace(part, name=prefix + part.name, body=prefix + part.body) for part in other.endpoints]
    return assemble_known(
        [model.bodies, bodies],
        model.name,
        model.base_kind,
        [*model.bodies, *bodies],
        [*model.joints, mount, *joints],
        [*model.endpoints, *endpoints],
    )


def joint_transform(joint: Joint, q: np.ndarray) -> Pose:
    """Position (3,) [m] and rotation (3, 3) of the child's frame in the joint's frame, at coordinates q (nq,).

    Orders and axes of q are those of docs/notation.md.
    """
    kind, position, rotation = joint.kind_record, np.zeros(3), np.eye(3)
    for (slide, turn), value in zip(kind.twists(joint.axis, joint.pitch), q, strict=False):  # an attitude comes after
        position = position + rotation @ slide * value
        if turn.any():
            rotation = rotation @ rotation_about(turn, value)
    if kind.has_attitude:
        rotation = rotation @ rotation_quaternion(q[kind.attitude])
    return position, rotation


def assemble_known(
    known: Iterable[Sequence[Body]],
    name: str,
    base_kind: str,
    bodies: Sequence[Body],
    joints: Sequence[Joint],
    endpoints: Sequence[Endpoint],
) -> Model:
    """`assemble`, without the warnings that were given when the `known` robots were made."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        model = assemble(name, base_kind, bodies, joints, endpoints)
    said = {doubt for robot in known for doubt in doubts(robot)}
    for doubt in doubts(model.bodies):
        if doubt not in said:
            warnings.warn(doubt, ModelWarning, stacklevel=3)
    return model


def _coordinates(model: Model, at: "State | None") -> np.ndarray:
    """All joint coordinates (nq,) of a single state of this model."""
    if at is None:
        return np.concatenate([np.zeros(0), *(joint.kind_record.neutral for joint in model.joints)])
    from .state import State

    if not isinstance(at, State):
        raise InputError(
            f"at is {shown(at)}: give a State, made by model.state(…), or coordinates as {{joint: value}}."
        )
    if at.model != model:
        raise InputError(f"at is a state of model '{at.model.name}', not of '{model.name}': make it by model.state(…).")
    q = np.asarray(at.q)
    if q.ndim != 1:
        raise InputError(
            f"at is a batch of states, q of shape {q.shape}: a joint is locked in one place, give one state."
        )
    return q


def _given(joint: Joint, value: ArrayLike) -> np.ndarray:
    """Coordinates (nq,) that the user gave for a joint, checked."""
    problems: list[str] = []
    where = f"joint '{joint.name}' ({joint.kind})"
    q = numbers(problems, f"{where}: q", value, (joint.nq,), spread=joint.nq == 1)
    if q is not None and joint.kind_record.has_attitude:
        unit(problems, f"{where}: its quaternion (x, y, z, w)", q[joint.kind_record.attitude], (4,))
    if problems or q is None:
        raise InputError(" ".join(problems))
    return q


def _ancestry(model: Model, index: int) -> list[int]:
    """The body and all that carry it, up to the base."""
    way = [index]
    while way[-1] != 0:
        way.append(model.parents[way[-1]])
    return way


def _place(model: Model, at: str) -> tuple[str, Pose]:
    """The body that carries `at`, and the frame of `at` in it."""
    if not isinstance(at, str):
        raise InputError(f"at is {shown(at)}: give the name of an endpoint or a body.")
    if at in model.endpoint_names:
        endpoint: Endpoint = model.endpoint(at)
        return endpoint.body, (endpoint.position, endpoint.rotation)
    if at in model.body_names:
        return at, (np.zeros(3), np.eye(3))
    raise UnknownName("endpoint or body", at, (*model.endpoint_names, *model.body_names))


def _mounting(other: Model, frame: Any) -> Pose:
    """The base frame of `other` in the frame it is put at."""
    if frame is None:
        return np.zeros(3), np.eye(3)
    if isinstance(frame, str):
        endpoint = other.endpoint(frame)
        if endpoint.body != other.bodies[0].name:
            raise InputError(
                f"frame '{frame}' is on body '{endpoint.body}' of '{other.name}': only its base "
                f"'{other.bodies[0].name}' can be fixed; choose an endpoint on that, or cut the robot by subtree first."
            )
        return -endpoint.rotation.T @ endpoint.position, endpoint.rotation.T
    if not isinstance(frame, tuple | list) or len(frame) != 2:
        raise InputError(f"frame is {frame!r}: give the name of an endpoint, a pair (position, rotation), or None.")
    problems: list[str] = []
    position = numbers(problems, "frame: position", frame[0], (3,))
    rotation = rotation_matrix(problems, "frame: rotation", frame[1])
    if position is None or rotation is None:
        raise InputError(" ".join(problems))
    return position, rotation


def _compose(outer: Pose, inner: Pose) -> Pose:
    return outer[0] + outer[1] @ inner[0], outer[1] @ inner[1]


def _check_names(model: Model, other: Model, prefix: str) -> None:
    """Every name of `other` must be new to `model`; bodies, joints and endpoints are counted apart."""
    joints = (f"{other.bodies[0].name}_mount", *other.joint_names)
    problems = [
        f"{sort} '{prefix}{name}' is in both robots: use a prefix, such as prefix='{prefix}{other.name}_'."
        for sort, taken, names in (
            ("body", model.body_names, other.body_names),
            ("joint", model.joint_names, joints),
            ("endpoint", model.endpoint_names, other.endpoint_names),
        )
        for name in names
        if prefix + name in taken
    ]
    if problems:
        raise ModelError(model.name, problems)
