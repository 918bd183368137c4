"""Tanks and thrusters: the rocket equation, jet damping, mass that is carried and mass that leaves, faults."""

import numpy as np
import pytest
from scipy.integrate import quad

import spacedyn as sd
from robots import lone, tree

pytestmark = pytest.mark.packs
EXACT = sd.DormandPrince8(rtol=1e-12, atol=1e-14)


@sd.law
def burn(t, s, p, out):
    out.jet.throttle[0] = p.throttle


def test_rocket_equation():
    """Tsiolkovsky: 1000 kg, Isp 300 s, 400 N for 600 s: dv = 250.3565183591144 m/s, 918.4227029617657 kg at the end."""
    rocket = lone(800.0, (80.0, 90.0, 100.0))
    tank = sd.Tank("body", 200.0, name="main")
    jet = sd.Thruster("body", 400.0, direction=(0, 0, 2.0), specific_impulse=300.0, tank="main", name="jet")
    run = sd.simulate(
        rocket,
        rocket.neutral_state(),
        600.0,
        elements=[tank, jet],
        laws=[burn(throttle=1.0)],
        method=EXACT,
        record=60.0,
    )
    assert run.final.base_velocity[2] == pytest.approx(250.3565183591144, rel=1e-12)
    assert 800.0 + run["main.propellant"][-1, 0] == pytest.approx(918.4227029617657, rel=1e-13)
    assert run["mass_flow"][0, 1] == pytest.approx(0.13596216173039044, rel=1e-14)
    audit = run.audit()
    assert audit.mass < 1e-12 and audit.linear_momentum < 1e-12 and audit.energy < 1e-12
    left = run["left"][-1]
    assert left[0] == pytest.approx(1000.0 - 918.4227029617657, rel=1e-12)
    # what left takes its momentum at the tank along: the integral of flow times velocity
    flow, velocity = run["mass_flow"][0, 1], lambda t: -300.0 * 9.80665 * np.log1p(-0.13596216173039044 * t / 1000.0)
    assert left[3] == pytest.approx(quad(lambda t: flow * velocity(t), 0, 600.0)[0], rel=1e-10)
    assert left[4] == pytest.approx(quad(lambda t: 0.5 * flow * velocity(t) ** 2, 0, 600.0)[0], rel=1e-10)


def test_jet_damping():
    """Mass lost evenly, radius of gyration k, nozzle at L behind the centre: w = w0 (m / m0)^((L/k)² - 1)."""
    k, L = 0.8, 1.2
    body = lone(300.0, (300 * k**2, 300 * k**2, 40.0))
    tank = sd.Tank("body", 200.0, gyration=(k, k, 0.2), name="main")
    jet = sd.Thruster(
        "body", 100.0, direction=(0, 0, 1), position=(0, 0, -L), specific_impulse=50.0, tank="main", name="jet"
    )
    burnt = 100.0 * 50.0 * 9.80665 / 100.0  # s, for 100 kg
    state = body.state(base_rate=[0.1, 0, 0])
    run = sd.simulate(
        body, state, burnt, elements=[tank, jet], laws=[burn(throttle=1.0)], method=EXACT, record=burnt / 9
    )
    assert run["main.propellant"][-1, 0] == pytest.approx(100.0, abs=1e-10)
    assert np.linalg.norm(run.final.base_rate) == pytest.approx(0.07565932872025409, abs=1e-11)
    assert run.audit().worst < 1e-11


def with_mass(model, body, mass, place, gyration):
    """The same robot with a rigid mass more in a body, by the parallel-axis theorem."""
    one, p, k = model.body(body), np.asarray(place), np.broadcast_to(gyration, 3)
    total = one.mass + mass
    com = (one.mass * np.asarray(one.com) + mass * p) / total

    def about(m, r, inertia):
        d = r - com
        return inertia + m * (d @ d * np.eye(3) - np.outer(d, d))

    inertia = about(one.mass, np.asarray(one.com), np.asarray(one.inertia)) + about(mass, p, mass * np.diag(k**2))
    return model.vary(mass={body: [total]}, com={body: [com]}, inertia={body: [inertia]})


