"""Runs in order, small ones, from which damaged ones are made: as files and as folders."""

from pathlib import Path

import spacedyn as sd
from spacedyn import control

from .robots import equipped


def runs(folder: Path) -> list[sd.Run]:
    """Streamed into folders `0` to `3`: a law, a force and an event; a batch; prescribed and locked; with devices."""
    robot, arm = sd.load("tian_wu"), sd.load("koike")
    one = robot.state(q=[0.3, -0.2, 0.1], qd=[0.4, 0.2, -0.1])
    event = sd.Event(sd.joint_reaches(robot.joint_names[0], 0.35))
    spring = sd.Spring(robot.body_names[0], stiffness=2.0)
    laws = [control.joint_damping(robot, one, kd=0.1)]
    many = robot.state(qd=[[0.1, 0, 0], [0, 0.2, 0], [0, 0, 0.3]])
    motions = {arm.joint_names[0]: sd.waypoints([0, 1], [[0.0], [0.1]], stop=True), arm.joint_names[1]: "locked"}
    satellite, start, devices = equipped()
    made = [
        sd.simulate(robot, one, 1.0, record=0.1, laws=laws, forces=[spring], events=[event], stream=folder / "0"),
        sd.simulate(robot, many, 0.5, record=0.1, stream=folder / "1"),
        sd.simulate(arm, arm.neutral_state(), 1.0, record="steps", prescribed=motions, stream=folder / "2"),
        sd.simulate(satellite, start, 0.6, record=0.1, stream=folder / "3", **devices),
    ]
    assert made[0].events and all(run.status == "done" for run in made)
    return made
