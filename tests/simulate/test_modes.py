"""Modes of joints that change in a run: locked, freed, made to follow; bodies caught and let go."""

import numpy as np
import pytest

import spacedyn as sd
from laws_and_forces import clock
from robots import tree
from spacedyn import Mode
from spacedyn.simulate.modes import velocities_after

DOWN = (0.0, 0.0, -9.81)


@sd.law(period=0.1)
def brake(t, s, p, out):
    """Locks a joint at one sample, frees it at another."""
    out.tau[0] = 0.05
    if abs(t - p.lock) < 0.01:
        out.mode[int(p.joint)] = sd.Mode.LOCKED
    if abs(t - p.free) < 0.01:
        out.mode[int(p.joint)] = sd.Mode.FREE


def chaser(kind: str = "free") -> sd.Model:
    """A free base with an arm of two joints, and a target before its hand that is no part of it until it is caught."""
    b = sd.Builder("chaser")
    b.base("bus", mass=40.0, inertia=(6.0, 7.0, 8.0), com=(0.05, 0.02, -0.03))
    b.body("upper", mass=4.0, inertia=(0.1, 0.5, 0.5), com=(0.5, 0.02, 0))
    b.body("lower", mass=3.0, inertia=(0.08, 0.4, 0.4), com=(0.4, 0, 0.03))
    b.body("target", mass=12.0, inertia=(1.0, 1.3, 1.6), com=(0.3, -0.05, 0.02))
    b.joint("shoulder", "revolute", parent="bus", child="upper", position=(0.6, 0, 0))
    b.joint("elbow", "revolute", parent="upper", child="lower", position=(1.0, 0, 0), axis=(0, 1, 0))
    b.joint("grip", kind, parent="lower", child="target", position=(0.9, 0, 0))
    b.endpoint("hand", body="lower", position=(0.9, 0, 0))
    b.endpoint("handle", body="target")
    return b.build()


def approach(robot: sd.Model) -> sd.State:
    """The target drifts towards the hand, and turns."""
    grip = [0.5, 0.02, -0.01, *sd.Rotation.from_euler("XYZ", [0.2, -0.1, 0.3]).as_quat()]
    return robot.state(
        q={"shoulder": 0.3, "elbow": -0.5, "grip": grip},
        qd={"shoulder": 0.02, "elbow": -0.03, "grip": [-0.25, -0.01, 0.005, 0.03, 0.05, -0.02]},
        base_rate=[0.01, 0.02, -0.01],
        base_velocity=[0.03, 0.0, 0.01],
    )


def six(robot: sd.Model, state: sd.State) -> np.ndarray:
    """Linear and angular momentum."""
    return sd.momentum(robot, state, about="origin")


# --- impulses --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", ["free", "attitude", "planar", "fixed"])
@pytest.mark.parametrize("seed", range(3))
def test_velocities_after_an_impulse_are_those_of_gauss_s_principle(seed, base):
    """The nearest rates, measured by kinetic energy, that obey the constraint C u = c: by the mass matrix's algebra."""
    robot, state = tree(seed, 8, base)
    rng = np.random.default_rng(seed)
    held = {j.name: rng.normal(size=j.nv) for j in robot.joints[::3] if j.nv}
    after = velocities_after(robot, state, held)
    H = sd.mass_matrix(robot, state)
    rows = np.concatenate([np.arange(robot.nv)[robot.u_slice(joint)] for joint in held])
    C, wanted = np.eye(robot.nv)[rows], np.concatenate(list(held.values()))
    push = np.linalg.solve(C @ np.linalg.solve(H, C.T), wanted - C @ state.u)
    expected = state.u + np.linalg.solve(H, C.T @ push)
    np.testing.assert_allclose(after.u, expected, atol=1e-11 * np.abs(expected).max())
    np.testing.assert_array_equal(after.x, state.x)
    if base == "free":
        both = six(robot, state), six(robot, after)
        np.testing.assert_allclose(both[1], both[0], atol=1e-12 * (1 + np.abs(both[0]).max()))


