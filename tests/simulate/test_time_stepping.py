"""Time-stepping through rigid contact: closed forms, Coulomb's law by a second route, energy, packs, files."""

import numpy as np
import pytest
from benchmarks import stepping

import every_touch
import spacedyn as sd
from touching import G, box_on_slope, one_body

pytestmark = pytest.mark.packs

DOWN = (0.0, 0.0, -G)
ROUGH = sd.ContactMaterial(1e6, friction=0.6)
GROUND = sd.RoughGround((6.0, 6.0), spacing=0.1, roughness=0.04, seed=2)
SURFACES = {
    "plane": sd.Plane((0.1, -0.2, 1.0)),
    "sphere": sd.SphereSurface(4.0, position=(0, 0, -4.0)),
    "bowl": sd.SphereSurface(3.0, hollow=True, position=(0, 0, 3.0)),
    "ellipsoid": sd.EllipsoidSurface((5.0, 4.0, 3.0), position=(0, 0, -3.0)),
    "ground": GROUND,
}


def step_through(model, start, duration, elements, step=1e-3, **others):
    given = {"gravity": DOWN, "budget": np.inf, "method": sd.TimeStepping(step)} | others
    return sd.simulate(model, start, duration, elements=elements, **given)


def on_slope(angle, friction):
    """A box at rest on a slope, which it touches with four corners, and the direction down the slope."""
    box, feet, _, down = box_on_slope(angle, friction)
    turn = sd.Rotation.from_euler("y", angle)
    return box, feet, box.state(base_position=turn.apply([0, 0, 0.1]), base_attitude=turn), down


def walker():
    """A trunk on two legs of two joints, with round feet."""
    b = sd.Builder("walker")
    b.base("trunk", mass=5.0, inertia=(0.1, 0.12, 0.08))
    for name, y in (("left", 0.15), ("right", -0.15)):
        b.link(
            f"{name}_thigh", "revolute", parent="trunk", position=(0, y, 0), axis=(0, 1, 0), mass=1.0,
            com=(0, 0, -0.1), inertia=(4e-3, 4e-3, 1e-3), damping=0.5,
        )  # fmt: skip
        b.link(
            f"{name}_shank", "revolute", parent=f"{name}_thigh", position=(0, 0, -0.25), axis=(0, 1, 0), mass=0.4,
            com=(0.01, 0, -0.1), inertia=(2e-3, 2e-3, 3e-4), damping=0.5,
        )  # fmt: skip
    robot = b.build()
    feet = [
        sd.Contact(f"{name}_shank", [(0, 0, -0.2), (0.1, 0, -0.2)], radius=0.02, material=ROUGH, name=name)
        for name in ("left", "right")
    ]
    start = robot.state(
        base_position=[0, 0, 0.475], base_velocity=[0.3, 0.1, -0.6], base_rate=[0.2, 0.1, -0.3],
        q=[0.1, -0.2, -0.15, 0.1], qd=[0.5, 0.0, -0.4, 0.2],
    )  # fmt: skip
    return robot, feet, start


# --- closed forms -----------------------------------------------------------------------------------------------------


def test_a_box_below_the_friction_angle_does_not_creep():
    """1000 s on a slope of 25°, friction 0.5 (26.6°): below 1e-12 m/s at every moment, 1e-9 m in all."""
    box, feet, start, _ = on_slope(np.radians(25.0), 0.5)
    run = step_through(box, start, 1000.0, [feet], 5e-3, record=1.0)
    assert abs(run["u"]).max() < 1e-12
    assert abs(run.final.base_position - start.base_position).max() < 1e-9
    assert abs(run["feet.normal_force"].sum(axis=1)[1:] - G * np.cos(np.radians(25.0))).max() < 1e-9


def test_rounding_alone_does_not_warn():
    """A box at rest has no energy but rounding; its audit is good for 20 s, and one that is wrong is not."""
    box, feet, start, _ = on_slope(np.radians(25.0), 0.5)
    run = step_through(box, start, 20.0, [feet], 5e-3, record=1.0, budget=1e-7)
    assert run.audit().worst < 1e-12
    run._ledger[:] = 1e-3  # all that it knows: energy that is off by a millijoule
    assert not run.audit().within_budget


