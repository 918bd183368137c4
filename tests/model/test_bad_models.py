"""Bad descriptions: every problem is found at once, names the part, and says the way out."""

import itertools
import sys
from decimal import Decimal

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from spacedyn.errors import ModelError
from spacedyn.model.assemble import assemble
from spacedyn.model.build import Builder
from spacedyn.model.checks import DEFAULTS
from spacedyn.model.joints import JOINT_KINDS
from spacedyn.model.shapes import box, sphere

SOLID = {"mass": 2.0, "inertia": (0.3, 0.4, 0.5)}
NAN, INF = float("nan"), float("inf")


def robot(**options):
    """Base and arm, joined by 'elbow', with a hand; options replace what the parts are given."""
    b = Builder(options.get("name", "arm"), base=options.get("kind", "free"))
    b.base("bus", **SOLID)
    b.body("arm", **(SOLID | options.get("body", {})))
    joint = {"name": "elbow", "kind": "revolute", "parent": "bus", "child": "arm"} | options.get("joint", {})
    b.joint(joint.pop("name"), joint.pop("kind"), **joint)
    b.endpoint(**({"name": "hand", "body": "arm"} | options.get("endpoint", {})))
    return b


def problems(builder):
    with pytest.raises(ModelError) as caught:
        builder.build()
    found = caught.value.problems
    assert all(problem in str(caught.value) for problem in found)
    assert all(problem.endswith(".") for problem in found), "sentences"
    return found


def only_problem(builder):
    found = problems(builder)
    assert len(found) == 1, found
    return found[0]


def assert_says(text, *words):
    for word in words:
        assert word in text, f"{word!r} is not in {text!r}"


def test_the_robot_that_is_spoilt_below_is_itself_good():
    assert robot().build().n == 1


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"mass": 0}, ("mass is 0 kg", "give a mass above 0", "massless=True")),
        ({"mass": -3.5}, ("mass is -3.5 kg", "give a mass above 0")),
        ({"mass": NAN}, ("mass is NaN", "finite")),
        ({"mass": INF}, ("mass is an infinity", "finite")),
        ({"mass": 1e308}, ("mass is a number too large to compute with",)),
        ({"mass": 10**400}, ("mass is an integer beyond the largest float", "one real number")),
        ({"mass": "2 kg"}, ("mass is text ('2 kg')", "one real number")),
        ({"mass": 2 + 0j}, ("mass is complex", "one real number")),
        ({"mass": True}, ("mass is true or false", "one real number")),
        ({"mass": Decimal("2")}, ("mass is not plain numbers", "one real number")),
        ({"mass": [2.0]}, ("mass has shape (1,)", "one real number")),
        ({"mass": None}, ("mass is missing", "one real number")),
        ({"mass": 1.0, "massless": True}, ("massless, yet its mass is 1 kg", "leave one of the two out")),
        ({"massless": "no"}, ("massless is 'no'", "True or False")),
        ({"com": (0, 0)}, ("com has shape (2,)", "3 real numbers")),
        ({"com": (0, NAN, 0)}, ("com holds NaN", "finite")),
        ({"com": ("a", "b", "c")}, ("com is text", "3 real numbers")),
        ({"com": [[1, 2], [3]]}, ("com does not make an array", "3 real numbers")),
        ({"com": object()}, ("com is not plain numbers", "3 real numbers")),
        ({"inertia": None}, ("inertia is missing", "(Ixx, Iyy, Izz)", "shapes", "(0, 0, 0) for a point mass")),
        ({"inertia": 1.0}, ("inertia has shape ()", "(Ixx, Iyy, Izz) or a 3x3 matrix")),
        ({"inertia": (1, 2, 3, 0, 0, 0)}, ("inertia has shape (6,)", "3x3 matrix")),
        ({"inertia": np.eye(3) * 1j}, ("inertia is complex",)),
        ({"inertia": np.full((3, 3), NAN)}, ("inertia holds NaN",)),
        (
            {"inertia": [[1, 0.2, 0], [-0.2, 1, 0], [0, 0, 1]]},
            ("not symmetric: xy is 0.2 and yx is -0.2", "same value"),
        ),
        ({"inertia": [[2, 0, 0.1], [0, 2, 0], [0, 0, 2]]}, ("not symmetric: xz is 0.1 and zx is 0",)),
        ({"inertia": (1, 1, -1e-3)}, ("negative principal moment (-0.001 kg m^2)", "check the signs")),
        ({"inertia": [[1, 2, 0], [2, 1, 0], [0, 0, 1]]}, ("negative principal moment (-1 kg m^2)",)),
        ({"inertia": (-1e-12, 1e-12, 1e-12)}, ("negative principal moment",)),
        ({"shapes": ["box"]}, ("shapes is ['box']", "give a list of shapes")),
        ({"shapes": np.zeros(3), "mass": None, "inertia": None}, ("shapes is [0.0, 0.0, 0.0]",)),
        ({"shapes": 5}, ("shapes is 5", "give a list of shapes")),
        ({"shapes": [box(1, (1, -1, 1))]}, ("box: size (x, y, z) is (1, -1, 1) m", "0 or more")),
        ({"shapes": [sphere(1, 1)], "mass": None}, ("mass is missing",)),
        ({"shapes": [sphere(1, 1)], "inertia": None}, ("inertia is missing",)),
        ({"shapes": [sphere(1, 1)], "mass": None, "inertia": None, "com": (0, 0, 1)}, ("settle com", "leave com out")),
        ({"shapes": [sphere(0, 1)], "mass": None, "inertia": None}, ("mass is 0 kg", "massless=True")),
        ({"shapes": [sphere(-1, 1)], "mass": None, "inertia": None}, ("sphere: mass is -1 kg", "0 or more")),
    ],
)
def test_a_bad_body(body, words):
    assert_says(only_problem(robot(body=body)), "body 'arm': ", *words)


