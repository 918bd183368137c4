"""Constraint rows that users write: closed forms, the same as built-in ones, and derivatives that are wrong."""

import numpy as np
import pytest

import spacedyn as sd

pytestmark = pytest.mark.packs


@sd.element(rows=1, points=("bead",), channels={"height": "m"})
def bowl(t, s, p, out):
    """A point stays on z = a x² + b y²."""
    x, y = s.bead.position[0], s.bead.position[1]
    vx, vy = s.bead.velocity[0], s.bead.velocity[1]
    out.residual[0] = s.bead.position[2] - p.a * x * x - p.b * y * y
    out.bead.row_force[0, 0] = -2.0 * p.a * x
    out.bead.row_force[0, 1] = -2.0 * p.b * y
    out.bead.row_force[0, 2] = 1.0
    out.bias[0] = -2.0 * p.wrong * (p.a * vx * vx + p.b * vy * vy)
    out.height[0] = s.bead.position[2]


@sd.element(rows=1, nonholonomic=1, points=("runner",))
def skate(t, s, p, out):
    """A point does not move along y of its body: a skate, or a knife."""
    for i in range(3):
        out.runner.row_force[0, i] = s.runner.rotation[i, 1]
    w, v = s.runner.rate, s.runner.velocity
    n = s.runner.rotation
    turned = v[0] * (w[1] * n[2, 1] - w[2] * n[1, 1]) + v[1] * (w[2] * n[0, 1] - w[0] * n[2, 1])
    out.bias[0] = turned + v[2] * (w[0] * n[1, 1] - w[1] * n[0, 1])


@sd.element(rows=1, joints=("motor", "arm"))
def gear(t, s, p, out):
    """q of one joint is p.ratio times that of the other, and p.speed times t."""
    out.residual[0] = s.motor.q[0] - p.ratio * s.arm.q[0] - p.speed * t
    out.motor.row[0] = 1.0
    out.arm.row[0] = -p.ratio
    out.drift[0] = -p.speed


@sd.element(rows=1, points=("a", "b"))
def rod(t, s, p, out):
    """Two points keep their distance: its square, less p.length²."""
    d2, v2 = -p.length * p.length, 0.0
    for i in range(3):
        d, v = s.b.position[i] - s.a.position[i], s.b.velocity[i] - s.a.velocity[i]
        d2, v2 = d2 + d * d, v2 + v * v
        out.b.row_force[0, i] = 2.0 * d
        out.a.row_force[0, i] = -2.0 * d
    out.residual[0] = d2
    out.bias[0] = 2.0 * v2


def bead():
    b = sd.Builder("bead")
    b.base("bead", mass=0.1, inertia=(1e-4, 2e-4, 1.5e-4))
    return b.build()


def test_a_bead_in_a_bowl():
    """Two frequencies of small motions by linearize; energy of large ones; the multiplier at rest is the weight."""
    model, down = bead(), (0, 0, -9.81)
    mine = bowl(bead="bead", a=0.5, b=0.7, wrong=1.0)
    small = sd.linearize(model, model.neutral_state(), elements=[mine], gravity=down)
    found = np.sort(np.abs(small.eigenvalues().imag))[-4:]
    np.testing.assert_allclose(found, np.sqrt([2 * 0.5 * 9.81] * 2 + [2 * 0.7 * 9.81] * 2), rtol=1e-8)
    start = sd.assemble(model, model.state(base_position=(0.5, 0.2, 0.3), base_velocity=(0.3, -0.4, 0)), [mine])
    method = sd.DormandPrince8(rtol=1e-11, atol=1e-12)
    run = sd.simulate(model, start, 2.0, elements=[mine], gravity=down, method=method)
    x, y, z = run.states.base_position.T
    assert np.abs(z - 0.5 * x**2 - 0.7 * y**2).max() < 1e-13 and run.audit().energy < 1e-10
    assert run["multiplier"].shape[-1] == 1 and np.array_equal(run["height"][:, 0], z)
    still = sd.simulate(model, model.neutral_state(), 0.1, elements=[mine], gravity=down)
    np.testing.assert_allclose(still["multiplier"], 0.981, atol=1e-12)
    stiff = sd.simulate(model, start, 0.5, elements=[mine], gravity=down, method=sd.Radau5(rtol=1e-9, atol=1e-10))
    exact = sd.simulate(model, start, 0.5, elements=[mine], gravity=down, method=method)
    np.testing.assert_allclose(stiff.final.u, exact.final.u, atol=1e-6)


