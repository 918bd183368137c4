"""A process that tries cases one after another, and writes on a board where it is.

    python -m fuzz.worker KIND SEED FIRST COUNT FOLDER OUTPUT TASK

The task: `try`; `confirm`, one case that took too long, which may have been the machine's fault; `save` its input.
"""

import faulthandler
import mmap
import os
import resource
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

import spacedyn as sd
from spacedyn.errors import SpacedynError

from .fence import Fence
from .kinds import Kind, kind_of
from .seeds import furnish_bait
from .violations import Violation, WrongResult, alike, is_ours, of_exception, short

LIMIT = float(os.environ.get("SPACEDYN_FUZZ_LIMIT", "5"))  # s of a case
MEMORY = 1 << 30  # bytes more than before
READY, CASE, SINCE, USED, BUSY, COMPILING, DONE, ACCEPTED, FOUND, HUNG = range(10)
"""Places of the board, eight bytes each; times in nanoseconds, READY and USED of the processor."""
SIZE = 10 * 8
_QUIET = (DeprecationWarning, PendingDeprecationWarning, ResourceWarning, ImportWarning)  # not shown by default
_OURS = (sd.ModelWarning, sd.RunWarning)


class Hang(BaseException):
    """A case took too long."""


def too_long(used: float, passed: float, limit: float = LIMIT) -> bool:
    """Whether a case hangs: it used the processor for so many seconds, or waited that long for something else."""
    return used >= limit or (passed >= limit and used < 0.05 * passed) or passed > 20.0 * limit


def is_compiling(frame: FrameType | None) -> bool:
    """Whether machine code is being made."""
    while frame is not None and not frame.f_globals.get("__name__", "").startswith(("numba.core.", "llvmlite.")):
        frame = frame.f_back
    return frame is not None


class Board:
    """Numbers that the process which started this one reads while it works, and after it has died."""

    def __init__(self, path: Path):
        with path.open("r+b") as file:
            self._numbers = memoryview(mmap.mmap(file.fileno(), SIZE)).cast("q")

    def __getitem__(self, place: int) -> int:
        return self._numbers[place]

    def __setitem__(self, place: int, value: int) -> None:
        self._numbers[place] = value


def new_board(folder: Path) -> Board:
    """A board of zeros."""
    (folder / "board").write_bytes(bytes(SIZE))
    return Board(folder / "board")


class Watched:
    """One case under alarm, fence and memory limit."""

    def __init__(self, fence: Fence, board: Board):
        self._fence, self._board = fence, board
        self._began = self._used = 0.0
        self._warned: list[tuple[str, str, str]] = []
        warnings.simplefilter("always")
        warnings.showwarning = self._note
        signal.signal(signal.SIGALRM, self._ring)

    def _note(self, message: Any, category: type[Warning], filename: str, line: int, *_: Any) -> None:
        """A warning; those of others by the place of ours that they come through."""
        if not issubclass(category, _OURS + _QUIET):
            stack = traceback.extract_stack(limit=40)
            ours = next((f"{short(f.filename)}:{f.name} > " for f in reversed(stack) if is_ours(f.filename)), "")
            group = f"{category.__name__} at {ours}{short(filename)}: {alike(str(message))}"
            self._warned.append(
                ("warning", group, f"{filename}:{line}: {message}\n{''.join(traceback.format_list(stack[-12:]))}")
            )

    def _ring(self, number: int, frame: FrameType | None) -> None:
        """Time is up, unless the machine was busy with other things: then the rest is granted."""
        if is_compiling(frame):  # once, and kept: not a fault of the case
            self._board[COMPILING] = 1
            self._began, self._used = time.monotonic(), time.process_time()
        left = LIMIT - (time.process_time() - self._used)
        if too_long(LIMIT - left, time.monotonic() - self._began):
            raise Hang(f"more than {LIMIT:g} s")
        signal.setitimer(signal.ITIMER_REAL, max(left, 0.5))

    def attempt(self, case: Callable[[], None]) -> tuple[bool, list[tuple[str, str, str]]]:
        """Whether it was accepted; and (sort, group, detail) of what went wrong."""
        self._warned.clear()
        stopped: BaseException | None = None
        with self._fence.up():
            self._began, self._used = time.monotonic(), time.process_time()
            signal.setitimer(signal.ITIMER_REAL, LIMIT)
            try:
                case()
            except BaseException as error:
                stopped = error
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0.0)
        found = [] if stopped is None else _judged(stopped)
        found += [(sort, alike(detail.splitlines()[-1], 120), detail) for sort, detail in self._fence.noted]
        found += self._warned
        return stopped is None, list({(sort, group): (sort, group, detail) for sort, group, detail in found}.values())


