"""A Run: what can be read from it, its files, its folder, its ledger, and going on with it bit for bit."""

import json
import math
import os
import pty
import signal
import subprocess
import time
import tracemalloc
import warnings

import numpy as np
import pytest
import xarray

import spacedyn as sd
from processes import python
from random_trees import random_model, random_state_parts
from spacedyn.model.parts import BASE_KINDS
from spacedyn.run.resume import _past
from spacedyn.simulate import store
from spacedyn.simulate.interruption import Interruption
from spacedyn.simulate.record_times import RecordTimes
from spacedyn.simulate.simulation import Simulation
from spacedyn.simulate.store import Past

ROBOT = sd.load("planar_four_link")
FREE = sd.load("ets7")
START = ROBOT.state(q=[0.1, 0.2, 0.3, 0.4], qd=[0.1, 0.2, -0.1, 0.3])
METHODS = [sd.DormandPrince8(), sd.DormandPrince5(), sd.RungeKutta4(4e-3), sd.SemiImplicitEuler(1e-3)]


@sd.law(period=0.013, delay=0.02, states={"integral": 2})
def hold(t, s, p, out):
    for i in range(2):
        out.integral[i] = s.integral[i] + s.q[i]
    for i in range(s.q.size):
        out.tau[i] = -p.kp[i % 2, 0] * s.q[i] - p.kd * s.qd[i] - 0.01 * s.integral[0]


@sd.law(states={"filtered": 4})
def soften(t, s, p, out):
    for i in range(4):
        out.filtered[i] = (s.qd[i] - s.filtered[i]) / p.lag
        out.tau[i] = -p.gain * s.filtered[i]


def laws():
    return [hold(kp=[[1.0], [2.0]], kd=0.5).starting(integral=0.1), soften(lag=0.1, gain=0.2)]


@pytest.fixture(scope="module")
def run():
    return sd.simulate(ROBOT, START, 1.0, laws=laws(), record=0.01)


@pytest.fixture
def small_chunks(monkeypatch):
    """Many chunks, so that many checkpoints are taken, some of them within a step."""
    monkeypatch.setattr(store, "_CHUNK_RECORDS", 7)


def same(a, b):
    """Whether two runs are the same to the bit."""
    channels = all(np.array_equal(a[name], b[name]) for name in b.simulation.channels)
    return channels and a.status == b.status and a.audit() == b.audit() and a.data.identical(b.data)


# --- reading it ------------------------------------------------------------------------------------------------------


def test_poses_energy_and_momentum_are_those_of_its_states():
    run = sd.simulate(FREE, FREE.random_state(np.random.default_rng(1), 2), 0.2, record=0.05, gravity=(0, 0, -1))
    hand, link = run.endpoint("hand"), run.body("link3")
    everything = sd.forward_kinematics(FREE, run.states, run["udot"])
    for found, expected in ((hand, everything.endpoints.of("hand")), (link, everything.bodies.of("link3"))):
        assert found.position.shape == (5, 2, 3)
        for part in ("position", "rotation", "velocity", "acceleration"):
            assert np.allclose(getattr(found, part), getattr(expected, part), rtol=0, atol=1e-14)
    assert np.array_equal(run.energy().kinetic, sd.kinetic_energy(FREE, run.states))
    assert np.array_equal(run.energy().potential, sd.potential_energy(FREE, run.states, gravity=(0, 0, -1)))
    assert np.array_equal(run.energy().total, run.energy().kinetic + run.energy().potential)
    assert np.array_equal(run.momentum(about="origin"), sd.momentum(FREE, run.states, about="origin"))


def test_the_state_at_a_recorded_time_and_no_other(run):
    assert np.array_equal(run.at(0.3).x, run.states[30].x)
    assert np.array_equal(run.final.x, run.states[-1].x)
    with pytest.raises(sd.InputError, match=r"no record of t = 0.305 s.* 101 from 0 to 1 s are 0.3 and 0.31 s"):
        run.at(0.305)
    with pytest.raises(sd.InputError, match="are 1 s"):
        run.at(2.0)
    with pytest.raises(sd.UnknownName, match="did you mean 'udot'"):
        run["udott"]


def test_the_dataset_names_joints_axes_and_units(run):
    data = run.data
    assert np.array_equal(data.q.sel(coordinate="joint2"), run.states.q[:, 1])
    assert np.array_equal(data.base_rate.sel(axis="z"), run.states.base_rate[:, 2])
    assert np.array_equal(data["hold0.integral"], run["law_states"][:, :2])
    assert data.time.units == "s" and data.base_velocity.units == "m/s"
    assert data.attrs["laws"] == ["hold", "soften"] and data.attrs["model_digest"] == ROBOT.digest


