"""Rigid contact by events: bounces, rest, rolling, sliding, several at once, bad input."""

import numpy as np
import pytest

import spacedyn as sd

G = 9.81
DOWN = (0.0, 0.0, -G)


@pytest.fixture(scope="module")
def ball():
    b = sd.Builder("ball")
    b.base("ball", mass=1.0, inertia=(4e-3, 4e-3, 4e-3))
    return b.build()


@pytest.fixture(scope="module")
def box():
    b = sd.Builder("box")
    b.base("box", mass=1.0, inertia=(0.05 / 3, 0.05 / 3, 0.08 / 3))
    return b.build()


def floor(**fields):
    return sd.RigidContact("ball", (0, 0, 0), radius=0.1, name="floor", **fields)


def impacts(run):
    return [event for event in run.events if "impact" in event.name]


def lift_with_ball():
    b = sd.Builder("lift", base="fixed")
    b.base("ground")
    b.link("plate", "prismatic", parent="ground", axis=(0, 0, 1), mass=5.0, inertia=(0.3, 0.4, 0.5))
    b.link("ball", "free", parent="ground", mass=1.0, inertia=(4e-3, 4e-3, 4e-3))
    return b.build()


@pytest.mark.parametrize("driven", ["joint", "loop"])
def test_the_work_of_a_driven_floor_during_an_impact_is_in_the_ledger(driven):
    """Closed form: what drives a plate at a speed V gives V times its weight over time, and V times the impulse."""
    model, V, e, T = lift_with_ball(), 0.5, 0.5, 0.2
    plate = sd.RigidContact("ball", (0, 0, 0), radius=0.1, other="plate", restitution=e)
    times = np.linspace(0.0, 1.0, 11)
    places = np.outer(V * times, (0, 0, 1))
    lift = sd.Loop("plane", "plate", axis=(0, 0, 1), times=times, positions=places)
    start = model.state(q={"ball": [0, 0, 0.2, 0, 0, 0, 1]}, qd={"plate": [V]})
    if driven == "joint":
        moved = {"plate": np.polynomial.Polynomial([0.0, V])}
        run = sd.simulate(model, start, T, gravity=DOWN, elements=[plate], prescribed=moved)
        work = run["joint_work"][-1, 0]
    else:
        run = sd.simulate(model, start, T, gravity=DOWN, elements=[plate, lift])
        work = run["element_work"][-1, 1]
    impulse = (1.0 + e) * np.sqrt(V**2 + 2.0 * G * 0.1)
    assert work == pytest.approx(V * (5.0 * G * T + impulse), rel=1e-12)
    assert run.audit().energy < 1e-12


def pendulum():
    """Turns about y, 0.5 m above the floor: all of its points move in one way only."""
    b = sd.Builder("pendulum", base="fixed")
    b.base("ground")
    b.link(
        "rod",
        parent="ground",
        position=(0, 0, 0.5),
        axis=(0, 1, 0),
        mass=1.0,
        com=(0.5, 0, 0),
        inertia=(0.01, 0.1, 0.1),
    )
    return b.build()


@pytest.mark.parametrize("law", ["newton", "poisson", "stronge"])
def test_a_robot_of_one_freedom_strikes_with_friction(law):
    """Closed form: slip and approach change together; friction helps in compression and hinders in expansion."""
    model, e, mu, inertia = pendulum(), 0.5, 0.3, 0.35
    c, s = np.sqrt(0.75), 0.5
    before = np.sqrt(G * (0.5 + np.sin(0.5)) / inertia)
    run = sd.simulate(
        model,
        model.state(q=[-0.5]),
        2.0,
        gravity=DOWN,
        elements=[sd.RigidContact("rod", (1, 0, 0), restitution=e, friction=mu, restitution_law=law)],
    )
    ratio = (c - mu * s) / (c + mu * s)
    after = {"newton": e, "poisson": e * ratio, "stronge": e * np.sqrt(ratio)}[law] * before
    struck = run.events[0]
    assert struck.state.qd[0] == pytest.approx(before, rel=1e-10)
    assert struck.after.qd[0] == pytest.approx(-after, rel=1e-10)
    assert run.events[-1].name.endswith("comes to rest") and abs(run.final.qd[0]) < 1e-12
    assert run.audit().within_budget


@pytest.mark.parametrize("points", [[(1, 0, 0)], [(1, 0.1, 0), (1, -0.1, 0)]])
def test_friction_beyond_what_one_freedom_can_slip_stops_it(points):
    """With friction above cot 30° no impulse at the point moves the rod back: it stays where it strikes."""
    model = pendulum()
    feet = sd.RigidContact("rod", points, restitution=0.5, friction=2.5)
    run = sd.simulate(model, model.state(q=[-0.5]), 1.0, gravity=DOWN, elements=[feet])
    assert abs(run.final.q[0] - np.pi / 6) < 1e-9 and abs(run.final.qd[0]) < 1e-12
    assert run.audit().within_budget


def test_friction_does_not_matter_to_a_slider_that_only_rises_and_falls():
    """Closed form: rest after T (1 + e) / (1 - e), as without friction."""
    b = sd.Builder("slider", base="fixed")
    b.base("ground")
    b.link("foot", "prismatic", parent="ground", axis=(0, 0, 1), mass=1.0, inertia=(0.01, 0.02, 0.02))
    model = b.build()
    for points in ([(0.1, 0, 0)], [(0.1, 0, 0), (-0.1, 0.1, 0), (-0.1, -0.1, 0)]):
        sole = sd.RigidContact("foot", points, restitution=0.5, friction=0.5)
        run = sd.simulate(model, model.state(q=[1.0]), 2.0, gravity=DOWN, elements=[sole])
        assert run.events[-1].time == pytest.approx(3.0 * np.sqrt(2.0 / G), abs=1e-10)


