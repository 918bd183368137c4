"""Bundled robots: all load, and have the numbers of their sources."""

import json
import math
import warnings
from pathlib import Path

import numpy as np
import pytest

import reference
import spacedyn as sd
from paths import GOLDEN
from spacedyn.errors import ModelError, ModelWarning, UnknownName
from spacedyn.model.files.arrays import from_arrays
from spacedyn.model.files.load import available, load
from spacedyn.model.files.toml import read_model, write_model
from spacedyn.model.model import Model

FILES = Path(sd.__file__).parent / "library"
DOUBTFUL = {
    "ets7": ("link2", "link3", "link5"),
    "ets7_paddles": ("link2", "link3", "link5"),
    "two_arm_sample": ("base",),
    "umetani_yoshida": ("link1",),
}
"""Bodies whose published inertia is doubtful, by robot."""


def poses(model: Model, q=None) -> dict[str, np.ndarray]:
    """Endpoint positions with the base's centre of mass at the origin."""
    x = np.concatenate([[0, 0, 0, 0, 0, 0, 1], np.zeros(model.nq) if q is None else q])
    return dict(zip(model.endpoint_names, reference.endpoint_poses(model, x), strict=True))


def test_the_list_is_complete_and_sorted():
    assert available() == (
        *("bicycle", "ets7", "ets7_paddles", "koike", "planar_four_link", "ssrms", "tian_wu"),
        *("two_arm_sample", "umetani_yoshida"),
    )


@pytest.mark.parametrize("name", available())
def test_it_loads_in_silence_and_comes_back(name):
    model = load(name)  # a warning would be an error here
    assert model.name == name
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        assert read_model(write_model(model)) == model


@pytest.mark.parametrize("name", available())
def test_read_as_anyones_file_it_gets_the_warnings_it_deserves(name):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert read_model(FILES / f"{name}.toml") == load(name)
    found = [str(warning.message) for warning in caught]
    assert len(found) == len(DOUBTFUL.get(name, ()))
    for body in DOUBTFUL.get(name, ()):
        assert any(f"body '{body}'" in message for message in found)


@pytest.mark.parametrize("name", available())
def test_its_file_tells_source_and_doubts(name):
    head = (FILES / f"{name}.toml").read_text(encoding="utf-8").split("\n\n")[0]
    assert "# Source: " in head
    assert f'name = "{name}"' in head
    assert ("They are kept." in head) == (name in DOUBTFUL)


def test_ets7_has_its_published_masses_and_centres_of_mass():
    model = load("ets7")
    assert [body.mass for body in model.bodies] == [2552, 35.01, 22.45, 21.89, 16.54, 26, 18.49]
    from_com = [(-0.785, -0.295, 1), (0, 0.275, 0.175), (0.435, 0, 0), (0.315, 0, 0), (0, 0, -0.1335), (0, 0, 0.1385)]
    for joint, vector in zip(model.joints, from_com, strict=True):  # parent's centre of mass -> joint, as published
        np.testing.assert_allclose(joint.position - model.body(joint.parent).com, vector, atol=1e-15)
    half = math.pi / 2
    angles = [(0, 0, 0), (-half, 0, -half), (0, 0, half), (0, 0, -half), (half, half, 0), (math.pi, half, 0)]
    for joint, (a, b, c) in zip(model.joints, angles, strict=True):
        Rx = [[1, 0, 0], [0, math.cos(a), -math.sin(a)], [0, math.sin(a), math.cos(a)]]
        Ry = [[math.cos(b), 0, math.sin(b)], [0, 1, 0], [-math.sin(b), 0, math.cos(b)]]
        Rz = [[math.cos(c), -math.sin(c), 0], [math.sin(c), math.cos(c), 0], [0, 0, 1]]
        np.testing.assert_allclose(joint.rotation, np.array(Rx) @ Ry @ Rz, atol=1e-15)
    assert model.endpoint("hand").body == "link6"


def test_ets7_has_the_axes_of_the_real_arm():
    # a turntable, three parallel hinges, and a wrist of two axes across each other
    model = load("ets7")
    x = np.concatenate([[0, 0, 0, 0, 0, 0, 1], np.zeros(6)])
    axes = reference.bodies(model, x).pose[1:, :3, 2]
    np.testing.assert_allclose(np.abs(axes[1:4] @ axes[1]), 1, atol=1e-12)
    np.testing.assert_allclose(axes[0], [0, 0, 1], atol=1e-12)
    np.testing.assert_allclose([axes[3] @ axes[4], axes[4] @ axes[5]], 0, atol=1e-12)


def test_ssrms_stretches_to_its_length():
    model = load("ssrms")
    assert (model.n, model.base_kind) == (7, "fixed")
    assert model.total_mass == pytest.approx(1505.32)
    stretched = poses(model)
    reach = stretched["hand"][:3, 3] - stretched["foot"][:3, 3]
    np.testing.assert_allclose(reach, [2 * 1.3589 + 2 * 7.11, -0.475 - 2 * 0.5692, 0], atol=1e-12)
    assert all(joint.max_force == 2332 and joint.upper == 4.71239 for joint in model.joints)
    for body, joint in zip(model.bodies, model.joints, strict=False):
        np.testing.assert_allclose(2 * body.com, joint.position, atol=1e-12)


