"""Numbers and names that break programs which trust them."""

from random import Random

NUMBERS = (
    *("nan", "inf", "-inf", "NaN", "1e308", "-1e308", "1e400", "1e-308", "5e-324", "1e200", "1e99", "1e101", "1e16"),
    *("-0", "0", "-0.0", "1", "-1", "2", "3", "0.5", "1e-9", "1e-30", "10000", "65536", "2147483648", "4294967296"),
    *("9223372036854775808", "1" + "0" * 400, "9" * 5000, "", "0x10", "1_000", "٣", "1,5", "--1", "1e", "true"),
    *("1 2 3 4", "[]", "{}", '"1"', "2024-01-01", "1.", ".5", "+1"),
)

_NAMES = (
    *("", " ", "\t", "a\nb", "a\r\nb", "\x00", "\x1b[2J\x1b]0;x\x07", "\u202e", "\U0001f600", "é" * 300, "x" * 5000),
    *("..", ".", "/", "~/x", "../x", "/etc/passwd", "/dev/zero", "/dev/stdin", "C:\\x", "a/b", "a\\b", "-x", "--help"),
    *("a.b", "a'b", 'a"b', "a=b", "#", "<a>", "&amp;", "]]>", "%s%n", "{0}", "${HOME}", "$(env HOME)", "$(find x)"),
    *("__class__", "__init__", "self", "None", "nan", "1", "import os", 'x"); import os; os.abort(); ("'),
    *("base", "world", "inertial", "robot", "free", "fixed", "revolute", "root", "mass", "joint1", "hand", "t", "q"),
    *("package://a/b.stl", "model://a", "file:///etc/passwd", "http://localhost/x", "nul", "x.toml", "x.urdf", "x.xml"),
)


class Names:
    """Hostile names, among them the files of a folder that must not be read."""

    def __init__(self, bait: tuple[str, ...] = ()):
        self.all = (*_NAMES, *bait, *bait)

    def one(self, rng: Random) -> str:
        """Any of them, or two put together."""
        name = rng.choice(self.all)
        return name if rng.random() < 0.9 else name + rng.choice(self.all)