@pytest.mark.parametrize(
    ("joint", "words"),
    [
        ({"kind": "revolut"}, ("no kind of joint 'revolut'", "did you mean 'revolute'?")),
        ({"kind": 3}, ("no kind of joint 3", "there are: revolute")),
        ({"position": (0, 0)}, ("position has shape (2,)", "3 real numbers")),
        ({"position": (0, 0, INF)}, ("position holds an infinity", "finite")),
        ({"rotation": np.eye(3) * 1.001}, ("not a rotation", "off from orthonormal by 0.002", "Rotation.from_matrix")),
        ({"rotation": np.diag([1.0, 1.0, -1.0])}, ("left-handed", "reverse one column")),
        ({"rotation": np.zeros((3, 3))}, ("not a rotation",)),
        ({"rotation": np.full((3, 3), 1e200)}, ("too large to compute with",)),
        ({"rotation": (0, 0, 0, 1)}, ("bare 4-vector", "Rotation.from_quat((x, y, z, w))")),
        ({"rotation": (0, 0, 1)}, ("3 numbers", "Rotation.from_rotvec", "Rotation.from_euler")),
        ({"rotation": np.eye(4)}, ("shape (4, 4)", "3x3 matrix")),
        ({"rotation": Rotation.from_euler("z", [[1], [2]])}, ("shape (2, 3, 3)", "give one Rotation")),
        ({"rotation": np.full((3, 3), NAN)}, ("rotation holds NaN",)),
        ({"rotation": "z90"}, ("rotation is text",)),
        ({"axis": (0, 0, 0)}, ("axis is zero", "(0, 0, 1)")),
        ({"axis": (0, 3, 4)}, ("axis (0, 3, 4) has length 5, not 1", "(0, 0.6, 0.8)")),
        ({"axis": (0, 0, 1 + 2e-6)}, ("has length 1", "divide it by that")),
        ({"axis": (1e300, 0, 1e300)}, ("too large to compute with", "3 real numbers")),
        ({"axis": (1e-300, 0, 0)}, ("axis is zero", "(0, 0, 1)")),
        ({"axis": (0, 0, NAN)}, ("axis holds NaN",)),
        ({"axis": (0, 1)}, ("axis has shape (2,)",)),
        ({"axis": "z"}, ("axis is text", "3 real numbers")),
        ({"kind": "spherical", "axis": (1, 0, 0)}, ("spherical joint has no single axis", "leave it out", "rotation")),
        ({"kind": "fixed", "axis": (0, 0, -1)}, ("fixed joint has no single axis", "leave it out")),
        ({"pitch": 0.1}, ("revolute joint has no pitch", "make the joint helical")),
        ({"kind": "helical", "pitch": NAN}, ("pitch is NaN",)),
        ({"kind": "helical", "pitch": (1, 2)}, ("pitch has shape (2,)", "one real number")),
        ({"rest": NAN}, ("rest is NaN",)),
        ({"rest": (0, 0)}, ("rest has shape (2,)", "1 real number")),
        ({"kind": "spherical", "rest": (0, 0, 0, 2)}, ("rest (x, y, z, w)", "has length 2, not 1", "(0, 0, 0, 1)")),
        ({"kind": "spherical", "rest": 0}, ("rest (x, y, z, w) has shape ()", "4 real numbers")),
        ({"kind": "free", "rest": (1, 2, 3, 0, 0, 0, 0)}, ("rest quaternion (x, y, z, w) is zero", "(0, 0, 0, 1)")),
        ({"kind": "free", "rest": (0, 0, 0, 1)}, ("rest has shape (4,)", "7 real numbers")),
        ({"stiffness": (1, 2)}, ("stiffness has shape (2,)", "1 real number")),
        ({"kind": "universal", "damping": (1, 2, 3)}, ("damping has shape (3,)", "one real number, or 2 real numbers")),
        ({"kind": "spherical", "stiffness": (1, 1, 2)}, ("stiffness in rotation is (1, 1, 2)", "three equal values")),
        ({"kind": "free", "stiffness": (1, 1, 1, 2, 3, 2)}, ("stiffness in rotation is (2, 3, 2)", "three equal")),
        ({"kind": "free", "stiffness": (1, 2, 1, 3, 3, 3)}, ("stiffness in displacement is (1, 2, 1)", "three equal")),
        ({"friction_speed": 0}, ("friction_speed is 0", "above 0, such as 1e-3")),
        ({"gear": 0}, ("gear is 0", "give 1 for a direct drive")),
        ({"lower": 1, "upper": -1}, ("lower 1 is above upper -1", "swap them")),
        ({"lower": INF}, ("lower inf is above upper inf", "leave out what has no limit")),
        ({"upper": -INF}, ("is above upper -inf",)),
        ({"lower": NAN}, ("lower is NaN",)),
        ({"kind": "spherical", "upper": 1}, ("spherical joint's attitude has no single coordinate", "leave lower and")),
        (
            {"kind": "free", "lower": -1},
            ("free joint's attitude has no single coordinate", "-inf and inf for its last"),
        ),
        ({"kind": "fixed", "damping": 2}, ("damping is 2.0, but a fixed joint does not move", "leave it out")),
        ({"kind": "fixed", "upper": NAN}, ("upper is NaN",)),
        ({"kind": "fixed", "stiffness": (1, 1)}, ("stiffness is [1.0, 1.0], but a fixed joint does not move",)),
        ({"kind": "fixed", "rest": 0.1}, ("rest is 0.1, but a fixed joint does not move", "leave it out")),
        ({"kind": "fixed", "gear": [[1], [2, 3]]}, ("gear does not make an array",)),
    ],
)
def test_a_bad_joint(joint, words):
    assert_says(only_problem(robot(joint=joint)), "joint 'elbow': ", *words)


