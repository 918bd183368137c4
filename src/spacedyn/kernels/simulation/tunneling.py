"""No tunneling: gaps of rigid contact that may close and open again within one step are followed through it.

A gap that changes no faster than its pace cannot have closed between two evaluations if the sum of its two values
exceeds the pace times the time between them. Where that is not certain for a whole step, its dense output is followed
from the start, in increments that the nearest gap allows, but of 1/LOOKS of the step at least.
"""

from ..robot.layout import *  # noqa: F403
from ..scalar.compiling import inner
from ..scalar.memory import integer, lanes_of, load, store
from ..sim.layout import *  # noqa: F403
from .guard_memory import counted, first_asking, first_event, load_guard, look_within, store_guard

REACH = 2.0  # a pace within a step is at most REACH times the greater one of its ends
LOOKS = 64  # most evaluations within a step


@inner
def keep_paces(sim, zero):
    """Keep the paces of the last evaluation as those at the start of the next step."""
    many, at = integer(sim.plan, ASKING), integer(sim.plan, Y_PACE)
    for g in range(many):
        store(sim.work, at + many + g, load(sim.work, at + g, zero))


@inner
def reach_of(sim, g, lane, h, zero):
    """How much the gap of guard g may shrink in a time h."""
    many, at = integer(sim.plan, ASKING), integer(sim.plan, Y_PACE) + g - first_asking(sim)
    now, before = (
        load(sim.work, at * lanes_of(zero) + lane, 0.0),
        load(sim.work, (at + many) * lanes_of(zero) + lane, 0.0),
    )
    return REACH * h * max(now, before)


@inner
def may_have_touched(sim, h, zero):
    """Whether some gap can have closed and opened again within a step, by its values at both ends."""
    found = False
    for g in range(first_asking(sim), first_event(sim)):
        for lane in range(lanes_of(zero)):
            start = load_guard(sim, G_START, g, lane, zero) - load_guard(sim, G_LEVEL, g, lane, zero)
            reach = reach_of(sim, g, lane, h, zero)
            if reach > 0.0 and not start + load_guard(sim, G_LATE, g, lane, zero) > reach:
                found = True
    return found


@inner
def find_touch(sim, t, h, zero):
    """Follow the gaps through a step at whose end all are open; those that close within it are marked as crossed."""
    fraction, room, found = 0.0, 0.0, False
    while fraction < 1.0 and not found:
        before = fraction
        fraction += max(room, 1.0 / LOOKS)
        if fraction >= 1.0:
            break
        look_within(sim, t, h, fraction, False, zero)
        room = 1.0
        for g in range(first_asking(sim), first_event(sim)):
            for lane in range(lanes_of(zero)):
                value, reach = counted(sim, g, lane, zero), reach_of(sim, g, lane, h, zero)
                if reach > 0.0 and value <= 0.0:
                    store_guard(sim, G_FROM, g, lane, before, zero)
                    store_guard(sim, G_CROSSED, g, lane, fraction, zero)
                    store_guard(sim, G_LATE, g, lane, value, zero)
                    found = True
                elif reach > 0.0:
                    room = min(room, value / reach)
    return found
