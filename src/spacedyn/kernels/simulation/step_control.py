"""Whether a step that was tried is good, and how long the next one is to be."""

from ..scalar.compiling import inner
from ..scalar.memory import integer, lanes_of, later, load, load_counter, store, store_counter, widest_of
from ..scalar.pack import select, somewhere
from ..sim.evaluate import is_adaptive
from ..sim.layout import *  # noqa: F403
from .samples import NEVER


@inner
def is_no_number(difference, zero):
    """True if any lane is not finite, given the sum of x - x: that is 0 for finite x, NaN otherwise."""
    return somewhere(select(difference < 1.0, zero, zero + 1.0) > 0.5)


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
def judge(sim, h, error, zero):
    """Whether the step just tried is good: TAKEN, REJECTED (it will be shorter), or what went wrong; and its error."""
    adaptive = is_adaptive(sim)
    if error >= NEVER and not adaptive:
        return UNSOLVED, error
    if is_bad(sim, zero) or not error == error:
        if not adaptive or 0.1 * h < load(sim.clock, H_MIN, 0.0):
            return NOT_FINITE, error
        error = 1e6
    if error <= 1.0:
        return TAKEN, error
    store_counter(sim.counters, C_REJECTED, load_counter(sim.counters, C_REJECTED) + 1)
    shorter = h * max(0.2, 0.9 * error ** (-1.0 / load(sim.clock, ORDER, 0.0)))
    store(sim.clock, H, shorter)
    if shorter < load(sim.clock, H_MIN, 0.0):
        return STEP_TOO_SMALL, error
    store_counter(sim.counters, C_FRESH, 1)  # samples due were taken by the first stage, which stays as it is
    store_counter(sim.counters, C_CUT, 0)
    return REJECTED, error


@inner
def lengthen(sim, h, lands, error):
    """The length of the next step, by the errors of this one and of the one before."""
    order, before, wanted = load(sim.clock, ORDER, 0.0), load(sim.clock, ERROR_BEFORE, 0.0), load(sim.clock, H, 0.0)
    safe = max(error, 1e-10)
    grown = h * min(5.0, max(0.2, 0.9 * safe ** (-0.7 / order) * before ** (0.4 / order)))
    if not lands or (grown < wanted and h > 0.2 * wanted):  # a step cut short says little about longer ones
        store(sim.clock, H, min(grown, load(sim.clock, H_MAX, 0.0)))
    store(sim.clock, ERROR_BEFORE, max(safe, 1e-4))
