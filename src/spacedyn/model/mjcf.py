"""Robots from MuJoCo's XML, read by MuJoCo itself: bodies keep their frames, joints their order and coordinates.

A body that several joints move becomes a chain of them with massless frames in between. The tree and what acts in its
joints come over; contacts, actuators, tendons and equality constraints are no part of a robot here.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError, ModelError, ModelWarning, warn_user
from .build import assemble
from .merging import merge_fixed as merged
from .mesh_files import MeshFiles
from .mjcf_files import check_files
from .mjcf_looks import geoms
from .model import Model
from .parts import Body, Endpoint, Joint
from .rotations import rotation_about, rotation_quaternion
from .xml_source import is_text, parse_xml, read_source

FREE, BALL, SLIDE, HINGE = range(4)
KINDS = {FREE: "free", BALL: "spherical", SLIDE: "prismatic", HINGE: "revolute"}


def read_mjcf(
    path_or_text: str | os.PathLike[str],
    *,
    base: str | None = None,
    merge_fixed: bool = True,
    folders: Iterable[str | os.PathLike[str]] = (),
    within: Iterable[str | os.PathLike[str]] | None = None,
    name: str | None = None,
) -> Model:
    """A robot from MuJoCo's XML (MJCF), a file or the text of one; see docs/howto/robots_from_files.md.

    Bodies keep their names and frames; sites, and bodies that are fixed to others, are endpoints. Armatures are rotor
    inertias. If one body alone hangs on the world, free or fixed, it is the base; else the world is, and stands still.

    Parameters
    ----------
    path_or_text : str or path
        A file; or XML, which begins with '<'.
    base : str, optional
        How the body that hangs on the world moves, whatever joints it has there: 'free', 'attitude', 'planar', 'fixed'.
        Left out: as the file says.
    merge_fixed : bool
        Whether bodies without joints become part of the body that carries them, or stay bodies of their own.
    folders : iterable of paths
        Where files may be besides the model's own folder.
    within : iterable of paths, optional
        If given, nothing outside of these folders is read, whatever the model's own folder and `folders` are.
    name : str, optional
        What the robot is called, by default as the file says.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        With MuJoCo's own words if it cannot read the file; for files outside the model's folder; for a robot that
        cannot move.

    Examples
    --------
    >>> robot = read_mjcf('''<mujoco model="pendulum"><worldbody><body name="bob" pos="0 0 2">
    ...   <joint name="pivot" type="hinge" axis="0 1 0" damping="0.1"/>
    ...   <geom type="sphere" size="0.1" mass="2" pos="0 0 -1"/></body></worldbody></mujoco>''')
    >>> robot.base_kind, robot.joint("pivot").damping, robot.body("bob").com
    ('fixed', array([0.1]), array([ 0.,  0., -1.]))
    """
    data, source = read_source(path_or_text)
    root = parse_xml(data, source)
    if root.tag != "mujoco":
        raise ModelError(source, [f"line {root.line}: the file is a <{root.tag[:40]}>, not a <mujoco> model."])
    file = None if is_text(path_or_text) else Path(os.fspath(path_or_text))
    files = MeshFiles(file, folders, within)
    check_files(root, file, files.allowed, source)
    m = _compiled(data, file, source)
    chain = _Chain(m)
    tops = [i for i in range(1, m.nbody) if m.body_parentid[i] == 0]
    own = tops[0] if len(tops) == 1 and (base is not None or _base_kind(m, tops[0]) is not None) else 0
    if base is not None and own == 0:
        raise InputError(f"base={base!r}: {len(tops)} bodies hang on the world of {source}, so the world is the base.")
    kind = base or (_base_kind(m, own) if own else "fixed")
    for i in range(1 if own == 0 else own + 1, m.nbody):
        chain.add(i)
    bodies = [chain.body(own), *chain.bodies]
    endpoints = chain.endpoints(bodies)
    joints = chain.joints
    if merge_fixed:
        bodies, joints, endpoints = merged(bodies, joints, endpoints, keep=chain.anchors)
    model = assemble(name or _name(m, "model") or "robot", str(kind), bodies, joints, endpoints)
    if m.neq:
        warn_user(
            f"robot '{model.name}': {m.neq} equality constraints of the file are no part of the robot, a tree; "
            "tie its bodies by forces or laws.",
            ModelWarning,
        )
    return model


def _compiled(data: bytes, file: Path | None, source: str) -> Any:
    try:
        import mujoco
    except ImportError:
        raise ModelError(source, [f"{source} needs MuJoCo to be read: pip install 'spacedyn[peers]'."]) from None
    try:
        if file is None:
            return mujoco.MjModel.from_xml_string(data.decode("utf-8", "replace"))
        return mujoco.MjModel.from_xml_path(str(file.absolute()))
    except Exception as error:  # MuJoCo's errors are of several kinds; its words say line and cause
        raise ModelError(source, [f"MuJoCo cannot read it: {' '.join(str(error).split())}"]) from None


def _base_kind(m: Any, i: int) -> str | None:
    """How a body that hangs on the world moves as a base, or None if it has joints that no base has."""
    kinds = [int(m.jnt_type[j]) for j in _joints(m, i)]
    return "fixed" if not kinds else "free" if kinds == [FREE] else None


def _joints(m: Any, i: int) -> range:
    return range(m.body_jntadr[i], m.body_jntadr[i] + m.body_jntnum[i]) if m.body_jntnum[i] else range(0)


def _name(m: Any, what: str, i: int = 0) -> str:
    """As the file has it; parts without a name are numbered."""
    if what == "model":
        return bytes(m.names[: m.names.index(b"\0")]).decode("utf-8", "replace")
    given = str(getattr(m, what)(i).name)
    return given or ("world" if what == "body" and i == 0 else f"{what}{i}")


def _turn(wxyz: np.ndarray) -> np.ndarray:
    return rotation_quaternion(np.roll(wxyz, -1))


class _Chain:
    """Bodies and joints out of a compiled model, as they are added one by one, parents first."""

    def __init__(self, m: Any):
        self.m, self.bodies, self.joints = m, [], []  # type: tuple[Any, list[Body], list[Joint]]
        self.anchors: set[str] = set()  # fixed joints between a joint's anchor and the body's frame

    def body(self, i: int) -> Body:
        m, turn = self.m, _turn(self.m.body_iquat[i])
        mass, inertia = float(m.body_mass[i]), (turn * m.body_inertia[i]) @ turn.T
        visuals, collisions = geoms(m, i)
        massless = mass == 0.0
        return Body(
            _name(m, "body", i), mass, m.body_ipos[i], 0.5 * (inertia + inertia.T), (), massless, visuals, collisions
        )

    def add(self, i: int) -> None:
        """A body, moved by its joints in turn; each turns about its anchor."""
        m, name = self.m, _name(self.m, "body", i)
        parent, place = _name(m, "body", int(m.body_parentid[i])), m.body_pos[i]
        turn, at = _turn(m.body_quat[i]), np.zeros(3)
        joints = list(_joints(m, i))
        for j in joints:
            kind = int(m.jnt_type[j])
            anchor = m.jnt_pos[j] if kind in (HINGE, BALL) else at
            if kind == FREE:  # its coordinates are those of the world
                place, turn = np.zeros(3), np.eye(3)
            last = j == joints[-1] and not anchor.any()
            child = name if last else f"{name}/{_name(m, 'joint', j)}"
            self.joints.append(self._joint(j, parent, child, place + turn @ (anchor - at), turn))
            if not last:
                self.bodies.append(Body(child, 0.0, np.zeros(3), np.zeros((3, 3)), (), True))
            parent, place, turn, at = child, np.zeros(3), np.eye(3), anchor
        if not joints or parent != name:
            fixed = f"{name}_fixed"
            if joints:
                self.anchors.add(fixed)
            self.joints.append(_record(fixed, "fixed", parent, name, place + turn @ -at, turn))
        self.bodies.append(self.body(i))

    def _joint(self, j: int, parent: str, child: str, place: np.ndarray, turn: np.ndarray) -> Joint:
        m, kind, axis = self.m, int(self.m.jnt_type[j]), self.m.jnt_axis[j]
        q, v = int(m.jnt_qposadr[j]), int(m.jnt_dofadr[j])
        rates = slice(v, v + {FREE: 6, BALL: 3}.get(kind, 1))
        keys: dict[str, Any] = {
            "damping": m.dof_damping[rates],
            "friction": m.dof_frictionloss[rates],
            "rotor_inertia": m.dof_armature[rates],
        }
        if kind in (SLIDE, HINGE):
            zero = float(m.qpos0[q])  # where the file draws the joint is not where its coordinate is zero
            place = place - turn @ axis * zero if kind == SLIDE else place
            turn = turn @ rotation_about(axis, -zero) if kind == HINGE else turn
            keys |= {"axis": axis, "stiffness": float(m.jnt_stiffness[j]), "rest": float(m.qpos_spring[q])}
            if m.jnt_limited[j]:
                keys |= dict(zip(("lower", "upper"), m.jnt_range[j].tolist(), strict=True))
            if m.jnt_actfrclimited[j]:
                keys["max_force"] = float(np.abs(m.jnt_actfrcrange[j]).max())
        elif kind == BALL and m.jnt_stiffness[j] > 0.0:
            keys |= {"stiffness": float(m.jnt_stiffness[j]), "rest": np.roll(m.qpos_spring[q : q + 4], -1)}
        return _record(_name(m, "joint", j), KINDS[kind], parent, child, place, turn, **keys)

    def endpoints(self, bodies: list[Body]) -> list[Endpoint]:
        """Sites, and bodies without joints, where the names are not taken."""
        m, known = self.m, {body.name for body in bodies}
        found = {}
        for s in range(m.nsite):
            body = _name(m, "body", int(m.site_bodyid[s]))
            if body in known:
                found[_name(m, "site", s)] = Endpoint(_name(m, "site", s), body, m.site_pos[s], _turn(m.site_quat[s]))
        for joint in self.joints:
            if joint.kind == "fixed" and joint.name not in self.anchors:
                found.setdefault(joint.child, Endpoint(joint.child, joint.child, np.zeros(3), np.eye(3)))
        return list(found.values())


def _record(name: str, kind: str, parent: str, child: str, place: np.ndarray, turn: np.ndarray, **keys: Any) -> Joint:
    blank: dict[str, Any] = dict.fromkeys(Joint.__dataclass_fields__)
    blank |= {"name": name, "kind": kind, "parent": parent, "child": child, "pitch": 0.0}
    return Joint(**(blank | {"position": place, "rotation": turn} | keys))
