"""Flat plates of elements such as drag and solar pressure: checks, and numbers for kernels."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import InputError
from ..model.model import Model, robot_of
from ..model.state import State
from ..reals import finite_array
from .element import Element, point_of

Array = np.ndarray


def set_plates(element: Any, *coefficients: str) -> None:
    """Check normals, areas, points and coefficients of an element, one for each plate or one for all."""
    what = type(element).__name__
    normals = finite_array(f"{what}: normals", element.normals, "(3,) or (plates, 3) finite numbers")
    normals = np.atleast_2d(normals)
    if normals.ndim != 2 or normals.shape[-1] != 3 or not len(normals):
        raise InputError(f"{what}: normals must be (3,) or (plates, 3), got shape {np.shape(element.normals)}")
    lengths = np.linalg.norm(normals, axis=-1, keepdims=True)
    if np.any(lengths == 0.0):
        raise InputError(f"{what}: a normal is zero; it must point out of the plate")
    object.__setattr__(element, "normals", normals / lengths)
    shapes = [(), (len(normals),)]
    for name in ("areas", *coefficients):
        given = finite_array(f"{what}: {name}", getattr(element, name), "one number, or one for each plate", shapes)
        value = np.array(np.broadcast_to(given, len(normals)))
        if np.any(value < 0.0) or (name == "areas" and np.any(value == 0.0)):
            wanted = "positive" if name == "areas" else "zero or positive"
            raise InputError(f"{what}: {name} must be {wanted}, got {getattr(element, name)!r}")
        object.__setattr__(element, name, value)
    points = finite_array(f"{what}: points", element.points, "(3,) or (plates, 3)", [(3,), normals.shape])
    object.__setattr__(element, "points", np.array(np.broadcast_to(points, normals.shape)))


def plate_numbers(element: Any, model: Model, *coefficients: str) -> tuple[int, Array]:
    """The kernels' number of the body; of each plate normal, point, area and two coefficients."""
    turn, rows, body = model.flat.to_internal[model.body_index(element.body)], [], 0
    for i, normal in enumerate(element.normals):
        body, point = point_of(model, element.body, element.points[i])
        more = [getattr(element, name)[i] for name in coefficients]
        rows.append([*(turn @ normal), *point, element.areas[i], *more])
    return body, np.concatenate(rows)


def check_above(what: str, state: State, radius: float, center: Array, others: Sequence[Element]) -> None:
    """Raise if a robot starts inside the planet: the likely reason is a position that is not from its centre."""
    if any(one.carries_frame for one in others):
        return
    states = state.flattened()
    distance = np.linalg.norm(states.base_position - center, axis=-1)
    if np.any(distance < radius):
        worst = int(np.argmin(distance))
        base = robot_of(state.model, 0).bodies[0].name
        who = f"the base '{base}'" + (f" of robot {worst}" if state.shape else "")
        raise InputError(
            f"{what}: {who} starts {distance[worst] / 1e3:.0f} km "
            f"from the planet's centre, inside the planet of radius {radius / 1e3:.0f} km; give base_position from the "
            "centre (sd.orbit.orbit_state), or an OrbitingOrigin"
        )
