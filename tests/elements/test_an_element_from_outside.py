"""Elements of a user's own file have the rights of built-in ones: nothing outside that file knows of them."""

import json
import runpy
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from outside_element import brake, press, wind
from typer.testing import CliRunner

import spacedyn as sd
from processes import python
from spacedyn.cli import app
from spacedyn.show.viewer.actors import actors_of

FILE = Path(__file__).with_name("outside_element.py")
NUMBERS = {"stiffness": 40.0, "drag": 0.5, "gain": 1e-5, "viscous": 0.2}


def hinge() -> sd.Model:
    """One joint on a wall, of inertia 0.2 kg m² about its axis."""
    b = sd.Builder("hinge", base="fixed")
    b.base("wall", mass=1.0, inertia=(1.0, 1.1, 1.2))
    b.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.2))
    b.joint("hinge", "revolute", parent="wall", child="arm")
    return b.build()


def acting() -> dict:
    """What is given to `simulate`: a brake in a joint, wind at the hand, a law that presses the brake."""
    mine = brake(axle="joint2", **NUMBERS)
    return {"elements": [mine, wind(at="hand", stream=[0.3, 0, 0], drag=0.5)], "laws": [press(most=1e5)]}


@pytest.fixture(scope="module")
def robot():
    return sd.load("ets7")


@pytest.fixture(scope="module")
def start(robot):
    return robot.state(qd=[0.3, -0.5, 0.2, 0.1, 0.1, 0.1])


@pytest.fixture(scope="module")
def run(robot, start):
    return sd.simulate(robot, start, 2.0, record=0.01, **acting())


def test_the_file_is_one_that_a_user_would_write():
    lines = FILE.read_text().splitlines()
    assert len(lines) < 60
    assert {line.split()[1] for line in lines if line.startswith(("import", "from"))} == {"numpy", "spacedyn"}


def test_a_brake_holds_a_joint_as_its_equations_say(run):
    """The state's rate, the friction and the accounts against the formulas, along the run."""
    v, z, t = run["qd"][:, 1], run["brake.bend"][:, 0], run.time
    grip = NUMBERS["drag"] + NUMBERS["gain"] * 1e5 * np.sin(t) ** 2
    torque = NUMBERS["stiffness"] * z + NUMBERS["viscous"] * v
    np.testing.assert_allclose(run["friction"][:, 0], torque, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(run["element_energy"][:, 0], 20.0 * z**2, rtol=1e-12)
    assert (np.diff(np.sign(v)) != 0).any(), "the direction of slip changes"
    assert np.abs(run["friction"][:, 0]).max() < 1.01 * grip.max() + NUMBERS["viscous"] * np.abs(v).max()
    rate = v - 40.0 * np.abs(v) * z / grip
    steps = 0.5 * (rate[1:] + rate[:-1]) * np.diff(t)
    np.testing.assert_allclose(np.diff(z), steps, atol=1e-4)  # the trapezoidal rule


def test_steps_end_where_the_direction_of_slip_changes(robot, start):
    """With the guard, error control has no kink to stumble over: the state is smooth to the last digits."""
    coarse, fine = (
        sd.simulate(robot, start, 2.0, record=[2.0], method=sd.DormandPrince8(rtol=r, atol=r), budget=1.0, **acting())
        for r in (1e-9, 1e-12)
    )
    np.testing.assert_allclose(coarse.final.x, fine.final.x, atol=1e-8)


def test_the_ledger_knows_what_it_stores_and_loses(run):
    audit = run.audit()
    assert audit.worst < 1e-9
    assert run["element_dissipated"][-1, 0] > 0.01
    assert np.all(np.diff(run["element_dissipated"][:, 0]) >= 0.0)
    np.testing.assert_array_equal(run["element_work"][:, 0], 0.0)
    assert abs(run["element_work"][-1, 1]) > 0.01  # of the wind, which declares nothing: that of its push
    assert np.abs(run["impulse"][-1, :3]).max() > 0.1


def test_a_wrong_account_makes_the_audit_complain(robot, start):
    @sd.element(accounts=("dissipated",), joints=("axle",))
    def optimist(t, s, p, out):
        out.axle.tau[0] = -s.axle.qd[0]
        out.dissipated[0] = 0.9 * s.axle.qd[0] ** 2

    with pytest.warns(sd.RunWarning, match="the ledger is off.*the accounts of 'optimist'"):
        wrong = sd.simulate(robot, start, 1.0, elements=[optimist(axle="joint2")])
    assert wrong.audit().energy > 1e-4


def test_robots_of_a_batch_move_as_one_by_one(robot):
    """Eleven robots, the last pack not full, with steps of a fixed length; sides are each robot's own."""
    rates = np.random.default_rng(3).normal(size=(11, 6)) * 0.3
    options = {"method": sd.RungeKutta4(5e-3), "record": 0.1, "budget": 1.0, **acting()}
    many = sd.simulate(robot, robot.state(qd=rates), 0.5, **options)
    for i in range(11):
        one = sd.simulate(robot, robot.state(qd=rates[i]), 0.5, **options)
        for name in ("x", "u", "element_states", "friction", "element_dissipated", "element_wrenches"):
            np.testing.assert_allclose(many[name][:, i], one[name], rtol=1e-12, atol=1e-12, err_msg=name)


def test_robots_of_a_batch_with_steps_of_their_own_choice(robot):
    rates = np.random.default_rng(4).normal(size=(11, 6)) * 0.3
    many = sd.simulate(robot, robot.state(qd=rates), 1.0, record=0.5, **acting())
    assert many.audit().worst < 1e-9
    one = sd.simulate(robot, robot.state(qd=rates[7]), 1.0, record=0.5, **acting())
    np.testing.assert_allclose(many["element_states"][:, 7], one["element_states"], atol=1e-9)


def test_an_implicit_method_has_its_tangents(robot, start, run):
    """A brake a thousand times as stiff, which is nothing to Radau; and the same motion as another method's."""
    implicit = sd.simulate(robot, start, 2.0, record=0.01, method=sd.Radau5(rtol=1e-9, atol=1e-10), **acting())
    np.testing.assert_allclose(implicit["x"], run["x"], atol=1e-7)
    hard = {**acting(), "elements": [brake(axle="joint2", **{**NUMBERS, "stiffness": 4e6})]}
    stiff = sd.simulate(robot, start, 1.0, record=0.1, method=sd.Radau5(), **hard)
    assert stiff.audit().energy < 1e-7


def test_linearize_has_its_states():
    model, v = hinge(), -0.3
    of = sd.linearize(model, model.state(qd=[v]), elements=[brake(axle="hinge", **NUMBERS)])
    assert of.names == ("hinge", "hinge rate", "brake bend")
    expected = [[0, 1, 0], [0, -0.2 / 0.2, -40.0 / 0.2], [0, 1, -40.0 * abs(v) / 0.5]]
    np.testing.assert_allclose(of.A, expected, rtol=1e-8, atol=1e-8)


def test_the_dataset_names_everything(run):
    data = run.data
    assert data["friction"].attrs["units"] == "N m"
    assert data["speed"].attrs["units"] == "m/s"
    assert data["brake.bend"].attrs["units"] == "rad"
    assert data["element"].values.tolist() == ["brake", "wind"]
    assert data["pushed"].values.tolist() == ["wind on link6"]
    np.testing.assert_array_equal(data["friction"].sel(element="brake"), run["friction"][:, 0])
    assert "friction.brake" in run.to_dataframe()


def test_it_is_drawn(run):
    axes = run.plot("friction").axes[0]
    assert axes.get_ylabel() == "[N m]"
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), run["friction"][:, 0])