@pytest.mark.parametrize(
    "key", ["stiffness", "damping", "friction", "rotor_inertia", "stop_stiffness", "stop_damping", "friction_speed"]
)
def test_nothing_that_resists_is_negative(key):
    assert_says(only_problem(robot(joint={key: -0.5})), f"joint 'elbow': {key} is -0.5", "give 0 or more")


@pytest.mark.parametrize(("key", "value"), [*itertools.product(DEFAULTS, [NAN, "much", 1j, None, (1, 2, 3, 4)])])
def test_every_property_of_a_joint_is_looked_at(key, value):
    b = robot(joint={key: value})
    if value is None:
        assert b.build().joint("elbow").nv == 1  # None is the default
    else:
        assert_says(only_problem(b), f"joint 'elbow': {key} ", "; give ")


@pytest.mark.parametrize("key", ["max_rate", "max_force"])
def test_bounds_may_be_infinite_but_not_negative(key):
    assert robot(joint={key: INF}).build()
    assert_says(only_problem(robot(joint={key: -1})), f"joint 'elbow': {key} is -1", "0 or more")


@pytest.mark.parametrize("key", ["stiffness", "damping", "friction", "gear", "rotor_inertia", "stop_stiffness"])
def test_physical_properties_are_finite(key):
    assert_says(only_problem(robot(joint={key: INF})), f"joint 'elbow': {key} is an infinity", "finite")


