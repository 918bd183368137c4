"""Convert yourdfpy's links and joints into our records of bodies and joints."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..joints import JOINT_KINDS
from ..parts import Body, Joint
from ..rotations import z_onto
from ..surgery import joint_transform
from .urdf_checks import KINDS
from .urdf_visuals import Looks

LIMITED = ("revolute", "prismatic")
"""Types of joints of a URDF that have limits."""

UNLIMITED = 1e16
"""How files write a limit that is not there; from a tenth of it on, none is meant."""

PLANE = "/plane"
"""Ends the name of the frame that a planar joint with an axis other than z moves in: its z is that axis."""


def _pose(origin: Any) -> tuple[np.ndarray, np.ndarray]:
    return (np.zeros(3), np.eye(3)) if origin is None else (origin[:3, 3], origin[:3, :3])


def body_of(link: Any, looks: Looks) -> Body:
    """A link, in its own frame; without mass if the file gives it none."""
    visuals, collisions = looks.of(link)
    if link.inertial is None or (link.inertial.mass == 0.0 and not link.inertial.inertia.any()):
        return Body(link.name, 0.0, np.zeros(3), np.zeros((3, 3)), (), True, visuals, collisions)
    com, turn = _pose(link.inertial.origin)
    mass = link.inertial.mass
    inertia = turn @ _possible(link.inertial.inertia, mass) @ turn.T
    return Body(link.name, mass, com, 0.5 * (inertia + inertia.T), (), mass == 0.0, visuals, collisions)


def _possible(inertia: np.ndarray, mass: float) -> np.ndarray:
    """The inertia; principal moments that are negative by less than rounding, mass times (1 µm)², become zero."""
    moments, axes = np.linalg.eigh(inertia)
    if moments[0] >= 0.0 or moments[0] < -1e-12 * mass:
        return inertia
    return (axes * np.maximum(moments, 0.0)) @ axes.T


def frame(name: str) -> Body:
    """A massless body that is only a frame."""
    return Body(name, 0.0, np.zeros(3), np.zeros((3, 3)), (), True)


def joints_of(joint: Any, fixed: Mapping[str, float]) -> list[Joint]:
    """A joint, or a fixed one at the coordinate in `fixed`; two for a planar joint whose plane is not the xy plane."""
    kind = KINDS[joint.type]
    position, rotation = _pose(joint.origin)
    axis = np.asarray(joint.axis, dtype=float)
    with np.errstate(invalid="ignore"):  # of an infinite axis, which the checks name
        axis = axis / np.abs(axis).max() if axis.any() else np.array([0.0, 0.0, 1.0])  # so that no square vanishes
        axis = axis / np.linalg.norm(axis)
    keys: Any = dict.fromkeys(Joint.__dataclass_fields__)
    keys |= {"name": joint.name, "kind": kind, "parent": joint.parent, "child": joint.child, "pitch": 0.0}
    keys |= {"position": position, "rotation": rotation}
    if joint.name in fixed:
        lone = Joint(**{**keys, "axis": axis})
        known = JOINT_KINDS[kind]
        shift, turn = joint_transform(lone, np.array([fixed[joint.name]]) if known.takes_axis else known.neutral)
        return [
            Joint(**{**keys, "kind": "fixed", "position": position + rotation @ shift, "rotation": rotation @ turn})
        ]
    if JOINT_KINDS[kind].takes_axis:
        keys["axis"] = axis
    if kind != "fixed":
        keys |= _properties(joint)
    if kind == "planar" and not np.array_equal(axis, (0.0, 0.0, 1.0)):
        turn, between = z_onto(axis), joint.child + PLANE
        back: Any = dict.fromkeys(Joint.__dataclass_fields__)
        back |= {"name": joint.name + PLANE, "kind": "fixed", "parent": between, "child": joint.child, "pitch": 0.0}
        back |= {"position": np.zeros(3), "rotation": turn.T}
        return [Joint(**{**keys, "child": between, "rotation": rotation @ turn}), Joint(**back)]
    return [Joint(**keys)]


def _properties(joint: Any) -> dict[str, Any]:
    keys: dict[str, Any] = {}
    limit, dynamics = joint.limit, joint.dynamics
    if dynamics is not None:
        keys |= {key: float(getattr(dynamics, key) or 0.0) for key in ("damping", "friction")}
    if limit is not None and joint.type in LIMITED:
        lower, upper = (float(getattr(limit, key) or 0.0) for key in ("lower", "upper"))
        if lower <= upper:  # else they are reported, and none
            keys |= {"lower": lower, "upper": upper}
    if limit is not None:
        bounds = {"max_force": limit.effort, "max_rate": limit.velocity}
        keys |= {key: float(value) for key, value in bounds.items() if value is not None}
    return {key: np.copysign(np.inf, value) if abs(value) >= 0.1 * UNLIMITED else value for key, value in keys.items()}
