"""A compliant grasp: springs and dampers between two frames of two bodies, in all six directions, while engaged.

    d = R'(pb - pa) - d0,   f = R (K d + D d'),   n = k phi + c (wb - wa),   exp(phi) = rest' R' Rb

R is the attitude of the first frame, and d' = R'(vb - va) with va of the first body's point at pb. Both forces act at
pb, so the pair pushes no momentum into the robot, whatever the stiffness in each direction. d0 and rest, the pose of
the second frame in the first at which it is slack, and whether it is engaged, are states: events change them.
"""

from ..robot.kinematics import quaternion_rotation
from ..robot.passive import rotation_vector
from ..robot.segments import origin_of
from ..robot.spatial import add3, compose, cross, dot3, scale3, sub3, turn, turn_back
from ..scalar.compiling import inner
from .attitudes import quaternion_of
from .kind import (
    angular_velocity,
    channel3,
    dissipated,
    kind,
    lever,
    matrix,
    own,
    parameter,
    push_within,
    rate,
    record_wrench,
    rotation,
    state,
    stored,
    vector,
    velocity,
)

BODY, OTHER = range(2)  # its integers
POINT, OTHER_POINT, AXES, OTHER_AXES = 0, 3, 6, 15  # its numbers: places and axes of the frames, in the kernels' axes
STIFFNESS, DAMPING, TURN_STIFFNESS, TURN_DAMPING = 24, 27, 30, 31
ENGAGED, PLACE, ATTITUDE, STATES = 0, 1, 4, 8  # its states
FORCE, MOMENT = 0, 3  # its channels


@inner
def transposed(A):
    """A' of nine numbers."""
    return A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]


@inner
def each(a, b):
    """Products of components."""
    return a[0] * b[0], a[1] * b[1], a[2] * b[2]


@inner
def rest_axes(sim, e, y, zero):
    """The attitude of the second frame in the first at which it is slack."""
    return quaternion_rotation(
        state(sim, e, ATTITUDE, y, zero),
        state(sim, e, ATTITUDE + 1, y, zero),
        state(sim, e, ATTITUDE + 2, y, zero),
        state(sim, e, ATTITUDE + 3, y, zero),
    )


@kind
def grapple(sim, e, t, y, k, zero):
    """Pull both frames together, and turn them into line."""
    i, j, on = own(sim, e, BODY), own(sim, e, OTHER), state(sim, e, ENGAGED, y, zero)
    R = compose(rotation(sim, i, zero), matrix(sim, e, AXES, zero))
    S = compose(rotation(sim, j, zero), matrix(sim, e, OTHER_AXES, zero))
    a, b = lever(sim, i, vector(sim, e, POINT, zero), zero), lever(sim, j, vector(sim, e, OTHER_POINT, zero), zero)
    between = sub3(origin_of(sim.tree, sim.work, j, zero), origin_of(sim.tree, sim.work, i, zero))
    gap = add3(between, sub3(b, a))
    at = add3(a, gap)  # the second frame's point, from the first body's reference point
    place = state(sim, e, PLACE, y, zero), state(sim, e, PLACE + 1, y, zero), state(sim, e, PLACE + 2, y, zero)
    d = sub3(turn_back(R, gap), place)
    speed = turn_back(R, sub3(velocity(sim, j, b, zero), velocity(sim, i, at, zero)))
    elastic = each(vector(sim, e, STIFFNESS, zero), d)
    viscous = each(vector(sim, e, DAMPING, zero), speed)
    rest = rest_axes(sim, e, y, zero)
    N = compose(transposed(rest), compose(transposed(R), S))
    x, y_, z, w = quaternion_of(N, zero)
    phi = rotation_vector(x, y_, z, w)
    spin = turn_back(R, sub3(angular_velocity(sim, j, zero), angular_velocity(sim, i, zero)))
    stiff, damped = parameter(sim, e, TURN_STIFFNESS, zero), parameter(sim, e, TURN_DAMPING, zero)
    force = scale3(on, add3(elastic, viscous))
    moment = scale3(on, add3(scale3(stiff, turn(rest, phi)), scale3(damped, spin)))
    f, n = turn(R, force), turn(R, moment)
    back, twist = scale3(-1.0, f), scale3(-1.0, n)
    push_within(sim, i, f, n, at, zero)
    push_within(sim, j, back, twist, b, zero)
    record_wrench(sim, e, 0, f, add3(n, cross(gap, f)))
    record_wrench(sim, e, 1, back, twist)
    channel3(sim, e, FORCE, force)
    channel3(sim, e, MOMENT, moment)
    stored(sim, e, 0.5 * on * (dot3(elastic, d) + stiff * dot3(phi, phi)))
    dissipated(sim, e, k, on * (dot3(viscous, speed) + damped * dot3(spin, spin)))
    for s in range(STATES):
        rate(sim, e, s, k, zero)
