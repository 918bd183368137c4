"""SpaceDyn's arrays make the robot that SpaceDyn computed with, come back as they were, and are checked as a whole."""

import json

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import reference
from paths import GOLDEN
from random_trees import random_flat_state, random_model
from spacedyn.errors import ModelError, ModelWarning
from spacedyn.model.build import Builder
from spacedyn.model.files.arrays import from_arrays, to_arrays
from spacedyn.model.model import Model
from spacedyn.model.rotations import (
    angles_xyz,
    rotation_about,
    rotation_quaternion,
    rotation_xyz,
    rotation_xyz_deg,
    z_onto,
)

MODELS = ("model_a_6R_free_base", "model_b_two_arms_3R_RRP", "model_c1_PPP")
ARGUMENTS = ("BB", "J_type", "c0", "cc", "ce", "SE", "Qi", "Qe", "m0", "m", "inertia0", "inertia")


def golden(name: str) -> dict:
    return json.loads((GOLDEN / f"{name}.json").read_text())


def arguments(name: str, **changes) -> dict:
    """The arguments of from_arrays as a golden file has them, some of them changed."""
    data = golden(name)["model"]
    return {key: data[key] for key in ARGUMENTS} | changes


def matlab(given: dict) -> dict:
    """The same arrays in MATLAB's shapes."""
    n = len(given["BB"])
    columns = {key: np.array(given[key]).T for key in ("c0", "ce", "Qi", "Qe")}
    rows = {key: np.array([given[key]]) for key in ("BB", "SE", "m")}
    cc = np.array([[[given["cc"][i][j][k] for j in range(n)] for i in range(n)] for k in range(3)])
    inertia = np.hstack([np.array(block) for block in given["inertia"]])
    return given | columns | rows | {"cc": cc, "inertia": inertia, "m0": np.array([[given["m0"]]])}


def small(**changes) -> dict:
    """Two links in a row, the second with an endpoint."""
    given = {
        **{"BB": [0, 1], "J_type": ["R", "P"], "SE": [0, 1], "m0": 50.0, "m": [10.0, 5.0]},
        **{"c0": [[0.5, 0, 0], [0, 0, 0]], "ce": [[0, 0, 0], [0.4, 0, 0]]},
        **{"cc": [[[-0.5, 0, 0], [0.5, 0, 0]], [[0, 0, 0], [-0.25, 0, 0]]]},
        **{"Qi": [[0, 0, 0.3], [0.1, 0, 0]], "Qe": [[0, 0, 0], [0, 0.2, 0]]},
        **{"inertia0": np.diag([8.0, 9.0, 9.5]), "inertia": [np.diag([0.1, 1.0, 1.0])] * 2},
    }
    return given | changes


def problems(**changes) -> tuple[str, ...]:
    with pytest.raises(ModelError) as caught:
        from_arrays(**small(**changes))
    return caught.value.problems


def state_of(model: Model, state: dict) -> tuple[np.ndarray, np.ndarray]:
    attitude = Rotation.from_matrix(state["A0"]).as_quat()
    x = np.concatenate([state["R0"], attitude, state["q"]])
    return x, np.concatenate([state["v0"], state["w0"], state["qd"]])


def close(found, wanted, tolerance: float = 1e-12) -> bool:
    wanted = np.asarray(wanted)
    return bool((np.abs(found - wanted) <= tolerance * np.maximum(1.0, np.abs(wanted))).all())


