"""All convex shapes of a robot as arrays for the kernels; made once for each robot and rounding."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ..errors import InputError
from ..kernels.geometry import cores as k
from ..model.model import Model
from ..model.parts import Body, Visual
from ..reals import one_number
from .convex import Convex, shape_of

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class ShapeTable:
    """Shapes of the bodies of a robot, then of what stands in the world, as if that were one more body."""

    shapes: tuple[Convex, ...]
    owner: Array  # (shapes,) number of the body; that of the world comes last
    ints: Array
    pars: Array
    vertices: Array

    def of(self, body: int) -> Array:
        """Numbers of a body's shapes."""
        return np.flatnonzero(self.owner == body)


def make_table(shapes: Sequence[Convex], owner: Array) -> ShapeTable:
    """Arrays of shapes, each of which belongs to a body."""
    ints, pars = np.zeros((len(shapes), k.SHAPE_INTS), dtype=np.int64), np.zeros((len(shapes), k.SHAPE_PARS))
    points = [np.zeros((0, 3)) if shape.vertices is None else shape.vertices for shape in shapes]
    first = np.cumsum([0, *map(len, points)])
    for i, shape in enumerate(shapes):
        ints[i] = shape.kind, owner[i], first[i], len(points[i])
        pars[i, k.RADIUS], pars[i, k.BOUND] = shape.radius, shape.bound
        pars[i, k.SIZE : k.SIZE + 4] = shape.size
        pars[i, k.PLACE : k.PLACE + 3], pars[i, k.TURN : k.TURN + 9] = shape.position, shape.rotation.reshape(9)
    flat = np.concatenate([*points, np.zeros((1, 3))]).reshape(-1)  # one more, so that there is an address
    return ShapeTable(tuple(shapes), np.asarray(owner, dtype=np.int64), ints.reshape(-1), pars.reshape(-1), flat)


def shape_table(model: Model, rounding: Any) -> ShapeTable:
    """The table of a robot's shapes; `rounding` is a number for all bodies, or one for each that is named [m]."""
    each = [0.0] * len(model.bodies)
    if isinstance(rounding, Mapping):
        for name, value in rounding.items():
            each[model.body_index(name)] = _rounding(f"rounding of body {name!r}", value)
    else:
        each = [_rounding("rounding", rounding)] * len(each)
    return _table(tuple((body.name, touched(body)) for body in model.bodies), tuple(each))


def touched(body: Body) -> tuple[Visual, ...]:
    """The collision geometry of a body, or where it has none, the solids that it is made of."""
    return body.collisions or _solids(tuple(body.shapes))


@lru_cache(maxsize=256)
def _solids(shapes: tuple[Any, ...]) -> tuple[Visual, ...]:
    return tuple(Visual("", shape, None, np.ones(3), np.zeros(3), np.eye(3)) for shape in shapes)


@lru_cache(maxsize=64)
def _table(looks: tuple[tuple[str, tuple[Visual, ...]], ...], rounding: tuple[float, ...]) -> ShapeTable:
    shapes, owner = [], []
    for i, (name, pieces) in enumerate(looks):
        for look in pieces:
            label = look.name or ("mesh" if look.shape is None else look.shape.kind)
            shapes.append(shape_of(f"body '{name}', '{label}'", look, rounding[i]))
            owner.append(i)
    return make_table(shapes, np.array(owner, dtype=np.int64))


def _rounding(what: str, value: Any) -> float:
    number = one_number(what, value, "0 or more [m]")
    if number < 0.0:
        raise InputError(f"{what} must be 0 or more [m], got {number:g}")
    return number
