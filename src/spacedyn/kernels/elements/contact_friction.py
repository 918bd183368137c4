"""Friction at a contact point: Coulomb's, regularised or by bristles that stick; resistance to rolling and turning.

    f = -F L / max(|F|, L),   F = kt z + s v,   L = mu(v) N,   z' = (|F| < L: v; else (-f - kt z) / s)

z is the bend of the bristles, a state of three numbers in the surface's axes: a spring kt with a damper s beside it, in
series with a slider that gives way at L. It sticks without creep, slides with exactly mu N, loses what the slider and
the damper take and no less, and needs no rate of N. Its part along the normal, where that has turned, dies out with
s / kt. A guard is |F| = L.
"""

from ..robot.spatial import add3, dot3, scale3, sub3, turn, turn_back
from ..scalar.compiling import inner
from ..scalar.pack import exponential, select, sqrt
from .contact_points import (
    BEND,
    ROLLING,
    SLIDING,
    SLOW,
    SLOW_TURN,
    STATIC,
    STICKS,
    STRIBECK,
    TORSION,
    VISCOSITY,
    choice,
    decides,
    number,
)
from .kind import rate, state


@inner
def sliding_velocity(touch):
    """Along the surface."""
    return sub3(touch.speed, scale3(dot3(touch.normal, touch.speed), touch.normal))


@inner
def friction_limit(sim, law, N, v, zero):
    """mu N, by Stribeck's curve from the static to the sliding coefficient; v is the square of the sliding speed."""
    sliding, static = number(sim, law, SLIDING, zero), number(sim, law, STATIC, zero)
    slow = number(sim, law, STRIBECK, zero)
    return N * (sliding + (static - sliding) * exponential(-v / (slow * slow)))


@inner
def regularised_friction(sim, law, normal, touch, zero):
    """Coulomb's friction, regularised below a slow speed (it creeps, but has no states): the force, the power lost."""
    v, N = sliding_velocity(touch), normal.force * touch.size
    square, slow = dot3(v, v), number(sim, law, SLOW, zero)
    f = scale3(-friction_limit(sim, law, N, square, zero) / sqrt(square + slow * slow), v)
    return f, -dot3(f, v)


@inner
def bristle_friction(sim, e, law, y, k, normal, touch, zero):
    """Friction by bristles, whose rates are written: the force, the stored energy, the power lost."""
    n, v = touch.normal, sliding_velocity(touch)
    j = law.bristles
    bend = state(sim, e, j, y, zero), state(sim, e, j + 1, y, zero), state(sim, e, j + 2, y, zero)
    z = turn(touch.S, bend)
    kt, s = number(sim, law, BEND, zero), number(sim, law, VISCOSITY, zero)
    along = dot3(n, z)
    zt = sub3(z, scale3(along, n))
    F, limit = add3(scale3(kt, zt), scale3(s, v)), friction_limit(sim, law, normal.force * touch.size, dot3(v, v), zero)
    square = dot3(F, F)
    sign = select(normal.touches > 0.5, limit * limit - square, zero - 1.0)
    sticks = decides(sim, e, law, choice(sim, law, STICKS), sign, zero) > 0.0
    share = select(sticks, zero + 1.0, limit / sqrt(square + 1e-300))
    f = scale3(share, F)
    slips = scale3(1.0 / s, sub3(f, scale3(kt, zt)))
    leak = scale3(along * kt / s, n)
    zdot = (
        select(sticks, v[0], slips[0]) - leak[0],
        select(sticks, v[1], slips[1]) - leak[1],
        select(sticks, v[2], slips[2]) - leak[2],
    )
    rates = turn_back(touch.S, zdot)
    rate(sim, e, j, k, rates[0])
    rate(sim, e, j + 1, k, rates[1])
    rate(sim, e, j + 2, k, rates[2])
    return scale3(-1.0, f), 0.5 * kt * dot3(z, z), dot3(f, v) - kt * dot3(z, zdot)


@inner
def turning_moment(sim, law, N, touch, zero):
    """Resistance to rolling and to turning about the normal; and the power lost."""
    slow, about = number(sim, law, SLOW_TURN, zero), dot3(touch.normal, touch.turning)
    rolling = sub3(touch.turning, scale3(about, touch.normal))
    roll = -N * number(sim, law, ROLLING, zero) / sqrt(dot3(rolling, rolling) + slow * slow)
    twist = -N * number(sim, law, TORSION, zero) * about / sqrt(about * about + slow * slow)
    m = add3(scale3(roll, rolling), scale3(twist, touch.normal))
    return m, -dot3(m, touch.turning)
