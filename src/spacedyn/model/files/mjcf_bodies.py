"""Bodies, joints and endpoints of a compiled MuJoCo model, as our records."""

from typing import Any

import numpy as np

from ..parts import Body, Endpoint, Joint
from ..rotations import rotation_about, rotation_quaternion
from ..values import shown
from .mjcf_losses import BALL, FREE, HINGE, SLIDE, driven_joint
from .mjcf_names import Names, unused
from .mjcf_visuals import geoms

KINDS = {FREE: "free", BALL: "spherical", SLIDE: "prismatic", HINGE: "revolute"}
RATES = {FREE: 6, BALL: 3, SLIDE: 1, HINGE: 1}


def joints_of(m: Any, i: int) -> range:
    """Indices of a body's joints, in the order in which they move it."""
    return range(m.body_jntadr[i], m.body_jntadr[i] + m.body_jntnum[i]) if m.body_jntnum[i] else range(0)


def _turn(wxyz: np.ndarray) -> np.ndarray:
    return rotation_quaternion(np.roll(wxyz, -1))


class Chain:
    """Collects the bodies and joints of a compiled model, parents first.

    Parameters
    ----------
    m : mujoco.MjModel
        The compiled model.
    names : Names
        What its parts are called.
    own : int
        The body that is the base; 0 is the world.
    held : bool
        Whether what hangs on the world is fixed to it, whatever joints it has there.
    """

    def __init__(self, m: Any, names: Names, own: int, held: bool):
        self.m, self.names, self.own, self.held = m, names, own, held
        self.bodies: list[Body] = []
        self.joints: list[Joint] = []
        self.anchors: set[str] = set()  # fixed joints between a joint's anchor and the body's frame
        self.lost: list[str] = []
        self.acting = _Acting(m)
        self._taken = {"body": names.all("body"), "joint": names.all("joint")}

    def body(self, i: int) -> Body:
        """A body in its own frame."""
        m, turn = self.m, _turn(self.m.body_iquat[i])
        mass, inertia = float(m.body_mass[i]), (turn * m.body_inertia[i]) @ turn.T
        inertia = 0.5 * (inertia + inertia.T)
        return Body(self.names.of("body", i), mass, m.body_ipos[i], inertia, (), mass == 0.0, *geoms(m, i))

    def add(self, i: int) -> None:
        """A body, moved by its joints in turn; each turns about its anchor."""
        m, name, above = self.m, self.names.of("body", i), int(self.m.body_parentid[i])
        parent, place = self.names.of("body", above), m.body_pos[i]
        turn, at = _turn(m.body_quat[i]), np.zeros(3)
        joints = [] if self.held and above == 0 else list(joints_of(m, i))
        for j in joints:
            kind = int(m.jnt_type[j])
            anchor = m.jnt_pos[j] if kind in (HINGE, BALL) else at
            if kind == FREE:  # its coordinates are those of the world
                place, turn = np.zeros(3), np.eye(3)
            last = j == joints[-1] and not anchor.any()
            child = name if last else self._new("body", f"{name}/{self.names.of('joint', j)}")
            self.joints.append(self._joint(j, parent, child, place + turn @ (anchor - at), turn))
            if not last:
                self.bodies.append(Body(child, 0.0, np.zeros(3), np.zeros((3, 3)), (), True))
            parent, place, turn, at = child, np.zeros(3), np.eye(3), anchor
        if not joints or parent != name:
            fixed = self._new("joint", f"{name}_fixed")
            if joints:
                self.anchors.add(fixed)
            self.joints.append(_record(fixed, "fixed", parent, name, place + turn @ -at, turn))
        self.bodies.append(self.body(i))

    def _new(self, what: str, name: str) -> str:
        found = unused(name, self._taken[what])
        self._taken[what].add(found)
        return found

    def _joint(self, j: int, parent: str, child: str, place: np.ndarray, turn: np.ndarray) -> Joint:
        m, kind, axis, acting = self.m, int(self.m.jnt_type[j]), self.m.jnt_axis[j], self.acting
        q, v = int(m.jnt_qposadr[j]), int(m.jnt_dofadr[j])
        rates, stiffness = slice(v, v + RATES[kind]), float(acting.stiffness[j])
        keys: dict[str, Any] = {
            "damping": acting.damping[rates],
            "friction": acting.friction[rates],
            "rotor_inertia": acting.rotor[rates],
            "stiffness": stiffness,
        }
        if kind in (SLIDE, HINGE):
            zero = float(m.qpos0[q])  # where the file draws the joint is not where its coordinate is zero
            place = place - turn @ axis * zero if kind == SLIDE else place
            turn = turn @ rotation_about(axis, -zero) if kind == HINGE else turn
            keys |= {"axis": axis, "rest": float(m.qpos_spring[q])}
            if acting.limited[j]:
                keys |= dict(zip(("lower", "upper"), m.jnt_range[j].tolist(), strict=True))
            if m.jnt_actfrclimited[j]:
                keys["max_force"] = float(np.abs(m.jnt_actfrcrange[j]).max())
        elif stiffness > 0.0:
            turned = q + 3 if kind == FREE else q
            keys["rest"] = np.append(m.qpos_spring[q:turned], np.roll(m.qpos_spring[turned : turned + 4], -1))
        return _record(self.names.of("joint", j), KINDS[kind], parent, child, place, turn, **keys)

    def endpoints(self) -> list[Endpoint]:
        """Sites, and bodies without joints, where the names are not taken."""
        m, found, beside = self.m, dict[str, Endpoint](), []
        fixed = self.own and not joints_of(m, self.own)  # the base stands where the world is
        for s in range(m.nsite):
            name, at = self.names.of("site", s), int(m.site_bodyid[s])
            if at == 0 and self.own and not fixed:
                beside.append(shown(name))
                continue
            body = self.names.of("body", at or self.own)
            found[name] = Endpoint(name, body, m.site_pos[s], _turn(m.site_quat[s]))
        if beside:
            listed = ", ".join(beside[:6]) + (f" … ({len(beside)} in all)" if len(beside) > 6 else "")
            self.lost.append(f"sites of the world ({listed}) are left out: the base is a body that moves in it.")
        for joint in self.joints:
            if joint.kind == "fixed" and joint.name not in self.anchors:
                found.setdefault(joint.child, Endpoint(joint.child, joint.child, np.zeros(3), np.eye(3)))
        return list(found.values())


