"""Pressure of sunlight on flat plates of a body, with the planet's shadow.

    f = -P (AU/d)^2 light A cos [(1 - c_s) e + 2 (c_s cos + c_d / 3) n]      where cos = n.e > 0, on each plate

e points to the Sun, d is its distance, n the plate's outward normal; c_s and c_d are the shares of specular
and of diffuse reflection. `light` is the visible share of the Sun's disc: with a and b the apparent radii of Sun and
planet, c the angle between them, and the planet's limb straight over the Sun's disc (an error of a/b = 0.4 % in low
orbits), light = 1/2 + (x sqrt(1 - x^2) + asin x) / pi, x = (c - b) / a. Its guards are n.e of the plates, c - b - a and
c - b + a: steps end where the penumbra begins and ends. Montenbruck & Gill (2000), 3.4.
"""

import math

from ..robot.spatial import add3, cross, dot3, scale3, sub3, turn
from ..scalar.compiling import inner
from ..scalar.memory import integer
from ..scalar.pack import arctan2, select, sqrt
from ..sim.layout import *  # noqa: F403
from .falling import origin_position, place_in_frame, power_of
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
    weigh,
    work_done,
)
from .paths import place_on_path

BODY, SUN_PATH, ECLIPSE, PLATES = range(4)  # its integers; ECLIPSE: 1 if the planet has a shadow
# its numbers: pressure at 1 AU; of the planet, its radius; plates; then the Sun's path. Of a plate: its normal and
# place in the body's axes, area, shares of specular and of diffuse reflection
PRESSURE, RADIUS, PLATE_AT = range(3)
NORMAL, PLACE, AREA, SPECULAR, DIFFUSE, PLATE = 0, 3, 6, 7, 8, 9
LIGHT = 0  # its channel
AU, SUN_RADIUS = 1.495978707e11, 6.957e8


@inner
def arcsine(x, zero):
    """asin x, for x in [-1, 1]; beyond, that of the end."""
    left = 1.0 - x * x
    return arctan2(x, sqrt(select(left > 0.0, left, zero)))


@inner
def sunlight(sim, e, r, to_sun, zero):
    """Visible share of the Sun's disc at r from the planet's centre."""
    first = own(sim, e, PLATES)
    distance, far = sqrt(dot3(r, r)), sqrt(dot3(to_sun, to_sun))
    a, b = arcsine(SUN_RADIUS / far, zero), arcsine(parameter(sim, e, RADIUS, zero) / distance, zero)
    side = cross(r, to_sun)
    c = arctan2(sqrt(dot3(side, side) + 1e-30), -dot3(r, to_sun))
    outer, inside = c - b - a, c - b + a
    guard(sim, e, first, outer)
    guard(sim, e, first + 1, inside)
    x = (c - b) / a
    x = select(x > 1.0, zero + 1.0, select(x < -1.0, zero - 1.0, x))
    left = 1.0 - x * x
    part = 0.5 + (x * sqrt(select(left > 1e-30, left, zero + 1e-30)) + arcsine(x, zero)) / math.pi
    part = select(part > 0.0, part, zero)  # rounding may make it negative
    shaded = select(switch(sim, e, first + 1, inside, zero) > 0.0, part, zero)
    return select(switch(sim, e, first, outer, zero) > 0.0, zero + 1.0, shaded)


@kind
def solar_pressure(sim, e, t, y, k, zero):
    """Push the body away from the Sun."""
    i, plates = own(sim, e, BODY), own(sim, e, PLATES)
    _, c, _ = weigh(sim, i, zero)
    r, R = add3(origin_position(sim, y, zero), place_in_frame(sim, i, c, zero)), rotation(sim, i, zero)
    path = integer(sim.plan, e + E_NUMBERS) + PLATE_AT + plates * PLATE
    s = place_on_path(sim, path, own(sim, e, SUN_PATH), t)
    to_sun = sub3((zero + s[0], zero + s[1], zero + s[2]), r)
    light = zero + 1.0
    if own(sim, e, ECLIPSE) == 1:
        light = sunlight(sim, e, r, to_sun, zero)
    near = 1.0 / dot3(to_sun, to_sun)
    pressure, ahead = parameter(sim, e, PRESSURE, zero) * AU * AU * near * light, scale3(sqrt(near), to_sun)
    f, n = (zero, zero, zero), (zero, zero, zero)
    for j in range(plates):
        at = PLATE_AT + j * PLATE
        normal = turn(R, vector(sim, e, at + NORMAL, zero))
        cosine, specular = dot3(normal, ahead), parameter(sim, e, at + SPECULAR, zero)
        guard(sim, e, j, cosine)
        size = -(pressure * parameter(sim, e, at + AREA, zero) * cosine)
        size = select(switch(sim, e, j, cosine, zero) > 0.0, size, zero)
        back = 2.0 * (specular * cosine + parameter(sim, e, at + DIFFUSE, zero) / 3.0)
        push = scale3(size, add3(scale3(1.0 - specular, ahead), scale3(back, normal)))
        arm = sub3(lever(sim, i, vector(sim, e, at + PLACE, zero), zero), c)
        f, n = add3(f, push), add3(n, cross(arm, push))
    push_body(sim, i, f, n, c, zero)
    record_wrench(sim, e, 0, f, n)
    channel(sim, e, LIGHT, light)
    work_done(sim, e, k, power_of(sim, i, f, n, c, zero))
