"""ETS-VII with flexible paddles and wheels, ten seconds at 1 kHz by the Runge-Kutta method of the fourth order.

Ours through the public call: 24 degrees of freedom, four wheel motors that may saturate, a law at 1 kHz that holds arm
and attitude, the ledger. MuJoCo's compiled `rollout` has the same tree with its springs and dampers and its own RK4; no
motors, no law, no ledger. MuJoCo refuses moments of inertia that break the triangle inequality: links whose published
ones do have rounder ones here, for both.
"""

from typing import Any

import mujoco
import numpy as np
from mujoco.rollout import rollout

import spacedyn as sd
from spacedyn.kernels.scalar.pack import LANES
from spacedyn.peers.robots import CoordinateMap, to_mujoco

from .cases import agree
from .laws import hold_arm_and_attitude
from .peers import NOT_NEEDED
from .timing import Contestant

NAME, JOINTS = "ets7_paddles", "18"
STEP, SECONDS = 1e-3, 10
ROUNDER = 0.6  # [kg m²] added to the moments of links 2, 3 and 5
ARM = {"joint1": 0.3, "joint2": 0.4, "joint3": -0.8, "joint4": 0.2, "joint5": 0.4, "joint6": 0.1}
WHEELS = ("wheel1", "wheel2", "wheel3", "wheel4")


def robot() -> sd.Model:
    """The bundled one, with moments that MuJoCo takes."""
    found = sd.load(NAME)
    links = ("link2", "link3", "link5")
    return found.vary(inertia={link: found.body(link).inertia + ROUNDER * np.eye(3) for link in links})


def peer(model: sd.Model) -> tuple[Any, CoordinateMap]:
    """The same in MuJoCo, with springs and dampers, and nothing else to do."""
    made, mapping = to_mujoco(model)
    for joint in model.joints:
        number = made.joint(f"{joint.name}/0").id
        made.jnt_stiffness[number], made.dof_damping[made.jnt_dofadr[number]] = joint.stiffness[0], joint.damping[0]
    for flag in set(NOT_NEEDED) - {"SPRING", "DAMPER"}:
        made.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"))
    made.opt.integrator, made.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, STEP
    return made, mapping


def difference(model: sd.Model) -> float:
    """Largest relative difference between our accelerations and MuJoCo's at a few random states."""
    made, mapping = peer(model)
    data, worst = mujoco.MjData(made), 0.0
    for state in model.random_state(np.random.default_rng(3), 4):
        data.qpos[:], data.qvel[:] = mapping.position(state.x), mapping.velocity(state.x, state.u)
        mujoco.mj_forward(made, data)
        theirs = mapping.accelerations(state.x, state.u, data.qacc)
        ours = sd.forward_dynamics(model, state)
        worst = max(worst, float(np.abs(theirs - ours).max() / np.abs(ours).max()))
    return agree("flight", worst)


def contestants(model: sd.Model, seconds: int = SECONDS) -> dict[str, Contestant]:
    """Each for so many simulated seconds; a figure is the time for one of them, of one robot."""
    start = model.state(q=ARM, base_rate=[0.002, -0.001, 0.003])
    many = start.integrate(0.001 * np.random.default_rng(0).normal(size=(LANES, model.nv)))
    axes = np.array([[1, 1, 1], [-1, 1, 1], [-1, -1, 1], [1, -1, 1]]) / np.sqrt(3)
    law = hold_arm_and_attitude(
        target=list(ARM.values()),
        kp=200.0,
        kd=300.0,
        share=-np.linalg.pinv(axes.T),
        stiff=60.0,
        damp=900.0,
        period=STEP,
    )
    motors = [sd.Motor(wheel, stall_torque=2.0, no_load_speed=600.0) for wheel in WHEELS]
    options = {"laws": [law], "elements": motors, "method": sd.RungeKutta4(STEP), "record": float(seconds)}
    options["progress"] = False
    ours: dict[str, Any] = {"f": sd.simulate, "model": model, "options": options, "seconds": float(seconds)}
    made, mapping = peer(model)
    first = np.concatenate([[0.0], mapping.position(start.x), mapping.velocity(start.x, start.u)])
    steps = {"initial_state": first[None], "nstep": seconds * 1000}
    statement = "f(model, state, seconds, **options)"
    return {
        "packs": Contestant(statement, {**ours, "state": many}, seconds * LANES),
        "float64": Contestant(statement, {**ours, "state": start}, seconds),
        "mujoco": Contestant(
            "rollout(robot, data, **steps)",
            {"rollout": rollout, "robot": made, "data": mujoco.MjData(made), "steps": steps},
            seconds,
        ),
    }