def test_a_ledger_that_is_off_by_the_first_order_is_called_so():
    ball = one_body()
    floor = sd.Contact("body", (0, 0, 0), radius=0.1, material=ROUGH, name="floor")
    start = ball.state(base_position=[0, 0, 0.3], base_velocity=[1.0, 0, 0])
    with pytest.warns(sd.RunWarning, match=r"of the first order, and a step of 0.001 s .* by budget=0\.\d+, else"):
        step_through(ball, start, 0.3, [floor], budget=1e-7)


@pytest.mark.filterwarnings("error")
def test_the_budget_is_that_of_the_first_order_unless_one_is_given():
    """Ten times the step: a ball that falls and a walker are within it at any step, and would not be at a hundredth."""
    robot, feet, start = walker()
    ball = one_body()
    floor = [sd.Contact("body", (0, 0, 0), radius=0.1, material=ROUGH, name="floor")]
    falls = ball.state(base_position=[0, 0, 0.3], base_velocity=[1.0, 0, 0])
    for step in (2e-3, 1e-3):
        for one, state, elements in ((ball, falls, floor), (robot, start, feet)):
            audit = step_through(one, state, 0.3, elements, step, budget=None).audit()
            assert audit.budget == pytest.approx(10.0 * step) and 0.01 * audit.budget < audit.worst < audit.budget
    assert step_through(ball, falls, 0.1, floor, budget=0.5).audit().budget == 0.5
    assert sd.RungeKutta4(1e-3).budget == sd.DormandPrince8().budget == 1e-7


@pytest.mark.parametrize("step", [4e-3, 2e-3])
def test_a_box_above_it_slides_with_the_acceleration_of_the_closed_form(step):
    """Velocities are exact; positions of the first order are ahead by a h t / 2, and no more."""
    angle, mu, t = np.radians(35.0), 0.4, 2.0
    box, feet, start, down = on_slope(angle, mu)
    last = step_through(box, start, t, [feet], step, record=[t]).final
    a = G * (np.sin(angle) - mu * np.cos(angle))
    assert last.base_velocity @ down == pytest.approx(a * t, rel=1e-10)
    moved = (last.base_position - start.base_position) @ down
    assert moved == pytest.approx(0.5 * a * t * (t + step), rel=1e-10)
    assert abs(last.base_rate).max() < 1e-9


def test_a_ball_slides_and_then_rolls():
    """It rolls with 5/7 of its speed from 2 v / 7 mu g on; what it loses is what the ledger books."""
    mu, v, R, m = 0.3, 2.0, 0.1, 1.0
    ball = one_body(m, (0.4 * m * R * R,) * 3)
    floor = sd.Contact("body", (0, 0, 0), radius=R, material=sd.ContactMaterial(1e6, friction=mu), name="floor")
    start = ball.state(base_position=[0, 0, R], base_velocity=[v, 0, 0])
    run = step_through(ball, start, 0.5, [floor], 1e-3, record=1e-3)
    slides = run["sliding_speed"][:, 0] > 1e-9
    assert run["t"][:, 0][slides][-1] == pytest.approx(2.0 * v / (7.0 * mu * G), abs=2e-3)
    assert run.final.base_velocity[0] == pytest.approx(5.0 / 7.0 * v, rel=1e-12)
    assert run.final.base_rate[1] == pytest.approx(5.0 / 7.0 * v / R, rel=1e-12)
    assert run["element_dissipated"][-1, 0] == pytest.approx(m * v * v / 7.0, rel=2e-3)
    assert abs(run["gap"]).max() < 1e-14


def test_a_falling_ball_closes_its_gap_and_stays():
    """Plastic: at rest on the floor with the first touch, within rounding, and not a step too early or too late."""
    ball = one_body()
    floor = sd.Contact("body", (0, 0, 0), radius=0.1, material=ROUGH, name="floor")
    run = step_through(ball, ball.state(base_position=[0, 0, 0.6]), 0.5, [floor], 1e-3, record=1e-3)
    gap, time = run["gap"][:, 0], (2.0 * 0.5 / G) ** 0.5
    assert gap.min() > -1e-15 and abs(gap[-1]) < 1e-15
    assert run["t"][:, 0][gap < 1e-9][0] == pytest.approx(time, abs=2e-3)
    assert np.abs(run.energy().total[-1] - run.energy().total[0] + run["element_dissipated"][-1, 0]) < 0.05


