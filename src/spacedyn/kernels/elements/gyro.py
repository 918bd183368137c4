"""A gyro: the angular velocity of its body, in its own axes."""

from ..robot.spatial import turn_back
from .kind import angular_velocity, kind, matrix, own, rotation
from .sensor import OWN_INTEGERS, error, own_numbers, read

BODY = OWN_INTEGERS  # its integer
AXES = 0  # its numbers: its axes in those of the body, as kernels have them


@kind
def gyro(sim, e, t, y, k, zero):
    """Measure."""
    i = own(sim, e, BODY)
    w = turn_back(rotation(sim, i, zero), angular_velocity(sim, i, zero))
    w = turn_back(matrix(sim, e, own_numbers(sim, e) + AXES, zero), w)
    read(sim, e, 0, w[0] + error(sim, e, 0, y, zero), y, zero)
    read(sim, e, 1, w[1] + error(sim, e, 1, y, zero), y, zero)
    read(sim, e, 2, w[2] + error(sim, e, 2, y, zero), y, zero)
