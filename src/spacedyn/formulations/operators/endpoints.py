"""Operational-space inertia of endpoints, and its inverse."""

from collections.abc import Sequence

import numpy as np

from ...errors import InputError
from ...signatures import checked_arguments
from .spatial import SpatialOperators

Array = np.ndarray


@checked_arguments()
def operational_compliance(ops: SpatialOperators, endpoints: Sequence[str] | None = None) -> Array:
    """J H⁻¹ J' of a set of endpoints, (…, 6 m, 6 m): accelerations per unit of wrenches, O(n) for each column.

    B' psi' H' D⁻¹ H psi B: block (i, j) says how endpoint i gives way to a wrench at endpoint j.

    Parameters
    ----------
    ops : SpatialOperators
        Of one state or a batch.
    endpoints : names, optional
        In the order in which their blocks come; all of the model's if left out.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state = robot.random_state(np.random.default_rng(0))
    >>> ops, J = sd.operators.SpatialOperators(robot, state), sd.endpoint_jacobian(robot, state, "hand")
    >>> np.allclose(sd.operators.operational_compliance(ops, ["hand"]), J @ sd.mass_matrix_inverse(robot, state) @ J.T)
    True
    """
    model, state = ops.model, ops.state
    names = model.endpoint_names if endpoints is None else endpoints
    if isinstance(names, str):
        raise InputError(f"endpoints: expected a list of names such as [{names!r}], got the name alone")
    chosen = [6 * model.endpoint_index(name) + j for name in names for j in range(6)]
    unit = np.broadcast_to(
        np.eye(ops.size("endpoint wrenches"))[:, chosen], (*state.shape, 6 * len(model.endpoints), len(chosen))
    )
    give_way = ops.B.T @ ops.psi.T @ ops.H.T @ ops.D_inverse @ ops.H @ ops.psi @ ops.B
    return (give_way @ unit)[..., chosen, :]


@checked_arguments()
def operational_inertia(ops: SpatialOperators, endpoints: Sequence[str] | None = None) -> Array:
    """(J H⁻¹ J')⁻¹ of a set of endpoints, (…, 6 m, 6 m): the inertia that is felt at them.

    Parameters
    ----------
    ops, endpoints
        As in `operational_compliance`.

    Raises
    ------
    InputError
        The endpoints cannot move independently in all 6 m directions.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> ops = sd.operators.SpatialOperators(robot, robot.state(q=[0, 0.4, -0.8, 0, 0.4, 0]))
    >>> felt = sd.operators.operational_inertia(ops, ["hand"])
    >>> bool(felt[0, 0] < robot.total_mass)
    True
    """
    compliance = operational_compliance(ops, endpoints)
    size = compliance.shape[-1]
    if size and compliance.size:
        scale = np.sqrt(np.maximum(np.einsum("...ii->...i", compliance), np.finfo(float).tiny))
        rank = np.linalg.matrix_rank(compliance / (scale[..., :, None] * scale[..., None, :]), tol=1e-10)
        if rank.min() < size:
            raise InputError(
                f"operational_inertia: the endpoints can move in {rank.min()} of {size} directions only; take the "
                "rows and columns that can move from operational_compliance, and invert these"
            )
    return np.linalg.inv(compliance)
