"""Find the first guard that changes its side within a step: end stops, slack, saturation, friction, events.

Guards are evaluated at several points of the step, on its dense output. If a guard has crossed by one point, its zero
is located between that point and the one before. If a guard comes nearer to zero and goes away again between two
points, its extremum is sought, so that a brief crossing is found, too. With guards of elements alone, no evaluation is
needed if none can have crossed (`may_cross`).
"""

from ..robot.layout import *  # noqa: F403
from ..scalar.compiling import inner
from ..scalar.memory import integer, lanes_of, load, store, store_counter
from ..scalar.pack import sqrt
from ..sim.layout import *  # noqa: F403
from .guard_memory import (
    counted,
    crosses,
    direction_of,
    evaluate_guards,
    first_event,
    follow,
    load_guard,
    look_within,
    side_of,
    store_guard,
)
from .tunneling import find_touch, keep_paces, may_have_touched

# Fractions of a step at which guards are evaluated; the first EARLY ones only while some event has no side.
FRACTIONS = (1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.25, 0.5, 0.75, 1.0)
EARLY, ALL = 12, 16
NONE, BAD = 2.0, 3.0  # instead of a fraction: no guard crosses; some guard is NaN
GOLDEN, TINY = 0.6180339887498949, 1e-9
TRUNCATED, LEAST_TRUNCATED = 0.2, 0.05  # shift from the secant's zero, over width^2 / the first bracket's width
JUMPS = 4.0  # a guard jumps if its slope over the first one exceeds JUMPS (first width / width)^(1/4)
SLACK = 4.0  # the search may leave a bracket as many times as wide as bisection


@inner
def may_cross(sim, h, first, zero):
    """Whether an element's guard has crossed at the end of the step, the last evaluation, or can have crossed before.

    It can have crossed if it is nearer to zero than it moved in this step and the previous one together.
    """
    found = False
    for g in range(first, first_event(sim)):
        for lane in range(lanes_of(zero)):
            side, after, level = (
                side_of(sim, g, lane, zero),
                counted(sim, g, lane, zero),
                load_guard(sim, G_LEVEL, g, lane, zero),
            )
            now, before = (
                load_guard(sim, G_START, g, lane, zero) - level,
                load_guard(sim, G_BEFORE, g, lane, zero) - level,
            )
            moved = abs(after - now) + abs(now - before)
            rests = moved == 0.0 and after == 0.0
            if not (side * after > 0.0 or rests) or min(side * now, side * after) < moved:
                found = True
            store_guard(sim, G_LATE, g, lane, after, zero)
    return found or (integer(sim.plan, ASKING) > 0 and may_have_touched(sim, h, zero))


@inner
def count_from_levels(sim, first, zero):
    """Set levels: a guard that rounding puts beyond zero at the start counts as crossed at twice that distance only."""
    for g in range(first, integer(sim.plan, GUARDS)):
        for lane in range(lanes_of(zero)):
            start, side, level = load_guard(sim, G_START, g, lane, zero), side_of(sim, g, lane, zero), 0.0
            if g >= first_event(sim):
                level = load_guard(sim, G_LEVEL, g, lane, zero)
            if side != 0.0 and (start - level) * side <= 0.0:
                level = 2.0 * start - level
            store_guard(sim, G_LEVEL, g, lane, level, zero)
            store_guard(sim, G_OLD, g, lane, start - level, zero)


@inner
def has_no_side(sim, zero):
    """Whether some event has no side yet."""
    for g in range(first_event(sim), integer(sim.plan, GUARDS)):
        for lane in range(lanes_of(zero)):
            if side_of(sim, g, lane, zero) == 0.0:
                return True
    return False


@inner
def note_point(sim, first, before, fraction, zero):
    """Note which guards have crossed at the point just evaluated; return 1.0 if some have, 0.0 if none, BAD for NaN."""
    found = 0.0
    for g in range(first, integer(sim.plan, GUARDS)):
        for lane in range(lanes_of(zero)):
            if not abs(counted(sim, g, lane, zero)) < 1e300:
                return BAD
            crossed = crosses(sim, g, lane, zero)
            store_guard(sim, G_CROSSED, g, lane, fraction if crossed else 0.0, zero)
            store_guard(sim, G_FROM, g, lane, before, zero)
            store_guard(sim, G_LATE, g, lane, counted(sim, g, lane, zero), zero)
            if crossed:
                found = 1.0
    return found


