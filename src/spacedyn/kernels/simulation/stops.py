"""End stops within a step: each stop's phase is held while a step lasts, and steps end where a phase changes.

A stop's force has a jump or a kink where it is touched, where it ceases to push, and where it is left. With its phase
held (stop_phases.py) the right-hand side is smooth, whatever the coordinate does before the step is cut. The first
guard that a step violates is found on dense output; the step is taken again to end there, and corrected until the guard
is zero at the end of a true step of the method. In a pack, a step ends where the first robot's phase changes. Methods
with a fixed step hold no phases (passive.py).
"""

from functools import cache

from ..methods.runge_kutta import run_stages, state_within
from ..robot.layout import *  # noqa: F403
from ..scalar.compiling import Address, inner
from ..scalar.lanes import add_number, number_in
from ..scalar.memory import integer, lanes_of, load, load_counter, store, store_counter, zero_of
from ..scalar.pack import PACK
from ..sim.evaluate import STEP_SIGNATURE
from ..sim.layout import *  # noqa: F403
from ..sim.sim import sim_at, varied_sim_at
from .stop_phases import beyond, change_phase, choose_phases, excess, guard, has_stop, look_at_guards, note_levels

LOOKS = 8  # points of a step at which guards are looked at
FOUND_NONE = 2.0  # no fraction of a step
MOST_CORRECTIONS = 4
MOST_AT_ONCE = 20  # changes of phase at one instant
PRECISE = 1e-10  # of a step: how near to its guard's zero it is to end


@inner
def vector_within(sim, h, fraction, zero):
    """The vector y at a fraction of the step just tried, into Y_STAGE."""
    state_within(sim, h, fraction, integer(sim.plan, Y_STAGE), zero)
    return integer(sim.plan, Y_STAGE)


@inner
def may_touch(sim, h, zero):
    """Whether a joint is at a stop, or could get to one within the step just tried."""
    for rate in range(integer(sim.tree, BASE_RATES), integer(sim.tree, RATES)):
        for lane in range(lanes_of(zero)):
            if has_stop(sim.tree, sim.par, rate, lane):
                if number_in(sim.work, integer(sim.tree, W_STOP) + rate, lane, zero) != APART:
                    return True
                over, under, qd = beyond(sim, integer(sim.plan, Y_NOW), rate, lane, zero)
                then_over, then_under, then_qd = beyond(sim, integer(sim.plan, Y_NEW), rate, lane, zero)
                way = 2.0 * h * max(abs(qd), abs(then_qd))
                if max(max(over, then_over), max(under, then_under)) + way > 0.0:
                    return True
    return False


@inner
def outward(sim, y, rate, lane, zero):
    """Speed towards the nearer limit."""
    over, under, qd = beyond(sim, y, rate, lane, zero)
    return qd if over > under else -qd


@inner
def note_turns(sim, y, span, zero):
    """Which joints may have come nearer to a limit and turned back within the time `span` before y; their speeds."""
    nv = integer(sim.tree, RATES)
    speeds, turns = integer(sim.tree, W_STOP) + nv, integer(sim.tree, W_STOP) + 2 * nv
    for rate in range(integer(sim.tree, BASE_RATES), nv):
        for lane in range(lanes_of(zero)):
            if has_stop(sim.tree, sim.par, rate, lane):
                was, now = (
                    number_in(sim.work, speeds + rate, lane, zero),
                    outward(sim, y, rate, lane, zero),
                )
                over, under, _ = beyond(sim, y, rate, lane, zero)
                apart = number_in(sim.work, integer(sim.tree, W_STOP) + rate, lane, zero) == APART
                turned = apart and was > 0.0 and now < 0.0 and -max(over, under) < span * max(was, -now)
                add_number(sim.work, speeds + rate, lane, now - was, zero)
                mark = number_in(sim.work, turns + rate, lane, zero)
                add_number(sim.work, turns + rate, lane, (1.0 if turned else 0.0) - mark, zero)


@inner
def find_touch(sim, h, low, high, zero):
    """Fraction between two others at which a joint that turned in between was beyond its limit; FOUND_NONE if none."""
    turns = integer(sim.tree, W_STOP) + 2 * integer(sim.tree, RATES)
    for rate in range(integer(sim.tree, BASE_RATES), integer(sim.tree, RATES)):
        for lane in range(lanes_of(zero)):
            if has_stop(sim.tree, sim.par, rate, lane):
                if number_in(sim.work, turns + rate, lane, zero) > 0.0:
                    early, late = low, high
                    for _ in range(30):
                        middle = 0.5 * (early + late)
                        y = vector_within(sim, h, middle, zero)
                        if excess(sim, y, rate, lane, zero) > 0.0:
                            store_counter(sim.counters, C_STOP, rate * lanes_of(zero) + lane)
                            return middle
                        if outward(sim, y, rate, lane, zero) > 0.0:
                            early = middle
                        else:
                            late = middle
    return FOUND_NONE


