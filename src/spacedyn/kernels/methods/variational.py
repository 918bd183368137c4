"""One step of a variational integrator on the manifold: Hamilton's principle for a sum over steps instead of a time.

    L_d(x0, x1) = h l(x0 ⊕ s/2, s/h),   x1 = x0 ⊕ s        l = T - V, and forces' virtual work at the middle

With g = dT/dx + Q at the middle (Q: all generalized forces), p = dT/du there, and the turn's own operators for
rotations,

    p0 = dexp^-1(-s)' (p + h/2 dexp(s/2)' g) - h Ad(exp(s/2))' g        is the momentum before: solved for s,
    p1 = dexp^-1(+s)' (p + h/2 dexp(s/2)' g)                            is the momentum after.

A base that can move along is placed by the robot's centre of mass, not by its own: then linear momentum, the uniform
motion of the centre of mass and angular momentum about it are all conserved exactly, and T parts into the robot's
translation and its motion relative to the centre of mass, in which total linear momentum is zero.
The method is symplectic and symmetric, of second order: momentum is conserved to rounding over any number of steps, and
the error of energy stays bounded. Momenta are kept from step to step, so that rounding in H^-1 p does not accumulate.
Marsden & West (2001); Bou-Rabee & Marsden (2009) for Lie groups.
"""

from functools import cache

from ..robot.bodies import first_moment, momentum_of, motion_forces_under, sums_of_bodies, weigh
from ..robot.charts import inertial_rates, move_along, store_base_part, turn_into_base, turn_rate, turn_velocity
from ..robot.derivatives import sliding_rates
from ..robot.factors import solve_in_place
from ..robot.inverse_dynamics import gather_forces
from ..robot.kinematics import base_axis, base_part, place, write_base_columns
from ..robot.layout import *  # noqa: F403
from ..robot.segments import force_to_parent, lever_of, motion_from_parent, speed_of
from ..robot.spatial import (
    add3,
    add6,
    add_scaled6,
    angular,
    cross,
    cross_motion,
    dot3,
    dot6,
    linear,
    load3,
    load6,
    scale3,
    store3,
    store6,
    sub3,
)
from ..scalar.compiling import Address, array_at, inner
from ..scalar.memory import integer, load, load_counter, shared, store, store_counter
from ..sim.evaluate import STEP_SIGNATURE, evaluate
from ..sim.layout import *  # noqa: F403
from ..sim.sim import sim_at

MAX_ITERATIONS = 100
# vectors of nv numbers in work, from Y_MOMENTUM on
BEFORE, AFTER, KEPT, STEP, MIDDLE, FORCES_AND_SLOPE, RESIDUE, COM_BEFORE, COM_AFTER, COM_KEPT, VECTORS = range(11)


@inner
def vector(sim, which):
    """Index of a vector in `work`."""
    return integer(sim.plan, Y_MOMENTUM) + which * integer(sim.tree, RATES)


@inner
def copy(tree, work, source, target):
    """Copy one vector into another."""
    for k in range(integer(tree, RATES)):
        store(work, target + k, load(work, source + k, 0.0))


@inner
def along(tree, v):
    """The part of a vector along the directions in which the base can translate."""
    slides = sliding_rates(tree)
    return v[0] if slides > 0 else 0.0, v[1] if slides > 1 else 0.0, v[2] if slides > 2 else 0.0


@inner
def relative_to_com(tree, work):
    """Velocity of the base relative to the centre of mass, as far as it can slide; where that is; the mass.

    Velocities relative to the base's, and inertias, of all bodies must be there.
    """
    m, h, momentum = sums_of_bodies(tree, work, 0.0)
    return along(tree, scale3(-1.0 / m, linear(momentum))), scale3(1.0 / m, h), m


@inner
def in_com_frame(tree, work, i, moving, V):
    """A velocity of body i, as its segment has it, relative to the centre of mass; `moving` is the base's."""
    return add3(add3(moving, speed_of(tree, work, i, 0.0)), linear(V)) + angular(V)


@inner
def rotor_momentum(tree, par, work, k):
    """Angular momentum of the rotors of three rates from k on."""
    at, u = integer(tree, PAR_ROTOR) + k, integer(tree, W_U) + k
    return (
        load(par, at, 0.0) * load(work, u, 0.0),
        load(par, at + 1, 0.0) * load(work, u + 1, 0.0),
        load(par, at + 2, 0.0) * load(work, u + 2, 0.0),
    )


