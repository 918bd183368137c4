"""Resume a run from the last checkpoint at or before a record, bit for bit."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..elements.element import Element
from ..elements.stored import StoredElement, same_elements
from ..errors import InputError, RunWarning, warn_user
from ..kernels.scalar.compiling import SOURCES
from ..laws.law import Law
from ..reals import one_number
from ..simulate.acting import checked_laws, sort_elements
from ..simulate.arguments import listed
from ..simulate.checkpoints import Verified, verified
from ..simulate.events import Event, same_events
from ..simulate.record_times import checked_record
from ..simulate.store import FolderPosition, Past
from ..simulate.stored_laws import LawRecord, same_laws
from ..simulate.stored_motions import motion_text
from .run import Run
from .simulate import carry_out

_ANEW = "start a new run from its last state: simulate(model, run.final, ..., start=run.time[-1])"


def resume(
    run: Run,
    until: float | None,
    at: float | None,
    laws: Law | Iterable[Law] | None,
    elements: Element | Law | Iterable[Element | Law] | None,
    prescribed: Mapping[str, Any] | None,
    events: Event | Iterable[Event] | None,
    record: Any,
    stream: Path | None,
    progress: bool,
) -> Run:
    """See `Run.resume`."""
    simulation = run.simulation
    index = None if at is None else run.index(at)
    end = _end(run, until, index)
    kept = simulation.record if record is None else checked_record(record, simulation.start, end)
    if isinstance(kept, str) and simulation.robots > 1:
        raise InputError("record='steps' is for one robot; give a batch an interval or times")
    laws, others, functions = _given(run, laws, elements, prescribed or {})
    motions = _motions(run, functions)
    chosen_events = same_events(simulation.model, simulation.events, events)
    laws_given, acting = _laws(run, laws), same_elements(simulation.elements, others)
    for one in acting:
        one.check_start(simulation.state, (simulation.start, end), acting)
    past, note = _past(run, index, isinstance(kept, str), end)
    if record is None and until is not None and isinstance(kept, np.ndarray) and kept[-1] <= past.last_time:
        raise InputError(
            f"resume: the run was recorded at given times, none of which is after {past.last_time:g} s; say when to "
            f"record until {end:g} s: record=..."
        )
    notes = (*simulation.notes, note) if note else simulation.notes
    simulation = replace(
        simulation,
        laws=laws_given,
        elements=acting,
        prescribed=motions,
        events=chosen_events,
        end=end,
        record=kept,
        notes=notes,
    )
    if stream is None and index is None and run.folder is not None:
        stream = run.folder
    else:
        past = replace(past, place=None)
    return carry_out(simulation, stream, progress, past)


def _end(run: Run, until: float | None, index: int | None) -> float:
    """The time at which the resumed run ends [s]."""
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
        return run.simulation.end
    behind = run.time[-1 if index is None else index] if run.time.size else run.simulation.start
    if not one_number("until", until, f"later than {behind} s") > behind:
        raise InputError(f"until must be later than {behind} s, where the run goes on, got {until}")
    return float(until)


def _given(
    run: Run, laws: Any, elements: Any, prescribed: Mapping[str, Any]
) -> tuple[Any, list[Element] | None, dict[str, Any]]:
    """Sort the given laws, elements and motions, whichever argument they came in.

    Parts that a file holds completely need not be given; if given, they must equal those that made the run.
    """
    functions = dict(prescribed)
    if elements is None:
        return laws, None, functions
    found = sort_elements(listed("elements", elements, Element | Law))
    _check_gravity(run, [np.asarray(one.acceleration) for one in found.fields])
    for one in found.joints:
        if isinstance(one.motion, Law):
            functions[one.joint] = one.motion
        elif not _is_motion(run.simulation.prescribed.get(one.joint), one.motion):
            raise InputError(f"the run was not made with this motion of joint '{one.joint}'; leave it out")
    if found.laws:
        laws = [*([] if laws is None else checked_laws(laws)), *found.laws]
    return laws, found.elements or None, functions


def _check_gravity(run: Run, given: Sequence[Any]) -> None:
    """Raise if the given gravity accelerations do not sum up to that of the run."""
    was = np.zeros(3) if run.gravity is None else run.gravity
    if given and not np.array_equal(sum(given[1:], given[0]), was):
        total = sum(given[1:], given[0])
        raise InputError(f"the run was made with a gravity of {was} m/s², given were {total}; it need not be given")


def _is_motion(was: Any, now: Any) -> bool:
    """Whether the given motion equals the joint's motion `was`."""
    try:
        return was is not None and motion_text(was) == motion_text(now)
    except (TypeError, ValueError):  # `given` is no motion
        return False


