"""Motors in joints, which laws command."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import InputError
from ..kernels.elements.kind import Kind
from ..kernels.elements.motor import motor
from ..model.model import Model
from ..reals import one_number, real_number
from ..signatures import checked_fields
from .drive_faults import BRISTLE, checked_lock, fault_words, lock_numbers, plain_name
from .element import Account, Block, Element, Numbers, rate_of
from .faults import checked_label, fail_time, fault_of

FAULTS = ("free", "stuck", "locked")


@checked_fields()
@dataclass(frozen=True, eq=False)
class Motor(Element):
    """A motor in a joint: it gives the torque that laws command, as far as it has it at this speed.

    Laws write `out.<name>.torque[0]` and read `s.<name>.torque` and `s.<name>.power`. Steps end where it begins and
    ceases to saturate, and its work is in the ledger.

    Parameters
    ----------
    joint : str
        A joint with one rate.
    stall_torque : float
        The largest torque, which it has at rest and when it brakes [N m or N].
    no_load_speed : float
        The speed at which it has no torque left to drive [rad/s or m/s]; the torque falls linearly up to there.
    name : str, optional
        For laws and the record: an identifier. `motor_<joint>` if left out.
    fail_at : float
        When it fails [s].
    fault : str
        How: 'free', it gives no torque; 'stuck', it gives the torque `stuck`; 'locked', a lock holds the joint where it
        then is.
    stuck : float
        Torque of a motor that is stuck [N m or N].
    lock_torque : float, optional
        Up to which a lock holds [N m or N]; beyond, it slips.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> @sd.law
    ... def push(t, s, p, out):
    ...     out.elbow.torque[0] = 3.0
    >>> elbow = sd.Motor("joint2", stall_torque=2.0, no_load_speed=1.0, name="elbow")
    >>> run = sd.simulate(robot, robot.neutral_state(), 1.0, laws=[push()], elements=[elbow])
    >>> float(run["torque"][0, 0]), bool(run["torque"][-1, 0] < 1.9), bool(run.audit().energy < 1e-9)
    (2.0, True, True)
    """

    joint: str
    stall_torque: float
    no_load_speed: float = np.inf
    name: str | None = None
    fail_at: float = np.inf
    fault: str = "free"
    stuck: float = 0.0
    lock_torque: float | None = None

    commands: ClassVar[tuple[Block, ...]] = (Block("torque", unit="N m or N"),)
    channels: ClassVar[tuple[Block, ...]] = (Block("torque", unit="N m or N"), Block("power", unit="W"))
    pushes_bodies: ClassVar[bool] = False
    pushes_joints: ClassVar[bool] = True
    kernel: ClassVar[Kind] = motor
    former_names: ClassVar[Mapping[str, str]] = {"most_torque": "stall_torque"}

    def __post_init__(self) -> None:
        torque = one_number("Motor: stall_torque", self.stall_torque, "a positive number")
        speed = real_number("Motor: no_load_speed", self.no_load_speed, "a positive number")
        if not torque > 0.0 or not speed > 0.0:
            raise InputError(f"Motor: stall_torque and no_load_speed must be positive, got {torque} and {speed}")
        checked_label("Motor", self.name)
        object.__setattr__(self, "fail_at", fail_time("Motor", self.fail_at))
        object.__setattr__(self, "stuck", one_number("Motor: stuck", self.stuck))
        fault_of("Motor", self.fault, FAULTS)
        object.__setattr__(self, "lock_torque", checked_lock("Motor", self.fault, self.fail_at, self.lock_torque))

    @property
    def most_torque(self) -> float:
        """The former name of `stall_torque`."""
        return self.stall_torque

    @property
    def label(self) -> str:
        """What laws and the record call it."""
        return self.name or plain_name("motor", self.joint)

    @property
    def guards(self) -> int:
        """Two: the largest torque in either direction."""
        return 2

    @property
    def _locks(self) -> bool:
        return self.fault == "locked" and bool(np.isfinite(self.fail_at))

    @property
    def states(self) -> tuple[Block, ...]:  # type: ignore[override]
        """The bristles of its lock, if it has one."""
        return (BRISTLE,) if self._locks else ()

    @property
    def accounts(self) -> tuple[Account, ...]:  # type: ignore[override]
        """Its work; what a lock holds and loses."""
        return (Account.WORK, Account.DISSIPATED, Account.STORED) if self._locks else (Account.WORK,)

    @property
    def breaks(self) -> tuple[float, ...]:
        """When it fails."""
        return (self.fail_at,) if np.isfinite(self.fail_at) else ()

    @property
    def faults(self) -> tuple[tuple[float, str], ...]:
        """When it fails [s], and how."""
        return tuple((when, fault_words(self.fault, self.stuck)) for when in self.breaks)

    def numbers(self, model: Model) -> Numbers:
        """The joint's rate; the stall torque, the reciprocal of the no-load speed, and what is left once it failed."""
        stuck = self.stuck if self.fault == "stuck" else 0.0
        numbers = [self.stall_torque, 1.0 / self.no_load_speed, stuck, *lock_numbers(self.lock_torque)]
        return Numbers((rate_of(model, "Motor", self.joint), int(self._locks)), np.array(numbers))
