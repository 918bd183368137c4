"""Faults of drives (free, shorted, stuck, locked), and the parameters of a lock."""

from typing import Any

import numpy as np

from ..errors import InputError
from ..reals import one_number
from .element import Block

BRISTLE = Block("bristle", unit="rad or m")
"""The state of a lock: how far its bristles are bent."""
_BEND, _DAMPING_TIME = 1e-3, 0.01  # bend of a lock's bristles at its largest torque [rad or m]; damping / stiffness [s]


def lock_numbers(lock_torque: float | None) -> np.ndarray:
    """Capacity, stiffness and damping of a lock, as its kernel reads them."""
    capacity = lock_torque or 1.0
    return np.array([capacity, capacity / _BEND, capacity / _BEND * _DAMPING_TIME])


def checked_lock(what: str, fault: str, fail_at: float, lock_torque: Any) -> float | None:
    """The torque that a lock holds; raise unless one that closes has one."""
    if lock_torque is None:
        if fault == "locked" and np.isfinite(fail_at):
            raise InputError(f"{what}: fault='locked' needs lock_torque, the torque that the lock holds [N m or N]")
        return None
    torque = one_number(f"{what}: lock_torque", lock_torque, "a positive torque [N m or N]")
    if not torque > 0.0:
        raise InputError(f"{what}: lock_torque must be a positive torque [N m or N], got {torque}")
    return torque


def fault_words(fault: str, stuck: float) -> str:
    """Words for the way in which a drive failed."""
    return f"stuck at {stuck:g} N m or N" if fault == "stuck" else fault


def plain_name(start: str, joint: str) -> str:
    """The default name of a drive, for laws and the record: `start` and the joint's name."""
    return f"{start}_" + "".join(c if c.isalnum() else "_" for c in joint)
