"""Guards: numbers whose signs (sides) are held within a step; steps end where one changes its side.

An element's guard is a number whose side it may branch by: tether taut or slack, motor saturated or not, joint at its
end stop. With sides held the right-hand side is smooth, whatever happens before the step is cut. An event's condition
is a guard that nothing branches by; where it changes its side in the direction that counts, the event happens.

The first guard that crosses within a step is found on dense output (crossings.py). The step is taken again to end
there, and corrected until the guard is zero at the end of a true step of the method. In a pack, a step ends where the
first robot's guard is. With a fixed step, elements' sides are chosen for each step, and steps end at events only.

Where a side has changed, values of other guards may jump; those take the side that they jump to at once. A guard that
a step starts with on its other side, by rounding, counts once it is twice as far beyond. An event whose action has
changed the state starts without a side, and counts from where it is until it has left, however slowly: rounding makes
no event.
"""

from functools import cache

from ..robot.layout import *  # noqa: F403
from ..scalar.compiling import Address, inner
from ..scalar.memory import integer, lanes_of, load, load_counter, store, store_counter, zero_of
from ..scalar.pack import PACK
from ..sim.evaluate import STEP_SIGNATURE, evaluate, is_adaptive
from ..sim.layout import *  # noqa: F403
from ..sim.sim import sim_at
from .crossings import BAD, NONE, find_crossing
from .guard_memory import (
    counted,
    crosses,
    evaluate_guards,
    first_asking,
    first_event,
    follow,
    load_guard,
    look_within,
    set_side,
    side_of,
    sign,
    store_guard,
    value_of,
)
from .row_jumps import asks_with_new_rows, is_late, rank_changes
from .tunneling import keep_paces

MAX_CORRECTIONS = 4
MAX_AT_ONCE = 20  # changes of each guard's side at one instant
PRECISE, PART_OF_RTOL = 1e-10, 1e-3  # of a step, of rtol: how near to the zero of an element's guard it is to end
CHANGES = 3  # of sides that follow from each other


@inner
def set_sides(sim, t, zero):
    """Sides of guards at a state that no step has led to; with fixed steps, of elements' guards in any case."""
    changes = CHANGES  # values may depend on the sides of others
    while changes > 0:
        evaluate_guards(sim, t, integer(sim.plan, Y_NOW), zero)
        changed = False
        for g in range(first_event(sim)):
            for lane in range(lanes_of(zero)):
                anew = not is_adaptive(sim) or is_armed(sim, lane, zero) <= 0.0
                other = anew and choose_side(sim, g, lane, zero)
                store_guard(sim, G_CROSSED, g, lane, 1.0 if other and is_armed(sim, lane, zero) != 0.0 else 0.0, zero)
                changed = changed or other
        sample_owners(sim, t, zero)
        changes = changes - 1 if changed else 0
    for lane in range(lanes_of(zero)):
        if is_armed(sim, lane, zero) <= 0.0:
            for g in range(integer(sim.plan, GUARDS)):
                store_guard(sim, G_LEVEL, g, lane, 0.0, zero)
                if g >= first_event(sim):
                    set_event(sim, g, lane, zero)
                start_from(sim, g, lane, -1.0, zero)
            store(sim.work, integer(sim.plan, Y_ARMED) * lanes_of(zero) + lane, 1.0)
    keep_paces(sim, zero)


@inner
def choose_side(sim, g, lane, zero):
    """An element's guard is held on the side where it was looked at last; whether that is another than before."""
    before = side_of(sim, g, lane, zero)
    now = 1.0 if value_of(sim, g, lane, zero) > 0.0 or g >= first_asking(sim) else -1.0
    set_side(sim, g, lane, now, zero)
    return now != before


@inner
def is_armed(sim, lane, zero):
    """Whether the guards of a robot have sides: 1; -1 if an action has moved it since, 0 if they never had any."""
    return load(sim.work, integer(sim.plan, Y_ARMED) * lanes_of(zero) + lane, 0.0)


@inner
def set_event(sim, g, lane, zero):
    """The side of an event; none if it has just happened, and is where it was then."""
    value = value_of(sim, g, lane, zero)
    fired, near = load_guard(sim, G_FIRED, g, lane, zero) > 0.0, load_guard(sim, G_NEAR, g, lane, zero)
    if fired and abs(value) <= 2.0 * near + 1e-12:
        set_side(sim, g, lane, 0.0, zero)
        store_guard(sim, G_LEVEL, g, lane, value, zero)
    else:
        set_side(sim, g, lane, sign(value), zero)
    store_guard(sim, G_FIRED, g, lane, 0.0, zero)


@inner
def start_from(sim, g, lane, factor, zero):
    """The next step starts with the value of a guard at its last evaluation, and with `factor` times that before it."""
    value = value_of(sim, g, lane, zero)
    store_guard(sim, G_START, g, lane, value, zero)
    store_guard(sim, G_BEFORE, g, lane, factor * value, zero)


