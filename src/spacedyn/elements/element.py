"""The protocol of elements: an element declares what it owns, and everything else follows from that.

    run = sd.simulate(robot, state, 60.0, elements=[
        sd.UniformGravity((0, 0, -1.62)),
        sd.Wrench("bus", force=(0, 0, 2.0), point=(0.5, 0, 0), frame="body", stop=3.0),
        sd.Tether("hand", "inertial", other_point=(3, 0, 0), stiffness=200.0, rest_length=2.0),
        sd.Motor("joint3", stall_torque=2.0, name="elbow"),
        sd.LockedJoint("joint5"),
        hold(target=0.3),  # a law
    ])

States are integrated with the robot; channels are recorded and read by laws; laws write commands; accounts enter the
ledger. Steps end where a guard changes its sign, and at breaks, the known times of discontinuities. The mathematics is
a kind of kernels/elements, compiled when a simulation first uses it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError, UnknownName
from ..kernels.elements.kind import Kind
from ..laws.compile import ElementPorts
from ..model.model import Model, robot_of
from ..model.state import State
from ..quantities.calls import point_on
from ..reals import finite_array
from ..signatures import checked_fields

Array = np.ndarray


@checked_fields()
@dataclass(frozen=True)
class Block:
    """A named block of an element's numbers; its name, unit and labels appear in the record and in laws.

    Parameters
    ----------
    name : str
        An identifier.
    size : int
        How many numbers.
    unit : str
        Such as 'N m'; 'J' for energies.
    labels : tuple of str
        Labels of the numbers, if there are several.
    start : float
        Default initial value of a state.
    """

    name: str
    size: int = 1
    unit: str = ""
    labels: tuple[str, ...] = ()
    start: float = 0.0


class Account(Enum):
    """Kinds of entries in the ledger: the audit adds up kinds, and knows no element.

    WORK (energy added) and DISSIPATED (energy lost) are integrated; STORED is part of the energy. The impulse of
    external forces is computed from the forces themselves.
    """

    WORK = "work"
    DISSIPATED = "dissipated"
    STORED = "stored"


class Declaration(NamedTuple):
    """What an element or a law owns, in one form."""

    states: tuple[Block, ...] = ()
    commands: tuple[Block, ...] = ()
    channels: tuple[Block, ...] = ()
    accounts: tuple[Account, ...] = ()
    guards: int = 0
    breaks: tuple[float, ...] = ()
    period: float | None = None  # of a sampled law [s]; None: a continuous one


class Numbers(NamedTuple):
    """The parameters of an element as its kernel reads them: integers (bodies, joints) and numbers."""

    integers: tuple[int, ...]
    numbers: Array


class Row(NamedTuple):
    """The targets of a constraint row: one body (a force from outside) or two, by name, and joint rates, by number.

    A nonholonomic row is a condition on velocities alone, without a residual: a wheel that does not slip.
    """

    bodies: tuple[str, ...] = ()
    rates: tuple[int, ...] = ()
    is_nonholonomic: bool = False
    rubs: bool = False  # whether its multiplier exerts an additional force, not along its gradient: friction


class WrenchPoint(NamedTuple):
    """A point of a body at which an element applies a recorded wrench; body '' is the inertial frame.

    `against`: a body that takes the opposite wrench at the same point in space, which is not recorded again.
    """

    body: str
    point: Array
    against: str = ""


@dataclass(frozen=True, eq=False)
class Element:
    """Base class of all elements; each kind is a frozen dataclass.

    Attributes
    ----------
    states, samples, commands, channels : tuple of Block
        Integrated numbers; numbers that change only every `period` seconds and where a guard of the element changes its
        side; numbers that laws write; numbers that are recorded and that laws read.
    accounts : tuple of Account
        Kinds of its ledger entries.
    pushes_bodies, pushes_joints : bool
        Whether it acts on bodies, on joints.
    kernel : Kind or None
        Its compiled side; None for uniform gravity and held joints, which the dynamics of a robot includes.
    carries, settles : Kind or None
        Kernels called before all forces, to attach mass and momentum to bodies, and after accelerations are known.
    is_field : bool
        Whether it is a gravity field, which is evaluated before kernels that attach mass.
    loses_mass : bool
        Whether mass that it carries may leave.
    senses : Kind or None
        A kernel of an element with commands that is called before laws. It writes the channels named in `sensed`, which
        do not depend on commands, so that continuous laws may read them, too.
    """

    states: ClassVar[tuple[Block, ...]] = ()
    samples: ClassVar[tuple[Block, ...]] = ()
    commands: ClassVar[tuple[Block, ...]] = ()
    channels: ClassVar[tuple[Block, ...]] = ()
    accounts: ClassVar[tuple[Account, ...]] = (Account.WORK,)
    pushes_bodies: ClassVar[bool] = True
    pushes_joints: ClassVar[bool] = False
    is_line: ClassVar[bool] = False  # whether it is drawn as a line between its two points
    own_norms: ClassVar[bool] = False  # whether each block of its states has an error norm apart from the robot's
    carries_frame: ClassVar[bool] = False  # whether its first six states are position and velocity of the origin
    kernel: ClassVar[Kind | None] = None
    carries: ClassVar[Kind | None] = None
    settles: ClassVar[Kind | None] = None
    is_field: ClassVar[bool] = False
    loses_mass: ClassVar[bool] = False
    kept: ClassVar[int] = 0  # numbers that its kernels pass to kernels called later in the same evaluation
    feels_fields: ClassVar[bool] = False  # whether it needs the accelerations of gravity fields at bodies
    sums_forces: ClassVar[bool] = False  # whether it needs the sum of inertias and forces that elements add to bodies
    senses: ClassVar[Kind | None] = None
    sensed: ClassVar[tuple[str, ...]] = ()
    weighs: ClassVar[bool] = False  # whether its numbers depend on masses of bodies
    asks: ClassVar[bool] = False  # whether its guards call for impulses, beyond a change of side: rigid contact
    former_names: ClassVar[Mapping[str, str]] = {}  # former names of fields, still accepted

    @property
    def touches(self) -> int:
        """Number of possible contact places that it provides to a method that steps through contact."""
        return 0

    @property
    def finds_touches(self) -> bool:
        """Whether its kernel assigns contact places anew at each evaluation, by keys."""
        return False

    def under(self, stepping: bool) -> "Element":
        """The element in the form for a method that steps through rigid contact, or for any other."""
        return self

    def numbers(self, model: Model) -> Numbers:
        """The integers and numbers that its kernel reads; raise, by name, if the model lacks a body or joint."""
        raise NotImplementedError

    def for_model(self, model: Model) -> "Element":
        """The element completed from a model, as by collision shapes; most elements return themselves."""
        return self

    def check_start(self, state: State, span: tuple[float, float], others: Sequence["Element"]) -> None:
        """Raise if the element does not fit the start state, the span of time [s] or the other elements."""

    def check_step(self, state: State, step: float) -> None:
        """Warn if a fixed step [s] would pass over events of the element."""

    def failure_note(self, state: State) -> str:
        """The element's explanation why a simulation failed at a state; empty if it has none."""
        return ""

    @property
    def slowness_note(self) -> str:
        """How the element may make steps very short, and the remedy; empty if it cannot."""
        return ""

    def wrenches(self, model: Model) -> tuple[WrenchPoint, ...]:
        """The points at which its recorded wrenches act."""
        return ()

    def attached_to(self, model: Model) -> tuple[str, ...]:
        """Bodies to which it adds inertia, or whose accelerations it needs."""
        return ()

    def rows_of(self, model: Model) -> tuple[Row, ...]:
        """Its constraint rows, as its kind writes them (kernels/elements/rows.py); their bodies are `attached_to`."""
        return ()

    def is_against(self, model: Model, state: State, *, as_given: bool = False) -> str:
        """A fault that closed rows do not show: axes that point against each other. Empty if there is none.

        It checks one state, or all states of a batch. In a state `as_given`, opposite axes are allowed where the rows
        hold for them, too.
        """
        return ""

    def jump(self, model: Model, before: State, after: State) -> Array:
        """The jump of its states when an impulse changes the rates of the robot."""
        return np.zeros(sum(block.size for block in self.internal_blocks))

    @property
    def links(self) -> tuple[str, ...]:
        """Names of other elements that it works with."""
        return ()

    def fastest_rate(self, model: Model) -> float:
        """An estimate of the fastest rate of oscillation or decay that it causes [1/s]; 0 if unknown."""
        return 0.0

    def check_link(self, other: "Element") -> None:
        """Raise unless the element that it refers to is of the right kind."""

    @property
    def is_late(self) -> bool:
        """Whether its channels depend on accelerations, and so on the commands of the same instant."""
        return False

    @property
    def guards(self) -> int:
        """Number of its guards: functions whose sign is held within a step."""
        return 0

    @property
    def holds_sides(self) -> bool:
        """Whether the sides of its guards are held with a fixed step, too, because samples or other elements need them.

        Most kernels use `switch`, which with a fixed step returns the sign of the guard's present value.
        """
        return self.asks or bool(self.samples)

    @property
    def breaks(self) -> tuple[float, ...]:
        """Times at which it is discontinuous [s]: steps end there."""
        return () if self.span is None else tuple(t for t in self.span if np.isfinite(t))

    @property
    def faults(self) -> tuple[tuple[float, str], ...]:
        """When it fails [s], and how, in words."""
        return ()

    def happened(self, last: Mapping[str, Array]) -> list[tuple[float, str]]:
        """Faults in a run (time [s], words), read from its final states and samples `last`, one row per robot."""
        return []

    @property
    def span(self) -> tuple[float, float] | None:
        """Start and end of its action [s]; None: it always acts."""
        return None

    @property
    def label(self) -> str:
        """Its name in the record."""
        return getattr(self, "name", None) or type(self).__name__.lower()

    @property
    def period(self) -> float | None:
        """Sampling period from the start on [s]; None: samples are taken only where its guards change sides."""
        return None

    @property
    def internal_blocks(self) -> tuple[Block, ...]:
        """Its blocks in State.internal: states, then samples."""
        return (*self.states, *self.samples)

    def initial_values(self) -> Array:
        """Initial values of its states and samples."""
        return np.concatenate([np.empty(0), *(np.full(block.size, block.start) for block in self.internal_blocks)])

    def start_values(self, model: Model) -> Array:
        """Initial values that depend on the robot; by default `initial_values`."""
        return self.initial_values()


