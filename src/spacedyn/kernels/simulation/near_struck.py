"""Places that were too far to be near until impulses at other places, in the same step, drove their bodies together."""

from ..elements.touches import next_touch, sleeps_at
from ..robot.layout import *  # noqa: F403
from ..robot.spatial import dot3, load3, sub3
from ..scalar.compiling import inner
from ..scalar.memory import integer, load, store
from ..scalar.pack import select, somewhere
from ..sim.layout import *  # noqa: F403
from .near_columns import awake_at, changes_at, free_speed, near_record, struck_speed
from .near_places import free_rate

STRIKING = 0.1  # [m/s]: a slower impact changes no velocity by as much as the margin AT_ONCE


@inner
def are_struck(sim, many, zero):
    """Whether an approach at some near place is so fast that bodies may be driven against others."""
    fastest = zero
    for a in range(many):
        record = near_record(sim, a)
        closing = -load(sim.work, record + NEAR_FREE, zero) * load(sim.work, record + NEAR_MASK, zero)
        fastest = select(closing > fastest, closing, fastest)
    return somewhere(fastest > STRIKING)


@inner
def struck_at(sim, number, zero):
    """Change of the normal velocity at a place by impulses."""
    mine, at = integer(sim.plan, M_TOUCH) + number * TM_NUMBERS, integer(sim.plan, Y_TOUCH) + number * TOUCH_NUMBERS
    if int(load(sim.memory, mine + TM_SORT, 0.0)) == TOUCH_STOP:
        rate = int(load(sim.memory, mine + TM_RATE, 0.0))
        return load(sim.work, at + T_AT, zero) * load(sim.work, changes_at(sim) + rate, zero)
    first, second = int(load(sim.memory, mine + TM_BODY, 0.0)), int(load(sim.memory, mine + TM_OTHER, 0.0))
    change = struck_speed(sim, first, load3(sim.work, at + T_AT, zero), zero)
    change = sub3(change, struck_speed(sim, second, load3(sim.work, at + T_OTHER_AT, zero), zero))
    return dot3(load3(sim.work, at + T_NORMAL, zero), change)


@inner
def free_at(sim, number, zero):
    """The normal velocity at a place after a step without impulses."""
    mine, at = integer(sim.plan, M_TOUCH) + number * TM_NUMBERS, integer(sim.plan, Y_TOUCH) + number * TOUCH_NUMBERS
    if int(load(sim.memory, mine + TM_SORT, 0.0)) == TOUCH_STOP:
        return free_rate(sim, mine, load(sim.work, at + T_AT, zero), zero)
    first, second = int(load(sim.memory, mine + TM_BODY, 0.0)), int(load(sim.memory, mine + TM_OTHER, 0.0))
    speed = free_speed(sim, first, load3(sim.work, at + T_AT, zero), zero)
    speed = sub3(speed, free_speed(sim, second, load3(sim.work, at + T_OTHER_AT, zero), zero))
    return dot3(load3(sim.work, at + T_NORMAL, zero), speed)


@inner
def is_struck(sim, number, h, zero):
    """1 in lanes where a place is not near, but the motion with impulses closes its gap within the step."""
    mine, at = integer(sim.plan, M_TOUCH) + number * TM_NUMBERS, integer(sim.plan, Y_TOUCH) + number * TOUCH_NUMBERS
    a, near = int(load(sim.memory, mine + TM_NEAR, 0.0)), zero
    if a >= 0:
        near = load(sim.work, near_record(sim, a) + NEAR_MASK, zero)
    after = free_at(sim, number, zero) + struck_at(sim, number, zero)
    comes = select(load(sim.work, at + T_GAP, zero) + h * after < 0.0, 1.0 - near, zero)
    if integer(sim.plan, SLEEPERS) > 0:
        comes = comes * awake_at(sim, number, zero)
    return comes


@inner
def find_struck(sim, h, zero):
    """Mark places whose gaps impulses at other places close within the step; return whether there are any."""
    some, number = False, 0
    while number < integer(sim.plan, TOUCHES):
        mine = integer(sim.plan, M_TOUCH) + number * TM_NUMBERS
        sort = int(load(sim.memory, mine + TM_SORT, 0.0))
        if load(sim.memory, mine + TM_BODY, 0.0) >= 0.0 and sort <= TOUCH_STOP and not sleeps_at(sim, number):
            comes = is_struck(sim, number, h, zero)
            if somewhere(comes > 0.5):
                at = integer(sim.plan, Y_TOUCH) + number * TOUCH_NUMBERS + T_STRUCK
                store(sim.work, at, select(comes > 0.5, comes, load(sim.work, at, zero)))
                some = True
        number = next_touch(sim, number)
    return some
