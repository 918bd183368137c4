"""Events: found to the instant, in the right direction, in order; what actions do; runs that end or chatter."""

import math

import numpy as np
import pytest

import spacedyn as sd
from laws_and_forces import DOWN, G, bounce, clock
from robots import ball


def pendulum() -> sd.Model:
    """A point of 1 kg on 1 m, hanging along -z at zero, about y."""
    b = sd.Builder("pendulum", base="fixed")
    b.base("ground", mass=1.0, inertia=(1.0, 1.2, 1.1))
    b.body("bob", mass=1.0, inertia=(1.1e-12, 1e-12, 1.2e-12), com=(0, 0, -1.0))
    b.joint("swing", "revolute", parent="ground", child="bob", axis=(0, 1, 0))
    return b.build()


def bounces(e: float, count: int, h: float = 1.0) -> np.ndarray:
    """When a ball that falls from h touches the ground."""
    first = math.sqrt(2 * h / G)
    return first + 2 * first * np.cumsum(np.concatenate([[0.0], e ** np.arange(1, count)]))


FLOOR = {
    "joint": lambda: sd.joint_reaches("height", 0.0),
    "endpoint": lambda: sd.endpoint_reaches("bottom", point=(0, 0, 0), normal=(0, 0, 2.0)),
}


@pytest.mark.parametrize("direction", [-1, 0])
@pytest.mark.parametrize("floor", FLOOR)
def test_a_bouncing_ball_touches_the_ground_when_it_should(floor, direction):
    robot, e = ball(), 0.8
    hit = sd.Event(FLOOR[floor](), direction=direction, action=bounce(e), name="hit")
    run = sd.simulate(robot, robot.state(q=[1.0]), 3.0, gravity=DOWN, events=[hit])
    times = np.array([event.time for event in run.events])
    assert len(times) == 6
    np.testing.assert_allclose(times, bounces(e, 6), atol=1e-10)
    assert {event.name for event in run.events} == {"hit"}
    for event in run.events:
        assert event.after.qd == pytest.approx(-e * event.state.qd)
        assert event.state.q[0] == pytest.approx(0.0, abs=1e-12)
    assert run.audit().worst < 1e-11  # the ledger knows what impacts take
    lost = sum(1.0 * (event.after.qd[0] ** 2 - event.state.qd[0] ** 2) for event in run.events)
    assert run["event_work"][-1, 0] == pytest.approx(lost)
    assert run.states.q.min() > -1e-12


@pytest.mark.parametrize("method", [sd.RungeKutta4(0.013), sd.DormandPrince5(), sd.SemiImplicitEuler(1e-4)])
def test_other_methods_end_their_steps_at_events(method):
    robot = ball()
    hit = sd.Event(sd.joint_reaches("height", 0.0), direction=-1, action=bounce(0.5))
    run = sd.simulate(robot, robot.state(q=[1.0]), 1.0, gravity=DOWN, events=hit, method=method, budget=1.0)
    within = 1e-3 if isinstance(method, sd.SemiImplicitEuler) else 1e-10
    np.testing.assert_allclose([event.time for event in run.events], bounces(0.5, 2), atol=within)


def test_a_pendulum_crosses_at_quarters_of_its_period():
    """From horizontal, l = 1 m: period 2.36784194757624 s (analytic)."""
    robot, period = pendulum(), 2.36784194757624
    state = robot.state(q=[np.pi / 2])
    below = sd.Event(sd.joint_reaches("swing", 0.0))
    run = sd.simulate(robot, state, 10.0, gravity=DOWN, events=[below])
    times = np.array([event.time for event in run.events])
    np.testing.assert_allclose(times, period * (0.25 + 0.5 * np.arange(len(times))), atol=1e-9)
    assert len(times) == 8
    for direction, first in ((-1, 0.25), (1, 0.75)):
        one_way = sd.Event(sd.joint_reaches("swing", 0.0), direction=direction)
        run = sd.simulate(robot, state, 10.0, gravity=DOWN, events=[one_way])
        times = np.array([event.time for event in run.events])
        np.testing.assert_allclose(times, period * (first + np.arange(4)), atol=1e-9)
    assert run.audit().worst < 1e-9


