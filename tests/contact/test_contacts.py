"""Points of contact: faces on faces, edges, neighbours, surfaces; and which pairs are looked at."""

import itertools

import numpy as np
import pytest

import spacedyn as sd
from spacedyn.contact.contacts import near_pairs
from spacedyn.contact.convex import Convex
from spacedyn.contact.distances import body_poses
from spacedyn.contact.shape_table import make_table, shape_table
from spacedyn.kernels.geometry import cores as k
from spacedyn.model.shapes import box, cone, cylinder, sphere

UP = (0, 0, 1)


def loose(**shapes):
    """Bodies that float beside a base without shapes."""
    builder = sd.Builder("loose", base="fixed")
    builder.base("world", mass=1.0, inertia=(1, 1.2, 1.3))
    for name, shape in shapes.items():
        look = [sd.Visual("", shape)]
        builder.link(name, "free", parent="world", mass=1.0, inertia=(1, 1.2, 1.3), collisions=look)
    return builder.build()


def at(model, **places):
    """A state with bodies at positions, turned by rotations."""
    q = {}
    for name, place in places.items():
        where, turn = place if isinstance(place[1], sd.Rotation) else (place, sd.Rotation.identity())
        q[name] = [*where, *turn.as_quat()]
    return model.state(q=q)


TURNED = sd.Rotation.from_rotvec([0, 0, np.pi / 4])
LYING = sd.Rotation.from_rotvec([0, np.pi / 2, 0])


# -- points of two shapes ---------------------------------------------------------------------------------------------


def test_a_box_on_a_box_has_four_corners_of_what_is_common():
    model = loose(low=box(0, (2, 2, 1)), high=box(0, (1, 1, 1)))
    found = sd.contacts(model, at(model, low=(0, 0, 0), high=(0.8, 0.1, 1.001)), within=0.01)
    assert set(found.a) == {"low"} and set(found.b) == {"high"} and len(found) == 4
    np.testing.assert_allclose(found.gap, 0.001, atol=1e-12)
    np.testing.assert_allclose(found.normal, np.tile(UP, (4, 1)), atol=1e-12)
    corners = {tuple(point) for point in found.point_a.round(9)}
    assert corners == {(0.3, -0.4, 0.5), (1.0, -0.4, 0.5), (1.0, 0.6, 0.5), (0.3, 0.6, 0.5)}
    np.testing.assert_allclose(found.point_b, found.point_a + np.array([0, 0, 0.001]), atol=1e-12)


def test_a_turned_box_on_a_box_keeps_four_points_of_the_octagon():
    model = loose(low=box(0, (1, 1, 1)), high=box(0, (1, 1, 1)))
    found = sd.contacts(model, at(model, low=(0, 0, 0), high=((0, 0, 1.0), TURNED)), within=0.01, rounding=1e-3)
    assert len(found) == 4
    np.testing.assert_allclose(found.gap, 0.0, atol=1e-12)
    flat = found.point_a[:, :2]
    assert (np.abs(flat) < 0.4995).all() and (np.abs(flat).sum(axis=1) < 0.7072).all()  # in both squares
    hull = np.array(sorted(flat.tolist(), key=lambda p: np.arctan2(p[1], p[0])))
    area = 0.5 * abs(np.sum(hull[:, 0] * np.roll(hull[:, 1], -1) - hull[:, 1] * np.roll(hull[:, 0], -1)))
    assert area > 0.55  # of the octagon's 0.83


def test_a_tilted_box_has_gaps_that_grow_along_its_face():
    model, tilt = loose(low=box(0, (4, 4, 1)), high=box(0, (1, 1, 1))), 0.01
    lean = sd.Rotation.from_rotvec([0, tilt, 0])
    found = sd.contacts(model, at(model, low=(0, 0, 0), high=((0, 0, 1.02), lean)), within=1.0)
    assert len(found) == 4
    lowest = 1.02 - 0.5 * (np.sin(tilt) + np.cos(tilt)) - 0.5
    np.testing.assert_allclose(np.sort(found.gap), lowest + np.array([0, 0, 1, 1]) * np.sin(tilt), atol=1e-5)
    np.testing.assert_allclose(found.gap.min(), lowest, atol=1e-12)
    nearest = sd.distance(model, at(model, low=(0, 0, 0), high=((0, 0, 1.02), lean)), "low", "high")
    np.testing.assert_allclose(found.gap.min(), nearest.gap, atol=1e-12)
    steep = at(model, low=(0, 0, 0), high=((0, 0, 1.3), sd.Rotation.from_rotvec([0, 0.3, 0])))
    assert len(sd.contacts(model, steep, within=1.0)) == 2  # an edge