# --- Coulomb's law, by a second route ---------------------------------------------------------------------------------


@pytest.mark.parametrize("h", [2e-3, 1e-3])
def test_impulses_obey_newton_and_coulomb(h):
    """Each step of a walker that lands and stumbles: H du = h (F - c) + J'p with dense matrices, and Coulomb's law.

    Where nothing is near, F - c are of the mean rates.

    In some steps friction alone nearly holds, or lifts, a point that slides: mu |G_nt| is as large as G_nn.
    """
    robot, feet, start = walker()
    start = start.replace(base_velocity=[0.31, 0.1, -0.6])
    exact = sd.TimeStepping(h, accuracy=1e-12, sweeps=5000)
    run = step_through(robot, start, 0.4, feet, record="steps", method=exact)
    forces = run["element_wrenches"].reshape(len(run["t"]), 4, 6)[..., :3]
    state, n, slid, stuck = run.states, np.array([0, 0, 1.0]), 0, 0
    places = [("left_shank", (0, 0, -0.2)), ("left_shank", (0.1, 0, -0.2))]
    places += [("right_shank", (0, 0, -0.2)), ("right_shank", (0.1, 0, -0.2))]
    gaps = np.concatenate([run["left.gap"], run["right.gap"]], axis=1)
    for k in range(len(run["t"]) - 1):
        now, after = state[k], state[k + 1]
        kin, half = sd.forward_kinematics(robot, now).bodies, sd.forward_dynamics(robot, now, gravity=DOWN)
        jacobians = [
            sd.body_jacobian(robot, now, body, np.array(p) - kin.rotation[robot.body_index(body)].T @ (0.02 * n))[:3]
            for body, p in places
        ]
        flies = all(
            gap > h * (2.0 * np.linalg.norm(J @ now.u) + 0.5) for gap, J in zip(gaps[k], jacobians, strict=True)
        )
        mean = now.integrate(np.zeros(robot.nv), rates=now.u + 0.5 * h * half) if flies else now
        free = now.u + h * sd.forward_dynamics(robot, mean, gravity=DOWN)
        total, speeds, given = np.zeros(robot.nv), [], 0.0
        for J, f in zip(jacobians, forces[k], strict=True):
            total += h * J.T @ f
            speeds.append(J @ after.u)
            given += h * f @ J @ (free + after.u) / 2.0
        assert given <= 1e-12  # impulses take energy from the motion without them, in every step
        assert abs(after.u - free - np.linalg.solve(sd.mass_matrix(robot, now), total)).max() < 1e-11
        for v, f, gap in zip(speeds, forces[k], gaps[k], strict=True):
            p = h * f
            least = -gap / h if gap >= 0.0 else -gap / 0.1
            assert p[2] >= 0.0 and v[2] > least - 1e-7 and abs(p[2] * (v[2] - least)) < 1e-7
            assert np.hypot(p[0], p[1]) <= 0.6 * p[2] * (1 + 1e-9) + 1e-15
            speed = np.hypot(v[0], v[1])
            if p[2] > 1e-6 and speed > 1e-6:
                assert abs(p[:2] + 0.6 * p[2] * v[:2] / speed).max() < 1e-6
                slid += 1
            stuck += p[2] > 1e-6 and speed < 1e-9
    assert slid > 10 and stuck > 10


# --- energy and momentum ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SURFACES)
def test_contact_never_adds_energy(name):
    """A box tumbles over all kinds of surfaces: losses only grow, but for leaving a depth; it stays outside."""
    box = one_body(2.0, (0.03, 0.04, 0.05))
    feet = sd.Contact(
        "body", shape=sd.shapes.box(0.0, (0.3, 0.4, 0.2)), surface=SURFACES[name], material=ROUGH, name="feet"
    )
    start = box.state(base_position=[0.1, -0.1, 0.6], base_velocity=[0.3, 0.1, -0.5], base_rate=[1.0, -2.0, 0.5])
    run = step_through(box, start, 2.0, [feet], 1e-3, record="steps")
    lost = run["element_dissipated"][:, 0]
    assert lost[-1] > 1.0 and np.diff(lost).min() > -1e-7 * lost[-1]
    assert run["feet.gap"].min() > (-2e-3 if name in ("bowl", "ground") else -2e-5)


