"""The record as a user sees it: named variables with dimensions, labels and units."""

import numpy as np

from ..elements.element import Element, declaration_of
from ..errors import InputError
from ..model.model import Model
from ..model.names import all_rate_names, coordinate_names, rate_names
from ..model.state_parts import BASE_RATES
from .channels import FORMER_NAMES
from .layout import Layout
from .simulation import Simulation

Array = np.ndarray
AXES = ["x", "y", "z"]
OWN_TIME = "own_time"
"""Where robots of a batch may end at different times: each one's own, which stands still when it has ended."""
SIX = ["fx", "fy", "fz", "mx", "my", "mz"]
SUMS = ["mass", "hx", "hy", "hz", "px", "py", "pz", "lx", "ly", "lz"]
"""Mass, first moment, momentum and angular momentum of what elements carry, from the base's centre of mass."""
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
    "element_work": {"element_work": (["element"], "J")},
    "event_work": {"event_work": (["jump"], "J")},
    "left": {"left": (["gone"], "kg, N s, J")},
    "contact_error": {"contact_error": (["contact_speed"], "m/s")},
    "carried": {"carried": (["sums"], "kg, kg m, N s, N m s")},
    "closure": {"closure": (["closed"], "m or rad, m/s or rad/s, 1")},
    "element_dissipated": {"element_dissipated": (["element"], "J")},
    "element_energy": {"element_energy": (["element"], "J")},
    "element_wrenches": {"element_wrench": (["pushed", "wrench"], "N, N m")},
    "mode": {"mode": (["joint"], "1 free, 2 locked, 3 prescribed")},
    "anchor": {"anchor": (["anchored"], "rad or m")},
}
"""Variables of the dataset that each channel of a row is made into: their dimensions and units."""
_IN_FILES = {"initial_state", "ledger_numbers", "state_part", "ledger", "image", "before_and_after"}
_IN_FILES |= {"event", "event_time", "event_states"}
_IN_FILES |= {"checkpoint", *(f"checkpoint_{name}" for name in ("records", "last", "ledger", "image"))}
"""What a file of a run has beside the record: variables and their dimensions."""
RESERVED = {"t", "time", OWN_TIME, "law_states", "element_states", *FORMER_NAMES} | _IN_FILES
RESERVED |= {name for channel, made in _MADE_OF.items() for name in (channel, *made)}
RESERVED |= {dim for made in _MADE_OF.values() for dims, _ in made.values() for dim in dims}
"""Names that no channel of an element can have; nor can it have that of a batch's axis."""


def check_record_names(layout: Layout) -> None:
    """Raise if an element's channel has the name of another variable, dimension or channel of the record."""
    taken: dict[str, str] = {}
    for name, one in layout.owners:
        of_element = isinstance(one, Element)
        who = f"element '{one.label}'" if of_element else f"law '{one.name}'"
        for block in one.channels if of_element else ():
            if block.name in RESERVED or block.name.rstrip("0123456789") == "robot":
                raise InputError(f"{who}: the record has its own '{block.name}'; rename the channel")
        owned = declaration_of(one)
        for block in (*owned.states, *owned.channels):
            full = f"{name}.{block.name}"
            if full in taken:
                raise InputError(f"{taken[full]} and {who} would both be '{full}' in the record; rename one")
            taken[full] = who


def labels(simulation: Simulation) -> dict[str, list[str]]:
    """Names along each dimension."""
    model, switching = simulation.model, simulation.layout.switching
    return {
        "axis": AXES,
        "xyzw": ["x", "y", "z", "w"],
        "coordinate": coordinate_names(model),
        "rate": rate_names(model),
        "all_rates": all_rate_names(model),
        "endpoint": list(model.endpoint_names),
        "wrench": SIX,
        "element": simulation.layout.names,
        "pushed": [
            f"{simulation.layout.names[i]} on {one.body or 'inertial'}" for i, one in simulation.layout.wrench_points
        ],
        "jump": ["all events"] if switching or simulation.events else [],
        "gone": ["mass", "px", "py", "pz", "energy"] if simulation.layout.loses_mass else [],
        "contact_speed": ["error", "largest"] if simulation.layout.stepping else [],
        "sums": SUMS if simulation.layout.carries else [],
        "closed": ["residual", "rate", "rank"] if simulation.layout.rows else [],
        "joint": list(model.joint_names) if switching else [],
        "anchored": coordinate_names(model) if switching else [],
        **_labels_of_blocks(simulation.layout),
    }


def _labels_of_blocks(layout: Layout) -> dict[str, list[str]]:
    """Names that elements have given to the numbers of their states and channels."""
    return {
        _part_of(f"{name}.{block.name}"): list(block.labels)
        for name, one in zip(layout.names, layout.elements, strict=True)
        for block in (*one.internal_blocks, *one.channels)
        if block.size > 1 and len(set(block.labels)) == block.size
    }


def variables(simulation: Simulation, channel: str, size: int) -> dict[str, tuple[list[str], list[int], str]]:
    """Dataset variables made of a channel: {name: (dimensions, their sizes, unit)}."""
    layout = simulation.layout
    if channel in ("law_states", "element_states"):
        first, last = (
            (0, layout.law_states) if channel == "law_states" else (layout.law_states, layout.y["states"].stop)
        )
        units = {
            f"{name}.{block.name}": block.unit
            for name, one in zip(layout.names, layout.elements, strict=True)
            for block in one.internal_blocks
        }
        return {
            name: ([_part_of(name)], [part.stop - part.start], units.get(name, ""))
            for name, part in layout.states.items()
            if first <= part.start < last
        }
    known = {name: len(values) for name, values in labels(simulation).items()}
    if channel in _MADE_OF:
        return {name: (dims, [known[dim] for dim in dims], unit) for name, (dims, unit) in _MADE_OF[channel].items()}
    if "." not in channel:
        found = [b.unit for one in layout.elements for b in one.channels if b.name == channel and b.unit]
        return {channel: (["element"], [size], " or ".join(dict.fromkeys(found)))}
    of_one = {
        f"{name}.{block.name}": block.unit
        for name, one in zip(layout.names, layout.elements, strict=True)
        for block in one.channels
    }
    return {channel: ([_part_of(channel)], [size], of_one[channel])}


def _part_of(name: str) -> str:
    """Name of the dimension of a variable that has its own; variables' names have one dot at most, so it is unique."""
    return f"{name}.part"


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


def batch_dimensions(shape: tuple[int, ...]) -> list[str]:
    """Names of the batch axes."""
    return ["robot", *(f"robot{k}" for k in range(1, len(shape)))][: len(shape)]
