"""Scripts made from scenarios: nothing that a scenario names becomes code."""

import ast
import runpy
import tomllib

import pytest

import spacedyn as sd
from spacedyn.scenario import schema
from spacedyn.scenario.figure_names import figure_names, safe_file_name

LAWS = """
import spacedyn as sd

@sd.law
def push(t, s, p, out):
    out.tau[0] = p.size

def made(model, state, **parameters):
    return push(size=0.1)

@sd.motion
def ramp(t, p, out):
    out.q[0] = p.speed * t

@sd.condition
def fast(t, s, p):
    return s.qd[0] - p.limit

def stop(t, state):
    return state
"""
HOSTILE = [
    "x=__import__('os').system('touch RAN'), y",
    "x\n__import__('os').system('touch RAN')\ny",
    "\"); open('RAN', 'w'); (\"",
    '"""); open("RAN", "w"); ("""',
    "'''\"\"\"\\",
    "a\0b",
    "a\rb\x1b[2J\u2028c\u202e",
    "class",
    "None",
    "__debug__",
    "ﬁle",  # a letter that Python reads as two
    "\\N{BULLET} \\x41 {robot} %s",
    "",
    " ",
    "../../etc/passwd",
    "/etc/passwd",
    "a" * 300,
    "# noqa",
]
STATEMENTS = (ast.Expr, ast.Import, ast.ImportFrom, ast.Assign, ast.If)
CALLED = {
    "sd.load", "sd.scene", "sd.simulate", "sd.Event", "sd.Wrench", "sd.RungeKutta4", "robot.state", "here.joinpath",
    "np.radians", "control.from_file", "control.joint_hold", "mine.law", "mine.motion", "mine.condition", "mine.action",
    "mine.law.starting", "Path", "print", "run.audit", "run.plot", "run.plot.savefig", "run.to_html", "float",
    "datetime.date", "sd.Motor", "mine.element",
}  # fmt: skip
NAMES = {
    "sd", "np", "control", "here", "datetime", "Path", "__file__", "__name__", "robot", "state", "mine", "laws",
    "prescribed", "forces", "elements", "events", "run", "print", "float",
}  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "laws.py").write_text(LAWS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def every_table(word, folder):
    """A scenario with a word of someone else's wherever the schema has keys or text that are free."""
    own = {"file": "laws.py", word: 1.0}
    robot = word if word and not {"/", "\\"} & set(word) else "ets7"
    return sd.Scenario(
        folder=folder,
        title=word,
        description=f"{word}\n{word}",
        robot={"scene": {word or "a": {"file": "ets7", word: 1}, "b": {"file": robot, word: [word]}}},
        duration=1.0,
        record=0.5,
        channels=[word],
        state={"q": {word: 0.1}, "qd_deg": {word: 2.0}},
        modes={word: word},
        laws=[
            {"law": word, "file": "laws.py", "initial": {word: [1.0], "x": {word: float("nan")}}, word: {word: word}},
            {"law": "joint_hold", "kp": word},
        ],
        prescribed={word: "locked", "other": {"motion": word, **own}},
        forces=[{"kind": "wrench", "body": word, "force": [word]}],
        elements=[{"kind": "motor", "joint": word, "stall_torque": word}, {"kind": word, **own}],
        events=[{"when": word, "name": word, "action": {"do": word, "file": "laws.py"}, **own}],
        method={"name": "RungeKutta4", "step": word},
        plots={"figures": [word, [word, word]], "style": word},
        film={"plots": [word], "follow": word, "backdrop": word, "title": word},
    )


def dotted(function):
    """`a.b(...).c` as 'a.b.c'."""
    parts = []
    while not isinstance(function, ast.Name):
        if isinstance(function, ast.Attribute):
            parts.append(function.attr)
            function = function.value
        else:
            assert isinstance(function, ast.Call)
            function = function.func
    return ".".join([function.id, *reversed(parts)])


def check_code(text):
    """Only what the generator means; all that was given is in constants, or in names of arguments."""
    tree = ast.parse(text)
    assert isinstance(tree.body[0], ast.Expr) and isinstance(tree.body[-1], ast.If)
    for statement in [*tree.body, *tree.body[-1].body]:
        assert isinstance(statement, STATEMENTS)
    assert not [one for one in tree.body[1:] if isinstance(one, ast.Expr)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            assert dotted(node.func) in CALLED
        if isinstance(node, ast.Name):
            assert node.id in NAMES
        assert not isinstance(node, ast.Lambda | ast.comprehension | ast.JoinedStr | ast.NamedExpr | ast.BinOp)
    return tree


@pytest.mark.parametrize("word", HOSTILE, ids=range(len(HOSTILE)))
def test_no_key_or_text_of_a_scenario_becomes_code(word, folder):
    scenario = every_table(word, folder)
    assert set(scenario.content) | {"gravity", "start", "budget", "adjust", "limits"} == set(
        schema.Content.model_fields
    )
    tree = check_code(scenario.to_python(folder / "script.py"))
    constants = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    named = [node.arg for node in ast.walk(tree) if isinstance(node, ast.keyword)]
    assert (constants + named).count(word) >= 15  # to the letter
    saved = [node.args[0].value for node in ast.walk(tree) if isinstance(node, ast.Call) and "savefig" in dotted(node)]
    assert len(set(saved)) == 2 and all("/" not in name and "\\" not in name and len(name) < 120 for name in saved)
    compile((folder / "script.py").read_text(encoding="utf-8"), "script.py", "exec")
    assert not (folder / "RAN").exists()


def test_a_file_with_a_hostile_key_converts_to_a_script_that_runs_nothing_of_it(folder):
    key = HOSTILE[0]
    (folder / "evil.toml").write_text(f'duration = 1.0\n[robot]\nfile = "ets7"\n"{key}" = 1\n')
    sd.Scenario.from_toml("evil.toml").to_python("evil.py")
    with pytest.raises(sd.InputError, match="there is no option"):
        runpy.run_path("evil.py")
    assert not (folder / "RAN").exists()


def test_keys_that_python_cannot_spell_reach_a_law_as_they_do_in_a_run(folder):
    law = '[[laws]]\nlaw = "made"\nfile = "laws.py"\n"a b" = 1\nclass = inf\nday = 2024-01-01\n'
    toml = f'robot = "ets7"\nduration = 0.1\n{law}'
    scenario = sd.Scenario.from_toml(toml, folder=folder)
    text = scenario.to_python("script.py")
    check_code(text)
    assert '**{"a b": 1, "class": float("inf")}' in text and "import datetime" in text
    run = runpy.run_path("script.py")["run"]
    assert (run["x"] == scenario.run()["x"]).all()


def test_what_has_no_form_in_python_is_refused():
    scenario = sd.Scenario(robot="ets7", duration=1.0, laws=[{"law": "joint_hold", "kp": object()}])
    with pytest.raises(sd.InputError, match="a value of type object"):
        scenario.to_python()


def test_bundled_scenarios_give_only_known_calls():
    for name in sd.scenarios():
        tree = ast.parse(sd.Scenario.from_toml(name).to_python())
        assert all(isinstance(statement, STATEMENTS) for statement in tree.body)


@pytest.mark.parametrize("word", [*HOSTILE, "..", ".", "NUL", "com1", "-rf", "a/b\\c:d*?", "ü" * 200])
def test_names_of_files_stay_in_their_folder(word, tmp_path):
    name = safe_file_name(word)
    (tmp_path / f"{name}.png").touch()
    assert [path.stem for path in tmp_path.iterdir()] == [name]
    assert name[0] not in "-." and name.lower() not in ("nul", "com1") and len(name.encode()) <= 101
    assert len(set(figure_names([[word], [word], [word.upper()]]))) == 3


def test_the_words_above_are_toml_that_a_file_can_hold(folder):
    scenario = every_table(HOSTILE[1], folder)
    assert tomllib.loads(scenario.to_toml())["title"] == HOSTILE[1]
