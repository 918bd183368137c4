"""Gravity near a circular orbit, linear in the distance from it: Clohessy and Wiltshire's equations for every body.

In axes that turn with the orbit (x up, y ahead, z along its normal), at d with velocity v relative to them:

    a = n^2 (3 x, 0, -z) - 2 n z x v

in axes that do not turn, with e(t) up:

    a = n^2 (3 e e.d - d)

Within a body, of second moments M = tr J / 2 - J, this is the moment of the field's gradient G, int rho x G rho dm,
and in turning axes that of Coriolis' force, 2 w x (M n z). Clohessy & Wiltshire 1960; Hughes 1986, Spacecraft attitude
dynamics, 8.1. In turning axes the field has a potential, which is stored; otherwise it does work.
"""

from ..robot.layout import *  # noqa: F403
from ..robot.spatial import add3, apply_symmetric, cross, dot3, scale3, sub3
from ..scalar.compiling import inner
from ..scalar.memory import integer
from ..scalar.trigonometry import sincos
from ..sim.layout import *  # noqa: F403
from .carried import feel_field, feel_gradient
from .falling import place_in_frame, power_of_field, symmetric
from .kind import (
    angular_velocity,
    kind,
    momentum_within,
    own,
    parameter,
    push_body,
    stored,
    vector,
    velocity,
    weigh,
    work_done,
)

MODE = 0  # its integer
TURNING, STILL, ABOUT_COM = range(3)  # modes: axes that turn, axes that do not, the same less the force on the whole
RATE, UP, AHEAD = 0, 1, 4  # its numbers: of the orbit; up and ahead at t = 0


@inner
def push_in_turning_axes(sim, n, i, weighed, zero):
    """Push body i; its energy."""
    m, c, J = weighed
    d, w = place_in_frame(sim, i, c, zero), angular_velocity(sim, i, zero)
    v = add3(velocity(sim, i, c, zero), scale3(1.0 / m, momentum_within(sim, i, zero)))
    nn = n * n
    a = 3.0 * nn * d[0] + 2.0 * n * v[1], -2.0 * n * v[0], -nn * d[2]
    of_field = scale3(nn, (J[5], -4.0 * J[4], 3.0 * J[3]))
    half = 0.5 * (J[0] + J[1] + J[2])
    M = scale3(n, (-J[4], -J[5], half - J[2]))  # M times the orbit's rate
    push_body(sim, i, scale3(m, a), add3(of_field, scale3(2.0, cross(w, M))), c, zero)
    feel_field(sim, i, a, 0.5 * nn * (d[2] * d[2] - 3.0 * d[0] * d[0]), zero)
    two = 2.0 * n
    feel_gradient(  # of the place, and of the velocity w x b there: -2 n z x (w x b) = -2 n (w z' - w.z) b
        sim,
        i,
        (
            3.0 * nn + two * w[2], zero, -two * w[0],
            zero, two * w[2], -two * w[1],
            zero, zero, -nn,
        ),
        zero,
    )  # fmt: skip
    square = 3.0 * (m * d[0] * d[0] + half - J[0]) - (m * d[2] * d[2] + half - J[2])
    return -0.5 * nn * square


@inner
def centre_in_frame(sim, zero):
    """The robot's centre of mass."""
    total, sum3 = zero, (zero, zero, zero)
    for i in range(integer(sim.tree, BODIES)):
        m, c, _ = weigh(sim, i, zero)
        total += m
        sum3 = add3(sum3, scale3(m, place_in_frame(sim, i, c, zero)))
    return scale3(1.0 / total, sum3)


@kind
def hill_frame(sim, e, t, y, k, zero):
    """Push every body."""
    n, mode = parameter(sim, e, RATE, zero), own(sim, e, MODE)
    if mode == TURNING:
        energy = zero
        for i in range(integer(sim.tree, BODIES)):
            energy += push_in_turning_axes(sim, n, i, weigh(sim, i, zero), zero)
        stored(sim, e, energy)
        return
    sine, cosine = sincos(n * t)
    up = add3(scale3(cosine, vector(sim, e, UP, zero)), scale3(sine, vector(sim, e, AHEAD, zero)))
    origin, power = (zero, zero, zero), zero
    if mode == ABOUT_COM:
        origin = centre_in_frame(sim, zero)
    for i in range(integer(sim.tree, BODIES)):
        m, c, J = weigh(sim, i, zero)
        d = sub3(place_in_frame(sim, i, c, zero), origin)
        a = scale3(n * n, sub3(scale3(3.0 * dot3(up, d), up), d))
        f = scale3(m, a)
        moment = scale3(3.0 * n * n, cross(up, apply_symmetric(J, up)))
        push_body(sim, i, f, moment, c, zero)
        feel_field(sim, i, a, zero, zero)
        feel_gradient(sim, i, symmetric(zero - n * n, zero + 3.0 * n * n, up), zero)
        power += power_of_field(sim, i, a, f, moment, c, zero)
    work_done(sim, e, k, power)