def declaration_of(one: Any) -> Declaration:
    """The declaration of an element, of a law, or of either's record in a file.

    >>> import spacedyn as sd
    >>> declaration_of(sd.Motor("elbow", stall_torque=2.0)).commands
    (Block(name='torque', size=1, unit='N m or N', labels=(), start=0.0),)
    """
    if isinstance(one, Element):
        return Declaration(
            one.internal_blocks, one.commands, one.channels, one.accounts, one.guards, one.breaks, one.period
        )
    states = tuple(Block(name, size) for name, size in one.states.items())
    return Declaration(states, accounts=(Account.WORK,), period=one.period)


def three(what: str, name: str, value: Any) -> Array:
    """Three finite numbers, or an error by name."""
    return finite_array(f"{what}: {name}", value, "three finite numbers", [(3,)])


def direction(what: str, name: str, value: Any) -> Array:
    """A unit vector along three finite numbers, or an error by name."""
    array = three(what, name, value)
    size = np.abs(array).max()
    if size == 0.0:
        raise InputError(f"{what}: {name} must be a direction, got zero")
    array = array / size  # squares must neither overflow nor underflow
    return array / np.linalg.norm(array)


def point_of(model: Model, body: str, point: ArrayLike) -> tuple[int, Array]:
    """A point of a body in the kernels' body frame."""
    order, place = point_on(model, model.body_index(body), np.asarray(point))
    return int(order[0]), place


