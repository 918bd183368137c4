"""Elements that act for a while: which of them do so within a step, none of which crosses a start or an end."""

from ..scalar.compiling import inner
from ..scalar.memory import integer, load, load_counter, store_counter
from ..sim.layout import *  # noqa: F403


@inner
def choose_spans(sim, middle):
    """Which elements act in a step around the time `middle`; whether that is another than before."""
    changed = False
    for i in range(integer(sim.plan, ELEMENTS)):
        e = integer(sim.plan, ELEMENT_AT) + i * ELEMENT_INTS
        span = integer(sim.plan, e + E_SPAN)
        if span >= 0:
            place, acts = integer(sim.plan, e + E_ACTS), 0
            if load(sim.numbers, span, 0.0) <= middle < load(sim.numbers, span + 1, 0.0):
                acts = 1
            if acts != load_counter(sim.counters, place):
                store_counter(sim.counters, place, acts)
                changed = True
    return changed
