"""Places where bodies may touch, as kinds of elements write them for a method that steps through contact.

Such a method finds impulses of all places at once (kernels/simulation/time_stepping.py). An element has a fixed number
of places; one that has nothing to touch now has no body. Those behind the last that is in use are passed over.
"""

from collections import namedtuple

from ..robot.layout import *  # noqa: F403
from ..robot.spatial import load3, store3
from ..scalar.compiling import inner
from ..scalar.memory import integer, load, store
from ..sim.layout import *  # noqa: F403

Place = namedtuple("Place", "gap normal at other_at speed friction restitution")
"""Gap; unit normal, towards the first body; where it is, from the reference points of both bodies; velocity of the
first body there relative to the other; coefficients of friction and restitution."""


@inner
def touch_of_element(sim, e, j):
    """The number of an element's place j."""
    return integer(sim.plan, e + E_TOUCHES) + j


@inner
def may_touch(sim, e, j, bodies, place, zero):
    """Write an element's place j: bodies that may touch there, and their relative geometry and motion."""
    number = touch_of_element(sim, e, j)
    at, mine = integer(sim.plan, Y_TOUCH) + number * TOUCH_NUMBERS, integer(sim.plan, M_TOUCH) + number * TM_NUMBERS
    store(sim.memory, mine + TM_BODY, 1.0 * bodies[0])
    store(sim.memory, mine + TM_OTHER, 1.0 * bodies[1])
    store(sim.memory, mine + TM_ELEMENT, 1.0 * e)
    store(sim.memory, mine + TM_SORT, 1.0 * TOUCH_POINT)
    store(sim.work, at + T_GAP, place.gap)
    store3(sim.work, at + T_NORMAL, place.normal)
    store3(sim.work, at + T_AT, place.at)
    store3(sim.work, at + T_OTHER_AT, place.other_at)
    store3(sim.work, at + T_SPEED, place.speed)
    store(sim.work, at + T_FRICTION, place.friction)
    store(sim.work, at + T_RESTITUTION, place.restitution)
    store(sim.work, at + T_STRUCK, zero)


@inner
def may_turn(sim, e, j, about, bodies, place, zero):
    """At place j bodies resist turning about the normal of the element's place `about`, and rolling there.

    Of `place`, `speed` is the angular velocity of the first body relative to the other, `friction` the moment against
    turning and `restitution` that against rolling, over the normal force [m].
    """
    may_touch(sim, e, j, bodies, place, zero)
    mine = integer(sim.plan, M_TOUCH) + touch_of_element(sim, e, j) * TM_NUMBERS
    store(sim.memory, mine + TM_SORT, 1.0 * TOUCH_TURN)
    store(sim.memory, mine + TM_RATE, 1.0 * touch_of_element(sim, e, about))


@inner
def may_stop(sim, e, j, rate, sign, gap, restitution, zero):
    """At place j the joint of a rate may reach an end stop, which pushes it along `sign`."""
    joint_place(sim, e, j, rate, TOUCH_STOP, (gap, sign, zero, restitution), zero)


@inner
def may_rub(sim, e, j, rate, most, zero):
    """At place j the joint of a rate has dry friction, up to a force or moment."""
    joint_place(sim, e, j, rate, TOUCH_JOINT, (zero, 1.0, most, zero), zero)


@inner
def joint_place(sim, e, j, rate, sort, given, zero):
    """A place in the joint of a rate: gap, sign of what pushes, friction, restitution."""
    gap, sign, most, restitution = given
    none, x = (zero, zero, zero), (zero + 1.0, zero, zero)
    speed = (sign * load(sim.work, integer(sim.tree, W_U) + rate, zero), zero, zero)
    body = integer(sim.tree, integer(sim.tree, RATE_AT) + rate * RATE_INTS + RATE_BODY)
    may_touch(sim, e, j, (body, -1), Place(gap, x, (zero + sign, zero, zero), none, speed, most, restitution), zero)
    mine = integer(sim.plan, M_TOUCH) + touch_of_element(sim, e, j) * TM_NUMBERS
    store(sim.memory, mine + TM_SORT, 1.0 * sort)
    store(sim.memory, mine + TM_RATE, 1.0 * rate)


@inner
def touches_nothing(sim, e, j):
    """Mark an element's place j as touching nothing."""
    mine = integer(sim.plan, M_TOUCH) + touch_of_element(sim, e, j) * TM_NUMBERS
    store(sim.memory, mine + TM_BODY, -1.0)


@inner
def no_more_touches(sim, e, j, end):
    """Mark an element's places from j to `end` as unused."""
    if j < end:
        mine = integer(sim.plan, M_TOUCH) + touch_of_element(sim, e, j) * TM_NUMBERS
        store(sim.memory, mine + TM_BODY, NO_MORE)
        store(sim.memory, mine + TM_RATE, 1.0 * touch_of_element(sim, e, end))


@inner
def next_touch(sim, number):
    """The number of the place behind one, of all elements; those that are not in use are passed over."""
    mine = integer(sim.plan, M_TOUCH) + number * TM_NUMBERS
    if load(sim.memory, mine + TM_BODY, 0.0) == NO_MORE:
        return int(load(sim.memory, mine + TM_RATE, 0.0))
    return number + 1


@inner
def force_felt(sim, e, j, zero):
    """The force on the first body at an element's place j, in the step that was taken last."""
    return load3(sim.work, integer(sim.plan, Y_TOUCHED) + 3 * touch_of_element(sim, e, j), zero)


@inner
def sleeps_at(sim, number):
    """Whether place `number` of all is in use, and both bodies there are known to sleep in all lanes."""
    mine = integer(sim.plan, M_TOUCH) + number * TM_NUMBERS
    i, j = int(load(sim.memory, mine + TM_BODY, 0.0)), int(load(sim.memory, mine + TM_OTHER, 0.0))
    return i >= 0 and sleep_together(sim, i, j)


@inner
def sleep_together(sim, i, j):
    """Whether body i and body j (-1: the inertial frame) are known to sleep in all lanes."""
    if integer(sim.plan, SLEEPERS) == 0:
        return False
    skip = integer(sim.plan, M_SKIP)
    other = 1.0 if j < 0 else load(sim.memory, skip + j, 0.0)
    return load(sim.memory, skip + i, 0.0) > 0.0 and other > 0.0
