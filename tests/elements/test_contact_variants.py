"""Contact of many kinds: shapes, surfaces, materials; ledger, packs, derivatives, files, bad input."""

import numpy as np
import pytest

import spacedyn as sd
from spacedyn.elements.stored import element_of, element_text
from touching import FINE, STIFF, G, box_on_slope, one_body

pytestmark = pytest.mark.packs

ROUGH = sd.ContactMaterial(2e4, 1.5, dissipation=0.3, friction=0.5, static_friction=0.7, bristle_stiffness=5e3)
GROUND = sd.RoughGround((6.0, 6.0), spacing=0.1, roughness=0.04, seed=2)
CORNERS = 0.5 * np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
CUBE = sd.TriangleMesh(CORNERS, [triangle for a, b, c, d in SIDES for triangle in ((a, b, c), (a, c, d))])
SURFACES = {
    "plane": sd.Plane((0.1, -0.2, 1.0)),
    "sphere": sd.SphereSurface(4.0, position=(0, 0, -4.0)),
    "bowl": sd.SphereSurface(3.0, hollow=True, position=(0, 0, 3.0)),
    "ellipsoid": sd.EllipsoidSurface((5.0, 4.0, 3.0), position=(0, 0, -3.0)),
    "ground": GROUND,
}


def tumbling_box(surface, guarded=True, material=ROUGH):
    box = one_body(2.0, (0.03, 0.04, 0.05))
    feet = sd.Contact(
        "body", shape=sd.shapes.box(0.0, (0.3, 0.4, 0.2)), surface=surface, material=material, guarded=guarded
    )
    start = box.state(base_position=[0.1, -0.1, 0.6], base_velocity=[0.3, 0.1, -0.5], base_rate=[1.0, -2.0, 0.5])
    return box, feet, start


@pytest.mark.parametrize("name", SURFACES)
def test_what_contact_loses_is_what_the_ledger_says(name):
    """A box tumbles over a surface: energy is lost as booked, to 1e-8, and impulse is what the ground gives."""
    box, feet, start = tumbling_box(SURFACES[name])
    fine = sd.DormandPrince8(rtol=1e-10, atol=1e-12)
    run = sd.simulate(box, start, 1.0, elements=[feet], gravity=[0, 0, -G], method=fine, record=0.02)
    lost = run["element_dissipated"][:, 0]
    total = run.energy().total
    assert lost[-1] > 1.0 and np.diff(lost).min() > -1e-9  # nothing comes back
    assert np.abs(total - total[0] + lost).max() < 1e-8 * lost[-1]
    assert run.audit().worst < 1e-8


def test_halving_the_tolerance_changes_the_end_in_its_order():
    """Sequences of impacts, sticks and slips converge; the differences fall with the tolerance."""
    box, feet, start = tumbling_box(GROUND)
    ends = []
    for tolerance in (1e-6, 1e-8, 1e-10, 1e-12):
        method = sd.DormandPrince8(rtol=tolerance, atol=tolerance)
        run = sd.simulate(box, start, 0.6, elements=[feet], gravity=[0, 0, -G], method=method, record=[0.6], budget=1.0)
        ends.append(run.final.x)
    errors = [np.abs(one - ends[-1]).max() for one in ends[:-1]]
    assert errors[1] < 0.1 * errors[0] and errors[2] < 0.1 * errors[1] and errors[2] < 1e-7, errors


def test_guards_and_signs_come_to_the_same():
    ends = []
    for guarded in (True, False):
        box, feet, start = tumbling_box(GROUND, guarded)
        fine = sd.DormandPrince8(rtol=1e-11, atol=1e-12)
        run = sd.simulate(box, start, 0.6, elements=[feet], gravity=[0, 0, -G], method=fine, record=[0.6])
        ends.append(run.final.x)
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-8)


