"""Reading of a folder that a run was streamed to: the data that the last whole line of its manifest declares."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, RunWarning, warn_user
from ..simulate.channels import kept_columns, row_width
from ..simulate.checkpoints import DIGEST_BYTES, Checkpoint, verified
from ..simulate.events import EventOccurrence
from ..simulate.simulation import Simulation
from ..simulate.stored_text import MAX_TEXT_BYTES, file_size, map_doubles, parse_object, read_text, whole
from .audit import Auditor
from .checks import check_ledger, check_rows, check_simulation, check_status, stored_occurrence

Array = np.ndarray
SIMULATION, STATE, ROWS, CHECKPOINTS, MANIFEST, EVENTS = (
    "run.json", "state.f64", "rows.f64", "checkpoints.f64", "manifest.jsonl", "events.jsonl",
)  # fmt: skip
"""Files of such a folder."""
_ATTEMPTS = 5


class Stored(NamedTuple):
    """The valid content of a run's folder."""

    rows: Array
    checkpoints: list[Checkpoint]
    status: str
    ledger: Array | None
    events: list[EventOccurrence]
    version: int  # bytes of the manifest


class Line(NamedTuple):
    """A line of the manifest: how much of the other files is valid."""

    records: int
    checkpoints: int
    events: int
    status: str
    ledger: list[Any] | None
    checkpoint_bytes: int | None


def is_run_folder(path: Path) -> bool:
    """Whether a path is the folder of a streamed run."""
    return (path / SIMULATION).exists()


def manifest(path: Path) -> tuple[list[Line], int]:
    """The complete lines of a folder's manifest, and their size [bytes]."""
    file, size = path / MANIFEST, 0
    lines: list[Line] = []
    if not file.exists():
        return [], 0
    for text in _lines(file):
        size += len(text)
        try:
            found = json.loads(text) if text.endswith(b"\n") and len(text) < MAX_TEXT_BYTES else None
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            lines.append(_line(found, f"line {len(lines) + 1} of '{file}'"))
    return lines, size


def _line(found: dict[str, Any], where: str) -> Line:
    counts = [whole(found.get(name, 0), f"{where}, {name}") for name in ("records", "checkpoints", "events")]
    size, ledger = found.get("checkpoint_bytes"), found.get("ledger")
    if ledger is not None and not isinstance(ledger, list):
        raise InputError(f"{where}: its ledger is no list")
    return Line(
        counts[0],
        counts[1],
        counts[2],
        check_status(found.get("status")),
        ledger,
        None if size is None else whole(size, f"{where}, checkpoint_bytes"),
    )


def _lines(file: Path) -> Iterator[bytes]:
    """Lines of a file of bounded length each."""
    file_size(file)
    with file.open("rb") as lines:
        while line := lines.readline(MAX_TEXT_BYTES):
            yield line


def read_simulation(path: Path, folders: Sequence[Path] = ()) -> Simulation:
    """Read the simulation of a run's folder; its meshes may be in it, or in `folders`."""
    text = read_text(path / SIMULATION)
    state = map_doubles(path / STATE, (file_size(path / STATE) // 8,))
    simulation = Simulation.from_text(text, state, [path, *folders])
    check_simulation(simulation)
    return simulation


def read_folder(path: Path, simulation: Simulation, check: bool = True) -> Stored:
    """Read a run's folder; records are mapped, and checked unless this process has just written them.

    If another program writes to it meanwhile, the changed part is read again.
    """
    for attempt in range(_ATTEMPTS):
        lines, version = manifest(path)
        try:
            return _read(path, simulation, lines, version, check)
        except InputError:
            if attempt == _ATTEMPTS - 1 or manifest(path)[1] == version:
                raise
    raise AssertionError


def _read(path: Path, simulation: Simulation, lines: list[Line], version: int, check: bool) -> Stored:
    columns = simulation.layout.row
    width = row_width(kept_columns(columns, simulation.channels))
    if not lines:
        return Stored(np.empty((0, *simulation.shape, width)), [], "unfinished", None, [], version)
    last = lines[-1]
    rows = map_doubles(path / ROWS, (last.records, *simulation.shape, width))
    events = _read_events(path, simulation, last.events)
    if check:
        check_rows(simulation, rows, events)
    size = Auditor(simulation.model, simulation.gravity, columns, simulation.robots).numbers.size
    sizes = {line.checkpoint_bytes for line in lines if line.checkpoint_bytes is not None}
    checkpoints = _read_checkpoints(path, last, sizes, size)
    ledger = None
    if last.ledger is not None:
        ledger = check_ledger(last.ledger, size)
    elif good := verified(simulation, rows, checkpoints):
        ledger = check_ledger(good[-1].checkpoint.ledger, size)
    return Stored(rows, checkpoints, last.status, ledger, events, version)


def _read_checkpoints(path: Path, last: Line, sizes: set[int], ledger: int) -> list[Checkpoint]:
    """Read the checkpoints; if part of their file is missing, only those checkpoints are lost."""
    if not last.checkpoints or not sizes:
        return []
    size, file = max(sizes), path / CHECKPOINTS
    numbers = (size - DIGEST_BYTES) // 8
    if len(sizes) > 1 or size != 8 * numbers + DIGEST_BYTES or numbers < 2 + ledger:
        raise InputError(f"'{path / MANIFEST}': checkpoints of {size} bytes, which no run has")
    there = min(last.checkpoints, file_size(file) // size) if file.exists() else 0
    if there < last.checkpoints:
        warn_user(f"'{file}' was cut: it holds {there} of {last.checkpoints} checkpoints", RunWarning)
    if not there:
        return []
    found = np.memmap(file, np.uint8, "r", shape=(there, size))
    return [
        Checkpoint.from_numbers(one[: 8 * numbers].view("<f8"), ledger, last.records, one[8 * numbers :].tobytes())
        for one in found
    ]


def _read_events(path: Path, simulation: Simulation, count: int) -> list[EventOccurrence]:
    """Read the valid events."""
    if not count:
        return []
    file, made = path / EVENTS, []
    for number, line in enumerate(_lines(file)):
        if number == count:
            break
        made.append(stored_occurrence(simulation, parse_object(line, f"line {number + 1} of '{file}'"), number))
    if len(made) < count:
        raise InputError(f"'{file}' has {len(made)} events where {count} should be: it was cut")
    return made
