"""Inertia of, and forces on, single bodies, about the base's centre of mass in inertial axes."""

from .compiling import inner
from .kinematics import move_base, move_body, place_body, start_place
from .scalar import integer, load, shared
from .spatial import (
    add3,
    add6,
    apply_inertia,
    cross,
    cross_force,
    dot3,
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
from .scalar import store
from .tree import *  # noqa: F403


@inner
def weigh_body(tree, par, work, i, zero):
    """Rigid inertia (m, h, I) of body i where it now is."""
    body = integer(tree, W_BODY) + i * BODY_WORK
    mine = i * BODY_PARS
    R = load9(work, body + ROTATION, zero)
    m = shared(par, mine + P_MASS, zero)
    c = add3(load3(work, body + POSITION, zero), turn(R, shared3(par, mine + P_COM, zero)))
    h = scale3(m, c)
    I = turn_symmetric(R, shared3(par, mine + P_INERTIA, zero) + shared3(par, mine + P_INERTIA + 3, zero))
    hc = dot3(h, c)
    store(work, body + INERTIA, m)
    store3(work, body + INERTIA + 1, h)
    store6(
        work,
        body + INERTIA + 4,
        (
            I[0] + (hc - h[0] * c[0]),
            I[1] + (hc - h[1] * c[1]),
            I[2] + (hc - h[2] * c[2]),
            I[3] - h[0] * c[1],
            I[4] - h[0] * c[2],
            I[5] - h[1] * c[2],
        ),
    )


@inner
def weigh(tree, par, work, zero):
    """Rigid inertias of all bodies."""
    for i in range(integer(tree, BODIES)):
        weigh_body(tree, par, work, i, zero)


@inner
def momentum_of(work, body, v, zero):
    """Momentum of the inertia stored in a body's record if it moves with v."""
    return apply_inertia(
        load(work, body + INERTIA, zero), load3(work, body + INERTIA + 1, zero), load6(work, body + INERTIA + 4, zero), v
    )


@inner
def inertia_force(tree, work, i, zero):
    """Force that body i's motion takes: I A + V x* I V, into its FORCE."""
    body = integer(tree, W_BODY) + i * BODY_WORK
    V = load6(work, body + VELOCITY, zero)
    gyroscopic = cross_force(V, momentum_of(work, body, V, zero))
    needed = momentum_of(work, body, load6(work, body + ACCELERATION, zero), zero)
    store6(work, body + FORCE, add6(needed, gyroscopic))


@inner
def motion_forces(tree, par, work, gravity, zero):
    """Base to leaves in one go: poses, inertias, motion, and the forces that it takes, of all bodies."""
    start_place(tree, work, zero)
    move_base(tree, work, gravity, zero)
    weigh_body(tree, par, work, 0, zero)
    inertia_force(tree, work, 0, zero)
    for i in range(1, integer(tree, BODIES)):
        place_body(tree, par, work, i, zero)
        weigh_body(tree, par, work, i, zero)
        move_body(tree, work, i, zero)
        inertia_force(tree, work, i, zero)


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
