"""Rings about a point, by name: maps of what depends on a distance alone."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InputError, UnknownName
from ...reals import one_number
from .style import CURVES, STYLES

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_rings(rings: Mapping[str, np.ndarray], label: str, style: str = "screen", width: float = 4.6) -> "Figure":
    """A square figure with a colour for each family of rings (count, 2): inner and outer radius.

    >>> figure = draw_rings({"far": np.array([[1.0, 2.0]]), "near": np.zeros((0, 2))}, "distance [m]")
    >>> [len(axes.patches) for axes in figure.axes]
    [1]
    """
    if style not in STYLES:
        raise UnknownName("style", style, list(STYLES))
    if not 0.0 < one_number("width", width) < 1e3:
        raise InputError(f"width: expected a positive length, got {width}")
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from matplotlib.patches import Patch, Wedge
    except ModuleNotFoundError as error:
        raise InputError("figures need matplotlib: pip install 'spacedyn[plots]'") from error
    with rc_context(STYLES[style]):
        figure = Figure(figsize=(width, width), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots()
        handles = []
        for color, (name, family) in zip((CURVES[2], CURVES[1], *CURVES), rings.items(), strict=False):
            for inner, outer in family:
                thick = max(outer - inner, 0.004 * outer)  # a ring without width is still seen
                axes.add_patch(Wedge((0.0, 0.0), outer, 0, 360, width=thick, color=color, alpha=0.75, linewidth=0))
            handles.append(Patch(color=color, alpha=0.75, label=name))
        far = max((float(family.max()) for family in rings.values() if family.size), default=1.0) * 1.05
        axes.plot(0.0, 0.0, "+", color="#444444")
        axes.set(xlim=(-far, far), ylim=(-far, far), aspect="equal", xlabel=label, ylabel=label)
        figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return figure
