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

    from . import freefloating, orbit
    from .contact.contacts import contacts
    from .contact.distances import distance
    from .contact.height_fields import HeightField, RoughGround
    from .contact.materials import ContactMaterial, contact_material
    from .contact.surfaces import EllipsoidSurface, Plane, SphereSurface
    from .contact.triangle_mesh import TriangleMesh
    from .elements.accelerometer import Accelerometer
    from .elements.atmospheric_drag import AtmosphericDrag
    from .elements.contact import Contact
    from .elements.coupling import Coupling
    from .elements.dc_motor import DCMotor
    from .elements.drag import Drag
    from .elements.element import Block
    from .elements.encoder import Encoder
    from .elements.flexible_drive import FlexibleDrive
    from .elements.force_torque import ForceTorqueSensor
    from .elements.friction import BristleFriction
    from .elements.grapple import Grapple
    from .elements.gravity import CentralGravity, UniformGravity
    from .elements.gyro import Gyro
    from .elements.held_joints import LockedJoint, PrescribedJoint
    from .elements.hill_frame import GravityGradient, HillFrame
    from .elements.loop import Loop
    from .elements.loop_files import read_loops
    from .elements.magnetic_field import MagneticField
    from .elements.magnetometer import Magnetometer
    from .elements.magnetorquer import Magnetorquer
    from .elements.modal import ModalAppendage
    from .elements.motor import Motor
    from .elements.orbiting_origin import OrbitingOrigin
    from .elements.relative_pose import RelativePoseSensor
    from .elements.rigid_contact import RigidContact
    from .elements.rolling import Rolling
    from .elements.shape_contact import ShapeContact
    from .elements.sleeping import Sleeping
    from .elements.solar_pressure import SolarPressure
    from .elements.spring import Spring, Tether
    from .elements.star_tracker import StarTracker
    from .elements.sun_sensor import SunSensor
    from .elements.tank import Tank
    from .elements.third_body import ThirdBody
    from .elements.thruster import Thruster
    from .elements.user_elements import element
    from .elements.wrench import Wrench
    from .elements.zonal_gravity import ZonalGravity
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
    from .formulations import kane, lagrangian, operators
    from .laws import ready_made as control
    from .laws.conditions import condition
    from .laws.law import law
    from .laws.motion_functions import motion
    from .lint import check_file
    from .model import shapes
    from .model.build import Builder
    from .model.files.load import available, load
    from .model.files.mimic import Mimic, mimic_coupling, read_mimics
    from .model.model import Model
    from .model.parts import Visual
    from .model.scene import scene
    from .model.slosh import SloshMode, cylinder_slosh
    from .model.state import State
    from .model.vibration import Vibration
    from .motion.attitude_paths import attitude_waypoints
    from .motion.endpoint_paths import endpoint_line, endpoint_screw, endpoint_waypoints
    from .motion.profiles import minimum_jerk, trapezoidal
    from .motion.trajectories import sample, table, waypoints
    from .peers.verify import verify
    from .quantities.derivatives import forward_dynamics_derivatives, inverse_dynamics_derivatives
    from .quantities.dynamics import (
        bias_force,
        forward_dynamics,
        hybrid_dynamics,
        inverse_dynamics,
        joint_reactions,
        passive_force,
    )
    from .quantities.freefloating import base_recoil, generalized_inertia, generalized_jacobian, reaction_null_space
    from .quantities.identification import IdentifiedBody, identify_target, momentum_regressor
    from .quantities.kinematics import (
        body_jacobian,
        endpoint_acceleration,
        endpoint_jacobian,
        endpoint_jacobian_rate,
        endpoint_pose,
        endpoint_velocity,
        forward_kinematics,
        jacobian_rate,
    )
    from .quantities.matrices import (
        coriolis_matrix,
        mass_matrix,
        mass_matrix_blocks,
        mass_matrix_inverse,
        mass_matrix_inverse_product,
    )
    from .quantities.momentum import (
        center_of_mass,
        center_of_mass_acceleration,
        center_of_mass_velocity,
        kinetic_energy,
        momentum,
        momentum_matrix,
        momentum_matrix_rate,
        potential_energy,
    )
    from .quantities.vibration import natural_frequencies
    from .run.run import Run
    from .run.simulate import simulate
    from .scenario import Scenario, scenarios
    from .show.viewer.film import film
    from .show.viewer.live import view
    from .simulate import actions, constraints
    from .simulate import joint_modes as Mode
    from .simulate.closure import assemble
    from .simulate.events import Event, altitude_reaches, endpoint_reaches, endpoints_within, joint_reaches
    from .simulate.linearize import Linearization, linearize
    from .simulate.methods import (
        DormandPrince5,
        DormandPrince8,
        Radau5,
        RungeKutta4,
        SemiImplicitEuler,
        TimeStepping,
        Variational,
    )

