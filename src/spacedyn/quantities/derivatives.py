"""Derivatives of forward and inverse dynamics along the manifold of states.

    f(x ⊕ ε e_k, u) and f(x, u + ε e_k), differentiated by ε: docs/theory/derivatives.md

`x ⊕ step` is `State.integrate`: positions add up, the base turns by a rotation vector in inertial axes, spherical and
free joints by theirs in the child's axes. So a matrix of derivatives by x has one column for each rate, in the order
of u. Derivatives are exact to rounding, not differences. Every function takes one state or a batch.
"""

from collections.abc import Callable
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numba.core import config
from numpy.typing import ArrayLike

from ..kernels.robot import derivatives as _derivatives
from ..kernels.robot import layout as k
from ..kernels.scalar.dual import DUAL
from ..kernels.scalar.pack import LANES
from ..model.flatten import Flat
from ..model.model import Model
from ..model.state import State
from ..signatures import readable_signature
from .calls import (
    _not_finite,
    check_state,
    for_robots,
    gravity_vector,
    in_parts,
    operand,
    passive_option,
    with_wrenches,
)
from .matrices import mass_matrix

Array = np.ndarray


class ForwardDerivatives(NamedTuple):
    """Derivatives of the accelerations u' that forces give."""

    dx: Array  # (…, nv, nv) by positions, along x ⊕ ε e_k
    du: Array  # (…, nv, nv) by rates
    dtau: Array  # (…, nv, nv - base) by joint forces


class InverseDerivatives(NamedTuple):
    """Derivatives of the forces F that a motion takes."""

    dx: Array  # (…, nv, nv) by positions, along x ⊕ ε e_k
    du: Array  # (…, nv, nv) by rates
    dudot: Array  # (…, nv, nv) by accelerations: the mass matrix


@readable_signature
def forward_dynamics_derivatives(
    model: Model,
    state: State,
    tau: ArrayLike | None = None,
    *,
    base_wrench: ArrayLike | None = None,
    endpoint_wrenches: Any = None,
    gravity: ArrayLike | None = None,
    passive: bool = True,
) -> ForwardDerivatives:
    """Derivatives of `forward_dynamics` by positions, rates and joint forces.

    Parameters
    ----------
    model : Model
        The robot.
    state : State
        One, or a batch.
    tau : (…, nv - base), optional
        Joint forces [N m, N], in the order of q̇; none if left out.
    base_wrench : (…, 6), optional
        Force and moment on the base at its centre of mass [N, N m], inertial axes; held constant there.
    endpoint_wrenches : {name: (…, 6)} or (…, endpoints, 6), optional
        Force and moment on the robot at endpoints, inertial axes; held constant there, while the endpoints move along.
    gravity : (3,), optional
        Acceleration of gravity [m/s²], inertial axes; none if left out.
    passive : bool
        Whether the joints' own springs, dampers, friction and stops act; their derivatives are then included.

    Returns
    -------
    ForwardDerivatives
        `dx` (…, nv, nv): column k is the derivative of u' = (v̇0, ω̇0, q̈) along x ⊕ ε e_k: `State.integrate` by ε in
        entry k of the order of u, which for the base is a position and a rotation vector, both in inertial axes.
        `du` (…, nv, nv): by u = (v0, ω0, q̇). `dtau` (…, nv, nv - base): by the joint forces, a part of H⁻¹.

    Raises
    ------
    InputError
        A wrong shape or type, a NaN, or a state of another model.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> state = robot.random_state(np.random.default_rng(0))
    >>> tau, step = np.array([1.0, 2.0, 3.0, 4.0]), 1e-6 * np.eye(7)[3]  # the first joint turns a little
    >>> d = sd.forward_dynamics_derivatives(robot, state, tau)
    >>> [matrix.shape for matrix in d]
    [(7, 7), (7, 7), (7, 4)]
    >>> change = sd.forward_dynamics(robot, state.integrate(step), tau) - sd.forward_dynamics(robot, state, tau)
    >>> np.allclose(d.dx @ step, change, atol=1e-9)
    True

    Notes
    -----
    Inverse dynamics on dual numbers, and the factors of the articulated-body algorithm: docs/theory/derivatives.md.
    At a kink (an end stop just touched) the derivative is that of the side which the state counts to.
    """
    check_state(model, state)
    flat = model.flat
    joints = flat.joint_rates
    loads = np.zeros(state.count * joints) if tau is None else operand("tau", tau, joints, state)
    loads, options = _loads(model, state, loads, base_wrench, endpoint_wrenches, passive)
    matrix = _run(_derivatives.forward, model, state, loads, 2 * model.nv + joints, options, gravity)
    nv = model.nv
    return ForwardDerivatives(matrix[..., :nv], matrix[..., nv : 2 * nv], matrix[..., 2 * nv :])


