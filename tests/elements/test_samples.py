"""Samples of elements: what changes at instants only, of a period, or of a guard of the element's own."""

import json
import subprocess

import numpy as np
import pytest

import spacedyn as sd
from processes import python
from robots import slider
from spacedyn.kernels.scalar.pack import LANES

pytestmark = pytest.mark.packs


@sd.element(samples={"angle": "rad"}, channels={"reading": "rad"}, joints=("axle",))
def encoder(t, s, p, out):
    """The joint's coordinate in whole ticks, as it was at the last instant."""
    out.angle[0] = p.tick * np.floor(s.axle.q[0] / p.tick + 0.5)
    out.reading[0] = s.angle[0]


@sd.element(samples={"tripped": ""}, guards=1, joints=("axle",))
def latch(t, s, p, out):
    """A spring that pulls back from when the joint first gets beyond a place, and for ever after."""
    out.guard[0] = s.axle.q[0] - p.at
    if s.side[0] > 0.0:
        out.tripped[0] = 1.0
    out.axle.tau[0] = -p.stiffness * s.tripped[0] * (s.axle.q[0] - p.at)


@sd.element(samples={"opened": sd.Block("opened", unit="s", start=-1e9)}, commands={"demand": ""},
            channels={"flow": ""}, guards=2)  # fmt: skip
def valve(t, s, p, out):
    """A valve that stays open for a shortest time, whatever is demanded: it keeps when it was opened."""
    out.guard[0], out.guard[1] = s.demand[0] - 0.5, s.opened[0] + p.shortest - t
    if s.side[0] > 0.0 and s.side[1] < 0.0:
        out.opened[0] = t
    out.flow[0] = 1.0 if s.side[0] > 0.0 or s.side[1] > 0.0 else 0.0


@sd.law(period=0.1)
def pulse(t, s, p, out):
    """A demand that is shorter than the valve's shortest pulse, at 0.2 s."""
    out.valve.demand[0] = 1.0 if 0.15 < t < 0.25 else 0.0


@sd.element(samples={"changes": ""}, guards=2, joints=("axle",))
def counter(t, s, p, out):
    """Instants at which the joint passes one place or another."""
    out.guard[0], out.guard[1] = s.axle.q[0] - 0.2, s.axle.q[0] - 0.3
    out.changes[0] = s.changes[0] + 1.0


@sd.law(period=0.1)
def follow(t, s, p, out):
    """Damp by what the encoder says, from one sample to the next."""
    out.tau[0] = -p.gain * s.encoder.reading[0]


@pytest.fixture(scope="module")
def cart():
    return slider()


@pytest.mark.parametrize("method", [sd.DormandPrince8(), sd.RungeKutta4(0.01), sd.Radau5()])
def test_a_sensor_measures_every_period_and_holds_between(cart, method):
    run = sd.simulate(cart, cart.state(qd=[0.3]), 2.0, elements=[encoder(axle="rail", tick=1e-9, period=0.25)],
                      method=method, record=0.05)  # fmt: skip
    last = np.floor((run.time + 1e-9) / 0.25) * 0.25
    before = np.maximum(np.floor((run.time - 1e-9) / 0.25) * 0.25, 0.0)  # a row at an instant may be of before it
    held = run["encoder.angle"][:, 0]
    off = np.minimum(abs(held - 0.3 * last), abs(held - 0.3 * before))
    assert off.max() < 2e-9
    assert run.data["encoder.angle"].attrs["units"] == "rad"


def test_a_law_reads_what_was_measured_at_the_same_instant(cart):
    """Sampled feedback against the recursion by hand: x' = v, v' = -k x_n / m from sample to sample."""
    run = sd.simulate(cart, cart.state(q=[0.1], qd=[0.3]), 1.0, laws=[follow(gain=2.0)],
                      elements=[encoder(axle="rail", tick=1e-12, period=0.1)], record=[1.0])  # fmt: skip
    x, v = 0.1, 0.3
    for _ in range(10):
        a = -2.0 * x  # of a mass of 1 kg
        x, v = x + 0.1 * v + 0.005 * a, v + 0.1 * a
    np.testing.assert_allclose([run.final.q[0], run.final.qd[0]], [x, v], atol=1e-11)


@pytest.mark.parametrize("method", [sd.DormandPrince8(), sd.DormandPrince5(), sd.Radau5()])
def test_a_latch_trips_where_its_guard_changes_sides_and_stays(cart, method):
    """Free up to the place, half an oscillation, and then a spring where there was none on the way out."""
    k, place, v = 4.0, 0.2, 0.5
    run = sd.simulate(
        cart, cart.state(qd=[v]), 3.0, elements=[latch(axle="rail", at=place, stiffness=k)], method=method
    )
    touch, w = place / v, 2.0
    t = run.time
    exact = np.where(t < touch, v * t, place + v / w * np.sin(w * (t - touch)))
    np.testing.assert_allclose(run.states.q[:, 0], exact, atol=2e-6 if isinstance(method, sd.Radau5) else 1e-8)
    np.testing.assert_array_equal(run["latch.tripped"][:, 0], (t > touch).astype(float))