@inner
def add_kinetic_slope(tree, par, work, i, record, moving, h, slope):
    """Add dT/dx along the rates of body i, at fixed rates u: h.(V x S), V the velocity of what those rates turn with.

    h is the momentum of all that the body carries; both are relative to the centre of mass.
    """
    first, count, kind = integer(tree, record + RATE), integer(tree, record + RATE_COUNT), integer(tree, record + KIND)
    rates, u = integer(tree, W_RATE), integer(tree, W_U)
    if i == 0:  # turned about inertial axes, all at once
        V = in_com_frame(tree, work, 0, moving, load6(work, integer(tree, W_BODY) + VELOCITY, 0.0))
        for k in range(first, first + count):
            if base_axis(tree, k) >= 3:
                S_k = load6(work, rates + k * RATE_WORK + S, 0.0)
                store(work, slope + k, load(work, slope + k, 0.0) + dot6(h, cross_motion(V, S_k)))
        return
    V = load6(work, integer(tree, W_BODY) + integer(tree, record + PARENT) * BODY_WORK + VELOCITY, 0.0)
    V = motion_from_parent(tree, work, i, in_com_frame(tree, work, integer(tree, record + PARENT), moving, V), 0.0)
    together = first + count - 3 if kind == SPHERICAL or kind == FREE else first + count
    for k in range(first, first + count):
        S_k = load6(work, rates + k * RATE_WORK + S, 0.0)
        store(work, slope + k, load(work, slope + k, 0.0) + dot6(h, cross_motion(V, S_k)))
        if k < together:
            V = add_scaled6(V, load(work, u + k, 0.0), S_k)
    if together < first + count:
        # rotors of a turn resist changes of its rates alone: they are not carried round with the child's axes
        w = load3(work, u + together, 0.0)
        gyration = cross(w, rotor_momentum(tree, par, work, together))
        store3(work, slope + together, add3(load3(work, slope + together, 0.0), gyration))


@inner
def momenta(tree, par, work, p, slope):
    """Momenta relative to the centre of mass into p, and dT/dx added to `slope`, of all rates but sliding ones.

    Poses, velocities and inertias must be there. To `slope` they add what the centre of mass keeps of the forces along.
    """
    bodies, rates, u = integer(tree, W_BODY), integer(tree, W_RATE), integer(tree, W_U)
    moving, _, m = relative_to_com(tree, work)
    write_base_columns(tree, work, 0.0)
    total = base_part(tree, work, slope, 1, 0, 0.0)
    for i in range(integer(tree, BODIES)):
        body = bodies + i * BODY_WORK
        V = in_com_frame(tree, work, i, moving, load6(work, body + VELOCITY, 0.0))
        store6(work, body + FORCE, momentum_of(work, body, V, 0.0))
        for j in range(4):
            store(work, body + ACCELERATION + j, load(work, body + INERTIA + j, 0.0))
    for i in range(integer(tree, BODIES) - 1, -1, -1):
        record, body = integer(tree, BODY_AT) + i * BODY_INTS, bodies + i * BODY_WORK
        h = load6(work, body + FORCE, 0.0)
        first = integer(tree, record + RATE)
        add_kinetic_slope(tree, par, work, i, record, moving, h, slope)
        for k in range(first, first + integer(tree, record + RATE_COUNT)):
            S_k = load6(work, rates + k * RATE_WORK + S, 0.0)
            rotor = shared(par, integer(tree, PAR_ROTOR) + k, 0.0)
            store(work, p + k, dot6(S_k, h) + rotor * load(work, u + k, 0.0))
            # at a given centre of mass the base gives way to what the rate moves
            carried = add3(
                scale3(load(work, body + ACCELERATION, 0.0), linear(S_k)),
                cross(angular(S_k), load3(work, body + ACCELERATION + 1, 0.0)),
            )
            if i > 0 or base_axis(tree, k) >= 3:
                store(work, slope + k, load(work, slope + k, 0.0) - dot3(carried, total) / m)
        if i > 0:
            above = bodies + integer(tree, record + PARENT) * BODY_WORK
            store6(work, above + FORCE, add6(load6(work, above + FORCE, 0.0), force_to_parent(tree, work, i, h, 0.0)))
            mass, moment = load(work, body + ACCELERATION, 0.0), load3(work, body + ACCELERATION + 1, 0.0)
            if integer(tree, record + OPENS):
                moment = add3(moment, scale3(mass, lever_of(tree, work, i, 0.0)))
            # mass and first moment of all that the body carries
            store(work, above + ACCELERATION, load(work, above + ACCELERATION, 0.0) + mass)
            store3(work, above + ACCELERATION + 1, add3(load3(work, above + ACCELERATION + 1, 0.0), moment))


