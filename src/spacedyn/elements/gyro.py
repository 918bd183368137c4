"""Gyros: angular velocity of a body."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..kernels.elements.gyro import gyro
from ..kernels.elements.kind import Kind
from ..model.model import Model
from ..signatures import checked_fields
from .element import Block, Numbers
from .sensor import XYZ, MountedSensor, Place, positive


@checked_fields("at", "rotation")
@dataclass(frozen=True, eq=False)
class Gyro(MountedSensor):
    """A gyro: the angular velocity of its body in its own axes, `s.<name>.angular_velocity` (3) [rad/s].

    Errors (`bias`, `noise`, `random_walk`), `period`, `delay`, `rotation`, `misalignment`, `seed` and faults
    (`fail_at`, `fault`, `stuck`) are those of every sensor: see the page "Devices".

    Parameters
    ----------
    at : str or (str, (3,))
        Where it sits: an endpoint, a body, or (body, place in its frame).
    limit : float or (3,)
        Largest reading [rad/s].
    quantum : float or (3,)
        Step between readings [rad/s]; it needs a period.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> imu = sd.Gyro(robot.body_names[0], period=0.1, bias=[1e-3, 0, 0], name="imu")
    >>> run = sd.simulate(robot, robot.state(base_rate=[0.01, 0.02, 0.0]), 1.0, elements=[imu], record=0.5)
    >>> run["imu.angular_velocity"][0].round(9).tolist()
    [0.011, 0.02, 0.0]
    """

    at: Place
    limit: ArrayLike = np.inf
    quantum: ArrayLike = 0.0

    channels: ClassVar[tuple[Block, ...]] = (Block("angular_velocity", 3, "rad/s", XYZ),)
    kernel: ClassVar[Kind] = gyro

    def __post_init__(self) -> None:
        positive(self, "limit", "quantum")
        super().__post_init__()

    @property
    def limits(self) -> tuple[ArrayLike, ArrayLike]:
        """Largest reading and the step between readings."""
        return self.limit, self.quantum

    def numbers(self, model: Model) -> Numbers:
        """Its body; its axes on it."""
        body, axes, _ = self.mounted(model)
        return self.numbers_with((body,), axes.ravel())
