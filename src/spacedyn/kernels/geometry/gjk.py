"""Closest points of two convex cores by the algorithm of Gilbert, Johnson and Keerthi, in float64.

The distance of A and B is that of the origin from the difference A - B, of which only support points are needed:

    v = closest point of a simplex of support points,   w = s_A(-v) - s_B(v),   |v|² - v.w <= tolerance |v|²: done

Gilbert, Johnson & Keerthi (1988). It ends early where a step does not come nearer, so that rounding cannot make it
cycle. What it finds starts the refinement in pairs.py. Everything in the frame of A.
"""

from ..scalar.compiling import inner, outlined
from ..scalar.memory import later, load, store
from ..scalar.vectors import add3, dot3, load3, store3, sub3, turn, turn_back
from .cores import support
from .simplex import ROW, SIMPLEX, closest_on_simplex, copy_row

TOLERANCE = 1e-15  # of a square: rounding
ROUGH = 1e-6  # for a start that is refined
ITERATIONS = 100
TINY = 1e-13  # of the pair's size: cores that are nearer than this count as overlapping
GJK_WORK = 3 * SIMPLEX


@inner
def is_known(S, m, w):
    """Whether a support point is in the simplex already."""
    known = False
    for i in range(m):
        y = load3(S, i * ROW, 0.0)
        known = known or (y[0] == w[0] and y[1] == w[1] and y[2] == w[2])
    return known


@outlined
def gjk(A, B, vertices, R, t, size, tolerance, work):
    """Search for the closest points of cores A and B, whose frame has the pose R, t in that of A.

    Returns the number of points of the simplex that is left in `work` (0 if the cores overlap) and the distance vector
    v = a - b. `size` is the pair's, for what counts as zero.
    """
    T, S = work, later(work, SIMPLEX)
    v = (-t[0], -t[1], -t[2])
    m, square = 0, 1e300
    for _ in range(ITERATIONS):
        a, b = support(A, vertices, (-v[0], -v[1], -v[2])), support(B, vertices, turn_back(R, v))
        w = sub3(a, add3(t, turn(R, b)))
        if m > 0 and (square - dot3(v, w) <= tolerance * square or is_known(T, m, w)):
            break
        for i in range(m):
            copy_row(T, i, S, i)
        store3(S, m * ROW, w)
        store3(S, m * ROW + 3, a)
        store3(S, m * ROW + 6, b)
        # the reduced simplex goes behind S, and takes the place of T if it is nearer
        count, nearer = closest_on_simplex(S, m + 1, later(work, 2 * SIMPLEX))
        if count == 4 or dot3(nearer, nearer) <= (TINY * size) * (TINY * size):
            return 0, (0.0, 0.0, 0.0)
        if not dot3(nearer, nearer) < square:
            break
        for k in range(SIMPLEX):
            store(T, k, load(work, 2 * SIMPLEX + k, 0.0))
        m, v, square = count, nearer, dot3(nearer, nearer)
    return m, v
