"""When to record: at an interval, at given times, or at every step."""

import math
from typing import Any

import numpy as np

from ..errors import InputError
from ..reals import NotReal, real_array
from .store import Past

Array = np.ndarray
_MAX_RECORDS = 2.0**53  # records that can be counted


def checked_record(record: Any, start: float, end: float) -> float | Array | str:
    """Check what to record: an interval [s], ascending times [s], or 'steps'."""
    if isinstance(record, str):
        if record != "steps":
            raise InputError(f"record: expected an interval [s], times, or 'steps', got {record!r}")
        return record
    try:
        array = real_array((end - start) / 1000.0 if record is None else record).astype(float)
    except NotReal as reason:
        raise InputError(f"record: expected an interval [s], times, or 'steps', got {reason}") from None
    if array.ndim == 0:
        if not (np.isfinite(array) and array > 0.0):
            raise InputError(f"record: the interval must be a positive time [s], got {record}")
        if array < 4 * np.spacing(max(abs(start), abs(end))):
            raise InputError(f"record: times {float(array):g} s apart cannot be told from each other at {end:g} s")
        return float(array)
    if array.ndim != 1 or array.size == 0 or not np.isfinite(array).all() or np.any(np.diff(array) <= 0.0):
        raise InputError("record: times must be finite and ascending")
    if array[0] < start or array[-1] > end + 1e-12 * (end - start):
        raise InputError(f"record: times must lie between {start} and {end} s, got {array[0]} to {array[-1]} s")
    return array


class RecordTimes:
    """The times to record, computed in windows: an interval takes no memory, however long the run.

    Parameters
    ----------
    record : float or (times,)
        Interval [s] from the start on, and the end; or times [s].
    start, end : float
        Of the run [s].
    past : Past, optional
        What a resumed run has recorded; only later times remain.
    """

    def __init__(self, record: float | Array, start: float, end: float, past: Past | None = None):
        self._first = np.empty(0) if past is None else past.times
        after = -math.inf if past is None else past.last_time
        self._start, self._end = start, end
        if isinstance(record, np.ndarray):
            self._interval, self._given = 0.0, record[record > after]
            self.count = self._first.size + self._given.size
            return
        self._interval, self._given = record, np.empty(0)
        if not (end - start) / record < _MAX_RECORDS:
            raise InputError(
                f"record: {(end - start) / record:.3g} records of a run from {start:g} to {end:g} s are too many"
            )
        self._last = math.floor((end - start) / record * (1 + 1e-12))  # the end is added if it is not this one
        more = end - (start + self._last * record) >= 1e-9 * (end - start)
        self._skip = 0 if after < start else math.floor((after - start) / record + 1e-9) + 1
        points = self._last + 1 + more - self._skip if after < end - 1e-9 * (end - start) else 0
        self.count = self._first.size + max(points, 0)

    def window(self, begin: int, most: int) -> Array:
        """The times from index `begin` on, at most `most` of them."""
        number = np.arange(begin, min(begin + most, self.count)) - self._first.size
        before, number = number[number < 0], number[number >= 0]
        if not self._interval:
            later = self._given[number]
        else:
            later = self._start + (number + self._skip) * self._interval
            later[number + self._skip > self._last] = self._end
        return np.concatenate([self._first[before + self._first.size], later])
