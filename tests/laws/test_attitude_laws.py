"""Attitude by wheels, gyros, magnetorquers and thrusters; allocation; unloading; rest after a capture."""

import os
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest
from scipy.optimize import lsq_linear

import spacedyn as sd
from leading_cases import random_arm
from spacedyn import control
from spacedyn.kernels.scalar.memory import pointer
from spacedyn.laws.ready_made.cores.allocation import box_least_squares

TARGET = [12.0, -8.0, 20.0]
WHEELS = {"wx": (1, 0, 0), "wy": (0, 1, 0), "wz": (0, 0, 1), "wd": (0.6, 0.64, 0.48)}


def off(run):
    """How far the base's attitude is from TARGET at the end [rad]."""
    wanted = sd.Rotation.from_euler("XYZ", TARGET, degrees=True)
    return (run.final.base_attitude.inv() * wanted).magnitude()


@numba.njit
def _bounded(A, b, lower, upper, x, room):
    n = x.size
    box_least_squares(pointer(A), b.size, n, pointer(b), pointer(lower), pointer(upper), pointer(x), pointer(room))


def test_allocation_is_the_optimum_within_bounds():
    rng = np.random.default_rng(1)
    for case in range(300):
        rows, n = int(rng.integers(1, 7)), int(rng.integers(1, 25))
        A, b = rng.normal(size=(rows, n)), rng.normal(size=rows) * rng.choice([0.1, 1.0, 10.0])
        lower, upper = (np.zeros(n), np.ones(n)) if case % 2 else (-rng.random(n), rng.random(n))
        x = np.zeros(n)
        _bounded(A.ravel(), b, lower, upper, x, np.zeros(12 + 4 * n + (n + 6) ** 2))
        assert (x >= lower).all() and (x <= upper).all()
        size, delta = np.linalg.norm(A) * (np.abs(b).max() + np.linalg.norm(A)), 1e-10 * (A**2).sum() / n
        downhill = A.T @ (b - A @ x) - delta * x  # conditions of Karush, Kuhn and Tucker
        assert np.abs(downhill[(x > lower) & (x < upper)]).max(initial=0.0) < 1e-12 * size
        assert downhill[x == lower].max(initial=0.0) < 1e-12 * size
        assert downhill[x == upper].min(initial=0.0) > -1e-12 * size
        if case % 10 == 0:
            other = lsq_linear(A, b, (lower, upper), tol=1e-14).x
            assert np.sum((A @ x - b) ** 2) < np.sum((A @ other - b) ** 2) * (1 + 1e-8) + 1e-8


def wheeled(seed):
    """A random tree whose base has four wheels, at rest, its joints held."""
    model, state, _ = random_arm(seed, joints=5)
    builder = sd.Builder.from_model(model)
    for name, axis in WHEELS.items():
        builder.wheel(name, on="base", axis=axis, mass=0.5, inertia=0.02)
    robot = builder.build()
    q = {joint.name: state.q[model.q_slice(joint.name)] for joint in model.joints if joint.nv > 0}
    start = robot.state(q=q)
    return robot, start, control.joint_hold(robot, start, joints=list(q), bandwidth=3.0)


@pytest.mark.parametrize("seed", [4, 17])
def test_wheels_turn_a_random_tree_and_keep_within_their_torques(seed):
    robot, start, hold = wheeled(seed)
    law = control.attitude_hold(
        robot, start, target_rpy_xyz_deg=TARGET, bandwidth=0.3, through={"wheels": list(WHEELS), "torque": 0.05}
    )
    motors = [sd.Motor(name, stall_torque=1.0) for name in WHEELS]
    run = sd.simulate(robot, start, 120.0, laws=[law, hold], elements=motors, record=0.5)
    assert off(run) < 1e-4 and np.abs(run["torque"]).max() <= 0.05
    assert np.abs(run.momentum(about="com")[:, 3:]).max() < 1e-9  # all inside
    assert run["attitude_hold0.missing"][-1].max() > 0.0


