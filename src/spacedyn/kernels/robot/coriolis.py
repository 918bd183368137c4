"""Coriolis matrix C(x, u), defined by the motion of mass points, in O(n d) for n rates at depth d.

    C = ∫ J' J̇ dm,  ṙ = J u for every point of mass;   H = ∫ J' J dm,  so  Ḣ = C + C'  and  Ḣ - 2C is skew

C u is the bias force without gravity. For a rate k, what it carries moving along, and a rate j further in:

    C_jk = S_j.F_k                     F_k = I Ṡ_k + [S_w x ḣ; tr(D) S_w - D S_w]          h = ∫ r dm,  ḣ = ∫ ṙ dm
    C_kj = Ṡ_j.(I S_k) + S_jw.G_k      G_k = ḣ x S_v + tr(D) S_w - D' S_w                  D = ∫ ṙ r' dm

with r and ṙ relative to the segment's reference point, whose own velocity changes nothing. I, ḣ and D of bodies add
up from the leaves to the base. Rotors have constant inertia and no part in it. Echeandia & Wensing (2021) have the same
matrix as a sum over bodies: the connection of the kinetic energy, of Christoffel's symbols where rates are derivatives.
"""

from ..scalar.compiling import entry, inner, outlined
from ..scalar.lanes import directions_in
from ..scalar.memory import integer, lanes_of, load, pointer, store, zero_of
from .bodies import momentum_of, store_inertia, weigh_body
from .descriptions import parameters
from .kinematics import base_axis, move, place
from .layout import *  # noqa: F403
from .rows import clear_matrix, read_state, write_rows
from .segments import (
    add_composite,
    opens_segment,
    rate_before,
    segment_before,
    segment_of,
    segment_of_rate,
    segment_work,
    shift_force,
)
from .spatial import (
    add3,
    add6,
    add_cross,
    angular,
    cross,
    dot3,
    dot6,
    linear,
    load3,
    load6,
    load9,
    pick,
    scale3,
    store3,
    store6,
    store_column6,
    sub3,
    turn,
)

MOMENT_RATE, SPREAD_RATE, FLOW = 0, 3, 12  # ḣ and D of a body, over its pose, which has been used


@inner
def body_flow(tree, par, work, i, zero):
    """INERTIA of body i, and its ḣ and D over its pose: D = w x (tr(J)/2 - J) + m ċ c', with J about its centre."""
    body = integer(tree, W_BODY) + i * BODY_WORK
    weighed = weigh_body(tree, par, work, i, zero)
    store_inertia(tree, work, i, weighed, zero)
    m, c, J = weighed
    V = load6(work, body + VELOCITY, zero)
    w = angular(V)
    p = scale3(m, add3(linear(V), cross(w, c)))
    half = 0.5 * (J[0] + J[1] + J[2])
    x = cross(w, (half - J[0], -J[3], -J[4]))  # columns
    y = cross(w, (-J[3], half - J[1], -J[5]))
    z = cross(w, (-J[4], -J[5], half - J[2]))
    store3(work, body + MOMENT_RATE, p)
    store3(work, body + SPREAD_RATE, (x[0] + p[0] * c[0], y[0] + p[0] * c[1], z[0] + p[0] * c[2]))
    store3(work, body + SPREAD_RATE + 3, (x[1] + p[1] * c[0], y[1] + p[1] * c[1], z[1] + p[1] * c[2]))
    store3(work, body + SPREAD_RATE + 6, (x[2] + p[2] * c[0], y[2] + p[2] * c[1], z[2] + p[2] * c[2]))


@outlined
def flow_to_parent(tree, work, i, zero):
    """ḣ and D of body i about its parent's reference point: r becomes r + L, ṙ becomes ṙ + d."""
    body, at = integer(tree, W_BODY) + i * BODY_WORK, segment_work(tree, segment_of(tree, i))
    L, d = load3(work, at + LEVER, zero), load3(work, at + DRIFT, zero)
    m, h = load(work, body + INERTIA, zero), load3(work, body + INERTIA + 1, zero)
    hd, moved = load3(work, body + MOMENT_RATE, zero), add3(h, scale3(m, L))
    D = load9(work, body + SPREAD_RATE, zero)
    store3(work, body + MOMENT_RATE, add3(hd, scale3(m, d)))
    store3(work, body + SPREAD_RATE, add3(D[0:3], add3(scale3(hd[0], L), scale3(d[0], moved))))
    store3(work, body + SPREAD_RATE + 3, add3(D[3:6], add3(scale3(hd[1], L), scale3(d[1], moved))))
    store3(work, body + SPREAD_RATE + 6, add3(D[6:9], add3(scale3(hd[2], L), scale3(d[2], moved))))


@inner
def accumulate_flow(tree, work, i, zero):
    """Add what body i carries to what its parent carries."""
    body = integer(tree, W_BODY) + i * BODY_WORK
    above = integer(tree, W_BODY) + integer(tree, integer(tree, BODY_AT) + i * BODY_INTS + PARENT) * BODY_WORK
    if opens_segment(tree, i):
        flow_to_parent(tree, work, i, zero)
        add_composite(tree, work, i, zero)
    else:
        for j in range(INERTIA, INERTIA + 10):
            store(work, above + j, load(work, above + j, zero) + load(work, body + j, zero))
    for j in range(FLOW):
        store(work, above + j, load(work, above + j, zero) + load(work, body + j, zero))


