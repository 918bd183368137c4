"""Reaction wheels and control-moment gyros that are joints: against a spacecraft simulator, the ledger, the law."""

import json
from pathlib import Path

import numpy as np
import pytest

import spacedyn as sd

CASES = json.loads(Path(__file__).with_name("cases.json").read_text(encoding="utf-8"))
RPM = 2.0 * np.pi / 60.0
WHEELS = [f"wheel{i}" for i in range(4)]


@sd.law
def constant(t, s, p, out):
    for i in range(p.tau.size):
        out.tau[i] = p.tau[i]


def start_of(model, hub, qd):
    """The state of a case: what is given is the motion of the common centre of mass."""
    at_rest = model.state(base_rate=hub["w"], qd=qd)
    centre, speed = sd.center_of_mass(model, at_rest), sd.center_of_mass_velocity(model, at_rest)
    position = at_rest.base_position + np.array(hub["r"]) - centre
    velocity = at_rest.base_velocity + np.array(hub["v"]) - speed
    return model.state(base_position=position, base_velocity=velocity, base_rate=hub["w"], qd=qd)


def check_hub(case, model, run, atol=1e-10):
    end, expected, com = run.final, case["expected"], np.array(case["hub"]["c"])
    R = end.base_attitude.as_matrix()
    arm = R @ -com
    half = end.base_attitude.as_rotvec()
    angle = np.linalg.norm(half)
    found = {
        "r_BN_N": end.base_position + arm,
        "v_BN_N": end.base_velocity + np.cross(end.base_rate, arm),
        "sigma_BN": half / angle * np.tan(angle / 4.0),
        "omega_BN_B": end.base_rate_in_base_axes,
    }
    for name, value in found.items():
        np.testing.assert_allclose(value, expected[name], rtol=0, atol=atol, err_msg=name)
    tree = case["tree"]
    np.testing.assert_allclose(end.q, tree["q"], rtol=1e-10, atol=atol)
    np.testing.assert_allclose(end.qd, tree["qd"], rtol=1e-10, atol=atol)
    about_centre = np.linalg.norm(run.momentum(about="com")[:, 3:], axis=1)
    np.testing.assert_allclose(about_centre, np.linalg.norm(expected["L0"]), rtol=1e-12)


def test_three_reaction_wheels_as_a_spacecraft_simulator_has_them():
    """It counts the wheels in the hub: taken out of it here, they give the same satellite."""
    case = CASES["basilisk_rw_balanced"]
    hub, given, mass = case["hub"], case["inputs"], 9.0
    Js, com = given["Js"], np.array(hub["c"])
    J = np.diag(hub["I"]) - Js * np.eye(3) - 2 * 0.5 * Js * np.eye(3)
    b = sd.Builder("hub and wheels")
    b.base("hub", mass=hub["m"] - 3 * mass, inertia=J, com=com)
    for name, axis in zip("xyz", np.eye(3), strict=True):
        b.wheel(name, on="hub", axis=axis, mass=mass, inertia=Js, position=com)
    model = b.build()
    start = start_of(model, hub, np.array(given["speeds0_rpm"]) * RPM)
    run = sd.simulate(model, start, case["t"], laws=[constant(tau=given["torque"])])
    check_hub(case, model, run)
    assert run.audit().worst < 1e-12


def test_three_control_moment_gyros_as_a_spacecraft_simulator_has_them():
    case = CASES["basilisk_vscmg_balanced"]
    hub, given = case["hub"], case["inputs"]
    a = np.radians(54.75)
    gimbal_axes = np.array([[0, 0, 1], [np.cos(a), 0, np.sin(a)], [-np.cos(a), 0, np.sin(a)]])
    b = sd.Builder("hub and gyros")
    b.base("hub", mass=hub["m"], inertia=hub["I"], com=hub["c"])
    for i in range(3):
        b.control_moment_gyro(
            f"gyro{i}",
            on="hub",
            mass=6.0,
            inertia=given["IW"][0],
            transverse_inertia=given["IW"][1],
            spin_axis=given["gs0"][i],
            gimbal_axis=gimbal_axes[i],
            gimbal_mass=6.0,
            gimbal_inertia=given["IG"],
            position=given["r_GB"][i],
        )
    model = b.build()
    wheels = np.array(given["wheel_rpm0"]) * RPM
    qd = np.column_stack([given["gimbal_rate0"], wheels]).ravel()
    tau = np.column_stack([given["gimbal_torque"], given["wheel_torque"]]).ravel()
    run = sd.simulate(model, start_of(model, hub, qd), case["t"], laws=[constant(tau=tau)])
    check_hub(case, model, run)
    assert run.audit().worst < 1e-12


