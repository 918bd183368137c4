"""The point closest to the origin of a simplex of up to four points, with its weights.

All faces that contain the newest point are tried; of those into which the origin projects, the nearest counts. A
degenerate face is left out: one of its edges is as near. Weights are ratios of signed areas, from the points
themselves (Montanari, Petrinic & Barbieri 2017, section 4), so that a flat tetrahedron gives no wrong direction.

A simplex is in float64 memory: rows of 9 numbers (y = a - b; a in the frame of A; b in the frame of B), then weights.
"""

from ..scalar.compiling import inner, outlined
from ..scalar.memory import load, store
from ..scalar.vectors import cross, dot3, load3, scale3, store3, sub3

ROW, WEIGHTS, SIMPLEX = 9, 36, 40


@inner
def copy_row(S, i, T, j):
    for k in range(ROW):
        store(T, j * ROW + k, load(S, i * ROW + k, 0.0))


@inner
def closest_on_edge(p, q):
    """Weight of q, and whether the origin projects into the edge."""
    e = sub3(q, p)
    length = dot3(e, e)
    w = -dot3(p, e)
    return (w / length if length > 0.0 else 0.0), 0.0 < w < length


@inner
def closest_on_face(p, q, r):
    """Weights of the three, the closest point, and whether the origin projects into the triangle."""
    e, f = sub3(q, p), sub3(r, p)
    n = cross(e, f)
    area = dot3(n, n)
    if not area > 1e-28 * dot3(e, e) * dot3(f, f):
        return 0.0, 0.0, 0.0, p, False
    u, v, w = dot3(cross(q, r), n), dot3(cross(r, p), n), dot3(cross(p, q), n)
    total = u + v + w  # = area, but for rounding
    if not (u > 0.0 and v > 0.0 and w > 0.0):
        return 0.0, 0.0, 0.0, p, False
    u, v, w = u / total, v / total, w / total
    return u, v, w, scale3((u * dot3(p, n) + v * dot3(q, n) + w * dot3(r, n)) / area, n), True


@inner
def is_inside(p, q, r, s):
    """Whether a tetrahedron has the origin inside."""
    a, b = dot3(p, cross(q, r)), -dot3(p, cross(q, s))
    c, d = dot3(p, cross(r, s)), -dot3(q, cross(r, s))
    # the volume is -(a + b + c + d); inside, all four parts have its sign
    return (a > 0.0 and b > 0.0 and c > 0.0 and d > 0.0) or (a < 0.0 and b < 0.0 and c < 0.0 and d < 0.0)


@outlined
def closest_on_simplex(S, m, T):
    """Reduce the m points in S, the newest last, to those that carry the closest point: into T, with weights.

    Returns their number and the closest point; 4 if the origin is inside.
    """
    new = m - 1
    s = load3(S, new * ROW, 0.0)
    best, v = dot3(s, s), s
    i0, i1, w0, w1, w2, count = -1, -1, 0.0, 0.0, 1.0, 1
    for i in range(new):
        p = load3(S, i * ROW, 0.0)
        w, inside = closest_on_edge(s, p)
        if inside:
            point = (s[0] + w * (p[0] - s[0]), s[1] + w * (p[1] - s[1]), s[2] + w * (p[2] - s[2]))
            if dot3(point, point) < best:
                best, v, count = dot3(point, point), point, 2
                i0, w0, w2 = i, w, 1.0 - w
        for j in range(i):
            q = load3(S, j * ROW, 0.0)
            a, b, c, point, inside = closest_on_face(p, q, s)
            if inside and dot3(point, point) < best:
                best, v, count = dot3(point, point), point, 3
                i0, i1, w0, w1, w2 = i, j, a, b, c
    if m == 4 and is_inside(load3(S, 0, 0.0), load3(S, ROW, 0.0), load3(S, 2 * ROW, 0.0), load3(S, 3 * ROW, 0.0)):
        return 4, (0.0, 0.0, 0.0)
    if count == 3:
        copy_row(S, i1, T, 0)
        store(T, WEIGHTS, w1)
    if count >= 2:
        copy_row(S, i0, T, count - 2)
        store(T, WEIGHTS + count - 2, w0)
    copy_row(S, new, T, count - 1)
    store(T, WEIGHTS + count - 1, w2)
    return count, v


@inner
def weighted(S, m, part):
    """Σ w of one of the three points of the rows: part 0, 3 or 6."""
    x, y, z = 0.0, 0.0, 0.0
    for i in range(m):
        w, p = load(S, WEIGHTS + i, 0.0), load3(S, i * ROW + part, 0.0)
        x, y, z = x + w * p[0], y + w * p[1], z + w * p[2]
    return x, y, z


@inner
def store_feature(S, m, part, out):
    """The affine hull of the rows' points: one point and up to two unit vectors, nine numbers, zero where none."""
    p = load3(S, part, 0.0)
    store3(out, 0, p)
    count = 0
    for k in range(3, 9):
        store(out, k, 0.0)
    for i in range(1, m):
        e = sub3(load3(S, i * ROW + part, 0.0), p)
        before = dot3(e, e)
        for j in range(count):
            u = load3(out, 3 + 3 * j, 0.0)
            e = sub3(e, scale3(dot3(e, u), u))
        after = dot3(e, e)
        if after > 1e-20 * before and count < 2:
            store3(out, 3 + 3 * count, scale3(1.0 / after**0.5, e))
            count += 1
