"""A frame whose origin falls freely along an orbit."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..kernels.elements.kind import Kind
from ..kernels.elements.orbiting_origin import orbiting_origin
from ..model.model import Model
from ..model.state import State
from ..orbit.constants import EARTH_RADIUS
from ..reals import one_number
from ..signatures import checked_fields
from .element import Account, Block, Element, Numbers, three


@checked_fields()
@dataclass(frozen=True, eq=False)
class OrbitingOrigin(Element):
    """Let the frame's origin fall freely along an orbit: positions are relative to it, and keep their digits.

    The robot's state is relative to the origin, in axes that do not turn. The origin's own position and velocity are
    states, which feel all gravity elements of the simulation (`CentralGravity`, `ZonalGravity`, `ThirdBody`); bodies
    feel the difference to the origin, by Encke's form, in which nothing cancels: millimetres survive at 7000 km.
    Kinetic energy and momentum in the ledger are those relative to the origin; gravity does work on them.

    Parameters
    ----------
    position, velocity : (3,)
        Of the origin at the start, from the planet's centre, inertial axes [m, m/s]: `sd.orbit.from_elements` has them.
    radius : float
        Of the planet [m], for the `altitude` that is recorded.
    name : str, optional
        For the record and for laws, which read `s.<name>.altitude`: an identifier.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> r, v = sd.orbit.from_elements(sd.orbit.OrbitalElements(6.928e6, inclination=0.6))
    >>> run = sd.simulate(robot, robot.neutral_state(), 60.0, elements=[sd.CentralGravity(), sd.OrbitingOrigin(r, v)])
    >>> run["orbiting_origin.position"].shape, bool(abs(run["base_position"]).max() < 0.01)
    ((1001, 3), True)
    """

    position: ArrayLike
    velocity: ArrayLike
    radius: float = EARTH_RADIUS
    name: str | None = None

    states: ClassVar[tuple[Block, ...]] = (
        Block("position", 3, "m", ("x", "y", "z")),
        Block("velocity", 3, "m/s", ("x", "y", "z")),
    )
    channels: ClassVar[tuple[Block, ...]] = (Block("altitude", unit="m"),)
    accounts: ClassVar[tuple[Account, ...]] = ()
    pushes_bodies: ClassVar[bool] = False
    own_norms: ClassVar[bool] = True
    carries_frame: ClassVar[bool] = True
    kernel: ClassVar[Kind] = orbiting_origin

    def __post_init__(self) -> None:
        for name in ("position", "velocity"):
            object.__setattr__(self, name, three("OrbitingOrigin", name, getattr(self, name)))
        radius = one_number("OrbitingOrigin: radius", self.radius, "zero or a positive number")
        if radius < 0.0:
            raise InputError(f"OrbitingOrigin: radius must be zero or positive, got {radius}")
        if not np.linalg.norm(np.asarray(self.position)) > radius:
            raise InputError(
                f"OrbitingOrigin: the origin starts {np.linalg.norm(np.asarray(self.position)) / 1e3:.0f} km from the "
                f"planet's centre, inside the planet of radius {radius / 1e3:.0f} km; give its position from the centre"
            )
        if self.name is not None and not self.name.isidentifier():
            raise InputError(f"OrbitingOrigin: laws use its name, which must be an identifier, got {self.name!r}")
        object.__setattr__(self, "radius", radius)

    @property
    def label(self) -> str:
        """What laws and the record call it."""
        return self.name or "orbiting_origin"

    def initial_values(self) -> np.ndarray:
        """Position and velocity at the start."""
        return np.concatenate([np.asarray(self.position), np.asarray(self.velocity)])

    def check_start(self, state: State, span: tuple[float, float], others: Sequence[Element]) -> None:
        """Raise if there are two of them."""
        if sum(one.carries_frame for one in others) > 1:
            raise InputError("OrbitingOrigin: a simulation has one origin; leave the other out")

    def numbers(self, model: Model) -> Numbers:
        """The planet's radius."""
        return Numbers((), np.array([self.radius]))
