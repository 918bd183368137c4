"""Events: where a condition g(t, x, u) passes through zero within a step, and steps that end there.

Conditions are C functions like laws, and their records stand behind the laws'. Each has a side, the sign of g where the
robot is; a change of side in the right direction is an event. The first one within a step is found on its dense output,
the step is taken again to end there, and corrected until g is zero at the end of a true step of the method. Where g
comes nearer to zero and goes away again between two points, its extremum is sought: a brief passage is found, too.

An event whose action has changed the state starts from g = 0, without a side. That g is its level: sides are counted
from there until it has left it, however slowly, so that rounding makes no event of its own.
"""

from ..methods.runge_kutta import within
from ..scalar.compiling import inner
from ..scalar.memory import integer, load, load_counter, store, store_counter
from ..sim.evaluate import evaluate
from ..sim.layout import *  # noqa: F403

# Fractions of a step at which conditions are looked at; the first twelve only while some condition has no side.
FRACTIONS = (1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.25, 0.5, 0.75, 1.0)
EARLY, ALL = 12, 16
NONE, BAD = 2.0, 3.0  # no fraction: nothing happens, or some condition is no number
MOST_CORRECTIONS = 4
GOLDEN, TINY = 0.6180339887498949, 1e-9


@inner
def look(sim, t, y):
    """Values of all conditions at time t and the vector y."""
    evaluate(sim, t, y, integer(sim.plan, Y_SPARE), LOOK)


@inner
def sign(value):
    """-1, 0 or 1."""
    return 1.0 if value > 0.0 else -1.0 if value < 0.0 else 0.0


@inner
def arm(sim, t):
    """Sides of all conditions at a state that no step has led to: the first one, or what an action has made."""
    for e in range(integer(sim.plan, EVENTS)):
        store(sim.memory, integer(sim.plan, M_EVENTS) + e * EVENT_MEMORY + V_LEVEL, 0.0)
    look(sim, t, integer(sim.plan, Y_NOW))
    for e in range(integer(sim.plan, EVENTS)):
        at = integer(sim.plan, M_EVENTS) + e * EVENT_MEMORY
        g = load(sim.memory, at + V_VALUE, 0.0)
        store(sim.memory, at + V_SIDE, sign(g))
        store(sim.memory, at + V_START, g)
        if load(sim.memory, at + V_FIRED, 0.0) > 0.0 and abs(g) <= 2.0 * load(sim.memory, at + V_NEAR, 0.0) + 1e-12:
            store(sim.memory, at + V_SIDE, 0.0)
            store(sim.memory, at + V_LEVEL, g)
        store(sim.memory, at + V_FIRED, 0.0)
    store_counter(sim.counters, C_ARMED, 1)


@inner
def crosses(memory, at):
    """Whether a condition has changed its side, in the direction that counts."""
    side, direction = load(memory, at + V_SIDE, 0.0), load(memory, at + V_DIRECTION, 0.0)
    if load(memory, at + V_ASLEEP, 0.0) > 0.0:
        return False
    return side != 0.0 and load(memory, at + V_VALUE, 0.0) * side <= 0.0 and direction * side <= 0.0


@inner
def take_side(memory, at):
    """A condition's side is that of its value; a level that it has left is forgotten."""
    value, level = load(memory, at + V_VALUE, 0.0), load(memory, at + V_LEVEL, 0.0)
    if value != 0.0:
        store(memory, at + V_SIDE, sign(value))
    if abs(value) > 4.0 * abs(level):
        store(memory, at + V_LEVEL, 0.0)


@inner
def locate(sim, t, h, e, low, high, zero):
    """Fraction of the step at which condition e passes through zero between two others; its slope into the clock."""
    at = integer(sim.plan, M_EVENTS) + e * EVENT_MEMORY
    side, last, last_value = load(sim.memory, at + V_SIDE, 0.0), high, load(sim.memory, at + V_LATE, 0.0)
    apart = 1e-6 * (high - low)
    store(sim.clock, EVENT_SLOPE, 0.0)
    for _ in range(100):
        if (high - low) * h < 0.25 * load(sim.clock, H_MIN, 0.0):
            break
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        y = within(sim, t, h, middle, False, zero)
        look(sim, t + middle * h, y)
        value = load(sim.memory, at + V_VALUE, 0.0)
        if value * side > 0.0:
            low = middle
        else:
            high = middle
        if abs(middle - last) > apart:
            store(sim.clock, EVENT_SLOPE, (value - last_value) / ((middle - last) * h))
        last, last_value = middle, value
    return high


