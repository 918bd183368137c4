"""Rows of states to rows of distances: all pairs of a list of shapes, for robots whose bodies have given poses."""

from ..scalar.compiling import entry, inner
from ..scalar.memory import gather, integer, lanes_of, pointer, scatter, zero_of
from .cores import BODY, SHAPE_INTS
from .pairs import closest

POSE = 12  # numbers of a body's pose: position, rotation
RESULT = 11  # gap, normal from A to B, closest points of A and B, distance of the cores


@inner
def gather3(array, width, row, last, j, zero):
    return (
        gather(array, width, row, last, j, zero),
        gather(array, width, row, last, j + 1, zero),
        gather(array, width, row, last, j + 2, zero),
    )


@inner
def gather_pose(poses, bodies, row, last, i, zero):
    """Position and rotation of body i."""
    width, j = bodies * POSE, i * POSE
    return (
        gather3(poses, width, row, last, j, zero),
        gather3(poses, width, row, last, j + 3, zero)
        + gather3(poses, width, row, last, j + 6, zero)
        + gather3(poses, width, row, last, j + 9, zero),
    )


@inner
def scatter3(array, width, row, last, j, v):
    scatter(array, width, row, last, j, v[0])
    scatter(array, width, row, last, j + 1, v[1])
    scatter(array, width, row, last, j + 2, v[2])


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
            gap, normal, a, b, apart = closest(ints, pars, vertices, i, j, (xa, Ra, xb, Rb), work, zero)
            width, k = many * RESULT, p * RESULT
            scatter(out, width, row, last, k, gap)
            scatter3(out, width, row, last, k + 1, normal)
            scatter3(out, width, row, last, k + 4, a)
            scatter3(out, width, row, last, k + 7, b)
            scatter(out, width, row, last, k + 10, apart)
