"""Robots written as URDF read back as they were, by this package and by Pinocchio; what URDF cannot say is named."""

import numpy as np
import pinocchio as pin
import pytest

import spacedyn as sd
from random_trees import random_model
from spacedyn.model.files.urdf import read_urdf
from spacedyn.model.files.urdf_write import roll_pitch_yaw
from spacedyn.model.parts import Visual
from spacedyn.model.shapes import box, cone, cylinder, sphere

KINDS = ("revolute", "prismatic", "fixed", "planar", "free")
SAID = ("damping", "friction", "lower", "upper", "max_rate", "max_force")


def same_model(one: sd.Model, other: sd.Model) -> None:
    assert (one.name, one.body_names, one.joint_names) == (other.name, other.body_names, other.joint_names)
    for a, b in zip(one.bodies, other.bodies, strict=True):
        assert a.massless == b.massless
        for key in ("mass", "com", "inertia"):
            np.testing.assert_allclose(getattr(b, key), getattr(a, key), rtol=1e-12, atol=1e-12)
    for a, b in zip(one.joints, other.joints, strict=True):
        assert (a.kind, a.parent, a.child) == (b.kind, b.parent, b.child)
        for key in ("position", "rotation", "axis", *(SAID if a.nv == 1 else ())):
            np.testing.assert_allclose(getattr(b, key), getattr(a, key), rtol=1e-12, atol=1e-12)
    for a in one.endpoints:
        b = other.endpoint(a.name)
        for key in ("position", "rotation"):
            np.testing.assert_allclose(getattr(b, key), getattr(a, key), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_a_random_robot_reads_back(seed):
    model = random_model(np.random.default_rng(seed), 10, kinds=KINDS, passive=True)
    text = model.to_urdf(lossy=True)
    back = read_urdf(text, base=model.base_kind, merge_fixed=False)
    frames = {f"{e.name}_frame" for e in model.endpoints}
    # endpoints are links of their own in a file: taken off again
    joints = [j for j in back.joints if j.name not in frames]
    bodies = [back.bodies[0], *(back.body(j.child) for j in joints)]
    for e in model.endpoints:
        mount = back.joint(f"{e.name}_frame")
        assert mount.parent == e.body
        np.testing.assert_allclose(mount.position, e.position, atol=1e-12)
        np.testing.assert_allclose(mount.rotation, e.rotation, atol=1e-12)
    from spacedyn.model.assemble import assemble

    same_model(model, assemble(back.name, back.base_kind, bodies, joints, model.endpoints))
    assert read_urdf(text, base=model.base_kind).to_urdf() == read_urdf(text, base=model.base_kind).to_urdf()


@pytest.mark.parametrize("name", ["ets7", "umetani_yoshida", "tian_wu"])
def test_pinocchio_reads_what_is_written(name):
    model = sd.load(name)
    peer = pin.buildModelFromXML(model.to_urdf(lossy=True), pin.JointModelFreeFlyer())
    assert peer.nv == model.nv
    assert sum(inertia.mass for inertia in peer.inertias) == pytest.approx(model.total_mass, rel=1e-13)
    data = peer.createData()
    state = model.state(base_frame_position=np.zeros(3))
    pin.framesForwardKinematics(peer, data, pin.neutral(peer))
    for endpoint in model.endpoint_names:
        frame = data.oMf[peer.getFrameId(endpoint)]
        position, rotation = sd.endpoint_pose(model, state, endpoint)
        np.testing.assert_allclose(frame.translation, position, atol=1e-12)
        np.testing.assert_allclose(frame.rotation, rotation, atol=1e-12)


def test_looks_are_written_and_read_back(tmp_path):
    (tmp_path / "part.stl").write_text("solid")
    b = sd.Builder("looks")
    visuals = [
        Visual("panel", box(0, (1, 2, 3)), scale=(1, 1, 2), position=(0, 0, 1), color=(1, 0, 0, 0.5)),
        Visual("tank", cylinder(0, 0.2, 1)),
        Visual("part", mesh=str(tmp_path / "part.stl"), scale=(1e-3, 1e-3, 1e-3)),
        Visual("nozzle", cone(0, 0.2, 1)),  # which URDF does not know
    ]
    b.base("bus", mass=1, inertia=(1, 1.1, 1.2), visuals=visuals, collisions=[Visual("", sphere(0, 2))])
    b.link("ball", parent="bus", shapes=[sphere(2, 0.5, (0, 0, 1))])
    file = tmp_path / "robot.urdf"
    b.build().to_urdf(file)
    bus = sd.load(file).bodies[0]
    assert [v.name for v in bus.visuals] == ["panel", "tank", "part"]
    assert bus.visuals[0].shape.size.tolist() == [1, 2, 6] and bus.visuals[0].color == (1, 0, 0, 0.5)
    assert bus.visuals[2].mesh == str(tmp_path / "part.stl") and bus.visuals[2].scale.tolist() == [1e-3] * 3
    assert bus.collisions[0].shape.size.tolist() == [2]
    assert sd.load(file).body("ball").visuals[0].position.tolist() == [0, 0, 1]


def test_what_urdf_cannot_say_is_named():
    b = sd.Builder("odd")
    b.base(mass=1, inertia=(1, 1.1, 1.2))
    for i, kind in enumerate(["helical", "cylindrical", "universal", "spherical", "revolute"]):
        b.link(f"l{i}", kind, parent="base", mass=1, inertia=(1, 1.1, 1.2), stiffness=2.0, rotor_inertia=0.1)
    b.endpoint("l4", body="base")
    with pytest.raises(sd.ModelError) as caught:
        b.build().to_urdf()
    text = str(caught.value)
    for words in (
        "no helical joint",
        "no cylindrical",
        "no universal",
        "no spherical",
        "stiffness, rotor_inertia",
        "rename",
    ):
        assert words in text
    with pytest.raises(sd.ModelError, match="no helical joint"):
        b.build().to_urdf(lossy=True)


def test_angles_are_exact_where_they_are_not_unique():
    rng = np.random.default_rng(0)
    for pitch in (np.pi / 2, -np.pi / 2, np.pi / 2 - 1e-9, np.pi / 2 + 1e-13, *rng.uniform(-3, 3, 20)):
        yaw, roll = rng.uniform(-3, 3, 2)
        R = sd.Rotation.from_euler("xyz", (roll, pitch, yaw)).as_matrix()
        again = sd.Rotation.from_euler("xyz", roll_pitch_yaw(R)).as_matrix()
        np.testing.assert_allclose(again, R, atol=2e-15)
