"""Runs as NetCDF files: the record as named variables, the simulation as attributes, checkpoints.

The file is of NetCDF's classic form, which every program reads, and which SciPy reads and writes.
"""

import json
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError, RunWarning, warn_user
from ..simulate.channels import kept_columns, present_name
from ..simulate.checkpoints import Checkpoint, verified
from ..simulate.events import EventOccurrence
from ..simulate.simulation import Simulation
from ..simulate.stored_text import MAX_TEXT_BYTES, BoundedFile, reading
from ..simulate.variables import batch_dimensions
from .audit import Auditor
from .checks import check_ledger, check_rows, check_simulation, check_status, stored_occurrence
from .dataset import rows_of
from .folder_reading import is_run_folder, read_folder, read_simulation
from .run import Run

Array = np.ndarray
_LARGEST = (1 << 32) - 4  # most bytes of a variable in the classic format
_TEXT, _EVENTS, _DIGESTS = "spacedyn_origin", "spacedyn_events", "spacedyn_digests"


def save(run: Run, path: Path) -> None:
    """Write a run to a file, which is replaced atomically."""
    if not run.time.size:
        raise InputError("nothing was recorded: there is nothing to save")
    data = run.data.copy()
    data = data.drop_vars([name for name, part in data.variables.items() if part.size == 0])
    data["initial_state"] = ([*batch_dimensions(run.shape), "state_part"], run.simulation.state._data)
    _add_checkpoints(run, data)
    if run.events:
        data["event_time"] = ("event", np.array([event.time for event in run.events]), {"units": "s"})
        both = np.array([[event.state._data, event.after._data] for event in run.events])
        data["event_states"] = (("event", "before_and_after", "state_part"), both)
        data.attrs[_EVENTS] = [(event.name, event.robot, event.terminal, *_pushed(event)) for event in run.events]
    if run._ledger is not None:
        data["ledger_numbers"] = ("ledger", run._ledger)
    for name, part in data.variables.items():
        part.encoding = {"_FillValue": None}
        if part.nbytes > _LARGEST:
            raise InputError(
                f"'{name}' is larger than a NetCDF file can hold ({part.nbytes / 2**30:.1f} GB); record less often or "
                "fewer channels, or simulate with stream=folder"
            )
    text = {name: value if isinstance(value, str | float) else json.dumps(value) for name, value in data.attrs.items()}
    data.attrs = {"title": f"run of {run.model.name}", **text, _TEXT: run.simulation.to_text()}
    if max(len(one) for one in data.attrs.values() if isinstance(one, str)) > MAX_TEXT_BYTES:
        raise InputError("what made this run takes too much text to be read again; record at an interval, not at times")
    _write(data, path)


def _write(data: Any, path: Path) -> None:
    """Write to a temporary file, then replace the target atomically."""
    unfinished = path.with_name(f".{uuid.uuid4().hex}.tmp")
    try:
        try:
            data.to_netcdf(unfinished, engine="scipy", format="NETCDF3_64BIT")
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(
            f"'{path}' cannot be written: {reason}; what was there is as it was, and the run is still in memory: save "
            "it elsewhere, or make room"
        ) from error


def _add_checkpoints(run: Run, data: Any) -> None:
    """Add the checkpoints whose digests still match; leave out all others."""
    good = [one.checkpoint for one in verified(run.simulation, run._rows, run._checkpoints)]
    if len(good) < len(run._checkpoints):
        lost = f"{len(run._checkpoints) - len(good)} of {len(run._checkpoints)} checkpoints"
        warn_user(f"{lost}, or the records before them, are damaged: they are left out of the file", RunWarning)
    if not good:
        return
    data["checkpoint_records"] = ("checkpoint", np.array([c.records for c in good], dtype=float))
    data["checkpoint_last"] = ("checkpoint", np.array([c.last for c in good], dtype=float))
    data["checkpoint_ledger"] = (("checkpoint", "ledger"), np.stack([c.ledger for c in good]))
    data["checkpoint_image"] = (("checkpoint", "image"), np.stack([c.image for c in good]))
    data.attrs[_DIGESTS] = [c.digest.hex() for c in good if c.digest is not None]


