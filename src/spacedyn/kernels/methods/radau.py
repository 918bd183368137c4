"""One step of the implicit Runge-Kutta method Radau IIA of order 5, for stiff springs, stops and contact.

    Z_i = h sum_j a_ij f(t + c_j h, y + Z_j),   y_new = y + Z_3

solved by Newton's method with the derivatives at the step's start (tangents.py). W = T^-1 Z separates the three stages
into a system of n equations and one of 2 n, whose matrices are factorised once a step. The ledger, on which nothing
depends, is integrated afterwards. Hairer & Wanner (1996), Solving ODEs II, IV.8.
"""

from collections import namedtuple
from functools import cache

from ..robot.layout import *  # noqa: F403
from ..scalar.compiling import Address, array_at, inner
from ..scalar.linear import factorise, solve
from ..scalar.memory import integer, later, load, store
from ..sim.evaluate import STEP_SIGNATURE, evaluate, evaluate_stage, is_adaptive
from ..sim.layout import *  # noqa: F403
from ..sim.sim import sim_at
from .runge_kutta import combine_stages, in_group, largest_of_group
from .tangents import counted, jacobian

MAX_ITERATIONS = 10
STALLED = 0.03  # of the tolerance: accepted last change of the stages, where rounding or a jump stalls Newton's method
# constants of the method in `numbers`
MU, ALPHA, BETA, T_INVERSE, T_MATRIX, A_INVERSE, ERROR_WEIGHTS, NEWTON_TOLERANCE, FIXED_TOLERANCE = (
    0, 1, 2, 3, 12, 21, 30, 33, 34,
)  # fmt: skip


Scratch = namedtuple("Scratch", "memory n J real pair pivots f0 Z W right")
"""Scratch memory, how many numbers a state has, and where the parts are: the derivatives, the two matrices with their
pivots, rates at the start, the stages' increments as they are and transformed, right-hand sides."""


def memory_of(n: int, size: int) -> int:
    """Doubles of scratch memory beside the duals: error; matrices and pivots; rates at the start; Z, W, right sides."""
    return 1 + 6 * n * n + 3 * n + size + 3 * n + 3 * n + 4 * n


@inner
def tolerance(sim, j, least):
    """Tolerance of entry j of y, whose magnitude counts as `least` at least; zero where there is no error control.

    With a fixed step, close to rounding.
    """
    scale, size = integer(sim.plan, N_SCALE), max(abs(load(sim.work, integer(sim.plan, Y_NOW) + j, 0.0)), least)
    if not is_adaptive(sim):
        return load(sim.numbers, integer(sim.plan, N_METHOD) + FIXED_TOLERANCE, 0.0) * (1.0 + size)
    return load(sim.numbers, scale + 2 * j, 0.0) + load(sim.numbers, scale + 2 * j + 1, 0.0) * size


@inner
def norm(sim, a, at, n, blocks):
    """Root mean square, over their tolerances, of `blocks` consecutive vectors in `a`: the worst group's."""
    worst = 0.0
    for group in range(integer(sim.plan, GROUPS)):
        total, many = 0.0, 0
        least = largest_of_group(sim, integer(sim.plan, Y_NOW), group, 0.0)
        for j in range(n):
            allowed = tolerance(sim, j, least) if in_group(sim, j, group) else 0.0
            if allowed > 0.0:
                many += blocks
                for i in range(blocks):
                    part = load(a, at + i * n + j, 0.0) / allowed
                    total += part * part
        value = (total / max(many, 1)) ** 0.5
        if not value <= worst:  # NaN counts
            worst = value
    return worst


@inner
def mixed(numbers, matrix, row, a, at, n, j):
    """Entry j of a row of a 3 by 3 matrix times three vectors."""
    total = 0.0
    for i in range(3):
        total += load(numbers, matrix + 3 * row + i, 0.0) * load(a, at + i * n + j, 0.0)
    return total


@inner
def make_matrices(numbers, method, s, J, real, pair, n, h):
    """mu/h - J, and alpha/h - J beside beta/h for the pair of stages that belong together."""
    mu, alpha = load(numbers, method + MU, 0.0) / h, load(numbers, method + ALPHA, 0.0) / h
    beta = load(numbers, method + BETA, 0.0) / h
    for i in range(n):
        for j in range(n):
            slope = load(s, J + i * n + j, 0.0)
            same = 1.0 if i == j else 0.0
            store(s, real + i * n + j, mu * same - slope)
            store(s, pair + i * 2 * n + j, alpha * same - slope)
            store(s, pair + i * 2 * n + n + j, beta * same)
            store(s, pair + (n + i) * 2 * n + j, -beta * same)
            store(s, pair + (n + i) * 2 * n + n + j, alpha * same - slope)


@inner
def run_implicit_stages(sim, t, h, s, Z, n):
    """Rates at the three stages y + Z_i, into K."""
    size, y = integer(sim.plan, SIZE), integer(sim.plan, Y_STAGE)
    for i in range(3):
        for j in range(size):
            store(
                sim.work,
                y + j,
                load(sim.work, integer(sim.plan, Y_NOW) + j, 0.0) + (load(s, Z + i * n + j, 0.0) if j < n else 0.0),
            )
        at = t + h * load(sim.numbers, integer(sim.plan, N_C) + i, 0.0)
        evaluate_stage(sim, at, y, integer(sim.plan, Y_K) + i * size, 0)


