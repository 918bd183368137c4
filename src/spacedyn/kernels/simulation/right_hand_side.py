"""The right-hand side: the rate of change of the vector y of a simulation.

s' = dexp^-1(s) u,   u' = H^-1 (F + J'Fe - c),   states of laws and elements,   the ledger's works and impulses
"""

from functools import cache

from ..elements.carried import clear_attached
from ..elements.laws import fill_view
from ..robot.bodies import add_wrenches, clear_forces, endpoint_lever, first_moment, motions
from ..robot.charts import chart_rates, inertial_rates, move_along, turn_into_base
from ..robot.forward_dynamics import solve_dynamics
from ..robot.kinematics import base_part, is_given
from ..robot.layout import *  # noqa: F403
from ..robot.segments import force_about_base, speed_of
from ..robot.spatial import (
    add3,
    add6,
    angular,
    cross,
    dot3,
    linear,
    load3,
    load6,
    scale3,
    shared3,
    store3,
    store6,
    sub3,
)
from ..robot.totals import body_sums
from ..scalar.compiling import Address, call, inner, outlined
from ..scalar.dual import DUAL
from ..scalar.memory import integer, load, load_counter, shared, store, store_counter, zero_of
from ..scalar.pack import ONE, PACK
from ..sim.evaluate import SIGNATURE, run_kinds
from ..sim.layout import *  # noqa: F403
from ..sim.sim import sim_at, varied_sim_at


@outlined
def wrench_power(tree, par, work, at, zero):
    """Write the power of laws' wrenches, ledger rates, from place `at` on."""
    ends = integer(tree, ENDPOINTS)
    u, wrench = integer(tree, W_U), integer(tree, W_WRENCH)
    v0 = base_part(tree, work, u, 1, 0, zero)
    f, n = load3(work, wrench, zero), load3(work, wrench + 3, zero)
    store(work, at, dot3(f, v0) + dot3(n, base_part(tree, work, u, 1, 3, zero)))
    for e in range(ends):
        i = integer(tree, integer(tree, ENDPOINT_AT) + e)
        body = integer(tree, W_BODY) + i * BODY_WORK
        V = load6(work, body + VELOCITY, zero)
        r = endpoint_lever(tree, par, work, e, body, zero)
        v = add3(add3(v0, speed_of(tree, work, i, zero)), add3(linear(V), cross(angular(V), r)))
        f, n = load3(work, wrench + 6 * (e + 1), zero), load3(work, wrench + 6 * (e + 1) + 3, zero)
        store(work, at + 1 + e, dot3(f, v) + dot3(n, angular(V)))


@outlined
def laws_from_outside(tree, par, work, at, zero):
    """Add the wrenches of laws to the external wrench at `at`."""
    wrench = integer(tree, W_WRENCH)
    total = add6(load6(work, at, zero), load6(work, wrench, zero))
    for e in range(integer(tree, ENDPOINTS)):
        i = integer(tree, integer(tree, ENDPOINT_AT) + e)
        r = endpoint_lever(tree, par, work, e, integer(tree, W_BODY) + i * BODY_WORK, zero)
        f, n = load3(work, wrench + 6 * (e + 1), zero), load3(work, wrench + 6 * (e + 1) + 3, zero)
        total = add6(total, force_about_base(tree, work, i, f + add3(n, cross(r, f)), zero))
    store6(work, at, total)


@inner
def mass_and_moment(sim, zero):
    """Total mass and first moment about the base's centre of mass, including what elements carry."""
    m, h = first_moment(sim.tree, sim.par, sim.work, zero)
    if integer(sim.plan, CHOICES) & CARRIES_MASS:
        carried = integer(sim.plan, Y_CARRIED)
        m += load(sim.work, carried + SUM_MASS, zero)
        h = add3(h, load3(sim.work, carried + SUM_MOMENT, zero))
    return m, h


@outlined
def add_impulse(sim, at, zero):
    """Add the external wrench to the ledger's impulse, with the moment about the centre of mass."""
    m, h = mass_and_moment(sim, zero)
    total = load6(sim.work, integer(sim.plan, Y_OUTSIDE), zero)
    moment = sub3(angular(total), cross(scale3(1.0 / m, h), linear(total)))
    store3(sim.work, at, add3(load3(sim.work, at, zero), linear(total)))
    store3(sim.work, at + 3, add3(load3(sim.work, at + 3, zero), moment))


