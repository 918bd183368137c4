"""Inverse kinematics on a recoiling and on a held base."""

import json

import numpy as np
import pytest

import spacedyn as sd
from golden_cases import Case
from paths import GOLDEN
from planar_arm import PlanarArm
from random_trees import random_model

ff = sd.freefloating
ETS7 = sd.load("ets7")
START = ETS7.state(q=[0.3, 0.4, -0.8, 0.2, 0.4, 0.1], base_position=[1, 2, 3])
POSE = sd.endpoint_pose(ETS7, START, "hand")
GOAL = (POSE.position + np.array([0.2, -0.3, 0.1]), sd.Rotation.from_rotvec([0.2, 0.1, -0.3]) * POSE.attitude)


def at_goal(model, state, endpoint, goal):
    position, rotation = sd.endpoint_pose(model, state, endpoint)
    np.testing.assert_allclose(position, goal[0], atol=1e-8)
    np.testing.assert_allclose((goal[1].inv() * sd.Rotation.from_matrix(rotation)).magnitude(), 0, atol=1e-8)


@pytest.mark.parametrize("floating", [True, False])
def test_a_pose_is_reached(floating):
    found = ff.inverse_kinematics(ETS7, START, {"hand": GOAL}, floating=floating)
    assert bool(found.reached) and str(found.reason) == "reached" and found.iterations < 40
    at_goal(ETS7, found.state, "hand", GOAL)
    assert (found.position_error < 1e-9).all() and (found.attitude_error < 1e-9).all()
    np.testing.assert_array_equal(found.path[-1], found.state.q)
    moved = np.abs(found.state.difference(START)[:6]).max()
    assert moved > 1e-3 if floating else moved == 0.0


def test_what_elements_hold_is_in_the_state_that_is_found():
    start = START.replace(q=np.array([START.q, START.q])).with_internal({"jet.propellant": [[1.5], [2.5]]})
    found = ff.inverse_kinematics(ETS7, start, {"hand": GOAL})
    np.testing.assert_array_equal(found.state.internal["jet.propellant"], [[1.5], [2.5]])


def test_the_recoiling_base_ends_where_a_full_simulation_has_it():
    found = ff.inverse_kinematics(ETS7, START, {"hand": GOAL})
    times = np.linspace(0, 60, len(found.path))
    prescribed = {name: sd.waypoints(times, found.path[:, i], stop=True) for i, name in enumerate(ETS7.joint_names)}
    run = sd.simulate(ETS7, START, 60.0, prescribed=prescribed, method=sd.DormandPrince8(rtol=1e-12, atol=1e-12))
    np.testing.assert_allclose(run.final.difference(found.state), 0, atol=1e-8)
    at_goal(ETS7, run.final, "hand", GOAL)


@pytest.mark.parametrize("base", ["free", "planar", "attitude", "fixed"])
def test_random_trees_come_back_to_where_they_were(base):
    """The target is the pose of another posture near by, base as the path has brought it or held."""
    rng = np.random.default_rng(41)
    model = random_model(rng, 8, base_kind=base, kinds=("revolute", "universal", "spherical", "prismatic"))
    endpoint = max(model.endpoints, key=lambda e: len(_chain(model, e.body))).name
    state = model.random_state(rng, 4)
    step = np.zeros((4, model.nv))
    step[:, model.base_dof :] = rng.normal(size=(4, model.nv - model.base_dof)) * 0.1
    other = state.integrate(step)
    for floating in (True, False) if base != "fixed" else (False,):
        there = other
        if floating:
            there = ff.base_motion(model, state, np.stack([state.q, other.q], axis=-2)).state
        position, rotation = sd.endpoint_pose(model, there, endpoint)
        goal = position, sd.Rotation.from_matrix(rotation)
        found = ff.inverse_kinematics(model, state, {endpoint: goal}, floating=floating, limits=False)
        assert found.reached.all(), found.reason
        at_goal(model, found.state, endpoint, goal)
        if floating:
            along = ff.base_motion(model, state, found.path)
            np.testing.assert_allclose(along.state.difference(found.state), 0, atol=1e-9)


def _chain(model, body):
    joints = {j.child: j.parent for j in model.joints}
    chain = [body]
    while chain[-1] in joints:
        chain.append(joints[chain[-1]])
    return chain


