"""Warnings about what a MuJoCo model has and a robot here cannot have, wherever that changes the motion."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..values import plain, shown
from .mujoco_messages import mujoco_messages

FREE, BALL, SLIDE, HINGE = range(4)
"""MuJoCo's kinds of joints."""

MAX_GEOMS = 500
"""Geoms up to which contacts are looked for."""

_EARTH = (0.0, 0.0, -9.81)  # MuJoCo's gravity where a file says nothing
Names = Callable[[str, int], str]


def free_joint_properties(m: Any, j: int) -> list[str]:
    """Names (MuJoCo's) of a free joint's springs, dampers and the like; a base can have none of them."""
    rates = slice(int(m.jnt_dofadr[j]), int(m.jnt_dofadr[j]) + (6 if m.jnt_type[j] == FREE else 3))
    fields = {"armature": m.dof_armature, "damping": m.dof_damping, "frictionloss": m.dof_frictionloss}
    found = [name for name, values in fields.items() if values[rates].any()]
    return [*found, *(["stiffness"] if m.jnt_stiffness[j] else [])]


def losses(m: Any, taken: Mapping[str, int], name: Names) -> list[str]:
    """One sentence for each kind of element that MuJoCo would simulate and that is not imported."""
    found = []
    counts = {
        "equality constraint": m.neq,
        "tendon": m.ntendon,
        "actuator": m.nactuator,
        "keyframe": taken.get("keys", 0),
        "contact pair": m.npair,
        "contact exclusion": m.nexclude,
        "flexible body": m.nflex,
        "plugin": m.nplugin,
    }
    listed = [f"{count} {what if count == 1 else _many(what)}" for what, count in counts.items() if count]
    if listed:
        verb = "is" if sum(counts.values()) == 1 else "are"
        found.append(
            f"{', '.join(listed)} of the file {verb} no part of the robot, a tree of bodies and joints; "
            "what acts on it is given by forces, laws and states"
            + (" (equality constraints by sd.read_loops(file, model))." if m.neq else ".")
        )
    return [*found, *_surroundings(m), *_bodies(m, name), *_joints(m, name), *_actuators(m, name), *_touching(m, name)]


def _many(what: str) -> str:
    return f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"


def _surroundings(m: Any) -> list[str]:
    found, gravity = [], np.array(m.opt.gravity)
    if gravity.any() and not np.array_equal(gravity, _EARTH):
        found.append(
            f"gravity {plain(gravity)} m/s^2 is not the robot's: say gravity={plain(gravity)} when you simulate."
        )
    if m.opt.density or m.opt.viscosity:
        found.append(
            f"the medium it moves in (density {m.opt.density:g} kg/m^3, viscosity {m.opt.viscosity:g} Pa s, wind "
            f"{plain(np.array(m.opt.wind))} m/s) is no part of the robot; drag is given by forces."
        )
    return found


def _bodies(m: Any, name: Names) -> list[str]:
    lifted = [name("body", int(i)) for i in np.flatnonzero(m.body_gravcomp)]
    held = [name("body", int(i)) for i in np.flatnonzero(m.body_mocapid >= 0)]
    found = []
    if lifted:
        found.append(f"gravcomp of {_some('bod', lifted, 'y', 'ies')} is left out; compensate gravity by a law.")
    if held:
        found.append(f"{_some('mocap bod', held, 'y', 'ies')} stand still here; drive them by joints of their own.")
    return found


def _joints(m: Any, name: Names) -> list[str]:
    springs, dampers = m.jnt_stiffnesspoly.any(axis=1), m.dof_dampingpoly.any(axis=1)
    pushes = (m.jnt_actfrcrange[:, 0] != -m.jnt_actfrcrange[:, 1]) & m.jnt_actfrclimited.astype(bool)
    kinds = {
        "springs that are not linear (stiffness of {}) are taken as linear": springs,
        "dampers that are not linear (damping of {}) are taken as linear": np.isin(
            np.arange(m.njnt), m.dof_jntid[dampers]
        ),
        "springs that yield (springyield of {}) are taken as elastic": m.jnt_springyield > 0.0,
        "limits of {} are left out, for a spherical joint has no coordinate to limit": (m.jnt_type == BALL)
        & m.jnt_limited.astype(bool),
        "the larger side of actuatorfrcrange of {} is taken for both": pushes,
    }
    return [
        f"{sentence.format(_some('joint', [name('joint', int(j)) for j in np.flatnonzero(which)]))}."
        for sentence, which in kinds.items()
        if which.any()
    ]


def _actuators(m: Any, name: Names) -> list[str]:
    """Rotors and dampers of actuators that are not in one joint of one coordinate."""
    lost = [i for i in range(m.nactuator) if (m.actuator_armature[i] or _damped(m, i)) and driven_joint(m, i) is None]
    lost += [i for i in range(m.nactuator) if m.actuator_dampingpoly[i].any() and driven_joint(m, i) is not None]
    if not lost:
        return []
    return [f"armature and damping of {_some('actuator', [name('actuator', i) for i in lost])} are left out."]


def _touching(m: Any, name: Names) -> list[str]:
    """Bodies that are in contact in MuJoCo from the start; searched only where that takes little time."""
    if m.ngeom > MAX_GEOMS or m.nflex:
        return []
    import mujoco

    with mujoco_messages():
        d = mujoco.MjData(m)
        mujoco.mj_kinematics(m, d)
        mujoco.mj_comPos(m, d)
        mujoco.mj_collision(m, d)
    pairs = [m.geom_bodyid[d.contact[i].geom].tolist() for i in range(d.ncon) if d.contact[i].exclude == 0]
    named = list(dict.fromkeys(" and ".join(shown(name("body", body)) for body in sorted(pair)) for pair in pairs))
    if not named:
        return []
    listed = "; ".join(named[:6]) + (f" … ({len(named)} pairs in all)" if len(named) > 6 else "")
    return [
        f"bodies touch where the file puts them ({listed}), but contact is no part of the robot: without an element "
        "such as sd.ShapeContact(material) they pass through each other."
    ]


def _damped(m: Any, i: int) -> bool:
    return bool(m.actuator_damping[i] or m.actuator_dampingpoly[i].any())


def driven_joint(m: Any, i: int) -> int | None:
    """The joint of one coordinate that an actuator drives, or None if it drives something else."""
    joint = int(m.actuator_trnid[i, 0])
    return joint if m.actuator_trntype[i] in (0, 1) and m.jnt_type[joint] in (SLIDE, HINGE) else None


def _some(what: str, names: list[str], one: str = "", many: str = "s") -> str:
    listed = ", ".join(shown(name) for name in names[:6]) + (f" … ({len(names)} in all)" if len(names) > 6 else "")
    return f"{what}{one if len(names) == 1 else many} {listed}"
