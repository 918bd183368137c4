"""Loops, couplings, rolling, end stops and dry friction under time-stepping: closed forms, other ways to the same."""

import numpy as np
import pytest

import spacedyn as sd
from touching import G, one_body

pytestmark = pytest.mark.packs

DOWN = (0.0, 0.0, -G)
ROUGH = sd.ContactMaterial(1e6, friction=0.6)
ROD = {"mass": 1.0, "com": (0.5, 0, 0), "inertia": (1e-4, 1 / 12, 1 / 12)}


def step_through(model, start, duration, elements=(), step=2e-3, **others):
    given = {"gravity": DOWN, "budget": np.inf, "method": sd.TimeStepping(step), "record": duration / 4} | others
    return sd.simulate(model, start, duration, elements=elements, **given)


def flywheel(**joint):
    """A disc of 0.5 kg m² on a fixed base, about the vertical."""
    b = sd.Builder("flywheel", base="fixed")
    b.base("ground", mass=1.0, inertia=(0.1, 0.11, 0.12))
    b.link("disc", "revolute", parent="ground", axis=(0, 0, 1), mass=1.0, inertia=(0.3, 0.3, 0.5), **joint)
    return b.build()


# --- joints -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("e", [0.0, 0.5])
def test_an_end_stop_gives_back_what_it_is_told_to(e):
    """A wheel turns into its stop at 2 rad/s: it leaves at e times that, with the step after; energy as booked."""
    model = flywheel(lower=-1.0, upper=0.1, stop_stiffness=1e4)
    method = sd.TimeStepping(2e-3, stop_restitution=e)
    run = step_through(model, model.state(q=[0.0], qd=[2.0]), 0.2, method=method, record=2e-3)
    qd = run["u"][:, 0]
    assert run["q"].max() <= 0.1 + 1e-14 and qd[-1] == pytest.approx(-2.0 * e, abs=1e-12)
    assert run["dissipated"][-1, 0] == pytest.approx(0.25 * 4.0 * (1.0 - e * e), rel=1e-9)
    assert run.audit().energy < 1e-12
    if e == 0.0:  # held in its stop by a torque, it does not move
        push = sd.Motor("disc", stall_torque=10.0, name="motor")
        held = step_through(model, run.final, 0.2, [push], laws=[turn()])
        assert abs(held["u"]).max() < 1e-15 and held.final.q[0] == pytest.approx(0.1, abs=1e-14)


@sd.law
def turn(t, s, p, out):
    out.motor.torque[0] = 3.0


def test_dry_friction_of_a_joint_sticks_and_slides():
    """2 N m of friction: 1.9 does not move it at all; 3 N m turns it with (3 - 2) / I; then it stops, for good."""
    model = flywheel(friction=2.0)
    for torque, expected in ((1.9, 0.0), (3.0, 1.0 / 0.5)):
        run = step_through(model, model.state(), 1.0, [sd.Wrench("disc", moment=(0, 0, torque))])
        assert run.final.qd[0] == pytest.approx(expected, abs=1e-13)
    run = step_through(model, model.state(qd=[3.0]), 1.0, record=0.01)
    t, qd = run["t"][:, 0], run["u"][:, 0]
    np.testing.assert_allclose(qd, np.maximum(3.0 - 4.0 * t, 0.0), atol=1e-12)
    assert run["dissipated"][-1, 0] == pytest.approx(0.25 * 9.0, rel=1e-9) and abs(qd[-20:]).max() < 1e-15


def test_rolling_and_turning_are_resisted():
    """A ball slows by 5/7 g rho / R and comes to rest; one that spins by sigma m g / I. Both stay."""
    R, rho, sigma = 0.1, 2e-3, 1e-3
    ball = one_body(1.0, (4e-3, 4e-3, 4e-3))
    soft = sd.ContactMaterial(1e6, friction=0.6, rolling=rho, torsion=sigma)
    floor = sd.Contact("body", (0, 0, 0), radius=R, material=soft, name="floor")
    rolls = ball.state(base_position=[0, 0, R], base_velocity=[0.2, 0, 0], base_rate=[0, 2.0, 0])
    run = step_through(ball, rolls, 2.0, [floor], record=0.25)
    a, t = 5.0 / 7.0 * G * rho / R, run["t"][:, 0]
    np.testing.assert_allclose(run["u"][:, 0], np.maximum(0.2 - a * t, 0.0), atol=1e-11)
    assert abs(run["u"][-1]).max() < 1e-14 and run["element_dissipated"][-1, 0] == pytest.approx(0.7 * 0.04, rel=1e-9)
    spins = ball.state(base_position=[0, 0, R], base_rate=[0, 0, 3.0])
    run = step_through(ball, spins, 2.0, [floor], record=0.25)
    np.testing.assert_allclose(run["u"][:, 5], np.maximum(3.0 - sigma * G / 4e-3 * t, 0.0), atol=1e-11)
    audit = run.audit()
    assert max(audit.energy, audit.angular_momentum) < 1e-10 and abs(run["u"][-1]).max() < 1e-14


# --- rows -------------------------------------------------------------------------------------------------------------


