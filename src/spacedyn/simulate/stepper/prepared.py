"""A simulation with its compiled functions, and the `plan` and `numbers` of the kernels while they are written."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...elements.element import Element, Row, blocks_of
from ...elements.joint_forces import joint_forces_of
from ...elements.prescribed import Prescribed
from ...elements.program import UserElement
from ...kernels.elements.kind import Kind
from ...kernels.elements.laws import laws
from ...kernels.elements.prescribed import prescribed_joints
from ...kernels.sim import layout as p
from ...laws.compile import Compiled, compile_law
from ...laws.conditions import Condition
from ...laws.law import Law
from ...laws.pack_laws import compile_over_packs
from ...model.model import robot_of
from ..layout import Layout, Slices, end_of, in_order
from ..simulation import Simulation

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Prepared:
    """A simulation with all that is compiled for it, from which steppers are built."""

    simulation: Simulation
    window: int  # how many of the times to record a stepper holds at once; 0 if every step is recorded

    @cached_property
    def layout(self) -> Layout:
        """The layout of its arrays."""
        return self.simulation.layout

    @property
    def joints(self) -> list[Prescribed]:
        """The joints that are or may be held."""
        return self.simulation.joints

    @property
    def conditions(self) -> list[Condition]:
        """Conditions of the events."""
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
    def pack_code(self) -> dict[int, Compiled]:
        """C functions over packs of those laws, by their numbers, that can be compiled so."""
        known = blocks_of(self.simulation.elements)
        made = {i: compile_over_packs(law, known) for i, law in enumerate(self.simulation.laws)}
        return {i: code for i, code in made.items() if code is not None}

    @cached_property
    def acting(self) -> list[Element]:
        """What acts beside laws: the simulation's elements, then what the model's joints do by themselves."""
        stepping = self.simulation.method.steps_through_contact
        own = [one.under(stepping) for one in joint_forces_of(self.simulation.model)]
        return [*self.simulation.elements, *own]

    @cached_property
    def touches(self) -> int:
        """Number of places where bodies may touch, or joints stop or rub; for methods that step through contact."""
        return sum(one.touches for one in self.acting)

    @cached_property
    def guarded(self) -> list[int]:
        """Numbers of the elements whose guards are held on their sides; rigid contact comes last."""
        adaptive = self.simulation.method.adaptive
        held = [i for i, one in enumerate(self.acting) if adaptive or one.holds_sides]
        return sorted(held, key=lambda i: self.acting[i].asks)

    @cached_property
    def guards(self) -> int:
        """Number of elements' guards that are held on their sides."""
        return sum(self.acting[i].guards for i in self.guarded)

    @cached_property
    def asking(self) -> int:
        """Number of guards that call for impulses, those of rigid contact; they come last of the elements'."""
        return sum(one.guards for one in self.acting if one.asks)

    @cached_property
    def guard_places(self) -> Slices:
        """Numbers of guards: first of elements that hold sides, then of events, then of the other elements."""
        others = [i for i in range(len(self.acting)) if i not in self.guarded]
        sizes = {str(i): self.acting[i].guards for i in self.guarded} | {"events": len(self.conditions)}
        return in_order(sizes | {str(i): self.acting[i].guards for i in others})

    @cached_property
    def counters(self) -> Slices:
        """Slices of the counters of laws, of joints that may be held, and of elements, behind those of the run."""
        sizes = {"laws": 2 * len(self.simulation.laws), "joints": len(self.joints), "elements": 2 * len(self.acting)}
        return in_order(sizes, p.C_LAWS)

    @cached_property
    def user_elements(self) -> dict[int, UserElement]:
        """Elements that users wrote, by their numbers."""
        return {i: one for i, one in enumerate(self.simulation.elements) if isinstance(one, UserElement)}

    @cached_property
    def own_view(self) -> int:
        """Most numbers that a user's element sees in addition to what laws see."""
        return max((end_of(one.own_view(0)) for one in self.user_elements.values()), default=0)

    @cached_property
    def programs(self) -> dict[int, Compiled]:
        """C functions of users' elements, by their numbers."""
        return {i: one.compiled() for i, one in self.user_elements.items()}

    @cached_property
    def kinds(self) -> list[tuple[Kind, int, list[int]]]:
        """Kinds in use, in the order in which they are called: the kind, its phase, and the numbers of its elements.

        Joints that are held come first, gravity fields before other forces, what commanded elements sense before laws,
        and laws before what they command.
        """
        found: list[tuple[Kind, int, list[int]]] = []
        if self.joints:
            found.append((prescribed_joints, p.PLACES_JOINTS, []))
        found += [(one.carries, p.CARRIES, group) for one, group in self._groups() if one.carries is not None]
        for commanded in (False, True):
            for one, group in self._groups():
                if one.kernel is not None and bool(one.commands) == commanded:
                    found.append((one.kernel, p.ACTS, group))
            if not commanded:
                found += [(one.senses, p.ACTS, group) for one, group in self._groups() if one.senses is not None]
                found += [(laws, p.ACTS, [])] if self.simulation.laws else []
        found += [(one.settles, p.SETTLES, group) for one, group in self._groups() if one.settles is not None]
        return found

    def _groups(self) -> list[tuple[Element, list[int]]]:
        """Elements by kind: one of each, and the numbers of all. Gravity fields come first."""
        found: dict[tuple[Any, ...], list[int]] = {}
        for i in sorted(range(len(self.acting)), key=lambda i: not self.acting[i].is_field):
            one = self.acting[i]
            found.setdefault((one.kernel, one.carries, one.settles, one.senses, bool(one.commands)), []).append(i)
        return [(self.acting[group[0]], group) for group in found.values()]

    @cached_property
    def order(self) -> list[int]:
        """Numbers of the elements in the order of their records: kind by kind."""
        return [i for _, group in self._groups() for i in group]

    @cached_property
    def rows(self) -> list[tuple[int, Row]]:
        """Constraint rows with the number of their element, element by element."""
        model = robot_of(self.simulation.model, 0)
        return [(i, row) for i, one in enumerate(self.acting) for row in one.rows_of(model)]

    @cached_property
    def first_rows(self) -> list[int]:
        """The number of each element's first row."""
        owners = [i for i, _ in self.rows]
        return [sum(owner < i for owner in owners) for i in range(len(self.acting))]

    @cached_property
    def row_sizes(self) -> Slices:
        """Slices of the rows' numbers in `work`."""
        return in_order({str(j): p.ROW_FORCE + len(row.rates) for j, (_, row) in enumerate(self.rows)})

    @cached_property
    def attached(self) -> list[str]:
        """Bodies that elements are attached to."""
        model = robot_of(self.simulation.model, 0)
        return list(dict.fromkeys(body for one in self.acting for body in one.attached_to(model)))


class Plan:
    """The arrays `plan` and `numbers` of the kernels while they are written."""

    def __init__(self) -> None:
        self.plan, self.numbers = np.zeros(p.PLAN, dtype=np.int64), np.empty(0)

    def put(self, *parts: ArrayLike) -> int:
        """Append to `numbers`; return the place of the first."""
        at = self.numbers.size
        flat = [np.ravel(np.asarray(part, dtype=float)) for part in parts]
        self.numbers = np.concatenate([self.numbers, *flat])
        return at

    def put_integers(self, *parts: ArrayLike) -> int:
        """Append to `plan`; return the place of the first."""
        at = self.plan.size
        flat = [np.ravel(np.asarray(part, dtype=np.int64)) for part in parts]
        self.plan = np.concatenate([self.plan, *flat])
        return at

    def set(self, **entries: int) -> None:
        """Set entries of the header of `plan` by name."""
        for name, value in entries.items():
            self.plan[getattr(p, name)] = value
