"""`python -m benchmarks`: measure, print one table, keep the figures as JSON."""

import argparse
import json
from pathlib import Path

from rich.console import Console

from .measure import BODIES, SECTIONS, Plan, measure
from .robots import SIZES
from .table import WIDTH, draw
from .targets import judged


def plan_and_file() -> tuple[Plan, Path]:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="benchmarks", description="spacedyn against Pinocchio and MuJoCo, one core.")
    parser.add_argument("--quick", action="store_true", help="shorter measurements, less certain figures")
    parser.add_argument("--json", type=Path, default=Path("build/bench.json"), help="where figures go (%(default)s)")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=SECTIONS, help="parts of the table")
    parser.add_argument("--robots", nargs="+", choices=list(SIZES), default=list(SIZES), help="by their joints")
    parser.add_argument("--bodies", nargs="+", type=int, default=BODIES, help="joints of the chains for cost per body")
    asked = parser.parse_args()
    return Plan(asked.quick, tuple(asked.only), tuple(asked.robots), tuple(asked.bodies)), asked.json


def main() -> None:
    """Measure and show."""
    plan, path = plan_and_file()
    with Console(stderr=True).status("starting") as status:
        results = measure(plan, status.update)
    results["targets"] = judged(results)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH)  # a pipe has no width of its own
    console.print(draw(results))
    console.print(f"Figures: {path}", highlight=False)


if __name__ == "__main__":
    main()
