"""Reactionless motion, base and arm together, quiet flexible bases: on random trees, and where they cannot."""

import numpy as np
import pytest

import spacedyn as sd
from leading_cases import ETS7, off_path, random_arm
from spacedyn import control

TIGHT = sd.DormandPrince8(rtol=1e-11, atol=1e-13)


def still(seed, **options):
    model, state, links = random_arm(seed, **options)
    return model, model.state(q=state.q), links


@pytest.mark.parametrize("case", ["ets7", "random", "planar_four_link"])
def test_a_reactionless_endpoint_moves_and_the_base_keeps_its_attitude(case):
    robot, start, links = still(21, joints=12) if case == "random" else (sd.load(case), None, 6)
    start = (
        robot.state(q=start.q)
        if start is not None
        else robot.state(q=ETS7 if case == "ets7" else [0.4, -0.7, 0.9, 0.5])
    )
    name, follow = ("tip", ("x", "y", "z")[: max(links - 3, 1)]) if case == "random" else ("hand", ("x", "y", "z"))
    if case == "planar_four_link":
        name, follow = robot.endpoint_names[0], ("x", "y")
    by = np.array([0.01, 0.012, 0.0 if case == "planar_four_link" else -0.008])
    line = sd.endpoint_line(*sd.endpoint_pose(robot, start, name)[:2], by=by, duration=6.0)
    law = control.reactionless(robot, start, endpoint=name, path=line, follow=follow)
    run = sd.simulate(robot, start, 6.0, laws=[law], record=0.5, method=TIGHT)
    assert run.states.base_attitude.magnitude().max() < 1e-10
    rows = [("x", "y", "z").index(axis) for axis in follow]
    moved = run.endpoint(name).position - line.at(0.0).position
    assert np.abs(moved[-1, rows] - by[rows]).max() < 1e-8
    assert np.abs(run.states.qd).max() > 1e-3  # it moved


def test_joints_follow_as_far_as_the_base_does_not_notice():
    robot = sd.load("ets7")
    start = robot.state(q=ETS7)
    law = control.reactionless(robot, start, times=[0, 8], values=[ETS7, np.array(ETS7) + 0.4])
    run = sd.simulate(robot, start, 8.0, laws=[law], record=0.5, method=TIGHT)
    assert run.states.base_attitude.magnitude().max() < 1e-10
    went = run.final.q - ETS7
    assert np.linalg.norm(went) > 0.1
    assert np.linalg.norm(went - 0.4) > 0.3  # it cannot follow: three of six directions belong to the base
    free = control.computed_torque(robot, start, times=[0, 8], values=[ETS7, np.array(ETS7) + 0.4])
    loose = sd.simulate(robot, start, 8.0, laws=[free], record=0.5)
    assert loose.states.base_attitude.magnitude().max() > 1e-2  # what the same path does otherwise


def wheeled(seed):
    model, start, links = still(seed)
    builder = sd.Builder.from_model(model)
    for i, axis in enumerate([(1, 0, 0), (0, 1, 0), (0, 0, 1), (0.6, 0.64, 0.48)]):
        builder.wheel(f"wheel{i}", on="base", axis=axis, mass=0.5, inertia=0.02)
    robot = builder.build()
    q = {joint.name: start.q[model.q_slice(joint.name)] for joint in model.joints if joint.nv > 0}
    return robot, robot.state(q=q), links, [f"wheel{i}" for i in range(4)]


@pytest.mark.parametrize("seed", [5, 31])
def test_base_and_arm_go_together_and_saturated_motors_leave_them_behind(seed):
    robot, start, links, wheels = wheeled(seed)
    line = sd.endpoint_line(*sd.endpoint_pose(robot, start, "tip")[:2], by=[0.05, -0.04, 0.06], duration=5.0)
    rows = ("x", "y", "z")[: min(links, 3)]
    law = control.coordinated(
        robot, start, endpoint="tip", path=line, follow=rows, wheels=wheels, target_rpy_xyz_deg=[5, 0, -4]
    )
    off = []
    for torque in (100.0, 1e-3):
        motors = [sd.Motor(wheel, stall_torque=torque) for wheel in wheels]
        run = sd.simulate(robot, start, 30.0, laws=[law], elements=motors, record=5.0)
        wanted = sd.Rotation.from_euler("XYZ", [5, 0, -4], degrees=True)
        turn = (run.final.base_attitude.inv() * wanted).magnitude()
        off.append((np.abs(run.endpoint("tip").position[1] - line.at(5.0).position)[: len(rows)].max(), turn))
        assert run.audit().within_budget
        assert np.abs(run.momentum(about="com")[:, 3:]).max() < 1e-9  # wheels are inside
    assert off[0][0] < 1e-7 and off[0][1] < 1e-5
    assert off[1][1] > 1e-3  # motors that are too weak


