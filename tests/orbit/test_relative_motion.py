"""Hill's axes, Clohessy and Wiltshire's solution, and runs seen from an orbit."""

import numpy as np
import pytest
from scipy.linalg import expm

import spacedyn as sd
from spacedyn.orbit import OrbitalElements


def orbit_at(times, e=0.1, shift=0.0):
    n = sd.orbit.mean_motion(7.2e6)
    anomaly = sd.orbit.true_anomaly(n * np.asarray(times) + shift, e)
    return sd.orbit.from_elements(OrbitalElements(7.2e6, e, 0.7, 1.1, 0.4, anomaly))


def test_hill_velocity_is_the_derivative_of_hill_position():
    """Of a neighbour on another ellipse, by central differences: 1e-7 of its speed."""
    h = 0.05
    before, now, after = (orbit_at(t) for t in (800.0 - h, 800.0, 800.0 + h))
    others = [orbit_at(t, e=0.1001, shift=1e-4) for t in (800.0 - h, 800.0, 800.0 + h)]
    places = [
        sd.orbit.to_hill(o.position - r.position, o.velocity - r.velocity, *r)
        for o, r in zip(others, (before, now, after), strict=True)
    ]
    slope = (places[2].position - places[0].position) / (2 * h)
    np.testing.assert_allclose(places[1].velocity, slope, atol=1e-6)
    back = sd.orbit.from_hill(*places[1], *now)
    np.testing.assert_allclose(back.position, others[1].position - now.position, atol=1e-9)
    np.testing.assert_allclose(back.velocity, others[1].velocity - now.velocity, atol=1e-12)


def test_clohessy_wiltshire():
    """x(600) as computed elsewhere to 12 digits; and the matrix exponential of the equations at many times."""
    x, v, n = [100.0, -200.0, 50.0], [0.1, -0.05, 0.02], 0.0011
    found = sd.orbit.clohessy_wiltshire(x, v, n, 600.0).position
    np.testing.assert_allclose(found, [199.648610866, -287.788910721, 50.647190702], atol=5e-10)
    A = np.zeros((6, 6))
    A[:3, 3:] = np.eye(3)
    A[3, 0], A[3, 4], A[4, 3], A[5, 2] = 3 * n * n, 2 * n, -2 * n, -n * n
    times = np.array([-300.0, 10.0, 4000.0])
    motion = sd.orbit.clohessy_wiltshire(x, v, n, times)
    for t, place, speed in zip(times, *motion, strict=True):
        np.testing.assert_allclose(np.concatenate([place, speed]), expm(A * t) @ [*x, *v], rtol=1e-10)


def test_a_run_seen_from_an_orbit():
    """The same motion with an orbiting origin, and in absolute positions against a reference that is given."""
    b = sd.Builder("dot")
    b.base("dot", mass=10.0, inertia=(1.0, 1.2, 1.5), com=(0.1, 0, 0))
    model = b.build()
    r, v = orbit_at(0.0, e=0.0)
    off, drift = np.array([10.0, -20.0, 5.0]), np.array([0.01, 0.02, -0.01])
    near = model.state(base_position=off, base_velocity=drift)
    far = model.state(base_position=r + off, base_velocity=v + drift)
    gravity = sd.CentralGravity()
    one = sd.simulate(model, near, 900.0, elements=[gravity, sd.OrbitingOrigin(r, v)], record=300.0)
    other = sd.simulate(model, far, 900.0, elements=[gravity], record=300.0)
    seen = sd.orbit.relative_motion(one)
    reference = orbit_at(one.time, e=0.0)
    np.testing.assert_allclose(seen.reference.position, reference.position, atol=1e-4)
    again = sd.orbit.relative_motion(other, reference=reference)
    np.testing.assert_allclose(again.hill.position, seen.hill.position, atol=2e-4)
    mixed = sd.orbit.relative_motion(one, reference=reference)
    np.testing.assert_allclose(mixed.hill.position, again.hill.position, atol=2e-4)
    start = sd.orbit.to_hill(off, drift, r, v)
    n = sd.orbit.mean_motion(7.2e6)
    linear = sd.orbit.clohessy_wiltshire(*start, n, one.time)
    np.testing.assert_allclose(seen.hill.position, linear.position, atol=1e-3)  # d^2 / r
    with pytest.raises(sd.InputError, match="no OrbitingOrigin named 'orbiting_origin'"):
        sd.orbit.relative_motion(other)
