"""Impulses of all places that are near: Coulomb's law at each, by block Gauss and Seidel from those felt last.

    p_n >= 0,  v_n >= w,  p_n (v_n - w) = 0;   |p_t| <= mu p_n,   p_t = -mu p_n v_t / |v_t| where v_t is not zero

v = v_free + W z is known by z alone, so a sweep costs as much as the columns have entries. Of one place the law is
solved as it stands: it is open and stays so, or it sticks (three linear equations) if that is within the cone, else it
slides (near_law.py).
"""

from ..robot.layout import *  # noqa: F403
from ..robot.spatial import add3, fused3, load3, load6, scale3, store3, sub3
from ..scalar.compiling import inner, outlined
from ..scalar.fused_vectors import dot3, two
from ..scalar.memory import integer, load, store
from ..scalar.pack import fused, magnitude, select, somewhere, sqrt
from ..sim.layout import *  # noqa: F403
from .near_columns import near_column, near_record, path_of
from .near_law import NOTHING, clamp, is_steep, on_disc, slide, slide_steeply, times, where

EVERY, SLOWEST = 3, 0.999  # sweeps until one that goes on; the largest ratio that is relied on
AWAY, LESS = 1.0, 0.25  # times the last change: what shows that this led away; how far it goes then, from there on
BACK, LEAST_SHARE = -0.5, 0.2  # ratio of changes that go to and fro; the least share of a change that is taken then
COLD = 10.0  # times as many sweeps where no impulses are known to begin with
GAINED = 1e-9  # of what impulses take or give: energy that is rounding


@inner
def impulses_at(sim):
    """Where z is: the change of rates that impulses make, D^(1/2) L' of it; a second one follows."""
    return integer(sim.plan, Y_FREE) + integer(sim.tree, RATES)


@inner
def count_of(sim, a):
    """How many rates the near place a moves with."""
    return int(load(sim.memory, integer(sim.plan, M_NEAR) + a * NM_NUMBERS + NM_COUNT, 0.0))


@inner
def part_at(sim, a, j, zero):
    """The number of z at the j-th rate of the near place a."""
    return load(sim.work, impulses_at(sim) + int(load(sim.memory, path_of(sim, a) + j, 0.0)), zero)


@inner
def change_speed(sim, a, zero):
    """W z of the near place a: two sums beside each other, since sweeps wait for them."""
    column, count = near_column(sim, a), count_of(sim, a)
    one, other = (zero, zero, zero), (zero, zero, zero)
    for j in range(0, count - 1, 2):
        one = fused3(part_at(sim, a, j, zero), load3(sim.work, column + 3 * j, zero), one)
        other = fused3(part_at(sim, a, j + 1, zero), load3(sim.work, column + 3 * j + 3, zero), other)
    if count % 2 == 1:
        one = fused3(part_at(sim, a, count - 1, zero), load3(sim.work, column + 3 * count - 3, zero), one)
    return add3(one, other)


@inner
def change_normal(sim, a, zero):
    """The first of its three numbers alone, to the same bit."""
    column, count = near_column(sim, a), count_of(sim, a)
    one, other = zero, zero
    for j in range(0, count - 1, 2):
        one = fused(load(sim.work, column + 3 * j, zero), part_at(sim, a, j, zero), one)
        other = fused(load(sim.work, column + 3 * j + 3, zero), part_at(sim, a, j + 1, zero), other)
    if count % 2 == 1:
        one = fused(load(sim.work, column + 3 * count - 3, zero), part_at(sim, a, count - 1, zero), one)
    return one + other


@inner
def add_impulse_of(sim, a, p, zero):
    """z + W' p."""
    z, column, path = impulses_at(sim), near_column(sim, a), path_of(sim, a)
    for j in range(count_of(sim, a)):
        at, w = z + int(load(sim.memory, path + j, 0.0)), load3(sim.work, column + 3 * j, zero)
        store(sim.work, at, load(sim.work, at, zero) + dot3(w, p))


# --- one place --------------------------------------------------------------------------------------------------------


