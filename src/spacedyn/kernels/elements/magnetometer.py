"""A magnetometer: the magnetic field where it is, in its own axes."""

from ..robot.spatial import add3, turn_back
from .falling import origin_position
from .kind import kind, lever, matrix, own, position, rotation, vector
from .magnetic_field import field_at
from .sensor import OWN_INTEGERS, error, own_numbers, read

BODY, DEGREE = range(OWN_INTEGERS, OWN_INTEGERS + 2)  # its integers
AXES, POINT, FIELD = 0, 9, 12  # its numbers: its axes and its place on the body, its field


@kind
def magnetometer(sim, e, t, y, k, zero):
    """Measure."""
    i, at = own(sim, e, BODY), own_numbers(sim, e)
    place = position(sim, i, lever(sim, i, vector(sim, e, at + POINT, zero), zero), zero)
    place = add3(origin_position(sim, y, zero), place)
    B = turn_back(rotation(sim, i, zero), field_at(sim, e, at + FIELD, own(sim, e, DEGREE), t, place, zero))
    B = turn_back(matrix(sim, e, at + AXES, zero), B)
    read(sim, e, 0, B[0] + error(sim, e, 0, y, zero), y, zero)
    read(sim, e, 1, B[1] + error(sim, e, 1, y, zero), y, zero)
    read(sim, e, 2, B[2] + error(sim, e, 2, y, zero), y, zero)
