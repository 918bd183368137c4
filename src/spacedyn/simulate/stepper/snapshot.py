"""The state of a stepper that is needed to resume bit for bit, as a vector; all else is rebuilt from the description.

    clock | counters | modes, anchors, held samples | the integrated vector and its stages, guards

The driver uses counters as indices and modes as branches, unchecked. So a snapshot, which may come from a file, is
first checked against the stepper that was built, and written to it only if all of it is valid. Arrays that describe
the robot (tree, parameters, plan) never come from a snapshot.
"""

from typing import Any

import numpy as np

from ...errors import InputError
from ...kernels.robot import layout as k
from ...kernels.sim import layout as p
from ...kernels.simulation.guards import MAX_AT_ONCE, MAX_CORRECTIONS

Array = np.ndarray
_CLOCK = [p.T, p.H, p.T_END, p.H_MIN, p.ERROR_BEFORE, p.H_TAKEN, p.T_NEXT]
_OF_CHUNK = [p.C_RECORD, p.C_TIME, p.C_DUE, p.C_POSED]  # counters that are reset before they are read
_TIME_TOLERANCE = 1e-9  # of a run's duration: a time later than its end by less counts as the end
_LEAST_ERROR = 1e-4  # the least error of a step that the driver remembers for the next step's length
_LARGEST_EXACT_INTEGER = 2**53  # integers above are not exact as doubles
_SWITCHES = (p.C_FRESH, p.C_TAKEN, p.C_HAPPENED, p.C_ENDS, p.C_ASKED)


def snapshot(stepper: Any) -> Array:
    """All of a stepper's memory that changes and cannot be derived, as one vector; its time comes first."""
    counters = np.delete(stepper.counters, _OF_CHUNK).astype(float)
    return np.concatenate(
        [stepper.clock[_CLOCK], counters, stepper.memory[_memory(stepper)], stepper.work[_work(stepper)]]
    )


def restore(stepper: Any, numbers: Array) -> None:
    """Set a stepper to a snapshot; the stepper keeps its own end time.

    Raises InputError, and leaves the stepper unchanged, if the numbers are not valid for this simulation.
    """
    clock, counters, memory, work = stepper.clock.copy(), stepper.counters.copy(), stepper.memory, stepper.work
    stops = np.cumsum([len(_CLOCK), counters.size - len(_OF_CHUNK), memory[_memory(stepper)].size])
    times, counts, memory_part, work_part = np.split(numbers, stops)
    clock[_CLOCK] = times
    counters[np.setdiff1d(np.arange(counters.size), _OF_CHUNK)] = _integers(counts)
    memory, work = memory.copy(), work.copy()
    memory[_memory(stepper)], work[_work(stepper)] = memory_part, work_part
    _keep_described(stepper, memory, clock)
    _check_clock(clock, counters, float(memory[stepper.plan[p.M_CUT] + p.H_CUT]))
    _check_counters(stepper, counters)
    _check_samples(stepper, clock, counters)
    _check_modes(stepper, memory)
    _check_ended(stepper, memory)
    _check_state(stepper, work)
    _check_rows(stepper, work)
    if stepper.clock[p.T_END] != clock[p.T_END]:
        clock[p.T_END], counters[p.C_LAST] = stepper.clock[p.T_END], 0
    stepper.clock[:], stepper.counters[:], stepper.memory[:], stepper.work[:] = clock, counters, memory, work
    _mark_held(stepper)
    stepper.choose_tolerances()


def _memory(stepper: Any) -> slice:
    """The part of `memory` in a snapshot: all but the first part, which laws see and write."""
    return slice(int(stepper.plan[p.M_MODE]), None)


def _work(stepper: Any) -> slice:
    """The part of `work` in a snapshot: neither the robot's scratch memory nor the laws' view."""
    return slice(int(stepper.tree[k.W_OUT]) * stepper.lanes, int(stepper.plan[p.Y_VIEW]) * stepper.lanes)


def _refuse(what: str, value: Any) -> InputError:
    return InputError(
        f"the checkpoint holds {what} = {value}, which this simulation cannot have: it was made by another one, or has "
        "been changed; go on from an earlier record, resume(at=...), or start a new run from run.final"
    )


