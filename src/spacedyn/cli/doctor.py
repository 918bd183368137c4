"""`spacedyn doctor`: report the environment, and whether a simulation runs in it."""

import os
import platform
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from ..kernels.scalar.compiling import SOURCES, cache_directory
from ..kernels.scalar.pack import LANES
from ..model.files.load import load
from ..run.simulate import simulate
from .output import BAD_RESULT, GOOD, command

_CORE = ("numpy", "scipy", "numba", "llvmlite", "xarray", "pydantic", "rich", "typer")
_EXTRAS = {
    "plots": ("matplotlib",),
    "view": ("viser", "trimesh"),
    "urdf": ("yourdfpy", "xacro"),
    "peers": ("pin", "mujoco"),
}


def diagnose(as_json: bool) -> None:
    """Versions, extras, processor, cache, and a simulation whose ledger must be right."""
    with command(as_json) as output:
        found: dict[str, Any] = {
            "spacedyn": sys.modules[__name__.partition(".")[0]].__version__,
            "python": platform.python_version(),
            "platform": platform.platform(),
        }
        core = {name: _version(name) for name in _CORE}
        extras = {extra: {name: _version(name) for name in names} for extra, names in _EXTRAS.items()}
        machine = {"cores": os.cpu_count(), "lanes": LANES, "processor": _processor()}
        cache = _cache()
        output.put(**found, core=core, extras=extras, machine=machine, cache=cache)
        for name, value in found.items():
            output.say(f"{name:10s} {value}")
        output.say(f"{'packages':10s} {', '.join(f'{name} {v}' for name, v in core.items())}")
        for extra, packages in extras.items():
            missing = [name for name, v in packages.items() if v is None]
            there = ", ".join(f"{name} {v}" for name, v in packages.items() if v)
            hint = f"; without {', '.join(missing)}: pip install 'spacedyn[{extra}]'" if missing else ""
            output.say(f"{'extra':10s} {extra}: {there or 'not installed'}{hint}", "yellow" if missing else "")
        output.say(f"{'processor':10s} {machine['processor']}, {machine['cores']} cores, {LANES} robots in a pack")
        where = (
            f"{cache['folder']}, {cache['files']} files, {cache['megabytes']:.1f} MB"
            if cache["folder"]
            else "none can be written"
        )
        output.say(f"{'cache':10s} {where}", "" if cache["folder"] else "yellow")
        good, first, second = _trial()
        output.put(simulation={"good": good, "first_seconds": round(first, 3), "again_seconds": round(second, 4)})
        words = f"the first in {first:.2f} s (compiled code loaded or made), the next in {1000 * second:.1f} ms"
        output.say(f"{'simulation':10s} {'runs' if good else 'is WRONG'}: {words}", "green" if good else "red")
        output.finish(GOOD if good else BAD_RESULT)


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8") as lines:
            return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def _cache() -> dict[str, Any]:
    folder = cache_directory()
    files = list(folder.iterdir()) if folder else []
    size = sum(file.stat().st_size for file in files) / 1e6
    return {"folder": str(folder) if folder else None, "version": SOURCES, "files": len(files), "megabytes": size}


def _trial() -> tuple[bool, float, float]:
    """Simulate a floating robot twice: whether energy and momentum are conserved, and the duration of each run."""
    robot = load("tian_wu")
    start = robot.state(q=[0.3, 0.4, -0.5], qd=[0.2, -0.1, 0.3])
    times = [time.perf_counter()]
    for _ in range(2):
        run = simulate(robot, start, 5.0, progress=False)
        times.append(time.perf_counter())
    return run.audit().worst < 1e-9, times[1] - times[0], times[2] - times[1]
