"""The ledger of a run: nothing lost over an hour, warnings when something is, and what joints store and dissipate."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import simpson

import spacedyn as sd
from robots import cart, free_flyer, slider
from spacedyn.kernels.robot import totals as totals_kernel
from spacedyn.kernels.scalar.pack import ONE, PACK
from spacedyn.run.audit import Auditor

# --- an hour of free motion ------------------------------------------------------------------------------------------


def test_an_hour_of_free_motion_with_defaults():
    """Energy and momentum stay to 1e-9 of their size, and nothing is warned of (warnings are errors here)."""
    run = sd.simulate(*free_flyer(), 3600.0)
    audit = run.audit()
    assert run.status == "done" and run.time[-1] == 3600.0
    assert audit.energy < 1e-9
    assert audit.linear_momentum < 1e-9 and audit.angular_momentum < 1e-9
    assert audit.quaternion_norm < 1e-14


@pytest.mark.parametrize("robots", [1, 3])
def test_one_robots_records_are_looked_at_without_packs(robots, monkeypatch):
    """In float64 its functions are compiled for the right-hand side already; packs would be compiled for this alone."""
    seen, run = [], totals_kernel.run
    monkeypatch.setattr(totals_kernel, "run", lambda *given: seen.append(given[-1]) or run(*given))
    model, state = free_flyer()
    states = state if robots == 1 else model.state(q=[state.q] * robots, qd=[state.qd] * robots)
    found = sd.simulate(model, states, 1.0)
    assert np.abs(found.audit().balance["energy"]).max() < 1e-9  # looks at them once more
    assert {type(kind) for kind in seen} == {type(ONE if robots == 1 else PACK)}


@pytest.mark.parametrize("name", ["ets7", "tian_wu", "two_arm_sample"])
@pytest.mark.parametrize("robots", [1, 3])
def test_a_free_fall_from_rest_is_no_alarm(name, robots):
    """No body moves but with the others: of angular momentum there is nothing but the rounding of their velocities."""
    model = sd.load(name)
    assert model.base_kind == "free"
    states = model.neutral_state() if robots == 1 else model.state(q=np.zeros((robots, model.nq)))
    run = sd.simulate(model, states, 2.0, gravity=(1.0, -2.0, -9.81))
    assert run.audit().worst < 1e-12


def test_a_moment_that_the_ledger_does_not_know_is_told_in_a_fall():
    """A millionth of what the weight would do at a metre is far above the rounding."""
    model = sd.load("ets7")
    run = sd.simulate(model, model.neutral_state(), 2.0, gravity=(0, 0, -9.81))
    rows = run._rows.copy().reshape(len(run.time), 1, -1)
    rows[..., run._all_columns["impulse"].start + 3] = 1e-6 * 9.81 * model.total_mass * run.time[:, None]
    auditor = Auditor(model, run.gravity, run._all_columns, 1)
    auditor.add(rows)
    assert not auditor.audit(1e-7, dict).within_budget


def test_a_step_too_long_is_named():
    model, state = free_flyer()
    with pytest.warns(sd.RunWarning, match=r"ledger is off by .* a step of 0\.04 s is too long") as caught:
        run = sd.simulate(model, state, 60.0, method=sd.RungeKutta4(step=0.04))
    assert caught[0].filename == __file__
    assert run.status == "done" and run.audit().energy > 1e-7
    assert "NOT to be trusted" in str(run.audit()) or run.audit().worst < 1e-6
    with pytest.raises(sd.SimulationFailed, match=r"the step of 0\.2 s is far too long") as failure:
        sd.simulate(model, state, 60.0, method=sd.RungeKutta4(step=0.2))
    assert 1.0 < failure.value.run.time[-1] <= failure.value.time < 60.0
    with pytest.warns(sd.RunWarning, match=r"a step of 0\.01 s"):
        sd.simulate(model, state, 1.0, method=sd.SemiImplicitEuler(step=0.01))


def test_tolerances_too_loose_are_named():
    with pytest.warns(sd.RunWarning, match="tighten rtol and atol"):
        sd.simulate(*free_flyer(), 600.0, method=sd.DormandPrince5(rtol=1e-4, atol=1e-5))


def test_steps_follow_a_prescribed_motion():
    """Nothing that is free depends on this joint: only its work shows how fast it swings. Radau5 judges no work."""

    @sd.motion
    def swing(t, p, out):
        out.value[0] = 0.05 * math.sin(20.0 * t)
        out.rate[0] = math.cos(20.0 * t)
        out.acceleration[0] = -20.0 * math.sin(20.0 * t)

    b = sd.Builder("shaker", base="fixed")
    b.base("ground")
    b.link("table", "prismatic", parent="ground", axis=(0, 0, 1), mass=5.0, inertia=(0.3, 0.4, 0.5))
    shaker, moved = b.build(), {"table": swing()}
    start = shaker.state(qd=[1.0])
    for method in (sd.DormandPrince8(), sd.DormandPrince5(), sd.Radau5(max_step=0.002)):
        assert sd.simulate(shaker, start, 2.0, prescribed=moved, method=method).audit().energy < 1e-8
    with pytest.warns(sd.RunWarning, match="work of prescribed 'table': give a max_step"):
        sd.simulate(shaker, start, 2.0, prescribed=moved, method=sd.Radau5())


def test_the_budget_is_what_the_caller_says():
    model, state = free_flyer()
    method = sd.RungeKutta4(step=0.02)
    error = sd.simulate(model, state, 10.0, method=method, budget=1.0).audit().worst
    sd.simulate(model, state, 10.0, method=method, budget=2 * error)
    with pytest.warns(sd.RunWarning):
        sd.simulate(model, state, 10.0, method=method, budget=error / 2)


def test_a_record_that_begins_late_has_a_ledger_too():
    @sd.law
    def push(t, s, p, out):
        out.tau[0] = 0.3
        out.base_wrench[1] = 0.2

    run = sd.simulate(*free_flyer(), 10.0, laws=[push()], record=[4.0, 7.0, 10.0])
    assert run.audit().worst < 1e-10
    assert run["joint_work"][0, 0] != 0.0


def test_what_the_audit_says():
    audit = sd.simulate(*free_flyer(), 1.0).audit()
    assert str(audit).splitlines()[0].startswith("ledger")
    assert all(word in str(audit) for word in ("energy", "linear momentum", "angular momentum", "verdict: good"))
    assert audit.worst == max(audit.energy, audit.linear_momentum, audit.angular_momentum, audit.quaternion_norm)
    assert audit.balance["energy"].shape == (1001,) and audit.balance["angular_momentum"].shape == (1001, 3)


def test_verdicts_with_the_same_numbers_are_equal():
    """NaN, of what there is nothing to compare with, is not always one object: Python 3.13 compares it by itself."""
    audit = sd.simulate(*free_flyer(), 1.0).audit()
    assert math.isnan(audit.constraints)
    assert replace(audit, constraints=float("nan"), times=audit.times | {"constraints": float("nan")}) == audit
    assert replace(audit, energy=2.0 * audit.energy + 1.0) != audit and audit != audit.energy


def test_the_ledger_of_a_batch_is_that_of_its_worst_robot():
    model, state = free_flyer()
    states = model.state(q=np.tile(state.q, (3, 1)), qd=np.array([[0.0], [1.0], [10.0]]) * state.qd)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sd.RunWarning)
        method = sd.RungeKutta4(step=0.02)
        errors = [sd.simulate(model, states[k], 2.0, method=method).audit().energy for k in range(3)]
        assert sd.simulate(model, states, 2.0, method=method).audit().energy == pytest.approx(max(errors), rel=1e-6)


# --- joints that store and dissipate ---------------------------------------------------------------------------------


def test_a_spring_and_damper_decay_as_they_must():
    """m x'' + d x' + k (x - x0) = 0, exact; and what is lost of the energy is booked as dissipated."""
    m, k, d, rest = 2.0, 50.0, 1.5, 0.3
    model = slider(m, stiffness=k, damping=d, rest=rest)
    run = sd.simulate(model, model.state(q=[0.8], qd=[-1.0]), 5.0)
    decay, t = d / (2 * m), run.time
    w = np.sqrt(k / m - decay**2)
    a, b = 0.5, (-1.0 + decay * 0.5) / w
    x = np.exp(-decay * t) * (a * np.cos(w * t) + b * np.sin(w * t)) + rest
    np.testing.assert_allclose(run.states.q[:, 0], x, atol=1e-10)
    energy = 0.5 * m * run.states.qd[:, 0] ** 2 + 0.5 * k * (x - rest) ** 2
    np.testing.assert_allclose(run["dissipated"][:, 0], energy[0] - energy, atol=1e-9)
    assert run["dissipated"][-1, 0] == pytest.approx(simpson(d * run.states.qd[:, 0] ** 2, x=t, axis=0), abs=1e-7)