@pytest.mark.parametrize(
    ("shape", "turn", "height", "count"),
    [
        (cylinder(0, 0.4, 1.0), sd.Rotation.identity(), 1.0, 4),
        (cylinder(0, 0.4, 1.0), LYING, 0.9, 2),
        (cone(0, 0.4, 1.0), sd.Rotation.identity(), 0.5, 4),
        (sphere(0, 0.4), sd.Rotation.identity(), 0.9, 1),
        (box(0, (1, 1, 1)), sd.Rotation.from_rotvec([np.pi / 4, 0, 0]), 0.5 + 0.5**0.5, 2),
        (cylinder(0, 0.4, 0.0), sd.Rotation.identity(), 0.5, 4),
    ],
)
def test_round_faces_and_edges_on_a_face(shape, turn, height, count):
    model = loose(low=box(0, (4, 4, 1)), high=shape)
    state = at(model, low=(0, 0, 0), high=((0.3, 0.2, height + 0.002), turn))
    found = sd.contacts(model, state, within=0.01)
    assert len(found) == count
    np.testing.assert_allclose(found.gap, 0.002, atol=1e-12)
    np.testing.assert_allclose(found.point_b[:, 2], 0.502, atol=1e-12)


def test_an_edge_along_an_edge_and_one_across():
    model = loose(a=box(0, (1, 1, 1)), b=box(0, (2, 1, 1)))
    on_edge = sd.Rotation.from_rotvec([np.pi / 4, 0, 0])
    apart = 2 * 0.5**0.5 + 0.001
    found = sd.contacts(model, at(model, a=((0, 0, 0), on_edge), b=((0.7, 0, apart), on_edge)), within=0.01)
    np.testing.assert_allclose(np.sort(found.point_a[:, 0]), [-0.3, 0.5], atol=1e-9)
    across = sd.Rotation.from_rotvec([0, 0, np.pi / 2]) * on_edge
    crossing = sd.contacts(model, at(model, a=((0, 0, 0), on_edge), b=((0.1, 0.2, apart), across)), within=0.01)
    assert len(crossing) == 1
    np.testing.assert_allclose(crossing.point_a[0], [0.1, 0, 0.5**0.5], atol=1e-9)


# -- which pairs ------------------------------------------------------------------------------------------------------


def arm(count=4, length=0.9):
    builder = sd.Builder("arm", base="fixed")
    builder.base("base", mass=1.0, inertia=(1, 1.2, 1.3), collisions=[sd.Visual("", sphere(0, 0.3))])
    for i in range(count):
        builder.link(
            f"link{i}", "revolute", parent=f"link{i - 1}" if i else "base", axis=(0, 0, 1), position=(1, 0, 0),
            mass=1.0, inertia=(1, 1.2, 1.3), collisions=[] if i == 1 else [sd.Visual("", sphere(0, 0.55))],
        )  # fmt: skip
    return builder.build()


def test_neighbours_are_left_out_across_bodies_without_shapes_too():
    model = arm()
    state = model.state(q=[0.0, 0.0, 0.0, 0.0])  # spheres at 1, 3, 4; link1 has none
    assert len(sd.contacts(model, state, within=0.5)) == 0
    every = sd.contacts(model, state, within=1.1, neighbors=True)
    names = {"base link0", "link0 link2", "link2 link3"}
    assert {f"{a} {b}" for a, b in zip(every.a, every.b, strict=True)} == names
    np.testing.assert_allclose(every.between("link3", "link2").gap, [-0.1], atol=1e-12)
    folded = model.state(q=[0.0, 0.0, np.pi, 0.0])  # link3 over link0
    assert set(sd.contacts(model, folded).a + sd.contacts(model, folded).b) == {"link0", "link3"}
    asked = sd.contacts(model, state, within=1.0, pairs=[("link2", "link3"), ("base", "link3")])
    assert asked.a == ("link2",) and asked.b == ("link3",)


def test_a_batch_has_the_contacts_of_each_of_its_states():
    model = arm()
    q = np.random.default_rng(0).uniform(-np.pi, np.pi, (6, 4))
    found = sd.contacts(model, model.state(q=q.reshape(2, 3, 4)), within=0.2)
    assert len(found) > 2
    for i in range(6):
        alone, mine = sd.contacts(model, model.state(q=q[i]), within=0.2), found.of_state(i)
        assert (alone.a, alone.b) == (mine.a, mine.b)
        np.testing.assert_array_equal(alone.gap, mine.gap)


def spheres(rng, count, density, sizes=(0.5, 0.5)):
    """A table of spheres at random places, each a body."""
    edge = (count / density) ** (1 / 3)
    shapes = [Convex("ball", k.POINT, (0.0,) * 4, rng.uniform(*sizes), np.zeros(3), np.eye(3)) for _ in range(count)]
    poses = np.zeros((1, count, 12))
    poses[0, :, :3], poses[0, :, 3:] = rng.uniform(-edge, edge, (count, 3)), np.eye(3).reshape(9)
    return make_table(shapes, np.arange(count)), poses


