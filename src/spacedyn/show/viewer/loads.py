"""Forces of a run as wrenches at points of bodies over time, for arrows and joint reactions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...elements.forces import Drag, Force, Spring, Wrench
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


def loads_of(run: "Run", force: Force, where: Kinematics, time: Array, model: Model | None = None) -> list[Load] | None:
    """The wrenches of a force: one, or two for a spring between bodies; None for an unknown kind of force."""
    i = run.model.body_index(force.body)
    turn = where.bodies.rotation[:, i]
    if isinstance(force, Wrench):
        acts = ((time >= force.start) & (time < force.stop))[:, None]
        place, inner = force.axes(model or run.model)
        axes = (
            where.bodies.rotation[:, run.model.body_index(place)] if place else np.broadcast_to(np.eye(3), turn.shape)
        )
        axes = axes @ inner
        given = (np.asarray(force.force), np.asarray(force.moment))
        return [Load(i, point_of(where, i, force.point), *(axes @ vector * acts for vector in given))]
    if isinstance(force, Spring):
        return _of_spring(run, force, where, i)
    if isinstance(force, Drag):
        velocity = where.centroids.velocity[:, i]
        pull, twist = (
            -np.einsum("tij,jk,tlk,tl->ti", turn, np.asarray(c), turn, v)
            for c, v in ((force.linear, velocity[:, :3]), (force.angular, velocity[:, 3:]))
        )
        return [Load(i, where.centroids.position[:, i], pull, twist)]
    return None


def _of_spring(run: "Run", force: Spring, where: Kinematics, i: int) -> list[Load]:
    near, speed = point_of(where, i, force.point), _velocity(where, i, force.point)
    far, k = other_end(run, force, where), None
    if force.other != "inertial":
        k = run.model.body_index(force.other)
        speed = speed - _velocity(where, k, force.other_point)
    length = np.linalg.norm(far - near, axis=-1)
    along = (far - near) / np.where(length > 0, length, 1.0)[:, None]
    stretch = length - force.rest_length
    tension = force.stiffness * stretch - force.damping * np.sum(speed * along, axis=-1)
    if force.tension_only:
        tension = np.where(stretch > 0, np.maximum(tension, 0.0), 0.0)
    pull, nothing = tension[:, None] * along, np.zeros_like(near)
    return [Load(i, near, pull, nothing), *([] if k is None else [Load(k, far, -pull, nothing)])]


def other_end(run: "Run", force: Spring, where: Kinematics) -> Array:
    """Where a spring ends (times, 3) [m]."""
    if force.other == "inertial":
        return np.broadcast_to(np.asarray(force.other_point, dtype=float), where.bodies.position[:, 0].shape)
    return point_of(where, run.model.body_index(force.other), force.other_point)


def point_of(where: Kinematics, body: int, point: ArrayLike) -> Array:
    """A point that is fixed to a body (times, 3) [m]."""
    return where.bodies.position[:, body] + where.bodies.rotation[:, body] @ np.asarray(point, dtype=float)


def _velocity(where: Kinematics, body: int, point: ArrayLike) -> Array:
    arm = where.bodies.rotation[:, body] @ np.asarray(point, dtype=float)
    both = where.bodies.velocity[:, body]
    return both[:, :3] + np.cross(both[:, 3:], arm)


def sum_behind(run: "Run", body: int, loads: Sequence[Load], about: Array) -> Array:
    """Wrenches on a body and on all behind it, added up (times, 6), about a point (times, 3)."""
    total = np.zeros((len(about), 6))
    for load in loads:
        at = load.body
        while at > 0 and at != body:
            at = run.model.parents[at]
        if at == body:
            total[:, :3] += load.force
            total[:, 3:] += load.moment + np.cross(load.point - about, load.force)
    return total
