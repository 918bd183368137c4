"""ETS-VII tumbles with its arm adrift, through the singular attitude of each of the twelve sets of Euler angles.

Twelve runs, one for each set: each begins where the run backwards from the singular attitude has come to, so that it
passes through it half way. The robot's state, which holds the attitude as a rotation and its rates as they are, does
not notice. Angles that are integrated along the same motion do: their rates grow beyond bounds, and they go astray.
"""

import numpy as np

import spacedyn as sd

SETS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "XYX", "XZX", "YXY", "YZY", "ZXZ", "ZYZ")  # about moving axes
AXES = np.array([[np.eye(3)["XYZ".index(letter)] for letter in name] for name in SETS])
HALF, STEP = 5.0, 0.02  # s
SPIN = (0.31, -0.52, 0.44)  # rad/s, in the base's axes, at the singular attitude
RATES = np.array([0.05, -0.08, 0.06, 0.1, -0.07, 0.09])


def singular_attitudes() -> sd.Rotation:
    """One of each set: its middle angle is a quarter turn, or none if the first axis comes again as the third."""
    angles = [(0.7, 0.0 if name[0] == name[2] else np.pi / 2, -0.4) for name in SETS]
    return sd.Rotation.concatenate([sd.Rotation.from_euler(n, a) for n, a in zip(SETS, angles, strict=True)])


def angle_rates(angles: np.ndarray, spin: np.ndarray) -> np.ndarray:
    """Rates of Euler angles for angular velocities in the body's axes: E(angles) rates = spin. Of all sets, (12, 3)."""
    third = sd.Rotation.from_rotvec(angles[:, 2:] * AXES[:, 2]).inv()
    second = third * sd.Rotation.from_rotvec(angles[:, 1:2] * AXES[:, 1]).inv()
    E = np.stack([second.apply(AXES[:, 0]), third.apply(AXES[:, 1]), AXES[:, 2]], axis=-1)
    return np.linalg.solve(E, spin[..., None])[..., 0]


def integrate_angles(angles: np.ndarray, spins: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Runge-Kutta, with spins at the ends and middles of steps; angles after all steps, and the largest rates met."""
    history, largest = [angles], np.zeros(len(SETS))
    for k in range(0, len(spins) - 2, 2):
        a = angle_rates(angles, spins[k])
        b = angle_rates(angles + STEP / 2 * a, spins[k + 1])
        c = angle_rates(angles + STEP / 2 * b, spins[k + 1])
        d = angle_rates(angles + STEP * c, spins[k + 2])
        angles, largest = (
            angles + STEP / 6 * (a + 2 * b + 2 * c + d),
            np.maximum(largest, np.abs([a, b, c, d]).max((0, 2))),
        )
        history.append(angles)
    return np.array(history), largest


def main() -> None:
    """Run all twelve and say how near they came, and where the angles went."""
    robot, singular = sd.load("ets7"), singular_attitudes()
    there = robot.state(base_attitude=singular, base_rate_in_base_axes=np.tile(SPIN, (12, 1)), q=0.3 + RATES, qd=RATES)
    back = sd.simulate(robot, there.integrate(0 * there.u, -there.u), HALF, record=HALF).final  # without friction
    run = sd.simulate(robot, back.integrate(0 * back.u, -back.u), 2 * HALF, record=STEP / 2)
    states = run.states
    attitude = states.base_attitude
    spins = attitude.inv().apply(states.base_rate)
    first = np.array([attitude[0][k].as_euler(name) for k, name in enumerate(SETS)])
    angles, largest = integrate_angles(first, spins)
    print("       state is off the      angles: error   largest     error")
    print("set    singular attitude     a second before   rate        a second after")
    for k, name in enumerate(SETS):
        middle = (attitude[len(run.time) // 2][k].inv() * singular[k]).magnitude()
        before, after = (round((HALF + t) / STEP) for t in (-1.0, 1.0))
        lost = [
            (sd.Rotation.from_euler(name, angles[i, k]).inv() * attitude[2 * i][k]).magnitude() for i in (before, after)
        ]
        print(
            f"{name}    {middle:.0e} rad             {lost[0]:.0e} rad         {largest[k]:.0e} rad/s {lost[1]:.0e} rad"
        )
    print(f"energy and momentum of all twelve runs are right to {run.audit().worst:.0e}")


if __name__ == "__main__":
    main()