def _integers(counts: Array) -> Array:
    """Counters as integers."""
    bad = np.flatnonzero(~(np.abs(counts) <= _LARGEST_EXACT_INTEGER) | (np.floor(counts) != counts))
    if bad.size:
        raise _refuse("a counter", counts[bad[0]])
    return counts.astype(np.int64)


def _keep_described(stepper: Any, memory: Array, clock: Array) -> None:
    """Overwrite values that the description fixes: a fixed step, modes that cannot change."""
    if stepper.numbers[stepper.plan[p.N_SCALE]] < 0.0:
        clock[p.H] = stepper.clock[p.H]
    if not stepper.plan[p.MODES]:
        memory[_modes(stepper)] = stepper.memory[_modes(stepper)]


def _modes(stepper: Any) -> slice:
    """The slice of memory that holds the modes of joints."""
    first = int(stepper.plan[p.M_MODE])
    return slice(first, first + int(stepper.plan[p.PRESCRIBED]))


def _joints(stepper: Any) -> Array:
    """The records of joints that are or may be held."""
    first, count = int(stepper.plan[p.PRESCRIBED_AT]), int(stepper.plan[p.PRESCRIBED])
    return stepper.plan[first : first + count * p.JOINT_INTS].reshape(count, p.JOINT_INTS)


def _laws(stepper: Any) -> Array:
    """The records of laws."""
    first, count = int(stepper.plan[p.LAW_AT]), int(stepper.plan[p.LAWS])
    return stepper.plan[first : first + count * p.LAW_INTS].reshape(count, p.LAW_INTS)


def _elements(stepper: Any) -> Array:
    """The records of elements."""
    first, count = int(stepper.plan[p.ELEMENT_AT]), int(stepper.plan[p.ELEMENTS])
    return stepper.plan[first : first + count * p.ELEMENT_INTS].reshape(count, p.ELEMENT_INTS)


def _check_clock(clock: Array, counters: Array, h_cut: float) -> None:
    """Check that times can follow each other, and that steps lead forward."""
    if not np.isfinite(clock[_CLOCK]).all():
        raise _refuse("a time or a step", "no number")
    room = _TIME_TOLERANCE * (clock[p.T_END] - clock[p.T_START])
    if not clock[p.T_START] <= clock[p.T] <= clock[p.T_END] + room:
        raise _refuse("a time", clock[p.T])
    if not (_LEAST_ERROR <= clock[p.ERROR_BEFORE] <= 1.0 and clock[p.H] <= clock[p.H_MAX]):
        raise _refuse("an error and a step after it", f"{clock[p.ERROR_BEFORE]}, {clock[p.H]}")
    steps = [clock[p.H]]
    steps += [clock[p.H_TAKEN], clock[p.T_NEXT] - clock[p.T]] if counters[p.C_TAKEN] else []
    steps += [h_cut] if counters[p.C_CUT] else []
    for step in steps:
        if not 0.0 < step < np.inf:
            raise _refuse("a step", step)


def _check_counters(stepper: Any, counters: Array) -> None:
    """Raise unless every counter is within its range."""
    plan = stepper.plan
    low, high = np.zeros(counters.size, dtype=np.int64), np.full(counters.size, _LARGEST_EXACT_INTEGER)
    high[list(_SWITCHES)] = 1
    high[p.C_FRESH] = p.IDLE
    high[p.C_LAST], high[p.C_BREAK], high[p.C_AGAIN] = 2, plan[p.BREAKS], 2
    high[p.C_CUT], high[p.C_TARGET] = MAX_CORRECTIONS + 1, max(int(plan[p.GUARDS]) * stepper.lanes - 1, 0)
    high[p.C_SLIDES] = high[p.C_TARGET] + 1
    high[p.C_SIDES] = MAX_AT_ONCE * int(plan[p.GUARDS]) * stepper.lanes + 1
    for joint in _joints(stepper):
        high[joint[p.J_PIECE]] = max(joint[p.J_PIECES] - 1, 0)
    for element in _elements(stepper):
        first = element[p.E_SPAN]  # of its times, which end with infinity
        high[element[p.E_ACTS]] = np.argmax(np.isposinf(stepper.numbers[first:])) if first >= 0 else 0
        high[element[p.E_TAKEN]] = _LARGEST_EXACT_INTEGER if element[p.E_PERIOD] >= 0 else 0
    bad = np.flatnonzero((counters < low) | (counters > high))
    if bad.size:
        raise _refuse(f"counter {bad[0]}", counters[bad[0]])


