"""Wanted wrenches on the base, as C functions: for an attitude, against rates, against momentum, to a place.

`w` has the base's axes R (9), the wanted wrench (force; torque) in base axes (6), and room.
"""

import math

from ....kernels.scalar.compiling import inner
from ....kernels.scalar.memory import later
from .linked import DOUBLES, linked
from .poses import matrix_of

AXES, FORCE, TORQUE, ROOM = 0, 9, 12, 15  # in w
TARGET, KP, KD, LIMIT, ATTITUDE_SETTINGS = 0, 4, 7, 10, 13  # settings of an attitude that is held


@inner
def into_base(w, v, out):
    """A vector of inertial axes in base axes."""
    for i in range(3):
        out[i] = w[i] * v[0] + w[3 + i] * v[1] + w[6 + i] * v[2]


@inner
def quaternion_error(q, wanted, out):
    """Rotation vector (3) from an attitude to the wanted one, in the axes of the former; the shorter way round."""
    x, y, z, s = -q[0], -q[1], -q[2], q[3]
    out[0] = s * wanted[0] + x * wanted[3] + y * wanted[2] - z * wanted[1]
    out[1] = s * wanted[1] - x * wanted[2] + y * wanted[3] + z * wanted[0]
    out[2] = s * wanted[2] + x * wanted[1] - y * wanted[0] + z * wanted[3]
    scalar = s * wanted[3] - x * wanted[0] - y * wanted[1] - z * wanted[2]
    size = math.sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2])
    sign = 1.0 if scalar >= 0.0 else -1.0
    factor = 2.0 * sign if size < 1e-9 else 2.0 * sign * math.atan2(size, sign * scalar) / size
    for k in range(3):
        out[k] *= factor


@inner
def shortened(v, longest):
    """A vector (3) that is not longer than this, in its own direction."""
    size = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    if size > longest:
        for k in range(3):
            v[k] *= longest / size


@inner
def limited_feedback(error, spin, settings, w):
    """Torque = kp error - kd rate along each base axis, within limits."""
    for i in range(3):
        torque, limit = settings[KP + i] * error[i] - settings[KD + i] * spin[i], settings[LIMIT + i]
        w[TORQUE + i] = min(max(torque, -limit), limit)


@inner
def limited_damping(spin, settings, w):
    """Torque = -gain × rate along each base axis, within limits: settings are gains (3) and limits (3)."""
    for i in range(3):
        w[TORQUE + i] = min(max(-settings[i] * spin[i], -settings[3 + i]), settings[3 + i])


@inner
def turned_rate(mounting, rate, out):
    """An angular velocity in a sensor's axes, in base axes."""
    for i in range(3):
        out[i] = mounting[3 * i] * rate[0] + mounting[3 * i + 1] * rate[1] + mounting[3 * i + 2] * rate[2]


@linked(DOUBLES, DOUBLES, DOUBLES, DOUBLES)
def attitude_torque(q, rate, settings, w):
    """Quaternion feedback of the base's attitude and rate."""
    matrix_of(q, 0, w)
    spin, error = later(w, ROOM), later(w, ROOM + 3)
    into_base(w, rate, spin)
    quaternion_error(q, later(settings, TARGET), error)
    limited_feedback(error, spin, settings, w)


