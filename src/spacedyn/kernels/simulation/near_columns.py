"""Places that are near enough to touch within a step, and what impulses there change.

    G = J H^-1 J' = W W',   W = J L^-T D^(-1/2),   v = v_free + W z,   z = sum W' p

W of a place has entries only for the rates between its bodies and the root, three for each rate. The factors H = L D L'
of the dynamics give them by a sweep along that path, which ends at a loose joint. Places that share no rate are not
coupled.
"""

from ..robot.kinematics import base_axis, base_part, is_given
from ..robot.layout import *  # noqa: F403
from ..robot.loose_joints import is_loose
from ..robot.segments import lever_of, motion_from_parent, opens_segment, rests, shift_force
from ..robot.spatial import (
    add3,
    add_scaled6,
    angular,
    cross,
    dot3,
    dot6,
    linear,
    load3,
    load6,
    pick,
    scale3,
    store3,
    store6,
)
from ..scalar.compiling import inner, outlined
from ..scalar.memory import integer, load, store
from ..scalar.pack import select, sqrt
from ..sim.layout import *  # noqa: F403

REACH, AT_ONCE = 2.0, 0.5  # a place is near if its gap < (REACH speed + AT_ONCE [m/s]) h
TINY = 1e-12  # of a place's inverse mass: added to the diagonal, so that blocked directions are not singular
RESTS = 2.0  # slower approach than RESTS times the speed that forces give in a step does not bounce


@inner
def moved(sim, i):
    """Place in work of body i's motion after a step without impulses; behind the free rates, z and a second z."""
    return integer(sim.plan, Y_FREE) + 3 * integer(sim.tree, RATES) + 6 * i


@inner
def struck(sim, i):
    """Place in work of the change of body i's motion by impulses."""
    return moved(sim, integer(sim.tree, BODIES) + i)


@inner
def changes_at(sim):
    """Place in work of the change of all rates by impulses, in the place of the second z."""
    return integer(sim.plan, Y_FREE) + 2 * integer(sim.tree, RATES)


@outlined
def move_freely(sim, h, zero):
    """Rates after a step without impulses, and the motions of all bodies with them, about their reference points."""
    free = integer(sim.plan, Y_FREE)
    for k in range(integer(sim.tree, RATES)):
        qdd = load(sim.work, integer(sim.tree, W_RATE) + k * RATE_WORK + QDD, zero)
        store(sim.work, free + k, load(sim.work, integer(sim.tree, W_U) + k, zero) + h * qdd)
    move_bodies(sim, free, moved(sim, 0), zero)


@outlined
def move_bodies(sim, rates, motions, zero):
    """Motions of all bodies, about their reference points, with the rates at a place in work."""
    base = base_part(sim.tree, sim.work, rates, 1, 0, zero) + base_part(sim.tree, sim.work, rates, 1, 3, zero)
    store6(sim.work, motions, base)
    for i in range(1, integer(sim.tree, BODIES)):
        if rests(sim.tree, i):
            continue
        record = integer(sim.tree, BODY_AT) + i * BODY_INTS
        V = load6(sim.work, motions + 6 * integer(sim.tree, record + PARENT), zero)
        V = motion_from_parent(sim.tree, sim.work, i, V, zero)
        first = integer(sim.tree, record + RATE)
        for k in range(first, first + integer(sim.tree, record + RATE_COUNT)):
            column = load6(sim.work, integer(sim.tree, W_RATE) + k * RATE_WORK + S, zero)
            V = add_scaled6(V, load(sim.work, rates + k, zero), column)
        store6(sim.work, motions + 6 * i, V)


@inner
def struck_speed(sim, i, at, zero):
    """Change by impulses of the velocity of body i's point at `at`."""
    if i < 0 or rests(sim.tree, i):
        return zero, zero, zero
    V = load6(sim.work, struck(sim, i), zero)
    return add3(linear(V), cross(angular(V), at))


@inner
def free_speed(sim, i, at, zero):
    """Velocity of body i's point at `at` after a step without impulses; zero of bodies that cannot move or sleep."""
    if i < 0:
        return zero, zero, zero
    V = load6(sim.work, moved(sim, i), zero)
    v = add3(linear(V), cross(angular(V), at))
    if integer(sim.plan, SLEEPERS) > 0:
        v = scale3(awake(sim, group_of_body(sim, i), zero), v)
    return v


# --- who sleeps (sleep.py) --------------------------------------------------------------------------------------------


@inner
def asleep_at(sim, g):
    """Where in work the numbers of a group that sleeps together are."""
    return integer(sim.plan, Y_SLEEP) + g * SL_NUMBERS


@inner
def group_of_body(sim, i):
    """The group of body i; -1 if it cannot move."""
    return integer(sim.plan, integer(sim.plan, GROUP_AT) + i)


