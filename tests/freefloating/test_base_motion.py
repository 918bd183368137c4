"""Base motion along joint paths at zero momentum: closed form, full simulation, small loops, heavy bases."""

import numpy as np
import pytest

import spacedyn as sd
from random_trees import random_model

ff = sd.freefloating
M0, I0, A, M1, I1, B = 50.0, 50.0 / 6.0, 0.5, 10.0, 10.0 / 12.0, 0.5


def two_bodies(base="planar"):
    b = sd.Builder("two bodies", base=base)
    b.base("base", mass=M0, inertia=(I0, 1.1 * I0, I0))
    b.body("arm", mass=M1, inertia=(0.01, I1, I1), com=(B, 0, 0))
    b.joint("joint", "revolute", parent="base", child="arm", position=(A, 0, 0))
    b.endpoint("tip", body="arm", position=(1, 0, 0))
    return b.build()


def closed_form(q):
    """Turn of the base for a joint turn from 0 to q, 0 ≤ q ≤ 2π."""
    mu = M0 * M1 / (M0 + M1)
    C, K, D = I0 + I1 + mu * (A**2 + B**2), mu * A * B, I1 + mu * B**2
    S = np.sqrt(C**2 - 4 * K**2)
    winding = np.pi if q > np.pi else 0.0
    F = (2 / S) * (np.arctan(np.sqrt((C - 2 * K) / (C + 2 * K)) * np.tan(q / 2)) + winding)
    return -(q / 2 + (D - C / 2) * F)


def test_two_bodies_turn_as_the_closed_form_says():
    assert abs(closed_form(np.pi / 2) + 0.414420205968355) < 1e-14
    assert abs(closed_form(2 * np.pi) + 1.28127806341749) < 1e-13
    for base in ("planar", "free"):
        model = two_bodies(base)
        start = model.neutral_state()
        for end in (0.3, np.pi / 2, 3.0, 5.0):
            found = ff.base_motion(model, start, [[0.0], [end]])
            np.testing.assert_allclose(found.swept, [0, 0, closed_form(end)], atol=1e-11)
            np.testing.assert_allclose(found.turn, found.swept, atol=1e-11)
        found = ff.holonomy(model, start, [[0.0], [2 * np.pi]])  # a full turn closes the loop
        np.testing.assert_allclose(found.swept[2], -1.28127806341749, atol=1e-11)


def test_against_a_full_simulation_with_prescribed_joints():
    rng = np.random.default_rng(11)
    model = random_model(rng, 5, base_kind="free", kinds=("revolute", "prismatic", "universal"))
    state = model.random_state(rng).replace(base_velocity=[0, 0, 0], base_rate=[0, 0, 0], qd=np.zeros(model.nv - 6))
    corners = state.q + rng.normal(size=(5, model.nq)) * 0.4
    corners[0] = corners[-1] = state.q
    times = np.linspace(0.0, 8.0, 5)
    path = sd.waypoints(times, corners)
    found = ff.holonomy(model, state, path)
    columns = {j.name: model.q_slice(j.name) for j in model.joints}
    prescribed = {name: sd.waypoints(times, corners[:, part]) for name, part in columns.items()}
    method = sd.DormandPrince8(rtol=1e-13, atol=1e-13)
    run = sd.simulate(model, state, 8.0, prescribed=prescribed, method=method, limits=False)
    np.testing.assert_allclose(found.state.difference(run.final)[:6], 0, atol=1e-10)
    assert np.linalg.norm(found.turn) > 1e-3
    np.testing.assert_allclose(found.shift, run.final.base_position - state.base_position, atol=1e-10)


@pytest.mark.parametrize("base", ["free", "planar", "attitude"])
def test_all_kinds_of_joints_and_bases(base):
    """Lines between random states; the centre of mass stays, and going back undoes everything."""
    rng = np.random.default_rng(12)
    model = random_model(rng, 9, base_kind=base)
    state = model.random_state(rng, (2, 2))
    other = model.random_state(rng, (2, 2))
    there = ff.base_motion(model, state, np.stack([state.q, other.q], axis=-2))
    if base == "free":
        np.testing.assert_allclose(sd.center_of_mass(model, there.state), sd.center_of_mass(model, state), atol=1e-11)
    again = ff.base_motion(model, there.state, np.stack([other.q, state.q], axis=-2)).state
    np.testing.assert_allclose(again.difference(state), 0, atol=1e-10)
    loop = ff.holonomy(model, state, np.stack([state.q, other.q, state.q], axis=-2))
    np.testing.assert_allclose(loop.turn, 0, atol=1e-10)
    alone = ff.base_motion(model, state[1, 0], np.stack([state.q[1, 0], other.q[1, 0]]))
    np.testing.assert_allclose(alone.state.x, there.state.x[1, 0], atol=1e-10)