def test_a_batch_is_as_each_alone_and_robots_may_differ():
    fleet = ETS7.vary(mass={"link3": np.array([10.0, 100.0])})
    state = fleet.state(q=np.tile(START.q, (3, 2, 1)), base_position=START.base_position)
    goals = GOAL[0] - 0.05 * np.arange(1, 4)[:, None, None] * [1.0, 0, 0]
    found = ff.inverse_kinematics(fleet, state, {"hand": np.broadcast_to(goals, (3, 2, 3))})
    assert found.reached.shape == (3, 2) and found.reached.all()
    assert np.abs(found.state.q[0, 0] - found.state.q[0, 1]).max() > 1e-4
    one = state[1, 1]
    alone = ff.inverse_kinematics(one.model, one, {"hand": goals[1, 0]})
    np.testing.assert_allclose(alone.state.x, found.state.x[1, 1], atol=1e-8)
    assert found.iterations[1, 1] == alone.iterations


def test_several_endpoints():
    robot = sd.load("two_arm_sample")
    rng = np.random.default_rng(42)
    state = robot.random_state(rng)
    a, b = robot.endpoint_names[:2]
    step = np.zeros(robot.nv)
    step[6:] = rng.normal(size=robot.nv - 6) * 0.15
    there = ff.base_motion(robot, state, [state.q, state.integrate(step).q]).state
    goals = {name: sd.endpoint_pose(robot, there, name).position for name in (a, b)}
    found = ff.inverse_kinematics(robot, state, goals, limits=False)
    assert bool(found.reached) and found.endpoints == (a, b) and found.position_error.shape == (2,)
    for name, goal in goals.items():
        np.testing.assert_allclose(sd.endpoint_pose(robot, found.state, name).position, goal, atol=1e-8)


def test_a_target_out_of_reach_is_approached_along_the_line():
    arm = PlanarArm()
    model = arm.model()
    start = model.state(q=[0.3, 0.5])
    shoulder = np.array([0.5, 0, 0])
    found = ff.inverse_kinematics(model, start, {"hand": [5.0, 5.0, 0]}, floating=False)
    assert not found.reached and str(found.reason).startswith("no joint motion leads nearer")
    away = np.array([5.0, 5.0, 0]) - shoulder
    nearest = shoulder + 2.0 * away / np.linalg.norm(away)
    np.testing.assert_allclose(sd.endpoint_pose(model, found.state, "hand").position, nearest, atol=1e-4)
    assert abs(found.position_error[0] - (np.linalg.norm(away) - 2.0)) < 1e-8


def test_a_singular_start_is_left():
    model = PlanarArm().model()
    stretched = model.neutral_state()
    goal = sd.endpoint_pose(model, model.state(q=[0.8, 0.9]), "hand").position
    found = ff.inverse_kinematics(model, stretched, {"hand": goal}, floating=False)
    assert bool(found.reached)
    assert np.abs(np.diff(found.path, axis=0)).max() <= 0.3 + 1e-12


def limited(upper):
    b = sd.Builder("limited", base="planar")
    b.base("base", mass=40.0, inertia=(6, 7, 6.667))
    b.link("upper", parent="base", position=(0.5, 0, 0), mass=4.0, com=(0.5, 0, 0), inertia=(0.01, 0.3, 0.3))
    b.link(
        "lower", parent="upper", position=(1, 0, 0), mass=3.0, com=(0.5, 0, 0), inertia=(0.01, 0.3, 0.3),
        lower=-0.5, upper=upper,
    )  # fmt: skip
    b.endpoint("hand", body="lower", position=(1, 0, 0))
    return b.build()


@pytest.mark.parametrize("floating", [True, False])
def test_limits_are_kept_and_named(floating):
    wide, narrow = limited(2.0), limited(0.4)
    goal = sd.endpoint_pose(wide, wide.state(q=[0.2, 1.2]), "hand").position
    start = {"q": [0.3, 0.2]}
    assert bool(ff.inverse_kinematics(wide, wide.state(**start), {"hand": goal}, floating=floating).reached)
    found = ff.inverse_kinematics(narrow, narrow.state(**start), {"hand": goal}, floating=floating)
    assert str(found.reason) == "joints at their limits: lower" and not found.reached
    assert found.path[:, 1].max() <= 0.4 + 1e-12 and found.state.q[1] > 0.4 - 1e-6
    free = ff.inverse_kinematics(narrow, narrow.state(**start), {"hand": goal}, floating=floating, limits=False)
    assert bool(free.reached)
    with pytest.raises(sd.InputError, match="joint 'lower' starts beyond its limits"):
        ff.inverse_kinematics(narrow, narrow.state(q=[0, 1.0]), {"hand": goal})