@pytest.mark.parametrize("law", ["newton", "poisson", "stronge"])
@pytest.mark.parametrize("many", [1, 2, 4])
def test_friction_acts_during_expansion_however_many_points_touch(law, many):
    """Closed form: a plate that slides on takes mu (1 + e) of its speed of approach from its slip."""
    corners = [(0.3, 0.3, 0), (-0.3, -0.3, 0), (0.3, -0.3, 0), (-0.3, 0.3, 0)][:many] if many > 1 else [(0, 0, 0)]
    b = sd.Builder("plate")
    b.base("plate", mass=2.0, inertia=(0.1, 0.1, 0.2))
    plate = b.build()
    ground = sd.RigidContact("plate", corners, restitution=0.5, friction=0.2, restitution_law=law)
    start = plate.state(base_position=[0, 0, 0.1], base_velocity=[3.0, 0, -1.0])
    run = sd.simulate(plate, start, 0.15, elements=[ground])
    assert np.abs(run.final.base_velocity - [3.0 - 0.2 * 1.5, 0.0, 0.5]).max() < 1e-12


@sd.condition
def clock(t, s, p, out):
    out.value[0] = t - p.time


def moved_at_half_a_second(ball, place, speed):
    """A ball that rolls, until an event moves it."""

    def move(t, now):
        return ball.state(
            base_position=now.base_position + np.array([0, 0, place]),
            base_attitude=now.base_attitude,
            base_velocity=now.base_velocity + np.array([0, 0, speed]),
            base_rate=now.base_rate,
        )

    start = ball.state(base_position=[0, 0, 0.1], base_velocity=[1.0, 0, 0], base_rate=[0, 10.0, 0])
    event = sd.Event(clock(time=0.5), direction=1, action=move)
    one = floor(restitution=0.5, friction=0.3)
    return sd.simulate(ball, start, 2.0, gravity=DOWN, elements=[one], events=[event])


@pytest.mark.parametrize(("place", "speed", "flight"), [(0.0, 2.0, 4.0 / G), (0.5, 0.0, np.sqrt(1.0 / G)), (0, -2, 0)])
def test_an_event_may_kick_or_lift_a_ball_that_rests(ball, place, speed, flight):
    """Closed form: it flies and falls, or strikes at once."""
    run = moved_at_half_a_second(ball, place, speed)
    first = impacts(run)[0]
    assert first.time == pytest.approx(0.5 + flight, abs=1e-10)
    assert first.impulse[2] == pytest.approx(1.5 * (2.0 if speed else np.sqrt(G)), rel=1e-9)
    assert run.audit().within_budget


def test_an_event_that_puts_a_ball_into_the_floor_is_told_so(ball):
    with pytest.raises(sd.SimulationFailed, match=r"an event has put point 0 of 'floor' 0\.05 m deep into its surface"):
        moved_at_half_a_second(ball, -0.05, 0.0)


# --- bounces and rest -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("e", [0.5, 0.8])
def test_a_ball_comes_to_rest_at_zenos_time(ball, e):
    """Closed form: bounces at T + 2T(e + e² + ...), heights h e^(2k), rest at T (1 + e) / (1 - e), to 1e-9."""
    T = np.sqrt(2.0 / G)
    rest = T * (1.0 + e) / (1.0 - e)
    k = np.arange(1, 7)
    tops = T * (1.0 + 2.0 * e * (1.0 - e ** (k - 1)) / (1.0 - e) + e**k)
    times = [*tops, 1.2 * rest]
    start = ball.state(base_position=[0, 0, 1.1])
    run = sd.simulate(ball, start, 1.2 * rest, gravity=DOWN, elements=[floor(restitution=e)], record=times)
    hits = np.array([event.time for event in impacts(run)])
    k = np.arange(len(hits))
    assert len(hits) > 15
    assert np.abs(hits - T * (1.0 + 2.0 * e * (1.0 - e**k) / (1.0 - e))).max() < 1e-9
    last = run.events[-1]
    assert last.name == "floor: point 0 comes to rest" and abs(last.time - rest) < 1e-9
    assert {type(event.time) for event in run.events} == {float}
    heights = run.states.base_position[-7:-1, 2] - 0.1
    assert np.abs(heights - e ** (2.0 * np.arange(1, 7))).max() < 1e-11
    assert run.final.base_position[2] == pytest.approx(0.1, abs=1e-14) and not np.any(run.final.base_velocity)
    speeds = np.array([event.impulse[2] for event in impacts(run)[:10]])
    assert speeds == pytest.approx((1.0 + e) * np.sqrt(2.0 * G) * e ** k[:10], rel=1e-9)
    assert run["element_dissipated"][-1, 0] == pytest.approx(G, rel=2e-12)
    assert run.audit().worst < 1e-11


