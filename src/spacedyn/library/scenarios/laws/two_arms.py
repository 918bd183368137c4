"""Laws of `two_arms_payload`: one arm swings what both hold, and both press it between the hands."""

import math
from typing import Any

import spacedyn as sd


@sd.law
def swing(t: float, s: Any, p: Any, out: Any) -> None:
    """The left arm's joints along minimum-jerk paths, by a proportional and derivative law; the right arm follows."""
    x = min(t / p.duration, 1.0)
    share, speed = x**3 * (10.0 - 15.0 * x + 6.0 * x**2), 30.0 * x**2 * (1.0 - x) ** 2 / p.duration
    for i in range(6):
        out.tau[i] += p.kp[i] * (p.start[i] + p.turn[i] * share - s.q[i]) + p.kd[i] * (p.turn[i] * speed - s.qd[i])


@sd.law
def squeeze(t: float, s: Any, p: Any, out: Any) -> None:
    """Joint torques that press the hands towards each other along the line between them, and move nothing.

    They are those of two opposite forces at the hands, tau = J' f. Along one line these have no sum and no moment, so
    the base feels nothing, and the loops through the payload take all of it. Endpoints: those of the left arm's joints
    (x, z, z, z, y, x) and its hand, then those of the right arm.
    """
    rise, fall = (t - p.begin) / p.rise, (p.end - t) / p.rise
    share = min(max(min(rise, fall), 0.0), 1.0)
    force = p.force * share**2 * (3.0 - 2.0 * share)
    x = s.endpoints[13, 0] - s.endpoints[6, 0]
    y = s.endpoints[13, 1] - s.endpoints[6, 1]
    z = s.endpoints[13, 2] - s.endpoints[6, 2]
    size = math.sqrt(x * x + y * y + z * z)
    for arm in range(2):
        hand, sign = 7 * arm + 6, 1.0 - 2.0 * arm
        fx, fy, fz = sign * force * x / size, sign * force * y / size, sign * force * z / size
        for i in range(6):
            joint = 7 * arm + i
            axis = 0 if i == 0 or i == 5 else 1 if i == 4 else 2
            rx = s.endpoints[hand, 0] - s.endpoints[joint, 0]
            ry = s.endpoints[hand, 1] - s.endpoints[joint, 1]
            rz = s.endpoints[hand, 2] - s.endpoints[joint, 2]
            ax, ay, az = s.endpoints[joint, 3 + axis], s.endpoints[joint, 6 + axis], s.endpoints[joint, 9 + axis]
            moment = ax * (ry * fz - rz * fy) + ay * (rz * fx - rx * fz) + az * (rx * fy - ry * fx)
            out.tau[6 * arm + i] += moment
