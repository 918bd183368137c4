"""Loops that robots' files state: MuJoCo's equality constraints, URDF's mimic joints."""

import numpy as np
import pytest

import spacedyn as sd
from spacedyn.model.files.mjcf import read_mjcf
from spacedyn.model.files.urdf import read_urdf

mujoco = pytest.importorskip("mujoco")
LINKAGE = """
<mujoco model="linkage">
  <compiler angle="radian"/>
  <worldbody>
    <body name="crank" pos="0.1 0.2 0.3" euler="0.2 0.1 0">
      <joint name="c" type="hinge" axis="0 0 1" ref="0.2"/>
      <geom type="capsule" fromto="0 0 0 1 0 0" size="0.05" mass="1"/>
      <body name="coupler" pos="1 0 0"><joint name="d" type="hinge" axis="0 0 1" pos="0.1 0 0"/>
        <geom type="capsule" fromto="0 0 0 1 0 0" size="0.05" mass="1"/>
        <body name="flange" pos="0.5 0.1 0" euler="0 0.3 0"><site name="s" pos="0.1 0 0" euler="0.3 0 0.1"/></body>
      </body>
    </body>
    <body name="rocker" pos="1 0.5 0"><joint name="e" type="ball"/>
      <geom type="capsule" fromto="0 0 0 1 0 0" size="0.05" mass="1"/><site name="t" pos="0.2 0 0.1" euler="0 0.4 0"/>
      <body name="tip" pos="1 0 0"><joint name="f" type="slide" axis="1 0 0" ref="0.1"/>
        <geom type="sphere" size="0.1" mass="0.5"/></body>
    </body>
  </worldbody>
  <equality>EQUALITY</equality>
</mujoco>
"""


def read(equality):
    text = LINKAGE.replace("EQUALITY", equality)
    with pytest.warns(sd.ModelWarning, match="sd.read_loops"):
        model = read_mjcf(text)
    return text, model


def residual_there(text, qpos):
    """How far MuJoCo finds its constraints violated."""
    m = mujoco.MjModel.from_xml_string(text)
    d = mujoco.MjData(m)
    d.qpos[:] = qpos
    mujoco.mj_forward(m, d)
    return d.efc_pos[d.efc_type == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)]


def state_of(model, qpos):
    """Our state of MuJoCo's coordinates: quaternions have their scalar last here."""
    return model.state(q=[qpos[0], qpos[1], *qpos[3:6], qpos[2], qpos[6]])


@pytest.mark.parametrize(
    "equality, rows",
    [
        ("<connect name='x' body1='coupler' body2='rocker' anchor='1 0 0'/>", 3),
        ("<connect name='x' body1='coupler' anchor='1 0 0'/>", 3),
        ("<connect name='x' body1='flange' body2='tip' anchor='0.1 0.2 0'/>", 3),
        ("<connect name='x' site1='s' site2='t'/>", 3),
    ],
)
def test_connect_is_a_ball(equality, rows):
    text, model = read(equality)
    (loop,) = sd.read_loops(text, model)
    assert loop.joint == "ball" and loop.label == "x"
    rng = np.random.default_rng(0)
    quaternion = rng.normal(size=4)
    qpos = [0.3, -0.4, *quaternion / np.linalg.norm(quaternion), 0.2]
    mine = sd.constraints.residuals(model, state_of(model, qpos), [loop])["x"]
    assert len(mine) == rows
    np.testing.assert_allclose(np.linalg.norm(mine), np.linalg.norm(residual_there(text, qpos)[:3]), rtol=1e-12)