def test_without_loss_it_bounces_for_ever(ball):
    """A thousand periods of an elastic ball: no height is lost, no time is gained."""
    T = np.sqrt(2.0 * 0.05 / G)
    run = sd.simulate(
        ball, ball.state(base_position=[0, 0, 0.15]), 200 * T, gravity=DOWN, elements=[floor(restitution=1.0)],
        record=20 * T,
    )  # fmt: skip
    assert run.states.base_position[:, 2] == pytest.approx(np.full(len(run.time), 0.15), abs=1e-10)
    assert run.audit().worst < 1e-11


@pytest.mark.parametrize("law", ["newton", "poisson", "stronge"])
def test_an_offset_impact_without_friction(law):
    """REFERENCES.md 15: impulse and rates to all of its digits; the same by RungeKutta4."""
    b = sd.Builder("lander")
    b.base("bus", mass=500.0, inertia=(300, 350, 400))
    lander = b.build()
    rock = sd.RigidContact("bus", (0.3, 0.2, -1.2), restitution=0.84, restitution_law=law, name="rock")
    start = lander.state(base_position=[0, 0, 1.21], base_velocity=[0.02, 0, -0.1])
    for method in (None, sd.RungeKutta4(step=0.03)):
        run = sd.simulate(lander, start, 0.2, elements=[rock], record=0.1, method=method)
        (event,) = run.events
        assert event.time == pytest.approx(0.1, abs=1e-10)
        assert event.impulse == pytest.approx([0, 0, 76.97211155], abs=1e-8)
        assert event.place == pytest.approx([0.302, 0.2, 0.0], abs=1e-10)
        assert event.after.base_rate == pytest.approx([0.0513147410, -0.0659760956, 0.0], abs=1e-10)
        lost = 0.5 * 500.0 * (0.01 - event.after.base_velocity[2] ** 2) - 0.5 * event.after.base_rate @ (
            [300, 350, 400] * event.after.base_rate
        )
        assert run["element_dissipated"][-1, 0] == pytest.approx(lost, rel=1e-12)
        assert run.audit().worst < 1e-12


# --- friction ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spin,rolls", [(0.0, 1.4285714285714286), (-30.0, 0.5714285714285714)])
def test_a_ball_slides_then_rolls(ball, spin, rolls):
    """cases.json, ball_slides_then_rolls: to 1e-8, here to 1e-11."""
    start = ball.state(base_position=[0, 0, 0.1], base_velocity=[2.0, 0, 0], base_rate=[0, spin, 0])
    run = sd.simulate(ball, start, 1.0, gravity=DOWN, elements=[floor(friction=0.3)], record=0.25)
    (event,) = run.events
    assert event.name == "floor: point 0 sticks"
    until = (2.0 - 0.1 * spin) / (3.5 * 0.3 * G)
    assert event.time == pytest.approx(until, abs=1e-11)
    assert run.final.base_velocity == pytest.approx([rolls, 0, 0], abs=1e-12)
    assert run.final.base_rate[1] == pytest.approx(10.0 * rolls, abs=1e-11)
    x = 2.0 * until - 0.5 * 0.3 * G * until**2 + rolls * (1.0 - until)
    assert run.final.base_position[0] == pytest.approx(x, abs=1e-11)
    if spin == 0.0:
        assert event.time == pytest.approx(0.19416533178001066, abs=1e-11)
        assert run.final.base_position[0] == pytest.approx(1.4840472376514315, abs=1e-11)
        assert run["element_dissipated"][-1, 0] / 2.0 == pytest.approx(0.2857142857142857, abs=1e-12)
    assert run.audit().worst < 1e-12


@pytest.mark.parametrize(
    "mu,acceleration,turning",
    [(0.2, 3.5035714285714286, 35.035714285714285), (0.1, 4.055429078887465, 21.23927302781336)],
)
def test_a_ball_on_an_incline_rolls_or_slides(ball, mu, acceleration, turning):
    """cases.json, sphere_on_incline, at 30°: rolls from mu = 0.165 on; to 1e-9, here to 1e-12."""
    tilt = np.radians(30.0)
    n, s = np.array([np.sin(tilt), 0, np.cos(tilt)]), np.array([np.cos(tilt), 0, -np.sin(tilt)])
    ramp = floor(surface=sd.Plane(n), friction=mu)
    run = sd.simulate(ball, ball.state(base_position=0.1 * n), 1.0, gravity=DOWN, elements=[ramp], record=0.5)
    assert run.final.base_velocity == pytest.approx(acceleration * s, abs=1e-12)
    assert run.final.base_rate[1] == pytest.approx(turning, abs=1e-12)
    assert run.states.base_position[1] @ s == pytest.approx(acceleration / 8.0, abs=1e-12)
    assert run.audit().worst < 1e-12


def ramp_of(box, degrees, mu):
    tilt = np.radians(degrees)
    n, s = np.array([np.sin(tilt), 0, np.cos(tilt)]), np.array([np.cos(tilt), 0, -np.sin(tilt)])
    corners = [[x, y, -0.1] for x in (-0.2, 0.2) for y in (-0.2, 0.2)]
    ramp = sd.RigidContact("box", corners, sd.Plane(n), friction=mu, name="ramp")
    turn = sd.Rotation.from_euler("y", tilt).as_quat()
    return ramp, box.state(base_position=0.1 * n, base_quaternion_xyzw=turn), s, tilt


