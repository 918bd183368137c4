"""Guards: numbers whose signs (sides) are held within a step; steps end where one changes its side.

An element may branch by the side of its guards: tether taut or slack, motor saturated or not, joint at its end stop.
With sides held, the right-hand side is smooth within the whole step that is tried. An event's condition is a guard that
nothing branches by; the event happens where it changes its side in the direction that counts.

The first guard that crosses within a step is found on dense output (crossings.py). The step is tried again with its end
there, and corrected until the guard is zero at the end of a true step of the method. In a pack, the step ends at the
earliest crossing of any robot. With a fixed step, elements' sides are chosen for each step, and only events cut steps.

Where a side changes, values of other guards may jump; these take the side that they jump to at once. A guard that
rounding puts beyond zero at the start of a step counts as crossed only at twice that distance. An event whose action
has changed the state starts without a side, and its value is counted from a level, the present value, until it has
moved away, however slowly: rounding makes no event.
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
MAX_AT_ONCE = 20  # most changes of each guard's side at one instant, before a step passes over its zero
PRECISE, PART_OF_RTOL = 1e-10, 1e-3  # a step ends at an element's guard to PRECISE h or PART_OF_RTOL rtol h
CHANGES = 3  # most rounds of changes of sides that cause further changes


@inner
def set_sides(sim, t, zero):
    """Choose the sides of guards at the start and after an action; with fixed steps, elements' sides in any case."""
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
    """Hold an element's guard on the side of its last evaluation; return whether the side has changed."""
    before = side_of(sim, g, lane, zero)
    now = 1.0 if value_of(sim, g, lane, zero) > 0.0 or g >= first_asking(sim) else -1.0
    set_side(sim, g, lane, now, zero)
    return now != before


@inner
def is_armed(sim, lane, zero):
    """1 if the guards of a robot have sides, -1 if an action has changed its state since, 0 if they never had any."""
    return load(sim.work, integer(sim.plan, Y_ARMED) * lanes_of(zero) + lane, 0.0)


@inner
def set_event(sim, g, lane, zero):
    """Set the side of an event; it gets none if it has just happened and its value is still near zero."""
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
    """Let the next step start with a guard's last value, and with `factor` times it as the value a step earlier."""
    value = value_of(sim, g, lane, zero)
    store_guard(sim, G_START, g, lane, value, zero)
    store_guard(sim, G_BEFORE, g, lane, factor * value, zero)


@inner
def check_jump(sim, t, zero):
    """After a possible jump of commands, set the sides of guards whose values differ from those before it (G_LATE).

    Returns whether any side has changed.
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
    """Keep the values of the guards' last evaluation in G_LATE, so that jumps can be detected."""
    for g in range(first_event(sim)):
        for lane in range(lanes_of(zero)):
            store_guard(sim, G_LATE, g, lane, value_of(sim, g, lane, zero), zero)


@inner
def sample_owners(sim, t, zero):
    """Take the samples of elements whose guards have just changed sides (G_CROSSED), robot by robot."""
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
    """Mark the elements' guards that change sides at the last evaluation: C_TARGET, and others beyond zero."""
    target, lanes = load_counter(sim.counters, C_TARGET), lanes_of(zero)
    for g in range(first_event(sim)):
        for lane in range(lanes):
            # a guard that starts at zero is not beyond
            beyond = counted(sim, g, lane, zero) * side_of(sim, g, lane, zero) < 0.0
            crossed = beyond or g * lanes + lane == target
            store_guard(sim, G_CROSSED, g, lane, 1.0 if crossed and g < first_asking(sim) else 0.0, zero)
            if crossed and g >= first_asking(sim):
                store_counter(sim.counters, C_ASKED, 1)
                store_counter(sim.counters, C_HAPPENED, 1)


@inner
def change_sides(sim, t, zero):
    """Change the sides of elements' guards that are marked as crossed, and of others that jump with them."""
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
    """Mark the events that happen, in each lane, at the end of a step where all guards have just been evaluated."""
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
    """Whether a step that is to end at a guard's zero misses it, and must be tried again, longer or shorter."""
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
    """End a step at a guard's zero: mark what has crossed, and keep values for the next step."""
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
    """0 if the step just tried stands; 1 if it must be tried again, since a guard crosses in it; 2 if one is NaN."""
    if load_counter(sim.counters, C_CUT) > 0:
        if is_off(sim, t, h, zero):
            return 1
        end_cut_step(sim, zero)
        return 0
    most = MAX_AT_ONCE * integer(sim.plan, GUARDS) * lanes_of(zero)
    held = is_adaptive(sim) and load_counter(sim.counters, C_SIDES) <= most
    if is_adaptive(sim) and not held:  # both sides lead back to the guard's zero: this step passes over it
        store_counter(sim.counters, C_SLIDES, load_counter(sim.counters, C_TARGET) + 1)
    fraction = find_crossing(sim, t, h, 0 if held else first_asking(sim), zero)
    if fraction == BAD:
        return 2
    if fraction == NONE:
        return 0
    store_counter(sim.counters, C_FRESH, 1)  # the first stage stays valid
    of_element = load_counter(sim.counters, C_TARGET) // lanes_of(zero) < first_asking(sim)
    if of_element and fraction * h <= load(sim.clock, H_MIN, 0.0):  # at the start of the step
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
    """The same as `check_step`, where the number of independent rows may change at the end of the step.

    Guards that this change brings beyond zero call for impulses there; others continue from the value they jump to.
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
    """`check` as a C function: compiled when guards are first used, apart from the driver."""
    if lanes == 1:
        return Address(_check_one, STEP_SIGNATURE, "guards.one")
    return Address(_check_pack, STEP_SIGNATURE, "guards.pack")
