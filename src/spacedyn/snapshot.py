"""What a machine must keep to go on bit for bit, as a vector of numbers; all else is rebuilt from the description.

    clock | counters | events, modes, anchors, held samples | end stops' phases, the integrated vector and its stages

The driver uses counters as indices and modes as choices of code, without looking at them again. So a snapshot, which
may come from a file, is checked against the machine that was built, and written to it only if all of it fits. Arrays
that describe the robot (tree, parameters, plan) never come from a snapshot.
"""

from typing import Any

import numpy as np

from .errors import InputError
from .kernels import plan as p
from .kernels import tree as k
from .kernels.events import MOST_CORRECTIONS as EVENT_CORRECTIONS
from .kernels.stops import MOST_AT_ONCE
from .kernels.stops import MOST_CORRECTIONS as STOP_CORRECTIONS

Array = np.ndarray
_CLOCK = [p.T, p.H, p.T_END, p.H_MIN, p.ERROR_BEFORE, p.H_TAKEN, p.T_NEXT, p.H_EVENT, p.EVENT_SLOPE]
_OF_CHUNK = [p.C_RECORD, p.C_TIME]  # counters that every chunk sets anew
_NEAR = 1e-9  # of a run's duration: a time this little after its end is at its end
_LEAST_ERROR = 1e-4  # that the driver remembers of a step
_MOST = 2**53  # integers above are not exact as doubles
_SWITCHES = (p.C_FRESH, p.C_TAKEN, p.C_ARMED, p.C_HAPPENED, p.C_ENDS, p.C_AGAIN)


def snapshot(machine: Any) -> Array:
    """All of a machine's memory that changes and cannot be derived, as one vector; its time comes first."""
    counters = np.delete(machine.counters, _OF_CHUNK).astype(float)
    return np.concatenate(
        [machine.clock[_CLOCK], counters, machine.memory[_memory(machine)], machine.work[_work(machine)]]
    )


def events_so_far(numbers: Array) -> int:
    """How many events had happened to the robot of a snapshot."""
    kept = [i for i in range(p.C_LAWS) if i not in _OF_CHUNK]
    return int(numbers[len(_CLOCK) + kept.index(p.C_EVENTS)])


def restore(machine: Any, numbers: Array) -> None:
    """Let a machine go on from a snapshot, to an end of its own.

    Raises InputError, and leaves the machine as it was, if the numbers cannot be of this simulation.
    """
    clock, counters, memory, work = machine.clock.copy(), machine.counters.copy(), machine.memory, machine.work
    stops = np.cumsum([len(_CLOCK), counters.size - len(_OF_CHUNK), memory[_memory(machine)].size])
    times, counts, memory_part, work_part = np.split(numbers, stops)
    clock[_CLOCK] = times
    counters[np.setdiff1d(np.arange(counters.size), _OF_CHUNK)] = _integers(counts)
    memory, work = memory.copy(), work.copy()
    memory[_memory(machine)], work[_work(machine)] = memory_part, work_part
    _keep_described(machine, memory, clock)
    _check_clock(clock, counters, float(memory[machine.plan[p.M_STOPS] + p.H_STOP]))
    _check_counters(machine, counters)
    _check_samples(machine, clock, counters)
    _check_modes(machine, memory)
    _check_state(machine, work)
    if machine.clock[p.T_END] != clock[p.T_END]:
        clock[p.T_END], counters[p.C_LAST] = machine.clock[p.T_END], 0
    machine.clock[:], machine.counters[:], machine.memory[:], machine.work[:] = clock, counters, memory, work
    _mark_held(machine)
    machine.choose_tolerances()


def _memory(machine: Any) -> slice:
    """Of `memory`, what is kept: not what laws see and write, which comes first."""
    return slice(int(machine.plan[p.M_EVENTS]), None)


def _work(machine: Any) -> slice:
    """Of `work`, what is kept: not the robot's scratch memory, nor what laws see."""
    return slice(int(machine.tree[k.W_OUT]) * machine.lanes, int(machine.plan[p.Y_VIEW]) * machine.lanes)


def _refuse(what: str, value: Any) -> InputError:
    return InputError(
        f"the checkpoint holds {what} = {value}, which this simulation cannot have: it was made by another one, or has "
        "been changed; go on from an earlier record, resume(at=...), or start a new run from run.final"
    )


def _integers(counts: Array) -> Array:
    """Counters as integers."""
    bad = np.flatnonzero(~(np.abs(counts) <= _MOST) | (np.floor(counts) != counts))
    if bad.size:
        raise _refuse("a counter", counts[bad[0]])
    return counts.astype(np.int64)


def _keep_described(machine: Any, memory: Array, clock: Array) -> None:
    """What the description says, whatever a snapshot says: a fixed step, directions of events, modes that stay."""
    if machine.numbers[machine.plan[p.N_SCALE]] < 0.0:
        clock[p.H] = machine.clock[p.H]
    at, count = int(machine.plan[p.M_EVENTS]), int(machine.plan[p.EVENTS])
    directions = slice(at + p.V_DIRECTION, at + count * p.EVENT_MEMORY, p.EVENT_MEMORY)
    memory[directions] = machine.memory[directions]
    if not machine.plan[p.MODES]:
        memory[_modes(machine)] = machine.memory[_modes(machine)]


def _modes(machine: Any) -> slice:
    """Where the modes of joints are in memory."""
    first = int(machine.plan[p.M_MODE])
    return slice(first, first + int(machine.plan[p.PRESCRIBED]))


