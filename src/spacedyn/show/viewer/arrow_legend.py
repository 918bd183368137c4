"""Legend of the arrows: a line for each kind, in its colour, with its largest magnitude."""

from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from .actors import Actor
from .colors import ANGULAR_MOMENTUM, LINEAR_MOMENTUM

HALVES = (slice(3), slice(3, 6))
MOMENTUM_COLORS = (LINEAR_MOMENTUM, ANGULAR_MOMENTUM)


def largest_momenta(actors: Sequence[Actor]) -> list[float]:
    """The largest momenta of all robots and instants: linear [kg m/s] and angular [kg m²/s]."""
    return [max(float(np.linalg.norm(a.momentum[:, own], axis=-1).max()) for a in actors) for own in HALVES]


def keys(actor: Actor, momenta: Sequence[float]) -> list[dict[str, Any]]:
    """The lines of the legend: `of` (the kind of arrow), `text` and `color`."""
    found = [
        {"of": a.kind, "text": f"{a.label}: up to {a.most:.3g} {a.unit}", "color": a.color}
        for a in actor.arrows
        if not a.line
    ]
    for label, unit, color, value in zip(
        ("linear", "angular"), ("kg m/s", "kg m²/s"), MOMENTUM_COLORS, momenta, strict=True
    ):
        found.append({"of": "momentum", "text": f"{label} momentum: up to {value:.3g} {unit}", "color": color})
    return found


def as_html(lines: Sequence[dict[str, Any]]) -> str:
    """The lines as HTML.

    >>> as_html([{"of": "forces", "text": "push: up to 2 N", "color": (1.0, 0.5, 0.0)}]).count("rgb(255,128,0)")
    1
    """
    made = []
    for line in lines:
        color = ",".join(str(round(255 * part)) for part in line["color"])
        style = f"border-left:10px solid rgb({color});padding-left:6px;margin:3px 0;font-size:12px;line-height:1.2"
        made.append(f'<div style="{style}">{escape(line["text"])}</div>')
    return f'<div style="padding:0 0.75em 0.5em">{"".join(made)}</div>' if made else ""