@inner
def group_of_rate(sim, k):
    """The group that rate k moves."""
    return integer(sim.plan, integer(sim.plan, GROUP_AT) + integer(sim.tree, BODIES) + k)


@inner
def awake(sim, g, zero):
    """1 in lanes where a group is awake, and for bodies that cannot move; 0 where it sleeps."""
    if g < 0:
        return zero + 1.0
    return select(load(sim.work, asleep_at(sim, g) + SL_ASLEEP, zero) > 0.5, zero, zero + 1.0)


@inner
def awake_at(sim, number, zero):
    """1 in lanes where one of the bodies at a place can move and is awake."""
    mine = integer(sim.plan, M_TOUCH) + number * TM_NUMBERS
    found = zero
    for which in range(2):
        i = int(load(sim.memory, mine + TM_BODY + which, 0.0))
        if i >= 0 and group_of_body(sim, i) >= 0:
            mine_awake = awake(sim, group_of_body(sim, i), zero)
            found = select(mine_awake > 0.5, mine_awake, found)
    return found


@inner
def axes_about(n, zero):
    """Two unit vectors across a unit vector (Duff and others, JCGT 6, 2017)."""
    sign = select(n[2] < 0.0, zero - 1.0, zero + 1.0)
    a = -1.0 / (sign + n[2])
    b = n[0] * n[1] * a
    x = (1.0 + sign * n[0] * n[0] * a, sign * b, -sign * n[0])
    return x, (b, sign + n[1] * n[1] * a, -n[1])


# --- columns ----------------------------------------------------------------------------------------------------------


@inner
def near_record(sim, a):
    """Where in work the numbers of the near place a are."""
    return integer(sim.plan, Y_NEAR) + a * NEAR_NUMBERS


@inner
def near_column(sim, a):
    """Where in work the columns of the near place a are, three numbers for each rate of its path."""
    return integer(sim.plan, Y_NEAR_COLUMN) + 3 * a * integer(sim.plan, PATH)


@inner
def path_of(sim, a):
    """Place in memory of the list of rates that move the near place a, its path."""
    return integer(sim.plan, M_PATH) + a * integer(sim.plan, PATH)


@inner
def add_rate_column(sim, a, k, count, left, zero):
    """Add rate k to the columns of the near place a, or to its entry there; return the number of rates in its path."""
    mark = integer(sim.plan, M_MARK) + k
    known = int(load(sim.memory, mark, 0.0))
    root = sqrt(load(sim.work, integer(sim.tree, W_RATE) + k * RATE_WORK + D_INVERSE, zero))
    if integer(sim.plan, SLEEPERS) > 0:
        root = root * awake(sim, group_of_rate(sim, k), zero)
    left = scale3(root, left)
    if known > 0:
        at = near_column(sim, a) + 3 * (known - 1)
        store3(sim.work, at, add3(load3(sim.work, at, zero), left))
        return count
    store(sim.memory, mark, 1.0 * (count + 1))
    store(sim.memory, path_of(sim, a) + count, 1.0 * k)
    store3(sim.work, near_column(sim, a) + 3 * count, left)
    return count + 1


@inner
def pass_rate(sim, a, k, count, forces, taken, push, zero):
    """Eliminate a rate from three forces on their way to the root; return the number of rates, and the forces left.

    `push`: generalized force on the rate itself that goes with the first of the three.
    """
    if is_given(sim.tree, k):
        return count, forces
    left = (push - taken[0], -taken[1], -taken[2])
    count = add_rate_column(sim, a, k, count, left, zero)
    gain = load6(sim.work, integer(sim.tree, W_RATE) + k * RATE_WORK + GAIN, zero)
    F, P, Q = forces
    return count, (add_scaled6(F, left[0], gain), add_scaled6(P, left[1], gain), add_scaled6(Q, left[2], gain))


@inner
def sweep_path(sim, a, i, count, forces, pushed, zero):
    """Add the columns of three forces on body i, on the path to the root or to a loose joint; return the rates' number.

    `pushed`: a rate that the first of them pushes directly, -1 for none, and the force on it.
    """
    while i > 0:
        record = integer(sim.tree, BODY_AT) + i * BODY_INTS
        first = integer(sim.tree, record + RATE)
        for k in range(first + integer(sim.tree, record + RATE_COUNT) - 1, first - 1, -1):
            column = load6(sim.work, integer(sim.tree, W_RATE) + k * RATE_WORK + S, zero)
            taken = (dot6(column, forces[0]), dot6(column, forces[1]), dot6(column, forces[2]))
            push = zero
            if k == pushed[0]:
                push = pushed[1]
            count, forces = pass_rate(sim, a, k, count, forces, taken, push, zero)
        if opens_segment(sim.tree, i):
            if is_loose(sim.tree, i):
                return count
            L = lever_of(sim.tree, sim.work, i, zero)
            forces = (shift_force(forces[0], L), shift_force(forces[1], L), shift_force(forces[2], L))
        i = integer(sim.tree, record + PARENT)
    for k in range(integer(sim.tree, BASE_RATES) - 1, -1, -1):
        axis = base_axis(sim.tree, k)
        taken = (pick(forces[0], axis), pick(forces[1], axis), pick(forces[2], axis))
        count, forces = pass_rate(sim, a, k, count, forces, taken, zero, zero)
    return count


