"""Impulses of all places that are near: Coulomb's law at each, by block Gauss and Seidel from those felt last.

    p_n >= 0,  v_n >= w,  p_n (v_n - w) = 0;   |p_t| <= mu p_n,   p_t = -mu p_n v_t / |v_t| where v_t is not zero

v = v_free + W z is known by z alone, so a sweep costs as much as the columns have entries. Of one place the law is
solved as it stands: it sticks (three linear equations) if that is within the cone; else it slides, with the tangential
impulse on the disc of mu p_n that opposes v_t (a secular equation, by Newton's method from below).
"""

from ..robot.layout import *  # noqa: F403
from ..robot.spatial import dot3, load3, load6, store3, sub3
from ..scalar.compiling import inner, outlined
from ..scalar.memory import integer, load, store
from ..scalar.pack import magnitude, select, somewhere, sqrt
from ..sim.layout import *  # noqa: F403
from .near_columns import near_column, near_record, path_of

INNER, NEWTON = 2, 8
SLACK = 1.0 + 1e-13  # of the square of a disc's radius
NOTHING = 1e-200
EVERY, SLOWEST = 3, 0.999  # sweeps until one that goes on; the largest ratio that is relied on
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
def change_speed(sim, a, zero):
    """W z of the near place a."""
    z, column, path = impulses_at(sim), near_column(sim, a), path_of(sim, a)
    n, x, y = zero, zero, zero
    for j in range(count_of(sim, a)):
        value = load(sim.work, z + int(load(sim.memory, path + j, 0.0)), zero)
        w = load3(sim.work, column + 3 * j, zero)
        n, x, y = n + w[0] * value, x + w[1] * value, y + w[2] * value
    return n, x, y


@inner
def add_impulse_of(sim, a, p, zero):
    """z + W' p."""
    z, column, path = impulses_at(sim), near_column(sim, a), path_of(sim, a)
    for j in range(count_of(sim, a)):
        at, w = z + int(load(sim.memory, path + j, 0.0)), load3(sim.work, column + 3 * j, zero)
        store(sim.work, at, load(sim.work, at, zero) + dot3(w, p))


@inner
def times(G, p):
    """A symmetric matrix (nn, n1, n2, 11, 22, 12) times three numbers."""
    return (
        G[0] * p[0] + G[1] * p[1] + G[2] * p[2],
        G[1] * p[0] + G[3] * p[1] + G[5] * p[2],
        G[2] * p[0] + G[5] * p[1] + G[4] * p[2],
    )


# --- one place --------------------------------------------------------------------------------------------------------


@inner
def on_disc(G, s, limit, zero):
    """The p_t on a disc that makes p.G p / 2 - s.p least: (G + lam) p = s, |p| = limit, or lam = 0 within."""
    a, b, c = G[3], G[4], G[5]
    some = limit > NOTHING
    safe = select(some, limit, zero + 1.0)
    half = 0.5 * (a - b)
    lam = sqrt(s[0] * s[0] + s[1] * s[1]) / safe - (0.5 * (a + b) + sqrt(half * half + c * c))
    lam = select(lam > 0.0, lam, zero)
    x, y, square, steps, going = zero, zero, zero, 0, True
    while going:
        A, B = a + lam, b + lam
        k = 1.0 / (A * B - c * c)
        x, y = k * (B * s[0] - c * s[1]), k * (A * s[1] - c * s[0])
        square = x * x + y * y
        outside = select(some, square - SLACK * safe * safe, zero - 1.0)
        going = steps < NEWTON and somewhere(outside > 0.0)  # from below: it is outside until it is found
        if going:
            steps += 1
            bend = k * (x * (B * x - c * y) + y * (A * y - c * x))
            bend = select(outside > 0.0, bend, zero + 1.0)
            more = square * (sqrt(square) - safe) / (safe * bend)
            lam = lam + select(outside > 0.0, more, zero)
    share = select(square > safe * safe, safe / sqrt(select(square > NOTHING, square, zero + 1.0)), zero + 1.0)
    share = select(some, share, zero)
    return share * x, share * y


