"""A Run as an xarray Dataset, or as a flat table: named joints, bodies and axes, with units."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .channels import may_switch
from .errors import InputError
from .forces import force_names
from .model.model import Model
from .model.names import all_rate_names, coordinate_names, rate_names
from .model.state_parts import BASE_RATES
from .origin import Origin

if TYPE_CHECKING:
    import pandas
    import xarray

    from .run import Run

Array = np.ndarray
AXES = ["x", "y", "z"]
OWN_TIME = "own_time"
"""Where robots of a batch may end at different times: each one's own, which stands still when it has ended."""
SIX = ["fx", "fy", "fz", "mx", "my", "mz"]
_MADE_OF: dict[str, dict[str, tuple[list[str], str]]] = {
    "x": {"base_position": (["axis"], "m"), "base_quaternion": (["xyzw"], "1"), "q": (["coordinate"], "rad or m")},
    "u": {"base_velocity": (["axis"], "m/s"), "base_rate": (["axis"], "rad/s"), "qd": (["rate"], "rad/s or m/s")},
    "forces": {"tau": (["rate"], "N m or N")},
    "udot": {"udot": (["all_rates"], "rad/s^2 or m/s^2")},
    "base_wrench": {"base_wrench": (["wrench"], "N, N m")},
    "endpoint_wrenches": {"endpoint_wrench": (["endpoint", "wrench"], "N, N m")},
    "joint_work": {"joint_work": (["rate"], "J")},
    "base_work": {"base_work": ([], "J")},
    "endpoint_work": {"endpoint_work": (["endpoint"], "J")},
    "dissipated": {"dissipated": ([], "J")},
    "impulse": {"impulse": (["wrench"], "N s, N m s")},
    "force_work": {"force_work": (["force"], "J")},
    "event_work": {"event_work": (["jump"], "J")},
    "force_energy": {"force_energy": (["force"], "J")},
    "tension": {"tension": (["force"], "N")},
    "mode": {"mode": (["joint"], "1 free, 2 locked, 3 prescribed")},
    "anchor": {"anchor": (["anchored"], "rad or m")},
}
"""Variables of the dataset that each channel of a row is made into: their dimensions and units."""


def labels(origin: Origin) -> dict[str, list[str]]:
    """Names along each dimension."""
    model, switching = origin.model, may_switch(origin.laws, origin.events)
    return {
        "axis": AXES,
        "xyzw": ["x", "y", "z", "w"],
        "coordinate": coordinate_names(model),
        "rate": rate_names(model),
        "all_rates": all_rate_names(model),
        "endpoint": list(model.endpoint_names),
        "wrench": SIX,
        "force": force_names(origin.forces),
        "jump": ["all events"] if switching or origin.events else [],
        "joint": list(model.joint_names) if switching else [],
        "anchored": coordinate_names(model) if switching else [],
    }


def variables(origin: Origin, channel: str, size: int) -> dict[str, tuple[list[str], list[int], str]]:
    """What a channel of a row is made into: {name: (dimensions, their sizes, unit)}."""
    if channel == "states":
        named = {f"{law.name}{i}": law.states for i, law in enumerate(origin.laws)}
        return {f"{a}.{b}": ([f"{a}_{b}"], [n], "") for a, states in named.items() for b, n in states.items()}
    known = {name: len(values) for name, values in labels(origin).items()}
    if channel not in _MADE_OF:  # as it is
        return {channel: ([f"{channel}_part"], [size], "")}
    return {name: (dims, [known[dim] for dim in dims], unit) for name, (dims, unit) in _MADE_OF[channel].items()}


def split(model: Model, channel: str, values: Array) -> Array:
    """A channel's values with those of a base that is held as zeros, so that all robots have the same variables."""
    held = BASE_RATES[model.base_kind]
    if channel == "forces":
        return values[..., len(held) :]
    if channel != "u":
        return values
    six = np.zeros((*values.shape[:-1], 6))
    six[..., list(held)] = values[..., : len(held)]
    return np.concatenate([six, values[..., len(held) :]], axis=-1)


