"""Gravity of a planet: librations with known periods, ten orbits of a robot, millimetres at 7000 km."""

import math

import numba
import numpy as np
import pytest
from scipy.interpolate import CubicSpline, make_interp_spline
from scipy.optimize import brentq

import spacedyn as sd

MU = 3.986004418e14
RATE = 0.0011  # of the orbit [rad/s]
RADIUS = (MU / RATE**2) ** (1 / 3)
INERTIA = (12250.0, 12250.0, 500.0)


def period(t, angle):
    """Mean period of an oscillation, from its zeros."""
    curve = make_interp_spline(t, angle, k=7)
    changes = np.flatnonzero(np.sign(angle[:-1]) != np.sign(angle[1:]))
    zeros = [brentq(lambda x: float(curve(x)), t[i], t[i + 1], xtol=1e-9) for i in changes]
    assert len(zeros) > 4
    return 2.0 * (zeros[-1] - zeros[0]) / (len(zeros) - 1)


def satellite():
    b = sd.Builder("satellite")
    b.base("satellite", mass=1000.0, inertia=INERTIA)
    return b.build()


@pytest.mark.parametrize(("degrees", "expected", "tolerance"), [(0.01, 3367.252367, 1e-4), (5.0, 3373.674351, 2e-6)])
def test_pitch_libration(degrees, expected, tolerance):
    """I = (12250, 12250, 500), n = 0.0011: small, and at 5 deg by an elliptic integral; 0.01 deg adds 3e-5 s."""
    model = satellite()
    upright = sd.Rotation.from_matrix(np.column_stack([[0, 1, 0], [0, 0, 1], [1, 0, 0]]))  # its z axis points up
    state = model.state(
        base_position=[RADIUS, 0, 0],
        base_velocity=[0, RADIUS * RATE, 0],
        base_rate=[0, 0, RATE],
        base_attitude=sd.Rotation.from_rotvec([0, 0, np.radians(degrees)]) * upright,
    )
    run = sd.simulate(model, state, 20000.0, elements=[sd.CentralGravity()], record=20.0)
    up = run["base_position"] / np.linalg.norm(run["base_position"], axis=1)[:, None]
    ahead = np.cross([0, 0, 1.0], up)
    axis = run.states.base_attitude.as_matrix()[:, :, 2]
    angle = np.arctan2((axis * ahead).sum(1), (axis * up).sum(1))
    assert period(run.time, angle) == pytest.approx(expected, abs=tolerance)
    assert run.audit().worst < 1e-10


def test_roll_libration():
    """Pitch and yaw held by a carrier on a circle: pi / (n sqrt((Iy - Iz) / Ix)). Left free, yaw couples with roll."""
    b = sd.Builder("carrier", base="fixed")
    b.base("pole", mass=1.0, inertia=(1, 2, 2.5))  # not at the planet's centre, where its weight would be infinite
    b.link("orbit", parent="pole", position=(0, 0, 6e6), mass=1.0, inertia=(1, 2, 2.5), com=(RADIUS, 0, 0))
    inertia = (INERTIA[2], INERTIA[0], INERTIA[1])  # its long axis is x, which points up
    b.link("roll", parent="orbit", position=(RADIUS, 0, 0), axis=(0, 1, 0), mass=1000.0, inertia=inertia)
    model = b.build()
    angle = np.radians(0.01)
    state = model.state(q={"roll": angle}, qd={"orbit": RATE}, base_position=[0, 0, -6e6])
    run = sd.simulate(
        model,
        state,
        20000.0,
        elements=[sd.CentralGravity()],
        prescribed={"orbit": CubicSpline([0.0, 20000.0], [0.0, 20000.0 * RATE])},
        record=20.0,
    )
    assert period(run.time, run["q"][:, 1]) == pytest.approx(2916.126091, abs=1e-4)


