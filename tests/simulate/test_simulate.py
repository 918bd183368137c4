"""`simulate`: batches are their robots, records are where they are wanted, and bad runs end with a reason."""

import numpy as np
import pytest

import spacedyn as sd
from laws_and_forces import integrator, low_pass, ramp
from random_trees import random_model
from robots import cart, free_flyer, lone, tree

pytestmark = pytest.mark.packs

# --- batches ---------------------------------------------------------------------------------------------------------


@sd.law(period=0.03, delay=0.01, states={"mean": 1})
def steady(t, s, p, out):
    out.mean[0] = 0.9 * s.mean[0] + 0.1 * s.qd[0]
    for i in range(s.qd.size):
        out.tau[i] = -p.gain * s.qd[i] - s.mean[0]
    for k in range(3):
        out.base_wrench[k] = -s.linear_momentum[k]


@sd.law(states={"wave": 2})
def shake(t, s, p, out):
    out.wave[0] = s.wave[1] + s.endpoints[0, 2]
    out.wave[1] = -4.0 * s.wave[0]
    out.tau[0] = np.sin(3.0 * t) + s.wave[0]
    out.endpoint_wrenches[1, 4] = 0.1


LAWS = [steady(gain=0.3), shake().starting(wave=[0.5, 0.0])]


def crowd(size: int, passive: bool = False) -> tuple[sd.Model, sd.State]:
    """Robots of every kind of joint; the first one spins so fast that it turns by more than a radian in a step."""
    rng = np.random.default_rng(7)
    model = random_model(rng, 9, base_kind="free", passive=passive)
    states = model.random_state(rng, 20)
    rates = states.u.copy()
    rates[0, 3:6] = [0.0, 0.0, 55.0]
    return model, states.integrate(np.zeros(model.nv), rates)[:size]


FIXED = [sd.RungeKutta4(step=0.02), sd.SemiImplicitEuler(step=0.02), sd.DormandPrince8(step=0.02)]


