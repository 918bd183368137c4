"""Height fields on a grid: gap and its gradient at a point, by bilinear or by smooth (bicubic) interpolation.

    bilinear:  gap = z - h(x, y),   gradient (-h_x, -h_y, 1)
    smooth:    gap = distance to the nearest point of z = h(x, y), a C2 spline;   gradient = the unit normal there

The spline is sum c_ij B(u - i) B(v - j) of uniform cubic B-splines with natural ends, and goes on linearly beyond the
grid. The nearest point solves (x - px) + (h - pz) h_x = 0 and the same for y, by Newton's method from the point below.
That has one root while |h - pz| is less than the least radius of curvature; so the point counts as nearer than
`REACH`, half of that radius, and farther away the gap goes over to (z - h) / sqrt(1 + h_x^2 + h_y^2), which has the
same sign everywhere.
"""

from ..scalar.compiling import inner
from ..scalar.memory import load, shared, shared_at
from ..scalar.pack import magnitude, round_down, select, somewhere, sqrt

# its numbers: the first corner, cells per metre along x and y, points along x and y, see above, whether it is smooth
CORNER_X, CORNER_Y, PER_X, PER_Y, POINTS_X, POINTS_Y, REACH, SMOOTH, TABLE = range(9)
NEWTON_STEPS = 4


@inner
def cell_of(u, points, zero):
    """Within the grid: coordinate, cell and place within it; beyond the grid the nearest."""
    inside = select(u > 0.0, u, zero)  # NaN counts as the first point
    inside = select(inside < points - 1.0, inside, zero + (points - 1.0))
    cell = round_down(inside)
    cell = select(cell < points - 2.0, cell, zero + (points - 2.0))
    return inside, cell, inside - cell


@inner
def weights(t):
    """B-splines of four neighbours at t of a cell."""
    s = 1.0 - t
    return (
        s * s * s / 6.0,
        (4.0 - 6.0 * t * t + 3.0 * t * t * t) / 6.0,
        (4.0 - 6.0 * s * s + 3.0 * s * s * s) / 6.0,
        t * t * t / 6.0,
    )


@inner
def slopes(t):
    """Their first derivatives."""
    s = 1.0 - t
    return -0.5 * s * s, -2.0 * t + 1.5 * t * t, 2.0 * s - 1.5 * s * s, 0.5 * t * t


@inner
def bends(t):
    """Their second derivatives."""
    return 1.0 - t, -2.0 + 3.0 * t, 1.0 - 3.0 * t, t


@inner
def weigh4(w, c):
    return w[0] * c[0] + w[1] * c[1] + w[2] * c[2] + w[3] * c[3]


@inner
def extended(w, d, beyond):
    """Weights beyond the grid, where a spline goes on linearly."""
    return w[0] + beyond * d[0], w[1] + beyond * d[1], w[2] + beyond * d[2], w[3] + beyond * d[3]


@inner
def row_of(numbers, at, first, zero):
    """Four neighbours along y."""
    return (
        shared_at(numbers, at, first, zero),
        shared_at(numbers, at + 1, first, zero),
        shared_at(numbers, at + 2, first, zero),
        shared_at(numbers, at + 3, first, zero),
    )


@inner
def spline(numbers, at, x, y, zero):
    """h, h_x, h_y, h_xx, h_xy, h_yy of the smooth field."""
    px, py = shared(numbers, at + PER_X, zero), shared(numbers, at + PER_Y, zero)
    u = (x - shared(numbers, at + CORNER_X, zero)) * px
    v = (y - shared(numbers, at + CORNER_Y, zero)) * py
    many = load(numbers, at + POINTS_Y, 0.0)
    iu, cu, tu = cell_of(u, load(numbers, at + POINTS_X, 0.0), zero)
    iv, cv, tv = cell_of(v, many, zero)
    stride = int(many) + 2
    first, table = cu * (many + 2.0) + cv, at + TABLE
    c0, c1 = row_of(numbers, table, first, zero), row_of(numbers, table + stride, first, zero)
    c2, c3 = row_of(numbers, table + 2 * stride, first, zero), row_of(numbers, table + 3 * stride, first, zero)
    dv, ddv, du, ddu = slopes(tv), bends(tv), slopes(tu), bends(tu)
    wv, wu = extended(weights(tv), dv, v - iv), extended(weights(tu), du, u - iu)
    along = weigh4(wv, c0), weigh4(wv, c1), weigh4(wv, c2), weigh4(wv, c3)
    slope = weigh4(dv, c0), weigh4(dv, c1), weigh4(dv, c2), weigh4(dv, c3)
    bend = weigh4(ddv, c0), weigh4(ddv, c1), weigh4(ddv, c2), weigh4(ddv, c3)
    return (
        weigh4(wu, along),
        px * weigh4(du, along),
        py * weigh4(wu, slope),
        px * px * weigh4(ddu, along),
        px * py * weigh4(du, slope),
        py * py * weigh4(wu, bend),
    )


