"""A scenario as a Python script that does the same."""

from collections.abc import Mapping
from typing import Any

from .expressions import Call, Name, write
from .program import Program


def script(program: Program, content: Mapping[str, Any], name: str) -> str:
    """The text of the script."""
    steps = "".join(f"{target} = {write(value, '', len(target) + 3)}\n" for target, value in program.assignments)
    steps += f"run = {write(program.simulate, '', 6)}\n"
    imports = ["from pathlib import Path\n\n"] if "here.joinpath" in steps else []
    imports += ["import numpy as np\n\n"] if "np." in steps else []
    imports += ["import spacedyn as sd\n"] + (["from spacedyn import control\n"] if "control." in steps else [])
    here = "here = Path(__file__).parent\n" if "here.joinpath" in steps else ""
    return (
        f"{_docstring(content, name)}\n\n{''.join(imports)}\n{here}{steps}\n"
        f'if __name__ == "__main__":\n    print(run.audit())\n{_looks(content, name)}'
    )


def _docstring(content: Mapping[str, Any], name: str) -> str:
    title = str(content.get("title", name)).strip().rstrip(".")
    text = "\n\n".join([f"{title}.", *([str(content["description"]).strip()] if "description" in content else [])])
    text = text.replace("\\", "\\\\").replace('"""', "'''")
    return f'"""{text}\n"""' if "\n" in text else f'"""{text}"""'


def _looks(content: Mapping[str, Any], name: str) -> str:
    """Figures and the film, as the command line makes them."""
    plots, film = content.get("plots", {}), dict(content.get("film", {}))
    options = {key: plots[key] for key in ("degrees", "style") if key in plots}
    lines = []
    for one in plots.get("figures", []):
        group = [one] if isinstance(one, str) else one
        file = "_".join(group).replace(".", "_")
        figure = write(Call(Name("run.plot"), tuple(group), options), "    ", len(file) + 16)
        lines.append(f'    {figure}.savefig("{file}.png")\n    print("{file}.png")\n')
    if "title" in content:
        film.setdefault("title", content["title"])
    # a name of its own: `spacedyn run NAME.toml --html NAME.html` is likely to have written the other
    film_of_run = Call(Name("run.to_html"), (f"{name}_script.html",), film)
    lines.append(f"    {write(Call(Name('print'), (film_of_run,)), '    ')}\n")
    return "".join(lines)
