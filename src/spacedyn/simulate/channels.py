"""Columns of a row of the record, and which of them are kept."""

from typing import Any

from ..errors import InputError, UnknownName
from ..signatures import is_several
from .layout import end_of, in_order

WORKS = ("joint_work", "base_work", "endpoint_work", "element_work", "event_work")
LOSSES = ("dissipated", "element_dissipated")
LEDGER = (*WORKS, "element_energy", *LOSSES, "impulse", "left", "contact_error", "carried", "closure")
"""Channels that the ledger is made of."""
FORMER_NAMES = {
    "states": "law_states",
    "force_work": "element_work",
    "force_energy": "element_energy",
    "force_dissipated": "element_dissipated",
}
"""Names that channels had before; they go on working: `run["force_work"]`, `channels=["states"]`, files."""
ALWAYS = ("t", "x", "u")
"""Channels of a row that are always kept."""


def present_name(name: str) -> str:
    """The present name of a channel, or of one of its curves ('channel.curve'), that is given by a former one.

    >>> present_name("force_work"), present_name("force_work.line"), present_name("tau")
    ('element_work', 'element_work.line', 'tau')
    """
    channel, dot, curve = name.partition(".")
    return f"{FORMER_NAMES.get(channel, channel)}{dot}{curve}"


def chosen_channels(channels: Any, columns: dict[str, slice]) -> tuple[str, ...]:
    """The channels of a row to keep, in its order: all, or time and state and those that are named."""
    if channels is None:
        return tuple(columns)
    if not is_several(channels):
        raise InputError(f"channels: expected names of channels, such as ['forces', 'ledger'], got {channels!r}")
    wanted = [channels] if isinstance(channels, str) else list(channels)
    wanted = [present_name(name) if isinstance(name, str) else name for name in wanted]
    offered = [name for name in columns if name not in ALWAYS]
    for name in wanted:
        if not isinstance(name, str) or name not in (*columns, "ledger"):
            raise UnknownName("channel", name, [*offered, "ledger"])
    if "ledger" in wanted:
        wanted += LEDGER
    return tuple(name for name in columns if name in ALWAYS or name in wanted)


def kept_columns(columns: dict[str, slice], channels: tuple[str, ...]) -> dict[str, slice]:
    """Columns of the chosen channels in a row that holds only these."""
    return in_order({name: columns[name].stop - columns[name].start for name in channels})


def row_width(columns: dict[str, slice]) -> int:
    """Numbers in a row of one robot."""
    return end_of(columns)
