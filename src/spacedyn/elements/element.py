"""What acts on a robot in a simulation: an element declares what it owns, and everything else follows from that.

    run = sd.simulate(robot, state, 60.0, elements=[
        sd.UniformGravity((0, 0, -1.62)),
        sd.Wrench("bus", force=(0, 0, 2.0), point=(0.5, 0, 0), frame="body", stop=3.0),
        sd.Tether("hand", "inertial", other_point=(3, 0, 0), stiffness=200.0, rest_length=2.0),
        sd.Motor("joint3", stall_torque=2.0, name="elbow"),
        sd.LockedJoint("joint5"),
        hold(target=0.3),  # a law
    ])

States are integrated with the robot, channels recorded and seen by laws, commands written by laws; accounts enter the
ledger, guards make steps end where something changes, breaks where it is known to. The mathematics is a kind of
kernels/elements, compiled when a simulation first uses it.
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
    """A named piece of what an element owns; all that a person sees of it follows from here.

    Parameters
    ----------
    name : str
        An identifier.
    size : int
        How many numbers.
    unit : str
        Such as 'N m'; 'J' for energies.
    labels : tuple of str
        Of the numbers, if there are several.
    start : float
        Where a state starts, if nothing else is said.
    """

    name: str
    size: int = 1
    unit: str = ""
    labels: tuple[str, ...] = ()
    start: float = 0.0


class Account(Enum):
    """Kinds of entries in the ledger: the audit adds up kinds, and knows no element.

    WORK and DISSIPATED are integrated: what comes in and what is lost. STORED belongs to the energy. The impulse of
    pushes from outside is computed from the pushes themselves.
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
    period: float | None = None  # between samples [s], of a law that is sampled; None: it acts all the time


class Numbers(NamedTuple):
    """An element as its kind reads it: integers (bodies, joints) and numbers."""

    integers: tuple[int, ...]
    numbers: Array


class Row(NamedTuple):
    """What a constraint row pushes: bodies, two within the robot or one from outside, and joint rates, by number.

    A nonholonomic row is a condition on velocities alone, without a residual: a wheel that does not slip.
    """

    bodies: tuple[str, ...] = ()
    rates: tuple[int, ...] = ()
    is_nonholonomic: bool = False
    rubs: bool = False  # whether its multiplier pushes more than its gradient: friction


class WrenchPoint(NamedTuple):
    """A point of a body at which an element applies a recorded wrench; body '' is the inertial frame.

    `against`: a body that takes the opposite wrench at the same point in space, which is not recorded again.
    """

    body: str
    point: Array
    against: str = ""


