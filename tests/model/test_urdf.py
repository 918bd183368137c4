"""URDF files: what they say comes over as they say it; what is wrong with one is said, with its line."""

import os
import re
import sys

import numpy as np
import pytest

import spacedyn as sd
from spacedyn.model.files.mimic import Mimic, follow, mimic_coupling, read_mimics
from spacedyn.model.files.urdf import read_urdf
from urdf_text import INERTIAL, joint, link, robot

PAIR = link("a") + link("b")
SECRET = "secret.stl"


def mesh(file: str) -> str:
    return robot(link("a", INERTIAL + f'<visual><geometry><mesh filename="{file}"/></geometry></visual>'))


MALFORMED = {
    "empty": ("", "not whole XML"),
    "truncated": (robot(PAIR)[:-30], "not whole XML"),
    "truncated in a tag": (robot(PAIR)[:90], "not whole XML"),
    "not XML": ("robot: {links: []}", "not whole XML"),
    "binary": ("\x00\x01\x02\x7fELF", "not whole XML"),
    "wrong encoding": ('<?xml version="1.0" encoding="klingon"?><robot name="r"/>', "klingon|encoding"),
    "another document": ("<html><body/></html>", "not a <robot>"),
    "no name": ("<robot><link name='a'/></robot>", "the robot has no name"),
    "no links": ("<robot name='r'/>", "no <link>"),
    "a link without a name": (robot("<link/>"), "a link has the name None"),
    "a name of two lines": (robot(link("a&#10;b")), "has the name"),
    "two links of one name": (robot(link("a"), link("a")), "2 links are called 'a'"),
    "two joints of one name": (
        robot(PAIR, link("c"), joint("j", "a", "b"), joint("j", "b", "c")),
        "2 joints are called 'j'",
    ),
    "a joint without a type": (robot(PAIR, joint("j", "a", "b").replace(' type="revolute"', "")), "its type is None"),
    "a joint of no known type": (robot(PAIR, joint("j", "a", "b", "hinge")), "its type is 'hinge'"),
    "a joint without a parent": (
        robot(PAIR, '<joint name="j" type="fixed"><child link="b"/></joint>'),
        "its parent is",
    ),
    "a joint without a child": (robot(PAIR, '<joint name="j" type="fixed"><parent link="a"/></joint>'), "its child is"),
    "a parent that is not there": (robot(PAIR, joint("j", "aa", "b")), "did you mean 'a'"),
    "a ring": (robot(PAIR, link("c"), joint("j", "a", "b"), joint("k", "b", "a")), "in a ring"),
    "all in a ring": (robot(PAIR, joint("j", "a", "b"), joint("k", "b", "a")), "in a ring"),
    "a link on itself": (robot(PAIR, joint("j", "b", "b")), "in a ring"),
    "two roots": (robot(PAIR), "2 roots"),
    "two parents": (robot(PAIR, link("c"), joint("j", "a", "c"), joint("k", "b", "c")), "a second parent"),
    "words for numbers": (robot(link("a", INERTIAL.replace('"2"', '"two"'))), "value is 'two'"),
    "a number too many": (robot(link("a", INERTIAL.replace("0.1 0 0.2", "0.1 0 0.2 1"))), "give 3 numbers"),
    "commas": (robot(link("a", INERTIAL.replace("0.1 0 0.2", "0.1, 0, 0.2"))), "give 3 numbers"),
    "not a number": (robot(link("a", INERTIAL.replace('"2"', '"nan"'))), "value is 'nan'"),
    "infinite": (robot(link("a", INERTIAL.replace('"2"', '"1e999"'))), "give finite numbers"),
    "negative mass": (robot(link("a", INERTIAL.replace('"2"', '"-2"'))), "mass is -2 kg"),
    "no mass": (robot(link("a", INERTIAL.replace('<mass value="2"/>', ""))), "has no <mass>"),
    "half an inertia": (robot(link("a", INERTIAL.replace('izz="0.25"', ""))), "izz is missing"),
    "an impossible inertia": (robot(link("a", INERTIAL.replace('izz="0.25"', 'izz="-0.25"'))), "negative principal"),
    "an axis of zero": (robot(PAIR, joint("j", "a", "b", inside='<axis xyz="0 0 0"/>')), "its axis is zero"),
    "negative damping": (robot(PAIR, joint("j", "a", "b", inside='<dynamics damping="-1"/>')), "damping is -1"),
    "mimics nobody": (robot(PAIR, joint("j", "a", "b", inside='<mimic joint="x"/>')), "it mimics 'x'"),
    "mimics itself": (robot(PAIR, joint("j", "a", "b", inside='<mimic joint="j"/>')), "it mimics itself"),
    "nothing to move": (robot(link("a"), link("b", ""), joint("j", "a", "b")), r'lock=\["j"\]'),
    "a massless robot": (robot(link("a", "")), "nothing has inertia"),
    "a look without a geometry": (robot(link("a", INERTIAL + "<visual/>")), "has no geometry"),
    "a box without a size": (
        robot(link("a", INERTIAL + "<visual><geometry><box/></geometry></visual>")),
        "size is missing",
    ),
    "a negative radius": (
        robot(link("a", INERTIAL + '<visual><geometry><sphere radius="-1"/></geometry></visual>')),
        "give 0 or more",
    ),
    "a mesh without a name": (mesh(""), "no filename"),
    "a mesh above": (mesh(f"../{SECRET}"), "outside the folder"),
    "a mesh above, by its package": (mesh(f"package://inside/../{SECRET}"), "outside the folder"),
    "a mesh above, by a file's address": (mesh(f"file:///tmp/../etc/{SECRET}"), "outside the folder"),
    "a mesh above, encoded": (mesh(f"file:///tmp/%2e%2e/etc/{SECRET}"), "outside the folder"),
    "a mesh above, with backslashes": (mesh(f"..\\{SECRET}"), "outside the folder"),
    "a mesh elsewhere": (mesh("/etc/passwd"), "outside the folder"),
    "a mesh behind a link": (mesh("linked.stl"), "outside the folder"),
    "a bomb of entities": (
        '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><robot name="&b;"><link name="a"/></robot>',
        "document type or entities",
    ),
    "an entity from a file": (
        '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="&x;"><link name="a"/></robot>',
        "document type or entities",
    ),
    "a document type elsewhere": ('<!DOCTYPE r SYSTEM "http://0.0.0.0/r.dtd"><robot name="r"/>', "document type"),
    "nested deep": (robot("<x>" * 5000 + "</x>" * 5000), "more than the 100 levels"),
    "very many links": (robot(*(f"<link name='l{i}'/>" for i in range(10_001))), "more than the 10000"),
}

