"""Distances between bodies of a robot, and between bodies and surfaces: `sd.distance`."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError
from ..kernels.geometry.distances import RESULT
from ..model.model import Model
from ..model.state import State
from ..quantities.calls import check_state
from ..quantities.kinematics import forward_kinematics
from ..signatures import known_names
from .shape_table import ShapeTable, shape_table
from .surface_distances import pair_rows, surface_rows
from .surfaces import Surface

Array = np.ndarray


class Distance(NamedTuple):
    """How far two things are apart, and where: arrays over the batch axes of the state. Inertial axes, SI."""

    gap: Array  # (…) [m], negative where they overlap
    normal: Array  # (…, 3) unit vector from a to b
    point_a: Array  # (…, 3) of a, the closest to b [m]
    point_b: Array  # (…, 3) of b, the closest to a: point_a + gap normal


@known_names
def distance(
    model: Model,
    state: State,
    a: str,
    b: str | Surface,
    *,
    rounding: float | Mapping[str, float] = 0.0,
    deep: str = "error",
) -> Distance:
    """Smallest gap between two bodies, or a body and a surface, with its normal and the closest points.

    Bodies have the shapes of their collision geometry; one that has none has the solids that it is made of. A shape is
    all points within a radius of a core (sphere: a point; capsule: a segment). Shapes with edges have no radius unless
    `rounding` gives them one: their distance is exact while they are apart. Where two shapes overlap, the gap is minus
    the depth, exact while the cores are apart, that is to the sum of both radii; deeper is an error.

    Parameters
    ----------
    model, state
        The robot; one state or a batch.
    a : str
        Name of a body.
    b : str or surface
        Name of another body; or a surface that stands in the inertial frame, such as `sd.Plane()`. Planes, spheres,
        ellipsoids and triangle meshes are exact. Over height fields, and in hollow spheres, the vertices of shapes
        count; of cylinders, cones and ellipsoids over a height field the lowest point along the normal of the ground.
    rounding : float or {body: float}
        Radius of the edges of boxes, cylinders, cones and meshes [m], for all bodies or by name. Faces stay where they
        are. It is also how deep they may go in; shapes without thickness (discs, rods) get it on each side.
    deep : 'error' or '-inf'
        What becomes of shapes whose cores overlap: InputError, or a gap of -inf, with NaN for points and normal.

    Returns
    -------
    Distance
        `gap` (…) [m], `normal` (…, 3) from a to b, `point_a` and `point_b` (…, 3) [m]; inertial axes.

    Raises
    ------
    UnknownName
        If no body has that name.
    InputError
        If a body has no shape, `rounding` is more than a shape has, or cores overlap.

    Examples
    --------
    >>> import spacedyn as sd
    >>> builder = sd.Builder("chaser")
    >>> builder.base("bus", shapes=[sd.shapes.box(500.0, (1, 1, 1))])
    >>> builder.link("boom", "revolute", parent="bus", position=(0.5, 0, 0), mass=1.0, inertia=(1, 1.2, 1.3))
    >>> builder.link("tip", "revolute", parent="boom", position=(1, 0, 0), shapes=[sd.shapes.sphere(5.0, 0.2)])
    >>> chaser = builder.build()
    >>> near = sd.distance(chaser, chaser.neutral_state(), "bus", "tip")
    >>> near.gap.round(9).item(), near.normal.round(9).tolist()
    (0.8, [1.0, 0.0, 0.0])
    """
    check_state(model, state)
    check_deep("distance()", deep)
    table, i = shape_table(model, rounding), model.body_index(a)
    if isinstance(b, Surface):
        first = _shapes(model, table, i)
        pairs = np.column_stack([first, np.full(len(first), -1)])
        return _nearest(model, state, table, pairs, surface_rows(table, first, b, body_poses(model, state)), deep)
    j = model.body_index(b)
    if i == j:
        raise InputError(f"distance(): a and b are the same body, '{a}'; name two bodies, or a surface")
    pairs = np.array([(p, q) for p in _shapes(model, table, i) for q in _shapes(model, table, j)], dtype=np.int64)
    return _nearest(model, state, table, pairs, pair_rows(table, pairs, body_poses(model, state)), deep)


def check_deep(what: str, deep: Any) -> None:
    """Raise unless it is one of the two words."""
    if not isinstance(deep, str) or deep not in ("error", "-inf"):
        raise InputError(f"{what}: deep must be 'error' or '-inf', got {deep!r}")


def body_poses(model: Model, state: State) -> Array:
    """Rows (states, bodies, 12) of positions and rotations of the bodies' frames."""
    bodies = forward_kinematics(model, state).bodies
    count = len(model.bodies)
    position, rotation = bodies.position.reshape(-1, count, 3), bodies.rotation.reshape(-1, count, 9)
    return np.ascontiguousarray(np.concatenate([position, rotation], axis=2))


def _shapes(model: Model, table: ShapeTable, body: int) -> Array:
    found = table.of(body)
    if not len(found):
        names = [one.name for i, one in enumerate(model.bodies) if len(table.of(i))]
        raise InputError(
            f"distance(): body '{model.bodies[body].name}' has no shape to touch with; give it `collisions`, or shapes "
            f"that it is made of. Bodies that have: {', '.join(names) or 'none'}"
        )
    return found


def _nearest(model: Model, state: State, table: ShapeTable, pairs: Array, found: Array, deep: str) -> Distance:
    """The pair with the smallest gap, for each state."""
    overlap = found[..., 10] <= 0.0
    if deep == "error" and overlap.any():
        row, p = (int(x) for x in np.argwhere(overlap)[0])
        raise too_deep("distance()", model, state, row, table, pairs[p])
    found[overlap, 0], found[overlap, 1:10] = -np.inf, np.nan
    best = np.argmin(found[..., 0], axis=1)
    rows = found[np.arange(len(found)), best].reshape(*state.shape, RESULT)
    return Distance(rows[..., 0], rows[..., 1:4], rows[..., 4:7], rows[..., 7:10])


def too_deep(what: str, model: Model, state: State, row: int, table: ShapeTable, pair: Array) -> InputError:
    """The error of cores that overlap."""
    where = f" of state {tuple(int(x) for x in np.unravel_index(row, state.shape))}" if state.shape else ""
    names, radii = [], 0.0
    for i in pair:
        if i >= 0:
            names.append(f"'{table.shapes[i].name}' of body '{model.bodies[table.owner[i]].name}'")
            radii += table.shapes[i].radius
        else:
            names.append("the surface")
    return InputError(
        f"{what}: {names[0]} and {names[1]} overlap deeper than the radii of their edges, {radii:g} m{where}; there "
        "is no normal. Move them apart, give edges a larger radius by rounding=…, or ask for -inf by deep='-inf'"
    )