@pytest.mark.parametrize(
    ("endpoint", "words"),
    [
        ({"body": "arn"}, ("its body 'arn' is not there", "did you mean 'arm'? There are: bus, arm")),
        ({"body": None}, ("its body None is not there", "there are: bus, arm")),
        ({"body": ["arm"]}, ("its body ['arm'] is not there",)),
        ({"position": "here"}, ("position is text", "3 real numbers")),
        ({"position": (0, 0, NAN)}, ("position holds NaN",)),
        ({"rotation": -np.eye(3)}, ("left-handed", "reverse one column")),
    ],
)
def test_a_bad_endpoint(endpoint, words):
    assert_says(only_problem(robot(endpoint=endpoint)), "endpoint 'hand': ", *words)


@pytest.mark.parametrize(
    ("joint", "words"),
    [
        ({"parent": "buss"}, ("its parent 'buss' is not a body", "did you mean 'bus'? There are: bus, arm")),
        ({"parent": None}, ("its parent None is not a body", "there are: bus, arm")),
        ({"parent": ["bus"]}, ("its parent ['bus'] is not a body",)),
        ({"parent": "arm"}, ("joins body 'arm' to itself", "give another parent")),
    ],
)
def test_a_joint_that_hangs_on_nothing(joint, words):
    """The one fault is reported once: the arm that it leaves hanging is not reported again."""
    assert_says(only_problem(robot(joint=joint)), "joint 'elbow': ", *words)


def test_an_unknown_child_leaves_a_body_without_a_joint():
    unknown, loose = problems(robot(joint={"child": "am"}))
    assert_says(unknown, "joint 'elbow': its child 'am' is not a body", "did you mean 'arm'?")
    assert_says(loose, "body 'arm': no joint moves it", "add a joint with child='arm', or remove it")


def test_the_base_is_moved_by_no_joint():
    swapped, loose = problems(robot(joint={"parent": "arm", "child": "bus"}))
    assert_says(swapped, "joint 'elbow': its child is the base 'bus'", "swap parent and child")
    assert_says(loose, "body 'arm': no joint moves it")
    b = robot()
    b.joint("round", "revolute", parent="bus", child="bus")
    assert_says(only_problem(b), "joint 'round': its child is the base 'bus'")


def test_a_second_parent():
    b = robot()
    b.joint("extra", "prismatic", parent="bus", child="arm")
    assert_says(only_problem(b), "body 'arm': joints 'elbow' and 'extra' move it", "one parent", "keep one joint")


def chain(*links):
    b = Builder("chain")
    b.base("bus", **SOLID)
    for parent, child in links:
        b.link(child, parent=parent, **SOLID)
    return b


def test_a_ring_is_named_once_with_all_its_joints():
    text = only_problem(chain(("c", "a"), ("a", "b"), ("b", "c"), ("c", "tail"), ("tail", "tip")))
    assert_says(text, "make a ring of bodies", "'a'", "'b'", "'c'", "a robot is a tree", "a parent outside the ring")
    assert "tail" not in text and "tip" not in text


