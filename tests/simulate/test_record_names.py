"""Names in the record: two things never have one, whatever laws, elements and their blocks are called."""

import numpy as np
import pytest
from scipy.io import netcdf_file

import spacedyn as sd
from spacedyn.simulate.variables import RESERVED


@sd.law(states={"z": 1})
def drive(t, s, p, out):
    out.z[0] = 1.0
    out.tau[0] = s.z[0]


@sd.element(states={"z": "m"})
def leak(t, s, p, out):
    out.z[0] = -2.0


@sd.element(channels={"z": "m"})
def gauge(t, s, p, out):
    out.z[0] = -2.0


@sd.element(states={"b_c": 2})
def two(t, s, p, out):
    out.b_c[1] = 1.0


@sd.element(states={"c": 3}, channels={"rates": 4})
def three(t, s, p, out):
    out.c[2] = 2.0
    out.rates[3] = 3.0


@pytest.fixture(scope="module")
def robot():
    return sd.load("planar_four_link")


@pytest.mark.parametrize("element", [leak, gauge])
def test_a_law_and_an_element_that_would_share_a_name_are_refused(robot, element):
    with pytest.raises(
        sd.InputError, match=r"law 'drive' and element 'drive0' would both be 'drive0\.z' in the record"
    ):
        sd.simulate(robot, robot.neutral_state(), 1.0, laws=[drive()], elements=[element(name="drive0")])


def test_a_law_keeps_its_state_beside_an_element_of_nearly_its_name(robot):
    run = sd.simulate(robot, robot.neutral_state(), 1.0, record=0.5, laws=[drive()], elements=[gauge(name="drive1")])
    np.testing.assert_allclose(run["tau"][:, 0], run.time, atol=1e-9)
    np.testing.assert_array_equal(run["z"], -2.0)


def test_a_channel_of_one_number_goes_by_the_name_of_its_element_too(robot):
    """As those of several do: the column of that element, also of a batch; only of elements that have it."""
    elements = [gauge(name="left"), three(name="both"), gauge(name="right"), gauge(name="right")]
    start = robot.state(q=np.zeros((3, 4)))
    run = sd.simulate(robot, start, 1.0, record=0.5, elements=elements)
    assert run["z"].shape == (3, 3, 4) and run["both.rates"].shape == (3, 3, 4)
    for column, name in ((0, "left.z"), (2, "right.z"), (3, "right (2).z")):
        np.testing.assert_array_equal(run[name], run["z"][..., column : column + 1])
        assert name in run and (run[name] == -2.0).all()
    with pytest.raises(sd.UnknownName, match=r"no channel named 'both\.z'"):
        run["both.z"]
    few = sd.simulate(robot, start, 1.0, record=0.5, elements=elements, channels=["udot"])
    assert "left.z" not in few
    with pytest.raises(sd.InputError, match=r"the channel 'z' was not recorded"):
        few["left.z"]


def test_blocks_whose_names_differ_by_a_dot_alone_are_saved_and_read(robot, tmp_path):
    mine = [two(name="a"), three(name="a_b"), three(name="all")]
    run = sd.simulate(robot, robot.neutral_state(), 1.0, record=0.5, elements=mine)
    run.save(tmp_path / "run.nc")
    for one in (run, sd.Run.load(tmp_path / "run.nc")):
        assert [one.data[name].shape for name in ("a.b_c", "a_b.c", "all.c", "all.rates")] == [
            (3, n) for n in (2, 3, 3, 4)
        ]
        np.testing.assert_allclose(one["a_b.c"][:, 2], 2.0 * run.time, atol=1e-9)
        np.testing.assert_array_equal(one["all.rates"][:, 3], 3.0)


@pytest.mark.parametrize("name", ["element", "rate", "robot", "robot2", "ledger", "event_time", "udot"])
def test_a_channel_by_a_name_that_the_record_has_is_refused(robot, name):
    def write(out):
        out.tau[0] = 0.0

    @sd.element(channels={name: "m"})
    def taken(t, s, p, out):
        write(out)

    with pytest.raises(sd.InputError, match=f"element 'taken': the record has its own '{name}'; rename the channel"):
        sd.simulate(robot, robot.neutral_state(), 1.0, elements=[taken()])


def test_all_that_a_file_has_is_reserved(robot, tmp_path):
    states = robot.state(qd=[[0.1, 0, 0, 0], [0.2, 0, 0, 0]])
    stop = sd.Event(sd.joint_reaches("joint1", 0.1), terminal=True)
    sd.simulate(robot, states, 2.0, record=0.5, events=[stop]).save(tmp_path / "run.nc")
    with netcdf_file(tmp_path / "run.nc", mmap=False) as file:
        found = {*file.variables, *file.dimensions}
    assert {"event_time", "checkpoint_image", "own_time"} <= found
    assert {name for name in found if not name.startswith("string")} - RESERVED == {"robot"}


@pytest.mark.parametrize("name", [["q"], {"q": 1}, 3, None])
def test_a_name_that_is_none_is_refused(robot, name):
    run = sd.simulate(robot, robot.neutral_state(), 0.1)
    with pytest.raises(sd.UnknownName, match="channel"):
        run[name]