def test_a_flat_table_with_a_name_for_every_number(run):
    table = run.to_dataframe()
    assert table.index.name == "time" and len(table) == 101
    assert np.array_equal(table["q.joint2"], run.states.q[:, 1])
    assert np.array_equal(table["endpoint_wrench.hand.mz"], run["endpoint_wrenches"][:, 5])
    assert np.array_equal(table["soften1.filtered.3"], run["law_states"][:, 5])
    assert "base_work" in table
    batch = sd.simulate(ROBOT, ROBOT.random_state(np.random.default_rng(0), (2, 3)), 0.02, record=0.01).to_dataframe()
    assert batch.index.names == ["time", "robot", "robot1"] and len(batch) == 18


def test_only_the_channels_that_were_chosen_are_kept_but_the_ledger_is_audited(run):
    small = sd.simulate(ROBOT, START, 1.0, laws=laws(), record=0.01, channels=["udot"])
    assert np.array_equal(small.states.x, run.states.x) and np.array_equal(small["udot"], run["udot"])
    assert small.audit() == run.audit() and small.endpoint("hand").acceleration is not None
    assert set(small.data.data_vars) == {
        *["q", "qd", "udot", "base_position", "base_quaternion", "base_velocity", "base_rate"]
    }
    with pytest.raises(sd.InputError, match=r"'forces' was not recorded; simulate with channels=\['forces', ...\]"):
        small["forces"]
    with pytest.raises(sd.InputError, match="audited but not recorded"):
        small.audit().balance  # noqa: B018
    assert np.array_equal(run.audit().balance["energy"][0], 0.0)
    nothing = sd.simulate(ROBOT, START, 0.1, channels=())
    assert nothing.endpoint("hand").acceleration is None
    ledger = sd.simulate(ROBOT, START, 0.1, channels="ledger")
    assert ledger.audit().balance["energy"].shape == (1001,)
    with pytest.raises(sd.UnknownName, match="did you mean 'forces'"):
        sd.simulate(ROBOT, START, 0.1, channels=["force"])


def test_it_knows_its_names_and_says_where_times_are(run):
    assert {"t", "x", "udot", "q", "base_position", "hold0.integral"} <= set(run.keys()) == set(run)
    assert "qd" in run and "typo" not in run and all(run[name].shape[0] == run.time.size for name in run)
    for name, message in {
        "t": "run.time",
        "names": "run.keys",
        "audits": "did you mean 'audit'",
        "q": "run.states",
    }.items():
        with pytest.raises(AttributeError, match=f"a Run has no attribute '{name}'; .*{message}"):
            getattr(run, name)


def test_in_a_notebook_it_shows_itself_and_its_ledger(run):
    assert "Run of" in run._repr_html_() and "verdict" in run._repr_html_()


# --- recording -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("record", [0.03, 0.1, [0.1, 0.25, 0.7], [0.5, 1.0]])
def test_times_are_made_as_they_are_needed(record):
    record = record if isinstance(record, float) else np.array(record)
    times = RecordTimes(record, 0.0, 1.0)
    whole = times.window(0, 1000)
    expected = record if isinstance(record, np.ndarray) else np.append(np.arange(int(1 / record + 1e-9)) * record, 1.0)
    if isinstance(record, float) and record == 0.03:
        expected = np.append(np.arange(34) * record, 1.0)
    assert times.count == len(whole) and np.allclose(whole, expected, rtol=0, atol=1e-15)
    assert np.array_equal(np.concatenate([times.window(k, 3) for k in range(0, times.count, 3)]), whole)
    rows = whole[:2].reshape(2, 1, 1)
    again = Past([], rows, np.empty(0), None)
    assert np.array_equal(RecordTimes(record, 0.0, 1.0, again).window(0, 1000), whole[2:])
    first = Past([], rows, whole[2:3], None)
    assert np.array_equal(RecordTimes(record, 0.0, 1.0, first).window(0, 1000), whole[2:])


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_chunks_do_not_change_a_bit(method, monkeypatch):
    whole = sd.simulate(ROBOT, START, 0.5, laws=laws(), record=1e-3, method=method, budget=1.0)
    monkeypatch.setattr(store, "_CHUNK_RECORDS", 7)
    parts = sd.simulate(ROBOT, START, 0.5, laws=laws(), record=1e-3, method=method, budget=1.0)
    assert len(whole.time) == 501
    for name in whole.simulation.channels:
        assert np.array_equal(whole[name], parts[name])
    steps = sd.simulate(ROBOT, START, 0.5, laws=laws(), record="steps", method=method, budget=1.0)
    assert np.array_equal(steps.final.x, whole.final.x)


def test_every_robot_of_a_batch_is_recorded_in_chunks(small_chunks):
    many = ROBOT.random_state(np.random.default_rng(0), 9)
    run = sd.simulate(ROBOT, many, 0.3, laws=laws(), record=0.01)
    alone = sd.simulate(ROBOT, many[8], 0.3, laws=laws(), record=0.01)
    assert run.states.shape == (31, 9)
    assert np.allclose(run.states.x[:, 8], alone.states.x, rtol=0, atol=1e-9)


