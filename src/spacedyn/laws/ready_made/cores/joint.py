"""Laws of joints that know their robot, as C functions: computed torque, and PID with compensated bias."""

from ....kernels.scalar.memory import later
from ....motion.trajectories import sample
from .endpoint import forces, place_of, rate_of
from .linked import DOUBLE, DOUBLES, INTEGERS, linked
from .places import *  # noqa: F403

BANDWIDTH, DAMPING = 0, 1  # settings of computed torque
COMPENSATE, GAINS = 0, 1  # of PID: whether; then kp, ki, kd, limit and largest integral term of each joint


@linked(DOUBLE, INTEGERS, DOUBLES, DOUBLES, DOUBLES)
def computed_torque(t, n, w, settings, path):
    """q̈ = path'' + ω² (path - q) + 2 ζ ω (path' - q̇), by inverse dynamics."""
    x, omega, zeta = later(w, n[AT_X]), settings[BANDWIDTH], settings[DAMPING]
    for i in range(n[ACTIVE]):
        q = place_of(n, w, i)
        lag = sample(path, t, i, 1) - rate_of(n, w, i)
        x[i] = sample(path, t, i, 2) + omega * (omega * (sample(path, t, i) - q) + 2.0 * zeta * lag)
    forces(n, w)


@linked(DOUBLE, INTEGERS, DOUBLES, DOUBLES, DOUBLES, DOUBLES, DOUBLES)
def joint_pid(t, n, w, settings, path, integral, change):
    """τ = c + kp e + ki ∫e + kd ė within limits; the integral stands while the force is at a limit and e pushes on."""
    m, f, cr = n[ACTIVE], later(w, n[AT_F]), later(w, n[AT_CR])
    kp, ki, kd = later(settings, GAINS), later(settings, GAINS + m), later(settings, GAINS + 2 * m)
    limit = later(settings, GAINS + 3 * m)
    for i in range(m):
        error = sample(path, t, i) - place_of(n, w, i)
        lag = sample(path, t, i, 1) - rate_of(n, w, i)
        tau = kp[i] * error + ki[i] * integral[i] + kd[i] * lag + settings[COMPENSATE] * cr[i]
        f[i] = min(max(tau, -limit[i]), limit[i])
        stands = (tau > limit[i] and error > 0.0) or (tau < -limit[i] and error < 0.0)
        change[i] = 0.0 if stands else error
