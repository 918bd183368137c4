"""Forces on bodies that are not a law's: wrenches, springs and tethers, drag. A table of elements, one loop.

Each adds to the FORCE of its bodies, and gives its share of the ledger: power other than elastic, elastic energy,
tension, and, unless it acts between two bodies of the robot, force and moment from outside.
"""

from ..robot.kinematics import base_part
from ..robot.layout import *  # noqa: F403
from ..robot.segments import force_about_base, origin_of, speed_of
from ..robot.spatial import (
    add3,
    add6,
    angular,
    apply_symmetric,
    cross,
    dot3,
    linear,
    load3,
    load6,
    load9,
    scale3,
    shared3,
    store6,
    sub3,
    turn,
    turn_symmetric,
)
from ..scalar.compiling import inner, outlined
from ..scalar.memory import integer, load, load_counter, shared, store, store_counter
from ..scalar.pack import select, sqrt
from ..sim.layout import *  # noqa: F403


@inner
def point_on(work, body, place, zero):
    """From a body's reference point to a point that is fixed to the body."""
    return add3(load3(work, body + POSITION, zero), turn(load9(work, body + ROTATION, zero), place))


@inner
def point_velocity(tree, work, i, r, zero):
    """Velocity of body i's point at r."""
    V = load6(work, integer(tree, W_BODY) + i * BODY_WORK + VELOCITY, zero)
    v0 = add3(base_part(tree, work, integer(tree, W_U), 1, 0, zero), speed_of(tree, work, i, zero))
    return add3(v0, add3(linear(V), cross(angular(V), r)))


@inner
def push(work, body, wrench, zero):
    """A wrench on a body, about its reference point: so much less does its motion take."""
    F = load6(work, body + FORCE, zero)
    store6(work, body + FORCE, add6(F, scale3(-1.0, linear(wrench)) + scale3(-1.0, angular(wrench))))


@inner
def applied_wrench(sim, at, i, zero):
    """A given force and moment at a point of body i; the wrench about its reference point, and its power."""
    body = integer(sim.tree, W_BODY) + i * BODY_WORK
    nothing = (zero, zero, zero)
    f, n = add3(nothing, shared3(sim.numbers, at + 3, zero)), add3(nothing, shared3(sim.numbers, at + 6, zero))
    frame = int(load(sim.numbers, at + 9, 0.0))  # of a body, counted from 1; 0: inertial axes
    if frame > 0:
        R = load9(sim.work, integer(sim.tree, W_BODY) + (frame - 1) * BODY_WORK + ROTATION, zero)
        f, n = turn(R, f), turn(R, n)
    r = point_on(sim.work, body, shared3(sim.numbers, at, zero), zero)
    power = dot3(f, point_velocity(sim.tree, sim.work, i, r, zero)) + dot3(
        n, angular(load6(sim.work, body + VELOCITY, zero))
    )
    return f + add3(n, cross(r, f)), power


@inner
def drag(sim, at, i, zero):
    """-C v at a body's centre of mass and -D w, with C and D fixed to the body; the wrench, and its power."""
    body = integer(sim.tree, W_BODY) + i * BODY_WORK
    R, V = load9(sim.work, body + ROTATION, zero), load6(sim.work, body + VELOCITY, zero)
    r = point_on(sim.work, body, shared3(sim.par, i * BODY_PARS + P_COM, zero), zero)
    v, w = point_velocity(sim.tree, sim.work, i, r, zero), angular(V)
    C = turn_symmetric(R, shared3(sim.numbers, at, zero) + shared3(sim.numbers, at + 3, zero))
    D = turn_symmetric(R, shared3(sim.numbers, at + 6, zero) + shared3(sim.numbers, at + 9, zero))
    f, n = scale3(-1.0, apply_symmetric(C, v)), scale3(-1.0, apply_symmetric(D, w))
    return f + add3(n, cross(r, f)), dot3(f, v) + dot3(n, w)


