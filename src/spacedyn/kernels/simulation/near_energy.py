"""Damp impulses that would add energy, as those of several contacts that bounce at once may."""

from ..robot.layout import *  # noqa: F403
from ..robot.spatial import fused3, load3, store3
from ..scalar.compiling import inner, outlined
from ..scalar.fused_vectors import dot3, two
from ..scalar.memory import integer, load, store
from ..scalar.pack import magnitude, select, somewhere, sqrt
from ..sim.layout import *  # noqa: F403
from .near_columns import near_record
from .near_law import NOTHING
from .near_sums import change_speed, impulses_at
from .near_sweeps import iterate_impulses

GAINED = 1e-9  # of the energy that impulses exchange: a smaller gain is rounding


@inner
def energy_gained(sim, many, zero):
    """Energy that all impulses add, p.(v_free + v) / 2, and the sum of its terms' magnitudes."""
    gained, size = zero, zero
    for a in range(many):
        record, change = near_record(sim, a), change_speed(sim, a, zero)
        p, free = load3(sim.work, record + NEAR_IMPULSE, zero), load3(sim.work, record + NEAR_FREE, zero)
        half = fused3(0.5, change, free)
        gained += dot3(p, half)
        size += magnitude(p[0] * half[0]) + magnitude(p[1] * half[1]) + magnitude(p[2] * half[2])
    return gained, size


@inner
def keep_impulses(sim, many, zero):
    """Copy impulses and z, for `mix`."""
    z, nv = impulses_at(sim), integer(sim.tree, RATES)
    for k in range(nv):
        store(sim.work, z + nv + k, load(sim.work, z + k, zero))
    for a in range(many):
        store3(sim.work, near_record(sim, a) + NEAR_KEPT, load3(sim.work, near_record(sim, a) + NEAR_IMPULSE, zero))


@inner
def mix(sim, many, part, zero):
    """Replace impulses and z by `part` times the kept ones plus 1 - part times the present ones."""
    z, nv = impulses_at(sim), integer(sim.tree, RATES)
    for k in range(nv):
        now, kept = load(sim.work, z + k, zero), load(sim.work, z + nv + k, zero)
        store(sim.work, z + k, now + part * (kept - now))
    for a in range(many):
        for j in range(3):
            at = near_record(sim, a) + NEAR_IMPULSE + j
            now, kept = load(sim.work, at, zero), load(sim.work, at + NEAR_KEPT - NEAR_IMPULSE, zero)
            store(sim.work, at, now + part * (kept - now))


@outlined
def give_no_energy(sim, many, zero):
    """Where impulses with bounces would add energy, mix them with impulses without bounces until they add none.

    The energy is a convex function of the mixing ratio, and impulses without bounces add none.
    """
    gained, size = energy_gained(sim, many, zero)
    bad = select(gained > GAINED * size, zero + 1.0, zero)
    if not somewhere(bad > 0.0):
        return
    keep_impulses(sim, many, zero)  # impulses with bounces
    iterate_impulses(sim, many, zero, bad, zero)  # impulses without bounces, in lanes that gain
    dull, _ = energy_gained(sim, many, zero)
    z, nv, across = impulses_at(sim), integer(sim.tree, RATES), zero
    for k in range(nv):
        d = load(sim.work, z + nv + k, zero) - load(sim.work, z + k, zero)
        across += d * d
    # energy at a part s of the way: dull + s b + s^2 across / 2, with the whole way giving `gained`
    b = gained - dull - 0.5 * across
    low = select(dull < 0.0, dull, zero)
    root = sqrt(two(b, b, -2.0 * across, low))
    part = -2.0 * low / select(b + root > NOTHING, b + root, zero + 1.0)
    part = select(part < 1.0, part, zero + 1.0)
    mix(sim, many, select(bad > 0.0, part, zero), zero)
    hold_back(sim, many, bad, zero)


@inner
def hold_back(sim, many, bad, zero):
    """Where sweeps have not converged, shrink impulses until they add no energy: p.v_free + z.z / 2."""
    z, nv, along, square = impulses_at(sim), integer(sim.tree, RATES), zero, zero
    for a in range(many):
        record = near_record(sim, a)
        along += dot3(load3(sim.work, record + NEAR_IMPULSE, zero), load3(sim.work, record + NEAR_FREE, zero))
    for k in range(nv):
        square += load(sim.work, z + k, zero) * load(sim.work, z + k, zero)
    part = select(square > 0.0, -2.0 * along / select(square > 0.0, square, zero + 1.0), zero + 1.0)
    part = select(part < 1.0, select(part > 0.0, part, zero), zero + 1.0)
    for k in range(nv):
        store(sim.work, z + nv + k, zero)
    for a in range(many):
        store3(sim.work, near_record(sim, a) + NEAR_KEPT, (zero, zero, zero))
    mix(sim, many, select(bad > 0.0, 1.0 - part, zero), zero)
