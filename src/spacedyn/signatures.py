"""Arguments that a function does not have, or of a kind that it does not take: our error, said at the call.

Instead of Python's bare TypeErrors, and of other libraries' tracebacks from deep inside. Numbers are looked at further
where they come in: reals.py.
"""

import inspect
import os
import re
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar, Union, get_args, get_origin

import numpy as np
from numpy.typing import ArrayLike

from .errors import InputError, UnknownArgument, UnknownName
from .reals import NotReal, real_array, type_name

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


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


class Kind(NamedTuple):
    """What an argument may be."""

    fits: Callable[[Any], bool]
    words: str


def _is_number(value: Any) -> bool:
    try:
        return real_array(value).shape == ()
    except NotReal:
        return False


def is_several(value: Any) -> bool:
    """Whether a value can be iterated over; an array without axes is an Iterable that cannot, in any library."""
    if not isinstance(value, Iterable):
        return False
    try:
        iter(value)
    except (TypeError, NotImplementedError):  # the latter from memory of several axes
        return False
    return True


SIMPLE: dict[Any, Kind] = {
    bool: Kind(lambda value: isinstance(value, bool | np.bool_), "True or False"),
    int: Kind(lambda value: isinstance(value, int | np.integer) and not isinstance(value, bool), "an integer"),
    float: Kind(_is_number, "a number"),
    str: Kind(lambda value: isinstance(value, str), "text"),
    None: Kind(lambda value: value is None, "None"),
    os.PathLike: Kind(lambda value: isinstance(value, os.PathLike), "a path"),
    Mapping: Kind(lambda value: isinstance(value, Mapping), "a dict"),
    Iterable: Kind(is_several, "a list"),
    Callable: Kind(callable, "a function"),
}


CHECKED_INSIDE = ("Model", "State")  # by `calls.check_state`, which also sees whether they belong together


def kind_of(hint: Any) -> Kind | None:
    """What a type hint lets through; None if anything, or if it cannot be told.

    >>> kind_of(float | None).words, kind_of(dict[str, int]).words
    ('a number or None', 'a dict')
    """
    origin = get_origin(hint)
    if hint is None or hint is type(None):
        return SIMPLE[None]
    if origin in (Union, types.UnionType):
        kinds = [kind_of(part) for part in get_args(hint)]
        known = [kind for kind in kinds if kind is not None]
        if len(known) < len(kinds):
            return None
        words = " or ".join(dict.fromkeys(kind.words for kind in known))
        return Kind(lambda value: any(kind.fits(value) for kind in known), words)
    made = origin or hint
    if not isinstance(made, type) or made in (Any, complex, bytes, object):  # ArrayLike has complex and bytes
        return None
    if made is not str and issubclass(made, Mapping):
        return SIMPLE[Mapping]
    if origin is not None and issubclass(made, Iterable):
        return _several(get_args(hint))
    if made in SIMPLE:
        return SIMPLE[made]
    if made.__name__ in CHECKED_INSIDE:
        return None
    article = "an" if made.__name__[0] in "AEIOU" else "a"
    return Kind(lambda value: isinstance(value, made), f"{article} {made.__name__}")


def _several(parts: tuple[Any, ...]) -> Kind:
    """A list whose items are looked at, unless it can be gone through only once."""
    item = SIMPLE.get(parts[0]) if parts else None

    def fits(value: Any) -> bool:
        if not is_several(value):
            return False
        return item is None or isinstance(value, Iterator) or all(item.fits(one) for one in value)

    return Kind(fits, "a list" if item is None else f"a list, each {item.words}")


