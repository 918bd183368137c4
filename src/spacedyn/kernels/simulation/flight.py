"""Contact-free steps of time-stepping for robots of several bodies: forces at the mean of old and new rates.

    u+ = u + h u'(q, u + h/2 u'(q, u))

With gyroscopic and Coriolis forces of the start of a step alone, the energy of a tumbling robot would grow by the part
h w^2 / 4 in a second. Where contact is near, impulses use the factors at the start, and the step is of first order.
"""

from ..robot.layout import *  # noqa: F403
from ..scalar.compiling import inner, outlined
from ..scalar.memory import integer, load, store
from ..scalar.pack import select, somewhere
from ..sim.evaluate import evaluate
from ..sim.layout import *  # noqa: F403
from .free_spin import keep_turning
from .near_columns import asleep_at, near_record


@inner
def who_flies(sim, many, zero):
    """1 in lanes where no place is near and no group sleeps."""
    flies = zero + 1.0
    for a in range(many):
        flies = select(load(sim.work, near_record(sim, a) + NEAR_MASK, zero) > 0.0, zero, flies)
    for g in range(integer(sim.plan, SLEEPERS)):
        flies = select(load(sim.work, asleep_at(sim, g) + SL_ASLEEP, zero) > 0.5, zero, flies)
    return flies


@outlined
def fly_on(sim, t, h, many, target, zero):
    """Recompute the vector after a step, except its positions, in lanes without contact."""
    flies = who_flies(sim, many, zero)
    if not somewhere(flies > 0.5):
        return
    nv, size = integer(sim.tree, RATES), integer(sim.plan, SIZE)
    now, K, stage, anew = (
        integer(sim.plan, Y_NOW),
        integer(sim.plan, Y_K),
        integer(sim.plan, Y_STAGE),
        integer(sim.plan, Y_SPARE),
    )
    for j in range(size):
        store(sim.work, stage + j, load(sim.work, now + j, zero))
    for j in range(nv, 2 * nv):
        store(sim.work, stage + j, load(sim.work, now + j, zero) + 0.5 * h * load(sim.work, K + j, zero))
    evaluate(sim, t, stage, anew, 0)
    keep_turning(sim, K, anew, zero)
    for j in range(nv, size):
        new = load(sim.work, now + j, zero) + h * load(sim.work, anew + j, zero)
        store(sim.work, target + j, select(flies > 0.5, new, load(sim.work, target + j, zero)))
