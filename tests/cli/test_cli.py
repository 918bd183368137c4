"""The command line: what it prints, what it writes, and how it ends."""

import inspect
import json
import os
import re
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import spacedyn as sd
from paths import ROOT
from spacedyn.cli import app
from spacedyn.scenario.program import ELEMENTS, parameters_of_kind


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def spacedyn(*arguments, code=0):
    """Run a command; its standard output."""
    done = CliRunner().invoke(app, list(map(str, arguments)))
    assert done.exit_code == code, f"{done.output}\n{done.exception!r}"
    return done.stdout if code == 0 else done.output


def process(*arguments, stdout=subprocess.PIPE, **variables):
    path = os.pathsep.join([str(Path(sd.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    env = {**os.environ, "PYTHONPATH": path, **variables}
    command = [sys.executable, "-m", "spacedyn", *arguments]
    return subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, text=True, env=env)


# --- run -------------------------------------------------------------------------------------------------------------


def test_from_a_file_to_film_figures_and_numbers(here):
    said = spacedyn(
        "run", "ets7_reach", "--set", "duration=5", "--html", "f.html", "--plots", "figs/a", "--out", "run.nc"
    )
    assert "good to round-off" in said
    assert all(name in said for name in ("f.html", "run.nc", "figs/a/ledger.png", "ETS-VII", "hand"))
    assert "<canvas" in (here / "f.html").read_text(encoding="utf-8")
    run = sd.Run.load(here / "run.nc")
    again = sd.Scenario.from_toml("ets7_reach", change=["duration=5"]).run()
    assert np.array_equal(run["x"], again["x"])
    assert len(list((here / "figs/a").iterdir())) == 4


def test_for_programs(here):
    found = json.loads(spacedyn("run", "capture", "--json", "--html", "f.html"))
    assert found["status"] == "done"
    assert found["ledger"]["within_budget"] is True
    assert [event["name"] for event in found["events"]] == ["caught"]
    assert found["files"] == ["f.html"]
    assert found["exit_code"] == 0
    assert len(found["final"]["q"]) == 9


def test_a_ledger_beyond_its_budget(here):
    change = ["--set", "method.step=0.25", "--set", "duration=2"]
    said = spacedyn("run", "tian_wu", *change, "--set", "budget=1e-13", "--quiet", code=1)
    assert "NOT to be trusted" in said
    found = json.loads(CliRunner().invoke(app, ["run", "tian_wu", *change, "--set", "budget=1e-13", "--json"]).stdout)
    assert found["exit_code"] == 1
    assert found["warnings"] and "ledger is off" in found["warnings"][0]


def test_a_simulation_that_fails(here):
    said = spacedyn("run", "tian_wu", "--set", "laws.0.tau=1e90", code=1)
    assert "the simulation stopped" in said
    assert "Traceback" not in said


GROWING = """
robot = "tian_wu"
duration = 2.0
record = 0.1
[[laws]]
law = "grow"
file = "grow.py"
"""


def test_what_a_simulation_had_recorded_before_it_failed_is_written(here):
    (here / "grow.toml").write_text(GROWING, encoding="utf-8")
    law = "import spacedyn as sd\n@sd.law\ndef grow(t, s, p, out):\n    out.tau[0] = 1 / max(0.0, 1.0 - t)\n"
    (here / "grow.py").write_text(law, encoding="utf-8")
    said = spacedyn("run", "grow.toml", "--html", "f.html", "--plots", "figs", "--out", "run.nc", code=1)
    assert said.index("recorded until then, 10 records:") < said.index("f.html") < said.index("the simulation stopped")
    assert sd.Run.load(here / "run.nc").time.size == 10
    assert len(list((here / "figs").iterdir())) == 1
    found = json.loads(CliRunner().invoke(app, ["run", "grow.toml", "--out", "run.nc", "--json"]).stdout)
    assert (found["exit_code"], found["files"], found["error"]["kind"]) == (1, ["run.nc"], "SimulationFailed")


BATCH = """
robot = "planar_four_link"
duration = 1.0
[state]
qd = [[1.0, 0, 0, 0], [2.0, 0, 0, 0], [3.0, 0, 0, 0]]
"""


def test_a_batch_is_summed_up_as_one(here):
    events = "".join(f'[[events]]\nwhen = "joint_reaches"\njoint = "joint1"\nvalue = 0.{i}\n' for i in range(1, 8))
    (here / "batch.toml").write_text(BATCH + events, encoding="utf-8")
    said = spacedyn("run", "batch.toml", "--out", "run.nc")
    run = sd.Run.load(here / "run.nc")
    name = run.model.endpoint_names[0]
    ways = [np.linalg.norm(np.diff(run.endpoint(name).position[:, i], axis=0), axis=-1).sum() for i in range(3)]
    assert "a batch of 3 robots" in said
    assert re.search(rf"{name} +travelled {min(ways):.3g} to {max(ways):.3g} m", said)
    assert re.search(r"event +joint1 reaches 0.1 at 0.03\d+ s, robot 2\n", said)
    assert len(run.events) > 8 and f"and {len(run.events) - 8} more\n" in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "ets7_rech"], "did you mean 'ets7_reach'"),
        (["run", "nothing.toml"], "there is no file"),
        (["run", "umetani_yoshida"], 'it is a robot, which scenarios name: robot = "umetani_yoshida"'),
        (["run", "a_run.nc"], "a_run.nc is a saved run; see it by: spacedyn view a_run.nc"),
        (["run", "a_robot.toml"], "it describes a robot"),
        (["run", "ets7_reach", "--set", "state.q.joint9=1"], "state.q has 6 items without names, counted from 0"),
        (["run", "a_study"], "give the file's: a_study.toml"),
        (["show", "a_study"], "give the file's name: a_study.toml"),
        (["run", "ets7_reach", "--set", "laws.0.tripp=3"], "did you mean 'trip'"),
        (["run", "ets7_reach", "--set", "nonsense"], "key=value"),
        (["run", "ets7_reach", "--html", "no/such/folder/f.html"], "there is no folder"),
        (["run"], "SCENARIO"),
        (["frobnicate"], "frobnicate"),
        (["show", "etz7"], "did you mean 'ets7'"),
        (["list", "robts"], "did you mean 'robots'"),
        (["show", "joint_hol"], "did you mean 'joint_hold'"),
        (["show", "wrenc"], "did you mean 'wrench'"),
        (["plot", "ets7", "q"], "is a robot"),
        (["plot", "tian_wu", "q", "-o", "f.xyz"], "should end in"),
        (["run", "tian_wu", "--out", "run.txt"], "should end in .nc"),
        (["run", "tian_wu", "--out", "."], "is a folder"),
        (["run", "tian_wu", "--html", "."], "is a folder"),
        (["run", "tian_wu", "--plots", "a_file"], "is a file; figures go into a folder"),
        (["run", ""], "give a .toml file"),
        (["show", ""], "give the name"),
        (["view", "ets7", "--port", "99999"], "port"),
        (["view", "ets7", "--json"], "give --html"),
        (["convert", "ets7", "no/such/e.urdf"], "there is no folder"),
        (["plot", "tian_wu", "q.joint9", "--set", "duration=0.1"], "joint"),
        (["view", "nothing.nc"], "there is no file"),
        (["convert", "ets7", "e.xyz"], "which can be written as .toml, .urdf"),
        (["view", "ets7", "--html", "f.html", "--set", "duration=3"], "--set changes a scenario; ets7 is a robot"),
        (["new", "my study"], "letters, digits and underscores"),
        (["new", "study", "--robot", "etz7"], "did you mean 'ets7'"),
    ],
)
def test_bad_input_is_told_in_words(here, monkeypatch, arguments, words):
    (here / "a_file").touch()
    (here / "a_run.nc").touch()
    sd.load("koike").to_toml(here / "a_robot.toml")
    (here / "a_study.toml").touch()
    if words != "joint":  # of which nothing is known before
        monkeypatch.setattr(
            import_module("spacedyn.run.simulate"), "carry_out", lambda *_: pytest.fail("it was simulated")
        )
    said = spacedyn(*arguments, code=2)
    assert words in said
    assert "Traceback" not in said


