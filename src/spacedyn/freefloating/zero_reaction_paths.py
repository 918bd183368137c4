"""Joint paths that do not turn the base: integrated inside the reaction null space.

    dq/ds = N(q) d                  towards a direction, or
    dq/dσ = N(q) (target - q)       towards a target, as near as such a path comes to it

with N the projector of `reaction_null_space`. In time, s goes from 0 to 1 by the polynomial of rest-to-rest motion, and
σ = -ln(1 - s). The path is then a spline through as many of its points as keep the base still to the tolerance.
Nenchev, Umetani & Yoshida (1992); Yoshida, Hashizume & Abiko (2001), flown on ETS-VII.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..model.model import Model
from ..model.state import State
from ..model.state_parts import BASE_RATES, layout_of
from ..motion.trajectories import Trajectory, waypoints
from ..quantities.calls import check_state, finite_operand
from ..quantities.freefloating import base_recoil, reaction_null_space
from ..quantities.momentum import center_of_mass
from ..reals import one_number
from ..signatures import checked_arguments
from .integration import integrated
from .joint_paths import coordinates_of

Array = np.ndarray
_POINTS = (33, 65, 129, 257, 513, 1025, 2049)  # of the spline, until the base is still
_NEAR = 30.0  # σ at the end: exp(-30) of the way is left
_STEPS = 60  # at least, so that points between steps are as accurate as steps are
_GAUSS = np.polynomial.legendre.leggauss(6)
_FARTHEST = 1e4  # of a direction or target
_NOTHING = 1e-9  # of a direction: shorter parts in the null space count as none


@dataclass(frozen=True, eq=False)
class ZeroReactionPath:
    """A joint path that keeps the base's attitude, for one robot or a batch.

    Attributes
    ----------
    times : (points,)
        [s], from 0 on.
    q : (…, points, nq)
        All joint coordinates at these times [rad, m]; between them a spline, which begins and ends at rest.
    start, final : State
        The robot at rest at both ends; the base drifts, but does not turn.
    disturbance : (…)
        Largest turn of the base on the way [rad], as integrated along the spline; with reaction='all', of its place [m]
        too.
    target_error : (…, coordinates) or None
        Target less the end of the path [rad, m]; None without a target.
    """

    times: Array
    q: Array
    start: State
    final: State
    disturbance: Array
    target_error: Array | None

    def prescribed(self, *robot: int) -> dict[str, Trajectory]:
        """{joint: motion} for `simulate(..., prescribed=...)`; of a batch, that of the robot with this index."""
        model, batch = self.start.model, self.start.shape
        if len(robot) != len(batch):
            raise InputError(f"prescribed: expected the index of one robot of the batch {batch}, got {robot}")
        try:
            q = self.q[robot]
        except IndexError:
            raise InputError(f"prescribed: the batch {batch} has no robot {robot}") from None
        spline = waypoints(self.times, q)
        moving = [j.name for j in model.joints if np.ptp(q[:, model.q_slice(j.name)], axis=0).any()]
        parts = {name: spline.coefficients[:, model.q_slice(name)] for name in moving}
        found: dict[str, Any] = {name: Trajectory(spline.breaks, np.ascontiguousarray(c)) for name, c in parts.items()}
        return found | {j.name: "locked" for j in model.joints if j.nv and j.name not in found}


@checked_arguments("direction", "target", "joints")
def zero_reaction_path(
    model: Model,
    state: State,
    duration: float,
    *,
    direction: ArrayLike | None = None,
    target: ArrayLike | None = None,
    joints: Any = None,
    reaction: str = "moment",
    limits: bool = True,
    tolerance: float = 1e-11,
) -> ZeroReactionPath:
    """A joint path from rest to rest that leaves the base's attitude as it is, while momentum is zero.

    Parameters
    ----------
    model, state
        A robot whose base is not fixed; one state or a batch. Its rates do not matter.
    duration : float
        [s].
    direction : (…, coordinates)
        The joints' displacement that is wished for [rad, m]: at every instant the path follows its part in the reaction
        null space.
    target : (…, coordinates)
        Or the joint coordinates to come near to [rad, m].
    joints : names of joints, optional
        Those that move, and that direction or target have entries for, in the model's order; all if left out.
    reaction : 'moment' or 'all'
        What the base must not feel: a turn, or neither turn nor shift.
    limits : bool
        Whether a path beyond a joint's limits is an error.
    tolerance : float
        Largest turn of the base on the way [rad].

    Returns
    -------
    ZeroReactionPath
        Times, joint coordinates, the final state, the error at the target; `.prescribed()` is for `simulate`.

    Raises
    ------
    InputError
        No part of the direction is free of reaction; a joint would go beyond its limits; the null space changes its
        dimension on the way.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> start = robot.state(q=[0.3, 0.4, -0.8, 0.2, 0.4, 0.1])
    >>> path = sd.freefloating.zero_reaction_path(robot, start, 20.0, direction=[0.2, 0.3, 0.4, 0.2, -0.3, 0.5])
    >>> bool(path.disturbance < 1e-11)
    True
    >>> run = sd.simulate(robot, start, 20.0, prescribed=path.prescribed())
    >>> bool(run.final.base_attitude.magnitude() < 1e-10)
    True
    """
    check_state(model, state)
    if reaction not in ("moment", "all"):
        raise InputError(f"reaction: expected 'moment' or 'all', got {reaction!r}")
    if (direction is None) == (target is None):
        raise InputError("zero_reaction_path: give a direction or a target, one of them")
    lasting = one_number("duration", duration, "a positive number")
    allowed = one_number("tolerance", tolerance, "a positive number")
    if not (0.0 < lasting <= 1e12 and allowed >= 1e-13):
        raise InputError(f"expected a duration > 0 and a tolerance ≥ 1e-13, got {duration!r} and {tolerance!r}")
    task = _Task(model, state, joints, reaction)
    name, wished = ("direction", direction) if target is None else ("target", target)
    wish = finite_operand(name, wished, int(task.coordinates.sum()), state)
    if np.abs(wish).max(initial=0.0) > _FARTHEST:
        raise InputError(f"{name}: {np.abs(wish).max():.3g} is too far; expected up to {_FARTHEST:g} [rad, m]")
    task.check(wish if target is None else wish - state.q[..., task.coordinates], target is None)
    times, q, disturbance = task.path(wish, lasting, allowed, target is None)
    if limits:
        _check_limits(model, q)
    final = _final(model, task.start, q[..., -1, :])
    left = None if target is None else wish - q[..., -1, task.coordinates]
    return ZeroReactionPath(times, q, task.start, final, disturbance, left)


class _Task:
    """The flow in the null space, for one robot or a batch."""

    def __init__(self, model: Model, state: State, joints: Any, reaction: str):
        self.model, self.reaction = model, reaction
        base_recoil(model, state)  # which refuses a fixed base
        self.coordinates, self.rates = coordinates_of(model, joints)
        self.joints = [j.name for j in model.joints if self.coordinates[model.q_slice(j.name)].any()]
        for name in self.joints:
            if model.joint(name).kind_record.has_attitude:
                kind = model.joint(name).kind
                raise InputError(
                    f"joint '{name}' is {kind}: a path of numbers cannot turn it; name the others: joints=[...]"
                )
        rest = {"base_velocity": np.zeros(3), "base_rate": np.zeros(3), "qd": np.zeros(self.rates.size)}
        self.start = state.replace(**rest)
        rows = BASE_RATES[model.base_kind]
        self.felt = [i for i, row in enumerate(rows) if row >= 3 or reaction == "all"]

    def states(self, q: Array) -> State:
        """The robot with these joint coordinates (…, *batch, nq), the base where it was."""
        data = np.broadcast_to(self.start._data, (*q.shape[:-1], self.start._data.shape[-1])).copy()
        data[..., 7 : 7 + self.model.nq] = q
        return State(self.model, data)

    def projected(self, q: Array, wish: Array) -> Array:
        """The part of wishes (…, chosen) in the null space."""
        N = reaction_null_space(self.model, self.states(q), reaction=self.reaction, joints=self.joints)
        return (N[..., self.rates, :][..., self.rates] @ wish[..., None])[..., 0]

    def check(self, wish: Array, must_move: bool) -> None:
        """Raise if there is a wish, and nothing of it is free of reaction."""
        part = np.linalg.norm(self.projected(self.start.q, wish), axis=-1)
        wished = np.linalg.norm(wish, axis=-1)
        if np.any((part <= _NOTHING * wished) & ((wished > 0.0) | must_move)):
            raise InputError(
                f"nothing of this motion is free of reaction on the base: {len(self.joints)} joints with "
                f"{int(self.rates.sum())} rates move, {len(self.felt)} base rates must stay zero; take more joints, or "
                "another direction"
            )

    def path(self, wish: Array, duration: float, tolerance: float, along: bool) -> tuple[Array, Array, Array]:
        """Times, coordinates (…, points, nq) and the largest disturbance (…); points double until it is small."""
        flow = self._flow(wish, along)
        worst = np.zeros(self.start.shape)
        for points in _POINTS:
            tau = np.linspace(0.0, 1.0, points)
            q = flow(tau)
            worst = self._disturbance(duration * tau, q)
            if worst.max(initial=0.0) <= tolerance:
                return duration * tau, np.moveaxis(q, 0, -2), worst
        raise InputError(
            f"the base would turn by {worst.max():.2g} rad, more than the tolerance of {tolerance:g}: on the way the "
            "reaction null space changes its dimension, or its direction too fast; start from another posture, or go "
            "less far"
        )

    def _flow(self, wish: Array, along: bool) -> Any:
        """The function from τ (points,) = t / duration to coordinates (points, *batch, nq)."""
        start, shape = self.start.q[..., self.coordinates], wish.shape
        end = 1.0 if along else _NEAR

        def full(chosen: Array) -> Array:
            q = np.broadcast_to(self.start.q, (*chosen.shape[:-1], self.model.nq)).copy()
            q[..., self.coordinates] = chosen
            return q

        def slope(_: float, flat: Array) -> Array:
            now = flat.reshape(shape)
            return self.projected(full(now), wish if along else wish - now).reshape(-1)

        if not start.size:
            return lambda tau: full(np.broadcast_to(start, (len(tau), *shape)))
        options = {"rtol": 1e-13, "atol": 1e-13, "max_step": end / _STEPS, "dense_output": True}
        found = integrated(slope, (0.0, end), start.reshape(-1), "the path in the reaction null space", **options)

        def at(tau: Array) -> Array:
            s = tau if along else 1.0 - tau  # the part that is left is found without a difference
            s = s**3 * (10.0 - 15.0 * s + 6.0 * s * s)
            if not along:
                s = np.minimum(-np.log(np.maximum(s, np.exp(-_NEAR))), _NEAR)
            return full(np.moveaxis(found.sol(s), 0, -1).reshape(len(tau), *shape))

        return at

    def _disturbance(self, times: Array, q: Array) -> Array:
        """(…) the largest integral of the base's rates that must be zero, along the spline through the points."""
        spline = waypoints(times, q.reshape(len(times), -1))
        length = np.diff(spline.breaks)
        nodes, weights = 0.5 * (_GAUSS[0] + 1.0), 0.5 * _GAUSS[1]
        at = (spline.breaks[:-1, None] + length[:, None] * nodes).ravel()
        value, rate, _ = spline.over_times(at)
        states = self.states(value.reshape(len(at), *q.shape[1:]))
        qd = np.zeros((len(at), *q.shape[1:-1], self.rates.size))
        qd[..., self.rates] = rate.reshape(len(at), *q.shape[1:])[..., self.coordinates]
        felt = (base_recoil(self.model, states)[..., self.felt, :] @ qd[..., None])[..., 0]
        pieces = np.einsum("pk...i,k,p->p...i", felt.reshape(len(length), len(nodes), *felt.shape[1:]), weights, length)
        return np.linalg.norm(np.cumsum(pieces, axis=0), axis=-1).max(axis=0)