# --- SpaceDyn's own results ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
class TestGolden:
    def test_links_and_endpoints_are_where_spacedyn_has_them(self, name):
        data, model = golden(name), from_arrays(**arguments(name))
        x, _ = state_of(model, data["state"])
        found, wanted = reference.bodies(model, x), data["outputs"]["kinematics"]
        assert close(found.pose[1:, :3, :3], wanted["AA"])
        assert close(found.position[1:], wanted["RR"])
        endpoints = data["outputs"]["endpoints"]["list"]
        assert model.endpoint_names == tuple(f"endpoint{e['num_e']}" for e in endpoints)
        for pose, endpoint in zip(reference.endpoint_poses(model, x), endpoints, strict=True):
            assert close(pose[:3, 3], endpoint["POS_e"])
            assert close(pose[:3, :3], endpoint["ORI_e"])

    def test_inertia_bias_and_forward_dynamics_are_spacedyns(self, name):
        data, model = golden(name), from_arrays(**arguments(name))
        x, u = state_of(model, data["state"])
        loads, outputs = data["loads"], data["outputs"]
        assert close(reference.mass_matrix(model, x), outputs["HH"])
        assert close(reference.bias_force(model, x, u, gravity=loads["Gravity"]), outputs["Force0"])
        F = np.concatenate([loads["F0"], loads["T0"], loads["tau"]])
        links = [i for i, end in enumerate(data["model"]["SE"]) if end]
        wrenches = np.array([[*loads["Fe"][i], *loads["Te"][i]] for i in links])
        options = {"gravity": loads["Gravity"], "endpoint_wrenches": wrenches}
        udot = np.concatenate([outputs["f_dyn"][key] for key in ("vd0", "wd0", "qdd")])
        assert close(reference.forward_dynamics(model, x, u, F, **options), udot)

    def test_arrays_come_back(self, name):
        given = arguments(name)
        found = to_arrays(from_arrays(**given))
        data = golden(name)["model"]
        assert found["J_type"] == given["J_type"]
        for key in (*ARGUMENTS, "SS", "S0"):
            if key != "J_type":
                assert np.abs(np.asarray(found[key]) - np.asarray(data[key])).max() <= 1e-15, key

    def test_matlab_shapes_give_the_same_model(self, name):
        assert from_arrays(**matlab(arguments(name))) == from_arrays(**arguments(name))

    def test_all_of_the_file_may_be_given_at_once(self, name):
        assert Model.from_arrays(**golden(name)["model"]) == from_arrays(**arguments(name))


def test_numpy_arrays_and_a_string_of_letters_are_welcome():
    given = arguments(MODELS[1])
    turned = {key: np.asarray(value) for key, value in given.items()} | {"J_type": "".join(given["J_type"])}
    assert from_arrays(**turned) == from_arrays(**given)
    assert from_arrays(**turned | {"J_type": np.array(["RRRRRP"])}) == from_arrays(**given)


def test_names_and_kinds_are_as_documented():
    model = from_arrays(**small(), name="two", base_kind="fixed")
    assert (model.name, model.base_kind) == ("two", "fixed")
    assert model.body_names == ("base", "link1", "link2")
    assert model.joint_names == ("joint1", "joint2")
    assert [joint.kind for joint in model.joints] == ["revolute", "prismatic"]
    assert model.endpoint("endpoint1").body == "link2"
    np.testing.assert_allclose(model.body("link2").com, [0.25, 0, 0])
    np.testing.assert_allclose(model.joint("joint2").position, [1.0, 0, 0])
    np.testing.assert_allclose(model.endpoint("endpoint1").position, [0.65, 0, 0])


def test_a_parent_may_have_a_larger_number_than_its_child():
    given = small()
    swapped = small(
        **{"BB": [2, 0], "J_type": ["P", "R"], "SE": [1, 0], "m": given["m"][::-1]},
        **{key: given[key][::-1] for key in ("c0", "ce", "Qi", "Qe", "inertia")},
        cc=np.array(given["cc"])[::-1, ::-1],
    )
    model = from_arrays(**swapped)
    assert model.parents == (-1, 2, 0)
    np.testing.assert_array_equal(to_arrays(model)["BB"], [2, 0])


def test_one_link_and_none():
    one = {key: small()[key][:1] for key in ("BB", "J_type", "c0", "ce", "SE", "Qi", "Qe", "m", "inertia")}
    one |= {"cc": [[[-0.5, 0, 0]]], "m0": 50.0, "inertia0": small()["inertia0"]}
    model = from_arrays(**one)
    dropped = one | {"c0": [[0.5], [0], [0]], "cc": [[-0.5], [0], [0]], "m": 10.0, "inertia": one["inertia"][0]}
    assert from_arrays(**dropped) == model  # MATLAB drops the last axis of 3 x 1 x 1
    none = {key: [] for key in ARGUMENTS} | {"m0": 50.0, "inertia0": small()["inertia0"]}
    alone = from_arrays(**none)
    assert (alone.n, alone.total_mass) == (0, 50.0)
    back = to_arrays(alone)
    assert back["cc"].shape == (0, 0, 3) and back["inertia"].shape == (0, 3, 3)
    assert from_arrays(**{key: back[key] for key in ARGUMENTS}) == alone


# --- back to arrays --------------------------------------------------------------------------------------------------


