"""What was tried and what was found, as one table."""

import json
from pathlib import Path

from rich import box
from rich.table import Table

from .pool import Tally, groups

SORTS = {
    "traceback": "tracebacks\nof others",
    "warning": "warnings\nof others",
    "hang": "over\n5 s",
    "memory": "over\n1 GB",
    "outside": "files\noutside",
    "crash": "crashes",
    "wrong": "wrong\nresults",
}


def table(tallies: dict[str, Tally], output: Path, seed: int) -> Table:
    """Cases and violations by kind."""
    made = Table(title=f"Fuzzing with seed {seed}", box=box.SIMPLE_HEAD, title_justify="left")
    for name in ("kind", "cases", "accepted", "cases/s\nper core", *SORTS.values()):
        made.add_column(name, justify="left" if name == "kind" else "right")
    found = groups(output)
    for kind, tally in tallies.items():
        counts = [sum(n for (k, s, _), n in found.items() if (k, s) == (kind, sort)) for sort in SORTS]
        rate = f"{tally.cases / tally.seconds:.0f}" if tally.seconds else ""
        cells = [f"[red]{count}[/]" if count else "0" for count in counts]
        made.add_row(kind, f"{tally.cases}", f"{tally.accepted}", rate, *cells)
    return made


def listed(output: Path) -> list[str]:
    """A line for each group of violations, the most frequent first."""
    lines = []
    for (kind, sort, folder), count in groups(output).most_common():
        kept = sorted(Path(folder).glob("*.json"))
        group = json.loads(kept[0].read_text(encoding="utf-8"))["group"] if kept else ""
        lines.append(f"{count:7d}  {kind:10s} {sort:9s} {group}\n         {folder}")
    return lines
