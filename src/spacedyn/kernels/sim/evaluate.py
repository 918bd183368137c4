"""The right-hand side and the steps of methods are C functions: their signatures, and how one is called."""

from numba.core import types

from ..robot.descriptions import lanes_pointer
from ..scalar.compiling import call, inner
from ..scalar.memory import integer
from .layout import *  # noqa: F403

_doubles, _integers = types.CPointer(types.float64), types.CPointer(types.int64)
_SIMULATION = _doubles, _integers, _doubles, _doubles, _integers  # work, plan, numbers, memory, counters
SIGNATURE = types.void(_integers, _doubles, *_SIMULATION, types.float64, *[types.int64] * 3)
VARIED_SIGNATURE = types.void(_integers, lanes_pointer, *_SIMULATION, types.float64, *[types.int64] * 3)
# of a method's own step: t, h; where the new vector goes; laws that are due
STEP_SIGNATURE = types.void(_integers, _doubles, *_SIMULATION, *[types.float64] * 2, *[types.int64] * 2)
VARIED_STEP_SIGNATURE = types.void(_integers, lanes_pointer, *_SIMULATION, *[types.float64] * 2, *[types.int64] * 2)


@inner
def evaluate(tree, par, work, plan, numbers, memory, counters, t, y, k, due):
    """Rates k of the vector y at time t, by the C function that the plan names."""
    call(integer(plan, FLOW), tree, par, work, plan, numbers, memory, counters, t, y, k, due)