@pytest.mark.parametrize("mu", [0.5, 0.37])
def test_a_box_stays_on_an_incline_for_a_thousand_seconds(box, mu):
    """At 20°, tan 0.364; with mu 0.37 the upper corners are at their limit, and the lower ones hold more."""
    ramp, start, _, _ = ramp_of(box, 20.0, mu)
    run = sd.simulate(box, start, 1000.0, gravity=DOWN, elements=[ramp], record=50.0)
    assert np.linalg.norm(run.states.base_velocity, axis=1).max() < 1e-15
    assert np.linalg.norm(run.final.base_position - start.base_position) < 1e-12
    assert run["ramp.normal_force"].sum(axis=1) == pytest.approx(np.full(21, G * np.cos(np.radians(20.0))), rel=1e-12)
    assert run.audit().worst < 1e-9 and not run.events


def test_a_box_slides_down_a_steeper_one(box):
    """At 30°, mu 0.3: g (sin - mu cos) to 1e-12."""
    ramp, start, s, tilt = ramp_of(box, 30.0, 0.3)
    run = sd.simulate(box, start, 1.0, gravity=DOWN, elements=[ramp], record=0.5)
    a = G * (np.sin(tilt) - 0.3 * np.cos(tilt))
    assert run.final.base_velocity == pytest.approx(a * s, abs=1e-12)
    assert run.final.base_position - start.base_position == pytest.approx(0.5 * a * s, abs=1e-12)
    assert run["element_dissipated"][-1, 0] == pytest.approx(0.3 * G * np.cos(tilt) * 0.5 * a, rel=1e-12)
    assert run.audit().worst < 1e-12


def test_a_box_that_lands_flat_stays_flat(box):
    """Four corners at one instant are solved together: it bounces, and comes to rest, without a turn."""
    corners = [[x, y, -0.1] for x in (-0.2, 0.2) for y in (-0.2, 0.2)]
    ground = sd.RigidContact("box", corners, restitution=0.5, friction=0.4, name="ground")
    run = sd.simulate(box, box.state(base_position=[0, 0, 0.3]), 1.0, gravity=DOWN, elements=[ground], record=0.2)
    T = np.sqrt(2.0 * 0.2 / G)
    assert run.events[-1].time == pytest.approx(3.0 * T, abs=1e-9)
    assert np.abs(run.states.base_rate).max() < 1e-12
    assert run.final.base_position == pytest.approx([0, 0, 0.1], abs=1e-12)
    assert run.audit().worst < 1e-11


# --- several bodies ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def five():
    b = sd.Builder("five balls")
    b.base("ball0", mass=1.0, inertia=(4e-3, 4e-3, 4e-3))
    for i in range(1, 5):
        b.link(f"ball{i}", "free", parent="ball0", mass=1.0, inertia=(4e-3, 4e-3, 4e-3))
    return b.build()


@pytest.mark.parametrize("gap,moving", [(0.0, 1), (0.01, 1), (0.01, 2), (0.0, 2)])
def test_newtons_cradle(five, gap, moving):
    """cases.json, newtons_cradle: as many balls leave as come, to 1e-12; those that touch are hit one by one."""
    balls = [
        sd.RigidContact(
            f"ball{i + 1}", (0, 0, 0), sd.SphereSurface(0.1), 1.0, other=f"ball{i}", radius=0.1, name=f"pair{i}"
        )
        for i in range(4)
    ]
    x, v = np.arange(5) * (0.2 + gap), np.zeros(5)
    x[:moving] -= 0.05
    v[:moving] = 1.0
    q = {f"ball{i}": [x[i] - x[0], 0, 0, 0, 0, 0, 1] for i in range(1, 5)}
    qd = {f"ball{i}": [v[i] - v[0], 0, 0, 0, 0, 0] for i in range(1, 5)}
    start = five.state(base_position=[x[0], 0, 0], base_velocity=[1.0, 0, 0], q=q, qd=qd)
    run = sd.simulate(five, start, 0.5, elements=balls, record=0.25)
    after = run.final.base_velocity[0] + np.array([0.0, *run.final.qd[::6]])
    assert after == pytest.approx(np.sort(v), abs=1e-12)
    assert run.audit().worst < 1e-13


# --- nothing tunnels --------------------------------------------------------------------------------------------------


def _surfaces():
    hills = sd.HeightField.of(lambda x, y: 0.1 * np.sin(x) * np.cos(y), size=(12.0, 12.0), spacing=0.5)
    sheet = sd.TriangleMesh([[-9, -9, 0], [9, -9, 0], [9, 9, 0], [-9, 9, 0]], [[0, 1, 2], [0, 2, 3]])
    return [sd.Plane(), sd.SphereSurface(1.0), hills, sheet]


@pytest.mark.parametrize("surface", _surfaces(), ids=lambda one: one.kind)
@pytest.mark.parametrize("aim", [(0.0, 0.0), (0.4, 0.3)])
def test_nothing_tunnels_at_ten_kilometres_a_second(ball, surface, aim):
    """From 30 km away, in steps that could be of seconds: an impact where the surface is, none behind it."""
    rock = sd.RigidContact("ball", (0, 0, 0), surface, 0.3, radius=0.05, name="rock")
    start = ball.state(base_position=[*aim, 30e3], base_velocity=[0, 0, -1e4])
    run = sd.simulate(ball, start, 4.0, elements=[rock], record=2.0)
    assert len(run.events) == 1 and "impact" in run.events[0].name
    gap = surface.gap(run.events[0].state.base_position) - 0.05
    assert abs(gap) < 1e-7
    assert run.final.base_velocity[2] > -1e4 and run.audit().worst < 1e-9


