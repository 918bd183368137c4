"""Robots as TOML files: all errors are reported at once, and what is written reads back bit for bit.

    name = "arm on a bus"                 # SI units; radians unless a key ends in _deg

    [base]                                # name = "base", kind = "free" (attitude, planar, fixed), and a body's keys
    mass = 50.0
    inertia = [8.0, 8.5, 9.0]             # diagonal, or 3x3, about the centre of mass

    [joints.shoulder]                     # where the joint is in its parent, and how it turns
    kind = "revolute"
    parent = "base"
    child = "arm"
    position = [0.5, 0.0, 0.0]
    rpy_xyz_deg = [0, 90, 0]              # about x, the turned y, the turned z; or rotation (3x3), or quaternion_xyzw
    damping = 0.1                         # and so on, as in Builder.joint

    [bodies.arm]                          # mass, inertia, com; or shapes, which settle all three
    shapes = [{ kind = "cylinder", mass = 5.0, radius = 0.1, length = 1.0, position = [0, 0, 0.5] }]

    visuals = [{ mesh = "meshes/arm.stl", scale = [0.001, 0.001, 0.001], color = [1, 1, 1, 1] }]  # looks, where shapes
    # are not enough: meshes (in the file's folder or below) or shapes without mass; also collisions

    [endpoints.hand]
    body = "arm"
    position = [0, 0, 1]

    [vary.mass]                           # robots that differ: as in Model.vary, here two of them
    arm = [5.0, 5.5]

What is left out has the default of Builder's methods. Joints keep their order; bodies may stand anywhere.
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...errors import InputError, ModelError, Problems, UnknownName, nearest
from ..build import Builder
from ..checks import DEFAULTS
from ..file_limits import limits, over
from ..model import Model
from ..parts import Visual
from ..rotations import rotation_quaternion, rotation_xyz_deg
from ..shapes import SHAPE_KINDS, Shape
from ..values import numbers, shown, unit
from ..visuals import mesh_inside
from .toml_reading import file_bytes, parse_toml, toml_fault
from .toml_writing import write_model

__all__ = ["read_model", "write_model"]

TURNS = ("rotation", "rpy_xyz_deg", "quaternion_xyzw")
POSE = dict.fromkeys(("position", *TURNS), "numbers")
LOOKS = ("visuals", "collisions")
BODY = {
    **{"mass": "numbers", "inertia": "numbers", "com": "numbers", "shapes": "tables", "massless": "truth"},
    **dict.fromkeys(LOOKS, "tables"),
}
NAMED = {"kind": "text", "parent": "text", "child": "text"}
KEYS: dict[str, dict[str, str]] = {
    "base": {"name": "text", "kind": "text", **BODY},
    "bodies": BODY,
    "joints": {**NAMED, **POSE, **dict.fromkeys(("axis", "pitch", "rest", *DEFAULTS), "numbers")},
    "endpoints": {"body": "text", **POSE},
}
"""What may stand in each table, and of which sort it is."""

REQUIRED = {"base": (), "bodies": (), "joints": tuple(NAMED), "endpoints": ("body",)}
WANTED = {
    "text": 'give text in quotes, "like this"',
    "numbers": "give a number, or numbers in brackets",
    "truth": "give true or false, without quotes",
    "tables": 'give a list of shapes, such as [{ kind = "box", mass = 50.0, size = [1, 1, 1] }]',
}
TEXT = "the text"
FindMesh = Callable[[str], str | None]
"""The path of the mesh that a file names, or None for one to be left out; ValueError if it may not be named."""
BARE = re.compile(r"[A-Za-z0-9_-]+")


def read_model(path_or_text: str | os.PathLike[str]) -> Model:
    """A model from a TOML file, or from the text of one.

    Parameters
    ----------
    path_or_text : str or path
        A path; or text, which has more than one line or an equals sign.

    Returns
    -------
    Model

    Raises
    ------
    ModelError
        With the line, if it is not TOML; else with every key that does not belong and every value of the wrong sort,
        by its table; else with every problem of the robot itself.

    Examples
    --------
    >>> robot = read_model('''
    ... name = "pendulum"
    ... [base]
    ... kind = "fixed"
    ... mass = 1
    ... inertia = [1, 2, 2]
    ... [joints.pivot]
    ... kind = "revolute"
    ... parent = "base"
    ... child = "bob"
    ... [bodies.bob]
    ... shapes = [{ kind = "point", mass = 2, position = [1, 0, 0] }]
    ... ''')
    >>> robot.body("bob").mass, robot.body("bob").com
    (2.0, array([1., 0., 0.]))
    """
    text, source = _text(path_or_text)
    # the text of a file has no folder: what it names must be whole
    folder = Path("/") if source == TEXT else Path(source).absolute().parent
    return _model(text, source, lambda name: str(mesh_inside(folder, name, [folder])))


def read_stored_model(text: str, folders: Sequence[Path]) -> tuple[Model, list[str]]:
    """A model from text that a file of another kind holds, and the meshes it names outside of these folders.

    Those are left out of it: whoever reads the file has not allowed them, and they are no part of the dynamics.
    """
    outside: list[str] = []

    def find(name: str) -> str | None:
        try:
            return str(mesh_inside(Path("/"), name, folders))
        except ValueError:
            outside.append(name)
            return None

    return _model(text, TEXT, find), outside


def _model(text: str, source: str, find: FindMesh) -> Model:
    data = _parse(text, source)
    name = data.get("name", Path(source).stem if source.endswith(".toml") else "robot")
    problems = Problems(source if source != TEXT or not isinstance(name, str) else name)
    tables = _check_file(data, problems)
    _check_size(tables, problems)
    builder = _fill(name, tables, problems, find)
    varied = _varied(data.get("vary", {}), problems)
    if problems:
        raise ModelError(problems.name, problems)
    model = builder.build()
    if not varied:
        return model
    from ..fleet import vary

    try:
        return vary(model, varied, most=limits().numbers)
    except (InputError, UnknownName) as error:
        raise ModelError(problems.name, [f"{error}."]) from None


def _varied(data: Any, problems: list[str]) -> dict[str, Any]:
    """What differs from robot to robot, as `Model.vary` takes it."""
    if not isinstance(data, dict) or not all(isinstance(parts, dict) for parts in data.values()):
        problems.append(
            f"vary is {shown(data)}; give each parameter a table, such as [vary.mass], of names and values."
        )
        return {}
    for field, parts in data.items():
        for name, values in parts.items():
            if not _is("numbers", values):
                problems.append(
                    f"[vary.{field}]: {name} is {_toml_sort(values)} ({shown(values)}); {WANTED['numbers']}."
                )
    return data


def _check_size(tables: dict[str, dict[str, dict[str, Any]]], problems: Problems) -> None:
    """ModelError if there are more bodies or visuals than the limits allow."""
    bodies, most = [*tables["base"].values(), *tables["bodies"].values()], limits()
    looks = sum(len(body.get(what, ())) for body in bodies for what in ("shapes", *LOOKS))
    for name, count, allowed in (("bodies", len(bodies), most.bodies), ("visuals", looks, most.visuals)):
        if count > allowed:
            raise ModelError(problems.name, [*problems, f"{over(name, name, allowed, count)}."])


def _text(path_or_text: str | os.PathLike[str]) -> tuple[str, str]:
    """The text, and the name of its source for messages."""
    given = os.fspath(path_or_text)
    if isinstance(path_or_text, str) and ("\n" in given or ("=" in given and not given.endswith(".toml"))):
        return given, TEXT
    try:
        return file_bytes(given).decode("utf-8-sig"), given
    except UnicodeDecodeError as error:
        raise ModelError(given, [f"{given} is not text in UTF-8 (byte {error.start}): save it as UTF-8."]) from None


def _parse(text: str, source: str) -> dict[str, Any]:
    try:
        return parse_toml(text)
    except InputError:  # of the limits that hold, not of the file
        raise
    except (ValueError, RecursionError) as error:  # a number of too many digits is a ValueError
        fault = toml_fault(text, error)
    raise ModelError(source, [f"{source}, {fault}"])


def _check_file(data: Mapping[str, Any], problems: list[str]) -> dict[str, dict[str, dict[str, Any]]]:
    """The tables by sort and name; unknown ones are reported and removed."""
    for key in data:
        if key not in ("name", "vary", *KEYS):
            problems.append(f"at the top: there is no {key!r}; {nearest(key, ['name', *KEYS, 'vary'])}.")
    if "name" in data and not isinstance(data["name"], str):
        problems.append(f"at the top: name is {shown(data['name'])}; {WANTED['text']}.")
    tables: dict[str, dict[str, dict[str, Any]]] = {sort: {} for sort in KEYS}
    for sort, keys in KEYS.items():
        group = {"": data.get(sort, {})} if sort == "base" else data.get(sort, {})
        if not isinstance(group, dict):
            problems.append(f"{sort} is {shown(group)}; give each its own table, headed [{sort}.NAME].")
            continue
        for name, table in group.items():
            label = _label(sort, name)
            if not isinstance(table, dict):
                head = "[base]" if sort == "base" else f"[{sort}.NAME]"
                problems.append(
                    f"{label} is {shown(table)}, not a table; give its keys in lines of their own under {head}."
                )
                continue
            tables[sort][name] = _check_table(label, table, keys, REQUIRED[sort], problems)
    if "base" not in data:
        problems.append(
            'there is no table [base]: a robot has a base, with mass and inertia, or shapes, or kind = "fixed".'
        )
    return tables


def _check_table(
    label: str, table: Mapping[str, Any], keys: Mapping[str, str], required: tuple[str, ...], problems: list[str]
) -> dict[str, Any]:
    for key, value in table.items():
        if key not in keys:
            problems.append(f"{label}: there is no key {key!r}; {nearest(key, list(keys), most=len(keys))}.")
        elif not _is(keys[key], value):
            problems.append(f"{label}: {key} is {_toml_sort(value)} ({shown(value)}); {WANTED[keys[key]]}.")
    for key in required:
        if key not in table:
            problems.append(f"{label}: {key} is missing; {WANTED[keys[key]]}.")
    return {key: value for key, value in table.items() if key in keys and _is(keys[key], value)}


def _is(sort: str, value: Any) -> bool:
    match sort:
        case "text":
            return isinstance(value, str)
        case "truth":
            return isinstance(value, bool)
        case "tables":
            return isinstance(value, list) and all(isinstance(item, dict) for item in value)
    if isinstance(value, list):
        return all(_is("numbers", item) for item in value)
    return isinstance(value, int | float) and not isinstance(value, bool)


def _toml_sort(value: Any) -> str:
    sorts = {bool: "true or false", str: "text", dict: "a table", list: "a list", int: "a number", float: "a number"}
    return sorts.get(type(value), "a date or time")


def _fill(name: str, tables: dict[str, dict[str, dict[str, Any]]], problems: list[str], find: FindMesh) -> Builder:
    """Put everything into a Builder, which checks numbers and names."""
    base = dict(tables["base"].get("", {}))
    builder = Builder(name, base=base.pop("kind", "free"))
    builder.base(base.pop("name", "base"), **_body("[base]", base, problems, find))
    for name, table in tables["bodies"].items():
        builder.body(name, **_body(_label("bodies", name), table, problems, find))
    for name, table in tables["joints"].items():
        keys = _pose(_label("joints", name), table, problems)
        named = {key: keys.pop(key, "") for key in NAMED}
        builder.joint(name, named["kind"], parent=named["parent"], child=named["child"], **keys)
    for name, table in tables["endpoints"].items():
        keys = _pose(_label("endpoints", name), table, problems)
        builder.endpoint(name, body=keys.pop("body", ""), **keys)
    return builder


def _body(label: str, table: Mapping[str, Any], problems: list[str], find: FindMesh) -> dict[str, Any]:
    shapes = [
        _shape(f"{label}: shape {i}", shape, problems) for i, shape in enumerate(table.get("shapes", []), start=1)
    ]
    looks = {
        what: [
            look
            for i, keys in enumerate(table.get(what, []), start=1)
            if (look := _visual(f"{label}: {what} {i}", keys, problems, find)) is not None
        ]
        for what in LOOKS
    }
    return {**table, "shapes": shapes, **looks}


def _visual(label: str, table: Mapping[str, Any], problems: list[str], find: FindMesh) -> Visual | None:
    """A visual of a body: a shape's keys without mass, or `mesh`, a file in the model's folder or below."""
    own = {key: table[key] for key in ("name", "scale", "color") if key in table}
    keys = {"name": "text", "scale": "numbers", "color": "numbers"}
    count = len(problems)
    own = _check_table(label, own, keys, (), problems)
    rest = {key: value for key, value in table.items() if key not in keys}
    if "mesh" not in table:
        shape = _shape(label, {**rest, "mass": 0.0}, problems)
        return None if len(problems) > count or shape is None else Visual(own.pop("name", ""), shape, **own)
    rest = _check_table(label, rest, {"mesh": "text", **POSE}, (), problems)
    if len(problems) > count:
        return None
    try:
        mesh = find(rest.pop("mesh"))
    except ValueError as error:
        problems.append(f"{label}: {error}.")
        return None
    return None if mesh is None else Visual(own.pop("name", ""), mesh=mesh, **own, **_pose(label, rest, problems))


def _shape(label: str, table: Mapping[str, Any], problems: list[str]) -> Shape | None:
    """A shape from its inline table; a box has its edges as size = [x, y, z], the others theirs by name."""
    kind = table.get("kind")
    if not isinstance(kind, str) or kind not in SHAPE_KINDS:
        problems.append(f"{label}: kind is {shown(kind)}; {nearest(str(kind), list(SHAPE_KINDS))}.")
        return None
    dimensions = ("size",) if kind == "box" else SHAPE_KINDS[kind]
    keys = {"kind": "text", **dict.fromkeys(("mass", *dimensions), "numbers"), **POSE}
    count = len(problems)
    table = _check_table(f"{label} ({kind})", table, keys, ("mass", *dimensions), problems)
    if len(problems) > count:
        return None
    pose: Any = _pose(f"{label} ({kind})", table, problems)
    size: Any = table["size"] if kind == "box" else [table[key] for key in dimensions]
    return Shape(kind, table["mass"], size, pose.get("position", (0.0, 0.0, 0.0)), pose.get("rotation"))


def _pose(label: str, table: Mapping[str, Any], problems: list[str]) -> dict[str, Any]:
    """The table with its rotation as a matrix, however it was given."""
    given = [key for key in TURNS if key in table]
    if len(given) > 1:
        problems.append(f"{label}: {' and '.join(given)} say the same thing twice; leave all but one out.")
    keys = {key: value for key, value in table.items() if key not in TURNS[1:]}
    if given and given[0] == "rpy_xyz_deg":
        angles = numbers(problems, f"{label}: rpy_xyz_deg", table["rpy_xyz_deg"], (3,))
        keys["rotation"] = None if angles is None else rotation_xyz_deg(angles)
    elif given and given[0] == "quaternion_xyzw":
        quaternion = unit(problems, f"{label}: quaternion_xyzw", table["quaternion_xyzw"], (4,))
        keys["rotation"] = None if quaternion is None else rotation_quaternion(quaternion)
    return keys


def _label(sort: str, name: str) -> str:
    """The head of a table, as it stands in the file."""
    if sort == "base":
        return "[base]"
    return f"[{sort}.{name}]" if BARE.fullmatch(name) else f"[{sort}.{shown(name)}]"
