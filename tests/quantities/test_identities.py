"""Every quantity by a second route, on random branching trees over all joint and base kinds, at 1e-11 relative."""

import numpy as np
import pytest

import reference
import spacedyn as sd
from random_trees import random_flat_state, random_model
from spacedyn.model.parts import BASE_KINDS
from spacedyn.model.state import State

GRAVITY = np.array([0.3, -1.2, -9.6])
TREES = [(base, seed) for base in BASE_KINDS for seed in range(52)]


def near(a, b, tolerance=1e-11):
    """Equal relative to the largest number of the two."""
    a, b = np.asarray(a), np.asarray(b)
    scale = max(1.0, np.abs(a).max(initial=0.0), np.abs(b).max(initial=0.0))
    error = np.abs(a - b).max(initial=0.0) / scale
    assert error < tolerance, f"relative error {error:.2e}"


def tree(base, seed):
    """A random robot of up to 20 joints and a random state of it."""
    rng = np.random.default_rng([seed, list(BASE_KINDS).index(base)])
    model = random_model(rng, int(rng.integers(0, 21)) if seed else 0, base_kind=base, passive=seed % 2 == 0)
    x, u = random_flat_state(rng, model)
    return rng, model, State(model, np.concatenate([x, u]))


@pytest.mark.parametrize(("base", "seed"), TREES)
def test_routes_agree(base, seed):
    rng, model, state = tree(base, seed)
    udot, wrenches, push = rng.normal(size=model.nv), rng.normal(size=(len(model.endpoints), 6)), rng.normal(size=6)
    loads = {"endpoint_wrenches": wrenches, "base_wrench": push, "gravity": GRAVITY}
    b = model.base_dof

    # forward dynamics undoes inverse dynamics
    F = sd.inverse_dynamics(model, state, udot, **loads)
    fits = sd.inverse_dynamics(model, state, np.zeros(model.nv), **loads)
    if b == 0:
        near(sd.forward_dynamics(model, state, F, **loads), udot)
    tau = rng.normal(size=model.nv - b)
    acceleration = sd.forward_dynamics(model, state, tau, **loads)
    near(sd.inverse_dynamics(model, state, acceleration, **loads), np.concatenate([np.zeros(b), tau]))

    # hybrid dynamics agrees with both ends, and in between
    everything = [model.bodies[0].name, *model.joint_names]
    near(sd.hybrid_dynamics(model, state, everything, udot, **loads).forces, F)
    near(sd.hybrid_dynamics(model, state, [], udot, tau, **loads).udot, acceleration)
    some = [name for name in everything if rng.random() < 0.5]
    mixed = sd.hybrid_dynamics(model, state, some, udot, tau, **loads)
    near(sd.inverse_dynamics(model, state, mixed.udot, **loads), mixed.forces)
    for name in some:
        part = slice(0, b) if name == everything[0] else model.u_slice(name)
        near(mixed.udot[part], udot[part], 1e-15)

    # the mass matrix by four routes
    H = sd.mass_matrix(model, state)
    columns = [sd.inverse_dynamics(model, state, e, **loads) - fits for e in np.eye(model.nv)]
    near(H, np.array(columns).reshape(model.nv, model.nv).T)
    near(H, H.T, 1e-14)
    near(H @ sd.mass_matrix_inverse(model, state), np.eye(model.nv))
    near(sd.mass_matrix_inverse_product(model, state, H @ udot), udot)
    near(H, sum_over_bodies(model, state))
    near(
        H @ udot + sd.bias_force(model, state, gravity=GRAVITY),
        sd.inverse_dynamics(model, state, udot, gravity=GRAVITY, passive=False),
    )

    # momentum and energy
    A = sd.momentum_matrix(model, state, about="base")
    kept = {"free": slice(0, 6), "attitude": slice(3, 6), "planar": [0, 1, 5], "fixed": []}[base]
    near(A[kept], H[:b])
    near(sd.kinetic_energy(model, state), 0.5 * state.u @ H @ state.u)
    near(sd.kinetic_energy(model, state), kinetic_energy_of_bodies(model, state))


def sum_over_bodies(model, state):
    """The mass matrix from the bodies' own Jacobians."""
    H = np.diag(reference.rotor_inertias(model))
    frames = sd.forward_kinematics(model, state).centroids
    for i, body in enumerate(model.bodies):
        J = sd.body_jacobian(model, state, body.name)
        R = frames.rotation[i]
        H = H + body.mass * J[:3].T @ J[:3] + J[3:].T @ R @ body.inertia @ R.T @ J[3:]
    return H


