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
from .running import check_folder


def what_is(name: str, change: list[str]) -> Any:
    """A Scenario, a Run or a Model by its name or file."""
    suffix = Path(name).suffix.lower()
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


def view_what(name: str, change: list[str], html: Path | None, port: int, browser: bool) -> None:
    """In the browser, or as a film."""
    with command() as output:
        check_folder(html)
        what = what_is(name, change)
        options: dict[str, Any] = {}
        if isinstance(what, Scenario):
            options = {
                key: value for key, value in what.content.get("film", {}).items() if key in ("follow", "backdrop")
            }
            if html is None and find_spec("viser") is None:
                raise InputError(
                    "the viewer needs viser: pip install 'spacedyn[view]'; or write a film, which needs nothing: "
                    f"spacedyn view {name} --html film.html"
                )
            what = what.run()
            output.say(f"ledger: {what.audit().verdict}", "green" if what.audit().within_budget else "red")
        if html is not None:
            from ..viewer.film import film

            film(what, **options).save(html)
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
        check_folder(out)
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
