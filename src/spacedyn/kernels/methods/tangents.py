"""The matrix of derivatives of the right-hand side by the vector y, from the same right-hand side on dual numbers.

    k = f(t, y),   df/dy : tangents along LANES entries of y at a time

Everything in kernels is differentiated exactly: chart, dynamics, springs, dampers, stops, forces. What continuous laws
write is differenced (laws.py), what sampled laws hold is constant. The ledger has no part in it: nothing depends on it.
"""

from ..elements.forces import switch_elements
from ..elements.prescribed import choose_pieces
from ..robot.layout import *  # noqa: F403
from ..scalar.compiling import call, entry, inner
from ..scalar.dual import DUAL, seed
from ..scalar.lanes import tangent_in
from ..scalar.memory import integer, lanes_of, load, pointer, store, zero_of
from ..scalar.pack import PACK
from ..sim.layout import *  # noqa: F403


@inner
def counted(tree, plan):
    """Entries of y that its rates depend on: chart coordinates, rates, laws' states."""
    return 2 * integer(tree, RATES) + integer(plan, INTERNAL)


@inner
def jacobian(tree, par, work, duals, plan, numbers, memory, counters, t, y, out):
    """Matrix of df/dy, row by row, into `out`; `duals` is scratch memory as large as `work`, of duals."""
    n, many, zero = counted(tree, plan), lanes_of(zero_of(PACK)), zero_of(DUAL)
    origin, at, k = integer(plan, Y_ORIGIN), integer(plan, Y_STAGE), integer(plan, Y_K)
    for j in range(integer(tree, COORDINATES)):
        store(duals, origin + j, zero + load(work, origin + j, 0.0))
    for j in range(integer(tree, RATES) if integer(tree, W_STOP) > 0 else 0):
        store(duals, integer(tree, W_STOP) + j, zero + load(work, integer(tree, W_STOP) + j, 0.0))
    for first in range(0, n, many):
        for j in range(n):
            store(duals, at + j, zero + load(work, y + j, 0.0))
        for lane in range(min(many, n - first)):
            seed(duals, at + first + lane, lane, 1.0)
        call(integer(plan, TANGENT_FLOW), tree, par, duals, plan, numbers, memory, counters, t, at, k, 0)
        for i in range(n):
            for lane in range(min(many, n - first)):
                store(out, i * n + first + lane, tangent_in(duals, k + i, lane))


@entry
def matrix(tree, par, work, duals, plan, numbers, memory, counters, t, out):
    """The matrix at the present state."""
    tree, par, work, duals, plan = pointer(tree), pointer(par), pointer(work), pointer(duals), pointer(plan)
    numbers, memory, counters, out = pointer(numbers), pointer(memory), pointer(counters), pointer(out)
    choose_pieces(plan, numbers, counters, t)
    switch_elements(plan, numbers, counters, t)
    jacobian(tree, par, work, duals, plan, numbers, memory, counters, t, integer(plan, Y_NOW), out)