def test_an_overdamped_spring_creeps():
    m, k, d = 1.0, 10.0, 20.0
    model = slider(m, stiffness=k, damping=d)
    run = sd.simulate(model, model.state(q=[1.0]), 4.0)
    roots = np.roots([m, d, k])
    weights = np.linalg.solve(np.array([[1, 1], roots]), [1.0, 0.0])
    np.testing.assert_allclose(run.states.q[:, 0], np.exp(np.outer(run.time, roots)) @ weights, atol=1e-10)


def test_dry_friction_stops_motion():
    """m v' = -f tanh(v/s): sinh(v/s) = sinh(v0/s) exp(-f t/(m s)), exact; all kinetic energy is dissipated."""
    m, f, s, v0 = 2.0, 0.5, 0.05, 1.0
    model = slider(m, friction=f, friction_speed=s)
    run = sd.simulate(model, model.state(qd=[v0]), 8.0)
    v = s * np.arcsinh(np.sinh(v0 / s) * np.exp(-f * run.time / (m * s)))
    np.testing.assert_allclose(run.states.qd[:, 0], v, atol=1e-9)
    assert abs(run.final.qd[0]) < 1e-8
    assert run["dissipated"][-1, 0] == pytest.approx(0.5 * m * v0**2, abs=1e-9)
    assert run.final.q[0] == pytest.approx(m * v0**2 / (2 * f), abs=0.01)  # as far as Coulomb's friction lets it


