"""Users' elements: C functions behind addresses, like laws, called for each robot with plain doubles.

    element(t, view, parameters, out, places)

`view` is what laws see of the robot, and behind it what is the element's own: states, commands, sides of its guards,
and for each of its points position (3), rotation (9), velocity (6). What it writes goes to places in `work` by a table;
on dual numbers its tangents are central differences, for its code is not ours. Constraint rows of its own (rows.py) it
writes as residual, gradient and bias.
"""

from ..robot.layout import *  # noqa: F403
from ..robot.spatial import add3, compose, dot3, load3, scale3, store3, store9
from ..scalar.compiling import call, inner
from ..scalar.lanes import add_number, add_tangent, directions_in, number_in, tangent_in
from ..scalar.memory import integer, lanes_of, later, load, store
from ..sim.layout import *  # noqa: F403
from .kind import (
    angular_velocity,
    channel,
    command,
    is_sampled,
    joint_rate,
    kept,
    kind,
    lever,
    matrix,
    own,
    position,
    push_body,
    push_joint,
    rotation,
    side,
    state,
    vector,
    velocity,
    work_done,
)
from .rows import constrain, multiplier, push_row, push_row_joint, turning
from .spans import time_within

# its integers: address; table of places for the function; how many states, commands, guards; how many numbers it
# writes, and where in plan the table is that says where each goes (place, behind what); whether its work is
# computed from what it pushes; how many joints' rates, and where in work its forces on them are; how many points,
# then the body of each and where its wrench is; how many constraint rows, on how many joint rates, which stand behind
# the points
ADDRESS, PLACES, STATES, COMMANDED, SIDES, WRITTEN, TABLE, RECKONED, RATES_, FORCES, POINTS, ROWS_, JOINTS_ = range(13)
FIRST_POINT = 13
# what it keeps of a row: residual, drift, bias; force and moment at each of its points; forces on its joints
ROW_RESIDUAL, ROW_OWN_DRIFT, ROW_OWN_BIAS, ROW_PUSHES = range(4)
# its numbers: for each point its place and rotation on its body, then its parameters
CALLED = 1_000_000  # plus the place of the element's record: the number in M_CALLED while its function runs
NUDGE = 6e-6  # relative step of central differences: truncation and rounding errors are both some 1e-11
POINT_VIEW = 18
IN_WORK, BEHIND_K, BEHIND_Y = range(3)  # bases of output places: work itself, k for rates, y for samples


@kind
def program(sim, e, t, y, k, zero):
    """Call the function for each robot, and push what it writes."""
    fill_own_view(sim, e, y, zero)
    count, table = own(sim, e, WRITTEN), own(sim, e, TABLE)
    for j in range(count):
        if not is_sample(sim, table, j):
            store(sim.work, place_of(sim, table, j, y, k), zero)
    for lane in range(lanes_of(zero)):
        for j in range(integer(sim.plan, VIEW) + own_view(sim, e)):
            store(sim.memory, integer(sim.plan, M_VIEW) + j, number_in(sim.work, seen_at(sim, j), lane, zero))
        call_program(sim, e, t, y, lane, zero)
        for j in range(count):
            value, at = load(sim.memory, integer(sim.plan, M_OUT) + j, 0.0), place_of(sim, table, j, y, k)
            if not is_sample(sim, table, j):
                add_number(sim.work, at, lane, value, zero)
            elif is_sampled(sim, e, lane, zero):
                store(sim.work, at * lanes_of(zero) + lane, value)
    for lane in range(directions_in(zero)):
        add_tangents(sim, e, t, y, k, lane, zero)
    push_all(sim, e, k, zero)
    for j in range(own(sim, e, ROWS_)):
        write_row(sim, e, j, zero)


