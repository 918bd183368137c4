"""What can go wrong, said so that a person can mend it: what is wrong, where, and what to do."""

import difflib
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar

SHOWN_PROBLEMS = 20
"""Problems that a message lists; the rest is counted."""

MAX_PROBLEMS = 1000
"""Problems after which the search for more ends."""

LONGEST_PROBLEM = 500
"""Characters of one problem; longer ones lose their middle."""

_LONGEST_MESSAGE = 4000
_MANY_NAMES, _MAX_COMPARED = 200, 50  # of more than 200 names, 50 are compared with a misspelt one


def printable(text: str, most: int = LONGEST_PROBLEM) -> str:
    r"""A text that no terminal obeys: on one line, of bounded length, with all that is not printable as an escape.

    >>> printable("arm\x1b[31m\n")
    'arm\\x1b[31m\\n'
    """
    if len(text) > most:
        text = f"{text[: most // 2]} … {text[len(text) - most // 2 + 3 :]}"
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def printable_lines(text: str) -> str:
    """The same for a message of several lines, which keeps its line breaks."""
    if len(text) > _LONGEST_MESSAGE:
        text = f"{text[:_LONGEST_MESSAGE]} …"
    return "\n".join(printable(line, _LONGEST_MESSAGE + 2) for line in text.split("\n"))


class SpacedynError(Exception):
    """Base class of every error that this package raises on purpose; what it says can be shown in a terminal."""

    def __str__(self) -> str:
        return printable_lines(super().__str__())


def _with_problems(title: str, problems: Sequence[str]) -> str:
    """A title with the number of problems, and the first of them, one on a line."""
    count = len(problems)
    more = " or more" if count >= MAX_PROBLEMS else ""
    first = f", the first {SHOWN_PROBLEMS} being" if count > SHOWN_PROBLEMS else ""
    head = f"{printable(title)} has {count} problem{'s' if count != 1 else ''}{more}{first}:"
    rest = [f"and {count - SHOWN_PROBLEMS} more{more}."] if count > SHOWN_PROBLEMS else []
    return "\n  - ".join([head, *problems[:SHOWN_PROBLEMS], *rest])


class ModelError(SpacedynError, ValueError):
    """A robot description that cannot be used; carries every problem found, not just the first, and shows twenty.

    Attributes
    ----------
    problems : tuple of str
        One sentence or two each: the body, joint or endpoint by name, what is wrong, the way out.
    """

    def __init__(self, model_name: str, problems: Iterable[str]):
        self.model_name = model_name
        self.problems = tuple(printable(problem) for problem in problems)
        super().__init__(_with_problems(f"model '{model_name}'", self.problems))

    def __str__(self) -> str:
        return Exception.__str__(self)  # made of printable lines already


class Problems(list[str]):
    """Problems of one description, as they are found; a ModelError ends the search after MAX_PROBLEMS of them.

    >>> problems = Problems("arm")
    >>> problems.append("body 'hand': mass is missing; give one.")
    >>> len(problems)
    1
    """

    def __init__(self, name: str, problems: Iterable[str] = ()):
        super().__init__()
        self.name = name
        self.extend(problems)

    def append(self, problem: str) -> None:
        """Add a problem; raise ModelError when there are MAX_PROBLEMS."""
        super().append(problem)
        if len(self) >= MAX_PROBLEMS:
            raise ModelError(self.name, self)

    def extend(self, problems: Iterable[str]) -> None:
        """Add several problems."""
        for problem in problems:
            self.append(problem)


class ModelWarning(UserWarning):
    """A robot description that is usable but looks wrong; the message names the body."""


class InputError(SpacedynError, ValueError):
    """An argument of the wrong shape, type or value; says what was expected and what came."""


class ScenarioError(SpacedynError, ValueError):
    """A scenario that cannot be used; carries every problem found, not just the first.

    Attributes
    ----------
    source : str
        The file, or what it is called if it is none.
    problems : tuple of str
        One sentence or two each, with the line: what is wrong, the way out.
    """

    def __init__(self, source: str, problems: Iterable[str]):
        self.source, self.problems = source, tuple(printable(problem) for problem in problems)
        super().__init__(_with_problems(f"scenario {source}", self.problems))

    def __str__(self) -> str:
        return Exception.__str__(self)  # made of printable lines already


