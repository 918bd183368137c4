"""Rigid points whose forces are not determinate: balls in grooves, against closed forms, and feet of a box."""

import numpy as np
import pytest

import spacedyn as sd

G, RADIUS, INERTIA = 9.81, 0.1, 4e-3  # of a ball of 1 kg


@pytest.fixture(scope="module")
def ball():
    b = sd.Builder("ball")
    b.base("ball", mass=1.0, inertia=(INERTIA, INERTIA, INERTIA))
    return b.build()


@sd.element(points=("at",))
def ramp(t, s, p, out):
    """A force that grows along x."""
    out.at.force[0] = p.rate * t


def groove(steep, mu, **fields):
    """Two planes along x, each as steep as that [rad], below the axis of x."""
    normals = ([0.0, -side * np.sin(steep), np.cos(steep)] for side in (1.0, -1.0))
    common = {"radius": RADIUS, "friction": mu} | fields
    return [
        sd.RigidContact("ball", (0, 0, 0), surface=sd.Plane(normal=n), name=name, **common)
        for n, name in zip(normals, ("left", "right"), strict=True)
    ]


def start(ball, steep, above=0.0, **fields):
    return ball.state(base_position=[0, 0, RADIUS / np.cos(steep) + above], **fields)


def weight(slope):
    return G * np.sin(slope), 0.0, -G * np.cos(slope)


@pytest.mark.parametrize(("steep", "mu", "slope"), [(45, 0.5, 10), (45, 0.5, 30), (60, 0.3, 10), (80, 0.3, 5)])
def test_a_ball_rolls_down_a_groove_steeper_than_friction(ball, steep, mu, slope):
    steep, slope = np.radians(steep), np.radians(slope)
    run = sd.simulate(ball, start(ball, steep), 1.0, gravity=weight(slope), elements=groove(steep, mu))
    arm = RADIUS * np.cos(steep)
    a = G * np.sin(slope) / (1.0 + INERTIA / arm**2)
    assert np.allclose(run.final.u, [a, 0, 0, 0, a / arm, 0], rtol=0, atol=1e-9)
    assert abs(run.final.base_position[0] - 0.5 * a) < 1e-9
    assert not run.events and run.audit().worst < 1e-9
    for side in ("left", "right"):  # friction along the groove alone: the sides bear the weight
        assert np.allclose(run[f"{side}.normal_force"], 0.5 * G * np.cos(slope) / np.cos(steep), rtol=1e-7)


@pytest.mark.parametrize(("steep", "mu", "slope"), [(45, 0.2, 60), (60, 0.3, 80)])
def test_in_a_slippery_groove_it_slips(ball, steep, mu, slope):
    steep, slope = np.radians(steep), np.radians(slope)
    run = sd.simulate(ball, start(ball, steep), 1.0, gravity=weight(slope), elements=groove(steep, mu))
    rubs = mu * G * np.cos(slope) / np.cos(steep)
    spin = rubs * RADIUS * np.cos(steep) / INERTIA
    assert np.allclose(run.final.u, [G * np.sin(slope) - rubs, 0, 0, 0, spin, 0], rtol=0, atol=1e-9)


@pytest.mark.parametrize(("steep", "mu"), [(45, 0.5), (60, 0.3)])
def test_pulled_ever_more_it_rolls_until_friction_along_the_groove_is_spent(ball, steep, mu):
    steep, rate = np.radians(steep), 10.0
    run = sd.simulate(
        ball, start(ball, steep), 2.0, gravity=weight(0.0), elements=[*groove(steep, mu), ramp(at="ball", rate=rate)]
    )
    k = INERTIA / (RADIUS * np.cos(steep)) ** 2  # friction is k / (1 + k) of the pull
    spent = mu * G / np.cos(steep) * (1.0 + k) / k / rate
    assert [event.name for event in run.events] == ["left: point 0 slides", "right: point 0 slides"]
    assert np.allclose([event.time for event in run.events], spent, rtol=1e-9)


def test_it_slides_in_a_groove_then_rolls(ball):
    steep, mu, fast = np.radians(60.0), 0.3, 1.0
    moving = start(ball, steep, base_velocity=[fast, 0, 0])
    run = sd.simulate(ball, moving, 1.0, gravity=weight(0.0), elements=groove(steep, mu))
    arm = RADIUS * np.cos(steep)
    rolls = fast / (1.0 + INERTIA / arm**2)
    assert np.allclose(run.final.u, [rolls, 0, 0, 0, rolls / arm, 0], rtol=0, atol=1e-9)
    assert np.allclose([event.time for event in run.events], (fast - rolls) * np.cos(steep) / (mu * G), rtol=1e-9)


def test_a_ball_dropped_into_a_groove_rolls_on(ball):
    steep, slope = np.radians(60.0), np.radians(5.0)
    sides = groove(steep, 0.3, restitution=0.5)
    run = sd.simulate(ball, start(ball, steep, above=0.05), 2.0, gravity=weight(slope), elements=sides)
    arm = RADIUS * np.cos(steep)
    assert abs(run.final.u[0] - arm * run.final.u[4]) < 1e-12
    rolling = run.time > 1.5
    v, t = run["base_velocity"][rolling, 0], run.time[rolling]
    assert np.allclose(np.diff(v) / np.diff(t), G * np.sin(slope) / (1.0 + INERTIA / arm**2), rtol=1e-9)


def test_feet_of_a_box_on_an_incline_bear_the_least_forces():
    b = sd.Builder("box")
    b.base("box", mass=2.0, inertia=(0.02, 0.03, 0.04))
    box, half, low, slope = b.build(), 0.2, 0.1, np.radians(20.0)
    corners = [(x, y, -low) for x in (half, -half) for y in (half, -half)]
    feet = sd.RigidContact("box", corners, friction=1.0, name="feet")
    run = sd.simulate(box, box.state(base_position=[0, 0, low]), 1.0, gravity=weight(slope), elements=[feet])
    even, more = 0.5 * G * np.cos(slope), 0.5 * G * np.sin(slope) * low / half
    assert np.allclose(run["feet.normal_force"], [even + more, even + more, even - more, even - more], rtol=1e-12)
    assert np.abs(run.final.base_position - [0, 0, low]).max() < 1e-13
