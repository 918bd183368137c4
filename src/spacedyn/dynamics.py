"""Forces and accelerations: inverse, forward and hybrid dynamics, mass matrix, bias force, passive joint forces.

    H(x) u' + c(x, u) = F + J'Fe,   u = (v0, ω0, q̇): docs/notation.md

Every function takes one state or a batch, and returns the same batch.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .calls import (
    beside,
    check_state,
    finite_operand,
    operand,
    real_numbers,
    run_dynamics,
    run_on_states,
    scalar_kind,
    with_wrenches,
)
from .errors import InputError, UnknownName
from .kernels import coriolis as _coriolis
from .kernels import forward_dynamics as _forward
from .kernels import inertia as _inertia
from .kernels import inverse_dynamics as _inverse
from .kernels import mass_matrix_inverse as _mass_matrix_inverse
from .kernels import passive as _passive
from .kernels import tree as k
from .model.model import Model
from .model.state import State

Array = np.ndarray


def forward_dynamics(
    model: Model,
    state: State,
    tau: ArrayLike | None = None,
    *,
    base_wrench: ArrayLike | None = None,
    endpoint_wrenches: Any = None,
    gravity: ArrayLike | None = None,
    passive: bool = True,
) -> Array:
    """Accelerations u' = (v̇0, ω̇0, q̈) that forces give, in O(n).

    Parameters
    ----------
    model : Model
        The robot.
    state : State
        One, or a batch.
    tau : (…, nv - base), optional
        Joint forces [N m, N], in the order of q̇; none if left out.
    base_wrench : (…, 6), optional
        Force and moment on the base at its centre of mass [N, N m], inertial axes.
    endpoint_wrenches : {name: (…, 6)} or (…, endpoints, 6), optional
        Force and moment on the robot at endpoints, inertial axes.
    gravity : (3,), optional
        Acceleration of gravity [m/s²], inertial axes; none if left out.
    passive : bool
        Whether the joints' own springs, dampers, friction and stops act.

    Returns
    -------
    (…, nv)
        v̇0 and ω̇0 in inertial axes as far as the base has them, then q̈.

    Raises
    ------
    InputError
        A wrong shape or type, a NaN, or a state of another model.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> udot = sd.forward_dynamics(robot, robot.neutral_state(), [1.0, 0, 0, 0])
    >>> udot.shape
    (7,)
    >>> bool(udot[2] < 0 < udot[3])  # the base turns against the joint
    True

    Notes
    -----
    The articulated-body algorithm [1]_: docs/theory, and kernels/forward_dynamics.py.

    .. [1] R. Featherstone, Rigid Body Dynamics Algorithms, Springer, 2008, ch. 7.
    """
    if type(state) is not State or state.model is not model:
        check_state(model, state)
    flat = model.flat
    joints = flat.joint_rates
    loads = np.zeros(state.count * joints) if tau is None else operand("tau", tau, joints, state)
    options = k.PASSIVE_FORCES if flat.passive and passive else 0
    if base_wrench is not None or endpoint_wrenches is not None:
        loads, options = with_wrenches(model, state, loads, base_wrench, endpoint_wrenches), options | k.LOADED
    return run_dynamics(_forward.run, model, state, loads, flat.rates, options, gravity)


class Hybrid(NamedTuple):
    """What hybrid dynamics gives: every acceleration and every force, whichever of them was given."""

    udot: Array  # (…, nv)
    forces: Array  # (…, nv)


def hybrid_dynamics(
    model: Model,
    state: State,
    given: Iterable[str],
    udot: ArrayLike,
    tau: ArrayLike | None = None,
    *,
    base_wrench: ArrayLike | None = None,
    endpoint_wrenches: Any = None,
    gravity: ArrayLike | None = None,
    passive: bool = True,
) -> Hybrid:
    """Some joints with given accelerations, the others with given forces; the base may be in either set. O(n).

    Parameters
    ----------
    model, state
        The robot; one state or a batch.
    given : names of joints
        Those whose accelerations are given; the base's own name stands for the base.
    udot : (…, nv)
        Accelerations; only the entries of the `given` ones count.
    tau : (…, nv - base), optional
        Joint forces; only the entries of the others count.
    base_wrench, endpoint_wrenches, gravity, passive
        As in `forward_dynamics`. A given base takes what force it needs on top of `base_wrench`.

    Returns
    -------
    Hybrid
        `udot` (…, nv): all accelerations; `forces` (…, nv): all forces that the actuators must give. For a base
        that is free to move that is zero.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> state = robot.neutral_state()
    >>> result = sd.hybrid_dynamics(robot, state, robot.joint_names, np.array([0, 0, 0, 0.1, 0, 0, 0]))
    >>> np.allclose(sd.forward_dynamics(robot, state, result.forces[3:]), result.udot)
    True
    """
    check_state(model, state)
    flat, nv = model.flat, model.nv
    mask = given_mask(model, given)
    accelerations = np.where(mask, operand("udot", udot, nv, state).reshape(*state.shape, nv), 0.0)
    joints = flat.joint_rates
    forces = np.zeros(state.count * joints) if tau is None else operand("tau", tau, joints, state)
    loads, options = forces, k.HYBRID | (k.PASSIVE_FORCES if flat.passive and passive else 0)
    if base_wrench is not None or endpoint_wrenches is not None:
        loads, options = with_wrenches(model, state, loads, base_wrench, endpoint_wrenches), options | k.LOADED
    loads = beside(state, loads, accelerations)
    both = run_dynamics(_forward.run, model, state, loads, 2 * nv, options, gravity, flat.with_given(mask))
    applied = np.zeros((*state.shape, nv))
    applied[..., model.base_dof :] = forces.reshape(*state.shape, joints)
    return Hybrid(both[..., :nv].copy(), np.where(mask, both[..., nv:], applied))


def given_mask(model: Model, given: Iterable[str]) -> Array:
    """(nv,) 1 where the acceleration is given."""
    mask = np.zeros(model.nv, dtype=np.int64)
    if isinstance(given, str):
        given = [given]
    elif not isinstance(given, Iterable):
        raise InputError(f"given: expected names of joints (or the base's), got {given!r}")
    for name in given:
        if name == model.bodies[0].name:
            mask[: model.base_dof] = 1
            continue
        try:
            mask[model.u_slice(name)] = 1
        except UnknownName:
            names = (*model.joint_names, model.bodies[0].name)
            raise UnknownName("joint (or base)", name, names) from None
    return mask


def inverse_dynamics(
    model: Model,
    state: State,
    udot: ArrayLike,
    *,
    base_wrench: ArrayLike | None = None,
    endpoint_wrenches: Any = None,
    gravity: ArrayLike | None = None,
    passive: bool = True,
) -> Array:
    """Generalized forces F = H u' + c - J'Fe that a motion takes, in O(n).

    Parameters
    ----------
    model, state
        The robot; one state or a batch.
    udot : (…, nv)
        Accelerations (v̇0, ω̇0, q̈).
    base_wrench, endpoint_wrenches, gravity, passive
        As in `forward_dynamics`; what acts on the robot besides the forces sought.

    Returns
    -------
    (…, nv)
        Force and moment on the base (at its centre of mass, inertial axes) as far as it can move, then joint forces.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> state = robot.random_state(np.random.default_rng(0))
    >>> udot = sd.forward_dynamics(robot, state, [1.0, 2.0, 3.0, 4.0])
    >>> np.allclose(sd.inverse_dynamics(robot, state, udot), [0, 0, 0, 1, 2, 3, 4])
    True
    """
    return _newton_euler(model, state, udot, base_wrench, endpoint_wrenches, gravity, passive, 0)


def joint_reactions(
    model: Model,
    state: State,
    udot: ArrayLike,
    *,
    base_wrench: ArrayLike | None = None,
    endpoint_wrenches: Any = None,
    gravity: ArrayLike | None = None,
) -> Array:
    """Wrenches that joints transmit during a motion, constrained directions and driven ones together.

    Parameters
    ----------
    model, state, udot, base_wrench, endpoint_wrenches, gravity
        As in `inverse_dynamics`.

    Returns
    -------
    (…, bodies, 6)
        For each body the force and the moment that its parent exerts on it, about the origin of the body's frame
        [N, N m], inertial axes. The base's row, about its centre of mass, is what must hold or drive it from outside;
        zero for a base that floats free.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> state = robot.random_state(np.random.default_rng(0))
    >>> udot = sd.forward_dynamics(robot, state)
    >>> reactions = sd.joint_reactions(robot, state, udot)
    >>> reactions.shape, np.allclose(reactions[0], 0)
    ((5, 6), True)
    """
    rows = _newton_euler(model, state, udot, base_wrench, endpoint_wrenches, gravity, False, k.REACTIONS)
    wrenches = rows[..., model.nv :].reshape(*state.shape, len(model.bodies), 6)
    return wrenches[..., model.flat.order, :]


def _newton_euler(
    model: Model, state: State, udot: Any, base: Any, endpoints: Any, gravity: Any, passive: bool, options: int
) -> Array:
    if type(state) is not State or state.model is not model:
        check_state(model, state)
    flat = model.flat
    loads = operand("udot", udot, flat.rates, state)
    if flat.passive and passive:
        options |= k.PASSIVE_FORCES
    if base is not None or endpoints is not None:
        loads, options = with_wrenches(model, state, loads, base, endpoints), options | k.LOADED
    width = flat.rates + (6 * len(model.bodies) if options & k.REACTIONS else 0)
    return run_dynamics(_inverse.run, model, state, loads, width, options, gravity)


def bias_force(model: Model, state: State, *, gravity: ArrayLike | None = None) -> Array:
    """c(x, u) of the equation of motion: velocity terms and gravity, (…, nv); SpaceDyn's `Force0`.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> bool(np.all(sd.bias_force(robot, robot.neutral_state()) == 0))
    True
    """
    check_state(model, state)
    return inverse_dynamics(model, state, np.zeros((*state.shape, model.nv)), gravity=gravity, passive=False)


def passive_force(model: Model, state: State) -> Array:
    """Forces of the joints' own springs, dampers, dry friction and end stops, (…, nv) [N m, N]; zero for the base.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> sd.passive_force(robot, robot.neutral_state()).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    check_state(model, state)
    if not model.flat.passive:
        return np.zeros((*state.shape, model.nv))
    return run_on_states(_passive.run, model, state, model.nv, 0)


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
    if type(state) is not State or state.model is not model:
        check_state(model, state)
    nv = model.flat.rates
    return run_on_states(_inertia.run, model, state, nv * nv, nv * nv).reshape(*state.shape, nv, nv)


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
    if type(state) is not State or state.model is not model:
        check_state(model, state)
    nv = model.flat.rates
    return run_on_states(_coriolis.run, model, state, nv * nv, nv * nv + 9).reshape(*state.shape, nv, nv)


