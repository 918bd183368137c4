"""What a robot holds, identified from its motion: least squares over the regressor of momentum.

    h_robot(t) + Y(t) pi = h0 + impulse(t),    pi = (m, m c, I)

Y (6, 10) is the momentum of a body fixed to an endpoint per unit of its ten inertial parameters, about the endpoint's
origin in its axes; h0 is the momentum of all, the same at every sample. Unknown are pi and, unless it is given, h0.
Yoshida and Abiko, Inertia parameter identification for a free-flying space robot, AIAA GN&C 2002; Christidi-
Loumpasefski, Nanos and Papadopoulos, On parameter estimation of space manipulator systems using the angular momentum,
ICRA 2017.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..model.model import Model
from ..model.state import State
from ..reals import finite_array, one_number
from ..signatures import checked_arguments, readable_signature
from .calls import check_state
from .kinematics import endpoint_jacobian, endpoint_pose, endpoint_velocity
from .momentum import momentum, momentum_matrix

Array = np.ndarray
PARAMETERS = ("mass", "m cx", "m cy", "m cz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
"""Names of the ten parameters: mass, first moments, inertia about the endpoint's origin as the matrix has it."""
MOMENTUM = ("Px", "Py", "Pz", "Lx", "Ly", "Lz")
_PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
_SMALLEST, _LARGEST = 1e-60, 1e60  # of numbers whose squares neither underflow nor overflow
_ROUNDS = 4  # of weights that depend on what is sought


@dataclass(frozen=True, eq=False)
class IdentifiedBody:
    """What is known of a body that a robot holds, in the frame of the endpoint that holds it.

    Attributes
    ----------
    mass : float
        [kg]; what cannot be observed is NaN, here and below.
    com : (3,)
        Centre of mass [m].
    inertia : (3, 3)
        About the centre of mass [kg m²].
    momentum : (6,)
        (P; L) of robot and body, L about the point `about` [kg m/s, kg m²/s], inertial axes.
    parameters : (10,)
        As they were sought: mass, m c, inertia about the endpoint's origin, in the order of `PARAMETERS`.
    covariance : (n, n)
        Of the parameters and, if it was sought, the momentum: n is 10 or 16.
    rank : int
        How many independent combinations of all unknowns the samples show.
    unobservable : tuple of str
        Names of unknowns that they do not show.
    residual : float
        Root mean square of what is left over, each row relative to its weight.
    about : (3,)
        The point in inertial space that L is about [m].
    """

    mass: float
    com: Array
    inertia: Array
    momentum: Array
    parameters: Array
    covariance: Array
    rank: int
    unobservable: tuple[str, ...]
    residual: float
    about: Array

    @property
    def standard_errors(self) -> Array:
        """(n,) square roots of the variances, of parameters and momentum."""
        return np.sqrt(np.diag(self.covariance))

    def __repr__(self) -> str:
        missing = f", not observable: {', '.join(self.unobservable)}" if self.unobservable else ""
        return f"<IdentifiedBody: {self.mass:.6g} kg, rank {self.rank} of {len(self.covariance)}{missing}>"


@readable_signature
def momentum_regressor(model: Model, state: State, endpoint: str, *, about: ArrayLike) -> Array:
    """Y (…, 6, 10): momentum (P; L) of a body fixed to an endpoint is Y times its inertial parameters.

    Parameters
    ----------
    model, state
        The robot; one state or a batch.
    endpoint : str
        What the body is fixed to. Its parameters are mass [kg], m c (3) [kg m], and its inertia about the endpoint's
        origin Ixx, Iyy, Izz, Ixy, Ixz, Iyz, as the matrix has them [kg m²]; all in the endpoint's axes.
    about : (3,)
        The point in inertial space that L is about [m].

    Returns
    -------
    (…, 6, 10)
        Inertial axes.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state = robot.random_state(np.random.default_rng(0))
    >>> sd.momentum_regressor(robot, state, "hand", about=(0, 0, 0)).shape
    (6, 10)
    """
    check_state(model, state)
    point = finite_array("about", about, "three finite numbers [m]", [(3,)])
    pose, V = endpoint_pose(model, state, endpoint), endpoint_velocity(model, state, endpoint)
    with np.errstate(over="ignore", invalid="ignore"):
        Y = _regressor(pose.rotation, pose.position - point, V[..., :3], V[..., 3:])
    if not np.isfinite(Y).all():
        raise InputError("momentum_regressor: velocities or distances are too large for double precision")
    return Y


