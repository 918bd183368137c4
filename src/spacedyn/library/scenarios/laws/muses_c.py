"""Laws of `muses_c`: the horn feels the ground, and thrusters lift the spacecraft off and turn it upright."""

from typing import Any

import spacedyn as sd


@sd.law(states={"clock": 1})
def lift_off(t: float, s: Any, p: Any, out: Any) -> None:
    """A while after the horn is pressed four jets fire until the spacecraft rises fast enough; then it is held upright.

    `clock` is the time since the horn felt the ground [s]. Jets in pairs give moments.
    """
    if s.clock[0] > 0.0 or s.q[2] > p.felt:
        out.clock[0] = s.clock[0] + p.tick
    if s.clock[0] > p.wait:
        if s.base_velocity[2] < p.speed:
            out.lift.throttle[0] = 1.0
        x, y, z, w = s.base_quaternion_xyzw
        sign = 2.0 if w >= 0.0 else -2.0
        out.base_wrench[3] = min(max(-p.kp * sign * x - p.kd * s.base_rate[0], -p.moment), p.moment)
        out.base_wrench[4] = min(max(-p.kp * sign * y - p.kd * s.base_rate[1], -p.moment), p.moment)
        out.base_wrench[5] = min(max(-p.kp * sign * z - p.kd * s.base_rate[2], -p.moment), p.moment)
