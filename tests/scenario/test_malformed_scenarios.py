"""Scenario files that are no good: each is refused with words a person can act on; nothing outside is read."""

import pytest

import spacedyn as sd

GOOD = 'robot = "ets7"\nduration = 1.0\n'
LAW = '[[laws]]\nlaw = "joint_hold"\n'
MALFORMED = {
    "empty": ("", "robot is missing"),
    "truncated header": (GOOD + "[state", "line 3"),
    "truncated value": (GOOD + "gravity = [0, 0,", "line 3"),
    "truncated text": ('robot = "ets7', "line 1"),
    "XML": ("<robot/>", "line 1"),
    "a key twice": (GOOD + "duration = 2.0\n", "line 3"),
    "nested deep": (GOOD + "x = " + "[" * 100_000 + "]" * 100_000, "line 3"),
    "nested deep in tables": (
        GOOD + "x" + ".x" * 100_000 + " = 1",
        "line 3, column 33: it has more than the 16 parts of one key",
    ),
    "tables in tables": (GOOD + "x = " + "{ x = " * 30 + "1" + " }" * 30, "more than 20 deep"),
    "many digits": (GOOD + "start = " + "9" * 5000, "digits|line 3"),
    "unknown key": (GOOD + "durration = 3\n", "line 3: there is no key 'durration'; did you mean 'duration'"),
    "unknown table": (GOOD + "[stat]\nq = [0]\n", "line 3: there is no key 'stat'; did you mean 'state'"),
    "unknown key of the state": (GOOD + "[state]\nqq = [0]\n", "line 4: state: there is no key 'qq'"),
    "text for a number": ('robot = "ets7"\nduration = "10 s"\n', "line 2: duration is text"),
    "a date for a number": ('robot = "ets7"\nduration = 2024-01-01\n', "a date or time"),
    "truth for a number": ('robot = "ets7"\nduration = true\n', "true or false"),
    "infinite": ('robot = "ets7"\nduration = inf\n', "line 2: duration is a number .inf"),
    "not a number": (GOOD + "gravity = [0, 0, nan]\n", "line 3: gravity is a list"),
    "negative": ('robot = "ets7"\nduration = -1\n', "give a positive time"),
    "two numbers for three": (GOOD + "gravity = [0, 1]\n", "three numbers"),
    "a number for text": ("robot = 3\nduration = 1\n", "line 1: robot is a number"),
    "a number for a table": (GOOD + "state = 3\n", "line 3: state is a number"),
    "a table for a list": (GOOD + '[laws]\nlaw = "joint_hold"\n', "line 3: laws is a table"),
    "texts for laws": (GOOD + 'laws = ["joint_hold"]\n', r"line 3: laws.0 is text"),
    "a law without a name": (GOOD + "[[laws]]\nkp = 3\n", "line 3: laws.0: law is missing"),
    "no such law": (
        GOOD + '[[laws]]\nlaw = "joint_hol"\n',
        "line 4: laws.0: there is no law 'joint_hol'; did you mean",
    ),
    "no such parameter": (GOOD + LAW + "kpp = 1\n", "line 5: laws.0: joint_hold has no 'kpp'; did you mean 'kp'"),
    "a parameter is missing": (GOOD + '[[laws]]\nlaw = "joint_torque"\n', "line 3: laws.0: joint_torque needs 'tau'"),
    "a parameter of odd shape": (GOOD + LAW + "target = [1, 2]\n", "line 3: joint_hold: target must be"),
    "text for a parameter": (GOOD + LAW + 'kp = "stiff"\n', "line 3: joint_hold: kp must be"),
    "a table for a parameter": (GOOD + LAW + "kp = { a = 1 }\n", "line 3: joint_hold: kp must be"),
    "waypoints backwards": (
        GOOD + '[[laws]]\nlaw = "joint_path"\ntimes = [1, 0]\nvalues = [[0,0,0,0,0,0], [0,0,0,0,0,0]]\n',
        "ascending",
    ),
    "no such joint": (GOOD + "[state]\nq = { elbow = 1 }\n", "line 3: no joint named 'elbow'"),
    "too many coordinates": (GOOD + "[state]\nq = [0, 1]\n", "line 3: q"),
    "a quaternion that is none": (GOOD + "[state]\nbase_quaternion_xyzw = [0, 0, 0, 0]\n", "line 3: "),
    "the same twice": (GOOD + "[state]\nq = [0]\nq_deg = [0]\n", "say the same thing twice"),
    "no such robot": ('robot = "etz7"\nduration = 1\n', "line 1: no bundled robot named 'etz7'; did you mean 'ets7'"),
    "no such method": (
        GOOD + '[method]\nname = "RungeKutta5"\n',
        "line 4: method: there is no method .*did you mean 'RungeKutta4'",
    ),
    "no such setting": (GOOD + '[method]\nname = "RungeKutta4"\nstp = 1\n', "line 5: method: RungeKutta4 has no 'stp'"),
    "a step that is none": (
        GOOD + '[method]\nname = "RungeKutta4"\nstep = -1\n',
        "line 3: RungeKutta4: the step must be",
    ),
    "no such force": (GOOD + '[[forces]]\nkind = "sprng"\nbody = "base"\n', "line 4: forces.0: there is no force"),
    "no such body": (GOOD + '[[forces]]\nkind = "wrench"\nbody = "bse"\n', "no body named 'bse'"),
    "no such condition": (GOOD + '[[events]]\nwhen = "joint_reach"\n', "line 4: events.0: there is no condition"),
    "no such action": (
        GOOD
        + '[[events]]\nwhen = "joint_reaches"\njoint = "joint1"\nvalue = 1\n'
        + 'action = { do = "lok", joint = "joint1" }\n',
        "line 7: events.0.action: there is no action 'lok'; did you mean 'lock'",
    ),
    "no such motion": (
        GOOD + '[prescribed]\njoint1 = { motion = "swng", size = 1, speed = 1 }\n',
        "did you mean 'swing'",
    ),
    "a motion of text": (GOOD + '[prescribed]\njoint1 = "fast"\n', "line 4: prescribed.joint1 is text"),
    "a mode that is none": (GOOD + '[modes]\njoint1 = "loose"\n', "expected one of 'free'"),
    "figures that are none": (GOOD + "[plots]\nfigures = 3\n", "line 4: plots.figures is a number"),
    "a film of one frame": (GOOD + "[film]\nframes = 1\n", "line 4: film.frames is a number"),
    "records without end": ('robot = "ets7"\nduration = 1e9\nrecord = 1e-6\n', "line 3: a record every .* records"),
    "steps without end": (GOOD + '[method]\nname = "RungeKutta4"\nstep = 1e-30\n', "line 5: method: steps of"),
    "a law file above": (
        GOOD + '[[laws]]\nlaw = "f"\nfile = "../laws.py"\n',
        "line 5: laws.0: .* outside the scenario's folder",
    ),
    "a law file elsewhere": (GOOD + '[[laws]]\nlaw = "f"\nfile = "/etc/laws.py"\n', "outside the scenario's folder"),
    "a law file by a link": (GOOD + '[[laws]]\nlaw = "f"\nfile = "link.py"\n', "outside the scenario's folder"),
    "a law file that is none": (GOOD + '[[laws]]\nlaw = "f"\nfile = "/etc/passwd"\n', "give the name of a Python file"),
    "a law file that is not there": (GOOD + '[[laws]]\nlaw = "f"\nfile = "laws.py"\n', "there is no file 'laws.py'"),
    "a law file with odd letters": (GOOD + '[[laws]]\nlaw = "f"\nfile = "a\\u0000.py"\n', "outside|not the name"),
    "a law file that raises": (GOOD + '[[laws]]\nlaw = "f"\nfile = "bad.py"\n', "bad.py, line 2: ZeroDivisionError"),
    "a law file that is no Python": (
        GOOD + '[[laws]]\nlaw = "f"\nfile = "worse.py"\n',
        "worse.py, line 1: SyntaxError",
    ),
    "a law that is not in the file": (GOOD + '[[laws]]\nlaw = "dmp"\nfile = "good.py"\n', "did you mean 'damp'"),
    "a law that is a motion": (GOOD + '[[laws]]\nlaw = "ramp"\nfile = "good.py"\n', "is not a law"),
    "a law that is an element": (GOOD + '[[laws]]\nlaw = "coil"\nfile = "good.py"\n', "is not a law.*it is an element"),
    "a motion that is an element": (
        GOOD + '[prescribed]\njoint1 = { motion = "coil", file = "good.py" }\n',
        "is not a motion.*it is an element",
    ),
    "a condition that is an element": (
        GOOD + '[[events]]\nwhen = "coil"\nfile = "good.py"\n',
        "is not a condition.*it is an element",
    ),
    "an action that is an element": (
        GOOD + '[[events]]\nwhen = "joint_reaches"\njoint = "joint1"\nvalue = 1\n'
        'action = { do = "coil", file = "good.py" }\n',
        "is no plain function",
    ),
    "an element without its point": (
        GOOD + '[[elements]]\nkind = "coil"\nfile = "good.py"\n',
        "element 'coil': give its tip, such as tip = '...'",
    ),
    "a law without its parameter": (GOOD + '[[laws]]\nlaw = "damp"\nfile = "good.py"\n', "needs a parameter 'kd'"),
    "a robot above": ('robot = "../robot.toml"\nduration = 1\n', "line 1: robot '../robot.toml' lies outside"),
    "a robot elsewhere": ('robot = "/etc/passwd"\nduration = 1\n', "outside the scenario's folder"),
    "a robot by a link": ('robot = "link.urdf"\nduration = 1\n', "outside the scenario's folder"),
    "a robot that is not there": ('robot = "arm.urdf"\nduration = 1\n', "there is no file 'arm.urdf'"),
    "a robot that is none": ('robot = "self.toml"\nduration = 1\n', "line 1: "),
    "an option that a robot has not": ('robot = { file = "ets7", bas = "free" }\nduration = 1\n', "no option"),
}