def test_a_wheel_at_its_largest_speed_is_relieved_by_others_and_three_are_not():
    robot, start, hold = wheeled(4)
    spinning = robot.state(q=start.q, qd={"wz": -29.9})
    wanted = {"target_rpy_xyz_deg": TARGET, "bandwidth": 0.3}
    ended = {}
    for names in (list(WHEELS), list(WHEELS)[:3]):
        law = control.attitude_hold(robot, start, through={"wheels": names, "speed": 30.0}, **wanted)
        motors = [sd.Motor(name, stall_torque=10.0) for name in WHEELS]
        run = sd.simulate(robot, spinning, 60.0, laws=[law, hold], elements=motors, record=1.0)
        ended[len(names)] = run
    assert off(ended[4]) < 5e-3 and np.abs(ended[4].final.qd[-4:]).max() < 31.0
    missing = ended[3]["attitude_hold0.missing"][-1]
    assert missing[2] > 10 * missing[:2].max()  # the record says which, and how much
    assert off(ended[3]) > 10 * off(ended[4])
    ends = {"wheels": list(WHEELS)[:3], "speed": 30.0, "on_saturation": "stop"}
    law = control.attitude_hold(robot, start, through=ends, **wanted)
    with pytest.raises(sd.SimulationFailed, match=r"wheel 'wz' is saturated, .* up to 30 rad/s"):
        sd.simulate(robot, spinning, 60.0, laws=[law, hold], elements=motors, record=1.0)


def pyramid(speed=300.0, angles=(0, 0, 0, 0)):
    """Four control-moment gyros on the sides of a pyramid."""
    b = sd.Builder("gyros")
    b.base("bus", mass=500.0, inertia=(80.0, 90.0, 100.0))
    slope = np.radians(54.73)
    for k in range(4):
        a = 0.5 * np.pi * k
        gimbal = [np.sin(slope) * np.cos(a), np.sin(slope) * np.sin(a), np.cos(slope)]
        b.control_moment_gyro(
            f"g{k}", on="bus", mass=5.0, inertia=0.05, spin_axis=(-np.sin(a), np.cos(a), 0), gimbal_axis=gimbal,
            gimbal_mass=2.0, gimbal_inertia=(0.02, 0.025, 0.03),
        )  # fmt: skip
    robot = b.build()
    return robot, robot.state(
        qd={f"g{k}_wheel": speed for k in range(4)}, q={f"g{k}_gimbal": angles[k] for k in range(4)}
    )


GYROS = [f"g{k}" for k in range(4)]


@pytest.mark.parametrize("angles", [(0, 0, 0, 0), (-0.5 * np.pi, 0, 0.5 * np.pi, 0)])
def test_gyros_turn_the_base_also_out_of_a_singular_arrangement(angles):
    robot, start = pyramid(angles=angles)
    law = control.attitude_hold(
        robot, start, target_rpy_xyz_deg=TARGET, bandwidth=0.2, through={"gyros": GYROS, "gimbal_rate": 2.0}
    )
    run = sd.simulate(robot, start, 80.0, laws=[law], record=1.0)
    assert off(run) < 1e-3
    L = run.momentum(about="com")[:, 3:]
    assert np.abs(L - L[0]).max() < 1e-9 and run.audit().within_budget  # wheels and gimbals are bodies