@inner
def least_of(sim, a, share, zero):
    """The least normal velocity of the near place a; that share of it, where it bounces or leaves a depth."""
    least = load(sim.work, near_record(sim, a) + NEAR_TARGET, zero)
    return select(least > 0.0, share * least, least)


@inner
def stays_open(sim, a, share, still, zero):
    """Whether no impulses push at the near place a, nor need any, in all lanes that still look for theirs.

    Of most places that are open this is all that a sweep looks at.
    """
    record = near_record(sim, a)
    p = load(sim.work, record + NEAR_IMPULSE, zero)
    if somewhere(select(still > 0.0, p, zero) > 0.0):
        return False
    normal = load(sim.work, record + NEAR_FREE, zero) + change_normal(sim, a, zero) - least_of(sim, a, share, zero)
    return not somewhere(select(needs_impulses(p, normal, zero) > 0.0, still, zero) > 0.0)


@inner
def needs_impulses(p, normal, zero):
    """1 where a place is pushed, or closes faster than it may; where that is no number, too."""
    return select(p > 0.0, zero + 1.0, select(normal >= 0.0, zero, zero + 1.0))


@inner
def solve_place(sim, a, share, still, zero):
    """Change of impulses by Coulomb's law at the near place a, with those of all others as they are."""
    record = near_record(sim, a)
    p, free, change = (
        load3(sim.work, record + NEAR_IMPULSE, zero),
        load3(sim.work, record + NEAR_FREE, zero),
        change_speed(sim, a, zero),
    )
    v = (free[0] + change[0] - least_of(sim, a, share, zero), free[1] + change[1], free[2] + change[2])
    moves = select(needs_impulses(p[0], v[0], zero) > 0.0, still, zero)
    d = times(load6(sim.work, record + NEAR_INVERSE, zero), (-v[0], -v[1], -v[2]))
    stuck, friction = add3(p, d), load(sim.work, record + NEAR_FRICTION, zero)
    most = friction * stuck[0]
    within = two(stuck[1], stuck[1], stuck[2], stuck[2]) <= most * most
    slides = select(stuck[0] > 0.0, select(within, zero, moves), moves)
    if somewhere(slides > 0.0):
        G = load6(sim.work, record + NEAR_GAIN, zero)
        begin = load(sim.work, record + NEAR_TURNED, zero)
        r = sub3(v, times(G, p))
        n, x, y, lam = slide(G, r, friction, p, begin, zero)
        if load(sim.memory, integer(sim.plan, M_NEAR) + a * NM_NUMBERS + NM_STEEP, 0.0) > 0.0:
            steep = select(slides > 0.0, is_steep(G, friction, zero), zero)
            found = slide_steeply(G, r, friction, p, steep, begin, zero)
            n, x, y, lam = (
                select(steep > 0.0, found[0], n),
                select(steep > 0.0, found[1], x),
                select(steep > 0.0, found[2], y),
                select(steep > 0.0, found[3], lam),
            )
        store(sim.work, record + NEAR_TURNED, select(slides > 0.0, lam, begin))
        e = sub3((n, x, y), p)
        d = (select(slides > 0.0, e[0], d[0]), select(slides > 0.0, e[1], d[1]), select(slides > 0.0, e[2], d[2]))
    return where(moves, d, zero)


@inner
def solve_bounded(sim, a, sort, still, zero):
    """The same at a place that gives up to so much: dry friction of a joint, resistance to turning and rolling."""
    record = near_record(sim, a)
    p, G, free = (
        load3(sim.work, record + NEAR_IMPULSE, zero),
        load6(sim.work, record + NEAR_GAIN, zero),
        load3(sim.work, record + NEAR_FREE, zero),
    )
    change, own, mask = change_speed(sim, a, zero), times(G, p), load(sim.work, record + NEAR_MASK, zero)
    most, x, y = load(sim.work, record + NEAR_FRICTION, zero), zero, zero
    r = (free[0] + change[0] - own[0], free[1] + change[1] - own[1], free[2] + change[2] - own[2])
    if sort == TOUCH_TURN:
        owner = int(load(sim.memory, integer(sim.plan, M_NEAR) + a * NM_NUMBERS + NM_OWNER, 0.0))
        N = load(sim.work, near_record(sim, owner) + NEAR_IMPULSE, zero)
        most = most * N
        s = (fused(-G[1], p[0], -r[1]), fused(-G[2], p[0], -r[2]))
        safe = G[0], G[1], G[2], G[3] + (1.0 - mask), G[4] + (1.0 - mask), G[5]
        begin = load(sim.work, record + NEAR_TURNED, zero)
        x, y, lam = on_disc(safe, s, load(sim.work, record + NEAR_TARGET, zero) * N, begin, zero)
        store(sim.work, record + NEAR_TURNED, select(still > 0.0, lam, begin))
    gain = select(mask > 0.0, G[0], zero + 1.0)
    n = clamp(-fused(G[2], y, fused(G[1], x, r[0])) / gain, most, zero)
    return where(still, sub3((n, x, y), p), zero)