@inner
def find_dip(sim, t, h, e, low, high, zero):
    """Fraction between two others at which condition e, on one side at both, is on the other; NONE if it never is.

    By golden section, which ends when it is clear that the extremum does not reach zero.
    """
    at = integer(sim.plan, M_EVENTS) + e * EVENT_MEMORY
    side, one, two = load(sim.memory, at + V_SIDE, 0.0), high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    of_low, of_high, of_one, of_two, first = 1e300, 1e300, 1e300, 1e300, True
    for n in range(60):
        fraction = one if first else two
        y = within(sim, t, h, fraction, False, zero)
        look(sim, t + fraction * h, y)
        value = load(sim.memory, at + V_VALUE, 0.0)
        if value * side <= 0.0:
            store(sim.memory, at + V_LATE, value)
            return fraction
        if first:
            of_one = value * side
        else:
            of_two = value * side
        if n == 0:
            first = False
            continue
        least = min(of_one, of_two)
        if max(of_low, of_high) < 1.1 * least or (high - low) * h < load(sim.clock, H_MIN, 0.0):
            return NONE
        first = of_one < of_two
        if first:
            high, of_high, two, of_two = two, of_two, one, of_one
            one = high - GOLDEN * (high - low)
        else:
            low, of_low, one, of_one = one, of_one, two, of_two
            two = low + GOLDEN * (high - low)
    return NONE


@inner
def dip_begins(sim, t, h, e, i, zero):
    """From where on condition e may have come nearer to zero and gone away again before point i; NONE if it has not."""
    at = integer(sim.plan, M_EVENTS) + e * EVENT_MEMORY
    side = load(sim.memory, at + V_SIDE, 0.0)
    idle = load(sim.memory, at + V_CROSSED, 0.0) > 0.0 or load(sim.memory, at + V_ASLEEP, 0.0) > 0.0
    if idle or side == 0.0 or load(sim.memory, at + V_DIRECTION, 0.0) * side > 0.0:
        return NONE
    value, old = side * load(sim.memory, at + V_LATE, 0.0), side * load(sim.memory, at + V_OLD, 0.0)
    nearer = old < value * (1.0 - TINY)
    if i > EARLY and nearer and old < side * load(sim.memory, at + V_OLDER, 0.0) * (1.0 - TINY):
        return 0.0 if i == EARLY + 1 else FRACTIONS[i - 2]
    # the extremum may lie between the first two points or the last two: the slope at that end of the step tells
    begin, end = 0.0 if i == EARLY else FRACTIONS[i - 1], FRACTIONS[i]
    if i == EARLY and nearer:
        probe, limit = 1e-3 * end, old
    elif i == ALL - 1 and value < old * (1.0 - TINY):
        probe, limit = end - 1e-3 * (end - begin), value
    else:
        return NONE
    y = within(sim, t, h, probe, False, zero)
    look(sim, t + probe * h, y)
    return begin if side * load(sim.memory, at + V_VALUE, 0.0) < limit * (1.0 - TINY) else NONE


@inner
def first_root(sim, t, h, zero):
    """Fraction of the first zero of those conditions that have crossed; which one it is into C_TARGET."""
    soonest, slope = NONE, 0.0
    for e in range(integer(sim.plan, EVENTS)):
        at = integer(sim.plan, M_EVENTS) + e * EVENT_MEMORY
        high = load(sim.memory, at + V_CROSSED, 0.0)
        if high > 0.0:
            low = load(sim.memory, at + V_FROM, 0.0)
            root = locate(sim, t, h, e, low, high, zero)
            if root < soonest:
                soonest, slope = root, load(sim.clock, EVENT_SLOPE, 0.0)
                store_counter(sim.counters, C_TARGET, e)
    store(sim.clock, EVENT_SLOPE, slope)
    return soonest


