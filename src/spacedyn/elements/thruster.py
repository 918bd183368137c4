"""Thrusters, which laws command."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..kernels.elements.kind import Kind
from ..kernels.elements.thruster import thruster
from ..model.model import Model
from ..reals import one_number
from ..signatures import checked_fields
from .element import Block, Element, Numbers, WrenchPoint, point_of, three
from .faults import checked_label, fail_time
from .tank import Tank

G0 = 9.80665
"""Standard gravity [m/s²], by which specific impulse is given in seconds."""


@checked_fields()
@dataclass(frozen=True, eq=False)
class Thruster(Element):
    """A thruster on a body: a force along its nozzle, as laws command, and propellant drawn from a tank.

    Laws write `out.<name>.throttle[0]`, the wanted share of its thrust from 0 to 1, and read `s.<name>.thrust` and
    `s.<name>.mass_flow`. With a tank, propellant leaves with its momentum and energy, and its flow through the turning
    body damps rotation (jet damping). An empty tank ends the thrust, at a step's end. Without one it never ends.

    Parameters
    ----------
    body : str
        What it is on.
    thrust : float
        At full throttle [N].
    direction : (3,)
        In which it pushes its body, in the body's axes: opposite to the jet. Of any length.
    position : (3,)
        Its nozzle, in the body's frame [m].
    specific_impulse : float
        [s]: the flow is thrust / (specific_impulse 9.80665).
    tank : str, optional
        The name of the tank that feeds it.
    on_off : bool
        Whether its valve is open or shut: open while the throttle is above 0.5.
    minimum_pulse : float
        The shortest time that an on/off valve stays open [s], once it has opened during a run.
    rise, decay : float
        Time constants of its thrust where it grows and falls [s]; at once if zero.
    misalignment : (3,)
        A small rotation of its direction about the body's axes [rad], beside what `direction` says.
    fail_at : float
        When its valve sticks [s].
    stuck : float
        Where it then sticks, from 0 (shut) to 1 (open).
    name : str
        For laws and the record.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> jet = sd.Thruster("base", 20.0, direction=(1, 0, 0), position=(0, 0.5, 0), name="jet")
    >>> @sd.law
    ... def burn(t, s, p, out):
    ...     out.jet.throttle[0] = 1.0
    >>> run = sd.simulate(robot, robot.neutral_state(), 1.0, laws=[burn()], elements=[jet])
    >>> float(run["thrust"][0, 0]), bool(run.audit().worst < 1e-10)
    (20.0, True)
    """

    body: str
    thrust: float
    direction: ArrayLike
    position: ArrayLike = (0.0, 0.0, 0.0)
    specific_impulse: float = 220.0
    tank: str | None = None
    on_off: bool = False
    minimum_pulse: float = 0.0
    rise: float = 0.0
    decay: float = 0.0
    misalignment: ArrayLike = (0.0, 0.0, 0.0)
    fail_at: float = np.inf
    stuck: float = 0.0
    name: str = "thruster"

    states: ClassVar[tuple[Block, ...]] = (Block("level"),)
    commands: ClassVar[tuple[Block, ...]] = (Block("throttle"),)
    channels: ClassVar[tuple[Block, ...]] = (Block("thrust", unit="N"), Block("mass_flow", unit="kg/s"))
    kernel: ClassVar[Kind] = thruster

    def __post_init__(self) -> None:
        for name in ("thrust", "specific_impulse"):
            if not one_number(f"Thruster: {name}", getattr(self, name)) > 0.0:
                raise InputError(f"Thruster: {name} must be a positive number, got {getattr(self, name)}")
        for name in ("rise", "decay", "minimum_pulse"):
            if not one_number(f"Thruster: {name}", getattr(self, name)) >= 0.0:
                raise InputError(f"Thruster: {name} must not be negative [s], got {getattr(self, name)}")
        if (self.rise > 0.0) != (self.decay > 0.0):
            raise InputError("Thruster: give both rise and decay [s], or neither")
        for name in ("direction", "position", "misalignment"):
            object.__setattr__(self, name, three("Thruster", name, getattr(self, name)))
        if not np.linalg.norm(np.asarray(self.direction)) > 0.0:
            raise InputError("Thruster: direction must not be zero: it is where the body is pushed")
        if not 0.0 <= one_number("Thruster: stuck", self.stuck) <= 1.0:
            raise InputError(f"Thruster: stuck is from 0 (shut) to 1 (open), got {self.stuck}")
        if self.minimum_pulse > 0.0 and not self.on_off:
            raise InputError("Thruster: minimum_pulse is for a valve that is open or shut: give on_off=True, too")
        object.__setattr__(self, "fail_at", fail_time("Thruster", self.fail_at))
        checked_label("Thruster", self.name)

    @property
    def samples(self) -> tuple[Block, ...]:  # type: ignore[override]
        """With a shortest pulse, when the last one began, long before the start, and whether it was commanded open."""
        return (Block("opened", unit="s", start=-1e9), Block("was_open")) if self.minimum_pulse > 0.0 else ()

    @property
    def guards(self) -> int:
        """Three: the ends of its throttle, and whether its thrust grows or falls."""
        return 3

    @property
    def links(self) -> tuple[str, ...]:
        """The tank that feeds it."""
        return () if self.tank is None else (self.tank,)

    def check_link(self, other: Element) -> None:
        """Raise unless it is a tank."""
        if not isinstance(other, Tank):
            raise InputError(f"Thruster '{self.name}': tank='{self.tank}' is a {type(other).__name__}, not a Tank")

    @property
    def breaks(self) -> tuple[float, ...]:
        """When its valve sticks."""
        return (self.fail_at,) if np.isfinite(self.fail_at) else ()

    @property
    def faults(self) -> tuple[tuple[float, str], ...]:
        """When its valve sticks [s], and where."""
        words = {0.0: "its valve stuck shut", 1.0: "its valve stuck open"}
        return tuple((when, words.get(self.stuck, f"its valve stuck at {self.stuck:g}")) for when in self.breaks)

    def fastest_rate(self, model: Model) -> float:
        """That of its thrust's rise or decay."""
        return max((1.0 / lag for lag in (self.rise, self.decay) if lag > 0.0), default=0.0)

    def pushes(self) -> np.ndarray:
        """The unit vector along which it pushes, in the body's axes."""
        from scipy.spatial.transform import Rotation

        along = np.asarray(self.direction) / np.linalg.norm(np.asarray(self.direction))
        return np.asarray(Rotation.from_rotvec(np.asarray(self.misalignment)).apply(along))

    def numbers(self, model: Model) -> Numbers:
        """Its body and choices; nozzle, direction, thrust and flow, reciprocal time constants, stuck throttle."""
        body, place = point_of(model, self.body, self.position)
        along = model.flat.to_internal[model.body_index(self.body)] @ self.pushes()
        speeds = [1.0 / lag if lag > 0.0 else 0.0 for lag in (self.rise, self.decay)]
        flow = self.thrust / (self.specific_impulse * G0)
        integers = (
            body, self.tank is not None, self.rise > 0.0, self.on_off, self.minimum_pulse > 0.0
        )  # fmt: skip
        rest = [self.thrust, flow, *speeds, self.stuck, self.minimum_pulse]
        return Numbers(tuple(int(one) for one in integers), np.concatenate([place, along, rest]))

    def wrenches(self, model: Model) -> tuple[WrenchPoint, ...]:
        """Its nozzle."""
        return (WrenchPoint(self.body, np.asarray(self.position)),)