@pytest.mark.parametrize("method", [sd.DormandPrince8(), sd.RungeKutta4(0.01), sd.Radau5()])
def test_a_guard_that_a_command_makes_jump_takes_a_sample(cart, method):
    run = sd.simulate(cart, cart.neutral_state(), 1.0, elements=[valve(shortest=0.35)], laws=[pulse()],
                      method=method, record=[0.19, 0.21, 0.54, 0.57, 1.0])  # fmt: skip
    assert run["flow"][:, 0].tolist() == [0.0, 1.0, 1.0, 0.0, 0.0]
    assert run.final.internal["valve.opened"][0] == pytest.approx(0.2, abs=1e-12)


def test_what_an_action_puts_beyond_guards_is_sampled_once(cart):
    def jump(t, state):
        return cart.state(q=[1.0], qd=state.qd)

    acting = [latch(axle="rail", at=0.2, stiffness=0.0), counter(axle="rail")]
    there = sd.Event(sd.joint_reaches("rail", 0.1), action=jump)
    held = sd.simulate(cart, cart.state(qd=[0.5]), 1.0, elements=acting, events=[there]).final.internal
    assert [held[name].tolist() for name in ("latch.tripped", "counter.changes")] == [[1.0], [1.0]]
    slowly = sd.simulate(cart, cart.state(qd=[0.5]), 1.0, elements=acting).final.internal
    assert slowly["counter.changes"].tolist() == [2.0]
    start = sd.simulate(cart, cart.state(q=[1.0]), 1.0, elements=acting).final.internal  # a first side is no change
    assert [start[name].tolist() for name in ("latch.tripped", "counter.changes")] == [[0.0], [0.0]]


def test_with_fixed_steps_a_latch_trips_at_the_step_after(cart):
    run = sd.simulate(cart, cart.state(qd=[0.5]), 1.0, elements=[latch(axle="rail", at=0.2, stiffness=1.0)],
                      method=sd.RungeKutta4(0.01), record=0.01)  # fmt: skip
    tripped = run.time[run["latch.tripped"][:, 0] > 0.0]
    assert 0.4 <= tripped[0] <= 0.4 + 0.021 and len(tripped) == 101 - round(100 * tripped[0])


def test_robots_of_a_pack_trip_each_at_its_own_instant(cart):
    count = LANES + 1
    speeds = np.linspace(0.2, 0.9, count)
    acting = [latch(axle="rail", at=0.2, stiffness=3.0), encoder(axle="rail", tick=1e-6, period=0.5)]
    run = sd.simulate(cart, cart.state(qd=speeds[:, None]), 1.5, elements=acting, record=0.1)
    for i, speed in enumerate(speeds):
        one = sd.simulate(cart, cart.state(qd=[speed]), 1.5, elements=acting, record=0.1)
        np.testing.assert_allclose(run.states.q[:, i], one.states.q, atol=1e-9)
        np.testing.assert_array_equal(run["latch.tripped"][:, i], one["latch.tripped"])


def test_it_goes_on_to_the_bit_and_a_state_says_what_is_held(cart):
    acting = [latch(axle="rail", at=0.2, stiffness=3.0), encoder(axle="rail", tick=1e-3, period=0.3)]
    whole = sd.simulate(cart, cart.state(qd=[0.5]), 2.0, elements=acting, record=0.1)
    half = sd.simulate(cart, cart.state(qd=[0.5]), 1.0, elements=acting, record=0.1).resume(until=2.0)
    np.testing.assert_array_equal(half._rows, whole._rows)
    assert whole.final.internal["latch.tripped"].tolist() == [1.0]
    again = sd.simulate(cart, whole.final, 0.5, elements=acting)
    assert again["latch.tripped"].min() == 1.0
    small = sd.linearize(cart, whole.final, elements=acting)
    assert small.names[-2:] == ("latch tripped", "encoder angle") and not small.A[-2:].any()


def test_the_same_without_machine_code(monkeypatch):
    program = (
        "import json, spacedyn as sd, test_samples as t\n"
        "cart = t.slider()\n"
        "acting = [t.latch(axle='rail', at=0.2, stiffness=3.0), t.encoder(axle='rail', tick=1e-3, period=0.3)]\n"
        "run = sd.simulate(cart, cart.state(qd=[0.5]), 1.0, elements=acting, record=0.25, method=sd.DormandPrince5())\n"
        "print(json.dumps(run._rows.tolist()))\n"
    )
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    plain = python(program, stdout=subprocess.PIPE).communicate(timeout=300)[0]
    cart = slider()
    acting = [latch(axle="rail", at=0.2, stiffness=3.0), encoder(axle="rail", tick=1e-3, period=0.3)]
    run = sd.simulate(cart, cart.state(qd=[0.5]), 1.0, elements=acting, record=0.25, method=sd.DormandPrince5())
    np.testing.assert_allclose(np.array(json.loads(plain)), run._rows, atol=1e-12)


def test_bad_samples_are_refused_by_name(cart):
    with pytest.raises(sd.InputError, match="period must be a positive time"):
        encoder(axle="rail", tick=0.1, period=0.0)
    with pytest.raises(sd.InputError, match="has no delay"):
        encoder(axle="rail", tick=0.1, delay=0.1)
    with pytest.raises(sd.InputError, match="'angle' stands for two things"):
        sd.element(samples=("angle",), states=("angle",))(lambda t, s, p, out: None)
