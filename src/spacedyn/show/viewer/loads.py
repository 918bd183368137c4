"""Recorded wrenches of elements at points of bodies over time: for their arrows, and for what joints then transmit."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...elements.element import Element
from ...model.model import Model
from ...quantities.kinematics import Kinematics

if TYPE_CHECKING:
    from ...run.run import Run

Array = np.ndarray


class Load(NamedTuple):
    """A wrench on a body over time.

    Attributes
    ----------
    body : int
        In the model's order.
    point, force, moment : (times, 3)
        Where it acts [m], and what [N, N m]; inertial axes, the moment about the point.
    """

    body: int
    point: Array
    force: Array
    moment: Array


def loads_of(element: Element, model: Model, where: Kinematics, wrenches: Array) -> list[Load]:
    """What an element did to bodies, from its wrenches (times, 6 for each of its points) in the record."""
    found = []
    for k, one in enumerate(element.wrenches(model)):
        if one.body:
            i, recorded = model.body_index(one.body), wrenches[:, 6 * k : 6 * k + 6]
            found.append(Load(i, point_of(where, i, one.point), recorded[:, :3], recorded[:, 3:]))
    return found


def reactions_of(element: Element, model: Model, loads: Sequence[Load]) -> list[Load]:
    """The opposite of an element's loads, on the bodies that take it (`WrenchPoint.against`)."""
    taken = [one.against for one in element.wrenches(model) if one.body]
    return [
        Load(model.body_index(body), load.point, -load.force, -load.moment)
        for body, load in zip(taken, loads, strict=True)
        if body
    ]


def ends_of(element: Element, model: Model, where: Kinematics) -> list[Array]:
    """Positions of the points of an element (times, 3) [m]."""
    return [
        point_of(where, model.body_index(one.body), one.point)
        if one.body
        else np.broadcast_to(one.point, where.bodies.position[:, 0].shape)
        for one in element.wrenches(model)
    ]


def point_of(where: Kinematics, body: int, point: ArrayLike) -> Array:
    """A point that is fixed to a body (times, 3) [m]."""
    return where.bodies.position[:, body] + where.bodies.rotation[:, body] @ np.asarray(point, dtype=float)


def sum_behind(run: "Run", body: int, loads: Sequence[Load], about: Array) -> Array:
    """Sum (times, 6) of the wrenches on a body and on all bodies beyond it, about a point (times, 3)."""
    total = np.zeros((len(about), 6))
    for load in loads:
        at = load.body
        while at > 0 and at != body:
            at = run.model.parents[at]
        if at == body:
            total[:, :3] += load.force
            total[:, 3:] += load.moment + np.cross(load.point - about, load.force)
    return total
