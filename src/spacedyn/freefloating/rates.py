"""Velocity and acceleration of an endpoint on a free-floating base, and the rate of the generalized Jacobian.

    v = J* q̇ + J_b Hb⁻¹ (P; L),   J* = J_m + J_b K,   K = -Hb⁻¹ Hbm

with L about the base's centre of mass. Differentiated, with Ḣb K + Hb K̇ = -Ḣbm; Ḣb and Ḣbm are rows of the momentum
matrix' rate. All rates are exact: those of differentiated recursions, no differences.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..model.model import Model
from ..model.state import State
from ..model.state_parts import BASE_RATES
from ..quantities.calls import finite_operand, finite_results
from ..quantities.freefloating import base_recoil
from ..quantities.kinematics import endpoint_jacobian, endpoint_jacobian_rate
from ..quantities.momentum import momentum, momentum_matrix, momentum_matrix_rate
from ..signatures import checked_arguments

Array = np.ndarray


class EndpointVelocity(NamedTuple):
    """An endpoint's velocity (linear; angular) [m/s, rad/s], inertial axes, and what it is made of."""

    total: Array  # (…, 6) joints + momentum
    joints: Array  # (…, 6) J* q̇: what the joints do, recoil included
    momentum: Array  # (…, 6) J_b Hb⁻¹ (P; L): the drift of the robot as one rigid body


class EndpointAcceleration(NamedTuple):
    """An endpoint's acceleration (linear; angular) [m/s², rad/s²], inertial axes, and what it is made of."""

    total: Array  # (…, 6) the sum of the others
    joints: Array  # (…, 6) J* q̈
    rates: Array  # (…, 6) (dJ*/dt) q̇
    momentum: Array  # (…, 6) d/dt of J_b Hb⁻¹ (P; L) while nothing acts from outside; zero without momentum


@checked_arguments("endpoint")
@finite_results
def generalized_jacobian_rate(model: Model, state: State, endpoint: str) -> Array:
    """Time rate (…, 6, joints) of the generalized Jacobian along the motion of the state.

    Parameters
    ----------
    model, state
        A robot whose base is not fixed; one state or a batch. Its rates u, the base's among them, say where it moves:
        with momentum, J* changes by the drift too.
    endpoint : str
        Its name.

    Returns
    -------
    (…, 6, joints)
        dJ*/dt, rows (linear; angular) in inertial axes, columns in the order of q̇. While momentum is zero, the
        endpoint's acceleration is J* q̈ + (dJ*/dt) q̇; `endpoint_acceleration` has what momentum adds.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state = robot.random_state(np.random.default_rng(0))
    >>> rate = sd.freefloating.generalized_jacobian_rate(robot, state, "hand")
    >>> before, after = (state.integrate(h * state.u) for h in (-1e-5, 1e-5))
    >>> change = sd.generalized_jacobian(robot, after, "hand") - sd.generalized_jacobian(robot, before, "hand")
    >>> np.allclose(rate, change / 2e-5, atol=1e-8)
    True
    """
    K = base_recoil(model, state)
    J, Jdot = endpoint_jacobian(model, state, endpoint), endpoint_jacobian_rate(model, state, endpoint)
    b = model.base_dof
    return Jdot[..., b:] + Jdot[..., :b] @ K + J[..., :b] @ _recoil_rate(model, state, K)


@checked_arguments("endpoint")
@finite_results
def endpoint_velocity(model: Model, state: State, endpoint: str) -> EndpointVelocity:
    """Velocity of an endpoint, as what the joints do and what momentum does.

    Parameters
    ----------
    model, state
        A robot whose base is not fixed; one state or a batch.
    endpoint : str
        Its name.

    Returns
    -------
    EndpointVelocity
        `total`, `joints` = J* q̇ and `momentum` = J_b Hb⁻¹ (P; L), each (…, 6): linear [m/s], then angular [rad/s],
        inertial axes. L is about the base's centre of mass. `total` is what `sd.endpoint_velocity` gives.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state = robot.state(q=[0.3, 0.4, -0.8, 0.2, 0.4, 0.1], qd=np.ones(6), base_velocity=[0.1, 0, 0])
    >>> v = sd.freefloating.endpoint_velocity(robot, state, "hand")
    >>> np.allclose(v.total, sd.endpoint_velocity(robot, state, "hand")), np.allclose(v.joints + v.momentum, v.total)
    (True, True)
    """
    K, J, b = base_recoil(model, state), endpoint_jacobian(model, state, endpoint), model.base_dof
    joints = _product(J[..., b:] + J[..., :b] @ K, state.qd)
    drift = _product(J[..., :b], state.u[..., :b] - _product(K, state.qd))
    return EndpointVelocity(joints + drift, joints, drift)


