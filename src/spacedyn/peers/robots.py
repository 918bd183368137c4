"""The same robot in Pinocchio and in MuJoCo, and exact maps between their coordinates and ours.

Both peers get a six-dof base at our base's centre of mass, whatever the kind of base: its rates are v = B(x) u, where
B has no columns for what our base holds. Then a = B u̇ + Ḃ u, and Kane's projection brings their results back:

    H = Bᵀ M B        c = Bᵀ (h + M Ḃ u)        J = J_peer B

Screws are a joint of Pinocchio; in MuJoCo they are a slide and a hinge that B ties together. Fixed joints are merged
by Pinocchio's side of the map. The peers are imported where they are used: they are the extra `peers`.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from ..errors import InputError
from ..model.model import Model
from ..model.parts import Joint
from ..model.state_parts import BASE_RATES

Array = np.ndarray
X, Y, Z = np.eye(3)


def base_map(model: Model) -> Array:
    """S (6, nv): (v0; ω0) = S u."""
    S = np.zeros((6, model.nv))
    for column, row in enumerate(BASE_RATES[model.base_kind]):
        S[row, column] = 1.0
    return S


@dataclass
class CoordinateMap:
    """Between our (x, u, u̇) and a peer's (q, v, a).

    Pinocchio's base has (linear; angular) velocity in the base's axes; MuJoCo's has the linear part in inertial axes.
    Quaternions are (x, y, z, w) in the one, (w, x, y, z) in the other.
    """

    model: Model
    like_mujoco: bool
    places: dict[int, tuple[int, int]] = field(default_factory=dict)  # of joints: where they begin in the peer's q, v

    def size(self, index: int) -> tuple[int, int]:
        """How many of q and v a joint takes in the peer."""
        joint = self.model.joints[index]
        return (2, 2) if self.split_screw(index) else (joint.nq, joint.nv)

    def split_screw(self, index: int) -> bool:
        """Whether the joint is a slide and a hinge there, and one coordinate here."""
        return self.like_mujoco and self.model.joints[index].kind_record.takes_pitch

    def quaternion(self, xyzw: Array) -> Array:
        """A quaternion in the peer's order."""
        return np.roll(xyzw, 1) if self.like_mujoco else xyzw

    def position(self, x: Array) -> Array:
        """The peer's q of our x."""
        q = np.zeros(7 + sum(self.size(i)[0] for i in range(self.model.n)))
        q[:3], q[3:7], start = x[:3], self.quaternion(x[3:7]), 7
        for i, joint in enumerate(self.model.joints):
            ours, there = x[start : start + joint.nq], self.places[i][0]
            if self.split_screw(i):
                ours = np.array([joint.pitch * ours[0], ours[0]])
            elif joint.kind_record.has_attitude:
                ours = np.concatenate([ours[:-4], self.quaternion(ours[joint.kind_record.attitude])])
            q[there : there + len(ours)] = ours
            start += joint.nq
        return q

    def rate_map(self, x: Array) -> Array:
        """B (nv of the peer, nv): v = B u."""
        R = Rotation.from_quat(x[3:7]).as_matrix()
        B = np.zeros((6 + sum(self.size(i)[1] for i in range(self.model.n)), self.model.nv))
        S = base_map(self.model)
        B[:3] = S[:3] if self.like_mujoco else R.T @ S[:3]
        B[3:6], start = R.T @ S[3:], self.model.base_dof
        for i, joint in enumerate(self.model.joints):
            there, many = self.places[i][1], self.size(i)[1]
            block = np.array([[joint.pitch], [1.0]]) if self.split_screw(i) else np.eye(joint.nv)
            B[there : there + many, start : start + joint.nv] = block
            start += joint.nv
        return B

    def transport(self, x: Array, u: Array) -> Array:
        """Ḃ u: what a constant u adds to the peer's acceleration, because its base axes turn."""
        v, w = (base_map(self.model) @ u).reshape(2, 3)
        out = np.zeros(6 + sum(self.size(i)[1] for i in range(self.model.n)))
        if not self.like_mujoco:  # d/dt (Rᵀ v) = Rᵀ (v̇ − ω × v); for ω itself the second term is zero
            out[:3] = -Rotation.from_quat(x[3:7]).as_matrix().T @ np.cross(w, v)
        return out

    def velocity(self, x: Array, u: Array) -> Array:
        """The peer's v of our u."""
        return self.rate_map(x) @ u

    def acceleration(self, x: Array, u: Array, udot: Array) -> Array:
        """The peer's a of our u̇."""
        return self.rate_map(x) @ udot + self.transport(x, u)

    def rates(self, x: Array, v: Array) -> Array:
        """Our u of the peer's v, if the constraints of base and screws allow it."""
        return np.linalg.lstsq(self.rate_map(x), v, rcond=None)[0]

    def accelerations(self, x: Array, u: Array, a: Array) -> Array:
        """Our u̇ of the peer's a."""
        return self.rates(x, a - self.transport(x, u))

    def forces(self, x: Array, F: Array) -> Array:
        """The peer's generalized forces with the power of our F: Bᵀ τ = F."""
        return np.linalg.lstsq(self.rate_map(x).T, F, rcond=None)[0]

    def equations(self, x: Array, u: Array, M: Array, h: Array) -> tuple[Array, Array]:
        """Our (H, c) of the peer's M a + h = τ."""
        B = self.rate_map(x)
        return B.T @ M @ B, B.T @ (h + M @ self.transport(x, u))