# --- all places -------------------------------------------------------------------------------------------------------


@inner
def change_place(sim, a, share, still, zero):
    """Change of impulses of the near place a, which go into its record and z; whether there may be any.

    `still`: which share of it is taken; 0 in lanes that look for theirs no more.
    """
    record = near_record(sim, a)
    sort = int(load(sim.memory, integer(sim.plan, M_NEAR) + a * NM_NUMBERS + NM_SORT, 0.0))
    if not somewhere(still > 0.0) or (sort < TOUCH_JOINT and stays_open(sim, a, share, still, zero)):
        return False, (zero, zero, zero)
    if sort < TOUCH_JOINT:
        d = solve_place(sim, a, share, still, zero)
    else:
        d = solve_bounded(sim, a, sort, still, zero)
    d = scale3(still, d)
    store3(sim.work, record + NEAR_IMPULSE, add3(load3(sim.work, record + NEAR_IMPULSE, zero), d))
    add_impulse_of(sim, a, d, zero)
    return True, d


@inner
def sweep(sim, many, share, active, turn, zero):
    """Once through all places; the largest change of a velocity, the sum of changes along the last ones, of squares.

    Of `EVERY` sweeps the first, with turn 0, keeps no changes, and only the last looks at those before.
    """
    most, along, size = zero, zero, zero
    for a in range(many):
        record, about = near_record(sim, a), integer(sim.plan, M_NEAR) + a * NM_NUMBERS
        still = select(load(sim.work, record + NEAR_MASK, zero) > 0.0, active, zero)
        some, d = change_place(sim, a, share, still, zero)
        if some:
            g = (
                load(sim.work, record + NEAR_GAIN, zero),
                load(sim.work, record + NEAR_GAIN + 3, zero),
                load(sim.work, record + NEAR_GAIN + 4, zero),
            )
            change, gd = (
                dot3(g, (magnitude(d[0]), magnitude(d[1]), magnitude(d[2]))),
                (g[0] * d[0], g[1] * d[1], g[2] * d[2]),
            )
            most = select(change <= most, most, change)
            if turn == EVERY - 1 and load(sim.memory, about + NM_MOVED, 0.0) > 0.0:
                along += dot3(gd, load3(sim.work, record + NEAR_CHANGE, zero))
            if turn > 0:
                size += dot3(gd, d)
                store3(sim.work, record + NEAR_CHANGE, d)
        if turn > 0:
            store(sim.memory, about + NM_MOVED, 1.0 if some else 0.0)
    return most, along, size


