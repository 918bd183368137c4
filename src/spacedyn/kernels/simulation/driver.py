"""The driver: takes steps, samples laws, writes rows of the record. Compiled once, for all laws and elements.

`advance` returns at the end, at an event, when the record is full, after a given number of steps (so that Ctrl-C can be
handled), or when a step fails. Called again, it resumes bit for bit.
"""

from ..elements.prescribed import choose_pieces
from ..elements.spans import choose_spans
from ..methods.runge_kutta import combine_stages, run_stages
from ..methods.variational import keep_momentum
from ..robot.charts import inertial_rates, move_along
from ..robot.layout import *  # noqa: F403
from ..scalar.compiling import array_at, call, entry, inner
from ..scalar.memory import (
    integer,
    load,
    load_counter,
    pointer,
    store,
    store_counter,
    zero_of,
)
from ..sim.evaluate import is_adaptive, run_kinds
from ..sim.layout import *  # noqa: F403
from ..sim.sim import sim_at
from .record import CLOSE, record_end, record_step
from .row_jumps import forget_changed_rows
from .samples import are_laws_due_at, next_break, take_samples
from .step_control import NO_NUMBER, begins_near_singular, judge, lengthen, shorten, step_error

SHORTEST = 16.0 * 2.0**-52  # shortest step over the time: a shorter one would hardly change the time


@inner
def accept(sim, zero):
    """Make the new vector the present one, in a new chart around it."""
    nv, origin, new = integer(sim.tree, RATES), integer(sim.plan, Y_ORIGIN), integer(sim.plan, Y_NEW)
    move_along(sim.tree, sim.work, origin, new, integer(sim.tree, W_X), zero)
    for j in range(integer(sim.tree, COORDINATES)):
        store(sim.work, origin + j, load(sim.work, integer(sim.tree, W_X) + j, zero))
    for j in range(nv):
        store(sim.work, integer(sim.plan, Y_NOW) + j, zero)
    for j in range(nv, integer(sim.plan, MOVING_SIZE)):
        store(sim.work, integer(sim.plan, Y_NOW) + j, load(sim.work, new + j, zero))


@inner
def first_stage_again(sim, zero):
    """Reuse the last stage, which was evaluated at the new state, as the first of the next step, in the new chart."""
    nv, size, K = integer(sim.tree, RATES), integer(sim.plan, SIZE), integer(sim.plan, Y_K)
    last = K + integer(sim.plan, MAIN_STAGES) * size
    inertial_rates(sim.tree, sim.work, integer(sim.plan, Y_ORIGIN), integer(sim.plan, Y_NOW) + nv, K, zero)
    for j in range(nv, integer(sim.plan, MOVING_SIZE)):
        store(sim.work, K + j, load(sim.work, last + j, zero))


@inner
def is_last_stage_idle(sim, t, h, due, lands, near):
    """Whether a fixed step needs no stage at its end: no row is recorded within it, and the next step starts afresh.

    The next step starts afresh if sides of guards are chosen, states are projected onto rows, or a law is sampled.
    """
    searched = integer(sim.plan, EVENTS) + integer(sim.plan, ASKING)
    if integer(sim.plan, METHOD) != EXPLICIT or is_adaptive(sim) or searched > 0:
        return False
    times = load_counter(sim.counters, C_TIME)
    if not integer(sim.plan, CHOICES) & RECORDS_STEPS and times < integer(sim.plan, RECORDS):
        if load(sim.numbers, integer(sim.plan, N_TIMES) + times, 0.0) < t + h - CLOSE * h:
            return False
    return (
        integer(sim.plan, GUARDS) > 0
        or integer(sim.plan, ROWS) > 0
        or (lands and are_laws_due_at(sim, t + h, near, due))
    )


