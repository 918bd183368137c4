"""Groups of bodies at rest fall asleep and wake; only contact connects one group with another.

A group falls asleep if it and all groups that touch it have been held up by contact, without acceleration, and slow for
the element's time. It is set at rest; its kinetic energy and momentum are booked in the ledger. While groups sleep they
stand still, contacts among them are neither searched nor solved, and the impulse of other forces on them is booked,
too. A group wakes, within the same step, where an awake one pushes it, and when its accelerations without contact
differ from those at which it fell asleep, since another force acts.
"""

from ..elements.kind import angular_velocity, parameter, velocity, weigh
from ..elements.sleeping import REST_SPEED, REST_TIME
from ..robot.kinematics import is_given
from ..robot.layout import *  # noqa: F403
from ..robot.segments import force_about_base, rests_rate, segment_of, segment_record
from ..robot.spatial import add3, add6, angular, linear, load6, scale3, store6
from ..scalar.compiling import inner, outlined
from ..scalar.fused_vectors import apply_symmetric, cross, dot3
from ..scalar.memory import integer, load, store, store_counter
from ..scalar.pack import fused, magnitude, select, somewhere
from ..sim.layout import *  # noqa: F403
from .near_columns import asleep_at, group_of_body, group_of_rate, moved, near_record
from .right_hand_side import add_impulse, impulse_at
from .row_motion import scaled6

STILL = 8.0  # steps asleep after which rounding no longer changes attitudes, so that contacts need no new search
SAME = 1e-9  # of the greatest acceleration of a group: a change that wakes it
STEADY = 1e-4  # of the squared accelerations without contact: a group with less, with contact, is held up


@inner
def load_sleep(sim, g, what, zero):
    """A number of a group."""
    return load(sim.work, asleep_at(sim, g) + what, zero)


@inner
def store_sleep(sim, g, what, value):
    """Write a number of a group."""
    store(sim.work, asleep_at(sim, g) + what, value)


@inner
def may_sleep(sim, g):
    """Whether a group may sleep."""
    return integer(sim.plan, integer(sim.plan, GROUP_AT) + integer(sim.tree, BODIES) + integer(sim.tree, RATES) + g)


@inner
def hangs_loose(sim, g):
    """Whether a group hangs on a loose joint, and nothing but contact can wake it."""
    return integer(
        sim.plan,
        integer(sim.plan, GROUP_AT)
        + integer(sim.tree, BODIES)
        + integer(sim.tree, RATES)
        + integer(sim.plan, SLEEPERS)
        + g,
    )


@inner
def clear_sums(sim, zero):
    """Set two sums of each group to zero; they are in the memory of z, which is not in use here."""
    at, nv = integer(sim.plan, Y_FREE) + integer(sim.tree, RATES), integer(sim.tree, RATES)
    for g in range(integer(sim.plan, SLEEPERS)):
        store(sim.work, at + g, zero)
        store(sim.work, at + nv + g, zero)


@inner
def sums_of(sim, g, zero):
    """The two sums of group g."""
    at, nv = integer(sim.plan, Y_FREE) + integer(sim.tree, RATES) + g, integer(sim.tree, RATES)
    return load(sim.work, at, zero), load(sim.work, at + nv, zero)


@inner
def store_sums(sim, g, one, other):
    """Write the two sums of group g."""
    at, nv = integer(sim.plan, Y_FREE) + integer(sim.tree, RATES) + g, integer(sim.tree, RATES)
    store(sim.work, at, one)
    store(sim.work, at + nv, other)


@inner
def body_energy(sim, i, zero):
    """Kinetic energy of a body now, and its mass."""
    m, c, J = weigh(sim, i, zero)
    v, w = velocity(sim, i, c, zero), angular_velocity(sim, i, zero)
    return 0.5 * fused(m, dot3(v, v), dot3(apply_symmetric(J, w), w)), m


# --- where a step begins ----------------------------------------------------------------------------------------------


