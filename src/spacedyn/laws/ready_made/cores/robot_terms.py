"""The robot as a model-based law sees it: its equations of motion, reduced to the joints that the law drives.

    H u̇ + c = F,  with F = 0 for rates that are free (U), u̇ = 0 for those that are given, forces for the active ones
    (A):

    (H_AA - H_AU H_UU⁻¹ H_UA) q̈ + c_A - H_AU H_UU⁻¹ c_U = forces,   u̇ = R q̈ + b,   endpoint: G q̈ + a,  G = J R

With the base alone free, R is the recoil and G the generalized Jacobian (Umetani & Yoshida 1989; Yoshida & Umetani
1993). The kernels are those of everything else, so that laws and simulation agree to the last digits.
"""

from ....kernels.robot.bodies import endpoint_lever, weigh
from ....kernels.robot.frames import frame_motion
from ....kernels.robot.inertia import composite_inertias, mass_matrix, momentum_columns
from ....kernels.robot.inverse_dynamics import inverse_dynamics
from ....kernels.robot.jacobians import jacobian
from ....kernels.robot.kinematics import place
from ....kernels.robot.layout import (
    ACCELERATIONS,
    BODY_WORK,
    ENDPOINT_AT,
    ENDPOINT_PARS,
    PAR_ENDPOINT,
    PAR_GRAVITY,
    PASSIVE_FORCES,
    QDD,
    RATE_WORK,
    ROTATION,
    TAU,
    W_BODY,
    W_OUT,
    W_RATE,
)
from ....kernels.robot.rows import read_state
from ....kernels.robot.segments import origin_of
from ....kernels.robot.spatial import compose, load9, shared9
from ....kernels.scalar.compiling import inner
from ....kernels.scalar.memory import integer, later
from .linear import multiply, solve
from .linked import DOUBLES, INTEGERS, linked
from .places import *  # noqa: F403


@inner
def copy_state(n, w, seen):
    """Coordinates and rates in the order of the kernels, from (place, quaternion, q, v0, w0, qd)."""
    state, nq, held = later(w, n[AT_STATE]), n[NQ], n[HELD]
    position, quaternion, q, velocity, rate, qd = seen
    for i in range(3):
        state[i] = position[i]
    for i in range(4):
        state[3 + i] = quaternion[i]
    for i in range(nq):
        state[7 + i] = q[i]
    for i in range(held):
        which = n[n[AT_BASE] + i]
        state[7 + nq + i] = velocity[which] if which < 3 else rate[which - 3]
    for i in range(n[NV] - held):
        state[7 + nq + held + i] = qd[i]


@inner
def endpoint_terms(tree, par, work, n, w):
    """Pose, velocity, Jacobian and J̇ u of the endpoint; motion of bodies must be there, while no joint accelerates."""
    zero, nv, room, e = 0.0, n[NV], integer(tree, W_OUT), n[ENDPOINT]
    i = integer(tree, integer(tree, ENDPOINT_AT) + e)
    body = integer(tree, W_BODY) + i * BODY_WORK
    r, o = endpoint_lever(tree, par, work, e, body, zero), origin_of(tree, work, i, zero)
    R = compose(
        load9(work, body + ROTATION, zero), shared9(par, integer(tree, PAR_ENDPOINT) + e * ENDPOINT_PARS + 3, zero)
    )
    state, pose, J = later(w, n[AT_STATE]), later(w, n[AT_POSE]), later(w, n[AT_J])
    pose[0], pose[1], pose[2] = state[0] + o[0] + r[0], state[1] + o[1] + r[1], state[2] + o[2] + r[2]
    pose[3], pose[4], pose[5], pose[6], pose[7], pose[8], pose[9], pose[10], pose[11] = R
    u, out = later(state, 7 + n[NQ]), later(work, room)
    jacobian(tree, work, i, r, room, zero)
    for j in range(6 * nv):
        J[j] = out[j]
    multiply(J, 6, nv, u, later(w, n[AT_TWIST]))
    frame_motion(tree, work, i, r, room, ACCELERATIONS, zero)
    for j in range(6):  # inverse dynamics meets gravity as an acceleration by -g
        w[n[AT_JU] + j] = out[j] + (par[integer(tree, PAR_GRAVITY) + j] if j < 3 else zero)