@inner
def try_step(sim, t, h, due, fresh, idle, zero):
    """Try a step of the method, into Y_NEW; return its error over the tolerance. `idle`: skip the stage at its end."""
    main, nv, new = integer(sim.plan, MAIN_STAGES), integer(sim.tree, RATES), integer(sim.plan, Y_NEW)
    size = integer(sim.plan, MOVING_SIZE)
    if integer(sim.plan, METHOD) >= IMPLICIT:
        call(integer(sim.plan, STEPPER), sim.own, t, h, new, due)
        return load(array_at(integer(sim.plan, SPARE)), integer(sim.plan, S_MATRIX), 0.0)
    if integer(sim.plan, METHOD) == SEMI_IMPLICIT_EULER:
        run_stages(sim, t, h, 0, 1, due, zero)
        combine_stages(sim, integer(sim.plan, N_B), 1, h, new, size, zero)
        inertial_rates(sim.tree, sim.work, integer(sim.plan, Y_ORIGIN), new + nv, new, zero)
        for j in range(nv):  # positions move with the new rates
            store(sim.work, new + j, h * load(sim.work, new + j, zero))
        return 0.0
    if idle:
        run_stages(sim, t, h, 1 if fresh else 0, main, due, zero)
        combine_stages(sim, integer(sim.plan, N_A) + main * integer(sim.plan, ALL_STAGES), main, h, new, size, zero)
        return 0.0
    near = begins_near_singular(sim)
    run_stages(sim, t, h, 1 if fresh else 0, main + 1, due, zero)
    return step_error(sim, t, h, near, zero)


@inner
def get_ready(sim, t):
    """Prepare a step: set the shortest step; choose sides of guards at the start and after an action."""
    store(sim.clock, H_MIN, SHORTEST * max(abs(t), 1e-3))
    if load_counter(sim.counters, C_LAST) == 1:
        store_counter(sim.counters, C_LAST, 2)
    if integer(sim.plan, GUARDS) > 0 and load_counter(sim.counters, C_SIDES) == 0:
        call(integer(sim.plan, GUARD_CHECK), sim.own, t, 0.0, SET_SIDES, 0)
        store_counter(sim.counters, C_SIDES, 1)
        if integer(sim.plan, GUARDS) > integer(sim.plan, EVENTS):
            store_counter(sim.counters, C_FRESH, 0)


@inner
def choose_step(sim, t, stop):
    """Length of the next step, to a guard's zero or as wanted, and whether it lands on `stop`."""
    wanted = load(sim.clock, H, 0.0)
    if load_counter(sim.counters, C_CUT) > 0:
        return load(sim.memory, integer(sim.plan, M_CUT) + H_CUT, 0.0), False
    lands = t + wanted * (1.0 + 1e-6) >= stop
    return (stop - t if lands else wanted), lands


@inner
def choose_pieces_and_spans(sim, middle):
    """Choose the pieces of motions and the elements that act around this time; return whether any has changed."""
    pieces = integer(sim.plan, PRESCRIBED) > 0 and choose_pieces(sim, middle)
    spans = integer(sim.plan, ELEMENTS) > 0 and choose_spans(sim, middle)
    return pieces or spans


@inner
def check_guards(sim, t, h):
    """TAKEN if the guards allow the step just tried; REJECTED if it must end sooner, at a zero or before a NaN."""
    guards = integer(sim.plan, GUARDS) if is_adaptive(sim) else integer(sim.plan, EVENTS) + integer(sim.plan, ASKING)
    if guards == 0:
        return TAKEN
    call(integer(sim.plan, GUARD_CHECK), sim.own, t, h, CHECK_STEP, 0)
    again = load_counter(sim.counters, C_AGAIN)
    if again == 2 and is_adaptive(sim) and 0.1 * h > load(sim.clock, H_MIN, 0.0):
        return shorten(sim, h, NO_NUMBER)
    return TAKEN if again == 0 else REJECTED if again == 1 else NOT_FINITE


@inner
def keeps_poses(sim):
    """Whether evaluations at the start of a step may share poses: no prescribed joints, attached masses or rows."""
    others = integer(sim.plan, PRESCRIBED) + integer(sim.plan, ATTACHED) + integer(sim.plan, ROWS)
    return integer(sim.plan, METHOD) == EXPLICIT and others == 0