def _check_samples(stepper: Any, clock: Array, counters: Array) -> None:
    """Check that the sample counters fit the time, and that pending samples fit into a law's ring buffer."""
    since = clock[p.T] - clock[p.T_START]
    for i, law in enumerate(_laws(stepper)):
        taken, held = (int(count) for count in counters[p.C_LAWS + 2 * i : p.C_LAWS + 2 * i + 2])
        period = float(stepper.numbers[law[p.L_PARAMETERS]])
        due = since / period if law[p.L_SAMPLED] else 0.0
        room = 1.0 + 1e-6 if law[p.L_SAMPLED] else 0.0
        if abs(taken - due) > room or not 0 <= taken - held <= law[p.L_RING_SIZE]:
            raise _refuse(f"samples of law {i}", f"{taken}, {held} of them in effect, at t = {clock[p.T]:g} s")
    for i, element in enumerate(_elements(stepper)):
        if element[p.E_PERIOD] >= 0:
            taken, due = int(counters[element[p.E_TAKEN]]), since / float(stepper.numbers[element[p.E_PERIOD]])
            if abs(taken - due) > 1.0 + 1e-6:
                raise _refuse(f"samples of element {i}", f"{taken} at t = {clock[p.T]:g} s")


def _check_modes(stepper: Any, memory: Array) -> None:
    """Check that modes exist, and are prescribed only where there is a motion to follow."""
    for joint, mode in zip(_joints(stepper), memory[_modes(stepper)], strict=True):
        known = mode in (p.MODE_FREE, p.MODE_LOCKED) or (mode == p.MODE_PRESCRIBED and joint[p.J_KIND] != p.NO_MOTION)
        if not known:
            raise _refuse("the mode of a joint", mode)


def _check_ended(stepper: Any, memory: Array) -> None:
    """Check that last rows of robots of a pack that have ended are finite."""
    ended = memory[int(stepper.plan[p.M_ENDED]) : int(stepper.plan[p.M_HELD])].reshape(-1, 1 + int(stepper.plan[p.ROW]))
    if not (np.isin(ended[:, 0], (0.0, 1.0)).all() and np.isfinite(ended).all()):
        raise _refuse("the last row of a robot that has ended", "no number")


def _check_rows(stepper: Any, work: Array) -> None:
    """Check rank and order of the independent constraint rows, which kernels use as indices."""
    m, at = int(stepper.plan[p.ROWS]), int(stepper.plan[p.Y_RANK])
    if not m:
        return
    held = work.reshape(-1, stepper.lanes)[at : at + 2 * m + 3]
    for value, least, most in ((held[:1], -1, m), (held[1 : 1 + m], 0, m - 1), (held[-1:], 0, m)):
        good = (np.floor(value) == value) & (value >= least) & (value <= most)
        if not good.all():
            raise _refuse("a rank or order of constraint rows", value[~good][0])


def _check_state(stepper: Any, work: Array) -> None:
    """Check that present coordinates, rates, laws' states and ledger are finite."""
    table = work.reshape(-1, stepper.lanes)
    for at, size in ((p.Y_ORIGIN, stepper.tree[k.COORDINATES]), (p.Y_NOW, stepper.plan[p.SIZE])):
        if not np.isfinite(table[stepper.plan[at] : stepper.plan[at] + size]).all():
            raise _refuse("a coordinate, a rate or a sum of the ledger", "no number")


def _mark_held(stepper: Any) -> None:
    """Mark in the robot's tree which rates are given in the present modes."""
    first = int(stepper.tree[k.RATE_AT])
    for joint, mode in zip(_joints(stepper), stepper.memory[_modes(stepper)], strict=True):
        rates = joint[p.J_RATE] + np.arange(joint[p.J_COUNT])
        stepper.tree[first + rates * k.RATE_INTS + k.RATE_GIVEN] = mode != p.MODE_FREE
