"""Check, before simulating, that the figures and the film of a scenario can be made."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import SpacedynError, UnknownName
from ..run.run import Run
from ..show.plots.curves import check_name
from ..show.plots.style import STYLES
from ..show.viewer.film import BACKDROPS
from ..simulate.channels import kept_columns, row_width
from ..simulate.simulation import Simulation
from .line_numbers import Path


def look_faults(content: Mapping[str, Any], simulation: Simulation, more: Sequence[str] = ()) -> list[tuple[Path, str]]:
    """Faults in [plots] and [film], and in the names of `more` quantities, with their paths."""
    run = _first_record(simulation)
    plots, film = content.get("plots", {}), content.get("film", {})
    faults: list[tuple[Path, str]] = []

    def attempt(path: Path, check: Callable[..., None], *given: Any) -> None:
        try:
            check(*given)
        except SpacedynError as error:
            faults.append((path, f"{'.'.join(map(str, path))}: {error}" if path else str(error)))

    for one in plots.get("figures", []):
        for name in [one] if isinstance(one, str) else one:
            attempt(("plots", "figures"), check_name, run, name)
    for name in film.get("plots") or []:
        attempt(("film", "plots"), check_name, run, name)
    for name in more:
        attempt((), check_name, run, name)
    attempt(("plots", "style"), _among, "style", plots.get("style", "screen"), list(STYLES))
    follow = ["stay", "base", "mass", *simulation.model.endpoint_names]
    attempt(("film", "follow"), _among, "follow", film.get("follow", "stay"), follow)
    attempt(("film", "backdrop"), _among, "backdrop", film.get("backdrop", "none"), list(BACKDROPS))
    return faults


def _among(what: str, name: str, known: list[str]) -> None:
    if name not in known:
        raise UnknownName(what, name, known)


def _first_record(simulation: Simulation) -> Run:
    """A run of its first record alone, which has the names of all quantities that can be drawn."""
    columns = kept_columns(simulation.layout.row, simulation.channels)
    rows = np.zeros((1, *simulation.shape, row_width(columns)))
    rows[..., columns["t"]] = simulation.start
    rows[..., columns["x"].start : columns["u"].stop] = simulation.state._data
    return Run(simulation, rows, (), None, "unfinished", None)
