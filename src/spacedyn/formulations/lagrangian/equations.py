"""M(q), its partial derivatives, C(q, v) and the accelerations, in closed form.

    M = Σ W_i' I_i W_i                        ∂_k M = Σ W_i' I_i E_ik + E_ik' I_i W_i      E_ik = ∂_k W_i - ad_Xk W_i

From et al. (2011), (9), (10) and (36) with their Proposition 1, where W_i and I_i are seen from the base: as the pose
of body i changes with rate k, so does Ad_gib, by -Ad_gib ad_Xk. ∂_k W_i is ad_Xk on the columns that rate k moves,
which then cancel: E_ik has only the others.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InputError
from ...model.model import Model
from ...model.parts import stacked
from ...model.state import State
from ...model.state_parts import BASE_RATES
from ...quantities.calls import finite_operand, finite_results, gravity_vector, with_wrenches
from ...quantities.dynamics import passive_force
from ...signatures import checked_arguments
from .geometry import LEVI_CIVITA, Geometry, base_twist, geometry_of
from .twists import bracket, structure

Array = np.ndarray


@finite_results
def velocity(model: Model, state: State, selection: ArrayLike | None = None) -> Array:
    """Velocities v = (Ṽ, q̇), (…, m + n): the base's twist in its own axes, as the selection has it; joint rates.

    Parameters
    ----------
    model, state
        The robot; one state or a batch.
    selection : (6, m), optional
        Columns are twists of the base (linear; angular), in its axes about its centre of mass, that span a subgroup:
        V = H Ṽ. For a robot with a free base; left out, it is what the base can do (a planar base's first axes lie in
        its plane, its third is the normal).

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state = robot.random_state(np.random.default_rng(0))
    >>> v = sd.lagrangian.velocity(robot, state)
    >>> np.allclose(state.base_attitude.apply(v[:3]), state.base_velocity), np.allclose(v[6:], state.qd)
    (True, True)
    """
    return np.concatenate([base_twist(geometry_of(model, state, selection), state), state.qd], axis=-1)


@finite_results
def mass_matrix(model: Model, state: State, selection: ArrayLike | None = None) -> Array:
    """M(q), (…, m + n, m + n), of v = (Ṽ, q̇); kinetic energy is v.M v / 2. It does not depend on the base's pose.

    Parameters
    ----------
    model, state, selection
        As in `velocity`.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state = robot.random_state(np.random.default_rng(0))
    >>> v, M = sd.lagrangian.velocity(robot, state), sd.lagrangian.mass_matrix(robot, state)
    >>> bool(np.isclose(v @ M @ v / 2, sd.kinetic_energy(robot, state)))
    True
    """
    return inertia_of(geometry_of(model, state, selection))


@finite_results
def mass_matrix_derivatives(model: Model, state: State, selection: ArrayLike | None = None) -> Array:
    """∂M/∂q_k, (…, n, m + n, m + n), one for each joint rate k, by the derivatives of adjoint matrices.

    For a rate that is an angular velocity (spherical and free joints) it is the derivative along the motion that the
    rate gives: a turn about an axis of the child.

    Parameters
    ----------
    model, state, selection
        As in `velocity`.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state = robot.random_state(np.random.default_rng(0))
    >>> derivatives = sd.lagrangian.mass_matrix_derivatives(robot, state)
    >>> step = 1e-6 * np.eye(12)[8]  # the third joint
    >>> before, after = (sd.lagrangian.mass_matrix(robot, state.integrate(s)) for s in (-step, step))
    >>> np.allclose(derivatives[2], (after - before) / 2e-6, atol=1e-6)
    True
    """
    return inertia_derivatives(geometry_of(model, state, selection))


@checked_arguments()
@finite_results
def coriolis_matrix(
    model: Model, state: State, selection: ArrayLike | None = None, *, form: str = "christoffel"
) -> Array:
    """C(q, v), (…, m + n, m + n), of M v̇ + C v = τ.

    Parameters
    ----------
    model, state, selection
        As in `velocity`.
    form : 'christoffel' or 'paper'
        'christoffel': the one with Ṁ - 2C skew; the core's `coriolis_matrix` is the same in inertial axes. 'paper':
        From et al.'s (19) with its base block put right, of which only the product C v is the same.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state = robot.random_state(np.random.default_rng(0))
    >>> v = sd.lagrangian.velocity(robot, state)
    >>> C, D = (sd.lagrangian.coriolis_matrix(robot, state, form=form) for form in ("christoffel", "paper"))
    >>> np.allclose(C @ v, D @ v), np.allclose(C, D)
    (True, False)
    """
    if form not in ("christoffel", "paper"):
        raise InputError(f"form: expected 'christoffel' or 'paper', got {form!r}")
    g = geometry_of(model, state, selection)
    v = np.concatenate([base_twist(g, state), state.qd], axis=-1)
    return coriolis_of(g, inertia_derivatives(g), v, form)


@checked_arguments()
@finite_results
def forward_dynamics(
    model: Model,
    state: State,
    tau: ArrayLike | None = None,
    *,
    selection: ArrayLike | None = None,
    base_wrench: ArrayLike | None = None,
    endpoint_wrenches: Any = None,
    gravity: ArrayLike | None = None,
    passive: bool = True,
) -> Array:
    """Accelerations u' = (v̇0, ω̇0, q̈) from M v̇ + C v = τ, in the core's order and axes: a second `forward_dynamics`.

    Parameters
    ----------
    model, state, selection
        As in `velocity`. With a selection, whatever holds the base to its subgroup does so without friction.
    tau, base_wrench, endpoint_wrenches, gravity, passive
        As in `spacedyn.forward_dynamics`.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state, tau = robot.random_state(np.random.default_rng(0)), np.ones(6)
    >>> np.allclose(sd.lagrangian.forward_dynamics(robot, state, tau), sd.forward_dynamics(robot, state, tau))
    True
    """
    g = geometry_of(model, state, selection)
    m, V = g.m, base_twist(g, state)
    v = np.concatenate([V, state.qd], axis=-1)
    M = inertia_of(g)
    C = coriolis_of(g, inertia_derivatives(g), v, "christoffel")
    force = _forces(g, state, tau, base_wrench, endpoint_wrenches, gravity, passive)
    vdot = np.linalg.solve(M, force[..., None] - C @ v[..., None])[..., 0]
    V, Vdot = (g.H @ part[..., None] for part in (V, vdot[..., :m]))
    linear = Vdot[..., :3, 0] + np.cross(V[..., 3:, 0], V[..., :3, 0])  # of v0 = R V: both of them change
    both = np.concatenate([linear, Vdot[..., 3:, 0]], axis=-1).reshape(*state.shape, 2, 3)
    base = np.einsum("...ij,...kj->...ki", g.attitude, both).reshape(*state.shape, 6)
    return np.concatenate([base[..., list(BASE_RATES[model.base_kind])], vdot[..., m:]], axis=-1)


def inertia_of(g: Geometry) -> Array:
    """Σ W_i' I_i W_i, and the rotors."""
    M = _inertia_of_bodies(g)
    rates = np.arange(g.m, M.shape[-1])
    M[..., rates, rates] += g.pattern.rotors
    return M