def test_gimbal_rates_are_those_of_the_singularity_robust_law():
    robot, start = pyramid(angles=(0.3, -0.4, 0.9, 0.1))
    law = control.attitude_hold(
        robot, start, target_rpy_xyz_deg=TARGET, through={"gyros": GYROS, "gimbal_bandwidth": 3.0}
    )
    run = sd.simulate(robot, start, 0.01, laws=[law], record=[0.0])
    turned = sd.forward_kinematics(robot, start).bodies.rotation
    columns, felt = [], []
    for k in range(4):
        gimbal, wheel = robot.joint(f"g{k}_gimbal"), robot.joint(f"g{k}_wheel")
        g = gimbal.rotation @ gimbal.axis
        s = turned[robot.body_index(wheel.parent)] @ wheel.rotation @ wheel.axis
        columns.append(np.cross(g, s))
        at = 6 + robot.qd_slice(f"g{k}_gimbal").start
        H, free = sd.mass_matrix(robot, start), [i for i in range(robot.nv) if i != at]
        felt.append(H[at, at] - H[at, free] @ np.linalg.solve(H[np.ix_(free, free)], H[free, at]))
    A = np.column_stack(columns)
    size = 0.01 * np.exp(-10.0 * np.linalg.det(A @ A.T))
    e = 0.01 * np.sin(0.5 * np.pi * np.arange(3))  # at t = 0
    E = np.array([[1, e[2], e[1]], [e[2], 1, e[0]], [e[1], e[0], 1]])
    torque = control.attitude_hold(robot, start, target_rpy_xyz_deg=TARGET)
    wanted = sd.simulate(robot, start, 0.01, laws=[torque], record=[0.0])["base_wrench"][0, 3:]
    rates = A.T @ np.linalg.solve(A @ A.T + size * E, -wanted / (0.05 * 300.0))
    gimbals = [6 + robot.qd_slice(f"g{k}_gimbal").start for k in range(4)]
    assert np.allclose(run["forces"][0, gimbals], 3.0 * np.array(felt) * rates, rtol=1e-9)


def test_magnetorquers_turn_across_the_field_alone():
    robot, start, hold = wheeled(4)
    B = np.array([2e-5, 1e-5, -4e-5])
    rods = sd.Magnetorquer("base", field=sd.MagneticField(uniform=B), name="rods")
    law = control.detumble(robot, start, gain=[0.3, 0.2, 0.4], through={"torquer": "rods"})
    tumbling = robot.state(q=start.q, base_rate=[0.02, -0.01, 0.03])
    run = sd.simulate(robot, tumbling, 300.0, laws=[law, hold], elements=[rods], record=10.0)
    wanted = -np.array([0.3, 0.2, 0.4]) * [0.02, -0.01, 0.03]
    assert np.allclose(run["rods.moment"][0], wanted - B * (B @ wanted) / (B @ B), rtol=1e-12)
    assert np.abs(np.sum(run["rods.moment"] * run["rods.field"], axis=1)).max() < 1e-18
    last, line = run.final.base_rate, B / np.linalg.norm(B)
    assert np.linalg.norm(last) < 0.65 * np.linalg.norm(tumbling.base_rate)
    assert np.linalg.norm(np.cross(last, line)) < 0.3 * abs(last @ line)  # what is left goes about the field line
    # rods that are not along the base's axes, and a spin about the field line, which they cannot touch
    tilted = sd.Rotation.from_rotvec([0.3, 0.5, -0.2]).as_matrix()
    slant = sd.Magnetorquer("base", axes=tilted, field=sd.MagneticField(uniform=B), name="rods")
    along = robot.state(q=start.q, base_rate=B * 1e3)
    stiff = control.detumble(robot, start, gain=0.3, through={"torquer": "rods", "axes": tilted.tolist()})
    first = sd.simulate(robot, along, 0.1, laws=[stiff], elements=[slant], record=[0.0])
    assert np.abs(first["rods.moment"][0]).max() < 1e-18
    other = sd.simulate(robot, tumbling, 0.1, laws=[stiff], elements=[slant], record=[0.0])["rods.moment"][0]
    wanted = -0.3 * tumbling.base_rate
    assert np.allclose(other, wanted - B * (B @ wanted) / (B @ B), rtol=1e-12)


