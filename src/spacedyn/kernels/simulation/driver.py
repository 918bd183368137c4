"""The driver: steps from now to a time, samples of laws on the way, rows of the record. Compiled once for all laws.

It comes back when it is done, at an event, when the record is full, after so many steps (so that a person can
interrupt), or when numbers are no longer finite; with what it has kept it goes on where it was, bit for bit.
"""

from ..elements.forces import switch_elements
from ..elements.laws import ask_for_modes, hold_sample
from ..elements.prescribed import choose_pieces, prescribe
from ..methods.runge_kutta import combine_stages, error_norm, run_stages
from ..methods.variational import keep_momentum
from ..robot.charts import inertial_rates, move_along
from ..robot.layout import *  # noqa: F403
from ..scalar.compiling import array_at, call, entry, inner
from ..scalar.memory import (
    integer,
    lanes_of,
    later,
    load,
    load_counter,
    pointer,
    store,
    store_counter,
    widest_of,
    zero_of,
)
from ..scalar.pack import select, somewhere
from ..sim.evaluate import evaluate
from ..sim.layout import *  # noqa: F403
from .events import BAD, NONE, arm, correct_event, find_event, settle_events
from .record import CLOSE, record_end, record_step

NEVER = 1e300
SHORTEST = 16.0 * 2.0**-52  # step, over the time: shorter ones get nowhere


@inner
def sample_time(plan, numbers, counters, clock, law):
    """When a law is due next; never if it is continuous."""
    record = integer(plan, LAW_AT) + law * LAW_INTS
    if not integer(plan, record + L_SAMPLED):
        return NEVER
    period = load(numbers, integer(plan, record + L_PARAMETERS), 0.0)
    return load(clock, T_START, 0.0) + period * load_counter(counters, C_LAWS + 2 * law)


@inner
def hold_time(plan, numbers, counters, clock, law):
    """When a sample that waits comes into effect; never if none waits."""
    record = integer(plan, LAW_AT) + law * LAW_INTS
    held = load_counter(counters, C_LAWS + 2 * law + 1)
    if not integer(plan, record + L_SAMPLED) or held >= load_counter(counters, C_LAWS + 2 * law):
        return NEVER
    at = integer(plan, record + L_PARAMETERS)
    return load(clock, T_START, 0.0) + load(numbers, at, 0.0) * held + load(numbers, at + 1, 0.0)


@inner
def next_break(plan, numbers, counters, clock, due, after):
    """The next time that a step must end at, given the laws whose samples are taken at its start, as bits."""
    soonest = load(clock, T_END, 0.0)
    for law in range(integer(plan, LAWS)):
        record = integer(plan, LAW_AT) + law * LAW_INTS
        if integer(plan, record + L_SAMPLED):
            period = load(numbers, integer(plan, record + L_PARAMETERS), 0.0)
            delay = load(numbers, integer(plan, record + L_PARAMETERS) + 1, 0.0)
            taken = load_counter(counters, C_LAWS + 2 * law) + ((due >> law) & 1)
            held = load_counter(counters, C_LAWS + 2 * law + 1)
            sample = load(clock, T_START, 0.0) + period * taken
            if after < sample < soonest:
                soonest = sample
            effect = load(clock, T_START, 0.0) + period * held + delay
            if held < taken and after < effect < soonest:
                soonest = effect
    if integer(plan, BREAKS) > 0:
        place = load_counter(counters, C_BREAK)
        while place < integer(plan, BREAKS) and load(numbers, integer(plan, N_BREAKS) + place, 0.0) <= after:
            place += 1
        store_counter(counters, C_BREAK, place)
        if place < integer(plan, BREAKS):
            soonest = min(soonest, load(numbers, integer(plan, N_BREAKS) + place, 0.0))
    return soonest


@inner
def laws_due(plan, numbers, memory, counters, clock, t, near, zero):
    """The laws whose samples are due now, and those whose waiting samples have come into effect, as bits."""
    due, held = 0, 0
    for law in range(integer(plan, LAWS)):
        if hold_time(plan, numbers, counters, clock, law) <= t + near:
            hold_sample(plan, memory, counters, law, zero)
            held |= 1 << law
        if sample_time(plan, numbers, counters, clock, law) <= t + near:
            due |= 1 << law
    return due, held


