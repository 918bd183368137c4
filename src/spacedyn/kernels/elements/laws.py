"""Call laws, C functions behind addresses, so that the driver is compiled once for all laws.

    law(t, view, parameters, out, places)

`view` holds the doubles that a law may read of one robot, `out` those that it writes. In packs a law is called for each
lane, except a continuous law without branches on values: its second C function takes packs in both.
`places` holds the places in both of everything that the law uses, so that the law's code depends on names only.
View: x (7 + nq), v0 (3), w0 (3), qd, centre of mass (3), momentum (6, about it), internal states of laws and elements,
modes of joints, for each endpoint position (3), rotation (9), velocity (6), then what elements record.
Out: tau (joints), base wrench (6), endpoint wrenches (6 each), modes of joints, commands to elements, internal states:
their rates, or new values at a sample.
"""

from ..robot.bodies import sums_of_bodies, weigh
from ..robot.kinematics import base_part
from ..robot.layout import *  # noqa: F403
from ..robot.segments import origin_of, speed_of
from ..robot.spatial import (
    add3,
    angular,
    compose,
    cross,
    linear,
    load3,
    load6,
    load9,
    scale3,
    shared3,
    shared9,
    store3,
    store6,
    store9,
    sub3,
    turn,
)
from ..scalar.compiling import call, inner, separate
from ..scalar.lanes import add_number, add_tangent, directions_in, number_in, stride_of, tangent_in
from ..scalar.memory import integer, lanes_of, later, load, load_counter, store, store_counter
from ..sim.layout import *  # noqa: F403
from .kind import collective_kind


@inner
def fill_view(sim, y, zero):
    """Write what laws may read, as scalars, from the poses and motion of all bodies."""
    at, nx, nv, base = (
        integer(sim.plan, Y_VIEW),
        integer(sim.tree, COORDINATES),
        integer(sim.tree, RATES),
        integer(sim.tree, BASE_RATES),
    )
    x, u = integer(sim.tree, W_X), integer(sim.tree, W_U)  # coordinates are at Y_VIEW, where laws see them
    v0 = base_part(sim.tree, sim.work, u, 1, 0, zero)
    at += nx
    if u != at:  # rates of a free base are there, too
        store6(sim.work, at, v0 + base_part(sim.tree, sim.work, u, 1, 3, zero))
        for k in range(base, nv):
            store(sim.work, at + 6 + k - base, load(sim.work, u + k, zero))
    at += 6 + nv - base
    if integer(sim.plan, CHOICES) & SEES_MOMENTUM:
        weigh(sim.tree, sim.par, sim.work, zero)
        m, h, momentum = sums_of_bodies(sim.tree, sim.work, zero)
        c, P = scale3(1.0 / m, h), linear(momentum)
        store3(sim.work, at, add3(load3(sim.work, x, zero), c))
        store3(sim.work, at + 3, add3(P, scale3(m, v0)))
        store3(sim.work, at + 6, sub3(angular(momentum), cross(c, P)))
    at += 9
    for k in range(integer(sim.plan, INTERNAL)):
        store(sim.work, at + k, load(sim.work, y + 2 * nv + k, zero))
    at += integer(sim.plan, INTERNAL)
    for k in range(integer(sim.plan, MODES)):
        store(sim.work, at + k, zero + load(sim.memory, integer(sim.plan, M_MODE) + k, 0.0))
    at += integer(sim.plan, MODES)
    if integer(sim.plan, CHOICES) & SEES_ENDPOINTS:
        for e in range(integer(sim.tree, ENDPOINTS)):
            i = integer(sim.tree, integer(sim.tree, ENDPOINT_AT) + e)
            body = integer(sim.tree, W_BODY) + i * BODY_WORK
            mine = integer(sim.tree, PAR_ENDPOINT) + e * ENDPOINT_PARS
            R, V = load9(sim.work, body + ROTATION, zero), load6(sim.work, body + VELOCITY, zero)
            r = add3(load3(sim.work, body + POSITION, zero), turn(R, shared3(sim.par, mine, zero)))
            store3(sim.work, at, add3(load3(sim.work, x, zero), add3(origin_of(sim.tree, sim.work, i, zero), r)))
            store9(sim.work, at + 3, compose(R, shared9(sim.par, mine + 3, zero)))
            v = add3(add3(v0, speed_of(sim.tree, sim.work, i, zero)), add3(linear(V), cross(angular(V), r)))
            store3(sim.work, at + 12, v)
            store3(sim.work, at + 15, angular(V))
            at += 18


