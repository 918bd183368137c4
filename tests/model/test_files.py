"""Robots as TOML: nothing is lost on the way out and back, and every slip in a file is said at once, by its table."""

import tomllib

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from random_trees import random_model
from spacedyn.errors import ModelError
from spacedyn.model.build import Builder
from spacedyn.model.files.toml import read_model, write_model
from spacedyn.model.joints import JOINT_KINDS
from spacedyn.model.model import Model
from spacedyn.model.parts import BASE_KINDS
from spacedyn.model.shapes import box, cone, cylinder, point, rod, sphere, tube

PENDULUM = """
name = "pendulum"

[base]
kind = "fixed"
mass = 1
inertia = [1, 2, 2]

[joints.pivot]
kind = "revolute"
parent = "base"
child = "bob"

[bodies.bob]
mass = 2
inertia = [0.1, 0.2, 0.2]
com = [1, 0, 0]

[endpoints.tip]
body = "bob"
position = [2, 0, 0]
"""


def changed(old: str, new: str) -> str:
    assert PENDULUM.count(old) == 1
    return PENDULUM.replace(old, new)


def problems(text) -> tuple[str, ...]:
    with pytest.raises(ModelError) as caught:
        read_model(text)
    return caught.value.problems


def simple(**base) -> Builder:
    builder = Builder("simple")
    builder.base(**{"mass": 10, "inertia": (1, 2, 2)} | base)
    return builder


# --- out and back ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base_kind", BASE_KINDS)
@pytest.mark.parametrize("n", [0, 1, 9, 18])
@pytest.mark.parametrize("passive", [False, True])
def test_random_robots_come_back_to_the_last_bit(base_kind, n, passive):
    rng = np.random.default_rng([n, passive, *map(ord, base_kind)])
    model = random_model(rng, n, base_kind=base_kind, passive=passive)
    again = read_model(write_model(model))
    assert again == model
    assert write_model(again) == write_model(model)


def test_a_file_holds_what_was_written(tmp_path):
    model = random_model(np.random.default_rng(1), 5)
    path = tmp_path / "robot.toml"
    text = write_model(model, path)
    assert path.read_text(encoding="utf-8") == text
    assert read_model(path) == read_model(str(path)) == Model.from_toml(path) == model
    assert model.to_toml() == text


def test_shapes_come_back_and_stand_for_the_numbers_they_give():
    turned = Rotation.from_euler("XYZ", [10, 20, 30], degrees=True)
    solids = [
        box(1, (1, 2, 3)),
        cylinder(2, 0.1, 1, (0, 0, 1)),
        tube(1, 0.2, 0.1, 1),
        sphere(3, 0.5, (1, 0, 0), turned),
    ]
    solids += [
        cone(1, 0.2, 0.5),
        rod(0.5, 1.0, (0, 1, 0), Rotation.from_euler("x", 90, degrees=True)),
        point(0.1, (1, 1, 1)),
    ]
    builder = Builder("solids")
    builder.base(shapes=solids)
    builder.link("drawn", parent="base", mass=3, inertia=(1, 2, 2), com=(0.1, 0, 0), shapes=[box(0, (1, 1, 1))])
    model = builder.build()
    text = write_model(model)
    assert "mass" not in tomllib.loads(text)["base"]
    assert tomllib.loads(text)["bodies"]["drawn"]["mass"] == 3.0
    assert read_model(text) == model


def test_a_massless_frame_comes_back():
    builder = simple()
    builder.link("frame", parent="base", massless=True, com=(0.0, 0.1, 0.0))
    builder.link("arm", parent="frame", mass=1, inertia=(1, 2, 2), rotation=Rotation.from_euler("x", 90, degrees=True))
    model = builder.build()
    text = write_model(model)
    assert tomllib.loads(text)["bodies"]["frame"] == {"massless": True, "com": [0.0, 0.1, 0.0]}
    assert read_model(text) == model


