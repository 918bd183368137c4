"""Meshes of the visuals in a robot's description: mesh files, and simple solids with colours."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InputError, ModelWarning, warn_user
from ...model.parts import Body, Visual
from .colors import LINKS
from .meshes import Mesh
from .solids import solid

_MAX_FACES = 60_000  # most faces drawn of one file: finer detail is invisible


def visual_meshes(body: Body) -> list[Mesh]:
    """Meshes of a body's visuals, in the body's frame; of its collision geometry if none of them can be drawn.

    A file that cannot be read is left out with a warning.
    """
    return _meshes(body, body.visuals) or _meshes(body, body.collisions)


def _meshes(body: Body, visuals: Sequence[Visual]) -> list[Mesh]:
    parts: list[Mesh] = []
    for visual in visuals:
        red, green, blue, opacity = visual.color or (*LINKS[0], 1.0)
        color = red, green, blue
        path, shape = visual.mesh, visual.shape
        if path is not None:
            try:
                found = read_mesh(Path(path), visual.scale)
            except InputError as error:
                warn_user(f"body '{body.name}' is drawn without '{visual.name}': {error}", ModelWarning)
                continue
        elif shape is not None:
            longest = float(np.max(shape.size, initial=0.0))
            found = [part.at(shape.position, shape.rotation) for part in solid(shape.kind, shape.size, longest, color)]
        else:
            continue
        painted = [part.painted(color, opacity) if visual.color or path is None else part for part in found]
        parts += [part.at(visual.position, visual.rotation) for part in painted]
    return parts


def read_mesh(path: Path, scale: Any = None) -> list[Mesh]:
    """Triangles of a mesh file (STL, OBJ, DAE, PLY, GLB), with the colours that it has."""
    try:
        import trimesh
    except ModuleNotFoundError as error:
        raise InputError(f"to draw the mesh '{path.name}' trimesh is needed: pip install 'spacedyn[view]'") from error
    try:
        scene = trimesh.load_scene(path)
        pieces = [piece for piece in scene.dump(concatenate=False) if hasattr(piece, "faces") and len(piece.faces)]
    except Exception as error:  # readers of different formats raise different errors
        raise InputError(f"the mesh '{path}' cannot be read: {error}") from error
    if not pieces:
        raise InputError(f"the mesh '{path}' cannot be drawn: there is no triangle in it")
    factor = np.ones(3) if scale is None else np.broadcast_to(np.asarray(scale, dtype=float), 3)
    found = []
    for piece in pieces:
        faces = np.asarray(piece.faces)
        vertices = np.asarray(piece.vertices, dtype=float)
        if len(faces) > _MAX_FACES:
            vertices, faces = coarser(vertices, faces)
        if np.prod(factor) < 0.0:
            faces = faces[:, ::-1]  # a mirrored mesh stays outside out
        rgba = np.asarray(getattr(piece.visual, "main_color", (200, 204, 210, 255)), dtype=float) / 255.0
        found.append(Mesh(vertices * factor, faces, tuple(rgba[:3]), float(rgba[3])))
    return found


def coarser(vertices: np.ndarray, faces: np.ndarray, cells: int = 120) -> tuple[np.ndarray, np.ndarray]:
    """The surface with vertices merged that are closer than 1/120 of its size.

    >>> fine = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1e-5, 0.0]])
    >>> coarser(fine, np.array([[0, 1, 2], [1, 3, 2]]))[1].shape
    (1, 3)
    """
    size = float(np.ptp(vertices, axis=0).max()) or 1.0
    cell = np.round(vertices / (size / cells)).astype(np.int64)
    _, first, merged = np.unique(cell, axis=0, return_index=True, return_inverse=True)
    corners = merged.reshape(-1)[faces]
    whole = (corners[:, 0] != corners[:, 1]) & (corners[:, 1] != corners[:, 2]) & (corners[:, 2] != corners[:, 0])
    return vertices[first], corners[whole]
