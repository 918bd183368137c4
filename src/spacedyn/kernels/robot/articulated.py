"""Articulated inertias: the inertia felt at a body when the joints beyond it are free, one degree of freedom at a time.

In one common frame a joint of n degrees of freedom is n rank-one eliminations of its articulated inertia
IA, and so is the base: U = IA S, D = S.U + rotor, G = U/D, IA <- IA - U G'. This is the innovations factorisation
H = (1 + H phi K) D (1 + H phi K)' of the spatial operator algebra: D is its diagonal, G its gain.
Forces F towards the base go the same way: TAU <- TAU - S.F, F <- F + G TAU.
Featherstone (2008), ch. 7 and 9; Rodriguez, Jain & Kreutz-Delgado (1991); Tian & Wu, whose (17) is not block diagonal.
"""

from ..scalar.compiling import inner
from ..scalar.memory import integer, load, shared, store
from .kinematics import is_given
from .layout import *  # noqa: F403
from .spatial import add6, add9, add_scaled6, dot6, load6, load9, scale3, store6, store9


@inner
def apply_articulated(A, B, C, s):
    """[A B; B' C] s."""
    return (
        A[0] * s[0] + A[3] * s[1] + A[4] * s[2] + (B[0] * s[3] + B[1] * s[4] + B[2] * s[5]),
        A[3] * s[0] + A[1] * s[1] + A[5] * s[2] + (B[3] * s[3] + B[4] * s[4] + B[5] * s[5]),
        A[4] * s[0] + A[5] * s[1] + A[2] * s[2] + (B[6] * s[3] + B[7] * s[4] + B[8] * s[5]),
        B[0] * s[0] + B[3] * s[1] + B[6] * s[2] + (C[0] * s[3] + C[3] * s[4] + C[4] * s[5]),
        B[1] * s[0] + B[4] * s[1] + B[7] * s[2] + (C[3] * s[3] + C[1] * s[4] + C[5] * s[5]),
        B[2] * s[0] + B[5] * s[1] + B[8] * s[2] + (C[4] * s[3] + C[5] * s[4] + C[2] * s[5]),
    )


@inner
def eliminate_symmetric(A, f, g):
    """A - f g' for g parallel to f."""
    return (
        A[0] - f[0] * g[0],
        A[1] - f[1] * g[1],
        A[2] - f[2] * g[2],
        A[3] - f[0] * g[1],
        A[4] - f[0] * g[2],
        A[5] - f[1] * g[2],
    )


@inner
def eliminate_mixed(B, f, g):
    """B - f g'."""
    return (
        B[0] - f[0] * g[0],
        B[1] - f[0] * g[1],
        B[2] - f[0] * g[2],
        B[3] - f[1] * g[0],
        B[4] - f[1] * g[1],
        B[5] - f[1] * g[2],
        B[6] - f[2] * g[0],
        B[7] - f[2] * g[1],
        B[8] - f[2] * g[2],
    )


@inner
def unit_column(A, B, C, k):
    """Column k of [A B; B' C]: what the base's columns, which are unit vectors, pick."""
    if k == 0:
        return A[0], A[3], A[4], B[0], B[1], B[2]
    if k == 1:
        return A[3], A[1], A[5], B[3], B[4], B[5]
    if k == 2:
        return A[4], A[5], A[2], B[6], B[7], B[8]
    if k == 3:
        return B[0], B[3], B[6], C[0], C[3], C[4]
    if k == 4:
        return B[1], B[4], B[7], C[3], C[1], C[5]
    return B[2], B[5], B[8], C[4], C[5], C[2]


@inner
def rigid_start(m, h, I, zero):
    """A rigid inertia as an articulated one."""
    return (m, m, m, zero, zero, zero), (zero, h[2], -h[1], -h[2], zero, h[0], h[1], -h[0], zero), I


@inner
def add_rigid(m, h, I, A, B, C):
    """The sum of a rigid inertia and an articulated one."""
    return (
        (A[0] + m, A[1] + m, A[2] + m, A[3], A[4], A[5]),
        (B[0], B[1] + h[2], B[2] - h[1], B[3] - h[2], B[4], B[5] + h[0], B[6] + h[1], B[7] - h[0], B[8]),
        add6(C, I),
    )


@inner
def load_articulated(work, at, zero):
    """Read an articulated inertia."""
    return load6(work, at, zero), load9(work, at + 6, zero), load6(work, at + 15, zero)


@inner
def add_articulated(work, at, A, B, C, zero):
    """Add an articulated inertia in memory."""
    more_A, more_B, more_C = load_articulated(work, at, zero)
    return add6(A, more_A), add9(B, more_B), add6(C, more_C)


@inner
def store_articulated(work, at, A, B, C):
    """Write an articulated inertia."""
    store6(work, at, A)
    store9(work, at + 6, B)
    store6(work, at + 15, C)


@inner
def store_gain(work, rate, gain, inverse):
    """The factors of one rate."""
    store6(work, rate + GAIN, gain)
    store(work, rate + D_INVERSE, inverse)


@inner
def factorise_rate(tree, work, k, Uk, Dk, A, B, C, zero):
    """G and 1/D of a rate; the articulated inertia without it, unless its acceleration is given: then D, too."""
    inverse, rate = 1.0 / Dk, integer(tree, W_RATE) + k * RATE_WORK
    f, n = (Uk[0], Uk[1], Uk[2]), (Uk[3], Uk[4], Uk[5])
    gf, gn = scale3(inverse, f), scale3(inverse, n)
    store_gain(work, rate, gf + gn, inverse)
    if is_given(tree, k) == 0:
        A, B, C = eliminate_symmetric(A, f, gf), eliminate_mixed(B, f, gn), eliminate_symmetric(C, n, gn)
    else:
        store(work, rate + D, Dk)
    return A, B, C


@inner
def factorise_joint_rate(tree, par, work, k, column, A, B, C, zero):
    """The same for a rate of a joint; and its D."""
    Uk = apply_articulated(A, B, C, column)
    Dk = dot6(column, Uk) + shared(par, integer(tree, PAR_ROTOR) + k, zero)
    return (*factorise_rate(tree, work, k, Uk, Dk, A, B, C, zero), Dk)


@inner
def reduce_rate(tree, work, k, taken, F, zero):
    """Reduce TAU of a free rate by F, or add F's part to TAU of a given one; return F without the rate."""
    rate = integer(tree, W_RATE) + k * RATE_WORK
    if is_given(tree, k) == 0:
        left = load(work, rate + TAU, zero) - taken
        store(work, rate + TAU, left)
        return add_scaled6(F, left, load6(work, rate + GAIN, zero))
    store(work, rate + TAU, taken)
    return F


@inner
def settle(tree, par, work, k, felt, zero):
    """QDD of rate k, if it is free; TAU, if its acceleration is given. `felt` is G.a, a the carrier's acceleration."""
    rate = integer(tree, W_RATE) + k * RATE_WORK
    if is_given(tree, k):
        rotor = shared(par, integer(tree, PAR_ROTOR) + k, zero)
        needed = load(work, rate + D, zero) * felt + rotor * load(work, rate + QDD, zero)
        store(work, rate + TAU, load(work, rate + TAU, zero) + needed)
        return zero
    qdd = load(work, rate + TAU, zero) * load(work, rate + D_INVERSE, zero) - felt
    store(work, rate + QDD, qdd)
    return qdd
