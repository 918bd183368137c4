"""Drag of thin air on flat plates of a body.

    f = -rho/2 A (n.v) [C_D v + C_N (n.v) n]      where n.v > 0, on each plate

v is the plate's velocity relative to the air, n its outward normal. Its guards are the n.v, so that steps end where a
plate turns edge-on. The force is recorded at the body's centre of mass, with the moment about it.
"""

from ..robot.spatial import add3, cross, dot3, scale3, sub3, turn
from ..scalar.pack import select
from ..sim.layout import *  # noqa: F403
from .atmosphere import AIR_NUMBERS, density, wind
from .falling import origin_position, origin_velocity, place_in_frame, power_of
from .kind import (
    channel,
    guard,
    kind,
    lever,
    own,
    parameter,
    push_body,
    record_wrench,
    rotation,
    switch,
    vector,
    velocity,
    weigh,
    work_done,
)

BODY, PLATES = 0, 4  # its integers, with the air's between
# its numbers behind the air's: of a plate, its normal and place in the body's axes, area, coefficients along v, along n
NORMAL, PLACE, AREA, ALONG, ACROSS, PLATE = 0, 3, 6, 7, 8, 9
DENSITY = 0  # its channel


@kind
def atmospheric_drag(sim, e, t, y, k, zero):
    """Push the body against its motion through the air."""
    i = own(sim, e, BODY)
    _, c, _ = weigh(sim, i, zero)
    r = add3(origin_position(sim, y, zero), place_in_frame(sim, i, c, zero))
    rho, R = density(sim, e, r, t, zero), rotation(sim, i, zero)
    f, n = (zero, zero, zero), (zero, zero, zero)
    for j in range(own(sim, e, PLATES)):
        at = AIR_NUMBERS + j * PLATE
        point = lever(sim, i, vector(sim, e, at + PLACE, zero), zero)
        arm, v = sub3(point, c), add3(origin_velocity(sim, y, zero), velocity(sim, i, point, zero))
        v = wind(sim, e, add3(r, arm), v, zero)
        normal = turn(R, vector(sim, e, at + NORMAL, zero))
        into = dot3(normal, v)
        guard(sim, e, j, into)
        size = -0.5 * rho * parameter(sim, e, at + AREA, zero) * into
        size = select(switch(sim, e, j, into, zero) > 0.0, size, zero)
        push = add3(
            scale3(size * parameter(sim, e, at + ALONG, zero), v),
            scale3(size * into * parameter(sim, e, at + ACROSS, zero), normal),
        )
        f, n = add3(f, push), add3(n, cross(arm, push))
    push_body(sim, i, f, n, c, zero)
    record_wrench(sim, e, 0, f, n)
    channel(sim, e, DENSITY, rho)
    work_done(sim, e, k, power_of(sim, i, f, n, c, zero))
