"""The steps that products of spatial operators are made of, each one sweep over the tree.

    phi: forces of all bodies add up towards the base; phi': velocities towards the leaves
    psi: the same, past joints that are free to move;  E_psi = E_phi (1 - G H),  psi = (1 - E_psi)^-1,  K = E_phi G

In inertial axes about one point, phi(parent, child) is the identity; where a segment begins, it changes the point.
A step changes the vector `vec` in place, which has a part for all bodies (6 each), one for all rates, and one
for all endpoints (6 each); then spare room for all bodies (6 each).
"""

from ..scalar.compiling import inner, rare
from ..scalar.memory import integer, load, shared, store
from ..scalar.pack import sqrt
from .articulated import apply_articulated
from .bodies import momentum_of
from .layout import *  # noqa: F403
from .loose_joints import is_loose, loose_force, loose_rates
from .segments import force_to_parent, motion_from_parent, origin_of, shift_force, shift_motion
from .spatial import add3, add6, add_scaled6, angular, cross, dot6, linear, load3, load6, load9, pick, scale3, store6

# what is kept of a body behind W_OUT: where it is, and its articulated inertia; then the places of the endpoints
KEPT_PLACE, KEPT_INERTIA, KEPT = 0, 3, 24
# steps: H, phi, E_phi, psi, G, W, W^-1, L, L^-1, B and their transposes, which follow them
JOINTS, PHI, SHIFT, PSI, GAINS, FACTOR, FACTOR_INVERSE, WITHIN, WITHIN_INVERSE, ENDS = range(0, 20, 2)
# force at the body's own point -> about its reference point, and back; the same from and to the base's centre of mass;
# the transposes do it to motions
FROM_BODY, TO_BODY, FROM_BASE, TO_BASE = range(20, 28, 2)
# symmetric ones: P, M, the mass matrix; times d, 1/d, sqrt(d), 1/sqrt(d), rotors
ARTICULATED_INERTIA, RIGID_INERTIA, MASS, TIMES, OVER, TIMES_ROOT, OVER_ROOT, ROTORS = range(28, 36)


@inner
def first_and_last(tree, i):
    """Body i's rates: the first, and the one behind the last."""
    record = integer(tree, BODY_AT) + i * BODY_INTS
    first = integer(tree, record + RATE)
    return first, first + integer(tree, record + RATE_COUNT)


@inner
def parent_of(tree, i):
    return integer(tree, integer(tree, BODY_AT) + i * BODY_INTS + PARENT)


@inner
def rate_at(tree, k):
    return integer(tree, W_RATE) + k * RATE_WORK


@inner
def spare_room(tree, i):
    """Where the spare room of body i is in `vec`."""
    return 6 * (integer(tree, BODIES) + integer(tree, ENDPOINTS) + i) + integer(tree, RATES)


@inner
def clear_bodies(tree, vec, zero):
    for i in range(integer(tree, BODIES)):
        store6(vec, 6 * i, (zero, zero, zero, zero, zero, zero))


@inner
def joints(tree, work, vec, zero):
    """H: the generalized force of each rate from its body's force."""
    for i in range(integer(tree, BODIES)):
        first, last = first_and_last(tree, i)
        F = load6(vec, 6 * i, zero)
        for k in range(first, last):
            store(vec, 6 * integer(tree, BODIES) + k, dot6(load6(work, rate_at(tree, k) + S, zero), F))


@inner
def joints_transpose(tree, work, vec, zero):
    """H': each body's motion relative to its parent."""
    for i in range(integer(tree, BODIES)):
        first, last = first_and_last(tree, i)
        V = (zero, zero, zero, zero, zero, zero)
        for k in range(first, last):
            rate = load(vec, 6 * integer(tree, BODIES) + k, zero)
            V = add_scaled6(V, rate, load6(work, rate_at(tree, k) + S, zero))
        store6(vec, 6 * i, V)


@inner
def add_to_parent(tree, work, vec, i, F, zero):
    """Add a force on body i to its parent's."""
    above = 6 * parent_of(tree, i)
    store6(vec, above, add6(load6(vec, above, zero), force_to_parent(tree, work, i, F, zero)))


