"""Transfer across an eliminated joint where a segment begins (segments.py); and loose joints, which resist nothing.

A loose joint is a free one without rotors whose six accelerations are unknown. What it carries is solved as if it were
alone, and no inertia is handed on, not even what rounding would leave of it. Its six columns S have an inverse: the
force that it transmits is that of its own TAU, S'F = tau, and its accelerations are what lies between both sides,
S q'' = a' - a. So nothing of the large numbers on one side gets into the other.
"""

from ..scalar.compiling import inner, outlined, rare
from ..scalar.memory import integer, load, store
from .layout import *  # noqa: F403
from .segments import lever_of, rests, segment_of, segment_work, shift_force, shift_motion
from .spatial import add3, add6, angular, cross, dot3, linear, load3, load6, load9, pick, scale3, store6, store9, sub3


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
    """Store the forces that loose joints transmit, which follow from their TAU alone, before any rate is eliminated."""
    for i in range(integer(tree, BODIES)):
        if not rests(tree, i) and is_loose(tree, i):
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
def acceleration_from_parent(tree, work, i, zero):
    """ACCELERATION of body i from its parent's, about its own reference point; behind a loose joint zero, and kept."""
    at, above = segment_work(tree, segment_of(tree, i)), integer(tree, integer(tree, BODY_AT) + i * BODY_INTS + PARENT)
    a = load6(work, integer(tree, W_BODY) + above * BODY_WORK + ACCELERATION, zero)
    a = shift_motion(a, load3(work, at + LEVER, zero))
    if is_loose(tree, i):
        store6(work, at + ACROSS, add6(a, load6(work, at + BIAS, zero)))
        a = (zero, zero, zero, zero, zero, zero)
    store6(work, integer(tree, W_BODY) + i * BODY_WORK + ACCELERATION, a)


@outlined
def settle_loose(tree, work, zero):
    """QDD of loose joints: the children's accelerations minus those of the parents' sides."""
    for i in range(integer(tree, BODIES)):
        if not rests(tree, i) and is_loose(tree, i):
            a = load6(work, segment_work(tree, segment_of(tree, i)) + ACROSS, zero)
            first = integer(tree, integer(tree, BODY_AT) + i * BODY_INTS + RATE)
            given = loose_rates(tree, work, i, a, zero)
            for k in range(6):
                qdd = integer(tree, W_RATE) + (first + k) * RATE_WORK + QDD
                store(work, qdd, load(work, qdd, zero) - pick(given, k))


@rare
def hand_nothing(tree, work, i, zero):
    """Let body i, which rests behind a loose joint, add zero to its parent; as last child, it initialises the sum."""
    record, none = integer(tree, BODY_AT) + i * BODY_INTS, (zero, zero, zero, zero, zero, zero)
    if integer(tree, record + FLAGS) & IS_LAST_CHILD != 0:
        above = integer(tree, W_BODY) + integer(tree, record + PARENT) * BODY_WORK
        store6(work, above + HANDED, none)
        store9(work, above + HANDED + 6, none + (zero, zero, zero))
        store6(work, above + HANDED + 15, none)
        store6(work, above + HANDED_FORCE, none)


@rare
def part_acceleration(tree, work, i, zero):
    """ACCELERATION for forward dynamics: behind a loose joint nothing is known yet, and the parent's side is kept."""
    if is_loose(tree, i):
        at = integer(tree, W_BODY) + i * BODY_WORK + ACCELERATION
        store6(work, segment_work(tree, segment_of(tree, i)) + BIAS, load6(work, at, zero))
        store6(work, at, (zero, zero, zero, zero, zero, zero))
