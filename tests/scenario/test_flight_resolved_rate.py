"""Umetani and Yoshida's line by two Jacobians: against momentum alone, integrated by SciPy without any dynamics."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import spacedyn as sd

BY, DURATION = np.array([-1.0, 2.0, 1.0]), 25.0


@pytest.fixture(scope="module")
def robot():
    return sd.load("umetani_yoshida")


def flown(jacobian, **change):
    name = {"generalized": "resolved_rate", "fixed": "resolved_rate_fixed"}[jacobian]
    return sd.Scenario.from_toml(name, change={f"laws.0.{key}": value for key, value in change.items()}).run()


def way(run):
    hand = run.endpoint("hand").position
    return hand - hand[0]


def aside(run):
    """Largest distance of the hand from its line [m]."""
    along = BY / np.linalg.norm(BY)
    return np.linalg.norm(way(run) - np.outer(way(run) @ along, along), axis=1).max()


def by_momentum(robot, jacobian):
    """Where the hand gets if joints have the rates that the Jacobian asks for, and momentum is zero (3,)."""

    def rates(t, y):
        state = robot.state(base_position=y[:3], base_attitude=sd.Rotation.from_quat(y[3:7]), q=y[7:])
        s = t / DURATION
        wanted = BY / DURATION * 30 * s**2 * (1 - s) ** 2  # minimum jerk
        H, J = sd.mass_matrix(robot, state), sd.endpoint_jacobian(robot, state, "hand")[:3]
        recoil = -np.linalg.solve(H[:6, :6], H[:6, 6:])
        qd = np.linalg.solve(J[:, 6:] if jacobian == "fixed" else J[:, 6:] + J[:, :6] @ recoil, wanted)
        v, w = np.split(recoil @ qd, 2)
        return np.concatenate([v, (y[6] * w + np.cross(w, y[3:6])) / 2, [-w @ y[3:6] / 2], qd])

    start = robot.state(q=[0.3, 0.9, -1.4])
    end = solve_ivp(rates, (0, DURATION), start.x, rtol=1e-8, atol=1e-10).y[:, -1]
    last = robot.state(base_position=end[:3], base_attitude=sd.Rotation.from_quat(end[3:7]), q=end[7:])
    return sd.endpoint_pose(robot, last, "hand").position - sd.endpoint_pose(robot, start, "hand").position


@pytest.mark.parametrize("jacobian", ["generalized", "fixed"])
def test_by_rates_alone_the_hand_gets_where_momentum_says(robot, jacobian):
    """The faster joints follow their rates, the nearer: what is left falls with 1 / rate_bandwidth."""
    exact, left = by_momentum(robot, jacobian), []
    if jacobian == "generalized":
        np.testing.assert_allclose(exact, BY, atol=1e-6)
    for bandwidth in (20.0, 80.0):
        run = flown(jacobian, bandwidth=0.0, rate_bandwidth=bandwidth)
        left.append(np.linalg.norm(way(run)[-1] - exact))
    assert left[0] < 0.01 and left[0] / left[1] == pytest.approx(4.0, rel=0.1)


def test_the_generalized_jacobian_keeps_the_line_and_that_of_a_fixed_base_does_not(robot):
    good, bad = flown("generalized"), flown("fixed")
    assert aside(good) < 0.0012 and np.linalg.norm(way(good)[-1] - BY) < 2e-4
    assert aside(bad) == pytest.approx(0.0726, rel=0.02)
    for run in (good, bad):
        assert run.audit().within_budget
        assert np.abs(run.momentum(about="com")).max() < 1e-9
        assert run["resolved_rate0.damped"][-1, 0] == 0.0  # far from singular poses


def test_a_heavy_satellite_needs_no_generalized_jacobian(robot):
    """A thousand times the mass and inertia: both Jacobians lead to the goal."""
    base = robot.bodies[0]
    heavy = robot.vary(mass={"satellite": 1000 * base.mass}, inertia={"satellite": 1000 * base.inertia})
    start, path = heavy.state(q=[0.3, 0.9, -1.4]), {"kind": "line", "by": BY, "duration": DURATION}
    options = {"endpoint": "hand", "path": path, "follow": ["x", "y", "z"], "bandwidth": 0.0, "rate_bandwidth": 80.0}
    law = sd.control.resolved_rate(heavy, start, **options, jacobian="fixed", period=0.01)
    assert np.linalg.norm(way(sd.simulate(heavy, start, 30.0, laws=[law], record=0.5))[-1] - BY) < 0.003