@inner
def of_parent(tree, work, vec, i, zero):
    """The motion of body i's parent, about body i's reference point."""
    return motion_from_parent(tree, work, i, load6(vec, 6 * parent_of(tree, i), zero), zero)


@inner
def phi(tree, work, vec, zero):
    """Leaves to base: each body adds its accumulated force to its parent's."""
    for i in range(integer(tree, BODIES) - 1, 0, -1):
        add_to_parent(tree, work, vec, i, load6(vec, 6 * i, zero), zero)


@inner
def phi_transpose(tree, work, vec, zero):
    for i in range(1, integer(tree, BODIES)):
        store6(vec, 6 * i, add6(load6(vec, 6 * i, zero), of_parent(tree, work, vec, i, zero)))


@inner
def shift(tree, work, vec, zero):
    """E_phi: each body adds its own force to its parent's, once."""
    F = (zero, zero, zero, zero, zero, zero)
    store6(vec, 0, F)
    for i in range(1, integer(tree, BODIES)):
        add_to_parent(tree, work, vec, i, load6(vec, 6 * i, zero), zero)
        store6(vec, 6 * i, F)


@inner
def shift_transpose(tree, work, vec, zero):
    for i in range(integer(tree, BODIES) - 1, 0, -1):
        store6(vec, 6 * i, of_parent(tree, work, vec, i, zero))
    store6(vec, 0, (zero, zero, zero, zero, zero, zero))


@inner
def psi(tree, work, vec, zero):
    """Leaves to base: each body adds the force that its joint transmits, (1 - G H) of its own, to its parent's."""
    for i in range(integer(tree, BODIES) - 1, 0, -1):
        first, last = first_and_last(tree, i)
        F = load6(vec, 6 * i, zero)
        for k in range(last - 1, first - 1, -1):
            rate = rate_at(tree, k)
            F = add_scaled6(F, -dot6(load6(work, rate + S, zero), F), load6(work, rate + GAIN, zero))
        if not is_loose(tree, i):
            add_to_parent(tree, work, vec, i, F, zero)


@inner
def psi_transpose(tree, work, vec, zero):
    for i in range(1, integer(tree, BODIES)):
        if is_loose(tree, i):
            continue
        first, last = first_and_last(tree, i)
        a = of_parent(tree, work, vec, i, zero)
        for k in range(first, last):
            rate = rate_at(tree, k)
            a = add_scaled6(a, -dot6(load6(work, rate + GAIN, zero), a), load6(work, rate + S, zero))
        store6(vec, 6 * i, add6(load6(vec, 6 * i, zero), a))


@rare
def keep_loose_force(tree, work, vec, i, zero):
    """Into the spare room of body i: what its loose joint transmits, about its parent's reference point.

    It follows from the joint's own forces alone. Like all that concerns loose joints it goes through memory: what is
    held in registers for them would slow down all other bodies.
    """
    first, _ = first_and_last(tree, i)
    F = loose_force(tree, work, i, load6(vec, 6 * integer(tree, BODIES) + first, zero), zero)
    store6(vec, spare_room(tree, i), force_to_parent(tree, work, i, F, zero))


@rare
def part_loose_rates(tree, work, vec, i, zero):
    """Take from the rates of body i, whose joint is loose, those that are its parent's motion."""
    first, _ = first_and_last(tree, i)
    mine = 6 * integer(tree, BODIES) + first
    rates = loose_rates(tree, work, i, of_parent(tree, work, vec, i, zero), zero)
    for k in range(6):
        store(vec, mine + k, load(vec, mine + k, zero) - pick(rates, k))