def depth_first(model: Model, body: int = 0) -> list[int]:
    """Indices of the joints beyond a body, subtree by subtree: Pinocchio's inertia matrix asks for that order."""
    order: list[int] = []
    for i in range(model.n):
        if model.parents[i + 1] == body:
            order += [i, *depth_first(model, i + 1)]
    return order


def to_pinocchio(model: Model, *, chained: bool = False) -> tuple[Any, CoordinateMap]:
    """(pin.Model, CoordinateMap); endpoints are frames of the same name.

    What has several coordinates is a composite joint, or a chain of joints with nothing in between: Pinocchio's
    derivatives take the columns of a joint as constant in its child, which those of many composites are not.
    """
    import pinocchio as pin

    def inertia(i: int) -> Any:
        return pin.Inertia(model.bodies[i].mass, model.bodies[i].com, model.bodies[i].inertia)

    robot, mapping = pin.Model(), CoordinateMap(model, like_mujoco=False)
    base = robot.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
    frames = {0: (base, pin.SE3(np.eye(3), -model.bodies[0].com))}  # body -> its joint there, and its frame in that
    robot.appendBodyToJoint(base, inertia(0), frames[0][1])
    armature = [np.zeros(6)]
    for i in depth_first(model):
        joint = model.joints[i]
        mover, frame = frames[model.parents[i + 1]]
        frame = frame * pin.SE3(joint.rotation, joint.position)
        mapping.places[i] = (robot.nq, robot.nv)
        if joint.nv:  # what is fixed belongs to the body it is fixed to
            parts = pinocchio_joints(joint)
            for k, part in enumerate(parts if chained else [composite(parts)]):
                placement = pin.SE3.Identity() if k else frame
                mover = robot.addJoint(mover, part, placement, f"{joint.name}/{k}" if k else joint.name)
            armature.append(joint.gear**2 * joint.rotor_inertia)
            frame = pin.SE3.Identity()
        frames[i + 1] = (mover, frame)
        robot.appendBodyToJoint(mover, inertia(i + 1), frame)
    robot.armature = np.concatenate(armature)
    for e in model.endpoints:
        mover, frame = frames[model.body_index(e.body)]
        robot.addFrame(pin.Frame(e.name, mover, frame * pin.SE3(e.rotation, e.position), pin.FrameType.OP_FRAME))
    return robot, mapping


def pinocchio_joints(joint: Joint) -> list[Any]:
    """Pinocchio's joint, or several that together have our rates; none for a fixed joint."""
    import pinocchio as pin

    turn, slide = pin.JointModelRevoluteUnaligned, pin.JointModelPrismaticUnaligned
    made: dict[str, Callable[[], list[Any]]] = {
        "revolute": lambda: [turn(joint.axis)],
        "prismatic": lambda: [slide(joint.axis)],
        "helical": lambda: [pin.JointModelHelicalUnaligned(joint.axis, joint.pitch)],
        "cylindrical": lambda: [slide(joint.axis), turn(joint.axis)],
        "universal": lambda: [turn(Z), turn(Y)],
        "planar": lambda: [slide(X), slide(Y), turn(Z)],
        "spherical": lambda: [pin.JointModelSpherical()],
        "free": lambda: [pin.JointModelTranslation(), pin.JointModelSpherical()],
        "fixed": lambda: [],
    }
    _check_known("Pinocchio", joint, made)
    return made[joint.kind]()


