"""Triangles of mesh files, through trimesh."""

from functools import lru_cache
from typing import Any

import numpy as np

from ..errors import InputError

Array = np.ndarray


def mesh_triangles(what: str, path: str, scale: Any = 1.0) -> tuple[Array, Array]:
    """Points (n, 3) [m] and triangles (m, 3) of a mesh file, all of its pieces together, stretched by `scale`.

    Raises InputError, which begins with `what`, if trimesh is not there, or the file cannot be read or has no triangle.
    """
    points, faces = _read(what, path)
    factor = np.broadcast_to(np.asarray(scale, dtype=float), 3)
    return points * factor, faces[:, ::-1] if np.prod(factor) < 0.0 else faces  # a mirrored one stays outside out


@lru_cache(maxsize=64)
def _read(what: str, path: str) -> tuple[Array, Array]:
    try:
        import trimesh
    except ModuleNotFoundError:
        raise InputError(f"{what}: meshes need trimesh: pip install 'spacedyn[view]'") from None
    try:
        pieces = [
            piece for piece in trimesh.load_scene(path).dump(concatenate=False) if len(getattr(piece, "faces", ()))
        ]
    except Exception as error:  # of whatever kind the readers of so many formats raise
        raise InputError(f"{what}: the mesh '{path}' cannot be read: {error}") from error
    if not pieces:
        raise InputError(f"{what}: the mesh '{path}' has no triangle")
    starts = np.cumsum([0, *(len(piece.vertices) for piece in pieces)])
    points = np.concatenate([np.asarray(piece.vertices, dtype=float) for piece in pieces])
    faces = np.concatenate([np.asarray(piece.faces) + start for piece, start in zip(pieces, starts, strict=False)])
    if not np.isfinite(points).all():
        raise InputError(f"{what}: the mesh '{path}' has points that are not finite")
    return points, faces
