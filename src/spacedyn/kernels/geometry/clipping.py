"""What two convex faces or edges have in common, seen along a normal: corners in a plane (x, y). In float64.

One is clipped by the other (Sutherland & Hodgman 1974). Faces that only touch, with edges on each other, have a part
of an edge in common: so it is of shapes that slide off each other, whose normal turns over both edges. Clipping alone
would find no corner or four there, by rounding.
"""

from ..scalar.compiling import inner
from ..scalar.memory import load, store
from ..scalar.pack import sqrt
from ..scalar.vectors import load3, store3
from .faces import ANGLE, MOST, sort_around

POLYGON = 3 * (2 * MOST + 4)
ROOM = 2 * MOST + 2
LEVEL = 1e-9  # of an edge's length: points that are nearer to its line are on it


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
def beyond(points, count, p, q):
    """How far a polygon or an edge reaches to the left of the line from p to q, and which corner does."""
    a, b = q[0] - p[0], q[1] - p[1]
    best, most = 0, -1e300
    for i in range(count):
        s = a * (load(points, 3 * i + 1, 0.0) - p[1]) - b * (load(points, 3 * i, 0.0) - p[0])
        if s > most:
            best, most = i, s
    length = sqrt(a * a + b * b)
    return most / max(length, 1e-300), best, length


@inner
def shallowest(polygon, many, points, count):
    """The edge of a sorted polygon that points reach least across: how far, in lengths of the edge, and both places."""
    depth, edge, corner = 1e300, 0, 0
    for i in range(many):
        far, k, length = beyond(points, count, load3(polygon, 3 * i, 0.0), load3(polygon, 3 * i + 3, 0.0))
        if far < depth * length:
            depth, edge, corner = far / length, i, k
    return depth, edge, corner


@inner
def edge_along(polygon, many, corner, a, b):
    """The first corner of that edge at a corner of a sorted polygon which is more parallel to (a, b)."""
    before = corner - 1 if corner > 0 else many - 1
    x, y, z = load3(polygon, 3 * before, 0.0), load3(polygon, 3 * corner, 0.0), load3(polygon, 3 * corner + 3, 0.0)
    u, v, r, s = y[0] - x[0], y[1] - x[1], z[0] - y[0], z[1] - y[1]
    first, second = a * u + b * v, a * r + b * s
    return before if first * first * (r * r + s * s) > second * second * (u * u + v * v) else corner


@inner
def keep_edge(polygon, i):
    """Leave of a sorted polygon the edge that starts at corner i."""
    p, q = load3(polygon, 3 * i, 0.0), load3(polygon, 3 * i + 3, 0.0)
    store3(polygon, 0, p)
    store3(polygon, 3, q)


@inner
def clip_touching(polygon, i, other, more, corner, A, B):
    """The common part of edge i of a polygon and of what touches it with a corner, into A; these are A and B."""
    p, q = load3(polygon, 3 * i, 0.0), load3(polygon, 3 * i + 3, 0.0)
    if more > 2:
        keep_edge(other, edge_along(other, more, corner, q[0] - p[0], q[1] - p[1]))
    keep_edge(polygon, i)
    return clip_along(A, B)


@inner
def common_part(A, many, B, more, spare):
    """Corners of what two faces or edges have in common, into A; how many."""
    if many < 2 or more < 2:
        return 0
    if many == 2 and more == 2:
        return clip_along(A, B)
    depth, edge, corner, least, side, place = 1e300, 0, 0, 1e300, 0, 0
    if many > 2:
        sort_around(A, many)
    if more > 2:
        sort_around(B, more)
        depth, edge, corner = shallowest(B, more, A, many)
    if many > 2:
        least, side, place = shallowest(A, many, B, more)
    if abs(min(depth, least)) <= LEVEL:
        if depth <= least:
            return clip_touching(B, edge, A, many, corner, A, B)
        return clip_touching(A, side, B, more, place, A, B)
    if more > 2:
        return clip(A, many, B, more, spare)
    count = clip(B, more, A, many, spare)
    for k in range(3 * count):
        store(A, k, load(B, k, 0.0))
    return count
