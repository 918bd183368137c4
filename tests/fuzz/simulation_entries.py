"""Calls that simulate: short ones; a duration is spoiled by type only, since a long one is no fault."""

from collections.abc import Callable
from functools import partial
from typing import Any

import spacedyn as sd

from .arguments import Setting
from .entries import REQUIRED, Entry, parameters_of
from .robots import same_again, short_runs

_OPTIONS = ("laws", "method", "record", "gravity", "modes", "adjust", "limits", "forces", "elements", "events", "start")
_OPTIONS += ("budget", "prescribed", "channels")
_WANTED = {"forces": "elements", "prescribed": "motions", "adjust": "yes", "limits": "yes", "budget": "seconds"}
_AGAIN = {"laws": "same laws", "elements": "same elements", "events": "same events", "prescribed": "same motions"}
_RESUMED = tuple({"until": "longer", "at": "recorded", **_AGAIN}.items())
_ALWAYS = (("model", REQUIRED), ("state", REQUIRED), ("duration", REQUIRED))
_ADJUSTED = ("modes", "prescribed")
"""Options that ask for a state that agrees with them."""


def _simulated(setting: Setting) -> Callable[..., Any]:
    return partial(sd.simulate, progress=False)


def _resumed(setting: Setting) -> Callable[..., Any]:
    """A run gone on with."""

    def called(**given: Any) -> Any:
        return short_runs()[0].resume(**{**same_again(), "progress": False, **given})

    return called


def simulations() -> list[Entry]:
    """`simulate` with two options each, `resume` and `linearize`."""
    wanted = tuple(_WANTED.items())
    found = []
    for name in _OPTIONS:
        for other in ("method", "record"):
            if other != name:
                more = (("adjust", REQUIRED),) if name in _ADJUSTED else ()
                given = (*_ALWAYS, (name, None), (other, None), *more)
                found.append(Entry("simulate", _simulated, given, frozenset({name}), wanted))
    found += [
        Entry("Run.resume", _resumed, tuple(dict.fromkeys(("until", name), REQUIRED).items()), wanted=_RESUMED)
        for name in ("until", "at", "record", *_AGAIN)
    ]
    of_one = {"state": "one state", "laws": "continuous laws", **_WANTED}
    found += [Entry("linearize", lambda c: sd.linearize, parameters_of(sd.linearize), wanted=tuple(of_one.items()))] * 2
    return found
