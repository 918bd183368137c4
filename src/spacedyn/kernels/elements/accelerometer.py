"""An accelerometer: the acceleration of its point less that of gravity, in its own axes.

The acceleration has two parts: one known before the dynamics is solved, and one from the accelerations of the rates.
Neither contains uniform gravity; other gravity fields are evaluated at the point.
"""

from ..robot.spatial import add3, add_cross, angular, linear, sub3, turn_back
from .carried import acceleration_of_point, field_at_point, found_acceleration, known_acceleration
from .kind import keep, kept, kind, lever, matrix, own, rotation, vector
from .sensor import OWN_INTEGERS, error, own_numbers, read, show_held

BODY = OWN_INTEGERS  # its integer
AXES, POINT = 0, 9  # its numbers: its axes and its place on the body
KEPT = 3  # numbers that it keeps


@kind
def expect_acceleration(sim, e, t, y, k, zero):
    """Keep the part that is known before the dynamics is solved."""
    i = own(sim, e, BODY)
    r = lever(sim, i, vector(sim, e, own_numbers(sim, e) + POINT, zero), zero)
    a = acceleration_of_point(sim, i, known_acceleration(sim, i, zero), r, zero)
    keep(sim, e, 0, a[0])
    keep(sim, e, 1, a[1])
    keep(sim, e, 2, a[2])
    show_held(sim, e, y, zero)


@kind
def settle_acceleration(sim, e, t, y, k, zero):
    """Measure."""
    i, at = own(sim, e, BODY), own_numbers(sim, e)
    r, found = lever(sim, i, vector(sim, e, at + POINT, zero), zero), found_acceleration(sim, i, zero)
    a = add3((kept(sim, e, 0, zero), kept(sim, e, 1, zero), kept(sim, e, 2, zero)), linear(found))
    a = sub3(add_cross(a, angular(found), r), field_at_point(sim, i, r, zero))
    a = turn_back(matrix(sim, e, at + AXES, zero), turn_back(rotation(sim, i, zero), a))
    read(sim, e, 0, a[0] + error(sim, e, 0, y, zero), y, zero)
    read(sim, e, 1, a[1] + error(sim, e, 1, y, zero), y, zero)
    read(sim, e, 2, a[2] + error(sim, e, 2, y, zero), y, zero)