def rate_of(model: Model, what: str, joint: str) -> int:
    """The rate of a joint that has one, or an error by name."""
    rates = model.u_slice(joint)
    if rates.stop - rates.start != 1:
        raise InputError(f"{what}: it needs a joint with one rate; '{joint}' is {model.joint(joint).kind}")
    return rates.start


def check_elements(model: Model, elements: Iterable[Element]) -> None:
    """Raise unless the model has all bodies and joints, and every linked element exists exactly once.

    Two elements may share a name if no law uses it.
    """
    one, listed = robot_of(model, 0), list(elements)
    for element in listed:
        try:
            element.numbers(one)
        except UnknownName as error:
            ends = [end for end in one.endpoints if end.name == error.name] if error.what == "body" else []
            otherwise = f"'{error.name}' is an endpoint: give its body, '{ends[0].body}', and a point" if ends else ""
            whose = f"element '{element.label}'"
            raise UnknownName(error.what, error.name, error.known, whose=whose, otherwise=otherwise) from None
        linked_to(element, listed)


def linked_to(element: Element, elements: Sequence[Element]) -> list[int]:
    """The numbers of the elements linked to `element`; raise if a name is missing or ambiguous."""
    found = []
    for name in element.links:
        same = [i for i, other in enumerate(elements) if other.label == name]
        if not same:
            labels = [other.label for other in elements if other is not element]
            raise UnknownName(f"element that {element.label!r} works with", name, labels)
        if len(same) > 1:
            raise InputError(f"{element.label!r} works with {name!r}, and {len(same)} elements have that name")
        element.check_link(elements[same[0]])
        found.append(same[0])
    return found


def element_names(elements: Iterable[Element]) -> list[str]:
    """Names of elements in the record: their labels, numbered where several are equal.

    >>> from spacedyn import Drag
    >>> element_names([Drag("bus", 1.0), Drag("bus", 2.0), Drag("arm", 1.0)])
    ['drag on bus', 'drag on bus (2)', 'drag on arm']
    """
    names: list[str] = []
    for element in elements:
        name, count = element.label, 1
        while name in names:
            count += 1
            name = f"{element.label} ({count})"
        names.append(name)
    return names


def blocks_of(elements: Iterable[Element]) -> dict[str, ElementPorts]:
    """By element: channels that laws read, commands that laws write, states that conditions read.

    Only elements whose names are identifiers.
    """
    found: dict[str, ElementPorts] = {}
    for element in elements:
        name, before = element.label, found.get(element.label)
        if name.isidentifier():
            channels, commands = ([block.name for block in some] for some in (element.channels, element.commands))
            namesakes = 1 + (before.namesakes if before else 0)
            at_once = element.sensed if commands or element.is_late else tuple(channels)
            states = tuple(block.name for block in element.internal_blocks)
            found[name] = ElementPorts(tuple(channels), tuple(commands), namesakes, at_once, states)
    return found
