"""Factors of the mass matrix from inertias in memory, and accelerations from the reduced forces.

Inertia and force of a body stored right after its parent stay in registers; those of others go through memory.
"""

from ..scalar.compiling import inner
from ..scalar.memory import integer, load, store
from .articulated import (
    add_articulated,
    add_rigid,
    factorise_joint_rate,
    load_articulated,
    reduce_rate,
    rigid_start,
    settle,
    store_articulated,
)
from .base import factorise_base, recover_base, reduce_base
from .layout import *  # noqa: F403
from .loose_joints import acceleration_from_parent, force_past_joint, inertia_to_parent, keep_transmitted, settle_loose
from .prefetching import prefetch_inertia
from .segments import rests
from .spatial import add6, add_scaled6, dot6, load3, load6, store6


@inner
def articulated_of(tree, work, i, A, B, C, zero):
    """Inertia of body i and articulated inertias of its children: the next body's, in registers, and others'."""
    record, body = integer(tree, BODY_AT) + i * BODY_INTS, integer(tree, W_BODY) + i * BODY_WORK
    m, h = load(work, body + INERTIA, zero), load3(work, body + INERTIA + 1, zero)
    I = load6(work, body + INERTIA + 4, zero)
    if integer(tree, record + FLAGS) & FROM_NEXT:
        A, B, C = add_rigid(m, h, I, A, B, C)
    else:
        A, B, C = rigid_start(m, h, I, zero)
    if integer(tree, record + FLAGS) & FROM_MEMORY:
        A, B, C = add_articulated(work, body + ARTICULATED, A, B, C, zero)
    return A, B, C


@inner
def accumulate_inertia(tree, work, i, A, B, C, zero):
    """Add the articulated inertia of body i to what its parent has accumulated in memory."""
    record, bodies = integer(tree, BODY_AT) + i * BODY_INTS, integer(tree, W_BODY)
    if integer(tree, record + OPENS):
        mine = bodies + i * BODY_WORK + ARTICULATED
        store_articulated(work, mine, A, B, C)
        inertia_to_parent(tree, work, i, mine, zero)
        A, B, C = load_articulated(work, mine, zero)
    above = bodies + integer(tree, record + PARENT) * BODY_WORK + ARTICULATED
    if integer(tree, record + FLAGS) & IS_LAST_CHILD == 0:  # the last child is the first to add to its parent
        A, B, C = add_articulated(work, above, A, B, C, zero)
    store_articulated(work, above, A, B, C)


@inner
def factorise_bodies(tree, par, work, kept, stride, zero):
    """Leaves to base: G, D and 1/D of all rates; rates with given acceleration are not eliminated.

    Articulated inertias go to `kept`, `kept` + `stride`, ... if it is no negative number.
    """
    A = C = (zero, zero, zero, zero, zero, zero)
    B = A + (zero, zero, zero)
    for i in range(integer(tree, BODIES) - 1, -1, -1):
        record = integer(tree, BODY_AT) + i * BODY_INTS
        A, B, C = articulated_of(tree, work, i, A, B, C, zero)
        if kept >= 0:
            store_articulated(work, kept + i * stride, A, B, C)
        if i == 0:
            factorise_base(tree, work, A, B, C, zero)
            return
        first = integer(tree, record + RATE)
        for k in range(first + integer(tree, record + RATE_COUNT) - 1, first - 1, -1):
            rate = integer(tree, W_RATE) + k * RATE_WORK
            column = load6(work, rate + S, zero)
            A, B, C, Dk = factorise_joint_rate(tree, par, work, k, column, A, B, C, zero)
            store(work, rate + D, Dk)
        if integer(tree, record + FLAGS) & BY_MEMORY:
            accumulate_inertia(tree, work, i, A, B, C, zero)


@inner
def accumulate_force(tree, work, i, F, zero):
    """Add what body i's joint transmits to FORCE of its parent."""
    record, bodies = integer(tree, BODY_AT) + i * BODY_INTS, integer(tree, W_BODY)
    if integer(tree, record + OPENS):
        mine = bodies + i * BODY_WORK + FORCE
        store6(work, mine, F)
        force_past_joint(tree, work, i, mine, zero)
        F = load6(work, mine, zero)
    above = bodies + integer(tree, record + PARENT) * BODY_WORK + FORCE
    store6(work, above, add6(load6(work, above, zero), F))


@inner
def reduce_bodies(tree, work, zero):
    """Leaves to base: reduce TAU of rates by FORCE and by the rates further out."""
    if integer(tree, SEGMENTS) > 0:
        keep_transmitted(tree, work, zero)
    F = (zero, zero, zero, zero, zero, zero)
    for i in range(integer(tree, BODIES) - 1, -1, -1):
        record, own = integer(tree, BODY_AT) + i * BODY_INTS, integer(tree, W_BODY) + i * BODY_WORK + FORCE
        if integer(tree, record + FLAGS) & FROM_NEXT:
            F = add6(F, load6(work, own, zero))
        else:
            F = load6(work, own, zero)
        if i == 0:
            reduce_base(tree, work, F, zero)
            return
        first = integer(tree, record + RATE)
        for k in range(first + integer(tree, record + RATE_COUNT) - 1, first - 1, -1):
            column = load6(work, integer(tree, W_RATE) + k * RATE_WORK + S, zero)
            F = reduce_rate(tree, work, k, dot6(column, F), F, zero)
        if integer(tree, record + FLAGS) & BY_MEMORY:
            accumulate_force(tree, work, i, F, zero)


@inner
def recover_accelerations(tree, par, work, prefetch, zero):
    """Base to leaves: QDD of the free rates; TAU of those whose acceleration is given. ACCELERATION is not kept.

    `prefetch`: as in `solve_dynamics`.
    """
    bodies, rates = integer(tree, W_BODY), integer(tree, W_RATE)
    a = recover_base(tree, par, work, zero)
    store6(work, bodies + ACCELERATION, a)
    for i in range(1, integer(tree, BODIES)):
        record = integer(tree, BODY_AT) + i * BODY_INTS
        if prefetch:
            prefetch_inertia(tree, par, i)
        if rests(tree, i):
            continue
        if integer(tree, record + FLAGS) & BY_MEMORY:
            source = integer(tree, record + PARENT)
            if integer(tree, record + OPENS):
                acceleration_from_parent(tree, work, i, zero)
                source = i
            a = load6(work, bodies + source * BODY_WORK + ACCELERATION, zero)
        first = integer(tree, record + RATE)
        for k in range(first, first + integer(tree, record + RATE_COUNT)):
            rate = rates + k * RATE_WORK
            qdd = settle(tree, par, work, k, dot6(load6(work, rate + GAIN, zero), a), zero)
            a = add_scaled6(a, qdd, load6(work, rate + S, zero))
        if integer(tree, record + FLAGS) & FROM_MEMORY:
            store6(work, bodies + i * BODY_WORK + ACCELERATION, a)  # for children that are not stored next
    if integer(tree, SEGMENTS) > 0:
        settle_loose(tree, work, zero)


@inner
def solve_in_place(tree, par, work, zero):
    """QDD of the free rates from TAU, with INERTIA and FORCE of all bodies in memory."""
    factorise_bodies(tree, par, work, -1, 0, zero)
    reduce_bodies(tree, work, zero)
    recover_accelerations(tree, par, work, False, zero)
