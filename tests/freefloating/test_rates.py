"""Endpoint velocity and acceleration on a floating base, and the rate of the generalized Jacobian."""

import numpy as np
import pytest

import spacedyn as sd
from golden_cases import MODELS, Case
from random_trees import BASE_RATES, random_model

ff = sd.freefloating
BASES = ("free", "planar", "attitude")


def tree(base, seed=0, n=8):
    rng = np.random.default_rng(seed)
    model = random_model(rng, n, base_kind=base)
    return model, model.random_state(rng, (2, 3))


def moving_as_forced(model, state, h):
    """Two states a little before and after, along the motion with constant rates, to the second order."""
    return (state.integrate(t * state.u) for t in (-h, h))


@pytest.mark.parametrize("base", BASES)
def test_the_rate_is_that_of_central_differences(base):
    model, state = tree(base)
    endpoint, h = model.endpoint_names[-1], 1e-5
    before, after = (sd.generalized_jacobian(model, s, endpoint) for s in moving_as_forced(model, state, h))
    rate = ff.generalized_jacobian_rate(model, state, endpoint)
    np.testing.assert_allclose(rate, (after - before) / (2 * h), atol=2e-8 * (1 + np.abs(rate).max()))
    np.testing.assert_allclose(ff.generalized_jacobian_rate(model, state[1, 2], endpoint), rate[1, 2], atol=1e-11)


@pytest.mark.parametrize("base", BASES)
def test_velocity_is_split_as_the_momentum_says(base):
    model, state = tree(base, 1)
    endpoint, b = model.endpoint_names[-1], model.base_dof
    v = ff.endpoint_velocity(model, state, endpoint)
    np.testing.assert_allclose(v.total, sd.endpoint_velocity(model, state, endpoint), atol=1e-11)
    np.testing.assert_allclose(
        v.joints, np.einsum("...ij,...j->...i", sd.generalized_jacobian(model, state, endpoint), state.qd), atol=1e-11
    )
    total = sd.momentum(model, state, about="base")[..., BASE_RATES[base]]
    drift = np.linalg.solve(sd.mass_matrix_blocks(model, state).Hb, total[..., None])
    J = sd.endpoint_jacobian(model, state, endpoint)[..., :b]
    np.testing.assert_allclose(v.momentum, (J @ drift)[..., 0], atol=1e-11)


@pytest.mark.parametrize("base", BASES)
def test_acceleration_is_that_of_the_joints_forces_alone(base):
    model, state = tree(base, 2)
    rng, endpoint = np.random.default_rng(3), model.endpoint_names[-1]
    udot = sd.forward_dynamics(model, state, rng.normal(size=model.nv - model.base_dof), passive=False)
    a = ff.endpoint_acceleration(model, state, udot[..., model.base_dof :], endpoint)
    wanted = sd.endpoint_acceleration(model, state, udot, endpoint)
    np.testing.assert_allclose(a.total, wanted, atol=1e-9 * (1 + np.abs(wanted).max()))
    rate = ff.generalized_jacobian_rate(model, state, endpoint)
    np.testing.assert_allclose(a.rates, np.einsum("...ij,...j->...i", rate, state.qd), atol=1e-10)
    assert np.abs(a.momentum).max() > 1e-2


def test_without_momentum_only_joints_are_left():
    model, state = tree("free", 4)
    base = np.einsum("...ij,...j->...i", sd.base_recoil(model, state), state.qd)
    state = state.replace(base_velocity=base[..., :3], base_rate=base[..., 3:])
    endpoint = model.endpoint_names[-1]
    assert np.abs(ff.endpoint_velocity(model, state, endpoint).momentum).max() < 1e-12
    qdd = np.ones(model.nv - 6)
    assert np.abs(ff.endpoint_acceleration(model, state, qdd, endpoint).momentum).max() < 1e-11


