"""The free-floating robot: what the base does when joints move and nothing acts from outside, and what to do about it.

    Hb (v0; ω0) + Hbm q̇ = (P; L)        L about the base's centre of mass; conserved (but for -v0 × P)

Every function takes one state or a batch, and robots that differ. Inertial axes, linear first; docs/freefloating.md.
"""

from ..quantities.freefloating import base_recoil, generalized_inertia, generalized_jacobian, reaction_null_space
from .base_motion import BaseMotion, base_motion, holonomy
from .inverse_kinematics import InverseKinematics, inverse_kinematics
from .manipulability import Manipulability, Singularities, dynamic_singularities, manipulability
from .momentum import MomentumShares, bias_momentum, distributed_momentum
from .rates import (
    EndpointAcceleration,
    EndpointVelocity,
    endpoint_acceleration,
    endpoint_velocity,
    generalized_jacobian_rate,
)
from .workspace import Workspace, workspace
from .zero_reaction_paths import ZeroReactionPath, zero_reaction_path

__all__ = [
    "BaseMotion",
    "EndpointAcceleration",
    "EndpointVelocity",
    "InverseKinematics",
    "Manipulability",
    "MomentumShares",
    "Singularities",
    "Workspace",
    "ZeroReactionPath",
    "base_motion",
    "base_recoil",
    "bias_momentum",
    "distributed_momentum",
    "dynamic_singularities",
    "endpoint_acceleration",
    "endpoint_velocity",
    "generalized_inertia",
    "generalized_jacobian",
    "generalized_jacobian_rate",
    "holonomy",
    "inverse_kinematics",
    "manipulability",
    "reaction_null_space",
    "workspace",
    "zero_reaction_path",
]
