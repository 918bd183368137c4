"""Spatial operators of a tree, applied to vectors in O(n), with the quantities that forward dynamics leaves behind.

    mass matrix = H phi M phi' H' + rotors = (1 + H phi K) D (1 + H phi K)' = W d W'

A joint of several rates is eliminated one rate after the other, so W is unit triangular and d diagonal; within a body
D = L d L', and W = (1 + H phi K) L. A product of operators is a row of steps: see sweeps.py.
Rodriguez, Jain & Kreutz-Delgado (1992); Tian & Wu (13)-(20), whose K is not block diagonal.
"""

from ..scalar.compiling import entry, inner
from ..scalar.memory import integer, lanes_of, later, pointer, store, zero_of
from .bodies import add_wrenches, motion_forces, weigh
from .descriptions import parameters
from .factors import factorise_bodies
from .kinematics import place
from .layout import *  # noqa: F403
from .rows import read_rows, read_state, write_rows
from .segments import force_about_base, shift_force
from .spatial import add3, load3, load6, load9, scale3, shared3, store3, store6, turn
from .sweeps import *  # noqa: F403

ABOUT_BASE = 1024  # an option of `forces`


@inner
def take(tree, par, work, vec, step, zero):
    """One step."""
    if step == JOINTS:
        joints(tree, work, vec, zero)
    elif step == JOINTS + 1:
        joints_transpose(tree, work, vec, zero)
    elif step == PHI:
        phi(tree, work, vec, zero)
    elif step == PHI + 1:
        phi_transpose(tree, work, vec, zero)
    elif step == SHIFT:
        shift(tree, work, vec, zero)
    elif step == SHIFT + 1:
        shift_transpose(tree, work, vec, zero)
    elif step == PSI:
        psi(tree, work, vec, zero)
    elif step == PSI + 1:
        psi_transpose(tree, work, vec, zero)
    elif step == GAINS + 1:
        gains_transpose(tree, work, vec, zero)
    elif step == ENDS:
        ends(tree, work, vec, zero)
    elif step == ENDS + 1:
        ends_transpose(tree, work, vec, zero)
    elif step < FROM_BODY:
        across = (
            1 if step == FACTOR or step == FACTOR + 1 or step == FACTOR_INVERSE or step == FACTOR_INVERSE + 1 else 0
        )
        sign = 1.0 if step == FACTOR or step == FACTOR + 1 or step == WITHIN or step == WITHIN + 1 else -1.0
        if step % 2 == 0:  # G is what L^-1 leaves with the bodies
            factor(tree, work, vec, across, sign, zero)
        else:
            factor_transpose(tree, work, vec, across, sign, zero)
    elif step < ARTICULATED_INERTIA:
        if step % 2 == 0:
            move_forces(tree, work, vec, step, zero)
        else:
            move_motions(tree, work, vec, step, zero)
    elif step == MASS:
        mass(tree, par, work, vec, zero)
    elif step < MASS:
        inertias(tree, work, vec, 1 if step == ARTICULATED_INERTIA else 0, zero)
    else:
        scale_rates(tree, par, work, vec, step, zero)


@inner
def keep_places(tree, par, work, zero):
    """Where bodies and endpoints are, from their reference points: the factors take the place of the poses."""
    bodies, room = integer(tree, W_BODY), integer(tree, W_OUT)
    for i in range(integer(tree, BODIES)):
        store3(work, room + i * KEPT + KEPT_PLACE, load3(work, bodies + i * BODY_WORK + POSITION, zero))
    for e in range(integer(tree, ENDPOINTS)):
        body = bodies + integer(tree, integer(tree, ENDPOINT_AT) + e) * BODY_WORK
        at = turn(
            load9(work, body + ROTATION, zero), shared3(par, integer(tree, PAR_ENDPOINT) + e * ENDPOINT_PARS, zero)
        )
        store3(work, room + integer(tree, BODIES) * KEPT + 3 * e, add3(load3(work, body + POSITION, zero), at))


@entry
def factorise(tree, par, work, state, count, stride, kind):
    """Rows of states to what operators read, `stride` scalars of `work` for each pack of them."""
    tree, par, memory, state = pointer(tree), pointer(par), pointer(work), pointer(state)
    zero = zero_of(kind)
    for row in range(0, count, lanes_of(zero)):
        mine = parameters(tree, par, row)
        work = later(memory, row * stride)
        read_state(tree, state, row, count, work, zero)
        place(tree, mine, work, zero)
        keep_places(tree, mine, work, zero)
        weigh(tree, mine, work, zero)
        factorise_bodies(tree, mine, work, integer(tree, W_OUT) + KEPT_INERTIA, KEPT, zero)


@entry
def run(tree, par, work, steps, vec, vectors, out, count, many, stride, kind):
    """Rows of `many` vectors each, to rows of as many products.

    `steps`: where the vector comes in and how long it is, where it goes out and how long, then the steps, in the order
    in which they are taken. `vec` is room for the vector that the steps change.
    """
    last = steps.size
    tree, par, memory, steps, vec = pointer(tree), pointer(par), pointer(work), pointer(steps), pointer(vec)
    vectors, out = pointer(vectors), pointer(out)
    zero = zero_of(kind)
    start, n, stop, m = integer(steps, 0), integer(steps, 1), integer(steps, 2), integer(steps, 3)
    for row in range(0, count, lanes_of(zero)):
        mine = parameters(tree, par, row)
        work = later(memory, row * stride)
        for j in range(many):
            read_rows(vectors, many * n, j * n, n, row, count, vec, start, 1, zero)
            for s in range(4, last):
                take(tree, mine, work, vec, integer(steps, s), zero)
            write_rows(out, many * m, j * m, m, row, count, vec, stop, 1, zero)


@entry
def forces(tree, par, work, state, wrenches, out, count, options, kind):
    """Rows of states and wrenches to the forces that each body's motion takes if no rate changes, less the wrenches.

    At the bodies' own points, or, with the option ABOUT_BASE, at the base's centre of mass; gravity counts as an
    acceleration by -g. In the kernels' order of bodies.
    """
    tree, par, work, state = pointer(tree), pointer(par), pointer(work), pointer(state)
    wrenches, out = pointer(wrenches), pointer(out)
    zero = zero_of(kind)
    bodies, width = integer(tree, BODIES), 6 * (integer(tree, ENDPOINTS) + 1) if options & LOADED else 0
    for row in range(0, count, lanes_of(zero)):
        mine = parameters(tree, par, row)
        read_state(tree, state, row, count, work, zero)
        read_rows(wrenches, width, 0, width, row, count, work, integer(tree, W_WRENCH), 1, zero)
        for k in range(integer(tree, RATES)):
            store(work, rate_at(tree, k) + QDD, zero)
        motion_forces(tree, mine, work, False, zero)
        if options & LOADED:
            add_wrenches(tree, mine, work, -1.0, zero)
        for i in range(bodies):
            body = integer(tree, W_BODY) + i * BODY_WORK
            F, p = load6(work, body + FORCE, zero), load3(work, body + POSITION, zero)
            if options & ABOUT_BASE:
                F = force_about_base(tree, work, i, F, zero)
            else:
                F = shift_force(F, scale3(-1.0, p))
            store6(work, body + FORCE, F)
            write_rows(out, 6 * bodies, 6 * i, 6, row, count, work, body + FORCE, 1, zero)
