"""Springs, dampers, friction and end stops of a model's joints, as an element that every simulation adds."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..kernels.elements import joint_forces as k
from ..kernels.elements.joint_touching import joint_touching
from ..kernels.elements.kind import Kind
from ..model.model import Model
from .element import Account, Element, Numbers


@dataclass(frozen=True, eq=False)
class JointForces(Element):
    """Springs, dampers, dry friction and end stops of all joints of a model, as their fields say.

    Parameters
    ----------
    model : Model
        The robot, or robots that differ.
    """

    model: Model

    accounts: ClassVar[tuple[Account, ...]] = (Account.DISSIPATED,)
    pushes_bodies: ClassVar[bool] = False
    pushes_joints: ClassVar[bool] = True
    kernel: ClassVar[Kind] = k.joint_forces
    is_stepped: ClassVar[bool] = False

    @property
    def label(self) -> str:
        """Its name in messages."""
        return "joints"

    @property
    def guards(self) -> int:
        """Number of guards of its end stops."""
        return 0 if self.is_stepped else k.STOP_GUARDS * len(self.stops)

    @cached_property
    def stops(self) -> list[tuple[int, int]]:
        """Rate and coordinate of each joint with an end stop, in any robot."""
        found = []
        for joint in self.model.joints:
            if np.any(joint.stop_stiffness > 0.0) or np.any(joint.stop_damping > 0.0):
                rates, first = self.model.u_slice(joint.name), 7 + self.model.q_slice(joint.name).start
                turns = 3 if joint.kind in ("spherical", "free") else 0  # attitudes have no end stops
                found += [(rate, first + i) for i, rate in enumerate(range(rates.start, rates.stop - turns))]
        return found

    @cached_property
    def rubs(self) -> list[int]:
        """Rates that have dry friction, in any robot."""
        found: list[int] = []
        for joint in self.model.joints:
            rates = self.model.u_slice(joint.name)
            rubs = np.any(np.atleast_2d(joint.friction) > 0.0, axis=0).tolist()
            found += [rate for rate, one in zip(range(rates.start, rates.stop), rubs, strict=True) if one]
        return found

    @property
    def touches(self) -> int:
        """End stops, two a rate, and dry friction, for a method that steps through contact."""
        return 2 * len(self.stops) + len(self.rubs) if self.is_stepped else 0

    def under(self, stepping: bool) -> "JointForces":
        """The element as a method takes it: with forces, or for a method that steps through contact, with impulses."""
        if stepping == self.is_stepped:
            return self
        made = JointForces(self.model)
        if stepping:
            object.__setattr__(made, "is_stepped", True)
            object.__setattr__(made, "kernel", joint_touching)
        return made

    def numbers(self, model: Model) -> Numbers:
        """How many rates have end stops; the rate and the coordinate of each; the same of dry friction."""
        stops = (len(self.stops), *(one for pair in self.stops for one in pair))
        return Numbers((*stops, len(self.rubs), *self.rubs), np.empty(0))


def joint_forces_of(model: Model) -> list[JointForces]:
    """The element, if any joint of the model has forces of its own."""
    return [JointForces(model)] if model.flat.passive else []