def _check_known(peer: str, joint: Joint, made: Collection[str]) -> None:
    if joint.kind not in made:
        raise InputError(
            f"joint '{joint.name}' is {joint.kind}: how {peer} makes one is not written here; there are: "
            f"{', '.join(made)}"
        )


def composite(parts: list[Any]) -> Any:
    """One joint of several parts."""
    import pinocchio as pin

    if len(parts) == 1:
        return parts[0]
    whole = pin.JointModelComposite()
    for part in parts:
        whole.addJoint(part)
    return whole


def rounded_up(moments: Array) -> Array:
    """Principal moments, in rising order, that keep the triangle inequality where rounding alone broke it: of a disc.

    Where a body breaks it by more, they are as they come, and MuJoCo says so.
    """
    missing = moments[2] - moments[0] - moments[1]
    if 0.0 < missing < 1e-12 * moments[2]:
        return moments + np.array([missing, missing, 0.0])
    return moments


def to_mujoco(model: Model) -> tuple[Any, CoordinateMap]:
    """(mujoco.MjModel, CoordinateMap); endpoints are sites of the same name."""
    import mujoco

    spec, mapping = mujoco.MjSpec(), CoordinateMap(model, like_mujoco=True)

    def add(i: int, parent: Any, rotation: Array, position: Array, com: Array) -> Any:
        moments, axes = np.linalg.eigh(model.bodies[i].inertia)
        moments = rounded_up(moments)
        axes[:, 0] *= np.linalg.det(axes)  # right-handed
        return parent.add_body(
            name=model.bodies[i].name,
            pos=position,
            quat=scalar_first(rotation),
            mass=model.bodies[i].mass,
            ipos=com,
            iquat=scalar_first(axes),
            inertia=moments,
            explicitinertial=True,
        )

    shift = {0: model.bodies[0].com}  # from our body frame to theirs: the base's is at its centre of mass
    made = {0: add(0, spec.worldbody, np.eye(3), np.zeros(3), np.zeros(3))}
    made[0].add_joint(type=mujoco.mjtJoint.mjJNT_FREE)
    for i in depth_first(model):
        joint, parent = model.joints[i], model.parents[i + 1]
        position = joint.position - shift.get(parent, 0.0)
        made[i + 1] = add(i + 1, made[parent], joint.rotation, position, model.bodies[i + 1].com)
        for k, (kind, axis) in enumerate(mujoco_joints(joint)):
            made[i + 1].add_joint(name=f"{joint.name}/{k}", type=kind, axis=axis)
    for e in model.endpoints:
        i = model.body_index(e.body)
        made[i].add_site(name=e.name, pos=e.position - shift.get(i, 0.0), quat=scalar_first(e.rotation))
    robot = spec.compile()
    for i, joint in enumerate(model.joints):  # MuJoCo orders its joints by the tree; a fixed one is not there
        first = robot.joint(f"{joint.name}/0").id if joint.nv else 0
        mapping.places[i] = (int(robot.jnt_qposadr[first]), int(robot.jnt_dofadr[first]))
        end = mapping.places[i][1] + mapping.size(i)[1]  # a screw's rotor turns with its hinge, the last of the two
        robot.dof_armature[end - joint.nv : end] = joint.gear**2 * joint.rotor_inertia
    return robot, mapping


def mujoco_joints(joint: Joint) -> list[tuple[Any, Array]]:
    """(type, axis) of the joints on one body that together make ours, in the order in which they move it."""
    from mujoco import mjtJoint

    turn, slide, ball = mjtJoint.mjJNT_HINGE, mjtJoint.mjJNT_SLIDE, mjtJoint.mjJNT_BALL
    made = {
        "revolute": [(turn, joint.axis)],
        "prismatic": [(slide, joint.axis)],
        "helical": [(slide, joint.axis), (turn, joint.axis)],
        "cylindrical": [(slide, joint.axis), (turn, joint.axis)],
        "universal": [(turn, Z), (turn, Y)],
        "planar": [(slide, X), (slide, Y), (turn, Z)],
        "spherical": [(ball, Z)],
        "free": [(slide, X), (slide, Y), (slide, Z), (ball, Z)],
        "fixed": [],
    }
    _check_known("MuJoCo", joint, made)
    return made[joint.kind]


def scalar_first(matrix: Array) -> Array:
    """Quaternion (w, x, y, z) of a rotation matrix."""
    return np.roll(Rotation.from_matrix(matrix).as_quat(), 1)
