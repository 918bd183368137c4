"""Read and parse a scenario: a file, a bundled one by its name, or its text."""

import os
import re
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path as FilePath
from typing import Any

from ..errors import ModelError, ScenarioError, UnknownName
from ..model.files.load import available, load
from ..model.files.toml_reading import file_bytes, parse_toml, toml_fault
from ..model.model import Model
from .line_numbers import Path, locate

MAX_BYTES = 4_000_000
_TEXT, _DEEPEST = "the text", 20


def scenarios() -> tuple[str, ...]:
    """Names of the bundled scenarios, in alphabetical order.

    Examples
    --------
    >>> "ets7_reach" in scenarios()
    True
    """
    stored = files("spacedyn").joinpath("library", "scenarios").iterdir()
    return tuple(sorted(FilePath(item.name).stem for item in stored if item.name.endswith(".toml")))


def is_scenario(path: str | os.PathLike[str]) -> bool:
    """Whether a TOML file is one of a scenario rather than of a robot, by its keys; a damaged one, by its words."""
    try:
        text = file_bytes(os.fspath(path)).decode("utf-8-sig", errors="replace")
    except ModelError:
        return True  # the scenario's reader says what is wrong
    try:
        return not _is_robot(parse_toml(text[:MAX_BYTES]))
    except (ValueError, RecursionError):
        return re.search(r"^\s*(robot|duration)\s*=", text, re.MULTILINE) is not None


def _is_robot(data: dict[str, Any]) -> bool:
    return bool({"base", "bodies", "joints"} & set(data)) and "duration" not in data


def _depth(data: Any) -> int:
    """How deep tables and lists are nested, without recursion; counting ends where it is too deep in any case."""
    level, depth = [data], 0
    while level and depth <= _DEEPEST:
        depth += 1
        level = [
            item
            for one in level
            for item in (one.values() if isinstance(one, dict) else one)
            if isinstance(item, dict | list)
        ]
    return depth


def load_robot(path: str, allowed: Sequence[FilePath] = ()) -> Model:
    """Load a robot from a file that the user named, anywhere; its meshes may be beside it, or in `allowed`."""
    try:
        return load(path) if path.lower().endswith(".toml") else load(path, folders=allowed)
    except ModelError as error:
        raise ScenarioError(f"with --set robot={path}", error.problems) from None


def read_text(path_or_text: str | os.PathLike[str]) -> tuple[str, str, FilePath | None]:
    """The text, the name of its source for messages, and its folder."""
    given = os.fspath(path_or_text)
    if isinstance(path_or_text, str) and ("\n" in given or ("=" in given and not given.endswith(".toml"))):
        if len(given) > MAX_BYTES:
            raise ScenarioError(_TEXT, [f"it has more than the {MAX_BYTES / 1e6:g} MB that are read"])
        return given, _TEXT, None
    path = FilePath(given)
    if path.suffix != ".toml":
        if not given.strip():
            raise ScenarioError("without a name", ["give a .toml file, or the name of a bundled scenario"])
        if given not in scenarios():
            if path.exists():
                if path.suffix == ".nc":
                    raise ScenarioError(given, [f"{given} is a saved run; see it by: spacedyn view {given}"])
                raise ScenarioError(given, [f"{given} is no scenario; the name of a scenario's file ends in .toml"])
            if path.with_name(f"{path.name}.toml").is_file():
                raise ScenarioError(given, [f"no bundled scenario has this name; give the file's: {given}.toml"])
            if given in available():
                raise ScenarioError(
                    given,
                    [
                        f'it is a robot, which scenarios name: robot = "{given}"; spacedyn view {given} shows it, '
                        f"spacedyn new my_study --robot {given} starts a scenario"
                    ],
                )
            raise UnknownName("bundled scenario", given, scenarios())
        stored = files("spacedyn").joinpath("library", "scenarios", f"{given}.toml")
        return stored.read_text(encoding="utf-8"), f"{given}.toml", FilePath(str(stored)).parent
    try:
        content = file_bytes(given)
        if len(content) > MAX_BYTES:
            raise ScenarioError(
                given, [f"it has {len(content) / 1e6:.0f} MB, more than the {MAX_BYTES / 1e6:g} MB read"]
            )
        return content.decode("utf-8-sig"), given, path.absolute().parent
    except ModelError as error:
        text = error.problems[0].replace("a robot's description", "a scenario's file")
        if path.stem in scenarios() and not path.exists():
            text += f" The bundled scenario is {path.stem}, without .toml."
        raise ScenarioError(given, [text]) from None
    except UnicodeDecodeError as error:
        raise ScenarioError(given, [f"it is not text in UTF-8 (byte {error.start}): save it as UTF-8"]) from None


def parse(text: str, source: str) -> tuple[dict[str, Any], dict[Path, int | str]]:
    """Parse TOML; return the data, and the line of every item."""
    try:
        data = parse_toml(text)
        if _depth(data) > _DEEPEST:
            raise ScenarioError(source, [f"its tables are more than {_DEEPEST} deep; a scenario needs five"])
        if _is_robot(data) and "robot" not in data:
            raise ScenarioError(
                source, ['it describes a robot; a scenario has a duration, and names the robot: robot = "arm.toml"']
            )
        return data, {**locate(text)}
    except ScenarioError:
        raise
    except (ValueError, RecursionError) as error:  # a number of too many digits is a ValueError
        fault = toml_fault(text, error)
    raise ScenarioError(source, [fault])