@pytest.mark.parametrize("robot", sd.available())
def test_a_bundled_robot_gets_the_verdict_of_its_file(here, robot):
    spacedyn("convert", robot, "robot.toml")
    verdict = {name: json.loads(spacedyn("check", name, "--json"))["files"][0] for name in (robot, "robot.toml")}
    assert verdict[robot]["findings"] == verdict["robot.toml"]["findings"]
    if robot == "ets7":  # as published: principal moments that no body can have
        assert [one["severity"] for one in verdict[robot]["findings"]] == ["warning"] * 3


def test_errors_for_programs(here):
    (here / "bad.toml").write_text('robot = "ets7"\nduration = -1\ncolour = 2\n')
    done = CliRunner().invoke(app, ["run", "bad.toml", "--json"])
    found = json.loads(done.stdout)
    assert done.exit_code == found["exit_code"] == 2
    assert found["error"]["kind"] == "ScenarioError"
    assert len(found["error"]["problems"]) == 2


# --- the others ------------------------------------------------------------------------------------------------------


def test_show():
    assert "joint6  ◇ hand" in spacedyn("show", "ets7")
    said = spacedyn("show", "capture")
    assert 'do = "attach"' in said and "grip" in said
    assert [j["name"] for j in json.loads(spacedyn("show", "koike", "--json"))["joints"]] == ["theta_y", "theta_z"]


