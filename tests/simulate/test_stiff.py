"""The implicit method where explicit ones crawl, laws and batches under it, and the variational one over long times."""

import numpy as np
import pytest

import spacedyn as sd
from random_trees import random_model
from robots import free_flyer, lone


def stiff_arm(stiffness: float, damping: float) -> sd.Model:
    """A free base with two links: a soft joint, and one that a stiff spring and damper all but lock."""
    b = sd.Builder("stiff arm")
    b.base("bus", mass=50.0, inertia=(5.0, 6.0, 7.0))
    b.body("upper", mass=4.0, inertia=(0.2, 0.21, 0.05), com=(0.0, 0.0, 0.4))
    b.body("lower", mass=2.0, inertia=(0.1, 0.11, 0.02), com=(0.0, 0.0, 0.3))
    b.joint("soft", "revolute", parent="bus", child="upper", axis=(0, 1, 0), position=(0.0, 0.0, 0.5), stiffness=1.0)
    b.joint(
        "stiff", "revolute", parent="upper", child="lower", axis=(0.6, 0.8, 0), position=(0.0, 0.0, 0.8),
        stiffness=stiffness, damping=damping,
    )  # fmt: skip
    return b.build()


def test_a_stiff_joint_costs_few_steps():
    """A time constant of microseconds: the implicit method follows the slow motion, the explicit one cannot."""
    model = stiff_arm(1e6, 1e4)
    state = model.state(q=[0.3, 0.0], qd=[0.2, 0.0])
    fast = sd.simulate(model, state, 2.0, method=sd.Radau5(rtol=1e-8, atol=1e-9), record="steps")
    assert fast.data.sizes["time"] < 400
    rigid = model.lock(["stiff"], state)
    wanted = sd.simulate(rigid, rigid.state(q=[0.3], qd=[0.2]), 2.0).final
    assert fast.final.q[0] == pytest.approx(wanted.q[0], abs=1e-5)
    assert fast.audit().energy < 1e-6 and fast.audit().angular_momentum < 1e-7
    slow = sd.simulate(model, state, 0.2, record="steps", budget=np.inf)
    assert slow.data.sizes["time"] > 1000  # for a tenth of the time


def test_stiff_and_explicit_agree_where_both_can():
    model = stiff_arm(300.0, 2.0)
    state = model.state(q=[0.3, 0.1], qd=[0.2, -0.4])
    implicit = sd.simulate(model, state, 3.0, method=sd.Radau5(rtol=1e-9, atol=1e-10))
    explicit = sd.simulate(model, state, 3.0)
    assert np.abs(implicit.final.difference(explicit.final)).max() < 1e-7
    assert implicit.audit().energy < 1e-7


def test_end_stops_under_the_implicit_method():
    """Running into a stop of steel and back out of it."""
    b = sd.Builder("hinge")
    b.base("bus", mass=10.0, inertia=(1.0, 1.2, 1.1))
    b.body("arm", mass=1.0, inertia=(0.1, 0.12, 0.03), com=(0.5, 0.0, 0.0))
    b.joint("hinge", "revolute", parent="bus", child="arm", upper=0.5, stop_stiffness=1e5, stop_damping=10.0)
    model = b.build()
    state = model.state(q=[0.0], qd=[1.0])
    run = sd.simulate(model, state, 2.0, method=sd.Radau5())
    exact = sd.simulate(model, state, 2.0)
    assert run.data.q.max() > 0.5 and run.final.qd[0] < 0.0
    assert np.abs(exact.final.difference(run.final)).max() < 1e-8
    assert run.audit().energy < 1e-8 and run.audit().angular_momentum < 1e-12
    tight = sd.simulate(model, state, 2.0, method=sd.Radau5(rtol=1e-11, atol=1e-12))
    assert np.abs(exact.final.difference(tight.final)).max() < 1e-10


def test_a_stiff_law_with_states_under_the_implicit_method():
    """Gains far beyond what an explicit step of this length could bear; an integral state besides."""

    @sd.law(states={"integral": 4})
    def servo(t, s, p, out):
        for i in range(s.qd.size):
            off = p.target - s.q[i]
            out.integral[i] = off
            out.tau[i] = p.kp * off - p.kd * s.qd[i] + p.ki * s.integral[i]

    robot = sd.load("planar_four_link")
    law = servo(kp=4e4, kd=4e3, ki=1e3, target=0.2)
    implicit = sd.simulate(robot, robot.neutral_state(), 1.0, laws=[law], method=sd.Radau5(rtol=1e-9, atol=1e-10))
    explicit = sd.simulate(robot, robot.neutral_state(), 1.0, laws=[law])
    assert np.abs(implicit.final.difference(explicit.final)).max() < 1e-6
    np.testing.assert_allclose(implicit["law_states"][-1], explicit["law_states"][-1], atol=1e-8)


def test_batches_step_one_by_one():
    model = stiff_arm(1e4, 10.0)
    many = model.random_state(np.random.default_rng(0), (3,))
    for method in (sd.Radau5(), sd.Variational(1e-3)):
        together = sd.simulate(model, many, 0.5, method=method, budget=np.inf).final
        for i in range(3):
            alone = sd.simulate(model, many[i], 0.5, method=method, budget=np.inf).final
            assert (together[i].x == alone.x).all() and (together[i].u == alone.u).all()


