"""The loop of a run: advance all steppers chunk by chunk, store their records, end when one fails.

After each chunk all robots stand at the same record; a checkpoint of the steppers taken there lets a simulation resume
bit for bit.
"""

import math
import time as wall
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import RunWarning, warn_user
from ..kernels.sim import codes
from ..laws import faults
from .channels import row_width
from .checkpoints import Checkpoint
from .event_log import EventLog
from .failures import owner, sliding_note, stiffness_note
from .interruption import Interruption
from .progress import Progress
from .record_times import RecordTimes
from .simulation import Simulation
from .stepper.snapshot import snapshot
from .store import Past, RecordStore

if TYPE_CHECKING:
    from ..run.audit import Auditor
    from .stepper.stepper import Stepper

Array = np.ndarray
_CALL_SECONDS = 0.1  # computing time of one call of the driver, after which Ctrl-C and the pace are checked
_PACE_CHECK_AFTER = 30.0  # [s] of computing, before the number of remaining steps is estimated
_SLOW_STEPS, _HOPELESS_STEPS = 1e9, 1e11  # remaining steps at which the run warns, and at which it ends
_MAX_RATE, _MAX_RATE_GROWTH = (
    1e6,
    1e3,
)  # out of bounds: beyond both 1e6 [rad/s, m/s] and 1000 times the rates at the start


@dataclass
class Outcome:
    """How a simulation ended.

    Attributes
    ----------
    status : str
        'done', 'event', 'interrupted', or the kind of failure.
    time : float
        When [s].
    stepper : Stepper
        The stepper that ended the run, or that failed.
    error, law
        The exception of a law or an action; the name of the law, if known.
    cause : str or None
        The reason, if an event or a mode ended the run.
    robot : int or None
        Number in the batch of the robot that ended the run, if known.
    """

    status: str
    time: float
    stepper: "Stepper"
    error: BaseException | None = None
    law: str | None = None
    cause: str | None = None
    robot: int | None = None

    @property
    def good(self) -> bool:
        """Whether the run reached its end or a terminal event."""
        return self.status in ("done", "event")


_ENDS = {
    codes.DONE: "done",
    codes.NOT_FINITE: "not finite",
    codes.STEP_TOO_SMALL: "step too small",
    codes.UNSOLVED: "step too long",
}


