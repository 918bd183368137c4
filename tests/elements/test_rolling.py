"""Wheels, discs and balls that roll without slip: published eigenvalues, closed forms, and second routes."""

import numpy as np
import pytest
from scipy.linalg import expm

import spacedyn as sd

pytestmark = pytest.mark.packs
DOWN = (0, 0, -9.81)
Y = (0, 1, 0)


def wheels():
    return [sd.Rolling("rear_wheel", 0.3, axis=Y, name="rear"), sd.Rolling("front_wheel", 0.35, axis=Y, name="front")]


def upright(model, speed):
    rates = {"rear_wheel": speed / 0.3, "front_wheel": speed / 0.35}
    return model.state(base_frame_position=(0, 0, 0), base_velocity=(speed, 0, 0), qd=rates)


def turned(state, change):
    """The same state with other rates."""
    return state.integrate(np.zeros(change.size), state.u + change)


# --- a bicycle --------------------------------------------------------------------------------------------------------

EIGENVALUES = {  # Meijaard, Papadopoulos, Ruina & Schwab (2007), Proc. R. Soc. A 463, table 2: 14 digits
    0.0: (-3.13164324790656, 3.13164324790656, -5.53094371765393, 5.53094371765393),
    5.0: (-0.32286642900409, -0.77534188219585 + 4.46486771378823j, -14.0783896927982),
    10.0: (0.16105338653172, -3.72016840437287 + 10.90681139476287j, -24.62459635017404),
}


@pytest.mark.parametrize("speed", EIGENVALUES)
def test_a_bicycle_has_the_published_eigenvalues(speed):
    """To 1e-12, of the linearization of the rolling robot; all others are zero: place, heading, wheels, speed."""
    model = sd.load("bicycle")
    found = sd.linearize(model, upright(model, speed), gravity=DOWN, elements=wheels())
    assert found.A.shape == (10, 10) and {"fork", "rear_frame turn x", "fork rate"} < set(found.names)
    values = found.eigenvalues()
    for expected in EIGENVALUES[speed]:
        for one in (expected, np.conj(expected)):
            nearest = np.argmin(abs(values - one))
            assert abs(values[nearest] - one) < 1e-12
    assert np.sort(abs(values))[:6].max() < 1e-6 and np.sort(abs(values))[6] > 0.1


def test_a_bicycle_is_stable_where_it_is_said_to_be():
    """Weave ends at 4.29238253634111 m/s, to 1e-5, capsize begins within 1 mm/s of 6.02426201538837 m/s (table 2)."""
    model = sd.load("bicycle")

    def growth(speed):
        values = sd.linearize(model, upright(model, speed), gravity=DOWN, elements=wheels()).eigenvalues()
        values = values[abs(values) > 1e-6]
        return values[np.argmax(values.real)]

    for speed, frequency in ((4.29238253634111, 3.43503384866144), (6.02426201538837, 0.0)):
        before, after = growth(speed - 1e-3), growth(speed + 1e-3)
        root = speed + 1e-3 * (before.real + after.real) / (before.real - after.real)
        if frequency:
            assert abs(abs(growth(speed).imag) - frequency) < 1e-10
            assert abs(root - speed) < 1e-5 and before.real > 0 > after.real
        else:
            assert before.real < 0 < after.real
    found = sd.linearize(model, upright(model, 4.29238253634111), gravity=DOWN, elements=wheels()).eigenvalues()
    assert min(abs(found - 3.43503384866144j)) < 1e-10