# --- attitude control by motors --------------------------------------------------------------------------------------


def satellite(inertia=0.2, on_arm=False):
    """A bus whose axes are not principal ones, with four wheels in a pyramid."""
    b = sd.Builder("satellite")
    b.base("bus", mass=300.0, inertia=[[60, 1, -2], [1, 80, 1.5], [-2, 1.5, 70]], com=(0.01, -0.02, 0.03))
    if on_arm:
        b.link("boom", parent="bus", position=(1, 0, 0), axis=(0, 1, 0), mass=10.0, inertia=(0.2, 1.0, 1.1))
    tilt = np.radians(35.26)
    for i, name in enumerate(WHEELS):
        a = np.radians(45 + 90 * i)
        axis = np.array([np.cos(tilt) * np.cos(a), np.cos(tilt) * np.sin(a), np.sin(tilt)])
        where = np.array([0.3 * np.cos(a), 0.3 * np.sin(a), -0.4])
        b.wheel(name, on="boom" if on_arm else "bus", axis=axis, mass=8.0, inertia=inertia, position=where)
    return b.build()


def turn(model, start, target, motors, **options):
    law = sd.control.wheel_motor_attitude_hold(
        model, start, wheels=WHEELS, target_rpy_xyz_deg=target, bandwidth=0.05, **options
    )
    return law, [sd.Motor(wheel, **motors) for wheel in WHEELS]


def test_an_hour_of_attitude_control_keeps_momentum_and_energy():
    """Motors saturate on the way, on their curve of torque over speed; steps end there."""
    model = satellite()
    start = model.state(base_rate=[0.01, -0.02, 0.015], qd=dict(zip(WHEELS, (12.0, -20.0, 30.0, 0.0), strict=True)))
    law, motors = turn(model, start, (60, -40, 110), {"stall_torque": 0.05, "no_load_speed": 50.0})
    run = sd.simulate(
        model, start, 3600.0, laws=[law], elements=motors, method=sd.DormandPrince8(max_step=0.5), record=5.0
    )
    audit = run.audit()
    assert max(audit.energy, audit.angular_momentum, audit.linear_momentum) < 1e-12
    L = run.momentum(about="com")[:, 3:]
    assert np.abs(L - L[0]).max() < 1e-12 * np.abs(run["qd"] * 0.2).max() * 4
    np.testing.assert_array_equal(run["impulse"], 0.0)  # nothing acts from outside
    np.testing.assert_allclose(run.final.base_attitude.as_euler("XYZ", degrees=True), (60, -40, 110), atol=1e-6)
    torque, speed = run["torque"], run["qd"]
    has = 0.05 * np.where(torque * speed > 0.0, 1.0 - np.abs(speed) / 50.0, 1.0)
    assert (np.abs(torque) <= has + 1e-12).all()
    assert (np.abs(np.abs(torque) - has) < 1e-12).sum() > 10  # saturated


def test_a_sampled_law_with_a_fixed_step_keeps_them_too():
    model = satellite()
    start = model.state(base_rate=[0.01, -0.02, 0.015])
    law, motors = turn(model, start, (20, 5, -10), {"stall_torque": 0.05}, period=0.5)
    run = sd.simulate(model, start, 300.0, laws=[law], elements=motors, method=sd.RungeKutta4(0.02), record=1.0)
    assert run.audit().worst < 1e-12
    assert np.abs(run["torque"]).max() == 0.05
    np.testing.assert_allclose(run.final.base_attitude.as_euler("XYZ", degrees=True), (20, 5, -10), atol=0.05)