@inner
def motion_terms(tree, par, work, n, w):
    """H and c; poses of bodies must be there, and accelerations of joints be zero."""
    zero, nv, room = 0.0, n[NV], integer(tree, W_OUT)
    H, c, rates = later(w, n[AT_H]), later(w, n[AT_C]), integer(tree, W_RATE)
    weigh(tree, par, work, zero)
    composite_inertias(tree, work, zero)
    momentum_columns(tree, work, zero)
    mass_matrix(tree, par, work, work, room, zero)
    for j in range(nv * nv):
        H[j] = work[room + j]
    inverse_dynamics(tree, par, work, PASSIVE_FORCES if n[PASSIVE] > 0 else 0, zero)
    for k in range(nv):
        c[k] = work[rates + k * RATE_WORK + TAU]


@inner
def reduce_to_active(n, w):
    """H, c, R, b, G, a and B of the active joints."""
    nv, m, k = n[NV], n[ACTIVE], n[FREE]
    order, cols = later(n, n[AT_ORDER]), m + 7  # right-hand sides: H_UA, c_U, J_U'
    free, factors, X = later(order, m), later(w, n[AT_ROOM]), later(w, n[AT_ROOM] + k * k)
    H, c, J = later(w, n[AT_H]), later(w, n[AT_C]), later(w, n[AT_J])
    Hr, cr, R, b = later(w, n[AT_HR]), later(w, n[AT_CR]), later(w, n[AT_R]), later(w, n[AT_BIAS])
    for i in range(k):
        for j in range(k):
            factors[i * k + j] = H[free[i] * nv + free[j]]
        for j in range(m):
            X[i * cols + j] = H[free[i] * nv + order[j]]
        X[i * cols + m] = c[free[i]]
        for j in range(6):
            X[i * cols + m + 1 + j] = J[j * nv + free[i]]
    solve(factors, k, X, cols)
    for i in range(m):
        R[order[i] * m + i] = 1.0
        cr[i] = c[order[i]]
        for r in range(k):
            cr[i] -= H[order[i] * nv + free[r]] * X[r * cols + m]
            R[free[r] * m + i] = -X[r * cols + i]
        for j in range(m):
            total = H[order[i] * nv + order[j]]
            for r in range(k):
                total -= H[order[i] * nv + free[r]] * X[r * cols + j]
            Hr[i * m + j] = total
    for r in range(k):
        b[free[r]] = -X[r * cols + m]
    if n[ENDPOINT] >= 0:
        endpoint_of_active(n, w, X)


@inner
def endpoint_of_active(n, w, X):
    """G, a and B of the endpoint, from H_UU⁻¹ (H_UA, c_U, J_U')."""
    nv, m, k = n[NV], n[ACTIVE], n[FREE]
    free, cols = later(n, n[AT_ORDER] + m), m + 7
    J, R, b, Ju = later(w, n[AT_J]), later(w, n[AT_R]), later(w, n[AT_BIAS]), later(w, n[AT_JU])
    G, a, B = later(w, n[AT_G]), later(w, n[AT_A]), later(w, n[AT_B])
    for i in range(6):
        a[i] = Ju[i]
        for q in range(nv):
            a[i] += J[i * nv + q] * b[q]
            for j in range(m):
                G[i * m + j] += J[i * nv + q] * R[q * m + j]
        for j in range(6):
            for r in range(k):
                B[i * 6 + j] += J[i * nv + free[r]] * X[r * cols + m + 1 + j]


@linked(DOUBLES, INTEGERS, DOUBLES, DOUBLES, DOUBLES, DOUBLES, DOUBLES, DOUBLES, DOUBLES, DOUBLES)
def robot_terms(plan, n, w, par, position, quaternion, q, velocity, rate, qd):
    """Fill `n` and `w`, which is zero: see places.py."""
    zero = 0.0
    for i in range(int(plan[0])):
        n[i] = int(plan[1 + i])
    copy_state(n, w, (position, quaternion, q, velocity, rate, qd))
    tree, work = later(n, n[AT_TREE]), later(w, n[AT_WORK])
    read_state(tree, later(w, n[AT_STATE]), 0, 1, work, zero)
    place(tree, par, work, zero)
    for k in range(n[NV]):
        work[integer(tree, W_RATE) + k * RATE_WORK + QDD] = zero
    motion_terms(tree, par, work, n, w)
    if n[ENDPOINT] >= 0:
        endpoint_terms(tree, par, work, n, w)
    reduce_to_active(n, w)