LET_PASS = {
    "a comment before the declaration": (
        "<!-- made by hand - mostly -->\n\n" + robot(link("a")),
        "line 3: comments stand before <.xml",
    ),
    "limits reversed": (
        robot(PAIR, joint("j", "a", "b").replace('lower="-1" upper="1"', 'lower="1" upper="-1"')),
        "line 7: joint 'j': its lower limit 1 is above its upper limit -1, so it has none here; swap them",
    ),
    "a scale of four numbers": (
        mesh('x.stl" scale="1 1 1 1'),
        "link 'a': the scale of its mesh is '1 1 1 1', so it is not drawn; give one number or three",
    ),
    "a scale of words": (mesh('x.stl" scale="a b c'), "the scale of its mesh is 'a b c'"),
}


@pytest.mark.parametrize("case", LET_PASS)
def test_what_others_let_pass_is_read_with_a_warning(tmp_path, case):
    text, words = LET_PASS[case]
    with pytest.warns(sd.ModelWarning, match=words):
        model = read_urdf(text)
    assert not model.bodies[0].visuals
    assert all(np.isinf(j.lower).all() and np.isinf(j.upper).all() for j in model.joints)
    (tmp_path / "robot.urdf").write_text(text)
    found = [
        f"{one.place}: {one.message}" for one in sd.check_file(tmp_path / "robot.urdf") if one.severity == "warning"
    ]
    assert any(re.search(words.partition(";")[0], one) for one in found)
    if "scale" in case:
        read_urdf(text, meshes=False)  # nothing is looked for, so nothing is wrong


def test_lines_are_counted_from_the_beginning_of_the_file():
    with pytest.raises(sd.ModelError, match="line 5: the robot has no name"):
        read_urdf("<!-- a\nb -->\n\n" + robot(link("a")).replace(' name="r"', ""))


STRAY = "<visual><geometry/></visual>"


@pytest.mark.parametrize(
    "text",
    [
        robot(STRAY, link("a")),
        robot("<geometry/>", link("a")),
        robot("<collision><geometry/></collision>", link("a")),
        robot(link("a", INERTIAL + f"<x>{STRAY}</x>")),
        robot(PAIR, joint("j", "a", "b", inside=STRAY)),
        robot(PAIR, joint("j", "a", "b", inside='<calibration rising="x"/><safety_controller k_velocity="x"/>')),
        robot(link("a"), "<link2/>", "<robot/>", "<transmission><joint/></transmission>"),
    ],
)
def test_elements_that_stand_elsewhere_are_passed_over(tmp_path, text):
    assert read_urdf(text).body("a").mass == 2.0
    (tmp_path / "robot.urdf").write_text(text)
    assert sd.check_file(tmp_path / "robot.urdf").worst != "error"


