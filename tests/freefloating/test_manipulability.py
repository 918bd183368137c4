"""Manipulability and dynamic singularities, held to closed forms, fixed bases and central differences."""

import numpy as np
import pytest

import spacedyn as sd
from planar_arm import PlanarArm
from random_trees import random_model

ff = sd.freefloating


@pytest.mark.parametrize("floating", [True, False])
def test_measures_are_those_of_the_jacobian(floating):
    rng = np.random.default_rng(31)
    model = random_model(rng, 8, base_kind="free")
    state, endpoint = model.random_state(rng, (2, 3)), model.endpoint_names[-1]
    J = (
        sd.generalized_jacobian(model, state, endpoint)
        if floating
        else sd.endpoint_jacobian(model, state, endpoint)[..., 6:]
    )
    for task, rows in (("position", [0, 1, 2]), ("attitude", [3, 4, 5]), (["wz", "vx"], [5, 0])):
        found = ff.manipulability(model, state, endpoint, floating=floating, task=task)
        part = J[..., rows, :]
        squared = np.linalg.det(part @ np.swapaxes(part, -1, -2))
        np.testing.assert_allclose(found.measure**2, squared, rtol=1e-9, atol=1e-12)
        stretched = np.swapaxes(part, -1, -2) @ found.directions  # J' u = σ v
        np.testing.assert_allclose(np.linalg.norm(stretched, axis=-2), found.singular_values, atol=1e-11)
        np.testing.assert_array_equal(found.smallest, found.singular_values[..., -1])
    scaled = ff.manipulability(model, state, endpoint, floating=floating, task="attitude", length=2.0)
    usual = ff.manipulability(model, state, endpoint, floating=floating, task="attitude")
    np.testing.assert_allclose(scaled.singular_values, 2.0 * usual.singular_values, atol=1e-12)


def test_a_heavy_base_is_a_fixed_one():
    rng = np.random.default_rng(32)
    robot = sd.load("ets7")
    body = robot.body_names[0]
    heavy = robot.vary(mass={body: np.array([1e13])}, inertia={body: 1e13 * np.eye(3)[None]})
    q = robot.random_state(rng).q
    floating = ff.manipulability(heavy, heavy.state(q=q), "hand")
    fixed = ff.manipulability(robot, robot.state(q=q), "hand", floating=False)
    np.testing.assert_allclose(floating.singular_values[0], fixed.singular_values, atol=1e-8)


def test_dynamic_singularities_of_a_planar_arm_are_those_of_the_closed_form():
    arm = PlanarArm()
    model = arm.model()
    elbow = np.linspace(-3.0, 3.0, 41)
    for shoulder in (0.4, 1.2, 2.5):
        path = model.state(q=np.stack([np.full(41, shoulder), elbow], axis=-1))
        found = ff.dynamic_singularities(model, path, "hand", task="position")
        assert len(found.states) >= 1
        for state in found.states:
            assert abs(arm.singularity(*state.q)) < 1e-12
        wanted = arm.singularity(shoulder, elbow)
        assert len(found.states) == np.count_nonzero(wanted[:-1] * wanted[1:] < 0)
        assert np.abs(found.states.q[:, 1]).min() > 1e-3 and found.fixed_there.min() > 1e-3  # dynamic, not kinematic
        np.testing.assert_allclose(
            ff.manipulability(model, found.states, "hand", task="position").smallest, 0, atol=1e-12
        )


def test_over_a_grid_and_with_a_heavy_base_they_are_the_kinematic_ones():
    model = PlanarArm().model()
    heavy = model.vary(mass={"base": np.array([1e13])}, inertia={"base": 1e13 * np.eye(3)[None]})
    grid = np.stack(np.meshgrid(np.linspace(-2, 2, 9), np.linspace(-2.9, 2.8, 20), indexing="ij"), axis=-1)
    found = ff.dynamic_singularities(heavy, heavy.state(q=grid[:, :, None]), "hand", task="position")
    assert found.floating.shape == (9, 20, 1)
    np.testing.assert_allclose(found.states.q[:, 1], 0, atol=1e-9)
    assert len(found.states) == 9
    np.testing.assert_allclose(found.floating, found.fixed, atol=1e-9)


def test_more_joints_than_components():
    robot = sd.load("planar_four_link")
    s = np.linspace(-1, 1, 40)[:, None]  # through the stretched arm, which moves nothing along itself
    path = robot.state(q=[0.0, 0.3, -0.2, 0.1] * s)
    found = ff.dynamic_singularities(robot, path, "hand", task="position")
    assert len(found.states) == 1
    np.testing.assert_allclose(found.states.q, 0, atol=1e-6)
    assert found.fixed_there[0] < 1e-6
    away = robot.state(q=[0.5, 0.8, 0.9, 0.7] + np.array([0.0, 0.3, -0.2, 0.1]) * s)
    assert len(ff.dynamic_singularities(robot, away, "hand", task="position").states) == 0


def test_bad_calls_are_refused_by_name():
    robot = sd.load("ets7")
    state = robot.neutral_state()
    for options, words in (
        ({"task": "place"}, "'pose', 'position', 'attitude'"),
        ({"task": ["vx", "vx"]}, "each once"),
        ({"task": []}, "each once"),
        ({"task": 3}, "a list of components"),
        ({"length": 0.0}, "length"),
        ({"joints": []}, "none of these"),
        ({"floating": 1}, "floating must be True or False"),
    ):
        with pytest.raises(sd.InputError, match=words):
            ff.manipulability(robot, state, "hand", **options)
    with pytest.raises(sd.UnknownName, match="component of a task named 'vw'"):
        ff.manipulability(robot, state, "hand", task=["vw"])
    with pytest.raises(sd.UnknownName, match="did you mean 'hand'"):
        ff.manipulability(robot, state, "hnd")
    with pytest.raises(sd.InputError, match="expected a batch"):
        ff.dynamic_singularities(robot, state, "hand")
