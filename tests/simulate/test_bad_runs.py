"""Bad input and bad runs: a clear error with time, body and cause; the run up to there is kept; no NaN in any Run."""

import math
import re
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import spacedyn as sd
from robots import slider
from spacedyn.simulate import loop as recording


@pytest.fixture(scope="module")
def robot() -> sd.Model:
    return sd.load("ets7")


# --- laws ------------------------------------------------------------------------------------------------------------


@sd.law
def of_wrong_shape(t, s, p, out):
    out.tau[:] = p.values


@sd.law
def matrix(t, s, p, out):
    out.tau[0] = p.K @ s.q


@sd.law
def beyond(t, s, p, out):
    out.tau[6] = 1.0


@sd.law
def no_number(t, s, p, out):
    out.tau[2] = math.nan


@sd.law
def root(t, s, p, out):
    out.tau[2] = math.sqrt(0.5 - t)


@sd.law
def quotient(t, s, p, out):
    out.endpoint_wrenches[0, 4] = 1.0 / p.zero if t > 0.5 else 0.0


@sd.law
def infinite(t, s, p, out):
    out.base_wrench[0] = math.inf if t > 0.5 else 0.0


@sd.law(period=0.1)
def sampled(t, s, p, out):
    out.tau[2] = math.nan if t > 0.45 else 0.0


@sd.law(period=0.1, states={"estimate": 2})
def lost(t, s, p, out):
    out.estimate[1] = math.nan if t > 0.45 else 0.0


@sd.law(states={"integral": 1})
def drifting(t, s, p, out):
    out.integral[0] = math.nan if t > 0.5 else 1.0


@sd.law(period=0.1)
def no_mode(t, s, p, out):
    if t > 0.45:
        out.mode[0] = math.nan


@pytest.mark.parametrize("method", [None, sd.RungeKutta4(0.01)], ids=["chosen step", "fixed step"])
@pytest.mark.parametrize(
    ("law", "when", "message"),
    [
        (of_wrong_shape(values=[1.0, 2.0]), 0.0, r"law 'of_wrong_shape' raised ValueError: .*\(2,\).*\(6,\)"),
        (beyond(), 0.0, "law 'beyond' raised IndexError: index 6 is out of bounds"),
        (no_number(), 0.0, r"law 'no_number' writes nan to tau\[2\]"),
        (root(), 0.5, r"law 'root' writes no number \(math domain error\)"),
        (quotient(zero=0.0), 0.5, r"law 'quotient' writes (inf to endpoint_wrenches\[0, 4\]|no number)"),
        (infinite(), 0.5, r"law 'infinite' writes inf to base_wrench\[0\]"),
        (sampled(), 0.5, r"law 'sampled' writes nan to tau\[2\]"),
        (lost(), 0.5, r"law 'lost' writes nan to estimate\[1\]"),
        (drifting(), 0.5, r"law 'drifting' writes nan to integral\[0\]"),
        (no_mode(), 0.5, "a law commands the mode nan for joint 'joint1'"),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_a_law_that_fails_is_named_with_what_it_wrote(robot, law, when, message, method):
    with pytest.raises(sd.SimulationFailed, match=message) as failed:
        sd.simulate(robot, robot.state(qd=[0.1] * 6), 1.0, laws=[law], method=method, record=0.01, budget=1.0)
    run = failed.value.run
    assert failed.value.time == pytest.approx(when, abs=0.011)
    assert f"at t = {failed.value.time:g} s" in str(failed.value)
    assert np.isfinite(run._rows).all() and run.status not in ("done", "event")
    assert len(run.time) == pytest.approx(100 * when, abs=2)


def test_a_law_that_cannot_be_compiled_and_fails_in_python_is_named(robot):
    with (
        pytest.warns(sd.RunWarning, match="law 'matrix' cannot be compiled"),
        pytest.raises(sd.SimulationFailed, match="law 'matrix' raised ValueError"),
    ):
        sd.simulate(robot, robot.neutral_state(), 1.0, laws=[matrix(K=np.eye(6))])


def replaces(t, s, p, out):
    out.tau = -s.qd


def adds(t, s, p, out):
    out.tau += s.qd


def returns(t, s, p, out):
    return -s.qd


def returns_a_constant(t, s, p, out):
    if t > 1.0:
        return
    out.tau[0] = 1.0
    return 3.0


def three(t, s, out):
    out.tau[0] = 1.0


def misspelt(t, s, p, out):
    out.tua[0] = s.q[0]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (replaces, r"law 'replaces' replaces the array tau; write into it: out\.tau\[:\] = "),
        (adds, r"replaces the array tau; write into it"),
        (returns, r"law 'returns' returns a value, which is not used; write to `out`: out\.tau"),
        (returns_a_constant, "returns a value"),
        (three, r"takes the arguments \(t, s, p, out\)"),
        (misspelt, "out has no 'tua'; did you mean 'tau'"),
    ],
)
def test_a_law_that_would_have_no_effect_is_refused(robot, function, message):
    with pytest.raises(sd.InputError, match=message):
        sd.simulate(robot, robot.neutral_state(), 1.0, laws=[sd.law(function)()])


