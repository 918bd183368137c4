"""Read and parse a robot's TOML file within the size limits; errors say which limit was exceeded."""

import os
import re
import stat
import tomllib
from pathlib import Path
from typing import Any

from ...errors import ModelError
from ..file_limits import limits, over
from .toml_tokens import check_size

_SHOWN = 80  # characters of a line with a fault


def file_bytes(name: str) -> bytes:
    """The bytes of a file; ModelError if it does not exist, is no file, is too large or cannot be read."""
    most = limits().file_bytes
    try:
        about = os.stat(name)
        if not stat.S_ISREG(about.st_mode):  # a folder, or a device that never ends
            fault = f"{name} is not a file: give the path of a robot's description."
        elif about.st_size > most:
            too_large = over("file_bytes", "bytes", most, about.st_size)
            fault = f"{name} is a file of {about.st_size / 1e6:.0f} MB: {too_large}."
        else:
            return Path(name).read_bytes()
    except FileNotFoundError:
        fault = f"there is no file {name}: check the path; the current folder is {Path.cwd()}."
    except (OSError, ValueError) as error:
        fault = f"{name!r} cannot be read: {getattr(error, 'strerror', None) or error}."
    raise ModelError(name, [fault])


def parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML with `tomllib`; ValueError if it is not TOML, or would take much time or memory.

    >>> parse_toml("a.b = 1")
    {'a': {'b': 1}}
    """
    check_size(text, limits())
    return tomllib.loads(text)


def toml_fault(text: str, error: Exception) -> str:
    """What `parse_toml` found wrong, and where: line and column, and what stands there.

    >>> toml_fault("b = ]", ValueError("Invalid value (at line 1, column 5)"))
    "line 1, column 5: Invalid value: 'b = ]'"
    """
    found = re.fullmatch(r"(.*?)\s*\(at (?:line (\d+), column (\d+)|end of document)\)", str(error), re.DOTALL)
    lines = text.splitlines() or [""]
    fault, line, column = found.groups() if found else (str(error), None, None)
    where = f"line {line}, column {column}" if line else f"line {len(lines)}, at the end"
    content = lines[min(int(line or len(lines)), len(lines)) - 1].strip()
    shown = content if len(content) <= _SHOWN else content[: _SHOWN - 1] + "…"
    return f"{where}: {fault}: {shown!r}"
