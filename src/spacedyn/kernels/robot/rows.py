"""Copy rows of robots to scratch memory and back; clear and check what is written.

A last pack that is not full repeats its last row, so every lane always holds a real robot.
"""

from ..scalar.compiling import inner
from ..scalar.memory import (
    gather,
    gather_block,
    integer,
    lanes_of,
    later,
    load,
    scatter,
    scatter_block,
    store,
    widest_of,
)
from ..scalar.pack import select, somewhere
from .layout import COORDINATES, RATE_AT, RATE_INTS, RATE_PARENT, RATES, W_X


@inner
def read_rows(array, width, first, some, row, count, work, at, stride, zero):
    """Components first ... first + some of the rows from `row` on, into scalars at, at + stride, ..."""
    many, last = lanes_of(zero), count - 1
    for j in range(0, some - many + 1, many):
        gather_block(array, width, row, last, first + j, work, at + j * stride, stride, zero)
    if some % many != 0:
        if some > many:  # the last pack overlaps the one before
            j = some - many
            gather_block(array, width, row, last, first + j, work, at + j * stride, stride, zero)
        else:
            for j in range(some):
                store(work, at + j * stride, gather(array, width, row, last, first + j, zero))


@inner
def write_rows(array, width, first, some, row, count, work, at, stride, zero):
    """Scalars at, at + stride, ... into components first ... first + some of the rows from `row` on."""
    many, last = lanes_of(zero), count - 1
    for j in range(0, some - many + 1, many):
        scatter_block(array, width, row, last, first + j, work, at + j * stride, stride, zero)
    if some % many != 0:
        if some > many:
            j = some - many
            scatter_block(array, width, row, last, first + j, work, at + j * stride, stride, zero)
        else:
            for j in range(some):
                scatter(array, width, row, last, first + j, load(work, at + j * stride, zero))


@inner
def read_state(tree, state, row, count, work, zero):
    """Coordinates and rates of the rows from `row` on."""
    both = integer(tree, COORDINATES) + integer(tree, RATES)  # rates are behind the coordinates in `work`, too
    read_rows(state, both, 0, both, row, count, work, integer(tree, W_X), 1, zero)


@inner
def clear_matrix(tree, matrix, at, zero):
    """Zeros where two rates are on different branches; of a robot without branches every entry is written anyway."""
    nv, branches = integer(tree, RATES), 0
    for k in range(nv):
        branches += integer(tree, integer(tree, RATE_AT) + k * RATE_INTS + RATE_PARENT) != k - 1
    if branches:
        for j in range(nv * nv):
            store(matrix, at + j, zero)


@inner
def are_finite(array, some):
    """True if none of the first numbers of an array is NaN or infinite: x - x is 0 for finite x, NaN otherwise."""
    wide, left = widest_of(0.0), 0.0
    many, a, b, c, d = lanes_of(wide), wide, wide, wide, wide  # four sums, so that none waits for another
    whole = some - some % (4 * many)
    for j in range(0, whole, 4 * many):
        block = later(array, j)
        x, y, z, w = load(block, 0, wide), load(block, 1, wide), load(block, 2, wide), load(block, 3, wide)
        a, b, c, d = a + (x - x), b + (y - y), c + (z - z), d + (w - w)
    for j in range(whole, some):
        value = load(array, j, 0.0)
        left += value - value
    return left < 1.0 and not somewhere(select((a + b) + (c + d) < 1.0, wide, wide + 1.0) > 0.5)
