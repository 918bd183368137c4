"""The parts of a state: their places in its arrays, and the checks of what users give."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.transform import Rotation

from ..errors import InputError
from ..reals import real_numbers
from .values import UNIT_TOLERANCE

if TYPE_CHECKING:
    from .model import Model

BASE_RATES = {"free": (0, 1, 2, 3, 4, 5), "attitude": (3, 4, 5), "planar": (0, 1, 5), "fixed": ()}
"""Which components of (v0, ω0) each kind of base has in u."""

_MAX_ROBOTS = 10**12  # robots along an axis of a batch: more than any memory holds


MEANT = {
    "base_rpy": "base_attitude",
    "base_euler": "base_attitude",
    "base_rotation": "base_attitude",
    "attitude": "base_attitude",
    "quaternion": "base_quaternion_xyzw",
    "position": "base_position",
    "v": "base_velocity",
    "velocity": "base_velocity",
    "w": "base_rate",
    "omega": "base_rate",
    "base_angular_velocity": "base_rate",
    "dq": "qd",
    "qdot": "qd",
}
"""What other programs call the parts of a state."""


class Layout:
    """Where a model's quaternions and plain coordinates are in x and u."""

    def __init__(self, model: "Model"):
        self.turning: list[tuple[int, int]] = []  # starts of joint quaternions in x, of their rates in u
        simple: list[tuple[int, int]] = []
        lower, upper = [np.zeros((*model.shape, 0))], [np.zeros((*model.shape, 0))]
        for i, joint in enumerate(model.joints):
            x, u = 7 + model.q_slice(i).start, model.u_slice(i).start
            plain = joint.kind_record.plain_count
            simple += [(x + k, u + k) for k in range(plain)]
            lower.append(np.broadcast_to(joint.lower[..., :plain], (*model.shape, plain)))
            upper.append(np.broadcast_to(joint.upper[..., :plain], (*model.shape, plain)))
            if joint.kind_record.has_attitude:
                self.turning.append((x + plain, u + plain))
        self.simple_x, self.simple_u = (np.array([s[k] for s in simple], dtype=int) for k in (0, 1))
        self.lower, self.upper = np.concatenate(lower, axis=-1), np.concatenate(upper, axis=-1)
        self.quaternions = [3, *(start for start, _ in self.turning)]
        self.scalar_parts = [start + 3 for start in self.quaternions]


def layout_of(model: "Model") -> Layout:
    """The layout of a model, made once."""
    layout = vars(model).get("_state_layout")
    if layout is None:
        layout = vars(model)["_state_layout"] = Layout(model)
    return layout


