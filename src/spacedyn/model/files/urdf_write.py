"""Write robots as URDF: what URDF can express reads back to rounding, the rest is refused by name."""

import math
import os
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from ...errors import ModelError
from ..checks import DEFAULTS
from ..model import Model
from ..parts import Body, Joint, Visual
from ..shapes import cylinder, sphere
from .urdf_records import UNLIMITED

KINDS = {"revolute": "revolute", "prismatic": "prismatic", "fixed": "fixed", "planar": "planar", "free": "floating"}
UNSAID = ("stiffness", "rotor_inertia", "gear", "stop_stiffness", "stop_damping", "friction_speed")
"""Properties of joints that URDF has no word for."""


def write_urdf(model: Model, path: str | os.PathLike[str] | None = None, *, lossy: bool = False) -> str:
    """A model as the text of a URDF; `read_urdf` makes the same robot of it, to rounding.

    Links are the bodies with their frames; endpoints are links of their own on fixed joints. The kind of base is not
    part of a URDF. Limits that are not there are written as 1e16, which reads back as none.

    Parameters
    ----------
    model : Model
        The robot.
    path : str or path, optional
        Where to write the text as well. Meshes in its folder or below are named relative to it, others in full.
    lossy : bool
        Leave out springs, rotors, end stops and friction speeds, for which URDF has no words.

    Returns
    -------
    str
        The text.

    Raises
    ------
    ModelError
        With every part that URDF cannot say: helical, cylindrical, universal and spherical joints, and, unless lossy,
        springs, rotors, stops.

    Examples
    --------
    >>> from spacedyn.model.files.load import load
    >>> from spacedyn.model.files.urdf import read_urdf
    >>> text = write_urdf(load("tian_wu"))
    >>> read_urdf(text).joint_names == load("tian_wu").joint_names
    True
    """
    problems = _problems(model, lossy)
    if problems:
        raise ModelError(model.name, problems)
    folder = None if path is None else Path(os.path.realpath(path)).parent
    robot = Element("robot", name=model.name)
    for body in model.bodies:
        _link(robot, body, folder)
    for joint in model.joints:
        _joint(robot, joint)
    for point in model.endpoints:
        if point.name not in model.body_names:
            SubElement(robot, "link", name=point.name)
            frame = SubElement(robot, "joint", name=f"{point.name}_frame", type="fixed")
            _origin(frame, point.position, point.rotation)
            SubElement(frame, "parent", link=point.body)
            SubElement(frame, "child", link=point.name)
    ElementTree.indent(robot)
    text = '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(robot, encoding="unicode") + "\n"
    if path is not None:
        Path(path).write_text(text, encoding="utf-8", newline="\n")
    return text


def _problems(model: Model, lossy: bool) -> list[str]:
    problems = []
    for joint in model.joints:
        label = f"joint '{joint.name}'"
        if joint.kind not in KINDS:
            problems.append(
                f"{label}: URDF has no {joint.kind} joint; describe it by joints that URDF has, or keep TOML."
            )
            continue
        lost = [key for key in UNSAID if (getattr(joint, key) != DEFAULTS[key]).any()]
        if lost and not lossy:
            problems.append(f"{label}: URDF has no word for {', '.join(lost)}; keep TOML, or say lossy=True.")
        for key in ("damping", "friction"):
            values = getattr(joint, key)
            if values.size > 1 and (values != values[0]).any() and not lossy:
                problems.append(f"{label}: URDF has one {key} for all its rates; give it one, or say lossy=True.")
        limits = [joint.lower, joint.upper, joint.max_rate, joint.max_force]
        if joint.nv > 1 and any(np.isfinite(values).any() for values in limits) and not lossy:
            problems.append(f"{label}: URDF has no limits for a {joint.kind} joint; keep TOML, or say lossy=True.")
    taken = {*model.joint_names}
    for point in model.endpoints:
        moved = point.position.any() or not np.array_equal(point.rotation, np.eye(3))
        if point.name in model.body_names and (moved or point.body != point.name):
            problems.append(
                f"endpoint '{point.name}': there is a body of that name, and URDF has links alone; rename it."
            )
        if f"{point.name}_frame" in taken:
            problems.append(
                f"joint '{point.name}_frame': the frame of endpoint '{point.name}' needs that name; rename it."
            )
    return problems