def test_a_batch_without_robots_is_refused():
    with pytest.raises(sd.InputError, match="the batch is empty"):
        sd.simulate(ROBOT, ROBOT.random_state(np.random.default_rng(0), 0), 1.0)


def test_a_chunk_lasts_a_second_or_a_few():
    assert [store.next_room(16, 40, s) for s in (0.1, 2.0, 9.0, np.inf)] == [32, 16, 8, 16]
    assert store.next_room(32, 40, 0.1) == 40 and store.next_room(1, 40, 9.0) == 1


# --- files -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", BASE_KINDS)
@pytest.mark.parametrize("batch", [(), (2, 3)])
def test_a_saved_run_is_the_same_to_the_bit(kind, batch, tmp_path):
    rng = np.random.default_rng(3)
    model = random_model(rng, 6, base_kind=kind, passive=True)
    many = [random_state_parts(rng, model) for _ in range(int(np.prod(batch)))]
    state = model.state(**{name: np.array([p[name] for p in many]).reshape(*batch, -1) for name in many[0]})
    options = {"gravity": (0, 0, -9.8), "budget": 1.0, "limits": False}
    run = sd.simulate(model, state, 0.01, method=sd.RungeKutta4(1e-3), **options)
    run.save(tmp_path / "run.nc")
    again = sd.Run.load(tmp_path / "run.nc")
    assert same(again, run) and again.model == model and again.shape == batch
    assert again.method == run.method and again.gravity.tolist() == [0, 0, -9.8]
    assert again.provenance == run.provenance
    assert [f.name for f in tmp_path.iterdir()] == ["run.nc"]


def test_laws_names_and_settings_survive(run, tmp_path):
    run.save(tmp_path / "run.nc")
    again = sd.Run.load(str(tmp_path / "run.nc"))
    assert same(again, run)
    for law, was in zip(again.laws, run.laws, strict=True):
        assert (law.name, law.period, law.delay, law.states) == (was.name, was.period, was.delay, was.states)
        assert all(np.array_equal(law.parameters[k], was.parameters[k]) for k in was.parameters)
        assert all(law.parameters[k].shape == was.parameters[k].shape for k in was.parameters)
    assert "kp" in again.laws[0].parameters and again.laws[0].initial["integral"].tolist() == [0.1, 0.1]
    assert again.method == run.method and again.method.max_step == np.inf


def test_other_programs_can_read_the_file(run, tmp_path):
    run.save(tmp_path / "run.nc")
    with xarray.open_dataset(tmp_path / "run.nc", engine="scipy") as data:
        assert np.array_equal(data.q.sel(coordinate="joint2"), run.states.q[:, 1])
        assert data.q.attrs["units"] == "rad or m" and list(data.endpoint.values) == ["hand"]
        assert data.attrs["status"] == "done" and json.loads(data.attrs["laws"]) == ["hold", "soften"]


def test_greek_names_no_endpoints_and_no_joints(tmp_path):
    b = sd.Builder("ρομπότ", base="free")
    b.base(mass=1.0, inertia=(1, 1.5, 2))
    run = sd.simulate(b.build(), b.build().state(base_rate=[0, 0, 1]), 0.1, record=0.05)
    run.save(tmp_path / "a.nc")
    assert same(sd.Run.load(tmp_path / "a.nc"), run)
    b.body("σώμα", mass=1.0, inertia=(1, 1.5, 2))
    b.joint("ώμος 1/α", "spherical", parent="base", child="σώμα")
    run = sd.simulate(b.build(), b.build().state(qd=[0, 0, 1]), 0.1, record=0.05, channels=())
    run.save(tmp_path / "b.nc")
    assert same(sd.Run.load(tmp_path / "b.nc"), run)


def test_files_that_are_no_runs(tmp_path, run):
    (tmp_path / "text.nc").write_text("hello")
    xarray.Dataset({"a": 1.0}).to_netcdf(tmp_path / "other.nc", engine="scipy")
    for name in ("text.nc", "other.nc"):
        with pytest.raises(sd.InputError, match="is not a run that was saved"):
            sd.Run.load(tmp_path / name)
    with pytest.raises(sd.InputError, match="there is no file or folder"):
        sd.Run.load(tmp_path / "nothing.nc")
    with pytest.raises(sd.InputError, match="no run was streamed to it"):
        sd.Run.load(tmp_path)
    text = json.loads(run.simulation.to_text())
    with pytest.raises(sd.InputError, match="has been changed"):
        Simulation.from_text(json.dumps(text | {"model_digest": "0"}), START._data)
    with pytest.raises(sd.InputError, match="a method 'Euler', which this version does not have"):
        Simulation.from_text(json.dumps(text | {"method": {"name": "Euler", "settings": {}}}), START._data)