def checked(name: str, function: Callable[P, R], inside: tuple[str, ...], meant: Mapping[str, str]) -> Callable[P, R]:
    """A function that looks at the names and kinds of its arguments; `name` is what people call it by."""
    parameters = [one for one in inspect.signature(function).parameters.values() if one.name not in ("self", "cls")]
    skipped = len(inspect.signature(function).parameters) - len(parameters)
    open_ended = any(one.kind is one.VAR_KEYWORD for one in parameters)
    known = [one.name for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    looked_at = [one for one in parameters if one.name not in inside]
    kinds = {one.name: kind for one in looked_at if (kind := kind_of(one.annotation)) is not None}
    placed = [one.name for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    rest = [one.name for one in parameters if one.kind is one.VAR_POSITIONAL]
    defaults = {one.name: one.default for one in parameters}

    @wraps(function)
    def call(*arguments: P.args, **named: P.kwargs) -> R:
        if not open_ended:
            check_names(f"argument of {name}()", named, known, meant)
        more = [(rest[0], value) for value in arguments[skipped + len(placed) :]] if rest else []
        for argument, value in (*zip(placed, arguments[skipped:], strict=False), *more, *named.items()):
            kind = kinds.get(argument)
            if kind is not None and value is not defaults[argument] and not kind.fits(value):
                raise InputError(f"{name}: {argument} must be {kind.words}, got {_shown(value)}")
        return function(*arguments, **named)

    return readable_signature(call)


@dataclass(frozen=True, repr=False)
class _Words:
    """An annotation as it is written in a program."""

    words: str

    def __repr__(self) -> str:
        return self.words


def readable_signature(function: Callable[P, R]) -> Callable[P, R]:
    """Let `help` show the annotations of a function as they are written, not as what they stand for.

    >>> from numpy.typing import ArrayLike
    >>> @readable_signature
    ... def draw(points: ArrayLike, size: ArrayLike | None = None) -> None:
    ...     pass
    >>> inspect.signature(draw)
    <Signature (points: ArrayLike, size: ArrayLike | None = None) -> None>
    """
    old = inspect.signature(function)
    written = [one.replace(annotation=_written(one.annotation)) for one in old.parameters.values()]
    new = old.replace(parameters=written, return_annotation=_written(old.return_annotation))
    setattr(function, "__signature__", new)  # noqa: B010  # for type checkers
    return function


def _written(hint: Any) -> Any:
    """ArrayLike by its name, without the forty kinds that it is made of, and classes of the package by theirs."""
    if hint is inspect.Signature.empty or isinstance(hint, _Words | str):
        return hint
    parts, array = list(get_args(hint)), get_args(ArrayLike)
    if hint is None or not array or not all(one in parts for one in array):  # an alias of its own from NumPy 2.5 on
        words = inspect.formatannotation(hint)
    else:
        rest = [inspect.formatannotation(one) for one in parts if one not in array]
        words = " | ".join(["ArrayLike", *("None" if one == "NoneType" else one for one in rest)])
    whole = _MODULE.sub("", inspect.formatannotation(ArrayLike))
    inside = whole.removeprefix("Union[").removesuffix("]")  # of a union with others
    return _Words(_MODULE.sub("", words).replace(whole, "ArrayLike").replace(inside, "ArrayLike"))


_MODULE = re.compile(r"\b(?:spacedyn|collections|typing|numpy|scipy|os)\.(?:[a-z_]+\.)*")


def _shown(value: Any) -> str:
    """A value in a message: short ones themselves, others by their type."""
    if isinstance(value, str | bool | int | float | list | tuple) and len(text := repr(value)) < 80:
        return text
    return type_name(value)


def checked_arguments(*inside: str, **meant: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function refuse arguments that it does not have, and those of other kinds than its signature says.

    `inside` names those whose kinds it looks at itself, since it can say more of them. `meant` says what people are
    likely to mean by names that it does not have: see `check_names`.

    Examples
    --------
    >>> @checked_arguments(length="size")
    ... def draw(size: float = 1.0):
    ...     return size
    >>> draw(length=2.0)
    Traceback (most recent call last):
    spacedyn.errors.UnknownName: no argument of draw() named 'length'; did you mean 'size'? There are: size
    >>> draw("2 m")
    Traceback (most recent call last):
    spacedyn.errors.InputError: draw: size must be a number, got '2 m'
    """
    return lambda function: checked(function.__name__, function, inside, meant)


def checked_as(name: str, *inside: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """The same in the name of another function, which passes its arguments on to this one.

    Examples
    --------
    >>> @checked_as("draw")
    ... def drawn(size: float = 1.0):
    ...     return size
    >>> drawn("2 m")
    Traceback (most recent call last):
    spacedyn.errors.InputError: draw: size must be a number, got '2 m'
    """
    return lambda function: checked(name, function, inside, {})


def known_names(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function refuse arguments that it does not have, by name; what they are it looks at itself.

    >>> @known_names
    ... def draw(size=1.0):
    ...     return size
    >>> draw(sise=2.0)
    Traceback (most recent call last):
    spacedyn.errors.UnknownArgument: no argument of draw() named 'sise'; did you mean 'size'? There are: size
    """
    known = keywords_of(function)
    open_ended = any(one.kind is one.VAR_KEYWORD for one in inspect.signature(function).parameters.values())

    @wraps(function)
    def call(*arguments: P.args, **named: P.kwargs) -> R:
        for name in named:
            if name not in known:
                raise UnknownArgument(f"argument of {function.__name__}()", name, known)
        return function(*arguments, **named)

    return readable_signature(function if open_ended else call)


def checked_fields(*inside: str) -> Callable[[type[T]], type[T]]:
    """The same for a dataclass: its fields are the arguments, by their names or by those in `former_names`."""

    def wrap(made: type[T]) -> type[T]:
        former: Mapping[str, str] = getattr(made, "former_names", {})
        start = checked(made.__name__, made.__init__, inside, {})

        @wraps(start)
        def renamed(self: T, *arguments: Any, **named: Any) -> None:
            start(self, *arguments, **{former.get(name, name): value for name, value in named.items()})

        setattr(made, "__init__", renamed if former else start)  # noqa: B010  # for type checkers
        return made

    return wrap
