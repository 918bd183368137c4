"""Sunlight on plates: by hand, the times of eclipses by geometry, an independent integration."""

import numpy as np
import pytest
from scipy.optimize import brentq

import spacedyn as sd
from orbital_accelerations import central, fly

EPOCH = "2026-03-01T00:00:00"
AU, P, R_SUN, R_EARTH = 1.495978707e11, 1361.0 / 299792458.0, 6.957e8, 6378137.0


def cube(mass=50.0):
    b = sd.Builder("cube")
    b.base("cube", mass=mass, inertia=(10.0, 11.0, 12.0), com=(0.05, 0.0, -0.1))
    return b.build()


@pytest.mark.parametrize(
    ("specular", "diffuse", "factor"),
    [(0.0, 0.0, 1.0), (1.0, 0.0, 2.0), (0.0, 1.0, 5.0 / 3.0), (0.3, 0.2, 1.3 + 0.4 / 3)],
)
def test_a_plate_that_faces_the_sun(specular, diffuse, factor):
    """P A absorbed, 2 P A from a mirror, 5/3 P A from paper; at 0.98 AU more by 1/0.98^2."""
    model, r = cube(), np.array([7.0e6, 0, 0])
    light = sd.SolarPressure(
        "cube", (1, 0, 0), 4.0, (0.5, 0.2, 0.1), specular=specular, diffuse=diffuse, sun=(0.98 * AU + 7e6, 0, 0)
    )
    run = sd.simulate(model, model.state(base_position=r), 1e-9, elements=[light], record=[0.0])
    wrench = run["element_wrenches"][0].ravel()
    size = P / 0.98**2 * 4.0 * factor
    np.testing.assert_allclose(wrench[:3], [-size, 0, 0], rtol=1e-9, atol=1e-20)
    np.testing.assert_allclose(wrench[3:], np.cross([0.45, 0.2, 0.2], [-size, 0, 0]), rtol=1e-9, atol=1e-20)


def test_slanted_plates_by_hand():
    model = cube()
    turn, r = sd.Rotation.from_rotvec([0.4, -0.3, 0.8]), np.array([-2e6, 6e6, 4e6])
    sun = sd.orbit.position_of("sun", EPOCH)
    normals, areas = np.array([[1.0, 0, 0], [0, 0.6, 0.8], [0, -0.6, -0.8]]), np.array([2.0, 3.0, 3.0])
    specular, diffuse = np.array([0.1, 0.5, 0.2]), np.array([0.3, 0.2, 0.7])
    light = sd.SolarPressure("cube", normals, areas, specular=specular, diffuse=diffuse, epoch=EPOCH, radius=0.0)
    run = sd.simulate(model, model.state(base_position=r, base_attitude=turn), 1e-9, elements=[light], record=[0.0])
    away = sun - r
    d = np.linalg.norm(away)
    e, force = away / d, np.zeros(3)
    for n, A, s, c in zip(turn.apply(normals), areas, specular, diffuse, strict=True):
        cosine = max(n @ e, 0.0)
        force -= P * (AU / d) ** 2 * A * cosine * ((1 - s) * e + 2 * (s * cosine + c / 3) * n)
    np.testing.assert_allclose(run["element_wrenches"][0].ravel()[:3], force, rtol=1e-11)
    assert run["light"][0, 0] == 1.0


def visible(r, sun):
    """Share of the Sun's disc, by many points of it: whether the line to each passes the planet."""
    away = sun - r
    e = away / np.linalg.norm(away)
    side = np.cross(e, [0.0, 0.3, 1.0])
    side /= np.linalg.norm(side)
    other = np.cross(e, side)
    rings = (np.arange(400) + 0.5) / 400
    radius, angle = np.sqrt(rings), np.arange(720) * np.pi / 360
    x, y = np.outer(radius, np.cos(angle)).ravel(), np.outer(radius, np.sin(angle)).ravel()
    lines = away + R_SUN * (np.outer(x, side) + np.outer(y, other))
    lines /= np.linalg.norm(lines, axis=1)[:, None]
    along = lines @ r
    near = np.linalg.norm(r - along[:, None] * lines, axis=1)
    return 1.0 - np.mean((along < 0) & (near < R_EARTH))


def apart(r, sun):
    """Angles: from the planet's centre to the Sun's, and both radii."""
    e = (sun - r) / np.linalg.norm(sun - r)
    c = np.arccos(-(r @ e) / np.linalg.norm(r))
    return c, np.arcsin(R_EARTH / np.linalg.norm(r)), np.arcsin(R_SUN / np.linalg.norm(sun - r))


