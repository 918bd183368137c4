"""Phases of end stops, and the guards that tell when they change.

    APART     no force; the guard is how far the joint is beyond its nearer limit
    PUSHING   spring and damper; the guard is the force that it would pull with
    SPENT     the joint leaves faster than the stop can follow: no force, and what its spring holds is lost on the way
              back; the guard is how far the joint has left, or the force that it would push with again

A guard is negative while its phase lasts. No phase chatters: where a guard is zero, either the force is zero in both
phases, or the joint moves through the limit.
"""

from ..robot.descriptions import of_lane
from ..robot.layout import *  # noqa: F403
from ..scalar.compiling import inner
from ..scalar.lanes import add_number, number_in
from ..scalar.memory import integer, lanes_of
from ..sim.layout import *  # noqa: F403


@inner
def has_stop(tree, par, rate, lane):
    """Whether a rate's coordinate has end stops in a lane; attitudes have none."""
    body = integer(tree, integer(tree, RATE_AT) + rate * RATE_INTS + RATE_BODY)
    record = integer(tree, BODY_AT) + body * BODY_INTS
    kind, after = integer(tree, record + KIND), integer(tree, record + RATE) + integer(tree, record + RATE_COUNT)
    if kind == SPHERICAL or kind == FREE:
        after -= 3
    at = integer(tree, PAR_RATE) + rate * RATE_PARS
    return rate < after and of_lane(par, at + P_STOP, lane) + of_lane(par, at + P_STOP_DAMPING, lane) > 0.0


@inner
def coordinate_of(tree, rate):
    """Where the coordinate of such a rate is in x."""
    body = integer(tree, integer(tree, RATE_AT) + rate * RATE_INTS + RATE_BODY)
    record = integer(tree, BODY_AT) + body * BODY_INTS
    return integer(tree, record + COORDINATE) + rate - integer(tree, record + RATE)


@inner
def beyond(sim, y, rate, lane, zero):
    """How far beyond its upper and its lower limit a robot's joint is at the vector y, and its rate."""
    at, origin = (
        integer(sim.tree, PAR_RATE) + rate * RATE_PARS,
        integer(sim.plan, Y_ORIGIN) + coordinate_of(sim.tree, rate),
    )
    q = number_in(sim.work, origin, lane, zero) + number_in(
        sim.work, y + rate, lane, zero
    )  # in the step's chart these add up
    qd = number_in(sim.work, y + integer(sim.tree, RATES) + rate, lane, zero)
    return q - of_lane(sim.par, at + P_UPPER, lane), of_lane(sim.par, at + P_LOWER, lane) - q, qd


@inner
def stop_guard(sim, y, rate, lane, zero):
    """Negative while the phase of a robot's stop lasts."""
    at = integer(sim.tree, PAR_RATE) + rate * RATE_PARS
    over, under, qd = beyond(sim, y, rate, lane, zero)
    phase = number_in(sim.work, integer(sim.tree, W_STOP) + rate, lane, zero)
    if phase == APART:
        return max(over, under)
    depth, speed = over, qd
    if phase < 0.0:
        depth, speed = under, -qd
    push = of_lane(sim.par, at + P_STOP, lane) * depth + of_lane(sim.par, at + P_STOP_DAMPING, lane) * speed
    return -push if abs(phase) == PUSHING else max(-depth, push)


@inner
def set_phase(tree, work, rate, lane, phase, zero):
    """The phase of a robot's stop; its sign says which of the two it is, + the upper."""
    at = integer(tree, W_STOP) + rate
    add_number(work, at, lane, phase - number_in(work, at, lane, zero), zero)


@inner
def choose_stop_phases(sim, zero):
    """Phases of all stops at a state that no step has led to."""
    y = integer(sim.plan, Y_NOW)
    for rate in range(integer(sim.tree, BASE_RATES), integer(sim.tree, RATES)):
        for lane in range(lanes_of(zero)):
            if has_stop(sim.tree, sim.par, rate, lane):
                at = integer(sim.tree, PAR_RATE) + rate * RATE_PARS
                k, d = of_lane(sim.par, at + P_STOP, lane), of_lane(sim.par, at + P_STOP_DAMPING, lane)
                over, under, qd = beyond(sim, y, rate, lane, zero)
                phase = 0.0
                if over > 0.0:
                    phase = 1.0 if k * over + d * qd > 0.0 else 2.0
                elif under > 0.0:
                    phase = -1.0 if k * under - d * qd > 0.0 else -2.0
                set_phase(sim.tree, sim.work, rate, lane, phase, zero)


@inner
def change_stop_phase(sim, rate, lane, zero):
    """A stop whose guard is zero now takes its next phase."""
    y = integer(sim.plan, Y_NOW)
    at = integer(sim.tree, PAR_RATE) + rate * RATE_PARS
    k, d = of_lane(sim.par, at + P_STOP, lane), of_lane(sim.par, at + P_STOP_DAMPING, lane)
    over, under, qd = beyond(sim, y, rate, lane, zero)
    phase = number_in(sim.work, integer(sim.tree, W_STOP) + rate, lane, zero)
    if phase == APART:
        new = 1.0 if over > under else -1.0
    else:
        side, depth, speed = 1.0, over, qd
        if phase < 0.0:
            side, depth, speed = -1.0, under, -qd
        if abs(phase) == PUSHING:
            new = 2.0 * side if d > 0.0 and depth > 0.0 else 0.0
        else:
            new = side if k * depth + d * speed > -depth else 0.0
    set_phase(sim.tree, sim.work, rate, lane, new, zero)
