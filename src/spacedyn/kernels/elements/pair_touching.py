"""Shapes of bodies against each other and surfaces, for a method that steps through contact: geometry, no force.

Of listed pairs alone. What a pair's record has for guards and bristles is here the number of its first place, and how
many it has. Where cores overlap the gap is NaN, and the run ends.
"""

from ..geometry.cores import PLACE, SHAPE_PARS
from ..geometry.manifold import clip_pair
from ..geometry.pairs import search
from ..robot.spatial import add3, add6, cross, dot3, load3, load6, scale3, shared3, store6, sub3
from ..scalar.compiling import inner
from ..scalar.memory import integer, load, shared
from ..scalar.pack import select, sqrt
from ..scalar.symbols import calling
from ..sim.layout import *  # noqa: F403
from .contact_points import FIRST, SLIDING, STIFFNESS
from .kind import channel, channel3, kind, lever, own, parameter, position, velocity
from .pair_points import find_points, open_pairs, pair_at
from .pair_shapes import (
    FAR,
    LAWS_AT,
    MARGIN,
    ON_BODIES,
    PAIR_AT,
    PAIR_BRISTLE,
    PAIR_GUARD,
    PAIR_INTS,
    PAIR_LAW,
    PAIRS,
    body_of,
    frames_of,
    row_of,
    shape_arrays,
)
from .touches import Place, force_felt, may_touch, sleep_together, touch_of_element, touches_nothing

LAW_NUMBERS = FIRST - STIFFNESS


@inner
def add_force(sim, e, i, f, at, zero):
    """Add a force on shape i, at a place from its body's reference point, to its recorded wrench about its centre."""
    _, pars, _ = shape_arrays(sim, e)
    center = lever(sim, body_of(sim, e, i), shared3(pars, i * SHAPE_PARS + PLACE, zero), zero)
    place = integer(sim.plan, integer(sim.plan, e + E_WRENCHES) + i)
    store6(sim.work, place, add6(load6(sim.work, place, zero), f + cross(sub3(at, center), f)))


@inner
def place_row(sim, e, first, r, pair, friction, zero):
    """Point r of a pair: its velocity along the pair, its normal force and its place."""
    i, j, a, b, between = pair
    gap, G, at = row_of(sim, e, r, zero)
    size = sqrt(dot3(G, G))
    n, away = scale3(1.0 / size, G), sub3(at, between)
    speed = velocity(sim, a, at, zero)
    if b >= 0:
        speed = sub3(speed, velocity(sim, b, away, zero))
    gap = select(gap > parameter(sim, e, MARGIN, zero), zero + FAR, gap / size)  # beyond, it is that of balls
    may_touch(sim, e, first + r, (a, b), Place(gap, n, at, away, speed, zero + friction, zero))
    f = force_felt(sim, e, first + r, zero)
    add_force(sim, e, i, f, at, zero)
    if b >= 0:
        add_force(sim, e, j, scale3(-1.0, f), away, zero)
    across = sub3(speed, scale3(dot3(n, speed), n))
    return sqrt(dot3(across, across)), dot3(n, f), at


@inner
def keep_pair(sim, e, record, pair, zero):
    """Recorded wrenches of a pair that sleeps: all else that is known of it stays."""
    i, j, _, b = pair
    for r in range(own(sim, e, record + PAIR_BRISTLE)):
        point = own(sim, e, record + PAIR_GUARD) + r
        number = touch_of_element(sim, e, point)
        if load(sim.memory, integer(sim.plan, M_TOUCH) + number * TM_NUMBERS + TM_BODY, 0.0) >= 0.0:
            f, at = force_felt(sim, e, point, zero), integer(sim.plan, Y_TOUCH) + number * TOUCH_NUMBERS
            add_force(sim, e, i, f, load3(sim.work, at + T_AT, zero), zero)
            if b >= 0:
                add_force(sim, e, j, scale3(-1.0, f), load3(sim.work, at + T_OTHER_AT, zero), zero)


@inner
def place_pair(sim, e, q, zero):
    """All points of pair q; its channels."""
    i, j = pair_at(sim, e, q, zero)
    record, many = own(sim, e, PAIR_AT) + q * PAIR_INTS, own(sim, e, PAIRS)
    a, b = body_of(sim, e, i), body_of(sim, e, j)
    if sleep_together(sim, a, b):
        keep_pair(sim, e, record, (i, j, a, b), zero)
        return
    found, least = find_points(sim, e, i, j, zero)
    law = own(sim, e, LAWS_AT) + own(sim, e, record + PAIR_LAW) * LAW_NUMBERS
    friction = shared(sim.numbers, integer(sim.plan, e + E_NUMBERS) + law + SLIDING - STIFFNESS, zero)
    pair, first = (i, j, a, b, frames_of(sim, a, b, zero).between), own(sim, e, record + PAIR_GUARD)
    N, slip, place = zero, zero, (zero, zero, zero)
    for r in range(own(sim, e, record + PAIR_BRISTLE)):
        if r < found:
            fast, force, at = place_row(sim, e, first, r, pair, friction, zero)
            N = N + force
            if r == 0:
                slip, place = fast, position(sim, a, at, zero)
        else:
            touches_nothing(sim, e, first + r)
    channel(sim, e, q, least)
    channel(sim, e, many + q, N)
    channel(sim, e, 2 * many + q, slip)
    channel3(sim, e, 3 * many + 3 * q, add3(place, (zero, zero, zero)))


@kind
@calling(search, clip_pair)
def pair_touching(sim, e, t, y, k, zero):
    """Say where all pairs may touch."""
    still = zero, zero, zero
    for i in range(own(sim, e, ON_BODIES)):
        store6(sim.work, integer(sim.plan, integer(sim.plan, e + E_WRENCHES) + i), still + still)
    for q in range(open_pairs(sim, e, zero)):
        place_pair(sim, e, q, zero)
