"""Wrenches, springs, tethers and drag: motion with a known answer, and the ledger of every one of them."""

import numpy as np
import pytest

import spacedyn as sd
from laws_and_forces import everything
from random_trees import random_model, random_state_parts

GRAVITY = (0.1, -0.3, -1.6)


def brick(mass: float = 2.0) -> sd.Model:
    """One free body whose frame is not at its centre of mass."""
    b = sd.Builder("brick")
    b.base("brick", mass=mass, inertia=(0.3, 0.5, 0.7), com=(0.1, -0.2, 0.3))
    return b.build()


def pair() -> sd.Model:
    """A bus and a second body that is free of it: what a tether can hold together."""
    b = sd.Builder("pair")
    b.base("bus", mass=20.0, inertia=(2.0, 3.0, 4.0))
    b.body("probe", mass=5.0, inertia=(0.4, 0.5, 0.6))
    b.joint("between", "free", parent="bus", child="probe")
    return b.build()


def tree(seed: int = 5, n: int = 7, base: str = "free") -> tuple[sd.Model, sd.State]:
    rng = np.random.default_rng(seed)
    model = random_model(rng, n, base_kind=base)
    return model, model.state(**random_state_parts(rng, model))


def at_start(model, state, **options):
    """Accelerations at the start of a simulation."""
    return sd.simulate(model, state, 1e-3, method=sd.RungeKutta4(1e-3), record=1e-3, budget=1.0, **options)["udot"][0]


@pytest.mark.parametrize("frame", ["inertial", "body", "base", "body2", "endpoint0", "endpoint1"])
def test_a_wrench_at_a_point_acts_as_one_at_an_endpoint_there(frame):
    """In inertial axes, in the body's own, in those of another body, or of an endpoint there."""
    model, state = tree()
    endpoint = model.endpoints[-1]
    force, moment = np.array([1.0, -2.0, 0.5]), np.array([0.3, 0.1, -0.4])
    body = model.body_index(endpoint.body)
    where = sd.forward_kinematics(model, state)
    R = where.bodies.rotation[body] if frame == "body" else np.eye(3)
    if frame in model.body_names:
        R = where.bodies.rotation[model.body_index(frame)]
    elif frame in model.endpoint_names:
        R = sd.endpoint_pose(model, state, frame).rotation
    wrench = np.concatenate([R @ force, R @ moment])
    expected = sd.forward_dynamics(model, state, endpoint_wrenches={endpoint.name: wrench}, gravity=GRAVITY)
    push = sd.Wrench(endpoint.body, force=force, moment=moment, point=endpoint.position, frame=frame)
    np.testing.assert_allclose(at_start(model, state, forces=[push], gravity=GRAVITY), expected, rtol=1e-11, atol=1e-11)


def test_a_spring_pulls_both_ends_and_drag_acts_at_the_centre_of_mass():
    """By hand: forces at points through Jacobians."""
    model, state = tree(seed=8)
    a, b = model.body_names[2], model.body_names[-1]
    at, to = np.array([0.2, 0.1, -0.3]), np.array([-0.1, 0.4, 0.2])
    where = sd.forward_kinematics(model, state)

    def point(name, p):
        i = model.body_index(name)
        J = sd.body_jacobian(model, state, name, p)
        return where.bodies.position[i] + where.bodies.rotation[i] @ p, J[:3], J

    xa, Ja, _ = point(a, at)
    xb, Jb, _ = point(b, to)
    length = np.linalg.norm(xb - xa)
    along = (xb - xa) / length
    rate = along @ (Jb - Ja) @ state.u
    tension = 7.0 * (length - 0.4) + 0.6 * rate
    _, Jc, J = point(b, model.body(b).com)
    R = where.bodies.rotation[model.body_index(b)]
    C = R @ np.diag([0.1, 0.2, 0.3]) @ R.T
    drag = -Jc.T @ C @ Jc @ state.u - 0.5 * J[3:].T @ J[3:] @ state.u
    generalized = (Ja - Jb).T @ along * tension + drag
    expected = np.linalg.solve(sd.mass_matrix(model, state), generalized - sd.bias_force(model, state))
    forces = [
        sd.Spring(a, b, stiffness=7.0, damping=0.6, rest_length=0.4, point=at, other_point=to),
        sd.Drag(b, linear=(0.1, 0.2, 0.3), angular=0.5),
    ]
    run = sd.simulate(model, state, 1e-3, method=sd.RungeKutta4(1e-3), record=1e-3, budget=1.0, forces=forces)
    np.testing.assert_allclose(run["udot"][0], expected, rtol=1e-9, atol=1e-9)
    assert run["tension"][0, 0] == pytest.approx(tension, rel=1e-12)
    assert run["element_energy"][0, 0] == pytest.approx(3.5 * (length - 0.4) ** 2, rel=1e-12)


