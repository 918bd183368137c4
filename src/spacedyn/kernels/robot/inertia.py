"""Mass matrix H(x) by the composite-rigid-body algorithm.

    kinetic energy = 1/2 u.H u,  u = (v0, w0, qd),  H = [Hb Hbm; Hbm' Hm]

About one point, in inertial axes, the recursion needs no change of frame: a child just adds to its parent, after a
change of the point if it opens a segment. Featherstone (2008), ch. 6; SpaceDyn (3.19)-(3.23), whose H_bm wants sum(m J)
without the division by w.
"""

from ..scalar.compiling import entry, inner
from ..scalar.lanes import directions_in
from ..scalar.memory import integer, lanes_of, load, pointer, shared, store, zero_of
from .bodies import momentum_of, weigh
from .descriptions import parameters
from .kinematics import base_axis, place
from .layout import *  # noqa: F403
from .rows import clear_matrix, read_state, write_rows
from .segments import (
    add_composite,
    force_about_base,
    opens_segment,
    rate_before,
    segment_before,
    segment_of_rate,
    segment_work,
    shift_force,
)
from .spatial import dot6, load3, load6, pick, store6, store_column6


@inner
def composite_inertias(tree, work, zero):
    """INERTIA of every body becomes that of the body and all it carries, as if their joints were locked."""
    bodies = integer(tree, W_BODY)
    for i in range(integer(tree, BODIES) - 1, 0, -1):
        body = bodies + i * BODY_WORK + INERTIA
        above = bodies + integer(tree, integer(tree, BODY_AT) + i * BODY_INTS + PARENT) * BODY_WORK + INERTIA
        if opens_segment(tree, i):
            add_composite(tree, work, i, zero)
        else:
            for j in range(10):
                store(work, above + j, load(work, above + j, zero) + load(work, body + j, zero))


@inner
def momentum_columns(tree, work, zero):
    """GAIN of every rate becomes the momentum of the whole robot per unit of it, (P; L) about its reference point."""
    for k in range(integer(tree, RATES)):
        body = integer(tree, W_BODY) + integer(tree, integer(tree, RATE_AT) + k * RATE_INTS + RATE_BODY) * BODY_WORK
        rate = integer(tree, W_RATE) + k * RATE_WORK
        store6(work, rate + GAIN, momentum_of(work, body, load6(work, rate + S, zero), zero))


@inner
def columns_about_base(tree, work, zero):
    """GAIN of every rate, a momentum about its segment's reference point, about the base's centre of mass."""
    for k in range(integer(tree, RATES)):
        i = integer(tree, integer(tree, RATE_AT) + k * RATE_INTS + RATE_BODY)
        gain = integer(tree, W_RATE) + k * RATE_WORK + GAIN
        store6(work, gain, force_about_base(tree, work, i, load6(work, gain, zero), zero))


@inner
def base_entries(tree, matrix, H, k, momentum):
    """Row and column k where they meet the base's rates, whose columns S are unit vectors."""
    nv = integer(tree, RATES)
    if integer(tree, BASE) == BASE_FREE:
        store6(matrix, H + k * nv, momentum)
        store_column6(matrix, H + k, nv, momentum)
        return
    for j in range(integer(tree, BASE_RATES)):
        value = pick(momentum, base_axis(tree, j))
        store(matrix, H + k * nv + j, value)
        store(matrix, H + j * nv + k, value)


@inner
def momentum_before(tree, work, s, momentum, zero):
    """A momentum of segment s, about the reference point of the one before."""
    return shift_force(momentum, load3(work, segment_work(tree, s) + LEVER, zero))


@inner
def rate_entries(tree, work, matrix, H, k, zero):
    """Row and column k of a joint's rate, as far as the rates between it and the base; its GAIN about the base."""
    nv, rates = integer(tree, RATES), integer(tree, W_RATE)
    momentum = load6(work, rates + k * RATE_WORK + GAIN, zero)
    j, s = k, segment_of_rate(tree, k)
    while True:
        last = rate_before(tree, s)
        while j != last:
            entry_kj = dot6(load6(work, rates + j * RATE_WORK + S, zero), momentum)
            store(matrix, H + k * nv + j, entry_kj)
            store(matrix, H + j * nv + k, entry_kj)
            j = integer(tree, integer(tree, RATE_AT) + j * RATE_INTS + RATE_PARENT)
        if s == 0:
            return momentum
        momentum, s = momentum_before(tree, work, s, momentum, zero), segment_before(tree, s)


@inner
def mass_matrix(tree, par, work, matrix, H, zero):
    """The mass matrix, row by row, into the scalars of `matrix` from H on."""
    nv, base = integer(tree, RATES), integer(tree, BASE_RATES)
    clear_matrix(tree, matrix, H, zero)
    for k in range(nv):
        if k < base:
            momentum = load6(work, integer(tree, W_RATE) + k * RATE_WORK + GAIN, zero)
        else:  # only rates between this body and the base are coupled
            momentum = rate_entries(tree, work, matrix, H, k, zero)
        base_entries(tree, matrix, H, k, momentum)
        rotor = shared(par, integer(tree, PAR_ROTOR) + k, zero)
        store(matrix, H + k * nv + k, load(matrix, H + k * nv + k, zero) + rotor)


@entry
def run(tree, par, work, state, out, count, kind):
    """Rows of states to rows of mass matrices."""
    tree, par, work, state, out = pointer(tree), pointer(par), pointer(work), pointer(state), pointer(out)
    zero = zero_of(kind)
    nv, alone = integer(tree, RATES), lanes_of(zero) == 1 and directions_in(zero) == 0
    matrix = out if alone else work  # one robot's row is its matrix
    for row in range(0, count, lanes_of(zero)):
        mine = parameters(tree, par, row)
        read_state(tree, state, row, count, work, zero)
        place(tree, mine, work, zero)
        weigh(tree, mine, work, zero)
        composite_inertias(tree, work, zero)
        momentum_columns(tree, work, zero)
        H = row * nv * nv if alone else integer(tree, W_OUT)
        mass_matrix(tree, mine, work, matrix, H, zero)
        if not alone:
            write_rows(out, nv * nv, 0, nv * nv, row, count, work, H, 1, zero)
