"""Scenes that the benchmarks compare with Drake's CENIC, by equations of their own; and the rows without Drake."""

import numpy as np
import pytest
from benchmarks import cenic
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation


def _cross(a):
    """Matrix of a cross product."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def _matrix(quaternion):
    """Of a rotation; the quaternion need not have the length 1."""
    q = quaternion / np.sqrt(quaternion @ quaternion)
    across = _cross(q[:3])
    return np.eye(3) + 2.0 * (q[3] * across + across @ across)


def test_the_four_bar_is_one_degree_of_freedom():
    """Two rods turn about their ends, the third is carried: (2/3 + 1) a'' = -(2/2 + 1) g cos a, by SciPy's DOP853."""
    scene = cenic.four_bar()

    def field(t, y):
        return [y[1], -2 * 9.81 * np.cos(y[0]) / (2 / 3 + 1)]

    tight = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-13}
    a = solve_ivp(field, (0, scene.seconds), [np.pi / 2, -1.0], **tight).y[0, -1]
    found = cenic.simulated(scene, 1e-10).final.q
    np.testing.assert_allclose(found, [a, -a, a + np.pi], rtol=0, atol=1e-8)
    for joint, of, ratio, offset in scene.couplings:  # what CENIC gets for the loop
        q = dict(zip(("crank", "coupler", "rocker"), found, strict=True))
        assert q[joint] == pytest.approx(ratio * q[of] + offset, abs=1e-11)


def test_the_touch_down_follows_newton_and_euler():
    """With forces of the feet written out: Hunt and Crossley's spring, friction soft below a speed."""
    scene, start = cenic.touch_down(), cenic.touch_down().start
    mass, moments, feet = 100.0, np.array([20.0, 25.0, 30.0]), np.array(scene.feet)

    def field(t, y):
        turn, spin, v = _matrix(y[3:7]), y[10:], y[7:10]
        arms = feet @ turn.T - [0, 0, cenic.RADIUS]
        speeds = v + arms @ _cross(turn @ spin).T
        depth = np.maximum(-(y[2] + arms[:, 2]), 0.0)
        normal = cenic.STIFFNESS * depth * np.maximum(1.0 - cenic.DISSIPATION * speeds[:, 2], 0.0)
        slow = np.sqrt((speeds[:, :2] ** 2).sum(axis=1) + cenic.SLIP**2)
        forces = np.column_stack([-cenic.FRICTION * (normal / slow)[:, None] * speeds[:, :2], normal])
        moment = turn.T @ np.cross(arms, forces).sum(axis=0) - _cross(spin) @ (moments * spin)
        quaternion = 0.5 * np.append(y[6] * spin + _cross(y[3:6]) @ spin, -y[3:6] @ spin)
        return np.concatenate([v, quaternion, forces.sum(axis=0) / mass + scene.gravity, moment / moments])

    spin = start.base_attitude.inv().apply(np.array(start.base_rate))
    first = np.concatenate([start.base_position, start.base_quaternion_xyzw, start.base_velocity, spin])
    end = solve_ivp(field, (0, scene.seconds), first, method="DOP853", rtol=1e-7, atol=1e-9).y[:, -1]
    wanted = np.concatenate([end[:3], Rotation.from_quat(end[3:7]).as_rotvec()])
    run = cenic.simulated(scene, 1e-8)
    np.testing.assert_allclose(cenic.places(run.final), wanted, rtol=0, atol=1e-6)
    normal = run["contact.normal_force"]
    assert normal.max() > 500.0 and (normal == 0.0).all(axis=1).sum() > 5  # a hit, and flight


@pytest.mark.parametrize("name", list(cenic.SCENES))
def test_rows_are_made_without_drake(name, monkeypatch):
    monkeypatch.setattr(cenic, "drake_version", lambda: None)
    moves = slice(0, 3) if name == "touch-down" else slice(6, 9)  # where the base is, or angles of joints
    exact = cenic.places(cenic.simulated(cenic.SCENES[name](), 1e-10).final)[moves]
    for (level, who), reached in zip(cenic.compared(name), cenic.REACHED[name], strict=True):
        assert level["drake"] == {"missing": "drake is not installed: pip install drake"}
        assert 0.0 < level["ours"]["error"] <= reached and level["ours"]["steps"] > 10
        assert who.keys() == {"float64", "call"}
        names = dict(who["float64"].names)
        for _ in range(2):  # from the start each time
            names["rows"][:] = np.nan
            exec(who["float64"].statement, names)
            row = names["rows"][0, 0]
            assert row[0] == 2.0
            assert all(abs(row - place).min() <= 1.001 * level["ours"]["error"] for place in exact)