def test_a_skate_on_a_slope_draws_a_cycloid():
    """x = g sin² (w t) / (2 w²), y = g (w t - sin(2 w t) / 2) / (2 w²) for a pull g along x (Neimark & Fufaev)."""
    model, pull, w = bead(), 0.7, 1.3
    run = sd.simulate(
        model,
        model.state(base_rate=(0, 0, w)),
        3.0,
        elements=[skate(runner="bead")],
        gravity=(pull, 0, 0),
        method=sd.DormandPrince8(rtol=1e-12, atol=1e-13),
        record=0.1,
    )
    t = run.time
    expected = pull / (2 * w * w) * np.column_stack([np.sin(w * t) ** 2, w * t - np.sin(2 * w * t) / 2])
    np.testing.assert_allclose(run.states.base_position[:, :2], expected, atol=1e-11)
    assert run.audit().within_budget and run["closure"][:, 1].max() < 1e-12


def test_the_same_as_a_coupling_that_is_built_in():
    model = sd.load("planar_four_link")
    mine = gear(motor="joint1", arm="joint2", ratio=-2.0, speed=0.0)
    tie = sd.Coupling(("joint1", "joint2"), (1.0, 2.0))
    start = sd.assemble(model, model.state(qd=[0.4, 0.0, 0.1, 0.0]), [tie])
    ours, theirs = (sd.simulate(model, start, 1.0, elements=[one]) for one in (mine, tie))
    np.testing.assert_allclose(ours["u"], theirs["u"], atol=1e-12)
    np.testing.assert_allclose(ours["multiplier"][:, 0], theirs["effort"][:, 0], atol=1e-11)
    many = sd.State(model, np.stack([start._data] * 5))
    together = sd.simulate(model, many, 1.0, elements=[mine])
    np.testing.assert_allclose(together["u"][:, 4], ours["u"], atol=1e-12)


def test_a_row_that_is_driven_works():
    """A motor turns a joint against another by time alone: what it gives is in the ledger."""
    model = sd.load("planar_four_link")
    mine = gear(motor="joint1", arm="joint2", ratio=1.0, speed=0.3)
    start = sd.assemble(model, model.state(qd=[0.1, 0.0, 0.2, 0.0]), [mine])
    run = sd.simulate(model, start, 2.0, elements=[mine])
    assert run.audit().energy < 1e-9 and abs(run["element_work"][-1, 0]) > 1e-3
    assert np.abs(run["q"][:, 0] - run["q"][:, 1] - 0.3 * run.time).max() < 1e-12


def test_a_rod_between_two_bodies_pushes_no_momentum():
    b = sd.Builder("pair")
    b.base("bus", mass=5.0, inertia=(1.0, 1.2, 1.1))
    b.link("ball", "free", parent="bus", position=(1, 0, 0), mass=1.0, inertia=(0.1, 0.1, 0.12))
    model = b.build()
    mine = rod(a=("bus", [0.2, 0.1, 0.0]), b="ball", length=0.9)
    rng = np.random.default_rng(0)
    start = sd.assemble(model, model.neutral_state().integrate(np.zeros(12), rng.normal(size=12)), [mine])
    run = sd.simulate(model, start, 2.0, elements=[mine])
    audit = run.audit()
    assert audit.energy < 1e-9 and audit.linear_momentum < 1e-11 and audit.angular_momentum < 1e-11
    theirs = sd.Loop("distance", "ball", "bus", other_point=(0.2, 0.1, 0), length=0.9)
    same = sd.simulate(model, start, 2.0, elements=[theirs])
    np.testing.assert_allclose(run.final.u, same.final.u, atol=1e-8)
    ours, built_in = run["element_wrenches"], same["element_wrenches"]  # on bus and ball; on ball and bus
    np.testing.assert_allclose(ours[:, 6:9], built_in[:, :3], atol=1e-7)
    np.testing.assert_allclose(ours[:, :3], -ours[:, 6:9], atol=1e-12)
    assert np.abs(ours[:, :3]).max() > 0.1


