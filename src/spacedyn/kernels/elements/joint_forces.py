"""The joints' own forces: springs, dampers, dry friction, end stops.

An end stop pushes back while the joint is beyond its limit, and never pulls. Its guards: how far the joint is beyond
the upper and beyond the lower limit; and, with a damper, the force at the limit that it is beyond. A joint that leaves
faster than the stop can follow takes no force, and what the stop's spring holds is lost on the way back. No side
chatters: where a guard is zero, either the force is zero on both sides, or the joint moves through the limit.
"""

from ..robot.layout import *  # noqa: F403
from ..robot.passive import passive_forces
from ..scalar.compiling import inner
from ..scalar.memory import integer, load, shared
from ..scalar.pack import select
from ..sim.layout import *  # noqa: F403
from .kind import coordinate, dissipated, guard, joint_rate, kind, own, push_joint, switch

STOPS, FIRST_STOP = range(2)  # its integers: how many rates have end stops; then each one's rate and coordinate
UPPER, LOWER, PUSHES, STOP_GUARDS = range(4)  # guards of each of them
FAR = -1e6  # least value of a guard at a limit, which may be infinite


@kind
def joint_forces(sim, e, t, y, k, zero):
    """All joints' own forces, and what they dissipate."""
    passive_forces(sim.tree, sim.par, sim.work, False, zero)
    lost = zero
    for j in range(integer(sim.tree, BASE_RATES), integer(sim.tree, RATES)):
        mine = integer(sim.tree, W_PASSIVE) + j * PASSIVE_WORK
        force, elastic = load(sim.work, mine + PASSIVE, zero), load(sim.work, mine + ELASTIC, zero)
        push_joint(sim, j, force, zero)
        lost += (elastic - force) * joint_rate(sim, j, zero)
    for i in range(own(sim, e, STOPS)):
        lost += end_stop(sim, e, i, zero)
    dissipated(sim, e, k, lost)


@inner
def end_stop(sim, e, i, zero):
    """Apply the end stops of a rate, by the sides of their guards; return the power that they dissipate."""
    j, first = own(sim, e, FIRST_STOP + 2 * i), STOP_GUARDS * i
    at, q, qd = (
        integer(sim.tree, PAR_RATE) + j * RATE_PARS,
        coordinate(sim, own(sim, e, FIRST_STOP + 2 * i + 1), zero),
        joint_rate(sim, j, zero),
    )
    stiffness, damping = shared(sim.par, at + P_STOP, zero), shared(sim.par, at + P_STOP_DAMPING, zero)
    over = beyond(q - shared(sim.par, at + P_UPPER, zero), stiffness + damping, zero)
    under = beyond(shared(sim.par, at + P_LOWER, zero) - q, stiffness + damping, zero)
    guard(sim, e, first + UPPER, over)
    guard(sim, e, first + LOWER, under)
    upper = switch(sim, e, first + UPPER, over, zero) > 0.0
    lower = switch(sim, e, first + LOWER, under, zero) > 0.0
    depth = select(upper, over, select(lower, under, zero))
    push = stiffness * depth + damping * select(upper, qd, select(lower, -qd, zero))
    damped = select(upper, damping, select(lower, damping, zero)) > 0.0
    force = select(damped, push, zero + 1.0)  # away from both limits, a guard without zero
    guard(sim, e, first + PUSHES, force)
    push = select(switch(sim, e, first + PUSHES, force, zero) > 0.0, push, zero)
    push, elastic = select(upper, -push, push), select(upper, -(stiffness * depth), stiffness * depth)
    push_joint(sim, j, push, zero)
    return (elastic - push) * qd


@inner
def beyond(distance, strength, zero):
    """How far a joint is beyond a limit; always finite, and FAR where a robot has no end stop."""
    return select(strength > 0.0, select(distance > FAR, distance, zero + FAR), zero + FAR)
