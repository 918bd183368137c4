"""Small vectors and matrices as tuples of scalars: 3-vectors, rotations, spatial vectors and inertias.

Spatial vectors are (linear; angular), six scalars, in inertial axes about a reference point (segments.py): a motion is
(velocity of the material point there, angular velocity), a force (force, moment about it).
A rotation is nine scalars, row by row. A symmetric matrix is (xx, yy, zz, xy, xz, yz).
A rigid inertia is (m, h, I): mass, first moment, inertia about the reference point: ten scalars.
An articulated inertia is [A B; B' C] with A and C symmetric: 6 + 9 + 6 scalars.
"""

from ..scalar.compiling import inner
from ..scalar.vectors import (
    add3,
    add_cross,
    add_turned,
    apply_symmetric,
    column_x,
    column_y,
    column_z,
    compose,
    cross,
    dot3,
    fused3,
    load3,
    load6,
    load9,
    scale3,
    shared3,
    shared9,
    store3,
    store6,
    store9,
    store_column6,
    sub3,
    turn,
    turn_back,
    turn_symmetric,
)

__all__ = [  # those of scalar.vectors too: robot kernels take all vectors from here
    "add3",
    "add6",
    "add9",
    "add_cross",
    "add_scaled6",
    "add_turned",
    "angular",
    "apply_inertia",
    "apply_symmetric",
    "column_x",
    "column_y",
    "column_z",
    "compose",
    "cross",
    "cross_motion",
    "dot3",
    "dot6",
    "fused3",
    "linear",
    "load3",
    "load6",
    "load9",
    "pick",
    "scale3",
    "shared3",
    "shared9",
    "store3",
    "store6",
    "store9",
    "store_column6",
    "sub3",
    "turn",
    "turn_back",
    "turn_symmetric",
]


@inner
def linear(v):
    return v[0], v[1], v[2]


@inner
def angular(v):
    return v[3], v[4], v[5]


@inner
def add6(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@inner
def add9(a, b):
    return add6(a, b) + (a[6] + b[6], a[7] + b[7], a[8] + b[8])


@inner
def pick(a, k):
    """Component k of a spatial vector."""
    return a[0] if k == 0 else a[1] if k == 1 else a[2] if k == 2 else a[3] if k == 3 else a[4] if k == 4 else a[5]


@inner
def add_scaled6(a, s, b):
    """a + s b."""
    return (
        a[0] + s * b[0],
        a[1] + s * b[1],
        a[2] + s * b[2],
        a[3] + s * b[3],
        a[4] + s * b[4],
        a[5] + s * b[5],
    )


@inner
def dot6(a, b):
    return (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) + (a[3] * b[3] + a[4] * b[4] + a[5] * b[5])


@inner
def cross_motion(v, s):
    """Rate of the motion s that is fixed in a frame of velocity v."""
    w = angular(v)
    return add_cross(cross(w, linear(s)), linear(v), angular(s)) + cross(w, angular(s))


@inner
def apply_inertia(m, h, I, v):
    """Momentum of a rigid inertia that moves with v: (m v + w x h; h x v + I w)."""
    return add_cross(scale3(m, linear(v)), angular(v), h) + add_cross(apply_symmetric(I, angular(v)), h, linear(v))
