"""Where the Sun and the Moon are, and absolute times."""

import warnings
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError, UnknownName
from ..kernels.elements.paths import equatorial_of, moon_angles, sun_angles
from ..reals import finite_array
from ..signatures import checked_arguments

Array = np.ndarray

J2000 = "2000-01-01T11:58:55.816"
"""Julian epoch 2000.0, 12:00 TT, as UTC."""
_J2000 = datetime(2000, 1, 1, 12, tzinfo=UTC)
_TT_MINUS_UTC = 69.184
"""Since 2017 [s]; 64.184 s in 2000: a minute moves the Moon by half a minute of arc, less than its series is off."""
_LONGEST = 1e11
"""Seconds from an epoch, 3000 years: series and ephemerides mean nothing beyond."""
_SERIES: dict[str, Any] = {"sun": sun_angles, "moon": moon_angles}
_equatorial: Any = equatorial_of


@checked_arguments()
def days_since_j2000(epoch: str) -> float:
    """Days of terrestrial time from J2000 to a date, which is UTC unless it names a zone.

    Leap seconds are those since 2017 (TT - UTC = 69.184 s), in 2000 64.184 s.

    Parameters
    ----------
    epoch : str
        Date and time, such as '2026-03-01T00:00:00'.

    Examples
    --------
    >>> import spacedyn as sd
    >>> round(sd.orbit.days_since_j2000("2026-03-01T00:00:00"), 6)
    9555.500801
    """
    passed = (date_of(epoch) - _J2000).total_seconds()
    return (passed + (64.184 if epoch == J2000 else _TT_MINUS_UTC)) / 86400.0


def date_of(epoch: str) -> datetime:
    """A date with its zone, which is UTC unless it names one; or an error by name."""
    try:
        date = datetime.fromisoformat(epoch)
        return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
    except (ValueError, OverflowError):
        raise InputError(f"epoch: expected a date and time, such as '2026-03-01T00:00:00', got {epoch!r}") from None


@checked_arguments()
def position_of(body: str, epoch: str, times: ArrayLike = 0.0, *, source: str = "series") -> Array:
    """Where the Sun or the Moon is, from the Earth's centre, in equatorial axes of J2000 [m].

    Parameters
    ----------
    body : str
        'sun' or 'moon'; with astropy also the planets.
    epoch : str
        Date and time of time 0, UTC: '2026-03-01T00:00:00'.
    times : float or (...,)
        Seconds after the epoch.
    source : str
        'series': low-precision series (Montenbruck & Gill 2000, 3.3.2): the Sun to a minute of arc, the Moon to some
        minutes and 500 km. 'astropy': its built-in ephemeris, from 1900 to 2100, which needs no network: pip install
        'spacedyn[orbit]'.

    Returns
    -------
    (..., 3)

    Examples
    --------
    >>> import spacedyn as sd
    >>> (sd.orbit.position_of("sun", "2026-03-01T00:00:00") / sd.orbit.AU).round(3).tolist()
    [0.931, -0.31, -0.134]
    """
    after = finite_array("position_of: times", times, "finite times [s]")
    if np.abs(after).max(initial=0.0) > _LONGEST:
        raise InputError(f"position_of: times must be within {_LONGEST:g} s of the epoch, got {np.abs(after).max():g}")
    if source == "astropy":
        return _from_astropy(body, epoch, after)
    if source != "series":
        raise UnknownName("source of position_of()", source, ["series", "astropy"])
    if body not in _SERIES:
        raise UnknownName("body of position_of()", body, list(_SERIES))
    first = days_since_j2000(epoch)
    places = [_equatorial(*_SERIES[body](first + t / 86400.0)) for t in after.ravel()]
    return np.array(places).reshape(*after.shape, 3)


def _from_astropy(body: str, epoch: str, times: Array) -> Array:
    """The same by astropy, without corrections for the light's way."""
    try:
        from astropy import units
        from astropy.coordinates import get_body_barycentric
        from astropy.time import Time
        from astropy.utils import iers
    except ImportError:
        raise InputError("position_of: source='astropy' needs astropy: pip install 'spacedyn[orbit]'") from None
    date = date_of(epoch).replace(tzinfo=None)
    with iers.conf.set_temp("auto_download", False), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="ERFA function")  # of years before 1960, or far ahead
        t = Time(date, scale="utc") + times * units.s
        try:
            there: Any = get_body_barycentric(body, t) - get_body_barycentric("earth", t)
        except KeyError:
            raise UnknownName(
                "body of position_of()", body, ["sun", "moon", "mercury", "venus", "mars", "jupiter"]
            ) from None
    return np.moveaxis(np.asarray(there.xyz.to_value(units.m)), 0, -1)
