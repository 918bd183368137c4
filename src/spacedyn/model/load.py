"""A robot by its name, or from a file."""

import os
import warnings
from importlib.resources import files
from pathlib import Path

from ..errors import InputError, ModelError, ModelWarning, UnknownName
from .files import read_model
from .model import Model


def load(name_or_path: str | os.PathLike[str]) -> Model:
    """A robot that comes along, by its name, or one from a .toml file, by its path.

    What is doubtful in the published numbers of a robot that comes along is said in its file, and not warned of here.

    Parameters
    ----------
    name_or_path : str or path
        One of `available()`, or a path that ends in .toml.

    Returns
    -------
    Model

    Raises
    ------
    UnknownName
        For a name that is not there, with those that are.
    ModelError
        For a file that is not there, cannot be read, or describes no robot; see `read_model`.
    InputError
        For a URDF.

    Examples
    --------
    >>> load("tian_wu")
    <Model 'tian_wu': free base, 3 joints, 9 rates, 75 kg>
    """
    given = os.fspath(name_or_path)
    path, names = Path(given), available()
    match path.suffix.lower():
        case ".toml":
            if path.stem in names and not path.exists():
                raise ModelError(
                    given, [f"there is no file {given}; the robot that comes along is load('{path.stem}')."]
                )
            return read_model(path)
        case ".urdf":
            raise InputError(
                f"{given}: reading URDF is not part of this installation yet; "
                "describe the robot in a .toml file (see read_model) or with Builder."
            )
    if given not in names:
        raise UnknownName("bundled robot", given, names)
    text = files("spacedyn").joinpath("library", f"{given}.toml").read_text(encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return read_model(text)


def available() -> tuple[str, ...]:
    """Names of the robots that come along, in alphabetical order.

    Examples
    --------
    >>> "ets7" in available()
    True
    """
    stored = files("spacedyn").joinpath("library").iterdir()
    return tuple(sorted(Path(item.name).stem for item in stored if item.name.endswith(".toml")))
