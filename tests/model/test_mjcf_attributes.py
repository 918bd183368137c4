"""Attributes of MuJoCo's XML one by one: what changes the motion comes over to rounding, or is named by a warning."""

import os
import re
import warnings

import mujoco
import numpy as np
import pytest

import spacedyn as sd
from mjcf_comparison import near, without_friction
from spacedyn.model.files.mjcf import read_mjcf

GEOM = "<geom type='box' size='.1 .2 .3' pos='.1 .2 -.1' mass='2' contype='0' conaffinity='0'/>"


def one(joint: str = "<joint name='j' axis='0 1 0'/>", body: str = "", beside: str = "", inside: str = "") -> str:
    """A body on the world."""
    return f"<mujoco>{beside}<worldbody><body name='b' {body}>{joint}{GEOM}{inside}</body></worldbody></mujoco>"


def warned(text: str, **options) -> tuple[sd.Model, str]:
    """The robot, and all that was warned of."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        model = read_mjcf(text, **options)
    return model, "\n".join(str(warning.message) for warning in seen)


def same(text: str, **options) -> str:
    """That MuJoCo and we have the same mass matrix and accelerations; what was warned of."""
    model, said = warned(text, **options)
    m = mujoco.MjModel.from_xml_string(text)
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ACTUATION
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sd.ModelWarning)
        frictionless = without_friction(model)  # ours is smooth, MuJoCo's a constraint
    moving = [joint for joint in model.joints if joint.kind != "fixed"]
    assert model.base_kind == "fixed" and [joint.nv for joint in moving] == np.diff([*m.jnt_dofadr, m.nv]).tolist()
    d, rng = mujoco.MjData(m), np.random.default_rng(5)
    for _ in range(3):
        state = model.random_state(rng)
        parts = {"base_frame_position": np.zeros(3), "q": state.q, "qd": state.qd}
        for joint, q, v in zip(moving, m.jnt_qposadr, m.jnt_dofadr, strict=True):  # joints keep their order
            ours = np.array(state.q[model.q_slice(joint.name)])
            if joint.kind in ("free", "spherical"):
                ours[-4:] = np.roll(ours[-4:], 1)
            d.qpos[q : q + joint.nq], d.qvel[v : v + joint.nv] = ours, state.qd[model.qd_slice(joint.name)]
        mujoco.mj_forward(m, d)
        M = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, M)
        near(sd.mass_matrix(model, model.state(**parts)), M)
        udot = sd.forward_dynamics(frictionless, frictionless.state(**parts), gravity=np.array(m.opt.gravity))
        near(udot, d.qacc_smooth)
    return said


@pytest.mark.parametrize("what", ["armature", "damping", "frictionloss", "stiffness"])
def test_what_a_free_joint_has_is_kept_by_making_the_world_the_base(what):
    text = one(f"<joint name='root' type='free' {what}='1.5'/>", body="pos='1 2 3' euler='10 20 30'")
    said = same(text)
    assert f"body 'b': its free joint has {what}" in said and "base='free' does without" in said
    model, said = warned(text, base="free")
    assert model.base_kind == "free" and f"has {what}, which a base does not have; left out" in said


def test_the_mass_matrix_of_a_free_joint_with_armature():
    text = (
        "<mujoco><default><joint armature='1' damping='1'/></default><worldbody><body name='b'><joint type='free'/>"
        "<geom type='sphere' size='.1' mass='1'/></body></worldbody></mujoco>"
    )
    model, said = warned(text)
    H = sd.mass_matrix(model, model.neutral_state())
    np.testing.assert_allclose(np.diag(H), [2.0, 2.0, 2.0, 1.004, 1.004, 1.004])
    assert model.joints[0].damping.tolist() == [1.0] * 6 and "armature and damping" in said


def test_a_free_joint_without_more_is_the_base_without_a_word():
    for joint in ("<freejoint/>", "<joint type='free'/>"):
        model, said = warned(one(joint, body="pos='1 2 3'"))
        assert model.base_kind == "free" and said == ""


MOUNTED = one(
    "", body="pos='0 0 1' euler='0 90 0'", inside=f"<body name='bob'><joint name='j' axis='0 1 0'/>{GEOM}</body>"
)


@pytest.mark.parametrize("merge", [True, False])
def test_a_fixed_body_stands_where_the_file_puts_it(merge):
    assert same(MOUNTED, merge_fixed=merge) == ""
    model = read_mjcf(MOUNTED, merge_fixed=merge)
    assert model.base_kind == "fixed" and model.body_names[0] == "world" and "b" in model.endpoint_names
    m = mujoco.MjModel.from_xml_string(MOUNTED)
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    near(sd.forward_dynamics(model, model.neutral_state(), gravity=(0, 0, -9.81))[-1], d.qacc_smooth[0])
    position, rotation = sd.endpoint_pose(model, model.state(base_frame_position=(0, 0, 0)), "b")
    near(position, d.body("b").xpos)
    near(rotation, d.body("b").xmat.reshape(3, 3))


def test_a_fixed_body_at_the_worlds_frame_is_the_base():
    text = MOUNTED.replace("pos='0 0 1' euler='0 90 0'", "").replace(
        "<body name='b'", "<site name='w' pos='1 0 0'/><body name='b'"
    )
    model, said = warned(text)
    assert model.body_names[0] == "b" and said == ""
    np.testing.assert_array_equal(model.endpoint("w").position, (1, 0, 0))  # a site of the world is one of the base


def test_a_base_held_by_wish_stands_where_the_file_puts_it():
    text = one("<freejoint name='root'/>", body="pos='1 2 3' euler='10 20 30'")
    model = read_mjcf(text, base="fixed")
    position, _ = sd.endpoint_pose(model, model.state(base_frame_position=(0, 0, 0)), "b")
    np.testing.assert_allclose(position, (1, 2, 3))
    with pytest.raises(sd.InputError, match="base is 'flying'; give one of free"):
        read_mjcf(text, base="flying")


def test_sites_of_the_world_beside_a_free_base_are_named():
    text = one("<freejoint/>").replace("<worldbody>", "<worldbody><site name='target'/>")
    model, said = warned(text)
    assert model.endpoint_names == () and "sites of the world ('target') are left out" in said


REPRESENTED = {
    "an actuator's rotor and damper": one(
        beside="<actuator><motor joint='j' gear='3' armature='.2' damping='.4'/>"
        "<motor joint='j' armature='.1'/></actuator>"
    ),
    "springs switched off": one(
        "<joint name='j' stiffness='3' damping='2' springref='20'/>", beside="<option><flag spring='disable'/></option>"
    ),
    "dampers switched off": one(
        "<joint name='j' stiffness='3' damping='2' springref='20'/>", beside="<option><flag damper='disable'/></option>"
    ),
    "springdamper": one("<joint name='j' springdamper='.5 .7' armature='.1'/>"),
    "a spring of a free joint": one("<joint name='r' type='free' stiffness='3' damping='.5'/>", body="pos='1 0 2'"),
    "a spring of a ball joint": one(
        "<joint name='r' type='ball' stiffness='3' armature='.5'/>", body="euler='30 40 0'"
    ),
    "mass in all": one(beside="<compiler boundmass='3' boundinertia='.7'/>"),
    "balanced inertia": one(
        beside="<compiler balanceinertia='true'/>", inside="<inertial pos='.1 0 0' mass='1' diaginertia='1 1 5'/>"
    ).replace(GEOM, ""),
    "inertia of some geoms": one(
        beside="<compiler inertiagrouprange='0 0'/>", inside="<geom size='.3' group='3' mass='9'/>"
    ),
    "defaults": one(
        "<joint name='j' class='c'/>",
        beside="<default><default class='c'><joint axis='1 1 0' armature='.3' damping='.2' ref='30'/></default>"
        "</default>",
    ),
    "static bodies fused": one(
        beside="<compiler fusestatic='true'/>", inside=f"<body name='x' pos='1 0 0' euler='0 50 0'>{GEOM}</body>"
    ),
    "a frame": one().replace("<body", "<frame pos='1 2 3' euler='30 0 60'><body").replace("</body>", "</body></frame>"),
    "replicas": one()
    .replace("<body", "<replicate count='3' offset='0 1 0' euler='0 0 30'><body")
    .replace("</body>", "</body></replicate>"),
    "names that clash with numbers": "<mujoco><worldbody>"
    f"<body name='body2'><joint name='joint1'/>{GEOM}<site name='site1'/><body><joint/>{GEOM}<site pos='1 0 0'/></body>"
    f"</body><body name='a'><joint name='x' pos='1 0 0'/>{GEOM}</body>"
    f"<body name='a/x'><joint name='a_fixed'/>{GEOM}</body></worldbody></mujoco>",
}


@pytest.mark.parametrize("case", REPRESENTED)
def test_it_comes_over(case):
    same(REPRESENTED[case])


def random_mjcf(rng: np.random.Generator) -> str:
    """A tree of a few bodies that uses whatever the reader represents."""

    def numbers(count: int, scale: float = 1.0) -> str:
        return " ".join(f"{x:.4f}" for x in scale * rng.normal(size=count))

    def joint(number: int, kind: str) -> str:
        keys = {"type": kind, "name": f"j{number}", "damping": abs(rng.normal()), "stiffness": abs(rng.normal())}
        keys |= {"armature": abs(rng.normal()), "pos": numbers(3)}
        if kind != "ball":
            keys |= {"axis": numbers(3), "ref": numbers(1), "springref": numbers(1)}
        return "<joint " + " ".join(f"{key}='{value}'" for key, value in keys.items()) + "/>"

    def body(depth: int) -> str:
        nonlocal count
        count += 1
        inside = GEOM.replace("mass='2'", f"mass='{0.5 + abs(rng.normal()):.3f}'")
        mine = ""
        if depth == 0 and rng.random() < 0.4:
            mine = (
                f"<joint type='free' name='j{count}' damping='.3' armature='{abs(rng.normal()):.3f}' stiffness='.7'/>"
            )
        else:
            kinds = rng.choice(["hinge", "slide", "ball"], size=int(rng.integers(0 if depth else 1, 3)), replace=False)
            for kind in sorted(kinds, key=["hinge", "slide", "ball"].index):  # MuJoCo wants a ball last
                count += 1
                mine += joint(count, kind)
        below = "".join(body(depth + 1) for _ in range(int(rng.integers(0, 3)))) if depth < 3 else ""
        return f"<body pos='{numbers(3)}' quat='{numbers(4)}'>{mine}{inside}{below}</body>"

    count = 0
    tops = "".join(body(0) for _ in range(int(rng.integers(1, 3))))
    gears = "".join(
        f"<motor joint='j{i}' gear='{numbers(1)}' armature='.2' damping='.1'/>"
        for i in range(count + 1)
        if f"type='hinge' name='j{i}'" in tops
    )
    return f"<mujoco><compiler angle='radian'/><worldbody>{tops}</worldbody><actuator>{gears}</actuator></mujoco>"


@pytest.mark.parametrize("seed", range(12))
def test_random_models_move_as_in_mujoco(seed):
    same(random_mjcf(np.random.default_rng(seed)))


TENDON = "<tendon><fixed armature='1'><joint joint='j' coef='1'/></fixed></tendon>"
TOUCHING = (
    "<mujoco><worldbody><body name='mount' pos='0 0 1'><geom type='box' size='.1 .1 .1'/><body name='bob'>"
    "<joint name='j' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0 0 -1' size='.02' mass='1'/></body></body>"
    "</worldbody></mujoco>"
)
NAMED = {
    "contacts": (TOUCHING, r"bodies touch where the file puts them \('mount' and 'bob'\)"),
    "actuators": (one(beside="<actuator><position joint='j' kp='9'/></actuator>"), "1 actuator of the file is no part"),
    "tendons": (one(beside=TENDON), "1 tendon of the file"),
    "keyframes": (one(beside="<keyframe><key qpos='1'/><key qpos='2'/></keyframe>"), "2 keyframes of the file are"),
    "exclusions": (
        one(beside="<contact><exclude body1='b' body2='c'/></contact>", inside=f"<body name='c'>{GEOM}</body>"),
        "1 contact exclusion of",
    ),
    "several": (
        one(beside=TENDON + "<equality><joint joint1='j'/></equality>"),
        "1 equality constraint, 1 tendon of the file are no part",
    ),
    "gravity": (one(beside="<option gravity='0 0 -1.62'/>"), r"gravity \(0, 0, -1.62\) m/s\^2"),
    "a medium": (one(beside="<option density='1.2' wind='1 0 0'/>"), "density 1.2 kg/m"),
    "gravity compensation": (one(body="gravcomp='1'"), "gravcomp of body 'b'"),
    "a mocap body": (one("", body="mocap='true'", inside=f"<body name='c'><joint/>{GEOM}</body>"), "mocap body 'b'"),
    "limits of a ball": (one("<joint name='r' type='ball' range='0 30'/>"), "limits of joint 'r' are left out"),
    "a spring that is not linear": (one("<joint name='j' stiffness='1 2 3'/>"), "stiffness of joint 'j'"),
    "a damper that is not linear": (one("<joint name='j' damping='1 2 3'/>"), "damping of joint 'j'"),
    "a spring that yields": (one("<joint name='j' stiffness='1' springyield='5'/>"), "springyield of joint 'j'"),
    "uneven forces": (one("<joint name='j' actuatorfrcrange='-1 3'/>"), "actuatorfrcrange of joint 'j'"),
    "a rotor of a tendon's motor": (
        one(
            beside=TENDON.replace("<fixed", "<fixed name='t'")
            + "<actuator><motor name='m' tendon='t' armature='1'/></actuator>"
        ),
        "armature and damping of actuator 'm' are left out",
    ),
    "what MuJoCo says": (one(beside="<compiler settotalmass='3'/>"), "MuJoCo says: .*settotalmass"),
}


@pytest.mark.parametrize("case", NAMED)
def test_what_does_not_come_over_is_named(case, tmp_path):
    text, words = NAMED[case]
    _, said = warned(text)
    assert re.search(words, said), said
    (tmp_path / "robot.xml").write_text(text)
    assert sd.check_file(tmp_path / "robot.xml").worst == "warning"


BAD_NUMBERS = {
    "ref of infinity": (one("<joint name='j' ref='inf'/>"), "joint 'j': its ref is not a finite number"),
    "ref of NaN": (one("<joint name='j' ref='nan'/>"), "line 1: <joint>: ref is 'nan'"),
    "springref of infinity": (one("<joint name='j' springref='inf'/>"), "joint 'j': its springref"),
    "a quaternion that overflows": (one(body="quat='1 0 0 1e308'"), "body 'b': its quat became"),
    "a site's quaternion": (one(inside="<site name='s' quat='1 0 0 1e308'/>"), "site 's': its quat"),
    "a geom's quaternion": (one(inside="<geom name='g' size='1' quat='0 1e308 1e308 0'/>"), "geom 'g': its quat"),
    "a position of infinity": (one(body="pos='inf 0 0'"), "body 'b': its pos"),
    "a position of NaN": (one(body="pos='0 nan 0'"), "line 1: <body>: pos is '0 nan 0'"),
    "an axis that overflows": (one("<joint name='j' axis='1e308 1e308 0'/>"), "joint 'j': its axis"),
    "a mass of infinity": (one(inside="<geom size='1' mass='inf'/>"), "mass and inertia of moving bodies"),
    "a mass of NaN": (one(inside="<geom size='1' mass='nan'/>"), "line 1: <geom>: mass is 'nan'"),
    "a size of infinity": (one(inside="<geom name='g' size='inf'/>"), "mass and inertia of moving bodies"),
    "a color of NaN": (one(inside="<geom size='1' rgba='nan 0 0 1'/>"), "rgba is 'nan 0 0 1'"),
    "gravity of NaN": (one(beside="<option gravity='0 0 nan'/>"), "<option>: gravity is '0 0 nan'"),
    "damping of infinity": (one("<joint name='j' damping='inf'/>"), "joint 'j': damping is an infinity"),
    "a gear that overflows": (
        one(beside="<actuator><motor name='m' joint='j' gear='1e308'/></actuator>"),
        "actuator 'm': its gear became",
    ),
    "a total mass of infinity": (one(beside="<compiler settotalmass='inf'/>"), "body 'b': its mass"),
}


@pytest.mark.parametrize("case", BAD_NUMBERS)
def test_numbers_that_are_none_are_named(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text, words = BAD_NUMBERS[case]
    with pytest.raises(sd.ModelError, match=words):
        read_mjcf(text)
    assert os.listdir() == []  # MuJoCo's log of warnings


def test_mujoco_writes_no_log(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    heard = []
    mujoco.set_mju_user_warning(heard.append)
    try:
        read_mjcf(one())
        assert mujoco.get_mju_user_warning() is not None
        with pytest.raises(sd.ModelError):
            read_mjcf(one(body="pos='nan 0 0'"))
    finally:
        mujoco.set_mju_user_warning(None)
    assert heard == []
    b = sd.Builder("heavy")
    b.base("bus", mass=1e90, inertia=(1e90, 1e90, 1.1e90))
    b.link("arm", parent="bus", mass=1e-9, inertia=(1e-9, 1e-9, 1.1e-9), position=(1e9, 0, 0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        str(sd.verify(b.build(), states=1))
    assert os.listdir() == []
    assert "WARNING" not in "".join(capfd.readouterr())
