"""Control laws as a user writes them."""

import spacedyn as sd


@sd.law
def hold(t, s, p, out):
    """A PD law."""
    for i in range(s.q.size):
        out.tau[i] = -p.kp * s.q[i] - p.kd * s.qd[i]


@sd.law
def six_loops(t, s, p, out):
    """A law with six loops: joints, momentum, the base, the hand."""
    effort = 0.0
    for i in range(s.q.size):
        out.tau[i] = -p.kp * s.q[i] - p.kd * s.qd[i]
    for i in range(s.q.size):
        effort += out.tau[i] * out.tau[i]
    for i in range(3):
        out.base_wrench[i] = -p.kd * s.linear_momentum[i]
    for i in range(3):
        out.base_wrench[3 + i] = -p.kd * s.angular_momentum[i]
    for i in range(3):
        out.endpoint_wrenches[0, i] = -0.01 * s.endpoints[0, 12 + i]
    for i in range(s.q.size):
        out.tau[i] /= 1.0 + 1e-6 * effort


@sd.law
def hold_arm_and_attitude(t, s, p, out):
    """A PD law in six joints, and one of the base's attitude through four wheels' motors."""
    for i in range(6):
        out.tau[i] = p.kp * (p.target[i] - s.q[i]) - p.kd * s.qd[i]
    x, y, z, w = s.base_quaternion_xyzw
    sign = 1.0 if w >= 0.0 else -1.0
    a = -2.0 * p.stiff * sign * x - p.damp * s.base_rate[0]
    b = -2.0 * p.stiff * sign * y - p.damp * s.base_rate[1]
    c = -2.0 * p.stiff * sign * z - p.damp * s.base_rate[2]
    out.motor_wheel1.torque[0] = p.share[0, 0] * a + p.share[0, 1] * b + p.share[0, 2] * c
    out.motor_wheel2.torque[0] = p.share[1, 0] * a + p.share[1, 1] * b + p.share[1, 2] * c
    out.motor_wheel3.torque[0] = p.share[2, 0] * a + p.share[2, 1] * b + p.share[2, 2] * c
    out.motor_wheel4.torque[0] = p.share[3, 0] * a + p.share[3, 1] * b + p.share[3, 2] * c
