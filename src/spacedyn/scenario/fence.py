"""Which files a scenario may open; the user decides it, never the scenario's file."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..errors import InputError

Folders = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


@dataclass(frozen=True)
class Fence:
    """Folders that a scenario may open files in, and whether it may run xacro.

    Attributes
    ----------
    folder : Path
        The scenario's own: what it names starts from there.
    allowed : tuple of Path
        Other folders that the user allows.
    xacro : bool
        Whether robots in xacro may be expanded, which runs what they say.
    """

    folder: Path
    allowed: tuple[Path, ...] = ()
    xacro: bool = False

    @classmethod
    def around(cls, folder: Path, allow: Folders, xacro: bool) -> "Fence":
        """The fence of a scenario in a folder; one path alone may be allowed without a list."""
        given = [Path(one).resolve() for one in ([allow] if isinstance(allow, str | os.PathLike) else allow)]
        for one in given:
            if not one.is_dir():
                raise InputError(f"allow: there is no folder {one}")
        return cls(folder, tuple(given), xacro)

    def fault_of(self, what: str, name: str, folder: bool = False) -> str:
        """Why a file or folder that the scenario names may not or cannot be opened; '' if it can. Follows links."""
        try:
            path = Path(os.path.realpath(self.folder / name))
            inside = any(path.is_relative_to(os.path.realpath(one)) for one in (self.folder, *self.allowed))
            there = path.is_dir() if folder else path.is_file()
        except (OSError, ValueError):
            return f"{what} {name!r} is not the name of a file"
        if not name.isprintable() or not inside:
            way = "copy it there, or allow its folder if you trust it: --allow FOLDER"
            return f"{what} {name!r} lies outside the scenario's folder; {way}"
        kind = "folder" if folder else "file"
        return "" if there else f"there is no {kind} {name!r} in the scenario's folder, {self.folder}"