def test_every_parameter_of_every_law_and_element_is_shown():
    for name, made in {**sd.control.LAWS, **sd.control.MOTIONS}.items():
        found = json.loads(spacedyn("show", name, "--json"))
        found = found["law" if name in sd.control.LAWS else "motion"]["parameters"]
        assert set(found) == set(inspect.signature(made).parameters) - {"model", "state"}
        assert all(one["about"] for one in found.values())
    for name in ELEMENTS:
        found = json.loads(spacedyn("show", name, "--json"))["element"]["parameters"]
        assert set(found) == set(parameters_of_kind(name)[0])
        assert all(one["about"] for one in found.values())
    said = spacedyn("show", "joint_hold")
    assert "default 1\n" in said and "[rad/s]" in said
    assert "robot" in spacedyn("show", "detumble")  # a scenario, too
    assert "tension_only" not in spacedyn("show", "tether")  # a tether is one that only pulls


def test_no_viewer_is_reported_before_anything_is_simulated(here, monkeypatch):
    monkeypatch.setattr("spacedyn.cli.view_and_plot.find_spec", lambda name: None)
    monkeypatch.setattr(sd.Scenario, "run", lambda *_: pytest.fail("it was simulated"))
    assert "--html film.html" in spacedyn("view", "tian_wu", code=2)


def test_a_new_study_with_a_prescribed_joint(here):
    spacedyn("new", "study")
    text = (here / "study.toml").read_text()
    for line in re.findall(r"^# (?:\[prescribed\]|joint1 = ).*$", text, re.MULTILINE):
        text = text.replace(line, line.removeprefix("# "))
    (here / "study.toml").write_text(text)
    assert "joint1" in sd.Scenario.from_toml("study.toml").content["prescribed"]
    assert "study.toml: good" in spacedyn("check", "study.toml")
    script = (here / "study.py").read_text()
    assert "study_script.html" in script and 'print("q_tau.png")' in script


def test_every_command_tells_programs_what_it_wrote(here):
    for arguments in (["new", "study"], ["convert", "ets7", "e.urdf"], ["view", "ets7", "--html", "e.html"]):
        found = json.loads(spacedyn(*arguments, "--json"))
        assert found["files"] and all((here / name).stat().st_size > 100 for name in found["files"])
    assert "-0.0" not in (here / "study.toml").read_text()


def test_a_scenario_s_film_is_the_same_by_view_as_by_run(here):
    for command in ("run", "view"):
        spacedyn(command, "tian_wu", "--set", "duration=1", "--set", "film.title=mine", "--html", f"{command}.html")
    assert (here / "run.html").read_bytes() == (here / "view.html").read_bytes()


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [["show", "ets7"], ["show", "ets7", "--json"]])
def test_output_that_cannot_be_written_is_told_in_words(arguments, unbuffered):
    """As on a full disk; here, to what is open for reading."""
    with open(os.devnull) as closed:
        done = process(*arguments, stdout=closed, PYTHONUNBUFFERED=unbuffered)
    assert (done.returncode, done.stderr) == (2, "error: [Errno 9] Bad file descriptor\n")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_terminals_with_few_letters(encoding):
    done = process("show", "two_arm_sample", PYTHONIOENCODING=encoding)
    assert done.returncode == 0 and "+ joint" not in done.stderr
    assert "| link" in done.stdout or "+ link" in done.stdout
    assert "tau = " in process("list", "laws", PYTHONIOENCODING=encoding).stdout