class Recording:
    """Runs the steppers of all robots to the end, chunk by chunk.

    Parameters
    ----------
    simulation : Simulation
        What is simulated.
    steppers : list of Stepper
        Ready to go.
    columns : dict of slice
        Of a row.
    times : RecordTimes or None
        When to record; None: at every step.
    store : RecordStore
        Where records go.
    auditor : Auditor
        Checks the records before they are stored.
    past : Past, optional
        What was recorded before.
    log : EventLog
        Handles events.
    """

    def __init__(
        self,
        simulation: Simulation,
        steppers: list["Stepper"],
        columns: dict[str, slice],
        times: RecordTimes | None,
        store: RecordStore,
        auditor: "Auditor",
        past: Past | None,
        log: EventLog,
    ):
        self._steppers, self._times, self._store, self._auditor = steppers, times, store, auditor
        self._before = 0 if past is None else past.records
        self._written, self._steps = 0, 50
        self._simulation, self._begun, self._told = simulation, wall.monotonic(), False
        self._slides = False  # whether the warning of a guard that changes its side again and again was given
        self._log, self._noted = log, len(log.happened)
        self._reached = [0.0] * len(steppers)  # simulated time of each
        self._all_reached = 0.0
        self._running = steppers[0]
        self._width, self._u = row_width(columns), columns["u"]
        self._fastest = max(_MAX_RATE, _MAX_RATE_GROWTH * float(np.abs(simulation.state.u).max(initial=0.0)))
        parts = [np.arange(columns[name].start, columns[name].stop) for name in simulation.channels]
        self._kept: Any = slice(None) if len(parts) == len(columns) else np.concatenate(parts)

    def checkpoint(self) -> Checkpoint:
        """A checkpoint from which the simulation resumes here."""
        image = np.concatenate([snapshot(stepper) for stepper in self._steppers])
        last = any(stepper.is_on_last_step for stepper in self._steppers)
        return Checkpoint(self._before + self._written, image, self._auditor.numbers.copy(), last)

    def run(self, progress_bar: Progress) -> Outcome:
        """Run to the end, or to an event, a failure or an interruption."""
        if self._before == 0:
            for stepper in self._steppers:
                self._log.handle_contacts(stepper, quietly=True)
            self._store.add(self._nothing()[..., self._kept], self.checkpoint())
        seconds, self._begun = math.inf, wall.monotonic()
        with Interruption(lambda: self._running.at_work()) as interruption:
            while True:
                begun = wall.monotonic()
                outcome, rows = self._chunk(self._store.room(seconds), progress_bar, interruption)
                self._auditor.add(rows)
                self._written += len(rows)
                whole = outcome is None or outcome.good or (outcome.status == "interrupted" and outcome.error is None)
                whole = whole and all(self._stands_at(stepper, len(rows)) for stepper in self._steppers)
                events = self._log.happened[self._noted :]
                self._noted += len(events)
                self._store.add(rows[..., self._kept], self.checkpoint() if whole else None, events)
                if outcome is not None:
                    return outcome
                seconds = wall.monotonic() - begun

    def _look_at_pace(self, stepper: "Stepper") -> None:
        """Warn once if steps are so short that the run will take very long: an explicit method and a stiff robot."""
        if self._told or not self._too_slow(stepper, _SLOW_STEPS):
            return
        self._told = True
        model, elements, h = self._simulation.model, self._simulation.elements, stepper.step_taken
        note = stiffness_note(model, stepper.state(), elements, h)
        note = note or f"; {sliding_note(stepper) or self._why_slow()}"
        warn_user(f"this run will take very long: at t = {stepper.time:g} s its steps are {h:.1e} s{note}", RunWarning)

    def _why_slow(self) -> str:
        """A guess why steps are short, if no stiff joint or spring explains it."""
        notes = [note for one in self._simulation.elements if (note := one.slowness_note)]
        if notes:
            return notes[0]
        jumps = "a law" if self._simulation.laws else "the force of an element"
        return f"{jumps} may jump, or motion be very fast"

    def _look_at_guards(self, stepper: "Stepper") -> None:
        """Warn once if both sides of a user's guard lead back to its zero, so that a step has passed over it."""
        if not self._slides and stepper.sliding_guard(or_last=False) is not None:
            self._slides = True
            cost = "as it is, errors there are as large as what a step changes"
            warn_user(f"before t = {stepper.time:g} s {sliding_note(stepper)}; {cost}", RunWarning)

    def _too_slow(self, stepper: "Stepper", steps: float) -> bool:
        """Whether more than `steps` steps remain if all are as short as the last; False before _PACE_CHECK_AFTER."""
        if not self._simulation.method.adaptive or wall.monotonic() - self._begun < _PACE_CHECK_AFTER:
            return False
        return bool(stepper.span[1] - stepper.time > steps * stepper.step_taken > 0.0)

    def _out_of_bounds(self, stepper: "Stepper") -> str | None:
        """Message on a rate beyond `_fastest`, with which steps would become ever shorter; None if there is none."""
        if not self._simulation.method.adaptive:
            return None
        model = self._simulation.model
        if stepper.largest_rates().max(initial=0.0) < 0.5 * self._fastest:  # in any axes
            return None
        rates = np.abs(stepper.rates()[:, : stepper.robots]).max(axis=1)
        if not np.any(rates > self._fastest):
            return None
        worst = int(np.argmax(rates))
        return f"{owner(model, worst)} is driven to infinity: its rate is {rates[worst]:.1e} rad/s or m/s"

    def _nothing(self) -> Array:
        return np.empty((0, sum(stepper.robots for stepper in self._steppers), self._width))

    def _stands_at(self, stepper: "Stepper", rows: int) -> bool:
        """Whether a stepper has written `rows` rows of this chunk, or an event has ended it earlier."""
        written = stepper.records
        return written == rows or (written < rows and self._log.ending_of(stepper) is not None)

    def _chunk(self, room: int, progress_bar: Progress, interruption: Interruption) -> tuple[Outcome | None, Array]:
        """Run a chunk of up to `room` records: the outcome, if the run ends in it, and (records, robots, columns)."""
        window = None if self._times is None else self._times.window(self._written, room)
        for stepper in self._steppers:
            stepper.set_times(window)
        outcomes: list[Outcome | None] = []
        blocks: list[Array] = []
        for i, stepper in enumerate(self._steppers):
            block = np.empty((room + 1, stepper.robots, self._width))
            outcomes.append(self._advance(i, block, room, progress_bar, interruption))
            blocks.append(block[: stepper.records])
            stepper.hold_ended(blocks[-1])
            if interruption.asked:
                break
        failed = [outcome for outcome in outcomes if outcome is not None and not outcome.good]
        if len(blocks) < len(self._steppers):
            rows = self._nothing()  # interrupted before all steppers ran this chunk
            self._log.discard(self._noted, -math.inf)
        else:
            rows = side_by_side(blocks, outcomes)
            good = np.isfinite(rows).all(axis=(1, 2))
            if not good.all():
                first = int(np.argmin(good))
                robot = int(np.argmin(np.isfinite(rows[first]).all(axis=-1)))
                guilty = next(m for m in self._steppers if m.first <= robot < m.first + m.robots)
                failed.append(Outcome("not finite", float(rows[first, robot, 0]), guilty))
                rows = rows[:first]
        if failed:
            outcome = min(failed, key=lambda outcome: outcome.time)
            if outcome.status == "out of bounds":  # found late: cut at the first such rate
                rows = rows[: _first(np.abs(rows[..., self._u]).max(axis=(1, 2), initial=0.0) > self._fastest)]
            self._log.discard(self._noted, outcome.time)
            return outcome, rows
        ended = [outcome for outcome in outcomes if outcome is not None]
        if len(ended) < len(self._steppers):
            return None, rows
        return next((outcome for outcome in ended if outcome.status == "done"), ended[-1]), rows

    def _advance(
        self, number: int, block: Array, room: int, progress_bar: Progress, interruption: Interruption
    ) -> Outcome | None:
        """Advance a stepper until its chunk is full (None), or return the outcome that ends it before."""
        stepper, status, error, law = self._steppers[number], codes.PAUSED, None, None
        self._running = stepper
        while status == codes.PAUSED and error is None and not interruption.asked:
            begun = wall.monotonic()
            with faults.caught(stepper.fail):
                status = stepper.advance(block, room, self._steps)
            error, law = faults.first()
            if error is None and (law := stepper.rewritten()):
                error = ValueError("its parameters are read-only, and it has changed them")
            if status == codes.HAPPENED and error is None:
                self._log.handle_events(stepper)
                status = codes.FULL if stepper.records >= room else codes.PAUSED
            if status == codes.SWITCHED and error is None:
                self._log.switch_modes(stepper)
                status = codes.PAUSED
            if status == codes.ENDING and error is None:  # a checkpoint here: a longer run takes another next step
                status = codes.FULL if len(self._steppers) == 1 else codes.PAUSED
            if isinstance(error, KeyboardInterrupt):  # in a law that runs in Python
                interruption.asked, status = True, codes.PAUSED
            spent = wall.monotonic() - begun
            self._steps = max(1, min(20000, int(self._steps * min(4.0, _CALL_SECONDS / max(spent, 1e-9)))))
            self._all_reached -= self._reached[number]
            self._reached[number] = stepper.time - stepper.span[0]
            self._all_reached += self._reached[number]
            progress_bar.reached(self._all_reached)
            self._look_at_pace(stepper)
            self._look_at_guards(stepper)
            away = self._out_of_bounds(stepper) if status in (codes.PAUSED, codes.FULL) and error is None else None
            if away is not None:
                return Outcome("out of bounds", stepper.time, stepper, cause=away)
            if status == codes.PAUSED and error is None and self._too_slow(stepper, _HOPELESS_STEPS):
                return Outcome("step too small", stepper.time, stepper)
            if progress_bar.observer is not None and stepper is self._steppers[0] and stepper.records:
                progress_bar.observer(block[stepper.records - 1])
        if status == codes.FULL and error is None:
            return None
        if status == codes.PAUSED and (error is None or isinstance(error, KeyboardInterrupt)):
            return Outcome("interrupted", stepper.time, stepper, error, law)
        ending = self._log.ending_of(stepper) if status == codes.DONE and error is None else None
        if ending is not None:
            robot, (end, cause, raised) = ending
            return Outcome(end, stepper.time, stepper, raised, law, cause, robot)
        return Outcome("not finite" if error is not None else _ENDS[status], stepper.time, stepper, error, law)


def _first(which: Array) -> int:
    """Index of the first True; the length if there is none."""
    return int(np.argmax(which)) if which.any() else len(which)


def side_by_side(blocks: list[Array], outcomes: list[Outcome | None]) -> Array:
    """Join the records of all steppers; cut to the shortest of those that have not ended at an event.

    The last record of a robot that has ended is repeated, with its own time, beside the others' later records.
    """
    if len(blocks) == 1:
        return blocks[0]
    ended = [outcome is not None and outcome.status == "event" for outcome in outcomes]
    # where an event or a mode failed, the last row is at a time that no other robot has recorded
    odd = [outcome is not None and outcome.cause is not None for outcome in outcomes]
    going = [len(block) - o for block, o, end in zip(blocks, odd, ended, strict=True) if not end]
    count = min(going) if going else max(map(len, blocks))
    return np.concatenate([block[:count] if len(block) >= count else _held(block, count) for block in blocks], axis=1)


def _held(block: Array, count: int) -> Array:
    """The first `count` records; the last is repeated if there are fewer."""
    return block[np.minimum(np.arange(count), len(block) - 1)]
