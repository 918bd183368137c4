"""Propellant in a tank: a mass that moves with its body, less of it from second to second.

    m' = -sum of the flows of all thrusters that it feeds

Its centre is fixed in the body, its inertia about that is m K with K constant: what is left is spread as the whole was.
The guard is what is left, so that steps end where the tank runs dry.
"""

from ..robot.spatial import apply_symmetric, dot3, turn_symmetric
from ..scalar.compiling import inner
from ..scalar.memory import integer, load, store
from ..scalar.pack import select
from ..sim.layout import *  # noqa: F403
from .carried import attach_mass, potential_at
from .kind import (
    angular_velocity,
    guard,
    kind,
    lever,
    own,
    parameter,
    position,
    rotation,
    state,
    state_at,
    stored,
    switch,
    uniform_gravity,
    vector,
    velocity,
)

BODY = 0  # its integer
PLACE, SPREAD, RESIDUAL = 0, 3, 9  # its numbers: centre; K, six of a symmetric matrix; what cannot be used
PROPELLANT, EMPTIED = range(2)  # its state; its sample: when it ran dry


@inner
def tank_place(sim, e, zero):
    """From its body's reference point to its centre."""
    return lever(sim, own(sim, e, BODY), vector(sim, e, PLACE, zero), zero)


@inner
def tank_spread(sim, e, zero):
    """K in inertial axes."""
    K = vector(sim, e, SPREAD, zero) + vector(sim, e, SPREAD + 3, zero)
    return turn_symmetric(rotation(sim, own(sim, e, BODY), zero), K)


@inner
def motion_energy(sim, e, zero):
    """Kinetic energy of a unit of its mass, and the potential energy of uniform gravity."""
    i, r, w = own(sim, e, BODY), tank_place(sim, e, zero), angular_velocity(sim, own(sim, e, BODY), zero)
    v, K = velocity(sim, i, r, zero), tank_spread(sim, e, zero)
    lifted = dot3(uniform_gravity(sim, zero), position(sim, i, r, zero))
    return 0.5 * (dot3(v, v) + dot3(w, apply_symmetric(K, w))) - lifted


@kind
def carry_propellant(sim, e, t, y, k, zero):
    """Attach the propellant's mass to its body."""
    m = state(sim, e, PROPELLANT, y, zero)
    K = tank_spread(sim, e, zero)
    J = m * K[0], m * K[1], m * K[2], m * K[3], m * K[4], m * K[5]
    attach_mass(sim, own(sim, e, BODY), m, tank_place(sim, e, zero), J, zero)
    left = m - parameter(sim, e, RESIDUAL, zero)
    guard(sim, e, 0, left)
    now, before = load(sim.work, integer(sim.plan, e + E_SAMPLING), zero) > 0.0, state(sim, e, EMPTIED, y, zero)
    dry = select(switch(sim, e, 0, left, zero) > 0.0, before, zero + t)
    store(sim.work, state_at(sim, e, EMPTIED, y), select(now, dry, before))
    stored(sim, e, m * motion_energy(sim, e, zero))


@inner
def energy_that_leaves(sim, e, zero):
    """Energy of a unit of its mass, all of it: in gravity fields too."""
    return motion_energy(sim, e, zero) + potential_at(sim, own(sim, e, BODY), zero)