def test_a_small_rock_beside_the_path_is_missed_and_one_on_it_is_not(ball):
    """Gaps that close and open again within one step are followed."""
    for offset, count in ((0.0, 1), (0.14, 1), (0.16, 0)):
        rock = sd.RigidContact(
            "ball", (0, 0, 0), sd.SphereSurface(0.1, position=(offset, 0, -5e3)), radius=0.05, name="rock"
        )
        start = ball.state(base_position=[0, 0, 0], base_velocity=[0, 0, -1e4])
        run = sd.simulate(ball, start, 4.0, elements=[rock], record=2.0)
        assert len(run.events) == count


# --- runs -------------------------------------------------------------------------------------------------------------


def test_batches_resume_and_files_are_the_same_to_the_bit(ball, tmp_path):
    lively = floor(restitution=0.7, friction=0.2)
    heights = np.array([0.3, 0.5, 0.9])
    states = ball.state(base_position=np.stack([0 * heights, 0 * heights, heights], axis=-1), base_velocity=[0.5, 0, 0])
    many = sd.simulate(ball, states, 1.0, gravity=DOWN, elements=[lively], record=0.25)
    for i in range(3):
        alone = sd.simulate(ball, states[i], 1.0, gravity=DOWN, elements=[lively], record=0.25)
        assert np.array_equal(alone.final.x, many.final[i].x) and np.array_equal(alone.final.u, many.final[i].u)
    part = sd.simulate(ball, states[1], 0.5, gravity=DOWN, elements=[lively], record=0.25)
    part.save(tmp_path / "run.nc")
    read = sd.Run.load(tmp_path / "run.nc")
    assert [one.name for one in read.events] == [one.name for one in part.events]
    assert np.array_equal(read.events[0].impulse, part.events[0].impulse)
    on = read.resume(until=1.0)
    assert np.array_equal(on.final.x, many.final[1].x) and len(on.events) == len(
        [one for one in many.events if one.robot == (1,)]
    )


def test_half_the_tolerance_changes_the_end_by_less_than_it():
    """A tumbling stone that bounces off a dome with friction."""
    b = sd.Builder("stone")
    b.base("stone", mass=1.0, inertia=(4e-3, 6e-3, 9e-3))
    stone = b.build()
    dome = sd.RigidContact(
        "stone", (0, 0, 0), radius=0.1, surface=sd.SphereSurface(20.0), restitution=0.8, friction=0.3
    )
    start = stone.state(base_position=[0.2, 0.1, 20.3], base_rate=[3.0, -2.0, 5.0])

    def end(tolerance):
        method = sd.DormandPrince5(rtol=tolerance, atol=tolerance)
        run = sd.simulate(stone, start, 1.5, gravity=DOWN, elements=[dome], record=1.5, method=method)
        assert len(impacts(run)) >= 5
        return np.concatenate([run.final.x, run.final.u])

    for tolerance in (1e-4, 1e-6, 1e-8, 1e-10):
        assert np.abs(end(tolerance) - end(0.5 * tolerance)).max() < tolerance


@pytest.mark.parametrize(
    "method", [sd.RungeKutta4(step=0.01), sd.DormandPrince5(), sd.Radau5()], ids=lambda m: type(m).__name__
)
def test_other_methods_bounce_and_roll_alike(ball, method):
    start = ball.state(base_position=[0, 0, 0.3], base_velocity=[1.0, 0, 0])
    lively = floor(restitution=0.4, friction=0.2)
    run = sd.simulate(ball, start, 0.8, gravity=DOWN, elements=[lively], record=0.4, method=method)
    other = sd.simulate(ball, start, 0.8, gravity=DOWN, elements=[lively], record=0.4)
    assert run.final.x == pytest.approx(other.final.x, abs=1e-8)
    assert [one.name for one in run.events] == [one.name for one in other.events]
    assert run.audit().worst < 1e-8


def test_bad_input_is_named(ball):
    for fields, words in (
        ({"restitution": 1.2}, "restitution must be from 0 to 1"),
        ({"restitution": -0.1}, "restitution must be from 0 to 1"),
        ({"friction": -0.1}, "friction must be at least 0"),
    ):
        with pytest.raises(sd.InputError, match=words):
            floor(**fields)
    with pytest.raises(sd.UnknownName, match="no law of restitution named 'hertz'"):
        floor(restitution_law="hertz")
    with pytest.raises(sd.InputError, match="deep in the surface, which is rigid"):
        sd.simulate(ball, ball.state(base_position=[0, 0, 0.05]), 1.0, elements=[floor()])
    with pytest.raises(sd.InputError, match="SemiImplicitEuler cannot end a step at an impact"):
        sd.simulate(
            ball, ball.state(base_position=[0, 0, 1]), 1.0, elements=[floor()], method=sd.SemiImplicitEuler(0.01)
        )
    b = sd.Builder("pair")
    b.base("one", mass=1.0, inertia=(0.3, 0.4, 0.5))
    b.link("two", parent="one", position=(1, 0, 0), axis=(0, 0, 1), mass=1.0, inertia=(0.3, 0.4, 0.5))
    pair = b.build()
    with pytest.warns(sd.ModelWarning, match="are joined by 'two'"):
        sd.simulate(
            pair, pair.neutral_state(), 0.1, elements=[sd.RigidContact("two", (0, 0, 5), other="one", name="x")]
        )


# --- points of contact that move over both bodies ---------------------------------------------------------------------


