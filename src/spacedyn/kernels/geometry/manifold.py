"""Up to four points where two faces or edges lie on each other.

Both faces are seen along the normal, in a plane (x, y) across it with heights z. One is clipped by the other
(Sutherland & Hodgman 1974); at each corner of what is common, the gap is the difference of both heights. Of more than
four points those are kept that have the smallest gap, are farthest from it, and farthest to both sides of the line
between these two. In float64. Frames: the plane's axes are the columns of Q, about the frame of shape A.
"""

from ..scalar.compiling import inner
from ..scalar.memory import later, load, store
from ..scalar.pack import sqrt
from ..scalar.symbols import DOUBLES, INTEGER, INTEGERS, by_name
from ..scalar.vectors import add3, cross, dot3, load3, load9, scale3, store3, sub3, turn, turn_back
from .cores import core_of
from .faces import ANGLE, MOST, face, sort_around

POLYGON = 3 * (2 * MOST + 4)
POINTS = 4
# scratch of `clip_pair`: pose of B in A, normal, point of A, distance; how many points; rows of points, polygons
CLIP_NORMAL, CLIP_POINT, CLIP_APART, CLIP_COUNT, CLIP_ROWS = 12, 15, 18, 19, 20
CLIP_WORK = CLIP_ROWS + 7 * POINTS + 4 * POLYGON
ROOM = 2 * MOST + 2
LEVEL = 1e-9  # of an edge's length: points that are nearer to its line are on it


@inner
def axes_across(n):
    """A rotation whose third axis is n: nine scalars, row by row."""
    a = (1.0, 0.0, 0.0) if abs(n[0]) < 0.6 else (0.0, 1.0, 0.0)
    x = cross(a, n)
    x = scale3(1.0 / sqrt(dot3(x, x)), x)
    y = cross(n, x)
    return x[0], y[0], n[0], x[1], y[1], n[1], x[2], y[2], n[2]


@inner
def slopes_of(points, count):
    """The plane z = z0 + a (x - x0) + b (y - y0) of a face; of an edge, level across it. Least squares."""
    x0, y0, z0 = load3(points, 0, 0.0)
    xx, xy, yy, xz, yz = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(1, count):
        x, y, z = load(points, 3 * i, 0.0) - x0, load(points, 3 * i + 1, 0.0) - y0, load(points, 3 * i + 2, 0.0) - z0
        xx, xy, yy, xz, yz = xx + x * x, xy + x * y, yy + y * y, xz + x * z, yz + y * z
    total, det = xx + yy, xx * yy - xy * xy
    if det > 1e-12 * total * total:
        return x0, y0, z0, (yy * xz - xy * yz) / det, (xx * yz - xy * xz) / det
    return x0, y0, z0, xz / max(total, 1e-300), yz / max(total, 1e-300)


@inner
def height(plane, x, y):
    return plane[2] + plane[3] * (x - plane[0]) + plane[4] * (y - plane[1])


@inner
def clip_edge(source, count, p, q, out):
    """The part of a closed polygon, or of an edge of two points, that is on the left of the line from p to q."""
    a, b = q[0] - p[0], q[1] - p[1]
    made = 0
    last = count if count > 2 else count - 1
    for i in range(last + (1 if count == 2 else 0)):
        x, y = load(source, 3 * i, 0.0), load(source, 3 * i + 1, 0.0)
        s = a * (y - p[1]) - b * (x - p[0])
        if s >= 0.0 and made < ROOM:
            store3(out, 3 * made, (x, y, 0.0))
            made += 1
        if i < last:
            k = i + 1 if i + 1 < count else 0
            u, v = load(source, 3 * k, 0.0), load(source, 3 * k + 1, 0.0)
            t = a * (v - p[1]) - b * (u - p[0])
            if s * t < 0.0 and made < ROOM:
                w = s / (s - t)
                store3(out, 3 * made, (x + w * (u - x), y + w * (v - y), 0.0))
                made += 1
    return made


@inner
def clip(subject, count, clipper, many, spare):
    """Clip a polygon or an edge by all edges of a polygon; the result is in `subject`."""
    for i in range(many):
        p, q = load3(clipper, 3 * i, 0.0), load3(clipper, 3 * i + 3, 0.0)
        count = clip_edge(subject, count, p, q, spare)
        for k in range(3 * count):
            store(subject, k, load(spare, k, 0.0))
    return count


@inner
def clip_along(A, B):
    """The common part of two edges that are parallel but for ANGLE, into A; 0 points if they are not."""
    p, q, r, s = load3(A, 0, 0.0), load3(A, 3, 0.0), load3(B, 0, 0.0), load3(B, 3, 0.0)
    a, b = (q[0] - p[0], q[1] - p[1]), (s[0] - r[0], s[1] - r[1])
    length, other = a[0] * a[0] + a[1] * a[1], b[0] * b[0] + b[1] * b[1]
    turned = a[0] * b[1] - a[1] * b[0]
    if turned * turned > ANGLE * ANGLE * length * other or not length > 0.0:
        return 0
    low = ((r[0] - p[0]) * a[0] + (r[1] - p[1]) * a[1]) / length
    high = ((s[0] - p[0]) * a[0] + (s[1] - p[1]) * a[1]) / length
    first, last = max(0.0, min(low, high)), min(1.0, max(low, high))
    if not first < last:
        return 0
    store3(A, 0, (p[0] + first * a[0], p[1] + first * a[1], 0.0))
    store3(A, 3, (p[0] + last * a[0], p[1] + last * a[1], 0.0))
    return 2


