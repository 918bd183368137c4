"""`spacedyn view` and `spacedyn plot`."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..errors import InputError, UnknownName
from ..model.load import available, load
from ..run import Run
from ..scenario import Scenario, scenarios
from ..scenario.reading import is_scenario
from .output import command, size_of
from .running import check_figures, check_target


def what_is(name: str, change: list[str]) -> Any:
    """A Scenario, a Run or a Model by its name or file."""
    suffix = Path(name).suffix.lower()
    if not name.strip():
        raise InputError("give the name of a scenario, a robot or a file; spacedyn list has those that come along")
    if suffix == ".nc" or (Path(name).is_dir() and not suffix):
        if not Path(name).exists():
            raise InputError(f"there is no file {name}")
        return Run.load(name)
    if suffix == ".toml" and is_scenario(name):
        return Scenario.from_toml(name, change=change)
    if suffix:
        return load(name)
    if name in scenarios():  # a scenario may have the name of its robot
        return Scenario.from_toml(name, change=change)
    if name in available():
        return load(name)
    raise UnknownName("scenario or robot that comes along", name, [*scenarios(), *available()])


def view_what(name: str, change: list[str], html: Path | None, port: int, browser: bool, as_json: bool) -> None:
    """In the browser, or as a film."""
    with command(as_json) as output:
        if as_json and html is None:
            raise InputError("--json tells of files that were written: give --html film.html too")
        check_target(html, ".html", ".htm")
        what = what_is(name, change)
        options: dict[str, Any] = {}
        scenario = what if isinstance(what, Scenario) else None
        if isinstance(what, Scenario):
            options = {
                key: value for key, value in what.content.get("film", {}).items() if key in ("follow", "backdrop")
            }
            if html is None and find_spec("viser") is None:
                raise InputError(
                    "the viewer needs viser: pip install 'spacedyn[view]'; or write a film, which needs nothing: "
                    f"spacedyn view {name} --html film.html"
                )
            what = what.run(progress=not as_json)
            output.say(f"ledger: {what.audit().verdict}", "green" if what.audit().within_budget else "red")
        if html is not None:
            from ..viewer.film import film

            (scenario.film(what) if scenario else film(what)).save(html)
            output.put(files=[str(html)])
            output.say(f"film  {html} ({size_of(html)})")
            return
        from ..viewer.live import view

        view(what, port=port, browser=browser, block=True, **options)


def plot_what(
    name: str,
    names: list[str],
    change: list[str],
    out: Path,
    degrees: bool,
    spectrum: bool,
    print_: bool,
    as_json: bool,
) -> None:
    """A figure of a scenario or of a saved run."""
    with command(as_json) as output:
        check_figures(out.absolute().parent)
        from matplotlib.backend_bases import FigureCanvasBase

        out = out if out.suffix else out.with_name(out.name + ".png")
        check_target(out, *(f".{kind}" for kind in sorted(FigureCanvasBase.filetypes)))
        what = what_is(name, change)
        if isinstance(what, Scenario):
            what.check(*names)
            what = what.run(progress=not as_json)
        if not isinstance(what, Run):
            raise InputError(f"{name} is a robot; give a scenario or a saved run")
        style = "publication" if print_ else "screen"
        what.plot(*names, degrees=degrees, spectrum=spectrum, style=style).savefig(out)
        output.put(files=[str(out)])
        output.say(f"figure  {out} ({size_of(out)})")