@inner
def check_jump(sim, t, zero):
    """Commands may have jumped: guards that are not where they were (G_LATE) before take the side that they are on.

    Whether any side has changed.
    """
    changes, any_changed = CHANGES, False
    while changes > 0:
        evaluate_guards(sim, t, integer(sim.plan, Y_NOW), zero)
        changed = False
        for g in range(first_event(sim)):
            for lane in range(lanes_of(zero)):
                other = False
                if value_of(sim, g, lane, zero) != load_guard(sim, G_LATE, g, lane, zero):
                    other = choose_side(sim, g, lane, zero)
                    start_from(sim, g, lane, 1.0, zero)
                store_guard(sim, G_CROSSED, g, lane, 1.0 if other else 0.0, zero)
                changed = changed or other
        sample_owners(sim, t, zero)
        any_changed = any_changed or changed
        changes = changes - 1 if changed else 0
    return any_changed


@inner
def note_values(sim, zero):
    """Where guards are that have just been looked at, to see which ones jump."""
    for g in range(first_event(sim)):
        for lane in range(lanes_of(zero)):
            store_guard(sim, G_LATE, g, lane, value_of(sim, g, lane, zero), zero)


@inner
def sample_owners(sim, t, zero):
    """Elements whose guards have just changed sides (G_CROSSED) take their samples, robot by robot."""
    due = False
    for i in range(integer(sim.plan, ELEMENTS)):
        e = integer(sim.plan, ELEMENT_AT) + i * ELEMENT_INTS
        guards = integer(sim.plan, e + E_GUARDS) if integer(sim.plan, e + E_SAMPLES) > 0 else 0
        for j in range(guards * lanes_of(zero)):
            g, lane = integer(sim.plan, e + E_GUARD) + j // lanes_of(zero), j % lanes_of(zero)
            if load_guard(sim, G_CROSSED, g, lane, zero) > 0.0:
                store(sim.work, integer(sim.plan, e + E_SAMPLING) * lanes_of(zero) + lane, 1.0)
                due = True
    if due:
        evaluate(sim, t, integer(sim.plan, Y_NOW), integer(sim.plan, Y_SPARE), 0)
        for i in range(integer(sim.plan, ELEMENTS)):
            e = integer(sim.plan, ELEMENT_AT) + i * ELEMENT_INTS
            if integer(sim.plan, e + E_SAMPLES) > 0:
                store(sim.work, integer(sim.plan, e + E_SAMPLING), zero)


@inner
def note_crossed(sim, zero):
    """Which elements' guards change sides where all were looked at last: C_TARGET, and others that are beyond zero."""
    target, lanes = load_counter(sim.counters, C_TARGET), lanes_of(zero)
    for g in range(first_event(sim)):
        for lane in range(lanes):
            # at zero, where it may start, it is not beyond
            beyond = counted(sim, g, lane, zero) * side_of(sim, g, lane, zero) < 0.0
            crossed = beyond or g * lanes + lane == target
            store_guard(sim, G_CROSSED, g, lane, 1.0 if crossed and g < first_asking(sim) else 0.0, zero)
            if crossed and g >= first_asking(sim):
                store_counter(sim.counters, C_ASKED, 1)
                store_counter(sim.counters, C_HAPPENED, 1)


@inner
def change_sides(sim, t, zero):
    """The elements' guards that are noted as crossed change their sides here, and others that jump with them."""
    changed = False
    evaluate_guards(sim, t, integer(sim.plan, Y_NOW), zero)
    note_values(sim, zero)
    for g in range(first_event(sim)):
        for lane in range(lanes_of(zero)):
            if load_guard(sim, G_CROSSED, g, lane, zero) > 0.0:
                set_side(sim, g, lane, -side_of(sim, g, lane, zero), zero)
                start_from(sim, g, lane, 1.0, zero)
                changed = True
    if changed:
        sample_owners(sim, t, zero)
        check_jump(sim, t, zero)
        store_counter(sim.counters, C_FRESH, 0)


@inner
def let_happen(sim, zero):
    """The step ends at an event, where all guards have just been looked at: which ones happen there, in which lanes."""
    target, lanes = load_counter(sim.counters, C_TARGET), lanes_of(zero)
    for g in range(first_event(sim), integer(sim.plan, GUARDS)):
        for lane in range(lanes):
            happens = g * lanes + lane == target or crosses(sim, g, lane, zero)
            store_guard(sim, G_FIRED, g, lane, 1.0 if happens else 0.0, zero)
            if happens:
                store_guard(sim, G_NEAR, g, lane, abs(value_of(sim, g, lane, zero)), zero)
                set_side(sim, g, lane, -side_of(sim, g, lane, zero), zero)
                store_guard(sim, G_LEVEL, g, lane, 0.0, zero)
                store_counter(sim.counters, C_HAPPENED, 1)
            else:
                follow(sim, g, lane, counted(sim, g, lane, zero), zero)


