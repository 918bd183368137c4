"""Write a scenario as readable TOML: lists on one line, tables under headers."""

import json
import re
from collections.abc import Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def write_toml(content: Mapping[str, Any]) -> str:
    """The text of a TOML file.

    >>> print(write_toml({"a": 1, "laws": [{"law": "mine", "gain": [1.0, 2.0]}], "state": {"q": {"arm": 0.5}}}))
    a = 1
    <BLANKLINE>
    [[laws]]
    law = "mine"
    gain = [1.0, 2.0]
    <BLANKLINE>
    [state]
    q = { arm = 0.5 }
    <BLANKLINE>
    """
    lines = [f"{_key(key)} = {_value(value)}" for key, value in content.items() if not _headed(value)]
    for key, value in content.items():
        if _headed(value):
            for table in value if isinstance(value, list) else [value]:
                head = f"[[{_key(key)}]]" if isinstance(value, list) else f"[{_key(key)}]"
                lines += ["", head, *(f"{_key(name)} = {_value(item)}" for name, item in table.items())]
    return "\n".join(lines) + "\n"


def _headed(value: Any) -> bool:
    many = isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)
    return isinstance(value, Mapping) or many


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _text(value)
        case list():
            return f"[{', '.join(map(_value, value))}]"
        case Mapping():
            inside = ", ".join(f"{_key(key)} = {_value(item)}" for key, item in value.items())
            return f"{{ {inside} }}" if inside else "{}"
    return repr(value)
