"""Koike's robot: momentum over 300 s, his correct tables, and what his own check of momentum is worth."""

import re
import sys
from importlib import import_module

import numpy as np
import pytest

import koike_as_printed as printed
import spacedyn as sd
from paths import ROOT
from spacedyn.run.audit import Auditor
from spacedyn.simulate.channels import LEDGER

EXAMPLES = str(ROOT / "examples")


@pytest.fixture(scope="module")
def example():
    """The example as a module, and its run of both cases."""
    sys.path.insert(0, EXAMPLES)
    try:
        module = import_module("koike")
        yield module, {case: module.simulate(case) for case in module.CASES}
    finally:
        sys.path.remove(EXAMPLES)


@pytest.mark.parametrize("case", ["body rates", "angle rates"])
def test_momentum_is_constant_for_300_seconds(example, case):
    run = example[1][case]
    assert run.time[-1] == 300.0
    P, L = np.split(run.momentum(about="com"), 2, axis=1)
    for momentum in (P, L):
        assert np.linalg.norm(momentum - momentum[0], axis=1).max() < 1e-10 * np.linalg.norm(momentum[0])
    assert run.audit().within_budget
    assert np.ptp(run.states.base_velocity[:, 0]) > 0.08  # the box alone does not keep its velocity
    angles = np.array([printed.arms(t)[0] for t in run.time])
    assert np.abs(run.states.q - angles).max() < 1e-12


def test_the_two_readings_of_the_rates(example):
    module, runs = example
    body, angle = (runs[case].states[0] for case in module.CASES)
    np.testing.assert_allclose(body.base_attitude.inv().apply(body.base_rate.copy()), module.RATES, atol=1e-14)
    step = 1e-6  # angles a little later and a little earlier
    ahead, behind = (angle.integrate(sign * step * angle.u).base_attitude.as_euler("XYZ") for sign in (1, -1))
    np.testing.assert_allclose((ahead - behind) / (2 * step), module.RATES, atol=1e-6)


def test_kanes_equations_along_the_run(example):
    """Accelerations and the arms' torques of the simulation, by the dense route."""
    run, model = example[1]["body rates"], sd.load("koike")
    some = slice(0, None, 250)
    udot = run["udot"][some]
    kane = sd.kane.prescribed_dynamics(model, run.states[some], model.joint_names, udot)
    np.testing.assert_allclose(kane.udot, udot, atol=1e-12)
    np.testing.assert_allclose(kane.forces, run["forces"][some], atol=1e-12)


def test_his_partial_velocities():
    """II.21 to II.25, which are right; base axes are inertial axes here, so that his u4, u5, u6 are our rates."""
    model, L = sd.load("koike"), 1.0
    y, z = 0.31, -0.17
    state = model.state(q=[y, z], qd=[0.4, 0.3])
    table = sd.kane.partial_velocities(model, state, model.joint_names, axes="base")
    assert table.rates == ("base.vx", "base.vy", "base.vz", "base.wx", "base.wy", "base.wz")
    e, zero = np.eye(3), np.zeros(3)
    sy, cy, sz, cz = np.sin(y), np.cos(y), np.sin(z), np.cos(z)
    arm_y = [-L / 2 * sy * e[1], L / 2 * (sy * e[0] + (cy - 1) * e[2]), L / 2 * (1 - cy) * e[1]]
    across = 1 + 5 * sz
    arm_z = [L / 10 * across * e[2], L / 2 * (1 - cz) * e[2], L / 10 * (-across * e[0] + 5 * (cz - 1) * e[1])]
    np.testing.assert_allclose(table.velocity[0], [*e, zero, zero, zero], atol=1e-15)
    np.testing.assert_allclose(table.velocity[1], [*e, *arm_y], atol=1e-15)
    np.testing.assert_allclose(table.velocity[2], [*e, *arm_z], atol=1e-15)
    np.testing.assert_allclose(table.angular_velocity, [[zero, zero, zero, *e]] * 3, atol=1e-15)
    # what the prescribed rates add, II.15, II.16, II.18 and II.20
    np.testing.assert_allclose(table.remainder_angular_velocity, [zero, 0.4 * e[1], 0.3 * e[2]], atol=1e-15)
    by_y, by_z = 0.4 * L / 2 * (sy * e[0] + cy * e[2]), 0.3 * L / 2 * (-sz * e[0] + cz * e[1])
    np.testing.assert_allclose(table.remainder_velocity, [zero, by_y, by_z], atol=1e-15)


