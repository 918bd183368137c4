"""`PartBuilder`: what a robot is described with, part by part; `Builder` adds devices to it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..signatures import known_names
from .assemble import assemble
from .model import Model
from .parts import Body, Endpoint, Joint
from .values import shown


class PartBuilder:
    """Bodies, joints and endpoints, in any order; `build` checks everything and returns the Model."""

    def __init__(self, name: str, base: str = "free"):
        self.name, self.base_kind = name, base
        self._bases: list[Body] = []
        self._bodies: list[Body] = []
        self._joints: list[Joint] = []
        self._endpoints: list[Endpoint] = []
        self._problems: list[str] = []
        self._known: Sequence[Body] = ()  # whose doubts were reported when their model was made

    @known_names
    def base(
        self,
        name: str = "base",
        *,
        mass: Any = None,
        inertia: Any = None,
        com: Any = None,
        shapes: Any = (),
        massless: bool = False,
        visuals: Any = (),
        collisions: Any = (),
    ) -> None:
        """The body at the root of the tree; a robot has exactly one. See `body`.

        A fixed base does not move: of one without mass, inertia and shapes nothing is weighed, it is massless.
        """
        self._bases.append(Body(name, mass, com, inertia, shapes, massless, visuals, collisions))

    @known_names
    def body(
        self,
        name: str,
        *,
        mass: Any = None,
        inertia: Any = None,
        com: Any = None,
        shapes: Any = (),
        massless: bool = False,
        visuals: Any = (),
        collisions: Any = (),
    ) -> None:
        """A rigid body, moved by the joint that names it as its child; its frame is at that joint.

        Give `mass` and `inertia`, or `shapes` alone, which then settle mass, centre of mass and inertia.
        Beside a given mass and inertia, shapes are only drawn.

        Parameters
        ----------
        name : str
            Unique among the bodies.
        mass : float
            [kg]
        inertia : array_like
            (3,) principal moments or (3, 3), about the centre of mass, in the body's axes [kg m^2].
        com : array_like
            (3,) centre of mass in the body's frame [m], by default its origin.
        shapes : sequence of Shape
            What it is made of, placed in the body's frame.
        massless : bool
            A mere frame between two joints, without mass.
        visuals, collisions : sequence of Visual
            How it looks, where that is more than its shapes, and what of it can be touched; no part of the dynamics.
        """
        self._bodies.append(Body(name, mass, com, inertia, shapes, massless, visuals, collisions))

    @known_names
    def joint(
        self,
        name: str,
        kind: str,
        *,
        parent: str,
        child: str,
        position: Any = (0.0, 0.0, 0.0),
        rotation: Any = None,
        axis: Any = None,
        pitch: Any = 0.0,
        rest: Any = None,
        stiffness: Any = 0.0,
        damping: Any = 0.0,
        friction: Any = 0.0,
        friction_speed: Any = 1e-3,
        rotor_inertia: Any = 0.0,
        gear: Any = 1.0,
        lower: Any = -np.inf,
        upper: Any = np.inf,
        stop_stiffness: Any = 0.0,
        stop_damping: Any = 0.0,
        max_rate: Any = np.inf,
        max_force: Any = np.inf,
    ) -> None:
        """A joint between two bodies; a single number given for a joint of several rates applies to each of them.

        Parameters
        ----------
        name, kind : str
            Unique among the joints; one of `joints.JOINT_KINDS`, whose coordinates docs/notation.md lists.
        parent, child : str
            Bodies. The child's frame is the joint's frame, moved by the joint.
        position, rotation : array_like, Rotation
            (3,) [m] and (3, 3): the joint's frame in the parent's frame, by default unmoved and unturned.
        axis : array_like
            (3,) unit vector in the joint's axes, by default z; for revolute, prismatic, helical and cylindrical joints.
        pitch : float
            Of a helical joint [m/rad].
        rest : array_like
            Coordinates (nq,) at which the spring is slack, by default neutral; quaternions are (x, y, z, w).
            A spherical joint also takes a Rotation.
        stiffness, damping, friction : array_like
            Of the spring [N m/rad, N/m], the damper [N m s/rad, N s/m], and dry friction [N m, N], by default 0.
        friction_speed : array_like
            Speed at which dry friction is 76 % developed, by default 1e-3 [rad/s, m/s].
        rotor_inertia, gear : array_like
            Of the motor's rotor [kg m^2], by default 0, and its turns for one of the joint, by default 1.
        lower, upper : array_like
            Limits of the coordinates, by default none.
        stop_stiffness, stop_damping : array_like
            Of the end stops at the limits, by default 0; they only push back.
        max_rate, max_force : array_like
            What the joint may do, by default without bound; data for controllers and planners.
        """
        over_rates = (stiffness, damping, friction, friction_speed, rotor_inertia, gear, lower, upper)
        bounds = (stop_stiffness, stop_damping, max_rate, max_force)
        self._joints.append(
            Joint(name, kind, parent, child, position, rotation, axis, pitch, rest, *over_rates, *bounds)
        )

    @known_names
    def link(
        self,
        name: str,
        joint: str = "revolute",
        *,
        parent: str,
        mass: Any = None,
        inertia: Any = None,
        com: Any = None,
        shapes: Any = (),
        massless: bool = False,
        visuals: Any = (),
        collisions: Any = (),
        **options: Any,
    ) -> None:
        """A body and the joint that moves it, both called `name`: `body` and `joint` in one."""
        self.joint(name, joint, parent=parent, child=name, **options)
        looks = {"shapes": shapes, "visuals": visuals, "collisions": collisions}
        self.body(name, mass=mass, inertia=inertia, com=com, massless=massless, **looks)

    @known_names
    def endpoint(self, name: str, *, body: str, position: Any = (0.0, 0.0, 0.0), rotation: Any = None) -> None:
        """A named frame on a body, the base included; `position` (3,) [m] and `rotation` are in the body's frame."""
        self._endpoints.append(Endpoint(name, body, position, rotation))

    def build(self) -> Model:
        """Check the description and return the Model; raises ModelError with every problem, warns of doubts."""
        bases, bodies, problems = self._bases[:1], self._bodies, [*self._problems]
        if len(self._bases) > 1:
            again = ", ".join(shown(body.name) for body in self._bases[1:])
            problems.append(f"a robot has one base, yet base() was called again for {again}; use body() and a joint.")
            bodies = self._bases[1:] + bodies
        elif not bases:
            moved = {joint.child for joint in self._joints if isinstance(joint.child, str)}
            loose = [body for body in bodies if isinstance(body.name, str) and body.name not in moved][:1]
            likely = f" (was body({shown(loose[0].name)}, …) meant as it?)" if loose else ""
            problems.append(f"there is no base; call base(name, mass=…, inertia=…) once{likely}.")
            bases = loose or [Body("base", 1.0, np.zeros(3), np.zeros(3))]  # to look at the rest as if there were one
            bodies = [body for body in bodies if body not in bases]
        parts = bases + bodies, self._joints, self._endpoints
        return assemble(self.name, self.base_kind, *parts, problems=problems, known=self._known)
