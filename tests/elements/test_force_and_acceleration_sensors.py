"""Sensors that need accelerations: against other routes on random trees, momentum, closed forms in orbit."""

import numpy as np
import pytest

import spacedyn as sd
from random_trees import random_model
from robots import slider
from spacedyn.kernels.scalar.pack import LANES

pytestmark = pytest.mark.packs

GRAVITY = np.array([0.3, -0.5, -1.0])
PUSH = {"force": [1.0, 2.0, 3.0], "moment": [0.1, 0.2, 0.3], "point": [0.1, 0.2, 0.3]}


def beyond(model, joint, body):
    """Whether a body is beyond a joint."""
    joints = {one.child: one for one in model.joints}
    while body in joints:
        if joints[body].name == joint:
            return True
        body = joints[body].parent
    return False


def reaction(model, run, joint):
    """What a joint transmits by inverse dynamics, less the push beyond it; about the child's frame, in its axes."""
    child, pushed = run.body(joint.child), run.body(model.body_names[3])
    wrench = sd.joint_reactions(model, run.states[0], run["udot"][0], gravity=GRAVITY)[model.body_index(joint.child)]
    f, n = wrench[:3].copy(), wrench[3:].copy()
    if beyond(model, joint.name, model.body_names[3]):
        r = pushed.position[0] + pushed.rotation[0] @ PUSH["point"] - child.position[0]
        f -= PUSH["force"]
        n -= PUSH["moment"] + np.cross(r, PUSH["force"])
    R = child.rotation[0]
    return np.concatenate([R.T @ f, R.T @ n])


@pytest.mark.parametrize("seed", range(6))
def test_on_random_trees_they_agree_with_kinematics_and_inverse_dynamics(seed):
    """All kinds of joints and bases: 1e-11 of the largest number, under gravity, a push, springs, stops of joints."""
    rng = np.random.default_rng(seed)
    model = random_model(rng, 8, passive=bool(seed % 2), base_kind=["free", "fixed", "planar", "attitude"][seed % 4])
    elements = [sd.ForceTorqueSensor(joint.name, name=f"at_{joint.name}") for joint in model.joints]
    elements += [sd.Accelerometer(end, name=f"at_{end}") for end in model.endpoint_names]
    elements += [sd.Wrench(model.body_names[3], **PUSH)]
    run = sd.simulate(model, model.random_state(rng), 1e-3, elements=elements, gravity=GRAVITY, record=[0.0],
                      limits=False)  # fmt: skip
    for joint in model.joints:
        found = np.concatenate([run[f"at_{joint.name}.force"][0], run[f"at_{joint.name}.moment"][0]])
        expected = reaction(model, run, joint)
        assert abs(found - expected).max() < 1e-11 * max(1.0, abs(expected).max()), joint.kind
    for end in model.endpoint_names:
        motion = run.endpoint(end)
        expected = motion.rotation[0].T @ (motion.acceleration[0, :3] - GRAVITY)
        assert abs(run[f"at_{end}.specific_force"][0] - expected).max() < 1e-11 * max(1.0, abs(expected).max())


def test_a_joint_transmits_what_the_base_feels_with_tank_and_flexible_part_beyond_it():
    """Nothing else acts on the base: F = -m a of its centre of mass, N = -(J w' + w x J w), moments about that."""
    b = sd.Builder("pair")
    J = np.diag([3.0, 4.0, 5.0])
    b.base("bus", mass=50.0, inertia=J)
    b.link("arm", "revolute", parent="bus", position=(0.6, 0.2, 0), axis=(0, 0.6, 0.8), mass=4.0,
           inertia=(0.2, 0.3, 0.4), com=(0.3, 0, 0.1))  # fmt: skip
    b.link("jaw", "prismatic", parent="arm", position=(0.5, 0, 0), axis=(1, 0, 0), mass=2.0, inertia=(0.3, 0.35, 0.4))
    model = b.build()
    panel = sd.ModalAppendage("jaw", [0.4, 0.9], damping=[0.01, 0.02], delta0=[[0.5, 0, 0.2], [0, 0.3, 0]],
                              delta1=[[0, 0.2, 0], [0.1, 0, 0.3]], name="panel")  # fmt: skip
    tank = sd.Tank("arm", propellant=3.0, gyration=0.1, position=[0.2, 0.1, 0], name="tank")
    wrist = sd.ForceTorqueSensor("arm", name="wrist")
    state = model.state(base_rate=[0.2, -0.1, 0.3], q=[0.4, 0.1], qd=[0.5, 0.2]).with_internal(
        {"panel.amplitude": [0.1, -0.2]}
    )
    run = sd.simulate(model, state, 2.0, elements=[panel, tank, wrist], record=0.5)
    for i in range(len(run.time)):
        R, arm = run.states[i].base_attitude.as_matrix(), run.body("arm")
        udot, w = run["udot"][i], run["u"][i, 3:6]
        f = arm.rotation[i] @ run["wrist.force"][i]
        n = arm.rotation[i] @ run["wrist.moment"][i]
        I = R @ J @ R.T
        np.testing.assert_allclose(f, -50.0 * udot[:3], atol=1e-10)
        about = n + np.cross(arm.position[i] - run["x"][i, :3], f)
        np.testing.assert_allclose(about, -(I @ udot[3:6] + np.cross(w, I @ w)), atol=1e-10)
    assert run.audit().within_budget and abs(f).max() > 0.1


