"""Density of a planet's air at a place: a table over the altitude, with a bulge on the side of the afternoon.

    rho = low(h) + (high(h) - low(h)) cos^n(psi / 2)

psi is the angle to the bulge's apex, which lags behind the Sun. Logarithms of low and high are cubic splines of the
altitude, straight beyond their ends, so that all is smooth. Harris & Priester 1962; Montenbruck & Gill (2000), 3.5.2.
The altitude is that above the ellipsoid along the line to its centre.
"""

from ..robot.spatial import cross, dot3, scale3, sub3
from ..scalar.compiling import inner
from ..scalar.memory import integer, load, shared
from ..scalar.pack import exponential, select, sqrt
from ..scalar.trigonometry import sincos
from ..sim.layout import *  # noqa: F403
from .kind import own, parameter, vector
from .paths import place_on_path

BULGE, SUN_PATH, PIECES = 1, 2, 3  # integers: half of n (0: no bulge), the Sun's path, pieces of the splines
# numbers: of the ellipsoid, equatorial radius and flattening; the axis; how fast the air turns; how far the bulge lags
# behind the Sun; where the splines and the Sun's path are among the numbers, which follow. A piece: where it starts,
# four coefficients of low, four of high
RADIUS, FLATTENING, AXIS, SPIN, LAG, TABLE_AT, SUN_AT, AIR_NUMBERS = 0, 1, 2, 5, 6, 7, 8, 9
PIECE = 9


@inner
def altitude_of(sim, e, r, zero):
    """Altitude of a place r from the planet's centre."""
    distance, f = sqrt(dot3(r, r)), parameter(sim, e, FLATTENING, zero)
    s = dot3(r, vector(sim, e, AXIS, zero)) / distance
    surface = parameter(sim, e, RADIUS, zero) * (1.0 - f) / sqrt(1.0 - f * (2.0 - f) * (1.0 - s * s))
    return distance - surface


@inner
def cubic(numbers, at, x, zero):
    """A polynomial of degree three, the constant first."""
    c2 = shared(numbers, at + 2, zero) + x * shared(numbers, at + 3, zero)
    return shared(numbers, at, zero) + x * (shared(numbers, at + 1, zero) + x * c2)


@inner
def from_table(sim, e, h, which, zero):
    """Low (0) or high (1) density at an altitude."""
    numbers = integer(sim.plan, e + E_NUMBERS)
    at = numbers + int(load(sim.numbers, numbers + TABLE_AT, 0.0))
    log = cubic(sim.numbers, at + 1 + 4 * which, h - shared(sim.numbers, at, zero), zero)
    for i in range(1, own(sim, e, PIECES)):
        piece = at + i * PIECE
        x = h - shared(sim.numbers, piece, zero)
        log = select(x >= 0.0, cubic(sim.numbers, piece + 1 + 4 * which, x, zero), log)
    return exponential(log)


@inner
def apex(sim, e, t):
    """Direction of the bulge's apex: the Sun's, turned about the axis by the lag."""
    numbers = integer(sim.plan, e + E_NUMBERS)
    sun = place_on_path(sim, numbers + int(load(sim.numbers, numbers + SUN_AT, 0.0)), own(sim, e, SUN_PATH), t)
    sun = scale3(1.0 / sqrt(dot3(sun, sun)), sun)
    k, (sine, cosine) = vector(sim, e, AXIS, 0.0), sincos(parameter(sim, e, LAG, 0.0))
    along = (1.0 - cosine) * dot3(k, sun)
    side = cross(k, sun)
    return (
        cosine * sun[0] + sine * side[0] + along * k[0],
        cosine * sun[1] + sine * side[1] + along * k[1],
        cosine * sun[2] + sine * side[2] + along * k[2],
    )


@inner
def density(sim, e, r, t, zero):
    """Density at a place r from the planet's centre."""
    h = altitude_of(sim, e, r, zero)
    low, half = from_table(sim, e, h, 0, zero), own(sim, e, BULGE)
    if half == 0:
        return low
    cosine = dot3(r, apex(sim, e, t)) / sqrt(dot3(r, r))
    near, power = 0.5 + 0.5 * cosine, zero + 1.0
    for _ in range(half):
        power = power * near
    return low + power * (from_table(sim, e, h, 1, zero) - low)


@inner
def wind(sim, e, r, v, zero):
    """Velocity relative to air that turns with the planet."""
    return sub3(v, scale3(parameter(sim, e, SPIN, zero), cross(vector(sim, e, AXIS, zero), r)))