@inner
def factor(tree, work, vec, across, sign, zero):
    """W (sign 1) or its inverse (-1); L, and what G gives each body, if nothing crosses joints."""
    for i in range(integer(tree, BODIES) - 1, -1, -1):
        record = integer(tree, BODY_AT) + i * BODY_INTS
        first, last = first_and_last(tree, i)
        F = (zero, zero, zero, zero, zero, zero)
        if across != 0 and integer(tree, record + FLAGS) & HAS_CHILDREN != 0:
            F = load6(vec, 6 * i, zero)
        loose = across != 0 and sign < 0.0 and is_loose(tree, i)
        if loose:
            keep_loose_force(tree, work, vec, i, zero)
        for k in range(last - 1, first - 1, -1):
            rate, mine = rate_at(tree, k), 6 * integer(tree, BODIES) + k
            x = load(vec, mine, zero)
            y = x + sign * dot6(load6(work, rate + S, zero), F)
            store(vec, mine, y)
            F = add_scaled6(F, x if sign > 0.0 else y, load6(work, rate + GAIN, zero))
        if across == 0:
            store6(vec, 6 * i, F)
        elif i > 0:
            F = force_to_parent(tree, work, i, F, zero)
            if loose:
                F = load6(vec, spare_room(tree, i), zero)
            above = 6 * integer(tree, record + PARENT)
            if integer(tree, record + FLAGS) & IS_LAST_CHILD == 0:  # the last child is the first to add to its parent
                F = add6(F, load6(vec, above, zero))
            store6(vec, above, F)


@inner
def factor_transpose(tree, work, vec, across, sign, zero):
    for i in range(integer(tree, BODIES)):
        record = integer(tree, BODY_AT) + i * BODY_INTS
        first, last = first_and_last(tree, i)
        a = (zero, zero, zero, zero, zero, zero)
        loose = across != 0 and sign < 0.0 and is_loose(tree, i)
        if across != 0 and i > 0 and not loose:
            a = of_parent(tree, work, vec, i, zero)
        for k in range(first, last):
            rate, mine = rate_at(tree, k), 6 * integer(tree, BODIES) + k
            x = load(vec, mine, zero)
            y = x + sign * dot6(load6(work, rate + GAIN, zero), a)
            store(vec, mine, y)
            a = add_scaled6(a, x if sign > 0.0 else y, load6(work, rate + S, zero))
        if loose:
            part_loose_rates(tree, work, vec, i, zero)
        if integer(tree, record + FLAGS) & HAS_CHILDREN != 0:
            store6(vec, 6 * i, a)


@inner
def gains_transpose(tree, work, vec, zero):
    """G': the rates with which free joints yield to a motion of their bodies."""
    for i in range(integer(tree, BODIES)):
        first, last = first_and_last(tree, i)
        a = load6(vec, 6 * i, zero)
        for k in range(first, last):
            rate = rate_at(tree, k)
            given = dot6(load6(work, rate + GAIN, zero), a)
            store(vec, 6 * integer(tree, BODIES) + k, given)
            a = add_scaled6(a, -given, load6(work, rate + S, zero))


@inner
def ends(tree, work, vec, zero):
    """B: wrenches at the endpoints, as forces on their bodies."""
    bodies = integer(tree, BODIES)
    clear_bodies(tree, vec, zero)
    for e in range(integer(tree, ENDPOINTS)):
        at = 6 * integer(tree, integer(tree, ENDPOINT_AT) + e)
        f = load6(vec, 6 * bodies + integer(tree, RATES) + 6 * e, zero)
        r = load3(work, integer(tree, W_OUT) + bodies * KEPT + 3 * e, zero)
        about = linear(f) + add3(angular(f), cross(r, linear(f)))
        store6(vec, at, add6(load6(vec, at, zero), about))


@inner
def ends_transpose(tree, work, vec, zero):
    """B': motions of the endpoints from those of their bodies."""
    bodies = integer(tree, BODIES)
    for e in range(integer(tree, ENDPOINTS)):
        V = load6(vec, 6 * integer(tree, integer(tree, ENDPOINT_AT) + e), zero)
        r = load3(work, integer(tree, W_OUT) + bodies * KEPT + 3 * e, zero)
        moved = add3(linear(V), cross(angular(V), r)) + angular(V)
        store6(vec, 6 * bodies + integer(tree, RATES) + 6 * e, moved)


