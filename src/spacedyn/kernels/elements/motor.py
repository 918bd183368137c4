"""A motor in a joint: the torque that is commanded, as far as it has it at this speed.

    most torque that drives = stall (1 - |v| / v0),  not below zero;  most that brakes = stall

Its two guards are the distances from the limits to the command, so that steps end where it begins and ceases to
saturate.
"""

from ..scalar.pack import select
from .kind import channel, command, guard, joint_rate, kind, own, parameter, push_joint, switch, work_done

RATE = 0  # its integer
STALL, NO_LOAD = range(2)  # its numbers: most torque, and the reciprocal of the speed at which it has none
TORQUE, POWER = range(2)  # its channels


@kind
def motor(sim, e, t, y, k, zero):
    """Drive the joint."""
    j = own(sim, e, RATE)
    v, wanted, stall = joint_rate(sim, j, zero), command(sim, e, 0, zero), parameter(sim, e, STALL, zero)
    share = v * parameter(sim, e, NO_LOAD, zero)
    forward, back = 1.0 - share, 1.0 + share
    upper = stall * select(forward < 1.0, select(forward > 0.0, forward, zero), zero + 1.0)
    lower = -(stall * select(back < 1.0, select(back > 0.0, back, zero), zero + 1.0))
    over, under = wanted - upper, lower - wanted
    guard(sim, e, 0, over)
    guard(sim, e, 1, under)
    torque = select(switch(sim, e, 0, over, zero) > 0.0, upper, wanted)
    torque = select(switch(sim, e, 1, under, zero) > 0.0, lower, torque)
    push_joint(sim, j, torque, zero)
    channel(sim, e, TORQUE, torque)
    channel(sim, e, POWER, torque * v)
    work_done(sim, e, k, torque * v)
