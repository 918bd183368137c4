"""Programs in the theory pages run as they stand, one after the other, and print what the page says they print."""

import contextlib
import io
import re
from pathlib import Path

import numpy as np
import pytest

PAGES = sorted((Path(__file__).parents[1] / "docs" / "theory").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_programs_print_what_the_page_shows(page):
    text = page.read_text(encoding="utf-8")
    programs = re.findall(r"```python\n(.*?)```\n(?:\s*```text\n(.*?)```)?", text, flags=re.DOTALL)
    assert len(programs) == text.count("```python\n")
    names = {"__name__": "__main__"}
    for program, shown in programs:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), np.printoptions():
            exec(compile(program, page.name, "exec"), names)
        assert printed.getvalue() == shown


def test_pages_with_programs_are_here():
    assert {"operators", "kane", "lagrangian", "spacedyn_procedure"} <= {page.stem for page in PAGES}