def jets(robot, force=0.4):
    """Twelve thrusters at the corners of the base."""
    where, push = [], []
    for k in range(3):
        a, b = np.eye(3)[(k + 1) % 3], np.eye(3)[(k + 2) % 3]
        for side in (1.0, -1.0):
            for sign in (1.0, -1.0):
                where.append(0.5 * side * a + robot.bodies[0].com)
                push.append(force * sign * b)
    names = [f"jet{i}" for i in range(12)]
    made = [
        sd.Thruster("base", force, direction=d, position=p, name=n) for n, p, d in zip(names, where, push, strict=True)
    ]
    return made, {"thrusters": names, "positions": np.array(where).tolist(), "forces": np.array(push).tolist()}


def test_thrusters_give_the_wanted_wrench_and_hold_a_random_tree():
    robot, start, hold = wheeled(17)
    start = robot.state(q=start.q, base_rate=[0.02, -0.01, 0.03], base_velocity=[0.01, 0.0, -0.02])
    made, through = jets(robot)
    brakes = control.joint_damping(robot, start, kd=0.05)
    law = control.station_keeping(
        robot, start, target_rpy_xyz_deg=TARGET, attitude_bandwidth=0.2, bandwidth=0.1, through=through
    )
    ideal = control.station_keeping(robot, start, target_rpy_xyz_deg=TARGET, attitude_bandwidth=0.2, bandwidth=0.1)
    run = sd.simulate(robot, start, 120.0, laws=[law, hold, brakes], elements=made, record=5.0)
    assert off(run) < 1e-3
    home = sd.center_of_mass(robot, start)
    assert np.abs(sd.center_of_mass(robot, run.final) - home).max() < 1e-3
    first = sd.simulate(robot, start, 0.01, laws=[ideal], record=[0.0])["udot"][0]
    jet = sd.simulate(robot, start, 0.01, laws=[law], elements=made, record=[0.0])["udot"][0]
    assert np.allclose(first, jet, atol=1e-7 * np.abs(first).max())  # the same wrench, by 12 jets


def test_pulses_carry_what_they_gave_too_little():
    robot, start, hold = wheeled(17)
    made, through = jets(robot)
    law = control.attitude_hold(
        robot, start, target_rpy_xyz_deg=TARGET, bandwidth=0.2, through={**through, "pulses": True}, period=0.1
    )
    run = sd.simulate(robot, start, 100.0, laws=[law, hold], elements=made, record=0.1, budget=1e-3)
    level = np.unique(run["thrust"].round(9))
    assert level.tolist() == [0.0, 0.4]  # on or off
    assert np.abs(run["attitude_hold0.carry"]).max() <= 0.5
    assert off(run) < 0.03
    with pytest.raises(sd.InputError, match="give it a period"):
        control.attitude_hold(robot, start, through={**through, "pulses": True})


def test_wheels_unload_exponentially_while_the_attitude_is_held():
    robot, start, hold = wheeled(4)
    speeds = {"wx": 40.0, "wy": -30.0, "wz": 20.0}
    start, names = robot.state(q=start.q, qd=speeds), list(WHEELS)[:3]
    attitude = control.attitude_hold(robot, start, bandwidth=1.0, through={"wheels": names})
    motors = [sd.Motor(name, stall_torque=10.0) for name in names]
    unload = control.wheel_desaturation(robot, start, wheels=names, time_constant=30.0)
    run = sd.simulate(robot, start, 90.0, laws=[attitude, hold, unload], elements=motors, record=30.0)
    at = [robot.qd_slice(name).start for name in names]
    assert np.allclose(run.states.qd[:, at], np.outer(np.exp(-run.time / 30.0), list(speeds.values())), atol=1.0)
    assert run.states.base_attitude.magnitude().max() < 0.02
    limited = control.wheel_desaturation(robot, start, wheels=names, time_constant=1.0, limit=0.01)
    run = sd.simulate(robot, start, 20.0, laws=[attitude, hold, limited], elements=motors, record=1.0)
    assert np.linalg.norm(run["base_wrench"][:, 3:], axis=1).max() <= 0.01 * (1 + 1e-12)
    line = np.array([0.0, 0.6, 0.8])  # through magnetorquers, what is along the field line stays
    rods = sd.Magnetorquer("base", field=sd.MagneticField(uniform=3e-5 * line), name="rods")
    across = control.wheel_desaturation(robot, start, wheels=names, time_constant=30.0, through={"torquer": "rods"})
    run = sd.simulate(robot, start, 300.0, laws=[attitude, hold, across], elements=[*motors, rods], record=300.0)
    before, left = np.array(list(speeds.values())), run.final.qd[at]
    assert np.linalg.norm(left - line * (line @ before)) < 0.05 * np.linalg.norm(before)
    with pytest.raises(sd.InputError, match="push the robot itself alone"):
        control.wheel_desaturation(robot, start, wheels=names, through={"wheels": names})


