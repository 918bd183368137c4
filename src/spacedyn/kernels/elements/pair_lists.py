"""Pairs of many shapes that may touch: a list, sorted, which is made anew when a shape has moved by half of SKIN.

Shapes are entered in cells by the centres of their bounding balls, lane by lane, and each is held against those of the
27 cells about it; the few large ones against all. In a pack the list has the pairs of all lanes. Pairs in it that are
apart push nothing, and the order is that of numbers: so forces do not depend, to the bit, on when the list was made,
nor on the other lanes. Behind it come all pairs of shapes and surfaces. Integers are kept as doubles.
"""

from ..geometry.broad_phase import hashed
from ..robot.spatial import dot3, load3, store3, sub3
from ..scalar.compiling import inner, separate
from ..scalar.lanes import number_in, stride_of
from ..scalar.memory import lanes_of, later, load, store
from ..scalar.pack import round_down, somewhere
from ..sim.layout import *  # noqa: F403
from .kind import own, parameter
from .pair_shapes import (
    BEFORE_AT,
    CAPACITY,
    CELL,
    CENTRES,
    LARGE,
    LARGE_AT,
    LISTS,
    MARGIN,
    NAN,
    OMITTED,
    OMITTED_AT,
    ON_BODIES,
    ON_SURFACES,
    REFERENCE,
    SHAPES,
    SKIN,
    SLOTS,
    SURFACES,
    body_of,
    kept_at,
    reach_of,
)

COUNT, MADE, FIRST_PAIR = 0, 1, 2  # of the list: how many pairs, whether it was made; pairs
NOWHERE = 1e15  # cell number of a coordinate that is not finite
AWAY = 1e30  # noted place of the first shape after a list without room, so that a new list is made at once


@inner
def list_memory(sim, e, zero):
    """The list; marks of shapes; then for each lane heads of chains, the next of each shape, cells."""
    room = later(sim.work, kept_at(sim, e, LISTS) * stride_of(zero))
    marks = FIRST_PAIR + 2 * own(sim, e, CAPACITY)
    return room, later(room, marks), later(room, marks + own(sim, e, SHAPES))


@inner
def lane_cells(sim, e, cells, lane):
    """Heads, next ones and cells of a lane."""
    n, slots = own(sim, e, SHAPES), own(sim, e, SLOTS)
    mine = later(cells, lane * (slots + 4 * n))
    return mine, later(mine, slots), later(mine, slots + n)


@inner
def is_omitted(sim, e, i, j):
    """Whether a pair is in the list of those left out, by halving."""
    low, high, key = 0, own(sim, e, OMITTED), i * own(sim, e, SHAPES) + j
    while low < high:
        middle = (low + high) // 2
        found = own(sim, e, own(sim, e, OMITTED_AT) + middle)
        if found == key:
            return True
        if found < key:
            low = middle + 1
        else:
            high = middle
    return False


@inner
def may_touch(sim, e, i, j):
    """Whether shapes i < j are of two bodies that are no neighbours, and not left out."""
    a, b, before = body_of(sim, e, i), body_of(sim, e, j), own(sim, e, BEFORE_AT)
    if a == b or own(sim, e, before + i) == b or own(sim, e, before + j) == a:
        return False
    return own(sim, e, OMITTED) == 0 or not is_omitted(sim, e, i, j)


@inner
def is_near(sim, e, i, j, lane, zero):
    """Whether the balls of two shapes are within MARGIN and SKIN of each other."""
    at, reach = kept_at(sim, e, CENTRES), reach_of(sim, e, i, 0.0) + reach_of(sim, e, j, 0.0)
    reach += parameter(sim, e, MARGIN, 0.0) + parameter(sim, e, SKIN, 0.0)
    x = number_in(sim.work, at + 3 * i, lane, zero) - number_in(sim.work, at + 3 * j, lane, zero)
    y = number_in(sim.work, at + 3 * i + 1, lane, zero) - number_in(sim.work, at + 3 * j + 1, lane, zero)
    z = number_in(sim.work, at + 3 * i + 2, lane, zero) - number_in(sim.work, at + 3 * j + 2, lane, zero)
    return x * x + y * y + z * z < reach * reach


@inner
def is_near_somewhere(sim, e, i, j, zero):
    """Whether they are in some lane."""
    for lane in range(lanes_of(zero)):
        if is_near(sim, e, i, j, lane, zero):
            return True
    return False


@inner
def is_large(sim, e, i):
    """Whether a shape is one of the large ones."""
    for k in range(own(sim, e, LARGE)):
        if own(sim, e, own(sim, e, LARGE_AT) + k) == i:
            return True
    return False


@inner
def cell_number(x, size):
    """The number of the cell of a coordinate; NOWHERE if there is none."""
    u = round_down(x / size)
    return u if abs(u) < NOWHERE else NOWHERE


@inner
def fill_cells(sim, e, cells, lane, zero):
    """Enter all shapes but the large ones in the cells of their centres."""
    head, following, cell = lane_cells(sim, e, cells, lane)
    at, size, mask = kept_at(sim, e, CENTRES), parameter(sim, e, CELL, 0.0), own(sim, e, SLOTS) - 1
    for k in range(own(sim, e, SLOTS)):
        store(head, k, -1.0)
    for i in range(own(sim, e, SHAPES)):
        for axis in range(3):
            store(cell, 3 * i + axis, cell_number(number_in(sim.work, at + 3 * i + axis, lane, zero), size))
        if not is_large(sim, e, i):
            x, y, z = load3(cell, 3 * i, 0.0)
            slot = hashed(int(x), int(y), int(z), mask)
            store(following, i, load(head, slot, 0.0))
            store(head, slot, 1.0 * i)


