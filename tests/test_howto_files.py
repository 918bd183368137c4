"""The programs of the how-to page on files run as they stand and print what it shows."""

import contextlib
import io
import re
from pathlib import Path

import numpy as np

PAGE = Path(__file__).parents[1] / "docs" / "howto" / "robots_from_files.md"


def test_programs_print_what_the_page_shows(tmp_path, monkeypatch):
    text = PAGE.read_text(encoding="utf-8")
    programs = re.findall(r"```python\n(.*?)```\n\s*```text\n(.*?)```", text, flags=re.DOTALL)
    assert len(programs) == text.count("```python\n") >= 6
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "__main__"}
    for program, shown in programs:  # one after the other, as a person would
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), np.printoptions():
            exec(compile(program, PAGE.name, "exec"), names)
        assert printed.getvalue() == shown
