"""Forces and accelerations: inverse, forward and hybrid dynamics, bias force, passive joint forces, reactions.

    H(x) u' + c(x, u) = F + J'Fe,   u = (v0, ω0, q̇): docs/notation.md

Every function takes one state or a batch, and returns the same batch.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError, UnknownName
from ..kernels.robot import forward_dynamics as _forward
from ..kernels.robot import inverse_dynamics as _inverse
from ..kernels.robot import layout as k
from ..kernels.robot import passive as _passive
from ..model.model import Model
from ..model.state import State
from ..signatures import is_several, readable_signature
from .calls import beside, check_state, operand, passive_option, run_dynamics, run_on_states, with_wrenches

Array = np.ndarray


@readable_signature
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
    The articulated-body algorithm [1]_: docs/theory/articulated_bodies.md, kernels/robot/forward_dynamics.py.

    .. [1] R. Featherstone, Rigid Body Dynamics Algorithms, Springer, 2008, ch. 7.
    """
    here = check_state(model, state)
    flat = here.flat
    joints = flat.joint_rates
    loads = np.zeros(here.count * joints) if tau is None else operand("tau", tau, joints, here)
    options = 0 if passive is True and not flat.passive else passive_option(model, passive)
    if base_wrench is not None or endpoint_wrenches is not None:
        loads, options = with_wrenches(model, here, loads, base_wrench, endpoint_wrenches), options | k.LOADED
    return run_dynamics(_forward.run, here, loads, flat.rates, options, gravity)


class Hybrid(NamedTuple):
    """What hybrid dynamics gives: every acceleration and every force, whichever of them was given."""

    udot: Array  # (…, nv)
    forces: Array  # (…, nv)


@readable_signature
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
    here = check_state(model, state)
    flat, nv = model.flat, model.nv
    mask = given_mask(model, given)
    accelerations = np.where(mask, operand("udot", udot, nv, state).reshape(*state.shape, nv), 0.0)
    joints = flat.joint_rates
    forces = np.zeros(state.count * joints) if tau is None else operand("tau", tau, joints, state)
    loads, options = forces, k.HYBRID | passive_option(model, passive)
    if base_wrench is not None or endpoint_wrenches is not None:
        loads, options = with_wrenches(model, state, loads, base_wrench, endpoint_wrenches), options | k.LOADED
    loads = beside(state, loads, accelerations)
    both = run_dynamics(_forward.run, here, loads, 2 * nv, options, gravity, flat.with_given(mask))
    applied = np.zeros((*state.shape, nv))
    applied[..., model.base_dof :] = forces.reshape(*state.shape, joints)
    return Hybrid(both[..., :nv].copy(), np.where(mask, both[..., nv:], applied))


def given_mask(model: Model, given: Iterable[str]) -> Array:
    """(nv,) 1 where the acceleration is given."""
    mask = np.zeros(model.nv, dtype=np.int64)
    if isinstance(given, str):
        given = [given]
    elif not is_several(given):
        raise InputError(f"given: expected names of joints (or the base's), got {given!r}")
    for name in given:
        if isinstance(name, str) and name == model.bodies[0].name:
            mask[: model.base_dof] = 1
            continue
        try:
            mask[model.u_slice(name)] = 1
        except UnknownName:
            names = (*model.joint_names, model.bodies[0].name)
            raise UnknownName("joint (or base)", name, names) from None
    return mask


@readable_signature
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
    return newton_euler(model, state, udot, base_wrench, endpoint_wrenches, gravity, passive, 0)


@readable_signature
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
    rows = newton_euler(model, state, udot, base_wrench, endpoint_wrenches, gravity, False, k.REACTIONS)
    wrenches = rows[..., model.nv :].reshape(*state.shape, len(model.bodies), 6)
    return wrenches[..., model.flat.order, :]


def newton_euler(
    model: Model, state: State, udot: Any, base: Any, endpoints: Any, gravity: Any, passive: bool, options: int
) -> Array:
    """Rows (…, nv) of generalized forces; with the option REACTIONS, six numbers a body more, the base first."""
    here = check_state(model, state)
    flat = here.flat
    loads = operand("udot", udot, flat.rates, here)
    if passive is not True or flat.passive:
        options |= passive_option(model, passive)
    if base is not None or endpoints is not None:
        loads, options = with_wrenches(model, here, loads, base, endpoints), options | k.LOADED
    width = flat.rates + (6 * len(model.bodies) if options & k.REACTIONS else 0)
    return run_dynamics(_inverse.run, here, loads, width, options, gravity)


@readable_signature
def bias_force(model: Model, state: State, *, gravity: ArrayLike | None = None) -> Array:
    """c(x, u) of the equation of motion: velocity terms and gravity, (…, nv); SpaceDyn's `Force0`.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> bool(np.all(sd.bias_force(robot, robot.neutral_state()) == 0))
    True
    """
    here = check_state(model, state)
    still = np.zeros((*here.shape, here.flat.rates))
    return newton_euler(model, state, still, None, None, gravity, False, 0)


def passive_force(model: Model, state: State) -> Array:
    """Forces of the joints' own springs, dampers, dry friction and end stops, (…, nv) [N m, N]; zero for the base.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> sd.passive_force(robot, robot.neutral_state()).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    here = check_state(model, state)
    if not here.flat.passive:
        return np.zeros((*state.shape, model.nv))
    return run_on_states(_passive.run, here, (), (), (model.nv,))