@sd.condition
def bent(t, s, p, out):
    if p.how == 0.0:
        out.value[0] = math.exp(-20.0 * t) - math.exp(-20.0 * p.at)
    elif p.how == 1.0:
        out.value[0] = (p.at - t) ** 3
    elif p.how == 2.0:
        out.value[0] = 1.0 if t < p.at else -1e-9
    elif p.how == 3.0:
        out.value[0] = 1e-9 if t < p.at else -1.0
    else:
        out.value[0] = math.sqrt(p.at - t) if t < p.at else -math.sqrt(t - p.at)


@pytest.mark.parametrize("how", range(5), ids=["exponential", "triple", "jump up", "jump down", "root"])
def test_the_zero_of_a_bent_condition_is_found_to_rounding(how):
    """Where neither a secant leads there quickly nor both sides are alike."""
    robot, at = ball(), 0.7123
    for method in (sd.DormandPrince8(), sd.RungeKutta4(0.9)):
        events = [sd.Event(bent(how=float(how), at=at))]
        run = sd.simulate(robot, robot.state(q=[9.0]), 1.0, gravity=DOWN, events=events, method=method, record=1.0)
        (event,) = run.events
        assert event.time == pytest.approx(at, abs=4e-15)


@sd.condition
def speed(t, s, p, out):
    out.value[0] = s.qd[0] - p.limit


def test_a_terminal_event_ends_the_run_there():
    robot = ball()
    stop = sd.Event(speed(limit=-3.0), terminal=True, name="too fast")
    run = sd.simulate(robot, robot.state(q=[1.0]), 5.0, gravity=DOWN, events=[stop], record=0.1)
    assert run.status == "event"
    assert run.events[-1].name == "too fast"
    assert run.events[-1].time == pytest.approx(3.0 / G, abs=1e-12)
    assert run.time[-1] == run.events[-1].time
    assert run.final.qd[0] == pytest.approx(-3.0, abs=1e-12)
    np.testing.assert_allclose(run.time[:-1], [0.0, 0.1, 0.2, 0.3])


def test_several_events_come_in_order_and_at_once():
    robot = ball()
    noted = []
    events = [
        sd.Event(clock(at=0.3), name="late", action=lambda t, state: noted.append(t)),
        sd.Event(clock(at=0.1), name="early"),
        sd.Event(clock(at=0.3), name="late too"),
        sd.Event(sd.joint_reaches("height", 0.9), name="between"),
        sd.Event(clock(at=0.1 + 1e-9), name="just after"),
        sd.Event(clock(at=7.0), name="never"),
    ]
    run = sd.simulate(robot, robot.state(q=[1.0]), 0.4, gravity=DOWN, events=events, record="steps")
    assert [event.name for event in run.events] == ["early", "just after", "between", "late", "late too"]
    expected = [0.1, 0.1 + 1e-9, math.sqrt(0.2 / G), 0.3, 0.3]
    np.testing.assert_allclose([event.time for event in run.events], expected, atol=1e-12)
    assert noted == [run.events[3].time]
    assert {event.time for event in run.events} <= set(run.time)


def test_a_free_flyer_loses_what_a_jump_takes_and_the_ledger_balances():
    """Positions and rates jump: energy of springs too."""
    robot = sd.load("planar_four_link")
    body = robot.body_names[-1]
    spring = sd.Spring(body, robot.body_names[0], stiffness=3.0, rest_length=0.1)

    def jump(t, state):
        return state.replace(q=state.q + 0.1, qd=0.5 * state.qd, base_velocity=[0.1, 0, 0])

    once = sd.Event(clock(at=0.5), action=jump)
    state = robot.state(qd=[0.3, -0.2, 0.4, 0.1])
    run = sd.simulate(robot, state, 1.0, events=[once], forces=[spring])
    assert run.audit().worst < 1e-9
    assert len(run.events) == 1
    np.testing.assert_allclose(run.events[0].after.q, run.events[0].state.q + 0.1)
    jumped = np.linalg.norm(run["impulse"][-1])
    assert jumped > 0.01


