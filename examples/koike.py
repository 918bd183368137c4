"""Koike's robot: a box whose two arms swing as given functions of time, an exercise in Kane's method.

Its initial rates can be read as body rates (case one) or as rates of the body 1-2-3 angles (case two). Both are
simulated for 300 s, and momentum is checked as it should be: about the whole robot's centre of mass, in inertial
axes, the arms' motion included. examples/koike_figures.py draws the report's figures anew.
"""

import math

import numpy as np

import spacedyn as sd

START, VELOCITY = np.array([5681e3, 3161e3, 4437e3]), (2.0, 4.0, 1.0)  # m, m/s
ANGLES, RATES = np.radians([45.0, -84.0, 6.0]), np.array([0.45, 0.03, -0.02])  # rad, rad/s
CASES = ("body rates", "angle rates")


@sd.motion
def swing(t, p, out):
    """size (sin(speed t + phase) - sin(phase))."""
    out.value[0] = p.size * (math.sin(p.speed * t + p.phase) - math.sin(p.phase))
    out.rate[0] = p.size * p.speed * math.cos(p.speed * t + p.phase)
    out.acceleration[0] = -p.size * p.speed**2 * math.sin(p.speed * t + p.phase)


ARMS = {  # 20° sin(1.5 t) and -10° (1 - cos(0.8 t))
    "theta_y": swing(size=math.radians(20.0), speed=1.5, phase=0.0),
    "theta_z": swing(size=math.radians(-10.0), speed=0.8, phase=-math.pi / 2),
}


def body_rates(angles: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Angular velocity in body axes from body 1-2-3 angles and their rates."""
    (_, s5, s6), (_, c5, c6) = np.sin(angles), np.cos(angles)
    return np.array([[c5 * c6, s6, 0.0], [-c5 * s6, c6, 0.0], [s5, 0.0, 1.0]]) @ rates


def simulate(case: str, duration: float = 300.0) -> sd.Run:
    """One of the cases."""
    robot = sd.load("koike")
    spin = RATES if case == "body rates" else body_rates(ANGLES, RATES)
    attitude = sd.Rotation.from_euler("XYZ", ANGLES)
    state = robot.state(
        base_position=START, base_attitude=attitude, base_velocity=VELOCITY, base_rate_in_base_axes=spin
    )
    method = sd.DormandPrince8(rtol=1e-12, atol=1e-13)
    return sd.simulate(robot, state, duration, prescribed=ARMS, adjust=True, method=method, record=0.1)


def main() -> None:
    """Both cases, in words."""
    for case in CASES:
        run = simulate(case)
        P, L = np.split(run.momentum(about="com"), 2, axis=1)
        speed = run.states.base_velocity[:, 0]
        print(f"\nRates read as {case}: L about the centre of mass is {np.round(L[0], 4)} kg m²/s.")
        print(f"In 300 s it changes by {np.ptp(L, axis=0).max() / np.linalg.norm(L[0]):.0e} of that,", end=" ")
        print(f"linear momentum by {np.ptp(P, axis=0).max() / np.linalg.norm(P[0]):.0e},")
        print(f"while the box's own velocity along x goes from {speed.min():.3f} to {speed.max():.3f} m/s.")
        print(run.audit())


if __name__ == "__main__":
    main()