@inner
def pass_point(sim, first, i, zero):
    """No guard has crossed by point i: keep its values as those of the previous point."""
    for g in range(first, integer(sim.plan, GUARDS)):
        for lane in range(lanes_of(zero)):
            late = load_guard(sim, G_LATE, g, lane, zero)
            if i >= EARLY:
                store_guard(sim, G_OLDER, g, lane, load_guard(sim, G_OLD, g, lane, zero), zero)
                store_guard(sim, G_OLD, g, lane, late, zero)
            if i < ALL - 1:
                follow(sim, g, lane, late, zero)


@inner
def pass_step(sim, first, zero):
    """No guard has crossed in the whole step: its final values start the next step."""
    for g in range(first, integer(sim.plan, GUARDS)):
        for lane in range(lanes_of(zero)):
            late, level = load_guard(sim, G_LATE, g, lane, zero), load_guard(sim, G_LEVEL, g, lane, zero)
            store_guard(sim, G_BEFORE, g, lane, load_guard(sim, G_START, g, lane, zero), zero)
            store_guard(sim, G_START, g, lane, late + level, zero)
            follow(sim, g, lane, late, zero)
    if integer(sim.plan, ASKING) > 0:
        keep_paces(sim, zero)


@inner
def trial_point(low, high, of_low, of_high, shift, reach):
    """Next trial point for the zero between two points: the secant's zero, moved towards the middle, kept near it.

    `shift`: how far it is moved, so that both ends close in; `reach`: the width that may be left afterwards.
    """
    half = 0.5 * (high - low)
    middle, most = low + half, reach - half
    if not of_low * of_high < 0.0:  # the zero is at an end, or a value is NaN
        return middle
    way = middle - (low + (high - low) * (of_low / (of_low - of_high)))
    if shift >= abs(way):
        return middle
    away = min(abs(way) - shift, most)
    return middle - (away if way > 0.0 else -away)


@inner
def locate(sim, t, h, g, lane, high, zero):
    """Fraction of the step at which a guard changes its side, G_FROM < fraction <= high; its slope into memory.

    The slope is 0 where the guard jumps, that is, where it gets steeper the narrower the bracket is.
    By interpolation, truncation and projection (Oliveira & Takahashi, ACM TOMS 47, 2020): as few evaluations as the
    secant method where the guard is smooth, and at most three more than bisection.
    """
    side, low = side_of(sim, g, lane, zero), load_guard(sim, G_FROM, g, lane, zero)
    of_high, width, precise = load_guard(sim, G_LATE, g, lane, zero), high - low, 0.25 * load(sim.clock, H_MIN, 0.0) / h
    look_within(sim, t, h, low, False, zero)
    of_low = counted(sim, g, lane, zero)
    first = (of_high - of_low) / (width * h)
    slope, narrower, part, was_low, reach = first, 1.0, TRUNCATED, False, SLACK * width
    for looks in range(100):
        if high - low > 1e-6 * width:  # in narrower brackets rounding dominates
            slope, narrower = (of_high - of_low) / ((high - low) * h), (high - low) / width
        shift = max(part * (high - low) * (high - low) / width, 0.25 * precise)
        at = trial_point(low, high, of_low, of_high, shift, reach)
        if high - low < precise or not low < at < high:
            break
        look_within(sim, t, h, at, False, zero)
        value = counted(sim, g, lane, zero)
        is_low = value * side > 0.0
        # with a curved guard the same end moves repeatedly, until the shift equals the secant's error
        part = 4.0 * part if looks > 0 and is_low == was_low else max(0.25 * part, LEAST_TRUNCATED)
        if is_low:
            low, of_low = at, value
        else:
            high, of_high = at, value
        was_low, reach = is_low, 0.5 * reach
    jumps = abs(slope) * sqrt(sqrt(narrower)) > JUMPS * abs(first)
    store(sim.memory, integer(sim.plan, M_CUT) + CUT_SLOPE, 0.0 if jumps else slope)
    return high


@inner
def first_root(sim, t, h, first, zero):
    """Fraction of the first zero among the guards that have crossed; stores that guard in C_TARGET."""
    soonest, slope, lanes, at = NONE, 0.0, lanes_of(zero), integer(sim.plan, M_CUT) + CUT_SLOPE
    for g in range(first, integer(sim.plan, GUARDS)):
        for lane in range(lanes):
            high = load_guard(sim, G_CROSSED, g, lane, zero)
            if high > 0.0 and load_guard(sim, G_FROM, g, lane, zero) < soonest:
                root = locate(sim, t, h, g, lane, high, zero)
                if root < soonest:
                    soonest, slope = root, load(sim.memory, at, 0.0)
                    store_counter(sim.counters, C_TARGET, g * lanes + lane)
    store(sim.memory, at, slope)
    return soonest