def test_a_long_chain_of_mimic_joints_is_settled_soon():
    many = range(3000)
    links = [link(f"l{i}") for i in (*many, 3000)]
    joints = [joint(f"j{i}", f"l{i}", f"l{i + 1}", inside=f'<mimic joint="j{i + 1}"/>') for i in many]
    with pytest.raises(sd.ModelError, match="mimics 'j3000', which is not there"):
        read_urdf(robot(*links, *joints))
    joints[-1] = joint("j2999", "l2999", "l3000", inside='<mimic joint="j2990"/>')
    with pytest.raises(sd.ModelError, match=r"joint 'j2990': it mimics itself, by way of j2990, .*, j2999; break"):
        read_urdf(robot(*links, *joints))


opened: list[str] = []
watching = False


def _watch(event: str, arguments: tuple) -> None:
    if watching and event == "open":
        opened.append(os.path.realpath(os.fsdecode(arguments[0])) if isinstance(arguments[0], str | bytes) else "")


sys.addaudithook(_watch)


@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_file_is_refused_with_words(tmp_path, case):
    global watching
    text, words = MALFORMED[case]
    folder = tmp_path / "inside"
    folder.mkdir()
    secret = tmp_path / SECRET
    secret.write_text("solid")
    (folder / "linked.stl").symlink_to(secret)
    (folder / "bad.urdf").write_text(text)
    opened.clear()
    watching = True
    try:
        with pytest.raises(sd.ModelError, match=words):
            sd.load(folder / "bad.urdf")
    finally:
        watching = False
    assert str(secret) not in opened and "/etc/passwd" not in opened


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    file = tmp_path / "huge.urdf"
    with file.open("wb") as handle:
        handle.truncate(200_000_000)
    with pytest.raises(sd.ModelError, match="200 MB"):
        sd.load(file)


def test_what_is_no_file_is_reported(tmp_path):
    for path, words in [(tmp_path, "not a file"), (tmp_path / "none.urdf", "no file"), ("/dev/zero", "not a file")]:
        with pytest.raises(sd.ModelError, match=words):
            read_urdf(path)
    with pytest.raises(sd.ModelError, match="cannot be read"):
        read_urdf("a\0b.urdf")


def test_every_problem_is_reported_with_its_line():
    bad = robot(link("a", INERTIAL.replace('"2"', '"two"')), link("b"), joint("j", "a", "c", "hinge"))
    with pytest.raises(sd.ModelError) as caught:
        read_urdf(bad)
    assert [problem.split(":")[0] for problem in caught.value.problems] == ["line 3", "line 7", "line 7"]


FULL = robot(
    '<material name="blue"><color rgba="0 0 1 1"/></material>',
    link(
        "hand",
        INERTIAL
        + '<visual name="v"><origin xyz="0 0 1" rpy="0 0 1"/><geometry><cylinder radius="0.1" length="2"/></geometry>'
        '<material name="blue"/></visual><visual><geometry><capsule radius="1" length="1"/></geometry></visual>'
        '<collision><geometry><sphere radius="0.3"/></geometry></collision>',
    ),
    link("bus"),
    link("tool", ""),
    link("arm"),
    joint(
        "wrist",
        "arm",
        "hand",
        "prismatic",
        '<origin xyz="0 1 0" rpy="0.1 0.2 0.3"/><axis xyz="0 2 0"/><dynamics damping="0.5" friction="0.25"/>',
    ),
    joint("flange", "hand", "tool", "fixed", '<origin xyz="0 0 3"/>'),
    joint("shoulder", "bus", "arm", "continuous", '<origin xyz="1 0 0"/>'),
    "<gazebo><plugin name='x'/></gazebo><transmission name='t'><joint name='wrist'/></transmission>",
)