@pytest.fixture
def folder(tmp_path):
    outside = tmp_path / "outside.py"
    outside.write_text("raise SystemExit('read from outside')")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link.py").symlink_to(outside)
    (inside / "link.urdf").symlink_to(outside)
    (inside / "bad.py").write_text("x = 1\ny = x / 0\n")
    (inside / "worse.py").write_text("def f(:\n")
    (inside / "good.py").write_text(
        "import spacedyn as sd\n@sd.law\ndef damp(t, s, p, out):\n    out.tau[0] = -p.kd * s.qd[0]\n"
        "@sd.motion\ndef ramp(t, p, out):\n    out.value[0] = 0.0\n"
        "@sd.element(points=('tip',))\ndef coil(t, s, p, out):\n    out.tip.force[0] = 1.0\n"
    )
    (inside / "self.toml").write_text("duration = 1\n")
    return inside


@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_scenario_is_refused_with_words(folder, case):
    text, words = MALFORMED[case]
    (folder / "scenario.toml").write_text(text)
    with pytest.raises(sd.ScenarioError, match=words) as caught:
        sd.Scenario.from_toml(folder / "scenario.toml").run()
    assert all(len(problem) < 1500 for problem in caught.value.problems)


def test_all_problems_at_once(tmp_path):
    file = tmp_path / "scenario.toml"
    file.write_text('robot = 1\nduration = "x"\ncolour = 3\n[state]\nqq = 1\n')
    with pytest.raises(sd.ScenarioError) as caught:
        sd.Scenario.from_toml(file)
    assert len(caught.value.problems) == 4
    assert caught.value.source == str(file)


