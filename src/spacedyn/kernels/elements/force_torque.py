"""A force and torque sensor at a joint: the wrench that the parent exerts on the body through it.

By Newton and Euler over all bodies beyond the joint: the force that their motion takes, attached inertias included,
minus the forces on them. The bias part is summed before the dynamics is solved, the rest when accelerations are known.
"""

from ..robot.bodies import motion_force, rigid_inertia, weigh_body
from ..robot.layout import *  # noqa: F403
from ..robot.segments import force_about_base, origin_of
from ..robot.spatial import add3, add6, angular, apply_inertia, cross, linear, load6, sub3, turn_back
from ..scalar.memory import integer
from .carried import found_acceleration, handed_force
from .kind import keep, kept, kind, lever, matrix, own, rotation, vector
from .sensor import OWN_INTEGERS, error, own_numbers, read, show_held

COUNT, FIRST = OWN_INTEGERS, OWN_INTEGERS + 1  # its integers: how many bodies, then these; the joint's comes first
AXES, POINT = 0, 9  # its numbers: its axes and its place on the joint's body
KEPT = 6  # numbers that it keeps


@kind
def expect_wrench(sim, e, t, y, k, zero):
    """Keep the bias part of the force, about the base's centre of mass, before the dynamics is solved."""
    F = (zero, zero, zero, zero, zero, zero)
    for n in range(own(sim, e, COUNT)):
        i = own(sim, e, FIRST + n)
        weighed = weigh_body(sim.tree, sim.par, sim.work, i, zero)
        mine = motion_force(sim.work, integer(sim.tree, W_BODY) + i * BODY_WORK, weighed, zero)
        F = add6(F, force_about_base(sim.tree, sim.work, i, mine, zero))
    keep(sim, e, 0, F[0])
    keep(sim, e, 1, F[1])
    keep(sim, e, 2, F[2])
    keep(sim, e, 3, F[3])
    keep(sim, e, 4, F[4])
    keep(sim, e, 5, F[5])
    show_held(sim, e, y, zero)


@kind
def settle_wrench(sim, e, t, y, k, zero):
    """Measure."""
    f = kept(sim, e, 0, zero), kept(sim, e, 1, zero), kept(sim, e, 2, zero)
    F = f + (kept(sim, e, 3, zero), kept(sim, e, 4, zero), kept(sim, e, 5, zero))
    for n in range(own(sim, e, COUNT)):
        i = own(sim, e, FIRST + n)
        a = found_acceleration(sim, i, zero)
        m, h, I = rigid_inertia(weigh_body(sim.tree, sim.par, sim.work, i, zero), zero)
        mine = add6(apply_inertia(m, h, I, a), handed_force(sim, i, a, zero))
        mine = add6(mine, load6(sim.work, integer(sim.tree, W_BODY) + i * BODY_WORK + FORCE, zero))
        F = add6(F, force_about_base(sim.tree, sim.work, i, mine, zero))
    i, at = own(sim, e, FIRST), own_numbers(sim, e)
    place = lever(sim, i, vector(sim, e, at + POINT, zero), zero)
    place = add3(origin_of(sim.tree, sim.work, i, zero), place)
    R, A = rotation(sim, i, zero), matrix(sim, e, at + AXES, zero)
    f = turn_back(A, turn_back(R, linear(F)))
    moment = turn_back(A, turn_back(R, sub3(angular(F), cross(place, linear(F)))))
    read(sim, e, 0, f[0] + error(sim, e, 0, y, zero), y, zero)
    read(sim, e, 1, f[1] + error(sim, e, 1, y, zero), y, zero)
    read(sim, e, 2, f[2] + error(sim, e, 2, y, zero), y, zero)
    read(sim, e, 3, moment[0] + error(sim, e, 3, y, zero), y, zero)
    read(sim, e, 4, moment[1] + error(sim, e, 4, y, zero), y, zero)
    read(sim, e, 5, moment[2] + error(sim, e, 5, y, zero), y, zero)
