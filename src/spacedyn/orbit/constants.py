"""Numbers of the Earth, the Sun and the Moon, SI."""

EARTH_MU = 3.986004418e14
"""Gravitational parameter of the Earth [m³/s²]."""
EARTH_RADIUS = 6378137.0
"""Equatorial radius of the Earth [m] (WGS 84)."""
EARTH_FLATTENING = 1.0 / 298.257223563
"""Of the Earth's ellipsoid (WGS 84)."""
EARTH_ROTATION = 7.292115e-5
"""How fast the Earth turns [rad/s]."""
EARTH_J2, EARTH_J3, EARTH_J4 = 1.08262668e-3, -2.53265649e-6, -1.61962159e-6
"""Zonal harmonics of the Earth (JGM-3), for GRAVITY_RADIUS."""
GRAVITY_RADIUS = 6378136.3
"""Radius that the harmonics are for [m] (JGM-3)."""
SUN_MU = 1.32712440041e20
"""Gravitational parameter of the Sun [m³/s²] (DE440)."""
MOON_MU = 4.902800118e12
"""Gravitational parameter of the Moon [m³/s²] (DE440)."""
SUN_RADIUS = 6.957e8
"""[m]."""
AU = 1.495978707e11
"""Astronomical unit [m]."""
SOLAR_PRESSURE = 1361.0 / 299792458.0
"""Pressure of sunlight at 1 AU [N/m²]: 1361 W/m² over the speed of light."""