def test_a_hoop_rolls_as_rows_of_its_own_say():
    """A leaning disc that sticks to the ground, against `Rolling`, whose second rates are derived by hand: to 1e-8."""
    b = sd.Builder("hoop")
    b.base("hoop", mass=1.0, inertia=(0.02, 0.02, 0.04))
    hoop = b.build()
    rim = sd.Rolling("hoop", 0.2, axis=(0, 0, 1), name="rim")
    lean = sd.Rotation.from_euler("x", 75.0, degrees=True).as_quat()
    start = sd.assemble(
        hoop, hoop.state(base_position=(0, 0, 0.2), base_quaternion_xyzw=lean, base_rate=(0.3, 5.0, 0.4)), [rim]
    )
    ground = sd.RigidContact("hoop", (0, 0, 0), semi_axes=(0.2, 0.2, 0.0), friction=5.0, name="ground")
    one = sd.simulate(hoop, start, 1.0, gravity=DOWN, elements=[rim], record=0.25)
    two = sd.simulate(hoop, start, 1.0, gravity=DOWN, elements=[ground], record=0.25)
    assert two["ground.mode"][:, 0].tolist() == [1.0] * 5 and not two.events
    assert two.states.base_position == pytest.approx(one.states.base_position, abs=1e-8)
    assert two.states.base_rate == pytest.approx(one.states.base_rate, abs=1e-7)
    assert two.audit().worst < 1e-8


def test_a_ball_slides_off_a_dome_at_two_thirds(ball):
    """Without friction it lets go where cos = 2/3 of the height of its centre, whatever the sizes, at sqrt(2 g h)."""
    dome = floor(surface=sd.SphereSurface(0.9))
    tilt = 1e-3
    start = ball.state(base_position=[np.sin(tilt), 0, np.cos(tilt)], base_velocity=[0, 0, 0])
    run = sd.simulate(ball, start, 3.0, gravity=DOWN, elements=[dome], record=0.5)
    event = run.events[0]
    assert event.name == "floor: point 0 lets go"
    fallen = np.cos(tilt) - event.state.base_position[2]
    assert event.state.base_position[2] == pytest.approx(2.0 / 3.0 * np.cos(tilt), abs=1e-9)
    assert np.linalg.norm(event.state.base_velocity) == pytest.approx(np.sqrt(2.0 * G * fallen), abs=1e-9)
    assert run.audit().worst < 1e-9


def test_a_ball_rolls_in_a_bowl_as_a_pendulum(ball):
    """Rough bowl of radius 1.1: the centre swings as a pendulum of 1 m with g 5/7; energy and period to 1e-8."""
    from scipy.special import ellipk

    bowl = floor(surface=sd.SphereSurface(1.1, hollow=True), friction=2.0)
    angle = 0.6
    period = 4.0 * np.sqrt(1.4 / G) * ellipk(np.sin(0.5 * angle) ** 2)
    start = ball.state(base_position=[np.sin(angle), 0, -np.cos(angle)])
    run = sd.simulate(ball, start, period, gravity=DOWN, elements=[bowl], record=0.1 * period)
    places = run.states.base_position[::5]
    assert places[1] == pytest.approx([-np.sin(angle), 0, -np.cos(angle)], abs=1e-7)
    assert places[2] == pytest.approx(places[0], abs=1e-7)
    assert run["element_dissipated"][-1, 0] == pytest.approx(0.0, abs=1e-12)
    assert run.audit().worst < 1e-9


def test_friction_of_a_spinning_sliding_disc_turns_its_direction(ball):
    """A ball thrown sideways with spin about another axis: in space, by the closed form of sliding, then rolling.

    Slip u = v + w x r keeps its direction: (2/7 |u|) / (mu g) until it rolls, with v - (2/7) u (Jellett, 1872).
    """
    start = ball.state(base_position=[0, 0, 0.1], base_velocity=[1.0, 0.5, 0], base_rate=[8.0, -3.0, 2.0])
    run = sd.simulate(ball, start, 1.0, gravity=DOWN, elements=[floor(friction=0.15)], record=0.5)
    v, w = np.array([1.0, 0.5, 0.0]), np.array([8.0, -3.0, 2.0])
    u = v + np.cross(w, [0, 0, -0.1])
    assert run.events[0].time == pytest.approx(2.0 / 7.0 * np.linalg.norm(u) / (0.15 * G), abs=1e-9)
    assert run.final.base_velocity == pytest.approx(v - 2.0 / 7.0 * u, abs=1e-9)
    assert run.final.base_rate[2] == pytest.approx(2.0, abs=1e-12)
    assert run.audit().worst < 1e-10


def test_painleves_rod_ends_with_its_name():
    """cases.json, painleve_rod: a rod of 2 m at tan = 2 whose tip slides against its lean, with mu beyond 4/3, jams."""
    b = sd.Builder("rod")
    b.base("rod", mass=1.0, inertia=(1e-3, 1.0 / 3.0, 1.0 / 3.0))
    rod, tilt = b.build(), np.arctan(2.0)
    turn = sd.Rotation.from_euler("y", tilt).as_quat()  # its x axis points down and forward
    tip = sd.RigidContact("rod", (1, 0, 0), friction=1.4, name="tip")
    for speed in (1.0, -1.0):
        start = rod.state(base_position=[0, 0, np.sin(tilt)], base_quaternion_xyzw=turn, base_velocity=[speed, 0, 0])
        if speed > 0.0:
            with pytest.raises(sd.SimulationFailed, match="Painlevé"):
                sd.simulate(rod, start, 0.1, gravity=DOWN, elements=[tip])
        else:
            run = sd.simulate(rod, start, 0.05, gravity=DOWN, elements=[tip], record=0.05)
            assert run["normal_force"][0, 0] > 0.0 and run.audit().worst < 1e-9


