"""Copy rows of robots to scratch memory and back.

A last pack that is not full repeats its last row, so every lane always holds a real robot.
"""

from ..scalar.compiling import inner
from ..scalar.memory import gather, integer, lanes_of, load, scatter, scatter_block, store
from ..scalar.pack import select, somewhere
from .layout import COORDINATES, RATES, W_U, W_X


@inner
def read_rows(array, width, first, some, row, count, work, at, stride, zero):
    """Components first ... first + some of the rows from `row` on, into scalars at, at + stride, ..."""
    for j in range(some):
        store(work, at + j * stride, gather(array, width, row, count - 1, first + j, zero))


@inner
def write_rows(array, width, first, some, row, count, work, at, stride, zero):
    """Scalars at, at + stride, ... into components first ... first + some of the rows from `row` on."""
    many = lanes_of(zero)
    whole = some - some % many
    for j in range(0, whole, many):
        scatter_block(array, width, row, count - 1, first + j, work, at + j * stride, stride, zero)
    for j in range(whole, some):
        scatter(array, width, row, count - 1, first + j, load(work, at + j * stride, zero))


@inner
def read_state(tree, state, row, count, work, zero):
    """Coordinates and rates of the rows from `row` on."""
    nx, nv = integer(tree, COORDINATES), integer(tree, RATES)
    read_rows(state, nx + nv, 0, nx, row, count, work, integer(tree, W_X), 1, zero)
    read_rows(state, nx + nv, nx, nv, row, count, work, integer(tree, W_U), 1, zero)


@inner
def are_finite(work, at, stride, some, zero):
    """True if none of these scalars is NaN or infinite in any lane."""
    nothing = zero
    for j in range(some):
        value = load(work, at + j * stride, zero)
        nothing += value - value
    return not somewhere(select(nothing < 1.0, zero, zero + 1.0) > 0.5)
