"""Magnetic fields against an independent sum and published digits; magnetorquers against m x B and closed forms."""

import numpy as np
import pytest

import spacedyn as sd
from spacedyn.kernels.scalar.pack import LANES

pytestmark = pytest.mark.packs

# ppigrf 2.1.0, igrf_gc(r [km], colatitude, longitude [deg], date): (radial, south, east) [nT], at epochs of the IGRF-14
GEOCENTRIC = [
    (2020.0, 6500.0, 30.0, 4.0, (-46031.7974716815, -14228.257976490419, 168.7383046967127)),
    (2025.0, 6871.0, 40.0, 77.0, (-42689.5983676984, -15604.83251595222, 1651.6858090443002)),
    (2025.0, 42164.0, 97.0, -120.0, (2.0383823507119416, -100.72089248567096, 13.382301975619269)),
    (1965.0, 6378.0, 150.0, 310.0, (29579.678682459617, -21699.186144024756, 1936.5370006031062)),
]


def axes_of(colatitude, longitude):
    """Radial, south, east."""
    a, b = np.radians([colatitude, longitude])
    radial = [np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a)]
    south = [np.cos(a) * np.cos(b), np.cos(a) * np.sin(b), -np.sin(a)]
    return np.array([radial, south, [-np.sin(b), np.cos(b), 0.0]])


def satellite():
    b = sd.Builder("satellite")
    b.base("bus", mass=20.0, inertia=(1.0, 1.3, 0.8), com=(0.02, -0.01, 0.05))
    tilted = sd.Rotation.from_rotvec([0.3, 0.5, 0])
    b.link("panel", "revolute", parent="bus", position=(0.4, 0, 0), rotation=tilted, axis=(0, 1, 0),
           mass=2.0, inertia=(0.1, 0.2, 0.15), com=(0.3, 0, 0))  # fmt: skip
    return b.build()


@sd.law
def constant(t, s, p, out):
    for i in range(3):
        out.rods.dipole[i] = p.m[i]


@sd.law
def damp(t, s, p, out):
    """m = k w x B: the field is read by a continuous law, in the body's axes; so is w, of a body that turns about z."""
    B = s.rods.field
    out.rods.dipole[0] = -p.k * s.base_rate[2] * B[1]
    out.rods.dipole[1] = p.k * s.base_rate[2] * B[0]


def run_of(rods, laws=(), duration=40.0, **options):
    model = satellite()
    state = model.state(base_position=[4e6, -5e6, 2.4e6], base_rate=[0.01, -0.02, 0.015], q=[0.4], qd=[0.02],
                        base_attitude=sd.Rotation.from_rotvec([0.5, -0.8, 0.3]))  # fmt: skip
    return model, sd.simulate(model, state, duration, laws=laws, elements=[rods], **options)


@pytest.mark.parametrize(("date", "r", "colatitude", "longitude", "expected"), GEOCENTRIC)
def test_the_earths_field_has_an_independent_programs_digits(date, r, colatitude, longitude, expected):
    axes = axes_of(colatitude, longitude)
    field = sd.MagneticField(date=date).at(1e3 * r * axes[0])
    np.testing.assert_allclose(axes @ field * 1e9, expected, rtol=1e-12, atol=1e-9)


def test_the_field_at_bergen_of_the_reference_values():
    """ppigrf 2.1.0 (IGRF-14), 2021-03-28, 5.32 E 60.39 N, sea level; its geodetic conversion is good to 3e-4 nT."""
    lat, lon, a, e2 = np.radians(60.39), np.radians(5.32), 6378137.0, 0.00669437999014
    n = a / np.sqrt(1.0 - e2 * np.sin(lat) ** 2)
    place = [n * np.cos(lat) * np.cos(lon), n * np.cos(lat) * np.sin(lon), n * (1.0 - e2) * np.sin(lat)]
    up, _, east = axes_of(90.0 - 60.39, 5.32)
    field = sd.MagneticField(date=2020.0 + 5.0 * 452 / 1827).at(place) * 1e9  # that program counts days
    assert east @ field == pytest.approx(458.4837828564342, rel=1e-12)
    assert [np.cross(up, east) @ field, up @ field] == pytest.approx([14998.178971578545, -49018.32205117263], abs=3e-4)


def test_degree_one_is_the_tilted_dipole_and_the_pole_is_no_exception():
    """B = a³ (3 (d.e) e - d) / r³."""
    g, h = np.array([-29350.0, -1410.3]) * 1e-9, 4545.5e-9  # IGRF-14, 2025
    d, r = np.array([g[1], h, g[0]]), np.array([[0.0, 0.0, 7e6], [4e6, -5e6, 2.4e6]])
    size = np.linalg.norm(r, axis=1, keepdims=True)
    e = r / size
    expected = (6371200.0 / size) ** 3 * (3.0 * (e @ d)[:, None] * e - d)
    np.testing.assert_allclose(sd.MagneticField(degree=1).at(r), expected, rtol=1e-13)
    np.testing.assert_allclose(sd.MagneticField(dipole=d).at(r), expected, rtol=1e-13)


