"""Surfaces that points touch: gaps are distances, normals their gradients, by other routes; bad input by name."""

from dataclasses import fields

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.optimize import minimize

import spacedyn as sd
from spacedyn.contact.height_fields import read_surface
from spacedyn.kernels.geometry.surfaces import surface_gaps
from spacedyn.kernels.scalar.pack import ONE, PACK

pytestmark = pytest.mark.packs

TURN = sd.Rotation.from_euler("xyz", [0.3, -0.5, 0.8])
SEMI = np.array([3.0, 2.0, 1.0])


def ground(**options):
    return sd.RoughGround((8.0, 8.0), spacing=0.1, roughness=0.05, seed=3, **options)


def near_ground(field, rng, many=200):
    """Points above and below, within the reach of their nearest points."""
    x, y = rng.uniform(-3.5, 3.5, (2, many))
    depth = rng.uniform(-1.0, 1.0, many) * field.reach
    return np.column_stack([x, y, field.height(x, y) + depth]), depth


def surfaces():
    place = (0.3, -0.2, 0.1)
    return {
        "plane": sd.Plane((1.0, 2.0, -3.0), position=place),
        "straight plane": sd.Plane((0, 0, -2.0), position=place),
        "sphere": sd.SphereSurface(1.5, position=place),
        "hollow sphere": sd.SphereSurface(4.5, hollow=True, position=place),
        "ellipsoid": sd.EllipsoidSurface(SEMI, TURN, position=place),
        "ground": ground(rotation=TURN, position=place),
        "bilinear ground": ground(rotation=TURN, position=place, smooth=False),
    }


@pytest.mark.parametrize("name", surfaces())
def test_normals_are_gradients_of_gaps(name):
    surface, rng, h = surfaces()[name], np.random.default_rng(1), 1e-6
    points = rng.normal(size=(100, 3)) * 2.0
    if "ground" in name:
        points = near_ground(ground(), rng, 100)[0] @ TURN.as_matrix().T + surface.position
    if name == "ellipsoid":
        points = points[surface.gap(points) > -0.3]  # its least radius of curvature is 1/3
    slope = np.stack([surface.gap(points + h * e) - surface.gap(points - h * e) for e in np.eye(3)], -1) / (2 * h)
    size = np.linalg.norm(slope, axis=-1, keepdims=True)
    np.testing.assert_allclose(slope / size, surface.normals(points), atol=2e-9)
    if "bilinear" not in name:
        np.testing.assert_allclose(size, 1.0, atol=2e-9)


def test_the_nearest_point_of_an_ellipsoid_is_what_a_minimisation_finds():
    rng, surface = np.random.default_rng(2), sd.EllipsoidSurface(SEMI)

    def place(angles):
        a, b = angles
        return SEMI * [np.cos(a) * np.cos(b), np.sin(a) * np.cos(b), np.sin(b)]

    for p in rng.normal(size=(20, 3)) * 2.5:
        starts = [(a, b) for a in np.linspace(-np.pi, np.pi, 8) for b in (-1.0, 0.0, 1.0)]
        distance = min(np.sqrt(minimize(lambda q, p=p: ((place(q) - p) ** 2).sum(), s, tol=1e-15).fun) for s in starts)
        sign = np.sign(((p / SEMI) ** 2).sum() - 1.0)
        assert abs(surface.gap(p) - sign * distance) < 1e-7


def test_gaps_of_extreme_ellipsoids_and_places_are_distances():
    """On axes, at the centre, of discs and needles, far away: p - gap n is on the surface."""
    for semi in ((1.0, 1.0, 1.0), (100.0, 1.0, 0.01), (1e-3, 5.0, 5.0)):
        surface = sd.EllipsoidSurface(semi)
        far = np.vstack([np.eye(3) * 1e3, -np.eye(3) * np.array(semi) * 1.5, [[1e4, 1e4, 1e4]], np.eye(3) * semi])
        foot = far - surface.gap(far)[:, None] * surface.normals(far)
        np.testing.assert_allclose(((foot / semi) ** 2).sum(-1), 1.0, atol=1e-9)
        assert abs(surface.gap([0, 0, 0]) + min(semi)) < 1e-2 * min(semi)  # where nearest points are rings, roughly