@inner
def forces_and_momenta(tree, par, work, p, slope):
    """At the coordinates, rates and accelerations in `work`: momenta, and the forces that all this takes plus dT/dx."""
    motion_forces_under(tree, par, work, (0.0, 0.0, 0.0), True, 0.0)
    gather_forces(tree, par, work, 0.0)
    for k in range(integer(tree, RATES)):
        store(work, slope + k, load(work, integer(tree, W_RATE) + k * RATE_WORK + TAU, 0.0))
    momenta(tree, par, work, p, slope)


@inner
def turn_momenta(phi, p, g, h, side):
    """Momenta before and after of one turn: in inertial axes (side 1), or in those of the child (-1)."""
    half = scale3(0.5, phi)
    middle = add3(p, scale3(0.5 * h, turn_velocity(half, g, -side)))
    turned = turn_velocity(half, turn_rate(half, g, side), -side)
    return sub3(turn_rate(phi, middle, side), scale3(h, turned)), turn_rate(phi, middle, -side)


@inner
def end_momenta(sim, h):
    """Write the residual of the equation for the step into RESIDUE, and the momentum after the step into AFTER."""
    nv, s, p = integer(sim.tree, RATES), vector(sim, STEP), vector(sim, MIDDLE)
    g, before = vector(sim, FORCES_AND_SLOPE), vector(sim, BEFORE)
    left, after = vector(sim, RESIDUE), vector(sim, AFTER)
    for k in range(nv):
        slope, middle = load(sim.work, g + k, 0.0), load(sim.work, p + k, 0.0)
        store(sim.work, left + k, middle - 0.5 * h * slope)
        store(sim.work, after + k, middle + 0.5 * h * slope)
    for k in range(sliding_rates(sim.tree)):  # the centre of mass: nothing to be solved
        store(sim.work, left + k, load(sim.work, before + k, 0.0))
        store(sim.work, after + k, load(sim.work, before + k, 0.0) + h * load(sim.work, g + k, 0.0))
    a, b = turn_momenta(
        base_part(sim.tree, sim.work, s, 1, 3, 0.0),
        base_part(sim.tree, sim.work, p, 1, 3, 0.0),
        base_part(sim.tree, sim.work, g, 1, 3, 0.0),
        h,
        1.0,
    )
    store_base_part(sim.tree, sim.work, left, 3, a, 0.0)
    store_base_part(sim.tree, sim.work, after, 3, b, 0.0)
    for i in range(1, integer(sim.tree, BODIES)):
        record = integer(sim.tree, BODY_AT) + i * BODY_INTS
        kind = integer(sim.tree, record + KIND)
        if kind == SPHERICAL or kind == FREE:
            k = integer(sim.tree, record + RATE) + integer(sim.tree, record + RATE_COUNT) - 3
            a, b = turn_momenta(
                load3(sim.work, s + k, 0.0), load3(sim.work, p + k, 0.0), load3(sim.work, g + k, 0.0), h, -1.0
            )
            store3(sim.work, left + k, a)
            store3(sim.work, after + k, b)
    for k in range(nv):
        rest = load(sim.work, left + k, 0.0) - load(sim.work, before + k, 0.0)
        store(sim.work, left + k, rest)
        # the residual, rounding, is not passed to the next step
        store(sim.work, after + k, load(sim.work, after + k, 0.0) - rest)


