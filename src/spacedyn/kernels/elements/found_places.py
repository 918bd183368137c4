"""Contact places of pairs that are found by cells, assigned anew at each evaluation.

Each place has a key made of its pair and point (0: not in use). Memory goes with the key: the force of the last step,
and the whole record of a sleeping pair. Old and new places are in the order of keys, so one merge of both is enough,
and the result does not depend on when the list of pairs was made. An old place that is no longer near keeps its force
until the method forgets it, so that an evaluation between two steps changes nothing. Old records are copied to the
memory of near places, which is not in use until all places are known.

    cursor = begin_places(sim, e, zero)
    cursor = next_place(sim, e, cursor, key, zero)       # its number is cursor.count - 1, if there was room
    cursor = keep_place(sim, e, cursor, bodies, zero)    # the next old one as it is
    end_places(sim, e, cursor, zero)
"""

from collections import namedtuple

from ..robot.spatial import dot3, load3, store3
from ..scalar.compiling import inner
from ..scalar.lanes import number_in
from ..scalar.memory import integer, load, store
from ..scalar.pack import somewhere
from ..sim.layout import *  # noqa: F403
from .kind import own
from .pair_shapes import KEYS, NAN, PLACES, SHAPES, SURFACES, body_of
from .touches import Place, may_touch, no_more_touches, touch_of_element, touches_nothing

OLD_FELT, OLD_KEY, OLD_BODY = TOUCH_NUMBERS, TOUCH_NUMBERS + 3, TOUCH_NUMBERS + 4  # behind what elements write of it
LAST_KEY = 1e300

Cursor = namedtuple("Cursor", "count old had")
"""Of a walk: places that were handed out, which may be more than there is room for; the next old one; all old ones."""


@inner
def first_key(sim, e, i, j):
    """The key of the first point of a pair; each point's key is followed by that of turning about it."""
    return 1.0 + 1.0 * ((i * (own(sim, e, SHAPES) + own(sim, e, SURFACES)) + j) * own(sim, e, KEYS))


@inner
def key_at(sim, e, s):
    """Where the key of place s is."""
    return integer(sim.plan, Y_TOUCH_KEY) + touch_of_element(sim, e, s)


@inner
def old_at(sim, e, s):
    """Place in work of the copy of place s's old record."""
    return integer(sim.plan, Y_NEAR) + touch_of_element(sim, e, s) * NEAR_NUMBERS


@inner
def old_key(sim, e, s, zero):
    """The key that place s had."""
    return number_in(sim.work, old_at(sim, e, s) + OLD_KEY, 0, zero)


@inner
def has_room(sim, e, cursor):
    """Whether there was room for the place assigned last."""
    return cursor.count <= own(sim, e, PLACES)


@inner
def begin_places(sim, e, zero):
    """Copy the records of all places, and start assigning."""
    s, most = 0, own(sim, e, PLACES)
    while s < most and number_in(sim.work, key_at(sim, e, s), 0, zero) > 0.0:
        number, old = touch_of_element(sim, e, s), old_at(sim, e, s)
        store3(sim.work, old + OLD_FELT, load3(sim.work, integer(sim.plan, Y_TOUCHED) + 3 * number, zero))
        store(sim.work, old + OLD_KEY, load(sim.work, key_at(sim, e, s), zero))
        if integer(sim.plan, SLEEPERS) > 0:
            mine, at = integer(sim.plan, M_TOUCH) + number * TM_NUMBERS, integer(sim.plan, Y_TOUCH)
            store(sim.work, old + OLD_BODY, zero + load(sim.memory, mine + TM_BODY, 0.0))
            for k in range(TOUCH_NUMBERS):
                store(sim.work, old + k, load(sim.work, at + number * TOUCH_NUMBERS + k, zero))
        s += 1
    return Cursor(0, 0, s)


@inner
def hand_out(sim, e, s, key, f, zero):
    """Assign place s to a key, with the force of the last step."""
    store(sim.work, key_at(sim, e, s), zero + key)
    store3(sim.work, integer(sim.plan, Y_TOUCHED) + 3 * touch_of_element(sim, e, s), f)


@inner
def pass_old(sim, e, cursor, key, zero):
    """Skip old places with smaller keys, which are no longer near; those with a force keep it for now."""
    count, old, most = cursor.count, cursor.old, own(sim, e, PLACES)
    while old < cursor.had and old_key(sim, e, old, zero) < key:
        f = load3(sim.work, old_at(sim, e, old) + OLD_FELT, zero)
        if somewhere(dot3(f, f) > 0.0):
            if count < most:
                hand_out(sim, e, count, old_key(sim, e, old, zero), f, zero)
                touches_nothing(sim, e, count)
            count += 1
        old += 1
    return Cursor(count, old, cursor.had)


@inner
def next_place(sim, e, cursor, key, zero):
    """Assign the next place to a key."""
    cursor = pass_old(sim, e, cursor, key, zero)
    count, old, f = cursor.count, cursor.old, (zero, zero, zero)
    if old < cursor.had and old_key(sim, e, old, zero) == key:
        f = load3(sim.work, old_at(sim, e, old) + OLD_FELT, zero)
        old += 1
    if count < own(sim, e, PLACES):
        hand_out(sim, e, count, key, f, zero)
    return Cursor(count + 1, old, cursor.had)


@inner
def keep_place(sim, e, cursor, bodies, zero):
    """Assign the next place to the next old key, with its whole old record."""
    s, old, key = cursor.count, old_at(sim, e, cursor.old), old_key(sim, e, cursor.old, zero)
    if s < own(sim, e, PLACES):
        number = touch_of_element(sim, e, s)
        at, mine = integer(sim.plan, Y_TOUCH) + number * TOUCH_NUMBERS, integer(sim.plan, M_TOUCH) + number * TM_NUMBERS
        hand_out(sim, e, s, key, load3(sim.work, old + OLD_FELT, zero), zero)
        for k in range(TOUCH_NUMBERS):
            store(sim.work, at + k, load(sim.work, old + k, zero))
        turns = int(key) % 2 == 0  # KEYS is even: points have odd keys
        store(sim.memory, mine + TM_BODY, number_in(sim.work, old + OLD_BODY, 0, zero))
        store(sim.memory, mine + TM_OTHER, 1.0 * bodies[1])
        store(sim.memory, mine + TM_ELEMENT, 1.0 * e)
        store(sim.memory, mine + TM_SORT, 1.0 * TOUCH_TURN if turns else 1.0 * TOUCH_POINT)
        store(sim.memory, mine + TM_RATE, 1.0 * (number - 1))
    return Cursor(s + 1, cursor.old + 1, cursor.had)


@inner
def end_places(sim, e, cursor, zero):
    """Mark the remaining places as unused. If room was lacking, set a gap to NaN: the run fails and says why."""
    cursor, most = pass_old(sim, e, cursor, LAST_KEY, zero), own(sim, e, PLACES)
    if cursor.count > most:
        none = (zero, zero, zero)
        up = (zero, zero, zero + 1.0)
        may_touch(sim, e, 0, (body_of(sim, e, 0), -1), Place(zero + NAN, up, none, none, none, zero, zero), zero)
    elif cursor.count < most:
        store(sim.work, key_at(sim, e, cursor.count), zero)
    no_more_touches(sim, e, cursor.count, most)