# --- going on with it ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("many", [False, True], ids=["one", "batch"])
def test_a_restart_from_the_middle_gives_the_same_end_bit_for_bit(method, many, small_chunks, tmp_path):
    state = ROBOT.random_state(np.random.default_rng(2), 6) if many else START
    run = sd.simulate(ROBOT, state, 0.4, laws=laws(), record=2e-3, method=method, budget=1.0)
    assert len(run._checkpoints) > (2 if many else 5)
    run.save(tmp_path / "run.nc")
    loaded = sd.Run.load(tmp_path / "run.nc")
    for at in (0.0, 0.2, 0.366):
        if at:
            assert (
                0 < _past(run, run.index(at), False, run.simulation.end)[0].records < len(run.time)
            )  # not from the start
        assert same(run.resume(at=at), run)
        assert same(loaded.resume(at=at, laws=laws()), run)


def test_a_restart_of_a_robot_with_springs_friction_and_stops(small_chunks, tmp_path):
    rng = np.random.default_rng(5)
    model = random_model(rng, 5, base_kind="free", passive=True)
    state = model.state(**random_state_parts(rng, model))
    run = sd.simulate(model, state, 0.05, record=1e-3, gravity=(0, 0, -9.8), budget=1.0, limits=False)
    run.save(tmp_path / "run.nc")
    assert same(run.resume(at=0.025), run) and same(sd.Run.load(tmp_path / "run.nc").resume(at=0.025), run)


