"""Gravity of the Sun, the Moon, or another body."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError, UnknownName
from ..kernels.elements.kind import Kind
from ..kernels.elements.third_body import third_body
from ..model.model import Model
from ..model.state import State
from ..orbit.constants import MOON_MU, SUN_MU
from ..orbit.sun_and_moon import days_since_j2000
from ..reals import one_number
from ..signatures import checked_fields
from .element import Element, Numbers, three
from .paths import check_reach, checked_table, path_numbers

_MU = {"sun": SUN_MU, "moon": MOON_MU}


@checked_fields()
@dataclass(frozen=True, eq=False)
class ThirdBody(Element):
    """Gravity of a body beside the planet: the Sun or the Moon along their paths, or one that is at a place.

    a = μ (s - r) / abs(s - r)³ - μ s / abs(s)³: the planet at the frame's centre falls towards it, too. The difference
    is by Encke's form. Within a robot's bodies it acts to the second order in size over distance, as `CentralGravity`
    does. What it does is work: its path depends on time.

    Parameters
    ----------
    body : str, optional
        'sun' or 'moon': whose low-precision series is its path (Montenbruck & Gill 2000), and whose `mu` it has.
    mu : float, optional
        Gravitational parameter [m³/s²].
    epoch : str, optional
        Date and time (UTC) of t = 0 for the series: '2026-03-01T00:00:00'; J2000 if left out.
    position : (3,), optional
        A fixed place from the planet's centre [m], instead of a path.
    times, positions : (n,), (n, 3), optional
        A given path [s, m], through which a spline of degree five goes: `sd.orbit.position_of(..., source="astropy")`.
    indirect : bool
        Whether the planet falls towards it, too; False if the frame's centre is held.
    name : str, optional
        For the record.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> start = sd.orbit.orbit_state(robot, sd.orbit.OrbitalElements(42164e3))
    >>> moon = sd.ThirdBody("moon", epoch="2026-03-01T00:00:00")
    >>> run = sd.simulate(robot, start, 3600.0, elements=[sd.CentralGravity(), moon])
    >>> bool(run.audit().energy < 1e-10), run.elements[1].label
    (True, 'gravity of the moon')
    """

    body: str | None = None
    mu: float | None = None
    epoch: str | None = None
    position: ArrayLike | None = None
    times: ArrayLike | None = None
    positions: ArrayLike | None = None
    indirect: bool = True
    name: str | None = None

    is_field: ClassVar[bool] = True
    kernel: ClassVar[Kind] = third_body

    def __post_init__(self) -> None:
        if self.body is not None and self.body not in _MU and self.mu is None:
            raise UnknownName("body of ThirdBody()", self.body, list(_MU))
        if self.mu is None and self.body is None:
            raise InputError("ThirdBody: give body='sun' or 'moon', or mu and a position")
        mu = _MU[str(self.body)] if self.mu is None else one_number("ThirdBody: mu", self.mu, "a positive number")
        if not mu > 0.0:
            raise InputError(f"ThirdBody: mu must be positive [m³/s²], got {mu}")
        object.__setattr__(self, "mu", mu)
        if self.epoch is not None:
            days_since_j2000(self.epoch)
        times, positions = checked_table("ThirdBody", self.times, self.positions)
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "positions", positions)
        if self.position is not None:
            object.__setattr__(self, "position", three("ThirdBody", "position", self.position))
        ways = [
            self.position is not None,
            times is not None,
            self.body in _MU and self.position is None and times is None,
        ]
        if sum(ways) != 1:
            raise InputError(
                "ThirdBody: give its path by one of body='sun' or 'moon', position, or times and positions"
            )

    @property
    def label(self) -> str:
        """What it is called in the record."""
        return self.name or (f"gravity of the {self.body}" if self.body else "gravity of a third body")

    def check_start(self, state: State, span: tuple[float, float], others: Sequence[Element]) -> None:
        """Raise if its path does not cover the run."""
        check_reach(f"ThirdBody '{self.label}'", self.times, span)

    def numbers(self, model: Model) -> Numbers:
        """How its path is given, whether the planet falls towards it; mu and the path."""
        path, numbers = path_numbers(self.body, self.epoch, self.position, self.times, self.positions)
        return Numbers((path, int(self.indirect)), np.concatenate([[self.mu], numbers]))