@pytest.mark.parametrize("guarded", [True, False])
def test_packs_and_single_robots_agree(guarded):
    box, feet, start = tumbling_box(GROUND, guarded)
    rng = np.random.default_rng(1)
    speeds = start.base_velocity + 0.2 * rng.normal(size=(9, 3))
    many = box.state(base_position=start.base_position, base_velocity=speeds, base_rate=start.base_rate)
    options = {
        "gravity": [0, 0, -G],
        "method": sd.RungeKutta4(1e-3),
        "record": [0.5],
        "budget": 1.0,
        "elements": [feet],
    }
    runs = sd.simulate(box, many, 0.5, **options)
    for i in (0, 3, 8):
        alone = sd.simulate(box, many[i], 0.5, **options)
        np.testing.assert_allclose(runs.final.x[i], alone.final.x, atol=1e-9)
    fine = options | {"method": sd.DormandPrince8(rtol=1e-10, atol=1e-12)}
    runs, alone = sd.simulate(box, many, 0.5, **fine), sd.simulate(box, many[4], 0.5, **fine)
    np.testing.assert_allclose(runs.final.x[4], alone.final.x, atol=1e-7)


@pytest.mark.parametrize("bristle_time", [None, 0.01])
@pytest.mark.parametrize("way", ["forces", "events", "steps"])
def test_robots_that_differ_touch_as_they_do_alone(way, bristle_time):
    """Masses that are 1 to 3: bristles take their damping from these, if no time is given."""
    fleet = one_body(2.0, (0.03, 0.04, 0.05)).vary(mass={"body": [1.0, 2.0, 3.0]})
    foot = [(0.1, 0.1, -0.1), (-0.1, 0.05, -0.1)]
    wood = sd.ContactMaterial(1e5, 1.5, dissipation=0.3, friction=0.5, bristle_time=bristle_time)
    feet = sd.RigidContact("body", foot, None, 0.5, 0.5) if way == "events" else sd.Contact("body", foot, material=wood)
    options = {"elements": [feet], "gravity": (0, 0, -G), "record": 0.05}
    options |= {"method": sd.TimeStepping(1e-3)} if way == "steps" else {}
    places = {"base_position": (0, 0, 0.3), "base_velocity": (1.0, 0.2, -1.0)}
    run = sd.simulate(fleet, fleet.state(**places), 0.25, **options)
    assert run["element_dissipated"][-1].min() > 0.1
    for i in range(3):
        alone = sd.simulate(fleet[i], fleet[i].state(**places), 0.25, **options)
        np.testing.assert_allclose(run["u"][:, i], alone["u"], atol=1e-9)


def test_a_robot_of_a_fleet_that_starts_in_the_ground_is_named():
    fleet = one_body(2.0, (0.03, 0.04, 0.05)).vary(mass={"body": [1.0, 2.0]})
    low = fleet.state(base_position=[[0, 0, 0.4], [0, 0, -0.05]])
    with pytest.raises(sd.InputError, match=r"robot 1, starts 0\.05 m deep"):
        sd.simulate(fleet, low, 0.1, elements=[sd.RigidContact("body", (0, 0, 0))])


