"""Generalized inertia forces and generalized active forces."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...model.model import Model
from ...model.parts import Endpoint, stacked
from ...model.state import State
from ...quantities.calls import check_state, finite_operand, finite_results, gravity_vector, with_wrenches
from ...quantities.dynamics import passive_force
from ...quantities.kinematics import forward_kinematics
from ...signatures import checked_arguments
from .partial import jacobians_of, jacobians_of_bodies

Array = np.ndarray


@finite_results
def generalized_inertia_forces(model: Model, state: State, udot: ArrayLike) -> Array:
    """F*_r (…, nv) for all rates: -Σ (m a · v_r + (I α + ω × I ω) · ω_r), and -J u'_r for rotors behind gears.

    Parameters
    ----------
    model, state
        The robot; one state or a batch.
    udot : (…, nv)
        Accelerations (v̇0, ω̇0, q̈).

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state = robot.random_state(np.random.default_rng(0))
    >>> udot = np.arange(12.0)
    >>> np.allclose(sd.kane.generalized_inertia_forces(robot, state, udot), -sd.inverse_dynamics(robot, state, udot))
    True
    """
    check_state(model, state)
    accelerations = finite_operand("udot", udot, model.nv, state)
    J, (mass, inertia) = jacobians_of_bodies(model, state), weighed_bodies(model, state)
    motion = forward_kinematics(model, state, accelerations).centroids
    assert motion.acceleration is not None
    a, alpha, w = motion.acceleration[..., :3], motion.acceleration[..., 3:], motion.velocity[..., 3:]
    force = -mass * a
    moment = -(_times(inertia, alpha) + np.cross(w, _times(inertia, w)))
    total = np.einsum("...bij,...bi->...j", J, np.concatenate([force, moment], axis=-1))
    return total - rotors(model) * accelerations


@checked_arguments()
@finite_results
def generalized_active_forces(
    model: Model,
    state: State,
    tau: ArrayLike | None = None,
    *,
    base_wrench: ArrayLike | None = None,
    endpoint_wrenches: Any = None,
    gravity: ArrayLike | None = None,
    passive: bool = True,
) -> Array:
    """F_r (…, nv) for all rates: joint forces, wrenches, weights and the joints' own springs and dampers.

    Arguments as in `forward_dynamics`. Forces that joints' constraints transmit do not contribute.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("tian_wu")
    >>> F = sd.kane.generalized_active_forces(robot, robot.neutral_state(), [1, 2, 3], gravity=[0, -10, 0])
    >>> np.allclose(F[1], -10 * robot.total_mass), np.allclose(F[8], 3 - 5 * 10 * 0.25)
    (True, True)
    """
    check_state(model, state)
    nv, b = model.nv, model.base_dof
    F = np.zeros((*state.shape, nv))
    if tau is not None:
        F[..., b:] = finite_operand("tau", tau, nv - b, state)
    if passive:
        F += passive_force(model, state)
    if gravity is not None:
        weights = stacked(model.bodies, "mass")[..., None] * gravity_vector(gravity)
        F += np.einsum("...bij,...bi->...j", jacobians_of_bodies(model, state)[..., :3, :], weights)
    if base_wrench is not None or endpoint_wrenches is not None:
        nothing = np.empty((*state.shape, 0))
        wrenches = with_wrenches(model, state, nothing, base_wrench, endpoint_wrenches)
        hosts = [0, *(model.body_index(e.body) for e in model.endpoints)]
        host = Endpoint("", model.body_names[0], model.bodies[0].com, np.eye(3))
        points = stacked([host, *model.endpoints], "position")
        J = jacobians_of(model, state, hosts, points)
        F += np.einsum("...eij,...ei->...j", J, wrenches.reshape(*state.shape, len(hosts), 6))
    return F


def weighed_bodies(model: Model, state: State) -> tuple[Array, Array]:
    """Masses (…, bodies, 1) and inertias (…, bodies, 3, 3) about centres of mass in inertial axes."""
    R = forward_kinematics(model, state).bodies.rotation
    inertia = stacked(model.bodies, "inertia")
    return stacked(model.bodies, "mass")[..., None], R @ inertia @ np.swapaxes(R, -1, -2)


def rotors(model: Model) -> Array:
    """(…, nv) gear² × rotor inertia."""
    each = [np.zeros(model.base_dof), *(j.gear**2 * j.rotor_inertia for j in model.joints)]
    return np.concatenate([np.broadcast_to(a, (*model.shape, a.shape[-1])) for a in each], axis=-1)


def _times(matrices: Array, vectors: Array) -> Array:
    return (matrices @ vectors[..., None])[..., 0]