def test_a_heavy_base_is_a_fixed_one():
    body = ETS7.body_names[0]
    heavy = ETS7.vary(mass={body: np.array([1e13])}, inertia={body: 1e13 * np.eye(3)[None]})
    start = heavy.state(q=START.q, base_position=START.base_position)
    floating = ff.inverse_kinematics(heavy, start, {"hand": GOAL})
    fixed = ff.inverse_kinematics(ETS7, START, {"hand": GOAL}, floating=False)
    np.testing.assert_allclose(floating.state.q[0], fixed.state.q, atol=1e-7)


def test_golden():
    wanted, case = json.loads((GOLDEN / "ikine_model_a.json").read_text()), Case("model_a_6R_free_base")
    base = {"base_position": wanted["R0"], "base_attitude": np.array(wanted["A0"])}
    start = case.model.state(q=wanted["q_init"], **base)
    goal = (wanted["POS_goal"], np.array(wanted["ORI_goal"]))
    found = ff.inverse_kinematics(case.model, start, {"endpoint1": goal}, floating=False, tolerance=1e-12)
    assert bool(found.reached)
    np.testing.assert_allclose(found.state.q, wanted["q_true"], atol=1e-11)


def test_attitude_alone_some_joints_and_no_iterations():
    turn = GOAL[1]
    found = ff.inverse_kinematics(ETS7, START, {"hand": turn}, joints=["joint4", "joint5", "joint6"])
    assert (found.path[:, :3] == START.q[:3]).all()
    assert (found.position_error == 0).all() and bool(found.reached)
    none = ff.inverse_kinematics(ETS7, START, {"hand": turn}, iterations=0)
    assert str(none.reason) == "iterations used up" and none.path.shape == (1, 6)
    nobody = ETS7.random_state(np.random.default_rng(0), 0)
    assert ff.inverse_kinematics(ETS7, nobody, {"hand": GOAL[0]}).reached.shape == (0,)


def test_bad_calls_are_refused_by_name():
    call = lambda targets, **more: ff.inverse_kinematics(ETS7, START, targets, **more)  # noqa: E731
    for targets, words in (
        ({}, "targets: expected"),
        ([1, 2, 3], "targets: expected"),
        ({"hand": [1.0, 2.0]}, r"target of endpoint 'hand': expected shape \(3,\)"),
        ({"hand": [1.0, 2.0, np.inf]}, "target of endpoint 'hand': inf"),
        ({"hand": (np.zeros(3), np.ones((3, 3)))}, "rotation matrix"),
        ({"hand": (np.zeros(3), np.ones(3))}, "direction cosines"),
        ({"hand": (np.zeros(3), -np.eye(3))}, "not a right-handed rotation matrix"),
        ({"hand": (np.zeros(3), np.full((3, 3), 1e300))}, "not a right-handed rotation matrix"),
        ({"hand": None}, "expected a position, a Rotation, or both"),
        ({"hand": (None, None)}, "expected a position, a Rotation, or both"),
        ({"hand": [1e20, 0, 0]}, "beyond what any robot reaches"),
        ({"hand": "there"}, "text"),
    ):
        with pytest.raises(sd.InputError, match=words):
            call(targets)
    with pytest.raises(sd.UnknownName, match="did you mean 'hand'"):
        call({"hnd": np.zeros(3)})
    for options in ({"tolerance": 0.0}, {"max_step": -1.0}, {"iterations": -1}, {"floating": "yes"}):
        with pytest.raises(sd.InputError, match=next(iter(options))):
            call({"hand": np.zeros(3)}, **options)
    held = PlanarArm().model("fixed")
    with pytest.raises(sd.InputError, match="fixed base"):
        ff.inverse_kinematics(held, held.neutral_state(), {"hand": np.zeros(3)})
