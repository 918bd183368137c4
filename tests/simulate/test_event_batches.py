"""Events in a batch: every robot as if it were alone, robots that end at different times, what a run keeps of it."""

import signal

import numpy as np
import pytest

import spacedyn as sd
from laws_and_forces import DOWN, G, bounce, clock
from robots import ball
from spacedyn.kernels.scalar.pack import LANES
from spacedyn.simulate import store

pytestmark = pytest.mark.packs

HEIGHTS = np.array([1.0, 2.0, 0.5, 3.0])
LANDS = np.sqrt(2.0 * HEIGHTS / G)


@pytest.fixture
def small_chunks(monkeypatch):
    """Many chunks, so that robots end in different ones."""
    monkeypatch.setattr(store, "_CHUNK_RECORDS", 3)


def touchdown(**options) -> sd.Event:
    return sd.Event(sd.joint_reaches("height", 0.0), direction=-1, terminal=True, name="touchdown", **options)


def drop(heights=HEIGHTS, duration=0.7, events=None, **options) -> sd.Run:
    robot = ball()
    watched = [touchdown(), sd.Event(sd.joint_reaches("height", 0.4), name="passes")] if events is None else events
    heights = np.asarray(heights)
    start = robot.state(q=heights[..., None])
    return sd.simulate(robot, start, duration, **{"gravity": DOWN, "events": watched, "record": 0.05} | options)


def told(run) -> list:
    return [(e.name, e.robot, e.time, e.terminal, *e.state._data, *e.after._data) for e in run.events]


# --- what a terminal event means -------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [sd.DormandPrince8(), sd.RungeKutta4(0.01), sd.Radau5()])
def test_every_robot_is_as_if_it_were_alone_to_the_bit(method, small_chunks):
    run = drop(method=method, own_steps=True)
    assert run.status == "done"
    for i, height in enumerate(HEIGHTS):
        one = drop(height, method=method)
        rows, count = run._rows[:, i], len(one.time)
        np.testing.assert_array_equal(rows[:count], one._rows)
        np.testing.assert_array_equal(rows[count:], np.broadcast_to(one._rows[-1], rows[count:].shape))
        assert run.ended[i] == one.ended == one.time[-1]
        assert told(one) == [(name, (), *rest) for name, who, *rest in told(run) if who == (i,)]


@pytest.mark.parametrize("method", [sd.DormandPrince8(), sd.RungeKutta4(0.002)])
def test_robots_of_a_pack_have_events_as_if_they_were_alone(method):
    """Of different masses, under a sampled law with a state and a delay, more than two packs of them."""
    robot = sd.load("planar_four_link")
    rng = np.random.default_rng(3)
    count = 2 * max(LANES, 4) + 1  # enough of them for some to end and some not
    varied = robot.vary(mass={"link2": 0.8 + 0.4 * rng.random(count)})
    states = varied.state(q=0.1 * rng.standard_normal((count, 4)), qd=0.2 * rng.standard_normal((count, 4)))
    watched = [
        sd.Event(sd.joint_reaches("joint2", 0.15), terminal=True, name="far"),
        sd.Event(sd.joint_reaches("joint3", 0.0), name="middle"),
    ]
    options = {"laws": leaky(period=0.05, delay=0.02), "events": watched, "record": 0.1, "method": method}
    run = sd.simulate(varied, states, 2.0, **options)
    apart = sd.simulate(varied, states, 2.0, own_steps=True, **options)
    assert 2 < len([e for e in run.events if e.terminal]) < count
    assert run.audit().worst < 1e-9
    np.testing.assert_allclose(run.ended, apart.ended, atol=1e-9)
    for i in range(count):
        mine, alone = ([(e.name, e.terminal) for e in one.events if e.robot == (i,)] for one in (run, apart))
        assert mine == alone
    here, there = (one._rows[: min(len(run.time), len(apart.time))] for one in (run, apart))
    np.testing.assert_allclose(here, there, atol=2e-8, rtol=1e-7)


