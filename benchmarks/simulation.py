"""Ten seconds at 1 kHz by the Runge-Kutta method of the fourth order, under a PD law written in Python.

Ours through the public call, law and ledger included; around Pinocchio the loop that a user would write in Python;
MuJoCo's compiled `rollout` with its own RK4, without any law.
"""

from copy import copy
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
from mujoco.rollout import rollout

import spacedyn as sd
from spacedyn.kernels.scalar.pack import LANES
from spacedyn.simulate.setup import simulation_of

from .cases import Case
from .laws import hold
from .peers import rollout_arguments
from .stepping import FAR, steps_alone
from .timing import Contestant

STEP, SECONDS = 1e-3, 10
STEPS = 400  # that are counted alone: in packs they take as long as other short runs (timing.py)
GAINS = {"kp": 20.0, "kd": 15.0}


def contestants(case: Case) -> dict[str, Contestant]:
    """Each for so many simulated seconds; a figure is the time for one of them, of one robot."""
    return {
        **_ours(case, float(SECONDS), SECONDS),
        "pinocchio": Contestant("f(m, d, 1000)", _pinocchio_loop(case)),
        "mujoco": Contestant("rollout(robot, data, **arguments)", _mujoco_rollout(case), SECONDS),
    }


def single_steps(case: Case) -> dict[str, Contestant]:
    """A call of `simulate` for one step: what a call costs by itself."""
    return _ours(case, STEP, 1)


def steps(case: Case) -> dict[str, Contestant]:
    """Steps under the law alone, law and ledger included, without what a call costs."""
    options = {"laws": [hold(**GAINS)], "method": sd.RungeKutta4(STEP), "record": [FAR]}
    return {
        name: steps_alone(simulation_of(case.model, start, FAR, **options), STEPS)
        for name, start in zip(("packs", "float64"), _starts(case), strict=True)
    }


def _starts(case: Case) -> tuple[sd.State, sd.State]:
    """Where a pack begins, and one robot."""
    calm = case.model.state(q=0.3 * np.ones(case.model.n), base_rate=[0.01, 0.02, 0.03])
    return calm.integrate(0.01 * np.random.default_rng(0).normal(size=(LANES, case.model.nv))), calm


def _ours(case: Case, duration: float, parts: int) -> dict[str, Contestant]:
    """Our simulations of so long; a figure is the time for one of so many parts, of one robot."""
    many, calm = _starts(case)
    options = {"laws": [hold(**GAINS)], "method": sd.RungeKutta4(STEP), "record": duration, "progress": False}
    ours: dict[str, Any] = {"f": sd.simulate, "model": case.model, "options": options, "duration": duration}
    statement = "f(model, state, duration, **options)"
    return {
        "packs": Contestant(statement, {**ours, "state": many}, parts * LANES),
        "float64": Contestant(statement, {**ours, "state": calm}, parts),
    }


def _pinocchio_loop(case: Case) -> dict[str, Any]:
    pool, data, _ = case.pinocchio
    robot = pool.getModel(0)
    start = np.concatenate([[0, 0, 0, 0, 0, 0, 1.0], 0.3 * np.ones(case.model.n)])

    def loop(m: Any, d: Any, steps: int) -> np.ndarray:
        q, v, tau, h = start.copy(), np.zeros(m.nv), np.zeros(m.nv), STEP

        def acceleration(q: np.ndarray, v: np.ndarray) -> np.ndarray:
            tau[6:] = -GAINS["kp"] * q[7:] - GAINS["kd"] * v[6:]
            return pin.aba(m, d, q, v, tau).copy()

        for _ in range(steps):
            a1 = acceleration(q, v)
            v2 = v + 0.5 * h * a1
            a2 = acceleration(pin.integrate(m, q, 0.5 * h * v), v2)
            v3 = v + 0.5 * h * a2
            a3 = acceleration(pin.integrate(m, q, 0.5 * h * v2), v3)
            v4 = v + h * a3
            a4 = acceleration(pin.integrate(m, q, h * v3), v4)
            q = pin.integrate(m, q, h / 6 * (v + 2 * v2 + 2 * v3 + v4))
            v = v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        return q

    return {"f": loop, "m": robot, "d": data}


def _mujoco_rollout(case: Case) -> dict[str, Any]:
    robot, _, rows = case.mujoco
    stepped = copy(robot)
    stepped.opt.integrator, stepped.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, STEP
    first = type(rows)(rows.q[:1], rows.v[:1], np.zeros_like(rows.tau[:1]), rows.a[:1])
    arguments = rollout_arguments(first)
    arguments["control"] = np.zeros((1, SECONDS * 1000, case.model.nv))
    arguments["nstep"] = SECONDS * 1000
    return {"rollout": rollout, "robot": stepped, "data": mujoco.MjData(stepped), "arguments": arguments}
