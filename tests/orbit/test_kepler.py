"""Orbital elements: published examples, round trips, what is refused."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import spacedyn as sd
from spacedyn.orbit import OrbitalElements


def test_an_example_of_vallado():
    """Vallado, Fundamentals of astrodynamics, example 2-5, to the digits that are printed."""
    found = sd.orbit.to_elements([6524834.0, 6862875.0, 6448296.0], [4901.327, 5533.756, -1976.341])
    assert found.semi_major_axis == pytest.approx(36127343.0, abs=600.0)
    assert found.eccentricity == pytest.approx(0.832853, abs=2e-6)
    angles = np.degrees([found.inclination, found.node, found.argument, found.anomaly])
    np.testing.assert_allclose(angles, [87.870, 227.898, 53.38, 92.335], atol=6e-3)


def test_keplers_equation():
    """Vallado, example 2-1: M = 235.4°, e = 0.4 gives E = 220.512074767522°."""
    half = np.radians(220.512074767522) / 2.0
    expected = 2.0 * np.arctan(np.sqrt(1.4 / 0.6) * np.tan(half)) + 2.0 * np.pi
    found = sd.orbit.true_anomaly(np.radians(235.4), 0.4)
    assert found == pytest.approx(expected, abs=1e-13)
    many = np.linspace(-20.0, 20.0, 401)
    for e in (0.0, 0.3, 0.99):
        np.testing.assert_allclose(sd.orbit.mean_anomaly(sd.orbit.true_anomaly(many, e), e), many, atol=1e-11)


def test_elements_there_and_back():
    rng = np.random.default_rng(5)
    n = 200
    e = np.concatenate([rng.uniform(0.0, 0.95, n), rng.uniform(1.1, 3.0, n)])
    a = np.where(e < 1.0, 1.0, -1.0) * rng.uniform(6.6e6, 5e7, 2 * n)
    i, node, argument = rng.uniform(0.01, 3.13, 2 * n), *rng.uniform(0.0, 6.28, (2, 2 * n))
    anomaly = rng.uniform(-1.0, 1.0, 2 * n) % (2.0 * np.pi)
    elements = OrbitalElements(a, e, i, node, argument, anomaly)
    there = sd.orbit.from_elements(elements)
    back = sd.orbit.to_elements(*there)
    for given, found in zip(elements, back, strict=True):
        np.testing.assert_allclose(found, given, rtol=1e-9)
    energy = 0.5 * np.sum(there.velocity**2, axis=-1) - sd.orbit.EARTH_MU / np.linalg.norm(there.position, axis=-1)
    np.testing.assert_allclose(energy, -sd.orbit.EARTH_MU / (2.0 * a), rtol=1e-12)


@pytest.mark.parametrize("inclination", [0.0, 0.4, np.pi])
def test_circles_and_planes_without_a_node(inclination):
    """Where an angle means nothing the others still give the place."""
    for e in (0.0, 0.2):
        there = sd.orbit.from_elements(OrbitalElements(7e6, e, inclination, 0.3, 0.5, 0.7))
        again = sd.orbit.from_elements(sd.orbit.to_elements(*there))
        np.testing.assert_allclose(again.position, there.position, atol=1e-5)
        np.testing.assert_allclose(again.velocity, there.velocity, atol=1e-8)


def test_anomalies_are_those_of_an_integrated_orbit():
    there = sd.orbit.from_elements(OrbitalElements(9e6, 0.3, 1.0, 2.0, 3.0, 0.0))
    mu, n = sd.orbit.EARTH_MU, sd.orbit.mean_motion(9e6)

    def fall(t, y):
        return [*y[3:], *(-mu * y[:3] / np.linalg.norm(y[:3]) ** 3)]

    end = solve_ivp(fall, (0, 3000.0), np.concatenate(there), method="DOP853", rtol=1e-12, atol=1e-6).y[:, -1]
    anomaly = sd.orbit.true_anomaly(n * 3000.0, 0.3)
    expected = sd.orbit.from_elements(OrbitalElements(9e6, 0.3, 1.0, 2.0, 3.0, anomaly))
    np.testing.assert_allclose(end, np.concatenate(expected), rtol=1e-9)


@pytest.mark.parametrize(
    ("elements", "words"),
    [
        (OrbitalElements(7e6, 1.0), "eccentricity"),
        (OrbitalElements(-7e6, 0.1), "negative one"),
        (OrbitalElements(7e6, -0.1), "eccentricity"),
        (OrbitalElements(-7e6, 2.0, anomaly=2.5), "does not reach the anomaly 2.5"),
        (OrbitalElements(np.nan), "semi_major_axis"),
        (OrbitalElements(7e6, inclination=51.6), r"from 0 to π rad, got 51.6; .*np\.radians\(51.6\)"),
        (OrbitalElements(7e6, inclination=[0.1, -0.2]), "inclination must be .* got -0.2"),
    ],
)
def test_elements_of_no_orbit_are_refused(elements, words):
    with pytest.raises(sd.InputError, match=words):
        sd.orbit.from_elements(elements)


def test_kilometres_are_told(recwarn):
    with pytest.warns(sd.RunWarning, match="6878.0 m is deep inside the planet; lengths are metres"):
        sd.orbit.from_elements(OrbitalElements(6878.0, 0.001))
    sd.orbit.from_elements(OrbitalElements(6.878e6, 0.999))  # a fall, whose axis is long
    sd.orbit.from_elements(OrbitalElements(600.0), mu=15.0)  # around an asteroid
    assert not recwarn.list


def test_a_fall_has_no_elements():
    with pytest.raises(sd.InputError, match="straight up or down"):
        sd.orbit.to_elements([7e6, 0, 0], [100.0, 0, 0])
    with pytest.raises(sd.InputError, match=r"\(\.\.\., 3\)"):
        sd.orbit.to_elements([7e6, 0], [100.0, 0])


def test_a_start_in_hills_axes_turns_with_the_orbit():
    robot = sd.load("ets7")
    elements = OrbitalElements(7e6, 0.01, 0.5, 1.0, 2.0, 0.3)
    state = sd.orbit.orbit_state(robot, elements, attitude=sd.Rotation.from_rotvec([0, 0, 0.2]), q=[0.4] * 6)
    r, v = sd.orbit.from_elements(elements)
    np.testing.assert_allclose(sd.center_of_mass(robot, state), r, atol=1e-8)
    np.testing.assert_allclose(sd.center_of_mass_velocity(robot, state), v, atol=1e-11)
    axes = sd.orbit.hill_axes(r, v)
    seen = (sd.Rotation.from_matrix(axes).inv() * state.base_attitude).as_rotvec()
    np.testing.assert_allclose(seen, [0, 0, 0.2], atol=1e-14)
    np.testing.assert_allclose(state.base_rate, axes[:, 2] * np.linalg.norm(np.cross(r, v)) / (r @ r), atol=1e-18)
