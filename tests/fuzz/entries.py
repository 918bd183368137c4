"""What can be called."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .arguments import Setting

REQUIRED = inspect.Parameter.empty


@dataclass(frozen=True)
class Entry:
    """A function that can be called: made for a setting, with the names and defaults of its parameters.

    Attributes
    ----------
    name : str
        As a person would write it.
    made : callable
        The function, for a setting.
    parameters : tuple of (name, default)
        REQUIRED for one that must be given.
    needed : set of str
        Given in spite of a default.
    wanted : tuple of (parameter, key)
        Parameters whose good values have another key.
    """

    name: str
    made: Callable[[Setting], Callable[..., Any]]
    parameters: tuple[tuple[str, Any], ...]
    needed: frozenset[str] = frozenset()
    wanted: tuple[tuple[str, str], ...] = ()


_NEVER = {"view", "progress", "stream", "path", "folder", "folders", "mesh"}
"""Parameters that are not given: what they would do is no matter of their value."""


def parameters_of(function: Any, harmless: tuple[str, ...] = ()) -> tuple[tuple[str, Any], ...]:
    """Names and defaults of the parameters that a function has by name; not of files, unless they are no files."""
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD, inspect.Parameter.POSITIONAL_ONLY)
    found = inspect.signature(function).parameters.values()
    return tuple((p.name, p.default) for p in found if p.kind not in kinds and p.name not in _NEVER - {*harmless})
