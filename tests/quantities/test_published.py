"""Cases with known answers: worked out by hand, from closed formulas, or published. Each names its source and bound."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.polynomial.legendre import leggauss
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import ellipk

import spacedyn as sd
from published_cases import DOWN, G, TwoBodies, same_turn, scalar_first
from robots import ALONG_X, koike, lone, pendulum
from spacedyn.model.shapes import box, point, rod


def travel(model: sd.Model, state: sd.State, duration: float, **loads) -> Callable[[float], np.ndarray]:
    """(x, u) over time, by SciPy's integrator of the eighth order on this package's forward dynamics."""
    nx = 7 + model.nq
    turning, plain = [], []  # (place in x, place in u) of quaternions, and of coordinates that are lengths and angles
    if model.base_kind in ("free", "attitude"):
        turning += [(3, model.base_dof - 3)]
    if model.base_kind == "free":
        plain += [(k, k) for k in range(3)]
    for joint in model.joints:
        x, u = 7 + model.q_slice(joint.name).start, model.u_slice(joint.name).start
        if joint.kind == "spherical":
            turning += [(x, u)]
        else:
            plain += [(x + k, u + k) for k in range(joint.nv)]

    def rate(_: float, y: np.ndarray) -> np.ndarray:
        data, xdot = y.copy(), np.zeros(nx)
        for x, u in plain:
            xdot[x] = y[nx + u]
        for x, u in turning:
            q = data[x : x + 4] = y[x : x + 4] / np.linalg.norm(y[x : x + 4])
            w = y[nx + u : nx + u + 3]  # of the base in inertial axes, of a joint in the child's
            turn = np.cross(w, q[:3]) if x == 3 else np.cross(q[:3], w)
            xdot[x : x + 4] = 0.5 * np.append(q[3] * w + turn, -w @ q[:3])
        return np.concatenate([xdot, sd.forward_dynamics(model, sd.State(model, data), **loads)])

    start = np.concatenate([state.x, state.u])
    return solve_ivp(rate, (0, duration), start, "DOP853", rtol=1e-12, atol=1e-13, dense_output=True).sol


# --- one body --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", ["free", "attitude"])
@pytest.mark.parametrize("seed", range(5))
def test_euler_s_equations(base, seed):
    """By hand: ω̇ = R I⁻¹ (Rᵀ T - Rᵀω × I Rᵀω), v̇ = F/m + g, whatever the attitude and the body's frame."""
    rng = np.random.default_rng(seed)
    moments, axes = np.array([1.0, 2.0, 2.5]), sd.Rotation.random(rng=rng).as_matrix()
    inertia, mass = axes @ np.diag(moments) @ axes.T, 4.0
    model = lone(mass, inertia, com=rng.normal(size=3), base=base)
    state = model.random_state(rng, 6)
    wrench, g = rng.normal(size=(6, 6)), np.array([0, 0, -G])
    udot = sd.forward_dynamics(model, state, base_wrench=wrench, gravity=g)
    for i in range(6):
        R = state.base_attitude[i].as_matrix()
        w, T = R.T @ state.base_rate[i], R.T @ wrench[i, 3:]
        wdot = R @ np.linalg.solve(inertia, T - np.cross(w, inertia @ w))
        np.testing.assert_allclose(udot[i, -3:], wdot, rtol=1e-12, atol=1e-13)
        if base == "free":
            np.testing.assert_allclose(udot[i, :3], wrench[i, :3] / mass + g, rtol=1e-14)
            L = R @ inertia @ w
            momentum = sd.momentum(model, state[i], about="base")
            np.testing.assert_allclose(momentum, [*(mass * state.base_velocity[i]), *L], rtol=1e-12)
        speed = state.base_velocity[i] @ state.base_velocity[i]
        energy = 0.5 * (w @ inertia @ w + mass * speed)
        assert sd.kinetic_energy(model, state[i]) == pytest.approx(energy, rel=1e-13)


def test_a_symmetric_body_precesses():
    """By hand, with both axes coinciding: A ω̇2 = (C - A) ω3 ω1, and it falls like any other body."""
    A, C = 2.0, 3.0
    model = lone(1.0, (A, A, C))
    udot = sd.forward_dynamics(model, model.state(base_rate=[0.3, 0.0, 2.0]), gravity=[0, 0, -G])
    np.testing.assert_allclose(udot, [0, 0, -G, 0, (C - A) / A * 2.0 * 0.3, 0], rtol=1e-15)


