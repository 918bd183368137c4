"""Rows of states to points of contact: up to four for each pair of shapes of a list."""

from ..scalar.compiling import entry, inner
from ..scalar.memory import integer, later, load, pointer, shared, store
from ..scalar.symbols import calling
from ..scalar.vectors import add3, load3, scale3, store3, sub3, turn, turn_back
from .cores import BODY, RADIUS, SHAPE_INTS, SHAPE_PARS, core_of
from .faces import face
from .manifold import (
    CLIP_APART,
    CLIP_COUNT,
    CLIP_MOST,
    CLIP_NORMAL,
    CLIP_POINT,
    CLIP_ROWS,
    CLIP_WORK,
    POINTS,
    clip_pair,
)
from .pairs import PAIR_WORK, POSE, closest, pose_of, search
from .rows import gather_pose

POINT = 10  # numbers of a point: gap, normal from A to B, points of A and B
RESULT = 2 + POINTS * POINT  # how many points there are, distance of the cores, then the points
CONTACT_WORK = PAIR_WORK + CLIP_WORK


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
@calling(search, clip_pair)
def run(ints, pars, vertices, pairs, poses, work, out, row, bodies):
    """Points of contact (pairs, 42) of a list of pairs of shapes, for one row of poses."""
    many = pairs.size // 2
    ints, pars, vertices, pairs = pointer(ints), pointer(pars), pointer(vertices), pointer(pairs)
    poses, work, out = pointer(poses), pointer(work), pointer(out)
    numbers = later(work, PAIR_WORK)
    for p in range(many):
        i, j = integer(pairs, 2 * p), integer(pairs, 2 * p + 1)
        xa, Ra = gather_pose(poses, bodies, row, row, integer(ints, i * SHAPE_INTS + BODY), 0.0)
        xb, Rb = gather_pose(poses, bodies, row, row, integer(ints, j * SHAPE_INTS + BODY), 0.0)
        _, normal, a, _, apart = closest(ints, pars, vertices, i, j, (xa, Ra, xb, Rb), work, 0.0)
        store(out, p * RESULT, 0.0)
        store(out, p * RESULT + 1, apart)
        if apart > 0.0:
            ra, rb = shared(pars, i * SHAPE_PARS + RADIUS, 0.0), shared(pars, j * SHAPE_PARS + RADIUS, 0.0)
            x, R = pose_of(pars, i, xa, Ra, 0.0)
            n = turn_back(R, normal)
            for k in range(12):
                store(numbers, k, load(work, POSE + k, 0.0))
            store3(numbers, CLIP_NORMAL, n)
            store3(numbers, CLIP_POINT, sub3(turn_back(R, sub3(a, x)), scale3(ra, n)))
            store(numbers, CLIP_APART, apart)
            store(numbers, CLIP_MOST, 1.0 * POINTS)
            clip_pair(ints, pars, vertices, i, j, numbers)
            store(out, p * RESULT, load(numbers, CLIP_COUNT, 0.0))
            many_points = int(load(numbers, CLIP_COUNT, 0.0))
            write_points(out, p * RESULT, later(numbers, CLIP_ROWS), many_points, (x, R), normal, ra, rb)


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
