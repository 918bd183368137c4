"""Laws of the whole robot, as C functions: the base's attitude first, then an endpoint; or quiet flexible joints first.

    base or flexible joints:  R_ω q̈ + b_ω = wanted,    then, as far as that leaves a choice,  G q̈ + a = wanted,
    then posture

Reaction null space: Nenchev, Umetani & Yoshida (1992), Yoshida, Hashizume & Abiko (2001); flexible bases: Nenchev,
Yoshida, Vichitkulsawat & Uchiyama (1999).
"""

from ....kernels.scalar.compiling import inner
from ....kernels.scalar.memory import later
from ....motion.trajectories import sample
from .endpoint import (
    EPSILON,
    FIRST,
    HOME,
    KD,
    KP,
    POSTURE,
    compare,
    damping,
    forces,
    place_of,
    posture,
    rate_of,
    rows_of,
    thresholds,
)
from .linked import DOUBLE, DOUBLES, INTEGERS, linked
from .places import *  # noqa: F403
from .poses import matrix_of, rotation_error
from .tasks import two_tasks

# further settings after HOME and a number for each active joint: gains of the base's attitude, its wanted quaternion
BASE_KP, BASE_KD, BASE_WANTED, BASE_SETTINGS = 0, 1, 2, 6


@inner
def base_task(n, w, settings, A, b):
    """Rows of the base's attitude: A q̈ = kp e - kd ω - b_ω; for a base that turns about fewer axes, these alone."""
    m, nq, R, bias = n[ACTIVE], n[NQ], later(w, n[AT_R]), later(w, n[AT_BIAS])
    mine, room = later(settings, HOME + m), later(b, 3)
    matrix_of(later(w, n[AT_STATE]), 3, room)
    matrix_of(mine, BASE_WANTED, later(room, 9))
    rotation_error(room, later(room, 9), later(room, 18))
    row = 0
    for i in range(n[HELD]):
        axis = n[n[AT_BASE] + i] - 3
        if axis >= 0:
            rate = w[n[AT_STATE] + 7 + nq + i]
            b[row] = mine[BASE_KP] * room[18 + axis] - mine[BASE_KD] * rate - bias[i]
            for j in range(m):
                A[row * m + j] = R[i * m + j]
            row += 1


@linked(DOUBLE, INTEGERS, DOUBLES, DOUBLES, DOUBLES)
def base_and_endpoint(t, n, w, settings, path):
    """The base's attitude, then the endpoint's path, then posture."""
    m, rows, base = n[ACTIVE], n[ROWS], n[BASE_ROWS]
    A, b = later(w, n[AT_ROOM]), later(w, n[AT_ROOM] + 3 * m)
    base_task(n, w, settings, A, b)
    G, d = later(b, 3), later(b, 3 + 6 * m)
    if rows > 0:
        compare(t, n, w, path)
        wanted, error, twist = later(w, n[AT_WANTED]), later(w, n[AT_ERROR]), later(w, n[AT_TWIST])
        rows_of(n, later(w, n[AT_G]), m, G)
        for i in range(rows):
            row = n[n[AT_ROW] + i]
            lag = wanted[WANTED_VELOCITY + row] - twist[row]
            d[i] = wanted[WANTED_ACCELERATION + row] + settings[KD + row] * lag + settings[KP + row] * error[row]
            d[i] -= w[n[AT_A] + row]
    posture(n, w, settings[POSTURE], later(settings, HOME))
    finish(n, w, two_tasks(A, base, b, G, rows, d, m, thresholds(settings), later(w, n[AT_X]), later(d, 6)), settings)


@linked(DOUBLE, INTEGERS, DOUBLES, DOUBLES, DOUBLES)
def base_and_joints(t, n, w, settings, path):
    """The base's attitude, then joints along a path (a table) as far as it lets them."""
    m, base, x, bandwidth = n[ACTIVE], n[BASE_ROWS], later(w, n[AT_X]), settings[POSTURE]
    A, b = later(w, n[AT_ROOM]), later(w, n[AT_ROOM] + 3 * m)
    base_task(n, w, settings, A, b)
    for i in range(m):
        q = place_of(n, w, i)
        lag = sample(path, t, i, 1) - rate_of(n, w, i)
        x[i] = sample(path, t, i, 2) + bandwidth * (bandwidth * (sample(path, t, i) - q) + 2.0 * lag)
    G = later(b, 3)
    finish(n, w, two_tasks(A, base, b, G, 0, G, m, thresholds(settings), x, later(G, 6)), settings)


@inner
def finish(n, w, least, settings):
    """Flags and forces."""
    damped = max(damping(least[0], settings[FIRST]), damping(least[1], settings[EPSILON]))
    w[n[AT_FLAGS] + LEAST], w[n[AT_FLAGS] + DAMPED] = min(least[0], least[1]), damped
    forces(n, w)


@linked(DOUBLE, INTEGERS, DOUBLES, DOUBLES, DOUBLES)
def quiet_flexible_joints(t, n, w, settings, gains):
    """Accelerations of flexible joints by -g × their rates more than by themselves, and a slow way home.

    `gains`: g of each flexible joint [1/s], then the bandwidth of the way home, which disturbs them [1/s].
    """
    m, flexible, R, x = n[ACTIVE], n[FLEXIBLE], later(w, n[AT_R]), later(w, n[AT_X])
    A, b = later(w, n[AT_ROOM]), later(w, n[AT_ROOM] + flexible * m)
    for i in range(flexible):
        rate = n[n[AT_FLEXIBLE] + i]
        b[i] = -gains[i] * w[n[AT_STATE] + 7 + n[NQ] + rate]
        for j in range(m):
            A[i * m + j] = R[rate * m + j]
    posture(n, w, settings[POSTURE], later(settings, HOME))
    room = later(b, flexible)
    finish(n, w, two_tasks(A, flexible, b, room, 0, room, m, thresholds(settings), x, room), settings)
    home = later(w, n[AT_F])
    for j in range(m):
        home[j] = x[j]
    posture(n, w, gains[flexible], later(settings, HOME))
    for j in range(m):
        x[j] += home[j]
    forces(n, w)