# --- where it begins -------------------------------------------------------------------------------------------------


def test_a_state_beyond_limits_is_refused():
    hard, soft = slider(0.01, lower=-0.5, upper=0.5), slider(0.01, lower=-0.5, upper=0.5, stop_stiffness=10.0)
    for model in (hard, soft):
        sd.simulate(model, model.state(q=[0.5]), 0.1)
        with pytest.raises(sd.InputError, match=r"joint 'rail' starts at 2, beyond its limits -0\.5 and 0\.5"):
            sd.simulate(model, model.state(q=[2.0]), 0.1)
        with pytest.raises(sd.InputError, match=r"joint 'rail' of robot 2 starts at -0\.6"):
            sd.simulate(model, model.state(q=[[0.0], [0.1], [-0.6]]), 0.1)
        assert sd.simulate(model, model.state(q=[2.0]), 0.1, limits=False).status == "done"
    sd.simulate(soft, soft.state(q=[0.52]), 0.1)  # it rests against its stop
    with pytest.raises(sd.InputError, match="limits"):
        sd.simulate(hard, hard.state(q=[0.52]), 0.1)


def test_a_prescription_that_the_state_violates_is_refused():
    model = slider(0.01)
    with pytest.raises(sd.InputError, match=r"joint 'rail' is prescribed to be at \[0\.3\] .* 0\.3 off.*adjust=True"):
        sd.simulate(model, model.neutral_state(), 1.0, prescribed={"rail": 0.3})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: {"method": sd.RungeKutta4(0.0)}, "the step must be a positive time"),
        (lambda: {"method": sd.SemiImplicitEuler(-1.0)}, "the step must be a positive time"),
        (lambda: {"method": sd.DormandPrince8(step=0.0)}, "the step must be a positive time"),
        (lambda: {"method": sd.DormandPrince8(max_step=0.0)}, "steps must be positive"),
        (lambda: {"duration": "1"}, "duration must be a number"),
        (lambda: {"duration": [1.0]}, "duration must be a number"),
        (lambda: {"duration": 1e-9, "start": 1e9}, "cannot be resolved at the time 1e"),
        (lambda: {"start": math.inf}, "start must be a time"),
        (lambda: {"budget": math.nan}, "budget must be a positive"),
        (lambda: {"budget": 0.0}, "budget must be a positive"),
        (lambda: {"laws": None}, "laws: expected one or a list, got None"),
        (lambda: {"forces": None}, "forces: expected one or a list"),
        (lambda: {"forces": "drag"}, "forces: expected one or a list, got 'drag'"),
        (lambda: {"events": 3}, "events: expected one or a list"),
        (lambda: {"record": 1e-18}, "cannot be told from each other"),
        (lambda: {"record": 1e-13}, "GB, far more than there is"),
    ],
)
def test_what_a_run_cannot_begin_with_is_refused(make, message):
    model = slider(0.01)
    with pytest.raises(sd.InputError, match=message):
        sd.simulate(model, model.neutral_state(), **{"duration": 1.0, **make()})


# --- motion that goes wrong ------------------------------------------------------------------------------------------


@sd.law
def cube(t, s, p, out):
    out.tau[0] = 0.01 * s.q[0] ** 3