@outlined
def take_away(sim, k, impulse, zero):
    """Ledger rates of leaving mass: mass, momentum and energy that leave, and their part of the impulse.

    About the centre of mass c, which moves with v, mass that leaves at r with velocity w takes along (r - c) x (w - v).
    """
    m, h = mass_and_moment(sim, zero)
    _, _, P, _, _ = body_sums(sim.tree, sim.par, sim.work, zero)
    P = add3(P, load3(sim.work, integer(sim.plan, Y_CARRIED) + SUM_MOMENTUM, zero))
    c, v, at = scale3(1.0 / m, h), scale3(1.0 / m, P), integer(sim.plan, Y_LEAVING)
    flow, gone = load(sim.work, at + SUM_MASS, zero), load3(sim.work, at + SUM_MOMENTUM, zero)
    L = sub3(load3(sim.work, at + SUM_SPIN, zero), cross(c, gone))
    L = sub3(L, cross(sub3(load3(sim.work, at + SUM_MOMENT, zero), scale3(flow, c)), v))
    gone = add3(gone, scale3(flow, base_part(sim.tree, sim.work, integer(sim.tree, W_U), 1, 0, zero)))
    store3(sim.work, impulse, sub3(load3(sim.work, impulse, zero), gone))
    store3(sim.work, impulse + 3, sub3(load3(sim.work, impulse + 3, zero), L))
    left = ledger_at(sim, k) + integer(sim.plan, LEFT)
    store(sim.work, left + LEFT_MASS, flow)
    store3(sim.work, left + LEFT_MOMENTUM, gone)
    store(sim.work, left + LEFT_ENERGY, load(sim.work, at + LEAVING_ENERGY, zero))


@inner
def gravity_rates(sim, impulse, zero):
    """Rate of the ledger's impulse if the weight is the only external force."""
    m = zero
    for i in range(integer(sim.tree, BODIES)):
        m += shared(sim.par, i * BODY_PARS + P_MASS, zero)
    if integer(sim.plan, CHOICES) & CARRIES_MASS:
        m += load(sim.work, integer(sim.plan, Y_CARRIED) + SUM_MASS, zero)
    store3(sim.work, impulse, scale3(m, shared3(sim.par, integer(sim.tree, PAR_GRAVITY), zero)))


@inner
def ledger_at(sim, k):
    """Place in k of the ledger's rates, which begin with those of joints' works."""
    return k + 2 * integer(sim.tree, RATES) + integer(sim.plan, INTERNAL)


@inner
def wrench_rates_at(sim, k):
    """Place in k of the powers of wrenches on the base and at endpoints, behind the joints'."""
    return ledger_at(sim, k) + integer(sim.tree, RATES) - integer(sim.tree, BASE_RATES)


@inner
def impulse_at(sim, k):
    """Place in k of the impulse's rates, behind those of wrenches and joint dissipation."""
    return wrench_rates_at(sim, k) + 2 + integer(sim.tree, ENDPOINTS)


@inner
def clear_ledger(sim, k, zero):
    """Set the ledger rates of wrenches, of joint dissipation and of the impulse to zero."""
    for j in range(wrench_rates_at(sim, k), min(impulse_at(sim, k) + 6, k + integer(sim.plan, MOVING_SIZE))):
        store(sim.work, j, zero)


@inner
def keep_ledger(sim, k, zero):
    """Write the ledger rates of everything that acts from outside."""
    impulse = impulse_at(sim, k)
    if integer(sim.plan, CHOICES) & WEIGHS:
        gravity_rates(sim, impulse, zero)
    if integer(sim.plan, CHOICES) & LOADED:
        wrench_power(sim.tree, sim.par, sim.work, wrench_rates_at(sim, k), zero)
        laws_from_outside(sim.tree, sim.par, sim.work, integer(sim.plan, Y_OUTSIDE), zero)
    if is_loaded(sim):
        add_impulse(sim, impulse, zero)
    if integer(sim.plan, CHOICES) & LOSES_MASS:
        take_away(sim, k, impulse, zero)


