"""The algebra of constraint rows: choice of independent rows, an orthonormal basis, solutions of least norm.

    W = D^(-1/2) L^-1 J',   J H^-1 J' = W'W,   W P = Q R

Columns of W, one for each row of J, come from the factors H = L D L' of the articulated-body elimination. Modified
Gram-Schmidt makes the basis of independent columns; the error grows with the condition of W, not with its square.
The independent columns and their order are chosen at the start of a step, on the constraints, and held during the step:
at its stages, off the constraints, rows that are redundant by geometry seem independent.
"""

from ..robot.layout import *  # noqa: F403
from ..scalar.compiling import inner, outlined
from ..scalar.lanes import number_in, stride_of
from ..scalar.memory import integer, lanes_of, load, store
from ..scalar.pack import select, sqrt
from ..sim.layout import *  # noqa: F403

DEPENDENT = 1e-8  # of a column's greatest length so far: with a smaller remainder, it is dependent on others or zero
NEAR = 0.1  # of the same: with a smaller remainder, a column is nearly dependent
NOTHING = 1e-24  # of the greatest squared length: a shorter column is rounding


@inner
def product(work, a, b, n, zero):
    """Dot product of two vectors of n scalars, in four independent sums."""
    s0, s1, s2, s3 = zero, zero, zero, zero
    whole = n - n % 4
    for k in range(0, whole, 4):
        s0 += load(work, a + k, zero) * load(work, b + k, zero)
        s1 += load(work, a + k + 1, zero) * load(work, b + k + 1, zero)
        s2 += load(work, a + k + 2, zero) * load(work, b + k + 2, zero)
        s3 += load(work, a + k + 3, zero) * load(work, b + k + 3, zero)
    for k in range(whole, n):
        s0 += load(work, a + k, zero) * load(work, b + k, zero)
    return (s0 + s1) + (s2 + s3)


@inner
def subtract(work, a, factor, b, n, zero):
    """a - factor b, into a."""
    for k in range(n):
        store(work, a + k, load(work, a + k, zero) - factor * load(work, b + k, zero))


# --- which rows are independent, robot by robot -----------------------------------------------------------------------


@inner
def lane_product(work, a, b, n, lane, zero):
    """Product of two vectors of one robot."""
    total = 0.0
    for k in range(n):
        total += number_in(work, a + k, lane, zero) * number_in(work, b + k, lane, zero)
    return total


@inner
def put(work, at, lane, value, zero):
    """Write a robot's number of scalar `at`."""
    store(work, at * stride_of(zero) + lane, value)


@inner
def longest_left(sim, rank, nonholonomic, lane, zero):
    """The column of a sort, not yet chosen, with the largest remainder relative to its length; and that remainder.

    Lengths are the greatest so far, squared, since a column may vanish, as where a linkage is stretched out.
    """
    m, n = integer(sim.plan, ROWS), integer(sim.tree, RATES)
    order, basis = integer(sim.plan, Y_RANK) + 1, integer(sim.plan, Y_BASIS)
    best, most, longest = -1, 0.0, 0.0
    for r in range(m):
        longest = max(longest, number_in(sim.work, order + m + 1 + r, lane, zero))
    for r in range(m):
        record = integer(sim.plan, ROW_AT) + r * ROW_INTS
        taken = integer(sim.plan, record + R_NONHOLONOMIC) != nonholonomic
        for i in range(rank):
            taken = taken or number_in(sim.work, order + i, lane, zero) == r
        if not taken:
            whole = number_in(sim.work, order + m + 1 + r, lane, zero)
            left = lane_product(sim.work, basis + r * n, basis + r * n, n, lane, zero)
            if whole > NOTHING * longest and left > most * whole * (1.0 + 1e-9):
                best, most = r, left / whole
    return best, most


