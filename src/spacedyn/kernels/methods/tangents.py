"""The matrix of derivatives of the right-hand side by the vector y, from the same right-hand side on dual numbers.

    k = f(t, y),   df/dy : tangents along LANES entries of y at a time

Everything in kernels is differentiated exactly: chart, dynamics, springs, dampers, stops, elements. What continuous
laws and users' elements write is differenced, what sampled laws hold is constant. The ledger has no part in it: nothing
depends on it.
"""

from ..elements.prescribed import choose_pieces
from ..elements.spans import choose_spans
from ..robot.layout import *  # noqa: F403
from ..scalar.compiling import call, entry, inner
from ..scalar.dual import DUAL
from ..scalar.dual_memory import seed
from ..scalar.lanes import tangent_in
from ..scalar.memory import integer, lanes_of, load, pointer, store, zero_of
from ..scalar.pack import PACK
from ..sim.layout import *  # noqa: F403
from ..sim.sim import sim_at, twin_of


@inner
def counted(sim):
    """Entries of y that its rates depend on: chart coordinates, rates, states of laws and elements."""
    return 2 * integer(sim.tree, RATES) + integer(sim.plan, INTERNAL)


@inner
def jacobian(sim, t, y, out):
    """Matrix of df/dy, row by row, into `out`, by the simulation's twin."""
    twin = twin_of(sim.own)
    duals = sim_at(twin).work
    n, many, zero = counted(sim), lanes_of(zero_of(PACK)), zero_of(DUAL)
    origin, at, k = integer(sim.plan, Y_ORIGIN), integer(sim.plan, Y_STAGE), integer(sim.plan, Y_K)
    for j in range(integer(sim.tree, COORDINATES)):
        store(duals, origin + j, zero + load(sim.work, origin + j, 0.0))
    for j in range(integer(sim.plan, GUARDS)):
        side = integer(sim.plan, Y_SIDE) + j
        store(duals, side, zero + load(sim.work, side, 0.0))
    for j in range(integer(sim.plan, ROWS) + 1 if integer(sim.plan, ROWS) > 0 else 0):
        held = integer(sim.plan, Y_RANK) + j
        store(duals, held, zero + load(sim.work, held, 0.0))
    for first in range(0, n, many):
        for j in range(n):
            store(duals, at + j, zero + load(sim.work, y + j, 0.0))
        for lane in range(min(many, n - first)):
            seed(duals, at + first + lane, lane, 1.0)
        call(integer(sim.plan, TANGENT_FLOW), twin, t, at, k, 0)
        for i in range(n):
            for lane in range(min(many, n - first)):
                store(out, i * n + first + lane, tangent_in(duals, k + i, lane))


@entry
def matrix(own, t, out):
    """The matrix at the present state."""
    sim = sim_at(pointer(own))
    choose_pieces(sim, t)
    choose_spans(sim, t)
    jacobian(sim, t, integer(sim.plan, Y_NOW), pointer(out))
