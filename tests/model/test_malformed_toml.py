"""Files of robots that are no good: each is refused with words a person can act on, soon, and with nothing else."""

import pytest

import spacedyn as sd

BASE = "[base]\nmass = 1\ninertia = [1, 1.1, 1.2]\n"
ARM = "[bodies.arm]\nmass = 1\ninertia = [1, 1.1, 1.2]\n"
JOINT = '[joints.j]\nkind = "revolute"\nparent = "base"\nchild = "arm"\n'
MALFORMED = {
    "empty": ("", "no table .base."),
    "truncated": (BASE + "[joints.j", "line 4"),
    "truncated in a value": ("[base]\nmass = [1, 2", "line 2"),
    "XML": ("<robot name='r'/>", "line 1"),
    "a key twice": (BASE + "mass = 2\n", "line 4|overwrite"),
    "a table twice": (BASE + "[base]\n", "line 4"),
    "nested deep": ("x = " + "[" * 100_000 + "]" * 100_000, "line 1"),
    "a key of many parts": (BASE + "x" + ".x" * 100_000 + " = 1", "line 4"),
    "a number of many digits": ("[base]\nmass = " + "9" * 5000, "digits|line 2"),
    "a number too large": ("[base]\nmass = 1e300\ninertia = [1, 1, 1]\n", "too large"),
    "not a number": ("[base]\nmass = nan\ninertia = [1, 1, 1]\n", "NaN"),
    "text for a number": ('[base]\nmass = "1 kg"\ninertia = [1, 1, 1]\n', "mass is text"),
    "a date for a number": ("[base]\nmass = 2024-01-01\ninertia = [1, 1, 1]\n", "a date or time"),
    "a table for a number": ("[base]\ninertia = [1, 1, 1]\n[base.mass]\nx = 1\n", "mass is a table"),
    "base is a number": ("base = 3\n", "not a table"),
    "joints are a list": (BASE + "[[joints]]\nkind = 'fixed'\n", "own table"),
    "a ring": (
        BASE
        + ARM
        + ARM.replace("arm", "b")
        + JOINT.replace('"base"', '"b"')
        + JOINT.replace("j]", "k]").replace('"arm"', '"b"').replace('"base"', '"arm"'),
        "a ring",
    ),
    "a body on itself": (BASE + ARM + JOINT.replace('"base"', '"arm"'), "to itself"),
    "a body on nothing": (BASE + ARM, "no joint moves it"),
    "a parent that is not there": (BASE + ARM + JOINT.replace('"base"', '"bse"'), "did you mean 'base'"),
    "a key that is not there": (BASE + "colour = 1\n", "no key 'colour'"),
    "an inertia of odd shape": ("[base]\nmass = 1\ninertia = [[1, 2], [3]]\n", "inertia"),
    "a mesh above": (BASE + 'visuals = [{ mesh = "../../x.stl" }]\n', "outside the folder"),
    "a mesh elsewhere": (BASE + 'visuals = [{ mesh = "/etc/passwd" }]\n', "outside the folder"),
    "a name that is a number": ("name = 3\n" + BASE, "name is 3"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_file_is_refused_with_words(tmp_path, case):
    text, words = MALFORMED[case]
    file = tmp_path / "robot.toml"
    file.write_text(text)
    with pytest.raises(sd.ModelError, match=words):
        sd.load(file)


def test_bytes_that_are_no_text(tmp_path):
    file = tmp_path / "robot.toml"
    file.write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(sd.ModelError, match="not text in UTF-8"):
        sd.load(file)


def test_what_never_ends_is_not_read(tmp_path):
    (tmp_path / "robot.toml").symlink_to("/dev/zero")
    with pytest.raises(sd.ModelError, match="not a file"):
        sd.load(tmp_path / "robot.toml")
    with (tmp_path / "huge.toml").open("wb") as handle:
        handle.truncate(200_000_000)
    with pytest.raises(sd.ModelError, match="200 MB"):
        sd.load(tmp_path / "huge.toml")
