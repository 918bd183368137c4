"""Laws that lead endpoints do what their pages say on robots they were not made with, and fail where they say so."""

import numba
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import spacedyn as sd
from leading_cases import ETS7, SSRMS, UMETANI, off_path, push_on, random_arm
from random_trees import random_model, random_state_parts
from spacedyn import control
from spacedyn.kernels.scalar.memory import pointer
from spacedyn.laws.ready_made.cores import places
from spacedyn.laws.ready_made.cores.poses import rotation_error, wanted_pose
from spacedyn.laws.ready_made.cores.tasks import solve_task, two_tasks
from spacedyn.laws.ready_made.plant import look, plant
from spacedyn.model.parts import BASE_KINDS

GRAVITY = (0.3, -1.2, -9.6)
TIGHT = sd.DormandPrince8(rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(("seed", "base"), list(enumerate(BASE_KINDS)))
def test_what_laws_know_of_their_robot(seed, base):
    rng = np.random.default_rng(seed)
    model = random_model(rng, 9, base_kind=base, passive=True)
    state, nv = model.state(**random_state_parts(rng, model)), model.nv
    last, joints = len(model.endpoints) - 1, rng.permutation(np.arange(model.base_dof, nv))
    active, given = list(joints[:5]), list(joints[5:8])
    p = plant(model, active, given=given, endpoint=last, gravity=GRAVITY)
    seen = (state.base_position, state.base_quaternion_xyzw, state.q, state.base_velocity, state.base_rate, state.qd)
    n, w = look(p["plan"], p["par"], *(part.copy() for part in seen))

    def part(at, *shape):
        return w[n[at] : n[at] + int(np.prod(shape))].reshape(shape)

    H, c = sd.mass_matrix(model, state), sd.inverse_dynamics(model, state, np.zeros(nv), gravity=GRAVITY)
    name, x = model.endpoint_names[last], rng.normal(size=5)
    J, Ju = sd.endpoint_jacobian(model, state, name), sd.endpoint_jacobian_rate(model, state, name) @ state.u
    pose, size = sd.endpoint_pose(model, state, name), np.abs(c).max()
    assert np.allclose(part(places.AT_POSE, 12), [*pose.position, *pose.rotation.ravel()], atol=1e-12)
    assert np.allclose(part(places.AT_TWIST, 6), J @ state.u, atol=1e-12)
    udot = part(places.AT_R, nv, 5) @ x + part(places.AT_BIAS, nv)
    forces, free = H @ udot + c, [k for k in range(nv) if k not in active + given]
    assert np.allclose(forces[free], 0.0, atol=1e-10 * size) and np.allclose(udot[given], 0.0)
    assert np.allclose(forces[active], part(places.AT_HR, 5, 5) @ x + part(places.AT_CR, 5), atol=1e-11 * size)
    wanted = J @ udot + Ju
    assert np.allclose(part(places.AT_G, 6, 5) @ x + part(places.AT_A, 6), wanted, atol=1e-11 * np.abs(wanted).max())
    push = J[:, free] @ np.linalg.solve(H[np.ix_(free, free)], J[:, free].T)
    assert np.allclose(part(places.AT_B, 6, 6), push, atol=1e-11 * (1 + np.abs(push).max()))


@numba.njit
def _tasks(A, b, B, d, x, epsilons, room):
    rows, more = b.size, d.size
    return two_tasks(
        pointer(A), rows, pointer(b), pointer(B), more, pointer(d), x.size, epsilons, pointer(x), pointer(room)
    )


@numba.njit
def _solved(A, b, epsilon, x, room):
    return solve_task(pointer(A), b.size, x.size, pointer(b), epsilon, pointer(x), pointer(room))


def test_inverses_are_damped_below_the_threshold_and_exact_above():
    rng = np.random.default_rng(2)
    U, V = np.linalg.qr(rng.normal(size=(6, 6)))[0], np.linalg.qr(rng.normal(size=(8, 8)))[0][:6]
    sigma = np.array([3.0, 1.0, 0.3, 0.05, 1e-3, 0.0])
    A, b, x = U @ np.diag(sigma) @ V, rng.normal(size=6), np.zeros(8)
    least = _solved(A.ravel(), b, 0.1, x, np.zeros(96))
    inverted = np.where(sigma >= 0.1, 1.0 / np.maximum(sigma, 0.1), sigma / 0.1**2)
    assert np.allclose(x, V.T @ np.diag(inverted) @ U.T @ b, atol=1e-12)
    assert least < 1e-7 and inverted.max() <= 1.0 / 0.1


def test_the_second_task_does_not_disturb_the_first():
    rng = np.random.default_rng(3)
    A, B, z = rng.normal(size=(3, 8)), rng.normal(size=(4, 8)), rng.normal(size=8)
    b, d, x = rng.normal(size=3), rng.normal(size=4), z.copy()
    least = _tasks(A.ravel(), b, B.ravel().copy(), d.copy(), x, (1e-3, 1e-3), np.zeros(500))
    assert np.allclose(A @ x, b, atol=1e-12) and np.allclose(B @ x, d, atol=1e-12)
    rest = np.linalg.svd(np.vstack([A, B]))[2][7]
    assert np.isclose(rest @ x, rest @ z, atol=1e-12)  # what is left over is as it was
    assert np.isclose(least[0], np.linalg.svd(A)[1][-1], rtol=1e-12)
    many, x = rng.normal(size=(6, 8)), np.zeros(8)  # more than there is room for
    _tasks(A.ravel(), b, many.ravel().copy(), rng.normal(size=6), x, (1e-3, 1e-3), np.zeros(500))
    assert np.allclose(A @ x, b, atol=1e-11)
    tall, x = rng.normal(size=(4, 2)), rng.normal(size=2)  # more rows than joints: least squares, and nothing is left
    _tasks(tall.ravel(), np.ones(4), tall.ravel().copy(), np.zeros(0), x, (1e-3, 1e-3), np.zeros(500))
    assert np.allclose(x, np.linalg.pinv(tall) @ np.ones(4), atol=1e-12)


@numba.njit
def _wanted(path, t, out):
    wanted_pose(pointer(path), t, pointer(out))


def test_laws_read_the_paths_that_python_has():
    path = sd.endpoint_waypoints(
        [1, 2, 3], np.eye(3), times=[0, 1, 3], positions=[[0, 0, 0], [0.1, 0.3, 0.2], [0.4, 0, 0]],
        turns=[[0, 0, 0], [0.02, 0.01, -0.02], [0.2, 1.1, 2.6]],
    )  # fmt: skip
    screw = sd.endpoint_screw([1, 0, 0], np.eye(3), point=[0, 0, 1], axis=[0, 1, 2], angle=7.0, pitch=0.3, duration=3.0)
    for one in (path, screw):
        for t in (0.0, 0.4, 0.9, 1.7, 2.9, 5.0):
            out = np.zeros(24)
            _wanted(one.numbers(), t, out)
            wanted = one.at(t)
            assert np.allclose(out[:12], [*wanted.position, *wanted.rotation.ravel()], atol=1e-12)
            assert np.allclose(out[12:], [*wanted.velocity, *wanted.acceleration], atol=1e-9)


@numba.njit
def _rotation(R, wanted, out):
    rotation_error(pointer(R), pointer(wanted), pointer(out))


def test_rotation_errors_are_right_up_to_half_a_turn():
    rng = np.random.default_rng(4)
    for angle in (0.0, 1e-10, 1e-5, 0.4, 2.0, np.pi - 1e-5, np.pi - 1e-9, np.pi):
        for axis in (*rng.normal(size=(5, 3)), [1.0, 0, 0], [0, 0, -1.0]):
            R, out = sd.Rotation.random(rng=rng), np.zeros(3)
            turn = angle * np.array(axis) / np.linalg.norm(axis)
            _rotation(R.as_matrix().ravel(), (sd.Rotation.from_rotvec(turn) * R).as_matrix().ravel(), out)
            same = np.allclose(out, turn, atol=1e-7) or (angle > 3.14159 and np.allclose(out, -turn, atol=1e-6))
            assert same, (angle, out, turn)


# --- resolved accelerations ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", ["ets7", "ssrms", "umetani_yoshida", "random free", "random attitude", "random fixed"])
def test_an_endpoint_stays_on_its_path(case):
    gravity = GRAVITY if case == "ssrms" else None
    if case.startswith("random"):
        robot, start, links = random_arm(5, case.split()[1])
        endpoint, follow = "tip", ("x", "y", "z", "rx", "ry", "rz")[:links]
    else:
        robot = sd.load(case)
        start = robot.state(q={"ets7": ETS7, "ssrms": SSRMS, "umetani_yoshida": UMETANI}[case])
        endpoint, follow = "hand", ("x", "y", "z") if robot.nq == 3 else None
    pose, v = sd.endpoint_pose(robot, start, endpoint), sd.endpoint_velocity(robot, start, endpoint)
    # a line whose beginning moves as the endpoint does at first: it is on its path from the start
    drift = np.array([0.0, 4.0])[:, None] * v[:3]
    if np.abs(v).max() > 0:
        path = sd.endpoint_waypoints(*pose[:2], times=[-1e-9, 4], positions=pose.position + drift * 0)
    else:
        path = sd.endpoint_line(*pose[:2], by=[0.05, -0.08, 0.06], turn=[0.1, 0.05, -0.1], duration=4.0)
    law = control.resolved_acceleration(robot, start, endpoint=endpoint, path=path, follow=follow, gravity=gravity)
    run = sd.simulate(robot, start, 4.0, laws=[law], gravity=gravity, record=0.25, method=TIGHT)
    if np.abs(v).max() == 0:
        off = off_path(run, endpoint, path)
        assert off[:, 0].max() < 1e-6 and (follow is not None or off[:, 1].max() < 1e-6)
    else:  # with momentum it starts off its path, and comes to it as ë + 2 ω ė + ω² e = 0 says: closed form
        rows = [("x", "y", "z").index(axis) for axis in follow if axis in ("x", "y", "z")]
        e = run.endpoint(endpoint).position - pose.position
        wanted = run.time[:, None] * np.exp(-2.0 * run.time)[:, None] * v[:3]
        assert np.allclose(e[:, rows], wanted[:, rows], atol=1e-6 * np.abs(wanted).max() + 1e-9)
    assert run["resolved_acceleration0.damped"][-1, 0] == 0.0


def test_an_endpoint_behind_joints_of_all_kinds_stays_on_its_path():
    rng = np.random.default_rng(6)
    robot = random_model(rng, 7, base_kind="free", passive=False)
    name, most = robot.endpoint_names[-1], 0
    for one in robot.endpoint_names:
        J = sd.generalized_jacobian(robot, robot.neutral_state(), one)
        if np.linalg.matrix_rank(J, tol=1e-3) > most:
            name, most = one, int(np.linalg.matrix_rank(J, tol=1e-3))
    start = robot.state(q=robot.random_state(rng).q)
    line = sd.endpoint_line(*sd.endpoint_pose(robot, start, name)[:2], by=[0.02, -0.03, 0.04], duration=3.0)
    joints = [joint.name for joint in robot.joints if joint.nv > 0]
    assert {"spherical", "free"} & {robot.joint(joint).kind for joint in joints}
    law = control.resolved_acceleration(robot, start, endpoint=name, path=line, follow=["x", "y", "z"], joints=joints)
    run = sd.simulate(robot, start, 3.0, laws=[law], record=0.5, method=TIGHT)
    assert off_path(run, name, line)[:, 0].max() < 1e-8 and run["resolved_acceleration0.damped"][-1, 0] == 0.0


def test_joints_left_over_keep_their_posture():
    robot = sd.load("ssrms")
    start, name = robot.state(q=SSRMS), "hand"
    pose = sd.endpoint_pose(robot, start, name)
    moving = robot.state(q=SSRMS, qd=0.02 * np.linalg.svd(sd.endpoint_jacobian(robot, start, name))[2][-1])
    stay = sd.endpoint_waypoints(*pose[:2], times=[0, 1], positions=[pose.position] * 2)
    law = control.resolved_acceleration(robot, start, endpoint=name, path=stay)
    run = sd.simulate(robot, moving, 40.0, laws=[law], record=1.0)
    assert np.abs(run.states.q[3] - SSRMS).max() > 0.005 > 100 * np.abs(run.final.q - SSRMS).max()
    assert off_path(run, name, stay).max() < 1e-4


# --- resolved rates --------------------------------------------------------------------------------------------------


def test_the_generalized_jacobian_follows_a_line_and_the_fixed_base_errs_by_what_the_recoil_says():
    robot = sd.load("umetani_yoshida")
    start = robot.state(q=UMETANI)
    pose = sd.endpoint_pose(robot, start, "hand")
    line = sd.endpoint_line(*pose[:2], by=[-0.8, 0.5, 0.6], duration=8.0)
    ended = {}
    for kind in ("generalized", "fixed"):
        law = control.resolved_rate(
            robot, start, endpoint="hand", path=line, follow=("x", "y", "z"), jacobian=kind, bandwidth=0.0,
            rate_bandwidth=2000.0,
        )  # fmt: skip
        run = sd.simulate(robot, start, 8.5, laws=[law], record=0.5, method=sd.Radau5())
        ended[kind] = run.endpoint("hand").position[-1]

    def drifting(t, y):  # kinematics alone: joint rates as if the base stood, the base by conservation of momentum
        state = robot.state(base_position=y[:3], base_attitude=sd.Rotation.from_rotvec(y[3:6]), q=y[6:])
        J = sd.endpoint_jacobian(robot, state, "hand")[:3, 6:]
        qd = np.linalg.solve(J, line.at(t).velocity[:3])
        u = np.concatenate([sd.base_recoil(robot, state) @ qd, qd])
        turn, w = y[3:6], u[3:6]
        size = np.linalg.norm(turn)
        more = (1 - size / 2 / np.tan(size / 2)) / size**2 if size > 1e-6 else 1 / 12
        rate = w + 0.5 * np.cross(w, turn) + more * np.cross(turn, np.cross(turn, w))
        return [*u[:3], *rate, *qd]

    y = solve_ivp(drifting, (0, 8), np.concatenate([np.zeros(6), UMETANI]), rtol=1e-9, atol=1e-11).y[:, -1]
    state = robot.state(base_position=y[:3], base_attitude=sd.Rotation.from_rotvec(y[3:6]), q=y[6:])
    wrong = sd.endpoint_pose(robot, state, "hand").position
    assert np.linalg.norm(ended["generalized"] - line.at(8.0).position) < 1e-4
    assert np.linalg.norm(wrong - line.at(8.0).position) > 0.05
    assert np.allclose(ended["fixed"], wrong, atol=1e-4)


def test_rates_lag_by_the_time_constant_of_their_loop():
    robot = sd.load("ets7")
    start = robot.state(q=ETS7)
    line = sd.endpoint_line(*sd.endpoint_pose(robot, start, "hand")[:2], by=[0.1, 0.2, -0.1], duration=8.0)
    behind = []
    for loop in (20.0, 40.0):
        law = control.resolved_rate(robot, start, endpoint="hand", path=line, bandwidth=0.0, rate_bandwidth=loop)
        run = sd.simulate(robot, start, 4.0, laws=[law], record=[4.0])
        behind.append(np.linalg.norm(line.at(4.0).position - run.endpoint("hand").position[-1]))
    speed = np.linalg.norm(line.at(4.0).velocity[:3])
    assert np.isclose(behind[0] / behind[1], 2.0, rtol=0.05)
    assert 0.5 * speed / 20.0 < behind[0] < 2.0 * speed / 20.0


def test_joint_rates_stay_within_their_limit_and_the_time_there_is_kept():
    robot = sd.load("ets7")
    start = robot.state(q=ETS7)
    line = {"kind": "line", "by": [0.1, 0.2, -0.1], "duration": 3.0}
    law = control.resolved_rate(robot, start, endpoint="hand", path=line, rate_limit=0.03, period=0.01)
    run = sd.simulate(robot, start, 30.0, laws=[law], method=sd.RungeKutta4(0.01))
    assert np.abs(run.states.qd).max() < 0.03 * (1 + 1e-6)
    hand = run.endpoint("hand").position
    assert np.allclose(hand[-1] - hand[0], [0.1, 0.2, -0.1], atol=1e-4)  # later than it was to
    assert 1.0 < run["resolved_rate0.limited"][-1, 0] < 20.0


# --- singular poses --------------------------------------------------------------------------------------------------


def test_a_path_through_a_singular_pose_goes_on_damped_or_ends_by_name():
    robot = sd.load("umetani_yoshida")
    start = robot.state(q=[0.0, 0.6, -0.8])
    pose = sd.endpoint_pose(robot, start, "hand")
    out = sd.endpoint_line(*pose[:2], by=2.0 * pose.position / np.linalg.norm(pose.position), duration=10.0)  # too far
    laws = {
        on: control.resolved_rate(
            robot, start, endpoint="hand", path=out, follow=("x", "y", "z"), singular=0.3, on_singular=on
        )
        for on in ("damp", "stop")
    }  # fmt: skip
    run = sd.simulate(robot, start, 20.0, laws=[laws["damp"]])
    assert run.status == "done" and run["resolved_rate0.damped"][-1, 0] > 2.0
    assert (
        np.abs(run.states.qd).max() < (2.0 * 1.9 / 10 + 2.0) / 0.3
    )  # no part of v + e is multiplied by more than 1/0.3
    with pytest.raises(sd.SimulationFailed, match=r"resolved_rate.*the pose is singular") as caught:
        sd.simulate(robot, start, 20.0, laws=[laws["stop"]])
    assert 0.5 < caught.value.run.time[-1] < 10.0
    stretched = robot.state(q=[0.0, 0.3, 0.0])
    with pytest.raises(sd.InputError, match="the pose that it starts in is singular"):
        control.resolved_acceleration(
            robot, stretched, endpoint="hand", path=out, follow=("x", "y", "z"), on_singular="stop", singular=0.3
        )


# --- transposed Jacobian ---------------------------------------------------------------------------------------------


def test_the_transposed_jacobian_arrives_from_a_singular_pose_but_lags_behind_a_moving_target():
    robot = sd.load("umetani_yoshida")
    start = robot.state(q=[0.2, 0.3, 0.0])  # stretched
    pose = sd.endpoint_pose(robot, start, "hand")
    line = sd.endpoint_line(*pose[:2], by=[-1.0, 0.3, 0.4], duration=10.0)
    law = control.transposed_jacobian(robot, start, endpoint="hand", path=line, follow=("x", "y", "z"), bandwidth=1.0)
    run = sd.simulate(robot, start, 60.0, laws=[law], record=1.0)
    off = off_path(run, "hand", line)[:, 0]
    assert off[-1] < 1e-3 and off[5] > 0.02


@pytest.mark.parametrize("seed", [3, 8])
def test_the_transposed_jacobian_holds_a_random_tree(seed):
    robot, state, links = random_arm(seed)
    start = robot.state(q=state.q)
    line = sd.endpoint_line(*sd.endpoint_pose(robot, start, "tip")[:2], by=[0.03, -0.02, 0.04], duration=5.0)
    law = control.transposed_jacobian(
        robot, start, endpoint="tip", path=line, follow=("x", "y", "z")[: min(links, 3)], joint_damping=0.05
    )
    run = sd.simulate(robot, start, 120.0, laws=[law], record=10.0)
    rows = min(links, 3)
    assert np.abs(run.endpoint("tip").position[-1] - line.at(5.0).position)[:rows].max() < 2e-3


# --- impedance -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", ["ets7", "random"])
def test_a_steady_push_moves_the_endpoint_by_force_over_stiffness_also_on_a_base_that_recoils(case):
    robot, state, _ = (sd.load("ets7"), None, 6) if case == "ets7" else random_arm(12)
    start = robot.state(q=ETS7 if case == "ets7" else state.q)
    name = "hand" if case == "ets7" else "tip"
    force, K = np.array([0.2, -0.1, 0.15]), np.array([20.0, 30.0, 25.0])
    pose = sd.endpoint_pose(robot, start, name)
    stay = sd.endpoint_waypoints(*pose[:2], times=[0, 1], positions=[pose.position] * 2)
    law = control.impedance(robot, start, endpoint=name, path=stay, follow=("x", "y", "z"), stiffness=[*K, 0, 0, 0])
    run = sd.simulate(robot, start, 40.0, laws=[law], elements=[push_on(robot, name, force)], record=[0.0, 40.0])
    moved = run.endpoint(name).position[-1] - pose.position
    assert np.allclose(moved, force / K, rtol=2e-3)
    # its inertia stays what it is: the first acceleration is that of a robot without a law
    J = sd.endpoint_jacobian(robot, start, name)[:3]
    wanted = J @ np.linalg.solve(sd.mass_matrix(robot, start), J.T @ force)
    first = sd.endpoint_acceleration(robot, start, run["udot"][0], name)[:3]
    assert np.allclose(first, wanted, rtol=1e-9, atol=1e-12)


# --- all of them -----------------------------------------------------------------------------------------------------


@pytest.mark.packs
def test_packs_and_the_stiff_method_agree_with_one_robot():
    robot = sd.load("umetani_yoshida")
    starts = robot.state(q=np.array(UMETANI) + 0.02 * np.arange(5)[:, None])
    line = {"kind": "line", "by": [-0.3, 0.2, 0.1], "duration": 3.0}
    law = control.resolved_acceleration(robot, starts[0], endpoint="hand", path=line, follow=("x", "y", "z"))
    many = sd.simulate(robot, starts, 1.0, laws=[law], record=0.5, method=sd.RungeKutta4(0.005))
    one = sd.simulate(robot, starts[3], 1.0, laws=[law], record=0.5, method=sd.RungeKutta4(0.005))
    assert np.allclose(many.states.q[:, 3], one.states.q, atol=1e-12)
    stiff = sd.simulate(robot, starts[3], 1.0, laws=[law], record=0.5, method=sd.Radau5(rtol=1e-9, atol=1e-11))
    assert np.allclose(stiff.states.q, one.states.q, atol=1e-7)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"follow": ["w"]}, "no direction 'w'"),
        ({"follow": []}, "names directions once each"),
        ({"joints": ["joint1", "joint2"]}, "is to follow 6 directions, and 2 joint rates"),
        ({"joints": ["joint1", "joint1"]}, "named twice"),
        ({"others": "limp"}, "others must be one of 'free', 'held'"),
        ({"on_singular": "hope"}, "on_singular must be one of"),
        ({"singular": -1.0}, "singular must be a finite number"),
        ({"path": {"kind": "line", "by": [0, 0, 0], "duration": 1.0}}, "neither moves nor turns"),
        ({"endpoint": "foot"}, "no endpoint named 'foot'"),
    ],
)
def test_errors_name_what_is_wrong(more, words):
    robot = sd.load("ets7")
    options = {"endpoint": "hand", "path": {"kind": "line", "by": [0.1, 0, 0], "duration": 1.0}, **more}
    with pytest.raises(sd.SpacedynError, match=words):
        control.resolved_acceleration(robot, robot.state(q=ETS7), **options)
