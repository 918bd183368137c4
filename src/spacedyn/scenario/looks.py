"""Whether the figures and the film that a scenario asks for can be made, before it is simulated."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..channels import row_columns
from ..errors import SpacedynError, UnknownName
from ..origin import Origin
from ..plots.curves import check_name
from ..plots.style import STYLES
from ..run import Run
from ..viewer.film import BACKDROPS
from .lines import Path


def look_faults(content: Mapping[str, Any], origin: Origin, more: Sequence[str] = ()) -> list[tuple[Path, str]]:
    """What is wrong with [plots] and [film], and with names of `more` quantities, by its path."""
    run = _first_record(origin)
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
    follow = ["stay", "base", "mass", *origin.model.endpoint_names]
    attempt(("film", "follow"), _among, "follow", film.get("follow", "stay"), follow)
    attempt(("film", "backdrop"), _among, "backdrop", film.get("backdrop", "none"), list(BACKDROPS))
    return faults


def _among(what: str, name: str, known: list[str]) -> None:
    if name not in known:
        raise UnknownName(what, name, known)


def _first_record(origin: Origin) -> Run:
    """A run of the start alone: what there is to draw has the same names as at the end."""
    columns = row_columns(origin.model, origin.laws, origin.forces, origin.events)
    width = sum(columns[name].stop - columns[name].start for name in origin.channels)
    rows = np.zeros((1, *origin.shape, width))
    size = origin.state._data.shape[-1]
    rows[..., 0], rows[..., 1 : 1 + size] = origin.start, origin.state._data  # time and state come first
    return Run(origin, rows, (), None, "unfinished", None)
