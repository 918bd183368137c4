"""Running machines and keeping what they write: at which times, which channels, and where.

Records come in chunks. After each one all robots stand at the same record, and a checkpoint of the machines' whole
memory can be taken: a simulation goes on from it bit for bit.
"""

import math
import time as wall
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from . import faults
from .audit import LEDGER, Auditor
from .blame import owner, stiffness_note
from .errors import InputError, RunWarning, UnknownName, warn_user
from .event_log import EventLog
from .events import Happening
from .kernels import plan as p
from .kernels.scalar import LANES
from .model.state import State
from .origin import Origin
from .watch import Interruption, Watch

if TYPE_CHECKING:
    from .machine import Machine

Array = np.ndarray
ALWAYS = ("t", "x", "u")
"""Channels of a row that are always kept."""
_CHUNK_BYTES = 8 << 20
_CHUNK_RECORDS = 4096
FIRST_CHUNK = 16  # records of a chunk, before it is known how long they take
_OFTEN, _SELDOM = 1.0, 4.0  # seconds that a chunk should last
_CALL = 0.1  # seconds between looks at the keyboard
_PATIENCE, _LONGEST = 30.0, 1e9  # seconds after which a run is warned of that has so many steps before it
_HOPELESS = 1e11  # and so many steps, days of them, are not waited for
_FASTEST, _GAIN = 1e6, 1e3  # a rate [rad/s, m/s] is out of bounds beyond the one, and so many times those at the start


def chosen_channels(channels: Any, columns: dict[str, slice]) -> tuple[str, ...]:
    """The channels of a row to keep, in its order: all, or time and state and those that are named."""
    if channels is None:
        return tuple(columns)
    wanted = [channels] if isinstance(channels, str) else list(channels)
    offered = [name for name in columns if name not in ALWAYS]
    for name in wanted:
        if name not in (*columns, "ledger"):
            raise UnknownName("channel", name, [*offered, "ledger"])
    if "ledger" in wanted:
        wanted += LEDGER
    return tuple(name for name in columns if name in ALWAYS or name in wanted)


def kept_columns(columns: dict[str, slice], channels: tuple[str, ...]) -> dict[str, slice]:
    """Where the channels that are kept are in a row that holds only these."""
    kept, at = {}, 0
    for name in channels:
        size = columns[name].stop - columns[name].start
        kept[name] = slice(at, at + size)
        at += size
    return kept


def checked_record(record: Any, start: float, end: float) -> float | Array | str:
    """What to record: an interval [s], times [s], or 'steps'."""
    if isinstance(record, str):
        if record != "steps":
            raise InputError(f"record: expected an interval [s], times, or 'steps', got {record!r}")
        return record
    array = np.array((end - start) / 1000.0 if record is None else record, dtype=float)
    if array.ndim == 0:
        if not (np.isfinite(array) and array > 0.0):
            raise InputError(f"record: the interval must be a positive time [s], got {record}")
        if array < 4 * np.spacing(max(abs(start), abs(end))):
            raise InputError(f"record: times {float(array):g} s apart cannot be told from each other at {end:g} s")
        return float(array)
    if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all() or np.any(np.diff(array) <= 0.0):
        raise InputError("record: times must be finite and ascending")
    if array[0] < start or array[-1] > end + 1e-12 * (end - start):
        raise InputError(f"record: times must lie between {start} and {end} s, got {array[0]} to {array[-1]} s")
    return array


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """All that a simulation must keep to go on bit for bit."""

    records: int  # written before
    image: Array  # the machines' memory
    ledger: Array  # the auditor's
    last: bool = (
        False  # whether a step may have been cut short by the end of the run: a longer one would go on otherwise
    )


@dataclass(frozen=True, eq=False)
class Past:
    """What a simulation that goes on has behind it.

    Attributes
    ----------
    checkpoints : list of Checkpoint
        Those so far; it goes on from the last.
    rows : (records, robots, columns)
        The records before that.
    times : (times,)
        To be recorded first, since they were once [s].
    folder : Path or None
        Where it is, if it is to go on there.
    events : tuple of Happening
        What happened.
    """

    checkpoints: list[Checkpoint]
    rows: Array
    times: Array
    folder: Path | None
    events: tuple[Happening, ...] = ()

    @property
    def records(self) -> int:
        """How many there are."""
        return self.checkpoints[-1].records

    @property
    def last_time(self) -> float:
        """The latest that is recorded or is going to be [s]."""
        if self.times.size:
            return float(self.times[-1])
        return float(self.rows[-1, :, 0].max()) if len(self.rows) else -math.inf

    def restore(self, machines: list["Machine"], auditor: Auditor) -> None:
        """Make machines and auditor what they were."""
        image = self.checkpoints[-1].image
        sizes = [machine.image().size for machine in machines]
        if image.size != sum(sizes) or auditor.numbers.size != self.checkpoints[-1].ledger.size:
            raise InputError("the checkpoint was made on another kind of machine or by another version of spacedyn")
        for machine in machines:
            image = machine.restore(image)
        auditor.numbers[:] = self.checkpoints[-1].ledger


