"""Handle the events of a run: record them, carry out their actions, book their energy, detect chattering."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError
from ..model.model import Model
from ..model.state import State
from ..quantities.momentum import center_of_mass, kinetic_energy, momentum, potential_energy
from .action_kinds import Action, Closing, Engagement, Impact, Switch
from .carried import with_carried
from .events import Event, EventOccurrence
from .impacts import ContactEvent
from .modes import MODE_NAMES, Switcher

Array = np.ndarray
# Chattering: 20 events within min(1e-7 of the run's duration, 1e-6 s)
_CHATTER_COUNT, _CHATTER_FRACTION, _CHATTER_SECONDS = 20, 1e-7, 1e-6
_TOUCHES = 50  # as many changes of rigid contact within as many of the shortest steps are chattering, too


class Ending(NamedTuple):
    """How a robot's run ends: the status, and for a failure the message and the exception."""

    status: str
    cause: str | None = None
    error: BaseException | None = None


class EventLog:
    """Records events, carries out their actions and books the changes of energy and momentum in the ledger.

    Attributes
    ----------
    happened : list of EventOccurrence
        Events so far; within a chunk of records those of one pack follow those of another.
    endings : dict of Ending
        The end of each robot that a terminal event or a failure has ended, by its number.
    """

    def __init__(
        self,
        model: Model,
        events: Iterable[Any],
        gravity: Any,
        switcher: Switcher,
        shape: tuple[int, ...],
        settle: Callable[..., list[ContactEvent]],
    ):
        self.happened: list[EventOccurrence] = []
        self.endings: dict[int, Ending] = {}
        self._model, self._events, self._gravity, self._switcher = model, list(events), gravity, switcher
        self._shape, self._of_robot = shape, defaultdict[tuple[int, ...], list[EventOccurrence]](list)
        self._settle = settle  # applies the impulses of rigid contact at an instant, `settle_contacts`
        self._instants = defaultdict[tuple[int, ...], list[float]](list)  # at which rigid contact changed

    def restore(self, past: Iterable[EventOccurrence], steppers: Iterable[Any]) -> None:
        """Restore the events before the checkpoint of a resumed run; robots that a terminal event ended stay ended.

        A single robot continues past a terminal event.
        """
        for stepper in steppers:
            mine = {self._robot(stepper, lane) for lane in range(stepper.robots)}
            known = [one for one in past if one.robot in mine][: stepper.events_so_far]
            self.happened += known
            for one in known:
                self._of_robot[one.robot].append(one)
                if one.terminal and self._shape:
                    self.endings[int(np.ravel_multi_index(one.robot, self._shape))] = Ending("event")
            self._end(stepper)
        self.happened.sort(key=lambda one: one.time)

    def handle_events(self, stepper: Any) -> None:
        """Handle the contacts and events at which the last step ended; end the robots whose event is terminal."""
        if stepper.asked:
            self.handle_contacts(stepper)
        for lane in np.flatnonzero(stepper.fired()[:, : stepper.robots].any(axis=0)):
            if stepper.first + int(lane) not in self.endings:
                self._handle_events_of(stepper, int(lane))
        self._end(stepper)

    def handle_contacts(self, stepper: Any, quietly: bool = False) -> None:
        """Apply the impulses of rigid contact at the present state of one robot; `quietly`: record impacts alone."""
        if not stepper.layout.asks:
            return
        t, before, robot, who = stepper.time, stepper.state(), stepper.first, self._robot(stepper, 0)
        stepper.answered()
        try:
            contacts = self._settle(
                stepper, stepper.layout.names, lambda change: self._switcher.apply_contact_impulses(stepper, change)
            )
        except InputError as error:
            self._fail(robot, "contact failed", str(error), error)
            contacts = []
        after = stepper.state()
        for contact in contacts:
            if quietly and not np.any(contact.impulse):
                continue
            when, name = float(min(t + contact.later, stepper.span[1])), f"{contact.element}: {contact.words}"
            self.happened.append(EventOccurrence(name, when, before, after, who, False, contact.impulse, contact.place))
            stepper.count_events(1)
        stepper.forget_sides()
        self._instants[who].append(t)
        last = self._instants[who][-_TOUCHES:]
        if len(last) == _TOUCHES and t - last[0] <= _TOUCHES * stepper.shortest_step:
            names = ", ".join(sorted({f"'{contact.element}'" for contact in contacts})) or "one or more RigidContact"
            self._fail(robot, "chattering", f"{len(last)} contacts within {t - last[0]:.1e} s, of {names}: it chatters")
        self._instants[who] = last
        self._end(stepper)

    def _handle_events_of(self, stepper: Any, lane: int) -> None:
        """Carry out the actions of the events that fired for the robot in a lane, and record them."""
        fired, robot = stepper.fired()[:, lane], stepper.first + lane
        who = self._robot(stepper, lane)
        own, failed, happened = self._of_robot[who], False, np.flatnonzero(fired > 0.0)
        t, changed = stepper.time, False
        for i in happened:
            event, before = self._events[i], stepper.state(lane)
            for action in event.actions:
                try:
                    changed |= self._act(stepper, event, action, t)
                except Exception as error:
                    self._fail(robot, "event failed", f"the action of event '{event.label}' failed: {error}", error)
                    failed = True
                    break
            own.append(EventOccurrence(event.label, float(t), before, stepper.state(lane), who, event.terminal))
            self.happened.append(own[-1])
            stepper.count_events(1)
            if failed:
                break
            if event.terminal:
                self.endings[robot] = Ending("event")
        if changed:
            stepper.forget_stage()
            stepper.forget_sides()
            self.handle_contacts(stepper)
            self.ignore_idle_events(stepper)
        else:
            fired[:] = 0.0
        start, end = stepper.span
        at_once = min(_CHATTER_FRACTION * (end - start), _CHATTER_SECONDS)
        span = max(at_once, _CHATTER_COUNT * stepper.shortest_step)  # at least _CHATTER_COUNT of the shortest steps
        if len(own) >= _CHATTER_COUNT and t - own[-_CHATTER_COUNT].time <= span:
            self._fail(robot, "chattering", _chatter(own[-_CHATTER_COUNT:]))
        if stepper.robots > 1 and robot in self.endings:
            stepper.end_lane(lane)

    def switch_modes(self, stepper: Any) -> None:
        """Switch joints to the modes that laws command."""
        try:
            self._switcher.apply_commanded_modes(stepper)
        except InputError as error:
            self._fail(stepper.first, "mode failed", str(error), error)
        stepper.forget_sides()
        self.ignore_idle_events(stepper)
        self._end(stepper)

    def ending_of(self, stepper: Any) -> tuple[int, Ending] | None:
        """The robot that decides how a stepper ends, and its ending; None while robots run and none has failed."""
        robots = range(stepper.first, stepper.first + stepper.robots)
        found = [(robot, self.endings[robot]) for robot in robots if robot in self.endings]
        failed = [one for one in found if one[1].cause is not None]
        return failed[0] if failed else found[-1] if len(found) == stepper.robots else None

    def discard(self, begin: int, after: float) -> None:
        """Discard the events after a time [s] among those recorded from number `begin` on."""
        self.happened[begin:] = [one for one in self.happened[begin:] if one.time <= after]

    def ignore_idle_events(self, stepper: Any) -> None:
        """Ignore events whose actions would change nothing: a body that is already caught cannot be caught."""
        held = {one.joint: MODE_NAMES[int(mode)] for one, mode in self._switcher.modes(stepper)}
        ignored, fired = stepper.ignored(), stepper.fired()
        for i, event in enumerate(self._events):
            before = ignored[i, 0]
            ignored[i] = bool(event.actions) and all(_idle(stepper, action, held) for action in event.actions)
            if before and not ignored[i, 0]:
                fired[i] = 1.0  # its present value counts as handled: the event starts without a side

    def _robot(self, stepper: Any, lane: int) -> tuple[int, ...]:
        """The index in the batch of the robot in a lane of a stepper."""
        return tuple(int(i) for i in np.unravel_index(stepper.first + lane, self._shape))

    def _fail(self, robot: int, status: str, message: str, error: BaseException | None = None) -> None:
        self.endings[robot] = Ending(status, message, error)

    def _end(self, stepper: Any) -> None:
        if self.ending_of(stepper) is not None:
            stepper.end_here()

    def _act(self, stepper: Any, event: Event, action: Any, t: float) -> bool:
        """Carry out an action or a user's function; return whether anything changed."""
        before = stepper.state()
        asked = action if isinstance(action, Action) else action(t, before)
        if isinstance(asked, Action):
            asked.check(self._model)
            return self._do(stepper, asked, before)
        after = self._checked(stepper, before, asked)
        if after is not before:
            self._change(stepper, before, after)
        return after is not before

    def _do(self, stepper: Any, asked: Action, before: State) -> bool:
        """Carry out an action of `sd.actions`; return whether anything changed."""
        if isinstance(asked, Switch):
            self._switcher.switch(stepper, asked)
            return True
        if isinstance(asked, Impact):
            return self._switcher.apply_impact(stepper, asked)
        elements = stepper.layout.elements
        asked.check_elements(elements)
        if isinstance(asked, Closing):
            return self._close(stepper, asked, before)
        assert isinstance(asked, Engagement)
        number = stepper.layout.names.index(asked.element)
        values, energy = stepper.element_states(number), stepper.stored_energy()
        present = values[:, 0].copy()
        values[:] = elements[number].switched(present, asked.closes, before if asked.as_met else None)[:, None]
        stepper.add_to_ledger("event_work", stepper.stored_energy() - energy)
        return not np.array_equal(present, values[:, 0])

    def _close(self, stepper: Any, asked: Closing, before: State) -> bool:
        """Close a loop, with the impulse that this takes, or open it; return whether anything changed."""
        number = stepper.layout.names.index(asked.element)
        values, loop = stepper.element_states(number), stepper.layout.elements[number]
        present = values[:, 0].copy()
        if present[0] == float(asked.closes):
            return False
        values[:] = loop.switched(before.model, present, asked.closes, before if asked.as_met else None)[:, None]
        stepper.forget_rows()
        self._switcher.switch(stepper, Switch({}))
        if asked.closes and stepper.opening() > 1e-9 * (1.0 + float(np.abs(before.u).max(initial=0.0))):
            way = "take as_met=True, or an event at which both bodies stand as it was made"
            if asked.as_met:
                way = "its other_axis stays as it was made; leave it out, or take an event at which it fits"
            raise InputError(f"loop '{asked.element}' is open by {stepper.opening():.3g} where it is to close; {way}")
        against = replace(loop, active=True).is_against(before.model, before, as_given=True) if asked.closes else ""
        if against and not asked.as_met:
            raise InputError(f"loop '{asked.element}' {against}, by half a turn; take as_met=True")
        return True

    def _checked(self, stepper: Any, before: State, after: Any) -> State:
        """Check the state that an action returned; raise if it cannot be used."""
        if after is None:
            return before
        if not isinstance(after, State) or after.model != before.model or after.shape:
            raise InputError(
                f"it must return a State of '{self._model.name}', an action such as sd.actions.lock(...), or None, "
                f"not {after!r}"
            )
        if after.internal:
            raise InputError(
                f"it returned a state with internal states ({', '.join(after.internal)}), which an action cannot "
                "change: return the state that it is given, with parts changed, state.replace(...); what an element "
                "holds is changed by its own samples, at its guards"
            )
        if not np.isfinite(after._data).all():
            raise InputError("it returned a state with numbers that are not finite")
        for joint in self._switcher.held(stepper):
            q, qd = self._model.q_slice(joint), self._model.qd_slice(joint)
            change = np.append(after.q[q] - before.q[q], after.qd[qd] - before.qd[qd])
            if np.abs(change).max(initial=0.0) > 1e-9:
                raise InputError(f"it changed joint '{joint}', which is prescribed or locked")
        return after

    def _change(self, stepper: Any, before: State, after: State) -> None:
        """Continue from another state; book the change of energy and momentum in the ledger."""
        energy, start = self._energy(stepper, before), self._momentum(stepper, before)
        stepper.set_coordinates(after.x)
        stepper.set_rates(after.u[:, None])
        stepper.add_to_ledger("event_work", self._energy(stepper, after) - energy)
        stepper.add_to_ledger("impulse", self._momentum(stepper, after) - start)
        stepper.forget_rows()
        if stepper.opening() > 1e-9 * (1.0 + float(np.abs(after.u).max(initial=0.0))):
            raise InputError("it opened a loop; return the nearest state that does not: sd.assemble(...)")

    def _momentum(self, stepper: Any, state: State) -> Array:
        """Momentum (6) including what elements carry, L about the centre of mass; the stepper must be at the state."""
        both, carried = momentum(state.model, state, about="com"), stepper.carried()
        if not carried.size:
            return both
        return with_carried(state.model, state, center_of_mass(state.model, state), both, carried)[0]

    def _energy(self, stepper: Any, state: State) -> float:
        """Kinetic, potential and stored energy of the robot and its elements [J]; the stepper must be at the state."""
        total = kinetic_energy(state.model, state) + potential_energy(state.model, state, gravity=self._gravity)
        return float(total + stepper.stored_energy())


def _idle(stepper: Any, action: Any, held: dict[str, str]) -> bool:
    """Whether an action would change nothing."""
    if isinstance(action, Engagement | Closing):
        number = stepper.layout.names.index(action.element)
        return bool(stepper.element_states(number)[0, 0] == float(action.closes))
    return isinstance(action, Switch) and not action.rates and action.modes.items() <= held.items()


def _chatter(last: list[EventOccurrence]) -> str:
    names = sorted({one.name for one in last})
    who = f"event '{names[0]}'" if len(names) == 1 else f"events {', '.join(names)}"
    return (
        f"{who} happened {len(last)} times within {last[-1].time - last[0].time:.1e} s: it chatters. Make it terminal, "
        "or let its action hold what it separates: contact that lasts is a force, not an event"
    )
