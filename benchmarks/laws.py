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
