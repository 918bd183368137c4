"""Targets of endpoints as users give them: places, attitudes, or both."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

from ..errors import InputError
from ..model.model import Model
from ..model.state import State
from ..model.values import UNIT_TOLERANCE
from ..quantities.calls import finite_operand
from ..quantities.kinematics import Pose
from ..reals import real_numbers

Array = np.ndarray
_FARTHEST = 1e12  # m


class Goal(NamedTuple):
    """What one endpoint should have; batch axes are one, or none."""

    endpoint: str
    position: Array | None  # (…, 3)
    quaternion: Array | None  # (…, 4)


def read_goals(model: Model, state: State, targets: Any) -> list[Goal]:
    """Targets of endpoints, checked; arrays are over the flat batch, if there is one."""
    if not isinstance(targets, Mapping) or not targets:
        raise InputError(f"targets: expected {{endpoint: target}}, got {type(targets).__name__}")
    found = []
    for name, target in targets.items():
        endpoint = model.endpoint(name).name
        if isinstance(target, Rotation):
            position, rotation = None, target
        elif isinstance(target, Pose | tuple) and len(target) == 2:
            position, rotation = target
        else:
            position, rotation = target, None
        what = f"target of endpoint {endpoint!r}"
        if position is None and rotation is None:
            raise InputError(f"{what}: expected a position, a Rotation, or both as (position, rotation), got None")
        place = None if position is None else finite_operand(what, position, 3, state)
        if place is not None and np.abs(place).max(initial=0.0) > _FARTHEST:
            raise InputError(f"{what}: {np.abs(place).max():.3g} m is beyond what any robot reaches, {_FARTHEST:g} m")
        turn = None if rotation is None else _quaternions(what, rotation, state)
        found.append(Goal(endpoint, _over_rows(place, state), _over_rows(turn, state)))
    return found


def _quaternions(what: str, rotation: Any, state: State) -> Array:
    """(…, 4) of a Rotation, or of direction cosines (…, 3, 3)."""
    if not isinstance(rotation, Rotation):
        matrix = real_numbers(f"{what}: rotation", rotation, "(…, 3, 3), or a Rotation").astype(float)
        if matrix.shape[-2:] != (3, 3):
            raise InputError(f"{what}: expected a Rotation or direction cosines (…, 3, 3), got shape {matrix.shape}")
        with np.errstate(over="ignore", invalid="ignore"):
            excess = np.abs(matrix @ np.swapaxes(matrix, -1, -2) - np.eye(3)).max(initial=0.0)
        if not excess < UNIT_TOLERANCE or np.any(np.linalg.det(matrix) < 0.0):
            raise InputError(f"{what}: not a right-handed rotation matrix; check that its columns are orthonormal")
        rotation = Rotation.from_matrix(matrix)
    return finite_operand(f"{what}: rotation", rotation.as_quat(), 4, state)


def _over_rows(array: Array | None, state: State) -> Array | None:
    """An array over the batch axes as one over the flat batch."""
    return array.reshape(-1, array.shape[-1]) if array is not None and state.shape else array
