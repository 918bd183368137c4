"""Constraint rows as kinds of elements write them: a residual that must stay zero, and the forces of its multiplier.

    phi(q, t) = 0,   phi' = sum W.V + sum c qd + drift,   phi'' = sum W.A + sum c qdd + bias

W is the wrench on a body that a unit of the multiplier gives, c the force on a joint's rate: by virtue of work both are
the row's gradient. `bias` is what of phi'' is no spatial acceleration of a body and no joint's: products of velocities,
accelerations of a target. `drift` is what of phi' is not the robot's motion: a target's velocity. They need be right
where phi and phi' are zero, and smooth around it. A nonholonomic row has no phi: write zero. Two bodies are pushed
equally and oppositely at one point, within the robot; one alone from outside. Which bodies and rates a row has, its
element says (`Element.rows_of`).
"""

from ..robot.layout import *  # noqa: F403
from ..robot.spatial import add3, add_cross, angular, cross, dot3, dot6, linear, load6, store6
from ..scalar.compiling import inner
from ..scalar.memory import integer, load, store
from ..sim.layout import *  # noqa: F403
from .carried import known_acceleration
from .kind import uniform_gravity


@inner
def turning(sim, i, r, zero):
    """The part of the acceleration of body i's point r that comes from velocities."""
    V = load6(sim.work, integer(sim.tree, W_BODY) + i * BODY_WORK + VELOCITY, zero)
    w = angular(V)
    return cross(w, add_cross(linear(V), w, r))


@inner
def row_record(sim, e, j):
    """The record in plan of row j of an element."""
    return integer(sim.plan, ROW_AT) + (integer(sim.plan, e + E_ROWS) + j) * ROW_INTS


@inner
def row_numbers(sim, e, j):
    """Where in work the numbers of row j of an element are."""
    return integer(sim.plan, row_record(sim, e, j) + R_WORK)


@inner
def constrain(sim, e, j, phi, rate, bias, drift):
    """Set residual, rate, bias and drift of row j of an element; call `push_row` and `push_row_joint` afterwards."""
    at = row_numbers(sim, e, j)
    store(sim.work, at + ROW_PHI, phi)
    store(sim.work, at + ROW_RATE, rate)
    store(sim.work, at + ROW_BIAS, bias)
    store(sim.work, at + ROW_DRIFT, drift)


@inner
def push_row(sim, e, j, which, f, n, r, zero):
    """A unit of row j's multiplier pushes its body number `which`: a force f at its point at r, and a moment n.

    After `constrain`. What is known of the body's acceleration before the dynamics is solved goes into the bias.
    """
    record = row_record(sim, e, j)
    at, i = integer(sim.plan, record + R_WORK), integer(sim.plan, record + R_BODY + which)
    wrench = f + add3(n, cross(r, f))
    store6(sim.work, at + ROW_WRENCH + 6 * which, wrench)
    known = dot6(wrench, known_acceleration(sim, i, zero))
    if integer(sim.plan, record + R_OUTSIDE):  # bodies' accelerations are relative to free fall
        known += dot3(f, uniform_gravity(sim, zero))
    store(sim.work, at + ROW_BIAS, load(sim.work, at + ROW_BIAS, zero) + known)


@inner
def rest_row(sim, e, j, rests):
    """Make row j of an element inactive (1), so that it holds nothing, or active (0, the default)."""
    store(sim.work, row_numbers(sim, e, j) + ROW_RESTS, rests)


@inner
def rub_row(sim, e, j, which, f, r):
    """A unit of row j's multiplier pushes its body number `which` beside its gradient: a force f at its point at r."""
    store6(sim.work, row_numbers(sim, e, j) + ROW_RUB + 6 * which, f + cross(r, f))


@inner
def spare_row(sim, e, j, spared):
    """Spare row j, 0 to 1, where rows are redundant, so that other rows bear more: multipliers weigh 1 / (1 - spared).

    It has an effect only where some rows rub. 0 for all rows: the least multipliers.
    """
    store(sim.work, row_numbers(sim, e, j) + ROW_SPARED, spared)


@inner
def pace(sim, e, i, speed, zero):
    """Set the pace of guard i of rigid contact: a bound of the speed at which its gap can shrink."""
    first = integer(sim.plan, GUARDS) - integer(sim.plan, EVENTS) - integer(sim.plan, ASKING)
    store(sim.work, integer(sim.plan, Y_PACE) + integer(sim.plan, e + E_GUARD) + i - first, speed)


@inner
def push_row_joint(sim, e, j, which, force):
    """A unit of row j's multiplier pushes its joint rate number `which`."""
    store(sim.work, row_numbers(sim, e, j) + ROW_FORCE + which, force)


@inner
def multiplier(sim, e, j, zero):
    """The multiplier of row j of an element, when accelerations are known."""
    return load(sim.work, row_numbers(sim, e, j) + ROW_MULTIPLIER, zero)
