"""Memory: a million states fit into 2 GB, and kernels allocate nothing, however many robots they are given."""

import os
import subprocess
import sys

MILLION = """
import resource, sys
import numpy as np, spacedyn as sd

robot = sd.load("ets7")
assert robot.n == 6 and robot.base_kind == "free"
rng = np.random.default_rng(0)
states = robot.random_state(rng, 1_000_000)
tau = rng.normal(size=(1_000_000, 6))
udot = sd.forward_dynamics(robot, states, tau)
for i in (0, 1, 499_999, 999_998, 999_999):
    np.testing.assert_allclose(udot[i], sd.forward_dynamics(robot, states[i], tau[i]), rtol=1e-11, atol=1e-11)
forces = sd.inverse_dynamics(robot, states, udot)
assert np.abs(forces[:, 6:] - tau).max() < 1e-6
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
try:  # on Linux ru_maxrss may be the parent's
    with open("/proc/self/status") as status:
        peak = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
except OSError:
    pass
print(peak)
"""

ALLOCATIONS = """
import numpy as np
from numba.core.runtime import _nrt_python, rtsys
from random_trees import random_model
from every_result import every_result

_nrt_python.memsys_enable_stats()

def allocations(state):
    before = rtsys.get_allocation_stats()
    every_result(np.random.default_rng(1), model, state)
    after = rtsys.get_allocation_stats()
    assert after.alloc - after.free == before.alloc - before.free, "memory is kept"
    return after.alloc - before.alloc

for base in ("free", "fixed"):
    rng = np.random.default_rng(0)
    model = random_model(rng, 11, base_kind=base, passive=True)
    allocations(model.random_state(rng)), allocations(model.random_state(rng, 3))  # loads all kernels
    few, many, one, again = (allocations(model.random_state(rng, size)) for size in (3, 3000, None, None))
    print(few, many, one, again)
"""


def python(program):
    changed = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", program], env=changed, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_million_states_within_two_gigabytes():
    peak = int(python(MILLION))
    assert 0.3e9 < peak < 2e9, f"{peak / 1e9:.2f} GB"  # the states alone are 0.2 GB


def test_kernels_allocate_nothing():
    """Numba's runtime counts a few allocations for each array that Python hands in; robots must not add to them."""
    for line in python(ALLOCATIONS).splitlines():
        few, many, one, again = map(int, line.split())
        assert few == many > 0
        assert one == again > 0
