"""All measurements of one run, as plain data: what the table shows and the JSON file keeps."""

import os
import platform
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import spacedyn as sd
from spacedyn.kernels.scalar import LANES

from .cases import Case, disagreement, make_case, many_forward, many_inverse, one_call
from .robots import SIZES
from .start import measure_start
from .timing import Contestant, contest

SECTIONS = ("many", "call", "body", "start")
BODIES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
PINOCCHIO_JOINTS = 300  # beyond them its data, which grows with nv³, takes 4 GB for 500 joints and 32 GB for 1000
TARGET_ROBOT = "6"  # the targets are about this one: it is measured longer


@dataclass(frozen=True)
class Plan:
    """What to measure, and for how long."""

    quick: bool = False
    sections: tuple[str, ...] = SECTIONS
    robots: tuple[str, ...] = tuple(SIZES)
    bodies: tuple[int, ...] = BODIES

    def seconds(self, important: bool) -> float:
        """For one contest."""
        return (0.5 if important else 0.1) if self.quick else (4.0 if important else 1.0)


def measure(plan: Plan, say: Callable[[str], None]) -> dict[str, Any]:
    """Everything that the plan asks for."""
    start = perf_counter()
    core = take_quietest_core()
    results: dict[str, Any] = {"machine": machine(core), "agreement": {}, "rows": []}
    if {"many", "call"} & set(plan.sections):
        for robot in plan.robots:
            case = make_case(robot, SIZES[robot])
            say(f"{robot} joints: do we and the peers agree?")
            results["agreement"][robot] = disagreement(case)
            results["rows"] += robot_rows(case, plan, say)
    if "body" in plan.sections:
        results["rows"] += body_rows(plan, say)
    if "start" in plan.sections:
        say("compiling from an empty cache, starting from a full one, a million states")
        results["start"] = measure_start(plan.quick)
    return results | {"quick": plan.quick, "seconds": perf_counter() - start}


def robot_rows(case: Case, plan: Plan, say: Callable[[str], None]) -> list[dict[str, Any]]:
    """Many robots, and one call, of one case."""
    both = ("pinocchio", "mujoco")
    asked: dict[str, Callable[[], dict[str, Contestant]]] = {}
    if "many" in plan.sections:
        asked |= {"many forward": partial(many_forward, case, both), "many inverse": partial(many_inverse, case, both)}
    if "call" in plan.sections:
        asked |= {f"call {what}": partial(one_call, case, what) for what in ("forward", "inverse", "inertia")}
    rows = []
    for what, contestants in asked.items():
        say(f"{case.model.name} joints: {what}")
        important = case.model.name == TARGET_ROBOT
        rows.append(_row(what, case, contestants(), plan.seconds(important)))
    return rows


def body_rows(plan: Plan, say: Callable[[str], None]) -> list[dict[str, Any]]:
    """Forward dynamics of chains, short and long."""
    rows = []
    for joints in plan.bodies:
        say(f"cost per body: {joints} joints")
        case = make_case(str(joints), (joints,))
        peers = ("pinocchio",) if joints <= PINOCCHIO_JOINTS else ()
        rows.append(_row("body", case, many_forward(case, peers), plan.seconds(joints in (20, 1000))))
    return rows


def _row(what: str, case: Case, contestants: dict[str, Contestant], seconds: float) -> dict[str, Any]:
    figures = contest(contestants, seconds)
    return {
        "what": what,
        "robot": case.model.name,
        "bodies": len(case.model.bodies),
        "figures": {name: asdict(figure) for name, figure in figures.items()},
    }


def take_quietest_core() -> int | None:
    """Keep this process, and those it starts, on the core that others use least; None where that cannot be asked."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    allowed = sorted(os.sched_getaffinity(0))
    shares = {core: _share_of(core) for core in allowed}
    best = max(allowed, key=lambda core: shares[core])
    os.sched_setaffinity(0, {best})
    return best


def _share_of(core: int, seconds: float = 0.1) -> float:
    """The part of a core that we get if we want all of it."""
    os.sched_setaffinity(0, {core})
    start, used = perf_counter(), process_time()
    while perf_counter() - start < seconds:
        pass
    return (process_time() - used) / (perf_counter() - start)


def machine(core: int | None) -> dict[str, Any]:
    """Where this was measured."""
    return {
        "cpu": cpu_name(),
        "system": f"{platform.system()} {platform.machine()}",
        "core": core,
        "lanes": LANES,
        "python": platform.python_version(),
        "versions": {
            "spacedyn": sd.__version__,
            **{name: version(name) for name in ("numba", "numpy", "pin", "mujoco")},
        },
    }


def cpu_name() -> str:
    """As the system calls it."""
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
