"""The same robots in Pinocchio and in MuJoCo, and our states, forces and accelerations as they take them.

Only what robots.py makes: a free base with its frame at its centre of mass, revolute joints about z, depth first.
Pinocchio's base rates are in the base's axes, linear and angular; MuJoCo's angular ones only.
"""

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
from scipy.spatial.transform import Rotation

import spacedyn as sd

Array = np.ndarray

END = "hand"
"""The endpoint of the robots."""
NOT_NEEDED = ("CONSTRAINT", "CONTACT", "ACTUATION", "SENSOR", "SPRING", "DAMPER", "GRAVITY", "WARMSTART", "EULERDAMP")


@dataclass(frozen=True)
class Rows:
    """States, joint forces and accelerations of many robots, a row a robot, as one library takes them."""

    q: Array
    v: Array
    tau: Array
    a: Array


def pinocchio_model(model: sd.Model) -> Any:
    """The robot as a pin.Model; its joints are of the fastest type that Pinocchio has for them."""
    robot = pin.Model()
    made = [robot.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")]
    for joint, parent in zip(model.joints, model.parents[1:], strict=True):
        place = pin.SE3(joint.rotation, joint.position)
        made.append(robot.addJoint(made[parent], pin.JointModelRZ(), place, joint.name))
    for index, body in zip(made, model.bodies, strict=True):
        inertia = pin.Inertia(body.mass, body.com, body.inertia)
        robot.appendBodyToJoint(index, inertia, pin.SE3.Identity())
    for name, body, place in (
        (
            END,
            model.body_index(model.endpoint(END).body),
            pin.SE3(model.endpoint(END).rotation, model.endpoint(END).position),
        ),
        (model.body_names[-1], len(model.bodies) - 1, pin.SE3(np.eye(3), model.bodies[-1].com)),
    ):
        robot.addFrame(pin.Frame(name, made[body], 0, place, pin.FrameType.OP_FRAME))
    robot.gravity.setZero()
    return robot


def mujoco_model(model: sd.Model) -> Any:
    """The robot as a mujoco.MjModel that has nothing to do but smooth dynamics."""
    spec = mujoco.MjSpec()
    made: list[Any] = []
    for i, body in enumerate(model.bodies):
        joint = model.joints[i - 1] if i else None
        moments, axes = np.linalg.eigh(body.inertia)
        axes[:, 0] *= np.linalg.det(axes)  # right-handed
        above = spec.worldbody if i == 0 else made[model.parents[i]]
        made.append(
            above.add_body(
                pos=joint.position if joint else np.zeros(3),
                quat=_scalar_first(joint.rotation if joint else np.eye(3)),
                mass=body.mass,
                ipos=body.com,
                iquat=_scalar_first(axes),
                inertia=moments,
                explicitinertial=True,
            )
        )
        kind = mujoco.mjtJoint.mjJNT_HINGE if joint else mujoco.mjtJoint.mjJNT_FREE
        made[i].add_joint(type=kind, axis=(0, 0, 1))
    robot = spec.compile()
    for flag in NOT_NEEDED:
        robot.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"))
    return robot


def _scalar_first(matrix: Array) -> Array:
    return np.roll(Rotation.from_matrix(matrix).as_quat(), 1)


def pinocchio_rows(state: sd.State, tau: Array, udot: Array) -> Rows:
    """As Pinocchio takes them: d/dt (Rᵀ v) = Rᵀ (v̇ − ω × v)."""
    back, v = state.base_attitude.inv(), np.array(state.u)
    w, a = v[:, 3:6].copy(), udot.copy()
    a[:, :3] = back.apply(udot[:, :3] - np.cross(w, v[:, :3]))
    a[:, 3:6] = back.apply(udot[:, 3:6])
    v[:, :3], v[:, 3:6] = back.apply(v[:, :3]), back.apply(w)
    return Rows(np.array(state.x), v, _with_base(tau), a)


def mujoco_rows(state: sd.State, tau: Array, udot: Array) -> Rows:
    """As MuJoCo takes them."""
    back, q, v, a = state.base_attitude.inv(), np.array(state.x), np.array(state.u), udot.copy()
    q[:, 3:7] = np.roll(q[:, 3:7], 1, axis=1)
    v[:, 3:6], a[:, 3:6] = back.apply(v[:, 3:6]), back.apply(a[:, 3:6])
    return Rows(q, v, _with_base(tau), a)


def _with_base(tau: Array) -> Array:
    return np.concatenate([np.zeros((len(tau), 6)), tau], axis=1)


def rollout_arguments(rows: Rows) -> dict[str, Any]:
    """What makes MuJoCo's `rollout` take one step from every row: the only compiled loop over states that it has."""
    return {
        "initial_state": np.concatenate([np.zeros((len(rows.q), 1)), rows.q, rows.v], axis=1),
        "control": np.ascontiguousarray(rows.tau[:, None, :]),
        "control_spec": int(mujoco.mjtState.mjSTATE_QFRC_APPLIED),
        "nstep": 1,
    }
