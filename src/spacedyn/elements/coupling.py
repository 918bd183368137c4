"""Joints tied to each other: gears, differentials, mimic joints."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..kernels.elements.coupling import KEPT, coupling, settle_coupling
from ..kernels.elements.kind import Kind
from ..model.files.mimic import Mimic
from ..model.model import Model
from ..reals import finite_array, one_number
from ..signatures import checked_fields, is_several
from .element import Account, Block, Element, Numbers, Row, rate_of

Array = np.ndarray


@checked_fields("joints")
@dataclass(frozen=True, eq=False)
class Coupling(Element):
    """Joints whose coordinates are tied: sum of coefficients times coordinates = offset, exactly.

    A gear of ratio r is `Coupling(("motor", "arm"), (1, -r))`, a differential has three joints, a mimic joint
    q = multiplier · leader + offset is `Coupling((joint, leader), (1, -multiplier), offset)`. The force acts in the
    joints, within the robot; bodies that carry the gear feel nothing of it but through them. With stiffness or damping
    the coupling is compliant.

    Parameters
    ----------
    joints : sequence of str
        Two or more joints of one coordinate each.
    coefficients : (n,)
        One for each joint; the residual has the unit of a coordinate times that of its coefficient.
    offset : float
        What the sum is to be [rad, m].
    curve : (3,)
        Factors of the square, the third and the fourth power of the last joint's coordinate, which are added: a cam.
    stiffness, damping : float
        Of a compliant coupling, on the sum.
    name : str, optional
        For the record.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> gear = sd.Coupling(("joint1", "joint2"), (1.0, 2.0), name="gear")
    >>> start = sd.assemble(robot, robot.state(qd=[0.4, 0.0, 0.1, 0.0]), [gear])
    >>> run = sd.simulate(robot, start, 5.0, elements=[gear])
    >>> bool(abs(run["q"][:, 0] + 2 * run["q"][:, 1]).max() < 1e-12), run.audit().within_budget
    (True, True)
    """

    joints: Sequence[str]
    coefficients: ArrayLike
    offset: float = 0.0
    curve: ArrayLike = (0.0, 0.0, 0.0)
    stiffness: float = 0.0
    damping: float = 0.0
    name: str | None = None

    channels: ClassVar[tuple[Block, ...]] = (Block("effort", unit="N m or N"), Block("gap", unit="m or rad"))
    accounts: ClassVar[tuple[Account, ...]] = (Account.STORED, Account.DISSIPATED)
    pushes_bodies: ClassVar[bool] = False
    pushes_joints: ClassVar[bool] = True
    kernel: ClassVar[Kind] = coupling
    settles: ClassVar[Kind] = settle_coupling
    kept: ClassVar[int] = KEPT

    def __post_init__(self) -> None:
        good = is_several(self.joints) and all(isinstance(name, str) for name in self.joints)
        if isinstance(self.joints, str) or not good or len(set(self.joints)) < max(2, len(self.joints)):
            raise InputError(f"Coupling: joints must be two or more different names, got {self.joints!r}")
        object.__setattr__(self, "joints", tuple(self.joints))
        count = len(self.joints)
        numbers = finite_array("Coupling: coefficients", self.coefficients, f"{count} finite numbers", [(count,)])
        object.__setattr__(self, "coefficients", numbers)
        object.__setattr__(self, "curve", finite_array("Coupling: curve", self.curve, "three finite numbers", [(3,)]))
        if not np.all(numbers[:-1] != 0.0) or not (numbers[-1] != 0.0 or np.any(np.asarray(self.curve))):
            raise InputError(f"Coupling: coefficients must not be zero, got {numbers.tolist()}; leave the joint out")
        for name in ("offset", "stiffness", "damping"):
            value = one_number(f"Coupling: {name}", getattr(self, name))
            if value < 0.0 and name != "offset":
                raise InputError(f"Coupling: {name} must not be negative, got {value}")
            object.__setattr__(self, name, value)

    @property
    def is_rigid(self) -> bool:
        """Whether a multiplier holds the coupling exactly: it has neither stiffness nor damping."""
        return not (self.stiffness or self.damping)

    @property
    def is_late(self) -> bool:
        """Its effort depends on accelerations."""
        return True

    @property
    def label(self) -> str:
        """Its name in the record."""
        return self.name or f"coupling {' '.join(self.joints)}"

    def numbers(self, model: Model) -> Numbers:
        """Its joints' rates and coordinates; offset, curve, stiffness, damping, coefficients."""
        places: list[int] = []
        for joint in self.joints:
            places += [rate_of(model, "Coupling", joint), 7 + model.q_slice(joint).start]
        rest = [self.offset, *np.asarray(self.curve), self.stiffness, self.damping, *np.asarray(self.coefficients)]
        return Numbers((len(self.joints), int(self.is_rigid), *places), np.array(rest))

    def rows_of(self, model: Model) -> tuple[Row, ...]:
        """Its one row, if it is rigid."""
        rates = tuple(rate_of(model, "Coupling", joint) for joint in self.joints)
        return (Row((), rates),) if self.is_rigid else ()

    def attached_to(self, model: Model) -> tuple[str, ...]:
        """The base, so that its kind is called again when accelerations are known."""
        return (model.body_names[0],)

    @classmethod
    def of_mimics(cls, mimics: Iterable[Mimic]) -> list["Coupling"]:
        """A coupling for each mimic joint, as `read_mimics` gives them.

        Examples
        --------
        >>> import spacedyn as sd
        >>> tie, = sd.Coupling.of_mimics([sd.Mimic("right", "left", -1.0, 0.1)])
        >>> tie.joints, tie.coefficients.tolist(), tie.offset
        (('right', 'left'), [1.0, 1.0], 0.1)
        """
        several = list(mimics)
        if not all(isinstance(one, Mimic) for one in several):
            raise InputError(f"Coupling.of_mimics: expected Mimic(joint, leader, multiplier, offset), got {several!r}")
        return [cls((one.joint, one.leader), (1.0, -one.multiplier), one.offset) for one in several]
