"""Laws that lead an endpoint, as C functions: rates, accelerations, impedance, and forces by the transposed Jacobian.

All of them have the wanted pose, velocity and acceleration from a path, and the robot from `robot_terms`.
"""

from ....kernels.scalar.compiling import inner
from ....kernels.scalar.memory import later
from .linear import add_transposed, multiply, solve
from .linked import DOUBLE, DOUBLES, INTEGERS, linked
from .places import *  # noqa: F403
from .poses import rotation_error, wanted_pose
from .tasks import two_tasks

# settings: threshold of singular values, and of the task that comes first; largest joint rate; whether the Jacobian is
# the generalized one; bandwidth of the loop over joint rates; bandwidth of posture; damping of joints; gains of
# position and rate for (linear; angular); where active joints are at home
EPSILON, FIRST, FASTEST, GENERALIZED, SERVO, POSTURE, JOINT_DAMPING, KP, KD, HOME = 0, 1, 2, 3, 4, 5, 6, 7, 13, 19


@inner
def thresholds(settings):
    """Of singular values: of the task that comes first, and of the endpoint's."""
    return settings[FIRST], settings[EPSILON]


@inner
def damping(least, epsilon):
    """How much the least singular value is damped: 0 from the threshold on, 1 at a singular pose, without a jump."""
    return max(1.0 - least * least / (epsilon * epsilon), 0.0) if epsilon > 0.0 else 0.0


@inner
def compare(t, n, w, path):
    """The wanted pose, and the error (position; rotation vector), inertial axes."""
    wanted, pose, error = later(w, n[AT_WANTED]), later(w, n[AT_POSE]), later(w, n[AT_ERROR])
    wanted_pose(path, t, wanted)
    for k in range(3):
        error[k] = wanted[k] - pose[k]
    rotation_error(later(pose, 3), later(wanted, WANTED_ROTATION), later(error, 3))


@inner
def rows_of(n, matrix, cols, out):
    """The rows that the endpoint follows."""
    for i in range(n[ROWS]):
        row = n[n[AT_ROW] + i]
        for j in range(cols):
            out[i * cols + j] = matrix[row * cols + j]


@inner
def forces(n, w):
    """Forces of active joints for their accelerations x: H x + c."""
    m, f, cr = n[ACTIVE], later(w, n[AT_F]), later(w, n[AT_CR])
    multiply(later(w, n[AT_HR]), m, m, later(w, n[AT_X]), f)
    for i in range(m):
        f[i] += cr[i]


@inner
def rate_of(n, w, i):
    """Rate of active joint i."""
    return w[n[AT_STATE] + 7 + n[NQ] + n[n[AT_ORDER] + i]]


@inner
def place_of(n, w, i):
    """Coordinate of active rate i; 0 if it has none of its own: joints that turn in all directions."""
    at = n[n[AT_PLACE] + i]
    return w[n[AT_STATE] + 7 + at] if at >= 0 else 0.0


@inner
def posture(n, w, bandwidth, home):
    """Into x: accelerations that lead active joints home, critically damped."""
    x = later(w, n[AT_X])
    for i in range(n[ACTIVE]):
        x[i] = bandwidth * (bandwidth * (home[i] - place_of(n, w, i)) - 2.0 * rate_of(n, w, i))


@linked(DOUBLE, INTEGERS, DOUBLES, DOUBLES, DOUBLES)
def resolved_rate(t, n, w, settings, path):
    """Joint rates for the endpoint's velocity, q̇ = J# (v + k e - drift), and a loop over them."""
    nv, m, rows = n[NV], n[ACTIVE], n[ROWS]
    compare(t, n, w, path)
    wanted, error, twist = later(w, n[AT_WANTED]), later(w, n[AT_ERROR]), later(w, n[AT_TWIST])
    G, J, x, flags = later(w, n[AT_G]), later(w, n[AT_J]), later(w, n[AT_X]), later(w, n[AT_FLAGS])
    A, b = later(w, n[AT_ROOM]), later(w, n[AT_ROOM] + 6 * m)
    floating = settings[GENERALIZED] > 0.0
    for i in range(rows):
        row = n[n[AT_ROW] + i]
        b[i] = wanted[WANTED_VELOCITY + row] + settings[KP + row] * error[row]
        if floating:
            b[i] -= twist[row]  # whatever the joints do not do: momentum, other joints
        for j in range(m):
            A[i * m + j] = G[row * m + j] if floating else J[row * nv + n[n[AT_ORDER] + j]]
            if floating:
                b[i] += A[i * m + j] * rate_of(n, w, j)
    for j in range(m):
        x[j] = 0.0
    _, least = two_tasks(A, 0, b, A, rows, b, m, thresholds(settings), x, later(b, 6))
    fastest = 0.0
    for j in range(m):
        fastest = max(fastest, abs(x[j]))
    slower = settings[FASTEST] / fastest if fastest > settings[FASTEST] else 1.0
    flags[LEAST], flags[DAMPED], flags[LIMITED] = least, damping(least, settings[EPSILON]), 1.0 - slower
    for j in range(m):
        x[j] = settings[SERVO] * (slower * x[j] - rate_of(n, w, j))
    forces(n, w)