def test_wheels_on_an_arm_turn_the_base_that_carries_it():
    model = satellite(on_arm=True)
    start = model.state(q={"boom": 0.4})
    law, motors = turn(model, start, (3, -4, 5), {"stall_torque": 1.0})
    run = sd.simulate(model, start, 300.0, laws=[law], elements=motors, prescribed={"boom": "locked"}, record=1.0)
    assert run.final.base_attitude.as_euler("XYZ", degrees=True) == pytest.approx((3, -4, 5), abs=1e-3)
    assert run.audit().worst < 1e-9


def test_torque_is_shared_out_with_the_least_squares():
    """What the wheels give the base is what an ideal torque would be, and no other shares are smaller."""
    model = satellite()
    start = model.state(base_rate=[0.002, 0.001, -0.003])
    law, motors = turn(model, start, (1, 2, 3), {"stall_torque": 10.0})
    run = sd.simulate(model, start, 1e-3, laws=[law], elements=motors, method=sd.RungeKutta4(1e-3), budget=1.0)
    torque = run["torque"][0]
    axes = np.array([model.joint(wheel).axis for wheel in WHEELS]).T
    ideal = sd.control.attitude_hold(model, start, target_rpy_xyz_deg=(1, 2, 3), bandwidth=0.05)
    asked = sd.simulate(model, start, 1e-3, laws=[ideal], method=sd.RungeKutta4(1e-3), budget=1.0)["base_wrench"][0, 3:]
    np.testing.assert_allclose(-axes @ torque, asked, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(np.linalg.svd(axes)[2][3] @ torque, 0.0, atol=1e-15)  # nothing along the null space


def test_motors_may_have_names_of_their_own():
    model = satellite()
    start = model.neutral_state()
    names = ["a", "b", "c", "d"]
    law = sd.control.wheel_motor_attitude_hold(
        model, start, wheels=WHEELS, motors=names, target_rpy_xyz_deg=(0, 0, 1), bandwidth=0.1
    )
    motors = [sd.Motor(w, stall_torque=1.0, name=name) for w, name in zip(WHEELS, names, strict=True)]
    run = sd.simulate(model, start, 100.0, laws=[law], elements=motors)
    assert run.final.base_attitude.as_euler("XYZ", degrees=True)[2] == pytest.approx(1.0, abs=1e-2)
    with pytest.raises(sd.InputError, match="out has no 'a'"):
        sd.simulate(model, start, 1.0, laws=[law], elements=[sd.Motor(w, stall_torque=1.0) for w in WHEELS])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"wheels": WHEELS[:2]}, "do not span three dimensions"),
        ({"wheels": ["wheel9"]}, "wheel9"),
        ({"wheels": WHEELS, "motors": ["a"]}, "4 wheels; give each a motor"),
        ({"wheels": WHEELS, "motors": ["a", "b", "c", "c"]}, "4 wheels; give each a motor"),
        ({"wheels": WHEELS, "motors": ["a", "b", "c", "not one"]}, "identifier"),
        ({"wheels": WHEELS, "bandwidth": -1.0}, "bandwidth must be"),
    ],
)
def test_the_law_says_what_it_was_not_given(options, words):
    model = satellite()
    with pytest.raises(sd.SpacedynError, match=words):
        sd.control.wheel_motor_attitude_hold(model, model.neutral_state(), **options)


def test_wheels_that_slide_are_refused():
    b = sd.Builder("slider")
    b.base("bus", mass=10.0, inertia=(1, 2, 2.5))
    b.link("slide", "prismatic", parent="bus", mass=1.0, inertia=(0.1, 0.2, 0.2))
    model = b.build()
    with pytest.raises(sd.InputError, match="'slide' is prismatic"):
        sd.control.wheel_motor_attitude_hold(model, model.neutral_state(), wheels=["slide"])


# --- builders --------------------------------------------------------------------------------------------------------


