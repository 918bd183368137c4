"""Momentum matrix A(x), (P; L) = A u, about the base's centre of mass, its rate, and the centre of mass.

A column is the composite inertia of what the rate moves, times its column S. Its rate follows from the rates of both:
those of inertias add up over the tree as inertias do. Orin, Goswami & Lee (2013) for the centroidal form.
"""

from .bodies import momentum_of, weigh
from .compiling import entry, inner
from .descriptions import parameters
from .inertia import composite_inertias, momentum_columns
from .kinematics import move, place
from .memory import integer, lanes_of, load, pointer, store, zero_of
from .rows import read_state, write_rows
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
    turn,
)
from .tree import *  # noqa: F403


@inner
def inertia_rate(tree, par, work, i, zero):
    """Rates of the first moment and of the inertia about the base of body i, into its ARTICULATED (over its pose)."""
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


@inner
def momentum_rates(tree, par, work, out, zero):
    """Columns of the momentum matrix's rate, rate by rate, into `work` from `out` on (INERTIA is composite by now)."""
    bodies = integer(tree, W_BODY)
    for i in range(integer(tree, BODIES) - 1, 0, -1):
        above = bodies + integer(tree, integer(tree, BODY_AT) + i * BODY_INTS + PARENT) * BODY_WORK + ARTICULATED
        for j in range(9):
            mine = load(work, bodies + i * BODY_WORK + ARTICULATED + j, zero)
            store(work, above + j, load(work, above + j, zero) + mine)
    for k in range(integer(tree, RATES)):
        body = bodies + integer(tree, integer(tree, RATE_AT) + k * RATE_INTS + RATE_BODY) * BODY_WORK
        rate = integer(tree, W_RATE) + k * RATE_WORK
        column = load6(work, rate + S, zero)
        hd, Id = load3(work, body + ARTICULATED, zero), load6(work, body + ARTICULATED + 3, zero)
        growing = apply_inertia(zero, hd, Id, column)
        turning = momentum_of(work, body, load6(work, rate + SDOT, zero), zero)
        store6(work, out + 6 * k, add6(growing, turning))


@entry
def run(tree, par, work, state, out, count, options, kind):
    """Rows of states to rows of: first moment (3) about the base, columns of A (6 nv), and of its rate (VELOCITIES)."""
    tree, par, work, state, out = pointer(tree), pointer(par), pointer(work), pointer(state), pointer(out)
    zero = zero_of(kind)
    nv, rates, room = integer(tree, RATES), integer(tree, W_RATE), integer(tree, W_OUT)
    more = 6 * nv if options & VELOCITIES else 0
    width = 3 + 6 * nv + more
    for row in range(0, count, lanes_of(zero)):
        mine = parameters(tree, par, row)
        read_state(tree, state, row, count, work, zero)
        place(tree, mine, work, zero)
        weigh(tree, mine, work, zero)
        if more > 0:
            for k in range(nv):
                store(work, rates + k * RATE_WORK + QDD, zero)
            move(tree, work, (zero, zero, zero), zero)
            for i in range(integer(tree, BODIES)):
                inertia_rate(tree, mine, work, i, zero)
        composite_inertias(tree, work, zero)
        if more > 0:
            momentum_rates(tree, mine, work, room, zero)
            write_rows(out, width, 3 + 6 * nv, 6 * nv, row, count, work, room, 1, zero)
        momentum_columns(tree, work, zero)
        write_rows(out, width, 0, 3, row, count, work, integer(tree, W_BODY) + INERTIA + 1, 1, zero)
        for k in range(nv):
            write_rows(out, width, 3 + 6 * k, 6, row, count, work, rates + k * RATE_WORK + GAIN, 1, zero)
