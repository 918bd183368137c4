"""Kinematics, momentum and free-floating quantities of one robot: our calls, and what they take with Pinocchio.

What Pinocchio has no function for is composed from those that it has, with NumPy, as one would write it.
"""

from typing import Any

import numpy as np
import pinocchio as pin

import spacedyn as sd

from .cases import Case
from .peers import END
from .timing import Contestant

WORLD = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
UPPER = "H = pin.crba(m, d, q); H = np.triu(H) + np.triu(H, 1).T"
RECOIL = f"{UPPER}; R = -np.linalg.solve(H[:6, :6], H[:6, 6:])"
JACOBIAN = "J = pin.computeFrameJacobian(m, d, q, k, W)"
QUIET = "C = R[3:]; Q = np.eye(C.shape[1]) - np.linalg.pinv(C, rcond=1e-10) @ C"

CALLS = {  # our statement, and Pinocchio's
    "endpoint_pose": (
        "f(model, state, 'hand')",
        "pin.forwardKinematics(m, d, q); P = pin.updateFramePlacement(m, d, k)",
    ),
    "endpoint_velocity": (
        "f(model, state, 'hand')",
        "pin.forwardKinematics(m, d, q, v); V = pin.getFrameVelocity(m, d, k, W)",
    ),
    "endpoint_acceleration": (
        "f(model, state, udot, 'hand')",
        "pin.forwardKinematics(m, d, q, v, a); A = pin.getFrameClassicalAcceleration(m, d, k, W)",
    ),
    "endpoint_jacobian": ("f(model, state, 'hand')", JACOBIAN),
    "endpoint_jacobian_rate": (
        "f(model, state, 'hand')",
        "pin.computeJointJacobiansTimeVariation(m, d, q, v); J = pin.getFrameJacobianTimeVariation(m, d, k, W)",
    ),
    "body_jacobian": ("f(model, state, body)", "J = pin.computeFrameJacobian(m, d, q, c, W)"),
    "jacobian_rate": (
        "f(model, state, body)",
        "pin.computeJointJacobiansTimeVariation(m, d, q, v); J = pin.getFrameJacobianTimeVariation(m, d, c, W)",
    ),
    "forward_kinematics": (
        "f(model, state)",
        "pin.forwardKinematics(m, d, q, v); pin.updateFramePlacements(m, d)",
    ),
    "center_of_mass": ("f(model, state)", "c = pin.centerOfMass(m, d, q)"),
    "center_of_mass_velocity": ("f(model, state)", "pin.centerOfMass(m, d, q, v); w = d.vcom[0]"),
    "center_of_mass_acceleration": ("f(model, state, udot)", "pin.centerOfMass(m, d, q, v, a); w = d.acom[0]"),
    "momentum": ("f(model, state, about='com')", "h = pin.computeCentroidalMomentum(m, d, q, v)"),
    "momentum_matrix": ("f(model, state, about='com')", "A = pin.computeCentroidalMap(m, d, q)"),
    "momentum_matrix_rate": (
        "f(model, state, about='com')",
        "A = pin.computeCentroidalMapTimeVariation(m, d, q, v)",
    ),
    "kinetic_energy": ("f(model, state)", "T = pin.computeKineticEnergy(m, d, q, v)"),
    "potential_energy": ("f(model, state, gravity=g)", "V = pin.computePotentialEnergy(m, d, q)"),
    "base_recoil": ("f(model, state)", RECOIL),
    "generalized_jacobian": ("f(model, state, 'hand')", f"{RECOIL}; {JACOBIAN}; G = J[:, 6:] + J[:, :6] @ R"),
    "generalized_inertia": ("f(model, state)", f"{RECOIL}; G = H[6:, 6:] + H[6:, :6] @ R"),
    "reaction_null_space": ("f(model, state)", f"{RECOIL}; {QUIET}"),
}


def names_of(case: Case) -> tuple[dict[str, Any], dict[str, Any]]:
    """What our statements and Pinocchio's speak of."""
    pool, data, rows = case.pinocchio
    robot = pool.getModel(0)
    body = case.model.body_names[-1]
    ours = {"model": case.model, "state": case.state[0], "udot": case.udot[0].copy(), "body": body}
    theirs: dict[str, Any] = {"pin": pin, "np": np, "W": WORLD, "m": robot, "d": data}
    theirs |= {name: getattr(rows, name)[0].copy() for name in ("q", "v", "a")}
    theirs |= {"k": robot.getFrameId(END), "c": robot.getFrameId(body)}
    return ours | {"g": np.array([0.0, 0.0, -9.81])}, theirs


def contestants(case: Case, call: str) -> dict[str, Contestant]:
    """One call of ours and what it takes with Pinocchio."""
    ours, theirs = names_of(case)
    mine, other = CALLS[call]
    return {
        "float64": Contestant(mine, {"f": getattr(sd, call), **ours}),
        "pinocchio": Contestant(other, theirs),
    }


def difference(case: Case) -> float:
    """Largest relative difference between us and Pinocchio in what does not depend on the axes of base rates."""
    ours, theirs = names_of(case)
    found = []
    for call, result in (
        ("endpoint_velocity", "V.vector"),
        ("endpoint_acceleration", "A.vector"),
        ("center_of_mass", "c"),
        ("center_of_mass_velocity", "w"),
        ("center_of_mass_acceleration", "w"),
        ("momentum", "h.vector"),
        ("kinetic_energy", "T"),
        ("generalized_jacobian", "G"),
        ("generalized_inertia", "G"),
    ):
        mine, other = CALLS[call]
        there = dict(theirs)
        exec(other, there)
        wanted, got = eval(result, there), eval(mine, {"f": getattr(sd, call), **ours})
        found.append(float(np.abs(got - wanted).max() / max(1.0, np.abs(wanted).max())))
    return max(found)
