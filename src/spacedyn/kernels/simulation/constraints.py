"""Constraint rows: multipliers beside the dynamics, and states held on the constraints.

    H u' + c = F + J' lam,   J u' + J' u = 0   =>   W'W lam = -(J a + bias),   u' = a + L^-T D^(-1/2) W lam

a is the motion without rows, which the articulated-body algorithm has just found; its factors give the columns of W in
O(n) each (row_algebra.py). After a step, the state is moved onto the constraints by the smallest change in the metric
of the mass matrix, positions by Newton's method, then velocities: dq = -H^-1 J' (J H^-1 J')^-1 phi, and likewise du.
"""

from functools import cache

from ..robot.charts import chart_rates, inertial_rates, turn_into_base
from ..robot.factors import recover_accelerations, reduce_bodies
from ..robot.kinematics import base_axis, is_given
from ..robot.layout import *  # noqa: F403
from ..robot.segments import (
    force_about_base,
    segment_before,
    segment_of,
    segment_of_rate,
    segment_work,
    shift_force,
)
from ..robot.spatial import add6, angular, dot6, linear, load3, load6, pick, scale3, store6
from ..scalar.compiling import Address, inner, outlined
from ..scalar.dual import DUAL
from ..scalar.lanes import directions_in, number_in
from ..scalar.memory import integer, lanes_of, load, store, zero_of
from ..scalar.pack import ONE, PACK, magnitude, select, somewhere, sqrt
from ..sim.evaluate import SIGNATURE, STEP_SIGNATURE, evaluate
from ..sim.layout import *  # noqa: F403
from ..sim.sim import sim_at, varied_sim_at
from .right_hand_side import add_impulse, impulse_at
from .row_algebra import (
    NEAR,
    choose_rows,
    choose_unknown,
    combine_basis,
    least_left,
    orthonormalise,
    pick_scalars,
    put,
    solve_transposed,
    solve_upper,
    spread_least,
)

MAX_CORRECTIONS = 8
CLOSED = 1e-14  # a residual that is as good as none [m, rad]
LEFT_OPEN = 1e-9  # a residual that counts as an error as large as its tolerance


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
    """Where FORCE and ACCELERATION of body i are kept, behind QDD and TAU of all rates."""
    return integer(sim.plan, Y_UNBOUND) + 2 * integer(sim.tree, RATES) + 12 * i


@inner
def keep_unbound(sim, zero):
    """Keep the motion without rows; then nothing is given, as columns and changes of motion need it."""
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
    """No acceleration is given: neither of rates, nor of what carries loose joints."""
    for k in range(integer(sim.tree, RATES)):
        store(sim.work, integer(sim.tree, W_RATE) + k * RATE_WORK + QDD, zero)
    for s in range(1, integer(sim.tree, SEGMENTS) + 1):
        store6(sim.work, segment_work(sim.tree, s) + BIAS, (zero, zero, zero, zero, zero, zero))


@inner
def add_unbound(sim, zero):
    """Add the motion without rows to what rows have changed."""
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
    """No force on any body and rate."""
    for i in range(integer(sim.tree, BODIES)):
        body = integer(sim.tree, W_BODY) + i * BODY_WORK
        store6(sim.work, body + FORCE, (zero, zero, zero, zero, zero, zero))
    for k in range(integer(sim.tree, RATES)):
        store(sim.work, integer(sim.tree, W_RATE) + k * RATE_WORK + TAU, zero)


@inner
def push_bodies(sim, r, size, zero):
    """Add what a multiplier of row r of this size pushes to FORCE of its bodies."""
    row = row_of(sim, r)
    at = integer(sim.plan, row + R_WORK)
    for which in range(2):
        i = integer(sim.plan, row + R_BODY + which)
        if i >= 0:
            body = integer(sim.tree, W_BODY) + i * BODY_WORK + FORCE
            pushed = scaled6(-size, load6(sim.work, at + ROW_WRENCH + 6 * which, zero))
            store6(sim.work, body, add6(load6(sim.work, body, zero), pushed))


@inner
def row_rate(sim, row, which):
    """A rate that a row pushes: the place of its record in work."""
    return integer(sim.tree, W_RATE) + integer(sim.plan, integer(sim.plan, row + R_RATE_AT) + which) * RATE_WORK


@inner
def push_rates(sim, r, size, zero):
    """Add what it pushes to TAU of its rates."""
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
        push_nothing(sim, zero)
        push_bodies(sim, r, zero + 1.0, zero)
        push_rates(sim, r, zero + 1.0, zero)
        reduce_bodies(sim.tree, sim.work, zero)
        for k in range(nv):
            rate = integer(sim.tree, W_RATE) + k * RATE_WORK
            left = zero
            if is_given(sim.tree, k) == 0:
                left = load(sim.work, rate + TAU, zero) * sqrt(load(sim.work, rate + D_INVERSE, zero))
            store(sim.work, W + r * nv + k, left)


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


