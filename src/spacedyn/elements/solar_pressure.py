"""Pressure of sunlight on flat plates."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..kernels.elements.kind import Kind
from ..kernels.elements.solar_pressure import solar_pressure
from ..model.model import Model
from ..model.state import State
from ..orbit.constants import EARTH_RADIUS, SOLAR_PRESSURE
from ..orbit.sun_and_moon import days_since_j2000
from ..reals import one_number
from ..signatures import checked_fields
from .element import Block, Element, Numbers, WrenchPoint, three
from .paths import check_reach, checked_table, path_numbers
from .plates import check_above, plate_numbers, set_plates


@checked_fields()
@dataclass(frozen=True, eq=False)
class SolarPressure(Element):
    """Pressure of sunlight on flat plates of a body, with the planet's shadow.

    f = -P light A cosθ [(1 - specular) e + 2 (specular cosθ + diffuse/3) n] on plates that face the Sun, e toward it.
    `light` is the visible share of its disc, recorded: 1 in the sun, 0 in the umbra, between in the penumbra. Steps end
    where the penumbra begins and ends, and where a plate turns edge-on. Plates do not shade each other. Work and
    impulse are in the ledger, and the wrench at the body's centre of mass is recorded.

    Parameters
    ----------
    body : str
        What carries the plates.
    normals : (3,) or (plates, 3)
        Outward, in the body's frame. A thin panel has two plates: `sd.orbit.panel_plates`, `box_plates`.
    areas : float or (plates,)
        [m²].
    points : (3,) or (plates, 3)
        Centres of the plates, in the body's frame [m].
    specular, diffuse : float or (plates,)
        Shares of the light that are reflected as by a mirror, and in all directions; the rest is absorbed.
    epoch : str, optional
        Date and time (UTC) of t = 0, for the Sun's place; J2000 if left out.
    sun : (3,), optional
        A fixed place of the Sun instead, from the planet's centre [m].
    times, positions : (n,), (n, 3), optional
        The Sun's path instead [s, m], as `sd.orbit.position_of` gives it.
    pressure : float
        At 1 AU [N/m²].
    radius : float
        Of the planet, at the frame's origin, that casts the shadow [m]; 0: no shadow.
    name : str, optional
        For the record.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> start = sd.orbit.orbit_state(robot, sd.orbit.OrbitalElements(6.928e6))
    >>> bus = robot.body_names[0]
    >>> light = sd.SolarPressure(bus, (1, 0, 0), 10.0, specular=0.2, diffuse=0.3, sun=(sd.orbit.AU, 0, 0))
    >>> run = sd.simulate(robot, start, 10.0, elements=[sd.CentralGravity(), light], record=10.0)
    >>> float(run["light"][0, 1]), run.audit().within_budget
    (1.0, True)
    """

    body: str
    normals: ArrayLike
    areas: ArrayLike
    points: ArrayLike = (0.0, 0.0, 0.0)
    specular: ArrayLike = 0.0
    diffuse: ArrayLike = 0.0
    epoch: str | None = None
    sun: ArrayLike | None = None
    times: ArrayLike | None = None
    positions: ArrayLike | None = None
    pressure: float = SOLAR_PRESSURE
    radius: float = EARTH_RADIUS
    name: str | None = None

    channels: ClassVar[tuple[Block, ...]] = (Block("light"),)
    kernel: ClassVar[Kind] = solar_pressure

    def __post_init__(self) -> None:
        set_plates(self, "specular", "diffuse")
        if np.any(np.asarray(self.specular) + np.asarray(self.diffuse) > 1.0):
            raise InputError("SolarPressure: specular and diffuse are shares of the light: together at most 1")
        for name in ("pressure", "radius"):
            value = one_number(f"SolarPressure: {name}", getattr(self, name), "zero or a positive number")
            if value < 0.0:
                raise InputError(f"SolarPressure: {name} must be zero or positive, got {value}")
            object.__setattr__(self, name, value)
        if self.epoch is not None:
            days_since_j2000(self.epoch)
        times, positions = checked_table("SolarPressure", self.times, self.positions)
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "positions", positions)
        if self.sun is not None:
            sun = three("SolarPressure", "sun", self.sun)
            if times is not None:
                raise InputError("SolarPressure: give the Sun's place or its path, not both")
            if not np.linalg.norm(sun) > 0.0:
                raise InputError(
                    "SolarPressure: sun is where the Sun is, from the planet's centre [m]; it is not there"
                )
            object.__setattr__(self, "sun", sun)

    @property
    def label(self) -> str:
        """What it is called in the record."""
        return self.name or f"sunlight on {self.body}"

    @property
    def guards(self) -> int:
        """One for each plate; two for the penumbra, if there is a shadow."""
        return len(np.asarray(self.areas)) + 2 * (self.radius > 0.0)

    def check_start(self, state: State, span: tuple[float, float], others: Sequence[Element]) -> None:
        """Raise if the robot starts inside the planet, or the Sun's path does not cover the run."""
        check_above(f"SolarPressure '{self.label}'", state, self.radius, np.zeros(3), others)
        check_reach(f"SolarPressure '{self.label}'", self.times, span)

    def numbers(self, model: Model) -> Numbers:
        """Body, the Sun's path, whether there is a shadow, plates; pressure, the planet's radius, plates, the path."""
        body, plates = plate_numbers(self, model, "specular", "diffuse")
        path, sun = path_numbers("sun", self.epoch, self.sun, self.times, self.positions)
        integers = (body, path, int(self.radius > 0.0), len(np.asarray(self.areas)))
        return Numbers(integers, np.concatenate([[self.pressure, self.radius], plates, sun]))

    def wrenches(self, model: Model) -> tuple[WrenchPoint, ...]:
        """The body's centre of mass."""
        return (WrenchPoint(self.body, np.asarray(model.bodies[model.body_index(self.body)].com)),)