def test_two_rings_are_two_problems():
    assert len(problems(chain(("b", "a"), ("a", "b"), ("d", "c"), ("c", "d"), ("bus", "e")))) == 2


def test_bodies_without_a_way_to_the_base_are_named_with_what_they_carry():
    b = chain(("island", "palm"), ("palm", "tree"), ("bus", "arm"))
    b.body("island", **SOLID)
    assert_says(only_problem(b), "body 'island': no joint moves it (and 'palm', 'tree' with it)", "child='island'")


@pytest.mark.parametrize("what", ["body", "joint", "endpoint"])
def test_names_are_unique(what):
    b = robot()
    if what == "body":
        b.body("arm", **SOLID)
    elif what == "joint":
        b.link("other", parent="bus", **SOLID)
        b.body("third", **SOLID)
        b.joint("other", "revolute", parent="bus", child="third")
    else:
        b.endpoint("hand", body="bus")
    name = {"body": "arm", "joint": "other", "endpoint": "hand"}[what]
    assert_says(only_problem(b), f"{what} '{name}': 2 of them have this name", "rename all but one")


@pytest.mark.parametrize("name", ["", " ", "arm ", "a\nb", None, 5, ["arm"]])
def test_names_are_plain_text(name):
    b = robot()
    b.endpoint(name, body="arm")
    assert_says(only_problem(b), "endpoint number 1: its name is", "give it a name")
    b = robot()
    b.joint(name, "revolute", parent="bus", child=name)
    b.body(name, **SOLID)
    found = problems(b)
    assert any("body number 2: its name is" in problem for problem in found)
    assert any("joint number 1: its name is" in problem for problem in found)


def test_a_name_may_hold_anything_else():
    model = robot(joint={"name": "coude — λ'\"1"}).build()
    assert model.joint("coude — λ'\"1").kind == "revolute"


def test_bases():
    assert_says(only_problem(robot(kind="floating")), "no kind of base 'floating'", "there are: free, attitude")
    assert_says(only_problem(robot(kind=None)), "no kind of base None")
    assert_says(only_problem(robot(name="")), "the model's name is ''", "give it a name")
    b = robot()
    b.base("second", **SOLID)
    again, loose = problems(b)
    assert_says(again, "one base, yet base() was called again for 'second'", "use body() and a joint")
    assert_says(loose, "body 'second': no joint moves it")


def test_a_missing_base_is_guessed_at():
    b = Builder("headless")
    b.body("bus", **SOLID)
    b.link("arm", parent="bus", **SOLID)
    assert_says(only_problem(b), "there is no base; call base(", "was body('bus', …) meant as it?")
    assert_says(only_problem(Builder("empty")), "there is no base; call base(")
    b = Builder("headless ring")
    b.link("a", parent="b", **SOLID)
    b.link("b", parent="a", **SOLID)
    missing, ring = problems(b)
    assert_says(missing, "there is no base")
    assert_says(ring, "make a ring")
    with pytest.raises(ModelError, match="there is no base"):
        assemble("nothing", "free", [])


def test_all_problems_come_at_once():
    b = Builder("wreck", base="flying")
    b.base("bus", mass=-1, inertia=(1, 2, -3), com="middle")
    b.link("arm", "revolute", parent="buss", axis=(0, 0, 2), damping=-1, lower=2, upper=1, mass=NAN, inertia=(1, 2, 3))
    b.link("hand", "spherical", parent="arm", stiffness=(1, 2, 3), rotation=-np.eye(3), shapes=[box(-1, (1, 1))])
    b.body("loose", **SOLID)
    b.endpoint("tip", body="thumb", position=(1, 2))
    found = problems(b)
    expected = [
        "no kind of base 'flying'",
        "body 'bus': mass is -1",
        "body 'bus': com is text",
        "body 'bus': inertia has a negative",
        "body 'arm': mass is NaN",
        "body 'hand': box: mass is -1",
        "body 'hand': box: size",
        "joint 'arm': axis",
        "joint 'arm': damping",
        "joint 'arm': lower",
        "joint 'hand': rotation is left-handed",
        "joint 'hand': its stiffness",
        "joint 'arm': its parent 'buss'",
        "endpoint 'tip': position",
        "endpoint 'tip': its body 'thumb'",
        "body 'loose': no joint",
    ]
    for words in expected:
        assert sum(words in problem for problem in found) == 1, (words, found)
    assert len(found) == len(expected), found


