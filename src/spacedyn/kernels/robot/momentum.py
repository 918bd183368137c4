"""Momentum matrix A(x), (P; L) = A u, with L about any point, and its rate.

A column is the composite inertia of what the rate moves, times its column S. Its rate follows from the rates of both:
those of inertias add up over the tree as inertias do. Orin, Goswami & Lee (2013) for the centroidal form.
"""

from ..scalar.compiling import entry, inner, outlined
from ..scalar.memory import integer, lanes_of, load, pointer, store, zero_of
from .bodies import momentum_of, weigh
from .descriptions import parameters
from .inertia import columns_about_base, composite_inertias, momentum_columns
from .jacobians import store_column
from .kinematics import base_part, move, place
from .layout import *  # noqa: F403
from .rows import read_state, write_rows
from .segments import force_about_base, segment_of, segment_work, speed_of
from .spatial import (
    add3,
    add6,
    angular,
    apply_inertia,
    cross,
    dot3,
    linear,
    load3,
    load6,
    load9,
    scale3,
    shared3,
    store3,
    store6,
    sub3,
    turn,
)
from .totals import reference


@inner
def inertia_rate(tree, par, work, i, zero):
    """Rates of first moment and inertia of body i, about its reference point, into its ARTICULATED (over its pose)."""
    body = integer(tree, W_BODY) + i * BODY_WORK
    V = load6(work, body + VELOCITY, zero)
    w = angular(V)
    m = load(work, body + INERTIA, zero)
    lever = turn(load9(work, body + ROTATION, zero), shared3(par, i * BODY_PARS + P_COM, zero))
    c = add3(load3(work, body + POSITION, zero), lever)
    hd = scale3(m, add3(linear(V), cross(w, c)))
    I = load6(work, body + INERTIA + 4, zero)
    h = scale3(m, c)
    hc = dot3(h, c)
    diagonal = I[0] - hc + h[0] * c[0], I[1] - hc + h[1] * c[1], I[2] - hc + h[2] * c[2]
    J = diagonal + (I[3] + h[0] * c[1], I[4] + h[0] * c[2], I[5] + h[1] * c[2])  # about the body's centre of mass
    x, y, z = cross(w, (J[0], J[3], J[4])), cross(w, (J[3], J[1], J[5])), cross(w, (J[4], J[5], J[2]))
    hdc = 2.0 * dot3(hd, c)
    store3(work, body + ARTICULATED, hd)
    store6(
        work,
        body + ARTICULATED + 3,
        (
            2.0 * x[0] + hdc - 2.0 * hd[0] * c[0],
            2.0 * y[1] + hdc - 2.0 * hd[1] * c[1],
            2.0 * z[2] + hdc - 2.0 * hd[2] * c[2],
            x[1] + y[0] - hd[0] * c[1] - hd[1] * c[0],
            x[2] + z[0] - hd[0] * c[2] - hd[2] * c[0],
            y[2] + z[1] - hd[1] * c[2] - hd[2] * c[1],
        ),
    )


@outlined
def inertia_rate_to_parent(tree, work, i, zero):
    """Rates of first moment and inertia in ARTICULATED of body i become those about its parent's reference point.

    h becomes h + m L, and I becomes I + 2 h.L + m L.L - (h L' + L h') - m L L', where L changes by the drift d.
    """
    body, at = integer(tree, W_BODY) + i * BODY_WORK, segment_work(tree, segment_of(tree, i))
    L, d = load3(work, at + LEVER, zero), load3(work, at + DRIFT, zero)
    m, h = load(work, body + INERTIA, zero), load3(work, body + INERTIA + 1, zero)
    hd, Id = load3(work, body + ARTICULATED, zero), load6(work, body + ARTICULATED + 3, zero)
    moved = add3(hd, scale3(m, d))
    a, b = add3(moved, hd), add3(h, add3(h, scale3(m, L)))  # twice the means of both points
    both = dot3(a, L) + dot3(b, d)
    store3(work, body + ARTICULATED, moved)
    store6(
        work,
        body + ARTICULATED + 3,
        (
            Id[0] + both - a[0] * L[0] - b[0] * d[0],
            Id[1] + both - a[1] * L[1] - b[1] * d[1],
            Id[2] + both - a[2] * L[2] - b[2] * d[2],
            Id[3] - 0.5 * (a[0] * L[1] + a[1] * L[0] + b[0] * d[1] + b[1] * d[0]),
            Id[4] - 0.5 * (a[0] * L[2] + a[2] * L[0] + b[0] * d[2] + b[2] * d[0]),
            Id[5] - 0.5 * (a[1] * L[2] + a[2] * L[1] + b[1] * d[2] + b[2] * d[1]),
        ),
    )


