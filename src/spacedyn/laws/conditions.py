"""Conditions: numbers that pass through zero when something happens, written as laws are."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from ..model.model import Model
from .bytecode import Role
from .law import Law, LawTemplate

CONDITION = Role("condition", ("t", "s", "p", "out"), {"value": 0})


@dataclass(frozen=True, eq=False)
class Condition(Law):
    """A number that passes through zero when something happens; made by `condition`."""

    role: ClassVar[Role] = CONDITION

    @property
    def label(self) -> str:
        """Its name."""
        return self.name

    def of(self, model: Model) -> "Condition":
        """The condition itself: it is the same for any robot."""
        return self


@dataclass(frozen=True)
class ConditionTemplate(LawTemplate):
    """A condition without its parameters; call it with them to get a `Condition`."""

    @property
    def made(self) -> type[Law]:
        """The class of what a call returns."""
        return Condition


def condition(function: Callable) -> ConditionTemplate:
    """Make a condition of a function g(t, s, p, out) that writes `out.value[0]`; compiled when it is first simulated.

    Parameters
    ----------
    function : callable
        Reads the time `t` [s], the robot `s` and parameters `p`, all as a law does, and writes a number to
        `out.value[0]` that passes through zero when the event happens.

    Returns
    -------
    ConditionTemplate
        Call it with the parameters.

    Examples
    --------
    >>> import spacedyn as sd
    >>> @sd.condition
    ... def fast(t, s, p, out):
    ...     out.value[0] = s.qd[0] - p.limit
    >>> sd.Event(fast(limit=2.0), terminal=True).label
    'fast'
    """
    return ConditionTemplate(function)
