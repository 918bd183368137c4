"""Impulses along constraint rows, from a root A of the rows' inverse inertia W = A'A; A has one column per row.

Linear dependence is decided as in the kernel row_algebra.py, by the part of a column that the others do not span. In W
that part is squared, and lost in rounding.
"""

import numpy as np

from ..kernels.simulation.row_algebra import DEPENDENT, NOTHING

Array = np.ndarray
_SINGULAR = 1e-13  # of the greatest singular value: smaller ones count as zero


def independent_columns(A: Array) -> tuple[list[int], Array]:
    """Indices of independent columns of A and an orthonormal basis Q of them, by pivots: the largest remainder first.

    >>> chosen, Q = independent_columns(np.array([[1.0, 1.0, 0.0], [0.0, 1e-9, 2.0]]))
    >>> chosen, Q.tolist()
    ([0, 2], [[1.0, 0.0], [0.0, 1.0]])
    """
    whole, left, chosen = np.sum(A * A, axis=0), A.copy(), list[int]()
    Q = np.zeros((len(A), 0))
    counts = whole > NOTHING * whole.max(initial=0.0)
    while len(chosen) < min(A.shape):
        parts = np.where(counts, np.sum(left * left, axis=0) / np.where(counts, whole, 1.0), 0.0)
        parts[chosen] = 0.0
        best = int(np.argmax(parts))
        if not parts[best] > DEPENDENT * DEPENDENT:
            break
        q = left[:, best] - Q @ (Q.T @ left[:, best])
        q /= np.linalg.norm(q)
        Q, left = np.column_stack([Q, q]), left - np.outer(q, q @ left)
        chosen.append(best)
    return chosen, Q


def least_impulses(A: Array, b: Array, rows: Array, C: Array) -> tuple[Array, Array]:
    """The least x for which impulses C x stop the given rows, and the velocities (m,) of all rows, b without impulses.

    The velocities of redundant rows vanish only as far as those of the independent rows imply it.
    """
    chosen, Q = independent_columns(A[:, rows])
    held = rows[chosen]
    y = np.linalg.solve(A[:, held].T @ Q, -b[held])
    pushed = A @ C
    x = np.linalg.lstsq(Q.T @ pushed, y, rcond=_SINGULAR)[0]
    z = pushed @ x
    return x, b + A.T @ (z + Q @ (y - Q.T @ z))


def forces_that_move_nothing(A: Array) -> Array:
    """Null space of A: (m, k) orthonormal columns, impulses along rows that move nothing."""
    chosen, Q = independent_columns(A)
    found: Array = np.linalg.svd(Q.T @ A)[2][len(chosen) :].T
    return found


def root_of(W: Array, least: float) -> Array:
    """A root of a symmetric matrix; eigenvalues below `least` times the greatest one count as rounding."""
    values, vectors = np.linalg.eigh(W)
    there = values > least * values[-1]
    found: Array = np.sqrt(values[there])[:, None] * vectors[:, there].T
    return found
