"""Loops that events open and close: impulses, momentum, energy; a target that changes hands."""

from importlib.resources import files

import numpy as np
import pytest

import spacedyn as sd


@sd.condition
def clock(t, s, p, out):
    out.value[0] = t - p.time


def at(time, *actions):
    return sd.Event(clock(time=time), direction=1, action=list(actions), name=f"at {time:g} s")


@pytest.fixture(scope="module")
def pair():
    b = sd.Builder("pair")
    b.base("chaser", mass=2550.0, inertia=(6000, 6100, 6200))
    b.link("target", "free", parent="chaser", mass=350.0, inertia=(90, 80, 100))
    return b.build()


def test_closing_a_weld_is_a_lock_up(pair):
    """REFERENCES.md 10: rates, velocity of the centre and energy lost, to all of its digits; as `attach` gives it."""
    grip = sd.Loop("weld", "target", "chaser", active=False, name="grip")
    start = pair.state(q={"target": [2.5, 0.05, 0, 0, 0, 0, 1]}, qd={"target": [0, -0.05, 0, 0, 0, 0.1]})
    run = sd.simulate(pair, start, 3.0, elements=[grip], events=[at(1.0, sd.actions.close_loop("grip"))], record=0.5)
    np.testing.assert_allclose(run.final.base_rate, [0, 0, -0.00346201221270], atol=1e-13)
    np.testing.assert_allclose(sd.center_of_mass_velocity(pair, run.final), [0, -0.00603448275862, 0], atol=1e-14)
    assert -run["event_work"][-1, 0] == pytest.approx(0.835416830464, abs=1e-11)
    P = run.momentum(about="com")
    assert np.abs(P - P[0]).max() < 1e-12 * np.abs(P[0]).max()
    assert run["grip.closed"][:, 0].tolist() == [0, 0, 0, 1, 1, 1, 1] or run["grip.closed"][-1, 0] == 1.0
    assert run.audit().worst < 1e-12


def test_opening_changes_nothing_but_what_follows(pair):
    """Held by a weld from the start, let go at 1 s: both go on as they move then, for ever."""
    start = pair.state(base_rate=[0, 0, 0.1], q={"target": [2.5, 0, 0, 0, 0, 0, 1]})
    grip = sd.Loop.as_met(pair, start, "weld", "target", "chaser", active=True, name="grip")
    run = sd.simulate(pair, start, 3.0, elements=[grip], events=[at(1.0, sd.actions.open_loop("grip"))], record=0.5)
    assert run["event_work"][-1, 0] == 0.0
    qd = run.final.qd
    assert np.linalg.norm(qd[3:]) == pytest.approx(0.0, abs=1e-12)
    centre = run.body("target").position
    steps = np.diff(centre[run.time >= 1.0], axis=0)
    assert steps == pytest.approx(np.broadcast_to(steps[0], steps.shape), abs=1e-12)
    assert run.audit().worst < 1e-12


def test_a_loop_that_stays_open_changes_no_bit(pair):
    """Rows that rest hold nothing: to the rounding of one evaluation more a step, states are those without it."""
    start = pair.state(base_rate=[0.1, -0.2, 0.1], q={"target": [2.5, 0, 0, 0, 0, 0, 1]}, qd={"target": [0.1] * 6})
    grip = sd.Loop("weld", "target", "chaser", active=False, name="grip")
    with_it = sd.simulate(pair, start, 3.0, elements=[grip], record=1.0)
    without = sd.simulate(pair, start, 3.0, record=1.0)
    assert with_it.final.x == pytest.approx(without.final.x, abs=1e-10)
    assert not np.any(with_it["grip.force"])


def test_a_target_changes_hands():
    """The dual-arm chaser's target: caught by the left hand, taken by the right, let go by the left, rigidly.

    No joint is locked and nothing acts from outside: momentum stays to 1e-12 of the bodies' across each change.
    """
    folder = files("spacedyn") / "library" / "scenarios" / "robots"
    robot = sd.load(str(folder / "dual_arm_chaser.toml"))
    arms = {"shoulder": 0.6421, "elbow": -1.625, "wrist": 0.9829}
    q = {
        f"{side}_{joint}": sign * value for side, sign in (("left", -1), ("right", 1)) for joint, value in arms.items()
    }
    start = robot.state(
        q={**q, "grip": [0.9, 0.05, 0.02, 0, 0, 0, 1]}, qd={"grip": [-0.01, 0.02, 0.005, 0.004, 0.03, -0.01]}
    )
    hands = {side: robot.joint(f"{side}_wrist").child for side in ("left", "right")}
    target = robot.joint("grip").child
    welds = [sd.Loop("weld", target, hand, active=False, name=side) for side, hand in hands.items()]
    close, part = sd.actions.close_loop, sd.actions.open_loop
    events = [at(1.0, close("left")), at(2.0, close("right")), at(3.0, part("left")), at(4.0, part("right"))]
    run = sd.simulate(robot, start, 5.0, elements=welds, events=events, record=0.1)
    P = run.momentum(about="com")
    size = np.abs(sd.kinetic_energy(robot, start)) ** 0.5 * 30.0  # of the order of sqrt(2 m E)
    assert np.abs(P - P[0]).max() < 1e-12 * size
    for event in run.events:
        before, after = (sd.momentum(robot, state, about="com") for state in (event.state, event.after))
        assert np.abs(after - before).max() < 1e-12 * size
    energies = [sd.kinetic_energy(robot, one.after) - sd.kinetic_energy(robot, one.state) for one in run.events]
    assert energies[0] < 0.0 and energies[1] < 0.0 and np.abs(energies[2:]).max() < 1e-15
    assert run["event_work"][-1, 0] == pytest.approx(sum(energies), rel=1e-12)
    assert run["left.closed"][:, 0].max() == run["right.closed"][:, 0].max() == 1.0
    assert run["gap"].max() < 1e-11
    assert run.audit().worst < 1e-10


def test_a_rod_closes_at_the_length_it_meets(pair):
    rod = sd.Loop("distance", "target", "chaser", length=1.0, active=False, name="rod")
    start = pair.state(q={"target": [2.5, 0.4, 0, 0, 0, 0, 1]}, qd={"target": [0.1, 0.3, 0, 0, 0, 0.1]})
    run = sd.simulate(pair, start, 3.0, elements=[rod], events=[at(1.0, sd.actions.close_loop("rod"))], record=0.25)
    far = np.linalg.norm(run.states.q[:, :3], axis=1)[run.time > 1.01]
    assert np.ptp(far) < 1e-12 and far[0] > 2.0
    assert run.audit().worst < 1e-11


def test_bad_input_is_named(pair):
    start = pair.state(q={"target": [2.5, 0, 0, 0, 0, 0, 1]})
    fixed = sd.Loop.as_met(pair, start, "weld", "target", "chaser", name="fixed")
    with pytest.raises(sd.UnknownName, match="Loop that opens and closes"):
        sd.simulate(pair, start, 1.0, elements=[fixed], events=[at(0.5, sd.actions.open_loop("fixed"))])
    with pytest.raises(sd.InputError, match="only a rigid loop"):
        sd.Loop("ball", "target", "chaser", stiffness=10.0, active=True)
    with pytest.raises(sd.InputError, match="active must be True or False or None"):
        sd.Loop("ball", "target", "chaser", active="no")
    grip = sd.Loop("weld", "target", "chaser", active=False, name="grip")
    with pytest.raises(sd.SimulationFailed, match="is open by"):
        action = sd.actions.close_loop("grip", as_met=False)
        sd.simulate(pair, start, 1.0, elements=[grip], events=[at(0.5, action)])
