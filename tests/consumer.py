"""What a program that uses the package looks like; `make check` reads it under strict types, nothing runs it."""

from pathlib import Path
from typing import Any, assert_type

import numpy as np

import spacedyn as sd


def program() -> None:
    """Names are typed as they are documented."""
    robot: sd.Model = sd.load("ets7")
    state: sd.State = robot.state(q=[0.3, 0.4, -0.8, 0.2, 0.4, 0.1])
    assert_type(sd.forward_dynamics(robot, state, np.zeros(6)), np.ndarray)
    assert_type(sd.mass_matrix(robot, state), np.ndarray)
    assert_type(sd.endpoint_pose(robot, state, "hand").position, np.ndarray)

    @sd.law(period=0.01)
    def hold(t: float, s: Any, p: Any, out: Any) -> None:
        for i in range(6):
            out.tau[i] = -p.kd * s.qd[i]

    event = sd.Event(sd.joint_reaches("joint1", 1.0), terminal=True)
    run: sd.Run = sd.simulate(robot, state, 1.0, laws=[hold(kd=1.0)], events=[event], method=sd.RungeKutta4(1e-2))
    assert_type(run.to_html("film.html", follow="hand"), Path)
    assert_type(run.audit().worst, float)
    assert_type(run.final, sd.State)
    assert_type(sd.scene({"a": robot, "b": robot}), sd.Model)
