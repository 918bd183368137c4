"""The element of a user: its function and declaration behind the protocol of elements."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..errors import InputError, UnknownName, nearest
from ..kernels.elements import program as k
from ..kernels.elements.kind import Kind
from ..laws.bytecode import Role, attributes, check_compared, check_parts, check_replaced
from ..laws.compile import Compiled, compile_function, rehearse_function, wrapper_source
from ..laws.law import SEEN, Law
from ..model.model import Model
from .declared import ACCOUNTS, ROW_PARTS, Declared
from .element import Account, Block, Element, Numbers, Row, WrenchPoint, point_of, rate_of, three

Array = np.ndarray
POINT = {"position": (0, 3, 0), "rotation": (3, 12, 3), "velocity": (12, 15, 0), "rate": (15, 18, 0)}
"""What is seen of a point: from where to where of its 18 numbers, and columns."""


@dataclass(frozen=True, eq=False)
class ElementFunction(Law):
    """The function of a user's element, compiled as laws are."""

    role: ClassVar[Role] = Role("element", ("t", "s", "p", "out"), {"tau": 0})


@dataclass(frozen=True, eq=False)
class UserElement(Element):
    """An element made by `element`; the joints and points that it is bound to, and its parameters."""

    program: ElementFunction
    declared: Declared
    bound: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""

    kernel: ClassVar[Kind] = k.program

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and self.name.isidentifier()):
            raise InputError(f"element: laws use its name, which must be an identifier, got {self.name!r}")
        self._check_bound()
        for argument, known in (("s", self.declared.reads()), ("out", self.declared.writes())):
            for one in sorted(attributes(self.program.function, ElementFunction.role, argument, None) - set(known)):
                way_out = self._meant(argument, one) or nearest(one, known)
                raise InputError(f"element '{self.title}': {argument} has no '{one}'; {way_out}")
            check_parts(
                f"element '{self.title}'",
                self.program.function,
                ElementFunction.role,
                argument,
                "",
                self._parts(argument),
            )
        places = {one: f"out.{one}" for one in self.declared.writes()}
        places |= {part: f"out.{one}.{part}" for one, parts in self._parts("out").items() for part in parts}
        check_replaced(f"element '{self.title}'", self.program.function, places)
        check_compared(f"element '{self.title}'", self.program.function, "guard")
        asked = attributes(self.program.function, ElementFunction.role, "p", None)
        for one in sorted(asked - set(self.program.parameters)):
            raise InputError(f"element '{self.title}' needs a parameter '{one}'; give it as {self.title}({one}=...)")
        for one in self.declared.breaks:
            if one not in self.program.parameters:
                raise InputError(f"element '{self.title}' needs a parameter '{one}': it is among its breaks")
            if self.program.parameters[one].ndim > 1:
                raise InputError(
                    f"element '{self.title}': {one} is a time [s] or a list of times, where a step must end"
                )

    def _meant(self, argument: str, name: str) -> str | None:
        """A hint for a name that `s` or `out` does not have, if a similar quantity has another name."""
        if argument == "out" and name in ACCOUNTS:
            return f"declare it: @sd.element(accounts=({name!r},), ...)"
        if (argument, name) in (("s", "side"), ("out", "guard")):
            return "declare how many guards it has: @sd.element(guards=1, ...)"
        if argument == "out" and name in ROW_PARTS:
            return "declare how many rows it has: @sd.element(rows=1, ...)"
        if argument == "out" and name in [block.name for block in self.declared.commands]:
            return f"it is a command, which laws write; read it: s.{name}"
        if argument == "s" and name in [block.name for block in self.declared.channels]:
            return f"it is a channel, which laws read; write it: out.{name}"
        return None

    def check_written(self) -> None:
        """Raise if it declares what it never writes, or commands that it never reads: zeros would be recorded."""
        d, function = self.declared, self.program.function
        written = attributes(function, ElementFunction.role, "out", set(d.writes()))
        read = attributes(function, ElementFunction.role, "s", set(d.reads()))
        asked = {"guards": ["guard"] if d.guards else [], "accounts": [account.value for account in d.accounts]}
        asked |= {part: [block.name for block in getattr(d, part)] for part in ("channels", "states", "samples")}
        way_out = {"states": "its rate, 0.0 if it shall stay where it starts", "samples": "what it is to hold"}
        for part, names in asked.items():
            for name in names:
                if name not in written:
                    raise InputError(
                        f"element '{self.title}' never writes out.{name}; write {way_out.get(part, 'it')}, or leave it "
                        f"out of {part}"
                    )
        for block in d.commands:
            if block.name not in read:
                raise InputError(
                    f"element '{self.title}' never reads s.{block.name}; read it, or leave it out of commands"
                )

    def _parts(self, argument: str) -> dict[str, tuple[str, ...]]:
        """Names of the parts of `s` or `out` for each joint and point that it is bound to."""
        of_joint, of_point = (("q", "qd"), tuple(POINT)) if argument == "s" else (("tau",), ("force", "moment"))
        if argument == "out" and self.declared.rows:
            of_joint, of_point = (*of_joint, "row"), (*of_point, "row_force", "row_moment")
        return dict.fromkeys(self.declared.joints, of_joint) | dict.fromkeys(self.declared.points, of_point)

    def _check_bound(self) -> None:
        """Raise if a binding cannot be a joint or a point of any robot."""
        for name in self.declared.joints:
            if not isinstance(self.bound[name], str):
                raise InputError(f"element '{self.title}': {name} is the name of a joint, got {self.bound[name]!r}")
        for name in self.declared.points:
            given = self.bound[name]
            if isinstance(given, str):
                continue
            if not (isinstance(given, tuple | list) and len(given) == 2 and isinstance(given[0], str)):
                raise InputError(
                    f"element '{self.title}': {name} is an endpoint, a body, or (body, place), got {given!r}"
                )

    def __repr__(self) -> str:
        return f"<element '{self.name}' made by {self.title}>"

    @property
    def title(self) -> str:
        """Name of its function."""
        return str(self.program.function.__name__)

    @property
    def label(self) -> str:
        """What laws and the record call it."""
        return self.name

    @property
    def states(self) -> tuple[Block, ...]:  # type: ignore[override]
        """Blocks that are integrated."""
        return self.declared.states

    @property
    def samples(self) -> tuple[Block, ...]:  # type: ignore[override]
        """Blocks that change at instants only."""
        return self.declared.samples

    @property
    def period(self) -> float | None:
        """How often its samples are taken, from the start on [s]; None: only where its guards change sides."""
        given = self.program.parameters.get("period") if self.samples else None
        return None if given is None else float(given)

    @property
    def commands(self) -> tuple[Block, ...]:  # type: ignore[override]
        """Blocks that laws may write."""
        return self.declared.commands

    @property
    def channels(self) -> tuple[Block, ...]:  # type: ignore[override]
        """Blocks that are recorded; multipliers of its rows last."""
        rows = self.declared.rows
        return (*self.declared.channels, *((Block("multiplier", rows, "N or N m"),) if rows else ()))

    @property
    def settles(self) -> Kind | None:  # type: ignore[override]
        """The kernel that records its multipliers."""
        return k.settle_program if self.declared.rows else None

    @property
    def is_late(self) -> bool:
        """Multipliers depend on accelerations."""
        return self.declared.rows > 0

    @property
    def kept(self) -> int:  # type: ignore[override]
        """Numbers that it keeps of its rows."""
        return self.declared.rows * self._kept_of_row

    @property
    def _kept_of_row(self) -> int:
        return k.ROW_PUSHES + 6 * len(self.declared.points) + len(self.declared.joints)

    def row_places(self) -> dict[str, Array]:
        """Place of each number that its function writes for its rows."""
        d, first = self.declared, np.arange(self.declared.rows) * self._kept_of_row
        found = {name: first + i for i, name in enumerate(ROW_PARTS)}
        for i, point in enumerate(d.points):
            for name, at in (("row_force", 0), ("row_moment", 3)):
                found[f"{point}.{name}"] = (first[:, None] + k.ROW_PUSHES + 6 * i + at + np.arange(3)).ravel()
        for i, joint in enumerate(d.joints):
            found[f"{joint}.row"] = first + k.ROW_PUSHES + 6 * len(d.points) + i
        return found if d.rows else {}

    def rows_of(self, model: Model) -> tuple[Row, ...]:
        """Its constraint rows: on all bodies and joints that it is bound to."""
        d = self.declared
        if not d.rows:
            return ()
        bodies = self.attached_to(model) if d.points else ()
        if len(set(bodies)) < len(bodies):
            raise InputError(
                f"element '{self.title}': both points of its rows are on body '{bodies[0]}'; they bind two"
            )
        rates = tuple(rate_of(model, f"element '{self.title}'", self.bound[joint]) for joint in d.joints)
        return tuple(Row(bodies, rates, j >= d.rows - d.nonholonomic) for j in range(d.rows))

    def attached_to(self, model: Model) -> tuple[str, ...]:
        """With rows, the bodies of its points, or the base: it settles when accelerations are known."""
        bodies = tuple(self._point(model, name)[0] for name in self.declared.points)
        return (bodies or (model.body_names[0],)) if self.declared.rows else ()

    @property
    def accounts(self) -> tuple[Account, ...]:  # type: ignore[override]
        """What it enters in the ledger; the work of its pushes, if nothing is said."""
        return self.declared.accounts or (Account.WORK,)

    @property
    def guards(self) -> int:
        """Number of its guards: functions whose sign is held within a step."""
        return self.declared.guards

    @property
    def holds_sides(self) -> bool:
        """With a fixed step, too: its function reads them."""
        return True

    @property
    def breaks(self) -> tuple[float, ...]:
        """Times at which its function is discontinuous [s], ascending."""
        times = [np.ravel(self.program.parameters[name]) for name in self.declared.breaks]
        return tuple(np.unique(np.concatenate([np.empty(0), *times])).tolist())

    @property
    def pushes_bodies(self) -> bool:  # type: ignore[override]
        """Whether it has points."""
        return bool(self.declared.points)

    @property
    def pushes_joints(self) -> bool:  # type: ignore[override]
        """It may push any joint."""
        return True

    def wrenches(self, model: Model) -> tuple[WrenchPoint, ...]:
        """The points at which it pushes."""
        return tuple(WrenchPoint(*self._point(model, name)[:2]) for name in self.declared.points)

    def _point(self, model: Model, name: str) -> tuple[str, Array, Array]:
        """A point that it is bound to: its body, its place and rotation in that body's frame."""
        given = self.bound[name]
        if isinstance(given, str) and given in model.endpoint_names:
            end = model.endpoint(given)
            return end.body, np.asarray(end.position), np.asarray(end.rotation)
        body, place = (given, np.zeros(3)) if isinstance(given, str) else given
        if isinstance(given, str) and body not in model.body_names:
            raise UnknownName("body or endpoint", body, [*model.body_names, *model.endpoint_names])
        model.body_index(body)
        return body, three(f"element '{self.title}'", f"the place of {name}", place), np.eye(3)

    def numbers(self, model: Model) -> Numbers:
        """Places and rotations of its points, then its parameters; its integers depend on the layout: `integers`."""
        for joint in self.declared.joints:
            model.joint_index(self.bound[joint])
        parts: list[Array] = []
        for name in self.declared.points:
            body, place, turn = self._point(model, name)
            inside = model.flat.to_internal[model.body_index(body)]
            parts += [point_of(model, body, place)[1], (inside @ turn).ravel()]
        parts += [np.ravel(value) for value in self.program.parameters.values()]
        return Numbers((), np.concatenate([*parts, [0.0]]))

    @cached_property
    def names(self) -> tuple[list[str], list[str]]:
        """What its function reads and writes, in the order in which it is handed their places."""
        d, function = self.declared, self.program.function
        seen = attributes(function, ElementFunction.role, "s", set(d.reads()))
        written = attributes(function, ElementFunction.role, "out", set(d.writes()))
        reads, writes = [], []
        for name in d.reads():
            parts = self._parts("s").get(name, ())
            reads += ([f"{name}.{part}" for part in parts] or [name]) if name in seen else []
        for name in d.writes():
            parts = self._parts("out").get(name, ())
            writes += ([f"{name}.{part}" for part in parts] or [name]) if name in written else []
        return reads, writes

    @property
    def role(self) -> Role:
        """What messages call it."""
        return ElementFunction.role

    def _source(self) -> tuple[str, dict[str, Any]]:
        """The key of its compiled adapter between function and driver."""
        wide = ("rotation", *(("row_force", "row_moment") if self.declared.rows else ()))
        columns = {**SEEN, **{f"{point}.{part}": 3 for point in self.declared.points for part in wide}}
        return wrapper_source(ElementFunction.role.arguments, *self.names, self.program.parameters, columns)

    def compiled(self) -> Compiled:
        """Its compiled C function."""
        return compile_function(self.program, *self._source())

    def rehearsed(self, t: float, view: Array, places: Array) -> Array:
        """Output of the function run as plain Python, with its exceptions."""
        return rehearse_function(self.program, *self._source(), t, view, places)

    # --- where everything is, given the layout of a simulation -------------------------------------------------------

    def own_view(self, first: int) -> dict[str, slice]:
        """Slices of the numbers that it sees in addition to the robot, from place `first` on."""
        d, found, at = self.declared, {}, first
        blocks = [(b.name, b.size) for b in (*d.states, *d.samples, *d.commands)] + (
            [("side", d.guards)] if d.guards else []
        )
        for name, size in blocks:
            found[name] = slice(at, at + size)
            at += size
        for point in d.points:
            found |= {f"{point}.{part}": slice(at + a, at + b) for part, (a, b, _) in POINT.items()}
            at += k.POINT_VIEW
        found[""] = slice(first, at)
        return found

    def out(self, joints: int) -> dict[str, slice]:
        """Slices of what it writes: forces on all joints, wrenches at its points, the rest."""
        d, found, at = self.declared, {"tau": slice(0, joints)}, joints
        for point in d.points:
            found |= {f"{point}.force": slice(at, at + 3), f"{point}.moment": slice(at + 3, at + 6)}
            at += 6
        blocks = [(b.name, b.size) for b in (*d.states, *d.samples, *d.channels)] + [(one, 1) for one in ACCOUNTS]
        rows = [(name, places.size) for name, places in self.row_places().items()]
        for name, size in [*blocks, ("guard", d.guards), *rows]:
            found[name] = slice(at, at + size)
            at += size
        found[""] = slice(0, at)
        return found

    def places(self, model: Model, view: Mapping[str, slice], robot: int) -> list[int]:
        """The table that its function is called with: sizes of view and out, then start and end of each used part."""
        own, joints = self.own_view(robot), model.nv - model.base_dof
        out = self.out(joints)
        for joint in self.declared.joints:
            q, rates = model.q_slice(self.bound[joint]), model.u_slice(self.bound[joint])
            first = rates.start - model.base_dof, rates.stop - model.base_dof
            own[f"{joint}.q"] = slice(view["q"].start + q.start, view["q"].start + q.stop)
            own[f"{joint}.qd"] = slice(view["qd"].start + first[0], view["qd"].start + first[1])
            out[f"{joint}.tau"] = slice(*first)
        where = [{**view, **own}[name] for name in self.names[0]] + [out[name] for name in self.names[1]]
        return [own[""].stop, out[""].stop, *(end for one in where for end in (one.start, one.stop))]