def test_runs_go_on_bit_for_bit():
    model = stiff_arm(1e4, 10.0)
    state = model.state(q=[0.3, 0.1], qd=[0.2, -0.4])
    for method in (sd.Radau5(), sd.Variational(0.003)):
        whole = sd.simulate(model, state, 1.0, method=method, record=0.1, budget=np.inf)
        half = sd.simulate(model, state, 0.5, method=method, record=0.1, budget=np.inf)
        again = whole.resume(at=0.5).final
        assert (again.x == whole.final.x).all() and (again.u == whole.final.u).all()
        on = half.resume(until=1.0).final
        assert (on.x == whole.final.x).all() and (on.u == whole.final.u).all()  # as if there had been no end


def test_the_variational_method_over_a_million_steps():
    """Momentum to rounding; the energy's error bounded, without a trend."""
    model, state = free_flyer(links=3)
    run = sd.simulate(model, state, 1e4, method=sd.Variational(0.01), record=10.0, budget=np.inf, progress=False)
    audit = run.audit()
    assert audit.linear_momentum < 1e-13 and audit.angular_momentum < 1e-12
    energy = run.energy().total
    error = energy / energy[0] - 1.0
    parts = np.array([np.abs(part).max() for part in np.array_split(error, 5)])
    assert parts.max() < 1e-4 and parts[-1] < 3.0 * parts[0]
    means = np.array([part.mean() for part in np.array_split(error, 5)])
    assert np.abs(means - means[0]).max() < parts.max()
    trend = np.polyfit(run.time / 1e4, error, 1)[0]
    assert abs(trend) < 4.0 * error.std() / np.sqrt(len(error) / 12)  # none beyond chance


def test_the_variational_method_under_forces_and_laws():
    """Gravity, springs, dampers, wrenches, drag and a law with states: second order, and the ledger closes."""

    @sd.law(states={"filtered": 1})
    def damp(t, s, p, out):
        out.filtered[0] = p.rate * (s.qd[0] - s.filtered[0])
        out.tau[0] = -p.gain * s.filtered[0]
        out.base_wrench[1] = 0.2 * np.sin(3.0 * t)

    rng = np.random.default_rng(8)
    model = random_model(rng, 5, base_kind="free", kinds=("revolute", "spherical", "universal", "free", "planar"))
    state, names = model.random_state(rng), model.body_names
    given = {
        "gravity": [0.0, 0.3, -1.0],
        "laws": [damp(rate=5.0, gain=0.3)],
        "forces": [sd.Spring(names[1], stiffness=3.0, damping=0.2), sd.Drag(names[-1], linear=0.3, angular=0.1)],
    }
    exact = sd.simulate(model, state, 1.0, record=0.05, **given)
    errors, ledger = [], []
    for step in (2e-3, 1e-3):
        run = sd.simulate(model, state, 1.0, method=sd.Variational(step), record=0.05, budget=np.inf, **given)
        off = (
            exact.final.difference(run.final),
            exact.final.u - run.final.u,
            exact["law_states"][-1] - run["law_states"][-1],
        )
        errors.append([np.linalg.norm(part) for part in off])
        ledger.append(run.audit().energy)
        assert run.audit().angular_momentum < 1e-13
    np.testing.assert_allclose(np.log2(np.array(errors[0]) / errors[1]), 2.0, atol=0.1)
    assert np.log2(ledger[0] / ledger[1]) == pytest.approx(2.0, abs=0.1)


def test_a_spinning_body_by_the_variational_method():
    """Angular momentum of a lone body in tumbling motion: exact at every recorded instant, within steps too."""
    model = lone(2.0, (1.0, 2.0, 3.0))
    state = model.state(base_rate_in_base_axes=[0.1, 2.0, 0.1], base_velocity=[0.3, -0.1, 0.2])
    run = sd.simulate(model, state, 50.0, method=sd.Variational(0.05), record=0.0371, budget=np.inf)
    L = sd.momentum(model, run.states, about="com")
    np.testing.assert_allclose(L, np.broadcast_to(L[0], L.shape), atol=1e-12)


def test_what_the_variational_method_cannot_do():
    model, state = free_flyer()
    with pytest.raises(sd.InputError, match="Variational"):
        sd.simulate(
            model, state, 1.0, method=sd.Variational(0.01), prescribed={model.joint_names[0]: "locked"}, adjust=True
        )
    with pytest.raises(sd.SimulationFailed, match="far too long") as failed:
        sd.simulate(model, state, 1000.0, method=sd.Variational(20.0))
    assert failed.value.run.status == "step too long"


@pytest.mark.parametrize("method", [sd.Radau5(step=0.01), sd.Radau5(), sd.Variational(0.01)])
def test_an_event_is_found_by_every_method(method):
    robot = sd.load("planar_four_link")
    state = robot.state(qd=[0.5, 0.0, 0.0, 0.0])
    event = sd.Event(sd.joint_reaches(robot.joint_names[0], 0.1), direction=1, terminal=True)
    run = sd.simulate(robot, state, 5.0, events=[event], method=method, budget=np.inf)
    assert run.status == "event"
    assert run.final.q[0] == pytest.approx(0.1, abs=1e-12)


def test_systems_of_equations_with_pivots():
    """The kernels' own elimination, in plain Python, against LAPACK."""
    from spacedyn.kernels.scalar.linear import factorise, solve

    rng = np.random.default_rng(3)
    for n in (1, 2, 7, 20):
        a, b = rng.normal(size=(n, n)), rng.normal(size=n)
        a[0, 0] = 0.0 if n > 1 else 2.0
        factors, pivots, x = a.ravel().copy(), np.zeros(n), b.copy()
        assert factorise.py_func(factors, pivots, n)
        solve.py_func(factors, pivots, x, n)
        np.testing.assert_allclose(x, np.linalg.solve(a, b), rtol=1e-10)
    assert not factorise.py_func(np.zeros(4), np.zeros(2), 2)
