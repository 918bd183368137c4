"""Convex shapes against surfaces: results for each state and shape, as for pairs of shapes.

Plane: the farthest point of the shape, exact at any depth. Sphere and ellipsoid: convex shapes themselves. Triangle
mesh: the nearest triangle. Height fields and hollow spheres: the vertices of the shape, and of round ones on height
fields the farthest point along the normal of the ground there.
"""

import numpy as np

from ..errors import InputError
from ..kernels.geometry import cores as k
from ..kernels.geometry import distances as _distances
from ..kernels.geometry import mesh_pairs as _meshes
from ..kernels.geometry.pairs import PAIR_WORK
from ..kernels.scalar.pack import ONE
from .convex import Convex, ellipsoid
from .height_fields import Heights
from .shape_table import ShapeTable, make_table
from .surfaces import EllipsoidSurface, Plane, SphereSurface, Surface
from .triangle_mesh import TriangleMesh

Array = np.ndarray
_TURNS = 8  # steps of the search for the lowest point of a round shape over a height field


def surface_rows(table: ShapeTable, shapes: Array, surface: Surface, poses: Array) -> Array:
    """Results (states, shapes, 11) of shapes against a surface that stands in the inertial frame."""
    if isinstance(surface, Plane):
        up = np.broadcast_to(np.asarray(surface.normal), (len(poses), len(shapes), 3))
        return above(surface, supports(table, shapes, poses, -up))
    if isinstance(surface, TriangleMesh):
        return _over_mesh(table, shapes, surface, poses)
    round_one = as_shape(surface)
    if round_one is not None:
        return _against(table, shapes, round_one, poses)
    return np.stack([_over_ground(table, i, surface, poses) for i in shapes], axis=1)


def pair_rows(table: ShapeTable, pairs: Array, poses: Array) -> Array:
    """Results (states, pairs, 11) of the kernels for pairs of shapes."""
    count, bodies, _ = poses.shape
    out = np.zeros((count, len(pairs), _distances.RESULT))
    if out.size:
        work = np.zeros(PAIR_WORK)
        arrays = (table.ints, table.pars, table.vertices, pairs.reshape(-1), poses.reshape(-1), work, out.reshape(-1))
        _distances.run(*arrays, count, bodies, ONE)
    return out


def supports(table: ShapeTable, shapes: Array, poses: Array, directions: Array) -> Array:
    """The farthest points (states, shapes, 3) of shapes along directions (states, shapes, 3), inertial axes."""
    count, bodies, _ = poses.shape
    out, along = np.zeros((count, len(shapes), 3)), np.ascontiguousarray(directions).reshape(-1)
    if out.size:
        arrays = (table.ints, table.pars, table.vertices, np.asarray(shapes, dtype=np.int64), poses.reshape(-1), along)
        _distances.supports(*arrays, out.reshape(-1), count, bodies)
    return out


def vertices_of(table: ShapeTable, i: int, poses: Array) -> Array | None:
    """Vertices (states, n, 3) of a core in inertial axes; None of one that is round."""
    shape, pose = table.shapes[i], poses[:, table.owner[i]]
    a, b, c, _ = shape.size
    match shape.kind:
        case k.POINT:
            points = np.zeros((1, 3))
        case k.SEGMENT:
            points = np.array([[0.0, 0.0, a], [0.0, 0.0, -a]])
        case k.BOX:
            points = np.array([(x, y, z) for x in (-a, a) for y in (-b, b) for z in (-c, c)])
        case k.HULL:
            points = np.asarray(shape.vertices)
        case _:
            return None
    local = shape.position + points @ shape.rotation.T
    return pose[:, None, :3] + np.einsum("sij,nj->sni", pose[:, 3:].reshape(-1, 3, 3), local)


def as_shape(surface: Surface) -> Convex | None:
    """A sphere or an ellipsoid as a convex shape."""
    place, level = np.asarray(surface.position, dtype=float), surface.axes
    if isinstance(surface, SphereSurface) and not surface.hollow:
        return Convex("sphere", k.POINT, (0.0, 0.0, 0.0, 0.0), float(surface.radius), place, level)
    if isinstance(surface, EllipsoidSurface):
        return ellipsoid("EllipsoidSurface", "ellipsoid", surface.semi_axes, place, level)
    return None


def _against(table: ShapeTable, shapes: Array, other: Convex, poses: Array) -> Array:
    """Against a convex shape in the inertial frame, which is one more body."""
    world = poses.shape[1]
    more = make_table((*table.shapes, other), np.append(table.owner, world))
    still = np.broadcast_to(np.append(np.zeros(3), np.eye(3).reshape(9)), (len(poses), 1, 12))
    pairs = np.column_stack([shapes, np.full(len(shapes), len(table.shapes))]).astype(np.int64)
    return pair_rows(more, pairs, np.ascontiguousarray(np.concatenate([poses, still], axis=1)))


def above(surface: Surface, points: Array, radius: float = 0.0) -> Array:
    """Results for points (…, 3) with a radius about them: normals are those of the surface, turned over."""
    out = np.zeros((*points.shape[:-1], _distances.RESULT))
    if out.size:
        gap, down = surface.gap(points), -surface.normals(points)
        out[..., 0], out[..., 1:4], out[..., 10] = gap - radius, down, 1.0
        out[..., 4:7] = points + radius * down
        out[..., 7:10] = out[..., 4:7] + out[..., :1] * down
    return out


def _over_mesh(table: ShapeTable, shapes: Array, mesh: TriangleMesh, poses: Array) -> Array:
    """Against a triangle mesh, whose corners follow the table's vertices."""
    count, bodies, _ = poses.shape
    out, first = np.zeros((count, len(shapes), _meshes.RESULT)), table.vertices.size // 3
    corners = mesh.corners[mesh.tree[1]].reshape(-1)
    place = np.append(np.asarray(mesh.position, dtype=float), mesh.axes.reshape(9))
    if out.size:
        arrays = (table.ints, table.pars, np.append(table.vertices, corners), np.asarray(shapes, dtype=np.int64))
        rows = (poses.reshape(-1), np.zeros(PAIR_WORK), out.reshape(-1))
        _meshes.run(*arrays, mesh.parameters, first, place, *rows, count, bodies)
    return out


def _over_ground(table: ShapeTable, i: int, surface: Surface, poses: Array) -> Array:
    """The lowest point of one shape over a height field, or the outermost in a hollow sphere."""
    points, shape = vertices_of(table, i, poses), table.shapes[i]
    if points is not None:
        found = above(surface, points, shape.radius)
    elif isinstance(surface, Heights):
        found = _rolling(table, i, surface, poses)
    else:
        raise InputError(
            f"distance(): '{shape.name}' is round, and inside of a hollow {type(surface).__name__} only spheres, "
            "capsules, boxes and meshes have distances"
        )
    best = np.argmin(found[..., 0], axis=1)
    return found[np.arange(len(found)), best]


def _rolling(table: ShapeTable, i: int, surface: Heights, poses: Array) -> Array:
    """Results (states, steps, 11) for points of a round shape that are farthest along the normal below the last one."""
    one, up = np.array([i]), np.broadcast_to(surface.axes[:, 2], (len(poses), 1, 3))
    steps = []
    for _ in range(_TURNS):
        points = supports(table, one, poses, -up)
        up = surface.normals(points) if points.size else up
        steps.append(above(surface, points))
    return np.concatenate(steps, axis=1)
