"""Random pairs of convex shapes, and what their distances are held against: coal, Clarabel, and a proof of their own.

Two planes across the normal, through the farthest points of both shapes, are a lower bound of the distance; the closest
points themselves are an upper one. Where both agree, gap, normal and points are right, whatever found them.

    python tests/contact_pairs.py --count 100000        all kinds of pairs; the largest errors, kind by kind
    ... --fcl                                           against FCL, too (python-fcl)
"""

import argparse
from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from spacedyn.contact.convex import Convex, ellipsoid
from spacedyn.contact.shape_table import make_table
from spacedyn.contact.surface_distances import pair_rows
from spacedyn.kernels.geometry import cores as k

KINDS = ("sphere", "capsule", "box", "cylinder", "disc", "cone", "ellipsoid", "hull")
CURVED = {"cylinder", "disc", "cone", "ellipsoid"}  # coal meets these to its tolerance only


def random_shape(rng, kind, low=0.1, high=1.0):
    """A shape with sizes between two, spread evenly over their logarithms."""
    a, b, c = np.exp(rng.uniform(np.log(low), np.log(high), 3))
    here, level = np.zeros(3), np.eye(3)
    match kind:
        case "sphere":
            return Convex(kind, k.POINT, (0.0,) * 4, a, here, level)
        case "capsule":
            return Convex(kind, k.SEGMENT, (a, 0.0, 0.0, 0.0), b, here, level)
        case "box":
            return Convex(kind, k.BOX, (a, b, c, 0.0), 0.0, here, level)
        case "cylinder":
            return Convex(kind, k.CYLINDER, (a, b, 0.0, 0.0), 0.0, here, level)
        case "disc":
            return Convex(kind, k.CYLINDER, (a, 0.0, 0.0, 0.0), 0.0, here, level)
        case "cone":
            return Convex(kind, k.CONE, (a, b, 0.0, 0.0), 0.0, here, level)
        case "ellipsoid":
            return ellipsoid(kind, kind, (a, b, c), here, level)
    points = rng.normal(size=(16, 3)) * (a, b, c)
    vertices = points[ConvexHull(points).vertices]
    return Convex(kind, k.HULL, (0.0,) * 4, 0.0, here, level, vertices - vertices.mean(axis=0))


class Pairs(NamedTuple):
    """Shapes a and b (n), their poses, and what the kernels find: rows of gap, normal, points, core distance."""

    a: list
    b: list
    poses: np.ndarray  # (n, 2, 12)
    found: np.ndarray  # (n, 11)


def place_pairs(a, b, poses):
    """The kernels' results for pairs of shapes at poses (n, 2, 12)."""
    shapes = [shape for pair in zip(a, b, strict=True) for shape in pair]
    table = make_table(shapes, np.arange(len(shapes)))
    found = pair_rows(table, np.arange(len(shapes)).reshape(-1, 2), np.ascontiguousarray(poses.reshape(1, -1, 12)))
    return Pairs(a, b, poses, found[0])


def random_pairs(rng, first, second, count, sizes=(0.1, 1.0), apart=(0.0, 1.5), origin=1.0):
    """Pairs of two kinds whose bounding balls are apart by some multiple of their radii."""
    a, b = ([random_shape(rng, kind, *sizes) for _ in range(count)] for kind in (first, second))
    reach = np.array([x.bound + x.radius + y.bound + y.radius for x, y in zip(a, b, strict=True)])
    way = rng.normal(size=(count, 3))
    way *= (reach * rng.uniform(*apart, count) / np.linalg.norm(way, axis=1))[:, None]
    poses = np.empty((count, 2, 12))
    poses[:, 0, :3] = origin * rng.normal(size=(count, 3))
    poses[:, 1, :3] = poses[:, 0, :3] + way
    poses[:, :, 3:] = Rotation.random(2 * count, random_state=rng).as_matrix().reshape(count, 2, 9)
    return place_pairs(a, b, poses)


def farthest(shape, d):
    """The point of a shape's core that is farthest along d, its own axes: written apart from the kernels."""
    a, b, c, r = shape.size
    rho = np.hypot(d[0], d[1]) or 1.0
    match shape.kind:
        case k.POINT:
            return np.zeros(3)
        case k.SEGMENT:
            return np.array([0.0, 0.0, np.sign(d[2]) * a])
        case k.BOX:
            return np.sign(d) * (a, b, c)
        case k.CYLINDER:
            return np.array([a * d[0] / rho, a * d[1] / rho, np.sign(d[2]) * b])
        case k.CONE:
            return max([np.array([a * d[0] / rho, a * d[1] / rho, 0.0]), np.array([0.0, 0.0, b])], key=d.dot)
        case k.ELLIPSOID:
            axes = np.array([a, b, c])
            return axes * axes * d / np.linalg.norm(axes * d) - r * d / np.linalg.norm(d)
    return shape.vertices[np.argmax(shape.vertices @ d)]