@pytest.mark.parametrize("place", [0, 2, 5])
def test_what_is_carried_is_as_a_part_of_its_body(place):
    """A full tank that nothing draws from: the run of the robot that has its mass in the body, to rounding."""
    model, state = tree(3, 6)
    body = model.body_names[place]
    tank = sd.Tank(body, 5.0, position=(0.2, -0.1, 0.3), gyration=(0.2, 0.3, 0.1))
    heavier = with_mass(model, body, 5.0, tank.position, tank.gyration)[0]
    options = {"gravity": (0.3, -0.2, 1.0), "record": [0.0, 0.5], "method": sd.RungeKutta4(0.01), "budget": 1.0}
    one = sd.simulate(model, state, 0.5, elements=[tank], **options)
    velocity = state.base_velocity
    if place == 0:  # the base's velocity is that of its centre of mass, which is another one
        shift = state.base_attitude.apply(np.asarray(heavier.body(body).com) - np.asarray(model.body(body).com))
        velocity = velocity + np.cross(state.base_rate, shift)
        position = state.base_position + shift
        start = heavier.state(
            q=state.q, qd=state.qd, base_position=position, base_attitude=state.base_attitude,
            base_velocity=velocity, base_rate=state.base_rate,
        )  # fmt: skip
    else:
        start = sd.State(heavier, np.concatenate([state.x, state.u]))
    other = sd.simulate(heavier, start, 0.5, **options)
    np.testing.assert_allclose(one.final.q, other.final.q, atol=1e-9)  # steps of RK4 differ by its error alone
    np.testing.assert_allclose(one["udot"][0, 6:], other["udot"][0, 6:], rtol=1e-11, atol=1e-11)


def test_a_robot_that_burns_and_tumbles_keeps_its_ledger():
    """Tanks on two bodies, thrusters on three, gravity, spin: energy, momentum, mass; in packs as alone."""
    model, state = tree(4, 6)
    names = model.body_names
    elements = [
        sd.Tank(names[0], 4.0, position=(0.1, 0.2, 0), gyration=0.1, name="main"),
        sd.Tank(names[3], 1.0, position=(0.1, 0, 0.1), gyration=(0.1, 0, 0.05), name="small"),
        sd.Thruster(names[0], 9.0, (1, 2, 0), (0.3, 0, 0), 20.0, "main", name="jet"),
        sd.Thruster(names[5], 3.0, (0, 1, 1), (0, 0.2, 0.1), 15.0, "main", name="jet2", rise=0.05, decay=0.1),
        sd.Thruster(names[3], 3.0, (0, -1, 1), (0, 0.2, 0.1), 15.0, "small", name="jet3"),
        sd.UniformGravity((0.1, -0.4, 0.2)),
    ]

    @sd.law
    def some(t, s, p, out):
        out.jet.throttle[0] = 0.5 + 0.5 * np.sin(3 * t)
        out.jet2.throttle[0] = 1.5 * np.cos(5 * t)
        out.jet3.throttle[0] = 0.8

    run = sd.simulate(model, state, 4.0, elements=elements, laws=[some()], record=0.1)
    audit = run.audit()
    assert audit.energy < 1e-8 and audit.linear_momentum < 1e-9 and audit.angular_momentum < 1e-8
    assert audit.mass < 1e-12
    assert run["jet2.level"].min() >= -1e-9 and run["jet2.level"].max() <= 1.0 + 1e-9
    many = sd.State(model, np.tile(state._data, (5, 1)))
    packed = sd.simulate(model, many, 1.0, elements=elements, laws=[some()], record=[1.0])
    alone = sd.simulate(model, state, 1.0, elements=elements, laws=[some()], record=[1.0])
    np.testing.assert_allclose(packed["u"][-1, 3], alone["u"][-1], rtol=1e-8, atol=1e-9)


def test_in_orbit_too():
    """Burning at 7 km/s beside a planet: what leaves takes its kinetic and potential energy along."""
    rocket = lone(500.0, (80.0, 90.0, 100.0))
    elements = [
        sd.Tank("body", 100.0, position=(0.4, 0.1, 0), gyration=0.2, name="main"),
        sd.Thruster("body", 50.0, (0, 1, 0.1), (0.5, -1, 0), 230.0, "main", name="jet"),
        sd.CentralGravity(),
    ]
    start = rocket.state(base_position=[7e6, 0, 0], base_velocity=[0, 7546.0, 0], base_rate=[0.01, 0.02, 0.1])
    run = sd.simulate(rocket, start, 600.0, elements=elements, laws=[burn(throttle=0.7)], record=20.0)
    audit = run.audit()
    assert (
        audit.energy < 1e-11 and audit.linear_momentum < 1e-10 and audit.angular_momentum < 1e-9 and audit.mass < 1e-12
    )


