"""How momentum is shared: between the base and the joints' motion, and among the bodies.

    (P; L) = A_b (v0; ω0) + A_m q̇,      L about the robot's centre of mass

A_b (v0; ω0) is the momentum of the robot as one rigid body; A_m q̇ is the coupling momentum, which the base takes over
when the joints are locked. Dimitrov & Yoshida (2004) call it bias momentum where it is put into the arm beforehand.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..model.model import Model
from ..model.parts import stacked
from ..model.state import State
from ..quantities.calls import finite_results
from ..quantities.kinematics import forward_kinematics
from ..quantities.momentum import center_of_mass, momentum_matrix
from ..signatures import checked_arguments

Array = np.ndarray


class MomentumShares(NamedTuple):
    """(P; L) [kg m/s, kg m²/s], inertial axes, L about the robot's centre of mass."""

    total: Array  # (…, 6) base + coupling, and the sum over all bodies
    base: Array  # (…, 6) of the robot as one rigid body that moves as the base does
    coupling: Array  # (…, 6) of the joints' motion relative to the base
    bodies: Array  # (…, bodies, 6) of each body, the base first


@checked_arguments("about")
@finite_results
def bias_momentum(model: Model, state: State, *, about: str | ArrayLike = "com") -> Array:
    """Coupling momentum (…, 6) that the joints' motion carries: A_m q̇, which the base takes over if they are locked.

    Parameters
    ----------
    model, state
        The robot; one state or a batch. The base's rates do not matter.
    about : 'com', 'base', 'origin' or (…, 3)
        The point that L is about, as in `sd.momentum`. About the base's centre of mass it is Hbm q̇, of a free base.

    Returns
    -------
    (…, 6)
        Linear [kg m/s], then angular [kg m²/s], inertial axes.

    Notes
    -----
    About the robot's centre of mass the base's velocity does not enter L, and the angular part is the coupling angular
    momentum of the literature, the translation being eliminated [1]_.

    .. [1] D. N. Dimitrov, K. Yoshida, Momentum distribution in a space manipulator for facilitating the post-impact
       control, IROS 2004.

    Examples
    --------
    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> state = robot.state(q=[0.3, 0.4, -0.8, 0.2, 0.4, 0.1], qd=np.ones(6))
    >>> bias = sd.freefloating.bias_momentum(robot, state, about="base")
    >>> np.allclose(bias, sd.mass_matrix_blocks(robot, state).Hbm @ state.qd)
    True
    """
    A = momentum_matrix(model, state, about=about)
    return (A[..., model.base_dof :] @ state.qd[..., None])[..., 0]


@checked_arguments()
@finite_results
def distributed_momentum(model: Model, state: State) -> MomentumShares:
    """Momentum about the robot's centre of mass, and its shares: of base and joints, and of each body.

    Parameters
    ----------
    model, state
        The robot; one state or a batch.

    Returns
    -------
    MomentumShares
        `total`, `base`, `coupling` (…, 6) with base + coupling = total, and `bodies` (…, bodies, 6), which add up to
        the total too. A body has m v and I ω + (r - c) × m v, with c the robot's centre of mass, not a moving frame's.

    Examples
    --------
    A robot that was at rest moves its arm: the base has as much angular momentum as the arm, the other way.

    >>> import spacedyn as sd
    >>> robot = sd.load("planar_four_link")
    >>> state, qd = robot.state(q=[0.3, -0.5, 0.4, 0.2]), np.array([0.2, 0, 0, 0])
    >>> v0, w0 = np.split(sd.base_recoil(robot, state) @ qd, [2])
    >>> moving = state.replace(qd=qd, base_velocity=[*v0, 0], base_rate=[0, 0, *w0])
    >>> shares = sd.freefloating.distributed_momentum(robot, moving)
    >>> np.allclose(shares.total, 0), np.allclose(shares.base, -shares.coupling)
    (True, True)
    >>> np.allclose(shares.bodies[1:].sum(axis=0), -shares.bodies[0])
    True
    """
    A, b = momentum_matrix(model, state, about="com"), model.base_dof
    base = (A[..., :b] @ state.u[..., :b, None])[..., 0]
    coupling = (A[..., b:] @ state.qd[..., None])[..., 0]
    return MomentumShares(base + coupling, base, coupling, _of_bodies(model, state))


def _of_bodies(model: Model, state: State) -> Array:
    """(…, bodies, 6) momentum of each body about the robot's centre of mass."""
    there = forward_kinematics(model, state).centroids
    P = stacked(model.bodies, "mass")[..., None] * there.velocity[..., :3]
    turned = np.swapaxes(there.rotation, -1, -2) @ there.velocity[..., 3:, None]
    spin = (there.rotation @ (stacked(model.bodies, "inertia") @ turned))[..., 0]
    lever = there.position - center_of_mass(model, state)[..., None, :]
    return np.concatenate([P, spin + np.cross(lever, P)], axis=-1)