@inner
def laws_at_once(plan, numbers, due):
    """Those of the laws that are due whose samples take effect without delay, as bits."""
    for law in range(integer(plan, LAWS)):
        at = integer(plan, integer(plan, LAW_AT) + law * LAW_INTS + L_PARAMETERS)
        if load(numbers, at + 1, 0.0) > 0.0:
            due &= ~(1 << law)
    return due


@inner
def accept(tree, work, plan, zero):
    """The new vector becomes the present one, in a new chart around it."""
    nv, origin, new = integer(tree, RATES), integer(plan, Y_ORIGIN), integer(plan, Y_NEW)
    move_along(tree, work, origin, new, integer(tree, W_X), zero)
    for j in range(integer(tree, COORDINATES)):
        store(work, origin + j, load(work, integer(tree, W_X) + j, zero))
    for j in range(nv):
        store(work, integer(plan, Y_NOW) + j, zero)
    for j in range(nv, integer(plan, SIZE)):
        store(work, integer(plan, Y_NOW) + j, load(work, new + j, zero))


@inner
def first_stage_again(tree, work, plan, zero):
    """The last stage was taken at the new state: it serves as the next step's first, in the new chart."""
    nv, size, K = integer(tree, RATES), integer(plan, SIZE), integer(plan, Y_K)
    last = K + integer(plan, MAIN_STAGES) * size
    inertial_rates(tree, work, integer(plan, Y_ORIGIN), integer(plan, Y_NOW) + nv, K, zero)
    for j in range(nv, size):
        store(work, K + j, load(work, last + j, zero))


@inner
def is_no_number(nothing, zero):
    """Whether a sum of differences of finite numbers from themselves is not zero in some lane."""
    return somewhere(select(nothing < 1.0, zero, zero + 1.0) > 0.5)


@inner
def is_bad(work, plan, zero):
    """Whether the new vector is not finite in some lane."""
    size, new, wide, lanes = integer(plan, SIZE), integer(plan, Y_NEW), widest_of(zero), lanes_of(zero)
    step = lanes_of(wide) // lanes
    many, rest = wide, zero
    for j in range(0, size - size % step, step):
        value = load(later(work, (new + j) * lanes), 0, wide)
        many += value - value
    for j in range(size - size % step, size):
        value = load(work, new + j, zero)
        rest += value - value
    return is_no_number(many, wide) or is_no_number(rest, zero)


@inner
def try_step(tree, par, work, plan, numbers, memory, counters, t, h, due, fresh, zero):
    """A step of the method, into Y_NEW; the error over its tolerance."""
    main, nv, new = integer(plan, MAIN_STAGES), integer(tree, RATES), integer(plan, Y_NEW)
    if integer(plan, METHOD) >= IMPLICIT:
        call(integer(plan, STEPPER), tree, par, work, plan, numbers, memory, counters, t, h, new, due)
        return load(array_at(integer(plan, SPARE)), integer(plan, S_MATRIX), 0.0)
    if integer(plan, METHOD) == SEMI_IMPLICIT_EULER:
        run_stages(tree, par, work, plan, numbers, memory, counters, t, h, 0, 1, due, zero)
        combine_stages(work, numbers, plan, integer(plan, N_B), 1, h, new, zero)
        inertial_rates(tree, work, integer(plan, Y_ORIGIN), new + nv, new, zero)
        for j in range(nv):  # positions move with the new rates
            store(work, new + j, h * load(work, new + j, zero))
        return 0.0
    run_stages(tree, par, work, plan, numbers, memory, counters, t, h, 1 if fresh else 0, main + 1, due, zero)
    if load(numbers, integer(plan, N_SCALE), 0.0) < 0.0:
        return 0.0  # a fixed step
    return error_norm(tree, work, plan, numbers, h, zero)


