"""A star tracker: its attitude, as a quaternion (x, y, z, w), w not negative.

q_read = q exp(error),   the error a rotation vector in its own axes
"""

from ..robot.charts import multiply_quaternions, turn_quaternion
from ..robot.spatial import compose
from ..scalar.pack import select
from .attitudes import quaternion_of
from .kind import kind, matrix, own, rotation
from .sensor import OWN_INTEGERS, error, own_numbers, read

BODY = OWN_INTEGERS  # its integer
AXES = 0  # its numbers: its axes in those of the body, as kernels have them


@kind
def star_tracker(sim, e, t, y, k, zero):
    """Measure."""
    R = compose(rotation(sim, own(sim, e, BODY), zero), matrix(sim, e, own_numbers(sim, e) + AXES, zero))
    phi = error(sim, e, 0, y, zero), error(sim, e, 1, y, zero), error(sim, e, 2, y, zero)
    q = multiply_quaternions(quaternion_of(R, zero), turn_quaternion(phi))
    sign = select(q[3] < 0.0, zero - 1.0, zero + 1.0)
    read(sim, e, 0, sign * q[0], y, zero)
    read(sim, e, 1, sign * q[1], y, zero)
    read(sim, e, 2, sign * q[2], y, zero)
    read(sim, e, 3, sign * q[3], y, zero)
