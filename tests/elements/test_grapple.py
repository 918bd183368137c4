"""A compliant grasp: its mathematics by a second route, the ledger, methods, packs, hands that change, files."""

import numpy as np
import pytest

import spacedyn as sd

pytestmark = pytest.mark.packs
STIFF = {"stiffness": (800.0, 500.0, 300.0), "damping": (30.0, 20.0, 10.0), "turn_stiffness": 90.0, "turn_damping": 8.0}
TURN = sd.Rotation.from_euler("xyz", [20, -30, 170], degrees=True)


def pair(base="free"):
    """A chaser with one joint, and a target that flies by itself; frames askew on both."""
    b = sd.Builder("pair", base=base)
    b.base("chaser", mass=40.0, inertia=(8, 9, 10), com=(0.1, 0, 0))
    b.link("arm", "revolute", parent="chaser", position=(0.5, 0, 0), mass=3.0, inertia=(0.1, 0.4, 0.4), com=(0.4, 0, 0))
    b.link("target", "free", parent="arm", mass=15.0, inertia=(2, 3, 2.5), com=(0, 0.05, 0))
    b.endpoint("hand", body="arm", position=(0.9, 0.1, 0), rotation=sd.Rotation.from_euler("z", 40, degrees=True))
    b.endpoint("handle", body="target", position=(-0.4, 0, 0.1), rotation=TURN)
    return b.build()


def start_of(model):
    return model.state(
        base_rate=[0.01, -0.02, 0.03],
        q={"arm": 0.3, "target": [1.6, 0.2, -0.1, *sd.Rotation.from_euler("y", 10, degrees=True).as_quat()]},
        qd={"arm": 0.1, "target": [-0.2, 0.1, 0.05, 0.1, -0.2, 0.15]},
    )


def closed(model, state, **options):
    """A grapple that is slack, but for small deviations, in a state."""
    a, b = (sd.endpoint_pose(model, state, name) for name in ("hand", "handle"))
    off = sd.Rotation.from_rotvec([0.05, -0.1, 0.08])
    turn = sd.Rotation.from_matrix(a.rotation.T @ b.rotation) * off
    place = a.rotation.T @ (b.position - a.position) + [0.02, -0.03, 0.04]
    return sd.Grapple(
        "hand", "handle", **{**STIFF, **options}, engaged=True, position=place, attitude_xyzw=turn.as_quat()
    )


def expected_wrench(model, state, grasp):
    """Force and moment on the hand in its axes: plain NumPy and SciPy from poses and velocities."""
    a, b = (sd.endpoint_pose(model, state, name) for name in ("hand", "handle"))
    va, vb = (sd.endpoint_velocity(model, state, name) for name in ("hand", "handle"))
    gap = b.position - a.position
    d = a.rotation.T @ gap - grasp.position
    speed = a.rotation.T @ (vb[:3] - va[:3] - np.cross(va[3:], gap))
    rest = sd.Rotation.from_quat(grasp.attitude_xyzw)
    phi = (rest.inv() * sd.Rotation.from_matrix(a.rotation.T @ b.rotation)).as_rotvec()
    spin = a.rotation.T @ (vb[3:] - va[3:])
    force = np.array(STIFF["stiffness"]) * d + np.array(STIFF["damping"]) * speed
    return force, STIFF["turn_stiffness"] * rest.apply(phi) + STIFF["turn_damping"] * spin


