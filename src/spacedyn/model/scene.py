"""Several robots in one scene: one model, whose base is the world and whose branches are the robots."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from ..errors import InputError, UnknownName
from ..signatures import checked_arguments
from .model import Model
from .parts import Body, Endpoint, Joint
from .surgery import assemble_known
from .values import numbers, rotation_matrix, shown

MOVES = {"free": "free", "planar": "planar", "attitude": "spherical", "fixed": "fixed"}
"""The joint by which a robot with each kind of base moves in the world."""


@checked_arguments()
def scene(
    robots: Mapping[str, Model] | Sequence[Model],
    *,
    places: Mapping[str, tuple[ArrayLike, Rotation | ArrayLike | None]] | None = None,
    name: str = "scene",
) -> Model:
    """Several robots as one model, to be simulated together; forces and laws may then act between them.

    The base is the world: it stands still and weighs nothing. A joint ``KEY/base`` connects it to every robot and
    moves as the robot's base did: free, planar, spherical (about the base's centre of mass) or fixed. All names of a
    robot get ``KEY/`` in front.

    Parameters
    ----------
    robots : mapping or sequence of Model
        By key; those of a sequence are keyed by their names, numbered if two are the same.
    places : mapping, optional
        Of a key: position (3,) [m] and rotation (Rotation, 3x3 or None) of the frame that the robot's base is in when
        that joint is at its neutral coordinates; by default the world's.
    name : str
        Of the scene.

    Returns
    -------
    Model

    Raises
    ------
    InputError
        If there is no robot, or something given is no Model.
    UnknownName
        For a place of an unknown robot.

    Examples
    --------
    >>> from spacedyn.model.files.load import load
    >>> both = scene({"chaser": load("ets7"), "target": load("tian_wu")}, places={"target": ((0, 0, 20), None)})
    >>> both.joint("target/base").kind, both.n
    ('free', 11)
    """
    named = _named(robots)
    given = dict(places or {})
    for key in given:
        if key not in named:
            raise UnknownName("robot", key, list(named))
    bodies = [Body("world", 0.0, np.zeros(3), np.zeros((3, 3)), (), True)]
    joints: list[Joint] = []
    endpoints: list[Endpoint] = []
    for key, robot in named.items():
        place = _place(key, given.get(key, ((0.0, 0.0, 0.0), None)))
        mount, frames = _mount(key, robot, place)
        joints += mount
        bodies += frames
        bodies += [replace(body, name=f"{key}/{body.name}") for body in robot.bodies]
        joints += [
            replace(j, name=f"{key}/{j.name}", parent=f"{key}/{j.parent}", child=f"{key}/{j.child}")
            for j in robot.joints
        ]
        endpoints += [replace(e, name=f"{key}/{e.name}", body=f"{key}/{e.body}") for e in robot.endpoints]
    return assemble_known([bodies], name, "fixed", bodies, joints, endpoints)


def _named(robots: Any) -> dict[str, Model]:
    if not isinstance(robots, Mapping | Sequence) or isinstance(robots, str) or not robots:
        raise InputError(f"robots is {shown(robots)}; give a list of models, or models by name.")
    listed = list(robots.values()) if isinstance(robots, Mapping) else list(robots)
    for robot in listed:
        if isinstance(robot, Model) and robot.shape:
            raise InputError(
                f"scene is for single robots; '{robot.name}' is a fleet of {robot.shape}: take one, fleet[0]"
            )
        if not isinstance(robot, Model):
            raise InputError(f"robots holds {shown(robot)}; give models, such as load('ets7').")
    if isinstance(robots, Mapping):
        for key in robots:
            if not isinstance(key, str):
                raise InputError(f"robots has a name {shown(key)}; names of robots are texts.")
        return dict(robots)
    many, met, named = Counter(robot.name for robot in listed), Counter[str](), {}
    for robot in listed:
        met[robot.name] += 1
        named[f"{robot.name}{met[robot.name] if many[robot.name] > 1 else ''}"] = robot
    return named


def _place(key: str, given: Any) -> tuple[np.ndarray, np.ndarray]:
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise InputError(f"places: that of '{key}' is {shown(given)}; give a pair (position, rotation).")
    problems: list[str] = []
    position = numbers(problems, f"places: position of '{key}'", given[0], (3,))
    rotation = rotation_matrix(problems, f"places: rotation of '{key}'", given[1])
    if position is None or rotation is None:
        raise InputError(" ".join(problems))
    return position, rotation


def _mount(key: str, robot: Model, place: tuple[np.ndarray, np.ndarray]) -> tuple[list[Joint], list[Body]]:
    """The joint that moves a robot's base, and the frame in between for one that turns about its centre of mass."""
    base, (position, rotation) = robot.bodies[0], place
    if robot.base_kind != "attitude":
        return [_joint(f"{key}/base", MOVES[robot.base_kind], "world", f"{key}/{base.name}", position, rotation)], []
    pivot = f"{key}/pivot"
    turning = _joint(f"{key}/base", "spherical", "world", pivot, position + rotation @ base.com, rotation)
    fixed = _joint(f"{key}/base_fixed", "fixed", pivot, f"{key}/{base.name}", -base.com, np.eye(3))
    return [turning, fixed], [Body(pivot, 0.0, np.zeros(3), np.zeros((3, 3)), (), True)]


def _joint(name: str, kind: str, parent: str, child: str, position: np.ndarray, rotation: np.ndarray) -> Joint:
    blank: dict[str, Any] = dict.fromkeys(Joint.__dataclass_fields__)
    blank |= {"name": name, "kind": kind, "parent": parent, "child": child, "pitch": 0.0}
    return Joint(**(blank | {"position": position, "rotation": rotation}))
