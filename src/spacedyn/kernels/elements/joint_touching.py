"""The joints' own forces, for a method that steps through contact.

Springs and dampers push; dry friction and end stops are places where impulses act (touches.py), both rigid: friction
sticks, and a stop is as hard as the ground.
"""

from ..robot.layout import *  # noqa: F403
from ..robot.passive import passive_forces
from ..scalar.compiling import inner
from ..scalar.memory import integer, load, shared
from ..scalar.pack import select
from ..sim.layout import *  # noqa: F403
from .joint_forces import FAR, FIRST_STOP, STOPS
from .kind import coordinate, dissipated, joint_rate, kind, own, push_joint
from .touches import may_rub, may_stop


@kind
def joint_touching(sim, e, t, y, k, zero):
    """Springs and dampers of all joints; where their end stops are, and how much they rub."""
    passive_forces(sim.tree, sim.par, sim.work, False, zero)
    lost, stops = zero, own(sim, e, STOPS)
    for j in range(integer(sim.tree, BASE_RATES), integer(sim.tree, RATES)):
        elastic = load(sim.work, integer(sim.tree, W_PASSIVE) + j * PASSIVE_WORK + ELASTIC, zero)
        qd = joint_rate(sim, j, zero)
        damping = shared(sim.par, integer(sim.tree, PAR_RATE) + j * RATE_PARS + P_DAMPING, zero) * qd
        push_joint(sim, j, elastic - damping, zero)
        lost += damping * qd
    for i in range(stops):
        place_stops(sim, e, i, zero)
    many = own(sim, e, FIRST_STOP + 2 * stops)
    for i in range(many):
        j = own(sim, e, FIRST_STOP + 2 * stops + 1 + i)
        most = shared(sim.par, integer(sim.tree, PAR_RATE) + j * RATE_PARS + P_FRICTION, zero)
        may_rub(sim, e, 2 * stops + i, j, zero + most, zero)
    dissipated(sim, e, k, lost)


@inner
def place_stops(sim, e, i, zero):
    """Both end stops of a rate; far away in robots that have none."""
    j = own(sim, e, FIRST_STOP + 2 * i)
    at, q = integer(sim.tree, PAR_RATE) + j * RATE_PARS, coordinate(sim, own(sim, e, FIRST_STOP + 2 * i + 1), zero)
    strength = shared(sim.par, at + P_STOP, zero) + shared(sim.par, at + P_STOP_DAMPING, zero)
    above, below = q - shared(sim.par, at + P_LOWER, zero), shared(sim.par, at + P_UPPER, zero) - q
    bounce = load(sim.numbers, integer(sim.plan, N_METHOD) + 3, 0.0)
    may_stop(sim, e, 2 * i, j, 1.0, room(above, strength, zero), zero + bounce, zero)
    may_stop(sim, e, 2 * i + 1, j, -1.0, room(below, strength, zero), zero + bounce, zero)


@inner
def room(gap, strength, zero):
    """How far a joint is from a limit; always finite."""
    return select(strength > 0.0, select(gap < -FAR, gap, zero - FAR), zero - FAR)
