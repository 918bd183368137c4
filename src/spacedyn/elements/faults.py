"""Faults of devices, given as parameters (time and kind), and the checks that all devices share."""

from typing import Any, NamedTuple

from ..errors import InputError, nearest
from ..reals import real_number


class Fault(NamedTuple):
    """A fault in a run: time [s], the device's name in the record, words."""

    time: float
    element: str
    how: str

    def __str__(self) -> str:
        return f"at {self.time:g} s {self.element} failed: {self.how}"


def fail_time(what: str, value: Any) -> float:
    """When a device fails [s]; infinite if it never does."""
    return real_number(f"{what}: fail_at", value, "a time [s]")


def fault_of(what: str, value: Any, known: tuple[str, ...]) -> int:
    """The number of a way to fail, by its name."""
    if value not in known:
        raise InputError(f"{what}: there is no fault {value!r}; {nearest(str(value), list(known))}")
    return known.index(value)


def checked_label(what: str, name: Any) -> None:
    """Raise unless laws can use a name that is given."""
    if name is not None and not (isinstance(name, str) and name.isidentifier()):
        raise InputError(f"{what}: laws use its name, which must be an identifier, got {name!r}")
