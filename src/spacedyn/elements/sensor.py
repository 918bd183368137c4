"""Base classes of sensors: errors, range, quantisation, period, delay, faults; mounting on a body."""

from dataclasses import dataclass
from typing import Any, ClassVar
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from ..errors import InputError
from ..kernels.elements.sensor import DEAD, FROZEN, STUCK
from ..model.model import Model
from ..model.quaternions import exponential
from ..model.rotations import rotation_quaternion
from ..reals import array_of_limits, finite_array, one_number, real_number
from .element import Account, Block, Element, Numbers, point_of, three
from .faults import checked_label, fail_time, fault_of

Array = np.ndarray
FAULTS = ("dead", "frozen", "stuck")
XYZ, XYZW = ("x", "y", "z"), ("x", "y", "z", "w")
_PI = {np.pi: "π", 2.0 * np.pi: "2π"}
Place = str | tuple[str, ArrayLike]


@dataclass(frozen=True, eq=False, kw_only=True)
class Sensor(Element):
    """A sensor: it only looks. Errors are of its readings, one number for all of them or one for each.

    Parameters
    ----------
    bias : float or (n,)
        Constant error.
    noise : float or (n,)
        Standard deviation of the white noise of each reading; it needs a period.
    random_walk : float or (n,)
        How fast the bias wanders [unit/√s]: after a time t by random_walk √t (1 sigma); it needs a period.
    period : float, optional
        Time between its instants [s], from the start on; between them the reading stays. Without one it measures all
        the time.
    delay : float
        How much later a reading is there [s]: a multiple of the period.
    seed : int
        Noise depends on the seed, on the sensor's name, on the robot's number in a batch and on that of the instant,
        and on nothing else.
    fail_at : float
        When it fails [s]; the instant at that time is the last one.
    fault : str
        How: 'dead', it reads zeros; 'frozen', its last reading stays; 'stuck', it reads `stuck`.
    stuck : float or (n,)
        What a stuck sensor reads.
    name : str, optional
        For laws and the record: an identifier.
    """

    bias: ArrayLike = 0.0
    noise: ArrayLike = 0.0
    random_walk: ArrayLike = 0.0
    period: float | None = None
    delay: float = 0.0
    seed: int = 0
    fail_at: float = np.inf
    fault: str = "dead"
    stuck: ArrayLike = 0.0
    name: str | None = None

    errors: ClassVar[int] = 3  # number of components of its error
    accounts: ClassVar[tuple[Account, ...]] = ()
    pushes_bodies: ClassVar[bool] = False

    @property
    def kind_name(self) -> str:
        """What messages call it."""
        return type(self).__name__

    @property
    def readings(self) -> int:
        """How many numbers it reads."""
        return sum(block.size for block in self.channels)

    @property
    def limits(self) -> tuple[ArrayLike, ArrayLike]:
        """Largest reading, and the step between readings: infinite and zero unless a kind has them."""
        return np.inf, 0.0

    def __post_init__(self) -> None:
        what = self.kind_name
        for name in ("bias", "noise", "random_walk"):
            object.__setattr__(self, name, self._each(name, getattr(self, name), self.errors))
        object.__setattr__(self, "stuck", self._each("stuck", self.stuck, self.readings))
        for name in ("noise", "random_walk"):
            if (np.asarray(getattr(self, name)) < 0.0).any():
                raise InputError(f"{what}: {name} must not be negative, got {np.asarray(getattr(self, name)).tolist()}")
        if self.period is not None:
            object.__setattr__(self, "period", one_number(f"{what}: period", self.period, "a time [s]"))
            if not self.period > 0.0:
                raise InputError(f"{what}: period must be a positive time [s], got {self.period}")
        object.__setattr__(self, "delay", one_number(f"{what}: delay", self.delay, "a time [s]"))
        object.__setattr__(self, "fail_at", fail_time(what, self.fail_at))
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or not 0 <= self.seed < 2**64:
            raise InputError(f"{what}: seed must be an integer from 0 to 2**64 - 1, got {self.seed!r}")
        fault_of(what, self.fault, FAULTS)
        checked_label(what, self.name)
        self._check_instants()

    def _each(self, name: str, value: Any, count: int) -> Array:
        """One finite number for each component."""
        wanted = "a finite number" if count == 1 else f"a finite number or {count} of them"
        given = finite_array(f"{self.kind_name}: {name}", value, wanted, [(), (count,)])
        return np.broadcast_to(given, count).copy()

    def _check_instants(self) -> None:
        """Raise where something needs a period, and where the delay is no multiple of it."""
        needs = [name for name in ("noise", "random_walk", "delay") if np.any(np.asarray(getattr(self, name)) != 0.0)]
        needs += ["quantum"] if np.any(np.asarray(self.limits[1]) != 0.0) else []
        needs += ["fault='frozen'"] if self.fault == "frozen" and np.isfinite(self.fail_at) else []
        if self.period is None and needs:
            raise InputError(f"{self.kind_name}: {needs[0]} needs a sampling period [s]")
        if self.delay < 0.0 or (self.delay > 0.0 and abs(self.delay / self.period - self.wait) > 1e-9 * self.wait):  # type: ignore[operator]
            raise InputError(
                f"{self.kind_name}: delay must be a multiple of the period, {self.period} s, got {self.delay}"
            )
        if self.wait > 10_000:
            raise InputError(f"{self.kind_name}: delay must be at most 10000 periods, got {self.wait}")

    @property
    def wait(self) -> int:
        """Delay of a reading in periods."""
        return 0 if self.period is None else round(self.delay / self.period)

    @property
    def is_noisy(self) -> bool:
        """Whether it draws random numbers."""
        return bool(np.asarray(self.noise).any() or np.asarray(self.random_walk).any())

    @property
    def samples(self) -> tuple[Block, ...]:  # type: ignore[override]
        """Drift, noise and delayed readings of a sensor with a period."""
        if self.period is None:
            return ()
        unit = self.channels[0].unit if self.errors == self.readings else ""
        named = XYZ if self.errors == 3 else ()
        drawn = tuple(Block(one, self.errors, unit, named) for one in ("drift", "noise") if self.is_noisy)
        return (*drawn, Block("held", self.readings * (1 + self.wait), unit))

    @property
    def label(self) -> str:
        """What laws and the record call it."""
        given: Any = getattr(self, "at", None) or getattr(self, "joint", "")
        where = given if isinstance(given, str) else given[0]
        made = "".join(f"_{c.lower()}" if c.isupper() else c for c in self.kind_name).lstrip("_")
        return self.name or f"{made}_" + "".join(c if c.isalnum() else "_" for c in where)

    @property
    def breaks(self) -> tuple[float, ...]:
        """When it fails."""
        return (self.fail_at,) if np.isfinite(self.fail_at) else ()

    @property
    def faults(self) -> tuple[tuple[float, str], ...]:
        """When it fails [s], and how."""
        return tuple((when, self.fault) for when in self.breaks)

    def numbers_with(self, integers: tuple[int, ...], numbers: Array) -> Numbers:
        """Parameters for its kernel: those of all sensors, then its own."""
        walk = np.asarray(self.random_walk) * np.sqrt(self.period or 0.0)
        errors = np.column_stack([np.asarray(self.bias), np.asarray(self.noise), walk])
        most, quantum = (np.broadcast_to(np.asarray(one), self.readings) for one in self.limits)
        stuck = np.asarray(self.stuck) if self.fault == "stuck" else np.zeros(self.readings)
        readings = np.column_stack([np.minimum(most, 1e300), quantum, stuck])
        way = {"dead": DEAD, "frozen": FROZEN, "stuck": STUCK}[self.fault]
        seed, stream = (self.seed & 0xFFFFFFFF, self.seed >> 32), crc32(self.label.encode())
        first = (*seed, stream, self.wait, way, int(self.period is not None), self.errors, self.readings)
        return Numbers(
            (*first, int(self.is_noisy), *integers), np.concatenate([errors.ravel(), readings.ravel(), numbers])
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class AlignedSensor(Sensor):
    """A sensor with axes of its own.

    Parameters
    ----------
    rotation : (3, 3), (4,) or Rotation
        Its axes in those of the endpoint or body that it is at: a matrix whose columns they are, or a quaternion
        (x, y, z, w).
    misalignment : (3,)
        By which its true axes are turned from these, a rotation vector in them [rad].
    """

    rotation: Any = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    misalignment: ArrayLike = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "rotation", rotation_of(f"{self.kind_name}: rotation", self.rotation))
        object.__setattr__(self, "misalignment", three(self.kind_name, "misalignment", self.misalignment))

    def aligned(self, model: Model, at: Place) -> tuple[int, Array, Array]:
        """Of a point: its body as the kernels number it, the sensor's axes and its place on it."""
        body, axes, place = point_with_axes(model, at)
        return (
            body,
            axes @ np.asarray(self.rotation) @ rotation_quaternion(exponential(np.asarray(self.misalignment))),
            place,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class MountedSensor(AlignedSensor):
    """A sensor that sits on a body, `at` a point."""

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "at", place_of(f"{self.kind_name}: at", getattr(self, "at")))  # noqa: B009

    def mounted(self, model: Model) -> tuple[int, Array, Array]:
        """Its body as the kernels number it, its axes and its place on it."""
        return self.aligned(model, getattr(self, "at"))  # noqa: B009


