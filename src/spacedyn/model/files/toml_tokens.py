"""Check from its tokens alone that a TOML text is small enough to parse.

`tomllib` takes time and memory that grow with the square of the parts of a dotted key, and a kilobyte for every key. So
keys, brackets and items are counted before it sees the text; strings and comments are passed over as a whole.
"""

import re

from ..file_limits import Limits, over

_TOKEN = re.compile(
    r'''
    (?P<string> """(?:[^"\\]++|\\.|"(?!""))*+(?:"{3,5}|\Z) | \'\'\'(?:[^']++|'(?!''))*+(?:'{3,5}|\Z)
              | "(?:[^"\\\n]++|\\.)*+"? | '[^'\n]*+'? )
  | (?P<items> (?:[-+\w]++(?:\.[-+\w]++)?+\s*+,\s*+)++ )
  | (?P<word> [^\s.,=\[\]{}\#"']++ ) | (?P<skip> [ \t\r]++ | \#[^\n]*+ )
  | (?P<open> [\[{] ) | (?P<close> [\]}] ) | (?P<mark> [.=,\n] )
    ''',
    re.VERBOSE | re.DOTALL,
)


def check_size(text: str, limits: Limits) -> None:
    """ValueError, with the line, for keys of too many parts, for deep nesting, and for too many keys or items.

    >>> check_size('title = "1.2.3.4.5"', Limits(key_parts=3))
    >>> check_size("a.b.c.d = 1", Limits(key_parts=3))
    Traceback (most recent call last):
    ...
    ValueError: it has more than the 3 parts of one key that are read; ... (at line 1, column 7)
    """
    parts = elements = items = 0  # parts: of the key that is being read
    brackets: list[str] = []
    value = False  # whether this is a value, not a key
    joined = False  # whether a point came last

    def refuse(name: str, what: str, place: int) -> None:
        line, column = 1 + text.count("\n", 0, place), place - text.rfind("\n", 0, place)
        raise ValueError(f"{over(name, what, getattr(limits, name))} (at line {line}, column {column})")

    for token in _TOKEN.finditer(text):
        kind, mark = token.lastgroup, token.group()
        if kind in ("string", "word"):
            parts = parts + 1 if joined else 1
            elements += not value
            joined = False
            if not value and parts > limits.key_parts:
                refuse("key_parts", "parts of one key", token.start())
        elif kind == "items":  # of a list, or the last of a pair in an inline table
            items += mark.count(",")
            value, joined = bool(brackets) and brackets[-1] == "[", False
        elif kind == "open":
            elements += 1
            if value:  # else it opens a header
                brackets.append(mark)
                value = mark == "["
            if len(brackets) > limits.depth:
                refuse("depth", "levels of lists and tables", token.start())
        elif kind == "close" and brackets:
            brackets.pop()
            value = True
        elif kind == "mark":
            joined = mark == "."
            items += mark == ","
            value = mark == "=" or (value and mark == ".") or (bool(brackets) and brackets[-1] == "[")
        if elements > limits.elements:
            refuse("elements", "keys and brackets", token.start())
        if items > limits.numbers:
            refuse("numbers", "items in lists", token.start())