@inner
def is_off(sim, t, h, zero):
    """After a step that is to end at a guard's zero: whether it must be taken again, a little longer or shorter."""
    target, lanes, at = load_counter(sim.counters, C_TARGET), lanes_of(zero), integer(sim.plan, M_CUT)
    least, slope = load(sim.clock, H_MIN, 0.0), load(sim.memory, at + CUT_SLOPE, 0.0)
    evaluate_guards(sim, t + h, integer(sim.plan, Y_NEW), zero)
    if slope == 0.0 or load_counter(sim.counters, C_CUT) > MAX_CORRECTIONS:
        return False
    change = -counted(sim, target // lanes, target % lanes, zero) / slope
    near = 0.25 * least
    if target // lanes < first_asking(sim):
        rtol = load(sim.numbers, integer(sim.plan, N_SCALE) + 2 * integer(sim.tree, RATES) + 1, 0.0)
        near = max(near, max(PRECISE, PART_OF_RTOL * rtol) * h)
    if abs(change) < near or not abs(change) < 0.1 * h:
        return False
    store(sim.memory, at + H_CUT, h + change)
    store_counter(sim.counters, C_CUT, load_counter(sim.counters, C_CUT) + 1)
    return True


@inner
def end_cut_step(sim, zero):
    """A step has ended at a guard's zero: the next one starts there."""
    for g in range(integer(sim.plan, GUARDS)):
        for lane in range(lanes_of(zero)):
            store_guard(sim, G_BEFORE, g, lane, load_guard(sim, G_START, g, lane, zero), zero)
            store_guard(sim, G_START, g, lane, value_of(sim, g, lane, zero), zero)
    note_crossed(sim, zero)
    let_happen(sim, zero)
    keep_paces(sim, zero)
    store_counter(sim.counters, C_CUT, 0)
    store_counter(sim.counters, C_ENDS, 1)


@inner
def check_step(sim, t, h, zero):
    """Whether the step just tried must be taken again, since a guard crosses within it: 1; 2 if a guard is NaN."""
    if load_counter(sim.counters, C_CUT) > 0:
        if is_off(sim, t, h, zero):
            return 1
        end_cut_step(sim, zero)
        return 0
    most = MAX_AT_ONCE * integer(sim.plan, GUARDS) * lanes_of(zero)
    held = is_adaptive(sim) and load_counter(sim.counters, C_SIDES) <= most
    if is_adaptive(sim) and not held:  # both sides lead back to its zero: this step passes over it
        store_counter(sim.counters, C_SLIDES, load_counter(sim.counters, C_TARGET) + 1)
    fraction = find_crossing(sim, t, h, 0 if held else first_asking(sim), zero)
    if fraction == BAD:
        return 2
    if fraction == NONE:
        return 0
    store_counter(sim.counters, C_FRESH, 1)  # the first stage stays as it is
    of_element = load_counter(sim.counters, C_TARGET) // lanes_of(zero) < first_asking(sim)
    if of_element and fraction * h <= load(sim.clock, H_MIN, 0.0):  # here and now
        look_within(sim, t, h, fraction, False, zero)
        note_crossed(sim, zero)
        change_sides(sim, t, zero)
        store_counter(sim.counters, C_SIDES, load_counter(sim.counters, C_SIDES) + 1)
    else:
        store(sim.memory, integer(sim.plan, M_CUT) + H_CUT, fraction * h)
        store_counter(sim.counters, C_CUT, 1)
    return 1


@inner
def check_rows_and_step(sim, t, h, zero):
    """What becomes of a step, as check_step says, where the number of independent rows may change at its end.

    Guards that this brings beyond zero ask there; others go on from where they jump to.
    """
    changes = rank_changes(sim)
    if changes and is_late(sim, t, h, zero):
        return 1
    again = check_step(sim, t, h, zero)
    if changes and again == 0:
        if asks_with_new_rows(sim, t + h, zero):
            store_counter(sim.counters, C_ASKED, 1)
            store_counter(sim.counters, C_HAPPENED, 1)
        for g in range(first_asking(sim), first_event(sim)):
            for lane in range(lanes_of(zero)):
                start_from(sim, g, lane, 1.0, zero)
    return again


@inner
def check(sim, t, h, what, zero):
    """What the driver asks for; what becomes of a step, or whether sides have changed, goes into C_AGAIN."""
    if what == SET_SIDES:
        set_sides(sim, t, zero)
    elif what == CHANGE_SIDES:
        change_sides(sim, t, zero)
    elif what == CHECK_JUMP:
        store_counter(sim.counters, C_AGAIN, 1 if check_jump(sim, t, zero) else 0)
    else:
        store_counter(sim.counters, C_AGAIN, check_rows_and_step(sim, t, h, zero))


def _check_one(own, t, h, what, _):
    check(sim_at(own), t, h, what, 0.0)


def _check_pack(own, t, h, what, _):
    check(sim_at(own), t, h, what, zero_of(PACK))


@cache
def guards_address(lanes):
    """All of this as a C function: compiled when guards are first used, apart from the driver."""
    if lanes == 1:
        return Address(_check_one, STEP_SIGNATURE, "guards.one")
    return Address(_check_pack, STEP_SIGNATURE, "guards.pack")
