"""`spacedyn list`: bundled robots and scenarios, ready-made laws, motions, elements and methods."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from ..errors import UnknownName
from ..laws import ready_made as control
from ..model.files.load import available, load
from ..scenario import Scenario, scenarios
from ..scenario.faults import parameters_of
from ..scenario.program import ELEMENTS, METHODS, parameters_of_kind
from .output import command


def list_all(what: str | None, as_json: bool) -> None:
    """Names, each with a line about it."""
    sorts: dict[str, Callable[[], Mapping[str, Any]]] = {
        "scenarios": lambda: {name: Scenario.from_toml(name).content.get("title", "") for name in scenarios()},
        "robots": lambda: {name: repr(load(name)).partition(": ")[2].rstrip(">") for name in available()},
        "laws": lambda: {name: _described(made, ("model", "state")) for name, made in control.LAWS.items()},
        "motions": lambda: {name: _described(made) for name, made in control.MOTIONS.items()},
        "elements": lambda: {kind: _about(made, *parameters_of_kind(kind)) for kind, made in ELEMENTS.items()},
        "methods": lambda: {name: _first_line(made) for name, made in METHODS.items()},
    }
    with command(as_json) as output:
        if what is not None and what not in sorts:
            raise UnknownName("list", what, list(sorts))
        for sort in [what] if what else sorts:
            found = sorts[sort]()
            output.put(**{sort: found})
            output.say(sort, "bold")
            width = max(map(len, found))
            for name, about in found.items():
                output.say(f"  {name:{width}s}  {about if isinstance(about, str) else about['about']}")
                if what and not isinstance(about, str):
                    needed = [f"{p} (needed)" if p in about["needed"] else p for p in about["parameters"]]
                    output.say(f"  {'':{width}s}    {', '.join(needed)}", "dim")


def _first_line(made: Any) -> str:
    return (inspect.getdoc(made) or "").partition("\n")[0]


def _described(made: Any, given: tuple[str, ...] = ()) -> dict[str, Any]:
    return _about(made, *parameters_of(made, given))


def _about(made: Any, parameters: list[str], needed: list[str]) -> dict[str, Any]:
    return {"about": _first_line(made), "parameters": parameters, "needed": needed}