def test_a_bicycle_moves_as_its_linearization_says():
    """A kick of the fork at 5 m/s and what becomes of it after 2 s: by the nonlinear run and by exp(A t)."""
    model, speed = sd.load("bicycle"), 5.0
    start = upright(model, speed)
    linear = sd.linearize(model, start, gravity=DOWN, elements=wheels())
    d = np.zeros(10)
    d[linear.names.index("rear_frame turn x rate")] = 1e-5
    d[linear.names.index("fork")] = 2e-5
    full = linear.basis @ d
    kicked = sd.assemble(model, start.integrate(full[:9], start.u + full[9:]), wheels())
    method = sd.DormandPrince8(rtol=1e-12, atol=1e-13)
    run = sd.simulate(model, kicked, 2.0, gravity=DOWN, elements=wheels(), method=method)
    later = linear.basis @ expm(2.0 * linear.A) @ d
    base = upright(model, speed).integrate(2.0 * start.u)
    np.testing.assert_allclose(base.difference(run.final), later[:9], atol=2e-8)
    np.testing.assert_allclose(run.final.u - start.u, later[9:], atol=2e-8)
    assert run.audit().energy < 1e-10 and run.audit().constraints < 1e-11


@pytest.mark.parametrize("rate", [0.5, 2.0])
def test_a_bicycle_keeps_its_energy_and_its_wheels_on_the_ground(rate):
    """It weaves far from upright; energy to 1e-10, and both ways of stepping agree."""
    model = sd.load("bicycle")
    start = sd.assemble(model, turned(upright(model, 4.6), np.eye(9)[3] * rate), wheels())
    quick = sd.DormandPrince8(rtol=1e-11, atol=1e-12)
    run = sd.simulate(model, start, 1.0, gravity=DOWN, elements=wheels(), method=quick)
    stiff = sd.simulate(model, start, 1.0, gravity=DOWN, elements=wheels(), method=sd.Radau5(rtol=1e-10, atol=1e-11))
    audit = run.audit()
    assert audit.within_budget and audit.energy < 1e-10 and np.abs(run["gap"]).max() < 1e-12
    assert np.abs(run["closure"][:, 1]).max() < 1e-11 and np.all(run["closure"][:, 2] == 6)
    np.testing.assert_allclose(stiff.final.u, run.final.u, atol=1e-7)
    assert np.ptp(run.states.base_attitude.as_rotvec()[:, 0]) > 0.1 * rate
    assert run["element_work"].max() == 0.0 == run["element_work"].min()


# --- closed forms -----------------------------------------------------------------------------------------------------


def test_a_ball_on_a_turning_table_goes_round_in_circles():
    """Its centre circles with 2/7 of the table's rate, wherever it starts (Routh); the motor is in the ledger."""
    b = sd.Builder("turntable", "fixed")
    b.base("ground", massless=True)
    b.link("table", "revolute", parent="ground", axis=(0, 0, 1), mass=5.0, inertia=(1, 1, 2))
    b.link("ball", "free", parent="ground", mass=0.5, inertia=[0.4 * 0.5 * 0.05**2] * 3)
    model, turn = b.build(), 3.0
    on = sd.Rolling("ball", 0.05, other="table", other_point=(0, 0, 0.1), name="on")
    drive = sd.PrescribedJoint("table", sd.table([-1.0, 5.0], [-turn, 5.0 * turn], "linear"))
    place, speed = np.array([0.4, 0.1, 0.15]), np.array([0.2, 0.5, 0.0])
    # no slip: v + w x (0, 0, -r) = turn z x place
    slip = np.cross([0, 0, turn], place) - speed
    w = np.array([slip[1], -slip[0], 0.0]) / 0.05 * np.array([1.0, 1.0, 0.0])
    start = model.state(q={"ball": [*place, 0, 0, 0, 1]}, qd={"ball": [*speed, *w]})
    start = sd.assemble(model, start, [on, drive])
    np.testing.assert_allclose(start.qd[model.qd_slice("ball")], [*speed, *w], atol=1e-12)
    method = sd.DormandPrince8(rtol=1e-12, atol=1e-13)
    run = sd.simulate(model, start, 4.0, gravity=DOWN, elements=[on, drive], method=method, record=0.1)
    n = 2.0 / 7.0 * turn
    centre = place + np.cross([0, 0, 1 / n], speed)
    angle = n * run.time
    arm = (place - centre)[:2]
    expected = centre[:2] + np.column_stack(
        [arm[0] * np.cos(angle) - arm[1] * np.sin(angle), arm[0] * np.sin(angle) + arm[1] * np.cos(angle)]
    )
    np.testing.assert_allclose(run.body("ball").position[:, :2], expected, atol=1e-10)
    assert run.audit().within_budget and run.audit().energy < 1e-10
    np.testing.assert_allclose(run["on.force"][:, 2], 0.5 * 9.81, atol=1e-11)


