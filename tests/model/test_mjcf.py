"""MuJoCo's XML: what it reads and what we make of it have the same frames, mass matrix, bias and accelerations."""

import warnings
from importlib.util import find_spec
from pathlib import Path

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import spacedyn as sd
from mjcf_comparison import near, without_friction
from spacedyn.model.files.mjcf import read_mjcf

ROBOTS = ["ant", "half_cheetah", "hopper", "humanoid", "inverted_double_pendulum", "pusher", "swimmer", "walker2d"]
ODD = """
<mujoco model="odd">
  <compiler angle="radian" autolimits="true"/>
  <worldbody>
    <body name="bus" pos="1 2 3" euler="0.1 0.2 0.3">
      <freejoint name="root"/>
      <geom type="box" size="0.5 0.4 0.3" mass="20" pos="0.1 0.2 0" euler="0.3 0 0" rgba="0.1 0.2 0.3 1"/>
      <body name="arm" pos="0.5 0 0" euler="0 0.4 0">
        <joint name="ball" type="ball" pos="0.1 0 0.2" damping="0.3" stiffness="2"/>
        <geom type="capsule" size="0.05 0.4" mass="3" pos="0 0 0.4"/>
        <site name="tip" pos="0 0 0.9" euler="0 0 1"/>
        <body name="hand" pos="0 0 0.8" euler="0.5 0 0">
          <joint name="wrist" type="hinge" axis="1 2 0.5" pos="0 0.05 0.02" ref="0.4" springref="0.7" stiffness="5"
                 damping="0.2" armature="0.03" frictionloss="0.1" range="-1 1" actuatorfrcrange="-4 4"/>
          <joint name="screw" type="slide" axis="0 1 1" ref="-0.2" armature="0.5"/>
          <joint name="roll" type="hinge" axis="0 0 1"/>
          <geom type="ellipsoid" size="0.1 0.2 0.3" mass="1"/>
          <body name="camera" pos="0.1 0 0"><geom type="cylinder" size="0.02 0.05" mass="0.2" euler="1 0 0"/></body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


class Reading:
    """MuJoCo's robot beside ours: (qpos, qvel, qacc) of our (x, u, u̇)."""

    def __init__(self, m, model: sd.Model):
        self.m, self.model, self.d = m, model, mujoco.MjData(m)
        m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
        m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION
        m.opt.density = m.opt.viscosity = 0.0  # water is no part of a robot
        # ours regularise friction, so it is left out on both sides
        m.dof_frictionloss[:] = 0.0
        self.com, self.moving = np.array(model.bodies[0].com), [j for j in model.joints if j.kind != "fixed"]
        assert sum(j.nv for j in self.moving) + model.base_dof == m.nv

    def set(self, x: np.ndarray, u: np.ndarray) -> None:
        q, R = np.zeros(self.m.nq), Rotation.from_quat(x[3:7])
        if self.model.base_dof:
            q[:3], q[3:7] = x[:3] - R.apply(self.com), np.roll(x[3:7], 1)
        for joint in self.moving:
            ours, at = x[7:][self.model.q_slice(joint.name)], self.m.joint(joint.name).qposadr[0]
            q[at : at + joint.nq] = np.roll(ours, 1) if joint.kind == "spherical" else ours
        B = np.zeros((self.m.nv, self.model.nv))
        self.transport = np.zeros(self.m.nv)
        if self.model.base_dof:
            r = R.apply(self.com)
            cross = np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])
            B[:3, :3], B[:3, 3:6], B[3:6, 3:6] = np.eye(3), cross, R.as_matrix().T
            self.transport[:3] = -np.cross(u[3:6], np.cross(u[3:6], r))
        for joint in self.moving:
            at = self.m.joint(joint.name).dofadr[0]
            B[at : at + joint.nv, self.model.u_slice(joint.name)] = np.eye(joint.nv)
        self.B, self.d.qpos[:], self.d.qvel[:] = B, q, B @ u
        mujoco.mj_forward(self.m, self.d)


def compare(m, model: sd.Model, *, frictionless: sd.Model) -> None:
    peer, rng = Reading(m, model), np.random.default_rng(3)
    gravity = np.array(m.opt.gravity)
    for _ in range(3):
        state = model.random_state(rng)
        if model.base_kind == "fixed":
            state = model.state(base_frame_position=np.zeros(3), q=state.q, qd=state.qd)
        peer.set(state.x, state.u)
        d = peer.d
        M = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, M)
        near(sd.mass_matrix(model, state), peer.B.T @ M @ peer.B)
        own = frictionless.state(
            **{k: getattr(state, k) for k in ("base_position", "base_attitude", "q", "qd")}
            | ({"base_velocity": state.base_velocity, "base_rate": state.base_rate} if model.base_dof else {})
        )
        udot = sd.forward_dynamics(frictionless, own, np.zeros(model.nv - model.base_dof), gravity=gravity)
        near(peer.B @ udot + peer.transport, d.qacc_smooth)
        bodies = sd.forward_kinematics(model, state).bodies
        for i, name in enumerate(model.body_names):
            if "/" not in name and name != "world":
                place = body_there(m, d, name)
                near(bodies.position[i], place.xpos)
                near(bodies.rotation[i], place.xmat.reshape(3, 3))
        for name in model.endpoint_names:
            place = d.site(name) if name in [m.site(s).name for s in range(m.nsite)] else body_there(m, d, name)
            position, rotation = sd.endpoint_pose(model, state, name)
            near(position, place.xpos)
            near(rotation, place.xmat.reshape(3, 3))


def body_there(m, d, name: str):
    """By its name, or by the number that bodies without one have."""
    known = name in [m.body(i).name for i in range(m.nbody)]
    return d.body(name) if known else d.body(int(name.removeprefix("body")))