def test_an_empty_tank_ends_the_thrust():
    rocket = lone(500.0, (80.0, 90.0, 100.0))
    elements = [
        sd.Tank("body", 0.3, residual=0.1, name="main"),
        sd.Thruster("body", 50.0, (0, 1, 0), specific_impulse=230.0, tank="main", name="jet"),
    ]
    dry = 0.2 * 230.0 * 9.80665 / 50.0
    run = sd.simulate(rocket, rocket.neutral_state(), 20.0, elements=elements, laws=[burn(throttle=1.0)], record=0.5)
    assert run["main.propellant"][-1, 0] == pytest.approx(0.1, abs=1e-12)
    assert np.all((run["thrust"][:, 1] > 0) == (run.time < dry)) and run.audit().worst < 1e-10
    assert run["main.emptied"][-1, 0] == pytest.approx(dry, abs=1e-9)
    assert [(one.element, one.how) for one in run.faults] == [("main", "empty")]
    fixed = sd.simulate(
        rocket, rocket.neutral_state(), 20.0, elements=elements, laws=[burn(throttle=1.0)], method=sd.RungeKutta4(0.1)
    )
    assert fixed["main.propellant"][-1, 0] == pytest.approx(0.1, abs=0.01)


def test_a_valve_that_sticks():
    rocket = lone(500.0, (80.0, 90.0, 100.0))
    jets = [
        sd.Thruster("body", 50.0, (0, 1, 0), name="jet", fail_at=3.0, stuck=0.25),
        sd.Thruster("body", 50.0, (1, 0, 0), name="other", fail_at=2.0, stuck=0.0),
    ]

    @sd.law
    def both(t, s, p, out):
        out.jet.throttle[0] = 1.0
        out.other.throttle[0] = 1.0

    run = sd.simulate(rocket, rocket.neutral_state(), 5.0, elements=jets, laws=[both()], record=1.0)
    np.testing.assert_allclose(run["impulse"][-1, :2], [100.0, 150.0 + 25.0], rtol=1e-13)
    np.testing.assert_allclose(run["thrust"][[0, -1]], [[50.0, 50.0], [12.5, 0.0]])


def test_on_off_and_misalignment():
    rocket = lone(500.0, (80.0, 90.0, 100.0))
    jet = sd.Thruster("body", 10.0, (0, 1, 0), name="jet", on_off=True, misalignment=(0, 0, 0.01))

    @sd.law(period=0.05)
    def wave(t, s, p, out):
        out.jet.throttle[0] = 0.5 + np.sin(np.pi * (t + 0.01))

    run = sd.simulate(rocket, rocket.neutral_state(), 4.0, elements=[jet], laws=[wave()], record=0.25)
    np.testing.assert_allclose(run["impulse"][-1, :2], [-20.0 * np.sin(0.01), 20.0 * np.cos(0.01)], rtol=1e-8)


def test_stiff_steps_see_the_tank():
    model, state = tree(9, 3)
    elements = [
        sd.Tank(model.body_names[2], 2.0, position=(0.1, 0.2, 0), gyration=0.1, name="main"),
        sd.Thruster(model.body_names[2], 9.0, (1, 2, 0), (0.3, 0, 0), 20.0, "main", name="jet", rise=0.05, decay=0.05),
    ]
    options = {"elements": elements, "laws": [burn(throttle=1.0)], "record": [0.0, 1.0]}
    usual = sd.simulate(model, state, 1.0, **options)
    stiff = sd.simulate(model, state, 1.0, method=sd.Radau5(rtol=1e-9, atol=1e-11), **options)
    np.testing.assert_allclose(stiff["u"][-1], usual["u"][-1], atol=2e-6)
    np.testing.assert_allclose(stiff["main.propellant"][-1], usual["main.propellant"][-1], atol=1e-9)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: sd.Tank("body", -1.0), "at least as much propellant"),
        (lambda: sd.Tank("body", 1.0, gyration=-0.1), "must not be negative"),
        (lambda: sd.Thruster("body", 0.0, (0, 0, 1)), "thrust must be a positive number"),
        (lambda: sd.Thruster("body", 1.0, (0, 0, 0)), "direction must not be zero"),
        (lambda: sd.Thruster("body", 1.0, (0, 0, 1), stuck=2.0), "stuck is from 0"),
        (lambda: sd.Thruster("body", 1.0, (0, 0, 1), rise=1.0), "both rise and decay"),
    ],
)
def test_what_cannot_be_is_refused(make, words):
    with pytest.raises(sd.InputError, match=words):
        make()


def test_a_tank_that_is_not_there():
    rocket = lone(500.0, (80.0, 90.0, 100.0))
    jet = sd.Thruster("body", 1.0, (0, 0, 1), tank="mian", name="jet")
    with pytest.raises(sd.UnknownName, match="did you mean 'main'"):
        sd.simulate(rocket, rocket.neutral_state(), 1.0, elements=[jet, sd.Tank("body", 1.0, name="main")])
    with pytest.raises(sd.InputError, match="not a Tank"):
        sd.simulate(rocket, rocket.neutral_state(), 1.0, elements=[jet, sd.Wrench("body", name="mian")])


