"""Forward and hybrid dynamics in O(n): the articulated-body algorithm.

    H u' + c = F + J'Fe   solved for u'   (or, where u' is given, for F)

Base to leaves: poses and velocities. Leaves to base: each body's inertia and bias force (the force of its motion with
zero unknown accelerations, by Newton and Euler), the sums of its children added, then elimination of its joint
(articulated.py). The articulated inertia of a child stored right after its parent stays in registers; at branches, and
where a segment begins (segments.py), it goes through memory. Base to leaves again: accelerations.
"""

from ..scalar.compiling import entry, inner
from ..scalar.memory import integer, lanes_of, load, pointer, store, zero_of
from .articulated import (
    add_articulated,
    add_rigid,
    factorise_joint_rate,
    load_articulated,
    reduce_rate,
    rigid_start,
    store_articulated,
)
from .base import factorise_base, reduce_base
from .bodies import add_wrenches, clear_forces, motion_force, motions, rigid_inertia, weigh_felt
from .descriptions import parameters
from .factors import recover_accelerations
from .kinematics import is_given
from .layout import *  # noqa: F403
from .loose_joints import force_past_joint, hand_nothing, inertia_to_parent, keep_transmitted
from .passive import passive_force, passive_forces
from .prefetching import prefetch_place
from .rows import are_finite, read_rows, read_state, write_rows
from .segments import rests
from .spatial import add6, dot6, load6, store6
from .wheels import eliminate_wheel


@inner
def gather_body(tree, par, work, i, loaded, A, B, C, F, zero):
    """Sum articulated inertia and force of body i: its own, the next body's (in registers), other children's."""
    record, body = integer(tree, BODY_AT) + i * BODY_INTS, integer(tree, W_BODY) + i * BODY_WORK
    weighed = weigh_felt(tree, par, work, i, zero)
    m, h, I = rigid_inertia(weighed, zero)
    own_F = motion_force(work, body, weighed, zero)
    if loaded:
        own_F = add6(own_F, load6(work, body + FORCE, zero))
    if integer(tree, record + FLAGS) & FROM_NEXT:
        A, B, C = add_rigid(m, h, I, A, B, C)
        own_F = add6(own_F, F)
    else:
        A, B, C = rigid_start(m, h, I, zero)
    if integer(tree, record + FLAGS) & FROM_MEMORY:
        A, B, C = add_articulated(work, body + HANDED, A, B, C, zero)
        own_F = add6(own_F, load6(work, body + HANDED_FORCE, zero))
    return A, B, C, own_F


@inner
def accumulate(tree, work, i, record, A, B, C, F, zero):
    """Add articulated inertia and force of body i to what its parent has accumulated in memory."""
    if integer(tree, record + OPENS):
        body = integer(tree, W_BODY) + i * BODY_WORK
        store_articulated(work, body + HANDED, A, B, C)
        store6(work, body + HANDED_FORCE, F)
        inertia_to_parent(tree, work, i, body + HANDED, zero)
        force_past_joint(tree, work, i, body + HANDED_FORCE, zero)
        A, B, C = load_articulated(work, body + HANDED, zero)
        F = load6(work, body + HANDED_FORCE, zero)
    above = integer(tree, W_BODY) + integer(tree, record + PARENT) * BODY_WORK
    if integer(tree, record + FLAGS) & IS_LAST_CHILD == 0:  # this pass reaches the last child first
        A, B, C = add_articulated(work, above + HANDED, A, B, C, zero)
        F = add6(F, load6(work, above + HANDED_FORCE, zero))
    store_articulated(work, above + HANDED, A, B, C)
    store6(work, above + HANDED_FORCE, F)


