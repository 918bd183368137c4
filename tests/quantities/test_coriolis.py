"""The Coriolis matrix: what it does to u, what it adds up to, and that it is the one its documentation speaks of."""

import numpy as np
import pinocchio as pin
import pytest

import reference
import spacedyn as sd
from moving_frames import base_map, hat
from random_trees import random_flat_state, random_model
from spacedyn.model.joints import JOINT_KINDS
from spacedyn.model.parts import BASE_KINDS
from spacedyn.peers import robots as peers

COORDINATE_KINDS = tuple(kind for kind in JOINT_KINDS if kind not in ("spherical", "free"))
TREES = [(base, seed) for base in BASE_KINDS for seed in range(12)]
every_tree = pytest.mark.parametrize(("base", "seed"), TREES)


def near(found, wanted, bound=1e-11):
    """Equal relative to the largest number."""
    assert found.shape == wanted.shape
    error = np.abs(found - wanted).max(initial=0.0) / max(1.0, np.abs(wanted).max(initial=0.0))
    assert error <= bound, f"relative error {error:.1e}"


def tree(base, seed, **options):
    """A random robot of up to 20 joints and a random state of it."""
    rng = np.random.default_rng([seed, *map(ord, base)])
    model = random_model(rng, (9, 12, 0, 1, 20)[seed % 5], base_kind=base, passive=seed % 2 == 0, **options)
    return model, sd.State(model, np.concatenate(random_flat_state(rng, model)))


def mass_matrix_rate(model, state):
    """Ḣ on dual numbers: column k is the derivative, along the motion, of the force that an acceleration e_k takes."""
    still = state.integrate(np.zeros((model.nv, model.nv)), np.zeros(model.nv))
    change = sd.inverse_dynamics_derivatives(model, still, np.eye(model.nv), passive=False).dx
    return (change @ state.u).T


@every_tree
def test_times_the_rates_it_is_the_bias_force(base, seed):
    model, state = tree(base, seed)
    C = sd.coriolis_matrix(model, state)
    near(C @ state.u, sd.bias_force(model, state))
    near(C @ state.u, reference.bias_force(model, state.x, state.u))


@every_tree
def test_twice_of_it_off_the_rate_of_the_mass_matrix_is_skew(base, seed):
    model, state = tree(base, seed)
    N = mass_matrix_rate(model, state) - 2 * sd.coriolis_matrix(model, state)
    near(N, -N.T)


@every_tree
def test_it_is_the_sum_over_the_points_of_mass(base, seed):
    """Σ m J'J̇ + Jω'(I J̇ω - ω̃ E Jω), E the second moments of mass: the integral of J'J̇ over each rigid body."""
    model, state = tree(base, seed)
    b = reference.bodies(model, state.x, state.u)
    Jv, Jw, Jvd, Jwd = b.J[:, :3], b.J[:, 3:], b.Jdot[:, :3], b.Jdot[:, 3:]
    E = 0.5 * np.trace(b.inertia, axis1=1, axis2=2)[:, None, None] * np.eye(3) - b.inertia
    wanted = np.einsum("b,bij,bik->jk", b.mass, Jv, Jvd)
    wanted += np.einsum("bij,bik->jk", Jw, b.inertia @ Jwd - hat(Jw @ state.u) @ E @ Jw)
    near(sd.coriolis_matrix(model, state), wanted)


@pytest.mark.parametrize("seed", range(6))
def test_where_rates_are_derivatives_it_has_christoffels_symbols(seed):
    """So that C(x, u) w = C(x, w) u."""
    model, state = tree("fixed", seed, kinds=COORDINATE_KINDS)
    w = np.random.default_rng(seed).normal(size=model.nv)
    other = state.integrate(np.zeros(model.nv), w)
    near(sd.coriolis_matrix(model, state) @ w, sd.coriolis_matrix(model, other) @ state.u)


@pytest.mark.parametrize("base", ["free", "planar"])
def test_how_fast_the_base_moves_along_changes_nothing(base):
    model, state = tree(base, 0)
    sliding = 3 if base == "free" else 2
    C = sd.coriolis_matrix(model, state)
    assert not C[:, :sliding].any() and np.abs(C[:sliding]).max() > 0
    fast = np.array(state.u)
    fast[:sliding] += 7e3
    passing = sd.State(model, np.concatenate([state.x, fast]))
    np.testing.assert_array_equal(sd.coriolis_matrix(model, passing), C)


@every_tree
def test_pinocchio(base, seed):
    """With v = B u and C_pin of the body's axes: C = B'(C_pin B + M Ḃ)."""
    model, state = tree(base, seed)
    robot, mapping = peers.to_pinocchio(model, chained=True)
    x, u = state.x, state.u
    q, B = mapping.position(x), mapping.rate_map(x)
    R, S, Bdot = sd.Rotation.from_quat(x[3:7].copy()).as_matrix(), base_map(model), np.zeros_like(B)
    turning = -R.T @ hat(S[3:] @ u)
    Bdot[:3], Bdot[3:6] = turning @ S[:3], turning @ S[3:]
    data = robot.createData()
    M = np.triu(pin.crba(robot, data, q))
    M += np.triu(M, 1).T
    C = pin.computeCoriolisMatrix(robot, data, q, B @ u)
    near(sd.coriolis_matrix(model, state), B.T @ (C @ B + M @ Bdot))
