"""Equality constraints of MuJoCo's XML, as records: what `elements.loop_files` makes loops and couplings of."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from ...errors import ModelError
from ..rotations import rotation_quaternion
from .mesh_files import MeshFiles
from .mjcf_bodies import joints_of
from .mjcf_compiled import compiled
from .mjcf_files import check_files
from .mjcf_losses import HINGE, SLIDE
from .mjcf_names import Names
from .xml_source import is_text, parse_xml, read_source

Array = np.ndarray
CONNECT, WELD, JOINT = range(3)
_SITE = 6  # MuJoCo's number of that kind of object


class Equality(NamedTuple):
    """A constraint: its sort, what it ties ('' is the world), and its numbers.

    Of bodies: a point in each one's frame, and the attitude (x, y, z, w) of the second in the first. Of joints: the
    polynomial of the second's coordinate that the first one's is, from the constant to the fourth power.
    """

    sort: str  # 'connect', 'weld', 'joint'; 'other' is not known here
    name: str
    first: str
    second: str
    points: Array
    attitude: Array
    polynomial: Array


def read_equalities(
    path_or_text: str | os.PathLike[str],
    folders: Iterable[str | os.PathLike[str]] = (),
    within: Iterable[str | os.PathLike[str]] | None = None,
) -> list[Equality]:
    """The active equality constraints of a file, or of the text of one; MuJoCo must be there."""
    data, source = read_source(path_or_text)
    root = parse_xml(data, source)
    if root.tag != "mujoco":
        raise ModelError(source, [f"line {root.line}: the file is a <{root.tag[:40]}>, not a <mujoco> model."])
    file = None if is_text(path_or_text) else Path(os.fspath(path_or_text))
    named = check_files(root, file, MeshFiles(file, folders, within).allowed, source)
    m, _, _ = compiled(root, named, data, file, source)
    names = Names(m)
    return [_equality(m, names, i) for i in range(m.neq) if m.eq_active0[i]]


def _equality(m: Any, names: Names, i: int) -> Equality:
    """Record i of a compiled model."""
    sort, data = int(m.eq_type[i]), np.array(m.eq_data[i], dtype=float)
    first, second = int(m.eq_obj1id[i]), int(m.eq_obj2id[i])
    start = int(m.name_eqadr[i])
    name = bytes(m.names[start : m.names.index(b"\0", start)]).decode("utf-8", "replace")
    points, attitude, polynomial = np.zeros((2, 3)), np.array([0.0, 0.0, 0.0, 1.0]), np.zeros(5)
    if not np.isfinite(data).all() or sort not in (CONNECT, WELD, JOINT):
        return Equality("other", name, "", "", points, attitude, polynomial)
    if sort == JOINT:
        return _joints(m, names, name, first, second, data[:5])
    if int(m.eq_objtype[i]) == _SITE:
        bodies, points = [int(m.site_bodyid[one]) for one in (first, second)], m.site_pos[[first, second]].copy()
        a, b = (_matrix(m.site_quat[one]) for one in (first, second))
        attitude = _quaternion(a @ b.T)
    else:
        bodies = [first, max(second, 0)]
        points = data[:6].reshape(2, 3) if sort == CONNECT else np.stack([data[3:6], data[:3]])
        attitude = np.roll(data[6:10], -1) if sort == WELD else attitude
    here, there = ("" if body == 0 else names.of("body", body) for body in bodies)
    return Equality("connect" if sort == CONNECT else "weld", name, here, there, points, attitude, polynomial)


def _joints(m: Any, names: Names, name: str, first: int, second: int, polynomial: Array) -> Equality:
    """q1 - r1 = sum a_k (q2 - r2)^k as a polynomial of q2 alone; r are the places at which the file draws joints."""
    kinds = [int(m.jnt_type[j]) for j in (first, second) if j >= 0]
    found = np.polynomial.Polynomial(polynomial)
    if second >= 0:
        found = found(np.polynomial.Polynomial([-float(m.qpos0[m.jnt_qposadr[second]]), 1.0]))
    coefficients = np.zeros(5)
    coefficients[: len(found.coef)] = found.coef
    coefficients[0] += float(m.qpos0[m.jnt_qposadr[first]])
    sort = "joint" if all(kind in (SLIDE, HINGE) for kind in kinds) else "other"
    held = second < 0 or not joints_of(m, int(m.jnt_bodyid[second]))
    return Equality(
        sort, name, names.of("joint", first), "" if held else names.of("joint", second), np.zeros((2, 3)),
        np.array([0.0, 0.0, 0.0, 1.0]), coefficients,
    )  # fmt: skip


def _matrix(wxyz: Array) -> Array:
    return rotation_quaternion(np.roll(np.asarray(wxyz, dtype=float), -1))


def _quaternion(R: Array) -> Array:
    found: Array = Rotation.from_matrix(R).as_quat()
    return found