def test_a_four_bar_swings_as_with_other_methods():
    """First order against DormandPrince8, closed to rounding."""
    b = sd.Builder("four-bar", "fixed")
    b.base("ground", massless=True)
    b.link("crank", "revolute", parent="ground", axis=(0, 1, 0), **ROD)
    b.link("coupler", "revolute", parent="crank", position=(1, 0, 0), axis=(0, 1, 0), **ROD)
    b.link("rocker", "revolute", parent="ground", position=(1.2, 0, 0), axis=(0, 1, 0), **ROD)
    robot = b.build()
    pin = sd.Loop("line", "coupler", "rocker", (1, 0, 0), (1, 0, 0), axis=(0, 1, 0), name="pin")
    start = sd.assemble(robot, robot.state(q=[-1.2, 1.2, -1.2], qd=[1.0, -1.0, 1.0]), [pin])
    exact = sd.simulate(robot, start, 0.3, elements=[pin], gravity=DOWN, record=[0.3]).final
    errors = []
    for step in (4e-3, 2e-3, 1e-3):
        run = step_through(robot, start, 0.3, [pin], step)
        errors.append(abs(run.final.q - exact.q).max())
        assert run["gap"].max() < 1e-12
    assert 1.9 < errors[0] / errors[1] < 2.1 and 1.9 < errors[1] / errors[2] < 2.1


def halves(joined):
    """A box of 2 kg: one body, or two halves of which one hangs free on the other, and a loop welds them."""
    size, half = (0.4, 0.2, 0.2), sd.shapes.box(1.0, (0.2, 0.2, 0.2))
    b = sd.Builder("halves")
    corners = [(x, y, z) for x in (-0.2, 0.2) for y in (-0.1, 0.1) for z in (-0.1, 0.1)]
    if joined:
        b.base("a", shapes=sd.shapes.box(2.0, size))
        parts = {"a": corners}
    else:
        b.base("a", shapes=half)
        b.link("b", "free", parent="a", shapes=half)
        shifted = [(x + 0.1, y, z) for x, y, z in corners if x < 0.0]
        parts = {"a": shifted, "b": [(x - 0.1, y, z) for x, y, z in corners if x > 0.0]}
    feet = [sd.Contact(name, points, material=ROUGH, name=f"feet_{name}") for name, points in parts.items()]
    return b.build(), feet


def test_halves_that_are_welded_fall_as_one_box():
    """A box tumbles onto the floor and comes to rest: two halves and a weld do as the whole does, to O(h)."""
    turn_, off = sd.Rotation.from_euler("yx", [0.5, 0.2]), []
    w, v = np.array([1.0, -2.0, 0.5]), np.array([0.4, 0.1, -1.0])
    for step in (2e-3, 1e-3):
        whole, feet = halves(True)
        start = whole.state(base_position=[0, 0, 0.3], base_attitude=turn_, base_velocity=v, base_rate=w)
        one = step_through(whole, start, 0.5, feet, step)
        model, feet = halves(False)
        weld = sd.Loop("weld", "b", "a", other_point=(0.2, 0, 0), name="weld")
        arm = turn_.apply([-0.1, 0, 0])
        moving = {"base_velocity": v + np.cross(w, arm), "base_rate": w}
        free = model.state(
            base_position=np.array([0, 0, 0.3]) + arm, base_attitude=turn_, q=[0.2, 0, 0, 0, 0, 0, 1], **moving
        )
        two = step_through(model, free, 0.5, [*feet, weld], step)
        middle = two.final.base_position - two.final.base_attitude.apply([-0.1, 0, 0])
        off.append(abs(middle - one.final.base_position).max())
        total = (two["feet_a.normal_force"].sum(axis=1) + two["feet_b.normal_force"].sum(axis=1))[-1]
        assert total == pytest.approx(one["feet_a.normal_force"][-1].sum(), rel=0.1)
        assert abs(two["gap"]).max() < 1e-11 and two.audit().linear_momentum < 2e-3
    assert off[1] < 0.7 * off[0] < 2e-3


def test_a_coupled_wheel_stops_its_partner():
    """Wheels of 0.5 and 0.125 kg m², geared 1 : 2: the first runs into its stop; both turn back, and all is booked."""
    b = sd.Builder("gear", base="fixed")
    b.base("ground", mass=1.0, inertia=(0.1, 0.11, 0.12))
    wheel = {"parent": "ground", "axis": (0, 0, 1), "mass": 1.0}
    b.link("a", "revolute", inertia=(0.3, 0.3, 0.5), lower=-1.0, upper=0.1, stop_stiffness=1e4, **wheel)
    b.link("b", "revolute", inertia=(0.1, 0.1, 0.125), **wheel)
    model, gear = b.build(), sd.Coupling(("b", "a"), (1.0, -2.0), name="gear")
    method = sd.TimeStepping(2e-3, stop_restitution=0.5)
    run = step_through(model, model.state(qd=[2.0, 4.0]), 0.2, [gear], method=method, record=2e-3)
    assert run.final.qd == pytest.approx([-1.0, -2.0], abs=1e-12)
    assert run["dissipated"][-1, 0] == pytest.approx(0.75 * (0.25 * 4.0 + 0.0625 * 16.0), rel=1e-9)
    assert abs(run["effort"]).max() * 2e-3 == pytest.approx(0.125 * 6.0, rel=1e-9)  # the impulse that turns b back