def place_of(what: str, given: Any) -> Place:
    """An endpoint or a body by its name, or (body, place in its frame)."""
    if isinstance(given, str):
        return given
    if not (isinstance(given, tuple | list) and len(given) == 2 and isinstance(given[0], str)):
        raise InputError(f"{what} is an endpoint, a body, or (body, place), got {given!r}")
    return given[0], three(what, "the place", given[1])


def point_with_axes(model: Model, given: Place) -> tuple[int, Array, Array]:
    """A point as the kernels have it: the number of its body, its axes in the body's, its place on it."""
    turn: Array = np.eye(3)
    if isinstance(given, str) and given in model.endpoint_names:
        end = model.endpoint(given)
        body, place, turn = end.body, np.asarray(end.position), np.asarray(end.rotation)
    else:
        body, place = (given, np.zeros(3)) if isinstance(given, str) else (given[0], np.asarray(given[1]))
    number, inside = point_of(model, body, place)
    return number, model.flat.to_internal[model.body_index(body)] @ turn, inside


def body_of(model: Model, given: Place) -> str:
    """The name of the body that a point is on."""
    if isinstance(given, str):
        return model.endpoint(given).body if given in model.endpoint_names else given
    return given[0]


def rotation_of(what: str, given: Any) -> Array:
    """A rotation matrix of what may be one, a quaternion (x, y, z, w), or a Rotation."""
    if isinstance(given, Rotation):
        given = given.as_matrix()
    array = finite_array(what, given, "a rotation matrix or a quaternion (x, y, z, w)", [(3, 3), (4,)])
    if array.shape == (4,):
        if not np.linalg.norm(array) > 0.0:
            raise InputError(f"{what}: a quaternion cannot be zero")
        array = rotation_quaternion(array / np.linalg.norm(array))
    if not np.allclose(array @ array.T, np.eye(3), atol=1e-9) or np.linalg.det(array) < 0.0:
        raise InputError(f"{what} must be a rotation: columns of unit length, at right angles, right-handed")
    return array


