"""Triangle meshes: signed distances of points and shapes, against brute force, coal and trimesh; bad meshes by name."""

import numpy as np
import pytest
import trimesh

import spacedyn as sd
from spacedyn.contact.convex import Convex
from spacedyn.contact.shape_table import make_table, shape_table
from spacedyn.contact.surface_distances import pair_rows
from spacedyn.kernels.geometry import cores as k
from spacedyn.model.shapes import box, cylinder, sphere

CUBE = trimesh.creation.box((2, 2, 2))


def rock(seed=0, detail=2):
    """A bumpy, closed mesh, not convex."""
    ball = trimesh.creation.icosphere(subdivisions=detail)
    bumps = 1.0 + 0.15 * np.random.default_rng(seed).normal(size=(len(ball.vertices), 1))
    return trimesh.Trimesh(ball.vertices * (3, 2, 1) * bumps, ball.faces, process=False)


def test_signed_distances_of_points_are_those_of_all_triangles():
    mesh = rock()
    surface = sd.TriangleMesh(mesh.vertices, mesh.faces)
    points = np.random.default_rng(1).normal(size=(400, 3)) * (3, 2, 1)
    gap, normal = surface.gap(points), surface.normals(points)
    nearest, distance, _ = trimesh.proximity.closest_point_naive(mesh, points)
    np.testing.assert_allclose(np.abs(gap), distance, atol=1e-14)
    np.testing.assert_allclose(points - gap[:, None] * normal, nearest, atol=1e-13)
    solid_angle = [inside_by_solid_angle(mesh, point) for point in points]
    assert (gap < 0).tolist() == solid_angle and 50 < sum(solid_angle) < 350


def inside_by_solid_angle(mesh, point):
    """Whether the triangles cover all directions of a point (van Oosterom & Strackee 1983)."""
    a, b, c = np.moveaxis(mesh.triangles - point, 1, 0)
    x, y, z = (np.linalg.norm(v, axis=1) for v in (a, b, c))
    dot = lambda u, v: np.sum(u * v, axis=1)  # noqa: E731
    below = x * y * z + dot(a, b) * z + dot(b, c) * x + dot(c, a) * y
    return bool(np.sum(np.arctan2(dot(a, np.cross(b, c)), below)) > np.pi)  # half the solid angle: 0 or 2 pi


def test_the_sign_is_right_beyond_corners_and_edges():
    surface = sd.TriangleMesh(CUBE.vertices, CUBE.faces, position=(5, 0, 0))
    away = np.array([[2, 2, 2], [2, 2, 0], [0, 0, 3], [-2, -2, -2], [0, -1.5, 0.3], [0.9, 0.9, 0.9], [0, 0, 0.0]])
    outside = np.maximum(np.abs(away) - 1, 0)
    expected = np.where((outside > 0).any(axis=1), np.linalg.norm(outside, axis=1), np.abs(away).max(axis=1) - 1)
    np.testing.assert_allclose(surface.gap(away + np.array([5, 0, 0])), expected, atol=1e-15)
    turned = sd.TriangleMesh(CUBE.vertices, CUBE.faces, rotation=sd.Rotation.from_rotvec([0, 0, np.pi / 4]))
    np.testing.assert_allclose(turned.gap([3, 0, 0]), 3 - 2**0.5, atol=1e-15)


def body(shape):
    builder = sd.Builder("lander")
    builder.base("lander", mass=1.0, inertia=(1, 1.2, 1.3), collisions=[sd.Visual("", shape)])
    return builder.build()


