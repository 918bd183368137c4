"""A run as a folder that grows during the simulation, and can be read however its program ended.

    run.json           what made it
    state.f64          where it started
    rows.f64           records, one after another: doubles, little-endian
    checkpoints.f64    a checkpoint after each chunk, and a digest over it and all records before
    events.jsonl       a line for each event, if any happened
    manifest.jsonl     a line for each chunk: how much of the above is complete
    lock               held by the process that writes

A chunk is written and flushed to the disk before its line: the last whole line of the manifest says which data are
valid. Data beyond these are ignored. Files are never truncated, since readers have mapped them.
"""

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from ..simulate.checkpoints import DIGEST_BYTES, Checkpoint, RowDigest
from ..simulate.events import EventOccurrence
from ..simulate.simulation import Simulation
from ..simulate.store import FIRST_CHUNK, NotWritten, Past, next_room
from ..simulate.stored_text import MAX_TEXT_BYTES
from .folder_lock import LOCK, locked
from .folder_reading import CHECKPOINTS, EVENTS, MANIFEST, ROWS, SIMULATION, STATE, manifest, read_folder

Array = np.ndarray
_DOUBLE = np.dtype("<f8")
_UNFINISHED = ".tmp"
_NAMES = {name + end for name in (SIMULATION, STATE, ROWS, CHECKPOINTS, MANIFEST, EVENTS) for end in ("", _UNFINISHED)}


