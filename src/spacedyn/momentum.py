"""Centre of mass, momentum, momentum matrix and energy, of one state or a batch. Inertial axes throughout."""

import numpy as np
from numpy.typing import ArrayLike

from .calls import check_state, finite_operand, gravity_vector, run_on_states
from .errors import InputError
from .kernels import energy as _energy
from .kernels import momentum as _momentum
from .kernels import tree as k
from .model.model import Model
from .model.state import State

Array = np.ndarray


def center_of_mass(model: Model, state: State) -> Array:
    """Position (…, 3) of the whole robot's centre of mass [m], inertial axes.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> sd.center_of_mass(robot, robot.neutral_state()).shape
    (3,)
    """
    check_state(model, state)
    first_moment = run_on_states(_energy.run, model, state, 8, 8)[..., 4:7]
    return state.base_position + first_moment / _mass(model)


def center_of_mass_velocity(model: Model, state: State) -> Array:
    """Velocity (…, 3) of the whole robot's centre of mass [m/s], inertial axes.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> sd.center_of_mass_velocity(robot, robot.state(base_velocity=[1, 0, 0])).tolist()
    [1.0, 0.0, 0.0]
    """
    check_state(model, state)
    relative = run_on_states(_energy.run, model, state, 8, 8)[..., 1:4]
    return state.base_velocity + relative / _mass(model)


def center_of_mass_acceleration(model: Model, state: State, udot: ArrayLike) -> Array:
    """Acceleration (…, 3) of the whole robot's centre of mass [m/s²], inertial axes, for accelerations u' (…, nv).

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state = robot.random_state(np.random.default_rng(0))
    >>> udot = sd.forward_dynamics(robot, state, np.ones(6))  # joint forces alone do not move it
    >>> np.allclose(sd.center_of_mass_acceleration(robot, state, udot), 0)
    True
    """
    check_state(model, state)
    accelerations = finite_operand("udot", udot, model.nv, state)
    A, rate, _ = _about_base(model, state, rate=True)
    force = _apply(A, accelerations) + _apply(rate, state.u)
    return force[..., :3] / _mass(model)


def momentum(model: Model, state: State, *, about: str | ArrayLike) -> Array:
    """Linear and angular momentum (…, 6): P [kg m/s], then L [kg m²/s] about a point, inertial axes.

    Parameters
    ----------
    model, state
        The robot; one state or a batch.
    about : 'com', 'base', 'origin' or (…, 3)
        The point that L is about: the robot's centre of mass, the base's, the inertial origin, or a point fixed in
        inertial space [m].

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state = robot.state(base_velocity=[0, 2, 0], base_position=[1, 0, 0])
    >>> P, L = np.split(sd.momentum(robot, state, about="com"), 2)
    >>> np.allclose(P, [0, 2 * robot.total_mass, 0]), np.allclose(L, 0)
    (True, True)
    """
    A = momentum_matrix(model, state, about=about)
    return _apply(A, state.u)


def momentum_matrix(model: Model, state: State, *, about: str | ArrayLike) -> Array:
    """A(x), (…, 6, nv): (P; L) = A u, with L about the point named as in `momentum`.

    About the base's centre of mass, and for a free base, these are the top rows of the mass matrix; about the robot's
    centre of mass it is known as the centroidal momentum matrix.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state = robot.random_state(np.random.default_rng(0))
    >>> np.allclose(sd.momentum_matrix(robot, state, about="base"), sd.mass_matrix(robot, state)[:6])
    True
    """
    check_state(model, state)
    A, _, first_moment = _about_base(model, state, rate=False)
    lever, _ = _lever(model, state, about, first_moment, A)
    return _shift(A, lever)