@inner
def take_step(tree, par, work, plan, numbers, memory, counters, clock, zero):
    """Try a step from now: DONE if there is nothing left, TAKEN, REJECTED (it will be shorter), or what went wrong."""
    t, wanted, end = load(clock, T, 0.0), load(clock, H, 0.0), load(clock, T_END, 0.0)
    near = CLOSE * wanted
    if t >= end - near:
        return DONE
    store(clock, H_MIN, SHORTEST * max(abs(t), 1e-3))
    if load_counter(counters, C_LAST) == 1:
        store_counter(counters, C_LAST, 2)
    stops = integer(tree, W_STOP) > 0
    if stops and load_counter(counters, C_STOPS) == 0:
        call(integer(plan, STOPPER), tree, par, work, plan, numbers, memory, counters, t, 0.0, CHOOSE_PHASES, 0)
        store_counter(counters, C_STOPS, 1)
        store_counter(counters, C_FRESH, 0)
    watched = integer(plan, EVENTS) > 0 and lanes_of(zero) == 1  # events are for one robot
    if watched and load_counter(counters, C_ARMED) == 0:
        arm(tree, par, work, plan, numbers, memory, counters, t)
    due, held = laws_due(plan, numbers, memory, counters, clock, t, near, zero)
    changed = held != 0
    if integer(plan, MODES) > 0 and (due != 0 or changed):  # modes are for one robot: lanes of a pack cannot differ
        if due != 0:
            held |= laws_at_once(plan, numbers, due)
            evaluate(tree, par, work, plan, numbers, memory, counters, t, integer(plan, Y_NOW), integer(plan, Y_K), due)
            store_counter(counters, C_FRESH, 1)
            due, changed = 0, False
        if ask_for_modes(tree, plan, memory, held):
            return SWITCHED
    stop = next_break(plan, numbers, counters, clock, due, t + near)
    lands = t + wanted * (1.0 + 1e-6) >= stop
    h = stop - t if lands else wanted
    retaken, cut = load_counter(counters, C_RETAKE) > 0, load_counter(counters, C_CUT) > 0
    if lands and stop == end and load_counter(counters, C_LAST) == 0:
        store_counter(counters, C_LAST, 1)
        if changed:
            store_counter(counters, C_FRESH, 0)
        return ENDING
    if retaken:
        h, lands = load(clock, H_EVENT, 0.0), False
    elif cut:
        h, lands = load(memory, integer(plan, M_STOPS) + H_STOP, 0.0), False
    if integer(plan, PRESCRIBED) > 0 and choose_pieces(plan, numbers, counters, t + 0.5 * h):
        changed = True
    if integer(plan, FORCES) > 0 and switch_elements(plan, numbers, counters, t + 0.5 * h):
        changed = True
    fresh = load_counter(counters, C_FRESH) == 1 and due == 0 and not changed
    error = try_step(tree, par, work, plan, numbers, memory, counters, t, h, due, fresh, zero)
    adaptive = load(numbers, integer(plan, N_SCALE), 0.0) >= 0.0
    if error >= NEVER and (not adaptive or retaken):
        return UNSOLVED
    if is_bad(work, plan, zero) or not error == error:
        if not adaptive or retaken or 0.1 * h < load(clock, H_MIN, 0.0):
            return NOT_FINITE
        error = 1e6
    if error > 1.0 and not retaken:
        store_counter(counters, C_REJECTED, load_counter(counters, C_REJECTED) + 1)
        shrink = max(0.2, 0.9 * error ** (-1.0 / load(clock, ORDER, 0.0)))
        store(clock, H, h * shrink)
        if h * shrink < load(clock, H_MIN, 0.0):
            return STEP_TOO_SMALL
        # samples due were taken by the first stage, which stays as it is
        store_counter(counters, C_FRESH, 1)
        store_counter(counters, C_CUT, 0)
        return REJECTED
    if stops and not retaken:
        store(memory, integer(plan, M_STOPS) + H_LEAST, load(clock, H_MIN, 0.0))
        call(integer(plan, STOPPER), tree, par, work, plan, numbers, memory, counters, t, h, LOOK_AT_STEP, 0)
        if load_counter(counters, C_AGAIN) == 1:
            return REJECTED
    if retaken:
        if correct_event(tree, par, work, plan, numbers, memory, counters, clock, t, h):
            return REJECTED
        settle_events(plan, memory, counters)
    elif watched:
        fraction = find_event(tree, par, work, plan, numbers, memory, counters, clock, t, h, zero)
        if fraction == BAD:
            return NOT_FINITE
        if fraction < NONE:
            store(clock, H_EVENT, fraction * h)
            store_counter(counters, C_RETAKE, 1)
            store_counter(counters, C_FRESH, 1)
            store_counter(counters, C_ENDS, 0)
            return REJECTED
    store(clock, H_TAKEN, h)
    store(clock, T_NEXT, stop if lands else t + h)
    if adaptive and not retaken and not cut:
        order, before = load(clock, ORDER, 0.0), load(clock, ERROR_BEFORE, 0.0)
        safe = max(error, 1e-10)
        factor = 0.9 * safe ** (-0.7 / order) * before ** (0.4 / order)
        grown = h * min(5.0, max(0.2, factor))
        if not lands or (grown < wanted and h > 0.2 * wanted):  # a step cut short says little about longer ones
            store(clock, H, min(grown, load(clock, H_MAX, 0.0)))
        store(clock, ERROR_BEFORE, max(safe, 1e-4))
    return TAKEN