def _regressor(R: Array, arm: Array, v: Array, w: Array) -> Array:
    """Y of a frame with attitude R (…, 3, 3), at `arm` from the point that L is about, with velocities v and w."""
    Y = np.zeros((*v.shape[:-1], 6, 10))
    Y[..., :3, 0] = v
    for i in range(3):
        axis = R[..., :, i]
        Y[..., :3, 1 + i] = np.cross(w, axis)
        Y[..., 3:, 1 + i] = np.cross(axis, v)
    for k, (i, j) in enumerate(_PAIRS):
        a, b = R[..., :, i], R[..., :, j]
        turned = a * np.sum(b * w, axis=-1, keepdims=True)
        if i != j:
            turned = turned + b * np.sum(a * w, axis=-1, keepdims=True)
        Y[..., 3:, 4 + k] = turned
    Y[..., 3:, :] += np.cross(arm[..., None], Y[..., :3, :], axis=-2)
    return Y


@checked_arguments()
def identify_target(
    model: Model,
    states: State,
    endpoint: str,
    *,
    momentum: ArrayLike | None = None,
    impulse: ArrayLike | None = None,
    rate_noise: ArrayLike | None = None,
    tolerance: float = 1e-9,
) -> IdentifiedBody:
    """Mass, centre of mass, inertia and momentum of what a free-flying robot holds, from joint and base motion.

    While nothing acts from outside, the momentum of robot and target stays what it is; each sample gives six equations
    that are linear in the target's ten parameters and the momentum. They are solved by least squares; what the motion
    does not show is named.

    Parameters
    ----------
    model : Model
        The robot without the target, whose own masses are known; its base is free.
    states : State
        Samples (n,) of its measured motion, joints and base, with the target in its hand; in the order of time, or not.
    endpoint : str
        What holds the target, rigidly: parameters are in its frame.
    momentum : (6,), optional
        (P; L) of robot and target about the base's centre of mass in the first sample, inertial axes, if it is known:
        zeros for a robot that was at rest. Sought if left out.
    impulse : (n, 6), optional
        Impulse of what has acted from outside before each sample, such as thrusters', about the same point.
    rate_noise : float or (nv,), optional
        Standard deviation of the measured rates u [m/s, rad/s], independent from sample to sample: rows are weighted
        by what it makes of momentum, and the covariance follows from it. If left out, rows count alike, and the
        covariance follows from the residual.
    tolerance : float
        Singular values below it, relative to the largest, of columns of unit length, count as none.

    Returns
    -------
    IdentifiedBody
        `mass`, `com`, `inertia`, `momentum`, their covariance, `rank`, `unobservable`.

    Raises
    ------
    InputError
        A base that is not free, too few samples, another shape.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> b = sd.Builder("target")
    >>> b.base("box", mass=40.0, inertia=(3.0, 4.0, 5.0), com=(0.2, 0.0, 0.1))
    >>> both = robot.attach(b.build(), "hand")
    >>> states = both.random_state(np.random.default_rng(0), 8)
    >>> Hb, Hbm, _ = sd.mass_matrix_blocks(both, states)
    >>> rates = -np.linalg.solve(Hb, Hbm @ states.qd[..., None])[..., 0]  # of the base, at no momentum
    >>> seen = robot.state(base_position=states.base_position, base_attitude=states.base_attitude, q=states.q,
    ...     base_velocity=rates[:, :3], base_rate=rates[:, 3:], qd=states.qd)
    >>> found = sd.identify_target(robot, seen, "hand", momentum=np.zeros(6))
    >>> found, np.allclose(found.com, [0.2, 0, 0.1])
    (<IdentifiedBody: 40 kg, rank 10 of 10>, True)
    """
    about = _check(model, states)
    samples, limit = len(states.x), one_number("identify_target: tolerance", tolerance)
    Y = momentum_regressor(model, states, endpoint, about=about)
    target = -_momentum(model, states, about)
    if impulse is not None:
        words = f"the impulse before each of {samples} samples"
        target = target + finite_array("identify_target: impulse", impulse, words, [(samples, 6)])
    if momentum is not None:
        target = target + finite_array("identify_target: momentum", momentum, "six finite numbers", [(6,)])
    else:
        Y = np.concatenate([Y, -np.broadcast_to(np.eye(6), (samples, 6, 6))], axis=-1)
    if max(np.abs(Y).max(), np.abs(target).max()) > _LARGEST:
        raise InputError("identify_target: momenta are too large for double precision")
    if rate_noise is None:
        solved = _solve(Y, target, None, limit)
    else:
        deviation = finite_array("identify_target: rate_noise", rate_noise, "positive numbers", [(), (model.nv,)])
        if not ((deviation > _SMALLEST) & (deviation < _LARGEST)).all():
            raise InputError(f"identify_target: rate_noise must be positive numbers, got {rate_noise!r}")
        solved = _weighted(model, states, endpoint, about, Y, target, np.broadcast_to(deviation, model.nv), limit)
    return _named(*solved, None if momentum is None else np.asarray(momentum, dtype=float), about)