def test_energy_and_momentum_of_the_ledger_converge():
    """What the audit finds is the discretisation's, of the first order; linear momentum is exact."""
    robot, feet, start = walker()
    errors = []
    for step in (2e-3, 1e-3, 5e-4):
        audit = step_through(robot, start, 0.4, feet, step, record=0.1).audit()
        errors.append((audit.energy, audit.linear_momentum))
    assert errors[2][0] < 0.7 * errors[1][0] < 0.5 * errors[0][0]


@sd.motion
def spun_up(t, p, out):
    """5 t² [rad]."""
    out.value[0], out.rate[0], out.acceleration[0] = 5.0 * t * t, 10.0 * t, 10.0


def test_the_work_of_a_wheel_that_is_driven_as_told_is_booked():
    """A wheel that is spun up drives a cart: all of its energy is the motor's work."""
    b = sd.Builder("cart")
    b.base("body", mass=1.0, inertia=(0.01, 0.012, 0.011))
    b.link("wheel", "revolute", parent="body", axis=(0, 1, 0), mass=0.5, inertia=(2e-3, 3e-3, 2e-3))
    cart, skids = b.build(), [(-0.3, -0.1, -0.1), (-0.3, 0.1, -0.1), (0.3, 0, -0.1)]
    touches = [
        sd.Contact("wheel", (0, 0, 0), radius=0.1, material=ROUGH, name="wheel"),
        sd.Contact("body", skids, material=sd.ContactMaterial(1e6, friction=0.0), name="skids"),
    ]
    start = cart.state(base_position=[0, 0, 0.1])
    run = step_through(cart, start, 0.2, touches, 4e-3, record=0.04, prescribed={"wheel": spun_up()})
    kinetic = 0.5 * 1.5 * 0.2**2 + 0.5 * 3e-3 * 2.0**2
    assert run["joint_work"][-1, 0] == pytest.approx(kinetic, rel=1e-9) and run.audit().energy < 1e-5


def two_balls():
    """Two balls that fly freely, of 1 and 2 kg, on a base that is far away and does not move."""
    b = sd.Builder("two", base="fixed")
    b.base("frame", mass=1.0, inertia=(0.1, 0.11, 0.12))
    for name, m in (("a", 1.0), ("b", 2.0)):
        b.link(name, "free", parent="frame", mass=m, inertia=(0.4 * m * 0.01,) * 3)
    return b.build()


def test_a_collision_keeps_momentum():
    """Two spinning balls collide off-centre, with friction: P and L to 1e-13, energy lost as booked."""
    model = two_balls()
    touch = sd.Contact("a", (0, 0, 0), radius=0.1, surface=sd.SphereSurface(0.1), other="b", material=ROUGH)
    start = model.state(
        q={"a": [0, 0, 3, 0, 0, 0, 1], "b": [0.5, 0.05, 3.03, 0, 0, 0, 1]},
        qd={"a": [2.0, 0.1, 0, 1.0, 5.0, -3.0], "b": [0, 0, 0.1, 0, 2.0, 0]},
    )
    run = step_through(model, start, 0.5, [touch], 1e-3, record=0.05, gravity=(0, 0, 0))
    first, last = (sd.momentum(model, state, about="origin") for state in (start, run.final))
    assert abs(last - first).max() < 1e-13
    lost = run["element_dissipated"][-1, 0]
    energy = sd.kinetic_energy(model, start) - sd.kinetic_energy(model, run.final)
    assert lost > 0.3 and energy == pytest.approx(lost, rel=1e-12)


def test_order_one():
    """A walker lands, and its feet stick and slide: half the step, half the error."""
    robot, feet, start = walker()
    steps = (2.5e-4, 1.25e-4, 6.25e-5, 7.8125e-6)  # that tell both impacts, 0.7 ms from each other, apart
    ends = [step_through(robot, start, 0.1, feet, h, record=[0.1]).final.x for h in steps]
    errors = [np.abs(one - ends[-1]).max() for one in ends[:-1]]
    assert 1.4 < errors[0] / errors[1] < 3.5 and 1.4 < errors[1] / errors[2] < 3.5, errors


