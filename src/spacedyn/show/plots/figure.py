"""Figures of a run by matplotlib: `Run.plot`."""

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import InputError, UnknownName
from ...reals import one_number
from ...simulate.simulation import Recorded
from .curves import key_names, panels
from .drawing import draw_curves, label_axes, mark_events
from .panel import Panel
from .style import DASHES, HEIGHTS, STYLES, WIDTHS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ...run.run import Run


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
    happened = [(event.time, event.name) for event in run.events] if not (spectrum or run.shape) else []
    with matplotlib.rc_context(STYLES[style]):
        return _draw(list(each.values()), list(each), style, width, columns, happened)


def named_runs(against: "Run | Sequence[Run] | Mapping[str, Run]") -> "dict[str, Run]":
    """Other runs by name: as given, or numbered."""
    if isinstance(against, Mapping):
        named = {str(name): run for name, run in against.items()}
    else:
        many = list(against) if isinstance(against, Sequence) else [against]
        named = {f"run {i}": run for i, run in enumerate(many, start=2)}
    for run in named.values():
        if not isinstance(run, Recorded):
            raise InputError(f"against: expected runs, or a dict of them by name, got {type(run).__name__}")
    return named


def _draw(
    each: list[list[Panel]],
    labels: list[str],
    style: str,
    width: float | str | None,
    columns: int | None,
    happened: list[tuple[float, str]],
) -> "Figure":
    count = len(each[0])
    if columns is not None and not 1 <= columns <= 100:
        raise InputError(f"columns: expected 1 or more, got {columns}")
    across = columns or (1 if count <= 3 or style == "publication" else 2)
    rows = -(-count // across)
    if isinstance(width, str) and width not in WIDTHS:
        raise UnknownName("width", width, list(WIDTHS))
    if not isinstance(width, str) and width is not None and not 0.0 < one_number("width", width) < 1e3:
        raise InputError(f"width: expected a positive length, got {width}")
    wide = WIDTHS[width if isinstance(width, str) else style] if not isinstance(width, int | float) else float(width)
    wide *= 1.4 if across > 1 and width is None else 1.0
    tall = max(HEIGHTS[style] * rows, 1.15 * HEIGHTS[style])
    figure = _new_figure(STYLES[style], figsize=(wide, tall), layout="constrained")
    grid = figure.subplots(rows, across, squeeze=False)
    for i, panel in enumerate(each[0]):
        axes = grid[i % rows, i // rows]  # down first: related panels stay together
        for run, others in enumerate(each):
            same = panel if run == 0 else _counterpart(others, panel)
            if same is not None:
                draw_curves(axes, same, run, style == "publication" and len(each) == 1)
        label_axes(axes, panel, style, last=i % rows == rows - 1 or i == count - 1)
        mark_events(axes, happened, named=i % rows == 0)
    for i in range(count, rows * across):
        grid[i % rows, i // rows].set_visible(False)
    if len(each) > 1:
        _name_runs(figure, labels)
    return figure


def _counterpart(others: list[Panel], panel: Panel) -> Panel | None:
    return next((other for other in others if (other.title, other.unit) == (panel.title, panel.unit)), None)


def _name_runs(figure: Any, labels: list[str]) -> None:
    from matplotlib.lines import Line2D

    lines = [
        Line2D([], [], color="#444444", linestyle=DASHES[i % len(DASHES)], label=label or "this run")
        for i, label in enumerate(labels)
    ]
    figure.legend(handles=lines, loc="outside lower left", ncols=len(labels))


def _new_figure(settings: Mapping[str, Any], **options: Any) -> "Figure":
    """A figure outside pyplot: no window opens, figures do not accumulate, and a notebook shows it once.

    matplotlib reads fonts and file settings when a figure is written, so the figure keeps its style until then.
    """
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    class RunFigure(Figure):  # type: ignore[misc]
        def savefig(self, *arguments: Any, **named: Any) -> None:
            with rc_context(settings):
                super().savefig(*arguments, **named)

        def draw(self, renderer: Any) -> None:
            with rc_context(settings):
                super().draw(renderer)

        def _repr_png_(self) -> bytes:
            image = io.BytesIO()
            self.savefig(image, format="png", dpi=self.dpi)
            return image.getvalue()

    figure = RunFigure(**options)
    FigureCanvasAgg(figure)
    return figure