@pytest.mark.parametrize(
    ("inertia", "w0", "time", "rate", "turn", "bound"),
    [
        pytest.param(
            (0.001894220, 0.006211019, 0.007194665),
            np.radians([10, 20, 30]),
            30.0,
            np.radians([12.618390775914, -17.397474761611, 31.119588886944]),
            (0.8811471853104, -0.4701825277667, -0.0117282523249, -0.0486875394721),
            1e-11,  # rad/s: the bound of 1e-9 deg/s
            id="tumbling brick",
        ),
        pytest.param(
            (1.0, 2.0, 3.0),
            (1, -0.5, 0.8),
            10.0,
            (1.057653665388, 0.362448236431, 0.824344441745),
            (0.7126626154826, -0.0431032820259, 0.0310576976928, -0.6994923323283),
            1e-11,
            id="asymmetric top",
        ),
    ],
)
def test_torque_free_bodies_by_jacobi_functions(inertia, w0, time, rate, turn, bound):
    """NESC check case 2 (the tumbling brick), and I = (1, 2, 3): rates in body axes, quaternions (w, x, y, z)."""
    model = lone(1.0, inertia, base="attitude")
    end = travel(model, model.state(base_rate_in_base_axes=w0), time)(time)
    attitude = sd.Rotation.from_quat(end[3:7])
    np.testing.assert_allclose(attitude.inv().apply(end[7:]), rate, atol=bound)
    same_turn(scalar_first(end[3:7]), turn, 1e-10)


def test_heavy_top():
    """A top on a ball joint [benchmark of Géradin and Cardona]: m = 15, centre (0, 1, 0), spin 150 rad/s; 1e-8."""
    b = sd.Builder("heavy top", base="fixed")
    b.base("ground", mass=1.0, inertia=(1, 1, 2))
    b.body("top", mass=15.0, inertia=(0.234375, 0.46875, 0.234375), com=(0, 1, 0))
    b.joint("tip", "spherical", parent="ground", child="top")
    model = b.build()
    path = travel(model, model.state(qd=[0, 150, -4.61538]), 1.0, gravity=[0, 0, -G])
    same_turn(scalar_first(path(0.2)[7:11]), (-0.7082791530, 0.4387810881, 0.5457283961, 0.0893997528), 1e-8)
    centre = sd.Rotation.from_quat(path(1.0)[7:11]).apply([0, 1, 0])
    np.testing.assert_allclose(centre, [0.1733439641, 0.6400885921, -0.7484907911], atol=1e-8)


