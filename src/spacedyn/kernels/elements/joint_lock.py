"""A lock that closes when a drive fails: bristles that hold the joint where it then is, up to a torque.

    z' = v - k abs(v) z / capacity,   f = k z + d z'

These are LuGre's (bristle_friction.py), without Stribeck's fall: at rest the joint stays.
"""

from ..scalar.compiling import inner
from ..scalar.pack import magnitude
from .kind import parameter, rate, state

CAPACITY, STIFFNESS, DAMPING, LOCK_NUMBERS = range(4)  # its numbers


@inner
def lock(sim, e, i, at, v, y, k, zero):
    """Torque with which state i of an element resists the speed v, what it stores, and the power that is lost."""
    z, stiffness = state(sim, e, i, y, zero), parameter(sim, e, at + STIFFNESS, zero)
    bending = v - stiffness * magnitude(v) / parameter(sim, e, at + CAPACITY, zero) * z
    f = stiffness * z + parameter(sim, e, at + DAMPING, zero) * bending
    rate(sim, e, i, k, bending)
    return f, 0.5 * stiffness * z * z, f * v - stiffness * z * bending
