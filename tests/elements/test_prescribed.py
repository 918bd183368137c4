"""Joints that move as given functions of time: exact motion, the forces that it takes, free motion of the rest."""

import math

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from scipy.interpolate import CubicSpline, make_interp_spline

import spacedyn as sd
from robots import koike


@sd.motion
def swing(t, p, out):
    out.value[0] = p.size * math.sin(p.speed * t)
    out.rate[0] = p.size * p.speed * math.cos(p.speed * t)
    out.acceleration[0] = -p.size * p.speed**2 * math.sin(p.speed * t)


@sd.motion
def sway(t, p, out):
    out.value[0] = -p.size * (1.0 - math.cos(p.speed * t))
    out.rate[0] = -p.size * p.speed * math.sin(p.speed * t)
    out.acceleration[0] = -p.size * p.speed**2 * math.cos(p.speed * t)


@sd.motion
def both(t, p, out):
    for i in range(out.value.size):
        out.value[i] = 0.3 * math.sin((i + 1) * t)
        out.rate[i] = 0.3 * (i + 1) * math.cos((i + 1) * t)
        out.acceleration[i] = -0.3 * (i + 1) ** 2 * math.sin((i + 1) * t)


def tree_of_many_kinds() -> sd.Model:
    """A free base with a branch of each kind of simple joint, each with a free revolute joint beyond it."""
    b = sd.Builder("kinds")
    b.base("bus", mass=40.0, inertia=(6.0, 8.0, 7.0))
    for k, kind in enumerate(("revolute", "prismatic", "helical", "cylindrical", "universal", "planar")):
        pitch = {"pitch": 0.1} if kind == "helical" else {}
        b.body(f"{kind}_arm", mass=2.0 + k, inertia=(0.2, 0.3, 0.25), com=(0.2, 0.1, 0.05 * k))
        b.joint(kind, kind, parent="bus", child=f"{kind}_arm", position=(0.3, 0.1 * k, -0.2), axis=(0, 0, 1), **pitch)
        b.body(f"{kind}_tip", mass=1.0, inertia=(0.1, 0.1, 0.05), com=(0.3, 0, 0))
        b.joint(
            f"{kind}_end", "revolute", parent=f"{kind}_arm", child=f"{kind}_tip", position=(0.5, 0, 0), axis=(0, 1, 0)
        )
    return b.build()


def test_koike_s_robot_keeps_its_momentum():
    """Box of 5 kg, arms driven as in the paper: linear and angular momentum to 1e-10 over a minute."""
    robot = koike(5.0, 1.0)
    attitude = sd.Rotation.from_euler("XYZ", [45, -84, 6], degrees=True)
    state = robot.state(base_attitude=attitude, base_rate_in_base_axes=[0.45, 0.03, -0.02], base_velocity=[2.0, 0, 0])
    arms = {
        "theta_y": swing(size=np.radians(20), speed=1.5),
        "theta_z": sway(size=np.radians(10), speed=0.8),
    }
    run = sd.simulate(robot, state, 60.0, prescribed=arms, adjust=True)
    audit = run.audit()
    assert audit.linear_momentum < 1e-10
    assert audit.angular_momentum < 1e-10
    assert audit.energy < 1e-10
    L = sd.momentum(robot, run.states, about="com")
    np.testing.assert_allclose(L, np.broadcast_to(L[0], L.shape), atol=1e-10 * np.linalg.norm(L[0]))
    t = run.time
    np.testing.assert_allclose(run.states.q[:, 0], np.radians(20) * np.sin(1.5 * t), atol=1e-14)
    np.testing.assert_allclose(run.states.qd[:, 1], -np.radians(10) * 0.8 * np.sin(0.8 * t), atol=1e-14)
    # the base's velocity is not constant, as the paper has it: its momentum is shared with the arms
    assert np.ptp(np.linalg.norm(run.states.base_velocity, axis=-1)) > 0.01