def _inertia_of_bodies(g: Geometry) -> Array:
    return np.einsum("...bic,...bid->...cd", g.W, g.inertia @ g.W, optimize=True)


def inertia_derivatives(g: Geometry) -> Array:
    """∂_k M for all joint rates."""
    n, size = g.X.shape[-1], g.W.shape[-1]
    out = np.empty((*g.X.shape[:-2], n, size, size))
    momenta, ad = g.inertia @ g.W, bracket(np.swapaxes(g.X, -1, -2))
    for k in range(n):
        carried = g.pattern.carries[:, k]
        stays = np.append(np.ones(g.m), ~g.pattern.moves[k])  # columns that rate k does not move
        E = -(ad[..., k, None, :, :] @ g.W[..., carried, :, :]) * stays
        half = np.einsum("...bic,...bid->...cd", momenta[..., carried, :, :], E, optimize=True)
        out[..., k, :, :] = half + np.swapaxes(half, -1, -2)
    return out


def coriolis_of(g: Geometry, derivatives: Array, v: Array, form: str) -> Array:
    """C(q, v) from M and its derivatives; rotors, which only resist their own rate, have no part in it.

    With U_ij = Σ ∂_j M_ik v_k, the brackets [e_k, e_j] = Σ c_mkj e_m of the base's and the balls' rates, (ad_v)_mj = Σ
    c_mkj v_k and K_ij = Σ c_mij (M v)_m, Koszul's formula reads C = (Ṁ + U - U' + M ad_v - ad_v' M + K) / 2; the
    paper's is C = Ṁ - U'/2 + K. For SE(3), K = -[0 ξ̂_v; ξ̂_v ξ̂_ω] with ξ = (M v)_V, where it prints -ad_ξ.
    """
    M, m, qd = _inertia_of_bodies(g), g.m, v[..., g.m :]
    rate = np.einsum("...kij,...k->...ij", derivatives, qd)
    U = np.zeros_like(M)
    U[..., m:] = np.swapaxes((derivatives @ v[..., None, :, None])[..., 0], -1, -2)
    momentum = (M @ v[..., None])[..., 0]
    ad, K = np.zeros_like(M), np.zeros_like(M)
    blocks = [(slice(0, m), structure(g.H))]
    blocks += [(slice(m + ball.start, m + ball.stop), LEVI_CIVITA) for ball in g.pattern.balls]
    for own, c in blocks:
        ad[..., own, own] = np.einsum("...mkj,...k->...mj", c, v[..., own])
        K[..., own, own] = np.einsum("...mij,...m->...ij", c, momentum[..., own])
    if form == "paper":
        return rate - 0.5 * np.swapaxes(U, -1, -2) + K
    turning = M @ ad
    return 0.5 * (rate + U - np.swapaxes(U, -1, -2) + turning - np.swapaxes(turning, -1, -2) + K)


