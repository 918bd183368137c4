"""Kinematics, dynamics, control and simulation of articulated multibody systems with a moving base."""

from scipy.spatial.transform import Rotation

from . import kane, lagrangian, operators
from .derivatives import forward_dynamics_derivatives, inverse_dynamics_derivatives
from .dynamics import (
    bias_force,
    coriolis_matrix,
    forward_dynamics,
    hybrid_dynamics,
    inverse_dynamics,
    joint_reactions,
    mass_matrix,
    mass_matrix_blocks,
    mass_matrix_inverse,
    mass_matrix_inverse_product,
    passive_force,
)
from .errors import (
    InputError,
    ModelError,
    ModelWarning,
    RunWarning,
    SimulationFailed,
    SpacedynError,
    UnknownName,
)
from .events import Event, condition, endpoint_reaches, endpoints_within, joint_reaches
from .forces import Drag, Spring, Tether, Wrench
from .freefloating import base_recoil, generalized_inertia, generalized_jacobian, reaction_null_space
from .kinematics import (
    body_jacobian,
    endpoint_acceleration,
    endpoint_jacobian,
    endpoint_jacobian_rate,
    endpoint_pose,
    endpoint_velocity,
    forward_kinematics,
    jacobian_rate,
)
from .laws import law
from .lint import check_file
from .methods import DormandPrince5, DormandPrince8, RungeKutta4, SemiImplicitEuler
from .model import shapes
from .model.build import Builder
from .model.load import available, load
from .model.mimic import Mimic, mimic_coupling, read_mimics
from .model.model import Model
from .model.parts import Visual
from .model.scene import scene
from .model.state import State
from .modes import FREE, LOCKED, PRESCRIBED, attach, follow, free, lock, release
from .momentum import (
    center_of_mass,
    center_of_mass_acceleration,
    center_of_mass_velocity,
    kinetic_energy,
    momentum,
    momentum_matrix,
    momentum_matrix_rate,
    potential_energy,
)
from .prescribe import motion
from .run import Run
from .simulate import simulate
from .trajectories import sample, table, waypoints
from .verify import verify
from .viewer.film import film
from .viewer.live import view

__version__ = "0.1.0"
__all__ = [
    "FREE",
    "LOCKED",
    "PRESCRIBED",
    "Builder",
    "DormandPrince5",
    "DormandPrince8",
    "Drag",
    "Event",
    "InputError",
    "Mimic",
    "Model",
    "ModelError",
    "ModelWarning",
    "Rotation",
    "Run",
    "RunWarning",
    "RungeKutta4",
    "SemiImplicitEuler",
    "SimulationFailed",
    "SpacedynError",
    "Spring",
    "State",
    "Tether",
    "UnknownName",
    "Visual",
    "Wrench",
    "attach",
    "available",
    "base_recoil",
    "bias_force",
    "body_jacobian",
    "center_of_mass",
    "center_of_mass_acceleration",
    "center_of_mass_velocity",
    "check_file",
    "condition",
    "coriolis_matrix",
    "endpoint_acceleration",
    "endpoint_jacobian",
    "endpoint_jacobian_rate",
    "endpoint_pose",
    "endpoint_reaches",
    "endpoint_velocity",
    "endpoints_within",
    "film",
    "follow",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "forward_kinematics",
    "free",
    "generalized_inertia",
    "generalized_jacobian",
    "hybrid_dynamics",
    "inverse_dynamics",
    "inverse_dynamics_derivatives",
    "jacobian_rate",
    "joint_reaches",
    "joint_reactions",
    "kane",
    "kinetic_energy",
    "lagrangian",
    "law",
    "load",
    "lock",
    "mass_matrix",
    "mass_matrix_blocks",
    "mass_matrix_inverse",
    "mass_matrix_inverse_product",
    "mimic_coupling",
    "momentum",
    "momentum_matrix",
    "momentum_matrix_rate",
    "motion",
    "operators",
    "passive_force",
    "potential_energy",
    "reaction_null_space",
    "read_mimics",
    "release",
    "sample",
    "scene",
    "shapes",
    "simulate",
    "table",
    "verify",
    "view",
    "waypoints",
]