def _laws(run: Run, laws: Law | Iterable[Law] | None) -> tuple[Law, ...]:
    """The laws that made the run, with their code."""
    if laws is None:
        if all(isinstance(law, Law) for law in run.laws):
            return tuple(run.laws)
        names = ", ".join(f"{law.name}(...)" for law in run.laws)
        mine = ", ".join(f"{one.title}(...)" for one in run.forces if isinstance(one, StoredElement))
        both = f"laws=[{names}], elements=[{mine}]" if mine else f"laws=[{names}]"
        raise InputError(f"a file does not hold the code of laws; give those that made it: resume({both})")
    given = tuple(checked_laws(laws))
    same_laws(run.laws, given)
    return given


def _motions(run: Run, given: Mapping[str, Any]) -> dict[str, Any]:
    """The prescribed motions that made the run, with the code of functions."""
    motions = dict(run.simulation.prescribed)
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


def _past(run: Run, index: int | None, steps: bool, end: float) -> tuple[Past, str]:
    """The past from which a run resumes, and a note if checkpoints were damaged; later times are recorded again.

    With another end, the run resumes before its last step, which its own end cut short; past a terminal event, it
    resumes at that event.
    """
    if run.simulation.kernels != SOURCES:
        raise InputError(
            "the run was made by another version of spacedyn, of Numba, or on another kind of processor, so it would "
            f"not go on bit for bit; {_ANEW}"
        )
    records = run.time.size if index is None else index + 1
    longer = end != run.simulation.end and not (run.status == "event" and index is None)
    wanted = [c.records <= records and not (c.last and longer) for c in run._checkpoints]
    good, note = _good(run, wanted)
    last = good[-1]
    first = last.checkpoint.records
    rows = run._rows[:first].reshape(first, run.simulation.robots, run._rows.shape[-1])
    again = np.empty(0) if steps or isinstance(run.simulation.record, str) else run.time[first:records]
    place = FolderPosition(run._version, last.number + 1, last.digest)
    return Past([one.checkpoint for one in good], rows, again, place, tuple(run.events)), note


def _good(run: Run, wanted: Sequence[bool]) -> tuple[list[Verified], str]:
    """The wanted checkpoints whose digests match; a note if the last ones do not."""
    if not any(wanted):
        raise InputError(
            "the run holds no checkpoint to go on from; "
            + ("start it anew, simulate(..., stream=folder), in the same folder" if not run.time.size else _ANEW)
        )
    good = [one for one in verified(run.simulation, run._rows, run._checkpoints) if wanted[one.number]]
    lost = [i for i in range(good[-1].number + 1 if good else 0, len(wanted)) if wanted[i]]
    if not lost:
        return good, ""
    what = f"{len(lost)} of {len(wanted)} checkpoints, or the records before them, are damaged"
    if not good:
        raise InputError(f"{what}, and none is left to go on from; {_ANEW}")
    at = good[-1].checkpoint.records
    where = f"after record {at - 1}, t = {run.time[at - 1]:g} s" if at else "at the start"
    note = f"{what}: went on from the one {where}"
    warn_user(note, RunWarning)
    return good, note
