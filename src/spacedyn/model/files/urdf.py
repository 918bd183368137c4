"""Robots from URDF files: links become bodies in the file's frames, joints keep the file's order.

The file is looked through with care (`xml_source`, `urdf_checks`), then read by yourdfpy, then checked like any robot.
What a URDF cannot say, or says in a way that is not a tree, is settled by the options of `read_urdf`.
"""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InputError, ModelError, ModelWarning, UnknownName, warn_of_all, warn_user
from ..assemble import assemble
from ..checks import check_joint
from ..model import Model
from ..parts import Body, Endpoint, Joint
from ..values import shown
from .merging import merge_fixed as merged
from .mesh_files import MeshFiles
from .urdf_checks import check_urdf, urdf_doubts
from .urdf_records import PLANE, body_of, frame, joints_of
from .urdf_source import read_by_yourdfpy, urdf_tree
from .urdf_visuals import Looks
from .xml_source import is_text

MIMIC = ("independent", "lock")


def read_urdf(
    path_or_text: str | os.PathLike[str],
    *,
    base: str | None = None,
    merge_fixed: bool = True,
    mimic: str | None = None,
    lock: str | Iterable[str] | Mapping[str, float] = (),
    folders: Iterable[str | os.PathLike[str]] = (),
    within: Iterable[str | os.PathLike[str]] | None = None,
    meshes: bool = True,
    name: str | None = None,
) -> Model:
    """A robot from a URDF file, or from the text of one; see docs/howto/robots_from_files.md.

    Every link is a body with the link's own frame, and the root link is the base. Links on fixed joints, and those at
    the ends of the tree, are endpoints of the same name.

    Parameters
    ----------
    path_or_text : str or path
        A file; or XML, which begins with '<'. A .xacro file is expanded first (it may run what it says: trust it).
    base : str, optional
        How the root link moves: 'free', 'attitude', 'planar' or 'fixed'. Left out: free; but fixed, if the root is a
        link 'world' without mass, which by ROS's habit is what the robot stands on.
    merge_fixed : bool
        Whether links on fixed joints become part of the link that carries them (faster), or stay bodies of their own.
    mimic : str, optional
        Joints that mimic others: 'independent' (they move by themselves; `read_mimics` and `mimic_coupling` give the
        ties) or 'lock' (fixed at their offset). Left out: independent, with a ModelWarning.
    lock : str, iterable of str, or mapping
        Joints to be fixed, at zero or at ``{joint: coordinate}`` [rad, m].
    folders : iterable of paths
        Where meshes may be besides the model's own folder: packages, or folders that hold packages.
    within : iterable of paths, optional
        If given, nothing outside of these folders is read, whatever the model's own folder and `folders` are.
    meshes : bool
        False: none is looked for, and none drawn.
    name : str, optional
        What the robot is called, by default as the file says.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        With every problem found and its line: not XML, not a URDF, not one tree, no robot that can move, or a mesh
        outside the model's folder.

    Examples
    --------
    >>> robot = read_urdf('''<robot name="swing"><link name="bus"><inertial><mass value="9"/>
    ...   <inertia ixx="2" iyy="3" izz="4" ixy="0" ixz="0" iyz="0"/></inertial></link>
    ...   <joint name="hinge" type="continuous"><parent link="bus"/><child link="arm"/><axis xyz="0 1 0"/></joint>
    ...   <link name="arm"><inertial><origin xyz="0 0 -1"/><mass value="2"/>
    ...   <inertia ixx="0.2" iyy="0.3" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>''', base="fixed")
    >>> robot.joint("hinge").axis, robot.endpoint_names
    (array([0., 1., 0.]), ('arm',))
    """
    if mimic is not None and mimic not in MIMIC:
        raise InputError(f"mimic is {shown(mimic)}; give 'independent' or 'lock'.")
    root, source = urdf_tree(path_or_text)
    problems = check_urdf(root, source, ties=mimic is None)
    if problems:
        raise ModelError(source, problems)
    robot = read_by_yourdfpy(root, source)
    file = None if is_text(path_or_text) else Path(os.fspath(path_or_text))
    looks = Looks(robot, MeshFiles(file, folders, within) if meshes else None)
    bodies = [body_of(link, looks) for link in robot.links]
    fixed = _locked(robot, lock, mimic)
    joints = [record for joint in robot.joints for record in joints_of(joint, fixed)]
    bodies += [frame(joint.parent) for joint in joints if joint.kind == "fixed" and joint.parent.endswith(PLANE)]
    bodies = _base_first(bodies, joints)
    if base is None:
        base = "fixed" if bodies[0].name == "world" and bodies[0].mass == 0.0 else "free"
    if looks.problems:
        raise ModelError(source, looks.problems)
    endpoints = _endpoints(bodies, joints)
    if merge_fixed:
        _check_alone(source, bodies, joints)
        bodies, joints, endpoints = merged(
            bodies, joints, endpoints, keep={joint.name for joint in joints if joint.name.endswith(PLANE)}
        )
    try:
        model = assemble(name or robot.name, base, bodies, joints, endpoints)
    except ModelError as error:
        raise _with_hint(error) from None
    _warn(robot, mimic, looks, {joint.name for joint in model.joints})
    warn_of_all(f"robot '{model.name}': ", urdf_doubts(root, meshes=meshes))
    return model