@pytest.mark.parametrize("base", ["free", "attitude", "planar", "fixed"])
def test_the_ledger_balances_with_every_kind_of_force(base):
    model, state = tree(seed=11, base=base)
    run = sd.simulate(model, state, 0.5, forces=everything(model), gravity=GRAVITY, record=0.01)
    audit = run.audit()
    assert audit.energy < 1e-9
    if base in ("free", "planar"):
        assert audit.linear_momentum < 1e-9
        assert audit.angular_momentum < 1e-9
        assert np.abs(run.momentum()[-1] - run.momentum()[0])[[0, 1, 5]].min() > 1e-3  # it does change
    else:
        assert np.isnan(audit.linear_momentum) and np.isnan(audit.angular_momentum)
    assert np.all(np.diff(run["element_work"][:, 5]) < 0.0)  # drag
    assert np.all(np.diff(run["element_work"][:, 2]) <= 0.0)  # a damper
    assert np.abs(run["element_work"][:, 4]).max() == 0.0  # a tether without a damper


def test_a_mass_on_a_damped_spring():
    m, k, d = 2.0, 8.0, 0.5
    model = brick(m)
    com = model.bodies[0].com
    state = model.state(base_position=[1.3, 0, 0])
    spring = sd.Spring("brick", stiffness=k, damping=d, point=com, other_point=(0.3, 0, 0))
    run = sd.simulate(model, state, 5.0, forces=spring, record=0.1)
    decay, w = d / (2 * m), np.sqrt(k / m - (d / (2 * m)) ** 2)
    t = run.time
    expected = 0.3 + np.exp(-decay * t) * (np.cos(w * t) + decay / w * np.sin(w * t))
    np.testing.assert_allclose(run.states.base_position[:, 0], expected, atol=1e-9)
    assert run.audit().worst < 1e-9


def test_drag_slows_down_exponentially():
    model = brick(2.0)
    state = model.state(base_velocity=[1.0, 2.0, -0.5], base_rate=[0, 0, 0.8])
    run = sd.simulate(model, state, 4.0, forces=[sd.Drag("brick", linear=0.6, angular=0.14)], record=0.5)
    slower = np.exp(-0.3 * run.time)[:, None]
    np.testing.assert_allclose(run.states.base_velocity, [1.0, 2.0, -0.5] * slower, atol=1e-10)
    np.testing.assert_allclose(run.states.base_rate[:, 2], 0.8 * np.exp(-0.2 * run.time), atol=1e-10)


def test_a_tether_between_bodies_gives_no_impulse_and_goes_slack():
    model = pair()
    state = model.state(q=[1.5, 0, 0, 0, 0, 0, 1], qd=[0.4, 0.1, 0, 0, 0, 0.2], base_rate=[0.1, 0, 0])
    tether = sd.Tether("bus", "probe", stiffness=40.0, rest_length=2.0, point=(0.3, 0, 0), other_point=(-0.1, 0, 0.1))
    run = sd.simulate(model, state, 20.0, forces=[tether], record=0.02)
    tension = run["tension"][:, 0]
    assert (tension == 0.0).any()
    assert tension.max() > 1.0
    assert tension.min() == 0.0
    np.testing.assert_array_equal(run["impulse"], 0.0)
    assert run.audit().worst < 1e-8
    pushed = sd.simulate(model, state, 20.0, forces=[sd.Spring("bus", "probe", stiffness=40.0, rest_length=2.0)])
    assert pushed["tension"].min() < 0.0


