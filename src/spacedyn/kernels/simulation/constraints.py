"""Solve the constraint rows: multipliers, and accelerations with them, after the dynamics without rows.

    H udot + c = F + J' lam,   J udot + Jdot u = 0   =>   W'W lam = -(J a + bias),   udot = a + L^-T D^(-1/2) W lam

a is the acceleration without rows, which the articulated-body algorithm has just found; its factors give each column
of W in O(n) (row_algebra.py).
"""

from functools import cache

from ..robot.factors import reduce_bodies
from ..robot.layout import *  # noqa: F403
from ..robot.segments import force_about_base
from ..robot.spatial import add6, load6, store6
from ..scalar.compiling import Address, inner, outlined
from ..scalar.dual import DUAL
from ..scalar.lanes import directions_in, number_in
from ..scalar.memory import integer, lanes_of, load, store, zero_of
from ..scalar.pack import ONE, PACK, magnitude, select, somewhere
from ..sim.evaluate import SIGNATURE
from ..sim.layout import *  # noqa: F403
from ..sim.sim import sim_at, varied_sim_at
from .right_hand_side import add_impulse, impulse_at
from .row_algebra import (
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
from .row_motion import (
    add_unbound,
    change_motion,
    holding,
    keep_unbound,
    make_columns,
    make_rub_columns,
    missing_acceleration,
    push_bodies,
    push_nothing,
    push_rates,
    row_of,
    rows_holding,
    rub_bodies,
    scaled6,
)
from .rubbing_rows import solve_rubbing


@inner
def place_multipliers(sim, found, target, rank, zero):
    """Write the multipliers of the independent rows, which come in pivot order, to their rows; zero to all others."""
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
    """Update the least remainder of an independent row over a step and its stages: its distance to a singular state."""
    at = integer(sim.plan, M_OPEN) + LEAST_LEFT
    store(sim.memory, at, min(load(sim.memory, at, 0.0), least_left(sim, rank, zero)))


@inner
def solve_rows(sim, zero):
    """Add the rows' effect to accelerations and forces without rows; store multipliers in the rows' records."""
    m, nv, at = integer(sim.plan, ROWS), integer(sim.tree, RATES), integer(sim.plan, Y_SOLUTION)
    b, found, all_rows, z, spare = at, at + m, at + 2 * m, at + 3 * m, at + 3 * m + nv
    hold = rows_holding(sim, zero)
    if not somewhere(hold > 0.5):
        for r in range(m):
            store(sim.work, integer(sim.plan, row_of(sim, r) + R_WORK) + ROW_MULTIPLIER, zero)
        return
    for r in range(m):
        store(sim.work, all_rows + r, -holding(sim, r, zero) * missing_acceleration(sim, r, zero))
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
    if integer(sim.plan, RUBS):
        make_rub_columns(sim, zero)
        solve_rubbing(sim, b, z, all_rows, rank, zero)
    else:
        solve_upper(sim, integer(sim.plan, Y_UPPER), b, found, rank, zero)
        place_multipliers(sim, found, all_rows, rank, zero)
        if directions_in(zero) == 0 and somewhere(load(sim.work, integer(sim.plan, Y_RANK), zero) < hold):
            spread_least(sim, b, spare, all_rows, rank, zero)
    push_nothing(sim, zero)
    for r in range(m):
        size = load(sim.work, all_rows + r, zero)
        store(sim.work, integer(sim.plan, row_of(sim, r) + R_WORK) + ROW_MULTIPLIER, size)
        push_bodies(sim, r, size, zero)
        rub_bodies(sim, r, size, zero)
        push_rates(sim, r, size, zero)
    reduce_bodies(sim.tree, sim.work, zero)
    change_motion(sim, z, zero)
    add_unbound(sim, zero)
    for r in range(m):
        size = load(sim.work, all_rows + r, zero)
        push_bodies(sim, r, size, zero)
        rub_bodies(sim, r, size, zero)
        push_rates(sim, r, -size, zero)  # of given rates: what is left for their actuators to give


@outlined
def account_rows(sim, k, zero):
    """For the ledger: impulse from outside and work of moving targets; for the record: largest residuals, rank."""
    outside, worst, fastest = (zero, zero, zero, zero, zero, zero), zero, zero
    for r in range(integer(sim.plan, ROWS)):
        row = row_of(sim, r)
        at, e = integer(sim.plan, row + R_WORK), integer(sim.plan, row + R_ELEMENT)
        size, drift = load(sim.work, at + ROW_MULTIPLIER, zero), load(sim.work, at + ROW_DRIFT, zero)
        holds = holding(sim, r, zero)
        phi, rate = holds * load(sim.work, at + ROW_PHI, zero), holds * load(sim.work, at + ROW_RATE, zero)
        phi, rate = magnitude(phi), magnitude(rate)
        worst, fastest = select(phi <= worst, worst, phi), select(rate <= fastest, fastest, rate)
        if integer(sim.plan, row + R_OUTSIDE):
            F = scaled6(size, load6(sim.work, at + ROW_WRENCH, zero))
            if integer(sim.plan, row + R_RUBS):
                F = add6(F, scaled6(size, load6(sim.work, at + ROW_RUB, zero)))
            outside = add6(outside, force_about_base(sim.tree, sim.work, integer(sim.plan, row + R_BODY), F, zero))
        work = k + integer(sim.plan, e + E_WORK)
        is_next = r > 0 and integer(sim.plan, row - ROW_INTS + R_ELEMENT) == e
        before = load(sim.work, work, zero) if is_next or integer(sim.plan, row + R_WORKS) else zero
        store(sim.work, work, before - size * drift)
    store6(sim.work, integer(sim.plan, Y_OUTSIDE), outside)
    add_impulse(sim, impulse_at(sim, k), zero)
    closure = integer(sim.plan, Y_CLOSURE)
    store(sim.work, closure + CLOSURE_PHI, worst)
    store(sim.work, closure + CLOSURE_RATE, fastest)
    store(sim.work, closure + CLOSURE_RANK, load(sim.work, integer(sim.plan, Y_RANK), zero))


@inner
def add_felt(sim, zero):
    """For the record: add to the multipliers the mean force of the rows' impulses in the last step."""
    for r in range(integer(sim.plan, ROWS)):
        at = integer(sim.plan, row_of(sim, r) + R_WORK) + ROW_MULTIPLIER
        store(sim.work, at, load(sim.work, at, zero) + load(sim.work, integer(sim.plan, Y_ROW_FELT) + r, zero))


def _solve(kind, at):
    """A function for each kind of scalar, called when the dynamics without rows is solved."""

    def solve_and_account(own, t, y, k, due):
        sim, zero = at(own), zero_of(kind)
        solve_rows(sim, zero)
        account_rows(sim, k, zero)
        if integer(sim.plan, TOUCHES) > 0:
            add_felt(sim, zero)

    return solve_and_account


def _solve_dual(own, t, y, k, due):
    """The same on dual numbers, but for the ledger."""
    solve_rows(sim_at(own), zero_of(DUAL))


_FORMS = {"one": (ONE, sim_at), "pack": (PACK, sim_at), "varied": (PACK, varied_sim_at)}


@cache
def rows_address(form):
    """The rows' solver as a C function, for a kind of scalar: 'one', 'pack', 'varied' or 'dual'."""
    made = _solve_dual if form == "dual" else _solve(*_FORMS[form])
    return Address(made, SIGNATURE, f"rows.{form}")
