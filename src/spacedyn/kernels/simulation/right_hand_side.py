"""The right-hand side: how fast the vector y of a simulation changes.

s' = dexp^-1(s) u,   u' = H^-1 (F + J'Fe - c),   laws' states,   the ledger's works and impulses
"""

from functools import cache

from ..elements.forces import apply_elements
from ..elements.laws import add_law_tangents, add_output, fill_view, hold_sample, run_law, sample_law
from ..elements.prescribed import prescribe
from ..robot.bodies import add_wrenches, clear_forces, endpoint_lever, first_moment, motions
from ..robot.charts import chart_rates, inertial_rates, move_along, turn_into_base
from ..robot.forward_dynamics import solve_dynamics
from ..robot.kinematics import base_part, is_given
from ..robot.layout import *  # noqa: F403
from ..robot.segments import force_about_base, speed_of
from ..robot.spatial import add3, add6, angular, cross, dot3, linear, load3, load6, scale3, shared3, store3, sub3
from ..scalar.compiling import Address, inner, outlined
from ..scalar.dual import DUAL
from ..scalar.lanes import add_number, directions_in
from ..scalar.memory import integer, lanes_of, load, shared, store, zero_of
from ..scalar.pack import ONE, PACK
from ..sim.evaluate import SIGNATURE, VARIED_SIGNATURE
from ..sim.layout import *  # noqa: F403


@inner
def command(tree, par, work, plan, numbers, memory, counters, t, y, k, due, zero):
    """Forces and wrenches of all laws at this time; rates of their continuous states into k. `due`: laws to sample."""
    nv, lanes = integer(tree, RATES), lanes_of(zero)
    for j in range(nv):
        store(work, integer(plan, Y_TAU) + j, zero)
    for j in range(6 * (integer(tree, ENDPOINTS) + 1) if integer(plan, CHOICES) & LOADED else 0):
        store(work, integer(tree, W_WRENCH) + j, zero)
    for j in range(integer(plan, INTERNAL)):
        store(work, k + 2 * nv + j, zero)
    if integer(plan, LAWS) == 0:
        return
    outputs = integer(plan, OUTPUTS)
    for law in range(integer(plan, LAWS)):
        record = integer(plan, LAW_AT) + law * LAW_INTS
        if integer(plan, record + L_SAMPLED):
            if (due >> law) & 1:
                sample_law(tree, plan, numbers, work, memory, counters, law, t, y, zero)
                if load(numbers, integer(plan, record + L_PARAMETERS) + 1, 0.0) == 0.0:
                    hold_sample(plan, memory, counters, law, zero)
            for lane in range(lanes):
                out = integer(plan, M_HELD) + (law * lanes + lane) * outputs
                add_output(tree, work, plan, memory, out, lane, zero)
        else:
            out, states = integer(plan, M_OUT), integer(plan, record + L_STATES)
            for lane in range(lanes):
                run_law(plan, numbers, work, memory, law, t, lane, out, zero)
                add_output(tree, work, plan, memory, out, lane, zero)
                for j in range(states):
                    place = k + 2 * nv + integer(plan, record + L_STATE) + j
                    add_number(work, place, lane, load(memory, out + outputs - states + j, 0.0), zero)
            for lane in range(directions_in(zero)):
                add_law_tangents(tree, plan, numbers, work, memory, law, t, k + 2 * nv, lane, zero)


@inner
def run_conditions(plan, numbers, work, memory, t, zero):
    """Values of all events' conditions, above their levels."""
    for e in range(integer(plan, EVENTS)):
        at, out = integer(plan, M_EVENTS) + e * EVENT_MEMORY, integer(plan, M_OUT)
        run_law(plan, numbers, work, memory, integer(plan, LAWS) + e, t, 0, out, zero)
        store(memory, at + V_VALUE, load(memory, out, 0.0) - load(memory, at + V_LEVEL, 0.0))


@inner
def external(tree, par, work, zero):
    """Force and moment (about the base's centre of mass) of all wrenches together."""
    wrench = integer(tree, W_WRENCH)
    total = load6(work, wrench, zero)
    for e in range(integer(tree, ENDPOINTS)):
        i = integer(tree, integer(tree, ENDPOINT_AT) + e)
        r = endpoint_lever(tree, par, work, e, integer(tree, W_BODY) + i * BODY_WORK, zero)
        f, n = load3(work, wrench + 6 * (e + 1), zero), load3(work, wrench + 6 * (e + 1) + 3, zero)
        total = add6(total, force_about_base(tree, work, i, f + add3(n, cross(r, f)), zero))
    return total