def test_pipes_that_are_closed():
    """By whoever reads, before or after something was written."""
    for arguments in (["list"], ["list", "--json"]):
        for unbuffered in ("", "1"):
            reader, writer = os.pipe()
            os.close(reader)
            with os.fdopen(writer, "w") as pipe:
                done = process(*arguments, stdout=pipe, PYTHONUNBUFFERED=unbuffered)
            assert (done.returncode, done.stderr) == (0, "")


def test_no_colours_on_a_dumb_terminal(monkeypatch):
    from spacedyn.cli.output import colored

    terminal = type("Terminal", (), {"isatty": lambda self: True})()
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "dumb")
    assert colored("a", "red", terminal) == "a"
    monkeypatch.setenv("TERM", "xterm")
    assert colored("a", "red", terminal) == "\033[31ma\033[0m"


def test_list():
    found = json.loads(spacedyn("list", "--json"))
    assert set(found["scenarios"]) == set(sd.scenarios())
    assert set(found["robots"]) == set(sd.available())
    assert set(found["laws"]) == set(sd.control.LAWS)
    assert found["laws"]["joint_torque"]["needed"] == ["tau"]
    assert "tau (needed)" in spacedyn("list", "laws")
    assert found["elements"]["motor"]["needed"] == ["joint", "stall_torque"]


def test_check(here):
    (here / "bad.toml").write_text('robot = "ets7"\nduration = 1\n[[laws]]\nlaw = "joint_hol"\n')
    (here / "robot.toml").write_text(sd.load("ets7").to_toml())
    (here / "broken.toml").write_text('robot = "ets7"\nduration = \n')
    said = spacedyn("check", "bad.toml", "broken.toml", "ets7", "koike", code=1)
    assert "did you mean 'joint_hold'" in said and "line 2" in said
    assert "koike: good" in said
    found = json.loads(spacedyn("check", "robot.toml", "--json"))
    assert {one["severity"] for one in found["files"][0]["findings"]} == {"warning"}
    spacedyn("check", "robot.toml", "--strict", code=1)


def test_check_prints_the_first_hundred_findings_and_counts_the_rest(here):
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    links = [f'<link name="l{i}">{inertial}</link>' for i in range(300)]
    ends = '<parent link="l{}"/><child link="l{}"/>'
    joints = [f'<joint name="j{i}" type="continuous">{ends.format(i - 1, i)}</joint>' for i in range(1, 300)]
    (here / "long.urdf").write_text(f'<robot name="r">{"".join(links + joints)}</robot>')
    found = json.loads(spacedyn("check", "long.urdf", "--json"))["files"][0]["findings"]
    printed = spacedyn("check", "long.urdf")
    assert len(found) >= 300 and f"and {len(found) - 100} more" in printed
    assert len([line for line in printed.splitlines() if line.startswith("  warning")]) <= 100


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["[prescribed]", "joint7 = 0.1"], "line 5: no joint named 'joint7'"),
        (["[prescribed]", "joint1 = 0.1"], "line 5: joint 'joint1' is prescribed to be at [0.1]"),
        (["[prescribed]", "joint1 = 0.1"], "adjust = true"),
        (["[[laws]]", 'law = "brake"', 'file = "laws.py"', "stiffness = 1"], "line 7: law 'brake' has no parameter"),
        (["[[laws]]", 'law = "brake"', 'file = "laws.py"'], "line 4: law 'brake' needs a parameter 'strength'"),
        (["[plots]", 'figures = [["q"], ["taus"]]'], "line 5: plots.figures: no quantity named 'taus'"),
        (["[plots]", 'figures = ["q.joint9"]'], "no curve named 'q.joint9'"),
        (["[plots]", 'style = "sceen"'], "did you mean 'screen'"),
        (["[film]", 'plots = ["hnd"]'], "did you mean 'hand'"),
        (["[film]", 'follow = "hnd"'], "did you mean 'hand'"),
        (["[modes]", 'joint1 = "stuck"'], "'locked'"),
    ],
)
def test_what_check_finds_is_refused_before_the_first_step(here, monkeypatch, lines, words):
    (here / "laws.py").write_text(
        "import spacedyn as sd\n@sd.law\ndef brake(t, s, p, out):\n    out.tau[0] = -p.strength * s.qd[0]\n"
    )
    (here / "bad.toml").write_text("\n".join(['robot = "ets7"', "duration = 1", "", *lines]) + "\n")
    monkeypatch.setattr(import_module("spacedyn.run.simulate"), "carry_out", lambda *_: pytest.fail("it was simulated"))
    assert words in spacedyn("check", "bad.toml", code=1)
    assert words in spacedyn("run", "bad.toml", code=2)
    assert "did you mean 'tau'" in spacedyn("plot", "ets7_reach", "taus", code=2)


