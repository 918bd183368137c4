"""One step of time-stepping through rigid contact: impulses instead of forces, all places at once.

    H (u+ - u) = h (F - c) + J' p,   q+ = q (+) h u+,   Coulomb's law between p and J u+, with v_n+ >= -gap / h

One evaluation of the right-hand side per step gives the motion without contact, its factors and all places;
near_impulses.py gives the impulses. Touching bodies close their gap and no more; positions move with the new rates.
Single bodies turn by the midpoint rule (free_spin.py); other robots take a second evaluation in flight (flight.py).
Moreau (1988); Stewart & Trinkle (1996); Anitescu (2006).
"""

from functools import cache

from ..elements.touches import next_touch, sleeps_at
from ..robot.charts import inertial_rates, turn_into_base
from ..robot.layout import *  # noqa: F403
from ..robot.segments import force_about_base, rests_rate
from ..robot.spatial import add6, fused3, load3, scale3, store3, store6
from ..scalar.compiling import Address, array_at, inner, outlined
from ..scalar.fused_vectors import cross, dot3
from ..scalar.memory import integer, load, store, zero_of
from ..scalar.pack import ONE, PACK, select
from ..sim.evaluate import STEP_SIGNATURE, evaluate
from ..sim.layout import *  # noqa: F403
from ..sim.sim import sim_at, varied_sim_at
from .flight import fly_on
from .free_spin import turn_freely
from .near_columns import awake_at, changes_at, move_bodies, move_freely, near_record, struck
from .near_given import account_given
from .near_impulses import find_impulses
from .near_places import find_near
from .near_rows import push_back
from .near_struck import are_struck, find_struck
from .near_sums import change_speed, impulses_at
from .right_hand_side import add_impulse, impulse_at, ledger_at
from .row_motion import change_motion, give_nothing
from .sleep import all_sleep, begin_sleep, end_sleep, sleep_on, wake_touched


@inner
def step_freely(sim, h, target, zero):
    """The vector after a step without contact, except its positions."""
    now, K = integer(sim.plan, Y_NOW), integer(sim.plan, Y_K)
    for j in range(integer(sim.plan, SIZE)):
        store(sim.work, target + j, load(sim.work, now + j, zero) + h * load(sim.work, K + j, zero))


@inner
def find_changes(sim, zero):
    """Compute the change of all rates by impulses."""
    change = changes_at(sim)
    give_nothing(sim, zero)
    change_motion(sim, impulses_at(sim), zero)
    for k in range(integer(sim.tree, RATES)):
        qdd = load(sim.work, integer(sim.tree, W_RATE) + k * RATE_WORK + QDD, zero)
        store(sim.work, change + k, zero if rests_rate(sim.tree, k) else qdd)


@outlined
def change_rates(sim, target, zero):
    """Add the change by impulses to the rates of the new vector."""
    nv, change = integer(sim.tree, RATES), changes_at(sim)
    find_changes(sim, zero)
    turn_into_base(sim.tree, sim.work, integer(sim.tree, W_X), change, zero)
    for k in range(nv):
        at = target + nv + k
        store(sim.work, at, load(sim.work, at, zero) + load(sim.work, change + k, zero))


@outlined
def strike_more(sim, h, zero):
    """Add places whose gaps struck bodies close within the step; return whether there are any."""
    find_changes(sim, zero)
    move_bodies(sim, changes_at(sim), struck(sim, 0), zero)
    return find_struck(sim, h, zero)


@inner
def forget_felt(sim, zero):
    """Set the last force at all places to zero, except at sleeping bodies."""
    for r in range(integer(sim.plan, ROWS)):
        store(sim.work, integer(sim.plan, Y_ROW_FELT) + r, zero)
    number = 0
    while number < integer(sim.plan, TOUCHES):
        if not sleeps_at(sim, number):
            at, keeps = integer(sim.plan, Y_TOUCHED) + 3 * number, zero
            if integer(sim.plan, SLEEPERS) > 0:
                if load(sim.memory, integer(sim.plan, M_TOUCH) + number * TM_NUMBERS + TM_BODY, 0.0) >= 0.0:
                    keeps = 1.0 - awake_at(sim, number, zero)
            for j in range(3):
                store(sim.work, at + j, select(keeps > 0.5, load(sim.work, at + j, zero), zero))
        number = next_touch(sim, number)


@inner
def solve_contact(sim, h, target, zero):
    """Impulses of all near places, including those of groups woken or struck in turn; return the places' number."""
    many, going = 0, True
    while going:
        many, going = find_near(sim, h, zero), False
        if many > 0:
            find_impulses(sim, many, target, zero)
            going = integer(sim.plan, SLEEPERS) > 0 and wake_touched(sim, many, zero)
            if not going and are_struck(sim, many, zero):
                going = strike_more(sim, h, zero)
    forget_felt(sim, zero)
    return many


@inner
def keep_felt(sim, number, mask, f, zero):
    """Store the force at a place, in lanes where the place was near."""
    at = integer(sim.plan, Y_TOUCHED) + 3 * number
    old = load3(sim.work, at, zero)
    store3(
        sim.work,
        at,
        (select(mask > 0.0, f[0], old[0]), select(mask > 0.0, f[1], old[1]), select(mask > 0.0, f[2], old[2])),
    )


