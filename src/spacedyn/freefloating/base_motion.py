"""Motion of the base while the joints go along a path and momentum is zero.

    (v0; ω0) = -Hb⁻¹ Hbm q̇,    integrated along the path; how fast it is gone along does not matter

After a closed path the joints are where they were, and the base is not: its holonomy. By SciPy's DOP853, whose steps
are chosen by error, from break to break of the path.
"""

from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError
from ..model.model import Model
from ..model.quaternions import conjugate, logarithm, multiply, normalised, turned
from ..model.state import State
from ..model.state_parts import BASE_RATES
from ..quantities.calls import check_state
from ..quantities.freefloating import base_recoil
from ..quantities.kinematics import forward_kinematics
from ..reals import one_number
from ..signatures import checked_arguments
from .integration import integrated
from .joint_paths import JointPath, Piece, line, read_path

Array = np.ndarray
_CLOSED = 1e-9  # how far bodies may be from where they were, of a robot's size
_PLACE, _ATTITUDE, _SWEPT = slice(0, 3), slice(3, 7), slice(7, 10)


class BaseMotion(NamedTuple):
    """Where the base has gone while the joints went along a path."""

    state: State  # (…) the robot at the path's end, at rest
    turn: Array  # (…, 3) [rad] rotation vector from the first attitude to the last, axes of the first
    swept: Array  # (…, 3) [rad] integral of the base's rate in its own axes; whole turns count
    shift: Array  # (…, 3) [m] of the base's centre of mass, inertial axes


@checked_arguments("path", "joints")
def base_motion(model: Model, state: State, path: Any, *, joints: Any = None, tolerance: float = 1e-12) -> BaseMotion:
    """Where the base goes while the joints go along a path and momentum is zero.

    Parameters
    ----------
    model, state
        A robot whose base is not fixed; one state or a batch. The base starts as it is there; joints that do not move
        stay as they are there; rates do not matter.
    path : (…, points, coordinates) or trajectory
        Corners, with straight lines between them, batch axes broadcast; or `waypoints(...)`, `table(...)`, a spline of
        SciPy, with a column for each coordinate [rad, m].
    joints : names of joints, optional
        Those that the path's columns belong to, whatever order they are named in: columns are in the model's. All if
        left out.
    tolerance : float
        Error of a step [m, rad], and relative.

    Returns
    -------
    BaseMotion
        The robot's `state` at the end, `turn` and `swept` (…, 3) [rad], `shift` (…, 3) [m]. In planar motion, swept is
        the angle that the base has turned by, whole turns included.

    Raises
    ------
    InputError
        A wrong shape; a base that is fixed; a path too long to be integrated.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> state = robot.neutral_state()
    >>> there = sd.freefloating.base_motion(robot, state, [[0, 0, 0, 0], [1.0, 0, 0, 0]])
    >>> float(there.swept[2].round(6))  # the arm is stretched, and most of the turn is the base's
    -0.909218
    >>> np.allclose(sd.center_of_mass(robot, there.state), sd.center_of_mass(robot, state))
    True
    """
    check_state(model, state)
    return _gone(model, read_path(model, state, path, joints, "path"), tolerance)


@checked_arguments("loop", "joints")
def holonomy(model: Model, state: State, loop: Any, *, joints: Any = None, tolerance: float = 1e-12) -> BaseMotion:
    """Turn and shift of the base after the joints have gone around a closed loop while momentum is zero.

    Parameters
    ----------
    model, state, joints, tolerance
        As in `base_motion`.
    loop : (…, points, coordinates) or trajectory
        As `path` in `base_motion`, and closed: all bodies end where they began, seen from the base. A joint may have
        turned by whole turns.

    Returns
    -------
    BaseMotion
        As in `base_motion`. Small loops turn the base in proportion to their area.

    Raises
    ------
    InputError
        The loop is not closed; and as in `base_motion`.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> square = [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]
    >>> found = sd.freefloating.holonomy(robot, robot.neutral_state(), square, joints=["joint1", "joint2"])
    >>> np.degrees(found.swept[2]).round(4)
    np.float64(-0.6419)
    """
    check_state(model, state)
    path = read_path(model, state, loop, joints, "loop")
    _check_closed(model, path)
    return _gone(model, path, tolerance)


