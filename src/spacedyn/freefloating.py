"""A free-floating robot's own quantities: what the base does when the joints move and nothing else pushes.

With (P; L) the momentum about the base's centre of mass: Hb (v0; ω0) + Hbm q̇ = (P; L).
Umetani & Yoshida (1989); Nenchev, Umetani & Yoshida (1992) for the reaction null space.
"""

import numpy as np

from .calls import check_state
from .errors import InputError
from .kinematics import endpoint_jacobian
from .matrices import Blocks, mass_matrix_blocks
from .model.model import Model
from .model.state import State

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
    J, b = endpoint_jacobian(model, state, endpoint), model.base_dof
    return J[..., b:] + J[..., :b] @ base_recoil(model, state)


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
    blocks = _floating_blocks(model, state)
    return blocks.Hm - np.swapaxes(blocks.Hbm, -1, -2) @ np.linalg.solve(blocks.Hb, blocks.Hbm)


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
    blocks = _floating_blocks(model, state)
    return -np.linalg.solve(blocks.Hb, blocks.Hbm)


def reaction_null_space(model: Model, state: State, *, reaction: str = "moment") -> Array:
    """Projector (…, joints, joints) onto joint rates that leave the base's attitude (or all of it) undisturbed.

    Parameters
    ----------
    model, state
        The robot; one state or a batch.
    reaction : 'moment' or 'all'
        Which base reaction must vanish: the moment alone (attitude undisturbed while the base may drift), or force and
        moment.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> state = robot.state(q=[0.3, -0.5, 0.4, 0.2])
    >>> quiet = sd.reaction_null_space(robot, state)
    >>> np.allclose(sd.base_recoil(robot, state)[2:] @ quiet, 0)
    True
    """
    blocks = _floating_blocks(model, state)
    if reaction not in ("moment", "all"):
        raise InputError(f"reaction: expected 'moment' or 'all', got {reaction!r}")
    coupling = blocks.Hbm
    if reaction == "moment":
        # the angular part with the base's translation eliminated: momentum about the robot's centre of mass
        angular = {"free": slice(3, 6), "attitude": slice(0, 3), "planar": slice(2, 3)}[model.base_kind]
        coupling = -np.linalg.solve(blocks.Hb, blocks.Hbm)[..., angular, :]
    joints = coupling.shape[-1]
    return np.eye(joints) - np.linalg.pinv(coupling, rcond=1e-10) @ coupling


def _floating_blocks(model: Model, state: State) -> Blocks:
    check_state(model, state)
    if model.base_dof == 0:
        raise InputError(f"'{model.name}' has a fixed base, which does not recoil; build it with base='free'")
    return mass_matrix_blocks(model, state)