@inner
def pose_bodies(sim, t, y, k, address, zero):
    """Poses and motion of all bodies."""
    nv, rates, prescribed = integer(sim.tree, RATES), integer(sim.tree, W_RATE), integer(sim.plan, PRESCRIBED) > 0
    for j in range(nv if prescribed else integer(sim.tree, BASE_RATES)):
        store(sim.work, rates + j * RATE_WORK + QDD, zero)
    if prescribed:
        run_kinds(sim, t, y, k, PLACES_JOINTS, address)
    move_along(sim.tree, sim.work, integer(sim.plan, Y_ORIGIN), y, integer(sim.tree, W_X), zero)
    inertial_rates(sim.tree, sim.work, integer(sim.tree, W_X), y + nv, integer(sim.tree, W_U), zero)
    motions(sim.tree, sim.par, sim.work, False, zero)


@inner
def pose_once(sim, t, y, k, look, zero):
    """`pose_bodies`, unless a former evaluation has left its results; notes in C_POSED what is known after this one.

    At the start of a step guards are evaluated, laws sampled, guards evaluated again and the first stage taken, all
    at one state. Solving the dynamics overwrites the bias accelerations, which a LOOK does not need.
    """
    known = load_counter(sim.counters, C_POSED)
    here = y == integer(sim.plan, Y_NOW)
    if not (here and known >= (MOVING if look else POSED)):
        pose_bodies(sim, t, y, k, K_ADDRESS, zero)
        known = min(known, UNPOSED) if not here else POSED if known > UNKEPT else UNKEPT
    store_counter(sim.counters, C_POSED, known if look else min(known, MOVING))


@inner
def set_out(sim, t, y, k, look, address, zero):
    """Write what laws may read of the bodies, whose poses and motion are known; chart rates into k; clear forces."""
    nv = integer(sim.tree, RATES)
    if look or integer(sim.plan, CHOICES) & SEES_ROBOT:
        fill_view(sim, y, zero)
    chart_rates(sim.tree, sim.work, y, integer(sim.tree, W_U), k, zero)
    for j in range(integer(sim.plan, INTERNAL)):
        store(sim.work, k + 2 * nv + j, zero)
    if is_loaded(sim):
        clear_forces(sim.tree, sim.work, zero)
        store6(sim.work, integer(sim.plan, Y_OUTSIDE), (zero, zero, zero, zero, zero, zero))
    for j in range(nv if integer(sim.plan, CHOICES) & PUSHES_JOINTS else 0):
        store(sim.work, integer(sim.plan, Y_PUSH) + j, zero)
    for j in range(nv):
        store(sim.work, integer(sim.plan, Y_TAU) + j, zero)
    for j in range(6 * (integer(sim.tree, ENDPOINTS) + 1) if integer(sim.plan, CHOICES) & LOADED else 0):
        store(sim.work, integer(sim.tree, W_WRENCH) + j, zero)
    for j in range(integer(sim.plan, COMMANDS)):
        store(sim.work, integer(sim.plan, Y_COMMAND) + j, zero)
    if integer(sim.plan, ATTACHED) > 0:
        clear_attached(sim, zero)
        run_kinds(sim, t, y, k, CARRIES, address)


@inner
def is_loaded(sim):
    """Whether wrenches or elements push bodies."""
    return integer(sim.plan, CHOICES) & (LOADED | PUSHES_BODIES)


@inner
def take_forces(sim, zero):
    """Write the forces of laws and elements into TAU of rates and FORCE of bodies."""
    pushed = integer(sim.plan, CHOICES) & PUSHES_JOINTS
    for j in range(integer(sim.tree, RATES)):
        force = load(sim.work, integer(sim.plan, Y_TAU) + j, zero)
        if pushed:
            force += load(sim.work, integer(sim.plan, Y_PUSH) + j, zero)
        store(sim.work, integer(sim.tree, W_RATE) + j * RATE_WORK + TAU, force)
    if integer(sim.plan, CHOICES) & LOADED:
        add_wrenches(sim.tree, sim.par, sim.work, -1.0, zero)


