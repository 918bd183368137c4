"""Everything that acts comes in by one door, `elements=`, where laws, gravity and held joints mean the same."""

import inspect

import numpy as np
import pytest
from outside_element import brake, press

import spacedyn as sd
from spacedyn.elements.element import Account, declaration_of
from spacedyn.run.simulate import run_of
from spacedyn.simulate.setup import simulation_of

ROBOT = sd.load("ets7")
START = ROBOT.state(qd=[0, 0.2, -0.1, 0, 0.1, 0.1])
PATH = sd.waypoints([0, 0.7, 2], [0.0, 0.1, 0.3])
NUMBERS = {"stiffness": 40.0, "drag": 0.5, "gain": 1e-5, "viscous": 0.2}


@sd.law(states={"integral": 1})
def hold(t, s, p, out):
    """Hold the fifth joint, with an integral."""
    out.integral[0] = p.target - s.q[4]
    out.tau[4] = p.kp * (p.target - s.q[4]) + s.integral[0] - p.kd * s.qd[4]


@sd.motion
def sway(t, p, out):
    """A joint that goes to and fro."""
    out.value[0] = p.size * (1.0 - np.cos(t))
    out.rate[0] = p.size * np.sin(t)
    out.acceleration[0] = p.size * np.cos(t)


@sd.condition
def late(t, s, p, out):
    """Some time has passed."""
    out.value[0] = t - p.at


PUSH = {"force": (0, 0, 5.0), "stop": 0.33}


def short() -> dict:
    """What acts, each by the argument of its own."""
    return {
        "laws": [press(most=1e5), hold(target=0.2, kp=30.0, kd=20.0)],
        "gravity": (0, 0.1, -1.62),
        "prescribed": {"joint1": PATH, "joint4": "locked", "joint6": sway(size=0.1)},
        "forces": [brake(axle="joint2", **NUMBERS), sd.Wrench("base", **PUSH)],
        "adjust": True,
    }


def one_door() -> dict:
    """The same as elements."""
    return {
        "elements": [
            brake(axle="joint2", **NUMBERS),
            press(most=1e5),
            sd.UniformGravity((0, 0.1, -1.62)),
            sd.PrescribedJoint("joint1", PATH),
            sd.LockedJoint("joint4"),
            sd.PrescribedJoint("joint6", sway(size=0.1)),
            sd.Wrench("base", **PUSH),
            hold(target=0.2, kp=30.0, kd=20.0),
        ],
        "adjust": True,
    }


@pytest.fixture(scope="module")
def run():
    return sd.simulate(ROBOT, START, 1.0, record=0.05, **one_door())


def test_runs_are_equal_to_the_bit(run):
    same = sd.simulate(ROBOT, START, 1.0, record=0.05, **short())
    assert np.array_equal(same._rows, run._rows)
    assert same.simulation.physics() == run.simulation.physics()
    assert same.simulation.to_text() == run.simulation.to_text()
    assert run.audit().within_budget


def test_a_batch_moves_as_by_the_arguments(run):
    many = ROBOT.state(qd=np.linspace(-0.1, 0.1, 5)[:, None] * np.array([0, 1.0, 1, 0, 1, 0]))
    options = {"record": 0.1, "method": sd.RungeKutta4(0.01), "budget": 1.0}
    by_door, by_names = (sd.simulate(ROBOT, many, 0.2, **given, **options) for given in (one_door(), short()))
    assert np.array_equal(by_door._rows, by_names._rows)


def test_one_element_needs_no_list():
    fall = sd.simulate(ROBOT, ROBOT.neutral_state(), 1.0, record=[1.0], elements=sd.UniformGravity((0, 0, -2.0)))
    assert np.allclose(fall.final.base_velocity, [0, 0, -2.0])
    held = sd.simulate(ROBOT, START, 0.1, record=[0.1], elements=hold(target=0.2, kp=1.0, kd=1.0))
    assert [law.name for law in held.laws] == ["hold"] and held.forces == ()