# --- what a check is worth -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wrong():
    """Times, and his motion as states of the robot."""
    times = np.arange(0.0, 300.05, 0.1)
    s, (q, qd) = printed.trajectory(times), np.moveaxis([printed.arms(t) for t in times], 0, 1)
    states = sd.load("koike").state(
        base_position=s[:, :3],
        base_attitude=sd.Rotation.from_euler("XYZ", s[:, 3:6]),
        base_velocity=s[:, 6:9],
        base_rate_in_base_axes=s[:, 9:],
        q=q,
        qd=qd,
    )
    return times, states


def his_check(states):
    """Variances of a constant inertia times the rates in body axes: below 1e-6 counts as conserved."""
    rates = states.base_attitude.inv().apply(states.base_rate.copy())
    return np.var(rates @ printed.INERTIA, axis=0, ddof=1)


def ledger(model, times, states):
    """The audit that every simulation gets, of any motion on which nothing acts from outside."""
    sizes = {"time": 1, "x": 7 + model.nq, "u": model.nv, **dict.fromkeys(LEDGER, 1), "impulse": 6}
    stops = np.cumsum(list(sizes.values()))
    columns = {name: slice(stop - size, stop) for (name, size), stop in zip(sizes.items(), stops, strict=True)}
    rows = np.zeros((len(times), 1, stops[-1]))
    rows[:, 0, 0], rows[:, 0, columns["x"]], rows[:, 0, columns["u"]] = times, states.x, states.u
    auditor = Auditor(model, None, columns, 1)
    auditor.add(rows)
    return auditor.audit(1e-7, dict)


def test_his_check_passes_the_wrong_model_which_the_ledger_fails(wrong):
    times, states = wrong
    np.testing.assert_allclose(his_check(states), printed.TABLE, rtol=0.03)  # it is his model: this is his table
    assert his_check(states).max() < 1e-6
    model = sd.load("koike")
    L = sd.momentum(model, states, about="com")[:, 3:]
    assert np.linalg.norm(L - L[0], axis=1).max() > 1.5 * np.linalg.norm(L[0])  # more than all of it
    audit = ledger(model, times, states)
    assert not audit.within_budget and "NOT to be trusted" in str(audit)
    assert audit.angular_momentum > 0.1 and audit.linear_momentum > 0.01


def test_his_check_fails_the_right_model_which_the_ledger_passes(example):
    run = example[1]["body rates"]
    assert his_check(run.states).max() > 1e-3
    audit = ledger(sd.load("koike"), run.time, run.states)
    assert max(audit.linear_momentum, audit.angular_momentum) < 1e-10


# --- the examples ----------------------------------------------------------------------------------------------------


def test_the_pictures_are_drawn(example, tmp_path):
    paths = import_module("koike_figures").draw(example[1], tmp_path / "pictures")
    assert len(paths) == 6 and all(path.stat().st_size > 10_000 for path in paths)


def test_the_examples_say_what_they_found(example, capsys):
    example[0].main()
    said = capsys.readouterr().out
    assert said.count("good") == 2 and "changes by" in said
    import_module("tian_wu").main()
    said = capsys.readouterr().out
    assert float(re.search(r"follow from momentum: to (\S+)", said)[1]) < 1e-10
    assert float(re.search(r"simulation agrees: to (\S+)", said)[1]) < 1e-9
