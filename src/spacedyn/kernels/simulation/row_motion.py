"""Forces of constraint rows, their columns, and the motion without them, for constraints.py and projection.py."""

from ..robot.factors import recover_accelerations, reduce_bodies
from ..robot.kinematics import is_given
from ..robot.layout import *  # noqa: F403
from ..robot.segments import rests_rate, segment_work
from ..robot.spatial import add6, angular, dot6, linear, load6, scale3, store6
from ..scalar.compiling import inner
from ..scalar.memory import integer, load, store
from ..scalar.pack import somewhere, sqrt
from ..sim.layout import *  # noqa: F403


@inner
def row_of(sim, r):
    """The record in plan of row r of all."""
    return integer(sim.plan, ROW_AT) + r * ROW_INTS


@inner
def scaled6(factor, F):
    return scale3(factor, linear(F)) + scale3(factor, angular(F))


# --- the motion without rows ------------------------------------------------------------------------------------------


@inner
def unbound_body(sim, i):
    """Place in work of the copies of FORCE and ACCELERATION of body i, behind those of QDD and TAU."""
    return integer(sim.plan, Y_UNBOUND) + 2 * integer(sim.tree, RATES) + 12 * i


@inner
def keep_unbound(sim, zero):
    """Copy the motion without rows; then set given accelerations to zero, as columns and changes of motion need it."""
    kept, nv = integer(sim.plan, Y_UNBOUND), integer(sim.tree, RATES)
    for k in range(nv):
        rate = integer(sim.tree, W_RATE) + k * RATE_WORK
        store(sim.work, kept + k, load(sim.work, rate + QDD, zero))
        store(sim.work, kept + nv + k, load(sim.work, rate + TAU, zero))
    for i in range(integer(sim.tree, BODIES)):
        body, mine = integer(sim.tree, W_BODY) + i * BODY_WORK, unbound_body(sim, i)
        store6(sim.work, mine, load6(sim.work, body + FORCE, zero))
        store6(sim.work, mine + 6, load6(sim.work, body + ACCELERATION, zero))
    give_nothing(sim, zero)


@inner
def give_nothing(sim, zero):
    """Set given accelerations of rates and of carriers of loose joints to zero; sleeping bodies keep theirs."""
    for k in range(integer(sim.tree, RATES)):
        if not rests_rate(sim.tree, k):
            store(sim.work, integer(sim.tree, W_RATE) + k * RATE_WORK + QDD, zero)
    for s in range(1, integer(sim.tree, SEGMENTS) + 1):
        store6(sim.work, segment_work(sim.tree, s) + BIAS, (zero, zero, zero, zero, zero, zero))


@inner
def add_unbound(sim, zero):
    """Add the copied motion without rows to the change that rows make."""
    kept, nv = integer(sim.plan, Y_UNBOUND), integer(sim.tree, RATES)
    for k in range(nv):
        rate = integer(sim.tree, W_RATE) + k * RATE_WORK
        store(sim.work, rate + QDD, load(sim.work, rate + QDD, zero) + load(sim.work, kept + k, zero))
        store(sim.work, rate + TAU, load(sim.work, rate + TAU, zero) + load(sim.work, kept + nv + k, zero))
    for i in range(integer(sim.tree, BODIES)):
        body, mine = integer(sim.tree, W_BODY) + i * BODY_WORK, unbound_body(sim, i)
        store6(sim.work, body + FORCE, load6(sim.work, mine, zero))
        a = add6(load6(sim.work, body + ACCELERATION, zero), load6(sim.work, mine + 6, zero))
        store6(sim.work, body + ACCELERATION, a)


# --- columns and right-hand sides -------------------------------------------------------------------------------------


@inner
def push_nothing(sim, zero):
    """Set the forces on all bodies and rates to zero."""
    for i in range(integer(sim.tree, BODIES)):
        body = integer(sim.tree, W_BODY) + i * BODY_WORK
        store6(sim.work, body + FORCE, (zero, zero, zero, zero, zero, zero))
    for k in range(integer(sim.tree, RATES)):
        store(sim.work, integer(sim.tree, W_RATE) + k * RATE_WORK + TAU, zero)


@inner
def push_bodies(sim, r, size, zero):
    """Add the force of row r with a multiplier `size` to FORCE of its bodies."""
    row = row_of(sim, r)
    at = integer(sim.plan, row + R_WORK)
    for which in range(2):
        i = integer(sim.plan, row + R_BODY + which)
        if i >= 0:
            body = integer(sim.tree, W_BODY) + i * BODY_WORK + FORCE
            pushed = scaled6(-size, load6(sim.work, at + ROW_WRENCH + 6 * which, zero))
            store6(sim.work, body, add6(load6(sim.work, body, zero), pushed))


