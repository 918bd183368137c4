"""Judge a tried step, after projection onto the constraints, and choose the length of the next one."""

from ..methods.runge_kutta import error_norm
from ..robot.layout import *  # noqa: F403
from ..scalar.compiling import call, inner
from ..scalar.memory import integer, lanes_of, later, load, load_counter, store, store_counter, widest_of
from ..scalar.pack import select, somewhere
from ..sim.evaluate import is_adaptive, is_near_singular
from ..sim.layout import *  # noqa: F403
from .samples import NEVER

ACROSS_PART = 0.1  # of the root of the tolerance: the square of a smaller error across the constraints is negligible
TOO_NEAR = 0.05  # of a row's remainder at the start of the step: stages with a smaller one are too near to singular
FAR_OPEN = 1e3  # times a residual's tolerance: the most that a fixed step may leave
NO_NUMBER = 1e6  # the error assigned to a step that is not finite


@inner
def is_no_number(difference, zero):
    """True if any lane is not finite, given the sum of x - x: that is 0 for finite x, NaN otherwise."""
    return somewhere(select(difference < 1.0, zero, zero + 1.0) > 0.5)


@inner
def is_bad(sim, zero):
    """Whether the new vector is not finite in some lane."""
    size, new, wide, lanes = integer(sim.plan, MOVING_SIZE), integer(sim.plan, Y_NEW), widest_of(zero), lanes_of(zero)
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
def begins_near_singular(sim):
    """Whether a step begins near a singular state of the rows; if so, its stages note how near they come."""
    near = integer(sim.plan, ROWS) > 0 and is_near_singular(sim) and is_adaptive(sim)
    if near:
        store(sim.memory, integer(sim.plan, M_OPEN) + LEAST_LEFT, 1.0)
    return near


@inner
def error_along(sim, t, h, error, zero):
    """The error of a step near a singular state, along the constraints.

    There rounding makes errors across the constraints, however short the step. The projection removes them, except
    their square, an error in energy, which must stay below the tolerance. If it does not, or if a stage is much nearer
    to the singular state than the start, the step is shortened a little.
    """
    new, nv, open_at = integer(sim.plan, Y_NEW), integer(sim.tree, RATES), integer(sim.plan, M_OPEN)
    first, least = load(sim.memory, open_at + FIRST_LEFT, 0.0), load(sim.memory, open_at + LEAST_LEFT, 0.0)
    if least < TOO_NEAR * TOO_NEAR * first:
        return 2.0 if error <= 1e6 else error
    if error <= 1.0:
        return error
    call(integer(sim.plan, SETTLE_ROWS), sim.own, t, h, new, TAKE_NORMAL)
    along = error_norm(sim, h, zero)
    call(integer(sim.plan, SETTLE_ROWS), sim.own, t, h, new, PUT_BACK)
    scale = integer(sim.plan, N_SCALE) + 2 * nv
    tolerance = load(sim.numbers, scale, 0.0) + load(sim.numbers, scale + 1, 0.0)
    if along <= 1.0 and not error * tolerance**0.5 <= ACROSS_PART:
        return 2.0
    return along


@inner
def step_error(sim, t, h, near, zero):
    """The error of a step whose stages have been run, over its tolerance; 0 of a fixed step."""
    error = error_norm(sim, h, zero) if is_adaptive(sim) else 0.0
    return error_along(sim, t, h, error, zero) if near else error


@inner
def hold_rows(sim, t, error):
    """Project the new vector of an accepted step onto the constraints; return the error including the residual left."""
    call(integer(sim.plan, SETTLE_ROWS), sim.own, t, 0.0, integer(sim.plan, Y_NEW), CHOOSE_RANK)
    left = load(sim.memory, integer(sim.plan, M_OPEN) + OPEN_BY, 0.0)
    if is_adaptive(sim):
        return left if not left <= error else error
    return error if left <= FAR_OPEN else NEVER


@inner
def judge(sim, t, h, error, zero):
    """Judge the step just tried: TAKEN, REJECTED (the next try is shorter), or a failure code; and its error."""
    adaptive = is_adaptive(sim)
    if integer(sim.plan, ROWS) > 0 and error <= 1.0:
        error = hold_rows(sim, t + h, error)
    if error >= NEVER and not adaptive:
        return UNSOLVED, error
    if is_bad(sim, zero) or not error == error:
        if not adaptive or 0.1 * h < load(sim.clock, H_MIN, 0.0):
            return NOT_FINITE, error
        error = NO_NUMBER
    if error <= 1.0:
        return TAKEN, error
    return shorten(sim, h, error), error


@inner
def shorten(sim, h, error):
    """The step just tried is too long by its error: REJECTED, or STEP_TOO_SMALL."""
    store_counter(sim.counters, C_REJECTED, load_counter(sim.counters, C_REJECTED) + 1)
    shorter = h * max(0.2, 0.9 * error ** (-1.0 / load(sim.clock, ORDER, 0.0)))
    store(sim.clock, H, shorter)
    if shorter < load(sim.clock, H_MIN, 0.0):
        return STEP_TOO_SMALL
    store_counter(sim.counters, C_FRESH, 1)  # the first stage, which took the samples, stays valid
    store_counter(sim.counters, C_CUT, 0)
    return REJECTED


@inner
def lengthen(sim, h, lands, error):
    """The length of the next step, by the errors of this one and of the one before."""
    order, before, wanted = load(sim.clock, ORDER, 0.0), load(sim.clock, ERROR_BEFORE, 0.0), load(sim.clock, H, 0.0)
    safe = max(error, 1e-10)
    grown = h * min(5.0, max(0.2, 0.9 * safe ** (-0.7 / order) * before ** (0.4 / order)))
    if not lands or (grown < wanted and h > 0.2 * wanted):  # not by a step that was cut short
        store(sim.clock, H, min(grown, load(sim.clock, H_MAX, 0.0)))
    store(sim.clock, ERROR_BEFORE, max(safe, 1e-4))
