"""Inverse dynamics by the recursive Newton-Euler algorithm: forces that a given motion takes, in O(n).

    F = H u' + c - J'Fe

Leaves to base, each body adds its accumulated force to its parent's. Featherstone (2008), ch. 5. In SpaceDyn's
(3.30)-(3.39) the endpoint wrench must count negative, gravity enter as a - g, and the base's inertia force be added.
"""

from ..scalar.compiling import entry, inner
from ..scalar.memory import integer, lanes_of, load, pointer, shared, store, zero_of
from .bodies import add_wrenches, motion_forces
from .descriptions import parameters
from .kinematics import base_axis
from .layout import *  # noqa: F403
from .passive import passive_force, passive_forces
from .rows import are_finite, read_rows, read_state, write_rows
from .segments import force_to_parent
from .spatial import add6, angular, cross, dot6, linear, load3, load6, pick, store6, sub3


@inner
def gather_forces(tree, par, work, zero):
    """Sum FORCE from the leaves to the base; the generalized force of every rate into its TAU."""
    bodies, rates = integer(tree, W_BODY), integer(tree, W_RATE)
    for i in range(integer(tree, BODIES) - 1, -1, -1):
        record = integer(tree, BODY_AT) + i * BODY_INTS
        F = load6(work, bodies + i * BODY_WORK + FORCE, zero)
        first = integer(tree, record + RATE)
        for k in range(first, first + integer(tree, record + RATE_COUNT)):
            rate = rates + k * RATE_WORK
            rotor = shared(par, integer(tree, PAR_ROTOR) + k, zero)
            needed = pick(F, base_axis(tree, k)) if i == 0 else dot6(load6(work, rate + S, zero), F)
            store(work, rate + TAU, needed + rotor * load(work, rate + QDD, zero))
        if i > 0:
            above = bodies + integer(tree, record + PARENT) * BODY_WORK + FORCE
            store6(work, above, add6(load6(work, above, zero), force_to_parent(tree, work, i, F, zero)))


@inner
def inverse_dynamics(tree, par, work, options, zero):
    """TAU of all rates for the QDD, coordinates and rates in `work`; FORCE becomes what each joint transmits."""
    motion_forces(tree, par, work, False, zero)
    if options & LOADED:
        add_wrenches(tree, par, work, -1.0, zero)
    gather_forces(tree, par, work, zero)
    if options & PASSIVE_FORCES:
        passive_forces(tree, par, work, True, zero)
        for k in range(integer(tree, RATES)):
            rate = integer(tree, W_RATE) + k * RATE_WORK
            store(work, rate + TAU, load(work, rate + TAU, zero) - passive_force(tree, work, k, zero))


@entry
def run(tree, par, work, state, loads, out, count, options, kind):
    """Rows of states and loads to rows of generalized forces; True if all of them are finite.

    A row of `loads` has accelerations, then wrenches (option LOADED). With REACTIONS, joints' wrenches about their
    bodies' frames follow the forces, in the kernels' order.
    """
    tree, par, work = pointer(tree), pointer(par), pointer(work)
    state, loads, out = pointer(state), pointer(loads), pointer(out)
    zero = zero_of(kind)
    bodies, nv, rate = integer(tree, BODIES), integer(tree, RATES), integer(tree, W_RATE)
    wrenches = 6 * (integer(tree, ENDPOINTS) + 1) if options & LOADED else 0
    width = nv + 6 * bodies if options & REACTIONS else nv
    for row in range(0, count, lanes_of(zero)):
        mine = parameters(tree, par, row)
        read_state(tree, state, row, count, work, zero)
        read_rows(loads, nv + wrenches, 0, nv, row, count, work, rate + QDD, RATE_WORK, zero)
        read_rows(loads, nv + wrenches, nv, wrenches, row, count, work, integer(tree, W_WRENCH), 1, zero)
        inverse_dynamics(tree, mine, work, options, zero)
        write_rows(out, width, 0, nv, row, count, work, rate + TAU, RATE_WORK, zero)
        if options & REACTIONS:
            for i in range(bodies):
                body = integer(tree, W_BODY) + i * BODY_WORK
                F, p = load6(work, body + FORCE, zero), load3(work, body + POSITION, zero)
                store6(work, body + FORCE, linear(F) + sub3(angular(F), cross(p, linear(F))))
                write_rows(out, width, nv + 6 * i, 6, row, count, work, body + FORCE, 1, zero)
    return are_finite(out, count * width)
