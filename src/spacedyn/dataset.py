"""A Run as an xarray Dataset: named joints, bodies and axes, with units."""

from typing import TYPE_CHECKING, Any

import numpy as np

from .forces import force_names
from .model.model import Model
from .model.parts import Joint

if TYPE_CHECKING:
    import xarray

    from .run import Run

AXES = ["x", "y", "z"]
SIX = ["fx", "fy", "fz", "mx", "my", "mz"]
_BASE_RATES = {
    "free": ["vx", "vy", "vz", "wx", "wy", "wz"],
    "attitude": ["wx", "wy", "wz"],
    "planar": ["vx", "vy", "wz"],
    "fixed": [],
}
_PARTS = {
    "cylindrical": (["z", "angle"], ["z", "angle"]),
    "universal": (["angle1", "angle2"], ["angle1", "angle2"]),
    "planar": (["x", "y", "angle"], ["x", "y", "angle"]),
    "spherical": (["qx", "qy", "qz", "qw"], ["wx", "wy", "wz"]),
    "free": (["x", "y", "z", "qx", "qy", "qz", "qw"], ["vx", "vy", "vz", "wx", "wy", "wz"]),
}


def coordinate_names(model: Model) -> list[str]:
    """Names of the entries of q: a joint's own name, with what it is where there are several.

    >>> import spacedyn as sd
    >>> coordinate_names(sd.load("tian_wu"))
    ['joint1', 'joint2', 'joint3']
    """
    return [name for joint in model.joints for name in _names(joint, 0)]


def rate_names(model: Model) -> list[str]:
    """Names of the entries of q̇."""
    return [name for joint in model.joints for name in _names(joint, 1)]


def _names(joint: Joint, which: int) -> list[str]:
    parts = _PARTS.get(joint.kind)
    if parts is None:
        return [joint.name] * joint.nv
    return [f"{joint.name}.{part}" for part in parts[which]]


def dataset(run: "Run") -> "xarray.Dataset":
    """Everything that a run recorded; one dimension for each batch axis (robot, robot1, …)."""
    import xarray

    model, states, base = run.model, run.states, run.model.base_dof
    batch = ["robot", *(f"robot{k}" for k in range(1, len(run.shape)))][: len(run.shape)]
    coords: dict[str, Any] = {
        "time": ("time", run.time, {"units": "s"}),
        "axis": AXES,
        "xyzw": ["x", "y", "z", "w"],
        "coordinate": coordinate_names(model),
        "rate": rate_names(model),
        "all_rates": [*(f"base.{name}" for name in _BASE_RATES[model.base_kind]), *rate_names(model)],
        "endpoint": list(model.endpoint_names),
        "wrench": SIX,
        "force": force_names(run.forces),
    }
    wrenches = run["endpoint_wrenches"].reshape(*run["endpoint_wrenches"].shape[:-1], len(model.endpoints), 6)
    channels: dict[str, tuple[list[str], np.ndarray, str]] = {
        "base_position": (["axis"], states.base_position, "m"),
        "base_quaternion": (["xyzw"], states.base_quaternion_xyzw, "1"),
        "q": (["coordinate"], states.q, "rad or m"),
        "base_velocity": (["axis"], states.base_velocity, "m/s"),
        "base_rate": (["axis"], states.base_rate, "rad/s"),
        "qd": (["rate"], states.qd, "rad/s or m/s"),
        "tau": (["rate"], run["forces"][..., base:], "N m or N"),
        "udot": (["all_rates"], run["udot"], "rad/s^2 or m/s^2"),
        "base_wrench": (["wrench"], run["base_wrench"], "N, N m"),
        "endpoint_wrench": (["endpoint", "wrench"], wrenches, "N, N m"),
        "joint_work": (["rate"], run["joint_work"], "J"),
        "base_work": ([], run["base_work"][..., 0], "J"),
        "endpoint_work": (["endpoint"], run["endpoint_work"], "J"),
        "dissipated": ([], run["dissipated"][..., 0], "J"),
        "impulse": (["wrench"], run["impulse"], "N s, N m s"),
        "force_work": (["force"], run["force_work"], "J"),
        "force_energy": (["force"], run["force_energy"], "J"),
        "tension": (["force"], run["tension"], "N"),
    }
    start = 0
    for i, law in enumerate(run.laws):
        for name, size in law.states.items():
            values = run["states"][..., start : start + size]
            channels[f"{law.name}{i}.{name}"] = ([f"{law.name}{i}_{name}"], values, "")
            start += size
    variables = {
        name: (["time", *batch, *dims], np.asarray(values), {"units": unit})
        for name, (dims, values, unit) in channels.items()
    }
    return xarray.Dataset(variables, coords, run.provenance)
