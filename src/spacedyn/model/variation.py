"""Read, shape and check the arguments of `Model.vary`: parameters of named parts, a value for each robot."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from ..errors import InputError, ModelError, Problems, UnknownName, nearest
from ..reals import LARGEST, NotReal, real_array, type_name
from .checks import DEFAULTS, SYMMETRY_TOLERANCE, check_body, check_endpoint, check_joint
from .file_limits import over
from .model import Model
from .parts import Body, Endpoint, Joint
from .values import EXACT, UNIT_TOLERANCE, frozen

Array = np.ndarray
Part = Body | Joint | Endpoint
BODY_FIELDS = ("mass", "com", "inertia")
JOINT_FIELDS = ("position", "rotation", "pitch", "rest", *DEFAULTS)
FIELDS = (*BODY_FIELDS, *JOINT_FIELDS)
"""What may differ from robot to robot; position and rotation are those of joints and of endpoints."""

_CHECKS = {"body": check_body, "joint": check_joint, "endpoint": check_endpoint}
_INFINITE = ("lower", "upper", "max_rate", "max_force")


@dataclass(frozen=True, eq=False)
class Variation:
    """Parameters that differ: {(sort, name): {field: (*shape, …)}}, sort being 'body', 'joint' or 'endpoint'."""

    shape: tuple[int, ...]
    values: dict[tuple[str, str], dict[str, Array]]


@np.errstate(over="ignore", invalid="ignore")  # numbers that cannot be used are refused by `check_variation`
def read_variation(model: Model, given: Mapping[str, Any], before: Variation, most: float = np.inf) -> Variation:
    """The parameters given now and before, broadcast over the batch axes of both; at most `most` numbers in all."""
    found: dict[tuple[str, str], dict[str, Array]] = {}
    for field, parts in given.items():
        if field not in FIELDS:
            hint = "; turn the joint's frame instead (rotation)" if field == "axis" else ""
            raise InputError(f"vary: there is no parameter '{field}'{hint}; {nearest(field, list(FIELDS))}")
        if not isinstance(parts, Mapping):
            raise InputError(f"vary: {field} must be {{name: values}}, got {type_name(parts)}")
        for name, value in parts.items():
            sort = _sort_of(model, field, name)
            found.setdefault((sort, name), {})[field] = _values(_part(model, sort, name), sort, field, value)
    for key, fields in before.values.items():
        found[key] = {**fields, **found.get(key, {})}
    batches = [value.shape[: value.ndim - _axes(field)] for fields in found.values() for field, value in fields.items()]
    try:
        shape = np.broadcast_shapes(before.shape, *batches)
    except ValueError:
        sizes = ", ".join(map(str, sorted(set(batches))))
        raise InputError(f"vary: batch axes must agree for all parameters, got {sizes}") from None
    own = sum(
        math.prod(value.shape[value.ndim - _axes(f) :]) for fields in found.values() for f, value in fields.items()
    )
    if math.prod(shape) * own > most:
        raise InputError(f"vary: {over('numbers', 'numbers', int(most), math.prod(shape) * own)}")
    values = {key: {f: _spread(f, v, shape) for f, v in fields.items()} for key, fields in found.items()}
    return Variation(shape, values)


def _sort_of(model: Model, field: str, name: Any) -> str:
    """Which sort of part a name stands for."""
    names = {"body": model.body_names, "joint": model.joint_names, "endpoint": model.endpoint_names}
    sorts = (
        ["body"] if field in BODY_FIELDS else ["joint", "endpoint"] if field in ("position", "rotation") else ["joint"]
    )
    here = [sort for sort in sorts if name in names[sort]]
    if len(here) > 1:
        raise InputError(f"vary: {field}: '{name}' is a joint and an endpoint; rename one of them")
    if not here:
        raise UnknownName(" or ".join(sorts), name, [n for sort in sorts for n in names[sort]])
    return here[0]


def _part(model: Model, sort: str, name: str) -> Any:
    return {"body": model.body, "joint": model.joint, "endpoint": model.endpoint}[sort](name)


def _axes(field: str) -> int:
    """Axes of a parameter of one robot."""
    return {"mass": 0, "pitch": 0, "inertia": 2, "rotation": 2}.get(field, 1)


def _values(part: Any, sort: str, field: str, value: Any) -> Array:
    """An array (batch, …) whose last axes are those of the parameter of one robot."""
    label = f"vary: {field} of {sort} '{part.name}'"
    if isinstance(value, Rotation):
        value = value.as_quat() if field == "rest" else value.as_matrix()
    try:
        array = real_array(value).astype(float)
    except NotReal as reason:
        raise InputError(f"{label}: expected numbers, one set for each robot, got {reason}") from None
    if field == "inertia" and array.shape[-1:] == (3,) and array.shape[-2:] != (3, 3):
        array = array[..., None] * np.eye(3)
    usual = np.shape(getattr(part, field))
    wanted = usual[len(usual) - _axes(field) :]
    if wanted == (1,) and array.shape[-1:] != (1,):
        array = array[..., None]
    if array.shape[array.ndim - len(wanted) :] != wanted:
        shown = ", ".join(["…", *map(str, wanted)])
        raise InputError(f"{label}: expected shape ({shown}), got {array.shape}")
    if field == "inertia":
        array = _symmetric(array)
    if field == "rotation":
        array = _orthonormal(array)
    if field == "rest" and part.kind_record.has_attitude:
        length = np.linalg.norm(array[..., -4:], axis=-1, keepdims=True)
        rough = (np.abs(length - 1.0) >= EXACT) & (np.abs(length - 1.0) <= UNIT_TOLERANCE)
        array[..., -4:] /= np.where(rough, length, 1.0)
    return array


def _symmetric(inertia: Array) -> Array:
    """As `check_body` leaves a symmetric matrix; others stay as they are, to be refused."""
    turned = np.swapaxes(inertia, -1, -2)
    return np.where(
        np.abs(inertia - turned) <= SYMMETRY_TOLERANCE * np.abs(inertia).max(axis=(-1, -2), keepdims=True),
        0.5 * (inertia + turned),
        inertia,
    )


def _orthonormal(rotation: Array) -> Array:
    """As `check_joint` leaves a rotation: the nearest orthonormal matrix, unless it is one to rounding."""
    excess = _turn_excess(rotation)
    rough = (excess >= EXACT) & (excess <= UNIT_TOLERANCE)
    if rough.any():
        left, _, right = np.linalg.svd(rotation[rough])
        rotation[rough] = left @ right
    return rotation


def _spread(field: str, value: Array, shape: tuple[int, ...]) -> Array:
    """Over all robots, read-only."""
    own = value.shape[value.ndim - _axes(field) :]
    return frozen(np.broadcast_to(value, (*shape, *own)))


def varied_parts(model: Model, variation: Variation) -> dict[str, tuple[Any, ...]]:
    """Bodies, joints and endpoints with arrays (*shape, …) where robots differ."""
    lists: dict[str, tuple[Any, ...]] = {"body": model.bodies, "joint": model.joints, "endpoint": model.endpoints}
    return {
        sort: tuple(replace(part, **variation.values.get((sort, part.name), {})) for part in parts)
        for sort, parts in lists.items()
    }


def part_of_robot(part: Any, fields: Mapping[str, Array], robot: int) -> Any:
    """The part of one robot, counted along all batch axes."""
    own = {}
    for field, value in fields.items():
        axes = _axes(field)
        row = value.reshape(-1, *value.shape[value.ndim - axes :])[robot]
        own[field] = float(row) if axes == 0 else row
        if axes:
            row.flags.writeable = False
    return replace(part, **own)


@np.errstate(over="ignore", invalid="ignore")
def check_variation(model: Model, variation: Variation) -> None:
    """Raise with every problem, by robot and part."""
    problems = Problems(model.name)
    for (sort, name), fields in variation.values.items():
        part = _part(model, sort, name)
        for robot in np.flatnonzero(_suspects(part, fields)).tolist():
            place = ", ".join(str(int(i)) for i in np.unravel_index(robot, variation.shape))
            _CHECKS[sort](problems, f"robot {place}: {sort} '{name}'", part_of_robot(part, fields, robot))
    if problems:
        raise ModelError(model.name, problems)


def _suspects(part: Any, fields: Mapping[str, Array]) -> Array:
    """(robots,) True where a part may be wrong; those robots are then checked one by one, as a builder does."""
    flat = {f: v.reshape(-1, *v.shape[v.ndim - _axes(f) :]) for f, v in fields.items()}
    bad = np.zeros(len(next(iter(flat.values()))), dtype=bool)
    for field, value in flat.items():
        rows = value.reshape(len(bad), -1)
        bad |= np.isnan(rows).any(axis=1) if field in _INFINITE else ~(np.abs(rows) <= LARGEST).all(axis=1)
        if field == "mass":
            bad |= (rows[:, 0] != 0.0) if part.massless else (rows[:, 0] <= 0.0)
        elif field == "inertia":
            turned, size = np.swapaxes(value, 1, 2), np.abs(rows).max(axis=1)
            bad |= np.abs(value - turned).max(axis=(1, 2)) > 0.0
            bad[~bad] |= np.linalg.eigvalsh(value[~bad])[:, 0] < -1e-12 * size[~bad]
        elif field == "rotation":
            bad |= ~(_turn_excess(value) <= UNIT_TOLERANCE)
            bad |= np.linalg.det(np.where(np.isfinite(value), value, 0.0)) < 0.0
        elif field in DEFAULTS and field not in ("gear", "lower", "upper"):
            bad |= (rows < 0.0).any(axis=1) | ((field == "friction_speed") & (rows == 0.0).any(axis=1))
        elif field == "gear":
            bad |= (rows == 0.0).any(axis=1)
        elif field == "rest" or field == "pitch":
            kind = part.kind_record
            bad |= not kind.plain_coordinates or (field == "pitch" and not kind.takes_pitch)
    if isinstance(part, Joint):
        lower, upper = (flat.get(name, getattr(part, name)) for name in ("lower", "upper"))
        bad |= np.any((lower > upper) | (lower == np.inf) | (upper == -np.inf), axis=-1)
        if part.kind_record.has_attitude and flat.keys() & {"lower", "upper", "stiffness"}:
            bad[:] = True
    return bad


def _turn_excess(rotation: Array) -> Array:
    """How far from orthonormal matrices (…, 3, 3) are."""
    return np.abs(np.swapaxes(rotation, -1, -2) @ rotation - np.eye(3)).max(axis=(-1, -2))