LAWS = """
import spacedyn as sd

@sd.law
def brake(t, s, p, out):
    for i in range(s.qd.size):
        out.tau[i] = -p.strength * s.qd[i]

@sd.law
def misspelt(t, s, p, out):
    out.tau[0] = strenght * s.qd[0]

@sd.law
def slow(t, s, p, out):
    out.tau[0] = float(repr({"a": t}) == "")
"""


@pytest.mark.parametrize(
    ("law", "place", "words"),
    [
        ('law = "brake"\nstrength = 1.0\nstregth = 2.0', "line 7", "no parameter 'stregth'; did you mean 'strength'?"),
        ('law = "brake"\nstrength = 1.0\ncolour = 2.0', "line 7", "no parameter 'colour'; there are: strength"),
        ('law = "misspelt"', "line 3", "name 'strenght' is not defined (laws.py, line 11)"),
    ],
)
def test_misspelt_parameters_and_names_of_laws(here, law, place, words):
    """A key that nobody reads would be left out in silence: it is an error, on its line."""
    (here / "laws.py").write_text(LAWS)
    (here / "mine.toml").write_text(f'robot = "tian_wu"\nduration = 1.0\n[[laws]]\nfile = "laws.py"\n{law}\n')
    done = CliRunner().invoke(app, ["check", "mine.toml", "--json"])
    (found,) = json.loads(done.stdout)["files"][0]["findings"]
    assert (done.exit_code, found["severity"], found["place"]) == (1, "error", place)
    assert words in found["message"]
    assert words in spacedyn("run", "mine.toml", code=2)


def test_check_compiles_laws_if_it_is_asked_to(here):
    (here / "laws.py").write_text(LAWS)
    scenario = 'robot = "tian_wu"\nduration = 1.0\n[[laws]]\nfile = "laws.py"\nlaw = '
    (here / "slow.toml").write_text(f'{scenario}"slow"\n')
    (here / "good.toml").write_text(f'{scenario}"brake"\nstrength = 1.0\n')
    assert "were not compiled" in spacedyn("check", "slow.toml", "good.toml")
    said = spacedyn("check", "slow.toml", "good.toml", "--compile")
    assert "warning law 'slow' cannot be compiled and runs in Python, slowly" in said
    assert "good.toml: good\n" in said
    spacedyn("check", "slow.toml", "--compile", "--strict", code=1)


def test_problems_stand_in_the_order_of_the_file(here):
    (here / "bad.toml").write_text('robot = "ets7"\nduraton = 1\n[film]\nfolow = "a"\n[state]\nqq = 1\nqd = "a"\n')
    findings = json.loads(CliRunner().invoke(app, ["check", "bad.toml", "--json"]).stdout)["files"][0]["findings"]
    assert [one["place"] for one in findings] == ["", "line 2", "line 4", "line 6", "line 7"]


def test_a_joint_that_is_wrong_does_not_hide_the_others(here):
    text = '[prescribed]\njoint1 = "lock"\njoint2 = { times = [0, 1], vals = [0, 1] }\n'
    (here / "bad.toml").write_text(f'robot = "ets7"\nduration = 1\n{text}')
    said = spacedyn("check", "bad.toml", code=1)
    assert "line 4: prescribed.joint1 is text ('lock')" in said and "did you mean 'values'" in said


def test_all_that_come_along_are_good():
    assert spacedyn("check", *sd.scenarios()).count(": good") == len(sd.scenarios())


