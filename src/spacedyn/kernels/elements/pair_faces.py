"""Points where faces or edges of two shapes lie on each other, over any scalar.

Which points these are is found lane by lane in float64 (geometry/manifold.py). They are then held as points a of the
first shape and b of the second, and the gap is n.(b - a) along the normal of the closest points: so it has tangents
but for those of sliding over a face that is tilted, by less than 0.02 rad.

Points that are close to each other share the force of one, so that it does not jump where points part or become one:

    w_i = f_i / (1 + sum_j f_j max(0, 1 - |p_i - p_j| / s)),   j other than i,   s = SHARED (r_A + r_B)

All together have the force of POINTS at most. A face that shrinks to an edge so goes from four points to two, and an
edge that shrinks to a corner to one. f is 1 but for a closest point of a rim between its corners: that fades in with
the length by which it is nearer than these.
"""

from ..geometry.cores import RADIUS, SHAPE_PARS
from ..geometry.manifold import (
    CLIP_APART,
    CLIP_COUNT,
    CLIP_MOST,
    CLIP_NEARER,
    CLIP_NORMAL,
    CLIP_POINT,
    CLIP_ROWS,
    CLIP_WORK,
    CORNERS,
    POINTS,
    clip_pair,
)
from ..geometry.pairs import POSE, pose_of
from ..robot.spatial import add3, load3, load9, scale3, store3, sub3
from ..scalar.compiling import inner, separate
from ..scalar.fused_vectors import dot3, turn, turn_back
from ..scalar.lanes import add_number, number_in, stride_of
from ..scalar.memory import integer, lanes_of, later, load, shared, store
from ..scalar.pack import select, sqrt
from ..sim.layout import *  # noqa: F403
from .kind import own
from .pair_shapes import (
    FACES,
    FAR,
    MARGIN,
    MOST_POINTS,
    SEARCH,
    body_of,
    frames_of,
    kept_at,
    shape_arrays,
    store_row,
    store_weight,
)

SHARED, FADING = 0.1, 1e-3  # of both radii: distance within which points share force; length over which f fades in
PAIRED_ROW, WEIGHT = 7, 6  # numbers of a point: on the first shape, on the second, weight
# scratch memory: normal and closest point of the first core, in its frame; distance, gap; how many points; points
NORMAL, CLOSEST, APART, GAP, MANY, PAIRED, ROOM = 0, 3, 6, 7, 8, 9, 9 + PAIRED_ROW * CORNERS
FACE_WORK = ROOM + CLIP_WORK


@inner
def add_numbers3(array, k, lane, v, zero):
    """Add to three numbers of a lane."""
    add_number(array, k, lane, v[0], zero)
    add_number(array, k + 1, lane, v[1], zero)
    add_number(array, k + 2, lane, v[2], zero)


@inner
def weight_of(rows, count, r, first, near):
    """The share of point r in the force of all that are within a length of it; `first` is what the first counts."""
    p, total = load3(rows, 7 * r + 1, 0.0), 1.0
    for k in range(count):
        if k != r:
            e = sub3(load3(rows, 7 * k + 1, 0.0), p)
            total += (first if k == 0 else 1.0) * max(0.0, 1.0 - sqrt(dot3(e, e)) / near)
    return (first if r == 0 else 1.0) / total


@inner
def weigh(rows, count, nearer, radii):
    """Write the weights of all points, in place of their gaps."""
    first, near, total = 1.0, max(SHARED * radii, 1e-300), 0.0
    if nearer > 0.0:
        first = min(1.0, nearer / max(FADING * radii, 1e-300))
    for r in range(count):
        weight = weight_of(rows, count, r, first, near)
        total += weight
        store(rows, 7 * r, weight)
    for r in range(count if total > POINTS else 0):
        store(rows, 7 * r, load(rows, 7 * r, 0.0) * POINTS / total)


