"""A frame whose origin falls freely: its position and velocity are states; gravity kinds add its acceleration."""

from ..robot.spatial import dot3
from ..scalar.pack import sqrt
from .falling import origin_position, origin_velocity
from .kind import channel, kind, parameter, rate

RADIUS = 0  # its number: of the planet
ALTITUDE = 0  # its channel


@kind
def orbiting_origin(sim, e, t, y, k, zero):
    """Move the origin along."""
    r, v = origin_position(sim, y, zero), origin_velocity(sim, y, zero)
    rate(sim, e, 0, k, v[0])
    rate(sim, e, 1, k, v[1])
    rate(sim, e, 2, k, v[2])
    channel(sim, e, ALTITUDE, sqrt(dot3(r, r)) - parameter(sim, e, RADIUS, zero))
