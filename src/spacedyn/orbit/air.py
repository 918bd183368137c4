"""Tables of the air's density over the altitude."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import CubicSpline

from ..errors import InputError
from ..reals import finite_array, one_number, refuse_overflow
from ..signatures import checked_arguments
from .sun_and_moon import date_of

Array = np.ndarray

# altitude [km], density [kg/m³]: Vallado, Fundamentals of astrodynamics, table 8-4 (US standard 1976, CIRA-72)
_EXPONENTIAL = (
    (0, 1.225), (25, 3.899e-2), (30, 1.774e-2), (40, 3.972e-3), (50, 1.057e-3), (60, 3.206e-4), (70, 8.77e-5),
    (80, 1.905e-5), (90, 3.396e-6), (100, 5.297e-7), (110, 9.661e-8), (120, 2.438e-8), (130, 8.484e-9),
    (140, 3.845e-9), (150, 2.07e-9), (180, 5.464e-10), (200, 2.789e-10), (250, 7.248e-11), (300, 2.418e-11),
    (350, 9.518e-12), (400, 3.725e-12), (450, 1.585e-12), (500, 6.967e-13), (600, 1.454e-13), (700, 3.614e-14),
    (800, 1.17e-14), (900, 5.245e-15), (1000, 3.019e-15),
)  # fmt: skip
# altitude [km], lowest and highest density [g/km³] at mean solar activity: Montenbruck & Gill, table 3.8
_HARRIS_PRIESTER = (
    (100, 497400.0, 497400.0), (120, 24900.0, 24900.0), (130, 8377.0, 8710.0), (140, 3899.0, 4059.0),
    (150, 2122.0, 2215.0), (160, 1263.0, 1344.0), (170, 800.8, 875.8), (180, 528.3, 601.0), (190, 361.7, 429.7),
    (200, 255.7, 316.2), (210, 183.9, 239.6), (220, 134.1, 185.3), (230, 99.49, 145.5), (240, 74.88, 115.7),
    (250, 57.09, 93.08), (260, 44.03, 75.55), (270, 34.3, 61.82), (280, 26.97, 50.95), (290, 21.39, 42.26),
    (300, 17.08, 35.26), (320, 10.99, 25.11), (340, 7.214, 18.19), (360, 4.824, 13.37), (380, 3.274, 9.955),
    (400, 2.249, 7.492), (420, 1.558, 5.684), (440, 1.091, 4.355), (460, 0.7701, 3.362), (480, 0.5474, 2.612),
    (500, 0.3916, 2.042), (520, 0.2819, 1.605), (540, 0.2042, 1.267), (560, 0.1488, 1.005), (580, 0.1092, 0.7997),
    (600, 0.0807, 0.639), (620, 0.06012, 0.5123), (640, 0.04519, 0.4121), (660, 0.0343, 0.3325),
    (680, 0.02632, 0.2691), (700, 0.02043, 0.2185), (720, 0.01607, 0.1779), (740, 0.01281, 0.1452),
    (760, 0.01036, 0.119), (780, 0.008496, 0.09776), (800, 0.007069, 0.08059), (840, 0.00468, 0.05741),
    (880, 0.0032, 0.0421), (920, 0.00221, 0.0313), (960, 0.00156, 0.0236), (1000, 0.00115, 0.0181),
)  # fmt: skip


class AirTable(NamedTuple):
    """Density over the altitude.

    Attributes
    ----------
    altitudes : (n,)
        Rising [m].
    low, high : (n,)
        Densities on the side of the night and in the bulge [kg/m³]; the same if there is no bulge.
    """

    altitudes: Array
    low: Array
    high: Array


def named_table(name: str) -> AirTable:
    """'exponential' or 'harris_priester'."""
    if name == "exponential":
        heights, densities = np.array(_EXPONENTIAL).T
        return AirTable(1e3 * heights, densities, densities)
    heights, low, high = np.array(_HARRIS_PRIESTER).T
    return AirTable(1e3 * heights, 1e-12 * low, 1e-12 * high)


def spline_pieces(table: AirTable) -> Array:
    """Cubic splines of both logarithms as the kernels read them, straight beyond their ends.

    (n + 1, 9): where a piece starts, four coefficients of the low density's logarithm, four of the high one's. The
    first piece is what is below the table, the last what is above.
    """
    try:
        with np.errstate(all="ignore"):
            pieces = _spline_pieces(table)
    except ValueError:  # of SciPy, where it cannot divide
        pieces = np.array([np.inf])
    if not np.isfinite(pieces).all():
        raise InputError("a table of the air: altitudes are too close together for a curve through the densities")
    return pieces


def _spline_pieces(table: AirTable) -> Array:
    x = table.altitudes
    pieces = np.zeros((len(x) + 1, 9))
    pieces[0, 0], pieces[1:, 0] = x[0], x
    for first, density in ((1, table.low), (5, table.high)):
        kind = "natural" if len(x) > 2 else "clamped"
        spline = CubicSpline(x, np.log(density), bc_type=kind)
        if len(x) == 2:
            slope = np.diff(np.log(density)) / np.diff(x)
            spline = CubicSpline(x, np.log(density), bc_type=((1, slope[0]), (1, slope[0])))
        pieces[1:-1, first : first + 4] = spline.c[::-1].T
        for at, end in ((0, x[0]), (-1, x[-1])):
            pieces[at, first : first + 2] = spline(end), spline(end, 1)
    return pieces


@checked_arguments()
@refuse_overflow("the model has no air for these numbers")
def msis_table(
    epoch: str,
    altitudes: ArrayLike,
    *,
    longitude: float = 0.0,
    latitude: float = 0.0,
    f107: float = 150.0,
    f107a: float = 150.0,
    ap: float = 4.0,
) -> AirTable:
    """A column of air by NRLMSIS 2.1, for `AtmosphericDrag(altitudes=..., densities=...)`.

    Through pymsis, which needs no network if solar activity is given: pip install 'spacedyn[orbit]'.

    Parameters
    ----------
    epoch : str
        Date and time, UTC.
    altitudes : (n,)
        Rising [m].
    longitude, latitude : float
        Of the column, geodetic [rad].
    f107, f107a : float
        Solar radio flux at 10.7 cm of the day before, and its mean over 81 days [1e-22 W/m²/Hz].
    ap : float
        Geomagnetic index.

    Examples
    --------
    >>> import spacedyn as sd
    >>> air = sd.orbit.msis_table("2026-03-01T00:00:00", [380e3, 400e3, 420e3])
    >>> f"{air.low[1]:.4e}"
    '2.7581e-12'
    """
    try:
        import pymsis
    except ImportError:
        raise InputError("msis_table: it needs pymsis: pip install 'spacedyn[orbit]'") from None
    heights = rising("msis_table: altitudes", altitudes)
    given = {"longitude": longitude, "latitude": latitude, "f107": f107, "f107a": f107a, "ap": ap}
    east, north, *activity = (one_number(f"msis_table: {name}", value) for name, value in given.items())
    date = np.datetime64(date_of(epoch).replace(tzinfo=None))
    result = pymsis.calculate(
        np.array([date]), [np.degrees(east)], [np.degrees(north)], heights / 1e3,
        [activity[0]], [activity[1]], [[activity[2]] * 7],
    )  # fmt: skip
    density = np.asarray(result, dtype=float).reshape(len(heights), -1)[:, 0]
    return AirTable(heights, density, density)


def rising(name: str, values: ArrayLike) -> Array:
    """At least two rising numbers, or an error by name."""
    array = finite_array(name, values, "at least two rising numbers")
    if array.ndim != 1 or len(array) < 2 or np.any(np.diff(array) <= 0.0):
        raise InputError(f"{name}: expected at least two rising numbers, got {values!r}")
    return array
