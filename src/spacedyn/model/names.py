"""Names of the entries of q and u: the joint's name, and the coordinate's where a joint has several."""

from .model import Model
from .parts import Joint
from .state_parts import BASE_RATES

_SIX_RATES = ["vx", "vy", "vz", "wx", "wy", "wz"]


def coordinate_names(model: Model) -> list[str]:
    """Names of the entries of q.

    >>> import spacedyn as sd
    >>> coordinate_names(sd.load("tian_wu"))
    ['joint1', 'joint2', 'joint3']
    """
    return [name for joint in model.joints for name in _names(joint, joint.kind_record.coordinates)]


def rate_names(model: Model) -> list[str]:
    """Names of the entries of q̇."""
    return [name for joint in model.joints for name in _names(joint, joint.kind_record.rates)]


def all_rate_names(model: Model) -> list[str]:
    """Names of the entries of u: the base's rates, then the joints'.

    >>> import spacedyn as sd
    >>> all_rate_names(sd.load("planar_four_link"))[:4]
    ['base.vx', 'base.vy', 'base.wz', 'joint1']
    """
    return [*(f"base.{_SIX_RATES[k]}" for k in BASE_RATES[model.base_kind]), *rate_names(model)]


def _names(joint: Joint, parts: tuple[str, ...]) -> list[str]:
    return [joint.name] if len(parts) == 1 else [f"{joint.name}.{part}" for part in parts]
