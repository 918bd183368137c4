"""The steps that products of spatial operators are made of, each one sweep over the tree.

    phi: forces of all bodies add up towards the base; phi': velocities towards the leaves
    psi: the same, past joints that give way;  E_psi = E_phi (1 - G H),  psi = (1 - E_psi)^-1,  K = E_phi G

In inertial axes about one point, phi(parent, child) is the identity. A step changes the vector at hand in place, `vec`,
which has a part for all bodies (6 each), one for all rates, and one for all endpoints (6 each); then spare room for
all bodies (6 each).
"""

from .articulated import apply_articulated
from .bodies import momentum_of
from .compiling import inner
from .memory import integer, load, shared, store
from .scalar import sqrt
from .spatial import (
    add3,
    add6,
    add_scaled6,
    angular,
    cross,
    dot6,
    linear,
    load3,
    load6,
    load9,
    scale3,
    store6,
    sub3,
)
from .tree import *  # noqa: F403

# what is kept of a body behind W_OUT: where it is, and its articulated inertia; then the places of the endpoints
KEPT_PLACE, KEPT_INERTIA, KEPT = 0, 3, 24
# steps: H, phi, E_phi, psi, G, W, W^-1, L, L^-1, B and their transposes, which follow them
JOINTS, PHI, SHIFT, PSI, GAINS, FACTOR, FACTOR_INVERSE, WITHIN, WITHIN_INVERSE, ENDS = range(0, 20, 2)
# force at the body's own point <-> about the base; the transposes do it to motions
TO_BASE, FROM_BASE = 20, 22
# symmetric ones: P, M, the mass matrix; times d, 1/d, sqrt(d), 1/sqrt(d), rotors
ARTICULATED_INERTIA, RIGID_INERTIA, MASS, TIMES, OVER, TIMES_ROOT, OVER_ROOT, ROTORS = range(24, 32)


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
def clear_bodies(tree, vec, zero):
    for i in range(integer(tree, BODIES)):
        store6(vec, 6 * i, (zero, zero, zero, zero, zero, zero))


@inner
def joints(tree, work, vec, zero):
    """H: what each rate feels of its body's force."""
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
def phi(tree, vec, zero):
    """Leaves to base: every body hands on all it has got."""
    for i in range(integer(tree, BODIES) - 1, 0, -1):
        above = 6 * parent_of(tree, i)
        store6(vec, above, add6(load6(vec, above, zero), load6(vec, 6 * i, zero)))


@inner
def phi_transpose(tree, vec, zero):
    for i in range(1, integer(tree, BODIES)):
        store6(vec, 6 * i, add6(load6(vec, 6 * i, zero), load6(vec, 6 * parent_of(tree, i), zero)))


@inner
def shift(tree, vec, zero):
    """E_phi: every body hands its own on to its parent, once."""
    F = (zero, zero, zero, zero, zero, zero)
    store6(vec, 0, F)
    for i in range(1, integer(tree, BODIES)):
        above = 6 * parent_of(tree, i)
        store6(vec, above, add6(load6(vec, above, zero), load6(vec, 6 * i, zero)))
        store6(vec, 6 * i, F)


@inner
def shift_transpose(tree, vec, zero):
    for i in range(integer(tree, BODIES) - 1, 0, -1):
        store6(vec, 6 * i, load6(vec, 6 * parent_of(tree, i), zero))
    store6(vec, 0, (zero, zero, zero, zero, zero, zero))


@inner
def psi(tree, work, vec, zero):
    """Leaves to base: every body hands on what its joint does not give way to, (1 - G H) of it."""
    for i in range(integer(tree, BODIES) - 1, 0, -1):
        first, last = first_and_last(tree, i)
        F = load6(vec, 6 * i, zero)
        for k in range(last - 1, first - 1, -1):
            rate = rate_at(tree, k)
            F = add_scaled6(F, -dot6(load6(work, rate + S, zero), F), load6(work, rate + GAIN, zero))
        above = 6 * parent_of(tree, i)
        store6(vec, above, add6(load6(vec, above, zero), F))


@inner
def psi_transpose(tree, work, vec, zero):
    for i in range(1, integer(tree, BODIES)):
        first, last = first_and_last(tree, i)
        a = load6(vec, 6 * parent_of(tree, i), zero)
        for k in range(first, last):
            rate = rate_at(tree, k)
            a = add_scaled6(a, -dot6(load6(work, rate + GAIN, zero), a), load6(work, rate + S, zero))
        store6(vec, 6 * i, add6(load6(vec, 6 * i, zero), a))