@inner
def find_event(sim, t, h, zero):
    """Fraction of the step just tried at which the first event happens, NONE or BAD; which one it is into C_TARGET."""
    count, before, first, extra = integer(sim.plan, EVENTS), 0.0, EARLY, True
    for e in range(count):
        at = integer(sim.plan, M_EVENTS) + e * EVENT_MEMORY
        store(sim.memory, at + V_OLD, load(sim.memory, at + V_START, 0.0))
        if load(sim.memory, at + V_SIDE, 0.0) == 0.0:
            first = 0
    for i in range(first, ALL):
        fraction, y, found = FRACTIONS[i], integer(sim.plan, Y_NEW), False
        if i < ALL - 1:
            y = within(sim, t, h, fraction, extra, zero)
            extra = False
        look(sim, t + fraction * h, y)
        for e in range(count):
            at = integer(sim.plan, M_EVENTS) + e * EVENT_MEMORY
            if not abs(load(sim.memory, at + V_VALUE, 0.0)) < 1e300:
                return BAD
            crossed = crosses(sim.memory, at)
            store(sim.memory, at + V_CROSSED, fraction if crossed else 0.0)
            store(sim.memory, at + V_FROM, before)
            store(sim.memory, at + V_LATE, load(sim.memory, at + V_VALUE, 0.0))
            found = found or crossed
        for e in range(count if i >= EARLY else 0):
            low = dip_begins(sim, t, h, e, i, zero)
            if low < NONE:
                high = find_dip(sim, t, h, e, low, fraction, zero)
                if high < NONE:
                    store(sim.memory, integer(sim.plan, M_EVENTS) + e * EVENT_MEMORY + V_FROM, low)
                    store(sim.memory, integer(sim.plan, M_EVENTS) + e * EVENT_MEMORY + V_CROSSED, high)
                    found = True
        if found:
            return first_root(sim, t, h, zero)
        for e in range(count):
            at = integer(sim.plan, M_EVENTS) + e * EVENT_MEMORY
            store(sim.memory, at + V_VALUE, load(sim.memory, at + V_LATE, 0.0))
            take_side(sim.memory, at)
            if i >= EARLY:
                store(sim.memory, at + V_OLDER, load(sim.memory, at + V_OLD, 0.0))
                store(sim.memory, at + V_OLD, load(sim.memory, at + V_VALUE, 0.0))
        before = fraction
    for e in range(count):
        at = integer(sim.plan, M_EVENTS) + e * EVENT_MEMORY
        store(sim.memory, at + V_START, load(sim.memory, at + V_VALUE, 0.0))
    return NONE


@inner
def correct_event(sim, t, h):
    """After a step that is to end at an event: whether it must be taken once more, a little longer or shorter."""
    look(sim, t + h, integer(sim.plan, Y_NEW))
    at = integer(sim.plan, M_EVENTS) + load_counter(sim.counters, C_TARGET) * EVENT_MEMORY
    value, slope = load(sim.memory, at + V_VALUE, 0.0), load(sim.clock, EVENT_SLOPE, 0.0)
    if slope == 0.0 or load_counter(sim.counters, C_RETAKE) > MOST_CORRECTIONS:
        return False
    change = -value / slope
    if abs(change) < 0.25 * load(sim.clock, H_MIN, 0.0) or not abs(change) < 0.1 * h:
        return False
    store(sim.clock, H_EVENT, h + change)
    store_counter(sim.counters, C_RETAKE, load_counter(sim.counters, C_RETAKE) + 1)
    return True


@inner
def settle_events(sim):
    """The step ends at an event, where all conditions have just been looked at: which ones happen there."""
    for e in range(integer(sim.plan, EVENTS)):
        at = integer(sim.plan, M_EVENTS) + e * EVENT_MEMORY
        happens = e == load_counter(sim.counters, C_TARGET) or crosses(sim.memory, at)
        store(sim.memory, at + V_FIRED, 1.0 if happens else 0.0)
        if happens:
            value = load(sim.memory, at + V_VALUE, 0.0) + load(sim.memory, at + V_LEVEL, 0.0)
            store(sim.memory, at + V_NEAR, abs(value))
            store(sim.memory, at + V_SIDE, -load(sim.memory, at + V_SIDE, 0.0))
            store(sim.memory, at + V_LEVEL, 0.0)
        else:
            take_side(sim.memory, at)
        store(sim.memory, at + V_START, load(sim.memory, at + V_VALUE, 0.0))
    store_counter(sim.counters, C_RETAKE, 0)
    store_counter(sim.counters, C_HAPPENED, 1)
