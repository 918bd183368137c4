"""Impulses of all near places, by sweeps that start from the last ones, and then damped if they add energy."""

from ..robot.layout import *  # noqa: F403
from ..robot.spatial import load3
from ..scalar.compiling import inner, outlined
from ..scalar.memory import integer, load, store
from ..scalar.pack import select
from ..sim.layout import *  # noqa: F403
from .near_columns import near_record
from .near_energy import give_no_energy
from .near_sums import add_impulse_of, impulses_at
from .near_sweeps import iterate_impulses


@inner
def begin_impulses(sim, many, zero):
    """Set z by the impulses that the sweeps start from."""
    z = impulses_at(sim)
    for k in range(integer(sim.tree, RATES)):
        store(sim.work, z + k, zero)
    for a in range(many):
        add_impulse_of(sim, a, load3(sim.work, near_record(sim, a) + NEAR_IMPULSE, zero), zero)


@inner
def raise_to(sim, at, value, zero):
    """The larger one of a number in work and a value."""
    known = load(sim.work, at, zero)
    store(sim.work, at, select(value > known, value, known))


@outlined
def find_impulses(sim, many, target, zero):
    """Find the impulses of all near places (in their records) and z; the sweeps' last error goes to the new vector."""
    begin_impulses(sim, many, zero)
    left, fastest = iterate_impulses(sim, many, zero + 1.0, zero + 1.0, zero)
    at = target + integer(sim.plan, CONTACT_ERROR)
    raise_to(sim, at, left, zero)
    raise_to(sim, at + 1, fastest, zero)
    give_no_energy(sim, many, zero)