def single_endpoints(rng: np.random.Generator, n: int) -> Model:
    """A random tree of oblique revolute and prismatic joints with an endpoint on every link."""
    tree = random_model(rng, n, base_kind="free", kinds=("revolute", "prismatic"))
    builder = Builder(tree.name)
    for i, body in enumerate(tree.bodies):
        make = builder.body if i else builder.base
        make(body.name, mass=body.mass, com=body.com, inertia=body.inertia)
    for joint in tree.joints:
        frame = {"position": joint.position, "rotation": joint.rotation, "axis": joint.axis}
        builder.joint(joint.name, joint.kind, parent=joint.parent, child=joint.child, **frame)
    for body in tree.bodies[1:]:
        builder.endpoint(f"end of {body.name}", body=body.name, position=rng.normal(size=3))
    return builder.build()


@pytest.mark.parametrize("seed", range(5))
def test_oblique_axes_become_z_without_changing_the_robot(seed):
    rng = np.random.default_rng(seed)
    model = single_endpoints(rng, 8)
    arrays = to_arrays(model)
    again = from_arrays(**{key: arrays[key] for key in ARGUMENTS}, SS=arrays["SS"], S0=arrays["S0"])
    assert all((joint.axis == (0, 0, 1)).all() for joint in again.joints)
    x, u = random_flat_state(rng, model)
    # the order of endpoints follows the links in both: every link has one
    assert close(reference.mass_matrix(again, x), reference.mass_matrix(model, x))
    assert close(reference.bias_force(again, x, u), reference.bias_force(model, x, u))
    assert close(reference.endpoint_poses(again, x)[:, :3, 3], reference.endpoint_poses(model, x)[:, :3, 3])


def test_everything_that_arrays_cannot_hold_is_named():
    builder = Builder("too much")
    builder.base(mass=10, inertia=(1, 2, 2))
    for name, kind in (("a", "spherical"), ("b", "fixed"), ("c", "revolute")):
        builder.link(name, kind, parent="base", mass=1, inertia=(1, 2, 2))
    builder.endpoint("port", body="base")
    builder.endpoint("hand", body="c")
    builder.endpoint("eye", body="c")
    with pytest.raises(ModelError) as caught:
        to_arrays(builder.build())
    text = "\n".join(caught.value.problems)
    assert len(caught.value.problems) == 4
    assert "joint 'a' is spherical" in text and "joint 'b' is fixed" in text
    assert "endpoint 'port' is on the base" in text and "'hand' and 'eye' are both on 'c'" in text


def test_springs_that_get_lost_are_warned_of():
    builder = Builder("springy")
    builder.base(mass=10, inertia=(1, 2, 2))
    builder.link("a", parent="base", mass=1, inertia=(1, 2, 2), stiffness=2.0, damping=0.1)
    with pytest.warns(ModelWarning, match="joint 'a'.*stiffness, damping"):
        to_arrays(builder.build())


# --- what is refused -------------------------------------------------------------------------------------------------


def test_every_wrong_shape_is_reported_at_once():
    found = problems(
        **{"c0": [[0, 0, 0]], "cc": np.zeros((2, 3)), "ce": np.zeros((2, 2)), "Qi": [1, 2, 3], "Qe": "no"},
        **{"m": [1], "SE": [[0, 1], [0, 0]], "m0": [1, 2], "inertia0": np.eye(2), "inertia": np.zeros((2, 3))},
        **{"J_type": "RPX", "SS": "x", "S0": [0, 0]},
    )
    for start in ("c0 has shape (1, 3)", "cc has", "ce has", "Qi has", "Qe is not", "m has", "SE has", "m0 has"):
        assert any(problem.startswith(start) for problem in found), start
    for start in ("inertia0 has", "inertia has", "J_type has 3 entries", "J_type of joint 3 is 'X'", "SS is not"):
        assert any(problem.startswith(start) for problem in found), start
    assert any(problem.startswith("S0 contradicts BB") for problem in found)
    assert len(found) == 14


def test_ragged_arrays_are_reported():
    assert "rows of unequal length" in problems(c0=[[0, 0, 0], [0, 0]])[0]


@pytest.mark.parametrize(
    ("BB", "words"),
    [
        ([0, 3], "links go from 1 to 2"),
        ([0, -1], "links go from 1 to 2"),
        ([1, 1], "link 1 hangs on itself"),
        ([2, 1], "ring, link 1 -> 2 -> 1"),
        ([0, 0.5], "whole numbers"),
        ([0, np.nan], "whole numbers"),
        ("x", "not an array of numbers"),
        ([[0, 1], [0, 1]], "in one row"),
    ],
)
def test_a_bb_that_makes_no_tree_is_refused(BB, words):
    assert words in "\n".join(problems(BB=BB))