@pytest.mark.parametrize(
    "equality",
    [
        "<weld name='x' body1='coupler' body2='tip'/>",
        "<weld name='x' body1='flange' body2='tip' anchor='0.1 0.2 0'/>",
        "<weld name='x' body1='tip'/>",
        "<weld name='x' body1='coupler' body2='tip' relpose='0.3 0.1 0 0.8 0 0.6 0'/>",
        "<weld name='x' site1='s' site2='t'/>",
    ],
)
def test_weld_holds_the_pose_that_mujoco_holds(equality):
    text, model = read(equality)
    (loop,) = sd.read_loops(text, model)
    rng = np.random.default_rng(1)
    quaternion = rng.normal(size=4)
    qpos = [0.3, -0.4, *quaternion / np.linalg.norm(quaternion), 0.2]
    mine, there = sd.constraints.residuals(model, state_of(model, qpos), [loop])["x"], residual_there(text, qpos)
    np.testing.assert_allclose(np.linalg.norm(mine[:3]), np.linalg.norm(there[:3]), rtol=1e-12)
    # MuJoCo's is the vector part of the quaternion, sin(angle/2); ours sin(angle), both along the axis of the turn
    half = np.linalg.norm(there[3:])
    np.testing.assert_allclose(np.linalg.norm(mine[3:]), 2.0 * half * np.sqrt(1.0 - half**2), rtol=1e-11)


def test_joint_is_a_polynomial():
    text, model = read("<joint name='x' joint1='c' joint2='f' polycoef='0.1 0.5 -0.3 0.2 0.05'/>")
    (tie,) = sd.read_loops(text, model)
    qpos = [0.3, -0.4, 1.0, 0.0, 0.0, 0.0, 0.25]
    mine = sd.constraints.residuals(model, state_of(model, qpos), [tie])["x"]
    np.testing.assert_allclose(np.abs(mine), np.abs(residual_there(text, qpos)), rtol=1e-12)
    text, model = read("<joint name='x' joint1='c'/><weld name='off' body1='tip' active='false'/>")
    assert [type(one).__name__ for one in sd.read_loops(text, model)] == ["LockedJoint"]


def test_a_linkage_of_a_file_runs():
    text, model = read("<connect name='x' body1='coupler' body2='rocker' anchor='1 0 0'/>")
    loops = sd.read_loops(text, model)
    start = sd.assemble(model, model.neutral_state(), loops)
    run = sd.simulate(model, start, 1.0, elements=loops, gravity=(0, 0, -9.81))
    assert run["gap"].max() < 1e-12 and run.audit().energy < 1e-9


def test_mimic_joints_of_a_urdf():
    body = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
    text = f"<robot name='g'><link name='base'>{body}</link>"
    for name, more in (("left", ""), ("right", "<mimic joint='left' multiplier='-2' offset='0.1'/>")):
        text += f"<link name='{name}'>{body}</link><joint name='{name}' type='prismatic'><parent link='base'/>"
        text += f"<child link='{name}'/><axis xyz='1 0 0'/><limit lower='-1' upper='1' effort='1' velocity='1'/>{more}"
        text += "</joint>"
    ties = sd.read_loops(text + "</robot>", _gripper())
    assert [(one.joints, one.coefficients.tolist(), one.offset) for one in ties] == [
        (("right", "left"), [1.0, 2.0], 0.1)
    ]


@pytest.mark.parametrize(
    "kind, tie", [("prismatic", "<mimic joint='left' multiplier='0'/>"), ("fixed", "<mimic joint='left'/>")]
)
def test_a_mimic_joint_that_nothing_moves_is_locked(kind, tie):
    body = "<inertial><mass value='1'/><inertia ixx='1' iyy='1.1' izz='1.2' ixy='0' ixz='0' iyz='0'/></inertial>"
    text = f"<robot name='g'><link name='base'>{body}</link>"
    for name, sort, more in (("left", kind, ""), ("right", "prismatic", tie)):
        text += f"<link name='{name}'>{body}</link><joint name='{name}' type='{sort}'><parent link='base'/>"
        text += f"<child link='{name}'/><axis xyz='1 0 0'/><limit lower='-1' upper='1' effort='1' velocity='1'/>{more}"
        text += "</joint>"
    with pytest.warns(sd.ModelWarning, match="mimic"):
        model = read_urdf(text + "</robot>")
    (lock,) = sd.read_loops(text + "</robot>", model)
    run = sd.simulate(model, model.neutral_state(), 0.2, elements=[lock], gravity=(1.0, 0, 0))
    assert run.final.q[model.q_slice("right")] == 0.0


def _gripper():
    b = sd.Builder("g", "fixed")
    b.base("base", massless=True)
    for name in ("left", "right"):
        b.link(name, "prismatic", parent="base", mass=1.0, inertia=(1, 1.1, 1.2))
    return b.build()