def proof(pairs, i):
    """By how much gap, points and normal of pair i are at odds with each other, relative to the size of the pair."""
    a, b, row = pairs.a[i], pairs.b[i], pairs.found[i]
    (xa, Ra), (xb, Rb) = ((pose[:3], pose[3:].reshape(3, 3)) for pose in pairs.poses[i])
    gap, n, pa, pb = row[0], row[1:4], row[4:7], row[7:10]
    low = n @ (xb - xa + Rb @ farthest(b, -Rb.T @ n) - Ra @ farthest(a, Ra.T @ n)) - a.radius - b.radius
    odds = [gap - low, abs(np.linalg.norm(n) - 1.0), *np.abs(pb - pa - gap * n)]
    odds += [abs(distance_to(a, Ra.T @ (pa - a.radius * n - xa))), abs(distance_to(b, Rb.T @ (pb + b.radius * n - xb)))]
    return np.abs(odds).max() / (1.0 + a.bound + b.bound + np.linalg.norm(xb - xa) + np.abs(xa).max())


def distance_to(shape, p):
    """How far a point is outside of a shape's core, at least; zero or less inside."""
    a, b, c, _ = shape.size
    rho = np.hypot(p[0], p[1])
    match shape.kind:
        case k.POINT:
            return np.linalg.norm(p)
        case k.SEGMENT:
            return max(rho, abs(p[2]) - a)
        case k.BOX:
            return max(0.0, *(np.abs(p) - (a, b, c)))
        case k.CYLINDER:
            return max(0.0, rho - a, abs(p[2]) - b)
        case k.CONE:
            return max(0.0, -p[2], ((rho - a) * b + p[2] * a) / np.hypot(a, b))
        case k.ELLIPSOID:
            return 0.0  # its parallel surface has no such form; the planes hold it
    return max(0.0, (ConvexHull(shape.vertices).equations @ [*p, 1.0]).max())


def coal_shape(shape):
    """The same shape in coal; a cone's frame is at half its height there."""
    import coal

    a, b, c, _ = shape.size
    match shape.kind:
        case k.POINT:
            return coal.Sphere(shape.radius)
        case k.SEGMENT:
            return coal.Capsule(shape.radius, 2 * a)
        case k.BOX:
            return coal.Box(2 * a, 2 * b, 2 * c)
        case k.CYLINDER:
            return coal.Cylinder(a, 2 * b)
        case k.CONE:
            return coal.Cone(a, b)
        case k.ELLIPSOID:
            return coal.Ellipsoid(a, b, c)
    points, faces = coal.StdVec_Vec3s(), coal.StdVec_Triangle()
    for point in shape.vertices:
        points.append(point)
    hull = ConvexHull(shape.vertices)
    for face, plane in zip(hull.simplices, hull.equations, strict=True):
        p, q, r = shape.vertices[face]
        i, j, l = (int(x) for x in (face if np.cross(q - p, r - p) @ plane[:3] > 0 else face[::-1]))
        faces.append(coal.Triangle(i, j, l))
    return coal.Convex(points, faces)


def coal_pose(shape, pose):
    """The same pose in coal."""
    import coal

    x, R = pose[:3], pose[3:].reshape(3, 3)
    return coal.Transform3s(R, x + (0.5 * shape.size[1] * R[:, 2] if shape.kind == k.CONE else 0.0))


def coal_distance(pairs, i, tolerance=1e-12):
    """Distance, normal from a to b and both points, as coal has them; None where it finds an overlap."""
    import coal

    shapes = pairs.a[i], pairs.b[i]
    poses = [coal_pose(*one) for one in zip(shapes, pairs.poses[i], strict=True)]
    request, result = coal.DistanceRequest(), coal.DistanceResult()
    request.gjk_tolerance, request.gjk_max_iterations = tolerance, 1000
    coal.distance(coal_shape(shapes[0]), poses[0], coal_shape(shapes[1]), poses[1], request, result)
    if result.min_distance <= 0.0:
        return None
    return np.array([result.min_distance, *result.normal, *result.getNearestPoint1(), *result.getNearestPoint2()])


