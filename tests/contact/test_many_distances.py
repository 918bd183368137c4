"""Distances of 1e5 random pairs of all kinds of shapes: every one against another library, to 1e-9 m.

Coal's search along supports is the first judge. It ends early on some curved shapes; Clarabel, which solves a cone
program and knows of no supports, is the judge of those. Either has points and normals of curved shapes to about 1e-5
only; so they are held to the conditions that make points closest, in plain NumPy.
"""

from itertools import combinations
from typing import NamedTuple

import coal
import numpy as np
import pytest
from scipy.optimize import nnls
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from conic_distances import conic_distance, image
from contact_pairs import CURVED, KINDS, coal_pose, coal_shape, random_shape
from spacedyn.contact.shape_table import make_table
from spacedyn.contact.surface_distances import pair_rows
from spacedyn.kernels.geometry import cores as k

ROUNDS, EACH, SIDE = 16, 16, 2.0  # in a round, so many shapes of each kind are in a cube [m], and all pairs of them


class Crowd(NamedTuple):
    """Shapes (n) at poses (n, 12), the pairs of them (m, 2), and the kernels' rows (m, 11) of these."""

    shapes: list
    poses: np.ndarray
    pairs: np.ndarray
    found: np.ndarray

    def of_names(self, names):
        """Which pairs have a shape of one of some names."""
        return np.array([shape.name in names for shape in self.shapes])[self.pairs].any(axis=1)


@pytest.fixture(scope="module")
def crowd():
    rng, each = np.random.default_rng(0), EACH * len(KINDS)
    shapes = [random_shape(rng, kind) for _ in range(ROUNDS) for kind in KINDS for _ in range(EACH)]
    poses = np.empty((len(shapes), 12))
    poses[:, :3] = rng.uniform(-0.5 * SIDE, 0.5 * SIDE, (len(shapes), 3))
    poses[:, 3:] = Rotation.random(len(shapes), random_state=rng).as_matrix().reshape(-1, 9)
    pairs = np.concatenate([first + np.array([*combinations(range(each), 2)]) for first in each * np.arange(ROUNDS)])
    pairs = rng.permuted(pairs, axis=1)
    return Crowd(shapes, poses, pairs, pair_rows(make_table(shapes, np.arange(len(shapes))), pairs, poses[None])[0])


def by_coal(crowd, which):
    """Gap, normal and points (.., 10) of some pairs by coal; zeros or less where it finds an overlap."""
    shapes = [coal_shape(shape) for shape in crowd.shapes]
    poses = [coal_pose(*one) for one in zip(crowd.shapes, crowd.poses, strict=True)]
    request, result, rows = coal.DistanceRequest(), coal.DistanceResult(), np.empty((len(which), 10))
    request.gjk_tolerance, request.gjk_max_iterations = 1e-12, 1000
    for row, (i, j) in zip(rows, crowd.pairs[which], strict=True):
        result.clear()
        coal.distance(shapes[i], poses[i], shapes[j], poses[j], request, result)
        row[0], row[1:4] = result.min_distance, result.normal
        row[4:7], row[7:] = result.getNearestPoint1(), result.getNearestPoint2()
    return rows


def by_clarabel(crowd, which):
    """Bounds of the gap from below and above, and points, of some pairs: (.., 8)."""
    images = [image(*one) for one in zip(crowd.shapes, crowd.poses, strict=True)]
    found = (conic_distance(images[i], images[j]) for i, j in crowd.pairs[which])
    return np.array([[low, high, *points.ravel()] for low, high, points in found])


def test_every_distance_agrees_with_coal_or_with_clarabel(crowd):
    apart = np.flatnonzero((crowd.found[:, 10] > 0.0) & (crowd.found[:, 0] > 0.0))
    ours, coals = crowd.found[apart, :10], by_coal(crowd, apart)
    settled = np.abs(coals[:, 0] - ours[:, 0]) < 1e-9
    rest = apart[~settled]
    conic = by_clarabel(crowd, rest)
    print(f"{len(apart)} pairs apart: {settled.sum()} agree with coal, {len(rest)} more with Clarabel")
    assert len(apart) > 100_000 and settled.sum() > 0.98 * len(apart)
    np.testing.assert_allclose(conic[:, :2] - crowd.found[rest, :1], 0.0, atol=1e-9)
    flat = ~crowd.of_names(CURVED)[apart]
    np.testing.assert_allclose(ours[flat, 4:], coals[flat, 4:], rtol=0, atol=1e-9)
    sharp = flat & ~crowd.of_names({"box"})[apart]  # coal's boxes are wider by 1e-10, which turns normals of small gaps
    np.testing.assert_allclose(ours[sharp], coals[sharp], rtol=0, atol=1e-9)
    np.testing.assert_allclose(ours[settled], coals[settled], rtol=0, atol=1e-4)
    np.testing.assert_allclose(crowd.found[rest, 4:10], conic[:, 2:], rtol=0, atol=1e-4)


def test_clarabel_agrees_in_overlaps_and_without_coal(crowd):
    """Overlaps of balls and capsules with anything: the distance of centre or axis, less the radius."""
    thin = np.array([shape.radius if shape.kind in (k.POINT, k.SEGMENT) else 0.0 for shape in crowd.shapes])
    known = (crowd.found[:, 10] > 0.0) & (crowd.found[:, 0] + thin[crowd.pairs].sum(axis=1) > 0.0)
    overlaps, apart = (np.flatnonzero(known & ((crowd.found[:, 0] > 0.0) == sign)) for sign in (False, True))
    which = np.append(overlaps[::5], apart[::50])
    conic = by_clarabel(crowd, which)
    assert len(which) > 4_000
    np.testing.assert_allclose(conic[:, :2] - crowd.found[which, :1], 0.0, atol=1e-9)
    np.testing.assert_allclose(conic[:, 2:], crowd.found[which, 4:10], rtol=0, atol=1e-4)


