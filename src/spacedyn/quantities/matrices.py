"""Matrices of the equations of motion: mass matrix, its blocks, its inverse and products with it, Coriolis matrix.

Every function takes one state or a batch, and returns the same batch.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..kernels.robot import coriolis as _coriolis
from ..kernels.robot import inertia as _inertia
from ..kernels.robot import mass_matrix_inverse as _mass_matrix_inverse
from ..model.model import Model
from ..model.state import FlatState, State
from ..reals import real_numbers
from ..signatures import readable_signature
from .calls import check_state, finite_operand, run_on_states

Array = np.ndarray


def mass_matrix(model: Model, state: State) -> Array:
    """Mass matrix H(x), (…, nv, nv), symmetric, both triangles filled; kinetic energy is u.H u / 2.

    Blocks for a free base: `Hb = H[:6, :6]`, `Hbm = H[:6, 6:]`, `Hm = H[6:, 6:]`: see `mass_matrix_blocks`.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> H = sd.mass_matrix(robot, robot.neutral_state())
    >>> H.shape, bool(np.isclose(H[0, 0], robot.total_mass))
    ((7, 7), True)
    """
    here = check_state(model, state)
    nv = here.flat.rates
    return run_on_states(_inertia.run, here, (), (), (nv, nv), nv * nv)


def coriolis_matrix(model: Model, state: State) -> Array:
    """Coriolis matrix C(x, u), (…, nv, nv): C u is the bias force without gravity, and Ḣ - 2C is skew.

    Parameters
    ----------
    model, state
        The robot; one state or a batch.

    Returns
    -------
    (…, nv, nv)
        Rows as the forces (on the base at its centre of mass, inertial axes, as far as it can move; then of the
        joints), columns as u = (v0, ω0, q̇). A robot's velocity v0 changes nothing: its columns are zero.

    Notes
    -----
    Many matrices give the same product C u. This is the one that Newton's law has for the points of mass: with
    ṙ = J u for each of them, H = ∫ J'J dm and C = ∫ J'J̇ dm, hence Ḣ = C + C'. It is the connection of the kinetic
    energy [1]_: where all rates are derivatives of coordinates (a fixed base, no spherical or free joints) its entries
    are those of Christoffel's symbols, Σ (∂H_ij/∂q_k + ∂H_ik/∂q_j - ∂H_jk/∂q_i) q̇_k / 2. Rates w other than u may be
    put into C(x, u) w, as controllers do that follow a reference. Rotors add nothing. docs/theory/lagrangian.md.

    .. [1] S. Echeandia and P. M. Wensing, Numerical methods to compute the Coriolis matrix and Christoffel symbols for
       rigid-body systems, Journal of Computational and Nonlinear Dynamics 16, 2021.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state = robot.random_state(np.random.default_rng(0))
    >>> C = sd.coriolis_matrix(robot, state)
    >>> C.shape, np.allclose(C @ state.u, sd.bias_force(robot, state))
    ((12, 12), True)
    """
    here = check_state(model, state)
    nv = here.flat.rates
    return run_on_states(_coriolis.run, here, (), (), (nv, nv), nv * nv)


class MassMatrixBlocks(NamedTuple):
    """The mass matrix in SpaceDyn's blocks."""

    Hb: Array  # (…, base, base) the robot as one rigid body
    Hbm: Array  # (…, base, joints) coupling
    Hm: Array  # (…, joints, joints)


def mass_matrix_blocks(model: Model, state: State) -> MassMatrixBlocks:
    """The mass matrix as (Hb, Hbm, Hm): base, coupling, joints.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> [block.shape for block in sd.mass_matrix_blocks(robot, robot.neutral_state())]
    [(6, 6), (6, 6), (6, 6)]
    """
    H, b = mass_matrix(model, state), model.base_dof
    return MassMatrixBlocks(H[..., :b, :b], H[..., :b, b:], H[..., b:, b:])


def mass_matrix_inverse(model: Model, state: State) -> Array:
    """Inverse of the mass matrix, (…, nv, nv), by nv solutions in O(n) each.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state = robot.random_state(np.random.default_rng(0))
    >>> np.allclose(sd.mass_matrix_inverse(robot, state) @ sd.mass_matrix(robot, state), np.eye(12), atol=1e-11)
    True
    """
    here = check_state(model, state)
    unit = np.broadcast_to(np.eye(model.nv), (*state.shape, model.nv, model.nv))
    return _products(here, unit)


@readable_signature
def mass_matrix_inverse_product(model: Model, state: State, vectors: ArrayLike) -> Array:
    """H⁻¹ times one vector (…, nv), or the columns of a matrix (…, nv, m), in O(n) each, without forming H.

    An array of the shape (…, nv) over the state's own batch axes is taken as vectors.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state, force = robot.neutral_state(), np.arange(12.0)
    >>> np.allclose(sd.mass_matrix(robot, state) @ sd.mass_matrix_inverse_product(robot, state, force), force)
    True
    """
    here = check_state(model, state)
    array = real_numbers("vectors", vectors, f"(…, {model.nv}) or (…, {model.nv}, m)")
    if array.ndim <= len(state.shape) + 1:
        rows = finite_operand("vectors", array, model.nv, state)
        return _products(here, rows[..., None, :])[..., 0, :]
    columns = (*state.shape, model.nv, array.shape[-1])
    if array.shape[-2] != model.nv or array.ndim > len(columns):
        raise InputError(f"vectors: expected shape (…, {model.nv}) or (…, {model.nv}, m), got {array.shape}")
    try:
        rows = np.broadcast_to(array, columns)
    except ValueError:
        raise InputError(f"vectors: expected shape {columns} or {columns[-2:]}, got {array.shape}") from None
    if not np.isfinite(rows).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(rows))[0])
        raise InputError(f"vectors: {rows[place]} at index {place}; every number must be finite")
    return np.swapaxes(_products(here, np.swapaxes(rows, -1, -2)), -1, -2)


def _products(state: FlatState, vectors: Array) -> Array:
    """H⁻¹ times each of the rows (…, m, nv)."""
    many, nv = vectors.shape[-2:]
    rows = np.array(vectors, dtype=float, order="C").reshape(-1)
    return run_on_states(_mass_matrix_inverse.run, state, (rows,), (many,), (many, nv))