def test_a_law_goes_on_across_events():
    robot = pendulum()

    @sd.law(period=0.01, states={"count": 1})
    def hold(t, s, p, out):
        out.count[0] = s.count[0] + 1.0
        out.tau[0] = -p.k * s.q[0]

    laws = [hold(k=2.0)]
    state = robot.state(q=[0.5])
    plain = sd.simulate(robot, state, 2.0, gravity=DOWN, laws=laws)
    with_events = sd.simulate(
        robot, state, 2.0, gravity=DOWN, laws=laws, events=[sd.Event(sd.joint_reaches("swing", 0.1))]
    )
    assert len(with_events.events) > 1
    np.testing.assert_allclose(with_events.states.q, plain.states.q, atol=1e-10)
    np.testing.assert_array_equal(with_events["law_states"], plain["law_states"])


def test_a_ball_that_comes_to_rest_chatters_and_the_run_is_kept():
    robot = ball()
    hit = sd.Event(sd.joint_reaches("height", 0.0), direction=-1, action=bounce(0.5), name="hit")
    with pytest.raises(sd.SimulationFailed, match=r"event 'hit' happened 20 times.*chatters") as failed:
        sd.simulate(robot, robot.state(q=[1.0]), 5.0, gravity=DOWN, events=[hit])
    end = math.sqrt(2 / G) * 3.0  # the sum of all flights
    assert failed.value.time == pytest.approx(end, abs=1e-6)
    run = failed.value.run
    assert run.status == "chattering"
    assert run.time[-1] == pytest.approx(end, abs=1e-6)
    assert run.states.q.min() > -1e-9
    assert run.audit().worst < 1e-9


def test_frequent_events_of_a_long_run_are_no_chatter():
    """A thousand crossings a second, ended by an event: however long the run was meant to be."""
    robot = ball()

    @sd.condition
    def beat(t, s, p, out):
        out.value[0] = math.sin(math.pi * 1000.0 * t + 1.0)

    events = [sd.Event(beat()), sd.Event(clock(at=0.05), terminal=True)]
    method = sd.RungeKutta4(2e-3)
    run = sd.simulate(robot, robot.neutral_state(), 1e7, events=events, method=method, record=0.01, limits=False)
    assert run.status == "event" and len(run.events) == 51


@pytest.mark.parametrize("where", ["memory", "file", "folder"])
def test_a_run_with_events_is_kept_and_goes_on_bit_for_bit(where, tmp_path):
    robot = ball()
    events = [
        sd.Event(sd.joint_reaches("height", 0.0), direction=-1, action=bounce(0.9), name="hit"),
        sd.Event(sd.joint_reaches("height", 0.3), name="passes"),
        sd.Event(clock(at=1.9), terminal=True, name="enough"),
    ]
    options = {"gravity": DOWN, "events": events, "record": 0.01}
    whole = sd.simulate(robot, robot.state(q=[1.0]), 4.0, **options)
    assert whole.status == "event"
    assert whole.events[-1].name == "enough"
    stream = {"stream": tmp_path / "folder"} if where == "folder" else {}
    run = sd.simulate(robot, robot.state(q=[1.0]), 1.0, **options, **stream)
    if where == "file":
        run.save(tmp_path / "run.nc")
        run = sd.Run.load(tmp_path / "run.nc")
        with pytest.raises(sd.InputError, match=r"code of events.*'hit', 'passes', 'enough'"):
            run.resume(until=4.0)
        with pytest.raises(sd.InputError, match="made with the events"):
            run.resume(until=4.0, events=events[:2])
    elif where == "folder":
        run = sd.Run.load(tmp_path / "folder")
    assert [event.name for event in run.events] == ["passes", "hit", "passes"]
    assert run.events[1].after.qd[0] == pytest.approx(-0.9 * run.events[1].state.qd[0])
    again = run.resume(until=4.0, events=events)
    if where == "folder":
        again = sd.Run.load(tmp_path / "folder")
    assert again.status == "event"
    assert [event.name for event in again.events] == [event.name for event in whole.events]
    assert [event.time for event in again.events] == [event.time for event in whole.events]
    np.testing.assert_array_equal(again._rows, whole._rows)
    np.testing.assert_array_equal(again.events[-1].state.u, again.final.u)
    if where == "memory":
        middle = whole.resume(at=0.6)
        np.testing.assert_array_equal(middle.final.x, whole.final.x)
        assert [(e.name, e.time) for e in middle.events] == [(e.name, e.time) for e in whole.events]
        beyond = whole.resume(until=2.5)  # past the terminal event
        assert beyond.status == "done"
        assert beyond.time[-1] == 2.5
        assert len(beyond.events) > len(whole.events)