def test_impacts_take_part_with_locked_joints_and_loops():
    """A lander whose leg is locked, or closed by a loop, hits as a rigid one: the same impulse to 1e-10."""
    b = sd.Builder("lander")
    b.base("bus", mass=400.0, inertia=(120.0, 130.0, 150.0))
    b.link(
        "leg",
        parent="bus",
        position=(0.5, 0.2, -0.5),
        axis=(0, 1, 0),
        mass=20.0,
        com=(0, 0, -0.3),
        inertia=(0.6, 0.6, 0.1),
    )
    lander = b.build()
    foot = sd.RigidContact("leg", (0, 0, -0.6), restitution=0.5, friction=0.3, name="foot")
    start = lander.state(base_position=[0, 0, 1.3], base_velocity=[0.1, 0, -1.0], base_rate=[0.02, 0.01, 0])
    locked = sd.simulate(lander, start, 0.4, elements=[foot], prescribed={"leg": "locked"}, record=0.2)
    weld = sd.Loop.as_met(lander, start, "weld", "leg", "bus", name="weld")
    with pytest.warns(sd.RunWarning, match="redundant"):
        closed = sd.simulate(lander, start, 0.4, elements=[foot, weld], record=0.2)
    loose = sd.simulate(lander, start, 0.4, elements=[foot], record=0.2)
    impulses = [impacts(run)[0].impulse for run in (locked, closed, loose)]
    assert impulses[1] == pytest.approx(impulses[0], abs=1e-10)
    assert np.abs(impulses[2] - impulses[0]).max() > 1.0
    for run in (locked, closed, loose):
        assert run.audit().worst < 1e-10


def test_a_linear_model_of_it_is_refused(ball):
    with pytest.raises(sd.InputError, match="a RigidContact opens and closes"):
        sd.linearize(ball, ball.state(base_position=[0, 0, 0.1]), elements=[floor()])


def test_a_box_that_tumbles_comes_to_rest_on_a_face_and_gains_nothing(box):
    """Eight corners, a hundred impacts, slides and sticks: energy never rises, the ledger holds, it ends flat."""
    rng = np.random.default_rng(1)
    corners = [[x, y, z] for x in (-0.2, 0.2) for y in (-0.2, 0.2) for z in (-0.1, 0.1)]
    ground = sd.RigidContact("box", corners, restitution=0.3, friction=0.5, name="ground")
    rng.choice([0, 1]), rng.choice([0, 1]), rng.choice([0, 1])
    start = box.state(
        base_position=[0, 0, 0.8], base_attitude=sd.Rotation.from_rotvec(rng.normal(size=3)),
        base_velocity=rng.normal(size=3), base_rate=3 * rng.normal(size=3),
    )  # fmt: skip
    run = sd.simulate(box, start, 4.0, gravity=DOWN, elements=[ground], record=0.02)
    energy = np.array([sd.kinetic_energy(box, one) for one in run.states]) + G * run.states.base_position[:, 2]
    assert np.diff(energy).max() < 1e-10
    assert len(impacts(run)) > 20 and run["ground.gap"].min() > -1e-11
    assert np.abs(run.final.u).max() < 1e-12
    assert min(abs(run.final.base_position[2] - half) for half in (0.1, 0.2)) < 1e-11
    assert run["element_dissipated"][-1, 0] == pytest.approx(energy[0] - energy[-1], rel=1e-9)
    assert run.audit().worst < 1e-9


@pytest.fixture(scope="module")
def sprung():
    """A lander on four sprung and damped legs that slide along its axis."""
    b = sd.Builder("lander")
    b.base("bus", mass=400.0, inertia=(120.0, 130.0, 150.0))
    for i, (x, y) in enumerate([(1, 1), (-1, 1), (-1, -1), (1, -1)]):
        leg = {"mass": 10.0, "inertia": (0.5, 0.5, 0.05), "com": (0, 0, -0.4), "stiffness": 8000.0, "damping": 800.0}
        b.link(f"leg{i}", "prismatic", parent="bus", position=(x, y, -0.3), axis=(0, 0, 1), **leg)
    return b.build()


def feet_of(**fields):
    return [sd.RigidContact(f"leg{i}", (0, 0, -0.9), name=f"foot{i}", **fields) for i in range(4)]


@pytest.mark.parametrize("restitution", [0.0, 0.1])
def test_pressed_feet_do_not_lift_each_other_for_ever(sprung, restitution):
    """A tilted lander with sprung legs and a sideways speed: feet lift each other in turn, slip, nearly stop."""
    feet = feet_of(restitution=restitution, friction=0.6)
    tilt = sd.Rotation.from_euler("xy", [4, -3], degrees=True)
    start = sprung.state(base_position=[0, 0, 1.6], base_velocity=[0.2, 0, -1.0], base_attitude=tilt)
    run = sd.simulate(sprung, start, 1.0, elements=feet, gravity=(0, 0, -1.62), record=0.01)
    assert len(run.events) < 300 and run.audit().worst < 1e-8
    assert run["gap"].shape[1] == 4 and run["gap"].min() > -1e-9