@inner
def spring(sim, at, i, other, zero):
    """Pull of a spring, with a damper beside it, on body i towards a point of another or of the inertial frame.

    The wrench on the first body, on the second, the damper's power, the elastic energy, the tension. A tether only
    pulls.
    """
    a = point_on(sim.work, integer(sim.tree, W_BODY) + i * BODY_WORK, shared3(sim.numbers, at, zero), zero)
    va, place = point_velocity(sim.tree, sim.work, i, a, zero), shared3(sim.numbers, at + 3, zero)
    between = scale3(-1.0, origin_of(sim.tree, sim.work, i, zero))  # the reference points
    if other < 0:
        b, vb = sub3(place, load3(sim.work, integer(sim.tree, W_X), zero)), (zero, zero, zero)
    else:
        b = point_on(sim.work, integer(sim.tree, W_BODY) + other * BODY_WORK, place, zero)
        vb = point_velocity(sim.tree, sim.work, other, b, zero)
        between = add3(between, origin_of(sim.tree, sim.work, other, zero))
    along = add3(between, sub3(b, a))
    square = dot3(along, along)
    length = sqrt(square)
    along = scale3(1.0 / select(square > 0.0, length, zero + 1.0), along)
    rate, stretch = dot3(sub3(vb, va), along), length - shared(sim.numbers, at + 8, zero)
    if load(sim.numbers, at + 9, 0.0) > 0.0:
        stretch = select(stretch > 0.0, stretch, zero)
    elastic = shared(sim.numbers, at + 6, zero) * stretch
    tension = elastic + shared(sim.numbers, at + 7, zero) * rate
    if load(sim.numbers, at + 9, 0.0) > 0.0:
        tension = select(stretch > 0.0, select(tension > 0.0, tension, zero), zero)
    f = scale3(tension, along)
    back = scale3(-1.0, f)
    return f + cross(a, f), back + cross(b, back), (elastic - tension) * rate, 0.5 * elastic * stretch, tension


@outlined
def apply_elements(sim, ledger, zero):
    """All elements: their wrenches on bodies, their power into the ledger, the sum of what comes from outside."""
    count, at_energy = integer(sim.plan, FORCES), integer(sim.plan, Y_FORCES)
    total = (zero, zero, zero, zero, zero, zero)
    for i in range(count):
        record = integer(sim.plan, FORCE_AT) + i * ELEMENT_INTS
        kind, at = integer(sim.plan, record + E_KIND), integer(sim.plan, record + E_NUMBERS)
        one, other = integer(sim.plan, record + E_BODY), integer(sim.plan, record + E_OTHER)
        body = integer(sim.tree, W_BODY) + one * BODY_WORK
        energy, tension, power = zero, zero, zero
        wrench = (zero, zero, zero, zero, zero, zero)
        if kind == SPRING:
            wrench, opposite, power, energy, tension = spring(sim, at, one, other, zero)
            if other >= 0:
                push(sim.work, integer(sim.tree, W_BODY) + other * BODY_WORK, opposite, zero)
        elif kind == DRAG:
            wrench, power = drag(sim, at, one, zero)
        elif load_counter(sim.counters, integer(sim.plan, record + E_PHASE)) == 1:
            wrench, power = applied_wrench(sim, at, one, zero)
        push(sim.work, body, wrench, zero)
        if other < 0:
            total = add6(total, force_about_base(sim.tree, sim.work, one, wrench, zero))
        store(sim.work, ledger + i, power)
        store(sim.work, at_energy + i, energy)
        store(sim.work, at_energy + count + i, tension)
    return total


@inner
def switch_elements(sim, middle):
    """Which wrenches act in a step around the time `middle`; whether that is another than before."""
    changed = False
    for i in range(integer(sim.plan, FORCES)):
        record = integer(sim.plan, FORCE_AT) + i * ELEMENT_INTS
        if integer(sim.plan, record + E_KIND) == WRENCH:
            place, at = integer(sim.plan, record + E_PHASE), integer(sim.plan, record + E_NUMBERS) + 10
            phase = 1 if load(sim.numbers, at, 0.0) <= middle < load(sim.numbers, at + 1, 0.0) else 0
            if phase != load_counter(sim.counters, place):
                store_counter(sim.counters, place, phase)
                changed = True
    return changed
