"""Paths of endpoints: closed forms, derivatives by differences, and what is refused."""

import numpy as np
import pytest

import spacedyn as sd
from spacedyn.motion.endpoint_paths import path_from

START = sd.Rotation.from_rotvec([0.3, -0.2, 0.7])
PATHS = {
    "line": sd.endpoint_line([1, 2, 3], START, by=[0.4, -0.2, 0.1], turn=[0.9, 0.2, -1.4], duration=4.0, begin=1.0),
    "slow": sd.endpoint_line([1, 2, 3], START, to=[1.4, 1.8, 3.1], turn=[1e-3, 0, 0], duration=4.0, begin=1.0),
    "screw": sd.endpoint_screw(
        [1, 0, 0.5], START, point=[0.2, 0.1, 0], axis=[0, 1, 2], angle=7.0, pitch=0.3, duration=4.0, begin=1.0
    ),
    "waypoints": sd.endpoint_waypoints(
        [1, 2, 3],
        START,
        times=[1, 2, 5],
        positions=[[0, 0, 0], [0.1, 0.3, 0.2], [0.4, 0, 0]],
        turns=[[0, 0, 0], [0.5, 0.4, -0.2], [0.2, 1.1, 0.6]],
        relative=True,
    ),
}


@pytest.mark.parametrize("name", list(PATHS))
def test_velocity_and_acceleration_are_derivatives_of_the_pose(name):
    path, h = PATHS[name], 1e-4
    for t in (1.7, 2.6, 4.1):
        before, here, after = path.at(t - h), path.at(t), path.at(t + h)
        v = (after.position - before.position) / (2 * h)
        w = sd.Rotation.from_matrix(after.rotation @ before.rotation.T).as_rotvec() / (2 * h)
        assert np.allclose(here.velocity, [*v, *w], atol=3e-7 * (1 + np.abs(here.velocity).max()))
        change = (after.velocity - before.velocity) / (2 * h)
        assert np.allclose(here.acceleration, change, atol=3e-7 * (1 + np.abs(change).max()))
    assert np.abs(path.at(0.0).velocity).max() == np.abs(path.at(9.0).acceleration).max() == 0.0


def test_a_screw_keeps_its_distance_from_the_axis_and_advances_by_its_pitch():
    path, axis = PATHS["screw"], np.array([0, 1, 2]) / np.sqrt(5)
    arms = [path.at(t).position - [0.2, 0.1, 0] for t in np.linspace(1, 5, 9)]
    across = [np.linalg.norm(np.cross(axis, arm)) for arm in arms]
    assert np.allclose(across, across[0], rtol=1e-12)
    assert np.isclose(axis @ (arms[-1] - arms[0]), 0.3 * 7.0 / (2 * np.pi), rtol=1e-12)
    turned = path.at(5.0).rotation @ START.as_matrix().T
    assert np.allclose(turned, sd.Rotation.from_rotvec(7.0 * axis).as_matrix(), atol=1e-12)


def test_a_trapezoidal_motion_keeps_its_limits_and_is_as_fast_as_they_allow():
    path = sd.trapezoidal([0.0, 1.0], [2.0, 0.5], speed=[0.5, 1.0], acceleration=0.25, begin=3.0)
    times = np.linspace(3.0, path.breaks[-1], 2001)
    value, rate, acceleration = path.over_times(times)
    assert np.isclose(np.abs(rate).max(axis=0)[0], 0.5) and np.abs(rate).max(axis=0)[1] < 1.0
    assert np.abs(acceleration).max() < 0.25 * (1 + 1e-12)
    assert np.isclose(path.breaks[-1] - 3.0, 2.0 / 0.5 + 0.5 / 0.25)  # way/speed + speed/acceleration
    assert np.allclose(value[-1], [2.0, 0.5]) and np.allclose(rate[[0, -1]], 0.0, atol=1e-12)
    assert np.allclose((value[:, 1] - 1.0) * -4.0, value[:, 0])  # in step
    short = sd.trapezoidal(0.0, 0.1, speed=1.0, acceleration=0.4)  # a triangle
    assert np.isclose(short.breaks[-1], 2 * np.sqrt(0.1 / 0.4)) and len(short.breaks) == 3


def test_minimum_jerk_has_the_least_jerk():
    path = sd.minimum_jerk(0.0, 1.0, 2.0)
    times = np.linspace(0, 2, 4001)

    def cost(wobble):  # others between the same states of rest
        s = times / 2.0
        value = path.over_times(times)[0, :, 0] + wobble * s**3 * (1 - s) ** 3
        jerk = np.diff(value, 3) / (times[1]) ** 3
        return (jerk**2).sum() * times[1]

    assert np.isclose(cost(0.0), 720.0 / 2.0**5, rtol=1e-2)  # 720 / T⁵, Flash & Hogan (1985)
    assert cost(0.0) < min(cost(0.3), cost(-0.3))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: sd.endpoint_line([0, 0, 0], np.eye(3), duration=1.0), "either `to`"),
        (lambda: sd.endpoint_line([0, 0, 0], np.eye(3), by=[1, 0, 0]), "give a duration"),
        (lambda: sd.endpoint_line([0, 0, 0], np.eye(3), by=[1, 0, 0], duration=1, speed=1), "give a duration"),
        (lambda: sd.endpoint_line([0, 0, 0], np.eye(3), by=[0, 0, 0], duration=1), "neither moves nor turns"),
        (lambda: sd.endpoint_line([0, 0, 0], -np.eye(3), by=[1, 0, 0], duration=1), "rotation matrix"),
        (lambda: sd.endpoint_screw([0] * 3, np.eye(3), point=[0] * 3, axis=[0] * 3, angle=1.0, duration=1), "an axis"),
        (lambda: sd.endpoint_waypoints([0] * 3, np.eye(3), times=[0, 1], positions=[0, 1]), "rows of three"),
        (lambda: sd.minimum_jerk(0.0, 1.0, -1.0), "positive time"),
        (lambda: sd.trapezoidal(0.0, 0.0, speed=1, acceleration=1), "same place"),
        (lambda: sd.trapezoidal([0.0, 1], [1.0, 1], speed=-1, acceleration=1), "must be positive"),
        (lambda: path_from("law", {"kind": "lin"}, np.zeros(3), np.eye(3)), "did you mean 'line'"),
        (lambda: path_from("law", [1, 2], np.zeros(3), np.eye(3)), "path must be an EndpointPath"),
        (lambda: path_from("law", {"kind": "line", "position": 1}, np.zeros(3), np.eye(3)), "no 'position' here"),
    ],
)
def test_what_is_no_path_is_refused_by_name(make, words):
    with pytest.raises(sd.InputError, match=words):
        make()
