"""A joint's own forces: spring, damper, dry friction, end stops.

    tau = -k (q - rest) - d q' - f tanh(q'/s),  and beyond a limit the stop's spring and damper, which only push back

A spherical turn's spring acts along the rotation vector from rest to the present attitude: the same in either frame.
"""

from ..scalar.compiling import entry, inner, outlined
from ..scalar.memory import integer, lanes_of, load, pointer, shared, store, zero_of
from ..scalar.pack import arctan2, hyperbolic_tangent, select, sqrt
from .descriptions import largest, parameters
from .layout import *  # noqa: F403
from .rows import read_state, write_rows
from .spatial import dot3


@inner
def rotation_vector(x, y, z, w):
    """The shortest rotation vector of a quaternion."""
    flip = select(w < 0.0, w * 0.0 - 1.0, w * 0.0 + 1.0)
    s2 = dot3((x, y, z), (x, y, z))
    s = sqrt(s2)
    near = s < 1e-4 * sqrt(s2 + w * w)
    angle = 2.0 * arctan2(s, flip * w)
    ratio = s2 / (w * w + s2)
    scale = flip * select(near, 2.0 * (1.0 + ratio / 6.0) / sqrt(w * w + s2), angle / select(near, s * 0.0 + 1.0, s))
    return scale * x, scale * y, scale * z


@inner
def spring_turn(par, work, x, rest, zero):
    """Rotation vector from the rest attitude to the present one."""
    ax, ay, az, aw = (
        -shared(par, rest, zero),
        -shared(par, rest + 1, zero),
        -shared(par, rest + 2, zero),
        shared(par, rest + 3, zero),
    )
    bx, by, bz, bw = load(work, x, zero), load(work, x + 1, zero), load(work, x + 2, zero), load(work, x + 3, zero)
    return rotation_vector(
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    )


@inner
def stop_force(q, qd, par, at, zero):
    """Force of the end stops, and its part from their springs."""
    k, d = shared(par, at + P_STOP, zero), shared(par, at + P_STOP_DAMPING, zero)
    over, under = q - shared(par, at + P_UPPER, zero), shared(par, at + P_LOWER, zero) - q
    spring = select(under > 0.0, k * under, zero) - select(over > 0.0, k * over, zero)
    down = k * over + d * qd
    up = k * under - d * qd
    down = select(over > 0.0, select(down > 0.0, down, zero), zero)
    up = select(under > 0.0, select(up > 0.0, up, zero), zero)
    return up - down, spring


@inner
def resistance(qd, par, at, zero):
    """Damping and dry friction."""
    force = -shared(par, at + P_DAMPING, zero) * qd
    if largest(par, at + P_FRICTION) > 0.0:
        speed = shared(par, at + P_FRICTION_SPEED, zero)
        force -= shared(par, at + P_FRICTION, zero) * hyperbolic_tangent(qd / speed)
    return force


