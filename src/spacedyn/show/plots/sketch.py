"""Small figures of a run for notebooks: SVG that needs no other package, on a light or a dark page."""

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from .curves import key_names, panels
from .panel import Panel
from .style import AXES, CURVES

if TYPE_CHECKING:
    from ...run.run import Run

_WIDTH, _HEIGHT, _POINTS, _MAX_PANELS = 250, 96, 240, 4


def sketches(run: "Run") -> str:
    """The default panels in a row; of a batch, its first robot.

    >>> import spacedyn as sd
    >>> robot = sd.load("ets7")
    >>> run = sd.simulate(robot, robot.state(qd=[0.1, 0, 0, 0, 0, 0]), 2.0, record=0.1)
    >>> sketches(run).count("<svg")
    3
    """
    if len(run.time) < 2:
        return ""
    chosen = [name for name in key_names(run) if name not in ("ledger", "energy", "momentum")]
    found = [panel for name in chosen for panel in panels(run, name) if panel.unit]  # parts of quaternions say little
    drawn = "".join(sketch(panel) for panel in found[:_MAX_PANELS])
    return f'<div style="display:flex;flex-wrap:wrap;gap:4px 18px;margin:6px 0">{drawn}</div>'


def sketch(panel: Panel) -> str:
    """One panel: its curves, what they are, and how far they go."""
    values = panel.values.reshape(len(panel.x), -1, panel.values.shape[-1])[:, 0]
    at = np.unique(np.linspace(0, len(panel.x) - 1, _POINTS).astype(int))
    low, high = float(values.min()), float(values.max())
    room = max(0.5 * (high - low), panel.least, 1e-12 * max(abs(low), abs(high))) or 0.5
    middle = 0.5 * (low + high)
    x = _WIDTH * (panel.x[at] - panel.x[0]) / (panel.x[-1] - panel.x[0])
    y = 4 + (_HEIGHT - 8) * 0.5 * (1.0 - (values[at] - middle) / room)
    lines = ""
    for i, label in enumerate(panel.labels):
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y[:, i], strict=True))
        color = AXES.get(label, CURVES[i % len(CURVES)])
        style = f'fill="none" stroke="{color}" stroke-width="1.5"'
        lines += f'<polyline points="{points}" {style}><title>{escape(label)}</title></polyline>'
    unit = f" {panel.unit}" if panel.unit else ""
    title = escape(panel.title.split(" [")[0])
    span = escape(f"{low:.3g} … {high:.3g}{unit}, {panel.x[0]:g} … {panel.x[-1]:g} s")
    frame = f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="none" stroke="currentColor" stroke-opacity="0.25"/>'
    return (
        f'<div style="font-size:12px"><div style="font-weight:600">{title}</div>'
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}">{frame}{lines}</svg>'
        f'<div style="opacity:0.7">{span}</div></div>'
    )
