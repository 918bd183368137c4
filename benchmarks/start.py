"""Compile time, start time and memory, each in a process of its own: `python -m benchmarks.start TASK` prints JSON.

Nothing of NumPy's or ours is imported before the clock runs: tasks import what they need.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from .core import take_quietest_core

ROOT = Path(__file__).parents[1]
MILLION = 1_000_000


def measure_start(quick: bool) -> dict[str, Any]:
    """Seconds from an empty cache and from a full one, and memory of a million states."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as many:
        results = {"cold_one": in_new_process("first", one), "cold_batch": in_new_process("first-batch", many)}
        warm = [in_new_process("first", one) for _ in range(3 if quick else 12)]
        memory = in_new_process("million", many)
        results["cold_simulate"] = in_new_process("first-simulate", one)
    if not quick:
        with tempfile.TemporaryDirectory() as cache:
            results["cold_all"] = in_new_process("every-kernel", cache)
    first = [run["import"] + run["first"] for run in warm]
    results["warm"] = {
        "fastest": min(first),
        "median": statistics.median(first),
        "import": min(run["import"] for run in warm),
        "first": min(run["first"] for run in warm),
        "process": min(run["process"] for run in warm),
        "runs": len(warm),
    }
    return results | {"million": memory}


def in_new_process(task: str, cache: str) -> dict[str, Any]:
    """What a task prints, and the seconds of the whole process; compiled kernels are kept in `cache`."""
    take_quietest_core()
    start = perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.start", task],
        cwd=ROOT,
        env={**os.environ, "SPACEDYN_CACHE_DIR": cache},
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(done.stdout) | {"process": perf_counter() - start}


def first(size: int | None) -> dict[str, float]:
    """Import, then the first forward dynamics of a bundled robot: what a user waits for."""
    start = perf_counter()
    import spacedyn as sd

    imported = perf_counter()
    robot = sd.load("ets7")
    q = [0, 0.4, -0.8, 0, 0.4, 0]
    sd.forward_dynamics(robot, robot.state(q=q if size is None else [q] * size))
    return {"import": imported - start, "first": perf_counter() - imported, "cpu": process_time()}


def first_simulate() -> dict[str, float]:
    """Import, then the first simulation under a law, nothing of which is compiled; then another law, of six loops."""
    start = perf_counter()
    import spacedyn as sd

    from .laws import hold, six_loops

    imported = perf_counter()
    robot = sd.load("ets7")
    state = robot.state(q=[0, 0.4, -0.8, 0, 0.4, 0])
    sd.simulate(robot, state, 1.0, laws=[hold(kp=1.0, kd=2.0)], progress=False)
    done = perf_counter()
    sd.simulate(robot, state, 1.0, laws=[hold(kp=1.0, kd=2.0)], progress=False)
    warm = perf_counter() - done
    new = perf_counter()
    sd.simulate(robot, state, 1.0, laws=[six_loops(kp=1.0, kd=2.0)], progress=False)
    law = perf_counter() - new - warm
    return {"import": imported - start, "first": done - imported, "law": law, "cpu": process_time()}


def every_kernel() -> dict[str, Any]:
    """CPU seconds of every kernel's first call, for one robot and for a batch, and kernels that were not called."""
    import importlib
    import pkgutil

    import numpy as np

    import spacedyn as sd
    from spacedyn import kernels

    builder = sd.Builder("pendulum")
    builder.base("base", mass=10.0, inertia=(1.0, 1.1, 1.2))
    builder.body("link", mass=1.0, inertia=(0.01, 0.1, 0.1), com=(0.5, 0.0, 0.0))
    builder.joint("hinge", "revolute", parent="base", child="link", damping=0.1)
    builder.endpoint("tip", body="link", position=(1.0, 0.0, 0.0))
    start = process_time()
    robot = builder.build()
    seconds: dict[str, dict[str, float]] = {
        "one": {"build": process_time() - start},
        "batch": {},
    }  # it calls kernels too
    calls: dict[str, Callable[[Any], Any]] = {
        "forward_dynamics": lambda s: sd.forward_dynamics(robot, s),
        "inverse_dynamics": lambda s: sd.inverse_dynamics(robot, s, np.zeros(7)),
        "mass_matrix": lambda s: sd.mass_matrix(robot, s),
        "mass_matrix_inverse": lambda s: sd.mass_matrix_inverse(robot, s),
        "coriolis_matrix": lambda s: sd.coriolis_matrix(robot, s),
        "passive_force": lambda s: sd.passive_force(robot, s),
        "forward_kinematics": lambda s: sd.forward_kinematics(robot, s),
        "endpoint_jacobian": lambda s: sd.endpoint_jacobian(robot, s, "tip"),
        "momentum_matrix": lambda s: sd.momentum_matrix(robot, s, about="base"),
        "potential_energy": lambda s: sd.potential_energy(robot, s, gravity=(0, 0, -9.81)),
        "operators": lambda s: sd.operators.filter_smoother(sd.operators.SpatialOperators(robot, s)),
    }
    for name, call in calls.items():
        for kind, state in (("one", robot.neutral_state()), ("batch", robot.state(q=[[0.1]] * 16))):
            start = process_time()
            call(state)
            seconds[kind][name] = process_time() - start
    modules = [importlib.import_module(m.name) for m in pkgutil.walk_packages(kernels.__path__, "spacedyn.kernels.")]
    entries = {m.__name__: m.run for m in modules if hasattr(m, "run")}
    return {
        "seconds": seconds,
        "cpu": process_time(),
        "kernels": len(entries),
        "not_called": [name for name, run in entries.items() if len(run.signatures) < 2],
    }


def million() -> dict[str, float]:
    """Seconds and peak memory of a million states of the six-joint robot: states, forces, accelerations."""
    import numpy as np

    import spacedyn as sd

    from .robots import SIZES, free_flyer

    robot, rng = free_flyer("6", SIZES["6"]), np.random.default_rng(0)
    sd.forward_dynamics(robot, robot.random_state(rng, 16))  # compiled
    state, tau = robot.random_state(rng, MILLION), rng.normal(size=(MILLION, robot.n))
    start = perf_counter()
    udot = sd.forward_dynamics(robot, state, tau)
    return {"seconds": perf_counter() - start, "bytes": peak_memory(), "robots": len(udot)}


def peak_memory() -> float:
    """Bytes this process has held at most. On Linux ru_maxrss begins with the parent's, so its own file goes first."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return float(line.split()[1]) * 1024
    import resource

    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) * (1 if sys.platform == "darwin" else 1024)


TASKS = {
    "first": lambda: first(None),
    "first-batch": lambda: first(16),
    "first-simulate": first_simulate,
    "every-kernel": every_kernel,
    "million": million,
}

if __name__ == "__main__":
    print(json.dumps(TASKS[sys.argv[1]]()))
