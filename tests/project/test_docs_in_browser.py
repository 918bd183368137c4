"""Pages of the documentation in a real browser, with the theme and the style that are shipped: nothing is cut off.

Screenshots are kept in build/screenshots, for people to look at.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import spacedyn as sd
from conftest import CHROMIUM
from paths import ROOT

pytestmark = pytest.mark.browser
DOCS, SHOTS = ROOT / "docs", ROOT / "build" / "screenshots"
PAGES = ["benchmarks", "coming_from_spacedyn", "simulation", "howto/scenarios", "howto/units_frames_quaternions"]
"""With wide tables and programs of 120 columns, and without cells to run; a page of the reference comes on top."""
REFERENCE = """# Dynamics

```{eval-rst}
.. currentmodule:: spacedyn

.. autosummary::

   forward_dynamics
   hybrid_dynamics

.. autofunction:: forward_dynamics
.. autofunction:: hybrid_dynamics
```
"""
WIDTHS = (320, 390, 800, 1009, 1024, 1280, 1320, 1440, 1920)
CUT_OFF = """() => {
    const page = document.documentElement
    const scrolls = e => ["auto", "scroll"].includes(getComputedStyle(e).overflowX)
    const reached = e => {
        for (; e !== document.body; e = e.parentElement) {
            if (getComputedStyle(e).position === "fixed" || scrolls(e.parentElement)) return true
        }
        return false
    }
    return [...document.querySelectorAll(".main *")]
        .filter(e => e.getBoundingClientRect().right > page.clientWidth + 1 && !reached(e))
        .map(e => `${e.tagName} ${e.className}`)
}"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A few pages, built with the documentation's own settings."""
    source, target = tmp_path_factory.mktemp("pages"), tmp_path_factory.mktemp("html")
    for name in PAGES:
        shutil.copy(DOCS / f"{name}.md", source)
    names = [*(name.rpartition("/")[2] for name in PAGES), "dynamics"]
    (source / "dynamics.md").write_text(REFERENCE)
    (source / "index.md").write_text("\n".join(["# Pages", "", "```{toctree}", *names, "```", ""]))
    settings = ["-D", "nb_execution_mode=off", "-D", "html_extra_path=_static"]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-b", "html", "-c", str(DOCS), *settings, str(source), str(target)],
        env={**os.environ, "PYTHONPATH": str(Path(sd.__file__).parents[1])},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert not (source / "made").exists()
    return [target / f"{name}.html" for name in names]


@pytest.fixture(scope="module")
def page():
    from playwright.sync_api import sync_playwright

    SHOTS.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"], headless=True)
        page = browser.new_page()
        page.route("http*://**", lambda route: route.abort())  # formulas stay as they are written
        yield page
        browser.close()


def test_no_page_is_cut_off_at_any_width(built, page):
    for path in built:
        page.goto(path.as_uri())
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wide <= 0, (path.stem, width)
            assert page.evaluate(CUT_OFF) == [], (path.stem, width)
            if width in (390, 1024, 1280, 1920):
                page.screenshot(path=SHOTS / f"documentation {path.stem} {width}.png")


def test_a_program_of_120_columns_fits_where_there_is_room(built, page):
    page.goto(next(path for path in built if path.stem == "scenarios").as_uri())
    hidden = """Math.max(...[...document.querySelectorAll("pre")].map(e => e.scrollWidth - e.clientWidth))"""
    for width, fits in ((1920, True), (1280, True), (390, False)):
        page.set_viewport_size({"width": width, "height": 900})
        assert (page.evaluate(hidden) <= 0) is fits, width