@inner
def measure_speeds(sim, zero):
    """The greatest speed of each group that is awake somewhere: of a body's energy, over its mass."""
    for g in range(integer(sim.plan, SLEEPERS)):
        store_sleep(sim, g, SL_FAST, zero)
    for i in range(integer(sim.tree, BODIES)):
        g = group_of_body(sim, i)
        if g >= 0 and load(sim.memory, integer(sim.plan, M_SKIP) + i, 0.0) == 0.0:
            energy, m = body_energy(sim, i, zero)
            fast = select(m > 0.0, 2.0 * energy / select(m > 0.0, m, zero + 1.0), zero)
            most = load_sleep(sim, g, SL_FAST, zero)
            store_sleep(sim, g, SL_FAST, select(fast > most, fast, most))


@inner
def wake_pushed(sim, zero):
    """Wake groups whose accelerations have changed; remember those of groups that have just fallen asleep."""
    held, first = integer(sim.plan, Y_SLEEP) + integer(sim.plan, SLEEPERS) * SL_NUMBERS, integer(sim.tree, W_RATE)
    clear_sums(sim, zero)
    for k in range(integer(sim.tree, RATES)):
        g = group_of_rate(sim, k)
        count = load_sleep(sim, g, SL_ASLEEP, zero)
        if not rests_rate(sim.tree, k) and somewhere(count > 0.5):
            now, before = load(sim.work, first + k * RATE_WORK + QDD, zero), load(sim.work, held + k, zero)
            before = select(count > 1.5, before, now)
            store(sim.work, held + k, before)
            size, other, (most, change) = magnitude(before), magnitude(now - before), sums_of(sim, g, zero)
            store_sums(sim, g, select(size > most, size, most), select(other <= change, change, other))
    for g in range(integer(sim.plan, SLEEPERS)):
        count = load_sleep(sim, g, SL_ASLEEP, zero)
        if somewhere(count > 0.5):
            most, change = sums_of(sim, g, zero)
            wakes = select(count > 0.5, change - SAME * most, zero) > 0.0
            count = select(count > 0.5, select(count < STILL + 0.5, count + 1.0, count), zero)
            store_sleep(sim, g, SL_ASLEEP, select(wakes, zero, count))
            store_sleep(sim, g, SL_QUIET, select(wakes, zero, load_sleep(sim, g, SL_QUIET, zero)))


@inner
def fall_asleep(sim, target, zero):
    """Put marked groups to sleep if they are still slow; book their energy in the ledger."""
    e, any_falls = integer(sim.plan, SLEEPER), False
    limit = parameter(sim, e, REST_SPEED, zero)
    for g in range(integer(sim.plan, SLEEPERS)):
        falls = load_sleep(sim, g, SL_FALLS, zero)
        if somewhere(falls > 0.5):
            falls = select(load_sleep(sim, g, SL_FAST, zero) < limit, falls, zero)
            store_sleep(sim, g, SL_FALLS, falls)
            store_sleep(sim, g, SL_ASLEEP, select(falls > 0.5, zero + 1.0, load_sleep(sim, g, SL_ASLEEP, zero)))
            any_falls = True
    if not any_falls:
        return
    lost = zero
    for i in range(integer(sim.tree, BODIES)):
        g = group_of_body(sim, i)
        if g >= 0:
            falls = load_sleep(sim, g, SL_FALLS, zero)
            if somewhere(falls > 0.5):
                energy, _ = body_energy(sim, i, zero)
                lost += select(falls > 0.5, energy, zero)
    for g in range(integer(sim.plan, SLEEPERS)):
        store_sleep(sim, g, SL_FALLS, zero)
    at = target + integer(sim.plan, e + E_LOST)
    store(sim.work, at, load(sim.work, at, zero) + lost)


@inner
def mark_known(sim, zero):
    """Mark bodies that sleep in all lanes, whose contacts need no search.

    Segments on loose joints rest: their poses, factors and accelerations are not computed any more.
    """
    skip, everyone = integer(sim.plan, M_SKIP), 1.0
    for i in range(integer(sim.tree, BODIES)):
        g = group_of_body(sim, i)
        known = g < 0 or not somewhere(load_sleep(sim, g, SL_ASLEEP, zero) <= STILL)
        store(sim.memory, skip + i, 1.0 if known else 0.0)
        s = segment_of(sim.tree, i)
        if s > 0:  # its bodies are of one group
            resting = 1 if known and g >= 0 and hangs_loose(sim, g) != 0 else 0
            store_counter(sim.tree, segment_record(sim.tree, s) + SEGMENT_RESTS, resting)
        if not known:
            everyone = 0.0
    store(sim.memory, skip + integer(sim.tree, BODIES), everyone)


