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


KERNEL = '''
"""A coil on a body in a uniform field."""
from ..robot.spatial import cross, dot3, turn
from .kind import angular_velocity, channel, kind, lever, matrix, own, position, push_body, rotation, vector, work_done
@kind
def coil(sim, e, t, y, k, zero):
    """Channels of three numbers each: where it is, and the moment m x B."""
    i = own(sim, e, 0)
    r = lever(sim, i, vector(sim, e, 0, zero), zero)
    at, m = position(sim, i, r, zero), turn(matrix(sim, e, 3, zero), vector(sim, e, 12, zero))
    n = cross(turn(rotation(sim, i, zero), m), vector(sim, e, 15, zero))
    push_body(sim, i, (zero, zero, zero), n, r, zero)
    for j in range(3):
        channel(sim, e, j, at[j])
        channel(sim, e, 3 + j, n[j])
    work_done(sim, e, k, dot3(n, angular_velocity(sim, i, zero)))
'''
COIL = """
import sys
from dataclasses import dataclass
from typing import ClassVar
import numpy as np
sys.path.insert(0, sys.argv[1])
import spacedyn as sd
from spacedyn.elements.element import Block, Element, Numbers, point_of
from spacedyn.kernels.elements.coil import coil
PLACE, DIPOLE, FIELD = np.array([0.1, 0.2, 0.3]), np.array([3.0, 1.0, 2.0]), np.array([0.4, 0.5, -0.2])
@dataclass(frozen=True, eq=False)
class Coil(Element):
    body: str
    channels: ClassVar = (Block("place", 3, "m"), Block("moment", 3, "N m"))
    kernel: ClassVar = coil
    def numbers(self, model):
        body, place = point_of(model, self.body, PLACE)
        axes = model.flat.to_internal[model.body_index(self.body)]
        return Numbers((body,), np.concatenate([place, axes.ravel(), DIPOLE, FIELD]))
robot = sd.load("planar_four_link")
state = robot.state(q=[0.5, 0.1, 0.2, 0.3], qd=[0.1, 0.2, 0, 0], base_position=[1.0, 2.0, 3.0])
run = sd.simulate(robot, state, 0.1, elements=[Coil("link2")], method=sd.RungeKutta4(0.02), record=0.02)
body = run.body("link2")
at = body.position + np.einsum("tij,j->ti", body.rotation, PLACE)
np.testing.assert_allclose(run["coil.place"], at, rtol=1e-12)
np.testing.assert_allclose(run["coil.moment"], np.cross(body.rotation @ DIPOLE, FIELD), atol=1e-12)
assert run.audit().energy < 1e-7, run.audit()
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


def test_a_kind_may_have_channels_of_several_numbers_in_its_body_s_own_axes(package):
    (package / "spacedyn" / "kernels" / "elements" / "coil.py").write_text(KERNEL, encoding="utf-8")
    child = python(COIL, str(package), stdout=subprocess.PIPE)
    assert child.communicate()[0] == "good\n"