@pytest.mark.parametrize("options", [{}, {"degree": 1, "angle": 2.0}, {"uniform": [1e-5, 2e-5, -4e-5]},
                                     {"dipole": [1e-6, 2e-6, -3e-5], "rotation_rate": 1e-2}])  # fmt: skip
def test_the_kernel_has_the_field_where_the_rods_are_in_the_bodys_axes(options):
    field = sd.MagneticField(center=[1e4, 2e4, 3e4], **options)
    rods = sd.Magnetorquer("panel", field=field, point=[0.2, 0.1, -0.3], residual=[0.4, 0.3, -0.2], name="rods")
    _, run = run_of(rods, [constant(m=[1.0, -2.0, 3.0])], record=4.0)
    panel = run.body("panel")
    for i, t in enumerate(run.time):
        place = panel.position[i] + panel.rotation[i] @ [0.2, 0.1, -0.3]
        B = panel.rotation[i].T @ field.at(place, t)
        np.testing.assert_allclose(run["rods.field"][i], B, rtol=1e-12, atol=1e-19)
        np.testing.assert_allclose(run["rods.moment"][i], np.cross([1.4, -1.7, 2.8], B), rtol=1e-11, atol=1e-18)
    audit = run.audit()
    assert max(audit.energy, audit.angular_momentum, audit.linear_momentum) < 1e-10
    assert np.abs(run["impulse"][-1, 3:]).max() > 1e-4


def test_a_magnet_swings_in_a_uniform_field_as_a_pendulum_does():
    """I f'' = -m B sin f from f0: the period is 4 K(sin f0/2) / sqrt(m B / I), by the arithmetic-geometric mean."""
    b = sd.Builder("needle")
    b.base("needle", mass=1.0, inertia=(0.02, 0.03, 0.05))
    needle = b.build()
    swing, m, B = 1.2, 50.0, 4e-5
    magnet = sd.Magnetorquer("needle", residual=[m, 0, 0], field=sd.MagneticField(uniform=[B, 0, 0]))
    start = needle.state(base_attitude=sd.Rotation.from_rotvec([0, 0, swing]))
    a, g = 1.0, np.cos(swing / 2.0)
    for _ in range(6):
        a, g = 0.5 * (a + g), np.sqrt(a * g)
    period = 2.0 * np.pi / (a * np.sqrt(m * B / 0.05))
    run = sd.simulate(needle, start, period, elements=[magnet], record=[0.25 * period, 0.5 * period, period])
    turned = [sd.Rotation.from_quat(q).as_rotvec()[2] for q in run["x"][:, 3:7]]
    np.testing.assert_allclose(turned, [0.0, -swing, swing], atol=1e-9)
    assert run.audit().energy < 1e-10


def test_a_cross_product_law_slows_a_spin_as_the_closed_form_has_it():
    """About z in a field across it w' = -k B² w / I, until both rods are within their limits all the time."""
    b = sd.Builder("spinner")
    b.base("bus", mass=1.0, inertia=(0.02, 0.03, 0.05))
    spinner = b.build()
    B, k = 4e-5, 1e6
    field = sd.MagneticField(uniform=[B * 0.6, B * 0.8, 0.0])
    rods = sd.Magnetorquer("bus", field=field, name="rods")
    run = sd.simulate(
        spinner, spinner.state(base_rate=[0, 0, 0.3]), 30.0, laws=[damp(k=k)], elements=[rods], record=3.0
    )
    np.testing.assert_allclose(run["u"][:, 5], 0.3 * np.exp(-k * B * B / 0.05 * run.time), rtol=1e-9)
    assert run.audit().energy < 1e-10


def test_rods_saturate_fail_and_stay_stuck():
    field = sd.MagneticField(uniform=[3e-5, 0, 0])
    rods = sd.Magnetorquer("bus", axes=[[0, 0, 2.0], [0, 3.0, 4.0]], limit=[2.0, 0.5], field=field, fail_at=1.0,
                           stuck=[0.0, -0.25], name="rods")  # fmt: skip

    @sd.law
    def ramp(t, s, p, out):
        out.rods.dipole[0] = 3.0 * t
        out.rods.dipole[1] = -0.4

    _, run = run_of(rods, [ramp()], 2.0, record="steps")
    t = run.time
    dipole = np.column_stack([np.where(t < 1.0, np.minimum(3.0 * t, 2.0), 0.0), np.where(t < 1.0, -0.4, -0.25)])
    away = abs(t - 1.0) > 1e-9  # the row at which a step begins may be of either side
    np.testing.assert_allclose(run["rods.dipole"][away], dipole[away], atol=1e-12)
    assert min(abs(t - 2.0 / 3.0)) < 1e-9 and min(abs(t - 1.0)) < 1e-12
    assert run.audit().energy < 1e-9
    assert [str(one) for one in run.faults] == ["at 1 s rods failed: stuck at [0.0, -0.25] A m^2"]