# --- multipliers ------------------------------------------------------------------------------------------------------


@inner
def change_motion(sim, z, zero):
    """QDD = L^-T D^(-1/2) z of the free rates; TAU of given ones is left to what has been pushed."""
    for k in range(integer(sim.tree, RATES)):
        if is_given(sim.tree, k) == 0:
            rate = integer(sim.tree, W_RATE) + k * RATE_WORK
            store(sim.work, rate + TAU, load(sim.work, z + k, zero) / sqrt(load(sim.work, rate + D_INVERSE, zero)))
    recover_accelerations(sim.tree, sim.par, sim.work, zero)


@inner
def place_multipliers(sim, found, target, rank, zero):
    """Multipliers of the independent rows, in their order, to their rows; zero elsewhere."""
    order = integer(sim.plan, Y_RANK) + 1
    for r in range(integer(sim.plan, ROWS)):
        store(sim.work, target + r, zero)
    for j in range(rank):
        if lanes_of(zero) == 1:
            if number_in(sim.work, order - 1, 0, zero) > j:
                r = int(number_in(sim.work, order + j, 0, zero))
                store(sim.work, target + r, load(sim.work, found + j, zero))
        else:
            for lane in range(lanes_of(zero)):
                if number_in(sim.work, order - 1, lane, zero) > j:
                    r = int(number_in(sim.work, order + j, lane, zero))
                    put(sim.work, target + r, lane, number_in(sim.work, found + j, lane, zero), zero)


@inner
def note_least(sim, rank, zero):
    """How near to a singular state a step has come, its stages included."""
    at = integer(sim.plan, M_OPEN) + LEAST_LEFT
    store(sim.memory, at, min(load(sim.memory, at, 0.0), least_left(sim, rank, zero)))


@inner
def solve_rows(sim, zero):
    """Accelerations and forces with all rows, from those without; multipliers into the rows' records."""
    m, nv, at = integer(sim.plan, ROWS), integer(sim.tree, RATES), integer(sim.plan, Y_SOLUTION)
    b, found, all_rows, z, spare = at, at + m, at + 2 * m, at + 3 * m, at + 3 * m + nv
    for r in range(m):
        store(sim.work, all_rows + r, -missing_acceleration(sim, r, zero))
    keep_unbound(sim, zero)
    make_columns(sim, zero)
    rank = choose_unknown(sim, zero)
    orthonormalise(sim, rank, zero)
    if directions_in(zero) == 0:
        note_least(sim, rank, zero)
    for j in range(rank):
        pick_scalars(sim, all_rows, 1, b + j, j, 1, zero)
    solve_transposed(sim, integer(sim.plan, Y_UPPER), b, rank, zero)
    combine_basis(sim, b, z, rank, zero)
    solve_upper(sim, integer(sim.plan, Y_UPPER), b, found, rank, zero)
    place_multipliers(sim, found, all_rows, rank, zero)
    if directions_in(zero) == 0 and somewhere(load(sim.work, integer(sim.plan, Y_RANK), zero) < 1.0 * m):
        spread_least(sim, b, spare, all_rows, rank, zero)
    push_nothing(sim, zero)
    for r in range(m):
        size = load(sim.work, all_rows + r, zero)
        store(sim.work, integer(sim.plan, row_of(sim, r) + R_WORK) + ROW_MULTIPLIER, size)
        push_bodies(sim, r, size, zero)
        push_rates(sim, r, size, zero)
    reduce_bodies(sim.tree, sim.work, zero)
    change_motion(sim, z, zero)
    add_unbound(sim, zero)
    for r in range(m):
        size = load(sim.work, all_rows + r, zero)
        push_bodies(sim, r, size, zero)
        push_rates(sim, r, -size, zero)  # of given rates: what is left for their actuators to give


