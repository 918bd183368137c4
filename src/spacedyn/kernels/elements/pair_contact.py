"""Compliant contact between shapes of bodies, and of shapes with surfaces: the law of contact.py at points of pairs.

Each point has Hunt and Crossley's force along the gap's gradient. Friction without bristles acts at each point. With
them, it acts at the pair: the bend of its bristles is at the centre of pressure of its points, and, where there may be
several, a twist about the normal, so that both stay where they are whatever points come and go:

    |F| <= mu N,   |M| <= mu N r,   r^2 = sum N_i |p_i - c|^2 / N

Energy in pairs with one point, and of points on surfaces, is stored. Where faces meet, points come and go, and the
force has no potential: what it does is work, which the ledger integrates.
"""

from collections import namedtuple

from ..geometry.cores import PLACE, SHAPE_PARS
from ..geometry.manifold import clip_pair
from ..geometry.pairs import search
from ..robot.spatial import add3, add6, cross, dot3, load6, scale3, shared3, store6, sub3, turn, turn_back
from ..scalar.compiling import inner, separate
from ..scalar.memory import integer
from ..scalar.pack import select, somewhere, sqrt
from ..scalar.symbols import calling
from ..sim.layout import *  # noqa: F403
from .contact import Normal, adhesion, normal_force
from .contact_friction import (
    bristle_friction,
    friction_limit,
    regularised_friction,
    sliding_velocity,
    turning_moment,
)
from .contact_points import (
    ADHERES,
    BEND,
    BRISTLES,
    FIRST,
    FRICTION,
    GUARDS,
    REGULARISED,
    STIFFNESS,
    TURNS,
    VISCOSITY,
    Law,
    choice,
    number,
    touch_at,
)
from .kind import (
    channel,
    channel3,
    dissipated,
    guard,
    kind,
    lever,
    own,
    parameter,
    position,
    push_body,
    push_within,
    rate,
    state,
    stored,
    work_done,
)
from .pair_points import find_points, open_pairs, pair_at
from .pair_shapes import (
    BRISTLE_STATES,
    CHOICES_AT,
    CLASS_AT,
    CLASS_LAW_AT,
    CLASSES,
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
    SHAPES,
    TWIST_RADIUS,
    body_of,
    frames_of,
    has_faces,
    has_one_point,
    row_of,
    shape_arrays,
    surface_of,
    weight_of_row,
)

TINY = 1e-300
LAW_NUMBERS, LAW_CHOICES = FIRST - STIFFNESS, TURNS - GUARDS + 1

Meeting = namedtuple("Meeting", "i j a b between center other S")
"""Of a pair: shapes, bodies; the second body's reference point and both centres from the first one's; axes of the
second."""

Sums = namedtuple("Sums", "N touches at square normal stored lost work")
"""Of a pair's points: normal force, how many touch, the mean of their places and the sum of squares from it, the sum of
normals, all weighted by normal forces; energy, powers."""


@inner
def law_between(sim, e, q, i, j):
    """The law of pair q."""
    which, guards, bristles = 0, -1, -1
    if own(sim, e, PAIRS) >= 0:
        at = own(sim, e, PAIR_AT) + q * PAIR_INTS
        which, guards = own(sim, e, at + PAIR_LAW), own(sim, e, at + PAIR_GUARD)
        bristles = own(sim, e, at + PAIR_BRISTLE)
    else:
        first, second = own(sim, e, own(sim, e, CLASS_AT) + i), own(sim, e, own(sim, e, CLASS_AT) + j)
        which = own(sim, e, own(sim, e, CLASS_LAW_AT) + first * own(sim, e, CLASSES) + second)
    numbers, ints = integer(sim.plan, e + E_NUMBERS), integer(sim.plan, e + E_OWN)
    return Law(
        numbers + own(sim, e, LAWS_AT) + which * LAW_NUMBERS - STIFFNESS,
        ints + own(sim, e, CHOICES_AT) + which * LAW_CHOICES - GUARDS,
        guards,
        bristles,
    )


@inner
def meeting_of(sim, e, i, j, zero):
    """Where both shapes are."""
    a, b = body_of(sim, e, i), body_of(sim, e, j)
    _, pars, _ = shape_arrays(sim, e)
    F = frames_of(sim, a, b, zero)
    center = lever(sim, a, shared3(pars, i * SHAPE_PARS + PLACE, zero), zero)
    other, S = center, F.Rb
    if b >= 0:
        other = add3(F.between, lever(sim, b, shared3(pars, j * SHAPE_PARS + PLACE, zero), zero))
    elif j >= own(sim, e, SHAPES):
        S = surface_of(sim, e, i, j, zero).S
    return Meeting(i, j, a, b, F.between, center, other, S)


