"""Points of a body against a surface, shared by compliant and rigid contact."""

from typing import Any

import numpy as np

from ..contact.surfaces import Surface
from ..contact.touching_points import TouchingPoints
from ..kernels.elements.contact_touching import FIRST
from ..model.model import Model
from ..model.state import State
from ..quantities.kinematics import forward_kinematics
from .element import Numbers, point_of

Array = np.ndarray


def gaps_of(state: State, body: str, other: str, ground: Surface, touching: TouchingPoints) -> Array:
    """Gaps (..., n) of points at a state [m], of balls and ellipsoids as if the surface were plane there."""
    found = forward_kinematics(state.model, state).bodies
    model = state.model
    i = model.body_index(body)
    R, at = found.rotation[..., i, :, :], found.position[..., i, :]
    places = at[..., None, :] + np.einsum("...ij,nj->...ni", R, touching.places)
    if other != "inertial":
        k = model.body_index(other)
        S = found.rotation[..., k, :, :]
        places = np.einsum("...ji,...nj->...ni", S, places - found.position[..., k, None, :])
        R = np.swapaxes(S, -1, -2) @ R
    n = np.einsum("...ji,...nj->...ni", R, ground.normals(places))
    reach = np.sqrt(np.einsum("...ni,nij,...nj->...n", n, touching.cores, n))
    return ground.gap(places) - reach - touching.radii


def speeds_of(state: State, body: str, other: str, touching: TouchingPoints) -> Array:
    """Speeds (..., n) of points relative to the body that they may touch [m/s]."""
    found, model = forward_kinematics(state.model, state).bodies, state.model
    i = model.body_index(body)
    arms = np.einsum("...ij,nj->...ni", found.rotation[..., i, :, :], touching.places)
    velocity = found.velocity[..., i, None, :3] + np.cross(found.velocity[..., i, None, 3:], arms)
    if other != "inertial":
        k = model.body_index(other)
        arms = arms + (found.position[..., i, None, :] - found.position[..., k, None, :])
        velocity = velocity - found.velocity[..., k, None, :3] - np.cross(found.velocity[..., k, None, 3:], arms)
    speeds: Array = np.linalg.norm(velocity, axis=-1)
    return speeds


def frame_of(model: Model, other: str, ground: Surface) -> tuple[int, list[float]]:
    """The body that carries the surface, as the kernels have it, -1 for none; the surface's place and axes there."""
    if other == "inertial":
        return -1, [*np.asarray(ground.position), *ground.axes.ravel()]
    number, place = point_of(model, other, np.asarray(ground.position))
    axes = model.flat.to_internal[model.body_index(other)] @ ground.axes
    return number, [*place, *axes.ravel()]


def point_numbers(model: Model, body: str, touching: TouchingPoints) -> Array:
    """Place, ellipsoid and radius of each point, in the kernels' order."""
    inside, rows = model.flat.to_internal[model.body_index(body)], []
    for at, core, radius in zip(*touching, strict=True):
        M = inside @ core @ inside.T
        six = M[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        rows.append([*point_of(model, body, at)[1], *six, radius])
    return np.ravel(rows)


def touching_numbers(
    model: Model, one: Any, friction: float, restitution: float, turning: tuple[float, float] = (0.0, 0.0)
) -> Numbers:
    """A contact element as a method that steps through contact takes it: bodies, surface, points, coefficients.

    `turning`: moments against rolling and turning over the normal force [m].
    """
    ground, touching = one.ground, one.touching
    first, (other, frame) = point_of(model, one.body, touching.places[0])[0], frame_of(model, one.other, ground)
    own, cores = ground.parameters, int(np.any(touching.cores != 0.0))
    integers = (
        first,
        other,
        ground.code,
        len(touching.places),
        FIRST,
        FIRST + len(own),
        cores,
        int(max(turning) > 0.0),
    )
    points = point_numbers(model, one.body, touching)
    return Numbers(integers, np.concatenate([frame, [friction, restitution, *turning], own, points]))


def joint_between(model: Model, body: str, other: str) -> str | None:
    """The joint, other than a free one, that joins two bodies."""
    for joint in model.joints:
        if {joint.parent, joint.child} == {body, other} and joint.kind != "free":
            return joint.name
    return None