def test_in_orbit_an_accelerometer_feels_the_gradient_and_the_turn_alone():
    """At r from the centre of mass: w x (w x r) - G r, G = mu/R³ (3 e e' - 1); at it nothing, of 8 m/s² that cancel."""
    b = sd.Builder("satellite")
    b.base("bus", mass=100.0, inertia=(10.0, 12.0, 14.0))
    model = b.build()
    R, w, mu = 7e6, np.array([0.0, 0.0, 1e-3]), 3.986004418e14
    state = model.state(base_position=[R, 0, 0], base_velocity=[0, np.sqrt(mu / R), 0], base_rate=w)
    off = np.array([0.5, -0.3, 0.7])
    elements = [
        sd.Accelerometer("bus", name="centre"),
        sd.Accelerometer(("bus", off), name="corner"),
        sd.CentralGravity(),
    ]
    run = sd.simulate(model, state, 1.0, elements=elements, record=[0.0, 1.0])
    assert abs(run["centre.specific_force"]).max() < 1e-12
    G = mu / R**3 * np.diag([2.0, -1.0, -1.0])
    np.testing.assert_allclose(run["corner.specific_force"][0], np.cross(w, np.cross(w, off)) - G @ off, atol=2e-12)


def body(size):
    b = sd.Builder("body")
    b.base("bus", mass=100.0, inertia=np.array([10.0, 12.0, 14.0]) * size)
    return b.build()


@pytest.mark.parametrize(
    ("fields", "origin"),
    [
        (
            [sd.CentralGravity(), sd.ZonalGravity(), sd.ThirdBody(mu=4.9e12, position=[3e8, 2e8, 1e8])],
            [4e6, -5e6, 2.4e6],
        ),
        (
            [sd.OrbitingOrigin([4e6, -5e6, 2.4e6], [5e3, 3e3, 2e3]), sd.CentralGravity(), sd.ZonalGravity()],
            [3.0, 2.0, 1.0],
        ),
        ([sd.HillFrame(mean_motion=1e-3)], [30.0, 20.0, 10.0]),
    ],
    ids=["planet", "falling origin", "turning axes"],
)
def test_every_field_is_left_out_at_the_point_not_at_the_centre(fields, origin):
    """a + w' x r + w x (w x r) less the acceleration of a small free body at that place with that velocity."""
    off, w, v = np.array([1.5, -1.3, 1.7]), np.array([0.02, -0.01, 0.03]), np.array([0.3, -0.2, 0.1])
    fast = 7.5e3 if np.linalg.norm(origin) > 1e6 else 0.0
    velocity = v + fast * np.array([0.6, 0.48, 0.64])
    model, small = body(1.0), body(1e-12)
    feel = sd.Accelerometer(("bus", off), name="feel")
    options = {"record": [0.0]}
    state = model.state(base_position=origin, base_velocity=velocity, base_rate=w)
    run = sd.simulate(model, state, 1e-3, elements=[*fields, feel], **options)
    there = small.state(base_position=origin + off, base_velocity=velocity + np.cross(w, off))
    free = sd.simulate(small, there, 1e-3, elements=fields, **options)["udot"][0, :3]
    udot = run["udot"][0]
    expected = udot[:3] + np.cross(udot[3:], off) + np.cross(w, np.cross(w, off)) - free
    np.testing.assert_allclose(run["feel.specific_force"][0], expected, atol=3e-12)
    bare = np.cross(udot[3:], off) + np.cross(w, np.cross(w, off))
    assert abs(bare - expected).max() > 1e-6  # without the gradient it would be wrong


def test_one_that_rests_on_the_ground_reads_g_upwards_and_a_law_may_sample_it():
    """A cart on a rail under a push that the law halves at every instant at which it feels it."""

    @sd.law(period=0.1)
    def halve(t, s, p, out):
        out.tau[0] = 1.0 if t < 0.05 else 0.5 * s.feel.specific_force[0]

    model = slider(mass=2.0, axis=(1, 0, 0))
    feel = sd.Accelerometer("mass", name="feel")
    run = sd.simulate(model, model.neutral_state(), 0.4, laws=[halve()], elements=[feel], gravity=[0, 0, -9.81],
                      record=[0.05, 0.15, 0.25])  # fmt: skip
    # a = F / 2; what it reads before the sample is of the command before
    np.testing.assert_allclose(run["feel.specific_force"][:, 0], [0.5, 0.125, 0.03125], atol=1e-12)
    np.testing.assert_allclose(run["feel.specific_force"][:, 2], 9.81, atol=1e-12)

    @sd.law
    def at_once(t, s, p, out):
        out.tau[0] = s.feel.specific_force[0]

    with pytest.raises(sd.InputError, match="depends on what laws command"):
        sd.simulate(model, model.neutral_state(), 0.1, laws=[at_once()], elements=[feel])
    held = sd.Accelerometer("mass", period=0.05, bias=[1.0, 0, 0], name="feel")
    run = sd.simulate(model, model.neutral_state(), 0.1, laws=[at_once()], elements=[held], record=[0.02, 0.07])
    np.testing.assert_allclose(run["feel.specific_force"][:, 0], [1.0, 1.5], atol=1e-12)


