"""The README's programs run as they stand and print what it says they print."""

import contextlib
import io
import re
from pathlib import Path

import numpy as np
import pytest

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```\n\s*```text\n(.*?)```", README, flags=re.DOTALL)


def test_every_program_shows_its_output():
    assert len(PROGRAMS) == README.count("```python\n") >= 1


@pytest.mark.parametrize(("program", "shown"), PROGRAMS)
def test_program_prints_what_the_readme_shows(program, shown):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), np.printoptions():  # whatever the program sets is undone
        exec(compile(program, "README.md", "exec"), {"__name__": "__main__"})
    assert printed.getvalue() == shown
