"""Magnetic fields of planets: spherical harmonics of the IGRF, a dipole, or a field that is the same everywhere."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property
from importlib.resources import files
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..kernels.elements.magnetic_field import ROW_NUMBERS
from ..orbit.constants import EARTH_ROTATION
from ..reals import finite_array, one_number
from ..signatures import check_names, checked_fields
from .element import three

Array = np.ndarray
IGRF_RADIUS = 6_371_200.0
"""Radius that Gauss's coefficients refer to [m]."""
MAX_DEGREE = 13


@checked_fields("date")
@dataclass(frozen=True, eq=False)
class MagneticField:
    """The magnetic field around a planet that turns about the inertial z axis.

    Left to itself it is the Earth's by the International Geomagnetic Reference Field, 14th generation, at a date. With
    `degree=1` that is the tilted dipole; `dipole` is that of any planet; `uniform` a field without a planet. The
    coefficients stay what they are at the date: they change by some 1e-3 a year.

    Parameters
    ----------
    date : float or str
        A decimal year from 1900 to 2030, or '2026-03-01', '2026-03-01T12:00'; for the Earth's field.
    degree : int
        Of the harmonics, from 1 to 13.
    dipole : (3,), optional
        Gauss's coefficients (g11, h11, g10) [T] of a dipole in the planet's axes instead: at the distance `radius` the
        field is -dipole on its equator and twice the dipole above its pole.
    uniform : (3,), optional
        The same field everywhere instead [T], inertial axes.
    radius : float
        That the coefficients refer to [m].
    center : (3,)
        Where the planet is, in the inertial frame [m].
    angle, rotation_rate : float
        Angle of the prime meridian from the inertial x axis at t = 0 [rad]; angular rate of the planet about z [rad/s].

    Examples
    --------
    Above the equator the Earth's field points north.

    >>> import spacedyn as sd
    >>> (sd.MagneticField(date=2026.0).at([6.871e6, 0, 0]) * 1e9).round(1).tolist()
    [10867.4, -1644.3, 21604.7]
    >>> sd.MagneticField(dipole=[0, 0, -3e-5]).at([2 * 6371200.0, 0, 0]).tolist()
    [0.0, 0.0, 3.75e-06]
    """

    date: float | str = 2025.0
    degree: int = MAX_DEGREE
    dipole: ArrayLike | None = None
    uniform: ArrayLike | None = None
    radius: float = IGRF_RADIUS
    center: ArrayLike = (0.0, 0.0, 0.0)
    angle: float = 0.0
    rotation_rate: float = EARTH_ROTATION

    def __post_init__(self) -> None:
        if self.dipole is not None and self.uniform is not None:
            raise InputError("MagneticField: give a dipole or a uniform field, not both")
        for name in ("dipole", "uniform", "center"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, three("MagneticField", name, getattr(self, name)))
        for name in ("radius", "angle", "rotation_rate"):
            object.__setattr__(self, name, one_number(f"MagneticField: {name}", getattr(self, name)))
        if not self.radius > 0.0:
            raise InputError(f"MagneticField: radius must be a positive length [m], got {self.radius}")
        if isinstance(self.degree, bool) or not 1 <= self.degree <= MAX_DEGREE:
            raise InputError(f"MagneticField: degree must be from 1 to {MAX_DEGREE}, got {self.degree}")
        object.__setattr__(self, "date", _decimal_year(self.date))

    def at(self, position: ArrayLike, time: float = 0.0) -> Array:
        """The field at places of the inertial frame.

        Parameters
        ----------
        position : (..., 3)
            [m], inertial frame.
        time : float
            [s].

        Returns
        -------
        (..., 3)
            [T], inertial axes.
        """
        place = finite_array("MagneticField.at: position", position, "places (..., 3) [m]")
        if place.shape[-1:] != (3,):
            raise InputError(f"MagneticField.at: position must be (..., 3), got shape {place.shape}")
        if self.uniform is not None:
            return np.broadcast_to(np.asarray(self.uniform), place.shape).copy()
        theta = self.angle + self.rotation_rate * one_number("MagneticField.at: time", time, "a time [s]")
        c, s = np.cos(theta), np.sin(theta)
        R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        r = (place - np.asarray(self.center)) @ R
        return self._sum(r) @ R.T

    def _sum(self, r: Array) -> Array:
        """The sum of harmonics in the planet's axes, computed column by column as in the kernel."""
        scale = self.radius / (r * r).sum(-1)
        x, y, z = np.moveaxis(scale[..., None] * r, -1, 0)
        shrink, B, rows = self.radius * scale, np.zeros(r.shape), iter(self.table)
        sector = np.sqrt(shrink) + 0j
        for m in range(self.harmonics + 1):
            sector = sector * ((2 * m - 1) * (x + 1j * y) if m else 1.0)
            now, before = sector, 0.0 * sector
            for n in range(m, self.harmonics + 1):
                row = next(rows)
                if n > m:
                    now, before = row[0] * z * now - row[1] * shrink * before, now
                B = B + now.real[..., None] * row[2:5] + now.imag[..., None] * row[5:8]
        return B

    # --- as the kernel has it ----------------------------------------------------------------------------------------

    @property
    def harmonics(self) -> int:
        """Largest degree of the harmonics that its components are made of; 0 of a uniform field."""
        return 0 if self.uniform is not None else 2 if self.dipole is not None else self.degree + 1

    @cached_property
    def table(self) -> Array:
        """Rows of the recursion, column by column: see kernels/elements/magnetic_field.py."""
        if self.uniform is not None:
            return np.zeros((0, ROW_NUMBERS))
        if self.dipole is not None:
            g, h = np.zeros((2, 2, 2))
            g[1, 1], h[1, 1], g[1, 0] = np.asarray(self.dipole)
        else:
            g, h = igrf_coefficients(float(self.date), self.degree)
        return _rows(g, h)

    def numbers(self) -> Array:
        """Its numbers, in the order of the kernel."""
        uniform = np.zeros(3) if self.uniform is None else np.asarray(self.uniform)
        first = [*np.asarray(self.center), self.angle, self.rotation_rate, self.radius, *uniform]
        return np.concatenate([first, self.table.ravel()])