@inner
def common_part(A, many, B, more, spare):
    """Corners of what two faces or edges have in common, into A; how many."""
    if many < 2 or more < 2:
        return 0
    if many == 2 and more == 2:
        return clip_along(A, B)
    if more > 2:
        sort_around(B, more)
        if many > 2:
            sort_around(A, many)
        return clip(A, many, B, more, spare)
    sort_around(A, many)
    count = clip(B, more, A, many, spare)
    for k in range(3 * count):
        store(A, k, load(B, k, 0.0))
    return count


@inner
def farthest(points, count, first, second, sign):
    """The point farthest from the first, or, with a second, to one side of the line through both; -1 if none is."""
    p, best, least = load3(points, 3 * first, 0.0), -1, 0.0
    if second >= 0:  # by rounding, all points of an edge are beside its line
        f = sub3(load3(points, 3 * second, 0.0), p)
        least = LEVEL * sqrt(f[0] * f[0] + f[1] * f[1])
    most = least
    for i in range(count):
        e = sub3(load3(points, 3 * i, 0.0), p)
        if second < 0:
            size = e[0] * e[0] + e[1] * e[1]
        else:
            f = sub3(load3(points, 3 * second, 0.0), p)
            size = sign * (f[0] * e[1] - f[1] * e[0]) / sqrt(f[0] * f[0] + f[1] * f[1] + 1e-300)
        if size > most:
            best, most = i, size
    return best if most > least else -1


@inner
def write_point(out, k, Q, gap, a, b):
    """Gap, normal, and both points in the frame of A, from the plane's axes."""
    store(out, 7 * k, gap)
    store3(out, 7 * k + 1, turn(Q, a))
    store3(out, 7 * k + 4, turn(Q, b))


@inner
def manifold(A, B, vertices, R, t, contact, out, work):
    """Up to four points of contact of cores A and B, B's frame at R, t in A's: rows (gap, a, b) into `out`; how many.

    `contact` is (gap, normal from A to B, point of A, point of B) of the cores, in the frame of A; it is the first row.
    """
    gap, n, a, b = contact
    Q = axes_across(n)
    store(out, 0, gap)
    store3(out, 1, a)
    store3(out, 4, b)
    P, S, spare, planes = work, later(work, POLYGON), later(work, 2 * POLYGON), later(work, 3 * POLYGON)
    many = face(A, vertices, n, P)
    more = face(B, vertices, turn_back(R, (-n[0], -n[1], -n[2])), S)
    for i in range(many):
        store3(P, 3 * i, turn_back(Q, load3(P, 3 * i, 0.0)))
    for i in range(more):
        store3(S, 3 * i, turn_back(Q, add3(t, turn(R, load3(S, 3 * i, 0.0)))))
    low, high = slopes_of(P, many), slopes_of(S, more)
    count = common_part(P, many, S, more, spare)
    if count < 2:
        return 1
    slack = 1e-10 * (abs(gap) + sqrt(dot3(a, a)) + sqrt(dot3(b, b)))
    best, least = count, gap + slack  # the contact, unless a corner
    for i in range(count):
        x, y = load(P, 3 * i, 0.0), load(P, 3 * i + 1, 0.0)
        store(planes, 2 * i, height(low, x, y))
        # no point is nearer than the closest ones, which the search knows less precisely than planes that are parallel
        store(planes, 2 * i + 1, max(height(high, x, y), height(low, x, y) + gap - 1e4 * slack))
        if load(planes, 2 * i + 1, 0.0) - load(planes, 2 * i, 0.0) < least:
            best, least = i, load(planes, 2 * i + 1, 0.0) - load(planes, 2 * i, 0.0)
    p, q = turn_back(Q, a), turn_back(Q, b)
    store3(P, 3 * count, p)
    store(planes, 2 * count, p[2])
    store(planes, 2 * count + 1, q[2])
    second = farthest(P, count, best, -1, 1.0)
    if second < 0:
        return 1
    left, right = farthest(P, count, best, second, 1.0), farthest(P, count, best, second, -1.0)
    made = 0
    for i in (best, second, left, right):
        if i >= 0:
            x, y = load(P, 3 * i, 0.0), load(P, 3 * i + 1, 0.0)
            z, w = load(planes, 2 * i, 0.0), load(planes, 2 * i + 1, 0.0)
            write_point(out, made, Q, w - z, (x, y, z), (x, y, w))
            made += 1
    return made


@by_name(INTEGERS, DOUBLES, DOUBLES, INTEGER, INTEGER, DOUBLES)
def clip_pair(ints, pars, vertices, i, j, work):
    """Points of contact of shapes i and j, from the pose, the normal, the point of i's core and the distance in `work`.

    How many there are, and rows, are at CLIP_COUNT and CLIP_ROWS.
    """
    R, t, n = load9(work, 0, 0.0), load3(work, 9, 0.0), load3(work, CLIP_NORMAL, 0.0)
    a, apart = load3(work, CLIP_POINT, 0.0), load(work, CLIP_APART, 0.0)
    contact = (apart, n, a, add3(a, scale3(apart, n)))
    rows, A, B = later(work, CLIP_ROWS), core_of(ints, pars, i), core_of(ints, pars, j)
    store(work, CLIP_COUNT, 1.0 * manifold(A, B, vertices, R, t, contact, rows, later(rows, 7 * POINTS)))
