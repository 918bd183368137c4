"""Distances of bodies: against coal, against a proof of their own, and where bodies have no shape or overlap."""

import numpy as np
import pytest

import spacedyn as sd
from contact_pairs import CURVED, KINDS, coal_distance, place_pairs, proof, random_pairs
from spacedyn.contact.convex import Convex
from spacedyn.kernels.geometry import cores as k
from spacedyn.model.shapes import box, capsule, cone, cylinder, point, rod, sphere, tube

LEVEL = np.eye(3)


def shape(kind, *size, radius=0.0):
    return Convex("shape", kind, (*size, 0.0, 0.0, 0.0, 0.0)[:4], radius, np.zeros(3), LEVEL)


def at(*places, turns=(None, None)):
    """Poses (1, 2, 12) of two bodies."""
    turned = [LEVEL if turn is None else turn.as_matrix() for turn in turns]
    return np.array([[[*place, *turn.reshape(9)] for place, turn in zip(places, turned, strict=True)]], dtype=float)


def pair(a, b, place, turn=None):
    return place_pairs([a], [b], at((0, 0, 0), place, turns=(None, turn)))


# -- all kinds, at random ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", KINDS)
def test_random_pairs_are_closest_and_agree_with_coal(first):
    rng = np.random.default_rng(KINDS.index(first))
    for second in KINDS:
        pairs, compared = random_pairs(rng, first, second, 40), 0
        for i in np.flatnonzero(pairs.found[:, 10] > 0.0):
            assert proof(pairs, i) < 1e-11, (first, second, i)
            if not CURVED & {first, second}:  # coal's own error is up to 1e-5 at rims, see docs/accuracy.md
                theirs = coal_distance(pairs, i)
                if theirs is not None:
                    compared += 1
                    np.testing.assert_allclose(pairs.found[i, :10], theirs, atol=1e-9)
        assert compared > 10 or CURVED & {first, second}


@pytest.mark.parametrize("first", KINDS)
def test_needles_and_plates_a_million_times_longer_than_thick_are_closest(first):
    rng = np.random.default_rng(100 + KINDS.index(first))
    for second in KINDS:
        pairs = random_pairs(rng, first, second, 60, sizes=(1e-3, 1e3))
        good = np.flatnonzero(pairs.found[:, 10] > 0.0)
        assert len(good) > 10
        assert max(proof(pairs, i) for i in good) < 1e-11


def test_far_from_the_origin_only_the_poses_round():
    rng = np.random.default_rng(7)
    for first in KINDS:
        pairs = random_pairs(rng, first, "box", 20, origin=1e6)
        good = np.flatnonzero(pairs.found[:, 10] > 0.0)
        assert len(good) and max(proof(pairs, i) for i in good) < 1e-14  # relative to 1e6: 1e-8 m


def test_what_coal_calls_an_overlap_we_call_one():
    rng, overlaps = np.random.default_rng(9), 0
    for first in ("box", "hull", "cylinder"):
        for second in ("box", "hull", "cone"):
            pairs = random_pairs(rng, first, second, 60, apart=(0.0, 0.7))
            for i in range(60):
                ours, theirs = pairs.found[i, 10] <= 0.0, coal_distance(pairs, i, 1e-10) is None
                overlaps += ours
                assert ours == theirs
    assert overlaps > 200


# -- closed forms ------------------------------------------------------------------------------------------------------


def test_a_ball_over_a_face_an_edge_and_a_corner():
    cube, ball = shape(k.BOX, 1.0, 1.0, 1.0), shape(k.POINT, radius=0.25)
    for place, gap in (((0.3, 0.2, 3), 1.75), ((0, 3, 4), 13**0.5 - 0.25), ((2, 3, 4), 14**0.5 - 0.25)):
        row = pair(cube, ball, place).found[0]
        np.testing.assert_allclose(row[0], gap, rtol=1e-15)
        out = np.maximum(np.array(place) - 1.0, 0.0)
        np.testing.assert_allclose(row[1:4], out / np.linalg.norm(out), atol=1e-15)
        np.testing.assert_allclose(row[4:7], np.minimum(place, 1.0), atol=1e-15)