def momentum_matrix_rate(model: Model, state: State, *, about: str | ArrayLike) -> Array:
    """Time rate Ȧ (…, 6, nv) of the momentum matrix along the motion of the state.

    The point moves along: with the robot's or the base's centre of mass, or not at all.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state = robot.random_state(np.random.default_rng(0))
    >>> udot = sd.forward_dynamics(robot, state, np.ones(6))
    >>> A, rate = (f(robot, state, about="com") for f in (sd.momentum_matrix, sd.momentum_matrix_rate))
    >>> np.allclose(A @ udot + rate @ state.u, 0, atol=1e-9)  # joint forces do not change momentum
    True
    """
    check_state(model, state)
    A, rate, first_moment = _about_base(model, state, rate=True)
    lever, speed = _lever(model, state, about, first_moment, A)
    shifted = _shift(rate, lever)
    shifted[..., 3:, :] -= np.cross(speed[..., None, :], np.swapaxes(A[..., :3, :], -1, -2)).swapaxes(-1, -2)
    return shifted


def kinetic_energy(model: Model, state: State) -> Array:
    """Kinetic energy (…) [J], rotors behind their gears included: u.H u / 2.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> np.allclose(sd.kinetic_energy(robot, robot.state(base_velocity=[0, 0, 2])), 2 * robot.total_mass)
    True
    """
    check_state(model, state)
    rows = run_on_states(_energy.run, model, state, 8, 8)
    v0 = state.base_velocity
    return rows[..., 0] + np.sum(v0 * rows[..., 1:4], axis=-1) + 0.5 * model.total_mass * np.sum(v0 * v0, axis=-1)


def potential_energy(model: Model, state: State, *, gravity: ArrayLike | None = None) -> Array:
    """Potential energy (…) [J]: -m g.r of all bodies, zero at the inertial origin, and that of springs and end stops.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> high = robot.state(base_position=[0, 0, 1])
    >>> rise = sd.potential_energy(robot, high, gravity=[0, 0, -10]) - sd.potential_energy(
    ...     robot, robot.neutral_state(), gravity=[0, 0, -10]
    ... )
    >>> np.allclose(rise, 10 * robot.total_mass)
    True
    """
    check_state(model, state)
    g = gravity_vector(gravity)
    rows = run_on_states(_energy.run, model, state, 8, 8)
    return rows[..., 7] - rows[..., 4:7] @ g - model.total_mass * (state.base_position @ g)


def _mass(model: Model) -> Array:
    """The robot's, or (…, 1) of robots that differ."""
    return np.asarray(model.total_mass)[..., None]


def _apply(matrix: Array, vector: Array) -> Array:
    return np.einsum("...ij,...j->...i", matrix, vector)


def _about_base(model: Model, state: State, *, rate: bool) -> tuple[Array, Array, Array]:
    """Momentum matrix about the base's centre of mass, its rate (or nothing), and the first moment there."""
    nv = model.nv
    parts = 2 if rate else 1
    rows = run_on_states(_momentum.run, model, state, 3 + parts * 6 * nv, 6 * nv, k.VELOCITIES if rate else 0)
    columns = rows[..., 3:].reshape(*state.shape, parts, nv, 6).swapaxes(-1, -2)
    return columns[..., 0, :, :], columns[..., -1, :, :], rows[..., :3]


def _lever(model: Model, state: State, about: str | ArrayLike, moment: Array, A: Array) -> tuple[Array, Array]:
    """From the base's centre of mass to the point, and the rate of that, (…, 3)."""
    if isinstance(about, str):
        if about == "base":
            return np.zeros((*state.shape, 3)), np.zeros((*state.shape, 3))
        if about == "com":
            velocity = _apply(A[..., :3, :], state.u) / _mass(model)
            return moment / _mass(model), velocity - state.base_velocity
        if about == "origin":
            return -state.base_position, -state.base_velocity
        raise InputError(f"about: expected 'com', 'base', 'origin' or a point of 3 numbers, got {about!r}")
    point = finite_operand("about ('com', 'base', 'origin' or a point)", about, 3, state)
    return point - state.base_position, -state.base_velocity


def _shift(A: Array, lever: Array) -> Array:
    """The angular rows about a point `lever` away: L - lever x P."""
    shifted = A.copy()
    shifted[..., 3:, :] -= np.cross(lever[..., None, :], np.swapaxes(A[..., :3, :], -1, -2)).swapaxes(-1, -2)
    return shifted