def test_friction_holds_against_a_small_force():
    """A force below the friction's only creeps, at the speed where both balance: v = s atanh(F/f)."""

    @sd.law
    def push(t, s, p, out):
        out.tau[0] = p.force

    model = slider(1.0, friction=1.0, friction_speed=1e-3)
    run = sd.simulate(model, model.neutral_state(), 1.0, laws=[push(force=0.5)])
    assert run.final.qd[0] == pytest.approx(1e-3 * np.arctanh(0.5), rel=1e-6)


def test_an_end_stop_gives_back_what_it_takes():
    """An undamped stop: half a swing of sqrt(k/m), v sqrt(m/k) deep, and back as fast as it came."""
    m, k, v, gap = 2.0, 800.0, 1.5, 0.3
    model = slider(m, upper=gap, lower=-gap, stop_stiffness=k)
    w = np.sqrt(k / m)
    meets, leaves = gap / v, gap / v + np.pi / w
    run = sd.simulate(model, model.state(qd=[v]), leaves + gap / v, record=1e-3)
    t, x = run.time, run.states.q[:, 0]
    pressed = gap + v / w * np.sin(w * (t - meets))
    wanted = np.select([t < meets, t < leaves], [v * t, pressed], gap - v * (t - leaves))
    np.testing.assert_allclose(x, wanted, atol=1e-8)
    assert run.final.qd[0] == pytest.approx(-v, abs=1e-8)
    assert x.max() == pytest.approx(gap + v / w, abs=1e-5)
    assert abs(run["dissipated"][-1, 0]) < 1e-7
    assert run.audit().energy < 1e-8