@pytest.mark.parametrize("name", SURFACES)
def test_derivatives_by_duals_are_differences(name):
    """`linearize` against central differences of accelerations, in contact, sliding and sticking."""
    box, feet, start = tumbling_box(SURFACES[name])
    run = sd.simulate(box, start, 0.5, elements=[feet], gravity=[0, 0, -G], record=0.005)
    touching = np.flatnonzero((run["contact.normal_force"] > 1.0).any(axis=1))
    state = run.states[int(touching[len(touching) // 2])].with_internal(
        {"contact.bristle": run["contact.bristle"][int(touching[len(touching) // 2])]}
    )
    small = sd.linearize(box, state, elements=[feet], gravity=[0, 0, -G])

    def rates(moved):
        h = 1e-6
        step = sd.simulate(
            box, moved, h, elements=[feet], gravity=[0, 0, -G], method=sd.RungeKutta4(h), record=[h], budget=1e9
        )
        return (step.final.u - moved.u) / h

    for k, column in enumerate(np.eye(box.nv)[:6]):
        h = 1e-4
        plus, minus = (
            state.replace(
                base_velocity=state.base_velocity + s * h * column[:3], base_rate=state.base_rate + s * h * column[3:]
            )
            for s in (1, -1)
        )
        slope = (rates(plus) - rates(minus)) / (2 * h)
        np.testing.assert_allclose(small.A[6:12, 6 + k], slope, atol=2e-3 * max(1.0, np.abs(small.A[6:12, 6:12]).max()))


def test_bodies_that_touch_keep_their_momentum():
    """A ball of one body rolls over a sphere of another, with friction: nothing comes from outside."""
    b = sd.Builder("pair")
    b.base("planet", mass=50.0, inertia=(5.0, 5.5, 6.0))
    b.link("moon", "free", parent="planet", mass=2.0, inertia=(0.01, 0.012, 0.014))
    b.endpoint("tip", body="moon", position=(0, 0, 0))
    pair = b.build()
    touch = sd.Contact("moon", (0, 0, 0.02), sd.SphereSurface(0.5), ROUGH, other="planet", radius=0.1)
    flight = {"q": {"moon": [0.62, 0.05, 0, 0, 0, 0, 1.0]}, "qd": {"moon": [-0.3, 0, 0.1, 2.0, 5.0, -1.0]}}
    run = sd.simulate(
        pair, pair.state(**flight, base_rate=[0.2, -0.1, 0.3]), 0.6, elements=[touch], method=FINE, record=0.01
    )
    assert run["normal_force"].max() > 1.0 and run["element_dissipated"][-1, 0] > 1e-3
    momentum = run.momentum(about="com")
    assert np.abs(momentum - momentum[0]).max() < 1e-11 and run.audit().worst < 1e-8


def test_a_wheel_rolls_on_its_rim():
    """A disc on edge, given speed and spin, rolls on straight; a tilted one has its gap from its lowest point."""
    wheel = one_body(1.0, (0.0025, 0.005, 0.0025))
    rim = sd.Contact("body", (0, 0, 0), material=ROUGH, semi_axes=(0.1, 0.0, 0.1), name="rim")
    start = wheel.state(base_position=[0, 0, 0.1], base_velocity=[0.5, 0, 0], base_rate=[0, 5.0, 0])
    run = sd.simulate(wheel, start, 0.5, elements=[rim], gravity=[0, 0, -G], method=FINE, record=0.01)
    assert abs(run.final.base_velocity[0] - 0.5) < 0.01 and abs(run.final.base_position[1]) < 1e-12
    np.testing.assert_allclose(run["rim.contact_point"][:, 0], run.states.base_position[:, 0], atol=1e-9)
    for tilt in (0.3, 1.2):
        state = wheel.state(base_position=[0, 0, 0.5], base_attitude=sd.Rotation.from_euler("xy", [tilt, 0.4]))
        run = sd.simulate(wheel, state, 1e-3, elements=[rim], record=[0.0])
        n = state.base_attitude.inv().apply([0, 0, 1.0])
        assert abs(run["gap"][0, 0] - (0.5 - 0.1 * np.hypot(n[0], n[2]))) < 1e-12
        assert abs(rim.gaps(state)[0] - run["gap"][0, 0]) < 1e-12


@pytest.mark.parametrize(
    ("shape", "lowest"),
    [
        (sd.shapes.box(0.0, (0.2, 0.4, 0.6)), 0.3),
        (sd.shapes.sphere(0.0, 0.25), 0.25),
        (sd.shapes.cylinder(0.0, 0.1, 0.5), 0.25),
        (sd.shapes.cone(0.0, 0.1, 0.5), 0.0),
        (sd.shapes.rod(0.0, 0.8), 0.4),
        (sd.shapes.box(0.0, (0.2, 0.4, 0.6), rotation=sd.Rotation.from_euler("x", 90, degrees=True)), 0.2),
    ],
)
def test_shapes_touch_at_their_lowest_points(shape, lowest):
    thing, state = one_body(), one_body().state(base_position=[0, 0, 1.0])
    feet = sd.Contact("body", shape=shape, material=ROUGH)
    run = sd.simulate(thing, thing.state(base_position=[0, 0, 1.0]), 1e-3, elements=[feet], record=[0.0])
    name = "gap" if len(feet.touching.places) == 1 else "contact.gap"
    assert abs(run[name][0].min() - (1.0 - lowest)) < 1e-12
    np.testing.assert_allclose(np.sort(feet.gaps(state)), np.sort(run[name][0]), atol=1e-12)


def test_friction_at_rest_alone_is_felt_without_bristles():
    """It slips slowly, where the static coefficient's smoothed friction balances a push along the ground."""
    body, push, slip_speed = one_body(), 1.0, 1e-5
    rubs = sd.ContactMaterial(1e5, 1.0, damping=300.0, static_friction=0.5, sticks=False, slip_speed=slip_speed)
    mass = body.bodies[0].mass
    feet = sd.Contact("body", [(0.1, 0.1, 0), (-0.1, 0.1, 0), (0.1, -0.1, 0), (-0.1, -0.1, 0)], material=rubs)
    start = body.state(base_position=[0, 0, -mass * G / 4e5])
    run = sd.simulate(body, start, 0.5, elements=[feet], gravity=(push, 0, -G), record=[0.5])
    share = push / (0.5 * G)
    assert abs(run.final.base_velocity[0] / (slip_speed * share / np.sqrt(1.0 - share**2)) - 1.0) < 1e-3


def test_adhesion_pulls_and_has_its_energy():
    """A ball that adheres: it takes adhesion times range and half of it to part; at less speed it stays."""
    ball = one_body()
    sticky = sd.ContactMaterial(1e4, 1.0, adhesion=2.0, adhesion_range=1e-2)
    floor = sd.Contact("body", (0, 0, 0), radius=0.1, material=sticky)
    deep = 2.0 / 1e4  # where the pull and the spring are equal
    energy = 2.0 * (0.5e-2 + deep) - 0.5 * 1e4 * deep**2
    for share, parts in ((0.98, False), (1.02, True)):
        start = ball.state(base_position=[0, 0, 0.1 - deep], base_velocity=[0, 0, np.sqrt(2 * energy * share)])
        run = sd.simulate(ball, start, 1.0, elements=[floor], method=FINE, record=0.01)
        assert (run.final.base_position[2] > 0.11) == parts and run.audit().energy < 1e-9


def test_rolling_and_turning_are_resisted():
    """A rolling ball slows by rolling / (7/5 R) g; one that spins in place by torsion g m / J."""
    ball = one_body()
    slow = {"rolling": 1e-3, "torsion": 2e-3, "turn_rate": 1e-6}
    material = sd.ContactMaterial(1e6, 1.0, dissipation=1.0, friction=0.5, bristle_stiffness=1e6, **slow)
    floor = sd.Contact("body", (0, 0, 0), radius=0.1, material=material)
    start = ball.state(base_position=[0, 0, 0.1 - G / 1e6], base_velocity=[1.0, 0, 0], base_rate=[0, 10.0, 0])
    run = sd.simulate(ball, start, 1.0, elements=[floor], gravity=[0, 0, -G], method=STIFF, record=[0.5, 1.0])
    speed = run.states.base_velocity[:, 0]
    assert abs((speed[1] - speed[0]) / 0.5 + 1e-3 * G / (1.4 * 0.1)) < 1e-6
    spin = ball.state(base_position=[0, 0, 0.1 - G / 1e6], base_rate=[0, 0, 10.0])
    run = sd.simulate(ball, spin, 1.0, elements=[floor], gravity=[0, 0, -G], method=STIFF, record=[0.5, 1.0])
    assert abs((run.states.base_rate[1, 2] - run.states.base_rate[0, 2]) / 0.5 + 2e-3 * G / 4e-3) < 1e-6


def test_regularised_friction_slides_like_coulomb_and_creeps():
    angle = np.radians(30.0)
    box, feet, start, down = box_on_slope(angle, 0.3)
    soft = sd.ContactMaterial(1e6, 1.0, dissipation=1.0, friction=0.3, sticks=False)
    feet = sd.Contact("body", shape=feet.shape, surface=feet.surface, material=soft)
    assert feet.states == ()
    run = sd.simulate(box, start, 3.0, elements=[feet], gravity=[0, 0, -G], method=STIFF, record=[2.0, 3.0])
    speed = run.states.base_velocity @ down
    assert abs((speed[1] - speed[0]) / (G * (np.sin(angle) - 0.3 * np.cos(angle))) - 1.0) < 1e-7
    creeping = sd.ContactMaterial(1e6, 1.0, dissipation=1.0, friction=1.0, sticks=False, slip_speed=1e-4)
    feet = sd.Contact("body", shape=feet.shape, surface=feet.surface, material=creeping)
    run = sd.simulate(box, start, 3.0, elements=[feet], gravity=[0, 0, -G], method=STIFF, record=[3.0])
    creep = np.tan(angle) / np.sqrt(1.0 - np.tan(angle) ** 2) * 1e-4
    assert abs(run.final.base_velocity @ down / creep - 1.0) < 1e-4


def test_a_spring_and_damper_never_pulls():
    """1 kg on 400 N/m and 10 N s/m from 1 m/s: it lets go where the force is zero, and the speed is that of theory."""
    k, d, v = 400.0, 10.0, 1.0
    ball = one_body()
    floor = sd.Contact("body", (0, 0, 0), material=sd.ContactMaterial(k, 1.0, damping=d))
    start = ball.state(base_position=[0, 0, 0.1], base_velocity=[0, 0, -v])
    run = sd.simulate(ball, start, 1.0, elements=[floor], method=FINE, record="steps")
    g = d / 2
    w = np.sqrt(k - g**2)
    t = (np.pi + np.arctan(2 * g * w / (g**2 - w**2))) / w
    expected = -v * np.exp(-g * t) * (np.cos(w * t) - g / w * np.sin(w * t))
    assert abs(run.final.base_velocity[2] - expected) < 1e-9
    assert run["normal_force"].min() >= 0.0 and run.audit().worst < 1e-9


@pytest.mark.parametrize("name", [*SURFACES, "bilinear"])
def test_nothing_falls_through_at_10_km_per_second(name):
    """A point at 10 km/s: it comes back, or the run ends with an error that names the contact; it never passes."""
    surface = SURFACES.get(name) or sd.RoughGround((6.0, 6.0), 0.1, 0.04, seed=2, smooth=False)
    ball = one_body()
    foot = sd.Contact("body", (0, 0, 0), surface=surface, material=sd.ContactMaterial(1e9, 1.0, dissipation=1e-4))
    start = ball.state(base_position=[0.05, 0.03, 1.0], base_velocity=[0, 0, -1e4])
    try:
        run = sd.simulate(ball, start, 1e-3, elements=[foot], record=[1e-3], budget=1.0)
        assert run.final.base_velocity[2] > 0.0
    except sd.SimulationFailed as error:
        assert "Contact 'contact'" in str(error)
    hard = sd.Contact("body", (0, 0, 0), surface=surface, material=sd.ContactMaterial(1e13, 1.0, dissipation=1e-4))
    run = sd.simulate(ball, start, 1e-3, elements=[hard], record=[1e-3], budget=1.0)
    assert run.final.base_velocity[2] > 0.0


def shot_at(surface, duration=1e-3, **options):
    """A ball at 10 km/s, with a material that is too soft; recorded at the end alone."""
    soft = sd.ContactMaterial(1e9, 1.5, dissipation=1e-5)
    foot = sd.Contact("body", (0, 0, 0), surface, soft, radius=0.05, name="foot")
    start = one_body().state(base_position=[0, 0, 3.0], base_velocity=[0, 0, -1e4])
    return sd.simulate(start.model, start, duration, elements=[foot], **{"record": [duration]} | options)


@pytest.mark.parametrize("surface", [sd.SphereSurface(0.5), sd.EllipsoidSurface((0.5, 0.4, 0.3))])
def test_a_surface_that_is_too_soft_is_named_whenever_the_last_record_was(surface):
    with pytest.raises(sd.SimulationFailed, match=r"Contact 'foot': a point of 'body' was 0\.\d+ m deep .* too soft"):
        shot_at(surface)


@pytest.mark.parametrize("method", [sd.RungeKutta4(3e-4), sd.DormandPrince8(step=3e-4)])
@pytest.mark.parametrize("surface", [sd.SphereSurface(0.3), CUBE, sd.EllipsoidSurface((1, 1, 0.1))])
def test_a_fixed_step_that_may_pass_through_is_warned_of(surface, method):
    with pytest.warns(sd.RunWarning, match=r"Contact 'foot': point 0 of 'body' moves 3 m within a step of 0.0003 s"):
        try:
            shot_at(surface, method=method, budget=1e9)
        except sd.SimulationFailed as error:
            assert "too long" in str(error)


def test_a_fixed_step_far_too_long_ends_with_the_cause():
    """Motion goes beyond 1e100 m before it is noticed."""
    with pytest.raises(sd.SimulationFailed, match=r"far too long; 'foot' is stiff"):
        shot_at(sd.SphereSurface(9.0, hollow=True), 0.1, method=sd.RungeKutta4(0.0137), record=0.0137)


@pytest.mark.parametrize("method", [None, sd.TimeStepping(1e-3)], ids=["by forces", "by steps"])
@pytest.mark.parametrize("rigid", [False, True])
def test_what_starts_at_the_centre_of_a_hollow_sphere_falls_to_its_bottom(rigid, method):
    """There every point of the surface is nearest, and the gap has no gradient."""
    ball, cavity = one_body(), sd.SphereSurface(1.0, hollow=True)
    if rigid:
        inside = sd.RigidContact("body", (0, 0, 0), cavity, friction=0.3, radius=0.1)
    else:
        inside = sd.Contact("body", (0, 0, 0), cavity, ROUGH, radius=0.1)
    start = ball.state()
    options = {"elements": [inside], "gravity": (0, 0, -G), "record": 0.1, **({"method": method} if method else {})}
    run = sd.simulate(ball, start, 0.4, **options)
    np.testing.assert_allclose(run.states.base_position[-1], [0, 0, -0.5 * G * 0.4**2], atol=2e-3 if method else 1e-12)
    if not rigid:
        assert np.isfinite(sd.linearize(ball, start, elements=[inside], gravity=(0, 0, -G)).A).all()


def test_contacts_come_back_from_files(tmp_path):
    for surface in (*SURFACES.values(), None):
        box, feet, start = tumbling_box(surface)
        again = element_of(element_text(feet))
        np.testing.assert_array_equal(again.numbers(box).numbers, feet.numbers(box).numbers)
        assert again.numbers(box).integers == feet.numbers(box).integers
    run = sd.simulate(box, start, 0.3, elements=[feet], gravity=[0, 0, -G], record=0.1)
    run.save(tmp_path / "run.nc")
    loaded = sd.Run.load(tmp_path / "run.nc")
    np.testing.assert_array_equal(loaded["contact.gap"], run["contact.gap"])
    assert loaded.resume(until=0.4).audit().within_budget


SCENARIO = """
robot = "box.toml"
duration = 0.3
gravity = [0, 0, -9.81]

[state]
base_position = [0, 0, 0.3]

[[elements]]
kind = "contact"
name = "feet"
body = "body"
shape = { kind = "box", size = [0.3, 0.4, 0.2] }
surface = { kind = "rough_ground", size = [4, 4], spacing = 0.1, roughness = 0.02, seed = 1 }
material = { stiffness = 2e4, dissipation = 0.3, friction = 0.5, bristle_stiffness = 5e3 }

[[elements]]
kind = "contact"
name = "tip"
body = "body"
points = [0, 0, 0.3]
material = { pair = "steel on steel", radius = 0.01 }
"""


def test_contacts_in_scenarios(tmp_path):
    one_body(2.0, (0.03, 0.04, 0.05)).to_toml(tmp_path / "box.toml")
    (tmp_path / "drop.toml").write_text(SCENARIO)
    run = sd.Scenario.from_toml(tmp_path / "drop.toml").run()
    assert run["feet.normal_force"].max() > 10.0 and run.audit().within_budget


def test_measured_pairs_have_hertz_stiffness():
    ball = sd.contact_material("steel on steel", radius=0.01, friction=0.1, static_friction=0.2)
    reduced = 1.0 / (2.0 * (1.0 - 0.29**2) / 200e9)
    assert abs(ball.stiffness / (4.0 / 3.0 * reduced * 0.1) - 1.0) < 1e-12 and ball.friction == 0.1
    made = sd.ContactMaterial.for_restitution(1e5, 0.593624260040040, 2.0)
    assert abs(made.dissipation - 0.5) < 1e-12


def bad(body="body", points=(0, 0, 0), **more):
    return sd.Contact(body, points, **{"material": ROUGH} | more)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sd.Contact("body", (0, 0, 0)), "give a material"),
        (lambda: bad(points=None), "one of both"),
        (lambda: bad(shape=sd.shapes.box(0, (1, 1, 1))), "one of both"),
        (lambda: bad(points=[[0, 0]]), r"places \(3,\)"),
        (lambda: bad(radius=-1.0), "radius must not be negative"),
        (lambda: bad(other="body"), "cannot touch itself"),
        (lambda: bad(deepest=0.0), "deepest"),
        (lambda: bad(radius=1.0, surface=GROUND), "several places"),
        (lambda: bad(radius=0.1, surface=sd.HeightField(np.zeros((3, 3)), smooth=False)), "several places"),
        (lambda: bad(radius=3.0, surface=sd.SphereSurface(2.0, hollow=True)), "several places"),
        (lambda: bad(shape={"kind": "bax"}, points=None), "no shape 'bax'"),
        (lambda: bad(material={"friction": 0.1}), "give its stiffness"),
        (lambda: sd.ContactMaterial(1e5, friction=-0.1), "friction must not be negative"),
        (lambda: sd.ContactMaterial(0.0), "stiffness must be positive"),
        (lambda: sd.ContactMaterial(1e5, 0.5), "exponent must be 1 or more"),
        (lambda: sd.ContactMaterial(1e5, friction=0.5, static_friction=0.4), "at least friction"),
        (lambda: sd.ContactMaterial.for_restitution(1e5, 1.2, 1.0), "up to 1"),
        (lambda: sd.ContactMaterial(1e5, damping=1.0).restitution(1.0), "simulate it"),
        (lambda: sd.contact_material("steel on cheese", radius=1.0), "no pair of materials named 'steel on cheese'"),
    ],
)
def test_bad_contacts_are_refused_by_name(make, message):
    with pytest.raises(sd.SpacedynError, match=message):
        make()


def test_bad_starts_are_refused_or_warned_of():
    ball = one_body()
    deep = sd.Contact("body", (0, 0, 0), sd.SphereSurface(1.0), ROUGH, name="rock")
    with pytest.raises(
        sd.InputError, match=r"Contact 'rock': point 0 of 'body' at \[0.0, 0.0, 0.0\] starts 0.8 m deep"
    ):
        sd.simulate(ball, ball.state(base_position=[0, 0, 0.2]), 1.0, elements=[deep])
    with pytest.warns(sd.RunWarning, match="starts 0.4 m deep"):
        hard = sd.Contact("body", (0, 0, 0), sd.SphereSurface(1.0), sd.ContactMaterial(1e8), name="rock")
        sd.simulate(ball, ball.state(base_position=[0, 0, 0.6]), 1e-6, elements=[hard], budget=1.0)
    with pytest.raises(sd.SpacedynError, match="no body named 'nobody'"):
        sd.simulate(ball, ball.neutral_state(), 1.0, elements=[bad("nobody")])
    b = sd.Builder("arm")
    b.base("bus", mass=5.0, inertia=(1.0, 1.1, 1.2))
    b.link("arm", "revolute", parent="bus", position=(1, 0, 0), mass=1.0, inertia=(0.1, 0.11, 0.12))
    arm = b.build()
    with pytest.warns(sd.ModelWarning, match="are joined by 'arm'"):
        touch = sd.Contact("arm", (1, 0, 0), sd.Plane((1, 0, 0)), ROUGH, other="bus")
        sd.simulate(arm, arm.neutral_state(), 1e-3, elements=[touch])
