"""Who is faster: short runs, taking turns, the quickest of each.

On a machine with other work only the minimum of many short runs says what the code costs: an interrupted run is simply
not the quickest. Contestants take turns, so that clock rate and neighbours treat them alike, and contests are spread
over the whole time, so that a busy minute hits a part of each and not all of one.
"""

import statistics
import timeit
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

RUN_SECONDS = 1.5e-3  # of one run: much shorter than a scheduler's time slice
FEWEST_ROUNDS = 3


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


class Contest:
    """Runs of several contestants, which take turns; to be run several times, with other contests in between."""

    def __init__(self, contestants: dict[str, Contestant]):
        self._robots = {name: contestant.robots for name, contestant in contestants.items()}
        self._timers = {name: timeit.Timer(c.statement, globals=c.names) for name, c in contestants.items()}
        self._numbers = {name: _repetitions(timer) for name, timer in self._timers.items()}
        self._runs: dict[str, list[float]] = {name: [] for name in contestants}
        self._order = list(contestants)

    def run(self, seconds: float) -> None:
        """Measure for so long."""
        start, rounds = perf_counter(), 0
        while rounds < FEWEST_ROUNDS or perf_counter() - start < seconds:
            for name in self._order:
                number = self._numbers[name]
                self._runs[name].append(self._timers[name].timeit(number) / (number * self._robots[name]))
            self._order.append(self._order.pop(0))  # nobody always runs after the same neighbour
            rounds += 1

    def figures(self) -> dict[str, Figure]:
        """What has been measured so far."""
        return {
            name: Figure(min(times), statistics.median(times), len(times), self._robots[name])
            for name, times in self._runs.items()
        }


def _repetitions(timer: timeit.Timer) -> int:
    """How often a run repeats the statement."""
    timer.timeit(1)  # what a first call sets up is not counted
    number = 1
    while (seconds := timer.timeit(number)) < RUN_SECONDS / 4:
        number *= 4
    return max(1, round(number * RUN_SECONDS / seconds))
