"""A simulation with all that is compiled for it, and the integers and numbers that kernels read as they are written."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...elements.element import blocks_of
from ...elements.prescribed import Prescribed
from ...elements.program import UserElement
from ...kernels.sim import layout as p
from ...laws.compile import Compiled, compile_law
from ...laws.conditions import Condition
from ...laws.law import Law
from ..layout import Layout
from ..simulation import Simulation

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Prepared:
    """A simulation with all that is compiled for it, from which steppers are built."""

    simulation: Simulation
    window: int  # how many times to record a stepper can hold at once; 0 if every step is recorded

    @cached_property
    def layout(self) -> Layout:
        """Where everything is."""
        return self.simulation.layout

    @property
    def joints(self) -> list[Prescribed]:
        """The joints that are or may be held."""
        return self.simulation.joints

    @property
    def conditions(self) -> list[Condition]:
        """Of events."""
        return self.simulation.conditions

    @property
    def called(self) -> list[Law]:
        """Laws, then conditions."""
        return [*self.simulation.laws, *self.conditions]

    @cached_property
    def code(self) -> list[Compiled]:
        """C functions of laws and conditions."""
        known = blocks_of(self.simulation.elements)
        return [compile_law(law, known) for law in self.called]

    @cached_property
    def programs(self) -> dict[int, Compiled]:
        """C functions of users' elements, by their numbers."""
        elements = self.simulation.elements
        return {i: one.compiled() for i, one in enumerate(elements) if isinstance(one, UserElement)}

    @cached_property
    def kinds(self) -> list[tuple[Any, bool, list[int]]]:
        """Kinds of elements in use: the kind, whether laws command these, and their numbers."""
        found: dict[tuple[Any, bool], list[int]] = {}
        for i, one in enumerate(self.simulation.elements):
            found.setdefault((one.kernel, bool(one.commands)), []).append(i)
        return [(kind, commanded, numbers) for (kind, commanded), numbers in found.items()]


class Plan:
    """The integers and numbers that kernels read, as they are written."""

    def __init__(self) -> None:
        self.plan, self.numbers = np.zeros(p.PLAN, dtype=np.int64), np.empty(0)

    def put(self, *parts: ArrayLike) -> int:
        """Write numbers; where they are."""
        at = self.numbers.size
        flat = [np.ravel(np.asarray(part, dtype=float)) for part in parts]
        self.numbers = np.concatenate([self.numbers, *flat])
        return at

    def put_integers(self, *parts: ArrayLike) -> int:
        """Write integers; where they are."""
        at = self.plan.size
        flat = [np.ravel(np.asarray(part, dtype=np.int64)) for part in parts]
        self.plan = np.concatenate([self.plan, *flat])
        return at

    def set(self, **entries: int) -> None:
        """Write entries of the header, by their names."""
        for name, value in entries.items():
            self.plan[getattr(p, name)] = value
