"""Robots from MuJoCo's XML, compiled by MuJoCo: bodies keep their frames, joints their order and coordinates.

A body that several joints move becomes a chain of them with massless frames in between. The tree and what acts in its
joints come over; what else changes the motion (actuators, tendons, constraints, a medium) is named by a warning.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InputError, ModelError, ModelWarning, warn_of_all, warn_user
from ..assemble import assemble
from ..model import Model
from ..parts import BASE_KINDS
from ..values import shown
from .merging import merge_fixed as merged
from .mesh_files import MeshFiles
from .mjcf_bodies import Chain, joints_of
from .mjcf_compiled import compiled
from .mjcf_files import check_files
from .mjcf_losses import FREE, free_joint_properties, losses
from .mjcf_names import Names
from .xml_source import is_text, parse_xml, read_source


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
    inertias. The base is the one body that hangs on the world, if it is free, or fixed at the world's own frame;
    else the world is, and stands still: if there are several bodies, if the one has joints, if it is fixed at another
    place, or if its free joint has armature, damping, friction loss or stiffness. Where a free body stands is no part
    of the robot but of a state, as are keyframes. What does not come over, and would change the motion, is named by
    a ModelWarning.

    Parameters
    ----------
    path_or_text : str or path
        A file; or XML, which begins with '<'.
    base : str, optional
        How the body that hangs on the world moves, whatever joints it has there: 'free', 'attitude', 'planar', 'fixed'
        (where the file puts it). Left out: as the file says.
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
    if base is not None and base not in BASE_KINDS:
        raise InputError(f"base is {shown(base)}; give one of {', '.join(BASE_KINDS)}.")
    file = None if is_text(path_or_text) else Path(os.fspath(path_or_text))
    files = MeshFiles(file, folders, within)
    named = check_files(root, file, files.allowed, source)
    m, taken, said = compiled(root, named, data, file, source)
    names = Names(m)
    own, kind, lost = _base(m, names, base, source)
    chain = Chain(m, names, own, held=base == "fixed")
    for i in range(1, m.nbody):
        if i != own:
            chain.add(i)
    bodies = [chain.body(own), *chain.bodies]
    endpoints = chain.endpoints()
    joints = chain.joints
    if merge_fixed:
        bodies, joints, endpoints = merged(bodies, joints, endpoints, keep=chain.anchors)
    model = assemble(name or names.model or "robot", kind, bodies, joints, endpoints)
    doubts = [*lost, *chain.lost, *losses(m, taken, names.of)]
    warn_of_all(f"robot '{model.name}': ", doubts)
    for words in dict.fromkeys(said):
        warn_user(f"robot '{model.name}': MuJoCo says: {words}", ModelWarning)
    return model


def _base(m: Any, names: Names, base: str | None, source: str) -> tuple[int, str, list[str]]:
    """The body that is the base, how it moves, and what it cannot have of what the file gives it."""
    tops = np.flatnonzero(np.asarray(m.body_parentid[1:]) == 0) + 1
    if len(tops) != 1:
        if base is not None:
            raise InputError(
                f"base={base!r}: {len(tops)} bodies hang on the world of {source}, so the world is the base."
            )
        return 0, "fixed", []
    top = int(tops[0])
    joints = joints_of(m, top)
    free = len(joints) == 1 and m.jnt_type[joints[0]] == FREE
    has = " and ".join(free_joint_properties(m, joints[0])) if free else ""
    label = f"body {shown(names.of('body', top))}: its free joint has {has}, which"
    if base not in (None, "fixed"):
        return top, str(base), [f"{label} a base does not have; left out, as base={base!r} asks for."] if has else []
    if base == "fixed" or not joints:
        moved = m.body_pos[top].any() or not np.array_equal(m.body_quat[top], (1.0, 0.0, 0.0, 0.0))
        return (0 if moved else top), "fixed", []
    if has:
        way = "so the world is the base, and the body moves on that joint; base='free' does without"
        return 0, "fixed", [f"{label} a free base cannot have, {way}."]
    return (top, "free", []) if free else (0, "fixed", [])
