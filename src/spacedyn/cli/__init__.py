"""The command line: `spacedyn run ets7_reach --html film.html`.

Exit codes: 0 all is well; 1 it ran, but what came out is not good (a simulation that failed, a ledger beyond its
budget, a file with errors); 2 what was asked for cannot be done (a bad file, name or option); 130 interrupted.
"""

from .app import app, main

__all__ = ["app", "main"]
