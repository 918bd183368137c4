"""Convex shapes that bodies touch with: a core and a radius, from a body's collision geometry.

A sphere is a point with a radius, a capsule a segment with one. What has edges (box, cylinder, cone, mesh) is shrunk by
`rounding` and gets that radius back: its faces stay where they are, its edges become round. An ellipsoid is shrunk by
nine tenths of its smallest radius of curvature, which changes nothing. What is thinner than nothing can be shrunk by,
a disc or a rod, becomes thicker by `rounding` on each side.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull, HalfspaceIntersection, QhullError

from ..errors import InputError
from ..kernels.geometry import cores as k
from ..model.parts import Visual
from ..model.shapes import Shape
from .mesh_files import mesh_triangles

Array = np.ndarray
_ELLIPSOID_RADIUS = 0.9  # of the smallest radius of curvature


@dataclass(frozen=True, eq=False)
class Convex:
    """A core in a frame, and the radius about it."""

    name: str  # for messages: 'box', or the name that it has in its file
    kind: int  # POINT … HULL of kernels.geometry.cores
    size: tuple[float, float, float, float]
    radius: float
    position: Array  # (3,) of the core's frame in the body's [m]
    rotation: Array  # (3, 3) body <- core
    vertices: Array | None = None  # (n, 3) of a hull, in the core's frame

    @property
    def bound(self) -> float:
        """Radius of a ball about the frame's origin that holds the core [m]."""
        a, b, c, _ = self.size
        match self.kind:
            case k.BOX:
                return float(np.linalg.norm((a, b, c)))
            case k.CYLINDER:
                return float(np.hypot(a, b))
            case k.HULL:
                return float(np.linalg.norm(self.vertices, axis=1).max()) if self.vertices is not None else 0.0
        return max(a, b, c)


def shape_of(what: str, look: Visual, rounding: float) -> Convex:
    """The convex shape of a piece of collision geometry.

    Raises InputError, which begins with `what`, if the piece cannot be stretched or shrunk as asked, or its mesh has no
    volume.
    """
    scale = np.abs(np.asarray(look.scale, dtype=float))
    if look.shape is None:
        assert look.mesh is not None
        points, _ = mesh_triangles(what, look.mesh, look.scale)
        return hull(what, look.name or "mesh", points, rounding, look.position, look.rotation)
    shape = look.shape
    position = look.position + look.rotation @ (look.scale * shape.position)
    return solid(what, look.name or shape.kind, shape, scale, rounding, position, look.rotation @ shape.rotation)


def solid(
    what: str, name: str, shape: Shape, scale: Array, rounding: float, position: Array, rotation: Array
) -> Convex:
    """A simple solid, stretched along its own axes."""
    kind, size = shape.kind, shape.size
    if kind == "sphere":
        axes = size[0] * scale
        if (axes == axes[0]).all():
            return Convex(name, k.POINT, (0.0, 0.0, 0.0, 0.0), float(axes[0]), position, rotation)
        return ellipsoid(what, name, axes, position, rotation)
    if kind != "box" and scale[0] != scale[1]:
        raise InputError(f"{what}: a {kind} cannot be stretched unevenly across its axis; scale is {scale.tolist()}")

    def less(thickness: float) -> float:
        return _shrunk(what, thickness, rounding)

    radius = rounding
    core: tuple[float, ...]
    match kind:
        case "box":
            number, core = k.BOX, tuple(less(h) for h in 0.5 * size * scale)
        case "cylinder" | "tube":
            number, core = k.CYLINDER, (less(size[0] * scale[0]), less(0.5 * size[-1] * scale[2]))
        case "capsule":
            number, radius, core = k.SEGMENT, float(size[0] * scale[0]), (0.5 * size[1] * scale[2],)
        case "cone":
            wide, high = float(size[0] * scale[0]), float(size[1] * scale[2])
            number, (core, up) = k.CONE, _shrunk_cone(what, wide, high, rounding)
            position = position + rotation @ np.array([0.0, 0.0, up])
        case "rod":
            number, core = k.SEGMENT, (less(0.5 * size[0] * scale[2]),)
        case _:
            number, core = k.POINT, ()
    a, b, c, d = (*(float(x) for x in core), 0.0, 0.0, 0.0, 0.0)[:4]
    return Convex(name, number, (a, b, c, d), float(radius), position, rotation)