@pytest.mark.parametrize("shape", [box(0, (1, 0.5, 0.3)), cylinder(0, 0.3, 1.0), sphere(0, 0.4)], ids=lambda s: s.kind)
def test_shapes_are_as_far_from_a_mesh_as_from_its_nearest_triangle(shape):
    mesh, model = rock(3, 1), body(shape)
    surface, rng = sd.TriangleMesh(mesh.vertices, mesh.faces), np.random.default_rng(4)
    corners, compared = mesh.vertices[mesh.faces], 0
    states = model.state(
        base_position=rng.normal(size=(40, 3)) * (3, 3, 3), base_attitude=sd.Rotation.random(40, random_state=rng)
    )
    near = sd.distance(model, states, "lander", surface, deep="-inf")
    for i in range(40):
        if near.gap[i] == -np.inf or (shape.kind == "sphere" and near.gap[i] < -0.4):
            continue
        compared += 1
        triangles = [Convex("", k.HULL, (0.0,) * 4, 0.0, np.zeros(3), np.eye(3), points) for points in corners]
        own = shape_table(model, 0.0).shapes[0]
        table = make_table([own, *triangles], np.array([0] + [1] * len(triangles)))
        poses = np.zeros((1, 2, 12))
        poses[0, :, 3:] = np.eye(3).reshape(9)
        poses[0, 0, :3], poses[0, 0, 3:] = states.base_position[i], states.base_attitude[i].as_matrix().reshape(9)
        rows = pair_rows(table, np.array([(0, j + 1) for j in range(len(triangles))]), poses)[0]
        best = rows[np.argmin(rows[:, 0])]
        np.testing.assert_allclose(near.gap[i], best[0], atol=1e-12)
        np.testing.assert_allclose(near.normal[i], best[1:4], atol=1e-9)
        np.testing.assert_allclose([near.point_a[i], near.point_b[i]], best[4:10].reshape(2, 3), atol=1e-9)
    assert compared > 20


def test_a_ball_is_signed_at_any_depth_and_a_box_inside_is_too_deep():
    surface = sd.TriangleMesh(CUBE.vertices, CUBE.faces)
    ball, crate = body(sphere(0, 0.25)), body(box(0, (0.2, 0.2, 0.2)))
    sunk = sd.distance(ball, ball.state(base_position=[0, 0, 0.7]), "lander", surface)
    np.testing.assert_allclose([sunk.gap, *sunk.normal], [-0.55, 0, 0, -1], atol=1e-14)
    np.testing.assert_allclose(sunk.point_a, [0, 0, 0.45], atol=1e-14)
    with pytest.raises(sd.InputError, match="'box' of body 'lander' and the surface overlap"):
        sd.distance(crate, crate.state(base_position=[0, 0, 0.5]), "lander", surface)
    with pytest.raises(sd.InputError, match="overlap"):
        sd.distance(crate, crate.state(base_position=[0, 0, 1.0]), "lander", surface)


def test_contacts_of_a_box_that_stands_on_a_mesh():
    surface = sd.TriangleMesh(CUBE.vertices, CUBE.faces)
    crate = body(box(0, (0.5, 0.5, 0.5)))
    found = sd.contacts(crate, crate.state(base_position=[0.1, 0.2, 1.26]), surfaces=surface, within=0.02)
    assert found.b[0] == "mesh" and len(found) == 4
    np.testing.assert_allclose(found.gap, 0.01, atol=1e-12)


def test_files_are_read_and_scaled(tmp_path):
    file = tmp_path / "cube.stl"
    CUBE.export(file)
    surface = sd.TriangleMesh.from_file(file, scale=1000.0, position=(0, 0, -1000))
    assert surface.is_closed and abs(surface.volume / 8e9 - 1) < 1e-12
    np.testing.assert_allclose(surface.gap([0, 0, 2.5]), 2.5, atol=1e-9)
    mirrored = sd.TriangleMesh.from_file(file, scale=(1, 1, -1))
    assert mirrored.volume > 0


@pytest.mark.parametrize(
    ("vertices", "faces", "words"),
    [
        (CUBE.vertices, CUBE.faces[:, ::-1], "inside out"),
        (CUBE.vertices, [[0, 1, 8]], "numbers of its 8 vertices"),
        (CUBE.vertices, [[0, 1]], "whole numbers"),
        (CUBE.vertices, "faces", "numbers of corners"),
        ([[0, 0, np.nan]] * 3, [[0, 1, 2]], "finite"),
        ([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1, 2]], "no triangle of it has an area"),
        ([[0, 0]], [[0, 1, 2]], "points"),
    ],
)
def test_bad_meshes_are_refused_by_name(vertices, faces, words):
    with pytest.raises(sd.InputError, match=words):
        sd.TriangleMesh(vertices, faces)


def test_triangles_without_area_are_left_out_with_a_warning():
    faces = np.vstack([CUBE.faces, [[0, 0, 1]]])
    with pytest.warns(sd.ModelWarning, match="1 triangles without area"):
        surface = sd.TriangleMesh(CUBE.vertices, faces)
    assert surface.is_closed and len(surface.faces) == 12
