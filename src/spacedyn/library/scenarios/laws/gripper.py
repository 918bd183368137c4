"""Law of `gripper`: fingers squeeze, and the lift shakes the hand, then holds it still."""

import math
from typing import Any

import spacedyn as sd


@sd.law
def squeeze_and_shake(t: float, s: Any, p: Any, out: Any) -> None:
    """Fingers press with a force [N]; the lift follows a sine for a while, and then stays."""
    z, v = 0.0, 0.0
    if t < p.shaken:
        rises = min(t, 1.0, p.shaken - t)  # swells over a second, and dies down over one
        z = p.amplitude * rises * math.sin(p.rate * t)
        v = p.amplitude * rises * p.rate * math.cos(p.rate * t)
    out.tau[0] = p.kp * (z - s.q[0]) + p.kd * (v - s.qd[0]) + p.weight
    out.tau[1] = p.force
    out.tau[2] = -p.force
