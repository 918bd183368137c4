"""A robot by its name, or from a file."""

import inspect
import os
import warnings
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

from ...errors import InputError, ModelError, ModelWarning, UnknownName, nearest
from ...reals import type_name
from ..model import Model
from .toml import read_model


def load(name_or_path: str | os.PathLike[str], **options: Any) -> Model:
    """A bundled robot by its name, or one from a file: .toml, .urdf, .xacro, or MuJoCo's .xml.

    Doubts about the published numbers of a bundled robot are written in its file; no warning repeats them.

    Parameters
    ----------
    name_or_path : str or path
        One of `available()`, or a path.
    **options
        For a URDF: base, merge_fixed, mimic, lock, folders, within, name, as `read_urdf` has them; for MuJoCo's XML:
        base, folders, within, name, as `read_mjcf` has them. A .toml file says everything itself.

    Returns
    -------
    Model

    Raises
    ------
    UnknownName
        For an unknown name; the message lists the known ones.
    ModelError
        For a file that does not exist, cannot be read, or describes no robot; see `read_model`, `read_urdf`.
    InputError
        For an option that the sort of file does not have.

    Examples
    --------
    >>> load("tian_wu")
    <Model 'tian_wu': free base, 3 joints, 9 rates, 75 kg>
    """
    if not isinstance(name_or_path, str | os.PathLike):
        raise InputError(
            f"expected the name of a bundled robot, or a path, got {type_name(name_or_path)}; "
            f"{nearest('', available())}"
        )
    given = str(os.fspath(name_or_path))
    path, names, suffix = Path(given), available(), Path(given).suffix.lower()
    if suffix in (".urdf", ".xacro", ".xml"):
        return _from_xml(given, suffix, options)
    if options:
        raise InputError(f"{given}: there is no option {', '.join(options)}; options are for URDF and MuJoCo's files.")
    if suffix == ".toml":
        if path.stem in names and not path.exists():
            raise ModelError(given, [f"there is no file {given}; the bundled robot is load('{path.stem}')."])
        return read_model(path)
    if given not in names:
        raise UnknownName("bundled robot", given, names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return read_model(bundled_file(given).read_text(encoding="utf-8"))


def bundled_file(name: str) -> Path:
    """The file of a bundled robot.

    >>> bundled_file("ets7").name
    'ets7.toml'
    """
    return Path(str(files("spacedyn").joinpath("library", f"{name}.toml")))


def _from_xml(path: str, suffix: str, options: dict[str, Any]) -> Model:
    from .mjcf import read_mjcf
    from .urdf import read_urdf
    from .xml_source import parse_xml, read_source

    # an .xml may be either: its first element tells
    mujoco = suffix == ".xml" and parse_xml(*read_source(path)).tag in ("mujoco", "mujocoinclude")
    reader: Callable[..., Model] = read_mjcf if mujoco else read_urdf
    known = list(inspect.signature(reader).parameters)[1:]
    for option in options:
        if option not in known:
            raise InputError(f"{path}: there is no option {option!r}; {nearest(option, known)}.")
    return reader(path, **options)


def available() -> tuple[str, ...]:
    """Names of the bundled robots, in alphabetical order.

    Examples
    --------
    >>> "ets7" in available()
    True
    """
    stored = files("spacedyn").joinpath("library").iterdir()
    return tuple(sorted(Path(item.name).stem for item in stored if item.name.endswith(".toml")))
