"""A motor in a joint: the commanded torque, limited by the torque available at the present speed.

    most torque that drives = stall (1 - |v| / v0),  not below zero;  most that brakes = stall

Its two guards are the distances from the limits to the command, so that steps end where it begins and ceases to
saturate. Once it has failed it is free, gives the torque that it is stuck at, or locks the joint.
"""

from ..scalar.pack import select
from .joint_lock import lock
from .kind import (
    channel,
    command,
    dissipated,
    guard,
    has_failed,
    joint_rate,
    kind,
    own,
    parameter,
    push_joint,
    stored,
    switch,
    work_done,
)

RATE, LOCKS = range(2)  # its integers; whether its joint is locked once it has failed
STALL, NO_LOAD, STUCK, LOCK = range(
    4
)  # its numbers: most torque, the reciprocal of the speed at which it has none, ...
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
    resistance = zero
    if has_failed(sim, e):
        torque = zero + parameter(sim, e, STUCK, zero)
        if own(sim, e, LOCKS) == 1:
            resistance, energy, lost = lock(sim, e, 0, LOCK, v, y, k, zero)
            stored(sim, e, energy)
            dissipated(sim, e, k, lost)
    push_joint(sim, j, torque - resistance, zero)
    channel(sim, e, TORQUE, torque - resistance)
    channel(sim, e, POWER, (torque - resistance) * v)
    work_done(sim, e, k, torque * v)
