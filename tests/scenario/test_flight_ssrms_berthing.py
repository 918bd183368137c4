"""SSRMS berths a module: the station's recoil by momentum alone, limits of the real arm, springs that draw in."""

import numpy as np
import pytest

import spacedyn as sd

ARM = ["shoulder_roll", "shoulder_yaw", "shoulder_pitch", "elbow_pitch", "wrist_pitch", "wrist_yaw", "wrist_roll"]


@pytest.fixture(scope="module")
def scenario():
    return sd.Scenario.from_toml("ssrms_berthing")


@pytest.fixture(scope="module")
def run(scenario):
    return scenario.run()


def test_the_arm_is_the_one_of_the_library(run):
    library, robot = sd.load("ssrms"), run.states.model
    for name in ARM:
        here, there = robot.body(robot.joint(name).child), library.body(library.joint(name).child)
        assert here.mass == there.mass and np.array_equal(here.inertia, there.inertia)
        np.testing.assert_allclose(robot.joint(name).position, library.joint(name).position, atol=1e-12)


def test_the_station_gives_way_as_momentum_says(scenario, run):
    law, robot = scenario.content["laws"][0], run.states.model
    path = sd.waypoints(law["times"], law["values"])
    recoil = sd.freefloating.base_motion(robot, run.states[0], path, joints=ARM)
    np.testing.assert_allclose(run.final.base_position, recoil.shift, atol=2e-6)
    turn = run.final.base_attitude.as_rotvec()
    np.testing.assert_allclose(turn, recoil.turn, atol=1e-7)
    assert np.linalg.norm(recoil.shift) == pytest.approx(0.2276, rel=1e-3)
    com = [sd.center_of_mass(robot, state) for state in (run.states[0], run.final)]
    np.testing.assert_allclose(com[1], com[0], atol=1e-11)


def test_the_ring_meets_the_port_and_the_module_changes_hands(run):
    assert [event.name for event in run.events] == ["port draws in", "brakes", "hand lets go"]
    ring, port = run.endpoint("ring"), run.endpoint("port")
    assert np.linalg.norm(ring.position[0] - port.position[0]) == pytest.approx(np.sqrt(4 + 16 + 36), rel=1e-5)
    assert np.linalg.norm(ring.position[-1] - port.position[-1]) < 1e-6
    np.testing.assert_allclose(ring.rotation[-1], port.rotation[-1], atol=1e-6)
    assert np.linalg.norm(port.position[-1] - port.position[0]) > 0.2  # who aims at where it was, misses it
    rates = run.states.qd[-1]
    assert np.abs(rates).max() < 1e-7


def test_it_stays_within_the_published_limits_of_the_arm(run):
    library = sd.load("ssrms")
    for number, name in enumerate(ARM):
        joint = library.joint(name)
        assert np.abs(run["tau"][:, number]).max() < 0.12 * joint.max_force[0]
        assert np.abs(run["qd"][:, number]).max() < 0.2 * joint.max_rate[0]


def test_springs_of_the_port_begin_with_the_energy_of_two_centimetres(run):
    """k d² / 2 = 0.8 J, and less than a thousandth for the turn that is left."""
    assert run["event_work"][-1, 0] == pytest.approx(0.5 * 4000.0 * 0.02**2, rel=2e-3)
    assert run.audit().within_budget
    assert np.abs(run.momentum(about="com")).max() < 1e-6  # of 14 t at 80 mm/s: 1100 N s


def test_the_port_s_pull_is_that_of_its_springs_and_dampers(run):
    at = np.searchsorted(run.time, run.events[0].time) + 2
    ring, port = run.endpoint("ring"), run.endpoint("port")
    R = port.rotation[at]
    lever = ring.position[at] - port.position[at]
    apart = ring.velocity[at, :3] - port.velocity[at, :3] - np.cross(port.velocity[at, 3:], lever)
    expected = R.T @ (4000.0 * lever + 8000.0 * apart)
    np.testing.assert_allclose(run["berth.force"][at], expected, rtol=1e-6, atol=1e-6)