def test_a_restart_with_every_step_recorded_and_at_given_times(small_chunks):
    for record in ("steps", [0.0, 0.1, 0.15, 0.3]):
        run = sd.simulate(ROBOT, START, 0.4, laws=laws(), record=record)
        assert same(run.resume(at=run.time[len(run.time) // 2]), run)


@pytest.mark.parametrize("method", [*METHODS, sd.Radau5()])
@pytest.mark.parametrize("where", ["memory", "file", "folder"])
def test_a_run_goes_on_beyond_its_end_as_if_it_had_never_ended(method, where, tmp_path):
    """Bit for bit, though its last step was cut short: what it recorded of that one is recorded again."""
    stream = {"stream": tmp_path / "run"} if where == "folder" else {}
    options = {"laws": laws(), "record": 0.03, "method": method, "budget": np.inf}
    run = sd.simulate(ROBOT, START, 0.3, **options, **stream)
    if where == "file":
        run.save(tmp_path / "run.nc")
        run = sd.Run.load(tmp_path / "run.nc")
    elif where == "folder":
        run = sd.Run.load(tmp_path / "run")
    whole = sd.simulate(ROBOT, START, 0.72, **options)
    longer = run.resume(until=0.5, laws=laws()).resume(until=0.72, laws=laws())
    extra = np.flatnonzero(longer.time == 0.5)  # where the second part ended, between two records
    assert extra.size == 1 and np.array_equal(np.delete(longer._rows, extra, axis=0), whole._rows)
    assert np.allclose(longer["x"][: len(run.time)], run["x"], rtol=0, atol=1e-9)
    shorter = whole.resume(at=0.3, until=0.5)
    assert np.array_equal(shorter._rows[:-1], whole._rows[: len(shorter.time) - 1])


@pytest.mark.parametrize("robots", [3, 9])
def test_a_batch_goes_on_beyond_its_end_as_if_it_had_never_ended(robots, tmp_path):
    many = ROBOT.state(q=np.random.default_rng(3).uniform(-1, 1, (robots, 4)), qd=[0.5, -0.2, 0.3, 0.1])
    whole = sd.simulate(ROBOT, many, 2.0, laws=laws()[1:], record=0.05)
    run = sd.simulate(ROBOT, many, 1.0, laws=laws()[1:], record=0.05)
    assert np.array_equal(run.resume(until=2.0)._rows, whole._rows)
    run.save(tmp_path / "run.nc")
    assert np.array_equal(sd.Run.load(tmp_path / "run.nc").resume(until=2.0, laws=laws()[1:])._rows, whole._rows)


def test_a_long_run_of_few_records_goes_on_from_its_last_step():
    run = sd.simulate(FREE, FREE.state(qd=[0.1, 0, 0, 0.2, 0, 0]), 50.0, record=[0.0, 50.0])
    assert _past(run, None, False, 100.0)[0].records == 1  # all but the last record stays
    image = _past(run, None, False, 100.0)[0].checkpoints[-1].image
    assert 10.0 < image[0] < 50.0  # its time
    times = [0.0, 50.0, 100.0]
    longer, whole = run.resume(until=100.0, record=times), sd.simulate(FREE, run.simulation.state, 100.0, record=times)
    assert np.array_equal(longer._rows, whole._rows)


def test_a_run_goes_on_to_other_times():
    run = sd.simulate(ROBOT, START, 0.4, laws=laws(), record=0.03, method=sd.RungeKutta4(0.01))
    longer = run.resume(until=0.7)
    assert longer.time[-1] == 0.7 and np.allclose(longer.time[-11:-1], np.arange(14, 24) * 0.03)
    zoom = run.resume(at=0.3, until=0.32, record=1e-3)
    assert np.allclose(zoom.time[-20:], 0.3 + np.arange(1, 21) * 1e-3) and zoom.time[-21] == run.time[10]


def test_prescribed_joints_go_on(small_chunks, tmp_path):
    @sd.motion
    def swing(t, p, out):
        out.value[0] = p.size * math.sin(t)
        out.rate[0] = p.size * math.cos(t)
        out.acceleration[0] = -p.size * math.sin(t)

    motions = {
        "joint1": sd.waypoints([0, 0.1, 0.3], [0.0, 0.5, 0.2]),
        "joint2": swing(size=0.2),
        "joint3": "locked",
        "joint4": np.polynomial.Polynomial([0.1, 0.2]),
    }
    run = sd.simulate(ROBOT, START, 0.4, prescribed=motions, adjust=True, record=5e-3)
    assert same(run.resume(at=0.2), run)
    run.save(tmp_path / "run.nc")
    loaded = sd.Run.load(tmp_path / "run.nc")
    assert same(loaded.resume(at=0.2, prescribed={"joint2": swing(size=0.2)}), run)
    with pytest.raises(sd.InputError, match=r"'joint2' was prescribed by a function 'swing', whose code a file does"):
        loaded.resume(at=0.2)
    with pytest.raises(sd.InputError, match=r"'swing': the run was made with size = 0.2, now it is 0.3"):
        loaded.resume(at=0.2, prescribed={"joint2": swing(size=0.3)})
    with pytest.raises(sd.InputError, match="not made with a function of time for a joint 'joint1'"):
        loaded.resume(at=0.2, prescribed={"joint1": swing(size=0.3)})


def test_forces_go_on(small_chunks, tmp_path):
    base = FREE.body_names[0]
    forces = [
        sd.Wrench(base, force=(1, 2, 3), point=(0.1, 0, 0), frame="body", stop=0.15, name="thruster"),
        sd.Tether("link6", other_point=(3, 0, 0), stiffness=50.0, damping=0.1, rest_length=0.5),
        sd.Drag("link3", linear=[0.1, 0.2, 0.3]),
    ]
    run = sd.simulate(FREE, FREE.state(qd=[0.1] * 6), 0.3, forces=forces, record=5e-3)
    run.save(tmp_path / "run.nc")
    loaded = sd.Run.load(tmp_path / "run.nc")
    assert same(loaded, run) and same(run.resume(at=0.1), run) and same(loaded.resume(at=0.2), run)
    assert [force.label for force in loaded.forces] == ["thruster", "tether link6 to inertial", "drag on link3"]
    assert np.array_equal(run.to_dataframe()["tension.tether link6 to inertial"], run["tension"][:, 1])
    energy = run.energy().potential
    assert np.array_equal(energy, sd.potential_energy(FREE, run.states) + run["element_energy"].sum(-1))
    assert np.array_equal(run.energy().stored, energy) and run["element_energy"].any()
    given = run["element_work"].sum(-1) - run["dissipated"][:, 0]
    assert np.allclose(np.diff(run.energy().total), np.diff(given), rtol=0, atol=1e-9)


def test_other_laws_are_refused(run, tmp_path):
    run.save(tmp_path / "run.nc")
    loaded = sd.Run.load(tmp_path / "run.nc")
    first, second = laws()
    with pytest.raises(sd.InputError, match=r"does not hold the code of laws; .* resume\(laws=\[hold\(...\), soften"):
        loaded.resume(at=0.5)
    for given, what in (
        ([first], "made with the laws 'hold', 'soften', in this order; given were 'hold'"),
        ([second, first], "in this order"),
        ([first, soften(lag=0.1, gain=0.3)], "'soften': the run was made with gain = 0.2, now it is 0.3"),
        ([hold(kp=[1.0, 2.0], kd=0.5).starting(integral=0.1), second], "'hold': the run was made with kp = "),
        ([hold(kp=[[1.0], [2.0]], kd=0.5), second], "'hold': the run was made with the start of integral"),
        ([hold(kp=[[1.0], [2.0]], kd=0.5, period=0.02), second], "made with period 0.013, now it is 0.02"),
    ):
        for one in (run, loaded):
            with pytest.raises(sd.InputError, match=what):
                one.resume(at=0.5, laws=given)


def test_a_law_that_was_edited_is_noticed(run, tmp_path):
    text = run.simulation.to_text()
    source = json.loads(text)["laws"][1]["source"]
    edited = Simulation.from_text(text.replace(source, "0" * 16), START._data)
    other = sd.Run(edited, run._rows, run._checkpoints, None, "done", run._ledger)
    with pytest.warns(sd.RunWarning, match="law 'soften' has been edited since it made this run"):
        assert same(other.resume(at=0.5, laws=laws()), run)


def test_what_cannot_be_resumed(run):
    with pytest.raises(sd.InputError, match="the run is done; say until when"):
        run.resume()
    for until in (1.0, 0.5, np.nan):
        with pytest.raises(sd.InputError, match=r"until must be later than 1\.0 s"):
            run.resume(until=until)
    with pytest.raises(sd.InputError, match=r"no record of t = 0\.123 s"):
        run.resume(at=0.123)
    text = json.dumps(json.loads(run.simulation.to_text()) | {"kernels": "another"})
    other = sd.Run(Simulation.from_text(text, START._data), run._rows, run._checkpoints, None, "done", run._ledger)
    with pytest.raises(sd.InputError, match=r"by another version of spacedyn.* simulate\(model, run.final"):
        other.resume(until=2.0, laws=laws())


# --- streaming -------------------------------------------------------------------------------------------------------


def test_a_streamed_run_is_the_same_and_goes_on_in_its_folder(small_chunks, tmp_path):
    run = sd.simulate(ROBOT, START, 0.4, laws=laws(), record=2e-3)
    streamed = sd.simulate(ROBOT, START, 0.4, laws=laws(), record=2e-3, stream=tmp_path / "a")
    loaded = sd.Run.load(tmp_path / "a")
    assert same(streamed, run) and same(loaded, run) and isinstance(loaded._rows, np.memmap)
    assert len(loaded._checkpoints) > 20
    longer = loaded.resume(until=0.5, laws=laws())
    assert longer.folder == tmp_path / "a" and longer.time[-1] == 0.5
    assert same(longer, run.resume(until=0.5)) and same(sd.Run.load(tmp_path / "a"), longer)
    other = loaded.resume(at=0.2, laws=laws(), stream=tmp_path / "b")
    assert same(other, run) and same(sd.Run.load(tmp_path / "b"), run)
    assert same(loaded.resume(at=0.2, laws=laws()), run)  # in memory
    with pytest.raises(sd.InputError, match="is there already; choose another folder"):
        sd.simulate(ROBOT, START, 0.4, stream=tmp_path / "a")
    many = ROBOT.random_state(np.random.default_rng(0), 5)
    batch = sd.simulate(ROBOT, many, 0.1, record=5e-3, stream=tmp_path / "c", channels=["udot"])
    assert same(sd.Run.load(tmp_path / "c"), batch)


def test_memory_stays_bounded(tmp_path):
    sd.simulate(ROBOT, START, 1.0)
    tracemalloc.start()
    run = sd.simulate(ROBOT, START, 100.0, record=1e-3, stream=tmp_path / "run", channels=())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert run.time.size == 100001
    assert peak < 20e6  # a row of all channels has 58 numbers: 46 MB in all


PROGRAM = """
import sys, time
import spacedyn as sd
from spacedyn.run.folder import Folder
from test_run import ROBOT, START, laws

keep, chunks = Folder.add, []

def add(self, *what):
    keep(self, *what)
    chunks.append(what)
    while len(chunks) > 5:  # waits to be killed
        time.sleep(1)

Folder.add = add
sd.simulate(ROBOT, START, 150.0, laws=laws(), record=0.01, method=sd.RungeKutta4(1e-3), stream=sys.argv[1], budget=1.0)
"""


def test_a_run_that_was_killed_can_be_read_up_to_its_last_chunk_and_go_on(tmp_path):
    folder = tmp_path / "run"
    child = python(PROGRAM, str(folder))
    manifest = folder / "manifest.jsonl"
    while child.poll() is None and not (manifest.exists() and manifest.read_text().count("\n") > 5):
        time.sleep(0.01)
    assert child.poll() is None
    child.send_signal(signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL
    with (folder / "rows.f64").open("ab") as file:
        file.write(b"half a chunk that was not flushed")
    with manifest.open("a") as file:
        file.write('{"records": 1000000, "chec')
    killed = sd.Run.load(folder)
    assert killed.status == "unfinished" and 100 < killed.time.size < 15001
    assert np.allclose(killed.time, np.arange(killed.time.size) * 0.01) and killed.audit().energy < 1e-6
    whole = sd.simulate(ROBOT, START, 150.0, laws=laws(), record=0.01, method=sd.RungeKutta4(1e-3), budget=1.0)
    assert np.array_equal(killed["x"], whole["x"][: killed.time.size])
    finished = killed.resume(laws=laws())
    assert finished.status == "done" and same(finished, whole) and same(sd.Run.load(folder), whole)


# --- a person who waits ----------------------------------------------------------------------------------------------

INTERRUPTED = """
import os, signal, threading, time, warnings
import numpy as np
import spacedyn as sd
from test_run import ROBOT, START, laws, same

def unknown():
    return {"rate": [0.1]}

@sd.law
def python_only(t, s, p, out):
    out.tau[0] = -unknown()["rate"][0] * s.qd[0]

def interrupt():
    while signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # it is not running yet
        time.sleep(0.01)
    time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGINT)

def interrupted(**options):
    sd.simulate(ROBOT, START, 0.01, **options)
    threading.Thread(target=interrupt).start()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        run = sd.simulate(ROBOT, START, 1e6, record=0.01, budget=1.0, **options)
    assert run.status == "interrupted" and 10 < run.time.size < 1e7, run
    assert "interrupted at t =" in str(said[-1].message) and said[-1].filename == "<string>", said[-1]
    assert np.isfinite(run._rows).all()
    return run

signal.signal(signal.SIGINT, signal.default_int_handler)
run = interrupted(laws=laws(), method=sd.RungeKutta4(1e-3))
longer = run.resume(until=run.time[-1] + 0.5)
whole = sd.simulate(ROBOT, START, longer.time[-1], laws=laws(), record=0.01, method=sd.RungeKutta4(1e-3), budget=1.0)
assert longer.status == "done" and np.array_equal(longer.final.x, whole.final.x)
warnings.simplefilter("ignore")
interrupted(laws=[python_only()])
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
print("all is well")
"""


def test_ctrl_c_returns_what_there_is():
    child = python(INTERRUPTED, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, errors = child.communicate(timeout=1500)
    assert out == "all is well\n" and child.returncode == 0, errors


def test_a_law_that_is_interrupted_itself_does_no_harm():
    @sd.law
    def stop(t, s, p, out):
        if t > 0.3 and interrupt[0]:
            raise KeyboardInterrupt(str({}))
        out.tau[0] = len({"a": 1})

    interrupt = [1]
    with pytest.warns(sd.RunWarning, match="law 'stop' cannot be compiled|interrupted at t = 0") as said:
        run = sd.simulate(ROBOT, START, 1.0, laws=[stop()], record=0.01)
    assert [warning.filename for warning in said] == [__file__] * 2
    assert run.status == "interrupted" and 20 < run.time.size < 32 and np.isfinite(run["udot"]).all()
    interrupt[0] = 0
    with pytest.warns(sd.RunWarning, match="law 'stop' cannot be compiled"):
        whole = run.resume()
    assert whole.status == "done" and np.array_equal(whole["x"][: run.time.size], run["x"])


ENDLESS = """
import os, signal, threading, time, warnings
import numba
import spacedyn as sd
from spacedyn.simulate import interruption
from test_run import ROBOT, START

@numba.njit
def count(t, until):
    rounds = 0
    while t > until:
        rounds += 1
    return rounds

@sd.law
def own_loop(t, s, p, out):
    while t > p.until:
        pass
    out.tau[0] = 0.1

@sd.law(period=0.01)
def loop_of_a_function(t, s, p, out):
    out.tau[0] = 0.1 + count(t, p.until)

@sd.condition
def loop_of_a_condition(t, s, p, out):
    out.value[0] = 1.0 + count(t, p.until)

class Unknown:
    seen = 0.0

@sd.law
def loop_in_python(t, s, p, out):
    while t > p.until:
        Unknown.seen = t

def press():
    stuck = 0
    while stuck < 20:  # looks in a row that find the same law at work
        time.sleep(0.01)
        listener = interruption._Listener.only
        stuck = stuck + 1 if listener and listener._of._at_work() else 0
    run = listener._of
    os.kill(os.getpid(), signal.SIGINT)
    while not run._named:
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)

def ended(**options):
    threading.Thread(target=press).start()
    return sd.simulate(ROBOT, START, 1.0, record=0.01, method=sd.RungeKutta4(0.01), budget=1.0, **options)

interruption.PATIENCE = 0.2
warnings.simplefilter("ignore")
signal.signal(signal.SIGINT, signal.default_int_handler)
for options in ({"laws": [own_loop(until=0.2)]}, {"laws": [loop_of_a_function(until=0.2)]},
                {"laws": [loop_in_python(until=0.2)]},
                {"events": [sd.Event(loop_of_a_condition(until=0.2))]}):
    run = ended(**options)
    print(run.status, run.time.size)
again = sd.simulate(ROBOT, START, 0.1, laws=[own_loop(until=1.0)], progress=False)
print(again.status, signal.getsignal(signal.SIGINT) is signal.default_int_handler)
"""


def test_an_endless_loop_in_a_law_is_named_and_ended_by_a_second_ctrl_c():
    child = python(ENDLESS, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, errors = child.communicate(timeout=1500)
    assert child.returncode == 0, errors
    *runs, again = out.splitlines()
    assert [line.split()[0] for line in runs] == ["interrupted"] * 4 and again == "done True"
    assert all(18 <= int(line.split()[1]) <= 21 for line in runs), runs
    named = [line for line in errors.splitlines() if "has not returned 0.2 s after Ctrl-C" in line]
    assert [line.split("'")[0:2] for line in named] == [
        ["spacedyn: law ", "own_loop"],
        ["spacedyn: law ", "loop_of_a_function"],
        ["spacedyn: law ", "loop_in_python"],
        ["spacedyn: condition ", "loop_of_a_condition"],
    ]


def test_a_second_ctrl_c_is_a_keyboard_interrupt():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), Interruption() as interruption:
            signal.raise_signal(signal.SIGINT)
            assert interruption.asked
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


BAR = """
import spacedyn as sd
from spacedyn.simulate import progress as watch
from test_run import ROBOT, START
watch._QUIET = 0.05
sd.simulate(ROBOT, START, 0.01)
sd.simulate(ROBOT, START, 20000.0, record=4000.0)
"""


def test_a_bar_is_shown_on_a_terminal_only():
    ours, theirs = pty.openpty()
    child = python(BAR, stderr=theirs, stdout=theirs)
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 65536):
            shown += part
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    assert child.wait() == 0 and b"simulating" in shown
    child = python(BAR, stderr=subprocess.PIPE)
    assert "simulating" not in child.communicate()[1]


# --- the ledger ------------------------------------------------------------------------------------------------------


def test_energy_of_gravity_and_of_springs_are_told_apart():
    b = sd.Builder("hanging", base="fixed")
    b.base("ceiling", mass=1.0, inertia=(1.0, 1.2, 1.1))
    b.body("mass", mass=2.0, inertia=(0.1, 0.12, 0.11))
    b.joint("wire", "prismatic", parent="ceiling", child="mass", stiffness=50.0)
    robot = b.build()
    energy = (run := sd.simulate(robot, robot.state(q=[0.1]), 1.0, gravity=[0, 0, -9.81])).energy()
    assert np.allclose(energy.stored, 0.5 * 50.0 * run["q"][:, 0] ** 2, rtol=1e-13)
    assert np.allclose(energy.gravitational, 2.0 * 9.81 * run["q"][:, 0], rtol=0, atol=1e-13)
    assert np.ptp(energy.total) < 1e-9


def test_variables_of_the_dataset_go_by_their_names(run):
    assert np.array_equal(run["tau"], run["forces"][:, ROBOT.base_dof :]) and run["tau"].any()
    assert np.array_equal(run["q"], run.states.q) and np.array_equal(run["base_rate"], run.states.base_rate)
    with pytest.raises(sd.UnknownName, match="did you mean 'tau'"):
        run["taw"]


def test_the_ledger_says_when_it_was_worst_and_its_verdict_follows_the_budget():
    state = FREE.state(qd=[1.0, -2, 1, 3, 0, 1], base_rate=[1, 2, 3])
    with pytest.warns(
        sd.RunWarning, match="the ledger is off by .*: a step of 0.05 s is too long for this motion"
    ) as said:
        run = sd.simulate(FREE, state, 2.0, method=sd.RungeKutta4(0.05))
    assert said[0].filename == __file__
    audit = run.audit()
    assert not audit.within_budget and "NOT to be trusted: beyond the budget of 1e-07" in str(audit)
    off = np.abs(audit.balance["energy"])
    assert audit.times["energy"] == run.time[off.argmax()] and off.max() > 0
    turned = np.linalg.norm(audit.balance["angular_momentum"], axis=-1)
    assert audit.times["angular_momentum"] == run.time[turned.argmax()]
    assert f"at {audit.times['energy']:g} s" in str(audit)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loose = sd.simulate(FREE, state, 2.0, method=sd.RungeKutta4(0.05), budget=1.0)
        good = sd.simulate(FREE, state, 2.0)
    assert "good, within the budget of 1" in str(loose.audit())
    assert good.audit().worst < 1e-9 and good.audit().within_budget
    with pytest.warns(sd.RunWarning) as said:
        run.resume(until=2.1)
    assert said[0].filename == __file__


def test_a_planar_base_has_its_momentum_in_the_plane_compared_and_a_fixed_one_none(run):
    assert run.audit().linear_momentum < 1e-9 and run.audit().angular_momentum < 1e-9
    b = sd.Builder("pendulum", base="fixed")
    b.base("ceiling", mass=1.0, inertia=(1.0, 1.2, 1.1))
    b.body("rod", mass=2.0, inertia=(0.1, 0.12, 0.11), com=(0.3, 0, 0))
    b.joint("hinge", "revolute", parent="ceiling", child="rod")
    held = sd.simulate(b.build(), b.build().state(qd=[1.0]), 1.0).audit()
    assert "linear momentum         –  (what holds the base takes it)" in str(held)
    assert np.isnan(held.linear_momentum) and held.worst < 1e-9