def test_accelerations_add_up():
    def velocity(*elements, **more):
        run = sd.simulate(ROBOT, ROBOT.neutral_state(), 1.0, record=[1.0], elements=elements, **more)
        assert run.audit().worst < 1e-10
        return run.final.base_velocity

    two = sd.UniformGravity((0, 0, -1.0)), sd.UniformGravity((0.5, 0, -1.0), name="tide")
    assert np.allclose(velocity(*two), [0.5, 0, -2.0])
    assert np.allclose(velocity(*two, gravity=(0, 3.0, 0)), [0.5, 3.0, -2.0])
    assert sd.simulate(ROBOT, START, 0.1, record=[0.1]).gravity is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"prescribed": {"joint1": 0.0}, "elements": [sd.LockedJoint("joint1")]},
            "joint 'joint1' is held by prescribed and by LockedJoint; a joint has one motion",
        ),
        (
            {"elements": [sd.PrescribedJoint("joint2", PATH), sd.LockedJoint("joint2")]},
            "joint 'joint2' is held by PrescribedJoint and by LockedJoint",
        ),
        ({"elements": [sd.LockedJoint("joint2"), sd.LockedJoint("joint2")]}, "'joint2' is held by LockedJoint twice"),
        ({"prescribed": {"joint2": 0.0, 1: 0.0}}, "'joint2' is held by prescribed twice"),
        ({"elements": [sd.LockedJoint("joint22")]}, "no joint named 'joint22'; did you mean 'joint2'"),
        ({"elements": [sd.PrescribedJoint("joint2", "looked")]}, "expected a motion or 'locked', got 'looked'"),
        ({"elements": [sd.PrescribedJoint("joint2", object())]}, r"prescribed joint 'joint2': expected waypoints\("),
        ({"elements": [hold]}, r"law 'hold' has no parameters yet; call it: hold\(...\)"),
        ({"elements": [brake]}, "call it, with its parameters"),
        ({"elements": [sway(size=0.1)]}, r"elements: 'sway' is no law; a motion is for a joint: PrescribedJoint\("),
        ({"laws": [sway(size=0.1)]}, r"laws: 'sway' is no law; a motion is for a joint: PrescribedJoint\("),
        ({"elements": [late(at=0.1)]}, r"'late' is no law; a condition is for an event: Event\("),
        (
            {"elements": [3.0]},
            r"elements: expected elements \(Wrench, Spring, Motor, ..., or made by @element\) or laws",
        ),
        ({"elements": 3.0}, "elements: expected one or a list"),
        ({"laws": [sd.LockedJoint("joint2")]}, "laws: expected functions made by @law"),
        ({"elements": [sd.LockedJoint("joint2")], "method": sd.Variational(0.01)}, "cannot lock or prescribe joints"),
        ({"elements": [sd.PrescribedJoint("joint2", 0.5)]}, "'joint2' is prescribed to be at"),
    ],
)
def test_mistakes_are_reported_by_name(given, message):
    with pytest.raises(sd.SpacedynError, match=message):
        sd.simulate(ROBOT, ROBOT.neutral_state(), 1.0, **given)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sd.UniformGravity(9.81), "UniformGravity: acceleration must be three finite numbers"),
        (lambda: sd.UniformGravity((0, 0, np.nan)), "UniformGravity: acceleration"),
        (lambda: sd.LockedJoint(3), "LockedJoint: joint must be text, got 3"),
        (lambda: sd.PrescribedJoint(joint="elbow", motoin=0.0), "did you mean 'motion'"),
    ],
)
def test_mistakes_where_they_are_made(make, message):
    with pytest.raises(sd.SpacedynError, match=message):
        make()


def test_internal_states_start_where_they_are_told_beside_a_held_joint():
    start = ROBOT.neutral_state().with_internal({"hold0.integral": 0.7})
    given = [hold(target=0.0, kp=1.0, kd=1.0), sd.LockedJoint("joint1")]
    run = sd.simulate(ROBOT, start, 0.1, record=[0.0, 0.1], elements=given)
    assert run["hold0.integral"][0, 0] == 0.7


def test_linearize_takes_them():
    by_door, by_names = one_door(), short()
    del by_door["adjust"], by_names["adjust"]
    at = ROBOT.state(q=[0, 0.1, 0.2, 0.3, 0.4, 0])
    ours, theirs = (sd.linearize(ROBOT, at, **given) for given in (by_door, by_names))
    assert ours.names == theirs.names and "hold integral" in ours.names and "brake bend" in ours.names
    np.testing.assert_array_equal(ours.A, theirs.A)
    np.testing.assert_array_equal(ours.B, theirs.B)


def test_a_constant_push_is_in_the_linearization():
    """A force at a lever, in inertial axes: it turns the body with a moment that depends on its attitude."""
    b = sd.Builder("box")
    b.base("box", mass=2.0, inertia=(1.0, 2.0, 2.5))
    box = b.build()
    push = sd.Wrench("box", force=(3.0, 0, 0), point=(1.0, 0, 0), start=-1.0)
    A = sd.linearize(box, box.neutral_state(), elements=[push]).A
    turned = np.zeros((6, 6))
    turned[4, 4], turned[5, 5] = -3.0 / 2.0, -3.0 / 2.5  # pulled back, like a flag
    np.testing.assert_allclose(A[6:, :6], turned, atol=1e-12)