@inner
def forces_of(work, body, rate, zero):
    """I S of a rate, F without I Ṡ, and G, for all that its body carries."""
    column = load6(work, rate + S, zero)
    w = angular(column)
    hd, D = load3(work, body + MOMENT_RATE, zero), load9(work, body + SPREAD_RATE, zero)
    trace = scale3(D[0] + D[4] + D[8], w)
    across = D[0], D[3], D[6], D[1], D[4], D[7], D[2], D[5], D[8]
    swept = cross(w, hd) + sub3(trace, turn(D, w))
    felt = add3(cross(hd, linear(column)), sub3(trace, turn(across, w)))
    return momentum_of(work, body, column, zero), swept, felt


@inner
def base_block(tree, work, matrix, C, zero):
    """Rows and columns of the base alone."""
    nv, count = integer(tree, RATES), integer(tree, BASE_RATES)
    for k in range(count):
        _, swept, _ = forces_of(work, integer(tree, W_BODY), integer(tree, W_RATE) + k * RATE_WORK, zero)
        for j in range(count):
            store(matrix, C + j * nv + k, pick(swept, base_axis(tree, j)))


@inner
def about_segment_before(tree, work, s, force, momentum, felt, zero):
    """F, I S and G of a rate, about the reference point of the segment that segment s hangs on."""
    at = segment_work(tree, s)
    L, d = load3(work, at + LEVER, zero), load3(work, at + DRIFT, zero)
    return shift_force(force, L), shift_force(momentum, L), add_cross(felt, d, linear(momentum))


@inner
def base_entries(tree, matrix, k, C, force, felt, zero):
    """Column and row k where they meet the base's rates, whose columns S are unit vectors and do not change."""
    nv, felt = integer(tree, RATES), (zero, zero, zero) + felt
    if integer(tree, BASE) == BASE_FREE:
        store_column6(matrix, C + k, nv, force)
        store6(matrix, C + k * nv, felt)
        return
    for j in range(integer(tree, BASE_RATES)):
        axis = base_axis(tree, j)
        store(matrix, C + j * nv + k, pick(force, axis))
        store(matrix, C + k * nv + j, pick(felt, axis))


@inner
def rate_entries(tree, work, body, k, matrix, C, zero):
    """Column and row k, as far as the rates between it and the root."""
    nv, rates = integer(tree, RATES), integer(tree, W_RATE)
    momentum, swept, felt = forces_of(work, body, rates + k * RATE_WORK, zero)
    force = add6(swept, momentum_of(work, body, load6(work, rates + k * RATE_WORK + SDOT, zero), zero))
    j, s = k, segment_of_rate(tree, k)
    while True:
        last = rate_before(tree, s)
        while j != last:
            rate = rates + j * RATE_WORK
            column = load6(work, rate + S, zero)
            store(matrix, C + k * nv + j, dot6(load6(work, rate + SDOT, zero), momentum) + dot3(angular(column), felt))
            store(matrix, C + j * nv + k, dot6(column, force))
            j = integer(tree, integer(tree, RATE_AT) + j * RATE_INTS + RATE_PARENT)
        if s == 0:
            break
        force, momentum, felt = about_segment_before(tree, work, s, force, momentum, felt, zero)
        s = segment_before(tree, s)
    base_entries(tree, matrix, k, C, force, felt, zero)


@inner
def coriolis_matrix(tree, par, work, matrix, C, zero):
    """The matrix, row by row, into the scalars of `matrix` from C on."""
    bodies, nv = integer(tree, BODIES), integer(tree, RATES)
    place(tree, par, work, zero)
    for k in range(nv):
        store(work, integer(tree, W_RATE) + k * RATE_WORK + QDD, zero)
    move(tree, work, (zero, zero, zero), zero)
    for i in range(bodies):
        body_flow(tree, par, work, i, zero)
    clear_matrix(tree, matrix, C, zero)
    for i in range(bodies - 1, 0, -1):
        body, record = integer(tree, W_BODY) + i * BODY_WORK, integer(tree, BODY_AT) + i * BODY_INTS
        first = integer(tree, record + RATE)
        for k in range(first, first + integer(tree, record + RATE_COUNT)):
            rate_entries(tree, work, body, k, matrix, C, zero)
        accumulate_flow(tree, work, i, zero)
    base_block(tree, work, matrix, C, zero)


@entry
def run(tree, par, work, state, out, count, kind):
    """Rows of states to rows of matrices."""
    tree, par, work, state, out = pointer(tree), pointer(par), pointer(work), pointer(state), pointer(out)
    zero = zero_of(kind)
    nv, alone = integer(tree, RATES), lanes_of(zero) == 1 and directions_in(zero) == 0
    matrix = out if alone else work  # one robot's row is its matrix
    for row in range(0, count, lanes_of(zero)):
        mine = parameters(tree, par, row)
        read_state(tree, state, row, count, work, zero)
        C = row * nv * nv if alone else integer(tree, W_OUT)
        coriolis_matrix(tree, mine, work, matrix, C, zero)
        if not alone:
            write_rows(out, nv * nv, 0, nv * nv, row, count, work, C, 1, zero)
