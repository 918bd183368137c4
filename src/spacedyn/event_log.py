"""What happens at events: noted, done, booked in the ledger; and events that chatter."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from .errors import InputError
from .events import Event, Happening
from .kernels import plan as p
from .model.model import Model
from .model.state import State
from .modes import MODE_NAMES, Switch, Switcher
from .momentum import kinetic_energy, momentum, potential_energy

# so many events are too many within that part of the run's duration, or so many seconds if that is less
_MANY, _CHATTER, _AT_ONCE = 20, 1e-7, 1e-6


class EventLog:
    """Takes note of events, does what they ask for, and keeps the ledger right.

    Attributes
    ----------
    happened : list of Happening
        So far.
    ending : str or None
        How the run ends, once it is to end.
    failure : tuple or None
        Why the simulation cannot go on: what to say, and what was raised.
    """

    def __init__(
        self,
        model: Model,
        events: Iterable[Any],
        gravity: Any,
        switcher: Switcher,
        happened: Iterable[Happening] = (),
    ):
        self.happened: list[Happening] = list(happened)
        self.ending: str | None = None
        self.failure: tuple[str, BaseException | None] | None = None
        self._model, self._events, self._gravity, self._switcher = model, list(events), gravity, switcher

    def take(self, machine: Any) -> None:
        """What happens where the machine stands; it is told to end there, if it is to."""
        table = self._table(machine)
        t, changed = float(machine.clock[p.T]), False
        for i in np.flatnonzero(table[:, p.V_FIRED] > 0.0):
            event, before = self._events[i], self._switcher.state(machine)
            for action in event.actions:
                try:
                    changed |= self._act(machine, event, action, t)
                except Exception as error:
                    self._fail("event failed", f"the action of event '{event.label}' failed: {error}", error)
                    break
            self.happened.append(Happening(event.label, t, before, self._switcher.state(machine)))
            if self.failure is not None:
                break
            if event.terminal:
                self.ending = "event"
        if changed:
            machine.counters[[p.C_FRESH, p.C_ARMED]] = 0
            self.overlook(machine)
        else:
            table[:, p.V_FIRED] = 0.0
        span = min(_CHATTER * (machine.clock[p.T_END] - machine.clock[p.T_START]), _AT_ONCE)
        span = max(span, _MANY * machine.clock[p.H_MIN])  # shorter steps there are none
        if len(self.happened) >= _MANY and t - self.happened[-_MANY].time <= span:
            self._fail("chattering", _chatter(self.happened[-_MANY:]))
        machine.counters[p.C_EVENTS] = len(self.happened)
        self._end(machine)

    def switch(self, machine: Any) -> None:
        """Laws ask for other modes of joints where the machine stands."""
        try:
            self._switcher.obey(machine)
        except InputError as error:
            self._fail("mode failed", str(error), error)
        machine.counters[p.C_ARMED] = 0
        self.overlook(machine)
        self._end(machine)

    def overlook(self, machine: Any) -> None:
        """Events that could only make joints what they are do not happen: a body that is caught stays caught."""
        held = {one.joint: MODE_NAMES[int(mode)] for one, mode in self._switcher.modes(machine)}
        for event, memory in zip(self._events, self._table(machine), strict=True):
            asleep = memory[p.V_ASLEEP]
            memory[p.V_ASLEEP] = bool(event.actions) and all(
                isinstance(action, Switch) and not action.rates and action.modes.items() <= held.items()
                for action in event.actions
            )
            if asleep and not memory[p.V_ASLEEP]:
                memory[p.V_FIRED] = 1.0  # where it is now is no event

    def _table(self, machine: Any) -> np.ndarray:
        """What the machine keeps of each event."""
        at, count = int(machine.plan[p.M_EVENTS]), len(self._events)
        return machine.memory[at : at + p.EVENT_MEMORY * count].reshape(count, p.EVENT_MEMORY)

    def _fail(self, ending: str, message: str, error: BaseException | None = None) -> None:
        self.ending, self.failure = ending, (message, error)

    def _end(self, machine: Any) -> None:
        if self.ending is not None:
            machine.clock[p.T_END] = machine.clock[p.T]  # the last row is written as at any end

    def _act(self, machine: Any, event: Event, action: Any, t: float) -> bool:
        """Do what an event asks for; whether anything has changed."""
        before = self._switcher.state(machine)
        asked = action if isinstance(action, Switch) else action(t, before)
        if isinstance(asked, Switch):
            asked.check(self._model)
            self._switcher.switch(machine, asked.modes, asked.rates)
            return True
        after = self._checked(machine, before, asked)
        if after is not before:
            self._change(machine, before, after)
        return after is not before

    def _checked(self, machine: Any, before: State, after: Any) -> State:
        """The state that an action returned, if it can be used."""
        if after is None:
            return before
        if not isinstance(after, State) or after.model != self._model or after.shape:
            raise InputError(
                f"it must return a State of '{self._model.name}', lock(...) or the like, or nothing, not {after!r}"
            )
        if not np.isfinite(after._data).all():
            raise InputError("it returned a state with numbers that are not finite")
        for joint in self._switcher.held(machine):
            q, qd = self._model.q_slice(joint), self._model.qd_slice(joint)
            change = np.append(after.q[q] - before.q[q], after.qd[qd] - before.qd[qd])
            if np.abs(change).max(initial=0.0) > 1e-9:
                raise InputError(f"it changed joint '{joint}', which is prescribed or locked")
        return after

    def _change(self, machine: Any, before: State, after: State) -> None:
        """Go on from another state; the ledger takes the change of energy and momentum."""
        plan, model, work = machine.plan, self._model, machine.work
        energy = self._energy(machine, before)
        x, y = int(plan[p.Y_ORIGIN]), int(plan[p.Y_NOW])
        work[x : x + 7 + model.nq] = after.x
        work[y + model.nv : y + 2 * model.nv] = after.u
        ends = y + int(plan[p.SIZE])
        work[ends - 1] += self._energy(machine, after) - energy
        impulse = ends - 1 - int(plan[p.FORCES]) - 6
        work[impulse : impulse + 6] += momentum(model, after, about="com") - momentum(model, before, about="com")

    def _energy(self, machine: Any, state: State) -> float:
        """Kinetic, potential, and elastic in forces; the machine must be at the state."""
        total = kinetic_energy(self._model, state) + potential_energy(self._model, state, gravity=self._gravity)
        count, at = int(machine.plan[p.FORCES]), int(machine.plan[p.Y_FORCES])
        if count:
            machine.evaluate()
        return float(total + machine.work[at : at + count].sum())


def _chatter(last: list[Happening]) -> str:
    names = sorted({one.name for one in last})
    who = f"event '{names[0]}'" if len(names) == 1 else f"events {', '.join(names)}"
    return (
        f"{who} happened {len(last)} times within {last[-1].time - last[0].time:.1e} s: it chatters. Make it terminal, "
        "or let its action hold what it separates: contact that lasts is a force, not an event"
    )
