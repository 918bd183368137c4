"""The matrix of derivatives of the right-hand side by the vector y, from the same right-hand side on dual numbers.

    k = f(t, y),   df/dy : tangents along LANES entries of y at a time

Everything in kernels is differentiated exactly: chart, dynamics, springs, dampers, stops, elements. The output of
continuous laws and users' elements is differenced; held samples of laws are constant. The ledger is left out, since
nothing depends on it.
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
def start_duals(sim, duals, zero):
    """Copy to the duals what the right-hand side needs beside y: chart origin, sides of guards, independent rows."""
    origin = integer(sim.plan, Y_ORIGIN)
    for j in range(integer(sim.tree, COORDINATES)):
        store(duals, origin + j, zero + load(sim.work, origin + j, 0.0))
    for j in range(integer(sim.plan, GUARDS)):
        side = integer(sim.plan, Y_SIDE) + j
        store(duals, side, zero + load(sim.work, side, 0.0))
    for j in range(integer(sim.plan, ROWS) + 1 if integer(sim.plan, ROWS) > 0 else 0):
        held = integer(sim.plan, Y_RANK) + j
        store(duals, held, zero + load(sim.work, held, 0.0))


@inner
def evaluate_along(sim, t, y, first, zero):
    """Evaluate the right-hand side at y with tangents along LANES entries from `first` on; return their number."""
    twin, n, at = twin_of(sim.own), counted(sim), integer(sim.plan, Y_STAGE)
    duals = sim_at(twin).work
    for j in range(n):
        store(duals, at + j, zero + load(sim.work, y + j, 0.0))
    many = min(lanes_of(zero_of(PACK)), n - first)
    for lane in range(many):
        seed(duals, at + first + lane, lane, 1.0)
    call(integer(sim.plan, TANGENT_FLOW), twin, t, at, integer(sim.plan, Y_K), 0)
    return many


@inner
def jacobian(sim, t, y, out):
    """Matrix of df/dy, row by row, into `out`, by the simulation's twin."""
    duals, n, zero = sim_at(twin_of(sim.own)).work, counted(sim), zero_of(DUAL)
    start_duals(sim, duals, zero)
    for first in range(0, n, lanes_of(zero_of(PACK))):
        many = evaluate_along(sim, t, y, first, zero)
        for i in range(n):
            for lane in range(many):
                store(out, i * n + first + lane, tangent_in(duals, integer(sim.plan, Y_K) + i, lane))


@entry
def matrix(own, t, out):
    """The matrix at the present state."""
    sim = sim_at(pointer(own))
    choose_pieces(sim, t)
    choose_spans(sim, t)
    jacobian(sim, t, integer(sim.plan, Y_NOW), pointer(out))


@entry
def row_matrix(own, t, out):
    """Derivatives of constraint rows by y at the present state, row by row: of their residuals, then of their rates."""
    sim = sim_at(pointer(own))
    duals, n, m, zero = sim_at(twin_of(sim.own)).work, counted(sim), integer(sim.plan, ROWS), zero_of(DUAL)
    out = pointer(out)
    start_duals(sim, duals, zero)
    for first in range(0, n, lanes_of(zero_of(PACK))):
        many = evaluate_along(sim, t, integer(sim.plan, Y_NOW), first, zero)
        for r in range(m):
            at = integer(sim.plan, integer(sim.plan, ROW_AT) + r * ROW_INTS + R_WORK)
            for lane in range(many):
                store(out, r * n + first + lane, tangent_in(duals, at + ROW_PHI, lane))
                store(out, (m + r) * n + first + lane, tangent_in(duals, at + ROW_RATE, lane))