@pytest.mark.parametrize("method", [sd.DormandPrince8(), sd.RungeKutta4(2e-3), sd.SemiImplicitEuler(2e-3)])
def test_every_simple_kind_follows_its_motion_and_the_forces_are_those_of_inverse_dynamics(method):
    robot = tree_of_many_kinds()
    driven = ("revolute", "prismatic", "helical", "cylindrical", "universal", "planar")
    state = robot.state(base_rate=[0.1, 0.2, -0.3], qd={f"{kind}_end": 0.5 for kind in driven})
    given = {kind: both() for kind in driven}
    run = sd.simulate(robot, state, 0.5, prescribed=given, adjust=True, method=method, record=0.05, budget=1.0)
    for kind in driven:
        rates = np.arange(1, robot.joint(kind).nv + 1)
        np.testing.assert_allclose(
            run.states.q[:, robot.q_slice(kind)], 0.3 * np.sin(np.outer(run.time, rates)), atol=1e-14
        )
        np.testing.assert_allclose(
            run.states.qd[:, robot.qd_slice(kind)], 0.3 * rates * np.cos(np.outer(run.time, rates)), atol=1e-14
        )
        np.testing.assert_allclose(
            run["udot"][:, robot.u_slice(kind)], -0.3 * rates**2 * np.sin(np.outer(run.time, rates)), atol=1e-14
        )
    np.testing.assert_allclose(run["forces"], sd.inverse_dynamics(robot, run.states, run["udot"]), atol=1e-11)


def test_the_forces_drive_a_free_robot_along_the_same_motion():
    """The commands of a PD law about the prescribed path fade as its feed-forward is what was recorded."""
    robot = koike(5.0, 1.0)
    path = sd.waypoints([0.0, 1.0, 2.0], [0.0, 0.4, 0.1])
    first = sd.simulate(
        robot, robot.neutral_state(), 2.0, prescribed={"theta_y": path, "theta_z": "locked"}, record=0.01
    )
    table = CubicSpline(first.time, first["forces"][:, 6:]).c  # (4, pieces, 2)

    @sd.law
    def replay(t, s, p, out):
        i = min(int(t / 0.01), p.a.shape[0] - 1)
        d = t - 0.01 * i
        for j in range(2):
            out.tau[j] = ((p.a[i, j] * d + p.b[i, j]) * d + p.c[i, j]) * d + p.d[i, j]

    again = replay(a=table[0], b=table[1], c=table[2], d=table[3])
    second = sd.simulate(robot, robot.neutral_state(), 2.0, laws=[again], method=sd.RungeKutta4(1e-3), record=0.01)
    np.testing.assert_allclose(second.states.q, first.states.q, atol=1e-6)
    assert first["joint_work"][-1, 0] == pytest.approx(second["joint_work"][-1, 0], abs=1e-7)
    assert first["joint_work"][-1, 1] == 0.0


@pytest.mark.parametrize("stop", [False, True])
@pytest.mark.parametrize("kind", ["quintic", "cubic"])
def test_waypoints_are_met_and_jumps_of_acceleration_do_no_harm(kind, stop):
    robot = koike(5.0, 1.0)
    times, values = [0.0, 0.7, 1.1, 2.0], [0.0, 0.4, -0.2, 0.3]
    path = sd.waypoints(times, values, kind, stop=stop)
    for t, value in zip(times, values, strict=True):
        assert path.at(t)[0] == pytest.approx(value, abs=1e-13)
    for t in (0.0, 2.0) if not stop else times:
        assert path.at(t)[1] == pytest.approx(0.0, abs=1e-12)
    if kind == "quintic":
        assert path.at(0.0)[2] == pytest.approx(0.0, abs=1e-11)
    state = robot.state(base_rate=[0.3, 0.2, 0.1])
    run = sd.simulate(robot, state, 3.0, prescribed={"theta_y": path}, record=0.1)
    assert run.audit().worst < 1e-10
    assert run.final.q[0] == pytest.approx(0.3, abs=1e-14)
    assert run.final.qd[0] == 0.0
    expected = [path.at(min(t, 2.0))[0, 0] for t in run.time]
    np.testing.assert_allclose(run.states.q[:, 0], expected, atol=1e-14)


