"""Gravity: the same everywhere, or that of a planet."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..kernels.elements.central_gravity import central_gravity
from ..kernels.elements.kind import Kind
from ..model.model import Model
from ..model.state import State
from ..orbit.constants import EARTH_MU
from ..reals import one_number
from ..signatures import checked_fields
from .element import Account, Element, Numbers, three


@checked_fields()
@dataclass(frozen=True, eq=False)
class UniformGravity(Element):
    """The same acceleration of every body, as near the ground of a planet; `gravity=` of `simulate` says the same.

    It costs nothing: the dynamics of a robot has it in any case. Several add up, also with `gravity=`. Its potential
    energy and its impulse are in the ledger.

    Parameters
    ----------
    acceleration : (3,)
        Of a body that falls freely, in inertial axes [m/s²].
    name : str, optional
        For messages alone.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> run = sd.simulate(robot, robot.neutral_state(), 2.0, elements=[sd.UniformGravity((0, 0, -9.81))])
    >>> (run.final.base_velocity.round(9) + 0.0).tolist(), run.gravity.tolist()
    ([0.0, 0.0, -19.62], [0.0, 0.0, -9.81])
    """

    acceleration: ArrayLike
    name: str | None = None

    accounts: ClassVar[tuple[Account, ...]] = (Account.STORED,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "acceleration", three("UniformGravity", "acceleration", self.acceleration))

    @property
    def label(self) -> str:
        """What it is called."""
        return self.name or "uniform gravity"


@checked_fields()
@dataclass(frozen=True, eq=False)
class CentralGravity(Element):
    """The gravity of a spherical planet on every body, with its gradient; the energy is in the ledger.

    Between bodies the gradient comes by itself, since each is pulled where it is; within a body it is the moment
    3 μ e × J e / r³ and the small force that goes with it: to the second order in size over distance. What a flattened
    planet has beside it is a `ZonalGravity`; with an `OrbitingOrigin` bodies feel the difference to the origin.

    Parameters
    ----------
    mu : float
        Gravitational parameter [m³/s²]; the Earth's if left out.
    center : (3,)
        Where the planet is, in the inertial frame [m].
    name : str, optional
        For the record.

    Examples
    --------
    A circular orbit of a satellite keeps its radius.

    >>> import numpy as np
    >>> import spacedyn as sd
    >>> robot, r = sd.load("ets7"), 6.928e6
    >>> v = np.sqrt(3.986004418e14 / r)
    >>> state = robot.state(base_position=[r, 0, 0], base_velocity=[0, v, 0])
    >>> run = sd.simulate(robot, state, 600.0, elements=[sd.CentralGravity()])
    >>> bool(run.audit().energy < 1e-10)
    True
    """

    mu: float = EARTH_MU
    center: ArrayLike = (0.0, 0.0, 0.0)
    name: str | None = None

    accounts: ClassVar[tuple[Account, ...]] = (Account.STORED, Account.WORK)
    is_field: ClassVar[bool] = True
    kernel: ClassVar[Kind] = central_gravity

    def __post_init__(self) -> None:
        if not one_number("CentralGravity: mu", self.mu, "a positive number") > 0.0:
            raise InputError(f"CentralGravity: mu must be a positive number [m³/s²], got {self.mu}")
        object.__setattr__(self, "center", three("CentralGravity", "center", self.center))

    @property
    def label(self) -> str:
        """What it is called in the record."""
        return self.name or "central gravity"

    def failure_note(self, state: State) -> str:
        """Whether the base is so near to the centre that an orbit there would take minutes: it has met the planet."""
        states = state.flattened()
        distance = np.linalg.norm(states.base_position - np.asarray(self.center), axis=-1)
        nearest = float(distance.min())
        if not 0.0 < nearest**3 < self.mu * 100.0**2:
            return ""
        return (
            f"; the base is {nearest:.3g} m from the centre of '{self.label}': the orbit has met the planet. "
            "sd.Event(sd.altitude_reaches(0.0), terminal=True) ends a run at the surface"
        )

    def numbers(self, model: Model) -> Numbers:
        """No body: it pulls all; mu and the planet's place."""
        return Numbers((), np.concatenate([[self.mu], np.asarray(self.center)]))