def test_latching_with_a_tank_and_modes_keeps_momentum():
    """A joint that locks while it moves: propellant and modes take part in the impulse, on the base and on the arm."""
    b = sd.Builder("chaser")
    b.base("bus", mass=50.0, inertia=(9.0, 8.0, 7.0), com=(0.1, 0, 0.2))
    arm = {"mass": 10.0, "inertia": (1.0, 2.0, 2.5), "com": (0.4, 0, 0)}
    hand = {"mass": 4.0, "inertia": (0.3, 0.4, 0.5), "com": (0.1, 0.1, 0)}
    b.link("arm", parent="bus", position=(0.5, 0.2, 0), axis=(0, 0.6, 0.8), **arm)
    b.link("hand", parent="arm", position=(1, 0, 0), axis=(0.8, 0, 0.6), **hand)
    robot = b.build()
    elements = [
        sd.Tank("bus", 30.0, position=(-0.4, 0.1, 0.2), gyration=0.3, name="main"),
        sd.Tank("hand", 2.0, position=(0.2, 0, 0.1), gyration=0.1, name="small"),
        sd.ModalAppendage("arm", [0.5], delta0=[0.2, 0.5, 0.1], delta1=[0.3, 0.1, 0.4], name="panel"),
    ]
    stop = sd.Event(sd.joint_reaches("hand", 0.3), action=sd.actions.lock("hand"))
    start = robot.state(qd={"hand": 0.5, "arm": -0.2}, base_rate=[0.1, 0.05, -0.1], base_velocity=[0.3, 0, 0])
    run = sd.simulate(robot, start, 2.0, elements=elements, events=[stop], record=0.05)
    audit = run.audit()
    assert run["event_work"][-1, 0] < -1e-3
    assert audit.linear_momentum < 1e-12 and audit.angular_momentum < 1e-10 and audit.energy < 1e-9


def test_a_state_that_an_action_sets_is_in_the_ledger():
    rocket = lone(500.0, (80.0, 90.0, 100.0))
    tank = sd.Tank("body", 100.0, position=(0.5, 0, 0.1), gyration=0.2)

    @sd.condition
    def after_a_second(t, s, p, out):
        out.value[0] = t - 1.0

    def push(t, state):
        return state.replace(base_rate=state.base_rate + np.array([0, 0.1, 0.2]))

    kick = sd.Event(after_a_second(), action=push)
    run = sd.simulate(rocket, rocket.state(base_rate=[0.1, 0, 0]), 2.0, elements=[tank], events=[kick], record=0.1)
    assert run.audit().worst < 1e-10


def test_a_variational_method_is_refused():
    rocket = lone(500.0, (80.0, 90.0, 100.0))
    with pytest.raises(sd.InputError, match="Variational cannot take elements that add mass"):
        sd.simulate(rocket, rocket.neutral_state(), 1.0, elements=[sd.Tank("body", 1.0)], method=sd.Variational(0.1))


@pytest.mark.parametrize("method", [None, sd.RungeKutta4(0.005)])
def test_the_shortest_pulse(method):
    """Commands of 50 ms every 500 ms to a valve that stays open for 0.2 s: 0.2 s; longer ones as commanded."""
    rocket = lone(500.0, (80.0, 90.0, 100.0))
    jet = sd.Thruster("body", 10.0, (0, 1, 0), name="jet", on_off=True, minimum_pulse=0.2)

    @sd.law(period=0.05)
    def blink(t, s, p, out):
        tick = int(np.rint(t / 0.05)) % 10
        out.jet.throttle[0] = 1.0 if 2 <= tick < 2 + p.ticks else 0.0

    options = {"elements": [jet], "method": method, "record": 0.01, "budget": 1.0}
    short, long = (sd.simulate(rocket, rocket.neutral_state(), 2.0, laws=[blink(ticks=n)], **options) for n in (1, 6))
    np.testing.assert_allclose(short["impulse"][-1, 1], 4 * 0.2 * 10.0, rtol=1e-9 if method is None else 0.03)
    np.testing.assert_allclose(long["impulse"][-1, 1], 4 * 0.3 * 10.0, rtol=1e-9 if method is None else 0.03)
    on = short["thrust"][:, 0] > 0
    assert on[11:30].all() and not on[:10].any() and not on[31:59].any()


