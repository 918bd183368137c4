"""Triangle meshes (`Mesh`) of boxes, solids of revolution and rods, with normals: edges sharp, round things round.

All are in the frame of what they belong to [m]; solids of revolution stand along z unless they are given two ends.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import coo_matrix

Array = np.ndarray
Color = tuple[float, float, float]
_SIDES = 40


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles of one colour.

    Attributes
    ----------
    vertices : (n, 3)
        [m].
    faces : (m, 3)
        Indices of vertices, anticlockwise seen from outside.
    color : (3,)
        Red, green, blue from 0 to 1.
    opacity : float
        1: solid.
    outlying : bool
        Whether the camera need not have it in view at first: a solar panel.
    """

    vertices: Array
    faces: Array
    color: Color = (0.8, 0.8, 0.8)
    opacity: float = 1.0
    outlying: bool = False

    def at(self, position: Array, rotation: Array | None = None) -> "Mesh":
        """The mesh rotated, then moved."""
        turned = self.vertices if rotation is None else self.vertices @ np.asarray(rotation).T
        return replace(self, vertices=turned + position)

    def painted(self, color: Color, opacity: float | None = None) -> "Mesh":
        """The mesh in another colour."""
        return replace(self, color=color, opacity=self.opacity if opacity is None else opacity)


def box(size: Sequence[float] | Array, chamfer: float = 0.0) -> Mesh:
    """A box (x, y, z) about its centre, its edges broken by a chamfer that catches the light.

    >>> box((1, 2, 3)).faces.shape, box((1, 2, 3), 0.1).faces.shape
    ((12, 3), (44, 3))
    """
    half = np.asarray(size, dtype=float) / 2.0
    cut = min(float(chamfer), 0.4 * float(half.min()))
    signs = np.array([[sx, sy, sz] for sx in (-1, 1) for sy in (-1, 1) for sz in (-1, 1)], dtype=float)
    if cut <= 0.0:
        return convex(signs * half)
    inner = np.concatenate([signs * np.where(np.arange(3) == axis, half, half - cut) for axis in range(3)])
    return convex(inner)