@inner
def clip_lane(sim, e, i, j, lane, zero):
    """Points of one lane, into the scratch memory; how many."""
    ints, pars, vertices = shape_arrays(sim, e)
    face, search = kept_at(sim, e, FACES), kept_at(sim, e, SEARCH)
    near = shared(sim.numbers, integer(sim.plan, e + E_NUMBERS) + MARGIN, 0.0)
    count, apart = 1, number_in(sim.work, face + APART, lane, zero)
    numbers = later(sim.work, (face + ROOM) * stride_of(zero))
    if number_in(sim.work, face + GAP, lane, zero) <= near and apart > 0.0:
        for k in range(12):
            store(numbers, k, number_in(sim.work, search + POSE + k, lane, zero))
        for k in range(3):
            store(numbers, CLIP_NORMAL + k, number_in(sim.work, face + NORMAL + k, lane, zero))
            store(numbers, CLIP_POINT + k, number_in(sim.work, face + CLOSEST + k, lane, zero))
        store(numbers, CLIP_APART, apart)
        store(numbers, CLIP_MOST, 1.0 * own(sim, e, MOST_POINTS))
        clip_pair(ints, pars, vertices, i, j, numbers)
        count, rows = int(load(numbers, CLIP_COUNT, 0.0)), later(numbers, CLIP_ROWS)
        R, t = load9(numbers, 0, 0.0), load3(numbers, 9, 0.0)
        radii = shared(pars, i * SHAPE_PARS + RADIUS, 0.0) + shared(pars, j * SHAPE_PARS + RADIUS, 0.0)
        weigh(rows, count, load(numbers, CLIP_NEARER, 0.0), radii)
        for r in range(count if count > 1 else 0):
            at = face + PAIRED + PAIRED_ROW * r
            add_numbers3(sim.work, at, lane, load3(rows, 7 * r + 1, 0.0), zero)
            add_numbers3(sim.work, at + 3, lane, turn_back(R, sub3(load3(rows, 7 * r + 4, 0.0), t)), zero)
            add_number(sim.work, at + WEIGHT, lane, load(rows, 7 * r, 0.0), zero)
    add_number(sim.work, face + MANY, lane, 1.0 * count, zero)
    return count


@separate
def find_faces(sim, e, i, j, closest, zero):
    """Rows of the points of two shapes with faces or edges; how many, and the least gap."""
    nearest, G, place, apart = closest
    _, pars, _ = shape_arrays(sim, e)
    F = frames_of(sim, body_of(sim, e, i), body_of(sim, e, j), zero)
    ra, rb = shared(pars, i * SHAPE_PARS + RADIUS, zero), shared(pars, j * SHAPE_PARS + RADIUS, zero)
    x, R = pose_of(pars, i, F.xa, F.Ra, zero)
    half = zero if body_of(sim, e, j) < 0 else 0.5 * (apart - ra - rb)
    n, face = turn_back(R, scale3(-1.0, G)), kept_at(sim, e, FACES)
    store3(sim.work, face + NORMAL, n)
    store3(sim.work, face + CLOSEST, sub3(turn_back(R, sub3(place, x)), scale3(ra + half, n)))
    store(sim.work, face + APART, apart)
    store(sim.work, face + GAP, nearest)
    for k in range(MANY, ROOM):
        store(sim.work, face + k, zero)
    many = 1
    for lane in range(lanes_of(zero)):
        many = max(many, clip_lane(sim, e, i, j, lane, zero))
    if many == 1:
        return 1, nearest
    pose, counted, least = kept_at(sim, e, SEARCH) + POSE, load(sim.work, face + MANY, zero), zero + FAR
    Q, t = load9(sim.work, pose, zero), load3(sim.work, pose + 9, zero)
    for r in range(many):
        paired = face + PAIRED + PAIRED_ROW * r
        a, b = load3(sim.work, paired, zero), load3(sim.work, paired + 3, zero)
        across = dot3(n, sub3(add3(t, turn(Q, b)), a))
        at = add3(x, turn(R, add3(a, scale3(ra + (half if body_of(sim, e, j) < 0 else 0.5 * (across - ra - rb)), n))))
        several, there = counted > 1.5, counted > r + 0.5
        gap = select(there, select(several, across - ra - rb, nearest), zero + FAR)
        at = (
            select(several, at[0], place[0]),
            select(several, at[1], place[1]),
            select(several, at[2], place[2]),
        )
        store_row(sim, e, r, gap, G, at)
        store_weight(sim, e, r, select(several, load(sim.work, paired + WEIGHT, zero), zero + 1.0))
        least = select(there, select(gap > least, least, gap), least)  # a NaN passes
    return many, least