@pytest.mark.parametrize("sizes", [(0.5, 0.5), (0.05, 1.5), (0.1, 0.1)])
def test_no_pair_is_overlooked(sizes):
    rng = np.random.default_rng(1)
    table, poses = spheres(rng, 150, 0.5, sizes)
    table = make_table([*table.shapes[:-1], Convex("wall", k.BOX, (9.0, 0.1, 9.0, 0.0), 0.0, np.zeros(3), np.eye(3))],
                       table.owner)  # fmt: skip
    before = np.full(151, -1)
    before[40] = 41  # neighbours
    found = {tuple(pair) for pair in near_pairs(table, before, poses, 0, 0.1).tolist()}
    reach = np.array([(1.0, 1.0, 1.0) if s.kind == k.BOX else (s.radius,) * 3 for s in table.shapes])
    reach[-1] = 9.0, 0.1, 9.0
    places = poses[0, :, :3]
    for i, j in itertools.combinations(range(150), 2):
        touch = (np.abs(places[i] - places[j]) <= reach[i] + reach[j] + 0.1).all()
        assert ((i, j) in found) == (touch and (i, j) != (40, 41))


def test_a_thousand_spheres_are_looked_at_in_their_own_number():
    rng, pairs = np.random.default_rng(2), []
    for count in (1000, 8000):
        table, poses = spheres(rng, count, 2.0)
        pairs.append(len(near_pairs(table, np.full(count + 1, -1), poses, 0, 0.0)) / count)
    assert 0.3 < pairs[0] < 2.0 and abs(pairs[1] / pairs[0] - 1.0) < 0.25  # partners of each do not grow


# -- surfaces ---------------------------------------------------------------------------------------------------------


def test_every_shape_over_a_plane_at_any_depth():
    slope = sd.Plane(position=(0, 0, 1), normal=(0, -1, 1))
    model = loose(ball=sphere(0, 0.5), crate=box(0, (1, 1, 1)), can=cylinder(0, 0.5, 2.0), tent=cone(0, 1, 1))
    for height in (-5.0, 3.0):
        state = at(model, **{name: (0, 0, height) for name in ("ball", "crate", "can", "tent")})
        lift = (height - 1.0) * 0.5**0.5
        for name, reach in {"ball": 0.5, "crate": 0.5**0.5, "can": 1.5 * 0.5**0.5, "tent": 0.5**0.5}.items():
            near = sd.distance(model, state, name, slope)
            np.testing.assert_allclose(near.gap, lift - reach, atol=1e-14)
            np.testing.assert_allclose(near.normal, [0, 0.5**0.5, -(0.5**0.5)], atol=1e-15)
            np.testing.assert_allclose(near.point_b - near.point_a, near.gap * near.normal, atol=1e-14)


def test_a_box_and_a_can_stand_on_a_plane_on_up_to_four_points():
    model = loose(crate=box(0, (2, 1, 1)), can=cylinder(0, 0.5, 1.0))
    standing = at(model, crate=(0, 0, 0.5), can=(5, 0, 0.499))
    found = sd.contacts(model, standing, surfaces={"floor": sd.Plane()})
    assert found.b == ("floor",) * 8 and found.a == ("crate",) * 4 + ("can",) * 4
    np.testing.assert_allclose(found.gap, [0] * 4 + [-0.001] * 4, atol=1e-15)
    assert {tuple(p) for p in found.point_a[:4, :2]} == {(1, 0.5), (1, -0.5), (-1, 0.5), (-1, -0.5)}
    tilted = at(model, crate=(0, 0, 5.0), can=((5, 0, 0.51), sd.Rotation.from_rotvec([0, 0.02, 0])))
    leaning = sd.contacts(model, tilted, surfaces=sd.Plane(), within=0.02)
    np.testing.assert_allclose(leaning.gap[0], 0.51 - 0.5 * np.sin(0.02) - 0.5 * np.cos(0.02), atol=1e-14)
    assert leaning.b[0] == "plane" and 2 <= len(leaning) <= 4
    lying = sd.contacts(model, at(model, crate=(0, 0, 5), can=((5, 0, 0.5), LYING)), surfaces=sd.Plane(), within=1e-9)
    np.testing.assert_allclose(np.sort(lying.point_a[:, 0]), [4.5, 5.5], atol=1e-12)


def test_a_fixed_base_is_not_held_against_the_ground():
    builder = sd.Builder("post", base="fixed")
    builder.base("post", shapes=[box(10.0, (1, 1, 4))])
    builder.link("lamp", "revolute", parent="post", position=(0, 0, 2), shapes=[sphere(1.0, 0.1)])
    model = builder.build()
    assert len(sd.contacts(model, model.neutral_state(), surfaces=sd.Plane())) == 0


