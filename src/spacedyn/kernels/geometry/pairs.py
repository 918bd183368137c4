"""Gap, normal and closest points of two convex shapes, over any scalar.

    x = P_A(P_B(x)),   gap = |P_B(x) - x| - r_A - r_B,   normal from A to B, inertial axes

P_A and P_B are closest points on the cores (projections.py). A start in float64, by GJK lane by lane, or at once for a
point, is refined by Newton's method on x - P_A(P_B(x)), whose derivative is 1 - J_A J_B. The last step is done over the
scalar, so that tangents of dual numbers are those of the implicit function. Where closest points are not unique
(parallel faces) the step is the shortest one (Levenberg's parameter DAMPING).

Cores that overlap have no normal: their distance counts as zero, and the caller refuses it.
"""

from ..scalar.compiling import inner, outlined
from ..scalar.fused_vectors import compose, dot3, turn, turn_back, turn_symmetric, two
from ..scalar.lanes import stride_of
from ..scalar.memory import integer, lanes_of, later, load, shared, store
from ..scalar.pack import select, sqrt, value_of
from ..scalar.symbols import DOUBLES, INTEGER, INTEGERS, by_name
from ..scalar.vectors import add3, load3, load9, scale3, shared3, shared9, store3, store9, sub3
from .cores import BOUND, HULL, KIND, PLACE, POINT, RADIUS, SHAPE_INTS, SHAPE_PARS, TURN, core_of, sizes_of, support
from .gjk import GJK_WORK, ROUGH, TINY, TOLERANCE, gjk
from .projections import project
from .simplex import store_feature, weighted

DAMPING = 1e-14
ROUNDING, FINE = 1e-9, 1e-13  # of the pair's size: certificates that are worse are no rounding errors, or doubtful
STEPS = 12
# scratch: pose of B in A (R, t), start x, 1 where cores are apart, features of hulls; then numbers in float64
POSE, START, APART, FACE_A, FACE_B, NUMBERS = 0, 12, 15, 16, 25, 34
PAIR_WORK = NUMBERS + GJK_WORK + 18


@inner
def pose_of(pars, i, x, R, zero):
    """Place and rotation of a shape's frame, from its body's."""
    p = i * SHAPE_PARS
    return add3(x, turn(R, shared3(pars, p + PLACE, zero))), compose(R, shared9(pars, p + TURN, zero))


@inner
def newton_step(JA, JB, F):
    """The shortest d with (1 - JA JB) d = F, damped where that matrix is singular."""
    a, b, c = (JA[0], JA[3], JA[4]), (JA[3], JA[1], JA[5]), (JA[4], JA[5], JA[2])
    x, y, z = (JB[0], JB[3], JB[4]), (JB[3], JB[1], JB[5]), (JB[4], JB[5], JB[2])
    # columns of M
    p = (1.0 - dot3(a, x), -dot3(b, x), -dot3(c, x))
    q = (-dot3(a, y), 1.0 - dot3(b, y), -dot3(c, y))
    r = (-dot3(a, z), -dot3(b, z), 1.0 - dot3(c, z))
    xx, yy, zz = dot3(p, p) + DAMPING, dot3(q, q) + DAMPING, dot3(r, r) + DAMPING
    xy, xz, yz = dot3(p, q), dot3(p, r), dot3(q, r)
    A, B, C = two(yy, zz, -yz, yz), two(xz, yz, -xy, zz), two(xy, yz, -xz, yy)
    D, E, G = two(xx, zz, -xz, xz), two(xy, xz, -xx, yz), two(xx, yy, -xy, xy)
    det = dot3((xx, xy, xz), (A, B, C))
    k = 1.0 / select(det > 0.0, det, 1.0 + 0.0 * det)  # it may be zero from where cores overlap
    f = (k * dot3(p, F), k * dot3(q, F), k * dot3(r, F))
    return dot3((A, B, C), f), dot3((B, D, E), f), dot3((C, E, G), f)


@inner
def values6(J):
    return value_of(J[0]), value_of(J[1]), value_of(J[2]), value_of(J[3]), value_of(J[4]), value_of(J[5])


