"""Columns of a row of the record, and which of them are kept."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..elements.forces import Force
from ..errors import InputError, UnknownName
from ..model.model import Model
from ..signatures import is_several

WORKS = ("joint_work", "base_work", "endpoint_work", "force_work", "event_work")
LEDGER = (*WORKS, "force_energy", "dissipated", "impulse")
"""Channels that the ledger is made of."""
ALWAYS = ("t", "x", "u")
"""Channels of a row that are always kept."""


def may_switch(laws: Sequence[Any], events: Sequence[Any]) -> bool:
    """Whether modes of joints may change during a run."""
    return any(one.switches for one in (*laws, *events))


def row_columns(
    model: Model, laws: Sequence[Any], forces: Sequence[Force] = (), events: Sequence[Any] = ()
) -> dict[str, slice]:
    """Columns of a row of the record."""
    nx, nv, nj, ne = 7 + model.nq, model.nv, model.nv - model.base_dof, len(model.endpoints)
    switching = may_switch(laws, events)
    sizes = {
        "t": 1,
        "x": nx,
        "u": nv,
        "states": sum(law.state_size for law in laws),
        "joint_work": nj,
        "base_work": 1,
        "endpoint_work": ne,
        "dissipated": 1,
        "impulse": 6,
        "force_work": len(forces),
        "event_work": int(switching or len(events) > 0),
        "forces": nv,
        "base_wrench": 6,
        "endpoint_wrenches": 6 * ne,
        "udot": nv,
        "force_energy": len(forces),
        "tension": len(forces),
        "mode": model.n if switching else 0,
        "anchor": model.nq if switching else 0,
    }
    stops = np.cumsum(list(sizes.values())).tolist()
    return {name: slice(stop - size, stop) for (name, size), stop in zip(sizes.items(), stops, strict=True)}


def chosen_channels(channels: Any, columns: dict[str, slice]) -> tuple[str, ...]:
    """The channels of a row to keep, in its order: all, or time and state and those that are named."""
    if channels is None:
        return tuple(columns)
    if not is_several(channels):
        raise InputError(f"channels: expected names of channels, such as ['forces', 'ledger'], got {channels!r}")
    wanted = [channels] if isinstance(channels, str) else list(channels)
    offered = [name for name in columns if name not in ALWAYS]
    for name in wanted:
        if not isinstance(name, str) or name not in (*columns, "ledger"):
            raise UnknownName("channel", name, [*offered, "ledger"])
    if "ledger" in wanted:
        wanted += LEDGER
    return tuple(name for name in columns if name in ALWAYS or name in wanted)


def kept_columns(columns: dict[str, slice], channels: tuple[str, ...]) -> dict[str, slice]:
    """Where the channels that are kept are in a row that holds only these."""
    kept, at = {}, 0
    for name in channels:
        size = columns[name].stop - columns[name].start
        kept[name] = slice(at, at + size)
        at += size
    return kept


def row_width(columns: dict[str, slice]) -> int:
    """Numbers in a row of one robot."""
    return sum(part.stop - part.start for part in columns.values())