def test_ten_orbits_of_a_robot_keep_energy_and_momentum():
    robot, r = sd.load("ets7"), 6.928e6
    speed = np.sqrt(MU / r)
    state = robot.state(
        base_position=[r, 0, 0],
        base_velocity=[0, speed, 0],
        base_rate=[0, 0, speed / r],
        q=[0.3, 0.4, -0.8, 0.2, 0.4, 0.1],
    )
    run = sd.simulate(robot, state, 20 * np.pi * r / speed, elements=[sd.CentralGravity()])
    audit = run.audit()
    assert audit.energy < 1e-10 and audit.linear_momentum < 1e-10 and audit.angular_momentum < 1e-9
    energy = run.energy()
    total = energy.kinetic + energy.potential
    assert np.abs(total - total[0]).max() < 1e-12 * energy.kinetic.max()
    about_planet = sd.momentum(robot, run.states, about=np.zeros(3))[:, 3:]
    assert np.abs(about_planet - about_planet[0]).max() < 1e-12 * np.linalg.norm(about_planet[0])


# --- small motions far from the planet -------------------------------------------------------------------------------


def slider():
    """A bus with a mass that it moves by millimetres."""
    b = sd.Builder("slider")
    b.base("bus", mass=200.0, inertia=(30.0, 40.0, 50.0))
    b.link(
        "hand", "prismatic", parent="bus", position=(1.5, 0, 0), axis=(0.6, 0.8, 0), mass=8.0, inertia=(0.1, 0.2, 0.25)
    )
    return b.build()


@numba.njit
def push(R, d, A, m, J, mu, force, moment):
    square = R[0] ** 2 + R[1] ** 2
    x = (d[0] * (d[0] + 2 * R[0]) + d[1] * (d[1] + 2 * R[1]) + d[2] * d[2]) / square
    near = (1 + x) ** -1.5
    f = -x * (3 + 3 * x + x * x) / (1 + (1 + x) ** 1.5) * near  # (1 + x)^-1.5 - 1
    k = mu / square**1.5
    e = (R + d) / math.sqrt(square * (1 + x))
    for i in range(3):
        force[i] = -m * k * (f * R[i] + near * d[i])
    inside = A.T @ e
    h = A @ (J * inside)
    moment[0] = 3 * k * near * (e[1] * h[2] - e[2] * h[1])
    moment[1] = 3 * k * near * (e[2] * h[0] - e[0] * h[2])
    moment[2] = 3 * k * near * (e[0] * h[1] - e[1] * h[0])


@sd.element(points=("bus", "hand"))
def tide(t, s, p, out):
    """Gravity less that at the freely falling origin, by Encke's form; within a body its gradient's moment."""
    R = p.radius * np.array([math.cos(p.rate * t), math.sin(p.rate * t), 0.0])
    push(R, s.bus.position, s.bus.rotation, p.mass[0], p.bus_inertia, p.mu, out.bus.force, out.bus.moment)
    push(R, s.hand.position, s.hand.rotation, p.mass[1], p.hand_inertia, p.mu, out.hand.force, out.hand.moment)


@sd.law
def nudge(t, s, p, out):
    out.tau[0] = p.k * (p.size * math.sin(p.rate * t) - s.q[0]) - p.d * s.qd[0]


def test_millimetres_are_resolved_at_7000_km():
    """The hand's motion seen from the bus is that about a freely falling origin under the tide alone."""
    model, r = slider(), 7.0e6
    n = np.sqrt(MU / r**3)
    laws = [nudge(k=20.0, d=8.0, size=2e-3, rate=0.7)]
    com = sd.center_of_mass(model, model.neutral_state())
    there = model.state(base_position=[r, 0, 0] - com, base_velocity=[0, n * r, 0])
    far = sd.simulate(model, there, 60.0, laws=laws, elements=[sd.CentralGravity()], record=0.5)
    inertia = {"bus_inertia": (30.0, 40.0, 50.0), "hand_inertia": (0.1, 0.2, 0.25)}
    pull = tide(bus="bus", hand="hand", radius=r, rate=n, mu=MU, mass=[200.0, 8.0], **inertia)
    near = sd.simulate(model, model.state(base_position=-com), 60.0, laws=laws, elements=[pull], record=0.5)
    assert 1e-3 < np.abs(near["q"]).max() < 1e-2
    np.testing.assert_allclose(far["q"], near["q"], rtol=0, atol=1e-9)
    still = sd.simulate(model, model.state(base_position=-com), 60.0, laws=laws, record=0.5)
    assert np.abs(still["q"] - near["q"]).max() > 1e-7  # the tide is to be seen
    turn = (far.states.base_attitude * near.states.base_attitude.inv()).magnitude()
    assert turn.max() < 1e-9
