"""Five formulations of one robot give the same accelerations: the core's O(n) algorithm stands between them.

SpaceDyn's procedure (mass matrix, bias force, Jacobians, one solution of linear equations), the spatial operators'
filter and smoother, the closed form of From et al., Kane's equations, and Newton's and Euler's equations of all bodies
in maximal coordinates, with the constraint forces as unknowns, on the tests' own kinematics.
"""

import numpy as np
import pytest

import reference
import spacedyn as sd
from moving_frames import base_map
from random_trees import random_flat_state, random_model
from spacedyn.model.joints import JOINT_KINDS

TREES = [(base, seed) for base in ("free", "attitude") for seed in range(50)]
ROUTES = {}


def route(function):
    ROUTES[function.__name__] = function
    return function


@route
def spacedyns_procedure(model, state, tau, base_wrench, endpoint_wrenches, gravity):
    """H u' = F + J'Fe - c, where c is the inverse dynamics of the motion without acceleration."""
    F = sd.passive_force(model, state) + base_map(model).T @ base_wrench
    F[model.base_dof :] += tau
    for endpoint, wrench in zip(model.endpoint_names, endpoint_wrenches, strict=True):
        F += sd.endpoint_jacobian(model, state, endpoint).T @ wrench
    return np.linalg.solve(sd.mass_matrix(model, state), F - sd.bias_force(model, state, gravity=gravity))


@route
def spatial_operators(model, state, tau, **loads):
    return sd.operators.filter_smoother(sd.operators.SpatialOperators(model, state), tau, **loads).udot


@route
def closed_form(model, state, tau, **loads):
    return sd.lagrangian.forward_dynamics(model, state, tau, **loads)


@route
def kanes_equations(model, state, tau, **loads):
    return sd.kane.prescribed_dynamics(model, state, [], np.zeros(model.nv), tau, **loads).udot


@route
def maximal_coordinates(model, state, tau, base_wrench, endpoint_wrenches, gravity):
    """M a - λ = w for all bodies, a - J u' = J̇ u for what the joints allow, J'λ + rotors u' = τ for what they do."""
    b, nv, n = reference.bodies(model, state.x, state.u), model.nv, 6 * len(model.bodies)
    M, w = np.zeros((n, n)), np.zeros((len(model.bodies), 6))
    for i, (mass, inertia) in enumerate(zip(b.mass, b.inertia, strict=True)):
        rate = b.J[i, 3:] @ state.u
        M[6 * i : 6 * i + 3, 6 * i : 6 * i + 3], M[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = (
            mass * np.eye(3),
            inertia,
        )
        w[i] = np.concatenate([mass * np.asarray(gravity), -np.cross(rate, inertia @ rate)])
    places = reference.endpoint_poses(model, state.x)[:, :3, 3]
    bodies = [model.body_index(e.body) for e in model.endpoints]
    for i, place, wrench in zip(bodies, places, endpoint_wrenches, strict=True):
        w[i] += np.concatenate([wrench[:3], wrench[3:] + np.cross(place - b.position[i], wrench[:3])])
    w[0] += base_wrench
    J, drift = b.J.reshape(n, nv), (b.Jdot @ state.u).ravel()
    one, none = np.eye(n), np.zeros((n, n))
    rotors = np.diag(reference.rotor_inertias(model))
    left = np.block([[M, -one, np.zeros((n, nv))], [one, none, -J], [np.zeros((nv, n)), J.T, rotors]])
    joints = reference.passive_force(model, state.x, state.u)
    joints[model.base_dof :] += tau
    return np.linalg.solve(left, np.concatenate([w.ravel(), drift, joints]))[-nv:]


def robot(base, seed):
    """A random branching tree of up to twelve joints, and numbers to load it with."""
    rng = np.random.default_rng([5, seed, len(base)])
    return rng, random_model(rng, int(rng.integers(1, 13)), base_kind=base, passive=seed % 2 == 0)


@pytest.mark.parametrize(("base", "seed"), TREES)
def test_five_routes_to_the_same_accelerations(base, seed):
    rng, model = robot(base, seed)
    state = sd.State(model, np.concatenate(random_flat_state(rng, model)))
    tau = rng.normal(size=model.nv - model.base_dof)
    loads = {"base_wrench": rng.normal(size=6), "endpoint_wrenches": rng.normal(size=(len(model.endpoints), 6))}
    loads["gravity"] = rng.normal(size=3)
    wanted = sd.forward_dynamics(model, state, tau, **loads)
    for name, found in ROUTES.items():
        error = np.abs(found(model, state, tau, **loads) - wanted).max() / np.abs(wanted).max()
        assert error < 1e-11, f"{name}: relative error {error:.1e}"


def test_every_kind_of_joint_comes_up_on_both_bases():
    assert len(ROUTES) == 5
    for base in ("free", "attitude"):
        kinds = {joint.kind for seed in range(50) for joint in robot(base, seed)[1].joints}
        assert kinds == set(JOINT_KINDS)
