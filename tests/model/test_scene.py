"""Several robots in one scene move as each would alone."""

import numpy as np
import pytest

import spacedyn as sd
from random_trees import random_model


@pytest.mark.parametrize("base", ["free", "fixed", "planar", "attitude"])
def test_each_robot_moves_as_it_would_alone(base):
    rng = np.random.default_rng(ord(base[0]))
    robot = random_model(rng, 4, base_kind=base, kinds=("revolute", "prismatic", "spherical"))
    both = sd.scene({"one": robot, "ets": sd.load("ets7")})
    state = robot.random_state(rng)
    if base == "fixed":  # in the world's frame, as it is there
        state = robot.state(base_frame_position=np.zeros(3), q=state.q, qd=state.qd)
    R, com = state.base_attitude, np.array(robot.bodies[0].com)
    origin, w = state.base_position - R.apply(com), np.array(state.base_rate)
    v = state.base_velocity - np.cross(w, R.apply(com))
    local = R.inv().apply(w)
    q = {f"one/{j.name}": state.q[robot.q_slice(j.name)] for j in robot.joints}
    qd = {f"one/{j.name}": state.qd[robot.qd_slice(j.name)] for j in robot.joints}
    rotvec = R.as_rotvec()
    if base == "free":
        q["one/base"], qd["one/base"] = [*origin, *R.as_quat()], [*v, *local]
    elif base == "planar":
        q["one/base"], qd["one/base"] = [*origin[:2], rotvec[2]], [*v[:2], w[2]]
    elif base == "attitude":
        q["one/base"], qd["one/base"] = R.as_quat(), local
    there = both.state(q=q, qd=qd)
    tau = rng.uniform(-1, 1, robot.nv - robot.base_dof)
    all_tau = np.zeros(both.nv)
    for j in robot.joints:
        all_tau[both.qd_slice(f"one/{j.name}")] = tau[robot.qd_slice(j.name)]
    alone = sd.forward_dynamics(robot, state, tau, gravity=(0, 0, -1.6))
    together = sd.forward_dynamics(both, there, all_tau, gravity=(0, 0, -1.6))
    for j in robot.joints:
        np.testing.assert_allclose(
            together[both.u_slice(f"one/{j.name}")], alone[robot.u_slice(j.name)], rtol=1e-9, atol=1e-9
        )


def test_names_places_and_order():
    ets = sd.load("ets7")
    two = sd.scene([ets, ets], places={"ets72": ((0, 0, 5), sd.Rotation.from_euler("z", 1.0))})
    assert two.bodies[0].name == "world" and two.base_kind == "fixed"
    assert two.joint_names[0] == "ets71/base" and two.endpoint_names == ("ets71/hand", "ets72/hand")
    assert two.joint("ets72/base").position.tolist() == [0, 0, 5]
    assert two.total_mass == pytest.approx(2 * ets.total_mass)


@pytest.mark.parametrize(
    ("robots", "options", "words"),
    [
        ([], {}, "give a list of models"),
        ("ets7", {}, "give a list of models"),
        (["ets7"], {}, "give models, such as"),
        ({"a": sd.load("ets7")}, {"places": {"a": 3}}, "give a pair"),
        ({"a": sd.load("ets7")}, {"places": {"a": ((0, 0), None)}}, "give 3 real numbers"),
    ],
)
def test_what_makes_no_scene_is_reported(robots, options, words):
    with pytest.raises(sd.InputError, match=words):
        sd.scene(robots, **options)


def test_a_place_of_nobody_is_reported():
    with pytest.raises(sd.UnknownName, match="did you mean 'one'"):
        sd.scene({"one": sd.load("ets7")}, places={"on": ((0, 0, 0), None)})