def landing(sprung, tilt, velocity, rate):
    """Above the ground, however it is tilted."""
    turn = sd.Rotation.from_rotvec(np.radians(tilt))
    return sprung.state(base_position=[0, 0, 1.5], base_velocity=velocity, base_attitude=turn, base_rate=rate)


@pytest.mark.parametrize("mu,g,seconds", [(0.4, 1.62, 5.0), (0.0, 1.62, 2.0), (0.8, 0.3, 3.0)])
def test_feet_that_spread_as_a_lander_settles_do_not_hold_it_up(sprung, mu, g, seconds):
    """Feet of parallel legs spread as the body rocks, and slip slowly for long; friction takes energy all the time."""
    start = landing(sprung, (5.0, -4.0, 60.0), (0.3, 0.1, -0.8), (0.03, -0.05, 0.02))
    run = sd.simulate(sprung, start, seconds, elements=feet_of(friction=mu), gravity=(0, 0, -g), record=0.05)
    assert run.audit().worst < 1e-8 and run["gap"].min() > -1e-9
    assert np.diff(run["element_dissipated"].sum(axis=1)).min() > -1e-12 and len(run.events) < 400
    if mu == 0.4:
        assert np.abs(run.final.u).max() < 1e-4 and run["sliding_speed"][-1].max() < 1e-7


def test_landers_on_hills_settle_as_steps_through_contact_say(sprung):
    """The same place as by `TimeStepping`, to 1 mm; half of slow_slip changes it by less than 0.05 mm."""
    hills = sd.HeightField.of(lambda x, y: 0.05 * np.sin(x) * np.cos(0.7 * y), size=(12.0, 12.0), spacing=0.5)
    start, ends = landing(sprung, (-6.0, 3.0, 20.0), (0.1, -0.2, -0.6), (0.0, 0.04, -0.03)), []
    for slow in (1e-4, 5e-5):
        feet = feet_of(surface=hills, friction=0.6, slow_slip=slow)
        run = sd.simulate(sprung, start, 2.0, elements=feet, gravity=(0, 0, -1.62), record=0.5)
        assert run.audit().worst < 1e-8
        ends.append(run.final.base_position)
    other = sd.simulate(
        sprung, start, 2.0, elements=feet, gravity=(0, 0, -1.62), record=0.5, method=sd.TimeStepping(2e-4)
    )
    assert np.abs(ends[1] - ends[0]).max() < 5e-5
    assert np.abs(other.final.base_position - ends[1]).max() < 1e-3


# --- limits of friction and of digits ---------------------------------------------------------------------------------


@pytest.mark.parametrize("mu", [2.0, 50.0, 1000.0])
def test_a_ball_rolls_off_a_sphere_whichever_side_it_starts_on(ball, mu):
    """It slips, then leaves; with much friction at cos = 10/17 cos(start), the closed form of pure rolling."""
    times = []
    for side in (1.0, -1.0):
        place = [side * 1.1 * np.sin(0.01), 0.0, 1.1 * np.cos(0.01)]
        dome = sd.RigidContact("ball", (0, 0, 0), radius=0.1, surface=sd.SphereSurface(1.0), friction=mu, name="dome")
        run = sd.simulate(ball, ball.state(base_position=place), 2.2, elements=[dome], gravity=DOWN, record=0.05)
        assert [event.name for event in run.events] == ["dome: point 0 slides", "dome: point 0 lets go"]
        times.append([event.time for event in run.events])
        left = run.events[1].state.base_position
        assert abs(left[2] / np.linalg.norm(left) - 10 / 17 * np.cos(0.01)) < 0.04 / mu
    assert np.abs(np.subtract(*times)).max() < 1e-9


@pytest.mark.parametrize("height", [1e3, 1e6, -7e6])
def test_a_small_ball_comes_to_rest_on_a_floor_far_away(height):
    """Rest at 3 T, as near as rounding of its height lets it be known."""
    b = sd.Builder("ball")
    b.base("ball", mass=1e-3, inertia=(4e-10, 4e-10, 4e-10))
    ball, plane = b.build(), sd.Plane(position=(0, 0, height))
    ground = sd.RigidContact("ball", (0, 0, 0), radius=1e-3, restitution=0.5, friction=0.3, surface=plane, name="floor")
    start = ball.state(base_position=[0, 0, height + 0.011], base_velocity=[0.1, 0, 0])
    run = sd.simulate(ball, start, 1.0, elements=[ground], gravity=DOWN)
    rest = next(event for event in run.events if "comes to rest" in event.name)
    assert abs(rest.time - 3.0 * np.sqrt(0.02 / G)) < 1e-8 + 3e-13 * abs(height)
    assert abs(run.final.base_position[2] - height - 1e-3) < 1e-15 * abs(height) + 1e-12
    assert np.abs(run["gap"]).min() < 1e-8 and run["gap"].min() > -1e-14 * abs(height) - 1e-11


def test_an_event_cannot_wait_for_a_channel_that_the_dynamics_gives(ball):
    @sd.condition
    def near(t, s, p, out):
        out.value[0] = s.floor.gap[0] - 0.05

    with pytest.raises(sd.InputError, match=r"s\.floor\.gap is known only when the dynamics is solved"):
        sd.simulate(ball, ball.state(base_position=[0, 0, 1]), 1.0, elements=[floor()], events=[sd.Event(near())])
