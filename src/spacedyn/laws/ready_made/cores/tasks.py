"""Accelerations or rates of joints for tasks A x = b: inverses that are damped near singular poses, and priorities.

Each singular value σ of A is inverted as σ / (σ² + λ²), λ² = max(ε² - σ², 0): exactly as 1/σ from ε on, as σ/ε² below,
so that no part of b is multiplied by more than 1/ε. That is damped least squares (Nakamura & Hanafusa 1986, Wampler
1986) with a damping of its own for each singular value (Maciejewski & Klein 1988; Chiaverini 1997).
"""

import math

from ....kernels.scalar.compiling import inner
from ....kernels.scalar.memory import later
from .linear import add_transposed, eigenvectors, multiply

RANK = 1e-7  # of the largest singular value: smaller ones are zero


@inner
def decompose(A, rows, cols, V, squares, scrap):
    """Left singular vectors V (rows, rows) and squares of singular values (rows). `scrap`: rows²."""
    for i in range(rows):
        for j in range(rows):
            total = 0.0
            for k in range(cols):
                total += A[i * cols + k] * A[j * cols + k]
            scrap[i * rows + j] = total
    eigenvectors(scrap, V, rows)
    for i in range(rows):
        squares[i] = max(scrap[i * rows + i], 0.0)


@inner
def damp(squares, rows, epsilon, factors):
    """Factors 1/(σ² + λ²) of the damped inverse; the least singular value."""
    least = math.inf
    for i in range(rows):
        least = min(least, squares[i])
        factors[i] = 1.0 / max(squares[i], epsilon * epsilon)
    return math.sqrt(least)


@inner
def undamped(squares, rows, factors):
    """Factors 1/σ² of the pseudoinverse, for projections: what they leave alone is left alone exactly."""
    largest = 0.0
    for i in range(rows):
        largest = max(largest, squares[i])
    for i in range(rows):
        factors[i] = 1.0 / squares[i] if squares[i] > RANK * RANK * largest else 0.0


@inner
def add_inverse(A, V, factors, rows, cols, b, scale, x, room):
    """x += scale A# b, with A# = A' V diag(factors) V', factor by factor so that digits stay. `room`: 2 rows."""
    y = later(room, rows)
    for k in range(rows):
        total = 0.0
        for i in range(rows):
            total += V[i * rows + k] * b[i]
        room[k] = factors[k] * total
    multiply(V, rows, rows, room, y)
    add_transposed(A, rows, cols, y, scale, x)


@inner
def project(A, V, factors, rows, cols, z, room):
    """z becomes (1 - A# A) z: what the task does not notice. `room`: 3 rows."""
    multiply(A, rows, cols, z, room)
    add_inverse(A, V, factors, rows, cols, room, -1.0, z, later(room, rows))


@inner
def solve_task(A, rows, cols, b, epsilon, x, room):
    """x += A# b, damped; then `room` has what `project` needs: V, factors. The least singular value.

    `room`: 2 rows² + 4 rows, of which the first rows² + rows are to be kept for `project`.
    """
    V, factors = room, later(room, rows * rows)
    squares, scrap = later(factors, rows), later(factors, 2 * rows)
    decompose(A, rows, cols, V, squares, scrap)
    least = damp(squares, rows, epsilon, factors)
    add_inverse(A, V, factors, rows, cols, b, 1.0, x, scrap)
    undamped(squares, rows, factors)
    return least


@inner
def two_tasks(first, rows, b, second, more, d, cols, epsilons, x, room):
    """x (cols): first x = b; where that leaves a choice second x = d; then as x was. The least singular values.

    Nakamura, Hanafusa & Yoshikawa (1987). Tasks are damped for their own sake only: what comes after them stays in
    their null space exactly. `second` is overwritten.
    `room`: cols + 2 rows² + 4 rows + 2 more² + 4 more + 3 max(rows, more).
    """
    z, one = room, later(room, cols)
    two = later(one, 2 * rows * rows + 4 * rows)
    rest = later(two, 2 * more * more + 4 * more)
    for j in range(cols):
        z[j] = x[j]
        x[j] = 0.0
    least, least_of_second = math.inf, math.inf
    if rows > 0:
        least = solve_task(first, rows, cols, b, epsilons[0], x, one)
        project(first, one, later(one, rows * rows), rows, cols, z, rest)
    if more > 0:
        for i in range(more):
            for j in range(cols):
                d[i] -= second[i * cols + j] * x[j]
        for i in range(more if rows > 0 else 0):  # the projector is symmetric: rows are projected as columns are
            project(first, one, later(one, rows * rows), rows, cols, later(second, i * cols), rest)
        least_of_second = solve_task(second, more, cols, d, epsilons[1], x, two)
        project(second, two, later(two, more * more), more, cols, z, rest)
    for j in range(cols):
        x[j] += z[j]
    return least, least_of_second