def test_names_and_numbers_that_need_care_come_back():
    builder = Builder('the "robot" № 1 = [x]')
    builder.base('bus "A" \\ 1', mass=1e5 / 3, inertia=(1e2 / 3, 2e2 / 3, 50 + 1e-14))
    builder.link(
        "to hand.left", parent='bus "A" \\ 1', mass=1e-1 / 3, inertia=(1e-5, 2e-5, 2e-5), upper=1, com=(0, 1e-9, 0)
    )
    builder.link("ω", "planar", parent="to hand.left", mass=1e1, inertia=(1, 2, 2), upper=(1, np.inf, 2), max_rate=7)
    model = builder.build()
    text = write_model(model)
    assert 'joints."to hand.left"' in text
    assert "upper = [1.0, inf, 2.0]" in text
    assert "max_rate = 7.0" in text
    assert read_model(text) == model


def test_right_angles_are_written_as_angles_and_others_as_matrices():
    builder = simple()
    builder.endpoint("square", body="base", rotation=[[0, 0, 1], [1, 0, 0], [0, 1, 0]])
    builder.endpoint("oblique", body="base", rotation=Rotation.from_euler("x", 0.3))
    builder.endpoint("level", body="base")
    found = tomllib.loads(write_model(builder.build()))["endpoints"]
    assert found["square"] == {"body": "base", "rpy_xyz_deg": [90.0, 90.0, 0.0]}
    assert np.shape(found["oblique"]["rotation"]) == (3, 3)
    assert found["level"] == {"body": "base"}


def test_vectors_stand_on_one_line_and_defaults_are_left_out():
    text = write_model(read_model(PENDULUM))
    assert "position = [2.0, 0.0, 0.0]" in text
    assert "stiffness" not in text and "lower" not in text and "axis" not in text
    assert max(map(len, text.splitlines())) < 120


# --- written by hand -------------------------------------------------------------------------------------------------


def test_what_is_left_out_has_the_builders_default():
    builder = Builder("robot")
    builder.base(mass=1, inertia=(1, 2, 2))
    builder.link("arm", parent="base", mass=1, inertia=(1, 2, 2))
    text = """
    [base]
    mass = 1
    inertia = [1, 2, 2]
    [joints.arm]
    kind = "revolute"
    parent = "base"
    child = "arm"
    [bodies.arm]
    mass = 1
    inertia = [1, 2, 2]
    """
    assert read_model(text) == builder.build()


@pytest.mark.parametrize(
    "turn",
    [
        "rpy_xyz_deg = [30, 40, 50]",
        f"quaternion_xyzw = {Rotation.from_euler('XYZ', [30, 40, 50], degrees=True).as_quat().tolist()}",
        f"rotation = {Rotation.from_euler('XYZ', [30, 40, 50], degrees=True).as_matrix().tolist()}",
    ],
)
def test_a_rotation_may_be_given_in_three_ways(turn):
    wanted = Rotation.from_euler("XYZ", [30, 40, 50], degrees=True).as_matrix()
    for place, part in (('child = "bob"', "joints"), ("position = [2, 0, 0]", "endpoints")):
        model = read_model(changed(place, f"{place}\n{turn}"))
        np.testing.assert_allclose(getattr(model, part)[0].rotation, wanted, atol=1e-15)
    solid = f"shapes = [{{ kind = 'box', mass = 2, size = [1, 2, 3], {turn} }}]"
    model = read_model(changed("mass = 1\ninertia = [1, 2, 2]", solid))
    np.testing.assert_allclose(model.bodies[0].shapes[0].rotation, wanted, atol=1e-15)


@pytest.mark.parametrize("kind", JOINT_KINDS)
def test_every_kind_of_joint_can_be_written_by_hand(kind):
    text = changed('kind = "revolute"', f'kind = "{kind}"')
    assert read_model(text).joint("pivot").kind == kind