@sd.law(states={"sum": 4}, period=0.05)
def leaky(t, s, p, out):
    """Damping by what it saw over a while."""
    for k in range(4):
        out.sum[k] = 0.7 * s.sum[k] + s.qd[k]
        out.tau[k] = -0.02 * out.sum[k]


def test_robots_end_when_they_should_and_stand_still_from_then_on():
    run = drop()
    np.testing.assert_allclose(run.ended, [*LANDS[:3], 0.7], atol=1e-12)
    np.testing.assert_allclose(run.time, np.arange(15) * 0.05, atol=1e-14)
    assert np.isfinite(run._rows).all()
    own = run["t"][..., 0]
    np.testing.assert_array_equal(own, np.minimum(run.time[:, None], run.ended))
    falling = HEIGHTS - 0.5 * G * own**2
    np.testing.assert_allclose(run.states.q[..., 0], falling, atol=1e-12)
    np.testing.assert_allclose(run.states.qd[..., 0], -G * own, atol=1e-12)
    assert run.audit().worst < 1e-13
    assert max(np.abs(part).max() for part in run.audit().balance.values()) < 1e-12


def test_events_come_in_the_order_of_time_with_the_robot_that_they_happened_to():
    run = drop()
    times = [event.time for event in run.events]
    assert times == sorted(times)
    ends = {event.robot: event.time for event in run.events if event.terminal}
    assert ends == {(i,): run.ended[i] for i in range(3)}
    passes = {event.robot: event.time for event in run.events if not event.terminal}
    for (i,), time in passes.items():
        assert time == pytest.approx(np.sqrt(2 * (HEIGHTS[i] - 0.4) / G), abs=1e-12)
    for event in run.events:
        assert abs(event.state.q[0] - (0.0 if event.terminal else 0.4)) < 1e-12
    touched = [event for event in run.events if event.terminal]
    for event in touched:
        np.testing.assert_array_equal(run.final[event.robot].x, event.after.x)


def test_a_batch_whose_robots_have_all_ended_ends_with_the_last(small_chunks):
    run = drop(HEIGHTS.reshape(2, 2), duration=5.0)
    assert run.status == "event" and run.shape == (2, 2)
    np.testing.assert_allclose(run.ended, LANDS.reshape(2, 2), atol=1e-12)
    assert run.time[-1] == run.ended.max() and (np.diff(run.time) > 0.0).all()
    assert {event.robot for event in run.events if event.terminal} == {(0, 0), (0, 1), (1, 0), (1, 1)}
    with pytest.raises(sd.InputError, match=r"every robot of the batch has ended.*resume\(at="):
        run.resume(until=6.0)
    again = run.resume(at=0.5)
    np.testing.assert_array_equal(again._rows, run._rows)
    assert told(again) == told(run) and again.audit() == run.audit()


def test_a_terminal_event_after_the_last_record_still_ends_its_robot():
    run = drop(record=[0.0, 0.1])
    np.testing.assert_allclose(run.ended, [*LANDS[:3], 0.1], atol=1e-12)
    np.testing.assert_allclose(run.final.q[:, 0], HEIGHTS - 0.5 * G * 0.01)
    one = drop(1.0, record=[0.0, 0.1])
    assert one.status == "event" and one.ended == pytest.approx(LANDS[0])


def test_robots_that_bounce_go_on_and_the_ledger_knows_what_impacts_take():
    hit = sd.Event(sd.joint_reaches("height", 0.0), direction=-1, action=bounce(0.5), name="hit")
    run = drop(duration=1.5, events=[hit, sd.Event(clock(at=1.2), terminal=True)], record=0.1)
    assert run.status == "event" and run.audit().worst < 1e-12
    np.testing.assert_allclose(run.ended, 1.2)
    for i, height in enumerate(HEIGHTS):
        one = drop(height, duration=1.5, events=[hit, sd.Event(clock(at=1.2), terminal=True)], record=0.1)
        np.testing.assert_array_equal(run._rows[:, i], one._rows)
        assert [e.time for e in run.events if e.robot == (i,)] == [e.time for e in one.events]