@inner
def rub_bodies(sim, r, size, zero):
    """Add the additional force of a rubbing row r with a multiplier `size` to FORCE of its bodies."""
    row = row_of(sim, r)
    if integer(sim.plan, row + R_RUBS):
        at = integer(sim.plan, row + R_WORK)
        for which in range(2):
            i = integer(sim.plan, row + R_BODY + which)
            if i >= 0:
                body = integer(sim.tree, W_BODY) + i * BODY_WORK + FORCE
                pushed = scaled6(-size, load6(sim.work, at + ROW_RUB + 6 * which, zero))
                store6(sim.work, body, add6(load6(sim.work, body, zero), pushed))


@inner
def row_rate(sim, row, which):
    """A rate that a row pushes: the place of its record in work."""
    return integer(sim.tree, W_RATE) + integer(sim.plan, integer(sim.plan, row + R_RATE_AT) + which) * RATE_WORK


@inner
def push_rates(sim, r, size, zero):
    """Add the force of row r with a multiplier `size` to TAU of its rates."""
    row = row_of(sim, r)
    at = integer(sim.plan, row + R_WORK)
    for which in range(integer(sim.plan, row + R_RATES)):
        tau = row_rate(sim, row, which) + TAU
        more = size * load(sim.work, at + ROW_FORCE + which, zero)
        store(sim.work, tau, load(sim.work, tau, zero) + more)


@inner
def make_columns(sim, zero):
    """W, row by row: D^(-1/2) L^-1 J', by the sweep of forces towards the base; zero for rates that are given."""
    nv, W = integer(sim.tree, RATES), integer(sim.plan, Y_COLUMN)
    for r in range(integer(sim.plan, ROWS)):
        holds = holding(sim, r, zero)
        if somewhere(holds > 0.5):
            push_nothing(sim, zero)
            push_bodies(sim, r, holds, zero)
            push_rates(sim, r, holds, zero)
            keep_column(sim, W + r * nv, zero)
        else:
            for k in range(nv):
                store(sim.work, W + r * nv + k, zero)


@inner
def keep_column(sim, at, zero):
    """Store D^(-1/2) L^-1 of the applied forces as a column."""
    reduce_bodies(sim.tree, sim.work, zero)
    for k in range(integer(sim.tree, RATES)):
        rate = integer(sim.tree, W_RATE) + k * RATE_WORK
        left = zero
        if is_given(sim.tree, k) == 0:
            left = load(sim.work, rate + TAU, zero) * sqrt(load(sim.work, rate + D_INVERSE, zero))
        store(sim.work, at + k, left)


@inner
def make_rub_columns(sim, zero):
    """Make the columns of the additional forces of rows that rub."""
    nv, F = integer(sim.tree, RATES), integer(sim.plan, Y_RUB)
    for r in range(integer(sim.plan, ROWS)):
        if integer(sim.plan, row_of(sim, r) + R_RUBS):
            push_nothing(sim, zero)
            rub_bodies(sim, r, holding(sim, r, zero), zero)
            keep_column(sim, F + r * nv, zero)
        else:
            for k in range(nv):
                store(sim.work, F + r * nv + k, zero)


@inner
def holding(sim, r, zero):
    """1 if row r is active, 0 if it is not."""
    return 1.0 - load(sim.work, integer(sim.plan, row_of(sim, r) + R_WORK) + ROW_RESTS, zero)


@inner
def rows_holding(sim, zero):
    """Number of active rows of each robot."""
    count = zero
    for r in range(integer(sim.plan, ROWS)):
        count += holding(sim, r, zero)
    return count


@inner
def missing_acceleration(sim, r, zero):
    """phi'' of row r without its multipliers; before `keep_unbound`."""
    row = row_of(sim, r)
    at = integer(sim.plan, row + R_WORK)
    total = load(sim.work, at + ROW_BIAS, zero)
    for which in range(2):
        i = integer(sim.plan, row + R_BODY + which)
        if i >= 0:
            found = load6(sim.work, integer(sim.tree, W_BODY) + i * BODY_WORK + ACCELERATION, zero)
            total += dot6(load6(sim.work, at + ROW_WRENCH + 6 * which, zero), found)
    for which in range(integer(sim.plan, row + R_RATES)):
        qdd = load(sim.work, row_rate(sim, row, which) + QDD, zero)
        total += load(sim.work, at + ROW_FORCE + which, zero) * qdd
    return total


@inner
def change_motion(sim, z, zero):
    """Set QDD of the free rates to L^-T D^(-1/2) z; TAU of given rates is not changed."""
    for k in range(integer(sim.tree, RATES)):
        if is_given(sim.tree, k) == 0 and not rests_rate(sim.tree, k):
            rate = integer(sim.tree, W_RATE) + k * RATE_WORK
            store(sim.work, rate + TAU, load(sim.work, z + k, zero) / sqrt(load(sim.work, rate + D_INVERSE, zero)))
    recover_accelerations(sim.tree, sim.par, sim.work, False, zero)