def test_two_bodies_that_stick_together_move_as_one_rigid_body():
    """In maximal coordinates: the composite's velocity and rate follow from total momentum and inertia alone."""
    robot = chaser()
    state = approach(robot)
    caught = velocities_after(robot, state, {"shoulder": [0.0], "elbow": [0.0], "grip": np.zeros(6)})
    places = sd.forward_kinematics(robot, state).centroids
    masses = np.array([body.mass for body in robot.bodies])
    R, com = places.rotation, places.position
    centre = masses @ com / masses.sum()
    inertia = np.zeros((3, 3))
    for i, body in enumerate(robot.bodies):
        d = com[i] - centre
        inertia += R[i] @ body.inertia @ R[i].T + masses[i] * (d @ d * np.eye(3) - np.outer(d, d))
    P, L = np.split(sd.momentum(robot, state, about="com"), 2)
    rate = np.linalg.solve(inertia, L)
    np.testing.assert_allclose(caught.base_rate, rate, atol=1e-14)
    velocity = P / masses.sum() + np.cross(rate, com[0] - centre)
    np.testing.assert_allclose(caught.base_velocity, velocity, atol=1e-14)


# --- catching and letting go -----------------------------------------------------------------------------------------


def test_a_target_is_caught_and_the_momentum_stays():
    """After the impact the robot moves as one that was built with the target in its hand."""
    robot = chaser()
    catch = sd.Event(
        sd.endpoints_within("hand", "handle", 0.1), direction=-1, action=sd.actions.attach("grip"), name="catch"
    )
    run = sd.simulate(robot, approach(robot), 6.0, events=[catch], record=0.1)
    assert [event.name for event in run.events] == ["catch"]
    event = run.events[0]
    gap = np.linalg.norm(run.endpoint("hand").position - run.endpoint("handle").position, axis=-1)
    assert gap[run.time > event.time] == pytest.approx(0.1, abs=1e-12)
    size = np.abs(six(robot, event.state)).max()
    np.testing.assert_allclose(six(robot, event.after), six(robot, event.state), atol=1e-12 * size)
    audit = run.audit()
    assert max(audit.linear_momentum, audit.angular_momentum) < 1e-11 and audit.energy < 1e-9
    lost = sd.kinetic_energy(robot, event.after) - sd.kinetic_energy(robot, event.state)
    assert lost < -0.01 and run["event_work"][-1, 0] == pytest.approx(lost)

    # a robot of another tree, with the target welded to the hand: rates that share all of its generalized momentum
    welded = robot.lock({"grip": event.state.q[robot.q_slice("grip")]})
    free = np.delete(np.arange(robot.nv), np.arange(robot.nv)[robot.u_slice("grip")])
    same = welded.state(
        base_position=event.state.base_position, base_attitude=event.state.base_attitude, q=event.state.q[:2]
    )
    shared = (sd.mass_matrix(robot, event.state) @ event.state.u)[free]
    u = np.linalg.solve(sd.mass_matrix(welded, same), shared)
    # the welded model's lower arm carries the target: its base and joints are the same
    np.testing.assert_allclose(event.after.u[free], u, atol=1e-12)
    np.testing.assert_array_equal(event.after.qd[robot.qd_slice("grip")], 0.0)
    rest = welded.state(
        base_position=event.state.base_position,
        base_attitude=event.state.base_attitude,
        q=event.state.q[:2],
        base_velocity=u[:3],
        base_rate=u[3:6],
        qd=u[6:],
    )
    after = run.time > event.time
    alone = sd.simulate(welded, rest, 6.0 - event.time, start=event.time, record=run.time[after])
    np.testing.assert_allclose(run.states.q[after][:, :2], alone.states.q, atol=1e-9)
    np.testing.assert_allclose(run.states.base_position[after], alone.states.base_position, atol=1e-9)