class Folder:
    """Keeps records in a folder; memory holds one chunk.

    Parameters
    ----------
    path : path
        The folder, which is made.
    simulation : Simulation
        What makes the run.
    most : int
        Records that a chunk may hold.

    Attributes
    ----------
    version : int
        Bytes of the manifest when the run was over.
    """

    def __init__(self, path: Path, simulation: Simulation, most: int):
        self.path, self.version, self._simulation, self._most = path, 0, simulation, most
        self._records = self._checkpoints = self._events = 0
        self._digest = RowDigest(simulation)
        self._room = min(FIRST_CHUNK, most)
        self._text = simulation.to_text()
        self._files: list[_Growing] = []

    @contextlib.contextmanager
    def opened(self, past: Past | None) -> Iterator[None]:
        """The folder, made for a new run or opened to go on, with its lock."""
        here = past is not None and past.place is not None
        with contextlib.ExitStack() as stack:
            with self._unusable("its run is as it was" if here else "nothing was simulated"):
                if len(self._text) > MAX_TEXT_BYTES:
                    raise InputError(
                        "stream: what makes this run takes too much text; record at an interval, not at times"
                    )
                if not here:
                    self.path.mkdir(parents=True, exist_ok=True)
                    self._check_free()  # before the lock is made, and again when it is held
                stack.enter_context(locked(self.path))
                stack.callback(self._close)
                if here:
                    assert past is not None
                    self._reopen(past)
                else:
                    self._create()
            if past is not None and not here:
                self._copy(past)
            yield

    @contextlib.contextmanager
    def _unusable(self, safe: str) -> Iterator[None]:
        """Turn an OSError into the error of a folder that cannot be made or opened for writing."""
        try:
            yield
        except (OSError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            reason = getattr(error, "strerror", None) or error
            raise InputError(
                f"stream: the folder '{self.path}' cannot be made or written: {reason}; {safe}. Make room, or "
                "choose another folder, stream=..."
            ) from error

    def _check_free(self) -> set[str]:
        """Raise unless the folder is empty, or holds only files of a run that ended before its first record."""
        there = {found.name for found in self.path.iterdir()} - {LOCK}
        if there and not (there <= _NAMES and self._holds_nothing()):
            raise InputError(
                f"stream: '{self.path}' is there already; choose another folder, or go on with the run in it by "
                "Run.load(folder).resume()"
            )
        return there

    def _create(self) -> None:
        for name in self._check_free():
            (self.path / name).unlink()
        self._prepare(STATE, self._simulation.state._data.astype(_DOUBLE).tobytes())
        self._prepare(SIMULATION, self._text.encode())
        self._put(STATE)
        self._put(SIMULATION)
        for name in (ROWS, CHECKPOINTS, MANIFEST):
            self._files.append(_Growing(self.path / name, None))
        _flush_folder(self.path)

    def _holds_nothing(self) -> bool:
        """Whether the run in the folder ended before its first record and checkpoint."""
        rows = self.path / ROWS
        empty = not rows.exists() or rows.stat().st_size == 0
        return empty and not any(line.checkpoints for line in manifest(self.path)[0])

    def _reopen(self, past: Past) -> None:
        """Reopen the folder for writing; records after the last checkpoint are discarded."""
        lines, version = manifest(self.path)
        assert past.place is not None
        if version != past.place.version:
            raise InputError(
                f"the run in '{self.path}' has gone on since it was read, by another process or another call; read it "
                "again: Run.load(folder).resume(...)"
            )
        self._records, self._checkpoints, self._events = past.records, past.place.checkpoints, len(past.events)
        self._digest = past.place.digest.copy()
        size = next((line.checkpoint_bytes for line in lines if line.checkpoint_bytes is not None), None) or 0
        record = past.rows[0].nbytes if past.records else 0
        ends = {ROWS: record * past.records, CHECKPOINTS: size * self._checkpoints, MANIFEST: version}
        for name, end in ends.items():
            self._files.append(_Growing(self.path / name, end))
        changed = [SIMULATION, EVENTS] if past.events or (self.path / EVENTS).exists() else [SIMULATION]
        self._prepare(SIMULATION, self._text.encode())
        if EVENTS in changed:
            self._prepare(EVENTS, b"".join(map(_event_line, past.events)))
        self._files[2].add(b"\n")  # the last line may be incomplete
        self._note("unfinished")  # before data are overwritten: each line must stay true
        for name in changed:
            self._put(name)

    def _copy(self, past: Past) -> None:
        """Copy the past of another run to this folder, a chunk at a time."""
        self._write_events(past.events)
        first = 0
        for checkpoint in past.checkpoints:
            while first < checkpoint.records:
                last = min(first + self._most, checkpoint.records)
                self.add(past.rows[first:last], checkpoint if last == checkpoint.records else None)
                first = last
            if checkpoint.records == 0:
                self.add(past.rows[:0], checkpoint)

    def _prepare(self, name: str, content: bytes) -> None:
        """Write the new content of a file to a temporary file beside it."""
        unfinished = self.path / f"{name}{_UNFINISHED}"
        unfinished.unlink(missing_ok=True)
        file = _Growing(unfinished, None)
        try:
            file.add(content)
            file.flush()
        finally:
            file.close()

    def _put(self, name: str) -> None:
        """Replace a file by its prepared content, atomically."""
        (self.path / f"{name}{_UNFINISHED}").replace(self.path / name)
        _flush_folder(self.path)

    def _close(self) -> None:
        for file in self._files:
            file.close()

    def room(self, seconds: float) -> int:
        """Number of records of the next chunk, chosen so that a chunk is flushed every few seconds."""
        self._room = next_room(self._room, self._most, seconds)
        return self._room

    def _write_events(self, events: Sequence[EventOccurrence]) -> None:
        if not events:
            return
        file = _Growing(self.path / EVENTS, -1)
        try:
            file.add(b"".join(map(_event_line, events)))
            file.flush()
        finally:
            file.close()
        self._events += len(events)

    def add(self, rows: Array, checkpoint: Checkpoint | None, events: Sequence[EventOccurrence] = ()) -> None:
        """Append records, the checkpoint after them, and events."""
        with self._writing():
            self._write_events(events)
            data, images, _ = self._files
            self._digest.add(rows)
            data.add(np.ascontiguousarray(rows, dtype=_DOUBLE).tobytes())
            self._records += len(rows)
            size = None
            if checkpoint is not None:
                image = checkpoint.to_bytes()
                images.add(image + self._digest.of(checkpoint))
                self._checkpoints += 1
                size = len(image) + DIGEST_BYTES
            data.flush()
            images.flush()
            self._note("unfinished", size)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise NotWritten(f"the folder '{self.path}' cannot be written: {error.strerror or error}") from error

    def _note(self, status: str, size: int | None = None, **more: Any) -> None:
        """Append a line to the manifest."""
        line = {"records": self._records, "checkpoints": self._checkpoints, "status": status, **more}
        if self._events:
            line["events"] = self._events
        if size is not None:
            line["checkpoint_bytes"] = size
        self._files[2].add((json.dumps(line) + "\n").encode())
        self._files[2].flush()
        self.version = self._files[2].end

    def finish(self, status: str, ledger: Array) -> None:
        """Write the status and the ledger of the run."""
        with self._writing():
            self._note(status, ledger=ledger.tolist())

    def content(self) -> tuple[Array, list[Checkpoint], Path]:
        """Mapped records, checkpoints, and the folder."""
        stored = read_folder(self.path, self._simulation, check=False)
        return stored.rows, stored.checkpoints, self.path


class _Growing:
    """A file that is appended to after its valid part; unbuffered, so that nothing is written after an error.

    Parameters
    ----------
    path : path
        The file.
    end : int or None
        Size of the valid part, -1 for all of it; None: the file is created, and must not exist.
    """

    def __init__(self, path: Path, end: int | None):
        self._file = path.open("xb" if end is None else "ab" if end < 0 else "r+b", buffering=0)
        self.end = self._file.seek(end or 0) if end is None or end >= 0 else self._file.tell()

    def add(self, content: bytes) -> None:
        """Write at the end, all of it."""
        rest = memoryview(content)
        while rest:
            rest = rest[self._file.write(rest) :]
        self.end += len(content)

    def flush(self) -> None:
        """Flush to the disk."""
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file; it has no buffer to flush."""
        self._file.close()


def _event_line(one: EventOccurrence) -> bytes:
    states = {"state": one.state._data.tolist(), "after": one.after._data.tolist()}
    whose: dict[str, Any] = {"robot": one.robot, "terminal": one.terminal}
    if one.impulse is not None and one.place is not None:
        whose |= {"impulse": one.impulse.tolist(), "place": one.place.tolist()}
    return (json.dumps({"name": one.name, "time": one.time, **whose, **states}) + "\n").encode()


def _flush_folder(path: Path) -> None:
    """Flush a folder, so that the names of new files survive a crash; not every system can."""
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
