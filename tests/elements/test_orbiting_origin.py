"""A frame that falls along an orbit: digits that survive, everything else as in absolute positions."""

import math

import mpmath
import numpy as np
import pytest

import spacedyn as sd

pytestmark = pytest.mark.packs
MU = 3.986004418e14
EPOCH = "2026-03-01T00:00:00"


def dot(com=(0.0, 0.0, 0.0)):
    b = sd.Builder("dot")
    b.base("dot", mass=2.0, inertia=(1e-6, 1.2e-6, 1.5e-6), com=com)
    return b.build()


def kepler(r, v, t):
    """A fall from r, v by universal variables, in fifty digits."""
    with mpmath.workdps(50):
        r, v, mu, t = [mpmath.mpf(x) for x in r], [mpmath.mpf(x) for x in v], mpmath.mpf(MU), mpmath.mpf(t)
        size = mpmath.sqrt(sum(x * x for x in r))
        a = 1 / (2 / size - sum(x * x for x in v) / mu)
        s = sum(x * y for x, y in zip(r, v, strict=True)) / mpmath.sqrt(mu * a)
        n = mpmath.sqrt(mu / a**3)

        def off(E):  # change of eccentric anomaly
            return E + s * (1 - mpmath.cos(E)) - (1 - size / a) * mpmath.sin(E) - n * t

        E = mpmath.findroot(off, n * t)
        f = 1 - a / size * (1 - mpmath.cos(E))
        g = t - (E - mpmath.sin(E)) / n
        return [f * x + g * y for x, y in zip(r, v, strict=True)]


def test_neighbours_keep_nanometres_over_an_orbit():
    """Two Kepler orbits a metre apart, their difference in fifty digits: 1e-9 m after a revolution."""
    r, v = sd.orbit.from_elements(sd.orbit.OrbitalElements(7.0e6, 0.05, 0.9, 0.3, 0.8, 0.1))
    d, w = np.array([0.7, -0.6, 0.4]), np.array([1e-4, 2e-4, -1.5e-4])
    model = dot()
    state = model.state(base_position=d, base_velocity=w)
    end = 5800.0
    run = sd.simulate(model, state, end, elements=[sd.CentralGravity(), sd.OrbitingOrigin(r, v)], record=[0.0, end])
    with mpmath.workdps(50):
        start = [mpmath.mpf(float(x)) + mpmath.mpf(float(y)) for x, y in zip(r, d, strict=True)]
        speed = [mpmath.mpf(float(x)) + mpmath.mpf(float(y)) for x, y in zip(v, w, strict=True)]
        apart = [float(x - y) for x, y in zip(kepler(start, speed, end), kepler(r, v, end), strict=True)]
    assert np.linalg.norm(apart) > 1.0
    np.testing.assert_allclose(run["base_position"][-1], apart, rtol=0, atol=1e-9)


def slider(stiffness=0.0):
    b = sd.Builder("slider")
    b.base("bus", mass=200.0, inertia=(30.0, 40.0, 50.0))
    b.link(
        "hand",
        "prismatic",
        parent="bus",
        position=(1.5, 0, 0),
        axis=(0.6, 0.8, 0),
        mass=8.0,
        inertia=(0.1, 0.2, 0.25),
        stiffness=stiffness,
    )
    return b.build()


@sd.law
def nudge(t, s, p, out):
    out.tau[0] = p.k * (p.size * math.sin(p.rate * t) - s.q[0]) - p.d * s.qd[0]


def test_a_millimetre_of_an_arm_at_7000_km():
    """The hand of a slider that a law moves by 2 mm: as in absolute positions to 1e-9 m for a minute, and as with ten
    times smaller tolerances to 1e-11 m for a revolution.
    """
    model = slider()
    r, v = sd.orbit.from_elements(sd.orbit.OrbitalElements(7.0e6, 0.01, 0.5))
    com = sd.center_of_mass(model, model.neutral_state())
    laws = [nudge(k=20.0, d=8.0, size=2e-3, rate=0.7)]
    far = sd.simulate(
        model,
        model.state(base_position=r - com, base_velocity=v),
        60.0,
        laws=laws,
        elements=[sd.CentralGravity()],
        record=1.0,
    )
    elements, near = [sd.CentralGravity(), sd.OrbitingOrigin(r, v)], model.state(base_position=-com)
    run = sd.simulate(model, near, 60.0, laws=laws, elements=elements, record=1.0)
    assert 1e-3 < np.abs(run["q"]).max() < 1e-2
    np.testing.assert_allclose(run["q"], far["q"], rtol=0, atol=1e-9)
    tight = sd.DormandPrince8(rtol=1e-12, atol=1e-13)
    ends = [
        sd.simulate(model, near, 5800.0, laws=laws, elements=elements, record=[5800.0], **more)
        for more in ({}, {"method": tight})
    ]
    np.testing.assert_allclose(ends[0]["q"], ends[1]["q"], rtol=0, atol=1e-11)
    np.testing.assert_allclose(ends[0]["base_position"], ends[1]["base_position"], rtol=0, atol=1e-9)