@readable_signature
def inverse_dynamics_derivatives(
    model: Model,
    state: State,
    udot: ArrayLike,
    *,
    base_wrench: ArrayLike | None = None,
    endpoint_wrenches: Any = None,
    gravity: ArrayLike | None = None,
    passive: bool = True,
) -> InverseDerivatives:
    """Derivatives of `inverse_dynamics` by positions, rates and accelerations.

    Parameters
    ----------
    model, state
        The robot; one state or a batch.
    udot : (…, nv)
        Accelerations (v̇0, ω̇0, q̈).
    base_wrench, endpoint_wrenches, gravity, passive
        As in `forward_dynamics_derivatives`.

    Returns
    -------
    InverseDerivatives
        `dx` (…, nv, nv): column k is the derivative of the forces (on the base at its centre of mass in inertial axes,
        as far as it can move, then of the joints) along x ⊕ ε e_k, as in `forward_dynamics_derivatives`.
        `du` (…, nv, nv): by u. `dudot` (…, nv, nv): by u', the mass matrix H.

    Raises
    ------
    InputError
        A wrong shape or type, a NaN, or a state of another model.

    Examples
    --------
    Inverse dynamics undoes forward dynamics, so their derivatives are tied by the mass matrix.

    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state, tau = robot.random_state(np.random.default_rng(0)), np.ones(6)
    >>> forward = sd.forward_dynamics_derivatives(robot, state, tau)
    >>> inverse = sd.inverse_dynamics_derivatives(robot, state, sd.forward_dynamics(robot, state, tau))
    >>> np.allclose(inverse.dudot @ forward.dx, -inverse.dx), np.allclose(inverse.dudot @ forward.du, -inverse.du)
    (True, True)
    """
    check_state(model, state)
    nv = model.nv
    loads, options = _loads(model, state, operand("udot", udot, nv, state), base_wrench, endpoint_wrenches, passive)
    matrix = _run(_derivatives.inverse, model, state, loads, 2 * nv, options, gravity)
    return InverseDerivatives(matrix[..., :nv], matrix[..., nv:], mass_matrix(model, state))


def _loads(model: Model, state: State, loads: Array, base: Any, endpoints: Any, passive: bool) -> tuple[Array, int]:
    """Rows of loads with wrenches, if there are any, and the kernel's options."""
    options = passive_option(model, passive)
    if base is None and endpoints is None:
        return loads, options
    return with_wrenches(model, state, loads, base, endpoints), options | k.LOADED


def _scratch(flat: Flat) -> tuple[Array, Array, Array]:
    """Scratch memory: of one robot, with room for the inverse of the mass matrix; of a pack; of dual numbers."""
    if config.DISABLE_JIT:  # then a dual is a Python object, with one tangent
        return flat.scratch(1, flat.rates**2), flat.scratch(1), np.empty(flat.slots, dtype=object)
    return flat.scratch(1, flat.rates**2), flat.scratch(LANES), flat.scratch(1 + LANES)


_SPARE: WeakKeyDictionary[Flat, list[tuple[Array, Array, Array]]] = WeakKeyDictionary()
"""Scratch memory to be used again: it is large enough for new pages to cost more than the work in them."""


def _run(kernel: Callable, model: Model, state: State, loads: Array, columns: int, options: int, gravity: Any) -> Array:
    """Call an entry point of derivatives; matrices (…, nv, columns)."""
    flat = model.flat
    spare = _SPARE.setdefault(flat, [])
    try:
        scratch = spare.pop()
    except IndexError:  # none yet, or in the hands of other threads
        scratch = _scratch(flat)
    out = np.empty((*state.shape, model.nv, columns))
    count, rows, finite = state.count, (state._rows, loads, out.reshape(-1)), True
    if flat.rows is None:
        par = flat.par if gravity is None else flat.with_gravity(gravity_vector(gravity))
        finite = for_robots(count, kernel, flat.tree, par, *scratch, *rows, count, options, DUAL)
    else:
        for row, mine in enumerate(in_parts(count, rows)):
            par = flat.rows[row % flat.robots].copy()
            par[-3:] = gravity_vector(gravity)
            finite &= kernel(flat.tree, par, *scratch, *mine, 1, options, DUAL)
    spare.append(scratch)
    if not finite:
        raise _not_finite(model, state, loads, options, forward=kernel is _derivatives.forward)
    return out