@inner
def add_wrench(sim, e, i, f, n, zero):
    """Add to the recorded force and moment on shape i, about its centre."""
    at = integer(sim.plan, integer(sim.plan, e + E_WRENCHES) + i)
    store6(sim.work, at, add6(load6(sim.work, at, zero), f + n))


@inner
def push_pair(sim, e, pair, f, m, at, zero):
    """Push the first body at a place, and the second one back."""
    add_wrench(sim, e, pair.i, f, add3(m, cross(sub3(at, pair.center), f)), zero)
    if pair.b < 0:
        push_body(sim, pair.a, f, m, at, zero)
    else:
        g, n = scale3(-1.0, f), scale3(-1.0, m)
        push_within(sim, pair.a, f, m, at, zero)
        push_within(sim, pair.b, g, n, sub3(at, pair.between), zero)
        add_wrench(sim, e, pair.j, g, add3(n, cross(sub3(at, pair.other), g)), zero)


@inner
def act_on_row(sim, e, law, pair, row, sums, zero):
    """Let a point push, `row` says which of how many; the sums with it."""
    r, many = row
    gap, G, place = row_of(sim, e, r, zero)
    touch = touch_at(sim, (pair.a, pair.b), (gap, G, place, pair.center), pair.between, pair.S, zero)
    normal, weight = normal_force(sim, e, law, touch, zero), zero + 1.0
    if many > 1 and has_faces(sim, e, pair.i, pair.j):
        weight = weight_of_row(sim, e, r, zero)
        normal = Normal(weight * normal.force, normal.touches, weight * normal.stored, weight * normal.lost)
    push, held, lost = normal.force, normal.stored, normal.lost
    rises = dot3(G, touch.speed)
    work = normal.lost + normal.force * rises
    if choice(sim, law, ADHERES) == 1:
        pull, energy = adhesion(sim, e, law, touch, normal, zero)
        push, held, work = push - weight * pull, held + weight * energy, work - weight * pull * rises
    f, m = scale3(push, G), (zero, zero, zero)
    N = normal.force * touch.size
    if choice(sim, law, FRICTION) == REGULARISED:
        rub, rubbed = regularised_friction(sim, law, normal, touch, zero)
        f, lost = add3(f, rub), lost + rubbed
    if choice(sim, law, TURNS) == 1:
        m, turned = turning_moment(sim, law, N, touch, zero)
        lost = lost + turned
    push_pair(sim, e, pair, f, m, touch.at, zero)
    total, beside = sums.N + N, sub3(touch.at, sums.at)
    share = N / select(total > 0.0, total, zero + 1.0)  # so that one point alone has no width, to the bit
    return Sums(
        total,
        sums.touches + normal.touches,
        add3(sums.at, scale3(share, beside)),
        sums.square + sums.N * share * dot3(beside, beside),
        add3(sums.normal, scale3(N, touch.normal)),
        sums.stored + held,
        sums.lost + lost,
        sums.work + work,
    )


@inner
def patch_of(sim, e, pair, sums, gap, zero):
    """The points of a pair as one: its normal force, how it touches, and the radius at which its points are."""
    _, n, c = row_of(sim, e, 0, zero)
    radius = zero
    if not has_one_point(sim, e, pair.i, pair.j):
        size = sqrt(dot3(sums.normal, sums.normal))
        n = scale3(1.0 / select(size > 0.0, size, zero + 1.0), sums.normal)
        n = (n[0], n[1], select(size > 0.0, n[2], zero + 1.0))
        c, wide = sums.at, sums.square / select(sums.N > 0.0, sums.N, zero + 1.0)
        radius = sqrt(select(wide > 0.0, wide, zero + TINY))
    touch = touch_at(sim, (pair.a, pair.b), (gap, n, c, pair.center), pair.between, pair.S, zero)
    return Normal(sums.N / touch.size, select(sums.touches > 0.5, zero + 1.0, zero), zero, zero), touch, radius


