"""Accelerometers: acceleration of a point, without gravity."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..kernels.elements.accelerometer import KEPT, expect_acceleration, settle_acceleration
from ..kernels.elements.kind import Kind
from ..model.model import Model
from ..signatures import checked_fields
from .element import Block, Numbers
from .sensor import XYZ, MountedSensor, Place, body_of, positive


@checked_fields("at", "rotation")
@dataclass(frozen=True, eq=False)
class Accelerometer(MountedSensor):
    """An accelerometer: the specific force at its point, in its own axes, `s.<name>.specific_force` (3) [m/s²].

    That is the acceleration of the point less the acceleration of gravity there: on a robot that falls freely it is
    zero, at rest on the ground it points up. Uniform gravity and gravity fields are left out alike; a field is taken at
    the body's centre of mass with its gradient. Accelerations depend on what laws command at the same instant: without
    a period, only sampled laws can read it. Errors (`bias`, `noise`, `random_walk`), `period`, `delay`, `rotation`,
    `misalignment`, `seed` and faults (`fail_at`, `fault`, `stuck`) are those of every sensor: see the page "Devices".

    Parameters
    ----------
    at : str or (str, (3,))
        Where it sits: an endpoint, a body, or (body, place in its frame).
    limit : float or (3,)
        Largest reading [m/s²].
    quantum : float or (3,)
        Step between readings [m/s²]; it needs a period.

    Examples
    --------
    A tenth of a newton on a satellite of 2 900 kg and more.

    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> bus = robot.body_names[0]
    >>> feel = sd.Accelerometer((bus, robot.bodies[0].com), name="feel")
    >>> push = sd.Wrench(bus, force=(0.1, 0, 0), point=robot.bodies[0].com)
    >>> run = sd.simulate(robot, robot.neutral_state(), 1.0, elements=[feel, push], gravity=[0, 0, -9.81], record=1.0)
    >>> bool(0 < run["feel.specific_force"][0, 0] < 1e-4), bool(abs(run["feel.specific_force"][0, 2]) < 1e-4)
    (True, True)
    """

    at: Place
    limit: ArrayLike = np.inf
    quantum: ArrayLike = 0.0

    channels: ClassVar[tuple[Block, ...]] = (Block("specific_force", 3, "m/s^2", XYZ),)
    kernel: ClassVar[Kind] = expect_acceleration
    settles: ClassVar[Kind] = settle_acceleration
    kept: ClassVar[int] = KEPT
    feels_fields: ClassVar[bool] = True

    def __post_init__(self) -> None:
        positive(self, "limit", "quantum")
        super().__post_init__()

    @property
    def limits(self) -> tuple[ArrayLike, ArrayLike]:
        """Largest reading and the step between readings."""
        return self.limit, self.quantum

    @property
    def is_late(self) -> bool:
        """Without a period its reading is of this instant's accelerations."""
        return self.period is None

    def attached_to(self, model: Model) -> tuple[str, ...]:
        """Its body, whose acceleration it needs."""
        return (body_of(model, self.at),)

    def numbers(self, model: Model) -> Numbers:
        """Its body; its axes and place on it."""
        body, axes, place = self.mounted(model)
        return self.numbers_with((body,), np.concatenate([axes.ravel(), place]))
