"""Find the mesh files that a robot's file names: in the model's folder or in folders the user allows, nowhere else.

The model's folder is the package that the file is in (the nearest folder above it with a package.xml), else the
file's own folder, or the one above if that is called urdf, robots or the like.
"""

import contextlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import unquote

from ..visuals import MESHES, mesh_inside

PLAIN = ("urdf", "urdfs", "robots", "robot", "xacro", "models", "mjcf")
CLIMB = 4
"""How many folders above the file's own are looked at for a package.xml."""


def model_folder(file: Path) -> Path:
    """The folder that a robot's file and its meshes belong to."""
    own = file.absolute().parent
    for folder in [own, *own.parents][: CLIMB + 1]:
        if (folder / "package.xml").is_file() and folder != Path(folder.anchor):
            return folder
    return own.parent if own.name.lower() in PLAIN and own.parent != Path(own.anchor) else own


class MeshFiles:
    """Finds the files of meshes that a robot's file names.

    Parameters
    ----------
    file : Path or None
        The robot's file; None for a text, which has no folder.
    trusted : iterable of paths
        Folders beside the model's own: packages, or folders that hold packages.
    within : iterable of paths, optional
        If given, nothing outside of these folders is read, whatever the model's own folder and `trusted` are; they are
        looked through like `trusted`.
    """

    def __init__(
        self,
        file: Path | None,
        trusted: Iterable[str | os.PathLike[str]] = (),
        within: Iterable[str | os.PathLike[str]] | None = None,
    ):
        self.own = None if file is None else file.absolute().parent
        self.model = [] if file is None else [model_folder(file)]
        fence = [Path(folder).absolute() for folder in within or ()]
        ros = _ros_folders()
        self.trusted = [*(Path(folder).absolute() for folder in trusted), *fence, *ros]
        self.allowed = [*self.model, *self.trusted] if within is None else [*fence, *ros]
        """Folders whose files may be read."""

    def find(self, name: str) -> Path | None:
        """The file, or None if it does not exist or is no mesh; ValueError, with the reason, if it may not be read."""
        name = name.replace("\\", "/")
        scheme, found, rest = name.partition("://")
        if not found:
            tries = [] if self.own is None else [self.own]
            return self._first([(folder, name) for folder in [*tries, *self.trusted]])
        if scheme == "file":
            return self._first([(Path("/"), unquote(rest))])
        if scheme not in ("package", "model"):
            return None  # nothing is fetched from elsewhere
        package, _, inside = rest.partition("/")
        return self._first([(folder, inside) for folder in self._packages(package)])

    def _packages(self, name: str) -> list[Path]:
        """Folders that may be the package of that name, the likeliest first."""
        above = [] if self.own is None else [self.own, *self.own.parents]
        ours = [folder for folder in above if any(folder.is_relative_to(top) for top in self.model)]
        named = [folder for folder in [*ours, *self.trusted] if folder.name == name]
        return [*named, *(folder / name for folder in self.trusted if name not in ("", ".", "..")), *self.model]

    def _first(self, tries: Sequence[tuple[Path, str]]) -> Path | None:
        """The first mesh file that exists; ValueError if none does and one lies outside the allowed folders."""
        refusal, allowed = None, self.allowed
        for folder, name in tries:
            try:
                path = mesh_inside(folder, name, allowed, known=False)
            except ValueError as error:
                refusal = refusal or error
                continue
            with contextlib.suppress(OSError):  # a name that is too long for a file
                if path.name.lower().endswith(MESHES) and path.is_file():
                    return path
        if refusal is not None:
            raise refusal
        return None


def _ros_folders() -> list[Path]:
    """Folders of ROS packages, from the environment."""
    plain = os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep)
    prefixes = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    return [Path(folder) for folder in plain if folder] + [Path(folder) / "share" for folder in prefixes if folder]
