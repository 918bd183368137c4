"""ETS-VII reaches out and back with its arm while it floats free: how far does the satellite turn?

A control law drives the joints along a smooth path; nothing holds the satellite. At the end the arm is where it began,
but the satellite is not: its attitude depends on the path. The ledger shows that no momentum came from nowhere.
"""

import time

import numpy as np

import spacedyn as sd

DURATION, TRIP = 60.0, 40.0
HOME = np.array([0.3, 0.4, -0.8, 0.2, 0.4, 0.1])
REACH = np.array([0.9, 0.7, -1.1, 0.5, 0.6, 0.4])


@sd.law(period=0.01)
def reach_and_return(t, s, p, out):
    """Each joint makes one smooth round trip, the next a little later than the one before; feedback at 100 Hz."""
    for i in range(s.q.size):
        phase = min(max((t - 1.5 * i) / p.trip, 0.0), 1.0)
        sine, cosine = np.sin(np.pi * phase), np.cos(np.pi * phase)
        wanted = p.home[i] + p.reach[i] * sine**4
        speed = p.reach[i] * 4.0 * np.pi / p.trip * sine**3 * cosine
        out.tau[i] = p.inertia[i] * (16.0 * (wanted - s.q[i]) + 8.0 * (speed - s.qd[i]))


def main() -> None:
    """Run it and say what happened."""
    robot = sd.load("ets7")
    print(robot)
    start = robot.state(q=HOME)
    inertia = np.diag(sd.generalized_inertia(robot, start))  # what each joint feels on a floating base
    law = reach_and_return(trip=TRIP, home=HOME, reach=REACH, inertia=inertia)
    began = time.perf_counter()
    run = sd.simulate(robot, start, DURATION, laws=[law], record=0.1)
    seconds = time.perf_counter() - began
    turn = np.degrees((run.states.base_attitude * run.states[0].base_attitude.inv()).magnitude())
    hand = sd.endpoint_pose(robot, run.states, "hand").position
    print(f"\n{DURATION:.0f} s of motion in {seconds:.1f} s of yours, of which most is for compiling, once")
    print(f"the hand travelled {np.linalg.norm(np.diff(hand, axis=0), axis=1).sum():.2f} m")
    print(f"the arm is back to within {np.degrees(np.abs(run.final.q - HOME).max()):.3f} deg")
    print(f"the satellite turned by up to {turn.max():.2f} deg, and stays turned by {turn[-1]:.3f} deg")
    print(f"so the hand is {1000 * np.linalg.norm(hand[-1] - hand[0]):.1f} mm from where it began")
    print(run.audit())


if __name__ == "__main__":
    main()