@inner
def iterate(sim, t, h, at):
    """Newton's method for Z; False if it does not converge."""
    s, n, Z, W, right = at.memory, at.n, at.Z, at.W, at.right
    method, size, K = integer(sim.plan, N_METHOD), integer(sim.plan, SIZE), integer(sim.plan, Y_K)
    mu, alpha = load(sim.numbers, method + MU, 0.0) / h, load(sim.numbers, method + ALPHA, 0.0) / h
    beta = load(sim.numbers, method + BETA, 0.0) / h
    wanted, before, pace = load(sim.numbers, method + NEWTON_TOLERANCE, 0.0), 0.0, 0.0
    for j in range(3 * n):
        store(s, Z + j, 0.0)
        store(s, W + j, 0.0)
    for iteration in range(MAX_ITERATIONS):
        run_implicit_stages(sim, t, h, s, Z, n)
        for j in range(n):
            w1, w2, w3 = load(s, W + j, 0.0), load(s, W + n + j, 0.0), load(s, W + 2 * n + j, 0.0)
            store(s, right + j, mixed(sim.numbers, method + T_INVERSE, 0, sim.work, K, size, j) - mu * w1)
            store(
                s,
                right + n + j,
                mixed(sim.numbers, method + T_INVERSE, 1, sim.work, K, size, j) - alpha * w2 - beta * w3,
            )
            store(
                s,
                right + 2 * n + j,
                mixed(sim.numbers, method + T_INVERSE, 2, sim.work, K, size, j) + beta * w2 - alpha * w3,
            )
        solve(later(s, at.real), later(s, at.pivots), later(s, right), n)
        solve(later(s, at.pair), later(s, at.pivots + n), later(s, right + n), 2 * n)
        change = norm(sim, s, right, n, 3)
        if not change < 1e300:
            return False
        for j in range(3 * n):
            store(s, W + j, load(s, W + j, 0.0) + load(s, right + j, 0.0))
        for j in range(n):
            for i in range(3):
                store(s, Z + i * n + j, mixed(sim.numbers, method + T_MATRIX, i, s, W, n, j))
        if iteration > 0:
            pace = change / before
            left = MAX_ITERATIONS - 1 - iteration
            if pace >= 1.0:
                return change < max(100.0 * wanted, STALLED)  # no further progress: rounding, or a jump of forces
            if pace / (1.0 - pace) * change < wanted:
                return True
            if pace**left / (1.0 - pace) * change > wanted:
                return False
        if change == 0.0:
            return True
        before = change
    return False


@inner
def estimate(sim, h, at):
    """Error of the step over its tolerance, from the rates at its start and the stages."""
    s, n, right = at.memory, at.n, at.right
    weights = integer(sim.plan, N_METHOD) + ERROR_WEIGHTS
    for j in range(n):
        total = 0.0
        for i in range(3):
            total += load(sim.numbers, weights + i, 0.0) * load(s, at.Z + i * n + j, 0.0)
        store(s, right + j, load(s, at.f0 + j, 0.0) + total / h)
    solve(later(s, at.real), later(s, at.pivots), later(s, right), n)
    return norm(sim, s, right, n, 1)


@inner
def keep_slopes(sim, s, n, h, Z):
    """K of the stages from Z by the method's formula; f(y + Z) would magnify the residual of Newton's method."""
    method, size, K = integer(sim.plan, N_METHOD), integer(sim.plan, SIZE), integer(sim.plan, Y_K)
    for j in range(n):
        for i in range(3):
            store(sim.work, K + i * size + j, mixed(sim.numbers, method + A_INVERSE, i, s, Z, n, j) / h)


def _implicit_step(own, t, h, target, due):
    sim = sim_at(own)
    s, n, size = array_at(integer(sim.plan, SPARE)), counted(sim), integer(sim.plan, SIZE)
    error = integer(sim.plan, S_MATRIX)
    J = error + 1
    real, pair = J + n * n, J + 2 * n * n
    pivots = J + 6 * n * n
    f0 = pivots + 3 * n
    Z = f0 + size
    W, right = Z + 3 * n, Z + 6 * n
    at = Scratch(s, n, J, real, pair, pivots, f0, Z, W, right)
    K, now, y = integer(sim.plan, Y_K), integer(sim.plan, Y_NOW), integer(sim.plan, Y_STAGE)
    evaluate(sim, t, now, K, due)
    for j in range(size):
        store(s, f0 + j, load(sim.work, K + j, 0.0))
    jacobian(sim, t, now, later(s, J))
    make_matrices(sim.numbers, integer(sim.plan, N_METHOD), s, J, real, pair, n, h)
    good = factorise(later(s, real), later(s, pivots), n)
    good = good and factorise(later(s, pair), later(s, pivots + n), 2 * n)
    good = good and iterate(sim, t, h, at)
    if not good:
        store(s, error, 1e300)
        return
    run_implicit_stages(sim, t, h, s, Z, n)
    keep_slopes(sim, s, n, h, Z)
    combine_stages(sim, integer(sim.plan, N_B), 3, h, target, integer(sim.plan, SIZE), 0.0)
    if not is_adaptive(sim):
        store(s, error, 0.0)
        return
    found = estimate(sim, h, at)
    if found > 1.0:  # once more at y + error: where springs are very stiff, the first estimate is far too large
        for j in range(size):
            store(sim.work, y + j, load(sim.work, now + j, 0.0) + (load(s, right + j, 0.0) if j < n else 0.0))
        evaluate(sim, t, y, integer(sim.plan, Y_SPARE), 0)
        for j in range(n):
            store(s, f0 + j, load(sim.work, integer(sim.plan, Y_SPARE) + j, 0.0))
        found = estimate(sim, h, at)
    store(s, error, found)


@cache
def implicit_address():
    """The step as a C function: compiled when it is first used, apart from the driver."""
    return Address(_implicit_step, STEP_SIGNATURE, "implicit.step")
