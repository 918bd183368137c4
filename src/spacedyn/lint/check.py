"""`check_file`: read any robot file as `load` would, and report what loading accepts although it looks wrong."""

import os
import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from ..errors import InputError, ModelError, ModelWarning
from ..model.files.mesh_files import MeshFiles
from ..model.files.mjcf import read_mjcf
from ..model.files.toml import read_model
from ..model.files.urdf import read_urdf
from ..model.files.urdf_checks import check_urdf, urdf_doubts
from ..model.files.urdf_source import urdf_tree
from ..model.files.xml_source import Element, parse_xml, read_source
from ..model.model import Model
from ..signatures import checked_arguments
from .findings import Finding, Findings
from .model_rules import model_findings
from .urdf_rules import urdf_findings


@checked_arguments()
def check_file(
    path: str | os.PathLike[str], *, folders: Iterable[str | os.PathLike[str]] = (), xacro: bool = True
) -> Findings:
    """What looks wrong in a robot's file (.urdf, .xacro, MuJoCo's .xml, .toml), without raising for the file's sake.

    Looks for what keeps the file from being read; impossible and placeholder inertias; units (millimetres, grams,
    degrees); masses far apart; links without inertia that move; limits of zero; axes that are not unit vectors; meshes
    that are missing, mirrored, or of the wrong size; references to unknown frames; and more.

    Parameters
    ----------
    path : str or path
        The file.
    folders : iterable of paths
        Where meshes may be besides the model's own folder.
    xacro : bool
        False: a .xacro file, which is a program, is not run; only whether it is XML is looked at.

    Returns
    -------
    Findings
        A tuple of Finding (severity 'error', 'warning' or 'note', place, message, remedy), the errors first; prints
        as a table.

    Raises
    ------
    InputError
        For a file of another sort.

    Examples
    --------
    >>> from importlib.resources import files
    >>> len(check_file(files("spacedyn") / "library" / "tian_wu.toml"))
    0
    """
    name = os.fspath(path)
    suffix = Path(name).suffix.lower()
    trusted = list(folders)
    try:
        if suffix == ".toml":
            found = _loaded(lambda: read_model(Path(name)))
        elif suffix == ".xml" and parse_xml(*read_source(name)).tag == "mujoco":
            found = _loaded(lambda: read_mjcf(name, folders=trusted))
        elif suffix == ".xacro" and not xacro:
            parse_xml(*read_source(name))
            found = [_NOT_RUN]
        elif suffix in (".urdf", ".xacro", ".xml"):
            found = _urdf(name, trusted)
        else:
            raise InputError(f"{name}: give a .urdf, .xacro, .xml or .toml file.")
    except ModelError as error:
        found = [finding_of("error", problem) for problem in error.problems]
    return Findings(name, found)


_NOT_RUN = Finding(
    "note",
    "the file",
    "it is a program of xacro, and was not run",
    "if you trust it, check what it makes: xacro FILE > robot.urdf",
)


def _urdf(name: str, folders: list[str | os.PathLike[str]]) -> list[Finding]:
    root, _ = urdf_tree(name)
    problems = check_urdf(root, name)
    found = [finding_of("error", problem) for problem in problems]
    found += [finding_of("warning", doubt) for doubt in ([] if problems else urdf_doubts(root))]
    if root.tag == "robot":
        found += urdf_findings(root, MeshFiles(Path(name), folders))
    if find_spec("yourdfpy") is None:
        found.append(
            Finding("note", "the file", "it was not loaded: yourdfpy is missing", "pip install 'spacedyn[urdf]'")
        )
    elif not problems:
        held = _loaded(lambda: read_urdf(name, base="fixed", mimic="independent", folders=folders), doubts=False)
        found += held
        if not any(finding.severity == "error" for finding in held):
            free = _loaded(lambda: read_urdf(name, mimic="independent", folders=folders), doubts=False)
            found += [
                Finding(
                    "note", finding.place, f"with a free base: {finding.message}", f"base='fixed', or {finding.remedy}"
                )
                for finding in free
                if finding.severity == "error"
            ]
    return [_with_line(finding, root) for finding in found]


def _with_line(finding: Finding, root: Element) -> Finding:
    """What the model's own checks found, with the line of its joint or link in the file."""
    named = re.match(r"(joint|body|base|link) '(.*)'$", finding.place)
    tag = {"joint": "joint"}.get(named[1], "link") if named else ""
    at = next((one.line for one in root.all(tag) if named and one.get("name") == named[2]), None)
    return finding if at is None else replace(finding, place=f"line {at}: {finding.place}")


def _loaded(read: Callable[[], Model], *, doubts: bool = True) -> list[Finding]:
    """Findings: the errors of reading; else, if `doubts`, the model's warnings and what its rules find."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ModelWarning)
        try:
            model = read()
        except ModelError as error:
            return [finding_of("error", problem) for problem in error.problems]
    said = [finding_of("warning", str(one.message)) for one in caught if issubclass(one.category, ModelWarning)]
    return [*said, *model_findings(model)] if doubts else []


def finding_of(severity: str, problem: str) -> Finding:
    """A sentence of an error or a warning, taken apart: place, what is wrong, the way out.

    >>> finding_of("error", "line 3: link 'a': mass is -2 kg; give a mass above 0.")
    Finding(severity='error', place="line 3: link 'a'", message='mass is -2 kg', remedy='give a mass above 0')
    """
    match = re.match(r"((?:lines? [\d, ]+: )?(?:\w+ '[^']*'(?:: )?)?)(.*)", problem, re.DOTALL)
    place, rest = match.groups() if match else ("", problem)
    message, _, remedy = rest.partition("; ")
    return Finding(
        severity, place.rstrip(": ") or "the file", message.strip().rstrip("."), remedy.rstrip(".") or "mend it"
    )