def test_a_wheel_is_a_body_that_is_symmetric_about_its_joint():
    axis = np.array([2, -1, 2]) / 3.0
    b = sd.Builder("bus with a wheel")
    b.base("bus", mass=100.0, inertia=(10, 12, 14))
    b.wheel(
        "w", on="bus", axis=axis, mass=4.0, inertia=0.03, transverse_inertia=0.02, position=(0.1, 0, 0), damping=1e-4
    )
    model = b.build()
    joint, body = model.joint("w"), model.body("w")
    assert (joint.kind, joint.lower[0], joint.upper[0], joint.damping[0]) == ("revolute", -np.inf, np.inf, 1e-4)
    np.testing.assert_allclose(body.inertia @ axis, 0.03 * axis, atol=1e-16)
    np.testing.assert_allclose(np.linalg.eigvalsh(body.inertia), [0.02, 0.02, 0.03], atol=1e-16)
    drawn = body.shapes[0]
    assert drawn.mass == 0.0
    np.testing.assert_allclose(drawn.rotation[:, 2], axis)
    assert drawn.size[0] == pytest.approx(np.sqrt(2 * 0.03 / 4))  # a cylinder with these moments
    assert 4.0 * (3 * drawn.size[0] ** 2 + drawn.size[1] ** 2) / 12 == pytest.approx(0.02)
    assert sd.Model.from_toml(model.to_toml()) == model


def test_a_gimbal_without_mass_is_a_mere_frame():
    b = sd.Builder("bus with a gyro")
    b.base("bus", mass=100.0, inertia=(10, 12, 14))
    b.control_moment_gyro("g", on="bus", mass=5, inertia=0.1, spin_axis=(1, 0, 0), gimbal_axis=(0, 0, 1))
    model = b.build()
    assert model.body_names == ("bus", "g_gimbal", "g_wheel")
    assert model.body("g_gimbal").massless
    start = model.state(qd={"g_wheel": 300.0, "g_gimbal": 0.02})
    run = sd.simulate(model, start, 30.0, record=1.0)
    assert run.audit().worst < 1e-11
    assert np.abs(run["base_rate"]).max() > 2e-4  # its momentum turns, and the bus with it


def test_a_spinning_wheel_disturbs_no_digits():
    """A rotor is reckoned about its own centre: about the base's, m ω² d would cancel to 1e-11 of the momentum only."""
    b = sd.Builder("bus with a wheel")
    b.base("bus", mass=100.0, inertia=(10, 12, 14))
    b.wheel("w", on="bus", mass=5.0, inertia=0.05, position=(0.4, 0.3, -0.2), axis=(0.6, 0.0, 0.8))
    model = b.build()
    run = sd.simulate(model, model.state(base_rate=[0.01, 0.02, 0.03], qd=[600.0]), 600.0, record=10.0)
    P = run.momentum(about="com")[:, :3]
    assert np.abs(P - P[0]).max() < 1e-12
    assert run.audit().linear_momentum < 1e-14


def test_wheels_are_added_to_a_robot_from_the_library(recwarn):
    robot = sd.load("ets7")
    recwarn.clear()
    b = sd.Builder.from_model(robot, "ets7 with a wheel")
    b.wheel("wheel", on="base", axis=(0, 1, 0), mass=5.0, inertia=0.04)
    model = b.build()
    assert not recwarn  # what its links are suspected of was said when it was loaded
    assert model.name == "ets7 with a wheel"
    assert model.joint_names == (*robot.joint_names, "wheel")
    assert model.endpoint_names == robot.endpoint_names
    assert sd.Builder.from_model(robot).build() == robot
    with pytest.raises(sd.InputError, match="one robot"):
        sd.Builder.from_model(robot.vary(mass={"base": [2000.0, 2500.0]}))