@inner
def step_lever(tree, work, step, i, zero):
    """From the reference point of body i to the body's own, or to the base's centre of mass; or the other way."""
    if step < FROM_BASE:
        r = load3(work, integer(tree, W_OUT) + i * KEPT + KEPT_PLACE, zero)
        return scale3(1.0 if step < TO_BODY else -1.0, r)
    return scale3(-1.0 if step < TO_BASE else 1.0, origin_of(tree, work, i, zero))


@inner
def move_forces(tree, work, vec, step, zero):
    """Forces at the bodies' own points, or at the base's centre of mass, about their reference points; or back."""
    for i in range(integer(tree, BODIES)):
        store6(vec, 6 * i, shift_force(load6(vec, 6 * i, zero), step_lever(tree, work, step, i, zero)))


@inner
def move_motions(tree, work, vec, step, zero):
    """The transpose: motions of the bodies' reference points, at their own points or the base's centre; or back."""
    for i in range(integer(tree, BODIES)):
        store6(vec, 6 * i, shift_motion(load6(vec, 6 * i, zero), step_lever(tree, work, step, i, zero)))


@inner
def inertias(tree, work, vec, articulated, zero):
    """P or M of every body."""
    for i in range(integer(tree, BODIES)):
        V = load6(vec, 6 * i, zero)
        if articulated != 0:
            kept = integer(tree, W_OUT) + i * KEPT + KEPT_INERTIA
            A, B, C = load6(work, kept, zero), load9(work, kept + 6, zero), load6(work, kept + 15, zero)
            store6(vec, 6 * i, apply_articulated(A, B, C, V))
        else:
            store6(vec, 6 * i, momentum_of(work, integer(tree, W_BODY) + i * BODY_WORK, V, zero))


@inner
def mass(tree, par, work, vec, zero):
    """H phi M phi' H' + rotors in two sweeps: velocities towards the leaves, momenta towards the base."""
    bodies = integer(tree, BODIES)
    spare = spare_room(tree, 0)
    for i in range(bodies):
        first, last = first_and_last(tree, i)
        V = (zero, zero, zero, zero, zero, zero)
        if i > 0:
            V = of_parent(tree, work, vec, i, zero)
        for k in range(first, last):
            V = add_scaled6(V, load(vec, 6 * bodies + k, zero), load6(work, rate_at(tree, k) + S, zero))
        store6(vec, 6 * i, V)
    for i in range(bodies - 1, -1, -1):
        record = integer(tree, BODY_AT) + i * BODY_INTS
        first, last = first_and_last(tree, i)
        F = momentum_of(work, integer(tree, W_BODY) + i * BODY_WORK, load6(vec, 6 * i, zero), zero)
        if integer(tree, record + FLAGS) & HAS_CHILDREN != 0:
            F = add6(F, load6(vec, spare + 6 * i, zero))
        for k in range(first, last):
            rotor = shared(par, integer(tree, PAR_ROTOR) + k, zero)
            felt = dot6(load6(work, rate_at(tree, k) + S, zero), F)
            store(vec, 6 * bodies + k, felt + rotor * load(vec, 6 * bodies + k, zero))
        if i > 0:
            F = force_to_parent(tree, work, i, F, zero)
            above = spare + 6 * integer(tree, record + PARENT)
            if integer(tree, record + FLAGS) & IS_LAST_CHILD == 0:
                F = add6(F, load6(vec, above, zero))
            store6(vec, above, F)


@inner
def scale_rates(tree, par, work, vec, step, zero):
    """A diagonal operator on rates."""
    for k in range(integer(tree, RATES)):
        rate, mine = rate_at(tree, k), 6 * integer(tree, BODIES) + k
        x = load(vec, mine, zero)
        if step == TIMES:
            x = x * load(work, rate + D, zero)
        elif step == OVER:
            x = x * load(work, rate + D_INVERSE, zero)
        elif step == TIMES_ROOT:
            x = x * sqrt(load(work, rate + D, zero))
        elif step == OVER_ROOT:
            x = x * sqrt(load(work, rate + D_INVERSE, zero))
        else:
            x = x * shared(par, integer(tree, PAR_ROTOR) + k, zero)
        store(vec, mine, x)
