"""Jacobians of points on bodies and their time rates, base and joint columns alike.

    (v; w) = J u;   a column is (S_v + S_w x r; S_w), r from the reference point of S to the point

Only rates between the body and the root have a column. SpaceDyn (3.25)-(3.28), which print revolute serial arms only.
"""

from ..scalar.compiling import entry, inner
from ..scalar.memory import integer, lanes_of, pointer, store, zero_of
from .descriptions import of_robots, parameters
from .kinematics import move, place
from .layout import *  # noqa: F403
from .rows import read_state, write_rows
from .segments import segment_before, segment_of, segment_of_rate, segment_work
from .spatial import add3, angular, cross, linear, load3, load6, load9, shared3, turn


@inner
def store_column(work, room, nv, k, v, w):
    """Column k of a 6 x nv matrix at `room`."""
    for j in range(3):
        store(work, room + j * nv + k, v[j])
        store(work, room + (3 + j) * nv + k, w[j])


@inner
def jacobian(tree, work, i, r, room, zero):
    """Jacobian of the point r of body i, from its reference point, into `work` from `room` on."""
    nv, s = integer(tree, RATES), segment_of(tree, i)
    for j in range(6 * nv):
        store(work, room + j, zero)
    k = integer(tree, integer(tree, BODY_AT) + i * BODY_INTS + LAST_RATE)
    while k >= 0:
        while s > 0 and s != segment_of_rate(tree, k):
            r = add3(r, load3(work, segment_work(tree, s) + LEVER, zero))
            s = segment_before(tree, s)
        column = load6(work, integer(tree, W_RATE) + k * RATE_WORK + S, zero)
        w = angular(column)
        store_column(work, room, nv, k, add3(linear(column), cross(w, r)), w)
        k = integer(tree, integer(tree, RATE_AT) + k * RATE_INTS + RATE_PARENT)


@inner
def jacobian_rate(tree, work, i, r, room, zero):
    """Time rate of that Jacobian; velocities must be there."""
    nv, s = integer(tree, RATES), segment_of(tree, i)
    V = load6(work, integer(tree, W_BODY) + i * BODY_WORK + VELOCITY, zero)
    speed = add3(linear(V), cross(angular(V), r))
    for j in range(6 * nv):
        store(work, room + j, zero)
    k = integer(tree, integer(tree, BODY_AT) + i * BODY_INTS + LAST_RATE)
    while k >= 0:
        while s > 0 and s != segment_of_rate(tree, k):
            r = add3(r, load3(work, segment_work(tree, s) + LEVER, zero))
            speed = add3(speed, load3(work, segment_work(tree, s) + DRIFT, zero))
            s = segment_before(tree, s)
        rate = integer(tree, W_RATE) + k * RATE_WORK
        column, turning = load6(work, rate + S, zero), load6(work, rate + SDOT, zero)
        w = angular(turning)
        v = add3(add3(linear(turning), cross(w, r)), cross(angular(column), speed))
        store_column(work, room, nv, k, v, w)
        k = integer(tree, integer(tree, RATE_AT) + k * RATE_INTS + RATE_PARENT)


@entry
def run(tree, par, work, state, bodies, points, out, count, options, kind):
    """Rows of states to rows of the points' Jacobians; or of their rates, with the option VELOCITIES."""
    many = bodies.size
    tree, par, work, state = pointer(tree), pointer(par), pointer(work), pointer(state)
    bodies, points, out = pointer(bodies), pointer(points), pointer(out)
    zero = zero_of(kind)
    nv, room = integer(tree, RATES), integer(tree, W_OUT)
    for row in range(0, count, lanes_of(zero)):
        mine, table = parameters(tree, par, row), of_robots(points, 3 * many, row)
        read_state(tree, state, row, count, work, zero)
        place(tree, mine, work, zero)
        if options & VELOCITIES:
            for k in range(nv):
                store(work, integer(tree, W_RATE) + k * RATE_WORK + QDD, zero)
            move(tree, work, (zero, zero, zero), zero)
        for f in range(many):
            i = integer(bodies, f)
            body = integer(tree, W_BODY) + i * BODY_WORK
            R = load9(work, body + ROTATION, zero)
            r = add3(load3(work, body + POSITION, zero), turn(R, shared3(table, 3 * f, zero)))
            if options & VELOCITIES:
                jacobian_rate(tree, work, i, r, room, zero)
            else:
                jacobian(tree, work, i, r, room, zero)
            write_rows(out, many * 6 * nv, f * 6 * nv, 6 * nv, row, count, work, room, 1, zero)
