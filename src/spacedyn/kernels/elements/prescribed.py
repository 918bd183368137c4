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
from ..scalar.compiling import call, inner, outlined
from ..scalar.memory import integer, later, load, load_counter, store, store_counter
from ..sim.layout import *  # noqa: F403


@outlined
def prescribe(tree, work, plan, numbers, memory, counters, t, y, zero):
    """What is prescribed at time t: chart coordinates and rates into the vector at y, accelerations into QDD."""
    for i in range(integer(plan, PRESCRIBED)):
        record = integer(plan, PRESCRIBED_AT) + i * JOINT_INTS
        kind, count = integer(plan, record + J_KIND), integer(plan, record + J_COUNT)
        mode = load(memory, integer(plan, M_MODE) + i, 0.0)
        if mode == MODE_FREE:
            continue
        if mode == MODE_LOCKED:
            for j in range(count):
                k = integer(plan, record + J_RATE) + j
                store(work, y + k, zero)
                store(work, y + integer(tree, RATES) + k, zero)
            continue
        if kind == PIECEWISE:
            evaluate_piece(plan, numbers, memory, counters, record, t)
        else:
            parameters = later(numbers, integer(plan, record + J_NUMBERS))
            out, sizes = later(memory, integer(plan, M_MOTION)), later(plan, record + J_SIZES)
            for j in range(
                3 * count + integer(plan, record + J_ATTITUDE)
            ):  # what a function leaves out is zero, whatever the joint before had
                store(out, j, 0.0)
            store(memory, integer(plan, M_CALLED), -1.0 - i)
            call(integer(plan, record + J_ADDRESS), t, out, parameters, out, sizes)
            store(memory, integer(plan, M_CALLED), 0.0)
        place_joint(tree, work, plan, memory, record, y, zero)


@inner
def place_joint(tree, work, plan, memory, record, y, zero):
    """Value, rate and acceleration of a joint, from memory, into the vector at y and QDD."""
    count, out, turned = integer(plan, record + J_COUNT), integer(plan, M_MOTION), integer(plan, record + J_ATTITUDE)
    simple, rate = count - 3 * turned, out + count + turned
    for j in range(simple):
        origin = load(work, integer(plan, Y_ORIGIN) + integer(plan, record + J_COORDINATE) + j, zero)
        value = load(memory, out + j, 0.0)
        if integer(plan, MODES) > 0:
            value += load(memory, integer(plan, M_ANCHOR) + integer(plan, record + J_COORDINATE) - 7 + j, 0.0)
        store(work, y + integer(plan, record + J_RATE) + j, value - origin)
    if turned > 0:
        place_attitude(work, plan, memory, record, simple, y, zero)
    for j in range(count):
        k = integer(plan, record + J_RATE) + j
        store(work, y + integer(tree, RATES) + k, zero + load(memory, rate + j, 0.0))
        place = integer(tree, W_RATE) + k * RATE_WORK + QDD
        store(work, place, zero + load(memory, rate + count + j, 0.0))


@inner
def place_attitude(work, plan, memory, record, first, y, zero):
    """The rotation vector from the chart's origin to the attitude that is prescribed, in the child's axes."""
    x, at = integer(plan, record + J_COORDINATE) + first, integer(plan, M_MOTION) + first
    wanted = load4(memory, at, 0.0)
    if integer(plan, MODES) > 0:
        wanted = multiply_quaternions(load4(memory, integer(plan, M_ANCHOR) + x - 7, 0.0), wanted)
    a, b, c, d = load4(work, integer(plan, Y_ORIGIN) + x, zero)
    rest = multiply_quaternions(
        (-a, -b, -c, d), (zero + wanted[0], zero + wanted[1], zero + wanted[2], zero + wanted[3])
    )
    store3(work, y + integer(plan, record + J_RATE) + first, rotation_vector(rest[0], rest[1], rest[2], rest[3]))


@inner
def evaluate_piece(plan, numbers, memory, counters, record, t):
    """The polynomials of the present piece and their two derivatives, by Horner's rule, into memory."""
    count, out = integer(plan, record + J_COUNT), integer(plan, M_MOTION)
    pieces, degree = integer(plan, record + J_PIECES), integer(plan, record + J_DEGREE)
    breaks, piece = integer(plan, record + J_NUMBERS), load_counter(counters, integer(plan, record + J_PIECE))
    s = t - load(numbers, breaks + piece, 0.0)
    for j in range(count):
        at = breaks + pieces + 1 + (piece * count + j) * (degree + 1)
        value, rate, half_acceleration = 0.0, 0.0, 0.0
        for d in range(degree + 1):
            half_acceleration = half_acceleration * s + rate
            rate = rate * s + value
            value = value * s + load(numbers, at + d, 0.0)
        store(memory, out + j, value)
        store(memory, out + count + j, rate)
        store(memory, out + 2 * count + j, 2.0 * half_acceleration)


@inner
def choose_pieces(plan, numbers, counters, middle):
    """The pieces for a step around the time `middle`; whether any is another than before."""
    changed = False
    for i in range(integer(plan, PRESCRIBED)):
        record = integer(plan, PRESCRIBED_AT) + i * JOINT_INTS
        if integer(plan, record + J_KIND) != PIECEWISE:
            continue
        breaks, place = integer(plan, record + J_NUMBERS), integer(plan, record + J_PIECE)
        piece = load_counter(counters, place)
        while piece + 1 < integer(plan, record + J_PIECES) and load(numbers, breaks + piece + 1, 0.0) <= middle:
            piece += 1
            changed = True
        store_counter(counters, place, piece)
    return changed
