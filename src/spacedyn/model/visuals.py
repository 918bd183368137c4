"""Check and move the visuals of a body; they are no part of the dynamics."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .parts import Visual
from .shapes import Shape
from .values import numbers, rotation_matrix, shown


def check_visuals(problems: list[str], label: str, what: str, given: Any) -> tuple[Visual, ...]:
    """The visuals without a problem, with clean arrays; each shape's own pose is moved into its visual."""
    if not isinstance(given, Sequence) or not all(isinstance(part, Visual) for part in given):
        problems.append(f"{label}: {what} is {shown(given)}; give a list of Visual(name, shape=…) or (name, mesh=…).")
        return ()
    checked = [_check(problems, f"{label}: {what}[{i}]", part) for i, part in enumerate(given)]
    return tuple(part for part in checked if part is not None)


def _check(problems: list[str], where: str, part: Any) -> Visual | None:
    before = len(problems)
    if not isinstance(part.name, str) or not part.name.isprintable():
        problems.append(f"{where}: its name is {shown(part.name)}; give a text of one line, which may be empty.")
    if (part.shape is None) == (part.mesh is None):
        problems.append(f"{where}: give either a shape or the path of a mesh.")
    if part.shape is not None and not isinstance(part.shape, Shape):
        problems.append(f"{where}: shape is {shown(part.shape)}; give one such as box(0, (1, 1, 1)).")
    elif part.shape is not None:
        problems.extend(f"{where}: {fault}" for fault in part.shape.problems)
    if part.mesh is not None and not (isinstance(part.mesh, str | os.PathLike) and os.path.isabs(part.mesh)):
        problems.append(f"{where}: mesh is {shown(part.mesh)}; give the absolute path of a file.")
    scale = numbers(problems, f"{where}: scale", part.scale, (3,), spread=True)
    if scale is not None and (scale == 0.0).any():
        problems.append(f"{where}: scale is {shown(scale)}; give numbers other than 0.")
    position = numbers(problems, f"{where}: position", part.position, (3,))
    rotation = rotation_matrix(problems, f"{where}: rotation", part.rotation)
    color = None if part.color is None else numbers(problems, f"{where}: color", part.color, (4,))
    if color is not None and ((color < 0.0) | (color > 1.0)).any():
        problems.append(f"{where}: color is {shown(color)}; give red, green, blue and opacity, each from 0 to 1.")
    if len(problems) > before or scale is None or position is None or rotation is None:
        return None
    shape = part.shape
    if shape is not None:
        if shape.position.any() or not np.array_equal(shape.rotation, np.eye(3)):
            if (scale != scale[0]).any():
                problems.append(
                    f"{where}: only a shape at its neutral pose can be stretched unevenly; pose the visual."
                )
                return None
            position, rotation = position + rotation @ (scale * shape.position), rotation @ shape.rotation
            position.setflags(write=False)
            rotation.setflags(write=False)
        shape = replace(shape, mass=0.0, position=np.zeros(3), rotation=np.eye(3))
    mesh = None if part.mesh is None else os.fspath(part.mesh)
    rgba: Any = None if color is None else tuple(float(x) for x in color)
    return Visual(part.name, shape, mesh, scale, position, rotation, rgba)


ALLOW = "allow its folder if you trust it: folders=[…], or --allow FOLDER"
MESHES = (".stl", ".obj", ".dae", ".ply", ".glb", ".gltf", ".off", ".msh", ".3mf")
"""Files that may be a mesh: nothing else is ever opened as one."""


def mesh_inside(folder: Path, name: str, within: Sequence[Path], *, known: bool = True) -> Path:
    """The mesh file of that name, relative to a folder or absolute, if it lies in one of the allowed folders.

    Links are seen through. Raises ValueError with the reason why it may not be read.
    """
    if not name or not name.isprintable():
        raise ValueError(f"the name of its mesh is {shown(name)}; give the name of a file")
    path = Path(os.path.realpath(folder / name))
    if not any(path.is_relative_to(os.path.realpath(inside)) for inside in within):
        raise ValueError(f"mesh {shown(name)} lies outside the folder of the model; copy it there, or {ALLOW}")
    if known and not name.lower().endswith(MESHES):
        raise ValueError(f"mesh {shown(name)} is not of a known kind ({' '.join(MESHES)})")
    return path


def moved(visuals: Sequence[Visual], position: np.ndarray, rotation: np.ndarray) -> tuple[Visual, ...]:
    """Seen from another frame, in which the body's frame has `position` (3,) [m] and `rotation` (3, 3)."""
    return tuple(
        replace(part, position=position + rotation @ part.position, rotation=rotation @ part.rotation)
        for part in visuals
    )
