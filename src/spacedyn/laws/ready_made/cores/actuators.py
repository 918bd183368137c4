"""How actuators give a wanted wrench on the base, as C functions: torques from outside, wheels, thrusters, rods, gyros.

Results are at ROOM of `w`; attitude.py names the rest of `w`.
"""

import math

from ....kernels.scalar.compiling import inner
from ....kernels.scalar.memory import later
from .allocation import box_least_squares
from .attitude import FORCE, ROOM, TORQUE, into_base
from .linked import DOUBLE, DOUBLES, linked

FADE = 0.05  # of a wheel's largest speed: width of the range in which its torque fades


@linked(DOUBLES, DOUBLES)
def turn_base(w, out):
    """The wanted torque as one from outside: into a wrench on the base, inertial axes."""
    for k in range(3):
        out[3 + k] += w[3 * k] * w[TORQUE] + w[3 * k + 1] * w[TORQUE + 1] + w[3 * k + 2] * w[TORQUE + 2]


@linked(DOUBLES, DOUBLES, DOUBLES, DOUBLES)
def push_base(com, position, w, out):
    """The wrench on the base at its centre of mass, inertial axes, whose moment about the robot's is the wanted one."""
    arm, force = later(w, ROOM), later(w, ROOM + 3)
    for k in range(3):
        arm[k] = com[k] - position[k]
        force[k] = w[3 * k] * w[FORCE] + w[3 * k + 1] * w[FORCE + 1] + w[3 * k + 2] * w[FORCE + 2]
    for k in range(3):
        a, b = (k + 1) % 3, (k + 2) % 3
        out[k] += force[k]
        out[3 + k] += w[3 * k] * w[TORQUE] + w[3 * k + 1] * w[TORQUE + 1] + w[3 * k + 2] * w[TORQUE + 2]
        out[3 + k] += arm[a] * force[b] - arm[b] * force[a]


@linked(DOUBLES, DOUBLES, DOUBLES)
def share_among_wheels(qd, wheels, w):
    """Torques of wheels' motors, at ROOM, for the wanted torque on the base; then what each could not give.

    `wheels`: how many; rates, largest torques, largest speeds; axes (3, wheels), base axes. In the last twentieth of
    its speed a wheel's torque fades to none in that direction, and the others take its part as far as they can.
    """
    count = int(wheels[0])
    rates, strongest, fastest = later(wheels, 1), later(wheels, 1 + count), later(wheels, 1 + 2 * count)
    x, full, lower = later(w, ROOM), later(w, ROOM + count), later(w, ROOM + 2 * count)
    upper, wanted = later(w, ROOM + 3 * count), later(w, ROOM + 4 * count)
    for i in range(count):
        lower[i], upper[i] = -1e300, 1e300
    for k in range(3):
        wanted[k] = -w[TORQUE + k]  # what a motor gives to its wheel, the base feels with the other sign
    box_least_squares(later(wheels, 1 + 3 * count), 3, count, wanted, lower, upper, full, later(wanted, 3))
    for i in range(count):
        share = qd[int(rates[i])] / fastest[i]
        upper[i] = strongest[i] * min(max((1.0 - share) / FADE, 0.0), 1.0)
        lower[i] = -strongest[i] * min(max((1.0 + share) / FADE, 0.0), 1.0)
    box_least_squares(later(wheels, 1 + 3 * count), 3, count, wanted, lower, upper, x, later(wanted, 3))
    for i in range(count):
        full[i] = max(abs(full[i]) - abs(x[i]), 0.0)


@linked(DOUBLES, DOUBLES)
def throttle(jets, w):
    """Throttles of thrusters, 0 to 1, at ROOM, that come nearest to the wanted wrench.

    `jets`: how many, weight of force against torque [m]; then what each gives (6, jets), base axes.
    """
    count, table, x = int(jets[0]), later(jets, 2), later(w, ROOM)
    lower, upper, wanted = later(x, count), later(x, 2 * count), later(x, 3 * count)
    A = later(wanted, 6)
    for i in range(6):
        weight = jets[1] if i < 3 else 1.0
        wanted[i] = weight * w[FORCE + i]
        for j in range(count):
            A[i * count + j] = weight * table[i * count + j]
    for j in range(count):
        lower[j], upper[j] = 0.0, 1.0
    box_least_squares(A, 6, count, wanted, lower, upper, x, later(A, 6 * count))


@linked(DOUBLES, DOUBLES, DOUBLES)
def dipoles(field, rods, w):
    """Dipole moments of rods at ROOM: m = B × T / |B|², whose torque m × B is the part of T across the field B.

    `rods`: how many; pseudoinverse of their axes (rods, 3).
    """
    count, x, m = int(rods[0]), later(w, ROOM), later(w, ROOM + int(rods[0]))
    square = field[0] * field[0] + field[1] * field[1] + field[2] * field[2]
    for k in range(3):
        a, b = (k + 1) % 3, (k + 2) % 3
        m[k] = (field[a] * w[TORQUE + b] - field[b] * w[TORQUE + a]) / square if square > 0.0 else 0.0
    for i in range(count):
        x[i] = rods[1 + 3 * i] * m[0] + rods[2 + 3 * i] * m[1] + rods[3 + 3 * i] * m[2]


