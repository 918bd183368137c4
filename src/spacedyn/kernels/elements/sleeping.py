"""Bodies that sleep: for the record, who does. What lets them is kernels/simulation/sleep.py."""

from ..scalar.memory import integer, load
from ..scalar.pack import select
from ..sim.layout import *  # noqa: F403
from .kind import channel, kind, own

BODIES_ASKED, FIRST_BODY = range(2)  # its integers: how many bodies; then each one
REST_SPEED, REST_TIME = range(2)  # its numbers: the square of the speed of what rests; how long


@kind
def sleeping(sim, e, t, y, k, zero):
    """1 for each body that sleeps."""
    for j in range(own(sim, e, BODIES_ASKED)):
        g = integer(sim.plan, integer(sim.plan, GROUP_AT) + own(sim, e, FIRST_BODY + j))
        asleep = zero
        if g >= 0:
            asleep = load(sim.work, integer(sim.plan, Y_SLEEP) + g * SL_NUMBERS + SL_ASLEEP, zero)
        channel(sim, e, j, select(asleep > 0.5, zero + 1.0, zero))