def test_all_that_is_wrong_with_wheels_is_said_at_once():
    b = sd.Builder("bad")
    b.base("bus", mass=100.0, inertia=(10, 12, 14))
    b.wheel("one", on="bus", mass=-1.0, inertia=0.1)
    b.wheel("two", on="nothing", mass=1.0, inertia=0.3, transverse_inertia=0.1)
    b.wheel("three", on="bus", mass="5 kg", inertia=0.3, axis=(1, 1, 0))
    b.control_moment_gyro("g", on="bus", mass=1, inertia=0.1, spin_axis=(1, 0, 0), gimbal_axis=(0.6, 0.8, 0))
    b.control_moment_gyro(
        "h", on="bus", mass=1, inertia=0.1, spin_axis=(1, 0, 0), gimbal_axis=(0, 0, 1), gimbal_mass=1.0
    )
    with pytest.raises(sd.ModelError) as caught:
        b.build()
    text = str(caught.value)
    for words in (
        "wheel 'one': mass is -1 kg; give a number above 0",
        "wheel 'two': its inertia 0.3 is more than twice",
        "'nothing'",
        "wheel 'three': mass is text",
        "joint 'three': axis (1, 1, 0) has length",
        "gyro 'g': spin_axis (1, 0, 0) and gimbal_axis (0.6, 0.8, 0) must be at right angles",
        "gyro 'h': gimbal_inertia is missing",
    ):
        assert words in text, words
    assert text.count("axis (1, 1, 0)") == 1


# --- imbalance -------------------------------------------------------------------------------------------------------


def mrp(attitude):
    turn = attitude.as_rotvec()
    angle = np.linalg.norm(turn)
    return turn / angle * np.tan(angle / 4.0)


@pytest.mark.filterwarnings("ignore:.*triangle inequality")  # the literals' imbalance is ten thousand times a real one
def test_wheels_with_imbalance_as_a_spacecraft_simulator_has_them():
    """Static along w2, dynamic along w3, both with the wheel's mass taken out of the hub; nine published digits."""
    case = CASES["basilisk_rw_jitter_fully_coupled"]
    hub, given = case["hub"], case["inputs"]
    b = sd.Builder("hub and wheels")
    b.base("hub", mass=hub["m"], inertia=hub["I"], com=hub["c"])
    for name, axis, w2, at in zip("xyz", np.eye(3), given["w2"], given["at"], strict=True):
        b.wheel(
            name,
            on="hub",
            axis=axis,
            mass=given["mass"],
            inertia=100 / (6000 * RPM),
            transverse_inertia=50 / (6000 * RPM),
            position=at,
            static_imbalance=given["U_s"] * np.array(w2),
            dynamic_imbalance=given["U_d"] * np.cross(axis, w2),
        )
    model = b.build()
    start = start_of(model, hub, np.array(given["speeds0_rpm"]) * RPM)
    half = sd.simulate(model, start, given["torque_ends"], laws=[constant(tau=given["torque"])])
    run = sd.simulate(model, half.final, case["t"] - given["torque_ends"])
    np.testing.assert_allclose(mrp(run.final.base_attitude), case["expected"]["sigma_BN"], rtol=0, atol=5e-12)
    assert run.audit().worst < 1e-12


@pytest.mark.filterwarnings("ignore:.*triangle inequality")
def test_gyros_with_imbalance_and_offsets_as_a_spacecraft_simulator_has_them():
    case = CASES["basilisk_vscmg_jitter_fully_coupled"]
    hub, given, a = case["hub"], case["inputs"], np.radians(54.75)
    b = sd.Builder("hub and gyros")
    b.base("hub", mass=hub["m"], inertia=hub["I"], com=hub["c"])
    for i, gimbal_axis in enumerate(([0, 0, 1], [-np.cos(a), 0, np.sin(a)])):
        s = np.array(given["gs0"][i], dtype=float)
        G = np.column_stack([s, np.cross(gimbal_axis, s), gimbal_axis])
        b.control_moment_gyro(
            f"gyro{i}",
            on="hub",
            mass=given["massW"],
            inertia=100 / (6000 * RPM),
            transverse_inertia=50 / (6000 * RPM),
            spin_axis=s,
            gimbal_axis=gimbal_axis,
            gimbal_mass=given["massG"],
            gimbal_inertia=given["IG"],
            position=given["r_GB"][i],
            gimbal_com=G @ given["r_GcG_G"],
            wheel_position=G @ [given["l"], 0.0, given["L"]],
            static_imbalance=given["U_s"] * G[:, 1],
            dynamic_imbalance=given["U_d"] * G[:, 2],
        )
    model = b.build()
    qd = np.column_stack([given["gimbal_rate0"], np.array(given["wheel_rpm0"]) * RPM]).ravel()
    run = sd.simulate(model, start_of(model, hub, qd), case["t"])
    R, expected = run.final.base_attitude.as_matrix(), case["expected"]
    np.testing.assert_allclose(mrp(run.final.base_attitude), expected["sigma_BN"], rtol=0, atol=1e-15)
    np.testing.assert_allclose(run.final.base_position - R @ hub["c"], expected["r_BN_N"], rtol=0, atol=1e-9)
    assert run.audit().worst < 1e-12


