"""Targets identified from motion: exact data, simulated data, noise within its covariance, what is not observable."""

import numpy as np
import pytest

import spacedyn as sd

MASS, COM = 60.0, np.array([0.3, -0.1, 0.2])
INERTIA = np.array([[6.0, 0.4, -0.3], [0.4, 5.0, 0.2], [-0.3, 0.2, 4.0]])


def robots():
    """A robot with six joints, and the same with a target in its hand."""
    robot = sd.load("ets7")
    b = sd.Builder("target")
    b.base("box", mass=MASS, inertia=INERTIA, com=COM)
    return robot, robot.attach(b.build(), "hand")


@pytest.fixture(scope="module")
def both():
    return robots()


def truth():
    square = COM @ COM * np.eye(3) - np.outer(COM, COM)
    I = INERTIA + MASS * square
    return np.array([MASS, *(MASS * COM), I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]])


def samples(robot, loaded, count, momentum, seed=0, about=None):
    """States of the robot that move as the loaded one does with a momentum (about the first base position)."""
    rng = np.random.default_rng(seed)
    states = loaded.random_state(rng, count)
    point = states.base_position[0]
    A = sd.momentum_matrix(loaded, states, about=point)
    base = np.linalg.solve(A[..., :6], (np.asarray(momentum) - (A[..., 6:] @ states.qd[..., None])[..., 0])[..., None])
    base = base[..., 0]
    return seen(robot, states, np.concatenate([base, states.qd], axis=-1))


def seen(robot, states, u):
    motion = {"base_velocity": u[..., :3], "base_rate": u[..., 3:6], "qd": u[..., 6:]}
    pose = {"base_position": states.base_position, "base_attitude": states.base_attitude, "q": states.q}
    return robot.state(**pose, **motion)


def test_the_regressor_is_the_momentum_of_what_is_attached(both):
    robot, loaded = both
    states = loaded.random_state(np.random.default_rng(3), 5)
    point = np.array([0.3, -0.5, 1.0])
    bare = seen(robot, states, states.u)
    expected = sd.momentum(loaded, states, about=point) - sd.momentum(robot, bare, about=point)
    found = sd.momentum_regressor(robot, bare, "hand", about=point) @ truth()
    np.testing.assert_allclose(found, expected, atol=1e-11 * np.abs(expected).max())


@pytest.mark.parametrize("known", [True, False])
def test_exact_data_give_exact_parameters(both, known):
    robot, loaded = both
    h = np.array([3.0, -2.0, 1.0, 5.0, 4.0, -6.0])
    states = samples(robot, loaded, 12, h)
    found = sd.identify_target(robot, states, "hand", momentum=h if known else None)
    np.testing.assert_allclose(found.parameters, truth(), rtol=1e-10, atol=1e-10)
    assert found.mass == pytest.approx(MASS, rel=1e-10)
    np.testing.assert_allclose(found.com, COM, rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.inertia, INERTIA, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.momentum, h, rtol=0, atol=1e-9)
    assert found.rank == (10 if known else 16) and found.unobservable == ()


def test_a_run_gives_its_target_and_the_momentum_that_it_brought(both):
    """An arm that moves after a catch: states of the run, as sensors would have them."""
    robot, loaded = both
    start = loaded.state(
        base_velocity=[0.01, -0.02, 0.0], base_rate=[0.001, 0.002, -0.001], q=[0.3, -0.5, 0.8, 0.2, 0.4, 0.1]
    )

    @sd.law
    def shake(t, s, p, out):
        for i in range(6):
            out.tau[i] = p.torque * np.sin((1.0 + 0.37 * i) * t + i)

    run = sd.simulate(loaded, start, 20.0, laws=[shake(torque=3.0)], record=0.5)
    states = seen(robot, run.states, run.states.u)
    found = sd.identify_target(robot, states, "hand")
    assert found.mass == pytest.approx(MASS, rel=1e-7)
    np.testing.assert_allclose(found.inertia, INERTIA, atol=1e-5)
    whole = sd.momentum(loaded, start, about=found.about)
    np.testing.assert_allclose(found.momentum, whole, atol=1e-6)


def test_known_impulses_from_outside_are_taken_into_account(both):
    robot, loaded = both
    rng = np.random.default_rng(5)
    pushes = rng.normal(size=(12, 6))
    h = np.array([3.0, -2.0, 1.0, 5.0, 4.0, -6.0])
    states = samples(robot, loaded, 12, h + pushes)
    found = sd.identify_target(robot, states, "hand", impulse=pushes)
    np.testing.assert_allclose(found.parameters, truth(), rtol=1e-10, atol=1e-10)
    wrong = sd.identify_target(robot, states, "hand")
    assert abs(wrong.mass - MASS) > 1e-3