@inner
def add_to_list(sim, e, room, count, i, j):
    """Note a pair if there is room; how many there are now."""
    if count < own(sim, e, CAPACITY):
        store(room, FIRST_PAIR + 2 * count, 1.0 * i)
        store(room, FIRST_PAIR + 2 * count + 1, 1.0 * j)
    return count + 1


@inner
def add_from_cells(sim, e, memory, count, i, lane, zero):
    """Note shapes beyond i in the cells about it that are near in a lane, each once."""
    room, marks, cells = memory
    head, following, cell = lane_cells(sim, e, cells, lane)
    x, y, z = load3(cell, 3 * i, 0.0)
    for k in range(27):
        u, v, w = x + k % 3 - 1.0, y + (k // 3) % 3 - 1.0, z + k // 9 - 1.0
        j = int(load(head, hashed(int(u), int(v), int(w), own(sim, e, SLOTS) - 1), 0.0))
        while j >= 0:
            if j > i and load(marks, j, 0.0) != i:
                p = load3(cell, 3 * j, 0.0)
                here = p[0] == u and p[1] == v and p[2] == w
                if here and is_near(sim, e, i, j, lane, zero) and may_touch(sim, e, i, j):
                    store(marks, j, 1.0 * i)
                    count = add_to_list(sim, e, room, count, i, j)
            j = int(load(following, j, 0.0))
    return count


@inner
def sort_from(room, first, count):
    """Order the second shapes of the pairs from `first` on."""
    for k in range(first + 1, count):
        j, at = load(room, FIRST_PAIR + 2 * k + 1, 0.0), k
        while at > first and load(room, FIRST_PAIR + 2 * at - 1, 0.0) > j:
            store(room, FIRST_PAIR + 2 * at + 1, load(room, FIRST_PAIR + 2 * at - 1, 0.0))
            at -= 1
        store(room, FIRST_PAIR + 2 * at + 1, j)


@inner
def add_of_shape(sim, e, memory, count, i, zero):
    """Note all pairs of shape i and shapes beyond it."""
    room, first = memory[0], count
    if is_large(sim, e, i):
        for j in range(i + 1, own(sim, e, SHAPES)):
            if may_touch(sim, e, i, j) and is_near_somewhere(sim, e, i, j, zero):
                count = add_to_list(sim, e, room, count, i, j)
        return count
    for lane in range(lanes_of(zero)):
        count = add_from_cells(sim, e, memory, count, i, lane, zero)
    for k in range(own(sim, e, LARGE)):
        j = own(sim, e, own(sim, e, LARGE_AT) + k)
        if j > i and may_touch(sim, e, i, j) and is_near_somewhere(sim, e, i, j, zero):
            count = add_to_list(sim, e, room, count, i, j)
    if count <= own(sim, e, CAPACITY):
        sort_from(room, first, count)
    return count


@separate
def make_list(sim, e, zero):
    """Make the list. If it lacks room, forces become NaN, so that the run fails with a reason."""
    memory = list_memory(sim, e, zero)
    room, marks, cells = memory
    centres, reference = kept_at(sim, e, CENTRES), kept_at(sim, e, REFERENCE)
    for i in range(own(sim, e, SHAPES)):
        store(marks, i, -1.0)
        store3(sim.work, reference + 3 * i, load3(sim.work, centres + 3 * i, zero))
    for lane in range(lanes_of(zero)):
        fill_cells(sim, e, cells, lane, zero)
    count = 0
    for i in range(own(sim, e, ON_BODIES)):
        count = add_of_shape(sim, e, memory, count, i, zero)
    if count > own(sim, e, CAPACITY):
        count = add_to_list(sim, e, room, 0, 0, 1)
        store(sim.work, centres, zero + NAN)
        store(sim.work, reference, zero + AWAY)
    store(room, COUNT, 1.0 * count)
    store(room, MADE, 1.0)


@inner
def list_pairs(sim, e, zero):
    """Number of pairs in the list, which is made anew if it is no longer valid."""
    room, _, _ = list_memory(sim, e, zero)
    centres, reference = kept_at(sim, e, CENTRES), kept_at(sim, e, REFERENCE)
    half, holds = 0.5 * parameter(sim, e, SKIN, zero), load(room, MADE, 0.0) > 0.5
    i, many = 0, own(sim, e, SHAPES)
    while holds and i < many:
        d = sub3(load3(sim.work, centres + 3 * i, zero), load3(sim.work, reference + 3 * i, zero))
        holds = not somewhere(dot3(d, d) >= half * half)
        i += 1
    if not holds:
        make_list(sim, e, zero)
    return int(load(room, COUNT, 0.0)) + own(sim, e, ON_SURFACES) * own(sim, e, SURFACES)


@inner
def listed_pair(sim, e, q, zero):
    """Shapes of pair q; the second may be a surface, counted behind all shapes."""
    room, _, _ = list_memory(sim, e, zero)
    count = int(load(room, COUNT, 0.0))
    if q < count:
        return int(load(room, FIRST_PAIR + 2 * q, 0.0)), int(load(room, FIRST_PAIR + 2 * q + 1, 0.0))
    surfaces = own(sim, e, SURFACES)
    return (q - count) // surfaces, own(sim, e, SHAPES) + (q - count) % surfaces
