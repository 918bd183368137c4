"""A star tracker: its attitude, as a quaternion (x, y, z, w), w not negative.

q_read = q exp(error),   the error a rotation vector in its own axes

It looks along its z axis. While its body turns too fast, or the Sun is near that axis, it sees no stars: zeros.
"""

from ..robot.charts import multiply_quaternions, turn_quaternion
from ..robot.spatial import compose, dot3
from ..scalar.pack import select
from .attitudes import quaternion_of
from .kind import angular_velocity, kind, matrix, own, parameter, rotation, vector
from .sensor import OWN_INTEGERS, error, own_numbers, read

BODY = OWN_INTEGERS  # its integer
# its numbers: its axes in those of the body, as kernels have them; the square of the largest rate; the direction to the
# Sun; the cosine of the angle from its z axis within which the Sun blinds it
AXES, FASTEST, SUN, EDGE = 0, 9, 10, 13


@kind
def star_tracker(sim, e, t, y, k, zero):
    """Measure."""
    i, at = own(sim, e, BODY), own_numbers(sim, e)
    R, w = compose(rotation(sim, i, zero), matrix(sim, e, at + AXES, zero)), angular_velocity(sim, i, zero)
    sunward = dot3((R[2], R[5], R[8]), vector(sim, e, at + SUN, zero))
    sees = select(sunward > parameter(sim, e, at + EDGE, zero), zero, zero + 1.0)
    sees = select(dot3(w, w) > parameter(sim, e, at + FASTEST, zero), zero, sees)
    phi = error(sim, e, 0, y, zero), error(sim, e, 1, y, zero), error(sim, e, 2, y, zero)
    q = multiply_quaternions(quaternion_of(R, zero), turn_quaternion(phi))
    sees = sees * select(q[3] < 0.0, zero - 1.0, zero + 1.0)
    read(sim, e, 0, sees * q[0], y, zero)
    read(sim, e, 1, sees * q[1], y, zero)
    read(sim, e, 2, sees * q[2], y, zero)
    read(sim, e, 3, sees * q[3], y, zero)
