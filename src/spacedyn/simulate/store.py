"""Stores of a run's records and checkpoints, filled chunk by chunk; the past of a resumed run."""

import math
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from ..errors import InputError
from ..kernels.scalar.pack import LANES
from .checkpoints import Checkpoint, RowDigest
from .events import EventOccurrence
from .simulation import Simulation
from .stepper.snapshot import restore, snapshot

if TYPE_CHECKING:
    from ..run.audit import Auditor
    from .stepper.stepper import Stepper

Array = np.ndarray
_CHUNK_BYTES = 8 << 20
_CHUNK_RECORDS = 4096
FIRST_CHUNK = 16  # records of a chunk, before it is known how long they take
_SHORTEST_CHUNK, _LONGEST_CHUNK = 1.0, 4.0  # [s] of computing


class FolderPosition(NamedTuple):
    """The position in its folder at which a run resumes."""

    version: int  # of the folder when it was read: the size of its manifest [bytes]
    checkpoints: int  # number of checkpoints in its file that stay
    digest: RowDigest  # of the records that stay


@dataclass(frozen=True, eq=False)
class Past:
    """The past of a resumed simulation.

    Attributes
    ----------
    checkpoints : list of Checkpoint
        Checkpoints so far; the simulation resumes from the last.
    rows : (records, robots, columns)
        The records before that.
    times : (times,)
        Times after the checkpoint that the earlier run had recorded [s]; they are recorded again first.
    place : FolderPosition or None
        Position in the folder that the run continues to write, if it does.
    events : tuple of EventOccurrence
        Events so far.
    """

    checkpoints: list[Checkpoint]
    rows: Array
    times: Array
    place: FolderPosition | None
    events: tuple[EventOccurrence, ...] = ()

    @property
    def records(self) -> int:
        """Number of records."""
        return self.checkpoints[-1].records

    @property
    def last_time(self) -> float:
        """The latest time that was recorded, or is to be recorded again [s]."""
        if self.times.size:
            return float(self.times[-1])
        return float(self.rows[-1, :, 0].max()) if len(self.rows) else -math.inf

    def restore(self, steppers: list["Stepper"], auditor: "Auditor") -> None:
        """Restore steppers and auditor from the last checkpoint."""
        image = self.checkpoints[-1].image
        sizes = [snapshot(stepper).size for stepper in steppers]
        if image.size != sum(sizes) or auditor.numbers.size != self.checkpoints[-1].ledger.size:
            raise InputError("the checkpoint was made on another kind of stepper or by another version of spacedyn")
        for stepper, part in zip(steppers, np.split(image, np.cumsum(sizes[:-1])), strict=True):
            restore(stepper, part)
        auditor.numbers[:] = self.checkpoints[-1].ledger


class NotWritten(Exception):
    """Records could not be written; its cause is the OSError with the reason."""


class RecordStore(Protocol):
    """Interface of a store of records, in memory or in a folder."""

    version: int
    """Version of what was written; see `FolderPosition`."""

    def opened(self, past: Past | None) -> AbstractContextManager[Any]:
        """Open the store for writing, with the records of the past, if there is one."""

    def room(self, seconds: float) -> int:
        """Number of records of the next chunk; the previous one took `seconds`."""

    def add(self, rows: Array, checkpoint: Checkpoint | None, events: Sequence[EventOccurrence] = ()) -> None:
        """Append records (records, robots, columns), the checkpoint after them, if there is one, and events."""

    def finish(self, status: str, ledger: Array) -> None:
        """Write the status and the ledger of the run."""

    def content(self) -> tuple[Array, list[Checkpoint], Path | None]:
        """Records (records, …, columns), checkpoints, and the folder of the store, if any."""


def largest_chunk(robots: int, width: int) -> int:
    """Records that fit into a chunk."""
    return max(1, min(_CHUNK_RECORDS, _CHUNK_BYTES // (8 * robots * width)))


def next_room(room: int, most: int, seconds: float) -> int:
    """Number of records of the next chunk, which shall last 1 to 4 s; the last one had `room` and took `seconds`."""
    if seconds < _SHORTEST_CHUNK:
        return min(2 * room, most)
    return max(1, room // 2) if _LONGEST_CHUNK < seconds < math.inf else room


class InMemory:
    """Keeps records in memory, and at least two checkpoints, spread over the run.

    Parameters
    ----------
    simulation : Simulation
        What makes the run.
    most : int
        Records that a chunk may hold.
    expected : int or None
        Records of the whole run, if that is known.
    """

    version = 0

    def __init__(self, simulation: Simulation, most: int, expected: int | None):
        self._shape, self._expected = simulation.shape, expected
        self._most = most if expected is None else min(most, max(256, -(-expected // 4)))
        # packs advance in turn, chunk by chunk: an interruption between them loses the chunk
        self._room = self._most if simulation.robots <= LANES else min(FIRST_CHUNK, self._most)
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

    def add(self, rows: Array, checkpoint: Checkpoint | None, events: Sequence[EventOccurrence] = ()) -> None:
        """Append records and perhaps the checkpoint; events stay in the event log."""
        self._rows.append(np.array(rows))
        if checkpoint is None:
            return
        self._latest = checkpoint
        if not checkpoint.last:
            self._before_end = checkpoint
        if not self._spread or checkpoint.records >= self._spread[-1].records + self._spacing:
            self._spread.append(checkpoint)
        # as many checkpoints as are small in comparison with the records
        records = max(self._expected or 0, sum(map(len, self._rows)))
        fit = records * self._rows[0][:1].nbytes // (4 * checkpoint.image.nbytes) if len(self._rows[0]) else 8
        if len(self._spread) > max(2, min(8, fit)):
            self._spread = self._spread[::2]
            self._spacing = 2 * max(self._spacing, self._spread[-1].records // len(self._spread), 1)

    def finish(self, status: str, ledger: Array) -> None:
        """Do nothing: memory needs no status."""

    def content(self) -> tuple[Array, list[Checkpoint], None]:
        """Records, and checkpoints with the latest among them."""
        rows = np.concatenate(self._rows)
        kept = [*self._spread, *(one for one in (self._before_end, self._latest) if one is not None)]
        kept = sorted({id(one): one for one in kept}.values(), key=lambda one: (one.records, one.last))
        return rows.reshape(len(rows), *self._shape, rows.shape[-1]), kept, None