@pytest.mark.parametrize("method", [sd.DormandPrince8(), sd.RungeKutta4(0.07)])
def test_a_pulse_begins_and_ends_within_steps(method):
    model = brick(2.0)
    com = model.bodies[0].com
    pulse = sd.Wrench("brick", force=(0, 3.0, 0), point=com, start=0.111, stop=0.523)
    run = sd.simulate(model, model.neutral_state(), 1.0, forces=[pulse], method=method, record=0.01)
    on = np.clip(run.time, 0.111, 0.523) - 0.111
    np.testing.assert_allclose(run.states.base_velocity[:, 1], 1.5 * on, atol=1e-13)
    np.testing.assert_allclose(run["impulse"][:, 1], 3.0 * on, atol=1e-13)
    assert run.audit().worst < 1e-12


def test_a_pack_feels_what_each_robot_does():
    model, _ = tree()
    rng = np.random.default_rng(0)
    batch = model.random_state(rng, 5)
    forces, method = everything(model), sd.RungeKutta4(2e-3)
    many = sd.simulate(model, batch, 0.4, forces=forces, method=method, record=0.1, budget=1.0)
    for i in range(5):
        one = sd.simulate(model, batch[i], 0.4, forces=forces, method=method, record=0.1, budget=1.0)
        scale = np.abs(one.states.u).max()
        np.testing.assert_allclose(many.states.u[:, i], one.states.u, atol=1e-10 * scale)
        np.testing.assert_allclose(many["tension"][:, i], one["tension"], atol=1e-9 * scale)
        np.testing.assert_allclose(many["element_work"][:, i], one["element_work"], atol=1e-9 * scale**2)


def test_the_record_names_them():
    model = pair()
    forces = [sd.Drag("bus", linear=1.0), sd.Drag("bus", linear=2.0), sd.Wrench("probe", name="thruster")]
    run = sd.simulate(model, model.neutral_state(), 0.1, forces=forces)
    assert run.data["element"].values.tolist() == ["drag on bus", "drag on bus (2)", "thruster"]
    assert run.data["element_work"].dims == ("time", "element")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sd.Wrench("bus", force=(1, 2)), "force must be three finite numbers"),
        (lambda: sd.Wrench("bus", force=(1, 2, np.nan)), "force must be three finite numbers"),
        (lambda: sd.Wrench("bus", frame=np.eye(3)), "'inertial', 'body' or the name"),
        (lambda: sd.Wrench("bus", start=2.0, stop=1.0), "start before it stops"),
        (lambda: sd.Spring("bus"), "neither stiffness nor damping"),
        (lambda: sd.Tether("bus", stiffness=-1.0), "stiffness must be zero or a positive"),
        (lambda: sd.Spring("bus", stiffness="stiff"), "stiffness must be"),
        (lambda: sd.Drag("bus", linear=-1.0), "drive the body"),
        (lambda: sd.Drag("bus", linear=[[1, 2, 0], [0, 1, 0], [0, 0, 1]]), "symmetric"),
        (lambda: sd.Drag("bus", angular=[1, 2]), "angular must be a number"),
        (lambda: [sd.Drag("bis", linear=1.0)], "element 'drag on bis': no body named 'bis'"),
        (lambda: [sd.Spring("bus", "bus", stiffness=1.0)], "the same point"),
        (lambda: ["gravity"], r"expected elements \(Wrench, Spring, Motor, ..., or made by @element\) or laws"),
    ],
)
def test_what_makes_no_sense_is_refused(make, message):
    model = pair()
    with pytest.raises((sd.InputError, sd.UnknownName), match=message):
        sd.simulate(model, model.neutral_state(), 0.1, forces=make())


def test_axes_that_there_are_not_are_named():
    model = pair()
    with pytest.raises(sd.UnknownName, match="no frame named 'prob'; did you mean 'probe'"):
        sd.simulate(model, model.neutral_state(), 1.0, forces=sd.Wrench("bus", force=(1, 0, 0), frame="prob"))