def carried_along(model: Model, state: State, step: Array, tolerance: float = 1e-12) -> State:
    """The robot after its joints have moved by `step` (…, joints) along a straight line, the base with them."""
    motion = np.zeros((*state.shape, model.nv))
    motion[..., model.base_dof :] = step
    piece = Piece(0.0, 1.0, line(state, motion, 0.0, model.base_dof))
    y = np.concatenate([state.x[..., :7], np.zeros((*state.shape, 3))], axis=-1)
    y = _carried(model, state, piece, y, tolerance) if state.count else y
    return _with_base(state.integrate(motion), y)


def _gone(model: Model, path: JointPath, tolerance: float) -> BaseMotion:
    allowed = one_number("tolerance", tolerance, "a positive number")
    if not 1e-13 <= allowed <= 1e-2:
        raise InputError(f"tolerance: expected a number from 1e-13 to 1e-2, got {tolerance!r}")
    first = path.first
    base_recoil(model, first)  # which refuses a fixed base
    y = np.concatenate([first.x[..., :7], np.zeros((*first.shape, 3))], axis=-1)
    if first.count:
        for piece in path.pieces:
            y = _carried(model, first, piece, y, allowed)
    return _result(path, y)


def _carried(model: Model, first: State, piece: Piece, y: Array, tolerance: float) -> Array:
    """Place, attitude and swept angle of the base (…, 10) at a piece's end."""
    shape, rows = y.shape, list(BASE_RATES[model.base_kind])

    def slope(s: float, flat: Array) -> Array:
        now = flat.reshape(shape)
        quaternion = normalised(now[..., _ATTITUDE])
        q, qd = piece.at(s)
        data = np.zeros((*first.shape, 7 + model.nq + model.nv))
        data[..., :3], data[..., 3:7], data[..., 7 : 7 + model.nq] = now[..., _PLACE], quaternion, q
        twist, rate = np.zeros((*first.shape, 6)), np.zeros(shape)
        recoil = base_recoil(model, State(model, data))
        twist[..., rows] = (recoil @ np.broadcast_to(qd, (*first.shape, recoil.shape[-1]))[..., None])[..., 0]
        spin = np.concatenate([twist[..., 3:], np.zeros((*first.shape, 1))], axis=-1)
        rate[..., _PLACE], rate[..., _ATTITUDE] = twist[..., :3], 0.5 * multiply(spin, quaternion)
        rate[..., _SWEPT] = turned(conjugate(quaternion), twist[..., 3:])
        return rate.reshape(-1)

    span, options = (piece.start, piece.end), {"rtol": tolerance, "atol": tolerance}
    found = integrated(slope, span, y.reshape(-1), "the joint path", **options)
    return found.y[:, -1].reshape(shape)


def _result(path: JointPath, y: Array) -> BaseMotion:
    final = _with_base(path.last, y)
    turn = logarithm(multiply(conjugate(path.first.x[..., 3:7]), final.x[..., 3:7]))
    return BaseMotion(final, turn, y[..., _SWEPT], y[..., _PLACE] - path.first.x[..., :3])


def _with_base(state: State, y: Array) -> State:
    """The state with its base where `y` (…, 10) has it; states of elements stay."""
    data = state._data.copy()
    data[..., :3], data[..., 3:7] = y[..., _PLACE], normalised(y[..., _ATTITUDE])
    return state._handing_on(State(state.model, data))


def _check_closed(model: Model, path: JointPath) -> None:
    """Raise unless all bodies are where they began, seen from the base."""
    first, last = (forward_kinematics(model, s).bodies for s in (path.first, path.last))
    for what, unit in (("position", "m"), ("rotation", "rad")):
        a, b = getattr(first, what), getattr(last, what)
        apart = np.abs(a - b).max(axis=tuple(i for i in range(a.ndim) if i != len(path.first.shape)), initial=0.0)
        if apart.max(initial=0.0) > _CLOSED * (1.0 + np.abs(a).max(initial=0.0)):
            body = model.body_names[int(np.argmax(apart))]
            raise InputError(
                f"loop: body '{body}' ends {apart.max():.3g} {unit} away from where it began, seen from the base: the "
                "loop is not closed; end it with its first corner, or use base_motion"
            )
