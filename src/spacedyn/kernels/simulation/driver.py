"""The driver: steps from now to a time, samples of laws on the way, rows of the record. Compiled once for all laws.

It comes back when it is done, at an event, when the record is full, after so many steps (so that a person can
interrupt), or when numbers are no longer finite; with what it has kept it goes on where it was, bit for bit.
"""

from ..elements.laws import ask_for_modes, hold_sample
from ..elements.prescribed import choose_pieces, prescribe
from ..elements.spans import choose_spans
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
from ..sim.sim import sim_at
from .events import BAD, NONE, arm, correct_event, find_event, settle_events
from .record import CLOSE, record_end, record_step

NEVER = 1e300
SHORTEST = 16.0 * 2.0**-52  # step, over the time: shorter ones get nowhere


@inner
def sample_time(sim, law):
    """When a law is due next; never if it is continuous."""
    record = integer(sim.plan, LAW_AT) + law * LAW_INTS
    if not integer(sim.plan, record + L_SAMPLED):
        return NEVER
    period = load(sim.numbers, integer(sim.plan, record + L_PARAMETERS), 0.0)
    return load(sim.clock, T_START, 0.0) + period * load_counter(sim.counters, C_LAWS + 2 * law)


@inner
def hold_time(sim, law):
    """When a sample that waits comes into effect; never if none waits."""
    record = integer(sim.plan, LAW_AT) + law * LAW_INTS
    held = load_counter(sim.counters, C_LAWS + 2 * law + 1)
    if not integer(sim.plan, record + L_SAMPLED) or held >= load_counter(sim.counters, C_LAWS + 2 * law):
        return NEVER
    at = integer(sim.plan, record + L_PARAMETERS)
    return load(sim.clock, T_START, 0.0) + load(sim.numbers, at, 0.0) * held + load(sim.numbers, at + 1, 0.0)


@inner
def next_break(sim, due, after):
    """The next time that a step must end at, given the laws whose samples are taken at its start, as bits."""
    soonest = load(sim.clock, T_END, 0.0)
    for law in range(integer(sim.plan, LAWS)):
        record = integer(sim.plan, LAW_AT) + law * LAW_INTS
        if integer(sim.plan, record + L_SAMPLED):
            period = load(sim.numbers, integer(sim.plan, record + L_PARAMETERS), 0.0)
            delay = load(sim.numbers, integer(sim.plan, record + L_PARAMETERS) + 1, 0.0)
            taken = load_counter(sim.counters, C_LAWS + 2 * law) + ((due >> law) & 1)
            held = load_counter(sim.counters, C_LAWS + 2 * law + 1)
            sample = load(sim.clock, T_START, 0.0) + period * taken
            if after < sample < soonest:
                soonest = sample
            effect = load(sim.clock, T_START, 0.0) + period * held + delay
            if held < taken and after < effect < soonest:
                soonest = effect
    if integer(sim.plan, BREAKS) > 0:
        place = load_counter(sim.counters, C_BREAK)
        while (
            place < integer(sim.plan, BREAKS) and load(sim.numbers, integer(sim.plan, N_BREAKS) + place, 0.0) <= after
        ):
            place += 1
        store_counter(sim.counters, C_BREAK, place)
        if place < integer(sim.plan, BREAKS):
            soonest = min(soonest, load(sim.numbers, integer(sim.plan, N_BREAKS) + place, 0.0))
    return soonest


@inner
def laws_due(sim, t, near, zero):
    """The laws whose samples are due now, and those whose waiting samples have come into effect, as bits."""
    due, held = 0, 0
    for law in range(integer(sim.plan, LAWS)):
        if hold_time(sim, law) <= t + near:
            hold_sample(sim, law, zero)
            held |= 1 << law
        if sample_time(sim, law) <= t + near:
            due |= 1 << law
    return due, held


@inner
def laws_at_once(sim, due):
    """Those of the laws that are due whose samples take effect without delay, as bits."""
    for law in range(integer(sim.plan, LAWS)):
        at = integer(sim.plan, integer(sim.plan, LAW_AT) + law * LAW_INTS + L_PARAMETERS)
        if load(sim.numbers, at + 1, 0.0) > 0.0:
            due &= ~(1 << law)
    return due