def test_force_and_place_of_a_ball_are_in_the_axes_of_its_level_plane():
    """Pulled along x and y it rolls by 5/7 of the pull; the plane holds back 2/7, along x and y."""
    b = sd.Builder("ball")
    b.base("ball", mass=0.5, inertia=[0.4 * 0.5 * 0.05**2] * 3)
    ball, pull = b.build(), np.array([1.0, -0.3, -9.81])
    on = sd.Rolling("ball", 0.05, other_point=(0.1, 0.2, 0.0), name="on")
    run = sd.simulate(ball, ball.state(base_position=(0.1, 0.2, 0.05)), 1.0, gravity=pull, elements=[on], record=0.5)
    np.testing.assert_allclose(run["on.force"], [[-1.0 / 7.0, 0.3 / 7.0, 0.5 * 9.81]] * 3, atol=1e-12)
    np.testing.assert_allclose(run["on.place"][-1], 2.5 / 7.0 * pull * (1, 1, 0), atol=1e-12)


@pytest.mark.parametrize("edge", [0.0, 0.03])
def test_a_leaning_disc_rolls_in_a_circle(edge):
    """Steady motion of a disc whose axis stands at th from the vertical, with or without a rounded edge.

    About the centre of mass: dL/dt = arm x force, with the force m (g up + centripetal) at the point of contact.
    """
    m, radius, A, C, g, th = 1.3, 0.2, 0.013, 0.026, 9.81, np.deg2rad(70.0)
    ring = radius - edge
    b = sd.Builder("disc")
    b.base("disc", mass=m, inertia=(A, A, C))
    model = b.build()
    height, axis = ring * np.sin(th) + edge, np.array([-np.sin(th), 0.0, np.cos(th)])
    arm = np.array([-ring * np.cos(th), 0.0, -height])
    turn = 3.0  # about the vertical; spin about the axis follows from balance, by a search that is linear in it

    def unbalance(spin):
        w = np.array([0, 0, turn]) + spin * axis
        v = -np.cross(w, arm)
        L = C * (w @ axis) * axis + A * (w - (w @ axis) * axis)
        force = m * (np.cross([0, 0, turn], v) + np.array([0, 0, g]))
        return (np.cross([0, 0, turn], L) - np.cross(arm, force))[1], w, v

    zero, one = unbalance(0.0)[0], unbalance(1.0)[0]
    _, w, v = unbalance(-zero / (one - zero))
    assert abs(unbalance(-zero / (one - zero))[0]) < 1e-12
    attitude = sd.Rotation.align_vectors([axis, [0, 1, 0]], [[0, 0, 1], [0, 1, 0]])[0]
    rim = sd.Rolling("disc", radius, axis=(0, 0, 1), edge_radius=edge, name="rim")
    start = model.state(base_position=(0, 0, height), base_attitude=attitude, base_velocity=v, base_rate=w)
    method = sd.DormandPrince8(rtol=1e-12, atol=1e-13)
    run = sd.simulate(model, start, 4.0, gravity=(0, 0, -g), elements=[rim], method=method, record=0.1)
    tilt = run.states.base_attitude.apply([0, 0, 1])[:, 2]
    np.testing.assert_allclose(tilt, axis[2], atol=1e-9)
    centre = np.cross([0, 0, 1 / turn], v)
    expected = centre + sd.Rotation.from_rotvec(np.outer(turn * run.time, [0, 0, 1])).apply(-centre)
    np.testing.assert_allclose(run.states.base_position[:, :2], expected[:, :2], atol=1e-9)
    np.testing.assert_allclose(run["rim.force"][:, 2], m * g, atol=1e-9)


