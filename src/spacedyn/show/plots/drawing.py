"""Draw curves into axes: lines, bands, legends, ticks and marks of events."""

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np

from .panel import Panel
from .style import AXES, CURVES, DASHES

_MAX_SINGLE_ROBOTS = 5  # robots of a batch that are drawn one by one; more are drawn as bands
_MAX_NAMES, _MAX_MARKS = 6, 60  # most events with names, and most events with marks, in a figure
_LINE = 24  # characters of a journal's figure that fit along an axis


def color_of(panel: Panel, i: int) -> str:
    """The colour of a curve: x, y and z have their own."""
    label = panel.labels[i]
    return AXES[label] if label in AXES and len(panel.labels) <= 3 else CURVES[i % len(CURVES)]


def draw_curves(axes: Any, panel: Panel, run: int, in_print: bool) -> None:
    """The curves of a panel; in print each has a kind of line of its own, as long as there is one run."""
    values = panel.values.reshape(len(panel.x), -1, panel.values.shape[-1])
    robots = values.shape[1]
    x = np.broadcast_to(panel.x[:, None], values.shape[:2])
    if panel.ends is not None:  # a robot that has ended is drawn up to there, and no longer counts among many
        values = np.where((x <= panel.ends)[..., None], values, np.nan) if robots > _MAX_SINGLE_ROBOTS else values
        x = np.minimum(x, panel.ends)
    for i, label in enumerate(panel.labels):
        color, dash = color_of(panel, i), DASHES[(i if in_print else run + i // len(CURVES)) % len(DASHES)]
        of, shown = values[..., i], label if run == 0 else "_" + label
        if label == "energy gained":  # the sum that the works below should equal
            axes.plot(x[:, 0], of[:, 0], color="#bbbbbb", linewidth=5.0, label=shown, solid_capstyle="butt")
        elif robots <= _MAX_SINGLE_ROBOTS:
            axes.plot(x[:, 0], of[:, 0], color=color, linestyle=dash, label=shown)
            for k in range(1, robots):
                axes.plot(x[:, k], of[:, k], color=color, linestyle=dash, alpha=0.45, linewidth=0.9)
        else:
            least, low, mid, high, most = np.nanpercentile(of, [0, 5, 50, 95, 100], axis=1)
            axes.fill_between(panel.x, least, most, color=color, alpha=0.10, linewidth=0)
            axes.fill_between(panel.x, low, high, color=color, alpha=0.22, linewidth=0)
            axes.plot(panel.x, mid, color=color, linestyle=dash, label=shown)


def label_axes(axes: Any, panel: Panel, style: str, last: bool) -> None:
    """Titles, units, limits, ticks and legend."""
    unit = f"[{panel.unit}]" if panel.unit else "[–]"
    if style == "publication":
        words = panel.title.split(" [")[0].removeprefix("ledger: ").removesuffix(" (rotation vector)")
        whole = f"{words} {unit.replace(' ', '~')}"  # a unit stays on its line
        axes.set_ylabel("\n".join(textwrap.wrap(whole, _LINE)).replace("~", " "))
    else:
        axes.set_title(panel.title.split(" [")[0])
        axes.set_ylabel(unit)
    robots = int(np.prod(panel.values.shape[1:-1], dtype=int))
    if panel.spectrum:
        axes.set_xscale("log")
        axes.set_yscale("log")
        top = float(np.max(panel.values, initial=0.0)) or 1.0
        axes.set_ylim(max(1e-8 * top, float(np.min(panel.values[panel.values > 0], initial=top)) / 2), 3 * top)
    elif panel.least:
        axes.set_ylim(-panel.least, panel.least)
    if panel.ticks:
        axes.set_yticks(list(panel.ticks), list(panel.ticks.values()))
        axes.set_ylim(min(panel.ticks) - 0.3, max(panel.ticks) + 0.3)
        axes.set_ylabel("" if style != "publication" else axes.get_ylabel().removesuffix(" [–]"))
    axes.margins(x=0.0)
    axes.set_xlim(panel.x[0], panel.x[-1] if panel.x[-1] > panel.x[0] else panel.x[0] + 1.0)
    if last:
        axes.set_xlabel("frequency [Hz]" if panel.spectrum else "time [s]")
    else:
        axes.tick_params(labelbottom=False)
    if len(panel.labels) > 1 or robots > _MAX_SINGLE_ROBOTS:
        title = f"{robots} robots:\nmedian, 5–95 %,\nall" if robots > _MAX_SINGLE_ROBOTS else None
        legend = axes.legend(
            loc="upper left", bbox_to_anchor=(1.0, 1.02), borderaxespad=0.0, title=title, title_fontsize="x-small",
            ncols=1 if len(panel.labels) <= 9 else 2, handlelength=1.4, labelspacing=0.35, alignment="left",
        )  # fmt: skip
        legend.set_in_layout(True)


def mark_events(axes: Any, events: Sequence[tuple[float, str]], named: bool) -> None:
    """Draw a thin line at each event, with its name if that is wanted and there are few."""
    low, high = axes.get_xlim()
    seen = [(time, name) for time, name in events if low <= time <= high][:_MAX_MARKS]
    for time, name in seen:
        axes.axvline(time, color="#999999", linewidth=0.8, linestyle=(0, (3, 3)), zorder=0.5)
        if named and len(seen) <= _MAX_NAMES:
            late = time > low + 0.85 * (high - low)
            axes.annotate(
                name, (time, 1.0), xycoords=("data", "axes fraction"), xytext=(-2 if late else 2, -1),
                textcoords="offset points", ha="right" if late else "left", va="top", fontsize="x-small",
                color="#777777", in_layout=False,
            )  # fmt: skip
