"""A spherical planet's gravity on every body, to the second order in size over distance.

    U = -mu m / r - mu (tr J - 3 e'J e) / (2 r^3),   e = r / |r|
    f = -grad U,   n = 3 mu e x J e / r^3

J is a body's inertia about its centre of mass. Between bodies the gradient comes by itself; within one it is n, and the
small part of f. All that it stores is energy: nothing is lost, and no work is done by it.
"""

from ..robot.layout import *  # noqa: F403
from ..robot.segments import origin_of
from ..robot.spatial import add3, apply_symmetric, cross, dot3, load3, scale3, shared3, sub3
from ..scalar.compiling import inner
from ..scalar.memory import integer
from ..scalar.pack import sqrt
from ..sim.layout import *  # noqa: F403
from .carried import feel_field, feel_gradient
from .kind import kind, parameter, push_body, stored, weigh

MU, CENTRE = 0, 1  # its numbers


@kind
def central_gravity(sim, e, t, y, k, zero):
    """Pull every body towards the centre."""
    mu, energy = parameter(sim, e, MU, zero), zero
    from_centre = sub3(
        load3(sim.work, integer(sim.tree, W_X), zero),
        shared3(sim.numbers, integer(sim.plan, e + E_NUMBERS) + CENTRE, zero),
    )
    for i in range(integer(sim.tree, BODIES)):
        m, c, J = weigh(sim, i, zero)
        r = add3(from_centre, add3(origin_of(sim.tree, sim.work, i, zero), c))
        near = 1.0 / dot3(r, r)
        one = sqrt(near)
        along = scale3(one, r)
        Ja, trace = apply_symmetric(J, along), J[0] + J[1] + J[2]
        spread, pull = dot3(along, Ja), mu * near
        size = pull * (m + near * (1.5 * trace - 7.5 * spread))
        f = sub3(scale3(-size, along), scale3(3.0 * pull * near, Ja))
        n = scale3(3.0 * pull * one, cross(along, Ja))
        push_body(sim, i, f, n, c, zero)
        feel_field(sim, i, scale3(-pull, along), -mu * one, zero)
        feel_gradient(sim, i, gradient(pull * one, along), zero)
        energy -= mu * one * (m + 0.5 * near * (trace - 3.0 * spread))
    stored(sim, e, energy)


@inner
def gradient(rate, e):
    """rate (3 e e' - 1), as a symmetric matrix."""
    return (
        rate * (3.0 * e[0] * e[0] - 1.0),
        rate * (3.0 * e[1] * e[1] - 1.0),
        rate * (3.0 * e[2] * e[2] - 1.0),
        3.0 * rate * e[0] * e[1],
        3.0 * rate * e[0] * e[2],
        3.0 * rate * e[1] * e[2],
    )
