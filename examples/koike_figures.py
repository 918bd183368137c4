"""The figures of Koike's report, drawn anew: the robot, its position, velocity, attitude, rates and angular momentum.

python examples/koike_figures.py [folder]        (needs the extra "plots": pip install 'spacedyn[plots]')
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
from koike import CASES, START, simulate
from matplotlib.figure import Figure

import spacedyn as sd


def curves(run: sd.Run) -> dict[str, tuple[str, str, np.ndarray]]:
    """What the report plots: {title: (unit, names, (times, 3))}; its angular momentum was another."""
    s = run.states
    return {
        "position": ("m, from the start", "x y z", s.base_position - START),
        "velocity": ("m/s", "v_x v_y v_z", s.base_velocity),
        "orientation": ("rad", r"\phi \theta \psi", np.unwrap(s.base_attitude.as_euler("XYZ"), axis=0)),
        "angular velocity": ("rad/s, body axes", "u_4 u_5 u_6", s.base_attitude.inv().apply(s.base_rate.copy())),
        "angular momentum": ("kg m²/s, inertial axes, centre of mass", "L_x L_y L_z", run.momentum(about="com")[:, 3:]),
    }


def draw_robot(figure: Any) -> None:
    """Side and bottom view, the arms at their largest angles."""
    robot = sd.load("koike")
    where = sd.forward_kinematics(robot, robot.state(q=np.radians([20.0, -20.0])))
    for axes, across in zip(figure.subplots(1, 2), (2, 1), strict=True):
        axes.fill([-0.5, 0.5, 0.5, -0.5], [-0.1, -0.1, 0.1, 0.1], color="tab:blue", alpha=0.4)
        for i, color in ((1, "goldenrod"), (2, "tab:green")):
            ends = np.array([where.bodies.position[i], where.endpoints.position[i - 1]])
            axes.plot(ends[:, 0], ends[:, across], "o-", color=color, label=robot.joints[i - 1].name)
        axes.set(xlabel="b1 [m]", ylabel=f"b{across + 1} [m]", aspect="equal")
        axes.legend()


def draw(runs: dict[str, sd.Run], folder: Path) -> list[Path]:
    """Six pictures; those of the motion have one panel for each case."""
    figures = {"robot": Figure(figsize=(9, 3.5), layout="constrained")}
    draw_robot(figures["robot"])
    for case, (name, run) in enumerate(runs.items()):
        for title, (unit, labels, values) in curves(run).items():
            figure = figures.setdefault(title, Figure(figsize=(11, 4.5), layout="constrained"))
            axes = figure.add_subplot(1, len(runs), case + 1)
            for label, line in zip(labels.split(), values.T, strict=True):
                axes.plot(run.time, line, label=f"${label}$", linewidth=0.8)
            axes.set(title=f"rates read as {name}", xlabel="time [s]", ylabel=f"{title} [{unit}]")
            axes.grid(alpha=0.3)
            axes.legend()
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"koike_{title.replace(' ', '_')}.png" for title in figures]
    for path, figure in zip(paths, figures.values(), strict=True):
        figure.savefig(path, dpi=110)
    return paths


if __name__ == "__main__":
    made = draw({case: simulate(case) for case in CASES}, Path(sys.argv[1] if len(sys.argv) > 1 else "build/koike"))
    print(*made, sep="\n")
