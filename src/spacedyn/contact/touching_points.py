"""Points of bodies that touch surfaces: of boxes, balls, cylinders and other shapes."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError
from ..model.shapes import Shape
from ..reals import finite_array
from ..signatures import check_names

Array = np.ndarray


class TouchingPoints(NamedTuple):
    """Of n points, in the body's frame: places (n, 3), ellipsoids about them (n, 3, 3), radii (n) of balls around."""

    places: Array
    cores: Array
    radii: Array


def read_shape(what: str, given: Any) -> Shape:
    """A shape, or the table of its parameters that a file has of it."""
    if isinstance(given, Shape):
        shape = given
    elif isinstance(given, Mapping):
        check_names(f"parameter of {what}", given, ["kind", "size", "position", "rotation", "mass", "problems"])
        named = {"size": (), "position": (0.0, 0.0, 0.0), "rotation": None} | dict(given)
        named.pop("problems", None)
        shape = Shape(named.pop("kind", None), 0.0, **{k: v for k, v in named.items() if k != "mass"})
    else:
        raise InputError(f"{what} must be a shape, such as shapes.box(0, (1, 1, 1)), got {given!r}")
    if shape.problems:
        raise InputError(f"{what}: {' '.join(shape.problems)}")
    return shape


def points_of_shape(shape: Shape) -> TouchingPoints:
    """Corners of a box, the rims of a cylinder, the rim and the tip of a cone, balls at the ends of a capsule, a ball.

    >>> from spacedyn import shapes
    >>> points_of_shape(shapes.box(0.0, (2, 2, 2))).places.shape
    (8, 3)
    """
    places, cores, radius = np.zeros((1, 3)), np.zeros((1, 3, 3)), 0.0
    if shape.kind == "box":
        places = 0.5 * shape.size * np.array([(x, y, z) for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)])
    elif shape.kind == "sphere":
        radius = float(shape.size[0])
    elif shape.kind in ("cylinder", "tube", "rod", "capsule"):
        places = np.array([[0.0, 0.0, -0.5], [0.0, 0.0, 0.5]]) * shape.size[-1]
        radius = float(shape.size[0]) if shape.kind == "capsule" else 0.0
    elif shape.kind == "cone":
        places = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, shape.size[1]]])
    cores = np.zeros((len(places), 3, 3))
    if shape.kind in ("cylinder", "tube", "cone"):
        disc = np.diag([1.0, 1.0, 0.0]) * shape.size[0] ** 2
        cores[:] = shape.rotation @ disc @ shape.rotation.T
        cores[1:] *= shape.kind != "cone"
    return TouchingPoints(shape.position + places @ shape.rotation.T, cores, np.full(len(places), radius))


def given_points(what: str, points: Any, radius: Any, semi_axes: Any) -> TouchingPoints:
    """Points with balls or ellipsoids about them."""
    places = np.atleast_2d(finite_array(f"{what}: points", points, "places (3,) or (n, 3) [m], finite numbers"))
    if places.ndim != 2 or places.shape[1] != 3 or not len(places):
        raise InputError(f"{what}: points must be places (3,) or (n, 3) [m], got shape {np.shape(points)}")
    many = len(places)
    radii = finite_array(f"{what}: radius", radius, "one radius, or one for each point [m]", [(), (many,)])
    if np.any(radii < 0.0):
        raise InputError(f"{what}: radius must not be negative, got {radius!r}")
    semi = finite_array(f"{what}: semi_axes", semi_axes, "three lengths, or three for each point", [(3,), (many, 3)])
    if np.any(semi < 0.0):
        raise InputError(f"{what}: semi_axes must not be negative, got {semi_axes!r}")
    cores = np.array([np.diag(one**2) for one in np.broadcast_to(semi, (many, 3))])
    return TouchingPoints(places, cores, np.array(np.broadcast_to(radii, many)))