__version__ = "0.1.0"

# Where public names are at home. The imports above say the same to editors and type checkers: a new name goes into
# both, and into __all__.
_NAMES_OF = {
    ".contact.contacts": "contacts",
    ".contact.distances": "distance",
    ".contact.triangle_mesh": "TriangleMesh",
    ".quantities.derivatives": "forward_dynamics_derivatives inverse_dynamics_derivatives",
    ".quantities.dynamics": (
        "bias_force forward_dynamics hybrid_dynamics inverse_dynamics joint_reactions passive_force"
    ),
    ".errors": (
        "CacheWarning InputError ModelError ModelWarning RunWarning ScenarioError SimulationFailed SpacedynError "
        "UnknownName"
    ),
    ".simulate.events": "Event altitude_reaches endpoint_reaches endpoints_within joint_reaches",
    ".laws.conditions": "condition",
    ".contact.height_fields": "HeightField RoughGround",
    ".contact.materials": "ContactMaterial contact_material",
    ".contact.surfaces": "EllipsoidSurface Plane SphereSurface",
    ".elements.accelerometer": "Accelerometer",
    ".elements.atmospheric_drag": "AtmosphericDrag",
    ".elements.contact": "Contact",
    ".elements.dc_motor": "DCMotor",
    ".elements.drag": "Drag",
    ".elements.hill_frame": "GravityGradient HillFrame",
    ".elements.orbiting_origin": "OrbitingOrigin",
    ".elements.solar_pressure": "SolarPressure",
    ".elements.third_body": "ThirdBody",
    ".elements.zonal_gravity": "ZonalGravity",
    ".elements.element": "Block",
    ".elements.encoder": "Encoder",
    ".elements.flexible_drive": "FlexibleDrive",
    ".elements.force_torque": "ForceTorqueSensor",
    ".elements.friction": "BristleFriction",
    ".elements.modal": "ModalAppendage",
    ".elements.tank": "Tank",
    ".elements.thruster": "Thruster",
    ".elements.grapple": "Grapple",
    ".elements.gravity": "CentralGravity UniformGravity",
    ".elements.gyro": "Gyro",
    ".elements.held_joints": "LockedJoint PrescribedJoint",
    ".elements.coupling": "Coupling",
    ".elements.loop": "Loop",
    ".elements.loop_files": "read_loops",
    ".elements.magnetic_field": "MagneticField",
    ".elements.magnetometer": "Magnetometer",
    ".elements.magnetorquer": "Magnetorquer",
    ".elements.motor": "Motor",
    ".elements.user_elements": "element",
    ".elements.relative_pose": "RelativePoseSensor",
    ".elements.rigid_contact": "RigidContact",
    ".elements.shape_contact": "ShapeContact",
    ".elements.sleeping": "Sleeping",
    ".elements.rolling": "Rolling",
    ".elements.spring": "Spring Tether",
    ".elements.star_tracker": "StarTracker",
    ".elements.sun_sensor": "SunSensor",
    ".elements.wrench": "Wrench",
    ".quantities.freefloating": "base_recoil generalized_inertia generalized_jacobian reaction_null_space",
    ".quantities.kinematics": (
        "body_jacobian endpoint_acceleration endpoint_jacobian endpoint_jacobian_rate endpoint_pose "
        "endpoint_velocity forward_kinematics jacobian_rate"
    ),
    ".laws.law": "law",
    ".lint": "check_file",
    ".simulate.closure": "assemble",
    ".simulate.linearize": "Linearization linearize",
    ".quantities.matrices": (
        "coriolis_matrix mass_matrix mass_matrix_blocks mass_matrix_inverse mass_matrix_inverse_product"
    ),
    ".simulate.methods": "DormandPrince5 DormandPrince8 Radau5 RungeKutta4 SemiImplicitEuler TimeStepping Variational",
    ".model.build": "Builder",
    ".model.files.load": "available load",
    ".model.files.mimic": "Mimic mimic_coupling read_mimics",
    ".model.model": "Model",
    ".model.parts": "Visual",
    ".model.scene": "scene",
    ".model.slosh": "SloshMode cylinder_slosh",
    ".model.state": "State",
    ".quantities.momentum": (
        "center_of_mass center_of_mass_acceleration center_of_mass_velocity kinetic_energy momentum "
        "momentum_matrix momentum_matrix_rate potential_energy"
    ),
    ".quantities.vibration": "natural_frequencies",
    ".quantities.identification": "IdentifiedBody identify_target momentum_regressor",
    ".model.vibration": "Vibration",
    ".laws.motion_functions": "motion",
    ".run.run": "Run",
    ".scenario": "Scenario scenarios",
    ".run.simulate": "simulate",
    ".motion.trajectories": "sample table waypoints",
    ".motion.attitude_paths": "attitude_waypoints",
    ".motion.endpoint_paths": "endpoint_line endpoint_screw endpoint_waypoints",
    ".motion.profiles": "minimum_jerk trapezoidal",
    ".peers.verify": "verify",
    ".show.viewer.film": "film",
    ".show.viewer.live": "view",
    "scipy.spatial.transform": "Rotation",
}
_HOMES = {name: home for home, names in _NAMES_OF.items() for name in names.split()}
_MODULES = {
    "Mode": ".simulate.joint_modes",
    "actions": ".simulate.actions",
    "control": ".laws.ready_made",
    "constraints": ".simulate.constraints",
    "freefloating": ".freefloating",
    "orbit": ".orbit",
    "kane": ".formulations.kane",
    "lagrangian": ".formulations.lagrangian",
    "operators": ".formulations.operators",
    "shapes": ".model.shapes",
}


