"""What can go wrong, said so that a person can mend it: what is wrong, where, and what to do."""

import difflib
import sys
import warnings
from collections.abc import Iterable, Sequence


class SpacedynError(Exception):
    """Base class of every error that this package raises on purpose."""


class ModelError(SpacedynError, ValueError):
    """A robot description that cannot be used; carries every problem found, not just the first.

    Attributes
    ----------
    problems : tuple of str
        One sentence or two each: the body, joint or endpoint by name, what is wrong, the way out.
    """

    def __init__(self, model_name: str, problems: Iterable[str]):
        self.model_name = model_name
        self.problems = tuple(problems)
        count = len(self.problems)
        title = f"model '{model_name}' has {count} problem{'s' if count != 1 else ''}:"
        super().__init__("\n  - ".join([title, *self.problems]))


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
        self.source, self.problems = source, tuple(problems)
        count = len(self.problems)
        title = f"scenario {source} has {count} problem{'s' if count != 1 else ''}:"
        super().__init__("\n  - ".join([title, *self.problems]))


class UnknownName(SpacedynError, LookupError):
    """A name that does not exist; lists the names that do, the nearest first."""

    def __init__(self, what: str, name: object, known: Sequence[str], meant: str | None = None):
        self.what, self.name, self.known = what, name, tuple(known)
        text = str(name)
        shown = repr(name) if len(text) <= 200 else f"{text[:80]!r}… ({len(text)} characters)"
        super().__init__(f"no {what} named {shown}; {nearest(text[:200], self.known, meant=meant)}")


def nearest(name: str, known: Sequence[str], most: int = 12, meant: str | None = None) -> str:
    """A phrase that offers the likeliest of the names that exist, or the one that is `meant`.

    >>> nearest("elbw", ["shoulder", "elbow"])
    "did you mean 'elbow'? There are: shoulder, elbow"
    """
    if not known:
        return "there are none"
    listed = ", ".join(known[:most]) + (f", … ({len(known)} in all)" if len(known) > most else "")
    close = difflib.get_close_matches(name, known, n=1) if meant is None else [meant]
    return f"did you mean {close[0]!r}? There are: {listed}" if close else f"there are: {listed}"


class NoSuchRobot(InputError, IndexError):
    """An index beyond a batch of robots; a loop over a batch ends there."""


class RunWarning(UserWarning):
    """A simulation that ended, but not as well as it should have: the message says what and why."""


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
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == __package__:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
