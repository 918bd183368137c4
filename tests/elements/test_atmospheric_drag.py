"""Drag on plates: by hand, against an independent integration, King-Hele's decay; air by its tables."""

import numpy as np
import pytest

import spacedyn as sd
from orbital_accelerations import MU, central, fly
from spacedyn.orbit.air import named_table

EPOCH = "2026-03-01T00:00:00"
SPIN = np.array([0.0, 0.0, 7.292115e-5])


def box(com=(0.0, 0.0, 0.0)):
    b = sd.Builder("box")
    b.base("box", mass=200.0, inertia=(40.0, 50.0, 60.0), com=com)
    b.link("paddle", parent="box", position=(0, 1, 0), axis=(0, 1, 0), mass=10.0, inertia=(2, 0.5, 2.4), com=(0, 1, 0))
    return b.build()


def density(r, table, epoch=None, power=4):
    """By the table's neighbours, in plain NumPy: at the table's altitudes."""
    f, a = 1.0 / 298.257223563, 6378137.0
    s = r[2] / np.linalg.norm(r)
    surface = a * (1 - f) / np.sqrt((1 - f) ** 2 + f * (2 - f) * s * s)
    h = np.linalg.norm(r) - surface
    low, high = (np.exp(np.interp(h, table.altitudes, np.log(one))) for one in (table.low, table.high))
    if epoch is None:
        return low
    sun = sd.orbit.position_of("sun", epoch)
    apex = sd.Rotation.from_rotvec([0, 0, np.radians(30.0)]).apply(sun / np.linalg.norm(sun))
    half = np.arccos(r @ apex / np.linalg.norm(r)) / 2.0
    return low + (high - low) * np.cos(half) ** power


def at_altitude(h, direction):
    """A place whose altitude over the ellipsoid, along the line to the centre, is h."""
    f, a = 1.0 / 298.257223563, 6378137.0
    u = np.asarray(direction) / np.linalg.norm(direction)
    return u * (h + a * (1 - f) / np.sqrt((1 - f) ** 2 + f * (2 - f) * u[2] ** 2))


@pytest.mark.parametrize("air", ["exponential", "harris_priester"])
@pytest.mark.parametrize("direction", [(1, 0, 0), (0.3, -0.7, 0.5), (0, 0.1, -1)])
def test_density_is_the_tables(air, direction):
    model = box()
    for h in (300e3, 500e3, 800e3):
        r = at_altitude(h, direction)
        drag = sd.AtmosphericDrag("box", (1, 0, 0), 1.0, air=air, epoch=EPOCH)
        run = sd.simulate(model, model.state(base_position=r), 1e-9, elements=[drag], record=[0.0])
        expected = density(r, named_table(air), EPOCH if air == "harris_priester" else None)
        assert run["density"][0, 0] == pytest.approx(expected, rel=1e-9)


def test_force_and_moment_by_hand():
    """Two plates of a paddle whose joint is turned and turns: f, and the moment about the paddle's centre of mass."""
    model = box(com=(0.1, -0.2, 0.05))
    r, v = at_altitude(400e3, (0.5, 0.5, 0.2)), np.array([-3000.0, 5000.0, 4500.0])
    turn, w = sd.Rotation.from_rotvec([0.2, 0.5, -0.3]), np.array([0.01, -0.02, 0.03])
    state = model.state(base_position=r, base_velocity=v, base_attitude=turn, base_rate=w, q=[0.4], qd=[0.1])
    normals, areas = np.array([[0.0, 0.6, 0.8], [1.0, 0, 0]]), np.array([2.0, 3.0])
    points = np.array([[0.1, 1.0, 0.3], [0.2, 1.5, -0.1]])
    drag = sd.AtmosphericDrag("paddle", normals, areas, points, drag=[2.2, 2.0], lift=[0.3, 0.1])
    run = sd.simulate(model, state, 1e-9, elements=[drag], record=[0.0])
    kinematics = sd.forward_kinematics(model, state).bodies
    R, origin = kinematics.rotation[1], kinematics.position[1]
    speed, spin = kinematics.velocity[1][:3], kinematics.velocity[1][3:]
    rho = run["density"][0, 0]
    force, moment, facing = np.zeros(3), np.zeros(3), 0
    for n, A, p, cd, cn in zip(normals, areas, points, (2.2, 2.0), (0.3, 0.1), strict=True):
        place = origin + R @ p
        wind = speed + np.cross(spin, R @ p) - np.cross(SPIN, place)
        into = (R @ n) @ wind
        facing += into > 0
        f = -0.5 * rho * A * max(into, 0.0) * (cd * wind + cn * into * (R @ n))
        force, moment = force + f, moment + np.cross(R @ (p - [0, 1, 0]), f)
    assert facing == 1
    wrench = run["element_wrenches"][0].ravel()
    np.testing.assert_allclose(wrench[:3], force, rtol=1e-12)
    np.testing.assert_allclose(wrench[3:], moment, rtol=1e-9, atol=1e-15)


