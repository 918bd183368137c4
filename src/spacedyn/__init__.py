"""Kinematics, dynamics, control and simulation of articulated multibody systems with a moving base.

Names are loaded when they are first asked for (PEP 562), so that `spacedyn --help` need not wait for the compiler.
"""

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scipy.spatial.transform import Rotation

    from . import control, kane, lagrangian, operators
    from .derivatives import forward_dynamics_derivatives, inverse_dynamics_derivatives
    from .dynamics import (
        bias_force,
        forward_dynamics,
        hybrid_dynamics,
        inverse_dynamics,
        joint_reactions,
        passive_force,
    )
    from .errors import (
        CacheWarning,
        InputError,
        ModelError,
        ModelWarning,
        RunWarning,
        ScenarioError,
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
    from .linearize import Linearization, linearize
    from .lint import check_file
    from .matrices import (
        coriolis_matrix,
        mass_matrix,
        mass_matrix_blocks,
        mass_matrix_inverse,
        mass_matrix_inverse_product,
    )
    from .methods import DormandPrince5, DormandPrince8, Radau5, RungeKutta4, SemiImplicitEuler, Variational
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
    from .motions import motion
    from .run import Run
    from .scenario import Scenario, scenarios
    from .simulate import simulate
    from .trajectories import sample, table, waypoints
    from .turning import attitude_waypoints
    from .verify import verify
    from .viewer.film import film
    from .viewer.live import view

__version__ = "0.1.0"

# Where public names are at home. The imports above say the same to editors and type checkers: a new name goes into
# both, and into __all__.
_NAMES_OF = {
    ".derivatives": "forward_dynamics_derivatives inverse_dynamics_derivatives",
    ".dynamics": "bias_force forward_dynamics hybrid_dynamics inverse_dynamics joint_reactions passive_force",
    ".errors": (
        "CacheWarning InputError ModelError ModelWarning RunWarning ScenarioError SimulationFailed SpacedynError "
        "UnknownName"
    ),
    ".events": "Event condition endpoint_reaches endpoints_within joint_reaches",
    ".forces": "Drag Spring Tether Wrench",
    ".freefloating": "base_recoil generalized_inertia generalized_jacobian reaction_null_space",
    ".kinematics": (
        "body_jacobian endpoint_acceleration endpoint_jacobian endpoint_jacobian_rate endpoint_pose "
        "endpoint_velocity forward_kinematics jacobian_rate"
    ),
    ".laws": "law",
    ".lint": "check_file",
    ".linearize": "Linearization linearize",
    ".matrices": ("coriolis_matrix mass_matrix mass_matrix_blocks mass_matrix_inverse mass_matrix_inverse_product"),
    ".methods": "DormandPrince5 DormandPrince8 Radau5 RungeKutta4 SemiImplicitEuler Variational",
    ".model.build": "Builder",
    ".model.load": "available load",
    ".model.mimic": "Mimic mimic_coupling read_mimics",
    ".model.model": "Model",
    ".model.parts": "Visual",
    ".model.scene": "scene",
    ".model.state": "State",
    ".modes": "FREE LOCKED PRESCRIBED attach follow free lock release",
    ".momentum": (
        "center_of_mass center_of_mass_acceleration center_of_mass_velocity kinetic_energy momentum "
        "momentum_matrix momentum_matrix_rate potential_energy"
    ),
    ".motions": "motion",
    ".run": "Run",
    ".scenario": "Scenario scenarios",
    ".simulate": "simulate",
    ".trajectories": "sample table waypoints",
    ".turning": "attitude_waypoints",
    ".verify": "verify",
    ".viewer.film": "film",
    ".viewer.live": "view",
    "scipy.spatial.transform": "Rotation",
}
_HOMES = {name: home for home, names in _NAMES_OF.items() for name in names.split()}
_MODULES = {
    "control": ".control",
    "kane": ".kane",
    "lagrangian": ".lagrangian",
    "operators": ".operators",
    "shapes": ".model.shapes",
}


class _Package(ModuleType):
    """Keeps a public name what it is when a module of the same name is imported: `momentum`, `simulate`."""

    def __setattr__(self, name: str, value: Any) -> None:
        same = isinstance(value, ModuleType) and name in _HOMES
        super().__setattr__(name, getattr(value, name) if same else value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name], __name__), name)
    elif name in _MODULES:
        value = import_module(_MODULES[name], __name__)
    elif not name.startswith("_") and find_spec(f"{__name__}.{name}") is not None:
        value = import_module(f".{name}", __name__)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *__all__})


__all__ = [
    "FREE",
    "LOCKED",
    "PRESCRIBED",
    "Builder",
    "CacheWarning",
    "DormandPrince5",
    "DormandPrince8",
    "Drag",
    "Event",
    "InputError",
    "Linearization",
    "Mimic",
    "Model",
    "ModelError",
    "ModelWarning",
    "Radau5",
    "Rotation",
    "Run",
    "RunWarning",
    "RungeKutta4",
    "Scenario",
    "ScenarioError",
    "SemiImplicitEuler",
    "SimulationFailed",
    "SpacedynError",
    "Spring",
    "State",
    "Tether",
    "UnknownName",
    "Variational",
    "Visual",
    "Wrench",
    "attach",
    "attitude_waypoints",
    "available",
    "base_recoil",
    "bias_force",
    "body_jacobian",
    "center_of_mass",
    "center_of_mass_acceleration",
    "center_of_mass_velocity",
    "check_file",
    "condition",
    "control",
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
    "linearize",
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
    "scenarios",
    "scene",
    "shapes",
    "simulate",
    "table",
    "verify",
    "view",
    "waypoints",
]
