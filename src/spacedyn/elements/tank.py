"""Tanks of propellant, which thrusters draw from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..kernels.elements.kind import Kind
from ..kernels.elements.tank import carry_propellant
from ..model.model import Model
from ..reals import finite_array, one_number
from ..signatures import checked_fields
from .element import Account, Block, Element, Numbers, point_of, three
from .faults import checked_label

Array = np.ndarray
NEVER = -1e9
"""When a tank that has not run dry did so [s]."""


@checked_fields()
@dataclass(frozen=True, eq=False)
class Tank(Element):
    """Propellant in a body: a mass beside the body's own that moves with it, and that thrusters use up.

    The robot's masses are those without it. Its mass is a state, `<name>.propellant`, so the centre of mass and the
    inertia change as it is used, and gravity fields pull it; `run.faults` says when it ran dry. What leaves takes its
    momentum and energy along, in the ledger. What is left is spread as the whole was: its centre stays, its inertia is
    in proportion to its mass. It does not slosh: slosh masses and pendula are bodies.

    Parameters
    ----------
    body : str
        What carries it.
    propellant : float
        How much there is at the start [kg].
    position : (3,)
        Its centre, in the body's frame [m].
    gyration : float or (3,)
        Radii of gyration of the propellant about axes through its centre, parallel to the body's [m]: 0.632 r of a
        sphere of radius r. Zero, a point, if left out.
    residual : float
        What cannot be used [kg]: thrusters stop there.
    name : str
        For thrusters, laws and the record.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> tank = sd.Tank("base", 100.0, position=(0, 0, -0.5), name="main")
    >>> jet = sd.Thruster("base", 400.0, direction=(0, 0, 1), specific_impulse=300.0, tank="main", name="jet")
    >>> @sd.law
    ... def burn(t, s, p, out):
    ...     out.jet.throttle[0] = 1.0
    >>> run = sd.simulate(robot, robot.neutral_state(), 10.0, laws=[burn()], elements=[tank, jet])
    >>> run["main.propellant"][-1].round(6).tolist(), bool(run.audit().worst < 1e-10)
    ([98.640378], True)
    """

    body: str
    propellant: float
    position: ArrayLike = (0.0, 0.0, 0.0)
    gyration: ArrayLike = 0.0
    residual: float = 0.0
    name: str = "tank"

    states: ClassVar[tuple[Block, ...]] = (Block("propellant", unit="kg"),)
    samples: ClassVar[tuple[Block, ...]] = (Block("emptied", unit="s", start=NEVER),)
    accounts: ClassVar[tuple[Account, ...]] = (Account.STORED,)
    pushes_bodies: ClassVar[bool] = False
    carries: ClassVar[Kind] = carry_propellant
    loses_mass: ClassVar[bool] = True

    def __post_init__(self) -> None:
        amounts = {name: one_number(f"Tank: {name}", getattr(self, name)) for name in ("propellant", "residual")}
        if not 0.0 <= amounts["residual"] <= amounts["propellant"]:
            raise InputError(
                "Tank: there must be at least as much propellant as cannot be used, and none below zero; got "
                f"propellant = {amounts['propellant']} kg, residual = {amounts['residual']} kg"
            )
        object.__setattr__(self, "position", three("Tank", "position", self.position))
        gyration = finite_array("Tank: gyration", self.gyration, "a finite number or three of them", [(), (3,)])
        object.__setattr__(self, "gyration", np.broadcast_to(gyration, 3).copy())
        if np.any(gyration < 0.0):
            raise InputError(f"Tank: radii of gyration must not be negative, got {gyration}")
        checked_label("Tank", self.name)

    @property
    def guards(self) -> int:
        """One: what is left that can be used."""
        return 1

    def initial_values(self) -> Array:
        """It starts with all its propellant."""
        return np.array([float(self.propellant), NEVER])

    def happened(self, last: Mapping[str, Array]) -> list[tuple[float, str]]:
        """When it ran dry."""
        robots, times = len(last["emptied"]), last["emptied"][:, 0]
        which = [f" (robot {i})" if robots > 1 else "" for i in range(robots)]
        return [(float(t), f"empty{who}") for t, who in zip(times, which, strict=True) if t > NEVER]

    def attached_to(self, model: Model) -> tuple[str, ...]:
        """The body that carries it."""
        return (self.body,)

    def numbers(self, model: Model) -> Numbers:
        """Its body; its centre, the squares of its radii of gyration as inertia of a unit mass, what cannot be used."""
        body, place = point_of(model, self.body, self.position)
        squares = np.square(np.asarray(self.gyration))
        inside = model.flat.to_internal[model.body_index(self.body)]
        K = inside @ np.diag(squares) @ inside.T
        six = K[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        return Numbers((body,), np.concatenate([place, six, [self.residual]]))