def test_a_face_on_a_round_asteroid_touches_inside_the_face():
    egg = sd.EllipsoidSurface((300.0, 150.0, 100.0), position=(10, 0, 0))
    model = loose(lander=box(0, (2, 2, 1)), foot=sphere(0, 0.1))
    state = at(model, lander=(10, 0, 100.6), foot=(10, 0, 100.05))
    near = sd.distance(model, state, "lander", egg)
    np.testing.assert_allclose(near.gap, 0.1, atol=1e-11)
    np.testing.assert_allclose(near.point_b, [10, 0, 100], atol=1e-6)
    np.testing.assert_allclose(sd.distance(model, state, "foot", egg).gap, -0.05, atol=1e-11)
    ball = sd.SphereSurface(100.0, position=(10, 0, 0))
    np.testing.assert_allclose(sd.distance(model, state, "lander", ball).gap, 0.1, atol=1e-12)


def test_vertices_over_a_height_field_and_the_lowest_point_of_what_is_round():
    ground = sd.HeightField.of(lambda x, y: 0.1 * x, size=(20, 20), spacing=0.5)
    cosine = 1 / np.hypot(1, 0.1)
    model = loose(crate=box(0, (1, 1, 1)), can=cylinder(0, 0.5, 1.0))
    state = at(model, crate=(1, 0, 2), can=((1, 0, 2), LYING))
    near = sd.distance(model, state, "crate", ground)
    np.testing.assert_allclose(near.gap, (2 - 0.5 - 0.15) * cosine, rtol=1e-9)
    round_one = sd.distance(model, state, "can", ground)
    np.testing.assert_allclose(round_one.gap, (2 - 0.5 - 0.15) * cosine, rtol=1e-9)
    np.testing.assert_allclose(round_one.normal, [0.1 * cosine, 0, -cosine], atol=1e-9)
    low = at(model, crate=(0, 0, 0.55), can=(0, 0, 9))
    assert len(sd.contacts(model, low, surfaces=ground, within=0.02)) == 2  # two of four corners


def test_a_hollow_sphere_holds_corners_and_refuses_what_is_round_and_no_ball():
    dome = sd.SphereSurface(3.0, hollow=True)
    model = loose(crate=box(0, (1, 1, 1)), can=cylinder(0, 0.5, 1.0))
    state = at(model, crate=(1.5, 0, 0), can=(0, 0, 0))
    np.testing.assert_allclose(sd.distance(model, state, "crate", dome).gap, 3 - 4.5**0.5, rtol=1e-14)
    with pytest.raises(sd.InputError, match="'cylinder' is round"):
        sd.distance(model, state, "can", dome)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m, s: sd.contacts(m, s, pairs=[("a", "z")]), "no body named 'z'"),
        (lambda m, s: sd.contacts(m, s, pairs=[("a", "a")]), "one body twice"),
        (lambda m, s: sd.contacts(m, s, pairs=["a"]), "expected pairs of bodies"),
        (lambda m, s: sd.contacts(m, s, pairs=5), "expected pairs of bodies"),
        (lambda m, s: sd.contacts(m, s, surfaces=["floor"]), "expected surfaces such as Plane"),
        (lambda m, s: sd.contacts(m, s, surfaces=3), "expected surfaces such as Plane"),
        (lambda m, s: sd.contacts(m, s, within="1"), "within must be a length"),
        (lambda m, s: sd.contacts(m, s, deep=None), "deep must be"),
        (lambda m, s: sd.contacts(m, s, deep=np.array(["error", "-inf"])), "deep must be"),
        (lambda m, s: sd.contacts(m, s, neighbors=np.ma.masked), "neighbors: expected True or False"),
        (lambda m, s: sd.contacts(m, s), "'sphere' of body 'a' and 'box' of body 'b' overlap"),
    ],
)
def test_bad_calls_of_contacts_are_refused_by_name(call, words):
    model = loose(a=sphere(0, 0.1), b=box(0, (1, 1, 1)))
    with pytest.raises(sd.SpacedynError, match=words):
        call(model, model.neutral_state())


def test_overlaps_can_be_listed_instead():
    model = loose(a=sphere(0, 0.1), b=box(0, (1, 1, 1)), c=sphere(0, 0.6))
    found = sd.contacts(model, at(model, a=(0, 0, 0), b=(0, 0, 0), c=(0, 0, 1)), deep="-inf")
    assert found.gap.tolist()[0] == -np.inf and found.b == ("b", "c") and np.isnan(found.point_a[0]).all()
    np.testing.assert_allclose(found.gap[1], -0.1, atol=1e-14)


def test_a_table_of_a_robot_is_made_once():
    model = arm()
    assert shape_table(model, 0.0) is shape_table(model, 0.0)
    assert body_poses(model, model.neutral_state()).shape == (1, 5, 12)
