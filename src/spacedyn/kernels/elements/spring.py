"""A spring with a damper beside it between two points, or a tether, which only pulls.

    tension = k s + d s'                        spring
    tension = k s + d s' min(s / S, 1),  >= 0   tether, where s > 0

A tether's damper sets in over the stretch S, so that its force does not jump where it goes taut. Its one guard is this
tension, continued below s = 0 by k s: where it passes through zero the tether begins or ceases to pull.
"""

from ..robot.layout import *  # noqa: F403
from ..robot.segments import origin_of
from ..robot.spatial import add3, dot3, load3, scale3, shared3, sub3
from ..scalar.memory import integer, load
from ..scalar.pack import select, sqrt
from ..sim.layout import *  # noqa: F403
from .kind import (
    channel,
    guard,
    kind,
    lever,
    own,
    parameter,
    push_body,
    push_within,
    record_wrench,
    stored,
    switch,
    velocity,
    work_done,
)

BODY, OTHER = range(2)  # its integers; the other body is -1 where it is the inertial frame
POINT, OTHER_POINT, STIFFNESS, DAMPING, REST, TENSION_ONLY, ONSET = 0, 3, 6, 7, 8, 9, 10  # its numbers
TENSION = 0  # its channel


@kind
def spring(sim, e, t, y, k, zero):
    """Pull each end towards the other."""
    i, other, at = own(sim, e, BODY), own(sim, e, OTHER), integer(sim.plan, e + E_NUMBERS)
    a = lever(sim, i, shared3(sim.numbers, at + POINT, zero), zero)
    va, place = velocity(sim, i, a, zero), shared3(sim.numbers, at + OTHER_POINT, zero)
    between = scale3(-1.0, origin_of(sim.tree, sim.work, i, zero))  # the reference points
    if other < 0:
        b, vb = sub3(place, load3(sim.work, integer(sim.tree, W_X), zero)), (zero, zero, zero)
    else:
        b = lever(sim, other, place, zero)
        vb = velocity(sim, other, b, zero)
        between = add3(between, origin_of(sim.tree, sim.work, other, zero))
    along = add3(between, sub3(b, a))
    square = dot3(along, along)
    length = sqrt(square)
    along = scale3(1.0 / select(square > 0.0, length, zero + 1.0), along)
    rate, stretch = dot3(sub3(vb, va), along), length - parameter(sim, e, REST, zero)
    stiffness, damping = parameter(sim, e, STIFFNESS, zero), parameter(sim, e, DAMPING, zero)
    elastic, viscous = stiffness * stretch, damping * rate
    if load(sim.numbers, at + TENSION_ONLY, 0.0) > 0.0:
        share = stretch / parameter(sim, e, ONSET, zero)
        viscous = viscous * select(share < 1.0, select(share > 0.0, share, zero), zero + 1.0)
        pull = select(stretch > 0.0, elastic + viscous, stretch)
        guard(sim, e, 0, pull)
        pulls = switch(sim, e, 0, pull, zero) > 0.0
        elastic = select(stretch > 0.0, select(pulls, elastic, select(pull > 0.0, zero, elastic)), zero)
        stretch = select(stretch > 0.0, stretch, zero)
        tension = select(pulls, elastic + viscous, zero)
    else:
        tension = elastic + viscous
    f = scale3(tension, along)
    back, nothing = scale3(-1.0, f), (zero, zero, zero)
    if other >= 0:
        push_within(sim, i, f, nothing, a, zero)
        push_within(sim, other, back, nothing, b, zero)
    else:
        push_body(sim, i, f, nothing, a, zero)
    record_wrench(sim, e, 0, f, nothing)
    record_wrench(sim, e, 1, back, nothing)
    work_done(sim, e, k, (elastic - tension) * rate)
    stored(sim, e, 0.5 * elastic * stretch)
    channel(sim, e, TENSION, tension)
