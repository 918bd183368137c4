"""Springs and tethers between two points."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..kernels.elements.kind import Kind
from ..kernels.elements.spring import spring
from ..model.model import Model
from ..reals import one_number
from ..signatures import checked_fields
from .element import Account, Block, Element, Numbers, WrenchPoint, point_of, three

Array = np.ndarray


@checked_fields()
@dataclass(frozen=True, eq=False)
class Spring(Element):
    """A spring, with a damper beside it, between two points: of two bodies, or of a body and the inertial frame.

    tension = stiffness (length - rest_length) + damping (rate of length)

    Parameters
    ----------
    body, other : str
        The bodies; `other` may be 'inertial'.
    point, other_point : (3,)
        The points in the bodies' frames [m].
    stiffness, damping : float
        [N/m, N s/m].
    rest_length : float
        [m].
    tension_only : bool
        Whether it goes slack, and does not push: a tether.
    name : str, optional
        For the record.
    onset : float, optional
        Stretch over which the damping of a tether sets in, so that its force does not jump where it goes taut [m]; a
        hundredth of the rest length, or a millimetre, if left out.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> spring = sd.Spring(robot.body_names[0], stiffness=100.0, other_point=(1.0, 0, 0))
    >>> run = sd.simulate(robot, robot.neutral_state(), 10.0, elements=[spring])
    >>> bool(run.audit().energy < 1e-9)
    True
    """

    body: str
    other: str = "inertial"
    stiffness: float = 0.0
    damping: float = 0.0
    rest_length: float = 0.0
    point: ArrayLike = (0.0, 0.0, 0.0)
    other_point: ArrayLike = (0.0, 0.0, 0.0)
    tension_only: bool = False
    name: str | None = None
    onset: float | None = None

    channels: ClassVar[tuple[Block, ...]] = (Block("tension", unit="N"),)
    accounts: ClassVar[tuple[Account, ...]] = (Account.WORK, Account.STORED)
    is_line: ClassVar[bool] = True
    kernel: ClassVar[Kind] = spring

    def __post_init__(self) -> None:
        what = type(self).__name__
        for name in ("stiffness", "damping", "rest_length"):
            value = one_number(f"{what}: {name}", getattr(self, name), "zero or a positive number")
            if value < 0.0:
                raise InputError(f"{what}: {name} must be zero or a positive number, got {value}")
            object.__setattr__(self, name, value)
        if self.stiffness == 0.0 and self.damping == 0.0:
            raise InputError(f"{what}: it has neither stiffness nor damping; give at least one")
        if self.onset is not None and not one_number(f"{what}: onset", self.onset) > 0.0:
            raise InputError(f"{what}: onset must be a positive length [m], got {self.onset}")
        for name in ("point", "other_point"):
            object.__setattr__(self, name, three(what, name, getattr(self, name)))

    @property
    def guards(self) -> int:
        """Whether a tether is stretched; with a damper also whether beyond its onset, and whether it pulls."""
        return 0 if not self.tension_only else 3 if self.damping > 0.0 else 1

    @property
    def label(self) -> str:
        """What it is called in the record."""
        return self.name or f"{type(self).__name__.lower()} {self.body} to {self.other}"

    def numbers(self, model: Model) -> Numbers:
        """Its bodies; both points, stiffness, damping, rest length, whether it only pulls, the onset of damping."""
        body, point = point_of(model, self.body, self.point)
        if "inertial" in model.body_names:
            raise InputError(f"{type(self).__name__}: a body cannot be named 'inertial', which is the inertial frame")
        other, far = -1, np.asarray(self.other_point)
        if self.other != "inertial":
            other, far = point_of(model, self.other, self.other_point)
        if body == other and np.array_equal(point, far):
            raise InputError(f"{type(self).__name__}: both of its ends are the same point of body '{self.body}'")
        onset = self.onset or 1e-2 * self.rest_length or 1e-3
        rest = [self.stiffness, self.damping, self.rest_length, self.tension_only, onset]
        return Numbers((body, other), np.concatenate([point, far, rest]))

    def fastest(self, model: Model) -> float:
        """Of its bodies' masses alone."""
        ends = [name for name in (self.body, self.other) if name != "inertial"]
        mobile = sum(1.0 / model.bodies[model.body_index(name)].mass for name in ends)
        return max(float(np.sqrt(self.stiffness * mobile)), float(self.damping * mobile))

    def wrenches(self, model: Model) -> tuple[WrenchPoint, ...]:
        """At both ends."""
        other = "" if self.other == "inertial" else self.other
        return WrenchPoint(self.body, np.asarray(self.point)), WrenchPoint(other, np.asarray(self.other_point))


@checked_fields()
@dataclass(frozen=True, eq=False)
class Tether(Spring):
    """A spring that only pulls, and is slack below its rest length; otherwise as `Spring`.

    Examples
    --------
    >>> import spacedyn as sd
    >>> sd.Tether("bus", stiffness=100.0, rest_length=2.0).tension_only
    True
    """

    tension_only: bool = True
