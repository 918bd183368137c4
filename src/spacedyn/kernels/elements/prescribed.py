"""Joints that move as given functions of time: their places in y, and their accelerations, wherever y is used.

A joint's mode says whether it is free, locked where it is, or moves as given: by polynomials between breaks
(PIECEWISE), or by a C function of time (FUNCTION):

    motion(t, -, parameters, out, sizes)

which writes value, rate and acceleration of each of the joint's coordinates; of an attitude it writes the quaternion
(x, y, z, w), and rate and acceleration of the angular velocity in the child's axes. No step crosses a break: the piece
is chosen once for the step, so that its ends see the limits from within where the acceleration jumps. A joint that was
switched to its motion follows it from where it was: its anchor is added to all values, or turns them.
"""

from ..robot.charts import load4, multiply_quaternions
from ..robot.layout import *  # noqa: F403
from ..robot.passive import rotation_vector
from ..robot.spatial import store3
from ..scalar.compiling import call, inner
from ..scalar.memory import integer, later, load, load_counter, store, store_counter
from ..sim.layout import *  # noqa: F403
from .kind import collective_kind


@collective_kind
def prescribed_joints(sim, t, y, k, zero):
    """What is prescribed at time t: chart coordinates and rates into the vector at y, accelerations into QDD."""
    for i in range(integer(sim.plan, PRESCRIBED)):
        record = integer(sim.plan, PRESCRIBED_AT) + i * JOINT_INTS
        kind, count = integer(sim.plan, record + J_KIND), integer(sim.plan, record + J_COUNT)
        mode = load(sim.memory, integer(sim.plan, M_MODE) + i, 0.0)
        if mode == MODE_FREE:
            continue
        if mode == MODE_LOCKED:
            for j in range(count):
                rate = integer(sim.plan, record + J_RATE) + j
                store(sim.work, y + rate, zero)
                store(sim.work, y + integer(sim.tree, RATES) + rate, zero)
            continue
        if kind == PIECEWISE:
            evaluate_piece(sim, record, t)
        else:
            parameters = later(sim.numbers, integer(sim.plan, record + J_NUMBERS))
            out, sizes = (
                later(sim.memory, integer(sim.plan, M_MOTION)),
                later(sim.plan, integer(sim.plan, record + J_PLACES)),
            )
            # numbers that a function does not write are zero, not those of the joint before
            for j in range(3 * count + integer(sim.plan, record + J_ATTITUDE)):
                store(out, j, 0.0)
            store(sim.memory, integer(sim.plan, M_CALLED), -1.0 - i)
            call(integer(sim.plan, record + J_ADDRESS), t, out, parameters, out, sizes)
            store(sim.memory, integer(sim.plan, M_CALLED), 0.0)
        place_joint(sim, record, y, zero)


@inner
def place_joint(sim, record, y, zero):
    """Value, rate and acceleration of a joint, from memory, into the vector at y and QDD."""
    count, out, turned = (
        integer(sim.plan, record + J_COUNT),
        integer(sim.plan, M_MOTION),
        integer(sim.plan, record + J_ATTITUDE),
    )
    simple, rate = count - 3 * turned, out + count + turned
    for j in range(simple):
        origin = load(sim.work, integer(sim.plan, Y_ORIGIN) + integer(sim.plan, record + J_COORDINATE) + j, zero)
        value = load(sim.memory, out + j, 0.0)
        if integer(sim.plan, MODES) > 0:
            value += load(
                sim.memory, integer(sim.plan, M_ANCHOR) + integer(sim.plan, record + J_COORDINATE) - 7 + j, 0.0
            )
        store(sim.work, y + integer(sim.plan, record + J_RATE) + j, value - origin)
    if turned > 0:
        place_attitude(sim, record, simple, y, zero)
    for j in range(count):
        k = integer(sim.plan, record + J_RATE) + j
        store(sim.work, y + integer(sim.tree, RATES) + k, zero + load(sim.memory, rate + j, 0.0))
        place = integer(sim.tree, W_RATE) + k * RATE_WORK + QDD
        store(sim.work, place, zero + load(sim.memory, rate + count + j, 0.0))


@inner
def place_attitude(sim, record, first, y, zero):
    """The rotation vector from the chart's origin to the attitude that is prescribed, in the child's axes."""
    x, at = integer(sim.plan, record + J_COORDINATE) + first, integer(sim.plan, M_MOTION) + first
    wanted = load4(sim.memory, at, 0.0)
    if integer(sim.plan, MODES) > 0:
        wanted = multiply_quaternions(load4(sim.memory, integer(sim.plan, M_ANCHOR) + x - 7, 0.0), wanted)
    a, b, c, d = load4(sim.work, integer(sim.plan, Y_ORIGIN) + x, zero)
    rest = multiply_quaternions(
        (-a, -b, -c, d), (zero + wanted[0], zero + wanted[1], zero + wanted[2], zero + wanted[3])
    )
    store3(
        sim.work, y + integer(sim.plan, record + J_RATE) + first, rotation_vector(rest[0], rest[1], rest[2], rest[3])
    )


@inner
def evaluate_piece(sim, record, t):
    """The polynomials of the present piece and their two derivatives, by Horner's rule, into memory."""
    count, out = integer(sim.plan, record + J_COUNT), integer(sim.plan, M_MOTION)
    pieces, degree = integer(sim.plan, record + J_PIECES), integer(sim.plan, record + J_DEGREE)
    breaks, piece = (
        integer(sim.plan, record + J_NUMBERS),
        load_counter(sim.counters, integer(sim.plan, record + J_PIECE)),
    )
    s = t - load(sim.numbers, breaks + piece, 0.0)
    for j in range(count):
        at = breaks + pieces + 1 + (piece * count + j) * (degree + 1)
        value, rate, half_acceleration = 0.0, 0.0, 0.0
        for d in range(degree + 1):
            half_acceleration = half_acceleration * s + rate
            rate = rate * s + value
            value = value * s + load(sim.numbers, at + d, 0.0)
        store(sim.memory, out + j, value)
        store(sim.memory, out + count + j, rate)
        store(sim.memory, out + 2 * count + j, 2.0 * half_acceleration)


@inner
def choose_pieces(sim, middle):
    """The pieces for a step around the time `middle`; whether any is another than before."""
    changed = False
    for i in range(integer(sim.plan, PRESCRIBED)):
        record = integer(sim.plan, PRESCRIBED_AT) + i * JOINT_INTS
        if integer(sim.plan, record + J_KIND) != PIECEWISE:
            continue
        breaks, place = integer(sim.plan, record + J_NUMBERS), integer(sim.plan, record + J_PIECE)
        piece = load_counter(sim.counters, place)
        while piece + 1 < integer(sim.plan, record + J_PIECES) and load(sim.numbers, breaks + piece + 1, 0.0) <= middle:
            piece += 1
            changed = True
        store_counter(sim.counters, place, piece)
    return changed
