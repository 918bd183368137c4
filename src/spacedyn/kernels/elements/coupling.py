"""Joints tied to each other: gears, differentials, mimic joints, cams.

    phi = sum c_i q_i + p_2 q^2 + p_3 q^3 + p_4 q^4 - offset,   q the last joint's

One constraint row without bodies: its force acts in the joints, within the robot. One that gives way pulls on them with
a spring and a damper, lam = -k phi - c phi'.
"""

from .kind import channel, coordinate, dissipated, joint_rate, keep, kept, kind, own, parameter, push_joint, stored
from .rows import constrain, multiplier, push_row_joint

JOINTS, IS_RIGID, PLACES = range(3)  # its integers: how many joints, whether it is rigid; then rates and coordinates
OFFSET, SECOND, THIRD, FOURTH, STIFFNESS, DAMPING, COEFFICIENTS = range(7)  # its numbers
EFFORT, GAP = 0, 1  # its channels
KEPT = 2  # numbers that it keeps: residual, multiplier if it gives way


@kind
def coupling(sim, e, t, y, k, zero):
    """Write the row, or the forces of a compliant coupling."""
    count = own(sim, e, JOINTS)
    phi, rate, bias = zero - parameter(sim, e, OFFSET, zero), zero, zero
    slope = zero
    for i in range(count):
        c = parameter(sim, e, COEFFICIENTS + i, zero)
        phi += c * coordinate(sim, own(sim, e, PLACES + 2 * i + 1), zero)
        rate += c * joint_rate(sim, own(sim, e, PLACES + 2 * i), zero)
        slope = zero + c
    last = PLACES + 2 * (count - 1)
    q, v = coordinate(sim, own(sim, e, last + 1), zero), joint_rate(sim, own(sim, e, last), zero)
    a, b, c = parameter(sim, e, SECOND, zero), parameter(sim, e, THIRD, zero), parameter(sim, e, FOURTH, zero)
    bend = q * (2.0 * a + q * (3.0 * b + q * 4.0 * c))
    phi += q * q * (a + q * (b + q * c))
    rate += bend * v
    bias += (2.0 * a + q * (6.0 * b + q * 12.0 * c)) * v * v
    slope += bend
    keep(sim, e, 0, phi)
    if own(sim, e, IS_RIGID):
        constrain(sim, e, 0, phi, rate, bias, zero)
        for i in range(count - 1):
            push_row_joint(sim, e, 0, i, zero + parameter(sim, e, COEFFICIENTS + i, zero))
        push_row_joint(sim, e, 0, count - 1, slope)
        return
    stiffness, damping = parameter(sim, e, STIFFNESS, zero), parameter(sim, e, DAMPING, zero)
    pull = -(stiffness * phi + damping * rate)
    for i in range(count - 1):
        push_joint(sim, own(sim, e, PLACES + 2 * i), pull * parameter(sim, e, COEFFICIENTS + i, zero), zero)
    push_joint(sim, own(sim, e, last), pull * slope, zero)
    keep(sim, e, 1, pull)
    stored(sim, e, 0.5 * stiffness * phi * phi)
    dissipated(sim, e, k, damping * rate * rate)


@kind
def settle_coupling(sim, e, t, y, k, zero):
    """Record its multiplier, and how far it is off."""
    channel(sim, e, EFFORT, multiplier(sim, e, 0, zero) if own(sim, e, IS_RIGID) else kept(sim, e, 1, zero))
    channel(sim, e, GAP, kept(sim, e, 0, zero))
