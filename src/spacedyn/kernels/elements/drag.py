"""Viscous drag on a body: -C v at its centre of mass and -D w, with C and D fixed to the body."""

from ..robot.bodies import centre_of_mass
from ..robot.spatial import apply_symmetric, dot3, scale3, shared3, turn_symmetric
from ..scalar.memory import integer
from ..sim.layout import *  # noqa: F403
from .kind import angular_velocity, kind, own, push_body, record_wrench, rotation, velocity, work_done

BODY = 0  # its integer
LINEAR, ANGULAR = 0, 6  # its numbers: both matrices, xx yy zz xy xz yz


@kind
def drag(sim, e, t, y, k, zero):
    """Force and moment against the motion."""
    i, at = own(sim, e, BODY), integer(sim.plan, e + E_NUMBERS)
    R, r = rotation(sim, i, zero), centre_of_mass(sim.tree, sim.par, sim.work, i, zero)
    v, w = velocity(sim, i, r, zero), angular_velocity(sim, i, zero)
    C = turn_symmetric(R, shared3(sim.numbers, at + LINEAR, zero) + shared3(sim.numbers, at + LINEAR + 3, zero))
    D = turn_symmetric(R, shared3(sim.numbers, at + ANGULAR, zero) + shared3(sim.numbers, at + ANGULAR + 3, zero))
    f, n = scale3(-1.0, apply_symmetric(C, v)), scale3(-1.0, apply_symmetric(D, w))
    push_body(sim, i, f, n, r, zero)
    record_wrench(sim, e, 0, f, n)
    work_done(sim, e, k, dot3(f, v) + dot3(n, w))
