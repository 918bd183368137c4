"""The bytes of a robot's file: a real file, of a size that a robot can have, or a ModelError that says why not."""

import os
import re
import stat
import tomllib
from pathlib import Path
from typing import Any

from ..errors import ModelError

MOST_BYTES = 32_000_000
_DOTTED = re.compile(r"[\w\"'-]+(?:\.[\w\"'-]+)*")
_MOST_DOTS = 60


def file_bytes(name: str) -> bytes:
    """All of a file; ModelError if it is not there, is no file, is too large or cannot be read."""
    try:
        about = os.stat(name)
        if not stat.S_ISREG(about.st_mode):  # a folder, or a device that never ends
            fault = f"{name} is not a file: give the path of a robot's description."
        elif about.st_size > MOST_BYTES:
            fault = f"{name} has {about.st_size / 1e6:.0f} MB, more than the {MOST_BYTES / 1e6:.0f} MB that are read."
        else:
            return Path(name).read_bytes()
    except FileNotFoundError:
        fault = f"there is no file {name}: check the path; the current folder is {Path.cwd()}."
    except (OSError, ValueError) as error:
        fault = f"{name!r} cannot be read: {getattr(error, 'strerror', None) or error}."
    raise ModelError(name, [fault])


def parse_toml(text: str) -> dict[str, Any]:
    """What `tomllib` makes of a text; ValueError for a key of so many parts that it would take all memory.

    >>> parse_toml("a.b = 1")
    {'a': {'b': 1}}
    """
    for found in _DOTTED.finditer(text.translate({32: None, 9: None})):
        if found.group().count(".") > _MOST_DOTS:
            line = 1 + text.count("\n", 0, text.find(found.group()[:60]))
            raise ValueError(f"a key has more than {_MOST_DOTS} parts (at line {line}, column 1)")
    return tomllib.loads(text)