def _judged(error: BaseException) -> list[tuple[str, str, str]]:
    """An exception, unless it is ours, and tells of nothing else."""
    if isinstance(error, SpacedynError):
        return _memory_hidden(error)
    if isinstance(error, TypeError) and error.__traceback__ is not None and _from_the_call_itself(error):
        return []
    group, detail = of_exception(error)
    if isinstance(error, WrongResult):
        return [("wrong", group, detail)]
    return [
        (
            "hang" if isinstance(error, Hang) else "memory" if isinstance(error, MemoryError) else "traceback",
            group,
            detail,
        )
    ]


def _from_the_call_itself(error: TypeError) -> bool:
    """Python's own words about arguments that a signature does not have: no function of the package was entered."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and Path(trace.tb_frame.f_code.co_filename).parent == Path(__file__).parent


def _memory_hidden(error: SpacedynError) -> list[tuple[str, str, str]]:
    """An error of ours that tells of memory that was wanted and refused."""
    if any(word in str(error) for word in ("MemoryError", "bad_alloc", "allocate memory", "Unable to allocate")):
        group, detail = of_exception(error)
        return [("memory", group, detail)]
    return []


def bound_memory() -> None:
    """At most a gigabyte more than now; what earlier cases compiled, which stays, is not counted."""
    statm = Path("/proc/self/statm")
    if not statm.exists():  # only Linux counts so that a limit can be told
        return
    data = int(statm.read_text(encoding="ascii").split()[5]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_DATA, (data + MEMORY, resource.RLIM_INFINITY))


def case_rng(kind: str, seed: int, index: int) -> Random:
    """The numbers that a case is made of."""
    return Random(f"{seed} {kind} {index}")


def work(kind: Kind, seed: int, cases: range, board: Board, watched: Watched, output: Path, sure: bool) -> None:
    """Try cases; one that takes too long ends it, and is kept only if it was known to."""
    for index in cases:
        given = kind.make(case_rng(kind.name, seed, index))
        kind.place(given)
        bound_memory()
        board[CASE], board[SINCE], board[USED], board[BUSY] = index, time.monotonic_ns(), time.process_time_ns(), 1
        accepted, found = watched.attempt(lambda given=given: kind.attempt(given))  # type: ignore[misc]
        board[SINCE], board[USED], board[BUSY] = time.monotonic_ns(), time.process_time_ns(), 0
        board[COMPILING] = 0
        if not sure and any(sort == "hang" for sort, *_ in found):
            board[HUNG] = 1
            break
        board[DONE] += 1
        board[ACCEPTED] += accepted
        board[FOUND] += bool(found)
        for sort, group, detail in found:
            violation = Violation(sort, group, detail, kind.name, index, seed)
            violation.keep(output, kind.saved(given), kind.suffix)
        if any(sort in ("hang", "memory") for sort, *_ in found):
            break  # what it left behind is unknown: a new process goes on


def prepared(name: str, folder: Path, board: Board) -> tuple[Kind, Watched]:
    """A kind with its folders, ready to be tried."""
    case, bait, here = (folder / part for part in ("case", "bait", "here"))
    for part in (case, bait, here):
        part.mkdir()
    os.chdir(here)
    kind = kind_of(name)
    kind.prepare(case, furnish_bait(bait, case))
    return kind, Watched(Fence(case, bait, here), board)


def main() -> None:
    """Work as the command line says."""
    name, seed, first, count, folder, output, task = sys.argv[1:]
    board = Board(Path(folder) / "board")
    with (Path(folder) / "stacks").open("w") as stacks:
        faulthandler.enable(stacks)
        faulthandler.register(signal.SIGUSR1, stacks, all_threads=False)
        kind, watched = prepared(name, Path(folder), board)
        if task == "save":
            Path(output).write_bytes(kind.saved(kind.make(case_rng(name, int(seed), int(first)))))
            return
        board[READY] = board[USED] = time.process_time_ns()
        cases = range(int(first), int(first) + int(count))
        work(kind, int(seed), cases, board, watched, Path(output), task == "confirm")


if __name__ == "__main__":
    main()