# of a gyro: rate and coordinate of its gimbal, rate of its wheel; the wheel's inertia; what its gimbal feels;
# axes in base axes: of the gimbal (3), of the wheel's spin at gimbal angle 0 (3)
GIMBAL_RATE, GIMBAL_PLACE, WHEEL_RATE, INERTIA, FELT, GIMBAL, SPIN, GYRO = 0, 1, 2, 3, 4, 5, 8, 11
# settings: how many, bandwidth of gimbal rates, largest gimbal rate; λ0, μ, ε0 and frequency of the steering law
COUNT, SERVO, FASTEST, LAMBDA, MU, DITHER, FREQUENCY, GYROS = 0, 1, 2, 3, 4, 5, 6, 7


@inner
def gyro_matrix(q, qd, gyros, A, h, wanted):
    """A (3, gyros): change of momentum for gimbal rates, over the mean momentum of a wheel, which is returned."""
    count, mean = int(gyros[COUNT]), 0.0
    for i in range(count):
        one = later(gyros, GYROS + i * GYRO)
        size = one[INERTIA] * qd[int(one[WHEEL_RATE])]
        mean += abs(size) / count
        angle = q[int(one[GIMBAL_PLACE])]
        c, s = math.cos(angle), math.sin(angle)
        for k in range(3):
            a, b = (k + 1) % 3, (k + 2) % 3
            across = one[GIMBAL + a] * one[SPIN + b] - one[GIMBAL + b] * one[SPIN + a]
            h[k] += size * (c * one[SPIN + k] + s * across)
            A[k * count + i] = size * (c * across - s * one[SPIN + k])
    if mean > 0.0:
        for j in range(3 * count):
            A[j] /= mean
        for k in range(3):
            wanted[k] /= mean
    return mean


@inner
def solve_three(M, b):
    """M (3, 3), symmetric: b becomes M⁻¹ b, by cofactors; returns its determinant."""
    a, d, f, p, q, r = M[0], M[4], M[8], M[1], M[2], M[5]
    A, D, F = d * f - r * r, a * f - q * q, a * d - p * p
    P, Q, R = q * r - p * f, p * r - q * d, p * q - a * r
    determinant = a * A + p * P + q * Q
    x, y, z = b[0], b[1], b[2]
    if determinant != 0.0:
        b[0] = (A * x + P * y + Q * z) / determinant
        b[1] = (P * x + D * y + R * z) / determinant
        b[2] = (Q * x + R * y + F * z) / determinant
    return determinant


@linked(DOUBLE, DOUBLES, DOUBLES, DOUBLES, DOUBLES, DOUBLES)
def steer_gyros(t, q, qd, rate, gyros, w):
    """Torques of gimbals, at ROOM, for the wanted torque on the base: generalized singularity-robust steering.

    δ̇ = A' (A A' + λ E)⁻¹ ḣ, λ = λ0 exp(-μ det A A'), E = 1 with ε0 sin(ωt + φ) off its diagonal: Wie, Bailey & Heiberg
    (2001). ḣ = -T - ω × h; A is over the wheels' mean momentum. A loop over gimbal rates makes them true.
    """
    count, x = int(gyros[COUNT]), later(w, ROOM)
    spin, h, wanted = later(x, count), later(x, count + 3), later(x, count + 6)
    M, A = later(x, count + 9), later(x, count + 18)
    into_base(w, rate, spin)
    for k in range(3):
        h[k], wanted[k] = 0.0, -w[TORQUE + k]
    mean = gyro_matrix(q, qd, gyros, A, h, wanted)
    if not mean > 0.0:
        return
    for k in range(3):
        a, b = (k + 1) % 3, (k + 2) % 3
        wanted[k] -= (spin[a] * h[b] - spin[b] * h[a]) / mean
    for i in range(3):
        for j in range(3):
            total = 0.0
            for g in range(count):
                total += A[i * count + g] * A[j * count + g]
            M[3 * i + j] = total
    determinant = M[0] * (M[4] * M[8] - M[5] * M[5]) - M[1] * (M[1] * M[8] - M[5] * M[2])
    determinant += M[2] * (M[1] * M[5] - M[4] * M[2])
    size = gyros[LAMBDA] * math.exp(-gyros[MU] * determinant)
    for i in range(3):
        M[4 * i] += size
        j, k = (i + 1) % 3, (i + 2) % 3
        wave = size * gyros[DITHER] * math.sin(gyros[FREQUENCY] * t + 0.5 * math.pi * i)
        M[3 * j + k] += wave
        M[3 * k + j] += wave
    solve_three(M, wanted)
    for g in range(count):
        one, fast, held = later(gyros, GYROS + g * GYRO), 0.0, 0.0
        for k in range(3):
            fast += A[k * count + g] * wanted[k]
            held -= mean * A[k * count + g] * spin[k]  # what the turning base asks of a gimbal that stands
        fast = min(max(fast, -gyros[FASTEST]), gyros[FASTEST])
        x[g] = held + gyros[SERVO] * one[FELT] * (fast - qd[int(one[GIMBAL_RATE])])
