"""A robot, and arguments for every public function that takes a model and a state."""

import numpy as np

import spacedyn as sd

ARM = "arm"

JOINTS, NV = 4, 10


def build(name=ARM, base="free", mass=2.0):
    """A free base, a revolute and a spherical joint, two endpoints."""
    builder = sd.Builder(name, base=base)
    builder.base("bus", mass=20.0, inertia=(2, 3, 4))
    builder.link("elbow", "revolute", parent="bus", position=(1, 0, 0), mass=mass, inertia=(0.1, 0.2, 0.25))
    builder.link("wrist", "spherical", parent="elbow", position=(1, 0, 0), mass=1.0, inertia=(0.1, 0.2, 0.25))
    builder.endpoint("hand", body="wrist", position=(0.5, 0, 0))
    builder.endpoint("eye", body="bus")
    return builder.build()


MODEL = build()

ONE = MODEL.random_state(np.random.default_rng(0))

NEEDED = {
    "base_recoil": {},
    "bias_force": {},
    "body_jacobian": {"body": "wrist"},
    "center_of_mass": {},
    "center_of_mass_acceleration": {"udot": np.zeros(NV)},
    "center_of_mass_velocity": {},
    "coriolis_matrix": {},
    "endpoint_acceleration": {"udot": np.zeros(NV), "endpoint": "hand"},
    "endpoint_jacobian": {"endpoint": "hand"},
    "endpoint_jacobian_rate": {"endpoint": "hand"},
    "endpoint_pose": {"endpoint": "hand"},
    "endpoint_velocity": {"endpoint": "hand"},
    "forward_dynamics": {},
    "forward_dynamics_derivatives": {},
    "forward_kinematics": {},
    "generalized_inertia": {},
    "generalized_jacobian": {"endpoint": "hand"},
    "hybrid_dynamics": {"given": ["elbow"], "udot": np.zeros(NV)},
    "inverse_dynamics": {"udot": np.zeros(NV)},
    "inverse_dynamics_derivatives": {"udot": np.zeros(NV)},
    "jacobian_rate": {"body": "wrist"},
    "joint_reactions": {"udot": np.zeros(NV)},
    "kinetic_energy": {},
    "mass_matrix": {},
    "mass_matrix_blocks": {},
    "mass_matrix_inverse": {},
    "mass_matrix_inverse_product": {"vectors": np.zeros(NV)},
    "momentum": {"about": "com"},
    "momentum_matrix": {"about": "com"},
    "momentum_matrix_rate": {"about": "com"},
    "passive_force": {},
    "potential_energy": {},
    "reaction_null_space": {},
}
