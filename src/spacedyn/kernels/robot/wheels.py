"""Elimination of wheels: bodies that carry nothing and are round about the axis of their revolute joint.

The dynamics does not depend on such a wheel's angle, so its mass and its moments across the axis can be added to the
body that carries it: T = m v.v / 2 + Jt w'(1 - z z')w / 2 + J (z.w)^2 / 2, where v and the part of w across z are equal
for both. The records at PAR_FELT do so (model/wheel_inertias.py): the carrier has all terms but the last. The wheel
keeps only its moment J about its axis z:

    F = (0; J z (z.w') + J (z.w) w x z),   D = J + rotor,   G = (0; J z / D),   IA' = (J - J^2 / D) z z'

D, G and the inertia passed to the carrier are those of articulated.py, with a tenth of the operations.
"""

from ..scalar.compiling import inner
from ..scalar.memory import integer, shared, store
from .articulated import reduce_rate, store_gain
from .kinematics import is_given
from .layout import *  # noqa: F403
from .spatial import add3, add6, cross, dot3, dot6, load3, load6, scale3


@inner
def eliminate_wheel(tree, par, work, i, loaded, zero):
    """Articulated inertia and force that wheel i hands on; factors of its rate, whose TAU becomes what is left."""
    body, k = integer(tree, W_BODY) + i * BODY_WORK, integer(tree, integer(tree, BODY_AT) + i * BODY_INTS + RATE)
    rate, nothing = integer(tree, W_RATE) + k * RATE_WORK, (zero, zero, zero)
    column = load6(work, rate + S, zero)
    z = (column[3], column[4], column[5])
    w, wd = load3(work, body + VELOCITY + 3, zero), load3(work, body + ACCELERATION + 3, zero)
    root = shared(par, integer(tree, PAR_FELT) + i * BODY_PARS + P_INERTIA + 2, zero)
    rotor = shared(par, integer(tree, PAR_ROTOR) + k, zero)
    J = zero + root * root
    F = nothing + scale3(J, add3(scale3(dot3(z, wd), z), scale3(dot3(z, w), cross(w, z))))
    if loaded:
        F = add6(F, load6(work, body + FORCE, zero))
    Dk = J + rotor
    inverse = 1.0 / Dk
    store_gain(work, rate, nothing + scale3(J * inverse, z), inverse)
    store(work, rate + D, Dk)
    F = reduce_rate(tree, work, k, dot6(column, F), F, zero)
    left = J if is_given(tree, k) else J * rotor * inverse
    x, y = left * z[0], left * z[1]
    C = (x * z[0], y * z[1], left * z[2] * z[2], x * z[1], x * z[2], y * z[2])
    return nothing + nothing, nothing + nothing + nothing, C, F