# --- bounces ----------------------------------------------------------------------------------------------------------


def test_a_ball_bounces_with_newtons_restitution_and_comes_to_rest():
    """Speeds after each bounce are e times those before; it ends in rest, and energy falls as booked."""
    ball = one_body()
    floor = sd.RigidContact("body", (0, 0, 0), radius=0.1, restitution=0.5, name="floor")
    run = step_through(ball, ball.state(base_position=[0, 0, 1.1]), 2.0, [floor], 2e-4, record="steps")
    v, hit = run["u"][:, 2], np.flatnonzero(np.diff(run["u"][:, 2]) > 0.02)
    assert len(hit) > 5 and abs(v[hit + 1] / v[hit] + 0.5).max() < 1e-12
    assert run["t"][hit[0], 0] == pytest.approx((2.0 / G) ** 0.5, abs=4e-4)
    assert abs(v[-1]) < 1e-12 and np.diff(run["element_dissipated"][:, 0]).min() > -1e-12
    assert run.energy().total[0] - run["element_dissipated"][-1, 0] == pytest.approx(0.1 * G, abs=2e-2)


@pytest.mark.parametrize("friction", [0.0, 0.9])
def test_bounces_of_many_at_once_add_no_energy(friction):
    """A box with corners of different restitution is thrown on the floor again and again."""
    box = one_body(2.0, (0.03, 0.04, 0.05))
    places = [(x, y, z) for x in (-0.15, 0.15) for y in (-0.2, 0.2) for z in (-0.1, 0.1)]
    feet = [
        sd.RigidContact("body", places[k::4], friction=friction, restitution=e, name=f"feet{k}")
        for k, e in enumerate((1.0, 0.2, 0.9, 0.6))
    ]
    start = box.state(base_position=[0, 0, 0.101], base_velocity=[1.0, 0.5, -2.0], base_rate=[0.0, 3.0, 0.5])
    run = step_through(box, start, 1.0, feet, 1e-3, record="steps", gravity=(0, 0, -3.0))
    total = run.energy().total
    assert np.diff(total).max() < 1e-3 * total[0] and total[-1] < total[0]
    lost = run["element_dissipated"].sum(axis=1)
    assert lost[-1] > 0.2 and np.diff(lost).min() > -1e-4 * lost[-1]


# --- sweeps -----------------------------------------------------------------------------------------------------------


def test_sweeps_that_go_on_do_not_go_in_circles():
    """A leg that lands on two points of its foot: going on where changes lead went astray there, again and again."""
    options = {"record": 0.01, "gravity": (0.1, 0.0, -9.81), "budget": 1.0, "progress": False}
    few, many = (
        every_touch.locked_leg(options | {"method": sd.TimeStepping(0.01, sweeps=sweeps)}) for sweeps in (1000, 5000)
    )
    assert few.audit().contact == many.audit().contact == 0.0
    np.testing.assert_allclose(few["u"], many["u"], rtol=0, atol=1e-6)


def test_sweeps_that_end_too_soon_are_in_the_ledger():
    """What they leave is an error of its own; a run whose budget it exceeds says what to do."""
    options = {"record": 0.01, "gravity": (0.1, 0.0, -9.81), "progress": False}
    lands = sd.TimeStepping(0.01, sweeps=1)
    with pytest.warns(sd.RunWarning, match="not found in as many sweeps"):
        run = every_touch.locked_leg(options | {"method": lands, "budget": 0.05})
    audit, (error, largest) = run.audit(), run["contact_error"][-1]
    assert 0.05 < audit.contact == audit.worst and audit.contact >= error / largest
    assert f"  contact           {audit.contact:7.1e}" in str(audit) and "contact_error" in run.data
    assert np.isnan(sd.simulate(sd.load("ets7"), sd.load("ets7").neutral_state(), 0.1).audit().contact)


# --- within one step --------------------------------------------------------------------------------------------------


