"""Accelerations of a point in orbit, in plain NumPy, and their integration by SciPy: written apart from the kernels."""

import numpy as np
from scipy.integrate import solve_ivp

MU, RADIUS = 3.986004418e14, 6378136.3
J = {2: 1.08262668e-3, 3: -2.53265649e-6, 4: -1.61962159e-6}


def potential(r, j=J, mu=MU, radius=RADIUS, axis=(0.0, 0.0, 1.0)):
    """Zonal potential of a unit mass, by Legendre polynomials; works for complex numbers."""
    r = np.asarray(r)
    distance = np.sqrt(np.sum(r * r))
    s = np.sum(r * np.asarray(axis)) / distance
    P = {2: (3 * s**2 - 1) / 2, 3: (5 * s**3 - 3 * s) / 2, 4: (35 * s**4 - 30 * s**2 + 3) / 8}
    return mu / distance * sum(jn * (radius / distance) ** n * P[n] for n, jn in j.items())


def zonal(r, **given):
    """Its acceleration, by complex steps."""
    h = 1e-20 * np.linalg.norm(r)
    return -np.array([np.imag(potential(r + 1j * h * e, **given)) / h for e in np.eye(3)])


def central(r, mu=MU):
    return -mu * r / np.linalg.norm(r) ** 3


def third(r, s, mu):
    return mu * ((s - r) / np.linalg.norm(s - r) ** 3 - s / np.linalg.norm(s) ** 3)


def fly(acceleration, r, v, times, rtol=1e-13):
    """Positions and velocities at the times, (times, 6); acceleration(t, r, v)."""

    def rates(t, y):
        return np.concatenate([y[3:], acceleration(t, y[:3], y[3:])])

    start = np.concatenate([r, v])
    found = solve_ivp(rates, (0.0, times[-1]), start, method="DOP853", rtol=rtol, atol=1e-9, t_eval=times)
    return found.y.T
