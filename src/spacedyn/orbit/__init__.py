"""Orbits: elements and states, Hill's axes and relative motion, the Sun and the Moon, air, plates.

    r, v = sd.orbit.from_elements(sd.orbit.OrbitalElements(6.928e6, inclination=0.6))

What acts on a robot there are elements: `CentralGravity`, `ZonalGravity`, `ThirdBody`, `OrbitingOrigin`, `HillFrame`,
`GravityGradient`, `AtmosphericDrag`, `SolarPressure`; docs/howto/orbit.md.
"""

from .air import AirTable, msis_table
from .constants import (
    AU,
    EARTH_FLATTENING,
    EARTH_J2,
    EARTH_J3,
    EARTH_J4,
    EARTH_MU,
    EARTH_RADIUS,
    EARTH_ROTATION,
    GRAVITY_RADIUS,
    MOON_MU,
    SOLAR_PRESSURE,
    SUN_MU,
    SUN_RADIUS,
)
from .hill import RelativeMotion, clohessy_wiltshire, from_hill, hill_axes, relative_motion, to_hill
from .kepler import (
    OrbitalElements,
    PositionAndVelocity,
    from_elements,
    mean_anomaly,
    mean_motion,
    to_elements,
    true_anomaly,
)
from .plates import Plates, box_plates, panel_plates
from .start import orbit_state
from .sun_and_moon import J2000, days_since_j2000, position_of

__all__ = [
    "AU",
    "EARTH_FLATTENING",
    "EARTH_J2",
    "EARTH_J3",
    "EARTH_J4",
    "EARTH_MU",
    "EARTH_RADIUS",
    "EARTH_ROTATION",
    "GRAVITY_RADIUS",
    "J2000",
    "MOON_MU",
    "SOLAR_PRESSURE",
    "SUN_MU",
    "SUN_RADIUS",
    "AirTable",
    "OrbitalElements",
    "Plates",
    "PositionAndVelocity",
    "RelativeMotion",
    "box_plates",
    "clohessy_wiltshire",
    "days_since_j2000",
    "from_elements",
    "from_hill",
    "hill_axes",
    "mean_anomaly",
    "mean_motion",
    "msis_table",
    "orbit_state",
    "panel_plates",
    "position_of",
    "relative_motion",
    "to_elements",
    "to_hill",
    "true_anomaly",
]