@inner
def slide(G, r, friction, p, zero):
    """Impulses of a place that slides or lets go, with the velocity r that it has without them."""
    n, x, y = p
    rounds, going = 0, True
    while going:
        new = -(r[0] + G[1] * x + G[2] * y) / G[0]
        new = select(new <= 0.0, zero, new)  # what is no number stays, so that the run ends
        rounds += 1
        # once, if normal and tangential impulses do not know of each other
        going = rounds == 1 or (rounds <= INNER and somewhere(magnitude(new - n) > 0.0))
        if going:
            n, x, y = new, zero, zero
            if somewhere(friction * n > NOTHING):
                x, y = on_disc(G, (-r[1] - G[1] * n, -r[2] - G[2] * n), friction * n, zero)
    return n, x, y


@inner
def solve_place(sim, a, share, zero):
    """Impulses by Coulomb's law at the near place a, with those of all others as they are; and those before."""
    record = near_record(sim, a)
    p, G, free = (
        load3(sim.work, record + NEAR_IMPULSE, zero),
        load6(sim.work, record + NEAR_GAIN, zero),
        load3(sim.work, record + NEAR_FREE, zero),
    )
    change, own = change_speed(sim, a, zero), times(G, p)
    least = load(sim.work, record + NEAR_TARGET, zero)
    least = select(least > 0.0, share * least, least)
    r = (free[0] + change[0] - own[0] - least, free[1] + change[1] - own[1], free[2] + change[2] - own[2])
    stuck = times(load6(sim.work, record + NEAR_INVERSE, zero), (-r[0], -r[1], -r[2]))
    friction = load(sim.work, record + NEAR_FRICTION, zero)
    most = friction * stuck[0]
    sticks = select(stuck[0] > 0.0, most * most - stuck[1] * stuck[1] - stuck[2] * stuck[2], zero - 1.0)
    mask = load(sim.work, record + NEAR_MASK, zero)
    if somewhere(select(mask > 0.0, sticks, zero) < 0.0):
        safe = select(mask > 0.0, G[0], zero + 1.0), G[1], G[2], G[3] + (1.0 - mask), G[4] + (1.0 - mask), G[5]
        n, x, y = slide(safe, r, friction, p, zero)
        stuck = (
            select(sticks >= 0.0, stuck[0], n),
            select(sticks >= 0.0, stuck[1], x),
            select(sticks >= 0.0, stuck[2], y),
        )
    return stuck, p, G, mask


@inner
def clamp(value, most, zero):
    """A value, or the nearest within +-most."""
    value = select(value > most, most, value)
    return select(value < zero - most, zero - most, value)


@inner
def solve_bounded(sim, a, sort, zero):
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
        s = (-r[1] - G[1] * p[0], -r[2] - G[2] * p[0])
        safe = G[0], G[1], G[2], G[3] + (1.0 - mask), G[4] + (1.0 - mask), G[5]
        x, y = on_disc(safe, s, load(sim.work, record + NEAR_TARGET, zero) * N, zero)
    gain = select(mask > 0.0, G[0], zero + 1.0)
    return (clamp(-(r[0] + G[1] * x + G[2] * y) / gain, most, zero), x, y), p, G, mask


# --- all places -------------------------------------------------------------------------------------------------------


