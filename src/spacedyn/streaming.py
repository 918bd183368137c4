"""A run as a folder that grows while it is simulated, and can be read whenever its program was stopped.

    run.json           what made it
    state.f64          where it started
    rows.f64           records, one after another: doubles, little-endian
    checkpoints.f64    the machines' memory after each chunk
    events.jsonl       a line for each event, if any happened
    manifest.jsonl     a line for each chunk: how much of the above is complete

A chunk is written and flushed to the disk before its line is: what the last whole line says is there.
"""

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .channels import kept_columns, row_columns, row_width
from .errors import InputError
from .events import Happening
from .keeping import FIRST_CHUNK, Checkpoint, Past, next_room
from .model.state import State
from .origin import Origin

Array = np.ndarray
_DOUBLE = np.dtype("<f8")
_ORIGIN, _STATE = "run.json", "state.f64"
_ROWS, _CHECKPOINTS, _MANIFEST = "rows.f64", "checkpoints.f64", "manifest.jsonl"
_EVENTS = "events.jsonl"


class Folder:
    """Keeps records in a folder; memory holds one chunk.

    Parameters
    ----------
    path : path
        The folder, which is made.
    origin : Origin
        What makes the run.
    most : int
        Records that a chunk may hold.
    """

    def __init__(self, path: Path, origin: Origin, most: int):
        self.path, self._origin, self._most = path, origin, most
        self._records = self._checkpoints = self._events = 0
        self._room = min(FIRST_CHUNK, most)
        self._files: list[Any] = []

    @contextlib.contextmanager
    def opened(self, past: Past | None) -> Iterator[None]:
        """The folder, made for a new run or opened to go on."""
        if past is not None and past.folder == self.path:
            self._reopen(past)
        else:
            self._create()
            if past is not None:
                self._copy(past)
        try:
            yield
        finally:
            for file in self._files:
                file.close()

    def _create(self) -> None:
        if self.path.exists() and (not self.path.is_dir() or any(self.path.iterdir())):
            raise InputError(
                f"stream: '{self.path}' is there already; choose another folder, or go on with the run in it by "
                "Run.load(folder).resume()"
            )
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"stream: the folder '{self.path}' cannot be made: {error.strerror}") from error
        with (self.path / _STATE).open("xb") as file:
            file.write(self._origin.state._data.astype(_DOUBLE).tobytes())
            _flush(file)
        self._write_origin()
        self._open("xb")

    def _reopen(self, past: Past) -> None:
        """Go on where it is; records after the last checkpoint are forgotten."""
        self._records, self._checkpoints, self._events = past.records, len(past.checkpoints), len(past.events)
        self._open("ab")
        self._files[2].write(b"\n")  # should the last line have been cut short
        self._note("unfinished")  # before anything is cut off: what a line says must be there
        self._files[0].truncate(past.rows[0].nbytes * past.records if past.records else 0)
        self._files[1].truncate(8 * self._checkpoints * (checkpoint_size(self.path) or 0))
        self._write_origin()
        self._write_events(past.events, "w")

    def _copy(self, past: Past) -> None:
        """Write a past from elsewhere, a chunk at a time."""
        self._write_events(past.events, "a")
        self._events = len(past.events)
        first = 0
        for checkpoint in past.checkpoints:
            while first < checkpoint.records:
                last = min(first + self._most, checkpoint.records)
                self.add(past.rows[first:last], checkpoint if last == checkpoint.records else None)
                first = last
            if checkpoint.records == 0:
                self.add(past.rows[:0], checkpoint)

    def _open(self, mode: str) -> None:
        self._files = [(self.path / name).open(mode) for name in (_ROWS, _CHECKPOINTS, _MANIFEST)]
        _flush_folder(self.path)

    def _write_origin(self) -> None:
        unfinished = self.path / f"{_ORIGIN}.tmp"
        with unfinished.open("w", encoding="utf-8") as file:
            file.write(self._origin.to_text())
            _flush(file)
        unfinished.replace(self.path / _ORIGIN)
        _flush_folder(self.path)

    def room(self, seconds: float) -> int:
        """Records of the next chunk: so many that it is flushed every few seconds."""
        self._room = next_room(self._room, self._most, seconds)
        return self._room

    def _write_events(self, events: Sequence[Happening], mode: str) -> None:
        if not events and not (self.path / _EVENTS).exists():
            return
        with (self.path / _EVENTS).open(mode, encoding="utf-8") as file:
            for one in events:
                states = {"state": one.state._data.tolist(), "after": one.after._data.tolist()}
                whose = {"robot": one.robot, "terminal": one.terminal}
                file.write(json.dumps({"name": one.name, "time": one.time, **whose, **states}) + "\n")
            _flush(file)

    def add(self, rows: Array, checkpoint: Checkpoint | None, events: Sequence[Happening] = ()) -> None:
        """Keep some records more, a checkpoint after them, and events."""
        if events:
            self._write_events(events, "a")
            self._events += len(events)
        data, images, _ = self._files
        data.write(np.ascontiguousarray(rows, dtype=_DOUBLE).tobytes())
        self._records += len(rows)
        size = None
        if checkpoint is not None:
            head = [checkpoint.records, checkpoint.last, checkpoint.ledger.size]
            image = np.concatenate([head, checkpoint.ledger, checkpoint.image])
            images.write(image.astype(_DOUBLE).tobytes())
            self._checkpoints += 1
            size = image.size
        _flush(data)
        _flush(images)
        self._note("unfinished", size)

    def _note(self, status: str, size: int | None = None, **more: Any) -> None:
        """A line of the manifest."""
        line = {"records": self._records, "checkpoints": self._checkpoints, "status": status, **more}
        if self._events:
            line["events"] = self._events
        if size is not None:
            line["checkpoint_size"] = size
        self._files[2].write((json.dumps(line) + "\n").encode())
        _flush(self._files[2])

    def finish(self, status: str, ledger: Array) -> None:
        """The run is over."""
        self._note(status, ledger=ledger.tolist())

    def content(self) -> tuple[Array, list[Checkpoint], Path]:
        """Records and checkpoints, mapped, and where they are."""
        rows, _, checkpoints, _ = read_folder(self.path, self._origin)
        return rows, checkpoints, self.path


