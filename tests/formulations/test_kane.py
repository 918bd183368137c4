"""Kane's method against the core's hybrid dynamics and the slow reference, on random trees with prescribed joints."""

import numpy as np
import pytest

import reference
import spacedyn as sd
from random_trees import random_model
from spacedyn.model.parts import BASE_KINDS

GRAVITY = (0.3, -1.2, -9.6)
TREES = [(base, seed) for base in BASE_KINDS for seed in range(25)]


def robot(base, seed, batch=()):
    rng = np.random.default_rng([11, seed, list(BASE_KINDS).index(base)])
    model = random_model(rng, int(rng.integers(1, 13)) if seed else 0, base_kind=base, passive=seed % 2 == 0)
    return rng, model, model.random_state(rng, batch)


def near(a, b, tolerance=1e-11):
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape
    scale = max(1.0, np.abs(a).max(initial=0.0), np.abs(b).max(initial=0.0))
    error = np.abs(a - b).max(initial=0.0) / scale
    assert error < tolerance, f"relative error {error:.2e}"


@pytest.mark.parametrize(("base", "seed"), TREES)
def test_prescribed_joints_by_kane_and_by_the_core(base, seed):
    rng, model, state = robot(base, seed)
    udot, tau = rng.normal(size=model.nv), rng.normal(size=model.nv - model.base_dof)
    loads = {"base_wrench": rng.normal(size=6), "endpoint_wrenches": rng.normal(size=(len(model.endpoints), 6))}
    everything = [model.bodies[0].name, *model.joint_names]
    for names in ([], everything, [name for name in everything if rng.random() < 0.5]):
        for passive in (True, False):
            options = {**loads, "gravity": GRAVITY, "passive": passive}
            kane = sd.kane.prescribed_dynamics(model, state, names, udot, tau, **options)
            core = sd.hybrid_dynamics(model, state, names, udot, tau, **options)
            near(kane.udot, core.udot)
            near(kane.forces, core.forces)
            # the equations close: active and inertia forces balance at every rate
            F = sd.kane.generalized_active_forces(model, state, **options) + kane.forces
            near(F + sd.kane.generalized_inertia_forces(model, state, kane.udot), np.zeros(model.nv))


@pytest.mark.parametrize(("base", "seed"), TREES)
def test_partial_velocities(base, seed):
    rng, model, state = robot(base, seed)
    everything = [model.bodies[0].name, *model.joint_names]
    names = [name for name in everything if rng.random() < 0.5]
    bodies = reference.bodies(model, state.x, state.u)
    velocities = reference.body_velocities(model, state.x, state.u)
    given = np.zeros(model.nv, dtype=bool)
    for name in names:
        given[slice(0, model.base_dof) if name == everything[0] else model.u_slice(name)] = True
    for axes, turn in (("inertial", np.eye(3)), ("base", bodies.pose[0, :3, :3]), ("body", bodies.pose[:, :3, :3])):
        table = sd.kane.partial_velocities(model, state, names, axes=axes)
        u, R = state.u[~given], np.broadcast_to(turn, (len(model.bodies), 3, 3))
        v = np.einsum("bri,r->bi", table.velocity, u) + table.remainder_velocity
        w = np.einsum("bri,r->bi", table.angular_velocity, u) + table.remainder_angular_velocity
        near(np.einsum("bij,bj->bi", R, v), velocities[:, :3])
        near(np.einsum("bij,bj->bi", R, w), velocities[:, 3:])
        near(np.einsum("bij,brj->bir", R, table.velocity), bodies.J[:, :3, ~given])
        near(np.einsum("bij,brj->bir", R, table.angular_velocity), bodies.J[:, 3:, ~given])
        assert len(table.rates) == u.size
    near(sd.kane.generalized_inertia_forces(model, state, state.u), -reference_inertia_forces(model, state))
    equations = sd.kane.equations_of_motion(model, state, names, np.zeros(model.nv))
    near(equations.mass, reference.mass_matrix(model, state.x)[np.ix_(~given, ~given)])
    np.testing.assert_array_equal(equations.free, np.flatnonzero(~given))


def reference_inertia_forces(model, state):
    wrenches = reference.body_wrenches(model, state.x, state.u, state.u)
    F = np.einsum("bij,bi->j", reference.bodies(model, state.x).J, wrenches)
    return F + reference.rotor_inertias(model) * state.u