def _link(robot: Element, body: Body, folder: Path | None) -> None:
    link = SubElement(robot, "link", name=body.name)
    if body.mass > 0.0 or body.inertia.any():
        inertial = SubElement(link, "inertial")
        _origin(inertial, body.com, np.eye(3))
        SubElement(inertial, "mass", value=_number(body.mass))
        entries = zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), body.inertia[np.triu_indices(3)], strict=True)
        SubElement(inertial, "inertia", {key: _number(value) for key, value in entries})
    looks = body.visuals or tuple(Visual("", s.at(), None, np.ones(3), s.position, s.rotation) for s in body.shapes)
    for tag, listed in (("visual", looks), ("collision", body.collisions)):
        for look in (piece for whole in listed for piece in _pieces(whole)):
            geometry = _geometry(look, folder)
            if geometry is None:
                continue
            part = SubElement(link, tag, {"name": look.name} if look.name else {})
            _origin(part, look.position, look.rotation)
            SubElement(part, "geometry").append(geometry)
            if look.color is not None and tag == "visual":
                material = SubElement(part, "material", name=f"color {_numbers(look.color)}")
                SubElement(material, "color", rgba=_numbers(look.color))


def _pieces(look: Visual) -> list[Visual]:
    """A capsule, which URDF does not have, as a cylinder and two balls; anything else as it is."""
    if look.shape is None or look.shape.kind != "capsule":
        return [look]
    radius, length = (float(x) for x in look.shape.size)
    tip = 0.5 * length * look.scale[2] * look.rotation[:, 2]
    ends = [replace(look, shape=sphere(0.0, radius), position=look.position + side * tip) for side in (1.0, -1.0)]
    return [replace(look, shape=cylinder(0.0, radius, length)), *ends]


def _geometry(look: Visual, folder: Path | None) -> Element | None:
    """None for what URDF has no shape for: cones, tubes, rods, points and stretched balls."""
    if look.mesh is not None:
        path = Path(os.path.realpath(look.mesh))
        inside = folder is not None and path.is_relative_to(folder)
        name = path.relative_to(folder).as_posix() if inside and folder is not None else path.as_uri()
        scale = {} if (look.scale == 1.0).all() else {"scale": _numbers(look.scale)}
        return Element("mesh", {"filename": name, **scale})
    if look.shape is None:
        return None
    size, (x, y, z) = look.shape.size, np.abs(look.scale)
    if look.shape.kind == "box":
        return Element("box", size=_numbers(size * (x, y, z)))
    if look.shape.kind == "cylinder" and x == y:
        return Element("cylinder", radius=_number(size[0] * x), length=_number(size[1] * z))
    if look.shape.kind == "sphere" and x == y == z:
        return Element("sphere", radius=_number(size[0] * x))
    return None


def _joint(robot: Element, joint: Joint) -> None:
    kind = KINDS[joint.kind]
    endless = kind == "revolute" and joint.lower[0] == -np.inf and joint.upper[0] == np.inf
    part = SubElement(robot, "joint", name=joint.name, type="continuous" if endless else kind)
    _origin(part, joint.position, joint.rotation)
    SubElement(part, "parent", link=joint.parent)
    SubElement(part, "child", link=joint.child)
    if kind in ("revolute", "prismatic", "planar"):
        SubElement(part, "axis", xyz=_numbers(joint.axis))
    if joint.nv == 1:
        bounds = {"effort": joint.max_force[0], "velocity": joint.max_rate[0]}
        if not endless:
            bounds = {"lower": joint.lower[0], "upper": joint.upper[0], **bounds}
        bounded = {key: _number(float(np.clip(value, -UNLIMITED, UNLIMITED))) for key, value in bounds.items()}
        if not endless or any(np.isfinite(value) for value in bounds.values()):
            SubElement(part, "limit", bounded)
    passive = {key: getattr(joint, key) for key in ("damping", "friction")}
    if any(values.any() for values in passive.values()):
        SubElement(part, "dynamics", {key: _number(values[0]) for key, values in passive.items()})


def _origin(parent: Element, position: np.ndarray, rotation: np.ndarray) -> None:
    if position.any() or not np.array_equal(rotation, np.eye(3)):
        SubElement(parent, "origin", xyz=_numbers(position), rpy=_numbers(roll_pitch_yaw(rotation)))


def roll_pitch_yaw(rotation: np.ndarray) -> np.ndarray:
    """Angles (3,) about the fixed x, y, z axes [rad], R = Rz(yaw) Ry(pitch) Rx(roll), accurate at a pitch of 90° too.

    >>> roll_pitch_yaw(np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])).round(6)
    array([0.      , 1.570796, 0.      ])
    """
    R = rotation
    yaw = math.atan2(R[1, 0], R[0, 0])
    c, s = math.cos(yaw), math.sin(yaw)
    # with the yaw taken out, the rest is exact whatever yaw was chosen
    first, second = c * R[0] + s * R[1], c * R[1] - s * R[0]
    return np.array([math.atan2(-second[2], second[1]), math.atan2(-R[2, 0], first[0]), yaw]) + 0.0


def _number(value: Any) -> str:
    return repr(float(value))


def _numbers(values: Any) -> str:
    return " ".join(_number(value) for value in values)