@pytest.mark.parametrize("method", [None, sd.DormandPrince5(), sd.RungeKutta4(0.01), sd.SemiImplicitEuler(0.001)])
def test_a_joint_driven_to_infinity(method):
    """q'' = q³ reaches infinity at t = √2."""
    model = slider(0.01)
    start = model.state(q=[1.0], qd=[np.sqrt(0.5)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sd.RunWarning)
        with pytest.raises(sd.SimulationFailed, match=r"joint 'rail'|law 'cube' writes inf") as failed:
            sd.simulate(model, start, 5.0, laws=[cube()], method=method, record=0.01)
    assert failed.value.time == pytest.approx(np.sqrt(2.0), abs=0.1)
    assert np.isfinite(failed.value.run._rows).all() and len(failed.value.run.time) > 130


@sd.law
def the_wrong_sign(t, s, p, out):
    out.tau[0] = p.gain * s.qd[0]


@pytest.mark.parametrize("method", [None, sd.DormandPrince5(rtol=1e-6, atol=1e-8), sd.Radau5(rtol=1e-4, atol=1e-6)])
def test_a_joint_that_feedback_drives_ever_faster_ends_the_run(method):
    """q' grows like an exponential: never infinite, but turns would have to be followed that nobody can wait for."""
    b = sd.Builder("feedback")
    b.base("hub", mass=10.0, inertia=(1.0, 1.2, 1.1))
    b.body("rotor", mass=1.0, inertia=(0.01, 0.02, 0.03), com=(0.1, 0, 0))
    b.joint("shaft", "revolute", parent="hub", child="rotor", axis=(0, 1, 0))
    model = b.build()
    with pytest.raises(sd.SimulationFailed, match=r"joint 'shaft' is driven to infinity: its rate is") as failed:
        sd.simulate(
            model, model.state(qd=[1.0]), 1e3, laws=[the_wrong_sign(gain=5.0)], method=method, record=0.001, budget=1.0
        )
    run = failed.value.run
    assert run.status == "out of bounds" and np.isfinite(run._rows).all()
    assert 1e5 < np.abs(run.final.qd[0]) <= 1e6 and abs(failed.value.time - run.time[-1]) < 0.1


@pytest.mark.parametrize(
    "stiff",
    [
        {"stiffness": 1e6},
        {"damping": 100.0},
        {"friction": 10.0, "friction_speed": 1e-3},
    ],
    ids=lambda properties: next(iter(properties)),
)
def test_a_stiff_joint_is_named_with_the_step_that_it_needs(stiff):
    """An explicit method with a step too long: it flies apart, or the ledger is off; either way the joint is named."""
    model = slider(0.01, **stiff)
    said = r"joint 'rail' is stiff \(1\.0e\+0[46] 1/s\) and needs steps below 2\.0e-0[46] s, or an implicit method"
    method = sd.RungeKutta4(0.01)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            sd.simulate(model, model.state(q=[0.01], qd=[1.0]), 10.0, method=method)
            message = str(caught[-1].message)
        except sd.SimulationFailed as failed:
            message = str(failed)
            assert np.isfinite(failed.run._rows).all()
    assert re.search(said, message), message


def test_a_stiff_spring_between_bodies_is_named():
    b = sd.Builder("pair")
    b.base("bus", mass=10.0, inertia=(1.0, 1.2, 1.1))
    model = b.build()
    spring = sd.Spring("bus", stiffness=1e9, other_point=(1.0, 0, 0), rest_length=0.9)
    with pytest.raises(sd.SimulationFailed, match=r"'spring bus to inertial' is stiff \(1\.0e\+04 1/s\)"):
        sd.simulate(model, model.neutral_state(), 10.0, forces=[spring], method=sd.RungeKutta4(0.01))


def test_a_run_that_will_take_very_long_is_warned_of(monkeypatch):
    """Steps that a stiff damper keeps short; the patience is taken away, not the time."""
    monkeypatch.setattr(recording, "_PACE_CHECK_AFTER", 0.0)
    monkeypatch.setattr(recording, "_SLOW_STEPS", 100.0)
    monkeypatch.setattr(recording, "_CALL_SECONDS", 1e-3)
    model = slider(0.01, damping=1e3, stiffness=1e3)
    with pytest.warns(sd.RunWarning, match=r"will take very long: .* steps are .* joint 'rail' is stiff") as caught:
        sd.simulate(model, model.state(q=[0.1]), 0.5)
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("elements", "laws", "words"),
    [
        ([], [1], "a law may jump, or motion be very fast"),
        ([], [], "the force of an element may jump, or motion be very fast"),
        (
            [sd.RigidContact("foot", (0, 0, 0), name="sole")],
            [],
            r"'sole' may open and close again and again: take TimeStepping\(step\), or a compliant Contact",
        ),
    ],
)
def test_what_may_make_steps_short(elements, laws, words):
    some = SimpleNamespace(_simulation=SimpleNamespace(elements=elements, laws=laws))
    assert re.fullmatch(words, recording.Recording._why_slow(some))


@sd.law
def relay(t, s, p, out):
    out.tau[0] = -p.force * np.sign(s.q[0] + s.qd[0])