def convex(points: Array) -> Mesh:
    """The convex hull of points."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(points)
    faces = hull.simplices.copy()
    corners = points[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = np.sum(normals * hull.equations[:, :3], axis=-1) < 0.0
    faces[inward] = faces[inward][:, ::-1]
    return Mesh(points, faces)


def lathe(profile: Sequence[tuple[float, float]], sides: int = _SIDES) -> Mesh:
    """A profile of (radius, z), turned about z; from bottom to top with the solid on its left, closed at radius 0."""
    rings = np.asarray(profile, dtype=float)
    angle = np.arange(sides) * (2 * np.pi / sides)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    vertices = np.concatenate(
        [np.column_stack([r * circle, np.full(sides, z)]) for r, z in rings],
    )
    k, after = np.arange(sides), (np.arange(sides) + 1) % sides
    faces = []
    for i in range(len(rings) - 1):
        low, high = i * sides, (i + 1) * sides
        if rings[i, 0] > 0.0:
            faces.append(np.column_stack([low + k, low + after, high + after]))
        if rings[i + 1, 0] > 0.0:
            faces.append(np.column_stack([low + k, high + after, high + k]))
        elif rings[i, 0] > 0.0:
            faces[-1] = np.column_stack([low + k, low + after, high + k])
    return Mesh(vertices, np.concatenate(faces))


def cylinder(radius: float, length: float, chamfer: float = 0.0) -> Mesh:
    """A cylinder about its centre, along z."""
    h, c = length / 2.0, min(chamfer, 0.4 * radius, 0.4 * length)
    ends = [(radius - c, h), (0.0, h)] if c else [(0.0, h)]
    start = [(0.0, -h), (radius - c, -h)] if c else [(0.0, -h)]
    return lathe([*start, (radius, -h + c), (radius, h - c), *ends])


def tube(radius: float, inner: float, length: float) -> Mesh:
    """A hollow cylinder about its centre, along z."""
    h, inner = length / 2.0, min(inner, 0.98 * radius)
    if inner <= 0.0:
        return cylinder(radius, length)
    return lathe([(inner, -h), (radius, -h), (radius, h), (inner, h), (inner, -h)])


def sphere(radius: float, rings: int = 20) -> Mesh:
    """A ball about its centre."""
    angle = np.linspace(-np.pi / 2, np.pi / 2, rings + 1)
    profile = [(0.0, -radius), *((radius * np.cos(a), radius * np.sin(a)) for a in angle[1:-1]), (0.0, radius)]
    return lathe(profile)


def cone(radius: float, height: float) -> Mesh:
    """A cone that stands on the xy plane, tip up."""
    return lathe([(0.0, 0.0), (radius, 0.0), (0.0, height)])


def rod(start: Array, end: Array, radius: float, far_radius: float | None = None, caps: bool = True) -> Mesh:
    """A tapered rod from one point to another, with round ends."""
    start, end = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    length = float(np.linalg.norm(end - start))
    far = radius if far_radius is None else far_radius
    if length <= 0.0:
        return sphere(radius).at(start)
    quarter = np.linspace(0.0, np.pi / 2, 6)[1:-1]
    below = [(radius * np.sin(a), -radius * np.cos(a)) for a in quarter] if caps else []
    above = [(far * np.cos(a), length + far * np.sin(a)) for a in quarter] if caps else []
    bottom, top = (-radius, length + far) if caps else (0.0, length)
    profile = [(0.0, bottom), *below, (radius, 0.0), (far, length), *above, (0.0, top)]
    return lathe(profile, 28).at(start, frame_along(end - start))


def frame_along(direction: Array) -> Array:
    """A rotation (3, 3) that takes z to a direction.

    >>> frame_along(np.array([0.0, 2.0, 0.0])) @ [0, 0, 1]
    array([0., 1., 0.])
    """
    z = np.asarray(direction, dtype=float) / np.linalg.norm(direction)
    aside = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = np.cross(aside, z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def with_normals(mesh: Mesh, crease: float = 0.7) -> tuple[Array, Array, Array]:
    """Vertices (n, 3), their normals (n, 3) and faces (m, 3): vertices are doubled along edges sharper than a crease.

    Parameters
    ----------
    mesh : Mesh
        Any triangles.
    crease : float
        Angle between faces beyond which an edge is sharp [rad].

    Returns
    -------
    vertices, normals, faces
        Float32 and uint32.
    """
    corners = mesh.vertices[mesh.faces]
    weighted = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    area = np.linalg.norm(weighted, axis=-1)
    good = area > 1e-12 * max(float(area.max(initial=0.0)), 1e-30)
    faces, weighted, area = mesh.faces[good], weighted[good], area[good]
    unit = weighted / area[:, None]
    size = float(np.ptp(mesh.vertices, axis=0).max(initial=0.0)) or 1.0
    _, place = np.unique(np.round(mesh.vertices / (1e-6 * size)).astype(np.int64), axis=0, return_inverse=True)
    owner = np.repeat(np.arange(len(faces)), 3)
    at = place.reshape(-1)[faces.reshape(-1)]
    touches = coo_matrix((np.ones(owner.size), (at, owner)), shape=(int(at.max(initial=0)) + 1, len(faces))).tocsr()
    pairs = coo_matrix((np.ones(owner.size), (np.arange(owner.size), at))).tocsr() @ touches
    corner, neighbour = pairs.nonzero()
    smooth = np.sum(unit[owner[corner]] * unit[neighbour], axis=-1) > np.cos(crease)
    normals = np.zeros((owner.size, 3))
    np.add.at(normals, corner[smooth], weighted[neighbour[smooth]])
    normals /= np.maximum(np.linalg.norm(normals, axis=-1, keepdims=True), 1e-30)
    vertices = mesh.vertices[faces.reshape(-1)]
    key = np.column_stack([at, np.round(normals * 500).astype(np.int64)])
    _, first, index = np.unique(key, axis=0, return_index=True, return_inverse=True)
    return (
        vertices[first].astype(np.float32),
        normals[first].astype(np.float32),
        index.reshape(-1, 3).astype(np.uint32),
    )
