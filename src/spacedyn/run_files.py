"""Runs as NetCDF files: all that was recorded as named variables, what made it as attributes, checkpoints.

The file is of NetCDF's classic form, which every program reads, and which SciPy writes.
"""

import json
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .channels import kept_columns, row_columns
from .dataset import batch_dimensions, rows_of
from .errors import InputError
from .events import Happening
from .keeping import Checkpoint
from .model.state import State
from .origin import Origin
from .run import Run
from .streaming import is_run_folder, read_events, read_folder, read_origin

if TYPE_CHECKING:
    import xarray

_LARGEST = (1 << 32) - 4  # bytes of a variable in such a file
_TEXT, _EVENTS = "spacedyn_origin", "spacedyn_events"


def save(run: Run, path: Path) -> None:
    """Write a run to a file, which is replaced when all is written."""
    if not run.time.size:
        raise InputError("nothing was recorded: there is nothing to save")
    data = run.data.copy()
    data = data.drop_vars([name for name, part in data.variables.items() if part.size == 0])
    data["initial_state"] = ([*batch_dimensions(run.shape), "state_part"], run.origin.state._data)
    if run._checkpoints:
        data["checkpoint_records"] = ("checkpoint", np.array([c.records for c in run._checkpoints], dtype=float))
        data["checkpoint_last"] = ("checkpoint", np.array([c.last for c in run._checkpoints], dtype=float))
        data["checkpoint_ledger"] = (("checkpoint", "ledger"), np.stack([c.ledger for c in run._checkpoints]))
        data["checkpoint_image"] = (("checkpoint", "image"), np.stack([c.image for c in run._checkpoints]))
    if run.events:
        data["event_time"] = ("event", np.array([event.time for event in run.events]), {"units": "s"})
        both = np.array([[event.state._data, event.after._data] for event in run.events])
        data["event_states"] = (("event", "before_and_after", "state_part"), both)
        data.attrs[_EVENTS] = [(event.name, event.robot, event.terminal) for event in run.events]
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
    data.attrs = {"title": f"run of {run.model.name}", **text, _TEXT: run.origin.to_text()}
    unfinished = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        data.to_netcdf(unfinished, engine="scipy", format="NETCDF3_64BIT")
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def load(path: Path) -> Run:
    """Read a run from a file or from a folder."""
    if path.is_dir():
        if not is_run_folder(path):
            raise InputError(f"'{path}' is a folder, but no run was streamed to it")
        origin = read_origin(path)
        rows, status, checkpoints, ledger = read_folder(path, origin)
        return Run(origin, rows, checkpoints, path, status, ledger, read_events(path, origin))
    import xarray

    if not path.exists():
        raise FileNotFoundError(f"there is no file or folder '{path}'")
    try:
        with xarray.open_dataset(path, engine="scipy", decode_times=False) as file:
            data = file.load()
        text = data.attrs[_TEXT]
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"'{path}' is not a run that was saved: {error}") from None
    origin = Origin.from_text(text, _numbers(data["initial_state"]))
    columns = kept_columns(row_columns(origin.model, origin.laws, origin.forces, origin.events), origin.channels)
    rows = rows_of(data, origin, columns)
    ledger = _numbers(data["ledger_numbers"]) if "ledger_numbers" in data else None
    return Run(origin, rows, _checkpoints(data), None, data.attrs["status"], ledger, _events(data, origin))


def _events(data: "xarray.Dataset", origin: Origin) -> list[Happening]:
    if "event_time" not in data:
        return []
    told, times, states = json.loads(data.attrs[_EVENTS]), _numbers(data["event_time"]), _numbers(data["event_states"])
    made = []
    for (name, robot, terminal), time, both in zip(told, times, states, strict=True):
        model = origin.model_of(tuple(robot))
        before, after = (State(model, one) for one in both)
        made.append(Happening(name, float(time), before, after, tuple(robot), terminal))
    return made


def _checkpoints(data: "xarray.Dataset") -> list[Checkpoint]:
    if "checkpoint_records" not in data:
        return []
    parts = (_numbers(data[f"checkpoint_{name}"]) for name in ("records", "image", "ledger", "last"))
    return [
        Checkpoint(int(records), image, ledger, bool(last)) for records, image, ledger, last in zip(*parts, strict=True)
    ]


def _numbers(variable: Any) -> np.ndarray:
    return np.array(variable.values, dtype=float)