def test_the_film_has_an_arrow_where_it_pushes(run):
    (actor,) = actors_of("", run, None, 10_000)
    arrow = next(arrow for arrow in actor.arrows if arrow.label == "wind")
    np.testing.assert_allclose(arrow.vector, run["element_wrenches"][:, :3], atol=1e-12)
    np.testing.assert_allclose(arrow.start + actor.base, run.endpoint("hand").position, atol=1e-9)


def test_it_goes_on_to_the_bit_in_this_process(run, robot, start):
    """Its elements are known here, and need not be given again."""
    again = run.resume(at=1.0)
    assert np.array_equal(again._rows, run._rows)
    longer = run.resume(until=2.2)
    assert np.array_equal(longer._rows, sd.simulate(robot, start, 2.2, record=0.01, **acting())._rows)


AS_PYTHON = """
import sys
import numpy as np
import spacedyn as sd
from test_an_element_from_outside import acting
robot = sd.load("ets7")
start = robot.state(qd=[0.3, -0.5, 0.2, 0.1, 0.1, 0.1])
run = sd.simulate(robot, start, 0.05, record=0.01, method=sd.RungeKutta4(5e-3), budget=1.0, **acting())
np.save(sys.argv[1], run._rows)
"""


def test_it_runs_as_plain_python(robot, start, tmp_path, monkeypatch):
    """With the JIT switched off, the same numbers."""
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    child = python(AS_PYTHON, str(tmp_path / "rows.npy"))
    compiled = sd.simulate(robot, start, 0.05, record=0.01, method=sd.RungeKutta4(5e-3), budget=1.0, **acting())
    assert child.wait() == 0
    np.testing.assert_allclose(np.load(tmp_path / "rows.npy"), compiled._rows, rtol=1e-12, atol=1e-12)


SCENARIO = """
robot = "ets7"
duration = 2.0
record = 0.01

[state]
qd = [0.3, -0.5, 0.2, 0.1, 0.1, 0.1]

[[elements]]
kind = "brake"
file = "outside_element.py"
axle = "joint2"
stiffness = 40.0
drag = 0.5
gain = 1e-5
viscous = 0.2

[[elements]]
kind = "wind"
file = "outside_element.py"
at = "hand"
stream = [0.3, 0, 0]
drag = 0.5

[[laws]]
law = "press"
file = "outside_element.py"
most = 1e5

[plots]
figures = ["friction"]
"""


