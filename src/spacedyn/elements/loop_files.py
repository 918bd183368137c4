"""Loops and couplings from robot files: MuJoCo's equality constraints, URDF's mimic joints."""

import os
from collections.abc import Iterable

import numpy as np
from scipy.spatial.transform import Rotation

from ..errors import InputError, ModelWarning, warn_user
from ..model.files.mimic import Mimic, read_mimics
from ..model.files.mjcf_equality import Equality, read_equalities
from ..model.files.xml_source import parse_xml, read_source
from ..model.model import Model
from ..signatures import checked_arguments
from .coupling import Coupling
from .element import Element
from .held_joints import LockedJoint
from .loop import Loop

Array = np.ndarray


@checked_arguments("folders", "within")
def read_loops(
    path_or_text: str | os.PathLike[str],
    model: Model,
    *,
    folders: Iterable[str | os.PathLike[str]] = (),
    within: Iterable[str | os.PathLike[str]] | None = None,
) -> list[Element | LockedJoint]:
    """Elements that close what a robot's file ties: of MuJoCo's XML its `equality`, of a URDF its mimic joints.

    `connect` is a ball joint, `weld` a weld, `joint` a coupling (or, without a second joint, a lock where the start has
    it); all of them rigid, whatever softness MuJoCo gives them. A mimic joint is a coupling (or, where its leader is
    fixed or its multiplier zero, a lock). What is none of these is named by a warning.

    Parameters
    ----------
    path_or_text : str or path
        A file, or XML, which begins with '<', that the model was read from.
    model : Model
        That robot.
    folders, within
        As `load` takes them.

    Returns
    -------
    list of Element
        For `simulate(elements=...)`; `sd.assemble` closes what the start leaves open.

    Raises
    ------
    ModelError
        A file that cannot be read.

    Examples
    --------
    >>> import spacedyn as sd
    >>> text = '''<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0"
    ...   ixz="0" iyz="0"/></inertial></link></robot>'''
    >>> sd.read_loops(text, sd.load("planar_four_link"))
    []
    """
    data, source = read_source(path_or_text)
    if parse_xml(data, source).tag != "mujoco":
        return [_follower(model, one) for one in read_mimics(path_or_text) if one.joint in model.joint_names]
    found: list[Element | LockedJoint] = []
    for one in read_equalities(path_or_text, folders, within):
        made = _element(model, one)
        if made is None:
            warn_user(f"robot '{model.name}': equality constraint '{one.name}' ({one.sort}) is left out", ModelWarning)
        else:
            found.append(made)
    return found


def _follower(model: Model, one: Mimic) -> Element | LockedJoint:
    """The coupling of a mimic joint; a lock where its leader does not move it."""
    moves = one.leader in model.joint_names and model.joint(one.leader).nv and one.multiplier
    return Coupling.of_mimics([one])[0] if moves else LockedJoint(one.joint)


def _element(model: Model, one: Equality) -> Element | LockedJoint | None:
    """The element of a constraint; None if there is none."""
    name = one.name or None
    if one.sort == "other":
        return None
    if one.sort == "joint":
        if not one.second or not one.polynomial[1:].any():
            return LockedJoint(one.first)
        p = one.polynomial
        return Coupling((one.first, one.second), (1.0, -p[1]), p[0], curve=-p[2:], name=name)
    (first, at, A), (second, far, B) = (
        _on_body(model, body, point) for body, point in zip((one.first, one.second), one.points, strict=True)
    )
    if first == second:
        raise InputError(
            f"equality constraint '{one.name}': both of its bodies are '{first}', which fixed joints merge"
        )
    turn = A @ Rotation.from_quat(one.attitude).as_matrix() @ B.T
    if second == "inertial":  # a Loop has the joint's frame on `other`, which may be 'inertial'
        first, at, second, far, turn = second, far, first, at, turn.T
    joint = "ball" if one.sort == "connect" else "weld"
    attitude = Rotation.from_matrix(turn).as_quat() if joint == "weld" else np.array([0.0, 0.0, 0.0, 1.0])
    return Loop(joint, second, first, point=far, other_point=at, attitude_xyzw=attitude, name=name)


def _on_body(model: Model, name: str, point: Array) -> tuple[str, Array, Array]:
    """The model's body that contains a body of the file (fixed bodies are merged); point and axes in its frame."""
    if not name:
        return "inertial", point, np.eye(3)
    if name in model.body_names:
        return name, point, np.eye(3)
    fixed = model.endpoint(name)
    R = np.asarray(fixed.rotation)
    return fixed.body, np.asarray(fixed.position) + R @ point, R
