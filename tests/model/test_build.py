"""Good descriptions become the right Model: order, sizes, names, defaults, equality, and what is printed."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import spacedyn as sd
from spacedyn.errors import ModelError, ModelWarning, UnknownName
from spacedyn.model.assemble import assemble
from spacedyn.model.build import Builder
from spacedyn.model.joints import JOINT_KINDS
from spacedyn.model.model import Model
from spacedyn.model.parts import BASE_KINDS
from spacedyn.model.shapes import box, cylinder, rod, sphere

SOLID = {"mass": 2.0, "inertia": (0.3, 0.4, 0.5)}


def two_arms(base="free"):
    b = Builder("two arms", base=base)
    b.base("bus", shapes=[box(500.0, (1, 1, 2))])
    for side, sign in (("left", 1), ("right", -1)):
        b.link(f"{side} upper", parent="bus", position=(0, sign, 0), axis=(0, 1, 0), shapes=cylinder(5.0, 0.1, 0.5))
        b.link(f"{side} lower", parent=f"{side} upper", position=(0, 0, 0.5), shapes=[cylinder(4.0, 0.1, 0.5)])
        b.endpoint(f"{side} hand", body=f"{side} lower", position=(0, 0, 0.5))
    b.endpoint("camera", body="bus")
    return b


def every_kind(base="free"):
    b = Builder("one of each", base=base)
    b.base(**SOLID)
    for kind in JOINT_KINDS:
        b.link(kind, kind, parent="base", **SOLID)
    return b.build()


def test_the_base_comes_first_and_bodies_follow_their_joints():
    b = Builder("any order")
    b.joint("wrist", "revolute", parent="forearm", child="hand")
    b.joint("elbow", "prismatic", parent="arm", child="forearm")
    b.body("arm", **SOLID)
    b.body("hand", **SOLID)
    b.joint("shoulder", "spherical", parent="bus", child="arm")
    b.body("forearm", **SOLID)
    b.base("bus", **SOLID)
    model = b.build()
    assert model.joint_names == ("wrist", "elbow", "shoulder")
    assert model.body_names == ("bus", "hand", "forearm", "arm")
    assert model.parents == (-1, 2, 3, 0)
    assert model.q_slice("shoulder") == slice(2, 6)
    assert model.qd_slice("shoulder") == slice(2, 5)
    assert model.u_slice("shoulder") == slice(8, 11)


@pytest.mark.parametrize("base", BASE_KINDS)
def test_sizes_and_slices_cover_q_and_u(base):
    model = every_kind(base)
    assert model.n == len(JOINT_KINDS)
    assert model.base_dof == BASE_KINDS[base]
    assert model.nq == sum(kind.nq for kind in JOINT_KINDS.values())
    assert model.nv == model.base_dof + sum(kind.nv for kind in JOINT_KINDS.values())
    q, u = np.zeros(model.nq, int), np.zeros(model.nv, int)
    u[: model.base_dof] += 1
    for i, name in enumerate(model.joint_names):
        q[model.q_slice(name)] += 1
        u[model.u_slice(i)] += 1
        assert u[model.u_slice(name)].size == model.joint(name).nv
    assert (q == 1).all() and (u == 1).all()


def test_a_lone_body_is_a_robot():
    b = Builder("rock", base="attitude")
    b.base("rock", **SOLID)
    model = b.build()
    assert (model.n, model.nq, model.nv, model.total_mass) == (0, 0, 3, 2.0)
    assert model.parents == (-1,)


def test_scalars_spread_over_a_joints_rates_and_defaults_are_neutral():
    b = Builder("defaults")
    b.base(**SOLID)
    b.link("gimbal", "universal", parent="base", damping=0.5, lower=(-1, -2), upper=2, rest=(0.1, 0.2), **SOLID)
    b.link("slide", "prismatic", parent="base", axis=(0, 0.6, 0.8), rest=0.3, **SOLID)
    b.link("ball", "spherical", parent="base", stiffness=3, rest=Rotation.from_euler("z", 1.0), **SOLID)
    b.link("debris", "free", parent="base", stiffness=(1, 1, 1, 2, 2, 2), lower=(-1, -1, -1, *3 * [-np.inf]), **SOLID)
    b.link("patch", "fixed", parent="base", **SOLID)
    model = b.build()
    gimbal = model.joint("gimbal")
    np.testing.assert_array_equal(gimbal.damping, [0.5, 0.5])
    np.testing.assert_array_equal(gimbal.lower, [-1, -2])
    np.testing.assert_array_equal(gimbal.upper, [2, 2])
    np.testing.assert_array_equal(gimbal.rest, [0.1, 0.2])
    np.testing.assert_array_equal(gimbal.axis, [0, 0, 1])
    np.testing.assert_array_equal(gimbal.max_force, [np.inf, np.inf])
    np.testing.assert_array_equal(gimbal.gear, [1, 1])
    np.testing.assert_array_equal(gimbal.friction_speed, [1e-3, 1e-3])
    np.testing.assert_array_equal(model.joint("slide").rest, [0.3])
    np.testing.assert_allclose(model.joint("ball").rest, [0, 0, np.sin(0.5), np.cos(0.5)])
    np.testing.assert_array_equal(model.joint("debris").rest, [0, 0, 0, 0, 0, 0, 1])
    assert model.joint("patch").stiffness.shape == model.joint("patch").rest.shape == (0,)


def test_every_array_is_float64_and_read_only():
    model = every_kind()
    parts = (*model.bodies, *model.joints, *two_arms().build().endpoints)
    arrays = [value for part in parts for value in vars(part).values() if isinstance(value, np.ndarray)]
    assert len(arrays) > 100
    for array in arrays:
        assert array.dtype == np.float64
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0.0


def test_the_users_own_arrays_are_left_alone():
    position = np.array([1.0, 2.0, 3.0])
    b = Builder("copy")
    b.base(**SOLID)
    b.link("arm", parent="base", position=position, **SOLID)
    model = b.build()
    position[:] = 0.0
    np.testing.assert_array_equal(model.joint("arm").position, [1, 2, 3])


def test_shapes_settle_mass_com_and_inertia():
    b = Builder("shaped")
    b.base(shapes=[box(3.0, (1, 1, 1), (0, 0, 1)), sphere(1.0, 0.5, (0, 0, -1))])
    base = b.build().bodies[0]
    assert base.mass == 4.0
    np.testing.assert_allclose(base.com, [0, 0, 0.5])
    np.testing.assert_allclose(np.diag(base.inertia), [0.5 + 0.1 + 3.0, 0.5 + 0.1 + 3.0, 0.6])


def test_beside_mass_and_inertia_shapes_are_only_drawn():
    b = Builder("drawn")
    b.base(com=(1, 0, 0), shapes=[box(100.0, (1, 1, 1))], **SOLID)
    base = b.build().bodies[0]
    assert base.mass == 2.0 and len(base.shapes) == 1
    np.testing.assert_array_equal(base.com, [1, 0, 0])


@pytest.mark.parametrize(
    "turn", [Rotation.from_euler("x", 90, degrees=True), Rotation.from_euler("x", 90, degrees=True).as_matrix()]
)
def test_rotations_come_as_scipy_or_as_a_matrix(turn):
    b = Builder("turned")
    b.base(**SOLID)
    b.link("arm", parent="base", rotation=turn, **SOLID)
    b.endpoint("tip", body="arm", rotation=turn)
    model = b.build()
    expected = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    np.testing.assert_allclose(model.joint("arm").rotation, expected, atol=1e-15)
    np.testing.assert_allclose(model.endpoint("tip").rotation, expected, atol=1e-15)


def test_slips_below_a_millionth_are_made_exact():
    turn = Rotation.from_rotvec([0.3, 0.2, -0.5]).as_matrix()
    b = Builder("rounded")
    b.base(mass=1.0, inertia=[[0.2, 1e-12, 0], [0, 0.3, 0], [0, 0, 0.4]])
    b.link("arm", parent="base", axis=(0.267261, 0.534522, 0.801784), rotation=turn.round(7), **SOLID)
    b.link("ball", "spherical", parent="base", rest=(0.0, 0.0, 0.5, 0.8660254), **SOLID)
    model = b.build()
    assert abs(np.linalg.norm(model.joint("arm").axis) - 1) < 1e-15
    assert abs(np.linalg.norm(model.joint("ball").rest) - 1) < 1e-15
    R = model.joint("arm").rotation
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(R, turn, atol=1e-6)
    assert np.array_equal(model.bodies[0].inertia, model.bodies[0].inertia.T)


def test_building_again_from_a_models_own_parts_changes_no_bit():
    rng = np.random.default_rng(0)
    for _ in range(20):
        b = Builder("bits")
        b.base(**SOLID)
        axis = rng.normal(size=3)
        turn = Rotation.random(rng=rng)
        b.link("arm", parent="base", axis=axis / np.linalg.norm(axis), rotation=turn, **SOLID)
        b.link("ball", "spherical", parent="arm", rest=turn, shapes=[box(1.0, (1, 2, 3)).at((1, 0, 0), turn)])
        b.link("far", "free", parent="arm", rest=(1, 2, 3, *turn.as_quat()), **SOLID)
        model = b.build()
        again = assemble(model.name, model.base_kind, model.bodies, model.joints, model.endpoints)
        assert again.digest == model.digest
        assert np.array_equal(again.joint("ball").rest, model.joint("ball").rest)


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1.0, 1e3, 1e6])
def test_robots_of_every_size_pass(scale):
    """From a swimming micro-robot to a station of a hundred modules: all tolerances are relative."""
    b = Builder("scaled")
    density = 1000.0
    b.base(shapes=[box(density * scale**3, (scale, scale, scale))])
    b.link("arm", parent="base", shapes=[cylinder(density * 1e-3 * scale**3, 0.05 * scale, scale)])
    wire = {"mass": density * 1e-4 * scale**3, "inertia": (3e-3 * scale**5, 3e-3 * scale**5, 0)}
    b.link("wire", parent="arm", axis=(1, 0, 0), **wire)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert b.build().total_mass > 0


def test_rods_points_and_mere_frames_are_legal_parts():
    b = Builder("slender")
    b.base(**SOLID)
    b.link("bob", parent="base", mass=1.0, inertia=(0, 0, 0), com=(1, 0, 0))
    b.link("rod", parent="base", axis=(1, 0, 0), shapes=[rod(1.0, 1.0)])
    b.link("cross", "revolute", parent="base", massless=True)
    b.link("yoke", "revolute", parent="cross", axis=(1, 0, 0), **SOLID)
    model = b.build()
    assert model.body("cross").massless and model.body("cross").mass == 0.0
    assert not model.body("cross").inertia.any()


def test_a_fixed_base_of_which_nothing_is_said_is_a_massless_mount():
    """It weighs nothing anywhere, is written as such, and comes back; a base that moves needs mass."""

    def made(kind, **base):
        b = Builder("arm", base=kind)
        b.base("ground", **base)
        b.link("arm", parent="ground", position=(0, 0, 1), com=(0.5, 0, 0), mass=2.0, inertia=(0.1, 0.2, 0.3))
        return b.build()

    model = made("fixed")
    assert model == made("fixed", massless=True) and model.total_mass == 2.0
    state = model.state(qd=[3.0])
    np.testing.assert_array_equal(sd.center_of_mass(model, state), [0.5, 0.0, 1.0])
    np.testing.assert_allclose(sd.momentum(model, state, about="com"), [0, 3.0, 0, 0, 0, 0.9], atol=1e-15)
    assert sd.kinetic_energy(model, state) == pytest.approx(0.5 * (2.0 * 1.5**2 + 0.3 * 3.0**2), rel=1e-15)
    assert sd.Model.from_toml(model.to_toml()) == model
    assert sd.Model.from_urdf(model.to_urdf(), base="fixed").body("ground").massless
    assert sd.Model.from_toml('name = "mount"\n[base]\nkind = "fixed"').body("base").massless
    with pytest.raises(ModelError, match="body 'ground': mass is missing"):
        made("attitude")
    with pytest.raises(ModelError, match="body 'ground': inertia is missing"):
        made("fixed", mass=1.0)


def test_attributes_that_there_are_not_are_answered_by_those_that_there_are():
    model = two_arms().build()
    for of, name, message in (
        (model, "joint_nmes", "a Model has no attribute 'joint_nmes'; did you mean 'joint_names'"),
        (model, "mass", "model.total_mass"),
        (model.neutral_state(), "qqd", "a State has no attribute 'qqd'; did you mean 'qd'"),
        (model.neutral_state(), "time", "run.time"),
    ):
        with pytest.raises(AttributeError, match=message):
            getattr(of, name)
    assert not hasattr(model, "__array__") and copy.copy(model.neutral_state()).q.size == model.nq


def test_parts_are_found_by_name_or_place_and_unknown_names_list_what_exists():
    model = two_arms().build()
    assert model.body_index("left lower") == 2 and model.body("left lower") is model.bodies[2]
    assert model.joint_index("right upper") == 2 and model.joint(np.int64(2)) is model.joints[2]
    assert model.endpoint_index("camera") == 2 and model.endpoint(2).body == "bus"
    with pytest.raises(UnknownName, match="no body named 'left lowr'; did you mean 'left lower'"):
        model.body("left lowr")
    with pytest.raises(UnknownName, match="no joint named 'bus'; there are: left upper, left lower"):
        model.q_slice("bus")
    with pytest.raises(UnknownName, match="no endpoint named 'foot'"):
        model.endpoint("foot")
    for wrong in (5, -1, True, None, 1.0, ["bus"]):
        with pytest.raises(UnknownName):
            model.body(wrong)


def test_a_model_is_frozen_and_only_made_by_building():
    model = two_arms().build()
    for name in ("name", "bodies", "nv", "anything"):
        with pytest.raises(AttributeError, match="frozen"):
            setattr(model, name, 1)
    with pytest.raises(AttributeError, match="frozen"):
        del model.name
    with pytest.raises(TypeError, match="Builder"):
        Model("robot")


def test_models_are_equal_and_hash_by_content():
    one, same = two_arms().build(), two_arms().build()
    assert one == same and hash(one) == hash(same) and one is not same
    assert {one: "found"}[same] == "found"
    assert one != "two arms"
    assert one != two_arms(base="fixed").build()
    changed = two_arms()
    changed.endpoint("extra", body="bus")
    assert changed.build() != one
    b = Builder("zero")
    b.base(com=(0.0, 0.0, 0.0), **SOLID)
    minus = Builder("zero")
    minus.base(com=(-0.0, 0.0, 0.0), **SOLID)
    assert b.build() == minus.build()


@pytest.mark.parametrize("field", ["stiffness", "gear", "lower", "max_rate", "rotor_inertia", "rest", "position"])
def test_any_change_makes_another_model(field):
    plain, changed = Builder("x"), Builder("x")
    for b, options in ((plain, {}), (changed, {field: (-0.5, 0.1, 0.2) if field == "position" else 0.5})):
        b.base(**SOLID)
        b.link("arm", parent="base", **options, **SOLID)
    assert plain.build() != changed.build()


def test_numpys_text_and_numbers_make_the_same_model():
    plain, numpys = Builder("x"), Builder(np.str_("x"), base=np.str_("free"))
    for b, text, number in ((plain, str, float), (numpys, np.str_, np.float32)):
        b.base(text("bus"), mass=number(2), inertia=[number(0.25), number(0.5), number(0.5)])
        b.link(text("arm"), text("revolute"), parent=text("bus"), damping=number(0.5), **SOLID)
        b.endpoint(text("hand"), body=text("arm"))
    assert plain.build() == numpys.build()


def test_copies_and_pickles_are_the_same_model():
    model = two_arms().build()
    assert copy.copy(model) is model and copy.deepcopy(model) is model
    back = pickle.loads(pickle.dumps(model))
    assert back == model and back is not model
    with pytest.raises(ValueError, match="read-only"):
        back.bodies[1].inertia[0, 0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        back.bodies[1].shapes[0].position[0] = 1.0


def test_other_models_arrays_and_files_come_from_a_models_methods(tmp_path):
    model = two_arms().build()
    assert model.lock({"left lower": 0.5}).joint("left lower").kind == "fixed"
    assert model.subtree("right upper").body_names == ("right upper", "right lower")
    tool = Builder("tool")
    tool.base("grip", **SOLID)
    assert model.attach(tool.build(), "left hand", prefix="my ").body_index("my grip") == 5
    assert Model.from_toml(model.to_toml()) == model
    model.to_toml(tmp_path / "robot.toml")
    assert Model.from_toml(tmp_path / "robot.toml") == model
    arm = model.subtree("right upper")
    assert Model.from_arrays(**arm.to_arrays()).total_mass == arm.total_mass


def test_a_builder_may_go_on_after_building():
    b = two_arms()
    first = b.build()
    b.link("panel", "fixed", parent="bus", shapes=[box(10, (3, 1, 0.01))])
    assert b.build().n == first.n + 1


def test_printing_shows_the_tree():
    lines = [line.rstrip() for line in str(two_arms().build()).splitlines()]
    assert lines == [
        "two arms: free base, 5 bodies, 4 joints, 10 rates, 518 kg",
        "┬ bus            500 kg  free base                ◇ camera",
        "├─┬ left upper     5 kg  revolute y  left upper",
        "│ └ left lower     4 kg  revolute    left lower   ◇ left hand",
        "└─┬ right upper    5 kg  revolute y  right upper",
        "  └ right lower    4 kg  revolute    right lower  ◇ right hand",
    ]
    assert repr(two_arms().build()) == "<Model 'two arms': free base, 4 joints, 10 rates, 518 kg>"


def test_printing_a_lone_body_and_a_long_chain():
    b = Builder("chain", base="fixed")
    b.base("link0", **SOLID)
    assert str(b.build()) == "chain: fixed base, 1 body, 0 joints, 0 rates, 2 kg\nlink0  2 kg  fixed base"
    for i in range(1, 1501):
        b.link(f"link{i}", parent=f"link{i - 1}", **SOLID)
    lines = str(b.build()).splitlines()
    assert len(lines) == 1502
    assert max(map(len, lines[1:])) < 60
    assert lines[-2].startswith("│ link1499") and lines[-1].startswith("└ link1500")


def test_a_doubtful_inertia_is_warned_of_by_name():
    b = Builder("doubtful")
    b.base(mass=1.0, inertia=(1.0, 1.0, 3.0))
    with pytest.warns(ModelWarning, match="body 'base': principal moments .* break the triangle inequality"):
        b.build()


@pytest.mark.parametrize("size", [1e-9, 1e-6, 1e-3, 0.01, 0.1, 1, 1.0, 10, 1000.0])
def test_a_placeholder_inertia_is_warned_of_by_name(size):
    b = Builder("placeholder")
    b.base("bus", mass=5.0, inertia=size * np.eye(3))
    with pytest.warns(ModelWarning, match="body 'bus': inertia .* looks like a placeholder"):
        b.build()


def test_absurd_mass_ratios_are_warned_of_by_name():
    b = Builder("uneven")
    b.base("station", mass=4.2e5, inertia=(1.1e8, 1.2e8, 1.3e8))
    b.link("needle", parent="station", mass=0.4, inertia=(2e-3, 3e-3, 4e-3))
    with pytest.warns(ModelWarning, match="body 'needle': mass 0.4 kg beside the 420000 kg of body 'station'"):
        b.build()


def test_a_warning_points_at_the_users_line():
    b = Builder("doubtful")
    b.base(mass=1.0, inertia=(1.0, 1.0, 3.0))
    with pytest.warns(ModelWarning) as caught:
        b.build()
    assert caught[0].filename == __file__


def test_ordinary_robots_cause_no_warning():
    b = Builder("ordinary")
    b.base(mass=1e6, inertia=(2e7, 3e7, 4e7))
    b.link("plate", parent="base", mass=1.0, inertia=(0.5, 0.5, 1.0))  # flat: the triangle inequality is just met
    b.link("ball", parent="base", shapes=[sphere(1.0, np.sqrt(2.5))])  # isotropic 1.0, and with reason
    b.link("lump", parent="base", mass=2.0, inertia=(0.25, 0.25, 0.25))
    b.link("frame", parent="base", massless=True)
    b.link("end", parent="frame", **SOLID, axis=(1, 0, 0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        b.build()