# --- files -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def file(run, tmp_path_factory):
    place = tmp_path_factory.mktemp("door") / "run.nc"
    run.save(place)
    return place


def test_it_goes_on_from_a_file_with_the_same_list(run, file):
    loaded = sd.Run.load(file)
    assert loaded.simulation.physics() == run.simulation.physics()
    again = loaded.resume(at=0.5, **{"elements": one_door()["elements"]})
    assert np.array_equal(again._rows, run._rows)
    partly = one_door()["elements"]
    code = [partly[i] for i in (0, 1, 5, 7)]  # what has code: the file has the rest
    assert np.array_equal(loaded.resume(at=0.5, elements=code)._rows, run._rows)
    by_names = {"laws": [code[1], code[3]], "elements": [code[0]], "prescribed": {"joint6": code[2].motion}}
    assert np.array_equal(loaded.resume(at=0.5, **by_names)._rows, run._rows)


@pytest.mark.parametrize(
    ("place", "new", "message"),
    [
        (1, press(most=2e5), "law 'press': the run was made with most"),
        (2, sd.UniformGravity((0, 0, -9.81)), r"a gravity of \[ 0.* m/s², given were \[ 0.* -9.81\]"),
        (3, sd.PrescribedJoint("joint1", 0.2), "not made with this motion of joint 'joint1'"),
        (3, sd.PrescribedJoint("joint1", object()), "not made with this motion of joint 'joint1'"),
        (4, sd.LockedJoint("joint3"), "not made with this motion of joint 'joint3'"),
        (5, sd.PrescribedJoint("joint6", sway(size=0.2)), "law 'sway': the run was made with size"),
        (6, sd.Wrench("base", force=(0, 0, 6.0)), "not made with this element 'wrench on base'"),
        (7, 3.0, "elements: expected elements"),
    ],
)
def test_it_does_not_go_on_with_others(file, place, new, message):
    given = one_door()["elements"]
    given[place] = new
    with pytest.raises(sd.InputError, match=message):
        sd.Run.load(file).resume(at=0.5, elements=given)


# --- what they declare -----------------------------------------------------------------------------------------------


def test_all_of_them_declare_in_one_form():
    of = [declaration_of(one) for one in one_door()["elements"]]
    braking, _, gravity, path, lock, _, push, law = of
    assert [block.name for block in braking.states] == ["bend"] and braking.guards == 1
    assert [block.name for block in braking.commands] == ["pressure"]
    assert gravity.accounts == (Account.STORED,) and path.accounts == lock.accounts == (Account.WORK,)
    assert push.breaks == (0.33,) and push.period is None
    assert [(block.name, block.size) for block in law.states] == [("integral", 1)] and law.accounts == (Account.WORK,)
    assert declaration_of(sd.law(period=0.1)(hold.function)(target=0.0, kp=1.0, kd=1.0)).period == 0.1


def test_simulate_hands_on_what_it_is_given():
    """Names, kinds and defaults are those of the two functions that look at them, and nobody else's."""
    outer = dict(inspect.signature(sd.simulate).parameters)
    inner = dict(inspect.signature(simulation_of).parameters)
    inner |= {k: v for k, v in inspect.signature(run_of).parameters.items() if k != "simulation"}
    assert {k: (v.annotation, v.default, v.kind) for k, v in outer.items()} == {
        k: (v.annotation, v.default, v.kind) for k, v in inner.items()
    }


def test_a_scenario_is_checked_once(monkeypatch):
    """`check`, as the command line calls it, and `run` make one description, whose figures are looked at once."""
    from spacedyn.scenario import scenario as room
    from spacedyn.simulate import setup

    made = []
    for where, name in (
        (setup, "check_state"),
        (setup, "read_prescribed"),
        (setup, "read_events"),
        (room, "look_faults"),
    ):
        one = getattr(where, name)
        monkeypatch.setattr(where, name, lambda *given, one=one, name=name: (made.append(name), one(*given))[1])
    scenario = sd.Scenario.from_toml("tian_wu", change={"duration": 0.1})
    scenario.check()
    run = scenario.run()
    assert sorted(made) == ["check_state", "look_faults", "read_events", "read_prescribed"]
    assert run.simulation is scenario._simulation
    assert run.simulation.layout.row == type(run.simulation.layout)(run.model, run.laws, run.elements, ()).row


# --- scenarios -------------------------------------------------------------------------------------------------------