@outlined
def account_impulses(sim, many, h, target, zero):
    """For the ledger: impulses from outside, and the energy lost at each element's places; forces for the record.

    The change of energy from u to u+ is H (u+ - u) times the mean rates; so each work uses the mean velocity.
    """
    outside = (zero, zero, zero, zero, zero, zero)
    for a in range(many):
        record = near_record(sim, a)
        number = int(load(sim.memory, integer(sim.plan, M_NEAR) + a * NM_NUMBERS + NM_TOUCH, 0.0))
        mine = integer(sim.plan, M_TOUCH) + number * TM_NUMBERS
        p, free, change = (
            load3(sim.work, record + NEAR_IMPULSE, zero),
            load3(sim.work, record + NEAR_FREE, zero),
            change_speed(sim, a, zero),
        )
        n, x, y = (
            load3(sim.work, record + NEAR_AXES, zero),
            load3(sim.work, record + NEAR_AXES + 3, zero),
            load3(sim.work, record + NEAR_AXES + 6, zero),
        )
        v = load3(sim.work, integer(sim.plan, Y_TOUCH) + number * TOUCH_NUMBERS + T_SPEED, zero)  # before
        twice = (dot3(n, v) + free[0] + change[0], dot3(x, v) + free[1] + change[1], dot3(y, v) + free[2] + change[2])
        lost = target + integer(sim.plan, int(load(sim.memory, mine + TM_ELEMENT, 0.0)) + E_LOST)
        store(sim.work, lost, load(sim.work, lost, zero) - 0.5 * dot3(p, twice))
        f = fused3(p[0], n, fused3(p[1], x, scale3(p[2], y)))
        keep_felt(sim, number, load(sim.work, record + NEAR_MASK, zero), scale3(1.0 / h, f), zero)
        sort = int(load(sim.memory, mine + TM_SORT, 0.0))
        if load(sim.memory, mine + TM_OTHER, 0.0) < 0.0 and (sort == TOUCH_POINT or sort == TOUCH_TURN):
            at = load3(sim.work, integer(sim.plan, Y_TOUCH) + number * TOUCH_NUMBERS + T_AT, zero)
            i = int(load(sim.memory, mine + TM_BODY, 0.0))
            F = f + cross(at, f)
            if sort == TOUCH_TURN:
                F = (zero, zero, zero) + f
            outside = add6(outside, force_about_base(sim.tree, sim.work, i, F, zero))
    if integer(sim.plan, ROWS) > 0:
        outside = add6(outside, push_back(sim, many, h, target, zero))
    store6(sim.work, integer(sim.plan, Y_OUTSIDE), outside)
    add_impulse(sim, impulse_at(sim, target), zero)


@inner
def account_joints(sim, h, target, zero):
    """For the ledger: work of joints' actuators at the mean of the rates before and after."""
    nv, base, now = integer(sim.tree, RATES), integer(sim.tree, BASE_RATES), integer(sim.plan, Y_NOW)
    ledger = ledger_at(sim, target)
    for k in range(base, nv):
        more = load(sim.work, target + nv + k, zero) - load(sim.work, now + nv + k, zero)
        work = 0.5 * h * load(sim.work, integer(sim.plan, Y_TAU) + k, zero) * more
        store(sim.work, ledger + k - base, load(sim.work, ledger + k - base, zero) + work)


def _step(kind, at):
    """A step, into `target`; a function for each kind of scalar."""

    def step(own, t, h, target, due):
        sim, zero = at(own), zero_of(kind)
        nv = integer(sim.tree, RATES)
        if integer(sim.plan, SLEEPERS) > 0 and all_sleep(sim):
            sleep_on(sim, target, zero)
            store(array_at(integer(sim.plan, SPARE)), integer(sim.plan, S_MATRIX), 0.0)
            return
        evaluate(sim, t, integer(sim.plan, Y_NOW), integer(sim.plan, Y_K), due)
        if integer(sim.plan, SPINNERS) > 0:
            turn_freely(sim, h, zero)
        step_freely(sim, h, target, zero)
        many = 0
        if integer(sim.plan, TOUCHES) > 0:
            move_freely(sim, h, zero)  # of all bodies that are awake
            if integer(sim.plan, SLEEPERS) > 0:
                begin_sleep(sim, h, target, zero)
            many = solve_contact(sim, h, target, zero)
        if many > 0:
            change_rates(sim, target, zero)
            account_impulses(sim, many, h, target, zero)
            if integer(sim.plan, PRESCRIBED) > 0:
                account_given(sim, many, h, target, zero)
        if integer(sim.plan, TOUCHES) > 0 and integer(sim.plan, SLEEPERS) > 0:
            end_sleep(sim, many, h, target, zero)
        account_joints(sim, h, target, zero)
        if integer(sim.plan, FLIES) > 0:
            fly_on(sim, t, h, many, target, zero)
        inertial_rates(sim.tree, sim.work, integer(sim.plan, Y_ORIGIN), target + nv, target, zero)
        for k in range(nv):  # positions move with the new rates
            store(sim.work, target + k, h * load(sim.work, target + k, zero))
        store(array_at(integer(sim.plan, SPARE)), integer(sim.plan, S_MATRIX), 0.0)

    return step


_FORMS = {"one": (ONE, sim_at), "pack": (PACK, sim_at), "varied": (PACK, varied_sim_at)}


@cache
def stepping_address(form):
    """The step as a C function, for a kind of scalar: 'one', 'pack' or 'varied'."""
    return Address(_step(*_FORMS[form]), STEP_SIGNATURE, f"stepping.{form}")
