"""Errors of steps go by groups of states: an orbit's magnitudes never swallow a hinge."""

import numpy as np
import pytest

import spacedyn as sd

pytestmark = pytest.mark.packs


def hinged():
    """A satellite whose paddle swings on a spring: 0.5 Hz."""
    b = sd.Builder("hinged")
    b.base("bus", mass=500.0, inertia=(100.0, 120.0, 140.0))
    b.link(
        "panel",
        parent="bus",
        position=(1, 0, 0),
        axis=(0, 1, 0),
        mass=10.0,
        inertia=(1, 2, 2.5),
        com=(1, 0, 0),
        stiffness=120.0,
    )
    return b.build()


def swing(method, where, amplitude=1e-4):
    """The hinge's motion in free space, or along an orbit: in absolute positions, or about an orbiting origin."""
    model = hinged()
    r, v = sd.orbit.from_elements(sd.orbit.OrbitalElements(7.2e6, 0.1, 0.5))
    place, elements = {}, []
    if where == "absolute":
        place, elements = {"base_position": r, "base_velocity": v}, [sd.CentralGravity()]
    elif where == "origin":
        elements = [sd.CentralGravity(), sd.OrbitingOrigin(r, v)]
    state = model.state(q=[amplitude], **place)
    run = sd.simulate(model, state, 60.0, elements=elements, record=1.0, method=method, budget=1.0)
    return run["q"][:, 0]


@pytest.mark.parametrize(
    "method",
    [sd.DormandPrince8(rtol=1e-8, atol=1e-9), sd.DormandPrince5(rtol=1e-7, atol=1e-9), sd.Radau5(rtol=1e-7, atol=1e-9)],
)
def test_a_hinge_is_as_accurate_in_orbit_as_in_free_space(method):
    """A swing of 0.1 mrad, seen at loose tolerances: its error at 7000 km is that in free space, within a quarter."""
    exact = sd.DormandPrince8(rtol=1e-13, atol=1e-16)
    errors = {
        where: np.abs(swing(method, where) - swing(exact, where)).max() for where in ("free", "absolute", "origin")
    }
    assert 1e-10 < errors["free"] < 1e-5
    for where in ("absolute", "origin"):
        assert errors[where] < 1.25 * errors["free"], errors


def test_an_orbit_is_measured_against_its_size():
    """A component that passes through zero asks for no shorter steps: a circle of a point takes the same all along."""
    b = sd.Builder("dot")
    b.base("dot", mass=2.0, inertia=(1e-6, 1.2e-6, 1.5e-6))
    model, a = b.build(), 7.0e6
    r, v = sd.orbit.from_elements(sd.orbit.OrbitalElements(a))
    method = sd.DormandPrince8(rtol=1e-10, atol=1e-12)
    run = sd.simulate(
        model, model.neutral_state(), 11600.0, elements=[sd.CentralGravity(), sd.OrbitingOrigin(r, v)],
        record="steps", method=method,
    )  # fmt: skip
    steps = np.diff(run.time)[20:-1]
    assert steps.max() < 1.2 * steps.min()
    n = sd.orbit.mean_motion(a)
    circle = a * np.stack([np.cos(n * run.time), np.sin(n * run.time)], axis=-1)
    assert np.abs(run["orbiting_origin.position"][:, :2] - circle).max() < 1.0  # 1e-10 a step, two revolutions
