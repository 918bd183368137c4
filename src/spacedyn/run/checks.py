"""Checks of a run that was read from a file: its simulation, its records, its events."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ..elements.element import check_elements
from ..elements.prescribed import MODES
from ..errors import InputError
from ..model.model import Model
from ..model.state import State
from ..model.state_parts import checked_numbers
from ..simulate.channels import ALWAYS
from ..simulate.events import EventOccurrence, EventRecord
from ..simulate.simulation import Simulation
from ..simulate.stored_laws import check_law
from ..simulate.stored_motions import check_motion
from ..simulate.variables import check_record_names

Array = np.ndarray
STATUSES = (
    "done", "event", "interrupted", "unfinished", "not finite", "step too small", "step too long", "out of bounds",
    "event failed", "mode failed", "chattering",
)  # fmt: skip
"""How a run may have ended."""
_BYTES_AT_ONCE = 1 << 20
_TIME_TOLERANCE = 1e-9  # of the run's duration: times beyond its ends by less are within it


def check_status(status: Any) -> str:
    """Raise for an unknown status."""
    if status not in STATUSES:
        raise InputError(f"unknown status {str(status)[:40]!r}")
    return str(status)


# --- what made it ----------------------------------------------------------------------------------------------------


def check_simulation(simulation: Simulation) -> None:
    """Raise if the description in a file is not a valid simulation."""
    model = simulation.model
    checked_numbers(model, simulation.state._data, "the state at the start")
    if simulation.robots < 1:
        raise InputError("it holds no robot")
    for name in ("start", "end", "budget"):
        value = getattr(simulation, name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(f"{name}: expected a number, got {str(value)[:40]!r}")
    if not (np.isfinite(simulation.start) and np.isfinite(simulation.end) and simulation.start < simulation.end):
        raise InputError(
            f"start and end: expected finite ascending times [s], got {simulation.start} and {simulation.end}"
        )
    if not simulation.budget > 0.0:
        raise InputError(f"budget: expected a positive number, got {simulation.budget}")
    if simulation.gravity is not None and (
        simulation.gravity.shape != (3,) or not np.isfinite(simulation.gravity).all()
    ):
        raise InputError("gravity: expected three finite numbers")
    for law in simulation.laws:
        check_law(law)
    for event in simulation.events:
        _check_event(event.record)
    check_elements(model, simulation.elements)
    check_record_names(simulation.layout)
    _check_joints(model, simulation.prescribed, simulation.modes)
    _check_record(simulation.record)
    columns = simulation.layout.row
    if simulation.channels != tuple(name for name in columns if name in simulation.channels or name in ALWAYS):
        raise InputError(f"channels: unknown names, or a wrong order: {str(list(simulation.channels))[:200]}")
    if not (isinstance(simulation.kernels, str) and all(isinstance(note, str) for note in simulation.notes)):
        raise InputError("kernels and notes: expected text")


def _check_record(record: Any) -> None:
    """Check that `record` is an interval, ascending times, or 'steps'; times may exceed the end of a shortened run."""
    if isinstance(record, str) and record == "steps":
        return
    if isinstance(record, np.ndarray):
        good = record.ndim == 1 and record.size > 0 and np.isfinite(record).all() and np.all(np.diff(record) > 0.0)
    else:
        good = type(record) in (int, float) and 0.0 < record < np.inf
    if not good:
        raise InputError(f"record: expected an interval [s], ascending times or 'steps', got {str(record)[:40]}")


def _check_event(event: EventRecord) -> None:
    words = isinstance(event.label, str) and isinstance(event.done, str)
    choices = all(isinstance(one, bool) for one in (event.terminal, event.acts, event.switches))
    if not (words and choices and type(event.direction) is int and event.direction in (-1, 0, 1)):
        raise InputError(f"the event {str(event.label)[:40]!r} has impossible settings")


def _check_joints(model: Model, prescribed: dict[str, Any], modes: dict[str, str]) -> None:
    """Check that modes and motions belong to joints of the model."""
    for joint, mode in modes.items():
        model.joint(joint)
        if mode not in MODES:
            raise InputError(f"joint '{joint}': unknown mode {str(mode)[:40]!r}")
    for joint, motion in prescribed.items():
        model.joint(joint)
        check_motion(joint, motion)


# --- what it holds ---------------------------------------------------------------------------------------------------


def check_rows(simulation: Simulation, rows: Array, events: Sequence[EventOccurrence]) -> None:
    """Raise unless all records (records, …, columns) are finite, with ascending times and unit quaternions.

    A time may appear twice where a run that recorded every step resumed past a terminal event.
    """
    if not len(rows):
        return
    twice = {event.time for event in events if event.terminal}
    step = max(1, _BYTES_AT_ONCE // max(8, rows[0].nbytes))
    before = None
    for first in range(0, len(rows), step):
        part = np.array(rows[first : first + step]).reshape(-1, simulation.robots, rows.shape[-1])
        _check_numbers(simulation, part, first)
        times = part[..., 0] if before is None else np.concatenate([before, part[..., 0]])
        _check_times(simulation, times, first - (before is not None), twice)
        before = part[-1:, :, 0]


def _check_numbers(simulation: Simulation, part: Array, first: int) -> None:
    good = np.isfinite(part).all(axis=(1, 2))
    if not good.all():
        at = int(np.argmin(good))
        raise InputError(f"record {first + at}, of t = {part[at, 0, 0]:g} s, holds numbers that are not finite")
    columns = simulation.layout.row  # those of time and state come first, and are always kept
    try:
        checked_numbers(simulation.model, part[..., columns["x"].start : columns["u"].stop], "a record")
    except InputError as error:
        raise InputError(f"records {first} to {first + len(part) - 1}: {error}") from error


def _check_times(simulation: Simulation, times: Array, first: int, twice: set[float]) -> None:
    """Check times (records, robots); where robots end one by one, the time of an ended robot must not change."""
    if not simulation.staggered and np.any(times != times[:, :1]):
        raise InputError("robots have records of different times")
    latest, rise = times.max(axis=1), np.diff(times, axis=0)
    if np.any(rise < 0.0) or np.any(np.diff(latest) <= 0.0):
        for i in np.flatnonzero((rise < 0.0).any(axis=1) | (np.diff(latest) <= 0.0)):
            if np.any(rise[i] < 0.0) or not (isinstance(simulation.record, str) and latest[i] in twice):
                t = f"{latest[i]:.9g} s is followed by {latest[i + 1]:.9g} s"
                raise InputError(f"times do not rise: at record {first + i + 1}, {t}")
    room = _TIME_TOLERANCE * (simulation.end - simulation.start)
    if latest[-1] > simulation.end + room or times.min() < simulation.start - room:
        raise InputError(f"there are records of times outside {simulation.start:g} to {simulation.end:g} s")


def stored_occurrence(simulation: Simulation, one: dict[str, Any], number: int) -> EventOccurrence:
    """Read an event from a file: name, time, robot, terminal, state and after."""
    what = f"event {number}"
    name, time, robot, terminal = one["name"], one["time"], one["robot"], one["terminal"]
    known = [event.record.label for event in simulation.events]
    of_contact = isinstance(name, str) and name.split(": ")[0] in _touching(simulation)
    if not (name in known or of_contact) or not isinstance(terminal, bool):
        raise InputError(f"{what}: {str(name)[:40]!r} is no event of this run")
    room = _TIME_TOLERANCE * (simulation.end - simulation.start)
    if not (isinstance(time, int | float) and simulation.start - room <= time <= simulation.end + room):
        raise InputError(f"{what}: its time {str(time)[:40]} is not within the run")
    there = isinstance(robot, list | tuple) and len(robot) == len(simulation.shape)
    if not there or not all(type(i) is int and 0 <= i < n for i, n in zip(robot, simulation.shape, strict=True)):
        raise InputError(f"{what}: there is no robot {str(robot)[:40]}")
    before, after = (checked_numbers(simulation.model, one[when], f"{what}, its state") for when in ("state", "after"))
    if before.ndim != 1 or after.ndim != 1:
        raise InputError(f"{what}: its states are not of one robot")
    model = simulation.model_of(tuple(robot))
    states = State(model, before), State(model, after)
    vectors = [None if one.get(part) is None else _vector(one[part], what) for part in ("impulse", "place")]
    return EventOccurrence(name, float(time), *states, tuple(robot), terminal, *vectors)


def _touching(simulation: Simulation) -> list[str]:
    """Names of its rigid contacts."""
    layout = simulation.layout
    return [name for name, one in zip(layout.names, layout.elements, strict=True) if one.asks]


def _vector(given: Any, what: str) -> Array:
    """Three finite numbers."""
    found = np.asarray(given, dtype=float)
    if found.shape != (3,) or not np.isfinite(found).all():
        raise InputError(f"{what}: its impulse or place is not three finite numbers")
    return found


def check_ledger(numbers: Iterable[Any], size: int) -> Array:
    """Check the auditor's numbers; errors may be infinite, but never NaN."""
    ledger = np.array(list(numbers), dtype=float)
    if ledger.shape != (size,) or np.isnan(ledger).any():
        raise InputError(f"the ledger has {ledger.size} numbers where {size} should be, or some are not numbers")
    return ledger
