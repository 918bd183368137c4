"""Files and folders of runs: one writer at a time, damage that is found, disks that are full, ends that come early."""

import contextlib
import errno
import json
import os
import resource
import shutil
import signal
import subprocess
import tracemalloc
import warnings

import numpy as np
import pytest

import spacedyn as sd
from processes import python
from spacedyn.kernels.robot import layout as k
from spacedyn.kernels.sim import layout as p
from spacedyn.run import folder as streaming
from spacedyn.run import folder_lock
from spacedyn.run.folder_reading import manifest
from spacedyn.simulate import store
from spacedyn.simulate.checkpoints import Checkpoint
from spacedyn.simulate.setup import build_steppers
from spacedyn.simulate.stepper.snapshot import _CLOCK, _OF_CHUNK, restore, snapshot
from spacedyn.simulate.stored_text import MAX_TEXT_BYTES, parse_object

ROBOT = sd.load("planar_four_link")
START = ROBOT.state(q=[0.1, 0.2, 0.3, 0.4], qd=[0.1, 0.2, -0.1, 0.3])


@sd.law(period=0.013, delay=0.02, states={"integral": 1})
def hold(t, s, p, out):
    out.integral[0] = s.integral[0] + s.q[0]
    out.tau[0] = -s.q[0] - 0.01 * s.integral[0]


@pytest.fixture
def small_chunks(monkeypatch):
    """Many chunks, so that there are many checkpoints."""
    monkeypatch.setattr(store, "_CHUNK_RECORDS", 7)


@pytest.fixture
def folder(tmp_path, small_chunks):
    """A run under a sampled law, streamed; and saved beside it."""
    run = sd.simulate(ROBOT, START, 0.6, laws=[hold()], record=0.01, stream=tmp_path / "run")
    run.save(tmp_path / "run.nc")
    return tmp_path / "run"


def write_number(path, index, value):
    """Replace one double of a file."""
    with path.open("r+b") as file:
        file.seek(8 * index)
        file.write(np.array([value], dtype="<f8").tobytes())


def width_of(run):
    return run._rows.shape[-1] * run.simulation.robots


def test_a_run_recorded_at_given_times_asks_when_to_record_later_ones():
    run = sd.simulate(ROBOT, START, 0.2, laws=[hold()], record=[0.0, 0.2])
    with pytest.raises(sd.InputError, match=r"none of which is after 0\.2 s; say when to record until 0\.5 s"):
        run.resume(until=0.5)
    assert run.resume(until=0.5, record=[0.0, 0.2, 0.5]).time.tolist() == [0.0, 0.2, 0.5]


def whole(until):
    return sd.simulate(ROBOT, START, until, laws=[hold()], record=0.01)


# --- one writer at a time --------------------------------------------------------------------------------------------

WRITER = """
import sys, time
import spacedyn as sd
from spacedyn.run.folder import Folder
from test_run_files import ROBOT, START

keep, chunks = Folder.add, []

def add(self, *what):
    keep(self, *what)
    chunks.append(what)
    if len(chunks) == 3:
        print("writing", flush=True)
        time.sleep(1000)  # to be killed

Folder.add = add
sd.simulate(ROBOT, START, 3.0, record=0.01, stream=sys.argv[1])
"""


def test_a_folder_has_one_writer_and_any_readers_and_a_kill_leaves_no_lock(tmp_path):
    child = python(WRITER, str(tmp_path / "run"), stdout=subprocess.PIPE)
    assert child.stdout.readline() == "writing\n"
    try:
        part = sd.Run.load(tmp_path / "run")
        assert part.status == "unfinished" and part.time.size > 10
        said = rf"is being written to by process {child.pid} on .* since 20.*Run.load reads it meanwhile"
        with pytest.raises(sd.InputError, match=said):
            part.resume()
    finally:
        child.send_signal(signal.SIGKILL)
        child.communicate()
    assert sd.Run.load(tmp_path / "run").time.size == part.time.size
    finished = sd.Run.load(tmp_path / "run").resume()
    alone = sd.simulate(ROBOT, START, 3.0, record=0.01)
    assert finished.status == "done" and np.array_equal(finished._rows, alone._rows)