@pytest.mark.parametrize("robot", ROBOTS)
def test_mujoco_reads_the_same(robot):
    file = Path(find_spec("gymnasium").origin).parent / "envs" / "mujoco" / "assets" / f"{robot}.xml"
    with warnings.catch_warnings():  # some have bodies of next to no mass
        warnings.simplefilter("ignore", sd.ModelWarning)
        model = sd.load(file)
        bare = without_friction(model)
    compare(mujoco.MjModel.from_xml_path(str(file)), model, frictionless=bare)


@pytest.mark.parametrize("merge", [True, False])
def test_several_joints_anchors_and_references(merge):
    model = read_mjcf(ODD, merge_fixed=merge)
    assert [j.name for j in model.joints if j.kind != "fixed"] == ["ball", "wrist", "screw", "roll"]
    assert model.endpoint_names == ("tip", "camera")
    assert ("camera" in model.body_names) != merge
    compare(mujoco.MjModel.from_xml_string(ODD), model, frictionless=without_friction(model))


def test_what_a_joint_has_comes_over():
    model = read_mjcf(ODD)
    wrist = model.joint("wrist")
    assert (wrist.damping, wrist.friction, wrist.rotor_inertia, wrist.stiffness) == (0.2, 0.1, 0.03, 5.0)
    assert (wrist.rest, wrist.lower, wrist.upper, wrist.max_force) == (0.7, -1.0, 1.0, 4.0)
    assert model.joint("ball").stiffness.tolist() == [2.0, 2.0, 2.0]


def test_looks_come_over():
    model = read_mjcf(ODD)
    bus, arm = model.body("bus").visuals, model.body("arm").visuals
    assert bus[0].shape.size.tolist() == [1.0, 0.8, 0.6] and bus[0].color == pytest.approx((0.1, 0.2, 0.3, 1.0))
    assert [v.shape.kind for v in arm] == ["capsule"]
    assert arm[0].shape.size.tolist() == [0.05, 0.8] and arm[0].position.round(12).tolist() == [0, 0, 0.4]


def test_a_mesh_is_where_the_file_has_it(tmp_path):
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "t.obj").write_text(
        "v 1 0 0\nv 2 0 0\nv 1 1 0\nv 1 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    xml = """<mujoco><compiler meshdir="meshes"/><asset><mesh name="m" file="t.obj" scale="1 2 1"/></asset><worldbody>
      <body name="a"><freejoint/><geom type="mesh" mesh="m" pos="1 0 0.5" euler="0 0 90"/></body>
      </worldbody></mujoco>"""
    (tmp_path / "a.xml").write_text(xml)
    visual = sd.load(tmp_path / "a.xml").bodies[0].visuals[0]
    assert visual.mesh == str(tmp_path / "meshes" / "t.obj") and visual.scale.tolist() == [1.0, 2.0, 1.0]
    np.testing.assert_allclose(visual.position, (1, 0, 0.5), atol=1e-6)  # MuJoCo keeps meshes in single precision
    np.testing.assert_allclose(visual.rotation, Rotation.from_euler("z", 90, degrees=True).as_matrix(), atol=1e-6)


def test_a_base_as_wished():
    assert read_mjcf(ODD, base="fixed").base_kind == "fixed"
    two = "<mujoco><worldbody><body name='a'><freejoint/><geom size='1'/></body><body name='b' pos='5 0 0'><freejoint/>"
    two += "<geom size='1'/></body></worldbody></mujoco>"
    both = read_mjcf(two)
    assert both.base_kind == "fixed" and [j.kind for j in both.joints] == ["free", "free"]
    with pytest.raises(sd.InputError, match="2 bodies hang on the world"):
        read_mjcf(two, base="free")


def test_constraints_are_named():
    tied = ODD.replace("</mujoco>", "<equality><connect body1='hand' anchor='0 0 0'/></equality></mujoco>")
    with pytest.warns(sd.ModelWarning, match="1 equality constraint of the file is no part"):
        read_mjcf(tied)


BAD = {
    "not mujoco": ("<robot name='r'/>", "not a <mujoco>"),
    "truncated": ("<mujoco><worldbody>", "not whole XML"),
    "no such element": ("<mujoco><worldbody><body><blob/></body></worldbody></mujoco>", "MuJoCo cannot read it"),
    "no mass": ("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>", "MuJoCo cannot read it"),
    "mesh above": ("<mujoco><asset><mesh file='../a.stl'/></asset></mujoco>", "outside the folder"),
    "mesh elsewhere": ("<mujoco><asset><mesh file='/etc/a.stl'/></asset></mujoco>", "outside the folder"),
    "include above": ("<mujoco><include file='../../x.xml'/></mujoco>", "outside the folder"),
    "texture folder above": (
        "<mujoco><compiler texturedir='../..'/><asset><texture type='2d' file='t.png'/></asset></mujoco>",
        "outside the folder",
    ),
    "included names a file outside": ("<mujoco><include file='inner.xml'/></mujoco>", "outside the folder"),
    "bomb": ("<!DOCTYPE m [<!ENTITY a 'b'>]><mujoco>&a;</mujoco>", "document type"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_told_apart(tmp_path, case):
    text, words = BAD[case]
    folder = tmp_path / "inside"
    folder.mkdir()
    (folder / "inner.xml").write_text("<mujoco><asset><hfield file='/etc/passwd'/></asset></mujoco>")
    (folder / "bad.xml").write_text(text)
    with pytest.raises(sd.ModelError) as caught:
        read_mjcf(folder / "bad.xml")
    assert words in str(caught.value)
