"""Events: conditions on the robot, located in time to rounding, and the actions that follow.

    fall = sd.Event(sd.endpoint_reaches("foot", point=(0, 0, 0), normal=(0, 0, 1)), direction=-1, action=bounce)
    run = sd.simulate(robot, state, 10.0, events=[fall])
    [(event.time, event.name) for event in run.events]

A condition is a number that passes through zero: a ready-made one, or a user's function decorated with `condition`.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..laws.conditions import Condition, condition
from ..laws.law import Law, LawTemplate
from ..model.model import Model
from ..model.state import State
from ..orbit.constants import EARTH_RADIUS
from ..quantities.calls import vector
from ..reals import one_number
from ..signatures import checked_arguments, checked_fields, is_several
from .action_kinds import Action


@condition
def _coordinate(t: float, s: Any, p: Any, out: Any) -> None:
    out.value[0] = s.q[int(p.index)] - p.value


@condition
def _height(t: float, s: Any, p: Any, out: Any) -> None:
    height = 0.0
    for k in range(3):
        height += p.normal[k] * (s.endpoints[int(p.endpoint), k] - p.point[k])
    out.value[0] = height


@dataclass(frozen=True, eq=False)
class ReadyMade:
    """A condition that needs to know the robot."""

    label: str
    of: Callable[[Model], Condition]


@checked_arguments()
def joint_reaches(joint: str, value: float, *, part: int = 0) -> ReadyMade:
    """A joint's coordinate passes through a value.

    Parameters
    ----------
    joint : str
        Its name.
    value : float
        [rad, m].
    part : int
        Which coordinate, of a joint that has several.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> stop = sd.Event(sd.joint_reaches("joint1", 0.5), terminal=True)
    >>> run = sd.simulate(robot, robot.state(qd=[0.1, 0, 0, 0]), 60.0, events=[stop])
    >>> run.status, bool(abs(run.final.q[0] - 0.5) < 1e-12)
    ('event', True)
    """
    value = one_number("joint_reaches: value", value)

    def of(model: Model) -> Condition:
        one = model.joint(joint)
        if not one.kind_record.plain_coordinates:
            raise InputError(f"joint_reaches: joint '{joint}' is {one.kind}; write a condition for its attitude")
        if not 0 <= part < one.nq:
            raise InputError(f"joint_reaches: joint '{joint}' has {one.nq} coordinates; there is no part {part}")
        made = _coordinate(index=model.q_slice(joint).start + part, value=float(value))
        assert isinstance(made, Condition)
        return made

    return ReadyMade(f"{joint} reaches {value:g}", of)


@checked_arguments()
def endpoint_reaches(endpoint: str, point: ArrayLike, normal: ArrayLike) -> ReadyMade:
    """An endpoint passes through a plane.

    Parameters
    ----------
    endpoint : str
        Its name.
    point, normal : (3,)
        Of the plane, inertial axes [m]. The condition is the endpoint's height above it, along the normal.

    Examples
    --------
    >>> import spacedyn as sd
    >>> sd.Event(sd.endpoint_reaches("hand", (0, 0, 1), (0, 0, 1)), terminal=True).label
    'hand reaches the plane'
    """
    where, along = vector("point", point, "such as (0, 0, 0)"), vector("normal", normal, "such as (0, 0, 1)")
    if not along.any():
        raise InputError("normal: expected a direction, got zero")
    along = along / np.abs(along).max()  # so that squares neither overflow nor vanish
    along = along / np.linalg.norm(along)

    def of(model: Model) -> Condition:
        made = _height(endpoint=model.endpoint_index(endpoint), point=where, normal=along)
        assert isinstance(made, Condition)
        return made

    return ReadyMade(f"{endpoint} reaches the plane", of)


@condition
def _altitude(t: float, s: Any, p: Any, out: Any) -> None:
    square = 0.0
    for k in range(3):
        square += (s.base_position[k] - p.center[k]) ** 2
    out.value[0] = square**0.5 - p.level


@condition
def _altitude_in_orbit(t: float, s: Any, p: Any, out: Any) -> None:
    square = 0.0
    for k in range(3):
        square += (s.orbiting_origin.position[k] + s.base_position[k] - p.center[k]) ** 2
    out.value[0] = square**0.5 - p.level


@checked_arguments()
def altitude_reaches(
    altitude: float = 0.0, *, radius: float = EARTH_RADIUS, center: ArrayLike = (0.0, 0.0, 0.0), origin: bool = False
) -> ReadyMade:
    """The base passes through an altitude above a spherical planet: an orbit that meets the Earth, or leaves the air.

    Parameters
    ----------
    altitude : float
        [m].
    radius : float
        Of the planet [m].
    center : (3,)
        Where the planet is, in the inertial frame [m].
    origin : bool
        Whether positions are relative to the simulation's `OrbitingOrigin` (one without a name of its own).

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> start = sd.orbit.orbit_state(robot, sd.orbit.OrbitalElements(6.6e6, 0.05, anomaly=3.14))
    >>> ground = sd.Event(sd.altitude_reaches(0.0), direction=-1, terminal=True, name="meets the Earth")
    >>> run = sd.simulate(robot, start, 6000.0, elements=[sd.CentralGravity()], events=[ground])
    >>> run.status, run.events[0].name, round(run.events[0].time)
    ('event', 'meets the Earth', 1993)
    """
    level, size = one_number("altitude_reaches: altitude", altitude), one_number("altitude_reaches: radius", radius)
    where = vector("center", center, "such as (0, 0, 0)")

    def of(model: Model) -> Condition:
        made = (_altitude_in_orbit if origin else _altitude)(center=where, level=level + size)
        assert isinstance(made, Condition)
        return made

    return ReadyMade(f"altitude reaches {level:g}", of)


@condition
def _distance(t: float, s: Any, p: Any, out: Any) -> None:
    square = 0.0
    for k in range(3):
        square += (s.endpoints[int(p.one), k] - s.endpoints[int(p.other), k]) ** 2
    out.value[0] = square**0.5 - p.distance


@checked_arguments()
def endpoints_within(endpoint: str, other: str, distance: float) -> ReadyMade:
    """Two endpoints come within a distance of each other: a hand reaches what it is to catch.

    Parameters
    ----------
    endpoint, other : str
        Their names.
    distance : float
        [m]; the condition is how much farther they are apart, so `direction=-1` is their coming nearer.

    Examples
    --------
    >>> import spacedyn as sd
    >>> sd.Event(sd.endpoints_within("hand", "handle", 0.02), direction=-1).label
    'hand within 0.02 of handle'
    """
    distance = one_number("endpoints_within: distance", distance, "a positive length [m]")
    if not distance > 0.0:
        raise InputError(f"endpoints_within: distance must be a positive length [m], got {distance}")

    def of(model: Model) -> Condition:
        one, two = model.endpoint_index(endpoint), model.endpoint_index(other)
        if one == two:
            raise InputError(f"endpoints_within: expected two endpoints, got '{endpoint}' twice")
        made = _distance(one=one, other=two, distance=float(distance))
        assert isinstance(made, Condition)
        return made

    return ReadyMade(f"{endpoint} within {distance:g} of {other}", of)


@checked_fields("condition", "action")
@dataclass(frozen=True, eq=False)
class Event:
    """Something that happens when a condition passes through zero.

    Parameters
    ----------
    condition : Condition
        `joint_reaches(...)`, `endpoint_reaches(...)`, or a function made by `condition` and called with parameters.
    direction : int
        1: only upward, -1: only downward, 0: both.
    terminal : bool
        Whether the run ends there; of a batch, only the robot that it happens to.
    action : callable or Action, or several, optional
        f(t, state) that may return a changed State, with which the simulation goes on; the ledger takes what changes.
        It changes positions and rates: `state` has no internal states, those of elements and laws stay.
        Or one of `sd.actions`: `lock`, `free`, `follow`, `attach`, `release`, which change modes of joints,
        `impact(...)`, `engage(...)`, `disengage(...)`: they act inside the robot, whose momentum stays. A function may
        return one of these, too. Several are done in order.
    name : str, optional
        For the record.

    Examples
    --------
    >>> import spacedyn as sd
    >>> sd.Event(sd.joint_reaches("elbow", 1.0), direction=1).label
    'elbow reaches 1'
    """

    condition: Condition | ReadyMade
    direction: int = 0
    terminal: bool = False
    action: Callable[[float, State], Any] | Action | Sequence[Any] | None = None
    name: str | None = None

    def __post_init__(self) -> None:
        if isinstance(self.condition, LawTemplate):
            function = self.condition.function.__name__
            raise InputError(f"condition '{function}' has no parameters yet; call it: {function}(...)")
        if not isinstance(self.condition, Condition | ReadyMade):
            raise InputError(
                "Event: expected joint_reaches(...), endpoint_reaches(...), or a function made by @condition and "
                f"called with its parameters, got {self.condition!r}"
            )
        if self.direction not in (-1, 0, 1):
            raise InputError(f"Event: direction must be -1, 0 or 1, got {self.direction!r}")
        for action in self.actions:
            if not (isinstance(action, Action) or callable(action)):
                raise InputError(
                    "Event: action must be a function of time and state, or one of sd.actions, such as "
                    f"sd.actions.lock(...), got {action!r}"
                )

    @property
    def label(self) -> str:
        """What it is called in the record."""
        return self.name or self.condition.label

    @property
    def actions(self) -> tuple[Any, ...]:
        """What is done, in order."""
        if self.action is None:
            return ()
        return tuple(self.action) if isinstance(self.action, list | tuple) else (self.action,)

    @property
    def switches(self) -> bool:
        """Whether its action may change modes of joints, or its condition reads them."""
        return bool(self.actions) or (isinstance(self.condition, Law) and self.condition.switches)

    @property
    def record(self) -> "EventRecord":
        """The event without its code, as files keep it."""
        done = "; ".join(one.label if isinstance(one, Action) else "a function" for one in self.actions)
        return EventRecord(self.label, self.direction, self.terminal, bool(self.actions), self.switches, done)


@dataclass(frozen=True)
class EventRecord:
    """An event as a file keeps it: everything but the code of its condition and its action."""

    label: str
    direction: int
    terminal: bool
    acts: bool
    switches: bool = False
    done: str = ""

    @property
    def record(self) -> "EventRecord":
        """Itself."""
        return self


@dataclass(frozen=True, eq=False)
class EventOccurrence:
    """An event that happened in a run.

    Attributes
    ----------
    name : str
        The event's.
    time : float
        When [s].
    state : State
        Just before its action.
    after : State
        Just after; the same if it has none.
    robot : tuple of int
        Which robot of a batch it happened to, its index: `run.final[event.robot]`; () if there is only one.
    terminal : bool
        Whether the run, or this robot's part of it, ended there.
    impulse, place : (3,) or None
        Of a rigid contact: the impulse on the body [N s], and where it touches [m], inertial axes.
    """

    name: str
    time: float
    state: State
    after: State
    robot: tuple[int, ...] = ()
    terminal: bool = False
    impulse: np.ndarray | None = None
    place: np.ndarray | None = None


def read_events(model: Model, events: Any) -> tuple[list[Event], list[Condition]]:
    """Check the events of a run; return their conditions for this robot."""
    if not (isinstance(events, Event) or is_several(events)):
        raise InputError(f"events: expected Event(...), or a list of them, got {events!r}")
    chosen = [events] if isinstance(events, Event) else list(events)
    for event in chosen:
        if not isinstance(event, Event):
            raise InputError(f"events: expected Event(...), got {event!r}")
        for action in event.actions:
            if isinstance(action, Action):
                action.check(model)
    return chosen, [event.condition.of(model) for event in chosen]


def same_events(model: Model, before: Iterable[Any], now: Any) -> tuple[Event, ...]:
    """The given events `now`, with their code; raise unless they are the events `before` that made a run."""
    was = tuple(before)
    if now is None:
        if all(isinstance(event, Event) for event in was):
            return was
        names = ", ".join(f"'{event.record.label}'" for event in was)
        raise InputError(
            f"a file does not hold the code of events; give those that made it, {names}: resume(events=[...])"
        )
    given = tuple(read_events(model, now)[0])
    old, new = [event.record for event in was], [event.record for event in given]
    if old != new:
        raise InputError(f"the run was made with the events {old}, in this order; given were {new}")
    return given


def directions(events: Iterable[Event | EventRecord]) -> np.ndarray:
    """The direction of each event: -1, 0 or 1."""
    return np.array([float(event.direction) for event in events])
