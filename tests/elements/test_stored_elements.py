"""Runs with elements of users' own in files: looked at without their code, resumed with it, damaged."""

import json
import signal
import subprocess

import numpy as np
import pytest
from outside_element import brake, press, wind
from test_an_element_from_outside import NUMBERS, acting

import spacedyn as sd
from processes import python
from spacedyn.elements.stored import StoredElement, element_of, element_text

ROBOT = sd.load("ets7")
START = ROBOT.state(qd=[0.3, -0.5, 0.2, 0.1, 0.1, 0.1])


@pytest.fixture(scope="module")
def run():
    return sd.simulate(ROBOT, START, 1.0, record=0.01, **acting())


@pytest.fixture(scope="module", params=["file", "folder"])
def stored(request, run, tmp_path_factory):
    """Where the run is: saved as NetCDF, or streamed."""
    place = tmp_path_factory.mktemp("stored")
    if request.param == "file":
        run.save(place / "run.nc")
        return place / "run.nc"
    sd.simulate(ROBOT, START, 1.0, record=0.01, stream=place / "run", **acting())
    return place / "run"


def test_it_is_looked_at_without_the_code(stored, run):
    loaded = sd.Run.load(stored)
    assert all(isinstance(one, StoredElement) for one in loaded.forces)
    for name in ("friction", "speed", "brake.bend", "element_wrench"):
        np.testing.assert_array_equal(loaded[name], run[name])
        assert loaded.data[name].attrs == run.data[name].attrs
    assert loaded.audit().worst == run.audit().worst
    assert loaded.plot("friction", "brake.bend").axes[0].get_ylabel() == "[N m]"
    assert loaded.film()._repr_html_() and "wind" in loaded._repr_html_()
    loaded.save(stored.with_name("again.nc"))
    assert np.array_equal(sd.Run.load(stored.with_name("again.nc"))["friction"], run["friction"])


def test_it_goes_on_with_the_code_that_made_it(stored, run):
    loaded = sd.Run.load(stored)
    again = loaded.resume(at=0.5, **acting())
    assert np.array_equal(again._rows, run._rows)
    assert not any(isinstance(one, StoredElement) for one in again.forces)


@pytest.mark.parametrize(
    ("elements", "message"),
    [
        (None, r"an element 'brake' of your own, whose code is not in the file; give it: resume\(elements=\[brake"),
        ([wind(at="hand", stream=[0.3, 0, 0], drag=0.5)], "an element 'brake' of your own"),
        ([brake(axle="joint3", **NUMBERS)], "element 'brake': its joints and points are not those"),
        ([brake(axle="joint2", **{**NUMBERS, "gain": 1.0})], "element 'brake': its parameters are not those"),
        ([*acting()["elements"], brake(axle="joint1", name="third", **NUMBERS)], "not made with an element 'third'"),
        (["brake"], r"elements: expected elements \(Wrench, Spring, Motor, ..., or made by @element\) or laws"),
    ],
)
def test_other_elements_are_refused(stored, elements, message):
    with pytest.raises(sd.InputError, match=message):
        sd.Run.load(stored).resume(at=0.5, laws=[press(most=1e5)], elements=elements)


def test_other_declarations_are_refused_and_edited_code_is_reported(run, tmp_path):
    @sd.element(points=("at",), channels={"speed": "km/h"})
    def wind(t, s, p, out):
        out.at.force[0] = p.drag * p.stream[0]
        out.speed[0] = p.stream[0]

    run.save(tmp_path / "run.nc")
    first, _ = acting()["elements"]
    given = {"laws": acting()["laws"], "elements": [first, wind(at="hand", stream=[0.3, 0, 0], drag=0.5)]}
    with pytest.raises(sd.InputError, match="element 'wind': its states, commands, channels"):
        sd.Run.load(tmp_path / "run.nc").resume(at=0.5, **given)

    @sd.element(points=("at",), channels={"speed": "m/s"})
    def wind(t, s, p, out):
        out.at.force[0] = p.drag * p.stream[0]
        out.speed[0] = p.stream[0]

    given["elements"][1] = wind(at="hand", stream=[0.3, 0, 0], drag=0.5)
    with pytest.warns(sd.RunWarning, match="element 'wind' has been edited"):
        sd.Run.load(tmp_path / "run.nc").resume(at=0.5, **given)


