"""Write robots as readable TOML: one line per vector, defaults left out, every bit kept."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from ..checks import DEFAULTS, check_body
from ..model import Model
from ..parts import Body, Joint, Visual
from ..rotations import angles_xyz, rotation_xyz_deg
from ..shapes import SHAPE_KINDS, Shape

HEAD = "# A robot for spacedyn: metres, kilograms, seconds; radians unless a key ends in _deg."


def write_model(model: Model, path: str | os.PathLike[str] | None = None) -> str:
    """A model as the text of a TOML file, which `read_model` makes into an equal model again.

    Parameters
    ----------
    model : Model
        The robot.
    path : str or path, optional
        Where to write the text as well. A file names only meshes in its own folder or below; others are left out of it.

    Returns
    -------
    str
        The text.

    Examples
    --------
    >>> from spacedyn.model.build import Builder
    >>> robot = Builder("ball", base="attitude")
    >>> robot.base(mass=2, inertia=(0.4, 0.5, 0.6))
    >>> print(write_model(robot.build()), end="")
    # A robot for spacedyn: metres, kilograms, seconds; radians unless a key ends in _deg.
    name = "ball"
    <BLANKLINE>
    [base]
    name = "base"
    kind = "attitude"
    mass = 2.0
    inertia = [0.4, 0.5, 0.6]
    """
    varied = getattr(model, "variation", {})
    model = getattr(model, "nominal", model)
    base, folder = model.bodies[0], None if path is None else Path(path).absolute().parent
    tables = [_table(("base",), {"name": base.name, "kind": model.base_kind, **_body(base), **_looks(base, folder)})]
    for joint, body in zip(model.joints, model.bodies[1:], strict=True):
        tables.append(_table(("joints", joint.name), _joint(joint)))
        tables.append(_table(("bodies", body.name), {**_body(body), **_looks(body, folder)}))
    for point in model.endpoints:
        keys = {"body": point.body, **_pose(point.position, point.rotation)}
        tables.append(_table(("endpoints", point.name), keys))
    tables += [_table(("vary", field), {_key(name): each for name, each in of.items()}) for field, of in varied.items()]
    text = "\n".join([f"{HEAD}\n{_line('name', model.name)}\n", *tables])
    if path is not None:
        Path(path).write_text(text, encoding="utf-8", newline="\n")
    return text


def _key(name: str) -> str:
    """A name as a key, in quotes if it needs them."""
    return tomli_w.dumps({name: 0}).rpartition(" = ")[0]


def _body(body: Body) -> dict[str, Any]:
    keys: dict[str, Any] = {"massless": True} if body.massless else {}
    if not _follows_from_shapes(body):
        if not (body.massless and body.mass == 0.0 and not body.inertia.any() and not body.shapes):
            diagonal = np.diag(body.inertia)
            keys["mass"] = body.mass
            keys["inertia"] = diagonal if np.array_equal(np.diag(diagonal), body.inertia) else body.inertia
        if body.com.any():
            keys["com"] = body.com
    if body.shapes:
        keys["shapes"] = [_shape(shape) for shape in body.shapes]
    return keys


def _looks(body: Body, folder: Path | None) -> dict[str, Any]:
    """Visuals and collisions; meshes by absolute path, or relative to the folder of the file that is written."""
    keys = {}
    for what, looks in (("visuals", body.visuals), ("collisions", body.collisions)):
        listed = [_visual(look, folder) for look in looks]
        if any(listed):
            keys[what] = [table for table in listed if table]
    return keys


def _visual(look: Visual, folder: Path | None) -> dict[str, Any]:
    keys: dict[str, Any] = {"name": look.name} if look.name else {}
    if look.shape is not None:
        keys |= {key: value for key, value in _shape(look.shape).items() if key != "mass"}
    elif look.mesh is not None:
        mesh = look.mesh if folder is None else os.path.relpath(os.path.realpath(look.mesh), os.path.realpath(folder))
        if mesh.startswith(".."):
            return {}
        keys["mesh"] = mesh.replace(os.sep, "/")
    if (look.scale != 1.0).any():
        keys["scale"] = look.scale
    if look.color is not None:
        keys["color"] = np.array(look.color)
    return {**keys, **_pose(look.position, look.rotation)}


def _follows_from_shapes(body: Body) -> bool:
    """Whether shapes alone would give the same mass, centre of mass and inertia, to the last bit."""
    if not body.shapes:
        return False
    alone: Any = Body(body.name, None, None, None, body.shapes, body.massless)  # type: ignore[arg-type]
    made = check_body([], "", alone)
    return (
        made is not None
        and made.mass == body.mass
        and np.array_equal(made.com, body.com)
        and np.array_equal(made.inertia, body.inertia)
    )


def _shape(shape: Shape) -> dict[str, Any]:
    if shape.kind == "box":
        size: dict[str, Any] = {"size": shape.size}
    else:
        size = dict(zip(SHAPE_KINDS[shape.kind], shape.size.tolist(), strict=True))
    return {"kind": shape.kind, "mass": shape.mass, **size, **_pose(shape.position, shape.rotation)}


def _joint(joint: Joint) -> dict[str, Any]:
    keys: dict[str, Any] = {"kind": joint.kind, "parent": joint.parent, "child": joint.child}
    keys |= _pose(joint.position, joint.rotation)
    if joint.kind_record.takes_axis and not np.array_equal(joint.axis, (0, 0, 1)):
        keys["axis"] = joint.axis
    if joint.pitch != 0.0:
        keys["pitch"] = joint.pitch
    if not np.array_equal(joint.rest, joint.kind_record.neutral):
        keys["rest"] = joint.rest if joint.nq > 1 else joint.rest.item()
    for key, default in DEFAULTS.items():
        values = getattr(joint, key)
        if (values != default).any():
            keys[key] = values[0].item() if (values == values[0]).all() else values
    return keys


def _pose(position: np.ndarray, rotation: np.ndarray) -> dict[str, Any]:
    keys: dict[str, Any] = {}
    if position.any():
        keys["position"] = position
    if not np.array_equal(rotation, np.eye(3)):
        degrees = np.round(np.degrees(angles_xyz(rotation)), 6) + 0.0
        # angles are kinder to the eye than nine numbers, where they give every bit of them
        exact = np.array_equal(rotation_xyz_deg(degrees), rotation)
        keys |= {"rpy_xyz_deg": degrees} if exact else {"rotation": rotation}
    return keys


def _table(path: tuple[str, ...], keys: dict[str, Any]) -> str:
    """A table with its header; tomli_w quotes names and text where needed."""
    nested: dict[str, Any] = {}
    for name in reversed(path):
        nested = {name: nested}
    return "".join(f"{line}\n" for line in [tomli_w.dumps(nested).strip(), *(_line(*item) for item in keys.items())])


def _line(key: str, value: Any) -> str:
    if isinstance(value, np.ndarray) and value.ndim >= 2:
        rows = "".join(f"    {_inline(row)},\n" for row in value)
        return f"{key} = [\n{rows}]"
    if isinstance(value, list):
        rows = "".join(f"    {_inline(item)},\n" for item in value)
        return f"{key} = [\n{rows}]"
    return f"{key} = {_inline(value)}"


def _inline(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"[{', '.join(_inline(item) for item in value)}]"
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_inline(item)}' for key, item in value.items())} }}"
    if isinstance(value, float):  # NumPy's float64 is one; repr keeps every bit, and TOML knows inf
        return repr(float(value))
    return tomli_w.dumps({"x": value}).strip().removeprefix("x = ")
