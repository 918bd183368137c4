"""Zero-reaction paths: the base's attitude is still in the full nonlinear simulation with prescribed joints."""

import numpy as np
import pytest

import spacedyn as sd
from random_trees import random_model

ff = sd.freefloating
ETS7 = sd.load("ets7")
START = ETS7.state(q=[0.3, 0.4, -0.8, 0.2, 0.4, 0.1], base_attitude=sd.Rotation.from_rotvec([0.3, -0.5, 0.8]))
DIRECTION = [0.2, 0.3, 0.4, 0.2, -0.3, 0.5]
EXACT = sd.DormandPrince8(rtol=1e-13, atol=1e-13)


def turns(run):
    """Angle of the base from where it began, at all recorded times."""
    attitudes = run.states.base_attitude
    return (attitudes[0].inv() * attitudes).magnitude()


def test_the_base_stays_still_in_the_full_simulation():
    path = ff.zero_reaction_path(ETS7, START, 20.0, direction=DIRECTION)
    run = sd.simulate(ETS7, START, 20.0, prescribed=path.prescribed(), method=EXACT, record=0.2)
    assert turns(run).max() < 1e-10
    assert path.disturbance < 1e-11
    assert np.abs(run.final.q - START.q).max() > 0.1
    np.testing.assert_allclose(run.final.difference(path.final), 0, atol=1e-9)
    np.testing.assert_allclose(run.final.u, 0, atol=1e-9)
    usual = {j: sd.waypoints([0, 20], [a, b]) for j, a, b in zip(ETS7.joint_names, START.q, run.final.q, strict=True)}
    assert turns(sd.simulate(ETS7, START, 20.0, prescribed=usual, record=0.2)).max() > 1e-4  # a straight line turns it


@pytest.mark.parametrize("base", ["free", "planar", "attitude"])
def test_random_trees(base):
    rng = np.random.default_rng(21)
    model = random_model(rng, 7, base_kind=base, kinds=("revolute", "prismatic", "universal"))
    state = model.random_state(rng).replace(base_velocity=np.zeros(3), base_rate=np.zeros(3))
    state = state.replace(qd=np.zeros(model.nv - model.base_dof))
    path = ff.zero_reaction_path(model, state, 5.0, direction=rng.normal(size=model.nq) * 0.3, limits=False)
    run = sd.simulate(model, state, 5.0, prescribed=path.prescribed(), method=EXACT, record=0.1, limits=False)
    assert turns(run).max() < 1e-10
    np.testing.assert_allclose(run.final.difference(path.final), 0, atol=1e-9)
    assert np.abs(run.final.q - state.q).max() > 0.02


def test_towards_a_target():
    target = START.q + np.array([0.3, -0.2, 0.2, 0.4, -0.3, 0.5])
    path = ff.zero_reaction_path(ETS7, START, 30.0, target=target)
    run = sd.simulate(ETS7, START, 30.0, prescribed=path.prescribed(), method=EXACT, record=0.3)
    assert turns(run).max() < 1e-10
    assert np.linalg.norm(path.target_error) < np.linalg.norm(target - START.q)
    np.testing.assert_allclose(path.target_error, target - run.final.q, atol=1e-9)
    quiet = sd.reaction_null_space(ETS7, path.final)
    np.testing.assert_allclose(quiet @ path.target_error, 0, atol=1e-8)  # no quiet motion leads nearer


def test_a_target_on_a_zero_reaction_path_is_reached():
    planar = sd.load("planar_four_link")
    state = planar.state(q=[0.6, -0.8, 0.4, 0.5])
    there = ff.zero_reaction_path(planar, state, 5.0, direction=[0.02, 0.01, -0.03, 0.02])
    back = ff.zero_reaction_path(planar, state, 5.0, target=there.final.q)
    assert np.abs(back.target_error).max() < 1e-4  # of a step of 0.03 rad: gone about on another way


def test_neither_turn_nor_shift():
    rng = np.random.default_rng(22)
    model = random_model(rng, 9, base_kind="free", kinds=("revolute",))
    state = model.state(q=model.random_state(rng).q)
    path = ff.zero_reaction_path(model, state, 5.0, direction=rng.normal(size=9) * 0.2, reaction="all")
    run = sd.simulate(model, state, 5.0, prescribed=path.prescribed(), method=EXACT, record=0.1)
    assert turns(run).max() < 1e-10
    assert np.abs(run.states.base_position - state.base_position).max() < 1e-10
    np.testing.assert_allclose(path.final.base_position, state.base_position, atol=1e-10)


def test_some_joints_batches_and_robots_that_differ():
    planar = sd.load("planar_four_link")
    fleet = planar.vary(mass={"link4": np.array([5.0, 20.0])})
    state = fleet.state(q=np.tile([0.6, -0.8, 0.4, 0.5], (3, 2, 1)) + 0.1 * np.arange(3)[:, None, None])
    path = ff.zero_reaction_path(fleet, state, 5.0, direction=[0.3, 0.1], joints=["joint1", "joint4"])
    assert path.q.shape[:2] == (3, 2) and path.disturbance.max() < 1e-11
    np.testing.assert_array_equal(path.q[..., 1:3], np.broadcast_to(state.q[..., None, 1:3], path.q[..., 1:3].shape))
    one = state[2, 1]
    run = sd.simulate(one.model, one, 5.0, prescribed=path.prescribed(2, 1), method=EXACT, record=0.1)
    assert turns(run).max() < 1e-10
    alone = ff.zero_reaction_path(one.model, one, 5.0, direction=[0.3, 0.1], joints=["joint1", "joint4"])
    np.testing.assert_allclose(alone.final.x, path.final.x[2, 1], atol=1e-10)


def test_bad_calls_are_refused_by_name():
    call = lambda *a, **b: ff.zero_reaction_path(ETS7, START, *a, **b)  # noqa: E731
    for options, words in (
        ({}, "a direction or a target"),
        ({"direction": DIRECTION, "target": DIRECTION}, "a direction or a target"),
        ({"direction": DIRECTION[:5]}, r"direction: expected shape \(6,\)"),
        ({"target": [np.nan] * 6}, "target: nan at index 0"),
        ({"direction": np.zeros(6)}, "nothing of this motion is free of reaction"),
        ({"direction": [1.0, 1.0], "joints": ["joint1", "joint2"]}, "2 rates move, 3 base rates"),
        ({"direction": DIRECTION, "reaction": "force"}, "'moment' or 'all'"),
        ({"direction": DIRECTION, "tolerance": 0.0}, "tolerance"),
    ):
        with pytest.raises(sd.InputError, match=words):
            call(10.0, **options)
    with pytest.raises(sd.InputError, match="duration"):
        call(-1.0, direction=DIRECTION)
    b = sd.Builder("limited")
    b.base("bus", mass=20.0, inertia=(2, 3, 4))
    for i in range(3):
        b.link(f"wheel{i}", parent="bus", axis=(0, 0, 1), mass=1.0, inertia=(0.1, 0.1, 0.15), upper=0.2, lower=-3)
    with pytest.raises(sd.InputError, match="joint 'wheel0' would go beyond its limits at"):
        ff.zero_reaction_path(b.build(), b.build().neutral_state(), 1.0, direction=[1.0, 0, -1.0])
    path = ff.zero_reaction_path(b.build(), b.build().neutral_state(), 1.0, direction=[0.1, 0, -0.1])
    with pytest.raises(sd.InputError, match="index of one robot"):
        path.prescribed(1)
