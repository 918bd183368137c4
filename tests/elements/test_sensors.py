"""Sensors: exact without errors, their errors one by one, noise that depends on the seed alone."""

import dataclasses
from zlib import crc32

import numpy as np
import pytest

import spacedyn as sd
from robots import slider
from spacedyn.kernels.scalar.pack import LANES

pytestmark = pytest.mark.packs

TURN = sd.Rotation.from_rotvec([0.2, -0.7, 1.1])
FIELD = sd.MagneticField(uniform=[1e-5, -2e-5, 3e-5])
PHILOX_DIGITS = [  # Random123 1.14, kat_vectors, philox4x32 10: key, counter, result
    ([0, 0], [0, 0, 0, 0], [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([0xFFFFFFFF] * 2, [0xFFFFFFFF] * 4, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    ([0xA4093822, 0x299F31D0], [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
     [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]),
]  # fmt: skip


def satellite():
    b = sd.Builder("satellite")
    b.base("bus", mass=20.0, inertia=(1.0, 1.3, 0.8), com=(0.02, -0.01, 0.05))
    tilted = sd.Rotation.from_rotvec([0.3, 0.5, 0])
    b.link("panel", "revolute", parent="bus", position=(0.4, 0, 0), rotation=tilted, axis=(0, 1, 0),
           mass=2.0, inertia=(0.1, 0.2, 0.15), com=(0.3, 0, 0))  # fmt: skip
    b.endpoint("tip", body="panel", position=(0.5, 0.1, 0), rotation=sd.Rotation.from_rotvec([0, 0.4, 0.2]))
    return b.build()


def moving(model):
    return model.state(base_position=[3.0, -5.0, 2.4], base_velocity=[0.1, 0.2, -0.1], base_rate=[0.3, -0.2, 0.15],
                       q=[0.4], qd=[0.2], base_attitude=sd.Rotation.from_rotvec([0.5, -0.8, 2.9]))  # fmt: skip


def resting():
    model = slider()
    return model, model.neutral_state()


def philox(key, counter):
    """Four words by unlimited integers."""
    (k0, k1), (c0, c1, c2, c3) = key, counter
    for _ in range(10):
        a, b = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (b >> 32) ^ c1 ^ k0, b % 2**32, (a >> 32) ^ c3 ^ k1, a % 2**32
        k0, k1 = (k0 + 0x9E3779B9) % 2**32, (k1 + 0xBB67AE85) % 2**32
    return [c0, c1, c2, c3]


def matrix(q):
    return sd.Rotation.from_quat(q).as_matrix()


# --- what they measure -----------------------------------------------------------------------------------------------


def test_sensors_without_errors_have_what_they_measure():
    """Against the motion of bodies that the run has by another route; misaligned axes included."""
    model, mounted = satellite(), {"rotation": TURN, "misalignment": [0.01, -0.02, 0.03]}
    sun, edge = np.array([1.0, -2.0, 0.5]), 1.2
    elements = [
        sd.Gyro("tip", **mounted, name="gyro"),
        sd.StarTracker("panel", **mounted, name="stars"),
        sd.SunSensor("panel", sun=sun, field_of_view=2 * edge, **mounted, name="sun"),
        sd.Magnetometer(("panel", [0.1, 0.2, 0.3]), field=FIELD, **mounted, name="compass"),
        sd.Encoder("panel", name="encoder"),
        sd.RelativePoseSensor("tip", target=("bus", [0.3, 0, -0.2]), **mounted, name="camera"),
    ]
    run = sd.simulate(model, moving(model), 6.0, elements=elements, record=0.5)
    axes = TURN.as_matrix() @ sd.Rotation.from_rotvec([0.01, -0.02, 0.03]).as_matrix()
    tip_axes = sd.Rotation.from_rotvec([0, 0.4, 0.2]).as_matrix() @ axes
    panel, bus, seen = run.body("panel"), run.body("bus"), []
    for i in range(len(run.time)):
        P, B = panel.rotation[i], bus.rotation[i]
        w = panel.velocity[i, 3:]
        np.testing.assert_allclose(run["gyro.angular_velocity"][i], (P @ tip_axes).T @ w, atol=1e-14)
        q = run["stars.attitude"][i]
        np.testing.assert_allclose(matrix(q), P @ axes, atol=1e-14)
        assert q[3] >= 0.0
        direction = (P @ axes).T @ sun / np.linalg.norm(sun)
        seen.append(direction[2] > np.cos(edge))
        np.testing.assert_allclose(run["sun.direction"][i], direction * seen[-1], atol=1e-14)
        np.testing.assert_allclose(run["compass.field"][i], (P @ axes).T @ FIELD.uniform, atol=1e-19)
        tip, target = panel.position[i] + P @ [0.5, 0.1, 0], bus.position[i] + B @ [0.3, 0, -0.2]
        np.testing.assert_allclose(run["camera.position"][i], (P @ tip_axes).T @ (target - tip), atol=1e-13)
        np.testing.assert_allclose(matrix(run["camera.attitude"][i]), (P @ tip_axes).T @ B, atol=1e-14)
    assert len(set(seen)) == 2
    np.testing.assert_array_equal(run["lit"][:, 2], seen)
    np.testing.assert_array_equal(run["angle"][:, 4], run["q"][:, 0])
    assert run.audit().energy < 1e-10 and run.data["camera.position"].attrs["units"] == "m"


def test_a_camera_far_from_the_origin_sees_as_well_as_near_it():
    """Seven thousand kilometres away, where a position has 1e-9 m to spare, readings are the same to 1e-14 m."""
    model = satellite()
    eye = sd.RelativePoseSensor("tip", target=("bus", [0.3, 0, -0.2]), name="eye")
    near, far = (
        sd.simulate(model, model.state(base_position=place, q=[0.4]), 0.1, elements=[eye], record=[0.0])
        for place in ([0, 0, 0], [5e6, 4e6, -3e6])
    )
    np.testing.assert_allclose(far["eye.position"], near["eye.position"], atol=1e-14)


def test_a_star_tracker_is_blinded_by_the_sun_and_by_fast_turns():
    """Within 30° of its z axis, and above 0.21 rad/s; the same in a batch, whose robots see different things."""
    model = satellite()
    turned = sd.Rotation.from_rotvec(np.linspace(0.0, 3.0, 9)[:, None] * [0.6, 0.8, 0.0])
    sun, edge = (turned[3] * TURN).apply([0.3, -0.2, 2.0]), np.radians(30.0)
    stars = [
        sd.StarTracker("bus", rotation=TURN, sun=sun, sun_exclusion=edge, name="shy"),
        sd.StarTracker("bus", max_rate=0.21, name="slow"),
    ]
    rates = np.linspace(0.0, 0.4, 9)[:, None] * [0.0, 0.6, -0.8]
    run = sd.simulate(model, model.state(base_attitude=turned, base_rate=rates), 0.01, elements=stars, record=[0.0])
    toward = (turned * TURN).as_matrix()[:, :, 2] @ sun / np.linalg.norm(sun)
    sees = toward <= np.cos(edge)
    assert 1 < sees.sum() < 8
    np.testing.assert_array_equal(np.linalg.norm(run["shy.attitude"][0], axis=-1) > 0.5, sees)
    np.testing.assert_allclose(matrix(run["shy.attitude"][0, sees]), (turned * TURN)[sees].as_matrix(), atol=1e-14)
    np.testing.assert_array_equal(np.linalg.norm(run["slow.attitude"][0], axis=-1) > 0.5, np.linspace(0, 0.4, 9) < 0.21)


def test_a_camera_sees_within_its_range_and_cone():
    """The target is 0.5 to 4 m ahead and up to 60° aside; it sees 3 m far, 40° to each side."""
    b = sd.Builder("pair")
    b.base("bus", mass=50.0, inertia=(5, 6, 7))
    b.link("target", "free", parent="bus", mass=3.0, inertia=(0.4, 0.5, 0.6))
    model = b.build()
    angle, far = (
        np.radians([-60.0, -39.9, -40.1, 0.0, 39.9, 40.1, 0.0, 180.0]),
        np.array([1, 1, 1, 2.99, 1, 1, 3.01, 1]),
    )
    q = np.column_stack([far * np.sin(angle), 0 * far, far * np.cos(angle), *np.zeros((3, 8)), np.ones(8)])
    eye = sd.RelativePoseSensor("bus", target="target", max_range=3.0, field_of_view=np.radians(80.0), name="eye")
    run = sd.simulate(model, model.state(q=q), 0.01, elements=[eye], record=[0.0])
    sees = np.array([0, 1, 0, 1, 1, 0, 0, 0])
    np.testing.assert_allclose(run["eye.position"][0], q[:, :3] * sees[:, None], atol=1e-14)
    np.testing.assert_allclose(run["eye.attitude"][0], q[:, 3:] * sees[:, None], atol=1e-14)


def test_attitudes_and_directions_have_steps_too():
    """Readings are whole steps, the nearest ones to what is there; `lit` is none of them."""
    model = satellite()
    elements = [
        sd.StarTracker("panel", period=0.1, quantum=1e-3, name="stars"),
        sd.SunSensor("panel", sun=[0.3, 0.4, 1.0], period=0.1, quantum=[0.01, 0.02, 0.05], name="sun"),
        sd.RelativePoseSensor("tip", target="bus", period=0.1, quantum=0.25, attitude_quantum=0.125, name="eye"),
    ]
    exact = [dataclasses.replace(one, quantum=0.0, name=f"true_{one.name}") for one in elements]
    exact[2] = dataclasses.replace(exact[2], attitude_quantum=0.0)
    run = sd.simulate(model, moving(model), 1.0, elements=[*elements, *exact], record=0.1)
    steps = {"stars.attitude": 1e-3, "sun.direction": [0.01, 0.02, 0.05], "eye.position": 0.25, "eye.attitude": 0.125}
    for name, step in steps.items():
        true = run[f"true_{name}"]
        np.testing.assert_allclose(run[name], np.round(true / step) * step, atol=1e-14)
        assert (run[name] != true).any()
    assert run["lit"][:, 1].tolist() == [1.0] * 11


def test_a_planet_before_the_sun_leaves_a_sun_sensor_in_the_dark():
    model, R = satellite(), 6.4e6
    places = R * np.array([[-1.1, 0.0, 0.0], [-1.1, 0.99, 0.0], [-1.1, 1.01, 0.0], [1.1, 0.0, 0.0]])
    eye = sd.SunSensor("bus", sun=[1, 0, 0], planet_radius=R, planet_center=[0.0, 0, 0], name="eye")
    run = sd.simulate(model, model.state(base_position=places), 0.1, elements=[eye], record=0.1)
    assert run["lit"][0, :, 0].tolist() == [0.0, 0.0, 1.0, 1.0]


@pytest.mark.parametrize("method", [sd.DormandPrince8(), sd.RungeKutta4(0.02), sd.Radau5()])
def test_readings_are_of_their_instant_delayed_whole_steps_and_within_range(method):
    """The cart is at 0.3 t: readings at 0, 0.1, ... come 0.2 s later, in steps of 0.02, up to 0.21."""
    model = slider()
    scale = sd.Encoder("rail", period=0.1, delay=0.2, quantum=0.02, limit=0.213, bias=0.004, name="scale")
    run = sd.simulate(model, model.state(qd=[0.3]), 1.0, elements=[scale], record=0.05, method=method)
    for t, reading in zip(run.time[:-1], run["angle"][:-1, 0], strict=True):
        instant = max(np.floor((t + 1e-9) / 0.1) * 0.1 - 0.2, 0.0)
        expected = 0.02 * np.round(min(0.3 * instant + 0.004, 0.213) / 0.02)
        assert reading == pytest.approx(expected, abs=1e-12), t
    assert run["angle"].max() == pytest.approx(0.22)  # the range is that of the signal, not of the step it falls on


def test_laws_of_any_sort_read_sensors():
    """Feedback by a sampled encoder, as the recursion by hand has it: a = -k x_n from instant to instant."""

    @sd.law
    def pull(t, s, p, out):
        out.tau[0] = -p.k * s.scale.angle[0]

    model, k, h = slider(), 2.0, 0.1
    for law in (pull(k=k), pull(k=k, period=h)):
        scale = sd.Encoder("rail", period=h, name="scale")
        run = sd.simulate(model, model.state(q=[1.0]), 1.0, laws=[law], elements=[scale], record=h)
        x, v = 1.0, 0.0
        for i in range(10):
            assert run["q"][i, 0] == pytest.approx(x, abs=1e-12)
            x, v = x + h * v - 0.5 * k * x * h * h, v - k * x * h
        assert run.audit().energy < 1e-10


def test_sensors_fail_in_the_ways_they_are_told_to():
    model, options = slider(), {"period": 0.1, "fail_at": 0.45}
    kinds = [sd.Encoder("rail", **options, name="dead"), sd.Encoder("rail", fault="frozen", **options, name="frozen"),
             sd.Encoder("rail", fault="stuck", stuck=7.0, **options, name="stuck"),
             sd.Encoder("rail", fail_at=0.45, name="all_the_time")]  # fmt: skip
    run = sd.simulate(model, model.state(qd=[1.0]), 1.0, elements=kinds, record=[0.41, 0.46, 0.91])
    np.testing.assert_allclose(run["angle"], [[0.4, 0.4, 0.4, 0.41], [0, 0.4, 7, 0], [0, 0.4, 7, 0]], atol=1e-12)
    assert sorted(str(one) for one in run.faults) == [
        f"at 0.45 s {name} failed: {how}"
        for name, how in (("all_the_time", "dead"), ("dead", "dead"), ("frozen", "frozen"), ("stuck", "stuck"))
    ]
    assert not sd.simulate(model, model.neutral_state(), 0.2, elements=kinds).faults


# --- noise -----------------------------------------------------------------------------------------------------------


def test_noise_is_that_of_philox_and_box_muller_by_count():
    """Against unlimited integers, whose words have published digits: instant, component, robot, name; key: the seed."""
    for key, counter, expected in PHILOX_DIGITS:
        assert philox(key, counter) == expected
    model, seed, count = resting()[0], 2**40 + 17, LANES + 1
    gyro = sd.Gyro("mass", noise=[1.0, 2.0, 3.0], random_walk=[0.5, 0.0, 1.0], period=0.25, seed=seed, name="gyro")
    states = model.state(q=np.zeros((count, 1)))
    run = sd.simulate(model, states, 1.0, elements=[gyro], record=0.25)
    drift = np.zeros((count, 3))
    for instant in range(4):
        for robot in range(count):
            for i, (sigma, walk) in enumerate([(1.0, 0.5), (2.0, 0.0), (3.0, 1.0)]):
                a, b, c, d = philox([seed % 2**32, seed >> 32], [instant, i, robot, crc32(b"gyro")])
                u, v = ((a * 2**20 + (b >> 12) + 0.5) / 2**52, (c * 2**20 + (d >> 12) + 0.5) / 2**52)
                radius = np.sqrt(-2.0 * np.log(u))
                noise = sigma * radius * np.cos(2.0 * np.pi * v)
                drift[robot, i] += walk * 0.5 * radius * np.sin(2.0 * np.pi * v) if instant else 0.0
                assert run["gyro.noise"][instant, robot, i] == pytest.approx(noise, rel=1e-13)
                assert run["gyro.drift"][instant, robot, i] == pytest.approx(drift[robot, i], rel=1e-12, abs=1e-15)
    np.testing.assert_array_equal(run["gyro.angular_velocity"], run["gyro.noise"] + run["gyro.drift"])


@pytest.fixture(scope="module")
def noisy():
    """2000 instants of 40 robots that rest: (time, robot, component)."""
    model, _ = resting()
    gyro = sd.Gyro("mass", noise=0.2, random_walk=0.3, period=0.5, seed=3, name="gyro")
    return sd.simulate(model, model.state(q=np.zeros((40, 1))), 1000.0, elements=[gyro], record=0.5,
                       method=sd.RungeKutta4(0.5), channels=["gyro.angular_velocity", "element_states"])  # fmt: skip


def test_noise_is_white_and_normal(noisy):
    """240 000 numbers: mean, variance, third and fourth moment within 4 standard errors; none knows of any other."""
    z = noisy["gyro.noise"][:-1] / 0.2
    n = z.size
    assert n == 240_000
    assert abs(z.mean()) < 4.0 / np.sqrt(n)
    assert abs((z**2).mean() - 1.0) < 4.0 * np.sqrt(2.0 / n)
    assert abs((z**3).mean()) < 4.0 * np.sqrt(15.0 / n)
    assert abs((z**4).mean() - 3.0) < 4.0 * np.sqrt(96.0 / n)
    for lag in (1, 2, 3, 7, 50):
        assert abs((z[lag:] * z[:-lag]).mean()) < 4.0 / np.sqrt(n)
    assert abs((z[..., 0] * z[..., 1]).mean()) < 4.0 / np.sqrt(n / 3)
    assert abs((z[:, 1:] * z[:, :-1]).mean()) < 4.0 / np.sqrt(n)
    assert len(np.unique(z)) == n


def test_the_drift_grows_with_the_root_of_time(noisy):
    """Steps of random_walk sqrt(period), independent of each other and of the noise; variance random_walk² t."""
    drift = noisy["gyro.drift"][:-1]
    steps = np.diff(drift, axis=0) / (0.3 * np.sqrt(0.5))
    n = steps.size
    assert abs(steps.mean()) < 4.0 / np.sqrt(n) and abs((steps**2).mean() - 1.0) < 4.0 * np.sqrt(2.0 / n)
    assert abs((steps[1:] * steps[:-1]).mean()) < 4.0 / np.sqrt(n)
    assert abs((steps * noisy["gyro.noise"][1:-1] / 0.2).mean()) < 4.0 / np.sqrt(n)
    for k in (100, 400, 1600):  # of 120 walks
        ratio = (drift[k] ** 2).mean() / (0.3**2 * 0.5 * k)
        assert abs(ratio - 1.0) < 4.0 * np.sqrt(2.0 / 120)
    assert not drift[0].any()


def test_noise_is_the_same_to_the_bit_alone_in_packs_resumed_and_recorded_otherwise():
    model, count = slider(), 2 * LANES + 3
    states = model.state(qd=np.linspace(0.1, 1.0, count)[:, None])
    sensors = [sd.Encoder("rail", noise=0.1, random_walk=0.2, period=0.1, seed=5, name="scale"),
               sd.StarTracker("mass", noise=1e-3, period=0.07, seed=5, name="stars")]  # fmt: skip
    run = sd.simulate(model, states, 2.0, elements=sensors, record=0.5)
    alone = sd.simulate(model, states, 2.0, elements=sensors, record=0.5, own_steps=True)
    resumed = sd.simulate(model, states, 1.03, elements=sensors, record=0.5).resume(until=2.0)
    often = sd.simulate(model, states, 2.0, elements=sensors, record=0.013)
    first = sd.simulate(model, states[0], 2.0, elements=sensors, record=0.5)
    for name in ("scale.noise", "scale.drift", "stars.noise"):
        last = run[name][-1]
        np.testing.assert_array_equal(alone[name][-1], last)
        np.testing.assert_array_equal(resumed[name][-1], last)
        np.testing.assert_array_equal(often[name][-1], last)
        np.testing.assert_array_equal(first[name][-1], last[0])
        assert len(np.unique(last)) == last.size
    np.testing.assert_allclose(run["stars.attitude"][-1, :, 3], 1.0, atol=1e-4)


def test_other_seeds_and_names_have_other_noise():
    model, start = resting()
    made = [sd.Encoder("rail", noise=1.0, period=0.1, **more) for more in
            ({"name": "a"}, {"name": "b"}, {"name": "a", "seed": 1}, {"name": "a", "seed": 2**32})]  # fmt: skip
    found = [sd.simulate(model, start, 0.1, elements=[one], record=0.1)["angle"][0, 0] for one in made]
    again = sd.simulate(model, start, 0.1, elements=[made[0]], record=0.1)["angle"][0, 0]
    assert len(set(found)) == 4 and again == found[0]


def test_a_star_trackers_noise_turns_it_about_its_own_axes():
    """The error of its quaternion is the rotation vector that was drawn, in its axes."""
    model = satellite()
    stars = sd.StarTracker("panel", rotation=TURN, noise=[1e-3, 2e-3, 1e-2], bias=[0, 0, 0.1], period=0.5, name="stars")
    run = sd.simulate(model, moving(model), 2.0, elements=[stars], record=0.5)
    for i in range(4):
        true = run.body("panel").rotation[i] @ TURN.as_matrix()
        off = sd.Rotation.from_matrix(true.T @ matrix(run["stars.attitude"][i])).as_rotvec()
        np.testing.assert_allclose(off, run["stars.noise"][i] + [0, 0, 0.1], atol=1e-13)


# --- files, linearization, bad input ---------------------------------------------------------------------------------


def test_scenarios_and_files_have_every_sensor(tmp_path):
    robot = sd.load("planar_four_link")
    body, end = robot.body_names[0], robot.endpoint_names[0]
    (tmp_path / "one.toml").write_text(f"""
robot = "planar_four_link"
duration = 0.5
record = 0.25
[state]
qd = [0.1, 0.2, -0.1, 0.3]
[[elements]]
kind = "gyro"
at = "{body}"
period = 0.1
noise = [1e-3, 0, 0]
rotation = [0, 0, 0.6, 0.8]
[[elements]]
kind = "star_tracker"
at = "{end}"
[[elements]]
kind = "sun_sensor"
at = ["{body}", [0.1, 0, 0]]
sun = [1, 0, 0]
[[elements]]
kind = "magnetometer"
at = "{body}"
field = {{ uniform = [0, 0, 1e-5] }}
[[elements]]
kind = "encoder"
joint = "joint2"
period = 0.1
quantum = 0.01
delay = 0.2
fail_at = 0.3
[[elements]]
kind = "relative_pose_sensor"
at = "{body}"
target = "{end}"
name = "camera"
""")
    run = sd.Scenario.from_toml(tmp_path / "one.toml").run()
    assert run["camera.position"].shape == (3, 3)
    run.save(tmp_path / "run.nc")
    again = sd.Run.load(tmp_path / "run.nc")
    assert [type(one) for one in again.simulation.elements] == [type(one) for one in run.simulation.elements]
    further, straight = again.resume(until=1.0), run.resume(until=1.0)
    np.testing.assert_array_equal(further[f"gyro_{body}.noise"], straight[f"gyro_{body}.noise"])


def test_a_linearization_has_sensors_as_they_are():
    model = slider()
    small = sd.linearize(
        model, model.neutral_state(), elements=[sd.Encoder("rail", period=0.1, noise=1.0, name="scale")]
    )
    assert small.names[-3:] == ("scale drift", "scale noise", "scale held") and not small.A[-3:].any()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: sd.Gyro("mass", noise=1.0), "noise needs a sampling period"),
        (lambda: sd.Gyro("mass", random_walk=1.0), "random_walk needs a sampling period"),
        (lambda: sd.Encoder("rail", quantum=1.0), "quantum needs a sampling period"),
        (lambda: sd.Encoder("rail", delay=1.0), "delay needs a sampling period"),
        (lambda: sd.Encoder("rail", period=0.1, delay=0.15), "multiple of the period"),
        (lambda: sd.Encoder("rail", period=0.1, delay=-0.1), "multiple of the period"),
        (lambda: sd.Encoder("rail", period=0.0), "period must be a positive time"),
        (lambda: sd.Encoder("rail", fault="frozen", fail_at=1.0), "needs a sampling period"),
        (lambda: sd.Encoder("rail", fault="broken"), "no fault 'broken'"),
        (lambda: sd.Encoder("rail", period=1.0, seed=-1), "seed must be"),
        (lambda: sd.Encoder("rail", limit=0.0), "limit must be positive"),
        (lambda: sd.Gyro("mass", period=1.0, quantum=[1.0, 2.0]), "quantum must be a number or 3"),
        (lambda: sd.Gyro("mass", noise=-1.0, period=1.0), "noise must not be negative"),
        (lambda: sd.Gyro("mass", bias=[1.0, 2.0]), "bias must be"),
        (lambda: sd.Gyro("mass", rotation=[0, 0, 0, 0]), "quaternion cannot be zero"),
        (lambda: sd.Gyro("mass", rotation=2 * np.eye(3)), "must be a rotation"),
        (lambda: sd.Gyro(3), "an endpoint, a body"),
        (lambda: sd.SunSensor("mass", sun=[0, 0, 0]), "sun must be a direction"),
        (lambda: sd.SunSensor("mass", sun=[0, 0, 1], field_of_view=7.0), "field_of_view must be an angle up to 2π"),
        (lambda: sd.SunSensor("mass", sun=[0, 0, 1], quantum=0.1), "quantum needs a sampling period"),
        (lambda: sd.StarTracker("mass", max_rate=0.0), "max_rate must be positive"),
        (lambda: sd.StarTracker("mass", sun=[0, 0, 1]), "both sun, its direction, and sun_exclusion"),
        (lambda: sd.StarTracker("mass", sun=[0, 0, 1], sun_exclusion=4.0), "sun_exclusion must be an angle up to π"),
        (lambda: sd.StarTracker("mass", quantum=-1.0, period=1.0), "quantum must be zero or positive"),
        (lambda: sd.RelativePoseSensor("mass", "mass", max_range=np.nan), "max_range must be one number"),
        (lambda: sd.RelativePoseSensor("mass", "mass", attitude_quantum=0.1), "quantum needs a sampling period"),
        (lambda: sd.simulate(*resting(), 1.0, elements=[sd.Gyro("nothing")]), "nothing"),
        (lambda: sd.simulate(*resting(), 1.0, elements=[sd.Encoder("nothing")]), "nothing"),
    ],
)
def test_bad_input_is_refused_by_name(make, words):
    with pytest.raises(sd.SpacedynError, match=words):
        make()
