"""Forward dynamics by a filter from the leaves to the base and a smoother back."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...kernels.robot import layout as t
from ...kernels.robot import operators as _operators
from ...quantities.calls import finite_operand, for_robots, gravity_vector, with_wrenches
from ...quantities.dynamics import passive_force
from ...signatures import checked_arguments
from .spatial import SpatialOperators

Array = np.ndarray


class Smoothed(NamedTuple):
    """Forward dynamics as a filter from the leaves to the base and a smoother back."""

    udot: Array  # (…, nv) accelerations
    innovations: Array  # (…, nv) T - H z: joint forces that are left over after the filter's prediction
    nu: Array  # (…, nv) D⁻¹ times these: accelerations that a joint would have if its parent were held
    z: Array  # (…, bodies, 6) psi (p + K T): forces on all bodies, by the filter
    alpha: Array  # (…, bodies, 6) psi' H' nu = phi' H' u': the bodies' accelerations that come from u'


@checked_arguments()
def filter_smoother(
    ops: SpatialOperators,
    tau: ArrayLike | None = None,
    *,
    base_wrench: ArrayLike | None = None,
    endpoint_wrenches: Any = None,
    gravity: ArrayLike | None = None,
    passive: bool = True,
) -> Smoothed:
    """Accelerations by a filter and a smoother, O(n): z = psi (p + K T), ν = D⁻¹ (T - H z), u' = ν - K' psi' H' ν.

    p are the forces that the bodies' motion takes without any u', less wrenches: `motion_forces`.

    Parameters
    ----------
    ops : SpatialOperators
        Of one state or a batch.
    tau, base_wrench, endpoint_wrenches, gravity, passive
        As in `spacedyn.forward_dynamics`, which takes the same way without showing it.

    Returns
    -------
    Smoothed
        `udot` (…, nv), `innovations` and `nu` (…, nv), `z` and `alpha` (…, bodies, 6), linear before angular.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state = robot.random_state(np.random.default_rng(0))
    >>> ops = sd.operators.SpatialOperators(robot, state)
    >>> np.allclose(sd.operators.filter_smoother(ops, np.ones(6)).udot, sd.forward_dynamics(robot, state, np.ones(6)))
    True
    """
    model, state = ops.model, ops.state
    T = np.zeros((*state.shape, model.nv))
    if tau is not None:
        T[..., model.base_dof :] = finite_operand("tau", tau, model.nv - model.base_dof, state)
    if passive:
        T += passive_force(model, state)
    p = motion_forces(ops, base_wrench=base_wrench, endpoint_wrenches=endpoint_wrenches, gravity=gravity)
    z = ops.psi @ (p.reshape(*state.shape, 6 * len(model.bodies)) + ops.K @ T)
    innovations = T - ops.H @ z
    nu = ops.D_inverse @ innovations
    alpha = ops.psi.T @ ops.H.T @ nu
    udot = nu - ops.K.T @ alpha
    return Smoothed(udot, innovations, nu, *(a.reshape(*state.shape, len(model.bodies), 6) for a in (z, alpha)))


@checked_arguments()
def motion_forces(
    ops: SpatialOperators,
    *,
    base_wrench: ArrayLike | None = None,
    endpoint_wrenches: Any = None,
    gravity: ArrayLike | None = None,
) -> Array:
    """Forces p (…, bodies, 6) that each body's motion takes while no rate changes, less what acts on it.

    (force; moment) [N, N m], inertial axes, about the points that `ops` is about. H @ phi @ p is `spacedyn.bias_force`
    if there are no wrenches. Gravity counts as an acceleration by -g. `base_wrench`, `endpoint_wrenches` and `gravity`
    are as in `forward_dynamics`.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state = robot.random_state(np.random.default_rng(0))
    >>> ops = sd.operators.SpatialOperators(robot, state)
    >>> np.allclose(ops.H @ ops.phi @ sd.operators.motion_forces(ops).ravel(), sd.bias_force(robot, state))
    True
    """
    model, state, flat = ops.model, ops.state, ops.model.flat
    wrenches, options = np.empty(0), _operators.ABOUT_BASE if ops.about == "base" else 0
    if base_wrench is not None or endpoint_wrenches is not None:
        nothing = np.empty((*state.shape, 0))
        wrenches, options = with_wrenches(model, state, nothing, base_wrench, endpoint_wrenches), options | t.LOADED
    par = flat.par if gravity is None else flat.with_gravity(gravity_vector(gravity))
    out = np.empty(state.count * 6 * len(model.bodies))
    work = flat.scratch(ops._lanes)
    count, kernel = state.count, _operators.forces
    for_robots(count, kernel, flat.tree, par, work, state._rows, wrenches, out, count, options, ops._kind)
    rows = ops._in_models_order(out.reshape(state.count, 6 * len(model.bodies)))
    return rows.reshape(*state.shape, len(model.bodies), 6)