@pytest.mark.parametrize("hollow", [False, True])
def test_at_a_spheres_centre_the_normal_is_its_z_axis(hollow):
    sphere = sd.SphereSurface(2.0, hollow=hollow)
    assert abs(sphere.gap([0, 0, 0])) == 2.0 and sphere.normals([0, 0, 0]).tolist() == [0, 0, 1]
    assert sphere.normals([[1e-140, 0, 0]]).tolist() == [[-1.0 if hollow else 1.0, 0, 0]]


def test_gaps_to_smooth_ground_are_distances_and_have_the_sign_of_the_height():
    field, rng = ground(), np.random.default_rng(3)
    points, _ = near_ground(field, rng)
    gap, n = field.gap(points), field.normals(points)
    foot = points - gap[:, None] * n
    assert np.abs(foot[:, 2] - field.height(foot[:, 0], foot[:, 1])).max() < 1e-13
    h = 1e-5
    slope = [
        (field.height(*(foot[:, :2] + h * e).T) - field.height(*(foot[:, :2] - h * e).T)) / (2 * h) for e in np.eye(2)
    ]
    normal = np.column_stack([-slope[0], -slope[1], np.ones(len(foot))])
    np.testing.assert_allclose(n, normal / np.linalg.norm(normal, axis=1)[:, None], atol=1e-9)
    far = points + [0, 0, 1] * rng.uniform(-30, 30, (len(points), 1))
    np.testing.assert_array_equal(np.sign(field.gap(far)), np.sign(far[:, 2] - field.height(far[:, 0], far[:, 1])))


def test_smooth_ground_is_the_natural_spline_through_its_heights():
    grid = np.random.default_rng(4).normal(size=(9, 7)) * 0.1
    field = sd.HeightField(grid, (0.5, 0.25), corner=(-1.0, 2.0))
    x, y = -1.0 + 0.5 * np.arange(9), 2.0 + 0.25 * np.arange(7)
    xs, ys = np.linspace(-1.0, 3.0, 33), np.linspace(2.0, 3.5, 29)
    spline = CubicSpline(y, CubicSpline(x, grid, bc_type="natural")(xs).T, bc_type="natural")(ys).T
    np.testing.assert_allclose(field.height(xs[:, None], ys[None, :]), spline, atol=1e-14)
    edge, slope = field.height(3.0, 2.6), (field.height(3.0, 2.6) - field.height(3.0 - 1e-6, 2.6)) / 1e-6
    assert abs(field.height(4.0, 2.6) - edge - slope) < 1e-6  # beyond the grid it goes on straight


def test_bilinear_ground_is_the_mean_of_its_neighbours():
    field = sd.HeightField([[0.0, 1.0], [2.0, 5.0]], 1.0, corner=(0, 0), smooth=False)
    assert field.gap([0.5, 0.5, 3.0]) == 1.0
    assert field.height(0.25, 0.0) == 0.5


@pytest.mark.parametrize("name", surfaces())
def test_packs_and_single_points_agree(name):
    surface, points = surfaces()[name], np.random.default_rng(5).normal(size=(21, 3)) * 2.0
    found = np.zeros((2, 21 * 4))
    for out, scalar in zip(found, (ONE, PACK), strict=True):
        surface_gaps(surface.code, surface.parameters, points.ravel(), 21, out, scalar)
    np.testing.assert_allclose(found[0], found[1], rtol=1e-13, atol=1e-13)


