"""Deviations of a state that satisfy the constraint rows: the independent ones, and the others as functions of them.

    J_h dx = 0,   J du + G dx = 0,   G = d(J u)/dx

J_h are the rows that have residuals, J all rows. G matters where rates are not zero: a wheel turned about the vertical
rolls in another direction.
"""

import numpy as np
from scipy.linalg import qr

from ..kernels.methods.tangents import row_matrix
from .stepper.row_values import holding_rows, rows_with_residuals
from .stepper.stepper import Stepper

Array = np.ndarray
_DEPENDENT = 1e-9  # of the largest pivot


def row_derivatives(stepper: Stepper, time: float, n: int) -> Array:
    """(2 rows, n) derivatives of the rows' residuals, then of their rates, by the first n numbers of the vector y."""
    found = np.empty((2 * rows_with_residuals(stepper).size, n))
    row_matrix(stepper.own, time, found.reshape(-1))
    return found


def independent_deviations(derivatives: Array, stepper: Stepper, free: Array) -> tuple[Array, Array]:
    """Indices of the independent deviations, and the matrix that gives all deviations by these.

    `derivatives` as `row_derivatives` gives them; `free` (nv,): which rates are not given. Given ones count as
    independent, and their deviations stay zero.
    """
    m, n, nv = len(derivatives) // 2, derivatives.shape[1], free.size
    holonomic, holds = rows_with_residuals(stepper), holding_rows(stepper)
    mask = np.concatenate([free, free, np.ones(n - 2 * nv, dtype=bool)])
    N = derivatives * mask * np.tile(holds, 2)[:, None]
    places, moves = _dependent(N[:m, :nv][holonomic])
    rates, turns = _dependent(N[m:, nv : 2 * nv])
    kept = np.setdiff1d(np.arange(n), [*places, *(nv + rates)])
    basis = np.zeros((n, kept.size))
    basis[kept, np.arange(kept.size)] = 1.0
    basis[places] = -moves @ (N[:m][holonomic] @ basis)
    basis[nv + rates] = -turns @ (N[m:] @ basis)
    return kept, basis


def _dependent(J: Array) -> tuple[Array, Array]:
    """Indices of the columns of J that depend on the others, and X, a left inverse of these columns."""
    sizes = np.linalg.norm(J, axis=1, keepdims=True)
    scaled = J / np.where(sizes > 0.0, sizes, 1.0)
    _, R, order = qr(scaled, mode="economic", pivoting=True) if J.size else (None, np.zeros((0, 0)), np.empty(0, int))
    pivots = np.abs(np.diag(R))
    columns = order[: int((pivots > _DEPENDENT * pivots.max(initial=0.0)).sum())]
    return columns, np.linalg.pinv(J[:, columns], rcond=_DEPENDENT)
