"""Rigid feet that stick and nearly fix their distance alone: two on parallel sprung legs of nearly one length.

As a body rocks on such legs, the distance of its feet changes with the square of what they differ by. While that is
next to nothing, their rows are redundant; from there on friction would have to hold the rocking, and a foot slips.
"""

import numpy as np
import pytest

import spacedyn as sd

G, STIFFNESS, MASS = 9.81, 8000.0, 40.0


@pytest.fixture(scope="module")
def table():
    """In the plane of x and y, on two sprung legs."""
    b = sd.Builder("table", "planar")
    b.base("top", mass=MASS, inertia=(2.0, 2.1, 3.0))
    for i, x in enumerate((-0.5, 0.5)):
        leg = {"mass": 1.0, "inertia": (0.01, 0.011, 0.012), "com": (0, -0.3, 0), "stiffness": STIFFNESS}
        b.link(f"leg{i}", "prismatic", parent="top", position=(x, -0.1, 0), axis=(0, 1, 0), damping=100.0, **leg)
    return b.build()


def rocked(table, moment, mu=(0.5, 0.5), **fields):
    """At rest on its feet, then rocked by a moment."""
    feet = [
        sd.RigidContact(f"leg{i}", (0, -0.6, 0), surface=sd.Plane(normal=(0, 1, 0)), friction=one, name=f"foot{i}")
        for i, one in enumerate(mu)
    ]
    short = 0.5 * MASS * G / STIFFNESS
    start = table.state(base_position=[0, 0.7 - short, 0], q=[short, short])
    push = sd.Wrench("top", moment=(0, 0, moment))
    return sd.simulate(table, start, 0.5, gravity=(0, -G, 0), elements=[*feet, push], **{"record": "steps"} | fields)


def excess_friction(run, feet, normal, mu):
    """The greatest of friction over its limit."""
    forces = run["element_wrenches"].reshape(len(run.time), -1, 6)[:, :feet, :3]
    return (np.linalg.norm(np.delete(forces, normal, axis=2), axis=2) / (mu * forces[:, :, normal])).max()


def slips(run):
    return [event.time for event in run.events if "slides" in event.name]


@pytest.mark.parametrize("moment", [1e-4, 1e-2, 1.0, 30.0])
def test_friction_stays_within_its_limit_where_feet_begin_to_fix_their_distance(table, moment):
    run = rocked(table, moment)
    assert excess_friction(run, 2, 1, 0.5) < 1.0 + 1e-12
    ledger = run.audit()
    assert max(ledger.linear_momentum, ledger.angular_momentum) < 1e-13
    assert 1 <= len(run.events) < 10 and run["closure"][:, 2].max() == 3


@pytest.mark.parametrize("moment", [1e-4, 1e-2])
def test_the_foot_slips_where_its_row_becomes_independent(table, moment):
    """Not where a step happens to end: the same instant, to a tenth, by short fixed steps, and with an event."""
    fixed = slips(rocked(table, moment, method=sd.RungeKutta4(1e-4)))[0]
    never = sd.Event(sd.joint_reaches("leg0", 1.0))
    for fields in ({}, {"events": [never]}, {"record": 0.01}):
        assert slips(rocked(table, moment, **fields))[0] == pytest.approx(fixed, rel=0.1)


@pytest.mark.parametrize("moment", [1e-4, 1e-2, 1.0])
def test_a_foot_that_slips_by_next_to_nothing_does_not_hold_the_rocking(table, moment):
    """The legs' lengths differ as with one foot on ice; little friction on both bends that by less than 2 %."""
    at = np.linspace(0.0, 0.5, 26)
    run, ice = (rocked(table, moment, mu, record=at) for mu in ((0.05, 0.05), (0.05, 0.0)))
    rocks, freely = (np.diff(one["q"], axis=1)[:, 0] for one in (run, ice))
    assert np.abs(rocks - freely).max() < 0.02 * np.abs(freely).max()


@pytest.mark.parametrize("moment", [(1e-3, 2e-3, 0.0), (1.0, 0.5, 0.0), (30.0, -20.0, 0.0)])
def test_landers_that_stand_on_four_feet_are_rocked(moment):
    b = sd.Builder("lander")
    b.base("bus", mass=400.0, inertia=(120.0, 130.0, 150.0))
    for i, (x, y) in enumerate([(1, 1), (-1, 1), (-1, -1), (1, -1)]):
        leg = {"mass": 10.0, "inertia": (0.5, 0.5, 0.05), "com": (0, 0, -0.4), "stiffness": 8000.0, "damping": 800.0}
        b.link(f"leg{i}", "prismatic", parent="bus", position=(x, y, -0.3), axis=(0, 0, 1), **leg)
    lander, short = b.build(), 400.0 * 1.62 / 4.0 / 8000.0
    feet = [sd.RigidContact(f"leg{i}", (0, 0, -0.9), friction=0.4, name=f"foot{i}") for i in range(4)]
    start, push = lander.state(base_position=[0, 0, 1.2 - short], q=[short] * 4), sd.Wrench("bus", moment=moment)
    run = sd.simulate(lander, start, 0.5, elements=[*feet, push], gravity=(0, 0, -1.62), record="steps")
    assert excess_friction(run, 4, 2, 0.4) < 1.0 + 1e-12 and 1 <= len(run.events) < 30
    assert run.audit().worst < 1e-9 and max(run.audit().linear_momentum, run.audit().angular_momentum) < 1e-12
