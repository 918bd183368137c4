"""A Run as an xarray Dataset, or as a flat table: named joints, bodies and axes, with units."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError
from ..simulate.channels import row_width
from ..simulate.simulation import Simulation
from ..simulate.variables import OWN_TIME, batch_dimensions, joined, labels, split, variables

if TYPE_CHECKING:
    import pandas
    import xarray

    from .record import Record

Array = np.ndarray


def dataset(run: "Record") -> "xarray.Dataset":
    """Everything that a run recorded; one dimension for each batch axis (robot, robot1, …)."""
    import xarray

    model = run.model
    batch = batch_dimensions(run.shape)
    coords: dict[str, Any] = {"time": ("time", run.time, {"units": "s"}), **labels(run.simulation)}
    found: dict[str, Any] = {}
    if run.simulation.staggered:
        found[OWN_TIME] = (["time", *batch], np.asarray(run["t"][..., 0]), {"units": "s"})
    for channel in run.simulation.channels[1:]:
        values, at = split(model, channel, run[channel]), 0
        for name, (dims, sizes, unit) in variables(run.simulation, channel, values.shape[-1]).items():
            count = int(np.prod(sizes, dtype=int))
            part = values[..., at : at + count].reshape(*values.shape[:-1], *sizes)
            found[name] = (["time", *batch, *dims], np.asarray(part), {"units": unit} if unit else {})
            at += count
    return xarray.Dataset(found, coords, run.provenance)


def rows_of(data: Mapping[str, Array], simulation: Simulation, columns: dict[str, slice]) -> Array:
    """The rows of a record, from the variables of its dataset; empty variables may be missing."""
    count, shape = len(_values(data, "time", None)), simulation.shape
    needed = {"time": (count,)} if not simulation.staggered else {"time": (count,), OWN_TIME: (count, *shape)}
    made = {name: variables(simulation, name, part.stop - part.start) for name, part in list(columns.items())[1:]}
    needed |= {name: (count, *shape, *sizes) for parts in made.values() for name, (_, sizes, _) in parts.items()}
    for name, expected in needed.items():
        _values(data, name, expected)
    rows = np.zeros((count, *shape, row_width(columns)))
    own = data[OWN_TIME if simulation.staggered else "time"]
    rows[..., 0] = own.reshape(-1, *(shape if simulation.staggered else [1] * len(shape)))
    for channel, parts in made.items():
        found = [_values(data, name, needed[name]).reshape(count, *shape, -1) for name in parts]
        if found:
            rows[..., columns[channel]] = joined(simulation.model, channel, np.concatenate(found, axis=-1))
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


def dataframe(run: "Record") -> "pandas.DataFrame":
    """A flat table of everything that a run recorded."""
    import pandas

    batch, names = batch_dimensions(run.shape), labels(run.simulation)
    columns: dict[str, Array] = {}
    for name, variable in run.data.data_vars.items():
        dims = [str(dim) for dim in variable.dims[1 + len(batch) :]]
        values = variable.values.reshape(run.time.size * run.simulation.robots, *variable.shape[1 + len(batch) :])
        for index in np.ndindex(values.shape[1:]):
            parts = [names[dim][i] if dim in names else str(i) for dim, i in zip(dims, index, strict=True)]
            columns[".".join([str(name), *parts])] = values[(slice(None), *index)]
    if not batch:
        return pandas.DataFrame(columns, index=pandas.Index(run.time, name="time"))
    axes = [run.time, *(np.arange(size) for size in run.shape)]
    return pandas.DataFrame(columns, index=pandas.MultiIndex.from_product(axes, names=["time", *batch]))
