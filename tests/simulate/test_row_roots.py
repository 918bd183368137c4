"""Impulses along rows by a root of the inverse inertia: which rows are redundant, and what they then have the least."""

import numpy as np
import pytest

from spacedyn.kernels.simulation.row_algebra import DEPENDENT
from spacedyn.simulate.row_roots import forces_that_move_nothing, independent_columns, least_impulses, root_of


@pytest.mark.parametrize(("part", "rank"), [(0.0, 3), (0.9, 3), (1.1, 4), (1e3, 4)])
@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e6])
def test_rows_are_redundant_by_what_others_leave_of_them(part, rank, scale):
    """As in the kernel, whatever the size of a row."""
    rng = np.random.default_rng(3)
    U = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    span, beside = U[:, :3], U[:, 3]
    mixed = span @ rng.normal(size=3)
    last = mixed + part * DEPENDENT * np.linalg.norm(mixed) * beside
    A = np.column_stack([span @ rng.normal(size=(3, 3)), scale * last, np.zeros(6)])
    chosen, Q = independent_columns(A)
    assert len(chosen) == rank and 4 not in chosen
    assert np.abs(Q.T @ Q - np.eye(rank)).max() < 1e-13
    assert forces_that_move_nothing(A).shape == (5, 5 - rank)


def test_least_impulses_stop_rows_and_are_the_least():
    """Redundant rows share alike with a dense pseudo-inverse; velocities of rows that are held vanish."""
    rng = np.random.default_rng(4)
    A = rng.normal(size=(5, 4)) @ rng.normal(size=(4, 8))
    rows, b = np.array([0, 1, 2, 3, 4, 6]), A.T @ rng.normal(size=5)
    x, v = least_impulses(A, b, rows, np.eye(8)[:, rows])
    W = A.T @ A
    assert x == pytest.approx(-np.linalg.pinv(W[np.ix_(rows, rows)], rcond=1e-9) @ b[rows], rel=1e-9)
    assert np.abs(v[rows]).max() < 1e-12 and v == pytest.approx(b + W[:, rows] @ x, abs=1e-10)


def test_a_root_of_a_matrix_gives_it_back():
    rng = np.random.default_rng(5)
    A = rng.normal(size=(3, 6))
    root = root_of(A.T @ A, 1e-11)
    assert root.shape == (3, 6) and np.abs(root.T @ root - A.T @ A).max() < 1e-13
