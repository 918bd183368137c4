"""Guards within a step: the side of each is held while a step lasts, and steps end where one passes through zero.

An element's guard is a number whose side it may branch by: tether taut or slack, motor saturated or not. An end stop
has one for each of its phases (stop_phases.py). With sides and phases held the right-hand side is smooth, whatever
happens before the step is cut. The first guard that a step violates is found on dense output; the step is taken
again to end there, and corrected until the guard is zero at the end of a true step of the method. In a pack, a step
ends where the first robot's guard is. With a fixed step, stops have no phases (passive.py), and sides are chosen for
each step.

Guards are counted through: those of the rates' stops, then those of elements; the number of one times lanes plus the
lane says whose it is. A side that has just begun may be off its guard's zero by rounding; the guard counts from that
level on, so that two that change at the same instant do not make each other change again.
"""

from functools import cache

from ..methods.runge_kutta import run_stages, state_within
from ..robot.layout import *  # noqa: F403
from ..scalar.compiling import Address, inner
from ..scalar.lanes import add_number, number_in
from ..scalar.memory import integer, lanes_of, load, load_counter, store, store_counter, zero_of
from ..scalar.pack import PACK
from ..sim.evaluate import STEP_SIGNATURE, evaluate
from ..sim.layout import *  # noqa: F403
from ..sim.sim import sim_at, varied_sim_at
from .stop_phases import beyond, change_stop_phase, choose_stop_phases, has_stop, stop_guard

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
def look(sim, t, y):
    """Values of elements' guards at time t and the vector y."""
    if integer(sim.plan, GUARDS) > 0:
        evaluate(sim, t, y, integer(sim.plan, Y_SPARE), LOOK)


@inner
def first_guard(sim):
    """Number of the first guard there is: without stops, an element's."""
    return integer(sim.tree, BASE_RATES) if integer(sim.tree, W_STOP) > 0 else integer(sim.tree, RATES)


@inner
def is_guarded(sim, number, lane):
    """Whether a robot has this guard: not every rate has a stop."""
    return number >= integer(sim.tree, RATES) or has_stop(sim.tree, sim.par, number, lane)


@inner
def guard(sim, y, number, lane, zero):
    """Negative while a side or phase lasts; elements' guards must have been looked at."""
    mine = number - integer(sim.tree, RATES)
    if mine < 0:
        return stop_guard(sim, y, number, lane, zero)
    value = number_in(sim.work, integer(sim.plan, Y_GUARD) + mine, lane, zero)
    return -number_in(sim.work, integer(sim.plan, Y_SIDE) + mine, lane, zero) * value


@inner
def level_at(sim, number):
    """Where in work the level of a guard is."""
    nv = integer(sim.tree, RATES)
    return integer(sim.tree, W_STOP) + 3 * nv + number if number < nv else integer(sim.plan, Y_LEVEL) + number - nv


@inner
def set_number(sim, at, lane, value, zero):
    """A robot's number in scalar `at` of work."""
    add_number(sim.work, at, lane, value - number_in(sim.work, at, lane, zero), zero)


@inner
def choose_phases(sim, t, zero):
    """Phases of stops and sides of guards at a state that no step has led to."""
    if integer(sim.tree, W_STOP) > 0:
        choose_stop_phases(sim, zero)
    look(sim, t, integer(sim.plan, Y_NOW))
    for g in range(integer(sim.plan, GUARDS)):
        for lane in range(lanes_of(zero)):
            value = number_in(sim.work, integer(sim.plan, Y_GUARD) + g, lane, zero)
            set_number(sim, integer(sim.plan, Y_SIDE) + g, lane, 1.0 if value > 0.0 else -1.0, zero)