@outlined
def account_rows(sim, k, zero):
    """For the ledger: impulse of what pushes from outside, work of moving targets; largest residuals and the rank."""
    outside, worst, fastest = (zero, zero, zero, zero, zero, zero), zero, zero
    for r in range(integer(sim.plan, ROWS)):
        row = row_of(sim, r)
        at, e = integer(sim.plan, row + R_WORK), integer(sim.plan, row + R_ELEMENT)
        size, drift = load(sim.work, at + ROW_MULTIPLIER, zero), load(sim.work, at + ROW_DRIFT, zero)
        phi, rate = magnitude(load(sim.work, at + ROW_PHI, zero)), magnitude(load(sim.work, at + ROW_RATE, zero))
        worst, fastest = select(phi <= worst, worst, phi), select(rate <= fastest, fastest, rate)
        if integer(sim.plan, row + R_OUTSIDE):
            F = scaled6(size, load6(sim.work, at + ROW_WRENCH, zero))
            outside = add6(outside, force_about_base(sim.tree, sim.work, integer(sim.plan, row + R_BODY), F, zero))
        work = k + integer(sim.plan, e + E_WORK)
        before = load(sim.work, work, zero) if r > 0 and integer(sim.plan, row - ROW_INTS + R_ELEMENT) == e else zero
        store(sim.work, work, before - size * drift)
    store6(sim.work, integer(sim.plan, Y_OUTSIDE), outside)
    add_impulse(sim, impulse_at(sim, k), zero)
    closure = integer(sim.plan, Y_CLOSURE)
    store(sim.work, closure + CLOSURE_PHI, worst)
    store(sim.work, closure + CLOSURE_RATE, fastest)
    store(sim.work, closure + CLOSURE_RANK, load(sim.work, integer(sim.plan, Y_RANK), zero))


def _solve(kind, at):
    """A function for each kind of scalar, called when the dynamics without rows is solved."""

    def solve_and_account(own, t, y, k, due):
        sim, zero = at(own), zero_of(kind)
        solve_rows(sim, zero)
        account_rows(sim, k, zero)

    return solve_and_account


def _solve_dual(own, t, y, k, due):
    """The same on dual numbers, but for the ledger."""
    solve_rows(sim_at(own), zero_of(DUAL))


# --- states on the constraints ----------------------------------------------------------------------------------------


@inner
def smallest_change(sim, zero):
    """The smallest change of motion, into z of Y_SOLUTION, that gives rows what stands there for all of them.

    The factors are those that an evaluation has left.
    """
    m, nv, at = integer(sim.plan, ROWS), integer(sim.tree, RATES), integer(sim.plan, Y_SOLUTION)
    b, rows, z = at, at + 2 * m, at + 3 * m
    rank = choose_unknown(sim, zero)
    for j in range(rank):
        pick_scalars(sim, rows, 1, b + j, j, 1, zero)
    solve_transposed(sim, integer(sim.plan, Y_UPPER), b, rank, zero)
    combine_basis(sim, b, z, rank, zero)
    give_nothing(sim, zero)
    change_motion(sim, z, zero)
    for k in range(nv):
        store(sim.work, z + k, load(sim.work, integer(sim.tree, W_RATE) + k * RATE_WORK + QDD, zero))


@inner
def correct(sim, y, what, active, zero):
    """Change positions (ROW_PHI) or rates (ROW_RATE) of y so that these vanish, to first order, where `active` is 1."""
    m, nv, at = integer(sim.plan, ROWS), integer(sim.tree, RATES), integer(sim.plan, Y_SOLUTION)
    rows, z, change = at + 2 * m, at + 3 * m, at + 3 * m + nv
    for r in range(m):
        off = load(sim.work, integer(sim.plan, row_of(sim, r) + R_WORK) + what, zero)
        store(sim.work, rows + r, -active * off)
    smallest_change(sim, zero)
    if what == ROW_PHI:
        chart_rates(sim.tree, sim.work, y, z, change, zero)
        for k in range(nv):
            store(sim.work, y + k, load(sim.work, y + k, zero) + load(sim.work, change + k, zero))
        return
    turn_into_base(sim.tree, sim.work, integer(sim.tree, W_X), z, zero)
    for k in range(nv):
        store(sim.work, y + nv + k, load(sim.work, y + nv + k, zero) + load(sim.work, z + k, zero))


@inner
def settle(sim, t, y, what, zero):
    """Move the vector y onto the constraints; the residual that is left, the largest of all robots."""
    before, left, going = zero + 1e300, zero, True
    wanted, corrections = zero + 1.0, 0
    near = integer(sim.plan, Y_RANK) + 1 + integer(sim.plan, ROWS)
    if what == HOLD_STAGE:
        wanted = select(load(sim.work, near, zero) < NEAR * NEAR, zero + 1.0, zero)
    while going:
        evaluate(sim, t, y, integer(sim.plan, Y_SPARE), 0)
        left = load(sim.work, integer(sim.plan, Y_CLOSURE) + CLOSURE_PHI, zero)
        # lane by lane: a robot's result does not depend on its neighbours
        open_still = select(left > CLOSED, select(left < 0.5 * before, wanted, zero), zero)
        before = select(open_still > 0.5, left, zero)
        corrections += 1
        going = somewhere(open_still > 0.5) and corrections < MAX_CORRECTIONS
        if going:
            correct(sim, y, ROW_PHI, open_still, zero)
    correct(sim, y, ROW_RATE, wanted, zero)
    most, least = 0.0, 1.0
    for lane in range(lanes_of(zero)):
        if what == CHOOSE_RANK:
            choose_rows(sim, lane, zero)
        least = min(least, number_in(sim.work, near, lane, zero))
        mine = number_in(sim.work, integer(sim.plan, Y_CLOSURE) + CLOSURE_PHI, lane, zero)
        if not mine <= most:
            most = mine
    return most, least


