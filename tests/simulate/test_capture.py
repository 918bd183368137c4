"""Catching a target: impacts with restitution, latching, arms that cannot stop it; momentum across the instant."""

import numpy as np
import pytest

import spacedyn as sd
from spacedyn.simulate.impacts import braking


@sd.condition
def clock(t, s, p, out):
    out.value[0] = t - p.time


def at(time, action):
    return sd.Event(clock(time=time), direction=1, action=action)


def chaser(limits=(-1.0, 1.0), max_force=5.0, base="free"):
    b = sd.Builder("chaser", base=base)
    b.base("bus", mass=300.0, inertia=(50, 60, 70))
    spread = {"lower": limits[0], "upper": limits[1], "max_force": max_force}
    b.link("upper", parent="bus", position=(0.6, 0, 0), mass=10.0, inertia=(0.1, 1, 1), com=(0.5, 0, 0), **spread)
    b.link("fore", parent="upper", position=(1, 0, 0), mass=8.0, inertia=(0.1, 0.8, 0.8), com=(0.4, 0, 0), **spread)
    b.link("target", "free", parent="fore", mass=80.0, inertia=(5, 6, 7))
    b.endpoint("hand", body="fore", position=(0.8, 0, 0))
    b.endpoint("handle", body="target", position=(-0.3, 0, 0))
    return b.build()


def meeting(model, speed=(-0.2, 0.1, 0.05), spin=(0.02, -0.03, 0.1)):
    q = {"upper": 0.4, "fore": -0.7, "target": [1.1, 0, 0, 0, 0, 0, 1]}
    return model.state(base_rate=[0.01, 0.0, -0.02], q=q, qd={"upper": 0.05, "target": [*speed, *spin]})


def test_a_latch_in_a_run_has_the_digits_of_the_closed_form():
    """2550 kg at rest, 350 kg at 2.5 m with (0, -0.05) m/s and 0.1 rad/s: lock-up, exact."""
    b = sd.Builder("pair")
    b.base("chaser", mass=2550.0, inertia=(6000, 6100, 6200))
    b.link("target", "free", parent="chaser", mass=350.0, inertia=(90, 80, 100))
    pair = b.build()
    start = pair.state(q={"target": [2.5, 0.05, 0, 0, 0, 0, 1]}, qd={"target": [0, -0.05, 0, 0, 0, 0.1]})
    run = sd.simulate(pair, start, 3.0, events=[at(1.0, sd.actions.attach("target"))], record=0.5)
    end = run.final
    np.testing.assert_allclose(end.base_rate, [0, 0, -0.00346201221270], atol=1e-14)
    np.testing.assert_allclose(sd.center_of_mass_velocity(pair, end), [0, -0.00603448275862, 0], atol=1e-14)
    assert -run["event_work"][-1, 0] == pytest.approx(0.835416830464, abs=1e-12)
    L = run.momentum(about="com")
    assert np.abs(L - L[0]).max() < 1e-12 * np.abs(L[0]).max()


def test_an_offset_impact_has_the_digits_of_the_closed_form():
    """A lander of 500 kg on hard ground, without friction: impulse 76.97211155 N s, e = 0.84."""
    b = sd.Builder("lander", base="fixed")
    b.base("ground", mass=1.0, inertia=(1, 1.2, 1.1))
    b.link("lander", "free", parent="ground", mass=500.0, inertia=(300, 350, 400))
    b.endpoint("stone", body="ground")
    b.endpoint("foot", body="lander", position=(0.3, 0.2, -1.2))
    model = b.build()
    start = model.state(q=[-0.3, -0.2, 1.2, 0, 0, 0, 1], qd=[0.02, 0, -0.1, 0, 0, 0])
    hit = at(1e-9, sd.actions.impact("stone", "foot", restitution=0.84, normal=(0, 0, 1)))
    run = sd.simulate(model, start, 1e-3, events=[hit])
    before, after = run.events[0].state, run.events[0].after
    assert 500.0 * (after.qd[2] - before.qd[2]) == pytest.approx(76.97211155, abs=1e-6)
    np.testing.assert_allclose(after.qd[3:], [0.0513147410, -0.0659760956, 0], atol=1e-9)
    speeds = [sd.endpoint_velocity(model, state, "foot")[2] for state in (before, after)]
    assert speeds[1] == pytest.approx(-0.84 * speeds[0], rel=1e-12)


@pytest.mark.parametrize("restitution", [0.0, 0.3, 1.0])
def test_an_impact_reverses_what_bodies_have_against_each_other_and_keeps_momentum(restitution):
    model = chaser()
    start = meeting(model)
    run = sd.simulate(model, start, 0.5, events=[at(0.1, sd.actions.impact("hand", "handle", restitution=restitution))])
    before, after = run.events[0].state, run.events[0].after
    relative = [against(model, state) for state in (before, after)]
    np.testing.assert_allclose(relative[1], -restitution * relative[0], atol=1e-14)
    momenta = [sd.momentum(model, state, about="origin") for state in (before, after)]
    np.testing.assert_allclose(*momenta, rtol=1e-12, atol=1e-12)
    lost = sd.kinetic_energy(model, before) - sd.kinetic_energy(model, after)
    assert run["event_work"][-1, 0] == pytest.approx(-lost, abs=1e-13)
    assert abs(lost) < 1e-13 if restitution == 1.0 else lost > 1e-3
    assert run.audit().worst < 1e-10