class RecordTimes:
    """The times to record, made as they are needed: an interval takes no memory, however long the run.

    Parameters
    ----------
    record : float or (times,)
        Interval [s] from the start on, and the end; or times [s].
    start, end : float
        Of the run [s].
    past : Past, optional
        What is recorded already; only later times are taken.
    """

    def __init__(self, record: float | Array, start: float, end: float, past: Past | None = None):
        self._first = np.empty(0) if past is None else past.times
        after = -math.inf if past is None else past.last_time
        self._start, self._end = start, end
        if isinstance(record, np.ndarray):
            self._interval, self._given = 0.0, record[record > after]
            self.count = self._first.size + self._given.size
            return
        self._interval, self._given = record, np.empty(0)
        self._last = math.floor((end - start) / record * (1 + 1e-12))  # the end comes as one more if it is not this
        more = end - (start + self._last * record) >= 1e-9 * (end - start)
        self._skip = 0 if after < start else math.floor((after - start) / record + 1e-9) + 1
        points = self._last + 1 + more - self._skip if after < end - 1e-9 * (end - start) else 0
        self.count = self._first.size + max(points, 0)

    def window(self, begin: int, most: int) -> Array:
        """The times from number `begin` on, at most so many."""
        number = np.arange(begin, min(begin + most, self.count)) - self._first.size
        before, number = number[number < 0], number[number >= 0]
        if not self._interval:
            later = self._given[number]
        else:
            later = self._start + (number + self._skip) * self._interval
            later[number + self._skip > self._last] = self._end
        return np.concatenate([self._first[before + self._first.size], later])


class Keeper(Protocol):
    """Where chunks go."""

    def opened(self, past: Past | None) -> AbstractContextManager[Any]:
        """Ready to keep; with a past, as if it had been kept."""

    def room(self, seconds: float) -> int:
        """Records of the next chunk; the one before took so many seconds."""

    def add(self, rows: Array, checkpoint: Checkpoint | None, events: Sequence[Happening] = ()) -> None:
        """Keep some records more (records, robots, columns), a checkpoint after them, if there is one, and events."""

    def finish(self, status: str, ledger: Array) -> None:
        """The run is over."""

    def content(self) -> tuple[Array, list[Checkpoint], Path | None]:
        """Records (records, …, columns), checkpoints, and the folder that they are in."""


def row_width(columns: dict[str, slice]) -> int:
    """Numbers in a row of one robot."""
    return sum(part.stop - part.start for part in columns.values())