@inner
def locate_change(sim, h, low, high, zero):
    """The first fraction between two others at which a guard is violated; whose, and how fast it rises, are noted."""
    least = 0.25 * load(sim.memory, integer(sim.plan, M_STOPS) + H_LEAST, 0.0)
    for _ in range(100):
        middle = 0.5 * (low + high)
        if (high - low) * h < least or not low < middle < high:
            break
        y = vector_within(sim, h, middle, zero)
        value, whose = look_at_guards(sim, y, zero)
        if value > 0.0:
            high = middle
            store_counter(sim.counters, C_STOP, whose)
        else:
            low = middle
    whose, little = load_counter(sim.counters, C_STOP), 1e-5 * high
    y = vector_within(sim, h, high - little, zero)
    before = guard(sim, y, whose // lanes_of(zero), whose % lanes_of(zero), zero)
    store(sim.memory, integer(sim.plan, M_STOPS) + STOP_SLOPE, -before / (little * h))
    return high


@inner
def find_change(sim, t, h, zero):
    """Fraction of the step just tried at which the first stop changes its phase, or FOUND_NONE."""
    new, now = integer(sim.plan, Y_NEW), integer(sim.plan, Y_NOW)
    note_levels(sim, zero)
    value, _ = look_at_guards(sim, new, zero)
    if value <= 0.0 and not may_touch(sim, h, zero):
        return FOUND_NONE
    main, stages = integer(sim.plan, MAIN_STAGES), integer(sim.plan, ALL_STAGES)
    run_stages(sim, t, h, main + 1, stages, 0, zero)  # for dense output
    note_turns(sim, now, 0.0, zero)
    before = 0.0
    for i in range(1, LOOKS + 1):
        fraction = i / LOOKS
        y = vector_within(sim, h, fraction, zero)
        value, whose = look_at_guards(sim, y, zero)
        store_counter(sim.counters, C_STOP, whose)
        note_turns(sim, y, (fraction - before) * h, zero)
        high = fraction
        if not value > 0.0:
            high = find_touch(sim, h, before, fraction, zero)
        if high < FOUND_NONE:
            return locate_change(sim, h, before, high, zero)
        before = fraction
    return FOUND_NONE


@inner
def correct_change(sim, h, zero):
    """After a step that is to end where a phase changes: whether it must be taken again, a little longer or shorter."""
    whose, y, held = load_counter(sim.counters, C_STOP), integer(sim.plan, Y_NEW), integer(sim.plan, M_STOPS)
    slope, least = load(sim.memory, held + STOP_SLOPE, 0.0), load(sim.memory, held + H_LEAST, 0.0)
    value = guard(sim, y, whose // lanes_of(zero), whose % lanes_of(zero), zero)
    if not slope > 0.0 or load_counter(sim.counters, C_CUT) > MOST_CORRECTIONS:
        return False
    change = -value / slope
    if abs(change) < max(0.25 * least, PRECISE * h) or not abs(change) < 0.1 * h:
        return False
    store(sim.memory, held + H_STOP, h + change)
    store_counter(sim.counters, C_CUT, load_counter(sim.counters, C_CUT) + 1)
    return True


@inner
def end_at_stop(sim, t, h, zero):
    """Whether the step just tried must be taken again, since a stop changes its phase within it."""
    if load_counter(sim.counters, C_CUT) > 0:
        if correct_change(sim, h, zero):
            return True
        store_counter(sim.counters, C_CUT, 0)
        store_counter(sim.counters, C_ENDS, 1)
        return False
    if load_counter(sim.counters, C_STOPS) > MOST_AT_ONCE:
        return False
    fraction = find_change(sim, t, h, zero)
    if fraction == FOUND_NONE:
        return False
    store_counter(sim.counters, C_FRESH, 1)  # the first stage stays as it is
    if fraction * h > load(sim.memory, integer(sim.plan, M_STOPS) + H_LEAST, 0.0):
        store(sim.memory, integer(sim.plan, M_STOPS) + H_STOP, fraction * h)
        store_counter(sim.counters, C_CUT, 1)
    else:  # here and now
        change_phase(sim, load_counter(sim.counters, C_STOP), zero)
        store_counter(sim.counters, C_STOPS, load_counter(sim.counters, C_STOPS) + 1)
        store_counter(sim.counters, C_FRESH, 0)
    return True


@inner
def attend(sim, t, h, what, zero):
    """What the driver asks for; whether a step must be taken again goes into C_AGAIN."""
    if what == CHOOSE_PHASES:
        choose_phases(sim, zero)
    elif what == CHANGE_PHASE:
        change_phase(sim, load_counter(sim.counters, C_STOP), zero)
    else:
        again = end_at_stop(sim, t, h, zero)
        store_counter(sim.counters, C_AGAIN, 1 if again else 0)


def _stops_of_one(own, t, h, what, _):
    attend(sim_at(own), t, h, what, 0.0)


def _stops_of_pack(own, t, h, what, _):
    attend(sim_at(own), t, h, what, zero_of(PACK))


def _stops_of_varied(own, t, h, what, _):
    attend(varied_sim_at(own), t, h, what, zero_of(PACK))


@cache
def stops_address(lanes, varied=False):
    """All of this as a C function: compiled when a robot with end stops is first simulated, apart from the driver.

    `varied`: the robots of a pack differ in parameters.
    """
    if lanes == 1:
        return Address(_stops_of_one, STEP_SIGNATURE, "stops.one")
    if varied:
        return Address(_stops_of_varied, STEP_SIGNATURE, "stops.varied")
    return Address(_stops_of_pack, STEP_SIGNATURE, "stops.pack")
