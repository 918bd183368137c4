"""Workspaces of free-floating arms: rings about the centre of mass, held to a closed form."""

import io

import numpy as np
import pytest
from PIL import Image

import spacedyn as sd
from planar_arm import PlanarArm

ff = sd.freefloating


def test_a_planar_arm_has_the_rings_of_the_closed_form():
    arm = PlanarArm()
    found = ff.workspace(arm.model(), "hand")
    angle = np.linspace(-np.pi, np.pi, 801)
    q1, q2 = np.meshgrid(angle, angle, indexing="ij")
    distance, value = np.abs(arm.place(q1, q2)), arm.singularity(q1, q2)
    c = np.abs(arm.points()[3])  # stretched; and folded, as far as three lengths close a triangle
    np.testing.assert_allclose(found.reach, [max(0.0, 2 * c.max() - c.sum()), c.sum()], atol=1e-7)
    change = value[:, :-1] * value[:, 1:] < 0
    singular = 0.5 * (distance[:, :-1] + distance[:, 1:])[change]
    assert len(found.path_dependent) >= 1
    assert abs(found.path_dependent.max() - singular.max()) < 5e-3
    assert abs(found.path_dependent.min() - singular.min()) < 5e-3
    for d in singular[::97]:
        assert np.any((found.path_dependent[:, 0] - 5e-3 <= d) & (d <= found.path_dependent[:, 1] + 5e-3))
    for state, where in zip(found.singular[::50], found.singular_distance[::50], strict=True):
        assert abs(arm.singularity(*state.q)) < 1e-10
        assert abs(abs(arm.place(*state.q)) - where) < 1e-12


def test_rings_tile_the_reach_and_the_map_agrees():
    found = ff.workspace(PlanarArm().model(), "hand", bins=60)
    rings = np.concatenate([found.path_independent, found.path_dependent])
    rings = rings[np.argsort(rings[:, 0])]
    np.testing.assert_allclose(rings[1:, 0], rings[:-1, 1], atol=1e-8)
    np.testing.assert_allclose([rings[0, 0], rings[-1, 1]], found.reach, atol=1e-8)
    middle = 0.5 * (found.edges[1:] + found.edges[:-1])
    for kind, family in ((1, found.path_independent), (2, found.path_dependent)):
        for d in middle[found.kind == kind]:
            assert np.any((family[:, 0] - 0.05 <= d) & (d <= family[:, 1] + 0.05))
    assert (found.kind[middle < found.reach[0] - 0.05] == 0).all()


def test_a_shoulder_in_the_middle_of_a_heavy_base_leaves_nothing_path_dependent_between():
    """Then singular postures are the straight ones, at the least and the largest distance alone."""
    arm = PlanarArm(mass=(4e5, 4.0, 3.0), moment=(6e5, 0.333, 0.25), shoulder=1e-6, length=(1.0, 0.6))
    found = ff.workspace(arm.model(), "hand")
    np.testing.assert_allclose(found.reach, [0.4, 1.6], atol=1e-4)
    assert np.ptp(found.path_dependent, axis=1).max(initial=0.0) < 1e-3
    np.testing.assert_allclose(found.path_independent, [found.reach], atol=1e-3)


def test_a_spatial_arm_of_three_joints():
    robot = sd.load("umetani_yoshida")
    endpoint = robot.endpoint_names[0]
    found = ff.workspace(robot, endpoint, samples=21)
    states = robot.state(q=np.random.default_rng(1).uniform(-np.pi, np.pi, (4000, 3)))
    lever = sd.endpoint_pose(robot, states, endpoint).position - sd.center_of_mass(robot, states)
    distance = np.linalg.norm(lever, axis=-1)
    assert found.reach[0] <= distance.min() + 1e-6 and distance.max() <= found.reach[1] + 1e-6
    assert distance.max() > 0.97 * found.reach[1]
    smallest = ff.manipulability(robot, found.singular, endpoint, task="position").smallest
    assert smallest.max() < 1e-9 and len(found.singular) > 100


def test_limits_and_held_joints():
    robot = sd.load("planar_four_link")
    state = robot.state(q=[0.0, 0.0, 0.5, -0.5])
    found = ff.workspace(robot, "hand", state=state, joints=iter(["joint1", "joint2"]), samples=61)
    assert found.singular.q.shape[1] == 4
    np.testing.assert_array_equal(found.singular.q[:, 2:], np.broadcast_to([0.5, -0.5], found.singular.q[:, 2:].shape))


def test_it_can_be_drawn():
    figure = ff.workspace(PlanarArm().model(), "hand", samples=41).plot(style="publication", width=3.0)
    image = io.BytesIO()
    figure.savefig(image, format="png", dpi=60)
    colors = Image.open(image).convert("RGB").getcolors(100_000)
    assert colors is not None and len(colors) > 20
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "path-independent",
        "path-dependent",
    ]


def test_bad_calls_are_refused_by_name():
    robot, model = sd.load("ets7"), PlanarArm().model()
    for call, words in (
        (lambda: ff.workspace(robot, "hand"), "6 coordinates move, the task has 3 components"),
        (lambda: ff.workspace(model, "hand", task="pose"), "task: expected 'position'"),
        (lambda: ff.workspace(model, "hand", samples=2), "samples"),
        (lambda: ff.workspace(model, "hand", bins=0), "bins"),
        (lambda: ff.workspace(PlanarArm().model("fixed"), "hand"), "keeps no linear momentum"),
        (lambda: ff.workspace(model.vary(mass={"base": np.array([1.0, 2.0])}), "hand"), "got a fleet"),
        (lambda: ff.workspace(model, "hand", state=model.random_state(np.random.default_rng(0), 2)), "one robot"),
        (lambda: ff.workspace(None, "hand"), "must be a Model"),
    ):
        with pytest.raises(sd.InputError, match=words):
            call()
    with pytest.raises(sd.UnknownName, match="did you mean 'hand'"):
        ff.workspace(model, "hnd")
    b = sd.Builder("slider", base="planar")
    b.base("bus", mass=20.0, inertia=(2, 3, 4))
    b.link("arm", parent="bus", mass=1.0, inertia=(0.1, 0.2, 0.2), com=(0.5, 0, 0))
    b.link("slide", "prismatic", parent="arm", axis=(1, 0, 0), mass=1.0, inertia=(0.1, 0.2, 0.2))
    b.endpoint("tip", body="slide")
    with pytest.raises(sd.InputError, match="joint 'slide' slides without limits"):
        ff.workspace(b.build(), "tip")
