"""Mass, momentum and inertia that elements attach to bodies, mass that leaves, and gravity fields at bodies.

In the articulated-body recursion an element on a body is like a child: it adds an inertia and a force to the sums of
the body in memory (HANDED), about the body's reference point. Attached mass counts for gravity fields through the mass
added to its body; Y_CARRIED holds its mass, momentum and angular momentum for the ledger.
"""

from ..robot.articulated import load_articulated, rigid_start, store_articulated
from ..robot.bodies import centre_of_mass, motion_force, rigid_inertia
from ..robot.layout import *  # noqa: F403
from ..robot.segments import origin_of, speed_of
from ..robot.spatial import (
    add3,
    add6,
    add9,
    add_cross,
    angular,
    apply_symmetric,
    cross,
    linear,
    load3,
    load6,
    load9,
    scale3,
    store3,
    store6,
    store9,
    sub3,
    turn,
    turn_back,
)
from ..scalar.compiling import inner
from ..scalar.memory import integer, load, store
from ..sim.layout import *  # noqa: F403


@inner
def clear_attached(sim, zero):
    """Set attached mass and leaving mass of all bodies to zero."""
    for j in range(CARRIED):
        store(sim.work, integer(sim.plan, Y_CARRIED) + j, zero)
    for j in range(LEAVING):
        store(sim.work, integer(sim.plan, Y_LEAVING) + j, zero)
    for n in range(integer(sim.plan, ATTACHED)):
        i = integer(sim.plan, integer(sim.plan, ATTACHED_AT) + n)
        for j in range(BODY_ADDED):
            store(sim.work, integer(sim.plan, Y_ADDED) + i * BODY_ADDED + j, zero)
        body = integer(sim.tree, W_BODY) + i * BODY_WORK
        for j in range(21):
            store(sim.work, body + HANDED + j, zero)
        store6(sim.work, body + HANDED_FORCE, (zero, zero, zero, zero, zero, zero))
        if integer(sim.plan, CHOICES) & SUMS_FORCES:
            for j in range(HANDED_NUMBERS):
                store(sim.work, integer(sim.plan, Y_HANDED) + i * HANDED_NUMBERS + j, zero)


@inner
def hand_on(sim, i, A, B, C, F, zero):
    """Add an articulated inertia and its bias force F to body i, about the body's reference point."""
    body = integer(sim.tree, W_BODY) + i * BODY_WORK
    add_handed(sim, body + HANDED, body + HANDED_FORCE, A, B, C, F, zero)
    if integer(sim.plan, CHOICES) & SUMS_FORCES:  # a copy, since children's inertias are added to HANDED
        at = integer(sim.plan, Y_HANDED) + i * HANDED_NUMBERS
        add_handed(sim, at, at + 21, A, B, C, F, zero)


@inner
def add_handed(sim, at, force_at, A, B, C, F, zero):
    """Add an articulated inertia and a force to those at two places of `work`."""
    mine_A, mine_B, mine_C = load_articulated(sim.work, at, zero)
    store_articulated(sim.work, at, add6(A, mine_A), add9(B, mine_B), add6(C, mine_C))
    store6(sim.work, force_at, add6(load6(sim.work, force_at, zero), F))


@inner
def handed_force(sim, i, a, zero):
    """The force on the inertia that elements add to body i, for the body's acceleration a."""
    at = integer(sim.plan, Y_HANDED) + i * HANDED_NUMBERS
    A, B, C = load_articulated(sim.work, at, zero)
    v, w = linear(a), angular(a)
    f = add3(apply_symmetric(A, v), turn(B, w))
    n = add3(turn_back(B, v), apply_symmetric(C, w))
    return add6(f + n, load6(sim.work, at + 21, zero))


@inner
def add_to_body(sim, i, m, h, I, zero):
    """Add mass, first moment and inertia about body i's centre of mass, on which gravity fields act."""
    at = integer(sim.plan, Y_ADDED) + i * BODY_ADDED
    store(sim.work, at + ADDED_MASS, load(sim.work, at + ADDED_MASS, zero) + m)
    store3(sim.work, at + ADDED_MOMENT, add3(load3(sim.work, at + ADDED_MOMENT, zero), h))
    store6(sim.work, at + ADDED_INERTIA, add6(load6(sim.work, at + ADDED_INERTIA, zero), I))


@inner
def add_ten(sim, at, m, h, P, L, zero):
    """Add mass, first moment, momentum and angular momentum to those at a place of `work`."""
    store(sim.work, at + SUM_MASS, load(sim.work, at + SUM_MASS, zero) + m)
    store3(sim.work, at + SUM_MOMENT, add3(load3(sim.work, at + SUM_MOMENT, zero), h))
    store3(sim.work, at + SUM_MOMENTUM, add3(load3(sim.work, at + SUM_MOMENTUM, zero), P))
    store3(sim.work, at + SUM_SPIN, add3(load3(sim.work, at + SUM_SPIN, zero), L))


@inner
def from_base(sim, i, r, zero):
    """Of body i's point at r: place and velocity from and relative to the base's centre of mass."""
    V = load6(sim.work, integer(sim.tree, W_BODY) + i * BODY_WORK + VELOCITY, zero)
    place = add3(origin_of(sim.tree, sim.work, i, zero), r)
    return place, add3(speed_of(sim.tree, sim.work, i, zero), add_cross(linear(V), angular(V), r))