def largest_chunk(robots: int, width: int) -> int:
    """Records that fit into a chunk."""
    return max(1, min(_CHUNK_RECORDS, _CHUNK_BYTES // (8 * robots * width)))


def next_room(room: int, most: int, seconds: float) -> int:
    """Records of the next chunk, so that it lasts a second or a few; the one before, of `room`, took so many."""
    if seconds < _OFTEN:
        return min(2 * room, most)
    return max(1, room // 2) if _SELDOM < seconds < math.inf else room


class InMemory:
    """Keeps records in memory, and a few checkpoints spread over them.

    Parameters
    ----------
    origin : Origin
        What makes the run.
    most : int
        Records that a chunk may hold.
    expected : int or None
        Records of the whole run, if that is known.
    """

    def __init__(self, origin: Origin, most: int, expected: int | None):
        self._shape, self._expected = origin.shape, expected
        self._most = most if expected is None else min(most, max(256, -(-expected // 4)))
        # packs of robots take turns chunk by chunk: what an interruption finds in between is lost
        self._room = self._most if origin.robots <= LANES else min(FIRST_CHUNK, self._most)
        self._rows: list[Array] = []
        self._spread: list[Checkpoint] = []
        self._latest: Checkpoint | None = None
        self._before_end: Checkpoint | None = None
        self._spacing = 0

    def opened(self, past: Past | None) -> AbstractContextManager[Any]:
        """Ready to keep."""
        if past is not None:
            self.add(past.rows, None)
            self._spread = list(past.checkpoints)
        return nullcontext()

    def room(self, seconds: float) -> int:
        """Records of the next chunk."""
        self._room = next_room(self._room, self._most, seconds)
        return self._room

    def add(self, rows: Array, checkpoint: Checkpoint | None, events: Sequence[Happening] = ()) -> None:
        """Keep some records more; the log keeps events."""
        self._rows.append(np.array(rows))
        if checkpoint is None:
            return
        self._latest = checkpoint
        if not checkpoint.last:
            self._before_end = checkpoint
        if not self._spread or checkpoint.records >= self._spread[-1].records + self._spacing:
            self._spread.append(checkpoint)
        # as many as are small beside the records
        records = max(self._expected or 0, sum(map(len, self._rows)))
        fit = records * self._rows[0][:1].nbytes // (4 * checkpoint.image.nbytes) if len(self._rows[0]) else 8
        if len(self._spread) > max(2, min(8, fit)):
            self._spread = self._spread[::2]
            self._spacing = 2 * max(self._spacing, self._spread[-1].records // len(self._spread), 1)

    def finish(self, status: str, ledger: Array) -> None:
        """Nothing is left to do."""

    def content(self) -> tuple[Array, list[Checkpoint], None]:
        """Records, and checkpoints with the latest among them."""
        rows = np.concatenate(self._rows)
        kept = [*self._spread, *(one for one in (self._before_end, self._latest) if one is not None)]
        kept = sorted({id(one): one for one in kept}.values(), key=lambda one: (one.records, one.last))
        return rows.reshape(len(rows), *self._shape, rows.shape[-1]), kept, None


@dataclass
class Outcome:
    """How a simulation ended.

    Attributes
    ----------
    status : str
        In a word or two.
    time : float
        When [s].
    machine : Machine
        Whose it is, or that is to blame.
    error, law
        What a law or an action raised; which law, if it is known.
    cause : str or None
        Why it cannot go on, if an event or a mode is the reason.
    """

    status: str
    time: float
    machine: "Machine"
    error: BaseException | None = None
    law: str | None = None
    cause: str | None = None

    @property
    def good(self) -> bool:
        """Whether it came to the end, or to a terminal event."""
        return self.status in ("done", "event")


_ENDS = {
    p.DONE: "done",
    p.NOT_FINITE: "not finite",
    p.STEP_TOO_SMALL: "step too small",
    p.UNSOLVED: "step too long",
}


class Recording:
    """Runs the machines of all robots to the end, chunk by chunk.

    Parameters
    ----------
    origin : Origin
        What is simulated.
    machines : list of Machine
        Ready to go.
    columns : dict of slice
        Of a row.
    times : RecordTimes or None
        When to record; None: at every step.
    keeper : Keeper
        Where records go.
    auditor : Auditor
        Who looks at them before.
    past : Past, optional
        What was recorded before.
    log : EventLog
        What is done at events.
    """

    def __init__(
        self,
        origin: Origin,
        machines: list["Machine"],
        columns: dict[str, slice],
        times: RecordTimes | None,
        keeper: Keeper,
        auditor: Auditor,
        past: Past | None,
        log: EventLog,
    ):
        self._machines, self._times, self._keeper, self._auditor = machines, times, keeper, auditor
        self._before = 0 if past is None else past.records
        self._written, self._steps = 0, 50
        self._origin, self._begun, self._told = origin, wall.monotonic(), False
        self._log, self._noted = log, len(log.happened)
        self._reached = [0.0] * len(machines)  # simulated time of each
        self._all_reached = 0.0
        self._width, self._u = row_width(columns), columns["u"]
        self._fastest = max(_FASTEST, _GAIN * float(np.abs(origin.state.u).max(initial=0.0)))
        parts = [np.arange(columns[name].start, columns[name].stop) for name in origin.channels]
        self._kept: Any = slice(None) if len(parts) == len(columns) else np.concatenate(parts)

    def checkpoint(self) -> Checkpoint:
        """All that is needed to go on from here."""
        image = np.concatenate([machine.image() for machine in self._machines])
        last = any(machine.counters[p.C_LAST] > 1 for machine in self._machines)
        return Checkpoint(self._before + self._written, image, self._auditor.numbers.copy(), last)

    def run(self, watch: Watch) -> Outcome:
        """To the end, or as far as it goes."""
        for machine in self._machines:
            machine.advance(np.empty((1, machine.robots, 1)), 1, 0)  # whatever is to be compiled is compiled here
        if self._before == 0:
            self._keeper.add(self._nothing()[..., self._kept], self.checkpoint())
        seconds, self._begun = math.inf, wall.monotonic()
        with Interruption() as interruption:
            while True:
                begun = wall.monotonic()
                outcome, rows = self._chunk(self._keeper.room(seconds), watch, interruption)
                self._auditor.add(rows)
                self._written += len(rows)
                whole = outcome is None or outcome.good or (outcome.status == "interrupted" and outcome.error is None)
                whole = whole and all(self._stands_at(machine, len(rows)) for machine in self._machines)
                events = self._log.happened[self._noted :]
                self._noted += len(events)
                self._keeper.add(rows[..., self._kept], self.checkpoint() if whole else None, events)
                if outcome is not None:
                    return outcome
                seconds = wall.monotonic() - begun

    def _look_at_pace(self, machine: "Machine") -> None:
        """Warn once if steps are so short that the run will take very long: an explicit method and a stiff robot."""
        if self._told or not self._too_slow(machine, _LONGEST):
            return
        self._told = True
        o, clock, h = self._origin, machine.clock, float(machine.clock[p.H_TAKEN])
        place, nx, nv = int(machine.plan[p.Y_NOW]), 7 + o.model.nq, o.model.nv
        work, first = machine.work.reshape(-1, machine.lanes)[:, 0], int(machine.plan[p.Y_ORIGIN])
        state = State(o.model, np.concatenate([work[first : first + nx], work[place + nv : place + 2 * nv]]))
        note = stiffness_note(o.model, state, o.forces, h) or "; a law may jump, or motion be very fast"
        warn_user(f"this run will take very long: at t = {clock[p.T]:g} s its steps are {h:.1e} s{note}", RunWarning)

    def _too_slow(self, machine: "Machine", steps: float) -> bool:
        """Whether, after a while, there are more than so many steps left if all are like the last."""
        if not self._origin.method.adaptive or wall.monotonic() - self._begun < _PATIENCE:
            return False
        clock = machine.clock
        return bool(clock[p.T_END] - clock[p.T] > steps * clock[p.H_TAKEN] > 0.0)

    def _out_of_bounds(self, machine: "Machine") -> str | None:
        """What moves so fast that nobody can mean it: steps would become ever shorter, and never end."""
        if not self._origin.method.adaptive:
            return None
        at, model = int(machine.plan[p.Y_NOW]) + self._origin.model.nv, self._origin.model
        rates = np.abs(machine.work.reshape(-1, machine.lanes)[at : at + model.nv, : machine.robots]).max(axis=1)
        if not np.any(rates > self._fastest):
            return None
        worst = int(np.argmax(rates))
        return f"{owner(model, worst)} is driven to infinity: its rate is {rates[worst]:.1e} rad/s or m/s"

    def _nothing(self) -> Array:
        return np.empty((0, sum(machine.robots for machine in self._machines), self._width))

    def _stands_at(self, machine: "Machine", rows: int) -> bool:
        """Whether a machine has written so many rows of this chunk, or fewer and then ended at an event."""
        written = int(machine.counters[p.C_RECORD])
        return written == rows or (written < rows and machine.first in self._log.endings)

    def _chunk(self, room: int, watch: Watch, interruption: Interruption) -> tuple[Outcome | None, Array]:
        """Some records more of all robots (records, robots, columns); an outcome if they are the last."""
        window = None if self._times is None else self._times.window(self._written, room)
        for machine in self._machines:
            machine.set_times(window)
        outcomes: list[Outcome | None] = []
        blocks: list[Array] = []
        for i, machine in enumerate(self._machines):
            block = np.empty((room + 1, machine.robots, self._width))
            outcomes.append(self._advance(i, block, room, watch, interruption))
            blocks.append(block[: machine.counters[p.C_RECORD]])
            if interruption.asked:
                break
        failed = [outcome for outcome in outcomes if outcome is not None and not outcome.good]
        if len(blocks) < len(self._machines):
            rows = self._nothing()  # the others have not been run
            self._log.forget(self._noted, -math.inf)
        else:
            rows = side_by_side(blocks, outcomes)
            good = np.isfinite(rows).all(axis=(1, 2))
            if not good.all():
                first = int(np.argmin(good))
                robot = int(np.argmin(np.isfinite(rows[first]).all(axis=-1)))
                guilty = next(m for m in self._machines if m.first <= robot < m.first + m.robots)
                failed.append(Outcome("not finite", float(rows[first, robot, 0]), guilty))
                rows = rows[:first]
        if failed:
            outcome = min(failed, key=lambda outcome: outcome.time)
            if outcome.status == "out of bounds":  # noticed sooner or later; what is kept does not depend on that
                rows = rows[: _first(np.abs(rows[..., self._u]).max(axis=(1, 2), initial=0.0) > self._fastest)]
            self._log.forget(self._noted, outcome.time)
            return outcome, rows
        ended = [outcome for outcome in outcomes if outcome is not None]
        if len(ended) < len(self._machines):
            return None, rows
        return next((outcome for outcome in ended if outcome.status == "done"), ended[-1]), rows

    def _advance(
        self, number: int, block: Array, room: int, watch: Watch, interruption: Interruption
    ) -> Outcome | None:
        """A machine, until the chunk is full, or how it ended before."""
        machine, status, error, law = self._machines[number], p.PAUSED, None, None
        while status == p.PAUSED and not interruption.asked:
            begun = wall.monotonic()
            with faults.caught(machine.fail):
                status = machine.advance(block, room, self._steps)
            error, law = faults.first()
            if status == p.HAPPENED and error is None:
                self._log.take(machine)
                status = p.FULL if machine.counters[p.C_RECORD] >= room else p.PAUSED
            if status == p.SWITCHED and error is None:
                self._log.switch(machine)
                status = p.PAUSED
            if status == p.ENDING and error is None:  # a checkpoint from where a longer run would go on in the same way
                status = p.FULL if len(self._machines) == 1 else p.PAUSED
            if isinstance(error, KeyboardInterrupt):  # in a law that runs in Python
                interruption.asked, status = True, p.PAUSED
            spent = wall.monotonic() - begun
            self._steps = max(1, min(20000, int(self._steps * min(4.0, _CALL / max(spent, 1e-9)))))
            self._all_reached -= self._reached[number]
            self._reached[number] = float(machine.clock[p.T] - machine.clock[p.T_START])
            self._all_reached += self._reached[number]
            watch.reached(self._all_reached)
            self._look_at_pace(machine)
            away = self._out_of_bounds(machine) if status in (p.PAUSED, p.FULL) and error is None else None
            if away is not None:
                return Outcome("out of bounds", float(machine.clock[p.T]), machine, cause=away)
            if status == p.PAUSED and error is None and self._too_slow(machine, _HOPELESS):
                return Outcome("step too small", float(machine.clock[p.T]), machine)
            if watch.onlooker is not None and machine is self._machines[0] and machine.counters[p.C_RECORD]:
                watch.onlooker(block[machine.counters[p.C_RECORD] - 1])
        if status == p.FULL and error is None:
            return None
        end, cause = "interrupted" if status == p.PAUSED else "not finite" if error is not None else _ENDS[status], None
        if end == "done" and machine.first in self._log.endings:
            end, cause, error = self._log.endings[machine.first]
        return Outcome(end, float(machine.clock[p.T]), machine, error, law, cause)


def _first(which: Array) -> int:
    """The first of these, or how many there are if it is none."""
    return int(np.argmax(which)) if which.any() else len(which)


def side_by_side(blocks: list[Array], outcomes: list[Outcome | None]) -> Array:
    """Records of all robots from those of each machine: as many as all have that have not ended at an event.

    The last record of one that has ended is repeated beside the others' later ones; its own time stands still.
    """
    if len(blocks) == 1:
        return blocks[0]
    ended = [outcome is not None and outcome.status == "event" for outcome in outcomes]
    # where an event or a mode failed, the last row is of a time that no other robot has one of
    odd = [outcome is not None and outcome.cause is not None for outcome in outcomes]
    going = [len(block) - o for block, o, end in zip(blocks, odd, ended, strict=True) if not end]
    count = min(going) if going else max(map(len, blocks))
    return np.concatenate([block[:count] if len(block) >= count else _held(block, count) for block in blocks], axis=1)


def _held(block: Array, count: int) -> Array:
    """So many records, the last of which is repeated."""
    return block[np.minimum(np.arange(count), len(block) - 1)]
