"""A long arm and a small one: public figures, frequencies and decay by second routes, the energy that motors take."""

import numpy as np
import pytest
from scipy.linalg import eigh

import spacedyn as sd

LONG = ["shoulder_yaw", "shoulder_pitch", "elbow_pitch", "wrist_pitch", "wrist_yaw", "wrist_roll"]
SMALL = [f"mini{i}" for i in range(1, 7)]
BEND = [2, 3, 5, 6]  # coordinates of both booms


@pytest.fixture(scope="module")
def runs():
    return {name: sd.Scenario.from_toml(name).run() for name in ("macro_mini", "macro_mini_quiet")}


@pytest.fixture(scope="module")
def robot(runs):
    return runs["macro_mini"].states.model


def swing(run, begin):
    """Half of the largest motion of the long arm's end along an axis within six seconds [m]."""
    window = (run.time >= begin) & (run.time < begin + 6.0)
    return 0.5 * np.ptp(run.endpoint("wrist").position[window], axis=0).max()


def test_both_arms_have_the_lengths_and_masses_that_are_public(robot):
    small = sum(robot.body(name).mass for name in SMALL)
    assert small == pytest.approx(190.0) and robot.total_mass - robot.bodies[0].mass - small == pytest.approx(780.0)
    stretched = robot.neutral_state()
    places = [sd.endpoint_pose(robot, stretched, name).position[0] for name in ("root", "wrist", "tip")]
    np.testing.assert_allclose(np.diff(places), [10.0, 2.2], atol=1e-12)


def test_peers_have_the_same_dynamics(robot):
    assert sd.verify(robot, states=2, tolerance=1e-10)


def test_its_frequencies_are_those_of_its_springs_and_of_the_swing_after_the_motion(runs, robot):
    """K of the root springs 2 EI / l against the mass matrix by SciPy; the swing's own by its zero crossings."""
    run = runs["macro_mini"]
    rest = robot.state(q=np.where(np.isin(np.arange(16), BEND), 0.0, run.final.q))
    M = sd.mass_matrix(robot, rest)[np.ix_(BEND, BEND)]
    exact = np.sqrt(eigh(2 * 4e5 / 3.9 * np.eye(4), M, eigvals_only=True)) / (2 * np.pi)
    vibration = sd.natural_frequencies(robot, rest)
    np.testing.assert_allclose(vibration.frequencies, exact, rtol=1e-10)
    lateral = run.states.q[:, BEND[0]][run.time > 10.0]  # bend about z: one slow mode, as the arm is in a plane
    fine = np.fft.rfft(lateral * np.hanning(lateral.size), 32 * lateral.size)
    peak = np.argmax(np.abs(fine)) / (32 * lateral.size * 0.1)
    assert np.abs(exact[:2] - peak).min() < 0.002


def test_a_held_small_arm_leaves_the_swing_to_the_booms_damping(runs, robot):
    run = runs["macro_mini"]
    vibration = sd.natural_frequencies(robot, robot.state(q=run.final.q))
    rates = vibration.damping_ratios[:2] * vibration.angular_frequencies[:2]
    energy = run.energy().total
    t = (run.time > 9.0) & (run.time < 57.0)
    measured = -np.polyfit(run.time[t], np.log(energy[t]), 1)[0] / 2.0
    assert 0.98 * rates.min() < measured < 1.02 * rates.max()
    assert swing(run, 8.0) == pytest.approx(0.0423, rel=0.02) and swing(run, 50.0) > 0.5 * swing(run, 8.0)


def test_the_small_arm_takes_the_swing_away_as_fast_as_the_linearized_loop_says(runs, robot):
    run = runs["macro_mini_quiet"]
    rest = robot.state(q=run.final.q)
    law = sd.control.vibration_damping(robot, rest, flexible=["upper_boom1"], joints=SMALL, others="held")
    loop = sd.linearize(robot, rest, laws=[law], prescribed=dict.fromkeys(LONG, "locked"))
    values = loop.eigenvalues()
    slow = np.sort(-values[(values.imag > 1.0) & (values.imag < 4.0)].real)
    assert slow.size == 2
    bend = np.abs(run.states.q[:, BEND[0]])
    peaks = [bend[(run.time >= t) & (run.time < t + 3.1)].max() for t in (10.0, 20.0, 30.0)]
    measured = np.log(np.array(peaks[:-1]) / peaks[1:]) / 10.0
    assert (measured > 0.93 * slow[0]).all() and (measured < 1.07 * slow[1]).all()
    assert swing(run, 32.0) < 0.02 * swing(runs["macro_mini"], 32.0)
    assert np.abs(run.states.q[:, 10:] - run.states.q[0, 10:]).max() < np.radians(3.0)


def test_motors_of_the_small_arm_take_the_energy_of_the_swing(runs):
    for name, share in (("macro_mini", 0.0), ("macro_mini_quiet", 0.93)):
        run = runs[name]
        assert run.audit().within_budget
        after = run.time >= 8.0
        energy, work = run.energy().total[after], run["joint_work"][after].sum(axis=1)
        assert (work[0] - work[-1]) / (energy[0] - energy[-1]) == pytest.approx(share, abs=0.02)