def test_a_damped_end_stop_keeps_part_of_the_energy():
    """It pushes and never pulls: the body leaves slower, and what is missing is dissipated."""
    m, k, d, v = 1.0, 400.0, 10.0, 1.0
    model = slider(m, upper=0.1, stop_stiffness=k, stop_damping=d)
    run = sd.simulate(model, model.state(qd=[v]), 1.0)
    after = run.final.qd[0]
    assert -0.9 * v < after < -0.1 * v
    assert run["dissipated"][-1, 0] == pytest.approx(0.5 * m * (v**2 - after**2), abs=1e-8)
    # while in contact m x'' + d x' + k x = 0 from x = 0, v; it leaves when the force is zero, not when x is
    decay = d / (2 * m)
    w = np.sqrt(k / m - decay**2)
    times = np.linspace(0, np.pi / w, 200001)
    x = v / w * np.exp(-decay * times) * np.sin(w * times)
    rate = np.gradient(x, times)
    first = np.flatnonzero((k * x + d * rate < 0) & (times > 0.1 / w))[0]
    assert after == pytest.approx(rate[first], abs=1e-4)


def test_a_ball_joint_swings_on_its_spring():
    """About one axis, the spring along the rotation vector is a plain torsion spring: φ'' = -k φ / I."""
    b = sd.Builder("ball", base="fixed")
    b.base("ground", mass=1.0, inertia=(1, 1, 2))
    b.body("bob", mass=1.0, inertia=(0.4, 0.5, 0.6))
    b.joint("ball", "spherical", parent="ground", child="bob", stiffness=3.0)
    model = b.build()
    start = model.state(q=sd.Rotation.from_rotvec([0, 1.2, 0]).as_quat())
    run = sd.simulate(model, start, 6.0)
    angle = sd.Rotation.from_quat(run.states.q.copy()).as_rotvec()
    np.testing.assert_allclose(angle[:, 1], 1.2 * np.cos(np.sqrt(3.0 / 0.5) * run.time), atol=1e-9)
    assert run.audit().energy < 1e-10


def test_work_of_an_actuator_lifts_a_weight():
    """A cart pushed up against gravity: work = m g h + kinetic energy."""

    @sd.law
    def lift(t, s, p, out):
        out.tau[0] = p.force

    model, g = cart(2.0), 9.81
    run = sd.simulate(model, model.neutral_state(), 2.0, laws=[lift(force=25.0)], gravity=[0, 0, -g])
    height = 0.5 * (25.0 / 2.0 - g) * run.time**2
    np.testing.assert_allclose(run.states.q[:, 0], height, atol=1e-11)
    np.testing.assert_allclose(run["joint_work"][:, 0], 25.0 * height, atol=1e-10)
    assert run.audit().energy < 1e-12


# --- sizes that errors are compared with -----------------------------------------------------------------------------


def tumbling_bus() -> tuple[sd.Model, sd.State]:
    """A bus with two opposite wheels: its linear momentum is zero, and each of its terms is rounding."""
    b = sd.Builder("bus with wheels")
    b.base("bus", mass=50.0, inertia=(5, 6, 4))
    for name, x in (("front", 0.3), ("back", -0.3)):
        b.link(name, parent="bus", mass=1.5, inertia=(0.006, 0.003, 0.003), position=(x, 0, 0), axis=(1, 0, 0))
    model = b.build()
    attitude = sd.Rotation.from_rotvec([0.3, 0.4, 0.5])
    return model, model.state(base_attitude=attitude, base_rate=[0.1, 0.2, 0.3], qd=[5.0, -2.0])


def wheel_in_the_middle() -> tuple[sd.Model, sd.State]:
    """A wheel whose centre of mass is that of the bus but for rounding: no body's centre moves."""
    b = sd.Builder("wheel in the middle")
    b.base("bus", mass=50.0, inertia=(5, 6, 4))
    b.body("wheel", mass=1.5, inertia=(0.006, 0.003, 0.003), com=(-0.3, 0, 0))
    b.joint("shaft", "revolute", parent="bus", child="wheel", position=(0.1 + 0.2, 0, 0), axis=(1, 0, 0))
    model = b.build()
    return model, model.state(base_rate=[0.1, 0.2, 0.3], qd=[5.0])


