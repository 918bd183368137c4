"""A direct-current motor behind a gear, in a joint: laws command its voltage, the current is a state.

    L i' = V - R i - c v,   torque = c i - loss,   c = ratio times torque constant

v is the joint's rate and c v the back-EMF. A gear of efficiency h takes (1 - h) of the torque where the motor drives,
and (1/h - 1) where the load does, times tanh(v / v1), so that nothing jumps at rest. The amplifier clips the voltage,
and lowers it further where the current would exceed its limit. Without inductance i follows at once.

    electrical power V i = R i² + (L i²/2)' + loss v + torque v

Guards: how far the command is beyond either voltage; how far the current is beyond either limit, and V - R i - c v,
which says whether it would grow; speed and current, whose signs say who drives.
"""

from ..scalar.compiling import inner
from ..scalar.pack import hyperbolic_tangent, select
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
    rate,
    state,
    stored,
    switch,
    work_done,
)

# its integers: the joint's rate; whether it has inductance; its first guard of voltage, of current, of losses, -1
# without; how it fails; where its lock's state is
RATE, INDUCTIVE, VOLTAGE, CURRENT, LOSSES, FAULT, LOCK_STATE = range(7)
FREE, SHORTED, STUCK, LOCKED = range(4)  # how it fails
# its numbers; SLOW: the speed v1; STUCK_AT: torque
RESISTANCE, INDUCTANCE, CONSTANT, VOLTS, AMPERES, EFFICIENCY, SLOW, STUCK_AT, LOCK = range(9)
CURRENT_, TORQUE, POWER = range(3)  # its channels


@kind
def dc_motor(sim, e, t, y, k, zero):
    """Drive the joint."""
    j, R, c = own(sim, e, RATE), parameter(sim, e, RESISTANCE, zero), parameter(sim, e, CONSTANT, zero) + zero
    v, failed, way = joint_rate(sim, j, zero), has_failed(sim, e), own(sim, e, FAULT)
    wanted = zero if failed else command(sim, e, 0, zero)
    if failed and way != SHORTED:
        c = zero  # a free shaft: no torque, and the current decays
    volts = within(sim, e, own(sim, e, VOLTAGE), wanted, parameter(sim, e, VOLTS, zero), zero)
    volts, i = current_of(sim, e, y, k, volts, c * v, zero)
    loss = gear_loss(sim, e, c * i, v, zero)
    torque, outside, energy, lost = c * i - loss, zero, zero, zero
    if failed and way == STUCK:
        outside = zero + parameter(sim, e, STUCK_AT, zero)
    if failed and way == LOCKED:
        f, energy, lost = lock(sim, e, own(sim, e, LOCK_STATE), LOCK, v, y, k, zero)
        torque -= f
    push_joint(sim, j, torque + outside, zero)
    channel(sim, e, CURRENT_, i)
    channel(sim, e, TORQUE, torque + outside)
    channel(sim, e, POWER, volts * i)
    work_done(sim, e, k, volts * i + outside * v)
    dissipated(sim, e, k, R * i * i + loss * v + lost)
    stored(sim, e, 0.5 * parameter(sim, e, INDUCTANCE, zero) * i * i + energy)


@inner
def within(sim, e, first, wanted, most, zero):
    """A command clipped to its limits, by the sides of two guards; unchanged without guards."""
    if first < 0:
        return wanted
    over, under = wanted - most, -most - wanted
    guard(sim, e, first, over)
    guard(sim, e, first + 1, under)
    wanted = select(switch(sim, e, first, over, zero) > 0.0, zero + most, wanted)
    return select(switch(sim, e, first + 1, under, zero) > 0.0, zero - most, wanted)


@inner
def current_of(sim, e, y, k, volts, emf, zero):
    """The voltage of the amplifier, lowered where the current is limited, and the current."""
    R, first, most = parameter(sim, e, RESISTANCE, zero), own(sim, e, CURRENT), parameter(sim, e, AMPERES, zero)
    if own(sim, e, INDUCTIVE) == 0:
        i = within(sim, e, first, (volts - emf) / R, most, zero)
        if first >= 0:
            guard(sim, e, first + 2, zero - 1.0)
            volts = R * i + emf
        return volts, i
    i = state(sim, e, 0, y, zero)
    push = volts - R * i - emf
    if first >= 0:
        over, under = i - most, -most - i
        guard(sim, e, first, over)
        guard(sim, e, first + 1, under)
        guard(sim, e, first + 2, push)
        grows = switch(sim, e, first + 2, push, zero)
        top = select(switch(sim, e, first, over, zero) > 0.0, grows, zero - 1.0)
        bottom = select(switch(sim, e, first + 1, under, zero) > 0.0, -grows, zero - 1.0)
        held = select(top > 0.0, push, select(bottom > 0.0, push, zero))
        volts, push = volts - held, push - held
    rate(sim, e, 0, k, push / parameter(sim, e, INDUCTANCE, zero))
    return volts, i


@inner
def gear_loss(sim, e, torque, v, zero):
    """The part of the motor's torque that is lost in the gear."""
    first = own(sim, e, LOSSES)
    if first < 0:
        return zero
    guard(sim, e, first, v)
    guard(sim, e, first + 1, torque)
    sign = select(switch(sim, e, first + 1, torque, zero) > 0.0, zero + 1.0, zero - 1.0)
    drives = sign * select(switch(sim, e, first, v, zero) > 0.0, zero + 1.0, zero - 1.0)
    efficiency = parameter(sim, e, EFFICIENCY, zero)
    share = select(drives > 0.0, zero + (1.0 - efficiency), zero + (1.0 / efficiency - 1.0))
    return sign * torque * share * hyperbolic_tangent(v / parameter(sim, e, SLOW, zero))
