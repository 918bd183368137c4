"""Arguments that a function does not have: our error, with the nearest name, instead of Python's bare TypeError."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import ParamSpec, TypeVar

from .errors import UnknownName

P = ParamSpec("P")
R = TypeVar("R")


def check_names(what: str, given: Iterable[str], known: Iterable[str], meant: Mapping[str, str] | None = None) -> None:
    """Raise UnknownName for the first name that is not known.

    Parameters
    ----------
    what : str
        What the names belong to: "argument of state()".
    given, known : names
        Those that came, and those that there are.
    meant : {name: name}
        What people are likely to mean by other names, where no likeness of letters shows it.

    Examples
    --------
    >>> check_names("argument of state()", ["v"], ["q", "speed"], {"v": "speed"})
    Traceback (most recent call last):
    spacedyn.errors.UnknownName: no argument of state() named 'v'; did you mean 'speed'? There are: q, speed
    """
    names = list(known)
    for name in given:
        if name not in names:
            likely = (meant or {}).get(name)
            raise UnknownName(what, name, names, likely if likely in names else None)


def keywords_of(function: Callable) -> list[str]:
    """Names of the arguments that a function takes by name."""
    parameters = inspect.signature(function).parameters.values()
    named = [one.name for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    return [name for name in named if name not in ("self", "cls")]


def known_arguments(**meant: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function refuse names of arguments that it does not have by `check_names`; `meant` as there.

    Examples
    --------
    >>> @known_arguments(length="size")
    ... def draw(size=1.0):
    ...     return size
    >>> draw(length=2.0)
    Traceback (most recent call last):
    spacedyn.errors.UnknownName: no argument of draw() named 'length'; did you mean 'size'? There are: size
    """

    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        known = keywords_of(function)

        @wraps(function)
        def call(*arguments: P.args, **named: P.kwargs) -> R:
            check_names(f"argument of {function.__name__}()", named, known, meant)
            return function(*arguments, **named)

        return call

    return wrap