@inner
def go_on(sim, many, ratio, share, zero):
    """Where changes shrink slowly, by a ratio from sweep to sweep, go at once where they lead, within the cones."""
    ratio = select(ratio > 0.0, select(ratio < SLOWEST, ratio, zero + SLOWEST), zero)
    more = share * ratio / (1.0 - ratio)
    for a in range(many):
        record, about = near_record(sim, a), integer(sim.plan, M_NEAR) + a * NM_NUMBERS
        sort, moved = load(sim.memory, about + NM_SORT, 0.0), load(sim.memory, about + NM_MOVED, 0.0)
        if sort >= 1.0 * TOUCH_JOINT or moved == 0.0:
            continue  # the next sweep brings it within what it can give; or there is no change to follow
        p, d = load3(sim.work, record + NEAR_IMPULSE, zero), load3(sim.work, record + NEAR_CHANGE, zero)
        goes = select(magnitude(d[0]) + magnitude(d[1]) + magnitude(d[2]) > 0.0, more, zero)
        if somewhere(goes > 0.0):
            n, x, y = fused3(more, d, p)
            n = select(n > 0.0, n, zero)
            limit, square, fit = load(sim.work, record + NEAR_FRICTION, zero) * n, two(x, x, y, y), zero + 1.0
            outside = select(square <= limit * limit, zero, goes)
            if somewhere(outside > 0.0):
                fit = select(outside > 0.0, limit / sqrt(select(outside > 0.0, square, fit)), fit)
            found = (
                select(goes > 0.0, n, p[0]),
                select(goes > 0.0, fused(fit, x, zero), p[1]),
                select(goes > 0.0, fused(fit, y, zero), p[2]),
            )
            store3(sim.work, record + NEAR_IMPULSE, found)
            add_impulse_of(sim, a, sub3(found, p), zero)


@outlined
def iterate_impulses(sim, many, share, active, zero):
    """Sweep until velocities change no more, robot by robot, or as often as the method allows; oftener from nothing.

    Returns what a sweep still changed where they were not enough, else zero; and the largest velocity to begin with.
    """
    constants = integer(sim.plan, N_METHOD)
    close, sweeps = load(sim.numbers, constants + 1, 0.0), int(load(sim.numbers, constants + 2, 0.0))
    fastest, known = zero, zero
    for a in range(many):
        known += load(sim.work, near_record(sim, a) + NEAR_IMPULSE, zero)
        v, mask = (
            load3(sim.work, near_record(sim, a) + NEAR_FREE, zero),
            load(sim.work, near_record(sim, a) + NEAR_MASK, zero),
        )
        size = mask * (magnitude(v[0]) + magnitude(v[1]) + magnitude(v[2]))
        fastest = select(size > fastest, size, fastest)
        store(sim.memory, integer(sim.plan, M_NEAR) + a * NM_NUMBERS + NM_MOVED, 0.0)
    most = select(known > 0.0, zero + 1.0 * sweeps, zero + COLD * sweeps)
    done, going, before, last, left, bold, taken = 0, True, zero, zero, zero, zero + 1.0, zero + 1.0
    while going:
        change, along, size = sweep(sim, many, share, select(active > 0.0, taken, zero), done % EVERY, zero)
        change = change / taken
        if done > 0 and done % EVERY == 0:
            bold = select(change > AWAY * last, LESS * bold, bold)
        last = change
        done += 1
        slow = select(change > close * fastest, active, zero)
        active = select(most > 1.0 * done, slow, zero)
        left = select(slow > active, change, left)
        going = somewhere(active > 0.0)
        if going and done % EVERY == 0:
            some = before > 0.0
            ratio = select(some, along / select(some, before, zero + 1.0), zero)
            go_on(sim, many, ratio, select(active > 0.0, bold, zero), zero)
            taken = select(ratio < BACK, select(taken > LEAST_SHARE, 0.5 * taken, taken), taken)
        before = size
    return left, fastest


@inner
def energy_gained(sim, many, zero):
    """Energy that all impulses give, p.(v_free + v) / 2, and the size of what it is a sum of."""
    gained, size = zero, zero
    for a in range(many):
        record, change = near_record(sim, a), change_speed(sim, a, zero)
        p, free = load3(sim.work, record + NEAR_IMPULSE, zero), load3(sim.work, record + NEAR_FREE, zero)
        half = fused3(0.5, change, free)
        gained += dot3(p, half)
        size += magnitude(p[0] * half[0]) + magnitude(p[1] * half[1]) + magnitude(p[2] * half[2])
    return gained, size


@inner
def begin_impulses(sim, many, zero):
    """z of the impulses that places begin with."""
    z = impulses_at(sim)
    for k in range(integer(sim.tree, RATES)):
        store(sim.work, z + k, zero)
    for a in range(many):
        add_impulse_of(sim, a, load3(sim.work, near_record(sim, a) + NEAR_IMPULSE, zero), zero)