@inner
def values9(R):
    return values6(R) + (value_of(R[6]), value_of(R[7]), value_of(R[8]))


@inner
def onto_b(kind, size, face, R, t, x, zero):
    """The point of core B closest to x, and the derivative, in the frame of A."""
    q, J = project(kind, size, face, turn_back(R, sub3(x, t)), zero)
    return add3(t, turn(R, q)), J


@inner
def refined(a, b, sizes, faces, R, t, x, zero):
    """One step of Newton's method from x."""
    y, JB = onto_b(b, sizes[1], faces[1], R, t, x, zero)
    z, JA = project(a, sizes[0], faces[0], y, zero)
    return sub3(x, newton_step(values6(JA), turn_symmetric(values9(R), values6(JB)), sub3(x, z)))


@inner
def certified(A, B, vertices, R, t, x, y):
    """Distance of x and y, and by how much it may be too large: no plane across x - y parts the cores farther."""
    e = sub3(y, x)
    d = sqrt(dot3(e, e))
    if not d > 0.0:
        return d, 1e300
    a, b = support(A, vertices, e), support(B, vertices, turn_back(R, (-e[0], -e[1], -e[2])))
    return d, d - dot3(e, sub3(add3(t, turn(R, b)), a)) / d


@outlined
def polish(A, B, vertices, faces, R, t, x):
    """Refine the start x in float64 as long as its certificate gets better; that of the result."""
    a, b = A[0], B[0]
    sizes = (A[3:], B[3:])
    y, _ = onto_b(b, sizes[1], faces[1], R, t, x, 0.0)
    best, d_best = x, certified(A, B, vertices, R, t, x, y)[1]
    for _ in range(STEPS):
        x = refined(a, b, sizes, faces, R, t, x, 0.0)
        y, _ = onto_b(b, sizes[1], faces[1], R, t, x, 0.0)
        x, _ = project(a, sizes[0], faces[0], y, 0.0)
        distance, error = certified(A, B, vertices, R, t, x, y)
        if not error < d_best:
            break
        best, d_best = x, error
        if error <= FINE * distance:
            break
    # the certificate is blind to the square root of rounding: one more step
    return refined(a, b, sizes, faces, R, t, best, 0.0), d_best


@inner
def search_from(A, B, vertices, R, t, size, tolerance, work):
    """A start by GJK to a tolerance, refined: the closest point of A, whether cores are apart, and the certificate."""
    m, _ = gjk(A, B, vertices, R, t, size, tolerance, work)
    if m == 0:
        return (0.0, 0.0, 0.0), False, 0.0
    face = later(work, GJK_WORK)
    if A[0] == HULL:
        store_feature(work, m, 3, face)
    if B[0] == HULL:
        store_feature(work, m, 6, later(face, 9))
    faces = (load9(face, 0, 0.0), load9(face, 9, 0.0))
    x, error = polish(A, B, vertices, faces, R, t, weighted(work, m, 3))
    return x, True, error


@outlined
def search_cores(A, B, vertices, R, t, size, work):
    """A start: the closest point of core A in its frame, and whether cores are apart. Features of hulls in `work`.

    `size` is the pair's, by which rounding is measured.
    """
    face = later(work, GJK_WORK)
    for k in range(18):
        store(face, k, 0.0)
    none = load9(face, 0, 0.0)
    if (A[0] == POINT and B[0] != HULL) or (B[0] == POINT and A[0] != HULL):
        x = (0.0, 0.0, 0.0)
        if A[0] != POINT:
            x, _ = project(A[0], A[3:], none, t, 0.0)
        y, _ = onto_b(B[0], B[3:], none, R, t, x, 0.0)
        distance, error = certified(A, B, vertices, R, t, x, y)
        return x, distance > TINY * size and error < ROUNDING * size  # an ellipsoid has closest points from inside too
    x, apart, error = (0.0, 0.0, 0.0), True, size
    if A[0] != HULL and B[0] != HULL:  # features of a hull must be those of the end: its points are not projected
        x, apart, error = search_from(A, B, vertices, R, t, size, ROUGH, work)
    if apart and not error < FINE * size:
        x, apart, error = search_from(A, B, vertices, R, t, size, TOLERANCE, work)
    return x, apart