@pytest.mark.parametrize("base", BASE_KINDS)
@pytest.mark.parametrize("batch", [(1,), (2, 3), (0,)], ids=str)
def test_batches(base, batch):
    rng, model, states = robot(base, 3, batch)
    udot, tau = rng.normal(size=(*batch, model.nv)), rng.normal(size=(*batch, model.nv - model.base_dof))
    wrench = {model.endpoint_names[0]: rng.normal(size=(*batch, 6))}
    names = model.joint_names[::2]

    def everything(state, udot, tau, wrench):
        loads = {"endpoint_wrenches": wrench, "gravity": GRAVITY}
        partial = sd.kane.partial_velocities(model, state, names, axes="base")
        equations = sd.kane.equations_of_motion(model, state, names, udot, tau, **loads)
        return [*partial[:4], *equations[:2], *sd.kane.prescribed_dynamics(model, state, names, udot, tau, **loads)]

    together = everything(states, udot, tau, wrench)
    assert all(a.shape[: len(batch)] == batch for a in together)
    for i in np.ndindex(batch):
        for a, b in zip(
            together, everything(states[i], udot[i], tau[i], {k: w[i] for k, w in wrench.items()}), strict=True
        ):
            near(a[i], b, 1e-12)


def test_a_table_has_names():
    model = sd.load("tian_wu")
    table = sd.kane.partial_velocity_table(model, model.neutral_state(), ["joint2"])
    assert list(table.rate.values)[-2:] == ["joint1", "joint3"] and list(table.body.values)[1] == "link1"
    assert float(table.velocity.sel(body="link3", rate="joint3", axis="y")) == 0.25
    assert len(table.to_dataframe()) == 4 * 8 * 3
    with pytest.raises(sd.InputError, match="made of one state"):
        sd.kane.partial_velocity_table(model, sd.State.neutral(model, 2))


def test_what_does_not_count_may_be_anything():
    model = sd.load("tian_wu")
    state = model.random_state(np.random.default_rng(0))
    udot, tau = np.full(9, np.nan), np.array([np.nan, 1.0, 2.0])
    udot[6] = 0.5
    found = sd.kane.prescribed_dynamics(model, state, ["joint1"], udot, tau)
    expected = sd.hybrid_dynamics(model, state, ["joint1"], udot, tau)
    near(found.udot, expected.udot)
    near(found.forces, expected.forces)
    near(sd.kane.prescribed_dynamics(model, state, "joint1", udot, tau).udot, expected.udot)


def test_bad_calls():
    model = sd.load("tian_wu")
    state = model.random_state(np.random.default_rng(0))
    kane, zeros = sd.kane, np.zeros(9)
    for wrong, said in (
        (lambda: kane.partial_velocities(None, state), "must be a Model"),
        (lambda: kane.partial_velocities(model, None), "must be a State"),
        (lambda: kane.partial_velocities(model, state, axes="inertia"), "expected 'inertial', 'base' or 'body'"),
        (lambda: kane.partial_velocities(model, state, 5), "expected names of joints"),
        (lambda: kane.partial_velocity_table(model, 3.0), "must be a State"),
        (lambda: kane.generalized_inertia_forces(model, state, zeros[:3]), "udot: expected shape"),
        (lambda: kane.generalized_inertia_forces(model, state, zeros * np.nan), "udot: nan at index 0"),
        (lambda: kane.generalized_active_forces(model, state, zeros), "tau: expected shape"),
        (lambda: kane.generalized_active_forces(model, state, gravity=9.81), "gravity"),
        (lambda: kane.equations_of_motion(model, state, [], [[1.0], [1.0, 2.0]]), "udot"),
        (lambda: kane.prescribed_dynamics(model, state, 5, zeros), "expected names of joints"),
        (lambda: kane.prescribed_dynamics(model, state, ["joint1"], zeros[:3]), "udot: expected shape"),
        (lambda: kane.prescribed_dynamics(model, state, ["joint1"], "zeros"), "got text"),
        (lambda: kane.prescribed_dynamics(model, state, ["joint1"], zeros + np.inf), "udot: inf at index 6"),
    ):
        with pytest.raises(sd.InputError, match=said):
            wrong()
    with pytest.raises(sd.UnknownName, match="did you mean 'joint1'"):
        kane.prescribed_dynamics(model, state, ["joint11"], zeros)