@inner
def finish_step(tree, par, work, plan, numbers, memory, counters, clock, zero):
    """The step just taken is recorded: go to its end."""
    if integer(plan, PRESCRIBED) > 0:
        prescribe(tree, work, plan, numbers, memory, counters, load(clock, T_NEXT, 0.0), integer(plan, Y_NEW), zero)
    accept(tree, work, plan, zero)
    if integer(plan, METHOD) == EXPLICIT:
        first_stage_again(tree, work, plan, zero)
        store_counter(counters, C_FRESH, 1)
    elif integer(plan, METHOD) == VARIATIONAL:
        keep_momentum(tree, work, plan)
    if integer(tree, W_STOP) > 0:
        store_counter(counters, C_STOPS, 1)
        if load_counter(counters, C_ENDS) == 1:
            t = load(clock, T_NEXT, 0.0)
            call(integer(plan, STOPPER), tree, par, work, plan, numbers, memory, counters, t, 0.0, CHANGE_PHASE, 0)
            store_counter(counters, C_ENDS, 0)
            store_counter(counters, C_FRESH, 0)
    store(clock, T, load(clock, T_NEXT, 0.0))
    store_counter(counters, C_STEPS, load_counter(counters, C_STEPS) + 1)


@entry
def advance(tree, par, work, plan, numbers, memory, counters, clock, rows, room, robots, steps, kind):
    """Go on until T_END, until `room` rows are written, or for so many steps; what it returns says which."""
    tree, par, work, plan, numbers = pointer(tree), pointer(par), pointer(work), pointer(plan), pointer(numbers)
    memory, counters, clock, rows = pointer(memory), pointer(counters), pointer(clock), pointer(rows)
    zero = zero_of(kind)
    for _ in range(steps):
        t = load(clock, T, 0.0)
        if load_counter(counters, C_TAKEN) == 0:
            outcome = take_step(tree, par, work, plan, numbers, memory, counters, clock, zero)
            if outcome == DONE:
                record_end(tree, par, work, plan, numbers, memory, counters, rows, t, robots, zero)
            elif outcome == REJECTED:
                continue
            if outcome != TAKEN:
                return outcome
        # a step may hold more rows than there is room for: the rest is written when this is called again
        store_counter(counters, C_TAKEN, 1)
        h = load(clock, H_TAKEN, 0.0)
        if not record_step(tree, par, work, plan, numbers, memory, counters, rows, t, h, room, robots, zero):
            return FULL
        finish_step(tree, par, work, plan, numbers, memory, counters, clock, zero)
        store_counter(counters, C_TAKEN, 0)
        if load_counter(counters, C_HAPPENED) == 1:
            store_counter(counters, C_HAPPENED, 0)
            return HAPPENED
        if load_counter(counters, C_RECORD) >= room:
            return FULL
    return PAUSED
