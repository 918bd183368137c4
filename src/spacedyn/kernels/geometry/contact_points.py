"""Rows of states to points of contact: up to four for each pair of shapes of a list."""

from ..scalar.compiling import entry, inner
from ..scalar.memory import integer, later, load, pointer, shared, store
from ..scalar.vectors import add3, load3, load9, scale3, store3, sub3, turn, turn_back
from .cores import BODY, RADIUS, SHAPE_INTS, SHAPE_PARS, core_of
from .faces import face
from .manifold import MANIFOLD_WORK, manifold
from .pairs import PAIR_WORK, POSE, closest, pose_of
from .rows import gather_pose

POINTS, POINT = 4, 10  # of a pair; numbers of one: gap, normal from A to B, points of A and B
RESULT = 2 + POINTS * POINT  # how many points there are, distance of the cores, then the points
CONTACT_WORK = PAIR_WORK + MANIFOLD_WORK + 7 * POINTS


@inner
def write_points(out, at, rows, many, frame, normal, ra, rb):
    """Points in inertial axes, on the shapes' surfaces, from those on the cores."""
    x, R = frame
    for k in range(many):
        p = at + 2 + k * POINT
        store(out, p, load(rows, 7 * k, 0.0) - ra - rb)
        store3(out, p + 1, normal)
        store3(out, p + 4, add3(add3(x, turn(R, load3(rows, 7 * k + 1, 0.0))), scale3(ra, normal)))
        store3(out, p + 7, sub3(add3(x, turn(R, load3(rows, 7 * k + 4, 0.0))), scale3(rb, normal)))


@entry
def run(ints, pars, vertices, pairs, poses, work, out, row, bodies):
    """Points of contact (pairs, 42) of a list of pairs of shapes, for one row of poses."""
    many = pairs.size // 2
    ints, pars, vertices, pairs = pointer(ints), pointer(pars), pointer(vertices), pointer(pairs)
    poses, work, out = pointer(poses), pointer(work), pointer(out)
    rows, room = later(work, PAIR_WORK), later(work, PAIR_WORK + 7 * POINTS)
    for p in range(many):
        i, j = integer(pairs, 2 * p), integer(pairs, 2 * p + 1)
        xa, Ra = gather_pose(poses, bodies, row, row, integer(ints, i * SHAPE_INTS + BODY), 0.0)
        xb, Rb = gather_pose(poses, bodies, row, row, integer(ints, j * SHAPE_INTS + BODY), 0.0)
        _, normal, a, b, apart = closest(ints, pars, vertices, i, j, (xa, Ra, xb, Rb), work, 0.0)
        store(out, p * RESULT, 0.0)
        store(out, p * RESULT + 1, apart)
        if apart > 0.0:
            ra, rb = shared(pars, i * SHAPE_PARS + RADIUS, 0.0), shared(pars, j * SHAPE_PARS + RADIUS, 0.0)
            x, R = pose_of(pars, i, xa, Ra, 0.0)
            n = turn_back(R, normal)
            near = (
                apart,
                n,
                sub3(turn_back(R, sub3(a, x)), scale3(ra, n)),
                add3(turn_back(R, sub3(b, x)), scale3(rb, n)),
            )
            A, B = core_of(ints, pars, i), core_of(ints, pars, j)
            Q, t = load9(work, POSE, 0.0), load3(work, POSE + 9, 0.0)
            count = manifold(A, B, vertices, Q, t, near, rows, room)
            store(out, p * RESULT, 1.0 * count)
            write_points(out, p * RESULT, rows, count, (x, R), normal, ra, rb)


@entry
def corners(ints, pars, vertices, i, poses, direction, out, row, bodies):
    """Corners (n, 3) of the face of shape i along a direction, inertial axes, on its surface; returns how many."""
    ints, pars, vertices, poses = pointer(ints), pointer(pars), pointer(vertices), pointer(poses)
    d, out = load3(pointer(direction), 0, 0.0), pointer(out)
    x, R = gather_pose(poses, bodies, row, row, integer(ints, i * SHAPE_INTS + BODY), 0.0)
    x, R = pose_of(pars, i, x, R, 0.0)
    many = face(core_of(ints, pars, i), vertices, turn_back(R, d), out)
    r = shared(pars, i * SHAPE_PARS + RADIUS, 0.0)
    for k in range(many):
        store3(out, 3 * k, add3(add3(x, turn(R, load3(out, 3 * k, 0.0))), scale3(r, d)))
    return many