def test_a_payload_is_let_go_with_a_push():
    """Springs in the latch give the payload its rates; both bodies feel them, and the momentum stays."""
    robot = chaser()
    state = approach(robot).replace(qd=[0.02, -0.03, 0, 0, 0, 0, 0, 0])
    push = np.array([0.3, 0.0, 0.05, 0.0, 0.1, 0.0])
    go = sd.Event(clock(at=1.0), action=sd.actions.release("grip", rates=push), name="go")
    run = sd.simulate(robot, state, 3.0, events=[go], modes={"grip": "locked"}, record=0.25)
    event = run.events[0]
    np.testing.assert_allclose(event.after.qd[robot.qd_slice("grip")], push, atol=1e-15)
    np.testing.assert_allclose(six(robot, event.after), six(robot, event.state), atol=1e-12)
    gained = sd.kinetic_energy(robot, event.after) - sd.kinetic_energy(robot, event.state)
    assert gained > 0.1 and run["event_work"][-1, 0] == pytest.approx(gained)
    assert run["mode"][:, 2].tolist() == [2.0] * 4 + [1.0] * 9  # the record at an event is of just after it
    before = run.time < 1.0
    np.testing.assert_array_equal(run.states.q[before][:, 2:], np.broadcast_to(state.q[2:], (4, 7)))
    # what is let go flies on straight: no force acts at the joint any more
    target = run.body("target")
    v = target.velocity[~before]
    flight = v[:, :3] + np.cross(v[:, 3:], np.einsum("tij,j->ti", target.rotation[~before], robot.bodies[3].com))
    np.testing.assert_allclose(flight, np.broadcast_to(flight[0], flight.shape), atol=1e-9)
    assert run.audit().worst < 1e-9
    np.testing.assert_array_equal(run["forces"][~before][:, robot.u_slice("grip")], 0.0)


def test_caught_let_go_and_caught_again():
    """Events that could only make a joint what it is do not happen; those that undo each other take turns."""
    robot = chaser()
    events = [
        sd.Event(
            sd.endpoints_within("hand", "handle", 0.1), direction=-1, action=sd.actions.attach("grip"), name="catch"
        ),
        sd.Event(clock(at=3.0), action=sd.actions.release("grip", rates=[0.2, 0, 0, 0, 0, 0]), name="let go"),
        sd.Event(
            clock(at=4.0), action=[sd.actions.lock("shoulder", "elbow"), sd.actions.attach("grip")], name="hold all"
        ),
    ]
    run = sd.simulate(robot, approach(robot), 5.0, events=events)
    assert [event.name for event in run.events] == ["catch", "let go", "hold all"]
    np.testing.assert_array_equal(run.final.qd, 0.0)
    assert run.audit().worst < 1e-9 and run.audit().constraints < 1e-14
    M = run.momentum(about="origin")
    np.testing.assert_allclose(M, np.broadcast_to(M[0], M.shape), atol=1e-10)


@pytest.mark.parametrize("speed", [0.5, 3.0, 40.0])
@pytest.mark.parametrize("start", [0.4, 1.7, 3.9])
def test_a_brief_passage_is_found(speed, start):
    """A target that flies past: within a millimetre for less than a thousandth of the step that this motion allows."""
    robot = chaser()
    apart, rest = {"grip": [start, 0, 0, 0, 0, 0, 1]}, [0.0, 0.0, -speed, 0, 0, 0, 0, 0]
    meet = sd.Event(sd.endpoints_within("hand", "handle", 1e-3), direction=-1, name="meets")
    run = sd.simulate(robot, robot.state(q=apart, qd=rest), 10.0 / speed, events=[meet])
    assert [event.time for event in run.events] == pytest.approx([(start - 1e-3) / speed], rel=1e-9)
    past = sd.simulate(robot, robot.state(q={"grip": [start, 2e-3, 0, 0, 0, 0, 1]}, qd=rest), 10.0 / speed, events=meet)
    assert past.events == ()


# --- commanded by laws -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [sd.DormandPrince8(), sd.DormandPrince5(), sd.RungeKutta4(5e-3)])
def test_a_law_locks_and_frees_a_joint(method):
    robot, state = tree(3)
    joint = next(i for i, one in enumerate(robot.joints) if one.nv == 1)
    name = robot.joint_names[joint]
    law = brake(joint=joint, lock=0.3, free=0.7)
    run = sd.simulate(robot, state, 1.0, laws=[law], method=method, record=0.05, budget=1e-5)
    locked = (run.time > 0.29) & (run.time < 0.69)
    assert (run["mode"][locked, joint] == sd.Mode.LOCKED).all() and (run["mode"][~locked] == sd.Mode.FREE).all()
    q, qd = run.states.q[:, robot.q_slice(name)], run.states.qd[:, robot.qd_slice(name)]
    np.testing.assert_array_equal(qd[locked], 0.0)
    assert np.ptp(q[locked], axis=0).max() < 1e-15 and np.ptp(q[~locked], axis=0).max() > 1e-3
    # the force that holds it is that of inverse dynamics
    forces = sd.inverse_dynamics(robot, run.states, run["udot"])
    np.testing.assert_allclose(run["forces"], forces, atol=1e-9 * np.abs(forces).max())
    M = run.momentum(about="com")
    size = np.abs(M).max()
    np.testing.assert_allclose(M, np.broadcast_to(M[0], M.shape), atol=(1e-10 if method.adaptive else 1e-6) * size)
    assert run["event_work"][-1, 0] < 0.0 and run.audit().constraints < 1e-14
    assert run.data["mode"].sel(joint=name).values.tolist() == run["mode"][:, joint].tolist()


