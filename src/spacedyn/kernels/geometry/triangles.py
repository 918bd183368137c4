"""A triangle mesh as a surface: gap of a point, negative inside, and its gradient; over any scalar.

    gap = ±|p - q|,  q the nearest point of all triangles,  the sign that of (p - q).N

N is the normal of the triangle where q lies inside of it, the mean of two at an edge, and the mean weighted by angles
at a corner (Baerentzen & Aanaes 2005): so the sign is right wherever q is. Triangles are in a tree of boxes, whose
nodes are in the order of a walk through it with the number of the node to go on with if all lanes are nearer already.
"""

from ..scalar.compiling import inner, outlined
from ..scalar.memory import load
from ..scalar.pack import select, somewhere, sqrt
from ..scalar.vectors import dot3, scale3, shared3, sub3

NODES, TRIANGLES, FIRST_NODE = range(3)  # numbers of a mesh: how many nodes and triangles; then nodes, then triangles
LOW, HIGH, SKIP, START, MANY, NODE = 0, 3, 6, 7, 8, 9  # a node: its box, where to go on, its triangles
CORNERS, FACE, EDGES, VERTICES, TRIANGLE = 0, 9, 12, 21, 30  # a triangle: three points; normals of it, edges, corners


@inner
def outside(p, low, high, zero):
    """How far a coordinate is outside of an interval."""
    return select(p < low, low - p, select(p > high, p - high, zero))


@inner
def box_distance(numbers, node, p, zero):
    """Square of the distance of a point to a node's box."""
    low, high = shared3(numbers, node + LOW, zero), shared3(numbers, node + HIGH, zero)
    x = outside(p[0], low[0], high[0], zero)
    y, z = outside(p[1], low[1], high[1], zero), outside(p[2], low[2], high[2], zero)
    return x * x + y * y + z * z


@inner
def both(one, other, yes, no):
    """`yes` where two conditions hold."""
    return select(one, select(other, yes, no), no)


@inner
def choose3(condition, a, b):
    return select(condition, a[0], b[0]), select(condition, a[1], b[1]), select(condition, a[2], b[2])


@inner
def weights_of(a, b, c, p, zero):
    """Weights of b and c at the nearest point of a triangle, and where it is: 0 inside, 1 to 3 edges, 4 to 6 corners.

    Ericson, Real-Time Collision Detection (2005), 5.1.5, with choices instead of branches.
    """
    ab, ac, one = sub3(b, a), sub3(c, a), 1.0 + zero
    ap, bp, cp = sub3(p, a), sub3(p, b), sub3(p, c)
    d1, d2, d3, d4 = dot3(ab, ap), dot3(ac, ap), dot3(ab, bp), dot3(ac, bp)
    d5, d6 = dot3(ab, cp), dot3(ac, cp)
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    total = va + vb + vc
    scale = 1.0 / select(total > 0.0, total, one)
    v, w, code = vb * scale, vc * scale, zero
    near_bc = select(va <= 0.0, both(d4 - d3 >= 0.0, d5 - d6 >= 0.0, one, zero), zero) > 0.5
    far = (d4 - d3) + (d5 - d6)
    s = (d4 - d3) / select(far > 0.0, far, one)
    v, w, code = select(near_bc, 1.0 - s, v), select(near_bc, s, w), select(near_bc, 2.0 * one, code)
    near_ac = select(vb <= 0.0, both(d2 >= 0.0, d6 <= 0.0, one, zero), zero) > 0.5
    s = d2 / select(d2 - d6 > 0.0, d2 - d6, one)
    v, w, code = select(near_ac, zero, v), select(near_ac, s, w), select(near_ac, 3.0 * one, code)
    near_ab = select(vc <= 0.0, both(d1 >= 0.0, d3 <= 0.0, one, zero), zero) > 0.5
    s = d1 / select(d1 - d3 > 0.0, d1 - d3, one)
    v, w, code = select(near_ab, s, v), select(near_ab, zero, w), select(near_ab, one, code)
    at_c = both(d6 >= 0.0, d5 <= d6, one, zero) > 0.5
    v, w, code = select(at_c, zero, v), select(at_c, one, w), select(at_c, 6.0 * one, code)
    at_b = both(d3 >= 0.0, d4 <= d3, one, zero) > 0.5
    v, w, code = select(at_b, one, v), select(at_b, zero, w), select(at_b, 5.0 * one, code)
    at_a = both(d1 <= 0.0, d2 <= 0.0, one, zero) > 0.5
    return select(at_a, zero, v), select(at_a, zero, w), select(at_a, 4.0 * one, code)


@inner
def normal_at(numbers, triangle, code, zero):
    """The normal by which the sign is told."""
    n = shared3(numbers, triangle + FACE, zero)
    for k in range(6):
        there = code > k + 0.5
        n = choose3(there, shared3(numbers, triangle + EDGES + 3 * k, zero), n)
    return n


@outlined
def nearest_triangle(numbers, at, p, zero):
    """Square of the distance, point, normal and code (see `weights_of`) of the nearest of all triangles."""
    nodes, best = int(load(numbers, at + NODES, 0.0)), 1e300 + zero
    first = at + FIRST_NODE
    triangles = first + nodes * NODE
    q, n, code, i = (zero, zero, zero), (zero, zero, zero), zero, 0
    while i < nodes:
        node = first + i * NODE
        if not somewhere(box_distance(numbers, node, p, zero) < best):
            i = int(load(numbers, node + SKIP, 0.0))
            continue
        start = int(load(numbers, node + START, 0.0))
        for k in range(int(load(numbers, node + MANY, 0.0))):
            t = triangles + (start + k) * TRIANGLE
            a, b, c = shared3(numbers, t, zero), shared3(numbers, t + 3, zero), shared3(numbers, t + 6, zero)
            v, w, where = weights_of(a, b, c, p, zero)
            u = 1.0 - v - w
            there = (
                u * a[0] + v * b[0] + w * c[0],
                u * a[1] + v * b[1] + w * c[1],
                u * a[2] + v * b[2] + w * c[2],
            )
            e = sub3(p, there)
            square = dot3(e, e)
            nearer = square < best
            n = choose3(nearer, normal_at(numbers, t, where, zero), n)
            q, code, best = choose3(nearer, there, q), select(nearer, where, code), select(nearer, square, best)
        i += 1
    return best, q, n, code


@inner
def mesh_gap(numbers, at, p, zero):
    """Gap of a point to a mesh, and its gradient: four scalars, in the mesh's axes."""
    square, q, n, code = nearest_triangle(numbers, at, p, zero)
    e = sub3(p, q)
    side = dot3(e, n)
    # over a triangle the gap is linear in p, and smooth through zero; elsewhere it is a distance
    flat, off = code < 0.5, square > 0.0
    sign = select(side < 0.0, -1.0 + zero, 1.0 + zero)
    length = sqrt(select(off, square, 1.0 + zero))
    away = scale3(sign / length, e)
    level = scale3(1.0 / sqrt(dot3(n, n)), n)
    g = choose3(flat, n, choose3(off, away, level))
    return select(flat, side, select(off, sign * length, zero)), g[0], g[1], g[2]