@separate
def twist_friction(sim, e, law, y, k, patch, zero):
    """Friction against turning about the normal, by bristles; moment about it, energy, power lost."""
    normal, touch, radius = patch
    n, first, r = touch.normal, law.bristles + 3, parameter(sim, e, TWIST_RADIUS, zero)
    bend = state(sim, e, first, y, zero), state(sim, e, first + 1, y, zero), state(sim, e, first + 2, y, zero)
    z, v = turn(touch.S, bend), sliding_velocity(touch)
    kt, s = number(sim, law, BEND, zero) * r * r, number(sim, law, VISCOSITY, zero) * r * r
    along, w = dot3(n, z), dot3(n, touch.turning)
    M, limit = kt * along + s * w, friction_limit(sim, law, normal.force * radius, dot3(v, v), zero)
    sticks = M * M < limit * limit
    M = select(sticks, M, select(M > 0.0, limit, -limit))
    turns = select(sticks, w, (M - kt * along) / s)
    zdot = sub3(scale3(turns, n), scale3(kt / s, sub3(z, scale3(along, n))))
    rates = turn_back(touch.S, zdot)
    rate(sim, e, first, k, rates[0])
    rate(sim, e, first + 1, k, rates[1])
    rate(sim, e, first + 2, k, rates[2])
    return scale3(-M, n), 0.5 * kt * dot3(z, z), M * w - kt * dot3(z, zdot)


@inner
def act_on_pair(sim, e, q, y, k, zero):
    """Let the points of pair q push; energy, powers lost and done, normal force and least gap."""
    i, j = pair_at(sim, e, q, zero)
    many, least = find_points(sim, e, i, j, zero)
    law, none = law_between(sim, e, q, i, j), (zero, zero, zero)
    sums = Sums(zero, zero, none, zero, none, zero, zero, zero)
    apart = select(least > parameter(sim, e, MARGIN, zero), zero, zero + 1.0)  # of NaN, too, it is 1
    if own(sim, e, PAIRS) < 0 and not somewhere(apart > 0.5):
        return sums, least
    pair, faces = meeting_of(sim, e, i, j, zero), has_faces(sim, e, i, j)
    if not has_one_point(sim, e, i, j) and law.guards >= 0:
        guard(sim, e, law.guards, least)
        law = Law(law.numbers, law.choices, -1, law.bristles)
    for r in range(many):
        sums = act_on_row(sim, e, law, pair, (r, many), sums, zero)
    held, lost, work = zero if faces else sums.stored, sums.lost, sums.work if faces else zero
    normal, touch, radius = patch_of(sim, e, pair, sums, least, zero)
    if choice(sim, law, FRICTION) == BRISTLES:
        rub, bent, rubbed = bristle_friction(sim, e, law, y, k, normal, touch, zero)
        m, held, lost = none, held + bent, lost + rubbed
        if own(sim, e, BRISTLE_STATES) > 3:
            m, bent, rubbed = twist_friction(sim, e, law, y, k, (normal, touch, radius), zero)
            held, lost = held + bent, lost + rubbed
        push_pair(sim, e, pair, rub, m, touch.at, zero)
    report(sim, e, q, (least, sums.N, touch, pair.a), zero)
    return Sums(sums.N, sums.touches, none, zero, none, held, lost, work), least


@inner
def report(sim, e, q, found, zero):
    """Channels of a listed pair."""
    least, N, touch, a = found
    many, v = own(sim, e, PAIRS), sliding_velocity(touch)
    if many >= 0:
        channel(sim, e, q, least)
        channel(sim, e, many + q, N)
        channel(sim, e, 2 * many + q, sqrt(dot3(v, v)))
        channel3(sim, e, 3 * many + 3 * q, position(sim, a, touch.at, zero))


@kind
@calling(search, clip_pair)
def pair_contact(sim, e, t, y, k, zero):
    """Let every pair push."""
    still = zero, zero, zero
    for i in range(own(sim, e, ON_BODIES)):
        store6(sim.work, integer(sim.plan, integer(sim.plan, e + E_WRENCHES) + i), still + still)
    energy, lost, work, N, least, count = zero, zero, zero, zero, zero + FAR, zero
    for q in range(open_pairs(sim, e, zero)):
        sums, gap = act_on_pair(sim, e, q, y, k, zero)
        energy, lost, work = energy + sums.stored, lost + sums.lost, work + sums.work
        N, least = N + sums.N, select(gap < least, gap, least)
        count = count + select(sums.N > 0.0, zero + 1.0, zero)
    if own(sim, e, PAIRS) < 0:
        channel(sim, e, 0, least)
        channel(sim, e, 1, N)
        channel(sim, e, 2, count)
    stored(sim, e, energy)
    dissipated(sim, e, k, lost)
    work_done(sim, e, k, work)
