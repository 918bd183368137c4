"""Coulomb's law at one place, with the impulses of all other places fixed.

    p_n >= 0,  v_n >= w,  p_n (v_n - w) = 0;   |p_t| <= mu p_n,   p_t = -mu p_n v_t / |v_t| where v_t is not zero

The place stays open, or it sticks (three linear equations) if that is within the cone, else it slides (near_law.py).
"""

from ..robot.layout import *  # noqa: F403
from ..robot.spatial import add3, load3, load6, scale3, store3, sub3
from ..scalar.compiling import inner
from ..scalar.fused_vectors import two
from ..scalar.memory import integer, load, store
from ..scalar.pack import fused, select, somewhere
from ..sim.layout import *  # noqa: F403
from .near_columns import near_record
from .near_law import clamp, is_steep, on_disc, slide, slide_steeply, times, where
from .near_sums import add_impulse_of, change_normal, change_speed


@inner
def least_of(sim, a, share, zero):
    """Lower bound w of the normal velocity of the near place a; `share` of it where w is positive."""
    least = load(sim.work, near_record(sim, a) + NEAR_TARGET, zero)
    return select(least > 0.0, share * least, least)


@inner
def stays_open(sim, a, share, still, zero):
    """Whether the near place a has no impulses and needs none, in all lanes that are still iterated.

    For most open places a sweep does nothing else.
    """
    record = near_record(sim, a)
    p = load(sim.work, record + NEAR_IMPULSE, zero)
    if somewhere(select(still > 0.0, p, zero) > 0.0):
        return False
    normal = load(sim.work, record + NEAR_FREE, zero) + change_normal(sim, a, zero) - least_of(sim, a, share, zero)
    return not somewhere(select(needs_impulses(p, normal, zero) > 0.0, still, zero) > 0.0)


@inner
def needs_impulses(p, normal, zero):
    """1 where a place has an impulse, or closes faster than its bound, or where either is NaN."""
    return select(p > 0.0, zero + 1.0, select(normal >= 0.0, zero, zero + 1.0))


@inner
def solve_place(sim, a, share, still, zero):
    """Change of impulses by Coulomb's law at the near place a, with the impulses of all other places fixed."""
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
    """Change of impulses at a place with bounded impulses: dry friction of joints, resistance to turning or rolling."""
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


@inner
def change_place(sim, a, share, still, zero):
    """Change of impulses of the near place a, which go into its record and z; whether there may be any.

    `still`: the share of the change that is applied; 0 in lanes that are no longer iterated.
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
