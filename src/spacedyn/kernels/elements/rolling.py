"""Wheels, discs and balls that roll on a plane without slip: one row on positions, two on velocities.

    p = c + R h - rho N,   h = (n a - N) / s,   n = N.a,   s = |h| = sqrt(1 - n^2)
        phi  = N.(c - o) - R s - rho,   its rate N.v
        0    = T.v,   for both directions T along the plane

A ring of radius R about the axis a through the centre c, with a rounded edge of radius rho: a knife-edged disc has no
rho, a ball no R. N is the plane's normal, v the velocity of the body's material at p relative to the plane's. The point
p moves over both, which their accelerations must count:

    d/dt (v + w x (p - c)) = (acceleration of the material) + w x (p' - (its velocity))
"""

from ..robot.segments import origin_of
from ..robot.spatial import add3, compose, cross, dot3, scale3, sub3, turn
from ..scalar.compiling import inner
from ..scalar.pack import select, sqrt
from .kind import (
    angular_velocity,
    channel,
    channel3,
    keep,
    kept,
    kind,
    lever,
    matrix,
    own,
    parameter,
    position,
    record_wrench,
    rotation,
    vector,
    velocity,
)
from .loop import axis_of, scalars_of
from .rows import constrain, multiplier, push_row, turning

BODY, OTHER, IS_BALL = range(3)  # its integers; the other body is -1: the inertial frame
CENTRE, AXIS, OTHER_POINT, AXES, RING, EDGE = 0, 3, 6, 9, 18, 19  # its numbers; of AXES, the third is the normal
FORCE_, PLACE_, GAP = 0, 3, 6  # its channels
FLAT, NAN = 0.01, float("nan")  # sine of the least angle between a disc and its plane
KEPT_AXES, KEPT_ARM, KEPT_GAP, KEPT = 0, 9, 12, 13  # numbers that it keeps: the plane's axes, p - c, phi


@inner
def plane(sim, e, c, zero):
    """From the plane's point to the centre at c, the centre from the plane's reference point, its axes and rate."""
    i, other = own(sim, e, BODY), own(sim, e, OTHER)
    A, still = matrix(sim, e, AXES, zero), (zero, zero, zero)
    if other < 0:
        d = sub3(position(sim, i, c, zero), vector(sim, e, OTHER_POINT, zero))
        return d, c, scalars_of(A, zero), still
    o = lever(sim, other, vector(sim, e, OTHER_POINT, zero), zero)
    d = add3(sub3(origin_of(sim.tree, sim.work, i, zero), origin_of(sim.tree, sim.work, other, zero)), sub3(c, o))
    return d, add3(o, d), compose(rotation(sim, other, zero), A), angular_velocity(sim, other, zero)


@inner
def rim(sim, e, N, w, wb, zero):
    """From the centre to the lowest point of the edge, and how fast that changes; the height of the centre above it."""
    ring, edge = parameter(sim, e, RING, zero), parameter(sim, e, EDGE, zero)
    Nd = cross(w, N)
    if own(sim, e, IS_BALL):
        return scale3(-edge, N), scale3(-edge, Nd), zero + edge
    a = turn(rotation(sim, own(sim, e, BODY), zero), vector(sim, e, AXIS, zero))
    n, ad = dot3(N, a), cross(wb, a)
    square, nd = 1.0 - n * n, dot3(Nd, a) + dot3(N, ad)
    s = sqrt(square + select(square > FLAT * FLAT, zero, zero + NAN))  # a disc that lies flat ends a run
    h = scale3(1.0 / s, sub3(scale3(n, a), N))
    hd = scale3(1.0 / s, sub3(add3(scale3(nd, a), scale3(n, ad)), Nd))
    hd = add3(hd, scale3(n * nd / (s * s), h))  # s' = -n n' / s
    arm, rate = scale3(ring, h), scale3(ring, hd)
    return sub3(arm, scale3(edge, N)), sub3(rate, scale3(edge, Nd)), ring * s + edge


@kind
def rolling(sim, e, t, y, k, zero):
    """Its three rows: along the normal, then along the plane."""
    i, other = own(sim, e, BODY), own(sim, e, OTHER)
    c, wb = lever(sim, i, vector(sim, e, CENTRE, zero), zero), angular_velocity(sim, i, zero)
    d, co, A, w = plane(sim, e, c, zero)
    arm, arm_rate, height = rim(sim, e, axis_of(A, 2), w, wb, zero)
    b, at = add3(c, arm), add3(co, arm)
    p_rate, vb = add3(velocity(sim, i, c, zero), arm_rate), velocity(sim, i, b, zero)
    v, more = vb, add3(turning(sim, i, b, zero), cross(wb, sub3(p_rate, vb)))
    if other >= 0:
        vo = velocity(sim, other, at, zero)
        v = sub3(v, vo)
        more = sub3(more, add3(turning(sim, other, at, zero), cross(w, sub3(p_rate, vo))))
    nothing = zero, zero, zero
    phi = dot3(axis_of(A, 2), d) - height
    for j in range(3):
        f = axis_of(A, (j + 2) % 3)
        off = phi if j == 0 else zero
        constrain(sim, e, j, off, dot3(f, v), dot3(f, more) + dot3(cross(w, f), v), zero)
        push_row(sim, e, j, 0, f, nothing, b, zero)
        if other >= 0:
            push_row(sim, e, j, 1, scale3(-1.0, f), nothing, at, zero)
    for j in range(9):
        keep(sim, e, KEPT_AXES + j, A[j])
    for j in range(3):
        keep(sim, e, KEPT_ARM + j, arm[j])
    keep(sim, e, KEPT_GAP, phi)


@kind
def settle_rolling(sim, e, t, y, k, zero):
    """Record its force on the body and, from the plane's point, where it touches, in axes of the plane; the gap."""
    T, U, N = (
        kept3(sim, e, KEPT_AXES, 3, zero),
        kept3(sim, e, KEPT_AXES + 1, 3, zero),
        kept3(sim, e, KEPT_AXES + 2, 3, zero),
    )
    arm = kept3(sim, e, KEPT_ARM, 1, zero)
    x, y_, z = multiplier(sim, e, 1, zero), multiplier(sim, e, 2, zero), multiplier(sim, e, 0, zero)
    channel3(sim, e, FORCE_, (x, y_, z))
    f = add3(add3(scale3(x, T), scale3(y_, U)), scale3(z, N))
    c = lever(sim, own(sim, e, BODY), vector(sim, e, CENTRE, zero), zero)
    d, _, _, _ = plane(sim, e, c, zero)
    p = add3(d, arm)
    channel3(sim, e, PLACE_, (dot3(T, p), dot3(U, p), dot3(N, p)))
    channel(sim, e, GAP, kept(sim, e, KEPT_GAP, zero))
    record_wrench(sim, e, 0, f, cross(arm, f))
    back = scale3(-1.0, f)
    record_wrench(sim, e, 1, back, cross(p, back))


@inner
def kept3(sim, e, at, stride, zero):
    """Three numbers that it has kept."""
    return kept(sim, e, at, zero), kept(sim, e, at + stride, zero), kept(sim, e, at + 2 * stride, zero)
