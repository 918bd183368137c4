"""Find all errors in a scenario, each with its path in the file."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from ..errors import nearest
from ..model.values import shown
from .line_numbers import Path
from .schema import ActionTable, Content, ElementTable, EventTable, FilmTable, LawTable, MethodTable, PlotTable, Start

_PATH = re.compile(r"\.(toml|urdf|xacro|xml)$", re.IGNORECASE)


def checked(content: Mapping[str, Any]) -> tuple[dict[str, Any], list[tuple[Path, str]]]:
    """The content if it is valid, else {}; and all faults with their paths."""
    try:
        Content.model_validate(content)
    except ValidationError as error:
        faults = [_fault(content, one["type"], tuple(one["loc"])) for one in error.errors(include_url=False)]
        return {}, list(dict.fromkeys(faults))
    return dict(content), []


def sound(content: Any, faults: Sequence[tuple[Path, str]]) -> dict[str, Any]:
    """The scenario without faulty keys, completed by a robot and a duration, so that the rest can be checked."""
    bad = {path[0] for path, _ in faults if path}
    left = {key: value for key, value in content.items() if key not in bad}
    for key in bad & {"prescribed", "modes"}:  # tables of joints: drop only the faulty ones
        if isinstance(content.get(key), Mapping):
            wrong = {path[1] for path, _ in faults if len(path) > 1 and path[0] == key}
            left[key] = {joint: value for joint, value in content[key].items() if joint not in wrong}
    return {"robot": "none", "duration": 1.0} | left


def in_toml(text: str) -> str:
    """A message of the package with Python values rewritten as TOML.

    >>> in_toml("give a state that agrees, or adjust=True"), in_toml("give it as brake(strength=...)")
    ('give a state that agrees, or adjust = true', 'give it: strength = ...')
    """
    text = re.sub(r"give it as \w+\((\w+)=\.\.\.\)", r"give it: \1 = ...", text)
    text = re.sub(r"such as \w+\((\w+)='\.\.\.'\)", r"such as \1 = '...'", text)
    text = re.sub(
        r"; pick one of the batch of (\d+)",
        r", and [state] is a batch of \1; give one state, or a law of your own with its file",
        text,
    )
    text = text.replace("state = sd.assemble(model, state, elements)", "assemble = true in [state]")
    return re.sub(r"\b(\w+)=(True|False)\b", lambda found: f"{found[1]} = {found[2].lower()}", text)


def _fault(content: Mapping[str, Any], kind: str, loc: Path) -> tuple[Path, str]:
    path = _within(content, loc)
    owner, field = _table_of(loc)
    where = label(path[:-1]) if kind in ("missing", "extra_forbidden") else ""
    if kind == "extra_forbidden":
        known = list(owner.model_fields) if owner else []
        return path, f"{where}there is no key {str(loc[-1])!r}; {nearest(str(loc[-1]), known, most=len(known))}"
    if kind == "missing":
        return tuple(loc), f"{label(tuple(loc[:-1]))}{loc[-1]} is missing; {_wanted(owner, field)}"
    value: Any = content
    for part in path:
        value = value[part]
    return path, f"{spoken(path)} is {sort_of(value)} ({shown(value)}); {_wanted(owner, field)}"


def _within(content: Any, loc: Path) -> Path:
    """The part of a location that exists in the content."""
    path: Path = ()
    for part in loc:
        try:
            content = content[part]
        except (KeyError, IndexError, TypeError):
            break
        path = (*path, part)
    return path


def _table_of(loc: Path) -> tuple[type[BaseModel] | None, str]:
    """The schema's table that a location is in, and the field of it."""
    owner: type[BaseModel] | None = Content
    name = ""
    inner: dict[str, type[BaseModel]] = {
        "state": Start, "method": MethodTable, "laws": LawTable, "forces": ElementTable, "elements": ElementTable,
        "events": EventTable,
        "plots": PlotTable, "film": FilmTable, "action": ActionTable,
    }  # fmt: skip
    for i, part in enumerate(loc):
        if isinstance(part, int) or owner is None:
            continue
        name = part
        deeper = [p for p in loc[i + 1 :] if isinstance(p, str)]
        if deeper and part in inner and part in owner.model_fields:
            owner = inner[part]
        elif deeper and part in owner.model_fields:
            break  # a table of joints is described by the field above it
    return owner, name


def _wanted(owner: type[BaseModel] | None, name: str) -> str:
    field = owner.model_fields.get(name) if owner else None
    return (field.description if field else None) or "see the documentation of scenarios"


def sort_of(value: Any) -> str:
    """TOML's word for the type of a value.

    >>> sort_of(True), sort_of([1]), sort_of("a")
    ('true or false', 'a list', 'text')
    """
    sorts = {bool: "true or false", str: "text", dict: "a table", list: "a list", int: "a number", float: "a number"}
    return sorts.get(type(value), "a date or time")


def spoken(path: Sequence[str | int]) -> str:
    """A path as `--set` takes it, lists counted from 0.

    >>> spoken(("laws", 0, "kp"))
    'laws.0.kp'
    """
    return ".".join(map(str, path))


def label(path: Sequence[str | int]) -> str:
    """The beginning of a sentence about a table; empty for the top level."""
    return f"{spoken(path)}: " if path else ""


def check_names(
    path: Path, what: str, given: Mapping[str, Any], known: Sequence[str], required: Sequence[str]
) -> list[tuple[Path, str]]:
    """Problems of parameters: unknown names and missing ones."""
    faults = [
        ((*path, key), f"{label(path)}{what} has no {key!r}; {nearest(key, known, most=len(known))}")
        for key in given
        if key not in known
    ]
    return faults + [
        (path, f"{label(path)}{what} needs {key!r}; there are: {', '.join(known)}")
        for key in required
        if key not in given
    ]


def parameters_of(function: Callable[..., Any], given: Sequence[str] = ()) -> tuple[list[str], list[str]]:
    """Names of a function's parameters except those in `given`, and the names of required ones."""
    all_of = [p for p in inspect.signature(function).parameters.values() if p.name not in given]
    return [p.name for p in all_of], [p.name for p in all_of if p.default is p.empty]


def is_path(name: str) -> bool:
    """Whether the name of a robot is that of a file.

    >>> is_path("ets7"), is_path("arm.urdf")
    (False, True)
    """
    return bool(_PATH.search(name)) or "/" in name or "\\" in name
