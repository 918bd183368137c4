"""Tests that need a browser, or a package index, run where there is one; else what was left out is named at the end."""

import gc
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
LONG = [  # files that take half a minute and more, so that nobody waits for them at the end
    # The second starts as plain Python, and then finds compiled what the first needs too.
    *("project/test_docs", "kernels/test_plain_python", "elements/test_shape_contact", "quantities/test_batches"),
    *("scenario/test_scenario", "quantities/test_identities", "cli/test_cli", "project/test_fuzz", "run/test_run"),
    *("kernels/test_compile_progress", "kernels/test_dual", "quantities/test_derivatives", "laws/test_control"),
    *("kernels/test_memory", "elements/test_loops", "project/test_benchmarks", "show/test_browser"),
    *("kernels/test_cache", "simulate/test_time_stepping", "simulate/test_stiff", "classic/test_classic"),
    *("elements/test_orbiting_origin", "laws/test_whole_body_laws", "project/test_packaging", "show/test_view"),
]
collect_ignore = ["exudyn_references.py"]  # a program that needs Exudyn, and makes numbers for tests
WHEELS = pytest.StashKey[str]()
_left_out: dict[str, list[str]] = {}


def pytest_configure(config):
    """Where no bytecode is to be written, programs that tests start share theirs in a folder that goes away.

    Else each of them, a hundred and more, would compile the source of the whole package for itself.
    """
    runs_tests = hasattr(config, "workerinput") or not config.getoption("numprocesses", None)
    if runs_tests and os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
        os.environ["PYTHONPYCACHEPREFIX"] = str(Path(wheel_folder(config)) / "bytecode")


def pytest_sessionstart():  # of the process that starts the workers too
    if CHROMIUM is None and os.environ.get("SPACEDYN_NEEDS_BROWSER"):
        pytest.exit("there is no browser, but its tests must not be left out: apt-get install chromium", 4)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    """Hand all workers the same folder: what a package index has is downloaded once."""
    node.workerinput["wheels"] = wheel_folder(node.config)


@pytest.hookimpl(trylast=True)  # after -m and -k have chosen
def pytest_collection_modifyitems(config, items):
    place = {str(Path(__file__).parent / f"{name}.py"): i for i, name in enumerate(LONG)}
    items.sort(key=lambda item: place.get(str(item.path), len(LONG)))
    if CHROMIUM is None:
        leave_out(config, items, "browser", "no browser was found (apt-get install chromium)")
    if any(item.get_closest_marker("index") for item in items) and not download_once(wheel_folder(config)):
        leave_out(config, items, "index", "no package index was found to install the core from")


def pytest_collection_finish():
    """Ten thousand tests live to the end: Python need not look through them whenever it searches for garbage."""
    gc.collect()
    gc.freeze()


def leave_out(config, items, marker, why):
    left = [item for item in items if item.get_closest_marker(marker)]
    if left:
        _left_out.setdefault(why, []).extend(item.nodeid for item in left)
        items[:] = [item for item in items if item not in left]
        config.hook.pytest_deselected(items=left)


def wheel_folder(config):
    """Where wheels are downloaded to: a worker's is that of the process that started it."""
    if WHEELS not in config.stash:
        worker = getattr(config, "workerinput", None)
        config.stash[WHEELS] = worker["wheels"] if worker else tempfile.mkdtemp(prefix="spacedyn-wheels-")
    return config.stash[WHEELS]


def download_once(folder):
    """`download` by the first worker that comes here; the others wait for what it found."""
    outcome = Path(folder) / "outcome"
    try:
        (Path(folder) / "begun").touch(exist_ok=False)
    except FileExistsError:
        while not outcome.exists():
            time.sleep(0.1)
        return outcome.is_dir()
    done = False
    try:
        done = download(folder)
    finally:  # whatever happens: the others wait
        outcome.mkdir() if done else outcome.touch()
    return done


def download(folder):
    """All that the core requires, as wheels; whether that could be done: the only step that needs a network."""
    project = Path(__file__).parents[1] / "pyproject.toml"
    core = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["dependencies"]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary", ":all:", "--dest", folder, *core]
    try:
        return subprocess.run(command, capture_output=True, timeout=120).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def pytest_unconfigure(config):
    if not hasattr(config, "workerinput"):
        shutil.rmtree(config.stash.get(WHEELS, ""), ignore_errors=True)


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = _left_out


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    _left_out.update(getattr(node, "workeroutput", {}).get("left_out", {}))  # all workers choose from all tests


def pytest_terminal_summary(terminalreporter):
    for why, names in _left_out.items():
        terminalreporter.section(f"left out: {why}")
        for name in names:
            terminalreporter.line(name)