@inner
def choose_sides(sim, t, zero):
    """Sides of those guards that a sample of a law has made jump: others are what they were before, at Y_LEVEL."""
    look(sim, t, integer(sim.plan, Y_NOW))
    for g in range(integer(sim.plan, GUARDS)):
        for lane in range(lanes_of(zero)):
            value = number_in(sim.work, integer(sim.plan, Y_GUARD) + g, lane, zero)
            if value != number_in(sim.work, integer(sim.plan, Y_LEVEL) + g, lane, zero):
                set_number(sim, integer(sim.plan, Y_SIDE) + g, lane, 1.0 if value > 0.0 else -1.0, zero)


@inner
def change_phase(sim, whose, zero):
    """A stop or a guard that is at zero now takes its next phase, or its other side."""
    number, lane = whose // lanes_of(zero), whose % lanes_of(zero)
    mine = number - integer(sim.tree, RATES)
    if mine < 0:
        change_stop_phase(sim, number, lane, zero)
    else:
        at = integer(sim.plan, Y_SIDE) + mine
        set_number(sim, at, lane, -number_in(sim.work, at, lane, zero), zero)


@inner
def note_levels(sim, t, zero):
    """Where a step starts, guards that are not negative are taken as the levels that they must leave."""
    now = integer(sim.plan, Y_NOW)
    look(sim, t, now)
    for number in range(first_guard(sim), integer(sim.tree, RATES) + integer(sim.plan, GUARDS)):
        for lane in range(lanes_of(zero)):
            if is_guarded(sim, number, lane):
                value = guard(sim, now, number, lane, zero)
                set_number(sim, level_at(sim, number), lane, 2.0 * max(value, 0.0), zero)


@inner
def excess(sim, y, number, lane, zero):
    """A guard above its level: positive once the phase is over."""
    return guard(sim, y, number, lane, zero) - number_in(sim.work, level_at(sim, number), lane, zero)


@inner
def look_at_guards(sim, t, y, zero):
    """The largest of all guards above their levels at time t and the vector y, and whose it is."""
    look(sim, t, y)
    worst, whose, lanes = -1e300, -1, lanes_of(zero)
    for number in range(first_guard(sim), integer(sim.tree, RATES) + integer(sim.plan, GUARDS)):
        for lane in range(lanes):
            if is_guarded(sim, number, lane):
                value = excess(sim, y, number, lane, zero)
                if value > worst:
                    worst, whose = value, number * lanes + lane
    return worst, whose


@inner
def may_cross(sim, zero):
    """Whether a guard of an element may have been violated within the step just tried, though it is not at its end.

    It came nearer in the step before, goes away in this one, and was as near as that. Guards must have been looked at
    at the step's end; then what they are there is kept for the next step.
    """
    found = False
    for g in range(integer(sim.plan, GUARDS)):
        for lane in range(lanes_of(zero)):
            number = integer(sim.tree, RATES) + g
            after, at = guard(sim, integer(sim.plan, Y_NEW), number, lane, zero), integer(sim.plan, Y_BEFORE) + g
            now = number_in(sim.work, at, lane, zero)
            before = number_in(sim.work, at + integer(sim.plan, GUARDS), lane, zero)
            if now > before and after < now and -max(now, after) < (now - before) + (now - after):
                found = True
            set_number(sim, at + integer(sim.plan, GUARDS), lane, now, zero)
            set_number(sim, at, lane, after, zero)
    return found