def test_a_run_that_has_gone_on_elsewhere_is_read_again_first(folder):
    one, other = sd.Run.load(folder), sd.Run.load(folder)
    assert one.resume(until=0.8, laws=[hold()]).status == "done"
    with pytest.raises(sd.InputError, match=r"has gone on since it was read.*Run.load\(folder\).resume"):
        other.resume(until=0.7, laws=[hold()])
    assert np.array_equal(sd.Run.load(folder)._rows, whole(0.8)._rows)


def test_two_runs_of_one_process_do_not_share_a_folder(tmp_path):
    with folder_lock.locked(tmp_path), pytest.raises(sd.InputError, match=f"by process {os.getpid()} on"):
        sd.simulate(ROBOT, START, 0.1, stream=tmp_path)


def test_a_folder_of_other_things_stays_as_it_is(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(sd.InputError, match="is there already; choose another folder"):
        sd.simulate(ROBOT, START, 0.1, stream=tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["letter.txt"]


def test_a_file_system_without_locks_is_reported(tmp_path, monkeypatch):
    def none(handle):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(folder_lock, "_take", none)
    with pytest.warns(sd.RunWarning, match="has no locks: let only one process write there"):
        assert sd.simulate(ROBOT, START, 0.1, stream=tmp_path / "run").status == "done"


def test_who_has_mapped_a_folder_still_reads_it_when_the_run_goes_on(folder):
    before = sd.Run.load(folder)
    rows = np.array(before._rows)
    sd.Run.load(folder).resume(until=0.61, laws=[hold()], record=0.5)  # with fewer records than there were
    assert before._rows.shape == rows.shape and np.isfinite(np.array(before._rows)).all()


# --- checkpoints -----------------------------------------------------------------------------------------------------


def test_a_changed_number_of_a_checkpoint_is_found_wherever_it_is(folder):
    """In the file of a folder: that checkpoint is skipped for the one before, with a word, and the end is the same."""
    expected, later, content = whole(0.9), whole(1.0), (folder / "checkpoints.f64").read_bytes()
    size = manifest(folder)[0][1].checkpoint_bytes
    usable = [i for i, one in enumerate(sd.Run.load(folder)._checkpoints) if not one.last]
    rng = np.random.default_rng(5)
    for number in [0, 1, size // 8 - 1, *rng.integers(2, size // 8 - 4, 5)]:
        shutil.copytree(folder, folder.parent / "copy", dirs_exist_ok=True)
        (folder.parent / "copy" / "checkpoints.f64").write_bytes(content)
        write_number(folder.parent / "copy" / "checkpoints.f64", usable[-1] * size // 8 + number, 123456.5)
        damaged = sd.Run.load(folder.parent / "copy")
        said = r"1 of \d+ checkpoints, or the records before them, are damaged: went on from the one after record \d+"
        with pytest.warns(sd.RunWarning, match=said):
            longer = damaged.resume(until=0.9, laws=[hold()])
        assert np.array_equal(longer._rows, expected._rows), number
        assert "are damaged: went on from" in longer.notes[0]
        again = sd.Run.load(folder.parent / "copy")
        assert again.notes == longer.notes and "are damaged" in again._repr_html_()
        assert np.array_equal(again.resume(until=1.0, laws=[hold()])._rows, later._rows)


def test_records_that_were_changed_are_made_again(folder):
    run = sd.Run.load(folder)
    column = run._columns["udot"].start
    write_number(folder / "rows.f64", 30 * width_of(run) + column, 0.123)  # a number that could be
    with pytest.warns(sd.RunWarning, match="are damaged: went on from the one after record"):
        longer = sd.Run.load(folder).resume(until=0.9, laws=[hold()])
    assert np.array_equal(longer._rows, whole(0.9)._rows)


def test_what_is_damaged_in_a_file_is_found_and_not_saved_again(folder):
    loaded = sd.Run.load(folder.parent / "run.nc")
    count = len(loaded._checkpoints)
    loaded._checkpoints[-1].image[5] += 1.0
    loaded._checkpoints[-2].image[5] += 1.0
    with pytest.warns(sd.RunWarning, match="are damaged: went on from"):
        assert np.array_equal(loaded.resume(until=0.9, laws=[hold()])._rows, whole(0.9)._rows)
    with pytest.warns(sd.RunWarning, match=rf"2 of {count} checkpoints.* are left out of the file"):
        loaded.save(folder.parent / "again.nc")
    assert len(sd.Run.load(folder.parent / "again.nc")._checkpoints) == count - 2


def test_a_run_whose_checkpoints_are_all_damaged_says_so(folder):
    loaded = sd.Run.load(folder.parent / "run.nc")
    for one in loaded._checkpoints:
        one.image[5] += 1.0
    with pytest.raises(sd.InputError, match=r"none is left to go on from; .*simulate\(model, run.final, ..., start="):
        loaded.resume(until=0.9, laws=[hold()])


def test_a_description_that_was_changed_fits_no_checkpoint(folder):
    text = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(text | {"gravity": [0.0, 0.1, 0.0]}))
    with pytest.raises(sd.InputError, match="damaged, and none is left to go on from"):
        sd.Run.load(folder).resume(until=0.9, laws=[hold()])


def test_a_file_of_checkpoints_that_was_cut_costs_nothing_but_checkpoints(folder):
    size = manifest(folder)[0][1].checkpoint_bytes
    os.truncate(folder / "checkpoints.f64", 3 * size - 1)
    with pytest.warns(sd.RunWarning, match=r"checkpoints.f64' was cut: it holds 2 of \d+ checkpoints"):
        loaded = sd.Run.load(folder)
    assert loaded.status == "done" and loaded.time.size == 61
    assert np.array_equal(loaded.resume(until=0.9, laws=[hold()])._rows, whole(0.9)._rows)


def switching():
    """A stepper with all that has counters: sampled laws, events, modes, prescribed joints, forces, end stops."""
    b = sd.Builder("everything")
    b.base("hub", mass=10.0, inertia=(1.0, 1.2, 1.1))
    for i in range(3):
        b.body(f"link{i}", mass=1.0, inertia=(0.1, 0.12, 0.13), com=(0.1, 0, 0))
        stop = {"lower": -0.1, "upper": 0.1, "stop_stiffness": 100.0, "stop_damping": 1.0} if i == 0 else {}
        b.joint(f"joint{i}", "revolute", parent="hub" if i == 0 else f"link{i - 1}", child=f"link{i}", **stop)
    model = b.build()
    event = sd.Event(sd.joint_reaches("joint1", 0.05), action=sd.actions.lock("joint1"))
    motion = {"joint2": sd.waypoints([0, 0.2, 0.5], [0.0, 0.1, 0.0])}
    force = sd.Wrench("hub", force=(1, 0, 0), stop=0.3)
    options = {"laws": [hold()], "events": [event], "prescribed": motion, "forces": [force]}
    run = sd.simulate(model, model.state(qd=[1.0, 0.3, 0.0]), 0.4, record=0.01, **options)
    assert run.events and run.status == "done"
    return run


@pytest.fixture(scope="module")
def everything():
    return switching()


def places(stepper):
    """Of each counter, and of each mode, in a snapshot."""
    kept = [i for i in range(stepper.counters.size) if i not in _OF_CHUNK]
    counters = {counter: len(_CLOCK) + i for i, counter in enumerate(kept)}
    modes = len(_CLOCK) + len(kept)  # memory begins with them
    return counters, [modes + i for i in range(int(stepper.plan[p.PRESCRIBED]))]


def test_no_counter_and_no_mode_out_of_its_range_reaches_the_driver(everything):
    (stepper,) = build_steppers(everything.simulation, 64)
    good = np.array(everything._checkpoints[-1].image)
    counters, modes = places(stepper)
    before = [array.copy() for array in (stepper.counters, stepper.memory, stepper.work, stepper.tree, stepper.clock)]
    free = {p.C_STEPS, p.C_REJECTED, p.C_EVENTS}  # from 0 on
    for counter, at in counters.items():
        for value in (1e6, -5.0, 0.5, np.nan, np.inf, 2.0**62, -1e300):
            if counter in free and value == 1e6:
                continue
            forged = good.copy()
            forged[at] = value
            with pytest.raises(sd.InputError, match="which this simulation cannot have"):
                restore(stepper, forged)
    for at in modes:
        for value in (0.0, 4.0, 1.5, -1.0, np.nan):
            forged = good.copy()
            forged[at] = value
            with pytest.raises(sd.InputError, match="the mode of a joint"):
                restore(stepper, forged)
    forged = good.copy()
    forged[modes[0]] = p.MODE_PRESCRIBED  # that joint has no motion
    with pytest.raises(sd.InputError, match="the mode of a joint"):
        restore(stepper, forged)
    for at in range(len(_CLOCK)):
        forged = good.copy()
        forged[at] = np.nan
        with pytest.raises(sd.InputError, match="a time or a step"):
            restore(stepper, forged)
    after = (stepper.counters, stepper.memory, stepper.work, stepper.tree, stepper.clock)
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))


def test_the_description_is_rebuilt_and_not_stored(everything):
    (stepper,) = build_steppers(everything.simulation, 64)
    good = everything._checkpoints[-1].image
    restore(stepper, np.array(good))
    assert np.array_equal(snapshot(stepper), good)
    assert good.size + stepper.tree.size + stepper.par.size < stepper.work.size + stepper.memory.size
    record = stepper.tree[stepper.tree[k.RATE_AT] :][: 9 * k.RATE_INTS].reshape(9, k.RATE_INTS)
    assert record[:, k.RATE_GIVEN].tolist() == [0] * 6 + [0, 1, 1]  # joint1 was locked, joint2 follows its motion


# --- what is loaded --------------------------------------------------------------------------------------------------


def refused(path, *words):
    with pytest.raises(sd.InputError) as error:
        sd.Run.load(path)
    for word in (str(path), *words):
        assert word in str(error.value), error.value


def test_records_that_no_run_has_are_refused_with_their_place(folder):
    run = sd.Run.load(folder)
    content, width = (folder / "rows.f64").read_bytes(), width_of(run)
    for column, value, words in (
        (0, 0.05, "times do not rise: at record 20, 0.19 s is followed by 0.05 s"),
        (0, 0.19, "times do not rise: at record 20"),
        (4, np.nan, "record 20, of t = 0.2 s, holds numbers that are not finite"),
        (width - 1, np.inf, "record 20, of t = 0.2 s, holds numbers that are not finite"),
        (4, 2.0, "the quaternion (x, y, z, w) of the base has length"),
    ):
        (folder / "rows.f64").write_bytes(content)
        write_number(folder / "rows.f64", 20 * width + column, value)
        refused(folder, words)
    (folder / "rows.f64").write_bytes(content)
    write_number(folder / "rows.f64", 60 * width, 7.0)
    refused(folder, "records of times outside 0 to 0.6 s")
    os.truncate(folder / "rows.f64", len(content) - 1)
    refused(folder, "rows.f64", f"has {len(content) - 1} bytes where {len(content)} should be: it was cut")
    (folder / "rows.f64").write_bytes(content)
    write_number(folder / "state.f64", 3, 0.5)
    refused(folder, "the state at the start", "has length")


def test_a_time_comes_twice_only_past_a_terminal_event(tmp_path):
    stop = sd.Event(sd.joint_reaches("joint1", 0.12), terminal=True)
    run = sd.simulate(ROBOT, START, 1.0, record="steps", events=[stop], stream=tmp_path / "run")
    assert run.status == "event"
    longer = run.resume(until=1.0000001)
    assert (np.diff(longer.time) == 0.0).sum() == 1
    assert np.array_equal(sd.Run.load(tmp_path / "run").time, longer.time)


def test_states_of_events_are_checked(tmp_path):
    stop = sd.Event(sd.joint_reaches("joint1", 0.12), terminal=True)
    run = sd.simulate(ROBOT, START, 1.0, record=0.01, events=[stop], stream=tmp_path / "run")
    run.save(tmp_path / "run.nc")
    line = json.loads((tmp_path / "run" / "events.jsonl").read_text())
    for change, words in (
        ({"state": line["state"][:3]}, "event 0, its state: expected shape (…, 18), got (3,)"),
        ({"after": [*line["after"][:-1], float("nan")]}, "event 0, its state: nan at index (17,)"),
        ({"state": [line["state"]]}, "its states are not of one robot"),
        ({"state": [2.0] * 18}, "has length"),
        ({"name": "another"}, "'another' is no event of this run"),
        ({"time": 70.0}, "its time 70.0 is not within the run"),
        ({"robot": [0]}, "there is no robot [0]"),
        ({"terminal": 3}, "is no event of this run"),
    ):
        (tmp_path / "run" / "events.jsonl").write_text(json.dumps(line | change) + "\n")
        refused(tmp_path / "run", words)
    (tmp_path / "run" / "events.jsonl").write_text("")
    refused(tmp_path / "run", "has 0 events where 1 should be")


def test_what_is_no_file_is_never_opened(folder, tmp_path):
    os.mkfifo(tmp_path / "pipe.nc")
    for path in (tmp_path / "pipe.nc", "/dev/zero"):
        refused(path, "is not a file")
    for name in ("run.json", "state.f64", "rows.f64", "manifest.jsonl"):
        shutil.copytree(folder, tmp_path / name)
        (tmp_path / name / name).unlink()
        os.mkfifo(tmp_path / name / name)
        refused(tmp_path / name, name, "is not a file")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: "[" * 100_000, "is no JSON"),
        (lambda text: "[]", "is no JSON object"),
        (lambda text: text[:-5], "is no JSON"),
        (lambda text: "{}", "it has no 'model'"),
        (lambda text: json.dumps(json.loads(text) | {"model": 3}), "model: expected the text of a robot"),
        (lambda text: json.dumps(json.loads(text) | {"model": "/etc/passwd"}), "the text, line 1"),  # not opened
        (lambda text: json.dumps(json.loads(text) | {"shape": [10**12]}), "has 18 numbers, not those of robots"),
        (lambda text: json.dumps(json.loads(text) | {"shape": [-1]}), "has 18 numbers, not those of robots"),
        (lambda text: json.dumps(json.loads(text) | {"end": 10**400}), "damaged"),
        (lambda text: json.dumps(json.loads(text) | {"start": 5.0}), "ascending times [s], got 5.0 and 0.6"),
        (lambda text: json.dumps(json.loads(text) | {"channels": ["t", "u"]}), "channels"),
        (lambda text: json.dumps(json.loads(text) | {"gravity": [0.0]}), "gravity: expected three finite numbers"),
        (lambda text: json.dumps(json.loads(text) | {"modes": {"joint9": "free"}}), "joint9"),
        (lambda text: json.dumps(json.loads(text) | {"record": "often"}), "record: expected an interval [s]"),
        (lambda text: text.replace('"integral": 1', '"integral": 1000000000000'), "'hold' has impossible settings"),
    ],
)  # fmt: skip
def test_what_made_a_run_must_make_sense(folder, change, words):
    text = (folder / "run.json").read_text()
    (folder / "run.json").write_text(change(text))
    refused(folder, words)