def test_what_rows_push_is_recorded_at_their_points():
    """Force and moment of the multipliers, as of a built-in loop; of each robot, one alone or in a pack."""
    model, down = bead(), np.array([0, 0, -9.81])
    mine = bowl(bead="bead", a=0.5, b=0.7, wrong=1.0)
    rates = np.array([[0.3, -0.4, 0.0], [0.1, 0.2, 0.0], [0.0, 0.0, 0.0], [-0.5, 0.1, 0.0], [0.2, 0.2, 0.0]])
    start = sd.assemble(model, model.state(base_position=(0.5, 0.2, 0.3), base_velocity=rates), [mine])
    for state, method in ((start, None), (start[1], sd.RungeKutta4(1e-3)), (start[0], sd.Radau5())):
        run = sd.simulate(model, state, 0.5, elements=[mine], gravity=down, method=method, record=0.1)
        mass_times_acceleration = 0.1 * (run["udot"][..., :3] - down)
        np.testing.assert_allclose(run["element_wrenches"][..., :3], mass_times_acceleration, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(run["element_wrenches"][..., 3:], 0.0, atol=1e-12)
    knife = skate(runner="bead")
    turning = model.state(base_velocity=(1.0, 0.0, 0.0), base_rate=(0.0, 0.0, 0.7))
    run = sd.simulate(model, turning, 1.0, elements=[knife], record=0.1)
    np.testing.assert_allclose(run["element_wrenches"][:, :3], 0.1 * run["udot"][:, :3], rtol=1e-9, atol=1e-12)
    assert np.abs(run["element_wrenches"]).max() > 0.06


def test_rows_in_files(tmp_path):
    model, mine = bead(), bowl(bead="bead", a=0.5, b=0.7, wrong=1.0)
    run = sd.simulate(model, model.neutral_state(), 0.1, elements=[mine], gravity=(0, 0, -9.81))
    run.save(tmp_path / "run.nc")
    again = sd.Run.load(tmp_path / "run.nc")
    assert again.elements[0].declared.rows == 1 and np.array_equal(again["multiplier"], run["multiplier"])
    longer = again.resume(until=0.2, elements=[mine])
    assert np.array_equal(longer["u"], run.resume(until=0.2)["u"])


def test_derivatives_that_are_wrong_are_named():
    model = bead()
    with pytest.raises(sd.InputError, match=r"element 'bowl': the rate of row\[0\] changes by .* what its bias says"):
        sd.simulate(model, model.neutral_state(), 0.1, elements=[bowl(bead="bead", a=0.5, b=0.7, wrong=0.9)])

    @sd.element(rows=1, points=("bead",))
    def flat(t, s, p, out):
        out.residual[0] = 2.0 * s.bead.position[2]
        out.bead.row_force[0, 2] = 1.0

    with pytest.raises(sd.InputError, match=r"element 'flat': out.residual\[0\] changes by"):
        sd.simulate(model, model.neutral_state(), 0.1, elements=[flat(bead="bead")])


@pytest.mark.parametrize(
    "declared, words",
    [
        ({"rows": -1, "points": ("a",)}, "rows must be their number"),
        ({"rows": 1}, "rows bind joints"),
        ({"rows": 1, "points": ("a", "b", "c")}, "one or two points"),
        ({"rows": 1, "nonholonomic": 2, "points": ("a",)}, "nonholonomic is how many"),
        ({"rows": 1, "points": ("a",), "channels": ("residual",)}, "stands for two things"),
    ],
)
def test_impossible_rows_are_refused(declared, words):
    with pytest.raises(sd.InputError, match=words):

        @sd.element(**declared)
        def mine(t, s, p, out):
            out.tau[0] = 0.0


def test_both_points_on_one_body():
    model = bead()
    with pytest.raises(sd.InputError, match="both points of its rows are on body 'bead'"):
        sd.simulate(model, model.neutral_state(), 0.1, elements=[rod(a="bead", b=("bead", [1, 0, 0]), length=1.0)])


def test_a_rank_that_falls_is_said_once():
    """A four-bar that is led into the line where it may fold: by name, with the time."""
    bar = {"mass": 1.0, "com": (0.5, 0, 0), "inertia": (1e-4, 1 / 12, 1 / 12), "axis": (0, 0, 1)}
    b = sd.Builder("four-bar", "fixed")
    b.base("ground", massless=True)
    b.link("crank", "revolute", parent="ground", **bar)
    b.link("coupler", "revolute", parent="crank", position=(1, 0, 0), **bar)
    b.link("rocker", "revolute", parent="ground", position=(1, 0, 0), **bar)
    model = b.build()
    pin = sd.Loop("line", "coupler", "rocker", point=(1, 0, 0), other_point=(1, 0, 0), name="pin")
    lead = sd.PrescribedJoint("crank", sd.waypoints([0.0, 1.0], [1.0, 0.0]))
    start = model.state(q=[1.0, -1.0, 1.0])
    with pytest.warns(sd.RunWarning, match=r"at t = 1 s the rank of the constraint rows fell from 2 to 1: .* of 'pin'"):
        sd.simulate(model, start, 1.0, elements=[pin, lead], record=0.25)