@inner
def rates_of_momenta(tree, par, work, p):
    """Rates of momenta relative to the centre of mass, into QDD; columns and inertias must be there."""
    for k in range(integer(tree, RATES)):
        rate = integer(tree, W_RATE) + k * RATE_WORK
        store(work, rate + TAU, 0.0 if k < sliding_rates(tree) else load(work, p + k, 0.0))
        store(work, rate + QDD, 0.0)
    for i in range(integer(tree, BODIES)):
        store6(work, integer(tree, W_BODY) + i * BODY_WORK + FORCE, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    solve_in_place(tree, par, work, 0.0)


@inner
def momenta_at_start(sim):
    """Momenta and centre of mass of the present state, at the start and after an action."""
    nv, now, before = integer(sim.tree, RATES), integer(sim.plan, Y_NOW), vector(sim, BEFORE)
    move_along(sim.tree, sim.work, integer(sim.plan, Y_ORIGIN), now, integer(sim.tree, W_X), 0.0)
    inertial_rates(sim.tree, sim.work, integer(sim.tree, W_X), now + nv, integer(sim.tree, W_U), 0.0)
    for k in range(nv):
        store(sim.work, integer(sim.tree, W_RATE) + k * RATE_WORK + QDD, 0.0)
    motion_forces_under(sim.tree, sim.par, sim.work, (0.0, 0.0, 0.0), True, 0.0)
    v, com, m = relative_to_com(sim.tree, sim.work)
    forces_and_momenta(sim.tree, sim.par, sim.work, before, vector(sim, FORCES_AND_SLOPE))
    for k in range(sliding_rates(sim.tree)):
        store(sim.work, before + k, m * (load(sim.work, now + nv + k, 0.0) - pick3(v, k)))
        store(sim.work, vector(sim, COM_BEFORE) + k, pick3(com, k))


@inner
def pick3(v, k):
    """Component k of a vector."""
    return v[0] if k == 0 else v[1] if k == 1 else v[2]


@inner
def improve(sim, h, m):
    """One correction of the step, by the mass matrix in the middle: its largest entry, and the step's."""
    s, largest, longest, slides = vector(sim, STEP), 0.0, 0.0, sliding_rates(sim.tree)
    before, g = vector(sim, BEFORE), vector(sim, FORCES_AND_SLOPE)
    rates_of_momenta(sim.tree, sim.par, sim.work, vector(sim, RESIDUE))
    for k in range(integer(sim.tree, RATES)):
        change = h * load(sim.work, integer(sim.tree, W_RATE) + k * RATE_WORK + QDD, 0.0)
        if k < slides:
            momentum = load(sim.work, before + k, 0.0) + 0.5 * h * load(sim.work, g + k, 0.0)
            change = load(sim.work, s + k, 0.0) - h * momentum / m
        store(sim.work, s + k, load(sim.work, s + k, 0.0) - change)
        largest = max(largest, abs(change)) if change == change else 1e300
        longest = max(longest, abs(load(sim.work, s + k, 0.0)))
    return largest, longest


@inner
def place_middle(sim, y, h):
    """The vector y in the middle of the step, with the rates of laws' states that were found last; the robot's mass."""
    nv, now, K, s = integer(sim.tree, RATES), integer(sim.plan, Y_NOW), integer(sim.plan, Y_K), vector(sim, STEP)
    for k in range(nv):
        store(sim.work, y + k, 0.5 * load(sim.work, s + k, 0.0))
        store(sim.work, y + nv + k, load(sim.work, s + k, 0.0) / h)
        store(sim.work, integer(sim.tree, W_U) + k, load(sim.work, s + k, 0.0) / h)
        store(sim.work, integer(sim.tree, W_RATE) + k * RATE_WORK + QDD, 0.0)
    move_along(sim.tree, sim.work, integer(sim.plan, Y_ORIGIN), y, integer(sim.tree, W_X), 0.0)
    turn_into_base(sim.tree, sim.work, integer(sim.tree, W_X), y + nv, 0.0)
    motion_forces_under(sim.tree, sim.par, sim.work, (0.0, 0.0, 0.0), True, 0.0)
    v, com, m = relative_to_com(sim.tree, sim.work)
    for k in range(sliding_rates(sim.tree)):  # the step's are the centre of mass's
        moved = pick3(com, k) - load(sim.work, vector(sim, COM_BEFORE) + k, 0.0)
        store(sim.work, y + k, load(sim.work, y + k, 0.0) - moved)
        store(sim.work, y + nv + k, load(sim.work, y + nv + k, 0.0) + pick3(v, k))
    for j in range(2 * nv, integer(sim.plan, SIZE)):
        change = 0.5 * h * load(sim.work, K + j, 0.0) if j < 2 * nv + integer(sim.plan, INTERNAL) else 0.0
        store(sim.work, y + j, load(sim.work, now + j, 0.0) + change)
    return m


@inner
def finish(sim, h, target):
    """The vector at the end of the step."""
    nv, now, K, s = integer(sim.tree, RATES), integer(sim.plan, Y_NOW), integer(sim.plan, Y_K), vector(sim, STEP)
    move_along(sim.tree, sim.work, integer(sim.plan, Y_ORIGIN), s, integer(sim.tree, W_X), 0.0)
    place(sim.tree, sim.par, sim.work, 0.0)
    weigh(sim.tree, sim.par, sim.work, 0.0)
    m, first = first_moment(sim.tree, sim.par, sim.work, 0.0)
    rates_of_momenta(sim.tree, sim.par, sim.work, vector(sim, AFTER))
    for k in range(nv):
        store(sim.work, target + k, load(sim.work, s + k, 0.0))
        store(sim.work, target + nv + k, load(sim.work, integer(sim.tree, W_RATE) + k * RATE_WORK + QDD, 0.0))
    turn_into_base(sim.tree, sim.work, integer(sim.tree, W_X), target + nv, 0.0)
    for k in range(sliding_rates(sim.tree)):
        com = pick3(first, k) / m
        store(sim.work, vector(sim, COM_AFTER) + k, com)
        moved = com - load(sim.work, vector(sim, COM_BEFORE) + k, 0.0)
        store(sim.work, target + k, load(sim.work, target + k, 0.0) - moved)
        with_com = load(sim.work, vector(sim, AFTER) + k, 0.0) / m
        store(sim.work, target + nv + k, load(sim.work, target + nv + k, 0.0) + with_com)
    for j in range(2 * nv, integer(sim.plan, SIZE)):
        store(sim.work, target + j, load(sim.work, now + j, 0.0) + h * load(sim.work, K + j, 0.0))


def _variational_step(own, t, h, target, due):
    sim = sim_at(own)
    nv, size, now, K = (
        integer(sim.tree, RATES),
        integer(sim.plan, SIZE),
        integer(sim.plan, Y_NOW),
        integer(sim.plan, Y_K),
    )
    error, y = array_at(integer(sim.plan, SPARE)), K + size
    store(error, integer(sim.plan, S_MATRIX), 1e300)
    if due != 0:
        evaluate(sim, t, now, K, due)
    if load_counter(sim.counters, C_FRESH) == 0:
        momenta_at_start(sim)
        store_counter(sim.counters, C_FRESH, 1)
    step = vector(sim, STEP)
    inertial_rates(sim.tree, sim.work, integer(sim.plan, Y_ORIGIN), now + nv, step, 0.0)
    for k in range(nv):  # of the centre of mass it is corrected at once
        store(sim.work, step + k, h * load(sim.work, step + k, 0.0))
    for j in range(size):
        store(sim.work, K + j, 0.0)
    before = 1e300
    for _ in range(MAX_ITERATIONS):
        m = place_middle(sim, y, h)
        evaluate(sim, t + 0.5 * h, y, K, 0)
        forces_and_momenta(sim.tree, sim.par, sim.work, vector(sim, MIDDLE), vector(sim, FORCES_AND_SLOPE))
        end_momenta(sim, h)
        change, longest = improve(sim, h, m)
        if change <= 4e-15 * longest or (change < 1e-11 * longest and change >= 0.5 * before):
            store(error, integer(sim.plan, S_MATRIX), 0.0)
            break
        if not change < 1e100:
            return
        before = change
    finish(sim, h, target)
    if target == integer(sim.plan, Y_NEW):  # a step, not an interpolation within one that was taken
        copy(sim.tree, sim.work, vector(sim, AFTER), vector(sim, KEPT))
        copy(sim.tree, sim.work, vector(sim, COM_AFTER), vector(sim, COM_KEPT))


@inner
def keep_momentum(sim):
    """After an accepted step, keep its final momentum as the initial one of the next step."""
    copy(sim.tree, sim.work, vector(sim, KEPT), vector(sim, BEFORE))
    copy(sim.tree, sim.work, vector(sim, COM_KEPT), vector(sim, COM_BEFORE))


@cache
def variational_address():
    """The step as a C function: compiled when it is first used, apart from the driver."""
    return Address(_variational_step, STEP_SIGNATURE, "variational.step")
