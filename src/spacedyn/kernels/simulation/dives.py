"""Nothing tunnels: guards that ask are watched as closely as what they watch may have come and gone within a step.

A gap that changes no faster than its pace cannot have closed between two looks that are both larger than half of what
the pace covers meanwhile. Where that is not certain for a whole step, its dense output is followed from its start, each
time as far as the nearest gap allows, at the shortest by a part of the step.
"""

from ..methods.runge_kutta import within
from ..robot.layout import *  # noqa: F403
from ..scalar.compiling import inner
from ..scalar.memory import integer, lanes_of, load, store
from ..sim.layout import *  # noqa: F403
from .guard_memory import counted, first_asking, first_event, known, look, note

REACH = 2.0  # a pace within a step is at most that many times the greater one of its ends
LOOKS = 64


@inner
def keep_paces(sim, zero):
    """A step begins where guards were looked at last."""
    many, at = integer(sim.plan, ASKING), integer(sim.plan, Y_PACE)
    for g in range(many):
        store(sim.work, at + many + g, load(sim.work, at + g, zero))


@inner
def reach_of(sim, g, lane, h, zero):
    """How much nearer what guard g watches may come in a time h."""
    many, at = integer(sim.plan, ASKING), integer(sim.plan, Y_PACE) + g - first_asking(sim)
    now, before = (
        load(sim.work, at * lanes_of(zero) + lane, 0.0),
        load(sim.work, (at + many) * lanes_of(zero) + lane, 0.0),
    )
    return REACH * h * max(now, before)


@inner
def may_touch(sim, h, zero):
    """Whether some gap can have closed and opened again within a step, by its values at both ends."""
    found = False
    for g in range(first_asking(sim), first_event(sim)):
        for lane in range(lanes_of(zero)):
            start = known(sim, G_START, g, lane, zero) - known(sim, G_LEVEL, g, lane, zero)
            reach = reach_of(sim, g, lane, h, zero)
            if reach > 0.0 and not start + known(sim, G_LATE, g, lane, zero) > reach:
                found = True
    return found


@inner
def seek_touch(sim, t, h, zero):
    """Follow the gaps through a step at whose end none has closed; those that have before are noted as crossed."""
    fraction, room, found = 0.0, 0.0, False
    while fraction < 1.0 and not found:
        before = fraction
        fraction += max(room, 1.0 / LOOKS)
        if fraction >= 1.0:
            break
        look(sim, t + fraction * h, within(sim, t, h, fraction, False, zero), zero)
        room = 1.0
        for g in range(first_asking(sim), first_event(sim)):
            for lane in range(lanes_of(zero)):
                value, reach = counted(sim, g, lane, zero), reach_of(sim, g, lane, h, zero)
                if reach > 0.0 and value <= 0.0:
                    note(sim, G_FROM, g, lane, before, zero)
                    note(sim, G_CROSSED, g, lane, fraction, zero)
                    note(sim, G_LATE, g, lane, value, zero)
                    found = True
                elif reach > 0.0:
                    room = min(room, value / reach)
    return found
