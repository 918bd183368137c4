"""What attitude laws know of the base: its true attitude and rate, or what sensors on it read."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from ...errors import InputError
from ...model.values import rotation_matrix
from ...signatures import check_names
from .cores import attitude as cores
from .outlets import names_of

Array = np.ndarray
KEYS = ("attitude", "rate", "attitude_rotation", "rate_rotation")


class Known(NamedTuple):
    """Lines of a law that find a torque from what is known of the base, the C function they call, and parameters."""

    lines: str
    function: Any
    parameters: dict[str, Any]


def attitude_known(law: str, sensors: Mapping[str, Any] | None) -> Known:
    """Attitude and rate of the base: the true ones if `sensors` is None."""
    if sensors is None:
        arguments = "pointer(s.base_quaternion_xyzw), pointer(s.base_rate), pointer(p.settings), pointer(w)"
        return Known(f"    attitude_torque({arguments})\n", cores.attitude_torque, {})
    given = _table(law, sensors, KEYS, ("attitude", "rate"))
    seen, turned = (names_of(law, f"{key} of sensors", given[key])[0] for key in ("attitude", "rate"))
    tracker = _mounting(law, given, "attitude_rotation")
    mounting = np.concatenate([_mounting(law, given, "rate_rotation").ravel(), Rotation.from_matrix(tracker).as_quat()])
    arguments = (
        f"pointer(s.base_quaternion_xyzw), pointer(s.{seen}.attitude), pointer(s.{turned}.angular_velocity), "
        "pointer(p.mounting), pointer(p.settings), pointer(w)"
    )
    return Known(f"    sensed_attitude_torque({arguments})\n", cores.sensed_attitude_torque, {"mounting": mounting})


def rate_known(law: str, sensors: Mapping[str, Any] | None) -> Known:
    """The rate of the base: the true one if `sensors` is None."""
    if sensors is None:
        arguments = "pointer(s.base_quaternion_xyzw), pointer(s.base_rate), pointer(p.settings), pointer(w)"
        return Known(f"    rate_torque({arguments})\n", cores.rate_torque, {})
    given = _table(law, sensors, ("rate", "rate_rotation"), ("rate",))
    turned = names_of(law, "rate of sensors", given["rate"])[0]
    arguments = (
        f"pointer(s.base_quaternion_xyzw), pointer(s.{turned}.angular_velocity), pointer(p.mounting), "
        "pointer(p.settings), pointer(w)"
    )
    mounting = {"mounting": _mounting(law, given, "rate_rotation").ravel()}
    return Known(f"    sensed_rate_torque({arguments})\n", cores.sensed_rate_torque, mounting)


def _table(law: str, sensors: Mapping[str, Any], keys: tuple[str, ...], needed: tuple[str, ...]) -> dict[str, Any]:
    """Check the table of sensors: all required keys, and no others."""
    check_names("key of sensors", [str(key) for key in sensors], keys)
    missing = [key for key in needed if key not in sensors]
    if missing:
        raise InputError(f"{law}: sensors has no {' and no '.join(missing)}; name the elements that measure them")
    return dict(sensors)


def _mounting(law: str, given: dict[str, Any], key: str) -> Array:
    """Rotation (3, 3) from a sensor's axes to the base's."""
    problems: list[str] = []
    found = rotation_matrix(problems, f"{law}: {key} of sensors", given.get(key))
    if found is None:
        raise InputError(problems[0])
    return found
