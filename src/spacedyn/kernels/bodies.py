"""Inertia of, and forces on, single bodies, about the base's centre of mass in inertial axes."""

from .compiling import inner
from .kinematics import move_base, move_body, place_body, start_place
from .scalar import integer, load, shared, store
from .spatial import (
    add3,
    add6,
    angular,
    apply_inertia,
    apply_symmetric,
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
    turn_symmetric,
)
from .tree import *  # noqa: F403


@inner
def weigh_body(tree, par, work, i, zero):
    """Mass, centre of mass and inertia about that of body i where it now is."""
    body = integer(tree, W_BODY) + i * BODY_WORK
    mine = i * BODY_PARS
    R = load9(work, body + ROTATION, zero)
    m = shared(par, mine + P_MASS, zero)
    c = add3(load3(work, body + POSITION, zero), turn(R, shared3(par, mine + P_COM, zero)))
    J = turn_symmetric(R, shared3(par, mine + P_INERTIA, zero) + shared3(par, mine + P_INERTIA + 3, zero))
    return m, c, J


@inner
def store_inertia(tree, work, i, weighed, zero):
    """Rigid inertia (m, h, I) of body i about the base's centre of mass, into its INERTIA."""
    body = integer(tree, W_BODY) + i * BODY_WORK
    m, c, J = weighed
    h = scale3(m, c)
    hc = dot3(h, c)
    store(work, body + INERTIA, zero + m)
    store3(work, body + INERTIA + 1, h)
    store6(
        work,
        body + INERTIA + 4,
        (
            J[0] + (hc - h[0] * c[0]),
            J[1] + (hc - h[1] * c[1]),
            J[2] + (hc - h[2] * c[2]),
            J[3] - h[0] * c[1],
            J[4] - h[0] * c[2],
            J[5] - h[1] * c[2],
        ),
    )


@inner
def weigh(tree, par, work, zero):
    """Rigid inertias of all bodies."""
    for i in range(integer(tree, BODIES)):
        store_inertia(tree, work, i, weigh_body(tree, par, work, i, zero), zero)


@inner
def momentum_of(work, body, v, zero):
    """Momentum of the inertia stored in a body's record if it moves with v."""
    return apply_inertia(
        load(work, body + INERTIA, zero),
        load3(work, body + INERTIA + 1, zero),
        load6(work, body + INERTIA + 4, zero),
        v,
    )


@inner
def inertia_force(tree, work, i, weighed, zero):
    """Force that body i's motion takes, by Newton and Euler at its centre of mass, into its FORCE."""
    body = integer(tree, W_BODY) + i * BODY_WORK
    m, c, J = weighed
    V, A = load6(work, body + VELOCITY, zero), load6(work, body + ACCELERATION, zero)
    w, wd = angular(V), angular(A)
    v = add3(linear(V), cross(w, c))
    f = scale3(m, add3(add3(linear(A), cross(wd, c)), cross(w, v)))
    n = add3(apply_symmetric(J, wd), cross(w, apply_symmetric(J, w)))
    store6(work, body + FORCE, f + add3(n, cross(c, f)))


@inner
def body_force(tree, par, work, i, inertia_too, zero):
    """FORCE of body i, and its INERTIA, if wanted."""
    weighed = weigh_body(tree, par, work, i, zero)
    inertia_force(tree, work, i, weighed, zero)
    if inertia_too:
        store_inertia(tree, work, i, weighed, zero)


@inner
def motion_forces(tree, par, work, inertias_too, zero):
    """Base to leaves in one go: poses, motion, and the forces that it takes, of all bodies; INERTIA too, if wanted."""
    motion_forces_under(tree, par, work, shared3(par, integer(tree, PAR_GRAVITY), zero), inertias_too, zero)


@inner
def motion_forces_under(tree, par, work, gravity, inertias_too, zero):
    """The same under any gravity, three scalars; with zeros, the forces are those of gravity and all others."""
    start_place(tree, work, zero)
    move_base(tree, work, gravity, zero)
    body_force(tree, par, work, 0, inertias_too, zero)
    for i in range(1, integer(tree, BODIES)):
        place_body(tree, par, work, i, zero)
        move_body(tree, work, i, False, zero)
        body_force(tree, par, work, i, inertias_too, zero)


@inner
def add_wrenches(tree, par, work, sign, zero):
    """Add sign times the wrenches on the base and at the endpoints (staged in W_WRENCH) to the FORCE of their bodies.

    A wrench is (force; moment about its point) in inertial axes; the base's acts at its centre of mass.
    """
    wrench = integer(tree, W_WRENCH)
    bodies = integer(tree, W_BODY)
    f = load6(work, wrench, zero)
    F = load6(work, bodies + FORCE, zero)
    store6(work, bodies + FORCE, add6(F, scale3(sign, f) + scale3(sign, (f[3], f[4], f[5]))))
    for e in range(integer(tree, ENDPOINTS)):
        body = bodies + integer(tree, integer(tree, ENDPOINT_AT) + e) * BODY_WORK
        place = shared3(par, integer(tree, PAR_ENDPOINT) + e * ENDPOINT_PARS, zero)
        r = add3(load3(work, body + POSITION, zero), turn(load9(work, body + ROTATION, zero), place))
        force = scale3(sign, load3(work, wrench + 6 * (e + 1), zero))
        moment = scale3(sign, load3(work, wrench + 6 * (e + 1) + 3, zero))
        F = load6(work, body + FORCE, zero)
        store6(work, body + FORCE, add6(F, force + add3(moment, cross(r, force))))
