"""Forward and hybrid dynamics in O(n): the articulated-body algorithm, one degree of freedom at a time.

    H u' + c = F + J'Fe   solved for u'   (or, where u' is given, for F)

In one common frame a joint of several degrees of freedom is so many rank-one eliminations of its articulated inertia
IA, and so is the base: U = IA S, D = S.U + rotor, G = U/D, IA <- IA - U G'. This is the innovations factorisation
H = (1 + H phi K) D (1 + H phi K)' of the spatial operator algebra: D is its diagonal, G its gain.
The forces of the motion without the unknown accelerations come from the Newton-Euler recursion.
Featherstone (2008), ch. 7 and 9; Rodriguez, Jain & Kreutz-Delgado (1991); Tian & Wu, whose (17) is not block diagonal.
"""

from .bodies import add_wrenches, motion_forces
from .compiling import entry, inner
from .kinematics import base_axis
from .passive import passive_forces
from .rows import are_finite, read_rows, read_state, write_rows
from .scalar import integer, lanes_of, load, pointer, shared, store, zero_of
from .spatial import add6, add9, add_scaled6, dot6, load3, load6, load9, pick, scale3, store6, store9
from .tree import *  # noqa: F403


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
def articulated_start(tree, work, record, body, zero):
    """A body's own inertia and what its children have handed on to it."""
    m, h = load(work, body + INERTIA, zero), load3(work, body + INERTIA + 1, zero)
    A = (m, m, m, zero, zero, zero)
    B = (zero, h[2], -h[1], -h[2], zero, h[0], h[1], -h[0], zero)
    C = load6(work, body + INERTIA + 4, zero)
    if integer(tree, record + HAS_CHILDREN):
        A = add6(A, load6(work, body + ARTICULATED, zero))
        B = add9(B, load9(work, body + ARTICULATED + 6, zero))
        C = add6(C, load6(work, body + ARTICULATED + 15, zero))
    return A, B, C


@inner
def hand_on(work, above, is_first, A, B, C, zero):
    """Add an articulated inertia to what the parent's children have handed on so far."""
    if not is_first:
        A = add6(A, load6(work, above, zero))
        B = add9(B, load9(work, above + 6, zero))
        C = add6(C, load6(work, above + 15, zero))
    store6(work, above, A)
    store9(work, above + 6, B)
    store6(work, above + 15, C)


@inner
def is_given(tree, k):
    """Whether the acceleration of rate k is given, and its force sought."""
    return integer(tree, integer(tree, RATE_AT) + k * RATE_INTS + RATE_GIVEN)


@inner
def factorise_body(tree, par, work, i, zero):
    """G, D and 1/D of body i's rates; those whose acceleration is given are left in the articulated inertia."""
    record = integer(tree, BODY_AT) + i * BODY_INTS
    bodies, rates = integer(tree, W_BODY), integer(tree, W_RATE)
    A, B, C = articulated_start(tree, work, record, bodies + i * BODY_WORK, zero)
    first = integer(tree, record + RATE)
    for k in range(first + integer(tree, record + RATE_COUNT) - 1, first - 1, -1):
        rate = rates + k * RATE_WORK
        if i == 0:
            axis = base_axis(tree, k)
            Uk = unit_column(A, B, C, axis)
            Dk = pick(Uk, axis)
        else:
            column = load6(work, rate + S, zero)
            Uk = apply_articulated(A, B, C, column)
            Dk = dot6(column, Uk) + shared(par, integer(tree, PAR_RATE) + k * RATE_PARS + P_ROTOR, zero)
        inverse = 1.0 / Dk
        f, n = (Uk[0], Uk[1], Uk[2]), (Uk[3], Uk[4], Uk[5])
        gf, gn = scale3(inverse, f), scale3(inverse, n)
        store6(work, rate + GAIN, gf + gn)
        store(work, rate + D, Dk)
        store(work, rate + D_INVERSE, inverse)
        if is_given(tree, k) == 0:
            A, B, C = eliminate_symmetric(A, f, gf), eliminate_mixed(B, f, gn), eliminate_symmetric(C, n, gn)
    if i > 0:
        above = bodies + integer(tree, record + PARENT) * BODY_WORK + ARTICULATED
        hand_on(work, above, integer(tree, record + IS_LAST_CHILD), A, B, C, zero)


@inner
def reduce_body(tree, work, i, zero):
    """TAU of body i's rates becomes what is left after FORCE and the rates further out have taken theirs."""
    record = integer(tree, BODY_AT) + i * BODY_INTS
    bodies, rates = integer(tree, W_BODY), integer(tree, W_RATE)
    F = load6(work, bodies + i * BODY_WORK + FORCE, zero)
    first = integer(tree, record + RATE)
    for k in range(first + integer(tree, record + RATE_COUNT) - 1, first - 1, -1):
        rate = rates + k * RATE_WORK
        taken = pick(F, base_axis(tree, k)) if i == 0 else dot6(load6(work, rate + S, zero), F)
        if is_given(tree, k) == 0:
            left = load(work, rate + TAU, zero) - taken
            store(work, rate + TAU, left)
            F = add_scaled6(F, left, load6(work, rate + GAIN, zero))
        else:
            store(work, rate + TAU, taken)
    if i > 0:
        above = bodies + integer(tree, record + PARENT) * BODY_WORK + FORCE
        store6(work, above, add6(load6(work, above, zero), F))


