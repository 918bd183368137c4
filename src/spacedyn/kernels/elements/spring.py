"""A spring with a damper beside it between two points, or a tether, which only pulls.

    tension = k s + d s'                        spring
    tension = k s + d s' min(s / S, 1),  >= 0   tether, where s > 0

A tether's damper sets in over the stretch S, so that its force does not jump where it goes taut. Without a damper its
one guard is s. With one it has three: s, s - S, and k max(s, S) + d s', which has the sign of the tension where s > 0,
but no zero at s = 0. A tether that is stretched but shortens too fast to pull loses what it holds to its damper.
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
STRETCHED, FULLY_DAMPED, PULLS = range(3)  # its guards, the last two with a damper only


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
        guard(sim, e, STRETCHED, stretch)
        taut = switch(sim, e, STRETCHED, stretch, zero) > 0.0
        if load(sim.numbers, at + DAMPING, 0.0) > 0.0:
            onset = parameter(sim, e, ONSET, zero)
            guard(sim, e, FULLY_DAMPED, stretch - onset)
            full = switch(sim, e, FULLY_DAMPED, stretch - onset, zero) > 0.0
            pull = select(full, elastic, stiffness * onset) + viscous
            guard(sim, e, PULLS, pull)
            viscous = select(full, viscous, viscous * (stretch / onset))
            tension = select(switch(sim, e, PULLS, pull, zero) > 0.0, elastic + viscous, zero)
        else:
            tension = elastic
        tension, elastic = select(taut, tension, zero), select(taut, elastic, zero)
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