@inner
def find_dip(sim, t, h, g, lane, low, high, zero):
    """Fraction between `low` and `high` at which a guard is beyond zero, though it is not at either end; NONE if none.

    By golden section, which ends as soon as the extremum clearly does not reach zero.
    """
    side, one, two = side_of(sim, g, lane, zero), high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    of_low, of_high, of_one, of_two, is_one = 1e300, 1e300, 1e300, 1e300, True
    for n in range(60):
        fraction = one if is_one else two
        look_within(sim, t, h, fraction, False, zero)
        value = counted(sim, g, lane, zero)
        if value * side <= 0.0:
            store_guard(sim, G_LATE, g, lane, value, zero)
            return fraction
        if is_one:
            of_one = value * side
        else:
            of_two = value * side
        if n == 0:
            is_one = False
            continue
        if max(of_low, of_high) < 1.1 * min(of_one, of_two) or (high - low) * h < load(sim.clock, H_MIN, 0.0):
            return NONE
        is_one = of_one < of_two
        if is_one:
            high, of_high, two, of_two = two, of_two, one, of_one
            one = high - GOLDEN * (high - low)
        else:
            low, of_low, one, of_one = one, of_one, two, of_two
            two = low + GOLDEN * (high - low)
    return NONE


@inner
def dip_begins(sim, t, h, g, lane, i, zero):
    """Fraction after which a guard may have come nearer to zero and gone away again before point i; NONE if not."""
    side = side_of(sim, g, lane, zero)
    idle = load_guard(sim, G_CROSSED, g, lane, zero) > 0.0 or load_guard(sim, G_IGNORE, g, lane, zero) > 0.0
    if idle or side == 0.0 or direction_of(sim, g) * side > 0.0:
        return NONE
    value, old = side * load_guard(sim, G_LATE, g, lane, zero), side * load_guard(sim, G_OLD, g, lane, zero)
    nearer = old < value * (1.0 - TINY)
    if i > EARLY and nearer and old < side * load_guard(sim, G_OLDER, g, lane, zero) * (1.0 - TINY):
        return 0.0 if i == EARLY + 1 else FRACTIONS[i - 2]
    # the extremum may lie between the first two points or the last two, which the slope at that end of the step decides
    begin, end = 0.0 if i == EARLY else FRACTIONS[i - 1], FRACTIONS[i]
    if i == EARLY and nearer:
        probe, limit = 1e-3 * end, old
    elif i == ALL - 1 and value < old * (1.0 - TINY):
        probe, limit = end - 1e-3 * (end - begin), value
    else:
        return NONE
    look_within(sim, t, h, probe, False, zero)
    return begin if side * counted(sim, g, lane, zero) < limit * (1.0 - TINY) else NONE


@inner
def seek_dips(sim, t, h, first, i, zero):
    """Note guards that were briefly beyond zero before point i as crossed; return whether there are any."""
    found = False
    for g in range(first, integer(sim.plan, GUARDS)):
        for lane in range(lanes_of(zero)):
            low = dip_begins(sim, t, h, g, lane, i, zero)
            if low < NONE:
                high = find_dip(sim, t, h, g, lane, low, FRACTIONS[i], zero)
                if high < NONE:
                    store_guard(sim, G_FROM, g, lane, low, zero)
                    store_guard(sim, G_CROSSED, g, lane, high, zero)
                    found = True
    return found


@inner
def find_crossing(sim, t, h, first, zero):
    """Fraction of the step just tried at which the first guard from number `first` on changes its side, NONE or BAD.

    Stores that guard in C_TARGET.
    """
    new = integer(sim.plan, Y_NEW)
    count_from_levels(sim, first, zero)
    if integer(sim.plan, EVENTS) == 0:
        if integer(sim.plan, METHOD) != EXPLICIT:  # the last stage of explicit methods is at the step's end
            evaluate_guards(sim, t + h, new, zero)
        if not may_cross(sim, h, first, zero):
            pass_step(sim, first, zero)
            return NONE
    before, extra = 0.0, True
    for i in range(0 if has_no_side(sim, zero) else EARLY, ALL):
        fraction = FRACTIONS[i]
        if i < ALL - 1:
            look_within(sim, t, h, fraction, extra, zero)
            extra = False
        else:
            evaluate_guards(sim, t + h, new, zero)
        found = note_point(sim, first, before, fraction, zero)
        if found == BAD:
            return BAD
        if (i >= EARLY and seek_dips(sim, t, h, first, i, zero)) or found > 0.0:
            return first_root(sim, t, h, first, zero)
        pass_point(sim, first, i, zero)
        before = fraction
    if integer(sim.plan, ASKING) > 0 and may_have_touched(sim, h, zero) and find_touch(sim, t, h, zero):
        return first_root(sim, t, h, first, zero)
    pass_step(sim, first, zero)
    return NONE
