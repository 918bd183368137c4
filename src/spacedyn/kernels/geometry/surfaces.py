"""Surfaces that points touch: the gap of a point, which is negative inside, and its gradient.

    plane      gap = z                      sphere   gap = |p| - R, or R - |p| of a hollow one
    ellipsoid  distance to the nearest point x_i = a_i^2 p_i / (t + a_i^2), where sum (x_i / a_i)^2 = 1
    height field: height_grid.py; triangle mesh: triangles.py

All in the surface's own frame. The gradient is the outward unit normal where the gap is a distance, which it is but for
bilinear height fields; a force F(gap) times the gradient has a potential in any case. The largest t that solves the
equation of the ellipsoid is found by Newton's method on 1 / sqrt(sum) = 1 (nearly linear in t; More & Sorensen 1983),
from below, where it converges from one side. Over duals the last step alone has tangents, which then are exact.
"""

from ..scalar.compiling import entry, inner
from ..scalar.memory import gather, lanes_of, pointer, scatter, shared, zero_of
from ..scalar.pack import magnitude, select, somewhere, sqrt, value_of
from .height_grid import height_gap
from .triangles import mesh_gap

PLANE, SPHERE, ELLIPSOID, HEIGHTS, MESH = range(5)
RADIUS, HOLLOW = range(2)  # numbers of a sphere: the second is -1 of a hollow one
MOST_STEPS, TINY = 40, 1e-300


@inner
def sphere_gap(numbers, at, p, zero):
    """Of a full or a hollow sphere; at the centre, where every point is nearest, the gradient is along z."""
    square = p[0] * p[0] + p[1] * p[1] + p[2] * p[2]
    off, side = square > TINY, shared(numbers, at + HOLLOW, zero)
    r = sqrt(select(off, square, zero + TINY))
    inverse, gap = side / r, side * (r - shared(numbers, at + RADIUS, zero))
    return gap, inverse * p[0], inverse * p[1], select(off, inverse * p[2], zero + 1.0)


@inner
def divisor(t, square, zero):
    """t + a^2, kept from zero at the centre."""
    value = t + square
    return select(value > TINY, value, zero + TINY)


@inner
def sums(t, p, A, zero):
    """sum (a p / (t + a^2))^2 and sum a^2 p^2 / (t + a^2)^3."""
    d = 1.0 / divisor(t, A[0], zero), 1.0 / divisor(t, A[1], zero), 1.0 / divisor(t, A[2], zero)
    x, y, z = p[0] * d[0], p[1] * d[1], p[2] * d[2]
    x, y, z = A[0] * x * x, A[1] * y * y, A[2] * z * z
    return x + y + z, x * d[0] + y * d[1] + z * d[2]


@inner
def corrected(t, p, A, zero):
    """One step of Newton's method for t."""
    S, Q = sums(t, p, A, zero)
    return t + S * (sqrt(S) - 1.0) / select(Q > TINY, Q, zero + TINY)


@inner
def off_plane(p, a, zero):
    """A coordinate that is not zero, so that the nearest point is one, and not a ring: by 1e-13 of the semi-axis."""
    return p + select(magnitude(p) < 1e-13 * a, zero + 1e-13 * a, zero)


@inner
def ellipsoid_gap(numbers, at, p, zero):
    """Distance to the nearest point of an ellipsoid."""
    none = value_of(zero)
    a, b, c = shared(numbers, at, none), shared(numbers, at + 1, none), shared(numbers, at + 2, none)
    p = off_plane(p[0], a, zero), off_plane(p[1], b, zero), off_plane(p[2], c, zero)
    A, v = (a * a, b * b, c * c), (value_of(p[0]), value_of(p[1]), value_of(p[2]))
    # one term of the sum is 1 here, the others are positive: t is on the side from which Newton's method converges
    t, y, z = a * magnitude(v[0]) - A[0], b * magnitude(v[1]) - A[1], c * magnitude(v[2]) - A[2]
    t = select(y > t, y, t)
    t = select(z > t, z, t)
    for _ in range(MOST_STEPS):
        before = t
        t = corrected(t, v, A, none)
        if not somewhere(magnitude(t - before) > 1e-15 * (A[0] + magnitude(t))):
            break
    s = corrected(zero + t, p, A, zero)
    n = p[0] / divisor(s, A[0], zero), p[1] / divisor(s, A[1], zero), p[2] / divisor(s, A[2], zero)
    square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2]
    size = sqrt(square)
    inverse = 1.0 / select(square > 0.0, size, zero + 1.0)
    return s * size, inverse * n[0], inverse * n[1], inverse * n[2]


@inner
def surface_gap(numbers, at, kind, p, zero):
    """Gap of the point p (3) to a surface whose numbers start at `at`, and its gradient: four scalars, its axes."""
    if kind == PLANE:
        return zero + p[2], zero, zero, zero + 1.0
    if kind == SPHERE:
        return sphere_gap(numbers, at, p, zero)
    if kind == ELLIPSOID:
        return ellipsoid_gap(numbers, at, p, zero)
    if kind == MESH:
        return mesh_gap(numbers, at, p, zero)
    return height_gap(numbers, at, p, zero)


@entry
def surface_gaps(kind, numbers, points, count, out, scalar):
    """Gaps and gradients (count, 4) of points (count, 3)."""
    numbers, points, out, zero = pointer(numbers), pointer(points), pointer(out), zero_of(scalar)
    for row in range(0, count, lanes_of(zero)):
        p = (
            gather(points, 3, row, count - 1, 0, zero),
            gather(points, 3, row, count - 1, 1, zero),
            gather(points, 3, row, count - 1, 2, zero),
        )
        found = surface_gap(numbers, 0, kind, p, zero)
        scatter(out, 4, row, count - 1, 0, found[0])
        scatter(out, 4, row, count - 1, 1, found[1])
        scatter(out, 4, row, count - 1, 2, found[2])
        scatter(out, 4, row, count - 1, 3, found[3])
