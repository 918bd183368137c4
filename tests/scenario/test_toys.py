"""Toys that live by contact: a rattleback that turns back, a tippe top that turns over, Newton's cradle."""

import numpy as np
import pytest

import spacedyn as sd


def test_a_rattleback_turns_back_by_itself_one_way_only():
    run = sd.Scenario.from_toml("rattleback").run()
    spin = run.states.base_rate[:, 2]
    assert spin[0] == -5.0 and 4.8 < spin[-1] < 5.05 and run.audit().worst < 1e-8
    halt = run.time[np.argmax(spin > 0.0)]
    assert 0.8 < halt < 1.2
    other = sd.Scenario.from_toml("rattleback", change={"state.base_rate": [0.02, 0.3, 5.0]}).run()
    assert other.states.base_rate[:, 2].min() > 4.9 and other.states.base_rate[:, 2].max() < 5.05


def test_a_tippe_top_turns_over_and_keeps_jelletts_integral():
    """cases.json, tippe_top_jellett: L.r from the centre of mass to the point of contact, to 1e-9 of itself."""
    run = sd.Scenario.from_toml("tippe_top").run()
    axis = run.states.base_attitude.apply([0.0, 0.0, 1.0])
    assert axis[0, 2] > 0.99 and axis[-1, 2] < -0.98
    L = run.momentum(about="com")[:, 3:]
    J = -0.02 * L[:, 2] + 0.003 * np.einsum("ti,ti->t", L, axis)
    assert np.abs(J / J[0] - 1.0).max() < 1e-7
    assert run.audit().worst < 1e-9
    lost = run["element_dissipated"][-1, 0]
    raised = 0.02 * 9.81 * 0.006  # its centre of mass is 6 mm higher
    spun = 0.5 * 3.3e-6 * (150.0**2 - run.states.base_rate[-1, 2] ** 2)
    assert lost == pytest.approx(spun - raised, rel=0.1)


def test_newtons_cradle_swings_to_the_other_side_and_back():
    """The last ball rises almost as high as the first fell; about a period later the first is up again."""
    run = sd.Scenario.from_toml("newtons_cradle").run()
    angles = np.degrees(run.states.q)
    first, last = angles[:, 0], angles[:, 4]
    assert 18.5 < last[run.time < 0.9].max() < 20.0
    assert -20.0 < first[(run.time > 0.7) & (run.time < 1.2)].min() < -18.5
    assert np.abs(angles[run.time < 0.9][:, 1:4]).max() < 1.0
    assert run.audit().worst < 1e-8


def test_a_bouncing_ball_comes_to_rest_and_rolls():
    """Closed forms: Zeno's time, heights, and the speed of rolling by angular momentum about the floor; to 1e-9."""
    run = sd.Scenario.from_toml("bouncing_ball").run()
    fall, e = np.sqrt(2.0 / 9.81), 0.8
    hits = [one for one in run.events if "impact" in one.name]
    assert [one.name for one in run.events if "rest" in one.name] == ["floor: point 0 comes to rest"]
    rest = next(one for one in run.events if "rest" in one.name)
    assert rest.time == pytest.approx(fall * (1.0 + e) / (1.0 - e), abs=1e-9)
    assert len(hits) > 40
    k = np.arange(len(hits))
    times = np.array([one.time for one in hits])
    assert np.abs(times - fall * (1.0 + 2.0 * e * (1.0 - e**k) / (1.0 - e))).max() < 1e-9
    rolls = (0.5 - 0.4 * 0.1 * 20.0) / 1.4
    assert run.final.base_velocity == pytest.approx([rolls, 0.0, 0.0], abs=1e-11)
    assert run.final.base_rate == pytest.approx([0.0, 10.0 * rolls, 6.0], abs=1e-9)
    before = 9.81 + 0.5 * 0.25 + 0.5 * 4e-3 * (400.0 + 36.0)
    after = 0.7 * rolls**2 + 0.5 * 4e-3 * 36.0
    assert run["element_dissipated"][-1, 0] == pytest.approx(before - after, abs=1e-9)
    assert run.audit().worst < 1e-10