def test_a_run_that_was_locked_goes_on_as_one_that_starts_locked():
    robot, state = tree(3)
    name = robot.joint_names[2]
    law = brake(joint=2, lock=0.3, free=9.0)
    run = sd.simulate(robot, state, 1.0, laws=[law], record=0.1)
    again = sd.simulate(
        robot, run.at(0.3), 0.7, start=0.3, laws=[law], prescribed={name: "locked"}, adjust=True, record=0.1
    )
    np.testing.assert_allclose(again.states.x, run.states.x[3:], atol=1e-11)
    np.testing.assert_allclose(again["forces"], run["forces"][3:], atol=1e-8)


def test_a_command_comes_into_effect_after_its_delay():
    robot, state = tree(3)
    law = brake(joint=2, lock=0.3, free=0.5, delay=0.13)
    run = sd.simulate(robot, state, 1.0, laws=[law], record=0.01)
    expected = np.where((run.time > 0.429) & (run.time < 0.629), sd.Mode.LOCKED, sd.Mode.FREE)
    np.testing.assert_array_equal(run["mode"][:, 2], expected)


@sd.law(period=0.2)
def alternate(t, s, p, out):
    """Each joint is locked, then freed, then locked, by what it is."""
    for j in range(s.mode.size):
        out.mode[j] = sd.Mode.FREE if s.mode[j] == sd.Mode.LOCKED else sd.Mode.LOCKED


@pytest.mark.parametrize("where", ["memory", "file", "folder"])
def test_a_restart_is_bit_for_bit(where, tmp_path):
    robot, state = tree(3)
    options = {"laws": [alternate()], "record": 0.01}
    events = [sd.Event(clock(at=0.33), action=sd.actions.lock(robot.joint_names[1])), sd.Event(clock(at=0.74))]
    if where != "memory":
        options["stream"] = tmp_path / "run"
    whole = sd.simulate(robot, state, 1.0, events=events, **options)
    assert len(np.unique(whole["mode"])) == 2
    run = whole
    if where == "file":
        whole.save(tmp_path / "run.nc")
        run = sd.Run.load(tmp_path / "run.nc")
    elif where == "folder":
        run = sd.Run.load(tmp_path / "run")
    for at in (0.1, 0.35, 0.8):
        again = run.resume(at=at, laws=[alternate()], events=events)
        np.testing.assert_array_equal(again._rows, whole._rows)
        assert again.audit() == whole.audit()


def test_each_robot_of_a_batch_has_modes_of_its_own():
    @sd.law(period=0.1)
    def hold_when_fast(t, s, p, out):
        for j in range(s.mode.size):
            if abs(s.qd[j]) > 0.5:
                out.mode[j] = sd.Mode.LOCKED

    robot = sd.load("ets7")
    states = robot.state(qd=np.random.default_rng(1).uniform(-0.8, 0.8, (5, 6)))
    many = sd.simulate(robot, states, 0.5, laws=[hold_when_fast()], record=0.1)
    assert 0 < (many["mode"] == sd.Mode.LOCKED).sum() < many["mode"].size
    for i in range(5):
        one = sd.simulate(robot, states[i], 0.5, laws=[hold_when_fast()], record=0.1)
        np.testing.assert_array_equal(many._rows[:, i], one._rows)


# --- following -------------------------------------------------------------------------------------------------------


