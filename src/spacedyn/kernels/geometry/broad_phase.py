"""Which boxes may touch: a grid of cells, hashed, so that the work is linear in the number of boxes.

A box is entered in the cell of its centre. No small box is longer than a cell, so partners are in the 27 cells about
it; the few large ones are held against all others. Boxes are along inertial axes, (low, high).
"""

import math

from ..scalar.compiling import entry, inner
from ..scalar.memory import integer, pointer, shared
from .cores import BODY, RADIUS, SHAPE_INTS, SHAPE_PARS, core_of, support
from .pairs import pose_of
from .rows import gather_pose


@entry
def boxes(ints, pars, vertices, poses, margin, out, row, bodies):
    """Boxes (shapes, 6) about all shapes of one row of poses, `margin` larger on each side."""
    many = out.size // 6
    ints, pars, vertices, poses = pointer(ints), pointer(pars), pointer(vertices), pointer(poses)
    for i in range(many):
        x, R = gather_pose(poses, bodies, row, row, integer(ints, i * SHAPE_INTS + BODY), 0.0)
        x, R = pose_of(pars, i, x, R, 0.0)
        core, reach = core_of(ints, pars, i), shared(pars, i * SHAPE_PARS + RADIUS, 0.0) + margin
        for axis in range(3):
            d = (R[3 * axis], R[3 * axis + 1], R[3 * axis + 2])  # the inertial axis, in the axes of the core
            p, q = support(core, vertices, d), support(core, vertices, (-d[0], -d[1], -d[2]))
            high = p[0] * d[0] + p[1] * d[1] + p[2] * d[2]
            low = q[0] * d[0] + q[1] * d[1] + q[2] * d[2]
            out[6 * i + axis] = x[axis] + low - reach
            out[6 * i + 3 + axis] = x[axis] + high + reach


@inner
def hashed(x, y, z, mask):
    """A number below mask + 1 for a cell."""
    return ((x * 73856093) ^ (y * 19349663) ^ (z * 83492791)) & mask


@inner
def overlap(box, i, j):
    """Whether boxes i and j have a point in common."""
    return (
        box[6 * i] <= box[6 * j + 3]
        and box[6 * j] <= box[6 * i + 3]
        and box[6 * i + 1] <= box[6 * j + 4]
        and box[6 * j + 1] <= box[6 * i + 4]
        and box[6 * i + 2] <= box[6 * j + 5]
        and box[6 * j + 2] <= box[6 * i + 5]
    )


@inner
def is_pair(box, owner, before, i, j):
    """Whether boxes of two bodies overlap that are not left out: the same body, or neighbours in the tree."""
    a, b = owner[i], owner[j]
    return a != b and before[a] != b and before[b] != a and overlap(box, i, j)


@inner
def add_pair(pairs, count, i, j):
    """Note a pair, the smaller number first, if there is room; how many there are now."""
    if 2 * count + 1 < pairs.size:
        pairs[2 * count], pairs[2 * count + 1] = min(i, j), max(i, j)
    return count + 1


@entry
def candidates(box, owner, before, cell, large, head, following, cells, pairs):
    """Pairs of boxes that overlap, into `pairs`; returns how many there are, which may be more than there is room for.

    `owner` is the body of each box, `before` the neighbour of each body toward the root, or -1. Boxes longer than
    `cell` have `large` set. `head` (a power of two) is -1 everywhere; `following` and `cells` (3 a box) are scratch.
    """
    n, mask, count = owner.size, head.size - 1, 0
    for i in range(n):
        if large[i]:
            for j in range(n):
                if (not large[j] or j < i) and is_pair(box, owner, before, i, j):
                    count = add_pair(pairs, count, i, j)
            continue
        x = math.floor(0.5 * (box[6 * i] + box[6 * i + 3]) / cell)
        y = math.floor(0.5 * (box[6 * i + 1] + box[6 * i + 4]) / cell)
        z = math.floor(0.5 * (box[6 * i + 2] + box[6 * i + 5]) / cell)
        for k in range(27):
            u, v, w = x + k % 3 - 1, y + (k // 3) % 3 - 1, z + k // 9 - 1
            j = head[hashed(u, v, w, mask)]
            while j >= 0:
                here = cells[3 * j] == u and cells[3 * j + 1] == v and cells[3 * j + 2] == w
                if here and is_pair(box, owner, before, i, j):
                    count = add_pair(pairs, count, i, j)
                j = following[j]
        cells[3 * i], cells[3 * i + 1], cells[3 * i + 2] = x, y, z
        slot = hashed(x, y, z, mask)
        following[i], head[slot] = head[slot], i
    return count
