"""The right-hand side, kinds of elements and methods' steps are C functions: signatures, and how one is called."""

from numba.core import types

from ..scalar.compiling import call, inner
from ..scalar.memory import integer, load
from .layout import *  # noqa: F403
from .sim import OWN

# the table of a simulation's arrays, t, where y is and its rates go, laws that are due
SIGNATURE = types.void(OWN, types.float64, *[types.int64] * 3)
# of a method's own step: t, h; where the new vector goes; laws that are due
STEP_SIGNATURE = types.void(OWN, *[types.float64] * 2, *[types.int64] * 2)


@inner
def evaluate(sim, t, y, k, due):
    """Rates k of the vector y at time t, by the C function that the plan names."""
    call(integer(sim.plan, FLOW), sim.own, t, y, k, due)


@inner
def is_near_singular(sim):
    """Whether some robot's constraint rows are nearly dependent where the step begins."""
    return load(sim.memory, integer(sim.plan, M_OPEN) + IS_NEAR, 0.0) > 0.0


@inner
def evaluate_stage(sim, t, y, k, due):
    """Rates k of a stage y, which is first projected onto the rows if the step began near a singular state."""
    if integer(sim.plan, ROWS) > 0 and is_near_singular(sim):
        call(integer(sim.plan, SETTLE_ROWS), sim.own, t, 0.0, y, HOLD_STAGE)
    evaluate(sim, t, y, k, due)


@inner
def is_adaptive(sim):
    """Whether steps are chosen by their errors; a fixed step has no tolerances, and -1 in their place."""
    return load(sim.numbers, integer(sim.plan, N_SCALE), 0.0) >= 0.0


@inner
def run_kinds(sim, t, y, k, phase, address):
    """Call all kinds of a phase in order, each by the C function whose address is at `address` of its record."""
    for i in range(integer(sim.plan, KINDS)):
        record = integer(sim.plan, KIND_AT) + i * KIND_INTS
        if integer(sim.plan, record + K_PHASE) == phase:
            call(integer(sim.plan, record + address), sim.own, t, y, k, record)