def _flush(file: Any) -> None:
    file.flush()
    os.fsync(file.fileno())


def _flush_folder(path: Path) -> None:
    """So that the names of new files survive, too; not every system can."""
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def is_run_folder(path: Path) -> bool:
    """Whether a run was streamed to it."""
    return (path / _ORIGIN).is_file()


def manifest(path: Path) -> list[dict[str, Any]]:
    """The lines of a folder's manifest; a last one that was cut short does not count."""
    file = path / _MANIFEST
    lines = []
    for line in file.read_bytes().split(b"\n")[:-1] if file.exists() else []:
        with contextlib.suppress(ValueError):
            lines.append(json.loads(line))
    return lines


def checkpoint_size(path: Path) -> int | None:
    """Numbers in a checkpoint of a folder; None if it has none."""
    return next((line["checkpoint_size"] for line in manifest(path) if "checkpoint_size" in line), None)


def read_folder(path: Path, origin: Origin) -> tuple[Array, str, list[Checkpoint], Array | None]:
    """Records (mapped, not read), status, checkpoints, and the ledger."""
    lines, columns = manifest(path), row_columns(origin.model, origin.laws, origin.forces, origin.events)
    width = row_width(kept_columns(columns, origin.channels))
    if not lines:
        return np.empty((0, *origin.shape, width)), "unfinished", [], None
    last = lines[-1]
    shape = (last["records"], *origin.shape, width)
    rows = np.memmap(path / _ROWS, _DOUBLE, "r", shape=shape) if last["records"] else np.empty(shape)
    size, found = checkpoint_size(path), []
    if size is not None and last["checkpoints"]:
        images = np.memmap(path / _CHECKPOINTS, _DOUBLE, "r", shape=(last["checkpoints"], size))
        for image in images:
            stop = 3 + int(image[2])
            found.append(Checkpoint(int(image[0]), image[stop:], image[3:stop], bool(image[1])))
    ledger = np.array(last["ledger"]) if "ledger" in last else found[-1].ledger if found else None
    return rows, last["status"], found, ledger


def read_events(path: Path, origin: Origin) -> list[Happening]:
    """What happened in the run of a folder."""
    lines = manifest(path)
    count = lines[-1].get("events", 0) if lines else 0
    if not count:
        return []
    found = [json.loads(line) for line in (path / _EVENTS).read_text(encoding="utf-8").splitlines()[:count]]
    made = []
    for one in found:
        model = origin.model_of(tuple(one["robot"]))
        before, after = (State(model, np.array(one[when])) for when in ("state", "after"))
        made.append(Happening(one["name"], one["time"], before, after, tuple(one["robot"]), one["terminal"]))
    return made


def read_origin(path: Path) -> Origin:
    """What made the run of a folder."""
    return Origin.from_text((path / _ORIGIN).read_text(encoding="utf-8"), np.fromfile(path / _STATE, _DOUBLE))