def test_crossing_and_parallel_capsules():
    rods = shape(k.SEGMENT, 1.0, radius=0.1)
    crossing = pair(rods, rods, (0.5, 0, 0), sd.Rotation.from_rotvec([np.pi / 2, 0, 0])).found[0]
    np.testing.assert_allclose(crossing[:10], [0.3, 1, 0, 0, 0.1, 0, 0, 0.4, 0, 0], atol=1e-15)
    parallel = pair(rods, rods, (0.15, 0, 0.5)).found[0]  # overlapping along 1.5 m, 5 cm deep
    np.testing.assert_allclose(parallel[:4], [-0.05, 1, 0, 0], atol=1e-15)
    assert abs(parallel[6]) <= 1.0 and abs(parallel[6] - parallel[9]) < 1e-15


def test_rounded_boxes_go_in_to_the_sum_of_their_radii_and_no_deeper():
    rounded = shape(k.BOX, 0.9, 0.9, 0.9, radius=0.1)
    for depth in (-0.3, 1e-9, 0.05, 0.199999):
        row = pair(rounded, rounded, (0.1, 0.2, 2.0 - depth)).found[0]
        np.testing.assert_allclose(row[:4], [-depth, 0, 0, 1], atol=1e-10)
        np.testing.assert_allclose(row[7:10] - row[4:7], [0, 0, -depth], atol=1e-15)
    assert pair(rounded, rounded, (0.1, 0.2, 1.8 - 1e-12)).found[0, 10] == 0.0


def test_an_ellipsoid_has_a_radius_that_does_not_change_it():
    from spacedyn.contact.convex import ellipsoid

    egg, ball = ellipsoid("", "egg", (3.0, 2.0, 1.0), np.zeros(3), LEVEL), shape(k.POINT, radius=0.5)
    for place, gap in (((0, 0, 1.4), -0.1), ((0, 0, 1.25), -0.25), ((3.7, 0, 0), 0.2), ((0, -2.2, 0), -0.3)):
        row = pair(egg, ball, place).found[0]
        np.testing.assert_allclose(row[0], gap, atol=1e-14)
        np.testing.assert_allclose(row[1:4], np.array(place) / np.linalg.norm(place), atol=1e-14)
    assert pair(egg, ball, (0, 0, 0.1)).found[0, 10] == 0.0  # deeper than its radius


def test_shapes_that_touch_at_a_degenerate_simplex():
    flat = shape(k.BOX, 1.0, 1.0, 0.0)  # two plates in one plane, edge to edge, corner to corner, and stacked
    for place, gap in (((3, 0, 0), 1.0), ((3, 3, 0), 2**0.5), ((0, 0, 1e-6), 1e-6), ((0.5, 0.5, 4), 4.0)):
        np.testing.assert_allclose(pair(flat, flat, place).found[0, 0], gap, rtol=1e-10)
    line = shape(k.SEGMENT, 1.0)
    np.testing.assert_allclose(pair(line, line, (0, 0, 3)).found[0, :4], [1, 0, 0, 1], atol=1e-15)  # in line


# -- bodies of a robot -------------------------------------------------------------------------------------------------


def chain(*shapes, **named):
    """Bodies on sliders along x, one for each shape, 3 m apart."""
    builder = sd.Builder("train", base="fixed")
    builder.base("rail", mass=1.0, inertia=(1, 1.2, 1.3))
    for i, one in enumerate(shapes):
        builder.link(
            f"wagon{i}", "prismatic", parent="rail", axis=(1, 0, 0), position=(3.0 * i, 0, 0), mass=1.0,
            inertia=(1, 1.2, 1.3), collisions=[sd.Visual("", one, **named)],
        )  # fmt: skip
    return builder.build()


@pytest.mark.parametrize(
    ("solid", "reach"),
    [
        (box(0, (2, 1, 1)), 1.0),
        (sphere(0, 0.7), 0.7),
        (cylinder(0, 0.4, 3), 0.4),
        (capsule(0, 0.4, 1.5), 0.4),
        (tube(0, 0.5, 0.3, 1), 0.5),
        (cone(0, 0.6, 2), 0.6),
        (rod(0, 2), 0.0),
        (point(0), 0.0),
    ],
    ids=lambda x: getattr(x, "kind", ""),
)
def test_every_shape_of_a_body_has_its_size(solid, reach):
    model = chain(solid, sphere(0, 0.5))
    near = sd.distance(model, model.neutral_state(), "wagon0", "wagon1")
    np.testing.assert_allclose(near.gap, 2.5 - reach, rtol=1e-14)
    np.testing.assert_allclose(near.normal, [1, 0, 0], atol=1e-14)
    np.testing.assert_allclose(near.point_a, [reach, 0, near.point_a[2]], atol=1e-14)
    back = sd.distance(model, model.neutral_state(), "wagon1", "wagon0")
    np.testing.assert_allclose(back.normal, [-1, 0, 0], atol=1e-14)
    np.testing.assert_allclose([back.point_a, back.point_b], [near.point_b, near.point_a], atol=1e-14)


