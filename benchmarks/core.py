"""One core for everything, the one that others use least."""

import os
import sys
from time import perf_counter, process_time

if sys.platform == "linux":
    ALLOWED = tuple(sorted(os.sched_getaffinity(0)))

    def take_quietest_core() -> int | None:
        """Keep this process, and those it starts from now on, on one core; None where that cannot be asked."""
        shares = {core: _share_of(core) for core in ALLOWED}
        best = max(ALLOWED, key=lambda core: shares[core])
        os.sched_setaffinity(0, {best})
        return best

    def _share_of(core: int, seconds: float = 0.05) -> float:
        """The part of a core that we get if we want all of it."""
        os.sched_setaffinity(0, {core})
        start, used = perf_counter(), process_time()
        while perf_counter() - start < seconds:
            pass
        return (process_time() - used) / (perf_counter() - start)

else:

    def take_quietest_core() -> int | None:
        """Nothing: only Linux lets a process choose."""
        return None
