"""Bodies that come to rest on each other sleep: they cost next to nothing until something wakes them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..errors import InputError
from ..kernels.elements.kind import Kind
from ..kernels.elements.sleeping import sleeping
from ..model.model import Model
from ..reals import one_number
from ..signatures import checked_fields
from .element import Account, Block, Element, Numbers


@checked_fields()
@dataclass(frozen=True, eq=False)
class Sleeping(Element):
    """Bodies at rest sleep, under `TimeStepping`: contacts among them are neither looked for nor solved.

    A body falls asleep when contact holds it up and it has been slower than `speed` for the time `after`, and so have
    all bodies that touch it, directly or by others. It is set at rest then: what energy and momentum it had is in the
    ledger. A robot sleeps as a whole. It wakes, within the same step, where an awake body pushes it, when another force
    acts on it (of a law, a wrench, a spring), and with every event that changes something. While it sleeps its contacts
    record the forces that it fell asleep with.

    Parameters
    ----------
    speed : float
        Below which a body counts as resting [m/s]: the root of twice its kinetic energy over its mass.
    after : float
        How long it must rest before it sleeps [s].
    bodies : sequence of str, optional
        Which may sleep; all, if left out. Of a robot, all must be named.
    name : str
        For laws and the record.

    Notes
    -----
    Channel: `asleep`, 1 for each of the bodies that sleeps, else 0, in the order of `bodies`.

    Examples
    --------
    A box slides, comes to rest and sleeps.

    >>> import spacedyn as sd
    >>> b = sd.Builder("box")
    >>> b.base("box", shapes=sd.shapes.box(2.0, (0.4, 0.4, 0.2)))
    >>> box, rough = b.build(), sd.ContactMaterial(1e6, friction=0.5)
    >>> floor = sd.Contact("box", shape=sd.shapes.box(2.0, (0.4, 0.4, 0.2)), material=rough)
    >>> start = box.state(base_position=[0, 0, 0.1], base_velocity=[1.0, 0, 0])
    >>> run = sd.simulate(
    ...     box, start, 1.0, elements=[floor, sd.Sleeping()], gravity=(0, 0, -9.81), method=sd.TimeStepping(1e-3),
    ...     record=0.1,
    ... )
    >>> print(run["asleep"][:, 1].astype(int))
    [0 0 0 0 0 0 0 0 1 1 1]
    """

    speed: float = 1e-3
    after: float = 0.5
    bodies: Sequence[str] = ()
    name: str = "sleeping"

    accounts: ClassVar[tuple[Account, ...]] = (Account.DISSIPATED,)
    pushes_bodies: ClassVar[bool] = False
    kernel: ClassVar[Kind] = sleeping

    def __post_init__(self) -> None:
        for name, unit in (("speed", "m/s"), ("after", "s")):
            value = one_number(f"Sleeping: {name}", getattr(self, name), f"a positive number [{unit}]")
            if not value > 0.0:
                raise InputError(f"Sleeping: {name} must be positive [{unit}], got {value}")
            object.__setattr__(self, name, value)
        bodies = (self.bodies,) if isinstance(self.bodies, str) else tuple(self.bodies)
        object.__setattr__(self, "bodies", bodies)

    def for_model(self, model: Model) -> "Sleeping":
        """With the names of all bodies, if none are named."""
        for name in self.bodies:
            model.body_index(name)
        return self if self.bodies else replace(self, bodies=tuple(model.body_names))

    def under(self, stepping: bool) -> "Sleeping":
        """Itself, under a method that steps through contact; other methods know no sleep."""
        if not stepping:
            raise InputError(
                f"Sleeping '{self.name}': bodies sleep under TimeStepping alone; choose that method, or leave it out"
            )
        return self

    @property
    def channels(self) -> tuple[Block, ...]:  # type: ignore[override]
        """Who sleeps."""
        return (Block("asleep", len(self.bodies), "", tuple(self.bodies)),) if self.bodies else ()

    def numbers(self, model: Model) -> Numbers:
        """Bodies; the square of the speed, and the time."""
        bodies = [int(model.flat.order[model.body_index(name)]) for name in self.for_model(model).bodies]
        return Numbers((len(bodies), *bodies), np.array([self.speed**2, self.after]))