@inner
def joint_power(sim, k, zero):
    """Ledger rates of the joints: power of actuators."""
    nv, base, ledger = integer(sim.tree, RATES), integer(sim.tree, BASE_RATES), ledger_at(sim, k)
    for j in range(base, nv):
        rate, qd = integer(sim.tree, W_RATE) + j * RATE_WORK, load(sim.work, integer(sim.tree, W_U) + j, zero)
        if is_given(sim.tree, j):
            needed = load(sim.work, rate + TAU, zero)
            if integer(sim.plan, CHOICES) & PUSHES_JOINTS:
                needed -= load(sim.work, integer(sim.plan, Y_PUSH) + j, zero)
            store(sim.work, integer(sim.plan, Y_TAU) + j, needed)
        store(sim.work, ledger + j - base, load(sim.work, integer(sim.plan, Y_TAU) + j, zero) * qd)


@inner
def keep_accelerations(tree, work, k, zero):
    """Copy the accelerations into k."""
    nv = integer(tree, RATES)
    for j in range(nv):
        store(work, k + nv + j, load(work, integer(tree, W_RATE) + j * RATE_WORK + QDD, zero))
    turn_into_base(tree, work, integer(tree, W_X), k + nv, zero)


def _flow(kind, at):
    """Rates k of the vector y, both places in `work`, at time t.

    A closure for each kind of scalar, since an `inner` function would be compiled twice.
    """

    def flow(own, t, y, k, due):
        sim, zero = at(own), zero_of(kind)
        alone = due == FORCES_ALONE or (due == LOOK and integer(sim.plan, CHOICES) & GUARDS_FORCES == 0)
        pose_once(sim, t, y, k, alone, zero)
        set_out(sim, t, y, k, due < 0, K_ADDRESS, zero)
        if alone:
            wanted = integer(sim.plan, CHOICES) & SEES_CHANNELS or integer(sim.plan, ATTACHED) > 0
            if integer(sim.plan, GUARDS) > integer(sim.plan, EVENTS) or wanted:
                store_counter(sim.counters, C_DUE, 0)
                run_kinds(sim, t, y, k, ACTS, K_ADDRESS)
            return
        clear_ledger(sim, k, zero)
        store_counter(sim.counters, C_DUE, max(due, 0))
        run_kinds(sim, t, y, k, ACTS, K_ADDRESS)
        take_forces(sim, zero)
        keep_ledger(sim, k, zero)
        solve_dynamics(sim.tree, sim.par, sim.work, is_loaded(sim), False, zero)
        if integer(sim.plan, ROWS) > 0:
            call(integer(sim.plan, SOLVE_ROWS), sim.own, t, y, k, 0)
        keep_accelerations(sim.tree, sim.work, k, zero)
        joint_power(sim, k, zero)
        if integer(sim.plan, ATTACHED) > 0:
            run_kinds(sim, t, y, k, SETTLES, K_ADDRESS)

    return flow


def _flow_of_dual(own, t, y, k, due):
    """The same on dual numbers, without the ledger, on which nothing depends."""
    sim, zero = sim_at(own), zero_of(DUAL)
    pose_bodies(sim, t, y, k, K_TANGENT, zero)
    set_out(sim, t, y, k, False, K_TANGENT, zero)
    store_counter(sim.counters, C_DUE, due)
    run_kinds(sim, t, y, k, ACTS, K_TANGENT)
    take_forces(sim, zero)
    solve_dynamics(sim.tree, sim.par, sim.work, is_loaded(sim), False, zero)
    if integer(sim.plan, ROWS) > 0:
        call(integer(sim.plan, TANGENT_ROWS), sim.own, t, y, k, 0)
    keep_accelerations(sim.tree, sim.work, k, zero)
    if integer(sim.plan, ATTACHED) > 0:
        run_kinds(sim, t, y, k, SETTLES, K_TANGENT)


@cache
def flow_address(lanes, varied=False):
    """The right-hand side for one robot or for a pack, as a C function: compiled once for all drivers.

    `varied`: the robots of the pack differ in parameters.
    """
    if lanes == 1:
        return Address(_flow(ONE, sim_at), SIGNATURE, "flow.one")
    if varied:
        return Address(_flow(PACK, varied_sim_at), SIGNATURE, "flow.varied")
    return Address(_flow(PACK, sim_at), SIGNATURE, "flow.pack")


@cache
def tangent_flow_address():
    """The right-hand side on dual numbers, as a C function: `work` then holds duals, in the same places."""
    return Address(_flow_of_dual, SIGNATURE, "flow.dual")