def test_what_never_ends_is_not_read(tmp_path):
    (tmp_path / "zero.toml").symlink_to("/dev/zero")
    with pytest.raises(sd.ScenarioError, match="not a file"):
        sd.Scenario.from_toml(tmp_path / "zero.toml")
    with (tmp_path / "huge.toml").open("wb") as handle:
        handle.truncate(200_000_000)
    with pytest.raises(sd.ScenarioError, match="200 MB"):
        sd.Scenario.from_toml(tmp_path / "huge.toml")
    (tmp_path / "large.toml").write_text(GOOD + "#" * 5_000_000)
    with pytest.raises(sd.ScenarioError, match="5 MB"):
        sd.Scenario.from_toml(tmp_path / "large.toml")


def test_names_and_files_that_are_not_there(tmp_path):
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(sd.ScenarioError, match="UTF-8"):
        sd.Scenario.from_toml(tmp_path / "bytes.toml")
    with pytest.raises(sd.ScenarioError, match="there is no file"):
        sd.Scenario.from_toml(tmp_path / "nothing.toml")
    with pytest.raises(sd.ScenarioError, match=r"bundled scenario is ets7_reach, without .toml"):
        sd.Scenario.from_toml("ets7_reach.toml")
    with pytest.raises(sd.UnknownName, match="did you mean 'ets7_reach'"):
        sd.Scenario.from_toml("ets7_rech")
    with pytest.raises(sd.ScenarioError, match=r"ends in \.toml"):
        sd.Scenario.from_toml(tmp_path)
