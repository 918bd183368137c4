"""Momentum of a robot including the mass and momentum that its elements carry: propellant, modes."""

from typing import Any

import numpy as np

from ..model.model import Model
from ..model.state import State

Array = np.ndarray
MASS, MOMENT, MOMENTUM, SPIN = slice(0, 1), slice(1, 4), slice(4, 7), slice(7, 10)
"""What a row's `carried` holds: about the base's centre of mass, and relative to its velocity."""


def with_carried(model: Model, states: State, centre: Array, bodies: Array, carried: Array) -> tuple[Array, Array]:
    """Total momentum (…, 6), L about the total centre of mass; and magnitudes (…, 2) of the elements' part of p and L.

    Parameters
    ----------
    model, states
        The robot.
    centre : (…, 3)
        Its centre of mass, without what elements carry.
    bodies : (…, 6)
        Momentum of the robot without what elements carry, L about `centre`.
    carried : (…, 10)
        Mass, first moment and momentum that elements carry (`kernels/sim/layout.py`).
    """
    mass: Any = np.asarray(model.total_mass)[..., None] if model.shape else model.total_mass
    v0, at = states.base_velocity, centre - states.base_position
    more, total = carried[..., MASS], mass + carried[..., MASS]
    p = bodies[..., :3] - mass * v0
    spin = bodies[..., 3:] + np.cross(at, p) + carried[..., SPIN]
    whole = (mass * at + carried[..., MOMENT]) / total
    L = spin - np.cross(whole, p + carried[..., MOMENTUM])
    own = carried[..., MOMENTUM] + more * v0
    sizes = np.stack([np.linalg.norm(own, axis=-1), np.linalg.norm(L - bodies[..., 3:], axis=-1)], axis=-1)
    return np.concatenate([bodies[..., :3] + own, L], axis=-1), sizes