def _joints(machine: Any) -> Array:
    """The records of joints that are or may be held."""
    first, count = int(machine.plan[p.PRESCRIBED_AT]), int(machine.plan[p.PRESCRIBED])
    return machine.plan[first : first + count * p.JOINT_INTS].reshape(count, p.JOINT_INTS)


def _laws(machine: Any) -> Array:
    """The records of laws."""
    first, count = int(machine.plan[p.LAW_AT]), int(machine.plan[p.LAWS])
    return machine.plan[first : first + count * p.LAW_INTS].reshape(count, p.LAW_INTS)


def _check_clock(clock: Array, counters: Array, h_stop: float) -> None:
    """Times that can follow each other, and steps that lead forward."""
    if not np.isfinite(clock[_CLOCK]).all():
        raise _refuse("a time or a step", "no number")
    room = _NEAR * (clock[p.T_END] - clock[p.T_START])
    if not clock[p.T_START] <= clock[p.T] <= clock[p.T_END] + room:
        raise _refuse("a time", clock[p.T])
    if not (_LEAST_ERROR <= clock[p.ERROR_BEFORE] <= 1.0 and clock[p.H] <= clock[p.H_MAX]):
        raise _refuse("an error and a step after it", f"{clock[p.ERROR_BEFORE]}, {clock[p.H]}")
    steps = [clock[p.H]]
    steps += [clock[p.H_TAKEN], clock[p.T_NEXT] - clock[p.T]] if counters[p.C_TAKEN] else []
    steps += [clock[p.H_EVENT]] if counters[p.C_RETAKE] else []
    steps += [h_stop] if counters[p.C_CUT] else []
    for step in steps:
        if not 0.0 < step < np.inf:
            raise _refuse("a step", step)


def _check_counters(machine: Any, counters: Array) -> None:
    """Every counter within its range."""
    plan = machine.plan
    low, high = np.zeros(counters.size, dtype=np.int64), np.full(counters.size, _MOST)
    high[list(_SWITCHES)] = 1
    high[p.C_LAST], high[p.C_BREAK] = 2, plan[p.BREAKS]
    high[p.C_RETAKE], high[p.C_TARGET] = EVENT_CORRECTIONS + 1, max(plan[p.EVENTS] - 1, 0)
    high[p.C_CUT], high[p.C_STOPS] = STOP_CORRECTIONS + 1, MOST_AT_ONCE + 1
    lanes, rates, base = machine.lanes, int(machine.tree[k.RATES]), int(machine.tree[k.BASE_RATES])
    changing = counters[p.C_CUT] > 0 or counters[p.C_ENDS] > 0  # then C_STOP is the number of a joint's rate
    low[p.C_STOP], high[p.C_STOP] = base * lanes if changing else -1, max(rates * lanes - 1, 0)
    for joint in _joints(machine):
        high[joint[p.J_PIECE]] = max(joint[p.J_PIECES] - 1, 0)
    high[counters.size - int(plan[p.FORCES]) :] = 1  # phases of forces come last
    bad = np.flatnonzero((counters < low) | (counters > high))
    if bad.size:
        raise _refuse(f"counter {bad[0]}", counters[bad[0]])


def _check_samples(machine: Any, clock: Array, counters: Array) -> None:
    """As many samples of each law as fit the time, and no more waiting than its ring holds."""
    since = clock[p.T] - clock[p.T_START]
    for i, law in enumerate(_laws(machine)):
        taken, held = (int(count) for count in counters[p.C_LAWS + 2 * i : p.C_LAWS + 2 * i + 2])
        period = float(machine.numbers[law[p.L_PARAMETERS]])
        due = since / period if law[p.L_SAMPLED] else 0.0
        room = 1.0 + 1e-6 if law[p.L_SAMPLED] else 0.0
        if abs(taken - due) > room or not 0 <= taken - held <= law[p.L_RING_SIZE]:
            raise _refuse(f"samples of law {i}", f"{taken}, {held} of them in effect, at t = {clock[p.T]:g} s")


def _check_modes(machine: Any, memory: Array) -> None:
    """Modes that there are, prescribed only where there is a motion to follow."""
    for joint, mode in zip(_joints(machine), memory[_modes(machine)], strict=True):
        known = mode in (p.MODE_FREE, p.MODE_LOCKED) or (mode == p.MODE_PRESCRIBED and joint[p.J_KIND] != p.NO_MOTION)
        if not known:
            raise _refuse("the mode of a joint", mode)


def _check_state(machine: Any, work: Array) -> None:
    """Present coordinates, rates, laws' states and ledger that are numbers."""
    table = work.reshape(-1, machine.lanes)
    for at, size in ((p.Y_ORIGIN, machine.tree[k.COORDINATES]), (p.Y_NOW, machine.plan[p.SIZE])):
        if not np.isfinite(table[machine.plan[at] : machine.plan[at] + size]).all():
            raise _refuse("a coordinate, a rate or a sum of the ledger", "no number")


def _mark_held(machine: Any) -> None:
    """The robot's description as the modes have made it: which rates are given."""
    first = int(machine.tree[k.RATE_AT])
    for joint, mode in zip(_joints(machine), machine.memory[_modes(machine)], strict=True):
        rates = joint[p.J_RATE] + np.arange(joint[p.J_COUNT])
        machine.tree[first + rates * k.RATE_INTS + k.RATE_GIVEN] = mode != p.MODE_FREE
