"""Sphinx: MyST pages, and a reference made from the package's public names."""

from importlib.metadata import version as version_of
from pathlib import Path

import spacedyn

project = "spacedyn"
author = "spacedyn contributors"
copyright = author
version = release = version_of("spacedyn")

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon", "sphinx.ext.mathjax"]
exclude_patterns = ["_build"]
default_role = "code"  # single backticks in docstrings are code, as in Markdown

myst_enable_extensions = ["dollarmath", "amsmath", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "auto"
nb_execution_raise_on_error = True

napoleon_google_docstring = False
napoleon_use_rtype = False
autodoc_member_order = "bysource"
autosummary_generate = False

html_theme = "furo"
html_title = f"spacedyn {release}"
html_show_sourcelink = False


def topics() -> dict[str, list[str]]:
    """The public names by the module or subpackage that they come from, in the order of `__all__`."""
    found: dict[str, list[str]] = {}
    for name in spacedyn.__all__:
        home = str(getattr(getattr(spacedyn, name), "__module__", ""))
        if home.startswith("spacedyn."):  # neither __version__ nor names of other packages
            found.setdefault(home.split(".")[1], []).append(name)
    return found


def topic_page(topic: str, names: list[str]) -> str:
    lines = [f"# {topic.capitalize()}", "", "```{eval-rst}", ".. currentmodule:: spacedyn", "", ".. autosummary::", ""]
    lines += [f"   {name}" for name in names] + [""]
    for name in names:
        kind = "class" if isinstance(getattr(spacedyn, name), type) else "function"
        lines += [f".. auto{kind}:: {name}", *(["   :members:"] if kind == "class" else []), ""]
    return "\n".join([*lines, "```", ""])


def write_reference(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    pages = {topic: topic_page(topic, names) for topic, names in topics().items()}
    pages["index"] = "\n".join(["# Reference", "", "```{toctree}", *pages, "```", ""])
    for stale in set(folder.glob("*.md")) - {folder / f"{page}.md" for page in pages}:
        stale.unlink()
    for page, text in pages.items():
        path = folder / f"{page}.md"
        if not path.exists() or path.read_text(encoding="utf-8") != text:  # untouched pages are not built again
            path.write_text(text, encoding="utf-8")


write_reference(Path(__file__).parent / "reference")
