"""`spacedyn view` and `spacedyn plot`: a scenario, a run or a robot in the browser, or as a figure."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..run.run import Run
from ..scenario import Scenario
from .output import command, size_of
from .running import check_figures, check_target
from .source import Source


def view_what(source: Source, html: Path | None, port: int, browser: bool, as_json: bool) -> None:
    """Show it in the browser, or write a film."""
    with command(as_json) as output:
        if as_json and html is None:
            raise InputError("--json reports the files that were written: give --html film.html too")
        check_target(html, ".html", ".htm")
        what: Any = source.found()
        options: dict[str, Any] = {}
        scenario = what if isinstance(what, Scenario) else None
        if isinstance(what, Scenario):
            options = {
                key: value for key, value in what.content.get("film", {}).items() if key in ("follow", "backdrop")
            }
            if html is None and find_spec("viser") is None:
                raise InputError(
                    "the viewer needs viser: pip install 'spacedyn[view]'; or write a film, which needs nothing: "
                    f"spacedyn view {source.name} --html film.html"
                )
            what = what.run(progress=not as_json)
            output.say(f"ledger: {what.audit().verdict}", "green" if what.audit().within_budget else "red")
        if html is not None:
            from ..show.viewer.film import film

            (scenario.film(what) if scenario else film(what)).save(html)
            output.put(files=[str(html)])
            output.say(f"film  {html} ({size_of(html)})")
            return
        from ..show.viewer.live import view

        view(what, port=port, browser=browser, block=True, **options)


def plot_what(
    source: Source,
    names: list[str],
    out: Path,
    degrees: bool,
    spectrum: bool,
    publication: bool,
    as_json: bool,
) -> None:
    """A figure of a scenario or of a saved run."""
    with command(as_json) as output:
        check_figures(out.absolute().parent)
        from matplotlib.backend_bases import FigureCanvasBase

        out = out if out.suffix else out.with_name(out.name + ".png")
        check_target(out, *(f".{kind}" for kind in sorted(FigureCanvasBase.filetypes)))
        what: Any = source.found()
        if isinstance(what, Scenario):
            what.check(*names)
            what = what.run(progress=not as_json)
        if not isinstance(what, Run):
            raise InputError(f"{source.name} is a robot; give a scenario or a saved run")
        style = "publication" if publication else "screen"
        what.plot(*names, degrees=degrees, spectrum=spectrum, style=style).savefig(out)
        output.put(files=[str(out)])
        output.say(f"figure  {out} ({size_of(out)})")
