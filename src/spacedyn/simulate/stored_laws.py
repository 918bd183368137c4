"""Laws as files keep them, without their code, and the check that laws given later are the same."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import InputError, RunWarning, warn_user
from ..laws.fingerprint import source_digest
from ..laws.law import Law

Array = np.ndarray
_MAX_STATES = 1_000_000  # numbers that a law keeps


@dataclass(frozen=True, eq=False)
class LawRecord:
    """A law as a file keeps it: everything but its code.

    Attributes
    ----------
    name : str
        Name of its function.
    parameters, period, delay, states, initial
        As in `Law`.
    source : str
        Hash of its function's source.
    switches : bool
        Whether it reads or commands modes of joints.
    """

    name: str
    parameters: dict[str, Array]
    period: float | None
    delay: float
    states: dict[str, int]
    initial: dict[str, Array] = field(default_factory=dict)
    source: str = ""
    switches: bool = False

    @property
    def state_size(self) -> int:
        """Number of its internal states."""
        return sum(self.states.values())


def record_of(law: "Law | LawRecord") -> LawRecord:
    """The law without its code, as files keep it."""
    if isinstance(law, LawRecord):
        return law
    source = source_digest(law.function)
    return LawRecord(law.name, law.parameters, law.period, law.delay, law.states, law.initial, source, law.switches)


def check_law(law: LawRecord) -> None:
    """Raise InputError unless a record read from a file is a possible law."""
    states = isinstance(law.states, dict) and all(
        type(count) is int and 0 < count <= _MAX_STATES for count in law.states.values()
    )
    numbers = all(isinstance(part, dict) for part in (law.parameters, law.initial)) and all(
        isinstance(value, np.ndarray) for part in (law.parameters, law.initial) for value in part.values()
    )
    period = law.period is None or (isinstance(law.period, int | float) and 0.0 < law.period < np.inf)
    delay = isinstance(law.delay, int | float) and 0.0 <= law.delay < np.inf
    words = isinstance(law.name, str) and isinstance(law.source, str) and isinstance(law.switches, bool)
    if not (states and numbers and period and delay and words):
        raise InputError(f"the law {str(law.name)[:40]!r} has impossible settings")


def same_laws(before: Sequence[Any], now: Sequence[Law]) -> None:
    """Raise unless the laws `now` are the laws `before` that made a run; warn if only a function's code differs."""
    old, new = [record_of(law) for law in before], [record_of(law) for law in now]
    if [law.name for law in old] != [law.name for law in new]:
        raise InputError(f"the run was made with the laws {_names(old)}, in this order; given were {_names(new)}")
    for was, law in zip(old, new, strict=True):
        for part in ("period", "delay", "states"):
            a, b = getattr(was, part), getattr(law, part)
            if a != b:
                raise InputError(f"law '{law.name}': the run was made with {part} {a}, now it is {b}")
        for part in ("parameters", "initial"):
            a, b = getattr(was, part), getattr(law, part)
            for name in sorted({*a, *b}):
                if name not in a or name not in b or not np.array_equal(a[name], b[name]):
                    shown = f"{_shown(a.get(name))}, now it is {_shown(b.get(name))}"
                    what = name if part == "parameters" else f"the start of {name}"
                    raise InputError(f"law '{law.name}': the run was made with {what} = {shown}")
        if was.source and law.source and was.source != law.source:
            warn_user(f"law '{law.name}' has been edited since it made this run: its future may differ", RunWarning)


def _names(laws: list[LawRecord]) -> str:
    return ", ".join(f"'{law.name}'" for law in laws) or "none"


def _shown(value: Array | None) -> str:
    return "nothing" if value is None else np.array2string(value, threshold=6, edgeitems=2)
