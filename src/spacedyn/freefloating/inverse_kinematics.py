"""Joint coordinates that bring endpoints to given places and attitudes, on a base that recoils or is held.

    minimise |J Δq - e|² + μ |Δq|²    within the joints' limits,    J = J* or J_m,    step by step

Levenberg's and Marquardt's method: the damping μ is a multiple of the error's square, so that steps stay short near
singularities and converge quadratically elsewhere (Sugihara 2011). On a recoiling base the pose that is reached depends
on the path: along each step the base is integrated at zero momentum, and the path is a part of the result.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import lsq_linear

from ..errors import InputError
from ..model.model import Model
from ..model.quaternions import conjugate, logarithm, multiply
from ..model.state import State
from ..model.state_parts import layout_of
from ..quantities.calls import check_state
from ..quantities.freefloating import base_recoil, generalized_jacobian, rates_of_joints
from ..quantities.kinematics import endpoint_jacobian, endpoint_pose
from ..reals import one_number
from ..signatures import checked_arguments
from .base_motion import carried_along
from .targets import Goal, read_goals

Array = np.ndarray
_LEAST, _FIRST, _MOST = 1e-9, 1e-3, 1e9  # damping over the error's square
_GAIN = 1e-6  # an error that falls by less than this part of itself, counts as one that stays
_LEVEL = 1e-6  # largest cosine between what is missing and what a joint does, where nothing leads nearer
_PATIENCE = 6  # steps that bring nothing, or are refused at the most damping, before a search ends
REACHED, ITERATIONS = "reached", "iterations used up"
STUCK = "no joint motion leads nearer: out of reach, or a local minimum"


@dataclass(frozen=True, eq=False)
class InverseKinematics:
    """What a search for joint coordinates has found, for one robot or a batch.

    Attributes
    ----------
    state : State
        The robot at rest with the coordinates found; on a recoiling base, the base where the path has brought it.
    path : (…, steps + 1, nq)
        Joint coordinates of all steps [rad, m]: straight lines between them lead there. On a recoiling base only these
        do: `sd.waypoints(times, path, stop=True)` prescribes them, `base_motion` integrates them.
    endpoints : tuple of str
        The endpoints that have a target, in the order of the next two.
    position_error, attitude_error : (…, endpoints)
        How far each is from its target [m], [rad]; zero where nothing was asked.
    iterations : (…)
        Steps that were tried.
    reached : (…)
        Whether all errors are within the tolerance.
    reason : (…)
        'reached', or why not: joints at their limits by name, out of reach, iterations used up.
    """

    state: State
    path: Array
    endpoints: tuple[str, ...]
    position_error: Array
    attitude_error: Array
    iterations: Array
    reached: Array
    reason: Array


@checked_arguments("targets", "joints")
def inverse_kinematics(
    model: Model,
    state: State,
    targets: Mapping[str, Any],
    *,
    floating: bool = True,
    joints: Any = None,
    limits: bool = True,
    tolerance: float = 1e-9,
    iterations: int = 200,
    max_step: float = 0.3,
) -> InverseKinematics:
    """Joint coordinates, and the path to them, that bring endpoints to targets.

    Parameters
    ----------
    model, state
        The robot, and where the search begins; one state or a batch. Rates do not matter.
    targets : {endpoint: target}
        For one endpoint or several: a position (…, 3) [m], inertial axes; a Rotation, inertial <- endpoint; or both, as
        `Pose` or (position, rotation), the rotation also as (…, 3, 3).
    floating : bool
        Whether the base recoils while the joints go along the path, at zero momentum; it is held if not.
    joints : names of joints, optional
        Those that move; all if left out.
    limits : bool
        Whether joints keep within their limits.
    tolerance : float
        Of each endpoint [m, rad].
    iterations : int
        Steps that are tried at the most.
    max_step : float
        The largest motion of a joint in a step [rad, m].

    Returns
    -------
    InverseKinematics
        The state found, the path, errors, iterations, whether it is reached and, if not, the reason.

    Raises
    ------
    InputError
        A wrong shape or name; a joint that starts beyond its limits; a fixed base that should float.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> start = robot.state(q=[0.3, 0.4, -0.8, 0.2, 0.4, 0.1])
    >>> position, rotation = sd.endpoint_pose(robot, start, "hand")
    >>> goal = (position + [0.1, -0.2, 0.1], rotation)
    >>> found = sd.freefloating.inverse_kinematics(robot, start, {"hand": goal})
    >>> str(found.reason), bool(found.position_error.max() < 1e-9)
    ('reached', True)
    >>> along = sd.freefloating.base_motion(robot, start, found.path)  # the base recoils as it should
    >>> np.allclose(along.state.x, found.state.x)
    True
    """
    check_state(model, state)
    allowed = one_number("tolerance", tolerance, "a positive number")
    longest = one_number("max_step", max_step, "a positive number")
    if not (allowed > 0.0 and longest > 0.0 and 0 <= iterations <= 100_000):
        raise InputError(
            f"expected tolerance > 0, max_step > 0 and iterations from 0 to 100 000, got {tolerance!r}, {max_step!r}, "
            f"{iterations!r}"
        )
    if floating:
        base_recoil(model, state)  # which refuses a fixed base
    goals = read_goals(model, state, targets)
    rest = {"base_velocity": np.zeros(3), "base_rate": np.zeros(3), "qd": np.zeros(model.nv - model.base_dof)}
    start = state.replace(**rest)
    flat = start.flattened() if state.shape else start
    search = _Search(flat, goals, floating, rates_of_joints(model, joints), limits)
    return search.result(state, allowed, search.run(iterations, allowed, longest))


class _End(NamedTuple):
    """Where a search has ended."""

    state: State
    path: list[Array]  # corners, (…, nq) each
    error: Array  # (…, components) what is missing
    tried: Array  # (…) iterations
    stuck: Array  # (…) whether nothing led nearer


class _Search:
    """Damped steps of one robot, or of a flat batch, until all have reached their targets or cannot."""

    def __init__(self, start: State, goals: list[Goal], floating: bool, chosen: Array, limits: bool):
        self.start, self.model, self.goals, self.floating, self.chosen = start, start.model, goals, floating, chosen
        layout, rates = layout_of(self.model), chosen.size
        self.lower, self.upper = (np.full((*start.shape, rates), v) for v in (-np.inf, np.inf))
        self.at = layout.simple_u - self.model.base_dof  # rates whose coordinates have limits
        self.coordinates = layout.simple_x - 7
        if limits:
            self.lower[..., self.at], self.upper[..., self.at] = layout.lower, layout.upper
            q = self._plain(start)
            outside = chosen & ((q < self.lower - 1e-9) | (q > self.upper + 1e-9))
            if outside.any():
                name = self._joint(int(np.argwhere(outside)[0][-1]))
                raise InputError(f"joint '{name}' starts beyond its limits; begin within them, or say limits=False")

    def _plain(self, state: State) -> Array:
        """Coordinates in the order of the rates; zero for attitudes."""
        q = np.zeros((*state.shape, self.chosen.size))
        q[..., self.at] = state.q[..., self.coordinates]
        return q

    def _joint(self, rate: int) -> str:
        return next(j.name for j in self.model.joints if self.model.qd_slice(j.name).stop > rate)

    def errors(self, state: State) -> Array:
        """(…, components) what is missing, position and turn of each endpoint, inertial axes."""
        parts = []
        for goal in self.goals:
            pose = endpoint_pose(self.model, state, goal.endpoint)
            if goal.position is not None:
                parts.append(goal.position - pose.position)
            if goal.quaternion is not None:
                has = pose.attitude.as_quat()
                parts.append(logarithm(multiply(goal.quaternion, conjugate(has))))
        return np.concatenate(parts, axis=-1)

    def jacobian(self, state: State) -> Array:
        """(…, components, joints); joints that do not move have zeros."""
        parts = []
        for goal in self.goals:
            if self.floating:
                J = generalized_jacobian(self.model, state, goal.endpoint)
            else:
                J = endpoint_jacobian(self.model, state, goal.endpoint)[..., self.model.base_dof :]
            parts += [J[..., :3, :]] if goal.position is not None else []
            parts += [J[..., 3:, :]] if goal.quaternion is not None else []
        return np.concatenate(parts, axis=-2) * self.chosen

    def moved(self, state: State, step: Array) -> State:
        """The robot after a step of the joints, the base with it or not."""
        if self.floating:
            return carried_along(self.model, state, step)
        return state.integrate(np.concatenate([np.zeros((*state.shape, self.model.base_dof)), step], axis=-1))

    def sizes(self, error: Array) -> Array:
        """(…, 2, endpoints) how far endpoints are from place and attitude."""
        found, at = np.zeros((*error.shape[:-1], 2, len(self.goals))), 0
        for i, goal in enumerate(self.goals):
            for kind, asked in enumerate((goal.position, goal.quaternion)):
                if asked is not None:
                    found[..., kind, i] = np.linalg.norm(error[..., at : at + 3], axis=-1)
                    at += 3
        return found

    def run(self, iterations: int, tolerance: float, max_step: float) -> _End:
        """Step until all robots have reached their targets, are stuck, or the iterations are used up."""
        now, error = self.start, self.errors(self.start)
        square = np.sum(error**2, axis=-1)
        factor, idle = np.full(now.shape, _FIRST), np.zeros(now.shape, dtype=int)
        tried, path = np.zeros(now.shape, dtype=int), [now.q]
        for _ in range(iterations):
            done = (self.sizes(error) <= tolerance).all(axis=(-2, -1)) | (idle >= _PATIENCE)
            if done.all():
                break
            tried = tried + ~done
            J = self.jacobian(now)
            idle = np.where(self.is_level(now, J, error), _PATIENCE, idle)
            step = self.step(now, J, error, factor * square, max_step) * ~done[..., None]
            there = self.moved(now, step)
            missing = self.errors(there)
            smaller = np.sum(missing**2, axis=-1)
            better = ~done & (smaller < square)
            gained = better & (square - smaller > _GAIN * square)
            idle = np.where(done, idle, np.where(gained, 0, idle + (better | (factor >= _MOST))))
            promised = square - np.sum((error - (J @ step[..., None])[..., 0]) ** 2, axis=-1)
            change = np.where(
                square - smaller > 0.75 * promised, 0.1, np.where(square - smaller > 0.25 * promised, 1.0, 4.0)
            )
            factor = np.clip(np.where(better, change, 10.0) * factor, _LEAST, _MOST)
            now = State(self.model, np.where(better[..., None], there._data, now._data))
            error, square = np.where(better[..., None], missing, error), np.where(better, smaller, square)
            if better.any():
                path.append(now.q)
        return _End(now, path, error, tried, idle >= _PATIENCE)

    def is_level(self, state: State, J: Array, error: Array) -> Array:
        """(…) whether no joint that can move leads nearer, to the first order."""
        slope = (error[..., None, :] @ J)[..., 0, :]
        size = (np.linalg.norm(J, axis=(-2, -1)) * np.linalg.norm(error, axis=-1))[..., None]
        return np.asarray(np.all((np.abs(slope) <= _LEVEL * size) | self.at_limits(state, slope), axis=-1))

    def at_limits(self, state: State, slope: Array) -> Array:
        """(…, joints) whether a joint is at a limit that it would have to pass to lead nearer."""
        q = self._plain(state)
        return ((q - self.lower < 1e-9) & (slope < 0.0)) | ((self.upper - q < 1e-9) & (slope > 0.0))

    def step(self, state: State, J: Array, error: Array, damping: Array, max_step: float) -> Array:
        """(…, joints) the damped step within limits: of all robots at once, then of those that a bound stops."""
        q = self._plain(state)
        mu = damping + 1e-14 * np.sum(J * J, axis=(-2, -1)) + np.finfo(float).tiny
        U, sigma, Vt = np.linalg.svd(J, full_matrices=False)  # motions that change nothing stay free of rounding
        part = (error[..., None, :] @ U)[..., 0, :] * sigma / (sigma**2 + mu[..., None])
        step = (part[..., None, :] @ Vt)[..., 0, :]
        low = np.minimum(np.maximum(self.lower - q, -max_step), 0.0)
        high = np.maximum(np.minimum(self.upper - q, max_step), 0.0)
        stopped = ((step < low) | (step > high)).any(axis=-1)
        for robot in np.argwhere(stopped):
            i = tuple(int(k) for k in robot)
            step[i] = _bounded(J[i], error[i], float(mu[i]), low[i], high[i])
        return np.clip(step, low, high)

    def result(self, given: State, tolerance: float, end: _End) -> InverseKinematics:
        """All that was found, over the batch axes of the state that was given."""
        position, attitude = np.moveaxis(self.sizes(end.error), -2, 0)
        reached = (np.maximum(position, attitude) <= tolerance).all(axis=-1)
        reason = np.full(end.state.shape, ITERATIONS, dtype=object)
        for i in np.ndindex(*end.state.shape):
            if reached[i] or end.stuck[i]:
                reason[i] = REACHED if reached[i] else self.obstacle(end, i)
        shape, path = given.shape, np.stack(end.path, axis=-2)
        state = State(given.model, end.state._data.reshape(*shape, end.state._data.shape[-1]))
        return InverseKinematics(
            state._carrying(given.internal),
            path.reshape(*shape, *path.shape[-2:]),
            tuple(goal.endpoint for goal in self.goals),
            position.reshape(*shape, len(self.goals)),
            attitude.reshape(*shape, len(self.goals)),
            *(array.reshape(shape) for array in (end.tried, reached, reason.astype(str))),
        )

    def obstacle(self, end: _End, robot: tuple[int, ...]) -> str:
        """Why nothing leads nearer: joints at limits that would have to go beyond them, or no motion at all."""
        slope = (end.error[..., None, :] @ self.jacobian(end.state))[..., 0, :]
        held = np.flatnonzero((self.at_limits(end.state, slope) & (np.abs(slope) > 1e-12))[robot])
        names = dict.fromkeys(self._joint(int(rate)) for rate in held)
        return f"joints at their limits: {', '.join(names)}" if names else STUCK


def _bounded(J: Array, error: Array, mu: float, low: Array, high: Array) -> Array:
    """The damped step of one robot within bounds, by SciPy's bounded least squares."""
    stacked = np.vstack([J, np.sqrt(mu) * np.eye(J.shape[-1])])
    room = np.where(high - low > 0.0, 0.0, 1e-15)  # a joint that cannot move at all
    right = np.concatenate([error, np.zeros(J.shape[-1])])
    return np.asarray(lsq_linear(stacked, right, (low - room, high + room), method="bvls").x)