def test_torques_from_outside_hold_the_base_while_the_arm_works():
    robot = sd.load("ets7")
    start = robot.state(q=ETS7)
    line = sd.endpoint_line(*sd.endpoint_pose(robot, start, "hand")[:2], by=[0.1, 0.2, -0.1], duration=6.0)
    law = control.coordinated(robot, start, endpoint="hand", path=line)
    run = sd.simulate(robot, start, 6.0, laws=[law], record=0.5, method=TIGHT)
    assert run.states.base_attitude.magnitude().max() < 1e-12 and off_path(run, "hand", line).max() < 1e-9
    assert np.abs(run["base_wrench"][:, :3]).max() == 0.0 and np.abs(run["base_wrench"][:, 3:]).max() > 0.5


def flexible_base(small_joints):
    """A platform on springs in x and y, and an arm on it."""
    b = sd.Builder("flexible base", base="fixed")
    b.base("ground", mass=1.0, inertia=(1.0, 1.2, 1.4))
    b.link("slide", "prismatic", parent="ground", axis=(1, 0, 0), mass=20.0, inertia=(2, 2.5, 3), stiffness=1500.0)
    b.link("platform", "prismatic", parent="slide", axis=(0, 1, 0), mass=40.0, inertia=(4, 4.5, 5), stiffness=400.0)
    parent = "platform"
    for i in range(small_joints):
        where, small = (0.8 * (i > 0), 0, 0.2), {"mass": 8.0, "com": (0.4, 0, 0), "inertia": (0.1, 0.5, 0.6)}
        b.link(f"arm{i}", "revolute", parent=parent, position=where, axis=(0, 0, 1), **small)
        parent = f"arm{i}"
    return b.build()


def swing(run, joint):
    """The largest swing of a flexible joint within three seconds from 0, 8 and 16 s on."""
    q = np.abs(run.states.q[:, joint])
    return np.array([q[(run.time >= t) & (run.time < t + 3.0)].max() for t in (0.0, 8.0, 16.0)])


def test_vibrations_of_a_flexible_base_die_away_by_the_time_constant_whatever_their_frequency():
    robot = flexible_base(2)
    start = robot.state(q=[0.004, 0.01, 0.5, 1.4])
    law = control.vibration_damping(
        robot, start, flexible=["slide", "platform"], joints=["arm0", "arm1"], time_constant=5.0, home_bandwidth=0.1
    )
    run = sd.simulate(robot, start, 20.0, laws=[law], record=0.02)
    held = control.joint_hold(robot, start, joints=["arm0", "arm1"], bandwidth=20.0)
    loose = sd.simulate(robot, start, 20.0, laws=[held], record=0.02)
    for joint in (0, 1):
        decay = swing(run, joint) / swing(run, joint)[0]
        assert np.allclose(decay[1:], np.exp([-8.0 / 5.0, -16.0 / 5.0]), rtol=0.2), (joint, decay)
        assert swing(loose, joint)[2] > 0.8 * swing(loose, joint)[0]
    assert np.abs(run.states.q[:, 2:] - start.q[2:]).max() < 0.6  # the arm stays about where it is


