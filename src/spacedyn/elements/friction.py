"""Friction in a joint that truly sticks."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import InputError
from ..kernels.elements.bristle_friction import bristle_friction
from ..kernels.elements.kind import Kind
from ..model.model import Model
from ..reals import one_number
from ..signatures import checked_fields
from .element import Account, Block, Element, Numbers, rate_of


@checked_fields()
@dataclass(frozen=True, eq=False)
class BristleFriction(Element):
    """Dry friction in a joint by LuGre's bristles, which bend before they slip: at rest the joint sticks, and holds.

    f = stiffness z + damping ż + viscous v,   ż = v - stiffness abs(v) z / g(v)
    g(v) = coulomb + (static - coulomb) exp(-(v / stribeck_speed)²)

    Parameters
    ----------
    joint : str
        A joint with one rate.
    coulomb, static : float
        Friction while it slips, and at which it breaks away [N m or N]; `static` is `coulomb` if left out.
    stribeck_speed : float
        Over which the one becomes the other [rad/s or m/s].
    stiffness, damping : float
        Of the bristles [N m/rad or N/m, N m s/rad or N s/m].
    viscous : float
        [N m s/rad or N s/m].
    name : str, optional
        For the record, and for laws that read its `friction`.

    Examples
    --------
    A joint under less torque than it takes to break away stays where it is, to the bending of the bristles.

    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> stick = sd.BristleFriction("joint1", coulomb=1.0, static=1.5, stiffness=1e4, damping=50.0)
    >>> push = sd.control.joint_torque(robot, robot.neutral_state(), tau=[0.5, 0, 0, 0])
    >>> run = sd.simulate(robot, robot.neutral_state(), 5.0, laws=[push], elements=[stick])
    >>> bool(abs(run["q"][-1, 0]) < 2e-4), bool(run.audit().energy < 1e-7)
    (True, True)
    """

    joint: str
    coulomb: float
    static: float | None = None
    stribeck_speed: float = 1e-3
    stiffness: float = 1e5
    damping: float = 0.0
    viscous: float = 0.0
    name: str | None = None

    states: ClassVar[tuple[Block, ...]] = (Block("bristle", unit="rad or m"),)
    channels: ClassVar[tuple[Block, ...]] = (Block("friction", unit="N m or N"),)
    accounts: ClassVar[tuple[Account, ...]] = (Account.DISSIPATED, Account.STORED)
    pushes_bodies: ClassVar[bool] = False
    pushes_joints: ClassVar[bool] = True
    kernel: ClassVar[Kind] = bristle_friction

    def __post_init__(self) -> None:
        if self.static is None:
            object.__setattr__(self, "static", self.coulomb)
        for name in ("coulomb", "static", "stribeck_speed", "stiffness", "damping", "viscous"):
            value = one_number(f"BristleFriction: {name}", getattr(self, name))
            least = name in ("damping", "viscous")
            if value < 0.0 or (value == 0.0 and not least):
                wanted = "zero or a positive number" if least else "a positive number"
                raise InputError(f"BristleFriction: {name} must be {wanted}, got {value}")
            object.__setattr__(self, name, value)
        if self.static < self.coulomb:  # type: ignore[operator]
            raise InputError(f"BristleFriction: static must be at least coulomb, got {self.static} < {self.coulomb}")

    @property
    def label(self) -> str:
        """What it is called in the record."""
        return self.name or f"friction in {self.joint}"

    def numbers(self, model: Model) -> Numbers:
        """The joint's rate; all parameters."""
        numbers = self.coulomb, self.static, self.stribeck_speed, self.stiffness, self.damping, self.viscous
        return Numbers((rate_of(model, "BristleFriction", self.joint),), np.array(numbers, dtype=float))
