"""Orbits in scenario files, run files, linearizations; conditions that read channels."""

import numpy as np
import pytest

import spacedyn as sd

TEXT = """
robot = "ets7"
duration = 20.0
record = 10.0

[state]
q = [0.3, 0.4, -0.8, 0.2, 0.4, 0.1]

[[elements]]
kind = "central_gravity"

[[elements]]
kind = "zonal_gravity"

[[elements]]
kind = "third_body"
body = "moon"
epoch = "2026-03-01T00:00:00"

[[elements]]
kind = "atmospheric_drag"
body = "{bus}"
normals = [[1, 0, 0], [-1, 0, 0]]
areas = 4.0
air = "harris_priester"

[[elements]]
kind = "solar_pressure"
body = "{bus}"
normals = [0, 0, 1]
areas = 4.0
specular = 0.3

[[elements]]
kind = "orbiting_origin"
position = [6.778e6, 0, 0]
velocity = [0, 6.0e3, 4.7e3]
"""
NEAR = """
robot = "ets7"
duration = 5.0

[[elements]]
kind = "{kind}"
mean_motion = 0.0011
"""


def test_a_scenario_in_orbit(tmp_path):
    robot = sd.load("ets7")
    file = tmp_path / "orbit.toml"
    file.write_text(TEXT.replace("{bus}", robot.body_names[0]))
    run = sd.Scenario.from_toml(file).run()
    assert run["orbiting_origin.position"].shape == (3, 3)
    assert run.data["density"].attrs["units"] == "kg/m³"
    assert run.audit().worst < 1e-8
    run.save(tmp_path / "run.nc")
    again = sd.Run.load(tmp_path / "run.nc")
    assert [one.label for one in again.elements] == [one.label for one in run.elements]
    longer, other = (
        again.resume(until=40.0),
        sd.simulate(robot, run.states[0], 40.0, elements=run.elements, record=10.0),
    )
    np.testing.assert_array_equal(longer["base_position"], other["base_position"])


@pytest.mark.parametrize("kind", ["hill_frame", "gravity_gradient"])
def test_a_scenario_near_an_orbit(tmp_path, kind):
    file = tmp_path / "near.toml"
    file.write_text(NEAR.replace("{kind}", kind))
    assert sd.Scenario.from_toml(file).run().audit().within_budget


def test_linearized_motion_near_an_orbit():
    """Eigenvalues of Clohessy and Wiltshire's equations, 0, 0, ±in, ±in; and of pitch, ±i n sqrt(3 (B - A) / C)."""
    b = sd.Builder("block")
    b.base("block", mass=100.0, inertia=(10.0, 13.0, 15.0))
    model, n = b.build(), 0.01
    A = sd.linearize(model, model.neutral_state(), elements=[sd.HillFrame(n)]).A
    move = np.r_[0:3, 6:9]
    found = np.sort_complex(np.linalg.eigvals(A[np.ix_(move, move)]))
    np.testing.assert_allclose(np.sort(found.imag), [-n, -n, 0, 0, n, n], atol=1e-8)
    turn = np.r_[3:6, 9:12]
    rates = np.abs(np.linalg.eigvals(A[np.ix_(turn, turn)]).imag)
    assert np.abs(rates - n * np.sqrt(3 * 3.0 / 15.0)).min() < 1e-12


@sd.condition
def thin(t, s, p, out):
    out.value[0] = s.orbiting_origin.altitude[0] - p.level


def test_a_condition_reads_what_laws_read():
    """The altitude at which a perigee is passed, and back; a channel that is not there is named."""
    robot = sd.load("ets7")
    r, v = sd.orbit.from_elements(sd.orbit.OrbitalElements(6.928e6, 0.01, anomaly=-0.5))
    elements = [sd.CentralGravity(), sd.OrbitingOrigin(r, v)]
    level = float(np.linalg.norm(r)) - 6378137.0 - 2000.0
    run = sd.simulate(robot, robot.neutral_state(), 1000.0, elements=elements, events=[sd.Event(thin(level=level))])
    assert len(run.events) == 2
    a, b = (event.time for event in run.events)
    at = np.interp([a, b], run.time, run["altitude"][:, 1])
    np.testing.assert_allclose(at, level, atol=1.0)
    with pytest.raises(sd.InputError, match="orbiting_origin"):
        sd.simulate(
            robot, robot.neutral_state(), 1.0, elements=[sd.CentralGravity()], events=[sd.Event(thin(level=1.0))]
        )