@inner
def may_touch(sim, h, zero):
    """Whether a joint is at a stop, or could get to one within the step just tried."""
    for rate in range(first_guard(sim), integer(sim.tree, RATES)):
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
    for rate in range(first_guard(sim), nv):
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
    for rate in range(first_guard(sim), integer(sim.tree, RATES)):
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
def locate_change(sim, t, h, low, high, zero):
    """The first fraction between two others at which a guard is violated; whose, and how fast it rises, are noted."""
    least = 0.25 * load(sim.memory, integer(sim.plan, M_STOPS) + H_LEAST, 0.0)
    for _ in range(100):
        middle = 0.5 * (low + high)
        if (high - low) * h < least or not low < middle < high:
            break
        y = vector_within(sim, h, middle, zero)
        value, whose = look_at_guards(sim, t + middle * h, y, zero)
        if value > 0.0:
            high = middle
            store_counter(sim.counters, C_STOP, whose)
        else:
            low = middle
    whose, little = load_counter(sim.counters, C_STOP), 1e-5 * high
    y = vector_within(sim, h, high - little, zero)
    look(sim, t + (high - little) * h, y)
    before = guard(sim, y, whose // lanes_of(zero), whose % lanes_of(zero), zero)
    store(sim.memory, integer(sim.plan, M_STOPS) + STOP_SLOPE, -before / (little * h))
    return high


@inner
def find_change(sim, t, h, zero):
    """Fraction of the step just tried at which the first guard passes through zero, or FOUND_NONE."""
    new, now = integer(sim.plan, Y_NEW), integer(sim.plan, Y_NOW)
    note_levels(sim, t, zero)
    value, _ = look_at_guards(sim, t + h, new, zero)
    near = may_cross(sim, zero)
    if value <= 0.0 and not near and not may_touch(sim, h, zero):
        return FOUND_NONE
    main, stages = integer(sim.plan, MAIN_STAGES), integer(sim.plan, ALL_STAGES)
    run_stages(sim, t, h, main + 1, stages, 0, zero)  # for dense output
    note_turns(sim, now, 0.0, zero)
    before = 0.0
    for i in range(1, LOOKS + 1):
        fraction = i / LOOKS
        y = vector_within(sim, h, fraction, zero)
        value, whose = look_at_guards(sim, t + fraction * h, y, zero)
        store_counter(sim.counters, C_STOP, whose)
        note_turns(sim, y, (fraction - before) * h, zero)
        high = fraction
        if not value > 0.0:
            high = find_touch(sim, h, before, fraction, zero)
        if high < FOUND_NONE:
            return locate_change(sim, t, h, before, high, zero)
        before = fraction
    return FOUND_NONE


@inner
def correct_change(sim, t, h, zero):
    """After a step that is to end where a phase changes: whether it must be taken again, a little longer or shorter."""
    whose, y, held = load_counter(sim.counters, C_STOP), integer(sim.plan, Y_NEW), integer(sim.plan, M_STOPS)
    slope, least = load(sim.memory, held + STOP_SLOPE, 0.0), load(sim.memory, held + H_LEAST, 0.0)
    look(sim, t + h, y)
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
def end_at_guard(sim, t, h, zero):
    """Whether the step just tried must be taken again, since a guard passes through zero within it."""
    if load_counter(sim.counters, C_CUT) > 0:
        if correct_change(sim, t, h, zero):
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
        choose_phases(sim, t, zero)
    elif what == CHANGE_PHASE:
        change_phase(sim, load_counter(sim.counters, C_STOP), zero)
    elif what == CHOOSE_SIDES:
        choose_sides(sim, t, zero)
    else:
        again = end_at_guard(sim, t, h, zero)
        store_counter(sim.counters, C_AGAIN, 1 if again else 0)


def _guards_of_one(own, t, h, what, _):
    attend(sim_at(own), t, h, what, 0.0)


def _guards_of_pack(own, t, h, what, _):
    attend(sim_at(own), t, h, what, zero_of(PACK))


def _guards_of_varied(own, t, h, what, _):
    attend(varied_sim_at(own), t, h, what, zero_of(PACK))


@cache
def guards_address(lanes, varied=False):
    """All of this as a C function: compiled when guards are first to be heeded, apart from the driver.

    `varied`: the robots of a pack differ in parameters.
    """
    if lanes == 1:
        return Address(_guards_of_one, STEP_SIGNATURE, "guards.one")
    if varied:
        return Address(_guards_of_varied, STEP_SIGNATURE, "guards.varied")
    return Address(_guards_of_pack, STEP_SIGNATURE, "guards.pack")