# --- pendulums -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "inertia", "arm"),
    [
        (point(2.0, position=(0.7, 0, 0)), 2.0 * 0.7**2, 0.7),
        (rod(2.0, 1.2, position=(0.6, 0, 0), rotation=ALONG_X), 2.0 * 1.2**2 / 3.0, 0.6),
        (box(2.0, (1.0, 0.4, 0.3), position=(0.8, 0, 0)), 2.0 * (1.0**2 + 0.4**2) / 12 + 2.0 * 0.8**2, 0.8),
    ],
    ids=["point", "rod", "box"],
)
def test_pendulum_equation(shape, inertia, arm):
    """By hand: J q'' = τ - m g a sin q - d q', J about the hinge; the hinge carries weight and centripetal force."""
    model = pendulum(shape)
    q, qd, tau = np.linspace(-3, 3, 13), np.linspace(-2, 2, 13), np.linspace(1, -1, 13)
    state = model.state(q=q[:, None], qd=qd[:, None])
    assert sd.mass_matrix(model, state).ravel() == pytest.approx(np.full(13, inertia), rel=1e-14)
    udot = sd.forward_dynamics(model, state, tau[:, None], gravity=DOWN)
    wanted = (tau - 2.0 * G * arm * np.sin(q)) / inertia
    np.testing.assert_allclose(udot[:, 0], wanted, rtol=1e-13, atol=1e-14)

    # Newton at the centre of mass: m (a - g) is what the ground gives through the hinge
    radial, tangent = np.array([np.sin(q), -np.cos(q), 0 * q]), np.array([np.cos(q), np.sin(q), 0 * q])
    force = 2.0 * (arm * wanted * tangent - arm * qd**2 * radial).T - 2.0 * np.array(DOWN)
    reactions = sd.joint_reactions(model, state, udot, gravity=DOWN)
    np.testing.assert_allclose(reactions[:, 1, :3], force, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(reactions[:, 1, 5], tau, atol=1e-13)  # about the axis, only the motor
    np.testing.assert_allclose(reactions[:, 0, :3], force - np.array(DOWN), rtol=1e-13, atol=1e-13)  # and the ground

    height = -arm * np.cos(q)
    np.testing.assert_allclose(sd.potential_energy(model, state, gravity=DOWN), 2.0 * G * height, rtol=1e-13)
    np.testing.assert_allclose(sd.kinetic_energy(model, state), 0.5 * inertia * qd**2, rtol=1e-13)


def hinge(kind: str = "revolute", **properties) -> sd.Model:
    """A body of 2 kg, its centre 0.5 m out, on a joint with properties of its own."""
    b = sd.Builder("hinge", base="fixed")
    b.base("ground", mass=1.0, inertia=(1, 1, 2))
    b.body("bob", mass=2.0, inertia=(0.02, 0.03, 0.04), com=(0.5, 0, 0))
    b.joint("joint", kind, parent="ground", child="bob", **properties)
    return b.build()


def test_springs_dampers_and_rotors():
    model = hinge(stiffness=3.0, damping=0.4, rest=0.2, rotor_inertia=1e-3, gear=10)
    state = model.state(q=[0.7], qd=[1.5])
    force = -3.0 * (0.7 - 0.2) - 0.4 * 1.5
    assert sd.passive_force(model, state)[0] == pytest.approx(force, rel=1e-15)
    inertia = 0.04 + 2.0 * 0.5**2 + 10**2 * 1e-3
    assert sd.forward_dynamics(model, state, [0.1])[0] == pytest.approx((force + 0.1) / inertia, rel=1e-14)
    assert sd.forward_dynamics(model, state, [0.1], passive=False)[0] == pytest.approx(0.1 / inertia, rel=1e-14)
    assert sd.inverse_dynamics(model, state, [2.0])[0] == pytest.approx(2.0 * inertia - force, rel=1e-14)
    assert sd.kinetic_energy(model, state) == pytest.approx(0.5 * inertia * 1.5**2, rel=1e-14)
    assert sd.potential_energy(model, state) == pytest.approx(0.5 * 3.0 * 0.5**2, rel=1e-14)


@pytest.mark.parametrize(
    ("q", "qd", "force"),
    [
        (0.0, 1.0, -0.6 * np.tanh(1.0 / 0.5)),  # dry friction alone, against the motion
        (0.0, -1.0, 0.6 * np.tanh(1.0 / 0.5)),
        (0.0, 0.0, 0.0),
        (0.9, 0.0, -50 * 0.1),  # beyond the upper stop: back
        (-0.5, 0.0, 50 * 0.2),  # below the lower one: up again
        (0.9, 0.5, -50 * 0.1 - 4 * 0.5 - 0.6 * np.tanh(1.0)),  # its damper helps on the way in
        (0.9, -5.0, 0.6 * np.tanh(10.0)),  # and on the way out the stop does not pull
    ],
)
def test_dry_friction_and_end_stops(q, qd, force):
    stops = {"lower": -0.3, "upper": 0.8, "stop_stiffness": 50.0, "stop_damping": 4.0}
    model = hinge(friction=0.6, friction_speed=0.5, **stops)
    state = model.state(q=[q], qd=[qd])
    assert sd.passive_force(model, state)[0] == pytest.approx(force, rel=1e-13, abs=1e-15)
    inertia = 0.04 + 2.0 * 0.5**2
    assert sd.forward_dynamics(model, state)[0] == pytest.approx(force / inertia, rel=1e-13, abs=1e-15)


def test_the_spring_of_a_ball_joint_turns_it_back():
    """Along the rotation vector from rest to the present attitude, which both frames see alike."""
    rest = sd.Rotation.from_rotvec([0.3, -0.2, 0.5])
    turn = np.array([0.4, 0.8, -0.6])
    model = hinge("spherical", stiffness=3.0, rest=rest.as_quat(), damping=0.2)
    state = model.state(q=(rest * sd.Rotation.from_rotvec(turn)).as_quat(), qd=[1, 2, 3])
    np.testing.assert_allclose(sd.passive_force(model, state), -3.0 * turn - 0.2 * np.array([1, 2, 3]), rtol=1e-14)
    assert sd.potential_energy(model, state) == pytest.approx(0.5 * 3.0 * turn @ turn, rel=1e-14)


def test_period_of_a_pendulum_from_the_horizontal():
    """Exact by the elliptic integral: T = 4 sqrt(l/g) K(sin 45°) = 2.36784194757624 s for l = 1 m."""
    model = pendulum(point(1.0, position=(1, 0, 0)))
    path = travel(model, model.state(q=[np.pi / 2]), 1.0, gravity=DOWN)
    quarter = brentq(lambda t: path(t)[7], 0.1, 1.0, xtol=1e-14)
    assert 4 * quarter == pytest.approx(2.36784194757624, abs=1e-11)
    assert 4 * np.sqrt(1 / G) * ellipk(0.5) == pytest.approx(2.36784194757624, abs=1e-14)


def test_double_pendulum():
    """Point masses of 1 kg on rods of 1 m. The equations by hand, in absolute angles; and where 5 s lead from 90°."""
    model = pendulum(point(1.0, position=(1, 0, 0)), count=2)
    rng = np.random.default_rng(0)
    angles, rates = rng.uniform(-3, 3, (2, 20, 2))
    state = model.state(
        q=np.stack([angles[:, 0], angles[:, 1] - angles[:, 0]], axis=-1),
        qd=np.stack([rates[:, 0], rates[:, 1] - rates[:, 0]], axis=-1),
    )
    udot = sd.forward_dynamics(model, state, gravity=DOWN)
    between = angles[:, 0] - angles[:, 1]
    for i in range(20):
        c, s = np.cos(between[i]), np.sin(between[i])
        M = np.array([[2.0, c], [c, 1.0]])
        right = [-s * rates[i, 1] ** 2 - 2 * G * np.sin(angles[i, 0]), s * rates[i, 0] ** 2 - G * np.sin(angles[i, 1])]
        np.testing.assert_allclose(np.cumsum(udot[i]), np.linalg.solve(M, right), rtol=1e-11, atol=1e-12)

    end = travel(model, model.state(q=[np.pi / 2, 0]), 5.0, gravity=DOWN)(5.0)
    np.testing.assert_allclose(np.cumsum(end[7:9]), [-0.6271867050665, -1.3013155502099], atol=1e-8)


# --- a free base and one link ----------------------------------------------------------------------------------------


def test_a_free_base_and_one_link_under_gravity():
    """RBDL's own test of a floating base with one joint: ay = -8.81, base's angular acceleration -1, qdd = 2 for τ = 1.

    Both bodies have mass 1, unit inertia and their centres 1 m out along x in their frames; the joint, about z, is 2 m
    out on the base. The line of centres goes through the joint, so that τ makes a pure couple, which turns both bodies
    against each other at 1 rad/s² each. Both centres fall at 9.81; the base's *frame*, whose acceleration those numbers
    have, is 1 m behind the centre and thus 1 m/s² slower.
    """
    b = sd.Builder("two bodies")
    with pytest.warns(sd.ModelWarning, match="placeholder"):
        b.base("base", mass=1.0, inertia=(1, 1, 1), com=(1, 0, 0))
        b.body("link", mass=1.0, inertia=(1, 1, 1), com=(1, 0, 0))
        b.joint("joint", "revolute", parent="base", child="link", position=(2, 0, 0))
        model = b.build()
    state = model.neutral_state()
    udot = sd.forward_dynamics(model, state, [1.0], gravity=[0, -9.81, 0])
    np.testing.assert_allclose(udot, [0, -9.81, 0, 0, 0, -1, 2], atol=1e-14)
    frame = sd.forward_kinematics(model, state, udot).bodies.of("base")
    np.testing.assert_allclose(frame.acceleration, [0, -8.81, 0, 0, 0, -1], atol=1e-14)


@pytest.mark.parametrize("base", ["free", "planar"])
def test_recoil_of_two_bodies(base):
    """By hand, from zero angular momentum about the common centre: dθ0/dq = -(D + K cos q)/(C + 2 K cos q)."""
    q, t = np.linspace(-7, 7, 101), TwoBodies
    wanted = -(t.D + t.K * np.cos(q)) / (t.C + 2 * t.K * np.cos(q))
    np.testing.assert_allclose(t.recoil(base, q), wanted, rtol=1e-13)


@pytest.mark.parametrize("base", ["free", "planar"])
def test_turn_of_the_base_for_a_turn_of_the_joint(base):
    """Exact: a quarter turn of the joint turns the base by -0.414420205968355, a full turn by -1.28127806341749 rad."""
    nodes, weights = leggauss(40)
    quarter = np.pi / 4 * weights @ TwoBodies.recoil(base, np.pi / 4 * (nodes + 1))
    assert quarter == pytest.approx(-0.414420205968355, abs=1e-14)
    full = 2 * np.pi * TwoBodies.recoil(base, np.linspace(0, 2 * np.pi, 64, endpoint=False)).mean()
    assert full == pytest.approx(-1.28127806341749, abs=3e-14)


def test_the_base_turns_so_when_the_joint_is_driven():
    """The same quarter turn through forward dynamics, from rest: whatever the motor does, momentum stays zero."""
    model = TwoBodies.model("free")
    start = model.neutral_state()
    path = travel(model, start, 8.0, tau=[0.2])
    time = brentq(lambda t: path(t)[7] - np.pi / 2, 0.1, 8.0, xtol=1e-13)
    turn = sd.Rotation.from_quat(path(time)[3:7]).as_rotvec()
    np.testing.assert_allclose(turn, [0, 0, -0.414420205968355], atol=1e-9)


def test_capture_and_lock_up():
    """A target at 2.5 m is grasped and held: both momenta are kept. Exact; 1e-12."""
    chaser, target = lone(2550.0, (6000, 6100, 6200)), lone(350.0, (90, 80, 100))
    before = [
        chaser.neutral_state(),
        target.state(base_position=[2.5, 0, 0], base_velocity=[0, -0.05, 0], base_rate=[0, 0, 0.1]),
    ]
    pair = list(zip((chaser, target), before, strict=True))
    momentum = sum(sd.momentum(model, state, about="origin") for model, state in pair)
    energy = sum(sd.kinetic_energy(model, state) for model, state in pair)
    stack = chaser.attach(target, "body", ((2.5, 0, 0), None), prefix="target ")
    state = stack.neutral_state()
    u = np.linalg.solve(sd.momentum_matrix(stack, state, about="origin"), momentum)
    locked = state.replace(base_velocity=u[:3], base_rate=u[3:])
    assert u[5] == pytest.approx(-0.00346201221270, abs=1e-14)
    velocity = sd.center_of_mass_velocity(stack, locked)
    np.testing.assert_allclose(velocity, [0, -0.00603448275862, 0], atol=1e-14)
    assert energy - sd.kinetic_energy(stack, locked) == pytest.approx(0.835416830464, abs=1e-12)


# --- robots of the papers --------------------------------------------------------------------------------------------


def test_koike_s_bodies():
    """The paper's masses and lengths; its (II.26) printed ML²/125 and ML²/12, which these shapes put right."""
    M, L = 8.0, 1.5
    satellite, yellow, green = koike(M, L).bodies
    np.testing.assert_allclose(satellite.inertia, M * L**2 / 150 * np.diag([1, 13, 13]), rtol=1e-14, atol=1e-16)
    for arm in (yellow, green):
        np.testing.assert_allclose(arm.inertia, M * L**2 / 48 * np.diag([0, 1, 1]), atol=1e-15)


def test_koike_s_partial_velocities():
    """(II.18), (II.20), (II.22), (II.23) of the paper: velocities of the arms' centres, in the satellite's axes."""
    L, rng = 1.5, np.random.default_rng(0)
    model = koike(8.0, L)
    state = model.random_state(rng, 25)
    for one in state:
        R, (y, z) = one.base_attitude.as_matrix(), one.q
        cy, sy, cz, sz = np.cos(y), np.sin(y), np.cos(z), np.sin(z)
        partial = {  # columns for u4, u5, u6 and the arm's own rate
            "yellow": L / 2 * np.array([[0, sy, 0, sy], [-sy, 0, 1 - cy, 0], [0, cy - 1, 0, cy]]),
            "green": L
            / 10
            * np.array([[0, 0, -1 - 5 * sz, -5 * sz], [0, 0, 5 * (cz - 1), 5 * cz], [1 + 5 * sz, 5 * (1 - cz), 0, 0]]),
        }
        for k, name in enumerate(("yellow", "green")):
            J = sd.body_jacobian(model, one, name)
            np.testing.assert_allclose(J[:3, :3], np.eye(3), atol=1e-15)
            found = np.column_stack([R.T @ J[:3, 3:6] @ R, R.T @ J[:3, 6 + k]])
            np.testing.assert_allclose(found, partial[name], atol=1e-14)
            axis = R[:, 1 + k]  # b2 for the yellow arm, b3 for the green one: (II.15), (II.16)
            np.testing.assert_allclose(J[3:, 3:6], np.eye(3), atol=1e-14)
            np.testing.assert_allclose(J[3:, 6 + k], axis, atol=1e-14)
            assert not J[:, 7 - k].any()


def test_koike_s_momentum_is_kept_while_the_arms_are_driven():
    """Driving the arms changes neither momentum about the centre of mass: what the paper's own test looked for."""
    model, rng = koike(8.0, 1.5), np.random.default_rng(1)
    state = model.random_state(rng, 20)
    motion = sd.hybrid_dynamics(model, state, ["theta_y", "theta_z"], rng.normal(size=(20, 8)))
    A, rate = (f(model, state, about="com") for f in (sd.momentum_matrix, sd.momentum_matrix_rate))
    change = np.einsum("bij,bj->bi", A, motion.udot) + np.einsum("bij,bj->bi", rate, state.u)
    np.testing.assert_allclose(change, 0.0, atol=1e-12)
    assert not motion.forces[:, :6].any()


def test_the_example_of_tian_and_wu():
    """Their start, q = (90°, 0, 90°): where hand and links are, and how the torques begin to move the robot."""
    robot = sd.load("tian_wu")
    state = robot.state(q=[np.pi / 2, 0, np.pi / 2])
    where = sd.forward_kinematics(robot, state)
    np.testing.assert_allclose(where.endpoints.of("hand").position, [0, 2, 0], atol=1e-15)
    np.testing.assert_allclose(where.centroids.position[1:], [[0.5, 0.5, 0], [0.5, 1.5, 0], [0.25, 2.0, 0]], atol=1e-15)
    masses = np.array([50, 10, 10, 5])
    centre = masses @ where.centroids.position / 75
    np.testing.assert_allclose(sd.center_of_mass(robot, state), centre, atol=1e-15)

    # the planar mass matrix by hand: (x, y, θ0, q1, q2, q3), each body turning with the joints before it
    spins = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]])
    hinges = np.array([[0, 0], [0.5, 0], [0.5, 1], [0.5, 2]])
    H = np.zeros((6, 6))
    for m, I, at, spin in zip(masses, (8.33, 0.84, 0.84, 0.11), where.centroids.position[:, :2], spins, strict=True):
        lever = at - hinges
        J = np.vstack([np.hstack([np.eye(2), [-lever[:, 1] * spin, lever[:, 0] * spin]]), [0, 0, *spin]])
        H += J.T @ np.diag([m, m, I]) @ J
    planar = [0, 1, 5, 6, 7, 8]
    np.testing.assert_allclose(sd.mass_matrix(robot, state)[np.ix_(planar, planar)], H, atol=1e-13)
    torques = np.array([-0.5, -0.3, -0.1])
    udot = sd.forward_dynamics(robot, state, torques)
    np.testing.assert_allclose(udot[planar], np.linalg.solve(H, [0, 0, 0, *torques]), rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(udot[[2, 3, 4]], 0, atol=1e-15)  # the motion stays in the plane