@pytest.mark.parametrize("method", FIXED, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("size", [1, 7, 8, 9, 20])
def test_every_robot_of_a_batch_moves_as_it_does_alone(size, method):
    """Bit for bit, with laws and their states, samples and delays, whatever the neighbours do."""
    model, states = crowd(size)
    options = {"method": method, "laws": LAWS, "record": 0.015, "gravity": [0.1, -0.2, -1.0], "budget": np.inf}
    batch = sd.simulate(model, states, 0.1, **options)
    assert batch.shape == (size,) and batch._rows.shape[:2] == (len(batch.time), size)
    for k in range(size):
        alone = sd.simulate(model, states[k], 0.1, **options)
        np.testing.assert_array_equal(batch._rows[:, k], alone._rows)


def test_springs_friction_and_stops_act_in_a_batch_as_alone():
    """To rounding: sums of their products may be rounded in another order in a pack."""
    model, states = crowd(9, passive=True)
    options = {"method": FIXED[0], "laws": LAWS, "record": 0.015, "budget": np.inf}
    batch = sd.simulate(model, states, 0.1, **options)
    for k in range(1, 9):
        alone = sd.simulate(model, states[k], 0.1, **options)
        np.testing.assert_allclose(batch["u"][:, k], alone["u"], rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(batch["dissipated"][:, k], alone["dissipated"], rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("size", [1, 7, 8, 9, 20])
def test_with_steps_by_error_a_pack_steps_together(size):
    """The step is that of the robot that needs the shortest: each agrees with itself alone to the tolerance."""
    rng = np.random.default_rng(9)
    model = random_model(rng, 6, base_kind="free")
    states = model.random_state(rng, size)
    batch = sd.simulate(model, states, 1.0, laws=LAWS[:1], record=0.1)
    for k in range(0, size, 3):
        alone = sd.simulate(model, states[k], 1.0, laws=LAWS[:1], record=0.1)
        assert np.abs(alone.states.difference(batch.states[:, k])).max() < 1e-9
        np.testing.assert_allclose(batch["u"][:, k], alone["u"], atol=1e-8)
    assert batch.audit().worst < 1e-9


def test_batches_of_any_shape():
    model, states = crowd(20)
    options = {"method": FIXED[0], "record": 0.05, "budget": np.inf}
    flat = sd.simulate(model, states[:6], 0.1, **options)
    data = np.concatenate([states.x, states.u], axis=-1)[:6].reshape(2, 3, -1)
    folded = sd.simulate(model, sd.State(model, data), 0.1, **options)
    assert folded.shape == (2, 3) and folded.states.shape == (3, 2, 3)
    np.testing.assert_array_equal(folded["x"].reshape(flat["x"].shape), flat["x"])
    assert folded.data["q"].dims == ("time", "robot", "robot1", "coordinate")


# --- records ---------------------------------------------------------------------------------------------------------


def test_records_are_at_the_times_that_were_asked_for():
    model, state = tree()
    end = sd.simulate(model, state, 1.0).final
    for record, times in (
        (None, np.linspace(0, 1, 1001)),
        (0.25, [0, 0.25, 0.5, 0.75, 1.0]),
        (0.3, [0, 0.3, 0.6, 0.9, 1.0]),
        (5.0, [0, 1.0]),
        ([0.0, 0.1, 1.0], [0.0, 0.1, 1.0]),
        ([1.0], [1.0]),
        ([0.35], [0.35]),
    ):
        run = sd.simulate(model, state, 1.0, record=record)
        np.testing.assert_allclose(run.time, times, atol=1e-12)
        if run.time[-1] == 1.0:
            assert np.abs(end.difference(run.final)).max() < 1e-13
        if run.time[0] == 0.0:
            np.testing.assert_allclose(run.states[0].u, state.u, atol=1e-15)
    steps = sd.simulate(model, state, 1.0, record="steps")
    assert steps.time[0] == 0.0 and steps.time[-1] == 1.0 and 5 < len(steps.time) < 500


def test_what_is_recorded_does_not_change_the_motion():
    """Rows come from dense output: not a bit of the end depends on them."""
    model, state = tree()
    laws = [ramp(slope=0.1, period=0.07)]
    ends = [sd.simulate(model, state, 1.0, laws=laws, record=r).final for r in (None, 0.013, [1.0], "steps")]
    for end in ends[1:]:
        np.testing.assert_array_equal(end.x, ends[0].x)
        np.testing.assert_array_equal(end.u, ends[0].u)


def test_a_run_may_start_at_any_time():
    model, state = tree()
    run = sd.simulate(model, state, 1.0, start=-3.0, record=0.5)
    np.testing.assert_allclose(run.time, [-3.0, -2.5, -2.0], atol=1e-12)
    later = sd.simulate(cart(), cart().neutral_state(), 1.0, start=2.0, laws=[ramp(slope=6.0)])
    assert later.final.qd[0] == pytest.approx(3.0 * (3.0**2 - 2.0**2), rel=1e-12)


def test_accelerations_are_those_of_forward_dynamics():
    model, state = free_flyer()
    run = sd.simulate(model, state, 2.0, record=0.1)
    np.testing.assert_allclose(run["udot"], sd.forward_dynamics(model, run.states), atol=1e-12)


def test_everything_is_in_the_dataset():
    laws = [integrator(gain=1.0), low_pass(lag=0.2)]
    run = sd.simulate(cart(), cart().neutral_state(), 1.0, laws=laws, record=0.1)
    names = {"q", "qd", "tau", "udot", "dissipated", "joint_work", "impulse", "integrator0.total", "low_pass1.low"}
    assert names <= set(run.data)
    assert run.data["q"].sel(coordinate="rail").values == pytest.approx(run.states.q[:, 0])
    assert run.provenance["model_digest"] == cart().digest and "DormandPrince8" in run.provenance["method"]
    with pytest.raises(sd.UnknownName, match=r"no channel named 'torque'.*forces"):
        run["torque"]


# --- bad input and bad runs ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"duration": 0.0}, "duration"),
        ({"duration": -1.0}, "duration"),
        ({"duration": np.nan}, "duration"),
        ({"duration": np.inf}, "duration"),
        ({"start": np.nan}, "duration|start"),
        ({"record": 0.0}, "record"),
        ({"record": -0.1}, "record"),
        ({"record": np.nan}, "record"),
        ({"record": "often"}, "record"),
        ({"record": []}, "record"),
        ({"record": [0.5, 0.4]}, "record"),
        ({"record": [0.5, 2.0]}, "record"),
        ({"record": [-0.5, 0.5]}, "record"),
        ({"record": [[0.5]]}, "record"),
        ({"method": "rk4"}, "method"),
        ({"method": sd.RungeKutta4}, "method"),
        ({"gravity": [0.0, -9.81]}, "gravity"),
        ({"gravity": [0.0, np.nan, 0.0]}, "gravity"),
        ({"laws": [3]}, "laws"),
        ({"laws": [ramp(slope=1.0)] * 63}, "62"),
    ],
)
def test_arguments_that_cannot_be_used_are_refused(options, message):
    model, state = tree()
    with pytest.raises(sd.InputError, match=message):
        sd.simulate(model, state, **({"duration": 1.0} | options))


def test_a_state_of_another_robot_is_refused():
    with pytest.raises(sd.InputError, match="cart"):
        sd.simulate(tree()[0], cart().neutral_state(), 1.0)


def test_steps_of_a_batch_cannot_be_recorded():
    model, states = crowd(3)
    with pytest.raises(sd.InputError, match="steps"):
        sd.simulate(model, states, 1.0, record="steps")


@sd.law
def explode(t, s, p, out):
    out.tau[0] = s.q[0] ** 3


@pytest.mark.parametrize("method", [None, sd.RungeKutta4(step=0.01)], ids=["adaptive", "fixed"])
def test_motion_to_infinity_ends_with_a_reason(method):
    """q'' = q³ from (1, 1/√2): q = 1/(1 - t/√2), which is no longer finite at t = √2."""
    model = cart()
    start = model.state(q=[1.0], qd=[np.sqrt(0.5)])
    with pytest.raises(sd.SimulationFailed) as failure:
        sd.simulate(model, start, 5.0, laws=[explode()], method=method, record=0.01)
    text, run = str(failure.value), failure.value.run
    assert failure.value.time == pytest.approx(np.sqrt(2.0), abs=0.1)
    assert f"t = {failure.value.time:g} s" in text and ("too small" in text or "'rail'" in text)
    assert run.status != "done" and np.isfinite(run._rows).all()
    assert run.time[-1] > 1.3
    early = run.time < 1.2
    np.testing.assert_allclose(run.states.q[early, 0], 1 / (1 - run.time[early] / np.sqrt(2)), rtol=1e-5)


def test_a_motion_gone_wild_but_finite_is_not_trusted():
    """Numbers whose squares overflow: the ledger's error is infinite, and no other warning comes with it."""
    model = lone(1.0, (1, 2, 3))
    with pytest.warns(sd.RunWarning, match="off by inf") as caught:
        run = sd.simulate(model, model.state(base_velocity=[1e160, 0, 0]), 1.0, method=sd.RungeKutta4(step=0.1))
    assert len(caught) == 1 and run.audit().energy == np.inf


def test_when_one_robot_of_a_batch_fails_all_are_kept_up_to_there():
    model = cart()
    starts = np.linspace(0.1, 1.0, 20)[:, None]
    with pytest.raises(sd.SimulationFailed) as failure:
        sd.simulate(model, model.state(q=starts, qd=np.sqrt(0.5) * starts**2), 3.0, laws=[explode()], record=0.01)
    run = failure.value.run
    assert run.shape == (20,) and np.isfinite(run._rows).all()
    assert 1.3 < run.time[-1] <= failure.value.time < 1.5
    wanted = 1 / (1 / starts[:, 0] - run.time[:, None] / np.sqrt(2))
    early = run.time < 1.2
    np.testing.assert_allclose(run.states.q[early, :, 0], wanted[early], rtol=1e-8)


def test_a_spring_too_stiff_for_the_step_ends_with_a_reason():
    b = sd.Builder("stiff", base="fixed")
    b.base("ground", mass=1.0, inertia=(1, 1, 2))
    b.body("mass", mass=0.01, inertia=(0.1, 0.2, 0.3))
    b.joint("rail", "prismatic", parent="ground", child="mass", stiffness=1e6)
    model = b.build()
    with pytest.raises(sd.SimulationFailed, match=r"joint 'rail'.*the step of 0\.01 s is far too long"):
        sd.simulate(model, model.state(q=[0.01]), 10.0, method=sd.RungeKutta4(step=0.01))
    with pytest.warns(sd.RunWarning, match=r"a step of 0\.0001 s .* or a spring too stiff"):
        sd.simulate(model, model.state(q=[0.01]), 0.01, method=sd.RungeKutta4(step=1e-4))
    assert sd.simulate(model, model.state(q=[0.01]), 0.01).audit().worst < 1e-7
