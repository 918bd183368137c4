"""`spacedyn show LAW`: a ready-made law's or motion's parameters, with units and defaults, from its documentation."""

import inspect
import re
from collections.abc import Callable
from itertools import groupby
from typing import Any

from ..laws import ready_made as control
from .output import Output


def described(made: Callable[..., Any]) -> dict[str, Any]:
    """What a law does, and each parameter's type, default and meaning.

    >>> from spacedyn import control
    >>> described(control.joint_hold)["parameters"]["target"]
    {'kind': '(coordinates,), optional', 'needed': False, 'default': None, 'about': 'Where to [rad, m]; where they ...'}
    """
    text = inspect.getdoc(made) or ""
    summary, _, rest = text.partition("\n\nParameters\n----------\n")
    section = re.split(r"\n\n\w+\n-+\n", rest)[0]
    signature = inspect.signature(made).parameters
    found: dict[str, Any] = {}
    for header, about in re.findall(r"^(\S.*)\n((?:[ \t]+.*(?:\n|$)|\n)*)", section, re.MULTILINE):
        names, _, kind = header.partition(" : ")
        for name in names.split(", "):
            if name in signature and name not in ("model", "state"):
                default = signature[name].default
                found[name] = {
                    "kind": kind,
                    "needed": default is inspect.Parameter.empty,
                    "default": None if default is inspect.Parameter.empty else default,
                    "about": _with_others(" ".join(about.split()), name),
                }
    return {"about": " ".join(summary.split()), "parameters": found}


def _with_others(about: str, name: str) -> str:
    """The text with what "As in `law`" refers to added."""
    found = re.search(r"As in `(\w+)`", about)
    if found is None or found[1] not in control.LAWS:
        return about
    other = described(control.LAWS[found[1]])["parameters"].get(name, {"about": ""})["about"]
    return f"{about} {other}".strip()


def tell_law(output: Output, name: str, made: Callable[..., Any], kind: str) -> None:
    """Print a law's description, or put it into the JSON document."""
    law = described(made)
    output.put(**{kind: {"name": name, **law}})
    output.say(f"{name}: {law['about']}", "bold")
    for about, group in groupby(law["parameters"].items(), lambda item: item[1]["about"]):
        for parameter, of in group:  # several may be described together
            default = "needed" if of["needed"] else "" if of["default"] is None else f"default {_toml(of['default'])}"
            facts = "; ".join(part for part in (of["kind"], default) if part)
            output.say(f"  {parameter:18s} {facts}")
        output.say(f"  {'':18s}   {about}", "dim")


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:g}"
    return f'"{value}"' if isinstance(value, str) else str(list(value) if isinstance(value, tuple) else value)
