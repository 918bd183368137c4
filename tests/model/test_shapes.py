"""Mass, centre of mass and inertia of shapes, each by a second route: cutting, stacking, and moving as one piece."""

import pickle

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from spacedyn.errors import InputError
from spacedyn.model.shapes import SHAPE_KINDS, box, capsule, combine, cone, cylinder, point, rod, sphere, tube

ALL = [
    box(3.0, (0.4, 0.7, 1.1)),
    cylinder(2.0, 0.3, 0.9),
    capsule(2.2, 0.3, 0.7),
    tube(1.5, 0.4, 0.25, 0.8),
    sphere(4.0, 0.6),
    cone(2.5, 0.5, 1.2),
    rod(0.7, 1.6),
    point(0.9),
]
TURN = Rotation.from_rotvec([0.4, -1.1, 0.7])


def about(where, shape):
    """Inertia about any point, by the parallel-axis theorem written out in components."""
    x, y, z = shape.com - where
    steiner = [[y * y + z * z, -x * y, -x * z], [-x * y, x * x + z * z, -y * z], [-x * z, -y * z, x * x + y * y]]
    return shape.inertia + shape.mass * np.array(steiner)


def test_every_kind_is_tried():
    assert {shape.kind for shape in ALL} == set(SHAPE_KINDS)


def test_a_box_is_the_sum_of_its_pieces():
    x, y, z = 0.4, 0.7, 1.1
    cut = [
        box(3.0 / 8, (x / 2, y / 2, z / 2), (sx * x / 4, sy * y / 4, sz * z / 4))
        for sx in (-1, 1)
        for sy in (-1, 1)
        for sz in (-1, 1)
    ]
    mass, com, inertia = combine(cut)
    whole = box(3.0, (x, y, z))
    assert mass == pytest.approx(3.0)
    np.testing.assert_allclose(com, 0.0, atol=1e-15)
    np.testing.assert_allclose(inertia, whole.inertia, atol=1e-14)


def test_a_cylinder_is_a_tube_around_a_core():
    outer, inner, length, density = 0.4, 0.25, 0.8, 1000.0
    shell = tube(density * np.pi * (outer**2 - inner**2) * length, outer, inner, length)
    core = cylinder(density * np.pi * inner**2 * length, inner, length)
    mass, _, inertia = combine([shell, core])
    np.testing.assert_allclose(inertia, cylinder(mass, outer, length).inertia, rtol=1e-13, atol=1e-12)


@pytest.mark.parametrize(
    ("whole", "radius", "start", "end"),
    [
        (cone(2.5, 0.5, 1.2), lambda z: 0.5 * (1 - z / 1.2), 0.0, 1.2),
        (sphere(4.0, 0.6), lambda z: np.sqrt(0.36 - z**2), -0.6, 0.6),
        (cylinder(2.0, 0.3, 0.9), lambda z: 0.3, -0.45, 0.45),
    ],
)
def test_a_round_solid_is_a_stack_of_discs(whole, radius, start, end):
    nodes, weights = np.polynomial.legendre.leggauss(8)  # exact: the integrands are polynomials of low degree
    z = start + (end - start) * (nodes + 1) / 2
    area = np.array([radius(height) ** 2 for height in z])
    masses = whole.mass * weights * area / (weights @ area)
    discs = [cylinder(m, radius(height), 0.0, (0, 0, height)) for m, height in zip(masses, z, strict=True)]
    mass, com, inertia = combine(discs)
    assert mass == pytest.approx(whole.mass)
    np.testing.assert_allclose(com, whole.com, atol=1e-14)
    np.testing.assert_allclose(inertia, whole.inertia, atol=1e-13)


def test_a_capsule_is_a_cylinder_and_two_half_balls():
    radius, length, density = 0.3, 0.7, 500.0
    barrel = cylinder(density * np.pi * radius**2 * length, radius, length)
    nodes, weights = np.polynomial.legendre.leggauss(8)  # exact: polynomials
    z = 0.5 * radius * (nodes + 1)
    slices = [
        cylinder(density * np.pi * (radius**2 - h**2) * w * radius / 2, (radius**2 - h**2) ** 0.5, 0.0, (0, 0, side))
        for h, w in zip(z, weights, strict=True)
        for side in (h + length / 2, -h - length / 2)
    ]
    mass, com, inertia = combine([barrel, *slices])
    np.testing.assert_allclose(com, 0.0, atol=1e-14)
    np.testing.assert_allclose(inertia, capsule(mass, radius, length).inertia, rtol=1e-13, atol=1e-12)


def test_a_thin_cylinder_tends_to_a_rod_and_a_small_sphere_to_a_point():
    np.testing.assert_allclose(cylinder(2.0, 1e-9, 3.0).inertia, rod(2.0, 3.0).inertia, atol=1e-15)
    np.testing.assert_allclose(sphere(2.0, 0.0).inertia, point(2.0).inertia)
    assert rod(2.0, 3.0).inertia[2, 2] == 0.0