def test_the_ledger_of_a_macro_mini_arm_shows_the_energy_of_its_vibration_taken_away():
    b = sd.Builder("macro-mini")
    b.base("station", mass=4000.0, inertia=(6e3, 7e3, 8e3))
    boom = {"mass": 80.0, "com": (3, 0, 0), "inertia": (1.0, 240.0, 240.0), "stiffness": 20000.0}
    b.link("boom", "revolute", parent="station", position=(1, 1, 0), axis=(0, 0, 1), **boom)
    mini = {"mass": 12.0, "com": (0.6, 0, 0), "inertia": (0.1, 1.5, 1.5)}
    b.link("mini", "revolute", parent="boom", position=(6, 0, 0), axis=(0, 0, 1), **mini)
    robot = b.build()
    start = robot.state(q=[0.02, 1.2])
    law = control.vibration_damping(
        robot, start, flexible=["boom"], joints=["mini"], time_constant=6.0, home_bandwidth=0.1
    )
    run = sd.simulate(robot, start, 24.0, laws=[law], record=0.02)
    assert np.allclose(swing(run, 0)[1:] / swing(run, 0)[0], np.exp([-8.0 / 6.0, -16.0 / 6.0]), rtol=0.2)
    assert run.audit().within_budget
    assert np.isclose(run["joint_work"][-1].sum(), -0.5 * 20000.0 * 0.02**2, rtol=0.05)


def test_a_long_arm_whose_joints_are_held_is_calmed_as_one_without_them():
    b = sd.Builder("macro-mini", base="fixed")
    b.base("station", mass=1.0, inertia=(1, 1.1, 1.2))
    b.link("turntable", "revolute", parent="station", mass=60.0, inertia=(5, 5.5, 6), com=(0.2, 0, 0))
    boom = {"mass": 80.0, "com": (3, 0, 0), "inertia": (1.0, 240.0, 240.0), "stiffness": 20000.0}
    b.link("boom", "revolute", parent="turntable", position=(0.5, 0, 0), axis=(0, 0, 1), **boom)
    mini = {"mass": 12.0, "com": (0.6, 0, 0), "inertia": (0.1, 1.5, 1.5)}
    b.link("mini", "revolute", parent="boom", position=(6, 0, 0), axis=(0, 0, 1), **mini)
    robot = b.build()
    start = robot.state(q=[0.4, 0.02, 1.2])
    options = {"flexible": ["boom"], "joints": ["mini"], "time_constant": 6.0, "home_bandwidth": 0.1}
    left = {}
    for others in ("held", "free"):
        law = control.vibration_damping(robot, start, **options, others=others)
        run = sd.simulate(robot, start, 20.0, laws=[law], prescribed={"turntable": "locked"}, record=0.02)
        left[others] = swing(run, 1)[1:] / swing(run, 1)[0]
    assert np.allclose(left["held"], np.exp([-8.0 / 6.0, -16.0 / 6.0]), rtol=0.2)
    assert not np.allclose(left["free"], left["held"], rtol=0.2)  # it believes in a turntable that gives way


def test_one_small_joint_cannot_quiet_two_flexible_ones():
    robot = flexible_base(1)
    start = robot.state(q=[0.004, 0.01, 0.8])
    law = control.vibration_damping(robot, start, flexible=["slide", "platform"], joints=["arm0"], time_constant=5.0)
    run = sd.simulate(robot, start, 20.0, laws=[law], record=0.02)
    slow = [swing(run, joint)[2] / swing(run, joint)[0] for joint in (0, 1)]
    assert max(slow) > 2.0 * np.exp(-16.0 / 5.0)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda r, s: control.reactionless(r, s), "either an endpoint and its path"),
        (lambda r, s: control.reactionless(r, s, endpoint="hand", path={"kind": "line"}), "either `to`"),
        (
            lambda r, s: control.reactionless(r, s, endpoint="hand", path=PATH, follow=None),
            "beside 3 of the base, and 6 joint rates",
        ),
        (lambda r, s: control.reactionless(*ssrms(), endpoint="hand", path=PATH), "is fixed; it keeps its attitude"),
        (lambda r, s: control.coordinated(r, s, endpoint="hand", path=PATH, wheels=["joint1"]), "do not span three"),
        (
            lambda r, s: control.vibration_damping(r, s, flexible=["joint1"], joints=["joint1", "joint2"]),
            "flexible and driven",
        ),
    ],
)
def test_errors_name_what_is_wrong_with_the_whole_body(make, words):
    robot = sd.load("ets7")
    with pytest.raises(sd.SpacedynError, match=words):
        make(robot, robot.state(q=ETS7))


PATH = {"kind": "line", "by": [0.01, 0, 0], "duration": 1.0}


def ssrms():
    robot = sd.load("ssrms")
    return robot, robot.neutral_state()
