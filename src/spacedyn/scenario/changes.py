"""Change items of a scenario by key, `laws.0.bandwidth=2`, and convert Python data to TOML's types."""

import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..errors import InputError, nearest
from ..model.tree_text import count
from .line_numbers import Path

_NAMES = ("name", "law", "kind", "when")
"""What an item of a list may be called by."""


def settings(change: Mapping[str, Any] | Iterable[str]) -> list[tuple[list[str], Any]]:
    """Keys and values, from a table or from texts 'key=value'.

    >>> settings(["laws.0.kp=2.5", "robot=ets7", "state.q=[0, 1]"])
    [(['laws', '0', 'kp'], 2.5), (['robot'], 'ets7'), (['state', 'q'], [0, 1])]
    """
    if isinstance(change, str):
        change = [change]
    if isinstance(change, Mapping):
        return [(parts_of(key), plain(value)) for key, value in change.items()]
    found = []
    for text in change:
        key, equals, value = text.partition("=")
        keys = parts_of(key)
        if not equals or not all(keys):
            raise InputError(f"a change is written key=value, such as duration=20 or laws.0.bandwidth=2, got {text!r}")
        found.append((keys, value_of(value.strip())))
    return found


def parts_of(key: str) -> list[str]:
    """A key's path: as TOML has it, so that a name with dots may stand in quotes.

    >>> parts_of("laws.0.kp"), parts_of('state.q."joint_0.1"'), parts_of("state.q.left/elbow")
    (['laws', '0', 'kp'], ['state', 'q', 'joint_0.1'], ['state', 'q', 'left/elbow'])
    """
    found: list[str] = []
    try:
        data: Any = tomllib.loads(f"{key} = 0")
    except (ValueError, RecursionError):
        data = None
    while isinstance(data, dict) and len(data) == 1:
        name, data = next(iter(data.items()))
        found.append(name)
    return found or [part.strip() for part in key.split(".")]


def value_of(text: str) -> Any:
    """Parse a value as TOML; unquoted text is a string.

    >>> value_of("[1, 2.5]"), value_of("true"), value_of("my arm.urdf")
    ([1, 2.5], True, 'my arm.urdf')
    """
    try:
        data = tomllib.loads(f"x = {text}")
        return data["x"] if list(data) == ["x"] else text
    except (ValueError, RecursionError):
        return text


def changed(data: dict[str, Any], keys: list[str], value: Any) -> Path:
    """Change an item of nested tables and lists, which are made if need be; the path to it."""
    place: Any = data
    path: Path = ()
    for i, key in enumerate(keys):
        at = _item(place, key, keys[:i])
        path = (*path, at)
        if i == len(keys) - 1:
            place[at] = value
        elif isinstance(at, int):
            place = place[at]
        else:
            place = place.setdefault(at, {})
    return path


def _item(place: Any, key: str, before: list[str]) -> str | int:
    where = ".".join(before)
    if isinstance(place, dict):
        return key
    if not isinstance(place, list):
        raise InputError(f"--set {where}.{key}: {where} is {place!r}, which has no parts")
    if key.isdigit():
        if int(key) >= len(place):
            raise InputError(f"--set {where}.{key}: there are {len(place)} {where}, counted from 0")
        return int(key)
    named = [{item[k] for k in _NAMES if k in item} if isinstance(item, dict) else set() for item in place]
    for i, names in enumerate(named):
        if key in names:
            return i
    known = sorted({str(name) for names in named for name in names})
    if not known:
        raise InputError(
            f"--set {where}.{key}: {where} has {count(len(place), 'item')} without names, counted from 0; or give "
            f"{where} as a whole"
        )
    raise InputError(f"--set {where}.{key}: there is no {key!r} among {where}; {nearest(key, known)}")


def plain(value: Any) -> Any:
    """Python data in TOML's types: lists for tuples and arrays, no None."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items() if item is not None}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value
