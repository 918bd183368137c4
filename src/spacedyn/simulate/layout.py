"""Slices of the vector y, of a row of the record, of what laws see and write.

Each block is declared once, here; the kernels' plan, slices, columns, names and units follow. No other module adds
sizes up.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..elements.element import Element, blocks_of, declaration_of, element_names
from ..laws.compile import used_names
from ..model.model import Model, robot_of

Slices = dict[str, slice]


def may_switch(laws: Sequence[Any], events: Sequence[Any]) -> bool:
    """Whether modes of joints may change during a run."""
    return any(one.switches for one in (*laws, *events))


def in_order(sizes: Mapping[str, int], first: int = 0) -> Slices:
    """Slices of consecutive blocks of these sizes.

    >>> in_order({"a": 2, "b": 3}, 10)
    {'a': slice(10, 12, None), 'b': slice(12, 15, None)}
    """
    found, at = {}, first
    for name, size in sizes.items():
        found[name] = slice(at, at + size)
        at += size
    return found


def end_of(blocks: Slices) -> int:
    """The end of the last of these blocks."""
    return max((block.stop for block in blocks.values()), default=0)


@dataclass(frozen=True, eq=False)
class Layout:
    """The layout of a simulation.

    Parameters
    ----------
    model : Model
    laws : sequence of Law, or of what a file knows of them
    elements : sequence of Element
    events : sequence of Event, or of what a file knows of them
    stepping : bool
        Whether the method steps through contact.
    """

    model: Model
    laws: Sequence[Any] = ()
    elements: Sequence[Element] = ()
    events: Sequence[Any] = ()
    stepping: bool = False

    @property
    def joints(self) -> int:
        """Number of joint rates."""
        return self.model.nv - self.model.base_dof

    @cached_property
    def switching(self) -> bool:
        """Whether modes of joints may change."""
        return may_switch(self.laws, self.events)

    @cached_property
    def carries(self) -> bool:
        """Whether elements carry mass or momentum."""
        return any(one.carries is not None for one in self.elements)

    @cached_property
    def loses_mass(self) -> bool:
        """Whether mass that elements carry may leave."""
        return any(one.loses_mass for one in self.elements)

    @cached_property
    def rows(self) -> int:
        """Number of constraint rows."""
        return sum(len(one.rows_of(robot_of(self.model, 0))) for one in self.elements)

    @cached_property
    def asks(self) -> bool:
        """Whether guards of elements call for more than a change of side: for the impulses of rigid contact."""
        return any(one.asks for one in self.elements)

    @cached_property
    def names(self) -> list[str]:
        """Names of the elements in the record."""
        return element_names(self.elements)

    # --- the vector y -------------------------------------------------------------------------------------------------

    @cached_property
    def owners(self) -> list[tuple[str, Any]]:
        """Laws, then elements, each with its name in the record: 'law0', 'element'."""
        return [
            *((f"{law.name}{i}", law) for i, law in enumerate(self.laws)),
            *zip(self.names, self.elements, strict=True),
        ]

    @cached_property
    def states(self) -> Slices:
        """Internal states within y's, by 'law0.filter' or 'element.state': laws' first."""
        return in_order(
            {f"{name}.{block.name}": block.size for name, one in self.owners for block in declaration_of(one).states}
        )

    @cached_property
    def _owned(self) -> list[slice]:
        """The slice of each owner among the internal states."""
        sizes = [sum(block.size for block in declaration_of(one).states) for _, one in self.owners]
        return list(in_order({str(i): size for i, size in enumerate(sizes)}).values())

    def states_of_law(self, law: int) -> slice:
        """The slice of a law's states among the internal states."""
        return self._owned[law]

    def states_of_element(self, element: int) -> slice:
        """The slice of an element's states and samples among the internal states."""
        return self._owned[len(self.laws) + element]

    @cached_property
    def law_states(self) -> int:
        """Number of the laws' internal states, which come before the elements'."""
        return self._owned[len(self.laws) - 1].stop if self.laws else 0

    @cached_property
    def ledger(self) -> Slices:
        """Entries of the ledger, which are integrated behind the states."""
        count = len(self.elements)
        return in_order(
            {
                "joint_work": self.joints,
                "base_work": 1,
                "endpoint_work": len(self.model.endpoints),
                "dissipated": 1,
                "impulse": 6,
                "element_work": count,
                "element_dissipated": count,
                "event_work": int(self.switching or len(self.events) > 0),
                "left": 5 if self.loses_mass else 0,
                "contact_error": 2 if self.stepping else 0,
            }
        )

    @cached_property
    def y(self) -> Slices:
        """The vector that is integrated: chart coordinates, rates, states, ledger."""
        nv = self.model.nv
        return in_order({"s": nv, "u": nv, "states": end_of(self.states), "ledger": end_of(self.ledger)})

    def moving_size(self, others_act: object) -> int:
        """Number of leading entries of y whose rates are not always zero.

        If nothing but the laws' joint forces acts, all other entries of the ledger stay zero.
        """
        return end_of(self.y) if others_act else self.in_y("joint_work").stop

    def in_y(self, entry: str) -> slice:
        """The slice of y that holds an entry of the ledger."""
        first, part = self.y["ledger"].start, self.ledger[entry]
        return slice(first + part.start, first + part.stop)

    # --- what elements record -----------------------------------------------------------------------------------------

    @cached_property
    def channels(self) -> Slices:
        """What elements record: stored energies, channels of one number (of all elements), others, wrenches."""
        count = len(self.elements)
        single = {block.name: count for one in self.elements for block in one.channels if block.size == 1}
        several = {
            f"{name}.{block.name}": block.size
            for name, one in zip(self.names, self.elements, strict=True)
            for block in one.channels
            if block.size > 1
        }
        return in_order({"element_energy": count, **single, **several, "element_wrenches": 6 * len(self.wrench_points)})

    @cached_property
    def wrench_points(self) -> list[tuple[int, Any]]:
        """The number of the element and the point, for each point at which an element pushes a body."""
        model = robot_of(self.model, 0)
        return [(i, one) for i, element in enumerate(self.elements) for one in element.wrenches(model)]

    def wrenches(self, element: int) -> slice:
        """The slice of an element's wrenches among all recorded wrenches, six numbers a point."""
        mine = [j for j, (whose, _) in enumerate(self.wrench_points) if whose == element]
        return slice(6 * mine[0], 6 * mine[-1] + 6) if mine else slice(0, 0)

    def channel(self, element: int, block: Any) -> slice:
        """The slice of `channels` that holds a channel of an element."""
        if block.size == 1:
            first = self.channels[block.name].start + element
            return slice(first, first + 1)
        return self.channels[f"{self.names[element]}.{block.name}"]

    # --- the record ---------------------------------------------------------------------------------------------------

    @cached_property
    def row(self) -> Slices:
        """Columns of a row of the record."""
        model, nv = self.model, self.model.nv
        size = {name: part.stop - part.start for name, part in (*self.ledger.items(), *self.channels.items())}
        return in_order(
            {
                "t": 1,
                "x": 7 + model.nq,
                "u": nv,
                "law_states": self.law_states,
                "element_states": end_of(self.states) - self.law_states,
                **{name: size[name] for name in self.ledger},
                "forces": nv,
                "base_wrench": 6,
                "endpoint_wrenches": 6 * len(model.endpoints),
                "udot": nv,
                **{name: size[name] for name in self.channels},
                "carried": 10 if self.carries else 0,
                "closure": 3 if self.rows else 0,
                "mode": model.n if self.switching else 0,
                "anchor": model.nq if self.switching else 0,
            }
        )

    # --- what laws see and write --------------------------------------------------------------------------------------

    @cached_property
    def view(self) -> Slices:
        """What laws see, by name: quantities of the robot, 'element.channel', and the states of laws as in `states`."""
        model, states = self.model, end_of(self.states)
        conditions = [one.condition.of(model) for one in self.events if not isinstance(one.condition, str)]
        sees = any("." in name for law in (*self.laws, *conditions) for name in _reads(law, self.elements))
        found = in_order(
            {
                "base_position": 3,
                "base_quaternion_xyzw": 4,
                "q": model.nq,
                "base_velocity": 3,
                "base_rate": 3,
                "qd": self.joints,
                "com": 3,
                "linear_momentum": 3,
                "angular_momentum": 3,
                "states": states,
                "mode": model.n if self.switching else 0,
                "endpoints": 18 * len(model.endpoints),
                "channels": end_of(self.channels) if sees else 0,
            }
        )
        for name, part in self.states.items():
            found[name] = _shifted(part, found["states"].start)
        for i, one in enumerate(self.elements):
            for block in one.channels if sees else ():
                found[f"{self.names[i]}.{block.name}"] = _shifted(self.channel(i, block), found["channels"].start)
        return found

    @cached_property
    def commands(self) -> Slices:
        """What laws may command, by 'element.command'."""
        return in_order(
            {
                f"{name}.{block.name}": block.size
                for name, one in zip(self.names, self.elements, strict=True)
                for block in one.commands
            }
        )

    @cached_property
    def out(self) -> Slices:
        """What laws write, by name; the rates of their own states come after these."""
        ends = len(self.model.endpoints)
        found = in_order(
            {
                "tau": self.joints,
                "base_wrench": 6,
                "endpoint_wrenches": 6 * ends,
                "mode": self.model.n if self.switching else 0,
                "commands": end_of(self.commands),
            }
        )
        found |= {name: _shifted(part, found["commands"].start) for name, part in self.commands.items()}
        most = max((law.state_size for law in self.laws), default=0)
        return found | {"states": slice(found["commands"].stop, found["commands"].stop + most)}

    @property
    def view_size(self) -> int:
        """Number of numbers that laws see."""
        return self.view["channels"].stop

    @property
    def out_size(self) -> int:
        """Number of numbers that a law writes."""
        return self.out["states"].stop

    def places(self, law: Any, number: int) -> list[int]:
        """The table that a law's function is called with: sizes of view and out, then start and end of each used part.

        `number`: the number of the law, since states of two laws may have the same name.
        """
        seen, written = used_names(law, blocks_of(self.elements))
        last, where = self.out_size, []
        own_out = in_order(law.states, last - law.state_size)
        for name in seen:
            where.append(self.view[f"{law.name}{number}.{name}" if name in law.states else name])
        for name in written:
            where.append(own_out[name] if name in law.states else slice(0, 1) if name == "value" else self.out[name])
        return [self.view_size, last, *(end for one in where for end in (one.start, one.stop))]

    def parts_seen(self, law: Any) -> int:
        """Number of parts of the view that a law reads; they come first in `places`."""
        return len(_reads(law, self.elements))


def _reads(law: Any, elements: Iterable[Element]) -> list[str]:
    """Names that a law reads; none of a law read from a file, whose code is unknown."""
    return used_names(law, blocks_of(elements))[0] if hasattr(law, "function") else []


def _shifted(part: slice, by: int) -> slice:
    return slice(part.start + by, part.stop + by)
