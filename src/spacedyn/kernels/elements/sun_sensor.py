"""A sun sensor: the direction to the Sun in its own axes, where it sees it: within its field of view, not in a shadow.

The shadow of a planet is a cylinder. Where it sees nothing it reads zeros.
"""

from ..robot.spatial import add3, dot3, scale3, sub3, turn_back
from ..scalar.pack import select, sqrt
from .falling import origin_position
from .kind import kind, lever, matrix, own, parameter, position, rotation, vector
from .sensor import OWN_INTEGERS, error, own_numbers, read

BODY = OWN_INTEGERS  # its integer
# its numbers: its axes and place on the body; the Sun's direction; a planet's centre and radius squared; the cosine of
# half of its field of view, around its z axis
AXES, POINT, SUN, PLANET, RADIUS, EDGE = 0, 9, 12, 15, 18, 19


@kind
def sun_sensor(sim, e, t, y, k, zero):
    """Measure."""
    i, at = own(sim, e, BODY), own_numbers(sim, e)
    sun = add3((zero, zero, zero), vector(sim, e, at + SUN, zero))
    true = turn_back(matrix(sim, e, at + AXES, zero), turn_back(rotation(sim, i, zero), sun))
    r = position(sim, i, lever(sim, i, vector(sim, e, at + POINT, zero), zero), zero)
    r = sub3(add3(origin_position(sim, y, zero), r), vector(sim, e, at + PLANET, zero))
    ahead = dot3(r, sun)
    aside = sub3(r, scale3(ahead, sun))
    clear = select(dot3(aside, aside) < parameter(sim, e, at + RADIUS, zero), ahead, zero + 1.0)
    lit = select(clear > 0.0, select(true[2] > parameter(sim, e, at + EDGE, zero), zero + 1.0, zero), zero)
    u = add3(true, (error(sim, e, 0, y, zero), error(sim, e, 1, y, zero), error(sim, e, 2, y, zero)))
    scale = lit / sqrt(dot3(u, u))
    read(sim, e, 0, scale * u[0], y, zero)
    read(sim, e, 1, scale * u[1], y, zero)
    read(sim, e, 2, scale * u[2], y, zero)
    read(sim, e, 3, lit, y, zero)
