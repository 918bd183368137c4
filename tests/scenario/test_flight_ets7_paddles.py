"""ETS-VII with flexible paddles: robot against ets7, a beam's closed form and MuJoCo; three flights side by side."""

import mujoco
import numpy as np
import pytest

import spacedyn as sd
from spacedyn.peers.robots import to_mujoco

ARM = [f"joint{i}" for i in range(1, 7)]
HOME, THERE = [0.3, 0.4, -0.8, 0.2, 0.4, 0.1], [-0.206, 0.279, 0.055, 0.905, 0.993, 0.415]
PADDLES = [f"paddle_{side}{i}" for side in ("left", "right") for i in range(1, 5)]
TIGHT = sd.DormandPrince8(rtol=1e-11, atol=1e-13)


@pytest.fixture(scope="module")
def robot():
    return sd.load("ets7_paddles")


@pytest.fixture(scope="module")
def flights():
    names = ("ets7_paddles", "ets7_paddles_wheels", "ets7_paddles_quiet")
    return {name: sd.Scenario.from_toml(name).run() for name in names}


def turn(run):
    """Of the satellite [rad], over time."""
    return (run.states[0].base_attitude.inv() * run.states.base_attitude).magnitude()


def bends(run):
    """(times, 2) how far the tips of both paddles are out of their planes at rest [m]."""
    angles = run.states.q[:, [run.states.model.q_slice(name).start for name in PADDLES]].reshape(-1, 2, 4)
    return -1.85 * np.sin(np.cumsum(angles, axis=2)).sum(axis=2)


def test_with_paddles_and_wheels_locked_it_is_ets7(robot):
    ets7 = sd.load("ets7")
    state = ets7.state(q=HOME)
    whole = robot.state(base_position=robot.bodies[0].com, q=dict(zip(ARM, HOME, strict=True)))
    locked = sd.generalized_inertia(robot, whole)[:6, :6]  # the others do not move
    np.testing.assert_allclose(locked, sd.generalized_inertia(ets7, state), rtol=1e-12, atol=1e-12)
    assert robot.total_mass == pytest.approx(ets7.total_mass, rel=1e-15)
    np.testing.assert_allclose(sd.center_of_mass(robot, whole), sd.center_of_mass(ets7, state), atol=1e-14)
    assert robot.nv == 24


def test_its_paddles_bend_as_beams_of_a_tenth_of_a_hertz(robot):
    """A chain of four segments has 2.787 % less than a beam's first frequency, (1.8751 / L)² sqrt(EI / m) / 2 pi."""
    EI, per_length = 349.74512293555375 * 1.85, 50.0 / 7.4
    exact = (1.875104068711961 / 7.4) ** 2 * np.sqrt(EI / per_length) / (2 * np.pi)
    assert exact == pytest.approx(0.1, rel=1e-12)
    found = sd.natural_frequencies(robot, base="clamped")
    np.testing.assert_allclose(found.frequencies[:2], 0.1 * (1 - 0.02787), atol=0.5e-6)
    np.testing.assert_allclose(found.damping_ratios[:2], 0.005, rtol=1e-9)


def test_paddles_that_swing_alike_or_against_each_other_have_frequencies_of_two_body_problems(robot):
    """Clamped modes with their effective masses, on a free mass or inertia: a second route to the free frequencies."""
    locked = [*ARM, "wheel1", "wheel2", "wheel3", "wheel4"]
    clamped = sd.natural_frequencies(robot, base="clamped")
    H = sd.mass_matrix(robot, robot.neutral_state())
    shares = clamped.shapes @ H[:, :6]  # of momentum, about the base's centre of mass
    ets7 = sd.load("ets7")
    about = np.eye(6)  # from the centre of mass of ets7's base to that of this one
    about[:3, 3:] = -np.cross(np.eye(3), -robot.bodies[0].com)
    rigid = about.T @ sd.mass_matrix(ets7, ets7.neutral_state())[:6, :6] @ about
    left = np.linalg.inv(rigid - shares.T @ shares)  # the satellite without the paddles' moving part
    K = np.diag((2 * np.pi * clamped.frequencies) ** 2)
    free = np.linalg.eigvals((np.eye(8) + shares @ left @ shares.T) @ K)
    frequencies = sd.natural_frequencies(robot, locked=locked).frequencies
    np.testing.assert_allclose(np.sort(np.sqrt(free.real)) / (2 * np.pi), frequencies, rtol=1e-9)


