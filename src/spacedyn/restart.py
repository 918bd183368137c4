"""Going on with a run: from the last checkpoint at or before a record, bit for bit."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from .errors import InputError
from .events import Event, Happening, same_events
from .keeping import Checkpoint, Past
from .kernels import plan as p
from .kernels.compiling import SOURCES
from .laws import Law
from .origin import LawRecord, same_laws
from .reals import one_number
from .record_times import checked_record
from .run import Run
from .simulate import carry_out, checked_laws


def resume(
    run: Run,
    until: float | None,
    at: float | None,
    laws: Law | Iterable[Law] | None,
    prescribed: Mapping[str, Any] | None,
    events: Event | Iterable[Event] | None,
    record: Any,
    stream: Path | None,
    progress: bool,
) -> Run:
    """See `Run.resume`."""
    origin = run.origin
    index = None if at is None else run.index(at)
    end = _end(run, until, index)
    kept = origin.record if record is None else checked_record(record, origin.start, end)
    if isinstance(kept, str) and origin.robots > 1:
        raise InputError("record='steps' is for one robot; give a batch an interval or times")
    motions = _motions(run, prescribed or {})
    watched = same_events(origin.model, origin.events, events)
    origin = replace(origin, laws=_laws(run, laws), prescribed=motions, events=watched, end=end, record=kept)
    past = _past(run, index, isinstance(kept, str), end)
    if stream is None and index is None and run.folder is not None:
        stream, past = run.folder, replace(past, folder=run.folder)
    return carry_out(origin, stream, progress, past)


def _end(run: Run, until: float | None, index: int | None) -> float:
    """Where to go."""
    if run.shape and run.status == "event" and index is None:
        raise InputError(
            "every robot of the batch has ended at a terminal event; go on from an earlier record, resume(at=...), or "
            "start a new run from run.final"
        )
    if until is None:
        if run.status == "done" and index is None:
            raise InputError(
                f"the run is done; say until when to go on: resume(until=...), later than {run.time[-1]} s"
            )
        return run.origin.end
    behind = run.time[-1 if index is None else index] if run.time.size else run.origin.start
    if not one_number("until", until, f"later than {behind} s") > behind:
        raise InputError(f"until must be later than {behind} s, where the run goes on, got {until}")
    return float(until)


def _laws(run: Run, laws: Law | Iterable[Law] | None) -> tuple[Law, ...]:
    """The laws that made the run, with their code."""
    if laws is None:
        if all(isinstance(law, Law) for law in run.laws):
            return tuple(run.laws)
        names = ", ".join(f"{law.name}(...)" for law in run.laws)
        raise InputError(f"a file does not hold the code of laws; give those that made it: resume(laws=[{names}])")
    given = tuple(checked_laws(laws))
    same_laws(run.laws, given)
    return given


def _motions(run: Run, given: Mapping[str, Any]) -> dict[str, Any]:
    """What was prescribed, with the code of functions."""
    motions = dict(run.origin.prescribed)
    for joint, motion in given.items():
        if not (isinstance(motion, Law) and isinstance(motions.get(joint), Law | LawRecord)):
            raise InputError(f"prescribed: the run was not made with a function of time for a joint '{joint}'")
        same_laws([motions[joint]], [motion])
        motions[joint] = motion
    for joint, motion in motions.items():
        if isinstance(motion, LawRecord):
            what = f"joint '{joint}' was prescribed by a function '{motion.name}', whose code a file does not hold"
            raise InputError(f"{what}; give it: resume(prescribed={{'{joint}': {motion.name}(...)}})")
    return motions


def _past(run: Run, index: int | None, steps: bool, end: float) -> Past:
    """What is kept of the run; times after the checkpoint are recorded again as they were.

    To another end it goes on from before its last step, which its own end has cut short; past a terminal event, from
    there.
    """
    if run.origin.kernels != SOURCES:
        raise InputError(
            "the run was made by another version of spacedyn, of Numba, or on another kind of processor, so it would "
            "not go on bit for bit; start a new run from its last state: simulate(model, run.final, ..., "
            "start=run.time[-1])"
        )
    records = run.time.size if index is None else index + 1
    usable = [checkpoint for checkpoint in run._checkpoints if checkpoint.records <= records]
    if end != run.origin.end and not (run.status == "event" and index is None):
        usable = [checkpoint for checkpoint in usable if not checkpoint.last]
    if not usable:
        raise InputError("the run holds no checkpoint to go on from")
    first = usable[-1].records
    rows = run._rows[:first].reshape(first, run.origin.robots, run._rows.shape[-1])
    again = np.empty(0) if steps or isinstance(run.origin.record, str) else run.time[first:records]
    return Past(usable, rows, again, None, _happened(run, usable[-1]))


def _happened(run: Run, checkpoint: Checkpoint) -> tuple[Happening, ...]:
    """The events before a checkpoint."""
    if not run.events:
        return ()
    each = checkpoint.image.reshape(run.origin.robots, -1)  # robots with events have a machine each
    left = each[:, p.CLOCK + p.C_EVENTS].astype(int).reshape(run.shape)
    kept = []
    for event in run.events:
        if left[event.robot] > 0:
            kept.append(event)
            left[event.robot] -= 1
    return tuple(kept)