def _forces(g: Geometry, state: State, tau: Any, base: Any, endpoints: Any, gravity: Any, passive: bool) -> Array:
    """τ (…, m + n): of the joints, and of wrenches and gravity through the bodies' twists."""
    model, batch = g.model, state.shape
    joints = np.zeros((*batch, g.X.shape[-1]))
    if tau is not None:
        joints = joints + finite_operand("tau", tau, joints.shape[-1], state)
    if passive:
        joints = joints + passive_force(model, state)[..., model.base_dof :]
    force = np.concatenate([np.zeros((*batch, g.m)), joints], axis=-1)
    count = 1 + len(model.endpoints)
    wrenches = with_wrenches(model, state, np.zeros((*batch, 0)), base, endpoints).reshape(*batch, count, 2, 3)
    wrenches = np.einsum("...ji,...ekj->...eki", g.attitude, wrenches)  # in the base's axes
    bodies = [0, *(model.body_index(e.body) for e in model.endpoints)]
    points = [np.zeros((*batch, 3))]
    for body, endpoint in zip(bodies[1:], model.endpoints, strict=True):
        points.append(g.positions[..., body, :] + (g.rotations[..., body, :, :] @ endpoint.position[..., None])[..., 0])
    moments = wrenches[..., 1, :] + np.cross(np.stack(points, axis=-2), wrenches[..., 0, :])
    loads = np.concatenate([wrenches[..., 0, :], moments], axis=-1)
    force += np.einsum("...eij,...ei->...j", g.W[..., bodies, :, :], loads)
    down = np.swapaxes(g.attitude, -1, -2) @ gravity_vector(gravity)
    weights = stacked(model.bodies, "mass")[..., None] * down[..., None, :]
    weights = np.concatenate([weights, np.cross(g.centres, weights)], axis=-1)
    return force + np.einsum("...bij,...bi->...j", g.W, weights)
