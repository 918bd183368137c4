"""Quantities of a free-floating robot: how the base reacts when the joints move and nothing acts from outside.

With (P; L) the momentum about the base's centre of mass: Hb (v0; ω0) + Hbm q̇ = (P; L).
Umetani & Yoshida (1989); Nenchev, Umetani & Yoshida (1992) for the reaction null space.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from ..errors import InputError
from ..kernels.robot import freefloating as _freefloating
from ..kernels.robot import layout as k
from ..model.model import Model
from ..model.state import State
from ..signatures import is_several
from .calls import NOTHING, check_model, check_state, endpoint_frame, run_on_states

Array = np.ndarray


def generalized_jacobian(model: Model, state: State, endpoint: str) -> Array:
    """Jacobian (…, 6, joints) from joint rates to the endpoint's velocity while momentum is zero: J_m - J_b Hb⁻¹ Hbm.

    With momentum (P; L) about the base's centre of mass add J_b Hb⁻¹ (P; L). Inertial axes, linear first.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> sd.generalized_jacobian(robot, robot.neutral_state(), "hand").shape
    (6, 6)
    """
    there = endpoint_frame(model, endpoint)
    return _floating(model, state, k.JACOBIAN, 6, (there.bodies, there.points))


def generalized_inertia(model: Model, state: State) -> Array:
    """Mass matrix (…, joints, joints) that the joints feel on a floating base: Hm - Hbm' Hb⁻¹ Hbm.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> floating = sd.generalized_inertia(robot, robot.neutral_state())
    >>> fixed = sd.mass_matrix_blocks(robot, robot.neutral_state()).Hm
    >>> bool(np.all(np.linalg.eigvalsh(fixed - floating) > -1e-12))
    True
    """
    return _floating(model, state, k.GENERALIZED_INERTIA, None)


def base_recoil(model: Model, state: State) -> Array:
    """Base rates per unit of joint rates while momentum is zero, (…, base, joints): -Hb⁻¹ Hbm.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> recoil = sd.base_recoil(robot, robot.neutral_state())
    >>> bool(recoil[2, 0] < 0)  # the base turns against the first joint
    True
    """
    check_model(model)
    return _floating(model, state, k.RECOIL, model.base_dof)


_REACTIONS = {
    "rotation": k.NULL_SPACE_MOMENT,
    "moment": k.NULL_SPACE_MOMENT,
    "translation": k.NULL_SPACE_FORCE,
    "force": k.NULL_SPACE_FORCE,
    "all": k.NULL_SPACE,
}


def reaction_null_space(
    model: Model, state: State, *, reaction: str = "moment", joints: Iterable[str] | None = None
) -> Array:
    """Projector (…, joints, joints) onto joint rates that leave the base's attitude (or place, or both) undisturbed.

    Parameters
    ----------
    model, state
        The robot; one state or a batch.
    reaction : 'moment', 'force' or 'all'
        What must not happen to the base while momentum is zero. 'moment' (or 'rotation'): the base does not turn, while
        it may drift. 'force' (or 'translation'): its centre of mass does not move, while it may turn. 'all': neither.
    joints : names of joints, optional
        Those that may move; all if left out. Rows and columns of the others are zero.

    Returns
    -------
    (…, joints, joints)
        A symmetric projector P, order of q̇: P q̇ is the quiet motion nearest to q̇. Its rank is the number of such
        motions.

    Notes
    -----
    The map is the base's true recoil, -Hb⁻¹ Hbm: its rows of ω0 for 'moment', those of v0 for 'force'. The coupling
    block Hbm alone, whose lower rows are the angular momentum of the joints about the base's centre of mass, has the
    same null space as the rows of ω0 only where Hb has no coupling of its own: where the base's centre of mass is that
    of the whole robot. Elsewhere a motion in the null space of the coupling block turns the base, since the base also
    drifts [1]_. For 'all', both maps have the same null space everywhere.

    .. [1] D. N. Nenchev, Y. Umetani, K. Yoshida, Analysis of a redundant free-flying spacecraft/manipulator system,
       IEEE Transactions on Robotics and Automation 8, 1992.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> state = robot.state(q=[0.3, -0.5, 0.4, 0.2])
    >>> quiet = sd.reaction_null_space(robot, state)
    >>> np.allclose(sd.base_recoil(robot, state)[2:] @ quiet, 0)
    True
    >>> two = sd.reaction_null_space(robot, state, joints=["joint1", "joint3"])
    >>> int(np.linalg.matrix_rank(two)), np.allclose(sd.base_recoil(robot, state)[2:] @ two, 0)
    (1, True)
    """
    if not isinstance(reaction, str) or reaction not in _REACTIONS:
        raise InputError(f"reaction: expected 'moment', 'force' or 'all', got {reaction!r}")
    if joints is None:
        check_model(model)
        return _floating(model, state, _REACTIONS[reaction], None, _every_joint(model.flat.joint_rates))
    check_state(model, state)
    chosen = rates_of_joints(model, joints)
    found = _floating(model, state, _REACTIONS[reaction], None, (chosen.astype(np.int64), NOTHING))
    return found * (chosen[:, None] & chosen)


@lru_cache(maxsize=64)
def _every_joint(rates: int) -> tuple[Array, Array]:
    """That all joints may move, as the kernel takes it: made once, for it costs as much as a pose."""
    return np.ones(rates, dtype=np.int64), NOTHING


def rates_of_joints(model: Model, joints: Any) -> Array:
    """(nv - base,) True for the rates of the joints that are named, or of all if that is None."""
    if joints is None:
        return np.ones(model.flat.joint_rates, dtype=bool)
    names = [joints] if isinstance(joints, str) else joints
    if not is_several(names):
        raise InputError(f"joints: expected names of joints, got {names!r}")
    chosen = np.zeros(model.flat.joint_rates, dtype=bool)
    for name in names:
        chosen[model.qd_slice(name)] = True
    return chosen


_NO_POINT = np.empty(0, dtype=np.int64), NOTHING


def _floating(model: Model, state: State, what: int, rows: int | None, point: tuple[Array, Array] = _NO_POINT) -> Array:
    """A matrix (…, rows, joints) of a free-floating robot; as many rows as columns if None."""
    here = check_state(model, state)
    nv, joints = here.flat.rates, here.flat.joint_rates
    if nv == joints:
        raise InputError(f"'{model.name}' has a fixed base, which does not recoil; build it with base='free'")
    rows = joints if rows is None else rows
    room = 2 * nv * (nv + 9)
    return run_on_states(_freefloating.run, here, point, (what, rows * joints), (rows, joints), room, tables=2)
