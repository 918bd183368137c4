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
