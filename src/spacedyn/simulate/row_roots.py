"""Impulses along rows, by a root A of the inverse inertia that they feel, W = A'A: a column a row.

Which rows depend on each other is decided as the kernel of constraint rows decides it (row_algebra.py): by what others
leave of a column. W has the square of that, which rounding hides.
"""

import numpy as np

from ..kernels.simulation.row_algebra import DEPENDENT, NOTHING

Array = np.ndarray
_SINGULAR = 1e-13  # of the greatest singular value: no part of what impulses push


def independent_columns(A: Array) -> tuple[list[int], Array]:
    """Numbers of independent columns of A, and an orthonormal basis of them, by pivots: each the longest that is left.

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
    """The least x with which impulses C x leave rows no velocity, b without them; and the velocities (m,) of all rows.

    Those of redundant rows vanish as far as the others make them.
    """
    chosen, Q = independent_columns(A[:, rows])
    held = rows[chosen]
    y = np.linalg.solve(A[:, held].T @ Q, -b[held])
    pushed = A @ C
    x = np.linalg.lstsq(Q.T @ pushed, y, rcond=_SINGULAR)[0]
    z = pushed @ x
    return x, b + A.T @ (z + Q @ (y - Q.T @ z))


def forces_that_move_nothing(A: Array) -> Array:
    """(m, k) orthonormal columns: what impulses along rows may have more, and push nothing."""
    chosen, Q = independent_columns(A)
    found: Array = np.linalg.svd(Q.T @ A)[2][len(chosen) :].T
    return found


def root_of(W: Array, least: float) -> Array:
    """A root of a symmetric matrix; what is less than a part of its greatest eigenvalue counts as rounding."""
    values, vectors = np.linalg.eigh(W)
    there = values > least * values[-1]
    found: Array = np.sqrt(values[there])[:, None] * vectors[:, there].T
    return found