@pytest.mark.parametrize("seed", [4, 17, 23])
def test_after_a_capture_momentum_falls_in_a_straight_line_to_rest(seed):
    robot, _, _ = random_arm(seed, joints=6)
    rng = np.random.default_rng(seed)
    start = robot.state(
        q=rng.uniform(-0.5, 0.5, robot.nq), qd=rng.uniform(-0.3, 0.3, robot.nq), base_rate=[0.2, -0.1, 0.3]
    )
    L = np.linalg.norm(sd.momentum(robot, start, about="com")[3:])
    law = control.post_capture(robot, start, torque=0.1 * L, time_constant=0.5, joint_limit=0.2, on_overrun="ignore")
    run = sd.simulate(robot, start, 40.0, laws=[law], record=0.25)
    norm = np.linalg.norm(run.momentum(about="com")[:, 3:], axis=1)
    early = run.time < 9.4
    assert np.allclose(norm[early], L * (1.0 - 0.1 * run.time[early]), rtol=1e-6)  # |L| = |L0| - torque t
    assert np.linalg.norm(run["base_wrench"][:, 3:], axis=1).max() <= 0.1 * L * (1 + 1e-12)
    assert np.abs(run["forces"][:, 6:]).max() <= 0.2
    assert np.abs(run.final.u[3:]).max() < 1e-3 * np.abs(start.u[3:]).max()


def test_wheels_take_the_momentum_of_a_capture():
    robot, start, _ = wheeled(4)
    start = robot.state(q=start.q, base_rate=[0.02, -0.01, 0.015])
    law = control.post_capture(
        robot, start, torque=0.05, joint_limit=0.2, through={"wheels": list(WHEELS)}, on_overrun="ignore"
    )
    motors = [sd.Motor(name, stall_torque=1.0) for name in WHEELS]
    run = sd.simulate(robot, start, 150.0, laws=[law], elements=motors, record=10.0)
    arm = [k for k in range(robot.nv - 6) if k not in [robot.qd_slice(name).start for name in WHEELS]]
    assert np.abs(run.final.base_rate).max() < 1e-4 and np.abs(run.final.qd[arm]).max() < 1e-4
    L = run.momentum(about="com")[:, 3:]
    assert np.abs(L - L[0]).max() < 1e-9 < np.linalg.norm(L[0])


def test_a_joint_that_is_faster_than_its_brake_can_stop_is_named():
    robot = sd.load("ssrms")
    station = sd.Builder("station")
    station.base("hub", mass=2000.0, inertia=(3e3, 4e3, 5e3))
    station.link(
        "arm", "revolute", parent="hub", axis=(0, 0, 1), mass=50.0, com=(2, 0, 0), inertia=(5, 70, 70), upper=0.5
    )
    robot = station.build()
    fast = robot.state(qd=[0.4])
    with pytest.warns(sd.RunWarning, match="joint 'arm' moves by 0.4 and 10 N m stop it after"):
        control.post_capture(robot, fast, torque=5.0, joint_limit=10.0)
    with pytest.raises(sd.InputError, match="or brake harder"):
        control.post_capture(robot, fast, torque=5.0, joint_limit=10.0, on_overrun="stop")
    law = control.post_capture(
        robot, fast, torque=5.0, joint_limit=1000.0, joint_time_constant=0.5
    )  # strong enough: no word
    assert sd.simulate(robot, fast, 20.0, laws=[law], record=1.0).states.q.max() < 0.5