# --- rows against differences -----------------------------------------------------------------------------------------


def rolling_pair():
    """A torus and a ball roll on a tilted plate that flies: bodies push each other, and nothing comes from outside."""
    b = sd.Builder("pair")
    b.base("plate", mass=8.0, inertia=(0.5, 0.6, 0.9), com=(0.05, 0, 0))
    b.link("wheel", "free", parent="plate", mass=1.0, com=(0.01, 0.02, 0), inertia=(0.01, 0.02, 0.012))
    b.link("ball", "free", parent="plate", mass=0.5, inertia=(0.002, 0.002, 0.002))
    model = b.build()
    plane = {"other": "plate", "other_point": (0, 0, 0.1), "normal": (0.2, -0.1, 1)}
    rows = [
        sd.Rolling("wheel", 0.2, axis=(0, 1, 0.1), center=(0.02, 0, 0.01), edge_radius=0.04, **plane, name="wheel"),
        sd.Rolling("ball", 0.1, **plane, name="ball"),
    ]
    rng = np.random.default_rng(5)
    q = {
        "wheel": [0.3, 0.2, 0.4, *sd.Rotation.from_rotvec([0.3, 0.2, -0.4]).as_quat()],
        "ball": [-0.3, 0, 0.3, 0, 0, 0, 1],
    }
    rough = model.state(base_attitude=sd.Rotation.from_rotvec([0.2, -0.3, 0.5]), q=q)
    rough = turned(rough, rng.normal(size=model.nv))
    return model, rows, sd.assemble(model, rough, rows)


def test_rows_are_the_derivatives_of_each_other():
    """Along the motion that the dynamics gives residuals change by their rates, and rates do not change."""
    model, rows, start = rolling_pair()
    motion = sd.constraints.forward_dynamics(model, start, rows)
    J = sd.constraints.jacobian(model, start, rows)
    assert np.abs(J @ start.u).max() < 1e-12 and np.abs(start.u).max() > 0.5
    h = 1e-5

    def moved(t):
        # along u to second order: the attitude of a rate that changes
        return start.integrate(t * start.u + 0.5 * t * t * motion.udot, start.u + t * motion.udot)

    rates = [sd.constraints.jacobian(model, one, rows) @ one.u for one in (moved(h), moved(-h))]
    np.testing.assert_allclose((rates[0] - rates[1]) / (2 * h), 0.0, atol=2e-8)
    d = 1e-6 * np.random.default_rng(1).normal(size=model.nv)
    for name, first in (("wheel", 0), ("ball", 3)):
        ahead, behind = (sd.constraints.residuals(model, start.integrate(s * d), rows)[name] for s in (1.0, -1.0))
        np.testing.assert_allclose((ahead - behind)[0], 2 * J[first] @ d, atol=1e-15)
        assert np.all(ahead[1:] == 0.0)


@pytest.mark.parametrize("robots", [1, 5])
def test_momentum_energy_and_packs(robots):
    model, rows, start = rolling_pair()
    rng = np.random.default_rng(2)
    many = [sd.assemble(model, turned(start, 0.3 * rng.normal(size=model.nv)), rows) for _ in range(5)]
    batch = many[0] if robots == 1 else sd.State(model, np.stack([one._data for one in many]))
    run = sd.simulate(model, batch, 0.5, elements=rows, record=0.05)
    audit = run.audit()
    assert audit.energy < 1e-9 and audit.linear_momentum < 1e-11 and audit.angular_momentum < 1e-11
    assert np.abs(run["gap"]).max() < 1e-12 and run["closure"][..., 1].max() < 1e-11
    if robots > 1:
        for i in (0, 4):
            alone = sd.simulate(model, many[i], 0.5, elements=rows, record=0.05)
            np.testing.assert_allclose(run.final[i].u, alone.final.u, atol=1e-9)