def test_mujoco_flies_the_same_satellite(robot):
    """Springs, dampers and six arm joints in motion, five seconds by MuJoCo's own RK4 at 1 ms.

    MuJoCo refuses moments that break the triangle inequality; links that do have rounder ones here, in both.
    """
    rounder = {name: robot.body(name).inertia + 0.6 * np.eye(3) for name in ("link2", "link3", "link5")}
    robot = robot.vary(inertia=rounder)
    peer, mapping = to_mujoco(robot)
    for joint in robot.joints:
        number = peer.joint(f"{joint.name}/0").id
        peer.jnt_stiffness[number] = joint.stiffness[0]
        peer.dof_damping[peer.jnt_dofadr[number]] = joint.damping[0]
    peer.opt.integrator, peer.opt.timestep, peer.opt.gravity[:] = mujoco.mjtIntegrator.mjINT_RK4, 1e-3, 0.0
    peer.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    q, qd = dict(zip(ARM, HOME, strict=True)), dict(zip(ARM, [0.2, -0.1, 0.15, 0.3, -0.2, 0.4], strict=True))
    start = robot.state(q=q | {"paddle_left1": 0.02, "paddle_right3": -0.03}, qd=qd | {"wheel1": 40.0, "wheel3": -25.0})
    data = mujoco.MjData(peer)
    data.qpos[:], data.qvel[:] = mapping.position(start.x), mapping.velocity(start.x, start.u)
    for _ in range(5000):
        mujoco.mj_step(peer, data)
    run = sd.simulate(robot, start, 5.0, method=TIGHT, record=[0.0, 5.0])
    np.testing.assert_allclose(data.qpos, mapping.position(run.final.x), atol=1e-8)
    np.testing.assert_allclose(data.qvel, mapping.velocity(run.final.x, run.final.u), atol=1e-8)


def test_three_flights_keep_their_momentum_and_their_ledgers(flights):
    for run in flights.values():
        assert run.audit().within_budget and run.audit().verdict.startswith("good to round-off")
        assert np.abs(run.momentum(about="com")).max() < 1e-9
        distance = np.linalg.norm(run.endpoint("hand").position[-1] - run.endpoint("hand").position[0])
        assert distance == pytest.approx(1.0, abs=0.05)


def test_wheels_bring_the_satellite_back_and_a_reactionless_path_leaves_it_alone(flights):
    free, wheels, quiet = flights.values()
    after = free.time > 12.0
    assert turn(free).max() > np.radians(1.0) and turn(free)[-1] > np.radians(0.9)
    assert turn(wheels)[-1] < np.radians(0.003) and turn(wheels).max() < 0.4 * turn(free).max()
    assert turn(quiet).max() < 2e-4 * turn(free).max()
    swing = [np.abs(bends(run)[after]).max() for run in (free, wheels, quiet)]
    assert swing[0] > 1.4 * swing[1] > 2.8 * swing[2]
    left, right = bends(quiet)[after].T  # both swing alike, by the satellite's shift
    assert np.abs(left - right).max() < 2e-3 * np.abs(left + right).max()
    assert np.abs(wheels["torque"]).max() < 2.0  # no motor saturates


def test_the_free_satellite_turns_as_its_momentum_says(flights, robot):
    """The rigid satellite's turn along the same joint path, by quadrature of momentum, but for the paddles' bend."""
    ets7 = sd.load("ets7")
    end = sd.freefloating.base_motion(ets7, ets7.state(q=HOME), [HOME, THERE]).state.base_attitude
    free = flights["ets7_paddles"]
    calm = free.states.base_attitude[free.time > 12.0]
    mean = calm.mean()  # the paddles' swing moves it about this
    assert (end.inv() * mean).magnitude() < 0.02 * end.magnitude()


def test_modes_of_the_paddles_agree_with_the_chain_to_second_order(robot):
    clamped = sd.natural_frequencies(robot, base="clamped")
    shares = clamped.shapes @ sd.mass_matrix(robot, robot.neutral_state())[:, :6]
    table = {"frequencies": clamped.frequencies, "damping": clamped.damping_ratios, "position": robot.bodies[0].com}
    modes = sd.ModalAppendage("base", **table, delta0=shares[:, :3], delta1=shares[:, 3:], name="paddles")
    rigid, wheels, off = sd.load("ets7"), {f"wheel{i}": "locked" for i in range(1, 5)}, []
    for scale in (0.5, 0.25):
        motion = {n: sd.waypoints([0, 12], [a, a + scale * (b - a)]) for n, a, b in zip(ARM, HOME, THERE, strict=True)}
        start = robot.state(q=dict(zip(ARM, HOME, strict=True)))
        options = {"record": 0.5, "method": TIGHT}
        chain = sd.simulate(robot, start, 25.0, prescribed=motion | wheels, **options)
        modal = sd.simulate(rigid, rigid.state(q=HOME), 25.0, prescribed=motion, elements=[modes], **options)
        off.append((chain.states.base_attitude.inv() * modal.states.base_attitude).magnitude().max())
        assert modal.audit().within_budget
        assert off[-1] < 3e-4 * turn(chain).max()
    assert off[0] / off[1] == pytest.approx(4.0, rel=0.15)