@outlined
def external_rates(tree, par, work, k, zero):
    """Ledger rates of wrenches: their power, and beside gravity's their force and moment about the centre of mass."""
    nv, base, ends = integer(tree, RATES), integer(tree, BASE_RATES), integer(tree, ENDPOINTS)
    u, wrench = integer(tree, W_U), integer(tree, W_WRENCH)
    v0 = base_part(tree, work, u, 1, 0, zero)
    f, n = load3(work, wrench, zero), load3(work, wrench + 3, zero)
    at = k + nv - base
    store(work, at, dot3(f, v0) + dot3(n, base_part(tree, work, u, 1, 3, zero)))
    for e in range(ends):
        i = integer(tree, integer(tree, ENDPOINT_AT) + e)
        body = integer(tree, W_BODY) + i * BODY_WORK
        V = load6(work, body + VELOCITY, zero)
        r = endpoint_lever(tree, par, work, e, body, zero)
        v = add3(add3(v0, speed_of(tree, work, i, zero)), add3(linear(V), cross(angular(V), r)))
        f, n = load3(work, wrench + 6 * (e + 1), zero), load3(work, wrench + 6 * (e + 1) + 3, zero)
        store(work, at + 1 + e, dot3(f, v) + dot3(n, angular(V)))
    at += 2 + ends
    total = external(tree, par, work, zero)
    add_impulse(tree, par, work, at, total, zero)


@inner
def add_impulse(tree, par, work, at, total, zero):
    """Add a force and moment about the base's centre of mass to the ledger's, whose moment is about the robot's."""
    m, h = first_moment(tree, par, work, zero)
    moment = sub3(angular(total), cross(scale3(1.0 / m, h), linear(total)))
    store3(work, at, add3(load3(work, at, zero), linear(total)))
    store3(work, at + 3, add3(load3(work, at + 3, zero), moment))


@inner
def gravity_rates(tree, par, work, k, zero):
    """Ledger rates of a robot that only its weight acts on from outside."""
    nv, base, ends = integer(tree, RATES), integer(tree, BASE_RATES), integer(tree, ENDPOINTS)
    at = k + nv - base
    for j in range(2 + ends + 6):
        store(work, at + j, zero)
    m = zero
    for i in range(integer(tree, BODIES)):
        m += shared(par, i * BODY_PARS + P_MASS, zero)
    store3(work, at + 2 + ends, scale3(m, shared3(par, integer(tree, PAR_GRAVITY), zero)))


@inner
def joint_power(tree, par, work, plan, k, zero):
    """Ledger rates of the joints: power of actuators, and what dampers, friction and stops dissipate."""
    nv, base = integer(tree, RATES), integer(tree, BASE_RATES)
    lost = zero
    for j in range(base, nv):
        rate, qd = integer(tree, W_RATE) + j * RATE_WORK, load(work, integer(tree, W_U) + j, zero)
        if is_given(tree, j):
            store(work, integer(plan, Y_TAU) + j, load(work, rate + TAU, zero))
        store(work, k + j - base, load(work, integer(plan, Y_TAU) + j, zero) * qd)
        if integer(plan, CHOICES) & PASSIVE_FORCES:
            lost += (load(work, rate + ELASTIC, zero) - load(work, rate + PASSIVE, zero)) * qd
    store(work, k + nv - base + 1 + integer(tree, ENDPOINTS), lost)


@inner
def keep_ledger(tree, par, work, plan, ledger, total, zero):
    """Ledger rates of all that acts from outside; `total` is the wrench of the forces among it."""
    gravity_rates(tree, par, work, ledger, zero)
    if integer(plan, CHOICES) & LOADED:
        external_rates(tree, par, work, ledger, zero)
    if integer(plan, FORCES) > 0:
        impulse = ledger + integer(tree, RATES) - integer(tree, BASE_RATES) + 2 + integer(tree, ENDPOINTS)
        add_impulse(tree, par, work, impulse, total, zero)