def _check(model: Model, states: State) -> Array:
    """The point that momentum is about, if the robot and its samples can be used."""
    check_state(model, states)
    if model.shape:
        raise InputError("identify_target: give one robot, not a fleet, such as fleet[0]")
    if model.base_kind != "free":
        raise InputError(
            f"identify_target: the base is {model.base_kind}, so momentum goes through it; it needs one that is free"
        )
    if len(states.shape) != 1 or states.count < 2:
        raise InputError(f"identify_target: give two or more samples (n,) of the motion, got states {states.shape}")
    return np.asarray(states.base_position[0])


def _momentum(model: Model, states: State, about: Array) -> Array:
    return momentum(model, states, about=about)


def _solve(Y: Array, target: Array, roots: Array | None, limit: float) -> tuple[Array, Array, Array, float]:
    """Solution, covariance, null space (n, k) and residual of all samples; rows whitened by `roots` (n, 6, 6)."""
    if roots is not None:
        Y, target = roots @ Y, (roots @ target[..., None])[..., 0]
    A, b = Y.reshape(-1, Y.shape[-1]), target.reshape(-1)
    size = np.linalg.norm(A, axis=0)
    size = np.where(size > 0.0, size, 1.0)
    U, s, Vt = np.linalg.svd(A / size, full_matrices=False)
    good = s > limit * s[0]
    inverse = Vt[good].T / s[good]
    x = inverse @ (U[:, good].T @ b)
    left = b - (A / size) @ x
    spare = max(len(b) - int(good.sum()), 1)
    variance = float(left @ left) / spare
    covariance = (inverse @ inverse.T) / np.outer(size, size) * (1.0 if roots is not None else variance)
    return x / size, covariance, Vt[~good].T, float(np.sqrt(variance))


def _weighted(
    model: Model,
    states: State,
    endpoint: str,
    about: Array,
    Y: Array,
    target: Array,
    deviation: Array,
    limit: float,
) -> tuple[Array, Array, Array, float]:
    """The solution with rows weighted by the noise of rates, which momentum has through the inertia of all."""
    own, J = momentum_matrix(model, states, about=about), endpoint_jacobian(model, states, endpoint)
    pose, found = endpoint_pose(model, states, endpoint), _solve(Y, target, None, limit)
    for _ in range(_ROUNDS):
        spread = (own + _target_inertia(found[0], pose.position - about, pose.rotation) @ J) * deviation
        roots = np.linalg.inv(np.linalg.cholesky(spread @ np.swapaxes(spread, -1, -2)))
        found = _solve(Y, target, roots, limit)
    return found


def _target_inertia(parameters: Array, arm: Array, R: Array) -> Array:
    """(n, 6, 6): momentum (P; L) of the target per velocity (v; w) of the endpoint."""
    m, h = parameters[0], R @ parameters[1:4]
    inertia = np.zeros((3, 3))
    for value, (i, j) in zip(parameters[4:10], _PAIRS, strict=True):
        inertia[i, j] = inertia[j, i] = value
    T = np.zeros((len(R), 6, 6))
    T[:, :3, :3] = m * np.eye(3)
    T[:, :3, 3:], T[:, 3:, :3] = -_skew(h), _skew(h)
    T[:, 3:, 3:] = R @ inertia @ np.swapaxes(R, -1, -2)
    T[:, 3:] += _skew(arm) @ T[:, :3]
    return T


def _skew(r: Array) -> Array:
    """(n, 3, 3) the matrices [r ×]."""
    out = np.zeros((*r.shape[:-1], 3, 3))
    out[..., 0, 1], out[..., 0, 2], out[..., 1, 2] = -r[..., 2], r[..., 1], -r[..., 0]
    return out - np.swapaxes(out, -1, -2)


def _named(
    x: Array, covariance: Array, null: Array, residual: float, given: Array | None, about: Array
) -> IdentifiedBody:
    """The result, with NaN for what is not observable."""
    names = (*PARAMETERS, *MOMENTUM)[: len(x)]
    lost = np.linalg.norm(null, axis=1) > 1e-6 if null.size else np.zeros(len(x), dtype=bool)
    parameters = np.where(lost, np.nan, x)
    m, h, I = parameters[0], parameters[1:4], np.zeros((3, 3))
    for value, (i, j) in zip(parameters[4:10], _PAIRS, strict=True):
        I[i, j] = I[j, i] = value
    com = h / m
    inertia = I - m * (com @ com * np.eye(3) - np.outer(com, com))
    return IdentifiedBody(
        mass=float(m),
        com=com,
        inertia=inertia,
        momentum=parameters[10:] if given is None else given,
        parameters=parameters[:10],
        covariance=np.where(lost[:, None] | lost[None, :], np.nan, covariance),
        rank=len(x) - null.shape[1],
        unobservable=tuple(name for name, gone in zip(names, lost, strict=True) if gone),
        residual=residual,
        about=about,
    )
