"""The point of a core that is closest to a given one outside of it, and the derivative of that map.

P(x) is piecewise smooth and its derivative J symmetric with eigenvalues between 0 and 1: 1 along flat faces and edges,
R/ρ along a rim, 0 where P stays. J is (xx, yy, zz, xy, xz, yz). Over any scalar, in the core's own frame.
"""

from ..scalar.compiling import inner, outlined
from ..scalar.pack import magnitude, select, sqrt
from .cores import BOX, CONE, CYLINDER, ELLIPSOID, HULL, SEGMENT
from .ellipsoids import closest_on_ellipsoid, inverse


@inner
def clamped(x, limit, zero):
    """x between -limit and limit, and 1 where it was, else 0."""
    inside = magnitude(x) < limit
    return select(inside, x, select(x > 0.0, limit + zero, -limit + zero)), select(inside, 1.0 + zero, zero)


@inner
def project_revolved(p, rho, q, J, zero):
    """Point and derivative of a solid about z, from (radius, z) of the point and the derivative in that plane."""
    safe = select(rho > 0.0, rho, 1.0 + zero)
    ex, ey = select(rho > 0.0, p[0] / safe, 1.0 + zero), p[1] / safe
    jr, jz, jrz = J
    jt = select(rho > 0.0, q[0] / safe, jr)
    d = jr - jt
    return (
        (q[0] * ex, q[0] * ey, q[1]),
        (jt + d * ex * ex, jt + d * ey * ey, jz, d * ex * ey, jrz * ex, jrz * ey),
    )


@inner
def project_cylinder(radius, half, p, zero):
    """Onto a cylinder or a disc."""
    rho = sqrt(p[0] * p[0] + p[1] * p[1])
    outside = rho > radius
    z, jz = clamped(p[2], half, zero)
    return project_revolved(
        p, rho, (select(outside, radius + zero, rho), z), (select(outside, zero, 1.0 + zero), jz, zero), zero
    )


@inner
def project_cone(radius, height, p, zero):
    """Onto a cone on the xy plane."""
    rho = sqrt(p[0] * p[0] + p[1] * p[1])
    z = p[2]
    square = radius * radius + height * height
    below, beside = z < 0.0, (rho - radius) * height + z * radius > 0.0
    s = ((radius - rho) * radius + z * height) / square  # along the side, from the rim to the tip
    free = select(s > 0.0, select(s < 1.0, 1.0 + zero, zero), zero)
    s = select(s > 0.0, select(s < 1.0, s, 1.0 + zero), zero)
    on_base = select(rho > radius, radius + zero, rho)
    q = (
        select(below, on_base, select(beside, radius * (1.0 - s), rho)),
        select(below, zero, select(beside, height * s, z)),
    )
    flat = select(rho > radius, zero, 1.0 + zero)
    jr = select(below, flat, select(beside, free * radius * radius / square, 1.0 + zero))
    jz = select(below, zero, select(beside, free * height * height / square, 1.0 + zero))
    jrz = select(below, zero, select(beside, -free * radius * height / square, zero))
    return project_revolved(p, rho, q, (jr, jz, jrz), zero)


@inner
def project_ellipsoid(a, b, c, shrunk, p, zero):
    """Onto an ellipsoid's inner parallel surface: s - r n, with d s = (D - w w'/(m.w)) d x, w = s/(a² + t)."""
    s, t, m = closest_on_ellipsoid(a + zero, b + zero, c + zero, p)
    length = sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]) + 1e-300  # zero at the centre
    k = shrunk / length
    p0, p1, p2 = inverse(a, t), inverse(b, t), inverse(c, t)
    w0, w1, w2 = s[0] * p0, s[1] * p1, s[2] * p2
    scale = 1.0 / (m[0] * w0 + m[1] * w1 + m[2] * w2 + 1e-300)
    # G = 1 - k (1 - n n') diag(1/a²): how the parallel surface follows; J = G ds/dx is symmetric
    n0, n1, n2 = m[0] / length, m[1] / length, m[2] / length
    A, B, C = k / (a * a), k / (b * b), k / (c * c)
    xx, yy, zz = a * a * p0 - scale * w0 * w0, b * b * p1 - scale * w1 * w1, c * c * p2 - scale * w2 * w2
    xy, xz, yz = -scale * w0 * w1, -scale * w0 * w2, -scale * w1 * w2
    hx = n0 * A * xx + n1 * B * xy + n2 * C * xz  # n' diag(k/a²) ds/dx
    hy = n0 * A * xy + n1 * B * yy + n2 * C * yz
    hz = n0 * A * xz + n1 * B * yz + n2 * C * zz
    J = (
        xx - A * xx + n0 * hx,
        yy - B * yy + n1 * hy,
        zz - C * zz + n2 * hz,
        xy - A * xy + n0 * hy,
        xz - A * xz + n0 * hz,
        yz - B * yz + n1 * hz,
    )
    return (s[0] - k * m[0], s[1] - k * m[1], s[2] - k * m[2]), J


@inner
def project_face(face, p):
    """Onto the point, line or plane of a hull's feature: a point of it and two unit vectors, zero where it has none."""
    x, y, z = p[0] - face[0], p[1] - face[1], p[2] - face[2]
    u, v = (face[3], face[4], face[5]), (face[6], face[7], face[8])
    s, t = x * u[0] + y * u[1] + z * u[2], x * v[0] + y * v[1] + z * v[2]
    J = (
        u[0] * u[0] + v[0] * v[0],
        u[1] * u[1] + v[1] * v[1],
        u[2] * u[2] + v[2] * v[2],
        u[0] * u[1] + v[0] * v[1],
        u[0] * u[2] + v[0] * v[2],
        u[1] * u[2] + v[1] * v[2],
    )
    return (
        (face[0] + s * u[0] + t * v[0], face[1] + s * u[1] + t * v[1], face[2] + s * u[2] + t * v[2]),
        J,
    )


@outlined
def project(kind, size, face, p, zero):
    """The point of a core closest to p, and the derivative; of a hull, of the feature `face` (nine scalars)."""
    if kind == BOX:
        x, jx = clamped(p[0], size[0], zero)
        y, jy = clamped(p[1], size[1], zero)
        z, jz = clamped(p[2], size[2], zero)
        return (x, y, z), (jx, jy, jz, zero, zero, zero)
    if kind == SEGMENT:
        z, jz = clamped(p[2], size[0], zero)
        return (zero, zero, z), (zero, zero, jz, zero, zero, zero)
    if kind == CYLINDER:
        return project_cylinder(size[0], size[1], p, zero)
    if kind == CONE:
        return project_cone(size[0], size[1], p, zero)
    if kind == ELLIPSOID:
        return project_ellipsoid(size[0], size[1], size[2], size[3], p, zero)
    if kind == HULL:
        return project_face(face, p)
    return (zero, zero, zero), (zero, zero, zero, zero, zero, zero)