@inner
def accelerate(n, w, settings):
    """x: joint accelerations for the endpoint's at AT_ERROR, and posture where these leave a choice; forces."""
    m, rows, a, wanted = n[ACTIVE], n[ROWS], later(w, n[AT_A]), later(w, n[AT_ERROR])
    A, b, x = later(w, n[AT_ROOM]), later(w, n[AT_ROOM] + 6 * m), later(w, n[AT_X])
    rows_of(n, later(w, n[AT_G]), m, A)
    for i in range(rows):
        row = n[n[AT_ROW] + i]
        b[i] = wanted[row] - a[row]
    posture(n, w, settings[POSTURE], later(settings, HOME))
    _, least = two_tasks(A, 0, b, A, rows, b, m, thresholds(settings), x, later(b, 6))
    w[n[AT_FLAGS] + LEAST], w[n[AT_FLAGS] + DAMPED] = least, damping(least, settings[EPSILON])
    forces(n, w)


@linked(DOUBLE, INTEGERS, DOUBLES, DOUBLES, DOUBLES)
def resolved_acceleration(t, n, w, settings, path):
    """Joint accelerations for the endpoint's, q̈ = J# (a_wanted + kd ė + kp e - a)."""
    compare(t, n, w, path)
    wanted, error, twist = later(w, n[AT_WANTED]), later(w, n[AT_ERROR]), later(w, n[AT_TWIST])
    for k in range(6):
        lag = wanted[WANTED_VELOCITY + k] - twist[k]
        error[k] = wanted[WANTED_ACCELERATION + k] + settings[KD + k] * lag + settings[KP + k] * error[k]
    accelerate(n, w, settings)


@inner
def mobility(n, w, room):
    """(6, 6) at B: acceleration of the endpoint for a push on it, J H⁻¹ J' = G Hr⁻¹ G' + B."""
    m, G, Hr, B = n[ACTIVE], later(w, n[AT_G]), later(w, n[AT_HR]), later(w, n[AT_B])
    factors, X = room, later(room, m * m)
    for j in range(m * m):
        factors[j] = Hr[j]
    for i in range(m):
        for j in range(6):
            X[i * 6 + j] = G[j * m + i]
    solve(factors, m, X, 6)
    for i in range(6):
        for j in range(6):
            for k in range(m):
                B[i * 6 + j] += G[i * m + k] * X[k * 6 + j]


@linked(DOUBLE, INTEGERS, DOUBLES, DOUBLES, DOUBLES)
def impedance(t, n, w, settings, path):
    """The endpoint gives way to a push as a spring and a damper with the inertia that it has by itself."""
    compare(t, n, w, path)
    wanted, error, twist = later(w, n[AT_WANTED]), later(w, n[AT_ERROR]), later(w, n[AT_TWIST])
    mobility(n, w, later(w, n[AT_ROOM]))
    push, B = later(w, n[AT_ROOM]), later(w, n[AT_B])
    for k in range(6):
        push[k] = settings[KP + k] * error[k] + settings[KD + k] * (wanted[WANTED_VELOCITY + k] - twist[k])
    for i in range(6):
        error[i] = wanted[WANTED_ACCELERATION + i]
        for j in range(6):
            error[i] += B[i * 6 + j] * push[j]
    accelerate(n, w, settings)


@linked(DOUBLE, INTEGERS, DOUBLES, DOUBLES, DOUBLES)
def transposed_jacobian(t, n, w, settings, path):
    """Forces of joints as if a spring and a damper pulled the endpoint, G' K (e + r ė), and brakes in the joints.

    r is the first of the settings KD; K (rows, rows) follows after the last of them.
    """
    nv, m, rows = n[NV], n[ACTIVE], n[ROWS]
    compare(t, n, w, path)
    wanted, error, twist = later(w, n[AT_WANTED]), later(w, n[AT_ERROR]), later(w, n[AT_TWIST])
    f, cr, pull, A = later(w, n[AT_F]), later(w, n[AT_CR]), later(w, n[AT_ROOM]), later(w, n[AT_ROOM] + 6)
    rows_of(n, later(w, n[AT_G]), m, A)
    off, K = later(A, 6 * m), later(settings, HOME + m)
    for i in range(rows):
        row = n[n[AT_ROW] + i]
        off[i] = error[row] + settings[KD] * (wanted[WANTED_VELOCITY + row] - twist[row])
    multiply(K, rows, rows, off, pull)
    for j in range(m):
        f[j] = cr[j] - settings[JOINT_DAMPING] * rate_of(n, w, j)
        if not settings[GENERALIZED] > 0.0:
            for i in range(rows):
                A[i * m + j] = later(w, n[AT_J])[n[n[AT_ROW] + i] * nv + n[n[AT_ORDER] + j]]
    add_transposed(A, rows, m, pull, 1.0, f)