@outlined
def choose_rows(sim, lane, zero):
    """Choose rank and order of one robot's independent rows from W, by pivots: the largest remainder first.

    Rows with residuals come before nonholonomic ones, so that the first columns of Q and R are theirs alone.
    """
    m, n = integer(sim.plan, ROWS), integer(sim.tree, RATES)
    at, basis, W = integer(sim.plan, Y_RANK), integer(sim.plan, Y_BASIS), integer(sim.plan, Y_COLUMN)
    for k in range(m * n):
        put(sim.work, basis + k, lane, number_in(sim.work, W + k, lane, zero), zero)
    for r in range(m):
        most, square = at + 2 + m + r, lane_product(sim.work, W + r * n, W + r * n, n, lane, zero)
        put(sim.work, most, lane, max(square, number_in(sim.work, most, lane, zero)), zero)
    rank, sort, least = 0, 0, 1.0
    put(sim.work, at + 2 + 2 * m, lane, 0.0, zero)
    while sort < 2 and rank < min(m, n):
        best, most = longest_left(sim, rank, sort, lane, zero)
        if best < 0 or not most > DEPENDENT * DEPENDENT:
            sort += 1
        else:
            put(sim.work, at + 1 + rank, lane, 1.0 * best, zero)
            mine = basis + best * n
            length = lane_product(sim.work, mine, mine, n, lane, zero)
            for r in range(m):
                if r != best:
                    part = lane_product(sim.work, mine, basis + r * n, n, lane, zero) / length
                    for k in range(n):
                        less = part * number_in(sim.work, mine + k, lane, zero)
                        old = number_in(sim.work, basis + r * n + k, lane, zero)
                        put(sim.work, basis + r * n + k, lane, old - less, zero)
            rank += 1
            least = min(least, most)
            if sort == 0:
                put(sim.work, at + 2 + 2 * m, lane, 1.0 * rank, zero)
    put(sim.work, at, lane, 1.0 * rank, zero)
    put(sim.work, at + 1 + m, lane, least, zero)


@inner
def copy_rows(sim, source, target, lane, zero):
    """Copy one robot's rank, order, nearness, and number of independent rows that have residuals."""
    m = integer(sim.plan, ROWS)
    for k in range(m + 2):
        put(sim.work, target + k, lane, number_in(sim.work, source + k, lane, zero), zero)
    put(sim.work, target + 2 + 2 * m, lane, number_in(sim.work, source + 2 + 2 * m, lane, zero), zero)


@inner
def renew_rows(sim, lane, zero):
    """Choose one robot's independent rows at the end of a step; return the least remainder of one, squared.

    With guards of rigid contact, a change of their number is deferred: multipliers jump with it, so the step's rows
    are held until guards have been evaluated and the step is recorded.
    """
    at, held = integer(sim.plan, Y_RANK), integer(sim.plan, Y_RANK_HELD)
    copy_rows(sim, at, held, lane, zero)
    choose_rows(sim, lane, zero)
    least = number_in(sim.work, at + 1 + integer(sim.plan, ROWS), lane, zero)
    changes = number_in(sim.work, at, lane, zero) != number_in(sim.work, held, lane, zero)
    if changes and integer(sim.plan, ASKING) > 0:
        copy_rows(sim, held, at, lane, zero)
        store(sim.memory, integer(sim.plan, M_OPEN) + RANK_CHANGES, 1.0)
    return least


@inner
def forget_rows(sim, zero):
    """Discard the choice of rows, so that the next solution chooses again."""
    store(sim.work, integer(sim.plan, Y_RANK), zero - 1.0)


@inner
def choose_unknown(sim, zero):
    """Choose rows for robots without a choice; return the largest rank of all robots."""
    most = 0
    for lane in range(lanes_of(zero)):
        if number_in(sim.work, integer(sim.plan, Y_RANK), lane, zero) < 0.0:
            choose_rows(sim, lane, zero)
        most = max(most, int(number_in(sim.work, integer(sim.plan, Y_RANK), lane, zero)))
    return most


# --- with the rows that are held independent --------------------------------------------------------------------------


@inner
def pick_scalars(sim, source, stride, target, j, n, zero):
    """n scalars that belong to the row in place j of each robot's order; zeros where its rank is less."""
    order = integer(sim.plan, Y_RANK) + 1 + j
    if lanes_of(zero) == 1:
        chosen = number_in(sim.work, order - 1 - j, 0, zero) > j
        first = source + int(number_in(sim.work, order, 0, zero)) * stride
        for k in range(n):
            store(sim.work, target + k, load(sim.work, first + k, zero) if chosen else zero)
        return
    for lane in range(lanes_of(zero)):
        chosen = number_in(sim.work, order - 1 - j, lane, zero) > j
        first = source + int(number_in(sim.work, order, lane, zero)) * stride
        for k in range(n):
            put(sim.work, target + k, lane, number_in(sim.work, first + k, lane, zero) if chosen else 0.0, zero)


@inner
def orthonormalise(sim, rank, zero):
    """Q and R of the independent columns; columns beyond a robot's own rank are zero."""
    m, n = integer(sim.plan, ROWS), integer(sim.tree, RATES)
    Q, R, W = integer(sim.plan, Y_BASIS), integer(sim.plan, Y_UPPER), integer(sim.plan, Y_COLUMN)
    for j in range(rank):
        pick_scalars(sim, W, n, Q + j * n, j, n, zero)
    for j in range(rank):
        mine = Q + j * n
        square = product(sim.work, mine, mine, n, zero)
        there = square > 0.0
        length = sqrt(select(there, square, zero + 1.0))
        inverse = select(there, 1.0 / length, zero)
        store(sim.work, R + j * m + j, length)
        for k in range(n):
            store(sim.work, mine + k, inverse * load(sim.work, mine + k, zero))
        for i in range(j + 1, rank):
            part = product(sim.work, mine, Q + i * n, n, zero)
            store(sim.work, R + j * m + i, part)
            subtract(sim.work, Q + i * n, part, mine, n, zero)