# -- points and normals ------------------------------------------------------------------------------------------------


def off_interval(p, half, n):
    """How far p is outside of |p| <= half, and n off a normal there: any number of p's own sign at an end, else 0."""
    at_end = np.abs(p) > half - 1e-9
    off = np.where(at_end, np.maximum(0.0, -np.sign(p) * n), np.abs(n)) * (half > 1e-9)
    return np.maximum(off, np.abs(p) - half)


def off_disc(p, radius, n):
    """The same of a disc |p| <= radius in the plane."""
    rho = np.linalg.norm(p, axis=-1)
    e = p / np.maximum(rho, 1e-30)[..., None]
    out = np.where(rho > radius - 1e-9, np.maximum(0.0, (n * e).sum(axis=-1)), 0.0)
    return np.maximum(np.linalg.norm(n - out[..., None] * e, axis=-1), rho - radius)


def off_cone(p, size, n):
    """The same of a cone: its base is at z = 0, its apex at z = height."""
    (radius, height), (x, y, z) = size[:, :2].T, p.T
    slant, rho = np.hypot(radius, height), np.maximum(np.hypot(x, y), 1e-30)
    out, up = height / slant, radius / slant  # normal of its side, seen in the plane of p and the axis
    along, square = (n[:, 0] * x + n[:, 1] * y) / rho, (n[:, 1] * x - n[:, 0] * y) / rho
    down = along * up / out - n[:, 2]  # n = (along / out) (out, up) + down (0, -1), and what is square to the plane
    at_apex = np.maximum(0.0, np.hypot(along, square) * up - n[:, 2] * out)
    at_rim = np.abs(square) + np.maximum(0.0, -along) + np.maximum(0.0, -down)
    on_side = np.abs(square) + np.hypot(along - out, n[:, 2] - up)
    on_base = np.linalg.norm(n - [0.0, 0.0, -1.0], axis=1)
    low, above = z < 1e-9, (rho - radius) * out + z * up  # above its side
    off = np.select(
        [height - z < 1e-9, low & (above > -1e-9), above > -1e-9, low], [at_apex, at_rim, on_side, on_base], 1.0
    )
    return np.max([off, -z, above], axis=0)


def off_ellipsoid(p, axes, n):
    """The same of an ellipsoid."""
    slope = p / axes**2
    normal = slope / np.linalg.norm(slope, axis=1)[:, None]
    return np.maximum(np.linalg.norm(normal - n, axis=1), np.abs(np.linalg.norm(p / axes, axis=1) - 1.0))


def off_hulls(shapes, p, n):
    """The same of hulls, whose normals are the cone of those of the faces that p is on."""
    planes = {id(shape): ConvexHull(shape.vertices).equations for shape in {id(one): one for one in shapes}.values()}
    off = np.empty(len(p))
    for i, shape in enumerate(shapes):
        faces = planes[id(shape)]
        above = faces @ [*p[i], 1.0]
        off[i] = max(nnls(faces[np.abs(above) < 1e-9, :3].T, n[i])[1], above.max())
    return off


def off_normals(shapes, p, n):
    """How far points p are outside of shapes of one kind, and n from outward normals there; in the shapes' own axes."""
    size = np.array([shape.size for shape in shapes])
    match shapes[0].kind:
        case k.POINT:
            return np.linalg.norm(p, axis=1)
        case k.SEGMENT:
            return np.maximum(off_interval(p[:, 2], size[:, 0], n[:, 2]), np.hypot(p[:, 0], p[:, 1]))
        case k.BOX:
            return off_interval(p, size[:, :3], n).max(axis=1)
        case k.CYLINDER:
            around = off_disc(p[:, :2], size[:, 0], n[:, :2])
            return np.maximum(around, off_interval(p[:, 2], size[:, 1], n[:, 2]))
        case k.CONE:
            return off_cone(p, size, n)
        case k.ELLIPSOID:
            return off_ellipsoid(p, size[:, :3], n)
    return off_hulls(shapes, p, n)


def core_points(crowd, which, side):
    """Closest points and outward normals of one side of some pairs, on its shapes' cores and in their axes."""
    of, row, sign = crowd.pairs[which, side], crowd.found[which], (1.0, -1.0)[side]
    shapes, R = [crowd.shapes[i] for i in of], crowd.poses[of, 3:].reshape(-1, 3, 3)
    radius = np.array([0.0 if shape.kind == k.ELLIPSOID else shape.radius for shape in shapes])
    n = sign * row[:, 1:4]
    p = row[:, 4 + 3 * side : 7 + 3 * side] - radius[:, None] * n - crowd.poses[of, :3]
    return shapes, *(np.einsum("nij,ni->nj", R, vector) for vector in (p, n))


@pytest.mark.parametrize("kind", KINDS)
def test_every_normal_is_one_of_both_shapes_at_their_closest_points(crowd, kind):
    """With both points the gap apart along the normal, this makes them closest; it is of first order in errors."""
    named = np.array([shape.name == kind for shape in crowd.shapes])
    for side in (0, 1):
        which = np.flatnonzero((crowd.found[:, 10] > 0.0) & named[crowd.pairs[:, side]])
        row = crowd.found[which]
        np.testing.assert_allclose(row[:, 7:10] - row[:, 4:7] - row[:, :1] * row[:, 1:4], 0.0, atol=1e-14)
        off = off_normals(*core_points(crowd, which, side))
        assert len(off) > 10_000 and off.max() < 1e-10