@checked_arguments("endpoint")
@finite_results
def endpoint_acceleration(model: Model, state: State, qdd: ArrayLike, endpoint: str) -> EndpointAcceleration:
    """Acceleration of an endpoint for joint accelerations, while nothing acts on the robot from outside.

    Parameters
    ----------
    model, state
        A robot whose base is not fixed; one state or a batch.
    qdd : (…, joints)
        Joint accelerations [rad/s², m/s²], in the order of q̇.
    endpoint : str
        Its name.

    Returns
    -------
    EndpointAcceleration
        `total`, `joints` = J* q̈, `rates` = (dJ*/dt) q̇ and `momentum`, the rate of J_b Hb⁻¹ (P; L), each (…, 6):
        linear [m/s²], then angular [rad/s²], inertial axes.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state = robot.random_state(np.random.default_rng(0))
    >>> udot = sd.forward_dynamics(robot, state, np.ones(6))  # joint forces alone
    >>> a = sd.freefloating.endpoint_acceleration(robot, state, udot[6:], "hand")
    >>> np.allclose(a.total, sd.endpoint_acceleration(robot, state, udot, "hand"))
    True
    """
    K, b = base_recoil(model, state), model.base_dof
    qdd = finite_operand("qdd", qdd, model.nv - b, state)
    J, Jdot = endpoint_jacobian(model, state, endpoint), endpoint_jacobian_rate(model, state, endpoint)
    Jb, Jb_rate = J[..., :b], Jdot[..., :b]
    joints = _product(J[..., b:] + Jb @ K, qdd)
    rates = _product(Jdot[..., b:] + Jb_rate @ K + Jb @ _recoil_rate(model, state, K), state.qd)
    drift = state.u[..., :b] - _product(K, state.qd)
    kept = _product(Jb_rate, drift) + _product(Jb, _drift_rate(model, state, drift))
    return EndpointAcceleration(joints + rates + kept, joints, rates, kept)


def _rows(model: Model, matrix: Array) -> Array:
    """Of a momentum matrix about the base, the rows that belong to the base's rates: [Hb Hbm], or its rate."""
    return matrix[..., list(BASE_RATES[model.base_kind]), :]


def _recoil_rate(model: Model, state: State, K: Array) -> Array:
    """K̇ = -Hb⁻¹ (Ḣbm + Ḣb K)."""
    b = model.base_dof
    H = _rows(model, momentum_matrix(model, state, about="base"))
    rate = _rows(model, momentum_matrix_rate(model, state, about="base"))
    return -np.linalg.solve(H[..., :b], rate[..., b:] + rate[..., :b] @ K)


def _drift_rate(model: Model, state: State, drift: Array) -> Array:
    """Rate of Hb⁻¹ (P; L): P is conserved, and so is L about a fixed point; about the base, L changes by -v0 × P."""
    b = model.base_dof
    Hb = _rows(model, momentum_matrix(model, state, about="base"))[..., :b]
    Hb_rate = _rows(model, momentum_matrix_rate(model, state, about="base"))[..., :b]
    P = momentum(model, state, about="base")[..., :3]
    change = np.concatenate([np.zeros_like(P), -np.cross(state.base_velocity, P)], axis=-1)
    change = change[..., list(BASE_RATES[model.base_kind])]
    return np.linalg.solve(Hb, (change - _product(Hb_rate, drift))[..., None])[..., 0]


def _product(matrix: Array, vector: Array) -> Array:
    return (matrix @ vector[..., None])[..., 0]
