"""Centre of mass, momentum, momentum matrix and energy, of one state or a batch. Inertial axes throughout."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..kernels.robot import layout as k
from ..kernels.robot import momentum as _momentum
from ..kernels.robot import totals as _totals
from ..model.model import Model
from ..model.state import FlatState, State
from ..signatures import readable_signature
from .calls import NOTHING, check_state, finite_operand, gravity_vector, run_on_states
from .dynamics import newton_euler

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
    return _sums(check_state(model, state))[..., _CENTRE]


def center_of_mass_velocity(model: Model, state: State) -> Array:
    """Velocity (…, 3) of the whole robot's centre of mass [m/s], inertial axes.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> sd.center_of_mass_velocity(robot, robot.state(base_velocity=[1, 0, 0])).tolist()
    [1.0, 0.0, 0.0]
    """
    return _sums(check_state(model, state))[..., _LINEAR] / _mass(model)


@readable_signature
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
    rows = newton_euler(model, state, udot, None, None, None, False, k.REACTIONS)
    return rows[..., model.nv : model.nv + 3] / _mass(model)  # the force that must act on the base from outside


@readable_signature
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
    here = check_state(model, state)
    points, option = _about(here, about)
    return _sums(here, points, option)[..., _MOMENTUM]


@readable_signature
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
    return _matrix(model, state, about, 0)


@readable_signature
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
    return _matrix(model, state, about, k.VELOCITIES)


def kinetic_energy(model: Model, state: State) -> Array:
    """Kinetic energy (…) [J], rotors behind their gears included: u.H u / 2.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> np.allclose(sd.kinetic_energy(robot, robot.state(base_velocity=[0, 0, 2])), 2 * robot.total_mass)
    True
    """
    return _sums(check_state(model, state))[..., _totals.KINETIC]


@readable_signature
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
    return _sums(check_state(model, state), gravity=gravity)[..., _totals.POTENTIAL]


class Totals(NamedTuple):
    """Energy and momentum for the ledger, over the batch of states; inertial axes, about the centre of mass."""

    kinetic: Array  # (…) [J]
    gravitational: Array  # (…) [J]
    elastic: Array  # (…) [J] in springs and end stops
    momentum: Array  # (…, 6) [kg m/s, kg m²/s]
    sizes: Array  # (…, 2) magnitudes of all bodies that make up linear and angular momentum; kernels/robot/totals.py
    spread: Array  # (…) [kg m] mass times distance from the centre of mass
    centre: Array  # (…, 3) [m]


def totals(model: Model, state: State, gravity: ArrayLike | None = None, in_packs: bool = True) -> Totals:
    """Energy and momentum of a robot, and the sizes that their errors are compared with."""
    here = check_state(model, state)
    t = _totals
    rows = _sums(here, NOTHING, k.SIZES, gravity, in_packs)
    columns = rows[..., t.KINETIC], rows[..., t.GRAVITATIONAL], rows[..., t.ELASTIC_ENERGY], rows[..., _MOMENTUM]
    return Totals(*columns, rows[..., t.LINEAR_SIZE : t.SPREAD], rows[..., t.SPREAD], rows[..., _CENTRE])


_CENTRE = slice(_totals.CENTRE, _totals.CENTRE + 3)
_LINEAR = slice(_totals.LINEAR, _totals.LINEAR + 3)
_MOMENTUM = slice(_totals.LINEAR, _totals.ANGULAR + 3)
_ALL_TOTALS, _WITHOUT_SIZES = (_totals.TOTALS,), (_totals.LINEAR_SIZE,)  # shapes


def _mass(model: Model) -> Any:
    """The robot's total mass; (…, 1) of robots that differ."""
    return np.asarray(model.total_mass)[..., None] if model.shape else model.total_mass


def _sums(
    state: FlatState, points: Array = NOTHING, options: int = 0, gravity: Any = None, in_packs: bool = True
) -> Array:
    """Rows of the kernel's totals."""
    shape = _ALL_TOTALS if options & k.SIZES else _WITHOUT_SIZES
    par = None if gravity is None else state.flat.with_gravity(gravity_vector(gravity))
    room = _totals.TOTALS
    return run_on_states(_totals.run, state, (points,), (options,), shape, room, par, in_packs=in_packs)


def _matrix(model: Model, state: State, about: str | ArrayLike, options: int) -> Array:
    """The momentum matrix about a point, or its rate."""
    here = check_state(model, state)
    points, option = _about(here, about)
    nv = here.flat.rates
    return run_on_states(_momentum.run, here, (points,), (options | option,), (6, nv), 12 * nv + 3)


_POINTS = {"com": 0, "base": k.ABOUT_BASE}


def _about(state: FlatState, about: str | ArrayLike) -> tuple[Array, int]:
    """The points that momentum is about (empty for 'com' and 'base'), and the kernel's option."""
    if isinstance(about, str):
        if about in _POINTS:
            return NOTHING, _POINTS[about]
        if about == "origin":
            return np.zeros(3 * state.count), k.ABOUT_POINT
        raise InputError(f"about: expected 'com', 'base', 'origin' or a point of 3 numbers, got {about!r}")
    point = finite_operand("about ('com', 'base', 'origin' or a point)", about, 3, state)
    return point.reshape(-1), k.ABOUT_POINT