def test_ground_from_files_and_functions(tmp_path):
    values = np.arange(12.0).reshape(4, 3) ** 0.5
    np.save(tmp_path / "a.npy", values)
    np.savetxt(tmp_path / "a.txt", values.T)
    np.savetxt(tmp_path / "a.csv", values.T, delimiter=",")
    head = "ncols 4\nnrows 3\nxllcenter -1.5\nyllcenter -1\ncellsize 1\nNODATA_value -9999\n"
    (tmp_path / "a.asc").write_text(head + "\n".join(" ".join(map(repr, row.tolist())) for row in values.T[::-1]))
    for name in ("a.npy", "a.txt", "a.csv", "a.asc"):
        field = sd.HeightField.from_file(tmp_path / name, None if name == "a.asc" else 1.0)
        np.testing.assert_array_equal(field.grid, values)
        np.testing.assert_array_equal(field.first, [-1.5, -1.0])
    image = pytest.importorskip("PIL.Image")
    image.fromarray((values.T[::-1] * 1000).astype(np.uint16)).save(tmp_path / "a.png")
    image.fromarray(values.T[::-1].astype(np.float32)).save(tmp_path / "a.tif")
    np.testing.assert_allclose(sd.HeightField.from_file(tmp_path / "a.png", 1.0, 1e-3).grid, values, atol=1e-3)
    np.testing.assert_allclose(sd.HeightField.from_file(tmp_path / "a.tif", 1.0).grid, values, atol=1e-6)
    made = sd.HeightField.of(lambda x, y: x + 2 * y, size=(2.0, 1.0), spacing=0.1, smooth=False)
    assert abs(made.height(0.33, 0.21) - 0.75) < 1e-12


def test_rough_ground_is_the_same_for_a_seed_and_has_its_spectrum():
    one, two = ground(), ground()
    np.testing.assert_array_equal(one.grid, two.grid)
    assert abs(sd.RoughGround((8.0, 8.0), 0.1, 0.05, seed=4).grid - one.grid).max() > 0.01
    waves = np.abs(np.fft.fft2(one.grid))
    k = np.hypot(*np.meshgrid(np.fft.fftfreq(81, one.step[0]), np.fft.fftfreq(81, one.step[1]), indexing="ij"))
    assert waves[k > 1.0 / 0.8 + 1e-9].max() < 1e-10 and abs(one.grid.std() - 0.05) < 1e-15


def test_surfaces_come_back_from_the_tables_of_files():
    for surface in surfaces().values():
        table = {f.name: getattr(surface, f.name) for f in fields(surface)}
        again = read_surface("test", table)
        points = np.random.default_rng(6).normal(size=(10, 3))
        np.testing.assert_array_equal(again.gap(points), surface.gap(points))
    assert read_surface("test", {"normal": [0, 0, 2]}).kind == "plane"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sd.HeightField.of(3, (1, 1), 0.1), "must be a function of x and y, got 3"),
        (lambda: sd.HeightField.of(lambda x, y: x[:3, 0], (1, 1), 0.1), r"of x and y, \(11, 11\), got shape \(3,\)"),
        (lambda: sd.Plane((0, 0, 0)), "normal must be a direction"),
        (lambda: sd.Plane(kind="sphere"), "kind must be 'plane'"),
        (lambda: sd.SphereSurface(-1.0), "radius must be a positive length"),
        (lambda: sd.EllipsoidSurface((1, 2, 0)), "three positive lengths"),
        (lambda: sd.EllipsoidSurface((1, 2, 3), [0, 0, 1]), "say which"),
        (lambda: sd.HeightField([[0.0, np.nan], [1.0, 2.0]]), r"1 heights are not finite, the first at \[0, 1\]"),
        (lambda: sd.HeightField([0.0, 1.0]), "at least two each way"),
        (lambda: sd.HeightField(np.zeros((3, 3)), 0.0), "spacing must be a positive"),
        (lambda: sd.HeightField.from_file("nowhere.tif", 1.0), "no such file"),
        (lambda: sd.RoughGround((1, 1), 0.1, 0.1, shortest=0.1), "two spacings"),
        (lambda: sd.RoughGround((1e6, 1e6), 0.1, 0.1), "larger spacing"),
        (lambda: sd.Plane().gap([0, 0]), "places"),
        (lambda: read_surface("Contact: surface", {"kind": "plain"}), "no surface of Contact: surface"),
        (lambda: read_surface("Contact: surface", {"kind": "plane", "norm": 1}), "did you mean 'normal'"),
        (lambda: read_surface("Contact: surface", 3), "must be a surface"),
    ],
)
def test_bad_surfaces_are_refused_by_name(make, message):
    with pytest.raises(sd.SpacedynError, match=message):
        make()


def test_a_step_in_the_heights_is_warned_of():
    grid = np.zeros((5, 5))
    grid[3:] = 2.0
    with pytest.warns(sd.ModelWarning, match=r"a step of 87 degrees at \[2, 0\]"):
        sd.HeightField(grid, 0.1)
