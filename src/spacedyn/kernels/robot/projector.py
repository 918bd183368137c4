"""Projector onto the null space of a small matrix, by its singular value decomposition.

One-sided Jacobi rotations make the rows orthogonal; their lengths are then the singular values, found to full relative
accuracy, and the directions of those that count span what the projector takes away. Hestenes (1958); Golub & Van Loan,
ch. 8.6.
"""

from ..scalar.compiling import inner
from ..scalar.memory import load, store
from ..scalar.pack import magnitude, select, somewhere, sqrt

SWEEPS = 30  # five or six are enough; the bound ends the loop for NaN
NEGLIGIBLE = 1e-10  # of the largest singular value: smaller ones count as zero
ORTHOGONAL = 1e-15


@inner
def row_product(work, a, b, n, zero):
    """Inner product of two rows."""
    total = zero
    for k in range(n):
        total += load(work, a + k, zero) * load(work, b + k, zero)
    return total


@inner
def rotate_rows(work, a, b, n, zero):
    """Turn two rows into orthogonal ones; the cosine between them before."""
    aa, bb, ab = (
        row_product(work, a, a, n, zero),
        row_product(work, b, b, n, zero),
        row_product(work, a, b, n, zero),
    )
    size = sqrt(aa) * sqrt(bb)
    apart = magnitude(ab) > ORTHOGONAL * size
    ratio = select(apart, (bb - aa) / select(apart, 2.0 * ab, zero + 1.0), zero)
    tangent = select(ratio < 0.0, zero - 1.0, zero + 1.0) / (magnitude(ratio) + sqrt(1.0 + ratio * ratio))
    tangent = select(apart, tangent, zero)
    cosine = 1.0 / sqrt(1.0 + tangent * tangent)
    sine = cosine * tangent
    for k in range(n):
        x, y = load(work, a + k, zero), load(work, b + k, zero)
        store(work, a + k, cosine * x - sine * y)
        store(work, b + k, sine * x + cosine * y)
    return select(apart, zero + 1.0, zero)


@inner
def null_space_projector(work, matrix, rows, n, out, zero):
    """1 - V V' of a matrix (rows, n) with the right singular vectors V, row by row at `out`; the matrix is lost."""
    turned, sweep = True, 0
    while turned and sweep < SWEEPS:
        any_turned = zero
        for i in range(rows):
            for j in range(i + 1, rows):
                any_turned += rotate_rows(work, matrix + i * n, matrix + j * n, n, zero)
        turned = somewhere(any_turned > 0.5)
        sweep += 1
    largest = zero
    for i in range(rows):
        square = row_product(work, matrix + i * n, matrix + i * n, n, zero)
        largest = select(square > largest, square, largest)
    for j in range(n):
        for k in range(n):
            store(work, out + j * n + k, zero + 1.0 if j == k else zero)
    for i in range(rows):
        square = row_product(work, matrix + i * n, matrix + i * n, n, zero)
        counts = square > NEGLIGIBLE * NEGLIGIBLE * largest
        weight = select(counts, 1.0 / select(counts, square, zero + 1.0), zero)
        for j in range(n):
            factor = weight * load(work, matrix + i * n + j, zero)
            for k in range(n):
                less = factor * load(work, matrix + i * n + k, zero)
                store(work, out + j * n + k, load(work, out + j * n + k, zero) - less)