@pytest.fixture
def scenario(tmp_path):
    shutil.copy(FILE, tmp_path)
    (tmp_path / "braked.toml").write_text(SCENARIO)
    return tmp_path / "braked.toml"


def test_it_stands_in_a_scenario_file(scenario, run):
    made = sd.Scenario.from_toml(scenario)
    made.check(compile_laws=True)
    assert np.array_equal(made.run()["x"], run["x"])
    assert made.figures(run)["friction"].axes[0].get_ylabel() == "[N m]"
    (scenario.parent / "script.py").write_text(made.to_python())
    assert np.array_equal(runpy.run_path(str(scenario.parent / "script.py"))["run"]["x"], run["x"])


def test_a_scenario_says_where_its_states_start(scenario):
    for given in ("internal = { brake.bend = 0.01 }", 'internal = { "brake.bend" = [0.01] }'):
        scenario.write_text(SCENARIO.replace("[state]", f"[state]\n{given}"))
        made = sd.Scenario.from_toml(scenario, change={"duration": 0.1})
        assert made.run()["brake.bend"][0, 0] == 0.01
        (scenario.parent / "script.py").write_text(made.to_python())
        assert runpy.run_path(str(scenario.parent / "script.py"))["run"]["brake.bend"][0, 0] == 0.01
    scenario.write_text(SCENARIO.replace("[state]", "[state]\ninternal = { brake.bent = 0.01 }"))
    with pytest.raises(sd.SpacedynError, match=r"'brake.bent'.*'brake.bend'"):
        sd.Scenario.from_toml(scenario).run()


def test_the_command_line_runs_and_checks_it(scenario):
    called = CliRunner().invoke(app, ["check", str(scenario)])
    assert called.exit_code == 0, called.output
    called = CliRunner().invoke(app, ["run", str(scenario), "--out", str(scenario.with_suffix(".nc"))])
    assert called.exit_code == 0, called.output
    assert sd.Run.load(scenario.with_suffix(".nc"))["friction"].any()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('kind = "brake"', 'kind = "brakes"', "did you mean 'brake'"),
        ("gain = 1e-5", "gains = 1e-5", "did you mean 'gain'"),
        ("gain = 1e-5", "", "needs a parameter 'gain'"),
        ('axle = "joint2"', "", "give its axle"),
        ('axle = "joint2"', 'axle = "joint22"', "no joint named 'joint22'"),
        ('at = "hand"', "at = 3.0", "an endpoint, a body, or"),
        ("drag = 0.5\ngain", "drag = 0.5\nperiod = 0.1\ngain", "has no period"),
        ('kind = "brake"', 'kind = "press"', "law 'press' has no parameter 'axle'"),
    ],
)
def test_a_scenario_s_mistakes_are_reported_with_their_lines(scenario, old, new, message):
    scenario.write_text(SCENARIO.replace(old, new, 1))
    with pytest.raises(sd.ScenarioError, match=rf"line \d+: .*{message}"):
        sd.Scenario.from_toml(scenario).check()


def test_a_misspelt_parameter_is_told_with_its_own_line(scenario):
    text = SCENARIO.replace("gain = 1e-5", "gains = 1e-5", 1)
    scenario.write_text(text)
    line = text[: text.index("gains")].count("\n") + 1
    with pytest.raises(sd.ScenarioError, match=f"line {line}: .*'gains'"):
        sd.Scenario.from_toml(scenario).check()


UNITS = """
import json, sys
import spacedyn as sd
from spacedyn.kernels.scalar import compiling
made = compiling.Address.__init__
names = []
def spy(self, function, signature, name, *more, **named):
    names.append(name)
    made(self, function, signature, name, *more, **named)
compiling.Address.__init__ = spy
robot, found = sd.load("planar_four_link"), []
wrench, motor = sd.Wrench("link1", force=(1.0, 0, 0)), sd.Motor("joint2", stall_torque=1.0)
for elements, method in (([], None), ([wrench], None), ([motor], sd.RungeKutta4(0.01)), ([motor], None)):
    sd.simulate(robot, robot.neutral_state(), 0.1, elements=elements, record=0.1, method=method)
    found.append(sorted(names))
    names.clear()
json.dump(found, sys.stdout)
"""


def test_a_kind_that_is_not_used_is_not_compiled():
    """The units of a simulation, in a Python of its own: kinds come when they are used, everything else stays."""
    child = python(UNITS, stdout=subprocess.PIPE)
    nothing, with_wrench, with_fixed_step, with_motor = json.loads(child.communicate()[0])
    assert nothing == ["flow.one"]
    assert with_wrench == ["wrench.one"]
    assert with_fixed_step == ["motor.one"]  # values of its guards decide: no side is held
    assert with_motor == ["guards.one"]