def test_a_box_flies_as_a_point_does_elsewhere():
    """Half a revolution at 300 km without a turn: SciPy's DOP853 with the same plates in plain NumPy, 1 mm of 350 m."""
    b = sd.Builder("cube")
    b.base("cube", mass=50.0, inertia=(10.0, 10.0, 10.000001))
    model = b.build()
    start = sd.orbit.orbit_state(model, sd.orbit.OrbitalElements(6.678e6, 1e-3, 1.2, 0.3))
    altitudes = np.array([200e3, 600e3])
    rho = np.array([2.5e-10, 2.5e-10 * np.exp(-400e3 / 40e3)])
    plates = sd.orbit.box_plates((1.0, 2.0, 0.5))
    drag = sd.AtmosphericDrag("cube", *plates, altitudes=altitudes, densities=rho)
    times = np.linspace(0.0, 2700.0, 4)
    run = sd.simulate(model, start, 2700.0, elements=[sd.CentralGravity(), drag], record=times)

    def pull(t, r, v):
        wind = v - np.cross(SPIN, r)
        into = np.maximum(plates.normals @ wind, 0.0)
        return central(r) - 0.5 * one_rho(r) * 2.2 * (plates.areas * into).sum() * wind / 50.0

    def one_rho(r):
        f, a = 1.0 / 298.257223563, 6378137.0
        s = r[2] / np.linalg.norm(r)
        h = np.linalg.norm(r) - a * (1 - f) / np.sqrt((1 - f) ** 2 + f * (2 - f) * s * s)
        return rho[0] * np.exp(-(h - 200e3) / 40e3)

    expected = fly(pull, start.base_position, start.base_velocity, times, rtol=1e-12)
    assert run.states.base_attitude.magnitude().max() < 1e-5
    without = fly(lambda t, r, v: central(r), start.base_position, start.base_velocity, times)
    moved = np.linalg.norm(without[-1, :3] - expected[-1, :3])
    assert moved > 300.0
    np.testing.assert_allclose(run["base_position"], expected[:, :3], atol=1e-3)
    assert run.audit().energy < 1e-11


def test_decay_of_a_circular_orbit():
    """King-Hele: a revolution lowers a circular orbit by 2 pi (C_D A / m) rho a^2, in air at rest; 1e-3 of it."""
    b = sd.Builder("plate")
    b.base("plate", mass=100.0, inertia=(10.0, 11.0, 12.0))
    model, a = b.build(), 6.778e6
    start = sd.orbit.orbit_state(
        model, sd.orbit.OrbitalElements(a), attitude=sd.Rotation.identity()
    )  # y ahead: the plate is in the wind
    rho, n = 1e-12, sd.orbit.mean_motion(a)
    drag = sd.AtmosphericDrag(
        "plate", (0, 1, 0), 4.0, altitudes=[100e3, 900e3], densities=[rho, rho * (1 - 1e-12)], rotation_rate=0.0
    )
    end = 2.0 * np.pi / n
    run = sd.simulate(model, start, end, elements=[sd.CentralGravity(), drag], record=[0.0, end])
    found = sd.orbit.to_elements(run["base_position"], run["base_velocity"]).semi_major_axis
    assert found[1] - found[0] == pytest.approx(-2.0 * np.pi * 2.2 * 4.0 / 100.0 * rho * a * a, rel=1e-3)
    assert run["element_work"][-1, 1] == pytest.approx(MU * 100.0 / 2 * (1 / found[0] - 1 / found[1]), rel=1e-4)


def test_a_plate_that_tumbles_keeps_its_ledger():
    """Plates turn edge-on many times: steps end there, and the ledger is as tight as without."""
    model = box()
    start = sd.orbit.orbit_state(model, sd.orbit.OrbitalElements(6.528e6, inclination=0.5))
    spinning = model.state(
        base_position=start.base_position, base_velocity=start.base_velocity, base_rate=[0.3, 0.5, -0.4]
    )
    plates = sd.orbit.panel_plates((0, 0, 1), 3.0, point=(0.0, 1.0, 0.0))
    drag = [sd.AtmosphericDrag("paddle", *plates), sd.AtmosphericDrag("box", *sd.orbit.box_plates((1, 1, 1)))]
    run = sd.simulate(model, spinning, 60.0, elements=[sd.CentralGravity(), *drag])
    assert run.audit().worst < 1e-10
    assert run["element_work"][-1, 1] < -1e2


def test_what_is_refused():
    model = box()
    plate = {"body": "box", "normals": (1, 0, 0), "areas": 1.0}
    for given, words in (
        ({"normals": (0, 0, 0)}, "a normal is zero"),
        ({"normals": (1, 0)}, "normals"),
        ({"areas": 0.0}, "areas must be positive"),
        ({"areas": [1.0, 2.0]}, "areas"),
        ({"drag": -1.0}, "drag must be zero or positive"),
        ({"air": "thick"}, "exponential, harris_priester"),
        ({"altitudes": [1.0, 2.0]}, "both altitudes and densities"),
        ({"altitudes": [1.0, 2.0], "densities": [1.0, 0.0]}, "densities must be positive"),
        ({"bulge": 3}, "2, 4 or 6"),
        ({"flattening": 1.5}, "flattening"),
    ):
        with pytest.raises(sd.SpacedynError, match=words):
            sd.AtmosphericDrag(**{**plate, **given})
    with pytest.raises(sd.SpacedynError, match="nose"):
        sd.simulate(model, model.neutral_state(), 1.0, elements=[sd.AtmosphericDrag("nose", (1, 0, 0), 1.0)])
    with pytest.raises(sd.InputError, match="'box' starts 0 km from the planet's centre, inside the planet"):
        sd.simulate(model, model.neutral_state(), 1.0, elements=[sd.AtmosphericDrag(**plate)])