def test_faults_are_named():
    jet = sd.Thruster("body", 50.0, (0, 1, 0), name="jet", fail_at=3.0, stuck=1.0)
    rocket = lone(500.0, (80.0, 90.0, 100.0))
    run = sd.simulate(rocket, rocket.neutral_state(), 5.0, elements=[jet], laws=[burn(throttle=0.0)], record=1.0)
    assert str(run.faults[0]) == "at 3 s jet failed: its valve stuck open"
    assert run["impulse"][-1, 1] == pytest.approx(100.0)


def test_an_empty_tank_may_end_the_run():
    """Conditions of events see the states of elements."""
    rocket = lone(500.0, (80.0, 90.0, 100.0))
    elements = [
        sd.Tank("body", 0.3, name="main"),
        sd.Thruster("body", 50.0, (0, 1, 0), specific_impulse=230.0, tank="main", name="jet"),
    ]

    @sd.condition
    def low(t, s, p, out):
        out.value[0] = s.main.propellant[0] - p.least

    end = sd.Event(low(least=0.1), direction=-1, terminal=True)
    run = sd.simulate(rocket, rocket.neutral_state(), 20.0, elements=elements, laws=[burn(throttle=1.0)], events=[end])
    assert run.status == "event" and run["main.propellant"][-1, 0] == pytest.approx(0.1, abs=1e-9)
    assert run.time[-1] == pytest.approx(0.2 * 230.0 * 9.80665 / 50.0, abs=1e-7) and run.faults == ()

    @sd.condition
    def wrong(t, s, p, out):
        out.value[0] = s.main.propelant[0]

    with pytest.raises(sd.InputError, match=r"s\.main has no channel or state 'propelant'; did you mean 'propellant'"):
        sd.simulate(rocket, rocket.neutral_state(), 1.0, elements=elements, events=[sd.Event(wrong())])


def test_it_goes_on_to_the_bit():
    """A run that is ended, saved, read and resumed: propellant, pulses and modes as without an interruption."""
    model, state = tree(4, 5)
    names = model.body_names
    elements = [
        sd.Tank(names[2], 2.0, position=(0.1, 0.2, 0), gyration=0.1, name="main"),
        sd.Thruster(names[2], 5.0, (1, 2, 0), (0.3, 0, 0), 20.0, "main", on_off=True, minimum_pulse=0.15, name="jet"),
        sd.ModalAppendage(names[0], [0.5], delta0=[0.05, 0.02, 0], delta1=[0.02, 0, 0.05], name="panel"),
    ]

    @sd.law(period=0.05)
    def blink(t, s, p, out):
        out.jet.throttle[0] = 1.0 if int(np.rint(t / 0.05)) % 5 == 2 else 0.0

    options = {"elements": elements, "laws": [blink()], "record": 0.1}
    whole = sd.simulate(model, state, 2.0, **options)
    half = sd.simulate(model, state, 1.02, **options)
    rest = half.resume(until=2.0)
    np.testing.assert_array_equal(rest["u"][-1], whole["u"][-1])
    np.testing.assert_array_equal(rest["main.propellant"][-1], whole["main.propellant"][-1])
    np.testing.assert_array_equal(rest["panel.amplitude"][-1], whole["panel.amplitude"][-1])
    np.testing.assert_array_equal(rest["left"][-1], whole["left"][-1])


def test_a_scenario_has_a_tank_a_thruster_and_modes(tmp_path):
    (tmp_path / "burn.toml").write_text(
        """
robot = "ets7"
duration = 5.0
record = 1.0

[[elements]]
kind = "tank"
body = "base"
propellant = 50.0
position = [0, 0, -0.5]
name = "main"

[[elements]]
kind = "thruster"
body = "base"
thrust = 20.0
direction = [0, 0, 1]
tank = "main"
fail_at = 2.0
stuck = 1.0
name = "jet"

[[elements]]
kind = "modal_appendage"
body = "base"
frequencies = [0.1, 0.4]
damping = 0.01
delta0 = [[0, 0, 5.0], [0, 0, 1.0]]
name = "panel"
"""
    )
    run = sd.Scenario.from_toml(tmp_path / "burn.toml").run()
    assert run["impulse"][-1, 2] == pytest.approx(60.0, rel=1e-3) and run.audit().within_budget
    assert run["panel.amplitude"].shape == (6, 2) and np.abs(run["panel.amplitude"]).max() > 1e-3
    run.save(tmp_path / "burn.nc")
    again = sd.Run.load(tmp_path / "burn.nc")
    np.testing.assert_array_equal(again["carried"], run["carried"])
    assert again.audit().mass == run.audit().mass and str(again.faults[0]) == str(run.faults[0])
    assert run.data["left"].attrs["units"] == "kg, N s, J"
