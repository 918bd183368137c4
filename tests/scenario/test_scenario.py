"""Scenarios: files, scripts and runs that say the same; errors with the line and the nearest key."""

import runpy
import subprocess
import sys
import tomllib

import numpy as np
import pytest

import spacedyn as sd
from spacedyn.model.files.load import available
from spacedyn.scenario.line_numbers import locate
from spacedyn.scenario.reading import files

SHORT = {name: 3.0 for name in sd.scenarios()} | {"capture": 21.0, "squeezer": 0.03}
LAWS = """
import numpy as np
import spacedyn as sd


@sd.law(states={"integral": 1})
def wobble(t, s, p, out):
    out.integral[0] = s.q[0]
    out.tau[0] = p.gain * np.sin(t) - s.integral[0]


def braked(model, state, strength):
    return sd.control.joint_damping(model, state, kd=strength)


@sd.motion
def ramp(t, p, out):
    out.value[0], out.rate[0], out.acceleration[0] = p.speed * t, p.speed, 0.0


@sd.condition
def fast(t, s, p, out):
    out.value[0] = s.qd[0] - p.limit


def slow_down(t, state):
    return state.replace(qd={"joint1": 0.5 * state.qd[:1]})
"""
OWN = """
robot = "planar_four_link"
duration = 2.0

[state]
q_deg = { joint1 = 10, joint2 = -20.0 }

[[laws]]
law = "wobble"
file = "mine/laws.py"
gain = 3.0
initial = { integral = 0.25 }

[[laws]]
law = "braked"
file = "mine/laws.py"
strength = 0.5

[prescribed]
joint4 = { motion = "ramp", file = "mine/laws.py", speed = 0.3 }
joint3 = { polynomial = [0.0, 0.0, 0.1] }

[[events]]
when = "fast"
file = "mine/laws.py"
limit = 0.01
direction = 1
action = { do = "slow_down", file = "mine/laws.py" }
"""


@pytest.fixture
def own(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "laws.py").write_text(LAWS)
    file = tmp_path / "own.toml"
    file.write_text("adjust = true\n" + OWN)
    return file


def same(one, other):
    """Bit for bit."""
    return np.array_equal(one.time, other.time) and all(np.array_equal(one[k], other[k]) for k in ("x", "u", "forces"))


# --- bundled scenarios ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sd.scenarios())
def test_a_scenario_and_its_script_are_the_same_to_the_bit(name, tmp_path):
    scenario = sd.Scenario.from_toml(name, change={"duration": SHORT[name]})
    again = sd.Scenario.from_toml(scenario.to_toml(), folder=scenario.folder)
    assert again == scenario
    run = scenario.run()
    assert run.audit().within_budget
    script = tmp_path / "script.py"
    scenario.to_python(script)
    for folder in ("robots", "laws"):
        (tmp_path / folder).symlink_to(scenario.folder / folder)
    assert same(run, runpy.run_path(str(script))["run"])