@kind
def settle_program(sim, e, t, y, k, zero):
    """Record the multipliers of its rows, its last channel, and what they push at its points."""
    points, joints = own(sim, e, POINTS), own(sim, e, JOINTS_)
    first = own(sim, e, FIRST_POINT + 2 * points + joints)
    for j in range(own(sim, e, ROWS_)):
        push, at = multiplier(sim, e, j, zero), j * row_kept(points, joints) + ROW_PUSHES
        channel(sim, e, first + j, push)
        for i in range(points):
            wrench, row = own(sim, e, FIRST_POINT + 2 * i + 1), at + 6 * i
            f, n = scale3(push, kept3(sim, e, row, zero)), scale3(push, kept3(sim, e, row + 3, zero))
            store3(sim.work, wrench, add3(load3(sim.work, wrench, zero), f))
            store3(sim.work, wrench + 3, add3(load3(sim.work, wrench + 3, zero), n))


@inner
def own_view(sim, e):
    """Number of the numbers that it sees in addition to the laws' view."""
    points = POINT_VIEW * own(sim, e, POINTS)
    return own(sim, e, STATES) + own(sim, e, COMMANDED) + own(sim, e, SIDES) + points


@inner
def seen_at(sim, j):
    """Where number j of what it sees is in work: what laws see, then its own."""
    robot = integer(sim.plan, VIEW)
    return integer(sim.plan, Y_VIEW) + j if j < robot else integer(sim.plan, Y_OWN_VIEW) + j - robot


@inner
def is_sample(sim, table, j):
    """Whether number j of what it writes is a sample, which it holds from an instant on."""
    return integer(sim.plan, table + 2 * j + 1) == BEHIND_Y


@inner
def place_of(sim, table, j, y, k):
    """Where number j of what it writes goes in work."""
    behind = integer(sim.plan, table + 2 * j + 1)
    return integer(sim.plan, table + 2 * j) + (k if behind == BEHIND_K else y if behind == BEHIND_Y else 0)


@inner
def fill_own_view(sim, e, y, zero):
    """States, commands, sides and points, as scalars."""
    at = integer(sim.plan, Y_OWN_VIEW)
    for i in range(own(sim, e, STATES)):
        store(sim.work, at + i, state(sim, e, i, y, zero))
    at += own(sim, e, STATES)
    for i in range(own(sim, e, COMMANDED)):
        store(sim.work, at + i, command(sim, e, i, zero))
    at += own(sim, e, COMMANDED)
    for i in range(own(sim, e, SIDES)):
        store(sim.work, at + i, side(sim, e, i, zero))
    at += own(sim, e, SIDES)
    for i in range(own(sim, e, POINTS)):
        body = own(sim, e, FIRST_POINT + 2 * i)
        r = lever(sim, body, vector(sim, e, 12 * i, zero), zero)
        store3(sim.work, at, position(sim, body, r, zero))
        store9(sim.work, at + 3, compose(rotation(sim, body, zero), matrix(sim, e, 12 * i + 3, zero)))
        store3(sim.work, at + 12, velocity(sim, body, r, zero))
        store3(sim.work, at + 15, angular_velocity(sim, body, zero))
        at += POINT_VIEW


@inner
def call_program(sim, e, t, y, lane, zero):
    """Call the function with what is at M_VIEW; what it writes is at M_OUT. Samples that it does not write stay."""
    view, out, table = integer(sim.plan, M_VIEW), integer(sim.plan, M_OUT), own(sim, e, TABLE)
    for j in range(own(sim, e, WRITTEN)):
        held = 0.0
        if is_sample(sim, table, j):
            held = number_in(sim.work, place_of(sim, table, j, y, 0), lane, zero)
        store(sim.memory, out + j, held)
    parameters = later(sim.numbers, integer(sim.plan, e + E_NUMBERS) + 12 * own(sim, e, POINTS))
    places = later(sim.plan, own(sim, e, PLACES))
    store(sim.memory, integer(sim.plan, M_CALLED), 1.0 * (CALLED + e))
    call(
        own(sim, e, ADDRESS),
        time_within(sim, e, t),
        later(sim.memory, view),
        parameters,
        later(sim.memory, out),
        places,
    )
    store(sim.memory, integer(sim.plan, M_CALLED), 0.0)


