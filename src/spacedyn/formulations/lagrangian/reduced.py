"""A free-floating robot with its base, or its translation, eliminated by the momentum.

    v = P q̇ + N ξ,  P = [-M_VV⁻¹ M_Vq; 1],  N = [M_VV⁻¹; 0],  ξ = (M v)_V the momentum in the base's axes

P'M = [0 M_r], so P' times the equations of motion has no acceleration of the base, and P'M Ṗ = P'M Ṅ = 0:

    M_r q̈ + C_r q̇ + G ξ = τ_q,    M_r = P'M P,  C_r = P'C(v) P,  G = P'C(v) N

From et al. (2011), (28) and (34)-(35), for momentum of any size: theirs are for none, and (34) lacks an inverse.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InputError
from ...model.model import Model
from ...model.parts import stacked
from ...model.state import State
from ...quantities.calls import finite_operand, finite_results
from .equations import coriolis_of, inertia_derivatives, inertia_of
from .geometry import Geometry, base_twist, geometry_of

Array = np.ndarray


class Reduced(NamedTuple):
    """M q̈ + C q̇ + force = τ_q, and V = recoil q̇ + drift."""

    M: Array  # (…, n, n) what the joints feel on a floating base
    C: Array  # (…, n, n) with Ṁ - 2C skew
    force: Array  # (…, n) that momentum alone exerts; zero without momentum
    recoil: Array  # (…, 6, n) the base's twist per unit of joint rates
    drift: Array  # (…, 6) the base's twist by momentum, while the joints rest


class Attitude(NamedTuple):
    """M ν̇ + C ν = τ for ν = (ω, q̇), and the base's velocity = recoil ν, the centre of mass being at rest."""

    M: Array  # (…, 3 + n, 3 + n) about the robot's centre of mass
    C: Array  # (…, 3 + n, 3 + n) with Ṁ - 2C skew
    recoil: Array  # (…, 3, 3 + n)


@finite_results
def reduced_equations(model: Model, state: State, momentum: ArrayLike | None = None) -> Reduced:
    """The joints' own equations of motion while nothing acts on a free base.

    Parameters
    ----------
    model, state
        A robot with a free base; one state or a batch.
    momentum : (…, 6), optional
        (P; L) [N s, N m s] in inertial axes, L about the robot's centre of mass: what stays constant. Left out, it is
        the state's own; with zeros these are the equations of a robot that was at rest once. If given, the base
        moves as it must for the state's q̇ and this momentum, whatever the state says.

    Returns
    -------
    Reduced
        M (…, n, n), C (…, n, n), force (…, n), and the base's twist (…, 6) in its axes about its centre of mass as
        recoil q̇ + drift.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state, tau = robot.random_state(np.random.default_rng(0)), np.ones(6)
    >>> r = sd.lagrangian.reduced_equations(robot, state)
    >>> qdd = np.linalg.solve(r.M, tau - r.C @ state.qd - r.force)
    >>> np.allclose(qdd, sd.forward_dynamics(robot, state, tau)[6:])
    True
    >>> np.allclose(r.M, sd.generalized_inertia(robot, state))
    True
    """
    g = _floating(model, state)
    M, qd = inertia_of(g), state.qd
    if momentum is None:
        v = np.concatenate([base_twist(g, state), qd], axis=-1)
        xi = (M @ v[..., None])[..., :6, 0]
    else:
        xi = _about_base(g, finite_operand("momentum", momentum, 6, state))
    recoil = -np.linalg.solve(M[..., :6, :6], M[..., :6, 6:])
    drift = np.linalg.solve(M[..., :6, :6], xi[..., None])[..., 0]
    v = np.concatenate([(recoil @ qd[..., None])[..., 0] + drift, qd], axis=-1)
    C = coriolis_of(g, inertia_derivatives(g), v, "christoffel")
    P = _below(recoil)
    back = np.swapaxes(P, -1, -2) @ C
    return Reduced(_sandwich(P, M), back @ P, (back[..., :6] @ drift[..., None])[..., 0], recoil, drift)


@finite_results
def attitude_equations(model: Model, state: State) -> Attitude:
    """Attitude and joints of a robot with a free base, its translation eliminated by the linear momentum.

    With no force on it the centre of mass moves evenly, and how fast it does so changes nothing in these equations:
    M ν̇ + C ν = (moment about the robot's centre of mass; joint forces), ν = (ω, q̇) with ω in the base's axes. A
    base that turns about a fixed point (`selection=SO3`) has another M: that one's translation is held, not free.

    Parameters
    ----------
    model, state
        A robot with a free base; one state or a batch.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state, tau = robot.random_state(np.random.default_rng(0)), np.ones(6)
    >>> a = sd.lagrangian.attitude_equations(robot, state)
    >>> v = sd.lagrangian.velocity(robot, state)[3:]
    >>> acceleration = np.linalg.solve(a.M, np.append(np.zeros(3), tau) - a.C @ v)
    >>> np.allclose(acceleration[3:], sd.forward_dynamics(robot, state, tau)[6:])
    True
    """
    g = _floating(model, state)
    M, v = inertia_of(g), np.concatenate([base_twist(g, state), state.qd], axis=-1)
    recoil = -np.linalg.solve(M[..., :3, :3], M[..., :3, 3:])
    P = _below(recoil)
    C = coriolis_of(g, inertia_derivatives(g), v, "christoffel")
    return Attitude(_sandwich(P, M), _sandwich(P, C), recoil)


def _floating(model: Model, state: State) -> Geometry:
    g = geometry_of(model, state, None)
    if model.base_kind != "free":
        raise InputError(f"'{model.name}' has a base of kind '{model.base_kind}', not a free one: it keeps no momentum")
    return g


def _below(recoil: Array) -> Array:
    """[recoil; 1]."""
    n = recoil.shape[-1]
    return np.concatenate([recoil, np.broadcast_to(np.eye(n), (*recoil.shape[:-2], n, n))], axis=-2)


def _sandwich(P: Array, A: Array) -> Array:
    return np.swapaxes(P, -1, -2) @ A @ P


def _about_base(g: Geometry, momentum: Array) -> Array:
    """(P; L) about the robot's centre of mass in inertial axes, as ξ: about the base's, in the base's axes."""
    masses = stacked(g.model.bodies, "mass")
    centre = np.einsum("...b,...bi->...i", masses, g.centres) / masses.sum(axis=-1)[..., None]
    P, L = np.moveaxis(np.einsum("...ji,...kj->...ki", g.attitude, momentum.reshape(*momentum.shape[:-1], 2, 3)), -2, 0)
    return np.concatenate([P, L + np.cross(centre, P)], axis=-1)
