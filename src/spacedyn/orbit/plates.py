"""Flat plates that air and light push on."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..reals import finite_array, one_number
from ..signatures import checked_arguments

Array = np.ndarray


class Plates(NamedTuple):
    """Flat plates of a body, for `AtmosphericDrag(body, *plates)` and `SolarPressure(body, *plates)`.

    Attributes
    ----------
    normals : (n, 3)
        Outward, in the body's frame.
    areas : (n,)
        [m²].
    points : (n, 3)
        Centres, in the body's frame [m].
    """

    normals: Array
    areas: Array
    points: Array


@checked_arguments()
def box_plates(size: ArrayLike, *, center: ArrayLike = (0.0, 0.0, 0.0)) -> Plates:
    """The six faces of a box along a body's axes.

    Parameters
    ----------
    size : (3,)
        Edges along x, y, z [m].
    center : (3,)
        In the body's frame [m].

    Examples
    --------
    >>> import spacedyn as sd
    >>> sd.orbit.box_plates((1.0, 2.0, 3.0)).areas.tolist()
    [6.0, 3.0, 2.0, 6.0, 3.0, 2.0]
    """
    edges = finite_array("box_plates: size", size, "three positive numbers", [(3,)])
    if np.any(edges <= 0.0):
        raise InputError(f"box_plates: size must be three positive numbers [m], got {size!r}")
    middle = finite_array("box_plates: center", center, "three finite numbers", [(3,)])
    normals = np.concatenate([np.eye(3), -np.eye(3)])
    return Plates(normals, np.tile(np.roll(edges, 1) * np.roll(edges, 2), 2), middle + 0.5 * edges * normals)


@checked_arguments()
def panel_plates(normal: ArrayLike, area: float, *, point: ArrayLike = (0.0, 0.0, 0.0)) -> Plates:
    """The two faces of a thin panel.

    Parameters
    ----------
    normal, point : (3,)
        Of one face, and the panel's centre, in the body's frame [-, m].
    area : float
        Of each face [m²].

    Examples
    --------
    >>> import spacedyn as sd
    >>> sd.orbit.panel_plates((0, 0, 1), 4.0).normals.tolist()
    [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]
    """
    n = finite_array("panel_plates: normal", normal, "three finite numbers", [(3,)])
    p = finite_array("panel_plates: point", point, "three finite numbers", [(3,)])
    size = one_number("panel_plates: area", area, "a positive number")
    if not (n.any() and size > 0.0):
        raise InputError(f"panel_plates: normal must be a direction, and area positive [m²], got {n} and {size}")
    return Plates(np.stack([n, -n]) + 0.0, np.array([size, size]), np.stack([p, p]))