def test_the_audit_compares_what_is_prescribed_with_each_robot_s_own_time():
    """A joint that goes on by its plan while another's touchdown ends the robot: no residual from then on."""
    robot = sd.load("planar_four_link")
    path = sd.waypoints([0.0, 4.0], [0.0, 0.8])
    states = robot.state(qd=[[0.0, 0.3, 0, 0], [0.0, 0.1, 0, 0], [0.0, -0.2, 0, 0]])
    name = robot.joint_names[0]
    stop = sd.Event(sd.joint_reaches(robot.joint_names[1], 0.2), terminal=True)
    run = sd.simulate(robot, states, 4.0, prescribed={name: path}, events=[stop], adjust=True)
    assert run.ended[0] < run.ended[2] == 4.0 and run.audit().constraints < 1e-12
    assert run.audit().energy < 1e-9


def test_robots_are_caught_at_their_own_times_and_released_ones_end():
    """Modes and events together: each robot of the batch has its own."""
    robot = sd.load("ets7")
    brake = sd.Event(sd.joint_reaches("joint2", 0.2), action=sd.actions.lock("joint2"), name="brake")
    stop = sd.Event(sd.joint_reaches("joint3", 0.3), terminal=True, name="stop")
    states = robot.state(qd=[[0, 0.1, 0.1, 0, 0, 0], [0, 0.2, 0.4, 0, 0, 0], [0, 0.05, 0.0, 0, 0, 0]])
    run = sd.simulate(robot, states, 3.0, events=[brake, stop], record=0.25)
    for i in range(3):
        one = sd.simulate(robot, states[i], 3.0, events=[brake, stop], record=0.25)
        np.testing.assert_array_equal(run._rows[: len(one.time), i], one._rows)
    assert run.audit().worst < 1e-10
    assert len({event.name for event in run.events}) == 2


# --- kept, read, gone on with ----------------------------------------------------------------------------------------


def test_events_after_the_record_that_a_run_goes_on_from_are_written_once(small_chunks, tmp_path):
    events = [sd.Event(sd.joint_reaches("height", place), name=f"passes {place}") for place in (0.8, 0.3)]
    run = drop(1.0, 0.4, events)
    again = run.resume(at=0.3, events=events, stream=tmp_path / "folder")
    assert [event.name for event in run.events] == ["passes 0.8", "passes 0.3"]
    assert told(again) == told(sd.Run.load(tmp_path / "folder")) == told(run)


@pytest.mark.parametrize("where", ["memory", "file", "folder"])
def test_a_batch_with_events_is_kept_and_goes_on(where, small_chunks, tmp_path):
    events = [touchdown(), sd.Event(sd.joint_reaches("height", 0.4), name="passes")]
    options = {"events": events}
    whole = drop(duration=0.75, **options)
    run = drop(duration=0.5, **options, **({"stream": tmp_path / "folder"} if where == "folder" else {}))
    if where == "file":
        run.save(tmp_path / "run.nc")
        read = sd.Run.load(tmp_path / "run.nc")
        assert told(read) == told(run) and read.data.identical(run.data) and read.audit() == run.audit()
        np.testing.assert_array_equal(read._rows, run._rows)
        np.testing.assert_array_equal(read.ended, run.ended)
        run = read
    elif where == "folder":
        read = sd.Run.load(tmp_path / "folder")
        assert told(read) == told(run)
        run = read
    assert run.status == "done"
    assert sorted(event.robot for event in run.events if event.terminal) == [(0,), (2,)]
    again = run.resume(until=0.75, events=events)
    if where == "folder":
        again = sd.Run.load(tmp_path / "folder")
    np.testing.assert_array_equal(again._rows, whole._rows)
    np.testing.assert_array_equal(again["t"][-1, :, 0] < 0.75, [True, True, True, False])
    assert told(again) == told(whole)
    for at in (0.1, 0.35, 0.6):  # before, between and after ends
        middle = whole.resume(at=at)
        np.testing.assert_array_equal(middle._rows, whole._rows)
        assert told(middle) == told(whole) and middle.audit() == whole.audit()


