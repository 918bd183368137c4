"""Limits on the size of robot files; the user raises them by the environment variable SPACEDYN_LIMITS.

    SPACEDYN_LIMITS="bodies=50000, file_bytes=1e8" spacedyn check robot.toml

The environment decides, so the same way holds for every format, for `load`, for scenarios and for the command line.
"""

import os
from dataclasses import dataclass, fields

from ..errors import InputError, nearest

VARIABLE = "SPACEDYN_LIMITS"


@dataclass(frozen=True)
class Limits:
    """The limits; a file that exceeds one is refused before it takes memory or time.

    Examples
    --------
    >>> Limits().bodies
    10000
    """

    file_bytes: int = 32_000_000
    """Of one file."""

    elements: int = 500_000
    """Elements of an XML file, parts of keys and brackets of a TOML file."""

    numbers: int = 1_000_000
    """Items in the lists of a TOML file."""

    depth: int = 100
    """How deep elements, tables and lists are nested."""

    key_parts: int = 16
    """Parts of one dotted key of TOML."""

    bodies: int = 10_000
    """Bodies of a robot."""

    visuals: int = 50_000
    """Visuals, collision geometry and shapes of a robot."""

    includes: int = 200
    """Files of XML that one includes."""

    mujoco_elements: int = 10_000
    """Elements of MuJoCo's XML after replication; its reader takes time that grows with the square."""

    mujoco_bodies: int = 2_000
    """Bodies among them."""

    mujoco_cells: int = 20_000_000
    """Cells of height fields, textures, made meshes and arrays of numbers."""


def limits() -> Limits:
    """The limits in force: the defaults, changed by the environment variable SPACEDYN_LIMITS.

    Raises
    ------
    InputError
        For a variable that cannot be read.

    Examples
    --------
    >>> limits().depth
    100
    """
    given = os.environ.get(VARIABLE, "").replace(",", " ").split()
    names, changed = [field.name for field in fields(Limits)], {}
    for part in given:
        name, _, number = part.partition("=")
        try:
            changed[name] = int(float(number))
        except (ValueError, OverflowError):
            raise InputError(f"{VARIABLE} has {part!r}; give NAME=NUMBER, such as {VARIABLE}='bodies=50000'.") from None
        if name not in names:
            raise InputError(f"{VARIABLE} has {part!r}: there is no limit of that name; {nearest(name, names)}.")
    return Limits(**changed)


def over(name: str, what: str, most: int, count: float | None = None) -> str:
    """The sentence for an exceeded limit; the count is left out where counting stopped at the limit.

    >>> over("bodies", "bodies", 10000, 12000)
    "it has 12000 bodies, more than the 10000 that are read; if you trust it, set SPACEDYN_LIMITS='bodies=12000'"
    """
    enough = f"{10 * most if count is None else count:.0f}" if (count or 0) < 1e12 else f"{count:.1e}"
    found = f"more than the {most} {what}" if count is None else f"{enough} {what}, more than the {most}"
    return f"it has {found} that are read; if you trust it, set {VARIABLE}='{name}={enough}'"