# --- slopes along the constraints -------------------------------------------------------------------------------------


@inner
def gradient_product(sim, r, x, zero):
    """J x of row r, by the rates between its bodies and the root: x are rates."""
    row, total = row_of(sim, r), zero
    at = integer(sim.plan, row + R_WORK)
    for which in range(2):
        i = integer(sim.plan, row + R_BODY + which)
        if i >= 0:
            F, s = load6(sim.work, at + ROW_WRENCH + 6 * which, zero), segment_of(sim.tree, i)
            k = integer(sim.tree, integer(sim.tree, BODY_AT) + i * BODY_INTS + LAST_RATE)
            while k >= 0:
                while s > 0 and s != segment_of_rate(sim.tree, k):
                    F = shift_force(F, load3(sim.work, segment_work(sim.tree, s) + LEVER, zero))
                    s = segment_before(sim.tree, s)
                felt = zero
                if k < integer(sim.tree, BASE_RATES):
                    felt += pick(F, base_axis(sim.tree, k))
                else:
                    felt += dot6(load6(sim.work, integer(sim.tree, W_RATE) + k * RATE_WORK + S, zero), F)
                total += felt * load(sim.work, x + k, zero)
                k = integer(sim.tree, integer(sim.tree, RATE_AT) + k * RATE_INTS + RATE_PARENT)
    for which in range(integer(sim.plan, row + R_RATES)):
        k = integer(sim.plan, integer(sim.plan, row + R_RATE_AT) + which)
        total += load(sim.work, at + ROW_FORCE + which, zero) * load(sim.work, x + k, zero)
    return total


@inner
def take_normal(sim, x, zero):
    """Take what is normal to the constraints, in the metric of the mass matrix, out of the rates x."""
    m, at = integer(sim.plan, ROWS), integer(sim.plan, Y_SOLUTION)
    for r in range(m):
        store(sim.work, at + 2 * m + r, -gradient_product(sim, r, x, zero))
    smallest_change(sim, zero)
    for k in range(integer(sim.tree, RATES)):
        store(sim.work, x + k, load(sim.work, x + k, zero) + load(sim.work, at + 3 * m + k, zero))


@outlined
def handle_slopes(sim, what, zero):
    """Keep the slopes K of a step, and take what is normal out of them; or put them back."""
    nv, size, K = integer(sim.tree, RATES), integer(sim.plan, SIZE), integer(sim.plan, Y_K)
    x = integer(sim.tree, W_X)
    for i in range(integer(sim.plan, MAIN_STAGES) + 1):
        mine, kept = K + i * size, integer(sim.plan, Y_SLOPES) + 2 * nv * i
        for k in range(2 * nv):
            if what == TAKE_NORMAL:
                store(sim.work, kept + k, load(sim.work, mine + k, zero))
            else:
                store(sim.work, mine + k, load(sim.work, kept + k, zero))
        if what == TAKE_NORMAL:
            take_normal(sim, mine, zero)
            inertial_rates(sim.tree, sim.work, x, kept + nv, mine + nv, zero)
            take_normal(sim, mine + nv, zero)
            turn_into_base(sim.tree, sim.work, x, mine + nv, zero)


def _settle(kind, at):
    def hold(own, t, _, y, what):
        sim, zero = at(own), zero_of(kind)
        if what >= TAKE_NORMAL:
            handle_slopes(sim, what, zero)
            return
        open_by, least = settle(sim, t, y, what, zero)
        kept = integer(sim.plan, M_OPEN)
        store(sim.memory, kept + OPEN_BY, open_by / LEFT_OPEN)
        if what == CHOOSE_RANK:
            store(sim.memory, kept + IS_NEAR, 1.0 if least < NEAR * NEAR else 0.0)
            store(sim.memory, kept + FIRST_LEFT, least)

    return hold


_FORMS = {"one": (ONE, sim_at), "pack": (PACK, sim_at), "varied": (PACK, varied_sim_at)}


@cache
def rows_address(form):
    """What solves rows as a C function, for a kind of scalar: 'one', 'pack', 'varied' or 'dual'."""
    made = _solve_dual if form == "dual" else _solve(*_FORMS[form])
    return Address(made, SIGNATURE, f"rows.{form}")


@cache
def settle_address(form):
    """What holds states on the rows as a C function."""
    return Address(_settle(*_FORMS[form]), STEP_SIGNATURE, f"settle.{form}")