@inner
def set_out(tree, par, work, plan, numbers, memory, counters, t, y, k, look, zero):
    """Poses and motion of all bodies, and what laws may read of them; the chart's rates into k."""
    nv, rates = integer(tree, RATES), integer(tree, W_RATE)
    for j in range(nv):
        store(work, rates + j * RATE_WORK + QDD, zero)
    if integer(plan, PRESCRIBED) > 0:
        prescribe(tree, work, plan, numbers, memory, counters, t, y, zero)
    move_along(tree, work, integer(plan, Y_ORIGIN), y, integer(tree, W_X), zero)
    inertial_rates(tree, work, integer(tree, W_X), y + nv, integer(tree, W_U), zero)
    motions(tree, par, work, zero)
    if look or integer(plan, LAWS) > 0:
        fill_view(tree, par, work, plan, memory, y, zero)
    chart_rates(tree, work, y, integer(tree, W_U), k, zero)


@inner
def is_loaded(plan):
    """Whether wrenches or forces act on bodies."""
    return integer(plan, CHOICES) & LOADED or integer(plan, FORCES) > 0


@inner
def take_forces(tree, par, work, plan, numbers, counters, k, zero):
    """What laws command, into TAU of rates and FORCE of bodies, with all forces; the wrench of those from outside."""
    nv, total = integer(tree, RATES), (zero, zero, zero, zero, zero, zero)
    for j in range(nv):
        store(work, integer(tree, W_RATE) + j * RATE_WORK + TAU, load(work, integer(plan, Y_TAU) + j, zero))
    if is_loaded(plan):
        clear_forces(tree, work, zero)
        if integer(plan, CHOICES) & LOADED:
            add_wrenches(tree, par, work, -1.0, zero)
        if integer(plan, FORCES) > 0:
            at = k + 3 * nv + integer(plan, INTERNAL) - integer(tree, BASE_RATES) + 2 + integer(tree, ENDPOINTS) + 6
            total = apply_elements(tree, par, work, plan, numbers, counters, at, zero)
    return total


@inner
def keep_accelerations(tree, work, k, zero):
    """Rates of the rates, into k."""
    nv = integer(tree, RATES)
    for j in range(nv):
        store(work, k + nv + j, load(work, integer(tree, W_RATE) + j * RATE_WORK + QDD, zero))
    turn_into_base(tree, work, integer(tree, W_X), k + nv, zero)


def _flow(kind):
    """Rates k of the vector y, both places in `work`, at time t.

    A function for each kind of scalar: an inner one would be compiled twice, by itself and where it is called.
    """

    def flow(tree, par, work, plan, numbers, memory, counters, t, y, k, due):
        zero = zero_of(kind)
        set_out(tree, par, work, plan, numbers, memory, counters, t, y, k, due == LOOK, zero)
        if due == LOOK:
            run_conditions(plan, numbers, work, memory, t, zero)
            return
        command(tree, par, work, plan, numbers, memory, counters, t, y, k, due, zero)
        total = take_forces(tree, par, work, plan, numbers, counters, k, zero)
        ledger = k + 2 * integer(tree, RATES) + integer(plan, INTERNAL)
        keep_ledger(tree, par, work, plan, ledger, total, zero)
        solve_dynamics(tree, par, work, integer(plan, CHOICES), is_loaded(plan), zero)
        keep_accelerations(tree, work, k, zero)
        joint_power(tree, par, work, plan, ledger, zero)

    return flow


def _flow_of_dual(tree, par, work, plan, numbers, memory, counters, t, y, k, due):
    """The same on dual numbers, but for the ledger, which nothing depends on."""
    zero = zero_of(DUAL)
    set_out(tree, par, work, plan, numbers, memory, counters, t, y, k, False, zero)
    command(tree, par, work, plan, numbers, memory, counters, t, y, k, due, zero)
    take_forces(tree, par, work, plan, numbers, counters, k, zero)
    solve_dynamics(tree, par, work, integer(plan, CHOICES), is_loaded(plan), zero)
    keep_accelerations(tree, work, k, zero)


@cache
def flow_address(lanes, varied=False):
    """The right-hand side for one robot or for a pack, as a C function: compiled once for all drivers.

    `varied`: the robots of the pack differ in parameters.
    """
    if lanes == 1:
        return Address(_flow(ONE), SIGNATURE, "flow.one")
    if varied:
        return Address(_flow(PACK), VARIED_SIGNATURE, "flow.varied")
    return Address(_flow(PACK), SIGNATURE, "flow.pack")


@cache
def tangent_flow_address():
    """The right-hand side on dual numbers, as a C function: `work` then holds duals, in the same places."""
    return Address(_flow_of_dual, SIGNATURE, "flow.dual")
