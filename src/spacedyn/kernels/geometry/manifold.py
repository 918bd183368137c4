"""Points where two faces or edges lie on each other: up to four, or all corners of what they have in common.

Both faces are seen along the normal, in a plane (x, y) across it with heights z. At each corner of what they have in
common (clipping.py), the gap is the difference of both heights. Where a rim is nearer than all of its corners, the
closest point is the first. Of more points than wanted four are kept: the one with the smallest gap, the farthest from
it, and the farthest to both sides of the line between these two; rounding decides none of it, since forces would jump
at every look. In float64. Frames: the plane's axes are the columns of Q, about the frame of shape A.
"""

from ..scalar.compiling import inner
from ..scalar.memory import later, load, store
from ..scalar.pack import sqrt
from ..scalar.symbols import DOUBLES, INTEGER, INTEGERS, by_name
from ..scalar.vectors import add3, cross, dot3, load3, load9, scale3, store3, sub3, turn, turn_back
from .clipping import LEVEL, POLYGON, common_part
from .cores import core_of
from .faces import face

POINTS, CORNERS = 4, 16  # that are kept, or wanted at most
# scratch of `clip_pair`: pose of B in A, normal, point of A, distance; how many points are wanted; how many there are,
# by how much the first is nearer than all corners; rows of points, polygons
CLIP_NORMAL, CLIP_POINT, CLIP_APART, CLIP_MOST, CLIP_COUNT, CLIP_NEARER, CLIP_ROWS = 12, 15, 18, 19, 20, 21, 22
CLIP_WORK = CLIP_ROWS + 7 * CORNERS + 4 * POLYGON
TIE = 1.0 + 1e-9  # what is not farther by this is as far: the first one counts, not that which rounding prefers


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
        if size > most * TIE:
            best, most = i, size
    return best if most > least else -1


@inner
def lowest(planes, count, slack):
    """The least gap of corners, and the first of those that have it but for rounding."""
    least, best = 1e300, 0
    for i in range(count):
        least = min(least, load(planes, 2 * i + 1, 0.0) - load(planes, 2 * i, 0.0))
    for i in range(count - 1, -1, -1):
        if load(planes, 2 * i + 1, 0.0) - load(planes, 2 * i, 0.0) <= least + slack:
            best = i
    return least, best


@inner
def write_corner(out, k, Q, points, planes, i):
    """Row k: corner i."""
    x, y = load(points, 3 * i, 0.0), load(points, 3 * i + 1, 0.0)
    z, w = load(planes, 2 * i, 0.0), load(planes, 2 * i + 1, 0.0)
    store(out, 7 * k, w - z)
    store3(out, 7 * k + 1, turn(Q, (x, y, z)))
    store3(out, 7 * k + 4, turn(Q, (x, y, w)))


@inner
def find_corners(A, B, vertices, pose, contact, Q, work):
    """Corners of what both faces have in common into `work`, and heights of both there; how many, what counts as equal.

    Behind them are the closest points.
    """
    (R, t), (gap, n, a, b) = pose, contact
    P, S, spare, planes = work, later(work, POLYGON), later(work, 2 * POLYGON), later(work, 3 * POLYGON)
    many = face(A, vertices, n, P)
    more = face(B, vertices, turn_back(R, (-n[0], -n[1], -n[2])), S)
    for i in range(many):
        store3(P, 3 * i, turn_back(Q, load3(P, 3 * i, 0.0)))
    for i in range(more):
        store3(S, 3 * i, turn_back(Q, add3(t, turn(R, load3(S, 3 * i, 0.0)))))
    low, high = slopes_of(P, many), slopes_of(S, more)
    count = common_part(P, many, S, more, spare)
    slack = 1e-10 * (abs(gap) + sqrt(dot3(a, a)) + sqrt(dot3(b, b)))
    for i in range(count):
        x, y = load(P, 3 * i, 0.0), load(P, 3 * i + 1, 0.0)
        store(planes, 2 * i, height(low, x, y))
        # no point is nearer than the closest ones, which the search knows less precisely than planes that are parallel
        store(planes, 2 * i + 1, max(height(high, x, y), height(low, x, y) + gap - 1e4 * slack))
    p, q = turn_back(Q, a), turn_back(Q, b)
    store3(P, 3 * count, p)
    store(planes, 2 * count, p[2])
    store(planes, 2 * count + 1, q[2])
    return count, slack


@inner
def manifold(A, B, vertices, pose, contact, most, out, work):
    """Points of contact of cores A and B, B's `pose` (R, t) in A's frame: rows (gap, a, b) into `out`; how many.

    `contact` is (gap, normal from A to B, point of A, point of B) of the cores, in the frame of A. The first row has
    the least gap; the second result is by how much it is less than that of any corner, if it is none.
    """
    gap, n, a, b = contact
    Q = axes_across(n)
    store(out, 0, gap)
    store3(out, 1, a)
    store3(out, 4, b)
    P, planes = work, later(work, 3 * POLYGON)
    count, slack = find_corners(A, B, vertices, pose, contact, Q, work)
    if count < 2:
        return 1, 0.0
    least, best = lowest(planes, count, slack)
    nearer = 0.0 if least < gap + slack else least - gap
    best = best if nearer == 0.0 else count  # the contact is nearer than any corner
    second = farthest(P, count, best, -1, 1.0)
    if second < 0:
        return 1, 0.0
    left, right = farthest(P, count, best, second, 1.0), farthest(P, count, best, second, -1.0)
    made = 1
    write_corner(out, 0, Q, P, planes, best)
    if (left >= 0 or right >= 0) and count + (1 if best == count else 0) <= most:  # all corners; of an edge, its ends
        for k in range(count):
            i = (best + 1 + k) % count if best < count else k
            if i != best:
                write_corner(out, made, Q, P, planes, i)
                made += 1
        return made, nearer
    for i in (second, left, right):
        if i >= 0:
            write_corner(out, made, Q, P, planes, i)
            made += 1
    return made, nearer


@by_name(INTEGERS, DOUBLES, DOUBLES, INTEGER, INTEGER, DOUBLES)
def clip_pair(ints, pars, vertices, i, j, work):
    """Points of contact of shapes i and j, from the pose, the normal, the point of i's core and the distance in `work`.

    As many as CLIP_MOST are wanted. How many there are, by how much the first is nearer than all corners, and rows are
    at CLIP_COUNT, CLIP_NEARER and CLIP_ROWS.
    """
    R, t, n = load9(work, 0, 0.0), load3(work, 9, 0.0), load3(work, CLIP_NORMAL, 0.0)
    a, apart = load3(work, CLIP_POINT, 0.0), load(work, CLIP_APART, 0.0)
    contact = (apart, n, a, add3(a, scale3(apart, n)))
    rows, A, B = later(work, CLIP_ROWS), core_of(ints, pars, i), core_of(ints, pars, j)
    most = int(load(work, CLIP_MOST, 0.0))
    count, nearer = manifold(A, B, vertices, (R, t), contact, most, rows, later(rows, 7 * CORNERS))
    store(work, CLIP_COUNT, 1.0 * count)
    store(work, CLIP_NEARER, nearer)
