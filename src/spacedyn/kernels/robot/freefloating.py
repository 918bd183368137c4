"""Recoil of the base of a free-floating robot per unit joint rate, without external forces, and matrices made of it.

While momentum is zero, Hb (v0; w0) + Hbm qd = 0. Column k of Hbm is the momentum per unit of joint rate k, and Hb the
composite inertia of all bodies: the base's recoil is its acceleration under minus that column as a force, by the same
elimination of the base's rates as in forward dynamics.
Umetani & Yoshida (1989); Nenchev, Umetani & Yoshida (1992) for the reaction null space.
"""

from ..scalar.compiling import entry, inner
from ..scalar.memory import integer, lanes_of, load, pointer, store, zero_of
from .articulated import rigid_start
from .base import factorise_base, recover_base, reduce_base
from .bodies import weigh
from .descriptions import of_robots, parameters
from .inertia import columns_about_base, composite_inertias, mass_matrix, momentum_columns
from .jacobians import jacobian, store_column
from .kinematics import base_axis, place
from .layout import *  # noqa: F403
from .projector import null_space_projector
from .rows import read_state, write_rows
from .segments import origin_of
from .spatial import add3, angular, cross, dot6, linear, load3, load6, load9, shared3, store6, turn

TWIST = 6


@inner
def recoils(tree, par, work, at, zero):
    """The base's twist per unit of each joint rate into `work` from `at` on, six scalars a rate."""
    base, rates, count = integer(tree, W_BODY), integer(tree, W_RATE), integer(tree, BASE_RATES)
    m, h = load(work, base + INERTIA, zero), load3(work, base + INERTIA + 1, zero)
    A, B, C = rigid_start(m, h, load6(work, base + INERTIA + 4, zero), zero)
    factorise_base(tree, work, A, B, C, zero)
    for k in range(count, integer(tree, RATES)):
        for j in range(count):
            store(work, rates + j * RATE_WORK + TAU, zero)
        reduce_base(tree, work, load6(work, rates + k * RATE_WORK + GAIN, zero), zero)
        store6(work, at + TWIST * (k - count), recover_base(tree, par, work, zero))


@inner
def store_recoil(tree, work, recoil, room, zero):
    """Base rates per unit of joint rates, (base, joints), row by row at `room`."""
    joints = integer(tree, RATES) - integer(tree, BASE_RATES)
    for j in range(integer(tree, BASE_RATES)):
        for k in range(joints):
            store(work, room + j * joints + k, load(work, recoil + TWIST * k + base_axis(tree, j), zero))


@inner
def store_generalized_jacobian(tree, work, body, point, recoil, room, zero):
    """Jacobian of a point of a body by the joint rates, recoil included, (6, joints), row by row at `room`.

    The point is given from the body's reference point.
    """
    nv, count = integer(tree, RATES), integer(tree, BASE_RATES)
    scratch = recoil + TWIST * nv
    jacobian(tree, work, body, point, scratch, zero)
    point = add3(origin_of(tree, work, body, zero), point)
    for k in range(nv - count):
        twist = load6(work, recoil + TWIST * k, zero)
        v, w = add3(linear(twist), cross(angular(twist), point)), angular(twist)
        at = scratch + count + k
        v = add3(v, (load(work, at, zero), load(work, at + nv, zero), load(work, at + 2 * nv, zero)))
        w = add3(w, (load(work, at + 3 * nv, zero), load(work, at + 4 * nv, zero), load(work, at + 5 * nv, zero)))
        store_column(work, room, nv - count, k, v, w)


@inner
def store_generalized_inertia(tree, work, H, recoil, room, zero):
    """Hm + Hbm' recoil, (joints, joints), row by row at `room`, from the mass matrix at H."""
    nv, count, rates = integer(tree, RATES), integer(tree, BASE_RATES), integer(tree, W_RATE)
    joints = nv - count
    for j in range(joints):
        momentum = load6(work, rates + (count + j) * RATE_WORK + GAIN, zero)
        for k in range(joints):
            less = dot6(momentum, load6(work, recoil + TWIST * k, zero))
            store(work, room + j * joints + k, load(work, H + (count + j) * nv + count + k, zero) + less)


@inner
def store_null_space(tree, work, recoil, what, chosen, room, zero):
    """Projector onto joint rates without a reaction on the base, (joints, joints), row by row at `room`.

    NULL_SPACE_MOMENT: the base's attitude does not recoil; NULL_SPACE_FORCE: its centre of mass does not; NULL_SPACE:
    neither does, and then the momentum columns vanish too. Joints that are not `chosen` count as unfelt: the projector
    leaves them alone.
    """
    count, rates = integer(tree, BASE_RATES), integer(tree, W_RATE)
    joints = integer(tree, RATES) - count
    rows, coupling = 0, room + joints * joints
    for j in range(count):
        axis = base_axis(tree, j)
        if (what == NULL_SPACE_MOMENT and axis < 3) or (what == NULL_SPACE_FORCE and axis >= 3):
            continue
        for k in range(joints):
            entry_jk = load(work, recoil + TWIST * k + axis, zero)
            if what == NULL_SPACE:
                entry_jk = load(work, rates + (count + k) * RATE_WORK + GAIN + axis, zero)
            store(work, coupling + rows * joints + k, entry_jk if integer(chosen, k) != 0 else zero)
        rows += 1
    null_space_projector(work, coupling, rows, joints, room, zero)


@entry
def run(tree, par, work, state, bodies, points, out, count, what, width, kind):
    """Rows of states to rows of `width` numbers: RECOIL, JACOBIAN of a point, GENERALIZED_INERTIA, NULL_SPACE, ...

    `bodies` and `points` say which point; for NULL_SPACE, `bodies` has 1 for each joint rate that is chosen, else 0.
    """
    tree, par, work, state = pointer(tree), pointer(par), pointer(work), pointer(state)
    bodies, points, out = pointer(bodies), pointer(points), pointer(out)
    zero = zero_of(kind)
    nv, room = integer(tree, RATES), integer(tree, W_OUT)
    recoil = room + nv * (nv + TWIST)  # behind a matrix that is handed out and the six rows of one that is not
    H = recoil + TWIST * nv
    for row in range(0, count, lanes_of(zero)):
        mine, table = parameters(tree, par, row), of_robots(points, 3, row)
        read_state(tree, state, row, count, work, zero)
        place(tree, mine, work, zero)
        weigh(tree, mine, work, zero)
        composite_inertias(tree, work, zero)
        momentum_columns(tree, work, zero)
        if what == GENERALIZED_INERTIA:
            mass_matrix(tree, mine, work, work, H, zero)  # before the base's columns give way to its factors
        if integer(tree, SEGMENTS) > 0:
            columns_about_base(tree, work, zero)
        recoils(tree, mine, work, recoil, zero)
        if what == RECOIL:
            store_recoil(tree, work, recoil, room, zero)
        elif what == JACOBIAN:
            i = integer(bodies, 0)
            body = integer(tree, W_BODY) + i * BODY_WORK
            point = turn(load9(work, body + ROTATION, zero), shared3(table, 0, zero))
            point = add3(load3(work, body + POSITION, zero), point)
            store_generalized_jacobian(tree, work, i, point, recoil, room, zero)
        elif what == GENERALIZED_INERTIA:
            store_generalized_inertia(tree, work, H, recoil, room, zero)
        else:
            store_null_space(tree, work, recoil, what, bodies, room, zero)
        write_rows(out, width, 0, width, row, count, work, room, 1, zero)
