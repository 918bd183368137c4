"""Multipliers where some rows rub: their additional forces, not along gradients, make the equations unsymmetric.

    (Q'W + Q'F) lam = b,   least by the weights 1 / (1 - spared)^2

Q and W are those of row_algebra.py, F the columns of the additional forces. Rows of friction are spared where rows are
redundant and the least multipliers would exceed the friction limit: other rows bear more, with equal accelerations.
"""

from ..robot.layout import *  # noqa: F403
from ..scalar.compiling import inner, outlined
from ..scalar.memory import integer, load, store
from ..scalar.pack import select, somewhere
from ..sim.layout import *  # noqa: F403
from .row_algebra import factorise_symmetric, product, solve_transposed, solve_upper, subtract

REFINEMENTS = 3  # iterative refinements of the multipliers


@inner
def spared_of(sim, r, zero):
    """How far row r is spared, 0 to 1."""
    record = integer(sim.plan, ROW_AT) + r * ROW_INTS
    return load(sim.work, integer(sim.plan, record + R_WORK) + ROW_SPARED, zero)


@inner
def some_spared(sim, zero):
    """Whether some rows are spared."""
    most = zero
    for r in range(integer(sim.plan, ROWS)):
        most += spared_of(sim, r, zero)
    return somewhere(most > 0.0)


@inner
def spare(sim, x, zero):
    """Multiply the number of each row by 1 - spared."""
    for r in range(integer(sim.plan, ROWS)):
        store(sim.work, x + r, load(sim.work, x + r, zero) * (1.0 - spared_of(sim, r, zero)))


@outlined
def solve_rubbing(sim, b, z, target, rank, zero):
    """Multipliers of all rows where some rub: the least ones of (Q'W + Q'F) lam = b; adds their effect to z = Q b.

    F: what rows push beside their gradients. Its part in the span of Q is in b already. Of W, redundant rows that are
    becoming independent push a little beside the span of Q, too. Least by the weights 1 / (1 - spared)^2: columns of
    rows that are spared are shorter, and then their multipliers.
    """
    m, n = integer(sim.plan, ROWS), integer(sim.tree, RATES)
    Q, W, F = integer(sim.plan, Y_BASIS), integer(sim.plan, Y_COLUMN), integer(sim.plan, Y_RUB)
    M, left, found = F + m * n, F + m * n + m * m, F + m * n + m * m + m
    G, own = integer(sim.plan, Y_UPPER) + m * m, load(sim.work, integer(sim.plan, Y_RANK), zero)
    for i in range(rank):
        for r in range(m):
            both = product(sim.work, Q + i * n, W + r * n, n, zero) + product(sim.work, Q + i * n, F + r * n, n, zero)
            store(sim.work, M + i * m + r, both)
    spares = some_spared(sim, zero)
    if spares:
        for i in range(rank):
            spare(sim, M + i * m, zero)
    for i in range(rank):
        for j in range(i, rank):
            store(sim.work, G + i * m + j, product(sim.work, M + i * m, M + j * m, m, zero))
        # of a robot of less rank, ones in the places that are not there
        more = select(own > 1.0 * i, zero, zero + 1.0)
        store(sim.work, G + i * m + i, load(sim.work, G + i * m + i, zero) + more)
    factorise_symmetric(sim, G, rank, zero)
    for r in range(m):
        store(sim.work, target + r, zero)
    for _ in range(REFINEMENTS):
        for i in range(rank):
            off = load(sim.work, b + i, zero) - product(sim.work, M + i * m, target, m, zero)
            store(sim.work, left + i, off)
        solve_transposed(sim, G, left, rank, zero)
        solve_upper(sim, G, left, found, rank, zero)
        for i in range(rank):
            subtract(sim.work, target, -load(sim.work, found + i, zero), M + i * m, m, zero)
    if spares:
        spare(sim, target, zero)
    for r in range(m):
        size = load(sim.work, target + r, zero)
        for i in range(rank):
            both = product(sim.work, Q + i * n, W + r * n, n, zero) + product(sim.work, Q + i * n, F + r * n, n, zero)
            store(sim.work, left + i, both)
        subtract(sim.work, z, -size, W + r * n, n, zero)
        subtract(sim.work, z, -size, F + r * n, n, zero)
        for i in range(rank):
            subtract(sim.work, z, size * load(sim.work, left + i, zero), Q + i * n, n, zero)
