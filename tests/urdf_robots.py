"""Robots that others wrote, from the package example-robot-data, and Pinocchio's reading of the same files."""

import importlib.util
from pathlib import Path

import numpy as np
import pinocchio as pin
from scipy.spatial.transform import Rotation

import spacedyn as sd

ROBOTS = {
    "g1 humanoid with hands": "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf",
    "talos humanoid": "talos_data/robots/talos_reduced.urdf",
    "icub humanoid": "icub_description/robots/icub.urdf",
    "centauro, four legs and two arms": "centauro_description/urdf/centauro.urdf",
    "anymal quadruped": "anymal_c_simple_description/urdf/anymal.urdf",
    "anymal with an arm": "anymal_b_simple_description/robots/anymal-kinova.urdf",
    "go2 quadruped": "go2_description/urdf/go2.urdf",
    "baxter dual arm": "baxter_description/urdf/baxter.urdf",
    "tiago dual arm": "tiago_description/robots/tiago_dual.urdf",
    "pr2 dual arm on wheels": "pr2_description/urdf/pr2.urdf",
    "allegro hand": "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "panda arm": "panda_description/urdf/panda.urdf",
    "ur5 arm": "ur_description/urdf/ur5_robot.urdf",
    "kinova arm": "kinova_description/robots/kinova.urdf",
    "bolt biped": "bolt_description/robots/bolt.urdf",
    "hextilt flying arm": "hextilt_description/urdf/hextilt_flying_arm_5.urdf",
    "double pendulum": "double_pendulum_description/urdf/double_pendulum_continuous.urdf",
}


def folder() -> Path:
    """Where the package keeps its robots."""
    spec = importlib.util.find_spec("cmeel")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parents[1] / "cmeel.prefix" / "share" / "example-robot-data" / "robots"


class Reading:
    """Pinocchio's robot of a file beside ours: (q, v, a) of our (x, u, u̇)."""

    def __init__(self, path: Path, model: sd.Model):
        root = (pin.JointModelFreeFlyer(),) if model.base_kind == "free" else ()
        self.robot, self.model = pin.buildModelFromUrdf(str(path), *root), model
        self.data = self.robot.createData()
        assert self.robot.nv == model.nv
        self.com = np.array(model.bodies[0].com)

    def q(self, x: np.ndarray) -> np.ndarray:
        out = pin.neutral(self.robot)
        if self.model.base_dof:
            out[:3] = x[:3] - Rotation.from_quat(x[3:7]).apply(self.com)  # theirs is the root link's frame
            out[3:7] = x[3:7]
        for joint in self.model.joints:
            there, ours = self.robot.joints[self.robot.getJointId(joint.name)], x[7:][self.model.q_slice(joint.name)]
            turning = there.nq == 2
            out[there.idx_q : there.idx_q + there.nq] = [np.cos(ours[0]), np.sin(ours[0])] if turning else ours
        return out

    def rate_map(self, x: np.ndarray) -> np.ndarray:
        """B: v = B u."""
        B = np.zeros((self.robot.nv, self.model.nv))
        if self.model.base_dof:
            turn = Rotation.from_quat(x[3:7]).as_matrix().T
            c = self.com
            cross = np.array([[0.0, -c[2], c[1]], [c[2], 0.0, -c[0]], [-c[1], c[0], 0.0]])
            B[:3, :3], B[:3, 3:6], B[3:6, 3:6] = turn, cross @ turn, turn
        for joint in self.model.joints:
            there = self.robot.joints[self.robot.getJointId(joint.name)]
            B[there.idx_v : there.idx_v + there.nv, self.model.u_slice(joint.name)] = np.eye(joint.nv)
        return B

    def transport(self, x: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Ḃ u."""
        out = np.zeros(self.robot.nv)
        if self.model.base_dof:
            out[:3] = -Rotation.from_quat(x[3:7]).inv().apply(np.cross(u[3:6], u[:3]))
        return out

    def frames(self, x: np.ndarray) -> dict[str, np.ndarray]:
        """Poses (4, 4) of all links."""
        pin.framesForwardKinematics(self.robot, self.data, self.q(x))
        frames = zip(self.robot.frames, self.data.oMf, strict=True)
        return {frame.name: pose.homogeneous for frame, pose in frames if frame.type == pin.FrameType.BODY}