@inner
def factor(tree, work, vec, across, sign, zero):
    """W (sign 1) or its inverse (-1); L, and what G gives each body, if nothing is handed on across joints."""
    for i in range(integer(tree, BODIES) - 1, -1, -1):
        record = integer(tree, BODY_AT) + i * BODY_INTS
        first, last = first_and_last(tree, i)
        F = (zero, zero, zero, zero, zero, zero)
        if across != 0 and integer(tree, record + HAS_CHILDREN) != 0:
            F = load6(vec, 6 * i, zero)
        for k in range(last - 1, first - 1, -1):
            rate, mine = rate_at(tree, k), 6 * integer(tree, BODIES) + k
            x = load(vec, mine, zero)
            y = x + sign * dot6(load6(work, rate + S, zero), F)
            store(vec, mine, y)
            F = add_scaled6(F, x if sign > 0.0 else y, load6(work, rate + GAIN, zero))
        if across == 0:
            store6(vec, 6 * i, F)
        elif i > 0:
            above = 6 * integer(tree, record + PARENT)
            if integer(tree, record + IS_LAST_CHILD) == 0:  # the last child is the first to hand on
                F = add6(F, load6(vec, above, zero))
            store6(vec, above, F)


@inner
def factor_transpose(tree, work, vec, across, sign, zero):
    for i in range(integer(tree, BODIES)):
        record = integer(tree, BODY_AT) + i * BODY_INTS
        first, last = first_and_last(tree, i)
        a = (zero, zero, zero, zero, zero, zero)
        if across != 0 and i > 0:
            a = load6(vec, 6 * integer(tree, record + PARENT), zero)
        for k in range(first, last):
            rate, mine = rate_at(tree, k), 6 * integer(tree, BODIES) + k
            x = load(vec, mine, zero)
            y = x + sign * dot6(load6(work, rate + GAIN, zero), a)
            store(vec, mine, y)
            a = add_scaled6(a, x if sign > 0.0 else y, load6(work, rate + S, zero))
        if integer(tree, record + HAS_CHILDREN) != 0:
            store6(vec, 6 * i, a)


@inner
def gains_transpose(tree, work, vec, zero):
    """G': the rates with which joints give way to a motion of their bodies."""
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
    """B: wrenches at the endpoints, as forces on their bodies about the base's centre of mass."""
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
def move_forces(tree, work, vec, sign, zero):
    """Forces at the bodies' own points, about the base's centre of mass (sign 1); or back (-1)."""
    for i in range(integer(tree, BODIES)):
        f = load6(vec, 6 * i, zero)
        p = scale3(sign, load3(work, integer(tree, W_OUT) + i * KEPT + KEPT_PLACE, zero))
        store6(vec, 6 * i, linear(f) + add3(angular(f), cross(p, linear(f))))


@inner
def move_motions(tree, work, vec, sign, zero):
    """Motions of the point at the base's centre of mass, at the bodies' own points (sign 1); or back (-1)."""
    for i in range(integer(tree, BODIES)):
        V = load6(vec, 6 * i, zero)
        p = scale3(sign, load3(work, integer(tree, W_OUT) + i * KEPT + KEPT_PLACE, zero))
        store6(vec, 6 * i, sub3(linear(V), cross(p, angular(V))) + angular(V))


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
    spare = 6 * bodies + integer(tree, RATES) + 6 * integer(tree, ENDPOINTS)
    for i in range(bodies):
        first, last = first_and_last(tree, i)
        V = (zero, zero, zero, zero, zero, zero)
        if i > 0:
            V = load6(vec, 6 * parent_of(tree, i), zero)
        for k in range(first, last):
            V = add_scaled6(V, load(vec, 6 * bodies + k, zero), load6(work, rate_at(tree, k) + S, zero))
        store6(vec, 6 * i, V)
    for i in range(bodies - 1, -1, -1):
        record = integer(tree, BODY_AT) + i * BODY_INTS
        first, last = first_and_last(tree, i)
        F = momentum_of(work, integer(tree, W_BODY) + i * BODY_WORK, load6(vec, 6 * i, zero), zero)
        if integer(tree, record + HAS_CHILDREN) != 0:
            F = add6(F, load6(vec, spare + 6 * i, zero))
        for k in range(first, last):
            rotor = shared(par, integer(tree, PAR_RATE) + k * RATE_PARS + P_ROTOR, zero)
            felt = dot6(load6(work, rate_at(tree, k) + S, zero), F)
            store(vec, 6 * bodies + k, felt + rotor * load(vec, 6 * bodies + k, zero))
        if i > 0:
            above = spare + 6 * integer(tree, record + PARENT)
            if integer(tree, record + IS_LAST_CHILD) == 0:
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
            x = x * shared(par, integer(tree, PAR_RATE) + k * RATE_PARS + P_ROTOR, zero)
        store(vec, mine, x)