@inner
def take_step(sim, zero):
    """Try a step: DONE at the end, TAKEN, REJECTED (the next try is shorter), SWITCHED, ENDING, or a failure code."""
    t, end, near = load(sim.clock, T, 0.0), load(sim.clock, T_END, 0.0), CLOSE * load(sim.clock, H, 0.0)
    if t >= end - near:
        return DONE
    get_ready(sim, t)
    due, changed, asked = take_samples(sim, t, near, zero)
    if asked:
        return SWITCHED
    stop = next_break(sim, due, t + near)
    h, lands = choose_step(sim, t, stop)
    if t + load(sim.clock, H, 0.0) * (1.0 + 1e-6) >= end and stop == end and load_counter(sim.counters, C_LAST) == 0:
        store_counter(sim.counters, C_LAST, 1)
        if changed:
            store_counter(sim.counters, C_FRESH, 0)
        return ENDING
    changed = choose_pieces_and_spans(sim, t + 0.5 * h) or changed
    fresh = load_counter(sim.counters, C_FRESH) == 1 and due == 0 and not changed
    cut, idle = load_counter(sim.counters, C_CUT) > 0, is_last_stage_idle(sim, t, h, due, lands, near)
    error = try_step(sim, t, h, due, fresh, idle, zero)
    outcome, error = judge(sim, t, h, error, zero)
    if outcome == TAKEN:
        outcome = check_guards(sim, t, h)
    if outcome != TAKEN:
        return outcome
    if idle:
        store_counter(sim.counters, C_FRESH, IDLE)
    store(sim.clock, H_TAKEN, h)
    store(sim.clock, T_NEXT, stop if lands else t + h)
    if is_adaptive(sim) and not cut:
        lengthen(sim, h, lands, error)
    return TAKEN


@inner
def finish_step(sim, zero):
    """Advance to the end of the step just taken and recorded."""
    if integer(sim.plan, PRESCRIBED) > 0:
        run_kinds(sim, load(sim.clock, T_NEXT, 0.0), integer(sim.plan, Y_NEW), 0, PLACES_JOINTS, K_ADDRESS)
    accept(sim, zero)
    if load_counter(sim.counters, C_FRESH) == IDLE:
        store_counter(sim.counters, C_FRESH, 0)
    elif integer(sim.plan, ROWS) > 0:
        store_counter(sim.counters, C_FRESH, 0)  # the projection has moved the state after the last stage
        forget_changed_rows(sim, zero)
    elif integer(sim.plan, METHOD) == EXPLICIT:
        first_stage_again(sim, zero)
        store_counter(sim.counters, C_FRESH, 1)
    elif integer(sim.plan, METHOD) == VARIATIONAL:
        keep_momentum(sim)
    if integer(sim.plan, GUARDS) > 0:
        held = is_adaptive(sim) or integer(sim.plan, GUARDS) == integer(sim.plan, EVENTS) + integer(sim.plan, ASKING)
        store_counter(sim.counters, C_SIDES, 1 if held else 0)  # with fixed steps, chosen for each
        if load_counter(sim.counters, C_ENDS) == 1:
            call(integer(sim.plan, GUARD_CHECK), sim.own, load(sim.clock, T_NEXT, 0.0), 0.0, CHANGE_SIDES, 0)
            store_counter(sim.counters, C_ENDS, 0)
    store(sim.clock, T, load(sim.clock, T_NEXT, 0.0))
    store_counter(sim.counters, C_STEPS, load_counter(sim.counters, C_STEPS) + 1)


@entry
def advance(own, rows, room, robots, steps, kind):
    """Advance until T_END, until `room` rows are written, or for `steps` tries; return the status code."""
    sim, rows, zero = sim_at(pointer(own)), pointer(rows), zero_of(kind)
    for _ in range(steps):
        t = load(sim.clock, T, 0.0)
        if load_counter(sim.counters, C_TAKEN) == 0:
            store_counter(sim.counters, C_POSED, UNPOSED if keeps_poses(sim) else UNKEPT)
            outcome = take_step(sim, zero)
            store_counter(sim.counters, C_POSED, UNKEPT)
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
