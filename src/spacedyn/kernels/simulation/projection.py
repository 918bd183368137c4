"""Projection of states onto the constraints: positions by Newton's method, then velocities, by smallest changes.

    dq = -H^-1 J' (J H^-1 J')^-1 phi,   du = -H^-1 J' (J H^-1 J')^-1 phi'

In the metric of the mass matrix, with the factors of row_algebra.py; only rows with residuals act on positions. For
steps near singular states, slopes of a step are projected, too.
"""

from functools import cache

from ..robot.charts import chart_rates, inertial_rates, turn_into_base
from ..robot.kinematics import base_axis
from ..robot.layout import *  # noqa: F403
from ..robot.segments import segment_before, segment_of, segment_of_rate, segment_work, shift_force
from ..robot.spatial import dot6, load3, load6, pick
from ..scalar.compiling import Address, inner, outlined
from ..scalar.lanes import number_in
from ..scalar.memory import integer, lanes_of, load, store, zero_of
from ..scalar.pack import ONE, PACK, select, somewhere
from ..sim.evaluate import STEP_SIGNATURE, evaluate
from ..sim.layout import *  # noqa: F403
from ..sim.sim import sim_at, varied_sim_at
from .row_algebra import NEAR, choose_unknown, combine_basis, pick_scalars, renew_rows, solve_transposed
from .row_motion import change_motion, give_nothing, holding, row_of, rows_holding

MAX_CORRECTIONS = 8
CLOSED = 1e-14  # a residual that counts as zero [m, rad]
LEFT_OPEN = 1e-9  # tolerance of a residual [m, rad], in the error of a step


@inner
def smallest_change(sim, moves, zero):
    """The smallest change z of motion, in Y_SOLUTION, that changes rows by the values stored there for all rows.

    The factors are those of the last evaluation. `moves`: a change of positions, without nonholonomic rows.
    """
    m, nv, at = integer(sim.plan, ROWS), integer(sim.tree, RATES), integer(sim.plan, Y_SOLUTION)
    b, rows, z = at, at + 2 * m, at + 3 * m
    rank = choose_unknown(sim, zero)
    for j in range(rank):
        pick_scalars(sim, rows, 1, b + j, j, 1, zero)
    solve_transposed(sim, integer(sim.plan, Y_UPPER), b, rank, zero)
    if moves:
        with_residuals = load(sim.work, integer(sim.plan, Y_RANK) + 2 + 2 * m, zero)
        for j in range(rank):
            store(sim.work, b + j, select(with_residuals > 1.0 * j, load(sim.work, b + j, zero), zero))
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
        store(sim.work, rows + r, -active * holding(sim, r, zero) * off)
    smallest_change(sim, what == ROW_PHI, zero)
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
    """Project the vector y onto the constraints; return the largest residual left, and the least remainder of a row."""
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
        mine = renew_rows(sim, lane, zero) if what == CHOOSE_RANK else number_in(sim.work, near, lane, zero)
        least = min(least, mine)
        mine = number_in(sim.work, integer(sim.plan, Y_CLOSURE) + CLOSURE_PHI, lane, zero)
        if not mine <= most:
            most = mine
    return most, least


# --- slopes along the constraints -------------------------------------------------------------------------------------


@inner
def gradient_product(sim, r, x, zero):
    """J x of row r, for rates x, by the rates between its bodies and the root."""
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
    """Remove from the rates x their part normal to the constraints in the metric of the mass matrix."""
    m, at = integer(sim.plan, ROWS), integer(sim.plan, Y_SOLUTION)
    for r in range(m):
        store(sim.work, at + 2 * m + r, -holding(sim, r, zero) * gradient_product(sim, r, x, zero))
    smallest_change(sim, False, zero)
    for k in range(integer(sim.tree, RATES)):
        store(sim.work, x + k, load(sim.work, x + k, zero) + load(sim.work, at + 3 * m + k, zero))


@outlined
def handle_slopes(sim, what, zero):
    """Copy the slopes K of a step and remove their normal parts, or restore the copy."""
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
        open_by, least = 0.0, 1.0
        if what == CHOOSE_RANK:
            store(sim.memory, integer(sim.plan, M_OPEN) + RANK_CHANGES, 0.0)
        if somewhere(rows_holding(sim, zero) > 0.5):
            open_by, least = settle(sim, t, y, what, zero)
        kept = integer(sim.plan, M_OPEN)
        store(sim.memory, kept + OPEN_BY, open_by / LEFT_OPEN)
        if what == CHOOSE_RANK:
            store(sim.memory, kept + IS_NEAR, 1.0 if least < NEAR * NEAR else 0.0)
            store(sim.memory, kept + FIRST_LEFT, least)

    return hold


_FORMS = {"one": (ONE, sim_at), "pack": (PACK, sim_at), "varied": (PACK, varied_sim_at)}


@cache
def settle_address(form):
    """The projection onto the rows as a C function."""
    return Address(_settle(*_FORMS[form]), STEP_SIGNATURE, f"settle.{form}")