class UnknownName(SpacedynError, LookupError):
    """A name that does not exist; lists the names that do, the nearest first.

    `whose` leads the message; `otherwise`, another way out, ends it.
    """

    def __init__(
        self,
        what: str,
        name: object,
        known: Sequence[str],
        meant: str | None = None,
        *,
        whose: str = "",
        otherwise: str = "",
    ):
        self.what, self.name, self.known = what, name, tuple(known)
        text = str(name)
        shown = repr(name) if len(text) <= 200 else f"{text[:80]!r}… ({len(text)} characters)"
        lead, end = f"{whose}: " if whose else "", f"; {otherwise}" if otherwise else ""
        super().__init__(f"{lead}no {what} named {shown}; {nearest(text[:200], self.known, meant=meant)}{end}")


class UnknownArgument(UnknownName, TypeError):
    """An argument that a function does not have, which is Python's TypeError, too."""


def nearest(name: str, known: Sequence[str], most: int = 12, meant: str | None = None) -> str:
    """A phrase that offers the likeliest of the names that exist, or the one that is `meant`.

    >>> nearest("elbw", ["shoulder", "elbow"])
    "did you mean 'elbow'? There are: shoulder, elbow"
    >>> nearest("field", ["tau", "torquer.field"])
    "did you mean 'torquer.field'? There are: tau, torquer.field"
    """
    if not known:
        return "there are none"
    listed = ", ".join(printable(one, 60) for one in known[:most])
    listed += f", … ({len(known)} in all)" if len(known) > most else ""
    close = [meant] if meant is not None else [one for one in known if str(one).endswith(f".{name}")][:1]
    close = close or difflib.get_close_matches(name[:60], _comparable(name, known), n=1)
    return f"did you mean {close[0]!r}? There are: {listed}" if close else f"there are: {listed}"


def _comparable(name: str, known: Sequence[str]) -> Sequence[str]:
    """The names worth comparing: all, or of very many the first of those that begin alike."""
    if len(known) <= _MANY_NAMES:
        return known
    return list(islice((one for one in known if one.startswith(name[:2])), _MAX_COMPARED))


class NamesItsAttributes:
    """Its error for an attribute that there is not offers those that there are, and what is likely to be meant."""

    __slots__ = ()
    _instead: ClassVar[Mapping[str, str]] = {}  # what to write instead, by the names that people try

    if not TYPE_CHECKING:  # to type checkers a misspelt attribute stays an error

        def __getattr__(self, name: str) -> Any:
            if name in dir(type(self)) or name.startswith("_"):
                return object.__getattribute__(self, name)  # raises what it raised, or what Python says
            known = [one for one in dir(self) if not one.startswith("_")]
            instead = self._instead.get(name) or nearest(name, known, most=len(known))
            raise AttributeError(f"a {type(self).__name__} has no attribute {name!r}; {instead}", name=name, obj=self)


class NoSuchRobot(InputError, IndexError):
    """An index beyond a batch of robots; a loop over a batch ends there."""


class RunWarning(UserWarning):
    """A simulation that ended, but not as well as it should have: the message says what and why."""


class CacheWarning(UserWarning):
    """A folder or file of compiled code that is not trusted, since others may write to it; the message names it."""


class SimulationFailed(SpacedynError, RuntimeError):
    """A simulation that could not go on; carries the run up to there.

    Attributes
    ----------
    run : Run
        What was recorded before.
    time : float
        When it failed [s].
    """

    def __init__(self, message: str, run: object, time: float):
        self.run, self.time = run, time
        super().__init__(message)


def warn_user(message: str, category: type[Warning]) -> None:
    """Warn at the line of the user's program that called the package, however deep inside the reason was found."""
    frame, level = sys._getframe(1), 2
    ours = (__package__, "functools")  # which calls cached properties
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ours:
        frame, level = frame.f_back, level + 1
    warnings.warn(printable_lines(message), category, stacklevel=level)


def warn_of_all(start: str, doubts: Sequence[str]) -> None:
    """A ModelWarning for each of the first SHOWN_PROBLEMS doubts about a robot, and one that counts the rest."""
    for doubt in doubts[:SHOWN_PROBLEMS]:
        warn_user(start + doubt, ModelWarning)
    if len(doubts) > SHOWN_PROBLEMS:
        warn_user(f"{start}and {len(doubts) - SHOWN_PROBLEMS} more warnings of this kind.", ModelWarning)
