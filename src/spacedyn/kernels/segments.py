"""Segments: bodies reckoned about a reference point of their own, so that far from the base they keep their digits.

A body of size r reckoned about a point at distance d loses eps (d/r)². So the tree is cut into segments: POSITION,
VELOCITY, ACCELERATION, FORCE, INERTIA and columns S of a segment's bodies are about its reference point O, in a frame
that moves along with O but does not turn. The base's segment has the base's centre of mass. Where a recursion crosses
from one segment to the next, motions and forces change their point, by the LEVER L from one point to the other, and
velocities their frame, by the DRIFT d of one frame in the other:

    v' = v + w x L - d,   a' = a + w' x L + w x d,   n = n' + L x f

(a is a spatial acceleration: that of the body's point at O, less w x v.) Which bodies open a segment is chosen when a
model is flattened. A LOOSE joint, a free one whose six accelerations are unknown, resists nothing: what it carries is
solved as if it were alone, and no inertia is handed on; S has an inverse then, and the accelerations of the joint are
what is left between both sides. Thus nothing of the large numbers on one side gets into the other.
"""

from .compiling import inner, outlined
from .memory import integer, load, store
from .spatial import (
    add3,
    add6,
    add_cross,
    add_scaled6,
    angular,
    cross,
    dot3,
    linear,
    load3,
    load6,
    load9,
    pick,
    scale3,
    store3,
    store6,
    store9,
    sub3,
)
from .tree import *  # noqa: F403


@inner
def segment_of(tree, i):
    """The segment of body i; 0 is the base's."""
    return integer(tree, integer(tree, BODY_AT) + i * BODY_INTS + SEGMENT)


@inner
def segment_of_rate(tree, k):
    """The segment of the body that rate k moves."""
    return integer(tree, integer(tree, RATE_AT) + k * RATE_INTS + RATE_SEGMENT)


@inner
def opens_segment(tree, i):
    """Whether body i is the first of its segment."""
    return integer(tree, integer(tree, BODY_AT) + i * BODY_INTS + OPENS)


@inner
def segment_work(tree, s):
    """Where the record of segment s > 0 is in `work`."""
    return integer(tree, W_SEGMENT) + (s - 1) * SEGMENT_WORK


@inner
def segment_before(tree, s):
    """The segment that segment s > 0 hangs on."""
    return integer(tree, integer(tree, SEGMENT_AT) + (s - 1) * SEGMENT_INTS + SEGMENT_PARENT)


@inner
def is_loose(tree, i):
    """Whether body i hangs on a free joint that resists nothing and whose accelerations are all unknown."""
    record = integer(tree, BODY_AT) + i * BODY_INTS
    loose = integer(tree, record + OPENS) == LOOSE
    if loose:
        first = integer(tree, RATE_AT) + integer(tree, record + RATE) * RATE_INTS + RATE_GIVEN
        for k in range(6):
            loose = loose and integer(tree, first + k * RATE_INTS) == 0
    return loose


# --- positions -------------------------------------------------------------------------------------------------------


@outlined
def open_segment(tree, work, i, lever, zero):
    """Place the reference point of the segment that body i opens at `lever` from its parent's; nothing moves yet."""
    s = segment_of(tree, i)
    at, before = segment_work(tree, s), segment_before(tree, s)
    origin, still = lever, (zero, zero, zero)
    if before > 0:
        origin = add3(load3(work, segment_work(tree, before) + ORIGIN, zero), lever)
    store3(work, at + LEVER, lever)
    store3(work, at + DRIFT, still)
    store3(work, at + ORIGIN, origin)
    store3(work, at + SPEED, still)
    store6(work, at + BIAS, still + still)


@inner
def origin_of(tree, work, i, zero):
    """From the base's centre of mass to the reference point of body i."""
    s = segment_of(tree, i)
    if s > 0:
        return load3(work, segment_work(tree, s) + ORIGIN, zero)
    return zero, zero, zero


@inner
def speed_of(tree, work, i, zero):
    """Velocity, relative to the base's centre of mass, of the frame that body i is reckoned in."""
    s = segment_of(tree, i)
    if s > 0:
        return load3(work, segment_work(tree, s) + SPEED, zero)
    return zero, zero, zero


# --- crossing --------------------------------------------------------------------------------------------------------


@inner
def lever_of(tree, work, i, zero):
    """LEVER of the segment that body i opens."""
    return load3(work, segment_work(tree, segment_of(tree, i)) + LEVER, zero)


@inner
def shift_motion(V, lever):
    """A motion about another point."""
    return add_cross(linear(V), angular(V), lever) + angular(V)


@inner
def shift_force(F, lever):
    """A force about another point: `lever` is from that to where it was."""
    return linear(F) + add_cross(angular(F), lever, linear(F))


@inner
def motion_from_parent(tree, work, i, V, zero):
    """A motion of body i's parent, about body i's reference point."""
    if opens_segment(tree, i):
        return shift_motion(V, lever_of(tree, work, i, zero))
    return V


