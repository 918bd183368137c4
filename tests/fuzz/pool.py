"""Workers, started and watched: what hangs is ended, what crashes is kept, and the next one goes on behind it."""

import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from .kinds import kind_of
from .violations import Violation
from .worker import (
    ACCEPTED,
    BUSY,
    CASE,
    COMPILING,
    DONE,
    FOUND,
    HUNG,
    LIMIT,
    READY,
    SINCE,
    USED,
    new_board,
    too_long,
)

_FEW = 1000  # cases that are not worth a second worker
CHUNK = 20_000  # cases of a worker: what it gathers in memory is given back then
_START = 1800.0  # s that a worker may take between cases: it may have to compile
_TESTS = Path(__file__).parents[1]


@dataclass(frozen=True)
class Task:
    """Some cases of a kind."""

    kind: str
    first: int
    count: int
    what: str = "try"


@dataclass
class Tally:
    """Counts of a kind, and seconds of the processor."""

    cases: int = 0
    accepted: int = 0
    violations: int = 0
    seconds: float = 0.0


@dataclass
class Campaign:
    """Tasks to be done, with a seed, into a folder."""

    seed: int
    output: Path
    waiting: deque[Task] = field(default_factory=deque)
    tallies: dict[str, Tally] = field(default_factory=dict)

    def add(self, kind: str, count: int, first: int = 0) -> None:
        """Put cases of a kind into the queue."""
        self.tallies.setdefault(kind, Tally())
        chunk = min(CHUNK, max(_FEW, -(-count // 2)))
        self.waiting += [Task(kind, at, min(chunk, first + count - at)) for at in range(first, first + count, chunk)]

    def run(self, jobs: int, seconds: float = math.inf, tell: Callable[[str], None] = lambda text: None) -> None:
        """Do all of it, or what can be done in some seconds; each worker does one case at least, compiled or not."""
        running: list[_Worker] = []
        until = math.inf
        with _scratch() as scratch:
            try:
                while running or (self.waiting and time.monotonic() < until):
                    while self.waiting and len(running) < jobs and time.monotonic() < until:
                        running.append(_Worker(self.waiting.popleft(), self.seed, self.output, scratch))
                    time.sleep(0.05)
                    if until == math.inf and any(worker.board[READY] for worker in running):
                        until = time.monotonic() + seconds
                    for worker in [worker for worker in running if worker.over(time.monotonic() > until)]:
                        running.remove(worker)
                        self._count(worker, scratch)
                    tell(self._words())
            finally:
                for worker in running:
                    worker.end()

    def _count(self, worker: "_Worker", scratch: Path) -> None:
        """Take over what a worker did, and put what is left of its task into the queue."""
        task, board, tally = worker.task, worker.board, self.tallies[worker.task.kind]
        tally.cases += board[DONE]
        tally.accepted += board[ACCEPTED]
        tally.violations += board[FOUND]
        tally.seconds += (board[USED] - board[READY]) * 1e-9
        if worker.reason == "stopped":
            return
        at = task.first + board[DONE]
        if worker.reason and not board[BUSY]:
            raise RuntimeError(f"a worker of {task.kind} failed between cases: {worker.reason}\n{worker.errors()}")
        if worker.reason == "slow" or board[HUNG]:
            if task.what == "try":
                self.waiting.appendleft(Task(task.kind, board[CASE], 1, "confirm"))
            else:
                self._keep(worker, "hang", scratch)
            at = board[CASE] + 1
        elif worker.reason:
            self._keep(worker, "crash", scratch)
            at = board[CASE] + 1
        if at < task.first + task.count and task.what == "try":
            self.waiting.append(Task(task.kind, at, task.first + task.count - at))

    def _keep(self, worker: "_Worker", sort: str, scratch: Path) -> None:
        """A case that its worker could not keep itself."""
        task, case = worker.task, worker.board[CASE]
        self.tallies[task.kind].cases += 1
        self.tallies[task.kind].violations += 1
        file = scratch / "input"
        save = _Worker(Task(task.kind, case, 0, "save"), self.seed, file, scratch)
        save.process.wait(_START)
        stack = worker.stack()
        place = re.search(r'"[^"]*/(\w+/\w+\.py)", line \d+ in (\w+)', stack)
        group = f"{sort} ({worker.reason}) in {place[1]}:{place[2]}" if place else f"{sort} ({worker.reason})"
        violation = Violation(sort, group, stack, task.kind, case, self.seed)
        violation.keep(self.output, file.read_bytes() if file.exists() else b"", kind_of(task.kind).suffix)

    def _words(self) -> str:
        return ", ".join(f"{kind} {tally.cases}" for kind, tally in self.tallies.items())


class _Worker:
    """A process and its board."""

    def __init__(self, task: Task, seed: int, output: Path, scratch: Path):
        self.task, self.reason = task, ""
        self._folder = Path(tempfile.mkdtemp(dir=scratch))
        self.board = new_board(self._folder)
        words = [task.kind, seed, task.first, task.count, self._folder, output, task.what]
        with (self._folder / "errors").open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "fuzz.worker", *map(str, words)],
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=errors,
                stderr=errors,
                start_new_session=True,
            )
        self._began = time.monotonic()

    def over(self, stop: bool) -> bool:
        """Whether it has ended, or was ended since it took too long or is no longer wanted."""
        code, now = self.process.poll(), time.monotonic()
        if code is not None:
            self.reason = "" if code == 0 else f"exit code {code}"
            return True
        passed = now - (self.board[SINCE] * 1e-9 or self._began)
        used = _processor_time(self.process.pid, passed) - self.board[USED] * 1e-9 if passed > LIMIT else 0.0
        watched = self.board[BUSY] and not self.board[COMPILING]
        slow = too_long(used, passed, LIMIT + 2.0) if watched else passed > _START
        if (stop and self.board[DONE]) or slow:
            self.reason = "slow" if slow else "stopped"
            self.end()
        return bool(self.reason)

    def end(self) -> None:
        """Ask where it is, then kill it and what it started."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGUSR1)
            time.sleep(0.2)
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def stack(self) -> str:
        """Where it was, as Python's fault handler saw it."""
        return (self._folder / "stacks").read_text(errors="replace")[-6000:] + self.errors()

    def errors(self) -> str:
        """What it printed."""
        return (self._folder / "errors").read_text(errors="replace")[-3000:]


def _processor_time(pid: int, otherwise: float) -> float:
    """Seconds of the processor that a process has used, where the system tells."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    except OSError:
        return otherwise
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _environment() -> dict[str, str]:
    """One core for each worker, this package where it can be found, and no bytecode written: that is a file outside."""
    paths = [str(_TESTS), *(os.path.abspath(p) for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p)]
    alone = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    alone |= {"PYTHONPATH": os.pathsep.join(paths), "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
    return {name: value for name, value in os.environ.items() if name != "PYTHONPYCACHEPREFIX"} | alone


@contextmanager
def _scratch() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="spacedyn-fuzz-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def groups(output: Path) -> Counter[tuple[str, str, str]]:
    """How often each (kind, sort, folder) was found."""
    found: Counter[tuple[str, str, str]] = Counter()
    for file in output.glob("*/*/cases.txt"):
        sort = file.parent.name.partition("-")[0]
        found[(file.parents[1].name, sort, str(file.parent))] = len(file.read_text(encoding="utf-8").splitlines())
    return found
