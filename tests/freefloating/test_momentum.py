"""Shares of momentum: of base and joints, of each body; about the robot's centre of mass."""

import numpy as np
import pytest

import spacedyn as sd
from golden_cases import MODELS, Case
from random_trees import random_model

ff = sd.freefloating


@pytest.mark.parametrize("base", ["free", "planar", "attitude", "fixed"])
def test_all_shares_add_up(base):
    rng = np.random.default_rng(7)
    model = random_model(rng, 9, base_kind=base)
    for state in (model.random_state(rng), model.random_state(rng, (2, 3))):
        total = sd.momentum(model, state, about="com")
        shares = ff.distributed_momentum(model, state)
        size = 1 + np.abs(shares.bodies).sum()
        np.testing.assert_allclose(shares.total, total, atol=1e-13 * size)
        np.testing.assert_allclose(shares.base + shares.coupling, total, atol=1e-13 * size)
        np.testing.assert_allclose(shares.bodies.sum(axis=-2), total, atol=1e-13 * size)
        np.testing.assert_allclose(ff.bias_momentum(model, state), shares.coupling, atol=1e-13 * size)
        still = state.replace(base_velocity=np.zeros(3), base_rate=np.zeros(3))
        for about in ("com", "base", "origin", [1.0, 2.0, 3.0]):
            bias = ff.bias_momentum(model, state, about=about)
            np.testing.assert_allclose(bias, sd.momentum(model, still, about=about), atol=1e-13 * size)


def test_locked_joints_give_their_momentum_to_the_base():
    """Two seconds of a brake that stops the joints: what the arm had is the base's then."""
    robot = sd.load("ets7")
    start = robot.state(q=[0.3, 0.4, -0.8, 0.2, 0.4, 0.1], qd=[0.2, -0.1, 0.3, 0.2, 0.1, 0.1])
    before = ff.distributed_momentum(robot, start)
    stop = [np.polynomial.Polynomial([q, v, -v / 4]) for q, v in zip(start.q, start.qd, strict=True)]
    final = sd.simulate(robot, start, 2.0, prescribed=dict(zip(robot.joint_names, stop, strict=True))).final
    after = ff.distributed_momentum(robot, final)
    np.testing.assert_allclose(after.coupling, 0, atol=1e-9)
    np.testing.assert_allclose(after.base, before.total, atol=1e-9)
    assert np.abs(before.coupling[3:]).max() > 1.0


@pytest.mark.parametrize("name", MODELS)
def test_golden_coupling(name):
    case = Case(name)
    H = np.array(case.wanted["HH"])
    case.agrees(ff.bias_momentum(case.model, case.state, about="base"), H[:6, 6:] @ case.state.qd)


def test_robots_that_differ_and_bad_calls():
    fleet = sd.load("ets7").vary(mass={"link3": np.array([10.0, 20.0, 30.0])})
    state = fleet.random_state(np.random.default_rng(6), 2)
    shares = ff.distributed_momentum(fleet, state)
    np.testing.assert_allclose(shares.bodies.sum(axis=-2), sd.momentum(fleet, state, about="com"), atol=1e-9)
    with pytest.raises(sd.InputError, match="about: expected 'com'"):
        ff.bias_momentum(fleet, state, about="middle")
    with pytest.raises(sd.InputError, match="must be a State"):
        ff.distributed_momentum(fleet, 3)