def against(model, state):
    """Velocity of the handle relative to the arm's last body, at the handle."""
    places = [sd.endpoint_pose(model, state, name).position for name in ("hand", "handle")]
    va, vb = (sd.endpoint_velocity(model, state, name) for name in ("hand", "handle"))
    return vb[:3] - va[:3] - np.cross(va[3:], places[1] - places[0])


def test_joints_that_are_locked_take_an_impact_as_if_they_were_none():
    model = chaser()
    start = meeting(model).replace(qd=np.array([0.0, 0.0, -0.2, 0.1, 0.05, 0.02, -0.03, 0.1]))
    stiff = model.lock(["upper", "fore"], at=start)
    alike = stiff.state(base_rate=start.base_rate, q=start.q[2:], qd=start.qd[2:])
    hit = at(1e-9, sd.actions.impact("hand", "handle", restitution=0.5))
    held = {"upper": "locked", "fore": "locked"}
    one = sd.simulate(model, start, 1e-3, events=[hit], modes=held).events[0].after
    two = sd.simulate(stiff, alike, 1e-3, events=[hit]).events[0].after
    np.testing.assert_allclose(one.qd[2:], two.qd, atol=1e-12)
    np.testing.assert_array_equal(one.qd[:2], 0.0)
    np.testing.assert_allclose(one.base_rate, two.base_rate, atol=1e-13)


def test_bodies_that_part_do_not_hit():
    model = chaser()
    start = meeting(model, speed=(0.2, 0, 0), spin=(0, 0, 0))
    hit = at(0.1, sd.actions.impact("hand", "handle", restitution=0.5, normal=(1, 0, 0)))
    run = sd.simulate(model, start, 0.2, events=[hit])
    np.testing.assert_array_equal(run.events[0].after.u, run.events[0].state.u)


def test_a_bounce_before_the_latch():
    """Touch, bounce, and come back against a spring: then the latch closes; momentum stays all along."""
    model = chaser()
    start = meeting(model, speed=(-0.2, 0, 0), spin=(0, 0, 0.01))
    events = [
        at(0.2, sd.actions.impact("hand", "handle", restitution=0.4, normal=(1, 0, 0))),
        at(1.0, sd.actions.attach("target")),
        at(2.0, sd.actions.release("target", rates=[0.05, 0, 0, 0, 0, 0])),
    ]
    run = sd.simulate(model, start, 3.0, events=events, record=0.1)
    for event in run.events:
        momenta = [sd.momentum(model, state, about="com") for state in (event.state, event.after)]
        np.testing.assert_allclose(*momenta, rtol=1e-12, atol=1e-12)
        assert not np.allclose(event.state.u, event.after.u)
    assert len(run.events) == 3 and run.audit().worst < 1e-10


def test_propellant_and_modes_take_part_in_an_impact():
    model = chaser()
    tank = sd.Tank("bus", propellant=40.0, position=(-0.3, 0.2, 0.1), gyration=0.2, name="tank")
    modes = {"frequencies": [0.4, 0.9], "damping": [0.01, 0.01]}
    wing = sd.ModalAppendage("bus", **modes, delta0=[[0, 0, 1.2], [0.3, 0, 0.8]], delta1=[[0.5, 1, 0], [0, 0.4, 0]])
    hits = [
        at(0.1, sd.actions.impact("hand", "handle", restitution=0.6)),
        at(0.3, sd.actions.impact("hand", "handle", restitution=0.2, normal=(-1, 0, 0))),
    ]
    run = sd.simulate(model, meeting(model), 0.5, elements=[tank, wing], events=hits, record=0.01)
    audit = run.audit()
    assert max(audit.energy, audit.linear_momentum, audit.angular_momentum) < 1e-10
    before, after = run.events[0].state, run.events[0].after
    np.testing.assert_allclose(against(model, after), -0.6 * against(model, before), atol=1e-14)


def swinging(speed, **options):
    """One joint on a wall, and a target on its tip that flies across."""
    b = sd.Builder("gate", base="fixed")
    b.base("wall", mass=1.0, inertia=(1, 1.2, 1.1))
    b.link("arm", parent="wall", mass=2.0, inertia=(0.1, 0.5, 0.5), com=(0.5, 0, 0), lower=-1, upper=0.6, max_force=4.0)
    b.link("target", "free", parent="arm", mass=10.0, inertia=(1, 1, 1.2))
    b.endpoint("hand", body="arm", position=(1, 0, 0))
    model = b.build()
    start = model.state(q={"target": [1.0, -0.1 * speed, 0, 0, 0, 0, 1]}, qd={"target": [0, speed, 0, 0, 0, 0]})
    return model, start, [at(0.1, sd.actions.attach("target", arm="arm", **options))]


