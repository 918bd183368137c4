"""The wheel and the sdist hold what they must, the package is typed for those who use it, and the core stands alone."""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

from conftest import WHEELS
from paths import ROOT

PACKAGE = ROOT / "src" / "spacedyn"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

ALONE = """
import spacedyn as sd

robot = sd.load("ets7")
run = sd.simulate(robot, robot.state(qd=[0.1, 0, 0, 0, 0, 0]), 2.0, record=0.5)
assert run.audit().within_budget
run.to_html("film.html")
run.save("run.nc")
assert (sd.Run.load("run.nc").final.x == run.final.x).all()
try:
    run.plot("q")
except sd.InputError as error:
    print(error)
print(sd.__file__)
"""


def names(requirements):
    """Of distributions, as they are compared."""
    return {re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", one)[0]).lower() for one in requirements}


def needed_by(wanted):
    """These distributions and all that they need, without anybody's extras; what this platform has of them."""
    found, open_ends = {}, set(wanted)
    while open_ends:
        name = open_ends.pop()
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:  # for other platforms or versions of Python
            continue
        more = [one for one in found[name].requires or [] if "extra ==" not in one]
        open_ends |= names(more) - found.keys()
    return found


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Wheel and sdist, made by the backend that installers call."""
    folder = tmp_path_factory.mktemp("dist")
    make = "import sys, hatchling.build as b; print(b.build_wheel(sys.argv[1])); print(b.build_sdist(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", make, str(folder)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    wheel, sdist = done.stdout.split()[-2:]
    return folder / wheel, folder / sdist


def test_every_extra_is_used():
    sources = "\n".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    imported = set(re.findall(r"^\s*(?:from|import) (\w+)", sources, flags=re.MULTILINE))
    for extra in PROJECT["optional-dependencies"].keys() - {"docs", "dev"}:
        modules = {name.replace("-", "_") for name in names(PROJECT["optional-dependencies"][extra])}
        assert modules & imported, f"nothing of the extra {extra} is imported"


def files_of_the_package():
    for path in PACKAGE.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(ROOT / "src").as_posix()


def test_the_wheel_is_pure_python_and_holds_the_whole_package(built):
    wheel = built[0]
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    held = {name for name in names if name.startswith("spacedyn/")}
    assert held == set(files_of_the_package())
    for needed in (
        "py.typed",
        "library/ets7.toml",
        "library/scenarios/ets7_reach.toml",
        "show/viewer/assets/player.js",
    ):
        assert f"spacedyn/{needed}" in held
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_metadata_are_those_of_the_project(built):
    with zipfile.ZipFile(built[0]) as archive:
        (path,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = archive.read(path).decode()
    extras = set(re.findall(r"^Provides-Extra: (\S+)$", metadata, flags=re.MULTILINE))
    assert extras == set(PROJECT["optional-dependencies"])
    needed = re.findall(r"^Requires-Dist: ([\w.-]+)[^;\n]*$", metadata, flags=re.MULTILINE)
    assert sorted(needed) == sorted(re.split(r"[<>=]", one)[0] for one in PROJECT["dependencies"])


def test_the_sdist_builds_the_same_wheel_and_holds_tests_and_documentation(built, tmp_path):
    with tarfile.open(built[1]) as archive:
        safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # Python 3.11.4 and later
        archive.extractall(tmp_path, **safely)
    (folder,) = tmp_path.iterdir()
    for needed in ("README.md", "LICENSE", "Makefile", "docs/conf.py", "tests/random_trees.py", "examples/koike.py"):
        assert (folder / needed).is_file(), needed
    done = subprocess.run(
        [sys.executable, "-c", "import hatchling.build as b; print(b.build_wheel('.'))"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    with zipfile.ZipFile(folder / done.stdout.split()[-1]) as again, zipfile.ZipFile(built[0]) as first:
        assert set(again.namelist()) == set(first.namelist())


def test_the_core_of_the_wheel_simulates_without_any_extra(built, tmp_path):
    """In a folder of its own: the wheel, what it requires, what that requires, and nothing else."""
    site = tmp_path / "site"
    with zipfile.ZipFile(built[0]) as archive:
        archive.extractall(site)
    core = needed_by(names(PROJECT["dependencies"]))
    assert {"numpy", "scipy", "numba", "xarray", "pandas"} <= core.keys()
    for one in core.values():
        for top in {file.parts[0] for file in one.files if file.parts[0] != ".."}:
            if not (site / top).exists():
                (site / top).symlink_to(one.locate_file(top))
    assert not (site / "matplotlib").exists() and not (site / "pinocchio").exists()
    done = subprocess.run(
        [sys.executable, "-S", "-W", "error", "-c", ALONE],  # -S: without the environment's own packages
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(site), "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    message, where = done.stdout.splitlines()[-2:]
    assert "spacedyn[plots]" in message
    assert Path(where) == site / "spacedyn" / "__init__.py"


@pytest.mark.index
def test_pip_installs_the_core_of_the_wheel_into_a_fresh_environment(built, tmp_path, pytestconfig):
    """From wheels that were fetched before: what happens here needs no network."""
    site = tmp_path / "fresh"
    subprocess.run([sys.executable, "-m", "venv", site], check=True)
    programs = site / ("Scripts" if os.name == "nt" else "bin")
    env = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PIP_"))}

    def run(*command):
        done = subprocess.run(
            [programs / command[0], *command[1:]], cwd=tmp_path, env=env, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    wheels = ["--no-index", "--find-links", pytestconfig.stash[WHEELS]]
    run("python", "-m", "pip", "install", "--no-compile", *wheels, str(built[0]))
    assert "No broken requirements" in run("python", "-m", "pip", "check")
    message, where = run("python", "-c", ALONE).splitlines()[-2:]
    assert "spacedyn[plots]" in message
    assert Path(where).is_relative_to(site)
    assert "good" in run("spacedyn", "run", "tian_wu", "--html", "tian_wu.html", "--quiet")
    assert (tmp_path / "tian_wu.html").stat().st_size > 1e5
    with pytest.raises(AssertionError, match=r"spacedyn\[view\]"):
        run("spacedyn", "view", "ets7")
    assert "pip install 'spacedyn[view]'" in run("spacedyn", "doctor")


def test_every_extra_is_documented():
    page = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    for extra in PROJECT["optional-dependencies"]:
        assert f"`{extra}`" in page, extra