def test_problems_of_all_sections_are_told_together(here):
    text = 'robot = "ets7"\nduration = -1\n[[laws]]\nlaw = "joint_hol"\n[[forces]]\nkind = "push"\n[film]\nframe = 2\n'
    (here / "bad.toml").write_text(text)
    said = spacedyn("check", "bad.toml", code=1)
    assert "4 errors" in said and all(f"line {i}" in said for i in (2, 4, 6, 8))
    text = 'robot = "ets7"\nduration = 1\n[state]\nq = [1]\n[[forces]]\nkind = "drag"\nbody = "base"\nlinear = -1\n'
    (here / "bad.toml").write_text(text + "[prescribed]\njoint1 = { times = [1, 0], values = [0, 1] }\n")
    assert "3 errors" in spacedyn("check", "bad.toml", code=1)


def test_convert(here):
    spacedyn("convert", "planar_four_link", "arm.toml")
    assert sd.load(here / "arm.toml") == sd.load("planar_four_link")
    spacedyn("convert", "tian_wu", "scene.py", "--set", "duration=0.5")
    assert "sd.RungeKutta4(step=0.001)" in (here / "scene.py").read_text()
    assert "is there already" in spacedyn("convert", "koike", "arm.toml", code=2)
    spacedyn("convert", "tian_wu", "arm.toml", "--force")
    spacedyn("run", "arm.toml", "--set", "duration=0.1", "--out", "r.nc")
    spacedyn("convert", "r.nc", "r.csv")
    assert "q.joint1" in (here / "r.csv").read_text().splitlines()[0]


def test_view_and_plot(here):
    spacedyn("view", "ets7", "--html", "robot.html")
    spacedyn("view", "tian_wu", "--set", "duration=0.2", "--html", "run.html")
    spacedyn("run", "tian_wu", "--set", "duration=0.2", "--out", "r.nc")
    spacedyn("view", "r.nc", "--html", "saved.html")
    spacedyn("plot", "r.nc", "q", "hand", "--out", "q.pdf", "--publication")
    spacedyn("plot", "tian_wu", "qd", "--spectrum", "--set", "duration=0.5", "-o", "s.png")
    assert all(
        (here / name).stat().st_size > 1000 for name in ("robot.html", "run.html", "saved.html", "q.pdf", "s.png")
    )


def test_what_to_do_with_a_new_study_can_be_given_to_a_shell(here):
    said = CliRunner().invoke(app, ["new", "my studies/study"]).stderr
    assert shlex.split(said)[1:] == ["spacedyn", "run", "my studies/study.toml", "--html", "my studies/study.html"]


@pytest.mark.parametrize("robot", sd.available())
def test_a_new_study_runs_as_it_is(here, robot):
    spacedyn("new", "study", "--robot", robot)
    spacedyn("check", "study.toml")
    assert "is there already" in spacedyn("new", "study", code=2)
    found = json.loads(spacedyn("run", "study.toml", "--set", "duration=0.5", "--json"))
    assert found["ledger"]["within_budget"]
    assert sd.Scenario.from_toml("study.toml").to_python() == (here / "study.py").read_text()


def test_doctor_and_bench(here, monkeypatch):
    found = json.loads(spacedyn("doctor", "--json"))
    assert found["simulation"]["good"] is True
    assert found["machine"]["lanes"] in (2, 4, 8)
    assert "matplotlib" in spacedyn("doctor")
    from spacedyn.cli import new_and_bench

    monkeypatch.setattr(new_and_bench, "__file__", str(here / "a/b/c/d.py"))
    assert "checkout" in spacedyn("bench", code=2)


# --- as a process ----------------------------------------------------------------------------------------------------


