"""Elements of users' own that jump at known times: steps end there, and methods keep their accuracy."""

import numpy as np
import pytest
from test_an_element_from_outside import hinge

import spacedyn as sd

INERTIA = 0.2  # kg m²
START, STOP = 0.3137, 1.2718  # s


def pulse(t, s, p, out):
    """A torque that grows as time goes on, for a while."""
    if p.start <= t < p.stop:
        out.axle.tau[0] = p.size * np.cos(t)


with_breaks = sd.element(joints=("axle",), breaks=("start", "stop"))(pulse)
without = sd.element(joints=("axle",))(pulse)
GIVEN = {"axle": "hinge", "size": 2.0, "start": START, "stop": STOP}


def angle(t: float) -> float:
    """The exact motion from rest: q'' = size cos(t) / inertia between start and stop."""
    end = min(t, STOP)
    moved = np.cos(START) - np.cos(end) - np.sin(START) * (end - START)
    return 2.0 / INERTIA * (moved + (np.sin(end) - np.sin(START)) * (t - end))


def error(element: sd.element, **options) -> float:
    model = hinge()
    run = sd.simulate(model, model.neutral_state(), 2.0, record=[2.0], elements=[element], **options)
    return abs(run.final.q[0] - angle(2.0))


@pytest.mark.parametrize(
    ("method", "good", "bad"),
    [
        (sd.DormandPrince8(rtol=1e-8, atol=1e-8), 1e-10, 1e-7),
        (sd.DormandPrince5(rtol=1e-9, atol=1e-9), 1e-9, 1e-8),
        (sd.RungeKutta4(0.02), 1e-8, 1e-3),
        (sd.Radau5(rtol=1e-9, atol=1e-9), 1e-10, 1e-9),
    ],
    ids=["DormandPrince8", "DormandPrince5", "RungeKutta4", "Radau5"],
)
def test_a_method_keeps_its_accuracy(method, good, bad):
    assert error(with_breaks(**GIVEN), method=method, budget=1.0) < good
    assert error(without(**GIVEN), method=method, budget=1.0) > bad


def test_a_run_that_starts_between_two_breaks_is_within_the_pulse():
    model = hinge()
    run = sd.simulate(model, model.neutral_state(), 0.5, start=0.5, record=[1.0], elements=[with_breaks(**GIVEN)])
    turned = 10.0 * (np.cos(0.5) - np.cos(1.0) - 0.5 * np.sin(0.5))
    assert abs(run.final.q[0] - turned) < 1e-12


@sd.element(joints=("axle",), channels={"seen": "s", "number": ""}, breaks=("times", "last"))
def train(t, s, p, out):
    """A torque that changes at each of several times."""
    passed = 0
    for i in range(p.times.size):
        if t >= p.times[i]:
            passed += 1
    out.axle.tau[0] = 1.0 if passed % 2 == 1 and t < p.last else 0.0
    out.seen[0], out.number[0] = t, passed


def test_a_parameter_may_hold_several_times():
    """Momentum is the time that the torque has acted, to round-off; breaks beyond the run and before it do nothing."""
    model = hinge()
    mine = train(axle="hinge", times=[-1.0, 0.25, 0.4, 1.0, 1.1, 7.0], last=8.0)
    run = sd.simulate(model, model.neutral_state(), 2.0, record=0.1, elements=[mine])
    assert abs(INERTIA * run["qd"][-1, 0] - (0.25 + 0.6 + 0.9)) < 1e-13
    assert run.audit().energy < 1e-12


def test_the_time_of_a_break_is_seen_from_both_sides():
    """The step that ends there sees times before it, the one that begins there the time itself."""
    model = hinge()
    mine = train(axle="hinge", times=[0.5], last=9.0)
    run = sd.simulate(model, model.neutral_state(), 1.0, record="steps", elements=[mine])
    at = int(np.argmin(abs(run.time - 0.5)))
    assert run.time[at] == 0.5
    assert run["seen"][at, 0] in (0.5, np.nextafter(0.5, 0.0)) and abs(run["seen"][:, 0] - run.time).max() < 1e-15
    assert run["number"][at - 1, 0] == 0.0 and run["number"][at + 1, 0] == 1.0


def test_robots_of_a_batch_and_of_a_run_that_goes_on():
    model = hinge()
    many = model.state(qd=np.linspace(-1.0, 1.0, 5)[:, None])
    options = {"record": 0.05, "elements": [with_breaks(**GIVEN)], "method": sd.DormandPrince8(rtol=1e-9, atol=1e-9)}
    run = sd.simulate(model, many, 2.0, **options)
    exact = angle(2.0) + 2.0 * many.qd[:, 0]
    np.testing.assert_allclose(run.final.q[:, 0], exact, rtol=0, atol=1e-10)
    for at in (0.3, 0.35, 1.3):
        assert np.array_equal(run.resume(at=at)._rows, run._rows)


SCENARIO = """
duration = 2.0
record = [2.0]

[robot]
file = "hinge.toml"

[method]
name = "DormandPrince8"
rtol = 1e-8
atol = 1e-8

[[elements]]
kind = "{kind}"
file = "pulses.py"
axle = "hinge"
size = 2.0
start = 0.3137
stop = 1.2718
"""

FILE = """
import numpy as np
import spacedyn as sd

def pulse(t, s, p, out):
    if p.start <= t < p.stop:
        out.axle.tau[0] = p.size * np.cos(t)

with_breaks = sd.element(joints=("axle",), breaks=("start", "stop"))(pulse)
without = sd.element(joints=("axle",))(pulse)
"""


def test_a_scenario_has_them(tmp_path):
    hinge().to_toml(tmp_path / "hinge.toml")
    (tmp_path / "pulses.py").write_text(FILE)
    good, bad = (
        sd.Scenario.from_toml(SCENARIO.format(kind=kind), folder=tmp_path).run() for kind in ("with_breaks", "without")
    )
    assert abs(good.final.q[0] - angle(2.0)) < 1e-10
    assert abs(bad.final.q[0] - angle(2.0)) > 1e-7
    good.save(tmp_path / "run.nc")
    assert sd.Run.load(tmp_path / "run.nc").forces[0].breaks == (START, STOP)


@pytest.mark.parametrize(
    ("breaks", "given", "message"),
    [
        (("strat",), {}, "breaks are parameters that it reads; p.strat is none: did you mean 'start'"),
        (("start", "start"), {}, "breaks name the parameter 'start' twice"),
        (("axle",), {}, "breaks are parameters that are times"),
        ("start", {}, "breaks must be a list of names"),
        ((3,), {}, "names of breaks must be identifiers, got 3"),
        (("start",), {"start": [[1.0, 2.0]]}, "start is a time .* or a list of times"),
        (("start",), {"start": "soon"}, "parameter 'start' must be real numbers"),
        (("start",), {"start": np.inf}, "parameter 'start' holds a number that is not finite"),
    ],
)
def test_mistakes_are_reported_by_name(breaks, given, message):
    with pytest.raises(sd.InputError, match=message):
        sd.element(joints=("axle",), breaks=breaks)(pulse)(**{**GIVEN, **given})