@inner
def look_before_samples(sim, t, near, zero):
    """Whether commands may jump now: then channels that laws sample, and guards, as they are before."""
    guards = integer(sim.plan, GUARDS)
    if guards == 0 and not integer(sim.plan, CHOICES) & SEES_CHANNELS:
        return False
    for law in range(integer(sim.plan, LAWS)):
        if min(hold_time(sim, law), sample_time(sim, law)) <= t + near:
            evaluate(sim, t, integer(sim.plan, Y_NOW), integer(sim.plan, Y_SPARE), 0)
            for g in range(guards):
                value = load(sim.work, integer(sim.plan, Y_GUARD) + g, zero)
                store(sim.work, integer(sim.plan, Y_LEVEL) + g, value)
            return guards > 0
    return False


@inner
def accept(sim, zero):
    """The new vector becomes the present one, in a new chart around it."""
    nv, origin, new = integer(sim.tree, RATES), integer(sim.plan, Y_ORIGIN), integer(sim.plan, Y_NEW)
    move_along(sim.tree, sim.work, origin, new, integer(sim.tree, W_X), zero)
    for j in range(integer(sim.tree, COORDINATES)):
        store(sim.work, origin + j, load(sim.work, integer(sim.tree, W_X) + j, zero))
    for j in range(nv):
        store(sim.work, integer(sim.plan, Y_NOW) + j, zero)
    for j in range(nv, integer(sim.plan, SIZE)):
        store(sim.work, integer(sim.plan, Y_NOW) + j, load(sim.work, new + j, zero))


@inner
def first_stage_again(sim, zero):
    """The last stage was taken at the new state: it serves as the next step's first, in the new chart."""
    nv, size, K = integer(sim.tree, RATES), integer(sim.plan, SIZE), integer(sim.plan, Y_K)
    last = K + integer(sim.plan, MAIN_STAGES) * size
    inertial_rates(sim.tree, sim.work, integer(sim.plan, Y_ORIGIN), integer(sim.plan, Y_NOW) + nv, K, zero)
    for j in range(nv, size):
        store(sim.work, K + j, load(sim.work, last + j, zero))


@inner
def is_no_number(nothing, zero):
    """Whether a sum of differences of finite numbers from themselves is not zero in some lane."""
    return somewhere(select(nothing < 1.0, zero, zero + 1.0) > 0.5)


@inner
def is_bad(sim, zero):
    """Whether the new vector is not finite in some lane."""
    size, new, wide, lanes = integer(sim.plan, SIZE), integer(sim.plan, Y_NEW), widest_of(zero), lanes_of(zero)
    step = lanes_of(wide) // lanes
    many, rest = wide, zero
    for j in range(0, size - size % step, step):
        value = load(later(sim.work, (new + j) * lanes), 0, wide)
        many += value - value
    for j in range(size - size % step, size):
        value = load(sim.work, new + j, zero)
        rest += value - value
    return is_no_number(many, wide) or is_no_number(rest, zero)


@inner
def try_step(sim, t, h, due, fresh, zero):
    """A step of the method, into Y_NEW; the error over its tolerance."""
    main, nv, new = integer(sim.plan, MAIN_STAGES), integer(sim.tree, RATES), integer(sim.plan, Y_NEW)
    if integer(sim.plan, METHOD) >= IMPLICIT:
        call(integer(sim.plan, STEPPER), sim.own, t, h, new, due)
        return load(array_at(integer(sim.plan, SPARE)), integer(sim.plan, S_MATRIX), 0.0)
    if integer(sim.plan, METHOD) == SEMI_IMPLICIT_EULER:
        run_stages(sim, t, h, 0, 1, due, zero)
        combine_stages(sim, integer(sim.plan, N_B), 1, h, new, zero)
        inertial_rates(sim.tree, sim.work, integer(sim.plan, Y_ORIGIN), new + nv, new, zero)
        for j in range(nv):  # positions move with the new rates
            store(sim.work, new + j, h * load(sim.work, new + j, zero))
        return 0.0
    run_stages(sim, t, h, 1 if fresh else 0, main + 1, due, zero)
    if load(sim.numbers, integer(sim.plan, N_SCALE), 0.0) < 0.0:
        return 0.0  # a fixed step
    return error_norm(sim, h, zero)