def test_help_is_quick_because_nothing_heavy_is_imported():
    program = (
        "import sys\nsys.argv = ['spacedyn', '--help']\nfrom spacedyn.cli import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
        "heavy = [m for m in ('numpy', 'numba', 'scipy', 'pydantic', 'rich', 'matplotlib') if m in sys.modules]\n"
        "print(heavy)"
    )
    path = os.pathsep.join([str(Path(sd.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.stdout.splitlines()[-1] == "[]"
    for name in ("run", "view", "plot", "check", "show", "convert", "list", "new", "bench", "doctor"):
        assert re.search(rf"^  {name} ", done.stdout, re.MULTILINE)


def test_as_a_module_with_and_without_colours(here):
    done = process("run", "tian_wu", "--set", "duration=0.1", FORCE_COLOR="1")
    assert done.returncode == 0
    assert "\033[32m" in done.stdout
    plain = process("run", "tian_wu", "--set", "duration=0.1")
    assert "\033" not in plain.stdout + plain.stderr
    assert process("--version").stdout == f"spacedyn {sd.__version__}\n"
    assert process("run", "x.toml").returncode == 2


# --- the pages -------------------------------------------------------------------------------------------------------

PAGES = ("README.md", "docs/howto/scenarios.md")


def blocks(page, kind):
    return re.findall(rf"```{kind}\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)


def commands(page):
    lines = "".join(blocks(page, "sh")).splitlines()
    found = [re.sub(r"\s+#.*", "", line) for line in lines]
    return [shlex.split(line.partition("spacedyn ")[2]) for line in found if re.match(r"(\.venv/bin/)?spacedyn ", line)]


@pytest.mark.parametrize("page", PAGES)
def test_what_the_pages_say_to_type_works(here, page):
    for text in blocks(page, "toml") + blocks(page, "python"):
        if match := re.match(r"# (\w+\.(?:toml|py))\n", text):
            (here / match.group(1)).write_text(text)
    assert len(commands(page)) >= 4
    (here / "build").mkdir()  # as `make demo` does
    for arguments in commands(page):
        spacedyn(*arguments)


def test_programs_of_the_page_run(here, capsys):
    space = {"__name__": "__main__"}
    for text in blocks("docs/howto/scenarios.md", "python"):
        exec(compile(text, "scenarios.md", "exec"), space)
    assert "good" in capsys.readouterr().out
    assert (here / "mine.py").exists()


def test_every_key_is_on_the_page():
    from spacedyn.scenario import schema

    text = (ROOT / "docs/howto/scenarios.md").read_text(encoding="utf-8")
    for name in {*schema.Content.model_fields, *schema.FilmTable.model_fields} - {"title", "description"}:
        assert name in text, name


# --- names of others on a terminal -----------------------------------------------------------------------------------

STEERING = "\\u001B]0;owned\\u0007\\u009B2J\\u202E\\u2028 \\rx"
"""As TOML writes it: sets a window's title, clears the screen, turns the order of letters."""
STEERED = f"""
title = "{STEERING}\\n  verdict    good"
robot = "tian_wu"
duration = 0.5
[state]
qd = [0.1, 0, 0]
[[events]]
when = "joint_reaches"
joint = "joint1"
value = 0.01
name = "{STEERING}"
"""


@pytest.mark.parametrize(
    ("more", "command", "code"),
    [
        ("", ["run", "x.toml"], 0),
        ("", ["show", "x.toml"], 0),
        ("", ["check", "x.toml"], 0),
        (f'[prescribed]\n"{STEERING}" = "locked"\n', ["run", "x.toml"], 2),
        (f'[[laws]]\nlaw = "joint_hold"\n"{STEERING}" = 1\n', ["check", "x.toml"], 1),
        (f'[[forces]]\nkind = "{STEERING}"\n"{STEERING}" = 1\n', ["view", "x.toml", "--html", "f.html"], 2),
        (f'[[laws]]\nlaw = "{STEERING}"\nfile = "laws.py"\n', ["check", "x.toml"], 1),
        ("", ["run", "x\x1b]0;owned\x07.toml"], 2),
        ("", ["show", "\x1b[2J"], 2),
    ],
)
def test_no_name_of_a_file_steers_the_terminal(here, monkeypatch, more, command, code):
    monkeypatch.setenv("FORCE_COLOR", "1")
    (here / "laws.py").write_text("raise ValueError('\\x1b[2J\\x9b1A')\n")
    (here / "x.toml").write_text(STEERED + more)
    done = CliRunner().invoke(app, command)
    assert done.exit_code == code, done.output
    plain = re.sub(r"\x1b\[\d\d?m", "", done.stdout + done.stderr)  # colours are ours
    assert plain and all(letter == "\n" or letter.isprintable() for letter in plain)
    if command[0] in ("run", "show") and code == 0:
        title, *rest = plain.splitlines()
        assert title == r"\x1b]0;owned\x07\x9b2J\u202e\u2028 \rx\n  verdict    good"
        assert sum(line.startswith("  verdict") for line in rest) == (command[0] == "run")
