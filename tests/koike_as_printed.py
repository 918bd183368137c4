"""Koike's model as its listing has it, slips included: a wrong model to try checks on. No physics is to be had from it.

States are position, body 1-2-3 angles, velocity, and three rates that are read as rates of the angles in one place, as
body rates in another. The slips that make the motion: the generalized inertia forces without u' are multiplied by the
matrix that they should be divided by; angles change at body rates; base velocities are constant; the swing of arm y
enters by its angle alone.
"""

import numpy as np
from scipy.integrate import solve_ivp

INERTIA = 5.0 * np.diag([1 / 125 + 2 / 12, 13 / 125 + 1 / 12, 13 / 125 + 1 / 12])
"""The constant one that the report multiplies rates with, to have its angular momentum."""
TABLE = (1.8261e-07, 2.1511e-09, 3.4094e-07)
"""Variances of that momentum, as reported."""


def arms(t):
    """Angles and rates of both arms, (2,) each."""
    y, z = np.radians(20.0), np.radians(-10.0)
    return np.array([y * np.sin(1.5 * t), z * (1 - np.cos(0.8 * t))]), np.array(
        [1.5 * y * np.cos(1.5 * t), 0.8 * z * np.sin(0.8 * t)]
    )


def derivative(t, s):
    """Of the twelve states."""
    (y, z), (_, w) = arms(t)
    a = np.radians(-10.0) * 0.64 * np.cos(0.8 * t)
    sy, sz, cz = np.sin(y), np.sin(z), np.cos(z)
    b, g, d = 5 * sz + 1, 1 - cz, 1 - np.cos(y)
    (s5, s6), (c5, c6) = np.sin(s[4:6]), np.cos(s[4:6])
    p, q, r = np.array([[c5 * c6, s6, 0.0], [-c5 * s6, c6, 0.0], [s5, 0.0, 1.0]]) @ s[9:]
    matrix = np.array(
        [
            [b * b / 400 - 131 / 750, b * g / 80, sy * g / 16],
            [b * (g - d) / 80, g * (g - d) / 16 + 281 / 1500 * d, b * sy / 80],
            [0.0, 0.0, g * g / 16 - b * b / 300 - g * d / 16 - 281 / 1500],
        ]
    )
    rest = [
        b * w / 80 * (2 * cz * p + 2 * sz * q + sy * r) + sy * sz * w / 8 * r + sy * g / 16 * p * q
        + b * b / 400 * q * r - b * g / 80 * r * p + sy * b / 80 * (p * p + r * r)
        + sy / 16 * (2 * sz * w * w - cz * a),
        (g - d) * w / 8 * (cz * p + sz * q) + sz / 16 * (g - 2 * cz) * w * r + sy * b / 80 * p * q
        + b * (g - d) / 80 * q * r + (19 / 1500 - g * (g - d) / 16) * r * p + sy * g / 16 * (q * q + r * r)
        + sy * (cz * w * w + sz * a) / 16,
        (w * b * (g - d) + 10 * sz * w * (g - d) - 5 * w * b * g + 10 * cz * w * b) / 80 * r
        + (g * g / 16 - b * b / 400 - g * d / 16 - 19 / 1500) * p * q
        + b / 80 * ((g - d) * p * p - g * q * q - d * r * r)
        + b / 80 * (2 * cz * w * w + sz * a) + (2 * sz * w * w - cz * a) * (g - d) / 16,
    ]  # fmt: skip
    return np.concatenate([s[6:9], [p, q, r], np.zeros(3), matrix @ rest])


def trajectory(times):
    """(times, 12) from the report's start."""
    start = [5681.0, 3161.0, 4437.0, *np.radians([45.0, -84.0, 6.0]), 2.0, 4.0, 1.0, 0.45, 0.03, -0.02]
    return solve_ivp(derivative, (0, times[-1]), start, t_eval=times, rtol=1e-8, atol=1e-10).y.T
