"""PID of joints: the bias is compensated, a steady disturbance removed, the integral does not wind up."""

import numpy as np
import pytest

import spacedyn as sd
from leading_cases import SSRMS, push_on, random_arm
from spacedyn import control

GRAVITY = (0.3, -1.2, -9.6)


def test_the_bias_holds_a_robot_by_itself():
    robot = sd.load("ssrms")
    start = robot.state(q=SSRMS)
    law = control.joint_pid(robot, start, kp=0.0, ki=0.0, kd=0.0, gravity=GRAVITY)
    run = sd.simulate(robot, start, 1.0, laws=[law], gravity=GRAVITY, record=0.5)
    assert np.allclose(
        run["forces"], sd.inverse_dynamics(robot, start, np.zeros(robot.nv), gravity=GRAVITY), rtol=1e-10, atol=1e-8
    )
    assert np.abs(run.states.q - SSRMS).max() < 1e-9


@pytest.mark.parametrize("seed", [2, 9])
def test_a_steady_disturbance_is_removed_and_without_the_integral_it_is_force_over_stiffness(seed):
    robot, _, _ = random_arm(seed, "fixed")
    start = robot.neutral_state()
    push = push_on(robot, "tip", [0.3, -0.2, 0.4])
    ended = {}
    for integral in (0.4, 0.0):
        law = control.joint_pid(robot, start, bandwidth=2.0, integral=integral)
        run = sd.simulate(robot, start, 60.0, laws=[law], elements=[push], record=10.0)
        ended[integral] = run.final
    assert np.abs(ended[0.4].q).max() < 1e-6
    load = sd.endpoint_jacobian(robot, ended[0.0], "tip")[:3].T @ [0.3, -0.2, 0.4]
    kp = control.joint_pid(robot, start, bandwidth=2.0).parameters["settings"][1 : 1 + robot.nq]
    assert np.allclose(ended[0.0].q, load / kp, rtol=1e-5, atol=1e-8)
    assert np.abs(ended[0.0].q).max() > 1e-3


def test_the_integral_does_not_wind_up_at_a_limit():
    b = sd.Builder("arm", base="fixed")
    b.base("wall", mass=1.0, inertia=(1, 1.2, 1.3))
    b.link("arm", "revolute", parent="wall", axis=(0, 0, 1), mass=1.0, inertia=(0.8, 0.9, 1))
    robot = b.build()
    start = robot.neutral_state()
    law = control.joint_pid(robot, start, target=[0.5], bandwidth=1.0, integral=0.2, limit=0.1)
    run = sd.simulate(robot, start, 60.0, laws=[law], record=0.1, method=sd.RungeKutta4(0.01), budget=1e-4)
    assert np.abs(run["forces"]).max() <= 0.1 and run.states.q.max() < 0.65
    assert np.abs(run["joint_pid0.integral"]).max() < 1.0
    # a disturbance beyond the limit cannot be removed
    push = sd.Wrench("arm", moment=[0, 0, 0.2])
    lost = sd.simulate(robot, start, 20.0, laws=[law], elements=[push], method=sd.RungeKutta4(0.01), budget=1e-4)
    assert lost.final.q[0] > 10.0


def test_a_sampled_pid_follows_a_path_on_a_floating_base():
    robot = sd.load("planar_four_link")
    start = robot.state(q=[0.1, 0.2, -0.1, 0.0])
    there = [0.5, -0.3, 0.4, 0.2]
    law = control.joint_pid(robot, start, times=[0, 8], values=[start.q, there], bandwidth=2.0, period=0.02)
    run = sd.simulate(robot, start, 30.0, laws=[law], record=1.0)
    assert np.abs(run.final.q - there).max() < 1e-5


def test_errors_of_pid():
    robot = sd.load("ets7")
    start = robot.neutral_state()
    with pytest.raises(sd.InputError, match="give a target, or times and values"):
        control.joint_pid(robot, start, times=[0, 1])
    with pytest.raises(sd.InputError, match="ki must be a finite number, or 6"):
        control.joint_pid(robot, start, ki=[1, 2])