def test_against_a_simulation():
    """J* along a run under joint forces, differentiated by a spline through its records."""
    from scipy.interpolate import make_interp_spline

    robot = sd.load("ets7")
    start = robot.state(q=[0.3, 0.4, -0.8, 0.2, 0.4, 0.1], base_rate=[0.02, -0.01, 0.03], qd=np.full(6, 0.1))
    run = sd.simulate(
        robot, start, 2.0, record=0.02, laws=[sd.control.joint_torque(robot, start, tau=[3, -2, 2, 1, 1, 1])]
    )
    states, middle = run.states, 50
    J = sd.generalized_jacobian(robot, states, "hand")
    slope = make_interp_spline(run.time, J, k=7).derivative()(run.time[middle])
    rate = ff.generalized_jacobian_rate(robot, states[middle], "hand")
    np.testing.assert_allclose(rate, slope, atol=1e-8)


def test_a_heavy_base_is_a_fixed_one():
    rng = np.random.default_rng(5)
    model = random_model(rng, 6, base_kind="free")
    heavy = model.vary(mass={"base": np.array([1e12])}, inertia={"base": 1e12 * np.eye(3)[None]})
    parts = {"q": model.random_state(rng).q, "qd": rng.normal(size=model.nv - 6)}
    endpoint = model.endpoint_names[-1]
    rate = ff.generalized_jacobian_rate(heavy, heavy.state(**parts), endpoint)[0]
    fixed = sd.endpoint_jacobian_rate(model, model.state(**parts), endpoint)[:, 6:]
    np.testing.assert_allclose(rate, fixed, atol=1e-9)


@pytest.mark.parametrize("name", MODELS)
def test_golden_endpoint_velocities(name):
    """With SpaceDyn's own generalized Jacobian: v = GJ q̇ + what momentum adds."""
    case = Case(name)
    b = 6
    for k in range(len(case.ends)):
        endpoint = f"endpoint{k + 1}"
        v = ff.endpoint_velocity(case.model, case.state, endpoint)
        H, J = sd.mass_matrix(case.model, case.state), sd.endpoint_jacobian(case.model, case.state, endpoint)
        drift = np.linalg.solve(H[:b, :b], sd.momentum(case.model, case.state, about="base"))
        case.agrees(v.momentum, J[:, :b] @ drift)
        case.agrees(v.joints, np.array(case.ends[k]["calc_gj"]) @ case.state.qd)


def test_fleets_and_no_robots():
    fleet = sd.load("ets7").vary(mass={"link3": np.array([10.0, 20.0, 30.0])})
    state = fleet.random_state(np.random.default_rng(6), 2)
    rate = ff.generalized_jacobian_rate(fleet, state, "hand")
    before, after = (sd.generalized_jacobian(fleet, s, "hand") for s in moving_as_forced(fleet, state, 1e-5))
    np.testing.assert_allclose(rate, (after - before) / 2e-5, atol=1e-7)
    none = sd.load("ets7").random_state(np.random.default_rng(0), 0)
    assert ff.endpoint_velocity(none.model, none, "hand").total.shape == (0, 6)


def test_bad_calls_are_refused_by_name():
    robot = sd.load("ets7")
    state = robot.neutral_state()
    for function in (ff.generalized_jacobian_rate, ff.endpoint_velocity):
        with pytest.raises(sd.UnknownName, match="did you mean 'hand'"):
            function(robot, state, "hnd")
        with pytest.raises(sd.InputError, match="must be a State"):
            function(robot, None, "hand")
        with pytest.raises(sd.UnknownName, match="argument"):
            function(robot, state, "hand", speed=1)
    with pytest.raises(sd.InputError, match="qdd: expected shape"):
        ff.endpoint_acceleration(robot, state, [1.0], "hand")
    held = sd.Builder("held", base="fixed")
    held.base("ground", mass=1.0, inertia=(1, 2, 2))
    held.endpoint("eye", body="ground")
    with pytest.raises(sd.InputError, match="has a fixed base"):
        ff.generalized_jacobian_rate(held.build(), held.build().neutral_state(), "eye")