@linked(DOUBLES, DOUBLES, DOUBLES, DOUBLES, DOUBLES, DOUBLES)
def sensed_attitude_torque(q, seen, rate, mounting, settings, w):
    """The same of what sensors read: the attitude `seen`, the rate; while nothing is seen, rates are damped alone.

    The base's true axes are those that actuators are fixed to.
    """
    matrix_of(q, 0, w)
    spin, error, found = later(w, ROOM), later(w, ROOM + 3), later(w, ROOM + 6)
    turned_rate(mounting, rate, spin)
    x, y, z, s = -mounting[9], -mounting[10], -mounting[11], mounting[12]  # from the base's axes to the sensor's
    found[0] = seen[3] * x + seen[0] * s + seen[1] * z - seen[2] * y
    found[1] = seen[3] * y - seen[0] * z + seen[1] * s + seen[2] * x
    found[2] = seen[3] * z + seen[0] * y - seen[1] * x + seen[2] * s
    found[3] = seen[3] * s - seen[0] * x - seen[1] * y - seen[2] * z
    quaternion_error(found, later(settings, TARGET), error)
    if not seen[0] * seen[0] + seen[1] * seen[1] + seen[2] * seen[2] + seen[3] * seen[3] > 0.5:
        error[0], error[1], error[2] = 0.0, 0.0, 0.0
    limited_feedback(error, spin, settings, w)


@linked(DOUBLES, DOUBLES, DOUBLES, DOUBLES)
def rate_torque(q, rate, settings, w):
    """Damping of the base's rate."""
    matrix_of(q, 0, w)
    spin = later(w, ROOM)
    into_base(w, rate, spin)
    limited_damping(spin, settings, w)


@linked(DOUBLES, DOUBLES, DOUBLES, DOUBLES, DOUBLES)
def sensed_rate_torque(q, rate, mounting, settings, w):
    """The same of the rate that a sensor reads."""
    matrix_of(q, 0, w)
    spin = later(w, ROOM)
    turned_rate(mounting, rate, spin)
    limited_damping(spin, settings, w)


@inner
def wheel_momentum(qd, wheels, axes, inertia, count, out):
    """Sum of the wheels' momentum (3), base axes: inertia × (rate - speed to be kept) × axis."""
    for k in range(3):
        out[k] = 0.0
    for i in range(count):
        speed = qd[int(wheels[i])] - wheels[count + i]
        for k in range(3):
            out[k] += inertia[i] * speed * axes[k * count + i]


# settings of momentum: largest torque, time constant, how many wheels; then of these rates, speeds, inertias, axes
STRONGEST, TIME, WHEELS, WHEEL = 0, 1, 2, 3


@linked(DOUBLES, DOUBLES, DOUBLES, DOUBLES, DOUBLES)
def momentum_torque(q, momentum, qd, settings, w):
    """Torque against the robot's angular momentum without that of its wheels: as large as it may be, then fading."""
    matrix_of(q, 0, w)
    count, L, h = int(settings[WHEELS]), later(w, ROOM), later(w, ROOM + 3)
    wheels = later(settings, WHEEL)
    into_base(w, momentum, L)
    wheel_momentum(qd, wheels, later(wheels, 3 * count), later(wheels, 2 * count), count, h)
    for k in range(3):
        w[TORQUE + k] = -(L[k] - h[k]) / settings[TIME]
    shortened(later(w, TORQUE), settings[STRONGEST])


@linked(DOUBLES, DOUBLES, DOUBLES, DOUBLES)
def desaturating_torque(q, qd, settings, w):
    """Torque against the momentum that wheels hold beyond that of the speeds they shall have."""
    matrix_of(q, 0, w)
    count, h, wheels = int(settings[WHEELS]), later(w, ROOM), later(settings, WHEEL)
    wheel_momentum(qd, wheels, later(wheels, 3 * count), later(wheels, 2 * count), count, h)
    for k in range(3):
        w[TORQUE + k] = -h[k] / settings[TIME]
    shortened(later(w, TORQUE), settings[STRONGEST])


@linked(DOUBLES, DOUBLES, DOUBLES, DOUBLES)
def station_force(com, momentum, settings, w):
    """Force k (wanted - place) - d × momentum on the centre of mass, base axes; settings: place (3), k, d, limit.

    The base's axes must be in `w`.
    """
    pull, room = later(w, ROOM), later(w, FORCE)
    for k in range(3):
        pull[k] = settings[3] * (settings[k] - com[k]) - settings[4] * momentum[k]
    shortened(pull, settings[5])
    into_base(w, pull, room)
