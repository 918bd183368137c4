"""What actions of events are, as small frozen objects; functions of `sd.actions` make them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..elements.element import Element, element_names
from ..elements.grapple import Grapple
from ..elements.loop import Loop
from ..errors import InputError, UnknownName
from ..model.model import Model

Array = np.ndarray


class Action:
    """Something that an event does inside the robot: its momentum stays."""

    @property
    def label(self) -> str:
        """What it does, in words."""
        raise NotImplementedError

    def check(self, model: Model) -> None:
        """Raise if the robot lacks the joints or endpoints that the action names."""

    def check_elements(self, elements: Sequence[Element]) -> None:
        """Raise if the simulation lacks the element that the action names."""


@dataclass(frozen=True, eq=False)
class Switch(Action):
    """Joints that change their modes at an event; made by `lock`, `free`, `follow`, `attach` and `release`.

    Attributes
    ----------
    modes : dict of str
        The new mode of each joint: 'free', 'locked' or 'prescribed'.
    rates : dict of arrays
        Rates that joints have just after it; they push off each other with whatever impulse that takes.
    arm : tuple of str
        Joints that are to bring what is caught to rest.
    too_fast : str
        What to do if they cannot: 'warn', or 'end' the run.
    """

    modes: dict[str, str]
    rates: dict[str, Array] = field(default_factory=dict)
    arm: tuple[str, ...] = ()
    too_fast: str = "warn"

    @property
    def label(self) -> str:
        """The new modes in words: 'elbow locked'."""
        return ", ".join(f"{joint} {mode}" for joint, mode in self.modes.items())

    def check(self, model: Model) -> None:
        """Raise if the robot has no such joints."""
        for joint in (*self.modes, *self.arm):
            model.joint(joint)
        for joint, rate in self.rates.items():
            size = model.joint(joint).nv
            if rate.shape != (size,):
                raise InputError(f"release: joint '{joint}' has {size} rates, got {rate.size}")


@dataclass(frozen=True, eq=False)
class Impact(Action):
    """An impulse between two bodies where their endpoints touch; made by `impact`.

    Attributes
    ----------
    endpoint, other : str
        The endpoints; the impulse acts at the place of the second.
    restitution : float
        Speed after over speed before, 0 to 1.
    normal : (3,) or None
        Direction in which it acts, in the axes of `endpoint`, towards `other`; None: in all three.
    """

    endpoint: str
    other: str
    restitution: float
    normal: Array | None = None

    @property
    def label(self) -> str:
        """In words: 'hand hits handle'."""
        return f"{self.endpoint} hits {self.other}"

    def check(self, model: Model) -> None:
        """Raise if the robot has no such endpoints, or has both on one body."""
        bodies = {model.endpoint(name).body for name in (self.endpoint, self.other)}
        if len(bodies) == 1:
            raise InputError(f"impact: '{self.endpoint}' and '{self.other}' are both on body '{bodies.pop()}'")


@dataclass(frozen=True, eq=False)
class Holding(Action):
    """An element that begins or ceases to hold two bodies together.

    Attributes
    ----------
    element : str
        Its name.
    closes : bool
        Whether it is to hold.
    as_met : bool
        Whether it holds both as they stand to each other now.
    """

    element: str
    closes: bool
    as_met: bool = True

    def _check_name(self, what: str, elements: Sequence[Element], fits: Callable[[Element], bool], none: str) -> None:
        """Raise unless the name is that of an element that fits."""
        known = [name for name, one in zip(element_names(elements), elements, strict=True) if fits(one)]
        if self.element not in known:
            raise UnknownName(what, self.element, known or [none])


class Engagement(Holding):
    """A `Grapple` that closes or lets go; made by `engage` and `disengage`."""

    @property
    def label(self) -> str:
        """In words: 'claw engaged'."""
        return f"{self.element} {'engaged' if self.closes else 'disengaged'}"

    def check_elements(self, elements: Sequence[Element]) -> None:
        """Raise unless it names a grapple."""
        none = "none: give elements=[sd.Grapple(...)]"
        self._check_name("Grapple", elements, lambda one: isinstance(one, Grapple), none)


class Closing(Holding):
    """A `Loop` that closes or opens; made by `close_loop` and `open_loop`."""

    @property
    def label(self) -> str:
        """In words: 'grip closed'."""
        return f"{self.element} {'closed' if self.closes else 'opened'}"

    def check_elements(self, elements: Sequence[Element]) -> None:
        """Raise unless it names a loop that opens and closes."""
        what, none = "Loop that opens and closes", "none: Loop(..., active=False)"
        self._check_name(what, elements, lambda one: isinstance(one, Loop) and one.active is not None, none)
