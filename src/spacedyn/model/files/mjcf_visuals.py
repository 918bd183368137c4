"""Geoms of a compiled MuJoCo model as visuals: ellipsoids are stretched balls."""

from typing import Any

import numpy as np

from ..parts import Visual
from ..rotations import rotation_quaternion
from ..shapes import box, capsule, cylinder, sphere


def geoms(m: Any, body: int) -> tuple[tuple[Visual, ...], tuple[Visual, ...]]:
    """Visuals of a body, and its collision geometry."""
    first = int(m.body_geomadr[body])
    every = range(first, first + int(m.body_geomnum[body])) if m.body_geomnum[body] else range(0)
    looks = {i: _looks(m, i) for i in every}
    touched = [i for i in every if m.geom_contype[i] or m.geom_conaffinity[i]]
    seen = [i for i in every if m.geom_group[i] < 3] or list(every)  # MuJoCo's viewer shows groups 0, 1 and 2
    return tuple(v for i in seen for v in looks[i]), tuple(v for i in touched for v in looks[i])


def _looks(m: Any, i: int) -> list[Visual]:
    turn, place = rotation_quaternion(np.roll(m.geom_quat[i], -1)), m.geom_pos[i]
    color = m.mat_rgba[m.geom_matid[i]] if m.geom_matid[i] >= 0 else m.geom_rgba[i]
    rgba: Any = tuple(float(x) for x in np.clip(color, 0.0, 1.0))
    name, (a, b, c) = str(m.geom(i).name), m.geom_size[i]
    pose: dict[str, Any] = {"position": place, "rotation": turn, "color": rgba}
    match int(m.geom_type[i]):
        case 2:
            return [Visual(name, sphere(0.0, a), **pose)]
        case 3:
            return [Visual(name, capsule(0.0, a, 2 * b), **pose)]
        case 4:
            return [Visual(name, sphere(0.0, 1.0), scale=np.array([a, b, c]), **pose)]
        case 5:
            return [Visual(name, cylinder(0.0, a, 2 * b), **pose)]
        case 6:
            return [Visual(name, box(0.0, (2 * a, 2 * b, 2 * c)), **pose)]
        case 7:
            return _mesh(m, i, name, pose)
    return []  # planes and height fields are ground, not robots


def _mesh(m: Any, i: int, name: str, pose: dict[str, Any]) -> list[Visual]:
    """MuJoCo moves a mesh to its centre of mass and principal axes; undone here, so that it is the file's again."""
    mesh = int(m.geom_dataid[i])
    start = int(m.mesh_pathadr[mesh])
    path = "" if start < 0 else bytes(m.paths[start : m.paths.index(b"\0", start)]).decode("utf-8", "replace")
    if not path:
        return []
    turn = pose["rotation"] @ rotation_quaternion(np.roll(m.mesh_quat[mesh], -1)).T
    place = pose["position"] - turn @ m.mesh_pos[mesh]
    return [Visual(name, mesh=path, scale=m.mesh_scale[mesh], **{**pose, "position": place, "rotation": turn})]