@inner
def sweep(sim, many, share, active, zero):
    """Once through all places; the largest change of a velocity, and the ratio of changes to the last sweep's."""
    most, along, before = zero, zero, zero
    for a in range(many):
        sort = int(load(sim.memory, integer(sim.plan, M_NEAR) + a * NM_NUMBERS + NM_SORT, 0.0))
        if sort < TOUCH_JOINT:
            found, p, G, mask = solve_place(sim, a, share, zero)
        else:
            found, p, G, mask = solve_bounded(sim, a, sort, zero)
        last = load3(sim.work, near_record(sim, a) + NEAR_CHANGE, zero)
        still = select(mask > 0.0, active, zero)
        d = sub3(found, p)
        d = (select(still > 0.0, d[0], zero), select(still > 0.0, d[1], zero), select(still > 0.0, d[2], zero))
        store3(sim.work, near_record(sim, a) + NEAR_IMPULSE, (p[0] + d[0], p[1] + d[1], p[2] + d[2]))
        add_impulse_of(sim, a, d, zero)
        change = G[0] * magnitude(d[0]) + G[3] * magnitude(d[1]) + G[4] * magnitude(d[2])
        most = select(change <= most, most, change)
        along += G[0] * d[0] * last[0] + G[3] * d[1] * last[1] + G[4] * d[2] * last[2]
        before += G[0] * last[0] * last[0] + G[3] * last[1] * last[1] + G[4] * last[2] * last[2]
        store3(sim.work, near_record(sim, a) + NEAR_CHANGE, d)
    return most, select(before > 0.0, along / select(before > 0.0, before, zero + 1.0), zero)


@inner
def go_on(sim, many, ratio, active, zero):
    """Where changes shrink slowly, by a ratio from sweep to sweep, go at once where they lead, within the cones."""
    ratio = select(ratio > 0.0, select(ratio < SLOWEST, ratio, zero + SLOWEST), zero)
    more = select(active > 0.0, ratio / (1.0 - ratio), zero)
    for a in range(many):
        if load(sim.memory, integer(sim.plan, M_NEAR) + a * NM_NUMBERS + NM_SORT, 0.0) >= 1.0 * TOUCH_JOINT:
            continue  # the next sweep brings it within what it can give
        record = near_record(sim, a)
        p, d = load3(sim.work, record + NEAR_IMPULSE, zero), load3(sim.work, record + NEAR_CHANGE, zero)
        n, x, y = p[0] + more * d[0], p[1] + more * d[1], p[2] + more * d[2]
        n = select(n > 0.0, n, zero)
        limit, square = load(sim.work, record + NEAR_FRICTION, zero) * n, x * x + y * y
        inside = square <= limit * limit
        fit = select(inside, zero + 1.0, limit / sqrt(select(inside, zero + 1.0, square)))
        found = (
            select(more > 0.0, n, p[0]),
            select(more > 0.0, fit * x, p[1]),
            select(more > 0.0, fit * y, p[2]),
        )
        store3(sim.work, record + NEAR_IMPULSE, found)
        add_impulse_of(sim, a, sub3(found, p), zero)


@outlined
def iterate_impulses(sim, many, share, active, zero):
    """Sweep until velocities change no more, robot by robot, or as often as the method allows; oftener from nothing."""
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
        store3(sim.work, near_record(sim, a) + NEAR_CHANGE, (zero, zero, zero))
    most = select(known > 0.0, zero + 1.0 * sweeps, zero + COLD * sweeps)
    done, going = 0, True
    while going:
        change, ratio = sweep(sim, many, share, active, zero)
        done += 1
        active = select(change > close * fastest, active, zero)
        active = select(most > 1.0 * done, active, zero)
        going = somewhere(active > 0.0)
        if going and done % EVERY == 0:
            go_on(sim, many, ratio, active, zero)


@inner
def energy_gained(sim, many, zero):
    """Energy that all impulses give, p.(v_free + v) / 2, and the size of what it is a sum of."""
    gained, size = zero, zero
    for a in range(many):
        record, change = near_record(sim, a), change_speed(sim, a, zero)
        p, free = load3(sim.work, record + NEAR_IMPULSE, zero), load3(sim.work, record + NEAR_FREE, zero)
        half = (free[0] + 0.5 * change[0], free[1] + 0.5 * change[1], free[2] + 0.5 * change[2])
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
    root = sqrt(b * b - 2.0 * across * low)
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


@outlined
def find_impulses(sim, many, zero):
    """Impulses of all near places, into their records, and z."""
    begin_impulses(sim, many, zero)
    iterate_impulses(sim, many, zero + 1.0, zero + 1.0, zero)
    give_no_energy(sim, many, zero)