@inner
def show_channels(sim, zero):
    """Copy the elements' channels into the view of laws and conditions."""
    for j in range(integer(sim.plan, CHANNELS) if integer(sim.plan, CHOICES) & SEES_CHANNELS else 0):
        seen = integer(sim.plan, Y_VIEW) + integer(sim.plan, VIEW_CHANNELS) + j
        store(sim.work, seen, load(sim.work, integer(sim.plan, Y_CHANNEL) + j, zero))


@inner
def run_law(sim, law, t, lane, out, zero):
    """Call one law for one lane; what it writes goes to `out`, a place in memory. Only what it reads is copied."""
    view = later(sim.memory, integer(sim.plan, M_VIEW))
    if stride_of(zero) == 1 and directions_in(zero) == 0:
        view = later(sim.work, integer(sim.plan, Y_VIEW))
    else:
        record = integer(sim.plan, LAW_AT) + law * LAW_INTS
        first = integer(sim.plan, record + L_PLACES) + 2
        for part in range(first, first + 2 * integer(sim.plan, record + L_SEEN), 2):
            for k in range(integer(sim.plan, part), integer(sim.plan, part + 1)):
                store(view, k, number_in(sim.work, integer(sim.plan, Y_VIEW) + k, lane, zero))
    run_code(sim, law, t, view, out)


@inner
def clear_output(sim, array, out, zero):
    """Clear the output of a law, from `out` on; wrenches only if some law writes them."""
    joints, wrenches = integer(sim.tree, RATES) - integer(sim.tree, BASE_RATES), 6 * (integer(sim.tree, ENDPOINTS) + 1)
    for k in range(joints):
        store(array, out + k, zero)
    for k in range(joints if integer(sim.plan, CHOICES) & LOADED else joints + wrenches, integer(sim.plan, OUTPUTS)):
        store(array, out + k, zero)


@inner
def run_code(sim, law, t, view, out):
    """Call one law with what it sees at `view`; what it writes goes to `out`, a place in memory."""
    clear_output(sim, sim.memory, out, 0.0)
    address = integer(sim.plan, integer(sim.plan, LAW_AT) + law * LAW_INTS + L_ADDRESS)
    call_law(sim, law, address, t, view, later(sim.memory, out))


@inner
def call_law(sim, law, address, t, view, out):
    """Call one law's C function with what it sees, and where it writes."""
    record = integer(sim.plan, LAW_AT) + law * LAW_INTS
    parameters = later(sim.numbers, integer(sim.plan, record + L_PARAMETERS) + 2)  # after its period and delay
    places = later(sim.plan, integer(sim.plan, record + L_PLACES))
    store(sim.memory, integer(sim.plan, M_CALLED), 1.0 + law)  # read by the thread that names a law without return
    call(address, t, view, parameters, out, places)
    store(sim.memory, integer(sim.plan, M_CALLED), 0.0)


PARTS = 3  # parts of laws' output that are summed over laws: forces of joints, wrenches, commands


@inner
def part_written(sim, part):
    """Where a part of what a law writes is in that, where it is added in work, and how many numbers it has."""
    base = integer(sim.tree, BASE_RATES)
    joints = integer(sim.tree, RATES) - base
    if part == 0:
        return 0, integer(sim.plan, Y_TAU) + base, joints
    if part == 1:
        wrenches = 6 * (integer(sim.tree, ENDPOINTS) + 1) if integer(sim.plan, CHOICES) & LOADED else 0
        return joints, integer(sim.tree, W_WRENCH), wrenches
    return integer(sim.plan, OUT_COMMANDS), integer(sim.plan, Y_COMMAND), integer(sim.plan, COMMANDS)


