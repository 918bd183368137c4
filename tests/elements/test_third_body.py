"""Gravity of the Sun and the Moon: against an independent integration, by series, table and place."""

import numpy as np
import pytest

import spacedyn as sd
from orbital_accelerations import central, fly, third

EPOCH = "2026-03-01T00:00:00"


def satellite():
    b = sd.Builder("small")
    b.base("small", mass=3.0, inertia=(0.01, 0.02, 0.025))
    return b.build()


def test_a_day_in_a_geostationary_orbit():
    """Against SciPy's DOP853 with the same series of Sun and Moon: 1 mm; the Sun and the Moon move it by kilometres."""
    model = satellite()
    start = sd.orbit.orbit_state(model, sd.orbit.OrbitalElements(42164e3, 1e-4, 0.05))
    times = np.linspace(0.0, 86400.0, 5)
    bodies = [sd.ThirdBody("sun", epoch=EPOCH), sd.ThirdBody("moon", epoch=EPOCH)]
    run = sd.simulate(model, start, 86400.0, elements=[sd.CentralGravity(), *bodies], record=times)

    def pull(t, r, v):
        sun, moon = (sd.orbit.position_of(body, EPOCH, t) for body in ("sun", "moon"))
        return central(r) + third(r, sun, sd.orbit.SUN_MU) + third(r, moon, sd.orbit.MOON_MU)

    expected = fly(pull, start.base_position, start.base_velocity, times, rtol=1e-12)
    np.testing.assert_allclose(run["base_position"], expected[:, :3], atol=1e-3)
    alone = sd.simulate(model, start, 86400.0, elements=[sd.CentralGravity()], record=times)
    assert np.abs(alone["base_position"][-1] - run["base_position"][-1]).max() > 1e3
    assert run.audit().energy < 1e-11


def test_a_path_that_is_given():
    """astropy's Moon as a table: a metre off the ephemeris between its points; a series' table is its series."""
    model = satellite()
    start = sd.orbit.orbit_state(model, sd.orbit.OrbitalElements(42164e3))
    times = np.arange(0.0, 20.1, 1.0) * 3600.0
    true = sd.orbit.position_of("moon", EPOCH, times, source="astropy")
    table = sd.ThirdBody("moon", times=times, positions=true)
    series = sd.ThirdBody("moon", epoch=EPOCH)
    same = sd.ThirdBody("moon", times=times, positions=sd.orbit.position_of("moon", EPOCH, times))
    ends = [
        sd.simulate(model, start, 72000.0, elements=[sd.CentralGravity(), one], record=[72000.0])["base_position"][-1]
        for one in (table, series, same)
    ]
    np.testing.assert_allclose(ends[2], ends[1], atol=1e-4)
    assert 1e-3 < np.abs(ends[0] - ends[1]).max() < 20.0
    with pytest.raises(sd.InputError, match="given until 72000 s, and the run ends at 80000 s"):
        sd.simulate(model, start, 80000.0, elements=[sd.CentralGravity(), table])


def test_a_place_that_is_held():
    """Two fixed centres, no frame that falls: the Euler problem, whose energy is conserved."""
    model, other = satellite(), np.array([10.0, 0.0, 0.0])
    start = model.state(base_position=[3.0, 4.0, 1.0], base_velocity=[0.1, -0.4, 0.3])
    pulls = [sd.CentralGravity(mu=1.0), sd.ThirdBody(mu=2.0, position=other, indirect=False)]
    run = sd.simulate(model, start, 20.0, elements=pulls, record=2.0)
    r, v = run["base_position"], run["base_velocity"]
    energy = 0.5 * (v**2).sum(1) - 1.0 / np.linalg.norm(r, axis=1) - 2.0 / np.linalg.norm(r - other, axis=1)
    # a body that is not a point: the second order is 1e-3 of size over distance squared
    assert np.abs(energy - energy[0]).max() < 2e-3
    assert run.audit().energy < 1e-10
    expected = fly(
        lambda t, r, v: central(r, 1.0) + central(r - other, 2.0), start.base_position, start.base_velocity, run.time
    )
    np.testing.assert_allclose(r, expected[:, :3], atol=2e-2)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "body='sun' or 'moon', or mu"),
        ({"body": "mars"}, "sun, moon"),
        ({"mu": 1.0}, "one of"),
        ({"mu": 1.0, "position": (1, 2)}, "position"),
        ({"body": "sun", "position": (1, 2, 3), "times": [0, 1], "positions": np.zeros((2, 3))}, "one of"),
        ({"body": "sun", "times": [0, 1]}, "both times and positions"),
        ({"body": "sun", "times": [1, 0], "positions": np.zeros((2, 3))}, "rising"),
        ({"body": "sun", "epoch": "soon"}, "epoch"),
        ({"mu": 0.0, "position": (1, 2, 3)}, "positive"),
    ],
)
def test_what_is_refused(given, words):
    with pytest.raises(sd.SpacedynError, match=words):
        sd.ThirdBody(**given)
