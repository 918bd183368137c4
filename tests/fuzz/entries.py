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
