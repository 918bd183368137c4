"""Motion near a circular orbit, and attitude under its gravity gradient alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError, UnknownName
from ..kernels.elements.hill_frame import ABOUT_COM, STILL, TURNING, hill_frame
from ..kernels.elements.kind import Kind
from ..model.model import Model
from ..model.state import State
from ..reals import one_number
from ..signatures import checked_fields
from .element import Account, Element, Numbers, direction

_AXES = {"turning": TURNING, "still": STILL}


def _mean_motion(what: str, value: float) -> float:
    rate = one_number(f"{what}: mean_motion", value, "a positive number")
    if not rate > 0.0:
        raise InputError(f"{what}: mean_motion must be positive [rad/s], got {rate}; sd.orbit.mean_motion(a) has it")
    return rate


@checked_fields()
@dataclass(frozen=True, eq=False)
class HillFrame(Element):
    """Simulate relative to a circular orbit: the frame is Hill's, and gravity linear (Clohessy and Wiltshire).

    In turning axes, x up, y ahead, z along the orbit's normal, every body feels n² (3x, 0, -z) - 2 n z × v, and the
    moments that go with it: base position, attitude and rates are relative to these axes. In still axes, which are
    Hill's at t = 0, it feels n² (3 e e·d - d) with e(t) up. Errors are of the size of distance over the orbit's radius:
    1e-5 at 100 m. Turning axes have a potential, which is stored in the ledger; in still ones it does work.

    Parameters
    ----------
    mean_motion : float
        Angular rate of the orbit [rad/s]: `sd.orbit.mean_motion(a)`.
    axes : str
        'turning' or 'still'.
    name : str, optional
        For the record.

    Examples
    --------
    >>> import spacedyn as sd
    >>> b = sd.Builder("chaser")
    >>> b.base("chaser", mass=500.0, inertia=(100.0, 120.0, 140.0))
    >>> robot = b.build()
    >>> start = robot.state(base_position=[100, -200, 50], base_velocity=[0.1, -0.05, 0.02])
    >>> run = sd.simulate(robot, start, 600.0, elements=[sd.HillFrame(0.0011)])
    >>> run.final.base_position.round(6).tolist()
    [199.648611, -287.788911, 50.647191]
    """

    mean_motion: float
    axes: str = "turning"
    name: str | None = None

    accounts: ClassVar[tuple[Account, ...]] = (Account.STORED, Account.WORK)
    is_field: ClassVar[bool] = True
    kernel: ClassVar[Kind] = hill_frame

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean_motion", _mean_motion("HillFrame", self.mean_motion))
        if self.axes not in _AXES:
            raise UnknownName("axes of HillFrame()", self.axes, list(_AXES))

    @property
    def label(self) -> str:
        """What it is called in the record."""
        return self.name or "hill frame"

    def check_start(self, state: State, span: tuple[float, float], others: Sequence[Element]) -> None:
        """Raise if another element moves the frame, too."""
        if any(one.carries_frame for one in others) or sum(isinstance(one, HillFrame) for one in others) > 1:
            raise InputError("HillFrame: the frame has one motion; leave out other HillFrames and the OrbitingOrigin")

    def numbers(self, model: Model) -> Numbers:
        """The axes; rate, up and ahead at t = 0."""
        return Numbers((_AXES[self.axes],), np.array([self.mean_motion, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]))


@checked_fields()
@dataclass(frozen=True, eq=False)
class GravityGradient(Element):
    """The gravity gradient of a circular orbit alone: a robot turns and bends in it, and its centre of mass stays.

    Every body feels m n² (3 e e·d - d), with d from the robot's centre of mass and e(t) up, and the moment
    3 n² e × J e. In axes that do not turn; the total force is zero. What it does is work.

    Parameters
    ----------
    mean_motion : float
        Angular rate of the orbit [rad/s]: `sd.orbit.mean_motion(a)`.
    up, normal : (3,)
        Up at t = 0, and the orbit's normal, inertial axes; at right angles.
    name : str, optional
        For the record.

    Examples
    --------
    A long body that is at rest in Hill's axes, a little off the vertical, swings about it.

    >>> import numpy as np
    >>> import spacedyn as sd
    >>> b = sd.Builder("boom")
    >>> b.base("boom", mass=500.0, inertia=(10.0, 1000.0, 1000.0))
    >>> robot, n = b.build(), 0.0011
    >>> start = robot.state(base_attitude=sd.Rotation.from_rotvec([0, 0, 0.1]), base_rate=[0, 0, n])
    >>> run = sd.simulate(robot, start, 3300.0, elements=[sd.GravityGradient(n)])
    >>> swing = np.unwrap(run.states.base_attitude.as_rotvec()[:, 2]) - n * run.time
    >>> float(swing[0].round(3)), float(swing.min().round(3)), bool(run.audit().energy < 1e-8)
    (0.1, -0.1, True)
    """

    mean_motion: float
    up: ArrayLike = (1.0, 0.0, 0.0)
    normal: ArrayLike = (0.0, 0.0, 1.0)
    name: str | None = None

    is_field: ClassVar[bool] = True
    kernel: ClassVar[Kind] = hill_frame

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean_motion", _mean_motion("GravityGradient", self.mean_motion))
        for name in ("up", "normal"):
            object.__setattr__(self, name, direction("GravityGradient", name, getattr(self, name)))
        if abs(np.dot(np.asarray(self.up), np.asarray(self.normal))) > 1e-9:
            raise InputError("GravityGradient: up and normal must be at right angles")

    @property
    def label(self) -> str:
        """What it is called in the record."""
        return self.name or "gravity gradient"

    def numbers(self, model: Model) -> Numbers:
        """About the centre of mass; rate, up and ahead at t = 0."""
        up = np.asarray(self.up)
        return Numbers((ABOUT_COM,), np.concatenate([[self.mean_motion], up, np.cross(np.asarray(self.normal), up)]))
