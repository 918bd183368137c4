"""Line numbers of the keys in a TOML file, which `tomllib` does not give.

The text must be valid TOML, as `tomllib` has checked before; so this scanner follows its structure and skips values.
"""

import re

Path = tuple[str | int, ...]
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SPACE = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_PLAIN = re.compile(r"[^,\]}#\n]*")
_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}


def locate(text: str) -> dict[Path, int]:
    r"""The line of each key, table and item of a list, by its path; lines are counted from 1.

    >>> lines = locate('a = 1\n[b]\nc = [\n{ d = 2 }]\n[[e]]\nf = 3')
    >>> lines[("b", "c", 0, "d")], lines[("e", 0, "f")]
    (4, 6)
    """
    return _Scanner(text).scan()


class _Scanner:
    def __init__(self, text: str):
        self.text, self.at = text.replace("\r\n", "\n"), 0
        self.found: dict[Path, int] = {}
        self.counts: dict[Path, int] = {}  # number of tables so far, for each array of tables
        self._counted, self._line = 0, 1

    def line(self) -> int:
        """Line number of the present place; places only grow."""
        self._line += self.text.count("\n", self._counted, self.at)
        self._counted = self.at
        return self._line

    def scan(self) -> dict[Path, int]:
        prefix: Path = ()
        while self.skip() < len(self.text):
            if self.text.startswith("[[", self.at):
                prefix = self.header(2)
            elif self.text[self.at] == "[":
                prefix = self.header(1)
            else:
                self.pair(prefix)
        return self.found

    def skip(self) -> int:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return self.at

    def header(self, brackets: int) -> Path:
        line = self.line()
        self.at += brackets
        keys = self.keys()
        self.at = self.text.index("]" * brackets, self.at) + brackets
        prefix: Path = ()
        for i, key in enumerate(keys):
            prefix = (*prefix, key)
            self.found.setdefault(prefix, line)
            last = i == len(keys) - 1
            if last and brackets == 2:
                self.counts[prefix] = self.counts.get(prefix, -1) + 1
            if prefix in self.counts:
                prefix = (*prefix, self.counts[prefix])
                self.found.setdefault(prefix, line)
        self.found[prefix] = line
        return prefix

    def pair(self, prefix: Path) -> None:
        line, keys = self.line(), self.keys()
        for key in keys:
            prefix = (*prefix, key)
            self.found.setdefault(prefix, line)
        self.at = self.text.index("=", self.at) + 1
        self.value(prefix)

    def keys(self) -> list[str]:
        names = []
        while True:
            self.skip()
            names.append(self.key())
            self.skip()
            if self.at >= len(self.text) or self.text[self.at] != ".":
                return names
            self.at += 1

    def key(self) -> str:
        if self.text[self.at] in "\"'":
            return self.string()
        match = _BARE.match(self.text, self.at)
        assert match is not None  # it is TOML
        self.at = match.end()
        return match.group()

    def value(self, path: Path) -> None:
        self.skip()
        start = self.text[self.at]
        if start in "\"'":
            self.string()
        elif start == "[":
            self.inside(path, "]")
        elif start == "{":
            self.inside(path, "}")
        else:
            match = _PLAIN.match(self.text, self.at)
            self.at = match.end() if match else self.at + 1

    def inside(self, path: Path, end: str) -> None:
        """The items of a list, or the pairs of an inline table."""
        self.at += 1
        count = 0
        while True:
            self.skip()
            if self.text[self.at] == end:
                self.at += 1
                return
            if self.text[self.at] == ",":
                self.at += 1
            elif end == "]":
                self.found[*path, count] = self.line()
                self.value((*path, count))
                count += 1
            else:
                self.pair(path)

    def string(self) -> str:
        """Scan a string with any kind of quotes; return its content."""
        quote = self.text[self.at]
        for mark in (quote * 3, quote):
            if self.text.startswith(mark, self.at):
                break
        self.at += len(mark)
        parts = []
        while not self.text.startswith(mark, self.at):
            if quote == '"' and self.text[self.at] == "\\":
                self.at += 1
                letter = self.text[self.at]
                if letter in "uU":
                    digits = 4 if letter == "u" else 8
                    parts.append(chr(int(self.text[self.at + 1 : self.at + 1 + digits], 16)))
                    self.at += digits
                else:
                    parts.append(_ESCAPES.get(letter, ""))
            else:
                parts.append(self.text[self.at])
            self.at += 1
        self.at += len(mark)
        while len(mark) == 3 and self.text.startswith(quote, self.at):  # quotes right before the end belong to it
            self.at += 1
        return "".join(parts)
