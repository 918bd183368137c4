"""Star trackers: the attitude of a body."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..kernels.elements.kind import Kind
from ..kernels.elements.star_tracker import star_tracker
from ..model.model import Model
from ..signatures import checked_fields
from .element import Block, Numbers, direction
from .sensor import XYZW, MountedSensor, Place, set_angle, set_largest, set_steps, squared


@checked_fields("at", "rotation")
@dataclass(frozen=True, eq=False)
class StarTracker(MountedSensor):
    """A star tracker: its attitude in the inertial frame, `s.<name>.attitude`, a quaternion (x, y, z, w) with w >= 0.

    Its error is a rotation vector in its own axes [rad], of which `bias`, `noise` and `random_walk` have three numbers:
    it looks along its z axis and is worse about z. Dead, blinded by the Sun or turned too fast it reads zeros, which is
    no quaternion: let laws keep what they had. `period`, `delay`, `rotation`, `misalignment`, `seed` and faults
    (`fail_at`, `fault`, `stuck`) are those of every sensor: see the page "Devices".

    Parameters
    ----------
    at : str or (str, (3,))
        Where it sits: an endpoint, a body, or (body, place in its frame).
    max_rate : float
        Of its body, above which stars smear and it sees none [rad/s]; no limit if left out.
    sun : (3,), optional
        Direction to the Sun, inertial axes.
    sun_exclusion : float
        Angle between its z axis and the Sun within which it is blinded [rad].
    quantum : float or (4,)
        Step between readings of the quaternion's components, which is then a unit one to that step; it needs a period.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> stars = sd.StarTracker(robot.body_names[0], period=0.25, noise=[2e-5, 2e-5, 2e-4], name="stars")
    >>> run = sd.simulate(robot, robot.neutral_state(), 1.0, elements=[stars], record=1.0)
    >>> run["stars.attitude"].shape, bool(abs(run["stars.attitude"] - [0, 0, 0, 1]).max() < 1e-3)
    ((2, 4), True)
    """

    at: Place
    max_rate: float = np.inf
    sun: ArrayLike | None = None
    sun_exclusion: float | None = None
    quantum: ArrayLike = 0.0

    channels: ClassVar[tuple[Block, ...]] = (Block("attitude", 4, "1", XYZW),)
    kernel: ClassVar[Kind] = star_tracker

    def __post_init__(self) -> None:
        set_largest(self, "max_rate", "rad/s")
        set_steps(self, "quantum", 4)
        if (self.sun is None) != (self.sun_exclusion is None):
            raise InputError("StarTracker: the Sun blinds it if both sun, its direction, and sun_exclusion are given")
        if self.sun is not None:
            object.__setattr__(self, "sun", direction("StarTracker", "sun", self.sun))
            set_angle(self, "sun_exclusion", np.pi)
        super().__post_init__()

    @property
    def limits(self) -> tuple[ArrayLike, ArrayLike]:
        """No largest reading; the step between readings."""
        return np.inf, self.quantum

    def numbers(self, model: Model) -> Numbers:
        """Its body; its axes on it, its largest rate, the Sun and the edge of its cone."""
        body, axes, _ = self.mounted(model)
        sun = np.zeros(3) if self.sun is None else np.asarray(self.sun)
        edge = 2.0 if self.sun_exclusion is None else np.cos(self.sun_exclusion)
        return self.numbers_with((body,), np.concatenate([axes.ravel(), [squared(self.max_rate)], sun, [edge]]))