def test_a_batch_has_the_distances_of_each_of_its_states():
    model = chain(box(0, (1, 1, 1)), cylinder(0, 0.5, 1.0))
    q = np.random.default_rng(3).uniform(-0.5, 0.5, (2, 5, 2))
    near = sd.distance(model, model.state(q=q), "wagon0", "wagon1")
    assert near.gap.shape == (2, 5) and near.normal.shape == near.point_a.shape == near.point_b.shape == (2, 5, 3)
    np.testing.assert_allclose(near.gap, 2.0 + q[..., 1] - q[..., 0], rtol=1e-13)
    for i in np.ndindex(2, 5):
        alone = sd.distance(model, model.state(q=q[i]), "wagon0", "wagon1")
        for ours, one in zip(near, alone, strict=True):
            np.testing.assert_array_equal(ours[i], one)
    assert sd.distance(model, model.state(q=np.zeros((0, 2))), "wagon0", "wagon1").gap.shape == (0,)


def test_a_body_without_collisions_has_the_solids_that_it_is_made_of():
    builder = sd.Builder("two")
    builder.base("bus", shapes=[box(10.0, (1, 1, 1)), sphere(1.0, 0.2, position=(0, 0, 0.6))])
    builder.link("arm", "revolute", parent="bus", position=(0, 0, 2), shapes=[sphere(1.0, 0.5)])
    model = builder.build()
    np.testing.assert_allclose(sd.distance(model, model.neutral_state(), "bus", "arm").gap, 0.7, rtol=1e-14)


def test_scales_stretch_shapes_and_make_ellipsoids():
    model = chain(sphere(0, 0.5), scale=(2.0, 1.0, 1.0))
    builder = sd.Builder("pair", base="fixed")
    builder.base(
        "ground", mass=1.0, inertia=(1, 1.2, 1.3), collisions=[sd.Visual("", box(0, (1, 2, 3)), scale=(2, 1, 1))]
    )
    builder.link("egg", "prismatic", parent="ground", axis=(1, 0, 0), position=(5, 0, 0), mass=1, inertia=(1, 1.2, 1.3),
                 collisions=model.bodies[1].collisions)  # fmt: skip
    pair_model = builder.build()
    near = sd.distance(pair_model, pair_model.neutral_state(), "ground", "egg")
    np.testing.assert_allclose(near.gap, 3.0, rtol=1e-14)


def test_rounding_keeps_faces_and_says_how_deep_bodies_may_go():
    model = chain(box(0, (2, 2, 2)), box(0, (2, 2, 2)))
    touching = model.state(q=[0.0, -1.05])
    with pytest.raises(
        sd.InputError, match=r"'box' of body 'wagon0' and 'box' of body 'wagon1' overlap deeper.*rounding"
    ):
        sd.distance(model, touching, "wagon0", "wagon1")
    near = sd.distance(model, touching, "wagon0", "wagon1", rounding={"wagon0": 0.1})
    np.testing.assert_allclose(near.gap, -0.05, rtol=1e-12)
    batch = model.state(q=[[0.0, 0.0], [0.0, -1.5]])
    with pytest.raises(sd.InputError, match=r"of state \(1,\)"):
        sd.distance(model, batch, "wagon0", "wagon1", rounding=0.2)
    gaps = sd.distance(model, batch, "wagon0", "wagon1", rounding=0.2, deep="-inf")
    assert abs(gaps.gap[0] - 1.0) < 1e-14 and gaps.gap[1] == -np.inf and np.isnan(gaps.normal[1]).all()


