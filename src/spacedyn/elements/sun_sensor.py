"""Sun sensors: the direction to the Sun."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..kernels.elements.kind import Kind
from ..kernels.elements.sun_sensor import sun_sensor
from ..model.model import Model
from ..reals import one_number
from ..signatures import checked_fields
from .element import Block, Numbers, direction, three
from .sensor import XYZ, MountedSensor, Place, set_angle, set_steps


@checked_fields("at", "rotation")
@dataclass(frozen=True, eq=False)
class SunSensor(MountedSensor):
    """A sun sensor: the direction to the Sun in its own axes, `s.<name>.direction` (3), and whether it sees it, `lit`.

    It looks along its z axis. Where the Sun is outside its field of view, or a planet is before it (whose shadow is a
    cylinder), it reads zeros. Its error is added to the direction, which is made a unit vector again. `bias`, `noise`,
    `random_walk`, `period`, `delay`, `rotation`, `misalignment`, `seed` and faults (`fail_at`, `fault`, `stuck`) are
    those of every sensor: see the page "Devices".

    Parameters
    ----------
    at : str or (str, (3,))
        Where it sits: an endpoint, a body, or (body, place in its frame).
    sun : (3,)
        Direction to the Sun, inertial axes.
    field_of_view : float
        Full angle of the cone that it sees [rad]; all directions if left out.
    quantum : float or (3,)
        Step between readings of the direction's components, which is then a unit vector to that step; it needs a
        period.
    planet_radius : float
        Of a planet that casts a shadow [m]; none if left out.
    planet_center : (3,)
        Where it is, in the inertial frame [m].

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> eye = sd.SunSensor(robot.body_names[0], sun=[0, 3.0, 4.0], field_of_view=2.0, name="eye")
    >>> run = sd.simulate(robot, robot.neutral_state(), 1.0, elements=[eye], record=1.0)
    >>> run["eye.direction"][0].round(9).tolist(), float(run["lit"][0, 0])
    ([0.0, 0.6, 0.8], 1.0)
    """

    at: Place
    sun: ArrayLike
    field_of_view: float = 2.0 * np.pi
    planet_radius: float = 0.0
    planet_center: ArrayLike = (0.0, 0.0, 0.0)
    quantum: ArrayLike = 0.0

    channels: ClassVar[tuple[Block, ...]] = (Block("direction", 3, "1", XYZ), Block("lit", unit="1"))
    kernel: ClassVar[Kind] = sun_sensor

    def __post_init__(self) -> None:
        object.__setattr__(self, "sun", direction("SunSensor", "sun", self.sun))
        set_angle(self, "field_of_view", 2.0 * np.pi)
        object.__setattr__(self, "planet_radius", one_number("SunSensor: planet_radius", self.planet_radius))
        if self.planet_radius < 0.0:
            raise InputError(f"SunSensor: planet_radius must not be negative [m], got {self.planet_radius}")
        object.__setattr__(self, "planet_center", three("SunSensor", "planet_center", self.planet_center))
        set_steps(self, "quantum", 3)
        super().__post_init__()

    @property
    def limits(self) -> tuple[ArrayLike, ArrayLike]:
        """No largest reading; the step between readings, but for `lit`."""
        return np.inf, np.append(self.quantum, 0.0)

    def numbers(self, model: Model) -> Numbers:
        """Its body; its axes and place, the Sun, the planet, the edge of its field of view."""
        body, axes, place = self.mounted(model)
        edge = -2.0 if self.field_of_view >= 2.0 * np.pi else np.cos(0.5 * self.field_of_view)
        planet = [*np.asarray(self.planet_center), self.planet_radius**2]
        return self.numbers_with((body,), np.concatenate([axes.ravel(), place, np.asarray(self.sun), planet, [edge]]))