@outlined
def begin_sleep(sim, h, target, zero):
    """At the start of a step, with accelerations known and `target` initialised: wake groups, put groups to sleep."""
    measure_speeds(sim, zero)
    wake_pushed(sim, zero)
    fall_asleep(sim, target, zero)
    mark_known(sim, zero)
    limit = parameter(sim, integer(sim.plan, SLEEPER), REST_SPEED, zero)
    for g in range(integer(sim.plan, SLEEPERS)):
        slow = select(load_sleep(sim, g, SL_FAST, zero) < limit, load_sleep(sim, g, SL_HELD, zero), zero)
        quiet = load_sleep(sim, g, SL_QUIET, zero)
        store_sleep(sim, g, SL_QUIET, select(slow > 0.5, quiet + h, zero))


# --- within a step ----------------------------------------------------------------------------------------------------


@inner
def groups_at(sim, a):
    """Both groups of the near place a, -1 for what cannot move."""
    number = int(load(sim.memory, integer(sim.plan, M_NEAR) + a * NM_NUMBERS + NM_TOUCH, 0.0))
    mine = integer(sim.plan, M_TOUCH) + number * TM_NUMBERS
    i, j = int(load(sim.memory, mine + TM_BODY, 0.0)), int(load(sim.memory, mine + TM_OTHER, 0.0))
    return group_of_body(sim, i), group_of_body(sim, j) if j >= 0 else -1


@inner
def pushed_at(sim, a, zero):
    """The impulse at the near place a, without mere friction."""
    if load(sim.memory, integer(sim.plan, M_NEAR) + a * NM_NUMBERS + NM_SORT, 0.0) > 1.0 * TOUCH_STOP:
        return zero
    return load(sim.work, near_record(sim, a) + NEAR_IMPULSE, zero)


@outlined
def wake_touched(sim, many, zero):
    """Wake groups that awake ones push; whether there was any."""
    any_wakes = False
    for a in range(many):
        p = pushed_at(sim, a, zero)
        first, second = groups_at(sim, a)
        for which in range(2):
            g = first if which == 0 else second
            if g >= 0:
                wakes = select(p > 0.0, load_sleep(sim, g, SL_ASLEEP, zero), zero)
                if somewhere(wakes > 0.5):
                    any_wakes = True
                    store_sleep(sim, g, SL_ASLEEP, select(wakes > 0.5, zero, load_sleep(sim, g, SL_ASLEEP, zero)))
                    store_sleep(sim, g, SL_QUIET, select(wakes > 0.5, zero, load_sleep(sim, g, SL_QUIET, zero)))
    if any_wakes:
        mark_known(sim, zero)
    return any_wakes


# --- where it ends ----------------------------------------------------------------------------------------------------


@inner
def hold_asleep(sim, target, zero):
    """Make sleeping groups stand still; book the momentum that they would have had as an external impulse."""
    nv, held = integer(sim.tree, RATES), (zero, zero, zero, zero, zero, zero)
    for i in range(integer(sim.tree, BODIES)):
        g = group_of_body(sim, i)
        if g >= 0:
            asleep = load_sleep(sim, g, SL_ASLEEP, zero)
            if somewhere(asleep > 0.5):
                m, c, J = weigh(sim, i, zero)
                V = load6(sim.work, moved(sim, i), zero)
                p = scale3(m, add3(linear(V), cross(angular(V), c)))
                F = p + add3(apply_symmetric(J, angular(V)), cross(c, p))
                F = force_about_base(sim.tree, sim.work, i, F, zero)
                held = add6(held, scaled6(select(asleep > 0.5, zero - 1.0, zero), F))
    store6(sim.work, integer(sim.plan, Y_OUTSIDE), held)
    add_impulse(sim, impulse_at(sim, target), zero)
    for k in range(nv):
        g = group_of_rate(sim, k)
        if g >= 0:
            u = load(sim.work, target + nv + k, zero)
            store(sim.work, target + nv + k, select(load_sleep(sim, g, SL_ASLEEP, zero) > 0.5, zero, u))