def audit_of(run, **changed):
    """The audit of the records of a run, with some channels changed by functions of the recorded array."""
    rows = run._rows.reshape(len(run.time), 1, -1).copy()
    for name, change in changed.items():
        part = rows[..., run._all_columns[name]]
        part[...] = change(part.copy())
    auditor = Auditor(run.model, run.gravity, run._all_columns, 1)
    auditor.add(rows)
    return auditor.audit(run.simulation.budget, dict)


@pytest.mark.parametrize("robot", [tumbling_bus, wheel_in_the_middle])
def test_momentum_that_is_rounding_alone_is_no_alarm(robot):
    run = sd.simulate(*robot(), 60.0)
    momentum = sd.momentum(run.model, run.states, about="com")
    assert np.abs(momentum[:, :3]).max() < 1e-12
    assert run.audit().worst < 1e-9 and "good" in run.audit().verdict


def test_momentum_of_that_bus_that_is_lost_is_found():
    """A ten-millionth of a metre per second at the end, and a ten-thousandth of a wheel's speed."""
    run = sd.simulate(*tumbling_bus(), 60.0)
    assert audit_of(run).within_budget

    def drifting(u):
        u[-1, 0, 1] += 2e-7
        return u

    def slower(u):
        u[-1, 0, -1] *= 1.0 - 1e-4
        return u

    lost = audit_of(run, u=drifting)
    assert not lost.within_budget and lost.linear_momentum > 1e-7 and lost.times["linear_momentum"] == 60.0
    assert lost.angular_momentum < 1e-9
    lost = audit_of(run, u=slower)
    assert not lost.within_budget and lost.angular_momentum > 1e-7 and lost.linear_momentum < 1e-9


def test_an_impulse_of_the_wrong_sign_is_found():
    model, state = tumbling_bus()
    run = sd.simulate(model, state, 10.0, forces=[sd.Wrench("bus", force=(0, 1e-3, 0), moment=(0, 0, 1e-3))])
    assert audit_of(run).within_budget
    wrong = audit_of(run, impulse=lambda impulse: -impulse)
    given = np.abs(run["impulse"][-1])
    assert wrong.linear_momentum > 1e-4 and wrong.angular_momentum > 1e-4
    off = {"linear_momentum": given[:3], "angular_momentum": given[3:]}
    for name, part in off.items():
        right = 2.0 * np.linalg.norm(part)
        assert getattr(wrong, name) < right / np.linalg.norm(part)  # relative to more than the impulse alone


def test_angular_momentum_keeps_its_digits_at_orbital_speed():
    model, state = tumbling_bus()
    fast = state.replace(base_velocity=[7500.0, 0, 0], base_position=[7e6, 0, 0])
    at_rest, moving = (sd.momentum(model, s, about="com")[3:] for s in (state, fast))
    np.testing.assert_allclose(moving, at_rest, rtol=1e-15)
    run = sd.simulate(model, fast, 10.0)
    assert run.audit().worst < 1e-9

    def slower(u):
        u[-1, 0, -1] *= 1.0 - 1e-4
        return u

    assert not audit_of(run, u=slower).within_budget


def test_energy_that_is_rounding_alone_is_no_alarm():
    """A pendulum that hangs all but still: what it gains and loses is less than its weight's energy is rounded by."""
    b = sd.Builder("pendulum", base="fixed")
    b.base("hook", mass=1.0, inertia=(1, 1.2, 0.9))
    b.link("bob", parent="hook", mass=2.0, inertia=(0.1, 0.12, 0.09), com=(0, 0, -1.0), axis=(0, 1, 0))
    model = b.build()
    swing = {"gravity": (0, 0, -9.81)}
    still = sd.simulate(model, model.state(q=[1e-9]), 10.0, **swing)
    assert still.audit().worst < 1e-9
    swinging = sd.simulate(model, model.state(q=[1e-3]), 10.0, **swing)
    assert swinging.audit().within_budget
    assert not audit_of(swinging, u=lambda u: u * (1.0 - 1e-4)).within_budget
