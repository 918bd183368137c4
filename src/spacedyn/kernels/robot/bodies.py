"""Inertia of, and forces on, single bodies, in inertial axes about their reference points (segments.py)."""

from ..scalar.compiling import inner, outlined
from ..scalar.memory import integer, load, shared, store
from .kinematics import move_base, move_body, place_body, start_place
from .layout import *  # noqa: F403
from .prefetching import prefetch_inertia, prefetch_mass
from .segments import force_about_base, origin_of, rests, speed_of
from .spatial import (
    add3,
    add6,
    add_cross,
    add_turned,
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
)


@inner
def centre_of_mass(tree, par, work, i, zero):
    """Where the centre of mass of body i now is, from its reference point."""
    body = integer(tree, W_BODY) + i * BODY_WORK
    R = load9(work, body + ROTATION, zero)
    return add_turned(load3(work, body + POSITION, zero), R, shared3(par, i * BODY_PARS + P_COM, zero))


@inner
def axis_of(work, body, axis, zero):
    """An axis of a body: a column of its rotation."""
    at = body + ROTATION + axis
    return load(work, at, zero), load(work, at + 3, zero), load(work, at + 6, zero)


@inner
def weigh_body(tree, par, work, i, zero):
    """Mass, centre of mass and inertia about that of body i where it now is."""
    return weigh_record(tree, par, work, i, i * BODY_PARS, zero)


@inner
def weigh_felt(tree, par, work, i, zero):
    """The same with the inertia used in elimination, which includes that of its wheels except their spin."""
    return weigh_record(tree, par, work, i, integer(tree, PAR_FELT) + i * BODY_PARS, zero)


@inner
def weigh_record(tree, par, work, i, mine, zero):
    """The same of body i by the record at `mine` in `par`."""
    body, record = integer(tree, W_BODY) + i * BODY_WORK, integer(tree, BODY_AT) + i * BODY_INTS
    R = load9(work, body + ROTATION, zero)
    m = shared(par, mine + P_MASS, zero)
    c = add_turned(load3(work, body + POSITION, zero), R, shared3(par, mine + P_COM, zero))
    if integer(tree, record + FLAGS) & ALONG_AXES:
        x, y = integer(tree, record + FIRST_AXIS), integer(tree, record + SECOND_AXIS)
        a = scale3(shared(par, mine + P_INERTIA + x, zero), axis_of(work, body, x, zero))
        b = scale3(shared(par, mine + P_INERTIA + 3 + y, zero), axis_of(work, body, y, zero))
    else:
        a, b = turn(R, shared3(par, mine + P_INERTIA, zero)), turn(R, shared3(par, mine + P_INERTIA + 3, zero))
    least = shared(par, mine + P_LEAST, zero)  # J = least + a a' + b b'
    J = (
        least + a[0] * a[0] + b[0] * b[0],
        least + a[1] * a[1] + b[1] * b[1],
        least + a[2] * a[2] + b[2] * b[2],
        a[0] * a[1] + b[0] * b[1],
        a[0] * a[2] + b[0] * b[2],
        a[1] * a[2] + b[1] * b[2],
    )
    return m, c, J


@inner
def rigid_inertia(weighed, zero):
    """Rigid inertia (m, h, I) about the reference point."""
    m, c, J = weighed
    h = scale3(m, c)
    hc = dot3(h, c)
    I = (
        J[0] + (hc - h[0] * c[0]),
        J[1] + (hc - h[1] * c[1]),
        J[2] + (hc - h[2] * c[2]),
        J[3] - h[0] * c[1],
        J[4] - h[0] * c[2],
        J[5] - h[1] * c[2],
    )
    return zero + m, h, I


@inner
def store_inertia(tree, work, i, weighed, zero):
    """Rigid inertia of body i into its INERTIA."""
    body = integer(tree, W_BODY) + i * BODY_WORK
    m, h, I = rigid_inertia(weighed, zero)
    store(work, body + INERTIA, m)
    store3(work, body + INERTIA + 1, h)
    store6(work, body + INERTIA + 4, I)


@outlined
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
def motion_force(work, body, weighed, zero):
    """Force that a body's motion takes, by Newton and Euler at its centre of mass."""
    m, c, J = weighed
    V, A = load6(work, body + VELOCITY, zero), load6(work, body + ACCELERATION, zero)
    w, wd = angular(V), angular(A)
    v = add_cross(linear(V), w, c)
    f = scale3(m, add_cross(add_cross(linear(A), wd, c), w, v))
    n = add_cross(apply_symmetric(J, wd), w, apply_symmetric(J, w))
    return f + add_cross(n, c, f)