def test_a_wheel_that_rolls_is_stopped_by_a_wall():
    """Rolling rows and a wall: (m + I/r²) v is the wall's impulse, m v that of all; everything stands still then."""
    m, I, r, v, h = 2.0, 0.03, 0.2, 1.5, 2e-3
    b = sd.Builder("wheel")
    b.base("wheel", mass=m, inertia=(0.02, I, 0.02))
    model = b.build()
    rolls = sd.Rolling("wheel", r, axis=(0, 1, 0), name="rim")
    wall = sd.Contact(
        "wheel", (0, 0, 0), radius=r, surface=sd.Plane((-1, 0, 0), position=(0.5, 0, 0)),
        material=sd.ContactMaterial(1e6, friction=0.0), name="wall",
    )  # fmt: skip
    start = model.state(base_position=[0, 0, r], base_velocity=[v, 0, 0], base_rate=[0, v / r, 0])
    run = step_through(model, start, 0.4, [rolls, wall], h, record=h)
    assert abs(run.final.u).max() < 1e-12
    assert run["impulse"][-1, 0] == pytest.approx(-m * v, rel=1e-9)
    assert run["normal_force"][:, 1].sum() * h == pytest.approx((m + I / r**2) * v, rel=1e-9)
    audit = run.audit()
    assert max(audit.energy, audit.linear_momentum, audit.angular_momentum) < 1e-9


def hopper():
    """A trunk on a leg of two rods that a loop closes, with end stops, dry friction, a foot that resists rolling."""
    b = sd.Builder("hopper")
    b.base("trunk", mass=5.0, inertia=(0.1, 0.12, 0.08))
    rod = {"mass": 0.4, "com": (0, 0, -0.1), "inertia": (2e-3, 2e-3, 3e-4), "axis": (0, 1, 0)}
    turns = {"friction": 0.2, "lower": -0.9, "upper": 0.9, "stop_stiffness": 1e4}
    for name, x in (("left", 0.1), ("right", -0.1)):
        b.link(f"{name}_thigh", "revolute", parent="trunk", position=(x, 0, 0), **rod, **turns)
        b.link(f"{name}_shank", "revolute", parent=f"{name}_thigh", position=(0, 0, -0.2), **rod, damping=0.3)
    robot = b.build()
    knee = sd.Loop("line", "left_shank", "right_shank", (0, 0, -0.2), (0, 0, -0.2), axis=(0, 1, 0), name="pin")
    sole = sd.ContactMaterial(1e6, friction=0.6, rolling=2e-3)
    feet = [
        sd.Contact("left_shank", [(0, 0.05, -0.2), (0, -0.05, -0.2)], radius=0.02, material=sole, name="foot"),
        sd.Contact("trunk", [(x, y, 0) for x in (-0.2, 0.2) for y in (-0.1, 0.1)], material=ROUGH, name="trunk"),
    ]
    bent = robot.state(
        base_position=[0, 0, 0.45], base_velocity=[0.3, 0, -0.5], q=[-0.5, 0.8, 0.5, -0.8], base_rate=[0.1, 0.2, 0.1]
    )
    return robot, [*feet, knee], sd.assemble(robot, bent, [knee])


def test_all_at_once_in_packs_and_after_a_pause(tmp_path):
    """Robots that fall, fold into their stops and rub, each as if it were alone; and one that goes on from a file."""
    robot, elements, start = hopper()
    rng = np.random.default_rng(3)
    shift = np.zeros((3, robot.nv))
    shift[:, :3] = 0.02 * rng.normal(size=(3, 3))
    shift[:, 2] = abs(shift[:, 2])
    starts = start.integrate(shift)
    together = step_through(robot, starts, 0.5, elements, record=0.1)
    assert together["gap"].max() < 1e-9 and together["foot.normal_force"].max() > 1.0
    for i in (0, 2):
        alone = step_through(robot, starts[i], 0.5, elements, record=0.1)
        for name in ("x", "u", "dissipated", "element_dissipated"):
            assert np.array_equal(alone[name], together[name][:, i]), name
    part = step_through(robot, starts[0], 0.3, elements, record=0.1)
    part.save(tmp_path / "part.nc")
    on = sd.Run.load(tmp_path / "part.nc").resume(until=0.5)
    assert np.array_equal(on["x"][-1], together["x"][-1, 0]) and np.array_equal(on["u"][-1], together["u"][-1, 0])


def test_the_ledger_of_all_at_once_converges():
    robot, elements, start = hopper()
    audits = [step_through(robot, start, 0.4, elements, step, record=0.1).audit() for step in (2e-3, 1e-3, 5e-4)]
    for name in ("energy", "linear_momentum", "angular_momentum"):
        found = [getattr(audit, name) for audit in audits]
        assert found[2] < 0.4 * found[0] < 0.02, (name, found)
