"""Coulomb's law at one place that slides: the point of a disc that sweeps come to, one step of Newton's method each."""

import numba
import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from spacedyn.kernels.simulation.near_law import on_disc

step = numba.njit(lambda G, s, limit, lam: on_disc(G, s, limit, lam, 0.0))


def problems(count):
    """Tangential matrices from round to a hundred times longer than wide, velocities, radii of the disc."""
    rng = np.random.default_rng(0)
    for _ in range(count):
        Q = np.linalg.qr(rng.normal(size=(2, 2)))[0]
        M = Q @ np.diag([1.0, 10.0 ** rng.uniform(-2, 0)]) @ Q.T * 10.0 ** rng.uniform(-3, 3)
        s = rng.normal(size=2) * 10.0 ** rng.uniform(-2, 2)
        yield M, s, np.linalg.norm(np.linalg.solve(M, s)) * 10.0 ** rng.uniform(-4, 0.5)


@pytest.mark.parametrize("far", [0.0, 1e3, 1e9])
def test_it_converges_to_the_least_energy_on_the_disc(far):
    """From no lam, and from one that belonged to a far smaller disc."""
    inside = 0
    for M, s, limit in problems(300):
        lam = far * np.trace(M)
        for _ in range(8):
            x, y, lam = step((1.0, 0.0, 0.0, M[0, 0], M[1, 1], M[0, 1]), tuple(s), limit, lam)
            assert np.hypot(x, y) <= limit * (1.0 + 1e-13)
        p = np.array([x, y])
        inside += lam == 0.0
        np.testing.assert_allclose(M @ p + lam * p, s, rtol=0, atol=1e-11 * np.linalg.norm(s))
        assert lam == 0.0 or np.hypot(x, y) == pytest.approx(limit, rel=1e-12)

        def energy(angle, M=M, s=s, limit=limit):
            q = limit * np.array([np.cos(angle), np.sin(angle)])
            return 0.5 * q @ M @ q - s @ q

        if lam > 0.0:
            near = np.arctan2(y, x)
            best = minimize_scalar(energy, bounds=(near - 0.5, near + 0.5), method="bounded", options={"xatol": 1e-10})
            assert energy(near) <= best.fun + 1e-12 * abs(best.fun)
    assert 20 < inside < 280


def test_nothing_pushes_on_a_disc_without_radius():
    assert step((1.0, 0.0, 0.0, 1.0, 2.0, 0.5), (1.0, -2.0), 0.0, 3.0)[:2] == (0.0, 0.0)


def test_what_is_no_number_stays():
    assert np.isnan(step((1.0, 0.0, 0.0, 1.0, 2.0, 0.5), (np.nan, 1.0), 1.0, 0.0)[0])
