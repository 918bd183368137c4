"""Who is faster: short runs, taking turns, the quickest of each.

On a machine with other work only the minimum of many short runs says what the code costs: an interrupted run is simply
not the quickest. Contestants take turns, so that clock rate and neighbours treat them alike.
"""

import statistics
import timeit
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

RUN_SECONDS = 1.5e-3  # of one run: much shorter than a scheduler's time slice
FEWEST_ROUNDS = 5


@dataclass(frozen=True)
class Contestant:
    """A statement to run, with the names it uses; it works on so many robots at a time."""

    statement: str
    names: dict[str, Any]
    robots: int = 1


@dataclass(frozen=True)
class Figure:
    """Seconds for one robot."""

    seconds: float  # the quickest run
    median: float
    runs: int
    robots: int  # that one execution of the statement works on


def batch(make: Callable[[int], Contestant], most: int) -> Contestant:
    """The contestant that `make` gives for as many robots, up to `most`, as keep it busy for one run."""
    few = min(16, most)
    trial = make(few)
    seconds = min(timeit.repeat(trial.statement, globals=trial.names, number=1, repeat=4))
    many = int(RUN_SECONDS / seconds * few)
    return make(max(1, min(most, many - many % 16 if many > 16 else many)))


def contest(contestants: dict[str, Contestant], seconds: float) -> dict[str, Figure]:
    """Figures of all contestants, measured for so long in all."""
    timers = {name: timeit.Timer(c.statement, globals=c.names) for name, c in contestants.items()}
    numbers = {name: _repetitions(timer) for name, timer in timers.items()}
    runs: dict[str, list[float]] = {name: [] for name in timers}
    order, start, rounds = list(timers), perf_counter(), 0
    while rounds < FEWEST_ROUNDS or perf_counter() - start < seconds:
        for name in order:
            runs[name].append(timers[name].timeit(numbers[name]) / (numbers[name] * contestants[name].robots))
        order.append(order.pop(0))  # nobody always runs after the same neighbour
        rounds += 1
    return {
        name: Figure(min(times), statistics.median(times), len(times), contestants[name].robots)
        for name, times in runs.items()
    }


def _repetitions(timer: timeit.Timer) -> int:
    """How often a run repeats the statement."""
    timer.timeit(1)  # what a first call sets up is not counted
    number = 1
    while (seconds := timer.timeit(number)) < RUN_SECONDS / 4:
        number *= 4
    return max(1, round(number * RUN_SECONDS / seconds))