@inner
def note_held(sim, many, h, target, zero):
    """Note the groups that contact holds up: pushed at a place, and hardly accelerated."""
    now, nv = integer(sim.plan, Y_NOW), integer(sim.tree, RATES)
    clear_sums(sim, zero)
    for k in range(nv):
        g, d = group_of_rate(sim, k), load(sim.work, target + nv + k, zero) - load(sim.work, now + nv + k, zero)
        a, (change, free) = h * load(sim.work, integer(sim.plan, Y_K) + nv + k, zero), sums_of(sim, g, zero)
        store_sums(sim, g, change + d * d, free + a * a)
    for g in range(integer(sim.plan, SLEEPERS)):
        change, free = sums_of(sim, g, zero)
        store_sleep(sim, g, SL_HELD, zero)
        store_sleep(sim, g, SL_FAST, select(change < STEADY * free, zero + 1.0, zero))
    for a in range(many):
        p = pushed_at(sim, a, zero)
        first, second = groups_at(sim, a)
        for which in range(2):
            g = first if which == 0 else second
            if g >= 0:
                steady, before = load_sleep(sim, g, SL_FAST, zero), load_sleep(sim, g, SL_HELD, zero)
                store_sleep(sim, g, SL_HELD, select(p > 0.0, steady, before))


@inner
def choose_falling(sim, many, zero):
    """Mark groups to fall asleep: those that have rested long enough and touch no group that has not."""
    wanted, going = parameter(sim, integer(sim.plan, SLEEPER), REST_TIME, zero), False
    for g in range(integer(sim.plan, SLEEPERS)):
        falls = zero
        if may_sleep(sim, g):
            awake = select(load_sleep(sim, g, SL_ASLEEP, zero) > 0.5, zero, zero + 1.0)
            falls = select(load_sleep(sim, g, SL_QUIET, zero) >= wanted, awake, zero)
            going = going or somewhere(falls > 0.5)
        store_sleep(sim, g, SL_FALLS, falls)
    for k in range(integer(sim.tree, RATES)):
        if is_given(sim.tree, k):  # a joint that is held moves its group, or may
            store_sleep(sim, group_of_rate(sim, k), SL_FALLS, zero)
    while going:
        going = False
        for a in range(many):
            first, second = groups_at(sim, a)
            if first >= 0 and second >= 0:
                p = pushed_at(sim, a, zero)
                one, other = load_sleep(sim, first, SL_FALLS, zero), load_sleep(sim, second, SL_FALLS, zero)
                apart = select(p > 0.0, magnitude(one - other), zero)
                if somewhere(apart > 0.5):
                    going = True
                    store_sleep(sim, first, SL_FALLS, select(apart > 0.5, zero, one))
                    store_sleep(sim, second, SL_FALLS, select(apart > 0.5, zero, other))


@outlined
def end_sleep(sim, many, h, target, zero):
    """At the end of a step: keep sleeping groups still, and mark groups that fall asleep with the next step."""
    hold_asleep(sim, target, zero)
    note_held(sim, many, h, target, zero)
    choose_falling(sim, many, zero)


@inner
def all_sleep(sim):
    """Whether all bodies of all lanes sleep, and nothing can wake one but an event."""
    if integer(sim.plan, SLEEPS_WHOLE) == 0:
        return False
    return load(sim.memory, integer(sim.plan, M_SKIP) + integer(sim.tree, BODIES), 0.0) > 0.0


@inner
def sleep_on(sim, target, zero):
    """A step in which all bodies sleep: only the time advances."""
    nv, now = integer(sim.tree, RATES), integer(sim.plan, Y_NOW)
    for k in range(nv):
        store(sim.work, target + k, zero)
    for j in range(nv, integer(sim.plan, SIZE)):
        store(sim.work, target + j, load(sim.work, now + j, zero))