@inner
def momentum_rate(tree, work, i, k, zero):
    """Column k of the momentum matrix's rate; the rate moves body i, whose inertia and rate of it are composite."""
    body, rate = integer(tree, W_BODY) + i * BODY_WORK, integer(tree, W_RATE) + k * RATE_WORK
    column = load6(work, rate + S, zero)
    hd, Id = load3(work, body + ARTICULATED, zero), load6(work, body + ARTICULATED + 3, zero)
    growing = apply_inertia(zero, hd, Id, column)
    F = add6(growing, momentum_of(work, body, load6(work, rate + SDOT, zero), zero))
    if segment_of(tree, i) > 0:  # about the base, from which the reference point moves away
        P = linear(momentum_of(work, body, column, zero))
        F = force_about_base(tree, work, i, F, zero)
        return linear(F) + add3(angular(F), cross(speed_of(tree, work, i, zero), P))
    return F


@inner
def momentum_rates(tree, work, out, zero):
    """Columns of the momentum matrix's rate, rate by rate, into `work` from `out` on (INERTIA is composite by now)."""
    bodies = integer(tree, W_BODY)
    for i in range(integer(tree, BODIES) - 1, -1, -1):
        record = integer(tree, BODY_AT) + i * BODY_INTS
        first = integer(tree, record + RATE)
        for k in range(first, first + integer(tree, record + RATE_COUNT)):
            store6(work, out + 6 * k, momentum_rate(tree, work, i, k, zero))
        if i > 0:
            if integer(tree, record + OPENS):
                inertia_rate_to_parent(tree, work, i, zero)
            above = bodies + integer(tree, record + PARENT) * BODY_WORK + ARTICULATED
            for j in range(9):
                mine = load(work, bodies + i * BODY_WORK + ARTICULATED + j, zero)
                store(work, above + j, load(work, above + j, zero) + mine)


@inner
def shifted(column, lever):
    """Linear and angular momentum about a point `lever` away: (P; L - lever x P)."""
    P, L = linear(column), angular(column)
    return P, sub3(L, cross(lever, P))


@inner
def store_shifted(tree, work, lever, speed, room, rates_too, zero):
    """The momentum matrix about the point, or its rate (whose columns are at `room` + 6 nv), row by row at `room`."""
    nv, rates = integer(tree, RATES), integer(tree, W_RATE)
    for k in range(nv):
        column = load6(work, rates + k * RATE_WORK + GAIN, zero)
        P, L = shifted(column, lever)
        if rates_too:
            momentum = linear(column)
            P, L = shifted(load6(work, room + 6 * nv + 6 * k, zero), lever)
            L = sub3(L, cross(speed, momentum))
        store_column(work, room, nv, k, P, L)


@entry
def run(tree, par, work, state, points, out, count, options, kind):
    """Rows of states (and of points that angular momentum is about) to rows of A (6 x nv), or its rate (VELOCITIES)."""
    tree, par, work, state = pointer(tree), pointer(par), pointer(work), pointer(state)
    points, out = pointer(points), pointer(out)
    zero = zero_of(kind)
    nv, rates, room = integer(tree, RATES), integer(tree, W_RATE), integer(tree, W_OUT)
    base = integer(tree, W_BODY)
    for row in range(0, count, lanes_of(zero)):
        mine = parameters(tree, par, row)
        read_state(tree, state, row, count, work, zero)
        place(tree, mine, work, zero)
        weigh(tree, mine, work, zero)
        if options & VELOCITIES:
            for k in range(nv):
                store(work, rates + k * RATE_WORK + QDD, zero)
            move(tree, work, (zero, zero, zero), zero)
            for i in range(integer(tree, BODIES)):
                inertia_rate(tree, mine, work, i, zero)
        composite_inertias(tree, work, zero)
        if options & VELOCITIES:
            momentum_rates(tree, work, room + 6 * nv, zero)
        momentum_columns(tree, work, zero)
        if integer(tree, SEGMENTS) > 0:
            columns_about_base(tree, work, zero)
        inverse = 1.0 / load(work, base + INERTIA, zero)
        centre = scale3(inverse, load3(work, base + INERTIA + 1, zero))
        lever = reference(tree, points, row, count, work, room, options, centre, zero)
        speed = (zero, zero, zero)  # of the point relative to the base
        if options & ABOUT_POINT:
            speed = sub3(speed, base_part(tree, work, integer(tree, W_U), 1, 0, zero))
        elif options & ABOUT_BASE == 0 and options & VELOCITIES:
            speed = scale3(inverse, load3(work, base + ARTICULATED, zero))
        store_shifted(tree, work, lever, speed, room, options & VELOCITIES, zero)
        write_rows(out, 6 * nv, 0, 6 * nv, row, count, work, room, 1, zero)
