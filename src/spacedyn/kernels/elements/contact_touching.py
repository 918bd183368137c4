"""Points of a body against a surface, for a method that steps through contact: geometry alone, no force."""

from ..robot.spatial import add3, cross, dot3, scale3, sub3
from ..scalar.compiling import inner
from ..scalar.pack import sqrt
from .contact_points import BODY, OTHER, POINTS, ground_of, touch_of
from .kind import channel, channel3, kind, own, parameter, position, record_wrench
from .touches import Place, force_felt, may_touch, may_turn, sleep_together

# numbers behind the surface's frame; the surface's own and the points follow. Integers are the first of contact_points
FRICTION, RESTITUTION, ROLLING, TORSION, FIRST = range(12, 17)
RESISTS = 7  # its integer behind those: whether it resists rolling and turning; the places for that follow the points'


@inner
def place_point(sim, e, j, ground, zero):
    """Write the contact place of point j; channels show the force of the last step."""
    touch, bodies = touch_of(sim, e, j, ground, zero), (own(sim, e, BODY), own(sim, e, OTHER))
    friction, restitution = parameter(sim, e, FRICTION, zero), parameter(sim, e, RESTITUTION, zero)
    gap, n = touch.gap / touch.size, touch.normal
    away = sub3(touch.at, ground.between)
    may_touch(sim, e, j, bodies, Place(gap, n, touch.at, away, touch.speed, zero + friction, zero + restitution), zero)
    f, many = force_felt(sim, e, j, zero), own(sim, e, POINTS)
    if own(sim, e, RESISTS):
        rolling, torsion = zero + parameter(sim, e, ROLLING, zero), zero + parameter(sim, e, TORSION, zero)
        may_turn(sim, e, many + j, j, bodies, Place(gap, n, touch.at, away, touch.turning, torsion, rolling), zero)
    v = sub3(touch.speed, scale3(dot3(n, touch.speed), n))
    channel(sim, e, j, touch.gap)
    channel(sim, e, many + j, dot3(n, f))
    channel(sim, e, 2 * many + j, sqrt(dot3(v, v)))
    channel3(sim, e, 3 * many + 3 * j, position(sim, bodies[0], touch.at, zero))
    moment = add3((zero, zero, zero), cross(sub3(touch.at, touch.center), f))
    if own(sim, e, RESISTS):
        moment = add3(moment, force_felt(sim, e, many + j, zero))
    record_wrench(sim, e, j, f, moment)


@kind
def contact_touching(sim, e, t, y, k, zero):
    """Write the contact places of all points."""
    if sleep_together(sim, own(sim, e, BODY), own(sim, e, OTHER)):
        return  # all points sleep: their records stay valid
    ground = ground_of(sim, e, zero)
    for j in range(own(sim, e, POINTS)):
        place_point(sim, e, j, ground, zero)
