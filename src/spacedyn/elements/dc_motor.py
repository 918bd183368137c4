"""Direct-current motors behind gears, in joints, which laws command by their voltage."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import InputError
from ..kernels.elements import dc_motor as k
from ..kernels.elements.kind import Kind
from ..model.model import Model
from ..reals import one_number, real_number
from ..signatures import checked_fields
from .drive_faults import BRISTLE, checked_lock, fault_words, lock_numbers, plain_name
from .element import Account, Block, Element, Numbers, rate_of
from .faults import checked_label, fail_time, fault_of

FAULTS = ("free", "shorted", "stuck", "locked")
_POSITIVE = ("resistance", "torque_constant", "ratio", "efficiency", "slow_speed", "voltage_limit", "current_limit")


@checked_fields()
@dataclass(frozen=True, eq=False)
class DCMotor(Element):
    """A direct-current motor behind a gear, in a joint: laws command its voltage.

    L di/dt = V - R i - c v,   torque = c i less what the gear takes,   c = ratio times torque_constant

    v is the joint's rate. Laws write `out.<name>.voltage[0]`; sampled ones read `current` [A], `torque` at the joint
    and `power`, which is the electrical one [W]. The ledger has it as work, what winding and gear take as dissipated,
    and what the inductance holds as stored. The rotor's inertia belongs to the joint: `rotor_inertia` and `gear` of
    `Builder.joint`; or the rotor is a body of its own, behind a `FlexibleDrive`.

    Parameters
    ----------
    joint : str
        A joint with one rate.
    resistance, inductance : float
        Of the winding [ohm, H]; without inductance the current follows the voltage at once.
    torque_constant : float
        Of the motor [N m/A], and of its back-EMF [V s/rad].
    ratio : float
        Turns of the motor for one of the joint.
    efficiency : float
        Of the gear: the share of the torque that arrives where the motor drives; where the load drives it takes
        (1/efficiency - 1) of it. Below `slow_speed` it takes less, and nothing at rest.
    voltage_limit, current_limit : float
        Of the amplifier [V, A]: it clips the voltage, and lowers it further where the current would be too large.
    slow_speed : float
        Of the joint [rad/s or m/s], where the gear's loss sets in: tanh(v / slow_speed).
    fail_at : float
        When it fails [s].
    fault : str
        How: 'free', the shaft is loose and the current decays; 'shorted', the winding brakes; 'stuck', it gives the
        torque `stuck`; 'locked', a lock holds the joint where it then is.
    stuck : float
        Torque at the joint of a motor that is stuck [N m or N].
    lock_torque : float, optional
        Up to which a lock holds [N m or N]; beyond, it slips.
    name : str, optional
        For laws and the record: an identifier. `motor_<joint>` if left out.

    Examples
    --------
    From rest to the speed at which the back-EMF eats up the voltage.

    >>> import spacedyn as sd
    >>> b = sd.Builder("rotor", base="fixed")
    >>> b.base("floor", mass=1.0, inertia=(1, 2, 2.5))
    >>> b.wheel("wheel", on="floor", mass=1.0, inertia=0.02)
    >>> @sd.law
    ... def switch_on(t, s, p, out):
    ...     out.drive.voltage[0] = 12.0
    >>> drive = sd.DCMotor("wheel", resistance=1.0, torque_constant=0.05, inductance=1e-3, ratio=4.0, name="drive")
    >>> rotor = b.build()
    >>> run = sd.simulate(rotor, rotor.neutral_state(), 10.0, laws=[switch_on()], elements=[drive])
    >>> round(float(run["qd"][-1, 0]), 6), bool(run.audit().energy < 1e-9)
    (60.0, True)
    """

    joint: str
    resistance: float
    torque_constant: float
    inductance: float = 0.0
    ratio: float = 1.0
    efficiency: float = 1.0
    voltage_limit: float = np.inf
    current_limit: float = np.inf
    slow_speed: float = 1e-3
    fail_at: float = np.inf
    fault: str = "free"
    stuck: float = 0.0
    lock_torque: float | None = None
    name: str | None = None

    commands: ClassVar[tuple[Block, ...]] = (Block("voltage", unit="V"),)
    channels: ClassVar[tuple[Block, ...]] = (
        Block("current", unit="A"),
        Block("torque", unit="N m or N"),
        Block("power", unit="W"),
    )
    accounts: ClassVar[tuple[Account, ...]] = (Account.WORK, Account.DISSIPATED, Account.STORED)
    pushes_bodies: ClassVar[bool] = False
    pushes_joints: ClassVar[bool] = True
    kernel: ClassVar[Kind] = k.dc_motor

    def __post_init__(self) -> None:
        for name in _POSITIVE:
            value = real_number(f"DCMotor: {name}", getattr(self, name), "a positive number")
            if not value > 0.0 or (np.isinf(value) and not name.endswith("limit")):
                raise InputError(f"DCMotor: {name} must be a positive number, got {value}")
            object.__setattr__(self, name, value)
        if self.efficiency > 1.0:
            raise InputError(f"DCMotor: efficiency must be at most 1, got {self.efficiency}")
        for name in ("inductance", "stuck"):
            object.__setattr__(self, name, one_number(f"DCMotor: {name}", getattr(self, name)))
        if self.inductance < 0.0:
            raise InputError(f"DCMotor: inductance must not be negative [H], got {self.inductance}")
        object.__setattr__(self, "fail_at", fail_time("DCMotor", self.fail_at))
        fault_of("DCMotor", self.fault, FAULTS)
        lock = checked_lock("DCMotor", self.fault, self.fail_at, self.lock_torque)
        object.__setattr__(self, "lock_torque", lock)
        checked_label("DCMotor", self.name)

    @property
    def _locks(self) -> bool:
        return self.fault == "locked" and bool(np.isfinite(self.fail_at))

    @property
    def states(self) -> tuple[Block, ...]:  # type: ignore[override]
        """The current, if it has inductance; the bristles of its lock, if it has one."""
        current = (Block("winding", unit="A"),) if self.inductance > 0.0 else ()
        return (*current, BRISTLE) if self._locks else current

    @property
    def label(self) -> str:
        """What laws and the record call it."""
        return self.name or plain_name("motor", self.joint)

    @property
    def _first_guards(self) -> tuple[int, int, int]:
        """The first guard of voltage, of current, of the gear's losses; -1 where there is none."""
        found, at = [], 0
        limits = np.isfinite([self.voltage_limit, self.current_limit])
        for wanted, count in ((limits[0], 2), (limits[1], 3), (self.efficiency < 1.0, 2)):
            found.append(at if wanted else -1)
            at += count if wanted else 0
        return found[0], found[1], found[2]

    @property
    def guards(self) -> int:
        """Two of the voltage, three of the current, two of the gear, where there are limits and losses."""
        return sum(count for first, count in zip(self._first_guards, (2, 3, 2), strict=True) if first >= 0)

    @property
    def breaks(self) -> tuple[float, ...]:
        """When it fails."""
        return (self.fail_at,) if np.isfinite(self.fail_at) else ()

    @property
    def faults(self) -> tuple[tuple[float, str], ...]:
        """When it fails [s], and how."""
        return tuple((when, fault_words(self.fault, self.stuck)) for when in self.breaks)

    def fastest_rate(self, model: Model) -> float:
        """The rate at which the current follows the voltage, R / L [1/s]."""
        return self.resistance / self.inductance if self.inductance > 0.0 else 0.0

    def numbers(self, model: Model) -> Numbers:
        """The joint's rate; its circuit, its gear, its lock."""
        rate = rate_of(model, "DCMotor", self.joint)
        numbers = [self.resistance, self.inductance, self.ratio * self.torque_constant]
        numbers += [min(self.voltage_limit, 1e300), min(self.current_limit, 1e300), self.efficiency]
        numbers += [self.slow_speed, self.stuck, *lock_numbers(self.lock_torque)]
        inductive = int(self.inductance > 0.0)
        integers = rate, inductive, *self._first_guards, FAULTS.index(self.fault), inductive
        return Numbers(integers, np.array(numbers))
