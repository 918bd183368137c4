"""Every program in the README and the documentation runs, page by page, and prints what the page says it prints.

A page is one session: its programs run in order and see what those before them made. A block of Python that a block of
text follows prints exactly that text; cells that are executed where the documentation is built show their own output.
"""

import contextlib
import io
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

from paths import ROOT
from spacedyn.model.joints import JOINT_KINDS

DOCS = ROOT / "docs"
MADE = {"_build", "reference", "made"}  # folders that building the documentation makes
PAGES = sorted([ROOT / "README.md", *(page for page in DOCS.rglob("*.md") if MADE.isdisjoint(page.parts))])
BLOCK = re.compile(
    r"^```(?P<kind>python|\{code-cell\}[^\n]*)\n(?P<code>.*?)^```$(?:\s*^```text\n(?P<shown>.*?)^```$)?",
    flags=re.DOTALL | re.MULTILINE,
)
OPTION = re.compile(r"^:[\w-]+:.*\n", flags=re.MULTILINE)  # of a cell, before its code


def programs(page: Path) -> list[tuple[int, str, str | None]]:
    """Line, code and expected output of each program of a page."""
    text, found = page.read_text(encoding="utf-8"), []
    for match in BLOCK.finditer(text):
        code, line = match["code"], text.count("\n", 0, match.start("code")) + 1
        if match["kind"] != "python":
            assert match["shown"] is None, f"{page.name}:{line}: a cell shows its own output"
            while option := OPTION.match(code):
                code, line = code[option.end() :], line + 1
        found.append((line, code, match["shown"]))
    return found


WITH_PROGRAMS = [page for page in PAGES if programs(page)]


@contextlib.contextmanager
def same_joint_kinds():
    before = dict(JOINT_KINDS)
    try:
        yield
    finally:
        JOINT_KINDS.clear()
        JOINT_KINDS.update(before)


@pytest.mark.parametrize("page", WITH_PROGRAMS, ids=lambda page: str(page.relative_to(ROOT)))
def test_programs_print_what_the_page_shows(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # what they write goes there
    monkeypatch.setenv("MPLBACKEND", "agg")
    names: dict[str, object] = {"__name__": "__main__"}
    with np.printoptions(), warnings.catch_warnings(), same_joint_kinds():  # whatever they set is undone
        for line, code, shown in programs(page):
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile("\n" * (line - 1) + code, str(page), "exec"), names)  # tracebacks show the page's lines
            assert shown is None or printed.getvalue() == shown


def test_no_program_hides_from_the_tests():
    """Blocks of code have one of the kinds that are run, or one that is no Python."""
    known = {"python", "{code-cell}", "text", "sh", "toml", "matlab", "{toctree}", "{eval-rst}", "{figure}"}
    for page in PAGES:
        opened = False
        for fence in re.findall(r"^\s*```+(.*)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE):
            kind = fence.split(" ")[0]
            assert (kind == "") == opened and (opened or kind in known), f"{page.name}: a block of kind {kind!r}"
            opened = not opened


def test_displayed_formulas_are_paragraphs_of_their_own():
    """Within a paragraph, $$ would turn all formulas behind it into text, and text into formulas."""
    for page in PAGES:
        text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        parts = text.split("$$")
        assert len(parts) % 2 == 1, page
        for before, formula in zip(parts[:-1:2], parts[1::2], strict=True):
            line = before.rstrip(" ").removesuffix("\n").rpartition("\n")[2]
            assert line == "" or line.startswith("#"), f"{page.name}: {formula[:60]!r} follows {line[-60:]!r}"


def test_every_program_of_the_readme_shows_its_output():
    shown = [text for _, _, text in programs(ROOT / "README.md")]
    assert shown and None not in shown


def test_pages_and_docstrings_use_sd_actions_and_sd_mode():
    former = re.compile(r"\bsd\.(lock|free|follow|attach|release|FREE|LOCKED|PRESCRIBED)\b")
    for path in (*PAGES, *(ROOT / "src").rglob("*.py"), *(ROOT / "src").rglob("*.toml")):
        assert not former.search(path.read_text(encoding="utf-8")), path


def test_pages_that_are_to_have_programs_have_them():
    assert {page.stem for page in WITH_PROGRAMS} >= {
        *("README", "index", "start", "notation", "accuracy", "1_tumbling_body", "6_batches", "laws_that_compile"),
        *("simulation", "freefloating", "coming_from_spacedyn", "look_at_a_run", "robots_from_files"),
        *("operators", "kane", "lagrangian", "spacedyn_procedure"),
        *("recursions", "articulated_bodies", "charts", "radau", "variational", "guards", "ledger"),
    }


def test_every_scenario_and_robot_has_a_picture_in_the_gallery():
    """docs/take_pictures.py takes those that are missing; pictures are small enough to be kept."""
    library, pictures = ROOT / "src" / "spacedyn" / "library", DOCS / "images" / "gallery"
    wanted = {path.stem for path in (library / "scenarios").glob("*.toml")}
    wanted |= {f"robot_{path.stem}" for path in library.glob("*.toml")}
    assert {path.stem for path in pictures.glob("*.png")} == wanted
    assert all(path.stat().st_size < 300_000 for path in (DOCS / "images").rglob("*.*"))