def test_scripts_are_in_form(tmp_path):
    for name in sd.scenarios():
        sd.Scenario.from_toml(name).to_python(tmp_path / f"{name}.py")
    command = [sys.executable, "-m", "ruff", "check", "--select", "E,F,I", "--line-length", "120", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_there_are_enough_and_each_says_what_it_is():
    assert len(sd.scenarios()) >= 8
    for name in sd.scenarios():
        scenario = sd.Scenario.from_toml(name)
        text = files("spacedyn").joinpath("library", "scenarios", f"{name}.toml").read_text(encoding="utf-8")
        assert scenario.content["title"]
        assert text.startswith("# ")
        assert name not in available() or scenario.content["robot"] == name


def test_figures_and_film_are_those_that_are_asked_for():
    scenario = sd.Scenario.from_toml("tian_wu", change={"duration": 0.5})
    run = scenario.run()
    assert list(scenario.figures(run)) == ["q_qd", "base_position_base_attitude", "ledger"]
    assert "Tian and Wu" in scenario.film(run).html
    assert list(sd.Scenario(robot="tian_wu", duration=1.0).figures(run)) == ["overview"]


def test_ets7_turns_by_its_own_arm():
    run = sd.Scenario.from_toml("ets7_reach").run()
    turn = np.degrees((run.states.base_attitude * run.states[0].base_attitude.inv()).magnitude())
    assert np.abs(run.final.q - [0.3, 0.4, -0.8, 0.2, 0.4, 0.1]).max() < 1e-8
    assert np.allclose([turn.max(), turn[-1]], [2.3229, 0.08298], rtol=1e-3)  # it stays turned


def test_the_handle_turns_over():
    run = sd.Scenario.from_toml("dzhanibekov").run()
    spin = run.states.base_attitude.inv().apply(run.states.base_rate.copy())[:, 2]
    assert np.count_nonzero(np.diff(np.sign(spin))) >= 4


def test_the_target_is_caught():
    run = sd.Scenario.from_toml("capture").run()
    assert [event.name for event in run.events] == ["caught"]
    assert run["event_work"][-1, 0] < 0.0


def test_a_hard_stop_is_reached_and_kept():
    run = sd.Scenario.from_toml("stiff_stop").run()
    assert abs(run.final.q[0] - 1.6) < 1e-4
    assert run.states.q.max() < 1.605
    rim = run.endpoint("rim").position - run.body("bus").position  # it opens outward, not through the satellite
    assert rim[:, 2].min() > 0.5 and rim[-1, 2] > 1.4


# --- a person's own --------------------------------------------------------------------------------------------------


def test_laws_motions_conditions_and_actions_of_a_file(own):
    scenario = sd.Scenario.from_toml(own)
    run = scenario.run()
    assert [law.name for law in run.laws] == ["wobble", "joint_damping"]
    assert run["law_states"][0, 0] == 0.25
    assert run.events and run.events[0].name == "fast"
    script = own.with_name("script.py")
    scenario.to_python(script)
    assert same(run, runpy.run_path(str(script))["run"])


SCENE = """
duration = 2.0
record = 0.1

[robot.scene]
left = "tian_wu"
right = { file = "koike", position = [3, 0, 0], rpy_xyz_deg = [0, 0, 90] }

[state]
qd = { "left/joint2" = 0.1 }

[[forces]]
kind = "spring"
body = "left/link3"
other = "right/box"
stiffness = 2.0
rest_length = 1.0
"""


def test_several_robots_in_one_scenario(tmp_path):
    scenario = sd.Scenario.from_toml(SCENE)
    robot = scenario.build()["robot"]
    place = sd.forward_kinematics(robot, robot.neutral_state()).bodies
    at = robot.body_index("right/box")
    np.testing.assert_allclose(place.position[at], [3, 0, 0], atol=1e-12)
    np.testing.assert_allclose(place.rotation[at], [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-12)
    run = scenario.run()
    assert run.audit().within_budget and abs(run.final.qd).max() > 0.01
    scenario.to_python(tmp_path / "script.py")
    assert np.array_equal(runpy.run_path(str(tmp_path / "script.py"))["run"]["x"], run["x"])
    assert sd.Scenario.from_toml(scenario.to_toml()) == scenario
    moved = sd.Scenario.from_toml(SCENE, change=["robot.scene.right.position=[4, 0, 0]"])
    assert moved.content["robot"]["scene"]["right"]["position"] == [4, 0, 0]
    assert "left and right" in repr(scenario)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('right = { file = "etz7" }', "line 7: no bundled robot named 'etz7'; did you mean 'ets7'"),
        ('right = { file = "no.urdf" }', "line 7: robot.scene: there is no file 'no.urdf'"),
        ('right = { file = "../../no.urdf" }', "lies outside the scenario's folder"),
        ('right = { fil = "ets7" }', "several robots, { scene ="),
        ('right = { file = "koike", position = [1, 2] }', "several robots, { scene ="),
        ('right = { file = "koike", at = [1, 2, 3] }', "line 7: koike: there is no option at"),
    ],
)
def test_scenes_that_cannot_be(line, words):
    text = "\n".join(line if old.startswith("right") else old for old in SCENE.splitlines())
    with pytest.raises(sd.ScenarioError) as caught:
        sd.Scenario.from_toml(text).check()
    assert words in str(caught.value)


def test_made_in_python_and_read_back(tmp_path):
    scenario = sd.Scenario(
        robot="ets7",
        duration=1,
        gravity=np.array([0, 0, -1.0]),
        state={"q": (0.1,) * 6, "base_rate_deg": [1, 2, 3]},
        laws=[{"law": "computed_torque", "times": [0, 1], "values": np.zeros((2, 6))}],
        forces=[{"kind": "drag", "body": "link6", "linear": 0.2}],
        modes={"joint6": "locked"},
        record=[0.0, 0.5, 1.0],
        channels=["forces"],
    )
    scenario.to_toml(tmp_path / "made.toml")
    again = sd.Scenario.from_toml(tmp_path / "made.toml")
    assert again.content == scenario.content
    assert again.name == "made"
    built = again.build()
    assert built["laws"][0].parameters["par"][-1] == -1.0  # gravity of the scenario
    assert same(scenario.run(), again.run())