def load(path: Path, folders: Sequence[Path] = ()) -> Run:
    """Read a run from a file or from a folder; meshes may be in its folder or below, and in these folders."""
    with reading(path):
        if not path.exists():
            raise InputError(f"there is no file or folder '{path}'")
        if not path.is_dir():
            return _load_file(path, folders)
        if not is_run_folder(path):
            raise InputError(f"'{path}' is a folder, but no run was streamed to it")
        simulation = read_simulation(path, folders)
        stored = read_folder(path, simulation)
        return Run(simulation, stored.rows, stored.checkpoints, path, *stored[2:])


def _load_file(path: Path, folders: Sequence[Path]) -> Run:
    from scipy.io import netcdf_file

    with (
        BoundedFile(path) as raw,
        netcdf_file(raw, "r", mmap=True) as file,
    ):  # mapped, since a damaged file may claim overlapping variables of any total size
        variables = {
            present_name(name): one.data for name, one in file.variables.items() if one.data.dtype.kind in "fiu"
        }
        texts = {name: text.decode("utf-8") for name, text in file._attributes.items() if isinstance(text, bytes)}
        try:
            return _run_of(variables, texts, [path.absolute().parent, *folders])
        finally:
            variables.clear()


def _run_of(variables: Mapping[str, Array], attributes: Mapping[str, str], folders: Sequence[Path]) -> Run:
    """Make a run of a file's variables and attributes, which are copied."""
    if _TEXT not in attributes:
        raise InputError(f"the attribute '{_TEXT}', the description of the run, is missing")
    simulation = Simulation.from_text(attributes[_TEXT], _numbers(variables, "initial_state"), folders)
    check_simulation(simulation)
    columns = simulation.layout.row
    rows = rows_of(variables, simulation, kept_columns(columns, simulation.channels))
    events = _events(variables, attributes, simulation)
    check_rows(simulation, rows, events)
    size = Auditor(simulation.model, simulation.gravity, columns, simulation.robots).numbers.size
    ledger = check_ledger(_numbers(variables, "ledger_numbers"), size) if "ledger_numbers" in variables else None
    status = check_status(attributes.get("status"))
    return Run(simulation, rows, _checkpoints(variables, attributes, size, len(rows)), None, status, ledger, events)


def _numbers(variables: Mapping[str, Array], name: str) -> Array:
    """A variable as doubles of this machine."""
    if name not in variables:
        raise InputError(f"it has no variable '{name}'")
    return np.array(variables[name], dtype=float)


def _pushed(event: EventOccurrence) -> list[list[float]]:
    """Impulse and place of a rigid contact's event; empty for other events."""
    if event.impulse is None or event.place is None:
        return []
    return [event.impulse.tolist(), event.place.tolist()]


def _events(
    variables: Mapping[str, Array], attributes: Mapping[str, str], simulation: Simulation
) -> list[EventOccurrence]:
    if "event_time" not in variables:
        return []
    listed, times, states = (
        json.loads(attributes[_EVENTS]),
        *(_numbers(variables, f"event_{n}") for n in ("time", "states")),
    )
    if states.shape[:2] != (len(listed), 2) or times.shape != (len(listed),):
        raise InputError(f"there are {len(listed)} events, but times and states of {times.shape} and {states.shape}")
    return [
        stored_occurrence(
            simulation,
            {
                "name": name,
                "time": float(time),
                "robot": robot,
                "terminal": terminal,
                "state": both[0],
                "after": both[1],
                **dict(zip(("impulse", "place"), pushed, strict=False)),
            },
            number,
        )
        for number, ((name, robot, terminal, *pushed), time, both) in enumerate(zip(listed, times, states, strict=True))
    ]


def _checkpoints(
    variables: Mapping[str, Array], attributes: Mapping[str, str], ledger: int, records: int
) -> list[Checkpoint]:
    """Read the checkpoints; none if they are inconsistent."""
    if "checkpoint_records" not in variables or _DIGESTS not in attributes:
        return []
    head = [_numbers(variables, f"checkpoint_{name}").reshape(-1, 1) for name in ("records", "last")]
    numbers = np.concatenate(
        [*head, *(_numbers(variables, f"checkpoint_{name}") for name in ("ledger", "image"))], axis=1
    )
    digests = [bytes.fromhex(text) for text in json.loads(attributes[_DIGESTS])]
    if len(digests) != len(numbers) or variables["checkpoint_ledger"].shape[1] != ledger:
        raise InputError("its checkpoints do not fit together")
    return [Checkpoint.from_numbers(one, ledger, records, digest) for one, digest in zip(numbers, digests, strict=True)]
