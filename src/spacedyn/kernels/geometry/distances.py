"""Rows of states to rows of distances: all pairs of a list of shapes, for robots whose bodies have given poses."""

from ..scalar.compiling import entry
from ..scalar.memory import integer, lanes_of, pointer, scatter, shared, zero_of
from ..scalar.pack import sqrt
from ..scalar.vectors import add3, dot3, scale3, turn, turn_back
from .cores import BODY, RADIUS, SHAPE_INTS, SHAPE_PARS, core_of, support
from .pairs import closest_at_once, pose_of
from .rows import gather3, gather_pose, scatter3

RESULT = 11  # gap, normal from A to B, closest points of A and B, distance of the cores


@entry
def run(ints, pars, vertices, pairs, poses, work, out, count, bodies, kind):
    """Rows of poses (bodies, 12) to rows of results (pairs, 11), for a list of pairs of shapes."""
    many = pairs.size // 2
    ints, pars, vertices, pairs = pointer(ints), pointer(pars), pointer(vertices), pointer(pairs)
    poses, work, out = pointer(poses), pointer(work), pointer(out)
    zero = zero_of(kind)
    last = count - 1
    for row in range(0, count, lanes_of(zero)):
        for p in range(many):
            i, j = integer(pairs, 2 * p), integer(pairs, 2 * p + 1)
            xa, Ra = gather_pose(poses, bodies, row, last, integer(ints, i * SHAPE_INTS + BODY), zero)
            xb, Rb = gather_pose(poses, bodies, row, last, integer(ints, j * SHAPE_INTS + BODY), zero)
            gap, normal, a, b, apart = closest_at_once(ints, pars, vertices, i, j, (xa, Ra, xb, Rb), work, zero)
            width, k = many * RESULT, p * RESULT
            scatter(out, width, row, last, k, gap)
            scatter3(out, width, row, last, k + 1, normal)
            scatter3(out, width, row, last, k + 4, a)
            scatter3(out, width, row, last, k + 7, b)
            scatter(out, width, row, last, k + 10, apart)


@entry
def supports(ints, pars, vertices, shapes, poses, directions, out, count, bodies):
    """Rows of poses and directions (shapes, 3) to rows of the farthest points (shapes, 3), all in inertial axes."""
    many = shapes.size
    ints, pars, vertices, shapes = pointer(ints), pointer(pars), pointer(vertices), pointer(shapes)
    poses, directions, out = pointer(poses), pointer(directions), pointer(out)
    last = count - 1
    for row in range(count):
        for p in range(many):
            i = integer(shapes, p)
            x, R = gather_pose(poses, bodies, row, last, integer(ints, i * SHAPE_INTS + BODY), 0.0)
            x, R = pose_of(pars, i, x, R, 0.0)
            d = gather3(directions, many * 3, row, last, p * 3, 0.0)
            s = support(core_of(ints, pars, i), vertices, turn_back(R, d))
            r = shared(pars, i * SHAPE_PARS + RADIUS, 0.0) / sqrt(dot3(d, d))
            scatter3(out, many * 3, row, last, p * 3, add3(add3(x, turn(R, s)), scale3(r, d)))
