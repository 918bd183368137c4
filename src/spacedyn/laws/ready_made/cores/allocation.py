"""Least squares within bounds, exactly: which thrusters or wheels give a wanted wrench, and how much of it each.

    least |A x - b|² + δ |x|²,  lower ≤ x ≤ upper,  δ = 1e-10 of the mean square of A's columns

by active sets (Lawson & Hanson 1974, ch. 23; Stark & Parker 1995 for two bounds): variables are free or at a bound. The
free ones are solved for; the first to leave its bounds stops the way there and is fixed. At an optimum of the free ones
the bound whose gradient points furthest inward is released. Each optimum is lower than the one before, so it ends. The
small δ makes the answer the one of least length where A leaves a choice, and every system positive definite.
"""

from ....kernels.scalar.compiling import inner
from ....kernels.scalar.memory import later
from .linear import solve

FREE, AT_LOWER, AT_UPPER = 0.0, -1.0, 1.0
MOST = 10  # changes of the active set, for each variable


@inner
def gradient(A, rows, n, b, delta, x, residual, g):
    """g = A'(b - A x) - δ x: downhill."""
    for i in range(rows):
        residual[i] = b[i]
        for j in range(n):
            residual[i] -= A[i * n + j] * x[j]
    for j in range(n):
        g[j] = -delta * x[j]
        for i in range(rows):
            g[j] += A[i * n + j] * residual[i]


@inner
def fewer_free(A, rows, n, delta, side, residual, step, room):
    """step of free variables that are no more than rows: (A'A + δ)⁻¹ A' residual."""
    m = 0
    for j in range(n):
        m += side[j] == FREE
    M, rhs, a = room, later(room, m * m), 0
    for j in range(n):
        if side[j] == FREE:
            c = 0
            for i in range(n):
                if side[i] == FREE:
                    total = delta if i == j else 0.0
                    for r in range(rows):
                        total += A[r * n + i] * A[r * n + j]
                    M[a * m + c] = total
                    c += 1
            rhs[a] = 0.0
            for r in range(rows):
                rhs[a] += A[r * n + j] * residual[r]
            a += 1
    solve(M, m, rhs, 1)
    a = 0
    for j in range(n):
        if side[j] == FREE:
            step[j] = rhs[a]
            a += 1


@inner
def more_free(A, rows, n, delta, side, residual, step, room):
    """step of free variables that are more than rows: A' (A A' + δ)⁻¹ residual, with as few unknowns as rows."""
    M, y = room, later(room, rows * rows)
    for r in range(rows):
        for k in range(rows):
            total = delta if r == k else 0.0
            for j in range(n):
                if side[j] == FREE:
                    total += A[r * n + j] * A[k * n + j]
            M[r * rows + k] = total
        y[r] = residual[r]
    solve(M, rows, y, 1)
    for j in range(n):
        if side[j] == FREE:
            step[j] = 0.0
            for r in range(rows):
                step[j] += A[r * n + j] * y[r]


@inner
def towards_free_optimum(A, rows, n, b, delta, side, x, step, room):
    """step (n): from x to the optimum of the free variables; zero for the others. `room`: rows + n² + n or more."""
    free, rest = 0, room
    for r in range(rows):
        rest[r] = b[r]
        for j in range(n):
            if side[j] != FREE:
                rest[r] -= A[r * n + j] * x[j]
    for j in range(n):
        step[j] = 0.0
        free += side[j] == FREE
    if free > rows:
        more_free(A, rows, n, delta, side, rest, step, later(room, rows))
    elif free > 0:
        fewer_free(A, rows, n, delta, side, rest, step, later(room, rows))
    for j in range(n):
        if side[j] == FREE:
            step[j] -= x[j]


@inner
def go_within_bounds(n, lower, upper, side, x, step):
    """Go as far as bounds allow, and fix the variable that meets one first; whether none does."""
    far, first, which = 1.0, -1, FREE
    for j in range(n):
        if side[j] == FREE:
            if x[j] + step[j] < lower[j] and step[j] < 0.0:
                share = (lower[j] - x[j]) / step[j]
                if share < far:
                    far, first, which = share, j, AT_LOWER
            elif x[j] + step[j] > upper[j] and step[j] > 0.0:
                share = (upper[j] - x[j]) / step[j]
                if share < far:
                    far, first, which = share, j, AT_UPPER
    for j in range(n):
        x[j] += far * step[j]
    if first >= 0:
        side[first] = which
        x[first] = lower[first] if which == AT_LOWER else upper[first]
    return first < 0


@inner
def release(n, lower, upper, side, g, tiny):
    """Free the variable that gains most by leaving its bound; whether there is one."""
    best, which = tiny, -1
    for j in range(n):
        if lower[j] < upper[j]:
            inward = g[j] if side[j] == AT_LOWER else -g[j] if side[j] == AT_UPPER else 0.0
            if inward > best:
                best, which = inward, j
    if which >= 0:
        side[which] = FREE
    return which >= 0


@inner
def box_least_squares(A, rows, n, b, lower, upper, x, room):
    """x (n) of least |A x - b|² + δ |x|² within bounds. `room`: 4 n + 2 rows + (n + rows)²."""
    side, g, step = room, later(room, n), later(room, 2 * n)
    residual, M = later(room, 3 * n), later(room, 3 * n + rows)
    square, largest = 0.0, 0.0
    for j in range(rows * n):
        square += A[j] * A[j]
    for i in range(rows):
        largest = max(largest, abs(b[i]))
    delta = 1e-10 * square / n if square > 0.0 else 1.0
    for j in range(n):
        x[j] = min(max(0.0, lower[j]), upper[j])
        side[j] = AT_LOWER if x[j] == lower[j] else AT_UPPER if x[j] == upper[j] else FREE
    gradient(A, rows, n, b, delta, x, residual, g)
    tiny = 1e-13 * (largest * square**0.5 + square)
    for _ in range(MOST * n):
        towards_free_optimum(A, rows, n, b, delta, side, x, step, M)
        done = go_within_bounds(n, lower, upper, side, x, step)
        gradient(A, rows, n, b, delta, x, residual, g)
        if done and not release(n, lower, upper, side, g, tiny):
            return