def test_motions_that_do_not_fit_together_are_refused(tmp_path):
    motion = {"joint1": sd.waypoints([0, 0.2, 0.5], [0.1, 0.2, 0.3])}
    sd.simulate(ROBOT, START, 0.2, record=0.1, prescribed=motion, adjust=True, stream=tmp_path / "run")
    text = json.loads((tmp_path / "run" / "run.json").read_text())
    path = text["prescribed"]["joint1"]
    for breaks in ({"array": [0.0, 0.5], "shape": [2]}, {"array": [0.0, 0.5, 0.2], "shape": [3]}):
        changed = text | {"prescribed": {"joint1": path | {"breaks": breaks}}}
        (tmp_path / "run" / "run.json").write_text(json.dumps(changed))
        refused(tmp_path / "run", "the motion of joint 'joint1' has pieces that do not fit together")


def test_lines_of_a_manifest_must_make_sense(folder):
    lines = (folder / "manifest.jsonl").read_bytes()
    last = json.loads(lines.splitlines()[-1])
    for change, words in (
        ({"records": -1}, "records: expected a whole number"),
        ({"records": 10**15}, "rows.f64"),
        ({"checkpoints": "many"}, "checkpoints: expected a whole number"),
        ({"status": "splendid"}, "unknown status 'splendid'"),
        ({"ledger": [1.0]}, "the ledger has 1 numbers"),
        ({"checkpoint_bytes": 8}, "which no run has"),
    ):
        (folder / "manifest.jsonl").write_bytes(lines + (json.dumps(last | change) + "\n").encode())
        refused(folder, words)


