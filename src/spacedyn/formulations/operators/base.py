"""Motion of a floating base by conservation of momentum."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InputError
from ...model.state_parts import BASE_RATES
from ...quantities.calls import finite_operand, finite_results
from ...quantities.dynamics import inverse_dynamics
from ...signatures import checked_arguments
from .spatial import SpatialOperators

Array = np.ndarray


class BaseRates(NamedTuple):
    """Motion of the base, inertial axes; zero in what it holds."""

    velocity: Array  # (…, 3) of its centre of mass [m/s]
    rate: Array  # (…, 3) [rad/s]


@checked_arguments()
@finite_results
def base_rates(
    ops: SpatialOperators, qd: ArrayLike, momentum: ArrayLike | None = None, *, about: str = "com"
) -> BaseRates:
    """Motion of a floating base from the joints' rates and the robot's momentum, which is conserved.

    Hb (v0; ω0) = (P; L about the base) - Hbm q̇. This is what Tian & Wu (21) means: with ρ the centres of mass
    relative to the base, m v0 = P - Σ m ρ̇ - ω0 × Σ m ρ, and the printed equation lacks the last term.

    Parameters
    ----------
    ops : SpatialOperators
        Of one state or a batch.
    qd : (…, nv - base)
        Joint rates; those of the state do not matter.
    momentum : (…, 6), optional
        P [kg m/s] and L [kg m²/s], inertial axes; zero if left out. Only the directions in which the base can
        move count.
    about : 'com' or 'base'
        The point that L is about: the robot's centre of mass, or the base's. For a base that holds its position
        only 'base', since P is then not conserved.

    Returns
    -------
    BaseRates
        `velocity` and `rate`, (…, 3), inertial axes.

    Raises
    ------
    InputError
        The base is fixed; a wrong shape or name.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state = robot.random_state(np.random.default_rng(0))
    >>> ops = sd.operators.SpatialOperators(robot, state)
    >>> base = sd.operators.base_rates(ops, state.qd, sd.momentum(robot, state, about="com"))
    >>> np.allclose(base.velocity, state.base_velocity), np.allclose(base.rate, state.base_rate)
    (True, True)
    """
    model, state, b = ops.model, ops.state, _floating(ops)
    if about not in ("com", "base"):
        raise InputError(f"about: expected 'com' or 'base', got {about!r}")
    rates = np.zeros((*state.shape, model.nv))
    rates[..., b:] = finite_operand("qd", qd, model.nv - b, state)
    total = np.zeros((*state.shape, 6))
    if momentum is not None:
        total[...] = finite_operand("momentum", momentum, 6, state)
        if about == "com":
            if model.base_kind == "attitude":
                raise InputError("a base that holds its position conserves L about itself: say about='base'")
            total[..., 3:] += np.cross(ops._center_of_mass(), total[..., :3])
    return _of_base(ops, total[..., list(BASE_RATES[model.base_kind])] - (ops.mass @ rates)[..., :b])


@checked_arguments()
@finite_results
def base_acceleration(
    ops: SpatialOperators,
    qdd: ArrayLike,
    *,
    base_wrench: ArrayLike | None = None,
    endpoint_wrenches: Any = None,
    gravity: ArrayLike | None = None,
) -> BaseRates:
    """Acceleration of a floating base from the joints' accelerations: momentum changes by what acts from outside.

    Hb (v̇0; ω̇0) = wrenches - Hbm q̈ - c_b, at the state's rates. Tian & Wu (22) lacks the coupling ω̇ × Σ m ρ and
    all velocity terms.

    Parameters
    ----------
    ops : SpatialOperators
        Of one state or a batch.
    qdd : (…, nv - base)
        Joint accelerations.
    base_wrench, endpoint_wrenches, gravity
        As in `spacedyn.forward_dynamics`.

    Returns
    -------
    BaseRates
        Their time rates: `velocity` [m/s²] and `rate` [rad/s²], (…, 3), inertial axes.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state = robot.random_state(np.random.default_rng(0))
    >>> udot = sd.forward_dynamics(robot, state, np.ones(6))
    >>> base = sd.operators.base_acceleration(sd.operators.SpatialOperators(robot, state), udot[6:])
    >>> np.allclose(base.velocity, udot[:3]), np.allclose(base.rate, udot[3:6])
    (True, True)
    """
    model, state, b = ops.model, ops.state, _floating(ops)
    udot = np.zeros((*state.shape, model.nv))
    udot[..., b:] = finite_operand("qdd", qdd, model.nv - b, state)
    loads = {"base_wrench": base_wrench, "endpoint_wrenches": endpoint_wrenches, "gravity": gravity}
    return _of_base(ops, -inverse_dynamics(model, state, udot, **loads)[..., :b])


def _floating(ops: SpatialOperators) -> int:
    if ops.model.base_dof == 0:
        raise InputError(f"'{ops.model.name}' has a fixed base, which does not move; build it with base='free'")
    return ops.model.base_dof


def _of_base(ops: SpatialOperators, right: Array) -> BaseRates:
    """Solve Hb x = right, and put x where it belongs."""
    b = ops.model.base_dof
    columns = np.broadcast_to(np.eye(ops.model.nv)[:, :b], (*ops.state.shape, ops.model.nv, b))
    Hb = (ops.mass @ columns)[..., :b, :]
    found = np.zeros((*ops.state.shape, 6))
    found[..., list(BASE_RATES[ops.model.base_kind])] = np.linalg.solve(Hb, right[..., None])[..., 0]
    return BaseRates(found[..., :3], found[..., 3:])