def row_of_balls(gap, step=1e-3):
    """Ever lighter balls, a gap apart, the last one from a wall; the first comes at 5 m/s. Depth of all places."""
    b, masses = sd.Builder("row", base="fixed"), (1.0, 0.4, 0.2, 0.1)
    b.base("ground", mass=1.0, inertia=(0.1, 0.11, 0.12))
    for i, mass in enumerate(masses):
        b.link(f"ball{i}", "free", parent="ground", shapes=[sd.shapes.sphere(mass, 0.05)])
    model = b.build()
    places = np.array([0.0, 0.102, 0.202 + gap, 0.302 + 2 * gap])
    start = model.state(q={f"ball{i}": [x, 0, 0, 0, 0, 0, 1] for i, x in enumerate(places)}, qd=[5.0] + 23 * [0.0])
    wall = sd.Plane((-1, 0, 0), position=(places[-1] + 0.05 + gap, 0, 0))
    touch = sd.ShapeContact(sd.ContactMaterial(1e6, friction=0.0), surfaces={"wall": wall})
    options = {"method": sd.TimeStepping(step, sweeps=1000), "record": step, "budget": np.inf, "progress": False}
    run = sd.simulate(model, start, 0.02, elements=[touch], **options)
    x = run["x"][:, 7::7]
    return max((0.1 - np.diff(x, axis=1)).max(), x[:, -1].max() - places[-1] - gap)


@pytest.mark.parametrize("gap", [4e-4, 6e-4, 1e-3, 3e-3])
def test_what_is_struck_strikes_in_turn_within_the_same_step(gap):
    """Gaps that are wide for who stood still until then: balls went millimetres into each other, in silence."""
    assert row_of_balls(gap) < 1e-7


def test_a_joint_that_is_struck_does_not_pass_its_stop():
    """A ball strikes a slider, whose end stop is half a millimetre away and more."""
    b = sd.Builder("slider", base="fixed")
    b.base("ground", mass=1.0, inertia=(0.1, 0.11, 0.12))
    stop = {"lower": -1.0, "upper": 8e-4, "stop_stiffness": 1e5}
    b.link("cart", "prismatic", parent="ground", axis=(1, 0, 0), shapes=[sd.shapes.sphere(0.1, 0.05)], **stop)
    b.link("ball", "free", parent="ground", shapes=[sd.shapes.sphere(1.0, 0.05)])
    model = b.build()
    start = model.state(q={"ball": [-0.102, 0, 0, 0, 0, 0, 1]}, qd={"ball": [5.0, 0, 0, 0, 0, 0]})
    touch = sd.ShapeContact(sd.ContactMaterial(1e6, friction=0.0))
    run = sd.simulate(
        model, start, 0.01, elements=[touch], method=sd.TimeStepping(1e-3), record=1e-3, budget=np.inf, progress=False
    )
    assert run["x"][:, 7].max() == pytest.approx(8e-4, abs=1e-8)


def test_what_comes_too_deep_within_a_step_is_told_so_and_what_helps_here():
    """A thin box between the floor and a heavy one that falls on it: it was told to take TimeStepping."""
    b = sd.Builder("press", base="fixed")
    b.base("ground", mass=1.0, inertia=(0.1, 0.11, 0.12))
    b.link("card", "free", parent="ground", shapes=[sd.shapes.box(1e-4, (0.1, 0.1, 4e-3))])
    b.link("weight", "free", parent="ground", shapes=[sd.shapes.box(50.0, (0.1, 0.1, 0.1))])
    model = b.build()
    tilt = sd.Rotation.from_rotvec([0.3, 0.2, 0.0]).as_quat()
    start = model.state(
        q={"card": [0, 0, 0.03, *tilt], "weight": [0, 0, 0.2, 0, 0, 0, 1]}, qd={"weight": [0, 0, -8.0, 0, 0, 0]}
    )
    touch = sd.ShapeContact(sd.ContactMaterial(1e6, friction=0.5), surfaces={"floor": sd.Plane()})
    with pytest.raises(
        sd.SimulationFailed, match=r"what comes deeper within a step ends the run: take a shorter step"
    ) as told:
        sd.simulate(model, start, 0.1, elements=[touch], method=sd.TimeStepping(1e-3, sweeps=5), progress=False)
    assert "TimeStepping" not in str(told.value) and "stiff" not in str(told.value)


# --- piles and stacks -------------------------------------------------------------------------------------------------