LAWS = """
import numpy as np
import spacedyn as sd

@sd.law(states={"integral": 1})
def hold(t, s, p, out):
    out.integral[0] = p.target - s.q[4]
    out.tau[4] = p.kp * (p.target - s.q[4]) + s.integral[0] - p.kd * s.qd[4]

@sd.motion
def sway(t, p, out):
    out.value[0] = p.size * (1.0 - np.cos(t))
    out.rate[0] = p.size * np.sin(t)
    out.acceleration[0] = p.size * np.cos(t)

def plain(model, state):
    return None
"""

HEAD = """
robot = "ets7"
duration = 0.5
record = 0.05

[state]
qd = [0, 0.2, -0.1, 0, 0.1, 0]
"""

BY_DOOR = (
    HEAD
    + """
[[elements]]
kind = "uniform_gravity"
acceleration = [0, 0.1, -1.62]

[[elements]]
kind = "prescribed_joint"
joint = "joint1"
motion = { times = [0, 2], values = [0, 0.3] }

[[elements]]
kind = "locked_joint"
joint = "joint4"

[[elements]]
kind = "prescribed_joint"
joint = "joint6"
motion = { motion = "sway", file = "laws.py", size = 0.1 }

[[elements]]
kind = "hold"
file = "laws.py"
target = 0.2
kp = 30.0
kd = 20.0
initial = { integral = 0.1 }

[[elements]]
kind = "computed_torque"
times = [0, 1]
values = [[0, 0, 0, 0, 0, 0], [0, 0.1, 0, 0, 0, 0]]
"""
)

BY_NAMES = (
    "gravity = [0, 0.1, -1.62]\n"
    + HEAD
    + """
[prescribed]
joint1 = { times = [0, 2], values = [0, 0.3] }
joint4 = "locked"
joint6 = { motion = "sway", file = "laws.py", size = 0.1 }

[[laws]]
law = "hold"
file = "laws.py"
target = 0.2
kp = 30.0
kd = 20.0
initial = { integral = 0.1 }

[[laws]]
law = "computed_torque"
times = [0, 1]
values = [[0, 0, 0, 0, 0, 0], [0, 0.1, 0, 0, 0, 0]]
"""
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "laws.py").write_text(LAWS)
    return tmp_path


def test_scenarios_name_them_as_kinds(folder):
    by_door, by_names = (sd.Scenario.from_toml(text, folder=folder) for text in (BY_DOOR, BY_NAMES))
    by_door.check(compile_laws=True)
    ours, theirs = by_door.run(), by_names.run()
    assert np.array_equal(ours._rows, theirs._rows)
    assert ours.simulation.physics() == theirs.simulation.physics()
    script = by_door.to_python(folder / "script.py")
    assert 'sd.LockedJoint(joint="joint4")' in script and "sd.UniformGravity(acceleration=[0, 0.1, -1.62])" in script


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'kind = "locked_joint"',
            'kind = "loked_joint"',
            "line 19: .*no element 'loked_joint'; did you mean 'locked_joint'",
        ),
        ('joint = "joint4"', 'joint = "joint44"', "line 20: no joint named 'joint44'"),
        (
            'joint = "joint4"',
            'joint = "joint1"',
            "line 13: joint 'joint1' is held by PrescribedJoint and by LockedJoint",
        ),
        ('joint = "joint4"\n', "", "locked_joint needs 'joint'"),
        ("acceleration = [0, 0.1, -1.62]", "acceleration = [0, 0.1]", "line 9: UniformGravity: acceleration"),
        ("acceleration =", "gravity =", "line 11: .*uniform_gravity has no 'gravity'"),
        ("values = [0, 0.3]", "value = [0, 0.3]", "line 16: .*a motion has no 'value'; did you mean 'values'"),
        ('motion = "sway"', 'motion = "swy"', "did you mean 'sway'"),
        ('kind = "hold"', 'kind = "holds"', "did you mean 'hold'"),
        ('kind = "hold"', 'kind = "sway"', "'sway' is no element: a function made by @element or @law"),
        ('kind = "hold"', 'kind = "plain"', "'plain' is no element: a function made by @element or @law"),
        ("target = 0.2", "traget = 0.2", "law 'hold' has no parameter 'traget'"),
        ("initial = { integral", "initial = { intgral", "law 'hold' has no state 'intgral'"),
        ("times = [0, 1]", "tmies = [0, 1]", "computed_torque has no 'tmies'"),
    ],
)
def test_mistakes_in_scenarios_are_reported_by_line(folder, old, new, message):
    (folder / "door.toml").write_text(BY_DOOR.replace(old, new, 1))
    with pytest.raises(sd.ScenarioError, match=message):
        sd.Scenario.from_toml(folder / "door.toml").check()