@inner
def body_force(tree, par, work, i, inertia_too, zero):
    """FORCE of body i, and its INERTIA, if requested."""
    weighed, body = weigh_body(tree, par, work, i, zero), integer(tree, W_BODY) + i * BODY_WORK
    store6(work, body + FORCE, motion_force(work, body, weighed, zero))
    if inertia_too:
        store_inertia(tree, work, i, weighed, zero)


@inner
def motion_forces(tree, par, work, inertias_too, zero):
    """One sweep base to leaves: poses, motion and the forces of the motion of all bodies; INERTIA too, if requested."""
    motion_forces_under(tree, par, work, shared3(par, integer(tree, PAR_GRAVITY), zero), inertias_too, zero)


@inner
def motion_forces_under(tree, par, work, gravity, inertias_too, zero):
    """The same under given gravity, three scalars; with zeros, the forces include those of gravity."""
    start_place(tree, work, zero)
    move_base(tree, work, gravity, zero)
    body_force(tree, par, work, 0, inertias_too, zero)
    for i in range(1, integer(tree, BODIES)):
        place_body(tree, par, work, i, zero)
        move_body(tree, work, i, False, True, zero)
        body_force(tree, par, work, i, inertias_too, zero)


@inner
def motions(tree, par, work, prefetch, zero):
    """Base to leaves: poses and motion of all bodies; of joints, only accelerations that are given count.

    `prefetch`: whether to prefetch the description of the next pack, if its robots differ (prefetching.py).
    """
    start_place(tree, work, zero)
    move_base(tree, work, shared3(par, integer(tree, PAR_GRAVITY), zero), zero)
    if prefetch:
        prefetch_mass(tree, par, 0)
        prefetch_inertia(tree, par, 0)
    for i in range(1, integer(tree, BODIES)):
        if prefetch:
            prefetch_mass(tree, par, i)
        if not rests(tree, i):
            place_body(tree, par, work, i, zero)
            move_body(tree, work, i, False, False, zero)


@inner
def clear_forces(tree, work, zero):
    """Set FORCE of all bodies to zero."""
    for i in range(integer(tree, BODIES)):
        store6(work, integer(tree, W_BODY) + i * BODY_WORK + FORCE, (zero, zero, zero, zero, zero, zero))


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


@inner
def sums_of_bodies(tree, work, zero):
    """First moment and momentum (P; L) about the base's centre of mass, relative to its velocity; and the mass."""
    m, h, momentum = zero, (zero, zero, zero), (zero, zero, zero, zero, zero, zero)
    for i in range(integer(tree, BODIES)):
        body = integer(tree, W_BODY) + i * BODY_WORK
        mine, V = load(work, body + INERTIA, zero), load6(work, body + VELOCITY, zero)
        V = add3(linear(V), speed_of(tree, work, i, zero)) + angular(V)
        m += mine
        h = add3(h, add3(load3(work, body + INERTIA + 1, zero), scale3(mine, origin_of(tree, work, i, zero))))
        momentum = add6(momentum, force_about_base(tree, work, i, momentum_of(work, body, V, zero), zero))
    return m, h, momentum


@inner
def endpoint_lever(tree, par, work, e, body, zero):
    """From the reference point of its body to endpoint e."""
    R = ROTATION + body
    place = shared3(par, integer(tree, PAR_ENDPOINT) + e * ENDPOINT_PARS, zero)
    x, y, z = load3(work, R, zero), load3(work, R + 3, zero), load3(work, R + 6, zero)
    return add3(load3(work, body + POSITION, zero), (dot3(x, place), dot3(y, place), dot3(z, place)))


@inner
def first_moment(tree, par, work, zero):
    """Mass of the robot, and its first moment about the base's centre of mass, from the poses of its bodies."""
    m, h = zero, (zero, zero, zero)
    for i in range(integer(tree, BODIES)):
        mass = shared(par, i * BODY_PARS + P_MASS, zero)
        m += mass
        h = add3(h, scale3(mass, add3(origin_of(tree, work, i, zero), centre_of_mass(tree, par, work, i, zero))))
    return m, h