@inner
def eliminate_bodies(tree, par, work, loaded, prefetch, zero):
    """Leaves to base: factors of all rates and reduced TAU; poses and motion must be known."""
    A = C = F = (zero, zero, zero, zero, zero, zero)
    B = A + (zero, zero, zero)
    for i in range(integer(tree, BODIES) - 1, -1, -1):
        record = integer(tree, BODY_AT) + i * BODY_INTS
        if prefetch:
            prefetch_place(tree, par, i)
        if rests(tree, i):
            hand_nothing(tree, work, i, zero)
            continue
        if integer(tree, record + FLAGS) & IS_WHEEL:
            A, B, C, F = eliminate_wheel(tree, par, work, i, loaded, zero)
        else:
            A, B, C, F = gather_body(tree, par, work, i, loaded, A, B, C, F, zero)
            if i == 0:
                factorise_base(tree, work, A, B, C, zero)
                reduce_base(tree, work, F, zero)
                return
            first = integer(tree, record + RATE)
            for k in range(first + integer(tree, record + RATE_COUNT) - 1, first - 1, -1):
                column = load6(work, integer(tree, W_RATE) + k * RATE_WORK + S, zero)
                A, B, C, _ = factorise_joint_rate(tree, par, work, k, column, A, B, C, zero)
                F = reduce_rate(tree, work, k, dot6(column, F), F, zero)
        if integer(tree, record + FLAGS) & BY_MEMORY:
            accumulate(tree, work, i, record, A, B, C, F, zero)


@inner
def add_passive(tree, par, work, zero):
    """Add the joints' own forces to TAU of the free rates."""
    passive_forces(tree, par, work, True, zero)
    for k in range(integer(tree, RATES)):
        rate = integer(tree, W_RATE) + k * RATE_WORK
        if is_given(tree, k) == 0:
            store(work, rate + TAU, load(work, rate + TAU, zero) + passive_force(tree, work, k, zero))


@inner
def take_passive(tree, work, zero):
    """Take the joints' own forces from TAU of the given rates: their actuators need not give these."""
    for k in range(integer(tree, RATES)):
        rate = integer(tree, W_RATE) + k * RATE_WORK
        if is_given(tree, k) != 0:
            store(work, rate + TAU, load(work, rate + TAU, zero) - passive_force(tree, work, k, zero))


@inner
def solve_dynamics(tree, par, work, loaded, prefetch, zero):
    """QDD of the free rates from TAU, TAU of the given ones from QDD; poses and motion of all bodies must be there.

    `loaded`: whether FORCE of the bodies holds what acts on them, to be added to what their motion takes.
    `prefetch`: whether to prefetch the description of the next pack, if its robots differ (prefetching.py).
    """
    if integer(tree, SEGMENTS) > 0:
        keep_transmitted(tree, work, zero)
    eliminate_bodies(tree, par, work, loaded, prefetch, zero)
    recover_accelerations(tree, par, work, prefetch, zero)


@inner
def forward_dynamics(tree, par, work, options, zero):
    """QDD of the free rates from TAU; TAU of the given ones from QDD (QDD of a free base must come in as zero)."""
    motions(tree, par, work, True, zero)
    if options & LOADED:
        clear_forces(tree, work, zero)
        add_wrenches(tree, par, work, -1.0, zero)
    if options & PASSIVE_FORCES:
        add_passive(tree, par, work, zero)
    solve_dynamics(tree, par, work, options & LOADED, True, zero)
    if options & PASSIVE_FORCES:
        take_passive(tree, work, zero)


@entry
def run(tree, par, work, state, loads, out, count, options, kind):
    """Rows of states (x, u) and loads to rows of accelerations; True if all that is written is finite.

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
    for row in range(0, count, lanes_of(zero)):
        mine = parameters(tree, par, row)
        read_state(tree, state, row, count, work, zero)
        for k in range(base):
            store(work, rate + k * RATE_WORK + TAU, zero)
            store(work, rate + k * RATE_WORK + QDD, zero)
        read_rows(loads, width, 0, joints, row, count, work, rate + base * RATE_WORK + TAU, RATE_WORK, zero)
        read_rows(loads, width, joints, wrenches, row, count, work, integer(tree, W_WRENCH), 1, zero)
        read_rows(loads, width, joints + wrenches, more, row, count, work, rate + QDD, RATE_WORK, zero)
        forward_dynamics(tree, mine, work, options, zero)
        write_rows(out, nv + more, 0, nv, row, count, work, rate + QDD, RATE_WORK, zero)
        write_rows(out, nv + more, nv, more, row, count, work, rate + TAU, RATE_WORK, zero)
    return are_finite(out, count * (nv + more))
