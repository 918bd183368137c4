"""Make the records of all near places, of every sort: axes, columns, velocity without impulses."""

from ..elements.touches import next_touch, sleeps_at
from ..robot.layout import *  # noqa: F403
from ..robot.spatial import angular, dot3, load3, load6, scale3, store3, store6, sub3
from ..scalar.compiling import inner, outlined
from ..scalar.memory import integer, load, store
from ..scalar.pack import select, somewhere
from ..sim.layout import *  # noqa: F403
from .near_columns import (
    awake,
    awake_at,
    axes_about,
    free_speed,
    group_of_body,
    inverse_of,
    is_near,
    least_speed,
    make_joint_column,
    make_near_columns,
    moved,
    near_record,
    own_gain,
)
from .near_law import is_steep
from .near_rows import held_by_rows


@inner
def free_turning(sim, i, zero):
    """Angular velocity of body i after a step without impulses; zero of a body that cannot move or sleeps."""
    if i < 0:
        return zero, zero, zero
    w = angular(load6(sim.work, moved(sim, i), zero))
    if integer(sim.plan, SLEEPERS) > 0:
        w = scale3(awake(sim, group_of_body(sim, i), zero), w)
    return w


@inner
def free_rate(sim, mine, sign, zero):
    """The rate of a joint after a step without impulses, along its sign."""
    u = load(sim.work, integer(sim.plan, Y_FREE) + int(load(sim.memory, mine + TM_RATE, 0.0)), zero)
    if integer(sim.plan, SLEEPERS) > 0:
        u = awake(sim, group_of_body(sim, int(load(sim.memory, mine + TM_BODY, 0.0))), zero) * u
    return sign * u


@inner
def enter_point(sim, a, number, sort, zero):
    """Enter a place of contact, turning or rolling: axes, velocity, columns; return the number of rates."""
    mine, at = integer(sim.plan, M_TOUCH) + number * TM_NUMBERS, integer(sim.plan, Y_TOUCH) + number * TOUCH_NUMBERS
    bodies = int(load(sim.memory, mine + TM_BODY, 0.0)), int(load(sim.memory, mine + TM_OTHER, 0.0))
    n, levers = (
        load3(sim.work, at + T_NORMAL, zero),
        (
            load3(sim.work, at + T_AT, zero),
            load3(sim.work, at + T_OTHER_AT, zero),
        ),
    )
    x, y = axes_about(n, zero)
    turns = sort == TOUCH_TURN
    count = make_near_columns(sim, a, bodies, levers, (n, x, y), turns, zero)
    if turns:
        speed = sub3(free_turning(sim, bodies[0], zero), free_turning(sim, bodies[1], zero))
    else:
        speed = sub3(free_speed(sim, bodies[0], levers[0], zero), free_speed(sim, bodies[1], levers[1], zero))
    return (n, x, y), (dot3(n, speed), dot3(x, speed), dot3(y, speed)), count


@inner
def enter_joint(sim, a, number, zero):
    """Enter a place in a joint, whose only direction is a rate; return the number of rates."""
    mine, at = integer(sim.plan, M_TOUCH) + number * TM_NUMBERS, integer(sim.plan, Y_TOUCH) + number * TOUCH_NUMBERS
    one = zero + 1.0
    axes = ((one, zero, zero), (zero, one, zero), (zero, zero, one))
    sign = load(sim.work, at + T_AT, zero)
    pushed = int(load(sim.memory, mine + TM_RATE, 0.0)), sign
    count = make_joint_column(sim, a, int(load(sim.memory, mine + TM_BODY, 0.0)), pushed, zero)
    return axes, (free_rate(sim, mine, sign, zero), zero, zero), count


