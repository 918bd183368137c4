"""Poses, velocities and accelerations of any frames on the bodies, in inertial axes.

A frame is a body, a position on it and a rotation: body frames, joints, centroids and endpoints alike.
"""

from ..scalar.compiling import entry, inner
from ..scalar.memory import integer, lanes_of, load, pointer, store, zero_of
from .descriptions import of_robots, parameters
from .kinematics import move, place
from .layout import *  # noqa: F403
from .rows import read_rows, read_state, write_rows
from .segments import origin_of, speed_of
from .spatial import add3, angular, compose, cross, linear, load3, load6, load9, shared3, shared9, store3, store9, turn

FRAME_PARS = 12  # position, rotation
POSE, TWIST = 12, 6  # scalars of a frame's pose, and of its velocity or acceleration


@inner
def base_velocity(tree, work, zero):
    """Velocity of the base's centre of mass."""
    u, base = integer(tree, W_U), integer(tree, BASE)
    if base == BASE_FREE:
        return load3(work, u, zero)
    if base == BASE_PLANAR:
        return load(work, u, zero), load(work, u + 1, zero), zero
    return zero, zero, zero


@inner
def frame_motion(tree, work, i, r, at, options, zero):
    """Velocity and acceleration of a point r on body i, from its reference point, as asked for, into `work` at `at`."""
    body = integer(tree, W_BODY) + i * BODY_WORK
    V, A = load6(work, body + VELOCITY, zero), load6(work, body + ACCELERATION, zero)
    w = angular(V)
    v = add3(linear(V), cross(w, r))  # relative to the body's segment
    if options & VELOCITIES:
        store3(work, at, add3(base_velocity(tree, work, zero), add3(speed_of(tree, work, i, zero), v)))
        store3(work, at + 3, w)
        at += TWIST
    if options & ACCELERATIONS:
        store3(work, at, add3(add3(linear(A), cross(angular(A), r)), cross(w, v)))
        store3(work, at + 3, angular(A))


@entry
def run(tree, par, work, state, udot, bodies, frames, out, count, options, kind):
    """Rows of states (and accelerations) to rows of the frames' poses, velocities, accelerations."""
    many = bodies.size
    tree, par, work, state = pointer(tree), pointer(par), pointer(work), pointer(state)
    udot, bodies, frames, out = pointer(udot), pointer(bodies), pointer(frames), pointer(out)
    zero = zero_of(kind)
    nv, rates, room = integer(tree, RATES), integer(tree, W_RATE), integer(tree, W_OUT)
    each = POSE
    if options & VELOCITIES:
        each += TWIST
    if options & ACCELERATIONS:
        each += TWIST
    for row in range(0, count, lanes_of(zero)):
        mine, table = parameters(tree, par, row), of_robots(frames, many * FRAME_PARS, row)
        read_state(tree, state, row, count, work, zero)
        place(tree, mine, work, zero)
        if each > POSE:
            for k in range(nv):
                store(work, rates + k * RATE_WORK + QDD, zero)
            if options & ACCELERATIONS:
                read_rows(udot, nv, 0, nv, row, count, work, rates + QDD, RATE_WORK, zero)
            move(tree, work, (zero, zero, zero), zero)
        origin = load3(work, integer(tree, W_X), zero)
        for f in range(many):
            i = integer(bodies, f)
            body = integer(tree, W_BODY) + i * BODY_WORK
            R = load9(work, body + ROTATION, zero)
            r = add3(load3(work, body + POSITION, zero), turn(R, shared3(table, f * FRAME_PARS, zero)))
            store3(work, room, add3(origin, add3(origin_of(tree, work, i, zero), r)))
            store9(work, room + 3, compose(R, shared9(table, f * FRAME_PARS + 3, zero)))
            if each > POSE:
                frame_motion(tree, work, i, r, room + POSE, options, zero)
            write_rows(out, many * each, f * each, each, row, count, work, room, 1, zero)