def test_changes_by_place_and_by_name():
    change = ["laws.joint_hold.kp=2", "laws.0.kd=3.5", "state.q.2=0.1", "duration=1", "plots.degrees=true"]
    scenario = sd.Scenario.from_toml("two_arm_sample", change=[*change[:2], "state.q=[0, 0, 0, 0, 0, 0]", *change[2:]])
    assert scenario.content["laws"][0]["kp"] == 2
    assert scenario.content["laws"][0]["kd"] == 3.5
    assert scenario.content["state"]["q"] == [0, 0, 0.1, 0, 0, 0]
    assert scenario.content["plots"]["degrees"] is True


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("#=3", "there is no key '#'"),
        ('state.q."joint_0.1"=0.3', "no joint named 'joint_0.1'"),
        ("laws.9.kp=1", "there are 1 laws, counted from 0"),
        ("laws.joint_hld.kp=1", "did you mean 'joint_hold'"),
        ("state={q = [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1]]}", r"one state, and \[state\] is a batch of 2; give one"),
        ("state.q=[1, 2]", r"--set state.q: q: expected shape"),
        ("laws.joint_hold.kp=fast", "--set laws.joint_hold.kp: joint_hold: kp "),
        ("elements=[{kind='wrench', body='base', force=[0, 0]}]", "--set elements: "),
        ("duration.x=1", "which has no parts"),
        ("duration", "a change is written key=value"),
        ("laws.0.kpp=1", "--set laws.0.kpp: laws.0: joint_hold has no 'kpp'; did you mean 'kp'"),
        ("robot=nowhere.urdf", "there is no file"),
        ("robot=etz7", "did you mean 'ets7'"),
    ],
)
def test_changes_that_cannot_be(change, words):
    with pytest.raises(sd.SpacedynError, match=words):
        sd.Scenario.from_toml("two_arm_sample", change=[change]).build()


def test_a_robot_that_is_set_may_be_anywhere(tmp_path, monkeypatch):
    sd.load("tian_wu").to_toml(tmp_path / "other.toml")
    monkeypatch.chdir(tmp_path)
    scenario = sd.Scenario.from_toml("tian_wu", change=["robot=other.toml", "duration=0.1"])
    assert same(scenario.run(), sd.Scenario.from_toml("tian_wu", change=["duration=0.1"]).run())
    scenario.to_python("script.py")
    assert runpy.run_path("script.py")["run"].model == scenario.build()["robot"]


def test_a_failed_simulation_is_not_a_bad_scenario():
    change = {"laws": [{"law": "joint_torque", "tau": 1e90}], "method": {"name": "RungeKutta4", "step": 0.1}}
    with pytest.raises(sd.SimulationFailed):
        sd.Scenario.from_toml("tian_wu", change=change).run()


def test_options_of_run_are_known():
    with pytest.raises(sd.InputError, match="did you mean 'progress'"):
        sd.Scenario(robot="ets7", duration=1.0).run(progres=False)


# --- lines -----------------------------------------------------------------------------------------------------------

TOML = """
a = 1 # b = 2
"quoted key" = "x # y"
multi = '''
not = "a key"
'''
list = [
    1, # one
    { p = 1, q = [2, { deep = "}" }] },
    "]",
]
dotted.key.here = true
[table]
text = \"\"\"a
\\"\"\" still" \"\"\"
[table.sub] # [no.table]
time = 12:30:00
[[many]]
x = 1
[[many]]
x = { y.z = [
  [1,2],
  [3]] }
[[many.inner]]
w = 0x1F
[[many.inner]]
w = "é\\u00e9"
"""


def paths(data, before=()):
    """Every path of nested data."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield (*before, key)
        yield from paths(value, (*before, key))


def test_every_key_has_its_line():
    found, wanted = locate(TOML), set(paths(tomllib.loads(TOML)))
    assert wanted == set(found)
    lines = TOML.splitlines()
    for path, line in found.items():
        if isinstance(path[-1], str):
            assert path[-1] in lines[line - 1], path
    assert found["many", 1, "x", "y", "z", 1, 0] == lines.index("  [3]] }") + 1


@pytest.mark.parametrize("name", sd.scenarios())
def test_lines_of_what_comes_along(name):
    text = files("spacedyn").joinpath("library", "scenarios", f"{name}.toml").read_text(encoding="utf-8")
    assert set(locate(text)) == set(paths(tomllib.loads(text)))