def test_what_a_file_knows_cannot_be_simulated(run, tmp_path):
    run.save(tmp_path / "run.nc")
    known = sd.Run.load(tmp_path / "run.nc").forces
    with pytest.raises(sd.InputError, match="'brake' was read from a file, which does not hold its code"):
        sd.simulate(ROBOT, START, 1.0, elements=known)


WRITER = """
import sys, time
import spacedyn as sd
from spacedyn.run.folder import Folder
from spacedyn.simulate import store
from test_stored_elements import ROBOT, START, acting

store._CHUNK_RECORDS = 15
keep, chunks = Folder.add, []

def add(self, *what):
    keep(self, *what)
    chunks.append(what)
    if len(chunks) == 3:
        print("writing", flush=True)
        time.sleep(1000)  # to be killed

Folder.add = add
sd.simulate(ROBOT, START, 1.0, record=0.01, stream=sys.argv[1], **acting())
"""


def test_a_run_that_is_killed_goes_on_to_the_bit(run, tmp_path):
    child = python(WRITER, str(tmp_path / "run"), stdout=subprocess.PIPE)
    try:
        assert child.stdout.readline() == "writing\n"
    finally:
        child.send_signal(signal.SIGKILL)
        child.communicate()
    killed = sd.Run.load(tmp_path / "run")
    assert killed.status == "unfinished" and 10 < killed.time.size < 100
    finished = killed.resume(**acting())
    assert finished.status == "done" and np.array_equal(finished._rows, run._rows)


# --- damage ----------------------------------------------------------------------------------------------------------


def described() -> dict:
    """A brake as a file has it."""
    return json.loads(json.dumps(element_text(brake(axle="joint2", **NUMBERS))))


def test_a_description_reads_back():
    assert json.loads(json.dumps(element_text(element_of(described())))) == described()


def changes():
    """A description with each of its values in turn replaced by something else, or left out."""

    def paths(value, path=()):
        yield path
        if isinstance(value, dict | list):
            for key in value if isinstance(value, dict) else range(len(value)):
                yield from paths(value[key], (*path, key))

    for path in list(paths(described()))[1:]:
        for new in (..., None, -1, 1.5, 10**12, "?", [], [None], {}, {"array": [1.0], "shape": [3]}, float("nan")):
            text = described()
            at = text
            for key in path[:-1]:
                at = at[key]
            if new is ...:
                del at[path[-1]]
            else:
                at[path[-1]] = new
            yield path, new, text


def test_damaged_descriptions_are_refused_by_name(run, tmp_path):
    """Whatever is changed: a run that can be read, or an InputError that names the element."""
    refused = 0
    for path, new, text in changes():
        try:
            element = element_of(text)
            element.numbers(ROBOT), element.initial_values(), element.wrenches(ROBOT)
        except sd.SpacedynError as error:
            refused += 1
            assert "element" in str(error) or "named" in str(error), (path, new, error)
    assert refused > 200


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"size": 1', '"size": 100000000000', "element 'brake': states: 'bend' must have from 1 to"),
        ('"axle": "joint2"', '"axle": "joint22"', "no joint named 'joint22'"),
        ('"guards": 1', '"guards": -5', "element 'brake': guards must be their number"),
        ('"accounts": ["stored"', '"accounts": ["stolen"', "element 'brake': accounts must be among"),
        ('"name": "UserElement"', '"name": "Magnet"', "element 'brake', which this version does not have"),
        ('"elements": [', '"elements": [3, ', "element '?3'?"),
    ],
)
def test_a_folder_whose_elements_are_damaged(tmp_path, old, new, message):
    sd.simulate(ROBOT, START, 0.1, record=0.05, stream=tmp_path / "run", **acting())
    (file,) = [one for one in (tmp_path / "run").iterdir() if old in one.read_text(errors="ignore")]
    file.write_text(file.read_text().replace(old, new, 1))
    with pytest.raises(sd.InputError, match=message):
        sd.Run.load(tmp_path / "run")