def test_splines_and_polynomials_of_other_libraries():
    robot = koike(5.0, 1.0)
    knots = np.linspace(0.0, 2.0, 9)
    state = robot.state(base_rate=[0.3, 0.2, 0.1])
    polynomial = Polynomial([0.1, 0.2, -0.3, 0.05])
    for given in (
        CubicSpline(knots, polynomial(knots)),
        make_interp_spline(knots, polynomial(knots), k=5),
        polynomial,
        Polynomial.fit(knots, polynomial(knots), 3),
    ):
        run = sd.simulate(robot, state, 1.0, start=0.5, prescribed={"theta_y": given}, adjust=True, record=0.1)
        np.testing.assert_allclose(run.states.q[:, 0], polynomial(run.time), atol=1e-13)
        np.testing.assert_allclose(run["udot"][:, 6], polynomial.deriv(2)(run.time), atol=1e-10)
        assert run.audit().worst < 1e-10


def test_a_locked_joint_is_as_if_welded():
    b = sd.Builder("arm")
    b.base("bus", mass=10.0, inertia=(1, 2, 1.5))
    b.body("upper", mass=3.0, inertia=(0.1, 0.2, 0.2), com=(0.5, 0, 0))
    b.body("lower", mass=2.0, inertia=(0.1, 0.15, 0.12), com=(0.3, 0.1, 0))
    b.joint("shoulder", "spherical", parent="bus", child="upper", position=(0.5, 0, 0))
    b.joint("elbow", "revolute", parent="upper", child="lower", position=(1.0, 0, 0))
    robot = b.build()
    turn = sd.Rotation.from_euler("XYZ", [0.3, 0.2, -0.4]).as_quat()
    state = robot.state(q={"shoulder": turn, "elbow": 0.4}, base_rate=[0.3, -0.2, 0.5], qd={"elbow": 0.6})
    run = sd.simulate(robot, state, 2.0, prescribed={"shoulder": "locked"}, record=0.1)
    welded = robot.lock({"shoulder": turn})
    same = sd.simulate(welded, welded.state(q=[0.4], qd=[0.6], base_rate=[0.3, -0.2, 0.5]), 2.0, record=0.1)
    np.testing.assert_allclose(run.states.q[:, 4], same.states.q[:, 0], atol=1e-10)
    np.testing.assert_allclose(run.states.q[:, :4], np.broadcast_to(turn, (21, 4)), atol=1e-15)
    still = sd.simulate(robot, state.replace(qd=[0.0] * 4), 1.0, prescribed={"elbow": 0.4, "shoulder": "locked"})
    np.testing.assert_array_equal(still.states.qd, 0.0)
    assert still.audit().worst < 1e-10


def test_a_batch_follows_as_each_robot_does():
    robot = koike(5.0, 1.0)
    rng = np.random.default_rng(3)
    batch = robot.state(base_rate=rng.normal(size=(5, 3)), q={"theta_z": rng.normal(size=(5, 1))})
    given = {"theta_y": sd.waypoints([0, 0.5, 1.0], [0, 0.3, 0.1]), "theta_z": "locked"}
    method = sd.RungeKutta4(5e-3)
    many = sd.simulate(robot, batch, 1.0, prescribed=given, method=method, record=0.1)
    for i in range(5):
        one = sd.simulate(robot, batch[i], 1.0, prescribed=given, method=method, record=0.1)
        np.testing.assert_allclose(many.states.u[:, i], one.states.u, atol=1e-13)
        np.testing.assert_allclose(many["forces"][:, i], one["forces"], atol=1e-11)