def test_a_ball_that_starts_on_the_ground():
    robot = ball()
    hit = sd.Event(sd.joint_reaches("height", 0.0), action=bounce(1.0))
    run = sd.simulate(robot, robot.state(q=[0.0], qd=[G / 2]), 3.5, gravity=DOWN, events=[hit])
    np.testing.assert_allclose([event.time for event in run.events], [1.0, 2.0, 3.0], atol=1e-10)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (lambda t, state: 3.0, "must return a State"),
        (lambda t, state: 1 / 0, "division by zero"),
        (lambda t, state: pendulum().neutral_state(), "must return a State"),
        (lambda t, state: state.with_internal({"jet.propellant": 1.0}), r"internal states \(jet.propellant\)"),
    ],
)
def test_an_action_that_fails_is_named_and_the_run_is_kept(action, message):
    robot = ball()
    hit = sd.Event(sd.joint_reaches("height", 0.0), action=action, name="hit")
    with pytest.raises(sd.SimulationFailed, match=f"the action of event 'hit' failed: .*{message}") as failed:
        sd.simulate(robot, robot.state(q=[1.0]), 1.0, gravity=DOWN, events=[hit])
    assert failed.value.run.time[-1] == pytest.approx(bounces(1.0, 1)[0])


def test_an_action_may_not_change_what_is_prescribed():
    robot = sd.load("planar_four_link")
    name = robot.joint_names[0]
    turn = sd.Event(clock(at=0.1), action=lambda t, state: state.replace(qd=state.qd + 1.0))
    with pytest.raises(sd.SimulationFailed, match=f"it changed joint '{name}', which is prescribed"):
        sd.simulate(robot, robot.neutral_state(), 0.2, prescribed={name: "locked"}, events=[turn])


@sd.condition
def broken(t, s, p, out):
    out.value[0] = math.sqrt(0.5 - t) if t < 0.5 else math.nan


@sd.condition
def careless(t, s, p, out):
    out.value[0] = s.q[3] if s.q[0] < 0.5 else 1.0


@pytest.mark.parametrize(
    ("made", "message"),
    [(broken, r"condition 'broken' writes nan to value\[0\]"), (careless, "condition 'careless' raised IndexError")],
)
def test_a_condition_that_fails_is_named(made, message):
    robot = ball()
    with pytest.raises(sd.SimulationFailed, match=message) as failed:
        sd.simulate(robot, robot.state(q=[1.0]), 1.0, gravity=DOWN, events=[sd.Event(made())])
    assert np.isfinite(failed.value.run.states.q).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sd.Event(speed), "call it"),
        (lambda: sd.Event(lambda t: t), "@condition"),
        (lambda: sd.Event(speed(limit=1.0), direction=2), "direction must be"),
        (lambda: sd.Event(speed(limit=1.0), action=3), "action must be a function"),
        (lambda: [speed(limit=1.0)], "expected Event"),
        (lambda: sd.Event(sd.joint_reaches("hight", 0.0)), "no joint named 'hight'"),
        (lambda: sd.Event(sd.joint_reaches("height", 0.0, part=1)), "there is no part 1"),
        (lambda: sd.Event(sd.joint_reaches("height", np.nan)), "finite"),
        (lambda: sd.Event(sd.endpoint_reaches("top", (0, 0, 0), (0, 0, 1))), "no endpoint named 'top'"),
        (lambda: sd.Event(sd.endpoint_reaches("bottom", (0, 0, 0), (0, 0, 0))), "direction"),
    ],
)
def test_what_is_no_event_is_refused(make, message):
    robot = ball()
    with pytest.raises((sd.InputError, sd.UnknownName), match=message):
        sd.simulate(robot, robot.neutral_state(), 1.0, events=make())
