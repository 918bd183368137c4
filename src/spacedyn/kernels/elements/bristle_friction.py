"""Friction in a joint that truly sticks: LuGre's bristles, whose bending z is a state.

    z' = v - |v| z / g(v),   g(v) = (Fc + (Fs - Fc) exp(-(v / vs)^2)) / k,   f = k z + d z' + b v

Canudas de Wit, Olsson, Astrom, Lischinsky 1995. What bends is stored, k z^2 / 2; the rest of f v is lost.
"""

from ..scalar.pack import exponential, magnitude
from .kind import channel, dissipated, joint_rate, kind, own, parameter, push_joint, rate, state, stored

RATE = 0  # its integer
COULOMB, STATIC, STRIBECK, STIFFNESS, DAMPING, VISCOUS = range(6)  # its numbers
FRICTION = 0  # its channel


@kind
def bristle_friction(sim, e, t, y, k, zero):
    """Resist the joint's motion."""
    j = own(sim, e, RATE)
    v, z = joint_rate(sim, j, zero), state(sim, e, 0, y, zero)
    stiffness, coulomb = parameter(sim, e, STIFFNESS, zero), parameter(sim, e, COULOMB, zero)
    ratio = v / parameter(sim, e, STRIBECK, zero)
    most = coulomb + (parameter(sim, e, STATIC, zero) - coulomb) * exponential(-(ratio * ratio))
    bending = v - stiffness * magnitude(v) / most * z
    f = stiffness * z + parameter(sim, e, DAMPING, zero) * bending + parameter(sim, e, VISCOUS, zero) * v
    push_joint(sim, j, -f, zero)
    rate(sim, e, 0, k, bending)
    channel(sim, e, FRICTION, f)
    stored(sim, e, 0.5 * stiffness * z * z)
    dissipated(sim, e, k, f * v - stiffness * z * bending)
