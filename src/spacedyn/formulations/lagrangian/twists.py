"""Twists (linear; angular) and the algebra of SE(3): adjoint matrices, brackets, subgroups.

From, Pettersen & Gravdahl (2011), section 2.1 and their (12).
"""

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InputError
from ...reals import real_numbers

Array = np.ndarray


def _columns(*axes: int) -> Array:
    selection = np.eye(6)[:, axes]
    selection.setflags(write=False)
    return selection


SE3 = _columns(0, 1, 2, 3, 4, 5)
"""Selection matrix of a base that moves anyhow."""
SO3 = _columns(3, 4, 5)
"""Selection matrix of a base that turns about its centre of mass."""
SE2 = _columns(0, 1, 5)
"""Selection matrix of a base that moves in the plane of its x and y axes."""


def hat(a: Array) -> Array:
    """Matrices (…, 3, 3) of cross products: hat(a) b = a × b.

    >>> hat(np.array([0.0, 0.0, 1.0])) @ [1.0, 0.0, 0.0]
    array([0., 1., 0.])
    """
    out = np.zeros((*a.shape, 3))
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    out[..., 0, 1], out[..., 0, 2], out[..., 1, 2] = -z, y, -x
    out[..., 1, 0], out[..., 2, 0], out[..., 2, 1] = z, -y, x
    return out


def adjoint(R: Array, p: Array) -> Array:
    """Ad (…, 6, 6) of a pose: a twist in the frame at p with axes R, as one in the frame that both are given in.

    >>> adjoint(np.eye(3), np.array([1.0, 0.0, 0.0])) @ [0, 0, 0, 0, 0, 1.0]  # turning about z, 1 m off
    array([ 0., -1.,  0.,  0.,  0.,  1.])
    """
    out = np.zeros((*R.shape[:-2], 6, 6))
    out[..., :3, :3] = out[..., 3:, 3:] = R
    out[..., :3, 3:] = hat(p) @ R
    return out


def bracket(X: Array) -> Array:
    """Matrices ad (…, 6, 6) of twists (…, 6): ad_X Y is the bracket of X and Y.

    >>> bracket(np.array([0, 0, 0, 0, 0, 1.0])) @ [1.0, 0, 0, 0, 0, 0]
    array([0., 1., 0., 0., 0., 0.])
    """
    out = np.zeros((*X.shape, 6))
    out[..., :3, :3] = out[..., 3:, 3:] = hat(X[..., 3:])
    out[..., :3, 3:] = hat(X[..., :3])
    return out


def structure(H: Array) -> Array:
    """Structure constants c (…, m, m, m) of the subgroup that H spans: [H_i, H_j] = Σ c[m, i, j] H_m.

    >>> structure(np.asarray(SO3))[2, 0, 1], structure(np.asarray(SO3))[2, 1, 0]
    (np.float64(1.0), np.float64(-1.0))
    """
    columns = np.swapaxes(H, -1, -2)  # (…, m, 6)
    brackets = bracket(columns) @ H[..., None, :, :]  # (…, i, 6, j)
    return np.einsum("...ma,...iaj->...mij", np.linalg.pinv(H), brackets)


def checked_selection(selection: ArrayLike) -> Array:
    """A selection matrix (6, m), if its columns span a subgroup; raises InputError."""
    H = real_numbers("selection", selection, "(6, m)").astype(float)
    if H.ndim != 2 or H.shape[0] != 6 or H.shape[1] > 6:
        raise InputError(f"selection: expected shape (6, m), twists of the base as columns, got {H.shape}")
    if not np.isfinite(H).all() or np.linalg.matrix_rank(H) < H.shape[1]:
        raise InputError("selection: expected finite columns that are independent of each other")
    for a in H.T:
        closed = bracket(a) @ H
        if np.abs(H @ (np.linalg.pinv(H) @ closed) - closed).max(initial=0.0) > 1e-9 * max(1.0, np.abs(H).max()) ** 2:
            raise InputError(
                "selection: its columns do not span a subgroup of SE(3): the bracket of two of them is no combination "
                "of them all; add what is missing, or take SE3, SO3 or SE2 of spacedyn.lagrangian"
            )
    return H
