"""Flexible gears with backlash, between a motor's rotor and a link."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import InputError
from ..kernels.elements.flexible_drive import flexible_drive
from ..kernels.elements.kind import Kind
from ..model.model import Model
from ..reals import one_number
from ..signatures import checked_fields
from .drive_faults import plain_name
from .element import Account, Block, Element, Numbers, rate_of


@checked_fields()
@dataclass(frozen=True, eq=False)
class FlexibleDrive(Element):
    """A flexible gear with backlash, between the joint of a motor's rotor and the joint of a link.

    twist = rotor / ratio - joint,   torque = stiffness times twist + damping times its rate

    With backlash there is no torque while the twist is within ± backlash / 2; teeth push and never pull. The rotor is a
    body of its own, on the body that carries the motor: `Builder.wheel`. So its momentum, its reaction on that body
    and its gyroscopic moments are part of the dynamics. Steps end where teeth touch and part.

    Parameters
    ----------
    rotor, joint : str
        Joints with one rate each.
    ratio : float
        Turns of the rotor for one of the joint; negative if they turn against each other.
    stiffness, damping : float
        At the joint [N m/rad, N m s/rad; or N/m, N s/m].
    backlash : float
        Play at the joint, from flank to flank [rad or m].
    name : str, optional
        For laws, which read its `torque` at the joint and `twist`, and for the record. `drive_<joint>` if left out.

    Examples
    --------
    A rotor that is turned takes the link along.

    >>> import spacedyn as sd
    >>> b = sd.Builder("drive", base="fixed")
    >>> b.base("floor", mass=1.0, inertia=(1, 2, 2.5))
    >>> b.wheel("rotor", on="floor", mass=0.1, inertia=1e-5)
    >>> b.wheel("link", on="floor", mass=1.0, inertia=0.1)
    >>> robot = b.build()
    >>> gear = sd.FlexibleDrive("rotor", "link", ratio=100.0, stiffness=500.0, damping=1.0, backlash=1e-3)
    >>> run = sd.simulate(robot, robot.state(qd=[50.0, 0.0]), 2.0, elements=[gear])
    >>> share = 100.0**2 * 1e-5 / (100.0**2 * 1e-5 + 0.1)
    >>> bool(abs(run["qd"][-1, 1] - 0.5 * share) < 0.05), bool(run.audit().energy < 1e-9)
    (True, True)
    """

    rotor: str
    joint: str
    ratio: float
    stiffness: float
    damping: float = 0.0
    backlash: float = 0.0
    name: str | None = None

    channels: ClassVar[tuple[Block, ...]] = (Block("torque", unit="N m or N"), Block("twist", unit="rad or m"))
    accounts: ClassVar[tuple[Account, ...]] = (Account.DISSIPATED, Account.STORED)
    pushes_bodies: ClassVar[bool] = False
    pushes_joints: ClassVar[bool] = True
    kernel: ClassVar[Kind] = flexible_drive

    def __post_init__(self) -> None:
        for name in ("ratio", "stiffness", "damping", "backlash"):
            object.__setattr__(self, name, one_number(f"FlexibleDrive: {name}", getattr(self, name)))
        if self.ratio == 0.0:
            raise InputError("FlexibleDrive: ratio cannot be zero")
        if not self.stiffness > 0.0:
            raise InputError(f"FlexibleDrive: stiffness must be a positive number, got {self.stiffness}")
        for name in ("damping", "backlash"):
            if getattr(self, name) < 0.0:
                raise InputError(f"FlexibleDrive: {name} must not be negative, got {getattr(self, name)}")

    @property
    def label(self) -> str:
        """What laws and the record call it."""
        return self.name or plain_name("drive", self.joint)

    @property
    def guards(self) -> int:
        """Three with backlash: either flank, and the push there."""
        return 3 if self.backlash > 0.0 else 0

    def numbers(self, model: Model) -> Numbers:
        """Rates and coordinates of rotor and joint; its gear."""
        if self.rotor == self.joint:
            raise InputError(
                f"FlexibleDrive: rotor and joint are both '{self.joint}'; the rotor has a joint of its own"
            )
        rates = [rate_of(model, "FlexibleDrive", joint) for joint in (self.rotor, self.joint)]
        places = [7 + model.q_slice(joint).start for joint in (self.rotor, self.joint)]
        numbers = [1.0 / self.ratio, self.stiffness, self.damping, 0.5 * self.backlash]
        return Numbers((*rates, *places, int(self.backlash > 0.0)), np.array(numbers))