def test_times_of_an_eclipse():
    """A circular orbit through the shadow: the four contacts by geometry to 1e-6 s, and steps that end there."""
    model, a = cube(), 6.928e6
    n, sun = sd.orbit.mean_motion(a), np.array([AU, 0.2 * AU, 0.1 * AU])
    start = sd.orbit.orbit_state(model, sd.orbit.OrbitalElements(a, 0.0, 0.4))
    light = sd.SolarPressure("cube", *sd.orbit.box_plates((1, 1, 1)), sun=sun, pressure=0.0)
    run = sd.simulate(model, start, 5700.0, elements=[sd.CentralGravity(), light], record="steps")

    def place(t):
        return sd.orbit.from_elements(sd.orbit.OrbitalElements(a, 0.0, 0.4, 0, 0, n * t)).position

    def contact(sign, low, high):
        def gap(t):
            c, b, s = apart(place(t), sun)
            return c - b + sign * s

        return brentq(gap, low, high, xtol=1e-9)

    middle = (np.pi + np.arctan2(0.2, 1.0)) / n
    expected = [
        contact(-1, 1500, middle),
        contact(1, 1500, middle),
        contact(1, middle, 5000),
        contact(-1, middle, 5000),
    ]
    share, t = run["light"][:, 1], run.time
    assert share.min() == 0.0 and share.max() == 1.0
    for exact in expected:
        assert np.abs(t - exact).min() < 1e-6
    assert 5.0 < expected[1] - expected[0] < 30.0  # the penumbra
    cylinder = 2 * np.arcsin(R_EARTH / a) / n
    assert expected[3] - expected[0] < cylinder * 1.02
    assert run.audit().worst < 1e-10


def test_penumbra():
    """The share of the disc, against the Sun's points one by one: 0.4 %, by which the limb is not straight."""
    model, sun = cube(), np.array([AU, 0.0, 0.0])
    light = sd.SolarPressure("cube", (1, 0, 0), 1.0, sun=sun)
    found = []
    for angle in np.linspace(1.960, 1.981, 8):
        r = 6.928e6 * np.array([np.cos(angle), np.sin(angle), 0.0])
        run = sd.simulate(model, model.state(base_position=r), 1e-9, elements=[light], record=[0.0])
        found.append(run["light"][0, 0])
        assert found[-1] == pytest.approx(visible(r, sun), abs=4e-3)
    assert sum(0.05 < share < 0.95 for share in found) > 2


def test_a_cube_flies_as_a_point_does_elsewhere():
    """A revolution at 20000 km through the shadow, as by SciPy's DOP853 with the same light in NumPy: 1 cm of 1 km."""
    b = sd.Builder("ball")
    b.base("ball", mass=20.0, inertia=(10.0, 10.0, 10.000001))
    model, a = b.build(), 2.6e7
    sun = sd.orbit.position_of("sun", EPOCH)
    start = sd.orbit.orbit_state(model, sd.orbit.OrbitalElements(a, 0.01, 0.2, 1.0))
    plates = sd.orbit.box_plates((3.0, 2.0, 4.0))
    light = sd.SolarPressure("ball", *plates, specular=0.2, diffuse=0.1, sun=sun)
    times = np.linspace(0.0, 42000.0, 4)
    run = sd.simulate(model, start, 42000.0, elements=[sd.CentralGravity(), light], record=times)

    def share(r):
        c, b, s = apart(r, sun)
        x = np.clip((c - b) / s, -1.0, 1.0)
        return 0.5 + (x * np.sqrt(1 - x * x) + np.arcsin(x)) / np.pi

    def pull(t, r, v):
        away = sun - r
        d = np.linalg.norm(away)
        e = away / d
        cosine = np.maximum(plates.normals @ e, 0.0)
        size = P * (AU / d) ** 2 * share(r) * plates.areas * cosine
        push = size[:, None] * (0.8 * e + 2 * (0.2 * cosine + 0.1 / 3)[:, None] * plates.normals)
        return central(r) - push.sum(0) / 20.0

    expected = fly(pull, start.base_position, start.base_velocity, times, rtol=1e-12)
    without = fly(lambda t, r, v: central(r), start.base_position, start.base_velocity, times, rtol=1e-12)
    moved = np.linalg.norm(without[-1, :3] - expected[-1, :3])
    assert moved > 1000.0
    np.testing.assert_allclose(run["base_position"], expected[:, :3], atol=1e-2)


def test_what_is_refused():
    plate = {"body": "cube", "normals": (1, 0, 0), "areas": 1.0}
    for given, words in (
        ({"specular": 0.6, "diffuse": 0.6}, "together at most 1"),
        ({"pressure": -1.0}, "pressure must be zero or positive"),
        ({"sun": (0, 0, 0)}, "where the Sun is"),
        ({"sun": (1, 0, 0), "times": [0, 1], "positions": np.ones((2, 3))}, "not both"),
        ({"epoch": "noon"}, "epoch"),
    ):
        with pytest.raises(sd.InputError, match=words):
            sd.SolarPressure(**{**plate, **given})
    with pytest.raises(sd.InputError, match="inside the planet"):
        sd.simulate(cube(), cube().neutral_state(), 1.0, elements=[sd.SolarPressure(**plate)])
    short = sd.SolarPressure(**plate, times=[0.0, 10.0], positions=[[AU, 0, 0], [AU, 1e5, 0]])
    there = cube().state(base_position=[7e6, 0, 0])
    with pytest.raises(sd.InputError, match="given until 10 s"):
        sd.simulate(cube(), there, 20.0, elements=[short])
    run = sd.simulate(cube(), there, 10.0, elements=[short])
    with pytest.raises(sd.InputError, match="given until 10 s"):
        run.resume(until=30.0)