def test_a_pile_of_spheres_comes_to_rest():
    """Twenty of them between walls: energy never rises by more than 1e-6 of it, depths stay below 1 µm."""
    model, touches, start, _, _ = stepping.pile()
    run = step_through(model, start, 1.5, touches, 1e-3, record=0.01)
    total = run.energy().total
    assert np.diff(total).max() < 1e-6 * total[0] and total[-1] < 0.9 * total[0]
    assert run["gap"].min() > -1e-6
    speed = sd.forward_kinematics(model, run.final).centroids.velocity[..., :3]
    assert abs(speed).max() < 1e-3
    carried = run["element_wrenches"][-1].reshape(-1, 6)[:100, 2].sum()  # by the floor and by friction on the walls
    assert carried == pytest.approx(20 * 0.5 * G, rel=1e-4)


def test_a_stack_of_boxes_stands():
    """Five boxes, each aside of the one below: drift below 1 µm, depth below 0.1 µm, at rest to 1e-8 m/s after 2 s."""
    model, touches, start, _, _ = stepping.stack()
    run = step_through(model, start, 4.0, touches, 1e-3, record=0.1)
    moved = (run.final.q - start.q).reshape(5, 7)[:, :3]
    assert abs(moved).max() < 1e-6 and abs(run["u"][20:]).max() < 1e-8
    assert min(run[f"under{i}.gap"].min() for i in range(5)) > -1e-7
    carried = [run[f"under{i}.normal_force"][-1].sum() for i in range(5)]
    np.testing.assert_allclose(carried, G * np.arange(5, 0, -1), rtol=1e-6)


def boxes(count):
    """Boxes that are free, and a ball."""
    b = sd.Builder("boxes", base="fixed")
    b.base("ground", mass=1.0, inertia=(0.1, 0.11, 0.12))
    for i in range(count):
        b.link(f"b{i}", "free", parent="ground", shapes=sd.shapes.box(1.0, (0.2, 0.2, 0.2)))
    b.link("ball", "free", parent="ground", shapes=sd.shapes.sphere(0.5, 0.05))
    return b.build()


def test_shapes_stack_on_each_other():
    """Two boxes and a ball on top, by their faces: they come to rest where they stand, and carry what is above."""
    model = boxes(2)
    start = model.state(
        q={
            "b0": [0, 0, 0.1001, 0, 0, 0, 1],
            "b1": [0.02, 0.01, 0.3003, 0, 0, np.sin(0.3), np.cos(0.3)],
            "ball": [0.03, 0, 0.4508, 0, 0, 0, 1],
        }
    )
    shapes = sd.ShapeContact(ROUGH, surfaces=sd.Plane(), exclude=[("b0", "ball")], name="shapes")
    run = step_through(model, start, 0.4, [shapes], 2e-3, record=0.1)
    assert abs(run["u"][-1]).max() < 1e-6
    heights = run.final.q.reshape(3, 7)[:, 2]
    np.testing.assert_allclose(heights, [0.1, 0.3, 0.45], atol=1e-7)
    names = run.simulation.elements[0].pair_names
    force = dict(zip(names, run["shapes.normal_force"][-1], strict=True))
    found = [force[pair] for pair in names if force[pair] > 0.0]
    np.testing.assert_allclose(sorted(found), G * np.array([0.5, 1.5, 2.5]), rtol=1e-6)


# --- packs, files, bad input ------------------------------------------------------------------------------------------


def dispersed(start, n):
    rng, model = np.random.default_rng(5), start.model
    shift = np.zeros((n, 3))
    shift[:, 2] = rng.uniform(0.0, 0.1, n)
    return model.state(
        base_position=start.base_position + shift,
        base_velocity=start.base_velocity + rng.normal(size=(n, 3)) * 0.3,
        base_rate=start.base_rate + rng.normal(size=(n, 3)) * 0.5,
        q=np.tile(start.q, (n, 1)),
    )


def test_packs_and_single_robots_are_the_same_to_the_bit():
    """Robots that touch with other feet at other times: each as if it were alone."""
    robot, feet, start = walker()
    starts = dispersed(start, 11)
    together = step_through(robot, starts, 0.5, feet, 2e-3, record=0.1)
    for i in (0, 4, 10):
        alone = step_through(robot, starts[i], 0.5, feet, 2e-3, record=0.1)
        assert np.array_equal(alone["x"], together["x"][:, i]) and np.array_equal(alone["u"], together["u"][:, i])


