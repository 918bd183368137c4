"""Paths of bodies as kernels read them: a fixed place, the Sun's or the Moon's series, a table."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import PPoly, make_interp_spline

from ..errors import InputError
from ..kernels.elements.paths import DEGREE, FIXED, MOON, SUN, TABLE
from ..orbit.air import rising
from ..orbit.sun_and_moon import J2000, days_since_j2000
from ..reals import finite_array

Array = np.ndarray
_ROUNDING = 1e-12  # relative rounding of a sum of times


def path_numbers(
    body: str | None, epoch: str | None, position: ArrayLike | None, times: Any, positions: Any
) -> tuple[int, Array]:
    """The form of a path (integer code), and its numbers."""
    place = np.zeros(3) if position is None else np.asarray(position, dtype=float)
    first = days_since_j2000(J2000 if epoch is None else epoch)
    if times is not None:
        starts, coefficients = _pieces(np.asarray(times), np.asarray(positions))
        return TABLE, np.concatenate([place, [first, len(starts)], starts, coefficients.ravel()])
    kind = FIXED if position is not None else {"sun": SUN, "moon": MOON}[str(body)]
    return kind, np.concatenate([place, [first, 0.0]])


def _pieces(times: Array, positions: Array) -> tuple[Array, Array]:
    """Starts of the pieces of a spline, and its coefficients (pieces, 3, DEGREE + 1), the constant first."""
    degree = min(DEGREE, len(times) - 1)
    degree -= 1 - degree % 2  # odd: 1, 3 or 5
    try:
        with np.errstate(all="ignore"):
            curves = [PPoly.from_spline(make_interp_spline(times, column, k=degree)) for column in positions.T]
        fine = all(np.isfinite(curve.c).all() for curve in curves)
    except (ValueError, np.linalg.LinAlgError):  # of divisions in SciPy
        fine = False
    if not fine:
        raise InputError("a path: times are too close together, or too large, for a curve through the positions")
    ends = curves[0].x
    whole = np.flatnonzero(np.diff(ends) > 0.0)  # a spline repeats its ends
    coefficients = np.zeros((len(whole), 3, DEGREE + 1))
    for j, curve in enumerate(curves):
        coefficients[:, j, : degree + 1] = curve.c[::-1, whole].T
    return ends[whole], coefficients


def checked_table(what: str, times: Any, positions: Any) -> tuple[Array | None, Array | None]:
    """Check times and positions of a path; return both or none."""
    if times is None and positions is None:
        return None, None
    if times is None or positions is None:
        raise InputError(f"{what}: a path needs both times and positions")
    t = rising(f"{what}: times", times)
    p = finite_array(f"{what}: positions", positions, f"({len(t)}, 3) finite numbers", [(len(t), 3)])
    _pieces(t, p)  # raises now, not in a run, if the table is invalid
    return t, p


def check_reach(what: str, times: Any, span: tuple[float, float]) -> None:
    """Raise if a path does not cover a span of time [s], up to rounding of sums of times."""
    if times is None:
        return
    (start, end), (first, last) = span, (float(np.asarray(times)[i]) for i in (0, -1))
    if last < end - _ROUNDING * abs(end):
        raise InputError(f"{what}: its path is given until {last:g} s, and the run ends at {end:g} s; give more of it")
    if first > start + _ROUNDING * abs(start):
        raise InputError(
            f"{what}: its path is given from {first:g} s on, and the run starts at {start:g} s; give more of it"
        )