@inner
def add_output(sim, out, lane, zero):
    """Add what a law wrote, from a place in memory, to the forces and wrenches of a lane."""
    for part in range(PARTS):
        first, at, count = part_written(sim, part)
        for k in range(count):
            add_number(sim.work, at + k, lane, load(sim.memory, out + first + k, 0.0), zero)


@inner
def run_over_pack(sim, law, t, rates, zero):
    """Call one continuous law for all robots of a pack at once; add what it writes, and the rates of its states."""
    record, out = integer(sim.plan, LAW_AT) + law * LAW_INTS, integer(sim.plan, Y_OUT)
    clear_output(sim, sim.work, out, zero)
    view, written = integer(sim.plan, Y_VIEW) * stride_of(zero), out * stride_of(zero)
    call_law(sim, law, integer(sim.plan, record + L_PACK), t, later(sim.work, view), later(sim.work, written))
    for part in range(PARTS):
        first, at, count = part_written(sim, part)
        for k in range(count):
            store(sim.work, at + k, load(sim.work, at + k, zero) + load(sim.work, out + first + k, zero))
    states = integer(sim.plan, record + L_STATES)
    for k in range(states):
        at = rates + integer(sim.plan, record + L_STATE) + k
        wrote = load(sim.work, out + integer(sim.plan, OUTPUTS) - states + k, zero)
        store(sim.work, at, load(sim.work, at, zero) + wrote)


NUDGE = 6e-6  # relative step of central differences: truncation and rounding errors are both some 1e-11


@inner
def add_law_tangents(sim, law, t, states_at, lane, zero):
    """Add tangent `lane` of a continuous law's output, by a central difference, since its code takes no duals.

    Of forces and wrenches, and of the rates of its states at `states_at`.
    """
    record, out, view = (
        integer(sim.plan, LAW_AT) + law * LAW_INTS,
        integer(sim.plan, M_OUT),
        later(sim.memory, integer(sim.plan, M_VIEW)),
    )
    first, states, largest = integer(sim.plan, Y_VIEW), integer(sim.plan, record + L_STATES), 0.0
    for k in range(integer(sim.plan, VIEW)):
        largest = max(largest, abs(tangent_in(sim.work, first + k, lane)))
    if largest == 0.0:
        return
    for side in range(2):
        step = NUDGE / largest if side == 0 else -NUDGE / largest
        for k in range(integer(sim.plan, VIEW)):
            value = number_in(sim.work, first + k, 0, zero)
            store(view, k, value + step * tangent_in(sim.work, first + k, lane))
        run_code(sim, law, t, view, out)
        for part in range(PARTS):
            start, at, count = part_written(sim, part)
            for k in range(count):
                add_tangent(sim.work, at + k, lane, 0.5 * load(sim.memory, out + start + k, 0.0) / step)
        written = out + integer(sim.plan, OUTPUTS) - states
        for k in range(states):
            place = states_at + integer(sim.plan, record + L_STATE) + k
            add_tangent(sim.work, place, lane, 0.5 * load(sim.memory, written + k, 0.0) / step)


@inner
def sample_law(sim, law, t, y, zero):
    """Take a sample of a law: its output enters the ring buffer of delayed samples; its states change at once."""
    record = integer(sim.plan, LAW_AT) + law * LAW_INTS
    lanes, outputs = lanes_of(zero), integer(sim.plan, OUTPUTS)
    taken = load_counter(sim.counters, C_LAWS + 2 * law)
    slot = taken % integer(sim.plan, record + L_RING_SIZE)
    states = integer(sim.plan, record + L_STATES)
    for lane in range(lanes):
        out = integer(sim.plan, record + L_RING) + (slot * lanes + lane) * outputs
        run_law(sim, law, t, lane, out, zero)
        for k in range(states):
            place = (y + 2 * integer(sim.tree, RATES) + integer(sim.plan, record + L_STATE) + k) * stride_of(
                zero
            ) + lane
            store(sim.work, place, load(sim.memory, out + outputs - states + k, 0.0))
    store_counter(sim.counters, C_LAWS + 2 * law, taken + 1)