def test_a_joint_follows_its_motion_from_where_it_is():
    """Free, then on its path by its rates, shifted to where it was; then locked, and on the path again."""
    robot = sd.load("ets7")
    path = sd.waypoints([0.0, 4.0], [0.0, 0.8])
    joint = robot.joint_names[1]
    events = [
        sd.Event(clock(at=1.0), action=sd.actions.follow(joint)),
        sd.Event(clock(at=2.0), action=sd.actions.lock(joint)),
        sd.Event(clock(at=3.0), action=lambda t, state: sd.actions.follow(joint)),
    ]
    state = robot.state(q=[0, 0.3, 0, 0, 0, 0], qd=[0.1, 0.05, 0, 0.1, 0, 0])
    run = sd.simulate(robot, state, 5.0, events=events, prescribed={joint: path}, modes={joint: "free"}, record=0.1)
    assert run["mode"][[5, 15, 25, 35], 1].tolist() == [1.0, 3.0, 2.0, 3.0]
    value, rate = path.over_times(np.minimum(run.time, 4.0))[:2, :, 0]
    first, second = (run.time > 0.99) & (run.time < 1.99), run.time > 2.99
    for part in (first, second):
        np.testing.assert_allclose(run.states.qd[part, 1], rate[part], atol=1e-14)
        moved = run.states.q[part, 1] - value[part]
        np.testing.assert_allclose(moved, moved[0], atol=1e-14)
        np.testing.assert_allclose(run["anchor"][part, 1], moved[0], atol=1e-14)
    audit = run.audit()
    assert audit.constraints < 1e-14 and audit.worst < 1e-9
    np.testing.assert_allclose(run.momentum()[-1], run.momentum()[0], atol=1e-9)


def test_modes_at_the_start():
    robot, state = tree(3)
    name = robot.joint_names[2]
    with pytest.raises(sd.InputError, match=f"joint '{name}' is prescribed to be moving with"):
        sd.simulate(robot, state, 0.2, modes={name: "locked"})
    one = sd.simulate(robot, state, 0.2, modes={name: "locked"}, adjust=True)
    two = sd.simulate(robot, state, 0.2, prescribed={name: "locked"}, adjust=True)
    np.testing.assert_array_equal(one["u"], two["u"])
    free = sd.simulate(robot, state, 0.2, prescribed={name: 0.0 * state.q[robot.q_slice(name)]}, modes={name: "free"})
    np.testing.assert_array_equal(free["u"], sd.simulate(robot, state, 0.2)["u"])
    assert np.isnan(free.audit().constraints) and "no joint was prescribed or locked" in str(free.audit())


# --- what cannot be ---------------------------------------------------------------------------------------------------


@sd.law(period=0.1)
def wrong_mode(t, s, p, out):
    out.mode[1] = p.mode


@pytest.mark.parametrize(
    ("mode", "message"),
    [(7, "the mode 7 for joint 'joint2'"), (1.5, r"the mode 1\.5"), (3, "'joint2' has no motion to follow")],
)
def test_a_mode_that_cannot_be_ends_the_run_with_a_reason(mode, message):
    robot = sd.load("ets7")
    with pytest.raises(sd.SimulationFailed, match=message) as failed:
        sd.simulate(robot, robot.state(qd=[0.1] * 6), 1.0, laws=[wrong_mode(mode=mode)])
    assert failed.value.run.status == "mode failed" and np.isfinite(failed.value.run._rows).all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: {"modes": {"elbow": "free"}}, "no joint named 'elbow'"),
        (lambda: {"modes": {"joint1": "loose"}}, "expected one of 'free', 'locked', 'prescribed'"),
        (lambda: {"modes": {"joint1": "prescribed"}}, "'joint1' has no motion to follow"),
        (lambda: {"modes": ["joint1"]}, "{joint: mode}"),
        (lambda: {"events": sd.Event(clock(at=0.5), action=sd.actions.lock("elbow"))}, "no joint named 'elbow'"),
        (
            lambda: {"events": sd.Event(clock(at=0.5), action=sd.actions.release("joint1", [1, 2]))},
            "has 1 rates, got 2",
        ),
        (lambda: {"events": sd.Event(clock(at=0.5), action=[sd.actions.lock("joint1"), 3])}, "action must be"),
        (lambda: sd.actions.lock(), "expected names of joints"),
        (lambda: sd.actions.free(3), "expected names of joints"),
        (lambda: sd.actions.release("joint1", rates=np.nan), "finite"),
        (lambda: sd.actions.release("joint1", rates="fast"), "finite"),
        (lambda: sd.endpoints_within("hand", "hand", -1.0), "positive length"),
        (lambda: {"events": sd.Event(sd.endpoints_within("hand", "hand", 1.0))}, "got 'hand' twice"),
        (lambda: {"laws": [sd.law(alternate.function)()]}, "only a sampled law can; give it a period"),
    ],
)
def test_what_cannot_be_switched_is_refused(make, message):
    robot = sd.load("ets7")
    with pytest.raises((sd.InputError, sd.UnknownName), match=message):
        sd.simulate(robot, robot.neutral_state(), 1.0, **make())