def test_the_two_arm_sample_is_spacedyns():
    data = json.loads((GOLDEN / "example_sample_v1r2.json").read_text())["model"]
    given = {key: value for key, value in data.items() if key not in ("n", "mass_total")}
    with pytest.warns(ModelWarning):
        wanted = from_arrays(**given, name="two_arm_sample")
    found = load("two_arm_sample")
    assert found.body_names == wanted.body_names and found.joint_names == wanted.joint_names
    assert found.endpoint_names == wanted.endpoint_names and found.parents == wanted.parents
    for mine, theirs in zip(found.bodies, wanted.bodies, strict=True):
        assert mine.mass == theirs.mass
        np.testing.assert_array_equal(mine.com, theirs.com)
        np.testing.assert_array_equal(mine.inertia, theirs.inertia)
    for mine, theirs in zip((*found.joints, *found.endpoints), (*wanted.joints, *wanted.endpoints), strict=True):
        assert getattr(mine, "kind", "") == getattr(theirs, "kind", "")
        np.testing.assert_allclose(mine.position, theirs.position, atol=1e-15)
        np.testing.assert_allclose(mine.rotation, theirs.rotation, atol=1e-15)


def test_umetani_yoshida_lies_along_x_and_lifts_towards_z():
    model = load("umetani_yoshida")
    np.testing.assert_allclose(poses(model)["hand"][:3, 3], [5.0, 0, 2.0], atol=1e-12)
    np.testing.assert_allclose(poses(model, [0, math.pi / 2, 0])["hand"][:3, 3], [0, 0, 7.0], atol=1e-12)
    np.testing.assert_allclose(poses(model, [math.pi / 2, 0, 0])["hand"][:3, 3], [0, 5.0, 2.0], atol=1e-12)


def test_tian_wu_starts_where_the_example_does():
    model = load("tian_wu")
    np.testing.assert_allclose(poses(model)["hand"][:3, 3], [3.0, 0, 0], atol=1e-12)
    start = poses(model, [math.pi / 2, 0, math.pi / 2])["hand"][:3, 3]
    np.testing.assert_allclose(start, [0.0, 2.0, 0], atol=1e-12)
    np.testing.assert_array_equal(np.diag(model.body("link3").inertia), [0.0063, 0.11, 0.11])


def test_koikes_robot_is_a_box_and_two_rods():
    model = load("koike")
    M = 5.0
    np.testing.assert_allclose(np.diag(model.bodies[0].inertia), M * np.array([1, 13, 13]) / 150, rtol=1e-15)
    for body in model.bodies[1:]:
        assert body.mass == M / 4
        np.testing.assert_allclose(np.diag(body.inertia), [0, M / 48, M / 48], rtol=1e-15)
    y, z = 0.3, -0.2
    tips = poses(model, [y, z])
    np.testing.assert_allclose(tips["tip_y"][:3, 3], [0.5 - math.cos(y), 0, math.sin(y)], atol=1e-12)
    np.testing.assert_allclose(tips["tip_z"][:3, 3], [-0.5 + math.cos(z), 0.1 + math.sin(z), 0], atol=1e-12)


def test_the_planar_robot_has_sparts_moments():
    model = load("planar_four_link")
    assert (model.base_kind, model.nv) == ("planar", 7)
    assert model.bodies[0].inertia[2, 2] == pytest.approx(100 / 6 * 0.25, rel=1e-15)
    for body in model.bodies[1:]:
        assert body.mass == 10.0
        assert body.inertia[2, 2] == pytest.approx(10 / 12 * (1 + 0.0025), rel=1e-15)


# --- load ------------------------------------------------------------------------------------------------------------


def test_a_path_is_loaded_too(tmp_path):
    path = tmp_path / "mine.toml"
    write_model(load("tian_wu"), path)
    assert load(path) == load(str(path)) == load("tian_wu")


def test_an_unknown_name_lists_those_that_are_there():
    with pytest.raises(UnknownName, match="no bundled robot named 'ets8'; did you mean 'ets7'") as caught:
        load("ets8")
    assert caught.value.known == available()


@pytest.mark.parametrize("name", ["", "robot.yaml", "library/ets7", "ets7.TOM"])
def test_what_is_neither_name_nor_toml_is_unknown(name):
    with pytest.raises(UnknownName):
        load(name)


def test_a_file_that_is_not_there_is_reported(tmp_path):
    with pytest.raises(ModelError, match="there is no file"):
        load(tmp_path / "none.toml")
    with pytest.raises(ModelError, match=r"the bundled robot is load\('ets7'\)"):
        load("ets7.toml")