def everything(body):
    plates = sd.orbit.box_plates((2.0, 2.0, 2.5))
    return [
        sd.CentralGravity(),
        sd.ZonalGravity(),
        sd.ThirdBody("sun", epoch=EPOCH),
        sd.ThirdBody("moon", epoch=EPOCH),
        sd.AtmosphericDrag(body, *plates, air="harris_priester", epoch=EPOCH),
        sd.SolarPressure(body, *plates, specular=0.2, diffuse=0.3, epoch=EPOCH),
    ]


def test_everything_acts_as_in_absolute_positions():
    """An arm under all that there is in orbit, a revolution at 400 km: places to 0.1 mm, joints to 1e-9 rad."""
    robot, q = slider(stiffness=0.05), [0.1]
    elements = sd.orbit.OrbitalElements(6.778e6, 1e-3, 0.9, 0.3)
    far = sd.orbit.orbit_state(robot, elements, q=q)
    r, v = sd.orbit.from_elements(elements)
    com = sd.center_of_mass(robot, robot.state(q=q))
    acting = everything("bus")
    one = sd.simulate(robot, far, 5600.0, elements=acting, record=700.0)
    near = robot.state(base_position=-com, q=q)
    other = sd.simulate(robot, near, 5600.0, elements=[*acting, sd.OrbitingOrigin(r, v)], record=700.0)
    place = other["orbiting_origin.position"] + other["base_position"]
    np.testing.assert_allclose(place, one["base_position"], atol=1e-4)
    np.testing.assert_allclose(other["q"], one["q"], atol=1e-9)
    np.testing.assert_allclose(other["density"][:, 4], one["density"][:, 4], rtol=1e-9)
    assert np.abs(other["base_position"][-1]).max() > 5.0  # drag leaves it behind
    assert one.audit().worst < 1e-9 and other.audit().worst < 1e-8


def test_ten_orbits_keep_the_energy_of_the_whole_robot():
    """Kinetic energy and potential from the planet's centre, put together from the origin's orbit: 1e-10."""
    robot = sd.load("ets7")
    elements = sd.orbit.OrbitalElements(6.928e6, 0.01, 0.611)
    r, v = sd.orbit.from_elements(elements)
    period = 2.0 * np.pi / sd.orbit.mean_motion(6.928e6)
    state = robot.state(q=[0.3, 0.4, -0.8, 0.2, 0.4, 0.1])
    run = sd.simulate(
        robot, state, 10 * period, elements=[sd.CentralGravity(), sd.OrbitingOrigin(r, v)], record=period / 20
    )
    assert run.audit().energy < 1e-8  # relative to some joules
    absolute = robot.state(
        base_position=run["base_position"] + run["orbiting_origin.position"],
        base_velocity=run["base_velocity"] + run["orbiting_origin.velocity"],
        base_attitude=run.states.base_attitude,
        base_rate=run["base_rate"],
        q=run["q"],
        qd=run["qd"],
    )
    kinetic = sd.kinetic_energy(robot, absolute)
    stored = [
        sd.simulate(robot, absolute[i], 1e-9, elements=[sd.CentralGravity()], record=[0.0])["element_energy"][0, 0]
        for i in range(0, len(run.time), 40)
    ]
    total = kinetic[::40] + stored
    assert np.abs(total - total[0]).max() < 1e-10 * kinetic.max()


def test_a_batch_is_its_robots():
    """Robots at different places of one frame, in packs: as each alone."""
    model = slider()
    r, v = sd.orbit.from_elements(sd.orbit.OrbitalElements(6.778e6, 0.0, 0.9))
    rng = np.random.default_rng(1)
    states = model.state(base_position=rng.normal(size=(5, 3)), base_velocity=1e-3 * rng.normal(size=(5, 3)))
    acting = [*everything("bus"), sd.OrbitingOrigin(r, v)]
    together = sd.simulate(model, states, 300.0, elements=acting, record=100.0)
    for i in (0, 4):
        alone = sd.simulate(model, states[i], 300.0, elements=acting, record=100.0)
        np.testing.assert_allclose(together["base_position"][:, i], alone["base_position"], rtol=0, atol=1e-9)


def test_where_the_origin_starts_may_differ_from_robot_to_robot():
    model = dot()
    r, v = sd.orbit.from_elements(sd.orbit.OrbitalElements(7e6))
    other = np.array([r, 1.1 * r])
    states = model.state(base_position=np.zeros((2, 3))).with_internal({"orbiting_origin.position": other})
    run = sd.simulate(model, states, 60.0, elements=[sd.CentralGravity(), sd.OrbitingOrigin(r, v)], record=30.0)
    fall = run["orbiting_origin.position"][-1, :, 0] - other[:, 0]
    np.testing.assert_allclose(fall, -0.5 * MU / other[:, 0] ** 2 * 60.0**2, rtol=1e-3)