def test_an_event_that_follows_without_a_motion_fails_with_a_reason():
    robot = sd.load("ets7")
    with pytest.raises(sd.SimulationFailed, match="'joint1' has no motion to follow"):
        sd.simulate(
            robot, robot.neutral_state(), 1.0, events=sd.Event(clock(at=0.5), action=sd.actions.follow("joint1"))
        )


def test_the_audit_shows_joints_that_are_not_where_they_should_be():
    """A record that was tampered with: a locked joint that is off by a tenth."""
    from spacedyn.elements.prescribed import read_prescribed
    from spacedyn.simulate.modes import deviations

    robot = sd.load("ets7")
    given = {"joint1": sd.waypoints([0, 1], [0.0, 0.5]), "joint2": "locked"}
    run = sd.simulate(robot, robot.neutral_state(), 1.0, prescribed=given, record=0.1)
    assert run.audit().constraints < 1e-15 and "constraints" in str(run.audit())
    joints = read_prescribed(robot, given, {}, 0.0, 1.0)
    x, u = run["x"][:, None].copy(), run["u"][:, None].copy()
    x[4, 0, 8] += 0.1
    u[7, 0, 6] += 0.2
    off = deviations(robot, joints, run.time[:, None], x, u, None, np.zeros((1, 6)))[:, 0]
    rate = given["joint1"].at(0.7)[1, 0]
    assert off[4] == pytest.approx(0.1) and off[7] == pytest.approx(0.2 / (1 + rate))
    assert np.delete(off, [4, 7]).max() < 1e-15


@pytest.mark.parametrize("name", ["lock", "free", "follow", "attach", "release"])
def test_actions_keep_their_former_names(name):
    former, action = getattr(sd, name), getattr(sd.actions, name)
    assert former("elbow").modes == action("elbow").modes and type(former("elbow")) is sd.actions.Switch
    assert name not in sd.__all__ and name not in dir(sd)  # `sd.lock` would be a second meaning of `Model.lock`
    with pytest.raises(sd.InputError, match=f"{name}: "):
        former(3)


def test_released_rates_are_the_same_by_the_former_name():
    assert sd.release("grip", rates=[1.0, 2.0]).rates["grip"].tolist() == [1.0, 2.0]


def test_modes_are_plain_integers_by_both_names():
    assert [type(mode) for mode in (sd.Mode.FREE, sd.Mode.LOCKED, sd.Mode.PRESCRIBED)] == [int] * 3
    assert (sd.Mode.FREE, sd.Mode.LOCKED, sd.Mode.PRESCRIBED) == (sd.FREE, sd.LOCKED, sd.PRESCRIBED) == (1, 2, 3)


@sd.law(period=0.1)
def former(t, s, p, out):
    out.mode[0] = sd.LOCKED if s.mode[0] == sd.FREE else sd.FREE


@sd.law(period=0.1)
def present(t, s, p, out):
    out.mode[0] = Mode.LOCKED if s.mode[0] == sd.Mode.FREE else Mode.FREE


def test_compiled_laws_take_modes_by_both_names():
    """A law that cannot be compiled would warn, which is an error in these tests."""
    robot = sd.load("planar_four_link")
    start = robot.state(qd=[0.1, 0.2, 0, 0])
    runs = [sd.simulate(robot, start, 0.5, laws=[law()], record=0.05) for law in (former, present)]
    assert {1.0, 2.0} == set(runs[0]["mode"][:, 0])
    np.testing.assert_array_equal(runs[0]["mode"], runs[1]["mode"])
    np.testing.assert_array_equal(runs[0]["x"], runs[1]["x"])
