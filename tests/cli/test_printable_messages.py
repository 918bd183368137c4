"""Names from files reach a terminal as plain letters: no escape sequence, line break or mark that turns text around."""

import warnings

import pytest

import spacedyn as sd
from spacedyn.errors import ScenarioError, UnknownName, nearest, printable, warn_user

NASTY = "a\x1b[31m\x9b31m\r\nb\u202ec\u2028\x07\udcff\x00"
BASE = "[base]\nmass = 1\ninertia = [1, 1.1, 1.2]\n"


def plain(text: str) -> bool:
    return all(line.isprintable() for line in text.split("\n"))


def test_printable():
    assert printable("λ — elbow") == "λ — elbow"
    assert printable(NASTY).isprintable() and "\\x1b[31m" in printable(NASTY)
    long = printable("x" * 10_000 + "; give another.")
    assert len(long) <= 500 and long.endswith("; give another.")


@pytest.mark.parametrize(
    "text",
    [
        '"a\\u001b[31mb" = 1\n' + BASE,
        BASE + '[bodies."a\\u001b[31m\\nb"]\nmass = "x"\n',
        BASE + '[joints."a\\u001b[31m\\nb"]\nkind = "\\u001b[2J"\nparent = "\\u001b[2J"\nchild = "\\u202e"\n',
        BASE + "name = '\x1b[31m'\n",
        'name = "\\u001b[2J"\n' + BASE,
    ],
)
def test_errors_of_toml_are_plain(text):
    with pytest.raises(sd.ModelError) as caught:
        sd.Model.from_toml(text)
    assert plain(str(caught.value)) and all(problem.isprintable() for problem in caught.value.problems)


@pytest.mark.parametrize(
    "text",
    [
        "<robot name='r'><link name='a&#x9b;31m&#x202e;'/><link name='a&#x9b;31m&#x202e;'/></robot>",
        "<robot name='r'><link name='a'/><joint name='j&#10;&#x202e;' type='&#x9b;'><parent link='&#x202e;'/></joint>"
        "</robot>",
        "<robot name='r'><link name='a'><visual><geometry><mesh filename='/&#x202e;&#10;.stl'/></geometry></visual>"
        "</link></robot>",
        "<\u202ea/>",
        "<a\u202eb/>",
    ],
)
def test_errors_of_urdf_are_plain(text):
    with pytest.raises(sd.ModelError) as caught:
        sd.Model.from_urdf(text)
    assert plain(str(caught.value))


def test_errors_of_mjcf_are_plain():
    for text in (
        "<mujoco><worldbody><body name='&#x202e;&#10;a'><joint axis='0 0 0'/></body></worldbody></mujoco>",
        "<mujoco><worldbody><body name='&#x202e;a'><joint/><geom size='1'/></body></worldbody></mujoco>",
    ):
        with pytest.raises(sd.ModelError) as caught:
            sd.Model.from_mjcf(text)
        assert plain(str(caught.value))


def test_names_of_files_are_plain(tmp_path):
    for name in (f"{tmp_path}/a\x1b[31m\nb.toml", "a\x1b[31m.urdf", "\x1b[2J\n.xml", "\x1b]0;title\x07"):
        with pytest.raises(sd.SpacedynError) as caught:
            sd.load(name)
        text = str(caught.value)
        assert "\x1b" not in text and "\x07" not in text


def test_every_error_and_warning_is_plain():
    for error in (
        sd.InputError(f"{NASTY}: wrong"),
        ScenarioError(NASTY, [NASTY]),
        sd.ModelError(NASTY, [NASTY]),
        UnknownName("joint", NASTY, [NASTY, "b"]),
    ):
        assert plain(str(error)), error
    assert nearest("b", [NASTY]).isprintable()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        warn_user(NASTY, sd.ModelWarning)
    assert plain(str(seen[0].message))