@inner
def hold_sample(sim, law, zero):
    """Put the oldest delayed sample into effect."""
    record = integer(sim.plan, LAW_AT) + law * LAW_INTS
    lanes, outputs = lanes_of(zero), integer(sim.plan, OUTPUTS)
    held = load_counter(sim.counters, C_LAWS + 2 * law + 1)
    slot = held % integer(sim.plan, record + L_RING_SIZE)
    for k in range(lanes * outputs):
        value = load(sim.memory, integer(sim.plan, record + L_RING) + slot * lanes * outputs + k, 0.0)
        store(sim.memory, integer(sim.plan, M_HELD) + law * lanes * outputs + k, value)
    store_counter(sim.counters, C_LAWS + 2 * law + 1, held + 1)


@inner
def ask_for_modes(sim, laws):
    """Store the modes that these laws (bits) command; return whether any differs from the present mode."""
    count, present = integer(sim.plan, MODES), integer(sim.plan, M_MODE)
    first = integer(sim.tree, RATES) - integer(sim.tree, BASE_RATES) + 6 * (integer(sim.tree, ENDPOINTS) + 1)
    for j in range(count):
        store(sim.memory, present + count + j, load(sim.memory, present + j, 0.0))
    for law in range(integer(sim.plan, LAWS)):
        if (laws >> law) & 1:
            for j in range(count):  # the last of several laws that command the same joint decides
                mode = load(sim.memory, integer(sim.plan, M_HELD) + law * integer(sim.plan, OUTPUTS) + first + j, 0.0)
                if mode != 0.0:
                    store(sim.memory, present + count + j, mode)
    for j in range(count):
        if load(sim.memory, present + count + j, 0.0) != load(sim.memory, present + j, 0.0):
            return True
    return False


@separate
def hold_law(sim, law, t, y, zero):
    """Forces, wrenches and commands of a sampled law; a sample, if one is due."""
    lanes, outputs = lanes_of(zero), integer(sim.plan, OUTPUTS)
    record = integer(sim.plan, LAW_AT) + law * LAW_INTS
    if (load_counter(sim.counters, C_DUE) >> law) & 1:
        sample_law(sim, law, t, y, zero)
        if load(sim.numbers, integer(sim.plan, record + L_PARAMETERS) + 1, 0.0) == 0.0:
            hold_sample(sim, law, zero)
    for lane in range(lanes):
        out = integer(sim.plan, M_HELD) + (law * lanes + lane) * outputs
        add_output(sim, out, lane, zero)


@inner
def run_over_lanes(sim, law, t, rates, zero):
    """Call one continuous law robot by robot; add what it writes, and the rates of its states."""
    record, out = integer(sim.plan, LAW_AT) + law * LAW_INTS, integer(sim.plan, M_OUT)
    outputs, states = integer(sim.plan, OUTPUTS), integer(sim.plan, record + L_STATES)
    for lane in range(lanes_of(zero)):
        run_law(sim, law, t, lane, out, zero)
        add_output(sim, out, lane, zero)
        for j in range(states):
            place = rates + integer(sim.plan, record + L_STATE) + j
            add_number(sim.work, place, lane, load(sim.memory, out + outputs - states + j, 0.0), zero)
    for lane in range(directions_in(zero)):
        add_law_tangents(sim, law, t, rates, lane, zero)


@separate
def split_pack(sim, law, t, rates, zero):
    """The same for a pack, whose laws mostly run over all of it at once."""
    run_over_lanes(sim, law, t, rates, zero)


@collective_kind
def laws(sim, t, y, k, zero):
    """Forces, wrenches and commands of all laws at this time; rates of their continuous states into k."""
    rates = k + 2 * integer(sim.tree, RATES)
    show_channels(sim, zero)
    for law in range(integer(sim.plan, LAWS)):
        record = integer(sim.plan, LAW_AT) + law * LAW_INTS
        if integer(sim.plan, record + L_SAMPLED):
            hold_law(sim, law, t, y, zero)
        elif lanes_of(zero) == 1:
            run_over_lanes(sim, law, t, rates, zero)
        elif integer(sim.plan, record + L_PACK) != 0:
            run_over_pack(sim, law, t, rates, zero)
        else:
            split_pack(sim, law, t, rates, zero)