def test_an_arm_that_cannot_stop_its_catch_is_reported():
    """10 kg at 1 m on the arm: (10 + 1.2 + 0.5 + 0.5) w = 10 v; it stops within w² J / (2 max_force)."""
    J = 10.0 * 1.0 + 1.2 + 2.0 * 0.25 + 0.5
    limit = np.sqrt(2 * 4.0 * 0.6 / J) * J / 10.0  # speed that it can just stop within 0.6 rad
    model, start, catch = swinging(0.98 * limit)
    assert sd.simulate(model, start, 0.2, events=catch).status == "done"
    model, start, catch = swinging(1.02 * limit)
    with pytest.warns(
        sd.RunWarning, match=r"at t = 0.1 s what joint 'target' holds now is faster than the arm can stop"
    ):
        assert sd.simulate(model, start, 0.2, events=catch).status == "done"
    model, start, catch = swinging(1.02 * limit, too_fast="end")
    with pytest.raises(sd.SimulationFailed, match=r"faster than the arm can stop.*joint 'arm' goes on by"):
        sd.simulate(model, start, 0.2, events=catch)


def test_the_way_to_stop_is_the_one_of_a_constant_torque():
    model, start, catch = swinging(0.5)
    caught = sd.simulate(model, start, 0.1, events=catch).final
    found = braking(model, caught, ["arm"], ["target"])

    @sd.law
    def brake(t, s, p, out):
        out.tau[0] = -4.0

    start = model.state(q=caught.q, qd=caught.qd)
    still = sd.Event(stopped(), direction=-1, terminal=True)
    run = sd.simulate(model, start, 5.0, laws=[brake()], modes={"target": "locked"}, events=[still])
    assert run["time"][-1] == pytest.approx(found.time, rel=1e-9)
    assert run.final.q[0] - caught.q[0] == pytest.approx(found.travel["arm"], rel=1e-9)
    assert found.room["arm"] == pytest.approx(0.6 - caught.q[0])


@sd.condition
def stopped(t, s, p, out):
    out.value[0] = s.qd[0]


def test_scenarios_have_these_actions(tmp_path):
    """A bounce, then a latch that reports what the arm cannot stop: the same as in Python."""
    model = chaser(max_force=0.1)
    model.to_toml(tmp_path / "chaser.toml")
    (tmp_path / "catch.toml").write_text(
        """
robot = "chaser.toml"
duration = 3.0
record = 0.1
[state]
q = { upper = 0.4, fore = -0.7, target = [1.6, 0, 0, 0, 0, 0, 1] }
qd = { target = [-0.5, 0, 0, 0, 0, 0] }
[[events]]
when = "endpoints_within"
endpoint = "hand"
other = "handle"
distance = 0.2
direction = -1
action = { do = "impact", endpoint = "hand", other = "handle", restitution = 0.3, normal = [1, 0, 0] }
[[events]]
when = "endpoints_within"
endpoint = "hand"
other = "handle"
distance = 0.25
direction = 1
action = { do = "attach", joint = "target", arm = ["upper", "fore"], too_fast = "warn" }
""",
        encoding="utf-8",
    )
    scenario = sd.Scenario.from_toml(tmp_path / "catch.toml")
    with pytest.warns(sd.RunWarning, match="faster than the arm can stop"):
        run = scenario.run(progress=False)
    assert len(run.events) == 2 and "sd.actions.impact(" in scenario.to_python()
    moved = [against(model, state)[0] for state in (run.events[0].state, run.events[0].after)]
    assert moved[0] < 0.0 < moved[1]
    broken = (tmp_path / "catch.toml").read_text(encoding="utf-8").replace("restitution", "restitutoin")
    (tmp_path / "broken.toml").write_text(broken, encoding="utf-8")
    with pytest.raises(sd.ScenarioError, match="did you mean 'restitution'"):
        sd.Scenario.from_toml(tmp_path / "broken.toml").check()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: sd.actions.impact("a", "b", restitution=1.5), "restitution must be a number from 0 to 1"),
        (lambda: sd.actions.impact("a", "b", normal=(1, 1, 0)), "normal must be a unit vector"),
        (lambda: sd.actions.attach("grip", too_fast="stop"), "too_fast must be 'warn' or 'end'"),
        (lambda: sd.actions.attach("grip", arm=[1]), "arm: expected names of joints"),
        (lambda: sd.actions.engage("claw", as_met=1), "as_met"),
    ],
)
def test_actions_say_what_is_wrong_with_them(make, words):
    with pytest.raises(sd.InputError, match=words):
        make()


def test_endpoints_that_there_are_not_are_said_before_the_run():
    model = chaser()
    for action, words in (
        (sd.actions.impact("hand", "nothing"), "nothing"),
        (sd.actions.impact("hand", "hand"), "are both on body 'fore'"),
        (sd.actions.attach("target", arm=["elbow"]), "elbow"),
    ):
        with pytest.raises(sd.SpacedynError, match=words):
            sd.simulate(model, meeting(model), 1.0, events=[at(0.5, action)])