@inner
def keep_impulses(sim, many, zero):
    """Keep impulses and z beside the present ones, which stay."""
    z, nv = impulses_at(sim), integer(sim.tree, RATES)
    for k in range(nv):
        store(sim.work, z + nv + k, load(sim.work, z + k, zero))
    for a in range(many):
        store3(sim.work, near_record(sim, a) + NEAR_KEPT, load3(sim.work, near_record(sim, a) + NEAR_IMPULSE, zero))


@inner
def mix(sim, many, part, zero):
    """That part of the kept impulses and the rest of the present ones."""
    z, nv = impulses_at(sim), integer(sim.tree, RATES)
    for k in range(nv):
        now, kept = load(sim.work, z + k, zero), load(sim.work, z + nv + k, zero)
        store(sim.work, z + k, now + part * (kept - now))
    for a in range(many):
        for j in range(3):
            at = near_record(sim, a) + NEAR_IMPULSE + j
            now, kept = load(sim.work, at, zero), load(sim.work, at + NEAR_KEPT - NEAR_IMPULSE, zero)
            store(sim.work, at, now + part * (kept - now))


@outlined
def give_no_energy(sim, many, zero):
    """Where impulses that bounce would add energy, take so much of those that bounce nowhere that none is added.

    Energy is a convex function along the way between both, and the latter add none.
    """
    gained, size = energy_gained(sim, many, zero)
    bad = select(gained > GAINED * size, zero + 1.0, zero)
    if not somewhere(bad > 0.0):
        return
    keep_impulses(sim, many, zero)  # those that bounce
    iterate_impulses(sim, many, zero, bad, zero)  # to those that do not, in lanes where it matters
    dull, _ = energy_gained(sim, many, zero)
    z, nv, across = impulses_at(sim), integer(sim.tree, RATES), zero
    for k in range(nv):
        d = load(sim.work, z + nv + k, zero) - load(sim.work, z + k, zero)
        across += d * d
    # energy at a part s of the way: dull + s b + s^2 across / 2, with the whole way giving `gained`
    b = gained - dull - 0.5 * across
    low = select(dull < 0.0, dull, zero)
    root = sqrt(two(b, b, -2.0 * across, low))
    part = -2.0 * low / select(b + root > NOTHING, b + root, zero + 1.0)
    part = select(part < 1.0, part, zero + 1.0)
    mix(sim, many, select(bad > 0.0, part, zero), zero)
    hold_back(sim, many, bad, zero)


@inner
def hold_back(sim, many, bad, zero):
    """Where sweeps have ended too soon for that, shrink impulses until they add no energy: p.v_free + z.z / 2."""
    z, nv, along, square = impulses_at(sim), integer(sim.tree, RATES), zero, zero
    for a in range(many):
        record = near_record(sim, a)
        along += dot3(load3(sim.work, record + NEAR_IMPULSE, zero), load3(sim.work, record + NEAR_FREE, zero))
    for k in range(nv):
        square += load(sim.work, z + k, zero) * load(sim.work, z + k, zero)
    part = select(square > 0.0, -2.0 * along / select(square > 0.0, square, zero + 1.0), zero + 1.0)
    part = select(part < 1.0, select(part > 0.0, part, zero), zero + 1.0)
    for k in range(nv):
        store(sim.work, z + nv + k, zero)
    for a in range(many):
        store3(sim.work, near_record(sim, a) + NEAR_KEPT, (zero, zero, zero))
    mix(sim, many, select(bad > 0.0, 1.0 - part, zero), zero)


@inner
def raise_to(sim, at, value, zero):
    """The larger one of a number in work and a value."""
    known = load(sim.work, at, zero)
    store(sim.work, at, select(value > known, value, known))


@outlined
def find_impulses(sim, many, target, zero):
    """Impulses of all near places, into their records, and z; what sweeps leave, into the new vector."""
    begin_impulses(sim, many, zero)
    left, fastest = iterate_impulses(sim, many, zero + 1.0, zero + 1.0, zero)
    at = target + integer(sim.plan, CONTACT_ERROR)
    raise_to(sim, at, left, zero)
    raise_to(sim, at + 1, fastest, zero)
    give_no_energy(sim, many, zero)