class _Acting:
    """Rotors, dampers, springs, friction and limits of all joints, actuators' included, without what flags disable."""

    def __init__(self, m: Any):
        from mujoco import mjtDisableBit as Bit

        def off(*bits: Any) -> float:
            return 0.0 if any(int(m.opt.disableflags) & int(bit) for bit in bits) else 1.0

        self.rotor, self.damping = np.array(m.dof_armature), np.array(m.dof_damping)
        for i in range(m.nactuator):
            joint, gear = driven_joint(m, i), float(m.actuator_gear[i, 0])
            if joint is not None:
                rate = int(m.jnt_dofadr[joint])
                self.rotor[rate] += gear**2 * float(m.actuator_armature[i])
                self.damping[rate] += gear**2 * float(m.actuator_damping[i])
        self.damping *= off(Bit.mjDSBL_DAMPER)
        self.stiffness = np.array(m.jnt_stiffness) * off(Bit.mjDSBL_SPRING)
        self.friction = np.array(m.dof_frictionloss) * off(Bit.mjDSBL_FRICTIONLOSS, Bit.mjDSBL_CONSTRAINT)
        self.limited = np.array(m.jnt_limited) * off(Bit.mjDSBL_LIMIT, Bit.mjDSBL_CONSTRAINT) > 0.0


def _record(name: str, kind: str, parent: str, child: str, place: np.ndarray, turn: np.ndarray, **keys: Any) -> Joint:
    blank: dict[str, Any] = dict.fromkeys(Joint.__dataclass_fields__)
    blank |= {"name": name, "kind": kind, "parent": parent, "child": child, "pitch": 0.0}
    return Joint(**(blank | {"position": place, "rotation": turn} | keys))