def test_linearize_reduces_holonomic_rows_as_fewer_joints_do():
    """A pendulum whose pivot is a loop, against the same on a joint: A in the angle and its rate."""
    rod = {"mass": 1.5, "com": (0, 0, -0.4), "inertia": (0.03, 0.04, 0.01)}
    b = sd.Builder("hung", "free")
    b.base("rod", **rod)
    loose = b.build()
    pin = sd.Loop("revolute", "rod", axis=(1, 0, 0), name="pin")
    b = sd.Builder("joined", "fixed")
    b.base("ground", massless=True)
    b.link("rod", "revolute", parent="ground", axis=(1, 0, 0), **rod)
    joined = b.build()
    expected = sd.linearize(joined, joined.state(q=[0.7], qd=[1.3]), gravity=DOWN)
    attitude = sd.Rotation.from_rotvec([0.7, 0, 0])
    at = loose.state(base_frame_position=(0, 0, 0), base_attitude=attitude).base_position
    state = loose.state(
        base_position=at, base_attitude=attitude, base_velocity=np.cross([1.3, 0, 0], at), base_rate=(1.3, 0, 0)
    )
    found = sd.linearize(loose, state, gravity=DOWN, elements=[pin])
    assert found.names[0].startswith("rod") and len(found.names) == 2 and found.basis.shape == (12, 2)
    np.testing.assert_allclose(np.trace(found.A), np.trace(expected.A), atol=1e-10)
    np.testing.assert_allclose(np.linalg.det(found.A), np.linalg.det(expected.A), rtol=1e-10)


# --- files, what is wrong ---------------------------------------------------------------------------------------------


def test_rolling_in_files_and_resumed(tmp_path):
    run = sd.Scenario.from_toml("bicycle", change={"duration": 0.3}).run()
    run.save(tmp_path / "run.nc")
    again = sd.Run.load(tmp_path / "run.nc")
    assert again.elements[1].radius == 0.35 and again.audit().constraints == run.audit().constraints
    assert np.array_equal(again.resume(until=0.4)["u"], run.resume(until=0.4)["u"])


@pytest.mark.parametrize(
    "fields, words",
    [
        ({"radius": 0.0}, "radius must be positive"),
        ({"radius": 0.2, "axis": (0, 0, 0)}, "axis must be a direction"),
        ({"radius": 0.2, "axis": Y, "edge_radius": 0.3}, "edge_radius must be from 0 to the radius"),
        ({"radius": 0.2, "edge_radius": 0.1}, "without an axis it is a ball"),
        ({"radius": 0.2, "normal": (0, 0, 0)}, "normal must be a direction"),
        ({"radius": 0.2, "center": (0, 0)}, "center"),
    ],
)
def test_impossible_wheels_are_refused(fields, words):
    with pytest.raises(sd.InputError, match=words):
        sd.Rolling("a", **fields)


@pytest.mark.filterwarnings("ignore:this run will take:spacedyn.errors.RunWarning")
def test_other_refusals():
    model = sd.load("bicycle")
    start = upright(model, 1.0)
    with pytest.raises(sd.InputError, match="cannot roll on itself"):
        sd.simulate(model, start, 0.1, elements=[sd.Rolling("fork", 0.3, other="fork")])
    with pytest.raises(sd.InputError, match="lies flat"):
        sd.simulate(model, start, 0.1, elements=[sd.Rolling("rear_wheel", 0.3, axis=(0, 0, 1))])
    fast = turned(upright(model, 1.0), np.eye(9)[0])
    with pytest.raises(sd.InputError, match=r"'rear' slips at the start, by 1 m/s.*assemble"):
        sd.simulate(model, fast, 0.1, elements=wheels())
    with pytest.raises(sd.InputError, match=r"'rear' slips at the start"):
        sd.linearize(model, fast, elements=wheels())
    falls = sd.assemble(model, turned(upright(model, 0.5), np.eye(9)[3] * 0.2), wheels())
    with pytest.raises(sd.SimulationFailed, match="almost flat"):
        sd.simulate(model, falls, 20.0, gravity=DOWN, elements=wheels())