def test_frames_order_and_properties_are_the_files():
    model = read_urdf(FULL)
    assert model.body_names == ("bus", "hand", "arm") and model.joint_names == ("wrist", "shoulder")
    wrist = model.joint("wrist")
    assert (wrist.kind, wrist.parent, wrist.child) == ("prismatic", "arm", "hand")
    assert wrist.axis.tolist() == [0, 1, 0] and wrist.position.tolist() == [0, 1, 0]
    expected = sd.Rotation.from_euler("xyz", (0.1, 0.2, 0.3)).as_matrix()
    np.testing.assert_allclose(wrist.rotation, expected, atol=1e-15)
    assert (wrist.damping, wrist.friction) == (0.5, 0.25)
    assert (wrist.lower, wrist.upper, wrist.max_force, wrist.max_rate) == (-1, 1, 9, 3)
    assert model.joint("shoulder").axis.tolist() == [1, 0, 0] and model.joint("shoulder").lower == -np.inf
    tool = model.endpoint("tool")
    assert tool.body == "hand" and tool.position.tolist() == [0, 0, 3]
    hand = model.body("hand")
    assert [v.name for v in hand.visuals] == ["v"] and hand.visuals[0].color == (0, 0, 1, 1)
    assert hand.visuals[0].shape.size.tolist() == [0.1, 2] and hand.collisions[0].shape.kind == "sphere"
    turn = sd.Rotation.from_euler("z", 0.5).as_matrix()
    given = np.array([[0.2, 0.01, 0], [0.01, 0.3, 0], [0, 0, 0.25]])
    np.testing.assert_allclose(hand.inertia, turn @ given @ turn.T, atol=1e-16)
    assert read_urdf(FULL, name="other", base="fixed").name == "other"


def test_meshes_are_found_in_the_models_folder_and_where_the_user_says(tmp_path):
    package = tmp_path / "my_robot"
    (package / "urdf").mkdir(parents=True)
    (package / "meshes").mkdir()
    (package / "package.xml").write_text("<package/>")
    (package / "meshes" / "a.stl").write_text("solid")
    other = tmp_path / "elsewhere" / "parts"
    other.mkdir(parents=True)
    (other / "b.obj").write_text("")
    file = package / "urdf" / "robot.urdf"
    for name in ("package://my_robot/meshes/a.stl", "../meshes/a.stl", f"file://{package}/meshes/a.stl"):
        file.write_text(mesh(name))
        assert sd.load(file).bodies[0].visuals[0].mesh == str(package / "meshes" / "a.stl")
    file.write_text(mesh("package://parts/b.obj"))
    for folder in (other, other.parent):
        assert sd.load(file, folders=[folder]).bodies[0].visuals[0].mesh == str(other / "b.obj")
    with pytest.warns(sd.ModelWarning, match="1 meshes are not there"):
        assert sd.load(file).bodies[0].visuals == ()
    file.write_text(mesh("https://example.org/a.stl"))
    with pytest.warns(sd.ModelWarning, match="1 meshes are not there"):
        sd.load(file)
    file.write_text(mesh(str(other / "b.obj")))
    assert sd.load(file, meshes=False).bodies[0].visuals == ()


GRIPPER = robot(
    link("palm"),
    *(link(name) for name in "abc"),
    joint("a", "palm", "a", "prismatic"),
    joint("b", "palm", "b", "prismatic", '<mimic joint="a" multiplier="-2" offset="0.1"/>'),
    joint("c", "b", "c", "revolute", '<mimic joint="b" multiplier="3"/>'),
)


def test_joints_that_mimic_others():
    with pytest.warns(sd.ModelWarning, match="joints b, c mimic others"):
        model = read_urdf(GRIPPER)
    assert model.n == 3
    locked = read_urdf(GRIPPER, mimic="lock", merge_fixed=False)
    assert [j.kind for j in locked.joints] == ["prismatic", "fixed", "fixed"]
    assert locked.joint("b").position.tolist() == [0.1, 0, 0]
    ties = read_mimics(GRIPPER)
    assert ties == (Mimic("b", "a", -2.0, 0.1), Mimic("c", "b", 3.0, 0.0))
    assert follow(model, [[0.5, 9, 9]], ties).tolist() == [[0.5, -0.9, pytest.approx(-2.7)]]
    G, offset = mimic_coupling(model, ties)
    assert G.shape == (9, 7) and G[6:, 6].tolist() == [1, -2, -6]
    np.testing.assert_allclose(offset, [0, 0.1, 0.3])
    with pytest.raises(sd.InputError, match="mimics itself"):
        mimic_coupling(model, [Mimic("a", "b"), Mimic("b", "a")])
    with pytest.raises(sd.InputError, match="give 'independent' or 'lock'"):
        read_urdf(GRIPPER, mimic="copy")