@inner
def force_to_parent(tree, work, i, F, zero):
    """A force on body i, about its parent's reference point."""
    if opens_segment(tree, i):
        return shift_force(F, lever_of(tree, work, i, zero))
    return F


@inner
def force_about_base(tree, work, i, F, zero):
    """A force on body i, about the base's centre of mass."""
    if segment_of(tree, i) > 0:
        return shift_force(F, origin_of(tree, work, i, zero))
    return F


@outlined
def enter_segment(tree, work, i, V, A, zero):
    """Velocity and acceleration of body i's parent, as the segment has them that body i opens; DRIFT and SPEED.

    Of a free joint's segment the frame moves along with the child, else with the parent's.
    """
    record, s = integer(tree, BODY_AT) + i * BODY_INTS, segment_of(tree, i)
    at, before = segment_work(tree, s), segment_before(tree, s)
    lever, w = load3(work, at + LEVER, zero), angular(V)
    v, drift = add_cross(linear(V), w, lever), (zero, zero, zero)
    if integer(tree, record + OPENS) >= AT_COM:
        moved, first = v + w, integer(tree, record + RATE)
        for k in range(first, first + 6):
            speed = load(work, integer(tree, W_U) + k, zero)
            moved = add_scaled6(moved, speed, load6(work, integer(tree, W_RATE) + k * RATE_WORK + S, zero))
        drift = linear(moved)
    total = drift
    if before > 0:
        total = add3(load3(work, segment_work(tree, before) + SPEED, zero), drift)
    store3(work, at + DRIFT, drift)
    store3(work, at + SPEED, total)
    a = add_cross(add_cross(linear(A), angular(A), lever), w, drift)
    return sub3(v, drift) + w, a + angular(A)


@inner
def shift_articulated(A, B, C, L):
    """An articulated inertia about another point; L is from that to where it was.

    f = A v + B w and n = B'v + C w, with v' = v - L x w and n = n' + L x f.
    """
    a0, a1, a2 = (A[0], A[3], A[4]), (A[3], A[1], A[5]), (A[4], A[5], A[2])  # rows of A
    # rows of B - A Lx: a row r times Lx is r x L
    b0, b1, b2 = sub3(B[0:3], cross(a0, L)), sub3(B[3:6], cross(a1, L)), sub3(B[6:9], cross(a2, L))
    # C - B'Lx + Lx (B - A Lx): columns of Lx M are L x columns of M
    t0, t1, t2 = cross((B[0], B[3], B[6]), L), cross((B[1], B[4], B[7]), L), cross((B[2], B[5], B[8]), L)
    x, y, z = cross(L, (b0[0], b1[0], b2[0])), cross(L, (b0[1], b1[1], b2[1])), cross(L, (b0[2], b1[2], b2[2]))
    C = (
        C[0] - t0[0] + x[0],
        C[1] - t1[1] + y[1],
        C[2] - t2[2] + z[2],
        C[3] - t0[1] + y[0],
        C[4] - t0[2] + z[0],
        C[5] - t1[2] + z[1],
    )
    return A, b0 + b1 + b2, C


@outlined
def add_composite(tree, work, i, zero):
    """Add mass, first moment and inertia in INERTIA of body i to its parent's, about that one's reference point."""
    above = integer(tree, integer(tree, BODY_AT) + i * BODY_INTS + PARENT) * BODY_WORK
    body, above = integer(tree, W_BODY) + i * BODY_WORK + INERTIA, integer(tree, W_BODY) + above + INERTIA
    L, m = lever_of(tree, work, i, zero), load(work, body, zero)
    h, I = load3(work, body + 1, zero), load6(work, body + 4, zero)
    moved = add3(h, scale3(m, L))
    # I + (h.L + moved.L) 1 - (L h' + moved L'), which is symmetric
    both = dot3(h, L) + dot3(moved, L)
    I = (
        I[0] + both - L[0] * h[0] - moved[0] * L[0],
        I[1] + both - L[1] * h[1] - moved[1] * L[1],
        I[2] + both - L[2] * h[2] - moved[2] * L[2],
        I[3] - L[0] * h[1] - moved[0] * L[1],
        I[4] - L[0] * h[2] - moved[0] * L[2],
        I[5] - L[1] * h[2] - moved[1] * L[2],
    )
    store(work, above, load(work, above, zero) + m)
    store3(work, above + 1, add3(load3(work, above + 1, zero), moved))
    store6(work, above + 4, add6(load6(work, above + 4, zero), I))


# --- loose joints ----------------------------------------------------------------------------------------------------