@pytest.mark.parametrize("shape", ALL, ids=lambda shape: shape.kind)
def test_turning_a_shape_turns_its_inertia(shape):
    turned = shape.at((1.0, 2.0, 3.0), TURN)
    R = TURN.as_matrix()
    np.testing.assert_allclose(turned.inertia, R @ shape.inertia @ R.T, atol=1e-14)
    np.testing.assert_allclose(turned.com, R @ shape.com + [1.0, 2.0, 3.0], atol=1e-15)
    assert np.array_equal(turned.inertia, turned.inertia.T)


@pytest.mark.parametrize("shape", ALL, ids=lambda shape: shape.kind)
def test_moments_obey_the_triangle_inequality(shape):
    a, b, c = np.linalg.eigvalsh(shape.inertia)
    assert a >= 0 and a + b >= c * (1 - 1e-14)


def test_combining_agrees_with_moments_about_another_point():
    parts = [shape.at((0.3 * i, -0.1 * i, 0.2), TURN**i) for i, shape in enumerate(ALL)]
    mass, com, inertia = combine(parts)
    where = np.array([0.5, -2.0, 1.0])
    assert mass == pytest.approx(sum(part.mass for part in parts))
    np.testing.assert_allclose(mass * com, sum(part.mass * part.com for part in parts), atol=1e-14)
    arm = where - com
    whole = inertia + mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    np.testing.assert_allclose(whole, sum(about(where, part) for part in parts), rtol=1e-13)


def test_at_places_and_moved_carries_along():
    placed = cone(1.0, 0.2, 0.6, (1, 0, 0), TURN)
    again = placed.at((0, 1, 0))
    np.testing.assert_array_equal(again.position, [0, 1, 0])
    np.testing.assert_array_equal(again.rotation, np.eye(3))
    R = TURN.as_matrix()
    carried = placed.moved(np.array([0, 0, 2.0]), R)
    np.testing.assert_allclose(carried.com, R @ placed.com + [0, 0, 2], atol=1e-15)
    np.testing.assert_allclose(carried.inertia, R @ placed.inertia @ R.T, atol=1e-15)


def test_shapes_without_mass_or_none_at_all_weigh_nothing():
    for shapes in ([], [box(0.0, (1, 1, 1), (5, 5, 5))]):
        mass, com, inertia = combine(shapes)
        assert mass == 0.0 and not com.any() and not inertia.any()


def test_a_shape_is_frozen_and_survives_a_pickle():
    shape = tube(1.5, 0.4, 0.25, 0.8, (1, 2, 3), TURN)
    with pytest.raises(AttributeError):
        shape.mass = 2.0
    with pytest.raises(ValueError, match="read-only"):
        shape.position[0] = 0.0
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(shape)).inertia, shape.inertia)
    assert str(shape) == "tube (radius 0.4 m, inner_radius 0.25 m, length 0.8 m, 1.5 kg) at (1, 2, 3)"


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        (box(-1, (1, 1, 1)), "box: mass is -1 kg; give 0 or more"),
        (box(np.nan, (1, 1, 1)), "box: mass is NaN"),
        (box("5", (1, 1, 1)), "box: mass is text"),
        (box(1, (1, 1)), "box: size (x, y, z) has shape (2,); give 3 real numbers"),
        (box(1, 2.0), "has shape (); give 3 real numbers"),
        (box(1, (1, -1, 1)), "box: size (x, y, z) is (1, -1, 1) m; give 0 or more"),
        (sphere(1, None), "sphere: size (radius)"),
        (cylinder(1, 1, np.inf), "cylinder: size (radius, length) holds an infinity"),
        (cylinder(1, [1, 2], 3), "cylinder: size (radius, length) does not make an array"),
        (tube(1, 0.1, 0.2, 1), "the inner radius must not exceed the outer one: swap them"),
        (cone(1, 1, 1, rotation=np.diag([1, 1, -1])), "cone: rotation is left-handed"),
        (rod(1, 1, position=(0, 0)), "rod: position has shape (2,); give 3 real numbers"),
        (rod(1, 1j), "rod: size (length) is complex"),
    ],
)
def test_an_unusable_shape_says_so_when_it_is_used(shape, words):
    assert len(shape.problems) == 1
    assert words in shape.problems[0]
    with pytest.raises(InputError):
        _ = shape.inertia
    with pytest.raises(InputError):
        _ = shape.com
    with pytest.raises(InputError):
        combine([shape])
    assert shape.at((0, 0, 1)).problems or "rotation" in words or "position" in words  # at() mends a pose, nothing else
    assert "unusable" in str(shape)


def test_an_unusable_shape_lists_all_that_is_wrong():
    assert len(box(-1, (1, -1, 1), (0, np.nan, 0), np.eye(2)).problems) == 4