class Blocks(NamedTuple):
    """The mass matrix in SpaceDyn's blocks."""

    Hb: Array  # (…, base, base) the robot as one rigid body
    Hbm: Array  # (…, base, joints) coupling
    Hm: Array  # (…, joints, joints)


def mass_matrix_blocks(model: Model, state: State) -> Blocks:
    """The mass matrix as (Hb, Hbm, Hm): base, coupling, joints.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> [block.shape for block in sd.mass_matrix_blocks(robot, robot.neutral_state())]
    [(6, 6), (6, 6), (6, 6)]
    """
    H, b = mass_matrix(model, state), model.base_dof
    return Blocks(H[..., :b, :b], H[..., :b, b:], H[..., b:, b:])


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
    check_state(model, state)
    unit = np.broadcast_to(np.eye(model.nv), (*state.shape, model.nv, model.nv))
    return _products(model, state, unit)


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
    check_state(model, state)
    array = real_numbers("vectors", vectors, f"(…, {model.nv}) or (…, {model.nv}, m)")
    if array.ndim <= len(state.shape) + 1:
        rows = finite_operand("vectors", array, model.nv, state)
        return _products(model, state, rows[..., None, :])[..., 0, :]
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
    return np.swapaxes(_products(model, state, np.swapaxes(rows, -1, -2)), -1, -2)


def _products(model: Model, state: State, vectors: Array) -> Array:
    """H⁻¹ times each of the rows (…, m, nv)."""
    flat, many = model.flat, vectors.shape[-2]
    kind, lanes = scalar_kind(state.count)
    out = np.empty(vectors.shape)
    rows = np.array(vectors, dtype=float, order="C").reshape(-1)
    _mass_matrix_inverse.run(
        flat.tree, flat.par, flat.scratch(lanes), state._rows, rows, out.reshape(-1), state.count, many, kind
    )
    return out
