"""Gravity on bodies, and on the freely falling origin of the frame, if a simulation has one.

    a body at d from an origin at R (from the planet):  f = m (g(R + d) - g(R)),   R'' = g(R)

Differences of 1/r^2 are taken by Encke's form, in which nothing cancels: with q = d.(d + 2 R) / R^2,

    g(R + d) - g(R) = -mu/R^3 [((1 + q)^-3/2 - 1) R + (1 + q)^-3/2 d]

Battin (1999), An introduction to the mathematics and methods of astrodynamics, (8.61). Without an origin R = 0, and
forces are those at d.
"""

from ..robot.layout import *  # noqa: F403
from ..robot.segments import origin_of
from ..robot.spatial import add3, apply_symmetric, cross, dot3, load3, scale3, store3, sub3
from ..scalar.compiling import inner
from ..scalar.memory import integer
from ..scalar.pack import sqrt
from ..sim.layout import *  # noqa: F403
from .kind import angular_velocity, momentum_within, velocity


@inner
def falls(sim):
    """Whether the frame's origin falls freely: its orbit is a state of an element."""
    return integer(sim.plan, ORIGIN) > 0


@inner
def origin_place(sim, y):
    """Place of the origin's position, followed by its velocity, in a vector of the form of y."""
    return y + 2 * integer(sim.tree, RATES) + integer(sim.plan, ORIGIN) - 1


@inner
def origin_position(sim, y, zero):
    """Where the frame's origin is, from the planet."""
    if falls(sim):
        return load3(sim.work, origin_place(sim, y), zero)
    return zero, zero, zero


@inner
def origin_velocity(sim, y, zero):
    """How fast the frame's origin moves."""
    if falls(sim):
        return load3(sim.work, origin_place(sim, y) + 3, zero)
    return zero, zero, zero


@inner
def let_origin_fall(sim, k, a, zero):
    """Add an acceleration to those of the origin."""
    at = origin_place(sim, k) + 3
    store3(sim.work, at, add3(load3(sim.work, at, zero), a))


@inner
def place_in_frame(sim, i, c, zero):
    """Where body i's point at c is in the frame."""
    return add3(load3(sim.work, integer(sim.tree, W_X), zero), add3(origin_of(sim.tree, sim.work, i, zero), c))


@inner
def power_of(sim, i, f, n, c, zero):
    """Power of a force at body i's point at c, and of a moment."""
    return dot3(f, velocity(sim, i, c, zero)) + dot3(n, angular_velocity(sim, i, zero))


@inner
def power_of_field(sim, i, a, f, n, c, zero):
    """Power of a gravity field on body i; its acceleration a acts on masses that move on the body, too."""
    return power_of(sim, i, f, n, c, zero) + dot3(a, momentum_within(sim, i, zero))


@inner
def pull_of_point(mu, r):
    """Acceleration at r from a point mass: -mu r / r^3."""
    near = 1.0 / dot3(r, r)
    return scale3(-mu * near * sqrt(near), r)


@inner
def gradient_of_point(mu, r):
    """Gradient of `pull_of_point`: mu / r^3 (3 e e' - 1)."""
    near = 1.0 / dot3(r, r)
    rate = mu * near * sqrt(near)
    return symmetric(-rate, 3.0 * rate * near, r)


@inner
def symmetric(one, square, r):
    """The matrix one 1 + square r r'."""
    s = scale3(square, r)
    return (
        one + s[0] * r[0], s[0] * r[1], s[0] * r[2],
        s[1] * r[0], one + s[1] * r[1], s[1] * r[2],
        s[2] * r[0], s[2] * r[1], one + s[2] * r[2],
    )  # fmt: skip


@inner
def both_ways(a, b):
    """The matrix a b' + b a'."""
    x, y, z = a[0] * b[1] + a[1] * b[0], a[0] * b[2] + a[2] * b[0], a[1] * b[2] + a[2] * b[1]
    return 2.0 * a[0] * b[0], x, y, x, 2.0 * a[1] * b[1], z, y, z, 2.0 * a[2] * b[2]


@inner
def pull_by_difference(mu, R, d):
    """Acceleration at R + d less that at R, from a point mass: Encke's form."""
    near = 1.0 / dot3(R, R)
    q = dot3(d, add3(d, scale3(2.0, R))) * near
    root = sqrt(1.0 + q)
    cube = (1.0 + q) * root
    less = -q * (3.0 + q * (3.0 + q)) / ((1.0 + cube) * cube)  # (1 + q)^-3/2 - 1
    return scale3(-mu * near * sqrt(near), add3(scale3(less, R), scale3(1.0 / cube, d)))


@inner
def pull_of_sphere(mu, m, J, r):
    """Force, moment and energy of a body at r of mass m and inertia J: to the second order in size over distance."""
    near = 1.0 / dot3(r, r)
    one = sqrt(near)
    along = scale3(one, r)
    Ja, trace = apply_symmetric(J, along), J[0] + J[1] + J[2]
    spread, pull = dot3(along, Ja), mu * near
    size = pull * (m + near * (1.5 * trace - 7.5 * spread))
    f = sub3(scale3(-size, along), scale3(3.0 * pull * near, Ja))
    n = scale3(3.0 * pull * one, cross(along, Ja))
    return f, n, -mu * one * (m + 0.5 * near * (trace - 3.0 * spread))


@inner
def potential_of_point(mu, r):
    """Potential at r of a point mass: -mu / r."""
    return -mu / sqrt(dot3(r, r))
