"""Sphinx: MyST pages, and a reference made from the package's public names."""

import sys
from pathlib import Path
from types import ModuleType

from sphinx.application import Sphinx

import spacedyn

sys.path.insert(0, str(Path(__file__).parent))
import pages

project = "spacedyn"
author = "spacedyn contributors"
copyright = author
version = release = spacedyn.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.mathjax", "numpydoc"]
exclude_patterns = ["_build", "made/extra"]
default_role = "code"  # single backticks in docstrings are code, as in Markdown

myst_enable_extensions = ["dollarmath", "amsmath", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "auto"
nb_execution_raise_on_error = True
nb_execution_in_temp = True  # what cells write goes nowhere
nb_execution_timeout = 300
nb_merge_streams = True

numpydoc_show_class_members = False  # autodoc lists them
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # shapes, units and frames stand in the docstrings
autosummary_generate = False

html_theme = "furo"
html_title = f"spacedyn {release}"
html_show_sourcelink = False
html_extra_path = ["made/extra"]
html_static_path = ["_static"]
html_css_files = ["wide.css"]
html_theme_options = {"source_directory": "docs/", "navigation_with_keys": True}


IN_TWO_FILES = ("Model", "Run")
"""Classes that have members of a base of their own (model/structure.py, run/record.py)."""


def topics() -> dict[str, list[str]]:
    """The public names by the module or subpackage that they come from, in the order of `__all__`."""
    found: dict[str, list[str]] = {}
    for name in spacedyn.__all__:
        thing = getattr(spacedyn, name)
        home = thing.__name__ if isinstance(thing, ModuleType) else getattr(thing, "__module__", "")
        if home.startswith("spacedyn."):  # names of other packages are described there
            found.setdefault(home.split(".")[1], []).append(name)
    return found


def directive(name: str) -> str:
    """What documents a public name: a module and a class with their members, or a function."""
    thing = getattr(spacedyn, name)
    if isinstance(thing, ModuleType):
        return (  # names after it are the package's again, not that module's
            f".. rubric:: {name}\n\n.. automodule:: {thing.__name__}\n   :members:\n\n.. currentmodule:: spacedyn\n"
        )
    if isinstance(thing, type):
        inherited = "   :inherited-members:\n" if name in IN_TWO_FILES else ""
        return f".. autoclass:: {name}\n   :members:\n{inherited}"
    return f".. autofunction:: {name}\n"


def topic_page(topic: str, names: list[str]) -> str:
    table = "\n".join([".. currentmodule:: spacedyn", "", ".. autosummary::", "", *(f"   {name}" for name in names)])
    return "\n".join([f"# {topic.capitalize()}", "", "```{eval-rst}", table, "", *map(directive, names), "```", ""])


CLASSIC = """# Classic

SpaceDyn's functions by name: [Coming from SpaceDyn](../coming_from_spacedyn.md).

```{eval-rst}
.. automodule:: spacedyn.classic
   :members:
   :imported-members:
```
"""


OTHERS = """Every public name, by topic. Described elsewhere: `Rotation` is SciPy's
`scipy.spatial.transform.Rotation`; `FREE`, `LOCKED` and `PRESCRIBED` are those of
`Mode`, the [modes of joints](../simulation.md#laws)."""


def write_reference(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    pages = {topic: topic_page(topic, names) for topic, names in topics().items()}
    pages["classic"] = CLASSIC
    pages["index"] = "\n".join(["# Reference", "", OTHERS, "", "```{toctree}", *pages, "```", ""])
    for stale in set(folder.glob("*.md")) - {folder / f"{page}.md" for page in pages}:
        stale.unlink()
    for page, text in pages.items():
        path = folder / f"{page}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:  # untouched pages are not built again
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> None:
    """Make the pages that come from names and data, unless only a few pages elsewhere are built with these settings."""
    if app.srcdir == app.confdir:
        write_reference(Path(app.srcdir) / "reference")
        pages.write()