def test_an_event_may_look_at_what_one_holds_but_not_at_what_is_yet_to_be_solved():
    """A mass on a spring from 0.3 m, x = 0.3 cos t: at the instant after its pull has fallen below 0.1 N."""

    @sd.condition
    def calm(t, s, p, out):
        out.value[0] = abs(s.feel.specific_force[2]) - 0.1

    model = slider()
    spring = sd.Spring("mass", "inertial", stiffness=1.0, rest_length=0.0)
    options = {"events": [sd.Event(calm(), direction=-1, terminal=True)], "record": 0.5}
    with pytest.raises(sd.InputError, match="give it a period"):
        sd.simulate(
            model, model.state(q=[0.3]), 3.0, elements=[spring, sd.Accelerometer("mass", name="feel")], **options
        )
    held = sd.Accelerometer("mass", period=0.05, name="feel")
    run = sd.simulate(model, model.state(q=[0.3]), 3.0, elements=[spring, held], **options)
    when = np.arccos(0.1 / 0.3)
    assert run.status == "event" and 0.0 <= run.events[0].time - when < 0.05 + 1e-9


@pytest.mark.parametrize("method", [sd.RungeKutta4(0.01), sd.Radau5()])
def test_they_have_errors_instants_and_batches_as_others_do(method):
    model, count = slider(mass=2.0, axis=(1, 0, 0)), LANES + 1
    pushes = np.linspace(-1.0, 1.0, count)
    states = model.state(q=np.zeros((count, 1)), qd=pushes[:, None])
    sensors = [sd.Accelerometer("mass", noise=0.1, period=0.1, delay=0.1, seed=3, name="feel"),
               sd.ForceTorqueSensor("rail", noise=[0, 0, 0, 0.1, 0.1, 0.1], period=0.05, quantum=[0.5, 0, 0, 0, 0, 0],
                              fail_at=0.32, fault="frozen", name="scale")]  # fmt: skip
    spring = sd.Spring("mass", "inertial", stiffness=3.0, rest_length=0.0, point=[0, 0, 0], other_point=[1.0, 0, 0])
    run = sd.simulate(model, states, 0.5, elements=[*sensors, spring], record=0.05, method=method)
    alone = sd.simulate(model, states[1], 0.5, elements=[*sensors, spring], record=0.05, method=method)
    np.testing.assert_allclose(run["udot"][:, 1], alone["udot"], atol=1e-9)
    steps = run["scale.force"][..., 0] / 0.5
    np.testing.assert_allclose(steps, np.round(steps), atol=1e-12)
    np.testing.assert_array_equal(run["scale.moment"][7], run["scale.moment"][-1])
    feel, true = run["feel.specific_force"][..., 0], run["udot"][..., 0]
    noise = feel[4] - true[2]  # at 0.2 s, what was measured at 0.1 s, and its noise
    assert 0.0 < abs(noise).max() < 0.5 and len(np.unique(noise)) == count


def test_scenarios_and_files_have_them(tmp_path):
    robot = sd.load("planar_four_link")
    (tmp_path / "one.toml").write_text(f"""
robot = "planar_four_link"
duration = 0.5
record = 0.25
[state]
qd = [0.1, 0.2, -0.1, 0.3]
[[elements]]
kind = "accelerometer"
at = "{robot.endpoint_names[0]}"
period = 0.1
noise = 1e-3
[[elements]]
kind = "force_torque_sensor"
joint = "joint2"
point = [0.1, 0, 0]
name = "wrist"
""")
    run = sd.Scenario.from_toml(tmp_path / "one.toml").run()
    run.save(tmp_path / "run.nc")
    again = sd.Run.load(tmp_path / "run.nc").resume(until=1.0)
    np.testing.assert_array_equal(again["wrist.force"], run.resume(until=1.0)["wrist.force"])


def test_bad_input_is_refused_by_name():
    model = slider()
    for make, words in (
        (lambda: sd.ForceTorqueSensor("rail", quantum=1.0), "quantum needs a sampling period"),
        (lambda: sd.ForceTorqueSensor("rail", limit=[1.0, 2.0]), "limit must be a number or 6"),
        (lambda: sd.ForceTorqueSensor("rail", point=[1.0]), "point"),
        (lambda: sd.simulate(model, model.neutral_state(), 1.0, elements=[sd.ForceTorqueSensor("rod")]), "rod"),
        (lambda: sd.simulate(model, model.neutral_state(), 1.0, elements=[sd.Accelerometer("rod")]), "rod"),
    ):
        with pytest.raises(sd.SpacedynError, match=words):
            make()
