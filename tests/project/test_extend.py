"""Recipes for the package itself, followed: their files and lines in a copy of the package, and a run with them."""

import re
import shutil
import subprocess

import pytest

from paths import ROOT
from processes import python

PROGRAM = """
import sys
import numpy as np
sys.path.insert(0, sys.argv[1])
import spacedyn as sd
from spacedyn.elements.cubic_spring import CubicSpring
assert sd.__file__.startswith(sys.argv[1])
robot = sd.load("planar_four_link")
state = robot.state(q=[0.5, 0, 0, 0])
spring = CubicSpring("joint1", stiffness=3.0)
run = sd.simulate(robot, state, 0.1, elements=[spring], method=sd.RungeKutta4(0.02), record=0.02, budget=1.0)
np.testing.assert_allclose(run["torque"][:, 0], -3.0 * run["q"][:, 0] ** 3, rtol=1e-12)
np.testing.assert_allclose(run["element_energy"][:, 0], 0.75 * run["q"][:, 0] ** 4, rtol=1e-12)
assert run.audit().energy < 1e-6 and run["qd"][-1, 0] < -1e-4, run.audit()
print("good")
"""


SCENARIO = """
import sys
sys.path.insert(0, sys.argv[1])
import spacedyn as sd
assert sd.__file__.startswith(sys.argv[1])
text = 'robot = "ets7"\\nduration = 0.02\\ngravity_in_g = 0.5\\nmethod = { name = "RungeKutta4", step = 0.01 }'
scenario = sd.Scenario.from_toml(text)
assert scenario.run(progress=False).gravity.tolist() == [0.0, 0.0, -0.5 * 9.80665]
assert "gravity=[0.0, 0.0, -4.903325]" in scenario.to_python(), scenario.to_python()
try:
    sd.Scenario.from_toml(text.replace("0.5", "'half'"))
except sd.SpacedynError as error:
    assert "gravity_in_g" in str(error) and "give gravity along -z in multiples of 9.80665" in str(error), error
    print("good")
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A copy of the package to change, which runs as plain Python: other sources would be compiled anew."""
    shutil.copytree(ROOT / "src" / "spacedyn", tmp_path / "spacedyn", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    return tmp_path


def added_lines(text, block):
    """A file's text with the lines of a block that begin with a plus behind the line before them."""
    before, *new = block.splitlines()
    assert text.count(before + "\n") == 1 and all(line.startswith("+") for line in new)
    return text.replace(before + "\n", "\n".join([before, *(" " + line[1:] for line in new), ""]))


def test_the_lines_of_a_scenario_key_do_what_the_page_says(package):
    page = (ROOT / "docs" / "extend.md").read_text(encoding="utf-8").partition("## A scenario key")[2]
    changes = re.findall(r"In `src/(spacedyn/[\w/]+\.py)`, .*?:\n\n```text\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert [name for name, _ in changes] == ["spacedyn/scenario/schema.py", "spacedyn/scenario/program.py"]
    for name, block in changes:
        file = package / name
        file.write_text(added_lines(file.read_text(encoding="utf-8"), block), encoding="utf-8")
    child = python(SCENARIO, str(package), stdout=subprocess.PIPE)
    assert child.communicate()[0] == "good\n"


def test_the_files_of_an_element_kind_do_what_the_page_says(package):
    page = (ROOT / "docs" / "extend.md").read_text(encoding="utf-8")
    files = re.findall(r"`src/(spacedyn/[\w/]+\.py)`:\n\n```text\n(.*?)^```$", page, flags=re.DOTALL | re.MULTILINE)
    assert [name.split("/")[1] for name, _ in files] == ["kernels", "elements"]
    for name, text in files:
        (package / name).write_text(text, encoding="utf-8")
    child = python(PROGRAM, str(package), stdout=subprocess.PIPE)
    assert child.communicate()[0] == "good\n"
