"""Totals over all bodies: energy, centre of mass, momentum, and the magnitudes that a momentum is made of.

Bodies are summed up in a frame that moves with the base's centre of mass; with its velocity v0 the kinetic energy is
T = T_relative + v0.P_relative + m v0.v0 / 2, and the angular momentum about the robot's centre of mass does not depend
on v0 at all: both keep their digits at orbital speed.
"""

from ..scalar.compiling import entry, inner
from ..scalar.memory import integer, lanes_of, load, pointer, shared, store, zero_of
from ..scalar.pack import select, sqrt
from .bodies import weigh_body
from .descriptions import parameters
from .kinematics import base_part, move, place
from .layout import *  # noqa: F403
from .passive import elastic_energy
from .rows import read_rows, read_state, write_rows
from .segments import origin_of, segment_of, speed_of
from .spatial import (
    add3,
    add_cross,
    angular,
    apply_symmetric,
    cross,
    dot3,
    linear,
    load3,
    load6,
    scale3,
    shared3,
    store3,
    sub3,
)

# a row of totals; the last three only with the option SIZES
KINETIC, CENTRE, LINEAR, ANGULAR, GRAVITATIONAL, ELASTIC_ENERGY, POTENTIAL = 0, 1, 4, 7, 10, 11, 12
LINEAR_SIZE, ANGULAR_SIZE, SPREAD, TOTALS = 13, 14, 15, 16


@inner
def norm3(a):
    """Length of a vector."""
    return sqrt(dot3(a, a))


@inner
def body_motion(tree, par, work, i, zero):
    """Mass, centre of mass, its velocity, angular velocity, spin and inertia of body i, relative to the base's."""
    m, c, J = weigh_body(tree, par, work, i, zero)
    V = load6(work, integer(tree, W_BODY) + i * BODY_WORK + VELOCITY, zero)
    w = angular(V)
    v = add_cross(linear(V), w, c)
    if segment_of(tree, i) > 0:  # whose reference point is elsewhere, and moves
        c, v = add3(c, origin_of(tree, work, i, zero)), add3(v, speed_of(tree, work, i, zero))
    return m, c, v, w, apply_symmetric(J, w), J


@inner
def body_sums(tree, par, work, zero):
    """Mass, kinetic energy, linear momentum, first moment and angular momentum about the base, relative to it."""
    mass, energy = zero, zero
    P, h, L = (zero, zero, zero), (zero, zero, zero), (zero, zero, zero)
    for i in range(integer(tree, BODIES)):
        m, c, v, w, spin, _ = body_motion(tree, par, work, i, zero)
        p = scale3(m, v)
        mass += m
        energy += 0.5 * (dot3(p, v) + dot3(w, spin))
        P, h = add3(P, p), add3(h, scale3(m, c))
        L = add3(L, add_cross(spin, c, p))
    return mass, energy, P, h, L


@inner
def store_sizes(tree, par, work, centre, drift, v0, room, zero):
    """Sums of magnitudes over the bodies, which cannot cancel, as a scale for rounding errors.

    A body of mass m and radius of gyration k, at r from the robot's centre of mass and with v relative to it, adds
    m |v + v_com| + m k |w| to linear momentum, m (|r| + k) |v| + |J w| to angular momentum, and m (|r| + k) to the
    spread. The radius of gyration keeps a body's size in the sum where it only turns, or where r is nothing but
    rounding.
    """
    straight, turning, spread = zero, zero, zero
    for i in range(integer(tree, BODIES)):
        m, c, v, w, spin, J = body_motion(tree, par, work, i, zero)
        reach = m * norm3(sub3(c, centre)) + sqrt(0.5 * m * (J[0] + J[1] + J[2]))
        straight += m * norm3(add3(v, v0)) + sqrt(0.5 * m * (J[0] + J[1] + J[2])) * norm3(w)
        turning += reach * norm3(sub3(v, drift)) + norm3(spin)
        spread += reach
    store(work, room + LINEAR_SIZE, straight)
    store(work, room + ANGULAR_SIZE, turning)
    store(work, room + SPREAD, spread)


@inner
def reference(tree, points, row, count, work, at, options, centre, zero):
    """The point that angular momentum is about, from the base's centre of mass on."""
    if options & ABOUT_POINT:
        read_rows(points, 3, 0, 3, row, count, work, at, 1, zero)
        return sub3(load3(work, at, zero), load3(work, integer(tree, W_X), zero))
    if options & ABOUT_BASE:
        return zero, zero, zero
    return centre


@entry
def run(tree, par, work, state, points, out, count, options, kind):
    """Rows of states (and of points that angular momentum is about) to rows of totals."""
    tree, par, work, state = pointer(tree), pointer(par), pointer(work), pointer(state)
    points, out = pointer(points), pointer(out)
    zero = zero_of(kind)
    nv, room, u = integer(tree, RATES), integer(tree, W_OUT), integer(tree, W_U)
    for row in range(0, count, lanes_of(zero)):
        mine = parameters(tree, par, row)
        read_state(tree, state, row, count, work, zero)
        for k in range(nv):
            store(work, integer(tree, W_RATE) + k * RATE_WORK + QDD, zero)
        place(tree, mine, work, zero)
        move(tree, work, (zero, zero, zero), zero)
        mass, energy, P, h, L = body_sums(tree, mine, work, zero)
        for k in range(nv):
            rate = load(work, u + k, zero)
            energy += 0.5 * shared(mine, integer(tree, PAR_ROTOR) + k, zero) * rate * rate
        inverse = 1.0 / select(mass > 0.0, mass, zero + 1.0)  # a robot may be only a massless mount
        centre, drift = scale3(inverse, h), scale3(inverse, P)
        v0, origin = base_part(tree, work, u, 1, 0, zero), load3(work, integer(tree, W_X), zero)
        total = add3(P, scale3(mass, v0))
        point = reference(tree, points, row, count, work, room, options, centre, zero)
        L = add3(sub3(L, cross(centre, P)), cross(sub3(centre, point), total))
        store(work, room + KINETIC, energy + dot3(v0, P) + 0.5 * mass * dot3(v0, v0))
        store3(work, room + CENTRE, add3(origin, centre))
        store3(work, room + LINEAR, total)
        store3(work, room + ANGULAR, L)
        g = shared3(mine, integer(tree, PAR_GRAVITY), zero)
        height, elastic = -dot3(g, h) - mass * dot3(g, origin), elastic_energy(tree, mine, work, zero)
        store(work, room + GRAVITATIONAL, height)
        store(work, room + ELASTIC_ENERGY, elastic)
        store(work, room + POTENTIAL, height + elastic)
        width = LINEAR_SIZE
        if options & SIZES:
            store_sizes(tree, mine, work, centre, drift, v0, room, zero)
            width = TOTALS
        write_rows(out, width, 0, width, row, count, work, room, 1, zero)
