"""Constraint rows under impulses: places can move only along the constraints, and rows react with impulses.

    W W' -> W (I - Q Q') W',   z = (I - Q Q') sum W' p,   R r = -Q' sum W' p

Q and R are those of row_algebra.py at the start of the step; r are the rows' impulses. So no contact impulse opens a
loop, and the cost of a sweep does not grow with the number of rows; but columns have entries for all rates.
"""

from ..robot.layout import *  # noqa: F403
from ..robot.segments import force_about_base
from ..robot.spatial import add3, add6, dot3, load3, load6, scale3, store3, sub3
from ..scalar.compiling import inner, outlined
from ..scalar.memory import integer, load, store
from ..scalar.pack import select, somewhere
from ..sim.layout import *  # noqa: F403
from .constraints import place_multipliers
from .near_columns import near_column, near_record, path_of
from .row_algebra import choose_unknown, solve_upper, spread_least
from .row_motion import row_of, rows_holding, scaled6

HELD = 1e-20  # of a column's square: a smaller remainder is rounding, and rows block the direction


@inner
def rank_of_rows(sim, zero):
    """The largest number of independent rows of all robots."""
    return choose_unknown(sim, zero) if somewhere(rows_holding(sim, zero) > 0.5) else 0


@inner
def spread_column(sim, a, count, zero):
    """Expand the columns of the near place a to entries for all rates in order."""
    nv, column, path = integer(sim.tree, RATES), near_column(sim, a), path_of(sim, a)
    mark = integer(sim.plan, M_MARK)
    for j in range(count):
        store(sim.memory, mark + int(load(sim.memory, path + j, 0.0)), 1.0 * (j + 1))
    spare = integer(sim.plan, Y_SOLUTION)
    for axis in range(3):
        for k in range(nv):
            j = int(load(sim.memory, mark + k, 0.0))
            store(sim.work, spare + k, load(sim.work, column + 3 * (j - 1) + axis, zero) if j > 0 else zero)
        for k in range(nv):
            store(sim.work, column + 3 * k + axis, load(sim.work, spare + k, zero))
    for k in range(nv):
        store(sim.memory, mark + k, 0.0)
        store(sim.memory, path + k, 1.0 * k)


@inner
def squares(sim, column, nv, zero):
    """The squares of three columns."""
    x, y, z = zero, zero, zero
    for k in range(nv):
        w = load3(sim.work, column + 3 * k, zero)
        x, y, z = x + w[0] * w[0], y + w[1] * w[1], z + w[2] * w[2]
    return x, y, z


@outlined
def held_by_rows(sim, a, count, zero):
    """Project the columns of the near place a onto motions along the rows; return the number of rates."""
    m, nv = integer(sim.plan, ROWS), integer(sim.tree, RATES)
    spread_column(sim, a, count, zero)
    column, part, Q = near_column(sim, a), integer(sim.plan, Y_ROW_PART) + 3 * a * m, integer(sim.plan, Y_BASIS)
    before = squares(sim, column, nv, zero)
    for j in range(rank_of_rows(sim, zero)):
        c = (zero, zero, zero)
        for k in range(nv):
            q = load(sim.work, Q + j * nv + k, zero)
            c = add3(c, scale3(q, load3(sim.work, column + 3 * k, zero)))
        for k in range(nv):
            at, q = column + 3 * k, load(sim.work, Q + j * nv + k, zero)
            store3(sim.work, at, sub3(load3(sim.work, at, zero), scale3(q, c)))
        store3(sim.work, part + 3 * j, c)
    after = squares(sim, column, nv, zero)
    keeps = (
        select(after[0] > HELD * before[0], zero + 1.0, zero),
        select(after[1] > HELD * before[1], zero + 1.0, zero),
        select(after[2] > HELD * before[2], zero + 1.0, zero),
    )
    for k in range(nv):
        w = load3(sim.work, column + 3 * k, zero)
        store3(sim.work, column + 3 * k, (keeps[0] * w[0], keeps[1] * w[1], keeps[2] * w[2]))
    return nv


@outlined
def push_back(sim, many, h, target, zero):
    """Impulses of the rows; book those from outside and the work of moving targets; keep forces for the record."""
    m, nv, at = integer(sim.plan, ROWS), integer(sim.tree, RATES), integer(sim.plan, Y_SOLUTION)
    b, found, all_rows, spare = at, at + m, at + 2 * m, at + 3 * m + nv
    outside, rank = (zero, zero, zero, zero, zero, zero), rank_of_rows(sim, zero)
    for r in range(m):
        store(sim.work, all_rows + r, zero)
    for j in range(rank):
        total = zero
        for a in range(many):
            p = load3(sim.work, near_record(sim, a) + NEAR_IMPULSE, zero)
            total -= dot3(load3(sim.work, integer(sim.plan, Y_ROW_PART) + 3 * (a * m + j), zero), p)
        store(sim.work, b + j, total)
    if rank > 0:
        solve_upper(sim, integer(sim.plan, Y_UPPER), b, found, rank, zero)
        place_multipliers(sim, found, all_rows, rank, zero)
        if somewhere(load(sim.work, integer(sim.plan, Y_RANK), zero) < rows_holding(sim, zero)):
            spread_least(sim, b, spare, all_rows, rank, zero)
    for r in range(m):
        row, size = row_of(sim, r), load(sim.work, all_rows + r, zero)
        mine, e = integer(sim.plan, row + R_WORK), integer(sim.plan, row + R_ELEMENT)
        store(sim.work, integer(sim.plan, Y_ROW_FELT) + r, size / h)
        if integer(sim.plan, row + R_OUTSIDE):
            F = scaled6(size, load6(sim.work, mine + ROW_WRENCH, zero))
            outside = add6(outside, force_about_base(sim.tree, sim.work, integer(sim.plan, row + R_BODY), F, zero))
        work = target + integer(sim.plan, e + E_WORK)
        store(sim.work, work, load(sim.work, work, zero) - size * load(sim.work, mine + ROW_DRIFT, zero))
    return outside
