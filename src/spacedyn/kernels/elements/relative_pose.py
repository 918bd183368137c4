"""A sensor of relative pose: where a target is, and how it is turned, seen from a point with axes of its own.

    position = A'(target - origin) + error,   attitude = A'B exp(error)

A and B are the axes of both. The difference of places is taken between reference points, so that it has all digits far
from the inertial frame's origin. Beyond its range, and outside of its field of view around its z axis, it sees nothing
and reads zeros.
"""

from ..robot.charts import multiply_quaternions, turn_quaternion
from ..robot.segments import origin_of
from ..robot.spatial import add3, compose, dot3, sub3, turn_back
from ..scalar.pack import select
from .attitudes import quaternion_of
from .kind import kind, lever, matrix, own, parameter, rotation, vector
from .sensor import OWN_INTEGERS, error, own_numbers, read

BODY, TARGET = range(OWN_INTEGERS, OWN_INTEGERS + 2)  # its integers
# its numbers: axes and places on both bodies; the square of its range; c |c| of the cosine of half its field of view
AXES, POINT, TARGET_AXES, TARGET_POINT, FARTHEST, EDGE = 0, 9, 12, 21, 24, 25


@kind
def relative_pose(sim, e, t, y, k, zero):
    """Measure."""
    i, j, at = own(sim, e, BODY), own(sim, e, TARGET), own_numbers(sim, e)
    A = compose(rotation(sim, i, zero), matrix(sim, e, at + AXES, zero))
    B = compose(rotation(sim, j, zero), matrix(sim, e, at + TARGET_AXES, zero))
    a = lever(sim, i, vector(sim, e, at + POINT, zero), zero)
    b = lever(sim, j, vector(sim, e, at + TARGET_POINT, zero), zero)
    between = sub3(origin_of(sim.tree, sim.work, j, zero), origin_of(sim.tree, sim.work, i, zero))
    r = turn_back(A, add3(between, sub3(b, a)))
    far, ahead = dot3(r, r), select(r[2] < 0.0, zero - r[2], r[2]) * r[2]
    sees = select(far > parameter(sim, e, at + FARTHEST, zero), zero, zero + 1.0)
    sees = select(ahead < parameter(sim, e, at + EDGE, zero) * far, zero, sees)
    read(sim, e, 0, sees * (r[0] + error(sim, e, 0, y, zero)), y, zero)
    read(sim, e, 1, sees * (r[1] + error(sim, e, 1, y, zero)), y, zero)
    read(sim, e, 2, sees * (r[2] + error(sim, e, 2, y, zero)), y, zero)
    phi = error(sim, e, 3, y, zero), error(sim, e, 4, y, zero), error(sim, e, 5, y, zero)
    turned = quaternion_of(compose((A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]), B), zero)
    q = multiply_quaternions(turned, turn_quaternion(phi))
    sees = sees * select(q[3] < 0.0, zero - 1.0, zero + 1.0)
    read(sim, e, 3, sees * q[0], y, zero)
    read(sim, e, 4, sees * q[1], y, zero)
    read(sim, e, 5, sees * q[2], y, zero)
    read(sim, e, 6, sees * q[3], y, zero)