def test_a_state_that_contradicts_is_refused_with_how_much_or_adjusted():
    robot = koike(5.0, 1.0)
    with pytest.raises(sd.InputError, match=r"joint 'theta_y' is prescribed to be at .*0.25 off.*adjust=True"):
        sd.simulate(robot, robot.neutral_state(), 1.0, prescribed={"theta_y": 0.25})
    with pytest.raises(sd.InputError, match=r"moving with.*0.3 off"):
        sd.simulate(robot, robot.neutral_state(), 1.0, prescribed={"theta_y": swing(size=0.2, speed=1.5)})
    with pytest.raises(sd.InputError, match=r"moving with.*0.1 off"):
        sd.simulate(robot, robot.state(qd=[0.1, 0]), 1.0, prescribed={"theta_y": "locked"})
    run = sd.simulate(robot, robot.neutral_state(), 1.0, prescribed={"theta_y": 0.25}, adjust=True)
    np.testing.assert_array_equal(run.states.q[:, 0], 0.25)


@sd.motion
def misspelt(t, p, out):
    out.values[0] = 0.1


@sd.motion
def wrong(t, p, out):
    out.value[0] = math.sin(t)
    out.rate[0] = math.sin(t)
    out.acceleration[0] = -math.sin(t)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"theta_x": 0.0}, "no joint named 'theta_x'"),
        ({"theta_y": "loose"}, "'locked'"),
        ({"theta_y": swing}, "call it"),
        ({"theta_y": [0.1, 0.2]}, "needs 1 column, .*got 2"),
        ({"theta_y": sd.table([0, 1, 2, 5], [0, 1, 1, 1], "linear")}, r"rate that jumps by 1 at t = 1 s"),
        ({"theta_y": sd.table([0, 1, 2], [0, 1, 1], "steps")}, r"value that jumps by 1 at t = 1 s"),
        ({"theta_y": object()}, "expected waypoints"),
        ({"theta_y": float("nan")}, "finite"),
        ({"theta_y": CubicSpline([0, 1, 2], [0, 1, 3])}, "still moves"),
        ({"theta_y": wrong()}, "not the derivative of its value"),
        ({"theta_y": misspelt()}, "motion 'misspelt': out has no 'values'; did you mean 'value'"),
        (["theta_y"], "{joint: motion}"),
    ],
)
def test_what_cannot_be_prescribed_is_refused(given, message):
    robot = koike(5.0, 1.0)
    with pytest.raises((sd.InputError, sd.UnknownName), match=message):
        sd.simulate(robot, robot.neutral_state(), 5.0, prescribed=given, adjust=True)


@pytest.mark.parametrize("times", [[0.0], [0.0, 0.0], [1.0, 0.5], [0.0, np.inf]])
def test_bad_waypoints_are_refused(times):
    with pytest.raises(sd.InputError, match="times of waypoints"):
        sd.waypoints(times, np.zeros(len(times)))
    with pytest.raises(sd.InputError, match="values of waypoints"):
        sd.waypoints([0, 1], [0, 1, 2])
    with pytest.raises(sd.InputError, match="kind"):
        sd.waypoints([0, 1], [0, 1], "linear")


@sd.motion
def only_a_value(t, p, out):
    """A place that does not change: rate and acceleration are left out."""
    for i in range(out.value.size):
        out.value[i] = p.place


def test_what_a_motion_leaves_out_is_zero():
    """Not what the joint before it had."""
    robot = sd.load("planar_four_link")
    first, second, *_ = robot.joint_names
    prescribed = {first: swing(size=0.3, speed=1.5), second: only_a_value(place=0.2)}
    run = sd.simulate(robot, robot.neutral_state(), 2.0, prescribed=prescribed, adjust=True)
    k = robot.u_slice(second).start
    assert not run["udot"][:, k].any() and not run["u"][:, k].any()
    assert run.audit().energy < 1e-9