def test_robots_of_a_batch_have_each_its_own_field():
    model, count = satellite(), 2 * LANES + 1
    places = np.array([7e6, 0, 0]) + np.linspace(0.0, 3e6, count)[:, None] * [0.1, 1.0, -0.7]
    rods = sd.Magnetorquer("panel", limit=2.0, name="rods")
    options = {"laws": [constant(m=[1.0, -2.0, 3.0])], "elements": [rods], "record": 2.0}
    together = sd.simulate(model, model.state(base_position=places, base_rate=[0.01, 0.02, 0.03]), 4.0, **options)
    for i in range(count):
        alone = sd.simulate(model, model.state(base_position=places[i], base_rate=[0.01, 0.02, 0.03]), 4.0, **options)
        np.testing.assert_allclose(together["rods.field"][:, i], alone["rods.field"], rtol=1e-13, atol=1e-19)
        np.testing.assert_allclose(together["u"][:, i], alone["u"], atol=1e-12)


def test_an_implicit_method_and_files_have_it_too(tmp_path):
    rods = sd.Magnetorquer(
        "bus", limit=5.0, residual=[0.1, 0, 0], field=sd.MagneticField(date="2026-03-01"), name="rods"
    )
    _, explicit = run_of(rods, [constant(m=[1.0, -2.0, 3.0])], record=10.0)
    _, implicit = run_of(rods, [constant(m=[1.0, -2.0, 3.0])], record=10.0, method=sd.Radau5())
    np.testing.assert_allclose(implicit["u"], explicit["u"], atol=1e-8)
    explicit.save(tmp_path / "run.nc")
    (again,) = sd.Run.load(tmp_path / "run.nc").simulation.elements
    assert again.field.date == rods.field.date and again.field.numbers().tolist() == rods.field.numbers().tolist()


def test_the_field_is_that_of_where_a_falling_origin_is():
    """Positions are relative to an origin that orbits; field and shadow are not."""
    model, R, V = satellite(), np.array([4e6, -5e6, 2.4e6]), [5e3, 3e3, 2e3]
    field = sd.MagneticField(degree=3, center=[1e4, 0, 0])
    elements = [
        sd.CentralGravity(),
        sd.Magnetometer("bus", field=field, name="near"),
        sd.Magnetorquer("bus", field=field),
    ]
    elements += [sd.SunSensor("bus", sun=-R, planet_radius=6e6, name="eye")]
    origin = sd.OrbitingOrigin(R, V)
    run = sd.simulate(
        model, model.state(base_position=[30.0, 20.0, 10.0]), 0.1, elements=[origin, *elements], record=[0.0]
    )
    com = model.bodies[0].com
    expected = field.at(R + np.array([30.0, 20.0, 10.0]) - com)
    np.testing.assert_allclose(run["near.field"][0], expected, rtol=1e-12)
    np.testing.assert_allclose(run["magnetorquer_bus.field"][0], expected, rtol=1e-12)
    assert run["lit"][0, -1] == 0.0


def test_a_scenario_has_a_magnetorquer_with_its_field(tmp_path):
    (tmp_path / "one.toml").write_text(
        """
robot = "ets7"
duration = 2.0
record = 1.0
[state]
base_position = [6.928e6, 0, 0]
[[elements]]
kind = "magnetorquer"
body = "base"
limit = 30.0
residual = [1.0, 0, 0]
field = { date = "2026-03-01", degree = 4 }
name = "rods"
""".replace('"base"', f'"{sd.load("ets7").body_names[0]}"')
    )
    run = sd.Scenario.from_toml(tmp_path / "one.toml").run()
    expected = sd.MagneticField(date="2026-03-01", degree=4).at([6.928e6, 0, 0])
    np.testing.assert_allclose(run["rods.field"][0], expected, rtol=1e-13)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: sd.MagneticField(date="yesterday"), "date must be"),
        (lambda: sd.MagneticField(date=2031.0), "from 1900 to 2030"),
        (lambda: sd.MagneticField(degree=14), "degree must be from 1 to 13"),
        (lambda: sd.MagneticField(dipole=[0, 0, 1], uniform=[0, 0, 1]), "not both"),
        (lambda: sd.MagneticField(radius=0.0), "radius must be a positive"),
        (lambda: sd.Magnetorquer("bus", axes=[[0, 0, 0]]), "none can be zero"),
        (lambda: sd.Magnetorquer("bus", limit=-1.0), "limit must be a positive"),
        (lambda: sd.Magnetorquer("bus", limit=[1.0, 2.0]), "one for each of 3 rods"),
        (lambda: sd.Magnetorquer("bus", field={"dat": 2025.0}), "dat"),
        (lambda: sd.Magnetorquer("bus", field=3.0), "must be a MagneticField"),
        (lambda: sd.Magnetorquer("bus", name="two words"), "identifier"),
        (lambda: sd.Magnetorquer("bus", fail_at=np.nan), "fail_at"),
    ],
)
def test_bad_input_is_refused_by_name(make, words):
    with pytest.raises(sd.SpacedynError, match=words):
        make()


def test_a_continuous_law_reads_the_field_but_not_what_it_commands():
    @sd.law
    def loop(t, s, p, out):
        out.rods.dipole[0] = s.rods.moment[0]

    with pytest.raises(sd.InputError, match="moment"):
        run_of(sd.Magnetorquer("bus", name="rods"), [loop()], 1.0)