@inner
def least_left(sim, rank, zero):
    """The least squared remainder of an independent row after those before it, of all robots."""
    m, at = integer(sim.plan, ROWS), integer(sim.plan, Y_RANK)
    least = 1.0
    for lane in range(lanes_of(zero)):
        for j in range(rank):
            if number_in(sim.work, at, lane, zero) > j:
                row = int(number_in(sim.work, at + 1 + j, lane, zero))
                left = number_in(sim.work, integer(sim.plan, Y_UPPER) + j * m + j, lane, zero)
                least = min(least, left * left / number_in(sim.work, at + 2 + m + row, lane, zero))
    return least


@inner
def solve_transposed(sim, R, b, rank, zero):
    """Replace b, of the independent rows in pivot order, by R'^-1 b."""
    m = integer(sim.plan, ROWS)
    for j in range(rank):
        total = load(sim.work, b + j, zero)
        for i in range(j):
            total -= load(sim.work, R + i * m + j, zero) * load(sim.work, b + i, zero)
        store(sim.work, b + j, total / load(sim.work, R + j * m + j, zero))


@inner
def combine_basis(sim, b, target, rank, zero):
    """Q b, as many scalars as there are rates."""
    n, Q = integer(sim.tree, RATES), integer(sim.plan, Y_BASIS)
    for k in range(n):
        store(sim.work, target + k, zero)
    for j in range(rank):
        subtract(sim.work, target, -load(sim.work, b + j, zero), Q + j * n, n, zero)


@inner
def solve_upper(sim, R, b, target, rank, zero):
    """R^-1 b, into `target`: multipliers of the independent rows, in their order."""
    m = integer(sim.plan, ROWS)
    for j in range(rank - 1, -1, -1):
        total = load(sim.work, b + j, zero)
        for i in range(j + 1, rank):
            total -= load(sim.work, R + j * m + i, zero) * load(sim.work, target + i, zero)
        store(sim.work, target + j, total / load(sim.work, R + j * m + j, zero))


@inner
def spread_least(sim, b, spare, target, rank, zero):
    """Multipliers of all rows, of least norm, with the same effect as the independent ones: C'(C C')^-1 b, C = Q'W.

    Only for robots that have redundant rows; b is lost.
    """
    m, n = integer(sim.plan, ROWS), integer(sim.tree, RATES)
    Q, W = integer(sim.plan, Y_BASIS), integer(sim.plan, Y_COLUMN)
    G, own = integer(sim.plan, Y_UPPER) + m * m, load(sim.work, integer(sim.plan, Y_RANK), zero)
    for i in range(rank):
        for j in range(i, rank):
            store(sim.work, G + i * m + j, zero)
        # a robot of less rank has ones on the rest of the diagonal
        store(sim.work, G + i * m + i, select(own > 1.0 * i, zero, zero + 1.0))
    for r in range(m):
        for i in range(rank):
            store(sim.work, spare + i, product(sim.work, Q + i * n, W + r * n, n, zero))
        for i in range(rank):
            for j in range(i, rank):
                more = load(sim.work, spare + i, zero) * load(sim.work, spare + j, zero)
                store(sim.work, G + i * m + j, load(sim.work, G + i * m + j, zero) + more)
    factorise_symmetric(sim, G, rank, zero)
    solve_transposed(sim, G, b, rank, zero)
    solve_upper(sim, G, b, b, rank, zero)
    for r in range(m):
        total = zero
        for i in range(rank):
            total += product(sim.work, Q + i * n, W + r * n, n, zero) * load(sim.work, b + i, zero)
        store(sim.work, target + r, select(own < 1.0 * m, total, load(sim.work, target + r, zero)))


@inner
def factorise_symmetric(sim, G, rank, zero):
    """Cholesky factor R of G = R'R in place; the upper half of G is given."""
    m = integer(sim.plan, ROWS)
    for j in range(rank):
        for i in range(j + 1):
            total = load(sim.work, G + i * m + j, zero)
            for s in range(i):
                total -= load(sim.work, G + s * m + i, zero) * load(sim.work, G + s * m + j, zero)
            if i < j:
                store(sim.work, G + i * m + j, total / load(sim.work, G + i * m + i, zero))
            else:
                store(sim.work, G + j * m + j, sqrt(select(total > 0.0, total, zero + 1.0)))
