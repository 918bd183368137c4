"""Tian and Wu's robot with three joints, moved by spatial operators: no matrix is formed or inverted.

Constant torques swing the arm of a robot that floats at rest. Every acceleration comes from the filter and smoother,
the base's motion a second time from conservation of momentum, and the whole run a second time from the compiled
simulation.
"""

import numpy as np

import spacedyn as sd
from spacedyn.formulations.operators import SpatialOperators, base_rates, filter_smoother, operational_compliance

TORQUES = np.array([-0.5, -0.3, -0.1])  # N m, from root to tip
START, DURATION, STEP = (np.pi / 2, 0.0, np.pi / 2), 5.0, 0.01


def moved(state: sd.State, way: np.ndarray, u: np.ndarray) -> sd.State:
    """The state after a small way, with new rates."""
    return state.integrate(way).replace(base_velocity=u[:3], base_rate=u[3:6], qd=u[6:])


def runge_kutta(robot: sd.Model, state: sd.State, h: float) -> sd.State:
    """One step of order four; the motion is planar, so ways add up."""
    first, speeds, gains = state, [], []
    for part in (0.0, 0.5, 0.5, 1.0):
        if speeds:
            state = moved(first, part * h * speeds[-1], first.u + part * h * gains[-1])
        speeds.append(state.u)
        gains.append(filter_smoother(SpatialOperators(robot, state), TORQUES).udot)
    way, gain = (h / 6.0 * (a + 2 * b + 2 * c + d) for a, b, c, d in (speeds, gains))
    return moved(first, way, first.u + gain)


def main() -> None:
    """Move it, and look at it from three sides."""
    robot = sd.load("tian_wu")
    start = state = robot.state(q=START)
    for _ in range(round(DURATION / STEP)):
        state = runge_kutta(robot, state, STEP)
    ops = SpatialOperators(robot, state)
    base = base_rates(ops, state.qd)  # momentum is still zero
    way = sd.endpoint_pose(robot, state, "hand").position - sd.endpoint_pose(robot, start, "hand").position
    print(f"after {DURATION:g} s the base has moved by {np.round(state.base_position[:2], 4)} m", end=" ")
    print(
        f"and turned by {np.degrees(state.base_attitude.as_rotvec()[2]):.2f} deg; the hand by {np.round(way[:2], 4)} m"
    )
    print(f"joint rates: {np.round(state.qd, 4)} rad/s, base: {state.base_rate[2]:.4f} rad/s")
    off = np.abs(np.concatenate(base) - state.u[:6]).max()
    print(f"the base's velocities follow from momentum: to {off:.0e}")
    felt = 1.0 / operational_compliance(ops, ["hand"])[0, 0]
    print(f"at the hand {felt:.2f} kg are felt along x, of {robot.total_mass:g} kg in all;", end=" ")
    print(f"log det of the mass matrix: {ops.log_determinant:.4f}")

    @sd.law
    def constant(t, s, p, out):
        for i in range(3):
            out.tau[i] = p.tau[i]

    run = sd.simulate(robot, start, DURATION, laws=[constant(tau=TORQUES)], method=sd.RungeKutta4(0.001))
    print(f"the compiled simulation agrees: to {np.abs(state.difference(run.final)).max():.0e}")


if __name__ == "__main__":
    main()