def test_small_loops_turn_the_base_by_area():
    model = sd.load("planar_four_link")
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0, 0.0]])
    turns = []
    for size in (0.02, 0.04):
        loop = np.array([0.5, -0.8]) + size * (square - 0.5)
        turns.append(ff.holonomy(model, model.state(q=[0, 0, 0.3, 0.2]), loop, joints=["joint1", "joint2"]).swept[2])
    assert abs(turns[1] / turns[0] - 4.0) < 1e-2
    q, h = np.array([0.5, -0.8, 0.3, 0.2]), 1e-5  # the curl of the recoil, by differences
    recoil = lambda i, j: (  # noqa: E731
        sd.base_recoil(model, model.state(q=q + h * np.eye(4)[i]))[2, j]
        - sd.base_recoil(model, model.state(q=q - h * np.eye(4)[i]))[2, j]
    )
    curl = (recoil(0, 1) - recoil(1, 0)) / (2 * h)
    assert abs(turns[0] / (curl * 0.02**2) - 1.0) < 1e-3


def test_a_heavy_base_does_not_turn():
    heavy = two_bodies("free").vary(mass={"base": np.array([1e12])}, inertia={"base": 1e12 * np.eye(3)[None]})
    found = ff.holonomy(heavy, heavy.neutral_state(), [[0], [2 * np.pi]])
    assert np.abs(found.swept).max() < 1e-10


def test_robots_that_differ_and_batches_of_loops():
    fleet = two_bodies().vary(mass={"arm": np.array([5.0, 10.0, 20.0])})
    found = ff.holonomy(fleet, fleet.neutral_state(), [[0.0], [2 * np.pi]])
    assert found.swept.shape == (3, 3)
    np.testing.assert_allclose(found.swept[1, 2], -1.28127806341749, atol=1e-11)
    assert found.swept[0, 2] > found.swept[1, 2] > found.swept[2, 2]
    model = two_bodies()
    many = ff.base_motion(model, model.neutral_state(), np.array([[[0.0], [0.3]], [[0.0], [3.0]]]))
    np.testing.assert_allclose(many.swept[:, 2], [closed_form(0.3), closed_form(3.0)], atol=1e-11)
    none = model.random_state(np.random.default_rng(0), 0)
    assert ff.base_motion(model, none, [[0.0], [0.3]]).turn.shape == (0, 3)


def test_bad_paths_are_refused_by_name():
    robot = sd.load("ets7")
    state = robot.neutral_state()
    for path, words in (
        (np.zeros(6), "expected corners"),
        (np.zeros((1, 6)), "two or more"),
        (np.zeros((3, 5)), r"\(…, points, 6\)"),
        ("there", "got text"),
        (np.full((2, 6), np.nan), "finite"),
        (sd.waypoints([0, 1], [0.0, 1.0]), "6 columns"),
    ):
        with pytest.raises(sd.InputError, match=words):
            ff.base_motion(robot, state, path)
    with pytest.raises(sd.InputError, match="not closed"):
        ff.holonomy(robot, state, [np.zeros(6), np.ones(6)])
    with pytest.raises(sd.InputError, match="tolerance"):
        ff.holonomy(robot, state, np.zeros((2, 6)), tolerance=0.0)
    with pytest.raises(sd.UnknownName, match="joint"):
        ff.holonomy(robot, state, [[0.0], [1.0]], joints=["elbow"])
    with pytest.raises(sd.InputError, match="fixed base"):
        ff.holonomy(two_bodies("fixed"), two_bodies("fixed").neutral_state(), [[0.0], [2 * np.pi]])


def test_states_of_elements_stay_what_they_are_along_a_path():
    model = two_bodies()
    start = model.neutral_state().with_internal({"stick.bristle": 1e-6})
    assert ff.base_motion(model, start, [[0.0], [0.3]]).state.internal["stick.bristle"] == 1e-6
    many = ff.base_motion(model, start, np.array([[[0.0], [0.3]], [[0.0], [3.0]]])).state
    np.testing.assert_array_equal(many.internal["stick.bristle"], [[1e-6], [1e-6]])
    robot = sd.load("ets7")
    start = robot.state(q=[0.3, 0.4, -0.8, 0.2, 0.4, 0.1]).with_internal({"stick.bristle": 1e-6})
    path = ff.zero_reaction_path(robot, start, 10.0, direction=[0.1, 0.2, 0.1, 0.1, -0.1, 0.2])
    assert path.start.internal["stick.bristle"] == path.final.internal["stick.bristle"] == 1e-6