PLAIN = """
import numpy as np, spacedyn as sd
from spacedyn import control
b = sd.Builder("all")
b.base("bus", mass=200.0, inertia=(40.0, 45.0, 30.0))
for name, axis in {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}.items():
    b.wheel(name, on="bus", axis=axis, mass=3.0, inertia=0.02)
    b.control_moment_gyro("g" + name, on="bus", mass=5.0, inertia=0.05, spin_axis=np.roll(axis, 1), gimbal_axis=axis)
robot, names = b.build(), ["x", "y", "z"]
spins = {"gx_wheel": 200.0, "gy_wheel": 210.0, "gz_wheel": 190.0, "x": 30.0}
start = robot.state(base_rate=[0.01, 0.02, 0.03], qd=spins)
where = [[0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1], [1, 0, 0], [-1, 0, 0]]
push = [[0, 0, 1], [0, 0, 1], [1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0]]
jets = [sd.Thruster("bus", 1.0, direction=d, position=p, name=f"jet{i}") for i, (p, d) in enumerate(zip(where, push))]
rods = sd.Magnetorquer("bus", field=sd.MagneticField(uniform=[2e-5, 1e-5, -4e-5]), name="rods")
through = {"thrusters": [jet.name for jet in jets], "positions": where, "forces": push}
laws = [
    control.attitude_hold(robot, start, through={"wheels": names, "torque": 0.1, "speed": 31.0}),
    control.attitude_hold(robot, start, through={"gyros": ["gx", "gy", "gz"]}),
    control.attitude_hold(robot, start, through={**through, "pulses": True}, period=0.02),
    control.detumble(robot, start, through={"torquer": "rods"}),
    control.wheel_desaturation(robot, start, wheels=names, through=through, period=0.02),
    control.post_capture(robot, start, torque=0.5, through={"torquer": "rods"}),
    control.station_keeping(robot, start, target_position=[0.1, 0, 0], through=through),
]
elements = [*(sd.Motor(name, stall_torque=1.0) for name in names), *jets, rods]
run = sd.simulate(robot, start, 0.04, laws=laws, elements=elements, method=sd.RungeKutta4(0.01), record=0.02)
print(np.concatenate([run.final.x, run.final.u, run["forces"][-1]]).tolist())
"""


def test_outlets_run_as_plain_python_too():
    def printed(**variables):
        env = {**os.environ, **variables}
        done = subprocess.run([sys.executable, "-c", PLAIN], capture_output=True, text=True, env=env, check=True)
        return np.array(eval(done.stdout))

    source = str(Path(sd.__file__).parents[1])
    paths = {"PYTHONPATH": os.pathsep.join([source, os.environ.get("PYTHONPATH", "")])}
    assert np.allclose(printed(**paths), printed(NUMBA_DISABLE_JIT="1", **paths), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    ("through", "words"),
    [
        ({"rockets": 1}, "names one of wheels, gyros, torquer, thrusters"),
        ({"wheels": ["wx", "wy"]}, "do not span three"),
        ({"wheels": list(WHEELS), "speeds": 1}, "did you mean 'speed'"),
        ({"wheels": list(WHEELS), "motors": ["a"]}, "give each a motor of its own"),
        ({"wheels": list(WHEELS), "on_saturation": np.ones(3)}, "on_saturation must be one of 'go on', 'stop'"),
        ({"wheels": 3.0}, "wheels must be a list of names"),
        ({"torquer": "no name"}, "which are identifiers"),
        ({"torquer": "rods", "axes": [1, 2]}, "rows of three"),
        ({"thrusters": ["a"], "positions": [[0, 0, 1]], "forces": [[1, 0]]}, "1 rows of three"),
        (
            {"thrusters": ["a"], "positions": [[0, 0, 1]], "forces": [[1, 0, 0]]},
            "do not span three dimensions; add thr",
        ),
        ({"gyros": ["g0"]}, "no joint named 'g0_gimbal'"),
        ("wheels", "must be a dict"),
    ],
)
def test_errors_name_what_is_wrong_with_an_outlet(through, words):
    robot, start, _ = wheeled(4)
    with pytest.raises(sd.SpacedynError, match=words):
        control.attitude_hold(robot, start, through=through)


