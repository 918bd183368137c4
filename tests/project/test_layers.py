"""Imports point only downward: the contracts of pyproject.toml hold, and they do catch an import upward."""

import shutil
import subprocess
import sys
from pathlib import Path

from paths import ROOT

LINT = "from importlinter.cli import lint_imports_command; lint_imports_command(['--no-cache'])"


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    """Check the contracts of the tree at `root`, whose own src comes before the installed package."""
    return subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(root / 'src')!r}); {LINT}"],
        cwd=root,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "PYTHONIOENCODING": "utf-8"},
    )


def copy_of_the_project(where: Path) -> Path:
    shutil.copy(ROOT / "pyproject.toml", where)
    shutil.copytree(ROOT / "src", where / "src", ignore=shutil.ignore_patterns("__pycache__"))
    return where


def test_imports_point_downward():
    found = lint(ROOT)
    assert found.returncode == 0, found.stdout + found.stderr


def test_a_kernel_that_imports_the_model_is_caught(tmp_path):
    project = copy_of_the_project(tmp_path)
    (project / "src/spacedyn/kernels/robot/upward.py").write_text("from spacedyn.model import parts\n")
    found = lint(project)
    assert found.returncode != 0
    assert "spacedyn.kernels is not allowed to import spacedyn.model" in found.stdout


def test_a_module_that_imports_the_whole_package_is_caught(tmp_path):
    project = copy_of_the_project(tmp_path)
    (project / "src/spacedyn/model/circular.py").write_text("import spacedyn\n")
    found = lint(project)
    assert found.returncode != 0
    assert "spacedyn.model.circular" in found.stdout


def test_a_module_that_knows_offsets_is_caught(tmp_path):
    """Whichever it is, but those of the layout and the stepper: none needs to be listed."""
    project = copy_of_the_project(tmp_path)
    with (project / "src/spacedyn/simulate/closure.py").open("a") as module:
        module.write("\nfrom ..kernels.sim import layout as p\n")
    found = lint(project)
    assert found.returncode != 0
    assert "spacedyn.simulate.closure is not allowed to import" in found.stdout


def test_a_module_without_a_place_is_caught(tmp_path):
    project = copy_of_the_project(tmp_path)
    (project / "src/spacedyn/stray.py").write_text("")
    found = lint(project)
    assert found.returncode != 0
    assert "stray" in found.stdout
