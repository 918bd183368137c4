"""ETS-VII reaches out and back with its arm while it floats free: how far does the satellite turn?

The joints follow a smooth path (prescribed accelerations); the base moves as it must. At the end the arm is where it
began, but the satellite is not: its attitude depends on the path. Momentum stays zero all along.
"""

import time

import numpy as np
from rich.progress import track

import spacedyn as sd

DURATION, STEP = 40.0, 0.02
HOME = np.array([0.3, 0.4, -0.8, 0.2, 0.4, 0.1])
REACH = np.array([0.9, 0.7, -1.1, 0.5, 0.6, 0.4])


def path_acceleration(t: float) -> np.ndarray:
    """Each joint makes one smooth round trip, the next a little later than the one before it."""
    s = (t - 1.5 * np.arange(6)) / (DURATION - 7.5)
    inside = (s > 0) & (s < 1)
    # position REACH * sin^4(pi s): rests at both ends
    sine, cosine = np.sin(np.pi * s), np.cos(np.pi * s)
    bend = 4 * np.pi**2 * sine**2 * (3 * cosine**2 - sine**2)
    return np.where(inside, REACH * bend / (DURATION - 7.5) ** 2, 0.0)


def rates(robot: sd.Model, t: float, state: sd.State, turn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How fast the coordinates of the step (see `advance`) and the rates change."""
    wanted = np.concatenate([np.zeros(6), path_acceleration(t)])
    moving = state.u.copy()
    spin, phi = moving[3:6], turn[3:6]
    # the rotation vector's rate is not the angular velocity: dexp^-1, to the order that a small step needs
    moving[3:6] = spin - np.cross(phi, spin) / 2 + np.cross(phi, np.cross(phi, spin)) / 12
    return moving, sd.hybrid_dynamics(robot, state, robot.joint_names, wanted).udot


def advance(robot: sd.Model, t: float, state: sd.State, h: float) -> sd.State:
    """One step of the Runge-Kutta-Munthe-Kaas method of the fourth order."""
    dx, du = [np.zeros(robot.nv)], [np.zeros(robot.nv)]
    for part in (0.0, 0.5, 0.5, 1.0):
        turn = part * h * dx[-1]
        stage = state.integrate(turn, rates=state.u + part * h * du[-1])
        a, b = rates(robot, t + part * h, stage, turn)
        dx.append(a)
        du.append(b)
    weights = np.array([0, 1, 2, 2, 1]) * h / 6
    return state.integrate(weights @ dx, rates=state.u + weights @ du)


def main() -> None:
    """Run it and say what happened."""
    robot = sd.load("ets7")
    state = start = robot.state(q=HOME)
    began, largest = time.perf_counter(), 0.0
    for k in track(range(round(DURATION / STEP)), description="ETS-VII reaches out and back"):
        state = advance(robot, k * STEP, state, STEP)
        largest = max(largest, np.abs(sd.momentum(robot, state, about="com")).max())
    turned = np.degrees((state.base_attitude * start.base_attitude.inv()).magnitude())
    hand = [sd.endpoint_pose(robot, s, "hand").position for s in (start, state)]
    print(f"{DURATION:.0f} s of motion in {time.perf_counter() - began:.1f} s of yours")
    print(f"the arm is back to within   {np.degrees(np.abs(state.q - HOME).max()):.1e} deg")
    print(f"the satellite has turned by {turned:.3f} deg")
    print(f"and its hand has moved by   {1000 * np.linalg.norm(hand[1] - hand[0]):.1f} mm")
    print(f"largest momentum on the way {largest:.1e} kg m/s or kg m²/s: it was zero, and stays zero")


if __name__ == "__main__":
    main()
