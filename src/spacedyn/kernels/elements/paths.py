"""Where the Sun, the Moon or another body is at a time: a low-precision series, a table, or a fixed place.

Positions are from the Earth, mean equator and equinox of J2000 [m]. The series are those of Montenbruck & Gill (2000),
Satellite orbits, 3.3.2: the Sun (3.43)-(3.46), with the motion of its perigee, which they leave out (5' by 2026), to a
minute of arc; the Moon (3.47)-(3.51) to some minutes of arc and 500 km.
"""

import math

from ..robot.spatial import load3
from ..scalar.compiling import inner, outlined
from ..scalar.memory import load

FIXED, SUN, MOON, TABLE = range(4)  # how a path is given
# its numbers: a fixed place; days since J2000 (TT) at t = 0; of a table, how many pieces, their starts, polynomials
PLACE, EPOCH, PIECES, STARTS = 0, 3, 4, 5
DEGREE = 5  # of the polynomials: three times DEGREE + 1 coefficients a piece, the constant first
SECOND = math.pi / 648000.0  # of arc
DEGREES = math.pi / 180.0
OBLIQUITY = 23.43929111 * DEGREES
COS_OBLIQUITY, SIN_OBLIQUITY = math.cos(OBLIQUITY), math.sin(OBLIQUITY)


def equatorial_of(longitude, latitude, r):
    """Ecliptic angles and a distance, in equatorial axes."""
    flat = r * math.cos(latitude)
    x, y, z = flat * math.cos(longitude), flat * math.sin(longitude), r * math.sin(latitude)
    return x, COS_OBLIQUITY * y - SIN_OBLIQUITY * z, SIN_OBLIQUITY * y + COS_OBLIQUITY * z


def sun_angles(days):
    """Ecliptic longitude, latitude and distance of the Sun, days since J2000."""
    T = days / 36525.0
    M = (357.5256 + 35999.049 * T) * DEGREES
    longitude = (282.94 + 0.3233 * T) * DEGREES + M + SECOND * (6892.0 * math.sin(M) + 72.0 * math.sin(2.0 * M))
    return longitude, 0.0, 1e9 * (149.619 - 2.499 * math.cos(M) - 0.021 * math.cos(2.0 * M))


def moon_angles(days):
    """Ecliptic longitude, latitude and distance of the Moon, days since J2000."""
    T = days / 36525.0
    mean = (218.31617 + 481267.88088 * T - 1.3972 * T) * DEGREES
    l, s = (134.96292 + 477198.86753 * T) * DEGREES, (357.52543 + 35999.04944 * T) * DEGREES
    F, D2 = (93.27283 + 483202.01873 * T) * DEGREES, 2.0 * (297.85027 + 445267.11135 * T) * DEGREES
    sin, cos = math.sin, math.cos
    turned = 22640.0 * sin(l) + 769.0 * sin(2.0 * l) - 4586.0 * sin(l - D2) + 2370.0 * sin(D2) - 668.0 * sin(s)
    turned += -412.0 * sin(2.0 * F) - 212.0 * sin(2.0 * l - D2) - 206.0 * sin(l + s - D2) + 192.0 * sin(l + D2)
    turned += -165.0 * sin(s - D2) + 148.0 * sin(l - s) - 125.0 * sin(0.5 * D2) - 110.0 * sin(l + s)
    turned += -55.0 * sin(2.0 * F - D2)
    node = F + SECOND * (turned + 412.0 * sin(2.0 * F) + 541.0 * sin(s))
    high = 18520.0 * sin(node) - 526.0 * sin(F - D2) + 44.0 * sin(l + F - D2) - 31.0 * sin(F - l - D2)
    high += -25.0 * sin(F - 2.0 * l) - 23.0 * sin(s + F - D2) + 21.0 * sin(F - l) + 11.0 * sin(F - s - D2)
    r = 385000.0 - 20905.0 * cos(l) - 3699.0 * cos(D2 - l) - 2956.0 * cos(D2) - 570.0 * cos(2.0 * l)
    r += 246.0 * cos(2.0 * l - D2) - 205.0 * cos(s - D2) - 171.0 * cos(l + D2) - 152.0 * cos(l + s - D2)
    return mean + SECOND * turned, SECOND * high, 1e3 * r


# the same for kernels; above, for Python
in_equator, angles_of_sun, angles_of_moon = inner(equatorial_of), inner(sun_angles), outlined(moon_angles)


@inner
def table_at(numbers, at, t):
    """A place of a table: the polynomials of the piece in which t is."""
    pieces = int(load(numbers, at + PIECES, 0.0))
    first, last = 0, pieces - 1
    while first < last:  # bisection
        middle = (first + last + 1) // 2
        if load(numbers, at + STARTS + middle, 0.0) <= t:
            first = middle
        else:
            last = middle - 1
    x = t - load(numbers, at + STARTS + first, 0.0)
    p = at + STARTS + pieces + first * 3 * (DEGREE + 1)
    return polynomial(numbers, p, x), polynomial(numbers, p + DEGREE + 1, x), polynomial(numbers, p + 2 * DEGREE + 2, x)


@inner
def polynomial(numbers, p, x):
    """Horner's scheme."""
    total = load(numbers, p + DEGREE, 0.0)
    for i in range(DEGREE - 1, -1, -1):
        total = load(numbers, p + i, 0.0) + x * total
    return total


@inner
def place_on_path(sim, at, path, t):
    """Where a body is at time t, of a path whose numbers begin at `at`."""
    days = load(sim.numbers, at + EPOCH, 0.0) + t / 86400.0
    if path == SUN:
        longitude, latitude, r = angles_of_sun(days)
        return in_equator(longitude, latitude, r)
    if path == MOON:
        longitude, latitude, r = angles_of_moon(days)
        return in_equator(longitude, latitude, r)
    if path == TABLE:
        return table_at(sim.numbers, at, t)
    return load3(sim.numbers, at + PLACE, 0.0)
