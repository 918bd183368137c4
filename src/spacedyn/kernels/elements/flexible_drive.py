"""A gear that gives way, between a motor's rotor and a link, both of which are bodies on joints of their own.

    z = rotor / ratio - joint,   torque on the joint = k s + d z',   on the rotor -torque / ratio

s is how far z is beyond the backlash, half of it on either side: within it there is no torque. Teeth push and never
pull: their guards are those of an end stop (joint_forces.py): how far z is beyond either flank, and the push there.
Energy k s²/2 is stored, the rest lost.
"""

from ..scalar.pack import select
from .kind import channel, coordinate, dissipated, guard, joint_rate, kind, own, parameter, push_joint, stored, switch

ROTOR, JOINT, ROTOR_ANGLE, JOINT_ANGLE, LOOSE = range(5)  # its integers: rates, coordinates; whether it has backlash
SHARE, STIFFNESS, DAMPING, GAP = range(4)  # its numbers: 1 / ratio; half of the backlash
TORQUE, TWIST = range(2)  # its channels
AHEAD, BEHIND, PUSHES = range(3)  # its guards


@kind
def flexible_drive(sim, e, t, y, k, zero):
    """Drive the joint by the rotor."""
    rotor, joint, share = own(sim, e, ROTOR), own(sim, e, JOINT), parameter(sim, e, SHARE, zero)
    z = share * coordinate(sim, own(sim, e, ROTOR_ANGLE), zero) - coordinate(sim, own(sim, e, JOINT_ANGLE), zero)
    speed = share * joint_rate(sim, rotor, zero) - joint_rate(sim, joint, zero)
    stiffness, damping = parameter(sim, e, STIFFNESS, zero), parameter(sim, e, DAMPING, zero)
    elastic = stiffness * z
    torque = elastic + damping * speed
    stretch = z
    if own(sim, e, LOOSE) == 1:
        gap = parameter(sim, e, GAP, zero)
        ahead, behind = z - gap, -gap - z
        guard(sim, e, AHEAD, ahead)
        guard(sim, e, BEHIND, behind)
        upper = switch(sim, e, AHEAD, ahead, zero) > 0.0
        lower = switch(sim, e, BEHIND, behind, zero) > 0.0
        depth = select(upper, ahead, select(lower, behind, zero))
        push = stiffness * depth + damping * select(upper, speed, select(lower, -speed, zero))
        force = select(select(upper, zero + 1.0, select(lower, zero + 1.0, zero)) > 0.0, push, zero + 1.0)
        guard(sim, e, PUSHES, force)
        push = select(switch(sim, e, PUSHES, force, zero) > 0.0, push, zero)
        torque, elastic = select(upper, push, -push), stiffness * select(upper, depth, -depth)
        stretch = depth
    push_joint(sim, joint, torque, zero)
    push_joint(sim, rotor, -(share * torque), zero)
    channel(sim, e, TORQUE, torque)
    channel(sim, e, TWIST, z)
    stored(sim, e, 0.5 * stiffness * stretch * stretch)
    dissipated(sim, e, k, (torque - elastic) * speed)