@inner
def add_tangents(sim, e, t, y, k, lane, zero):
    """Tangent `lane` of what it writes, by a central difference along that of what it sees."""
    count, seen, largest = own(sim, e, WRITTEN), integer(sim.plan, VIEW) + own_view(sim, e), 0.0
    for j in range(seen):
        largest = max(largest, abs(tangent_in(sim.work, seen_at(sim, j), lane)))
    if largest == 0.0:
        return
    for direction in range(2):
        step = NUDGE / largest if direction == 0 else -NUDGE / largest
        for j in range(seen):
            at = seen_at(sim, j)
            value = number_in(sim.work, at, 0, zero) + step * tangent_in(sim.work, at, lane)
            store(sim.memory, integer(sim.plan, M_VIEW) + j, value)
        call_program(sim, e, t, y, 0, zero)
        for j in range(count):
            if not is_sample(sim, own(sim, e, TABLE), j):
                slope = 0.5 * load(sim.memory, integer(sim.plan, M_OUT) + j, 0.0) / step
                add_tangent(sim.work, place_of(sim, own(sim, e, TABLE), j, y, k), lane, slope)


@inner
def row_kept(points, joints):
    """How many numbers it keeps of a row."""
    return ROW_PUSHES + 6 * points + joints


@inner
def kept3(sim, e, i, zero):
    """Three numbers that it has kept."""
    return kept(sim, e, i, zero), kept(sim, e, i + 1, zero), kept(sim, e, i + 2, zero)


@inner
def write_row(sim, e, j, zero):
    """Constraint row j, as its function has written it: the rate is that of what it pushes."""
    points, joints = own(sim, e, POINTS), own(sim, e, JOINTS_)
    at = j * row_kept(points, joints)
    drift, first_rate = kept(sim, e, at + ROW_OWN_DRIFT, zero), FIRST_POINT + 2 * points
    rate, bias = drift, kept(sim, e, at + ROW_OWN_BIAS, zero)
    for i in range(points):
        f, n = kept3(sim, e, at + ROW_PUSHES + 6 * i, zero), kept3(sim, e, at + ROW_PUSHES + 6 * i + 3, zero)
        body = own(sim, e, FIRST_POINT + 2 * i)
        r = lever(sim, body, vector(sim, e, 12 * i, zero), zero)
        rate += dot3(f, velocity(sim, body, r, zero)) + dot3(n, angular_velocity(sim, body, zero))
        bias += dot3(f, turning(sim, body, r, zero))
    for i in range(joints):
        rate += kept(sim, e, at + ROW_PUSHES + 6 * points + i, zero) * joint_rate(
            sim, own(sim, e, first_rate + i), zero
        )
    constrain(sim, e, j, kept(sim, e, at + ROW_RESIDUAL, zero), rate, bias, drift)
    for i in range(points):
        f, n = kept3(sim, e, at + ROW_PUSHES + 6 * i, zero), kept3(sim, e, at + ROW_PUSHES + 6 * i + 3, zero)
        r = lever(sim, own(sim, e, FIRST_POINT + 2 * i), vector(sim, e, 12 * i, zero), zero)
        push_row(sim, e, j, i, f, n, r, zero)
    for i in range(joints):
        push_row_joint(sim, e, j, i, kept(sim, e, at + ROW_PUSHES + 6 * points + i, zero))


@inner
def push_all(sim, e, k, zero):
    """Its forces on joints and its wrenches at points act; their power, if that is its work."""
    power, base = zero, integer(sim.tree, BASE_RATES)
    for j in range(own(sim, e, RATES_)):
        force = load(sim.work, own(sim, e, FORCES) + j, zero)
        push_joint(sim, base + j, force, zero)
        power += force * joint_rate(sim, base + j, zero)
    for i in range(own(sim, e, POINTS)):
        body, wrench = own(sim, e, FIRST_POINT + 2 * i), own(sim, e, FIRST_POINT + 2 * i + 1)
        f, n = load3(sim.work, wrench, zero), load3(sim.work, wrench + 3, zero)
        r = lever(sim, body, vector(sim, e, 12 * i, zero), zero)
        push_body(sim, body, f, n, r, zero)
        power += dot3(f, velocity(sim, body, r, zero)) + dot3(n, angular_velocity(sim, body, zero))
    if own(sim, e, RECKONED) == 1:
        work_done(sim, e, k, power)