def test_an_imbalance_shakes_its_bearing_with_the_square_of_the_speed():
    """On a base that does not move: a force s W² along s, a moment -axis × p W², both turning with the wheel."""
    b = sd.Builder("bench", base="fixed")
    b.base("bench", mass=1.0, inertia=(1, 1.2, 1.1))
    b.wheel("w", on="bench", mass=5.0, inertia=0.05, static_imbalance=2e-4, dynamic_imbalance=3e-5)
    model, speed, angle = b.build(), 300.0, 0.7
    body = model.body("w")
    np.testing.assert_allclose(body.com, [2e-4 / 5.0, 0, 0])
    np.testing.assert_allclose(body.inertia[2, :2], [0, 3e-5])
    state = model.state(q=[angle], qd=[speed])
    force, moment = np.split(sd.joint_reactions(model, state, np.zeros(1))[1], 2)
    turn = sd.Rotation.from_rotvec([0, 0, angle])
    np.testing.assert_allclose(force, -(speed**2) * turn.apply([2e-4, 0, 0]), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(moment, speed**2 * turn.apply(np.cross([0, 0, 1], [0, 3e-5, 0])), rtol=1e-12, atol=1e-12)


def test_a_wheel_with_an_imbalance_keeps_the_momentum_too():
    """At 600 rad/s for 20 s, with the imbalance of a data sheet: it is reckoned about its own centre."""
    b = sd.Builder("bus with a wheel")
    b.base("bus", mass=100.0, inertia=(10, 12, 14))
    imbalance = {"static_imbalance": 5e-6, "dynamic_imbalance": 5e-7}
    b.wheel("w", on="bus", mass=5.0, inertia=0.05, position=(0.4, 0.3, -0.2), axis=(0.6, 0.0, 0.8), **imbalance)
    model = b.build()
    run = sd.simulate(model, model.state(base_rate=[0.01, 0.02, 0.03], qd=[600.0]), 20.0, record=1.0)
    audit = run.audit()
    assert audit.linear_momentum < 2e-13 and audit.angular_momentum < 1e-12 and audit.energy < 1e-12
    assert np.ptp(run["base_velocity"], axis=0).max() > 1e-5  # it is shaken


def test_what_is_wrong_with_an_imbalance_is_said():
    b = sd.Builder("bad")
    b.base("bus", mass=100.0, inertia=(10, 12, 14))
    b.wheel("one", on="bus", mass=1.0, inertia=0.1, static_imbalance=(0, 0, 1e-3))
    b.wheel("two", on="bus", mass=1.0, inertia=0.1, dynamic_imbalance=3.0)
    b.wheel("three", on="bus", mass=1.0, inertia=0.1, static_imbalance=[1.0, 2.0])
    with pytest.raises(sd.ModelError) as caught:
        b.build()
    for words in (
        "wheel 'one': static_imbalance (0, 0, 0.001) must be across the axis (0, 0, 1)",
        "wheel 'two': its dynamic_imbalance 3 kg m^2 is more than",
        "wheel 'three': static_imbalance has shape (2,)",
    ):
        assert words in str(caught.value), words