def test_a_run_that_nobody_can_wait_for_ends_with_its_cause(monkeypatch, tmp_path):
    """A continuous law that jumps: it is held at the jump by ever shorter steps."""
    monkeypatch.setattr(recording, "_PACE_CHECK_AFTER", 0.0)
    monkeypatch.setattr(recording, "_SLOW_STEPS", math.inf)
    monkeypatch.setattr(recording, "_HOPELESS_STEPS", 1e8)
    model = slider(0.01)
    with pytest.raises(sd.SimulationFailed, match=r"too small .* a law that jumps, .* of joint 'rail'") as failed:
        sd.simulate(model, model.state(q=[0.1]), 1e3, laws=[relay(force=1.0)], record=1e-4, stream=tmp_path / "run")
    assert failed.value.run.status == "step too small" and len(failed.value.run.time) > 5


def test_a_law_that_fails_for_one_robot_of_a_batch_says_for_which():
    model = slider(0.01)
    with pytest.raises(sd.SimulationFailed, match=r"law 'root' writes nan to tau\[0\]") as failed:
        sd.simulate(model, model.state(q=[[0.1], [0.2], [0.3]]), 1.0, laws=[root()])
    assert "of robot 2" in str(failed.value) or "robot (2,)" in str(failed.value)  # in a pack, or alone behind packs


@sd.law
def root(t, s, p, out):
    out.tau[0] = np.sqrt(0.25 - s.q[0])


@pytest.mark.parametrize("states", [["a"], {"a b": 1}, {"a": -1}, {"a": 1.5}, {"a": 0}])
def test_states_of_a_law_that_cannot_be_are_refused(states):
    with pytest.raises(sd.InputError, match=r"states are \{name: how many numbers\}"):
        sd.law(states=states)(lambda t, s, p, out: None)()


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    model = slider(0.01)
    with pytest.raises(sd.InputError, match=r"stream: the folder .* cannot be made"):
        sd.simulate(model, model.state(q=[0.1]), 1.0, stream=tmp_path / "file" / "run")


def test_the_warning_of_a_held_base_tells_what_there_is():
    """No momentum is balanced there, and none is told."""
    model = slider(0.01, stiffness=1.0)
    with pytest.warns(sd.RunWarning, match=r"the ledger is off by .* \(energy [^,]*\): a step of 0.05 s"):
        sd.simulate(model, model.state(q=[0.1]), 1.0, method=sd.SemiImplicitEuler(0.05))


# --- events ----------------------------------------------------------------------------------------------------------


@sd.condition
def speed(t, s, p, out):
    out.value[0] = s.qd[0]


@sd.condition
def never_a_number(t, s, p, out):
    out.value[0] = math.nan


@pytest.mark.parametrize(("make", "what"), [(sd.condition, "condition"), (sd.motion, "motion")])
def test_what_writes_nothing_is_refused(make, what):
    """A condition that forgets to write would never happen, and nobody would know."""

    def forgets(t, p, out):
        value = t - 1.0  # noqa: F841

    def forgets_too(t, s, p, out):
        value = t - s.q[0]  # noqa: F841

    with pytest.raises(sd.InputError, match=rf"{what} 'forgets.* writes nothing; write to `out`: out.value"):
        make(forgets if what == "motion" else forgets_too)()


def test_an_event_that_chatters_ends_with_its_name():
    """An action that puts the mass back before the line each time."""
    model = slider(0.01)
    back = sd.Event(sd.joint_reaches("rail", 0.0), action=lambda t, x: x.replace(q=[-1e-9]), name="line")
    with pytest.raises(sd.SimulationFailed, match=r"event 'line' happened 20 times .*it chatters") as failed:
        sd.simulate(model, model.state(q=[-0.1], qd=[1.0]), 1.0, events=[back])
    assert failed.value.run.status == "chattering" and np.isfinite(failed.value.run._rows).all()


def test_a_condition_that_is_no_number_is_named():
    model = slider(0.01)
    with pytest.raises(sd.SimulationFailed, match=r"condition 'never_a_number' writes nan to value\[0\]"):
        sd.simulate(model, model.state(qd=[1.0]), 1.0, events=[sd.Event(never_a_number())])


def test_an_action_that_makes_a_state_of_no_numbers_is_refused():
    model = slider(0.01)

    def ruin(t, state):
        return sd.State(state.model, np.full(state._data.shape, np.nan))

    with pytest.raises(sd.SimulationFailed, match=r"the action of event .* failed: .*not finite") as failed:
        sd.simulate(
            model, model.state(q=[-0.1], qd=[1.0]), 1.0, events=sd.Event(sd.joint_reaches("rail", 0.0), action=ruin)
        )
    assert np.isfinite(failed.value.run._rows).all() and failed.value.time == pytest.approx(0.1)