def test_a_cone_and_a_mesh_are_rounded_from_inside(tmp_path):
    import trimesh

    file = tmp_path / "wedge.stl"
    trimesh.creation.box((2, 1, 1)).export(file)
    builder = sd.Builder("meshes", base="fixed")
    builder.base("block", mass=1.0, inertia=(1, 1.2, 1.3), collisions=[sd.Visual("", mesh=str(file), scale=(1, 1, 2))])
    builder.link("tip", "prismatic", parent="block", axis=(1, 0, 0), position=(3, 0, 0), mass=1, inertia=(1, 1.2, 1.3),
                 collisions=[sd.Visual("", cone(0, 1.0, 2.0))])  # fmt: skip
    model = builder.build()
    sharp = sd.distance(model, model.neutral_state(), "block", "tip")
    np.testing.assert_allclose(sharp.gap, 1.0, rtol=1e-12)  # the rim
    low = sd.distance(model, model.neutral_state(), "block", "tip", rounding=0.1)
    assert 1.0 < low.gap < 1.2  # the rim is round now, faces are not: they meet at 116 degrees
    half_angle = np.arctan2(2.0, 1.0)  # of the rim
    np.testing.assert_allclose(low.gap, 1.0 + 0.1 / np.tan(half_angle / 2) - 0.1, rtol=1e-9)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m, s: sd.distance(m, s, "wagon0", "wagon9"), "no body named 'wagon9'"),
        (lambda m, s: sd.distance(m, s, "wagon0", "wagon0"), "the same body"),
        (lambda m, s: sd.distance(m, s, "rail", "wagon0"), "body 'rail' has no shape.*wagon0, wagon1"),
        (lambda m, s: sd.distance(m, s, "wagon0", "wagon1", rounding=-1), "rounding must be 0 or more"),
        (lambda m, s: sd.distance(m, s, "wagon0", "wagon1", rounding=0.6), "body 'wagon0', 'box': rounding is 0.6 m"),
        (lambda m, s: sd.distance(m, s, "wagon0", "wagon1", rounding={"cart": 0.1}), "no body named 'cart'"),
        (lambda m, s: sd.distance(m, s, "wagon0", "wagon1", deep="no"), "deep must be 'error' or '-inf'"),
        (lambda m, s: sd.distance(m, s, "wagon0", "wagon1", round=1), "round"),
    ],
)
def test_bad_calls_are_refused_by_name(call, words):
    model = chain(box(0, (1, 1, 1)), box(0, (1, 1, 1)))
    with pytest.raises(sd.SpacedynError, match=words):
        call(model, model.neutral_state())


def test_a_mesh_without_volume_and_one_that_is_not_there_are_refused_by_name(tmp_path):
    import trimesh

    flat = tmp_path / "flat.stl"
    trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [[0, 1, 2], [1, 3, 2]]).export(flat)
    for file, words in ((flat, "body 'block', 'mesh': .*no volume"), (tmp_path / "none.stl", "cannot be read")):
        builder = sd.Builder("meshes", base="fixed")
        builder.base("block", mass=1.0, inertia=(1, 1.2, 1.3), collisions=[sd.Visual("", mesh=str(file))])
        builder.link("ball", "prismatic", parent="block", mass=1, inertia=(1, 1.2, 1.3), shapes=[sphere(1.0, 0.1)])
        model = builder.build()
        with pytest.raises(sd.InputError, match=words):
            sd.distance(model, model.neutral_state(), "block", "ball")


def test_shapes_come_from_urdf_and_mjcf_files(tmp_path):
    def link(name, geometry, place="0 0 0"):
        inertia = '<inertia ixx="1" iyy="1.1" izz="1.2" ixy="0" ixz="0" iyz="0"/>'
        collision = f'<collision><origin xyz="{place}"/><geometry>{geometry}</geometry></collision>'
        return f'<link name="{name}"><inertial><mass value="1"/>{inertia}</inertial>{collision}</link>'

    joint = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/><origin xyz="3 0 1"/></joint>'
    links = link("a", '<box size="1 1 1"/>', "0 0 1") + link("b", '<cylinder radius="0.5" length="2"/>')
    urdf = tmp_path / "two.urdf"
    urdf.write_text(f'<robot name="two">{links}{joint}</robot>')
    model = sd.load(urdf)
    np.testing.assert_allclose(sd.distance(model, model.neutral_state(), "a", "b").gap, 2.0, rtol=1e-14)
    mjcf = tmp_path / "two.xml"
    mjcf.write_text(
        '<mujoco><worldbody><body name="a"><freejoint/><geom type="capsule" size="0.1 0.5"/><body name="b" pos="2 0 0">'
        '<joint axis="1 0 0"/><geom type="ellipsoid" size="0.3 0.2 0.1"/></body></body></worldbody></mujoco>'
    )
    pair_model = sd.load(mjcf)
    assert [look.shape.kind for body in pair_model.bodies for look in body.collisions] == ["capsule", "sphere"]
    near = sd.distance(pair_model, pair_model.neutral_state(), "a", "b")
    np.testing.assert_allclose(near.gap, 1.6, rtol=1e-12)
