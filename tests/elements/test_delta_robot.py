"""A Delta robot on six rods: inverse kinematics in closed form, its fall, and the singular position that ends it."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import spacedyn as sd
from spacedyn.simulate.lost_rank import singular_note

G, BASE, PLATE, ARM, ROD, HALF = 9.81, 0.2, 0.05, 0.3, 0.6, 0.04  # rods of a pair are 2 HALF apart
MASS, ARM_MASS = 0.5, 0.3
SIDES = [sd.Rotation.from_euler("z", 120.0 * i, degrees=True).as_matrix() for i in range(3)]
TARGET = np.array([0.05, -0.08, -0.55])


@pytest.fixture(scope="module")
def delta():
    """Three arms on motors, a plate, and two parallel rods without mass between it and each arm."""
    b = sd.Builder("delta", "fixed")
    b.base("ground", massless=True)
    b.link("plate", "free", parent="ground", mass=MASS, inertia=(1e-3, 1.1e-3, 2e-3))
    bar = ARM_MASS * ARM**2 / 12
    for i, R in enumerate(SIDES):
        place = {"position": R @ [BASE, 0, 0], "rotation": R, "axis": (0, 1, 0)}
        arm = {"mass": ARM_MASS, "com": (ARM / 2, 0, 0), "inertia": (1e-5, bar, bar)}
        b.link(f"arm{i}", "revolute", parent="ground", **place, **arm)
    rods = [
        sd.Loop("distance", "plate", f"arm{i}", R @ [PLATE, y, 0], (ARM, y, 0), length=ROD, name=f"rod{i}{side}")
        for i, R in enumerate(SIDES)
        for side, y in (("a", -HALF), ("b", HALF))
    ]
    return b.build(), rods


def angle(R, place):
    """Of an arm, for the place of the plate: where a circle meets a sphere, the outer one of two."""
    x, _, z = p = R.T @ place + [PLATE - BASE, 0, 0]
    turns = np.arctan2(z, -x) + np.array([1, -1]) * np.arccos((ROD**2 - p @ p - ARM**2) / (2 * ARM * np.hypot(x, z)))
    turns = (turns + np.pi) % (2 * np.pi) - np.pi
    return turns[np.argmin(np.abs(turns))]


def held_at(delta, place):
    model, rods = delta
    rough = {f"arm{i}": angle(R, place) + 0.1 for i, R in enumerate(SIDES)}
    state = model.state(q={"plate": [*place, 0, 0, 0, 1], **rough})
    return sd.assemble(model, state, [*rods, sd.LockedJoint("plate")])


@pytest.mark.parametrize("place", [TARGET, (0.0, 0.0, -0.6), (-0.12, 0.1, -0.5)])
def test_assembled_arms_have_the_angles_of_the_closed_form(delta, place):
    model, rods = delta
    found = held_at(delta, place)
    arms = [found.q[model.q_slice(f"arm{i}")][0] for i in range(3)]
    np.testing.assert_allclose(arms, [angle(R, np.array(place)) for R in SIDES], atol=1e-12)
    mobility = sd.constraints.mobility(model, found, rods)
    assert (mobility.freedom, mobility.rank) == (3, 6)


def sliding_plate(t, y):
    """The plate cannot turn: three rods to it, held by multipliers; y = (place, arms, and their rates)."""
    p, q, v, w = y[:3], y[3:6], y[6:9], y[9:]
    J, bias, force = np.zeros((3, 6)), np.zeros(3), np.array([0, 0, -MASS * G, *(ARM_MASS * G * ARM / 2 * np.cos(q))])
    for i, R in enumerate(SIDES):
        c, s = ARM * np.cos(q[i]), ARM * np.sin(q[i])
        rod, along = p + R @ [PLATE - BASE - c, 0, s], R @ [-s, 0, -c]
        J[i, :3], J[i, 3 + i] = rod, -rod @ along
        bias[i] = -np.sum((v - along * w[i]) ** 2) + rod @ R @ [-c, 0, s] * w[i] ** 2
    H = np.diag([MASS] * 3 + [ARM_MASS * ARM**2 / 3] * 3)
    system = np.block([[H, J.T], [J, np.zeros((3, 3))]])
    return np.concatenate([y[6:], np.linalg.solve(system, np.concatenate([force, bias]))[:6]])


def falls(delta, duration, method):
    """A run, and the other equations' solution at its times."""
    model, rods = delta
    down = {"gravity": (0, 0, -G), "record": 0.1}
    run = sd.simulate(model, held_at(delta, TARGET), duration, elements=rods, method=method, **down)
    start = np.concatenate([TARGET, [angle(R, TARGET) for R in SIDES], np.zeros(6)])
    times = {"t_eval": run.time, "rtol": 1e-12, "atol": 1e-13}
    return run, solve_ivp(sliding_plate, (0, duration), start, "DOP853", **times).y.T


def test_it_falls_as_a_plate_that_cannot_turn(delta):
    run, exact = falls(delta, 0.5, sd.DormandPrince8(rtol=1e-11, atol=1e-12))
    np.testing.assert_allclose(run["q"][:, :3], exact[:, :3], atol=1e-10)
    np.testing.assert_allclose(run["q"][:, 7:], exact[:, 3:6], atol=1e-9)
    np.testing.assert_allclose(run["q"][:, 3:6], 0.0, atol=1e-13)
    assert run.audit().within_budget


def test_a_singular_position_is_stepped_over(delta):
    """Where the moments of the three pairs of rods lie in a plane, at 0.5647 s, forces are infinite."""
    run, exact = falls(delta, 1.0, sd.DormandPrince8(rtol=1e-8, atol=1e-8))
    np.testing.assert_allclose(run["q"][-1, :3], exact[-1, :3], atol=1e-6)


def test_a_run_that_ends_at_a_singular_position_names_its_loops(delta):
    """Tighter tolerances end there, or do not, by rounding: so what is said is asked for at states of the motion."""
    model, _ = delta
    run, _ = falls(delta, 0.1, sd.DormandPrince8())
    start = np.concatenate([TARGET, [angle(R, TARGET) for R in SIDES], np.zeros(6)])
    motion = solve_ivp(sliding_plate, (0, 0.57), start, "DOP853", rtol=1e-12, atol=1e-13, dense_output=True).sol

    def said(t):
        state = model.state(q=[*motion(t)[:3], 0, 0, 0, 1, *motion(t)[3:6]])
        return singular_note(run.simulation, SimpleNamespace(robots=1, first=0, state=lambda: state), t)

    assert said(0.4) == said(0.5) == ""
    assert said(0.564712).startswith("a singular position, where rows of 'rod0a', 'rod0b', 'rod1a', 'rod1b', 'rod2a', ")
