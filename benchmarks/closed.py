"""N four-bars (IFToMM A02): a simulated second through their singular positions, to 1e-9, and MuJoCo at 1 ms.

Ours by adaptive steps, with the ledger; MuJoCo's compiled `rollout` with `connect` constraints, which give way.
"""

from typing import Any

import mujoco
import numpy as np
from mujoco.rollout import rollout

import spacedyn as sd

from .timing import Contestant

WINDOWS = (1, 10, 40)
SECONDS = 1
_ROD = {"mass": 1.0, "com": (0.5, 0, 0), "inertia": (1e-4, 1 / 12, 1 / 12), "axis": (0, 0, 1)}


def linkage(windows: int) -> tuple[sd.Model, list[sd.Loop], sd.State]:
    """Cranks on the ground, couplers on all but the last, pins at their ends; upright, with 1 m/s at the tips."""
    b = sd.Builder(f"{windows} four-bars", "fixed")
    b.base("ground", massless=True)
    q, qd = {}, {}
    for i in range(windows + 1):
        b.link(f"crank{i}", "revolute", parent="ground", position=(float(i), 0, 0), **_ROD)
        q[f"crank{i}"], qd[f"crank{i}"] = np.pi / 2, -1.0
        if i < windows:
            b.link(f"coupler{i}", "revolute", parent=f"crank{i}", position=(1, 0, 0), **_ROD)
            q[f"coupler{i}"], qd[f"coupler{i}"] = -np.pi / 2, 1.0
    model, end = b.build(), (1, 0, 0)
    pins = [
        sd.Loop("line", f"coupler{i}", f"crank{i + 1}", point=end, other_point=end, name=f"pin{i}")
        for i in range(windows)
    ]
    return model, pins, model.state(q=q, qd=qd)


def peer(windows: int) -> Any:
    """The same in MuJoCo."""
    rod = '<inertial pos="0.5 0 0" mass="1" diaginertia="0.0001 0.08333333 0.08333333"/>'
    bodies, ties = "", ""
    for i in range(windows + 1):
        coupler = f'<body name="b{i}" pos="1 0 0"><joint axis="0 0 1"/>{rod}</body>' if i < windows else ""
        bodies += f'<body name="a{i}" pos="{i} 0 0"><joint axis="0 0 1"/>{rod}{coupler}</body>'
        ties += f'<connect body1="b{i}" body2="a{i + 1}" anchor="1 0 0"/>' if i < windows else ""
    text = f"""<mujoco><option timestep="0.001" gravity="0 -9.81 0" integrator="RK4"/>
    <worldbody>{bodies}</worldbody><equality>{ties}</equality></mujoco>"""
    return mujoco.MjModel.from_xml_string(text)


def contestants(windows: int) -> dict[str, Contestant]:
    """A figure is the time for a simulated second."""
    model, pins, start = linkage(windows)
    options = {"elements": pins, "gravity": (0, -9.81, 0), "record": 0.5, "progress": False}
    options["method"] = sd.DormandPrince8(rtol=1e-9, atol=1e-9)
    ours = {"f": sd.simulate, "model": model, "state": start, "options": options}
    made = peer(windows)
    first = np.concatenate([[0.0], start.q, start.qd])  # joints stand in the same order
    steps = {"initial_state": first[None], "nstep": 1000 * SECONDS}
    theirs = {"rollout": rollout, "robot": made, "data": mujoco.MjData(made), "steps": steps}
    return {
        "float64": Contestant(f"f(model, state, {float(SECONDS)}, **options)", ours, SECONDS),
        "mujoco": Contestant("rollout(robot, data, **steps)", theirs, SECONDS),
    }
