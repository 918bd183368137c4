"""Tests in a browser run where there is one; where there is none, what was left out is named at the end."""

import os
import shutil

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
_left_out: list[str] = []


def pytest_collection_modifyitems(config, items):
    if CHROMIUM is not None:
        return
    if os.environ.get("SPACEDYN_NEEDS_BROWSER"):
        pytest.exit("there is no browser, and these tests must not be left out: apt-get install chromium", returncode=4)
    left = [item for item in items if item.get_closest_marker("browser")]
    if left:
        _left_out.extend(item.nodeid for item in left)
        items[:] = [item for item in items if item not in left]
        config.hook.pytest_deselected(items=left)


def pytest_terminal_summary(terminalreporter):
    if _left_out:
        terminalreporter.section("left out: no browser was found (apt-get install chromium)")
        for name in _left_out:
            terminalreporter.line(name)