@inner
def enter_near(sim, a, number, near, h, zero):
    """Enter a near place: axes, velocity without impulses, columns, and the impulses that sweeps start from."""
    mine, at = integer(sim.plan, M_TOUCH) + number * TM_NUMBERS, integer(sim.plan, Y_TOUCH) + number * TOUCH_NUMBERS
    sort, about = int(load(sim.memory, mine + TM_SORT, 0.0)), integer(sim.plan, M_NEAR) + a * NM_NUMBERS
    if sort == TOUCH_STOP or sort == TOUCH_JOINT:
        axes, free, count = enter_joint(sim, a, number, zero)
    else:
        axes, free, count = enter_point(sim, a, number, sort, zero)
    if integer(sim.plan, ROWS) > 0:
        count = held_by_rows(sim, a, count, zero)
    n, x, y = axes
    record = near_record(sim, a)
    store3(sim.work, record + NEAR_AXES, n)
    store3(sim.work, record + NEAR_AXES + 3, x)
    store3(sim.work, record + NEAR_AXES + 6, y)
    store3(sim.work, record + NEAR_FREE, free)
    target, friction = least_speed(sim, at, n, free[0], h, zero), load(sim.work, at + T_FRICTION, zero)
    if sort == TOUCH_TURN:
        target = load(sim.work, at + T_RESTITUTION, zero)
    elif sort == TOUCH_JOINT:
        target, friction = zero, h * friction
    store(sim.work, record + NEAR_TARGET, target)
    store(sim.work, record + NEAR_FRICTION, friction)
    G = own_gain(sim, a, count, zero)
    some = select(G[0] > 0.0, near, zero)
    store(sim.work, record + NEAR_MASK, some)
    store6(sim.work, record + NEAR_GAIN, G)
    steep = sort < TOUCH_JOINT and somewhere(select(some > 0.0, is_steep(G, friction, zero), zero) > 0.0)
    store(sim.memory, about + NM_STEEP, 1.0 if steep else 0.0)
    store6(sim.work, record + NEAR_INVERSE, inverse_of(G, some, zero))
    f = load3(sim.work, integer(sim.plan, Y_TOUCHED) + 3 * number, zero)
    felt = (dot3(n, f), dot3(x, f), dot3(y, f))
    store3(sim.work, record + NEAR_IMPULSE, scale3(h * some, felt))
    store(sim.work, record + NEAR_TURNED, zero)
    store(sim.memory, about + NM_TOUCH, 1.0 * number)
    store(sim.memory, about + NM_COUNT, 1.0 * count)
    store(sim.memory, about + NM_SORT, 1.0 * sort)
    store(sim.memory, mine + TM_NEAR, 1.0 * a)


@inner
def nearness(sim, number, many, h, zero):
    """1 in lanes where a place may push or rub within a step; stores the place that a place of turning belongs to."""
    mine = integer(sim.plan, M_TOUCH) + number * TM_NUMBERS
    if int(load(sim.memory, mine + TM_SORT, 0.0)) == TOUCH_TURN:
        other = integer(sim.plan, M_TOUCH) + int(load(sim.memory, mine + TM_RATE, 0.0)) * TM_NUMBERS
        owner = int(load(sim.memory, other + TM_NEAR, 0.0))
        if owner < 0:
            return zero
        store(sim.memory, integer(sim.plan, M_NEAR) + many * NM_NUMBERS + NM_OWNER, 1.0 * owner)
        return load(sim.work, near_record(sim, owner) + NEAR_MASK, zero)
    near = is_near(sim, integer(sim.plan, Y_TOUCH) + number * TOUCH_NUMBERS, h, zero)
    if integer(sim.plan, SLEEPERS) > 0:
        near = select(awake_at(sim, number, zero) > 0.5, near, zero)
    return near


@outlined
def find_near(sim, h, zero):
    """Enter all places that are near in some lane; return their number."""
    many, number = 0, 0
    while number < integer(sim.plan, TOUCHES):
        mine = integer(sim.plan, M_TOUCH) + number * TM_NUMBERS
        store(sim.memory, mine + TM_NEAR, -1.0)
        if load(sim.memory, mine + TM_BODY, 0.0) >= 0.0 and not sleeps_at(sim, number):
            near = nearness(sim, number, many, h, zero)
            if somewhere(near > 0.5):
                enter_near(sim, many, number, near, h, zero)
                many += 1
        number = next_touch(sim, number)
    return many
