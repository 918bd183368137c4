"""The parts of a robot, as its description has them: bodies, joints, endpoints.

Every vector is in the axes of the frame it belongs to: a body's frame is the frame of the joint that
moves it (at the joint, moving with the body); the base's frame is wherever its description puts it.
These are plain records: `model.assemble` checks them, `model.flatten` turns them into kernel arrays.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .joints import JOINT_KINDS, JointKind
from .shapes import Shape

BASE_KINDS = {"free": 6, "attitude": 3, "planar": 3, "fixed": 0}
"""Degrees of freedom of each kind of base."""


@dataclass(frozen=True, eq=False)
class Visual:
    """A visual or a collision shape of a body: a shape, or a mesh from a file. It has no mass.

    Either `shape` or `mesh` is there. A shape's own pose is neutral and its mass 0: `position` and `rotation` put its
    frame, or the mesh's, into the body's, after every axis was stretched by `scale`.
    """

    name: str
    shape: Shape | None = None
    mesh: str | None = None  # absolute path of a file
    scale: np.ndarray = (1.0, 1.0, 1.0)  # type: ignore[assignment]  # (3,)
    position: np.ndarray = (0.0, 0.0, 0.0)  # type: ignore[assignment]  # (3,) in the body's frame [m]
    rotation: np.ndarray = None  # type: ignore[assignment]  # (3, 3) body <- shape or mesh
    color: tuple[float, float, float, float] | None = None  # red, green, blue, opacity, each 0 … 1


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body: mass [kg], centre of mass [m] and inertia about it [kg m^2], in the body's axes."""

    name: str
    mass: float
    com: np.ndarray  # (3,) from the body's frame
    inertia: np.ndarray  # (3, 3) about the centre of mass
    shapes: tuple = ()  # what it is made of, for drawing (model.shapes)
    massless: bool = False  # True: a mere frame between two joints, declared so on purpose
    # compare=False: beside the dynamics, and not part of a model's digest
    visuals: tuple[Visual, ...] = field(default=(), compare=False)  # how it looks; where there are none, its shapes
    collisions: tuple[Visual, ...] = field(default=(), compare=False)  # what of it can be touched


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint between a parent and a child; position, rotation and axis are in the parent's frame.

    `rotation` turns the joint's axes into the parent's; `axis` is in the joint's axes. The child's frame
    coincides with the joint's frame at neutral coordinates. Arrays over the joint's nv rates, or nq coordinates.
    """

    name: str
    kind: str
    parent: str
    child: str
    position: np.ndarray  # (3,) [m]
    rotation: np.ndarray  # (3, 3) direction cosines, parent <- joint
    axis: np.ndarray  # (3,) unit
    pitch: float  # [m/rad], of a screw
    rest: np.ndarray  # (nq,) where the spring is slack [rad, m]
    stiffness: np.ndarray  # (nv,) [N m/rad, N/m]
    damping: np.ndarray  # (nv,) [N m s/rad, N s/m]
    friction: np.ndarray  # (nv,) dry friction [N m, N]
    friction_speed: np.ndarray  # (nv,) speed at which dry friction is 76 % developed [rad/s, m/s]
    rotor_inertia: np.ndarray  # (nv,) of the motor's rotor [kg m^2]
    gear: np.ndarray  # (nv,) turns of the rotor for one of the joint
    lower: np.ndarray  # (nv,) limits of the coordinate [rad, m]
    upper: np.ndarray  # (nv,)
    stop_stiffness: np.ndarray  # (nv,) of the end stops [N m/rad, N/m]
    stop_damping: np.ndarray  # (nv,)
    max_rate: np.ndarray  # (nv,)
    max_force: np.ndarray  # (nv,)

    @property
    def kind_record(self) -> JointKind:
        """What its kind is: names of coordinates, which are lengths, where an attitude is."""
        return JOINT_KINDS[self.kind]

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return JOINT_KINDS[self.kind].nq

    @property
    def nv(self) -> int:
        """Number of rates."""
        return JOINT_KINDS[self.kind].nv


@dataclass(frozen=True, eq=False)
class Endpoint:
    """A named frame on a body: a hand, a camera, a docking port, the place a thruster acts at."""

    name: str
    body: str
    position: np.ndarray  # (3,) in the body's frame [m]
    rotation: np.ndarray  # (3, 3) body <- endpoint


def stacked(parts: Sequence[Any], field: str) -> np.ndarray:
    """A field of several parts in one array (parts, …); (batch, parts, …) where robots of a fleet differ.

    >>> stacked([Body("a", 1.0, np.zeros(3), np.eye(3)), Body("b", 2.0, np.ones(3), np.eye(3))], "mass")
    array([1., 2.])
    """
    axes = {"mass": 0, "pitch": 0, "inertia": 2, "rotation": 2}.get(field, 1)
    values = [np.asarray(getattr(part, field)) for part in parts]
    batch = np.broadcast_shapes(*(value.shape[: value.ndim - axes] for value in values))
    whole = [np.broadcast_to(value, (*batch, *value.shape[value.ndim - axes :])) for value in values]
    return np.stack(whole, axis=len(batch))