@inner
def take_step(sim, zero):
    """Try a step from now: DONE if there is nothing left, TAKEN, REJECTED (it will be shorter), or what went wrong."""
    t, wanted, end = load(sim.clock, T, 0.0), load(sim.clock, H, 0.0), load(sim.clock, T_END, 0.0)
    near = CLOSE * wanted
    if t >= end - near:
        return DONE
    store(sim.clock, H_MIN, SHORTEST * max(abs(t), 1e-3))
    if load_counter(sim.counters, C_LAST) == 1:
        store_counter(sim.counters, C_LAST, 2)
    guarded = integer(sim.tree, W_STOP) > 0 or integer(sim.plan, GUARDS) > 0
    if guarded and load_counter(sim.counters, C_STOPS) == 0:
        call(integer(sim.plan, STOPPER), sim.own, t, 0.0, CHOOSE_PHASES, 0)
        store_counter(sim.counters, C_STOPS, 1)
        store_counter(sim.counters, C_FRESH, 0)
    watched = integer(sim.plan, EVENTS) > 0 and lanes_of(zero) == 1  # events are for one robot
    if watched and load_counter(sim.counters, C_ARMED) == 0:
        arm(sim, t)
    jumps = look_before_samples(sim, t, near, zero)
    due, held = laws_due(sim, t, near, zero)
    changed = held != 0
    if jumps:  # samples are taken here, not by the step's first stage: sides of guards depend on them
        if due != 0:
            held |= laws_at_once(sim, due)
            evaluate(sim, t, integer(sim.plan, Y_NOW), integer(sim.plan, Y_K), due)
        call(integer(sim.plan, STOPPER), sim.own, t, 0.0, CHOOSE_SIDES, 0)
        due, changed = 0, True
    if integer(sim.plan, MODES) > 0 and (due != 0 or changed):  # modes are for one robot: lanes of a pack cannot differ
        if due != 0:
            held |= laws_at_once(sim, due)
            evaluate(sim, t, integer(sim.plan, Y_NOW), integer(sim.plan, Y_K), due)
            store_counter(sim.counters, C_FRESH, 1)
            due, changed = 0, False
        if ask_for_modes(sim, held):
            return SWITCHED
    stop = next_break(sim, due, t + near)
    lands = t + wanted * (1.0 + 1e-6) >= stop
    h = stop - t if lands else wanted
    retaken, cut = load_counter(sim.counters, C_RETAKE) > 0, load_counter(sim.counters, C_CUT) > 0
    if lands and stop == end and load_counter(sim.counters, C_LAST) == 0:
        store_counter(sim.counters, C_LAST, 1)
        if changed:
            store_counter(sim.counters, C_FRESH, 0)
        return ENDING
    if retaken:
        h, lands = load(sim.clock, H_EVENT, 0.0), False
    elif cut:
        h, lands = load(sim.memory, integer(sim.plan, M_STOPS) + H_STOP, 0.0), False
    if integer(sim.plan, PRESCRIBED) > 0 and choose_pieces(sim, t + 0.5 * h):
        changed = True
    if integer(sim.plan, ELEMENTS) > 0 and choose_spans(sim, t + 0.5 * h):
        changed = True
    fresh = load_counter(sim.counters, C_FRESH) == 1 and due == 0 and not changed
    error = try_step(sim, t, h, due, fresh, zero)
    adaptive = load(sim.numbers, integer(sim.plan, N_SCALE), 0.0) >= 0.0
    if error >= NEVER and (not adaptive or retaken):
        return UNSOLVED
    if is_bad(sim, zero) or not error == error:
        if not adaptive or retaken or 0.1 * h < load(sim.clock, H_MIN, 0.0):
            return NOT_FINITE
        error = 1e6
    if error > 1.0 and not retaken:
        store_counter(sim.counters, C_REJECTED, load_counter(sim.counters, C_REJECTED) + 1)
        shrink = max(0.2, 0.9 * error ** (-1.0 / load(sim.clock, ORDER, 0.0)))
        store(sim.clock, H, h * shrink)
        if h * shrink < load(sim.clock, H_MIN, 0.0):
            return STEP_TOO_SMALL
        # samples due were taken by the first stage, which stays as it is
        store_counter(sim.counters, C_FRESH, 1)
        store_counter(sim.counters, C_CUT, 0)
        return REJECTED
    if guarded and adaptive and not retaken:
        store(sim.memory, integer(sim.plan, M_STOPS) + H_LEAST, load(sim.clock, H_MIN, 0.0))
        call(integer(sim.plan, STOPPER), sim.own, t, h, LOOK_AT_STEP, 0)
        if load_counter(sim.counters, C_AGAIN) == 1:
            return REJECTED
    if retaken:
        if correct_event(sim, t, h):
            return REJECTED
        settle_events(sim)
    elif watched:
        fraction = find_event(sim, t, h, zero)
        if fraction == BAD:
            return NOT_FINITE
        if fraction < NONE:
            store(sim.clock, H_EVENT, fraction * h)
            store_counter(sim.counters, C_RETAKE, 1)
            store_counter(sim.counters, C_FRESH, 1)
            store_counter(sim.counters, C_ENDS, 0)
            return REJECTED
    store(sim.clock, H_TAKEN, h)
    store(sim.clock, T_NEXT, stop if lands else t + h)
    if adaptive and not retaken and not cut:
        order, before = load(sim.clock, ORDER, 0.0), load(sim.clock, ERROR_BEFORE, 0.0)
        safe = max(error, 1e-10)
        factor = 0.9 * safe ** (-0.7 / order) * before ** (0.4 / order)
        grown = h * min(5.0, max(0.2, factor))
        if not lands or (grown < wanted and h > 0.2 * wanted):  # a step cut short says little about longer ones
            store(sim.clock, H, min(grown, load(sim.clock, H_MAX, 0.0)))
        store(sim.clock, ERROR_BEFORE, max(safe, 1e-4))
    return TAKEN


