"""Curves of what a run recorded: a variable of its dataset, with titles, labels and units."""

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...elements.element import Account
from ...simulate.variables import labels, split, variables
from .panel import ROUND_OFF, Panel
from .units import coordinate_units, pretty, rate_units, unit_in_joint

if TYPE_CHECKING:
    from ...run.run import Run

_TITLES = {
    "q": "joint coordinates",
    "qd": "joint rates",
    "tau": "joint forces",
    "udot": "accelerations",
    "base_position": "base position",
    "base_quaternion": "base attitude (quaternion)",
    "base_velocity": "base velocity",
    "base_rate": "base angular velocity",
    "joint_work": "work of joint forces",
    "base_work": "work on the base",
    "endpoint_work": "work at endpoints",
    "event_work": "work of events",
    "element_work": "work of elements",
    "element_dissipated": "dissipated in elements",
    "element_energy": "stored energy of elements",
    "dissipated": "dissipated in joints",
    "mode": "modes of joints",
    "anchor": "where locked joints are held",
}
_TITLES_BY_UNIT = {
    ("base_wrench", "N"): "force on the base",
    ("base_wrench", "N m"): "moment on the base",
    ("endpoint_wrench", "N"): "forces at endpoints",
    ("endpoint_wrench", "N m"): "moments at endpoints",
    ("element_wrench", "N"): "forces of elements",
    ("element_wrench", "N m"): "moments of elements",
    ("impulse", "N s"): "impulse",
    ("impulse", "N m s"): "angular impulse",
}
_ACCOUNTS = {
    "element_work": Account.WORK,
    "element_dissipated": Account.DISSIPATED,
    "element_energy": Account.STORED,
}
_MODES = {1: "free", 2: "locked", 3: "prescribed"}


class Variable(NamedTuple):
    """A variable of `run.data`: where its numbers are, and which of them are drawn."""

    channel: str
    part: slice  # of the channel
    labels: list[str]  # one for each number
    units: list[str]  # likewise
    of_elements: bool  # one number for each element
    drawn: list[int]  # not those of elements that have no such channel: they are zero and mean nothing


def recorded_panels(run: "Run", name: str) -> list[Panel]:
    """The curves of a variable of the dataset; where they have different units, a panel for each."""
    variable = recorded_variables(run)[name]
    values = split(run.model, variable.channel, run[variable.channel])[..., variable.part]
    whole = _TITLES.get(name, name.replace("_", " "))
    found, size = [], float(np.max(np.abs(values), initial=0.0))
    for unit in dict.fromkeys(variable.units[i] for i in variable.drawn):
        mine = [i for i in variable.drawn if variable.units[i] == unit]
        title = f"{whole}: {variable.labels[mine[0]]}" if variable.of_elements and len(mine) == 1 else whole
        curves, chosen = tuple(variable.labels[i] or title for i in mine), values[..., mine]
        small = bool(np.max(np.abs(chosen), initial=0.0) < 1e-3 * ROUND_OFF * size)  # round-off beside the others
        found.append(Panel(title, pretty(unit), curves, run.time, chosen, 1e-3 * size if small else 0.0))
    if len(found) > 1:
        found = [replace(p, title=_TITLES_BY_UNIT.get((name, p.unit), f"{p.title} [{p.unit}]")) for p in found]
    if name == "mode":
        found = [replace(panel, unit="", ticks=_MODES) for panel in found]
    return found


def recorded_variables(run: "Run") -> dict[str, Variable]:
    """Variables of `run.data` of which anything is drawn, by name."""
    found, own = {}, labels(run.simulation)
    for channel in run.simulation.channels[1:]:
        size, at = split(run.model, channel, run[channel][:1]).shape[-1], 0
        for name, (dims, sizes, unit) in variables(run.simulation, channel, size).items():
            named = [own.get(dim) or _numbered(n) for dim, n in zip(dims, sizes, strict=True)]
            titles = [".".join(parts) for parts in product(*named)]
            of_elements = dims == ["element"]
            drawn = _owners(run, name) if of_elements else list(range(len(titles)))
            if drawn:
                units = _units(run, name, unit, titles)
                found[name] = Variable(channel, slice(at, at + len(titles)), titles, units, of_elements, drawn)
            at += len(titles)
    return found


def _numbered(count: int) -> list[str]:
    """Labels 0, 1, ... of numbers without names; empty for a single number."""
    return [""] if count == 1 else [str(i) for i in range(count)]


def _owners(run: "Run", name: str) -> list[int]:
    """Which elements have a channel, or an account, of that name."""
    if name in _ACCOUNTS:
        return [i for i, one in enumerate(run.elements) if _ACCOUNTS[name] in one.accounts]
    return [i for i, one in enumerate(run.elements) if any(b.name == name and b.size == 1 for b in one.channels)]


def _units(run: "Run", name: str, unit: str, labels: list[str]) -> list[str]:
    """The unit of each curve of a variable."""
    if name == "q":
        return coordinate_units(run.model)
    if name in ("qd", "tau"):
        return rate_units(run.model, {"qd": "rad/s|m/s", "tau": "N m|N"}[name])
    if name == "udot":
        base = ["m/s²" if label.startswith("base.v") else "rad/s²" for label in labels[: run.model.base_dof]]
        return [*base, *rate_units(run.model, "rad/s²|m/s²")]
    if ", " in unit and name != "mode":  # of a wrench or an impulse
        return [unit.split(", ")[label.rpartition(".")[2].startswith("m")] for label in labels]
    return _units_of_elements(run, name) or [unit] * len(labels)


def _units_of_elements(run: "Run", name: str) -> list[str]:
    """Of a channel, one for each element, or of a state: where a block has two, that of the element's joint."""
    found = []
    for label, element in zip(run.simulation.layout.names, run.elements, strict=True):
        own = {f"{label}.{block.name}": block for block in element.internal_blocks}
        if name in own:
            return [unit_in_joint(run.model, element, own[name].unit)] * own[name].size
        same = [block.unit for block in element.channels if block.name == name and block.size == 1]
        found.append(unit_in_joint(run.model, element, same[0]) if same else "")
    return found if any(found) else []