def joined(model: Model, channel: str, values: Array) -> Array:
    """The inverse of `split`."""
    held = BASE_RATES[model.base_kind]
    if channel == "forces":
        return np.concatenate([np.zeros((*values.shape[:-1], len(held))), values], axis=-1)
    return np.concatenate([values[..., list(held)], values[..., 6:]], axis=-1) if channel == "u" else values


def dataset(run: "Run") -> "xarray.Dataset":
    """Everything that a run recorded; one dimension for each batch axis (robot, robot1, …)."""
    import xarray

    model = run.model
    batch = batch_dimensions(run.shape)
    coords: dict[str, Any] = {"time": ("time", run.time, {"units": "s"}), **labels(run.origin)}
    found: dict[str, Any] = {}
    if run.origin.staggered:
        found[OWN_TIME] = (["time", *batch], np.asarray(run["t"][..., 0]), {"units": "s"})
    for channel in run.origin.channels[1:]:
        values, at = split(model, channel, run[channel]), 0
        for name, (dims, sizes, unit) in variables(run.origin, channel, values.shape[-1]).items():
            count = int(np.prod(sizes, dtype=int))
            part = values[..., at : at + count].reshape(*values.shape[:-1], *sizes)
            found[name] = (["time", *batch, *dims], np.asarray(part), {"units": unit} if unit else {})
            at += count
    return xarray.Dataset(found, coords, run.provenance)


def batch_dimensions(shape: tuple[int, ...]) -> list[str]:
    """Names of the batch axes."""
    return ["robot", *(f"robot{k}" for k in range(1, len(shape)))][: len(shape)]


def rows_of(data: Mapping[str, Array], origin: Origin, columns: dict[str, slice]) -> Array:
    """The rows that a dataset was made of, from its variables; those without any number may be missing."""
    count, shape = len(_values(data, "time", None)), origin.shape
    needed = {"time": (count,)} if not origin.staggered else {"time": (count,), OWN_TIME: (count, *shape)}
    made = {name: variables(origin, name, part.stop - part.start) for name, part in list(columns.items())[1:]}
    needed |= {name: (count, *shape, *sizes) for parts in made.values() for name, (_, sizes, _) in parts.items()}
    for name, expected in needed.items():
        _values(data, name, expected)
    rows = np.zeros((count, *shape, sum(part.stop - part.start for part in columns.values())))
    own = data[OWN_TIME if origin.staggered else "time"]
    rows[..., 0] = own.reshape(-1, *(shape if origin.staggered else [1] * len(shape)))
    for channel, parts in made.items():
        found = [_values(data, name, needed[name]).reshape(count, *shape, -1) for name in parts]
        if found:
            rows[..., columns[channel]] = joined(origin.model, channel, np.concatenate(found, axis=-1))
    return rows


def _values(data: Mapping[str, Array], name: str, expected: tuple[int, ...] | None) -> Array:
    """A variable of the shape that it should have; empty if it should hold nothing."""
    if expected is not None and 0 in expected and name not in data:
        return np.empty(expected)
    if name not in data:
        raise InputError(f"it has no variable '{name}'")
    values = data[name]
    if values.ndim != 1 if expected is None else values.shape != expected:
        raise InputError(f"variable '{name}': expected the shape {expected or '(records,)'}, got {values.shape}")
    return values


def dataframe(run: "Run") -> "pandas.DataFrame":
    """A flat table of everything that a run recorded."""
    import pandas

    batch, names = batch_dimensions(run.shape), labels(run.origin)
    columns: dict[str, Array] = {}
    for name, variable in run.data.data_vars.items():
        dims = [str(dim) for dim in variable.dims[1 + len(batch) :]]
        values = variable.values.reshape(run.time.size * run.origin.robots, *variable.shape[1 + len(batch) :])
        for index in np.ndindex(values.shape[1:]):
            parts = [names[dim][i] if dim in names else str(i) for dim, i in zip(dims, index, strict=True)]
            columns[".".join([str(name), *parts])] = values[(slice(None), *index)]
    if not batch:
        return pandas.DataFrame(columns, index=pandas.Index(run.time, name="time"))
    axes = [run.time, *(np.arange(size) for size in run.shape)]
    return pandas.DataFrame(columns, index=pandas.MultiIndex.from_product(axes, names=["time", *batch]))
