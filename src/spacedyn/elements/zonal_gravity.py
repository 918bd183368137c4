"""What a flattened planet's gravity has beside a sphere's."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..kernels.elements.kind import Kind
from ..kernels.elements.zonal_gravity import zonal_gravity
from ..model.model import Model
from ..orbit.constants import EARTH_J2, EARTH_J3, EARTH_J4, EARTH_MU, GRAVITY_RADIUS
from ..reals import one_number
from ..signatures import checked_fields
from .element import Account, Element, Numbers, direction, three


@checked_fields()
@dataclass(frozen=True, eq=False)
class ZonalGravity(Element):
    """The zonal harmonics J2, J3, J4 of a planet's gravity on every body, beside a `CentralGravity`.

    φ = (μ/r) Σ Jn (R/r)ⁿ Pn(sin latitude), U = m φ - J:∇∇φ / 2 of a body

    Forces and moments are the derivatives of U, the potential to the second order in size over distance, as those of
    `CentralGravity` are. The energy is in the ledger.

    Parameters
    ----------
    j2, j3, j4 : float
        The Earth's (JGM-3) if left out.
    mu, radius : float
        Gravitational parameter [m³/s²], and the radius that the harmonics are for [m].
    center : (3,)
        Where the planet is, in the inertial frame [m].
    axis : (3,)
        Its axis of symmetry, inertial axes.
    name : str, optional
        For the record.

    Examples
    --------
    The node of an orbit drifts by -3/2 n J2 (R/p)² cos i: about 6° a day.

    >>> import numpy as np
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> start = sd.orbit.orbit_state(robot, sd.orbit.OrbitalElements(6.928e6, 1e-3, inclination=0.611))
    >>> run = sd.simulate(robot, start, 5700.0, elements=[sd.CentralGravity(), sd.ZonalGravity()], record=100.0)
    >>> elements = sd.orbit.to_elements(run["base_position"], run["base_velocity"])
    >>> node = np.unwrap(elements.node)
    >>> round(float(np.degrees(node[-1] - node[0])) * 86400.0 / 5700.0), bool(run.audit().energy < 1e-10)
    (-6, True)
    """

    j2: float = EARTH_J2
    j3: float = EARTH_J3
    j4: float = EARTH_J4
    mu: float = EARTH_MU
    radius: float = GRAVITY_RADIUS
    center: ArrayLike = (0.0, 0.0, 0.0)
    axis: ArrayLike = (0.0, 0.0, 1.0)
    name: str | None = None

    accounts: ClassVar[tuple[Account, ...]] = (Account.STORED, Account.WORK)
    is_field: ClassVar[bool] = True
    kernel: ClassVar[Kind] = zonal_gravity

    def __post_init__(self) -> None:
        for name in ("j2", "j3", "j4", "mu", "radius"):
            value = one_number(f"ZonalGravity: {name}", getattr(self, name))
            if name in ("mu", "radius") and not value > 0.0:
                raise InputError(f"ZonalGravity: {name} must be positive, got {value}")
            object.__setattr__(self, name, value)
        object.__setattr__(self, "center", three("ZonalGravity", "center", self.center))
        object.__setattr__(self, "axis", direction("ZonalGravity", "axis", self.axis))

    @property
    def label(self) -> str:
        """What it is called in the record."""
        return self.name or "zonal gravity"

    def numbers(self, model: Model) -> Numbers:
        """No body: it pulls all; all parameters."""
        first = [self.mu, self.radius, self.j2, self.j3, self.j4]
        return Numbers((), np.concatenate([first, np.asarray(self.center), np.asarray(self.axis)]))