def test_force_and_moment_are_those_of_springs_and_dampers_in_six_directions():
    model = pair()
    state = start_of(model)
    grasp = closed(model, state)
    run = sd.simulate(model, state, 0.5, elements=[grasp], record=0.1)
    for i in (0, 3, 5):
        force, moment = expected_wrench(model, run.states[i], grasp)
        np.testing.assert_allclose(run["grapple_hand_handle.force"][i], force, rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(run["grapple_hand_handle.moment"][i], moment, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize(
    ("method", "drift"),
    [(sd.DormandPrince8(), 1e-11), (sd.Radau5(), 1e-8), (sd.RungeKutta4(2e-3), 1e-8)],
    ids=lambda m: type(m).__name__,
)
def test_no_momentum_comes_in_and_energy_is_accounted_for(method, drift):
    model = pair()
    state = start_of(model)
    run = sd.simulate(model, state, 3.0, elements=[closed(model, state)], record=0.1, method=method)
    audit = run.audit()
    L = run.momentum(about="com")
    assert np.abs(L - L[0]).max() < drift
    assert max(audit.linear_momentum, audit.angular_momentum) < drift and audit.energy < 1e-8
    np.testing.assert_array_equal(run["impulse"], 0.0)
    assert run["element_dissipated"][-1, 0] > 0.1 and run["element_energy"][0, 0] > 0.5


def test_without_dampers_energy_stays():
    model = pair()
    state = start_of(model)
    run = sd.simulate(model, state, 5.0, elements=[closed(model, state, damping=0.0, turn_damping=0.0)], record=0.1)
    energy = run.energy().kinetic + run["element_energy"].sum(axis=1)
    assert np.ptp(energy) < 1e-10 * energy[0]


def test_small_motions_have_the_frequencies_of_a_joint_with_these_springs():
    """Two bodies at rest, aligned: the same as a joint of the kind free with a spring at each rate."""
    b = sd.Builder("two")
    b.base("one", mass=4.0, inertia=(1, 1.2, 1.4))
    stiff = [500.0, 500.0, 500.0, 90.0, 90.0, 90.0]
    b.link("two", "free", parent="one", mass=3.0, inertia=(0.7, 0.8, 0.9))
    b.endpoint("a", body="one")
    b.endpoint("b", body="two")
    loose = b.build()
    tied = loose.vary(stiffness={"two": stiff})
    grasp = sd.Grapple("a", "b", stiffness=500.0, turn_stiffness=90.0, engaged=True)
    ours = sd.linearize(loose, loose.neutral_state(), elements=[grasp])
    theirs = sd.linearize(tied, tied.neutral_state())
    n = theirs.A.shape[0]
    np.testing.assert_allclose(ours.A[:n, :n], theirs.A, atol=1e-9 * np.abs(theirs.A).max())
    np.testing.assert_array_equal(ours.A[n:], 0.0)  # its own states stay


def test_one_robot_alone_and_in_a_pack_agree():
    model = pair()
    state = start_of(model)
    grasp = closed(model, state)
    batch = state.integrate(0.01 * np.arange(5.0)[:, None] * np.ones(model.nv))
    options = {"elements": [grasp], "record": 0.25, "method": sd.RungeKutta4(5e-3), "budget": 1.0}
    many = sd.simulate(model, batch, 0.5, **options)
    for k in (0, 4):
        alone = sd.simulate(model, batch[k], 0.5, **options)
        np.testing.assert_allclose(many["q"][:, k], alone["q"], rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(
            many["grapple_hand_handle.force"][:, k], alone["grapple_hand_handle.force"], rtol=1e-10, atol=1e-10
        )


@sd.condition
def clock(t, s, p, out):
    out.value[0] = t - p.time


def apart(model, state, hand, handle):
    """Velocity and rate of a handle relative to a hand, as the hand's body sees it."""
    places = [sd.endpoint_pose(model, state, name).position for name in (hand, handle)]
    va, vb = (sd.endpoint_velocity(model, state, name) for name in (hand, handle))
    return np.append(vb[:3] - va[:3] - np.cross(va[3:], places[1] - places[0]), vb[3:] - va[3:])


def two_arms():
    """Two chasers in a scene, and a target between them that nobody holds."""
    b = sd.Builder("arm", base="free")
    b.base("bus", mass=100.0, inertia=(20, 22, 25))
    b.link("boom", "revolute", parent="bus", position=(0.5, 0, 0), mass=4.0, inertia=(0.1, 0.5, 0.5), com=(0.5, 0, 0))
    b.endpoint("hand", body="boom", position=(1, 0, 0))
    arm = b.build()
    b = sd.Builder("target")
    b.base("box", mass=20.0, inertia=(2, 2.5, 3))
    b.endpoint("left", body="box", position=(-0.5, 0, 0))
    b.endpoint("right", body="box", position=(0.5, 0, 0))
    around = sd.Rotation.from_euler("z", 180, degrees=True)
    places = {"one": ((-2.0, 0, 0), None), "two": ((2.05, 0, 0), around)}
    return sd.scene({"one": arm, "two": arm, "box": b.build()}, places=places)


def test_a_target_changes_hands():
    """One hand catches it, the other takes hold, both hold it, the first lets go: nothing jumps, and momentum stays."""
    model = two_arms()
    grasp = {"stiffness": 400.0, "damping": 120.0, "turn_stiffness": 60.0, "turn_damping": 40.0}
    first = sd.Grapple("one/hand", "box/left", **grasp, name="first")
    second = sd.Grapple("two/hand", "box/right", **grasp, name="second")
    events = [
        sd.Event(clock(time=1.0), direction=1, action=sd.actions.engage("first"), name="caught"),
        sd.Event(clock(time=4.0), direction=1, action=sd.actions.engage("second"), name="held by both"),
        sd.Event(clock(time=6.0), direction=1, action=sd.actions.disengage("first"), name="let go"),
    ]
    start = model.state(qd={"box/base": [-0.03, 0.01, 0, 0.0, 0.02, 0.05]})
    run = sd.simulate(model, start, 12.0, elements=[first, second], events=events, record=0.05)
    t = run["time"]
    np.testing.assert_array_equal(run["first.engaged"][:, 0], (t > 1.0 - 1e-9) & (t < 6.0 - 1e-9))
    np.testing.assert_array_equal(run["second.engaged"][:, 0], t > 4.0 - 1e-9)
    assert [event.time for event in run.events] == pytest.approx([1.0, 4.0, 6.0], abs=1e-12)
    for event in run.events:
        before, after = (sd.momentum(model, state, about="origin") for state in (event.state, event.after))
        np.testing.assert_array_equal(before, after)
    L = run.momentum(about="com")
    assert np.abs(L - L[0]).max() < 1e-12 * np.abs(L[0]).max() + 1e-13
    assert run.audit().worst < 1e-9
    assert run["event_work"][-1, 0] <= 0.0  # what the springs of the first hand held is lost
    assert np.abs(apart(model, run.final, "two/hand", "box/right")).max() < 1e-4  # at rest in the second hand
    assert np.abs(apart(model, run.final, "one/hand", "box/left")).max() > 3e-4
    np.testing.assert_array_equal(run["first.force"][t < 1.0 - 1e-9], 0.0)


def test_engaged_as_made_it_pulls_into_line():
    """Not as met: its springs are stretched at once; the work of that is in the ledger."""
    model = pair()
    a, b = (sd.endpoint_pose(model, start_of(model), name) for name in ("hand", "handle"))
    turn = sd.Rotation.from_matrix(a.rotation.T @ b.rotation)
    grasp = sd.Grapple("hand", "handle", **STIFF, attitude_xyzw=turn.as_quat(), name="claw")
    pull = sd.Event(clock(time=0.5), direction=1, action=sd.actions.engage("claw", as_met=False))
    run = sd.simulate(model, start_of(model), 20.0, elements=[grasp], events=[pull], record=0.5)
    assert run["event_work"][-1, 0] > 0.0
    assert run.audit().worst < 1e-7
    final = [sd.endpoint_pose(model, run.final, name).position for name in ("hand", "handle")]
    assert np.linalg.norm(final[0] - final[1]) < 1e-2


def test_it_goes_on_from_a_file_and_stands_in_a_scenario(tmp_path):
    model = pair()
    model.to_toml(tmp_path / "pair.toml")
    (tmp_path / "catch.toml").write_text(
        """
robot = "pair.toml"
duration = 2.0
record = 0.1
[state]
q = { arm = 0.3, target = [1.6, 0.2, -0.1, 0, 0, 0, 1] }
qd = { target = [-0.2, 0, 0, 0, 0, 0] }
[[elements]]
kind = "grapple"
endpoint = "hand"
other = "handle"
stiffness = 300.0
damping = [20.0, 20.0, 20.0]
name = "claw"
[[events]]
when = "endpoints_within"
endpoint = "hand"
other = "handle"
distance = 0.25
direction = -1
action = { do = "engage", grapple = "claw" }
""",
        encoding="utf-8",
    )
    scenario = sd.Scenario.from_toml(tmp_path / "catch.toml")
    run = scenario.run(progress=False)
    assert [event.name for event in run.events] == ["hand within 0.25 of handle"]
    assert run["claw.engaged"][-1, 0] == 1.0 and "sd.actions.engage(" in scenario.to_python()
    run.save(tmp_path / "run.nc")
    again = sd.Run.load(tmp_path / "run.nc")
    np.testing.assert_array_equal(again["claw.rest_position"], run["claw.rest_position"])
    assert again.simulation.elements[0].label == "claw"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"stiffness": -1.0}, "stiffness must not be negative"),
        ({}, "neither stiffness nor damping"),
        ({"stiffness": [1.0, 2.0]}, "stiffness must be a number or three, got shape"),
        ({"stiffness": 1.0, "engaged": 1}, "engaged must be True or False"),
        ({"stiffness": 1.0, "attitude_xyzw": (0, 0, 0, 2)}, "unit quaternion"),
        ({"stiffness": 1.0, "name": "not one"}, "identifier"),
    ],
)
def test_it_says_what_is_wrong_with_it(options, words):
    with pytest.raises(sd.InputError, match=words):
        sd.Grapple("hand", "handle", **options)


def test_names_that_there_are_not_are_said_before_the_run():
    model = pair()
    start = model.neutral_state()
    with pytest.raises(sd.UnknownName, match="nothing"):
        sd.simulate(model, start, 1.0, elements=[sd.Grapple("hand", "nothing", stiffness=1.0)])
    b = sd.Builder("one")
    b.base("body", mass=1.0, inertia=(1, 1, 1.5))
    b.endpoint("a", body="body")
    b.endpoint("b", body="body", position=(1, 0, 0))
    lone = b.build()
    with pytest.raises(sd.InputError, match="are on body 'body'"):
        sd.simulate(lone, lone.neutral_state(), 1.0, elements=[sd.Grapple("a", "b", stiffness=1.0)])
    shut = sd.Event(clock(time=0.5), action=sd.actions.engage("claw"))
    grasp = sd.Grapple("hand", "handle", stiffness=1.0, name="clam")
    with pytest.raises(sd.UnknownName, match=r"'claw'.*clam"):
        sd.simulate(model, start, 1.0, elements=[grasp], events=[shut])
    with pytest.raises(sd.UnknownName, match="claw"):
        sd.simulate(model, start, 1.0, events=[shut])