def test_an_inertia_may_be_a_matrix_and_numbers_may_be_whole():
    text = changed("inertia = [0.1, 0.2, 0.2]", "inertia = [[3, 1, 0], [1, 4, 0], [0, 0, 5]]")
    assert read_model(text).body("bob").inertia[0, 1] == 1.0


def test_the_name_is_that_of_the_file_if_none_is_given(tmp_path):
    nameless = PENDULUM.replace('name = "pendulum"', "")
    path = tmp_path / "swing.toml"
    path.write_text(nameless, encoding="utf-8")
    assert read_model(path).name == "swing"
    assert read_model(nameless).name == "robot"


def test_a_byte_order_mark_and_foreign_line_ends_are_fine(tmp_path):
    path = tmp_path / "robot.toml"
    path.write_bytes(b"\xef\xbb\xbf" + PENDULUM.replace("\n", "\r\n").encode())
    assert read_model(path) == read_model(PENDULUM)


# --- slips -----------------------------------------------------------------------------------------------------------


def test_all_slips_are_reported_together_by_table():
    found = problems("""
    name = 3
    spring = 1
    [base]
    mas = 1
    kind = true
    inertia = "heavy"
    shapes = 5
    [joints."my elbow"]
    kind = "revolute"
    stifness = 3
    gear = { ratio = 3 }
    child = 1979-05-27
    [bodies]
    arm = 4
    [bodies.leg]
    massless = "yes"
    com = [0, "x", 0]
    [endpoints.hand]
    position = false
    [jonts.x]
    """)
    wanted = [
        "at the top: there is no 'spring'; there are: name, base, bodies, joints, endpoints, vary.",
        "at the top: there is no 'jonts'; did you mean 'joints'?",
        "at the top: name is 3; give text",
        "[base]: there is no key 'mas'; did you mean 'mass'?",
        "[base]: kind is true or false (True); give text",
        "[base]: inertia is text ('heavy'); give a number",
        "[base]: shapes is a number (5); give a list of shapes",
        "[bodies.arm] is 4, not a table",
        "[bodies.leg]: massless is text ('yes'); give true or false",
        "[bodies.leg]: com is a list ([0, 'x', 0]); give a number",
        "[joints.'my elbow']: there is no key 'stifness'; did you mean 'stiffness'?",
        "[joints.'my elbow']: gear is a table",
        "[joints.'my elbow']: child is a date or time",
        "[joints.'my elbow']: parent is missing",
        "[endpoints.hand]: position is true or false",
        "[endpoints.hand]: body is missing",
    ]
    assert len(found) == len(wanted)
    for start in wanted:
        assert any(problem.startswith(start) for problem in found), start


def test_slips_in_shapes_are_reported_together():
    found = problems("""
    [base]
    shapes = [
        { kind = "bx", mass = 1 },
        { mass = 1 },
        { kind = "box", mass = 1, sise = [1, 1, 1] },
        { kind = "rod", length = 1, mass = "a" },
        { kind = "sphere", radius = 1, mass = 1, rpy_xyz_deg = [0, 0, 0], quaternion_xyzw = [0, 0, 0, 1] },
    ]
    """)
    assert len(found) == 6
    for words in (
        "shape 1: kind is 'bx'; did you mean 'box'",
        "shape 2: kind is None",
        "key 'sise'; did you mean 'size'",
    ):
        assert any(words in problem for problem in found), words
    for words in (
        "size is missing",
        "shape 4 (rod): mass is text",
        "shape 5 (sphere): rpy_xyz_deg and quaternion_xyzw",
    ):
        assert any(words in problem for problem in found), words