@inner
def push_against(axis, at, sign):
    """The wrench for a sweep of a unit force along an axis at a point; `at` is the lever, and the sign is reversed."""
    f = scale3(-sign, axis)
    return f + cross(at, f)


@inner
def turn_against(axis, sign, zero):
    """The wrench for a sweep of a unit moment about an axis, with reversed sign."""
    return (zero, zero, zero) + scale3(-sign, axis)


@inner
def make_near_columns(sim, a, bodies, levers, axes, turns, zero):
    """Make the columns of the near place a, for unit impulses along its axes on both bodies; return the rates' number.

    `turns`: for unit angular impulses about the axes instead.
    """
    n, x, y = axes
    count = 0
    for which in range(2):
        i = bodies[0] if which == 0 else bodies[1]
        sign = 1.0 if which == 0 else -1.0
        if i >= 0:
            at = levers[0]
            if which == 1:
                at = levers[1]
            forces = (push_against(n, at, sign), push_against(x, at, sign), push_against(y, at, sign))
            if turns:
                forces = (turn_against(n, sign, zero), turn_against(x, sign, zero), turn_against(y, sign, zero))
            count = sweep_path(sim, a, i, count, forces, (-1, zero), zero)
    return clear_marks(sim, a, count)


@inner
def make_joint_column(sim, a, i, pushed, zero):
    """Make the columns of a place in a joint: one for a unit impulse on a rate of body i's joint, two of zeros."""
    none = (zero, zero, zero, zero, zero, zero)
    return clear_marks(sim, a, sweep_path(sim, a, i, 0, (none, none, none), pushed, zero))


@inner
def clear_marks(sim, a, count):
    """Clear the marks of the rates in the path of the near place a, whose columns are complete."""
    for j in range(count):
        store(sim.memory, integer(sim.plan, M_MARK) + int(load(sim.memory, path_of(sim, a) + j, 0.0)), 0.0)
    return count


@inner
def own_gain(sim, a, count, zero):
    """W W' of one place: (nn, n1, n2, 11, 22, 12)."""
    nn, nx, ny, xx, yy, xy = zero, zero, zero, zero, zero, zero
    for j in range(count):
        w = load3(sim.work, near_column(sim, a) + 3 * j, zero)
        nn, nx, ny = nn + w[0] * w[0], nx + w[0] * w[1], ny + w[0] * w[2]
        xx, yy, xy = xx + w[1] * w[1], yy + w[2] * w[2], xy + w[1] * w[2]
    more = TINY * (nn + xx + yy)
    return nn + more, nx, ny, xx + more, yy + more, xy


@inner
def inverse_of(G, some, zero):
    """The inverse of a symmetric matrix, in the same order; zero where the matrix is singular."""
    nn, nx, ny, xx, yy, xy = G
    a, b, c = xx * yy - xy * xy, ny * xy - nx * yy, nx * xy - ny * xx
    det = nn * a + nx * b + ny * c
    k = select(some > 0.0, 1.0 / select(some > 0.0, det, zero + 1.0), zero)
    return k * a, k * b, k * c, k * (nn * yy - ny * ny), k * (nn * xx - nx * nx), k * (nx * ny - nn * xy)


# --- places that are near ---------------------------------------------------------------------------------------------


@inner
def is_near(sim, at, h, zero):
    """1 in lanes where bodies may touch at a place within a step; also where the gap is NaN, so that the run fails."""
    v = load3(sim.work, at + T_SPEED, zero)
    reach = h * (REACH * sqrt(dot3(v, v)) + AT_ONCE)
    near = select(load(sim.work, at + T_GAP, zero) > reach, zero, zero + 1.0)
    return near + (1.0 - near) * load(sim.work, at + T_STRUCK, zero)


@inner
def least_speed(sim, at, n, free, h, zero):
    """Lower bound of the normal velocity after a step: it closes the gap, leaves a penetration slowly, or bounces."""
    gap, before = load(sim.work, at + T_GAP, zero), dot3(n, load3(sim.work, at + T_SPEED, zero))
    out = load(sim.numbers, integer(sim.plan, N_METHOD), 0.0)
    least = select(gap < 0.0, -gap / out, -gap / h)
    gained = RESTS * (before - free)
    back = -load(sim.work, at + T_RESTITUTION, zero) * before
    back = select(gap + h * free < 0.0, select(-before > gained, back, zero), zero)
    return select(back > 0.0, select(back > least, back, least), least)
