"""Bodies far from the base keep their digits, and steps of a simulation stay as long as near it."""

import numpy as np
import pytest

import high_precision
import spacedyn as sd

FAR = (1.0, 1e2, 1e4, 1e6)  # m


def pair(com=(0.0, 0.0, 0.0)) -> sd.Model:
    """A chaser with an arm, and a target with a panel on a free joint."""
    b = sd.Builder("pair")
    b.base("chaser", mass=300.0, inertia=(80.0, 90.0, 70.0), com=(0.1, 0.0, -0.2))
    b.body("target", mass=100.0, inertia=(20.0, 30.0, 25.0), com=com)
    b.body("panel", mass=8.0, inertia=(2.0, 3.0, 4.0), com=(0.1, 0.8, 0.0))
    b.body("arm", mass=12.0, inertia=(0.4, 3.0, 3.1), com=(0.9, 0.0, 0.0))
    b.joint("grip", "free", parent="arm", child="target", position=(1.8, 0.0, 0.1))
    b.joint("hinge", "revolute", parent="target", child="panel", axis=(0, 1, 0), position=(0.2, 0.6, 0.1))
    b.joint("shoulder", "revolute", parent="chaser", child="arm", axis=(0, 0.6, 0.8), position=(0.9, 0.2, 0.1))
    return b.build()


def pair_state(model, distance, rng):
    where = distance * np.array([1.0, 0.3, -0.2])
    return model.state(
        base_attitude=sd.Rotation.from_rotvec([0.3, 0.4, 0.5]),
        base_rate=[0.02, -0.05, 0.03],
        q={"grip": [*where, 0.5, 0.5, 0.5, 0.5], "shoulder": [0.4], "hinge": [0.7]},
        qd={"grip": [*rng.normal(size=3), 0.1, 0.2, -0.3], "shoulder": [0.3], "hinge": [-0.2]},
    )


def worst(model, found, right):
    """Largest relative error of the accelerations of the base and of each joint, of sliding and turning apart."""
    groups = [slice(0, 3), slice(3, 6)]
    for joint in model.joints:
        u = model.u_slice(joint.name)
        groups += [slice(u.start, u.start + 3), slice(u.start + 3, u.stop)] if joint.kind == "free" else [u]
    return max(np.abs(found[g] - right[g]).max() / np.abs(right[g]).max() for g in groups)


@pytest.mark.parametrize("com", [(0.0, 0.0, 0.0), (0.3, -0.2, 0.5)])
@pytest.mark.parametrize("distance", FAR)
def test_forward_dynamics_of_a_target_on_a_free_joint(distance, com):
    model, rng = pair(com), np.random.default_rng(3)
    state, gravity = pair_state(model, distance, rng), np.array([0.3, -0.2, -1.6])
    tau = np.zeros(model.nv - 6)
    tau[model.qd_slice("shoulder")], tau[model.qd_slice("hinge")] = 3.0, -2.0
    found = sd.forward_dynamics(model, state, tau, gravity=gravity)
    assert worst(model, found, high_precision.forward_dynamics(model, state.x, state.u, tau, gravity)) < 1e-12


@pytest.mark.parametrize("distance", FAR)
def test_forces_of_a_free_joint_act_on_both_sides(distance):
    model, rng = pair((0.3, -0.2, 0.5)), np.random.default_rng(4)
    state, tau = pair_state(model, distance, rng), rng.normal(size=model.nv - 6)
    found = sd.forward_dynamics(model, state, tau)
    assert worst(model, found, high_precision.forward_dynamics(model, state.x, state.u, tau)) < 1e-12


def boom(length) -> sd.Model:
    """A finger of 1 cm with a nail at the end of a boom."""
    b = sd.Builder("boom")
    b.base("ship", mass=500.0, inertia=(200.0, 300.0, 250.0), com=(0.1, 0.2, 0.0))
    b.body("boom", mass=30.0, inertia=(0.5, 30.0 * length**2 / 12, 30.0 * length**2 / 12), com=(length / 2, 0, 0))
    b.body("finger", mass=0.01, inertia=(1e-8, 2e-7, 2e-7), com=(0.005, 0.001, 0.0))
    b.body("nail", mass=0.001, inertia=(1e-9, 2e-9, 2e-9), com=(0.001, 0.0, 0.0005))
    b.joint("root", "revolute", parent="ship", child="boom", axis=(0, 0, 1), position=(1.0, 0.0, 0.3))
    b.joint("knuckle", "revolute", parent="boom", child="finger", axis=(0, 0.6, 0.8), position=(length, 0.0, 0.02))
    b.joint("tip", "revolute", parent="finger", child="nail", axis=(0.6, 0, 0.8), position=(0.01, 0.0, 0.0))
    return b.build()


@pytest.mark.parametrize("length", [1.0, 100.0])
def test_forward_dynamics_of_a_small_body_on_a_long_boom(length):
    model = boom(length)
    state = model.state(
        base_attitude=sd.Rotation.from_rotvec([0.3, 0.4, 0.5]),
        base_rate=[0.02, -0.05, 0.03],
        q=[0.4, 0.7, -0.3],
        qd=[0.01, 0.3, -0.2],
    )
    tau = np.array([5.0, 1e-6, -1e-8])
    found = sd.forward_dynamics(model, state, tau)
    assert worst(model, found, high_precision.forward_dynamics(model, state.x, state.u, tau)) < 1e-12


def steps(distance, turning=0.0):
    """Steps of 20 s in which the target tumbles, and the run."""
    model = pair((0.3, -0.2, 0.5))
    state = pair_state(model, distance, np.random.default_rng(5))
    rates = {"grip": [0.0, 0.0, 0.0, 0.1, 0.2, -0.3], "shoulder": [0.0], "hinge": [-0.2]}
    start = model.state(base_attitude=state.base_attitude, base_rate=turning * state.base_rate, q=state.q, qd=rates)
    run = sd.simulate(model, start, 20.0, record="steps")
    return len(run.time) - 1, run


@pytest.mark.parametrize("turning", [0.0, 0.1])
def test_a_simulation_steps_far_away_as_it_does_nearby(turning):
    (near, _), (far, run) = steps(1.0, turning), steps(1e6, turning)
    assert far <= near + 4
    assert run.audit().within_budget


@pytest.mark.parametrize("kind", ["revolute", "universal", "spherical"])
def test_a_body_of_next_to_no_mass_is_reported_without_overflowing(kind):
    b = sd.Builder("arm")
    b.base("base", mass=1.0, inertia=(1, 2, 1.5))
    b.body("link", mass=1e-230, inertia=(1e90, 1e90, 1e90))
    b.joint("hinge", kind, parent="base", child="link", position=(1e5, 0, 0))
    with pytest.raises(sd.ModelError, match="base"):
        b.build()
