"""A constant force and moment on a body, for a while or throughout."""

from ..robot.spatial import add3, dot3, turn
from .kind import (
    acts,
    angular_velocity,
    kind,
    lever,
    own,
    push_body,
    record_wrench,
    rotation,
    vector,
    velocity,
    work_done,
)

BODY, AXES = range(2)  # its integers: the body; the one whose axes force and moment are in, -1: inertial ones
POINT, FORCE_, MOMENT = 0, 3, 6  # its numbers


@kind
def wrench(sim, e, t, y, k, zero):
    """f at a point of a body, n beside it."""
    i, axes = own(sim, e, BODY), own(sim, e, AXES)
    f, n, power = (zero, zero, zero), (zero, zero, zero), zero
    if acts(sim, e):
        f, n = add3(f, vector(sim, e, FORCE_, zero)), add3(n, vector(sim, e, MOMENT, zero))
        if axes >= 0:
            R = rotation(sim, axes, zero)
            f, n = turn(R, f), turn(R, n)
        r = lever(sim, i, vector(sim, e, POINT, zero), zero)
        power = dot3(f, velocity(sim, i, r, zero)) + dot3(n, angular_velocity(sim, i, zero))
        push_body(sim, i, f, n, r, zero)
    record_wrench(sim, e, 0, f, n)
    work_done(sim, e, k, power)