def _locked(robot: Any, lock: Any, mimic: str | None) -> dict[str, float]:
    """Joints to be fixed, and at which coordinate."""
    names = [joint.name for joint in robot.joints]
    wanted = {lock: 0.0} if isinstance(lock, str) else dict(lock) if isinstance(lock, Mapping) else dict.fromkeys(lock)
    fixed = {}
    for key, value in wanted.items():
        if key not in names:
            raise UnknownName("joint", key, names)
        try:
            fixed[key] = 0.0 if value is None else float(value)
        except (TypeError, ValueError):
            raise InputError(f"lock: joint {shown(key)} at {shown(value)}; give one number [rad, m].") from None
    if mimic == "lock":
        fixed |= {joint.name: joint.mimic.offset for joint in robot.joints if joint.mimic and joint.name not in fixed}
    return fixed


def _base_first(bodies: list[Body], joints: list[Joint]) -> list[Body]:
    children = {joint.child for joint in joints}
    return sorted(bodies, key=lambda body: body.name in children)  # stable: the root, then as in the file


def _endpoints(bodies: list[Body], joints: list[Joint]) -> list[Endpoint]:
    """Links on fixed joints and links that carry nothing."""
    parents = {joint.parent for joint in joints}
    fixed = {joint.child for joint in joints if joint.kind == "fixed"}
    chosen = [body.name for body in bodies[1:] if body.name in fixed or body.name not in parents]
    return [Endpoint(name, name, np.zeros(3), np.eye(3)) for name in chosen]


def _check_alone(source: str, bodies: list[Body], joints: list[Joint]) -> None:
    """Problems of each link before fixed links are merged; an odd inertia may be right in the sum."""
    problems = [
        f"link '{body.name}': mass is {body.mass:g} kg; give a mass above 0, or leave <inertial> out for a mere frame."
        for body in bodies
        if body.mass < 0.0
    ]
    for joint in joints:
        check_joint(problems, f"joint '{joint.name}'", joint)
    if problems:
        raise ModelError(source, problems)


def _with_hint(error: ModelError) -> ModelError:
    """The error with a hint: which options of `load` mend joints that move nothing, or a root without mass."""
    idle = [found[1] for problem in error.problems if (found := re.match(r"joint '(.*)': .*singular", problem))]
    hint = [f"to fix such joints at loading: load(…, lock={idle}).".replace("'", '"')] if idle else []
    if any(re.match(r"base '.*': .*singular", problem) for problem in error.problems):
        hint.append('to hold the root link where it is: load(…, base="fixed").')
    return ModelError(error.model_name, [*error.problems, *hint])


def _warn(robot: Any, mimic: str | None, looks: Looks, kept: set[str]) -> None:
    followers = [joint.name for joint in robot.joints if joint.mimic is not None and joint.name in kept]
    if followers and mimic is None:
        warn_user(
            f"robot '{robot.name}': joints {', '.join(followers[:6])}{' …' if len(followers) > 6 else ''} mimic others "
            "in the file and move by themselves here; say mimic='independent' or mimic='lock', and see mimic_coupling.",
            ModelWarning,
        )
    if looks.missing:
        warn_user(
            f"robot '{robot.name}': {len(looks.missing)} meshes are not there and will not be drawn, the first being "
            f"{shown(looks.missing[0])}; give the folder of their package by folders=[…].",
            ModelWarning,
        )