def test_vectors_to_joints_that_bb_puts_elsewhere_are_refused():
    found = problems(BB=[0, 0])
    assert found == ("cc places joint 2 on link 1, but BB says that link 2 hangs on the base: mend BB, or put zeros.",)
    found = problems(c0=[[0.5, 0, 0], [0, 0.1, 0]])
    assert found == ("c0 places joint 2 on the base, but BB says that link 2 hangs on link 1: mend BB, or put zeros.",)


def test_three_joints_in_mixed_forms_are_refused_with_the_reason():
    given = arguments("model_c1_PPP")
    mixed = matlab(given) | {"inertia": given["inertia"]}
    with pytest.raises(ModelError, match="read in inertia's form"):
        from_arrays(**mixed)
    with pytest.raises(ModelError, match="c0 is 3 x 3 for three joints and ambiguous") as caught:
        from_arrays(**given | {"inertia": np.zeros((3, 3))})
    assert any(problem.startswith("cc is 3 x 3 x 3") for problem in caught.value.problems)


def test_an_endpoint_flag_is_0_or_1():
    assert "SE is [0.0, 2.0]" in problems(SE=[0, 2])[0]


def test_ss_that_contradicts_bb_is_refused():
    assert "SS contradicts BB, which makes it [[-1, 1], [0, -1]]" in problems(SS=np.eye(2))[0]


def test_numbers_of_links_and_masses_that_contradict_the_arrays_are_refused():
    found = problems(n=3, mass_total=15.0)  # a total without the base is a classic
    assert found[0].startswith("n contradicts BB, which makes it 2")
    assert found[1].startswith("mass_total is 15.0, but m0 and m add up to 65 kg")


def test_joint_types_must_be_there():
    assert problems(J_type=None)[0].startswith("J_type is None: give 'R' or 'P'")


def test_bad_bodies_are_reported_by_the_models_own_check():
    found = problems(m=[-1.0, np.nan])
    assert any("body 'link1': mass is -1" in problem for problem in found)
    assert any("body 'link2': mass" in problem for problem in found)


# --- rotations -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_angles_and_matrices_undo_each_other(seed):
    rng = np.random.default_rng(seed)
    angles = rng.uniform([-3.1, -1.5, -3.1], [3.1, 1.5, 3.1])
    R = rotation_xyz(angles)
    np.testing.assert_allclose(R, Rotation.from_euler("XYZ", angles).as_matrix(), atol=1e-15)
    np.testing.assert_allclose(rotation_xyz(angles_xyz(R)), R, atol=1e-15)
    np.testing.assert_allclose(rotation_xyz_deg(np.degrees(angles)), R, atol=1e-14)
    np.testing.assert_allclose(angles_xyz(R), angles, atol=1e-15 / np.cos(angles[1]))


@pytest.mark.parametrize("second", [np.pi / 2, -np.pi / 2, np.pi / 2 - 1e-9])
def test_angles_where_two_axes_coincide(second):
    R = rotation_xyz([0.4, second, -0.7])
    np.testing.assert_allclose(rotation_xyz(angles_xyz(R)), R, atol=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_turns_quaternions_and_axes_agree_with_scipy(seed):
    rng = np.random.default_rng(seed)
    axis, angle = rng.normal(size=3), rng.uniform(-6, 6)
    axis /= np.linalg.norm(axis)
    turn = Rotation.from_rotvec(angle * axis)
    np.testing.assert_allclose(rotation_about(axis, angle), turn.as_matrix(), atol=2e-15)
    np.testing.assert_allclose(rotation_quaternion(3.0 * turn.as_quat()), turn.as_matrix(), atol=2e-15)
    near_minus_z = np.array([*(1e-9 * axis[:2]), -1.0])
    for wanted in (axis, near_minus_z, np.array([0, 0, -1.0]), np.array([0, 0, 1.0]), np.array([1.0, 0, 0])):
        R = z_onto(wanted)
        np.testing.assert_allclose(R[:, 2], wanted, atol=1e-15)
        np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-14)
        assert np.linalg.det(R) > 0


@pytest.mark.parametrize("turns", range(-5, 6))
def test_right_angles_are_exact(turns):
    R = rotation_xyz_deg([90.0 * turns, 0, 0])
    assert set(np.unique(R)) <= {-1.0, 0.0, 1.0}
    np.testing.assert_allclose(R, rotation_xyz([np.pi / 2 * turns, 0, 0]), atol=1e-14)
