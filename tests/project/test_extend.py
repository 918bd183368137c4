"""The recipe for an element kind, followed: its two files in a copy of the package, and a run with them."""

import re
import shutil
import subprocess

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
np.testing.assert_allclose(run["force_energy"][:, 0], 0.75 * run["q"][:, 0] ** 4, rtol=1e-12)
assert run.audit().energy < 1e-6 and run["qd"][-1, 0] < -1e-4, run.audit()
print("good")
"""


def test_the_files_of_an_element_kind_do_what_the_page_says(tmp_path, monkeypatch):
    page = (ROOT / "docs" / "extend.md").read_text(encoding="utf-8")
    files = re.findall(r"`src/(spacedyn/[\w/]+\.py)`:\n\n```text\n(.*?)^```$", page, flags=re.DOTALL | re.MULTILINE)
    assert [name.split("/")[1] for name, _ in files] == ["kernels", "elements"]
    shutil.copytree(ROOT / "src" / "spacedyn", tmp_path / "spacedyn", ignore=shutil.ignore_patterns("__pycache__"))
    for name, text in files:
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # other sources would be compiled anew
    child = python(PROGRAM, str(tmp_path), stdout=subprocess.PIPE)
    assert child.communicate()[0] == "good\n"