@inner
def finish_step(sim, zero):
    """The step just taken is recorded: go to its end."""
    if integer(sim.plan, PRESCRIBED) > 0:
        prescribe(sim, load(sim.clock, T_NEXT, 0.0), integer(sim.plan, Y_NEW), zero)
    accept(sim, zero)
    if integer(sim.plan, METHOD) == EXPLICIT:
        first_stage_again(sim, zero)
        store_counter(sim.counters, C_FRESH, 1)
    elif integer(sim.plan, METHOD) == VARIATIONAL:
        keep_momentum(sim)
    if integer(sim.tree, W_STOP) > 0 or integer(sim.plan, GUARDS) > 0:
        fixed = load(sim.numbers, integer(sim.plan, N_SCALE), 0.0) < 0.0  # then sides are chosen for each step
        store_counter(sim.counters, C_STOPS, 0 if fixed else 1)
        if load_counter(sim.counters, C_ENDS) == 1:
            t = load(sim.clock, T_NEXT, 0.0)
            call(integer(sim.plan, STOPPER), sim.own, t, 0.0, CHANGE_PHASE, 0)
            store_counter(sim.counters, C_ENDS, 0)
            store_counter(sim.counters, C_FRESH, 0)
    store(sim.clock, T, load(sim.clock, T_NEXT, 0.0))
    store_counter(sim.counters, C_STEPS, load_counter(sim.counters, C_STEPS) + 1)


@entry
def advance(own, rows, room, robots, steps, kind):
    """Go on until T_END, until `room` rows are written, or for so many steps; what it returns says which."""
    sim, rows, zero = sim_at(pointer(own)), pointer(rows), zero_of(kind)
    for _ in range(steps):
        t = load(sim.clock, T, 0.0)
        if load_counter(sim.counters, C_TAKEN) == 0:
            outcome = take_step(sim, zero)
            if outcome == DONE:
                record_end(sim, rows, t, robots, zero)
            elif outcome == REJECTED:
                continue
            if outcome != TAKEN:
                return outcome
        # a step may hold more rows than there is room for: the rest is written when this is called again
        store_counter(sim.counters, C_TAKEN, 1)
        h = load(sim.clock, H_TAKEN, 0.0)
        if not record_step(sim, rows, t, h, room, robots, zero):
            return FULL
        finish_step(sim, zero)
        store_counter(sim.counters, C_TAKEN, 0)
        if load_counter(sim.counters, C_HAPPENED) == 1:
            store_counter(sim.counters, C_HAPPENED, 0)
            return HAPPENED
        if load_counter(sim.counters, C_RECORD) >= room:
            return FULL
    return PAUSED
