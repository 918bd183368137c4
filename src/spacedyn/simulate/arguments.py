"""Checks before a simulation starts: its span of time, joint limits, memory for the record, internal states."""

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import InputError, UnknownName
from ..model.model import Model
from ..model.state import State
from ..reals import real_number
from ..signatures import is_several

Array = np.ndarray
_MAX_MEMORY_RATIO = 100.0  # size of the record over the memory of this machine
_SHORTEST_DURATION = 1e-100  # [s]
_MAX_STOP_DEPTH = 0.05  # beyond the limit of an end stop, as a part of the joint's range


def check_span(start: Any, duration: Any, budget: Any) -> float:
    """The end of a run [s]; raise if its span or budget makes no sense, or 64 bits cannot resolve the span."""
    start, duration = (
        real_number("start", start, "a time [s]"),
        real_number("duration", duration, "a positive time [s]"),
    )
    budget = real_number("budget", budget, "a positive number")
    if not (np.isfinite(duration) and duration > 0.0):
        raise InputError(f"duration must be a positive time [s], got {duration}")
    if duration < _SHORTEST_DURATION:
        raise InputError(
            f"duration: {duration:g} s is too short to be simulated; give at least {_SHORTEST_DURATION:g} s"
        )
    if not np.isfinite(start):
        raise InputError(f"start must be a time [s], got {start}")
    if not budget > 0.0:
        raise InputError(f"budget must be a positive number, the largest relative error of the ledger, got {budget}")
    end = float(start + duration)
    least = 1e4 * np.finfo(float).eps * max(abs(start), abs(end))
    if duration < least:
        raise InputError(
            f"duration: {duration:g} s cannot be resolved at the time {start:g} s, where numbers are "
            f"{np.spacing(abs(end)):.1e} s apart; let the run start at zero"
        )
    return end


def check_limits(model: Model, state: State) -> None:
    """Raise if a joint is beyond its limits; one with an end stop may be, by a little: it rests against it.

    >>> import spacedyn as sd
    >>> arm = sd.load("ssrms")
    >>> check_limits(arm, arm.neutral_state())
    """
    for joint in model.joints:
        count = joint.kind_record.plain_count  # an attitude has no limits
        if count == 0 or not (np.isfinite(joint.lower).any() or np.isfinite(joint.upper).any()):
            continue
        q = state.q[..., model.q_slice(joint.name)][..., :count].reshape(-1, count)
        for part in range(count):
            lower, upper, stiffness = (
                np.broadcast_to(of_each[..., part], state.shape).reshape(-1)
                for of_each in (joint.lower, joint.upper, joint.stop_stiffness)
            )
            span = np.where(np.isfinite(upper - lower), upper - lower, 1.0)
            room = np.where(stiffness > 0.0, _MAX_STOP_DEPTH, 1e-9) * span
            beyond = np.maximum(q[:, part] - upper, lower - q[:, part])
            worst = int(np.argmax(beyond - room))
            if beyond[worst] > room[worst]:
                which = f" (coordinate {part})" if count > 1 else ""
                whose = f" of robot {worst}" if state.count > 1 else ""
                raise InputError(
                    f"joint '{joint.name}'{which}{whose} starts at {q[worst, part]:g}, beyond its limits "
                    f"{lower[worst]:g} and {upper[worst]:g}; give a state within them, or limits=False"
                )


def check_memory(records: int | None, robots: int, width: int) -> None:
    """Raise if what is to be recorded cannot fit into memory."""
    needed = 8.0 * (records or 0) * robots * width
    try:
        there = float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):  # not every system reports its memory
        there = float(1 << 40)
    if needed > _MAX_MEMORY_RATIO * there:  # below that, an event or the user may end the run in time
        raise InputError(
            f"record: {records} records of {robots} robots would take {needed / 2**30:.3g} GB, far more than there is; "
            "record less often, fewer channels (channels=[...]), or to disk (stream=folder)"
        )


def listed(name: str, given: Any, kinds: Any) -> list[Any]:
    """Return a single object of these kinds in a list, and a sequence as a list; raise InputError for anything else."""
    if isinstance(given, kinds):
        return [given]
    if isinstance(given, str) or not is_several(given):
        raise InputError(f"{name}: expected one or a list, got {given!r}")
    return list(given)


def check_internal(state: State, known: Mapping[str, slice]) -> None:
    """Raise if a state has internal states that no law or element of the simulation declares."""
    for name, values in state.internal.items():
        if name not in known:
            drop = "state.with_internal({}) drops all that it has"
            raise UnknownName("internal state", name, list(known), otherwise=drop)
        size = known[name].stop - known[name].start
        if values.shape[-1] != size:
            raise InputError(f"internal state '{name}' has {size} numbers, got {values.shape[-1]}")