def test_texts_of_many_small_things_are_not_read(tmp_path):
    with pytest.raises(sd.InputError, match="is larger than anything that a run writes"):
        parse_object('{"a": [' + "[]," * 1_000_001 + "0]}", "the text")
    (tmp_path / "run").mkdir()
    with (tmp_path / "run" / "run.json").open("wb") as file:
        file.truncate(MAX_TEXT_BYTES + 1)
    refused(tmp_path / "run", "MB, more than the 64 MB that are read")


def test_a_header_that_asks_for_gigabytes_gets_none(folder):
    """Dimensions, attributes and variables of a NetCDF file whose sizes are larger than the file."""
    path = folder.parent / "run.nc"
    content = path.read_bytes()
    tracemalloc.start()
    for at in range(8, 160, 4):
        path.write_bytes(content[:at] + b"\x7f\xff\xff\xf0" + content[at + 4 :])
        with contextlib.suppress(sd.InputError):
            sd.Run.load(path)
    for size in (0, 3, 4, 100, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:size])
        refused(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 50e6


# --- ends that come early --------------------------------------------------------------------------------------------


def test_a_folder_that_was_ended_before_its_first_checkpoint_is_begun_anew(folder):
    first = (folder / "manifest.jsonl").read_text().splitlines()[0]
    assert json.loads(first)["checkpoints"] == 1
    for kept in (
        [], ["lock"], ["lock", "state.f64.tmp"], ["state.f64", "run.json.tmp"], ["state.f64", "run.json"],
        ["state.f64", "run.json", "rows.f64", "checkpoints.f64", "manifest.jsonl"],
    ):  # fmt: skip
        path = folder.parent / "early"
        path.mkdir()
        for name in kept:
            (path / name).write_bytes(b"")
        for name in {"state.f64", "run.json"} & {*kept}:
            shutil.copy(folder / name, path / name)
        if "run.json" in kept:
            assert sd.Run.load(path).status == "unfinished"
            with pytest.raises(
                sd.InputError, match=r"no checkpoint to go on from; start it anew, simulate\(..., stream="
            ):
                sd.Run.load(path).resume(laws=[hold()])
        run = sd.simulate(ROBOT, START, 0.1, record=0.01, laws=[hold()], stream=path)
        assert run.status == "done" and np.array_equal(sd.Run.load(path)._rows, whole(0.1)._rows)
        with pytest.raises(sd.InputError, match="is there already"):
            sd.simulate(ROBOT, START, 0.1, stream=path)
        shutil.rmtree(path)


def test_a_folder_whose_records_are_there_is_never_begun_anew(folder):
    (folder / "manifest.jsonl").write_bytes(b"")
    rows = (folder / "rows.f64").read_bytes()
    with pytest.raises(sd.InputError, match="is there already"):
        sd.simulate(ROBOT, START, 0.1, stream=folder)
    assert (folder / "rows.f64").read_bytes() == rows


def test_a_run_with_events_that_is_killed_as_it_goes_on_keeps_them(tmp_path, small_chunks, monkeypatch):
    events = [sd.Event(sd.joint_reaches(f"joint{i}", 0.11 + 0.1 * i)) for i in (1, 2, 4)]
    run = sd.simulate(ROBOT, START, 1.0, record=0.01, events=events, stream=tmp_path / "run")
    assert len(run.events) > 1
    files = {file.name: file.read_bytes() for file in (tmp_path / "run").iterdir()}
    expected = sd.simulate(ROBOT, START, 1.5, record=0.01, events=events)

    class Killed(BaseException):
        pass

    for step in range(12):
        count = iter(range(1000))

        def until(function, step=step, count=count):
            def called(*arguments):
                if next(count) == step:
                    raise Killed
                return function(*arguments)

            return called

        for name, content in files.items():
            (tmp_path / "run" / name).write_bytes(content)
        with monkeypatch.context() as patch:
            for name in ("add", "flush"):
                patch.setattr(streaming._Growing, name, until(getattr(streaming._Growing, name)))
            for name in ("_put", "_prepare"):
                patch.setattr(streaming.Folder, name, until(getattr(streaming.Folder, name)))
            with contextlib.suppress(Killed):
                sd.Run.load(tmp_path / "run").resume(until=1.5, events=events)
        killed = sd.Run.load(tmp_path / "run")
        assert {event.name for event in killed.events} <= {event.name for event in expected.events}
        finished = killed.resume(until=1.5, events=events)
        assert np.array_equal(finished._rows, expected._rows)
        assert [e.time for e in sd.Run.load(tmp_path / "run").events] == [e.time for e in expected.events]


# --- disks and names -------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def room(size):
    """No file can become larger: the system refuses it in the middle of a write, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_disk_that_is_full_ends_the_run_and_it_goes_on_when_there_is_room(tmp_path, small_chunks):
    sd.simulate(ROBOT, START, 0.01, laws=[hold()])
    said = (
        r"stopped after t = .* cannot be written: File too large. Its \d+ records .* are safe .*resume\(laws=\[...\]\)"
    )
    with room(60_000), pytest.raises(sd.SimulationFailed, match=said) as failed:
        sd.simulate(ROBOT, START, 3.0, laws=[hold()], record=0.01, stream=tmp_path / "run")
    part = failed.value.run
    assert part.status == "unfinished" and 0 < part.time.size < 301 and failed.value.time == part.time[-1]
    assert np.array_equal(sd.Run.load(tmp_path / "run")._rows, part._rows)
    with room(60_000), pytest.raises(sd.SimulationFailed, match="are safe in"):
        part.resume()
    finished = sd.Run.load(tmp_path / "run").resume(laws=[hold()])
    assert finished.status == "done" and np.array_equal(finished._rows, whole(3.0)._rows)


def test_a_disk_that_is_full_from_the_start(tmp_path, folder):
    with room(10), pytest.raises(sd.InputError, match=r"cannot be made or written: .*nothing was simulated"):
        sd.simulate(ROBOT, START, 0.1, stream=tmp_path / "new")
    files = {file.name: file.read_bytes() for file in folder.iterdir()}
    run = sd.Run.load(folder)
    with room(10), pytest.raises(sd.InputError, match=r"cannot be made or written: .*its run is as it was"):
        run.resume(until=0.9, laws=[hold()])
    assert all((folder / name).read_bytes() == content for name, content in files.items())
    assert np.array_equal(sd.Run.load(folder).resume(until=0.9, laws=[hold()])._rows, whole(0.9)._rows)


def test_a_file_that_cannot_be_saved(tmp_path, folder):
    run = sd.Run.load(folder)
    run.save(tmp_path / "kept.nc")
    content = (tmp_path / "kept.nc").read_bytes()
    with (
        room(1000),
        pytest.raises(sd.InputError, match=r"'.*kept.nc' cannot be written: .*File too large.*still in memory"),
    ):
        run.save(tmp_path / "kept.nc")
    assert (tmp_path / "kept.nc").read_bytes() == content
    assert not [file for file in tmp_path.iterdir() if file.suffix == ".tmp"]
    for path in (tmp_path / "no" / "run.nc", tmp_path / "kept.nc" / "run.nc", "/proc/run.nc", tmp_path / ("n" * 300)):
        with pytest.raises(sd.InputError, match="cannot be written: "):
            run.save(path)
    run.save(tmp_path / ("n" * 250))


@pytest.mark.parametrize("path", ["/proc/run", "/proc/cpuinfo", "n" * 300, "a\0b"])
def test_names_that_cannot_be(path):
    with pytest.raises(sd.InputError, match=r"stream: the folder .* cannot be made or written: "):
        sd.simulate(ROBOT, START, 0.1, stream=path)
    if path != "/proc/cpuinfo":
        with pytest.raises(sd.InputError):
            sd.Run.load(path)


def test_times_that_take_too_much_text_are_refused_before(tmp_path, monkeypatch):
    monkeypatch.setattr(streaming, "MAX_TEXT_BYTES", 10_000)
    with pytest.raises(sd.InputError, match="record at an interval, not at times"):
        sd.simulate(ROBOT, START, 1.0, record=np.linspace(0, 1, 1001), stream=tmp_path / "run")


def test_a_head_that_makes_no_sense_gives_a_checkpoint_that_nothing_agrees_with():
    for head in ([np.nan, 0.0], [1e300, 0.0], [-1.0, 0.0], [0.5, 0.0], [3.0, 0.0], [1.0, 2.0]):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert Checkpoint.from_numbers(np.array([*head, 1.0, 2.0]), 1, 2, b"x" * 32).digest == b""
    assert Checkpoint.from_numbers(np.array([2.0, 1.0, 1.0, 2.0]), 1, 2, b"x").last