@inner
def smooth_gap(numbers, at, p, zero):
    """Distance to the nearest point of the spline, and the normal there."""
    H = spline(numbers, at, p[0], p[1], zero)
    d, reach = p[2] - H[0], shared(numbers, at + REACH, zero)
    scale = 1.0 / sqrt(1.0 + H[1] * H[1] + H[2] * H[2])
    nearness = 2.0 - 2.0 * magnitude(d) / reach
    nearness = select(nearness < 1.0, nearness, zero + 1.0)
    nearness = select(nearness > 0.0, nearness, zero)
    gap, n = d * scale, (-H[1] * scale, -H[2] * scale, scale)
    if somewhere(nearness > 0.0):
        x, y, z = p[0], p[1], select(nearness > 0.0, p[2], H[0])
        for _ in range(NEWTON_STEPS):
            e = H[0] - z
            fx, fy = x - p[0] + e * H[1], y - p[1] + e * H[2]
            a, b, c = 1.0 + H[1] * H[1] + e * H[3], H[1] * H[2] + e * H[4], 1.0 + H[2] * H[2] + e * H[5]
            scale = 1.0 / (a * c - b * b)
            x, y = x - scale * (c * fx - b * fy), y - scale * (a * fy - b * fx)
            H = spline(numbers, at, x, y, zero)
        scale = 1.0 / sqrt(1.0 + H[1] * H[1] + H[2] * H[2])
        there = -H[1] * scale, -H[2] * scale, scale
        near = there[0] * (p[0] - x) + there[1] * (p[1] - y) + there[2] * (z - H[0])
        is_near = nearness > 0.0
        gap = gap + select(is_near, nearness * (near - gap), zero)
        n = (
            select(is_near, there[0], n[0]),
            select(is_near, there[1], n[1]),
            select(is_near, there[2], n[2]),
        )
    return gap, n[0], n[1], n[2]


@inner
def bilinear_gap(numbers, at, p, zero):
    """Height above the field, and its gradient."""
    px, py = shared(numbers, at + PER_X, zero), shared(numbers, at + PER_Y, zero)
    u = (p[0] - shared(numbers, at + CORNER_X, zero)) * px
    v = (p[1] - shared(numbers, at + CORNER_Y, zero)) * py
    many, table = load(numbers, at + POINTS_Y, 0.0), at + TABLE
    _, cu, _ = cell_of(u, load(numbers, at + POINTS_X, 0.0), zero)
    _, cv, _ = cell_of(v, many, zero)
    tu, tv, first, stride = u - cu, v - cv, cu * many + cv, int(many)
    a, b = shared_at(numbers, table, first, zero), shared_at(numbers, table + 1, first, zero)
    c = shared_at(numbers, table + stride, first, zero)
    d = shared_at(numbers, table + stride + 1, first, zero)
    twist = a - b - c + d
    gap = p[2] - (a + (c - a) * tu + (b - a) * tv + twist * tu * tv)
    return gap, -px * ((c - a) + twist * tv), -py * ((b - a) + twist * tu), zero + 1.0


@inner
def height_gap(numbers, at, p, zero):
    """Gap and its gradient."""
    if load(numbers, at + SMOOTH, 0.0) > 0.0:
        return smooth_gap(numbers, at, p, zero)
    return bilinear_gap(numbers, at, p, zero)