def ellipsoid(what: str, name: str, axes: Any, position: Array, rotation: Array) -> Convex:
    """An ellipsoid with three semi-axes [m]."""
    a, b, c = (float(x) for x in axes)
    if min(a, b, c) <= 0.0:
        raise InputError(f"{what}: an ellipsoid needs semi-axes above zero, got {[a, b, c]}")
    radius = _ELLIPSOID_RADIUS * min(a, b, c) ** 2 / max(a, b, c)
    return Convex(name, k.ELLIPSOID, (a, b, c, radius), radius, position, rotation)


def hull(what: str, name: str, points: Array, rounding: float, position: Array, rotation: Array) -> Convex:
    """The convex hull of points (n, 3)."""
    try:
        found = ConvexHull(points)
    except (QhullError, ValueError):
        raise InputError(
            f"{what}: its {len(points)} points have no volume between them; give a mesh that is not flat, or a box"
        ) from None
    vertices = points[found.vertices]
    if rounding > 0.0:
        vertices = _eroded(what, found.equations, vertices, rounding)
    center = vertices.mean(axis=0)
    return Convex(
        name, k.HULL, (0.0, 0.0, 0.0, 0.0), rounding, position + rotation @ center, rotation, vertices - center
    )


def _shrunk(what: str, half: float, rounding: float) -> float:
    """Half a thickness without the rounding; what has no thickness stays so."""
    if half == 0.0 or half >= rounding:
        return half - rounding if half > 0.0 else 0.0
    raise InputError(
        f"{what}: rounding is {rounding:g} m, more than half of its thickness of {2 * half:g} m; give less"
    )


def _shrunk_cone(what: str, radius: float, height: float, rounding: float) -> tuple[tuple[float, ...], float]:
    """Radius and height of the cone whose points are at least `rounding` inside, and how much higher it stands."""
    if rounding == 0.0 or radius == 0.0 or height == 0.0:
        return (radius, height), 0.0
    less = height - rounding * (1.0 + float(np.hypot(radius, height)) / radius)
    if less < 0.0:
        raise InputError(f"{what}: rounding is {rounding:g} m, more than a ball inside of this cone has; give less")
    return (radius * less / height, less), rounding


def _eroded(what: str, planes: Array, vertices: Array, rounding: float) -> Array:
    """Vertices of what is at least `rounding` inside of all planes (n, 4)."""
    moved = planes + np.array([0.0, 0.0, 0.0, rounding])
    try:
        inside = _deepest_point(moved)
        return ConvexHull(HalfspaceIntersection(moved, inside).intersections).points
    except (QhullError, ValueError):
        size = np.ptp(vertices, axis=0).tolist()
        raise InputError(
            f"{what}: rounding is {rounding:g} m, more than a ball inside of this mesh has, whose size is {size} m; "
            "give less"
        ) from None


def _deepest_point(planes: Array) -> Array:
    """Centre of the largest ball inside of all planes; ValueError if there is none."""
    from scipy.optimize import linprog

    bounds = [(None, None)] * 3 + [(0.0, None)]
    found = linprog(
        [0.0, 0.0, 0.0, -1.0], np.hstack([planes[:, :3], np.ones((len(planes), 1))]), -planes[:, 3], bounds=bounds
    )
    if found.status != 0 or found.x[3] <= 1e-9 * np.abs(planes[:, 3]).max():
        raise ValueError("empty")
    return found.x[:3]