@pytest.mark.parametrize(
    ("turn", "words"),
    [
        ("rpy_xyz_deg = [1, 2]", "[joints.pivot]: rpy_xyz_deg has shape (2,)"),
        ("rpy_xyz_deg = [1, nan, 2]", "[joints.pivot]: rpy_xyz_deg holds NaN"),
        ("quaternion_xyzw = [1, 0, 0, 1]", "[joints.pivot]: quaternion_xyzw (1, 0, 0, 1) has length 1.41421"),
        ("quaternion_xyzw = [0, 0, 0, 0]", "[joints.pivot]: quaternion_xyzw is zero"),
        ("rpy_xyz_deg = [0, 0, 0]\nquaternion_xyzw = [0, 0, 0, 1]", "rpy_xyz_deg and quaternion_xyzw say the same"),
        ("rotation = [[2, 0, 0], [0, 1, 0], [0, 0, 1]]", "joint 'pivot': rotation is not a rotation"),
    ],
)
def test_a_turn_that_is_none_is_refused(turn, words):
    assert any(words in problem for problem in problems(changed('child = "bob"', f'child = "bob"\n{turn}')))


def test_the_robots_own_problems_are_raised_as_usual():
    text = changed('child = "bob"', 'child = "bbo"').replace("mass = 2", "mass = -2")
    with pytest.raises(ModelError, match="model 'pendulum'") as caught:
        read_model(text)
    assert any("its child 'bbo'" in problem for problem in caught.value.problems)
    assert any("body 'bob': mass is -2" in problem for problem in caught.value.problems)


def test_a_robot_needs_a_base():
    assert problems("name = 'nothing'\n") == (
        'there is no table [base]: a robot has a base, with mass and inertia, or shapes, or kind = "fixed".',
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('base = "free"', "[base] is 'free', not a table"),
        ("[[base]]\nmass = 1", "[base] is [{'mass': 1}], not a table"),
        ("[base]\nmass = 1\ninertia = [1, 2, 2]\n[[bodies]]\nmass = 1", "headed [bodies.NAME]"),
        ("joints = 3\n[base]", "joints is 3; give each its own table"),
    ],
)
def test_tables_of_the_wrong_form_are_refused(text, words):
    assert any(words in problem for problem in problems(text))


@pytest.mark.parametrize(
    ("text", "place", "content"),
    [
        ("[base]\nmass = 1 2\n", "line 2, column 10", "mass = 1 2"),
        ("[base]\n[joints.a]\n[base]\n", "line 3, column 6", "[base]"),
        ("[base]\nmass = 1\nmass = 2\n", "line 3, column 9", "mass = 2"),
        ("[base]\nmass = [1,\n", "line 2, at the end", "mass = [1,"),
        ("[base]\nname = 'a", "line 2, at the end", "name = 'a"),
        ("[base]\nmass = = 1", "line 2, column 8", "mass = = 1"),
    ],
)
def test_what_is_not_toml_is_reported_with_file_and_line(tmp_path, text, place, content):
    path = tmp_path / "broken.toml"
    path.write_text(text)
    (found,) = problems(path)
    assert found.startswith(f"{path}, {place}: ")
    assert found.endswith(repr(content))
    assert problems(text)[0].startswith(f"the text, {place}: ")


def test_slips_in_a_file_are_reported_with_its_path(tmp_path):
    path = tmp_path / "slip.toml"
    path.write_text(changed("com = ", "cmo = "))
    with pytest.raises(ModelError, match=r"slip\.toml") as caught:
        read_model(path)
    assert "[bodies.bob]: there is no key 'cmo'; did you mean 'com'?" in caught.value.problems[0]


def test_deep_nesting_is_reported_not_raised():
    (found,) = problems("x = " + "[" * 10000 + "\n")
    assert found.startswith("the text, line 1")


def test_files_that_cannot_be_read_are_reported(tmp_path):
    assert "there is no file" in problems(tmp_path / "none.toml")[0]
    assert "there is no file none.toml" in problems("none.toml")[0]
    assert "is not a file" in problems(tmp_path)[0]
    assert "cannot be read" in problems("\0.toml")[0]
    path = tmp_path / "latin.toml"
    path.write_bytes("name = 'é'".encode("latin-1"))
    assert "is not text in UTF-8 (byte 8)" in problems(path)[0]
