"""Drag of a planet's thin air on flat plates."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError, UnknownName
from ..kernels.elements.atmosphere import AIR_NUMBERS
from ..kernels.elements.atmospheric_drag import atmospheric_drag
from ..kernels.elements.kind import Kind
from ..model.model import Model
from ..model.state import State
from ..orbit.air import AirTable, named_table, rising, spline_pieces
from ..orbit.constants import EARTH_FLATTENING, EARTH_RADIUS, EARTH_ROTATION
from ..reals import finite_array, one_number
from ..signatures import checked_fields
from .element import Block, Element, Numbers, WrenchPoint, direction
from .paths import check_reach, checked_table, path_numbers
from .plates import check_above, plate_numbers, set_plates

_LAG = np.radians(30.0)
_TABLES = ("exponential", "harris_priester")


@checked_fields()
@dataclass(frozen=True, eq=False)
class AtmosphericDrag(Element):
    """Drag of thin air, which turns with the planet, on flat plates of a body.

    f = -ρ/2 A (n·v) [drag v + lift (n·v) n] on plates that face the wind, n·v > 0; v relative to the air. Plates do not
    shade each other. Steps end where a plate turns edge-on. Work and impulse are in the ledger; `density` [kg/m³] is
    recorded, and the wrench at the body's centre of mass.

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
    drag, lift : float or (plates,)
        Coefficients along the wind (2.2 is usual) and, times the cosine of n and v, along the normal. Of Schaaf and
        Chambré's accommodation coefficients they are 2 σt and 2 (2 - σn - σt).
    air : str
        'exponential': a table at mean solar activity (Vallado); 'harris_priester': with a bulge in the afternoon.
        Between altitudes the logarithm of the density is a cubic spline.
    altitudes, densities : (n,), optional
        A table of your own instead [m, kg/m³]: `sd.orbit.msis_table`.
    epoch : str, optional
        Date and time (UTC) of t = 0, for the Sun's direction, which the bulge lags behind by 30°; J2000 if left out.
    times, positions : (n,), (n, 3), optional
        The Sun's path instead [s, m], as `sd.orbit.position_of` gives it.
    bulge : int
        Power of the bulge's cosine: 2 for orbits near the equator, 4 or 6 for polar ones.
    radius, flattening, rotation_rate : float
        Of the planet [m, -, rad/s].
    axis : (3,)
        Its axis, inertial axes. Its centre is at the frame's origin.
    name : str, optional
        For the record.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> start = sd.orbit.orbit_state(robot, sd.orbit.OrbitalElements(6.778e6))
    >>> drag = sd.AtmosphericDrag(robot.body_names[0], *sd.orbit.box_plates((2.0, 2.0, 2.5)))
    >>> run = sd.simulate(robot, start, 60.0, elements=[sd.CentralGravity(), drag], record=10.0)
    >>> f"{run['density'][0, 1]:.2e}", bool(run["element_work"][-1, 1] < -1.0), bool(run.audit().worst < 1e-10)
    ('3.73e-12', True, True)
    """

    body: str
    normals: ArrayLike
    areas: ArrayLike
    points: ArrayLike = (0.0, 0.0, 0.0)
    drag: ArrayLike = 2.2
    lift: ArrayLike = 0.0
    air: str = "exponential"
    altitudes: ArrayLike | None = None
    densities: ArrayLike | None = None
    epoch: str | None = None
    times: ArrayLike | None = None
    positions: ArrayLike | None = None
    bulge: int = 4
    radius: float = EARTH_RADIUS
    flattening: float = EARTH_FLATTENING
    rotation_rate: float = EARTH_ROTATION
    axis: ArrayLike = (0.0, 0.0, 1.0)
    name: str | None = None

    channels: ClassVar[tuple[Block, ...]] = (Block("density", unit="kg/m³"),)
    kernel: ClassVar[Kind] = atmospheric_drag

    def __post_init__(self) -> None:
        set_plates(self, "drag", "lift")
        if self.air not in _TABLES:
            raise UnknownName("air of AtmosphericDrag()", self.air, list(_TABLES))
        if (self.altitudes is None) != (self.densities is None):
            raise InputError("AtmosphericDrag: a table of your own needs both altitudes and densities")
        if self.altitudes is not None:
            heights = rising("AtmosphericDrag: altitudes", self.altitudes)
            name = "AtmosphericDrag: densities"
            rho = finite_array(name, self.densities, f"({len(heights)},) positive numbers", [heights.shape])
            if np.any(rho <= 0.0):
                raise InputError(f"{name} must be positive, got {float(rho.min())}")
            object.__setattr__(self, "altitudes", heights)
            object.__setattr__(self, "densities", rho)
            spline_pieces(self.table)  # raises now, not in a run, if the table is invalid
        if self.bulge not in (2, 4, 6):
            raise InputError(f"AtmosphericDrag: bulge must be 2, 4 or 6, got {self.bulge}")
        for name in ("radius", "flattening", "rotation_rate"):
            object.__setattr__(self, name, one_number(f"AtmosphericDrag: {name}", getattr(self, name)))
        if not (self.radius > 0.0 and 0.0 <= self.flattening < 1.0):
            raise InputError(
                "AtmosphericDrag: radius must be positive and flattening in [0, 1), "
                f"got {self.radius} and {self.flattening}"
            )
        times, positions = checked_table("AtmosphericDrag", self.times, self.positions)
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "positions", positions)
        object.__setattr__(self, "axis", direction("AtmosphericDrag", "axis", self.axis))

    @property
    def label(self) -> str:
        """What it is called in the record."""
        return self.name or f"atmospheric drag on {self.body}"

    @property
    def guards(self) -> int:
        """One for each plate."""
        return len(np.asarray(self.areas))

    @property
    def table(self) -> AirTable:
        """The table of densities."""
        if self.altitudes is None:
            return named_table(self.air)
        rho = np.asarray(self.densities)
        return AirTable(np.asarray(self.altitudes), rho, rho)

    def check_start(self, state: State, span: tuple[float, float], others: Sequence[Element]) -> None:
        """Raise if the robot starts inside the planet, or the Sun's path does not cover the run."""
        check_above(
            f"AtmosphericDrag '{self.label}'", state, self.radius * (1.0 - self.flattening), np.zeros(3), others
        )
        check_reach(f"AtmosphericDrag '{self.label}'", self.times, span)

    def numbers(self, model: Model) -> Numbers:
        """Body, bulge, the Sun's path, pieces of the table, plates; the planet, plates, the table, the Sun's path."""
        body, plates = plate_numbers(self, model, "drag", "lift")
        pieces = spline_pieces(self.table)
        path, sun = path_numbers("sun", self.epoch, None, self.times, self.positions)
        at = AIR_NUMBERS + len(plates)
        first = [self.radius, self.flattening, *np.asarray(self.axis), self.rotation_rate, _LAG, at, at + pieces.size]
        half = self.bulge // 2 if self.air == "harris_priester" and self.altitudes is None else 0
        integers = (body, half, path, len(pieces), self.guards)
        return Numbers(integers, np.concatenate([first, plates, pieces.ravel(), sun]))

    def wrenches(self, model: Model) -> tuple[WrenchPoint, ...]:
        """The body's centre of mass."""
        return (WrenchPoint(self.body, np.asarray(model.bodies[model.body_index(self.body)].com)),)
