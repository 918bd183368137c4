"""The factors of the mass matrix, body by body, with inertias in memory; and accelerations from what they leave."""

from ..scalar.compiling import inner
from ..scalar.memory import integer, load
from .articulated import (
    add_articulated,
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
from .spatial import add6, add_scaled6, dot6, load3, load6, store6


@inner
def articulated_start(tree, work, record, body, zero):
    """A body's own inertia and the articulated inertias of its children."""
    A, B, C = rigid_start(
        load(work, body + INERTIA, zero),
        load3(work, body + INERTIA + 1, zero),
        load6(work, body + INERTIA + 4, zero),
        zero,
    )
    if integer(tree, record + HAS_CHILDREN):
        A, B, C = add_articulated(work, body + ARTICULATED, A, B, C, zero)
    return A, B, C


@inner
def factorise_body(tree, par, work, i, zero):
    """G, D and 1/D of body i's rates; those whose acceleration is given are left in the articulated inertia."""
    record, bodies = integer(tree, BODY_AT) + i * BODY_INTS, integer(tree, W_BODY)
    A, B, C = articulated_start(tree, work, record, bodies + i * BODY_WORK, zero)
    if i == 0:
        factorise_base(tree, work, A, B, C, zero)
        return
    first = integer(tree, record + RATE)
    for k in range(first + integer(tree, record + RATE_COUNT) - 1, first - 1, -1):
        column = load6(work, integer(tree, W_RATE) + k * RATE_WORK + S, zero)
        A, B, C = factorise_joint_rate(tree, par, work, k, column, A, B, C, zero)
    if integer(tree, record + OPENS):
        mine = bodies + i * BODY_WORK + ARTICULATED
        store_articulated(work, mine, A, B, C)
        inertia_to_parent(tree, work, i, mine, zero)
        A, B, C = load_articulated(work, mine, zero)
    above = bodies + integer(tree, record + PARENT) * BODY_WORK + ARTICULATED
    if integer(tree, record + IS_LAST_CHILD) == 0:  # the last child is the first to add to its parent
        A, B, C = add_articulated(work, above, A, B, C, zero)
    store_articulated(work, above, A, B, C)


@inner
def reduce_body(tree, work, i, zero):
    """TAU of body i's rates becomes what is left after FORCE and the rates further out have taken theirs."""
    record = integer(tree, BODY_AT) + i * BODY_INTS
    bodies, rates = integer(tree, W_BODY), integer(tree, W_RATE)
    F = load6(work, bodies + i * BODY_WORK + FORCE, zero)
    if i == 0:
        reduce_base(tree, work, F, zero)
        return
    first = integer(tree, record + RATE)
    for k in range(first + integer(tree, record + RATE_COUNT) - 1, first - 1, -1):
        F = reduce_rate(tree, work, k, dot6(load6(work, rates + k * RATE_WORK + S, zero), F), F, zero)
    if integer(tree, record + OPENS):
        mine = bodies + i * BODY_WORK + FORCE
        store6(work, mine, F)
        force_past_joint(tree, work, i, mine, zero)
        F = load6(work, mine, zero)
    above = bodies + integer(tree, record + PARENT) * BODY_WORK + FORCE
    store6(work, above, add6(load6(work, above, zero), F))


@inner
def reduce_bodies(tree, work, zero):
    """The same for all bodies, leaves to base."""
    if integer(tree, SEGMENTS) > 0:
        keep_transmitted(tree, work, zero)
    for i in range(integer(tree, BODIES) - 1, -1, -1):
        reduce_body(tree, work, i, zero)


@inner
def recover_accelerations(tree, par, work, zero):
    """Base to leaves: QDD of the free rates; TAU of those whose acceleration is given. ACCELERATION is not kept."""
    bodies, rates = integer(tree, W_BODY), integer(tree, W_RATE)
    a = recover_base(tree, par, work, zero)
    store6(work, bodies + ACCELERATION, a)
    for i in range(1, integer(tree, BODIES)):
        record = integer(tree, BODY_AT) + i * BODY_INTS
        if integer(tree, record + BY_MEMORY):
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
        if integer(tree, record + FROM_MEMORY):
            store6(work, bodies + i * BODY_WORK + ACCELERATION, a)  # for children that do not come next
    if integer(tree, SEGMENTS) > 0:
        settle_loose(tree, work, zero)


@inner
def solve_in_place(tree, par, work, zero):
    """QDD of the free rates from TAU, with INERTIA and FORCE of all bodies in memory."""
    for i in range(integer(tree, BODIES) - 1, -1, -1):
        factorise_body(tree, par, work, i, zero)
    reduce_bodies(tree, work, zero)
    recover_accelerations(tree, par, work, zero)
