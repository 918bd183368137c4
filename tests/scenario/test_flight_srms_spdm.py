"""The Shuttle's arm with SPDM at its end: published masses and offsets, frequencies and decay by second routes."""

import numpy as np
import pytest
from scipy.linalg import eigh

import spacedyn as sd

LONG = ["shoulder_yaw", "shoulder_pitch", "elbow_pitch", "wrist_pitch", "wrist_yaw", "wrist_roll", "spdm_body"]
DEXTER = [f"dexter{i}" for i in range(1, 8)]
BOOMS = ["upper_boom1", "lower_boom1"]


@pytest.fixture(scope="module")
def runs():
    return {name: sd.Scenario.from_toml(name).run() for name in ("srms_spdm", "srms_spdm_quiet")}


@pytest.fixture(scope="module")
def robot(runs):
    return runs["srms_spdm"].states.model


def swing(run, begin):
    """Half of the largest motion of the long arm's end along an axis of the Shuttle within twelve seconds [m]."""
    window = (run.time >= begin) & (run.time < begin + 12.0)
    base = run.body("orbiter")
    place = np.einsum("tji,tj->ti", base.rotation, run.endpoint("wrist").position - base.position)
    return 0.5 * np.ptp(place[window], axis=0).max()


def test_masses_and_lengths_are_those_that_are_published(robot):
    """Nguyen and Hughes (1994); SPDM 1662 kg, an arm of 3.35 m. Booms and their pitch gears make one body there."""
    mass = {body.name: body.mass for body in robot.bodies}
    of_srms = [mass["shoulder_yaw"], mass["shoulder_pitch"] + mass["upper_boom1"]]
    of_srms += [mass["elbow_pitch"] + mass["lower_boom1"], *(mass[name] for name in LONG[3:6])]
    np.testing.assert_allclose(of_srms, [32.12, 139.35, 87.42, 8.48, 45.94, 45.21], rtol=1e-12)
    assert sum(mass[name] for name in ["spdm_body", *DEXTER]) == pytest.approx(1662.0)
    straight = robot.neutral_state()
    names = ["shoulder_yaw", "shoulder_pitch", "elbow_pitch", "wrist_pitch", "wrist_yaw", "wrist_roll"]
    where = sd.forward_kinematics(robot, straight).bodies.position
    places = [sd.endpoint_pose(robot, straight, "root").position, *(where[robot.body_index(name)] for name in names)]
    places.append(sd.endpoint_pose(robot, straight, "wrist").position)
    offsets = [[0, 0, -0.5172], [0, 0, -0.3048], [6.377, 0, -0.1524], [7.06, 0, -0.1524], [0.4572, 0, 0], [0.762, 0, 0]]
    np.testing.assert_allclose(np.diff(places, axis=0), [*offsets, [0.6604, 0, 0]], atol=1e-12)
    tip = sd.endpoint_pose(robot, straight, "tip").position
    assert tip[0] - where[robot.body_index("dexter1"), 0] == pytest.approx(3.35)


def test_peers_have_the_same_dynamics(robot):
    assert sd.verify(robot, states=2, tolerance=1e-10)


def test_its_frequencies_are_those_of_its_springs_on_a_floating_base(runs, robot):
    """K of the root springs 2 EI / l against the inertia that a floating base leaves, by SciPy."""
    run = runs["srms_spdm"]
    bend = [i for name in BOOMS for i in range(robot.q_slice(name).start, robot.q_slice(name).stop)]
    rest = robot.state(q=np.where(np.isin(np.arange(18), bend), 0.0, run.final.q))
    floating = sd.generalized_inertia(robot, rest)[np.ix_(bend, bend)]
    K = np.diag(np.repeat([2 * 1.2e6 / 5.977, 2 * 1.2e6 / 6.66], 2))
    exact = np.sqrt(eigh(K, floating, eigvals_only=True)) / (2 * np.pi)
    np.testing.assert_allclose(sd.natural_frequencies(robot, rest).frequencies, exact, rtol=1e-9)
    assert 0.14 < exact[0] < 0.15


def test_a_held_robot_leaves_the_swing_and_an_arm_of_it_takes_it_away(runs):
    held, quiet = runs["srms_spdm"], runs["srms_spdm_quiet"]
    assert held.audit().within_budget and quiet.audit().within_budget
    assert swing(held, 20.0) == pytest.approx(0.0386, rel=0.03) and swing(held, 100.0) > 0.6 * swing(held, 20.0)
    assert swing(quiet, 60.0) < 0.1 * swing(held, 60.0) and swing(quiet, 100.0) < 0.01 * swing(held, 100.0)
    moved = np.abs(quiet.states.q[:, -7:] - quiet.states.q[0, -7:]).max()
    assert np.radians(2.0) < moved < np.radians(8.0)


def test_the_swing_dies_away_as_the_linearized_loop_says(runs, robot):
    """Eigenvalues of robot, floating base and law together, where the arm has come to rest."""
    run = runs["srms_spdm_quiet"]
    rest = robot.state(q=run.final.q)
    options = {"flexible": ["upper_boom1"], "joints": DEXTER, "time_constant": 10.0, "others": "held"}
    law = sd.control.vibration_damping(robot, rest, **options)
    values = sd.linearize(robot, rest, laws=[law], prescribed=dict.fromkeys(LONG, "locked")).eigenvalues()
    slow = np.sort(-values[(values.imag > 0.7) & (values.imag < 1.6)].real)
    assert slow.size == 2
    bend = np.abs(run.states.q[:, robot.q_slice("upper_boom1").start])
    peaks = [bend[(run.time >= t) & (run.time < t + 7.2)].max() for t in (30.0, 50.0, 70.0)]
    measured = np.log(np.array(peaks[:-1]) / peaks[1:]) / 20.0
    assert (measured > 0.9 * slow[0]).all() and (measured < 1.1 * slow[1]).all()


def test_nothing_acts_from_outside(runs):
    """The Shuttle's recoil: no momentum comes or goes, so its turn is what the arm's motion asks for."""
    for run in runs.values():
        momentum = run.momentum(about="com")
        assert (
            np.abs(momentum).max() < 1e-6 * np.linalg.norm(run.body("spdm_body").velocity[:, :3], axis=1).max() * 1662
        )
    turn = [np.degrees(run.states.base_attitude.magnitude()).max() for run in runs.values()]
    np.testing.assert_allclose(turn, 2.67, atol=0.03)
