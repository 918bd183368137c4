"""Encoders: coordinates of joints."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..kernels.elements.encoder import encoder
from ..kernels.elements.kind import Kind
from ..model.model import Model
from ..signatures import checked_fields
from .element import Block, Numbers, rate_of
from .sensor import Sensor, positive


@checked_fields()
@dataclass(frozen=True, eq=False)
class Encoder(Sensor):
    """An encoder: the coordinate of a joint, `s.<name>.angle` [rad or m].

    Errors (`bias`, `noise`, `random_walk`), `period`, `delay`, `seed` and faults (`fail_at`, `fault`, `stuck`) are
    those of every sensor: see the page "Devices".

    Parameters
    ----------
    joint : str
        A joint with one rate.
    limit : float
        Largest reading [rad or m].
    quantum : float
        Step between readings [rad or m]: 2π over the counts of a turn; it needs a period.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> counts = sd.Encoder("joint2", period=0.01, quantum=0.01, name="counts")
    >>> run = sd.simulate(robot, robot.state(q=[0, 0.1234, 0, 0]), 0.1, elements=[counts], record=0.1)
    >>> float(run["angle"][0, 0].round(9))
    0.12
    """

    joint: str
    limit: float = np.inf
    quantum: float = 0.0

    errors: ClassVar[int] = 1
    channels: ClassVar[tuple[Block, ...]] = (Block("angle", unit="rad or m"),)
    kernel: ClassVar[Kind] = encoder

    def __post_init__(self) -> None:
        positive(self, "limit", "quantum")
        super().__post_init__()

    @property
    def limits(self) -> tuple[float, float]:
        """Largest reading and the step between readings."""
        return self.limit, self.quantum

    def numbers(self, model: Model) -> Numbers:
        """The joint's coordinate."""
        rate_of(model, "Encoder", self.joint)
        return self.numbers_with((7 + model.q_slice(self.joint).start,), np.empty(0))
