"""Shapes of bodies against each other and surfaces, for a method that steps through contact: geometry, no force.

What a listed pair's record has for guards and bristles is here the number of its first place, and how many points it
has. Where pairs are found by cells, places are handed out to points that are near (found_places.py), in the order that
a list of all pairs would have. A point that resists rolling and turning has a second place behind its own. Where cores
overlap the gap is NaN, and the run ends.
"""

from collections import namedtuple

from ..geometry.cores import PLACE, SHAPE_PARS
from ..geometry.manifold import clip_pair
from ..geometry.pairs import search
from ..robot.spatial import add3, add6, cross, dot3, load3, load6, scale3, shared3, store6, sub3
from ..scalar.compiling import inner
from ..scalar.memory import integer, load
from ..scalar.pack import select, somewhere, sqrt
from ..scalar.symbols import calling
from ..sim.layout import *  # noqa: F403
from .contact_points import ROLLING, SLIDING, TORSION, TURNS, choice, number
from .found_places import begin_places, end_places, first_key, has_room, keep_place, next_place, old_key, pass_old
from .kind import angular_velocity, channel, channel3, kind, lever, own, parameter, position, velocity
from .pair_contact import law_between
from .pair_points import find_points, open_pairs, pair_at
from .pair_shapes import (
    FAR,
    KEYS,
    MARGIN,
    ON_BODIES,
    ON_SURFACES,
    PAIRS,
    SURFACES,
    body_of,
    frames_of,
    row_of,
    shape_arrays,
)
from .touches import Place, force_felt, may_touch, may_turn, sleep_together, touch_of_element, touches_nothing

Pair = namedtuple("Pair", "i j a b between")
"""Shapes; bodies, -1 for the inertial frame; the second body's reference point from the first one's."""


@inner
def add_force(sim, e, i, f, m, at, zero):
    """Add a force on shape i, at a place from its body's reference point, to its recorded wrench about its centre."""
    _, pars, _ = shape_arrays(sim, e)
    center = lever(sim, body_of(sim, e, i), shared3(pars, i * SHAPE_PARS + PLACE, zero), zero)
    place = integer(sim.plan, integer(sim.plan, e + E_WRENCHES) + i)
    store6(sim.work, place, add6(load6(sim.work, place, zero), f + add3(m, cross(sub3(at, center), f))))


@inner
def feel(sim, e, s, shapes, zero):
    """Add what was felt last at place s to the recorded wrenches of both shapes; its normal force."""
    touch, i, j = touch_of_element(sim, e, s), shapes[0], shapes[1]
    at = integer(sim.plan, Y_TOUCH) + touch * TOUCH_NUMBERS
    mine = integer(sim.plan, M_TOUCH) + touch * TM_NUMBERS
    f, m = force_felt(sim, e, s, zero), (zero, zero, zero)
    N = dot3(load3(sim.work, at + T_NORMAL, zero), f)
    if load(sim.memory, mine + TM_SORT, 0.0) == 1.0 * TOUCH_TURN:
        f, m, N = m, f, zero
    add_force(sim, e, i, f, m, load3(sim.work, at + T_AT, zero), zero)
    if load(sim.memory, mine + TM_OTHER, 0.0) >= 0.0:
        away = load3(sim.work, at + T_OTHER_AT, zero)
        add_force(sim, e, j, scale3(-1.0, f), scale3(-1.0, m), away, zero)
    return N


@inner
def place_row(sim, e, s, r, pair, law, zero):
    """Point r of a pair, at place s: its velocity along the pair, its normal force, its place and its gap."""
    a, b = pair.a, pair.b
    gap, G, at = row_of(sim, e, r, zero)
    size = sqrt(dot3(G, G))
    n, away = scale3(1.0 / size, G), sub3(at, pair.between)
    speed = velocity(sim, a, at, zero)
    if b >= 0:
        speed = sub3(speed, velocity(sim, b, away, zero))
    gap = select(gap > parameter(sim, e, MARGIN, zero), zero + FAR, gap / size)  # beyond, it is that of balls
    may_touch(sim, e, s, (a, b), Place(gap, n, at, away, speed, zero + number(sim, law, SLIDING, zero), zero), zero)
    N = feel(sim, e, s, (pair.i, pair.j), zero)
    if choice(sim, law, TURNS) == 1:
        turning = angular_velocity(sim, a, zero)
        if b >= 0:
            turning = sub3(turning, angular_velocity(sim, b, zero))
        torsion, rolling = zero + number(sim, law, TORSION, zero), zero + number(sim, law, ROLLING, zero)
        may_turn(sim, e, s + 1, s, (a, b), Place(gap, n, at, away, turning, torsion, rolling), zero)
        feel(sim, e, s + 1, (pair.i, pair.j), zero)
    across = sub3(speed, scale3(dot3(n, speed), n))
    return sqrt(dot3(across, across)), N, at, gap


# --- pairs of a list --------------------------------------------------------------------------------------------------


@inner
def keep_listed(sim, e, law, shapes, zero):
    """Recorded wrenches of a pair that sleeps: all else that is known of it stays."""
    many = law.bristles * (1 + choice(sim, law, TURNS))
    for s in range(law.guards, law.guards + many):
        mine = integer(sim.plan, M_TOUCH) + touch_of_element(sim, e, s) * TM_NUMBERS
        if load(sim.memory, mine + TM_BODY, 0.0) >= 0.0:
            feel(sim, e, s, shapes, zero)