def read_only(array: np.ndarray) -> np.ndarray:
    """A view that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view


def batch_axes(size: int | tuple[int, ...] | None) -> tuple[int, ...]:
    """The batch axes of a size."""
    if size is None:
        return ()
    axes = tuple(size) if isinstance(size, tuple | list) else (size,)
    if not all(isinstance(n, int | np.integer) and not isinstance(n, bool) and 0 <= n <= _MAX_ROBOTS for n in axes):
        raise InputError(f"size: expected a number of robots, or a tuple of them such as (2, 3), got {size!r}")
    return tuple(int(n) for n in axes)


def joined_batches(what: str, *shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The batch axes of several arrays, broadcast; InputError if they do not fit."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise InputError(f"{what} have batch axes that do not fit together: {', '.join(map(str, shapes))}") from None


def arrays_in(part: Any) -> list[np.ndarray]:
    """The arrays of a part: none, one, or one for each joint."""
    return [] if part is None else list(part.values()) if isinstance(part, dict) else [part]


def one_of(name: str, value: Any, other_name: str, other: Any) -> Any:
    """Whichever of two alternatives was given; an error if both were."""
    if value is not None and other is not None:
        raise InputError(f"give {name} or {other_name}, not both")
    return other if value is None else value


def optional(name: str, value: Any, width: int) -> np.ndarray | None:
    """`required`, or None where nothing was given."""
    return None if value is None else required(name, value, width)


def required(name: str, value: Any, width: int) -> np.ndarray:
    """Finite real numbers (…, width) as a new float64 array."""
    array = real_numbers(name, value, f"(…, {width})")
    if array.shape[-1:] != (width,):
        raise InputError(f"{name}: expected shape (…, {width}), got {array.shape}")
    array = array.astype(float)
    if not np.isfinite(array).all():
        place = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        raise InputError(f"{name}: {array[place]} at index {place}; every number must be finite")
    return array


def attitude_quaternion(attitude: Any, quaternion: Any) -> np.ndarray | None:
    """The base's quaternion (…, 4) from whatever was given, or None."""
    value = one_of("base_attitude", attitude, "base_quaternion_xyzw", quaternion)
    if value is None:
        return None
    if quaternion is not None:
        return required("base_quaternion_xyzw", quaternion, 4)
    if isinstance(attitude, Rotation):
        return attitude.as_quat()
    matrix = real_numbers("base_attitude", attitude, "(…, 3, 3), or a Rotation")
    if matrix.shape[-2:] != (3, 3):
        raise InputError(
            f"base_attitude: expected a Rotation or direction cosines (…, 3, 3), got shape {matrix.shape}; "
            "a quaternion goes into base_quaternion_xyzw"
        )
    excess = np.abs(matrix @ np.swapaxes(matrix, -1, -2) - np.eye(3)).max(initial=0.0)
    if not excess < UNIT_TOLERANCE or np.any(np.linalg.det(matrix) < 0.0):
        raise InputError("base_attitude: not a right-handed rotation matrix; check that its columns are orthonormal")
    return Rotation.from_matrix(matrix).as_quat()


def joint_values(model: "Model", name: str, value: Any) -> Any:
    """An array over all joints, or {joint: array}."""
    width = model.nq if name == "q" else model.nv - model.base_dof
    if not isinstance(value, Mapping):
        return optional(name, value, width)
    slices = model.q_slice if name == "q" else model.qd_slice
    parts = {}
    for joint, number in value.items():
        size = slices(joint).stop - slices(joint).start
        number = real_numbers(f"{name} of joint '{joint}'", number, f"(…, {size})")
        number = number[..., None] if size == 1 and number.shape[-1:] != (1,) else number
        parts[joint] = required(f"{name} of joint '{joint}'", number, size)
    return parts


def write_joints(model: "Model", target: np.ndarray, value: Any, slices: Any) -> None:
    """Write joint values into their places."""
    if isinstance(value, dict):
        for joint, number in value.items():
            target[..., slices(joint)] = number
    elif value is not None:
        target[:] = value


def check_quaternions(model: "Model", data: np.ndarray, layout: Layout) -> None:
    """Refuse quaternions that are not of unit length; normalise the others in place."""
    for start in layout.quaternions:
        part = data[..., start : start + 4]
        with np.errstate(over="ignore"):  # an infinite length is not 1 either
            length = np.linalg.norm(part, axis=-1, keepdims=True)
        if np.any(np.abs(length - 1.0) > UNIT_TOLERANCE):
            owner = "the base" if start == 3 else _owner(model, start)
            worst = float(length.flat[np.argmax(np.abs(length - 1.0))])
            raise InputError(
                f"the quaternion (x, y, z, w) of {owner} has length {worst:.6g}, not 1; divide it by that, and mind "
                "the order: scalar last"
            )
        part /= length


def checked_numbers(model: "Model", numbers: Any, what: str) -> np.ndarray:
    """Check states (…, 7 + nq + nv) read from a file: finite, with unit quaternions; returned unchanged."""
    data = required(what, numbers, 7 + model.nq + model.nv)
    try:
        check_quaternions(model, data.copy(), layout_of(model))
    except InputError as error:
        raise InputError(f"{what}: {error}") from error
    return data


def _owner(model: "Model", start: int) -> str:
    return next(f"joint '{j.name}'" for i, j in enumerate(model.joints) if model.q_slice(i).stop + 7 == start + 4)
