"""A spherical planet's gravity on every body, to the second order in size over distance.

    U = -mu m / r - mu (tr J - 3 e'J e) / (2 r^3),   e = r / |r|
    f = -grad U,   n = 3 mu e x J e / r^3

J is a body's inertia about its centre of mass. Between bodies the gradient comes by itself; within one it is n, and the
small part of f. All that it stores is energy: nothing is lost, and no work is done by it. Where the frame's origin
falls (falling.py) bodies feel the difference to the origin, which changes with time: that does work instead.
"""

from ..robot.layout import *  # noqa: F403
from ..robot.spatial import add3, scale3, sub3
from ..scalar.memory import integer
from ..sim.layout import *  # noqa: F403
from .carried import feel_field, feel_gradient
from .falling import (
    falls,
    gradient_of_point,
    let_origin_fall,
    origin_position,
    place_in_frame,
    potential_of_point,
    power_of_field,
    pull_by_difference,
    pull_of_point,
    pull_of_sphere,
)
from .kind import kind, parameter, push_body, stored, vector, weigh, work_done

MU, CENTRE = 0, 1  # its numbers


@kind
def central_gravity(sim, e, t, y, k, zero):
    """Pull every body towards the centre."""
    mu, energy, power = parameter(sim, e, MU, zero), zero, zero
    R = sub3(origin_position(sim, y, zero), vector(sim, e, CENTRE, zero))
    for i in range(integer(sim.tree, BODIES)):
        m, c, J = weigh(sim, i, zero)
        d = place_in_frame(sim, i, c, zero)
        if falls(sim):
            f, n, _ = pull_of_sphere(mu, zero, J, add3(R, d))
            a = pull_by_difference(mu, R, d)
            f = add3(f, scale3(m, a))
            power += power_of_field(sim, i, a, f, n, c, zero)
            feel_field(sim, i, a, zero, zero)
        else:
            r = add3(R, d)
            f, n, U = pull_of_sphere(mu, m, J, r)
            energy += U
            feel_field(sim, i, pull_of_point(mu, r), potential_of_point(mu, r), zero)
        feel_gradient(sim, i, gradient_of_point(mu, add3(R, d)), zero)
        push_body(sim, i, f, n, c, zero)
    if falls(sim):
        let_origin_fall(sim, k, pull_of_point(mu, R), zero)
        work_done(sim, e, k, power)
    else:
        stored(sim, e, energy)
