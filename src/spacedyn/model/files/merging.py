"""Merge bodies that are fixed to one another: fewer bodies, the same robot."""

from collections.abc import Container, Sequence
from dataclasses import replace

import numpy as np

from ..parts import Body, Endpoint, Joint
from ..visuals import moved

Pose = tuple[np.ndarray, np.ndarray]


def merge_fixed(
    bodies: Sequence[Body], joints: Sequence[Joint], endpoints: Sequence[Endpoint], keep: Container[str] = ()
) -> tuple[list[Body], list[Joint], list[Endpoint]]:
    """The parts without fixed joints: each child becomes part of the body it is fixed to.

    Frames, masses, looks, endpoints and the order of the joints that move stay. The parts are a checked tree, the base
    first; the names of bodies that went are gone (`model.urdf` keeps their frames as endpoints). Joints to `keep` stay.
    """
    mover = {joint.child: joint for joint in joints}
    goes = {joint.child for joint in joints if joint.kind == "fixed" and joint.name not in keep}
    places: dict[str, tuple[str, Pose]] = {}

    def place(name: str) -> tuple[str, Pose]:
        """The body that a body becomes part of, and its frame in that."""
        way = []
        while name not in places and name in goes:
            way.append(name)
            name = mover[name].parent
        carrier, pose = places.get(name, (name, (np.zeros(3), np.eye(3))))
        for inner in reversed(way):
            pose = _compose(pose, (mover[inner].position, mover[inner].rotation))
            places[inner] = (carrier, pose)
        return carrier, pose

    groups: dict[str, list[tuple[Body, Pose]]] = {}
    for body in bodies:
        carrier, pose = place(body.name)
        groups.setdefault(carrier, []).append((body, pose))
    own = {body.name: body for body in bodies}
    kept = [joint for joint in joints if joint.child not in goes]
    names = [bodies[0].name, *(joint.child for joint in kept)]
    new_joints = []
    for joint in kept:
        carrier, pose = place(joint.parent)
        position, rotation = _compose(pose, (joint.position, joint.rotation))
        new_joints.append(replace(joint, parent=carrier, position=position, rotation=rotation))
    new_endpoints = []
    for endpoint in endpoints:
        carrier, pose = place(endpoint.body)
        position, rotation = _compose(pose, (endpoint.position, endpoint.rotation))
        new_endpoints.append(replace(endpoint, body=carrier, position=position, rotation=rotation))
    return [_joined(own[name], groups[name]) for name in names], new_joints, new_endpoints


def _joined(first: Body, parts: list[tuple[Body, Pose]]) -> Body:
    """One body of several, placed in the frame of the first."""
    if len(parts) == 1:
        return first
    mass = float(sum(body.mass for body, _ in parts))
    centres = [pose[0] + pose[1] @ body.com for body, pose in parts]
    com = sum((body.mass * centre for (body, _), centre in zip(parts, centres, strict=True)), np.zeros(3))
    com = com / mass if mass > 0.0 else com
    inertia = np.zeros((3, 3))
    for (body, (_, turn)), centre in zip(parts, centres, strict=True):
        arm = centre - com
        inertia += turn @ body.inertia @ turn.T + body.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return Body(
        first.name,
        mass,
        com,
        0.5 * (inertia + inertia.T),
        shapes=tuple(shape.moved(*pose) for body, pose in parts for shape in body.shapes),
        massless=mass == 0.0,
        visuals=tuple(look for body, pose in parts for look in moved(body.visuals, *pose)),
        collisions=tuple(look for body, pose in parts for look in moved(body.collisions, *pose)),
    )


def _compose(outer: Pose, inner: Pose) -> Pose:
    return outer[0] + outer[1] @ inner[0], outer[1] @ inner[1]