@inner
def settle(tree, par, work, k, felt, zero):
    """QDD of rate k, if it is free; TAU, if its acceleration is given. `felt` is G.a of what carries it."""
    rate = integer(tree, W_RATE) + k * RATE_WORK
    if is_given(tree, k):
        rotor = shared(par, integer(tree, PAR_RATE) + k * RATE_PARS + P_ROTOR, zero)
        needed = load(work, rate + D, zero) * felt + rotor * load(work, rate + QDD, zero)
        store(work, rate + TAU, load(work, rate + TAU, zero) + needed)
        return zero
    qdd = load(work, rate + TAU, zero) * load(work, rate + D_INVERSE, zero) - felt
    store(work, rate + QDD, qdd)
    return qdd


@inner
def recover_base(tree, par, work, zero):
    """The same for the base, whose columns are unit vectors: what is felt is summed up column by column."""
    rates, count = integer(tree, W_RATE), integer(tree, BASE_RATES)
    a = integer(tree, W_BODY) + ACCELERATION
    store6(work, a, (zero, zero, zero, zero, zero, zero))
    for k in range(count):
        store(work, rates + k * RATE_WORK + FELT, zero)
    for k in range(count):
        axis = base_axis(tree, k)
        qdd = settle(tree, par, work, k, load(work, rates + k * RATE_WORK + FELT, zero), zero)
        store(work, a + axis, qdd)
        for j in range(k + 1, count):
            rate = rates + j * RATE_WORK
            store(work, rate + FELT, load(work, rate + FELT, zero) + load(work, rate + GAIN + axis, zero) * qdd)


@inner
def recover_accelerations(tree, par, work, zero):
    """Base to leaves: QDD of the free rates; TAU of those whose acceleration is given. ACCELERATION is overwritten."""
    recover_base(tree, par, work, zero)
    bodies, rates = integer(tree, W_BODY), integer(tree, W_RATE)
    for i in range(1, integer(tree, BODIES)):
        record = integer(tree, BODY_AT) + i * BODY_INTS
        a = load6(work, bodies + integer(tree, record + PARENT) * BODY_WORK + ACCELERATION, zero)
        first = integer(tree, record + RATE)
        for k in range(first, first + integer(tree, record + RATE_COUNT)):
            rate = rates + k * RATE_WORK
            qdd = settle(tree, par, work, k, dot6(load6(work, rate + GAIN, zero), a), zero)
            a = add_scaled6(a, qdd, load6(work, rate + S, zero))
        store6(work, bodies + i * BODY_WORK + ACCELERATION, a)


@inner
def add_passive(tree, par, work, zero):
    """Add the joints' own forces to TAU of the free rates."""
    passive_forces(tree, par, work, zero)
    for k in range(integer(tree, RATES)):
        rate = integer(tree, W_RATE) + k * RATE_WORK
        if is_given(tree, k) == 0:
            store(work, rate + TAU, load(work, rate + TAU, zero) + load(work, rate + PASSIVE, zero))


@inner
def solve_dynamics(tree, par, work, options, zero):
    """QDD of the free rates from TAU, TAU of the given ones from QDD; INERTIA and FORCE of all bodies must be there."""
    if options & PASSIVE_FORCES:
        add_passive(tree, par, work, zero)
    for i in range(integer(tree, BODIES) - 1, -1, -1):
        factorise_body(tree, par, work, i, zero)
        reduce_body(tree, work, i, zero)
    recover_accelerations(tree, par, work, zero)
    if options & PASSIVE_FORCES:
        for k in range(integer(tree, RATES)):
            rate = integer(tree, W_RATE) + k * RATE_WORK
            if is_given(tree, k) != 0:
                store(work, rate + TAU, load(work, rate + TAU, zero) - load(work, rate + PASSIVE, zero))


@inner
def forward_dynamics(tree, par, work, options, zero):
    """QDD of the free rates from TAU; TAU of the given ones from QDD (QDD of the free ones must come in as zero)."""
    motion_forces(tree, par, work, True, zero)
    if options & LOADED:
        add_wrenches(tree, par, work, -1.0, zero)
    solve_dynamics(tree, par, work, options, zero)


@entry
def run(tree, par, work, state, loads, out, count, options, kind):
    """Rows of states (x, u) and loads to rows of accelerations; True if all of them are finite.

    A row of `loads` has the joints' forces, then wrenches (option LOADED), then accelerations, zero where they are not
    given (option HYBRID). With HYBRID a row of `out` holds accelerations, then forces.
    """
    tree, par, work = pointer(tree), pointer(par), pointer(work)
    state, loads, out = pointer(state), pointer(loads), pointer(out)
    zero = zero_of(kind)
    nv, base, rate = integer(tree, RATES), integer(tree, BASE_RATES), integer(tree, W_RATE)
    wrenches = 6 * (integer(tree, ENDPOINTS) + 1) if options & LOADED else 0
    more = nv if options & HYBRID else 0
    joints, width = nv - base, nv - base + wrenches + more
    finite = True
    for row in range(0, count, lanes_of(zero)):
        read_state(tree, state, row, count, work, zero)
        for k in range(base):
            store(work, rate + k * RATE_WORK + TAU, zero)
        for k in range(nv):
            store(work, rate + k * RATE_WORK + QDD, zero)
        read_rows(loads, width, 0, joints, row, count, work, rate + base * RATE_WORK + TAU, RATE_WORK, zero)
        read_rows(loads, width, joints, wrenches, row, count, work, integer(tree, W_WRENCH), 1, zero)
        read_rows(loads, width, joints + wrenches, more, row, count, work, rate + QDD, RATE_WORK, zero)
        forward_dynamics(tree, par, work, options, zero)
        finite &= are_finite(work, rate + QDD, RATE_WORK, nv, zero)
        write_rows(out, nv + more, 0, nv, row, count, work, rate + QDD, RATE_WORK, zero)
        write_rows(out, nv + more, nv, more, row, count, work, rate + TAU, RATE_WORK, zero)
    return finite