def test_it_goes_on_to_the_bit(tmp_path):
    """A run that goes on is the same as one without a break, from memory and from a file."""
    robot, feet, start = walker()
    whole = step_through(robot, start, 0.4, feet, 2e-3, record=0.1)
    part = step_through(robot, start, 0.2, feet, 2e-3, record=0.1)
    part.save(tmp_path / "part.nc")
    for run in (part, sd.Run.load(tmp_path / "part.nc")):
        on = run.resume(until=0.4)
        assert np.array_equal(on["x"][-1], whole["x"][-1]) and np.array_equal(on["u"][-1], whole["u"][-1])
    assert type(sd.Run.load(tmp_path / "part.nc").simulation.method) is sd.TimeStepping


def test_in_a_scenario(tmp_path):
    one_body(2.0, (0.03, 0.04, 0.05)).to_toml(tmp_path / "box.toml")
    (tmp_path / "drop.toml").write_text(SCENARIO)
    run = sd.Scenario.from_toml(tmp_path / "drop.toml").run()
    assert abs(run.final.base_velocity).max() < 1e-9 and abs(run["feet.gap"][-1, :4]).max() < 1e-12


SCENARIO = """
robot = "box.toml"
duration = 0.5
gravity = [0, 0, -9.81]
budget = 1.0
method = { name = "TimeStepping", step = 1e-3 }

[state]
base_position = [0, 0, 0.15]
base_velocity = [0.2, 0, 0]

[[elements]]
kind = "contact"
name = "feet"
body = "body"
points = [[0.2, 0.2, -0.1], [-0.2, 0.2, -0.1], [0.2, -0.2, -0.1], [-0.2, -0.2, -0.1]]
material = { stiffness = 1e6, friction = 0.5 }
"""


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"settling": 0.0}, "settling must be a positive time"),
        ({"accuracy": 1.0}, "accuracy must be between 0 and 1"),
        ({"sweeps": 0}, "at least one of sweeps"),
        ({"stop_restitution": 1.5}, "stop_restitution must be from 0 to 1"),
    ],
)
def test_settings_that_make_no_sense(given, says):
    with pytest.raises(sd.InputError, match=says):
        sd.TimeStepping(1e-3, **given)


def test_what_it_cannot_do_is_said_by_name():
    robot, _, start = walker()
    sticky = sd.Contact("trunk", (0, 0, 0), material=sd.ContactMaterial(1e5, adhesion=0.01), name="belly")
    with pytest.raises(sd.InputError, match="'belly': TimeStepping does not know adhesion"):
        step_through(robot, start, 0.1, [sticky])
    shapes = sd.ShapeContact(sd.ContactMaterial(1e5, adhesion=0.01), name="shapes")
    with pytest.raises(sd.InputError, match="ShapeContact 'shapes': TimeStepping does not know adhesion"):
        step_through(boxes(2), boxes(2).neutral_state(), 0.1, [shapes])


def test_the_same_contact_under_another_method_gives_way_again():
    """What a run has done with an element stays in that run."""
    box, feet, start, _ = on_slope(0.3, 0.5)
    stepped = step_through(box, start, 0.01, [feet])
    assert stepped.simulation.elements[0].touches == 8 and feet.touches == 0
    again = sd.simulate(box, start, 0.01, elements=stepped.simulation.elements, gravity=DOWN)
    assert again.simulation.elements[0].touches == 0 and again["feet.bristle"].shape == (len(again["t"]), 24)


def test_a_start_in_the_ground_comes_out_slowly():
    """A centimetre deep, at rest: by half of the speed that weight gives in a step, and what lifts it is booked."""
    box, feet, start, _ = on_slope(0.0, 0.5)
    deep = box.state(base_position=start.base_position - [0, 0, 0.01])
    run = step_through(box, deep, 0.4, [feet], 1e-3, record=0.1)
    lifted = 0.5 * G * 1e-3 * run["t"][:, 0]
    np.testing.assert_allclose(-run["feet.gap"].min(axis=1), 0.01 - lifted, atol=1e-6)
    assert -run["element_dissipated"][-1, 0] == pytest.approx(G * lifted[-1], rel=0.05)