def field_of(what: str, given: Any) -> MagneticField:
    """A field, or the table of its parameters that a file has of it."""
    if isinstance(given, Mapping):
        check_names(f"parameter of {what}: field", given, list(MagneticField.__dataclass_fields__))
        return MagneticField(**given)
    if not isinstance(given, MagneticField):
        raise InputError(f"{what}: field must be a MagneticField, such as MagneticField(date=2026.0), got {given!r}")
    return given


def _rows(g: Array, h: Array) -> Array:
    """Coefficients of the components of B = -grad V, from Schmidt-normalised coefficients g[n, m], h[n, m]."""
    top = len(g)  # the gradient of degree n has degree n + 1
    along = np.zeros((top + 1, top + 1, 6))  # of V: x, y, z; of W: x, y, z
    for n in range(1, top):
        for m in range(n + 1):
            norm = np.sqrt((2.0 if m else 1.0) * factorial(n - m) / factorial(n + m))
            C, S = norm * g[n, m], norm * h[n, m]
            along[n + 1, m] += (n - m + 1) * np.array([0, 0, C, 0, 0, S])
            if m == 0:
                along[n + 1, 1] += [C, 0, 0, 0, C, 0]
                continue
            along[n + 1, m + 1] += 0.5 * np.array([C, -S, 0, S, C, 0])
            along[n + 1, m - 1] -= 0.5 * (n - m + 2) * (n - m + 1) * np.array([C, S, 0, S, -C, 0])
    rows = []
    for m in range(top + 1):
        for n in range(m, top + 1):
            factors = ((2 * n - 1) / (n - m), (n + m - 1) / (n - m)) if n > m else (0.0, 0.0)
            rows.append([*factors, *along[n, m]])
    return np.array(rows)


def igrf_coefficients(year: float, degree: int = MAX_DEGREE) -> tuple[Array, Array]:
    """Gauss's coefficients g[n, m] and h[n, m] [T] of the IGRF, linear between its epochs.

    >>> g, h = igrf_coefficients(2020.0)
    >>> float(g[1, 0].round(11)), float(h[1, 1].round(11))
    (-2.940341e-05, 4.65335e-06)
    """
    epochs, g, h = _igrf()
    k = int(np.clip(np.searchsorted(epochs, year, side="right") - 1, 0, len(epochs) - 2))
    share = (year - epochs[k]) / (epochs[k + 1] - epochs[k])
    take = slice(0, degree + 1)
    made = [(1.0 - share) * one[k, take, take] + share * one[k + 1, take, take] for one in (g, h)]
    return made[0], made[1]


@cache
def _igrf() -> tuple[Array, Array, Array]:
    """Epochs [years], g and h [T] of the bundled file of coefficients."""
    text = files("spacedyn").joinpath("library", "igrf14.shc").read_text()
    lines = [line.split() for line in text.splitlines() if not line.startswith("#")]
    epochs = np.array(lines[1], dtype=float)
    g, h = np.zeros((2, len(epochs), MAX_DEGREE + 1, MAX_DEGREE + 1))
    for n, m, *values in lines[2:]:
        (g if int(m) >= 0 else h)[:, int(n), abs(int(m))] = np.array(values, dtype=float) * 1e-9
    return epochs, g, h


def _decimal_year(given: Any) -> float:
    """A date as a decimal year within the IGRF's epochs."""
    if isinstance(given, str):
        try:
            when = datetime.fromisoformat(given)
        except ValueError:
            raise InputError(f"MagneticField: date must be a year or such as '2026-03-01', got {given!r}") from None
        first, after = (datetime(year, 1, 1, tzinfo=when.tzinfo) for year in (when.year, when.year + 1))
        given = when.year + (when - first) / (after - first)
    year = one_number("MagneticField: date", given, "a decimal year, or a date such as '2026-03-01'")
    if not 1900.0 <= year <= 2030.0:
        raise InputError(f"MagneticField: the IGRF is for dates from 1900 to 2030, got {year}")
    return year


EARTH = MagneticField()
"""The Earth's field of 2025."""
