"""The page for people who come from SpaceDyn: its programs run and print what it shows, its names exist, and the port
of the toolbox's sample gives the original's numbers."""

import contextlib
import io
import re
import runpy
import warnings

import numpy as np
import pytest

import spacedyn as sd
import spacedyn.classic as sc
from classic_cases import RATES, close, golden
from paths import ROOT

PAGE = (ROOT / "docs/coming_from_spacedyn.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```\n\s*```text\n(.*?)```", PAGE, flags=re.DOTALL)
EXAMPLE = ROOT / "examples/spacedyn_sample.py"


@pytest.fixture(scope="module")
def sample():
    """The example's variables and what it printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        variables = runpy.run_path(str(EXAMPLE))
    return variables, printed.getvalue()


def test_the_port_of_the_sample_gives_the_originals_numbers(sample):
    """Release 2.1 to rounding; release 1.2 as near as its method of the second order comes."""
    history, wanted = sample[0]["history"], golden("example_sample_v1r2")
    assert len(history) == 2002
    for release, bound in (("v2r1", 1e-12), ("v1r2", 1e-7)):
        assert len(wanted[release]) == 42
        for row in wanted[release]:
            for name, value in zip(RATES, history[round(row["t"] / 0.01)], strict=True):
                close(value, row[name], bound)


def test_the_robot_of_the_sample_is_the_librarys(sample):
    LP, other = sample[0]["LP"], sc.LinkParameters.from_model(sd.load("two_arm_sample"))
    for name in ("BB", "SS", "S0", "SE", "c0", "cc", "ce", "Qi", "Qe", "m", "inertia"):
        close(getattr(LP, name), getattr(other, name), 1e-15)


def test_the_page_shows_the_example_as_it_is(sample):
    program, shown = PROGRAMS[1]
    assert program == EXAMPLE.read_text(encoding="utf-8").partition('"""\n\n')[2]
    assert sample[1] == shown


@pytest.mark.parametrize("number", [0, 2, 3])
def test_the_other_programs_print_what_the_page_shows(sample, number):
    """They may use what the sample has left."""
    program, shown = PROGRAMS[number]
    sc.set_globals(sample[0]["LP"], Gravity=[0, 0, 0], d_time=0.01)
    printed = io.StringIO()
    names = {"__name__": "__main__"} | {name: sample[0][name] for name in ("LP", "desired_q", "history", "np")}
    with contextlib.redirect_stdout(printed), np.printoptions():
        exec(compile(program, "coming_from_spacedyn.md", "exec"), names)
    assert printed.getvalue() == shown


def test_every_program_is_run():
    assert len(PROGRAMS) == PAGE.count("```python\n") == 4


def test_every_classic_name_is_in_the_table_and_every_modern_name_exists():
    table = PAGE.partition("## Names")[2]
    for name in sc.__all__:
        assert re.search(rf"`{name}[(`]", table), name
    modern = set(re.findall(r"\bsd\.(\w+)", table))
    assert len(modern) > 20
    for name in modern:
        assert name in sd.__all__, name
    for name in re.findall(r"`model\.(\w+)", table):
        assert hasattr(sd.Model, name), name


def test_calls_in_the_table_have_the_arguments_that_the_functions_take():
    """Counted wrongly, a function says which arguments it takes, and those are the table's."""
    table = PAGE.partition("## Names")[2].partition("The C++ library")[0]
    calls = re.findall(r"`(\w+)\(((?!LP)\w+(?:, \w+)*)\)`", table)
    two_styles = {name: names for name, names in calls if f"`{name}(LP, SV" in table}
    assert len(two_styles) > 15
    for name, names in two_styles.items():
        with pytest.raises(sd.InputError) as caught:
            getattr(sc, name)()
        assert f"call {name}({names}) or {name}(LP, SV" in str(caught.value)