def test_a_singular_robot_is_refused_once_the_rest_is_in_order(monkeypatch):
    asked = []

    class Singular:
        @staticmethod
        def singular_joints(model):
            asked.append(model)
            return ["joint 'elbow': it moves nothing that has inertia."]

    monkeypatch.setitem(sys.modules, "spacedyn.model.singular", Singular)
    assert_says(only_problem(robot()), "joint 'elbow': it moves nothing")
    assert asked[0].joint_names == ("elbow",)
    assert_says(only_problem(robot(body={"mass": 0})), "body 'arm': mass is 0 kg")
    assert len(asked) == 1


def test_problems_that_the_caller_found_are_reported_with_the_rest():
    with pytest.raises(ModelError) as caught:
        assemble("file", "free", [], problems=["line 3: no such key."])
    assert caught.value.problems[0] == "line 3: no such key."
    assert caught.value.model_name == "file"


@pytest.mark.parametrize("headless", [False, True])
def test_nothing_raises_before_build_and_then_a_model_error(headless):
    b = Builder(None, base=3)
    if not headless:
        b.base(np.zeros(3), mass="x", shapes=object())
    b.body(None, inertia={})
    b.joint([], {}, parent=1, child=np.zeros(3), axis="up", rest=object(), lower=[[]])
    b.joint("j", "fixed", parent="k", child={}, axis="up", rest=object(), lower=[[1], [1, 2]])
    b.endpoint(2.5, body=3, position=None, rotation="no")
    with pytest.raises(ModelError):
        b.build()


NASTY = [None, NAN, INF, -1e300, 1j, "x", b"x", True, {}, {1}, [], [[1], [1, 2]], np.zeros((3, 3, 3)), object(), print]


@pytest.mark.parametrize("what", ["body", "joint", "endpoint"])
def test_whatever_is_given_for_anything_the_answer_is_a_model_or_a_model_error(what):
    fields = {
        "body": ("mass", "inertia", "com", "shapes", "massless"),
        "joint": ("name", "kind", "parent", "child", "position", "rotation", "axis", "pitch", "rest", *DEFAULTS),
        "endpoint": ("name", "body", "position", "rotation"),
    }
    for field, value in itertools.product(fields[what], NASTY):
        for kind in ("revolute", "spherical", "fixed") if what == "joint" else ("revolute",):
            spoilt = ({"kind": kind} if what == "joint" else {}) | {field: value}
            try:
                robot(**{what: spoilt}).build()
            except ModelError as error:
                assert f"{what} " in str(error)


def test_options_that_do_not_exist_are_pythons_own_errors():
    with pytest.raises(TypeError, match="stifness"):
        Builder("x").joint("j", "revolute", parent="a", child="b", stifness=1)
    with pytest.raises(TypeError, match="takes Body records, not str"):
        assemble("x", "free", ["bus"])


@pytest.mark.parametrize("kind", [kind for kind in JOINT_KINDS if kind != "fixed"])
def test_every_kind_of_joint_is_checked_over_its_rates(kind):
    nv = JOINT_KINDS[kind].nv
    good = {"damping": np.ones(nv), "friction": np.ones(nv), "max_force": 5}
    assert robot(joint={"kind": kind, **good}).build().joint("elbow").damping.shape == (nv,)
    text = only_problem(robot(joint={"kind": kind, "damping": np.ones(nv + 1)}))
    assert_says(text, f"damping has shape ({nv + 1},)", f"{nv} real number")
