"""Times at which elements jump: no step crosses one, and within a step the number of passed times is constant.

A span is two times: the element acts where one of them has passed. An element's times stand in `numbers`, in order, and
infinity behind them.
"""

from ..scalar.compiling import inner
from ..scalar.memory import integer, load, load_counter, store_counter
from ..sim.layout import *  # noqa: F403

LEAST = 1e-280  # [s] the least time whose rounding step is representable


@inner
def choose_spans(sim, middle):
    """Count the times that each element has passed in a step around `middle`; return whether a count has changed."""
    changed = False
    for i in range(integer(sim.plan, ELEMENTS)):
        e = integer(sim.plan, ELEMENT_AT) + i * ELEMENT_INTS
        first = integer(sim.plan, e + E_SPAN)
        if first >= 0:
            place, passed = integer(sim.plan, e + E_ACTS), 0
            while load(sim.numbers, first + passed, 0.0) <= middle:
                passed += 1
            if passed != load_counter(sim.counters, place):
                store_counter(sim.counters, place, passed)
                changed = True
    return changed


@inner
def time_within(sim, e, t):
    """The time as the element is to see it in this step: not before the last of its times, and before the next."""
    first = integer(sim.plan, e + E_SPAN)
    if first < 0:
        return t
    passed = load_counter(sim.counters, integer(sim.plan, e + E_ACTS))
    following = load(sim.numbers, first + passed, 0.0)
    if t >= following:
        return following - 2.0**-52 * max(abs(following), LEAST)
    if passed > 0:
        return max(t, load(sim.numbers, first + passed - 1, 0.0))
    return t
