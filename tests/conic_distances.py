"""The distance of two convex shapes as a second-order cone program, solved by Clarabel.

Every shape is what an affine map x + G w makes of simple w: |w| <= 1 of an ellipsoid, and so on.
Least t with |x_a + G_a w_a - x_b - G_b w_b| <= t is the distance. An interior-point method finds it, no search along
supports: it knows no simplex, and curved shapes are no harder than flat ones.
"""

from typing import NamedTuple

import clarabel
import numpy as np
from scipy import sparse
from scipy.spatial import ConvexHull

from spacedyn.kernels.geometry import cores as k


class Image(NamedTuple):
    """A shape's core in inertial axes, x + G w, and what its w obey: b - A w is in a product of cones."""

    x: np.ndarray
    G: np.ndarray
    A: np.ndarray
    b: np.ndarray
    cones: list
    radius: float  # what the core leaves of the shape


def image(shape, pose):
    """A shape at a pose (12): place, then rotation by rows. An ellipsoid is taken whole, without a core."""
    G, A, b, cones = local_image(shape)
    x, R = pose[:3], pose[3:].reshape(3, 3)
    return Image(x, R @ G, A, b, cones, 0.0 if shape.kind == k.ELLIPSOID else shape.radius)


def local_image(shape):
    a, b, c, _ = shape.size
    ball, between = clarabel.SecondOrderConeT, clarabel.NonnegativeConeT
    match shape.kind:
        case k.POINT:
            return np.zeros((3, 0)), np.zeros((0, 0)), np.zeros(0), []
        case k.SEGMENT:
            return np.array([[0.0], [0.0], [a]]), np.array([[1.0], [-1.0]]), np.ones(2), [between(2)]
        case k.BOX:
            return np.diag([a, b, c]), np.vstack([np.eye(3), -np.eye(3)]), np.ones(6), [between(6)]
        case k.CYLINDER:  # |w_z| <= 1, |w_xy| <= 1
            A = np.array([[0, 0, 1], [0, 0, -1], [0, 0, 0], [-1, 0, 0], [0, -1, 0]], dtype=float)
            return np.diag([a, a, b]), A, np.array([1.0, 1.0, 1.0, 0.0, 0.0]), [between(2), ball(3)]
        case k.CONE:  # w_z >= 0, |w_xy| <= 1 - w_z
            A = np.array([[0, 0, -1], [0, 0, 1], [-1, 0, 0], [0, -1, 0]], dtype=float)
            return np.diag([a, a, b]), A, np.array([0.0, 1.0, 0.0, 0.0]), [between(1), ball(3)]
        case k.ELLIPSOID:
            return np.diag([a, b, c]), np.vstack([np.zeros(3), -np.eye(3)]), np.array([1.0, 0, 0, 0]), [ball(4)]
    planes = ConvexHull(shape.vertices).equations
    return np.eye(3), planes[:, :3], -planes[:, 3], [between(len(planes))]


def precise_settings(tolerance):
    """Its defaults end at 1e-8; to go on to 1e-11, its linear systems are disturbed less, and refined to rounding."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    settings.static_regularization_constant = 1e-10
    settings.iterative_refinement_reltol = settings.iterative_refinement_abstol = 1e-16
    settings.iterative_refinement_max_iter = 50
    return settings


def conic_distance(one, two, tolerance=1e-14):
    """Bounds of the distance of two images from below and above, and their closest points (2, 3)."""
    m, n = one.G.shape[1], two.G.shape[1]
    apart = np.zeros((4, 1 + m + n))  # t and the vector between both points
    apart[0, 0], apart[1:, 1 : 1 + m], apart[1:, 1 + m :] = -1.0, -one.G, two.G
    A = sparse.block_diag([sparse.csc_matrix((0, 1)), one.A, two.A], format="csc")
    A = sparse.vstack([A, apart], format="csc")
    b = np.concatenate([one.b, two.b, [0.0], one.x - two.x])
    cones = [*one.cones, *two.cones, clarabel.SecondOrderConeT(4)]
    settings = precise_settings(tolerance)
    least = np.append(1.0, np.zeros(m + n))
    found = clarabel.DefaultSolver(sparse.csc_matrix((1 + m + n,) * 2), least, A, b, cones, settings).solve()
    w, radii = np.array(found.x)[1:], one.radius + two.radius
    x, y = one.x + one.G @ w[:m], two.x + two.G @ w[m:]
    normal = (y - x) / np.linalg.norm(y - x)
    points = np.array([x + one.radius * normal, y - two.radius * normal])
    return found.obj_val_dual - radii, found.obj_val - radii, points