def kinetic_energy_of_bodies(model, state):
    frames = sd.forward_kinematics(model, state).centroids
    energy = 0.5 * np.sum(reference.rotor_inertias(model) * state.u**2)
    for i, body in enumerate(model.bodies):
        v, w = frames.velocity[i, :3], frames.rotation[i].T @ frames.velocity[i, 3:]
        energy += 0.5 * (body.mass * v @ v + w @ body.inertia @ w)
    return energy


@pytest.mark.parametrize(("base", "seed"), TREES)
def test_the_slow_reference_agrees(base, seed):
    rng, model, state = tree(base, seed)
    x, u, udot = state.x, state.u, rng.normal(size=model.nv)
    wrenches, tau = rng.normal(size=(len(model.endpoints), 6)), rng.normal(size=model.nv - model.base_dof)
    same = {"endpoint_wrenches": wrenches, "gravity": GRAVITY}
    near(sd.mass_matrix(model, state), reference.mass_matrix(model, x))
    near(sd.bias_force(model, state, gravity=GRAVITY), reference.bias_force(model, x, u, GRAVITY))
    near(sd.passive_force(model, state), reference.passive_force(model, x, u))
    near(sd.inverse_dynamics(model, state, udot, **same), reference.inverse_dynamics(model, x, u, udot, **same))
    forces = np.concatenate([np.zeros(model.base_dof), tau])
    near(sd.forward_dynamics(model, state, tau, **same), reference.forward_dynamics(model, x, u, forces, **same))
    reactions = reference.reactions(model, x, u, udot, at="child", **same)
    near(sd.joint_reactions(model, state, udot, **same), reactions)

    frames = sd.forward_kinematics(model, state, udot)
    pose = reference.bodies(model, x, u).pose
    near(frames.bodies.rotation, pose[:, :3, :3])
    near(frames.bodies.position, pose[:, :3, 3])
    near(frames.centroids.velocity, reference.body_velocities(model, x, u))
    near(frames.centroids.acceleration, reference.body_accelerations(model, x, u, udot))
    joints = reference.joint_poses(model, x)
    near(frames.joints.position, joints[..., :3, 3].reshape(-1, 3))
    near(frames.joints.rotation, joints[..., :3, :3].reshape(-1, 3, 3))
    ends = reference.endpoint_poses(model, x)
    near(frames.endpoints.position, ends[:, :3, 3])
    near(frames.endpoints.rotation, ends[:, :3, :3])
    near(frames.endpoints.velocity, reference.endpoint_velocities(model, x, u))
    near(frames.endpoints.acceleration, reference.endpoint_accelerations(model, x, u, udot))

    J, rate = reference.endpoint_jacobians(model, x, u)
    for i, name in enumerate(model.endpoint_names):
        near(sd.endpoint_jacobian(model, state, name), J[i])
        near(sd.endpoint_jacobian_rate(model, state, name), rate[i])
        near(sd.endpoint_jacobian(model, state, name) @ u, sd.endpoint_velocity(model, state, name))

    point = rng.normal(size=3)
    for about, place, speed in (
        ("base", x[:3], state.base_velocity),
        ("com", reference.center_of_mass(model, x), sd.center_of_mass_velocity(model, state)),
        ("origin", np.zeros(3), np.zeros(3)),
        (point, point, np.zeros(3)),
    ):
        near(sd.momentum(model, state, about=about), reference.momentum(model, x, u, place))
        near(sd.momentum_matrix(model, state, about=about), reference.momentum_matrix(model, x, place))
        expected = reference.momentum_matrix_rate(model, x, u, place, speed)
        near(sd.momentum_matrix_rate(model, state, about=about), expected)
    near(sd.center_of_mass(model, state), reference.center_of_mass(model, x))
    near(sd.kinetic_energy(model, state), reference.kinetic_energy(model, x, u))
    potential = reference.potential_energy(model, x, GRAVITY) + reference.spring_energy(model, x)
    near(sd.potential_energy(model, state, gravity=GRAVITY), potential)


@pytest.mark.parametrize(("base", "seed"), TREES[::4])
def test_rates_by_differences(base, seed):
    """Jacobian and momentum matrix along x ⊕ t u, by central differences extrapolated to the eighth order."""
    _, model, state = tree(base, seed)

    def rate(function, step=2e-3):
        weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
        ahead = {k: function(state.integrate(k * step * state.u)) for k in (*weights, *(-k for k in weights))}
        return sum(w * (ahead[k] - ahead[-k]) for k, w in weights.items()) / step

    name = model.endpoint_names[-1]
    near(sd.endpoint_jacobian_rate(model, state, name), rate(lambda s: sd.endpoint_jacobian(model, s, name)))
    for about in ("com", "base"):
        expected = rate(lambda s, about=about: sd.momentum_matrix(model, s, about=about))
        near(sd.momentum_matrix_rate(model, state, about=about), expected)