@dataclass(frozen=True, eq=False)
class Element:
    """What all elements have; each kind is a frozen dataclass of its own.

    Attributes
    ----------
    states, samples, commands, channels : tuple of Block
        What is integrated; what changes at instants only, every `period` seconds and where a guard of its own changes
        its side; what laws may write; what is recorded and what laws may read.
    accounts : tuple of Account
        What it enters in the ledger.
    pushes_bodies, pushes_joints : bool
        Whether it acts on bodies, on joints.
    kernel : Kind or None
        Its compiled side; None: the dynamics of a robot has it already, as uniform gravity and joints that are held.
    carries, settles : Kind or None
        What it does before all forces: mass and momentum that it attaches to bodies; and when accelerations are known.
    is_field : bool
        Whether it is a gravity field, which acts before what is attached to bodies does.
    loses_mass : bool
        Whether mass that it carries may leave.
    senses : Kind or None
        Of an element with commands: a kind that is called before laws are, and writes the channels named in `sensed`,
        which do not depend on commands. So laws of any sort may read them.
    """

    states: ClassVar[tuple[Block, ...]] = ()
    samples: ClassVar[tuple[Block, ...]] = ()
    commands: ClassVar[tuple[Block, ...]] = ()
    channels: ClassVar[tuple[Block, ...]] = ()
    accounts: ClassVar[tuple[Account, ...]] = (Account.WORK,)
    pushes_bodies: ClassVar[bool] = True
    pushes_joints: ClassVar[bool] = False
    is_line: ClassVar[bool] = False  # whether it is drawn as a line between its two points
    own_norms: ClassVar[bool] = False  # whether errors of its states are judged apart from the robot's, block by block
    carries_frame: ClassVar[bool] = False  # whether its first six states are where the frame's origin is, and how fast
    kernel: ClassVar[Kind | None] = None
    carries: ClassVar[Kind | None] = None
    settles: ClassVar[Kind | None] = None
    is_field: ClassVar[bool] = False
    loses_mass: ClassVar[bool] = False
    kept: ClassVar[int] = 0  # numbers that its kinds keep for those that are called later in an evaluation
    feels_fields: ClassVar[bool] = False  # whether it needs the accelerations of gravity fields at bodies
    sums_forces: ClassVar[bool] = False  # whether it needs the inertia and forces that elements add to bodies
    senses: ClassVar[Kind | None] = None
    sensed: ClassVar[tuple[str, ...]] = ()
    weighs: ClassVar[bool] = False  # whether its numbers depend on masses of bodies
    asks: ClassVar[bool] = False  # whether its guards ask for more than another side: rigid contact
    former_names: ClassVar[Mapping[str, str]] = {}  # of fields, which go on working

    @property
    def touches(self) -> int:
        """Number of places where bodies may touch, that it gives to a method that steps through contact."""
        return 0

    @property
    def finds_touches(self) -> bool:
        """Whether its kind hands them out anew at each evaluation, by keys."""
        return False

    def under(self, stepping: bool) -> "Element":
        """Itself as a method takes it: one that steps through rigid contact, or any other."""
        return self

    def numbers(self, model: Model) -> Numbers:
        """The integers and numbers that its kind reads; raise, by name, for what the model lacks."""
        raise NotImplementedError

    def for_model(self, model: Model) -> "Element":
        """The element with what it takes from a model: itself, unless it asks for shapes."""
        return self

    def check_start(self, state: State, span: tuple[float, float], others: Sequence["Element"]) -> None:
        """Raise by name what does not fit a start, the span of time [s] or the other elements of a simulation."""

    def check_step(self, state: State, step: float) -> None:
        """Warn by name of what a fixed step [s] would pass over."""

    def failure_note(self, state: State) -> str:
        """What it knows of the cause if a simulation could not go on from a state; nothing if nothing."""
        return ""

    @property
    def slowness_note(self) -> str:
        """How it may make steps very short, and the way out; nothing if it does not."""
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
        """A problem that closed rows do not show, in words: axes that point against each other. Nothing if none.

        Of one state, or of any in a batch; a state `as_given` may have such axes where they hold as well.
        """
        return ""

    def jump(self, model: Model, before: State, after: State) -> Array:
        """By how much its states jump where an impulse changes the rates of the robot that it is attached to."""
        return np.zeros(sum(block.size for block in self.internal_blocks))

    @property
    def links(self) -> tuple[str, ...]:
        """Names of other elements that it works with."""
        return ()

    def fastest_rate(self, model: Model) -> float:
        """An estimate of the fastest rate of oscillation or decay that it causes [1/s]; 0 if unknown."""
        return 0.0

    def check_link(self, other: "Element") -> None:
        """Raise unless an element that it names is of the kind that it works with."""

    @property
    def is_late(self) -> bool:
        """Whether its channels depend on accelerations, and so on what laws command at the same instant."""
        return False

    @property
    def guards(self) -> int:
        """Number of its guards: functions whose sign is held within a step."""
        return 0

    @property
    def holds_sides(self) -> bool:
        """Whether sides of its guards are held with a fixed step, too: its samples or other elements go by them.

        Most kinds ask `switch`, which with a fixed step goes by the guard's value.
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
        """What happened to it in a run, when [s] and how: by the last of its states and samples, a row a robot."""
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
        """How often its samples are taken, from the start on [s]; None: only where its guards change sides."""
        return None

    @property
    def internal_blocks(self) -> tuple[Block, ...]:
        """The blocks that State.internal holds of it: states, then samples."""
        return (*self.states, *self.samples)

    def initial_values(self) -> Array:
        """Initial values of its states and samples."""
        return np.concatenate([np.empty(0), *(np.full(block.size, block.start) for block in self.internal_blocks)])

    def start_values(self, model: Model) -> Array:
        """The same where they depend on the robot."""
        return self.initial_values()


def declaration_of(one: Any) -> Declaration:
    """What an element owns, or a law, or what a file knows of one: the work of a law's commands is in the ledger.

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
    array = array / size  # so that squares neither overflow nor vanish
    return array / np.linalg.norm(array)


def point_of(model: Model, body: str, point: ArrayLike) -> tuple[int, Array]:
    """A point of a body as the kernels have it."""
    order, place = point_on(model, model.body_index(body), np.asarray(point))
    return int(order[0]), place


def rate_of(model: Model, what: str, joint: str) -> int:
    """The rate of a joint that has one, or an error by name."""
    rates = model.u_slice(joint)
    if rates.stop - rates.start != 1:
        raise InputError(f"{what}: it needs a joint with one rate; '{joint}' is {model.joint(joint).kind}")
    return rates.start


def check_elements(model: Model, elements: Iterable[Element]) -> None:
    """Raise unless the model has their bodies and joints, and every element that one works with is there once.

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
    """The numbers of the elements that one works with; raise by name if one is missing or there twice."""
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
    """Their names in the record: labels, numbered where several are the same.

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
    """Channels that laws may read, commands that they may write and states that conditions may read, by element.

    Of elements whose names are identifiers.
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
