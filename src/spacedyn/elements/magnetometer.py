"""Magnetometers: the magnetic field at a body."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..kernels.elements.kind import Kind
from ..kernels.elements.magnetometer import magnetometer
from ..model.model import Model
from ..signatures import checked_fields
from .element import Block, Numbers
from .magnetic_field import EARTH, MagneticField, field_of
from .sensor import XYZ, MountedSensor, Place, positive


@checked_fields("at", "rotation", "field")
@dataclass(frozen=True, eq=False)
class Magnetometer(MountedSensor):
    """A magnetometer: the magnetic field where it is, in its own axes, `s.<name>.field` (3) [T].

    It does not feel what magnetorquers do. Errors (`bias`, `noise`, `random_walk`), `period`, `delay`, `rotation`,
    `misalignment`, `seed` and faults (`fail_at`, `fault`, `stuck`) are those of every sensor: see the page "Devices".

    Parameters
    ----------
    at : str or (str, (3,))
        Where it sits: an endpoint, a body, or (body, place in its frame).
    field : MagneticField
        The field that it is in; the Earth's of 2025 if left out.
    limit : float or (3,)
        Largest reading [T].
    quantum : float or (3,)
        Step between readings [T]; it needs a period.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot, field = sd.load("ets7"), sd.MagneticField(uniform=[0, 0, 2e-5])
    >>> compass = sd.Magnetometer(robot.body_names[0], field=field, name="compass")
    >>> run = sd.simulate(robot, robot.neutral_state(), 1.0, elements=[compass], record=1.0)
    >>> run["compass.field"][0].tolist()
    [0.0, 0.0, 2e-05]
    """

    at: Place
    field: MagneticField = EARTH
    limit: ArrayLike = np.inf
    quantum: ArrayLike = 0.0

    channels: ClassVar[tuple[Block, ...]] = (Block("field", 3, "T", XYZ),)
    kernel: ClassVar[Kind] = magnetometer

    def __post_init__(self) -> None:
        positive(self, "limit", "quantum")
        object.__setattr__(self, "field", field_of("Magnetometer", self.field))
        super().__post_init__()

    @property
    def limits(self) -> tuple[ArrayLike, ArrayLike]:
        """Largest reading and the step between readings."""
        return self.limit, self.quantum

    def numbers(self, model: Model) -> Numbers:
        """Its body and the degree of its field; its axes and place, the field."""
        body, axes, place = self.mounted(model)
        numbers = np.concatenate([axes.ravel(), place, self.field.numbers()])
        return self.numbers_with((body, self.field.harmonics), numbers)