@inner
def place_listed(sim, e, q, pair, law, points, zero):
    """All points of pair q of the list; its channels."""
    found, least = points
    many, width = own(sim, e, PAIRS), 1 + choice(sim, law, TURNS)
    N, slip, place = zero, zero, (zero, zero, zero)
    for r in range(law.bristles):
        s = law.guards + r * width
        if r < found:
            fast, force, at, _ = place_row(sim, e, s, r, pair, law, zero)
            N = N + force
            if r == 0:
                slip, place = fast, position(sim, pair.a, at, zero)
        else:
            for k in range(width):
                touches_nothing(sim, e, s + k)
    channel(sim, e, q, least)
    channel(sim, e, many + q, N)
    channel(sim, e, 2 * many + q, slip)
    channel3(sim, e, 3 * many + 3 * q, add3(place, (zero, zero, zero)))


# --- pairs that are found by cells ------------------------------------------------------------------------------------


@inner
def keep_found(sim, e, cursor, pair, zero):
    """Places of a pair that sleeps, as they are; its least gap there and normal force."""
    key, N, least = first_key(sim, e, pair.i, pair.j), zero, zero + FAR
    cursor = pass_old(sim, e, cursor, key, zero)
    last = key + 1.0 * own(sim, e, KEYS)
    while cursor.old < cursor.had and old_key(sim, e, cursor.old, zero) < last:
        cursor = keep_place(sim, e, cursor, (pair.a, pair.b), zero)
        if has_room(sim, e, cursor):
            touch = touch_of_element(sim, e, cursor.count - 1)
            if load(sim.memory, integer(sim.plan, M_TOUCH) + touch * TM_NUMBERS + TM_BODY, 0.0) >= 0.0:
                N = N + feel(sim, e, cursor.count - 1, (pair.i, pair.j), zero)
                gap = load(sim.work, integer(sim.plan, Y_TOUCH) + touch * TOUCH_NUMBERS + T_GAP, zero)
                least = select(gap < least, gap, least)
    return cursor, least, N


@inner
def place_found(sim, e, cursor, pair, law, points, zero):
    """Points of a pair that are near in some lane; its least gap and normal force."""
    found, least = points
    margin, key, width = parameter(sim, e, MARGIN, zero), first_key(sim, e, pair.i, pair.j), 1 + choice(sim, law, TURNS)
    nearest, N = zero + FAR, zero
    for r in range(found):
        gap, _, _ = row_of(sim, e, r, zero)
        if somewhere(select(gap > margin, zero, zero + 1.0) > 0.5):  # of NaN, too
            for k in range(width):
                cursor = next_place(sim, e, cursor, key + 2.0 * r + 1.0 * k, zero)
            if has_room(sim, e, cursor):
                _, force, _, gap = place_row(sim, e, cursor.count - width, r, pair, law, zero)
                N, nearest = N + force, select(gap < nearest, gap, nearest)
    return cursor, select(least > margin, least, nearest), N


@inner
def place_pair(sim, e, q, cursor, zero):
    """All that may touch of pair q; its least gap and normal force, of pairs that are found by cells."""
    i, j = pair_at(sim, e, q, zero)
    a, b, listed = body_of(sim, e, i), body_of(sim, e, j), own(sim, e, PAIRS) >= 0
    if sleep_together(sim, a, b):
        if listed:
            keep_listed(sim, e, law_between(sim, e, q, i, j), (i, j), zero)
            return cursor, zero, zero
        return keep_found(sim, e, cursor, Pair(i, j, a, b, (zero, zero, zero)), zero)
    points = find_points(sim, e, i, j, zero)
    far = select(points[1] > parameter(sim, e, MARGIN, zero), zero, zero + 1.0)
    if not listed and not somewhere(far > 0.5):
        return cursor, points[1], zero
    pair, law = Pair(i, j, a, b, frames_of(sim, a, b, zero).between), law_between(sim, e, q, i, j)
    if listed:
        place_listed(sim, e, q, pair, law, points, zero)
        return cursor, zero, zero
    return place_found(sim, e, cursor, pair, law, points, zero)


@inner
def takes_surface(sim, e, q, s, many, zero):
    """Whether pair s, of a surface, comes before pair q: all pairs of a shape follow each other, surfaces last."""
    if q == many - own(sim, e, ON_SURFACES) * own(sim, e, SURFACES):
        return True
    return s < many and pair_at(sim, e, s, zero)[0] < pair_at(sim, e, q, zero)[0]


@kind
@calling(search, clip_pair)
def pair_touching(sim, e, t, y, k, zero):
    """Write the contact places of all pairs."""
    still = zero, zero, zero
    for i in range(own(sim, e, ON_BODIES)):
        store6(sim.work, integer(sim.plan, integer(sim.plan, e + E_WRENCHES) + i), still + still)
    listed, many = own(sim, e, PAIRS) >= 0, open_pairs(sim, e, zero)
    cursor = begin_places(sim, e, zero)
    least, N, count = zero + FAR, zero, zero
    q, s = 0, many if listed else many - own(sim, e, ON_SURFACES) * own(sim, e, SURFACES)
    for _ in range(many):
        which = q
        if not listed and takes_surface(sim, e, q, s, many, zero):
            which = s
            s += 1
        else:
            q += 1
        cursor, gap, force = place_pair(sim, e, which, cursor, zero)
        N, least = N + force, select(gap < least, gap, least)
        count = count + select(force > 0.0, zero + 1.0, zero)
    if not listed:
        end_places(sim, e, cursor, zero)
        channel(sim, e, 0, least)
        channel(sim, e, 1, N)
        channel(sim, e, 2, count)