def test_methods_agree():
    model = slider()
    r, v = sd.orbit.from_elements(sd.orbit.OrbitalElements(6.778e6, 0.0, 0.9))
    acting = [*everything("bus"), sd.OrbitingOrigin(r, v)]
    state = model.state(base_position=[1.0, 2.0, 3.0], q=[0.01])
    runs = [
        sd.simulate(model, state, 120.0, elements=acting, record=[120.0], method=method)
        for method in (sd.DormandPrince8(), sd.Radau5(rtol=1e-9, atol=1e-11), sd.RungeKutta4(step=0.5))
    ]
    for other in runs[1:]:
        np.testing.assert_allclose(other["base_position"], runs[0]["base_position"], rtol=0, atol=1e-7)
        origins = [one["orbiting_origin.position"] for one in (runs[0], other)]
        np.testing.assert_allclose(*origins, rtol=1e-10)


def test_what_is_refused():
    r, v = [7e6, 0, 0], [0, 7.5e3, 0]
    with pytest.raises(sd.InputError, match="inside the planet of radius 6378 km"):
        sd.OrbitingOrigin([6.0e6, 0, 0], v)
    with pytest.raises(sd.InputError, match="identifier"):
        sd.OrbitingOrigin(r, v, name="my origin")
    with pytest.raises(sd.InputError, match="one origin"):
        two = [sd.OrbitingOrigin(r, v), sd.OrbitingOrigin(r, v, name="b")]
        sd.simulate(dot(), dot().neutral_state(), 1.0, elements=two)


def test_an_origin_that_meets_the_earth_is_reported():
    """Perigee 100 km under the ground: by name, and at the time that Kepler's equation gives."""
    elements = sd.orbit.OrbitalElements(6.6e6, 0.05, anomaly=np.pi)
    r, v = sd.orbit.from_elements(elements)
    cosine = ((1 - 0.05**2) * 6.6e6 / 6378137.0 - 1) / 0.05
    down = sd.orbit.mean_anomaly(2 * np.pi - np.arccos(cosine), 0.05) - np.pi
    expected = float(down) / sd.orbit.mean_motion(6.6e6)
    for origin in (True, False):
        event = sd.Event(sd.altitude_reaches(0.0, origin=origin), direction=-1, terminal=True, name="meets the Earth")
        acting = [sd.CentralGravity(), *([sd.OrbitingOrigin(r, v)] if origin else [])]
        start = dot().neutral_state() if origin else dot().state(base_position=r, base_velocity=v)
        run = sd.simulate(dot(), start, 6000.0, elements=acting, events=[event])
        assert (run.status, run.events[0].name) == ("event", "meets the Earth")
        assert run.events[0].time == pytest.approx(expected, abs=1e-4)


def test_far_from_the_origin():
    """A neighbour 2000 km away, where Encke's series has all its terms: as in absolute positions, 1 mm."""
    r, v = sd.orbit.from_elements(sd.orbit.OrbitalElements(8.0e6, 0.05, 0.9))
    d, w = np.array([1.2e6, -1.0e6, 1.3e6]), np.array([300.0, 200.0, -400.0])
    one = sd.simulate(
        dot(), dot().state(base_position=d, base_velocity=w), 2000.0,
        elements=[sd.CentralGravity(), sd.OrbitingOrigin(r, v)], record=[2000.0],
    )  # fmt: skip
    far = dot().state(base_position=r + d, base_velocity=v + w)
    other = sd.simulate(dot(), far, 2000.0, elements=[sd.CentralGravity()], record=[2000.0])
    place = one["base_position"][-1] + one["orbiting_origin.position"][-1]
    np.testing.assert_allclose(place, other["base_position"][-1], rtol=0, atol=1e-3)


def test_a_fall_into_the_centre_names_its_cause():
    """Dropped from rest without an event: 1030 s later, by Kepler's law, pi/4 sqrt(r^3 / 2 mu) 2."""
    with pytest.raises(sd.SimulationFailed, match=r"from the centre of 'central gravity': the orbit has met") as caught:
        sd.simulate(dot(), dot().state(base_position=[7e6, 0, 0]), 3000.0, elements=[sd.CentralGravity()])
    assert caught.value.time == pytest.approx(np.pi / 2 * np.sqrt((7e6) ** 3 / (2 * MU)), rel=1e-3)


def test_modes_and_propellant_fall_along():
    """Flexible panels feel the differences of gravity, whose work on their bending is in the ledger: 1e-9."""
    robot = sd.load("ets7")
    r, v = sd.orbit.from_elements(sd.orbit.OrbitalElements(6.778e6, 1e-3, 0.9))
    panel = sd.ModalAppendage(
        "base", [0.1, 0.15], delta0=[[0, 0, 6.0], [3.0, 0, 0]], delta1=[[10.0, 0, 0], [0, 5.0, 0]], name="panel"
    )
    tank = sd.Tank("base", 100.0, position=(0.3, 0.2, -0.5), name="main")
    fields = [sd.CentralGravity(), sd.ZonalGravity(), sd.ThirdBody("moon"), sd.OrbitingOrigin(r, v)]
    state = robot.state(q=[0.3, 0.4, -0.8, 0.2, 0.4, 0.1], base_position=[5.0, -3.0, 2.0])
    for carried in ([panel], [panel, tank]):
        run = sd.simulate(robot, state, 60.0, elements=[*fields, *carried], record=5.0)
        assert run.audit().worst < 1e-9
