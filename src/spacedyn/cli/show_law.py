"""`spacedyn show LAW`: parameters of a ready-made law, a motion or an element, from their documentation."""

import inspect
import math
import re
from collections.abc import Callable, Collection
from itertools import groupby
from typing import Any

from ..laws import ready_made as control
from .output import Output


def described(made: Callable[..., Any], known: Collection[str] | None = None) -> dict[str, Any]:
    """What a law or an element does, and each parameter's type, default and meaning; of `known` ones, if given.

    >>> from spacedyn import control
    >>> described(control.joint_hold)["parameters"]["target"]
    {'kind': '(coordinates,), optional', 'needed': False, 'default': None, 'about': 'Where to [rad, m]; where they ...'}
    """
    signature = inspect.signature(made).parameters
    wanted = {*signature} - {"model", "state"} if known is None else {*known}
    found: dict[str, Any] = {}
    sections = [_section(one) for one in (inspect.getmro(made) if isinstance(made, type) else [made])]
    for header, about in re.findall(r"^(\S.*)\n((?:[ \t]+.*(?:\n|$)|\n)*)", "\n".join(sections), re.MULTILINE):
        names, _, kind = header.partition(" : ")
        for name in names.split(", "):
            if name in wanted and name not in found:
                default = signature[name].default
                found[name] = {
                    "kind": kind,
                    "needed": default is inspect.Parameter.empty,
                    "default": None if default is inspect.Parameter.empty else _in_json(default),
                    "about": _with_others(" ".join(about.split()), name),
                }
    return {"about": " ".join(_before_sections(made).split()), "parameters": found}


def _before_sections(made: Any) -> str:
    """What a docstring says before its first section."""
    return re.split(r"\n\n\w+\n-+\n", inspect.getdoc(made) or "")[0]


def _section(made: Any) -> str:
    """The parameters' section of a docstring."""
    _, _, rest = (inspect.getdoc(made) or "").partition("\n\nParameters\n----------\n")
    return re.split(r"\n\n\w+\n-+\n", rest)[0]


def _with_others(about: str, name: str) -> str:
    """The text with what "As in `law`" refers to added."""
    found = re.search(r"As in `(\w+)`", about)
    if found is None or found[1] not in control.LAWS:
        return about
    other = described(control.LAWS[found[1]])["parameters"].get(name, {"about": ""})["about"]
    return f"{about} {other}".strip()


def tell_law(
    output: Output, name: str, made: Callable[..., Any], kind: str, known: Collection[str] | None = None
) -> None:
    """Print the description of a law, a motion or an element, or put it into the JSON document."""
    law = described(made, known)
    output.put(**{kind: {"name": name, **law}})
    output.say(f"{name}: {law['about']}", "bold")
    for about, group in groupby(law["parameters"].items(), lambda item: item[1]["about"]):
        for parameter, of in group:  # several may be described together
            default = "needed" if of["needed"] else "" if of["default"] is None else f"default {_toml(of['default'])}"
            facts = "; ".join(part for part in (of["kind"], default) if part)
            output.say(f"  {parameter:18s} {facts}")
        output.say(f"  {'':18s}   {about}", "dim")


def _in_json(default: Any) -> Any:
    """A default as JSON has it, which knows no infinity: that is the text 'inf'."""
    if isinstance(default, tuple):
        return [_in_json(one) for one in default]
    return f"{default:g}" if isinstance(default, float) and not math.isfinite(default) else default


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return f'"{value}"' if isinstance(value, str) and value not in ("inf", "-inf") else str(value)
