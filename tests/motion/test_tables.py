"""Tables as parameters of laws: what they are between their points and beyond, and references that were recorded."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, PchipInterpolator, make_interp_spline

import spacedyn as sd

TIMES = np.array([0.0, 0.3, 0.5, 1.1, 1.5, 2.0])
VALUES = np.column_stack([np.sin(2 * TIMES), TIMES**2, 0 * TIMES + 3.0])
WITHIN = np.linspace(0.0, 2.0, 83)


@pytest.mark.parametrize(
    ("kind", "peer"),
    [
        ("cubic", lambda: CubicSpline(TIMES, VALUES)),
        ("quintic", lambda: make_interp_spline(TIMES, VALUES, k=5)),
        ("monotone", lambda: PchipInterpolator(TIMES, VALUES)),
        ("linear", lambda: make_interp_spline(TIMES, VALUES, k=1)),
    ],
)
def test_a_table_is_the_spline_that_it_says(kind, peer):
    numbers, spline = sd.table(TIMES, VALUES, kind).numbers(), peer()
    for column in range(3):
        for derivative in range(3 if kind != "linear" else 1):
            found = [sd.sample(numbers, t, column, derivative) for t in WITHIN]
            np.testing.assert_allclose(found, spline(WITHIN, nu=derivative)[:, column], atol=1e-11)


def test_steps_and_ends():
    numbers = sd.table(TIMES, VALUES, "steps").numbers()
    held = VALUES[np.searchsorted(TIMES[:-1], WITHIN, side="right") - 1, 1]
    np.testing.assert_array_equal([sd.sample(numbers, t, 1) for t in WITHIN], held)
    for kind in ("cubic", "quintic", "monotone", "linear"):
        numbers = sd.table(TIMES, VALUES, kind).numbers()
        for t, row in ((-5.0, 0), (0.0, 0), (2.0, -1), (9.0, -1)):
            assert sd.sample(numbers, t, 1) == pytest.approx(VALUES[row, 1], abs=1e-14)
        assert sd.sample(numbers, -5.0, 0, 1) == sd.sample(numbers, 9.0, 0, 1) == 0.0
    two = sd.table([0.0, 2.0], [1.0, 5.0])
    assert [sd.sample(two.numbers(), 0.5, 0, k) for k in range(3)] == [2.0, 2.0, 0.0]


@sd.law
def track(t, s, p, out):
    for i in range(s.q.size):
        error, rate = sd.sample(p.path, t, i) - s.q[i], sd.sample(p.path, t, i, 1) - s.qd[i]
        out.tau[i] = p.kp * error + p.kd * rate + sd.sample(p.feed, t, i)


def test_a_law_follows_what_an_earlier_run_recorded():
    """The force that a prescribed motion took, played back with its path as the reference, repeats the motion."""
    robot = sd.load("ets7")
    given = {name: sd.waypoints([0, 2, 4], [0.0, 0.2 + 0.05 * i, 0.1]) for i, name in enumerate(robot.joint_names)}
    first = sd.simulate(robot, robot.neutral_state(), 4.0, prescribed=given, record=0.02)
    path, feed = sd.table(first.time, first.states.q), sd.table(first.time, first["forces"][:, 6:])
    laws = [track(path=path, feed=feed, kp=4.0, kd=6.0)]
    second = sd.simulate(robot, robot.neutral_state(), 4.0, laws=laws, record=0.1)
    np.testing.assert_allclose(second.states.q, first.states.q[::5], atol=2e-5)
    unfed = [track(path=path, feed=sd.table([0, 1], np.zeros((2, 6))), kp=4.0, kd=6.0)]
    worse = sd.simulate(robot, robot.neutral_state(), 4.0, laws=unfed, record=0.1)
    assert np.abs(worse.states.q - first.states.q[::5]).max() > 1e-3


def test_a_batch_reads_the_same_table_and_a_file_keeps_it(tmp_path):
    robot = sd.load("ets7")
    spline = CubicSpline([0.0, 0.5, 1.0], np.outer([0, 0.1, 0.05], np.ones(6)))
    laws = [track(path=spline, feed=sd.table([0, 1], np.zeros((2, 6)), "linear"), kp=20.0, kd=20.0)]
    states = robot.state(q=np.random.default_rng(0).normal(size=(5, 6)))
    method = sd.RungeKutta4(0.02)
    many = sd.simulate(robot, states, 1.0, laws=laws, method=method, record=0.1, budget=1.0)
    one = sd.simulate(robot, states[3], 1.0, laws=laws, method=method, record=0.1, budget=1.0)
    np.testing.assert_allclose(many.states.q[:, 3], one.states.q, atol=1e-12)
    one.save(tmp_path / "run.nc")
    loaded = sd.Run.load(tmp_path / "run.nc")
    np.testing.assert_array_equal(loaded.resume(at=0.5, laws=laws).final.q, one.final.q)
    other = [track(path=sd.table([0, 1], np.zeros((2, 6))), feed=laws[0].parameters["feed"], kp=20.0, kd=20.0)]
    with pytest.raises(sd.InputError, match="made with path ="):
        loaded.resume(at=0.5, laws=other)


@sd.law
def beyond(t, s, p, out):
    out.tau[0] = sd.sample(p.path, t, 4)


def test_a_column_that_is_not_there_is_an_error_of_the_law():
    robot = sd.load("ets7")
    with pytest.raises(sd.SimulationFailed, match="law 'beyond' raised IndexError: sample: the table has no such"):
        sd.simulate(robot, robot.neutral_state(), 1.0, laws=[beyond(path=sd.table(TIMES, VALUES))])


@sd.element(joints=("hinge",))
def led(t, s, p, out):
    out.hinge.tau[0] = sd.sample(p.path, t, 0)


def test_a_number_instead_of_a_table_is_an_error_of_one_line():
    robot = sd.load("ets7")
    with (
        pytest.raises(sd.SimulationFailed, match=r"TypingError: .*sd\.sample takes a table") as failed,
        pytest.warns(sd.RunWarning, match="element 'led' cannot be compiled"),
    ):
        sd.simulate(robot, robot.neutral_state(), 1.0, elements=[led(hinge="joint1", path=3.0)])
    assert "\n" not in str(failed.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.0], [1.0]), "times of a table must be two or more"),
        (([0.0, 0.0], [1.0, 2.0]), "ascending"),
        (([0.0, 1.0], [1.0, 2.0, 3.0]), "values of a table"),
        (([0.0, 1.0], [1.0, np.nan]), "finite"),
        (([0.0, 1.0], np.empty((2, 0))), "values of a table"),
        (([0.0, 1.0], [1.0, 2.0], "smooth"), "kind: expected one of 'cubic'"),
    ],
)
def test_what_is_no_table_is_refused(arguments, message):
    with pytest.raises(sd.InputError, match=message):
        sd.table(*arguments)
