"""Laws of the chaser in `dual_arm_capture`: thrusters lead it along its approach, wheels hold its attitude."""

from typing import Any

import spacedyn as sd


@sd.law
def approach(t: float, s: Any, p: Any, out: Any) -> None:
    """A minimum-jerk path along y in Hill's axes, by six thrusters; then where the path ends, for chaser and target."""
    x = min(t / p.duration, 1.0)
    share, speed = x**3 * (10.0 - 15.0 * x + 6.0 * x**2), 30.0 * x**2 * (1.0 - x) ** 2 / p.duration
    way = p.stop - p.start
    fx = -p.kp * s.base_position[0] - p.kd * s.base_velocity[0]
    fy = p.kp * (p.start + way * share - s.base_position[1]) + p.kd * (way * speed - s.base_velocity[1])
    fz = -p.kp * s.base_position[2] - p.kd * s.base_velocity[2]
    out.up.throttle[0] = fx / p.thrust
    out.down.throttle[0] = -fx / p.thrust
    out.ahead.throttle[0] = fy / p.thrust
    out.back.throttle[0] = -fy / p.thrust
    out.left.throttle[0] = fz / p.thrust
    out.right.throttle[0] = -fz / p.thrust


@sd.law
def attitude(t: float, s: Any, p: Any, out: Any) -> None:
    """Three wheels along the bus's axes keep it in Hill's axes: a proportional and derivative law."""
    x, y, z, w = s.base_quaternion_xyzw
    sign = 1.0 if w >= 0.0 else -1.0
    out.motor_wheel_x.torque[0] = p.kp * 2.0 * sign * x + p.kd * s.base_rate[0]
    out.motor_wheel_y.torque[0] = p.kp * 2.0 * sign * y + p.kd * s.base_rate[1]
    out.motor_wheel_z.torque[0] = p.kp * 2.0 * sign * z + p.kd * s.base_rate[2]