def test_noise_stays_within_its_covariance(both):
    """Rates with noise, 60 times: the square of the error in units of its covariance is chi² with 16 degrees."""
    robot, loaded = both
    clean = samples(robot, loaded, 60, [3.0, -2.0, 1.0, 5.0, 4.0, -6.0], seed=1)
    rng, noise = np.random.default_rng(2), np.array([1e-4] * 3 + [2e-5] * 3 + [1e-3] * 6)
    exact = np.concatenate([truth(), [3.0, -2.0, 1.0, 5.0, 4.0, -6.0]])
    squares = []
    for _ in range(60):
        noisy = seen(robot, clean, clean.u + noise * rng.normal(size=clean.u.shape))
        found = sd.identify_target(robot, noisy, "hand", rate_noise=noise)
        error = np.concatenate([found.parameters, found.momentum]) - exact
        squares.append(error @ np.linalg.solve(found.covariance, error))
        assert found.residual == pytest.approx(1.0, abs=0.25)
    # the mean of 60 of them has the deviation sqrt(2 * 16 / 60) = 0.73
    assert np.mean(squares) == pytest.approx(16.0, abs=3 * 0.73)
    assert abs(found.mass - MASS) < 4 * found.standard_errors[0]
    plain = sd.identify_target(robot, noisy, "hand")  # rows count alike: its residual is in units of momentum
    assert abs(plain.mass - MASS) < 6 * plain.standard_errors[0]


def planar(count, seed=0):
    """A robot that moves in a plane alone, with a target in its hand."""
    b = sd.Builder("planar robot")
    b.base("bus", mass=100.0, inertia=(10, 12, 14))
    b.link("upper", parent="bus", position=(0.5, 0, 0), mass=5.0, inertia=(0.1, 0.5, 0.5), com=(0.5, 0, 0))
    b.link("fore", parent="upper", position=(1, 0, 0), mass=4.0, inertia=(0.1, 0.4, 0.4), com=(0.4, 0, 0))
    b.endpoint("hand", body="fore", position=(1, 0, 0))
    robot = b.build()
    b = sd.Builder("target")
    b.base("box", mass=20.0, inertia=(1, 2, 2.5), com=(0.2, 0.1, 0.3))
    loaded = robot.attach(b.build(), "hand")
    rng = np.random.default_rng(seed)
    states = loaded.state(q=rng.normal(size=(count, 2)), qd=rng.normal(size=(count, 2)))
    A = sd.momentum_matrix(loaded, states, about=(0, 0, 0))
    base = -np.linalg.solve(A[..., :6], A[..., 6:] @ states.qd[..., None])[..., 0]
    return robot, states, np.concatenate([base, states.qd], axis=-1)


def test_what_the_motion_does_not_show_is_named():
    robot, states, u = planar(10)
    u[:, [2, 3, 4]] = 0.0  # as seen in the plane: what its height makes of the rest is left out
    found = sd.identify_target(robot, seen(robot, states, u), "hand", momentum=np.zeros(6), tolerance=1e-7)
    assert {"m cz", "Ixx", "Iyy", "Ixy"} <= set(found.unobservable) | {"m cz"}
    assert {"Ixx", "Iyy", "Ixy"} <= set(found.unobservable)
    assert "mass" not in found.unobservable and "Izz" not in found.unobservable
    assert np.isnan(found.parameters[4]) and np.isnan(found.inertia[0, 0]) and np.isfinite(found.mass)
    assert found.rank == 10 - len(found.unobservable) and "not observable: " in repr(found)


def test_a_robot_that_only_drifts_shows_no_mass(both):
    """All moves at one velocity: the target's share is a constant, as the unknown momentum is."""
    robot = both[0]
    states = robot.state(
        base_position=np.outer(np.arange(5.0), [0.1, 0.2, 0.3]), base_velocity=np.tile([0.1, 0.2, 0.3], (5, 1))
    )
    found = sd.identify_target(robot, states, "hand")
    assert np.isnan(found.mass) and {"mass", "Px", "Ixx", "m cx"} <= set(found.unobservable)


def test_it_says_what_it_cannot_use(both):
    robot = both[0]
    states = robot.random_state(np.random.default_rng(0), 4)
    with pytest.raises(sd.InputError, match="two or more samples"):
        sd.identify_target(robot, states[0], "hand")
    with pytest.raises(sd.UnknownName, match="foot"):
        sd.identify_target(robot, states, "foot")
    with pytest.raises(
        sd.InputError, match=r"about must be three finite numbers .m., got .*, too large to compute with"
    ):
        sd.momentum_regressor(robot, states, "hand", about=(1e308, 0, 0))
    with pytest.raises(sd.InputError, match="momentum must be six finite numbers"):
        sd.identify_target(robot, states, "hand", momentum=[1.0, 2.0])
    with pytest.raises(sd.InputError, match="impulse must be the impulse before each of 4 samples"):
        sd.identify_target(robot, states, "hand", impulse=np.zeros((3, 6)))
    with pytest.raises(sd.InputError, match="rate_noise must be positive"):
        sd.identify_target(robot, states, "hand", rate_noise=-1.0)
    b = sd.Builder("fixed", base="fixed")
    b.base("floor", mass=1.0, inertia=(1, 1.2, 1.1))
    b.link("arm", parent="floor", mass=1.0, inertia=(0.1, 0.2, 0.2))
    b.endpoint("hand", body="arm")
    fixed = b.build()
    with pytest.raises(sd.InputError, match="the base is fixed"):
        sd.identify_target(fixed, fixed.random_state(np.random.default_rng(0), 4), "hand")
