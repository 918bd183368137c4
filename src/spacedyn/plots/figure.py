"""One-line figures of a run, by matplotlib."""

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError, UnknownName
from .curves import key_names, panels
from .panel import Panel
from .style import AXES, CURVES, DASHES, HEIGHTS, STYLES, WIDTHS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ..run import Run

Array = np.ndarray
_FEW = 5  # robots of a batch that are drawn one by one; more are drawn as bands


def plot(
    run: "Run",
    *names: str,
    against: "Run | Sequence[Run] | Mapping[str, Run]" = (),
    spectrum: bool = False,
    degrees: bool = False,
    style: str = "screen",
    width: float | str | None = None,
    columns: int | None = None,
) -> "Figure":
    """A figure with a panel for each quantity; see `Run.plot`."""
    if style not in STYLES:
        raise UnknownName("style", style, list(STYLES))
    try:
        import matplotlib
    except ModuleNotFoundError as error:
        raise InputError("figures need matplotlib: pip install 'spacedyn[plots]'") from error
    runs = {"": run, **named_runs(against)}
    wanted = names or tuple(key_names(run))
    choice = {"degrees": degrees, "spectrum": spectrum}
    each = {label: [p for name in wanted for p in panels(one, name, **choice)] for label, one in runs.items()}
    with matplotlib.rc_context(STYLES[style]):
        return _draw(list(each.values()), list(each), style, width, columns)


def named_runs(against: "Run | Sequence[Run] | Mapping[str, Run]") -> "dict[str, Run]":
    """Other runs by name: as given, or numbered."""
    if isinstance(against, Mapping):
        return {str(name): run for name, run in against.items()}
    many = list(against) if isinstance(against, Sequence) else [against]
    for run in many:
        if not hasattr(run, "origin"):
            raise InputError(f"against: expected runs, or a dict of them by name, got {type(run).__name__}")
    return {f"run {i}": run for i, run in enumerate(many, start=2)}


def _draw(
    each: list[list[Panel]], labels: list[str], style: str, width: float | str | None, columns: int | None
) -> "Figure":
    count = len(each[0])
    across = columns or (1 if count <= 3 or style == "publication" else 2)
    rows = -(-count // across)
    if isinstance(width, str) and width not in WIDTHS:
        raise UnknownName("width", width, list(WIDTHS))
    wide = WIDTHS[width if isinstance(width, str) else style] if not isinstance(width, int | float) else float(width)
    wide *= 1.4 if across > 1 and width is None else 1.0
    tall = max(HEIGHTS[style] * rows, 1.15 * HEIGHTS[style])
    figure = _new_figure(figsize=(wide, tall), layout="constrained")
    grid = figure.subplots(rows, across, squeeze=False)
    for i, panel in enumerate(each[0]):
        axes = grid[i % rows, i // rows]  # down first: related panels stay together
        for run, others in enumerate(each):
            same = panel if run == 0 else _counterpart(others, panel)
            if same is not None:
                _curves(axes, same, run, labels[run])
        _dress(axes, panel, style, last=i % rows == rows - 1 or i == count - 1)
    for i in range(count, rows * across):
        grid[i % rows, i // rows].set_visible(False)
    if len(each) > 1:
        _name_runs(figure, labels)
    return figure


def _counterpart(others: list[Panel], panel: Panel) -> Panel | None:
    return next((other for other in others if (other.title, other.unit) == (panel.title, panel.unit)), None)


def color_of(panel: Panel, i: int) -> str:
    """The colour of a curve: x, y and z have their own."""
    label = panel.labels[i]
    return AXES[label] if label in AXES and len(panel.labels) <= 3 else CURVES[i % len(CURVES)]


def _curves(axes: Any, panel: Panel, run: int, name: str) -> None:
    values = panel.values.reshape(len(panel.x), -1, panel.values.shape[-1])
    robots = values.shape[1]
    for i, label in enumerate(panel.labels):
        color, dash = color_of(panel, i), DASHES[(run + i // len(CURVES)) % len(DASHES)]
        of, shown = values[..., i], label if run == 0 else "_" + label
        if label == "energy gained":  # what the works below it should add up to
            axes.plot(panel.x, of[:, 0], color="#bbbbbb", linewidth=5.0, label=shown, solid_capstyle="butt")
        elif robots <= _FEW:
            axes.plot(panel.x, of[:, 0], color=color, linestyle=dash, label=shown)
            for k in range(1, robots):
                axes.plot(panel.x, of[:, k], color=color, linestyle=dash, alpha=0.45, linewidth=0.9)
        else:
            low, mid, high = np.percentile(of, [5, 50, 95], axis=1)
            axes.fill_between(panel.x, of.min(axis=1), of.max(axis=1), color=color, alpha=0.10, linewidth=0)
            axes.fill_between(panel.x, low, high, color=color, alpha=0.22, linewidth=0)
            axes.plot(panel.x, mid, color=color, linestyle=dash, label=shown)


def _dress(axes: Any, panel: Panel, style: str, last: bool) -> None:
    unit = f"[{panel.unit}]" if panel.unit else "[–]"
    if style == "publication":
        words = panel.title.split(" [")[0].removeprefix("ledger: ").removesuffix(" (rotation vector)")
        axes.set_ylabel(f"{words}{chr(10) if len(words) > 18 else ' '}{unit}")
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
    axes.margins(x=0.0)
    axes.set_xlim(panel.x[0], panel.x[-1] if panel.x[-1] > panel.x[0] else panel.x[0] + 1.0)
    if last:
        axes.set_xlabel("frequency [Hz]" if panel.spectrum else "time [s]")
    else:
        axes.tick_params(labelbottom=False)
    if len(panel.labels) > 1 or robots > _FEW:
        title = f"{robots} robots:\nmedian, 5–95 %,\nall" if robots > _FEW else None
        legend = axes.legend(
            loc="upper left", bbox_to_anchor=(1.0, 1.02), borderaxespad=0.0, title=title, title_fontsize="x-small",
            ncols=1 if len(panel.labels) <= 9 else 2, handlelength=1.4, labelspacing=0.35, alignment="left",
        )  # fmt: skip
        legend.set_in_layout(True)


def _name_runs(figure: Any, labels: list[str]) -> None:
    from matplotlib.lines import Line2D

    lines = [
        Line2D([], [], color="#444444", linestyle=DASHES[i % len(DASHES)], label=label or "this run")
        for i, label in enumerate(labels)
    ]
    figure.legend(handles=lines, loc="outside lower left", ncols=len(labels))


def _new_figure(**options: Any) -> "Figure":
    """A figure that belongs to nobody: no window opens, nothing piles up, and a notebook shows it once."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    class RunFigure(Figure):  # type: ignore[misc]
        def _repr_png_(self) -> bytes:
            image = io.BytesIO()
            self.savefig(image, format="png", dpi=self.dpi)
            return image.getvalue()

    figure = RunFigure(**options)
    FigureCanvasAgg(figure)
    return figure