def fcl_distance(pairs, i):
    """Distance and both points as FCL has them, by its own GJK; None of overlaps and of hulls."""
    import fcl

    objects = []
    for shape, pose in zip((pairs.a[i], pairs.b[i]), pairs.poses[i], strict=True):
        (a, b, c, _), x, R = shape.size, pose[:3], pose[3:].reshape(3, 3)
        match shape.kind:
            case k.POINT:
                made = fcl.Sphere(shape.radius)
            case k.SEGMENT:
                made = fcl.Capsule(shape.radius, 2 * a)
            case k.BOX:
                made = fcl.Box(2 * a, 2 * b, 2 * c)
            case k.CYLINDER:
                made = fcl.Cylinder(a, 2 * b)
            case k.CONE:
                made, x = fcl.Cone(a, b), x + 0.5 * b * R[:, 2]
            case k.ELLIPSOID:
                made = fcl.Ellipsoid(a, b, c)
            case _:
                return None
        objects.append(fcl.CollisionObject(made, fcl.Transform(R, x)))
    request = fcl.DistanceRequest(enable_nearest_points=True, gjk_solver_type=fcl.GJKSolverType.GST_INDEP)
    result = fcl.DistanceResult()
    distance = fcl.distance(*objects, request, result)
    return None if distance <= 0.0 else np.array([distance, *np.ravel(result.nearest_points)])


def compare(count, seed, sizes, apart, with_fcl=False):
    """Largest errors for each pair of kinds: of the proof, against coal in gap, normal and points, against Clarabel in
    gaps that coal has not to 1e-9; how many pairs are apart, and how many gaps coal, Clarabel and FCL have to 1e-9."""
    rng, table = np.random.default_rng(seed), {}
    for first in KINDS:
        for second in KINDS:
            pairs = random_pairs(rng, first, second, count, sizes, apart)
            worst, counts = np.zeros(5), np.zeros(4, dtype=int)
            for i in np.flatnonzero((pairs.found[:, 10] > 0.0) & (pairs.found[:, 0] > 0.0)):
                gap, off = pairs.found[i, 0], [0.0, 0.0, 0.0, np.inf]
                theirs, also = coal_distance(pairs, i), fcl_distance(pairs, i) if with_fcl else None
                if theirs is not None:
                    by = np.abs(pairs.found[i, :10] - theirs)
                    off = [by[0], by[1:4].max(), by[4:].max(), by[0]]
                if off[3] >= 1e-9:
                    off[3] = conic_error(pairs, i)
                    counts += [0, 0, off[3] < 1e-9, 0]
                else:
                    counts[1], off[3] = counts[1] + 1, 0.0
                worst = np.maximum(worst, [proof(pairs, i), *off])
                counts += [1, 0, 0, also is not None and abs(gap - also[0]) < 1e-9]
            table[first, second] = (*worst, *counts)
    return table


def conic_error(pairs, i):
    """How far a gap is from Clarabel's bounds from below and above, at most."""
    from conic_distances import conic_distance, image

    low, high, _ = conic_distance(image(pairs.a[i], pairs.poses[i, 0]), image(pairs.b[i], pairs.poses[i, 1]))
    return max(abs(low - pairs.found[i, 0]), abs(high - pairs.found[i, 0]))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sizes", type=float, nargs=2, default=(0.1, 1.0))
    parser.add_argument("--apart", type=float, nargs=2, default=(0.0, 1.5))
    parser.add_argument("--fcl", action="store_true", help="against FCL (python-fcl), too")
    given = parser.parse_args()
    each = -(-given.count // len(KINDS) ** 2)
    print(
        "pair                    proof      gap   normal   points Clarabel    pairs    1e-9 by coal, else Clarabel; FCL"
    )
    found = compare(each, given.seed, given.sizes, given.apart, given.fcl)
    for (a, b), row in found.items():
        print(f"{a + ' ' + b:20}" + "".join(f"{x:9.1e}" for x in row[:5]) + "".join(f"{n:9}" for n in row[5:]))
    for label, curved in (("flat", False), ("curved", True)):
        rows = np.array([row for names, row in found.items() if bool(CURVED & {*names}) == curved])
        errors, counts = rows[:, :5].max(axis=0), rows[:, 5:].sum(axis=0).astype(int)
        print(f"{label:20}" + "".join(f"{x:9.1e}" for x in errors) + "".join(f"{n:9}" for n in counts))


if __name__ == "__main__":
    main()