@inner
def loose_force(tree, work, i, t, zero):
    """The force F of six joint forces t of a free joint: S'F = t."""
    rates = integer(tree, W_RATE) + integer(tree, integer(tree, BODY_AT) + i * BODY_INTS + RATE) * RATE_WORK + S
    f, n = (zero, zero, zero), (zero, zero, zero)
    for k in range(3):
        value = t[0] if k == 0 else t[1] if k == 1 else t[2]
        f = add3(f, scale3(value, load3(work, rates + k * RATE_WORK, zero)))
    for k in range(3):
        value = t[3] if k == 0 else t[4] if k == 1 else t[5]
        column = load6(work, rates + (3 + k) * RATE_WORK, zero)
        n = add3(n, scale3(value - dot3(linear(column), f), angular(column)))
    return f + n


@inner
def loose_rates(tree, work, i, V, zero):
    """The six rates r of a free joint that give a motion V: S r = V."""
    rates = integer(tree, W_RATE) + integer(tree, integer(tree, BODY_AT) + i * BODY_INTS + RATE) * RATE_WORK + S
    x, y, z = (
        load6(work, rates + 3 * RATE_WORK, zero),
        load6(work, rates + 4 * RATE_WORK, zero),
        load6(work, rates + 5 * RATE_WORK, zero),
    )
    w = angular(V)
    a, b, c = dot3(angular(x), w), dot3(angular(y), w), dot3(angular(z), w)
    v = sub3(linear(V), add3(scale3(a, linear(x)), add3(scale3(b, linear(y)), scale3(c, linear(z)))))
    return (
        dot3(load3(work, rates, zero), v),
        dot3(load3(work, rates + RATE_WORK, zero), v),
        dot3(load3(work, rates + 2 * RATE_WORK, zero), v),
        a,
        b,
        c,
    )


@outlined
def keep_transmitted(tree, work, zero):
    """Before any rate is eliminated: what loose joints transmit follows from their TAU alone."""
    for i in range(integer(tree, BODIES)):
        if is_loose(tree, i):
            first = integer(tree, integer(tree, BODY_AT) + i * BODY_INTS + RATE)
            tau = integer(tree, W_RATE) + first * RATE_WORK + TAU
            t = (
                load(work, tau, zero),
                load(work, tau + RATE_WORK, zero),
                load(work, tau + 2 * RATE_WORK, zero),
                load(work, tau + 3 * RATE_WORK, zero),
                load(work, tau + 4 * RATE_WORK, zero),
                load(work, tau + 5 * RATE_WORK, zero),
            )
            store6(work, segment_work(tree, segment_of(tree, i)) + ACROSS, loose_force(tree, work, i, t, zero))


@outlined
def force_past_joint(tree, work, i, at, zero):
    """The force at `at`, which the rates of body i have left, about its parent's reference point.

    Through memory, like inertias: a call that takes them in registers would slow down all bodies that need none.
    """
    segment = segment_work(tree, segment_of(tree, i))
    F = load6(work, segment + ACROSS if is_loose(tree, i) else at, zero)
    store6(work, at, shift_force(F, load3(work, segment + LEVER, zero)))


@outlined
def inertia_to_parent(tree, work, i, at, zero):
    """The articulated inertia at `at`, which the rates of body i have left, about its parent's reference point."""
    A, B, C = load6(work, at, zero), load9(work, at + 6, zero), load6(work, at + 15, zero)
    A, B, C = shift_articulated(A, B, C, lever_of(tree, work, i, zero))
    if is_loose(tree, i):
        A = C = (zero, zero, zero, zero, zero, zero)
        B = A + (zero, zero, zero)
    store6(work, at, A)
    store9(work, at + 6, B)
    store6(work, at + 15, C)


@outlined
def acceleration_from_parent(tree, work, i, a, zero):
    """Acceleration of body i's parent about body i's reference point; behind a loose joint zero, and it is kept."""
    at = segment_work(tree, segment_of(tree, i))
    a = shift_motion(a, load3(work, at + LEVER, zero))
    if is_loose(tree, i):
        store6(work, at + ACROSS, add6(a, load6(work, at + BIAS, zero)))
        return zero, zero, zero, zero, zero, zero
    return a


@outlined
def settle_loose(tree, work, zero):
    """QDD of loose joints becomes their children's accelerations less what their parents' sides have."""
    for i in range(integer(tree, BODIES)):
        if is_loose(tree, i):
            a = load6(work, segment_work(tree, segment_of(tree, i)) + ACROSS, zero)
            first, given = (
                integer(tree, integer(tree, BODY_AT) + i * BODY_INTS + RATE),
                loose_rates(tree, work, i, a, zero),
            )
            for k in range(6):
                qdd = integer(tree, W_RATE) + (first + k) * RATE_WORK + QDD
                store(work, qdd, load(work, qdd, zero) - pick(given, k))


@outlined
def part_acceleration(tree, work, i, A, zero):
    """ACCELERATION for forward dynamics: behind a loose joint nothing is known yet, and the parent's side is kept."""
    if is_loose(tree, i):
        store6(work, segment_work(tree, segment_of(tree, i)) + BIAS, A)
        return zero, zero, zero, zero, zero, zero
    return A
