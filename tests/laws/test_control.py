"""Ready-made laws do what they say: by conservation, by the functions of the package, and by SciPy."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import spacedyn as sd
from random_trees import random_model
from spacedyn import control
from spacedyn.laws.ready_made.base import attitude_error, axes_of

HOME = [0.3, 0.4, -0.8, 0.2, 0.4, 0.1]
THERE = [0.9, 0.7, -1.1, 0.5, 0.6, 0.4]
GRAVITY = (0.3, -1.2, -9.6)


def test_attitude_errors_are_the_shorter_way_round():
    one, other = (sd.Rotation.random(50, rng=np.random.default_rng(k)) for k in (1, 2))
    for a, b in zip(one, other, strict=True):
        error = attitude_error(a.as_quat(), -b.as_quat())  # either sign is the same attitude
        assert np.allclose(error, (a.inv() * b).as_rotvec(), atol=1e-12)
        assert np.allclose(axes_of(a.as_quat()), a.as_matrix(), atol=1e-14)
    assert np.allclose(
        attitude_error(np.array([0, 0, 0, 1.0]), np.array([1e-11, 0, 0, 1.0])), [2e-11, 0, 0], atol=1e-20
    )


# --- joints ----------------------------------------------------------------------------------------------------------


def test_hold_is_proportional_and_derivative():
    robot = sd.load("ets7")
    start = robot.state(q=HOME, qd=[0.1, 0, -0.1, 0.2, 0, 0])
    run = sd.simulate(
        robot, start, 2.0, laws=[control.joint_hold(robot, start, target=THERE, kp=20.0, kd=5.0, limit=7.0)]
    )
    wanted = 20.0 * (THERE - run.states.q) - 5.0 * run.states.qd
    assert np.abs(wanted).max() > 7.0
    assert np.allclose(run["forces"][:, 6:], np.clip(wanted, -7.0, 7.0), atol=1e-12)


def test_some_joints_alone():
    robot = sd.load("two_arm_sample")
    start = robot.neutral_state()
    law = control.joint_hold(robot, start, joints=["joint5", "joint3"], target=[0.2, 0.1], kp=3.0, kd=0.0)
    run = sd.simulate(robot, start, 0.5, laws=[law])
    assert np.allclose(run["forces"][0, 6:], [0, 0, 0.3, 0, 0.6, 0], atol=1e-12)


def test_a_joint_that_turns_in_all_directions_is_refused_by_name():
    rng = np.random.default_rng(3)
    model = random_model(rng, 12, base_kind="free", kinds=("revolute", "spherical"))
    names = [joint.name for joint in model.joints if joint.kind == "spherical"]
    with pytest.raises(sd.InputError, match=f"'{names[0]}' is spherical; name the joints"):
        control.joint_hold(model, model.neutral_state())
    simple = [joint.name for joint in model.joints if joint.kind == "revolute"]
    assert control.joint_hold(model, model.neutral_state(), joints=simple).parameters["target"].size == len(simple)
    run = sd.simulate(
        model, model.neutral_state(), 0.1, laws=[control.joint_damping(model, model.neutral_state(), kd=1)]
    )
    assert run.status == "done"


def test_round_trip_ends_where_it_began():
    robot = sd.load("ets7")
    start = robot.state(q=HOME)
    law = control.joint_round_trip(robot, start, reach=THERE, trip=20.0, stagger=1.0, period=0.01)
    run = sd.simulate(robot, start, 40.0, laws=[law])
    assert np.abs(run.final.q - HOME).max() < 1e-6
    assert np.allclose(np.ptp(run.states.q, axis=0), np.abs(THERE), rtol=0.02)


# --- laws that know their robot --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "gravity"), [("ets7", None), ("planar_four_link", None), ("ssrms", GRAVITY)])
def test_computed_torque_is_the_inverse_dynamics_of_a_free_base(name, gravity):
    robot = sd.load(name)
    rng = np.random.default_rng(4)
    start = robot.state(q=rng.uniform(-0.5, 0.5, robot.nq))
    goal = rng.uniform(-0.5, 0.5, robot.nq)
    law = control.computed_torque(robot, start, times=[0, 4], values=[start.q, goal], gravity=gravity)
    run = sd.simulate(robot, start, 4.0, laws=[law], gravity=gravity, record=0.5)
    assert np.abs(run.final.q - goal).max() < 1e-7
    path = sd.waypoints([0, 4], [start.q, goal])
    for k, t in enumerate(run.time):
        state, (value, rate, acceleration) = run.states[k], path.at(t)
        udot = np.zeros(robot.nv)
        udot[robot.base_dof :] = acceleration + 4.0 * (value - state.q) + 4.0 * (rate - state.qd)
        wanted = sd.hybrid_dynamics(robot, state, robot.joint_names, udot, gravity=gravity).forces
        assert np.allclose(run["forces"][k], wanted, rtol=1e-7, atol=1e-7 * (1 + np.abs(wanted).max()))


@pytest.mark.parametrize("attitude", ["hold", "free"])
def test_an_endpoint_is_led_by_the_generalized_jacobian(attitude):
    robot = sd.load("ets7")
    start = robot.state(q=[0.3, 0.4, -0.8, 0.2, 1.0, 0.1], base_rate=[0.002, -0.001, 0.003])  # it has momentum, too
    path = {"times": [0, 8], "positions": [[0, 0, 0], [0.1, 0.2, -0.1]], "relative": True}
    law = control.endpoint_path(robot, start, endpoint="hand", attitude=attitude, **path)
    run = sd.simulate(robot, start, 8.0, laws=[law], record=1.0)
    hand, rows = run.endpoint("hand"), 6 if attitude == "hold" else 3
    line, first = sd.waypoints(path["times"], path["positions"]), hand.rotation[0]
    for k, t in enumerate(run.time):
        state = run.states[k]
        twist = np.zeros(6)
        twist[:3] = line.at(t)[1] + (hand.position[0] + line.at(t)[0] - hand.position[k])
        twist[3:] = sd.Rotation.from_matrix(first @ hand.rotation[k].T).as_rotvec()
        G = sd.generalized_jacobian(robot, state, "hand")[:rows]
        U, sigma, V = np.linalg.svd(G, full_matrices=False)
        inverse = V.T @ np.diag(sigma / np.maximum(sigma, 1e-3) ** 2) @ U.T
        rates = inverse @ (twist[:rows] - hand.velocity[k, :rows] + G @ state.qd)
        udot = np.concatenate([np.zeros(6), 10.0 * (rates - state.qd)])
        wanted = sd.hybrid_dynamics(robot, state, robot.joint_names, udot).forces
        assert np.allclose(run["forces"][k], wanted, rtol=1e-6, atol=1e-6 * np.abs(wanted).max())


# --- the base --------------------------------------------------------------------------------------------------------


def test_wheels_and_robot_keep_their_angular_momentum_together():
    robot = sd.load("ets7")
    start = robot.state(q=HOME, base_rate=[0.004, 0.01, -0.006])
    wheels = control.wheel_attitude_hold(robot, start, target_rpy_xyz_deg=[5, 10, -5], torque=30.0)
    law = control.joint_round_trip(robot, start, reach=THERE, trip=15.0)
    run = sd.simulate(robot, start, 30.0, laws=[law, wheels], method=sd.DormandPrince8(rtol=1e-10, atol=1e-11))
    inside = run.states.base_attitude.apply(run["law_states"].copy())
    total = run.momentum(about="com")[:, 3:] + inside
    assert np.abs(total - total[0]).max() < 1e-5 * np.linalg.norm(total[0])
    assert np.linalg.norm(inside[-1]) > 10.0


def test_full_wheels_give_no_torque():
    robot = sd.load("ets7")
    start = robot.state(q=HOME, base_rate=[0.0, 0.02, 0.0])
    wheels = control.wheel_attitude_hold(robot, start, bandwidth=1.0, capacity=20.0)
    laws = [wheels, control.joint_hold(robot, start)]
    run = sd.simulate(robot, start, 10.0, laws=laws, method=sd.RungeKutta4(0.005), budget=1e-3)  # the torque jumps
    assert 19.0 < np.abs(run["law_states"]).max() < 20.5


def test_detumbling_takes_the_time_that_it_says():
    robot = sd.load("koike")
    start = robot.state(base_rate=[0.2, -0.1, 0.3])
    hold = control.joint_hold(robot, start, bandwidth=20.0)
    run = sd.simulate(robot, start, 20.0, laws=[control.detumble(robot, start, time_constant=4.0), hold], record=4.0)
    turning = np.linalg.norm(run.states.base_rate, axis=1)
    assert np.allclose(turning[1] / turning[0], np.exp(-1), rtol=0.1)
    assert turning[-1] < 0.02 * turning[0]


def test_thrusters_push_where_they_are():
    robot = sd.load("ets7")
    start = robot.neutral_state()
    jets = {
        "positions": [[0, 0, 0], [0, 1.0, 0]],
        "forces": [[3.0, 0, 0], [0, 0, 5.0]],
        "pulses": [[0, 0, 0.2], [1, 0.1, 0.4]],
    }
    run = sd.simulate(robot, start, 1.0, laws=[control.thruster_pulses(robot, start, **jets)], record=0.05)
    com = robot.bodies[0].com
    moments = [np.cross(-com, [3.0, 0, 0]), np.cross([0, 1.0, 0] - com, [0, 0, 5.0])]
    first, both = run["base_wrench"][1], run["base_wrench"][3]  # at 0.05 s the base has hardly turned
    assert np.allclose(first, [3.0, 0, 0, *moments[0]], atol=1e-3)
    assert np.allclose(both, [3.0, 0, 5.0, *(moments[0] + moments[1])], atol=1e-2)
    assert np.allclose(run["impulse"][-1, :3], [0.6, 0, 1.5], atol=1e-2)


def test_a_dead_band_is_held():
    robot = sd.load("ets7")
    start = robot.state(base_rate=[0.003, -0.004, 0.0])
    laws = [control.thruster_attitude_hold(robot, start, torque=20.0), control.joint_hold(robot, start)]
    run = sd.simulate(robot, start, 150.0, laws=laws)
    late = run.states.base_attitude[run.time > 60.0]
    assert np.degrees(late.magnitude().max()) < 1.0
    torques = np.abs(run.states.base_attitude.inv().apply(run["base_wrench"][:, 3:].copy()))
    assert np.unique(torques.round(1)).tolist() == [0.0, 20.0]  # on or off


# --- what goes wrong -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda r, s: control.joint_hold(r, s, target=[1, 2]), "target must be a finite number, or 6"),
        (lambda r, s: control.joint_hold(r, s, kp=-1.0), "kp must be a finite number, or 6 of them, 0 or more"),
        (lambda r, s: control.joint_hold(r, s, joints=["elbow"]), "no joint named 'elbow'"),
        (lambda r, s: control.joint_path(r, s, times=[0, 1], values=[[0], [1]]), "1 columns; 6 are needed"),
        (lambda r, s: control.joint_path(r, s, times=[1, 0], values=[HOME, THERE]), "ascending"),
        (lambda r, s: control.joint_round_trip(r, s, reach=THERE, trip=0.0), "trip must be a finite number"),
        (lambda r, s: control.endpoint_path(r, s, endpoint="foot", times=[0, 1], positions=[[0] * 3] * 2), "'foot'"),
        (
            lambda r, s: control.endpoint_path(r, s, endpoint="hand", times=[0, 1], positions=[[0], [1]]),
            "three columns",
        ),
        (lambda r, s: control.attitude_hold(r, s, target_xyzw=[0, 0, 0, 2]), "length 1"),
        (lambda r, s: control.attitude_hold(r, s, target_xyzw=[0, 0, 0, 1], target_rpy_xyz_deg=[0] * 3), "twice"),
        (
            lambda r, s: control.thruster_pulses(r, s, positions=[[0] * 3], forces=[[1] * 3], pulses=[[1, 0, 1]]),
            "from 0 to 0",
        ),
        (
            lambda r, s: control.thruster_pulses(r, s, positions=[0], forces=[[1] * 3], pulses=[[0, 0, 1]]),
            "rows of three",
        ),
        (lambda r, s: control.joint_hold(r, r.random_state(np.random.default_rng(0), (2,))), "one state"),
        (lambda r, s: control.detumble(sd.load("ssrms"), sd.load("ssrms").neutral_state()), "is fixed"),
    ],
)
def test_errors_say_what_was_expected(make, words):
    robot = sd.load("ets7")
    with pytest.raises(sd.SpacedynError, match=words):
        make(robot, robot.state(q=HOME))


def test_every_ready_made_law_is_listed_and_described():
    made = {name for name in control.__all__ if name.islower() and name not in ("from_file", "swing")}
    assert made == set(control.LAWS)
    for law in control.LAWS.values():
        assert "Examples" in (law.__doc__ or "")


PLAIN = """
import numpy as np, spacedyn as sd
from spacedyn import control
robot = sd.load("tian_wu")
start = robot.state(q=[0.5, 0.4, 0.3], base_rate=[0.01, 0.02, 0.03])
LINE = {"kind": "line", "by": [0.1, 0, 0], "turn": [0.1, 0.2, 0.1], "duration": 1.0}
laws = [
    control.computed_torque(robot, start, times=[0, 1], values=[start.q, [0.6, 0.5, 0.1]], period=0.02),
    control.endpoint_path(robot, start, endpoint="hand", times=[0, 1], positions=[[0] * 3, [0.1, 0, 0]], relative=True,
                          attitude="free", period=0.02),
    control.wheel_attitude_hold(robot, start),
    control.detumble(robot, start),
    control.attitude_hold(robot, start),
    control.thruster_attitude_hold(robot, start, torque=1.0),
    control.thruster_pulses(robot, start, positions=[[0, 0, 1]], forces=[[1, 0, 0]], pulses=[[0, 0, 0.05]]),
    control.joint_round_trip(robot, start, reach=[0.1] * 3, trip=0.1),
    control.joint_path(robot, start, times=[0, 1], values=[start.q, start.q]),
    control.joint_hold(robot, start),
    control.joint_torque(robot, start, tau=[0.1] * 3),
    control.joint_damping(robot, start, kd=0.1),
    control.joint_pid(robot, start, period=0.02),
    control.resolved_rate(robot, start, endpoint="hand", path=LINE, follow=["x"], period=0.02),
    control.resolved_acceleration(robot, start, endpoint="hand", path=LINE, follow=["x"], period=0.02),
    control.impedance(robot, start, endpoint="hand", path=LINE, follow=["x"], stiffness=1.0, period=0.02),
    control.transposed_jacobian(robot, start, endpoint="hand", path=LINE, follow=["x"], period=0.02),
    control.reactionless(robot, start, times=[0, 1], values=[start.q, [0.6, 0.5, 0.1]], period=0.02),
    control.coordinated(robot, start, endpoint="hand", path=LINE, follow=["x"], period=0.02),
    control.post_capture(robot, start, torque=1.0, on_overrun="ignore", period=0.02),
    control.station_keeping(robot, start, period=0.02),
    control.vibration_damping(robot, start, flexible=["joint1"], joints=["joint3"], period=0.02),
]
run = sd.simulate(robot, start, 0.04, laws=laws, method=sd.RungeKutta4(0.01), record=0.02)
print(np.concatenate([run.final.x, run.final.u, run["forces"][-1]]).tolist())
"""


def test_laws_run_as_plain_python_too():
    def printed(**variables):
        env = {**os.environ, **variables}
        done = subprocess.run([sys.executable, "-c", PLAIN], capture_output=True, text=True, env=env, check=True)
        return np.array(eval(done.stdout))

    source = str(Path(sd.__file__).parents[1])
    paths = {"PYTHONPATH": os.pathsep.join([source, os.environ.get("PYTHONPATH", "")])}
    assert np.allclose(printed(**paths), printed(NUMBA_DISABLE_JIT="1", **paths), rtol=1e-11, atol=1e-12)
