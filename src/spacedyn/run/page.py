"""A run in a notebook: its simulation, small figures, the ledger."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..markup import table
from ..show.plots.sketch import sketches
from ..simulate.events import EventOccurrence

if TYPE_CHECKING:
    from .run import Run


def run_page(run: "Run") -> str:
    """HTML of a run."""
    made = run.provenance
    of = {
        "laws": ", ".join(made["laws"]),
        "elements": ", ".join(made["elements"]),
        "events": events_in_words(run.events),
        "robots": str(run.simulation.robots) if run.shape else "",
        "gravity": "" if run.gravity is None else f"{run.gravity.tolist()} m/s²",
        "method": made["method"],
        "recorded": ", ".join(run.simulation.channels),
        "notes": "; ".join(run.notes),
    }
    facts = table(repr(run)[1:-1], ["", ""], [[name, text] for name, text in of.items() if text])
    return facts + sketches(run) + (run.audit()._repr_html_() if run.time.size else "")


def events_in_words(events: Sequence[EventOccurrence], most: int = 8) -> str:
    """The first few events in words."""
    described = [
        f"{one.name}{f' of robot {one.robot}' if one.robot else ''} at {one.time:g} s" for one in events[:most]
    ]
    return ", ".join([*described, f"{len(events) - most} more"] if len(events) > most else described)