MOUNT = sd.Rotation.from_euler("XYZ", [30.0, -70.0, 110.0], degrees=True)


def sensed(robot, start, law, **options):
    """Sensors on the base with axes of their own, and the law that reads them; options of the star tracker."""
    stars = sd.StarTracker("base", rotation=MOUNT, name="stars", **options)
    imu = sd.Gyro("base", rotation=MOUNT.inv(), name="imu")
    sensors = {"rate": "imu", "rate_rotation": MOUNT.inv()}
    if law is control.attitude_hold:
        sensors |= {"attitude": "stars", "attitude_rotation": MOUNT.as_matrix()}
        return [stars, imu], law(robot, start, target_rpy_xyz_deg=TARGET, bandwidth=0.5, sensors=sensors, period=0.05)
    return [stars, imu], law(robot, start, sensors=sensors, period=0.05)


def test_a_law_that_reads_perfect_sensors_is_the_law_that_knows():
    robot, start, hold = wheeled(4)
    for law, known in (
        (control.attitude_hold, {"target_rpy_xyz_deg": TARGET, "bandwidth": 0.5}),
        (control.detumble, {}),
    ):
        moving = robot.state(q=start.q, base_rate=[0.02, -0.01, 0.015])
        elements, reads = sensed(robot, moving, law)
        seen = sd.simulate(robot, moving, 5.0, laws=[reads, hold], elements=elements, record=1.0)
        knows = law(robot, moving, period=0.05, **known)
        true = sd.simulate(robot, moving, 5.0, laws=[knows, hold], record=1.0)
        np.testing.assert_allclose(seen.final.u, true.final.u, atol=1e-9)


def test_noise_of_sensors_is_held_through_and_a_dead_tracker_leaves_damping():
    robot, start, hold = wheeled(17)
    elements, law = sensed(robot, start, control.attitude_hold, period=0.05, noise=[1e-5, 1e-5, 1e-4], seed=3)
    run = sd.simulate(robot, start, 60.0, laws=[law, hold], elements=elements, record=1.0)
    assert 1e-7 < off(run) < 1e-3
    dead = sd.StarTracker("base", rotation=MOUNT, name="stars", fail_at=0.0)
    turning = robot.state(q=start.q, base_rate=[0.02, -0.01, 0.015])
    run = sd.simulate(robot, turning, 60.0, laws=[law, hold], elements=[dead, elements[1]], record=1.0)
    assert np.abs(run.final.base_rate).max() < 1e-6 and off(run) > 0.05


def test_sensors_that_are_not_there_are_named():
    robot, start, _ = wheeled(4)
    with pytest.raises(sd.InputError, match="sensors has no rate"):
        control.attitude_hold(robot, start, sensors={"attitude": "stars"})
    with pytest.raises(sd.InputError, match="sensors must be a dict or None, got 'imu'"):
        control.detumble(robot, start, sensors="imu")
    with pytest.raises(sd.errors.UnknownName, match="no key of sensors named 'gyro'"):
        control.detumble(robot, start, sensors={"gyro": "imu"})
    law = control.detumble(robot, start, sensors={"rate": "imu"})
    with pytest.raises(sd.InputError, match="s has no 'imu'"):
        sd.simulate(robot, start, 0.1, laws=[law])