class _Package(ModuleType):
    """Keeps a public name what it is when a module of the same name is imported: `simulate`."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (isinstance(value, ModuleType) and name in _HOMES):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


_FORMER = {
    **{name: (".simulate.actions", name) for name in ("attach", "follow", "free", "lock", "release")},
    **{name: (".simulate.joint_modes", name) for name in ("FREE", "LOCKED", "PRESCRIBED")},
    "ForceTorque": (".elements.force_torque", "ForceTorqueSensor"),
    "RelativePose": (".elements.relative_pose", "RelativePoseSensor"),
}
"""Names that scripts may still use: where they are now, and what they are called. They are not listed."""


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name], __name__), name)
    elif name in _FORMER:
        home, now = _FORMER[name]
        value = getattr(import_module(home, __name__), now)
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
    "Accelerometer",
    "AtmosphericDrag",
    "Block",
    "BristleFriction",
    "Builder",
    "CacheWarning",
    "CentralGravity",
    "Contact",
    "ContactMaterial",
    "Coupling",
    "DCMotor",
    "DormandPrince5",
    "DormandPrince8",
    "Drag",
    "EllipsoidSurface",
    "Encoder",
    "Event",
    "FlexibleDrive",
    "ForceTorqueSensor",
    "Grapple",
    "GravityGradient",
    "Gyro",
    "HeightField",
    "HillFrame",
    "IdentifiedBody",
    "InputError",
    "Linearization",
    "LockedJoint",
    "Loop",
    "MagneticField",
    "Magnetometer",
    "Magnetorquer",
    "Mimic",
    "ModalAppendage",
    "Mode",
    "Model",
    "ModelError",
    "ModelWarning",
    "Motor",
    "OrbitingOrigin",
    "Plane",
    "PrescribedJoint",
    "Radau5",
    "RelativePoseSensor",
    "RigidContact",
    "Rolling",
    "Rotation",
    "RoughGround",
    "Run",
    "RunWarning",
    "RungeKutta4",
    "Scenario",
    "ScenarioError",
    "SemiImplicitEuler",
    "ShapeContact",
    "SimulationFailed",
    "Sleeping",
    "SloshMode",
    "SolarPressure",
    "SpacedynError",
    "SphereSurface",
    "Spring",
    "StarTracker",
    "State",
    "SunSensor",
    "Tank",
    "Tether",
    "ThirdBody",
    "Thruster",
    "TimeStepping",
    "TriangleMesh",
    "UniformGravity",
    "UnknownName",
    "Variational",
    "Vibration",
    "Visual",
    "Wrench",
    "ZonalGravity",
    "actions",
    "altitude_reaches",
    "assemble",
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
    "constraints",
    "contact_material",
    "contacts",
    "control",
    "coriolis_matrix",
    "cylinder_slosh",
    "distance",
    "element",
    "endpoint_acceleration",
    "endpoint_jacobian",
    "endpoint_jacobian_rate",
    "endpoint_line",
    "endpoint_pose",
    "endpoint_reaches",
    "endpoint_screw",
    "endpoint_velocity",
    "endpoint_waypoints",
    "endpoints_within",
    "film",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "forward_kinematics",
    "freefloating",
    "generalized_inertia",
    "generalized_jacobian",
    "hybrid_dynamics",
    "identify_target",
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
    "mass_matrix",
    "mass_matrix_blocks",
    "mass_matrix_inverse",
    "mass_matrix_inverse_product",
    "mimic_coupling",
    "minimum_jerk",
    "momentum",
    "momentum_matrix",
    "momentum_matrix_rate",
    "momentum_regressor",
    "motion",
    "natural_frequencies",
    "operators",
    "orbit",
    "passive_force",
    "potential_energy",
    "reaction_null_space",
    "read_loops",
    "read_mimics",
    "sample",
    "scenarios",
    "scene",
    "shapes",
    "simulate",
    "table",
    "trapezoidal",
    "verify",
    "view",
    "waypoints",
]
