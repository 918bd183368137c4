"""`python -m fuzz`: try cases of every kind, print one table; exit code 1 if anything was found."""

import argparse
import os
import random
import shutil
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from .kinds import FULL, MODULES
from .pool import Campaign
from .report import listed, table
from .worker import case_rng, new_board, prepared


def asked() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="fuzz", description="Files, calls, kills and checkpoints that are no good.")
    parser.add_argument("--kinds", nargs="+", choices=list(MODULES), default=list(MODULES), help="which (all)")
    parser.add_argument("--count", type=int, help="cases of each kind (a million files and 100 000 calls in all)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="time for each kind (no limit)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="what cases are made of (random)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at a time (%(default)s)")
    parser.add_argument("--first", type=int, default=0, help="number of the first case (%(default)s)")
    parser.add_argument("--case", metavar="KIND:NUMBER", help="try one case here, and show what comes of it")
    parser.add_argument("--output", type=Path, default=Path("build/fuzz"), help="where inputs go (%(default)s)")
    return parser.parse_args()


def one_case(name: str, number: int, seed: int) -> None:
    """Try one case in this process, with its traceback."""
    with tempfile.TemporaryDirectory(prefix="spacedyn-fuzz-") as folder:
        kind, watched = prepared(name, Path(folder), new_board(Path(folder)))
        given = kind.make(case_rng(name, seed, number))
        print(kind.saved(given).decode("utf-8", "backslashreplace")[:4000])
        kind.place(given)
        accepted, found = watched.attempt(lambda: kind.attempt(given))
        print("accepted" if accepted else "refused" if not found else "")
        for sort, group, detail in found:
            print(f"--- {sort}: {group}\n{detail}")
        os.chdir("/")


def main() -> int:
    """Try and report."""
    plan, console = asked(), Console(width=None if sys.stdout.isatty() else 140, highlight=False, emoji=False)
    if plan.case:
        name, _, number = plan.case.partition(":")
        one_case(name, int(number), plan.seed)
        return 0
    output = plan.output.absolute()
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    console.print(f"seed {plan.seed}")
    campaign = Campaign(plan.seed, output)
    with Console(stderr=True).status("starting") as status:
        for kind in plan.kinds:
            campaign.add(kind, plan.count or FULL[kind], plan.first)
            campaign.run(plan.jobs, plan.seconds, status.update)
            campaign.waiting.clear()
    console.print(table(campaign.tallies, output, plan.seed))
    for line in listed(output):
        console.print(line, markup=False, soft_wrap=True)
    return 1 if any(tally.violations for tally in campaign.tallies.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
