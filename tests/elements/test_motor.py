"""Motors in joints against closed forms: the curve of torque over speed, where they saturate, how they brake."""

import numpy as np
import pytest

import spacedyn as sd

J, STALL, NO_LOAD = 0.05, 0.4, 20.0


def rotor():
    b = sd.Builder("rotor", base="fixed")
    b.base("floor", mass=10.0, inertia=(1, 2, 2.5))
    b.wheel("wheel", on="floor", mass=4.0, inertia=J)
    return b.build()


@sd.law
def command(t, s, p, out):
    out.motor_wheel.torque[0] = p.torque


@sd.law
def rising(t, s, p, out):
    out.motor_wheel.torque[0] = p.slope * t


def run_of(law, speed=0.0, duration=10.0, **options):
    model = rotor()
    motor = sd.Motor("wheel", stall_torque=STALL, no_load_speed=NO_LOAD)
    return sd.simulate(model, model.state(qd=[speed]), duration, laws=[law], elements=[motor], **options)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_saturated_motor_follows_its_curve(sign):
    """J v' = stall (1 - v / v0)."""
    run = run_of(command(torque=sign * 5.0), record=0.1)
    rate = STALL / (J * NO_LOAD)
    expected = sign * NO_LOAD * (1.0 - np.exp(-rate * run.time))
    np.testing.assert_allclose(run["qd"][:, 0], expected, atol=1e-10)
    np.testing.assert_allclose(run["torque"][:, 0], sign * STALL * np.exp(-rate * run.time), atol=1e-11)
    np.testing.assert_allclose(run["power"], run["torque"] * run["qd"], atol=1e-14)
    assert run.audit().energy < 1e-12


def test_it_gives_what_is_asked_until_its_speed_leaves_no_more():
    """A constant torque c up to the speed v0 (1 - c / stall), from then on the curve: the instant is met exactly."""
    c = 0.25
    knee = NO_LOAD * (1.0 - c / STALL)
    when = J * knee / c
    run = run_of(command(torque=c), record=0.05)
    t, rate = run.time, STALL / (J * NO_LOAD)
    later = NO_LOAD - (NO_LOAD - knee) * np.exp(-rate * (t - when))
    np.testing.assert_allclose(run["qd"][:, 0], np.where(t < when, c / J * t, later), atol=1e-10)
    steps = run_of(command(torque=c), record="steps").time
    assert np.abs(steps - when).min() < 1e-9  # a step ends there


def test_a_command_that_rises_saturates_where_it_meets_the_curve():
    """slope t = stall (1 - v / v0), v = slope t² / 2 J: a quadratic."""
    slope = 0.1
    a, b = STALL * slope / (2 * J * NO_LOAD), slope
    when = (-b + np.sqrt(b * b + 4 * a * STALL)) / (2 * a)
    run = run_of(rising(slope=slope), record="steps")
    assert np.abs(run.time - when).min() < 1e-9
    speed, rate = slope * when**2 / (2 * J), STALL / (J * NO_LOAD)
    expected = NO_LOAD - (NO_LOAD - speed) * np.exp(-rate * (10.0 - when))
    assert run.final.qd[0] == pytest.approx(expected, rel=1e-10)


def test_it_brakes_with_all_it_has_at_any_speed_and_turns_round():
    """-stall down to rest, then the curve on the other side; faster than without load it can only brake."""
    run = run_of(command(torque=-5.0), speed=30.0, duration=20.0, record=0.1)
    rest, rate = J * 30.0 / STALL, STALL / (J * NO_LOAD)
    t = run.time
    after = -NO_LOAD * (1.0 - np.exp(-rate * (t - rest)))
    np.testing.assert_allclose(run["qd"][:, 0], np.where(t < rest, 30.0 - STALL / J * t, after), atol=1e-9)
    driven = run_of(command(torque=5.0), speed=30.0)
    np.testing.assert_array_equal(driven["torque"], 0.0)
    assert driven.final.qd[0] == 30.0


def test_motors_of_a_batch_saturate_each_at_its_own_time():
    model, speeds = rotor(), np.array([0.0, 3.0, -5.0, 8.0, 19.0, -15.0, 2.5, 11.0, 30.0])
    motor = sd.Motor("wheel", stall_torque=STALL, no_load_speed=NO_LOAD)
    together = sd.simulate(
        model, model.state(qd=speeds[:, None]), 5.0, laws=[command(torque=0.25)], elements=[motor], record=1.0
    )
    for i, speed in enumerate(speeds):
        alone = run_of(command(torque=0.25), speed=speed, duration=5.0, record=1.0)
        np.testing.assert_allclose(together["qd"][:, i], alone["qd"], atol=1e-9)
    assert together.audit().energy < 1e-10