@inner
def carry_momentum(sim, i, r, m, h, P, L, zero):
    """For the ledger: add a mass at body i's point r, with first moment h, momentum P and spin L about that point.

    P and L are relative to the point's velocity: P does not contain m times it.
    """
    at = integer(sim.plan, Y_ADDED) + i * BODY_ADDED + ADDED_MOMENTUM
    store3(sim.work, at, add3(load3(sim.work, at, zero), P))
    place, v = from_base(sim, i, r, zero)
    P = add3(P, scale3(m, v))
    L = add3(add3(L, cross(h, v)), cross(place, P))
    add_ten(sim, integer(sim.plan, Y_CARRIED), m, add3(scale3(m, place), h), P, L, zero)


@inner
def attach_mass(sim, i, m, r, J, zero):
    """A rigid mass m that moves with body i, its centre at r from the reference point, its inertia J about that."""
    body = integer(sim.tree, W_BODY) + i * BODY_WORK
    weighed = m, r, J
    A, B, C = rigid_start(*rigid_inertia(weighed, zero), zero)
    hand_on(sim, i, A, B, C, motion_force(sim.work, body, weighed, zero), zero)
    b = sub3(r, centre_of_mass(sim.tree, sim.par, sim.work, i, zero))
    _, h, I = rigid_inertia((m, b, J), zero)
    add_to_body(sim, i, m, h, I, zero)
    w, still = load3(sim.work, body + VELOCITY + 3, zero), (zero, zero, zero)
    carry_momentum(sim, i, r, m, still, still, apply_symmetric(J, w), zero)


@inner
def leave(sim, i, flow, r, K, energy, zero):
    """Mass leaves body i at r with the body's motion there: `flow` [kg/s], inertia K and energy per unit mass."""
    w = load3(sim.work, integer(sim.tree, W_BODY) + i * BODY_WORK + VELOCITY + 3, zero)
    place, v = from_base(sim, i, r, zero)
    P, at = scale3(flow, v), integer(sim.plan, Y_LEAVING)
    L = add3(cross(place, P), scale3(flow, apply_symmetric(K, w)))
    add_ten(sim, at, flow, scale3(flow, place), P, L, zero)
    store(sim.work, at + LEAVING_ENERGY, load(sim.work, at + LEAVING_ENERGY, zero) + flow * energy)


# --- gravity fields ---------------------------------------------------------------------------------------------------


@inner
def feel_field(sim, i, g, potential, zero):
    """A gravity field's acceleration at body i's centre of mass, and its potential there."""
    if integer(sim.plan, CHOICES) & (CARRIES_MASS | FEELS_FIELDS):
        at = integer(sim.plan, Y_ADDED) + i * BODY_ADDED
        store3(sim.work, at + FIELD, add3(load3(sim.work, at + FIELD, zero), g))
        store(sim.work, at + FIELD_POTENTIAL, load(sim.work, at + FIELD_POTENTIAL, zero) + potential)


@inner
def feel_gradient(sim, i, G, zero):
    """The gradient (a matrix) of a gravity field's acceleration at body i's centre of mass."""
    if integer(sim.plan, CHOICES) & FEELS_FIELDS:
        at = integer(sim.plan, Y_ADDED) + i * BODY_ADDED + FIELD_GRADIENT
        store9(sim.work, at, add9(load9(sim.work, at, zero), G))


@inner
def field_at_point(sim, i, r, zero):
    """Acceleration of all gravity fields, but uniform gravity, at body i's point at r, by their gradients."""
    at = integer(sim.plan, Y_ADDED) + i * BODY_ADDED
    b = sub3(r, centre_of_mass(sim.tree, sim.par, sim.work, i, zero))
    return add3(load3(sim.work, at + FIELD, zero), turn(load9(sim.work, at + FIELD_GRADIENT, zero), b))


@inner
def field_at(sim, i, zero):
    """Acceleration of all gravity fields at body i's centre of mass; uniform gravity is in the bodies' motion."""
    return load3(sim.work, integer(sim.plan, Y_ADDED) + i * BODY_ADDED + FIELD, zero)


@inner
def potential_at(sim, i, zero):
    """Potential of all gravity fields at body i's centre of mass, but uniform gravity's."""
    return load(sim.work, integer(sim.plan, Y_ADDED) + i * BODY_ADDED + FIELD_POTENTIAL, zero)


# --- accelerations ----------------------------------------------------------------------------------------------------


@inner
def known_acceleration(sim, i, zero):
    """Before the dynamics is solved: spatial acceleration of body i with all unknown accelerations zero."""
    return load6(sim.work, integer(sim.tree, W_BODY) + i * BODY_WORK + ACCELERATION, zero)


@inner
def found_acceleration(sim, i, zero):
    """After the dynamics is solved: the part of body i's spatial acceleration from the unknown accelerations."""
    return known_acceleration(sim, i, zero)


@inner
def acceleration_of_point(sim, i, A, r, zero):
    """Acceleration of body i's point at r, of its spatial acceleration A, relative to free fall in uniform gravity."""
    V = load6(sim.work, integer(sim.tree, W_BODY) + i * BODY_WORK + VELOCITY, zero)
    w = angular(V)
    return add_cross(add_cross(linear(A), angular(A), r), w, add_cross(linear(V), w, r))
