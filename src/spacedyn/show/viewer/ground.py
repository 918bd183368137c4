"""Surfaces of the inertial frame that a run's robots may touch, as triangles."""

from dataclasses import replace
from typing import Any

import numpy as np

from ...contact.height_fields import Heights
from ...contact.surfaces import EllipsoidSurface, Plane, SphereSurface, Surface
from ...contact.triangle_mesh import TriangleMesh
from ...elements.contact import Contact
from ...elements.rigid_contact import RigidContact
from ...elements.shape_contact import ShapeContact
from .actors import Actor
from .meshes import Mesh

Array = np.ndarray
_COLOR = (0.44, 0.42, 0.40)
_CELLS = 64
_AROUND = 2.5
"""Sizes of the robot around its path over which ground is drawn."""


def ground_meshes(run: Any, path: Array, size: float) -> list[Mesh]:
    """Ground under a path (times, 3) [m] of a robot of a size [m]; inertial axes."""
    elements = getattr(run, "elements", ())
    contacts = [one for one in elements if isinstance(one, Contact | RigidContact) and one.other == "inertial"]
    surfaces = {str(one.ground): one.ground for one in contacts}
    shapes = [one for one in elements if isinstance(one, ShapeContact)]
    surfaces |= {str(surface): surface for one in shapes for _, surface in one.surfaces}
    return [mesh for one in surfaces.values() for mesh in _mesh(one, path, size)]


def floor_height(robots: float, ground: list[Mesh], up: Array, size: float) -> float:
    """Height of the grid along `up`: where robots are lowest, or below ground that is drawn, so as not to cut it."""
    return min(robots, *(float((mesh.vertices @ up).min()) - 2e-3 * size for mesh in ground)) if ground else robots


def with_a_body_at_rest(actor: Actor) -> Actor:
    """The robot with one body more, which stays in the inertial frame's origin."""
    still = np.broadcast_to(np.array([0.0, 0.0, 0.0, 1.0]), (*actor.quaternions.shape[:1], 1, 4))
    return replace(
        actor,
        positions=np.concatenate([actor.positions, -actor.base[:, None, :]], axis=1),
        quaternions=np.concatenate([actor.quaternions, still], axis=1),
    )


def _mesh(surface: Surface, path: Array, size: float) -> list[Mesh]:
    """A surface of one of the kinds that can be drawn."""
    A, origin = surface.axes, np.asarray(surface.position)
    if isinstance(surface, Heights | Plane):
        own = (path - origin) @ A
        low, high = own[:, :2].min(axis=0) - _AROUND * size, own[:, :2].max(axis=0) + _AROUND * size
        if isinstance(surface, Heights):
            last = surface.first + (np.array(surface.grid.shape) - 1) * surface.step
            low, high = np.maximum(low, surface.first), np.minimum(high, last)
            if not np.all(high > low):
                return []
        cells = _CELLS if isinstance(surface, Heights) else 1
        x, y = np.meshgrid(*(np.linspace(a, b, cells + 1) for a, b in zip(low, high, strict=True)), indexing="ij")
        z = surface.height(x, y) if isinstance(surface, Heights) else np.zeros_like(x)
        return [_grid(np.stack([x, y, z], axis=-1) @ A.T + origin)]
    if isinstance(surface, TriangleMesh):
        corners, faces = np.asarray(surface.vertices), np.asarray(surface.faces, dtype=int)
        return [Mesh(corners @ A.T + origin, faces, _COLOR)]
    if isinstance(surface, SphereSurface) and surface.hollow:
        return []
    semi = np.asarray(surface.semi_axes) if isinstance(surface, EllipsoidSurface) else np.full(3, surface.parameters[0])
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, _CELLS + 1), np.linspace(-np.pi / 2, np.pi / 2, 33), indexing="ij")
    ball = np.stack([np.cos(u) * np.cos(v), np.sin(u) * np.cos(v), np.sin(v)], axis=-1) * semi
    return [_grid(ball @ A.T + origin)]


def _grid(points: Array) -> Mesh:
    """Triangles between points (nx, ny, 3), seen from above."""
    nx, ny, _ = points.shape
    first = (np.arange(nx - 1)[:, None] * ny + np.arange(ny - 1)).ravel()
    faces = np.concatenate(
        [np.stack([first, first + ny, first + ny + 1], 1), np.stack([first, first + ny + 1, first + 1], 1)]
    )
    return Mesh(points.reshape(-1, 3), faces, _COLOR)