def positive(sensor: Sensor, limit: str, quantum: str) -> None:
    """Check and keep its largest reading, a positive number, and the step between readings, zero or positive."""
    count, what = sensor.readings, sensor.kind_name
    for name in (limit, quantum):
        words = f"a number or {count} of them"
        given = array_of_limits(f"{what}: {name}", getattr(sensor, name), words, [(), (count,)])
        if (
            (given < 0.0).any()
            or (name == limit and (given == 0.0).any())
            or (name == quantum and np.isinf(given).any())
        ):
            raise InputError(
                f"{what}: {name} must be {'positive' if name == limit else 'zero or positive'}, got {given}"
            )
        object.__setattr__(sensor, name, float(given) if count == 1 else np.broadcast_to(given, count).copy())


def set_steps(sensor: Sensor, name: str, count: int) -> None:
    """Check and keep steps between readings: zero or positive numbers, one stands for all."""
    given = finite_array(f"{sensor.kind_name}: {name}", getattr(sensor, name), "zero or positive", [(), (count,)])
    if (given < 0.0).any():
        raise InputError(f"{sensor.kind_name}: {name} must be zero or positive, got {given.tolist()}")
    object.__setattr__(sensor, name, np.broadcast_to(given, count).copy())


def set_angle(sensor: Sensor, name: str, most: float) -> None:
    """Check and keep an angle, positive and up to `most` [rad]."""
    angle = one_number(f"{sensor.kind_name}: {name}", getattr(sensor, name), "an angle [rad]")
    if not 0.0 < angle <= most:
        raise InputError(f"{sensor.kind_name}: {name} must be an angle up to {_PI[most]} [rad], got {angle}")
    object.__setattr__(sensor, name, angle)


def set_largest(sensor: Sensor, name: str, unit: str) -> None:
    """Check and keep a positive number, which may be infinite."""
    value = real_number(f"{sensor.kind_name}: {name}", getattr(sensor, name))
    if not value > 0.0:
        raise InputError(f"{sensor.kind_name}: {name} must be positive [{unit}], got {value}")
    object.__setattr__(sensor, name, value)


def squared(largest: float) -> float:
    """The square of a number that may be infinite or large, as kernels compare with it."""
    return min(largest, 1e150) ** 2
