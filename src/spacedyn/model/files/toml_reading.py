"""Read and parse a robot's TOML file within the size limits; errors say which limit was exceeded."""

import os
import stat
import tomllib
from pathlib import Path
from typing import Any

from ...errors import ModelError
from ..file_limits import limits, over
from .toml_tokens import check_size


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