def search(ints, pars, vertices, i, j, work, stride, lanes):
    """Starts of two shapes in all lanes, for the pose of B in A that is in `work`, whose scalars are `stride` apart.

    Numbers of a lane follow behind those of all: pose, then what GJK works with, and features of hulls.
    """
    numbers, bound = later(work, NUMBERS * stride), shared(pars, i * SHAPE_PARS + BOUND, 0.0)
    bound += shared(pars, j * SHAPE_PARS + BOUND, 0.0)
    A, B = core_of(ints, pars, i), core_of(ints, pars, j)
    for lane in range(lanes):
        for k in range(12):
            store(numbers, k, load(work, k * stride + lane, 0.0))
        R, t = load9(numbers, 0, 0.0), load3(numbers, 9, 0.0)
        x, apart = search_cores(A, B, vertices, R, t, sqrt(dot3(t, t)) + bound, numbers)
        store(work, START * stride + lane, x[0])
        store(work, (START + 1) * stride + lane, x[1])
        store(work, (START + 2) * stride + lane, x[2])
        store(work, APART * stride + lane, 1.0 if apart else 0.0)
        if A[0] == HULL or B[0] == HULL:
            for k in range(18):
                store(work, (FACE_A + k) * stride + lane, load(numbers, GJK_WORK + k, 0.0))


search_here = inner(search)
search = by_name(INTEGERS, DOUBLES, DOUBLES, INTEGER, INTEGER, DOUBLES, INTEGER, INTEGER)(search)


def _closest_by(find):
    """The function `closest`, by a search that is called by name or is part of it: quicker, and long to compile."""

    def closest(ints, pars, vertices, i, j, poses, work, zero):
        """Gap, normal from i to j, and closest points of shapes i and j, whose bodies have `poses` (xa, Ra, xb, Rb).

        Inertial axes. The last result is the distance of the cores, zero where they overlap: nothing else holds then.
        """
        xa, Ra = pose_of(pars, i, poses[0], poses[1], zero)
        xb, Rb = pose_of(pars, j, poses[2], poses[3], zero)
        R = compose((Ra[0], Ra[3], Ra[6], Ra[1], Ra[4], Ra[7], Ra[2], Ra[5], Ra[8]), Rb)
        t = turn_back(Ra, sub3(xb, xa))
        store9(work, POSE, R)
        store3(work, POSE + 9, t)
        for k in range(START, NUMBERS):
            store(work, k, zero)
        find(ints, pars, vertices, i, j, work, stride_of(zero), lanes_of(zero))
        a, b = integer(ints, i * SHAPE_INTS + KIND), integer(ints, j * SHAPE_INTS + KIND)
        sizes = (sizes_of(pars, i, zero), sizes_of(pars, j, zero))
        faces = (load9(work, FACE_A, zero), load9(work, FACE_B, zero))
        start = load3(work, START, zero)
        x = refined(a, b, sizes, faces, R, t, start, zero)
        y, _ = onto_b(b, sizes[1], faces[1], R, t, x, zero)
        e = sub3(y, x)
        square, apart = dot3(e, e), load(work, APART, zero) > 0.5
        d = sqrt(select(apart, square, 1.0 + zero))
        n = scale3(1.0 / d, e)
        ra, rb = shared(pars, i * SHAPE_PARS + RADIUS, zero), shared(pars, j * SHAPE_PARS + RADIUS, zero)
        normal = turn(Ra, n)
        pa, pb = add3(xa, turn(Ra, add3(x, scale3(ra, n)))), add3(xa, turn(Ra, sub3(y, scale3(rb, n))))
        return d - ra - rb, normal, pa, pb, select(apart, d, zero)

    return outlined(closest)


closest, closest_at_once = _closest_by(search), _closest_by(search_here)