@outlined
def passive_forces(tree, par, work, stops, zero):
    """PASSIVE of every rate, and ELASTIC, its part from springs; from the coordinates and rates in `work`.

    `stops`: whether end stops are included; a simulation handles them in kernels/elements/joint_forces.py.
    """
    forces, u, rests = integer(tree, W_PASSIVE), integer(tree, W_U), integer(tree, PAR_REST)
    for k in range(integer(tree, BASE_RATES)):
        store(work, forces + k * PASSIVE_WORK + PASSIVE, zero)
        store(work, forces + k * PASSIVE_WORK + ELASTIC, zero)
    for i in range(1, integer(tree, BODIES)):
        record = integer(tree, BODY_AT) + i * BODY_INTS
        kind = integer(tree, record + KIND)
        first = integer(tree, record + RATE)
        count = integer(tree, record + RATE_COUNT)
        simple = count - 3 if kind == SPHERICAL or kind == FREE else count
        coordinate = integer(tree, record + COORDINATE)
        x, rest = integer(tree, W_X) + coordinate, rests + coordinate - 7
        for j in range(simple):
            at = integer(tree, PAR_RATE) + (first + j) * RATE_PARS
            q, qd = load(work, x + j, zero), load(work, u + first + j, zero)
            elastic = shared(par, at + P_STIFFNESS, zero) * (shared(par, rest + j, zero) - q)
            force = elastic + resistance(qd, par, at, zero)
            if stops and largest(par, at + P_STOP) + largest(par, at + P_STOP_DAMPING) > 0.0:
                push, spring = stop_force(q, qd, par, at, zero)
                force += push
                elastic += spring
            store(work, forces + (first + j) * PASSIVE_WORK + PASSIVE, force)
            store(work, forces + (first + j) * PASSIVE_WORK + ELASTIC, elastic)
        if simple < count:
            at = integer(tree, PAR_RATE) + (first + simple) * RATE_PARS
            turn = (zero, zero, zero)
            stiffness = shared(par, at + P_STIFFNESS, zero)
            if largest(par, at + P_STIFFNESS) > 0.0:
                turn = spring_turn(par, work, x + simple, rest + simple, zero)
            for j in range(3):
                k = first + simple + j
                elastic = -stiffness * turn[j]
                force = elastic + resistance(load(work, u + k, zero), par, at + j * RATE_PARS, zero)
                store(work, forces + k * PASSIVE_WORK + PASSIVE, force)
                store(work, forces + k * PASSIVE_WORK + ELASTIC, elastic)


@inner
def passive_force(tree, work, k, zero):
    """PASSIVE of rate k."""
    return load(work, integer(tree, W_PASSIVE) + k * PASSIVE_WORK + PASSIVE, zero)


@inner
def elastic_energy(tree, par, work, zero):
    """Energy stored in springs and end stops."""
    energy = zero
    for i in range(1, integer(tree, BODIES)):
        record = integer(tree, BODY_AT) + i * BODY_INTS
        kind = integer(tree, record + KIND)
        first = integer(tree, record + RATE)
        count = integer(tree, record + RATE_COUNT)
        simple = count - 3 if kind == SPHERICAL or kind == FREE else count
        coordinate = integer(tree, record + COORDINATE)
        x, rest = integer(tree, W_X) + coordinate, integer(tree, PAR_REST) + coordinate - 7
        for j in range(simple):
            at = integer(tree, PAR_RATE) + (first + j) * RATE_PARS
            q = load(work, x + j, zero)
            stretch = q - shared(par, rest + j, zero)
            energy += 0.5 * shared(par, at + P_STIFFNESS, zero) * stretch * stretch
            if largest(par, at + P_STOP) > 0.0:
                over, under = q - shared(par, at + P_UPPER, zero), shared(par, at + P_LOWER, zero) - q
                depth = select(over > 0.0, over, select(under > 0.0, under, zero))
                energy += 0.5 * shared(par, at + P_STOP, zero) * depth * depth
        if simple < count:
            at = integer(tree, PAR_RATE) + (first + simple) * RATE_PARS
            if largest(par, at + P_STIFFNESS) > 0.0:
                turn = spring_turn(par, work, x + simple, rest + simple, zero)
                energy += 0.5 * shared(par, at + P_STIFFNESS, zero) * dot3(turn, turn)
    return energy


@entry
def run(tree, par, work, state, out, count, kind):
    """Rows of states to rows of the joints' own forces."""
    tree, par, work, state, out = pointer(tree), pointer(par), pointer(work), pointer(state), pointer(out)
    zero = zero_of(kind)
    nv = integer(tree, RATES)
    for row in range(0, count, lanes_of(zero)):
        mine = parameters(tree, par, row)
        read_state(tree, state, row, count, work, zero)
        passive_forces(tree, mine, work, True, zero)
        write_rows(out, nv, 0, nv, row, count, work, integer(tree, W_PASSIVE) + PASSIVE, PASSIVE_WORK, zero)
