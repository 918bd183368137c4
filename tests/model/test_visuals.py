"""How bodies look: checked, carried along by surgery, files and pickles, and never part of the dynamics."""

import pickle

import numpy as np
import pytest

import spacedyn as sd
from spacedyn.model.parts import Visual
from spacedyn.model.shapes import box, cylinder, sphere

TURN = sd.Rotation.from_euler("xyz", (0.3, -0.2, 1.0))


def robot(tmp_path, *, looks: bool = True) -> sd.Model:
    b = sd.Builder("dressed")
    mesh = str(tmp_path / "meshes" / "dish.stl")
    visuals = [
        Visual("panel", box(0, (1, 2, 0.1)), position=(0, 1, 0), rotation=TURN, color=(0.1, 0.2, 0.9, 1.0)),
        Visual("dish", mesh=mesh, scale=(1e-3, 1e-3, -1e-3), position=(0.1, 0, 0)),
    ]
    b.base("bus", mass=10, inertia=(1, 2, 2), visuals=visuals if looks else ())
    touch = [Visual("", sphere(0, 0.3))] if looks else ()
    b.link("arm", parent="bus", mass=1, inertia=(0.1, 0.2, 0.2), collisions=touch)
    return b.build()


def same(one: Visual, other: Visual) -> bool:
    shapes = [None if v.shape is None else (v.shape.kind, v.shape.size.tolist(), v.shape.mass) for v in (one, other)]
    arrays = all(np.array_equal(getattr(one, k), getattr(other, k)) for k in ("scale", "position", "rotation"))
    plain = (one.name, one.mesh, one.color) == (other.name, other.mesh, other.color)
    return shapes[0] == shapes[1] and arrays and plain


def all_same(one: sd.Model, other: sd.Model) -> bool:
    return all(
        len(getattr(a, what)) == len(getattr(b, what))
        and all(same(x, y) for x, y in zip(getattr(a, what), getattr(b, what), strict=True))
        for a, b in zip(one.bodies, other.bodies, strict=True)
        for what in ("visuals", "collisions")
    )


def test_looks_are_no_part_of_the_content(tmp_path):
    assert robot(tmp_path) == robot(tmp_path, looks=False)


def test_looks_survive_text_files_pickles_and_surgery(tmp_path):
    model = robot(tmp_path)
    file = tmp_path / "robot.toml"
    model.to_toml(file)
    assert 'mesh = "meshes/dish.stl"' in file.read_text()
    for copy in (sd.load(file), sd.Model.from_toml(model.to_toml()), pickle.loads(pickle.dumps(model))):
        assert copy == model and all_same(copy, model)
    assert not pickle.loads(pickle.dumps(model)).bodies[0].visuals[0].position.flags.writeable
    assert all_same(model.lock("arm"), model)
    assert (
        model.attach(model.subtree("arm"), "arm", prefix="second_").body("second_arm").collisions[0].shape is not None
    )


def test_a_file_elsewhere_leaves_the_meshes_out(tmp_path):
    other = tmp_path / "elsewhere"
    other.mkdir()
    robot(tmp_path).to_toml(other / "robot.toml")
    assert [v.name for v in sd.load(other / "robot.toml").bodies[0].visuals] == ["panel"]


def test_a_shapes_own_pose_goes_over_to_its_visual():
    b = sd.Builder("one")
    place = sd.Rotation.from_euler("z", 90, degrees=True)
    look = Visual("v", cylinder(5, 0.1, 1, (0, 0, 1), TURN), position=(1, 0, 0), rotation=place, scale=(2, 2, 2))
    b.base(mass=1, inertia=(1, 1.1, 1.2), visuals=[look])
    made = b.build().bodies[0].visuals[0]
    np.testing.assert_allclose(made.position, (1, 0, 2), atol=1e-15)
    np.testing.assert_allclose(made.rotation, (place * TURN).as_matrix(), atol=1e-15)
    assert not made.shape.position.any() and made.shape.mass == 0.0


BAD = [
    (Visual("v"), "either a shape or the path"),
    (Visual("v", box(0, (1, 1, 1)), "/a/b.stl"), "either a shape or the path"),
    (Visual("v", mesh="b.stl"), "absolute path"),
    (Visual("v", box(0, (1, 1, -1))), "give 0 or more"),
    (Visual("v", box(0, (1, 1, 1)), scale=(1, 0, 1)), "other than 0"),
    (Visual("v", box(0, (1, 1, 1)), color=(1, 2, 0, 1)), "each from 0 to 1"),
    (Visual("v", box(0, (1, 1, 1), rotation=TURN), scale=(1, 2, 1)), "neutral pose"),
    (Visual("v", 3), "give one such as box"),
    (Visual(3, box(0, (1, 1, 1))), "its name is 3"),
    ("box", "visuals is 'box'"),
]


@pytest.mark.parametrize(("look", "words"), BAD)
def test_a_bad_visual_is_named(look, words):
    b = sd.Builder("bad")
    b.base("bus", mass=1, inertia=(1, 1.1, 1.2), visuals=look if isinstance(look, str) else [look])
    with pytest.raises(sd.ModelError, match=r"body 'bus': visuals") as caught:
        b.build()
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ('mesh = "../other/a.stl"', "outside the folder"),
        ('mesh = "/etc/a.stl"', "outside the folder"),
        ('mesh = "passwd"', "not of a known kind"),
        ('mesh = "a.stl", radius = 1', "no key 'radius'"),
        ('kind = "blob"', "kind is 'blob'"),
        ('mesh = "a.stl", scale = "mm"', "scale is text"),
        ('mesh = "a.stl", name = 3', "name is a number"),
    ],
)
def test_a_bad_visual_in_a_file_is_named(tmp_path, keys, words):
    file = tmp_path / "robot.toml"
    file.write_text(f"[base]\nmass = 1\ninertia = [1, 1.1, 1.2]\nvisuals = [{{ {keys} }}]\n")
    with pytest.raises(sd.ModelError, match="visuals 1") as caught:
        sd.load(file)
    assert words in str(caught.value)