def test_tables_and_datasets_hold_each_robot_s_own_time(small_chunks):
    run = drop()
    assert run.data.own_time.dims == ("time", "robot") and run.data.own_time.attrs["units"] == "s"
    table = run.to_dataframe()
    alive = table[table.own_time == table.index.get_level_values("time")]
    assert alive.groupby("robot").size().tolist() == [10, 13, 7, 15]
    assert "own_time" not in drop(events=[sd.Event(clock(at=0.2))]).data


def test_figures_and_films_show_robots_up_to_their_ends():
    run = drop()
    lines = run.plot("q").axes[0].get_lines()
    assert [line.get_xdata().max() for line in lines] == run.ended.tolist()
    many = drop(np.linspace(0.2, 3.0, 8))
    median = many.plot("q").axes[0].get_lines()[0].get_ydata()
    alive = many.time[:, None] <= many.ended
    np.testing.assert_allclose(median, [np.median(q[a]) for q, a in zip(many.states.q[..., 0], alive, strict=True)])
    assert "touchdown (robot 2)" in run.film().html and "touchdown (robot 2)" not in run.film(robots=[0, 1]).html
    assert "touchdown of robot (2,) at 0.319" in run._repr_html_()


# --- what goes wrong -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chunks", [3, 4096])
def test_an_action_that_fails_names_the_robot_and_all_are_kept_up_to_there(chunks, monkeypatch):
    def refuse(t, state):
        if t > 0.4:
            raise ValueError("no second landing")
        return state.replace(qd=-0.5 * state.qd)

    monkeypatch.setattr(store, "_CHUNK_RECORDS", chunks)
    hit = sd.Event(sd.joint_reaches("height", 0.0), direction=-1, action=refuse, name="hit")
    with pytest.raises(sd.SimulationFailed, match=r"at t = 0.45\d* s for robot \(0,\): .*no second landing") as failed:
        drop(events=[hit, sd.Event(sd.joint_reaches("height", 0.4), name="passes")])
    run = failed.value.run
    assert run.status == "event failed" and np.isfinite(run._rows).all()
    assert run.time[-1] == pytest.approx(0.45) and (run["t"][-1] == run.time[-1]).all()
    assert max(event.time for event in run.events) == pytest.approx(LANDS[0])
    assert {event.robot for event in run.events if event.name == "hit"} == {(0,), (2,)}


def test_a_robot_that_chatters_is_named():
    hit = sd.Event(sd.joint_reaches("height", 0.0), direction=-1, action=bounce(0.5), name="hit")
    with pytest.raises(sd.SimulationFailed, match=r"for robot \(1,\): event 'hit' happened .* chatters") as failed:
        drop([2.0, 0.1, 3.0], events=[hit])
    assert failed.value.run.status == "chattering" and np.isfinite(failed.value.run._rows).all()


def test_an_interrupted_batch_forgets_what_it_cannot_keep_and_goes_on(small_chunks):
    asked = []

    def press(t, state):
        if not asked:
            asked.append(t)
            signal.raise_signal(signal.SIGINT)

    events = [touchdown(), sd.Event(sd.joint_reaches("height", 0.4), action=press, name="passes")]
    whole = drop(
        events=[touchdown(), sd.Event(sd.joint_reaches("height", 0.4), action=lambda t, s: None, name="passes")]
    )
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.warns(sd.RunWarning, match="interrupted at t = "):
            run = drop([*HEIGHTS[1:], HEIGHTS[0]], events=events)
    finally:
        signal.signal(signal.SIGINT, before)
    assert run.status == "interrupted" and run.time[-1] < asked[0] and np.isfinite(run._rows).all()
    assert all(event.time <= run.time[-1] + 0.05 for event in run.events)
    on = run.resume()
    order = [3, 0, 1, 2]
    np.testing.assert_array_equal(on._rows[:, order], whole._rows)
    assert on.audit().worst < 1e-12
