"""Two arms catch a tumbling target: its drift and tumble, the cost of the approach, the latch, rest by wheels."""

import numpy as np
import pytest

import spacedyn as sd

RATE = 0.0010948237
FULL = 60.0  # kg of propellant


@pytest.fixture(scope="module")
def run():
    return sd.Scenario.from_toml("dual_arm_capture").run()


@pytest.fixture(scope="module")
def robot(run):
    return run.states.model


def test_the_frame_is_that_of_an_orbit_at_550_km():
    assert sd.orbit.mean_motion(6378.137e3 + 550e3) == pytest.approx(RATE, rel=1e-7)


def test_until_it_is_caught_the_target_tumbles_by_itself(run):
    """It hangs on a moving hand by a free joint, yet moves as one body alone in the same frame does."""
    alone = sd.Builder("target")
    alone.base("target", mass=350.0, inertia=(110.0, 90.0, 100.0))
    alone, target = alone.build(), run.body("target")
    start = alone.state(
        base_attitude=sd.Rotation.from_matrix(target.rotation[0]),
        base_position=target.position[0],
        base_rate=target.velocity[0, 3:],
    )
    record = run.time[run.time < 149.0]
    free = sd.simulate(alone, start, 149.0, elements=[sd.HillFrame(RATE)], record=record)
    until = slice(0, len(record))
    np.testing.assert_allclose(target.position[until], free.states.base_position, atol=1e-8)
    np.testing.assert_allclose(target.rotation[until], free.states.base_attitude.as_matrix(), atol=1e-7)
    assert np.abs(target.position[until]).max() < 1e-5  # at rest in the frame's origin


def test_the_approach_costs_what_its_impulses_do(run, robot):
    """2 m V along the way, and 2 n m L against the Coriolis force; feedback adds a little."""
    mass, length, duration = robot.total_mass - 350.0 + FULL, 15.0 - 3.37, 170.0
    impulse = mass * (2 * 15 / 8 * length / duration + 2 * RATE * length)
    used = FULL - run["tank.propellant"][:, 0]
    assert used[-1] == pytest.approx(impulse / (220.0 * 9.80665), rel=0.05)
    assert used[-1] > impulse / (220.0 * 9.80665)
    np.testing.assert_allclose(run["left"][:, 0], used, atol=1e-12)  # the ledger's mass that left
    pushes = np.trapezoid(run["mass_flow"].sum(axis=1), run.time)  # columns are all thrusters'
    assert pushes == pytest.approx(used[-1], rel=0.01)


def test_one_hand_latches_and_the_other_takes_hold_with_some_give(run):
    assert [event.name for event in run.events] == ["right hand holds", "left hand holds"]
    hold, latch = (event.time for event in run.events)
    assert 149.0 < hold < latch < 150.5
    force = np.linalg.norm(run["claw.force"], axis=1)
    assert not force[run.time < hold].any()
    assert 1.0 < force.max() < 10.0 and hold < run.time[np.argmax(force)] < latch + 0.5


def test_the_latch_keeps_momentum_and_loses_what_carnot_s_theorem_says(run, robot):
    latch, grip = run.events[-1], robot.qd_slice("grip")
    change = {"duration": latch.time + 0.05, "record": [0.0, latch.time]}
    propellant = sd.Scenario.from_toml("dual_arm_capture", change=change).run()["tank.propellant"][-1, 0]
    bus = robot.body("bus")
    inertia = bus.inertia + propellant * 0.25**2 * np.eye(3)
    loaded = robot.vary(mass={"bus": bus.mass + propellant}, inertia={"bus": inertia})

    def with_propellant(s):
        base = {"base_position": s.base_position, "base_attitude": s.base_attitude, "q": s.q, "qd": s.qd}
        return loaded.state(**base, base_velocity=s.base_velocity, base_rate=s.base_rate)

    before, after = with_propellant(latch.state), with_propellant(latch.after)
    momenta = [sd.momentum(loaded, state, about="origin") for state in (before, after)]
    np.testing.assert_allclose(momenta[1], momenta[0], atol=1e-11)
    assert not latch.after.qd[grip].any() and np.linalg.norm(before.qd[grip]) > 0.03
    inverse = np.linalg.inv(sd.mass_matrix(loaded, before))[6:, 6:][grip, grip]
    lost = 0.5 * before.qd[grip] @ np.linalg.solve(inverse, before.qd[grip])
    assert -run["event_work"][-1, 0] == pytest.approx(lost, rel=1e-9)
    assert sd.kinetic_energy(loaded, before) - sd.kinetic_energy(loaded, after) == pytest.approx(lost, rel=1e-8)


def test_wheels_have_the_spin_in_the_end_and_everything_is_at_rest(run):
    assert run.audit().within_budget
    before = 0.08 * run.states.qd[run.time < 149.0][-1, -2]
    assert 0.08 * run.final.qd[-2] - before == pytest.approx(90.0 * np.radians(2.0), rel=0.05)
    np.testing.assert_allclose(run.final.base_position, [0.0, -3.37, 0.0], atol=1e-3)
    assert np.degrees(np.linalg.norm(run.final.base_rate)) < 0.005
    assert np.degrees(np.linalg.norm(run.body("target").velocity[-1, 3:])) < 0.005
    assert np.abs(run["torque"]).max() < 0.6  # no wheel's motor saturates
