"""Write a scenario as a Python script with the same effect."""

from collections.abc import Mapping
from typing import Any

from .expressions import Call, Method, Name, names_in, write
from .figure_names import figure_groups, figure_names
from .program import Program

_IMPORTS: tuple[dict[str, str], ...] = (
    {"datetime": "import datetime\n", "here": "from pathlib import Path\n"},
    {"np": "import numpy as np\n"},
    {"sd": "import spacedyn as sd\n", "control": "from spacedyn import control\n"},
)
"""What each name needs; groups with a blank line between them."""


def script(program: Program, content: Mapping[str, Any], name: str) -> str:
    """The text of the script."""
    steps = "".join(f"{target} = {write(value, '', len(target) + 3)}\n" for target, value in program.assignments)
    steps += f"run = {write(program.simulate, '', 6)}\n"
    used = {word for _, value in (*program.assignments, ("run", program.simulate)) for word in names_in(value)}
    groups = ["".join(line for word, line in group.items() if word in used) for group in _IMPORTS]
    imports = "\n".join(group for group in groups if group)
    here = "here = Path(__file__).parent\n" if "here" in used else ""
    return (
        f"{_docstring(content, name)}\n\n{imports}\n{here}{steps}\n"
        f'if __name__ == "__main__":\n    print(run.audit())\n{_looks(content, name)}'
    )


def _docstring(content: Mapping[str, Any], name: str) -> str:
    title = str(content.get("title", name)).strip().rstrip(".")
    text = "\n\n".join([f"{title}.", *([str(content["description"]).strip()] if "description" in content else [])])
    text = "".join(_in_docstring(letter) for letter in text).replace('"""', "'''")
    return f'"""{text}\n"""' if "\n" in text else f'"""{text}"""'


def _in_docstring(letter: str) -> str:
    """A visible character unchanged; NUL and other invisible ones as `repr` writes them."""
    return letter if letter == "\n" or (letter.isprintable() and letter != "\\") else repr(letter)[1:-1]


def _looks(content: Mapping[str, Any], name: str) -> str:
    """Lines of code that make figures and film as the command line does."""
    plots, film = content.get("plots", {}), dict(content.get("film", {}))
    options = {key: plots[key] for key in ("degrees", "style") if key in plots}
    steps: list[Call] = []
    groups = figure_groups(content) if "figures" in plots else []
    for group, file in zip(groups, figure_names(groups), strict=True):
        figure = Call(Name("run.plot"), tuple(group), options)
        steps.append(Call(Method(figure, "savefig"), (f"{file}.png",)))
        steps.append(Call(Name("print"), (f"{file}.png",)))
    if "title" in content:
        film.setdefault("title", content["title"])
    # a name of its own: `spacedyn run NAME.toml --html NAME.html` is likely to have written the other
    steps.append(Call(Name("print"), (Call(Name("run.to_html"), (f"{name}_script.html",), film),)))
    return "".join(f"    {write(step, '    ')}\n" for step in steps)