def test_tied_joints_move_as_one_that_pinocchio_knows():
    import pinocchio as pin

    model, ties = read_urdf(GRIPPER, base="fixed", mimic="independent"), read_mimics(GRIPPER)
    chain = GRIPPER.replace('joint="b" multiplier="3"/>', 'joint="a" multiplier="-6" offset="0.3"/>')  # one leader
    peer = pin.buildModelFromXML(chain, mimic=True)
    data, (G, _) = peer.createData(), mimic_coupling(model, ties)
    assert peer.nv == 1 and G.shape == (3, 1)
    state = model.state(q=follow(model, [0.4, 0, 0], ties), qd=G @ [0.7])
    H = G.T @ sd.mass_matrix(model, state) @ G
    c = G.T @ sd.bias_force(model, state, gravity=(0, 0, -9.81))
    np.testing.assert_allclose(H, pin.crba(peer, data, np.array([0.4])), rtol=1e-12)
    np.testing.assert_allclose(c, pin.nonLinearEffects(peer, data, np.array([0.4]), np.array([0.7])), rtol=1e-10)


def test_joints_are_locked_where_they_are_told():
    model = read_urdf(FULL, lock={"wrist": 0.5}, merge_fixed=False)
    assert model.joint("wrist").kind == "fixed"
    moved = np.array([0, 1, 0]) + model.joint("wrist").rotation @ [0, 0.5, 0]
    np.testing.assert_allclose(model.joint("wrist").position, moved)
    assert read_urdf(FULL, lock="wrist").joint_names == ("shoulder",)
    with pytest.raises(sd.UnknownName, match="did you mean 'wrist'"):
        read_urdf(FULL, lock="wrst")
    with pytest.raises(sd.InputError, match="give one number"):
        read_urdf(FULL, lock={"wrist": "high"})


@pytest.mark.parametrize("merge", [True, False])
def test_a_planar_joint_moves_in_the_plane_across_its_axis(merge):
    text = robot(link("a"), link("b"), joint("j", "a", "b", "planar", '<origin xyz="0 0 1"/><axis xyz="1 0 0"/>'))
    model = read_urdf(text, base="fixed", merge_fixed=merge)
    neutral = model.state(base_frame_position=np.zeros(3))
    place, turn = sd.endpoint_pose(model, neutral, "b")
    np.testing.assert_allclose(place, (0, 0, 1), atol=1e-15)
    np.testing.assert_allclose(turn, np.eye(3), atol=1e-15)
    moved = model.state(base_frame_position=np.zeros(3), q=[0.3, 0.4, 0.5])
    place, turn = sd.endpoint_pose(model, moved, "b")
    assert place[0] == pytest.approx(0.0, abs=1e-15) and np.linalg.norm(place - (0, 0, 1)) == pytest.approx(0.5)
    np.testing.assert_allclose(turn, sd.Rotation.from_rotvec([0.5, 0, 0]).as_matrix(), atol=1e-15)
    floating = read_urdf(robot(link("a"), link("b"), joint("j", "a", "b", "floating")))
    assert floating.joint("j").kind == "free"


def test_xacro_is_expanded(tmp_path):
    file = tmp_path / "r.urdf.xacro"
    body = link("a", INERTIAL.replace('"2"', '"${2*m}"'))
    file.write_text(
        f'<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro"><xacro:property name="m" value="3"/>{body}</robot>'
    )
    assert sd.load(file).total_mass == 6.0
    file.write_text(file.read_text().replace("2*m", "2*nothing"))
    with pytest.raises(sd.ModelError, match="cannot be expanded"):
        sd.load(file)


def test_options_that_do_not_belong_are_named(tmp_path):
    file = tmp_path / "r.urdf"
    file.write_text(FULL)
    with pytest.raises(sd.InputError, match="did you mean 'merge_fixed'"):
        sd.load(file, merge_fixd=True)
    with pytest.raises(sd.InputError, match="options are for"):
        sd.load("ets7", base="fixed")


def test_a_urdf_may_be_called_xml(tmp_path):
    file = tmp_path / "r.xml"
    file.write_text(FULL)
    assert sd.load(file, base="fixed").base_kind == "fixed"


def test_a_root_called_world_stands_still_by_default():
    """As ROS has it; what weighs something, or is called otherwise, is free unless it is held."""
    on_world = robot(link("world", ""), link("arm", INERTIAL), joint("hinge", "world", "arm"))
    assert sd.Model.from_urdf(on_world).base_kind == "fixed"
    weighs = robot(link("world", INERTIAL), link("arm", INERTIAL), joint("hinge", "world", "arm"))
    assert sd.Model.from_urdf(weighs).base_kind == "free"
    assert sd.Model.from_urdf(weighs, base="planar").base_kind == "planar"
    with pytest.raises(sd.ModelError, match='load\\(…, base="fixed"\\)'):
        sd.Model.from_urdf(on_world.replace("world", "table"))
    pendulum = sd.Model.from_urdf(on_world)
    assert sd.Model.from_urdf(pendulum.to_urdf()).base_kind == "fixed"