def _check_limits(model: Model, q: Array) -> None:
    """Raise if a path (…, points, nq) leaves the joints' limits, with the joint and how far along it is."""
    layout = layout_of(model)
    plain = q[..., layout.simple_x - 7]
    beyond = (plain < layout.lower[..., None, :] - 1e-12) | (plain > layout.upper[..., None, :] + 1e-12)
    if beyond.any():
        point, column = (int(i) for i in np.argwhere(beyond.any(axis=tuple(range(beyond.ndim - 2))))[0])
        place = layout.simple_x[column] - 7
        joint = next(j.name for j in model.joints if model.q_slice(j.name).stop > place)
        raise InputError(
            f"joint '{joint}' would go beyond its limits at {point / (q.shape[-2] - 1):.0%} of the duration; go less "
            "far, or say limits=False"
        )


def _final(model: Model, start: State, q: Array) -> State:
    """The robot at the end: the base has not turned, and the centre of mass has not moved where the base is free."""
    moved = start.replace(q=q)
    if model.base_kind == "attitude":
        return moved
    shift = center_of_mass(model, start) - center_of_mass(model, moved)
    shift[..., [k for k in range(3) if k not in BASE_RATES[model.base_kind]]] = 0.0
    return moved.replace(base_position=start.base_position + shift)
