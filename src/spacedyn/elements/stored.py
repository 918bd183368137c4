"""Elements as plain values, for files: built-in ones with all that they are, users' ones without their code."""

import dataclasses
import hashlib
import inspect
import textwrap
from typing import Any

import numpy as np

from ..errors import InputError
from . import drag, friction, gravity, motor, spring, wrench
from .element import Account, Block, Element
from .program import Declared, Program, UserElement

KINDS: dict[str, type[Element]] = {
    one.__name__: one
    for one in (
        wrench.Wrench,
        spring.Spring,
        spring.Tether,
        drag.Drag,
        friction.BristleFriction,
        motor.Motor,
        gravity.CentralGravity,
    )
}
"""Built-in kinds, by their names."""
_PARTS = ("states", "commands", "channels")


def element_text(element: Element) -> dict[str, Any]:
    """An element as values that JSON has."""
    if isinstance(element, UserElement):
        d = element.declared
        return {
            "name": "UserElement",
            "label": element.name,
            "function": element.title,
            "source": _source(element.program.function),
            "parameters": {name: _plain(value) for name, value in element.program.parameters.items()},
            "bound": {name: _plain(value) for name, value in element.bound.items()},
            "declared": {
                **{
                    part: [dataclasses.asdict(b) for b in getattr(d, part)]
                    for part in ("states", "commands", "channels")
                },
                "guards": d.guards,
                "accounts": [account.value for account in d.accounts],
                "joints": list(d.joints),
                "points": list(d.points),
            },
        }
    settings = {f.name: _plain(getattr(element, f.name)) for f in dataclasses.fields(element)}
    return {"name": type(element).__name__, "settings": settings}


def element_of(text: dict[str, Any]) -> Element:
    """The inverse; the code of a user's element is not in a file, and what is made of it cannot be simulated."""
    if text["name"] == "UserElement":
        d = text["declared"]
        parts = [tuple(Block(**b | {"labels": tuple(b["labels"])}) for b in d[part]) for part in _PARTS]
        accounts = tuple(Account(one) for one in d["accounts"])
        declared = Declared(parts[0], parts[1], parts[2], d["guards"], accounts, tuple(d["joints"]), tuple(d["points"]))
        parameters = {name: np.asarray(_array(value), dtype=float) for name, value in text["parameters"].items()}
        bound = {name: _array(value) for name, value in text["bound"].items()}
        return StoredElement(
            Program(_nothing, parameters, None, 0.0, {}),
            declared,
            bound,
            text["label"],
            text["function"],
            text["source"],
        )
    if text["name"] not in KINDS:
        raise InputError(f"the run was made by an element '{text['name']}', which this version does not have")
    return KINDS[text["name"]](**{name: _array(value) for name, value in text["settings"].items()})


def _nothing(t: float, s: Any, p: Any, out: Any) -> None:
    """What stands for the code of an element that was read from a file."""
    out.tau[0] = 0.0


@dataclasses.dataclass(frozen=True, eq=False)
class StoredElement(UserElement):
    """What a file knows of a user's element: all but its code."""

    function: str = ""
    source: str = ""

    @property
    def title(self) -> str:
        """Of its function."""
        return self.function


def same_elements(before: tuple[Element, ...], now: list[Element]) -> tuple[Element, ...]:
    """The elements of a run that was read, with those of users' own that are given now; raise if they differ."""
    given = {one.label: one for one in now if isinstance(one, UserElement)}
    found: list[Element] = []
    for one in before:
        if isinstance(one, StoredElement):
            if one.name not in given:
                raise InputError(
                    f"the run was made with an element '{one.name}' of your own, whose code is not in the file; "
                    f"give it: resume(elements=[{one.title}(...)])"
                )
            old, new = ({**element_text(x), "source": "", "function": ""} for x in (one, given[one.name]))
            if old != new:
                part = next(key for key in old if old[key] != new[key])
                raise InputError(f"element '{one.name}': its {part} are not those that made the run")
            found.append(given[one.name])
        else:
            found.append(one)
    return tuple(found)


def _source(function: Any) -> str:
    try:
        text = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        return ""  # typed at a prompt: there is nothing to compare
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _plain(value: Any) -> Any:
    """Arrays as lists with their shapes; infinities and nothing as they are."""
    if isinstance(value, np.ndarray):
        return {"array": value.astype(float).ravel().tolist(), "shape": value.shape}
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    return value


def _array(value: Any) -> Any:
    """The inverse of `_plain`."""
    if isinstance(value, dict):
        return np.array(value["array"], dtype=float).reshape(value["shape"])
    if isinstance(value, list):
        return tuple(_array(one) for one in value)
    return value
