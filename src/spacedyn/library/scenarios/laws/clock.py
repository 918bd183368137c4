"""A condition for events: the clock reaches a time, as in `ssrms_berthing`."""

from typing import Any

import spacedyn as sd


@sd.condition
def clock(t: float, s: Any, p: Any, out: Any) -> None:
    """Positive from p.at [s] on."""
    out.value[0] = t - p.at
