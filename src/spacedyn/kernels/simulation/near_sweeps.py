"""Block Gauss-Seidel sweeps over all near places, with extrapolation, until impulses change no velocity.

v = v_free + W z needs z alone, so the cost of a sweep is the number of entries of all columns.
"""

from ..robot.layout import *  # noqa: F403
from ..robot.spatial import fused3, load3, store3, sub3
from ..scalar.compiling import inner, outlined
from ..scalar.fused_vectors import dot3, two
from ..scalar.memory import integer, load, store
from ..scalar.pack import fused, magnitude, select, somewhere, sqrt
from ..sim.layout import *  # noqa: F403
from .near_columns import near_record
from .near_sums import add_impulse_of
from .near_visit import change_place

LAST = 6  # number of final sweeps without extrapolation, which repair an extrapolation that went astray
EVERY, SLOWEST = 3, 0.999  # sweeps between extrapolations; the largest ratio of changes that is trusted
AWAY, LESS = 1.0, 0.25  # if a change exceeds AWAY times the last, extrapolation is shortened by the factor LESS
BACK, LEAST_SHARE = -0.5, 0.2  # a ratio below BACK shows oscillation: changes are halved, while above LEAST_SHARE
COLD = 10.0  # factor of the most sweeps if all impulses start from zero


@inner
def sweep(sim, many, share, active, turn, zero):
    """One sweep over all places: largest change of a velocity, products of changes with the last ones, their squares.

    Of EVERY sweeps, the first (turn 0) stores no changes, and only the last multiplies its changes by stored ones.
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
    """Extrapolate changes that shrink by a ratio from sweep to sweep to their limit, within the friction cones."""
    ratio = select(ratio > 0.0, select(ratio < SLOWEST, ratio, zero + SLOWEST), zero)
    more = share * ratio / (1.0 - ratio)
    for a in range(many):
        record, about = near_record(sim, a), integer(sim.plan, M_NEAR) + a * NM_NUMBERS
        sort, moved = load(sim.memory, about + NM_SORT, 0.0), load(sim.memory, about + NM_MOVED, 0.0)
        if sort >= 1.0 * TOUCH_JOINT or moved == 0.0:
            continue  # sorts without a cone, or no change to extrapolate
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
    """Sweep until velocities no longer change, robot by robot, or until the method's most sweeps (times COLD).

    Returns the last change of a velocity where sweeps did not converge, else zero; and the largest initial velocity.
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
            grown = select(2.0 * bold < 1.0, 2.0 * bold, zero + 1.0)
            bold = select(change > AWAY * last, LESS * bold, grown)
        last = change
        done += 1
        slow = select(change > close * fastest, active, zero)
        active = select(most > 1.0 * done, slow, zero)
        left = select(slow > active, change, left)
        going = somewhere(active > 0.0)
        if going and done % EVERY == 0:
            some = before > 0.0
            ratio = select(some, along / select(some, before, zero + 1.0), zero)
            goes = select(most > 1.0 * (done + LAST), select(active > 0.0, bold, zero), zero)
            go_on(sim, many, ratio, goes, zero)
            taken = select(ratio < BACK, select(taken > LEAST_SHARE, 0.5 * taken, taken), taken)
        before = size
    return left, fastest
