"""J2, J3, J4 on every body: against point masses, an independent integration, the secular rate of the node."""

import numpy as np
import pytest

import spacedyn as sd
from orbital_accelerations import J, central, fly, zonal

pytestmark = pytest.mark.packs


def octahedron(size, spread=(1.0, 0.6, 0.3)):
    """Six equal masses along three axes: their places, and the body that they make."""
    at = size * np.concatenate([np.diag(spread), -np.diag(spread)])
    m = np.array([2.0, 3.0, 4.0, 2.0, 3.0, 4.0])
    inertia = sum(w * ((p @ p) * np.eye(3) - np.outer(p, p)) for w, p in zip(m, at, strict=True))
    b = sd.Builder("octahedron")
    b.base("body", mass=m.sum(), inertia=inertia)
    return b.build(), at, m


def test_force_and_moment_are_those_of_point_masses():
    """Six masses a thousandth of the distance apart: what is left is of the fourth order, 1e-6 of the second."""
    planet = {"j": {2: 0.3, 3: -0.2, 4: 0.25}, "mu": 1e5, "radius": 2.0, "axis": (0.6, 0.0, 0.8)}
    element = sd.ZonalGravity(j2=0.3, j3=-0.2, j4=0.25, mu=1e5, radius=2.0, axis=(0.6, 0, 0.8), center=(1.0, 2, 3))
    model, at, m = octahedron(3e-3)
    rng = np.random.default_rng(2)
    for _ in range(4):
        turn, r = sd.Rotation.random(rng=rng), rng.normal(size=3)
        r *= 3.0 / np.linalg.norm(r)
        state = model.state(base_position=r + np.array([1.0, 2.0, 3.0]), base_attitude=turn)
        udot = sd.simulate(model, state, 1e-9, elements=[element], record=[0.0])["udot"][0]
        places = turn.apply(at)
        forces = m[:, None] * np.array([zonal(r + p, **planet) for p in places])
        lone = m.sum() * zonal(r, **planet)
        force, moment = forces.sum(0), np.cross(places, forces).sum(0)
        inertia = turn.as_matrix() @ np.asarray(model.bodies[0].inertia) @ turn.as_matrix().T
        np.testing.assert_allclose(m.sum() * udot[:3], force, atol=3e-6 * np.linalg.norm(force - lone) + 1e-13 * 1e5)
        np.testing.assert_allclose(inertia @ udot[3:], moment, atol=1e-5 * np.linalg.norm(moment))
        assert np.linalg.norm(force - lone) > 1e-7 * np.linalg.norm(lone)


def test_energy_is_the_potential_of_the_point_masses():
    from orbital_accelerations import potential

    planet = {"j": {2: 0.3, 3: -0.2, 4: 0.25}, "mu": 1e5, "radius": 2.0, "axis": (0.0, 0.6, 0.8)}
    element = sd.ZonalGravity(j2=0.3, j3=-0.2, j4=0.25, mu=1e5, radius=2.0, axis=(0, 0.6, 0.8))
    model, at, m = octahedron(0.01)
    turn, r = sd.Rotation.from_rotvec([0.4, -0.2, 0.7]), np.array([1.0, 2.0, -1.5])
    state = model.state(base_position=r, base_attitude=turn)
    found = sd.simulate(model, state, 1e-9, elements=[element], record=[0.0])["element_energy"][0, 0]
    expected = sum(w * potential(r + p, **planet) for w, p in zip(m, turn.apply(at), strict=True))
    lone = m.sum() * potential(r, **planet)
    assert found - lone == pytest.approx(expected - lone, rel=1e-4)


def test_a_robot_flies_as_a_point_does_elsewhere():
    """Two revolutions of a small satellite, against SciPy's DOP853 of the same field in plain NumPy: 1 mm."""
    b = sd.Builder("small")
    b.base("small", mass=3.0, inertia=(0.01, 0.02, 0.025))
    model = b.build()
    start = sd.orbit.orbit_state(model, sd.orbit.OrbitalElements(7.0e6, 0.02, 1.1, 0.5, 0.7, 0.2))
    times = np.linspace(0.0, 12000.0, 7)
    run = sd.simulate(model, start, 12000.0, elements=[sd.CentralGravity(), sd.ZonalGravity()], record=times)
    expected = fly(lambda t, r, v: central(r) + zonal(r), start.base_position, start.base_velocity, times)
    np.testing.assert_allclose(run["base_position"], expected[:, :3], atol=1e-3)
    without = fly(lambda t, r, v: central(r) + zonal(r, j={2: J[2]}), start.base_position, start.base_velocity, times)
    assert np.abs(without[-1] - expected[-1]).max() > 10.0  # J3 and J4 are to be seen
    assert run.audit().energy < 1e-12


def test_the_node_drifts_at_its_secular_rate():
    """-3/2 n J2 (R/p)^2 cos i with the mean elements of nine revolutions; terms of J2^2 are some 1e-3 of it."""
    b = sd.Builder("small")
    b.base("small", mass=3.0, inertia=(0.01, 0.02, 0.025))
    model, a, e, i = b.build(), 7.2e6, 1e-3, 1.0
    start = sd.orbit.orbit_state(model, sd.orbit.OrbitalElements(a, e, i))
    field = [sd.CentralGravity(), sd.ZonalGravity(j3=0.0, j4=0.0)]
    n = sd.orbit.mean_motion(a)
    run = sd.simulate(model, start, 20.0 * np.pi / n, elements=field, record=20.0)
    elements = sd.orbit.to_elements(run["base_position"], run["base_velocity"])
    along = np.unwrap(np.asarray(elements.argument) + np.asarray(elements.anomaly))
    end = 18.0 * np.pi  # short-period terms are the same after whole revolutions
    slope = np.interp(end, along, np.unwrap(np.asarray(elements.node))) - np.unwrap(np.asarray(elements.node))[0]
    slope /= np.interp(end, along, run.time)
    whole = along <= end
    a, i = (np.asarray(one)[whole].mean() for one in (elements.semi_major_axis, elements.inclination))
    expected = -1.5 * sd.orbit.mean_motion(a) * J[2] * (6378136.3 / a) ** 2 * np.cos(i)
    assert slope == pytest.approx(expected, rel=1e-3)


def test_ten_orbits_of_a_robot_keep_energy():
    """Of an arm in a flattened Earth's field, and the part of momentum along the axis: 1e-10."""
    robot = sd.load("ets7")
    start = sd.orbit.orbit_state(
        robot, sd.orbit.OrbitalElements(6.928e6, inclination=0.611), q=[0.3, 0.4, -0.8, 0, 0, 0]
    )
    period = 2.0 * np.pi / sd.orbit.mean_motion(6.928e6)
    run = sd.simulate(robot, start, 10 * period, elements=[sd.CentralGravity(), sd.ZonalGravity()])
    energy = run.energy()
    total = energy.kinetic + energy.potential
    assert np.abs(total - total[0]).max() < 1e-10 * energy.kinetic.max()
    assert run.audit().worst < 1e-9
    along = sd.momentum(robot, run.states, about=np.zeros(3))[:, 5]
    assert np.abs(along - along[0]).max() < 1e-11 * abs(along[0])


@pytest.mark.parametrize(
    ("given", "words"),
    [({"axis": (0, 0, 0)}, "axis must be a direction"), ({"mu": -1.0}, "mu must be positive"), ({"j2": np.nan}, "j2")],
)
def test_what_is_refused(given, words):
    with pytest.raises(sd.InputError, match=words):
        sd.ZonalGravity(**given)
