"""z = sum W' p, through which places are coupled: the change W z of a place's velocity, and the updates of z."""

from ..robot.layout import *  # noqa: F403
from ..robot.spatial import add3, fused3, load3
from ..scalar.compiling import inner
from ..scalar.fused_vectors import dot3
from ..scalar.memory import integer, load, store
from ..scalar.pack import fused
from ..sim.layout import *  # noqa: F403
from .near_columns import near_column, path_of


@inner
def impulses_at(sim):
    """Place in work of z = D^(1/2) L' du, with du the change of rates by impulses; a second z follows."""
    return integer(sim.plan, Y_FREE) + integer(sim.tree, RATES)


@inner
def count_of(sim, a):
    """Number of rates that move the near place a."""
    return int(load(sim.memory, integer(sim.plan, M_NEAR) + a * NM_NUMBERS + NM_COUNT, 0.0))


@inner
def part_at(sim, a, j, zero):
    """Entry of z at the j-th rate of the near place a."""
    return load(sim.work, impulses_at(sim) + int(load(sim.memory, path_of(sim, a) + j, 0.0)), zero)


@inner
def change_speed(sim, a, zero):
    """W z of the near place a, in two independent sums, because the latency of these sums limits sweeps."""
    column, count = near_column(sim, a), count_of(sim, a)
    one, other = (zero, zero, zero), (zero, zero, zero)
    for j in range(0, count - 1, 2):
        one = fused3(part_at(sim, a, j, zero), load3(sim.work, column + 3 * j, zero), one)
        other = fused3(part_at(sim, a, j + 1, zero), load3(sim.work, column + 3 * j + 3, zero), other)
    if count % 2 == 1:
        one = fused3(part_at(sim, a, count - 1, zero), load3(sim.work, column + 3 * count - 3, zero), one)
    return add3(one, other)


@inner
def change_normal(sim, a, zero):
    """The normal component of `change_speed` alone, equal to the bit."""
    column, count = near_column(sim, a), count_of(sim, a)
    one, other = zero, zero
    for j in range(0, count - 1, 2):
        one = fused(load(sim.work, column + 3 * j, zero), part_at(sim, a, j, zero), one)
        other = fused(load(sim.work, column + 3 * j + 3, zero), part_at(sim, a, j + 1, zero), other)
    if count % 2 == 1:
        one = fused(load(sim.work, column + 3 * count - 3, zero), part_at(sim, a, count - 1, zero), one)
    return one + other


@inner
def add_impulse_of(sim, a, p, zero):
    """Add W' p to z."""
    z, column, path = impulses_at(sim), near_column(sim, a), path_of(sim, a)
    for j in range(count_of(sim, a)):
        at, w = z + int(load(sim.memory, path + j, 0.0)), load3(sim.work, column + 3 * j, zero)
        store(sim.work, at, load(sim.work, at, zero) + dot3(w, p))
